// The counters of code in exact profiles (vm/api/compiler.h, "Counters"): their memory, and events out of them.
//
// Each thread has its own, behind its Thread (vm/threads/thread.h): nobody else writes them. They are read when
// their thread stands still at a safepoint, or is the caller; a snapshot for the compiler reads them as they are.
#ifndef CABERNET_VM_CODE_COUNTERS_H
#define CABERNET_VM_CODE_COUNTERS_H

#include "vm/api/compiler.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"

// What code of the thread has counted and not handed in yet: fn for each of its events, several times for one event if
// several codes have it. Allocates with malloc; that something is left out for want of memory the profile says.
void counters_read(Thread *t, CountersState state, CountedFn *fn, void *arg);

// Hands what the caller has counted to its profile and begins anew. It has no compiled frame. Running.
void counters_hand_in(Thread *self);

// Code of the registry that no thread executes any more: hands in what all threads have counted there. The world is stopped.
void counters_retire(const Code *code);
// The counters of such code, or of code that was never installed, are free.
void counters_give(const Code *code);

// Around a fork, in the parent and in the child: the lock that a compile thread may hold.
void counters_before_fork(void);
void counters_after_fork(void);

#endif
