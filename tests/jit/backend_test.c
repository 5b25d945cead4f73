// The back end without a VM. Hand-made IR with the ABI of compiled code goes through passes, code generation and
// loading. The code is called, and its sites, found by walking frame pointers, are compared with the expected ones.
// Nothing that the compiler would request from the VM is needed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit/backend/backend.h"
#include "jit/dump.h"
#include "jit/backend/elfobject.h"
#include "jit/plan/plan.h"
#include "jit/backend/stackmaps.h"
#include "jit/backend/target.h"
#include "vm/api/perf.h"

// ---- stubs for the VM ------------------------------------------------------------------------------

uint8_t *compiler_cards(void) { return NULL; }
uint64_t *compiler_barrier_counts(void) { return NULL; }
const CompilerLayout *compiler_layout(void) {
    static const CompilerLayout none;
    return &none;
}
void compiler_log(const char *line) { fprintf(stderr, "%s\n", line); }
uint32_t compiler_counters_take(uint32_t count) { return count ? 4096 : 0; }
void plan_print(const Plan *plan, FILE *out) { (void)plan, (void)out; }
void compiler_counters_give(uint32_t offset, uint32_t count) { (void)offset, (void)count; }
Metaspace *compiler_owner(const Class *c) {
    (void)c;
    return NULL;
}

enum { SWIFTCC = 16 };

// A helper's view of its caller in compiled code.
typedef struct Seen {
    uintptr_t return_address, frame, stack;
    void *thread;
} Seen;
static _Thread_local Seen seen[64];
static _Thread_local unsigned seen_count;

// Compiled code preserves the thread in r13 across calls.
__attribute__((noinline)) static int64_t helper(void *thread, int64_t x) {
    void *r13;
    __asm__ volatile("mov %%r13, %0" : "=r"(r13));
    uintptr_t *frame = __builtin_frame_address(0);
    if (seen_count < 64) seen[seen_count++] = (Seen){frame[1], frame[0], (uintptr_t)(frame + 2), thread};
    return x + 1;
}

static int64_t many(void *thread, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                    int64_t h) {
    uintptr_t *frame = __builtin_frame_address(0);
    seen[seen_count++] = (Seen){frame[1], frame[0], (uintptr_t)(frame + 2), thread};
    return a + b + c + d + e + f + g + h;
}

// ---- making IR -------------------------------------------------------------------------------------

typedef struct Maker {
    Unit unit;
    CompileTask task;
    CompilerOptions options;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64, ptr, type;
    LLVMValueRef f, method, thread;
} Maker;

static void mark(Maker *m, LLVMValueRef target, unsigned index, const char *attribute, bool call) {
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAttributeRef a = LLVMCreateEnumAttribute(m->unit.context, kind, 0);
    if (call) LLVMAddCallSiteAttribute(target, index, a);
    else LLVMAddAttributeAtIndex(target, index, a);
}

// i64 f(ptr nest, i64 x `arguments` times, ptr swiftself)
static void begin(Maker *m, unsigned arguments) {
    *m = (Maker){.task = {.osr_bci = -1}, .options = {.opt_level = 2, .verify = true}};
    unit_init(&m->unit, &m->task, &m->options);
    LLVMContextRef c = m->unit.context;
    m->b = LLVMCreateBuilderInContext(c);
    m->i32 = LLVMInt32TypeInContext(c);
    m->i64 = LLVMInt64TypeInContext(c);
    m->ptr = LLVMPointerTypeInContext(c, 0);
    LLVMTypeRef params[16] = {m->ptr};
    for (unsigned i = 1; i <= arguments; i++) params[i] = m->i64;
    params[arguments + 1] = m->ptr;
    m->type = LLVMFunctionType(m->i64, params, arguments + 2, false);
    m->f = LLVMAddFunction(m->unit.module, UNIT_FUNCTION, m->type);
    LLVMSetFunctionCallConv(m->f, SWIFTCC);
    mark(m, m->f, 1, "nest", false);
    mark(m, m->f, arguments + 2, "swiftself", false);
    mark(m, m->f, (unsigned)LLVMAttributeFunctionIndex, "nounwind", false);
    m->method = LLVMGetParam(m->f, 0);
    m->thread = LLVMGetParam(m->f, arguments + 1);
    LLVMPositionBuilderAtEnd(m->b, LLVMAppendBasicBlockInContext(c, m->f, "entry"));
}

