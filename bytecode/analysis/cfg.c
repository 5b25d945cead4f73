/*
 * Control-flow graph construction: leaders, blocks, edges, depth-first order, dominators (the
 * iterative algorithm of Cooper, Harvey and Kennedy over reverse postorder), natural loops.
 *
 * All walks use explicit stacks, because the program controls the depth of its graph, but not the
 * size of our stack.
 */
#include "bytecode/analysis/cfg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "bytecode/classfile/opcodes.h"

/* Bounds on work that only hostile exception tables reach. */
#define MAX_HANDLER_CHECKS (UINT64_C(1) << 27)
#define MAX_EDGES (UINT32_C(1) << 24)

typedef struct Build {
    const ClassFileCode *code;
    Cfg *cfg;
    uint8_t *leader;
    uint32_t *stamp; /* [block_count]: last block for which an edge to this one was added */
    uint32_t *work;  /* [2 * block_count]: stacks */
    uint32_t edge_cap;
    char *err;
    size_t cap;
} Build;

static bool fail(Build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(Build *b, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (b->cap > 0) vsnprintf(b->err, b->cap, fmt, args);
    va_end(args);
    return false;
}

/* Leaders and blocks. */

static bool find_instructions(Build *b) {
    const ClassFileCode *code = b->code;
    for (uint32_t bci = 0; bci < code->code_len;) {
        uint32_t n = opcodes_length(code->code, code->code_len, bci);
        if (n == 0) return fail(b, "bad instruction at %u", bci);
        b->cfg->insn_start[bci] = 1;
        bci += n;
    }
    return true;
}

static bool mark_leader(Build *b, uint32_t from, uint32_t bci) {
    if (bci >= b->code->code_len || !b->cfg->insn_start[bci])
        return fail(b, "target %u of %u is no instruction", bci, from);
    b->leader[bci] = 1;
    return true;
}

static bool mark_targets(Build *b, uint32_t bci) {
    const uint8_t *code = b->code->code;
    unsigned flags = opcodes_info[opcodes_at(code, bci)].flags;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(code, bci);
        for (uint32_t i = 0; i <= s.count; i++) {
            if (!mark_leader(b, bci, opcodes_switch_target(&s, i))) return false;
        }
    } else if (flags & OPF_BRANCH) {
        if (!mark_leader(b, bci, opcodes_branch_target(code, bci))) return false;
    }
    if (flags & OPF_JSR) b->cfg->has_jsr = true;
    if (flags & (OPF_BRANCH | OPF_STOP)) {
        uint32_t next = bci + opcodes_length(code, b->code->code_len, bci);
        if (next < b->code->code_len) b->leader[next] = 1;
    }
    return true;
}

static bool find_leaders(Build *b) {
    b->leader[0] = 1;
    for (uint32_t bci = 0; bci < b->code->code_len; bci++) {
        if (b->cfg->insn_start[bci] && !mark_targets(b, bci)) return false;
    }
    const ClassFileCode *code = b->code;
    for (unsigned i = 0; i < code->handler_count; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        if (h->start_pc >= h->end_pc || h->end_pc > code->code_len)
            return fail(b, "bad range of exception handler %u", i);
        if (!mark_leader(b, h->start_pc, h->start_pc) || !mark_leader(b, h->start_pc, h->handler_pc)) return false;
        if (h->end_pc < code->code_len && !mark_leader(b, h->start_pc, h->end_pc)) return false;
    }
    return true;
}

static bool make_blocks(Build *b) {
    Cfg *cfg = b->cfg;
    uint32_t len = b->code->code_len;
    for (uint32_t bci = 0; bci < len; bci++) cfg->block_count += b->leader[bci];
    cfg->blocks = calloc(cfg->block_count, sizeof *cfg->blocks);
    b->stamp = malloc(cfg->block_count * sizeof *b->stamp);
    if (!cfg->blocks || !b->stamp) return fail(b, "out of memory");
    memset(b->stamp, 0xff, cfg->block_count * sizeof *b->stamp);
    uint32_t n = CFG_NONE;
    for (uint32_t bci = 0; bci < len; bci++) {
        if (b->leader[bci]) cfg->blocks[++n].start = bci;
        if (cfg->insn_start[bci]) cfg->blocks[n].last = bci;
        cfg->blocks[n].end = bci + 1;
        cfg->block_at[bci] = n;
    }
    for (unsigned i = 0; i < b->code->handler_count; i++)
        cfg->blocks[cfg->block_at[b->code->handlers[i].handler_pc]].is_handler = true;
    return true;
}

