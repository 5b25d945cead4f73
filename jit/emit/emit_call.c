// Invocations. A call goes through Method.entry of the selected method. Where the plan says so, the callee's bytecode
// is emitted in place.
//
// A call is preceded by the class barrier of static methods or the receiver's null check. After it, the result is
// pushed and emit_check tests for exceptions and deopt_pending.
#include "jit/emit/emit_core.h"
#include "jit/plan/inlining.h"
#include "jit/plan/plan_intrinsics.h"

typedef struct Call {
    const PlanSite *site;
    const char *shape;  // kinds of the arguments, receiver included
    char result;
    unsigned count;
    LLVMValueRef args[JAVA_MAX_ARGS];
    char buffer[JAVA_MAX_ARGS];
} Call;

// ---- calling ------------------------------------------------------------------------------------

LLVMTypeRef emit_java_type(Emit *e, const char *shape, char result) {
    Ir *ir = e->ir;
    LLVMTypeRef params[EMIT_MAX_PARAMS];
    unsigned count = 0;
    params[count++] = ir->ptr;
    for (; *shape; shape++) params[count++] = ir_type(ir, *shape);
    params[count++] = ir->ptr;
    return LLVMFunctionType(ir_type(ir, result), params, count, false);
}

// `known`: the method that `method` denotes, or NULL.
static LLVMValueRef java_call(Emit *e, const Method *known, LLVMValueRef method, const Call *c) {
    Ir *ir = e->ir;
    LLVMValueRef all[EMIT_MAX_PARAMS];
    char shape[JAVA_MAX_ARGS];
    memcpy(shape, c->shape, c->count);
    shape[c->count] = 0;
    unsigned count = 0;
    all[count++] = probe_count_call(e->probes, known, c->site, method);
    for (unsigned i = 0; i < c->count; i++) all[count++] = c->args[i];
    all[count++] = ir->thread;
    // Acquire: the code relies on facts from the time it was compiled, such as that a class is initialised.
    LLVMValueRef entry = ir_load_atomic(ir, ir->ptr, method, ir->layout->method_entry, LLVMAtomicOrderingAcquire);
    LLVMOperandBundleRef bundle = frames_deopt_bundle(e->frames);
    e->unit->stack_maps[e->unit->stack_map_count - 1].invokes = true;
    frames_budget_save(e->frames);
    LLVMValueRef call = LLVMBuildCallWithOperandBundles(ir->builder, emit_java_type(e, shape, c->result), entry, all,
                                                        count, &bundle, 1, "");
    frames_budget_load(e->frames);
    e->frames->ring_words = RING_UNPOLLED;
    LLVMDisposeOperandBundle(bundle);
    LLVMSetInstructionCallConv(call, target_java_convention);
    ir_tag(ir, call, "heap");
    ir_attribute(ir, call, 1, "nest", true);
    ir_attribute(ir, call, count, "swiftself", true);
    ir_attribute(ir, call, LLVMAttributeFunctionIndex, "nounwind", true);
    return call;
}

static void push_result(Emit *e, const Call *c, LLVMValueRef v) {
    if (c->result != 'V') frames_push(e->frames, c->result, v);
}

static void call_method(Emit *e, const Method *known, LLVMValueRef method, const Call *c) {
    push_result(e, c, java_call(e, known, method, c));
    emit_check(e, true);
}

static void pop_args(Emit *e, Call *c, unsigned count) {
    c->count = count;
    for (unsigned i = count; i-- > 0;) c->args[i] = frames_pop(e->frames);
}

// ---- intrinsics ---------------------------------------------------------------------------------

LLVMValueRef emit_args_to_buffer(Emit *e, const char *shape, LLVMValueRef *args, unsigned count) {
    uint32_t slot = 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef v = shape[i] == KIND_REF ? args[i] : ir_to_raw(e->ir, shape[i], args[i]);
        ir_store(e->ir, v, e->deopt_buffer, 8 * (int64_t)slot);
        slot += 1 + ir_is_wide(shape[i]);
    }
    uint32_t slots = slot > 2 ? slot : 2;  // the result may be wide
    if (slots > e->deopt_buffer_size) e->deopt_buffer_size = slots;
    return e->deopt_buffer;
}

