// method-count: entries of each method, in an array by method id. Ids are dense, so the array is at most twice as long
// as the number of linked methods.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/densecounts.h"

// Separate, with its own EVENT_PASS, so that the fast path needs no stack frame.
static __attribute__((noinline)) void count_new(const EventSink_method_entry *sink, uint32_t method) {
    CountsState *s = sink->state;
    if (counts_grow(&s->counts, method)) s->counts->of[method]++;
    else s->lost++;
    EVENT_PASS(sink, method);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t method) {
    Counts *counts = ((CountsState *)sink->state)->counts;
    if (__builtin_expect(method > counts->mask, 0)) {
        count_new(sink, method);
        return;
    }
    counts->of[method]++;
    EVENT_PASS(sink, method);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CountsState *s = state;
    const Counts *counts = published_read(&s->counts);
    for (uint32_t id = 0; id <= counts->mask; id++)
        if (counts->of[id]) table_add(out, &(TableRow){.key = {id}, .count = counts->of[id]});
    *lost += s->lost;
}

static void count(Table *out, uint32_t method, uint64_t times) {
    table_add(out, &(TableRow){.key = {method}, .count = times});
}

const Analysis analysis_method_count = {
    .name = "method-count",
    .event = EVENT_method_entry,
    .columns = {{"method", COLUMN_METHOD, NULL}},
    .thread_new = counts_state_new,
    .thread_free = counts_state_free,
    .collect = collect,
    .on_method_entry = on_method_entry,
    .count_method_entry = count,
};
