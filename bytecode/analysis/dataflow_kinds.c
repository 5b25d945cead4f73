/*
 * Kinds of values through one block: executes its instructions on kinds instead of values. Rejects
 * inconsistent kinds, so that a compiler never sees an int used as a reference, even in unverified
 * classes; it ignores the classes of references.
 *
 * Contract: f->cell, f->depth hold the state at the block's beginning, and afterwards that at its
 * end. f->thrown is then the join of the locals before each of its instructions, which is the state
 * at a handler.
 */
#include <string.h>

#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"

/* The kind of a field's or constant's descriptor, or of a letter of an opcode's effect. */
static uint8_t kind_of(char c) {
    switch (c) {
        case 'J': return KIND_LONG;
        case 'F': return KIND_FLOAT;
        case 'D': return KIND_DOUBLE;
        case 'L':
        case '[':
        case 'A': return KIND_REF;
        default: return KIND_INT;
    }
}

static bool is_wide(uint8_t kind) { return kind == KIND_LONG || kind == KIND_DOUBLE; }

static bool bad(Flow *f, const char *what) { return flow_fail(f, "%s at %u", what, f->bci); }

static bool push_cell(Flow *f, uint8_t cell) {
    if (f->depth == f->out->max_stack) return bad(f, "operand stack overflow");
    f->cell[f->out->max_locals + f->depth++] = cell;
    return true;
}

static bool push(Flow *f, uint8_t kind) { return push_cell(f, kind) && (!is_wide(kind) || push_cell(f, KIND_UPPER)); }

static bool pop_cell(Flow *f, uint8_t *cell) {
    if (f->depth == 0) return bad(f, "operand stack underflow");
    *cell = f->cell[f->out->max_locals + --f->depth];
    return true;
}

static bool pop(Flow *f, uint8_t kind) {
    uint8_t upper = KIND_UPPER, cell = KIND_DEAD;
    if (is_wide(kind) && !pop_cell(f, &upper)) return false;
    if (!pop_cell(f, &cell)) return false;
    return (cell == kind && upper == KIND_UPPER) || bad(f, "operand of the wrong kind");
}

/* Locals. */

static void set_local(Flow *f, uint32_t index, uint8_t cell) {
    uint32_t last = f->out->max_locals - 1;
    if (f->cell[index] == KIND_UPPER && index > 0) f->cell[index - 1] = KIND_DEAD;
    if (is_wide(f->cell[index]) && index < last) f->cell[index + 1] = KIND_DEAD;
    f->cell[index] = cell;
}

static bool store(Flow *f, uint32_t index, uint8_t kind, bool last) {
    uint8_t cell = kind;
    if (kind == KIND_REF) { /* astore accepts return addresses too */
        if (!pop_cell(f, &cell)) return false;
        if (cell != KIND_REF && cell < FLOW_SITE) return bad(f, "operand of the wrong kind");
    } else if (!pop(f, kind)) {
        return false;
    }
    set_local(f, index, cell);
    if (is_wide(kind)) {
        set_local(f, index + 1, KIND_UPPER);
        f->cell[index] = kind;
    }
    if (last || !f->covered) return true;
    for (uint32_t i = index > 0 ? index - 1 : 0; i <= index + 2 && i < f->out->max_locals; i++) {
        if (f->thrown[i] != f->cell[i]) f->thrown[i] = KIND_DEAD;
    }
    return true;
}

/* Loads, stores and iinc; ret reads the return address in flow_blocks. */
static bool local_access(Flow *f, uint8_t op, uint32_t index, bool last) {
    const char *effect = opcodes_info[op].effect;
    if (op == OPC_iinc) return f->cell[index] == KIND_INT || bad(f, "local variable of the wrong kind");
    if (op == OPC_ret) return f->cell[index] >= FLOW_SITE || bad(f, "no return address in the local variable");
    if (opcodes_info[op].flags & OPF_STORE) return store(f, index, kind_of(effect[0]), last);
    uint8_t kind = kind_of(effect[1]);
    if (f->cell[index] != kind || (is_wide(kind) && f->cell[index + 1] != KIND_UPPER))
        return bad(f, "local variable of the wrong kind");
    return push(f, kind);
}

/* Operand stack. */

/*
 * pop, dup...: they may not separate the halves of a pair. Only the cells near the top can be
 * wrong.
 */
