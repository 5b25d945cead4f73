// Strip-mined loops (jit/analysis/strip_mining.h decides which).
//
//        entry:  limit = strip_limit(i)          from before the loop
//        header: ...
//        test:   continues while i < min(bound, limit)
//                          otherwise -> end
//        end:    i < bound?  no: out of the loop
//                            yes: poll -> entry
//
// A strip is the inner loop. It has one test and no poll, so LLVM sees a counted loop: limits keep a distance from the
// largest int, so the variable cannot wrap around inside a strip, whatever the bound. LLVM itself recognises a bound
// that does not change. If the test comes first, the header is executed again after the poll, so the test must hold
// then for the loop to make progress. Only a loop that really runs beyond the largest int has no such limit; it leaves
// for the interpreter.
//
// The deoptimisation point is in the poll, with the locals of the loop's header.
//
// Sampled code. Each execution of a header is a check, so a strip has as many iterations as there are checks left in
// the budget:
//
//        check:  --budget < 0? rt_sample, which may decide that the code is left
//        entry:  limit also from the budget
//        ...     backedge: i gives the number of iterations; if its step varies, --budget, in a register
//        end:    i < bound?  no: the budget, less the iterations, back to the thread, out of the loop
//                            yes: the budget back, poll -> check
//
// Checks that are far from a sample are granted here, a strip's worth at a time, as sampling_next would do.
//
// Control may come from the check with any i, so LLVM does not know the trip count of such a loop, even if it counts
// from one constant to another. Those loops have one more version, which makes no checks and in which i has its first
// value. Edges from outside make no check. They lead to this version if the budget suffices for the whole loop,
// otherwise to the first strip:
//
//        free:   budget < header's executions?  yes: entry
//                                               no: the loop as without sampling, the budget less the iterations
//
// Other loops without calls only keep the budget in a register. Code that may run other code or that leaves the loop
// (Frames.version) gives the budget back first.
#include "jit/emit/emit_core.h"
#include "jit/plan/plan_counts.h"

static LLVMValueRef extreme(Ir *ir, bool smallest, LLVMValueRef a, LLVMValueRef b) {
    return ir_intrinsic(ir, smallest ? "llvm.smin" : "llvm.smax", ir->i32, (LLVMValueRef[]){a, b}, 2);
}

static const LLVMIntPredicate predicates[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};  // by condition

// The last limit that the variable can reach without wrapping around before the next test.
static int32_t last_limit(const InnerLoop *l) {
    bool or_equal = l->condition == LOOP_LE || l->condition == LOOP_GE;
    if (l->step > 0) return INT32_MAX - (l->reach - 1) - or_equal;
    return INT32_MIN - (l->reach + 1) + or_equal;
}

// The limit of a strip with `length` (i32) iterations: the first value that is compared, found from the variable in
// `slot`, plus a distance, saturated.
static LLVMValueRef strip_limit(Emit *e, const InnerLoop *l, LLVMValueRef slot, LLVMValueRef length) {
    Ir *ir = e->ir;
    LLVMValueRef last = ir_int(ir, last_limit(l));
    if (l->condition == LOOP_LE || l->condition == LOOP_GE)
        length = LLVMBuildNSWSub(ir->builder, length, ir_int(ir, 1), "");
    LLVMValueRef distance = LLVMBuildNSWMul(ir->builder, length, ir_int(ir, l->step), "");
    LLVMValueRef value = LLVMBuildLoad2(ir->builder, ir->i32, slot, "");
    value = LLVMBuildAdd(ir->builder, value, ir_int(ir, l->offset), "");
    LLVMValueRef near = extreme(ir, l->step > 0, value, LLVMBuildSub(ir->builder, last, distance, ""));
    LLVMValueRef limit = LLVMBuildNSWAdd(ir->builder, near, distance, "limit");
    return LLVMIsConstant(distance) ? limit : extreme(ir, l->step > 0, limit, last);  // LLVM's ranges lose `near`
}

// 0 before emit_loops_begin.
static uint32_t loop_count(const JavaFrame *f) { return f->loops ? f->versions->loops.count : 0; }

// Whether the code being emitted belongs to the loop, in a strip-mined version.
static bool is_inside(const Emit *e, const EmitLoop *s) {
    return e->frames->version.kind != VERSION_DUPLICATED && s->loop->body[e->frames->top->block] &&
        !emit_versions_is_prologue(e, e->frames->top->node);
}

