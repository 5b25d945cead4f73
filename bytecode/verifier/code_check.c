/*
 * Structural check of a method's code (JVMS 4.9.1 and the depth rules of 4.9.2), for every method
 * that will be decoded, verified or not.
 *
 * Three passes: instruction boundaries over all bytes; operands of every instruction, reachable or
 * not; then stack depth in slots over all paths from the entry and from every handler. Each is
 * linear in code and tables. Depth is exact except at ret, which may return to any jsr: there some
 * jsr of the method must have the same depth. Types are unknown here, so whether a ret reads a
 * return address is left to the verifier.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/mutf8.h"
#include "bytecode/classfile/opcodes.h"
#include "bytecode/verifier/verify_internal.h"

#define DEPTH_UNKNOWN UINT32_MAX

typedef struct Check {
    const ClassFile *cf;
    const ClassFileMethod *m;
    const uint8_t *code;
    uint32_t len;
    uint8_t *starts; /* 1: an instruction starts here */
    uint32_t *depth; /* stack depth before the instruction */
    uint32_t *work;  /* instructions with a new depth */
    uint32_t work_count;
    bool has_ret;
    VerifyError *err;
} Check;

/* Stack effect of an instruction in slots. */
typedef struct Effect {
    uint32_t pops, pushes;
} Effect;

