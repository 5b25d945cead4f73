// Threads: the list, attaching, starting, ending. The backend executes them (thread_native.c or thread_green.c), and
// safepoint.c stops them.
//
// A Thread joins the list in the native state and leaves it when it no longer accesses objects, both under the list
// lock. Its memory stays readable until the first stop after that (thread_trim), because a running thread may have just
// read its address from eetop. The memory of ended threads is reused for new ones.
#include "vm/threads/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/grow.h"
#include "base/splitmix.h"
#include "vm/api/stamp.h"
#include "vm/threads/threadbackend.h"
#include "vm/model/vm.h"
#include "vm/threads/hooks.h"
#include "vm/threads/monitor.h"
#include "vm/threads/threadevents.h"
#include "vm/threads/threadstack.h"

enum {
    MAX_ID = (1 << 20) - 1,
    KEEP_FREE = 8,  // Thread structures kept over a collection
    NORMAL_PRIORITY = 5,
};
static const size_t default_stack = (size_t)1 << 20;
static const size_t min_stack = (size_t)144 << 10;
static const size_t max_stack = (size_t)1 << 30;

ThreadSystem threads = {
    .list_lock = PTHREAD_MUTEX_INITIALIZER,
    .thread_gone = PTHREAD_COND_INITIALIZER,
    .may_spin = true,
};

// ---- identity hash seeds -------------------------------------------------------------------

static uint64_t mix(uint64_t x) { return splitmix_next(&x); }

