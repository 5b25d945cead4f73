// Escape analysis on functions made by hand: which allocations are removed, where a virtual object is materialised and
// with what values, and what the operations mean for objects that are kept.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/backend/backend.h"
#include "jit/escape/escape.h"
#include "jit/plan/plan.h"

// ---- what the pass asks of the VM and of other passes ---------------------------------------------

enum { VTABLE = 0, LOCK = 8, ARRAY_LENGTH = 12, FIRST = 16, INSTANCE = 32, SMALL = 256 };

uint8_t *compiler_cards(void) { return NULL; }
uint64_t *compiler_barrier_counts(void) { return NULL; }
const CompilerLayout *compiler_layout(void) {
    static const CompilerLayout layout = {.object_vtable = VTABLE,
                                          .object_lock = LOCK,
                                          .array_length = ARRAY_LENGTH,
                                          .array_base = FIRST,
                                          .granule = 16,
                                          .small_max = SMALL,
                                          .thread_free_lists = 4096,
                                          .free_list_kinds_stride = 1024};
    return &layout;
}
void compiler_log(const char *line) { fprintf(stderr, "%s\n", line); }
uint32_t compiler_counters_take(uint32_t count) { return count ? 4096 : 0; }
void plan_print(const Plan *plan, FILE *out) { (void)plan, (void)out; }
void compiler_counters_give(uint32_t offset, uint32_t count) { (void)offset, (void)count; }
Metaspace *compiler_owner(const Class *c) {
    (void)c;
    return NULL;
}

// ---- functions ------------------------------------------------------------------------------------

// A class with two fields: a long and a reference.
static Class pair_class;
static Field pair_fields[] = {{.cls = &pair_class, .type = 'J', .offset = FIRST},
                              {.cls = &pair_class, .type = 'L', .offset = FIRST + 8}};
static Class pair_class = {.fields = pair_fields, .field_count = 2, .instance_size = INSTANCE, .loader = (Loader *)16};
static Class long_class = {.prim = 'J'}, longs_class = {.cflags = CF_ARRAY, .component = &long_class, .elem_shift = 3};

typedef struct Maker {
    Unit unit;
    CompileTask task;
    CompilerOptions options;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64, ptr;
    LLVMValueRef f, x, y, thread, list, sink, vtable, symbol;
} Maker;
static Maker m;

static LLVMValueRef number(int64_t v) { return LLVMConstInt(m.i32, (uint64_t)v, true); }
static LLVMValueRef wide(int64_t v) { return LLVMConstInt(m.i64, (uint64_t)v, true); }
static LLVMValueRef global(const char *name) { return LLVMAddGlobal(m.unit.module, m.ptr, name); }
static LLVMBasicBlockRef block(const char *name) { return LLVMAppendBasicBlockInContext(m.unit.context, m.f, name); }
static void at(LLVMBasicBlockRef b) { LLVMPositionBuilderAtEnd(m.b, b); }
static LLVMBasicBlockRef here(void) { return LLVMGetInsertBlock(m.b); }

static LLVMValueRef function(const char *name, LLVMTypeRef result, LLVMTypeRef *params, unsigned count) {
    return LLVMAddFunction(m.unit.module, name, LLVMFunctionType(result, params, count, false));
}

// i64 f(i64 x, i64 y, ptr thread)
static void begin(void) {
    m = (Maker){.task = {.osr_bci = -1}, .options = {.opt_level = 2, .verify = true}};
    unit_init(&m.unit, &m.task, &m.options);
    LLVMContextRef c = m.unit.context;
    m.b = LLVMCreateBuilderInContext(c);
    m.i1 = LLVMInt1TypeInContext(c), m.i32 = LLVMInt32TypeInContext(c), m.i64 = LLVMInt64TypeInContext(c);
    m.ptr = LLVMPointerTypeInContext(c, 0);
    m.f = function(UNIT_FUNCTION, m.i64, (LLVMTypeRef[]){m.i64, m.i64, m.ptr}, 3);
    m.x = LLVMGetParam(m.f, 0), m.y = LLVMGetParam(m.f, 1), m.thread = LLVMGetParam(m.f, 2);
    m.list = global("list"), m.sink = global("sink"), m.vtable = global("vtable"), m.symbol = global("class");
    m.unit.materialize = function("rt_materialize", m.ptr, (LLVMTypeRef[]){m.ptr, m.ptr, m.i32, m.i32}, 4);
    m.unit.materialize_often = function("rt_materialize_often", m.ptr, (LLVMTypeRef[]){m.ptr, m.ptr, m.i32}, 3);
    at(block("entry"));
}

