// bytes: allocated bytes by site. tests/run/events.py builds a VM with this analysis (docs/ADDING-AN-ANALYSIS.md) and
// compares the sum with the heap's count.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

enum { UNIT = 16 };  // all sizes are multiples

static void on_allocation(const EventSink_allocation *sink, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                          uintptr_t object) {
    sitecounts_add(sink->state, sitecounts_site(method, bci), (uint32_t)(bytes / UNIT));
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    Table objects = {0};
    sitecounts_collect(state, &objects, lost);
    for (size_t i = 0; i < objects.count; i++) {
        const TableRow *r = &objects.rows[i];
        table_add(out, &(TableRow){.key = {r->key[0], r->key[1]}, .count = r->count * r->key[2] * UNIT});
    }
    table_free(&objects);
}

const Analysis analysis_bytes = {
    .name = "bytes",
    .event = EVENT_allocation,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = collect,
    .on_allocation = on_allocation,
};