// ---- arrays --------------------------------------------------------------------------------------------

static void make_lengths(Emit *e, EmitLoop *s) {
    s->lengths = grow_zeroed(s->loop->array_count, sizeof *s->lengths);
    for (uint32_t i = 0; i < s->loop->array_count; i++) s->lengths[i] = ir_alloca(e->ir, e->ir->i32, "length");
}

static void read_lengths(Emit *e, const EmitLoop *s) {
    Ir *ir = e->ir;
    for (uint32_t i = 0; i < s->loop->array_count; i++) {
        // Read once before the strip or the loop, so that the index tests in the loop have an invariant operand and
        // also test for null: LLVM can then compute the trip count. In sampled code LLVM would not move the tests out
        // of the loop either, because exceptions need the budget.
        LLVMValueRef array = frames_reload_local(e->frames, e->frames->top, s->loop->arrays[i], KIND_REF);
        LLVMBasicBlockRef some = ir_block(ir, "some"), next = ir_block(ir, "length");
        LLVMBuildStore(ir->builder, ir_int(ir, 0), s->lengths[i]);
        ir_branch(ir, ir_is_null(ir, array), next, some, 0);
        ir_at(ir, some);
        LLVMBuildStore(ir->builder, ir_array_length(ir, array), s->lengths[i]);
        ir_jump(ir, next);
        ir_at(ir, next);
    }
}

// Finds the array by its value: the value of a local in this block is the one at the beginning of the strip.
LLVMValueRef emit_loop_array_length(Emit *e, LLVMValueRef array) {
    const JavaFrame *f = e->frames->top;
    const EmitLoop *s = NULL;
    for (uint32_t i = 0; i < loop_count(f) && !s; i++)
        if (f->loops[i].lengths && is_inside(e, &f->loops[i])) s = &f->loops[i];
    for (uint32_t i = 0; s && i < s->loop->array_count; i++) {
        uint32_t local = s->loop->arrays[i];
        if (f->local_kinds[local] == KIND_REF && f->cached[local] == array)
            return LLVMBuildLoad2(e->ir->builder, e->ir->i32, s->lengths[i], "");
    }
    return NULL;
}

// ---- the budget -------------------------------------------------------------------------------------

static void add_to_budget(Emit *e, LLVMValueRef slot, int n) {
    Ir *ir = e->ir;
    LLVMValueRef budget = LLVMBuildLoad2(ir->builder, ir->i32, slot, "");
    LLVMBuildStore(ir->builder, LLVMBuildAdd(ir->builder, budget, ir_int(ir, n), ""), slot);
}

const EmitLoop *emit_loop_around(const JavaFrame *f) {
    for (; f; f = f->parent)
        for (uint32_t i = 0; i < loop_count(f); i++)
            if (f->loops[i].budget.slot && f->loops[i].loop->body[f->block]) return &f->loops[i];
    return NULL;
}

const LoopBudget *emit_loop_budget(const JavaFrame *f) {
    const EmitLoop *s = emit_loop_around(f);
    return s ? &s->budget : NULL;
}

static void keep_variable(Emit *e, const EmitLoop *s, LLVMValueRef in) {
    LLVMValueRef slot = frames_local_slot(e->frames, e->frames->top, s->loop->local, KIND_INT);
    LLVMBuildStore(e->ir->builder, LLVMBuildLoad2(e->ir->builder, e->ir->i32, slot, ""), in);
}

void emit_loop_block(Emit *e) {
    const JavaFrame *f = e->frames->top;
    for (uint32_t i = 0; e->frames->version.loop && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (&s->budget == e->frames->version.loop && s->budget.at && s->loop->header == f->block)
            keep_variable(e, s, s->budget.at);
    }
}

