// The sampling check before a node in compiled code. It decrements the thread's budget; vm/instrument/sampling.h
// describes what happens when the budget is used up. Where a sample begins, the code is left, or, with copies=inline,
// duplicated code is entered.
#include "jit/emit/emit_core.h"

enum { SAMPLED = 1, PENDING = 2 };  // bits of rt_check's result

static LLVMValueRef has_bit(Emit *e, LLVMValueRef answer, int bit) {
    Ir *ir = e->ir;
    LLVMValueRef bits = LLVMBuildAnd(ir->builder, answer, ir_int(ir, bit), "");
    return LLVMBuildICmp(ir->builder, LLVMIntNE, bits, ir_int(ir, 0), "");
}

// rt_check has left an exception or Thread.deopt_pending. A synchronized method that does not yet have its monitor can
// be left only with an exception; deopt_pending is tested once it has the monitor.
static void handle_pending(Emit *e, uint32_t n, LLVMValueRef answer, LLVMBasicBlockRef decide) {
    Ir *ir = e->ir;
    bool prologue = emit_versions_is_prologue(e, n);
    if (prologue && e->frames->top->monitor) {
        ir_branch(ir, ir_is_null(ir, emit_exception(e)), decide, emit_outside(e), -1);
        return;
    }
    emit_test_pending(e, prologue ? emit_outside(e) : emit_unwind_label(e), decide);
    // The code is left before the node, in the version that the check chose.
    uint16_t reason = e->root->stress ? DEOPT_stress : DEOPT_invalidated;
    LLVMBasicBlockRef out[2] = {ir_block(ir, "exit"), ir_block(ir, "exit")};
    ir_branch(ir, has_bit(e, answer, SAMPLED), out[1], out[0], -1);
    for (int sampled = 0; sampled < 2; sampled++) {
        ir_at(ir, out[sampled]);
        e->frames->version.kind = sampled ? VERSION_DUPLICATED : VERSION_CHECKING;
        // The interpreter resumes after the method's entry.
        if (sampled && emit_versions_is_prologue(e, n)) probe_entry(e->probes);
        emit_deopt(e, reason);
    }
    e->frames->version.kind = VERSION_CHECKING;
}

// Leaves the code before the node, or, at a method's entry, after its event, which only a sample reports. Ends the
// block.
static void exit_answered(Emit *e, uint32_t n, LLVMValueRef answer) {
    Ir *ir = e->ir;
    VersionKind kind = e->frames->version.kind;
    bool entry = emit_versions_is_prologue(e, n);
    e->frames->version.kind = VERSION_REPLACING;  // the thread knows whether it is in a sample
    e->sampled_path = probe_path_sampled(e->probes, entry, e->versions->nodes[n].block);
    if (entry) {
        LLVMBasicBlockRef sampled = ir_block(ir, "sampled"), out = ir_block(ir, "exit");
        ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, answer, ir_int(ir, YIELD_SAMPLE), ""), sampled, out, -1);
        ir_at(ir, sampled);
        e->frames->version.kind = VERSION_DUPLICATED;
        probe_entry(e->probes);
        emit_deopt(e, DEOPT_sample);
        ir_at(ir, out);
        e->frames->version.kind = VERSION_CHECKING;
        emit_deopt(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated);
    } else {
        emit_deopt(e, DEOPT_sample);
    }
    e->sampled_path = NULL;
    e->frames->version.kind = kind;
}

// The check of code that is left for samples. Ends the block.
static void check_leaving(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef slow = ir_block(ir, "sample");
    LLVMBasicBlockRef ask = e->root->stress ? ir_block(ir, "ask") : NULL, unwind;
    unwind = emit_versions_is_prologue(e, n) && !e->frames->top->locked ? emit_outside(e) : emit_unwind_label(e);
    if (e->unit->options->poll_everywhere) emit_poll_quietly(e);
    ir_branch(ir, probe_check(e->probes), slow, ask ? ask : checking, 0);
    ir_at(ir, slow);
    LLVMValueRef answer = frames_runtime(e->frames, RT_sample, NULL, 0);
    emit_test_answer(e, answer, unwind, ask ? ask : checking);
    if (ask) {
        LLVMBasicBlockRef answered = LLVMGetInsertBlock(ir->builder), asked = ir_block(ir, "asked"),
                          out = ir_block(ir, "sample.exit");
        ir_jump(ir, out);
        ir_at(ir, ask);
        LLVMValueRef leaves = frames_runtime(e->frames, RT_deopt_pending, NULL, 0);
        ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, leaves, ir_int(ir, 0), ""), asked, checking, 0);
        ir_at(ir, asked);
        ir_jump(ir, out);
        ir_at(ir, out);
        answer = ir_phi2(ir, ir->i32, answer, answered, ir_int(ir, YIELD_DEOPTIMISE), asked);
    }
    exit_answered(e, n, answer);
}

// The check of code with duplicated versions. Ends the block: jumps to `checking`, or to where the sample is executed.
static void check(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    Ir *ir = e->ir;
    bool stress = e->root->stress;
    LLVMBasicBlockRef slow = ir_block(ir, "sample"), pending = ir_block(ir, "pending");
    LLVMBasicBlockRef decide = ir_block(ir, "decide"), from;
    if (e->unit->options->poll_everywhere) emit_poll_quietly(e);
    LLVMValueRef zero = ir_int(ir, 0);
    from = LLVMGetInsertBlock(ir->builder);
    ir_branch(ir, probe_check(e->probes), slow, stress ? pending : checking, 0);
    ir_at(ir, slow);
    LLVMValueRef answer = frames_runtime(e->frames, RT_check, NULL, 0);
    if (stress) {
        slow = LLVMGetInsertBlock(ir->builder);
        ir_jump(ir, pending);
        ir_at(ir, pending);
        answer = ir_phi2(ir, ir->i32, zero, from, answer, slow);
    } else {
        ir_branch(ir, has_bit(e, answer, PENDING), pending, decide, 0);
        ir_at(ir, pending);
    }
    handle_pending(e, n, answer, decide);
    ir_at(ir, decide);
    ir_branch(ir, has_bit(e, answer, SAMPLED), emit_versions_label(e, LABEL_DUPLICATED, n), checking, -1);
}

static void check_or_leave(Emit *e, uint32_t n, LLVMBasicBlockRef checking) {
    if (e->versions->exits) check_leaving(e, n, checking);
    else check(e, n, checking);
}

void emit_sample_check(Emit *e, uint32_t n) {
    uint32_t block = e->versions->nodes[n].block;
    bool begins = !emit_versions_is_prologue(e, n) && e->frames->top->versions->first[block] == n;
    const EmitLoop *loop = begins ? emit_loop_at(e->frames->top, block) : NULL;
    LLVMBasicBlockRef again = loop ? loop->again : NULL;
    LLVMBasicBlockRef checking = begins ? emit_versions_entry_label(e, LABEL_CHECKING, block)
                                        : emit_versions_label(e, LABEL_CHECKING, n);
    if (again) {  // the loop's backedge leads there with the budget in a register; edges from outside load it
        emit_loop_keep(e, loop);
        e->frames->version.loop = &loop->budget;
        ir_jump(e->ir, again);
        ir_at(e->ir, again);
    }
    check_or_leave(e, n, checking);
}

void emit_locked_check(Emit *e, uint32_t n) {
    LLVMBasicBlockRef next = ir_block(e->ir, "checked");
    check_or_leave(e, n, next);
    ir_at(e->ir, next);
}
