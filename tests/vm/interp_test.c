// Decoding and execution of hand-made bytecode, without a booted VM: edge cases of arithmetic, every form of
// instruction fusion, switches, subroutines, operand-stack shuffles, handlers, positions.
#include "tests/vm/crew.h"

#include <math.h>

#include "bytecode/classfile/opcodes.h"
#include "vm/interp/interp.h"
#include "vm/objects/classes.h"
#include "vm/runtime/invoke.h"
#include "vm/loading/loader.h"

enum { MAX_CODE = 400 };

static Thread *self;
static Loader loader;
static Class holder, memory_error;
static ClassFile file;

static int setup(void **state) {
    (void)state;
    self = crew_init();
    if (!self) return -1;
    thread_set_dispatch(self, interp_table(INTERP_PLAIN));
    vm.wk.java_lang_OutOfMemoryError = &memory_error;  // unwinding compares exceptions with it
    arena_init(&loader.space.arena, 4096);
    holder.loader = &loader;
    holder.space = &loader.space;
    holder.file = &file;
    return 0;
}

// ---- methods from bytes -------------------------------------------------------------------------

typedef struct Assembly {
    uint8_t code[MAX_CODE];
    uint32_t length;
    uint16_t handler_count;
    ClassFileHandler handlers[4];
    ClassFileCode attribute;
    ClassFileMethod info;
    Method method;
} Assembly;

static void u1(Assembly *a, unsigned value) { a->code[a->length++] = (uint8_t)value; }
static void u2(Assembly *a, unsigned value) {
    u1(a, value >> 8);
    u1(a, value);
}
static void s4(Assembly *a, int32_t value) {
    u2(a, (uint32_t)value >> 16);
    u2(a, (uint32_t)value);
}
static void op_u2(Assembly *a, unsigned opcode, unsigned value) {
    u1(a, opcode);
    u2(a, value);
}
static void pad(Assembly *a) {
    while (a->length % 4) u1(a, 0);
}

static Method *finish(Assembly *a, int nargs, char ret) {
    a->attribute = (ClassFileCode){.code = a->code,
                                   .code_len = a->length,
                                   .max_stack = 16,
                                   .max_locals = 300,
                                   .handler_count = a->handler_count,
                                   .handlers = a->handlers};
    a->info.code = &a->attribute;
    a->method = (Method){.cls = &holder,
                         .nargs = (uint16_t)nargs,
                         .max_locals = 300,
                         .max_stack = 16,
                         .flags = ACC_STATIC,
                         .ret = ret,
                         .info = &a->info};
    interp_link_method(&a->method);
    return &a->method;
}

// The call consumes its arguments, so it gets a copy of `args`.
static Slot run(Method *m, const Slot *args) {
    Slot result = {.l = 0}, taken[8];
    assert_in_range(m->nargs, 0, 8);
    memcpy(taken, args, m->nargs * sizeof *args);
    assert_true(invoke_method(self, m, taken, &result, ENTRY_VM));
    assert_null(self->frame);
    for (unsigned i = 0; i < m->nargs; i++) assert_int_equal(taken[i].raw, 0);
    return result;
}

static int32_t run_int(Method *m, int32_t x) {
    Slot arg = {.i = x};
    return run(m, &arg).i;
}

// ---- arithmetic ---------------------------------------------------------------------------------

typedef struct Value {
    char type;
    union {
        int32_t i;
        int64_t j;
        float f;
        double d;
    };
} Value;
#define I(x)              \
    {                     \
        'I', { .i = (x) } \
    }
#define J(x)              \
    {                     \
        'J', { .j = (x) } \
    }
#define F(x)              \
    {                     \
        'F', { .f = (x) } \
    }
#define D(x)              \
    {                     \
        'D', { .d = (x) } \
    }
#define NONE          \
    {                 \
        0, { .j = 0 } \
    }

