// Samples of time: at each tick of a clock, a thread's stack goes to the profile (vm/api/timesample.h).
//
// Processor time: each pthread has a timer (ticktimer.h), whose signal interrupts it wherever it is. The kernel checks
// these timers at its own ticks; a signal stands for all ticks since the last one. Time of day: a thread of the
// profiler looks at all Java threads in each period. Those at rest are walked from outside, and the others get a
// signal. So a sleeping thread is not disturbed.
#ifndef CABERNET_VM_TIMING_TICK_H
#define CABERNET_VM_TIMING_TICK_H

#include "vm/api/profiler.h"
#include "vm/threads/thread.h"

// Begins to sample the clocks with a rate in `needs` for the profile of the kind. No other profile samples time until
// tick_end. Any thread, also before there are any; takes locks briefly.
void tick_sample(ProfileKind kind, const ProfileNeeds *needs);
// Takes no samples from now on. One that is being taken on another thread still arrives.
void tick_stop(void);
// The profile has ended: stops, waits for samples that are being taken, and ends the records of threads that have no
// other. Any thread, not in a handler.
void tick_end(void);
// Hands the present figures of the counters in (ProfilerInterface.counter). World stopped; or `crashed`: in a copy of
// the crashed process.
void tick_read_counters(bool crashed);
// Called by a pthread of the VM at its start and end.
void tick_pthread_begins(void);
void tick_pthread_ends(void);
// For the end of the calling thread: takes its record of the profile of the kind, and returns it once no other thread
// uses it; NULL: there is none. If that profile samples time, hands the counters in first, and adds a sample, without a
// stack, of the processor time since the last tick.
EventThread *tick_take_record(Thread *self, ProfileKind kind);

#endif
