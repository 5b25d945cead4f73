// The module, the function and its frames; the beginning of the root, and the instructions of a node. The walk over the
// nodes is in emit_versions.c.
#include "jit/emit/emit_core.h"
#include "jit/plan/intrinsics.h"

#include <stdio.h>

// ---- helpers ------------------------------------------------------------------------------------

LLVMBasicBlockRef emit_block(Emit *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}
void emit_at(Emit *e, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(e->builder, block); }
bool emit_terminated(const Emit *e) {
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)) != NULL;
}
void emit_jump(Emit *e, LLVMBasicBlockRef block) { LLVMBuildBr(e->builder, block); }

void emit_branch(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no,
                 int likely) {
    LLVMValueRef branch = LLVMBuildCondBr(e->builder, condition, yes, no);
    if (likely < 0) return;
    LLVMSetMetadata(branch, e->prof_kind,
                    LLVMMetadataAsValue(e->context, likely ? e->likely : e->unlikely));
}

LLVMValueRef emit_is_null(Emit *e, LLVMValueRef ref) {
    return LLVMBuildICmp(e->builder, LLVMIntEQ, ref, LLVMConstNull(LLVMTypeOf(ref)), "");
}

LLVMValueRef emit_phi2(Emit *e, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a,
                       LLVMValueRef b, LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, type, ""), values[] = {a, b};
    LLVMBasicBlockRef blocks[] = {from_a, from_b};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

// ---- frames -------------------------------------------------------------------------------------

// A local that no instruction stores into keeps the argument's value.
static void find_stored(const Plan *plan, bool *stored) {
    const uint8_t *code = plan->code->code;
    uint32_t length = plan->code->code_len, step;
    for (uint32_t bci = 0; bci < length; bci += step) {
        unsigned op = opcodes_at(code, bci), index;
        step = opcodes_length(code, length, bci);
        if (!step) return;
        if (!(opcodes_info[op].flags & OPF_STORE)) continue;
        unsigned size = opcodes_local(code, bci, &index);
        for (unsigned i = 0; i < size; i++) stored[index + i] = true;
        if (index > 0) stored[index - 1] = true;  // the upper half of a pair
    }
}

// The block at which the root begins, or CFG_NONE.
static uint32_t first_block(const Emit *e) {
    const Dataflow *flow = e->root->flow;
    if (e->root->osr_bci < 0) return 0;
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (flow->blocks[i].start == (uint32_t)e->root->osr_bci && flow->blocks[i].stack_depth == 0 &&
            flow->blocks[i].context == 0)
            return i;
    return CFG_NONE;
}

EmitFrame *emit_frame_enter(Emit *e, const Plan *plan) {
    enum { SPARE = 3 };
    EmitFrame *f = emit_alloc(1, sizeof *f);
    const Dataflow *flow = plan->flow;
    uint32_t locals = flow->max_locals + SPARE, stack = flow->max_stack + SPARE;
    *f = (EmitFrame){
        .parent = e->frame,
        .plan = plan,
        .method = plan->method,
        .stack = emit_alloc(stack, sizeof *f->stack),
        .before = emit_alloc(stack, sizeof *f->before),
        .local_kinds = emit_alloc(locals, 1),
        .locals = emit_alloc(locals * EMIT_KINDS, sizeof *f->locals),
        .slots = emit_alloc(stack * EMIT_KINDS, sizeof *f->slots),
        .cached = emit_alloc(locals, sizeof *f->cached),
        .fixed = emit_alloc(locals, sizeof *f->fixed),
        .stored = emit_alloc(locals, sizeof *f->stored),
        .position = CODE_NONE,
        .nonnull_base = e->nonnull_count,
    };
    find_stored(plan, f->stored);
    if (emit_has_monitor(f->method)) f->monitor = emit_alloca(e, e->ptr, "monitor");
    emit_path_frame(e, f);
    return e->frame = f;
}

