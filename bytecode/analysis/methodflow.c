#include "bytecode/analysis/methodflow.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"

typedef struct Descriptors {
    const ClassFile *file;
    const uint8_t *code;
    char **texts; /* by constant-pool index, created on demand */
} Descriptors;

static const char *kind_of(char type) {
    switch (type) {
        case 'Z':
        case 'B':
        case 'C':
        case 'S':
        case 'I': return "I";
        case 'F': return "F";
        case 'J': return "J";
        case 'D': return "D";
        default: return "L";
    }
}

/* The kind of a constant as a letter of operand stack kinds. */
static const char *constant_kind(const Descriptors *d, uint16_t index) {
    switch (d->file->cp[index].tag) {
        case CP_INTEGER: return "I";
        case CP_FLOAT: return "F";
        case CP_LONG: return "J";
        case CP_DOUBLE: return "D";
        case CP_DYNAMIC: return kind_of(classfile_ref_desc(d->file, index).ptr[0]);
        default: return "L";
    }
}

static const char *descriptor(void *ctx, uint32_t bci) {
    Descriptors *d = ctx;
    uint16_t index = (uint16_t)opcodes_cp_index(d->code, bci);
    switch (d->code[bci]) {
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: return constant_kind(d, index);
        default: break;
    }
    ClassFileUtf8 text = classfile_ref_desc(d->file, index);
    if (!d->texts[index]) d->texts[index] = strndup((const char *)text.ptr, text.len);
    return d->texts[index] ? d->texts[index] : "";
}

Dataflow *methodflow_build(const ClassFile *file, const ClassFileCode *code, const char *desc, bool is_static,
                           char *err, size_t cap) {
    Descriptors d = {.file = file, .code = code->code, .texts = calloc(file->cp_count, sizeof *d.texts)};
    if (!d.texts) return NULL;
    Dataflow *flow = dataflow_build(code, desc, is_static, descriptor, &d, err, cap);
    for (uint32_t i = 0; i < file->cp_count; i++) free(d.texts[i]);
    free(d.texts);
    return flow;
}
