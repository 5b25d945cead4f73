/*
 * The disassembler. Accepts any code array and any constant-pool index; what cannot be shown is
 * printed as illegal.
 */
#include "bytecode/classfile/disasm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bytecode/classfile/mutf8.h"
#include "bytecode/classfile/opcodes.h"

/* Bounded text under construction. */
typedef struct Text {
    char *buf;
    size_t cap, len;
} Text;

static void put(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(Text *t, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->buf + t->len, t->cap - t->len, fmt, args);
    va_end(args);
    if (n > 0) t->len += (size_t)n < t->cap - t->len ? (size_t)n : t->cap - t->len - 1;
}

static void put_name(Text *t, ClassFileUtf8 name) {
    t->len += mutf8_to_utf8(name.ptr, name.len, t->buf + t->len, t->cap - t->len);
}

/* String constants on one line: control characters and quotes escaped. */
static void put_string(Text *t, ClassFileUtf8 s) {
    char chars[128];
    size_t n = mutf8_to_utf8(s.ptr, s.len, chars, sizeof chars);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)chars[i];
        if (c == '\n') put(t, "\\n");
        else if (c == '\t') put(t, "\\t");
        else if (c == '\\' || c == '"') put(t, "\\%c", c);
        else if (c < 0x20 || c == 0x7f) put(t, "\\u%04x", c);
        else put(t, "%c", c);
    }
    if (n + 4 >= sizeof chars) put(t, "...");
}

static void put_ref(Text *t, const ClassFile *cf, uint16_t index, const char *kind) {
    put(t, "%s ", kind);
    put_name(t, classfile_ref_class(cf, index));
    put(t, ".");
    put_name(t, classfile_ref_name(cf, index));
    put(t, ":");
    put_name(t, classfile_ref_desc(cf, index));
}

static void put_dynamic(Text *t, const ClassFile *cf, uint16_t index, const char *kind) {
    put(t, "%s #%u:", kind, cf->cp[index].u.dyn.bsm_index);
    put_name(t, classfile_ref_name(cf, index));
    put(t, ":");
    put_name(t, classfile_ref_desc(cf, index));
}

static void put_handle(Text *t, const ClassFile *cf, const CpEntry *e) {
    static const char *const kinds[] = {"?",
                                        "REF_getField",
                                        "REF_getStatic",
                                        "REF_putField",
                                        "REF_putStatic",
                                        "REF_invokeVirtual",
                                        "REF_invokeStatic",
                                        "REF_invokeSpecial",
                                        "REF_newInvokeSpecial",
                                        "REF_invokeInterface"};
    put_ref(t, cf, e->u.ref_index, kinds[e->ref_kind <= REF_invokeInterface ? e->ref_kind : 0]);
}

static void put_constant(Text *t, const ClassFile *cf, uint16_t index) {
    if (index == 0 || index >= cf->cp_count) {
        put(t, "illegal index");
        return;
    }
    const CpEntry *e = &cf->cp[index];
    switch (e->tag) {
        case CP_UTF8: put_string(t, classfile_utf8(cf, index)); break;
        case CP_INTEGER: put(t, "int %" PRId32, e->u.i); break;
        case CP_FLOAT: put(t, "float %.9gf", (double)e->u.f); break;
        case CP_LONG: put(t, "long %" PRId64 "l", e->u.j); break;
        case CP_DOUBLE: put(t, "double %.17gd", e->u.d); break;
        case CP_CLASS:
            put(t, "class ");
            put_name(t, classfile_name_of(cf, index));
            break;
        case CP_STRING:
            put(t, "String \"");
            put_string(t, classfile_name_of(cf, index));
            put(t, "\"");
            break;
        case CP_FIELDREF: put_ref(t, cf, index, "Field"); break;
        case CP_METHODREF: put_ref(t, cf, index, "Method"); break;
        case CP_INTERFACE_METHODREF: put_ref(t, cf, index, "InterfaceMethod"); break;
        case CP_NAME_AND_TYPE:
            put(t, "NameAndType ");
            put_name(t, classfile_utf8(cf, e->u.nat.name_index));
            put(t, ":");
            put_name(t, classfile_utf8(cf, e->u.nat.desc_index));
            break;
        case CP_METHOD_HANDLE: put_handle(t, cf, e); break;
        case CP_METHOD_TYPE:
            put(t, "MethodType ");
            put_name(t, classfile_name_of(cf, index));
            break;
        case CP_DYNAMIC: put_dynamic(t, cf, index, "Dynamic"); break;
        case CP_INVOKE_DYNAMIC: put_dynamic(t, cf, index, "InvokeDynamic"); break;
        default: put(t, "illegal entry");
    }
}

