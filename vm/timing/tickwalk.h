// The stack of a thread that did not expect to be asked: interrupted by a signal, or at rest and free to continue at any
// moment. vm/api/stackwalk.h is for all other walks.
//
// Both functions read whatever is there. They check each pointer before they follow it as far as that is possible, and
// are bounded; what they cannot recognise ends the walk. If memory turns out not to exist, the fault leads back to the
// caller (vm/threads/ticks.h), who has called safepoint_begin_walk. Async-signal-safe; neither allocates nor locks.
#ifndef CABERNET_VM_TIMING_TICKWALK_H
#define CABERNET_VM_TIMING_TICKWALK_H

#include <ucontext.h>

#include "vm/api/timesample.h"
#include "vm/threads/thread.h"

// The calling thread, which the signal has interrupted in `context`: sets mode and frames.
void tickwalk_interrupted(const Thread *self, const ucontext_t *context, TimeSample *out);
// A thread in a safe state: adds its frames.
void tickwalk_at_rest(const Thread *t, TimeSample *out);
// Adds a pseudo-caller.
void tickwalk_pseudo(TimeSample *out, uint32_t caller);

#endif
