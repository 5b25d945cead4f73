/*
 * The class-file reader (bytecode/classfile*.c): decoded values, and for malformed files the error and its message.
 * Also parses every class of the JDK.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "tests/bytecode/class_builder.h"
#include "tests/bytecode/jdk_classes.h"

static ClassBuilder cb;
static ClassFileError err;

static ClassFile *parse_with(const ClassFileOptions *opt) {
    const Bytes *o = cb_finish(&cb);
    /* An exact copy, so that a sanitizer sees a read past the end. */
    static uint8_t *copy;
    free(copy);
    copy = malloc(o->n);
    memcpy(copy, o->b, o->n);
    return classfile_parse(copy, o->n, opt, &err);
}

/* Finishes the builder's class and expects this rejection. */
static void rejected(enum ClassFileErrorKind kind, const char *msg) {
    ClassFile *cf = parse_with(NULL);
    assert_null(cf);
    assert_string_equal(err.msg, msg);
    assert_int_equal(err.kind, kind);
}
static void accepted(void) {
    ClassFile *cf = parse_with(NULL);
    if (!cf) fail_msg("%s", err.msg);
    classfile_free(cf);
}

static const uint8_t return_void[] = {0xb1};
static const CbCode simple_code = {.max_locals = 1, .code = return_void, .len = 1};

static void decodes_a_class(void **state) {
    (void)state;
    Bytes a = {.n = 0};
    cb_init(&cb, "p/Test");
    cb_interface(&cb, "java/lang/Runnable");
    Bytes v = {.n = 0};
    put2(&v, cb_long(&cb, INT64_C(-5)));
    cb_attr_to(&cb, &a, "ConstantValue", v.b, 2);
    cb_member(&cb, &cb.fields, ACC_STATIC | ACC_FINAL, "K", "J", 1, &a);
    cb.field_count++;
    cb_method(&cb, ACC_PUBLIC, "run", "()V", &simple_code);
    put2(&a, 0);
    a.n = 0;
    put2(&a, cb_utf8(&cb, "Test.java"));
    cb_attr(&cb, "SourceFile", a.b, 2);
    cb_attr(&cb, "Deprecated", "", 0);
    ClassFile *cf = parse_with(NULL);
    assert_non_null(cf);
    assert_int_equal(cf->major, 61);
    assert_true(classfile_utf8_is(classfile_this_name(cf), "p/Test"));
    assert_true(classfile_utf8_is(classfile_name_of(cf, cf->super_class), "java/lang/Object"));
    assert_int_equal(cf->interface_count, 1);
    assert_int_equal(cf->field_count, 1);
    assert_int_equal(cf->cp[cf->fields[0].constant_value_index].u.j, -5);
    assert_int_equal(cf->method_count, 1);
    assert_int_equal(cf->methods[0].arg_slots, 1);
    assert_int_equal(cf->methods[0].code->code[0], 0xb1);
    assert_true(classfile_utf8_is(classfile_utf8(cf, cf->source_file_index), "Test.java"));
    assert_int_equal(cf->marks, CFM_DEPRECATED);
    classfile_free(cf);
    classfile_free(NULL);
}

