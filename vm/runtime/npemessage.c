// Helpful NullPointerException messages (vm/runtime/npemessage.h).
//
// A small abstract interpretation. For each instruction it computes the operand stack, as a list of the instructions
// that pushed each slot, or UNKNOWN where paths disagree; and the set of locals that may have been written, to
// distinguish parameters from other variables. From the failing instruction, the null reference's slot leads to the
// instruction that pushed it, and so on: "because "a.b[i].c" is null".
//
// The analysis walks the code in order, repeatedly, until every instruction has a state or nothing changes.
// Instructions that were already walked are not walked again, so a value that differs on a backedge keeps its first
// source. Texts and limits are HotSpot's, since programs print them.
#include "vm/runtime/npemessage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

enum {
    UNKNOWN = -1,
    MAX_DETAIL = 5,        // maximum nesting of described expressions
    MAX_STATES = 1000000,  // limit of recorded slots
    NO_NULL = -1,          // the instruction dereferences nothing
};

typedef struct State {
    int32_t depth;
    uint64_t written;  // locals 0..63 stored to
    int32_t source[];  // bci that pushed the slot, bottom first; or UNKNOWN
} State;

typedef struct Analysis {
    Class *cls;
    const Method *m;
    const ClassFileCode *code;
    State **states;  // [code_len]
    int64_t recorded;
    bool complete, progress, failed;
    FILE *out;
} Analysis;

// ---- states --------------------------------------------------------------------------------------

static State *new_state(const Analysis *a) {
    return calloc(1, sizeof(State) + ((size_t)a->code->max_stack + 2) * sizeof(int32_t));
}

static void push(const Analysis *a, State *s, int32_t source, int slots) {
    for (; slots > 0 && s->depth < a->code->max_stack + 2; slots--) s->source[s->depth++] = source;
}

static void pop(State *s, int slots) { s->depth = slots > s->depth ? 0 : s->depth - slots; }

// Joins `s` into the state at `bci`.
static void merge(Analysis *a, uint32_t bci, const State *s) {
    if (bci >= a->code->code_len) return;
    State *known = a->states[bci];
    if (!known) {
        known = a->states[bci] = new_state(a);
        if (!known || (a->recorded += s->depth + 1) > MAX_STATES) {
            a->failed = true;
            return;
        }
        memcpy(known, s, sizeof *s + (size_t)s->depth * sizeof(int32_t));
        a->progress = true;
        return;
    }
    known->written |= s->written;
    for (int32_t i = 0; i < s->depth && i < known->depth; i++)
        if (known->source[i] != s->source[i]) known->source[i] = UNKNOWN;
}

// ---- one instruction -----------------------------------------------------------------------------

static const uint8_t *text_of(const Symbol *s) { return (const uint8_t *)s->text; }

static int field_slots(const Analysis *a, int index) {
    return (int)descriptor_slots(cp_ref_desc(a->cls, index)->text[0]);
}

static int argument_slots(const Analysis *a, int index) {
    const Symbol *desc = cp_ref_desc(a->cls, index);
    return (int)descriptor_arg_slots(text_of(desc), desc->length);
}

// pop, dup, swap and similar: their effect names slots a b c d.
static void shuffle(const Analysis *a, State *s, const char *effect) {
    int32_t taken[4];
    const char *p = effect;
    int n = (int)strcspn(effect, ">");
    for (int i = 0; i < n; i++) {
        int at = s->depth - n + i;
        taken[p[i] - 'a'] = at < 0 ? UNKNOWN : s->source[at];
    }
    pop(s, n);
    for (p = effect + n + 1; *p; p++) push(a, s, taken[*p - 'a'], 1);
}