static LLVMValueRef number(Maker *m, int64_t v) { return LLVMConstInt(m->i64, (uint64_t)v, true); }

static LLVMValueRef symbol(Maker *m, const char *name, void *address) {
    LLVMValueRef g = LLVMGetNamedGlobal(m->unit.module, name);
    if (!g) g = LLVMAddGlobal(m->unit.module, LLVMInt8TypeInContext(m->unit.context), name);
    unit_add_symbol(&m->unit, name, address);
    return g;
}

// A call of a C function (thread, i64...) with a stack map at `bci` and the locked objects.
static LLVMValueRef call_with(Maker *m, void *target, const char *name, int bci, LLVMValueRef *args, unsigned count,
                              LLVMValueRef *locked, unsigned locks) {
    LLVMTypeRef params[16] = {m->ptr};
    LLVMValueRef values[16] = {m->thread};
    for (unsigned i = 0; i < count; i++) {
        params[i + 1] = m->i64;
        values[i + 1] = args[i];
    }
    uint8_t levels[8] = {0, 1, 2};
    uint32_t position = unit_add_position(&m->unit, NULL, bci, CODE_NONE);
    LLVMValueRef operands[8] = {
        LLVMConstInt(m->i32, unit_add_stack_map(&m->unit, position, DEOPT_KEEPS_SAMPLING, levels, locks), false)};
    for (unsigned i = 0; i < locks; i++) operands[i + 1] = locked[i];
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, operands, locks + 1);
    LLVMValueRef call = LLVMBuildCallWithOperandBundles(m->b, LLVMFunctionType(m->i64, params, count + 1, false),
                                                        symbol(m, name, target), values, count + 1, &bundle, 1, "");
    LLVMDisposeOperandBundle(bundle);
    return call;
}

static LLVMValueRef call(Maker *m, int bci, LLVMValueRef x) {
    return call_with(m, (void *)helper, "rt_helper", bci, &x, 1, NULL, 0);
}

static void end(Maker *m, LLVMValueRef result) {
    LLVMBuildRet(m->b, result);
    LLVMDisposeBuilder(m->b);
}

static void must(const Unit *u, bool ok) {
    if (!ok) fail_msg("%s", u->detail);
}

static void generate(Maker *m) {
    must(&m->unit, backend_verify(&m->unit, "emission"));
    must(&m->unit, backend_optimize(&m->unit));
    must(&m->unit, backend_verify(&m->unit, "passes"));
    must(&m->unit, backend_generate(&m->unit));
}

static Code *build(Maker *m) {
    generate(m);
    must(&m->unit, backend_link(&m->unit));
    Code *code = m->unit.code;
    unit_free(&m->unit);
    return code;
}

// Enters compiled code as the VM's stub does.
static int64_t enter(const Code *code, int64_t x, void *thread) {
    int64_t result;
    register void *r10 __asm__("r10") = (void *)code;
    register void *r13 __asm__("r13") = thread;
    register int64_t rdi __asm__("rdi") = x;
    // Skips the red zone, because the C compiler does not see the call.
    __asm__ volatile(
        "sub $128, %%rsp\n\tpush %%rbp\n\tpush %%rbp\n\tcall *%[entry]\n\tpop %%rbp\n\tpop %%rbp\n\tadd $128, %%rsp"
        : "=a"(result), "+r"(rdi), "+r"(r10)
        : [entry] "r"(code->entry), "r"(r13)
        : "rcx", "rdx", "rsi", "r8", "r9", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
          "xmm6", "xmm7");
    seen_count = seen_count > 64 ? 64 : seen_count;
    return result;
}

static const CodeStackMap *stack_map_at(const Code *code, uintptr_t return_address) {
    for (uint32_t i = 0; i < code->stack_map_count; i++)
        if ((uintptr_t)code->start + code->stack_maps[i].return_offset == return_address) return &code->stack_maps[i];
    return NULL;
}

static void check_bci(const Code *code, const Seen *s, int bci) {
    const CodeStackMap *stack_map = stack_map_at(code, s->return_address);
    assert_non_null(stack_map);
    assert_int_equal(code->positions[stack_map->position].bci, bci);
}

