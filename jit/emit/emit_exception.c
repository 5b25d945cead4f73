// Exceptions inside compiled code: the target of a pending exception in each block of bytecode.
//
// All instructions of a FlowBlock have the same handlers, so one dispatch per block (and number of monitors held) is
// enough. It asks the VM which handler takes the exception and jumps to it, or leaves the method. A thread with a
// broken assumption also leaves the code here, because a handler must not run on it.
#include "jit/emit/emit_core.h"

// The caller's label depends on the version.
LLVMBasicBlockRef emit_outside(Emit *e) {
    JavaFrame *f = e->frames->top;
    if (!f->parent) return e->throw_return;
    e->frames->top = f->parent;
    LLVMBasicBlockRef label = emit_unwind_label(e);
    e->frames->top = f;
    return label;
}

LLVMBasicBlockRef emit_unwind_label(Emit *e) {
    JavaFrame *f = e->frames->top;
    bool needs_dispatch = f->locked || f->before_locks || f->paths || f->plan->events >> EVENT_method_unwind & 1 ||
        f->plan->flow->blocks[f->block].handler_count;
    if (!needs_dispatch) return emit_outside(e);
    // A check follows an exception.
    VersionKind version = e->frames->version.kind == VERSION_CHECK_FREE ? VERSION_CHECKING : e->frames->version.kind;
    for (EmitDispatch *d = f->dispatches; d; d = d->next)
        if (d->block == f->block && d->lock_depth == f->before_locks && d->version == version) return d->label;
    EmitDispatch *d = grow_zeroed(1, sizeof *d);
    *d = (EmitDispatch){f->dispatches, f->block, f->before_locks, version, ir_block(e->ir, "dispatch"), false};
    return (f->dispatches = d)->label;
}

static const FlowHandler *handlers_of(const JavaFrame *f, uint32_t *count) {
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[f->block];
    *count = b->handler_count;
    return flow->handlers + b->first_handler;
}

char *emit_handler_kinds(const JavaFrame *f) {
    const Dataflow *flow = f->plan->flow;
    uint32_t count;
    const FlowHandler *h = handlers_of(f, &count);
    char *kinds = grow_zeroed((size_t)flow->max_locals + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *from = flow->blocks[h[i].block].kinds;
        for (uint32_t k = 0; k < flow->max_locals; k++)
            if (from[k] != KIND_DEAD) kinds[k] = from[k];
    }
    return kinds;
}

// The label of a handler, at which a path begins.
static LLVMBasicBlockRef to_handler(Emit *e, uint32_t block) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef to = emit_edge_to(e, block);
    if (!e->frames->top->paths) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "path");
    ir_at(ir, edge);
    probe_path_begin(e->probes, block);
    ir_jump(ir, to);
    ir_at(ir, here);
    return edge;
}

// Takes the exception, which becomes the handlers' operand stack. Ends the block.
static void to_handlers(Emit *e, LLVMValueRef index) {
    uint32_t count;
    const FlowHandler *h = handlers_of(e->frames->top, &count);
    LLVMValueRef exception = emit_exception(e);
    ir_store(e->ir, LLVMConstNull(e->ir->ptr), e->ir->thread, e->ir->layout->thread_exception);
    probe_path_thrown(e->probes);
    frames_push(e->frames, KIND_REF, exception);
    frames_spill_stack(e->frames);
    LLVMBasicBlockRef last = to_handler(e, h[count - 1].block);
    LLVMValueRef jump = LLVMBuildSwitch(e->ir->builder, index, last, count);
    for (uint32_t i = 0; i + 1 < count; i++) LLVMAddCase(jump, ir_int(e->ir, h[i].index), to_handler(e, h[i].block));
    e->frames->top->depth = 0;
}

static void find_handler(Emit *e) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMBasicBlockRef found = ir_block(ir, "handler"), none = ir_block(ir, "uncaught");
    LLVMValueRef args[] = {ir_symbol(ir, SYMBOL_METHOD, f->method), ir_int(ir, f->bci)};
    LLVMValueRef index = frames_runtime(e->frames, RT_handler, args, 2);
    LLVMValueRef any = LLVMBuildICmp(ir->builder, LLVMIntSGE, index, ir_int(ir, 0), "");
    ir_branch(ir, any, found, none, -1);
    ir_at(ir, found);
    to_handlers(e, index);
    ir_at(ir, none);
}

// An exception thrown by unlocking replaces the pending one.
static void unlock_abandoned(Emit *e) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMValueRef exception = emit_exception(e);
    LLVMValueRef object = LLVMBuildLoad2(ir->builder, ir->ptr, f->monitor, "");
    ir_store(ir, LLVMConstNull(ir->ptr), ir->thread, ir->layout->thread_exception);
    f->locked = false;
    frames_runtime(e->frames, RT_monitor_exit, &object, 1);
    f->locked = true;
    LLVMValueRef newer = emit_exception(e);
    ir_store(ir, LLVMBuildSelect(ir->builder, ir_is_null(ir, newer), exception, newer, ""), ir->thread,
             ir->layout->thread_exception);
}

static void fill(Emit *e, EmitDispatch *d) {
    JavaFrame *f = e->frames->top;
    Version outside = e->frames->version;
    d->done = true;
    e->frames->version = (Version){d->version, NULL};  // the throwing code has saved the budget
    ir_at(e->ir, d->label);
    f->block = d->block;
    f->node = f->versions->first[d->block];
    f->bci = f->plan->flow->blocks[d->block].start;
    f->depth = f->before_depth = 0;
    f->lock_depth = f->before_locks = d->lock_depth;
    frames_forget_locals(e->frames);
    e->frames->nonnull_count = f->nonnull_base;
    char *kinds = emit_handler_kinds(f);
    if (f->plan->flow->blocks[d->block].handler_count) {
        emit_deopt_pending_throw(e, kinds);
        find_handler(e);
    }
    if (f->lock_depth) {
        emit_deopt_rethrow(e, DEOPT_uncommon, kinds);  // the interpreter handles the monitors
    } else {
        probe_path_thrown(e->probes);
        if (f->locked) unlock_abandoned(e);
        probe_exit(e->probes, f->method, true);
        ir_jump(e->ir, emit_outside(e));
    }
    free(kinds);
    e->frames->version = outside;
}

void emit_dispatches(Emit *e) {
    EmitDispatch *d;
    do {
        for (d = e->frames->top->dispatches; d && d->done; d = d->next) {}
        if (d) fill(e, d);
    } while (d);
}
