// Finds the loops of a method that can be strip-mined (jit/analysis/strip_mining.h).
//
// A strip is about 130,000 bytecodes long in any loop, and at most 4096 iterations. That takes some 50 microseconds of
// ordinary code, and less than half a millisecond if every iteration waits for memory once. Longer strips gain nothing:
// at 4096 iterations the overhead of a strip is below one per cent of the cheapest loop.
#include "jit/analysis/strip_mining.h"

#include "vm/api/eventsets.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/plan/plan_intrinsics.h"

enum { STRIP_BYTECODES = 1 << 17, STRIP_LONGEST = 4096, STRIP_SHORTEST = 16, ALLOCATION_WEIGHT = 100 };

enum { KIND_NUMBER = '0' };

// An operand, as far as the analysis needs it.
typedef struct Operand {
    char kind;  // KIND_INT, KIND_REF: the local's value; KIND_NUMBER: a constant; KIND_DEAD: anything else
    unsigned local;
    int32_t offset;  // KIND_INT: relative to the local at the start of the block; KIND_NUMBER: the int
} Operand;

typedef struct Finder {
    const Plan *plan;
    const Dataflow *flow;
    const uint8_t *code;
    uint32_t code_len;
    const StripMiningOptions *options;
    InnerLoop loop;   // being examined
    uint32_t weight;  // bytecodes of an iteration
    Operand bound;    // the operand that the test compares the induction variable with
    bool *stored;     // by local: somewhere in the loop
    // State of the abstract interpretation of a block:
    Operand *stack;
    uint32_t depth, room;
    int32_t *moved;   // by local: by iinc since the block's start
    bool *lost;       // by local: stored into
    Operand *latest;  // by local: the value stored, KIND_NUMBER or unknown
} Finder;

static void *allocate(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) abort();
    return p;
}

// ---- the blocks of a loop -------------------------------------------------------------------------

static uint32_t out_edge(const Dataflow *flow, const FlowBlock *b, uint32_t i) {
    return i < b->succ_count ? flow->edges[b->first_succ + i]
                             : flow->handlers[b->first_handler + i - b->succ_count].block;
}

static bool has_edge(const Dataflow *flow, uint32_t from, uint32_t to) {
    const FlowBlock *b = &flow->blocks[from];
    for (uint32_t i = 0; i < b->succ_count + b->handler_count; i++)
        if (out_edge(flow, b, i) == to) return true;
    return false;
}

static bool dominates(const Dataflow *flow, uint32_t a, uint32_t b) {
    return cfg_dominates(flow->cfg, flow->blocks[a].cfg_block, flow->blocks[b].cfg_block);
}

// Without subroutines FlowBlocks are the blocks of the CFG, so the CFG's dominators apply.
static bool is_latch(const Finder *f, uint32_t block) {
    return dominates(f->flow, f->loop.header, block) && has_edge(f->flow, block, f->loop.header);
}

// False: the loop contains another loop.
static bool find_body(Finder *f) {
    const Dataflow *flow = f->flow;
    bool grown = true;
    while (grown) {
        grown = false;
        for (uint32_t i = flow->block_count; i-- > 0;) {
            uint32_t b = flow->order[i];
            if (f->loop.body[b] || !dominates(flow, f->loop.header, b)) continue;
            const FlowBlock *k = &flow->blocks[b];
            bool reaches = is_latch(f, b);
            for (uint32_t e = 0; e < k->succ_count + k->handler_count && !reaches; e++) {
                uint32_t to = out_edge(flow, k, e);
                reaches = to != f->loop.header && f->loop.body[to];
            }
            if (!reaches) continue;
            f->loop.body[b] = grown = true;
            if (b != f->loop.header && flow->blocks[b].is_loop_header) return false;
        }
    }
    return f->loop.body[f->loop.header];
}

// ---- weight of an iteration ------------------------------------------------------------------------

static bool has_loops(const Dataflow *flow) {
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (flow->blocks[i].is_loop_header) return true;
    return false;
}

static bool weigh(Finder *f, const Plan *plan, uint32_t start, uint32_t end);