// Follows an intrinsic executed by the VM: it has returned, or an exception is pending.
static void report_exit(Emit *e, Method *m) {
    Ir *ir = e->ir;
    const EventSet exits = (EventSet)1 << EVENT_method_exit | (EventSet)1 << EVENT_method_unwind;
    if (!(compiler_events(m) & exits)) return;
    LLVMBasicBlockRef ways[] = {ir_block(ir, "returned"), ir_block(ir, "threw")}, next = ir_block(ir, "left");
    LLVMValueRef exception = ir_load(ir, ir->ptr, ir->thread, ir->layout->thread_exception);
    ir_branch(ir, ir_is_null(ir, exception), ways[0], ways[1], 1);
    for (int thrown = 0; thrown < 2; thrown++) {
        ir_at(ir, ways[thrown]);
        probe_exit(e->probes, m, thrown);
        ir_jump(ir, next);
    }
    ir_at(ir, next);
}

static void call_runtime_intrinsic(Emit *e, Method *m, Call *c) {
    probe_call(e->probes, m, true);
    LLVMValueRef buffer = emit_args_to_buffer(e, c->shape, c->args, c->count);
    LLVMValueRef args[] = {ir_symbol(e->ir, SYMBOL_METHOD, m), buffer};
    frames_runtime(e->frames, RT_intrinsic, args, 2);
    if (c->result != 'V') frames_push(e->frames, c->result, ir_load(e->ir, ir_type(e->ir, c->result), buffer, 0));
    report_exit(e, m);
    emit_check(e, true);
}

// Allocates an instance of the class that the plan knows, or emits the operation in the intrinsics table.
static LLVMValueRef fast_result(Emit *e, Method *m, Call *c, LLVMBasicBlockRef slow) {
    const Class *made = c->site->instance;
    if (!made) return emit_intrinsic(e, m, c->args, slow);
    LLVMValueRef length = class_is_array(made) ? c->args[2] : NULL;
    emit_allocating(e, made, length);
    LLVMValueRef object = length ? emit_new_small_array(e, made, length, slow) : emit_new_instance(e, made, slow);
    uint32_t mark = probe_new(e->probes, object, made, length, 0);
    if (e->allocation) emit_allocation(e, e->allocation)->mark = mark;
    return object;
}

// Emits the fast path inline, and the call of the intrinsic as the slow path.
static void expand_fast_path(Emit *e, Method *m, Call *c, bool leaf) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef slow = ir_block(ir, "slow"), done = ir_block(ir, "done"), ends[2];
    LLVMValueRef results[2] = {fast_result(e, m, c, slow), NULL};
    uint32_t known = e->frames->nonnull_count;
    probe_call(e->probes, m, true);
    probe_exit(e->probes, m, false);
    ends[0] = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, slow);
    if (leaf) call_runtime_intrinsic(e, m, c);
    else call_method(e, m, ir_symbol(ir, SYMBOL_METHOD, m), c);
    if (c->result != 'V') results[1] = frames_pop(e->frames);
    ends[1] = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    e->frames->nonnull_count = known;
    if (c->result != 'V')
        push_result(e, c, ir_phi2(ir, ir_type(ir, c->result), results[0], ends[0], results[1], ends[1]));
    if (e->allocation) push_result(e, c, emit_allocated(e, frames_pop(e->frames)));
}

static void call_intrinsic(Emit *e, Method *m, Call *c) {
    switch (c->site->instance ? INTRINSIC_FAST_PATH : intrinsics_form(m)) {
        case INTRINSIC_CALLED: call_method(e, m, ir_symbol(e->ir, SYMBOL_METHOD, m), c); break;
        case INTRINSIC_RUNTIME: call_runtime_intrinsic(e, m, c); break;
        case INTRINSIC_EXPANDED: {
            probe_call(e->probes, m, true);
            push_result(e, c, emit_intrinsic(e, m, c->args, NULL));
            probe_exit(e->probes, m, false);
            break;
        }
        case INTRINSIC_FAST_PATH: expand_fast_path(e, m, c, false); break;
        case INTRINSIC_FAST_LEAF: expand_fast_path(e, m, c, true); break;
    }
}

