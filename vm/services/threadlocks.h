// Which locks a thread holds and which one it waits for: for thread dumps, ThreadMXBean and the
// search for deadlocks. Except for threadlocks_ownables, all are for a stopped world (or the
// caller's own thread) and neither allocate nor block.
#ifndef CABERNET_VM_THREADLOCKS_H
#define CABERNET_VM_THREADLOCKS_H

#include "vm/api/stackwalk.h"
#include "vm/threads/thread.h"

enum { THREADLOCKS_MAX = 16 };  // reported per frame

// Monitors that thread `t` took in the frame that the walk is at, the last one first; the count.
// With `waited_on` also the one that Object.wait has given up for the moment, as dumps show it.
int threadlocks_of_frame(const Thread *t, const StackWalk *w, bool waited_on,
                         Object *out[THREADLOCKS_MAX]);

// The thread with this Thread.id, NULL if there is none.
Thread *threadlocks_thread(uint32_t id);

// The lock that keeps `t` from running, and the thread that holds it: a monitor or, with
// `synchronizers`, an AbstractOwnableSynchronizer it is parked for. NULL: it waits for no thread.
Thread *threadlocks_waits_for(const Thread *t, bool synchronizers, Object **lock);
// The oldest member of a cycle of such waits? Each cycle has one.
bool threadlocks_leads_cycle(const Thread *t, bool synchronizers);

// All AbstractOwnableSynchronizers of the heap that have an owner, in an Object[] that ends with
// its length or with a null. Collects; NULL with an exception pending.
Object *threadlocks_ownables(Thread *self);
// The java.lang.Thread that owns `o`; NULL when it has none or is no such synchronizer.
Object *threadlocks_owner(const Object *o);

#endif
