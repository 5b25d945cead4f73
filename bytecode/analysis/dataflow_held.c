/*
 * Identity of held monitors: is each monitorexit proven to exit the monitor that was entered last
 * and is still held? If so, a method with balanced locks never leaves a monitor entered, and never
 * exits a monitor of its caller.
 *
 * A state says which slots hold the same value: local variables, the operand stack, and one slot
 * for each held monitor. At a block's entry each slot has a leader, the lowest slot that is known
 * to be equal to it. Where paths join, two slots stay equal if they are equal on each path, so
 * states only get finer and the passes terminate. Equality is only claimed for one moment, so a
 * loop that executes an instruction again needs no special treatment.
 *
 * Inside a block slots have numbers instead of leaders: equal numbers are equal values, and each
 * computed value gets a new number. A proof that would need too much memory counts as failed.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"

#define NONE UINT32_MAX
#define MAX_ENTRIES (UINT64_C(1) << 22)

typedef struct Held {
    Flow *f;
    uint32_t slots, stack, locks; /* number of slots; first slot of the operand stack; first slot of monitors */
    uint32_t *entry;              /* [blocks][slots] leaders */
    uint32_t *value;              /* [slots] at the current instruction */
    uint32_t *coming, *joined;    /* [slots] leaders of a state flowing to a block; joined with the block's entry */
    uint32_t *leader;             /* by number: its lowest slot, NONE between uses */
    uint32_t *work;               /* worklist of blocks, each at most once */
    bool *reached, *queued;       /* [blocks] */
    uint32_t count;               /* in work */
    uint32_t next;                /* the lowest unused number */
    uint32_t depth, held;         /* operand stack and monitors at the current instruction */
    bool ok;
} Held;

/* Joining states. */

/* Joins the leaders of the current state, in which operands from `depth` on are unknown, with a block's entry. */
static void flow_to(Held *h, uint32_t b, uint32_t depth) {
    uint32_t *entry = h->entry + (size_t)b * h->slots;
    bool changed = !h->reached[b];
    for (uint32_t i = 0; i < h->slots; i++) {
        bool used = i < h->stack + depth || (i >= h->locks && i < h->locks + h->held);
        uint32_t *first = &h->leader[h->value[i]];
        h->coming[i] = !used ? i : *first != NONE ? *first : (*first = i);
    }
    for (uint32_t i = 0; i < h->slots; i++) h->leader[h->value[i]] = NONE;
    for (uint32_t i = 0; i < h->slots; i++) {
        uint32_t j = h->coming[i];
        if (h->reached[b]) { /* the lowest slot that is equal to slot i in both states */
            if (j < entry[i]) j = entry[i];
            while (h->coming[j] != h->coming[i] || entry[j] != entry[i]) j++;
        }
        h->joined[i] = j;
        changed = changed || h->joined[i] != entry[i];
    }
    h->reached[b] = true;
    if (!changed) return;
    memcpy(entry, h->joined, h->slots * sizeof *entry);
    if (!h->queued[b]) h->work[h->count++] = b;
    h->queued[b] = true;
}

/* One instruction. */

static void push_value(Held *h, uint32_t value) { h->value[h->stack + h->depth++] = value; }

static void push_new(Held *h, char kind) {
    push_value(h, h->next++);
    if (kind == 'J' || kind == 'D') push_value(h, h->next++);
}

static void with_operand(Held *h, uint8_t op, uint32_t bci) {
    if (op == OPC_multianewarray) {
        h->depth -= h->f->code->code[bci + 3];
        push_new(h, 'L');
        return;
    }
    const char *desc = h->f->descriptor(h->f->descriptor_ctx, bci);
    if (opcodes_info[op].flags & OPF_INVOKE) {
        DescriptorIter it;
        DescriptorType t;
        const uint8_t *d = (const uint8_t *)desc;
        for (descriptor_begin(&it, d, (uint32_t)strlen(desc)); descriptor_next(&it, &t);)
            h->depth -= descriptor_slots(t.kind);
        h->depth -= op != OPC_invokestatic && op != OPC_invokedynamic;
        char result = descriptor_return_char(d, (uint32_t)strlen(desc));
        if (result != 'V') push_new(h, result);
        return;
    }
    if (op == OPC_putfield || op == OPC_putstatic) h->depth -= descriptor_slots(desc[0]);
    h->depth -= op == OPC_getfield || op == OPC_putfield;
    if (op != OPC_putfield && op != OPC_putstatic) push_new(h, desc[0]);
}

/* Loads and stores of references keep the value; others cannot hold a monitor's object. */
static void local_access(Held *h, uint8_t op, uint32_t index) {
    const char *effect = opcodes_info[op].effect;
    if (opcodes_info[op].flags & OPF_STORE && op != OPC_iinc) {
        bool wide = effect[0] == 'J' || effect[0] == 'D';
        for (uint32_t i = wide ? 2 : 1; i-- > 0;) h->value[index + i] = h->value[h->stack + --h->depth];
    } else if (opcodes_info[op].flags & OPF_LOAD && op != OPC_iinc && op != OPC_ret) {
        push_value(h, h->value[index]);
        if (effect[1] == 'J' || effect[1] == 'D') push_value(h, h->value[index + 1]);
    }
}

