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
// (Emit.version) gives the budget back first.
//
// Code that is left for samples keeps the budget in the function (Emit.budget) between calls: a load from memory that
// the last check has just stored would stall. The thread receives the budget before any code that may read it.
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/plan/counts.h"

static LLVMValueRef extreme(Emit *e, bool smallest, LLVMValueRef a, LLVMValueRef b) {
    const char *name = smallest ? "llvm.smin" : "llvm.smax";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &e->i32, 1), args[] = {a, b};
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, &e->i32, 1), f, args, 2, "");
}

static bool ascends(const InnerLoop *l) { return l->step > 0; }

static bool or_equal(const InnerLoop *l) { return l->condition == LOOP_LE || l->condition == LOOP_GE; }

// The last limit that the variable can reach without wrapping around before the next test.
static int32_t last_limit(const InnerLoop *l) {
    if (ascends(l)) return INT32_MAX - (l->reach - 1) - or_equal(l);
    return INT32_MIN - (l->reach + 1) + or_equal(l);
}

// Distance from the first compared value to the limit of a strip with `length` (i32) iterations.
static LLVMValueRef strip_distance(Emit *e, const InnerLoop *l, LLVMValueRef length) {
    if (or_equal(l)) length = LLVMBuildNSWSub(e->builder, length, emit_int(e, 1), "");
    return LLVMBuildNSWMul(e->builder, length, emit_int(e, l->step), "");
}

// The limit of a strip in which `value` is compared first: `value` plus the distance, saturated.
static LLVMValueRef strip_limit(Emit *e, const InnerLoop *l, LLVMValueRef value, LLVMValueRef distance) {
    LLVMValueRef last = emit_int(e, last_limit(l));
    LLVMValueRef near = extreme(e, ascends(l), value, LLVMBuildSub(e->builder, last, distance, ""));
    LLVMValueRef limit = LLVMBuildNSWAdd(e->builder, near, distance, "limit");
    return LLVMIsConstant(distance) ? limit : extreme(e, ascends(l), limit, last);  // LLVM's ranges lose `near`
}

static LLVMIntPredicate predicate(const InnerLoop *l) {
    static const LLVMIntPredicate all[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    return all[l->condition];
}

// 0 before emit_loops_begin.
static uint32_t loop_count(const EmitFrame *f) { return f->loops ? f->versions->loops.count : 0; }

// Whether the code being emitted belongs to the loop, in a strip-mined version.
static bool is_inside(const Emit *e, const EmitLoop *s) {
    return e->version.kind != VERSION_DUPLICATED && s->loop->body[e->frame->block] && !emit_versions_in_prologue(e);
}

// ---- arrays --------------------------------------------------------------------------------------------

static void read_lengths(Emit *e, EmitLoop *s) {
    if (!s->lengths) {
        s->lengths = emit_alloc(s->loop->array_count, sizeof *s->lengths);
        for (uint32_t i = 0; i < s->loop->array_count; i++) s->lengths[i] = emit_alloca(e, e->i32, "length");
    }
    for (uint32_t i = 0; i < s->loop->array_count; i++) {
        // Read once for each strip, so that the index tests in the loop have an invariant operand and also test for
        // null: LLVM can then compute the trip count.
        LLVMValueRef array = emit_reload_local(e, e->frame, s->loop->arrays[i], KIND_REF);
        LLVMBasicBlockRef some = emit_block(e, "some"), next = emit_block(e, "length");
        LLVMBuildStore(e->builder, emit_int(e, 0), s->lengths[i]);
        emit_branch(e, emit_is_null(e, array), next, some, 0);
        emit_at(e, some);
        LLVMBuildStore(e->builder, emit_array_length(e, array), s->lengths[i]);
        emit_jump(e, next);
        emit_at(e, next);
    }
}

// Finds the array by its value: the value of a local in this block is the one at the beginning of the strip.
static LLVMValueRef find_length(const EmitFrame *f, const EmitLoop *s, LLVMValueRef array) {
    for (uint32_t i = 0; i < s->loop->array_count; i++) {
        uint32_t local = s->loop->arrays[i];
        if (f->local_kinds[local] == KIND_REF && f->cached[local] == array) return s->lengths[i];
    }
    return NULL;
}

LLVMValueRef emit_loop_array_length(Emit *e, LLVMValueRef array) {
    EmitFrame *f = e->frame;
    for (uint32_t i = 0; i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (!s->lengths || !is_inside(e, s)) continue;
        LLVMValueRef slot = find_length(f, s, array);
        return slot ? LLVMBuildLoad2(e->builder, e->i32, slot, "") : NULL;
    }
    return NULL;
}

// ---- the budget -------------------------------------------------------------------------------------

static void add_to_budget(Emit *e, LLVMValueRef slot, int n) {
    LLVMValueRef budget = LLVMBuildLoad2(e->builder, e->i32, slot, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, budget, emit_int(e, n), ""), slot);
}

