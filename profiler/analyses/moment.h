// When and where the event that a sink receives happened. A sink that runs in the event's thread asks the clock and the
// stack; one that runs in a consumer finds both in the event (EventThread.moment).
#ifndef CABERNET_PROFILER_ANALYSES_MOMENT_H
#define CABERNET_PROFILER_ANALYSES_MOMENT_H

#include <string.h>

#include "vm/api/callcontext.h"
#include "vm/api/events.h"
#include "vm/api/stamp.h"

// Nanoseconds, as stamp_now(). In a consumer: only of analyses with `clocked`.
static inline uint64_t moment_now(const EventThread *t) { return t->moment ? t->moment->at : stamp_now(); }

// The visible frames, as callcontext(). In a consumer: only of events in `walked` of the analysis, otherwise 0 frames;
// the innermost RINGCONTEXTS_FRAMES (profiler/ring/ringcontexts.h), or with `deep` CALLCONTEXT_MOST.
static inline uint32_t moment_stack(const EventThread *t, uint32_t *methods, int32_t *bcis, uint32_t most) {
    if (!t->moment) return callcontext(methods, bcis, most);
    uint32_t count = t->moment->count < most ? t->moment->count : most;
    if (!count) return 0;
    memcpy(methods, t->moment->methods, count * sizeof *methods);
    memcpy(bcis, t->moment->bcis, count * sizeof *bcis);
    return count;
}

#endif