static int64_t value_of(const Code *code, const Seen *s, unsigned i) {
    const CodeStackMap *stack_map = stack_map_at(code, s->return_address);
    assert_non_null(stack_map);
    assert_true(i < stack_map->value_count);
    const CodeValue *m = &code->values[stack_map->first_value + i];
    assert_int_equal(m->level, i);
    if (m->location == CODE_LOC_CONSTANT) return m->offset;
    assert_true(m->location == CODE_LOC_FP || m->location == CODE_LOC_SP);
    return *(int64_t *)((m->location == CODE_LOC_FP ? s->frame : s->stack) + (intptr_t)m->offset);
}

// ---- tests -----------------------------------------------------------------------------------------

static char thread_mark;

static void sites_tell_where(void **state) {
    (void)state;
    Maker m;
    begin(&m, 1);
    LLVMValueRef v = call(&m, 3, LLVMGetParam(m.f, 1));
    v = call(&m, 70000, LLVMBuildMul(m.b, v, number(&m, 10), ""));
    end(&m, v);
    Code *code = build(&m);
    assert_int_equal(code->stack_map_count, 2);
    assert_true(code->stack_maps[0].return_offset < code->stack_maps[1].return_offset);
    assert_true((char *)code->entry == code->start && code->size > 20);
    seen_count = 0;
    assert_int_equal(enter(code, 4, &thread_mark), 51);
    assert_int_equal(seen_count, 2);
    check_bci(code, &seen[0], 3);
    check_bci(code, &seen[1], 70000);
    assert_ptr_equal(seen[0].thread, &thread_mark);
    assert_ptr_equal(seen[1].thread, &thread_mark);
    assert_int_equal(seen[0].frame, seen[1].frame);
    backend_release(code);
}

// The same call in both arms. LLVM may merge or copy them; each return address has its own record.
static void branches(void **state) {
    (void)state;
    Maker m;
    begin(&m, 1);
    LLVMContextRef c = m.unit.context;
    LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(c, m.f, "yes");
    LLVMBasicBlockRef no = LLVMAppendBasicBlockInContext(c, m.f, "no");
    LLVMValueRef x = LLVMGetParam(m.f, 1);
    LLVMBuildCondBr(m.b, LLVMBuildICmp(m.b, LLVMIntSGT, x, number(&m, 0), ""), yes, no);
    LLVMPositionBuilderAtEnd(m.b, yes);
    LLVMBuildRet(m.b, call(&m, 11, x));
    LLVMPositionBuilderAtEnd(m.b, no);
    end(&m, call(&m, 22, x));
    Code *code = build(&m);
    seen_count = 0;
    assert_int_equal(enter(code, 5, &thread_mark), 6);
    assert_int_equal(enter(code, -5, &thread_mark), -4);
    check_bci(code, &seen[0], 11);
    check_bci(code, &seen[1], 22);
    backend_release(code);
}

static void locks_are_found(void **state) {
    (void)state;
    Maker m;
    begin(&m, 1);
    LLVMValueRef x = LLVMGetParam(m.f, 1);
    LLVMValueRef locked[3] = {
        LLVMBuildIntToPtr(m.b, LLVMBuildAdd(m.b, x, number(&m, 1000), ""), m.ptr, ""),
        LLVMConstNull(m.ptr),
        LLVMBuildIntToPtr(m.b, LLVMBuildMul(m.b, x, x, ""), m.ptr, ""),
    };
    LLVMValueRef v = call_with(&m, (void *)helper, "rt_helper", 1, &x, 1, locked, 3);
    LLVMValueRef args[8] = {v, v, v, v, v, v, v, x};  // some on the stack
    v = call_with(&m, (void *)many, "rt_many", 2, args, 8, locked, 3);
    end(&m, v);
    Code *code = build(&m);
    seen_count = 0;
    assert_int_equal(enter(code, 9, &thread_mark), 79);
    assert_int_equal(seen_count, 2);
    for (int i = 0; i < 2; i++) {
        check_bci(code, &seen[i], i + 1);
        assert_int_equal(value_of(code, &seen[i], 0), 1009);
        assert_int_equal(value_of(code, &seen[i], 1), 0);
        assert_int_equal(value_of(code, &seen[i], 2), 81);
    }
    backend_release(code);
}

