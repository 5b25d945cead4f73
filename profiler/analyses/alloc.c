// alloc: the objects that each place allocated, by class, and their bytes. The place is the instruction, or for objects
// that native code or the VM allocates, the call of it (vm/api/events.def). An object that compiled code did not
// allocate, because it does not escape, is another event.
//
// Shown as three analyses, because rows have one count: alloc counts objects, alloc-bytes their bytes, and
// alloc-removed the objects that were not allocated. Template and optimised code count; the interpreter and the VM
// report.
#include <stdlib.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

enum { OBJECTS, BYTES, REMOVED, SECTIONS };

typedef struct Allocated {
    SiteCounts *of[REMOVED];  // by site and class; removed allocations are only counted by code
} Allocated;

static void thread_free(void *state) {
    Allocated *a = state;
    if (!a) return;
    for (int i = 0; i < REMOVED; i++) sitecounts_free(a->of[i]);
    free(a);
}

static void *thread_new(AnalysisSettings *settings) {
    Allocated *a = calloc(1, sizeof *a);
    for (int i = 0; a && i < REMOVED; i++) {
        if ((a->of[i] = sitecounts_new(settings))) continue;
        thread_free(a);
        return NULL;
    }
    return a;
}

static __attribute__((noinline)) void count_slow(const EventSink_allocation *sink, uint32_t method, int32_t bci,
                                                 uint32_t cls, uint64_t bytes, uintptr_t object, bool objects) {
    Allocated *a = sink->state;
    if (objects) sitecounts_add(a->of[OBJECTS], sitecounts_site(method, bci), cls, 1);
    sitecounts_add(a->of[BYTES], sitecounts_site(method, bci), cls, bytes);
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

static void on_allocation(const EventSink_allocation *sink, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                          uintptr_t object) {
    Allocated *a = sink->state;
    uint64_t site = sitecounts_site(method, bci);
    bool counted = sitecounts_hit(a->of[OBJECTS], site, cls, 1);
    if (__builtin_expect(!counted || !sitecounts_hit(a->of[BYTES], site, cls, bytes), 0)) {
        count_slow(sink, method, bci, cls, bytes, object, !counted);
        return;
    }
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const Allocated *a = state;
    uint64_t lost_bytes = 0;
    sitecounts_collect_section(a->of[OBJECTS], OBJECTS, out, lost);
    sitecounts_collect_section(a->of[BYTES], BYTES, out, &lost_bytes);
}

static void add_row(Table *out, uint32_t section_number, uint32_t method, int32_t bci, uint32_t cls, uint64_t count) {
    table_add(out, &(TableRow){.key = {section_number + 1, method, (uint32_t)bci, cls}, .count = count});
}

static void count_allocation(Table *out, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes, uintptr_t object,
                             uint64_t times) {
    (void)object;
    add_row(out, OBJECTS, method, bci, cls, times);
    add_row(out, BYTES, method, bci, cls, bytes * times);
}

static void on_allocation_removed(const EventSink_allocation_removed *sink, uint32_t method, int32_t bci, uint32_t cls,
                                  uint64_t bytes) {
    EVENT_PASS(sink, method, bci, cls, bytes);
}

static void count_allocation_removed(Table *out, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                                     uint64_t times) {
    (void)bytes;
    add_row(out, REMOVED, method, bci, cls, times);
}

static bool section(uint32_t i, Analysis *out) {
    static const Analysis sections[SECTIONS] = {
        [OBJECTS] = {.name = "alloc", .event = EVENT_allocation},
        [BYTES] = {.name = "alloc-bytes", .event = EVENT_COUNT, .unit = "bytes"},
        [REMOVED] = {.name = "alloc-removed", .event = EVENT_allocation_removed},
    };
    return analysis_section(&analysis_alloc, sections, SECTIONS, i, out);
}

const Analysis analysis_alloc = {
    .name = "alloc",
    .event = EVENT_allocation,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"class", COLUMN_CLASS, NULL}},
    .section = section,
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_allocation = on_allocation,
    .on_allocation_removed = on_allocation_removed,
    .count_allocation = count_allocation,
    .count_allocation_removed = count_allocation_removed,
};
