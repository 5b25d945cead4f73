/*
 * The driver of the dataflow analysis: its passes in order, and the results. The opening comment of
 * each file describes its pass (see dataflow_internal.h).
 *
 * All memory comes from malloc. Analyses share nothing, so any number may run concurrently.
 */
#include "bytecode/analysis/dataflow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/grow.h"
#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"

bool flow_fail(Flow *f, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (f->cap > 0) vsnprintf(f->err, f->cap, fmt, args);
    va_end(args);
    return false;
}

bool flow_grow(Flow *f, void *array, uint32_t *cap, uint64_t need, size_t size) {
    if (need <= *cap && *cap > 0) return true;
    return grow_array(array, size, cap, sizeof *cap, need, false) || flow_fail(f, "out of memory");
}

/* Arguments at the entry. */

static bool set_argument(Flow *f, uint32_t *at, uint8_t kind, uint32_t slots) {
    if (*at + slots > f->out->max_locals) return flow_fail(f, "arguments do not fit in the local variables");
    f->cell[(*at)++] = kind;
    if (slots == 2) f->cell[(*at)++] = KIND_UPPER;
    return true;
}

static bool set_arguments(Flow *f, const char *desc, bool is_static) {
    DescriptorIter it;
    DescriptorType t;
    uint32_t at = 0;
    if (!is_static && !set_argument(f, &at, KIND_REF, 1)) return false;
    descriptor_begin(&it, (const uint8_t *)desc, (uint32_t)strlen(desc));
    while (descriptor_next(&it, &t)) {
        uint8_t kind = KIND_INT;
        if (t.kind == 'J' || t.kind == 'F' || t.kind == 'D')
            kind = (uint8_t)t.kind; /* the letters of the kinds are the same */
        else if (t.kind == 'L' || t.kind == '[') kind = KIND_REF;
        if (!set_argument(f, &at, kind, t.slots)) return false;
    }
    return true;
}

/* The graph of the blocks that were found. */

static void add_graph_edge(Cfg *g, uint32_t *stamp, uint32_t mark, uint32_t to, uint32_t *count) {
    if (stamp[to] == mark) return;
    stamp[to] = mark;
    ASSERT(to < g->block_count, "an edge to block %u of %u", to, g->block_count);
    g->edges[g->edge_count++] = to;
    (*count)++;
}

static void add_graph_block(const Flow *f, Cfg *g, uint32_t *stamp, uint32_t b) {
    const FlowBlock *k = &f->out->blocks[b];
    ASSERT(k->start < k->end && k->cfg_block < f->cfg->block_count, "block %u: %u...%u", b, k->start, k->end);
    CfgBlock *n = &g->blocks[b];
    n->start = k->start;
    n->end = k->end;
    n->last = f->cfg->blocks[k->cfg_block].last;
    n->first_succ = g->edge_count;
    for (uint32_t i = 0; i < k->succ_count; i++)
        add_graph_edge(g, stamp, 2 * b + 1, f->out->edges[k->first_succ + i], &n->succ_count);
    n->first_handler = g->edge_count;
    for (uint32_t i = 0; i < k->handler_count; i++)
        add_graph_edge(g, stamp, 2 * b + 2, f->out->handlers[k->first_handler + i].block, &n->handler_count);
}

static bool make_graph(Flow *f) {
    uint32_t count = f->out->block_count;
    Cfg *g = f->graph = calloc(1, sizeof *g);
    uint32_t *stamp = calloc(count, sizeof *stamp);
    bool ok = g && stamp != NULL;
    if (ok) {
        g->block_count = count;
        g->blocks = calloc(count, sizeof *g->blocks);
        g->edges = malloc(((size_t)f->edge_count + f->handler_count + 1) * sizeof *g->edges);
        ok = g->blocks && g->edges != NULL;
    }
    for (uint32_t b = 0; ok && b < count; b++) add_graph_block(f, g, stamp, b);
    free(stamp);
    return (ok && cfg_analyze(g)) || flow_fail(f, "out of memory");
}

/* Results. */

