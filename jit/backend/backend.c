// From IR to an object: contexts and target machines of the compile threads, LLVM's passes, code generation.
// backend_link.c handles the object.
//
// Each compile thread has one context, which is replaced from time to time, because LLVM frees its constants, types and
// attributes only with the context. Between two compilations the context holds nothing of the thread. No locks here.
#include "jit/backend/backend.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "jit/backend/backend_link.h"
#include "jit/backend/elfobject.h"
#include "jit/backend/target.h"

// Compilations for which a context is used.
enum { CONTEXT_LIFE = 100 };

typedef struct BackendThread {
    LLVMContextRef context;
    unsigned uses;
    LLVMTargetMachineRef target;
} BackendThread;

// initial-exec puts all thread-local data of the library into the static TLS block, so a thread has them even when
// memory runs out. Otherwise the dynamic linker would end the process.
static _Thread_local BackendThread *current __attribute__((tls_model("initial-exec")));

static struct Backend {
    const CompilerOptions *options;
    LLVMTargetRef target;
    char *triple, *cpu, *features;
} backend;  // constant from backend_start on

BackendMachine backend_machine(void) { return (BackendMachine){backend.triple, backend.cpu, backend.features}; }

// Of "+a,-b,+c" keeps "-b": code for another processor must still run on this one.
static void lacking(char *features) {
    char *end = features;
    for (char *next = features; *next;) {
        size_t length = strcspn(next, ",");
        if (*next == '-') {
            if (end != features) *end++ = ',';
            memmove(end, next, length);
            end += length;
        }
        next += length + (next[length] == ',');
    }
    *end = 0;
}

static bool choose_target(const char **error) {
    target_register();
    backend.triple = LLVMGetDefaultTargetTriple();
    char *why = NULL;
    if (LLVMGetTargetFromTriple(backend.triple, &backend.target, &why)) {
        *error = why;  // once; the process continues without a compiler
        return false;
    }
    backend.cpu = backend.options->cpu ? LLVMCreateMessage(backend.options->cpu) : LLVMGetHostCPUName();
    backend.features = LLVMGetHostCPUFeatures();
    if (backend.options->cpu) lacking(backend.features);
    return true;
}

bool backend_start(const CompilerOptions *options, const char **error) {
    // By default, loop strength reduction applies its best solution even if leaving the loop unchanged is better. The
    // loop then has several induction variables in registers, with an addition for each in every iteration, where one
    // would do (a sieve's inner loop took 1.25 times as long). LLVM offers this choice only as a command-line option.
    static const char *const llvm_options[] = {"cabernet", "-lsr-drop-solution"};
    LLVMParseCommandLineOptions(sizeof llvm_options / sizeof *llvm_options, llvm_options, NULL);
    backend.options = options;
    return choose_target(error) && backend_link_start(options->layout, error);
}

// ---- compile threads -------------------------------------------------------------------------------

static BackendThread *thread(void) {
    if (!current) current = calloc(1, sizeof *current);
    if (!current) abort();
    return current;
}

// Logs errors that LLVM reports to the context. By default LLVM would end the process.
static void take_diagnostic(LLVMDiagnosticInfoRef info, void *unused) {
    (void)unused;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    char *text = LLVMGetDiagInfoDescription(info);
    compiler_log(text);
    LLVMDisposeMessage(text);
}

LLVMContextRef backend_context(void) {
    BackendThread *t = thread();
    if (t->context && t->uses++ >= CONTEXT_LIFE) {
        LLVMContextDispose(t->context);
        t->context = NULL;
    }
    if (!t->context) {
        t->context = LLVMContextCreate();
        LLVMContextSetDiagnosticHandler(t->context, take_diagnostic, NULL);
        // A context numbers a kind of metadata when its name is first requested, and bitcode lists all kinds. Code
        // generation requests this one. Requesting it at once makes it part of the first module as of all others, so
        // equal modules have equal bitcode (objectcache.h).
        LLVMGetMDKindIDInContext(t->context, "heapallocsite", strlen("heapallocsite"));
        t->uses = 0;
    }
    return t->context;
}

LLVMTargetMachineRef backend_new_target(void) {
    return LLVMCreateTargetMachine(backend.target, backend.triple, backend.cpu, backend.features,
                                   LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
}

LLVMTargetMachineRef backend_target(void) {
    BackendThread *t = thread();
    if (!t->target) t->target = backend_new_target();
    return t->target;
}

void backend_thread_end(void) {
    BackendThread *t = current;
    if (!t) return;
    if (t->context) LLVMContextDispose(t->context);
    if (t->target) LLVMDisposeTargetMachine(t->target);
    free(t);
    current = NULL;
}

void backend_set_target(LLVMModuleRef module, LLVMTargetMachineRef target) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(target);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, backend.triple);
    // Becomes part of the object, so it is always the same.
    LLVMSetSourceFileName(module, "cabernet", strlen("cabernet"));
}

// ---- stages ----------------------------------------------------------------------------------------