// The budget for a strip, which needs its length less one: `left` is already granted; more is granted if the next
// sample is far away. After most_granted checks no more is granted here, so that the thread serves its other requests.
static LLVMValueRef more_budget(Emit *e, LLVMValueRef left, uint32_t length) {
    Ir *ir = e->ir;
    const CompilerLayout *l = ir->layout;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef few_left = ir_block(ir, "short"), take = ir_block(ir, "grant"), go = ir_block(ir, "granted");
    LLVMBasicBlockRef from[3] = {LLVMGetInsertBlock(b), few_left, take};
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntSLT, left, ir_int(ir, (int64_t)length - 1), ""), few_left, go, -1);
    ir_at(ir, few_left);
    LLVMValueRef remaining = ir_load(ir, ir->i64, ir->thread, l->thread_sample_remaining);
    LLVMValueRef granted = ir_load(ir, ir->i32, ir->thread, l->thread_sample_granted);
    LLVMValueRef far = LLVMBuildICmp(b, LLVMIntSGT, remaining, ir_long(ir, length), "");
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULT, granted, ir_int(ir, l->sample_most_granted), "");
    ir_branch(ir, LLVMBuildAnd(b, far, few, ""), take, go, -1);
    ir_at(ir, take);
    LLVMValueRef rest = LLVMBuildSub(b, remaining, ir_long(ir, length), "");
    ir_store(ir, rest, ir->thread, l->thread_sample_remaining);
    ir_store(ir, LLVMBuildAdd(b, granted, ir_int(ir, length), ""), ir->thread, l->thread_sample_granted);
    LLVMValueRef more = LLVMBuildAdd(b, left, ir_int(ir, length), "");
    ir_jump(ir, go);
    ir_at(ir, go);
    LLVMValueRef phi = LLVMBuildPhi(b, ir->i32, "budget"), values[3] = {left, left, more};
    LLVMAddIncoming(phi, values, from, 3);
    return phi;
}

// Number of iterations of a strip of sampled code. The header's first execution has already made its check.
static LLVMValueRef sampled_length(Emit *e, const EmitLoop *s) {
    Ir *ir = e->ir;
    const InnerLoop *l = s->loop;
    LLVMValueRef budget = frames_budget_read(e->frames);
    if (l->length > 1) budget = more_budget(e, budget, l->length);
    LLVMBuildStore(ir->builder, budget, s->budget.slot);
    if (s->budget.at) keep_variable(e, s, s->budget.begin);
    LLVMValueRef most = LLVMBuildNSWAdd(ir->builder, budget, ir_int(ir, 1), "");
    return extreme(ir, true, most, ir_int(ir, l->length));
}

// ---- beginning of a strip ---------------------------------------------------------------------------

static void make_entry(Emit *e, EmitLoop *s) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMValueRef slot = frames_local_slot(e->frames, f, s->loop->local, KIND_INT);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
    e->unit->has_strip_mining = true;
    make_lengths(e, s);
    s->entry = ir_block(ir, "strip");
    s->limit = ir_alloca(ir, ir->i32, "limit");
    ir_at(ir, s->entry);
    read_lengths(e, s);
    LLVMValueRef length = s->budget.slot ? sampled_length(e, s) : ir_int(ir, s->loop->length);
    LLVMBuildStore(ir->builder, strip_limit(e, s->loop, slot, length), s->limit);
    ir_jump(ir, emit_versions_block_label(e, LABEL_CHECKING, s->loop->header));
    ir_at(ir, here);
}

// The label for control from outside, with the variable's first value. If the budget suffices for all executions of the
// header, none of their checks is a sample, and no code reads the budget before the loop is left.
static void make_check_free(Emit *e, EmitLoop *s) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), enough = ir_block(ir, "enough");
    LLVMValueRef checks = ir_int(ir, s->loop->checks);
    s->check_free = ir_block(ir, "check-free");
    ir_at(ir, s->check_free);
    LLVMValueRef budget = frames_budget_read(e->frames);
    // Entering makes no check.
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntSGE, budget, checks, ""), enough, s->entry, 1);
    ir_at(ir, enough);
    LLVMBuildStore(ir->builder, budget, s->budget.slot);
    LLVMBuildStore(ir->builder, ir_int(ir, s->loop->start), s->budget.begin);
    read_lengths(e, s);
    ir_jump(ir, emit_versions_block_label(e, LABEL_CHECK_FREE, s->loop->header));
    ir_at(ir, here);
}