// Number of backedges taken since the budget was what `budget` says.
static LLVMValueRef times_back(Emit *e, const EmitLoop *s) {
    LLVMBuilderRef b = e->builder;
    if (!s->at) return emit_int(e, 0);
    LLVMValueRef from = LLVMBuildLoad2(b, e->i32, s->begin, ""), to = LLVMBuildLoad2(b, e->i32, s->at, "");
    LLVMValueRef way = ascends(s->loop) ? LLVMBuildSub(b, to, from, "") : LLVMBuildSub(b, from, to, "");
    return LLVMBuildExactUDiv(b, way, emit_int(e, abs(s->loop->step)), "");
}

static LLVMValueRef budget_now(Emit *e, const EmitLoop *s) {
    LLVMValueRef budget = LLVMBuildLoad2(e->builder, e->i32, s->budget, "");
    return LLVMBuildSub(e->builder, budget, times_back(e, s), "");
}

static LLVMValueRef budget_in_thread(Emit *e) { return emit_load(e, e->i32, e->thread, e->layout->thread_budget); }

static LLVMValueRef known_budget(Emit *e) {
    return e->budget ? LLVMBuildLoad2(e->builder, e->i32, e->budget, "") : budget_in_thread(e);
}

LLVMValueRef emit_budget_read(Emit *e) { return known_budget(e); }

void emit_budget_set(Emit *e, LLVMValueRef budget) {
    if (e->budget) LLVMBuildStore(e->builder, budget, e->budget);
    else emit_store(e, budget, e->thread, e->layout->thread_budget);
}

void emit_budget_begin(Emit *e) {
    e->budget = NULL;
    if (!e->versions->exits) return;
    e->budget = emit_alloca(e, e->i32, "thread.budget");
    LLVMBuildStore(e->builder, budget_in_thread(e), e->budget);
}

void emit_budget_save(Emit *e) {
    if (e->version.loop) emit_budget_set(e, budget_now(e, e->version.loop));
}

void emit_budget_publish(Emit *e) {
    emit_budget_save(e);
    if (e->budget) emit_store(e, known_budget(e), e->thread, e->layout->thread_budget);
}

// Stores the budget in the loop's register. `budget`: its value outside the loop.
static void to_loop(Emit *e, LLVMValueRef budget) {
    if (!e->version.loop) return;
    budget = LLVMBuildAdd(e->builder, budget, times_back(e, e->version.loop), "");
    LLVMBuildStore(e->builder, budget, e->version.loop->budget);
}

void emit_budget_load(Emit *e) {
    if (!e->version.loop && !e->budget) return;
    LLVMValueRef budget = budget_in_thread(e);
    if (e->budget) LLVMBuildStore(e->builder, budget, e->budget);
    to_loop(e, budget);
}

const EmitLoop *emit_loop_around(const EmitFrame *f) {
    for (; f; f = f->parent)
        for (uint32_t i = 0; i < loop_count(f); i++)
            if (f->loops[i].budget && f->loops[i].loop->body[f->block]) return &f->loops[i];
    return NULL;
}

static void keep_variable(Emit *e, const EmitLoop *s, LLVMValueRef in) {
    LLVMValueRef slot = emit_local_slot(e, e->frame, s->loop->local, KIND_INT);
    LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, e->i32, slot, ""), in);
}

void emit_loop_block(Emit *e) {
    const EmitFrame *f = e->frame;
    for (uint32_t i = 0; e->version.loop && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (s == e->version.loop && s->at && s->loop->header == f->block) keep_variable(e, s, s->at);
    }
}