/* Edges. */

static bool reserve_edges(Build *b, uint32_t more) {
    Cfg *cfg = b->cfg;
    if (more > MAX_EDGES - cfg->edge_count) return fail(b, "control flow too complex");
    return GROW(cfg->edges, b->edge_cap, cfg->edge_count + more) || fail(b, "out of memory");
}

/* Adds an edge unless the list being built, known by `mark`, has it. */
static bool add_edge(Build *b, uint32_t mark, uint32_t to, uint32_t *count) {
    if (b->stamp[to] == mark) return true;
    b->stamp[to] = mark;
    if (!reserve_edges(b, 1)) return false;
    b->cfg->edges[b->cfg->edge_count++] = to;
    (*count)++;
    return true;
}

static bool add_switch(Build *b, uint32_t n) {
    Cfg *cfg = b->cfg;
    OpcodeSwitch s = opcodes_switch(b->code->code, cfg->blocks[n].last);
    for (uint32_t i = 0; i <= s.count; i++) {
        uint32_t to = cfg->block_at[opcodes_switch_target(&s, i)];
        if (!add_edge(b, n, to, &cfg->blocks[n].succ_count)) return false;
    }
    return true;
}

static bool add_successors(Build *b, uint32_t n) {
    Cfg *cfg = b->cfg;
    CfgBlock *k = &cfg->blocks[n];
    const uint8_t *code = b->code->code;
    unsigned flags = opcodes_info[opcodes_at(code, k->last)].flags;
    k->first_succ = cfg->edge_count;
    if (flags & OPF_SWITCH) return add_switch(b, n);
    if ((flags & OPF_JSR) && !(flags & OPF_BRANCH)) { /* ret: the block after each jsr */
        for (uint32_t i = 0; i + 1 < cfg->block_count; i++) {
            uint8_t op = code[cfg->blocks[i].last];
            if ((op == OPC_jsr || op == OPC_jsr_w) && !add_edge(b, n, i + 1, &k->succ_count)) return false;
        }
        return true;
    }
    if (flags & OPF_BRANCH) {
        uint32_t to = cfg->block_at[opcodes_branch_target(code, k->last)];
        if (!add_edge(b, n, to, &k->succ_count)) return false;
    }
    if (flags & OPF_STOP) return true;
    k->falls_off = n + 1 == cfg->block_count;
    return k->falls_off || add_edge(b, n, n + 1, &k->succ_count);
}

static bool add_handlers(Build *b, uint32_t n) {
    Cfg *cfg = b->cfg;
    CfgBlock *k = &cfg->blocks[n];
    k->first_handler = cfg->edge_count;
    for (unsigned i = 0; i < b->code->handler_count; i++) {
        const ClassFileHandler *h = &b->code->handlers[i];
        if (k->start < h->start_pc || k->start >= h->end_pc) continue;
        if (!add_edge(b, n + cfg->block_count, cfg->block_at[h->handler_pc], &k->handler_count)) return false;
        if (h->catch_type == 0) break;
    }
    return true;
}

static bool add_edges(Build *b) {
    Cfg *cfg = b->cfg;
    if ((uint64_t)cfg->block_count * b->code->handler_count > MAX_HANDLER_CHECKS)
        return fail(b, "exception table too large");
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        if (!add_successors(b, i) || !add_handlers(b, i)) return false;
    }
    return true;
}

/* Successor i of a block, counting handlers after normal ones. */
static uint32_t succ_at(const Cfg *cfg, const CfgBlock *k, uint32_t i) {
    return i < k->succ_count ? cfg->edges[k->first_succ + i] : cfg->edges[k->first_handler + (i - k->succ_count)];
}