static void make_sampled(Emit *e, EmitLoop *s, bool strips) {
    Ir *ir = e->ir;
    enum { FEW = 16, VERY_FEW = 3 };
    const InnerLoop *l = s->loop;
    uint64_t counts[2];
    s->budget.slot = ir_alloca(ir, ir->i32, "budget");
    strips = strips && strip_mining_fits_sampling(l);
    // With few iterations on average, beginning and ending a strip costs more than counting each of them, unless values
    // can stay in registers.
    if (strips && l->test != CFG_NONE && counts_of_edges(e->frames->top->plan, l->test, counts))
        strips = counts[l->stay] / (l->promotes ? VERY_FEW : FEW) >= counts[1 - l->stay];
    if (!strips) {
        make_lengths(e, s);
        s->again = ir_block(ir, "again");
        return;
    }
    if (strip_mining_has_constant_step(s->loop)) {
        s->budget.step = s->loop->step;
        s->budget.begin = ir_alloca(ir, ir->i32, "begin");
        s->budget.at = ir_alloca(ir, ir->i32, "at");
    }
    make_entry(e, s);
    bool known = s->loop->checks && e->frames->top->versions->first[s->loop->before] != CFG_NONE;
    if (known && !e->unit->options->poll_everywhere) make_check_free(e, s);
}

void emit_loops_begin(Emit *e) {
    JavaFrame *f = e->frames->top;
    const VersionFrame *v = f->versions;
    f->loops = grow_zeroed(v->loops.count, sizeof *f->loops);
    for (uint32_t i = 0; i < v->loops.count; i++) {
        EmitLoop *s = &f->loops[i];
        s->loop = &v->loops.loops[i];
        if (v->first[s->loop->header] == CFG_NONE) continue;
        if (v->checks[i] == LOOP_CHECKS_AT_HEADER || v->checks[i] == LOOP_CHECKS_AT_ENTRIES)
            make_sampled(e, s, v->checks[i] == LOOP_CHECKS_AT_HEADER);
        else if (v->checks[i] == LOOP_CHECKS_NONE && strip_mining_is_counted(s->loop)) make_entry(e, s);
    }
}

// ---- edges ------------------------------------------------------------------------------------------

const EmitLoop *emit_loop_at(const JavaFrame *f, uint32_t header) {
    for (uint32_t i = 0; i < loop_count(f); i++)
        if (f->loops[i].loop->header == header) return &f->loops[i];
    return NULL;
}

void emit_loop_keep(Emit *e, const EmitLoop *s) {
    LLVMBuildStore(e->ir->builder, frames_budget_read(e->frames), s->budget.slot);
    read_lengths(e, s);
}

LLVMBasicBlockRef emit_loop_enter(Emit *e, uint32_t block, LLVMBasicBlockRef otherwise) {
    Ir *ir = e->ir;
    const JavaFrame *f = e->frames->top;
    const EmitLoop *s = emit_loop_at(f, block);
    if (!s || !s->budget.slot || (s->loop->body[f->block] && !emit_versions_is_prologue(e, e->frames->top->node)))
        return otherwise;
    if (s->check_free) return s->check_free;
    if (!s->again) return otherwise;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), enter = ir_block(ir, "enter");
    ir_at(ir, enter);
    emit_loop_keep(e, s);
    ir_jump(ir, otherwise);
    ir_at(ir, here);
    return enter;
}

LLVMBasicBlockRef emit_loop_from_outside(const Emit *e, uint32_t block, LLVMBasicBlockRef check) {
    const JavaFrame *f = e->frames->top;
    const EmitLoop *s = emit_loop_at(f, block);
    return s && s->check_free && !s->loop->body[f->block] ? s->check_free : check;
}

LLVMBasicBlockRef emit_loop_backedge(Emit *e, uint32_t block) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    const EmitLoop *s = emit_loop_at(f, block);
    if (!s || !is_inside(e, s) || (!s->entry && !s->again)) return NULL;
    if (s->again) return s->again;
    EmitLabel which = e->frames->version.kind == VERSION_CHECK_FREE ? LABEL_CHECK_FREE : LABEL_CHECKING;
    LLVMBasicBlockRef header = emit_versions_block_label(e, which, block);
    if (!s->budget.slot || s->budget.at) return header;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "back");
    ir_at(ir, edge);
    add_to_budget(e, s->budget.slot, -1);
    ir_jump(ir, header);
    ir_at(ir, here);
    return edge;
}

bool emit_loop_is_left(const Emit *e, uint32_t block) {
    const JavaFrame *f = e->frames->top;
    for (uint32_t i = 0; e->frames->version.loop && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (&s->budget == e->frames->version.loop && is_inside(e, s)) return !s->loop->body[block];
    }
    return false;
}

// ---- the test, and the end of a strip ----------------------------------------------------------------