void emit_frame_leave(Emit *e) {
    EmitFrame *f = e->frame;
    e->frame = f->parent;
    while (f->dispatches) {
        EmitDispatch *d = f->dispatches;
        f->dispatches = d->next;
        free(d);
    }
    emit_loops_end(f);
    void *arrays[] = {f->stack, f->before, f->local_kinds, f->locals, f->slots, f->cached, f->fixed,
                      f->stored, f->lock_slots, f};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

// ---- instructions -------------------------------------------------------------------------------

void emit_keep_before(EmitFrame *f) {
    memcpy(f->before, f->stack, f->depth * sizeof *f->stack);
    f->before_depth = f->depth;
    f->before_locks = f->lock_depth;
}

static void emit_instruction(Emit *e) {
    EmitFrame *f = e->frame;
    unsigned op = f->plan->code->code[f->bci];
    emit_keep_before(f);
    emit_wait_for_sinks(e);
    emit_instruction_here(e, opcodes_at(f->plan->code->code, f->bci));
    if (emit_ops(e, op) || emit_memory(e, op) || emit_object(e, op) || emit_call(e, op) ||
        emit_leave(e, op))
        return;
    e->unit->bailout = BAILOUT_irregular_code;
    snprintf(e->unit->detail, sizeof e->unit->detail, "instruction %s", opcodes_name(op));
    LLVMBuildUnreachable(e->builder);
}

void emit_instructions(Emit *e, uint32_t start, uint32_t end) {
    EmitFrame *f = e->frame;
    const ClassFileCode *code = f->plan->code;
    for (uint32_t bci = start; bci < end; bci = f->next_bci) {
        f->bci = bci;
        f->next_bci = bci + opcodes_length(code->code, code->code_len, bci);
        emit_instruction(e);
        if (emit_terminated(e) || e->unit->bailout) return;
    }
    f->before_locks = f->lock_depth;
    emit_spill_stack(e);
    emit_jump(e, emit_path_edge(e, 0, emit_edge(e, 0)));
}

// ---- beginning of a method ----------------------------------------------------------------------

static void bind_local(Emit *e, uint32_t index, char kind, LLVMValueRef v) {
    EmitFrame *f = e->frame;
    if (f->stored[index]) {
        emit_store_local(e, index, kind, v);
        return;
    }
    f->fixed[index] = f->cached[index] = v;
    f->local_kinds[index] = kind;
    if (emit_is_wide(kind)) f->local_kinds[index + 1] = KIND_UPPER;
}

void emit_bind_args(Emit *e, const char *shape, LLVMValueRef *args) {
    for (uint32_t index = 0; *shape; index += 1 + emit_is_wide(*shape), shape++, args++)
        bind_local(e, index, *shape, *args);
}

void emit_bind_receiver(Emit *e) {
    EmitFrame *f = e->frame;
    if (!method_is_static(f->method) && f->fixed[0]) emit_mark_nonnull(e, f->fixed[0]);
    f->nonnull_base = e->nonnull_count;
}

static LLVMValueRef frame_address(Emit *e) {
    LLVMTypeRef types[] = {e->ptr};
    unsigned id = LLVMLookupIntrinsicID("llvm.frameaddress", 17);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 1), zero = emit_int(e, 0);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, types, 1), f, &zero, 1, "");
}

static LLVMValueRef guard_of(Emit *e) {
    // Other threads set it to request a stop. The load orders nothing: rt_stack_guard reads what they request.
    return emit_load_atomic(e, e->ptr, e->thread, e->layout->thread_stack_guard, LLVMAtomicOrderingMonotonic);
}

static LLVMValueRef is_below(Emit *e, LLVMValueRef address, LLVMValueRef guard) {
    if (e->unit->options->poll_everywhere) return LLVMConstInt(e->i1, 1, false);
    return LLVMBuildICmp(e->builder, LLVMIntULT, address, guard, "");
}

