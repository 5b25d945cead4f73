// Calls of the VM, and the points at which compiled code continues in the interpreter.
//
// A position is a method and bytecode index, followed by those of the callers that the method is inlined into. A stack
// map is a position and the objects that its frames have locked; every call except those of leaf rows has one, in its
// "deopt" bundle. A deoptimisation point describes the interpreter's frames and holds the values of all of them,
// outermost first. It is an exit: a call with a table of its values, which stay in the registers or spill slots where
// they are.
//
// The callers of the current frame are in the middle of an invocation and have popped its arguments. Their EmitFrames
// hold their state at that moment.
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

// ---- positions and stack maps -------------------------------------------------------------------

uint32_t emit_position(Emit *e, EmitFrame *f) {
    if (f->position != CODE_NONE && f->position_bci == f->bci) return f->position;
    uint32_t parent = f->parent ? emit_position(e, f->parent) : CODE_NONE;
    f->position = unit_add_position(e->unit, f->method, (int32_t)f->bci, parent);
    f->position_bci = f->bci;
    return f->position;
}

static LLVMValueRef load_ref(Emit *e, LLVMValueRef slot) {
    return LLVMBuildLoad2(e->builder, e->ptr, slot, "");
}

// The alloca of the monitor at that depth; it holds null until something is locked there.
static LLVMValueRef lock_slot(Emit *e, EmitFrame *f, uint32_t depth) {
    if (!GROW_ZEROED(f->lock_slots, f->lock_room, depth + 1)) grow_out_of_memory(depth + 1);
    if (!f->lock_slots[depth]) {
        f->lock_slots[depth] = emit_alloca(e, e->ptr, "lock");
        LLVMBuildStore(e->entry_builder, emit_null(e), f->lock_slots[depth]);
    }
    return f->lock_slots[depth];
}

// Stores the monitors of all frames in values[], the newest first, and the levels of their frames in levels[].
static void collect_locks(Emit *e, LLVMValueRef *values, uint8_t *levels) {
    uint32_t n = 0, level = 0;
    for (EmitFrame *f = e->frame; f; f = f->parent, level++) {
        for (uint32_t i = f->lock_depth; i-- > 0;) {
            levels[n] = (uint8_t)level;
            values[n++] = load_ref(e, lock_slot(e, f, i));
        }
        if (!f->locked) continue;
        levels[n] = (uint8_t)level;
        values[n++] = load_ref(e, f->monitor);
    }
}

static uint8_t sampling_of(const Emit *e) {
    switch (e->version.kind) {
        case VERSION_ONLY: case VERSION_REPLACING: return DEOPT_KEEPS_SAMPLING;
        case VERSION_DUPLICATED: return DEOPT_SAMPLED;
        case VERSION_UNCHECKED: return DEOPT_MAKES_CHECK;
        default: return DEOPT_NOT_SAMPLED;
    }
}

LLVMOperandBundleRef emit_deopt_bundle(Emit *e) {
    uint32_t locks = 0;
    for (const EmitFrame *f = e->frame; f; f = f->parent) locks += f->lock_depth + f->locked;
    LLVMValueRef *values = emit_alloc(locks + 1, sizeof *values);
    uint8_t *levels = emit_alloc(locks, 1);
    collect_locks(e, values + 1, levels);
    uint32_t site = unit_add_stack_map(e->unit, emit_position(e, e->frame), sampling_of(e), levels, locks);
    e->unit->stack_maps[site].entering = e->entering;
    values[0] = emit_int(e, site);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, values, locks + 1);
    free(values);
    free(levels);
    return bundle;
}

void emit_lock_at(Emit *e, uint32_t depth, LLVMValueRef object) {
    LLVMBuildStore(e->builder, object, lock_slot(e, e->frame, depth));
}

void emit_locked(Emit *e, LLVMValueRef object) { emit_lock_at(e, e->frame->lock_depth++, object); }

void emit_unlocked(Emit *e) {
    if (e->frame->lock_depth > 0) e->frame->lock_depth--;
}

// Whether the VM may run Java code before it returns to this code. Calls that throw do not count: handlers allow for
// it.
static bool runs_java(enum RuntimeCallId id) {
    switch (id) {
        case RT_class_init: case RT_register_finalizer: case RT_interface_method: case RT_link_target: case RT_intrinsic:
        case RT_intrinsic_try: case RT_monitor_enter: case RT_monitor_exit: return true;
        default: return false;
    }
}

// The runtime calls that receive the address of memory in the frame and find references there.
static bool passes_memory(enum RuntimeCallId id) { return id == RT_intrinsic || id == RT_intrinsic_try; }