// Leaves the code if a strip that begins here would end before the loop made progress.
static void test_overflow(Emit *e, const InnerLoop *l, LLVMValueRef value) {
    Ir *ir = e->ir;
    int32_t last = last_limit(l);
    if (!l->first || last == INT32_MAX || last == INT32_MIN) return;
    LLVMBasicBlockRef out = ir_block(ir, "overflow"), fine = ir_block(ir, "more");
    LLVMValueRef holds = LLVMBuildICmp(ir->builder, predicates[l->condition], value, ir_int(ir, last), "");
    ir_branch(ir, holds, fine, out, 1);
    ir_at(ir, out);
    emit_deopt_at(e, DEOPT_overflow, l->header);
    ir_at(ir, fine);
}

// Ends the block: back to the check, which will count this execution of the header. If the poll leaves the code, the
// interpreter makes that check.
static void back_to_check(Emit *e, const EmitLoop *s, LLVMValueRef value) {
    Version version = e->frames->version;
    e->frames->version.kind = VERSION_UNCHECKED;
    if (s->loop->first) add_to_budget(e, s->budget.slot, 1);
    test_overflow(e, s->loop, value);
    frames_budget_save(e->frames);
    e->frames->version.loop = NULL;
    emit_poll(e, s->loop->header, emit_versions_block_label(e, LABEL_CHECK, s->loop->header));
    e->frames->version = version;
}

static const EmitLoop *tested_at(const Emit *e) {
    const JavaFrame *f = e->frames->top;
    for (uint32_t i = 0; e->frames->version.kind != VERSION_CHECK_FREE && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (s->entry && s->loop->test == f->block && is_inside(e, s)) return s;
    }
    return NULL;
}

bool emit_loop_test(Emit *e, unsigned op) {
    Ir *ir = e->ir;
    const EmitLoop *s = tested_at(e);
    if (!s) return false;
    const InnerLoop *l = s->loop;
    LLVMValueRef b = op <= OPC_ifle ? ir_int(ir, 0) : frames_pop(e->frames), a = frames_pop(e->frames);
    LLVMValueRef value = l->left ? a : b, bound = l->left ? b : a;
    LLVMValueRef limit = LLVMBuildLoad2(ir->builder, ir->i32, s->limit, "");
    LLVMValueRef nearer = extreme(ir, l->step > 0, bound, limit);
    LLVMBasicBlockRef stay = probe_branch_edge(e->probes, l->stay, !l->stay, emit_edge(e, l->stay));
    LLVMBasicBlockRef out = probe_branch_edge(e->probes, 1 - l->stay, l->stay, emit_edge(e, 1 - l->stay));
    LLVMBasicBlockRef end = ir_block(ir, "end"), more = ir_block(ir, "next");
    // A test that comes first is executed again in the next strip: where this strip ends, it has decided nothing.
    LLVMBasicBlockRef next = l->first ? more : probe_branch_edge(e->probes, l->stay, !l->stay, more);
    ir_branch(ir, LLVMBuildICmp(ir->builder, predicates[l->condition], value, nearer, ""), stay, end, 1);
    // The average trip count: LLVM neither vectorises nor unrolls loops with few iterations.
    uint64_t counts[2];
    if (counts_of_edges(e->frames->top->plan, l->test, counts))
        ir_edge_weights(ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(ir->builder)),
                        (uint64_t[]){counts[l->stay], counts[1 - l->stay]}, 2);
    ir_at(ir, end);
    LLVMValueRef again = LLVMBuildICmp(ir->builder, predicates[l->condition], value, bound, "");
    if (s->budget.slot && l->first) {
        // The execution of the header that ended the strip may have used more of the budget than it may: it is repeated
        // for its check, whatever the bound.
        LLVMValueRef budget = frames_budget_of(e->frames, &s->budget);
        again = LLVMBuildOr(ir->builder, again, LLVMBuildICmp(ir->builder, LLVMIntSLT, budget, ir_int(ir, 0), ""), "");
    }
    ir_branch(ir, again, next, out, -1);
    ir_at(ir, more);
    // Undo the header's change of the variable: the header will be executed again.
    if (l->advance != 0) {
        LLVMValueRef v = frames_load_local(e->frames, l->local, KIND_INT);
        v = LLVMBuildSub(ir->builder, v, ir_int(ir, l->advance), "");
        frames_store_local(e->frames, l->local, KIND_INT, v);
    }
    if (s->budget.slot) {
        back_to_check(e, s, value);
    } else {
        test_overflow(e, l, value);
        emit_poll(e, l->header, s->entry);
    }
    return true;
}
