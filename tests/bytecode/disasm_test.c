/* The disassembler (bytecode/classfile/disasm.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytecode/classfile/disasm.h"
#include "bytecode/classfile/opcodes.h"
#include "tests/bytecode/class_builder.h"

static char line[256];

static const char *one(const ClassFile *cf, const uint8_t *code, uint32_t len, uint32_t bci) {
    disasm_instruction(cf, code, len, bci, line, sizeof line);
    return line;
}

static void plain_operands(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iadd, OPC_bipush, 0xff, OPC_sipush, 1, 0, OPC_iload,    5,
                                   OPC_iinc, 1,          0xfe, OPC_goto,   0, 3, OPC_newarray, 10,
                                   OPC_wide, OPC_iinc,   1,    0,          0, 9};
    assert_string_equal(one(NULL, code, sizeof code, 0), "iadd");
    assert_string_equal(one(NULL, code, sizeof code, 1), "bipush          -1");
    assert_string_equal(one(NULL, code, sizeof code, 3), "sipush          256");
    assert_string_equal(one(NULL, code, sizeof code, 6), "iload           5");
    assert_string_equal(one(NULL, code, sizeof code, 8), "iinc            1, -2");
    assert_string_equal(one(NULL, code, sizeof code, 11), "goto            14");
    assert_string_equal(one(NULL, code, sizeof code, 14), "newarray        int");
    assert_string_equal(one(NULL, code, sizeof code, 16), "wide            iinc 256, 9");
    assert_string_equal(one(NULL, code, 12, 11), "illegal a7");
    assert_string_equal(one(NULL, code, sizeof code, 99), "end of code");
    static const uint8_t sw[] = {OPC_lookupswitch, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 21};
    assert_string_equal(one(NULL, sw, sizeof sw, 0), "lookupswitch    { 7: 21, default: 20 }");
    assert_int_equal(disasm_instruction(NULL, sw, sizeof sw, 0, line, 8), 20);
    assert_string_equal(line, "lookups");
    assert_int_equal(disasm_instruction(NULL, sw, sizeof sw, 0, NULL, 0), 20);
}

/* A constant-pool entry as shown in the comment after an instruction. */
static void constant(const ClassFile *cf, uint16_t index, char *line, size_t size) {
    const uint8_t code[] = {OPC_ldc_w, (uint8_t)(index >> 8), (uint8_t)index};
    char whole[256];
    assert_int_equal(disasm_instruction(cf, code, sizeof code, 0, whole, sizeof whole), sizeof code);
    const char *comment = strstr(whole, " // ");
    assert_non_null(comment);
    snprintf(line, size, "%s", comment + 4);
}

static void constants(void **state) {
    (void)state;
    static ClassBuilder cb;
    ClassFileError err;
    cb_init(&cb, "T");
    unsigned m = cb_ref(&cb, CP_METHODREF, "java/lang/Object", "<init>", "()V");
    unsigned s = cb_one(&cb, CP_STRING, cb_utf8(&cb, "a\n\"b\""));
    unsigned i = cb_int(&cb, -3), l = cb_long(&cb, INT64_C(1) << 40);
    unsigned h = cb_handle(&cb, REF_invokeSpecial, m);
    const uint8_t code[] = {OPC_invokespecial, 0, (uint8_t)m, OPC_ldc, (uint8_t)s, OPC_return};
    CbCode c = {.max_stack = 1, .max_locals = 1, .code = code, .len = sizeof code};
    (void)h;
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    const Bytes *o = cb_finish(&cb);
    ClassFile *cf = classfile_parse(o->b, o->n, NULL, &err);
    assert_null(cf); /* a handle of this kind must not name <init> */
    cb.cp.b[cb.cp.n - 1] = 0;
    cb_init(&cb, "T");
    m = cb_ref(&cb, CP_METHODREF, "java/lang/Object", "<init>", "()V");
    s = cb_one(&cb, CP_STRING, cb_utf8(&cb, "a\n\"b\""));
    i = cb_int(&cb, -3);
    l = cb_long(&cb, INT64_C(1) << 40);
    h = cb_handle(&cb, REF_newInvokeSpecial, m);
    cb_method(&cb, ACC_PUBLIC, "m", "()V", &c);
    o = cb_finish(&cb);
    cf = classfile_parse(o->b, o->n, NULL, &err);
    assert_non_null(cf);
    constant(cf, (uint16_t)m, line, sizeof line);
    assert_string_equal(line, "Method java/lang/Object.<init>:()V");
    constant(cf, (uint16_t)s, line, sizeof line);
    assert_string_equal(line, "String \"a\\n\\\"b\\\"\"");
    constant(cf, (uint16_t)i, line, sizeof line);
    assert_string_equal(line, "int -3");
    constant(cf, (uint16_t)l, line, sizeof line);
    assert_string_equal(line, "long 1099511627776l");
    constant(cf, (uint16_t)(l + 1), line, sizeof line);
    assert_string_equal(line, "illegal entry");
    constant(cf, (uint16_t)h, line, sizeof line);
    assert_string_equal(line, "REF_newInvokeSpecial java/lang/Object.<init>:()V");
    constant(cf, 60000, line, sizeof line);
    assert_string_equal(line, "illegal index");
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    disasm_method(out, cf, &cf->methods[0]);
    fclose(out);
    assert_non_null(strstr(text, "  public m()V\n  stack=1, locals=1, args_size=1\n"));
    assert_non_null(strstr(text, "        0: invokespecial   #"));
    assert_non_null(strstr(text, "        5: return\n"));
    free(text);
    classfile_free(cf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_operands),
        cmocka_unit_test(constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
