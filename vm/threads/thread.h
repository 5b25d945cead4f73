// The VM's view of a thread: the Thread structure, and the transitions between running, native and blocked. See
// vm/api/thread.h for the states and the interface.
//
// Transitions. A thread is in a safe state while it executes a function passed to thread_run_safe and the functions on
// top of it. To enter a safe state, the thread stores its callee-saved registers, publishes its stack pointer, stores
// the state, and only then reads its poll word. The stopping thread stores the poll words, makes every running
// processor pass a memory barrier (membarrier), and only then reads the states. At least one of the two therefore sees
// the store of the other, and neither transition needs a fence. Leaving a safe state uses the same order: state first,
// then the poll word. On kernels without membarrier the poll word is never zero, so every transition takes the slow
// path, which has a fence.
//
// Where the references are. Assembly code (thread_run_safe) stores the registers in its own frame, which is the lowest
// published one. That frame exists from before the state is stored until the thread runs again, whatever the C compiler
// does. By the calling convention, at entry every live value of the callers is in a callee-saved register, which the
// frame stores, or in a higher frame. The function that runs in the safe state lies below, unpublished, and holds no
// reference that is needed. A pair of C functions, enter and leave, could not promise this: the compiler may restore
// the caller's registers and drop its frame before the second function has finished, as in a tail call, and a stop at
// that moment would find the values nowhere.
//
// A stop request also replaces the thread's dispatch table by the STOP table. The interpreter reloads `dispatch` at
// each method entry, return and backedge, and so reaches thread_safepoint().
//
// Member marks: [self] belongs to the thread itself; [stopped] may also be accessed by others while the world is
// stopped; [list] is guarded by the list lock. No lock here is held across a safepoint.
#ifndef CABERNET_VM_THREADS_THREAD_H
#define CABERNET_VM_THREADS_THREAD_H

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
    POLL_CARRIER = 16,   // has no processor; set and cleared only in a safe state
    POLL_YIELD = 32,     // the quantum has expired and others wait
    POLL_COUNT = 64,     // always set where yieldpoints are counted (quantum=N)
    POLL_STRESS = 128,   // always set under -Xjit:poll-stress: compiled code only
    POLL_LONG = 256,     // inside a native call that waits: gives up the processor in native state
    POLL_DELAY = 512,    // always set under -Xthreadstress: affects transitions only
    POLL_SINK = 1024,    // sinks want it to wait (vm/api/eventwait.h); set and cleared by the thread itself
    POLL_FAULT = 2048,   // an Unsafe access faulted: InternalError; set and cleared by the thread itself
    POLL_MEMORY = 4096,  // code exceeded the heap limit: OutOfMemoryError; set and cleared by the thread itself
    POLL_SAMPLE = 8192,  // optimised code is to be sampled (vm/adaptive/codesampling.h); cleared by the thread itself
    POLL_ALWAYS = POLL_FENCE | POLL_STRESS | POLL_DELAY,  // request nothing
};

// The state of a sample of optimised code (vm/adaptive/codesampling.h).
typedef enum CodeSample {
    CODE_SAMPLE_NONE,
    CODE_SAMPLE_LEAVES,  // the thread is leaving optimised code
    CODE_SAMPLE_ENTERS,  // the interpreter is to enter template code
    CODE_SAMPLE_RUNS,    // until the first step of a method's hotness after Thread.sample_until
} CodeSample;

// The operation in which a thread is blocked, for dumps and ThreadMXBean.
typedef enum BlockKind { BLOCK_NONE, BLOCK_ENTER, BLOCK_WAIT, BLOCK_PARK, BLOCK_SLEEP } BlockKind;

