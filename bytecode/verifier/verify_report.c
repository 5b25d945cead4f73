/*
 * The wording of verification errors: place, reason, and the code. Appends to VerifyError.msg,
 * which never overflows. Allocates nothing.
 */
#include "bytecode/verifier/verify_internal.h"

#include <stdio.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/mutf8.h"
#include "bytecode/classfile/opcodes.h"

void verify_report_append(VerifyError *err, const char *fmt, ...) {
    size_t used = strlen(err->msg);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->msg + used, sizeof err->msg - used, fmt, args);
    va_end(args);
}

void verify_report_append_name(VerifyError *err, ClassFileUtf8 name) {
    size_t used = strlen(err->msg);
    mutf8_to_utf8(name.ptr, name.len, err->msg + used, sizeof err->msg - used);
}

void verify_report_begin(VerifyError *err, enum VerifyStatus status, const ClassFile *cf, const ClassFileMethod *m,
                         uint32_t bci, const char *fmt, va_list args) {
    err->status = status;
    err->method = (uint16_t)(m - cf->methods);
    err->bci = bci;
    vsnprintf(err->msg, sizeof err->msg, fmt, args);
}

void verify_report_location(VerifyError *err, const ClassFile *cf, const ClassFileMethod *m, uint32_t bci) {
    verify_report_append(err, "\nException Details:\n  Location:\n    ");
    verify_report_append_name(err, classfile_this_name(cf));
    verify_report_append(err, ".");
    verify_report_append_name(err, classfile_utf8(cf, m->name_index));
    verify_report_append_name(err, classfile_utf8(cf, m->desc_index));
    const char *insn = "<invalid>";
    if (bci < m->code->code_len) {
        insn = opcodes_info[m->code->code[bci]].name;
        if (!insn) insn = "<illegal>";
    }
    verify_report_append(err, " @%u: %s\n", bci, insn);
}

void verify_report_code(VerifyError *err, const ClassFileCode *code) {
    verify_report_append(err, "  Bytecode:");
    for (uint32_t i = 0; i < code->code_len && i < sizeof err->msg; i++) {
        if (i % 16 == 0) verify_report_append(err, "\n    %07x:", i);
        verify_report_append(err, i % 2 == 0 ? " %02x" : "%02x", code->code[i]);
    }
    unsigned last = code->code_len % 16; /* a short last row is padded with blanks */
    verify_report_append(err, "%*s\n", last == 0 ? 0 : 39 - (int)(last * 2 + (last - 1) / 2), "");
    if (code->handler_count == 0) return;
    verify_report_append(err, "  Exception Handler Table:\n");
    for (unsigned i = 0; i < code->handler_count && i < sizeof err->msg / 16; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        verify_report_append(err, "    bci [%u, %u] => handler: %u\n", h->start_pc, h->end_pc, h->handler_pc);
    }
}

static void append_dotted(VerifyError *err, const uint8_t *name, uint32_t len) {
    size_t used = strlen(err->msg);
    mutf8_to_utf8(name, len, err->msg + used, sizeof err->msg - used);
    for (char *c = err->msg + used; *c != '\0'; c++) {
        if (*c == '/') *c = '.';
    }
}

/* A type as the Java language writes it. */
static void append_type(VerifyError *err, const DescriptorType *t) {
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean", "void"};
    static const char letters[] = "BCDFIJSZV";
    const char *at = strchr(letters, t->element);
    if (t->element != 'L' && at) verify_report_append(err, "%s", names[at - letters]);
    else append_dotted(err, t->name, t->name_len);
    for (unsigned i = 0; i < t->dims; i++) verify_report_append(err, "[]");
}

void verify_report_in_method(VerifyError *err, const ClassFile *cf, const ClassFileMethod *m) {
    ClassFileUtf8 desc = classfile_utf8(cf, m->desc_index);
    ClassFileUtf8 owner = classfile_this_name(cf);
    DescriptorIter it;
    DescriptorType t;
    verify_report_append(err, " in method '");
    descriptor_begin(&it, desc.ptr, desc.len);
    if (descriptor_return(&it, &t)) append_type(err, &t);
    verify_report_append(err, " ");
    append_dotted(err, owner.ptr, owner.len);
    verify_report_append(err, ".");
    verify_report_append_name(err, classfile_utf8(cf, m->name_index));
    verify_report_append(err, "(");
    const char *separator = "";
    for (descriptor_begin(&it, desc.ptr, desc.len); descriptor_next(&it, &t);) {
        verify_report_append(err, "%s", separator);
        append_type(err, &t);
        separator = ", ";
    }
    verify_report_append(err, ")'");
}

/* The verifier's reports. */

static const char *kind_name(unsigned kind) {
    static const char *const names[] = {
        [VT_TOP] = "top",
        [VT_INT] = "integer",
        [VT_FLOAT] = "float",
        [VT_LONG] = "long",
        [VT_LONG2] = "long_2nd",
        [VT_DOUBLE] = "double",
        [VT_DOUBLE2] = "double_2nd",
        [VT_NULL] = "null",
        [VT_UNINIT_THIS] = "uninitializedThis",
        [VT_ANY_REF] = "reference type",
        [VT_CAT1] = "category1 type",
        [VT_CAT2] = "category2 type",
        [VT_CAT2_2ND] = "category2_2nd type",
        [VT_BOOLEAN] = "boolean",
        [VT_BYTE] = "byte",
        [VT_CHAR] = "char",
        [VT_SHORT] = "short",
    };
    return names[kind];
}

