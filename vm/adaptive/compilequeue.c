// The queue and the compile threads (vm/adaptive/compilequeue.h).
//
// The queue is a list under one lock; the quick tier's requests come first, then the hottest. Whoever waits
// for a compilation does so in native state.
#include "vm/adaptive/compilequeue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/base/exithooks.h"
#include "vm/adaptive/compiler_library.h"
#include "vm/adaptive/tiering.h"
#include "vm/instrument/profile.h"
#include "vm/objects/classes.h"
#include "vm/threads/backend.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

enum { DEAD_BEFORE_SWEEP = 64 };
enum { COMPILE_STACK = 32 << 20 };

typedef struct Request {
    struct Request *next;
    CompileTask what;
    bool waited_for, done;
} Request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static Request *queue;
static uint32_t queued, compile_threads, idle_threads, busy_threads;
static uint32_t optimizing;                // threads that work for TIER_OPTIMIZED
static bool closing;                       // the process ends: nothing more is compiled
static const CompilerInterface *compiler;  // set once, under the lock
static bool broken;                        // the library cannot be opened
static CompileStats stats;                 // under the lock

// ---- the compiler, and the end of the process ---------------------------------------------------

// LLVM's static objects are about to be destroyed. A thread that is compiling would fall over that, and
// waiting for it could take long: the process ends here.
static void before_destructors(int status, void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    closing = true;
    bool busy = busy_threads > 0;
    pthread_mutex_unlock(&lock);
    if (!busy) return;
    fflush(NULL);
    _exit(status);
}

// Handlers run in the reverse order of their registration, and LLVM registers some whenever it first
// makes an object: so ours is registered once more, as late as can be.
static void close_compiler(void) {
    pthread_mutex_lock(&lock);
    const CompilerInterface *c = compiler;
    closing = true;
    pthread_mutex_unlock(&lock);
    on_exit(before_destructors, NULL);
    if (c) c->finish();
}

// Under the lock. From the first use on the end of the process is to be heard of.
static void hear_of_exit(void) {
    static bool hooked;
    if (!hooked) exithooks_add(close_compiler);
    hooked = true;
}

// Under the lock, on a compile thread; the lock is given up meanwhile. One thread opens, others wait.
static bool have_compiler(void) {
    static bool opening;
    while (opening) pthread_cond_wait(&finished, &lock);
    if (compiler || broken) return compiler;
    const char *error;
    opening = true;
    pthread_mutex_unlock(&lock);
    const CompilerInterface *c = opening_compiler(&error);
    pthread_mutex_lock(&lock);
    opening = false;
    compiler = c;
    broken = !c;
    if (error && !c)
        fprintf(stderr, "cabernet: the compiler cannot be used, so everything is interpreted: %s\n", error);
    pthread_cond_broadcast(&finished);
    return compiler;
}

// ---- what PrintCompilation shows ----------------------------------------------------------------

static const char *const bailout_texts[] = {
#define BAILOUT(id, text) text,
#include "vm/api/bailouts.def"
};

static uint64_t uptime_ms(void) { return ((uint64_t)thread_now() - vm.start_ns) / 1000000; }

void compilequeue_print_line(const CompileTask *r, uint32_t id, const char *rest) {
    const Method *m = r->method;
    char at[32] = "";
    if (r->osr_bci >= 0) snprintf(at, sizeof at, " @ %d", r->osr_bci);
    fprintf(stderr, "%8llu %5u %c%c%c %u  %s::%s%s (%u bytes)%s%s\n", (unsigned long long)uptime_ms(), id,
            r->osr_bci >= 0 ? '%' : ' ', m->flags & ACC_SYNCHRONIZED ? 's' : ' ',
            m->handler_count ? '!' : ' ', r->tier, class_external_name(m->cls), m->name->text, at,
            m->info->code->code_len, *rest ? "   " : "", rest);
}

void compilequeue_print_bailout(const CompileTask *r, int bailout, const char *detail) {
    char text[512];
    snprintf(text, sizeof text, "not compiled: %s%s%s", bailout_texts[bailout], detail ? ": " : "",
             detail ? detail : "");
    compilequeue_print_line(r, 0, text);
}

// ---- compile threads ----------------------------------------------------------------------------

static bool is_osr(const Request *r) { return r->what.osr_bci >= 0; }

// Under the lock. Asking for the number of processors reads a file: once.
static uint32_t thread_limit(void) {
    static long processors;
    if (tiering_options.threads) return tiering_options.threads;
    if (!processors) processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 8 ? 2 : processors < 32 ? 3 : 5;
}

// The optimising tier takes a hundred times as long as the quick one: it never has all threads.
static bool may_take(const Request *r) {
    uint32_t limit = thread_limit();
    return r->what.tier != TIER_OPTIMIZED || optimizing < (limit > 1 ? limit - 1 : 1);
}

// By what the methods have become meanwhile, not by what they were when they were asked for.
static uint32_t heat(const Request *r) { return __atomic_load_n(&r->what.method->hotness, __ATOMIC_RELAXED); }

static bool before(const Request *a, const Request *b) {
    bool a_quick = a->what.tier == TIER_BASELINE, b_quick = b->what.tier == TIER_BASELINE;
    return a_quick != b_quick ? a_quick : heat(a) > heat(b);
}

