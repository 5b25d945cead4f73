/*
 * Liveness of local variables: backwards over a graph to a fixed point, then once through each
 * block for the sets between its instructions.
 *
 *   before = read | (after & ~written) | live at the block's handlers
 *
 * for every instruction, so a variable that a handler reads stays live across its overwriting. Sets
 * between instructions are stored once for each run of equal sets. Reads of a long or double count
 * for its lower slot alone, writes for both.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/opcodes.h"

/* Bounds far beyond ordinary code: sizes of tables, rounds times size. */
#define MAX_WORDS (UINT64_C(1) << 23)
#define MAX_WORK (UINT64_C(1) << 28)

/* Everything per block, in words. */
typedef struct Sets {
    const Cfg *graph;
    FlowLive *live;
    uint64_t *reads; /* before being written in the block */
    uint64_t *writes;
    uint64_t *set; /* the current set */
} Sets;

static uint64_t *row_of(uint64_t *sets, uint32_t words, uint32_t b) { return sets + (size_t)b * words; }

static void include(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << (i % 64); }

static void summarize(Flow *f, Sets *s, uint32_t b) {
    uint64_t *reads = row_of(s->reads, s->live->words, b);
    uint64_t *writes = row_of(s->writes, s->live->words, b);
    const uint8_t *code = f->code->code;
    for (uint32_t bci = s->graph->blocks[b].start; bci < s->graph->blocks[b].end;) {
        unsigned op = opcodes_at(f->code->code, bci);
        unsigned index, slots = opcodes_local(code, bci, &index), flags = opcodes_info[op].flags;
        if (slots > 0 && (op == OPC_ret || flags & OPF_LOAD) && !dataflow_is_live(writes, index)) include(reads, index);
        for (uint32_t i = 0; i < slots && flags & OPF_STORE; i++) include(writes, index + i);
        bci += opcodes_length(code, f->code->code_len, bci);
    }
}

/* Computes the live-out set of the block's last instruction into s->set. */
static void live_out(Sets *s, const CfgBlock *k) {
    uint32_t words = s->live->words;
    memset(s->set, 0, words * sizeof *s->set);
    for (uint32_t i = 0; i < k->succ_count; i++) {
        const uint64_t *in = row_of(s->live->in, words, s->graph->edges[k->first_succ + i]);
        for (uint32_t w = 0; w < words; w++) s->set[w] |= in[w];
    }
}

static void include_handlers(const Sets *s, const CfgBlock *k, uint64_t *set) {
    uint32_t words = s->live->words;
    for (uint32_t i = 0; i < k->handler_count; i++) {
        const uint64_t *in = row_of(s->live->in, words, s->graph->edges[k->first_handler + i]);
        for (uint32_t w = 0; w < words; w++) set[w] |= in[w];
    }
}

static bool update(Sets *s, uint32_t b) {
    const CfgBlock *k = &s->graph->blocks[b];
    uint32_t words = s->live->words;
    uint64_t *in = row_of(s->live->in, words, b);
    const uint64_t *reads = row_of(s->reads, words, b), *writes = row_of(s->writes, words, b);
    uint64_t changed = 0;
    live_out(s, k);
    for (uint32_t w = 0; w < words; w++) s->set[w] = reads[w] | (s->set[w] & ~writes[w]);
    include_handlers(s, k, s->set);
    for (uint32_t w = 0; w < words; w++) {
        changed |= s->set[w] ^ in[w];
        in[w] = s->set[w];
    }
    return changed != 0;
}

bool flow_live_entries(Flow *f, const Cfg *graph, FlowLive *live) {
    uint32_t words = (f->out->max_locals + 63u) / 64;
    live->words = words = words == 0 ? 1 : words;
    size_t size = (size_t)graph->block_count * words;
    if (size > MAX_WORDS) return flow_fail(f, "too many blocks and local variables");
    Sets s = {.graph = graph, .live = live};
    live->in = calloc(size, sizeof *live->in);
    s.reads = calloc(2 * size + words, sizeof *s.reads);
    if (!live->in || !s.reads) {
        free(s.reads);
        return flow_fail(f, "out of memory");
    }
    s.writes = s.reads + size;
    s.set = s.writes + size;
    for (uint32_t i = 0; i < graph->reachable_count; i++) summarize(f, &s, graph->rpo[i]);
    bool changed = true;
    for (uint64_t work = 0; changed && work < MAX_WORK; work += size) {
        changed = false;
        for (uint32_t i = graph->reachable_count; i-- > 0;) changed |= update(&s, graph->rpo[i]);
    }
    free(s.reads);
    return !changed || flow_fail(f, "liveness too complicated");
}

/* Rows. */