// Tests for stack overflow and a stop request with one comparison. A synchronized method that does not yet have its
// monitor can be left only with an exception; deopt_pending is tested once it has the monitor.
static void stack_guard(Emit *e) {
    EmitFrame *f = e->frame;
    LLVMBasicBlockRef cold = emit_block(e, "guard");
    LLVMBasicBlockRef next = emit_block(e, "enough");
    LLVMBasicBlockRef unwind = f->locked ? emit_unwind_label(e) : emit_outside(e);
    e->entering = e->root->osr_bci < 0 && emit_counts_calls_of(e, f->method);
    if (e->entering) unwind = emit_not_entered(e, unwind);
    LLVMValueRef address = frame_address(e);
    emit_branch(e, is_below(e, address, guard_of(e)), cold, next, 0);
    emit_at(e, cold);
    LLVMValueRef answer = emit_runtime(e, RT_stack_guard, &address, 1);
    if (f->monitor && !f->locked) {
        emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, answer, emit_int(e, YIELD_UNWIND), ""), unwind, next, 0);
    } else {
        emit_test_answer(e, answer, unwind, next);
        if (e->root->osr_bci < 0 && e->version.kind != VERSION_UNCHECKED) {
            e->entering = false;
            emit_own_entry_event(e);  // the interpreter resumes after it
        }
        emit_deopt(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated);
    }
    e->entering = false;
    emit_at(e, next);
}

// Combines the check of the entry and stack_guard in one branch. Chains of small methods called by address (composed
// closures) lose more by a second branch in each than by the decrement; other programs gain or lose a few percent. If
// either test has work to do, the check is undone and both are made separately.
static void pass_entry(Emit *e) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef one_by_one = emit_block(e, "entry.slow");
    LLVMValueRef old = emit_budget_read(e);
    LLVMValueRef left = LLVMBuildSub(b, LLVMBuildSExt(b, old, e->i64, ""), emit_long(e, 1), "");
    emit_budget_set(e, LLVMBuildTrunc(b, left, e->i32, ""));
    // All ones, above every address, if the budget is used up, or may be by the batched checks that follow.
    uint32_t ahead = e->versions->exits ? e->versions->ahead[e->versions->entry] : 0;
    if (ahead) left = LLVMBuildSub(b, left, emit_long(e, ahead), "");
    LLVMValueRef none = LLVMBuildAShr(b, left, emit_long(e, 63), "");
    LLVMValueRef guard = LLVMBuildOr(b, LLVMBuildPtrToInt(b, guard_of(e), e->i64, ""), none, "");
    LLVMValueRef address = LLVMBuildPtrToInt(b, frame_address(e), e->i64, "");
    e->passed = emit_block(e, "passed");
    emit_branch(e, is_below(e, address, guard), one_by_one, e->passed, 0);
    emit_at(e, one_by_one);
    emit_budget_set(e, old);
}

// The label for an exception that leaves e->frame: reports its exit event first.
static LLVMBasicBlockRef thrown_out(Emit *e) {
    if (!emit_wants(e, EVENT_method_unwind) && !emit_wants(e, EVENT_point_leave)) return emit_outside(e);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), out = emit_block(e, "thrown");
    emit_at(e, out);
    emit_exit_probe(e, e->frame->method, true);
    emit_jump(e, emit_outside(e));
    emit_at(e, here);
    return out;
}

// An intrinsic may do the whole work of the method in some cases.
static void try_intrinsic(Emit *e, const char *shape, LLVMValueRef *args) {
    EmitFrame *f = e->frame;
    LLVMBasicBlockRef next = emit_block(e, "bytecode");
    if (intrinsics_form(f->method) == INTRINSIC_FAST_PATH) {
        LLVMBasicBlockRef slow = emit_block(e, "slow");
        LLVMValueRef result = emit_intrinsic(e, f->method, args, slow);
        emit_own_entry_event(e);
        emit_leave_with(e, result);
        emit_at(e, slow);
        if (!intrinsics_find(f->method)) {  // the VM's function has already been tried
            emit_jump(e, next);
            emit_at(e, next);
            return;
        }
    }
    LLVMValueRef buffer = emit_args_to_buffer(e, shape, args, (unsigned)strlen(shape));
    LLVMValueRef all[] = {emit_symbol(e, SYMBOL_METHOD, f->method), buffer};
    LLVMValueRef answer = emit_runtime(e, RT_intrinsic_try, all, 2);
    LLVMBasicBlockRef done = emit_block(e, "done");
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, answer, emit_int(e, 0), ""), done, next, -1);
    emit_at(e, done);
    emit_own_entry_event(e);
    char kind = compiler_return_kind(f->method);
    LLVMBasicBlockRef fine = emit_block(e, "fine");
    emit_branch(e, emit_is_null(e, emit_exception(e)), fine, thrown_out(e), 1);
    emit_at(e, fine);
    emit_leave_with(e, kind == 'V' ? NULL : emit_load(e, emit_type(e, kind), buffer, 0));
    emit_at(e, next);
}