static LLVMValueRef op(EscapeOp o, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return escape_op(&m.unit, m.b, o, (LLVMValueRef[]){a, b, c});
}

static LLVMValueRef address(LLVMValueRef object, int64_t offset) {
    LLVMValueRef by = wide(offset);
    return LLVMBuildInBoundsGEP2(m.b, LLVMInt8TypeInContext(m.unit.context), object, &by, 1, "");
}
static void set(LLVMValueRef object, int64_t offset, LLVMValueRef v) {
    LLVMBuildStore(m.b, v, address(object, offset));
}
static LLVMValueRef get(LLVMTypeRef type, LLVMValueRef object, int64_t offset) {
    return LLVMBuildLoad2(m.b, type, address(object, offset), "");
}
static void publish(LLVMValueRef object) { LLVMBuildStore(m.b, object, m.sink); }

// An object as the emitter makes it. `length`: of an array.
static LLVMValueRef allocate(const Class *cls, uint32_t length) {
    uint32_t position = unit_add_position(&m.unit, NULL, 0, CODE_NONE);
    uint32_t map = unit_add_stack_map(&m.unit, position, DEOPT_KEEPS_SAMPLING, NULL, 0);
    LLVMValueRef n = number(
        unit_add_allocation(&m.unit, (struct UnitAllocation){cls, length, map, m.vtable, m.symbol, NULL, 0, 0, NULL}));
    LLVMValueRef object = op(ESCAPE_HEAD, n, LLVMBuildLoad2(m.b, m.ptr, m.list, ""), NULL);
    op(ESCAPE_WRITE, n, m.vtable, address(object, VTABLE));
    if (length) op(ESCAPE_LENGTH, n, number(length), address(object, ARRAY_LENGTH));
    op(ESCAPE_FENCE, n, NULL, NULL);
    return op(ESCAPE_OBJECT, n, object, NULL);
}
static LLVMValueRef pair(LLVMValueRef v) {
    LLVMValueRef object = allocate(&pair_class, 0);
    set(object, FIRST, v);
    set(object, FIRST + 8, LLVMConstNull(m.ptr));
    return object;
}

// A branch whose first successor is taken in one of `times` executions.
static void branch(LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise, unsigned times) {
    LLVMContextRef c = m.unit.context;
    LLVMValueRef br = LLVMBuildCondBr(m.b, condition, then, otherwise);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(c, "branch_weights", 14), LLVMValueAsMetadata(number(1)),
                               LLVMValueAsMetadata(number(times - 1))};
    LLVMSetMetadata(br, LLVMGetMDKindIDInContext(c, "prof", 4),
                    LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, parts, 3)));
}
static LLVMValueRef is_zero(LLVMValueRef v) { return LLVMBuildICmp(m.b, LLVMIntEQ, v, wide(0), ""); }

static LLVMValueRef phi(LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                        LLVMBasicBlockRef from_b) {
    LLVMValueRef p = LLVMBuildPhi(m.b, type, "");
    LLVMAddIncoming(p, (LLVMValueRef[]){a, b}, (LLVMBasicBlockRef[]){from_a, from_b}, 2);
    return p;
}

// ---- results --------------------------------------------------------------------------------------

