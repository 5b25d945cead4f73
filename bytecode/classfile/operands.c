#include "bytecode/classfile/operands.h"

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"

static void add(Operands *to, char type) {
    if (to->count == OPERANDS_MOST) return;
    to->type[to->count++] = type;
    to->slots += descriptor_slots(type);
}

static char stack_type(char kind) {
    switch (kind) {
        case 'J':
        case 'F':
        case 'D': return kind;
        case 'L':
        case '[': return 'A';
        default: return 'I';
    }
}

// The operands that the `*` in an effect represents.
static void add_by_reference(const ClassFile *cf, const uint8_t *code, uint32_t bci, Operands *to) {
    unsigned opcode = code[bci], flags = opcodes_info[opcode].flags;
    if (flags & OPF_INVOKE) {
        ClassFileUtf8 desc = classfile_ref_desc(cf, opcodes_cp_index(code, bci));
        DescriptorIter it;
        DescriptorType t;
        for (descriptor_begin(&it, desc.ptr, desc.len); descriptor_next(&it, &t);) add(to, stack_type(t.kind));
    } else if (flags & OPF_FIELD) {
        add(to, stack_type((char)*classfile_ref_desc(cf, opcodes_cp_index(code, bci)).ptr));
    } else if (opcode == OPC_multianewarray) {
        for (unsigned i = 0; i < code[bci + 3]; i++) add(to, 'I');
    }
}

void operands_of(const ClassFile *cf, const uint8_t *code, uint32_t bci, Operands *to) {
    to->count = to->slots = 0;
    for (const char *c = opcodes_info[opcodes_at(code, bci)].effect; *c != '>'; c++) {
        if (*c == '*') add_by_reference(cf, code, bci, to);
        else if (*c >= 'A' && *c <= 'L') add(to, *c);
    }
}