static void line_numbers_and_locals(void **state) {
    (void)state;
    Bytes a = {.n = 0}, t = {.n = 0};
    static const uint8_t code[] = {0, 0, 0, 0xb1};
    cb_init(&cb, "T");
    put2(&t, 2);
    put2(&t, 2), put2(&t, 20);
    put2(&t, 0), put2(&t, 10);
    cb_attr_to(&cb, &a, "LineNumberTable", t.b, t.n);
    t.n = 0;
    put2(&t, 1);
    put2(&t, 3), put2(&t, 30);
    cb_attr_to(&cb, &a, "LineNumberTable", t.b, t.n);
    t.n = 0;
    unsigned name = cb_utf8(&cb, "x"), desc = cb_utf8(&cb, "Ljava/util/List;");
    unsigned sig = cb_utf8(&cb, "Ljava/util/List<TT;>;");
    put2(&t, 1);
    put2(&t, 0), put2(&t, 4), put2(&t, name), put2(&t, desc), put2(&t, 0);
    cb_attr_to(&cb, &a, "LocalVariableTable", t.b, t.n);
    t.n = 0;
    put2(&t, 1);
    put2(&t, 0), put2(&t, 4), put2(&t, name), put2(&t, sig), put2(&t, 0);
    cb_attr_to(&cb, &a, "LocalVariableTypeTable", t.b, t.n);
    CbCode c = {.max_locals = 1, .code = code, .len = 4, .attr_count = 4, .attrs = &a};
    cb_method(&cb, ACC_STATIC, "m", "()V", &c);
    ClassFile *cf = parse_with(NULL);
    assert_non_null(cf);
    const ClassFileCode *k = cf->methods[0].code;
    assert_int_equal(k->line_count, 3);
    assert_int_equal(classfile_line_of(k, 0), 10);
    assert_int_equal(classfile_line_of(k, 1), 10);
    assert_int_equal(classfile_line_of(k, 2), 20);
    assert_int_equal(classfile_line_of(k, 3), 30);
    assert_int_equal(k->local_count, 1);
    assert_int_equal(k->locals[0].signature_index, sig);
    classfile_free(cf);
    put2(&t, 0);
}

/* One annotation without values, as the body of RuntimeVisibleAnnotations. */
static void annotation(Bytes *t, ClassBuilder *c, const char *const *types, unsigned count) {
    t->n = 0;
    put2(t, count);
    for (unsigned i = 0; i < count; i++) {
        put2(t, cb_utf8(c, types[i]));
        put2(t, 1);
        put2(t, 1);
        put1(t, '[');
        put2(t, 2);
        put1(t, 'e'), put2(t, 1), put2(t, 1);
        put1(t, '@'), put2(t, 1), put2(t, 0);
    }
}

static void recognises_annotations(void **state) {
    (void)state;
    static const char *const types[] = {"Ljava/lang/FunctionalInterface;", "Ljdk/internal/reflect/CallerSensitive;",
                                        "Ljava/lang/invoke/LambdaForm$Compiled;",
                                        "Ljdk/internal/vm/annotation/Hidden;"};
    Bytes t;
    cb_init(&cb, "T");
    annotation(&t, &cb, types, 4);
    cb_attr(&cb, "RuntimeVisibleAnnotations", t.b, t.n);
    ClassFile *cf = parse_with(NULL);
    assert_non_null(cf);
    assert_int_equal(cf->annotation_mask, CFA_CALLER_SENSITIVE | CFA_LAMBDA_FORM_COMPILED | CFA_HIDDEN);
    assert_int_equal(cf->annotations.len, t.n);
    classfile_free(cf);
    /* The reader does not check annotations, and malformed ones must not crash it. */
    for (size_t cut = 0; cut < t.n; cut++) {
        cb_init(&cb, "T");
        annotation(&t, &cb, types, 4);
        cb_attr(&cb, "RuntimeVisibleAnnotations", t.b, cut);
        accepted();
    }
}

static void header_errors(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb.magic = 0xCAFED00D;
    rejected(CLASSFILE_FORMAT, "Incompatible magic value 3405697037 in class file <Unknown>");
    cb_init(&cb, "T");
    cb.major = 62;
    rejected(CLASSFILE_VERSION,
             "<Unknown> has been compiled by a more recent version of the Java Runtime (class file "
             "version 62.0), this version of the Java Runtime only recognizes class file versions up "
             "to 61.0");
    cb.major = 44;
    rejected(CLASSFILE_VERSION, "<Unknown> (class file version 44.0) was compiled with an invalid major version");
    cb.major = 61;
    cb.minor = 1;
    rejected(CLASSFILE_VERSION,
             "<Unknown> (class file version 61.1) was compiled with an invalid non-zero minor version");
    cb.minor = 65535;
    rejected(CLASSFILE_VERSION,
             "Preview features are not enabled for <Unknown> (class file version "
             "61.65535). Try running with '--enable-preview'");
    ClassFileOptions preview = {.enable_preview = true};
    ClassFile *cf = parse_with(&preview);
    assert_non_null(cf);
    classfile_free(cf);
    for (cb.major = 45; cb.major <= 55; cb.major++) {
        cb.minor = 3;
        accepted();
    }
    uint8_t few[4] = {0xca, 0xfe, 0xba, 0xbe};
    assert_null(classfile_parse(few, 4, NULL, &err));
    assert_string_equal(err.msg, "Truncated class file");
    assert_null(classfile_parse(few, 0, NULL, &err));
}