// A call that is not inlined polls by itself, so a loop around it gains nothing from strip mining. The slow path of an
// intrinsic is such a call, but is hardly ever taken.
static bool weigh_call(Finder *f, const PlanSite *ps) {
    const Plan *callee = ps ? ps->inlined : NULL;
    if (ps && ps->more_count) return false;
    if (!ps || ps->site.kind == SITE_UNRESOLVED) return true;
    if (ps->site.kind == SITE_OBJECT_INIT || ps->call == CALL_GUARDED) f->loop.exact = false;
    if (ps->site.kind == SITE_OBJECT_INIT) return true;
    if (!callee) {
        IntrinsicForm form = intrinsics_form(plan_callee(ps));
        if (form == INTRINSIC_FAST_PATH) f->loop.exact = false;
        return form == INTRINSIC_EXPANDED || form == INTRINSIC_FAST_PATH;
    }
    for (uint32_t i = 0; i < callee->flow->block_count; i++)
        if (callee->flow->blocks[i].handler_count) f->loop.closed = false;
    return !has_loops(callee->flow) && !callee->flow->has_subroutines && weigh(f, callee, 0, callee->code->code_len);
}

static bool weigh_instruction(Finder *f, const Plan *plan, uint32_t bci) {
    const PlanSite *ps = plan_site(plan, bci);
    unsigned op = plan->code->code[bci], flags = opcodes_info[op].flags;
    bool uses_class = op == OPC_getstatic || op == OPC_putstatic || op == OPC_invokestatic || op == OPC_new;
    if (uses_class && ps && !ps->site.initialized) f->loop.exact = false;
    if (flags & OPF_INVOKE) return weigh_call(f, ps);
    if (op == OPC_newarray || op == OPC_anewarray || op == OPC_multianewarray) return false;
    if (flags & OPF_MONITOR) return false;
    if (op == OPC_new) f->weight += ALLOCATION_WEIGHT;
    return true;
}

// Adds the weight of the instructions. False: one of them may take long.
static bool weigh(Finder *f, const Plan *plan, uint32_t start, uint32_t end) {
    const ClassFileCode *code = plan->code;
    for (uint32_t bci = start, step; bci < end; bci += step) {
        step = opcodes_length(code->code, code->code_len, bci);
        if (!step || !weigh_instruction(f, plan, bci)) return false;
    }
    f->weight += end - start;
    return true;
}

static uint32_t strip_length(const Finder *f) {
    if (f->options->length) return f->options->length;
    uint32_t length = STRIP_BYTECODES / f->weight;
    return length > STRIP_LONGEST ? STRIP_LONGEST : length < STRIP_SHORTEST ? STRIP_SHORTEST : length;
}

// ---- the test ---------------------------------------------------------------------------------------

static void push(Finder *f, Operand v) {
    if (f->depth < f->room) f->stack[f->depth++] = v;
}

static Operand pop(Finder *f) { return f->depth > 0 ? f->stack[--f->depth] : (Operand){0}; }

// The type that `*` denotes in the instruction's stack effect.
static char operand_type(const Finder *f, uint32_t bci) {
    const PlanSite *ps = plan_site(f->plan, bci);
    unsigned op = f->code[bci];
    if (ps && ps->site.field) return ps->site.field->type;
    return op == OPC_ldc2_w ? 'J' : 'I';
}

static int32_t increment(const uint8_t *code, uint32_t bci) {
    return code[bci] == OPC_wide ? bytes_s2(code + bci + 4) : bytes_s1(code + bci + 2);
}

// Sets InnerLoop.promotes by a field access, or by an inlined method, which may access fields of its receiver.
static void pass_field(Finder *f, uint32_t bci) {
    unsigned op = opcodes_at(f->code, bci);
    uint32_t above = op == OPC_putfield ? descriptor_slots(operand_type(f, bci)) : 0;
    if (op == OPC_getstatic || op == OPC_putstatic) f->loop.promotes = true;
    if (op == OPC_invokevirtual || op == OPC_invokespecial || op == OPC_invokeinterface) {
        const PlanSite *ps = plan_site(f->plan, bci);
        const Plan *callee = ps ? plan_inlined(ps, 0) : NULL;
        if (!callee) return;
        above = callee->method->nargs - 1u;
    } else if (op != OPC_getfield && op != OPC_putfield) {
        return;
    }
    if (f->depth > above && f->stack[f->depth - 1 - above].kind == KIND_REF) f->loop.promotes = true;
}

