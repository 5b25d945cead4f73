// The function; the beginning of the root, and the instructions of a node. The walk over the nodes is in
// emit_versions.c.
#include "jit/emit/emit_core.h"
#include "jit/plan/plan_intrinsics.h"

// The block at which the root begins, or CFG_NONE.
static uint32_t first_block(const Emit *e) {
    const Dataflow *flow = e->root->flow;
    if (e->root->osr_bci < 0) return 0;
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (flow->blocks[i].start == (uint32_t)e->root->osr_bci && plan_enters_at(&flow->blocks[i])) return i;
    return CFG_NONE;
}

// ---- instructions -------------------------------------------------------------------------------

static void emit_instruction(Emit *e) {
    JavaFrame *f = e->frames->top;
    unsigned op = f->plan->code->code[f->bci];
    frames_keep_before(f);
    if (probe_waits_for_sinks(e->probes)) emit_poll_before(e);
    probe_instruction_here(e->probes, opcodes_at(f->plan->code->code, f->bci));
    if (emit_ops(e, op) || emit_memory(e, op) || emit_object(e, op) || emit_call(e, op) || emit_leave(e, op)) return;
    unit_bail_out(e->unit, BAILOUT_irregular_code, "instruction %s", opcodes_name(op));
    LLVMBuildUnreachable(e->ir->builder);
}

void emit_instructions(Emit *e, uint32_t start, uint32_t end) {
    JavaFrame *f = e->frames->top;
    const ClassFileCode *code = f->plan->code;
    for (uint32_t bci = start; bci < end; bci = f->next_bci) {
        f->bci = bci;
        f->next_bci = bci + opcodes_length(code->code, code->code_len, bci);
        if (e->ir->lines) ir_line(e->ir, frames_position(e->frames, f));
        emit_instruction(e);
        if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->ir->builder)) || e->unit->bailout) return;
    }
    f->before_locks = f->lock_depth;
    frames_spill_stack(e->frames);
    ir_jump(e->ir, probe_path_edge(e->probes, 0, emit_edge(e, 0)));
}

void emit_frame_leave(Emit *e) {
    JavaFrame *f = e->frames->top;
    while (f->dispatches) {
        EmitDispatch *d = f->dispatches;
        f->dispatches = d->next;
        free(d);
    }
    for (uint32_t i = 0; f->loops && i < f->versions->loops.count; i++) free(f->loops[i].lengths);
    free(f->loops);
    frames_leave(e->frames);
}

// ---- beginning of a method ----------------------------------------------------------------------

static LLVMValueRef frame_address(Ir *ir) {
    LLVMValueRef zero = ir_int(ir, 0);
    return ir_intrinsic(ir, "llvm.frameaddress", ir->ptr, &zero, 1);
}

static LLVMValueRef guard_of(Emit *e) {
    Ir *ir = e->ir;
    // Other threads set it to request a stop. The load orders nothing: rt_stack_guard reads what they request.
    return ir_load_atomic(ir, ir->ptr, ir->thread, ir->layout->thread_stack_guard, LLVMAtomicOrderingMonotonic);
}

static LLVMValueRef is_below(Emit *e, LLVMValueRef address, LLVMValueRef guard) {
    if (e->unit->options->poll_everywhere) return LLVMConstInt(e->ir->i1, 1, false);
    return LLVMBuildICmp(e->ir->builder, LLVMIntULT, address, guard, "");
}