/* Operands of the whole instruction at bci. */
static void put_operands(Text *t, const ClassFile *cf, const uint8_t *code, uint32_t bci) {
    static const char *const array_types[] = {"boolean", "char", "float", "double", "byte", "short", "int", "long"};
    const uint8_t *p = code + bci;
    const OpcodeInfo *info = &opcodes_info[*p];
    switch (info->format) {
        case OPFMT_S1: put(t, "%d", bytes_s1(p + 1)); break;
        case OPFMT_S2: put(t, "%d", bytes_s2(p + 1)); break;
        case OPFMT_LOCAL: put(t, "%u", p[1]); break;
        case OPFMT_IINC: put(t, "%u, %d", p[1], bytes_s1(p + 2)); break;
        case OPFMT_BR2:
        case OPFMT_BR4: put(t, "%" PRIu32, opcodes_branch_target(code, bci)); break;
        case OPFMT_TABLE:
        case OPFMT_LOOKUP: {
            OpcodeSwitch s = opcodes_switch(code, bci);
            put(t, "{");
            for (uint32_t i = 0; i < s.count && t->len + 1 < t->cap; i++)
                put(t, " %" PRId32 ": %" PRIu32 ",", opcodes_switch_key(&s, i), opcodes_switch_target(&s, i));
            put(t, " default: %" PRIu32 " }", opcodes_switch_target(&s, s.count));
            break;
        }
        case OPFMT_ATYPE: put(t, "%s", p[1] >= 4 && p[1] <= 11 ? array_types[p[1] - 4] : "illegal"); break;
        case OPFMT_WIDE: {
            put(t, "%s %u", opcodes_name(p[1]), bytes_u2(p + 2));
            if (p[1] == OPC_iinc) put(t, ", %d", bytes_s2(p + 4));
            break;
        }
        default: break;
    }
    if ((info->flags & OPF_CP) == 0) return;
    put(t, "#%u", opcodes_cp_index(code, bci));
    if (info->format == OPFMT_INVIF || info->format == OPFMT_MULTI) put(t, ", %u", p[3]);
    if (cf) {
        put(t, " // ");
        put_constant(t, cf, opcodes_cp_index(code, bci));
    }
}

uint32_t disasm_instruction(const ClassFile *cf, const uint8_t *code, uint32_t code_len, uint32_t bci, char *buf,
                            size_t cap) {
    Text t = {buf, cap, 0};
    uint32_t n = opcodes_length(code, code_len, bci);
    if (cap == 0) return n;
    buf[0] = '\0';
    if (n == 0) {
        if (bci < code_len) put(&t, "illegal %02x", code[bci]);
        else put(&t, "end of code");
        return 0;
    }
    const OpcodeInfo *info = &opcodes_info[code[bci]];
    if (info->length == 1) put(&t, "%s", info->name);
    else put(&t, "%-15s ", info->name);
    put_operands(&t, cf, code, bci);
    return n;
}

static void print_name(FILE *out, ClassFileUtf8 name) {
    char buf[512];
    mutf8_to_utf8(name.ptr, name.len, buf, sizeof buf);
    fputs(buf, out);
}

static void print_flags(FILE *out, uint16_t flags, bool method) {
    static const struct {
        uint16_t bit;
        const char *name;
        int where; /* 0: both, 1: fields, 2: methods */
    } rows[] = {{ACC_PUBLIC, "public", 0},     {ACC_PRIVATE, "private", 0},     {ACC_PROTECTED, "protected", 0},
                {ACC_STATIC, "static", 0},     {ACC_FINAL, "final", 0},         {ACC_SYNCHRONIZED, "synchronized", 2},
                {ACC_VOLATILE, "volatile", 1}, {ACC_TRANSIENT, "transient", 1}, {ACC_NATIVE, "native", 2},
                {ACC_ABSTRACT, "abstract", 2}, {ACC_STRICT, "strictfp", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((flags & rows[i].bit) != 0 && rows[i].where != (method ? 1 : 2)) fprintf(out, "%s ", rows[i].name);
    }
}

static void print_handlers(FILE *out, const ClassFile *cf, const ClassFileCode *code) {
    if (code->handler_count == 0) return;
    fprintf(out, "  Exception table:\n     from    to  target type\n");
    for (unsigned i = 0; i < code->handler_count; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        fprintf(out, "    %5u %5u %7u ", h->start_pc, h->end_pc, h->handler_pc);
        if (h->catch_type == 0) fprintf(out, "any");
        else print_name(out, classfile_name_of(cf, h->catch_type));
        fprintf(out, "\n");
    }
}

void disasm_method(FILE *out, const ClassFile *cf, const ClassFileMethod *method) {
    const ClassFileCode *code = method->code;
    fprintf(out, "  ");
    print_flags(out, method->access_flags, true);
    print_name(out, classfile_utf8(cf, method->name_index));
    print_name(out, classfile_utf8(cf, method->desc_index));
    fprintf(out, "\n");
    if (!code) return;
    fprintf(out, "  stack=%u, locals=%u, args_size=%u\n", code->max_stack, code->max_locals, method->arg_slots);
    char line[512];
    for (uint32_t bci = 0; bci < code->code_len;) {
        uint32_t n = disasm_instruction(cf, code->code, code->code_len, bci, line, sizeof line);
        fprintf(out, "    %5" PRIu32 ": %s\n", bci, line);
        if (n == 0) break;
        bci += n;
    }
    print_handlers(out, cf, code);
    if (code->line_count != 0) fprintf(out, "  LineNumberTable:\n");
    for (uint32_t i = 0; i < code->line_count; i++)
        fprintf(out, "    line %u: %u\n", code->lines[i].line, code->lines[i].start_pc);
}