static void every_truncation_is_rejected(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb_field(&cb, 0, "f", "I");
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &simple_code);
    const Bytes *o = cb_finish(&cb);
    for (size_t n = 0; n < o->n; n++) {
        uint8_t *copy = malloc(n + 1);
        memcpy(copy, o->b, n);
        assert_null(classfile_parse(copy, n, NULL, &err));
        assert_int_equal(err.kind, CLASSFILE_FORMAT);
        free(copy);
    }
    put1(&cb.attrs, 0);
    rejected(CLASSFILE_FORMAT, "Extra bytes at the end of class file T");
}

static void wrong_name(void **state) {
    (void)state;
    ClassFileOptions opt = {.expected_name = {(const uint8_t *)"a/B", 3}};
    cb_init(&cb, "a/C");
    assert_null(parse_with(&opt));
    assert_int_equal(err.kind, CLASSFILE_NAME);
    assert_string_equal(err.msg, "a/B (wrong name: a/C)");
    assert_string_equal(classfile_error_class(err.kind), "java/lang/NoClassDefFoundError");
    cb_init(&cb, "a/B");
    ClassFile *cf = parse_with(&opt);
    assert_non_null(cf);
    classfile_free(cf);
}

static void modules_are_no_classes(void **state) {
    (void)state;
    cb_init(&cb, "module-info");
    cb.flags = ACC_MODULE;
    cb_one(&cb, CP_MODULE, cb_utf8(&cb, "m"));
    rejected(CLASSFILE_NAME, "<Unknown> is not a class because access_flag ACC_MODULE is set");
    cb.flags = ACC_PUBLIC;
    rejected(CLASSFILE_FORMAT, "Unknown constant tag 19 in class file <Unknown>");
}

