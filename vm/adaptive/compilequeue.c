// The queue and the compile threads (vm/adaptive/compilequeue.h).
//
// The queue is a list under one lock, and the hottest task is taken first. A thread that waits for a compilation does
// so in the state THREAD_BLOCKED.
#include "vm/adaptive/compilequeue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/invariant.h"
#include "vm/base/exithooks.h"
#include "vm/adaptive/compiler_library.h"
#include "vm/adaptive/interpreted.h"
#include "vm/adaptive/tiering.h"
#include "vm/instrument/profile.h"
#include "vm/model/classloader.h"
#include "vm/objects/classes.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/thread.h"
#include "vm/threads/ticks.h"
#include "vm/model/vm.h"

enum { DEAD_BEFORE_SWEEP = 64 };
enum { COMPILE_STACK = 32 << 20 };

typedef struct QueuedTask {
    struct QueuedTask *next;
    CompileTask what;
    bool waited_for, done;
    uint64_t number;  // position among the tasks begun
} QueuedTask;

static struct CompileQueue {
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t finished;
    QueuedTask *queue;
    _Atomic uint32_t queued;
    _Atomic uint32_t waiting_ratio;  // STRAIN_NONE * wall time / processor time of recent compilations; 0: unknown
    _Atomic uint32_t share_ratio;    // STRAIN_NONE * compilation share of processor time / usual share; 0: unknown
    uint32_t compile_threads, idle_threads, busy_threads;
    QueuedTask *to_prepare;             // tasks for shadows, which have a separate thread
    bool prepares;                      // that thread was started
    pthread_cond_t idle;                // signalled when no other task is queued
    uint64_t begun;                     // number of tasks taken from the queue
    struct QueuedTask *running;         // tasks being worked on
    bool closing;                       // the process ends: nothing more is compiled
    const CompilerInterface *compiler;  // set once, under the lock
    bool broken;                        // the library cannot be opened
    bool opening;                       // it is being opened, without the lock
    bool hooked;                        // close_compiler is registered
    long processors;                    // 0: not read yet
    _Atomic uint32_t last_id;           // last id given to a code
    CompileStats stats;                 // under the lock
} compilequeue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
    .idle = PTHREAD_COND_INITIALIZER,
};

// ---- the compiler, and the end of the process ---------------------------------------------------

// LLVM's static objects are about to be destroyed. That would crash a thread that is compiling, and waiting for it
// could take long: so the process ends here.
static void before_destructors(int status, void *arg) {
    (void)arg;
    pthread_mutex_lock(&compilequeue.lock);
    compilequeue.closing = true;
    bool busy = compilequeue.busy_threads > 0;
    pthread_mutex_unlock(&compilequeue.lock);
    if (!busy) return;
    fflush(NULL);
    _exit(status);
}

// Handlers run in the reverse order of their registration, and LLVM registers some whenever it first makes an object.
// So before_destructors is registered as late as possible.
static void close_compiler(void) {
    pthread_mutex_lock(&compilequeue.lock);
    const CompilerInterface *c = compilequeue.compiler;
    compilequeue.closing = true;
    pthread_mutex_unlock(&compilequeue.lock);
    on_exit(before_destructors, NULL);
    if (c) c->finish();
}

// From the first use on, the end of the process closes the compiler. The caller holds the lock.
static void stop_at_exit(void) {
    if (!compilequeue.hooked) exithooks_add(close_compiler);
    compilequeue.hooked = true;
}

// Called under the lock, on a compile thread; releases the lock meanwhile. One thread opens the compiler, others
// wait.
static bool have_compiler(void) {
    while (compilequeue.opening) pthread_cond_wait(&compilequeue.finished, &compilequeue.lock);
    if (compilequeue.compiler || compilequeue.broken) return compilequeue.compiler;
    const char *error;
    compilequeue.opening = true;
    pthread_mutex_unlock(&compilequeue.lock);
    const CompilerInterface *c = compilerlibrary_open(&error);
    pthread_mutex_lock(&compilequeue.lock);
    compilequeue.opening = false;
    compilequeue.compiler = c;
    compilequeue.broken = !c;
    if (error && !c)
        fprintf(stderr, "cabernet: the compiler cannot be used, so everything is interpreted: %s\n", error);
    pthread_cond_broadcast(&compilequeue.finished);
    return compilequeue.compiler;
}