// NULL: nothing that may be done now.
static Request *take(void) {
    Request **best = NULL;
    for (Request **at = &queue; *at; at = &(*at)->next)
        if (may_take(*at) && (!best || before(*at, *best))) best = at;
    if (!best) return NULL;
    Request *r = *best;
    *best = r->next;
    queued--;
    return r;
}

static void account(const Request *r, const CompileResult *result, bool installed) {
    pthread_mutex_lock(&lock);
    stats.compile_ns[r->what.tier] += result->compile_ns;
    if (installed) stats.compiled[r->what.tier]++;
    else stats.refused++;
    if (installed && is_osr(r)) stats.osr++;
    pthread_mutex_unlock(&lock);
}

static void compile(Request *r) {
    CompileResult result = {0};
    Method *m = r->what.method;
    bool print = tiering_options.print_compilation;
    uint32_t generation = profile_generation();
    compiler->compile(&r->what, &result);
    static _Atomic uint32_t ids;
    uint32_t id = 0;
    if (result.code) id = result.code->id = atomic_fetch_add(&ids, 1) + 1;
    bool installed = result.code && code_install(result.code, generation);
    if (result.code && !installed) compiler->release(result.code);
    if (print && installed) compilequeue_print_line(&r->what, id, "");
    if (!result.code) {
        if (print) compilequeue_print_bailout(&r->what, result.bailout, result.detail);
        compilequeue_set(m, is_osr(r) ? STATE_REFUSED_OSR : STATE_REFUSED);
    }
    compilequeue_clear(m, is_osr(r) ? STATE_QUEUED_OSR : STATE_QUEUED);
    account(r, &result, installed);
}

static void release_dead(void) {
    Code *dead = code_sweep();
    while (dead) {
        Code *next = dead->next_in_table;
        compiler->release(dead);
        dead = next;
    }
}

static void keep_in_bounds(void) {
    size_t held = compiler->memory_bytes(), limit = (size_t)tiering_options.cache;
    if (held > limit) code_evict(held - limit + limit / 8);
    if (code_dead_count() >= DEAD_BEFORE_SWEEP || held > limit) release_dead();
}

static void work_off(Request *r) {
    bool have = have_compiler();
    pthread_mutex_unlock(&lock);
    if (have) {
        compile(r);
        keep_in_bounds();
    }
    pthread_mutex_lock(&lock);
    if (r->waited_for) {
        r->done = true;
        pthread_cond_broadcast(&finished);
    } else {
        free(r);
    }
}

static void *compile_thread(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Compiler");
    pthread_mutex_lock(&lock);
    for (;;) {
        idle_threads++;
        Request *r;
        while (closing || !(r = take())) pthread_cond_wait(&work, &lock);
        idle_threads--;
        busy_threads++;
        bool slow = r->what.tier == TIER_OPTIMIZED;
        optimizing += slow;
        work_off(r);
        optimizing -= slow;
        busy_threads--;
    }
    return NULL;
}

// Under the lock.
static void start_thread_if_needed(void) {
    if (idle_threads >= queued || compile_threads >= thread_limit()) return;
    hear_of_exit();
    if (backend_start_helper(compile_thread, NULL, COMPILE_STACK)) compile_threads++;
}

// ---- requests -----------------------------------------------------------------------------------

static Request *add_request(const CompileTask *what, bool wait) {
    Request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (Request){.what = *what, .waited_for = wait};
    pthread_mutex_lock(&lock);
    r->next = queue;
    queue = r;
    queued++;
    start_thread_if_needed();
    if (!compile_threads) {  // no thread to be had: nothing is compiled
        queue = r->next;
        queued--;
        free(r);
        r = NULL;
    }
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    return r;
}

static void wait_until_done(void *request) {
    Request *r = request;
    pthread_mutex_lock(&lock);
    while (!r->done) pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    free(r);
}

// ---- what tiering asks --------------------------------------------------------------------------

bool compilequeue_add(Thread *self, const CompileTask *what, bool wait) {
    Request *r = add_request(what, wait);
    if (r && wait) thread_run_native(self, wait_until_done, r);
    return r != NULL;
}

bool compilequeue_shut(void) {
    return __atomic_load_n(&broken, __ATOMIC_RELAXED) || __atomic_load_n(&closing, __ATOMIC_RELAXED);
}

const CompilerInterface *compilequeue_open(const char **error) {
    pthread_mutex_lock(&lock);
    compiler = opening_compiler(error);
    if (compiler) hear_of_exit();
    pthread_mutex_unlock(&lock);
    return compiler;
}

void compilequeue_stats(CompileStats *out) {
    pthread_mutex_lock(&lock);
    *out = stats;
    out->waiting = queued;
    pthread_mutex_unlock(&lock);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void compilequeue_before_fork(void) { pthread_mutex_lock(&lock); }
void compilequeue_after_fork_parent(void) { pthread_mutex_unlock(&lock); }

// The compile threads are gone, some of them in the middle of LLVM, whose locks they hold: what is compiled runs on,
// nothing more is compiled, and the end of the process does not ask LLVM.
void compilequeue_after_fork_child(void) {
    closing = true;
    compiler = NULL;
    queue = NULL;
    queued = compile_threads = idle_threads = busy_threads = optimizing = 0;
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&finished, NULL);
    pthread_mutex_unlock(&lock);
}