static bool pairs_whole(Flow *f) {
    const uint8_t *stack = f->cell + f->out->max_locals;
    for (uint32_t i = f->depth > 7 ? f->depth - 7 : 0; i < f->depth; i++) {
        if (stack[i] == KIND_UPPER && (i == 0 || !is_wide(stack[i - 1]))) return bad(f, "half of a long or double");
        if (is_wide(stack[i]) && (i + 1 == f->depth || stack[i + 1] != KIND_UPPER))
            return bad(f, "half of a long or double");
    }
    return true;
}

static bool shuffle(Flow *f, const char *effect) {
    uint8_t moved[4];
    const char *arrow = strchr(effect, '>');
    for (const char *p = arrow; p > effect; p--) {
        if (!pop_cell(f, &moved[p[-1] - 'a'])) return false;
    }
    for (const char *p = arrow + 1; *p != '\0'; p++) {
        if (!push_cell(f, moved[*p - 'a'])) return false;
    }
    return pairs_whole(f);
}

static bool pop_arguments(Flow *f, const uint8_t *desc, uint32_t len) {
    uint8_t kinds[DESCRIPTOR_MAX_ARG_SLOTS];
    uint32_t count = 0;
    DescriptorIter it;
    DescriptorType t;
    for (descriptor_begin(&it, desc, len); descriptor_next(&it, &t);) {
        if (count == DESCRIPTOR_MAX_ARG_SLOTS) return bad(f, "too many arguments");
        kinds[count++] = kind_of(t.kind);
    }
    while (count > 0) {
        if (!pop(f, kinds[--count])) return false;
    }
    return true;
}

/* Instructions whose effect depends on their operand. */
static bool with_operand(Flow *f, uint8_t op) {
    if (op == OPC_multianewarray) {
        for (unsigned dims = f->code->code[f->bci + 3]; dims > 0; dims--) {
            if (!pop(f, KIND_INT)) return false;
        }
        return push(f, KIND_REF);
    }
    const char *desc = f->descriptor(f->descriptor_ctx, f->bci);
    if (!desc) return bad(f, "no descriptor for the instruction");
    if (opcodes_info[op].flags & OPF_INVOKE) {
        const uint8_t *d = (const uint8_t *)desc;
        uint32_t len = (uint32_t)strlen(desc);
        if (!pop_arguments(f, d, len)) return false;
        if (op != OPC_invokestatic && op != OPC_invokedynamic && !pop(f, KIND_REF)) return false;
        char result = descriptor_return_char(d, len);
        return result == 'V' || push(f, kind_of(result));
    }
    if ((op == OPC_putfield || op == OPC_putstatic) && !pop(f, kind_of(desc[0]))) return false;
    if ((op == OPC_getfield || op == OPC_putfield) && !pop(f, KIND_REF)) return false;
    return op == OPC_putfield || op == OPC_putstatic || push(f, kind_of(desc[0]));
}

static bool operands(Flow *f, const char *effect) {
    const char *arrow = strchr(effect, '>');
    for (const char *p = arrow; p > effect; p--) {
        if (!pop(f, kind_of(p[-1]))) return false;
    }
    for (const char *p = arrow + 1; *p != '\0'; p++) {
        if (!push(f, kind_of(*p))) return false;
    }
    return true;
}

static bool step(Flow *f, bool last) {
    unsigned op = opcodes_at(f->code->code, f->bci);
    const char *effect = opcodes_info[op].effect;
    unsigned index;
    if (opcodes_local(f->code->code, f->bci, &index) != 0) return local_access(f, op, index, last);
    if (op == OPC_jsr || op == OPC_jsr_w) {
        uint32_t after = f->cfg->block_at[f->bci] + 1;
        uint32_t i = 0;
        while (f->site_block[i] != after) i++;
        return push_cell(f, (uint8_t)(FLOW_SITE + i));
    }
    if (strchr(effect, '*')) return with_operand(f, op);
    if (effect[0] >= 'a' && effect[0] <= 'd') return shuffle(f, effect);
    return operands(f, effect);
}

bool flow_interpret(Flow *f, uint32_t start, uint32_t end) {
    if (f->covered) memcpy(f->thrown, f->cell, f->out->max_locals);
    for (uint32_t bci = start; bci < end;) {
        uint32_t next = bci + opcodes_length(f->code->code, f->code->code_len, bci);
        f->bci = bci;
        if (!step(f, next >= end)) return false;
        bci = next;
    }
    return true;
}
