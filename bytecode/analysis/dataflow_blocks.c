/*
 * The blocks of a dataflow analysis, their edges, and the kinds of slots at their entries:
 * interprets blocks until nothing changes, meeting kinds where paths join.
 *
 * Subroutines. A block's copies differ in their context: the return addresses at its entry that may
 * still be read, and their slots. A subroutine's blocks are therefore separate for each jsr, and
 * `ret` has one successor. A path that leaves a subroutine by a branch or through a handler joins
 * the copy outside once its return address is dead. A block's outgoing edges depend only on its
 * context and are found when it is first interpreted. Kinds may change after that, but not return
 * addresses that may still be read.
 *
 * Kinds only ever change to KIND_DEAD, so each block is interpreted at most slots + 1 times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bytecode/analysis/dataflow_internal.h"
#include "bytecode/classfile/opcodes.h"

/* Bounds far beyond ordinary code. */
#define MAX_CELLS (UINT64_C(1) << 26)
#define MAX_WORK (UINT64_C(1) << 28)
#define MAX_TABLE (UINT32_C(1) << 24)
#define MAX_COPIES(blocks) (4 * (blocks) + 1000) /* of all blocks, subroutines expanded */

/* Contexts. */

/*
 * Makes the key of a block entered with these cells: the return addresses that matter there.
 * Returns their number.
 */
static uint32_t make_key(Flow *f, const uint8_t *cell, uint32_t depth, uint32_t cfg_block) {
    const uint64_t *live = f->before.in + (size_t)cfg_block * f->before.words;
    uint32_t count = 0, locals = f->out->max_locals;
    for (uint32_t i = 0; i < locals + depth; i++) {
        if (cell[i] >= FLOW_SITE && (i >= locals || dataflow_is_live(live, i))) {
            f->key[2 * count] = i;
            f->key[2 * count++ + 1] = cell[i];
        }
    }
    return count;
}

/* The number of the context with f->key; CFG_NONE when out of memory. */
static uint32_t find_context(Flow *f, uint32_t count) {
    uint32_t hash = hash_bytes(HASH_START, f->key, 2 * count * sizeof *f->key);
    for (uint32_t i = 0; i < f->context_count; i++) {
        const FlowContext *c = &f->contexts[i];
        if (c->hash == hash && c->count == count &&
            memcmp(f->pairs + c->first, f->key, 2 * count * sizeof *f->key) == 0)
            return i;
    }
    if (!flow_grow(f, &f->contexts, &f->context_cap, f->context_count + 1, sizeof *f->contexts) ||
        !flow_grow(f, &f->pairs, &f->pair_cap, f->pair_count + 2 * count + 1, sizeof *f->pairs))
        return CFG_NONE;
    f->contexts[f->context_count] = (FlowContext){hash, count, f->pair_count};
    memcpy(f->pairs + f->pair_count, f->key, 2 * count * sizeof *f->key);
    f->pair_count += 2 * count;
    return f->context_count++;
}

/* Blocks. */

static uint8_t *entry_of(const Flow *f, uint32_t b) { return f->entry + (size_t)b * f->slots; }

static bool reserve_blocks(Flow *f, uint32_t need) {
    uint32_t old = f->block_cap, cap;
    if (need <= old) return true;
    if ((uint64_t)need * f->slots > MAX_CELLS) return flow_fail(f, "too many blocks and slots");
    if (!flow_grow(f, &f->out->blocks, &f->block_cap, need, sizeof *f->out->blocks)) return false;
    cap = old;
    if (!flow_grow(f, &f->entry, &cap, (uint64_t)f->block_cap * f->slots, 1)) return false;
    cap = old;
    if (!flow_grow(f, &f->dirty, &cap, f->block_cap, 1)) return false;
    cap = old;
    if (!flow_grow(f, &f->done, &cap, f->block_cap, 1)) return false;
    cap = old;
    return flow_grow(f, &f->next_copy, &cap, f->block_cap, sizeof *f->next_copy);
}

static uint32_t add_block(Flow *f, uint32_t cfg_block, uint32_t context) {
    uint32_t b = f->out->block_count;
    if (f->out->has_subroutines && b >= MAX_COPIES(f->cfg->block_count)) {
        flow_fail(f, "subroutines too large");
        return CFG_NONE;
    }
    if (!reserve_blocks(f, b + 1)) return CFG_NONE;
    f->out->block_count++;
    f->out->blocks[b] = (FlowBlock){.cfg_block = cfg_block,
                                    .context = context,
                                    .start = f->cfg->blocks[cfg_block].start,
                                    .end = f->cfg->blocks[cfg_block].end,
                                    .loop_header = CFG_NONE};
    f->dirty[b] = f->done[b] = 0;
    f->next_copy[b] = f->first_copy[cfg_block];
    f->first_copy[cfg_block] = b;
    return b;
}

