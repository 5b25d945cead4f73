// Random control flow with counters (jit/backend/counters.h), run as machine code. The code also counts each event
// directly, and at any call, with any number of active invocations, both counts are equal (vm/code/codecounters.h). The
// test needs no VM, because it has the code and knows the stack.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/splitmix.h"
#include "jit/backend/backend.h"
#include "jit/backend/counters.h"
#include "jit/plan/plan.h"
#include "vm/code/code.h"
#include "vm/code/codecounters.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/report.h"
#include "vm/instrument/selectors.h"
#include "vm/objects/classes.h"
#include "vm/threads/thread.h"

enum { SWIFTCC = 16, MOST_BLOCKS = 24, MOST_MARKS = 200, MOST_DEPTH = 5 };

// State shared by the code and the test. The counters follow `thread` in memory.
static struct Shared {
    int64_t random, fuel;        // determine the code's path
    int64_t direct[MOST_MARKS];  // number of each event, counted directly by the code
    uint64_t counted[MOST_MARKS], handed_in[MOST_MARKS];
    const Code *code;
    const char *returns[MOST_DEPTH];  // return addresses of the active calls
    unsigned depth, checks;
    uint32_t marks;
    uint64_t seed;
    Thread *thread;
} shared;

// ---- stubs for the VM ------------------------------------------------------------------------------

uint8_t *compiler_cards(void) { return NULL; }
uint64_t *compiler_barrier_counts(void) { return NULL; }
const CompilerLayout *compiler_layout(void) {
    static const CompilerLayout none;
    return &none;
}
void compiler_log(const char *line) { fprintf(stderr, "%s\n", line); }
void plan_print(const Plan *plan, FILE *out) { (void)plan, (void)out; }
Metaspace *compiler_owner(const Class *c) { return (void)c, NULL; }
ThreadSystem threads = {.counters = true};
void code_each(bool lock, void (*fn)(void *arg, const Code *code), void *arg) {
    (void)lock;
    fn(arg, shared.code);
}
void code_each_frame(Thread *t, void (*fn)(void *arg, const Code *code, const char *return_pc), void *arg) {
    (void)t;
    for (unsigned i = 0; i < shared.depth; i++) fn(arg, shared.code, shared.returns[i]);
}
const CodeStackMap *code_stack_map(const Code *code, const char *return_pc) {
    const CodeStackMap *m = code->stack_maps;
    while (code->start + m->return_offset != return_pc) m++;
    return m;
}

uint32_t selectors_method(const Selector *s, uint32_t number) {
    (void)s;
    (void)number;
    abort();
}
void report_path_counted(uint32_t method, uint32_t path, uint64_t times, CountedFn *fn, void *arg) {
    (void)method, (void)path, (void)times, (void)fn, (void)arg;
}
void report_edge_counted(uint64_t site, uint32_t callee, uint64_t times, CountedFn *fn, void *arg) {
    (void)site, (void)callee, (void)times, (void)fn, (void)arg;
}
void report_arrays_counted(const uint32_t *words, uint64_t arrays, uint64_t bytes, CountedFn *fn, void *arg) {
    (void)words, (void)arrays, (void)bytes, (void)fn, (void)arg;
}
void report_removed_counted(const uint32_t *words, uint64_t executed, uint64_t objects, CountedFn *fn, void *arg) {
    (void)words, (void)executed, (void)objects, (void)fn, (void)arg;
}
void placecounters_read(const Thread *t, CountedFn *fn, void *arg) { (void)t, (void)fn, (void)arg; }
void placecounters_hand_in(Thread *self) { (void)self; }
void placecounters_forget(void) {}
void placecounters_before_fork(void) {}
void placecounters_after_fork(void) {}
void report_counts_lost(void) { abort(); }
void report_edges_entering(Thread *t, CountedFn *fn, void *arg) { (void)t, (void)fn, (void)arg; }
void thread_list_lock(Thread *self) { (void)self; }
void thread_list_unlock(Thread *self) { (void)self; }
void profile_counted(void *t, enum EventId event, const uint32_t *words, uint64_t times) {
    (void)t, (void)event;
    shared.handed_in[words[0]] += times;
}

// ---- while the code runs ---------------------------------------------------------------------------

static void take(void *arg, enum EventId event, const uint32_t *words, uint64_t times) {
    (void)arg, (void)event;
    shared.counted[words[0]] += times;
}

static void compare(void) {
    memcpy(shared.counted, shared.handed_in, sizeof shared.counted);
    counters_read(shared.thread, COUNTERS_AT_REST, take, NULL);
    shared.checks++;
    for (uint32_t i = 0; i < shared.marks; i++)
        if ((int64_t)shared.counted[i] != shared.direct[i])
            fail_msg("seed %llu, %u calls under way: event %u happened %lld times and was counted %lld times",
                     (unsigned long long)shared.seed, shared.depth, i, (long long)shared.direct[i],
                     (long long)shared.counted[i]);
}

