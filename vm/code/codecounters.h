// The counters of code in exact profiles (vm/api/compiler.h, "Counters"): their memory, and the events derived from
// them.
//
// Each thread has its own counters, after its Thread (vm/threads/thread.h). No other thread writes them while it
// runs. They are read when their thread is stopped at a safepoint or is the caller; a snapshot for the compiler reads
// them while they change.
#ifndef CABERNET_VM_CODE_CODECOUNTERS_H
#define CABERNET_VM_CODE_CODECOUNTERS_H

#include "vm/api/compiler.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"

// Calls fn for each event that code of the thread has counted and not yet handed in, several times for one event if
// several codes count it. Allocates with malloc; if memory runs out, the profile reports that counts are missing.
void counters_read(Thread *t, CountersState state, CountedFn *fn, void *arg);

// Hands the caller's counts to its profile and resets them. The caller is running and has no compiled frame.
void counters_hand_in(Thread *self);

// The profile has ended: nothing is read from present code any more. The world is stopped, and present code is invalid.
void counters_forget(void);

// Takes registered code that no thread executes any more, and hands in what all threads have counted there. The world
// is stopped.
void counters_retire(const Code *code);
// Frees the counters of such code, or of code that was never installed.
void counters_give(const Code *code);

// Around a fork, in the parent and in the child: hold the lock that a compile thread may hold.
void counters_before_fork(void);
void counters_after_fork(void);

#endif
