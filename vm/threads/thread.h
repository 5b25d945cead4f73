// The VM's view of a thread: the structure itself, and how a thread moves between running, native
// and blocked. See vm/api/thread.h for the states and the interface.
//
// Transitions. A thread is in a safe state while a function that it has handed to thread_run_native,
// thread_run_blocked or thread_run_paused runs. Going there, it stores its callee-saved registers,
// publishes its stack pointer, stores the state, and only then looks at its poll word; who
// stops the world stores the poll words, makes every running processor pass a memory barrier
// (membarrier), and only then looks at the states. So at least one of the two sees the other, and
// neither transition needs a fence of its own. Coming back, the order is the same: state first,
// then the poll word. Kernels without membarrier: the poll word is never zero, which leads to the
// slow path with a fence.
//
// Where the references are. The registers are stored by assembly code (thread_run_safe) into a frame of
// its own, which is the lowest one published: it is there before the state is stored and until the
// thread runs again, whatever the C compiler does. At its entry the calling convention has every live
// value of its callers in a callee-saved register, which it stores, or in a frame above its own. What
// runs in the safe state lies below, unpublished, and holds no reference that is needed. A pair of C
// functions, to enter and to leave, cannot promise that: the compiler may restore its caller's registers
// and drop its frame before the second one has ended, as it does for a tail call, and a stop that comes
// then would find the values nowhere.
//
// A stop request also replaces the thread's dispatch table by the STOP table; the interpreter
// reloads `dispatch` at each method entry, return and backward branch, and so arrives in
// thread_safepoint().
//
// Members marked [self] belong to the thread itself, [stopped] may also be touched by others while
// the world is stopped, [list] are guarded by the list lock. No lock here is held across a
// safepoint.
#ifndef CABERNET_VM_THREAD_H
#define CABERNET_VM_THREAD_H

#include <pthread.h>

#include "gc/heap.h"
#include "vm/api/eventplaces.h"
#include "vm/api/thread.h"
#include "vm/model/class.h"
#include "vm/model/frame.h"
#include "vm/model/handlestate.h"
#include "vm/api/sampling.h"

typedef struct WaitNode WaitNode;

enum { THREAD_STACK_RESERVE = 32 * 1024 };
enum { THREAD_TIMED_LOCKS = 8 };

// Bits of Thread.poll.
enum {
    POLL_STOP = 1,     // the world is to stop
    POLL_SUSPEND = 2,  // Thread.suspend
    POLL_ASYNC = 4,    // an exception for this thread (Thread.stop)
    POLL_FENCE = 8,    // always set when the kernel has no membarrier
    // Green threads only.
    POLL_CARRIER = 16, // has no processor to run on: set and cleared in a safe state only
    POLL_YIELD = 32,   // the time is up: others wait
    POLL_COUNT = 64,   // always set where yieldpoints are counted (quantum=N)
    POLL_STRESS = 128, // always set under -Xjit:poll-stress: compiled code only
    POLL_LONG = 256,   // inside a native call that waits: gives up the processor in native state
    POLL_DELAY = 512,  // always set under -Xthreadstress: transitions alone
    POLL_SINK = 1024,  // sinks want it to wait (vm/api/eventwait.h): set and cleared by itself
    POLL_FAULT = 2048, // memory that it accessed was gone (thread_memory_fault): set and cleared by itself
    POLL_MEMORY = 4096, // code made an object beyond the heap's limit (thread_memory_out): set and cleared by itself
    POLL_SAMPLE = 8192, // optimised code that it executes is to be sampled (vm/adaptive/codesampling.h): cleared by itself
    POLL_ALWAYS = POLL_FENCE | POLL_STRESS | POLL_DELAY,  // ask for nothing
};

// The state of a sample of optimised code (vm/adaptive/codesampling.h).
typedef enum CodeSample {
    CODE_SAMPLE_NONE,
    CODE_SAMPLE_LEAVES,  // the code is being left
    CODE_SAMPLE_ENTERS,  // the interpreter is to enter template code
    CODE_SAMPLE_RUNS,    // until the first step of a method's hotness after Thread.sample_until
} CodeSample;