// The event of an inlined method has the position of its caller.
void emit_own_entry_event(Emit *e) {
    EmitFrame *f = e->frame;
    emit_point_probe(e);
    emit_argument_probes(e);
    if (f->parent) e->frame = f->parent;
    emit_call_probe(e, f->method, f->parent);
    e->frame = f;
}

void emit_prologue_body(Emit *e, uint32_t checked) {
    emit_path_begin(e, 0);
    emit_own_entry_event(e);  // first: if the monitor's check leaves the code, the interpreter resumes after it
    if (e->frame->monitor) {
        EmitFrame *f = e->frame;
        LLVMValueRef object =
            method_is_static(f->method)
                ? emit_load(e, e->ptr, emit_symbol(e, SYMBOL_CLASS, f->method->cls), offsetof(Class, mirror))
                : emit_load_local(e, 0, KIND_REF);
        LLVMBuildStore(e->builder, object, f->monitor);
        LLVMBasicBlockRef unwind = emit_outside(e);
        LLVMValueRef fast = emit_monitor_enter(e, object, unwind);
        f->locked = true;
        emit_locked_probe(e, f->method);
        // First, so that code that is left because of the monitor has made the check.
        if (checked != CFG_NONE) emit_locked_check(e, checked);
        emit_check_behind_monitor(e, fast, false, unwind);
    }
}

void emit_frame_at(EmitFrame *f, uint32_t block) {
    const FlowBlock *b = &f->plan->flow->blocks[block];
    f->block = block;
    f->bci = f->next_bci = b->start;
    f->depth = f->before_depth = 0;
    f->lock_depth = f->before_locks = b->lock_depth;
}

// The interpreter does not record which objects it has locked. javac keeps each lock in a local for its monitorexit,
// and inner locks in higher locals. Only stack dumps use the result.
static void find_locks(Emit *e, const FlowBlock *b) {
    EmitFrame *f = e->frame;
    const ClassFileCode *code = f->plan->code;
    bool *used = emit_alloc(f->plan->flow->max_locals + 1u, sizeof *used);
    uint32_t step, depth = 0;
    for (uint32_t bci = 0; bci < code->code_len; bci += step) {
        unsigned index;
        step = opcodes_length(code->code, code->code_len, bci);
        if (!step) break;
        if (bci + step < code->code_len && code->code[bci + step] == OPC_monitorexit &&
            opcodes_local(code->code, bci, &index) == 1)
            used[index] = true;
    }
    for (uint32_t i = 0; i < f->plan->flow->max_locals && depth < b->lock_depth; i++)
        if (used[i] && b->kinds[i] == KIND_REF) emit_lock_at(e, depth++, emit_load_local(e, i, KIND_REF));
    free(used);
}