struct Thread {
    // Hot: accessed by the interpreter and by allocation; the first two cache lines.
    const void *const *dispatch;  // current table; others may store STOP; read through thread_dispatch()
    Frame *frame;                 // [self][stopped] top frame of the Java stack, NULL when empty
    Object *exception;            // [self][stopped] pending exception
    Slot *stack_limit;            // no frame may reach beyond (StackOverflowError); the next
                                  // THREAD_STACK_RESERVE bytes are mapped too
    Slot *stack_base;
    _Atomic uint32_t poll;   // POLL_ bits; nonzero: call thread_safepoint
    _Atomic uint32_t state;  // THREAD_RUNNING...
    uint32_t thin_lock;      // lock word of an object locked once by this thread
    uint32_t id;             // 1 ... 2^20 - 1, reused after the thread has ended
    void *c_stack_limit;     // lower bound for C code; checked at each entry from C to Java
    void *stack_guard;       // compared with the frame at entries of compiled methods: c_stack_limit,
                             // or the highest address while a stop is requested
    uint32_t deopt_pending;  // [self][stopped] compiled frames may be invalid (vm/code/code.h), or memory is out
    struct {
        char **slot;              // slot that holds the stub's address; NULL: none
        char *pc;                 // original return address, in invalid code
    } marked_return;              // [self][stopped] vm/code/deopt.c
    uint32_t leaving_position;    // [self] position of the deoptimisation point being taken (CodeStackMap.leaving)
    uint8_t code_sample;          // [self] CodeSample
    bool left_inner_loop;         // [self] optimised code was left for an outer loop (DEOPT_loop)
    int64_t sample_until;         // [self] end of the sample, until which POLL_SAMPLE stays set; 0: no sample
    void *prof;                   // share of the profile of events, owned by the profiler
    void *time_record;            // the same of the profile of time (vm/api/profiler.h)
    _Atomic uint32_t wall_ticks;  // ticks of the time of day that its next signal stands for (vm/timing/tick.h)
    const void *stamper;          // prof (EventThread), or a static one that counts all accesses as stamped
    struct FlowCounts *flow;      // [self][stopped] the interpreter's counts (vm/interp/flowcounts.h)
    int32_t lock_timer;           // [self] monitor entries until the next timed holding (vm/threads/monitor.h)
    uint32_t timed_locks;         // [self] used entries of `timed`
    const Object *timed[THREAD_TIMED_LOCKS];  // [self] monitors whose holding is timed; only compared
    uint32_t lock_period;                     // [self] one in lock_period holdings is timed
    uint64_t lock_timed_at;                   // [self] stamp_now() at the last timed holding
    SampleState sample;                       // [self] vm/instrument/sampling.h
    _Atomic bool hands_in_counts;   // [self] its counts are being merged into the profile: do not read them again
    uint64_t call_site;             // [self] site of the current call, in counting code (vm/api/compiler.h, CALL_SITED)
    EventPlaces places;             // [self] places of events in compiled code
    struct EventWait *event_waits;  // [self] waits that its sinks requested (vm/instrument/eventwait.c)
    Object *java_thread;            // [stopped] java.lang.Thread, NULL early in the boot
    const struct JNINativeInterface_ *jni;  // JNIEnv * of this thread is &thread->jni
    const void *const *normal_dispatch;     // table in use while no stop is requested
    struct ArchMark *c_marks;  // [self][stopped] innermost mark; marks enclose C frames to skip (vm/interp/interp.c)
    void *published_sp;        // lowest stack address to scan while not running: thread_run_safe's frame
    HeapCache heap;

    HandleState handles;              // JNI local handles, vm/jni/handles.h
    uint32_t critical_count;          // JNI critical sections entered
    struct JniMonitor *jni_monitors;  // [self] monitors entered by native code, most recent first
    struct FrameLock *frame_locks;    // [self][stopped] entered with unproven locking (vm/interp/framelocks.h)

