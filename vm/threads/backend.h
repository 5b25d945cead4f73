// What lies under threads: the two backends, chosen once at the start (-Xthreads), and the few
// primitives that both stand on.
//
//   native   thread_native.c   one pthread for each Thread
//   green    thread_green.c    Threads share the pthreads that greensched.c lets run
//
// Above this header nothing knows which of them is in use.
#ifndef CABERNET_VM_BACKEND_H
#define CABERNET_VM_BACKEND_H

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

    // Gives t its Java stack (java_size bytes), and a C stack of c_size bytes where the backend
    // makes those itself; c_size 0: t will run on a pthread that exists. False: memory is out.
    bool (*map_stacks)(Thread *t, size_t java_size, size_t c_size);
    void (*unmap_stacks)(Thread *t);
    // Ties t to the calling pthread: id, C stack bounds, thread_current(). Native state.
    bool (*adopt)(Thread *t);
    // Runs body(t) as a thread of its own, native state; false when the system refuses. The Thread
    // is not touched any more after body has returned.
    bool (*start)(Thread *t, void (*body)(Thread *t));
    // The end of a Thread, by itself. abandon: running; thread_current() is NULL from here on. gone:
    // when the Thread is in no list any more and may be somebody else's; with abandon's result.
    void *(*abandon)(Thread *self);
    void (*gone)(void *token);

    // A yieldpoint with POLL_YIELD or POLL_COUNT set. [switch]
    void (*yieldpoint)(Thread *self);
    // POLL_CARRIER is set: waits for a processor. Safe state; may come back on another pthread.
    void (*regain)(Thread *self);
    // What follows may take arbitrarily long: lets others have the processor at once. Blocked state.
    void (*hand_off)(Thread *self);

    // Where a function that needs much stack can run; NULL: the thread's own is large.
    void *(*large_stack)(Thread *self);

    void (*set_name)(Thread *t, const char *utf8);
    uint64_t (*cpu_ns)(const Thread *t);
    // Sends the signal to the pthread that t is inside a native call on, if it is; what waits in its
    // place (vm/threads/green/greenpoll.h) ends. List lock held.
    void (*signal_native)(Thread *t, int sig);

    // Around a fork (vm/boot/subsystems.def), world stopped; NULL: nothing is to be done.
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(Thread *self);  // self is the only thread there is; NULL: a shadow, which adopts all
    // In a shadow: t goes on (thread_adopt_all). False: the system refuses.
    bool (*go_on)(Thread *t);
} ThreadBackend;

extern const ThreadBackend thread_backend_native;  // vm/threads/native/thread_native.c
extern const ThreadBackend thread_backend_green;   // vm/threads/green/thread_green.c
// Chooses the backend; once, before thread_system_init. count_yieldpoints: every thread's poll word asks for
// `yieldpoint` all the time.
void thread_use_backend(const ThreadBackend *backend, bool count_yieldpoints);

// Sleeps while *word == value, until backend_wake on it or the deadline. Spurious returns happen.
// Never changes a thread's state; does not need one.
void backend_wait(_Atomic uint32_t *word, uint32_t value, int64_t deadline);
void backend_wake(_Atomic uint32_t *word, int count);

// After it, whatever another running processor stores later than the caller's earlier stores, it
// has seen those (and the other way round). False: the kernel cannot, POLL_FENCE is needed.
bool backend_barrier_init(void);
void backend_barrier(void);

// For threads that the VM starts, in both modes: how much memory their stacks want, and where they are in it; `end` may
// be higher than that.
size_t backend_stacks_size(size_t java_size, size_t c_size);
void backend_place_stacks(Thread *t, char *low, char *end, size_t java_size);

// For threads that run on a pthread of their own, in both modes. Java and signal stack of one that exists already.
// Adopting it: C stack bounds, where they are not known yet, signal stack and thread_current().
bool backend_map_own(Thread *t, size_t java_size);
void backend_unmap_own(Thread *t);
void backend_adopt_own(Thread *t);
void backend_abandon_own(void);
void backend_name_own(const Thread *t, const char *utf8);
uint64_t backend_cpu_own(const Thread *t);

// Starts fn(arg) on a detached pthread of the VM's own, which is no thread of the VM's: it never runs Java.
// The process's signals go to others: all but those of its own faults are blocked on it. False: the
// system refuses.
bool backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size);

// The signal stack of the calling pthread. Nothing protects what lies below it.
enum { SIGNAL_STACK_SIZE = 32 * 1024 };
void backend_use_signal_stack(void *base);
void backend_drop_signal_stack(void);

enum { BACKEND_PAGE = 4096, BACKEND_C_STACK_RESERVE = 160 * 1024 };
static inline size_t backend_round_up(size_t size) {
    return (size + BACKEND_PAGE - 1) & ~(size_t)(BACKEND_PAGE - 1);
}

// Locks one of the mutexes whose holder keeps any stop from beginning: waits at a safepoint, and is
// running again without a look at the poll word.
void thread_lock_stopping(Thread *self, pthread_mutex_t *mutex);

// What a thread that stood in thread_run_again does on another pthread: that function again, on its own stack below what it
// has published, and then its caller goes on. Takes the Thread. (safepoint.c)
_Noreturn void safepoint_go_on(void *thread);
// The highest address that it may use for that.
static inline void *backend_below_published(const Thread *t) {
    enum { RED_ZONE = 128 };
    return (void *)(((uintptr_t)t->published_sp - RED_ZONE) & ~(uintptr_t)15);
}
// The calling pthread ends, and nothing of it is needed any more: the frames below are those of a process that was forked.
_Noreturn void backend_leave_pthread(void);
// Starts a pthread on which `t` goes on (safepoint_go_on). False: the system refuses.
bool backend_go_on(Thread *t);

// Requests by others, under the list lock, or by the thread itself: sets the bit and the STOP table. (safepoint.c)
void safepoint_request(Thread *t, uint32_t bit);

#endif
