/* The structural check of code (bytecode/verifier/code_check.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytecode/classfile/opcodes.h"
#include "bytecode/verifier/verify.h"
#include "tests/bytecode/class_builder.h"
#include "tests/bytecode/jdk_classes.h"

static ClassBuilder cb;
static VerifyError err;

/* Checks one static method; returns whether it passes, with err filled. */
static bool check(const char *desc, const CbCode *c) {
    ClassFileError e;
    cb_method(&cb, ACC_STATIC, "m", desc, c);
    const Bytes *o = cb_finish(&cb);
    ClassFile *cf = classfile_parse(o->b, o->n, NULL, &e);
    if (!cf) fail_msg("%s", e.msg);
    bool ok = code_check(cf, &cf->methods[0], &err);
    assert_int_equal(err.status == VERIFY_OK, ok);
    classfile_free(cf);
    return ok;
}

static void starts_with(const char *msg) {
    if (strncmp(err.msg, msg, strlen(msg)) != 0) fail_msg("%s", err.msg);
}

#define CODE(stack, locals, ...)                                                          \
    &(CbCode) {                                                                           \
        .max_stack = stack, .max_locals = locals, .code = (const uint8_t[]){__VA_ARGS__}, \
        .len = sizeof((const uint8_t[]){__VA_ARGS__})                                     \
    }
#define REJECTS(msg, desc, ...)                       \
    do {                                              \
        cb_init(&cb, "T");                            \
        assert_false(check(desc, CODE(__VA_ARGS__))); \
        starts_with(msg);                             \
    } while (0)
#define PASSES(desc, ...)                                             \
    do {                                                              \
        cb_init(&cb, "T");                                            \
        if (!check(desc, CODE(__VA_ARGS__))) fail_msg("%s", err.msg); \
    } while (0)

static void instructions(void **state) {
    (void)state;
    PASSES("()V", 0, 0, OPC_return);
    REJECTS("Bad instruction", "()V", 0, 0, 202);
    REJECTS("Bad instruction", "()V", 1, 0, OPC_bipush);
    REJECTS("Bad instruction", "()V", 1, 0, OPC_wide, OPC_nop, OPC_return);
    REJECTS("Bad instruction", "()V", 1, 0, OPC_return, 255);
    assert_int_equal(err.bci, 1);
    REJECTS("Control flow falls through code end", "()V", 1, 0, OPC_nop);
    REJECTS("Local variable table overflow", "()V", 1, 1, OPC_iload_1, OPC_return);
    REJECTS("Local variable table overflow", "()V", 2, 1, OPC_lload_0, OPC_return);
    REJECTS("Local variable table overflow", "()V", 1, 256, OPC_wide, OPC_iinc, 1, 0, 0, 1, OPC_return);
    REJECTS("Illegal newarray instruction", "()V", 1, 0, OPC_iconst_0, OPC_newarray, 3, OPC_return);
    REJECTS("Bad instruction: a8", "()V", 1, 0, OPC_jsr, 0, 3, OPC_return);
}

static void branches(void **state) {
    (void)state;
    PASSES("()V", 0, 0, OPC_goto, 0, 0);
    REJECTS("Illegal target of jump or branch", "()V", 0, 0, OPC_goto, 0, 1);
    REJECTS("Illegal target of jump or branch", "()V", 0, 0, OPC_goto, 0x7f, 0xff);
    REJECTS("Illegal target of jump or branch", "()V", 0, 0, OPC_goto, 0xff, 0xff);
    REJECTS("Illegal target of jump or branch", "()V", 1, 0, OPC_iconst_0, OPC_tableswitch, 0, 0, 0, 0, 0, 19, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 1, OPC_return);
    REJECTS("Bad lookupswitch instruction", "()V", 1, 0, OPC_iconst_0, OPC_lookupswitch, 0, 0, 0, 0, 0, 27, 0, 0, 0, 2,
            0, 0, 0, 5, 0, 0, 0, 27, 0, 0, 0, 5, 0, 0, 0, 27, OPC_return);
}

static void stack_depth(void **state) {
    (void)state;
    PASSES("()V", 1, 0, OPC_iconst_0, OPC_pop, OPC_return);
    REJECTS("Operand stack overflow", "()V", 1, 0, OPC_lconst_0, OPC_pop2, OPC_return);
    REJECTS("Operand stack underflow", "()V", 1, 0, OPC_iconst_0, OPC_pop2, OPC_return);
    REJECTS("Operand stack underflow", "()V", 3, 0, OPC_iconst_0, OPC_dup_x1, OPC_return);
    REJECTS("Operand stack overflow", "()V", 2, 0, OPC_iconst_0, OPC_iconst_0, OPC_dup_x1, OPC_return);
    /* One path pushes, the other does not. */
    REJECTS("Inconsistent stack depth", "()V", 2, 0, OPC_iconst_0, OPC_ifeq, 0, 4, OPC_iconst_0, OPC_return);
    /* A loop that grows the stack. */
    REJECTS("Inconsistent stack depth", "()V", 9, 0, OPC_iconst_0, OPC_goto, 0xff, 0xff);
    PASSES("()J", 4, 0, OPC_lconst_0, OPC_dup2, OPC_ladd, OPC_lreturn);
}

static void returns_match_the_method(void **state) {
    (void)state;
    PASSES("()S", 1, 0, OPC_iconst_0, OPC_ireturn);
    PASSES("()[I", 1, 0, OPC_aconst_null, OPC_areturn);
    REJECTS("Method expects a return value", "()I", 1, 0, OPC_return);
    REJECTS("Method does not expect a return value", "()V", 1, 0, OPC_iconst_0, OPC_ireturn);
    REJECTS("Wrong return type in function", "()I", 1, 0, OPC_fconst_0, OPC_freturn);
}

