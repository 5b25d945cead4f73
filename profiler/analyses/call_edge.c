// call-edge: calls by call site and callee.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

// Separate, with its own EVENT_PASS, so that the fast path needs no stack frame.
static __attribute__((noinline)) void count_slow(const EventSink_call_edge *sink, uint32_t caller, int32_t bci,
                                                 uint32_t callee) {
    sitecounts_add(sink->state, sitecounts_site(caller, bci), callee, 1);
    EVENT_PASS(sink, caller, bci, callee);
}

static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    if (__builtin_expect(!sitecounts_hit(sink->state, sitecounts_site(caller, bci), callee, 1), 0)) {
        count_slow(sink, caller, bci, callee);
        return;
    }
    EVENT_PASS(sink, caller, bci, callee);
}

const Analysis analysis_call_edge = {
    .name = "call-edge",
    .event = EVENT_call_edge,
    .columns = {{"caller", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"callee", COLUMN_METHOD, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .snapshot = SNAPSHOT_CALLS,
    .on_call_edge = on_call_edge,
    .count_call_edge = table_count,
};