static void begin_at_loop(Emit *e, uint32_t block, LLVMValueRef locals, LLVMValueRef monitor) {
    EmitFrame *f = e->frame;
    const Dataflow *flow = f->plan->flow;
    const char *kinds = flow->blocks[block].kinds;
    for (uint32_t i = 0; i < flow->max_locals; i++) {
        if (kinds[i] == KIND_DEAD || kinds[i] == KIND_UPPER) continue;
        bind_local(e, i, kinds[i], emit_load(e, emit_type(e, kinds[i]), locals, 8 * (int64_t)i));
    }
    // The interpreter's frame is scanned while this code runs: it must not keep dead objects alive.
    for (uint32_t i = 0; i < flow->max_locals; i++) emit_store(e, emit_long(e, 0), locals, 8 * (int64_t)i);
    if (f->monitor) {
        LLVMBuildStore(e->builder, monitor, f->monitor);
        f->locked = true;
    }
    find_locks(e, &flow->blocks[block]);
    emit_osr_begin(e);
    stack_guard(e);
    emit_osr_check(e);
}

// `args`: the method's arguments, or the locals and the monitor of an on-stack replacement.
static void emit_root(Emit *e, LLVMValueRef *args) {
    uint32_t first = first_block(e);
    if (first == CFG_NONE) {
        e->unit->bailout = BAILOUT_stack_not_empty;
        LLVMBuildUnreachable(e->builder);
        return;
    }
    emit_versions_begin(e, first);
    emit_budget_begin(e);
    emit_frame_at(e->frame, first);
    emit_path_begin(e, first);
    e->passed = NULL;
    if (e->root->osr_bci >= 0) begin_at_loop(e, first, args[0], args[1]);
    else {
        const char *shape = compiler_shape(e->root->method);
        bool tries = compiler_intrinsic(e->root->method) == COMPILER_TRY;
        emit_bind_args(e, shape, args);
        emit_bind_receiver(e);
        emit_outer_site(e);
        // Stress: the code is left at every check, not only at samples.
        if (emit_versions_checks_entry(e) && !tries && !e->root->stress) pass_entry(e);
        stack_guard(e);
        if (tries) try_intrinsic(e, shape, args);
    }
    emit_versions(e);
}

// ---- the module ---------------------------------------------------------------------------------

static void basic_types(Emit *e) {
    LLVMContextRef c = e->context;
    e->i1 = LLVMInt1TypeInContext(c);
    e->i8 = LLVMInt8TypeInContext(c);
    e->i16 = LLVMInt16TypeInContext(c);
    e->i32 = LLVMInt32TypeInContext(c);
    e->i64 = LLVMInt64TypeInContext(c);
    e->f32 = LLVMFloatTypeInContext(c);
    e->f64 = LLVMDoubleTypeInContext(c);
    e->ptr = LLVMPointerTypeInContext(c, 0);
    e->void_type = LLVMVoidTypeInContext(c);
}

static LLVMMetadataRef weights(Emit *e, uint32_t yes, uint32_t no) {
    LLVMMetadataRef parts[] = {
        LLVMMDStringInContext2(e->context, "branch_weights", 14),
        LLVMValueAsMetadata(emit_int(e, yes)),
        LLVMValueAsMetadata(emit_int(e, no)),
    };
    return LLVMMDNodeInContext2(e->context, parts, 3);
}

