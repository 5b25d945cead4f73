// The sampling check before a node in compiled code. It decrements the thread's budget; vm/instrument/sampling.h
// describes what happens when the budget is used up. Where a sample begins, the code is left, or, with copies=inline,
// duplicated code is entered.
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

enum { SAMPLED = 1, PENDING = 2 };  // bits of rt_check's result

// Decrements the budget. i1: rt_check must be called, or rt_sample if the budget does not suffice for `ahead` more checks.
static LLVMValueRef count_off(Emit *e, LLVMValueRef budget, uint32_t ahead) {
    const EmitLoop *loop = e->version.loop;
    LLVMValueRef left = LLVMBuildSub(e->builder, budget, emit_int(e, 1), "");
    if (loop) LLVMBuildStore(e->builder, left, loop->budget);
    else emit_budget_set(e, left);
    // If the budget was not negative, the processor subtracts and branches on the carry in one step.
    if (e->versions->exits) return LLVMBuildICmp(e->builder, LLVMIntSLT, budget, emit_int(e, 1 + (int64_t)ahead), "");
    return LLVMBuildICmp(e->builder, LLVMIntSLT, left, emit_int(e, 0), "");
}

LLVMValueRef emit_sample_count(Emit *e) { return count_off(e, emit_budget_read(e), 0); }

static LLVMValueRef budget_at(Emit *e) {
    const EmitLoop *loop = e->version.loop;
    return loop ? LLVMBuildLoad2(e->builder, e->i32, loop->budget, "") : emit_budget_read(e);
}

static LLVMValueRef has_bit(Emit *e, LLVMValueRef answer, int bit) {
    LLVMValueRef bits = LLVMBuildAnd(e->builder, answer, emit_int(e, bit), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, emit_int(e, 0), "");
}

// rt_check has left an exception or Thread.deopt_pending. A synchronized method that does not yet have its monitor can
// be left only with an exception; deopt_pending is tested once it has the monitor.
static void handle_pending(Emit *e, uint32_t n, LLVMValueRef answer, LLVMBasicBlockRef decide) {
    bool prologue = emit_versions_is_prologue(e, n);
    if (prologue && e->frame->monitor) {
        emit_branch(e, emit_is_null(e, emit_exception(e)), decide, emit_outside(e), -1);
        return;
    }
    emit_test_pending(e, prologue ? emit_outside(e) : emit_unwind_label(e), decide);
    // The code is left before the node, in the version that the check chose.
    uint16_t reason = e->root->stress ? DEOPT_stress : DEOPT_invalidated;
    LLVMBasicBlockRef out[2] = {emit_block(e, "exit"), emit_block(e, "exit")};
    emit_branch(e, has_bit(e, answer, SAMPLED), out[1], out[0], -1);
    for (int sampled = 0; sampled < 2; sampled++) {
        emit_at(e, out[sampled]);
        e->version.kind = sampled ? VERSION_DUPLICATED : VERSION_CHECKING;
        // The interpreter resumes after the method's entry.
        if (sampled && emit_versions_is_prologue(e, n)) emit_own_entry_event(e);
        emit_deopt(e, reason);
    }
    e->version.kind = VERSION_CHECKING;
}

// Leaves the code before the node, or, at a method's entry, after its event, which only a sample reports. Ends the
// block.
static void exit_answered(Emit *e, uint32_t n, LLVMValueRef answer) {
    VersionKind kind = e->version.kind;
    bool entry = emit_versions_is_prologue(e, n);
    e->version.kind = VERSION_REPLACING;  // the thread knows whether it is in a sample
    e->sampled_path = emit_path_sampled(e, entry, e->versions->nodes[n].block);
    if (entry) {
        LLVMBasicBlockRef sampled = emit_block(e, "sampled"), out = emit_block(e, "exit");
        emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, answer, emit_int(e, YIELD_SAMPLE), ""), sampled, out, -1);
        emit_at(e, sampled);
        e->version.kind = VERSION_DUPLICATED;
        emit_own_entry_event(e);
        emit_deopt(e, DEOPT_sample);
        emit_at(e, out);
        e->version.kind = VERSION_CHECKING;
        emit_deopt(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated);
    } else {
        emit_deopt(e, DEOPT_sample);
    }
    e->sampled_path = NULL;
    e->version.kind = kind;
}