// What a thread is blocked on, for dumps and ThreadMXBean.
typedef enum BlockKind { BLOCK_NONE, BLOCK_ENTER, BLOCK_WAIT, BLOCK_PARK, BLOCK_SLEEP } BlockKind;

struct Thread {
    // Hot: what the interpreter and allocation touch, in the first two cache lines.
    const void *const *dispatch;  // current table; others store STOP: read by thread_dispatch()
    Frame *frame;                 // [self][stopped] top frame of the Java stack, NULL when empty
    Object *exception;            // [self][stopped] pending exception
    Slot *stack_limit;            // no frame may reach beyond (StackOverflowError); another
                                  // THREAD_STACK_RESERVE bytes are mapped behind it
    Slot *stack_base;
    _Atomic uint32_t poll;        // POLL_ bits; not zero: go to thread_safepoint
    _Atomic uint32_t state;       // THREAD_RUNNING...
    uint32_t thin_lock;           // lock word of an object locked once by this thread
    uint32_t id;                  // 1 ... 2^20 - 1, reused after the end
    void *c_stack_limit;          // C code must not go below; checked at each entry from C to Java
    void *stack_guard;            // compiled code compares its frame with it at method entries: c_stack_limit,
                                  // or the highest address while a stop is requested
    uint32_t deopt_pending;       // [self][stopped] compiled code on the stack may be invalid (vm/code/code.h), or memory has run out
    struct {
        char **slot;              // NULL: none. Holds the stub's address
        char *pc;                 // instead of this one, an address in invalid code
    } marked_return;              // [self][stopped] vm/code/deopt.c
    uint32_t leaving_position;    // [self] of the deoptimisation point that code is being left at (CodeStackMap.leaving)
    uint8_t code_sample;          // [self] CodeSample
    int64_t sample_until;         // [self] end of the sample, until which POLL_SAMPLE stays set; 0: there is none
    void *prof;                   // profiler's
    const void *stamper;          // the same (EventThread), or one whose accesses are all stamped already
    struct FlowCounts *flow;      // [self][stopped] what it counts in the interpreter (vm/interp/flowcounts.h)
    int32_t lock_timer;           // [self] entries of monitors until the next holding is timed (vm/threads/monitor.h)
    uint32_t timed_locks;         // [self] of `timed` in use
    const Object *timed[THREAD_TIMED_LOCKS];  // [self] monitors whose holding is timed, to compare only
    uint32_t lock_period;         // [self] one in so many holdings is timed
    uint64_t lock_timed_at;       // [self] stamp_now() at the last one
    SampleState sample;           // [self] vm/instrument/sampling.h
    _Atomic bool hands_in_counts; // [self] what it has counted is being added to the profile's tables: not to be read again
    uint64_t call_site;           // [self] of the call that is being made, in code that counts (vm/api/compiler.h, CALL_SITED)
    EventPlaces places;           // [self] of its events in compiled code
    struct EventWait *event_waits;  // [self] that its sinks have asked for (vm/instrument/eventwait.c)
    Object *java_thread;          // [stopped] java.lang.Thread, NULL early in the boot
    const struct JNINativeInterface_ *jni;  // JNIEnv * of this thread is &thread->jni
    const void *const *normal_dispatch;     // the table to run with when no stop is requested
    struct ArchMark *c_marks;     // [self][stopped] innermost of the marks between which no C frame is of interest (vm/interp/interp.c)
    void *published_sp;           // lowest stack address to scan while not running: a frame of thread_run_safe
    HeapCache heap;

    HandleState handles;          // JNI local handles, vm/jni/handles.h
    uint32_t critical_count;      // JNI critical sections entered
    struct JniMonitor *jni_monitors;  // [self] entered by native code, the last one first
    struct FrameLock *frame_locks;    // [self][stopped] entered by methods whose locking is not proven (vm/interp/framelocks.h)

