// Detects changes of the program's phase (change=fork): from time to time the world is stopped briefly to inspect the
// innermost calls of the running threads. The profiler finds phases in them (profiler/control/phases.h).
//
// The cost is bounded: no inspection begins until all previous ones together have taken less than 1/400 of the elapsed
// time, measured in processor time. When the processors are busy otherwise, there is no inspection unless busy=ignore
// is given.
#include "base/clock.h"
#include "vm/api/stackwalk.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/scope.h"
#include "vm/shadow/shadow_internal.h"

enum { LOOK_MS = 20, CALLS = 3, SHARE = 400 };

bool shadow_phase_changes(void) {
    int64_t begin = thread_now();
    uint32_t running = 0;
    if (begin - shadow.phase_ns < LOOK_MS * INT64_C(1000000)) return false;
    if (shadow.figures.looks_ns > (uint64_t)(begin - shadow.started_ns) / SHARE) return false;
    shadow.phase_ns = begin;
    int64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    safepoint_stop(NULL, "shadow");
    bool closing = atomic_load(&shadow.closing);
    for (Thread *t = closing ? NULL : threads.first; t; t = t->next) {
        if (t->service || atomic_load(&t->state) != THREAD_PAUSED) continue;
        StackWalk w;
        const Method *callee = NULL;
        stackwalk_begin(&w, t);
        for (int calls = 0; calls < CALLS && stackwalk_next(&w);) {
            if (!scope_visible(w.method)) continue;
            if (callee) profile_shadow_sink()->call(w.method->id, callee->id), calls++;
            callee = w.method;
        }
        running++;
    }
    safepoint_resume(NULL);
    shadow.figures.looks++;
    shadow.figures.looks_ns += (uint64_t)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - used);
    if (!running || !profile_shadow_sink()->phase()) return false;
    shadow.figures.changes++;
    return true;
}