// The budget for a strip, which needs its length less one: `left` is already granted; more is granted if the next
// sample is far away. After most_granted checks no more is granted here, so that the thread serves its other requests.
static LLVMValueRef more_budget(Emit *e, LLVMValueRef left, uint32_t length) {
    const CompilerLayout *l = e->layout;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef few_left = emit_block(e, "short"), take = emit_block(e, "grant"), go = emit_block(e, "granted");
    LLVMBasicBlockRef from[3] = {LLVMGetInsertBlock(b), few_left, take};
    emit_branch(e, LLVMBuildICmp(b, LLVMIntSLT, left, emit_int(e, (int64_t)length - 1), ""), few_left, go, -1);
    emit_at(e, few_left);
    LLVMValueRef remaining = emit_load(e, e->i64, e->thread, l->thread_sample_remaining);
    LLVMValueRef granted = emit_load(e, e->i32, e->thread, l->thread_sample_granted);
    LLVMValueRef far = LLVMBuildICmp(b, LLVMIntSGT, remaining, emit_long(e, length), "");
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULT, granted, emit_int(e, l->sample_most_granted), "");
    emit_branch(e, LLVMBuildAnd(b, far, few, ""), take, go, -1);
    emit_at(e, take);
    LLVMValueRef rest = LLVMBuildSub(b, remaining, emit_long(e, length), "");
    emit_store(e, rest, e->thread, l->thread_sample_remaining);
    emit_store(e, LLVMBuildAdd(b, granted, emit_int(e, length), ""), e->thread, l->thread_sample_granted);
    LLVMValueRef more = LLVMBuildAdd(b, left, emit_int(e, length), "");
    emit_jump(e, go);
    emit_at(e, go);
    LLVMValueRef phi = LLVMBuildPhi(b, e->i32, "budget"), values[3] = {left, left, more};
    LLVMAddIncoming(phi, values, from, 3);
    return phi;
}

// What the loop must leave of the budget, for the batched checks that may follow its header.
static int64_t checks_after(const Emit *e, const InnerLoop *l) {
    return e->versions->exits ? e->versions->ahead[e->frame->versions->first[l->header]] : 0;
}

// Number of iterations of a strip of sampled code. The header's first execution has already made its check.
static LLVMValueRef sampled_length(Emit *e, const EmitLoop *s) {
    const InnerLoop *l = s->loop;
    LLVMValueRef budget = known_budget(e);
    if (l->length > 1) budget = more_budget(e, budget, l->length);
    LLVMBuildStore(e->builder, budget, s->budget);
    if (s->at) keep_variable(e, s, s->begin);
    LLVMValueRef most = LLVMBuildNSWAdd(e->builder, budget, emit_int(e, 1 - checks_after(e, l)), "");
    return extreme(e, true, most, emit_int(e, l->length));
}

// ---- beginning of a strip ---------------------------------------------------------------------------

static void make_entry(Emit *e, EmitLoop *s) {
    EmitFrame *f = e->frame;
    LLVMValueRef slot = emit_local_slot(e, f, s->loop->local, KIND_INT);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    e->unit->has_strip_mining = true;
    s->entry = emit_block(e, "strip");
    s->limit = emit_alloca(e, e->i32, "limit");
    emit_at(e, s->entry);
    read_lengths(e, s);
    LLVMValueRef length = s->budget ? sampled_length(e, s) : emit_int(e, s->loop->length);
    LLVMValueRef distance = strip_distance(e, s->loop, length);
    LLVMValueRef value = LLVMBuildLoad2(e->builder, e->i32, slot, "");
    value = LLVMBuildAdd(e->builder, value, emit_int(e, s->loop->offset), "");
    LLVMBuildStore(e->builder, strip_limit(e, s->loop, value, distance), s->limit);
    emit_jump(e, emit_versions_block_label(e, LABEL_CHECKING, s->loop->header));
    emit_at(e, here);
}

// The label for control from outside, with the variable's first value. If the budget suffices for all executions of the
// header, none of their checks is a sample, and no code reads the budget before the loop is left.
static void make_check_free(Emit *e, EmitLoop *s) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), enough = emit_block(e, "enough");
    LLVMValueRef checks = emit_int(e, (int64_t)s->loop->checks + checks_after(e, s->loop));
    s->check_free = emit_block(e, "check-free");
    emit_at(e, s->check_free);
    LLVMValueRef budget = emit_budget_read(e);
    // Entering makes no check.
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntSGE, budget, checks, ""), enough, s->entry, 1);
    emit_at(e, enough);
    LLVMBuildStore(e->builder, budget, s->budget);
    LLVMBuildStore(e->builder, emit_int(e, s->loop->start), s->begin);
    read_lengths(e, s);
    emit_jump(e, emit_versions_block_label(e, LABEL_CHECK_FREE, s->loop->header));
    emit_at(e, here);
}

// Whether the loop has few iterations on average. Beginning and ending a strip then costs more than counting each of
// them.
static bool is_short(const Emit *e, const InnerLoop *l) {
    enum { FEW = 16 };
    uint64_t counts[2];
    if (l->test == CFG_NONE || !counts_of_edges(e->frame->plan, l->test, counts)) return false;
    return counts[l->stay] / FEW < counts[1 - l->stay];
}

