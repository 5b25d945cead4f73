// cpu: samples of processor time, at the ticks of a timer for each thread: whole stacks, and the instruction and the kind of code
// that was executed (profiler/analyses/timesamples.h). It wants no events, so the program's code stays as it is without a
// profile.
#include "profiler/analyses/timesamples.h"

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id, (void)name;
    events->time[TIME_CPU] = state;
}

static bool section(uint32_t number, Analysis *out) { return timesamples_section(number, "cpu", "cpu-lines", out); }

const Analysis analysis_cpu = {
    .name = "cpu",
    .event = EVENT_COUNT,
    .unshadowed = "a shadow's time is not the program's",
    .section = section,
    .begin = timesamples_begin,
    .thread_new = timesamples_thread_new,
    .thread_attached = thread_attached,
    .thread_free = timesamples_thread_free,
    .collect = timesamples_collect,
};
