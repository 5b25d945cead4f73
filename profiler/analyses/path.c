// path: paths through methods (T. Ball, J. R. Larus, MICRO 1996), numbered as in bytecode/analysis/paths.h. Compiled
// code counts the paths of methods with few of them in an array; all other paths are counted in this table.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static __attribute__((noinline)) void count_slow(const EventSink_path *sink, uint32_t method, int32_t bci,
                                                 uint32_t path) {
    sitecounts_add(sink->state, sitecounts_site(method, bci), path, 1);
    EVENT_PASS(sink, method, bci, path);
}

static void on_path(const EventSink_path *sink, uint32_t method, int32_t bci, uint32_t path) {
    if (__builtin_expect(!sitecounts_hit(sink->state, sitecounts_site(method, bci), path, 1), 0)) {
        count_slow(sink, method, bci, path);
        return;
    }
    EVENT_PASS(sink, method, bci, path);
}

const Analysis analysis_path = {
    .name = "path",
    .event = EVENT_path,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"path", COLUMN_PATH, NULL}},
    .uncut = "a path is of one activation, and a sample is one with copies=exits and dup=full alone",
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .on_path = on_path,
    .count_path = table_count,
};