void thread_system_init(void) {
    if (!backend_barrier_init()) threads.initial_poll |= POLL_FENCE;
    if (vm.options.thread_stress) threads.initial_poll |= POLL_DELAY;
    threads.default_dispatch = thread_hooks.table(INTERP_PLAIN);
    threads.hash_seed = vm.options.deterministic ? 42 : mix((uint64_t)thread_now());
    struct rlimit limit;
    char mode = '2';
    int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && read(fd, &mode, 1) == 1;
    if (fd >= 0) close(fd);
    // Whether reserving memory costs nothing. It does with strict accounting (Linux's overcommit_memory 2) and where
    // the process's address space is limited.
    threads.counters |= known && mode != '2' && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

// ---- backend -------------------------------------------------------------------------------

void *thread_large_stack(Thread *self) {
    return threads.backend->large_stack ? threads.backend->large_stack(self) : NULL;
}

bool thread_is_green(void) { return threads.backend->green; }

void thread_use_backend(const ThreadBackend *backend, bool count_yieldpoints) {
    threads.backend = backend;
    if (count_yieldpoints) threads.initial_poll |= POLL_COUNT;
}

// ---- events --------------------------------------------------------------------------------

void thread_attach_events(const ThreadEvents *events) {
    for (Thread *t = threads.first; t; t = t->next) t->timed_locks = 0;  // their releases were not reported
    atomic_store(&threads.events, events);
}

void thread_report_switch_in(Thread *t, int to, int from) {
    THREAD_REPORT(switch_in, t, (uint32_t)to);
    if (from >= 0 && from != to) THREAD_REPORT(migration, t, (uint32_t)from, (uint32_t)to);
}

// The green scheduler reports its own switches. Of a native thread's switches, only blocking is known.
bool thread_block(Thread *self, int64_t deadline) {
    if (__builtin_expect(!thread_listener(), 1) || threads.backend->green)
        return threads.backend->block(self, deadline);
    static const ThreadSwitchReason reasons[] = {[BLOCK_NONE] = THREAD_SWITCH_BLOCK,
                                                 [BLOCK_ENTER] = THREAD_SWITCH_ENTER,
                                                 [BLOCK_WAIT] = THREAD_SWITCH_WAIT,
                                                 [BLOCK_PARK] = THREAD_SWITCH_PARK,
                                                 [BLOCK_SLEEP] = THREAD_SWITCH_SLEEP};
    int from = sched_getcpu();
    THREAD_REPORT(switch_out, self, (uint32_t)from, reasons[self->block_kind]);
    bool woken = threads.backend->block(self, deadline);
    thread_report_switch_in(self, sched_getcpu(), from);
    return woken;
}

void thread_wake(Thread *t) { threads.backend->wake(t); }
void thread_yield(Thread *self) { threads.backend->yield(self); }
void thread_hand_off(Thread *self) {
    if (threads.backend->hand_off) threads.backend->hand_off(self);
}

void thread_set_long(Thread *self, bool on) {
    if (on) atomic_fetch_or(&self->poll, POLL_LONG);
    else atomic_fetch_and(&self->poll, ~(uint32_t)POLL_LONG);
}

// ---- thread list ---------------------------------------------------------------------------

void thread_list_lock(Thread *self) {
    if (!safepoint_stopped_by_me()) thread_lock_stopping(self, &threads.list_lock);
}

void thread_list_unlock(Thread *self) {
    (void)self;
    if (!safepoint_stopped_by_me()) pthread_mutex_unlock(&threads.list_lock);
}

uint32_t thread_count(void) { return threads.count; }

void thread_each(Thread *self, ThreadVisitor *fn, void *arg) {
    thread_list_lock(self);
    for (Thread *t = threads.first; t && fn(t, arg);) t = t->next;
    thread_list_unlock(self);
}

Thread *thread_of(const Object *java_thread) {
    return (Thread *)get_long_acquire(java_thread, WK_OFF(java_lang_Thread, eetop));
}

static bool take_id(Thread *t) {
    if (threads.free_id_count > 0) {
        t->id = threads.free_ids[--threads.free_id_count];
        return true;
    }
    if (threads.last_id == MAX_ID) return false;
    // grown here, so that giving back cannot fail
    if (!GROW(threads.free_ids, threads.free_id_capacity, threads.last_id + 1)) return false;
    t->id = ++threads.last_id;
    return true;
}

// Under the list lock. False: no id left.
static bool link_thread(Thread *t) {
    if (!take_id(t)) return false;
    ASSERT(t->id > 0 && t->id <= MAX_ID, "thread id %u", t->id);
    ASSERT(!t->next && !t->prev && threads.first != t, "thread %u is in the list already", t->id);
    t->thin_lock = t->id << 2 | 1;
    t->serial = ++threads.last_serial;
    t->hash_state = mix(threads.hash_seed ^ mix(t->serial));
    t->prev = threads.last;
    t->next = NULL;
    if (threads.last) threads.last->next = t;
    else threads.first = t;
    threads.last = t;
    threads.count++;
    if (threads.count > threads.peak_count) threads.peak_count = threads.count;
    if (!t->daemon) threads.user_count++;
    return true;
}

static void unlink_thread(Thread *t) {
    ASSERT(t->prev || threads.first == t, "thread %u is not in the list", t->id);
    ASSERT(threads.count > 0 && (t->daemon || threads.user_count > 0), "%u threads, %u of them users", threads.count,
           threads.user_count);
    if (t->prev) t->prev->next = t->next;
    else threads.first = t->next;
    if (t->next) t->next->prev = t->prev;
    else threads.last = t->prev;
    threads.count--;
    if (!t->daemon) threads.user_count--;
    ASSERT(threads.free_id_count < threads.last_id && threads.free_id_count < threads.free_id_capacity,
           "%u of %u ids are free", threads.free_id_count, threads.last_id);
    threads.free_ids[threads.free_id_count++] = t->id;
    atomic_store(&t->state, THREAD_DEAD);
    pthread_cond_broadcast(&threads.thread_gone);
}

static size_t thread_bytes(void) {
    return THREAD_COUNTERS_OFFSET + (threads.counters ? 8 * (size_t)THREAD_COUNTERS : 0);
}

void thread_use_counters(void) {
    if (threads.count == 0) threads.counters = true;
}

// Under the list lock, when no other thread can reach the Thread any more.
static void discard(Thread *t) {
    uint32_t state = atomic_load(&t->state);
    ASSERT(state == THREAD_DEAD || state == THREAD_NATIVE || state == 0, "thread in state %u is discarded", state);
    threads.backend->unmap_stacks(t);
    t->next = threads.free_threads;
    threads.free_threads = t;
}

static void discard_locking(Thread *self, Thread *t) {
    thread_list_lock(self);
    discard(t);
    thread_list_unlock(self);
}

void thread_trim(void) {
    Thread **at = &threads.free_threads;
    for (int i = 0; *at && i < KEEP_FREE; i++) at = &(*at)->next;
    Thread *rest = *at;
    *at = NULL;
    while (rest) {
        Thread *next = rest->next;
        if (threads.counters) munmap(rest, thread_bytes());
        else free(rest);
        rest = next;
    }
}

// ---- attaching and ending ------------------------------------------------------------------

static size_t stack_size(int64_t wanted) {
    if (wanted <= 0) wanted = vm.options.stack_size;
    if (wanted <= 0) wanted = vm.options.stack_size_kb * 1024;
    if (wanted <= 0) return default_stack;
    return (size_t)wanted < min_stack ? min_stack : (size_t)wanted > max_stack ? max_stack : (size_t)wanted;
}

// A Thread with stacks, in the native state, not yet in the list. NULL when memory is out. Not under the list lock: the
// caller may be at a safepoint or not attached.
static Thread *new_thread(Thread *self, size_t size, size_t c_size, bool daemon) {
    thread_list_lock(self);
    Thread *t = threads.free_threads;
    if (t) threads.free_threads = t->next;
    thread_list_unlock(self);
    if (t) {
        memset(t, 0, sizeof *t);
    } else if (!threads.counters) {
        t = calloc(1, sizeof *t);
    } else {
        // Unused counters take address space but no memory; of used ones, each touched page takes memory.
        t = mmap(NULL, thread_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (t == MAP_FAILED) return NULL;
        madvise(t, thread_bytes(), MADV_NOHUGEPAGE);
    }
    if (!t) return NULL;
    // Frames here are larger than those of compiled code, and C has a separate stack.
    if (!threads.backend->map_stacks(t, 2 * size, c_size)) {
        discard_locking(self, t);
        return NULL;
    }
    t->daemon = daemon;
    atomic_store(&t->state, THREAD_NATIVE);
    atomic_store(&t->poll, threads.initial_poll);
    thread_set_dispatch(t, threads.default_dispatch);
    t->jni = thread_hooks.jni;
    t->start_time = thread_now();
    return t;
}

static bool add_thread(Thread *self, Thread *t) {
    thread_list_lock(self);
    bool ok = link_thread(t);
    thread_list_unlock(self);
    if (ok) heap_cache_attach(&t->heap, t);
    return ok;
}

Thread *thread_attach_bare(bool daemon) {
    Thread *t = new_thread(NULL, stack_size(0), 0, daemon);
    if (!t) return NULL;
    t->attached_native = true;
    t->priority = NORMAL_PRIORITY;
    if (!threads.backend->adopt(t)) {
        discard_locking(NULL, t);
        return NULL;
    }
    t->primordial = t->os_id == getpid();
    t->published_sp = t->c_stack_base;
    ASSERT(t->c_stack_low < t->c_stack_base && t->c_stack_limit >= t->c_stack_low, "C stack %p...%p, limit %p",
           t->c_stack_low, t->c_stack_base, t->c_stack_limit);
    if (!add_thread(NULL, t)) {
        struct Carrier *carrier = threads.backend->abandon(t);
        discard_locking(NULL, t);
        if (threads.backend->gone) threads.backend->gone(carrier);
        return NULL;
    }
    thread_to_running(t);
    thread_hooks.started(t);
    return t;
}

// Last action of a thread inside the VM. Running state. A started thread's C stack is still in use afterwards;
// everything else is gone.
static void end_thread(Thread *self) {
    ASSERT(thread_is_running(self), "thread %u ends in state %u", self->id, atomic_load(&self->state));
    ASSERT(!self->frame, "thread %u ends with Java frames", self->id);
    ASSERT(!safepoint_stopped_by_me(), "thread %u ends while it has stopped the world", self->id);
    thread_hooks.ending(self);
    self->leaving = true;
    struct Carrier *carrier = threads.backend->abandon(self);
    heap_cache_detach(&self->heap);
    thread_list_lock(self);
    unlink_thread(self);
    discard(self);
    pthread_mutex_unlock(&threads.list_lock);
    if (threads.backend->gone) threads.backend->gone(carrier);
}

Thread *thread_attach_current(const char *name, Object *group, bool daemon, const char **error) {
    Thread *self = thread_current();
    if (self) return self;
    self = thread_attach_bare(daemon);
    if (!self) {
        *error = "out of memory for a thread";
        return NULL;
    }
    if (thread_hooks.create_attached(self, name, group, daemon)) return self;
    self->exception = NULL;
    end_thread(self);
    *error = "cannot make the java.lang.Thread of an attached thread";
    return NULL;
}

void thread_detach(Thread *self) {
    ASSERT(thread_is_running(self), "thread %u detaches in state %u", self->id, atomic_load(&self->state));
    if (self->java_thread) thread_hooks.exit(self);
    end_thread(self);
}

// ---- starting ------------------------------------------------------------------------------

// Waits for the threads of the class library: each waits for work, or for the thread that started it. Threads with a
// body in the VM run Java code only on request, so they count as settled. Checks several times in a row, because a
// thread that has just been notified still looks like a waiter.
static void wait_for_services(void *self) {
    enum { CHECKS = 4, MOST_CHECKS = 2000, CHECK_US = 500 };
    for (int checks = 0, settled = 0; checks < MOST_CHECKS && settled < CHECKS; checks++) {
        bool all = true;
        thread_list_lock(NULL);
        for (const Thread *t = threads.first; t && all; t = t->next) {
            if (t == self || !t->service || t->body) continue;
            uint32_t state = atomic_load(&t->state);
            all = state == THREAD_BLOCKED || (state == THREAD_NATIVE && t->frame);  // no frame: not started yet
        }
        thread_list_unlock(NULL);
        settled = all ? settled + 1 : 0;
        if (settled < CHECKS) usleep(CHECK_US);
    }
}

void thread_settle_services(Thread *self) {
    bool native = !vm.options.threads || strcmp(vm.options.threads, "native") == 0;
    if (vm.options.deterministic && native) thread_run_waiting(self, wait_for_services, self);
}

static void started_body(Thread *self) {
    ASSERT(atomic_load(&self->state) == THREAD_NATIVE, "thread %u starts in state %u", self->id,
           atomic_load(&self->state));
    self->published_sp = self->c_stack_base;
    thread_to_running(self);
    thread_hooks.started(self);
    char name[128];
    thread_name(self, name, sizeof name);
    threads.backend->set_name(self, name);
    thread_hooks.named(self, name);
    if (self->body) self->body(self, self->body_arg);
    else thread_hooks.run(self);
    thread_hooks.exit(self);
    end_thread(self);
}

static void throw_not_started(Thread *self) {
    thread_hooks.throw_oom(self,
                           "unable to create native thread: possibly out of memory or process/resource "
                           "limits reached");
}

// `t` is in the list; if the result is false, it has been removed.
static bool run_started(Thread *self, Thread *t) {
    if (threads.backend->start(t, started_body)) return true;
    heap_cache_detach(&t->heap);
    thread_list_lock(self);
    if (t->java_thread) set_long_release(t->java_thread, WK_OFF(java_lang_Thread, eetop), 0);
    unlink_thread(t);
    discard(t);
    thread_list_unlock(self);
    return false;
}

// False: memory for another thread is out, or the system refuses.
static bool start(Thread *self, Object *java_thread, void (*body)(Thread *, void *), void *arg) {
    size_t size = stack_size(get_long(java_thread, WK_OFF(java_lang_Thread, stackSize)));
    size_t c_size = size < default_stack ? default_stack : size;
    bool daemon = FIELD_AT(java_thread, WK_OFF(java_lang_Thread, daemon), uint8_t) != 0;
    Thread *t = new_thread(self, size, c_size, daemon);
    if (!t) return false;
    t->java_thread = java_thread;
    t->service = thread_in_service_group(java_thread);
    t->priority = (uint8_t)get_int(java_thread, WK_OFF(java_lang_Thread, priority));
    t->parent = self->serial;
    t->body = body;
    t->body_arg = arg;
    if (!add_thread(self, t)) {
        discard_locking(self, t);
        return false;
    }
    set_long_release(java_thread, WK_OFF(java_lang_Thread, eetop), (int64_t)(uintptr_t)t);
    int status = thread_set_status(t, STATUS_RUNNABLE);
    bool service = t->service && !body;
    if (run_started(self, t)) {
        if (service) thread_settle_services(self);
        return true;
    }
    set_int_release(java_thread, WK_OFF(java_lang_Thread, threadStatus), status);
    return false;
}

bool thread_start_bare(Thread *self, void (*fn)(Thread *self, void *arg), void *arg) {
    Thread *t = new_thread(self, stack_size(0), default_stack, false);
    if (!t) return false;
    t->body = fn;
    t->body_arg = arg;
    t->priority = NORMAL_PRIORITY;
    if (add_thread(self, t)) return run_started(self, t);
    discard_locking(self, t);
    return false;
}

bool thread_start(Thread *self, Object *java_thread) {
    if (thread_of(java_thread)) {
        thread_hooks.throw_wk(self, "java/lang/IllegalThreadStateException", NULL);
        return false;
    }
    if (start(self, java_thread, NULL, NULL) || thread_hooks.start_in_place(self, java_thread)) return true;
    throw_not_started(self);
    return false;
}

bool thread_start_service(Thread *self, const char *name, int priority, void (*fn)(Thread *self, void *arg),
                          void *arg) {
    Object *java_thread = thread_hooks.new_daemon(self, name, priority);
    if (!java_thread) return false;
    if (start(self, java_thread, fn, arg)) return true;
    throw_not_started(self);
    return false;
}

static void hand_off_and_wait_last(void *thread) {
    const Thread *self = thread;
    thread_hand_off(thread);
    pthread_mutex_lock(&threads.list_lock);
    while (threads.user_count > (self->daemon ? 0u : 1u)) pthread_cond_wait(&threads.thread_gone, &threads.list_lock);
    pthread_mutex_unlock(&threads.list_lock);
}

void thread_wait_last(Thread *self) { thread_run_again(self, THREAD_BLOCKED, hand_off_and_wait_last, self); }

// ---- queries -------------------------------------------------------------------------------

void thread_show_blocked(Thread *self, BlockKind kind, Object *object, bool timed) {
    self->block_object = object;
    self->block_kind = kind;
    if (kind == BLOCK_ENTER) self->blocked_count++;
    else self->waited_count++;
    self->block_since = atomic_load(&threads.time_contention) ? thread_now() : 0;
    THREAD_REPORT(block_begin, self, kind, timed, object, object ? object_class(object) : NULL,
                  kind == BLOCK_ENTER ? monitor_owner(object) : 0);
}

void thread_show_running(Thread *self) {
    THREAD_REPORT(block_end, self, self->block_kind);
    self->lock_timer = 0;  // the first holding after a wait is timed
    self->lock_period = stamp_period_after_wait(self->lock_period);
    if (self->block_since) {
        int64_t time = thread_now() - self->block_since;
        if (self->block_kind == BLOCK_ENTER) self->blocked_ns += time;
        else self->waited_ns += time;
    }
    self->block_kind = BLOCK_NONE;
    self->block_object = NULL;
}

void thread_counts(Thread *self, ThreadCounts *out) {
    thread_list_lock(self);
    *out = (ThreadCounts){threads.count, threads.count - threads.user_count, threads.peak_count, threads.last_serial};
    thread_list_unlock(self);
}

void thread_reset_peak(Thread *self) {
    thread_list_lock(self);
    threads.peak_count = threads.count;
    thread_list_unlock(self);
}

int thread_status(const Thread *t) {
    if (!t->java_thread) return STATUS_RUNNABLE;
    return get_int_acquire(t->java_thread, WK_OFF(java_lang_Thread, threadStatus));
}

int thread_set_status(Thread *t, int status) {
    if (!t->java_thread) return STATUS_RUNNABLE;
    int old = get_int_acquire(t->java_thread, WK_OFF(java_lang_Thread, threadStatus));
    set_int_release(t->java_thread, WK_OFF(java_lang_Thread, threadStatus), status);
    return old;
}

uint64_t thread_serial(const Thread *t) { return t->serial; }
uint32_t thread_lock_id(const Thread *t) { return t->id; }
uint64_t thread_parent(const Thread *t) { return t->parent; }
uint8_t thread_priority(const Thread *t) { return t->priority; }
bool thread_is_service(const Thread *t) { return t->service; }
void thread_set_native_name(Thread *t, const char *utf8) { threads.backend->set_name(t, utf8); }
int thread_processor(const Thread *t) { return threads.backend->processor ? threads.backend->processor(t) : -1; }
int thread_os_id(const Thread *t) { return threads.backend->os_id(t); }

uint64_t thread_cpu_ns(const Thread *t) { return threads.backend->cpu_ns(t); }

void thread_signal_native(Thread *self, uint64_t serial, int sig) {
    thread_list_lock(self);
    Thread *t = threads.first;
    while (t && t->serial != serial) t = t->next;
    if (t) threads.backend->signal_native(t, sig);
    thread_list_unlock(self);
}

bool thread_in_service_group(const Object *java_thread) {
    const Object *main_group = thread_hooks.main_group();
    const Object *group = get_ref(java_thread, (size_t)WK_OFF(java_lang_Thread, group));
    while (group && group != main_group) group = get_ref(group, (size_t)WK_OFF(java_lang_ThreadGroup, parent));
    return main_group && !group;
}

void thread_name(const Thread *t, char *buf, size_t size) {
    Object *java = t->java_thread;
    Object *name = java ? get_ref(java, (size_t)WK_OFF(java_lang_Thread, name)) : NULL;
    char *utf8 = name ? thread_hooks.text(name) : NULL;
    size_t n = utf8 ? strnlen(utf8, size - 1) : 0;
    if (utf8) memcpy(buf, utf8, n);
    else buf[n++] = '?';
    buf[n] = 0;
    free(utf8);
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

// The list lock is held because the world is stopped. The memory of the other threads stays, because there are pointers
// to it; their monitors stay locked. In a shadow, thread_adopt_all handles the other threads.
void thread_after_fork_child(void) {
    Thread *self = thread_current();
    if (threads.shadow) return;
    for (Thread *t = threads.first, *next; t; t = next) {
        next = t->next;
        if (t == self) continue;
        thread_set_status(t, STATUS_TERMINATED);
        if (t->java_thread) set_long_release(t->java_thread, WK_OFF(java_lang_Thread, eetop), 0);
        unlink_thread(t);
    }
    pthread_cond_init(&threads.thread_gone, NULL);
    self->os_id = gettid();
    self->suspended = false;
    if (threads.backend->after_fork_child) threads.backend->after_fork_child(self);
    threadstack_after_fork();
}

// In the child the C library frees the stack of a pthread that a library created.
bool thread_can_be_adopted(const Thread *t) {
    uint32_t state = atomic_load(&t->state);
    bool native = state == THREAD_NATIVE && (t->again.input || t->again.over);
    return t->again.fn && !t->leaving && (state == THREAD_PAUSED || state == THREAD_BLOCKED || native) &&
        (!t->attached_native || t->primordial);
}

// A library's stack may have been overwritten, so a collection scans nothing of it.
uint32_t thread_adopt_all(uint32_t *left) {
    uint32_t adopted = 0;
    *left = 0;
    pthread_cond_init(&threads.thread_gone, NULL);
    if (threads.backend->after_fork_child) threads.backend->after_fork_child(NULL);
    threadstack_after_fork();
    for (Thread *t = threads.first; t; t = t->next) {
        if (thread_can_be_adopted(t) && threads.backend->continue_thread(t)) {
            adopted++;
            continue;
        }
        atomic_store(&t->state, THREAD_NATIVE);
        atomic_store(&t->event, EVENT_NONE);  // a wake must not make it runnable
        t->carrier = NULL;
        t->processor = NULL;
        t->polls = NULL;
        if (t->attached_native) t->published_sp = t->c_stack_base;
        if (!t->service && !t->leaving) ++*left;
    }
    return adopted;
}

void thread_before_fork(void) {
    threadstack_before_fork();
    if (threads.backend->before_fork) threads.backend->before_fork();
}

void thread_after_fork_parent(void) {
    if (threads.backend->after_fork_parent) threads.backend->after_fork_parent();
    threadstack_after_fork();
}
