// Tiering decisions (vm/adaptive/tiering.h). The resulting requests go to the queue (vm/adaptive/compilequeue.h).
//
// Recompilation is bounded: after RECOMPILE_LIMIT times, code stays whatever exits it takes.
#include "vm/adaptive/tiering.h"

#include <stdio.h>

#include "base/invariant.h"
#include "vm/api/perf.h"
#include "vm/base/exithooks.h"
#include "vm/api/codememory.h"
#include "vm/adaptive/codesampling.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/adaptive/interpreted.h"
#include "vm/adaptive/methodcounts.h"
#include "vm/adaptive/replaying.h"
#include "vm/adaptive/snapshots.h"
#include "vm/code/stress.h"
#include "vm/instrument/sampling.h"
#include "vm/interp/interp.h"
#include "vm/interp/prelink.h"
#include "vm/template/template.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

Tiering tiering;

// After CAREFUL_AFTER recompilations, code no longer relies on the absence of what was never counted.
enum { RECOMPILE_LIMIT = 12, CAREFUL_AFTER = 4, DEOPTS_BEFORE_RECOMPILE = 3 };

// ---- requests -----------------------------------------------------------------------------------

// True: a request was made, and either the thread has waited for it or the new code replaces other code. Code that
// replaces other code is never waited for, and then `self` is not used.
static bool request_as(Thread *self, const CompileTask *what) {
    Method *m = what->method;
    ASSERT(m->info && m->info->code && what->osr_bci < (int32_t)m->info->code->code_len, "loop %d of %s", what->osr_bci,
           m->name->text);
    uint8_t bit = what->osr_bci >= 0 ? STATE_QUEUED_OSR : STATE_QUEUED;
    uint8_t refused = what->osr_bci >= 0 ? STATE_REFUSED_OSR : STATE_REFUSED;
    if (compilequeue_shut() || atomic_load(&m->compile_state) & (bit | refused)) return false;
    JitFilter filter = jitoptions_filter(&tiering.options, m->cls->name->text, m->name->text, m->desc->text);
    if (filter == JIT_EXCLUDED) {
        if (tiering.options.print_compilation) compilequeue_print_bailout(what, BAILOUT_excluded, "");
        interpreted_note(what, BAILOUT_excluded);
        atomic_fetch_or(&m->compile_state, refused);
        return false;
    }
    if (atomic_fetch_or(&m->compile_state, bit) & bit) return false;
    bool wait = tiering.options.blocking && !what->replaces && !safepoint_stopped_by_me() && !self->exception;
    bool added = compilequeue_add(self, what, wait);
    if (!added) atomic_fetch_and(&m->compile_state, (uint8_t)~bit);
    return added && (wait || what->replaces);
}

static bool request(Thread *self, Method *m, int32_t osr_bci, bool replaces) {
    CompileTask what = {.method = m,
                        .osr_bci = osr_bci,
                        .hotness = m->hotness,
                        .deopt_stress = tiering.options.deopt_stress != 0,
                        .careful = atomic_load(&m->compile_state) / STATE_RECOMPILE_ONE >= CAREFUL_AFTER,
                        .replaces = replaces};
    return request_as(self, &what);
}

// ---- -Xreplay:FILE ------------------------------------------------------------------------------

// Compiles the file's plans for the method at this hotness. The file alone decides.
static void replay(Thread *self, Method *m) {
    CompileTask what;
    int answer = 1;
    if (replaying_waits()) return;
    while (answer == 1 && !(atomic_load(&m->compile_state) & STATE_REFUSED)) {
        answer = replaying_ready(m, &what);
        if (answer == 0) atomic_fetch_or(&m->compile_state, STATE_REFUSED | STATE_REFUSED_OSR);
        else if (answer == 1 && !request_as(self, &what)) break;
    }
}

void tiering_installed(Method *m) {
    CompileTask next;
    codesampling_start();
    if (replaying_is_on() && replaying_ready(m, &next) == 1 && next.replaces) request_as(NULL, &next);
}

// Compiles every plan whose facts hold, and skips those that cannot be compiled.
static void replay_all(Thread *self) {
    CompileTask what;
    for (uint32_t at = 0; tiering.replaying->replay_next(&at, &what);)
        if (!request_as(self, &what)) at++;
}

// ---- decisions ----------------------------------------------------------------------------------

