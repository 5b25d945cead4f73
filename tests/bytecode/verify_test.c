/*
 * The type-checking verifier (bytecode/verify*.c): single rules on built classes, and all of java.base with its real
 * class hierarchy.
 */
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
static ClassFile *current;

/*
 * A small class hierarchy. B extends A; I is an interface; A is in this package, p/Far in another and has protected
 * members. Every class named here derives from Object, and Gone cannot be loaded.
 */
static bool is(ClassFileUtf8 n, const char *s) { return classfile_utf8_is(n, s); }

static VerifyAnswer is_assignable(void *ctx, ClassFileUtf8 from, ClassFileUtf8 to) {
    assert_ptr_equal(ctx, &cb);
    assert_false(classfile_utf8_equal(from, to));
    assert_false(is(to, "java/lang/Object"));
    assert_true(from.len > 0 && from.ptr[0] != '[' && to.len > 0 && to.ptr[0] != '[');
    if (is(to, "Gone") || is(from, "Gone")) return VERIFY_THROWN;
    if (is(to, "I")) return VERIFY_YES;
    if (is(from, "B") && is(to, "A")) return VERIFY_YES;
    if (is(to, "java/lang/Throwable")) return is(from, "java/lang/Exception") ? VERIFY_YES : VERIFY_NO;
    if (classfile_utf8_equal(from, classfile_this_name(current)))
        return classfile_utf8_equal(to, classfile_name_of(current, current->super_class)) ? VERIFY_YES : VERIFY_NO;
    return VERIFY_NO;
}
static VerifyAnswer is_superclass(void *ctx, ClassFileUtf8 name) {
    (void)ctx;
    return classfile_utf8_equal(name, classfile_this_name(current)) ||
            classfile_utf8_equal(name, classfile_name_of(current, current->super_class)) || is(name, "java/lang/Object")
        ? VERIFY_YES
        : VERIFY_NO;
}
static VerifyAnswer is_protected_in_other_package(void *ctx, ClassFileUtf8 owner, ClassFileUtf8 name,
                                                  ClassFileUtf8 desc, bool is_method) {
    (void)ctx, (void)desc, (void)is_method;
    return is(owner, "p/Far") || (is(owner, "java/lang/Object") && is(name, "clone")) ? VERIFY_YES : VERIFY_NO;
}
static const VerifyCallbacks callbacks = {&cb, is_assignable, is_superclass, is_protected_in_other_package};

static enum VerifyStatus verify(void) {
    ClassFileError e;
    const Bytes *o = cb_finish(&cb);
    current = classfile_parse(o->b, o->n, NULL, &e);
    if (!current) fail_msg("%s", e.msg);
    enum VerifyStatus s = verify_class(current, &callbacks, &err);
    assert_int_equal(s, err.status);
    classfile_free(current);
    return s;
}

#define CODE(stack, locals, ...)                                                      \
    .max_stack = stack, .max_locals = locals, .code = (const uint8_t[]){__VA_ARGS__}, \
    .len = sizeof((const uint8_t[]){__VA_ARGS__})
#define MAP(...) .stack_map = (const uint8_t[]){__VA_ARGS__}, .stack_map_len = sizeof((const uint8_t[]){__VA_ARGS__})

static void passes(unsigned flags, const char *name, const char *desc, const CbCode *c) {
    cb_method(&cb, flags, name, desc, c);
    if (verify() != VERIFY_OK) fail_msg("%s", err.msg);
}
static void rejects(const char *msg, unsigned flags, const char *name, const char *desc, const CbCode *c) {
    cb_method(&cb, flags, name, desc, c);
    assert_int_equal(verify(), VERIFY_FAILED);
    if (strncmp(err.msg, msg, strlen(msg)) != 0) fail_msg("%s", err.msg);
}
static void contains(const char *text) {
    if (!strstr(err.msg, text)) fail_msg("%s", err.msg);
}
#define STATIC_PASSES(desc, ...) (cb_init(&cb, "T"), passes(ACC_STATIC, "m", desc, &(CbCode){__VA_ARGS__}))
#define STATIC_REJECTS(msg, desc, ...) (cb_init(&cb, "T"), rejects(msg, ACC_STATIC, "m", desc, &(CbCode){__VA_ARGS__}))

