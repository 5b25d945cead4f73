// cpu: samples of each thread's processor time, as whole stacks, and as the instruction and the mode of execution on
// top (profiler/analyses/timesamples.h). It wants no events, so the program's code is the same as without a profile.
#include "profiler/analyses/contexts.h"
#include "profiler/analyses/timesamples.h"

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id, (void)name;
    events->time[TIME_CPU] = state;
}

static bool section(uint32_t number, Analysis *out) { return timesamples_section(number, "cpu", "cpu-lines", out); }

const Analysis analysis_cpu = {
    .name = "cpu",
    .event = EVENT_COUNT,
    .unit = "samples",
    .columns = CONTEXT_COLUMNS,  // of its stacks
    .interrupts = true,
    .unshadowed = "a shadow's time is not the program's",
    .section = section,
    .timed = true,
    .begin = timesamples_begin,
    .end = timesamples_end,
    .thread_new = timesamples_thread_new,
    .thread_attached = thread_attached,
    .thread_free = timesamples_thread_free,
    .collect = timesamples_collect,
};
