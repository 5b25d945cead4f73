// The thread interface. All layers above it (monitors, wait, park, sleep, class initialisation) are
// backend-independent; the backend below is chosen at the start. The native backend (vm/threads/native/thread_native.c)
// gives each thread a pthread; in the green one (vm/threads/green/thread_green.c) many threads share a few pthreads. So
// no caller holds a thread-local variable or errno across a function marked [switch], and thread_current() is the only
// access to thread-local storage.
//
// Outsiders (profiler/, jit/) access a Thread only through this header.
#ifndef CABERNET_VM_API_THREAD_H
#define CABERNET_VM_API_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Thread Thread;
typedef struct Object Object;

#define THREAD_FOREVER INT64_MAX

// States. In the running state (in Java and VM code alike) a thread may hold references in registers, and a stop waits
// for it. In all other states it is at a safepoint: its registers are spilled, its stack pointer is published, and it
// does not access the heap until it is running again; that transition waits while the world is stopped. Green threads:
// while native or blocked, a thread may lose its processor; while paused it keeps it.
enum { THREAD_RUNNING, THREAD_NATIVE, THREAD_BLOCKED, THREAD_DEAD, THREAD_PAUSED };

// The calling thread, or NULL when it is not attached.
extern _Thread_local Thread *thread_current_ __attribute__((tls_model("initial-exec")));
static inline Thread *thread_current(void) { return thread_current_; }

// ---- blocking ------------------------------------------------------------------------------

// [switch] Blocks until thread_wake(self); false when the deadline (CLOCK_MONOTONIC ns, or THREAD_FOREVER) passes
// first. An earlier wake counts. May return spuriously, so callers test their own condition before each call. The
// thread is at a safepoint meanwhile. Running state only.
bool thread_block(Thread *self, int64_t deadline);
// Wakes `t` from thread_block, or makes its next one return at once. Any thread, any state; never blocks. The memory of
// a Thread stays valid until the first stop after its end, so a running thread may wake a thread that it has just seen
// alive. At worst that is a spurious wake for a new thread.
void thread_wake(Thread *t);
// [switch] Lets other threads run.
void thread_yield(Thread *self);
int64_t thread_now(void);  // CLOCK_MONOTONIC, ns
// now + ns, saturating at THREAD_FOREVER; negative ns count as 0.
int64_t thread_deadline(int64_t ns);

// ---- stopping ------------------------------------------------------------------------------

// Stops all threads except the caller: returns when each is at a safepoint, and they stay there until safepoint_resume.
// `self` is the calling thread, running, or NULL for an unattached one (the collector). Between the two calls: no
// allocation, no blocking, no Java, no second stop (asserted). [switch] while another stop is in progress.
void safepoint_stop(Thread *self, const char *cause);
void safepoint_resume(Thread *self);
bool safepoint_stopped_by_me(void);  // the caller is between the two calls

typedef struct SafepointStats {
    uint64_t stops, total_wait_ns, max_wait_ns;  // wait: from the request until all threads have stopped
} SafepointStats;
void safepoint_stats(SafepointStats *out);

// ---- enumeration ---------------------------------------------------------------------------

// Calls fn for each thread from oldest to youngest until fn returns false. Under the list lock: fn neither blocks nor
// allocates in the Java heap. Also allowed between stop and resume. `self` is the caller or NULL. Includes attached
// threads without a Java object.
typedef bool ThreadVisitor(Thread *t, void *arg);
void thread_each(Thread *self, ThreadVisitor *fn, void *arg);
uint32_t thread_count(void);

// Facts about a thread for outsiders; valid only while the thread cannot end (in a visitor, or for itself).
uint64_t thread_serial(const Thread *t);   // 1, 2, 3... never reused
uint32_t thread_lock_id(const Thread *t);  // 1 ... 2^20 - 1, the owner id in monitors; reused
uint64_t thread_parent(const Thread *t);   // serial of the thread that started it; 0: none
uint8_t thread_priority(const Thread *t);  // 1 ... 10
int thread_processor(const Thread *t);     // green threads: the number of its processor, or of the last one; -1: none
bool thread_is_green(void);                // green threads: the system's figures for a pthread are not a Thread's
bool thread_is_service(const Thread *t);   // belongs to the VM or the class library (Finalizer...)
// Stores the name as UTF-8 in buf (truncated, always terminated); "?" without a Java object.
void thread_name(const Thread *t, char *buf, size_t size);
// Of the pthread that runs it now; 0: none. Takes the lock of the green scheduler, which holds it while it reports
// switches: the caller must not hold a lock that these take, and must not be called by them.
int thread_os_id(const Thread *t);
uint64_t thread_cpu_ns(const Thread *t);  // user + system; 0 when unknown

#endif