// Tests for stack overflow and a stop request with one comparison. A synchronized method that does not yet have its
// monitor can be left only with an exception; deopt_pending is tested once it has the monitor.
static void stack_guard(Emit *e) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMBasicBlockRef cold = ir_block(ir, "guard");
    LLVMBasicBlockRef next = ir_block(ir, "enough");
    LLVMBasicBlockRef unwind = f->locked ? emit_unwind_label(e) : emit_outside(e);
    e->frames->entering = e->root->osr_bci < 0 && probe_counts_calls_of(e->probes, f->method);
    if (e->frames->entering) unwind = probe_not_entered(e->probes, unwind);
    LLVMValueRef address = frame_address(ir);
    ir_branch(ir, is_below(e, address, guard_of(e)), cold, next, 0);
    ir_at(ir, cold);
    LLVMValueRef answer = frames_runtime(e->frames, RT_stack_guard, &address, 1);
    if (f->monitor && !f->locked) {
        ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, answer, ir_int(ir, YIELD_UNWIND), ""), unwind, next, 0);
    } else {
        emit_test_answer(e, answer, unwind, next);
        if (e->root->osr_bci < 0 && e->frames->version.kind != VERSION_UNCHECKED) {
            e->frames->entering = false;
            probe_entry(e->probes);  // the interpreter resumes after it
        }
        emit_deopt(e, e->root->stress ? DEOPT_stress : DEOPT_invalidated);
    }
    e->frames->entering = false;
    ir_at(ir, next);
}

// The label for an exception that leaves the innermost frame: reports its exit event first.
static LLVMBasicBlockRef thrown_out(Emit *e) {
    Ir *ir = e->ir;
    if (!probe_wants(e->probes, EVENT_method_unwind) && !probe_wants(e->probes, EVENT_point_leave))
        return emit_outside(e);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), out = ir_block(ir, "thrown");
    ir_at(ir, out);
    probe_exit(e->probes, e->frames->top->method, true);
    ir_jump(ir, emit_outside(e));
    ir_at(ir, here);
    return out;
}

// An intrinsic may do the whole work of the method in some cases.
static void try_intrinsic(Emit *e, const char *shape, LLVMValueRef *args) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMBasicBlockRef next = ir_block(ir, "bytecode");
    if (intrinsics_form(f->method) == INTRINSIC_FAST_PATH) {
        LLVMBasicBlockRef slow = ir_block(ir, "slow");
        LLVMValueRef result = emit_intrinsic(e, f->method, args, slow);
        probe_entry(e->probes);
        emit_leave_with(e, result);
        ir_at(ir, slow);
        if (!intrinsics_find(f->method)) {  // the VM's function has already been tried
            ir_jump(ir, next);
            ir_at(ir, next);
            return;
        }
    }
    LLVMValueRef buffer = emit_args_to_buffer(e, shape, args, (unsigned)strlen(shape));
    LLVMValueRef all[] = {ir_symbol(ir, SYMBOL_METHOD, f->method), buffer};
    LLVMValueRef answer = frames_runtime(e->frames, RT_intrinsic_try, all, 2);
    LLVMBasicBlockRef done = ir_block(ir, "done");
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_int(ir, 0), ""), done, next, -1);
    ir_at(ir, done);
    probe_entry(e->probes);
    char kind = compiler_return_kind(f->method);
    LLVMBasicBlockRef fine = ir_block(ir, "fine");
    ir_branch(ir, ir_is_null(ir, emit_exception(e)), fine, thrown_out(e), 1);
    ir_at(ir, fine);
    emit_leave_with(e, kind == 'V' ? NULL : ir_load(ir, ir_type(ir, kind), buffer, 0));
    ir_at(ir, next);
}

void emit_prologue_body(Emit *e, uint32_t checked) {
    Ir *ir = e->ir;
    probe_path_begin(e->probes, 0);
    probe_entry(e->probes);  // first: if the monitor's check leaves the code, the interpreter resumes after it
    if (e->frames->top->monitor) {
        JavaFrame *f = e->frames->top;
        LLVMValueRef object = method_is_static(f->method)
            ? ir_load(ir, ir->ptr, ir_symbol(ir, SYMBOL_CLASS, f->method->cls), offsetof(Class, mirror))
            : frames_load_local(e->frames, 0, KIND_REF);
        LLVMBuildStore(ir->builder, object, f->monitor);
        LLVMBasicBlockRef unwind = emit_outside(e);
        LLVMValueRef fast = emit_monitor_enter(e, object, unwind);
        f->locked = true;
        probe_locked(e->probes, f->method);
        // First, so that code that is left because of the monitor has made the check.
        if (checked != CFG_NONE) emit_locked_check(e, checked);
        emit_check_after_monitor(e, fast, false, unwind);
    }
}