LLVMValueRef emit_runtime(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count) {
    const RuntimeCall *row = &compiler_runtime_calls[id];
    LLVMValueRef f = emit_symbol(e, SYMBOL_RUNTIME, (void *)(uintptr_t)id), all[8];
    unsigned n = 0;
    if (row->signature[1] == 'T') all[n++] = e->thread;
    for (unsigned i = 0; i < count; i++) all[n++] = args[i];
    LLVMOperandBundleRef bundle = row->kind == RUNTIME_LEAF ? NULL : emit_deopt_bundle(e);
    if (bundle) {
        e->unit->stack_maps[e->unit->stack_map_count - 1].passes_memory = passes_memory(id);
        emit_budget_publish(e);
    }
    LLVMValueRef call = LLVMBuildCallWithOperandBundles(
        e->builder, LLVMGlobalGetValueType(f), f, all, n, &bundle, bundle != NULL, "");
    LLVMSetInstructionCallConv(call, emit_runtime_convention(id));
    emit_tag(e, call, "heap");
    if (bundle) LLVMDisposeOperandBundle(bundle);
    if (bundle) emit_budget_load(e);
    if (runs_java(id)) emit_ring_called(e);
    return call;
}

// ---- deoptimisation points ----------------------------------------------------------------------

// The part of a frame's state that a deoptimisation point records.
typedef struct FrameState {
    EmitFrame *frame;
    uint32_t block, bci;
    const uint64_t *live;   // NULL: all locals that have a kind
    const char *kinds;      // of locals
    const EmitValue *stack;
    uint32_t depth, locks;
    bool reload;            // load locals from their allocas
} FrameState;

typedef struct DeoptBuilder {
    Emit *e;
    uint32_t used;          // values
    LLVMValueRef *values;
    uint8_t *bytes;         // of each
    uint32_t value_room, byte_room;
} DeoptBuilder;

// Floats and doubles become integers: the calls of exits preserve only general registers.
static LLVMValueRef exit_value(Emit *e, char kind, LLVMValueRef v) {
    if (kind == KIND_FLOAT) return LLVMBuildBitCast(e->builder, v, e->i32, "");
    return kind == KIND_DOUBLE ? LLVMBuildBitCast(e->builder, v, e->i64, "") : v;
}

static void put_value(DeoptBuilder *x, char kind, LLVMValueRef v) {
    GROW_OR_EXIT(x->values, x->value_room, x->used + 1);
    GROW_OR_EXIT(x->bytes, x->byte_room, x->used + 1);
    x->values[x->used] = exit_value(x->e, kind, v);
    x->bytes[x->used++] = kind == KIND_INT || kind == KIND_FLOAT ? 4 : 8;
}

// Frame.path; NULL: not known.
static LLVMValueRef path_of(Emit *e, const FrameState *s) {
    if (s->frame->paths) return emit_path_value(e, s->frame, s->block);
    return s->frame == e->frame ? e->sampled_path : NULL;
}

static DeoptFrame put_frame(DeoptBuilder *x, const FrameState *s) {
    const Dataflow *flow = s->frame->plan->flow;
    LLVMValueRef path = path_of(x->e, s);
    DeoptFrame out = {.method = s->frame->method, .bci = (int32_t)s->bci,
                         .lock_count = (uint16_t)s->locks, .has_monitor = s->frame->locked,
                         .has_path = path != NULL};
    out.slots = emit_alloc((size_t)flow->max_locals + flow->max_stack + 2, sizeof *out.slots);
    if (out.has_monitor) put_value(x, KIND_REF, load_ref(x->e, s->frame->monitor));
    if (out.has_path) put_value(x, KIND_LONG, path);
    EmitFrame *f = s->frame;
    for (uint32_t i = 0; i < flow->max_locals; i++) {
        char kind = s->kinds[i];
        if (kind == KIND_DEAD || kind == KIND_UPPER || (s->live && !dataflow_is_live(s->live, i))) continue;
        LLVMValueRef v = !s->reload && f->cached[i] && f->local_kinds[i] == kind
                             ? f->cached[i] : emit_reload_local(x->e, f, i, kind);
        put_value(x, kind, v);
        out.slots[out.value_count++] = (uint16_t)i;
    }
    // With several versions, a caller's stack is in its slots: control may have come from any of its versions.
    bool in_slots = emit_versions_several(x->e) && f != x->e->frame;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < s->depth; i++) {
        char kind = s->stack[i].kind;
        put_value(x, kind, in_slots ? emit_load_slot(x->e, f, slot, kind) : s->stack[i].v);
        out.slots[out.value_count++] = (uint16_t)(flow->max_locals + slot);
        slot += 1 + emit_is_wide(s->stack[i].kind);
    }
    out.stack_depth = (uint16_t)slot;
    return out;
}