static void simple_types(void **state) {
    (void)state;
    STATIC_PASSES("(IJ)J", CODE(4, 3, OPC_iload_0, OPC_i2l, OPC_lload_1, OPC_ladd, OPC_lreturn));
    STATIC_REJECTS("Bad type on operand stack", "(IF)I", CODE(2, 2, OPC_iload_0, OPC_fload_1, OPC_iadd, OPC_ireturn));
    contains("    T.m(IF)I @2: iadd\n");
    contains("Type float (current frame, stack[1]) is not assignable to integer\n");
    contains("    locals: { integer, float }\n    stack: { integer, float }\n");
    contains("    0000000: 1a23 60ac");
    STATIC_REJECTS("Bad local variable type", "(I)I", CODE(1, 1, OPC_fload_0, OPC_ireturn));
    STATIC_REJECTS("Local variable table overflow", "()V", CODE(1, 0, OPC_iload_0, OPC_return));
    STATIC_REJECTS("get long/double overflows locals", "(I)V", CODE(2, 1, OPC_lload_0, OPC_return));
    STATIC_REJECTS("Operand stack underflow", "()V", CODE(1, 0, OPC_pop, OPC_return));
    STATIC_REJECTS("Operand stack overflow", "()V", CODE(1, 0, OPC_lconst_0, OPC_return));
    STATIC_REJECTS("Bad return type", "()Ljava/lang/String;",
                   CODE(1, 1, OPC_iconst_0, OPC_anewarray, 0, 2, OPC_areturn));
    STATIC_REJECTS("Bad instruction: a8", "()V", CODE(1, 0, OPC_jsr, 0, 3, OPC_return));
    STATIC_REJECTS("Control flow falls through code end", "()V", CODE(1, 0, OPC_nop));
}

static void long_words_stay_together(void **state) {
    (void)state;
    STATIC_REJECTS("Bad type on operand stack", "()V", CODE(2, 0, OPC_lconst_0, OPC_pop, OPC_return));
    STATIC_REJECTS("Bad type on operand stack", "()V", CODE(4, 0, OPC_iconst_0, OPC_lconst_0, OPC_dup_x2, OPC_return));
    STATIC_PASSES("()V", CODE(6, 0, OPC_lconst_0, OPC_lconst_1, OPC_dup2_x2, OPC_pop2, OPC_pop2, OPC_pop2, OPC_return));
    /* Storing over half of a long destroys the other half. */
    STATIC_REJECTS("Bad local variable type", "(J)V", CODE(2, 2, OPC_iconst_0, OPC_istore_1, OPC_lload_0, OPC_return));
    STATIC_REJECTS("Bad local variable type", "(J)V", CODE(2, 3, OPC_iconst_0, OPC_istore_0, OPC_iload_1, OPC_return));
}

static void branches_need_frames(void **state) {
    (void)state;
    STATIC_PASSES("(I)V", CODE(1, 1, OPC_iload_0, OPC_ifeq, 0, 4, OPC_nop, OPC_return), MAP(0, 1, 5));
    STATIC_REJECTS("Expecting a stackmap frame at branch target 5", "(I)V",
                   CODE(1, 1, OPC_iload_0, OPC_ifeq, 0, 4, OPC_nop, OPC_return));
    STATIC_REJECTS("Expecting a stack map frame", "()V", CODE(0, 0, OPC_return, OPC_return));
    /* The frame declares a local that is not set. */
    STATIC_REJECTS("Inconsistent stackmap frames at branch target 5", "(I)V",
                   CODE(1, 2, OPC_iload_0, OPC_ifeq, 0, 4, OPC_nop, OPC_return), MAP(0, 1, 252, 0, 5, 1));
    contains("Type top (current frame, locals[1]) is not assignable to integer (stack map, locals[1])");
    contains("  Stackmap Frame:\n    bci: @5\n");
    STATIC_REJECTS("Inconsistent stackmap frames at branch target 5", "(I)V",
                   CODE(1, 2, OPC_iload_0, OPC_ifeq, 0, 4, OPC_nop, OPC_return), MAP(0, 1, 64 + 5, 1));
    contains("Current frame's stack size doesn't match stackmap.");
    STATIC_REJECTS("Instruction type does not match stack map", "(I)V", CODE(1, 1, OPC_nop, OPC_return),
                   MAP(0, 1, 255, 0, 1, 0, 1, 2, 0, 0));
}