static void step(Held *h, uint8_t op, uint32_t bci) {
    const char *effect = opcodes_info[op].effect, *arrow = strchr(effect, '>');
    unsigned index;
    if (opcodes_local(h->f->code->code, bci, &index) != 0) {
        local_access(h, op, index);
    } else if (op == OPC_jsr || op == OPC_jsr_w) {
        push_new(h, 'L');
    } else if (strchr(effect, '*')) {
        with_operand(h, op, bci);
    } else if (effect[0] >= 'a' && effect[0] <= 'd') {
        uint32_t moved[4];
        for (const char *p = arrow; p > effect; p--) moved[p[-1] - 'a'] = h->value[h->stack + --h->depth];
        for (const char *p = arrow + 1; *p != '\0'; p++) push_value(h, moved[*p - 'a']);
    } else {
        for (const char *p = effect; p < arrow; p++) h->depth -= descriptor_slots(*p);
        for (const char *p = arrow + 1; *p != '\0'; p++) push_new(h, *p);
    }
}

/* Blocks. */

/*
 * The entry state may still get finer. A monitorexit that fails with these equalities also fails
 * with fewer.
 */
static void follow(Held *h, uint32_t b) {
    const Flow *f = h->f;
    const FlowBlock *k = &f->out->blocks[b];
    memcpy(h->value, h->entry + (size_t)b * h->slots, h->slots * sizeof *h->value);
    h->next = h->slots;
    h->depth = k->stack_depth;
    h->held = k->lock_depth;
    bool changed = true; /* since the state was last passed to the handlers */
    for (uint32_t bci = k->start; bci < k->end && h->ok;) {
        unsigned op = opcodes_at(f->code->code, bci);
        unsigned flags = opcodes_info[op].flags;
        if ((flags & OPF_THROWS) && !(flags & OPF_RETURN) && changed) {
            for (uint32_t i = 0; i < k->handler_count; i++) flow_to(h, f->out->handlers[k->first_handler + i].block, 0);
            changed = false;
        }
        if (flags & OPF_MONITOR) {
            /* The operand is still on the stack. Depths are known, because the locks are balanced. */
            uint32_t operand = h->value[h->stack + h->depth - 1];
            if (op == OPC_monitorenter) h->value[h->locks + h->held++] = operand;
            else if (h->value[h->locks + --h->held] != operand) h->ok = false;
        }
        changed |= (flags & (OPF_MONITOR | OPF_STORE)) != 0;
        step(h, op, bci);
        bci += opcodes_length(f->code->code, f->code->code_len, bci);
    }
    for (uint32_t i = 0; i < k->succ_count && h->ok; i++) flow_to(h, f->out->edges[k->first_succ + i], h->depth);
}

static void follow_all(Held *h) {
    for (uint32_t i = 0; i < h->slots; i++) h->value[i] = i;
    flow_to(h, 0, 0);
    while (h->count > 0 && h->ok) {
        uint32_t b = h->work[--h->count];
        h->queued[b] = false;
        follow(h, b);
    }
}

/* An upper bound of the monitors held at once: no block enters more than it has instructions. */
static uint32_t most_held(const Flow *f) {
    uint32_t most = 0;
    for (uint32_t b = 0; b < f->out->block_count; b++) {
        const FlowBlock *k = &f->out->blocks[b];
        uint32_t held = k->lock_depth;
        for (uint32_t bci = k->start; bci < k->end;) {
            uint8_t op = f->code->code[bci];
            held += op == OPC_monitorenter;
            most = held > most ? held : most;
            held -= op == OPC_monitorexit;
            bci += opcodes_length(f->code->code, f->code->code_len, bci);
        }
    }
    return most;
}

bool flow_held(Flow *f) {
    uint32_t blocks = f->out->block_count, numbers;
    Held h = {.f = f, .stack = f->out->max_locals, .locks = f->slots, .slots = f->slots + most_held(f), .ok = true};
    if ((uint64_t)blocks * h.slots > MAX_ENTRIES) return true;
    numbers = h.slots + 2 * f->code->code_len; /* an instruction creates at most two */
    h.entry = malloc((size_t)blocks * h.slots * sizeof *h.entry);
    h.value = malloc((3 * (size_t)h.slots + numbers + blocks) * sizeof *h.value);
    h.reached = calloc(2 * (size_t)blocks, sizeof *h.reached);
    bool room = h.entry && h.value && h.reached != NULL;
    if (room) {
        h.coming = h.value + h.slots;
        h.joined = h.coming + h.slots;
        h.leader = h.joined + h.slots;
        h.work = h.leader + numbers;
        h.queued = h.reached + blocks;
        memset(h.leader, 0xff, numbers * sizeof *h.leader);
        follow_all(&h);
        f->out->structured_locks = h.ok;
    }
    free(h.entry);
    free(h.value);
    free(h.reached);
    return room || flow_fail(f, "out of memory");
}