    // Blocking.
    _Atomic uint32_t event;       // thread_block/thread_wake: 0 none, 1 woken, 2 asleep
    _Atomic uint32_t park_permit;
    BlockKind block_kind;         // [self][stopped]
    Object *block_object;         // [self][stopped] monitor's object or park blocker
    int64_t block_since;          // thread_now() at its begin, 0: times are not taken
    uint64_t blocked_count, waited_count;  // [self][stopped] blocked on a monitor; waited, parked or
    int64_t blocked_ns, waited_ns;         // slept; how long, while thread_times_contention()
    uint32_t delayed_entry, delayed_exit;  // [self] the stops after which -Xthreadstress last delayed it
    bool suspended;               // [list]
    Object *async_exception;      // [list][stopped]
    const void *held, *held_end;  // [self][stopped] malloc memory, searched at a collection as the thread's stacks are

    uint64_t hash_state;          // [self] generator of identity hashes
    uint64_t serial, parent;      // parent: serial of who started it
    bool daemon, service;
    bool attached_native;         // not created by Thread.start: main, AttachCurrentThread
    bool primordial;              // on the process's first thread, whose stack no library gives back

    // Stacks and the native backend.
    void *c_stack_base;           // highest address; NULL: has not run yet
    void *c_stack_low;            // lowest usable address (above the guard)
    void *mapping;                // holds the stacks but the C stack of a pthread that is adopted
    size_t mapping_size;
    void *signal_stack;
    unsigned long pthread;
    int os_id;
    int64_t start_time;           // thread_now() at the start
    void (*body)(Thread *self, void *arg);  // of a service thread; NULL: Thread.run()
    void *body_arg;
    uint8_t priority;             // Java priority, 1 ... 10: a hint
    bool touches_unsafe;          // [self] in a copy or a fill of memory that may be gone (vm/natives/unsafe.c)
    bool leaving;                 // end_thread: what it runs on is not its own any more, so that no shadow goes on with it
    uint32_t native_depth;        // [self] active native methods whose code is not the VM's own

    // Green backend. What is not marked belongs to whoever may run the thread: itself, then the
    // carrier that it left, the queue that holds it, the carrier that takes it from there.
    struct Processor *processor;  // what it runs on; NULL: none. Changes of a thread in native or
                                  // blocked state: under the scheduler's lock
    struct Processor *last_processor;
    struct Carrier *carrier;      // the pthread it is on
    void (*entry)(struct Thread *self);  // what it begins with
    void *fiber;                  // ThreadSanitizer's name for its stack
    void *switch_sp;              // saved stack pointer while switched out
    _Atomic uint32_t on_carrier;  // its stack is in use
    bool bound;                   // attached: stays with its own pthread
    bool pinned;                  // waits on its carrier instead of being switched out
    int32_t quantum_left;         // [self] yieldpoints until it lets others run, with POLL_COUNT
    Thread *queue_next;
    int64_t deadline;             // of a block, and its place in the timer heap (0: not in it);
    uint32_t timer_slot;          // under the timers' lock
    uint64_t on_since;            // time stamp counter when it got the processor; 0: has none
    _Atomic uint64_t on_ticks;    // time on processors before that
    const Thread *last_woken;     // by it, since it has the processor; only to compare
    struct GreenWaiter *polls;    // its wait for a descriptor (vm/threads/green/greenpoll.c); under that lock
    bool polling;                 // [self] in greenpoll_wait
    uint8_t waits_soon;           // how often it has lately woken one and then made way for it

    // What it does in a safe state, if another pthread can do that from the beginning (thread_run_again).
    struct {
        void (*fn)(void *arg);    // NULL: it cannot
        void *arg;
        bool mutex;               // arg is one that it waits for, and holds afterwards
    } again;                      // [self][stopped]

    Thread *next, *prev;          // [list]
};

