// Samples of optimised code, by which the adaptive system notices that a program has changed.
//
// At a low rate (-Xadaptive:rate) a timer requests a sample from each running thread. At its next yieldpoint in
// optimised code, the thread leaves the code, as in a deoptimisation. For some microseconds it executes template
// code, which counts, also in methods that it calls. At the first backedge after that it returns to optimised code.
// Optimised code contains nothing for samples, because it has the yieldpoints anyway. The samples' counts are
// separate from those that the plan has read (MethodCounts.recent). When the two differ, the code is compiled again
// by the recent counts.
//
// No samples are taken while a profile is on, because they would change its cost and its code; under -Xdeterministic;
// in a replay; and in forked processes.
#ifndef CABERNET_VM_ADAPTIVE_CODESAMPLING_H
#define CABERNET_VM_ADAPTIVE_CODESAMPLING_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

// Called when optimised code has been installed: the first call starts the timer. Any thread; takes no lock that
// others hold for long.
void codesampling_start(void);

// Called when a yieldpoint of optimised code has served POLL_SAMPLE. True: the thread leaves the code for a sample.
// Running thread; neither blocks nor allocates.
bool codesampling_begin(Thread *self);

// Called when the thread has left `code` for a sample: its frames above `entry` belong to the interpreter again, with
// the innermost on top. Running thread; may make template code and request a compilation, but does not block.
void codesampling_left(Thread *self, const Code *code, Frame *top, const Frame *entry);

// Called when template code calls a method that has optimised code, while samples are taken. True: the caller enters
// template code of the method, which counts. Running thread; does not block.
bool codesampling_called(Thread *self, Method *m);

// Called when the method's hotness has reached a step while code_sample is CODE_SAMPLE_RUNS. True: the thread stays
// in template code. False: the sample is over, and optimised code may be entered, but the step is no reason to
// request any.
bool codesampling_continues(Thread *self, Method *m);

typedef struct CodeSamplingStats {
    uint64_t samples;
    uint32_t recompiled;  // methods and loops whose counts had changed
} CodeSamplingStats;
CodeSamplingStats codesampling_stats(void);

#endif
