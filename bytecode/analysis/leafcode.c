#include "bytecode/analysis/leafcode.h"

#include "bytecode/classfile/opcodes.h"

static bool calls_object_init(const ClassFile *file, const uint8_t *at) {
    uint16_t index = opcodes_cp_index(at, 0);
    return *at == OPC_invokespecial && classfile_utf8_is(classfile_ref_class(file, index), "java/lang/Object") &&
           classfile_utf8_is(classfile_ref_name(file, index), "<init>");
}

static bool switches_back(const uint8_t *code, uint32_t bci) {
    OpcodeSwitch s = opcodes_switch(code, bci);
    for (uint32_t i = 0; i <= s.count; i++)
        if (opcodes_switch_target(&s, i) <= bci) return true;
    return false;
}

static bool stays_leaf(const ClassFile *file, const uint8_t *code, uint32_t bci) {
    unsigned flags = opcodes_info[code[bci]].flags;
    if (flags & OPF_JSR) return false;
    if (flags & OPF_INVOKE) return calls_object_init(file, code + bci);
    if (flags & OPF_SWITCH) return !switches_back(code, bci);
    return !(flags & OPF_BRANCH) || opcodes_branch_target(code, bci) > bci;
}

bool leafcode_is(const ClassFile *file, const ClassFileCode *code) {
    for (uint32_t bci = 0; bci < code->code_len; bci += opcodes_length(code->code, code->code_len, bci))
        if (!stays_leaf(file, code->code, bci)) return false;
    return true;
}