static void make_sampled(Emit *e, EmitLoop *s, bool strips) {
    s->budget = emit_alloca(e, e->i32, "budget");
    if (!strips || !strip_mining_fits_sampling(s->loop) || is_short(e, s->loop)) {
        s->again = emit_block(e, "again");
        return;
    }
    if (strip_mining_has_constant_step(s->loop)) {
        s->begin = emit_alloca(e, e->i32, "begin");
        s->at = emit_alloca(e, e->i32, "at");
    }
    make_entry(e, s);
    bool known = s->loop->checks && e->frame->versions->first[s->loop->before] != CFG_NONE;
    if (known && !e->unit->options->poll_everywhere) make_check_free(e, s);
}

void emit_loops_begin(Emit *e) {
    EmitFrame *f = e->frame;
    const VersionFrame *v = f->versions;
    f->loops = emit_alloc(v->loops.count, sizeof *f->loops);
    for (uint32_t i = 0; i < v->loops.count; i++) {
        EmitLoop *s = &f->loops[i];
        s->loop = &v->loops.loops[i];
        if (v->first[s->loop->header] == CFG_NONE) continue;
        if (v->checks[i] == LOOP_CHECKS_AT_HEADER || v->checks[i] == LOOP_CHECKS_AT_ENTRIES) make_sampled(e, s, v->checks[i] == LOOP_CHECKS_AT_HEADER);
        else if (v->checks[i] == LOOP_CHECKS_NONE && strip_mining_is_counted(s->loop)) make_entry(e, s);
    }
}

void emit_loops_end(EmitFrame *f) {
    for (uint32_t i = 0; i < loop_count(f); i++) free(f->loops[i].lengths);
    free(f->loops);
}

// ---- edges ------------------------------------------------------------------------------------------

static const EmitLoop *strip_of(const EmitFrame *f, uint32_t header) {
    for (uint32_t i = 0; i < loop_count(f); i++)
        if (f->loops[i].loop->header == header) return &f->loops[i];
    return NULL;
}

LLVMBasicBlockRef emit_loop_entry(const EmitFrame *f, uint32_t block, LLVMBasicBlockRef otherwise) {
    const EmitLoop *s = strip_of(f, block);
    return s && s->entry ? s->entry : otherwise;
}

LLVMBasicBlockRef emit_loop_check(const EmitFrame *f, uint32_t header) {
    const EmitLoop *s = strip_of(f, header);
    return s ? s->again : NULL;
}

LLVMBasicBlockRef emit_loop_enter(Emit *e, uint32_t block, LLVMBasicBlockRef otherwise) {
    const EmitFrame *f = e->frame;
    const EmitLoop *s = strip_of(f, block);
    if (!s || !s->budget || (s->loop->body[f->block] && !emit_versions_in_prologue(e))) return otherwise;
    if (s->check_free) return s->check_free;
    if (!s->again) return otherwise;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), enter = emit_block(e, "enter");
    emit_at(e, enter);
    LLVMBuildStore(e->builder, emit_budget_read(e), s->budget);
    emit_jump(e, otherwise);
    emit_at(e, here);
    return enter;
}

LLVMBasicBlockRef emit_loop_from_outside(const Emit *e, uint32_t block, LLVMBasicBlockRef check) {
    const EmitFrame *f = e->frame;
    const EmitLoop *s = strip_of(f, block);
    return s && s->check_free && !s->loop->body[f->block] ? s->check_free : check;
}

LLVMBasicBlockRef emit_loop_backedge(Emit *e, uint32_t block) {
    EmitFrame *f = e->frame;
    const EmitLoop *s = strip_of(f, block);
    if (!s || !is_inside(e, s) || (!s->entry && !s->again)) return NULL;
    if (s->again) return s->again;
    EmitLabel which = e->version.kind == VERSION_CHECK_FREE ? LABEL_CHECK_FREE : LABEL_CHECKING;
    LLVMBasicBlockRef header = emit_versions_block_label(e, which, block);
    if (!s->budget || s->at) return header;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "back");
    emit_at(e, edge);
    add_to_budget(e, s->budget, -1);
    emit_jump(e, header);
    emit_at(e, here);
    return edge;
}

bool emit_loop_is_left(const Emit *e, uint32_t block) {
    const EmitFrame *f = e->frame;
    for (uint32_t i = 0; e->version.loop && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (s == e->version.loop && is_inside(e, s)) return !s->loop->body[block];
    }
    return false;
}

// ---- the test, and the end of a strip ----------------------------------------------------------------

