// The functions of the analysis `counters` that the VM calls. Its lock is taken last.
#ifndef CABERNET_PROFILER_ANALYSES_SYSTEMCOUNTERS_H
#define CABERNET_PROFILER_ANALYSES_SYSTEMCOUNTERS_H

#include "vm/api/profiler.h"

// ProfilerInterface.counter.
void systemcounters_put(EventThread *events, enum CounterId id, const CounterReading *since, int error);

// Around a fork, in the parent and in the child.
void systemcounters_before_fork(void);
void systemcounters_after_fork(void);

#endif
