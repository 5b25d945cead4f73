// Exceptions inside compiled code: the target of a pending exception in each block of bytecode.
//
// All instructions of a FlowBlock have the same handlers, so one dispatch per block (and number of monitors held) is
// enough. It asks the VM which handler takes the exception and jumps to it, or leaves the method. A thread with a
// broken assumption also leaves the code here, because a handler must not run on it.
#include "jit/emit/emit_core.h"

static bool needs_dispatch(const EmitFrame *f) {
    return f->locked || f->before_locks || f->paths || f->plan->events >> EVENT_method_unwind & 1 ||
           f->plan->flow->blocks[f->block].handler_count;
}

// The caller's label depends on the version.
LLVMBasicBlockRef emit_outside(Emit *e) {
    EmitFrame *f = e->frame;
    if (!f->parent) return e->throw_return;
    e->frame = f->parent;
    LLVMBasicBlockRef label = emit_unwind_label(e);
    e->frame = f;
    return label;
}

LLVMBasicBlockRef emit_unwind_label(Emit *e) {
    EmitFrame *f = e->frame;
    if (!needs_dispatch(f)) return emit_outside(e);
    // A check follows an exception.
    VersionKind version = e->version.kind == VERSION_CHECK_FREE ? VERSION_CHECKING : e->version.kind;
    for (EmitDispatch *d = f->dispatches; d; d = d->next)
        if (d->block == f->block && d->lock_depth == f->before_locks && d->version == version) return d->label;
    EmitDispatch *d = emit_alloc(1, sizeof *d);
    *d = (EmitDispatch){f->dispatches, f->block, f->before_locks, version, emit_block(e, "dispatch"), false};
    return (f->dispatches = d)->label;
}

void emit_unwind(Emit *e) { emit_jump(e, emit_unwind_label(e)); }

static const FlowHandler *handlers_of(const EmitFrame *f, uint32_t *count) {
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[f->block];
    *count = b->handler_count;
    return flow->handlers + b->first_handler;
}

char *emit_handler_kinds(const EmitFrame *f) {
    const Dataflow *flow = f->plan->flow;
    uint32_t count;
    const FlowHandler *h = handlers_of(f, &count);
    char *kinds = emit_alloc((size_t)flow->max_locals + 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *from = flow->blocks[h[i].block].kinds;
        for (uint32_t k = 0; k < flow->max_locals; k++)
            if (from[k] != KIND_DEAD) kinds[k] = from[k];
    }
    return kinds;
}

static void set_exception(Emit *e, LLVMValueRef exception) {
    emit_store(e, exception, e->thread, e->layout->thread_exception);
}

// The label of a handler, at which a path begins.
static LLVMBasicBlockRef to_handler(Emit *e, uint32_t block) {
    LLVMBasicBlockRef to = emit_edge_to(e, block);
    if (!e->frame->paths) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "path");
    emit_at(e, edge);
    emit_path_begin(e, block);
    emit_jump(e, to);
    emit_at(e, here);
    return edge;
}

// Takes the exception, which becomes the handlers' operand stack. Ends the block.
static void to_handlers(Emit *e, LLVMValueRef index) {
    uint32_t count;
    const FlowHandler *h = handlers_of(e->frame, &count);
    LLVMValueRef exception = emit_exception(e);
    set_exception(e, emit_null(e));
    emit_path_thrown(e);
    emit_push(e, KIND_REF, exception);
    emit_spill_stack(e);
    LLVMBasicBlockRef last = to_handler(e, h[count - 1].block);
    LLVMValueRef jump = LLVMBuildSwitch(e->builder, index, last, count);
    for (uint32_t i = 0; i + 1 < count; i++)
        LLVMAddCase(jump, emit_int(e, h[i].index), to_handler(e, h[i].block));
    e->frame->depth = 0;
}

static void find_handler(Emit *e) {
    EmitFrame *f = e->frame;
    LLVMBasicBlockRef found = emit_block(e, "handler"), none = emit_block(e, "uncaught");
    LLVMValueRef args[] = {emit_symbol(e, SYMBOL_METHOD, f->method), emit_int(e, f->bci)};
    LLVMValueRef index = emit_runtime(e, RT_handler, args, 2);
    LLVMValueRef any = LLVMBuildICmp(e->builder, LLVMIntSGE, index, emit_int(e, 0), "");
    emit_branch(e, any, found, none, -1);
    emit_at(e, found);
    to_handlers(e, index);
    emit_at(e, none);
}

// An exception thrown by unlocking replaces the pending one.
static void unlock_abandoned(Emit *e) {
    EmitFrame *f = e->frame;
    LLVMValueRef exception = emit_exception(e);
    LLVMValueRef object = LLVMBuildLoad2(e->builder, e->ptr, f->monitor, "");
    set_exception(e, emit_null(e));
    f->locked = false;
    emit_runtime(e, RT_monitor_exit, &object, 1);
    f->locked = true;
    LLVMValueRef newer = emit_exception(e);
    set_exception(e, LLVMBuildSelect(e->builder, emit_is_null(e, newer), exception, newer, ""));
}

static void fill(Emit *e, EmitDispatch *d) {
    EmitFrame *f = e->frame;
    EmitVersion outside = e->version;
    d->done = true;
    e->version = (EmitVersion){d->version, NULL};  // the throwing code has saved the budget
    emit_at(e, d->label);
    f->block = d->block;
    f->node = f->versions->first[d->block];
    f->bci = f->plan->flow->blocks[d->block].start;
    f->depth = f->before_depth = 0;
    f->lock_depth = f->before_locks = d->lock_depth;
    emit_forget_locals(e);
    e->nonnull_count = f->nonnull_base;
    char *kinds = emit_handler_kinds(f);
    if (f->plan->flow->blocks[d->block].handler_count) {
        emit_deopt_pending_throw(e, kinds);
        find_handler(e);
    }
    if (f->lock_depth) {
        emit_deopt_rethrow(e, DEOPT_uncommon, kinds);  // the interpreter handles the monitors
    } else {
        emit_path_thrown(e);
        if (f->locked) unlock_abandoned(e);
        emit_exit_probe(e, f->method, true);
        emit_jump(e, emit_outside(e));
    }
    free(kinds);
    e->version = outside;
}

void emit_dispatches(Emit *e) {
    EmitDispatch *d;
    do {
        for (d = e->frame->dispatches; d && d->done; d = d->next) {}
        if (d) fill(e, d);
    } while (d);
}