static bool fail(Check *c, uint32_t bci, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static bool fail(Check *c, uint32_t bci, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    verify_report_begin(c->err, VERIFY_FAILED, c->cf, c->m, bci, fmt, args);
    va_end(args);
    verify_report_location(c->err, c->cf, c->m, bci);
    verify_report_code(c->err, c->m->code);
    return false;
}

static bool fail_format(Check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail_format(Check *c, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    verify_report_begin(c->err, VERIFY_FORMAT, c->cf, c->m, 0, fmt, args);
    va_end(args);
    verify_report_in_method(c->err, c->cf, c->m);
    return false;
}

static bool find_starts(Check *c) {
    for (uint32_t bci = 0; bci < c->len;) {
        uint32_t n = opcodes_length(c->code, c->len, bci);
        if (n == 0) return fail(c, bci, "Bad instruction");
        c->starts[bci] = 1;
        bci += n;
    }
    return true;
}

static bool is_start(const Check *c, uint32_t bci) { return bci < c->len && c->starts[bci]; }

static bool check_handlers(Check *c) {
    const ClassFileCode *code = c->m->code;
    for (unsigned i = 0; i < code->handler_count; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        if (!is_start(c, h->start_pc)) return fail_format(c, "Illegal exception table start_pc %u", h->start_pc);
        if (h->end_pc != c->len && !is_start(c, h->end_pc))
            return fail_format(c, "Illegal exception table end_pc %u", h->end_pc);
        if (!is_start(c, h->handler_pc)) return fail_format(c, "Illegal exception table handler_pc %u", h->handler_pc);
    }
    return true;
}

/* Operands. */

static bool bad_cp(Check *c, uint32_t bci, uint16_t index) {
    bool fits = index != 0 && index < c->cf->cp_count;
    char name[256];
    ClassFileUtf8 this_name = classfile_this_name(c->cf);
    mutf8_to_utf8(this_name.ptr, this_name.len, name, sizeof name);
    return fail(c, bci,
                fits ? "Illegal type at constant pool entry %u in class %s"
                     : "Illegal constant pool index %u in class %s",
                index, name);
}

static unsigned tag_at(const Check *c, uint16_t index) {
    return index < c->cf->cp_count ? c->cf->cp[index].tag : CP_UNUSABLE;
}

/* Is the field descriptor of a pool entry (FIELDREF or DYNAMIC) valid? Sets its type. */
static bool field_type(const Check *c, uint16_t index, DescriptorType *t) {
    ClassFileUtf8 d = classfile_ref_desc(c->cf, index);
    return d.len != 0 && descriptor_type(d.ptr, d.len, false, t) == d.len;
}

static bool check_ldc(Check *c, uint32_t bci, uint16_t index, bool two_slots) {
    DescriptorType t;
    unsigned slots = 0;
    switch (tag_at(c, index)) {
        case CP_INTEGER:
        case CP_FLOAT:
        case CP_STRING: slots = 1; break;
        case CP_CLASS: slots = c->cf->major >= 49; break;
        case CP_METHOD_HANDLE:
        case CP_METHOD_TYPE: slots = c->cf->major >= 51; break;
        case CP_LONG:
        case CP_DOUBLE: slots = 2; break;
        case CP_DYNAMIC: slots = field_type(c, index, &t) ? t.slots : 0; break;
    }
    return slots == (two_slots ? 2u : 1u) || bad_cp(c, bci, index);
}

static bool check_invoke(Check *c, uint32_t bci, uint8_t op, uint16_t index) {
    unsigned tag = tag_at(c, index);
    bool ok;
    switch (op) {
        case OPC_invokevirtual: ok = tag == CP_METHODREF; break;
        case OPC_invokeinterface: ok = tag == CP_INTERFACE_METHODREF; break;
        case OPC_invokedynamic: ok = tag == CP_INVOKE_DYNAMIC; break;
        default: ok = tag == CP_METHODREF || (tag == CP_INTERFACE_METHODREF && c->cf->major >= 52);
    }
    if (!ok) return bad_cp(c, bci, index);
    ClassFileUtf8 desc = classfile_ref_desc(c->cf, index);
    int slots = descriptor_valid_method(desc.ptr, desc.len, false);
    if (slots < 0 || slots + (op != OPC_invokestatic && op != OPC_invokedynamic) > 255)
        return fail(c, bci, "Illegal method descriptor at constant pool entry %u", index);
    if (op == OPC_invokeinterface) {
        if (c->code[bci + 3] != slots + 1) return fail(c, bci, "Inconsistent args count operand in invokeinterface");
        if (c->code[bci + 4] != 0) return fail(c, bci, "Fourth operand byte of invokeinterface must be zero");
    }
    if (op == OPC_invokedynamic && bytes_u2(c->code + bci + 3) != 0)
        return fail(c, bci, "Third and fourth operand bytes of invokedynamic must be zero");
    ClassFileUtf8 name = classfile_ref_name(c->cf, index);
    bool init = op == OPC_invokespecial && classfile_utf8_is(name, "<init>");
    return name.len == 0 || name.ptr[0] != '<' || init || fail(c, bci, "Illegal call to internal method");
}

static bool check_class(Check *c, uint32_t bci, uint8_t op, uint16_t index) {
    if (tag_at(c, index) != CP_CLASS) return bad_cp(c, bci, index);
    ClassFileUtf8 name = classfile_name_of(c->cf, index);
    unsigned dims = 0;
    while (dims < name.len && name.ptr[dims] == '[') dims++;
    if (op == OPC_new && dims != 0) return fail(c, bci, "Illegal new instruction");
    if (op == OPC_anewarray && dims >= DESCRIPTOR_MAX_DIMS)
        return fail(c, bci, "Illegal anewarray instruction, array has more than 255 dimensions");
    if (op == OPC_multianewarray && (c->code[bci + 3] == 0 || c->code[bci + 3] > dims))
        return fail(c, bci, "Illegal dimension in multianewarray instruction: %u", c->code[bci + 3]);
    return true;
}

static bool check_cp_operand(Check *c, uint32_t bci, uint8_t op) {
    const OpcodeInfo *info = &opcodes_info[op];
    uint16_t index = opcodes_cp_index(c->code, bci);
    DescriptorType t;
    if (op == OPC_ldc || op == OPC_ldc_w || op == OPC_ldc2_w) return check_ldc(c, bci, index, op == OPC_ldc2_w);
    if (info->flags & OPF_INVOKE) return check_invoke(c, bci, op, index);
    if (info->flags & OPF_FIELD)
        return (tag_at(c, index) == CP_FIELDREF && field_type(c, index, &t)) || bad_cp(c, bci, index);
    return check_class(c, bci, op, index);
}

static bool check_target(Check *c, uint32_t bci, uint32_t target) {
    return is_start(c, target) || fail(c, bci, "Illegal target of jump or branch");
}

static bool check_switch(Check *c, uint32_t bci) {
    OpcodeSwitch s = opcodes_switch(c->code, bci);
    const char *what = s.is_table ? "tableswitch" : "lookupswitch";
    if (c->cf->major < 51) {
        for (const uint8_t *p = c->code + bci + 1; p < s.base; p++) {
            if (*p != 0) return fail(c, bci, "Nonzero padding byte in %s", what);
        }
    }
    for (uint32_t i = 0; i <= s.count; i++) {
        if (!check_target(c, bci, opcodes_switch_target(&s, i))) return false;
        if (!s.is_table && i > 0 && i < s.count && opcodes_switch_key(&s, i) <= opcodes_switch_key(&s, i - 1))
            return fail(c, bci, "Bad lookupswitch instruction");
    }
    return true;
}

/* The return instruction must be that of the method: the caller's frame depends on it. */
static bool check_return(Check *c, uint32_t bci, uint8_t op) {
    ClassFileUtf8 desc = classfile_utf8(c->cf, c->m->desc_index);
    char has = opcodes_info[op].effect[0];
    char want;
    switch (descriptor_return_char(desc.ptr, desc.len)) {
        case 'V': want = '>'; break;
        case 'J': want = 'J'; break;
        case 'F': want = 'F'; break;
        case 'D': want = 'D'; break;
        case 'L':
        case '[': want = 'A'; break;
        default: want = 'I';
    }
    if (has == want) return true;
    if (has == '>') return fail(c, bci, "Method expects a return value");
    if (want == '>') return fail(c, bci, "Method does not expect a return value");
    return fail(c, bci, "Wrong return type in function");
}

static bool check_operands(Check *c, uint32_t bci) {
    uint8_t op = c->code[bci];
    unsigned real = opcodes_at(c->code, bci);
    const OpcodeInfo *info = &opcodes_info[real];
    unsigned index, slots = opcodes_local(c->code, bci, &index);
    if (slots != 0 && index + slots > c->m->code->max_locals) return fail(c, bci, "Local variable table overflow");
    if (real == OPC_ret) c->has_ret = true;
    if ((info->flags & OPF_JSR) && c->cf->major >= 51) return fail(c, bci, "Bad instruction: %02x", real);
    if (info->flags & OPF_CP) return check_cp_operand(c, bci, op);
    if (info->flags & OPF_SWITCH) return check_switch(c, bci);
    if (info->flags & OPF_BRANCH) return check_target(c, bci, opcodes_branch_target(c->code, bci));
    if (info->flags & OPF_RETURN) return check_return(c, bci, op);
    if (op == OPC_newarray && (c->code[bci + 1] < 4 || c->code[bci + 1] > 11))
        return fail(c, bci, "Illegal newarray instruction");
    return true;
}

/* Depth. */

static Effect table_effect(const char *s) {
    Effect e = {0, 0};
    uint32_t *n = &e.pops;
    for (; *s != '\0'; s++) {
        if (*s == '>') n = &e.pushes;
        else *n += *s == '*' ? 0 : descriptor_slots(*s);
    }
    return e;
}

/* The part of the effect that the table marks with a star. */
static void add_operand_effect(const Check *c, uint32_t bci, uint8_t op, Effect *e) {
    uint16_t index = opcodes_cp_index(c->code, bci);
    DescriptorType t;
    if (op == OPC_multianewarray) {
        e->pops += c->code[bci + 3];
    } else if (op == OPC_ldc2_w) {
        e->pushes += 2;
    } else if (op == OPC_ldc || op == OPC_ldc_w) {
        e->pushes += 1;
    } else if (opcodes_info[op].flags & OPF_INVOKE) {
        ClassFileUtf8 d = classfile_ref_desc(c->cf, index);
        e->pops += descriptor_arg_slots(d.ptr, d.len);
        e->pushes += descriptor_slots(descriptor_return_char(d.ptr, d.len));
    } else if (field_type(c, index, &t)) {
        bool put = op == OPC_putfield || op == OPC_putstatic;
        *(put ? &e->pops : &e->pushes) += t.slots;
    }
}

static Effect effect_of(const Check *c, uint32_t bci) {
    uint8_t op = c->code[bci];
    if (op == OPC_wide) op = c->code[bci + 1];
    const char *s = opcodes_info[op].effect;
    Effect e = table_effect(s);
    if (strchr(s, '*')) add_operand_effect(c, bci, op, &e);
    return e;
}

static bool flow_to(Check *c, uint32_t from, uint32_t to, uint32_t depth) {
    if (to >= c->len) return fail(c, from, "Control flow falls through code end");
    if (c->depth[to] == depth) return true;
    if (c->depth[to] != DEPTH_UNKNOWN) return fail(c, to, "Inconsistent stack depth: %u and %u", c->depth[to], depth);
    c->depth[to] = depth;
    c->work[c->work_count++] = to;
    return true;
}

static bool flow_from(Check *c, uint32_t bci) {
    uint8_t op = c->code[bci];
    const OpcodeInfo *info = &opcodes_info[op];
    uint32_t depth = c->depth[bci];
    uint32_t next = bci + opcodes_length(c->code, c->len, bci);
    Effect e = effect_of(c, bci);
    if (depth < e.pops) return fail(c, bci, "Operand stack underflow");
    uint32_t after = depth - e.pops + e.pushes;
    if (after > c->m->code->max_stack) return fail(c, bci, "Operand stack overflow");
    if (info->flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(c->code, bci);
        for (uint32_t i = 0; i <= s.count; i++) {
            if (!flow_to(c, bci, opcodes_switch_target(&s, i), after)) return false;
        }
        return true;
    }
    if ((info->flags & OPF_BRANCH) && !flow_to(c, bci, opcodes_branch_target(c->code, bci), after)) return false;
    if (op == OPC_jsr || op == OPC_jsr_w) return flow_to(c, bci, next, depth);
    bool stops = (info->flags & OPF_STOP) || (op == OPC_wide && c->code[bci + 1] == OPC_ret);
    return stops || flow_to(c, bci, next, after);
}

static bool check_depths(Check *c) {
    const ClassFileCode *code = c->m->code;
    if (!flow_to(c, 0, 0, 0)) return false;
    for (unsigned i = 0; i < code->handler_count; i++) {
        uint32_t at = code->handlers[i].handler_pc;
        if (code->max_stack == 0) return fail(c, at, "Operand stack overflow");
        if (!flow_to(c, at, at, 1)) return false;
    }
    while (c->work_count > 0) {
        if (!flow_from(c, c->work[--c->work_count])) return false;
    }
    return true;
}

static bool check_rets(Check *c) {
    /*
     * Depths are at most 65535; the work list is no longer needed and serves as a set of jsr
     * depths.
     */
    uint8_t *seen = calloc((size_t)c->m->code->max_stack + 1, 1);
    bool ok = seen != NULL;
    if (!ok) c->err->status = VERIFY_NO_MEMORY;
    for (uint32_t bci = 0; ok && bci < c->len; bci++) {
        bool jsr = c->code[bci] == OPC_jsr || c->code[bci] == OPC_jsr_w;
        if (c->starts[bci] && jsr && c->depth[bci] != DEPTH_UNKNOWN) seen[c->depth[bci]] = 1;
    }
    for (uint32_t bci = 0; ok && bci < c->len; bci++) {
        if (c->starts[bci] && opcodes_at(c->code, bci) == OPC_ret && c->depth[bci] != DEPTH_UNKNOWN &&
            !seen[c->depth[bci]])
            ok = fail(c, bci, "Inconsistent stack depth at ret");
    }
    free(seen);
    return ok;
}

bool code_check(const ClassFile *cf, const ClassFileMethod *method, VerifyError *err) {
    err->status = VERIFY_OK;
    err->msg[0] = '\0';
    if (!method->code) return true;
    Check c = {.cf = cf, .m = method, .code = method->code->code, .len = method->code->code_len, .err = err};
    char *mem = malloc(c.len * (2 * sizeof(uint32_t) + 1));
    if (!mem) {
        err->status = VERIFY_NO_MEMORY;
        return false;
    }
    c.depth = (uint32_t *)mem;
    c.work = c.depth + c.len;
    c.starts = (uint8_t *)(c.work + c.len);
    memset(c.depth, 0xff, c.len * sizeof *c.depth);
    memset(c.starts, 0, c.len);
    bool ok = find_starts(&c) && check_handlers(&c);
    for (uint32_t bci = 0; ok && bci < c.len; bci++) ok = !c.starts[bci] || check_operands(&c, bci);
    ok = ok && check_depths(&c) && (!c.has_ret || check_rets(&c));
    free(mem);
    return ok;
}