// ---- output of PrintCompilation -----------------------------------------------------------------

static const char *const bailout_texts[] = {
#define BAILOUT(id, text) text,
#include "vm/api/bailouts.def"
};

const char *compilequeue_bailout_text(int bailout) { return bailout_texts[bailout]; }

void compilequeue_print_line(const CompileTask *r, uint32_t id, const char *rest) {
    const Method *m = r->method;
    char at[32] = "";
    if (r->osr_bci >= 0) snprintf(at, sizeof at, " @ %d", r->osr_bci);
    fprintf(stderr, "%8llu %5u %c%c%c  %s::%s%s (%u bytes)%s%s\n",
            (unsigned long long)(((uint64_t)thread_now() - vm.start_ns) / 1000000), id, r->osr_bci >= 0 ? '%' : ' ',
            m->flags & ACC_SYNCHRONIZED ? 's' : ' ', m->handler_count ? '!' : ' ', class_external_name(m->cls),
            m->name->text, at, m->info->code->code_len, *rest ? "   " : "", rest);
}

void compilequeue_print_bailout(const CompileTask *r, int bailout, const char *detail) {
    char text[512];
    snprintf(text, sizeof text, "not compiled: %s%s%s", bailout_texts[bailout], *detail ? ": " : "", detail);
    compilequeue_print_line(r, 0, text);
}

// ---- compile threads ----------------------------------------------------------------------------

static bool is_osr(const QueuedTask *r) { return r->what.osr_bci >= 0; }

// Takes the hottest task off a list; NULL: the list is empty. The caller holds the lock.
static QueuedTask *take_hottest(QueuedTask **list) {
    QueuedTask **best = list;
    if (!*best) return NULL;
    uint32_t most = 0;
    for (QueuedTask **at = best; *at; at = &(*at)->next) {
        // It may have grown since the request.
        uint32_t hotness = __atomic_load_n(&(*at)->what.method->hotness, __ATOMIC_RELAXED);
        if (hotness <= most) continue;
        most = hotness;
        best = at;
    }
    QueuedTask *r = *best;
    *best = r->next;
    return r;
}

static bool prepare_too(const QueuedTask *r);

// `part` / `whole` in units of 1 / STRAIN_NONE, within the limits of a strain. A whole of 0 is no strain.
static uint32_t strain_of(uint64_t part, uint64_t whole) {
    uint64_t strain = whole ? part * STRAIN_NONE / whole : STRAIN_NONE;
    return strain < STRAIN_NONE ? STRAIN_NONE : strain > STRAIN_MOST ? STRAIN_MOST : (uint32_t)strain;
}

uint32_t compilequeue_strain(void) {
    uint32_t share = atomic_load_explicit(&compilequeue.share_ratio, memory_order_relaxed);
    uint32_t ratio = atomic_load_explicit(&compilequeue.waiting_ratio, memory_order_relaxed);
    uint32_t queued = atomic_load_explicit(&compilequeue.queued, memory_order_relaxed);
    if (tiering.options.blocking) return STRAIN_NONE;
    uint64_t strain = (uint64_t)(ratio ? ratio : STRAIN_NONE) * (4 + queued) / 4;
    if (share) strain = strain * share / STRAIN_NONE;
    return strain < STRAIN_MOST ? (uint32_t)strain : STRAIN_MOST;
}