/* The copy of a CFG block that control enters with these cells. CFG_NONE on errors. */
static uint32_t copy_for(Flow *f, const uint8_t *cell, uint32_t depth, uint32_t cfg_block) {
    uint32_t context = 0;
    if (f->out->has_subroutines) {
        context = find_context(f, make_key(f, cell, depth, cfg_block));
        if (context == CFG_NONE) return CFG_NONE;
    }
    for (uint32_t b = f->first_copy[cfg_block]; b != CFG_NONE; b = f->next_copy[b]) {
        if (f->out->blocks[b].context == context) return b;
    }
    return add_block(f, cfg_block, context);
}

/* Drops halves of pairs whose other half is gone. */
static bool drop_halves(uint8_t *cell, uint32_t count) {
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        if (cell[i] == KIND_UPPER && (i == 0 || (cell[i - 1] != KIND_LONG && cell[i - 1] != KIND_DOUBLE))) {
            cell[i] = KIND_DEAD;
            changed = true;
        }
    }
    return changed;
}

static void enter_first(Flow *f, uint32_t b, const uint8_t *cell, uint32_t depth) {
    FlowBlock *k = &f->out->blocks[b];
    uint8_t *entry = entry_of(f, b);
    uint32_t used = f->out->max_locals + depth;
    memcpy(entry, cell, used);
    memset(entry + used, KIND_DEAD, f->slots - used);
    for (uint32_t i = 0; f->out->has_subroutines && i < used; i++) {
        const FlowContext *c = &f->contexts[k->context];
        uint32_t n = 0; /* the slot's place in the context */
        while (n < c->count && f->pairs[c->first + 2 * n] != i) n++;
        if (entry[i] >= FLOW_SITE && n == c->count) entry[i] = KIND_DEAD;
    }
    drop_halves(entry, used);
    k->stack_depth = (uint16_t)depth;
    k->reached = true;
    f->dirty[b] = 1;
}

/* Control reaches block b with these cells. */
static bool enter(Flow *f, uint32_t b, const uint8_t *cell, uint32_t depth) {
    FlowBlock *k = &f->out->blocks[b];
    uint8_t *entry = entry_of(f, b);
    bool changed = false;
    if (!k->reached) {
        enter_first(f, b, cell, depth);
        return true;
    }
    if (k->stack_depth != depth) return flow_fail(f, "operand stack depths differ at %u", k->start);
    for (uint32_t i = 0; i < f->out->max_locals + depth; i++) {
        if (entry[i] != cell[i] && entry[i] != KIND_DEAD) {
            entry[i] = KIND_DEAD;
            changed = true;
        }
    }
    if (changed) {
        drop_halves(entry, f->out->max_locals + depth);
        f->dirty[b] = 1;
    }
    return true;
}

/* Edges. */

static bool add_edge(Flow *f, uint32_t from, uint32_t bci) {
    if (bci >= f->code->code_len) return flow_fail(f, "control runs past the end of the code");
    if (f->edge_count == MAX_TABLE) return flow_fail(f, "too many branches");
    uint32_t to = copy_for(f, f->cell, f->depth, f->cfg->block_at[bci]);
    if (to == CFG_NONE || !flow_grow(f, &f->out->edges, &f->edge_cap, f->edge_count + 1, sizeof *f->out->edges))
        return false;
    f->out->edges[f->edge_count++] = to;
    f->out->blocks[from].succ_count++;
    return true;
}

static bool add_successors(Flow *f, uint32_t b) {
    uint32_t last = f->cfg->blocks[f->out->blocks[b].cfg_block].last;
    unsigned op = opcodes_at(f->code->code, last);
    unsigned flags = opcodes_info[op].flags;
    f->out->blocks[b].first_succ = f->edge_count;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(f->code->code, last);
        for (uint32_t i = 0; i <= s.count; i++) {
            if (!add_edge(f, b, opcodes_switch_target(&s, i))) return false;
        }
        return true;
    }
    if (op == OPC_ret) {
        unsigned index;
        opcodes_local(f->code->code, last, &index);
        uint32_t to = f->site_block[f->cell[index] - FLOW_SITE];
        return add_edge(f, b, f->cfg->blocks[to].start);
    }
    if ((flags & OPF_BRANCH) && !add_edge(f, b, opcodes_branch_target(f->code->code, last))) return false;
    return (flags & OPF_STOP) || add_edge(f, b, f->out->blocks[b].end);
}