static void simulate(const Analysis *a, State *s, uint32_t bci) {
    const uint8_t *code = a->code->code;
    unsigned local, slots;
    unsigned op = opcodes_at(code, bci);
    const OpcodeInfo *info = &opcodes_info[op];
    int cp = info->flags & OPF_CP ? opcodes_cp_index(code, bci) : 0;
    const char *p = info->effect;
    if ((info->flags & OPF_STORE) && (slots = opcodes_local(code, bci, &local)) != 0)
        for (unsigned i = local; i < local + slots && i < 64; i++) s->written |= UINT64_C(1) << i;
    switch (op) {
        case OPC_checkcast:  // the value keeps its source
            return;
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: {
            int tag = cp_tag(a->cls, cp);
            if (tag == CP_DYNAMIC) push(a, s, (int32_t)bci, field_slots(a, cp));
            else push(a, s, (int32_t)bci, tag == CP_LONG || tag == CP_DOUBLE ? 2 : 1);
            return;
        }
        case OPC_getstatic: push(a, s, (int32_t)bci, field_slots(a, cp)); return;
        case OPC_putstatic: pop(s, field_slots(a, cp)); return;
        case OPC_getfield:
            pop(s, 1);
            push(a, s, (int32_t)bci, field_slots(a, cp));
            return;
        case OPC_putfield: pop(s, 1 + field_slots(a, cp)); return;
        case OPC_invokevirtual:
        case OPC_invokespecial:
        case OPC_invokeinterface:
            pop(s, 1);
            // fall through
        case OPC_invokestatic:
        case OPC_invokedynamic: {
            const Symbol *desc = cp_ref_desc(a->cls, cp);
            pop(s, argument_slots(a, cp));
            push(a, s, (int32_t)bci, (int)descriptor_slots(descriptor_return_char(text_of(desc), desc->length)));
            return;
        }
        case OPC_multianewarray:
            pop(s, code[bci + 3]);
            push(a, s, (int32_t)bci, 1);
            return;
        default:
            if (*p >= 'a' && *p <= 'd') {
                shuffle(a, s, p);
                return;
            }
            for (; *p != '>'; p++) pop(s, *p == 'J' || *p == 'D' ? 2 : 1);
            for (p++; *p; p++) push(a, s, (int32_t)bci, *p == 'J' || *p == 'D' ? 2 : 1);
    }
}

static void follow(Analysis *a, const State *after, uint32_t bci, uint32_t length) {
    const uint8_t *code = a->code->code;
    uint8_t op = code[bci];
    uint16_t flags = opcodes_info[op].flags;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch sw = opcodes_switch(code, bci);
        for (uint32_t i = 0; i <= sw.count; i++) merge(a, opcodes_switch_target(&sw, i), after);
    } else if (flags & OPF_BRANCH) {
        merge(a, opcodes_branch_target(code, bci), after);
    }
    bool is_ret = op == OPC_ret || (op == OPC_wide && code[bci + 1] == OPC_ret);
    if (!(flags & OPF_STOP) && !is_ret && op != OPC_jsr && op != OPC_jsr_w) merge(a, bci + length, after);
}

// ---- the analysis --------------------------------------------------------------------------------

static void walk_once(Analysis *a, int bci) {
    State *scratch = new_state(a);
    a->failed = a->failed || !scratch;
    for (uint32_t i = 0; i < a->code->code_len && !a->failed;) {
        uint32_t length = opcodes_length(a->code->code, a->code->code_len, i);
        const State *before = a->states[i];
        if (length == 0) {
            a->failed = true;
        } else if (!before) {
            a->complete = false;
        } else {
            memcpy(scratch, before, sizeof *before + (size_t)before->depth * sizeof(int32_t));
            simulate(a, scratch, i);
            follow(a, scratch, i, length);
        }
        i += length;
        if (i == (uint32_t)bci && a->states[i]) {
            a->complete = true;
            break;
        }
    }
    free(scratch);
}

static void analyse(Analysis *a, int bci) {
    State *start = new_state(a);
    if (!start || !(a->states = calloc(a->code->code_len, sizeof *a->states))) {
        a->failed = true;
        free(start);
        return;
    }
    merge(a, 0, start);
    for (uint16_t i = 0; i < a->code->handler_count; i++) {
        start->depth = 0;
        push(a, start, a->code->handlers[i].handler_pc, 1);
        merge(a, a->code->handlers[i].handler_pc, start);
    }
    free(start);
    do {
        a->complete = true;
        a->progress = false;
        walk_once(a, bci);
    } while (!a->complete && a->progress && !a->failed);
}

// Depth below the top of stack of the reference that `bci` dereferences.
static int null_slot(const Analysis *a, int bci) {
    uint8_t op = a->code->code[bci];
    switch (op) {
        case OPC_getfield:
        case OPC_arraylength:
        case OPC_athrow:
        case OPC_monitorenter:
        case OPC_monitorexit: return 0;
        case OPC_iaload:
        case OPC_laload:
        case OPC_faload:
        case OPC_daload:
        case OPC_aaload:
        case OPC_baload:
        case OPC_caload:
        case OPC_saload: return 1;
        case OPC_iastore:
        case OPC_fastore:
        case OPC_aastore:
        case OPC_bastore:
        case OPC_castore:
        case OPC_sastore: return 2;
        case OPC_lastore:
        case OPC_dastore: return 3;
        case OPC_putfield: return field_slots(a, opcodes_cp_index(a->code->code, (uint32_t)bci));
        case OPC_invokevirtual:
        case OPC_invokespecial:
        case OPC_invokeinterface: {
            int cp = opcodes_cp_index(a->code->code, (uint32_t)bci);
            // A constructor's receiver is never null, because `new` creates it.
            if (cp_ref_name(a->cls, cp) == SYMS(object_initializer)) return NO_NULL;
            return argument_slots(a, cp);
        }
        default: return NO_NULL;
    }
}