// A module with many features that might bring varying data into the object.
static void make_rich(Maker *m) {
    begin(m, 1);
    LLVMContextRef c = m->unit.context;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(c);
    LLVMValueRef x = LLVMGetParam(m->f, 1);
    LLVMValueRef d = LLVMBuildSIToFP(m->b, x, f64, "");
    d = LLVMBuildFMul(m->b, d, LLVMConstReal(f64, 1.25), "");
    d = LLVMBuildFRem(m->b, d, LLVMConstReal(f64, 100.0), "");  // calls fmod
    LLVMValueRef v = call(m, 1, LLVMBuildFPToSI(m->b, d, m->i64, ""));
    LLVMBasicBlockRef blocks[9];
    for (int i = 0; i < 9; i++) blocks[i] = LLVMAppendBasicBlockInContext(c, m->f, "");
    LLVMValueRef s = LLVMBuildSwitch(m->b, v, blocks[8], 8);  // a jump table
    for (int i = 0; i < 8; i++) LLVMAddCase(s, number(m, i), blocks[i]);
    for (int i = 0; i < 9; i++) {
        LLVMPositionBuilderAtEnd(m->b, blocks[i]);
        LLVMBuildRet(m->b, call(m, 100 + i, LLVMBuildMul(m->b, v, number(m, 17 * i + 3), "")));
    }
    LLVMDisposeBuilder(m->b);
}

static void equal_plans_equal_objects(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        if (i == 2) backend_thread_end();  // again in a new context
        Maker m;
        make_rich(&m);
        Code *code = build(&m);
        hashes[i] = code->hash;
        seen_count = 0;
        assert_int_equal(enter(code, 4, &thread_mark), 6 * (17 * 6 + 3) + 1);
        check_bci(code, &seen[1], 106);
        assert_int_equal(enter(code, 1000, &thread_mark), 51 * (17 * 8 + 3) + 1);
        backend_release(code);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
}

static void metadata_moves(void **state) {
    (void)state;
    Maker m;
    begin(&m, 1);
    uint16_t slots[3] = {1, 5, 7};
    DeoptFrame frames[2] = {
        {.bci = 4, .stack_depth = 2, .value_count = 3, .slots = slots},
        {.bci = 9, .has_monitor = true, .value_count = 1, .slots = slots + 1},
    };
    assert_int_equal(unit_add_deopt_point(&m.unit, (DeoptPoint){.reason = DEOPT_uncommon}, frames, 2), 0);
    assert_int_equal(unit_add_deopt_point(&m.unit, (DeoptPoint){.kind = DEOPT_RETHROW}, frames, 1), 1);
    slots[1] = 99;  // it was copied
    end(&m, call(&m, 1, LLVMGetParam(m.f, 1)));
    size_t before = backend_memory();
    Code *code = build(&m);
    assert_true(backend_memory() > before);
    assert_int_equal(code->deopt_point_count, 2);
    assert_int_equal(code->deopt_frame_count, 3);
    assert_int_equal(code->deopt_points[1].first_frame, 2);
    assert_int_equal(code->deopt_frames[0].slots[1], 5);
    assert_int_equal(code->deopt_frames[1].slots[0], 5);
    assert_int_equal(code->deopt_frames[2].slots[2], 7);
    assert_true(code->deopt_frames[1].has_monitor);
    backend_release(code);
    assert_int_equal(backend_memory(), before);
}

static void bailouts(void **state) {
    (void)state;
    Maker m;
    begin(&m, 1);
    LLVMValueRef v = call(&m, 1, LLVMGetParam(m.f, 1));
    m.unit.symbols[0].name[3] = 'X';  // rt_helper is no longer known
    end(&m, v);
    must(&m.unit, backend_optimize(&m.unit));
    must(&m.unit, backend_generate(&m.unit));
    assert_false(backend_link(&m.unit));
    assert_int_equal(m.unit.bailout, BAILOUT_backend);
    assert_non_null(strstr(m.unit.detail, "rt_helper"));
    unit_free(&m.unit);
    begin(&m, 1);
    LLVMDisposeBuilder(m.b);  // no terminator
    assert_false(backend_verify(&m.unit, "emission"));
    assert_int_equal(m.unit.bailout, BAILOUT_backend);
    unit_free(&m.unit);
}