static void string_attribute(Emit *e, const char *key, const char *value) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(e->context, key, (unsigned)strlen(key), value,
                                                   (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(e->function, LLVMAttributeFunctionIndex, a);
}

static void make_function(Emit *e) {
    Method *m = e->root->method;
    bool osr = e->root->osr_bci >= 0;
    LLVMTypeRef type = emit_java_type(e, osr ? EMIT_OSR_SHAPE : compiler_shape(m), emit_result_kind(e));
    e->function = LLVMAddFunction(e->module, UNIT_FUNCTION, type);
    unsigned count = LLVMCountParams(e->function);
    e->thread = LLVMGetParam(e->function, count - 1);
    LLVMSetFunctionCallConv(e->function, target_java_convention);
    emit_attribute(e, e->function, 1, "nest", false);
    emit_attribute(e, e->function, count, "swiftself", false);
    emit_attribute(e, e->function, count, "noalias", false);
    emit_attribute(e, e->function, count, "nonnull", false);
    if (!osr && !method_is_static(m)) emit_attribute(e, e->function, 2, "nonnull", false);
    emit_attribute(e, e->function, LLVMAttributeFunctionIndex, "nounwind", false);
    // Unsafe's accesses have a null base when the offset is an address, so LLVM must not assume that null is never
    // accessed.
    emit_attribute(e, e->function, LLVMAttributeFunctionIndex, "null_pointer_is_valid", false);
}

char emit_result_kind(const Emit *e) { return e->root->osr_bci >= 0 ? KIND_LONG : e->return_kind; }

void emit_return(Emit *e, LLVMValueRef result) {
    emit_budget_publish(e);
    if (result) LLVMBuildRet(e->builder, result);
    else if (e->root->osr_bci >= 0) LLVMBuildRet(e->builder, emit_long(e, 0));
    else LLVMBuildRetVoid(e->builder);
}

static void take_params(const Emit *e, LLVMValueRef *args) {
    const char *shape = e->root->osr_bci >= 0 ? EMIT_OSR_SHAPE : compiler_shape(e->root->method);
    for (unsigned i = 0; shape[i]; i++) args[i] = LLVMGetParam(e->function, 1 + i);
}

static void emit_function(Emit *e) {
    LLVMValueRef args[EMIT_MAX_ARGS];
    e->nonnull_count = 0;
    make_function(e);
    string_attribute(e, "frame-pointer", "all");
    string_attribute(e, "disable-tail-calls", "true");
    LLVMBasicBlockRef entry = emit_block(e, "entry"), body = emit_block(e, "body");
    LLVMPositionBuilderAtEnd(e->entry_builder, entry);
    e->deopt_buffer = emit_alloca(e, e->i64, "exit");
    e->throw_return = emit_block(e, "thrown");
    emit_at(e, body);
    emit_frame_enter(e, e->root);
    take_params(e, args);
    emit_root(e, args);
    emit_leaving(e);
    LLVMTypeRef type = emit_type(e, emit_result_kind(e));
    emit_at(e, e->throw_return);
    e->version.loop = NULL;
    emit_return(e, type == e->void_type ? NULL : LLVMConstNull(type));
    emit_frame_leave(e);
    LLVMBuildBr(e->entry_builder, body);
}

// Replaces the placeholder by the buffer: its size is known now.
static void size_buffer(Emit *e) {
    LLVMValueRef placeholder = e->deopt_buffer;
    LLVMBasicBlockRef entry = LLVMGetInstructionParent(placeholder);
    e->unit->buffer_words = e->deopt_buffer_size + 1;
    LLVMPositionBuilderBefore(e->entry_builder, LLVMGetBasicBlockTerminator(entry));
    LLVMValueRef buffer = emit_alloca(e, LLVMArrayType2(e->i64, e->unit->buffer_words), "buffer");
    LLVMReplaceAllUsesWith(placeholder, buffer);
    LLVMInstructionEraseFromParent(placeholder);
}

// LLVM may not terminate on a block without a terminator, and its verifier, which would report it, is not always on.
static bool blocks_end(const Emit *e) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b))
        if (!LLVMGetBasicBlockTerminator(b)) return unit_bail_out(e->unit, BAILOUT_backend, "a block without end");
    return true;
}

bool emit_module(Unit *unit) {
    Emit e = {.unit = unit, .root = unit->plan, .layout = compiler_layout(), .context = unit->context, .module = unit->module};
    e.builder = LLVMCreateBuilderInContext(e.context);
    e.entry_builder = LLVMCreateBuilderInContext(e.context);
    e.return_kind = compiler_return_kind(e.root->method);
    basic_types(&e);
    e.prof_kind = LLVMGetMDKindIDInContext(e.context, "prof", 4);
    e.likely = weights(&e, 2000, 1);
    e.unlikely = weights(&e, 1, 2000);
    emit_escape_begin(&e);
    emit_function(&e);
    bool ends = unit->bailout == BAILOUT_none && blocks_end(&e);
    emit_versions_end(&e);
    size_buffer(&e);
    emit_state_end(&e);
    LLVMDisposeBuilder(e.builder);
    LLVMDisposeBuilder(e.entry_builder);
    return ends;
}