static void pass_instruction(Finder *f, uint32_t bci) {
    unsigned op = opcodes_at(f->code, bci), index = 0, flags = opcodes_info[op].flags;
    unsigned slots = opcodes_local(f->code, bci, &index);
    bool loads_int = op == OPC_iload || (op >= OPC_iload_0 && op <= OPC_iload_3);
    bool loads_reference = op == OPC_aload || (op >= OPC_aload_0 && op <= OPC_aload_3);
    pass_field(f, bci);
    if (op == OPC_iinc) {
        uint32_t by = (uint32_t)increment(f->code, bci);
        f->moved[index] = (int32_t)((uint32_t)f->moved[index] + by);
        f->latest[index].offset = (int32_t)((uint32_t)f->latest[index].offset + by);
    } else if (op >= OPC_iconst_m1 && op <= OPC_iconst_5) {
        push(f, (Operand){KIND_NUMBER, 0, (int32_t)op - OPC_iconst_0});
    } else if (op == OPC_bipush || op == OPC_sipush) {
        const uint8_t *number = f->code + bci + 1;
        push(f, (Operand){KIND_NUMBER, 0, op == OPC_bipush ? bytes_s1(number) : bytes_s2(number)});
    } else if (loads_int && !f->lost[index]) {
        push(f, (Operand){KIND_INT, index, f->moved[index]});
    } else if (loads_reference && !f->stored[index]) {
        push(f, (Operand){KIND_REF, index, 0});
    } else if (op == OPC_dup || op == OPC_dup2) {
        uint32_t copied = op == OPC_dup ? 1 : 2, depth = f->depth;
        for (uint32_t i = 0; i < copied; i++) push(f, depth < copied ? (Operand){0} : f->stack[depth - copied + i]);
    } else if (flags & OPF_INVOKE) {
        f->depth = 0;
    } else if (slots && (flags & OPF_STORE)) {
        Operand v = {0};
        for (unsigned i = 0; i < slots; i++) {
            v = pop(f);
            f->lost[index + i] = true;
            f->latest[index + i] = (Operand){0};
        }
        if (slots == 1 && v.kind == KIND_NUMBER) f->latest[index] = v;
    } else if (slots) {
        while (slots-- > 0) push(f, (Operand){0});
    } else {
        const char *effect = opcodes_info[op].effect;
        if (flags & OPF_ARRAY) {  // an access to an element: "AI>..." or "AIx>"
            uint32_t above = effect[2] == '>' ? 1 : 1 + descriptor_slots(effect[2]), i = 0;
            Operand array = f->depth > above ? f->stack[f->depth - 1 - above] : (Operand){0};
            while (i < f->loop.array_count && f->loop.arrays[i] != array.local) i++;
            if (array.kind == KIND_REF && i == f->loop.array_count) f->loop.arrays[f->loop.array_count++] = array.local;
        }
        for (; *effect && *effect != '>'; effect++)
            for (unsigned i = descriptor_slots(*effect == '*' ? operand_type(f, bci) : *effect); i-- > 0;) pop(f);
        for (effect += *effect == '>'; *effect; effect++)
            for (unsigned i = descriptor_slots(*effect == '*' ? operand_type(f, bci) : *effect); i-- > 0;)
                push(f, (Operand){0});
    }
}

