/* The opcode table and the decoding of lengths, locals and switches (bytecode/classfile/opcodes.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"

static void table_is_dense(void **state) {
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(opcodes_info[i].name != NULL, i < OPC_COUNT);
        if (i < OPC_COUNT) assert_non_null(strchr(opcodes_info[i].effect, '>'));
    }
    assert_int_equal(OPC_jsr_w, 201);
    assert_string_equal(opcodes_name(OPC_invokeinterface), "invokeinterface");
    assert_string_equal(opcodes_name(202), "illegal");
    assert_string_equal(opcodes_name(100000), "illegal");
}

static void simple_lengths(void **state) {
    (void)state;
    static const uint8_t code[] = {
        OPC_nop, OPC_bipush, 1, OPC_sipush, 0, 1, OPC_invokeinterface, 0, 1, 1, 0, OPC_multianewarray, 0, 1,
        2,       OPC_goto_w, 0, 0,          0, 1};
    static const uint32_t at[] = {0, 1, 3, 6, 11, 15, 20};
    for (int i = 0; i < 6; i++) assert_int_equal(opcodes_length(code, sizeof code, at[i]), at[i + 1] - at[i]);
    assert_int_equal(opcodes_length(code, sizeof code - 1, 15), 0);
    assert_int_equal(opcodes_length(code, sizeof code, 20), 0);
    static const uint8_t bad[] = {202};
    assert_int_equal(opcodes_length(bad, 1, 0), 0);
}

static void wide_lengths(void **state) {
    (void)state;
    static const uint8_t load[] = {OPC_wide, OPC_lload, 1, 2};
    static const uint8_t inc[] = {OPC_wide, OPC_iinc, 1, 2, 0xff, 0xfe};
    static const uint8_t bad[] = {OPC_wide, OPC_iadd, 0, 0};
    unsigned index;
    assert_int_equal(opcodes_length(load, sizeof load, 0), 4);
    assert_int_equal(opcodes_length(load, 3, 0), 0);
    assert_int_equal(opcodes_length(inc, sizeof inc, 0), 6);
    assert_int_equal(opcodes_length(inc, 5, 0), 0);
    assert_int_equal(opcodes_length(bad, sizeof bad, 0), 0);
    assert_int_equal(opcodes_length(load, 1, 0), 0);
    assert_int_equal(opcodes_local(load, 0, &index), 2);
    assert_int_equal(index, 0x102);
    assert_int_equal(opcodes_local(inc, 0, &index), 1);
}

static void local_of_short_forms(void **state) {
    (void)state;
    unsigned index;
    for (unsigned op = OPC_iload_0; op <= OPC_aload_3; op++) {
        uint8_t b = (uint8_t)op;
        unsigned kind = (op - OPC_iload_0) / 4;
        assert_int_equal(opcodes_local(&b, 0, &index), kind == 1 || kind == 3 ? 2 : 1);
        assert_int_equal(index, (op - OPC_iload_0) % 4);
    }
    for (unsigned op = OPC_istore_0; op <= OPC_astore_3; op++) {
        uint8_t b = (uint8_t)op;
        opcodes_local(&b, 0, &index);
        assert_int_equal(index, (op - OPC_istore_0) % 4);
    }
    uint8_t add = OPC_iadd;
    assert_int_equal(opcodes_local(&add, 0, &index), 0);
}

static void table_switch(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_nop, OPC_tableswitch,
                                   0,       0, /* padding */
                                   0,       0,
                                   0,       20,
                                   0xff,    0xff,
                                   0xff,    0xff, /* default 21, low -1 */
                                   0,       0,
                                   0,       1,
                                   0,       0,
                                   0,       30,
                                   0,       0,
                                   0,       31,
                                   0,       0,
                                   0,       32};
    assert_int_equal(opcodes_length(code, sizeof code, 1), 27);
    assert_int_equal(opcodes_length(code, sizeof code - 1, 1), 0);
    OpcodeSwitch s = opcodes_switch(code, 1);
    assert_int_equal(s.count, 3);
    assert_int_equal(opcodes_switch_key(&s, 0), -1);
    assert_int_equal(opcodes_switch_key(&s, 2), 1);
    assert_int_equal(opcodes_switch_target(&s, 1), 32);
    assert_int_equal(opcodes_switch_target(&s, 3), 21);
}

static void lookup_switch(void **state) {
    (void)state;
    static const uint8_t code[] = {
        OPC_lookupswitch, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 1, 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(opcodes_length(code, sizeof code, 0), 20);
    OpcodeSwitch s = opcodes_switch(code, 0);
    assert_int_equal(opcodes_switch_key(&s, 0), INT32_MIN);
    assert_int_equal(opcodes_switch_target(&s, 0), UINT32_MAX);
    assert_int_equal(opcodes_switch_target(&s, 1), 16);
}

static void hostile_switches(void **state) {
    (void)state;
    uint8_t code[32] = {OPC_tableswitch};
    memset(code + 8, 0, 4);
    code[8] = 0x80; /* low = INT_MIN, high = INT_MAX */
    memset(code + 12, 0xff, 4);
    code[12] = 0x7f;
    assert_int_equal(opcodes_length(code, sizeof code, 0), 0);
    code[8] = 0;
    memset(code + 12, 0xff, 4); /* high < low */
    assert_int_equal(opcodes_length(code, sizeof code, 0), 0);
    code[0] = OPC_lookupswitch;
    memset(code + 8, 0xff, 4); /* -1 pairs */
    assert_int_equal(opcodes_length(code, sizeof code, 0), 0);
    memset(code + 8, 0x1f, 4);
    assert_int_equal(opcodes_length(code, sizeof code, 0), 0);
    for (uint32_t n = 1; n < 12; n++) assert_int_equal(opcodes_length(code, n, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_dense),       cmocka_unit_test(simple_lengths), cmocka_unit_test(wide_lengths),
        cmocka_unit_test(local_of_short_forms), cmocka_unit_test(table_switch),   cmocka_unit_test(lookup_switch),
        cmocka_unit_test(hostile_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
