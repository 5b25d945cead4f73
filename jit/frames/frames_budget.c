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
    Ir *ir = fs->ir;
    if (fs->budget) return LLVMBuildLoad2(ir->builder, ir->i32, fs->budget, "");
    return ir_load(ir, ir->i32, ir->thread, ir->layout->thread_budget);
}

LLVMValueRef frames_budget_here(Frames *fs) {
    const LoopBudget *loop = fs->version.loop;
    return loop ? LLVMBuildLoad2(fs->ir->builder, fs->ir->i32, loop->slot, "") : frames_budget_read(fs);
}

void frames_budget_set(Frames *fs, LLVMValueRef budget) {
    Ir *ir = fs->ir;
    if (fs->budget) LLVMBuildStore(ir->builder, budget, fs->budget);
    ir_store(ir, budget, ir->thread, ir->layout->thread_budget);
}

void frames_budget_begin(Frames *fs, bool in_function) {
    Ir *ir = fs->ir;
    fs->budget = NULL;
    if (!in_function) return;
    LLVMValueRef budget = ir_alloca(ir, ir->i32, "thread.budget");
    LLVMBuildStore(ir->builder, frames_budget_read(fs), budget);
    fs->budget = budget;
}

void frames_budget_save(Frames *fs) {
    if (fs->version.loop) frames_budget_set(fs, frames_budget_of(fs, fs->version.loop));
}

void frames_budget_load(Frames *fs) {
    const LoopBudget *loop = fs->version.loop;
    Ir *ir = fs->ir;
    if (!loop && !fs->budget) return;
    LLVMValueRef budget = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_budget);
    if (fs->budget) LLVMBuildStore(ir->builder, budget, fs->budget);
    if (!loop) return;
    budget = LLVMBuildAdd(ir->builder, budget, times_back(fs, loop), "");
    LLVMBuildStore(ir->builder, budget, loop->slot);
}