// Leaves the code if a strip that begins here would end before the loop made progress.
static void test_overflow(Emit *e, const InnerLoop *l, LLVMValueRef value) {
    int32_t last = last_limit(l);
    if (!l->first || last == INT32_MAX || last == INT32_MIN) return;
    LLVMBasicBlockRef out = emit_block(e, "overflow"), fine = emit_block(e, "more");
    LLVMValueRef holds = LLVMBuildICmp(e->builder, predicate(l), value, emit_int(e, last), "");
    emit_branch(e, holds, fine, out, 1);
    emit_at(e, out);
    emit_deopt_at(e, DEOPT_overflow, l->header);
    emit_at(e, fine);
}

// Ends the block: back to the check, which will count this execution of the header. If the poll leaves the code, the
// interpreter makes that check.
static void back_to_check(Emit *e, const EmitLoop *s, LLVMValueRef value) {
    EmitVersion version = e->version;
    e->version.kind = VERSION_UNCHECKED;
    if (s->loop->first) add_to_budget(e, s->budget, 1);
    test_overflow(e, s->loop, value);
    emit_budget_save(e);
    e->version.loop = NULL;
    emit_poll(e, s->loop->header, emit_versions_block_label(e, LABEL_CHECK, s->loop->header));
    e->version = version;
}

// At the end of a strip: i1, whether the loop continues. If the execution of the header that ended the strip used more
// of the budget than it may, it is repeated for its check, whatever the bound.
static LLVMValueRef goes_on(Emit *e, const EmitLoop *s, LLVMValueRef value, LLVMValueRef bound) {
    LLVMValueRef holds = LLVMBuildICmp(e->builder, predicate(s->loop), value, bound, "");
    if (!s->budget || !s->loop->first) return holds;
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntSLT, budget_now(e, s), emit_int(e, checks_after(e, s->loop)), "");
    return LLVMBuildOr(e->builder, holds, none, "");
}

static const EmitLoop *tested_at(const Emit *e) {
    const EmitFrame *f = e->frame;
    for (uint32_t i = 0; e->version.kind != VERSION_CHECK_FREE && i < loop_count(f); i++) {
        const EmitLoop *s = &f->loops[i];
        if (s->entry && s->loop->test == f->block && is_inside(e, s)) return s;
    }
    return NULL;
}

// Gives LLVM the average trip count: it neither vectorises nor unrolls loops with few iterations.
static void weigh_test(Emit *e, const InnerLoop *l) {
    uint64_t counts[2];
    if (!counts_of_edges(e->frame->plan, l->test, counts)) return;
    emit_edge_weights(e, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)), (uint64_t[]){counts[l->stay], counts[1 - l->stay]}, 2);
}

bool emit_loop_test(Emit *e, unsigned op) {
    const EmitLoop *s = tested_at(e);
    if (!s) return false;
    const InnerLoop *l = s->loop;
    LLVMValueRef b = op <= OPC_ifle ? emit_int(e, 0) : emit_pop(e), a = emit_pop(e);
    LLVMValueRef value = l->left ? a : b, bound = l->left ? b : a;
    LLVMValueRef limit = LLVMBuildLoad2(e->builder, e->i32, s->limit, "");
    LLVMValueRef nearer = extreme(e, ascends(l), bound, limit);
    LLVMBasicBlockRef stay = emit_branch_edge(e, l->stay, !l->stay, emit_edge(e, l->stay));
    LLVMBasicBlockRef out = emit_branch_edge(e, 1 - l->stay, l->stay, emit_edge(e, 1 - l->stay));
    LLVMBasicBlockRef end = emit_block(e, "end"), more = emit_block(e, "next");
    // A test that comes first is executed again in the next strip: where this strip ends, it has decided nothing.
    LLVMBasicBlockRef next = l->first ? more : emit_branch_edge(e, l->stay, !l->stay, more);
    emit_branch(e, LLVMBuildICmp(e->builder, predicate(l), value, nearer, ""), stay, end, 1);
    weigh_test(e, l);
    emit_at(e, end);
    emit_branch(e, goes_on(e, s, value, bound), next, out, -1);
    emit_at(e, more);
    // Undo the header's change of the variable: the header will be executed again.
    if (l->advance != 0) {
        LLVMValueRef v = emit_load_local(e, l->local, KIND_INT);
        v = LLVMBuildSub(e->builder, v, emit_int(e, l->advance), "");
        emit_store_local(e, l->local, KIND_INT, v);
    }
    if (s->budget) {
        back_to_check(e, s, value);
    } else {
        test_overflow(e, l, value);
        emit_poll(e, l->header, s->entry);
    }
    return true;
}
