// Tiering (vm/compiled/tiering.h).
//
// The queue is a list under one lock; the quick tier's requests come first, then the hottest. A method has at most one request of a
// kind waiting: compile_state says so. Whoever waits for a compilation does so in native state.
//
// Recompiling ends: after RECOMPILE_LIMIT times code stays whatever exits it takes.
#include "vm/compiled/tiering.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vm/boot.h"
#include "vm/interp/interp.h"
#include "vm/interp/prelink.h"
#include "vm/threads/thread.h"
#include "vm/vm.h"

JitOptions tiering_options;

// Method.compile_state.
enum {
    STATE_QUEUED = 1,        // a request for the whole method waits or is being worked on
    STATE_QUEUED_OSR = 2,    // one for a loop
    STATE_REFUSED = 4,
    STATE_REFUSED_OSR = 8,
    STATE_RECOMPILE_ONE = 16,  // the upper bits count recompilations
};
enum { RECOMPILE_LIMIT = 12, EXITS_BEFORE_RECOMPILE = 3, DEAD_BEFORE_SWEEP = 64 };
enum { COMPILE_STACK = 32 << 20 };

typedef struct Request {
    struct Request *next;
    CompileRequest what;
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
static TieringStats stats;                 // under the lock
static _Atomic uint32_t stress_chances;

// ---- opening the compiler -----------------------------------------------------------------------

static bool library_path(char *path, size_t size) {
    Dl_info info;
    if (!dladdr((void *)tiering_init, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int n = slash ? (int)(slash + 1 - info.dli_fname) : 0;
    return snprintf(path, size, "%.*s%s", n, info.dli_fname, COMPILER_LIBRARY) < (int)size;
}

// LLVM ends the process when it gets no memory; so where the address space is limited (ulimit -v), there must
// be room for it.
static bool has_room(void) {
    enum { LLVM_ROOM = 1 << 30 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) + LLVM_ROOM < limit.rlim_cur;
}

static const CompilerInterface *open_compiler(const char **error) {
    char path[4096];
    *error = "the limit on the address space (ulimit -v) leaves no room for it";
    if (!has_room()) return NULL;
    *error = "no path to it";
    if (!library_path(path, sizeof path)) return NULL;
    if (access(path, F_OK) != 0 && !vm.options.jit && !tiering_options.compile_all) {  // built or installed without a compiler
        *error = NULL;
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CompilerEntry *entry = library ? (CompilerEntry *)(uintptr_t)dlsym(library, COMPILER_SYMBOL) : NULL;
    if (!entry) {
        *error = dlerror();
        return NULL;
    }
    const CompilerInterface *c = entry(COMPILER_VERSION);
    *error = "it is of another version";
    if (!c || !c->start(&tiering_options.compiler, error)) return NULL;
    return c;
}

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

// Under the lock, on a compile thread; the lock is given up meanwhile. One thread opens, others wait.
static bool have_compiler(void) {
    static bool opening;
    while (opening) pthread_cond_wait(&finished, &lock);
    if (compiler || broken) return compiler;
    const char *error;
    opening = true;
    pthread_mutex_unlock(&lock);
    const CompilerInterface *c = open_compiler(&error);
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

static const char *const refusal_texts[] = {
#define REFUSAL(id, text) text,
#include "vm/api/refusals.def"
};

static uint64_t uptime_ms(void) { return ((uint64_t)thread_now() - vm.start_ns) / 1000000; }

// Time, number, kinds (% on-stack replacement, s synchronized, ! handlers), tier, method.
static void print_line(const CompileRequest *r, uint32_t id, const char *rest) {
    const Method *m = r->method;
    char at[32] = "";
    if (r->osr_bci >= 0) snprintf(at, sizeof at, " @ %d", r->osr_bci);
    fprintf(stderr, "%8llu %5u %c%c%c %u  %s::%s%s (%u bytes)%s%s\n", (unsigned long long)uptime_ms(), id,
            r->osr_bci >= 0 ? '%' : ' ', m->flags & ACC_SYNCHRONIZED ? 's' : ' ',
            m->handler_count ? '!' : ' ', r->tier, class_external_name(m->cls), m->name->text, at,
            m->info->code->code_len, *rest ? "   " : "", rest);
}

static void print_refused(const CompileRequest *r, const CompileResult *result) {
    char text[512];
    snprintf(text, sizeof text, "not compiled: %s%s%s", refusal_texts[result->refusal],
             result->detail ? ": " : "", result->detail ? result->detail : "");
    print_line(r, 0, text);
}

// ---- compile threads ----------------------------------------------------------------------------

static bool is_osr(const Request *r) { return r->what.osr_bci >= 0; }

static void set_state(Method *m, uint8_t bits) { atomic_fetch_or(&m->compile_state, bits); }
static void clear_state(Method *m, uint8_t bits) { atomic_fetch_and(&m->compile_state, (uint8_t)~bits); }

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
    bool a_quick = a->what.tier == TIER_QUICK, b_quick = b->what.tier == TIER_QUICK;
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
    stats.compile_ns += result->compile_ns;
    if (installed) stats.compiled[r->what.tier]++;
    else stats.refused++;
    if (installed && is_osr(r)) stats.osr++;
    pthread_mutex_unlock(&lock);
}

static void compile(Request *r) {
    CompileResult result = {0};
    Method *m = r->what.method;
    bool print = tiering_options.print_compilation;
    compiler->compile(&r->what, &result);
    static _Atomic uint32_t ids;
    uint32_t id = 0;
    if (result.code) id = result.code->id = atomic_fetch_add(&ids, 1) + 1;
    bool installed = result.code && code_install(result.code);
    if (result.code && !installed) compiler->release(result.code);
    if (print && installed) print_line(&r->what, id, "");
    if (!result.code) {
        if (print) print_refused(&r->what, &result);
        set_state(m, is_osr(r) ? STATE_REFUSED_OSR : STATE_REFUSED);
    }
    clear_state(m, is_osr(r) ? STATE_QUEUED_OSR : STATE_QUEUED);
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
    pthread_attr_t attr;
    pthread_t thread;
    if (idle_threads >= queued || compile_threads >= thread_limit()) return;
    static bool hooked;
    if (!hooked) vm_at_exit(close_compiler);
    hooked = true;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, COMPILE_STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attr, compile_thread, NULL) == 0) compile_threads++;
    pthread_attr_destroy(&attr);
}

// ---- requests -----------------------------------------------------------------------------------

static Request *add_request(const CompileRequest *what, bool wait) {
    Request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (Request){.what = *what, .waited_for = wait};
    pthread_mutex_lock(&lock);
    r->next = queue;
    queue = r;
    queued++;
    stats.queued++;
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

static void wait_for(Thread *self, Request *r) {
    thread_enter_native(self);
    pthread_mutex_lock(&lock);
    while (!r->done) pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    free(r);
    thread_leave_native(self);
}

static bool may_wait(const Thread *self) {
    return tiering_options.blocking && !safepoint_stopped_by_me() && !self->exception;
}

// Opening the compiler costs time and memory that a program which ends soon would never get back: the
// first requests are not heard. They come again while their methods stay hot.
static bool worth_opening(void) {
    static _Atomic uint32_t early;
    const JitOptions *o = &tiering_options;
    if (o->compile_all || o->force || o->blocking || o->compiler.replay_file) return true;
    if (atomic_load_explicit(&early, memory_order_relaxed) >= o->delay) return true;
    return atomic_fetch_add(&early, 1) + 1 >= o->delay;
}

// False: nothing came of it.
static bool request_as(Thread *self, const CompileRequest *what) {
    Method *m = what->method;
    uint8_t bit = what->osr_bci >= 0 ? STATE_QUEUED_OSR : STATE_QUEUED;
    uint8_t refused = what->osr_bci >= 0 ? STATE_REFUSED_OSR : STATE_REFUSED;
    if (__atomic_load_n(&broken, __ATOMIC_RELAXED) || __atomic_load_n(&closing, __ATOMIC_RELAXED)) return false;
    if (atomic_load(&m->compile_state) & (bit | refused) || !worth_opening()) return false;
    JitFilter filter = jitoptions_filter(&tiering_options, m->cls->name->text, m->name->text, m->desc->text);
    if (filter == JIT_EXCLUDED) {
        set_state(m, refused);
        return false;
    }
    if (atomic_fetch_or(&m->compile_state, bit) & bit) return false;
    bool wait = may_wait(self);
    Request *r = add_request(what, wait);
    if (!r) clear_state(m, bit);
    else if (wait) wait_for(self, r);
    return r && wait;
}

static void request(Thread *self, Method *m, int32_t osr_bci, uint8_t tier) {
    CompileRequest what = {.method = m, .osr_bci = osr_bci, .tier = tier, .hotness = m->hotness,
                           .deopt_stress = tiering_options.deopt_stress != 0};
    request_as(self, &what);
}

// ---- -Xreplay:FILE ------------------------------------------------------------------------------

static bool is_replaying(void) { return tiering_options.compiler.replay_file; }

// Compiles what the file has for the method and this hotness. It decides alone.
static void replay(Thread *self, Method *m) {
    CompileRequest what;
    int answer = 1;
    while (answer == 1 && !(atomic_load(&m->compile_state) & STATE_REFUSED)) {
        answer = compiler->replay_ready(m, __atomic_load_n(&m->hotness, __ATOMIC_RELAXED), &what);
        if (answer == 0) set_state(m, STATE_REFUSED | STATE_REFUSED_OSR);
        else if (answer == 1 && !request_as(self, &what)) break;
    }
}

// ---- decisions ----------------------------------------------------------------------------------

static uint8_t first_tier(void) { return tiering_options.quick ? TIER_QUICK : TIER_OPTIMIZED; }

// The tier that the count asks for, above what the method has; 0: none.
static uint8_t wanted_tier(const Method *m) {
    const Code *code = method_code(m);
    uint8_t has = code ? code->tier : TIER_INTERPRETER;
    uint32_t hotness = __atomic_load_n(&m->hotness, __ATOMIC_RELAXED);
    if (hotness >= tiering_options.optimize && has < TIER_OPTIMIZED) return TIER_OPTIMIZED;
    if (has == TIER_INTERPRETER && (hotness >= tiering_options.threshold || tiering_options.compile_all))
        return first_tier();
    return 0;
}

static void decide(Thread *self, Method *m) {
    if (is_replaying()) {
        replay(self, m);
        return;
    }
    uint8_t tier = wanted_tier(m);
    if (tier) request(self, m, -1, tier);
}

bool tiering_hot_method(Thread *self, Method *m) {
    if (!tiering_options.enabled) return false;
    decide(self, m);
    return method_code(m) != NULL;
}

void tiering_first_call(Thread *self, Method *m, Slot *args) {
    if (!tiering_options.enabled) return;
    if (is_replaying()) {
        replay(self, m);
        return;
    }
    bool all = tiering_options.compile_all;
    if (!all && (!tiering_options.force ||
                 jitoptions_filter(&tiering_options, m->cls->name->text, m->name->text,
                                   m->desc->text) != JIT_FORCED))
        return;
    prelink_method(self, m, args);
    request(self, m, -1, first_tier());
}

static const Code *decide_osr(Thread *self, Method *m, int32_t bci) {
    const Code *code = code_osr(m, bci);
    if (code || is_replaying()) return code;
    if (__atomic_load_n(&m->hotness, __ATOMIC_RELAXED) >= tiering_options.osr)
        request(self, m, bci, TIER_OPTIMIZED);
    return code_osr(m, bci);
}

const Code *tiering_hot_loop(Thread *self, Method *m, int32_t bci) {
    if (!tiering_options.enabled) return NULL;
    decide(self, m);
    return decide_osr(self, m, bci);
}

bool tiering_hot_code(Thread *self, Method *m, int32_t bci) {
    decide(self, m);
    return bci >= 0 && decide_osr(self, m, bci) != NULL;
}

// ---- exits --------------------------------------------------------------------------------------

static bool counts_against(const CodeExit *exit) {
    return exit->reason == EXIT_unresolved || exit->reason == EXIT_uncommon ||
           exit->reason == EXIT_receiver;
}

void tiering_exit_taken(Thread *self, Code *code, const CodeExit *exit) {
    Method *m = code->method;
    uint32_t limit = tiering_options.compile_all ? 1 : EXITS_BEFORE_RECOMPILE;
    if (!counts_against(exit) || code->state != CODE_LIVE || ++code->exits_taken < limit) return;
    uint8_t recompiled = atomic_load(&m->compile_state) / STATE_RECOMPILE_ONE;
    if (recompiled >= RECOMPILE_LIMIT) return;
    atomic_fetch_add(&m->compile_state, STATE_RECOMPILE_ONE);
    code_invalidate(self, &code, 1);
    // Soon again, but not before the interpreter has been there.
    __atomic_store_n(&m->hotness, m->hotness | TIERING_HOT_MASK, __ATOMIC_RELAXED);
    if (!tiering_options.print_compilation) return;
    CompileRequest what = {.method = m, .osr_bci = code->osr_bci, .tier = code->tier};
    print_line(&what, code->id, "made not entrant");
}

bool tiering_stress_exit(void) {
    uint32_t n = tiering_options.deopt_stress;
    return n && atomic_fetch_add_explicit(&stress_chances, 1, memory_order_relaxed) % n == 0;
}

uint32_t tiering_stress_attention(void) { return tiering_options.deopt_stress != 0; }

void tiering_poll(Thread *self) {
    if (tiering_options.compiler.poll_everywhere) heap_collect(&self->heap, "poll stress");
}

void tiering_thread_start(Thread *t) {
    thread_set_dispatch(t, t->normal_dispatch);  // the limit of the C stack is known now
    t->attention = tiering_stress_attention();
    if (tiering_options.compiler.poll_everywhere) atomic_fetch_or(&t->poll, POLL_STRESS);
}

// ---- start --------------------------------------------------------------------------------------

// A file of plans is opened at once, so that what is wrong with it is known before the program runs.
int tiering_init(const Options *options, char *error, size_t size) {
    int outcome = jitoptions_make(&tiering_options, options, error, size);
    const CompilerOptions *o = &tiering_options.compiler;
    if (outcome != 0 || (!o->replay_file && !o->replay_record)) return outcome;
    const char *why = NULL;
    compiler = open_compiler(&why);
    if (compiler) {
        vm_at_exit(close_compiler);
        return 0;
    }
    snprintf(error, size, "-Xreplay: %s", why ? why : "this is a build without the compiler");
    return -1;
}

void tiering_stats(TieringStats *out) {
    pthread_mutex_lock(&lock);
    *out = stats;
    pthread_mutex_unlock(&lock);
}

void tiering_print(FILE *out) {
    TieringStats t;
    CodeStats c;
    tiering_stats(&t);
    code_stats(&c);
    fprintf(out, " code %zuK, metadata %zuK, limit %lldK\n", c.code_bytes >> 10, c.metadata_bytes >> 10,
            (long long)tiering_options.cache >> 10);
    fprintf(out, " %u methods and loops have code, %u more are to be freed, %u were freed, %u invalidated\n",
            c.live, c.dead, c.released, c.invalidated);
    fprintf(out, " compilations: %u quick, %u optimising, of these %u of loops; %u refused; %u waiting; %.3f ms\n",
            t.compiled[TIER_QUICK], t.compiled[TIER_OPTIMIZED], t.osr, t.refused, queued,
            (double)t.compile_ns / 1e6);
}