static FrameState caller_state(const Emit *e, EmitFrame *f, bool reload) {
    return (FrameState){f, f->block, f->bci, dataflow_live(f->plan->flow, f->block, f->bci), f->local_kinds,
                        f->stack, f->depth, f->lock_depth, reload || emit_versions_several(e)};
}

// Ends the block. All exits join in one block, with the values that they return.
static void jump_to_leaving(Emit *e, LLVMValueRef value) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    if (!e->leaving) {
        emit_at(e, emit_block(e, "leaving"));
        e->leaving = LLVMBuildPhi(e->builder, LLVMTypeOf(value), "");
        emit_at(e, here);
    }
    LLVMAddIncoming(e->leaving, &value, &here, 1);
    emit_jump(e, LLVMGetInstructionParent(e->leaving));
}

static LLVMTypeRef exit_type(const Emit *e) {
    LLVMTypeRef parameters[] = {e->i64, e->i32, e->ptr, e->i32};
    return LLVMFunctionType(e->i64, parameters, 4, true);
}

// The call of an exit. Its arguments are the number, the bytes reserved for the call, the callee (written later), the
// number of arguments, the arguments, and the values.
static LLVMValueRef call_exit(Emit *e, const DeoptBuilder *x, uint32_t point, uint32_t position) {
    enum { BEFORE = 5 };
    Unit *u = e->unit;
    if (!u->exit) u->exit = LLVMAddFunction(e->module, "llvm.experimental.patchpoint.i64", exit_type(e));
    uint32_t number = unit_add_stack_map(u, position, sampling_of(e), x->bytes, x->used);
    u->stack_maps[number].exit = true;
    u->stack_maps[number].point = point;
    LLVMValueRef *args = emit_alloc(x->used + BEFORE, sizeof *args);
    LLVMValueRef before[BEFORE] = {emit_long(e, (int64_t)(EXIT_ID + number)), emit_int(e, EXIT_BYTES), emit_null(e), emit_int(e, 1), e->thread};
    memcpy(args, before, sizeof before);
    if (x->used) memcpy(args + BEFORE, x->values, x->used * sizeof *args);
    emit_budget_publish(e);
    LLVMValueRef call = LLVMBuildCall2(e->builder, exit_type(e), u->exit, args, x->used + BEFORE, "");
    free(args);
    return call;
}

void emit_leaving(Emit *e) {
    if (!e->leaving) return;
    ASSERT(!e->frame->parent, "the end of the code is in an inlined method");
    e->frame->lock_depth = 0;
    e->frame->locked = false;
    emit_at(e, LLVMGetInstructionParent(e->leaving));
    LLVMValueRef raw = e->leaving;
    emit_budget_load(e);
    emit_return(e, e->return_kind == 'V' ? NULL
                   : e->root->osr_bci >= 0 ? raw : emit_from_raw(e, e->return_kind, raw));
    e->leaving = NULL;
}

// Leaves the code at a deoptimisation point. Ends the block.
static void leave(Emit *e, DeoptKind kind, uint16_t reason, FrameState innermost) {
    uint32_t count = 0;
    for (const EmitFrame *f = e->frame; f; f = f->parent) count++;
    uint32_t i = count;
    FrameState *states = emit_alloc(count, sizeof *states);
    DeoptFrame *frames = emit_alloc(count, sizeof *frames);
    DeoptBuilder x = {.e = e};
    states[--i] = innermost;
    for (EmitFrame *f = e->frame->parent; f; f = f->parent)
        states[--i] = caller_state(e, f, innermost.reload);
    for (i = 0; i < count; i++) frames[i] = put_frame(&x, &states[i]);
    DeoptPoint point = {.reason = reason, .kind = (uint8_t)kind, .sampling = sampling_of(e),
                        .position = emit_position(e, e->frame)};
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
    EmitFrame *f = e->frame;
    leave(e, kind, reason,
          (FrameState){f, f->block, f->bci, dataflow_live(f->plan->flow, f->block, f->bci), f->local_kinds,
                       f->before, f->before_depth, f->before_locks, false});
}

void emit_deopt_at(Emit *e, uint16_t reason, uint32_t block) {
    EmitFrame *f = e->frame;
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[block];
    leave(e, DEOPT_RESUME, reason,
          (FrameState){f, block, b->start, dataflow_live(flow, block, b->start), b->kinds, f->stack, f->depth,
                       f->lock_depth, false});
}

