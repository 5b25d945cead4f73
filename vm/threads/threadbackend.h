// The two thread backends, of which one is chosen at the start (-Xthreads), and the primitives that both use.
//
//   native   thread_native.c   one pthread for each Thread
//   green    thread_green.c    Threads share the pthreads that greensched.c lets run
//
// Code above this header does not know which backend is in use.
#ifndef CABERNET_VM_THREADS_THREADBACKEND_H
#define CABERNET_VM_THREADS_THREADBACKEND_H

#include <pthread.h>

#include "vm/threads/thread.h"

// States of Thread.event.
enum { EVENT_NONE, EVENT_WOKEN, EVENT_ASLEEP, EVENT_EXPIRED /* green: the deadline has passed */ };

typedef struct ThreadBackend {
    const char *name;
    bool green;
    // thread_block, thread_wake, thread_yield of vm/api/thread.h.
    bool (*block)(Thread *self, int64_t deadline);
    void (*wake)(Thread *t);
    void (*yield)(Thread *self);

    // Gives t its Java stack (java_size bytes), and a C stack of c_size bytes where the backend creates C stacks.
    // c_size 0: t will run on an existing pthread. False: memory is out.
    bool (*map_stacks)(Thread *t, size_t java_size, size_t c_size);
    void (*unmap_stacks)(Thread *t);
    // Binds t to the calling pthread: id, C stack bounds, thread_current(). Native state.
    bool (*adopt)(Thread *t);
    // Runs body(t) as a separate thread in native state; false when the system refuses. The Thread is not accessed
    // after body has returned.
    bool (*start)(Thread *t, void (*body)(Thread *t));
    // The end of a Thread, called by itself. abandon: running; thread_current() is NULL afterwards. gone: after the
    // Thread has left every list and may have been reused; gets abandon's result.
    struct Carrier *(*abandon)(Thread *self);
    void (*gone)(struct Carrier *carrier);  // NULL: nothing to do

    // Only where threads share pthreads: NULL in the native backend, which never sets the bits.
    // A yieldpoint with POLL_YIELD or POLL_COUNT set. [switch]
    void (*yieldpoint)(Thread *self);
    // POLL_CARRIER is set: waits for a processor. Safe state; may return on another pthread.
    void (*regain)(Thread *self);
    // The thread may now wait for arbitrarily long: gives up the processor at once. Blocked state.
    void (*hand_off)(Thread *self);
    // A stack for a function that needs much stack; NULL: the thread's own stack is large.
    void *(*large_stack)(Thread *self);

    void (*set_name)(const Thread *t, const char *utf8);
    uint64_t (*cpu_ns)(const Thread *t);
    // The system's number for the pthread that executes it; 0: none. List lock held.
    int (*os_id)(const Thread *t);
    int (*processor)(const Thread *t);  // thread_processor; NULL: threads have none
    // If t is inside a native call, sends the signal to its pthread; also ends a wait for a descriptor that replaces
    // such a call (vm/threads/green/greenpoll.h). List lock held.
    void (*signal_native)(Thread *t, int sig);

    // Around a fork (vm/boot/subsystems.def), world stopped; NULL: nothing to do.
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(Thread *self);  // self is the only thread; NULL: in a shadow, which adopts all threads
    // In a shadow: t continues (thread_adopt_all). False: the system refuses.
    bool (*continue_thread)(Thread *t);
} ThreadBackend;

extern const ThreadBackend thread_backend_native;  // vm/threads/native/thread_native.c
extern const ThreadBackend thread_backend_green;   // vm/threads/green/thread_green.c
// Chooses the backend; once, before thread_system_init. count_yieldpoints: every thread's poll word always requests
// `yieldpoint`.
void thread_use_backend(const ThreadBackend *backend, bool count_yieldpoints);

// Sleeps while *word == value, until backend_wake on it or the deadline. May return spuriously. Never changes a
// thread's state and does not depend on it.
void backend_wait(_Atomic uint32_t *word, uint32_t value, int64_t deadline);
void backend_wake(_Atomic uint32_t *word, int count);

// A barrier on all running processors: a store that another processor makes after the barrier comes after it has seen
// the caller's earlier stores, and vice versa. False: the kernel has no such barrier, and POLL_FENCE is needed.
bool backend_barrier_init(void);
void backend_barrier(void);

// For threads that the VM starts, in both modes: the size of their stacks, and their placement in the memory; `end` may
// be higher than that size requires.
size_t backend_stacks_size(size_t java_size, size_t c_size);
void backend_place_stacks(Thread *t, char *low, char *end, size_t java_size);

// For threads with their own pthread, in both modes. map_own: Java and signal stack for a pthread that exists already.
// adopt_own: C stack bounds, if not known yet, signal stack and thread_current().
bool backend_map_own(Thread *t, size_t java_size);
void backend_unmap_own(Thread *t);
void backend_adopt_own(Thread *t);
void backend_abandon_own(void);
void backend_name_own(const Thread *t, const char *utf8);
uint64_t backend_cpu_own(const Thread *t);

// Starts fn(arg) on a detached pthread that is not a thread of the VM and never runs Java. All signals except those of
// its own faults are blocked on it, so other threads receive the process's signals. False: the system refuses.
bool backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size);

// The signal stack of the calling pthread; NULL: none. No guard page protects its lower end.
enum { SIGNAL_STACK_SIZE = 32 * 1024 };
void backend_use_signal_stack(void *base);

enum { BACKEND_PAGE = 4096, BACKEND_C_STACK_RESERVE = 160 * 1024 };
static inline size_t backend_round_up(size_t size) { return (size + BACKEND_PAGE - 1) & ~(size_t)(BACKEND_PAGE - 1); }

// Locks a mutex whose holder prevents any stop from beginning: waits at a safepoint, and returns to the running state
// without checking the poll word.
void thread_lock_stopping(Thread *self, pthread_mutex_t *mutex);

// Continues a thread that was in thread_run_again on another pthread: calls that function again, on the thread's stack
// below the published part, and then returns to its caller. Takes the Thread. (safepoint.c)
_Noreturn void safepoint_continue(void *thread);
// The highest stack address available for that.
static inline void *backend_below_published(const Thread *t) {
    enum { RED_ZONE = 128 };
    return (void *)(((uintptr_t)t->published_sp - RED_ZONE) & ~(uintptr_t)15);
}
// Ends the calling pthread without unwinding: the frames below belong to the process that forked.
_Noreturn void backend_leave_pthread(void);
// Starts a pthread on which `t` continues (safepoint_continue). False: the system refuses.
bool backend_continue(Thread *t);

#endif