static const struct Sum {
    unsigned opcode;
    Value a, b, result;
} sums[] = {
    {OPC_iadd, I(INT32_MAX), I(1), I(INT32_MIN)},
    {OPC_isub, I(INT32_MIN), I(1), I(INT32_MAX)},
    {OPC_imul, I(65537), I(65537), I(131073)},
    {OPC_idiv, I(INT32_MIN), I(-1), I(INT32_MIN)},
    {OPC_idiv, I(-7), I(2), I(-3)},
    {OPC_irem, I(INT32_MIN), I(-1), I(0)},
    {OPC_irem, I(-7), I(2), I(-1)},
    {OPC_ineg, I(INT32_MIN), NONE, I(INT32_MIN)},
    {OPC_ishl, I(1), I(33), I(2)},
    {OPC_ishr, I(-8), I(65), I(-4)},
    {OPC_iushr, I(-1), I(-1), I(1)},
    {OPC_iand, I(-2), I(7), I(6)},
    {OPC_ior, I(8), I(-16), I(-8)},
    {OPC_ixor, I(-1), I(5), I(-6)},
    {OPC_ladd, J(INT64_MAX), J(1), J(INT64_MIN)},
    {OPC_lsub, J(INT64_MIN), J(1), J(INT64_MAX)},
    {OPC_lmul, J(INT64_C(1) << 62), J(5), J(INT64_C(1) << 62)},
    {OPC_ldiv, J(INT64_MIN), J(-1), J(INT64_MIN)},
    {OPC_lrem, J(INT64_MIN), J(-1), J(0)},
    {OPC_lrem, J(-7), J(3), J(-1)},
    {OPC_lneg, J(INT64_MIN), NONE, J(INT64_MIN)},
    {OPC_lshl, J(1), I(65), J(2)},
    {OPC_lshr, J(-8), I(1), J(-4)},
    {OPC_lushr, J(-1), I(63), J(1)},
    {OPC_land, J(-2), J(7), J(6)},
    {OPC_lor, J(8), J(-16), J(-8)},
    {OPC_lxor, J(-1), J(5), J(-6)},
    {OPC_fadd, F(1.5f), F(2.25f), F(3.75f)},
    {OPC_fsub, F(0.0f), F(0.0f), F(0.0f)},
    {OPC_fmul, F(1e30f), F(1e30f), F(INFINITY)},
    {OPC_fdiv, F(-1.0f), F(0.0f), F(-INFINITY)},
    {OPC_frem, F(-7.5f), F(2.0f), F(-1.5f)},
    {OPC_frem, F(1.0f), F(0.0f), F(NAN)},
    {OPC_fneg, F(0.0f), NONE, F(-0.0f)},
    {OPC_dadd, D(1.5), D(2.25), D(3.75)},
    {OPC_dsub, D(INFINITY), D(INFINITY), D(NAN)},
    {OPC_dmul, D(1e300), D(-1e300), D(-INFINITY)},
    {OPC_ddiv, D(0.0), D(0.0), D(NAN)},
    {OPC_drem, D(5.0), D(INFINITY), D(5.0)},
    {OPC_drem, D(-5.25), D(1.5), D(-0.75)},
    {OPC_dneg, D(-0.0), NONE, D(0.0)},
    {OPC_i2l, I(-5), NONE, J(-5)},
    {OPC_i2f, I(16777217), NONE, F(16777216.0f)},
    {OPC_i2d, I(-5), NONE, D(-5)},
    {OPC_l2i, J(INT64_C(0x1ffffffff)), NONE, I(-1)},
    {OPC_l2f, J(INT64_MAX), NONE, F(0x1p63f)},
    {OPC_l2d, J(INT64_MIN), NONE, D(-0x1p63)},
    {OPC_f2i, F(NAN), NONE, I(0)},
    {OPC_f2i, F(1e20f), NONE, I(INT32_MAX)},
    {OPC_f2i, F(-1e20f), NONE, I(INT32_MIN)},
    {OPC_f2i, F(-3.99f), NONE, I(-3)},
    {OPC_f2l, F(NAN), NONE, J(0)},
    {OPC_f2l, F(INFINITY), NONE, J(INT64_MAX)},
    {OPC_f2d, F(0.5f), NONE, D(0.5)},
    {OPC_d2i, D(2147483647.9), NONE, I(INT32_MAX)},
    {OPC_d2i, D(-2147483648.9), NONE, I(INT32_MIN)},
    {OPC_d2i, D(2147483648.0), NONE, I(INT32_MAX)},
    {OPC_d2i, D(NAN), NONE, I(0)},
    {OPC_d2l, D(-0x1p63), NONE, J(INT64_MIN)},
    {OPC_d2l, D(-1e30), NONE, J(INT64_MIN)},
    {OPC_d2l, D(0x1p63), NONE, J(INT64_MAX)},
    {OPC_d2l, D(-2.5), NONE, J(-2)},
    {OPC_d2f, D(1e300), NONE, F(INFINITY)},
    {OPC_i2b, I(0x180), NONE, I(-128)},
    {OPC_i2c, I(-1), NONE, I(0xffff)},
    {OPC_i2s, I(0x18000), NONE, I(-32768)},
    {OPC_lcmp, J(INT64_MIN), J(INT64_MAX), I(-1)},
    {OPC_lcmp, J(7), J(7), I(0)},
    {OPC_fcmpl, F(NAN), F(1), I(-1)},
    {OPC_fcmpg, F(1), F(NAN), I(1)},
    {OPC_fcmpl, F(2), F(1), I(1)},
    {OPC_dcmpl, D(NAN), D(NAN), I(-1)},
    {OPC_dcmpg, D(NAN), D(NAN), I(1)},
    {OPC_dcmpg, D(-0.0), D(0.0), I(0)},
};