// Template code can count events, but cannot report them.
static bool uses_templates(const Thread *self) {
    return tiering.options.template && interp_template_mode(self) != TEMPLATES_NONE;
}

// Template code is not much slower than optimised code, so optimisation can wait longer when the compiler gets little
// processor time, has many requests, or would take long for the method.
static uint32_t optimize_threshold(const Thread *self, const Method *m) {
    enum { SIZE_USUAL = 200, SIZE_MOST = 800 };
    uint64_t threshold = tiering.options.optimize;
    uint32_t size = m->info->code->code_len;
    if (uses_templates(self)) {
        threshold = threshold * compilequeue_strain() / STRAIN_NONE;
        // The time to optimise a method grows with its size. SIZE_MOST bounds the increase, so a method that is hot
        // enough is optimised whatever its size.
        if (size > SIZE_USUAL && !tiering.options.blocking)
            threshold = threshold * (size < SIZE_MOST ? size : SIZE_MOST) / SIZE_USUAL;
    }
    return threshold < UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
}

// From half of the optimising threshold on, template code counts for plans.
static bool counts_from_now(const Method *m) {
    return tiering.options.adaptive && __atomic_load_n(&m->hotness, __ATOMIC_RELAXED) >= tiering.options.optimize / 2;
}

static void decide(Thread *self, Method *m) {
    if (uses_templates(self) && !method_code(m) && m->hotness >= tiering.options.template_threshold)
        template_compile(self, m, counts_from_now(m) ? COUNTS_WINDOW : COUNTS_NONE);
    if (replaying_is_on()) {
        replay(self, m);
        return;
    }
    uint32_t hotness = __atomic_load_n(&m->hotness, __ATOMIC_RELAXED);
    if (!method_code(m) && (tiering.options.compile_all || hotness >= optimize_threshold(self, m)))
        request(self, m, -1, false);
}

bool tiering_hot_method(Thread *self, Method *m) {
    if (!tiering.options.enabled) return false;
    if (replaying_is_on() && replaying_counted(m, true)) replay_all(self);
    decide(self, m);
    return method_code(m) || (m->template_code && uses_templates(self));
}

void tiering_first_call(Thread *self, Method *m, Slot *args) {
    if (!tiering.options.enabled) return;
    const JitOptions *o = &tiering.options;
    bool forced = o->force && jitoptions_filter(o, m->cls->name->text, m->name->text, m->desc->text) == JIT_FORCED;
    bool compile = !replaying_is_on() && (o->compile_all || forced);
    bool translate = o->template_first_call && uses_templates(self);
    if (compile || translate) prelink_method(self, m, args);
    if (translate) template_compile(self, m, counts_from_now(m) ? COUNTS_WINDOW : COUNTS_NONE);
    if (compile) request(self, m, -1, false);
    if (!replaying_is_on()) return;
    if (replaying_first_call(self, m, args)) replay_all(self);
    replay(self, m);
}

void tiering_step_next(Method *m) {
    uint32_t hotness = __atomic_load_n(&m->hotness, __ATOMIC_RELAXED), steps = hotness & ~(uint32_t)METHOD_HOT_MASK;
    if ((hotness & METHOD_HOT_MASK) == METHOD_HOT_MASK) return;
    if (steps == 0) steps = METHOD_HOT_MASK + 1;
    __atomic_store_n(&m->hotness, steps - 1, __ATOMIC_RELAXED);
}

int32_t tiering_outer_backedges(void) {
    enum {
        TIMES = 4,      // of the usual threshold: optimised code that runs on costs less than template code
        SAMPLED = 256,  // inner loops are entered often
    };
    uint64_t n = (uint64_t)tiering.options.optimize * TIMES;
    if (sampling_is_on() && n > SAMPLED) n = SAMPLED;
    return n < INT32_MAX ? (int32_t)n : INT32_MAX;
}

// Code in which the thread continues at `bci`; requested if there is none.
static const Code *code_of_loop(Thread *self, Method *m, int32_t bci) {
    if (replaying_is_on()) replaying_counted(m, false);
    decide(self, m);
    const Code *code = code_osr(m, bci);
    if (code || replaying_is_on()) return code;
    uint32_t least = tiering.options.osr, optimize = optimize_threshold(self, m);
    if (uses_templates(self) && least < optimize) least = optimize;
    if (__atomic_load_n(&m->hotness, __ATOMIC_RELAXED) >= least) request(self, m, bci, false);
    return code_osr(m, bci);
}

