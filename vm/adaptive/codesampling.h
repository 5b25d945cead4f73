// Samples of optimised code, from which the adaptive system learns that a program has changed.
//
// At a low rate (-Xadaptive:rate) a timer requests a sample from each running thread. The thread's next yieldpoint in optimised
// code leaves the code, as a deoptimisation does. For some microseconds it executes template code, which counts, also in what it calls.
// At the first backedge after that it returns to optimised code. Optimised code contains nothing for samples, because it has the
// yieldpoints anyway. Their counts are separate from those that the plan has read (MethodCounts.recent). When the two differ, the code
// is compiled again by the recent ones.
//
// No samples are taken while a profile is on, whose cost and whose code would change; under -Xdeterministic; in a replay; and
// in forked processes.
#ifndef CABERNET_VM_CODESAMPLING_H
#define CABERNET_VM_CODESAMPLING_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

// Optimised code has been installed, so there is something to sample: starts the timer at the first call. Any thread; no lock
// that others hold for long.
void codesampling_start(void);

// A yieldpoint of optimised code has served POLL_SAMPLE. True: the thread leaves the code for a sample. Running thread; neither
// blocks nor allocates.
bool codesampling_begin(Thread *self);

// The thread has left `code` for a sample: its frames above `entry` are the interpreter's again, the innermost one is on top. Running
// thread; may make template code and request a compilation, but does not block.
void codesampling_left(Thread *self, const Code *code, Frame *top, const Frame *entry);

// Template code calls a method that has optimised code, while samples are taken. True: template code of the method is to be entered, which
// counts. Running thread; does not block.
bool codesampling_called(Thread *self, Method *m);

// The method's hotness has reached a step while code_sample is CODE_SAMPLE_RUNS. True: the thread stays in template code. False: the
// sample is over, and optimised code may be entered, but the step is no reason to request some.
bool codesampling_continues(Thread *self, Method *m);

typedef struct CodeSamplingStats {
    uint64_t samples;
    uint32_t recompiled;  // methods and loops whose counts had changed
} CodeSamplingStats;
CodeSamplingStats codesampling_stats(void);

#endif