// The state of thread.c. Others read `backend`, `events` and `may_spin`, and nothing else of it.
typedef struct ThreadSystem {
    const struct ThreadBackend *backend;              // constant from thread_use_backend on
    bool take_turns;                                  // likewise: two runs switch threads at the same points
    _Atomic(const struct ThreadEvents *) events;      // vm/threads/threadevents.h; NULL: nobody listens
    _Atomic bool time_contention;
    bool may_spin;    // threads that hold a lock may be running while the caller spins; constant after start
    _Alignas(64) pthread_mutex_t list_lock;  // away from what every entry of a monitor reads
    pthread_cond_t thread_gone;
    // All under the list lock.
    Thread *first, *last;
    uint32_t count, user_count, peak_count;  // user: not daemons
    Thread *free_threads;        // linked through next
    uint32_t *free_ids, free_id_count, free_id_capacity, last_id;
    uint64_t last_serial;
    // Constant after thread_system_init.
    uint64_t hash_seed;
    const void *const *default_dispatch;
    uint32_t initial_poll;
    bool counters;               // threads have counters behind them; constant from the first thread on
    bool shadow;                 // this process is a shadow (vm/shadow/shadow.h); set before any thread runs in it
} ThreadSystem;
extern ThreadSystem threads;

static inline const void *const *thread_dispatch(const Thread *t) {
    return __atomic_load_n(&t->dispatch, __ATOMIC_RELAXED);
}
static inline Thread *thread_from_env(const void *env) {
    return (Thread *)((char *)env - offsetof(Thread, jni));
}

// ---- transitions ---------------------------------------------------------------------------

void thread_entered_safe_slow(Thread *self);  // a stop is waiting for this thread: tell it
void thread_leave_safe_slow(Thread *self, uint32_t safe_state);

static inline __attribute__((always_inline)) void thread_to_safe(Thread *self, uint32_t state) {
    atomic_store_explicit(&self->state, state, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&self->poll, memory_order_relaxed) != 0, 0))
        thread_entered_safe_slow(self);
}
static inline __attribute__((always_inline)) void thread_to_running(Thread *self) {
    uint32_t safe = atomic_load_explicit(&self->state, memory_order_relaxed);
    atomic_store_explicit(&self->state, THREAD_RUNNING, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&self->poll, memory_order_acquire) != 0, 0))
        thread_leave_safe_slow(self, safe);
}

// Calls fn(arg) in a safe state, in which it may block or run long. References in locals of the callers
// stay good; fn itself looks at none. Nests through Java and JNI. [switch]
typedef void ThreadSafeFn(void *arg);
void thread_run_safe(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg);
static inline void thread_run_native(Thread *self, ThreadSafeFn *fn, void *arg) {
    thread_run_safe(self, THREAD_NATIVE, fn, arg);
}
// The same, for waiting in the VM.
static inline void thread_run_blocked(Thread *self, ThreadSafeFn *fn, void *arg) {
    thread_run_safe(self, THREAD_BLOCKED, fn, arg);
}
// The same, for waiting that is short or that everybody else shares (a stop, the collector): the
// thread keeps its processor meanwhile.
static inline void thread_run_paused(Thread *self, ThreadSafeFn *fn, void *arg) {
    thread_run_safe(self, THREAD_PAUSED, fn, arg);
}
// The same in either state, of a function that may be broken off anywhere and called again from its beginning by another
// pthread, which then has the thread's stack: so a shadow goes on with the threads of the process that it is a copy of.
static inline void thread_run_again(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg) {
    self->again.fn = fn;
    self->again.arg = arg;
    thread_run_safe(self, state, fn, arg);
    self->again.fn = NULL;
}
// As thread_run_blocked, where the waiting may last: others may have the processor at once, not only
// when somebody notices.
void thread_run_waiting(Thread *self, ThreadSafeFn *fn, void *arg);
// In the blocked or native state: others may have the processor.
void thread_hand_off(Thread *self);
// From now on the thread hands off whenever it goes native, as it does after each JNI function. In
// the running state.
void thread_set_long(Thread *self, bool on);

// Entry points that native code calls (JNI, JVM_*): native -> running and back, inside a function that
// thread_run_native runs or on a thread without Java frames. Frames from there on hold no references while
// the thread is native, so nothing is published anew. [switch]
static inline void thread_native_to_vm(Thread *self) { thread_to_running(self); }
static inline void thread_vm_to_native(Thread *self) { thread_to_safe(self, THREAD_NATIVE); }