static void stack_map_formats(void **state) {
    (void)state;
    static const struct {
        const char *msg;
        const uint8_t map[12];
        size_t len;
    } bad[] = {
        {"StackMapTable format error: access beyond the end of attribute", {0}, 1},
        {"StackMapTable format error: access beyond the end of attribute", {0, 2, 0}, 3},
        {"StackMapTable format error: access beyond the end of attribute", {0, 1, 64}, 3},
        {"StackMapTable format error: reserved frame type", {0, 1, 200, 0, 0}, 5},
        {"StackMapTable format error: bad verification type", {0, 1, 64, 9}, 4},
        {"StackMapTable format error: bad class index", {0, 1, 64, 7, 0, 0}, 6},
        {"StackMapTable format error: wrong attribute size", {0, 1, 1, 0}, 4},
        {"StackMapTable format error: bad offset for Uninitialized in method 'void T.m(int)'", {0, 1, 64, 8, 0, 0}, 6},
        {"StackMapTable format error: bad type array size in method 'void T.m(int)'", {0, 1, 253, 0, 0, 1, 1}, 7},
        {"StackMapTable format error: bad type array size in method 'void T.m(int)'", {0, 1, 249, 0, 0}, 5},
    };
    static const uint8_t code[] = {OPC_nop, OPC_return};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CbCode c = {.max_stack = 1,
                    .max_locals = 1,
                    .code = code,
                    .len = 2,
                    .stack_map = bad[i].map,
                    .stack_map_len = bad[i].len};
        cb_init(&cb, "T");
        cb_method(&cb, ACC_STATIC, "m", "(I)V", &c);
        assert_int_equal(verify(), VERIFY_FORMAT);
        assert_string_equal(err.msg, bad[i].msg);
    }
    STATIC_REJECTS("StackMapTable error: bad offset", "()V", CODE(1, 0, OPC_bipush, 1, OPC_pop, OPC_return),
                   MAP(0, 1, 1));
}

/* m(B)V that stores its argument into a static field of type `desc`. */
// clang-format off
static enum VerifyStatus store_into_field(const char *param, const char *field_desc) {
    char desc[64];
    snprintf(desc, sizeof desc, "(%s)V", param);
    cb_init(&cb, "T");
    unsigned f = cb_ref(&cb, CP_FIELDREF, "X", "f", field_desc);
    cb_method(&cb, ACC_STATIC, "m", desc,
              &(CbCode){CODE(1, 1, OPC_aload_0, OPC_putstatic, 0, (uint8_t)f, OPC_return)});
    return verify();
}
// clang-format on

static void reference_assignability(void **state) {
    (void)state;
    assert_int_equal(store_into_field("LB;", "LA;"), VERIFY_OK);
    assert_int_equal(store_into_field("LA;", "LB;"), VERIFY_FAILED);
    contains("Type 'A' (current frame, stack[0]) is not assignable to 'B'");
    assert_int_equal(store_into_field("LA;", "LI;"), VERIFY_OK);
    assert_int_equal(store_into_field("LA;", "Ljava/lang/Object;"), VERIFY_OK);
    assert_int_equal(store_into_field("[LB;", "[LA;"), VERIFY_OK);
    assert_int_equal(store_into_field("[LA;", "[LB;"), VERIFY_FAILED);
    contains("Type '[LA;' (current frame, stack[0]) is not assignable to '[LB;'");
    assert_int_equal(store_into_field("[I", "[J"), VERIFY_FAILED);
    assert_int_equal(store_into_field("[[I", "[Ljava/lang/Object;"), VERIFY_OK);
    assert_int_equal(store_into_field("[I", "[Ljava/lang/Object;"), VERIFY_FAILED);
    assert_int_equal(store_into_field("[[I", "[Ljava/lang/Cloneable;"), VERIFY_OK);
    assert_int_equal(store_into_field("[I", "Ljava/io/Serializable;"), VERIFY_OK);
    assert_int_equal(store_into_field("[I", "LI;"), VERIFY_FAILED);
    assert_int_equal(store_into_field("LA;", "[LA;"), VERIFY_FAILED);
    assert_int_equal(store_into_field("LGone;", "LA;"), VERIFY_PENDING);
    assert_string_equal(err.msg, "");
}