static unsigned slots(char type) { return type == 'J' || type == 'D' ? 2 : type != 0; }

static unsigned load_of(char type) {
    return type == 'I' ? OPC_iload : type == 'J' ? OPC_lload : type == 'F' ? OPC_fload : OPC_dload;
}
static unsigned return_of(char type) {
    return type == 'I' ? OPC_ireturn : type == 'J' ? OPC_lreturn : type == 'F' ? OPC_freturn : OPC_dreturn;
}

static void emit_load(Assembly *a, char type, unsigned local, bool apart) {
    if (!type) return;
    u1(a, load_of(type));
    u1(a, local);
    if (apart) u1(a, OPC_nop);
}

static void check_value(const struct Sum *s, Slot got) {
    const Value *want = &s->result;
    bool same = want->type == 'I' ? got.i == want->i
        : want->type == 'J'       ? got.l == want->j
        : want->type == 'F'       ? isnan(want->f) ? isnan(got.f) : got.i == want->i
        : isnan(want->d)          ? isnan(got.d)
                                  : got.l == want->j;
    if (!same) fail_msg("%s: got %llx", opcodes_name(s->opcode), (unsigned long long)got.l);
}

static Slot slot_of(const Value *v) { return slots(v->type) == 2 ? (Slot){.l = v->j} : (Slot){.u = (uint32_t)v->i}; }

// `apart`: separate the instructions by a nop, so that no fusion pattern matches.
static void check_sum(const struct Sum *s, bool apart) {
    Assembly a = {.length = 0};
    unsigned first = slots(s->a.type), all = first + slots(s->b.type);
    emit_load(&a, s->a.type, 0, apart);
    emit_load(&a, s->b.type, first, apart);
    u1(&a, s->opcode);
    if (apart) u1(&a, OPC_nop);
    u1(&a, return_of(s->result.type));
    Slot args[4] = {slot_of(&s->a)};
    if (s->b.type) args[first] = slot_of(&s->b);
    check_value(s, run(finish(&a, (int)all, s->result.type), args));
}

static void arithmetic(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        check_sum(&sums[i], false);
        check_sum(&sums[i], true);
    }
}

// The second operand is a constant, so only the first is on the stack.
static void arithmetic_with_constants(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        const struct Sum *s = &sums[i];
        if (s->a.type != 'I' || s->b.type != 'I' || s->b.i != (int16_t)s->b.i) continue;
        for (int apart = 0; apart < 2; apart++) {
            Assembly a = {.length = 0};
            emit_load(&a, 'I', 0, apart);
            op_u2(&a, OPC_sipush, (uint16_t)s->b.i);
            u1(&a, s->opcode);
            u1(&a, OPC_ireturn);
            Slot arg = slot_of(&s->a);
            check_value(s, run(finish(&a, 1, 'I'), &arg));
        }
    }
}