// The interpreter does not record which objects it has locked. javac keeps each lock in a local for its monitorexit,
// and inner locks in higher locals. Only stack dumps use the result.
static void find_locks(Emit *e, const FlowBlock *b) {
    JavaFrame *f = e->frames->top;
    const ClassFileCode *code = f->plan->code;
    bool *used = grow_zeroed(f->plan->flow->max_locals + 1u, sizeof *used);
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
        if (used[i] && b->kinds[i] == KIND_REF)
            frames_lock_at(e->frames, depth++, frames_load_local(e->frames, i, KIND_REF));
    free(used);
}

static void begin_at_loop(Emit *e, uint32_t block, LLVMValueRef locals, LLVMValueRef monitor) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    const Dataflow *flow = f->plan->flow;
    const char *kinds = flow->blocks[block].kinds;
    for (uint32_t i = 0; i < flow->max_locals; i++) {
        if (kinds[i] == KIND_DEAD || kinds[i] == KIND_UPPER) continue;
        frames_bind_local(e->frames, i, kinds[i], ir_load(ir, ir_type(ir, kinds[i]), locals, 8 * (int64_t)i));
    }
    // The interpreter's frame is scanned while this code runs: it must not keep dead objects alive.
    for (uint32_t i = 0; i < flow->max_locals; i++) ir_store(ir, ir_long(ir, 0), locals, 8 * (int64_t)i);
    if (f->monitor) {
        LLVMBuildStore(ir->builder, monitor, f->monitor);
        f->locked = true;
    }
    find_locks(e, &flow->blocks[block]);
    // From here code may be left for the interpreter.
    if (e->root->sampling.on && !e->versions->exits) e->frames->version.kind = VERSION_REPLACING;
    stack_guard(e);
    emit_osr_check(e);
}

// `args`: the method's arguments, or the locals and the monitor of an on-stack replacement.
static void emit_root(Emit *e, LLVMValueRef *args) {
    uint32_t first = first_block(e);
    if (first == CFG_NONE) {
        e->unit->bailout = BAILOUT_stack_not_empty;
        LLVMBuildUnreachable(e->ir->builder);
        return;
    }
    emit_versions_begin(e, first);
    frames_at(e->frames->top, first);
    probe_path_begin(e->probes, first);
    if (e->root->osr_bci >= 0) begin_at_loop(e, first, args[0], args[1]);
    else {
        const char *shape = compiler_shape(e->root->method);
        bool tries = compiler_intrinsic(e->root->method) == COMPILER_TRY;
        frames_bind_args(e->frames, shape, args);
        frames_bind_receiver(e->frames);
        probe_outer_site(e->probes);
        stack_guard(e);
        if (tries) try_intrinsic(e, shape, args);
    }
    emit_versions(e);
}

// ---- the module ---------------------------------------------------------------------------------

