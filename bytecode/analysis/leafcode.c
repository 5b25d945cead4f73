#include "bytecode/analysis/leafcode.h"

#include "bytecode/classfile/opcodes.h"

bool leafcode_is(const ClassFile *file, const ClassFileCode *code) {
    const uint8_t *bytes = code->code;
    for (uint32_t bci = 0; bci < code->code_len; bci += opcodes_length(bytes, code->code_len, bci)) {
        unsigned flags = opcodes_info[bytes[bci]].flags;
        if (flags & OPF_JSR) return false;
        if (flags & OPF_INVOKE) {
            uint16_t index = opcodes_cp_index(bytes, bci);
            bool object_init = bytes[bci] == OPC_invokespecial &&
                classfile_utf8_is(classfile_ref_class(file, index), "java/lang/Object") &&
                classfile_utf8_is(classfile_ref_name(file, index), "<init>");
            if (!object_init) return false;
        } else if (flags & OPF_SWITCH) {
            OpcodeSwitch s = opcodes_switch(bytes, bci);
            for (uint32_t i = 0; i <= s.count; i++)
                if (opcodes_switch_target(&s, i) <= bci) return false;
        } else if ((flags & OPF_BRANCH) && opcodes_branch_target(bytes, bci) <= bci) {
            return false;
        }
    }
    return true;
}