// Calls a known target, the one with number `which` among the site's targets. Ends the block if it is inlined.
static void call_target(Emit *e, uint32_t which, Method *target, Call *c) {
    const Plan *inlined = plan_inlined(c->site, which);
    if (inlined && inlined->method == target && emit_versions_inlines(e, inlined))
        emit_versions_invoke(e, inlined, c->result, c->shape, c->args);
    else call_intrinsic(e, target, c);
}

// ---- virtual calls ------------------------------------------------------------------------------

// The fast path compares with the pair in the vtable's slot; on the slow path the VM selects.
static LLVMValueRef interface_target(Emit *e, LLVMValueRef vtable, Method *imethod) {
    Ir *ir = e->ir;
    const CompilerLayout *l = ir->layout;
    LLVMBasicBlockRef hit = ir_block(ir, "imt.hit"), miss = ir_block(ir, "imt.miss"), found = ir_block(ir, "found");
    LLVMValueRef wanted = ir_symbol(ir, SYMBOL_METHOD, imethod), methods[2];
    int64_t slot = l->vtable_imt + 8 * (int64_t)compiler_imt_slot(imethod);
    LLVMValueRef call = ir_load_atomic(ir, ir->ptr, vtable, slot, LLVMAtomicOrderingAcquire);
    LLVMValueRef its = ir_load(ir, ir->ptr, call, l->call_imethod);
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, its, wanted, ""), hit, miss, 1);
    ir_at(ir, hit);
    methods[0] = ir_load(ir, ir->ptr, call, l->call_target);
    ir_jump(ir, found);
    ir_at(ir, miss);
    methods[1] = frames_runtime(e->frames, RT_interface_method, (LLVMValueRef[]){vtable, wanted}, 2);
    LLVMBasicBlockRef selected = ir_block(ir, "selected");
    ir_branch(ir, ir_is_null(ir, methods[1]), emit_unwind_label(e), selected, 0);
    ir_at(ir, selected);
    miss = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, found);
    ir_at(ir, found);
    return ir_phi2(ir, ir->ptr, methods[0], hit, methods[1], miss);
}

// Calls the method that the receiver's class selects for `m`.
static void call_selected(Emit *e, LLVMValueRef vtable, Method *m, Call *c) {
    const PlanSite *ps = c->site;
    if (ps->member ? class_is_interface(m->cls) : ps->site.kind == SITE_CALL_INTERFACE) {
        call_method(e, NULL, interface_target(e, vtable, m), c);
        return;
    }
    int64_t offset = e->ir->layout->vtable_methods + 8 * (int64_t)m->vtable_index;
    call_method(e, NULL, ir_load(e->ir, e->ir->ptr, vtable, offset), c);
}

// The block in which the paths of a guarded call merge, if none of its targets is inlined.
typedef struct Merge {
    LLVMBasicBlockRef done;
    LLVMValueRef phi;  // NULL: no result
} Merge;

// Ends a path of a guarded call. If a target is inlined, all paths continue in the next node.
static void end_way(Emit *e, const Call *c, const Merge *merge, bool inlined) {
    LLVMValueRef result = c->result == 'V' ? NULL : frames_pop(e->frames);
    if (inlined) {
        emit_versions_join(e, e->frames->top, result);
        return;
    }
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->ir->builder);
    if (result) LLVMAddIncoming(merge->phi, &result, &end, 1);
    ir_jump(e->ir, merge->done);
}

static void begin_merge(Emit *e, const Call *c, Merge *merge) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
    *merge = (Merge){ir_block(ir, "called"), NULL};
    ir_at(ir, merge->done);
    if (c->result != 'V') merge->phi = LLVMBuildPhi(ir->builder, ir_type(ir, c->result), "");
    ir_at(ir, here);
}