    // Blocking.
    _Atomic uint32_t event;  // thread_block/thread_wake: 0 none, 1 woken, 2 asleep
    _Atomic uint32_t park_permit;
    BlockKind block_kind;                  // [self][stopped]
    Object *block_object;                  // [self][stopped] monitor's object or park blocker
    int64_t block_since;                   // thread_now() when blocking began; 0: times are not recorded
    uint64_t blocked_count, waited_count;  // [self][stopped] number of times blocked on a monitor; waiting,
    int64_t blocked_ns, waited_ns;         // parked or asleep; the times, with time_contention
    uint32_t delayed_entry, delayed_exit;  // [self] stop_word when -Xthreadstress last delayed it
    bool suspended;                        // [list]
    Object *async_exception;               // [list][stopped]
    const void *held, *held_end;  // [self][stopped] malloc memory scanned at a collection like the thread's stacks

    uint64_t hash_state;      // [self] generator of identity hashes
    uint64_t serial, parent;  // parent: serial of the thread that started it
    bool daemon, service;
    bool attached_native;  // not created by Thread.start: main, AttachCurrentThread
    bool primordial;       // the process's initial thread; no library frees its stack

    // Stacks and the native backend.
    void *c_stack_base;  // highest address; NULL: has not run yet
    void *c_stack_low;   // lowest usable address (above the guard)
    void *mapping;       // memory of the stacks, except the C stack of an adopted pthread
    size_t mapping_size;
    void *signal_stack;
    unsigned long pthread;
    int os_id;
    int64_t start_time;                     // thread_now() at the start
    void (*body)(Thread *self, void *arg);  // of a service thread; NULL: Thread.run()
    void *body_arg;
    uint8_t priority;       // Java priority, 1 ... 10: a hint for the green scheduler
    bool touches_unsafe;    // [self] copying or filling memory that may be unmapped (vm/natives/unsafe.c)
    bool leaving;           // set in end_thread: its stack is no longer its own, so a shadow cannot continue it
    uint32_t native_depth;  // [self] active native methods outside the VM

    // Green backend. Unmarked members belong to the current holder of the thread: the thread itself, then the carrier
    // that it left, the queue that holds it, the carrier that takes it from the queue.
    struct Processor *processor;  // the processor it runs on; NULL: none. In native or blocked state
                                  // changed under the scheduler's lock
    struct Processor *last_processor;
    struct Carrier *carrier;             // the pthread it is on
    void (*entry)(struct Thread *self);  // first function
    void *fiber;                         // ThreadSanitizer's handle of its stack
    void *switch_sp;                     // saved stack pointer while switched out
    _Atomic uint32_t on_carrier;         // its stack is in use
    bool bound;                          // attached: stays on its own pthread
    bool pinned;                         // waits on its carrier instead of being switched out
    int32_t quantum_left;                // [self] yieldpoints left in the quantum, with POLL_COUNT
    Thread *queue_next;
    int64_t deadline;           // of a block; timer_slot: index in the timer heap plus 1, 0: not in
    uint32_t timer_slot;        // it. Both under the timers' lock
    uint64_t on_since;          // time stamp counter when it got the processor; 0: has none
    _Atomic uint64_t on_ticks;  // time on processors before on_since
    const Thread *last_woken;   // last thread it woke since it has the processor; only compared
    struct GreenWaiter *polls;  // its descriptor wait (vm/threads/green/greenpoll.c); under that lock
    bool polling;               // [self] in greenpoll_wait
    uint8_t waits_soon;         // recent count of waking a thread and then yielding to it

    // The function that it executes in a safe state, if another pthread can restart it (thread_run_again).
    struct {
        void (*fn)(void *arg);  // NULL: cannot be restarted
        void *arg;
        bool mutex;  // arg is a mutex to acquire, which it then holds
        bool input;  // in the native state: fn calls a native method that waits for input and has not received any
        bool over;   // in the native state: fn does nothing, because the native method is over
    } again;         // [self][stopped]

    Thread *next, *prev;  // [list]
};