static int64_t enter(void) {
    int64_t result;
    register void *r10 __asm__("r10") = (void *)shared.code;
    register void *r13 __asm__("r13") = shared.thread;
    // The C compiler does not see the call, so it neither frees the red zone nor aligns the stack.
    __asm__ volatile("mov %%rsp, %%r11\n\tsub $128, %%rsp\n\tand $-16, %%rsp\n\tpush %%r11\n\tpush %%rbp\n\tcall "
                     "*%[entry]\n\tpop %%rbp\n\tpop %%rsp"
                     : "=a"(result), "+r"(r10)
                     : [entry] "r"(shared.code->entry), "r"(r13)
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
                       "xmm4", "xmm5", "xmm6", "xmm7");
    return result;
}

// The callee of the code: compares the counts, and sometimes enters the code again.
__attribute__((noinline)) static int64_t called(void *thread) {
    assert_ptr_equal(thread, shared.thread);
    shared.returns[shared.depth++] = ((char **)__builtin_frame_address(0))[1];
    if ((shared.random >> 40 & 3) == 0) compare();
    if (shared.depth < MOST_DEPTH && (shared.random >> 44 & 3) == 0) enter();
    shared.depth--;
    return 0;
}

// ---- making code -----------------------------------------------------------------------------------

typedef struct Maker {
    Unit unit;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64, ptr;
    LLVMValueRef f, thread;
    LLVMBasicBlockRef blocks[MOST_BLOCKS + 1];
    uint64_t random;
    uint32_t count;
} Maker;

static uint32_t below(Maker *m, uint32_t limit) { return (uint32_t)(splitmix_next(&m->random) >> 33) % limit; }

static void set_attribute(Maker *m, unsigned index, const char *attribute) {
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(m->f, index, LLVMCreateEnumAttribute(m->unit.context, kind, 0));
}

static LLVMValueRef symbol(Maker *m, const char *name, void *address) {
    LLVMValueRef g = LLVMGetNamedGlobal(m->unit.module, name);
    if (!g) g = LLVMAddGlobal(m->unit.module, LLVMInt8TypeInContext(m->unit.context), name);
    unit_add_symbol(&m->unit, name, address);
    return g;
}

static LLVMValueRef number(Maker *m, int64_t v) { return LLVMConstInt(m->i64, (uint64_t)v, true); }

// *address = *address * factor + more. The accesses are volatile, so they cannot be removed.
static LLVMValueRef update(Maker *m, const char *name, int64_t *address, int64_t factor, int64_t more) {
    LLVMValueRef at = symbol(m, name, address), v = LLVMBuildLoad2(m->b, m->i64, at, "");
    LLVMSetVolatile(v, true);
    v = LLVMBuildAdd(m->b, LLVMBuildMul(m->b, v, number(m, factor), ""), number(m, more), "");
    LLVMSetVolatile(LLVMBuildStore(m->b, v, at), true);
    return v;
}

static void add_event(Maker *m) {
    if (shared.marks == MOST_MARKS) return;
    char name[16];
    uint32_t i = shared.marks++;
    unit_add_mark(&m->unit, LLVMGetInsertBlock(m->b), EVENT_method_entry, &i, 1);
    snprintf(name, sizeof name, "direct%u", i);
    update(m, name, &shared.direct[i], 1, 1);
}

static void add_call(Maker *m) {
    uint32_t position = unit_add_position(&m->unit, NULL, 0, CODE_NONE);
    uint32_t map = unit_add_stack_map(&m->unit, position, DEOPT_KEEPS_SAMPLING, NULL, 0);
    LLVMValueRef operand = LLVMConstInt(m->i32, map, false);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, &operand, 1);
    LLVMTypeRef type = LLVMFunctionType(m->i64, &m->ptr, 1, false);
    LLVMBuildCallWithOperandBundles(m->b, type, symbol(m, "called", (void *)called), &m->thread, 1, &bundle, 1, "");
    LLVMDisposeOperandBundle(bundle);
}

// Ends the block. Every branch has an edge to the next block, which it takes when the fuel has run out.
static void add_branch(Maker *m, uint32_t block) {
    LLVMBasicBlockRef next = m->blocks[block + 1];
    uint32_t kind = below(m, 8);
    if (kind == 0) {
        LLVMBuildBr(m->b, next);
        return;
    }
    LLVMValueRef random = update(m, "random", &shared.random, 6364136223846793005, 1442695040888963407);
    LLVMValueRef fuel = update(m, "fuel", &shared.fuel, 1, -1);
    LLVMValueRef goes = LLVMBuildICmp(m->b, LLVMIntSGT, fuel, number(m, 0), "");
    random = LLVMBuildLShr(m->b, random, number(m, 48), "");
    if (kind < 6) {
        LLVMValueRef bit = LLVMBuildICmp(m->b, LLVMIntULT, random, number(m, 1 << (12 + below(m, 5))), "");
        LLVMValueRef condition = LLVMBuildAnd(m->b, goes, bit, "");
        LLVMBuildCondBr(m->b, condition, m->blocks[1 + below(m, m->count)], next);
        return;
    }
    LLVMValueRef key = LLVMBuildSelect(m->b, goes, LLVMBuildAnd(m->b, random, number(m, 7), ""), number(m, 99), "");
    LLVMValueRef jump = LLVMBuildSwitch(m->b, key, next, 6);
    for (uint32_t i = 0; i < 6; i++) LLVMAddCase(jump, number(m, i), m->blocks[1 + below(m, m->count)]);
}