void emit_deopt(Emit *e, uint16_t reason) { leave_before(e, DEOPT_RESUME, reason); }

void emit_deopt_rethrow(Emit *e, uint16_t reason, const char *kinds) {
    EmitFrame *f = e->frame;
    leave(e, DEOPT_RETHROW, reason, (FrameState){f, f->block, f->bci, NULL, kinds, NULL, 0, f->lock_depth, true});
}

// ---- tests --------------------------------------------------------------------------------------

LLVMValueRef emit_exception(Emit *e) {
    return emit_load(e, e->ptr, e->thread, e->layout->thread_exception);
}

// Calls rt_deopt_pending. The builder continues where the code deoptimises; otherwise control goes to `stay`.
// Duplicated code asks too. If it did not, a sample would change which checks follow it, and the runs with all phases
// of an interval would no longer add up to the exact profile.
static void ask_deopt_pending(Emit *e, LLVMBasicBlockRef stay) {
    LLVMBasicBlockRef out = emit_block(e, "exit");
    LLVMValueRef answer = emit_runtime(e, RT_deopt_pending, NULL, 0);
    LLVMValueRef must = LLVMBuildICmp(e->builder, LLVMIntNE, answer, emit_int(e, 0), "");
    emit_branch(e, must, out, stay, 0);
    emit_at(e, out);
}

static LLVMValueRef deopt_pending(Emit *e) {
    return emit_load(e, e->i32, e->thread, e->layout->thread_deopt_pending);
}

void emit_test_pending(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef cold = emit_block(e, "pending"), ask = emit_block(e, "ask");
    LLVMValueRef exception = emit_exception(e);
    if (e->root->stress) {
        emit_jump(e, cold);
    } else {
        LLVMValueRef bits = LLVMBuildPtrToInt(b, exception, e->i64, "");
        LLVMValueRef both = LLVMBuildOr(b, bits, LLVMBuildZExt(b, deopt_pending(e), e->i64, ""), "");
        emit_branch(e, LLVMBuildICmp(b, LLVMIntNE, both, emit_long(e, 0), ""), cold, stay, 0);
    }
    emit_at(e, cold);
    emit_branch(e, emit_is_null(e, exception), ask, unwind, -1);
    emit_at(e, ask);
    ask_deopt_pending(e, stay);
}

void emit_test_answer(Emit *e, LLVMValueRef answer, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay) {
    LLVMBasicBlockRef cold = emit_block(e, "answered"), out = emit_block(e, "exit");
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, answer, emit_int(e, YIELD_GO_ON), ""), cold, stay, 0);
    emit_at(e, cold);
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, answer, emit_int(e, YIELD_UNWIND), ""), unwind, out, -1);
    emit_at(e, out);
}

void emit_poll_quietly(Emit *e) {
    LLVMBasicBlockRef fine = emit_block(e, "quiet"), next = emit_block(e, "test");
    emit_branch(e, emit_is_null(e, emit_exception(e)), fine, next, 1);
    emit_at(e, fine);
    emit_runtime(e, RT_poll, NULL, 0);
    emit_jump(e, next);
    emit_at(e, next);
}

// The instruction is complete, including its result.
static void leave_after(Emit *e, uint16_t reason) {
    EmitFrame *f = e->frame;
    leave(e, DEOPT_RESUME, reason,
          (FrameState){f, f->block, f->next_bci, dataflow_live(f->plan->flow, f->block, f->next_bci), f->local_kinds,
                       f->stack, f->depth, f->lock_depth, false});
}

void emit_check_to(Emit *e, bool after, LLVMBasicBlockRef unwind) {
    LLVMBasicBlockRef next = emit_block(e, "next");
    uint16_t reason = e->root->stress ? DEOPT_stress : DEOPT_invalidated;
    if (e->unit->options->poll_everywhere && after) emit_poll_quietly(e);
    emit_test_pending(e, unwind, next);
    if (after) leave_after(e, reason);
    else leave_before(e, DEOPT_RESUME, reason);
    emit_at(e, next);
    if (!emit_sample_needs_ahead(e)) return;
    LLVMBasicBlockRef stay = emit_block(e, "next");
    emit_sample_ahead(e, unwind, stay);
    if (after) leave_after(e, reason);
    else leave_before(e, DEOPT_RESUME, reason);
    emit_at(e, stay);
}

void emit_check(Emit *e, bool after) { emit_check_to(e, after, emit_unwind_label(e)); }

