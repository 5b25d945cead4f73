// The points at which compiled code continues in the interpreter.
//
// A deoptimisation point describes the interpreter's frames and holds the values of all of them, outermost first. It is
// an exit: a call with a table of its values, which stay in the registers or spill slots where they are.
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "jit/emit/emit_core.h"

// ---- deoptimisation points ----------------------------------------------------------------------

// The part of a frame's state that a deoptimisation point records.
typedef struct FrameState {
    JavaFrame *frame;
    uint32_t block, bci;
    const uint64_t *live;  // NULL: all locals that have a kind
    const char *kinds;     // of locals
    const TypedValue *stack;
    uint32_t depth, locks;
    bool reload;  // load locals from their allocas
} FrameState;

typedef struct DeoptBuilder {
    Emit *e;
    uint32_t used;  // values
    LLVMValueRef *values;
    uint8_t *bytes;  // of each
    uint32_t value_room, byte_room;
} DeoptBuilder;

// Floats and doubles become integers: the calls of exits preserve only general registers.
static void put_value(DeoptBuilder *x, char kind, LLVMValueRef v) {
    Ir *ir = x->e->ir;
    GROW_OR_EXIT(x->values, x->value_room, x->used + 1);
    GROW_OR_EXIT(x->bytes, x->byte_room, x->used + 1);
    if (kind == KIND_FLOAT) v = LLVMBuildBitCast(ir->builder, v, ir->i32, "");
    if (kind == KIND_DOUBLE) v = LLVMBuildBitCast(ir->builder, v, ir->i64, "");
    x->values[x->used] = v;
    x->bytes[x->used++] = kind == KIND_INT || kind == KIND_FLOAT ? 4 : 8;
}

static DeoptFrame put_frame(DeoptBuilder *x, const FrameState *s) {
    const Dataflow *flow = s->frame->plan->flow;
    LLVMValueRef path = s->frame == x->e->frames->top ? x->e->sampled_path : NULL;  // Frame.path; NULL: not known
    if (s->frame->paths) path = probe_path_value(x->e->probes, s->frame, s->block);
    DeoptFrame out = {.method = s->frame->method,
                      .bci = (int32_t)s->bci,
                      .lock_count = (uint16_t)s->locks,
                      .has_monitor = s->frame->locked,
                      .has_path = path != NULL};
    out.slots = grow_zeroed((size_t)flow->max_locals + flow->max_stack + 2, sizeof *out.slots);
    if (out.has_monitor)
        put_value(x, KIND_REF, LLVMBuildLoad2(x->e->ir->builder, x->e->ir->ptr, s->frame->monitor, ""));
    if (out.has_path) put_value(x, KIND_LONG, path);
    JavaFrame *f = s->frame;
    for (uint32_t i = 0; i < flow->max_locals; i++) {
        char kind = s->kinds[i];
        if (kind == KIND_DEAD || kind == KIND_UPPER || (s->live && !dataflow_is_live(s->live, i))) continue;
        LLVMValueRef v = !s->reload && f->cached[i] && f->local_kinds[i] == kind
            ? f->cached[i]
            : frames_reload_local(x->e->frames, f, i, kind);
        put_value(x, kind, v);
        out.slots[out.value_count++] = (uint16_t)i;
    }
    // With several versions, a caller's stack is in its slots: control may have come from any of its versions.
    bool in_slots = emit_versions_several(x->e, f) && f != x->e->frames->top;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < s->depth; i++) {
        char kind = s->stack[i].kind;
        put_value(x, kind, in_slots ? frames_load_slot(x->e->frames, f, slot, kind) : s->stack[i].v);
        out.slots[out.value_count++] = (uint16_t)(flow->max_locals + slot);
        slot += 1 + ir_is_wide(s->stack[i].kind);
    }
    out.stack_depth = (uint16_t)slot;
    return out;
}

static FrameState caller_state(const Emit *e, JavaFrame *f, bool reload) {
    return (FrameState){
        .frame = f,
        .block = f->block,
        .bci = f->bci,
        .live = dataflow_live(f->plan->flow, f->block, f->bci),
        .kinds = f->local_kinds,
        .stack = f->stack,
        .depth = f->depth,
        .locks = f->lock_depth,
        .reload = reload || emit_versions_several(e, f),
    };
}