// The state of thread.c. Other files read `backend`, `take_turns`, `events`, `time_contention`, `may_spin`, `counters`
// and `shadow`, and walk the list from `first` under the list lock or with the world stopped.
typedef struct ThreadSystem {
    const struct ThreadBackend *backend;  // constant after thread_use_backend
    bool take_turns;  // constant as well: two runs of a deterministic program switch threads at the same points
    _Atomic(const struct ThreadEvents *) events;  // vm/threads/threadevents.h; NULL: no listener
    // Blocking and waiting times are recorded (ThreadMXBean.setThreadContentionMonitoringEnabled).
    _Atomic bool time_contention;
    bool may_spin;  // a lock holder may be running while the caller spins; constant after start
    _Alignas(64) pthread_mutex_t list_lock;  // on a different cache line from what monitor entries read
    pthread_cond_t thread_gone;
    // All under the list lock.
    Thread *first, *last;
    uint32_t count, user_count, peak_count;  // user: not daemons
    Thread *free_threads;                    // linked through next
    uint32_t *free_ids, free_id_count, free_id_capacity, last_id;
    uint64_t last_serial;
    // Constant after thread_system_init.
    uint64_t hash_seed;
    const void *const *default_dispatch;
    uint32_t initial_poll;
    bool counters;  // each Thread is followed by counters; constant from the first thread on
    bool shadow;    // this process is a shadow (vm/shadow/shadow.h); set before any thread runs in it
} ThreadSystem;
extern ThreadSystem threads;

static inline const void *const *thread_dispatch(const Thread *t) {
    return __atomic_load_n(&t->dispatch, __ATOMIC_RELAXED);
}
static inline Thread *thread_from_env(const void *env) { return (Thread *)((char *)env - offsetof(Thread, jni)); }

// ---- transitions ---------------------------------------------------------------------------

void thread_entered_safe_slow(Thread *self);  // slow path: a stop waits for this thread; report the state
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

// Calls fn(arg) in a safe state, in which it may block or run long: THREAD_NATIVE for code outside the VM,
// THREAD_BLOCKED for a wait in the VM, THREAD_PAUSED for a short wait or one shared by all threads (a stop, the
// collector), during which the thread keeps its processor. References in the callers' locals stay valid; fn itself must
// not access any. Nests through Java and JNI. [switch]
typedef void ThreadSafeFn(void *arg);
void thread_run_safe(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg);
// The same, for a function that may be abandoned at any point and called again from its start by
// another pthread, which then uses this thread's stack. A shadow continues the threads of the original process this
// way.
static inline void thread_run_again(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg) {
    self->again.fn = fn;
    self->again.arg = arg;
    thread_run_safe(self, state, fn, arg);
    self->again.fn = NULL;
}
// Like thread_run_safe with THREAD_BLOCKED, for a wait that may be long: gives up the processor at once instead of
// waiting until the monitor takes it.
void thread_run_waiting(Thread *self, ThreadSafeFn *fn, void *arg);
// In the blocked or native state: gives up the processor.
void thread_hand_off(Thread *self);
// From now on the thread hands off its processor whenever it enters the native state, including the return from each
// JNI function. Running state.
void thread_set_long(Thread *self, bool on);

// Entry points that native code calls (JNI, JVM_*): native -> running and back, inside a function that
// thread_run_safe runs or on a thread without Java frames. Frames entered from then on hold no references while the
// thread is native, so nothing has to be published again. [switch]
static inline void thread_native_to_vm(Thread *self) { thread_to_running(self); }
static inline void thread_vm_to_native(Thread *self) { thread_to_safe(self, THREAD_NATIVE); }

// Each Thread is followed, at this offset, by zeroed counters for exact profiles (vm/code/codecounters.h). Until they
// are used they take address space only. Where the system limits address space, they exist only if profiling starts
// with the VM.
#define THREAD_COUNTERS_OFFSET ((sizeof(Thread) + 4095) & ~(size_t)4095)
enum { THREAD_COUNTERS = 4 << 20 };
// Requests counters for all threads because a profile will count. Before the first thread.
void thread_use_counters(void);