static void arrays(void **state) {
    (void)state;
    STATIC_PASSES("([[I)[I", CODE(2, 1, OPC_aload_0, OPC_iconst_0, OPC_aaload, OPC_areturn));
    STATIC_PASSES("([Z)I", CODE(2, 1, OPC_aload_0, OPC_iconst_0, OPC_baload, OPC_ireturn));
    STATIC_PASSES("()I", CODE(2, 0, OPC_aconst_null, OPC_iconst_0, OPC_iaload, OPC_ireturn));
    STATIC_REJECTS("Bad type on operand stack in iaload", "([F)I",
                   CODE(2, 1, OPC_aload_0, OPC_iconst_0, OPC_iaload, OPC_ireturn));
    contains("Invalid type: '[F' (current frame, stack[0])");
    STATIC_REJECTS("Bad type on operand stack in aaload", "([I)I",
                   CODE(2, 1, OPC_aload_0, OPC_iconst_0, OPC_aaload, OPC_arraylength, OPC_ireturn));
    STATIC_REJECTS("Bad type on operand stack in arraylength", "(LA;)I",
                   CODE(2, 1, OPC_aload_0, OPC_arraylength, OPC_ireturn));
    STATIC_REJECTS("Illegal newarray instruction", "()V", CODE(1, 0, OPC_iconst_0, OPC_newarray, 12, OPC_return));
}