static void compile(QueuedTask *r) {
    CompileResult result = {0};
    const Method *m = r->what.method;
    bool print = tiering.options.print_compilation, shadows = r->what.for_shadows;
    uint32_t generation = profile_generation();
    code_compile_for_shadows(shadows);
    int64_t began = clock_monotonic_ns();
    compilequeue.compiler->compile(&r->what, &result);
    // Compile threads have a nice value, so they wait when processors are busy.
    uint32_t waited = strain_of((uint64_t)(clock_monotonic_ns() - began), result.compile_ns);
    uint32_t before = atomic_load_explicit(&compilequeue.waiting_ratio, memory_order_relaxed);
    atomic_store_explicit(&compilequeue.waiting_ratio, before ? (3 * before + waited) / 4 : waited,
                          memory_order_relaxed);
    code_compile_for_shadows(false);
    uint32_t id = 0;
    ASSERT(!result.code || (result.code->method == m && result.code->osr_bci == r->what.osr_bci),
           "%s.%s: code of something else", m->cls->name->text, m->name->text);
    if (result.code) id = result.code->id = atomic_fetch_add(&compilequeue.last_id, 1) + 1;
    bool installed = result.code && code_install(result.code, generation, shadows ? CODE_PREPARED : CODE_LIVE);
    if (result.code && !installed) compilequeue.compiler->release(result.code);
    if (print && installed) compilequeue_print_line(&r->what, id, shadows ? "for shadows" : "");
    if (!result.code && !shadows) interpreted_note(&r->what, result.bailout);
    if (print && !result.code) compilequeue_print_bailout(&r->what, result.bailout, result.detail);
    if (!shadows) {  // a bailout of a compilation for shadows does not concern the method here
        _Atomic uint8_t *state = &r->what.method->compile_state;
        uint8_t queued = is_osr(r) ? STATE_QUEUED_OSR : STATE_QUEUED;
        if (!result.code) atomic_fetch_or(state, is_osr(r) ? STATE_REFUSED_OSR : STATE_REFUSED);
        atomic_fetch_and(state, (uint8_t)~queued);
    }
    if (installed && !shadows) tiering_installed(r->what.method);
    pthread_mutex_lock(&compilequeue.lock);
    if (installed) prepare_too(r);
    compilequeue.stats.compile_ns += result.compile_ns;
    // A short program does not recover the time that it spends on compilation.
    enum { USUAL_SHARE = 8 };  // an eighth of the process's processor time
    uint64_t share = strain_of(compilequeue.stats.compile_ns * USUAL_SHARE,
                               (uint64_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    atomic_store_explicit(&compilequeue.share_ratio, (uint32_t)share, memory_order_relaxed);
    if (shadows) compilequeue.stats.prepared += installed;
    else if (installed) compilequeue.stats.compiled++;
    else compilequeue.stats.refused++;
    if (installed && is_osr(r) && !shadows) compilequeue.stats.osr++;
    compilequeue.stats.cached[result.cached]++;
    if (installed) compilequeue.stats.allocations += result.allocations;
    if (installed) compilequeue.stats.vanished += result.vanished;
    pthread_mutex_unlock(&compilequeue.lock);
}

static void process_task(QueuedTask *r) {
    bool have = have_compiler();
    pthread_mutex_unlock(&compilequeue.lock);
    if (have) {
        compile(r);
        size_t held = compilequeue.compiler->memory_bytes(), limit = (size_t)tiering.options.cache;
        if (held > limit) code_evict(held - limit + limit / 8);
        if (code_dead_count() >= DEAD_BEFORE_SWEEP || code_old_table_bytes() > CODE_MOST_OLD_TABLES || held > limit) {
            Code *dead = code_sweep();
            while (dead) {
                Code *next = dead->next_in_table;
                compilequeue.compiler->release(dead);
                dead = next;
            }
        }
    }
    pthread_mutex_lock(&compilequeue.lock);
    QueuedTask **at = &compilequeue.running;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    if (r->waited_for) {
        r->done = true;
        pthread_cond_broadcast(&compilequeue.finished);
    } else {
        free(r);
    }
}

// Called under the lock; releases it meanwhile.
static void work_on(QueuedTask *r) {
    compilequeue.busy_threads++;
    r->number = ++compilequeue.begun;
    r->next = compilequeue.running;
    compilequeue.running = r;
    process_task(r);
    ASSERT(compilequeue.busy_threads > 0, "no thread is busy");
    compilequeue.busy_threads--;
    if (!compilequeue.queue) pthread_cond_signal(&compilequeue.idle);
}

static void *compile_thread(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Compiler");
    ticks_pthread_begins(TICK_COMPILER);
    if (tiering.options.nice && !tiering.options.blocking)
        setpriority(PRIO_PROCESS, (id_t)gettid(), (int)tiering.options.nice);
    pthread_mutex_lock(&compilequeue.lock);
    for (;;) {
        compilequeue.idle_threads++;
        QueuedTask *r;
        while (compilequeue.closing || !(r = take_hottest(&compilequeue.queue)))
            pthread_cond_wait(&compilequeue.work, &compilequeue.lock);
        ASSERT(compilequeue.queued > 0, "a task of an empty queue");
        compilequeue.queued--;
        ASSERT(compilequeue.idle_threads > 0 &&
                   compilequeue.idle_threads + compilequeue.busy_threads <=
                       compilequeue.compile_threads + compilequeue.prepares,
               "%u idle and %u busy threads of %u", compilequeue.idle_threads, compilequeue.busy_threads,
               compilequeue.compile_threads);
        compilequeue.idle_threads--;
        work_on(r);
    }
    return NULL;
}

// ---- for shadows --------------------------------------------------------------------------------

static void *prepare_thread(void *arg) {
    enum { NICE = 5 };
    (void)arg;
    pthread_setname_np(pthread_self(), "Compiler (low)");
    ticks_pthread_begins(TICK_COMPILER);
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    pthread_mutex_lock(&compilequeue.lock);
    for (;;) {
        QueuedTask *r = NULL;
        while (compilequeue.queue || compilequeue.closing || !(r = take_hottest(&compilequeue.to_prepare)))
            pthread_cond_wait(&compilequeue.idle, &compilequeue.lock);
        work_on(r);
    }
    return NULL;
}

// Requests code for shadows of a method that has just been compiled. False: it is not wanted, or there is no memory.
// A plan that is recorded or replayed has one code for a method. The caller holds the lock.
static bool prepare_too(const QueuedTask *r) {
    const CompilerOptions *o = &tiering.options.compiler;
    if (r->what.for_shadows || !profile_prepares_shadows() || o->replay_record || o->replay_file) return false;
    QueuedTask *task = compilequeue.to_prepare;
    while (task && (task->what.method != r->what.method || task->what.osr_bci != r->what.osr_bci)) task = task->next;
    if (!task) {
        task = calloc(1, sizeof *task);
        if (!task) return false;
        task->next = compilequeue.to_prepare;
        compilequeue.to_prepare = task;
    }
    task->what = r->what;
    task->what.for_shadows = true;
    if (!compilequeue.prepares) compilequeue.prepares = backend_start_helper(prepare_thread, NULL, COMPILE_STACK);
    pthread_cond_signal(&compilequeue.idle);
    return true;
}

typedef struct Compiled {
    CompileTask *tasks;
    size_t count, capacity;
} Compiled;

static void note_compiled(void *arg, const Code *code) {
    Compiled *c = arg;
    if (code->state != CODE_LIVE || !GROW(c->tasks, c->capacity, c->count + 1)) return;
    c->tasks[c->count++] = (CompileTask){.method = code->method, .osr_bci = code->osr_bci};
}

void compilequeue_prepare_all(void) {
    Compiled c = {0};
    code_each(true, note_compiled, &c);
    pthread_mutex_lock(&compilequeue.lock);
    for (size_t i = 0; i < c.count; i++) prepare_too(&(QueuedTask){.what = c.tasks[i]});
    pthread_mutex_unlock(&compilequeue.lock);
    free(c.tasks);
}

void compilequeue_prepare_none(void) {
    pthread_mutex_lock(&compilequeue.lock);
    for (QueuedTask *r; (r = compilequeue.to_prepare);) {
        compilequeue.to_prepare = r->next;
        free(r);
    }
    pthread_mutex_unlock(&compilequeue.lock);
}

// ---- tasks --------------------------------------------------------------------------------------

static QueuedTask *add_task(const CompileTask *what, bool wait) {
    QueuedTask *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (QueuedTask){.what = *what, .waited_for = wait};
    pthread_mutex_lock(&compilequeue.lock);
    r->next = compilequeue.queue;
    compilequeue.queue = r;
    compilequeue.queued++;
    if (!compilequeue.processors) compilequeue.processors = sysconf(_SC_NPROCESSORS_ONLN);  // reads a file: once
    uint32_t limit = tiering.options.threads ? tiering.options.threads
        : compilequeue.processors < 8        ? 1
        : compilequeue.processors < 32       ? 2
                                             : 4;
    if (compilequeue.idle_threads < compilequeue.queued && compilequeue.compile_threads < limit) {
        stop_at_exit();
        if (backend_start_helper(compile_thread, NULL, COMPILE_STACK)) compilequeue.compile_threads++;
    }
    if (!compilequeue.compile_threads) {  // no thread could be started: nothing is compiled
        compilequeue.queue = r->next;
        compilequeue.queued--;
        free(r);
        r = NULL;
    }
    pthread_cond_signal(&compilequeue.work);
    pthread_mutex_unlock(&compilequeue.lock);
    return r;
}

// A shadow executes this again, but no thread compiles there.
static void wait_until_done(void *task) {
    QueuedTask *r = task;
    pthread_mutex_lock(&compilequeue.lock);
    ASSERT(r->waited_for, "nobody says when the task is done");
    while (!r->done && !threads.shadow) pthread_cond_wait(&compilequeue.finished, &compilequeue.lock);
    pthread_mutex_unlock(&compilequeue.lock);
    free(r);
}

// ---- interface for tiering ----------------------------------------------------------------------

bool compilequeue_add(Thread *self, const CompileTask *what, bool wait) {
    QueuedTask *r = add_task(what, wait);
    if (r && wait) thread_run_again(self, THREAD_BLOCKED, wait_until_done, r);
    return r != NULL;
}

bool compilequeue_shut(void) {
    return __atomic_load_n(&compilequeue.broken, __ATOMIC_RELAXED) ||
        __atomic_load_n(&compilequeue.closing, __ATOMIC_RELAXED);
}

const CompilerInterface *compilequeue_open(const char **error) {
    pthread_mutex_lock(&compilequeue.lock);
    compilequeue.compiler = compilerlibrary_open(error);
    if (compilequeue.compiler) stop_at_exit();
    pthread_mutex_unlock(&compilequeue.lock);
    return compilequeue.compiler;
}

void compilequeue_stats(CompileStats *out) {
    pthread_mutex_lock(&compilequeue.lock);
    *out = compilequeue.stats;
    out->waiting = compilequeue.queued;
    pthread_mutex_unlock(&compilequeue.lock);
}

// ---- unloading ----------------------------------------------------------------------------------

uint64_t compilequeue_begun(void) {
    pthread_mutex_lock(&compilequeue.lock);
    uint64_t begun = compilequeue.begun;
    pthread_mutex_unlock(&compilequeue.lock);
    return begun;
}

bool compilequeue_finished(uint64_t begun) {
    pthread_mutex_lock(&compilequeue.lock);
    const QueuedTask *r = compilequeue.running;
    while (r && r->number > begun) r = r->next;
    pthread_mutex_unlock(&compilequeue.lock);
    return !r;
}

static bool is_dead(const Method *m) { return m->cls->space->dead; }

static uint32_t drop_dead(QueuedTask **list) {
    uint32_t dropped = 0;
    for (QueuedTask **at = list; *at;) {
        QueuedTask *r = *at;
        if (!is_dead(r->what.method)) {
            at = &r->next;
            continue;
        }
        ASSERT(!r->waited_for, "somebody waits for %s of an unloaded class", r->what.method->name->text);
        *at = r->next;
        dropped++;
        free(r);
    }
    return dropped;
}

// A method for which a thread waits is on that thread's stack, so it is alive.
void compilequeue_forget_dead(void) {
    pthread_mutex_lock(&compilequeue.lock);
    compilequeue.queued -= drop_dead(&compilequeue.queue);
    drop_dead(&compilequeue.to_prepare);
    if (compilequeue.compiler) compilequeue.compiler->forget_dead(is_dead);
    pthread_mutex_unlock(&compilequeue.lock);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void compilequeue_before_fork(void) { pthread_mutex_lock(&compilequeue.lock); }
void compilequeue_after_fork_parent(void) { pthread_mutex_unlock(&compilequeue.lock); }

// The compile threads are gone, some of them in the middle of LLVM, with its locks held. So existing code still runs,
// nothing more is compiled, and the end of the process does not call LLVM.
void compilequeue_after_fork_child(void) {
    compilequeue.closing = true;
    compilequeue.compiler = NULL;
    compilequeue.queue = compilequeue.to_prepare = compilequeue.running = NULL;
    compilequeue.queued = compilequeue.compile_threads = compilequeue.idle_threads = compilequeue.busy_threads = 0;
    pthread_cond_init(&compilequeue.work, NULL);
    pthread_cond_init(&compilequeue.finished, NULL);
    pthread_cond_init(&compilequeue.idle, NULL);
    pthread_mutex_unlock(&compilequeue.lock);
}