// Ends the block. All exits join in one block, with the values that they return.
static void jump_to_leaving(Emit *e, LLVMValueRef value) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
    if (!e->leaving) {
        ir_at(ir, ir_block(ir, "leaving"));
        e->leaving = LLVMBuildPhi(ir->builder, LLVMTypeOf(value), "");
        ir_at(ir, here);
    }
    LLVMAddIncoming(e->leaving, &value, &here, 1);
    ir_jump(ir, LLVMGetInstructionParent(e->leaving));
}

static LLVMTypeRef exit_type(const Emit *e) {
    Ir *ir = e->ir;
    LLVMTypeRef parameters[] = {ir->i64, ir->i32, ir->ptr, ir->i32};
    return LLVMFunctionType(ir->i64, parameters, 4, true);
}

// The call of an exit. Its arguments are the number, the bytes reserved for the call, the callee (written later), the
// number of arguments, the arguments, and the values.
static LLVMValueRef call_exit(Emit *e, const DeoptBuilder *x, uint32_t point, uint32_t position) {
    Ir *ir = e->ir;
    enum { BEFORE = 5 };
    Unit *u = e->unit;
    if (!u->exit) u->exit = LLVMAddFunction(ir->module, "llvm.experimental.patchpoint.i64", exit_type(e));
    uint32_t number = unit_add_stack_map(u, position, frames_sampling(e->frames), x->bytes, x->used);
    u->stack_maps[number].exit = true;
    u->stack_maps[number].point = point;
    LLVMValueRef *args = grow_zeroed(x->used + BEFORE, sizeof *args);
    LLVMValueRef before[BEFORE] = {ir_long(ir, (int64_t)(EXIT_ID + number)), ir_int(ir, EXIT_BYTES),
                                   LLVMConstNull(ir->ptr), ir_int(ir, 1), ir->thread};
    memcpy(args, before, sizeof before);
    if (x->used) memcpy(args + BEFORE, x->values, x->used * sizeof *args);
    frames_budget_save(e->frames);
    LLVMValueRef call = LLVMBuildCall2(ir->builder, exit_type(e), u->exit, args, x->used + BEFORE, "");
    free(args);
    return call;
}

void emit_leaving(Emit *e) {
    if (!e->leaving) return;
    ASSERT(!e->frames->top->parent, "the end of the code is in an inlined method");
    e->frames->top->lock_depth = 0;
    e->frames->top->locked = false;
    ir_at(e->ir, LLVMGetInstructionParent(e->leaving));
    LLVMValueRef raw = e->leaving;
    frames_budget_load(e->frames);
    emit_return(e,
                e->return_kind == 'V'       ? NULL
                    : e->root->osr_bci >= 0 ? raw
                                            : ir_from_raw(e->ir, e->return_kind, raw));
    e->leaving = NULL;
}

// Leaves the code at a deoptimisation point. Ends the block.
static void leave(Emit *e, DeoptKind kind, uint16_t reason, FrameState innermost) {
    uint32_t count = 0;
    for (const JavaFrame *f = e->frames->top; f; f = f->parent) count++;
    uint32_t i = count;
    FrameState *states = grow_zeroed(count, sizeof *states);
    DeoptFrame *frames = grow_zeroed(count, sizeof *frames);
    DeoptBuilder x = {.e = e};
    states[--i] = innermost;
    for (JavaFrame *f = e->frames->top->parent; f; f = f->parent) states[--i] = caller_state(e, f, innermost.reload);
    for (i = 0; i < count; i++) frames[i] = put_frame(&x, &states[i]);
    DeoptPoint point = {.reason = reason,
                        .kind = (uint8_t)kind,
                        .sampling = frames_sampling(e->frames),
                        .position = frames_position(e->frames, e->frames->top)};
    uint32_t number = unit_add_deopt_point(e->unit, point, frames, count);
    jump_to_leaving(e, call_exit(e, &x, number, point.position));
    free(x.values);
    free(x.bytes);
    for (i = 0; i < count; i++) free(frames[i].slots);
    free(states);
    free(frames);
}

// Leaves the code so that the interpreter executes the current instruction again.
static void leave_before(Emit *e, DeoptKind kind, uint16_t reason) {
    JavaFrame *f = e->frames->top;
    leave(e, kind, reason,
          (FrameState){f, f->block, f->bci, dataflow_live(f->plan->flow, f->block, f->bci), f->local_kinds, f->before,
                       f->before_depth, f->before_locks, false});
}