// ---- branches -----------------------------------------------------------------------------------

static bool holds(unsigned opcode, int64_t a, int64_t b) {
    switch ((opcode - OPC_if_icmpeq) % 6) {
        case 0: return a == b;
        case 1: return a != b;
        case 2: return a < b;
        case 3: return a >= b;
        case 4: return a > b;
        default: return a <= b;
    }
}

// A branch at the end of `a`: 1 if taken, else 0.
static void emit_branch(Assembly *a, unsigned opcode) {
    op_u2(a, opcode, 5);
    u1(a, OPC_iconst_0);
    u1(a, OPC_ireturn);
    u1(a, OPC_iconst_1);
    u1(a, OPC_ireturn);
}

static void int_branches(void **state) {
    (void)state;
    static const int32_t values[] = {INT32_MIN, -1, 0, 1, 77, INT32_MAX};
    for (unsigned opcode = OPC_if_icmpeq; opcode <= OPC_if_icmple; opcode++)
        for (int form = 0; form < 4; form++)
            for (int x = 0; x < 6; x++)
                for (int y = 1; y < 5; y++) {  // values that sipush can hold
                    Assembly a = {.length = 0};
                    emit_load(&a, 'I', 0, form & 1);
                    if (form & 2) op_u2(&a, OPC_sipush, (uint16_t)values[y]);
                    else emit_load(&a, 'I', 1, false);
                    emit_branch(&a, opcode);
                    Slot args[2] = {{.i = values[x]}, {.i = values[y]}};
                    assert_int_equal(run(finish(&a, 2, 'I'), args).i, holds(opcode, values[x], values[y]));
                }
}

static void zero_branches(void **state) {
    (void)state;
    for (unsigned opcode = OPC_ifeq; opcode <= OPC_ifle; opcode++)
        for (int apart = 0; apart < 2; apart++)
            for (int x = -1; x <= 1; x++) {
                Assembly a = {.length = 0};
                emit_load(&a, 'I', 0, apart);
                emit_branch(&a, opcode);
                assert_int_equal(run_int(finish(&a, 1, 'I'), x), holds(opcode - OPC_ifeq + OPC_if_icmpeq, x, 0));
            }
}

// A comparison and the branch on it, fused and separate.
static void compare_branches(void **state) {
    (void)state;
    static const double values[] = {-1, 0, 2, NAN};
    for (unsigned opcode = OPC_ifeq; opcode <= OPC_ifle; opcode++)
        for (int form = 0; form < 4; form++)
            for (int x = 0; x < 4; x++)
                for (int y = 0; y < 4; y++) {
                    Assembly a = {.length = 0};
                    int unordered = form & 2 ? 1 : -1;
                    emit_load(&a, 'D', 0, false);
                    emit_load(&a, 'D', 2, false);
                    u1(&a, form & 2 ? OPC_dcmpg : OPC_dcmpl);
                    if (form & 1) u1(&a, OPC_nop);
                    emit_branch(&a, opcode);
                    double p = values[x], q = values[y];
                    int order = p < q ? -1 : p > q ? 1 : p == q ? 0 : unordered;
                    Slot args[4] = {{.d = p}, {.l = 0}, {.d = q}};
                    assert_int_equal(run(finish(&a, 4, 'I'), args).i,
                                     holds(opcode - OPC_ifeq + OPC_if_icmpeq, order, 0));
                }
}

// Sum of 1..n, with a branch into the middle of a fused sequence.
static void loops(void **state) {
    (void)state;
    Assembly a = {.length = 0};
    u1(&a, OPC_iconst_0);  // 0
    u1(&a, OPC_istore_1);  // 1
    u1(&a, OPC_iload_1);   // 2: loop
    u1(&a, OPC_iload_0);   // 3
    u1(&a, OPC_iadd);      // 4
    u1(&a, OPC_istore_1);  // 5
    u1(&a, OPC_iinc);      // 6
    u1(&a, 0);
    u1(&a, 0xff);
    u1(&a, OPC_iload_0);  // 9
    op_u2(&a, OPC_ifgt, (uint16_t)-8);
    u1(&a, OPC_iconst_5);    // 13
    op_u2(&a, OPC_goto, 4);  // 14 to 18
    u1(&a, OPC_iload_1);     // 17: fused with 18 on fall-through
    u1(&a, OPC_iload_1);     // 18
    u1(&a, OPC_iadd);
    u1(&a, OPC_ireturn);
    assert_int_equal(run_int(finish(&a, 1, 'I'), 100), 5050 + 5);
}