bool backend_verify(Unit *unit, const char *stage) {
    char *why = NULL;
    bool fine = !LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &why);
    if (!fine) unit_bail_out(unit, BAILOUT_backend, "invalid after %s: %.200s", stage, why);
    LLVMDisposeMessage(why);
    return fine;
}

bool backend_take_error(Unit *unit, LLVMErrorRef error) {
    if (!error) return true;
    char *why = LLVMGetErrorMessage(error);
    unit_bail_out(unit, BAILOUT_backend, "%.240s", why);
    LLVMDisposeErrorMessage(why);
    return false;
}

// The optimising tier's pass list, a selection of LLVM's O2. Interprocedural passes have nothing to do in a module of
// one function, and running the other passes less often makes no slower code. Plain instcombine would end the process
// if it needed a second round.
#define COMBINE "instcombine<max-iterations=1;no-verify-fixpoint>"
#define SIMPLIFY "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;keep-loops>"
#define SIMPLIFY_LATE                                                                               \
    "simplifycfg<bonus-inst-threshold=1;forward-switch-cond;switch-range-to-icmp;switch-to-lookup;" \
    "no-keep-loops;hoist-common-insts;sink-common-insts>"
#define BEFORE_LOOPS                                                                                            \
    SIMPLIFY ",sroa,early-cse<memssa>," COMBINE "," SIMPLIFY ",jump-threading,correlated-propagation," SIMPLIFY \
             ",reassociate,constraint-elimination"
#define LOOPS                                                                                                         \
    "loop-mssa(loop-rotate,licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;trivial>)," SIMPLIFY "," COMBINE \
    ",loop(loop-idiom,indvars,loop-deletion,loop-unroll-full)"
#define AFTER_LOOPS                                                                                \
    "gvn," COMBINE ",adce,dse,loop-mssa(licm<allowspeculation>)," SIMPLIFY ","                     \
    "loop(loop-rotate,loop-deletion),loop-vectorize," COMBINE "," SIMPLIFY_LATE ",slp-vectorizer," \
    "loop-unroll<O2>," COMBINE ",loop-mssa(licm<allowspeculation>),instsimplify,div-rem-pairs," SIMPLIFY

// In strip-mined loops, a test of an index against the loop's own bound becomes loop-invariant. Other passes do not
// hoist it, because the code after it needs the variable, so unswitching duplicates the loop.
#define UNSWITCH "loop-mssa(simple-loop-unswitch<nontrivial;trivial>)"

#define PASSES "function<eager-inv>(" BEFORE_LOOPS "," LOOPS "," AFTER_LOOPS ")"
#define STRIP_PASSES "function<eager-inv>(" BEFORE_LOOPS "," LOOPS "," UNSWITCH "," AFTER_LOOPS ")"

// Precedes LLVM's list of level 3, to unswitch the same tests.
#define STRIPS_FIRST                                                               \
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>," \
    "loop-mssa(loop-rotate),loop(indvars)," UNSWITCH "),"

const char *backend_passes(const Unit *unit) {
    switch (unit->options->opt_level) {
        case 1: return "default<O1>";
        case 3: return unit->has_strip_mining ? STRIPS_FIRST "default<O3>" : "default<O3>";
        default: return unit->has_strip_mining ? STRIP_PASSES : PASSES;
    }
}

static void add_attribute(LLVMContextRef context, LLVMValueRef function, const char *name, const char *value) {
    LLVMAddAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

// Attributes that the linker and the stack walker require in every module.
static void set_attributes(Unit *unit) {
    unsigned no_plt = LLVMGetEnumAttributeKindForName("nonlazybind", strlen("nonlazybind"));
    LLVMValueRef f = LLVMGetFirstFunction(unit->module);
    for (; f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetIntrinsicID(f)) continue;
        if (LLVMIsDeclaration(f)) {
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(unit->context, no_plt, 0));
            continue;
        }
        add_attribute(unit->context, f, "frame-pointer", "all");
        // The distance between frame pointer and stack pointer must be constant.
        add_attribute(unit->context, f, "no-realign-stack", "");
    }
    LLVMTypeRef i32 = LLVMInt32TypeInContext(unit->context);
    LLVMAddModuleFlag(unit->module, LLVMModuleFlagBehaviorOverride, "RtLibUseGOT", strlen("RtLibUseGOT"),
                      LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)));
}

bool backend_run_passes(Unit *unit, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(options, unit->options->verify);
    LLVMErrorRef error = LLVMRunPasses(unit->module, passes, unit->target, options);
    LLVMDisposePassBuilderOptions(options);
    return backend_take_error(unit, error);
}

bool backend_optimize(Unit *unit) {
    set_attributes(unit);
    return backend_run_passes(unit, backend_passes(unit));
}

bool backend_generate(Unit *unit) {
    char *why = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(unit->target, unit->module, LLVMObjectFile, &why, &unit->object)) {
        unit_bail_out(unit, BAILOUT_backend, "%.240s", why ? why : "no object");
        LLVMDisposeMessage(why);
        unit->object = NULL;
        return false;
    }
    unit->hash = elfobject_hash(unit);
    return true;
}