// ---- names ---------------------------------------------------------------------------------------

// A descriptor's type as in source code; String and Object without their package.
static void print_type(FILE *out, const DescriptorType *type) {
    static const struct {
        char code;
        const char *name;
    } primitives[] = {
        {'Z', "boolean"}, {'B', "byte"},  {'C', "char"},   {'S', "short"}, {'I', "int"},
        {'J', "long"},    {'F', "float"}, {'D', "double"}, {'V', "void"},
    };
    if (type->element != 'L') {
        for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++)
            if (primitives[i].code == type->element) fputs(primitives[i].name, out);
    } else {
        const char *name = (const char *)type->name;
        uint32_t len = type->name_len;
        // HotSpot compares these two as prefixes.
        if (len >= 16 && (memcmp(name, "java/lang/Object", 16) == 0 || memcmp(name, "java/lang/String", 16) == 0))
            name += 10, len -= 10;
        for (uint32_t i = 0; i < len; i++) fputc(name[i] == '/' ? '.' : name[i], out);
    }
    for (uint16_t i = 0; i < type->dims; i++) fputs("[]", out);
}

static void print_class(FILE *out, const Symbol *name) {
    if (name == SYMS(java_lang_Object)) {
        fputs("Object", out);
    } else if (name == SYMS(java_lang_String)) {
        fputs("String", out);
    } else {
        for (const char *p = name->text; *p; p++) fputc(*p == '/' ? '.' : *p, out);
    }
}

static void print_method(const Analysis *a, int cp) {
    const Symbol *desc = cp_ref_desc(a->cls, cp);
    print_class(a->out, cp_ref_class_name(a->cls, cp));
    fprintf(a->out, ".%s(", cp_ref_name(a->cls, cp)->text);
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, text_of(desc), desc->length);
    for (int i = 0; descriptor_next(&it, &type); i++) {
        if (i != 0) fputs(", ", a->out);
        print_type(a->out, &type);
    }
    fputc(')', a->out);
}

// Number (from 1) of the parameter in local `slot`, or 0.
static int parameter_at(const Method *m, unsigned slot) {
    unsigned at = method_is_static(m) ? 0 : 1;
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, text_of(m->desc), m->desc->length);
    for (int number = 1; descriptor_next(&it, &type); number++) {
        if (slot >= at && slot < at + type.slots) return number;
        at += type.slots;
    }
    return 0;
}

// A local loaded at `bci` for the instruction at `user`. Like in HotSpot, a local that was stored to before `user`
// counts as written, even if the store follows the load.
static void print_local(const Analysis *a, uint32_t bci, uint32_t user, unsigned slot) {
    const ClassFileCode *code = a->code;
    for (uint32_t i = 0; i < code->local_count; i++) {
        const ClassFileLocal *l = &code->locals[i];
        if (l->slot != slot || bci < l->start_pc || bci >= (uint32_t)l->start_pc + l->length) continue;
        fputs(cp_utf8(a->cls, l->name_index)->text, a->out);
        return;
    }
    bool written = slot < 64 && (a->states[user]->written >> slot & 1);
    int parameter = parameter_at(a->m, slot);
    if (!method_is_static(a->m) && slot == 0 && !written) fputs("this", a->out);
    else if (parameter != 0 && !written) fprintf(a->out, "<parameter%d>", parameter);
    else fprintf(a->out, "<local%u>", slot);
}

// ---- the message ---------------------------------------------------------------------------------

static void print_action(const Analysis *a, int bci) {
    static const char *const elements[] = {"int", "long", "float", "double", "object", "byte/boolean", "char", "short"};
    uint8_t op = a->code->code[bci];
    int cp = opcodes_info[op].flags & OPF_CP ? opcodes_cp_index(a->code->code, (uint32_t)bci) : 0;
    if (op >= OPC_iaload && op <= OPC_saload) {
        fprintf(a->out, "Cannot load from %s array", elements[op - OPC_iaload]);
    } else if (op >= OPC_iastore && op <= OPC_sastore) {
        fprintf(a->out, "Cannot store to %s array", elements[op - OPC_iastore]);
    } else if (op == OPC_arraylength) {
        fputs("Cannot read the array length", a->out);
    } else if (op == OPC_athrow) {
        fputs("Cannot throw exception", a->out);
    } else if (op == OPC_monitorenter) {
        fputs("Cannot enter synchronized block", a->out);
    } else if (op == OPC_monitorexit) {
        fputs("Cannot exit synchronized block", a->out);
    } else if (op == OPC_getfield || op == OPC_putfield) {
        fprintf(a->out, "Cannot %s field \"%s\"", op == OPC_getfield ? "read" : "assign",
                cp_ref_name(a->cls, cp)->text);
    } else {
        fputs("Cannot invoke \"", a->out);
        print_method(a, cp);
        fputc('"', a->out);
    }
}