// Instructions with that opcode; of calls, those of the named function (NULL: all).
static int count_of(LLVMOpcode opcode, const char *callee) {
    int count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m.f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMGetInstructionOpcode(i) != opcode) continue;
            size_t length;
            count += !callee || strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &length), callee) == 0;
        }
    return count;
}

static LLVMValueRef first_of(LLVMOpcode opcode) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m.f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == opcode) return i;
    fail_msg("no such instruction");
    return NULL;
}

static LLVMValueRef returned(void) { return LLVMGetOperand(first_of(LLVMRet), 0); }

// Ends the function and runs the pass.
static void analyze(LLVMValueRef result, uint32_t vanished) {
    LLVMBuildRet(m.b, result);
    assert_true(backend_verify(&m.unit, "test"));
    assert_true(escape_analyze(&m.unit));
    assert_true(backend_verify(&m.unit, "escape"));
    assert_int_equal(m.unit.vanished, vanished);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m.f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            size_t length;
            if (LLVMIsACallInst(i))
                assert_memory_not_equal(LLVMGetValueName2(LLVMGetCalledValue(i), &length), "escape.", 7);
        }
}

static void done(void) {
    LLVMDisposeBuilder(m.b);
    unit_free(&m.unit);
}

// ---- tests ----------------------------------------------------------------------------------------

static void an_object_that_stays_local(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = pair(m.x);
    set(object, FIRST, LLVMBuildAdd(m.b, get(m.i64, object, FIRST), m.y, ""));
    analyze(get(m.i64, object, FIRST), 1);
    assert_int_equal(LLVMGetInstructionOpcode(returned()), LLVMAdd);
    assert_ptr_equal(LLVMGetOperand(returned(), 0), m.x);
    assert_ptr_equal(LLVMGetOperand(returned(), 1), m.y);
    assert_int_equal(count_of(LLVMStore, NULL), 0);
    assert_int_equal(count_of(LLVMFence, NULL), 0);
    assert_string_equal(m.unit.allocations[0].outcome, "vanishes");
    done();
}

static void a_field_that_was_not_set(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = allocate(&pair_class, 0);
    analyze(get(m.i64, object, FIRST), 1);
    assert_true(LLVMIsNull(returned()));
    done();
}

static void an_object_that_escapes(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = pair(m.x);
    publish(object);
    analyze(get(m.i64, object, FIRST), 0);
    assert_string_equal(m.unit.allocations[0].outcome, "it is made nearly as often");
    assert_int_equal(count_of(LLVMCall, NULL), 0);   // it comes from the free list as before
    assert_int_equal(count_of(LLVMStore, NULL), 4);  // vtable, two fields, the publication
    assert_int_equal(count_of(LLVMFence, NULL), 1);
    done();
}

// It escapes in a block that runs once in `times` executions.
static void escaping_once_in(unsigned times) {
    begin();
    LLVMValueRef object = pair(m.x);
    LLVMBasicBlockRef rare = block("rare"), end = block("end");
    branch(is_zero(m.y), rare, end, times);
    at(rare);
    publish(object);
    LLVMBuildBr(m.b, end);
    at(end);
}

static void materialisation_on_a_rare_path(void **state) {
    (void)state;
    escaping_once_in(1000);
    analyze(m.x, 1);
    assert_int_equal(count_of(LLVMCall, "rt_materialize"), 1);
    LLVMValueRef call = first_of(LLVMCall);
    assert_ptr_not_equal(LLVMGetInstructionParent(call), LLVMGetEntryBasicBlock(m.f));
    assert_ptr_equal(LLVMGetOperand(call, 0), m.thread);
    assert_ptr_equal(LLVMGetOperand(call, 1), m.symbol);
    assert_int_equal(LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)), 0);  // not locked
    assert_int_equal(LLVMGetNumOperandBundles(call), 1);
    // Its fields get their values before it is published.
    bool has_value = false, published = false;
    for (LLVMValueRef i = call; i; i = LLVMGetNextInstruction(i)) {
        if (LLVMGetInstructionOpcode(i) != LLVMStore) continue;
        if (LLVMGetOperand(i, 0) == m.x) has_value = true;
        if (LLVMGetOperand(i, 1) == m.sink) {
            assert_true(has_value);
            assert_ptr_equal(LLVMGetOperand(i, 0), call);
            published = true;
        }
    }
    assert_true(published);
    done();
}