static bool add_predecessors(Build *b) {
    Cfg *cfg = b->cfg;
    uint32_t total = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const CfgBlock *k = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t s = 0; s < k->succ_count + k->handler_count; s++, total++)
            cfg->blocks[succ_at(cfg, k, s)].pred_count++;
    }
    if (!reserve_edges(b, total)) return false;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        cfg->blocks[i].first_pred = cfg->edge_count;
        cfg->edge_count += cfg->blocks[i].pred_count;
        cfg->blocks[i].pred_count = 0;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const CfgBlock *k = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t s = 0; s < k->succ_count + k->handler_count; s++) {
            CfgBlock *to = &cfg->blocks[succ_at(cfg, k, s)];
            cfg->edges[to->first_pred + to->pred_count++] = cfg->rpo[i];
        }
    }
    return true;
}

/* Order and dominators. */

static void depth_first(Build *b) {
    Cfg *cfg = b->cfg;
    uint32_t *stack = b->work, *next = b->work + cfg->block_count;
    uint32_t top = 0, post = cfg->block_count;
    stack[0] = 0;
    next[0] = 0;
    cfg->blocks[0].reachable = true;
    for (uint32_t depth = 1; depth > 0;) {
        top = depth - 1;
        CfgBlock *k = &cfg->blocks[stack[top]];
        if (next[top] == k->succ_count + k->handler_count) {
            cfg->rpo[--post] = stack[top];
            depth--;
            continue;
        }
        uint32_t to = succ_at(cfg, k, next[top]++);
        if (!cfg->blocks[to].reachable) {
            cfg->blocks[to].reachable = true;
            stack[depth] = to;
            next[depth++] = 0;
        }
    }
    cfg->reachable_count = cfg->block_count - post;
    memmove(cfg->rpo, cfg->rpo + post, cfg->reachable_count * sizeof *cfg->rpo);
    for (uint32_t i = 0; i < cfg->reachable_count; i++) cfg->blocks[cfg->rpo[i]].rpo = i;
}

static uint32_t common_dominator(const Cfg *cfg, uint32_t a, uint32_t b) {
    while (a != b) {
        while (cfg->blocks[a].rpo > cfg->blocks[b].rpo) a = cfg->blocks[a].idom;
        while (cfg->blocks[b].rpo > cfg->blocks[a].rpo) b = cfg->blocks[b].idom;
    }
    return a;
}

static void find_dominators(Cfg *cfg) {
    cfg->blocks[0].idom = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < cfg->reachable_count; i++) {
            CfgBlock *k = &cfg->blocks[cfg->rpo[i]];
            uint32_t idom = CFG_NONE;
            for (uint32_t n = 0; n < k->pred_count; n++) {
                uint32_t p = cfg->edges[k->first_pred + n];
                if (cfg->blocks[p].idom != CFG_NONE) idom = idom == CFG_NONE ? p : common_dominator(cfg, p, idom);
            }
            changed |= idom != k->idom;
            k->idom = idom;
        }
    }
}

bool cfg_dominates(const Cfg *cfg, uint32_t a, uint32_t b) {
    while (cfg->blocks[b].rpo > cfg->blocks[a].rpo) b = cfg->blocks[b].idom;
    return a == b;
}

/* Loops. */

static uint32_t count_retreating(const Cfg *cfg) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const CfgBlock *k = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t s = 0; s < k->succ_count + k->handler_count; s++)
            count += cfg->blocks[succ_at(cfg, k, s)].rpo <= i;
    }
    return count;
}

/*
 * The edges that run against reverse postorder are exactly those that depth-first search found to
 * be retreating.
 */
static bool find_backedges(Build *b) {
    Cfg *cfg = b->cfg;
    uint32_t count = count_retreating(cfg);
    cfg->backedges = malloc((count + 1) * sizeof *cfg->backedges);
    if (!cfg->backedges) return fail(b, "out of memory");
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        uint32_t from = cfg->rpo[i];
        const CfgBlock *k = &cfg->blocks[from];
        for (uint32_t s = 0; s < k->succ_count + k->handler_count; s++) {
            uint32_t to = succ_at(cfg, k, s);
            if (cfg->blocks[to].rpo > i) continue;
            bool natural = cfg_dominates(cfg, to, from);
            cfg->backedges[cfg->backedge_count++] = (CfgBackedge){from, to, natural, s >= k->succ_count};
            if (natural) cfg->blocks[to].is_loop_header = true;
            else cfg->irreducible = true;
        }
    }
    return true;
}

