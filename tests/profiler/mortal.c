// mortal: counts method entries, for tests of consumers. With MORTAL_DIES_AT=N, the thread that analyses the N-th event
// exits, as if by a fault. With MORTAL_NS=N, each event takes N ns. tests/run/events.py builds a VM with this analysis.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/densecounts.h"

static struct {
    _Atomic uint64_t events;
    uint64_t dies_at;
    int64_t ns;
} mortal;

static uint64_t number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void *thread_new(AnalysisSettings *settings) {
    mortal.dies_at = number("MORTAL_DIES_AT");
    mortal.ns = (int64_t)number("MORTAL_NS");
    return counts_state_new(settings);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t method) {
    CountsState *s = sink->state;
    if (mortal.dies_at && ++mortal.events == mortal.dies_at) pthread_exit(NULL);
    for (int64_t end = mortal.ns ? clock_monotonic_ns() + mortal.ns : 0; end && clock_monotonic_ns() < end;) {}
    if (method <= s->counts->mask || counts_grow(&s->counts, method)) s->counts->of[method]++;
    else s->lost++;
    EVENT_PASS(sink, method);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CountsState *s = state;
    const Counts *counts = published_read(&s->counts);
    for (uint32_t id = 0; id <= counts->mask; id++)
        if (counts->of[id]) table_add(out, &(TableRow){.key = {id}, .count = counts->of[id]});
    *lost += s->lost;
}

const Analysis analysis_mortal = {
    .name = "mortal",
    .event = EVENT_method_entry,
    .columns = {{"method", COLUMN_METHOD, NULL}},
    .thread_new = thread_new,
    .thread_free = counts_state_free,
    .collect = collect,
    .on_method_entry = on_method_entry,
};
