// Locks with conditions. See vm/threads/lock.h.
//
// Entering: the thread that finds owner 0 and changes it has the lock (barging). Others queue, and an exit wakes the
// first in the queue, which tries again. While a woken thread has not tried yet (`successor`), exits wake no other. A
// thread that has lost the race for too long marks itself starved, and the next exit hands the lock over. A queued node
// keeps the lock in use: its thread is in lock_enter or lock_wait. Exit stores the owner before it reads the queue and
// the successor. An entering thread queues itself, and a woken one clears the successor, before it reads the owner. So
// one of the two always acts.
//
// Waiting: a notified node moves from the wait list to the entry queue. Its thread is not woken, because it would only
// find the lock taken. `guard` protects both lists; its holder neither sleeps nor reaches a safepoint. Wakes happen
// under the guard, and a woken thread passes through the guard before it can end.
#include "vm/threads/lock.h"

#include <sched.h>

#include "base/invariant.h"
#include "arch_pause.h"
#include "vm/threads/park.h"

enum { SPINS = 60, GUARD_SPINS = 100, STARVED_AFTER = 2 };
static const int64_t starved_after_ns = 5000000;

struct WaitNode {
    WaitNode *next, *prev;
    Thread *thread;
    enum { OUTSIDE, ENTERING, WAITING } where;
    bool notified;
    bool granted;  // owner is this thread already
    bool starved;
    bool java;      // status is set in the Java thread
    int64_t since;  // time of the first lost race
    int losses;
};

static void guard_enter(Lock *lock) {
    for (int i = 0;; i++) {
        uint32_t open = 0;
        if (atomic_compare_exchange_weak(&lock->guard, &open, 1)) return;
        if (i < GUARD_SPINS) arch_pause();
        else sched_yield();
    }
}

static void guard_leave(Lock *lock) {
    ASSERT(atomic_load(&lock->guard) == 1, "the guard of lock %p is open", (void *)lock);
    atomic_store(&lock->guard, 0);
}

// ---- lists, under the guard ----------------------------------------------------------------

static void entry_append(Lock *lock, WaitNode *node) {
    ASSERT(node->where == OUTSIDE, "thread %u is queued", node->thread->id);
    node->where = ENTERING;
    node->next = NULL;
    node->prev = lock->entry_tail;
    if (lock->entry_tail) lock->entry_tail->next = node;
    else atomic_store(&lock->entry, node);
    lock->entry_tail = node;
}

static void entry_remove(Lock *lock, WaitNode *node) {
    ASSERT(node->where == ENTERING, "thread %u is not queued", node->thread->id);
    if (node->starved) atomic_fetch_sub(&lock->starved, 1);
    node->starved = false;
    if (node->prev) node->prev->next = node->next;
    else atomic_store(&lock->entry, node->next);
    if (node->next) node->next->prev = node->prev;
    else lock->entry_tail = node->prev;
    node->where = OUTSIDE;
}

static void wait_remove(Lock *lock, WaitNode *node) {
    ASSERT(node->where == WAITING, "thread %u is not waiting", node->thread->id);
    if (node->prev) node->prev->next = node->next;
    else lock->wait = node->next;
    if (node->next) node->next->prev = node->prev;
    else lock->wait_tail = node->prev;
    node->where = OUTSIDE;
}

// ---- entering and leaving ------------------------------------------------------------------

static bool try_own(Thread *self, Lock *lock) {
    uint32_t nobody = 0;
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(&lock->owner, &nobody, self->id);
}

bool lock_try_enter(Thread *self, Lock *lock) {
    ASSERT(thread_is_running(self), "thread %u enters a lock in state %u", self->id, atomic_load(&self->state));
    if (try_own(self, lock)) return true;
    if (!lock_held(self, lock)) return false;
    lock->recursion++;
    return true;
}

// After a lost race, with the node in the entry queue. Green threads count lost races: a switch is cheap, and the clock
// must not decide which thread is next.
static void judge_patience(Lock *lock, WaitNode *node) {
    if (node->starved) return;
    if (thread_is_green()) {
        if (++node->losses < STARVED_AFTER) return;
    } else {
        int64_t now = thread_now();
        if (node->since == 0) node->since = now;
        if (now - node->since < starved_after_ns) return;
    }
    guard_enter(lock);
    if (node->where == ENTERING) {
        node->starved = true;
        atomic_fetch_add(&lock->starved, 1);
    }
    guard_leave(lock);
}

// With the node in the entry queue. Returns as owner, with the node removed. Clearing the successor when it is another
// thread costs at most one unnecessary wake.
static void enter_queued(Thread *self, Lock *lock, WaitNode *node) {
    for (;;) {
        atomic_store(&lock->successor, 0);
        if (try_own(self, lock)) break;
        if (lock_held(self, lock)) {  // handed over, and dequeued by the releasing thread
            guard_enter(lock);
            guard_leave(lock);
            ASSERT(node->granted, "thread %u owns a lock that nobody gave it", self->id);
            return;
        }
        thread_block(self, THREAD_FOREVER);
        judge_patience(lock, node);
    }
    guard_enter(lock);
    entry_remove(lock, node);
    atomic_store(&lock->successor, 0);
    guard_leave(lock);
}