static void append_vtype(Verifier *v, VType t) {
    VerifyError *err = v->err;
    if (vtype_kind(t) == VT_UNINIT) {
        verify_report_append(err, "uninitialized %u", vtype_payload(t));
        return;
    }
    if (vtype_kind(t) != VT_REF) {
        verify_report_append(err, "%s", kind_name(vtype_kind(t)));
        return;
    }
    const VerifyName *n = &v->names.list[vtype_payload(t)];
    verify_report_append(err, "'");
    for (unsigned i = 0; i < n->dims; i++) verify_report_append(err, "[");
    if (n->dims != 0) verify_report_append(err, "%c", n->element);
    verify_report_append_name(err, (ClassFileUtf8){n->ptr, n->len});
    verify_report_append(err, n->dims != 0 && n->element == 'L' ? ";'" : "'");
}

static void append_origin(Verifier *v, VerifyOrigin o) {
    append_vtype(v, o.type);
    switch (o.kind) {
        case ORIGIN_LOCAL: verify_report_append(v->err, " (current frame, locals[%u])", o.index); break;
        case ORIGIN_STACK: verify_report_append(v->err, " (current frame, stack[%u])", o.index); break;
        case ORIGIN_MAP_LOCAL: verify_report_append(v->err, " (stack map, locals[%u])", o.index); break;
        case ORIGIN_MAP_STACK: verify_report_append(v->err, " (stack map, stack[%u])", o.index); break;
        case ORIGIN_CP: verify_report_append(v->err, " (constant pool %u)", o.index); break;
        case ORIGIN_SIGNATURE: verify_report_append(v->err, " (from method signature)"); break;
        case ORIGIN_NONE:
        case ORIGIN_IMPLIED: break;
    }
}

static void append_types(Verifier *v, const char *what, const VType *types, uint32_t count) {
    verify_report_append(v->err, "    %s: {", what);
    for (uint32_t i = 0; i < count && i < sizeof v->err->msg; i++) {
        verify_report_append(v->err, i == 0 ? " " : ", ");
        append_vtype(v, types[i]);
    }
    verify_report_append(v->err, " }\n");
}

static void append_frame(Verifier *v, const char *title, const VerifyFrame *f) {
    if (!f) return;
    uint32_t depth = f == &v->now ? v->mark : f->stack_count;
    verify_report_append(v->err, "  %s Frame:\n    bci: @%u\n    flags: { %s}\n", title, f->bci,
                         f->this_uninit ? "flagThisUninit " : "");
    append_types(v, "locals", f->locals, f->local_count);
    append_types(v, "stack", f->stack, depth);
}

static void begin(Verifier *v, uint32_t bci, const char *fmt, va_list args) {
    verify_report_begin(v->err, VERIFY_FAILED, v->cf, v->m, bci, fmt, args);
    verify_report_location(v->err, v->cf, v->m, bci);
    verify_report_append(v->err, "  Reason:\n    ");
}

static _Noreturn void finish(Verifier *v, const VerifyFrame *now, const VerifyFrame *map) {
    append_frame(v, "Current", now);
    append_frame(v, "Stackmap", map);
    verify_report_code(v->err, v->code);
    longjmp(v->out, 1);
}

_Noreturn void verify_fail_type(Verifier *v, uint32_t bci, VerifyOrigin is, VerifyOrigin wanted, const VerifyFrame *now,
                                const VerifyFrame *map, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    begin(v, bci, fmt, args);
    va_end(args);
    verify_report_append(v->err, wanted.kind == ORIGIN_NONE ? "Invalid type: " : "Type ");
    append_origin(v, is);
    if (wanted.kind != ORIGIN_NONE) {
        verify_report_append(v->err, " is not assignable to ");
        append_origin(v, wanted);
    }
    verify_report_append(v->err, "\n");
    finish(v, now, map);
}

_Noreturn void verify_fail_reason(Verifier *v, uint32_t bci, const char *reason, const VerifyFrame *now,
                                  const VerifyFrame *map, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    begin(v, bci, fmt, args);
    va_end(args);
    verify_report_append(v->err, "%s\n", reason);
    finish(v, now, map);
}

_Noreturn void verify_fail_format(Verifier *v, bool in_method, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    verify_report_begin(v->err, VERIFY_FORMAT, v->cf, v->m, 0, fmt, args);
    va_end(args);
    if (in_method) verify_report_in_method(v->err, v->cf, v->m);
    longjmp(v->out, 1);
}

_Noreturn void verify_fail_status(Verifier *v, enum VerifyStatus status) {
    v->err->status = status;
    v->err->msg[0] = '\0';
    longjmp(v->out, 1);
}

const char *verify_error_class(enum VerifyStatus status) {
    switch (status) {
        case VERIFY_FAILED: return "java/lang/VerifyError";
        case VERIFY_FORMAT: return "java/lang/ClassFormatError";
        case VERIFY_NO_MEMORY: return "java/lang/OutOfMemoryError";
        case VERIFY_OK:
        case VERIFY_PENDING: break;
    }
    return "";
}