// Tests one target after another. References known to be non-null after one path need not be so after another.
static void call_guarded(Emit *e, Call *c) {
    Ir *ir = e->ir;
    const PlanSite *ps = c->site;
    bool inlines = false;
    for (uint32_t i = 0; i < PLAN_TARGETS; i++)
        inlines |= plan_inlined(ps, i) && emit_versions_inlines(e, plan_inlined(ps, i));
    LLVMValueRef vtable = ir_vtable_of(ir, c->args[0]), selected = NULL;
    uint32_t known = e->frames->nonnull_count;
    Merge merge = {0};
    if (inlines) emit_versions_meet(e, c->result);
    else begin_merge(e, c, &merge);
    if (!ps->receiver)
        selected = ir_load(ir, ir->ptr, vtable,
                           ir->layout->vtable_methods + 8 * (int64_t)ps->site.method->vtable_index);
    for (uint32_t which = 0; which <= ps->more_count; which++) {
        LLVMBasicBlockRef hit = ir_block(ir, "hit"), miss = ir_block(ir, "miss");
        const Class *receiver = which ? ps->more[which - 1].receiver : ps->receiver;
        Method *target = which ? ps->more[which - 1].target : ps->target;
        // The guard compares methods where the plan names no class.
        LLVMValueRef holds = receiver ? ir_equal(ir, vtable, ir_symbol(ir, SYMBOL_VTABLE, receiver))
                                      : ir_equal(ir, selected, ir_symbol(ir, SYMBOL_METHOD, target));
        // A further target may be as frequent as the first, so the branches of its test have measured weights.
        uint64_t counts[2];
        bool counted = inlining_guard_counts(e->frames->top->plan, ps, which, counts);
        ir_branch(ir, holds, hit, miss, counted ? -1 : 1);
        if (counted) ir_edge_weights(ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(ir->builder)), counts, 2);
        ir_at(ir, hit);
        bool ends = inlines && plan_inlined(ps, which);
        call_target(e, which, target, c);
        if (!ends) end_way(e, c, &merge, inlines);
        ir_at(ir, miss);
        e->frames->nonnull_count = known;
    }
    if (ps->leaves) {
        emit_deopt(e, DEOPT_uncommon);
    } else {
        call_selected(e, vtable, ps->site.method, c);
        end_way(e, c, &merge, inlines);
    }
    e->frames->nonnull_count = known;
    if (inlines) return;
    ir_at(ir, merge.done);
    if (merge.phi) frames_push(e->frames, c->result, merge.phi);
}

// ---- by kind of site ----------------------------------------------------------------------------

static void take_args(Emit *e, Call *c, Method *m) {
    c->shape = compiler_shape(m);
    c->result = compiler_return_kind(m);
    pop_args(e, c, (unsigned)strlen(c->shape));
}

// The descriptor of the member that the constant-pool entry names. The caller frees it.
static char *member_descriptor(const JavaFrame *f) {
    const ClassFile *file = f->method->cls->file;
    const CpEntry *entry = &file->cp[opcodes_cp_index(f->plan->code->code, f->bci)];
    bool dynamic = entry->tag == CP_DYNAMIC || entry->tag == CP_INVOKE_DYNAMIC;
    uint16_t nat = dynamic ? entry->u.dyn.nat_index : entry->u.ref.nat_index;
    ClassFileUtf8 text = classfile_utf8(file, file->cp[nat].u.nat.desc_index);
    char *copy = strndup((const char *)text.ptr, text.len);
    if (!copy) abort();
    return copy;
}

// Signature-polymorphic methods take their arguments from the descriptor at the call.
static void take_polymorphic(Emit *e, Call *c, bool is_static) {
    char *desc = member_descriptor(e->frames->top);
    c->result = compiler_shape_of(desc, is_static, c->buffer);
    c->shape = c->buffer;
    free(desc);
    pop_args(e, c, (unsigned)strlen(c->buffer));
}

static void call_basic(Emit *e, Call *c) {
    uint32_t offsets[HANDLE_STEPS];
    compiler_handle_path(offsets);
    take_polymorphic(e, c, false);
    probe_instruction(e->probes, c->args, c->count);
    emit_null_check(e, c->args[0]);
    if (c->site->call == CALL_CONSTANT) {
        call_target(e, 0, c->site->target, c);
        return;
    }
    LLVMValueRef at = c->args[0];
    for (int i = 0; i < HANDLE_STEPS; i++) at = ir_load(e->ir, e->ir->ptr, at, offsets[i]);
    call_method(e, NULL, at, c);
}