static bool is_call(uint8_t op) { return op >= OPC_invokevirtual && op <= OPC_invokeinterface; }

static bool print_source(const Analysis *a, uint32_t bci, int slot, int detail, bool inner);

// Prints the expression that the instruction at `bci` pushed for the one at `user`. False: it cannot be named.
static bool print_expression(const Analysis *a, uint32_t bci, uint32_t user, int detail, bool inner) {
    const uint8_t *code = a->code->code;
    unsigned op = opcodes_at(code, bci);
    int cp = opcodes_info[op].flags & OPF_CP ? opcodes_cp_index(code, bci) : 0;
    unsigned local;
    if (opcodes_info[op].flags & OPF_LOAD && !(opcodes_info[op].flags & OPF_STORE)) {
        opcodes_local(code, bci, &local);
        print_local(a, bci, user, local);
    } else if (op == OPC_aconst_null) {
        fputs("null", a->out);
    } else if (op >= OPC_iconst_m1 && op <= OPC_iconst_5) {
        fprintf(a->out, "%d", op - OPC_iconst_0);
    } else if (op == OPC_bipush) {
        fprintf(a->out, "%d", bytes_s1(code + bci + 1));
    } else if (op == OPC_sipush) {
        fprintf(a->out, "%d", bytes_s2(code + bci + 1));
    } else if (op == OPC_getstatic) {
        print_class(a->out, cp_ref_class_name(a->cls, cp));
        fprintf(a->out, ".%s", cp_ref_name(a->cls, cp)->text);
    } else if (op == OPC_getfield) {
        if (print_source(a, bci, 0, detail - 1, inner)) fputc('.', a->out);
        fputs(cp_ref_name(a->cls, cp)->text, a->out);
    } else if (is_call(op)) {
        print_method(a, cp);
    } else if (op >= OPC_iaload && op <= OPC_saload) {
        if (!print_source(a, bci, 1, detail - 1, inner)) fputs("<array>", a->out);
        fputc('[', a->out);
        if (!print_source(a, bci, 0, detail, true)) fputs("...", a->out);
        fputc(']', a->out);
    } else {
        return false;
    }
    return true;
}

// Prints the source of the slot `slot` below the top before the instruction at `bci`.
static bool print_source(const Analysis *a, uint32_t bci, int slot, int detail, bool inner) {
    const State *s = a->states[bci];
    if (detail <= 0 || !s || slot >= s->depth) return false;
    int32_t source = s->source[s->depth - 1 - slot];
    return source != UNKNOWN && print_expression(a, (uint32_t)source, bci, detail, inner);
}

// Prints " because ..." unless the source has no name, and therefore uses a buffer first.
static void print_cause(Analysis *a, int bci, int slot) {
    const State *s = a->states[bci];
    int32_t source = !s || slot >= s->depth ? UNKNOWN : s->source[s->depth - 1 - slot];
    char *text = NULL;
    size_t size = 0;
    FILE *out = a->out;
    if (source == UNKNOWN || !(a->out = open_memstream(&text, &size))) {
        a->out = out;
        return;
    }
    bool named = print_expression(a, (uint32_t)source, (uint32_t)bci, MAX_DETAIL, false);
    fclose(a->out);
    a->out = out;
    if (named)
        fprintf(out, " because %s\"%s\" is null", is_call(a->code->code[source]) ? "the return value of " : "", text);
    free(text);
}

char *npe_message(const Method *m, int bci) {
    if (!m->info || !m->info->code || bci < 0 || (uint32_t)bci >= m->info->code->code_len) return NULL;
    Analysis a = {.cls = m->cls, .m = m, .code = m->info->code};
    char *text = NULL;
    size_t size = 0;
    int slot = null_slot(&a, bci);
    if (slot == NO_NULL || !(a.out = open_memstream(&text, &size))) return NULL;
    print_action(&a, bci);
    analyse(&a, bci);
    if (!a.failed) print_cause(&a, bci, slot);
    for (uint32_t i = 0; a.states && i < a.code->code_len; i++) free(a.states[i]);
    free(a.states);
    fclose(a.out);
    return text;
}