/* Clears locals that are never read; numbered return addresses become KIND_RETURN. */
static void take_kinds(Flow *f, const FlowLive *live) {
    Dataflow *out = f->out;
    for (uint32_t b = 0; b < out->block_count; b++) {
        uint8_t *entry = f->entry + (size_t)b * f->slots;
        const uint64_t *in = live->in + (size_t)b * live->words;
        for (uint32_t i = 0; i < f->slots; i++) {
            uint32_t lower = entry[i] == KIND_UPPER ? i - 1 : i;
            if (i < out->max_locals && !dataflow_is_live(in, lower)) entry[i] = KIND_DEAD;
            else if (entry[i] >= FLOW_SITE) entry[i] = KIND_RETURN;
        }
        out->blocks[b].kinds = (const char *)entry;
    }
    out->memory = f->entry;
    f->entry = NULL;
}

static bool analyze(Flow *f, const char *desc, bool is_static) {
    FlowLive live = {0};
    bool ok = set_arguments(f, desc, is_static) && flow_blocks(f) && make_graph(f) &&
        flow_live_entries(f, f->graph, &live) && flow_live_rows(f, f->graph, &live);
    if (ok) {
        const Cfg *g = f->graph;
        for (uint32_t b = 0; b < g->block_count; b++) {
            f->out->blocks[b].loop_header = g->blocks[b].loop_header;
            f->out->blocks[b].is_loop_header = g->blocks[b].is_loop_header;
        }
        f->out->irreducible = g->irreducible;
        f->out->order = f->graph->rpo;
        f->graph->rpo = NULL;
        f->out->words = live.words;
        f->out->live = live.sets;
        f->out->live_row = live.row;
        live.sets = NULL;
        live.row = NULL;
        take_kinds(f, &live);
        ok = flow_locks(f);
    }
    free(live.in);
    free(live.sets);
    free(live.row);
    return ok;
}

static bool begin(Flow *f) {
    f->out = calloc(1, sizeof *f->out);
    f->cell = calloc(2 * (size_t)f->slots + 2, 1); /* room for a handler's operand in thrown */
    if (!f->out || !f->cell) return flow_fail(f, "out of memory");
    f->thrown = f->cell + f->slots + 1;
    f->out->max_locals = f->code->max_locals;
    f->out->max_stack = f->code->max_stack;
    f->out->cfg = f->cfg = cfg_build(f->code, f->err, f->cap);
    if (!f->cfg) return false;
    f->out->has_subroutines = f->cfg->has_jsr;
    return true;
}

static void end(Flow *f) {
    cfg_free(f->graph);
    free(f->entry);
    free(f->dirty);
    free(f->done);
    free(f->next_copy);
    free(f->first_copy);
    free(f->cell);
    free(f->before.in);
    free(f->contexts);
    free(f->pairs);
    free(f->key);
}

Dataflow *dataflow_build(const ClassFileCode *code, const char *desc, bool is_static, DataflowDescriptor *descriptor,
                         void *ctx, char *err, size_t cap) {
    Flow f = {.code = code,
              .slots = (uint32_t)code->max_locals + code->max_stack,
              .descriptor = descriptor,
              .descriptor_ctx = ctx,
              .err = err,
              .cap = cap};
    bool ok = begin(&f) && analyze(&f, desc, is_static);
    end(&f);
    if (ok) return f.out;
    dataflow_free(f.out);
    return NULL;
}

void dataflow_free(Dataflow *flow) {
    if (!flow) return;
    cfg_free(flow->cfg);
    free(flow->blocks);
    free(flow->edges);
    free(flow->handlers);
    free(flow->order);
    free(flow->live);
    free(flow->live_row);
    free(flow->memory);
    free(flow);
}

const uint64_t *dataflow_live(const Dataflow *flow, uint32_t b, uint32_t bci) {
    uint32_t row = flow->live_row[flow->live_row[b] + (bci - flow->blocks[b].start)];
    return flow->live + (size_t)row * flow->words;
}

uint32_t dataflow_edges_to(const Dataflow *flow, uint32_t block) {
    uint32_t count = block == 0;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const FlowBlock *f = &flow->blocks[b];
        for (uint32_t i = 0; i < f->succ_count; i++) count += flow->edges[f->first_succ + i] == block;
        for (uint32_t i = 0; i < f->handler_count; i++) count += flow->handlers[f->first_handler + i].block == block;
    }
    return count;
}