void emit_deopt_pending_throw(Emit *e, const char *kinds) {
    LLVMBasicBlockRef next = emit_block(e, "caught"), cold = emit_block(e, "ask");
    if (e->root->stress) {
        emit_jump(e, cold);
    } else {
        LLVMValueRef any = LLVMBuildICmp(e->builder, LLVMIntNE, deopt_pending(e), emit_int(e, 0), "");
        emit_branch(e, any, cold, next, 0);
    }
    emit_at(e, cold);
    ask_deopt_pending(e, next);
    emit_deopt_rethrow(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated, kinds);
    emit_at(e, next);
}

// ---- yieldpoints --------------------------------------------------------------------------------

// The label for an exception raised by a poll on the edge to `target`. As in the interpreter, it is thrown before the
// first instruction of `target`. So a loop's `try` catches an exception that arrives while its body runs, even though
// the backedge's jump lies outside its range.
static LLVMBasicBlockRef unwind_on_edge(Emit *e, uint32_t target) {
    uint32_t block = e->frame->block;
    e->frame->block = target;
    LLVMBasicBlockRef label = emit_unwind_label(e);
    e->frame->block = block;
    return label;
}

// Ends the block: polls and jumps to `to`, or to `unwind` if an exception is pending. The builder continues where the
// code is to be left.
static void poll(Emit *e, LLVMBasicBlockRef to, LLVMBasicBlockRef unwind) {
    LLVMBuilderRef b = e->builder;
    const CompilerLayout *l = e->layout;
    LLVMBasicBlockRef cold = emit_block(e, "poll");
    // Other threads set it. The load orders nothing: rt_poll reads what they request. It is volatile rather than
    // atomic: an aligned word is read whole anyway, and LLVM makes one instruction of the load and the test.
    LLVMValueRef word = emit_load(e, e->i32, e->thread, l->thread_poll);
    LLVMSetVolatile(word, true);
    LLVMValueRef bits = LLVMBuildAnd(b, word, emit_int(e, l->poll_mask), "");
    LLVMValueRef set = LLVMBuildICmp(b, LLVMIntNE, bits, emit_int(e, 0), "");
    if (e->root->stress || e->unit->options->poll_everywhere) set = LLVMConstInt(e->i1, 1, false);
    emit_branch(e, set, cold, to, 0);
    emit_at(e, cold);
    emit_test_answer(e, emit_runtime(e, RT_poll, NULL, 0), unwind, to);
}

static uint16_t reason_to_leave(const Emit *e) { return e->root->stress ? DEOPT_stress : DEOPT_invalidated; }

void emit_poll(Emit *e, uint32_t target, LLVMBasicBlockRef to) {
    poll(e, to, unwind_on_edge(e, target));
    emit_deopt_at(e, reason_to_leave(e), target);
}

void emit_poll_before(Emit *e) {
    LLVMBasicBlockRef next = emit_block(e, "not.left");
    poll(e, next, emit_unwind_label(e));
    leave_before(e, DEOPT_RESUME, reason_to_leave(e));
    emit_at(e, next);
}

// ---- exceptions ---------------------------------------------------------------------------------

void emit_throw_if(Emit *e, LLVMValueRef condition, enum RuntimeCallId id, LLVMValueRef *args,
                   unsigned count) {
    LLVMBasicBlockRef cold = emit_block(e, "throw"), next = emit_block(e, "ok");
    emit_branch(e, condition, cold, next, 0);
    emit_at(e, cold);
    emit_runtime(e, id, args, count);
    emit_unwind(e);
    emit_at(e, next);
}

void emit_null_check(Emit *e, LLVMValueRef ref) {
    if (emit_known_nonnull(e, ref)) return;
    emit_throw_if(e, emit_is_null(e, ref), RT_throw_null, NULL, 0);
    emit_mark_nonnull(e, ref);
}

void emit_class_barrier(Emit *e, const Site *site, Class *cls) {
    if (site->initialized) return;
    LLVMBasicBlockRef cold = emit_block(e, "init"), next = emit_block(e, "ready");
    LLVMValueRef address = emit_symbol(e, SYMBOL_CLASS, cls);
    LLVMValueRef state = emit_load_atomic(e, e->i32, address, e->layout->class_state, LLVMAtomicOrderingAcquire);
    LLVMValueRef ready = LLVMBuildICmp(e->builder, LLVMIntEQ, state,
                                       emit_int(e, e->layout->class_initialized), "");
    emit_branch(e, ready, next, cold, 1);
    emit_at(e, cold);
    emit_runtime(e, RT_class_init, &address, 1);
    emit_check(e, false);
    emit_jump(e, next);
    emit_at(e, next);
}
