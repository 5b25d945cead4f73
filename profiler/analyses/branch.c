// branch: how often each edge of each conditional branch and switch was taken.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static __attribute__((noinline)) void count_elsewhere(const EventSink_branch *sink, uint32_t method,
                                                      uintptr_t site, uint32_t edge) {
    sitecounts_add(sink->state, site, edge, method);
    EVENT_PASS(sink, method, site, edge);
}

static void on_branch(const EventSink_branch *sink, uint32_t method, uintptr_t site,
                      uint32_t edge) {
    if (__builtin_expect(!sitecounts_hit(sink->state, site, edge), 0)) {
        count_elsewhere(sink, method, site, edge);
        return;
    }
    EVENT_PASS(sink, method, site, edge);
}

const Analysis analysis_branch = {
    .name = "branch",
    .event = EVENT_branch,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_SITE, NULL},
                {"edge", COLUMN_NUMBER, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .on_branch = on_branch,
};
