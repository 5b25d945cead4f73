// receiver: classes of the receivers at each invokevirtual and invokeinterface that dispatches on them.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static __attribute__((noinline)) void count_slow(const EventSink_receiver *sink, uint32_t method, int32_t bci,
                                                 uint32_t cls) {
    sitecounts_add(sink->state, sitecounts_site(method, bci), cls, 1);
    EVENT_PASS(sink, method, bci, cls);
}

static void on_receiver(const EventSink_receiver *sink, uint32_t method, int32_t bci, uint32_t cls) {
    if (__builtin_expect(!sitecounts_hit(sink->state, sitecounts_site(method, bci), cls, 1), 0)) {
        count_slow(sink, method, bci, cls);
        return;
    }
    EVENT_PASS(sink, method, bci, cls);
}

const Analysis analysis_receiver = {
    .name = "receiver",
    .event = EVENT_receiver,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"class", COLUMN_CLASS, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .snapshot = SNAPSHOT_RECEIVERS,
    .on_receiver = on_receiver,
};
