// Counters of allocations in template code, for exact profiles that only count them: each place that was translated has
// two, at the same distance from every Thread, as optimised code has (vm/code/codecounters.h): of objects, and of the
// bytes of arrays. A place that is translated again gets new ones. They stay until the profile ends.
#ifndef CABERNET_VM_CODE_PLACECOUNTERS_H
#define CABERNET_VM_CODE_PLACECOUNTERS_H

#include "vm/api/profiler.h"
#include "vm/model/class.h"
#include "vm/threads/thread.h"

// The distance of the two counters for allocations of the class by the instruction at bci, 8 bytes apart. 0: the
// allocations must be reported, because the profile does not count them or because there is no counter left. Takes a
// lock briefly.
uint32_t placecounters_take(const Method *m, int32_t bci, const Class *cls);

// Passes the counts of the thread to fn. Any thread while t is stopped or is the caller; in a snapshot, t may run.
void placecounters_read(const Thread *t, CountedFn *fn, void *arg);
// The same for the caller, which ends, and resets its counters.
void placecounters_hand_in(Thread *self);
// The profile has ended: resets the counters of all threads and forgets the places. World stopped.
void placecounters_forget(void);

void placecounters_before_fork(void);
void placecounters_after_fork(void);

#endif