// Cases -2 to 2; the first and the fourth share a target.
static void table_switch(void **state) {
    (void)state;
    enum { CASES = 5, CODE = 16 + 4 * CASES };
    Assembly a = {.length = 0};
    u1(&a, OPC_iload_0);
    u1(&a, OPC_tableswitch);
    pad(&a);
    s4(&a, CODE + 3 * CASES - 1);
    s4(&a, -2);
    s4(&a, 2);
    for (int i = 0; i < CASES; i++) s4(&a, CODE + (i == 3 ? 0 : 3 * i) - 1);
    assert_int_equal(a.length, CODE);
    for (int k = 0; k < CASES; k++) {
        u1(&a, OPC_bipush);
        u1(&a, (unsigned)(10 + k));
        u1(&a, OPC_ireturn);
    }
    u1(&a, OPC_iconst_m1);
    u1(&a, OPC_ireturn);
    Method *m = finish(&a, 1, 'I');
    static const int want[] = {10, 11, 12, 10, 14};
    for (int i = -2; i <= 2; i++) assert_int_equal(run_int(m, i), want[i + 2]);
    assert_int_equal(run_int(m, 3), -1);
    assert_int_equal(run_int(m, -3), -1);
    assert_int_equal(run_int(m, INT32_MIN), -1);
    assert_int_equal(run_int(m, INT32_MAX), -1);
}

static void lookup_switch(void **state) {
    (void)state;
    enum { PAIRS = 7 };
    static const int32_t keys[PAIRS] = {INT32_MIN, -100, -1, 0, 5, 1000000, INT32_MAX};
    Assembly a = {.length = 0};
    u1(&a, OPC_iload_0);
    u1(&a, OPC_lookupswitch);
    pad(&a);
    int32_t code = 12 + PAIRS * 8;  // start of the cases' code
    s4(&a, code + PAIRS * 3 - 1);
    s4(&a, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        s4(&a, keys[i]);
        s4(&a, code + 3 * i - 1);
    }
    assert_int_equal(a.length, code);
    for (int k = 0; k < PAIRS; k++) {
        u1(&a, OPC_bipush);
        u1(&a, (unsigned)(10 + k));
        u1(&a, OPC_ireturn);
    }
    u1(&a, OPC_iconst_m1);
    u1(&a, OPC_ireturn);
    Method *m = finish(&a, 1, 'I');
    for (int i = 0; i < PAIRS; i++) assert_int_equal(run_int(m, keys[i]), 10 + i);
    assert_int_equal(run_int(m, 6), -1);
    assert_int_equal(run_int(m, -2), -1);
}

// A subroutine called twice, with its return address in a wide local.
static void subroutines(void **state) {
    (void)state;
    Assembly a = {.length = 0};
    op_u2(&a, OPC_jsr, 8);  // 0 to 8
    op_u2(&a, OPC_jsr, 5);  // 3 to 8
    u1(&a, OPC_iload_0);    // 6
    u1(&a, OPC_ireturn);    // 7
    u1(&a, OPC_wide);       // 8
    op_u2(&a, OPC_astore, 299);
    u1(&a, OPC_wide);
    op_u2(&a, OPC_iinc, 0);
    u2(&a, 1000);
    u1(&a, OPC_wide);
    op_u2(&a, OPC_ret, 299);
    assert_int_equal(run_int(finish(&a, 1, 'I'), 7), 2007);
}

// ---- operand stack ------------------------------------------------------------------------------