// Interprets the block up to its last instruction. Returns the bci of that instruction.
static uint32_t pass_block(Finder *f, uint32_t block) {
    const FlowBlock *b = &f->flow->blocks[block];
    uint32_t locals = f->flow->max_locals;
    memset(f->moved, 0, locals * sizeof *f->moved);
    memset(f->lost, 0, locals * sizeof *f->lost);
    memset(f->latest, 0, locals * sizeof *f->latest);
    f->depth = 0;
    uint32_t bci = b->start;
    for (uint32_t step; bci < b->end; bci += step) {
        step = opcodes_length(f->code, f->code_len, bci);
        if (!step || bci + step >= b->end) break;
        pass_instruction(f, bci);
    }
    return bci;
}

static void find_arrays(Finder *f) {
    f->loop.array_count = 0;  // found before `stored` was known, as was `promotes`
    f->loop.promotes = false;
    memset(f->stored, 0, f->flow->max_locals * sizeof *f->stored);
    for (uint32_t b = 0; b < f->flow->block_count; b++) {
        uint32_t bci = f->flow->blocks[b].start, end = f->loop.body[b] ? f->flow->blocks[b].end : bci;
        for (; bci < end; bci += opcodes_length(f->code, f->code_len, bci)) {
            unsigned index, slots = opcodes_local(f->code, bci, &index);
            if (!slots || !(opcodes_info[opcodes_at(f->code, bci)].flags & OPF_STORE)) continue;
            while (slots-- > 0) f->stored[index++] = true;
        }
    }
    for (uint32_t b = 0; b < f->flow->block_count; b++)
        if (f->loop.body[b]) pass_instruction(f, pass_block(f, b));
}

// Whether the instruction can be repeated before the comparison: it changes nothing but the induction variable.
// Repeating a memory access would count it twice where it is an event.
static bool is_repeatable(const Finder *f, uint32_t bci) {
    unsigned op = opcodes_at(f->code, bci), index = 0, flags = opcodes_info[op].flags;
    opcodes_local(f->code, bci, &index);
    if (!f->options->sampled && f->plan->events & EVENTS_NEVER_EVERYWHERE) return false;
    if (op == OPC_iinc) return index == f->loop.local;
    if (op == OPC_ldc || op == OPC_ldc_w || op == OPC_ldc2_w) return true;
    if (op >= OPC_iastore && op <= OPC_sastore) return false;
    if (flags & (OPF_FIELD | OPF_ARRAY))
        return op != OPC_putfield && op != OPC_putstatic &&
            (f->options->sampled || !(f->plan->events & events_made_by(flags)));
    return !(flags & (OPF_STORE | OPF_INVOKE | OPF_ALLOC | OPF_MONITOR));
}

// `number`: of the branch's condition in the order of ifeq ... ifle. False: equality, which does not tell the side of
// the bound.
static bool condition_of(unsigned number, bool negated, bool swapped, LoopCondition *out) {
    static const LoopCondition plain[] = {0, 0, LOOP_LT, LOOP_GE, LOOP_GT, LOOP_LE};
    static const LoopCondition negation[] = {LOOP_GE, LOOP_GT, LOOP_LE, LOOP_LT};
    static const LoopCondition mirror[] = {LOOP_GT, LOOP_GE, LOOP_LT, LOOP_LE};
    if (number < 2 || number > 5) return false;
    LoopCondition c = plain[number];
    if (negated) c = negation[c];
    *out = swapped ? mirror[c] : c;
    return true;
}

// ---- the induction variable -----------------------------------------------------------------------

// Adds a movement of the local by `by` in the block. If the block dominates every latch, no iteration skips it, so the
// movement is certain.
static bool add_movement(Finder *f, uint32_t block, int32_t by) {
    enum { FURTHEST = 1 << 16 };
    InnerLoop *l = &f->loop;
    bool always = true;
    if (by == 0 || (l->reach != 0 && (l->reach < 0) != (by < 0))) return by == 0;
    for (uint32_t b = 0; b < f->flow->block_count; b++)
        if (l->body[b] && is_latch(f, b) && !dominates(f->flow, block, b)) always = false;
    l->reach += by;
    if (always) l->step += by;
    return l->reach < FURTHEST && l->reach > -FURTHEST;
}