/*
 * Collects the loop of `header` backwards from its latches. Loops inside it are complete, since
 * headers are visited innermost first, and are entered as a whole through their headers.
 */
static void collect_loop(Build *b, uint32_t header) {
    Cfg *cfg = b->cfg;
    uint32_t count = 0;
    cfg->blocks[header].loop_header = header;
    for (uint32_t n = header;;) {
        const CfgBlock *k = &cfg->blocks[n];
        for (uint32_t i = 0; i < k->pred_count; i++) {
            uint32_t p = cfg->edges[k->first_pred + i];
            if (n == header && !cfg_dominates(cfg, header, p)) continue;
            /* Header of the outermost loop known around block p, or CFG_NONE. */
            uint32_t inner = cfg->blocks[p].loop_header;
            while (inner != CFG_NONE && cfg->blocks[inner].loop_parent != CFG_NONE)
                inner = cfg->blocks[inner].loop_parent;
            if (inner == header) continue;
            if (inner == CFG_NONE) {
                cfg->blocks[p].loop_header = header;
                inner = p;
            } else {
                cfg->blocks[inner].loop_parent = header;
            }
            b->work[count++] = inner;
        }
        if (count == 0) break;
        n = b->work[--count];
    }
}

static void find_loops(Build *b) {
    Cfg *cfg = b->cfg;
    for (uint32_t i = cfg->reachable_count; i-- > 0;) {
        if (cfg->blocks[cfg->rpo[i]].is_loop_header) collect_loop(b, cfg->rpo[i]);
    }
    /* Outer headers come first in reverse postorder, so depths are ready when needed. */
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        CfgBlock *k = &cfg->blocks[cfg->rpo[i]];
        uint32_t h = k->loop_header;
        if (h == CFG_NONE) continue;
        if (k->is_loop_header)
            k->loop_depth = 1 + (k->loop_parent == CFG_NONE ? 0 : cfg->blocks[k->loop_parent].loop_depth);
        else k->loop_depth = cfg->blocks[h].loop_depth;
    }
}

/* Derived from blocks and edges. */
static bool analyze(Build *b) {
    Cfg *cfg = b->cfg;
    b->work = malloc(2 * (size_t)cfg->block_count * sizeof *b->work);
    cfg->rpo = malloc(cfg->block_count * sizeof *cfg->rpo);
    if (!b->work || !cfg->rpo) return fail(b, "out of memory");
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        CfgBlock *k = &cfg->blocks[i];
        k->rpo = k->idom = k->loop_header = k->loop_parent = CFG_NONE;
    }
    depth_first(b);
    if (!add_predecessors(b)) return false;
    find_dominators(cfg);
    if (!find_backedges(b)) return false;
    find_loops(b);
    return true;
}

bool cfg_analyze(Cfg *cfg) {
    Build b = {.cfg = cfg, .edge_cap = cfg->edge_count};
    bool ok = analyze(&b);
    free(b.work);
    return ok;
}

Cfg *cfg_build(const ClassFileCode *code, char *err, size_t cap) {
    Build b = {.code = code, .err = err, .cap = cap};
    bool ok = false;
    b.cfg = calloc(1, sizeof *b.cfg);
    b.leader = calloc(code->code_len, 1);
    if (b.cfg) {
        b.cfg->insn_start = calloc(code->code_len, 1);
        b.cfg->block_at = malloc(code->code_len * sizeof *b.cfg->block_at);
    }
    if (!b.cfg || !b.leader || !b.cfg->insn_start || !b.cfg->block_at) fail(&b, "out of memory");
    else ok = find_instructions(&b) && find_leaders(&b) && make_blocks(&b) && add_edges(&b) && analyze(&b);
    free(b.leader);
    free(b.stamp);
    free(b.work);
    if (ok) return b.cfg;
    cfg_free(b.cfg);
    return NULL;
}

void cfg_free(Cfg *cfg) {
    if (!cfg) return;
    free(cfg->blocks);
    free(cfg->edges);
    free(cfg->rpo);
    free(cfg->backedges);
    free(cfg->block_at);
    free(cfg->insn_start);
    free(cfg);
}