const Code *tiering_hot_loop(Thread *self, Method *m, int32_t bci, bool left) {
    if (!tiering.options.enabled) return NULL;
    if (self->code_sample == CODE_SAMPLE_RUNS) return codesampling_continues(self, m) ? NULL : code_osr(m, bci);
    const Code *code = code_of_loop(self, m, bci);
    if (left && !code) {
        // The code of the inner loop is entered again at once, and executes the outer one until that has code.
        __atomic_store_n(&m->outer_backedges, tiering_outer_backedges(), __ATOMIC_RELAXED);
        tiering_step_next(m);
    }
    return code;
}

// ---- exits --------------------------------------------------------------------------------------

// Counts a recompilation of the method. False when the limit is reached. Check and increment are one atomic step,
// because threads that leave the method's code at the same time could overflow the four bits.
static bool count_recompilation(Method *m) {
    uint8_t state = atomic_load(&m->compile_state);
    do {
        if (state / STATE_RECOMPILE_ONE >= RECOMPILE_LIMIT) return false;
    } while (!atomic_compare_exchange_weak(&m->compile_state, &state, (uint8_t)(state + STATE_RECOMPILE_ONE)));
    return true;
}

bool tiering_compile_again(Thread *self, const Code *code) {
    if (code->state != CODE_LIVE || !count_recompilation(code->method)) return false;
    return request(self, code->method, code->osr_bci, true);
}

void tiering_deoptimized(Thread *self, Code *code, const DeoptPoint *point) {
    Method *m = code->method;
    uint32_t limit = tiering.options.compile_all ? 1 : DEOPTS_BEFORE_RECOMPILE;
    const DeoptFrame *innermost = &code->deopt_frames[point->first_frame + point->frame_count - 1];
    bool uncommon = point->reason == DEOPT_uncommon;
    if (tiering.options.adaptive && uncommon && point->kind == DEOPT_RESUME)
        methodcounts_left(innermost->method, (uint32_t)innermost->bci);
    if (point->reason != DEOPT_unresolved && !uncommon) return;
    if (code->state != CODE_LIVE || ++code->deopt_count < limit) return;
    if (!count_recompilation(m)) return;
    code_invalidate(self, code);
    uint32_t hotness = m->hotness;
    if (uncommon && (tiering.options.adaptive || replaying_is_on())) {
        // The counts did not predict this path, so they weigh less from now on, and template code counts again before
        // the method is optimised again. This holds in a replay too: methods must reach the hotness at which the plans
        // were recorded.
        uint32_t most = tiering.options.optimize - tiering.options.optimize / 4;
        methodcounts_decay(innermost->method, false);
        hotness = m->hotness < most ? m->hotness : most;
    }
    // Compile again soon, but not before the interpreter has executed this code.
    __atomic_store_n(&m->hotness, hotness | METHOD_HOT_MASK, __ATOMIC_RELAXED);
    if (!tiering.options.print_compilation) return;
    CompileTask what = {.method = m, .osr_bci = code->osr_bci};
    compilequeue_print_line(&what, code->id, "made not entrant");
}

void tiering_thread_start(Thread *t) {
    thread_set_dispatch(t, t->normal_dispatch);            // the limit of the C stack is now known
    t->deopt_pending = tiering.options.deopt_stress != 0;  // rt_deopt_pending decides at every chance
    if (tiering.options.compiler.poll_everywhere) atomic_fetch_or(&t->poll, POLL_STRESS);
}

// ---- figures ------------------------------------------------------------------------------------