// Takes every store to the local in the loop into account.
static bool follow_local(Finder *f) {
    f->loop.step = f->loop.reach = 0;
    for (uint32_t b = 0; b < f->flow->block_count; b++) {
        const FlowBlock *k = &f->flow->blocks[b];
        if (!f->loop.body[b]) continue;
        for (uint32_t bci = k->start; bci < k->end; bci += opcodes_length(f->code, f->code_len, bci)) {
            unsigned op = opcodes_at(f->code, bci), index, slots = opcodes_local(f->code, bci, &index);
            if (!slots || !(opcodes_info[op].flags & OPF_STORE)) continue;
            if (f->loop.local < index || f->loop.local >= index + slots) continue;
            if (op != OPC_iinc || !add_movement(f, b, increment(f->code, bci))) return false;
        }
    }
    return f->loop.step != 0;
}

// ---- the loop ---------------------------------------------------------------------------------------

static bool take_operand(Finder *f, Operand v, bool left, unsigned number) {
    InnerLoop *l = &f->loop;
    if (v.kind != KIND_INT) return false;
    l->local = v.local;
    l->left = left;
    l->offset = v.offset;
    if (!condition_of(number, l->stay == 1, !left, &l->condition) || !follow_local(f)) return false;
    bool bounded_above = l->condition == LOOP_LT || l->condition == LOOP_LE;
    return bounded_above == (l->step > 0);
}

// Whether the block ends with the loop's test.
static bool try_test(Finder *f, uint32_t block) {
    InnerLoop *l = &f->loop;
    const FlowBlock *b = &f->flow->blocks[block];
    const uint32_t *succ = f->flow->edges + b->first_succ;
    if (b->succ_count != 2 || b->stack_depth != 0 || l->body[succ[0]] == l->body[succ[1]]) return false;
    l->test = block;
    l->stay = l->body[succ[0]] ? 0 : 1;
    l->first = !is_latch(f, block);
    uint32_t bci = pass_block(f, block);
    unsigned op = f->code[bci];
    bool zero = op >= OPC_ifeq && op <= OPC_ifle, two = op >= OPC_if_icmpeq && op <= OPC_if_icmple;
    if (!(zero || two) || f->depth != (zero ? 1u : 2u)) return false;
    unsigned number = op - (zero ? OPC_ifeq : OPC_if_icmpeq);
    Operand right = zero ? (Operand){KIND_NUMBER, 0, 0} : f->stack[1], left = f->stack[0];
    if (!take_operand(f, left, true, number) && !take_operand(f, right, false, number)) return false;
    f->bound = l->left ? right : left;
    l->advance = l->first ? f->moved[l->local] : 0;
    if (!l->first) l->offset = 0;
    for (uint32_t at = b->start; l->first && at < bci; at += opcodes_length(f->code, f->code_len, at))
        if (!is_repeatable(f, at)) return false;
    return true;
}

// ---- loops with constant bounds ---------------------------------------------------------------------

// The only block outside the loop from which control enters it, or CFG_NONE.
static uint32_t block_before(const Finder *f) {
    uint32_t before = CFG_NONE;
    if (f->loop.header == 0) return CFG_NONE;  // the method's entry also leads here
    for (uint32_t b = 0; b < f->flow->block_count; b++) {
        if (f->loop.body[b] || !has_edge(f->flow, b, f->loop.header)) continue;
        if (before != CFG_NONE) return CFG_NONE;
        before = b;
    }
    return before;
}

static void count_checks(Finder *f) {
    InnerLoop *l = &f->loop;
    l->before = block_before(f);
    if (!l->first || l->before == CFG_NONE) return;
    if (!strip_mining_has_constant_step(l) || f->bound.kind != KIND_NUMBER) return;
    pass_instruction(f, pass_block(f, l->before));
    Operand start = f->latest[l->local];
    if (start.kind != KIND_NUMBER) return;
    // How often the test continues the loop.
    bool up = l->step > 0, equal = l->condition == LOOP_LE || l->condition == LOOP_GE;
    int64_t way = (int64_t)start.offset + l->offset - f->bound.offset, step = up ? l->step : -(int64_t)l->step;
    way = (up ? -way : way) + equal;
    int64_t count = way > 0 ? (way + step - 1) / step : 0;
    l->start = start.offset;
    l->checks = count > 0 && count <= l->length ? (uint32_t)count + 1 : 0;
}

