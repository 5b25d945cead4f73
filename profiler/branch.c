// branch: how often each edge of each conditional branch and switch was taken.
#include "profiler/analysis.h"
#include "profiler/sitecounts.h"

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

static void *thread_new(void) { return sitecounts_new(); }
static void thread_free(void *state) { sitecounts_free(state); }

static void add_row(Table *out, const SiteCount *e) {
    table_add(out, &(TableRow){.key = {e->method, e->site, e->what}, .count = e->count});
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    sitecounts_collect(state, out, lost, add_row);
}

const Analysis analysis_branch = {
    .name = "branch",
    .event = EVENT_branch,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_SITE, NULL},
                {"edge", COLUMN_NUMBER, NULL}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_branch = on_branch,
};