static void materialisation_on_a_frequent_path(void **state) {
    (void)state;
    escaping_once_in(2);
    analyze(m.x, 1);
    assert_string_equal(m.unit.allocations[0].outcome, "is made less often");
    assert_int_equal(count_of(LLVMCall, "rt_materialize"), 0);
    assert_int_equal(count_of(LLVMCall, "rt_materialize_often"), 1);  // inline, if the free list is not empty
    done();
}

static void locks_of_a_virtual_object(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = pair(m.x);
    LLVMValueRef entered = op(ESCAPE_ENTER, object, number(0), number(1));
    LLVMValueRef left = op(ESCAPE_EXIT, object, number(1), number(0));
    analyze(LLVMBuildZExt(m.b, LLVMBuildAnd(m.b, entered, left, ""), m.i64, ""), 1);
    assert_int_equal(count_of(LLVMAtomicCmpXchg, NULL), 0);
    assert_true(LLVMIsConstant(returned()));
    assert_int_equal(LLVMConstIntGetZExtValue(returned()), 1);
    done();
}

static void locks_of_a_real_object(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = pair(m.x);
    publish(object);
    LLVMValueRef entered = op(ESCAPE_ENTER, object, number(0), number(1));
    op(ESCAPE_EXIT, object, number(1), number(0));
    analyze(LLVMBuildZExt(m.b, entered, m.i64, ""), 0);
    assert_int_equal(count_of(LLVMAtomicCmpXchg, NULL), 2);
    assert_int_equal(LLVMGetCmpXchgSuccessOrdering(first_of(LLVMAtomicCmpXchg)), LLVMAtomicOrderingAcquire);
    assert_false(LLVMIsConstant(returned()));
    done();
}

static void a_locked_object_is_materialised_locked(void **state) {
    (void)state;
    begin();
    LLVMValueRef object = pair(m.x);
    op(ESCAPE_ENTER, object, number(0), number(1));
    LLVMBasicBlockRef rare = block("rare"), usual = block("usual"), end = block("end");
    branch(is_zero(m.y), rare, usual, 1000);
    at(rare);
    publish(object);
    op(ESCAPE_EXIT, object, number(1), number(0));
    LLVMBuildBr(m.b, end);
    at(usual);
    op(ESCAPE_EXIT, object, number(1), number(0));
    LLVMBuildBr(m.b, end);
    at(end);
    analyze(m.x, 1);
    assert_int_equal(count_of(LLVMAtomicCmpXchg, NULL), 1);  // only the real object is unlocked
    assert_int_equal(count_of(LLVMCall, "rt_materialize"), 1);
    assert_int_equal(LLVMConstIntGetZExtValue(LLVMGetOperand(first_of(LLVMCall), 3)), 1);
    done();
}

static void arrays(void **state) {
    (void)state;
    begin();
    LLVMValueRef array = allocate(&longs_class, 3);
    set(array, FIRST + 8, m.x);
    set(array, FIRST + 16, m.y);
    analyze(LLVMBuildSub(m.b, get(m.i64, array, FIRST + 16), get(m.i64, array, FIRST + 8), ""), 1);
    assert_int_equal(LLVMGetInstructionOpcode(returned()), LLVMSub);
    assert_ptr_equal(LLVMGetOperand(returned(), 0), m.y);
    assert_ptr_equal(LLVMGetOperand(returned(), 1), m.x);
    done();
    // Too many elements to be values.
    begin();
    array = allocate(&longs_class, 41);
    set(array, FIRST, m.x);
    analyze(get(m.i64, array, FIRST), 0);
    assert_string_equal(m.unit.allocations[0].outcome, "it has many fields");
    done();
}