// The effect strings of the opcode table are the reference, e.g. "ba>aba".
static void stack_juggling(void **state) {
    (void)state;
    for (unsigned opcode = OPC_pop; opcode <= OPC_swap; opcode++) {
        const char *effect = opcodes_info[opcode].effect;
        const char *out = strchr(effect, '>') + 1;
        int in = (int)(out - effect) - 1;
        for (size_t pick = 0; pick < strlen(out); pick++) {
            Assembly a = {.length = 0};
            for (int i = 0; i < in; i++) {
                u1(&a, OPC_bipush);
                u1(&a, (unsigned)effect[i]);
            }
            u1(&a, opcode);
            for (size_t i = strlen(out) - 1; i > pick; i--) u1(&a, OPC_pop);
            u1(&a, OPC_ireturn);
            assert_int_equal(run(finish(&a, 0, 'I'), NULL).i, out[pick]);
        }
    }
}

// Results narrower than int are truncated on return (JVMS 6.5 ireturn).
static void narrow_results(void **state) {
    (void)state;
    static const struct {
        char type;
        int32_t result;
    } rows[] = {{'Z', 0}, {'B', -2}, {'C', 0xfffe}, {'S', -2}, {'I', 0x1fffe}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Assembly a = {.length = 0};
        u1(&a, OPC_iload_0);
        u1(&a, OPC_ireturn);
        assert_int_equal(run_int(finish(&a, 1, rows[i].type), 0x1fffe), rows[i].result);
    }
}

// ---- exceptions and positions -------------------------------------------------------------------

static void emit_throw(Assembly *a) {
    u1(a, OPC_aload_0);   // 0
    u1(a, OPC_athrow);    // 1
    u1(a, OPC_astore_1);  // 2
    u1(a, OPC_aload_1);   // 3
    u1(a, OPC_areturn);   // 4
}

static void handlers(void **state) {
    (void)state;
    Object *thrown = crew_object();
    Slot arg = {.o = thrown}, result;
    Assembly caught = {.handler_count = 2, .handlers = {{0, 1, 0, 0}, {1, 2, 2, 0}}};
    emit_throw(&caught);
    assert_ptr_equal(run(finish(&caught, 1, 'L'), &arg).o, thrown);
    assert_null(self->exception);
    Assembly missed = {.handler_count = 1, .handlers = {{2, 5, 2, 0}}};
    emit_throw(&missed);
    assert_false(invoke_method(self, finish(&missed, 1, 'L'), &arg, &result, ENTRY_VM));
    assert_ptr_equal(self->exception, thrown);
    assert_null(self->frame);
    self->exception = NULL;
    free(thrown);
}

static void positions(void **state) {
    (void)state;
    Assembly a = {.length = 0};
    op_u2(&a, OPC_sipush, 300);  // 0
    u1(&a, OPC_i2l);             // 3
    u1(&a, OPC_lconst_1);        // 4: two words
    u1(&a, OPC_ladd);            // 5
    u1(&a, OPC_l2i);             // 6
    u1(&a, OPC_ireturn);         // 7
    Method *m = finish(&a, 0, 'I');
    assert_int_equal(method_bci(m, m->code), -1);
    assert_null(method_pc_at(m, 0));
    assert_int_equal(run(m, NULL).i, 301);
    assert_int_equal(method_bci(m, m->code), -1);
    static const int starts[] = {0, 3, 4, 5, 6, 7};
    for (int bci = 0; bci < 8; bci++) {
        bool start = false;
        for (int i = 0; i < 6; i++) start |= starts[i] == bci;
        const Insn *pc = method_pc_at(m, bci);
        assert_int_equal(pc != NULL, start);
        if (pc) assert_int_equal(method_bci(m, pc), bci);
    }
    assert_int_equal(method_bci(m, m->code + m->code_words), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),       cmocka_unit_test(arithmetic_with_constants),
        cmocka_unit_test(int_branches),     cmocka_unit_test(zero_branches),
        cmocka_unit_test(compare_branches), cmocka_unit_test(loops),
        cmocka_unit_test(table_switch),     cmocka_unit_test(lookup_switch),
        cmocka_unit_test(subroutines),      cmocka_unit_test(stack_juggling),
        cmocka_unit_test(narrow_results),   cmocka_unit_test(handlers),
        cmocka_unit_test(positions),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
