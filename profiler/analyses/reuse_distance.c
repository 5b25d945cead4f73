// reuse-distance: accesses to fields and array elements by place and by the number of different cache lines that the
// thread has accessed since its last access to the same line (reusedistance.h). Distances are in classes that begin at
// powers of two.
#include <stdlib.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/reusedistance.h"
#include "profiler/analyses/sitecounts.h"

typedef struct Reuse {
    ReuseDistances *distances;
    SiteCounts *counts;  // by site and class of distance
    unsigned line_shift;
    uint64_t lost;
} Reuse;

// By class: the first access to a line, then the least distance of each class.
static const char *const classes[] = {
    "first",    "0",        "1",         "2",         "4",         "8",       "16",      "32",      "64",
    "128",      "256",      "512",       "1024",      "2048",      "4096",    "8192",    "16384",   "32768",
    "65536",    "131072",   "262144",    "524288",    "1048576",   "2097152", "4194304", "8388608", "16777216",
    "33554432", "67108864", "134217728", "268435456", "536870912", NULL};

static void thread_free(void *state) {
    Reuse *r = state;
    if (!r) return;
    reusedistance_free(r->distances);
    sitecounts_free(r->counts);
    free(r);
}

static void *thread_new(AnalysisSettings *settings) {
    Reuse *r = calloc(1, sizeof *r);
    if (r && (r->distances = reusedistance_new()) && (r->counts = sitecounts_new(settings))) {
        r->line_shift = (unsigned)__builtin_ctz(settings->cache.line);
        return r;
    }
    thread_free(r);
    return NULL;
}

static void look(Reuse *r, uint32_t method, int32_t bci, uintptr_t address) {
    int64_t distance = reusedistance_access(r->distances, address >> r->line_shift);
    if (distance == REUSE_NO_ROOM) {
        r->lost++;
        return;
    }
    uint32_t class = distance == REUSE_FIRST ? 0
        : distance == 0                      ? 1
                                             : 65 - (uint32_t)__builtin_clzll((uint64_t)distance);
    uint64_t site = sitecounts_site(method, bci);
    if (!sitecounts_hit(r->counts, site, class, 1)) sitecounts_add(r->counts, site, class, 1);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    look(sink->state, method, bci, address);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_array_access(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                            uint32_t type, uintptr_t array, uintptr_t address) {
    look(sink->state, method, bci, address);
    EVENT_PASS(sink, method, bci, access, type, array, address);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const Reuse *r = state;
    sitecounts_collect(r->counts, out, lost);
    *lost += r->lost;
}

const Analysis analysis_reuse_distance = {
    .name = "reuse-distance",
    .event = EVENT_COUNT,
    .unit = "memory accesses",
    .unsampled = "a distance is the number of lines in all accesses between two",
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"distance", COLUMN_WORD, classes}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_field_access = on_field_access,
    .on_array_access = on_array_access,
};
