// Java monitors and identity hashes: the meaning of the 32-bit lock word of an object.
//
//   bits 1..0  meaning     bits 31..2
//   0          neutral     identity hash, 30 bits, 0: none yet
//   1          thin lock   bits 21..2 Thread.id of the owner, bits 31..22 entries beyond the first
//   2          inflated    index of a Monitor, which holds the hash as well
//
// The word changes only by compare-and-swap, because any thread may inflate a lock on its owner's behalf. A Monitor
// returns to the pool only while the world is stopped: when its object is dead, or when it is idle, in which case the
// hash moves back into the word. A running thread that has read an index may therefore use the Monitor until its next
// safepoint; beyond that the thread must be queued in it or own it. A Monitor does not keep its object alive.
#ifndef CABERNET_VM_THREADS_MONITOR_H
#define CABERNET_VM_THREADS_MONITOR_H

#include "vm/threads/lock.h"
#include "vm/threads/threadevents.h"
#include "vm/model/object.h"

enum {
    LOCKWORD_TAG_MASK = 3,
    LOCKWORD_NEUTRAL = 0,
    LOCKWORD_THIN = 1,
    LOCKWORD_INFLATED = 2,
    LOCKWORD_SHIFT = 2,
    LOCKWORD_OWNER_BITS = 20,
    LOCKWORD_RECURSION_SHIFT = 22,
    LOCKWORD_RECURSION_MAX = 1023,
};
#define LOCKWORD_RECURSION_ONE (UINT32_C(1) << LOCKWORD_RECURSION_SHIFT)

// Slow paths. Enter fails only when there is no memory for a Monitor: OutOfMemoryError pending.
bool monitor_enter_slow(Thread *self, Object *o);
bool monitor_exit_slow(Thread *self, Object *o);

// Fast paths: enter an unlocked object without a hash; exit an object that this thread has locked once.
static inline bool monitor_enter_fast(Thread *self, Object *o) {
    uint32_t word = atomic_load_explicit(&o->lock, memory_order_relaxed);
    return __builtin_expect(word == 0, 1) &&
        __builtin_expect(atomic_compare_exchange_strong_explicit(&o->lock, &word, self->thin_lock, memory_order_acquire,
                                                                 memory_order_relaxed),
                         1);
}
static inline bool monitor_exit_fast(Thread *self, Object *o) {
    uint32_t word = atomic_load_explicit(&o->lock, memory_order_relaxed);
    return __builtin_expect(word == self->thin_lock, 1) &&
        __builtin_expect(
               atomic_compare_exchange_strong_explicit(&o->lock, &word, 0, memory_order_release, memory_order_relaxed),
               1);
}

// Entering and exiting without reporting events.
static inline bool monitor_enter_quietly(Thread *self, Object *o) {
    return monitor_enter_fast(self, o) || monitor_enter_slow(self, o);
}
static inline bool monitor_exit_quietly(Thread *self, Object *o) {
    return monitor_exit_fast(self, o) || monitor_exit_slow(self, o);
}

// Entering and exiting with a listener attached. Timing every holding would cost more than most holdings take. Timed
// are holdings that a thread waited for, the first after each wait of a thread, all holdings of a thread that enters
// monitors less often than once in 100 microseconds, and one in 4, 16 ... 1024 of a thread that enters them more often
// (stamp_period). Compiled code decrements Thread.lock_timer itself. It calls these when lock_timer has reached 0, and
// for exits while Thread.timed_locks is not 0.
bool monitor_enter_reporting(Thread *self, Object *o);
bool monitor_exit_reporting(Thread *self, Object *o);

// monitorenter (JVMS 6.5); o is not null. [switch] when contended. False: exception pending.
static inline bool monitor_enter(Thread *self, Object *o) {
    if (__builtin_expect(thread_listener() != NULL, 0)) return monitor_enter_reporting(self, o);
    return monitor_enter_quietly(self, o);
}

// monitorexit. False with IllegalMonitorStateException pending when the caller is not the owner.
static inline bool monitor_exit(Thread *self, Object *o) {
    if (__builtin_expect(thread_listener() != NULL, 0)) return monitor_exit_reporting(self, o);
    return monitor_exit_quietly(self, o);
}

// Object.wait. millis 0 and nanos 0: no limit. False: InterruptedException, IllegalArgumentException ("timeout value is
// negative") or IllegalMonitorStateException ("current thread is not owner"). [switch]
bool monitor_wait(Thread *self, Object *o, int64_t millis, int32_t nanos);
bool monitor_notify(Thread *self, Object *o, bool all);
bool monitor_holds(const Thread *self, const Object *o);
// Id of the owning thread, 0 when free. Only a snapshot unless the world is stopped.
uint32_t monitor_owner(const Object *o);
// 1 ... 2^30 - 1, constant for the object. Does not throw: without memory for a Monitor it yields until the object is
// unlocked or memory is available. [switch] in that case only.
uint32_t monitor_hash(Thread *self, Object *o);

// ---- collection ----------------------------------------------------------------------------

// World stopped, end of marking: frees the monitors of dead objects and deflates idle ones. `is_marked` is
// heap_is_marked.
void monitor_clear_weak(bool (*is_marked)(const void *));
uint32_t monitor_count(void);  // in use

#endif