static void string_attribute(Emit *e, const char *key, const char *value) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(e->ir->context, key, (unsigned)strlen(key), value,
                                                   (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(e->ir->function, LLVMAttributeFunctionIndex, a);
}

static void make_function(Emit *e) {
    Ir *ir = e->ir;
    Method *m = e->root->method;
    bool osr = e->root->osr_bci >= 0;
    LLVMTypeRef type = emit_java_type(e, osr ? EMIT_OSR_SHAPE : compiler_shape(m), osr ? KIND_LONG : e->return_kind);
    ir->function = LLVMAddFunction(ir->module, UNIT_FUNCTION, type);
    unsigned count = LLVMCountParams(ir->function);
    ir->thread = LLVMGetParam(ir->function, count - 1);
    LLVMSetFunctionCallConv(ir->function, target_java_convention);
    ir_attribute(ir, ir->function, 1, "nest", false);
    ir_attribute(ir, ir->function, count, "swiftself", false);
    ir_attribute(ir, ir->function, count, "noalias", false);
    ir_attribute(ir, ir->function, count, "nonnull", false);
    if (!osr && !method_is_static(m)) ir_attribute(ir, ir->function, 2, "nonnull", false);
    ir_attribute(ir, ir->function, LLVMAttributeFunctionIndex, "nounwind", false);
    // Unsafe's accesses have a null base when the offset is an address, so LLVM must not assume that null is never
    // accessed.
    ir_attribute(ir, ir->function, LLVMAttributeFunctionIndex, "null_pointer_is_valid", false);
}

void emit_return(Emit *e, LLVMValueRef result) {
    Ir *ir = e->ir;
    frames_budget_save(e->frames);
    if (result) LLVMBuildRet(ir->builder, result);
    else if (e->root->osr_bci >= 0) LLVMBuildRet(ir->builder, ir_long(ir, 0));
    else LLVMBuildRetVoid(ir->builder);
}

static void emit_function(Emit *e) {
    Ir *ir = e->ir;
    LLVMValueRef args[JAVA_MAX_ARGS];
    e->frames->nonnull_count = 0;
    make_function(e);
    string_attribute(e, "frame-pointer", "all");
    string_attribute(e, "disable-tail-calls", "true");
    LLVMBasicBlockRef entry = ir_block(ir, "entry"), body = ir_block(ir, "body");
    ir_lines_begin(ir);
    LLVMPositionBuilderAtEnd(ir->entry_builder, entry);
    e->deopt_buffer = ir_alloca(ir, ir->i64, "exit");
    e->throw_return = ir_block(ir, "thrown");
    ir_at(ir, body);
    probe_path_frame(e->probes, frames_enter(e->frames, e->root));
    const char *shape = e->root->osr_bci >= 0 ? EMIT_OSR_SHAPE : compiler_shape(e->root->method);
    for (unsigned i = 0; shape[i]; i++) args[i] = LLVMGetParam(ir->function, 1 + i);
    emit_root(e, args);
    emit_leaving(e);
    LLVMTypeRef type = ir_type(ir, e->root->osr_bci >= 0 ? KIND_LONG : e->return_kind);
    ir_at(ir, e->throw_return);
    e->frames->version.loop = NULL;
    emit_return(e, type == ir->void_type ? NULL : LLVMConstNull(type));
    emit_frame_leave(e);
    LLVMBuildBr(ir->entry_builder, body);
}

// Replaces the placeholder by the buffer: its size is known now.
static void size_buffer(Emit *e) {
    LLVMValueRef placeholder = e->deopt_buffer;
    LLVMBasicBlockRef entry = LLVMGetInstructionParent(placeholder);
    e->unit->buffer_words = e->deopt_buffer_size + 1;
    LLVMPositionBuilderBefore(e->ir->entry_builder, LLVMGetBasicBlockTerminator(entry));
    LLVMValueRef buffer = ir_alloca(e->ir, LLVMArrayType2(e->ir->i64, e->unit->buffer_words), "buffer");
    LLVMReplaceAllUsesWith(placeholder, buffer);
    LLVMInstructionEraseFromParent(placeholder);
}

bool emit_module(Unit *unit) {
    Ir ir;
    ir_begin(&ir, unit);
    Frames frames = {.ir = &ir};
    Probes probes = {.ir = &ir, .frames = &frames, .root = unit->plan};
    Emit e = {.unit = unit, .root = unit->plan, .ir = &ir, .frames = &frames, .probes = &probes};
    e.return_kind = compiler_return_kind(e.root->method);
    e.escapes = unit->options->escape && emit_allocates(e.root);
    emit_function(&e);
    // LLVM may not terminate on a block without a terminator, and its verifier, which would report it, is not always
    // on.
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir.function); b; b = LLVMGetNextBasicBlock(b))
        if (!LLVMGetBasicBlockTerminator(b)) unit_bail_out(unit, BAILOUT_backend, "a block without end");
    emit_versions_end(&e);
    size_buffer(&e);
    frames_end(&frames);
    ir_end(&ir);
    return unit->bailout == BAILOUT_none;
}
