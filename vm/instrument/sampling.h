// Sampling: which events of an instrumented program are recorded (docs/PROFILING.md, "Sampling").
//
// A check happens at each entry of a method with loops or calls and at each backedge. With interval N, every N-th
// check of a thread starts a sample: its activation is recorded until it reaches its next backedge or returns
// (Frame.sampled). Callees have their own checks, except those that optimised code inlines: they are part of the
// activation, as in the paper. An activation that leaves its code remembers what is inlined there (Frame.inlined), so
// every event belongs to exactly one check. With COPIES_INLINE, compiled code records until the thread's next check.
//
// The counter has two levels. A check decrements `budget`, which is refilled to at most SAMPLE_STRIDE. When it is
// used up, sampling_next decides whether this check is a sample and grants the next part of the interval. So compiled
// code calls the VM often enough to serve stop requests, however long the interval is, and a stop never moves a
// sample. Counted loops, which test for stop requests themselves, move checks from `remaining` to the budget when it
// is too small for them (jit/emit/emit_loop.c).
//
// A thread's first sample is at a random distance, which is the same in each run for a thread of the same number, so
// that threads that make few checks are sampled too. The option phase= sets that distance instead.
//
// With the timer (SAMPLING_TIMER), threads count in full strides. When a sample is due, the timer withdraws the rest
// of each thread's budget, so that the next check is a slow one.
//
// The state belongs to its thread, except for the fields that the timer writes. Changes of the configuration reach
// the thread at its next slow check.
#ifndef CABERNET_VM_INSTRUMENT_SAMPLING_H
#define CABERNET_VM_INSTRUMENT_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/sampling.h"
#include "vm/api/thread.h"

// Replaces the configuration, which threads adopt at their next slow check. `paused`: checks continue, but none is a
// sample. Any thread. A change to or from SAMPLING_OFF requires that no thread runs code compiled for the other case.
void sampling_configure(const SamplingRequest *config, bool paused);
void sampling_config(SamplingRequest *out, bool *paused);
bool sampling_is_on(void);  // the mode is not SAMPLING_OFF
// Sampling is on with COPIES_EXITS, and checks are not those of single events (DUP_NO). So no compiled code is in a
// sample.
bool sampling_by_exits(void);

// Sets the thread's first budget and table, and begins its statistics.
void sampling_thread_start(Thread *self);

// The profile has ended: no thread samples, and the caller sets the table of each. World stopped.
void sampling_end(void);
void sampling_thread_end(Thread *t);

// SAMPLING_TIMER: the thread's next check begins a sample, or one after it that `skip` selects. Any thread; neither
// locks nor blocks.
void sampling_ask(Thread *t);

// The number of checks that the thread has made while sampling was not paused.
uint64_t sampling_checks(const Thread *t);

// A check whose budget is used up: true when it is a sample. Grants the next budget. On the thread itself; neither
// polls nor allocates.
bool sampling_next(Thread *self);

// The check of compiled code (runtime row `check`): serves stop requests, then does the same as sampling_next. Bit 0:
// a sample begins, continue in instrumented code. Bit 1: Thread.exception or Thread.deopt_pending must be tested.
// Also sets the thread's interpreter table, for methods that the code calls and for deoptimisation to the
// interpreter.
int32_t sample_check(Thread *self);

// The check before a single event (runtime row `probe`), where code cannot be left. Serves no stop request, because
// the notice that code must be left would then be lost. Bit 0 only. For an event outside any code that has its own
// checks, the caller first takes the check from the budget.
int32_t sample_probe(Thread *self);

// Makes a check where code is left for the interpreter, if no check has decided whether the interpreter samples.
void sampling_check(Thread *self);

// Called when compiled code calls an interpreted method. A check at the method's entry decides whether it samples.
// Where entries have none, it begins without a sample, as compiled methods do, because the thread's table still has
// the answer of the last slow check.
void sampling_enter_interpreter(Thread *self);

// The reverse: the interpreter has made a check where it enters code, and no check has decided whether that code
// samples. The code makes the check instead, at its next check, with the same answer.
void sampling_take_back(Thread *self);

// Switches the interpreter's recording of events; no-op while nothing is sampled. Used where control comes from
// compiled code, which knows in which of its versions it was.
void sampling_set_instrumented(Thread *self, bool on);

// Called around a fork; the caller holds the timer's lock in between. The child of a process with a timer starts its
// own.
void sampling_before_fork(void);
void sampling_after_fork_parent(void);
void sampling_after_fork_child(void);

#endif