static void pool_errors(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb_one(&cb, CP_CLASS, 999);
    rejected(CLASSFILE_FORMAT, "Invalid constant pool index 999 in class file <Unknown>");
    cb_init(&cb, "T");
    put1(&cb.cp, 2);
    cb.cp_count++;
    rejected(CLASSFILE_FORMAT, "Unknown constant tag 2 in class file <Unknown>");
    cb_init(&cb, "T");
    cb_class(&cb, "a.b");
    rejected(CLASSFILE_FORMAT, "Illegal class name \"a.b\" in class file <Unknown>");
    cb_init(&cb, "T");
    cb_utf8n(&cb, "\0", 1);
    rejected(CLASSFILE_FORMAT, "Illegal UTF8 string in constant pool in class file <Unknown>");
    cb_init(&cb, "T");
    cb_handle(&cb, 10, cb_ref(&cb, CP_METHODREF, "A", "m", "()V"));
    rejected(CLASSFILE_FORMAT, "Bad method handle kind at constant pool index 11 in class file <Unknown>");
    cb_init(&cb, "T");
    cb_handle(&cb, REF_getField, cb_ref(&cb, CP_METHODREF, "A", "m", "()V"));
    rejected(CLASSFILE_FORMAT, "Invalid constant pool index 10 in class file <Unknown> (not a field)");
    cb_init(&cb, "T");
    cb_handle(&cb, REF_newInvokeSpecial, cb_ref(&cb, CP_METHODREF, "A", "m", "()V"));
    rejected(CLASSFILE_FORMAT, "Bad constructor name at constant pool index 7 in class file <Unknown>");
    cb_init(&cb, "T");
    cb_ref(&cb, CP_FIELDREF, "A", "m", "()V");
    rejected(CLASSFILE_FORMAT, "Field \"m\" in class <Unknown> has illegal signature \"()V\"");
    cb_init(&cb, "T");
    cb_ref(&cb, CP_METHODREF, "A", "m", "I");
    rejected(CLASSFILE_FORMAT, "Method \"m\" in class <Unknown> has illegal signature \"I\"");
    cb_init(&cb, "T");
    cb_ref(&cb, CP_METHODREF, "A", "<clinit>", "()V");
    rejected(CLASSFILE_FORMAT, "Bad method name at constant pool index 7 in class file <Unknown>");
    cb_init(&cb, "T");
    put1(&cb.cp, CP_LONG);
    put4(&cb.cp, 0);
    put4(&cb.cp, 0);
    cb.cp_count++; /* one slot where a long needs two */
    rejected(CLASSFILE_FORMAT, "Invalid constant pool entry 5 in class file <Unknown>");
    cb_init(&cb, "T");
    cb.major = 50;
    cb_one(&cb, CP_METHOD_TYPE, cb_utf8(&cb, "()V"));
    rejected(CLASSFILE_FORMAT, "Class file version does not support constant tag 16 in class file <Unknown>");
    cb_init(&cb, "T");
    cb_two(&cb, CP_INVOKE_DYNAMIC, 0, cb_nat(&cb, "m", "()V"));
    rejected(CLASSFILE_FORMAT, "Missing BootstrapMethods attribute in class file T");
}

static void class_level_errors(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb.flags = ACC_FINAL | ACC_ABSTRACT;
    rejected(CLASSFILE_FORMAT, "Illegal class modifiers in class <Unknown>: 0x410");
    cb_init(&cb, "T");
    cb.flags = ACC_INTERFACE;
    rejected(CLASSFILE_FORMAT, "Illegal class modifiers in class <Unknown>: 0x200");
    cb.major = 49; /* implies ACC_ABSTRACT */
    accepted();
    cb_init(&cb, "T");
    cb.this_class = 1;
    rejected(CLASSFILE_FORMAT, "Invalid this class index 1 in constant pool in class file <Unknown>");
    cb_init(&cb, "T");
    cb.super_class = 0;
    rejected(CLASSFILE_FORMAT, "Invalid superclass index 0 in class file T");
    cb_init(&cb, "T");
    cb.super_class = cb_class(&cb, "[I");
    rejected(CLASSFILE_FORMAT, "Bad superclass name in class file T");
    cb_init(&cb, "[LT;");
    rejected(CLASSFILE_FORMAT, "Bad class name in class file <Unknown>");
    cb_init(&cb, "T");
    cb_interface(&cb, "I");
    cb_interface(&cb, "J");
    cb_interface(&cb, "I");
    rejected(CLASSFILE_FORMAT, "Duplicate interface name \"I\" in class file T");
    cb_init(&cb, "T");
    cb.flags = ACC_INTERFACE | ACC_ABSTRACT;
    cb.super_class = cb_class(&cb, "java/lang/Thread");
    rejected(CLASSFILE_FORMAT, "Interfaces must have java.lang.Object as superclass in class file T");
}