// The MemberName is not passed to the target.
static void call_link_to(Emit *e, Call *c) {
    Ir *ir = e->ir;
    take_polymorphic(e, c, true);
    probe_instruction(e->probes, c->args, c->count);
    LLVMValueRef member = c->args[--c->count];
    if (c->site->member) {  // the plan knows the MemberName
        const PlanSite *ps = c->site;
        if (ps->site.method->sigpoly != MH_LINK_TO_STATIC) emit_null_check(e, c->args[0]);
        if (ps->call == CALL_PLAIN) call_selected(e, ir_vtable_of(ir, c->args[0]), ps->member, c);
        else call_target(e, 0, ps->target, c);
        return;
    }
    bool has_receiver = c->count > 0 && c->shape[0] == KIND_REF;
    LLVMValueRef args[] = {ir_int(ir, c->site->site.method->sigpoly),
                           has_receiver ? c->args[0] : LLVMConstNull(ir->ptr), member};
    LLVMValueRef method = frames_runtime(e->frames, RT_link_target, args, 3);
    LLVMBasicBlockRef next = ir_block(ir, "linked");
    ir_branch(ir, ir_is_null(ir, method), emit_unwind_label(e), next, 0);
    ir_at(ir, next);
    call_method(e, NULL, method, c);
}

static void call_linked(Emit *e, Call *c) {
    const Site *s = &c->site->site;
    c->shape = compiler_shape(s->method);
    c->result = compiler_return_kind(s->method);
    pop_args(e, c, (unsigned)strlen(c->shape) - (s->slot != NULL));
    probe_instruction(e->probes, c->args, c->count);
    if (s->null_check) {
        // The site names the argument by its distance from the top of the operand stack, in slots.
        unsigned count = c->count, slots = s->null_check;
        while (count > 0 && slots > 0) {
            unsigned size = 1 + ir_is_wide(c->shape[--count]);
            slots = slots > size ? slots - size : 0;
        }
        emit_null_check(e, c->args[count]);
    }
    if (s->slot) c->args[c->count++] = ir_const_ref(e->ir, s->slot, e->frames->top->method, e->frames->top->bci);
    call_target(e, 0, s->method, c);
}

static void invoke(Emit *e, Call *c) {
    switch (c->site->site.kind) {
        case SITE_CALL_DIRECT: {
            Method *m = c->site->site.method;
            bool is_static = method_is_static(m);
            if (is_static) emit_class_barrier(e, &c->site->site, m->cls);
            take_args(e, c, m);
            probe_instruction(e->probes, c->args, c->count);
            if (!is_static) emit_null_check(e, c->args[0]);
            call_target(e, 0, m, c);
            break;
        }
        case SITE_CALL_VTABLE:
        case SITE_CALL_INTERFACE:
            take_args(e, c, c->site->site.method);
            probe_instruction(e->probes, c->args, c->count);
            emit_null_check(e, c->args[0]);
            probe_receiver(e->probes, c->args[0]);
            if (c->site->call == CALL_UNIQUE || c->site->call == CALL_CONSTANT) call_target(e, 0, c->site->target, c);
            else if (c->site->call == CALL_GUARDED) call_guarded(e, c);
            else call_selected(e, ir_vtable_of(e->ir, c->args[0]), c->site->site.method, c);
            break;
        case SITE_CALL_LINKED: call_linked(e, c); break;
        case SITE_CALL_BASIC: call_basic(e, c); break;
        case SITE_CALL_LINK_TO: call_link_to(e, c); break;
        case SITE_OBJECT_INIT: {
            LLVMValueRef object = frames_pop(e->frames);
            probe_instruction(e->probes, &object, 1);
            emit_null_check(e, object);
            probe_call(e->probes, c->site->site.method, true);
            probe_exit(e->probes, c->site->site.method, false);
            emit_finalizer_test(e, object, false);
            break;
        }
        default: emit_deopt(e, DEOPT_unresolved); break;
    }
}

bool emit_call(Emit *e, unsigned opcode) {
    if (!(opcodes_info[opcode].flags & OPF_INVOKE)) return false;
    Call c = {.site = plan_site(e->frames->top->plan, e->frames->top->bci)};
    if (c.site) invoke(e, &c);
    else emit_deopt(e, DEOPT_unresolved);
    return true;
}