typedef struct Rows {
    Flow *f;
    const Cfg *graph;
    FlowLive *live;
    uint64_t *set, *handlers; /* [words]; the current set, the locals that the block's handlers read */
    uint32_t count, cap;      /* rows */
} Rows;

/* The number of the row with the current set: the last row, or a new one if they differ. */
static bool row(Rows *r, bool may_share, uint32_t *number) {
    uint32_t words = r->live->words;
    size_t bytes = words * sizeof *r->set;
    if (may_share && memcmp(row_of(r->live->sets, words, r->count - 1), r->set, bytes) == 0) {
        *number = r->count - 1;
        return true;
    }
    if (((uint64_t)r->count + 1) * words > MAX_WORDS)
        return flow_fail(r->f, "too many instructions and local variables");
    if (!flow_grow(r->f, &r->live->sets, &r->cap, (uint64_t)r->count + 1, bytes)) return false;
    memcpy(row_of(r->live->sets, words, r->count), r->set, bytes);
    *number = r->count++;
    return true;
}

static void step_back(Rows *r, uint32_t bci) {
    unsigned op = opcodes_at(r->f->code->code, bci);
    unsigned index, slots = opcodes_local(r->f->code->code, bci, &index), flags = opcodes_info[op].flags;
    for (uint32_t i = 0; i < slots && flags & OPF_STORE; i++)
        r->set[(index + i) / 64] &= ~(UINT64_C(1) << ((index + i) % 64));
    if (slots > 0 && (op == OPC_ret || flags & OPF_LOAD)) include(r->set, index);
    for (uint32_t w = 0; w < r->live->words; w++) r->set[w] |= r->handlers[w];
}

/* at: the block's part of live->row. */
static bool block_rows(Rows *r, uint32_t b, uint32_t *at) {
    const CfgBlock *k = &r->graph->blocks[b];
    Sets s = {.graph = r->graph, .live = r->live, .set = r->set};
    live_out(&s, k);
    memset(r->handlers, 0, r->live->words * sizeof *r->handlers);
    include_handlers(&s, k, r->handlers);
    if (!row(r, false, &at[k->end - k->start])) return false;
    for (uint32_t bci = k->end; bci-- > k->start;) {
        if (!r->f->cfg->insn_start[bci]) {
            at[bci - k->start] = r->count - 1;
            continue;
        }
        step_back(r, bci);
        if (!row(r, true, &at[bci - k->start])) return false;
    }
    return true;
}

bool flow_live_rows(Flow *f, const Cfg *graph, FlowLive *live) {
    Rows r = {.f = f, .graph = graph, .live = live};
    uint64_t total = graph->block_count;
    for (uint32_t b = 0; b < graph->block_count; b++) total += graph->blocks[b].end - graph->blocks[b].start + 1;
    live->row = malloc(total * sizeof *live->row);
    r.set = malloc(2 * (size_t)live->words * sizeof *r.set);
    bool ok = (live->row && r.set != NULL) || flow_fail(f, "out of memory");
    uint32_t at = graph->block_count;
    for (uint32_t b = 0; ok && b < graph->block_count; b++) {
        r.handlers = r.set + live->words;
        live->row[b] = at;
        ok = block_rows(&r, b, live->row + at);
        at += graph->blocks[b].end - graph->blocks[b].start + 1;
    }
    free(r.set);
    return ok;
}

/* One instruction. */

/* From the end of the block back to the instruction. */
static void live_before(Flow *f, FlowLive *live, uint32_t bci, uint64_t *set, uint64_t *handlers) {
    const CfgBlock *k = &f->cfg->blocks[f->cfg->block_at[bci]];
    Sets s = {.graph = f->cfg, .live = live, .set = set};
    Rows r = {.f = f, .graph = f->cfg, .live = live, .set = set, .handlers = handlers};
    live_out(&s, k);
    memset(handlers, 0, live->words * sizeof *handlers);
    include_handlers(&s, k, handlers);
    for (uint32_t at = k->end; at-- > bci;)
        if (f->cfg->insn_start[at]) step_back(&r, at);
}

bool dataflow_live_at(const ClassFileCode *code, uint32_t bci, uint64_t *set) {
    Dataflow out = {.max_locals = code->max_locals};
    Flow f = {.code = code, .out = &out, .cfg = cfg_build(code, NULL, 0)};
    FlowLive live = {0};
    uint64_t *handlers = calloc((code->max_locals + 63u) / 64 + 1, sizeof *handlers);
    bool known = f.cfg && handlers && !f.cfg->has_jsr && bci < code->code_len && f.cfg->insn_start[bci] &&
        f.cfg->blocks[f.cfg->block_at[bci]].reachable && flow_live_entries(&f, f.cfg, &live);
    if (known) live_before(&f, &live, bci, set, handlers);
    free(live.in);
    free(handlers);
    cfg_free(f.cfg);
    return known;
}
