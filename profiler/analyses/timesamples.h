// The state of the analyses `cpu`, `wall` and `counters`, and the ring through which samples of time
// (vm/api/timesample.h) reach it.
//
// Samples arrive in signal handlers, so all threads write the ring without a lock. A thread of the profiler moves
// samples from the ring into the states, under a lock; the functions that read or free a state do the same first. A
// sample for which the ring has no room is lost. In a copy of the process (a crash), samples in the ring are lost as
// well.
#ifndef CABERNET_PROFILER_ANALYSES_TIMESAMPLES_H
#define CABERNET_PROFILER_ANALYSES_TIMESAMPLES_H

#include "profiler/analyses/analysis.h"

// Puts the sample into the ring. Async-signal-safe. No-op if the thread has no state for the clock.
void timesamples_put(EventThread *t, TimeClock clock, const TimeSample *sample);

// Of Analysis, for both analyses. A state is small until its first sample.
bool timesamples_begin(const AnalysisBegin *b, char *error, size_t error_size);
void timesamples_end(void);
void *timesamples_thread_new(AnalysisSettings *settings);
void timesamples_thread_free(void *state);
void timesamples_collect(const void *state, Table *out, uint64_t *lost);
// The same for `counters`, whose samples are counted by place alone. The rows have the section `first` + CounterId,
// then method and bytecode index.
void *timesamples_counters_new(AnalysisSettings *settings);
void timesamples_counters_collect(void *state, uint32_t first, Table *out, uint64_t *lost);
// Shown as two tables: the tree of stacks under the analysis's own name, and `lines`, what was executed where.
bool timesamples_section(uint32_t number, const char *name, const char *lines, Analysis *out);

// The collected rows whose first key is TIMESAMPLES_TIMES are shown in no table. Their other keys are the slot of time
// (timeslots.h) and the number of a node of the tree.
enum { TIMESAMPLES_TIMES = 3 };
// Slots are 1 << this times TIMESLOTS_NS long. It may grow while the profile records.
uint32_t timesamples_shift(void);

// Samples since the profile began, in ticks.
uint64_t timesamples_count(void);
// For the header: samples whose stack could not be read, and those of very deep stacks, in ticks.
uint64_t timesamples_unwalked(void);
uint64_t timesamples_truncated(void);

// Around a fork, in the parent and in the child.
void timesamples_before_fork(void);
void timesamples_after_fork(void);

#endif