// A walk of a stack by a signal handler, or of another thread that may continue at any moment. The memory of methods
// and code is freed while the world is stopped, so a stop waits for such walks, and none begins until the world is
// resumed. begin_walk: false if there may be none now. await_walks: returns after a moment without walks. The first two
// are async-signal-safe.
bool safepoint_begin_walk(void);
void safepoint_end_walk(void);
void safepoint_await_walks(void);

// The return address in `slot` on the stack of `t`; for a marked slot (vm/code/deopt.c), the original one.
static inline char *thread_return_pc(const Thread *t, char *const *slot) {
    return slot == t->marked_return.slot ? t->marked_return.pc : *slot;
}

static inline bool thread_is_running(const Thread *t) {
    return atomic_load_explicit(&t->state, memory_order_relaxed) == THREAD_RUNNING;
}

// Slow half of a poll, also called by the interpreter's STOP table. On return no stop is pending and `dispatch` is the
// right table again. An exception may be pending (Thread.stop); the interpreter must check. [switch]
void thread_safepoint(Thread *self);
// For loops in the VM that run long without allocating. [switch]
static inline void thread_poll(Thread *self) {
    if (__builtin_expect(atomic_load_explicit(&self->poll, memory_order_relaxed) & ~POLL_ALWAYS, 0))
        thread_safepoint(self);
}

// An exception of Thread.stop is pending: a blocking function should return, and the next poll raises it.
static inline bool thread_async_pending(const Thread *self) {
    return atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_ASYNC;
}

// Sets a POLL_ bit and the STOP table. Called under the list lock by another thread, or by the thread itself;
// async-signal-safe.
void safepoint_request(Thread *t, uint32_t bit);

// Sets the dispatch table of `t`. Caller: t itself, or any thread while the world is stopped. Never loses a concurrent
// stop request.
void thread_set_dispatch(Thread *t, const void *const *table);

// ---- starting and ending -------------------------------------------------------------------

// Once, before the first attach.
void thread_system_init(void);

// Makes the calling pthread a thread of the VM, running, without a Java object. NULL when memory is out. For the main
// thread: boot continues with javathread_create_main.
Thread *thread_attach_bare(bool daemon);
// JNI AttachCurrentThread(AsDaemon): also creates its java.lang.Thread in `group` (NULL: main's). Returns in the
// running state, or NULL with static text in *error. If already attached, returns that thread.
Thread *thread_attach_current(const char *name, Object *group, bool daemon, const char **error);
// Runs the exit protocol and releases everything; `self` is invalid afterwards. Running state.
void thread_detach(Thread *self);

// java.lang.Thread.start0: false with IllegalThreadStateException or OutOfMemoryError pending.
bool thread_start(Thread *self, Object *java_thread);
// The same without a java.lang.Thread, to run fn(self, arg): for tests of the layers below Java. False: the system
// refuses.
bool thread_start_bare(Thread *self, void (*fn)(Thread *self, void *arg), void *arg);
// Starts a daemon thread of the VM that runs fn(self, arg) in the running state and then exits. Its Java Thread is
// created in the system group. False with an exception pending.
bool thread_start_service(Thread *self, const char *name, int priority, void (*fn)(Thread *self, void *arg), void *arg);

// With -Xdeterministic and native threads: waits until the class library's threads (Finalizer, Reference Handler,
// Cleaner) are idle, for at most a second, so that their work up to this point is the same in every run. Running state;
// waits in a safe one.
void thread_settle_services(Thread *self);

