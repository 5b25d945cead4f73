// The partners with which an assigned value is compared (Liblit and others, "Scalable statistical bug isolation", PLDI
// 2005, scalar pairs): live locals of its type, constants of the method, and 0.
//
// A local has a type if all its uses in the method have that type; a slot shared by several types has none. A live
// local has been assigned, or verification would fail.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/dataflow.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "profiler/productions/productions_internal.h"

enum { UNUSED = 0, MIXED = '?', MOST_LOCALS = 1024 };

static void use(char *types, unsigned local, char type) {
    if (types[local] == UNUSED) types[local] = type;
    else if (types[local] != type) types[local] = MIXED;
}

static char of_parameter(char kind) { return kind == '[' || kind == 'L' ? 'A' : strchr("ZBCS", kind) ? 'I' : kind; }

// Type characters I J F D A of the locals. False: the code is malformed, or has too many locals.
static bool find_types(const ClassFile *file, const ClassFileMethod *method, char types[MOST_LOCALS + 2]) {
    static const char order[] = "IJFDA";
    const ClassFileCode *code = method->code;
    ClassFileUtf8 desc = classfile_utf8(file, method->desc_index);
    DescriptorIter it;
    DescriptorType t;
    unsigned local = !(method->access_flags & ACC_STATIC), index;
    if (code->max_locals > MOST_LOCALS) return false;
    if (local) use(types, 0, 'A');
    descriptor_begin(&it, desc.ptr, desc.len);
    for (; descriptor_next(&it, &t) && local < code->max_locals; local += t.kind == 'J' || t.kind == 'D' ? 2 : 1)
        use(types, local, of_parameter((char)t.kind));
    for (uint32_t bci = 0, length; bci < code->code_len; bci += length) {
        length = opcodes_length(code->code, code->code_len, bci);
        if (!length) return false;
        unsigned op = opcodes_at(code->code, bci);
        if (!(opcodes_info[op].flags & (OPF_LOAD | OPF_STORE))) continue;
        if (opcodes_info[op].flags & OPF_JSR) return false;
        unsigned slots = opcodes_local(code->code, bci, &index);
        if (!slots || index + slots > code->max_locals) return false;
        char type = op == OPC_iinc                   ? 'I'
            : op >= OPC_iload && op <= OPC_aload     ? order[op - OPC_iload]
            : op >= OPC_iload_0 && op <= OPC_aload_3 ? order[(op - OPC_iload_0) / 4]
            : op >= OPC_istore && op <= OPC_astore   ? order[op - OPC_istore]
                                                     : order[(op - OPC_istore_0) / 4];
        use(types, index, type);
        if (slots == 2) use(types, index + 1, MIXED);
    }
    return true;
}

static bool constant_at(const ClassFile *file, const ClassFileCode *code, uint32_t bci, int64_t *to) {
    const uint8_t *at = code->code + bci;
    uint16_t index;
    switch (*at) {
        case OPC_bipush: *to = bytes_s1(at + 1); return true;
        case OPC_sipush: *to = bytes_s2(at + 1); return true;
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w:
            index = *at == OPC_ldc ? at[1] : bytes_u2(at + 1);
            if (index == 0 || index >= file->cp_count) return false;
            *to = file->cp[index].tag == CP_LONG ? file->cp[index].u.j : file->cp[index].u.i;
            return file->cp[index].tag == CP_INTEGER || file->cp[index].tag == CP_LONG;
        default:
            if (*at >= OPC_iconst_m1 && *at <= OPC_iconst_5) *to = (int)*at - OPC_iconst_0;
            else if (*at == OPC_lconst_1) *to = 1;
            else return false;
            return true;
    }
}

static void add_constant(ScalarPartners *p, int64_t constant) {
    for (uint32_t i = 0; i < p->constant_count; i++)
        if (p->constants[i] == constant) return;
    if (p->constant_count < SCALAR_CONSTANTS) p->constants[p->constant_count++] = constant;
    else p->left_out++;
}

static void put_name(const ClassFile *file, const ClassFileCode *code, unsigned local, uint32_t bci,
                     char to[SCALAR_NAME]) {
    snprintf(to, SCALAR_NAME, "local-%u", local);
    for (uint32_t i = 0; i < code->local_count; i++) {
        const ClassFileLocal *l = &code->locals[i];
        if (l->slot != local || bci < l->start_pc || bci >= (uint32_t)l->start_pc + l->length) continue;
        ClassFileUtf8 name = classfile_utf8(file, l->name_index);
        snprintf(to, SCALAR_NAME, "%.*s", (int)name.len, (const char *)name.ptr);
    }
}

bool productions_is_assignment(const ClassFile *file, const ClassFileCode *code, uint32_t bci, char *type) {
    unsigned op = opcodes_at(code->code, bci);
    static const char order[] = "IJFD";
    *type = 'I';
    if (op == OPC_iinc) return true;
    if (op >= OPC_istore && op <= OPC_dstore) *type = order[op - OPC_istore];
    else if (op >= OPC_istore_0 && op < OPC_astore_0) *type = order[(op - OPC_istore_0) / 4];
    else if (op == OPC_putfield || op == OPC_putstatic) {
        uint16_t index = opcodes_cp_index(code->code, bci);
        if (index == 0 || index >= file->cp_count || file->cp[index].tag != CP_FIELDREF) return false;
        ClassFileUtf8 desc = classfile_ref_desc(file, index);
        if (desc.len != 1 || !strchr("BCSIJFD", *desc.ptr)) return false;
        *type = of_parameter((char)*desc.ptr);
    } else return false;
    return true;
}

// Adds the locals that are compared with the value assigned at `bci`, as of the next instruction.
static void find_locals(const ClassFile *file, const ClassFileMethod *method, uint32_t bci, char type,
                        ScalarPartners *p) {
    const ClassFileCode *code = method->code;
    char types[MOST_LOCALS + 2] = {0};
    uint64_t live[MOST_LOCALS / 64 + 2] = {0};
    uint32_t next = bci + opcodes_length(code->code, code->code_len, bci);
    unsigned own = MOST_LOCALS + 2;
    opcodes_local(code->code, bci, &own);
    if (next >= code->code_len || !find_types(file, method, types) || !dataflow_live_at(code, next, live)) return;
    for (unsigned i = 0; i < code->max_locals; i++) {
        if (i == own || types[i] != type || !dataflow_is_live(live, i)) continue;
        if (p->local_count == SCALAR_LOCALS) {
            p->left_out++;
            continue;
        }
        put_name(file, code, i, next, p->names[p->local_count]);
        p->locals[p->local_count++] = (uint16_t)i;
    }
}

void productions_partners(const ClassFile *file, const ClassFileMethod *method, uint32_t bci, bool with_locals,
                          ScalarPartners *p) {
    const ClassFileCode *code = method->code;
    char type;
    int64_t constant;
    *p = (ScalarPartners){0};
    if (!productions_is_assignment(file, code, bci, &type)) return;
    if (with_locals) find_locals(file, method, bci, type, p);
    else p->left_out++;
    add_constant(p, 0);
    for (uint32_t at = 0, length; at < code->code_len && (type == 'I' || type == 'J'); at += length) {
        length = opcodes_length(code->code, code->code_len, at);
        if (!length) return;
        if (constant_at(file, code, at, &constant)) add_constant(p, constant);
    }
    for (uint32_t i = 0; i < p->constant_count; i++)
        snprintf(p->names[p->local_count + i], SCALAR_NAME, "%lld", (long long)p->constants[i]);
    snprintf(p->names[p->local_count + p->constant_count], SCALAR_NAME, "before");
}