void emit_deopt_at(Emit *e, uint16_t reason, uint32_t block) {
    JavaFrame *f = e->frames->top;
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[block];
    leave(e, DEOPT_RESUME, reason,
          (FrameState){f, block, b->start, dataflow_live(flow, block, b->start), b->kinds, f->stack, f->depth,
                       f->lock_depth, false});
}

void emit_deopt(Emit *e, uint16_t reason) { leave_before(e, DEOPT_RESUME, reason); }

void emit_deopt_rethrow(Emit *e, uint16_t reason, const char *kinds) {
    JavaFrame *f = e->frames->top;
    leave(e, DEOPT_RETHROW, reason, (FrameState){f, f->block, f->bci, NULL, kinds, NULL, 0, f->lock_depth, true});
}

// ---- tests --------------------------------------------------------------------------------------

LLVMValueRef emit_exception(Emit *e) {
    Ir *ir = e->ir;
    return ir_load(ir, ir->ptr, ir->thread, ir->layout->thread_exception);
}

// Calls rt_deopt_pending. The builder continues where the code deoptimises; otherwise control goes to `stay`.
// Duplicated code asks too. If it did not, a sample would change which checks follow it, and the runs with all phases
// of an interval would no longer add up to the exact profile.
static void ask_deopt_pending(Emit *e, LLVMBasicBlockRef stay) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef out = ir_block(ir, "exit");
    LLVMValueRef answer = frames_runtime(e->frames, RT_deopt_pending, NULL, 0);
    LLVMValueRef must = LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_int(ir, 0), "");
    ir_branch(ir, must, out, stay, 0);
    ir_at(ir, out);
}

void emit_test_pending(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay) {
    Ir *ir = e->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef cold = ir_block(ir, "pending"), ask = ir_block(ir, "ask");
    LLVMValueRef exception = emit_exception(e);
    if (e->root->stress) {
        ir_jump(ir, cold);
    } else {
        LLVMValueRef bits = LLVMBuildPtrToInt(b, exception, ir->i64, "");
        LLVMValueRef pending = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_deopt_pending);
        LLVMValueRef both = LLVMBuildOr(b, bits, LLVMBuildZExt(b, pending, ir->i64, ""), "");
        ir_branch(ir, LLVMBuildICmp(b, LLVMIntNE, both, ir_long(ir, 0), ""), cold, stay, 0);
    }
    ir_at(ir, cold);
    ir_branch(ir, ir_is_null(ir, exception), ask, unwind, -1);
    ir_at(ir, ask);
    ask_deopt_pending(e, stay);
}

void emit_test_answer(Emit *e, LLVMValueRef answer, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef cold = ir_block(ir, "answered"), out = ir_block(ir, "exit");
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_int(ir, YIELD_GO_ON), ""), cold, stay, 0);
    ir_at(ir, cold);
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, answer, ir_int(ir, YIELD_UNWIND), ""), unwind, out, -1);
    ir_at(ir, out);
}

void emit_poll_quietly(Emit *e) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef fine = ir_block(ir, "quiet"), next = ir_block(ir, "test");
    ir_branch(ir, ir_is_null(ir, emit_exception(e)), fine, next, 1);
    ir_at(ir, fine);
    frames_runtime(e->frames, RT_poll, NULL, 0);
    ir_jump(ir, next);
    ir_at(ir, next);
}

// The instruction is complete, including its result.
static void leave_after(Emit *e, uint16_t reason) {
    JavaFrame *f = e->frames->top;
    leave(e, DEOPT_RESUME, reason,
          (FrameState){f, f->block, f->next_bci, dataflow_live(f->plan->flow, f->block, f->next_bci), f->local_kinds,
                       f->stack, f->depth, f->lock_depth, false});
}

void emit_check_to(Emit *e, bool after, LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef next = ir_block(ir, "next");
    uint16_t reason = e->root->stress ? DEOPT_stress : DEOPT_invalidated;
    if (e->unit->options->poll_everywhere && after) emit_poll_quietly(e);
    emit_test_pending(e, unwind, next);
    if (after) leave_after(e, reason);
    else leave_before(e, DEOPT_RESUME, reason);
    ir_at(ir, next);
}

void emit_check(Emit *e, bool after) { emit_check_to(e, after, emit_unwind_label(e)); }