// Behind each Thread, at this distance, lie counters for exact profiles (vm/code/counters.h), zeroed. They take addresses
// only until somebody counts. Where the system limits those, there are none unless a profile begins with the VM.
#define THREAD_COUNTERS_OFFSET ((sizeof(Thread) + 4095) & ~(size_t)4095)
enum { THREAD_COUNTERS = 4 << 20 };
// A profile is going to count: before the first thread, so that threads have counters.
void thread_use_counters(void);
bool thread_has_counters(void);

// The return address that `slot` on the stack of `t` held before it was marked (vm/code/deopt.c), or holds.
static inline char *thread_return_pc(const Thread *t, char *const *slot) {
    return slot == t->marked_return.slot ? t->marked_return.pc : *slot;
}

static inline bool thread_is_running(const Thread *t) {
    return atomic_load_explicit(&t->state, memory_order_relaxed) == THREAD_RUNNING;
}

// Slow half of a poll; also what the interpreter's STOP table calls. On return no stop is pending
// and `dispatch` is the right table again. An exception may be pending now (Thread.stop): the
// interpreter must look. [switch]
void thread_safepoint(Thread *self);
// For loops of the VM that run long without allocating. [switch]
static inline void thread_poll(Thread *self) {
    if (__builtin_expect(atomic_load_explicit(&self->poll, memory_order_relaxed) & ~POLL_ALWAYS, 0))
        thread_safepoint(self);
}

// An exception of Thread.stop is waiting: what blocks should end, and let the poll raise it.
static inline bool thread_async_pending(const Thread *self) {
    return atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_ASYNC;
}

// An access of Unsafe has failed, and was skipped: the next poll raises InternalError. By the thread itself, running;
// async-signal-safe.
void thread_memory_fault(Thread *self);
// The next yieldpoint throws an OutOfMemoryError. By the thread itself.
void thread_memory_out(Thread *self);

// The table that `t` runs with from now on. Caller: t itself, or anybody while the world is
// stopped. Never loses a stop that is being requested.
void thread_set_dispatch(Thread *t, const void *const *table);

// ---- life ----------------------------------------------------------------------------------

// Once, before the first attach.
void thread_system_init(void);

// Makes the calling pthread a thread of the VM, running, without a Java object. NULL when memory is
// out. For main: boot goes on to javathread_create_main.
Thread *thread_attach_main(void);
// JNI AttachCurrentThread(AsDaemon): also makes its java.lang.Thread in `group` (NULL: main's).
// Returns in the running state, or NULL: *error is static text. Already attached: that thread.
Thread *thread_attach_current(const char *name, Object *group, bool daemon, const char **error);
// Runs the exit protocol and gives everything back; `self` is invalid afterwards. Running state.
void thread_detach(Thread *self);

// java.lang.Thread.start0: false with IllegalThreadStateException or OutOfMemoryError pending.
bool thread_start(Thread *self, Object *java_thread);
// The same without any java.lang.Thread, to run fn(self, arg): for tests of what lies below Java.
// False: the system refuses.
bool thread_start_bare(Thread *self, void (*fn)(Thread *self, void *arg), void *arg);
// A daemon thread of the VM's own that runs fn(self, arg) (running state) and then exits. Its Java
// Thread is made in the system group. False with an exception pending.
bool thread_start_service(Thread *self, const char *name, int priority,
                          void (*fn)(Thread *self, void *arg), void *arg);

// With -Xdeterministic and native threads: waits until the class library's own threads (Finalizer, Reference Handler,
// Cleaner) have nothing to do, a second at most, so that what they have done by then is the same in every run. Running
// state; waits in another.
void thread_settle_services(Thread *self);

// Lowest address C code may use, checked where C calls Java: true when there is room for another
// activation. False: the caller throws StackOverflowError.
static inline bool thread_c_stack_ok(const Thread *self) {
    return (char *)__builtin_frame_address(0) > (char *)self->c_stack_limit;
}
// Whether more than half of the C stack is left. Code that is left for the interpreter and entered again in a
// loop goes deeper each time: it stays in the interpreter from there on.
static inline bool thread_c_stack_half_free(const Thread *self) {
    const char *here = __builtin_frame_address(0), *limit = self->c_stack_limit;
    return here - limit > (const char *)self->c_stack_base - here;
}

