// The compiler as a list of passes. Each is one function over the Unit. It leaves the Unit as its contract says, or it
// sets unit->bailout and ends the compilation; the method then stays interpreted.
//
//   plan       task, facts of the running program -> unit->plan. The only pass that asks for facts
//              that can change; all later passes are functions of the plan. (plan.c, replay.c)
//   emit       plan -> unit->module, one function with everything inlined, and the tables that describe its
//              calls and deoptimisation points: positions, stack maps, frames, symbols. (emit*.c)
//   count      unit->marks -> counters in unit->module, and the tables that say what they count. (counters.c)
//   escape     module -> module: removes allocations; does nothing for code without any. (escape.c)
//   find       module -> unit->object if an earlier run has kept it; then optimize and generate are skipped.
//              (objectcache.c)
//   optimize   module -> module: LLVM's passes. Keeps the numbers in deopt bundles. (backend*.c)
//   generate   module -> unit->object, machine code that is still the same in every run; its hash.
//   keep       unit->object -> a file, for later runs.
//   link       object, tables -> unit->code: loaded, relocated, stack maps by return address, ready to be entered.
//
// `verify` follows emit and optimize; the dumps change nothing.
//
// Threads: every compile thread runs compile() with its own LLVM context. Shared state (options, ORC session) is
// constant or locked by its owner. Only `plan` reads the Java heap (plan_constants.c); no pass writes to it.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "jit/backend/backend.h"
#include "jit/backend/counters.h"
#include "jit/backend/objectcache.h"
#include "jit/dump.h"
#include "jit/emit/emit.h"
#include "jit/escape/escape.h"
#include "jit/plan/plan.h"
#include "jit/replay/replay.h"

static struct Compiler {
    CompilerOptions options;  // constant from start() on
} compiler;

// ---- the passes ---------------------------------------------------------------------------------

static bool make_plan(Unit *unit) {
    PlanBailout why = {0};
    unit->plan = replay_active() ? replay_plan(unit->task, &why) : plan_make(unit->task, unit->options, &why);
    if (unit->plan) return true;
    return unit_bail_out(unit, why.bailout, "%s", why.detail);
}

static bool show_plan(Unit *unit) {
    dump_flow(unit);
    dump_plan(unit);
    return true;
}
static bool show_ir(Unit *unit) {
    dump_ir(unit, false);
    return true;
}
static bool show_allocations(Unit *unit) {
    dump_allocations(unit);
    return true;
}
static bool show_optimized_ir(Unit *unit) {
    dump_ir(unit, true);
    return true;
}
static bool show_assembly(Unit *unit) {
    dump_assembly(unit);
    return true;
}

static bool verify_emitted(Unit *unit) { return !unit->options->verify || backend_verify(unit, "emit"); }
static bool verify_optimized(Unit *unit) { return !unit->options->verify || backend_verify(unit, "optimize"); }

typedef struct Pass {
    bool (*run)(Unit *unit);
    bool makes_object;  // skipped for a unit that has one
} Pass;
static const Pass passes[] = {
    {make_plan, false},        {show_plan, false},        {emit_module, false},      {counters_place, false},
    {show_ir, false},          {verify_emitted, false},   {escape_analyze, false},   {show_allocations, false},
    {objectcache_find, false}, {backend_optimize, true},  {show_optimized_ir, true}, {verify_optimized, true},
    {backend_generate, true},  {objectcache_keep, false}, {backend_link, false},     {show_assembly, false},
};

static bool run_passes(Unit *unit) {
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!(passes[i].makes_object && unit->object) && !passes[i].run(unit)) return false;
    return true;
}

// ---- the interface --------------------------------------------------------------------------------

static bool start(const CompilerOptions *options, const char **error) {
    compiler.options = *options;
    if (!replay_start(&compiler.options, error) || !backend_start(&compiler.options, error)) return false;
    objectcache_start(&compiler.options);
    return true;
}

static uint64_t cpu_time(void) { return (uint64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static void compile(const CompileTask *task, CompileResult *result) {
    uint64_t begin = cpu_time();
    Unit unit;
    unit_init(&unit, task, &compiler.options);
    memset(result, 0, sizeof *result);
    if (run_passes(&unit)) {
        result->code = unit.code;
        replay_compiled(unit.plan, task, unit.code);
        backend_tell_perf(unit.code);
    } else {
        result->bailout = unit.bailout;
        memcpy(result->detail, unit.detail, sizeof result->detail);
    }
    result->allocations = unit.allocation_count;
    result->vanished = unit.vanished;
    result->cached = unit.cached;
    result->bytecodes = unit.plan ? unit.plan->bytecodes : 0;
    plan_free(unit.plan);
    unit_free(&unit);
    result->compile_ns = cpu_time() - begin;
}

static void finish(void) {
    replay_finish();
    objectcache_finish();
    dump_finish();
}

static const CompilerInterface interface = {
    .start = start,
    .compile = compile,
    .release = backend_release,
    .thread_end = backend_thread_end,
    .finish = finish,
    .replay_ready = replay_ready,
    .replay_next = replay_next,
    .replay_methods = replay_methods,
    .memory_bytes = backend_memory,
    .forget_dead = replay_forget_dead,
};

__attribute__((visibility("default"))) CompilerEntry cabernet_compiler;
const CompilerInterface *cabernet_compiler(int version) { return version == COMPILER_VERSION ? &interface : NULL; }
