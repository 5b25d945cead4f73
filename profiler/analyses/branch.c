// branch: how often each edge of each conditional branch and switch was taken.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static __attribute__((noinline)) void count_slow(const EventSink_branch *sink, uint32_t method, int32_t bci,
                                                 uint32_t edge) {
    sitecounts_add(sink->state, sitecounts_site(method, bci), edge, 1);
    EVENT_PASS(sink, method, bci, edge);
}

static void on_branch(const EventSink_branch *sink, uint32_t method, int32_t bci, uint32_t edge) {
    if (__builtin_expect(!sitecounts_hit(sink->state, sitecounts_site(method, bci), edge, 1), 0)) {
        count_slow(sink, method, bci, edge);
        return;
    }
    EVENT_PASS(sink, method, bci, edge);
}

const Analysis analysis_branch = {
    .name = "branch",
    .event = EVENT_branch,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"edge", COLUMN_NUMBER, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .snapshot = SNAPSHOT_BRANCHES,
    .on_branch = on_branch,
    .count_branch = table_count,
};