void emit_deopt_pending_throw(Emit *e, const char *kinds) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef next = ir_block(ir, "caught"), cold = ir_block(ir, "ask");
    if (e->root->stress) {
        ir_jump(ir, cold);
    } else {
        LLVMValueRef pending = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_deopt_pending);
        LLVMValueRef any = LLVMBuildICmp(ir->builder, LLVMIntNE, pending, ir_int(ir, 0), "");
        ir_branch(ir, any, cold, next, 0);
    }
    ir_at(ir, cold);
    ask_deopt_pending(e, next);
    emit_deopt_rethrow(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated, kinds);
    ir_at(ir, next);
}

// ---- yieldpoints --------------------------------------------------------------------------------

// Ends the block: polls and jumps to `to`, or to `unwind` if an exception is pending. The builder continues where the
// code is to be left.
static void poll(Emit *e, LLVMBasicBlockRef to, LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    LLVMBuilderRef b = ir->builder;
    const CompilerLayout *l = ir->layout;
    LLVMBasicBlockRef cold = ir_block(ir, "poll");
    // Other threads set it. The load orders nothing: rt_poll reads what they request. It is volatile rather than
    // atomic: an aligned word is read whole anyway, and LLVM makes one instruction of the load and the test.
    LLVMValueRef word = ir_load(ir, ir->i32, ir->thread, l->thread_poll);
    LLVMSetVolatile(word, true);
    LLVMValueRef bits = LLVMBuildAnd(b, word, ir_int(ir, l->poll_mask), "");
    LLVMValueRef set = LLVMBuildICmp(b, LLVMIntNE, bits, ir_int(ir, 0), "");
    if (e->root->stress || e->unit->options->poll_everywhere) set = LLVMConstInt(ir->i1, 1, false);
    ir_branch(ir, set, cold, to, 0);
    ir_at(ir, cold);
    emit_test_answer(e, frames_runtime(e->frames, RT_poll, NULL, 0), unwind, to);
}

void emit_poll(Emit *e, uint32_t target, LLVMBasicBlockRef to) {
    // As in the interpreter, an exception raised by a poll on an edge is thrown before the first instruction of its
    // target. So a loop's `try` catches an exception that arrives while its body runs, even though the backedge's jump
    // lies outside its range.
    JavaFrame *f = e->frames->top;
    uint32_t block = f->block;
    f->block = target;
    LLVMBasicBlockRef unwind = emit_unwind_label(e);
    f->block = block;
    poll(e, to, unwind);
    emit_deopt_at(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated, target);
}

void emit_poll_before(Emit *e) {
    LLVMBasicBlockRef next = ir_block(e->ir, "not.left");
    poll(e, next, emit_unwind_label(e));
    leave_before(e, DEOPT_RESUME, e->root->stress ? DEOPT_stress : DEOPT_invalidated);
    ir_at(e->ir, next);
}

// ---- exceptions ---------------------------------------------------------------------------------

void emit_throw_if(Emit *e, LLVMValueRef condition, enum RuntimeCallId id, LLVMValueRef *args, unsigned count) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef cold = ir_block(ir, "throw"), next = ir_block(ir, "ok");
    ir_branch(ir, condition, cold, next, 0);
    ir_at(ir, cold);
    frames_runtime(e->frames, id, args, count);
    ir_jump(ir, emit_unwind_label(e));
    ir_at(ir, next);
}

void emit_null_check(Emit *e, LLVMValueRef ref) {
    if (frames_known_nonnull(e->frames, ref)) return;
    emit_throw_if(e, ir_is_null(e->ir, ref), RT_throw_null, NULL, 0);
    frames_mark_nonnull(e->frames, ref);
}

void emit_class_barrier(Emit *e, const Site *site, Class *cls) {
    Ir *ir = e->ir;
    if (site->initialized) return;
    LLVMBasicBlockRef cold = ir_block(ir, "init"), next = ir_block(ir, "ready");
    LLVMValueRef address = ir_symbol(ir, SYMBOL_CLASS, cls);
    LLVMValueRef state = ir_load_atomic(ir, ir->i32, address, ir->layout->class_state, LLVMAtomicOrderingAcquire);
    LLVMValueRef ready = LLVMBuildICmp(ir->builder, LLVMIntEQ, state, ir_int(ir, ir->layout->class_initialized), "");
    ir_branch(ir, ready, next, cold, 1);
    ir_at(ir, cold);
    frames_runtime(e->frames, RT_class_init, &address, 1);
    emit_check(e, false);
    ir_jump(ir, next);
    ir_at(ir, next);
}