static void write_stats(void) {
    FILE *out = fopen(tiering.options.stats, "we");
    if (!out) {
        fprintf(stderr, "cabernet: cannot write %s\n", tiering.options.stats);
        return;
    }
    CompileStats t;
    CodeStats c;
    compilequeue_stats(&t);
    code_stats(&c);
    fprintf(out, "compile-ns %llu\ncode-bytes %zu\nmetadata-bytes %zu\n", (unsigned long long)t.compile_ns,
            c.code_bytes, c.metadata_bytes);
    fprintf(out, "compiled %u\nrefused %u\n", t.compiled, t.refused);
    TemplateStats s = template_stats();
    fprintf(out,
            "template-ns %llu\ntemplate-methods %u\ntemplate-translations %u\ntemplate-failed %u\ntemplate-bytes %llu\n"
            "template-instructions %llu\ntemplate-exits %llu\n",
            (unsigned long long)s.ns, s.methods, s.translations, s.failed, (unsigned long long)s.code_bytes,
            (unsigned long long)s.instructions, (unsigned long long)s.exits);
    fprintf(out, "allocations %llu\nvanished %llu\n", (unsigned long long)t.allocations,
            (unsigned long long)t.vanished);
    if (tiering.options.compiler.object_cache)
        fprintf(out, "cache-hits %u\ncache-misses %u\ncache-differing %u\n", t.cached[CACHED_HIT],
                t.cached[CACHED_MISS], t.cached[CACHED_DIFFERS]);
    CodeSamplingStats sampled = codesampling_stats();
    fprintf(out, "code-samples %llu\ncode-changed %u\n", (unsigned long long)sampled.samples, sampled.recompiled);
    interpreted_write(out);
    fclose(out);
}

// ---- start --------------------------------------------------------------------------------------

// Opens a file of plans at once, so that its errors are known before the program runs.
int tiering_init(const Options *options, char *error, size_t size) {
    int outcome = jitoptions_make(&tiering.options, options, error, size);
    const CompilerOptions *o = &tiering.options.compiler;
    stress_configure(
        &(StressConfig){tiering.options.deopt_stress, tiering.options.poll_stress, tiering.options.poll_stress_sites});
    if (tiering.options.template) tiering.options.template = template_init(CODEMEMORY_BYTES);
    perf_start(tiering.options.perf_map, tiering.options.jitdump);
    if (outcome == 0 && tiering.options.stats) exithooks_add(write_stats);
    if (outcome != 0 || (!o->replay_file && !o->replay_record)) return outcome;
    if (replaying_is_on()) exithooks_add(replaying_end);
    const char *why = NULL;
    tiering.replaying = compilequeue_open(&why);
    if (tiering.replaying) return 0;
    snprintf(error, size, "-Xreplay: %s", why ? why : "this is a build without the compiler");
    return -1;
}

uint64_t tiering_compile_ns(void) {
    CompileStats t;
    compilequeue_stats(&t);
    return t.compile_ns;
}

void tiering_print_list(FILE *out) {
    code_print_list(out);
    template_print_list(out);
}

void tiering_print(FILE *out) {
    CompileStats t;
    CodeStats c;
    compilequeue_stats(&t);
    code_stats(&c);
    fprintf(out, " code %zuK, metadata %zuK, limit %lldK\n", c.code_bytes >> 10, c.metadata_bytes >> 10,
            (long long)tiering.options.cache >> 10);
    fprintf(out, " %u methods and loops have code, %u more are to be freed, %u were freed, %u invalidated\n", c.live,
            c.dead, c.released, c.invalidated);
    TemplateStats s = template_stats();
    if (tiering.options.template)
        fprintf(out, " template code: %u methods, %u translations in %.3f ms, %lluK; left %llu times\n", s.methods,
                s.translations, (double)s.ns / 1e6, (unsigned long long)s.code_bytes >> 10,
                (unsigned long long)s.exits);
    fprintf(out, " compilations: %u, of these %u of loops; %u refused; %u waiting; %.3f ms\n", t.compiled, t.osr,
            t.refused, t.waiting, (double)t.compile_ns / 1e6);
    if (tiering.options.compiler.object_cache)
        fprintf(out, " kept code in %s: %u found, %u not, %u found but other than what was compiled\n",
                tiering.options.compiler.object_cache, t.cached[CACHED_HIT], t.cached[CACHED_MISS],
                t.cached[CACHED_DIFFERS]);
    MethodCountsStats counts = methodcounts_stats();
    CodeSamplingStats sampled = codesampling_stats();
    if (tiering.options.adaptive)
        fprintf(out, " counts of %u methods, %zuK; %llu samples of optimised code, compiled again for them: %u\n",
                counts.methods, counts.bytes >> 10, (unsigned long long)sampled.samples, sampled.recompiled);
    SnapshotStats snapshots = snapshots_stats();
    if (t.prepared) fprintf(out, " %u more compilations for shadows\n", t.prepared);
    if (snapshots.made)
        fprintf(out, " snapshots of the profile: %llu, the current one %zuK; at most %.3f ms to make one\n",
                (unsigned long long)snapshots.made, snapshots.bytes >> 10, (double)snapshots.longest_ns / 1e6);
}