static void member_errors(void **state) {
    (void)state;
    cb_init(&cb, "T");
    cb_field(&cb, ACC_PUBLIC | ACC_PRIVATE, "f", "I");
    rejected(CLASSFILE_FORMAT, "Illegal field modifiers in class T: 0x3");
    cb_init(&cb, "T");
    cb_field(&cb, 0, "f", "I");
    cb_field(&cb, 0, "f", "J");
    cb_field(&cb, 0, "f", "I");
    rejected(CLASSFILE_FORMAT, "Duplicate field name \"f\" with signature \"I\" in class file T");
    cb_init(&cb, "T");
    cb_field(&cb, 0, "f/g", "I");
    rejected(CLASSFILE_FORMAT, "Illegal field name \"f/g\" in class T");
    cb_init(&cb, "T");
    cb_field(&cb, 0, "f", "V");
    rejected(CLASSFILE_FORMAT, "Field \"f\" in class T has illegal signature \"V\"");
    cb_init(&cb, "T");
    cb_bare_method(&cb, ACC_ABSTRACT | ACC_FINAL, "m", "()V");
    rejected(CLASSFILE_FORMAT, "Method m in class T has illegal modifiers: 0x410");
    cb_init(&cb, "T");
    cb_bare_method(&cb, ACC_NATIVE, "m", "()V");
    cb_bare_method(&cb, ACC_NATIVE, "m", "()V");
    rejected(CLASSFILE_FORMAT, "Duplicate method name \"m\" with signature \"()V\" in class file T");
    cb_init(&cb, "T");
    cb_bare_method(&cb, ACC_NATIVE, "<m>", "()V");
    rejected(CLASSFILE_FORMAT, "Illegal method name \"<m>\" in class T");
    cb_init(&cb, "T");
    cb_method(&cb, 0, "<init>", "()I", &simple_code);
    rejected(CLASSFILE_FORMAT, "Method \"<init>\" in class T has illegal signature \"()I\"");
    cb_init(&cb, "T");
    cb_method(&cb, 0, "<clinit>", "()V", &simple_code);
    rejected(CLASSFILE_FORMAT, "Method <clinit> is not static in class file T");
    cb_init(&cb, "T");
    cb_bare_method(&cb, 0, "m", "()V");
    rejected(CLASSFILE_FORMAT, "Absent Code attribute in method that is not native or abstract in class file T");
    cb_init(&cb, "T");
    cb_method(&cb, ACC_NATIVE, "m", "()V", &simple_code);
    rejected(CLASSFILE_FORMAT, "Code attribute in native or abstract methods in class file T");
    char desc[600] = "(";
    for (int i = 0; i < 128; i++) strcat(desc, "J");
    strcat(desc, ")V");
    cb_init(&cb, "T");
    cb_bare_method(&cb, ACC_NATIVE, "m", desc);
    rejected(CLASSFILE_FORMAT, "Too many arguments in method signature in class file T");
}

static void code_errors(void **state) {
    (void)state;
    CbCode c = simple_code;
    c.max_locals = 0;
    cb_init(&cb, "T");
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    rejected(CLASSFILE_FORMAT, "Arguments can't fit into locals in class file T");
    c.len = 0;
    c.max_locals = 1;
    cb_init(&cb, "T");
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    rejected(CLASSFILE_FORMAT, "Invalid method Code length 0 in class file T");
    static const uint16_t range[][4] = {{0, 2, 0, 0}}, handler[][4] = {{0, 1, 1, 0}};
    c = simple_code;
    c.handler_count = 1;
    c.handlers = range;
    cb_init(&cb, "T");
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    rejected(CLASSFILE_FORMAT, "Illegal exception table range in class file T");
    c.handlers = handler;
    cb_init(&cb, "T");
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    rejected(CLASSFILE_FORMAT, "Illegal exception table handler in class file T");
}

static void trusted_still_checks_indexes(void **state) {
    (void)state;
    ClassFileOptions trusted = {.trusted = true};
    cb_init(&cb, "a.b");
    cb_field(&cb, ACC_PUBLIC | ACC_PRIVATE, "", "?");
    ClassFile *cf = parse_with(&trusted);
    assert_non_null(cf);
    classfile_free(cf);
    cb_init(&cb, "T");
    cb_two(&cb, CP_METHODREF, 1, 1);
    assert_null(parse_with(&trusted));
    assert_string_equal(err.msg, "Invalid constant pool index 1 in class file <Unknown>");
}