static void uninitialized_objects(void **state) {
    (void)state;
    cb_init(&cb, "T");
    uint8_t a = (uint8_t)cb_class(&cb, "A");
    uint8_t init = (uint8_t)cb_ref(&cb, CP_METHODREF, "A", "<init>", "()V");
    uint8_t other = (uint8_t)cb_ref(&cb, CP_METHODREF, "B", "<init>", "()V");
    passes(ACC_STATIC, "m", "()LA;",
           &(CbCode){CODE(2, 0, OPC_new, 0, a, OPC_dup, OPC_invokespecial, 0, init, OPC_areturn)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad return type", ACC_STATIC, "m", "()LA;", &(CbCode){CODE(2, 0, OPC_new, 0, a, OPC_areturn)});
    contains("Type uninitialized 0 (current frame, stack[0]) is not assignable to 'A' (from method "
             "signature)");
    cb.methods.n = cb.method_count = 0;
    rejects("Call to wrong <init> method", ACC_STATIC, "m", "()V",
            &(CbCode){CODE(2, 0, OPC_new, 0, a, OPC_invokespecial, 0, other, OPC_return)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad operand type when invoking <init>", ACC_STATIC, "m", "()V",
            &(CbCode){CODE(2, 0, OPC_aconst_null, OPC_invokespecial, 0, init, OPC_return)});
    /* Another object of the same new instruction while the first is uninitialised (dead code). */
    cb.methods.n = cb.method_count = 0;
    rejects(
        "Uninitialized object on operand stack", ACC_STATIC, "m", "()V",
        &(CbCode){CODE(2, 0, OPC_goto, 0, 7, OPC_new, 0, a, OPC_athrow, OPC_return), MAP(0, 2, 64 + 3, 8, 0, 3, 3)});
}

static void constructors(void **state) {
    (void)state;
    cb_init(&cb, "T");
    uint8_t init = (uint8_t)cb_ref(&cb, CP_METHODREF, "java/lang/Object", "<init>", "()V");
    uint8_t f = (uint8_t)cb_ref(&cb, CP_FIELDREF, "T", "f", "I");
    uint8_t far = (uint8_t)cb_ref(&cb, CP_METHODREF, "A", "<init>", "()V");
    cb_field(&cb, 0, "f", "I");
    passes(ACC_PUBLIC, "<init>", "()V",
           &(CbCode){CODE(2, 1, OPC_aload_0, OPC_iconst_1, OPC_putfield, 0, f, OPC_aload_0, OPC_invokespecial, 0, init,
                          OPC_return)});
    cb.methods.n = cb.method_count = 0;
    rejects("Constructor must call super() or this() before return", ACC_PUBLIC, "<init>", "()V",
            &(CbCode){CODE(1, 1, OPC_return)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad <init> method call", ACC_PUBLIC, "<init>", "()V",
            &(CbCode){CODE(1, 1, OPC_aload_0, OPC_invokespecial, 0, far, OPC_return)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad type on operand stack", ACC_PUBLIC, "<init>", "()V",
            &(CbCode){CODE(1, 1, OPC_aload_0, OPC_getfield, 0, f, OPC_pop, OPC_return)});
    contains("flags: { flagThisUninit }");
    /* A handler around super() that returns would leak an uninitialised object. */
    static const uint16_t rows[][4] = {{1, 4, 5, 0}};
    cb.methods.n = cb.method_count = 0;
    rejects("Bad <init> method call from inside of a try block", ACC_PUBLIC, "<init>", "()V",
            &(CbCode){CODE(1, 1, OPC_aload_0, OPC_invokespecial, 0, init, OPC_return, OPC_pop, OPC_return),
                      MAP(0, 1, 255, 0, 5, 0, 0, 0, 1, 7, 0, 4), .handler_count = 1, .handlers = rows});
}

static void handlers_see_every_state(void **state) {
    (void)state;
    static const uint16_t rows[][4] = {{0, 3, 4, 0}};
    cb_init(&cb, "T");
    uint8_t t = (uint8_t)cb_class(&cb, "java/lang/Throwable");
    /* Local 0 is an int before the store and a float after it: the handler may use neither. */
    cb_method(&cb, ACC_STATIC, "m", "(I)V",
              &(CbCode){CODE(1, 1, OPC_fconst_0, OPC_fstore_0, OPC_nop, OPC_return, OPC_pop, OPC_return),
                        MAP(0, 1, 255, 0, 4, 0, 1, 1, 0, 1, 7, 0, t), .handler_count = 1, .handlers = rows});
    assert_int_equal(verify(), VERIFY_FAILED);
    contains("Stack map does not match the one at exception handler 4");
    cb.methods.n = cb.method_count = 0;
    passes(ACC_STATIC, "m", "(I)V",
           &(CbCode){CODE(1, 1, OPC_fconst_0, OPC_fstore_0, OPC_nop, OPC_return, OPC_pop, OPC_return),
                     MAP(0, 1, 255, 0, 4, 0, 0, 0, 1, 7, 0, t), .handler_count = 1, .handlers = rows});
    uint16_t typed[][4] = {{0, 3, 4, (uint16_t)cb_class(&cb, "A")}};
    cb.methods.n = cb.method_count = 0;
    rejects("Catch type is not a subclass of Throwable in exception handler 4", ACC_STATIC, "m", "(I)V",
            &(CbCode){CODE(1, 1, OPC_fconst_0, OPC_fstore_0, OPC_nop, OPC_return, OPC_pop, OPC_return),
                      .handler_count = 1, .handlers = (const uint16_t(*)[4])typed});
}

static void protected_members(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb.super_class = cb_class(&cb, "p/Far");
    uint8_t f = (uint8_t)cb_ref(&cb, CP_FIELDREF, "p/Far", "f", "I");
    uint8_t m = (uint8_t)cb_ref(&cb, CP_METHODREF, "p/Far", "m", "()V");
    passes(ACC_PUBLIC, "ok", "()V",
           &(CbCode){
               CODE(1, 1, OPC_aload_0, OPC_getfield, 0, f, OPC_pop, OPC_aload_0, OPC_invokevirtual, 0, m, OPC_return)});
    rejects("Bad access to protected data in getfield", ACC_PUBLIC, "m", "(Lp/Far;)V",
            &(CbCode){CODE(1, 2, OPC_aload_1, OPC_getfield, 0, f, OPC_pop, OPC_return)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad access to protected data in invokevirtual", ACC_PUBLIC, "m", "(Lp/Far;)V",
            &(CbCode){CODE(1, 2, OPC_aload_1, OPC_invokevirtual, 0, m, OPC_return)});
    cb_init(&cb, "T");
    uint8_t c = (uint8_t)cb_ref(&cb, CP_METHODREF, "java/lang/Object", "clone", "()Ljava/lang/Object;");
    passes(ACC_STATIC, "m", "([I)Ljava/lang/Object;",
           &(CbCode){CODE(1, 1, OPC_aload_0, OPC_invokevirtual, 0, c, OPC_areturn)});
}

static void invocations(void **state) {
    (void)state;
    cb_init(&cb, "T");
    uint8_t v = (uint8_t)cb_ref(&cb, CP_METHODREF, "A", "m", "(JLA;)D");
    uint8_t s = (uint8_t)cb_ref(&cb, CP_METHODREF, "Q", "m", "()V");
    passes(ACC_STATIC, "m", "(LB;)D",
           &(CbCode){CODE(4, 1, OPC_aload_0, OPC_lconst_0, OPC_aload_0, OPC_invokevirtual, 0, v, OPC_dreturn)});
    cb.methods.n = cb.method_count = 0;
    rejects("Bad type on operand stack", ACC_STATIC, "m", "(LQ;)D",
            &(CbCode){CODE(4, 1, OPC_aload_0, OPC_lconst_0, OPC_aconst_null, OPC_invokevirtual, 0, v, OPC_dreturn)});
    contains("Type 'Q' (current frame, stack[0]) is not assignable to 'A'");
    cb.methods.n = cb.method_count = 0;
    rejects("Bad invokespecial instruction: current class isn't assignable to reference class.", ACC_PUBLIC, "m", "()V",
            &(CbCode){CODE(1, 1, OPC_aload_0, OPC_invokespecial, 0, s, OPC_return)});
    STATIC_REJECTS("Illegal constant pool index 300 in class T", "()V",
                   CODE(1, 0, OPC_invokestatic, 1, 44, OPC_return));
    contains("Constant pool index 300 is invalid");
}

static void old_classes_are_refused(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb.major = 49;
    assert_int_equal(verify(), VERIFY_FAILED);
    assert_string_equal(err.msg, "class file version 49 has no stack maps");
    assert_string_equal(verify_error_class(VERIFY_FAILED), "java/lang/VerifyError");
    assert_string_equal(verify_error_class(VERIFY_FORMAT), "java/lang/ClassFormatError");
}

/* A stack map that would take gigabytes if each frame had separate locals. */
static void hostile_stack_map_is_bounded(void **state) {
    (void)state;
    static uint8_t code[20000], map[25000];
    size_t n = 0;
    memset(code, OPC_nop, sizeof code);
    code[sizeof code - 1] = OPC_return;
    map[n++] = 6000 >> 8, map[n++] = 6000 & 255;
    map[n++] = 255, map[n++] = 0, map[n++] = 0, map[n++] = 0x1f, map[n++] = 0x40; /* 8000 tops */
    n += 8000;
    map[n++] = 0, map[n++] = 0;
    for (int i = 1; i < 6000; i += 2) {
        map[n++] = 252, map[n++] = 0, map[n++] = 0, map[n++] = 0;
        if (i + 1 < 6000) map[n++] = 250, map[n++] = 0, map[n++] = 0;
        if (n > sizeof map - 16) {
            map[0] = (uint8_t)((i + 2) >> 8), map[1] = (uint8_t)(i + 2);
            break;
        }
    }
    cb_init(&cb, "T");
    cb_method(&cb, ACC_STATIC, "m", "()V",
              &(CbCode){.max_stack = 0,
                        .max_locals = 65535,
                        .code = code,
                        .len = sizeof code,
                        .stack_map = map,
                        .stack_map_len = n});
    enum VerifyStatus s = verify();
    assert_true(s == VERIFY_OK || s == VERIFY_NO_MEMORY || s == VERIFY_FAILED || s == VERIFY_FORMAT);
}

/* The hierarchy of java.base by name. */

typedef struct Known {
    ClassFile *cf;
    uint8_t *bytes;
} Known;
static Known known[32768];
static unsigned known_count;

static uint32_t slot_of(ClassFileUtf8 n) {
    uint32_t h = 2166136261u;
    for (unsigned i = 0; i < n.len; i++) h = (h ^ n.ptr[i]) * 16777619u;
    h ^= h >> 15;
    for (;; h++) {
        Known *k = &known[h % 32768];
        if (!k->cf || classfile_utf8_equal(n, classfile_this_name(k->cf))) return h % 32768;
    }
}
static const ClassFile *class_of(ClassFileUtf8 n) { return known[slot_of(n)].cf; }
static const ClassFile *super_of(const ClassFile *cf) {
    return cf->super_class == 0 ? NULL : class_of(classfile_name_of(cf, cf->super_class));
}
static VerifyAnswer real_assignable(void *ctx, ClassFileUtf8 from, ClassFileUtf8 to) {
    const ClassFile *t = class_of(to);
    (void)ctx;
    if (!t || (t->access_flags & ACC_INTERFACE) != 0) return !t ? VERIFY_NO : VERIFY_YES;
    for (const ClassFile *f = class_of(from); f; f = super_of(f)) {
        if (f == t) return VERIFY_YES;
    }
    return VERIFY_NO;
}
static VerifyAnswer real_superclass(void *ctx, ClassFileUtf8 name) {
    for (const ClassFile *f = ctx; f; f = super_of(f)) {
        if (classfile_utf8_equal(name, classfile_this_name(f))) return VERIFY_YES;
    }
    return VERIFY_NO;
}
static VerifyAnswer never_protected(void *ctx, ClassFileUtf8 o, ClassFileUtf8 n, ClassFileUtf8 d, bool m) {
    (void)ctx, (void)o, (void)n, (void)d, (void)m;
    return VERIFY_NO;
}
static void remember(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    ClassFileError e;
    Known k;
    (void)arg, (void)name;
    k.bytes = malloc(len);
    memcpy(k.bytes, bytes, len);
    k.cf = classfile_parse(k.bytes, len, NULL, &e);
    assert_non_null(k.cf);
    known[slot_of(classfile_this_name(k.cf))] = k;
    known_count++;
}

static void java_base_verifies(void **state) {
    (void)state;
    if (jdk_each_class("java.base", 1, remember, NULL) == 0) skip();
    for (unsigned i = 0; i < 32768; i++) {
        if (!known[i].cf) continue;
        VerifyCallbacks real = {known[i].cf, real_assignable, real_superclass, never_protected};
        if (verify_class(known[i].cf, &real, &err) != VERIFY_OK) fail_msg("%s", err.msg);
    }
    for (unsigned i = 0; i < 32768; i++) {
        classfile_free(known[i].cf);
        free(known[i].bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_types),
        cmocka_unit_test(long_words_stay_together),
        cmocka_unit_test(branches_need_frames),
        cmocka_unit_test(stack_map_formats),
        cmocka_unit_test(reference_assignability),
        cmocka_unit_test(arrays),
        cmocka_unit_test(uninitialized_objects),
        cmocka_unit_test(constructors),
        cmocka_unit_test(handlers_see_every_state),
        cmocka_unit_test(protected_members),
        cmocka_unit_test(invocations),
        cmocka_unit_test(old_classes_are_refused),
        cmocka_unit_test(hostile_stack_map_is_bounded),
        cmocka_unit_test(java_base_verifies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