// Every iteration has to pass the test: it is in the header, or in the only latch.
static bool find_test(Finder *f) {
    uint32_t latches = 0, latch = 0;
    for (uint32_t b = 0; b < f->flow->block_count; b++) {
        if (!f->loop.body[b] || !is_latch(f, b)) continue;
        latch = b;
        latches++;
    }
    if (latches == 1 && try_test(f, latch)) return true;
    return !is_latch(f, f->loop.header) && try_test(f, f->loop.header);
}

static bool examine(Finder *f, uint32_t header) {
    const FlowBlock *h = &f->flow->blocks[header];
    if (!h->is_loop_header || h->is_handler || h->stack_depth != 0) return false;
    f->loop = (InnerLoop){.header = header,
                          .test = CFG_NONE,
                          .exact = true,
                          .closed = true,
                          .body = allocate(f->flow->block_count, sizeof(bool)),
                          .arrays = allocate(f->flow->max_locals, sizeof(uint32_t))};
    f->weight = 0;
    bool fine = find_body(f);
    for (uint32_t b = 0; fine && b < f->flow->block_count; b++)
        fine = !f->loop.body[b] || weigh(f, f->plan, f->flow->blocks[b].start, f->flow->blocks[b].end);
    if (fine) {
        for (uint32_t b = 0; b < f->flow->block_count; b++) {
            const FlowBlock *block = &f->flow->blocks[b];
            if (!f->loop.body[b]) continue;
            for (uint32_t i = 0; i < block->handler_count; i++)
                if (f->loop.body[f->flow->handlers[block->first_handler + i].block]) f->loop.closed = false;
        }
        if (find_test(f)) {
            f->loop.length = strip_length(f);
            count_checks(f);
            find_arrays(f);
            return true;
        }
        f->loop.test = CFG_NONE;
        if (f->options->sampled) {
            find_arrays(f);
            return true;
        }
    }
    free(f->loop.body);
    free(f->loop.arrays);
    return false;
}

// Under stress a strip is one iteration, so that the code polls and is left no less often.
StripMiningOptions strip_mining_options(const Plan *root, const CompilerOptions *options) {
    uint32_t length = options->strip_length;
    if (!length) length = root->stress || options->poll_everywhere ? 1 : 0;
    return (StripMiningOptions){.on = options->strips, .length = length};
}

InnerLoops strip_mining_find(const Plan *plan, const StripMiningOptions *options) {
    const Dataflow *flow = plan->flow;
    InnerLoops all = {0};
    if (flow->irreducible || flow->has_subroutines || !has_loops(flow)) return all;
    Finder f = {.plan = plan,
                .flow = flow,
                .code = plan->code->code,
                .code_len = plan->code->code_len,
                .options = options,
                .room = flow->max_stack + 2u};
    f.stack = allocate(f.room, sizeof *f.stack);
    f.moved = allocate(flow->max_locals + 2u, sizeof *f.moved);
    f.lost = allocate(flow->max_locals + 2u, sizeof *f.lost);
    f.stored = allocate(flow->max_locals + 2u, sizeof *f.stored);
    f.latest = allocate(flow->max_locals + 2u, sizeof *f.latest);
    all.loops = allocate(flow->block_count, sizeof *all.loops);
    for (uint32_t b = 0; b < flow->block_count; b++)
        if (examine(&f, b)) all.loops[all.count++] = f.loop;
    free(f.stack);
    free(f.moved);
    free(f.lost);
    free(f.stored);
    free(f.latest);
    return all;
}

void strip_mining_free(InnerLoops *loops) {
    for (uint32_t i = 0; i < loops->count; i++) {
        free(loops->loops[i].body);
        free(loops->loops[i].arrays);
    }
    free(loops->loops);
    *loops = (InnerLoops){0};
}