static bool add_handlers(Flow *f, uint32_t b) {
    Dataflow *out = f->out;
    uint32_t start = out->blocks[b].start;
    out->blocks[b].first_handler = f->handler_count;
    for (uint32_t i = 0; f->covered && i < f->code->handler_count; i++) {
        const ClassFileHandler *h = &f->code->handlers[i];
        if (start < h->start_pc || start >= h->end_pc) continue;
        uint32_t to = copy_for(f, f->thrown, 1, f->cfg->block_at[h->handler_pc]);
        if (to == CFG_NONE ||
            !flow_grow(f, &out->handlers, &f->handler_cap, f->handler_count + 1, sizeof *out->handlers))
            return false;
        out->handlers[f->handler_count++] = (FlowHandler){i, to};
        out->blocks[to].is_handler = true;
        out->blocks[b].handler_count++;
        if (f->handler_count == MAX_TABLE) return flow_fail(f, "exception table too large");
        if (h->catch_type == 0) break;
    }
    return true;
}

/* Interpretation. */

static bool leave(Flow *f, uint32_t b) {
    const FlowBlock *k = &f->out->blocks[b];
    for (uint32_t i = 0; i < k->succ_count; i++) {
        if (!enter(f, f->out->edges[k->first_succ + i], f->cell, f->depth)) return false;
    }
    for (uint32_t i = 0; i < k->handler_count; i++) {
        if (!enter(f, f->out->handlers[k->first_handler + i].block, f->thrown, 1)) return false;
    }
    return true;
}

static bool interpret(Flow *f, uint32_t b) {
    FlowBlock *k = &f->out->blocks[b];
    f->dirty[b] = 0;
    f->work += f->slots + k->end - k->start;
    if (f->work > MAX_WORK) return flow_fail(f, "kinds of variables too complicated");
    memcpy(f->cell, entry_of(f, b), f->slots);
    f->depth = k->stack_depth;
    f->covered = f->cfg->blocks[k->cfg_block].handler_count > 0;
    if (!flow_interpret(f, k->start, k->end)) return false;
    if (f->covered) {
        /* The state at a handler of the current block: its locals and the exception. */
        drop_halves(f->thrown, f->out->max_locals);
        f->thrown[f->out->max_locals] = KIND_REF;
    }
    if (!f->done[b] && (!add_successors(f, b) || !add_handlers(f, b))) return false;
    f->done[b] = 1;
    return leave(f, b);
}

static bool sweep(Flow *f, bool *changed) {
    for (uint32_t i = 0; i < f->cfg->reachable_count; i++) {
        uint32_t b = f->first_copy[f->cfg->rpo[i]];
        for (; b != CFG_NONE; b = f->next_copy[b]) {
            if (!f->dirty[b]) continue;
            *changed = true;
            if (!interpret(f, b)) return false;
        }
    }
    return true;
}

/* Preparation. */

static bool find_sites(Flow *f) {
    for (uint32_t i = 0; i < f->cfg->block_count; i++) {
        uint8_t op = f->code->code[f->cfg->blocks[i].last];
        if (op != OPC_jsr && op != OPC_jsr_w) continue;
        if (i + 1 == f->cfg->block_count) return flow_fail(f, "control runs past the end of the code");
        if (f->site_count == FLOW_MAX_SITES) return flow_fail(f, "too many calls of subroutines");
        f->site_block[f->site_count++] = i + 1;
    }
    f->key = malloc((2 * (size_t)f->slots + 2) * sizeof *f->key);
    if (!f->key) return flow_fail(f, "out of memory");
    if (find_context(f, 0) == CFG_NONE) /* number 0: no return addresses */
        return false;
    return flow_live_entries(f, f->cfg, &f->before);
}

bool flow_blocks(Flow *f) {
    uint32_t count = f->cfg->block_count;
    f->first_copy = malloc(count * sizeof *f->first_copy);
    if (!f->first_copy) return flow_fail(f, "out of memory");
    memset(f->first_copy, 0xff, count * sizeof *f->first_copy);
    if (f->out->has_subroutines) {
        if (!find_sites(f)) return false;
    } else { /* each block has one copy: they are added in the order of bcis */
        if (!reserve_blocks(f, f->cfg->reachable_count)) return false;
        for (uint32_t i = 0; i < count; i++)
            if (f->cfg->blocks[i].reachable && add_block(f, i, 0) == CFG_NONE) return false;
    }
    uint32_t first = copy_for(f, f->cell, 0, 0);
    if (first == CFG_NONE || !enter(f, first, f->cell, 0)) return false;
    for (bool changed = true; changed;) {
        changed = false;
        if (!sweep(f, &changed)) return false;
    }
    return true;
}
