// Locks with conditions for VM structures, and the core of Java monitors. A waiting thread is at a safepoint, so any
// lock that may be held while allocating, calling Java or blocking must be one of these, not a pthread mutex. Locks are
// recursive. Zero-initialised memory is a free lock, and a lock needs no destruction.
//
// Rule for pthread mutexes in the VM: a running thread may take one only if no holder ever reaches a safepoint while
// holding it.
#ifndef CABERNET_VM_THREADS_LOCK_H
#define CABERNET_VM_THREADS_LOCK_H

#include "vm/threads/thread.h"

typedef struct Lock {
    _Atomic uint32_t owner;      // Thread.id, 0 when free
    uint32_t recursion;          // owner's further entries
    _Atomic uint32_t guard;      // spin lock of the queues, never held across a safepoint
    _Atomic uint32_t successor;  // the first in the queue has been woken and has not tried yet
    _Atomic uint32_t starved;    // queued nodes that want the lock handed over
    _Atomic(WaitNode *) entry;   // first in the queue to enter
    WaitNode *entry_tail;
    WaitNode *wait, *wait_tail;
} Lock;

typedef enum LockWait { LOCK_NOTIFIED, LOCK_TIMEOUT, LOCK_INTERRUPTED } LockWait;

void lock_enter(Thread *self, Lock *lock);      // [switch]
bool lock_try_enter(Thread *self, Lock *lock);  // never blocks
void lock_exit(Thread *self, Lock *lock);       // caller owns it
// [switch] Releases the lock entirely, waits for a notification or the deadline, and acquires it again with the same
// recursion count. Does not return spuriously. With `interruptible`, ends early when the Java thread's `interrupted`
// field is set (and leaves it set) or Thread.stop has hit it.
LockWait lock_wait(Thread *self, Lock *lock, int64_t deadline, bool interruptible);
void lock_notify(Thread *self, Lock *lock, bool all);
static inline bool lock_held(const Thread *self, const Lock *lock) {
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == self->id;
}
// Free, with no thread queued or waiting. World stopped, or under a lock that keeps other threads away.
bool lock_idle(const Lock *lock);

#endif