// ---- dumps and perf's files ---------------------------------------------------------------------------

static Symbol *symbol_text(const char *text) {
    Symbol *s = calloc(1, sizeof *s + strlen(text) + 1);
    assert_non_null(s);
    return strcpy(s->text, text), s;
}

static char *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    remove(path);
    return text;
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("no '%s' in:\n%s", part, text);
}

static void dumps_and_perf(void **state) {
    (void)state;
    Class cls = {.name = symbol_text("demo/Main")};
    Method method = {.cls = &cls, .name = symbol_text("run"), .desc = symbol_text("(J)J")};
    char directory[] = "/tmp/cabernet-backend-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    Maker m;
    begin(&m, 1);
    m.task.method = &method;
    m.options = (CompilerOptions){
        .dump = "ioa", .dump_filter = &(MethodPattern){"demo.Main.r*", NULL}, .dump_file = "dump.txt", .opt_level = 1};
    uint32_t position = unit_add_position(&m.unit, &method, 9, CODE_NONE);
    LLVMValueRef v = call(&m, 5, LLVMGetParam(m.f, 1));
    m.unit.positions[1] = (CodePosition){&method, 5, position};
    end(&m, v);
    dump_ir(&m.unit, false);
    generate(&m);
    dump_ir(&m.unit, true);
    m.options.dump_filter = &(MethodPattern){"demo/Main.other", NULL};
    dump_ir(&m.unit, true);
    m.options.dump_filter = &(MethodPattern){"demo/Main.run(J)*", NULL};
    must(&m.unit, backend_link(&m.unit));
    dump_assembly(&m.unit);
    Code *code = m.unit.code;
    perf_start(true, true);
    backend_tell_perf(code);
    perf_finish();
    dump_finish();
    unit_free(&m.unit);
    size_t size;
    char *text = slurp("dump.txt", &size);
    has(text, "==== IR: demo/Main.run(J)J\n");
    has(text, "==== IR, optimised");
    has(text, "define swiftcc i64 @cabernet_code");
    has(text, "; rt_helper");
    has(text, "; demo/Main.run:5 demo/Main.run:9");
    free(text);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    text = slurp(path, &size);
    has(text, "demo/Main.run(J)J [opt]");
    assert_ptr_equal((char *)strtoul(text, NULL, 16), code->start);
    free(text);
    snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
    text = slurp(path, &size);
    size_t name = strlen("demo/Main.run(J)J [opt]") + 1;
    assert_int_equal(size, 40 + 56 + name + code->size + 16);
    assert_memory_equal(text, "DTiJ", 4);
    assert_memory_equal(text + 40 + 56 + name, code->start, code->size);
    free(text);
    assert_int_equal(chdir("/"), 0);
    rmdir(directory);
    backend_release(code);
    free(cls.name);
    free(method.name);
    free(method.desc);
}

// ---- malformed stack maps ----------------------------------------------------------------------------