static void pool_operands(void **state) {
    (void)state;
    cb_init(&cb, "T");
    unsigned l = cb_long(&cb, 1), k = cb_int(&cb, 1);
    unsigned f = cb_ref(&cb, CP_FIELDREF, "A", "f", "J");
    assert_true(check("()V",
                      CODE(2, 0, OPC_ldc2_w, 0, (uint8_t)l, OPC_pop2, OPC_ldc, (uint8_t)k, OPC_pop, OPC_getstatic, 0,
                           (uint8_t)f, OPC_pop2, OPC_return)));
    REJECTS("Illegal type at constant pool entry 1 in class T", "()V", 1, 0, OPC_ldc, 1, OPC_return);
    REJECTS("Illegal constant pool index 99 in class T", "()V", 1, 0, OPC_ldc, 99, OPC_return);
    REJECTS("Illegal constant pool index 0 in class T", "()V", 1, 0, OPC_getstatic, 0, 0, OPC_return);
    REJECTS("Illegal type at constant pool entry 2 in class T", "()V", 1, 0, OPC_invokestatic, 0, 2, OPC_return);
    cb_init(&cb, "T");
    unsigned a = cb_class(&cb, "[I");
    assert_false(check("()V", CODE(1, 0, OPC_new, 0, (uint8_t)a, OPC_pop, OPC_return)));
    starts_with("Illegal new instruction");
    cb_init(&cb, "T");
    a = cb_class(&cb, "[I");
    assert_false(check(
        "()V", CODE(2, 0, OPC_iconst_0, OPC_iconst_0, OPC_multianewarray, 0, (uint8_t)a, 2, OPC_pop, OPC_return)));
    starts_with("Illegal dimension in multianewarray instruction: 2");
}

static void invocations(void **state) {
    (void)state;
    cb_init(&cb, "T");
    unsigned m = cb_ref(&cb, CP_INTERFACE_METHODREF, "A", "m", "(J)I");
    assert_true(check(
        "()V",
        CODE(3, 0, OPC_aconst_null, OPC_lconst_0, OPC_invokeinterface, 0, (uint8_t)m, 3, 0, OPC_pop, OPC_return)));
    cb_init(&cb, "T");
    m = cb_ref(&cb, CP_INTERFACE_METHODREF, "A", "m", "(J)I");
    assert_false(check(
        "()V",
        CODE(3, 0, OPC_aconst_null, OPC_lconst_0, OPC_invokeinterface, 0, (uint8_t)m, 2, 0, OPC_pop, OPC_return)));
    starts_with("Inconsistent args count operand in invokeinterface");
    cb_init(&cb, "T");
    m = cb_ref(&cb, CP_METHODREF, "A", "<init>", "()V");
    assert_false(check("()V", CODE(3, 0, OPC_invokestatic, 0, (uint8_t)m, OPC_return)));
    starts_with("Illegal call to internal method");
}

static void handlers(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_sipush, 0, 0, OPC_pop, OPC_return, OPC_athrow};
    static const uint16_t mid[][4] = {{1, 4, 5, 0}}, end[][4] = {{0, 2, 5, 0}}, at[][4] = {{0, 3, 1, 0}},
                          good[][4] = {{0, 3, 5, 0}};
    CbCode c = {.max_stack = 1, .code = code, .len = sizeof code, .handler_count = 1};
    const char *const msgs[] = {"Illegal exception table start_pc 1 in method 'void T.m()'",
                                "Illegal exception table end_pc 2 in method 'void T.m()'",
                                "Illegal exception table handler_pc 1 in method 'void T.m()'"};
    const uint16_t(*const rows[])[4] = {mid, end, at};
    for (int i = 0; i < 3; i++) {
        c.handlers = rows[i];
        cb_init(&cb, "T");
        assert_false(check("()V", &c));
        assert_int_equal(err.status, VERIFY_FORMAT);
        assert_string_equal(err.msg, msgs[i]);
    }
    c.handlers = good;
    cb_init(&cb, "T");
    assert_true(check("()V", &c));
}

static void old_subroutines(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb.major = 48;
    assert_true(check("()V", CODE(1, 1, OPC_jsr, 0, 4, OPC_return, OPC_astore_0, OPC_ret, 0)));
    cb_init(&cb, "T");
    cb.major = 48;
    assert_false(check("()V", CODE(2, 1, OPC_jsr, 0, 4, OPC_return, OPC_astore_0, OPC_iconst_0, OPC_ret, 0)));
    starts_with("Inconsistent stack depth at ret");
}

static void check_jdk_class(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    ClassFileError e;
    ClassFile *cf = classfile_parse(bytes, len, NULL, &e);
    assert_non_null(cf);
    for (unsigned i = 0; i < cf->method_count; i++) {
        if (!code_check(cf, &cf->methods[i], &err)) {
            print_error("%s: %s\n", name, err.msg);
            ++*(unsigned *)arg;
        }
    }
    classfile_free(cf);
}

static void passes_the_jdk(void **state) {
    (void)state;
    unsigned bad = 0;
    if (jdk_each_class(NULL, 7, check_jdk_class, &bad) == 0) skip();
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),   cmocka_unit_test(branches),
        cmocka_unit_test(stack_depth),    cmocka_unit_test(returns_match_the_method),
        cmocka_unit_test(pool_operands),  cmocka_unit_test(invocations),
        cmocka_unit_test(handlers),       cmocka_unit_test(old_subroutines),
        cmocka_unit_test(passes_the_jdk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
