// The thread interface: everything above it (monitors, wait, park, sleep,
// class initialisation) is written once, the backend below it is chosen at the start. The native
// backend (vm/threads/native/thread_native.c) gives each thread a pthread; the green one
// (vm/threads/green/thread_green.c) lets many share a few. So no caller holds a thread-local variable or
// errno across a function marked [switch], and thread_current() is the only access to thread-local
// storage.
//
// Outsiders (profiler/, jit/) see a Thread only through this header.
#ifndef CABERNET_VM_API_THREAD_H
#define CABERNET_VM_API_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Thread Thread;
typedef struct Object Object;

#define THREAD_FOREVER INT64_MAX

// States. In the running state (Java or VM code alike) a thread may hold references in registers
// and is waited for by a stop. In all others it is at a safepoint: its registers are spilled, its
// stack pointer is published, and it does not touch the heap until it has come back to running,
// which waits while the world is stopped.
// Green threads: while native or blocked, a thread may lose its processor; paused, it keeps it.
enum { THREAD_RUNNING, THREAD_NATIVE, THREAD_BLOCKED, THREAD_DEAD, THREAD_PAUSED };

// The calling thread, or NULL when it is not attached.
extern _Thread_local Thread *thread_current_ __attribute__((tls_model("initial-exec")));
static inline Thread *thread_current(void) { return thread_current_; }

// ---- blocking ------------------------------------------------------------------------------

// [switch] Blocks until thread_wake(self), or the deadline (CLOCK_MONOTONIC ns, or THREAD_FOREVER)
// passes: false then. A wake given before the call counts. Spurious returns happen: callers test
// their own condition before each call. The thread is at a safepoint meanwhile. Running state only.
bool thread_block(Thread *self, int64_t deadline);
// Wakes `t` out of thread_block, or makes its next one return at once. Any thread, any state, never
// blocks. The memory of a Thread stays valid until the next stop after its end, so a running
// thread may wake one that it has just seen alive: at worst that wake is spurious for another.
void thread_wake(Thread *t);
// [switch] Lets others run.
void thread_yield(Thread *self);
int64_t thread_now(void);  // CLOCK_MONOTONIC, ns
// now + ns, saturating at THREAD_FOREVER; negative ns count as 0.
int64_t thread_deadline(int64_t ns);

// ---- stopping ------------------------------------------------------------------------------

// Stops all threads but the caller: returns when each is at a safepoint, and they stay there until
// safepoint_resume. `self` is the calling thread, running, or NULL for one that is not attached
// (the collector). Between the two: no allocation, no blocking, no Java, no second stop (asserted).
// [switch] while another stop is in progress.
void safepoint_stop(Thread *self, const char *cause);
void safepoint_resume(Thread *self);
bool safepoint_stopped_by_me(void);  // the caller is between the two

typedef struct SafepointStats {
    uint64_t stops, total_wait_ns, max_wait_ns;  // wait: from the request until all have stopped
} SafepointStats;
void safepoint_stats(SafepointStats *out);

// ---- enumeration ---------------------------------------------------------------------------

// Calls fn for each thread from oldest to youngest until it returns false. Under the list lock: fn
// neither blocks nor allocates in the Java heap. Also allowed between stop and resume. `self` is
// the caller or NULL. Threads attached but without a Java object yet are included.
typedef bool ThreadVisitor(Thread *t, void *arg);
void thread_each(Thread *self, ThreadVisitor *fn, void *arg);
uint32_t thread_count(void);

// Facts about a thread for outsiders; only valid while it cannot end (visitor, or itself).
uint64_t thread_serial(const Thread *t);    // 1, 2, 3... never reused
uint32_t thread_lock_id(const Thread *t);   // 1 ... 2^20 - 1, as the owner of a monitor; reused
uint64_t thread_parent(const Thread *t);    // serial of who started it; 0: nobody
uint8_t thread_priority(const Thread *t);   // 1 ... 10
bool thread_is_green(void);                 // green threads: the system's figures of a pthread are no thread's
bool thread_is_service(const Thread *t);    // the VM's or the class library's own (Finalizer...)
// Name as UTF-8 into buf (truncated, always terminated); "?" without a Java object.
void thread_name(const Thread *t, char *buf, size_t size);
uint64_t thread_cpu_ns(const Thread *t);    // user + system; 0 when unknown

#endif