// Compares the stack pointer with the lowest address C code may use, where C calls Java. True: there is room for
// another activation. False: the caller throws StackOverflowError.
static inline bool thread_c_stack_ok(const Thread *self) {
    return (char *)__builtin_frame_address(0) > (char *)self->c_stack_limit;
}
// Whether more than half of the C stack is left. Code that repeatedly deoptimises and is entered again in a loop goes
// deeper each time; beyond this limit it stays in the interpreter.
static inline bool thread_c_stack_half_free(const Thread *self) {
    const char *here = __builtin_frame_address(0), *limit = self->c_stack_limit;
    return here - limit > (const char *)self->c_stack_base - here;
}

// The Thread of a java.lang.Thread; NULL when it has not started or has ended. The result may be passed to thread_wake
// while the caller stays running; any other use needs the list lock.
Thread *thread_of(const Object *java_thread);

// The list lock: acquired at a safepoint, held in any state but never across a safepoint.
void thread_list_lock(Thread *self);
void thread_list_unlock(Thread *self);

// Frees the memory of ended threads. World stopped.
void thread_trim(void);

// Waits until the caller is the only non-daemon thread. [switch]
void thread_wait_last(Thread *self);

// java.lang.Thread.threadStatus (JVMTI bits, in the combinations that HotSpot sets).
enum {
    STATUS_NEW = 0,
    STATUS_TERMINATED = 2,
    STATUS_RUNNABLE = 5,
    STATUS_BLOCKED = 1025,
    STATUS_WAITING = 401,
    STATUS_TIMED_WAITING = 417,
    STATUS_PARKED = 657,
    STATUS_TIMED_PARKED = 673,
    STATUS_SLEEPING = 225,
};
int thread_set_status(Thread *t, int status);  // returns the old status; no-op without a Java object
int thread_status(const Thread *t);

// Records what the thread is about to block on, for dumps and ThreadMXBean, until thread_show_running. `timed`: there
// is a deadline.
void thread_show_blocked(Thread *self, BlockKind kind, Object *object, bool timed);
void thread_show_running(Thread *self);

typedef struct ThreadCounts {
    uint32_t live, daemons, peak;  // peak: since the start or the last reset
    uint64_t started;
} ThreadCounts;
void thread_counts(Thread *self, ThreadCounts *out);
void thread_reset_peak(Thread *self);

// Sends the signal to the system's thread that executes a native call of the Thread with this serial; nothing when
// there is none.
void thread_signal_native(Thread *self, uint64_t serial, int sig);
// Green threads: a stack for a function that needs much stack. NULL: the thread's own stack is large.
void *thread_large_stack(Thread *self);

// Thread.setNativeName: truncated to 15 bytes.
void thread_set_native_name(Thread *t, const char *utf8);
// Whether the thread works for the VM or the class library (its group is not a descendant of "main").
bool thread_in_service_group(const Object *java_thread);
// Deprecated operations of java.lang.Thread. suspend returns when the target is at a safepoint; for the caller itself
// it polls at once.
void thread_suspend(Thread *self, Object *java_thread);
void thread_resume(Thread *self, Object *java_thread);
void thread_stop(Thread *self, Object *java_thread, Object *throwable);

// Around a fork, called by the thread that has stopped the world and forks. In the child it is the only thread: the
// others have ended, as far as java.lang.Thread shows it.
void thread_before_fork(void);
void thread_after_fork_parent(void);
void thread_after_fork_child(void);

// In a shadow, in place of thread_after_fork_child, called by a pthread that is no thread of the VM. The other threads'
// stacks exist, but their pthreads do not. Threads that were at a safepoint, at a poll or waiting in the VM, get new
// pthreads (native) or become runnable again (green) and continue when the world does; threads inside a native call
// stay in it for ever. The world is stopped and `threads.shadow` is set. Returns the number of threads that continue;
// *left: the number of the program's threads that do not.
uint32_t thread_adopt_all(uint32_t *left);
// Whether thread_adopt_all would continue it. It may be waiting: for input in a native method (again.input), for a
// descriptor (polls), or for another thread. World stopped.
bool thread_can_be_adopted(const Thread *t);

#endif