static void inner_classes(void **state) {
    (void)state;
    Bytes t = {.n = 0};
    cb_init(&cb, "T");
    unsigned a = cb_class(&cb, "A"), b = cb_class(&cb, "B");
    put2(&t, 2);
    put2(&t, a), put2(&t, b), put2(&t, 0), put2(&t, 0);
    put2(&t, b), put2(&t, 0), put2(&t, 0), put2(&t, 0);
    cb_attr(&cb, "InnerClasses", t.b, t.n);
    ClassFile *cf = parse_with(NULL);
    assert_non_null(cf);
    assert_int_equal(cf->inner_class_count, 2);
    classfile_free(cf);
    /* A cycle invalidates the attribute; a repeated entry is an error. */
    cb.attrs.n = cb.attr_count = t.n = 0;
    put2(&t, 2);
    put2(&t, a), put2(&t, b), put2(&t, 0), put2(&t, 0);
    put2(&t, b), put2(&t, a), put2(&t, 0), put2(&t, 0);
    cb_attr(&cb, "InnerClasses", t.b, t.n);
    cf = parse_with(NULL);
    assert_non_null(cf);
    assert_int_equal(cf->inner_class_count, 0);
    classfile_free(cf);
    cb.attrs.n = cb.attr_count = t.n = 0;
    put2(&t, 2);
    for (int i = 0; i < 2; i++) put2(&t, a), put2(&t, b), put2(&t, 0), put2(&t, 0);
    cb_attr(&cb, "InnerClasses", t.b, t.n);
    rejected(CLASSFILE_FORMAT, "Duplicate entry in InnerClasses attribute in class file T");
}

static void bootstrap_methods(void **state) {
    (void)state;
    Bytes t = {.n = 0};
    cb_init(&cb, "T");
    unsigned h = cb_handle(&cb, REF_invokeStatic, cb_ref(&cb, CP_METHODREF, "A", "m", "()V"));
    unsigned k = cb_int(&cb, 7);
    cb_two(&cb, CP_INVOKE_DYNAMIC, 0, cb_nat(&cb, "m", "()V"));
    put2(&t, 1);
    put2(&t, h), put2(&t, 1), put2(&t, k);
    cb_attr(&cb, "BootstrapMethods", t.b, t.n);
    ClassFile *cf = parse_with(NULL);
    assert_non_null(cf);
    assert_int_equal(cf->bootstrap_count, 1);
    assert_int_equal(cf->bootstraps[0].args[0], k);
    classfile_free(cf);
    t.b[3] = (uint8_t)k;
    cb.attrs.n = cb.attr_count = 0;
    cb_attr(&cb, "BootstrapMethods", t.b, t.n);
    char msg[100];
    snprintf(msg, sizeof msg, "bootstrap_method_index %u has bad constant type in class file T", k);
    rejected(CLASSFILE_FORMAT, msg);
}

static void count_jdk_class(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    unsigned *bad = arg;
    for (int trusted = 0; trusted < 2; trusted++) {
        ClassFileOptions opt = {.trusted = trusted != 0};
        ClassFile *cf = classfile_parse(bytes, len, &opt, &err);
        if (!cf) {
            print_error("%s: %s\n", name, err.msg);
            (*bad)++;
        }
        classfile_free(cf);
    }
}

static void accepts_the_jdk(void **state) {
    (void)state;
    unsigned bad = 0;
    if (jdk_each_class(NULL, 3, count_jdk_class, &bad) == 0) skip();
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_a_class),
        cmocka_unit_test(line_numbers_and_locals),
        cmocka_unit_test(recognises_annotations),
        cmocka_unit_test(header_errors),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(wrong_name),
        cmocka_unit_test(modules_are_no_classes),
        cmocka_unit_test(pool_errors),
        cmocka_unit_test(class_level_errors),
        cmocka_unit_test(member_errors),
        cmocka_unit_test(code_errors),
        cmocka_unit_test(trusted_still_checks_indexes),
        cmocka_unit_test(inner_classes),
        cmocka_unit_test(bootstrap_methods),
        cmocka_unit_test(accepts_the_jdk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