// The Thread of a java.lang.Thread, NULL when it has not started or has ended. Safe to pass to
// thread_wake while the caller stays running; anything else under the list lock (thread_with).
Thread *thread_of(const Object *java_thread);
// Calls fn with the live Thread of java_thread under the list lock; false when there is none. fn
// neither blocks nor allocates in the heap.
bool thread_with(Thread *self, const Object *java_thread, void (*fn)(Thread *t, void *arg),
                 void *arg);

// The list lock: taken at a safepoint, held in any state but never across one.
void thread_list_lock(Thread *self);
void thread_list_unlock(Thread *self);
Thread *thread_first(void);  // under the list lock or stopped; follow ->next

// Frees what ended threads have left. World stopped.
void thread_trim(void);

// Waits until no thread but the caller is left that is not a daemon. [switch]
void thread_wait_last(Thread *self);

// java.lang.Thread.threadStatus (JVMTI bits, in the combinations that HotSpot sets).
enum {
    STATUS_NEW = 0, STATUS_TERMINATED = 2, STATUS_RUNNABLE = 5, STATUS_BLOCKED = 1025,
    STATUS_WAITING = 401, STATUS_TIMED_WAITING = 417, STATUS_PARKED = 657,
    STATUS_TIMED_PARKED = 673, STATUS_SLEEPING = 225,
};
int thread_set_status(Thread *t, int status);  // returns the old one; no-op without a Java object
int thread_status(const Thread *t);

// Shows for dumps and ThreadMXBean what the thread is about to block on, until thread_show_running.
// `timed`: there is a deadline.
void thread_show_blocked(Thread *self, BlockKind kind, Object *object, bool timed);
void thread_show_running(Thread *self);
// Whether the time that threads are blocked or wait is taken (ThreadMXBean.setThreadContentionMonitoringEnabled).
bool thread_times_contention(void);
void thread_time_contention(bool on);

typedef struct ThreadCounts {
    uint32_t live, daemons, peak;  // peak: since the start or the last reset
    uint64_t started;
} ThreadCounts;
void thread_counts(Thread *self, ThreadCounts *out);
void thread_reset_peak(Thread *self);

// Whether two runs of a deterministic program switch threads at the same points.
static inline bool thread_take_turns(void) { return threads.take_turns; }
// Thread.setPriority: a hint for the green scheduler, nothing to the system's.
void thread_set_priority(Thread *t, int priority);
// Sends the signal to the system's thread that is inside a native call for the Thread with this
// serial; nothing when there is none.
void thread_signal_native(Thread *self, uint64_t serial, int sig);
// Green threads: where a function that needs much stack can run; NULL: the thread's own is large.
void *thread_large_stack(Thread *self);

// Thread.setNativeName: cut to 15 bytes.
void thread_set_native_name(Thread *t, const char *utf8);
// Whether the thread works for the VM or the class library (its group is not below "main").
bool thread_in_service_group(const Object *java_thread);
// Deprecated operations of java.lang.Thread. suspend returns when the target is at a safepoint (at
// once for the caller itself, which stops at its next poll).
void thread_suspend(Thread *self, Object *java_thread);
void thread_resume(Thread *self, Object *java_thread);
void thread_stop(Thread *self, Object *java_thread, Object *throwable);

// Around a fork, by the thread that has stopped the world and forks. In the child it is the only thread: the others
// have ended, as far as java.lang.Thread shows it.
void thread_before_fork(void);
void thread_after_fork_parent(void);
void thread_after_fork_child(void);

// In a shadow, in place of thread_after_fork_child, by a pthread that is no thread of the VM's: the others' stacks are there
// and their pthreads are not. Those that stood at a safepoint, at a poll or waiting in the VM, get pthreads (native) or
// become runnable again (green) and go on when the world does; those inside a native call stay in it for ever. The world
// is stopped, and `threads.shadow` set. The result is how many go on; *left: threads of the program that do not.
uint32_t thread_adopt_all(uint32_t *left);
// Whether thread_adopt_all would let it go on. World stopped.
bool thread_can_be_adopted(const Thread *t);

#endif
