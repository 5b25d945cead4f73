// Sampling: which events of an instrumented program are recorded (docs/PROFILING.md, "Sampling").
//
// A check happens at each entry of a method with loops or calls and at each backedge. With interval N every N-th check of a thread
// starts a sample: its activation is recorded until it comes to its next backedge or returns (Frame.sampled). Callees have
// checks of their own; with COPIES_INLINE compiled code records until the thread's next check.
// The counter has two levels. A check takes one off `budget`, which never holds more than
// SAMPLE_STRIDE; when it is used up, sampling_next decides whether this check is a sample and hands
// out the next part of the interval. So compiled code comes by often enough to serve stop requests,
// however long the interval is, and a stop never moves a sample. Counted loops, which look at stop requests
// by themselves, move checks from `remaining` to the budget when it is too small for them (jit/emit/emit_loop.c).
//
// A thread's first sample is at a random distance, the same one in each run for a thread of the same number, so that
// threads that make few checks are sampled too; the option phase= says the distance instead.
//
// The timer (SAMPLING_TIMER) lets threads count with full strides. When a sample is due it withdraws what is left of each thread's
// budget, so that the next check looks.
//
// The state belongs to its thread, but for what the timer writes; changes of the configuration reach it at its next slow check.
#ifndef CABERNET_VM_SAMPLING_H
#define CABERNET_VM_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/sampling.h"
#include "vm/api/thread.h"

// Replaces the configuration; threads take it over at their next slow check. `paused`: checks go on, but
// none is a sample. Any thread. Between SAMPLING_OFF and the others only while no thread runs code
// compiled for the other one.
void sampling_configure(const SamplingRequest *config, bool paused);
void sampling_config(SamplingRequest *out, bool *paused);
bool sampling_is_on(void);  // the mode is not SAMPLING_OFF
bool sampling_by_exits(void);  // the same, with COPIES_EXITS, and checks are not those of single events (DUP_NO): no compiled code is in a sample

// The thread's first budget and table.
void sampling_thread_start(Thread *self);

// SAMPLING_TIMER: the thread's next check begins a sample, or one of those that `skip` lets pass behind it. Any thread; neither locks
// nor blocks.
void sampling_ask(Thread *t);

// Checks made so far.
uint64_t sampling_checks(const Thread *t);

// A check whose budget is used up: true when it is a sample. Hands out the next budget. On the thread
// itself; neither polls nor allocates.
bool sampling_next(Thread *self);

// What compiled code calls instead (runtime row `check`): serves stop requests, then as sampling_next.
// Bit 0: a sample begins, continue in instrumented code. Bit 1: Thread.exception or Thread.deopt_pending must be tested.
// Also sets the thread's interpreter table, for the methods that it calls and for the exit to the interpreter.
int32_t sample_check(Thread *self);

// The same in front of a single event (runtime row `probe`), where code cannot be left: serves no stop request, for
// with it the notice that code must be left would be gone. Bit 0 only.
int32_t sample_probe(Thread *self);

// The same for an event outside of any code that has a check of its own, which it makes.
bool sampling_event(Thread *self);

// A check where code is left for the interpreter of which no check has said whether it samples.
void sampling_check(Thread *self);

// Compiled code calls an interpreted method. A check at its entry will say whether it samples; where entries have none, it
// begins without a sample, as compiled methods do: what the thread's table says is the last slow check's answer.
void sampling_enter_interpreter(Thread *self);

// The other way round: the interpreter has made a check where it goes over to code of which no check has said
// whether it samples. That code makes the check instead, where its next one stands, with the same answer.
void sampling_take_back(Thread *self);

// Makes the interpreter record events from here on, or not; no-op while nothing is sampled. Used
// where control comes from compiled code, which knows in which of its versions it was.
void sampling_set_instrumented(Thread *self, bool on);

// Around a fork: the timer's lock is the caller's. The child of a process that has a timer starts its own.
void sampling_before_fork(void);
void sampling_after_fork_parent(void);
void sampling_after_fork_child(void);

#endif
