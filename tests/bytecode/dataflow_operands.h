/*
 * Operand descriptors of a class file's code, in the form dataflow_build() requires.
 */
#ifndef CABERNET_TESTS_BYTECODE_DATAFLOW_OPERANDS_H
#define CABERNET_TESTS_BYTECODE_DATAFLOW_OPERANDS_H

#include <stdio.h>

#include "bytecode/classfile/classfile.h"
#include "bytecode/classfile/opcodes.h"

typedef struct Operands {
    const ClassFile *cf;
    const ClassFileCode *code;
    char text[70000]; /* the descriptor returned last */
} Operands;

static inline const char *operands_text(Operands *o, ClassFileUtf8 s) {
    snprintf(o->text, sizeof o->text, "%.*s", (int)s.len, (const char *)s.ptr);
    return o->text;
}

static inline const char *operands_descriptor(void *ctx, uint32_t bci) {
    Operands *o = ctx;
    uint16_t index = opcodes_cp_index(o->code->code, bci);
    switch (o->cf->cp[index].tag) {
        case CP_INTEGER: return "I";
        case CP_FLOAT: return "F";
        case CP_LONG: return "J";
        case CP_DOUBLE: return "D";
        case CP_STRING:
        case CP_CLASS:
        case CP_METHOD_HANDLE:
        case CP_METHOD_TYPE: return "L";
        default: return operands_text(o, classfile_ref_desc(o->cf, index));
    }
}

#endif