// The check of code that is left for samples. Ends the block.
static void check_leaving(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    LLVMBasicBlockRef slow = emit_block(e, "sample");
    LLVMBasicBlockRef ask = e->root->stress ? emit_block(e, "ask") : NULL, unwind;
    unwind = emit_versions_is_prologue(e, n) && !e->frame->locked ? emit_outside(e) : emit_unwind_label(e);
    if (e->unit->options->poll_everywhere) emit_poll_quietly(e);
    uint32_t ahead = e->versions->ahead[n];
    emit_branch(e, count_off(e, budget_at(e), ahead), slow, ask ? ask : checking, 0);
    emit_at(e, slow);
    LLVMValueRef checks = emit_int(e, ahead), answer = emit_runtime(e, RT_sample, &checks, 1);
    emit_test_answer(e, answer, unwind, ask ? ask : checking);
    if (ask) {
        LLVMBasicBlockRef answered = LLVMGetInsertBlock(e->builder), asked = emit_block(e, "asked"), out = emit_block(e, "sample.exit");
        emit_jump(e, out);
        emit_at(e, ask);
        LLVMValueRef leaves = emit_runtime(e, RT_deopt_pending, NULL, 0);
        emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, leaves, emit_int(e, 0), ""), asked, checking, 0);
        emit_at(e, asked);
        emit_jump(e, out);
        emit_at(e, out);
        answer = emit_phi2(e, e->i32, answer, answered, emit_int(e, YIELD_DEOPTIMISE), asked);
    }
    exit_answered(e, n, answer);
}

// The check of code with duplicated versions. Ends the block: jumps to `checking`, or to where the sample is executed.
static void check(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    bool stress = e->root->stress;
    LLVMBasicBlockRef slow = emit_block(e, "sample"), pending = emit_block(e, "pending");
    LLVMBasicBlockRef decide = emit_block(e, "decide"), from;
    if (e->unit->options->poll_everywhere) emit_poll_quietly(e);
    LLVMValueRef zero = emit_int(e, 0);
    from = LLVMGetInsertBlock(e->builder);
    emit_branch(e, count_off(e, budget_at(e), 0), slow, stress ? pending : checking, 0);
    emit_at(e, slow);
    LLVMValueRef answer = emit_runtime(e, RT_check, NULL, 0);
    if (stress) {
        slow = LLVMGetInsertBlock(e->builder);
        emit_jump(e, pending);
        emit_at(e, pending);
        answer = emit_phi2(e, e->i32, zero, from, answer, slow);
    } else {
        emit_branch(e, has_bit(e, answer, PENDING), pending, decide, 0);
        emit_at(e, pending);
    }
    handle_pending(e, n, answer, decide);
    emit_at(e, decide);
    emit_branch(e, has_bit(e, answer, SAMPLED), emit_versions_label(e, LABEL_DUPLICATED, n), checking, -1);
}

static void check_or_count(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    if (!e->versions->exits) {
        check(e, n, checking);
    } else if (e->versions->batched[n]) {
        count_off(e, budget_at(e), 0);
        emit_jump(e, checking);
    } else {
        check_leaving(e, n, checking);
    }
}

void emit_sample_check(Emit *e, uint32_t n) {
    uint32_t block = e->versions->nodes[n].block;
    bool begins = !emit_versions_is_prologue(e, n) && e->frame->versions->first[block] == n;
    LLVMBasicBlockRef again = begins ? emit_loop_check(e->frame, block) : NULL;
    LLVMBasicBlockRef checking = begins ? emit_versions_entry_label(e, LABEL_CHECKING, block)
                                        : emit_versions_label(e, LABEL_CHECKING, n);
    if (again) {  // the loop's backedge leads there with the budget in a register; edges from outside load it
        LLVMValueRef budget = emit_budget_read(e);
        e->version.loop = emit_loop_around(e->frame);
        LLVMBuildStore(e->builder, budget, e->version.loop->budget);
        emit_jump(e, again);
        emit_at(e, again);
    }
    check_or_count(e, n, checking);
}

void emit_locked_check(Emit *e, uint32_t n) {
    LLVMBasicBlockRef next = emit_block(e, "checked");
    check_or_count(e, n, next);
    emit_at(e, next);
}

void emit_sample_ahead(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay) {
    LLVMBasicBlockRef slow = emit_block(e, "sample.soon");
    LLVMValueRef checks = emit_int(e, e->versions->ahead[e->frame->node]);
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntSLT, budget_at(e), checks, ""), slow, stay, 0);
    emit_at(e, slow);
    emit_test_answer(e, emit_runtime(e, RT_sample_soon, &checks, 1), unwind, stay);
}

bool emit_sample_needs_ahead(const Emit *e) {
    return e->versions && e->versions->exits && e->version.kind != VERSION_DUPLICATED && e->versions->ahead[e->frame->node] > 0;
}