static void objects_that_meet(void **state) {
    (void)state;
    begin();
    LLVMBasicBlockRef left = block("left"), right = block("right"), end = block("end");
    branch(is_zero(m.y), left, right, 2);
    at(left);
    LLVMValueRef a = pair(m.x);
    LLVMBuildBr(m.b, end);
    at(right);
    LLVMValueRef b = pair(m.y);
    LLVMBuildBr(m.b, end);
    at(end);
    analyze(get(m.i64, phi(m.ptr, a, left, b, right), FIRST), 2);
    assert_int_equal(count_of(LLVMStore, NULL), 0);
    // The value is x or y, by a phi or a select.
    LLVMOpcode opcode = LLVMGetInstructionOpcode(returned());
    assert_true(opcode == LLVMPHI || opcode == LLVMSelect);
    done();
}

static void an_object_in_a_field_of_another(void **state) {
    (void)state;
    begin();
    LLVMValueRef inside = pair(m.x), outside = pair(m.y);
    set(outside, FIRST + 8, inside);
    analyze(get(m.i64, get(m.ptr, outside, FIRST + 8), FIRST), 2);
    assert_ptr_equal(returned(), m.x);
    done();
}

static void finalizers_and_slow_paths(void **state) {
    (void)state;
    // Of a virtual object: it is plain, and the slow path is unreachable.
    begin();
    LLVMValueRef object = pair(m.x);
    LLVMBasicBlockRef slow = block("slow"), end = block("end");
    LLVMBasicBlockRef entry = here();
    LLVMValueRef value = get(m.i64, object, FIRST);
    LLVMBuildCondBr(m.b, op(ESCAPE_PLAIN, object, is_zero(m.y), NULL), end, slow);
    at(slow);
    op(ESCAPE_SLOW, object, NULL, NULL);
    LLVMBuildBr(m.b, end);
    at(end);
    analyze(phi(m.i64, value, entry, wide(7), slow), 1);
    assert_ptr_equal(returned(), m.x);
    done();
    // Of a real one: the condition decides, and a final field's store has its fence.
    begin();
    object = pair(m.x);
    publish(object);
    op(ESCAPE_FINAL, object, NULL, NULL);
    analyze(LLVMBuildZExt(m.b, op(ESCAPE_PLAIN, object, is_zero(m.y), NULL), m.i64, ""), 0);
    assert_int_equal(count_of(LLVMFence, NULL), 2);
    assert_false(LLVMIsConstant(returned()));
    done();
}

static void code_without_operations(void **state) {
    (void)state;
    begin();
    LLVMValueRef slot = LLVMBuildAlloca(m.b, m.i64, "");
    LLVMBuildStore(m.b, m.x, slot);
    analyze(LLVMBuildLoad2(m.b, m.i64, slot, ""), 0);
    assert_int_equal(count_of(LLVMAlloca, NULL), 1);  // the function is unchanged
    done();
}

static int start(void **state) {
    (void)state;
    static const CompilerOptions options = {.opt_level = 2};
    const char *error = NULL;
    return backend_start(&options, &error) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_that_stays_local),
        cmocka_unit_test(a_field_that_was_not_set),
        cmocka_unit_test(an_object_that_escapes),
        cmocka_unit_test(materialisation_on_a_rare_path),
        cmocka_unit_test(materialisation_on_a_frequent_path),
        cmocka_unit_test(locks_of_a_virtual_object),
        cmocka_unit_test(locks_of_a_real_object),
        cmocka_unit_test(a_locked_object_is_materialised_locked),
        cmocka_unit_test(arrays),
        cmocka_unit_test(objects_that_meet),
        cmocka_unit_test(an_object_in_a_field_of_another),
        cmocka_unit_test(finalizers_and_slow_paths),
        cmocka_unit_test(code_without_operations),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