void lock_enter(Thread *self, Lock *lock) {
    if (lock_try_enter(self, lock)) return;
    for (int i = 0; threads.may_spin && i < SPINS; i++) {
        arch_pause();
        if (try_own(self, lock)) return;
    }
    WaitNode node = {.thread = self};
    guard_enter(lock);
    entry_append(lock, &node);
    guard_leave(lock);
    enter_queued(self, lock, &node);
    ASSERT(lock_held(self, lock) && lock->recursion == 0, "thread %u has entered a lock of %u", self->id, lock->owner);
}

// Hands over to the first starved thread in the queue. False: there is none.
static bool hand_over(Lock *lock) {
    guard_enter(lock);
    WaitNode *node = atomic_load(&lock->entry);
    while (node && !node->starved) node = node->next;
    if (node) {
        entry_remove(lock, node);
        atomic_store(&lock->successor, 0);
        ASSERT(!node->granted && node->thread->id, "thread %u gets the lock twice", node->thread->id);
        node->granted = true;
        atomic_store(&lock->owner, node->thread->id);
        thread_wake(node->thread);
    }
    guard_leave(lock);
    return node != NULL;
}

static void release(Lock *lock) {
    ASSERT(lock->recursion == 0, "a lock entered %u times more is released", lock->recursion);
    if (atomic_load_explicit(&lock->starved, memory_order_relaxed) && hand_over(lock)) return;
    atomic_store(&lock->owner, 0);
    if (atomic_load(&lock->entry) && !atomic_load(&lock->successor)) {
        guard_enter(lock);
        WaitNode *node = atomic_load(&lock->entry);
        if (node) {
            atomic_store(&lock->successor, 1);
            thread_wake(node->thread);
        }
        guard_leave(lock);
    }
}

void lock_exit(Thread *self, Lock *lock) {
    ASSERT(lock_held(self, lock), "thread %u does not hold the lock, %u does", self->id, lock->owner);
    (void)self;
    if (lock->recursion > 0) lock->recursion--;
    else release(lock);
}

// ---- waiting -------------------------------------------------------------------------------

static LockWait wait_for_notify(Thread *self, Lock *lock, WaitNode *node, int64_t deadline, bool interruptible) {
    for (;;) {
        guard_enter(lock);
        bool waiting = node->where == WAITING;
        guard_leave(lock);
        if (!waiting) return LOCK_NOTIFIED;
        if (interruptible && (thread_interrupted(self, false) || thread_async_pending(self))) return LOCK_INTERRUPTED;
        if (deadline != THREAD_FOREVER && thread_now() >= deadline) return LOCK_TIMEOUT;
        thread_block(self, deadline);
    }
}

LockWait lock_wait(Thread *self, Lock *lock, int64_t deadline, bool interruptible) {
    ASSERT(lock_held(self, lock), "thread %u does not hold the lock, %u does", self->id, lock->owner);
    WaitNode node = {.thread = self, .java = interruptible};
    uint32_t recursion = lock->recursion;
    guard_enter(lock);
    ASSERT(node.where == OUTSIDE, "thread %u is queued", node.thread->id);
    node.where = WAITING;
    node.next = NULL;
    node.prev = lock->wait_tail;
    if (lock->wait_tail) lock->wait_tail->next = &node;
    else lock->wait = &node;
    lock->wait_tail = &node;
    guard_leave(lock);
    lock->recursion = 0;
    release(lock);
    LockWait why = wait_for_notify(self, lock, &node, deadline, interruptible);
    guard_enter(lock);
    if (node.where == WAITING) {
        wait_remove(lock, &node);
        entry_append(lock, &node);
    }
    guard_leave(lock);
    enter_queued(self, lock, &node);
    ASSERT(lock_held(self, lock) && node.where == OUTSIDE, "thread %u comes back from a wait without the lock",
           self->id);
    lock->recursion = recursion;
    return node.notified ? LOCK_NOTIFIED : why;
}

void lock_notify(Thread *self, Lock *lock, bool all) {
    ASSERT(lock_held(self, lock), "thread %u does not hold the lock, %u does", self->id, lock->owner);
    (void)self;
    guard_enter(lock);
    for (WaitNode *node; (node = lock->wait) != NULL;) {
        wait_remove(lock, node);
        node->notified = true;
        entry_append(lock, node);
        if (node->java) thread_set_status(node->thread, STATUS_BLOCKED);
        if (!all) break;
    }
    guard_leave(lock);
}

bool lock_idle(const Lock *lock) { return atomic_load(&lock->owner) == 0 && !atomic_load(&lock->entry) && !lock->wait; }
