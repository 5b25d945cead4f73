// The locks that a thread holds and the one it waits for: for thread dumps, ThreadMXBean and the search for deadlocks.
// Except for threadlocks_ownables, all functions require a stopped world (or are for the calling thread itself), and
// neither allocate nor block.
#ifndef CABERNET_VM_SERVICES_THREADLOCKS_H
#define CABERNET_VM_SERVICES_THREADLOCKS_H

#include "vm/api/stackwalk.h"
#include "vm/threads/thread.h"

enum { THREADLOCKS_MAX = 16 };  // reported for a frame

// Returns the number of monitors that thread `t` entered in the current frame of the walk, last entered first. With
// `waited_on` also the one that Object.wait has released temporarily, as shown in dumps.
int threadlocks_of_frame(const Thread *t, const StackWalk *w, bool waited_on, Object *out[THREADLOCKS_MAX]);

// The thread with this Thread.id; NULL: none.
Thread *threadlocks_thread(uint32_t id);

// The lock that blocks `t`, and the thread that holds it: a monitor or, with `synchronizers`, an
// AbstractOwnableSynchronizer that it is parked for. NULL: it does not wait for a thread.
Thread *threadlocks_waits_for(const Thread *t, bool synchronizers, Object **lock);
// Is it the oldest member of a cycle of such waits? Each cycle has one.
bool threadlocks_leads_cycle(const Thread *t, bool synchronizers);

// All AbstractOwnableSynchronizers of the heap that have an owner, in an Object[] whose elements end at its length or
// at a null. Collects; NULL with an exception pending.
Object *threadlocks_ownables(Thread *self);
// The java.lang.Thread that owns `o`; NULL: no owner, or not such a synchronizer.
Object *threadlocks_owner(const Object *o);

#endif
