/*
 * Monitor depth: are monitors entered by monitorenter exited in pairs on every path, so that a
 * compiler can keep locked objects in slots numbered by depth?
 *
 * A handler is entered with the depths before the instructions that it covers and that can throw.
 * This accepts what compilers generate for `synchronized`: a handler that exits the monitor and
 * covers itself up to its monitorexit, and ranges that extend a little past it where nothing can
 * throw. Returns count as not throwing: they throw only in an unbalanced method. Exceptions that
 * leave the method must not leave a monitor entered. A monitorexit of a held monitor does not fail.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/opcodes.h"

#define UNKNOWN UINT32_MAX

typedef struct Locks {
    Flow *f;
    uint32_t *work; /* blocks with a new depth */
    uint32_t count;
    bool balanced;
} Locks;

static void flow_to(Locks *l, uint32_t b, uint32_t depth) {
    FlowBlock *k = &l->f->out->blocks[b];
    if (k->lock_depth == UNKNOWN) {
        k->lock_depth = depth;
        l->work[l->count++] = b;
    } else if (k->lock_depth != depth) {
        l->balanced = false;
    }
}

/* An instruction of block k throws at this depth. */
static void throw_at(Locks *l, const FlowBlock *k, uint32_t depth, bool may_escape) {
    const Flow *f = l->f;
    bool caught = false;
    for (uint32_t i = 0; i < k->handler_count; i++) {
        const FlowHandler *h = &f->out->handlers[k->first_handler + i];
        flow_to(l, h->block, depth);
        caught |= f->code->handlers[h->index].catch_type == 0;
    }
    if (depth > 0 && !caught && !may_escape) l->balanced = false;
}

static void follow(Locks *l, const FlowBlock *k) {
    const Flow *f = l->f;
    uint32_t depth = k->lock_depth, thrown_at = UNKNOWN;
    for (uint32_t bci = k->start; bci < k->end && l->balanced;) {
        unsigned op = opcodes_at(f->code->code, bci);
        unsigned flags = opcodes_info[op].flags;
        if ((flags & OPF_THROWS) && !(flags & OPF_RETURN) && depth != thrown_at) {
            throw_at(l, k, depth, op == OPC_monitorexit);
            /*
             * Another instruction at this depth adds nothing, unless this one was a monitorexit,
             * whose exceptions may escape.
             */
            thrown_at = op == OPC_monitorexit ? UNKNOWN : depth;
        }
        if (op == OPC_monitorenter) depth++;
        else if (op == OPC_monitorexit && depth-- == 0) l->balanced = false;
        if ((flags & OPF_RETURN) && depth != 0) l->balanced = false;
        bci += opcodes_length(f->code->code, f->code->code_len, bci);
    }
    for (uint32_t i = 0; i < k->succ_count; i++) flow_to(l, f->out->edges[k->first_succ + i], depth);
}

static void drain(Locks *l) {
    while (l->count > 0 && l->balanced) follow(l, &l->f->out->blocks[l->work[--l->count]]);
}

/* Handlers that cover only instructions that cannot throw are never entered: any depth will do. */
static void settle_unused_handlers(Locks *l) {
    const Dataflow *out = l->f->out;
    for (bool again = true; again && l->balanced;) {
        again = false;
        for (uint32_t i = 0; i < out->block_count; i++) {
            const FlowBlock *k = &out->blocks[out->order[i]];
            for (uint32_t h = 0; h < k->handler_count && k->lock_depth != UNKNOWN; h++) {
                uint32_t to = out->handlers[k->first_handler + h].block;
                if (out->blocks[to].lock_depth != UNKNOWN) continue;
                flow_to(l, to, k->lock_depth);
                drain(l);
                again = true;
            }
        }
    }
}

bool flow_locks(Flow *f) {
    Dataflow *out = f->out;
    out->balanced_locks = out->structured_locks = true;
    bool has_monitors = false;
    for (uint32_t bci = 0; bci < f->code->code_len && !has_monitors;) {
        has_monitors = opcodes_info[f->code->code[bci]].flags & OPF_MONITOR;
        bci += opcodes_length(f->code->code, f->code->code_len, bci);
    }
    if (!has_monitors) return true;
    Locks l = {.f = f, .balanced = true};
    l.work = malloc(out->block_count * sizeof *l.work);
    if (!l.work) return flow_fail(f, "out of memory");
    for (uint32_t i = 0; i < out->block_count; i++) out->blocks[i].lock_depth = UNKNOWN;
    flow_to(&l, 0, 0);
    drain(&l);
    settle_unused_handlers(&l);
    free(l.work);
    out->balanced_locks = l.balanced;
    out->structured_locks = false;
    for (uint32_t i = 0; i < out->block_count && !l.balanced; i++) out->blocks[i].lock_depth = 0;
    return !l.balanced || flow_held(f);
}