static void add_block(Maker *m, uint32_t block) {
    LLVMPositionBuilderAtEnd(m->b, m->blocks[block]);
    uint32_t parts = below(m, 4);
    bool quiet = below(m, 3) != 0;  // most blocks make no calls, so that some loops make none
    for (uint32_t i = 0; i < parts; i++) {
        if (below(m, 2)) add_event(m);
        if (!quiet && below(m, 2)) add_call(m);
    }
    if (block == m->count) LLVMBuildRet(m->b, number(m, 0));
    else add_branch(m, block);
}

// i64 f(ptr nest, ptr swiftself)
static const Code *make(uint64_t seed) {
    Maker m = {.random = seed};
    CompileTask task = {.osr_bci = -1};
    CompilerOptions options = {.opt_level = 2, .verify = true};
    unit_init(&m.unit, &task, &options);
    LLVMContextRef c = m.unit.context;
    m.b = LLVMCreateBuilderInContext(c);
    m.i32 = LLVMInt32TypeInContext(c);
    m.i64 = LLVMInt64TypeInContext(c);
    m.ptr = LLVMPointerTypeInContext(c, 0);
    m.f = LLVMAddFunction(m.unit.module, UNIT_FUNCTION,
                          LLVMFunctionType(m.i64, (LLVMTypeRef[]){m.ptr, m.ptr}, 2, false));
    LLVMSetFunctionCallConv(m.f, SWIFTCC);
    set_attribute(&m, 1, "nest");
    set_attribute(&m, 2, "swiftself");
    set_attribute(&m, (unsigned)LLVMAttributeFunctionIndex, "nounwind");
    m.thread = LLVMGetParam(m.f, 1);
    m.count = 2 + below(&m, MOST_BLOCKS - 2);
    // As in emitted code, the entry block has one successor and no call.
    for (uint32_t i = 0; i <= m.count; i++) m.blocks[i] = LLVMAppendBasicBlockInContext(c, m.f, "");
    LLVMPositionBuilderAtEnd(m.b, m.blocks[0]);
    LLVMBuildBr(m.b, m.blocks[1]);
    for (uint32_t i = 1; i <= m.count; i++) add_block(&m, i);
    LLVMDisposeBuilder(m.b);
    bool made = counters_place(&m.unit) && backend_verify(&m.unit, "counters") && backend_optimize(&m.unit) &&
        backend_verify(&m.unit, "passes") && backend_generate(&m.unit) && backend_link(&m.unit);
    if (!made) fail_msg("seed %llu: %s", (unsigned long long)seed, m.unit.detail);
    Code *code = m.unit.code;
    unit_free(&m.unit);
    return code;
}

// ---- tests -----------------------------------------------------------------------------------------

static void try_one(uint64_t seed) {
    Thread *thread = shared.thread;
    shared = (struct Shared){.thread = thread, .seed = seed, .random = (int64_t)seed};
    shared.code = make(seed);
    for (int i = 0; i < 20; i++) {
        shared.fuel = 400;
        enter();
        compare();
        if (i % 7 == 3) counters_hand_in(thread);
    }
    counters_retire(shared.code);
    for (uint32_t i = 0; i < shared.marks; i++) assert_int_equal(shared.handed_in[i], shared.direct[i]);
    uint32_t marks = shared.code->mark_count, counters = shared.code->counter_count,
             edges = shared.code->count_edge_count;
    if (marks) assert_true(counters > 0 && counters <= edges);
    counters_give(shared.code);
    backend_release((Code *)shared.code);
}

static void random_flow(void **state) {
    (void)state;
    const char *text = getenv("CABERNET_SEED"), *programs = getenv("CABERNET_PROGRAMS");
    uint64_t first = text ? strtoull(text, NULL, 10) : 1, count = programs ? strtoull(programs, NULL, 10) : 60;
    for (uint64_t seed = first; seed < first + count; seed++) try_one(seed);
    // All counters are free again, so the first ones are taken next.
    uint32_t one = compiler_counters_take(1);
    assert_int_equal(one, THREAD_COUNTERS_OFFSET);
}

int main(void) {
    const char *error = NULL;
    CompilerOptions options = {.opt_level = 2, .verify = true};
    if (!backend_start(&options, &error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    shared.thread = mmap(NULL, THREAD_COUNTERS_OFFSET + 8 * (size_t)THREAD_COUNTERS, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    threads.first = shared.thread;
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_flow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
