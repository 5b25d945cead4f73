// call-edge: calls by call site and callee.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

// Apart, with its own hand-over, so that the common path needs no frame.
static __attribute__((noinline)) void count_elsewhere(const EventSink_method_entry *sink,
                                                      uint32_t callee, uint32_t caller,
                                                      uintptr_t site) {
    sitecounts_add(sink->state, site, callee, caller);
    EVENT_PASS(sink, callee, caller, site);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t callee, uint32_t caller,
                            uintptr_t site) {
    if (__builtin_expect(!sitecounts_hit(sink->state, site, callee), 0)) {
        count_elsewhere(sink, callee, caller, site);
        return;
    }
    EVENT_PASS(sink, callee, caller, site);
}

const Analysis analysis_call_edge = {
    .name = "call-edge",
    .event = EVENT_method_entry,
    .columns = {{"caller", COLUMN_METHOD, NULL}, {"site", COLUMN_SITE, NULL},
                {"callee", COLUMN_METHOD, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .on_method_entry = on_method_entry,
};
