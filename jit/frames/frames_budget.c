// The thread's budget of sampling checks (frames.h).
#include "jit/frames/frames.h"

#include <stdlib.h>

// Number of backedges taken since the budget was what the loop's slot says.
static LLVMValueRef times_back(Frames *fs, const LoopBudget *loop) {
    Ir *ir = fs->ir;
    LLVMBuilderRef b = ir->builder;
    if (!loop->at) return ir_int(ir, 0);
    LLVMValueRef from = LLVMBuildLoad2(b, ir->i32, loop->begin, ""), to = LLVMBuildLoad2(b, ir->i32, loop->at, "");
    LLVMValueRef way = loop->step > 0 ? LLVMBuildSub(b, to, from, "") : LLVMBuildSub(b, from, to, "");
    return LLVMBuildExactUDiv(b, way, ir_int(ir, abs(loop->step)), "");
}

LLVMValueRef frames_budget_of(Frames *fs, const LoopBudget *loop) {
    LLVMValueRef budget = LLVMBuildLoad2(fs->ir->builder, fs->ir->i32, loop->slot, "");
    return LLVMBuildSub(fs->ir->builder, budget, times_back(fs, loop), "");
}

LLVMValueRef frames_budget_read(Frames *fs) {
    return ir_load(fs->ir, fs->ir->i32, fs->ir->thread, fs->ir->layout->thread_budget);
}

LLVMValueRef frames_budget_here(Frames *fs) {
    const LoopBudget *loop = fs->version.loop;
    return loop ? LLVMBuildLoad2(fs->ir->builder, fs->ir->i32, loop->slot, "") : frames_budget_read(fs);
}

void frames_budget_set(Frames *fs, LLVMValueRef budget) {
    ir_store(fs->ir, budget, fs->ir->thread, fs->ir->layout->thread_budget);
}

void frames_budget_save(Frames *fs) {
    if (fs->version.loop) frames_budget_set(fs, frames_budget_of(fs, fs->version.loop));
}

void frames_budget_load(Frames *fs) {
    const LoopBudget *loop = fs->version.loop;
    if (!loop) return;
    LLVMBuilderRef b = fs->ir->builder;
    LLVMBuildStore(b, LLVMBuildAdd(b, frames_budget_read(fs), times_back(fs, loop), ""), loop->slot);
}