static void broken_stack_maps(void **state) {
    (void)state;
    Unit u = {0};
    StackMaps maps;
    uint32_t position = unit_add_position(&u, NULL, 7, CODE_NONE);
    unit_add_stack_map(&u, position, DEOPT_KEEPS_SAMPLING, NULL, 0);
    assert_true(stackmaps_read(&u, "", NULL, 0, &maps));
    assert_int_equal(maps.stack_map_count, 0);
    uint8_t bytes[16 + 24 + 16 + 4 * 12 + 8] = {3};
    bytes[4] = 1;        // functions
    bytes[12] = 1;       // records
    bytes[16 + 16] = 1;  // of the function
    uint8_t *record = bytes + 40;
    record[8] = 33;  // return offset
    record[14] = 4;  // locations
    for (int i = 0; i < 4; i++) record[16 + 12 * i] = 4;
    record[16 + 24 + 8] = 1;  // operands
    for (size_t n = 1; n < sizeof bytes; n++) {
        u.bailout = 0;
        assert_false(stackmaps_read(&u, NULL, bytes, n, &maps));
        assert_null(maps.stack_maps);
    }
    u.bailout = 0;
    assert_true(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
    assert_int_equal(maps.stack_map_count, 1);
    assert_int_equal(maps.stack_maps[0].return_offset, 33);
    stackmaps_free(&maps);
    bytes[16 + 16] = 0;  // a record of no function
    u.bailout = 0;
    assert_false(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
    bytes[16 + 16] = 1;
    record[16 + 36 + 8] = 1;  // no such site
    assert_false(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
    unit_free(&u);
}

static void put(uint8_t *at, uint64_t value, size_t bytes) { memcpy(at, &value, bytes); }

// Kind, size, register and offset or constant of a location.
static void put_location(uint8_t *at, uint8_t kind, uint16_t bytes, uint16_t reg, int32_t offset) {
    at[0] = kind;
    put(at + 2, bytes, 2);
    put(at + 4, reg, 2);
    memcpy(at + 8, &offset, 4);
}

// The record of an exit, with values in every kind of location.
static void exits_have_tables(void **state) {
    (void)state;
    enum { VALUES = 5, RECORD = 16 + 24 + 8, LOCATIONS = RECORD + 16, REGISTER = 1, DIRECT, INDIRECT, CONSTANT, INDEX };
    Unit u = {0};
    StackMaps maps;
    uint8_t sizes[VALUES] = {8, 4, 8, 4, 8};
    uint32_t number = unit_add_stack_map(&u, unit_add_position(&u, NULL, 7, CODE_NONE), DEOPT_SAMPLED, sizes, VALUES);
    u.stack_maps[number].exit = true;
    u.stack_maps[number].point = 3;
    uint8_t bytes[LOCATIONS + VALUES * 12 + 4 + 8] = {3};
    bytes[4] = bytes[8] = bytes[12] = 1;  // functions, constants, records
    bytes[16 + 8] = 40;                   // frame size
    bytes[16 + 16] = 1;                   // records of the function
    put(bytes + 40, UINT64_C(0x123456789abcdef0), 8);
    put(bytes + RECORD, EXIT_ID + number, 8);
    put(bytes + RECORD + 8, 33, 4);
    put(bytes + RECORD + 14, VALUES, 2);
    uint8_t *locations = bytes + LOCATIONS;
    put_location(locations, REGISTER, 8, 1, 0);         // rdx: DWARF register 1, but number 2 in instructions
    put_location(locations + 12, INDIRECT, 4, 6, -20);  // by rbp
    put_location(locations + 24, INDIRECT, 8, 7, 8);    // by rsp
    put_location(locations + 36, CONSTANT, 8, 0, -1);
    put_location(locations + 48, INDEX, 8, 0, 0);
    assert_true(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
    assert_int_equal(maps.stack_map_count, 1);
    const CodeStackMap *map = maps.stack_maps;
    assert_true(map->exit);
    assert_int_equal(map->return_offset, 33 + EXIT_BYTES);
    assert_int_equal(map->position, 3);
    assert_int_equal(map->value_count, VALUES);
    static const CodeValue expected[VALUES] = {
        {CODE_LOC_REGISTER, {8}, 2},  {CODE_LOC_FP, {4}, -20},          {CODE_LOC_FP, {8}, 8 - 32},
        {CODE_LOC_CONSTANT, {4}, -1}, {CODE_LOC_WIDE_CONSTANT, {8}, 0},
    };
    for (int i = 0; i < VALUES; i++) {
        assert_int_equal(maps.values[i].location, expected[i].location);
        assert_int_equal(maps.values[i].bytes, expected[i].bytes);
        assert_int_equal(maps.values[i].offset, expected[i].offset);
    }
    assert_true(maps.constants[0] == UINT64_C(0x123456789abcdef0));
    stackmaps_free(&maps);
    // A frame address, a vector register, a missing constant; then an unknown exit.
    static const struct {
        uint8_t kind;
        uint16_t reg;
        int32_t offset;
    } wrong[] = {{DIRECT, 6, -8}, {REGISTER, 17, 0}, {INDEX, 0, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_location(locations, wrong[i].kind, 8, wrong[i].reg, wrong[i].offset);
        assert_false(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
        assert_null(maps.values);
    }
    put_location(locations, CONSTANT, 8, 0, 0);
    put(bytes + RECORD, EXIT_ID + number + 1, 8);
    assert_false(stackmaps_read(&u, NULL, bytes, sizeof bytes, &maps));
    unit_free(&u);
}

// ---- memory ----------------------------------------------------------------------------------------

static size_t resident(void) {
    long total, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (size_t)pages * 4096;
}

static void compile_and_drop(int count) {
    for (int i = 0; i < count; i++) {
        Maker m;
        begin(&m, 1);
        char name[64];
        snprintf(name, sizeof name, "class:Generated%d", i);  // as for generated classes
        LLVMValueRef v = LLVMBuildPtrToInt(m.b, symbol(&m, name, (void *)(uintptr_t)(1000 + i)), m.i64, "");
        v = LLVMBuildAdd(m.b, v, number(&m, i * 7919L), "");
        m.options.verify = false;
        end(&m, call(&m, i, LLVMBuildAdd(m.b, v, LLVMGetParam(m.f, 1), "")));
        must(&m.unit, backend_optimize(&m.unit));
        must(&m.unit, backend_generate(&m.unit));
        must(&m.unit, backend_link(&m.unit));
        Code *code = m.unit.code;
        unit_free(&m.unit);
        seen_count = 0;
        assert_int_equal(enter(code, 1, &thread_mark), 1000 + i + i * 7919L + 2);
        check_bci(code, &seen[0], i);
        backend_release(code);
    }
}

// LLVM ends the process if it does not know a name, or if the processor has no 64-bit mode.
static void processors_are_known(void **state) {
    (void)state;
    static const char *const names[] = {
#define CPU(name) name,
#include "vm/adaptive/cpus.def"
    };
    LLVMTargetRef target;
    char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
    assert_false(LLVMGetTargetFromTriple(triple, &target, &why));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = LLVMModuleCreateWithNameInContext(names[i], context);
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, LLVMAddFunction(module, "f", type), ""));
        LLVMBuildRetVoid(b);
        LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, names[i], "", LLVMCodeGenLevelNone,
                                                               LLVMRelocPIC, LLVMCodeModelSmall);
        LLVMMemoryBufferRef object;
        assert_false(LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &why, &object));
        LLVMDisposeMemoryBuffer(object);
        LLVMDisposeTargetMachine(machine);
        LLVMDisposeBuilder(b);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
    LLVMDisposeMessage(triple);
}

// With CABERNET_DROPS=100000 it gives the figure in the documentation.
static void dropping_leaks_nothing(void **state) {
    (void)state;
    const char *given = getenv("CABERNET_DROPS");
    int count = given ? atoi(given) : 1000;
    compile_and_drop(500);
    size_t memory = backend_memory(), before = resident();
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    compile_and_drop(count);
    clock_gettime(CLOCK_MONOTONIC, &b);
    size_t after = resident();
    assert_int_equal(backend_memory(), memory);
    double ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6;
    printf("%d methods compiled and dropped, %.2f ms each, resident %zu KB before, %zu KB after\n", count, ms / count,
           before >> 10, after >> 10);
#ifndef __SANITIZE_ADDRESS__
    assert_true(after < before + (4 << 20) + (size_t)count * 64);
#endif
}

static void *compile_thread(void *unused) {
    (void)unused;
    compile_and_drop(150);
    backend_thread_end();
    return NULL;
}

static void threads_side_by_side(void **state) {
    (void)state;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, compile_thread, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static int start(void **state) {
    (void)state;
    static const CompilerOptions options = {.opt_level = 2};
    const char *error = NULL;
    if (backend_start(&options, &error)) return 0;
    fprintf(stderr, "%s\n", error);
    return -1;
}

static int stop(void **state) {
    (void)state;
    backend_thread_end();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_tell_where),       cmocka_unit_test(branches),
        cmocka_unit_test(locks_are_found),        cmocka_unit_test(equal_plans_equal_objects),
        cmocka_unit_test(metadata_moves),         cmocka_unit_test(bailouts),
        cmocka_unit_test(dumps_and_perf),         cmocka_unit_test(processors_are_known),
        cmocka_unit_test(broken_stack_maps),      cmocka_unit_test(exits_have_tables),
        cmocka_unit_test(dropping_leaks_nothing), cmocka_unit_test(threads_side_by_side),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
