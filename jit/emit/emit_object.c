// Emission of allocation, type checks and monitors (JVMS 6.5: new, newarray, anewarray, multianewarray,
// checkcast, instanceof, monitorenter, monitorexit).
//
// Small objects come from the thread's free lists (gc/heap.h). The head of a list is zeroed memory except for the link
// in word 0, which the vtable overwrites immediately. No safepoint separates the two, so the collector never sees an
// object without a vtable. The VM handles everything else.
//
// When the VM had to complete an inline path, emit_check follows with the instruction's operands still in place:
// allocating twice does no harm. For monitors, the check follows the complete instruction.
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"
#include "jit/escape/escape.h"
#include "vm/api/eventsets.h"

// The site of the instruction being emitted, or NULL if it is not a resolved class.
static const Site *class_site(const Emit *e) {
    const PlanSite *ps = plan_site(e->frames->top->plan, e->frames->top->bci);
    return ps && ps->site.kind == SITE_CLASS ? &ps->site : NULL;
}

// ---- allocation -------------------------------------------------------------------------------------

// Address of the list's head; `size_class` an i64.
static LLVMValueRef free_list(Emit *e, uint32_t kind, LLVMValueRef size_class) {
    Ir *ir = e->ir;
    const CompilerLayout *l = ir->layout;
    LLVMValueRef offset = LLVMBuildShl(ir->builder, size_class, ir_long(ir, 3), "");
    uint64_t base = l->thread_free_lists + (uint64_t)kind * l->free_list_kinds_stride;
    return ir_offset(ir, ir->thread, LLVMBuildAdd(ir->builder, offset, ir_long(ir, (int64_t)base), ""));
}

// Takes an object off a list and sets its vtable. Control goes to `empty` if there is none.
static LLVMValueRef pop_object(Emit *e, LLVMValueRef list, LLVMValueRef vtable, LLVMBasicBlockRef empty) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef found = ir_block(ir, "allocate");
    LLVMValueRef object = emit_list_head(e, list);
    ir_branch(ir, ir_is_null(ir, object), empty, found, 0);
    ir_at(ir, found);
    emit_new_word(e, ir_load(ir, ir->ptr, object, 0), list, NULL);
    emit_new_word(e, vtable, ir_offset_const(ir, object, ir->layout->object_vtable), "vtable");
    return object;
}

// Merges the object made inline, at the builder's position, with the one that the VM makes in block `slow`.
// `length`: of an array, else NULL.
static void join_objects(Emit *e, const Class *cls, LLVMValueRef length, LLVMValueRef object, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(ir->builder), done = ir_block(ir, "new.done");
    ir_jump(ir, done);
    ir_at(ir, slow);
    LLVMValueRef args[] = {ir_symbol(ir, SYMBOL_CLASS, cls), length};
    LLVMValueRef other = frames_runtime(e->frames, length ? RT_new_array : RT_new, args, length ? 2 : 1);
    emit_check(e, false);
    slow = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    LLVMValueRef allocation = e->allocation;
    LLVMValueRef result = emit_allocated(e, ir_phi2(ir, ir->ptr, object, fast, other, slow));
    frames_mark_nonnull(e->frames, result);
    uint32_t mark = probe_new(e->probes, result, cls, length, 0);
    if (allocation) emit_allocation(e, allocation)->mark = mark;
    frames_push(e->frames, KIND_REF, result);
}

// cls: of the object; NULL: it is an array with arrays nested `depth` levels below it.
static void allocate_by_vm(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count, const Class *cls,
                           unsigned depth) {
    LLVMValueRef object = frames_runtime(e->frames, id, args, count);
    emit_check(e, false);
    frames_mark_nonnull(e->frames, object);
    probe_new(e->probes, object, cls, NULL, depth);
    frames_push(e->frames, KIND_REF, object);
}

LLVMValueRef emit_new_instance(Emit *e, const Class *cls, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    uint32_t granule = ir->layout->granule, size_class = (cls->instance_size + granule - 1) / granule;
    LLVMValueRef list = free_list(e, ir->layout->free_list_typed, ir_long(ir, size_class));
    LLVMValueRef object = pop_object(e, list, ir_symbol(ir, SYMBOL_VTABLE, cls), slow);
    emit_new_fence(e);
    return object;
}

static void new_object(Emit *e) {
    const Site *site = class_site(e);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    emit_class_barrier(e, site, site->cls);
    // Object.<init> registers the finalizer, if any.
    bool is_simple = site->cls->ref_kind == REF_NONE && site->cls->instance_size <= e->ir->layout->small_max;
    if (!site->initialized || !is_simple) {
        LLVMValueRef cls = ir_symbol(e->ir, SYMBOL_CLASS, site->cls);
        allocate_by_vm(e, RT_new, &cls, 1, site->cls, 0);
        return;
    }
    LLVMBasicBlockRef slow = ir_block(e->ir, "new.slow");
    emit_allocating(e, site->cls, NULL);
    join_objects(e, site->cls, NULL, emit_new_instance(e, site->cls, slow), slow);
}

// Elements have 1 << shift bytes; `kind` belongs to the free list.
static LLVMValueRef new_small_array(Emit *e, LLVMValueRef vtable, unsigned shift, uint32_t kind, LLVMValueRef length,
                                    LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    const CompilerLayout *l = ir->layout;
    LLVMBasicBlockRef small = ir_block(ir, "array.small");
    int64_t most = (l->small_max - l->array_base) >> shift;  // unsigned: negative lengths exceed it
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntULE, length, ir_int(ir, most), ""), small, slow, 1);
    ir_at(ir, small);
    LLVMValueRef wide = LLVMBuildZExt(ir->builder, length, ir->i64, "");
    LLVMValueRef bytes = LLVMBuildShl(ir->builder, wide, ir_long(ir, shift), "");
    bytes = LLVMBuildAdd(ir->builder, bytes, ir_long(ir, l->array_base + l->granule - 1), "");
    LLVMValueRef size_class = LLVMBuildUDiv(ir->builder, bytes, ir_long(ir, l->granule), "");
    LLVMValueRef array = pop_object(e, free_list(e, kind, size_class), vtable, slow);
    emit_new_word(e, length, ir_offset_const(ir, array, l->array_length), "length");
    emit_new_fence(e);
    return array;
}

LLVMValueRef emit_new_small_array(Emit *e, const Class *cls, LLVMValueRef length, LLVMBasicBlockRef slow) {
    const CompilerLayout *l = e->ir->layout;
    uint32_t kind = cls->component->cflags & CF_PRIMITIVE ? l->free_list_prims : l->free_list_refs;
    return new_small_array(e, ir_symbol(e->ir, SYMBOL_VTABLE, cls), cls->elem_shift, kind, length, slow);
}

LLVMValueRef emit_new_array_like(Emit *e, LLVMValueRef array, char type, LLVMValueRef length, LLVMBasicBlockRef slow) {
    uint32_t kind = type == KIND_REF ? e->ir->layout->free_list_refs : e->ir->layout->free_list_prims;
    return new_small_array(e, ir_vtable_of(e->ir, array), emit_element_shift(type), kind, length, slow);
}

static void new_array(Emit *e) {
    const Site *site = class_site(e);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    LLVMValueRef length = frames_pop(e->frames);
    LLVMBasicBlockRef slow = ir_block(e->ir, "array.slow");
    emit_allocating(e, site->cls, length);
    join_objects(e, site->cls, length, emit_new_small_array(e, site->cls, length, slow), slow);
}

static void new_multi_array(Emit *e) {
    Ir *ir = e->ir;
    const Site *site = class_site(e);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    unsigned dims = e->frames->top->plan->code->code[e->frames->top->bci + 3];
    LLVMValueRef lengths = ir_alloca(ir, LLVMArrayType2(ir->i32, dims), "lengths");
    for (unsigned i = dims; i-- > 0;) ir_store(ir, frames_pop(e->frames), lengths, i * 4);
    LLVMValueRef args[] = {ir_symbol(ir, SYMBOL_CLASS, site->cls), ir_int(ir, dims), lengths};
    allocate_by_vm(e, RT_new_multi, args, 3, NULL, dims - 1);
}

// ---- type checks ------------------------------------------------------------------------------------

// Whether no other class is a subtype of `c`.
static bool is_leaf_class(const Class *c) {
    if (!class_is_array(c)) return c->access & ACC_FINAL && !class_is_interface(c);
    return class_is_primitive(c->element) || is_leaf_class(c->element);
}

// The interface bits rule out most classes that do not implement the interface, without a call: instanceof often asks
// for one interface after another.
static LLVMValueRef implements(Emit *e, LLVMValueRef cls, const Class *c, LLVMValueRef known, LLVMValueRef target) {
    Ir *ir = e->ir;
    LLVMValueRef bits = ir_load_constant(ir, ir->i64, cls, ir->layout->class_interface_bits), zero = ir_long(ir, 0);
    LLVMValueRef may = LLVMBuildICmp(ir->builder, LLVMIntNE,
                                     LLVMBuildAnd(ir->builder, bits, ir_long(ir, (int64_t)class_interface_bit(c)), ""),
                                     zero, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(ir->builder), ask = ir_block(ir, "implements"),
                      done = ir_block(ir, "implements.done");
    ir_branch(ir, may, ask, done, -1);
    ir_at(ir, ask);
    LLVMValueRef answer = emit_ask_subtype(e, known, cls, target);
    ask = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i1, LLVMConstInt(ir->i1, 0, 0), from, answer, ask);
}

// i1: the object, which is not null, is an instance of `c`.
static LLVMValueRef is_instance(Emit *e, LLVMValueRef object, const Class *c) {
    Ir *ir = e->ir;
    if (!c->super && !class_is_interface(c)) return LLVMConstInt(ir->i1, 1, 0);  // Object
    LLVMValueRef cls = ir_class_of(ir, object), target = ir_symbol(ir, SYMBOL_CLASS, c);
    if (is_leaf_class(c)) return ir_equal(ir, cls, target);
    bool in_display = !class_is_interface(c) && !class_is_array(c) && c->depth < CLASS_DISPLAY;
    if (!in_display) {
        // The fast path compares with the class of the last successful test; other cases need the VM.
        LLVMValueRef last = ir_load_atomic(ir, ir->ptr, cls, ir->layout->class_cached_super,
                                           LLVMAtomicOrderingUnordered);
        LLVMValueRef known = ir_equal(ir, last, target);
        if (class_is_interface(c)) return implements(e, cls, c, known, target);
        if (class_is_array(c)) known = LLVMBuildOr(ir->builder, known, ir_equal(ir, cls, target), "");
        return emit_ask_subtype(e, known, cls, target);
    }
    int64_t offset = ir->layout->class_display + c->depth * sizeof(Class *);
    return ir_equal(ir, ir_load_constant(ir, ir->ptr, cls, offset), target);
}

// null passes without resolving the class.
static void checkcast(Emit *e) {
    Ir *ir = e->ir;
    const Site *site = class_site(e);
    LLVMValueRef object = frames_pop(e->frames);
    LLVMBasicBlockRef test = ir_block(ir, "cast"), done = ir_block(ir, "cast.done");
    ir_branch(ir, ir_is_null(ir, object), done, test, -1);
    ir_at(ir, test);
    if (site) {
        LLVMValueRef ok = is_instance(e, object, site->cls);
        LLVMValueRef args[] = {object, ir_symbol(ir, SYMBOL_CLASS, site->cls)};
        emit_throw_if(e, LLVMBuildNot(ir->builder, ok, ""), RT_throw_cast, args, 2);
        ir_jump(ir, done);
    } else {
        emit_deopt(e, DEOPT_unresolved);
    }
    ir_at(ir, done);
    frames_push(e->frames, KIND_REF, object);
}

static void instanceof (Emit * e) {
    Ir *ir = e->ir;
    const Site *site = class_site(e);
    LLVMValueRef object = frames_pop(e->frames), zero = ir_int(ir, 0);
    LLVMBasicBlockRef test = ir_block(ir, "instance"), done = ir_block(ir, "instance.done");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(ir->builder);
    ir_branch(ir, ir_is_null(ir, object), done, test, -1);
    ir_at(ir, test);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        ir_at(ir, done);
        frames_push(e->frames, KIND_INT, zero);
        return;
    }
    LLVMValueRef is = LLVMBuildZExt(ir->builder, is_instance(e, object, site->cls), ir->i32, "");
    test = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    frames_push(e->frames, KIND_INT, ir_phi2(ir, ir->i32, zero, from, is, test));
}

// ---- monitors ---------------------------------------------------------------------------------------

// Whether monitors of virtual objects can be elided. They cannot if events report monitors: the object is then real.
static bool elides_locks(const Emit *e) {
    return e->escapes && !(e->frames->top->plan->events & events_made_by(OPF_MONITOR) & events_from(EVENTS_THREADS)) &&
        !probe_wants(e->probes, EVENT_lock_timed) && !probe_wants(e->probes, EVENT_lock_released);
}

// Replaces the lock word if it is `from`. i1: it was replaced. Where monitors are events, the VM performs and reports
// the whole operation.
static LLVMValueRef swap_lock(Emit *e, LLVMValueRef object, LLVMValueRef from, LLVMValueRef to,
                              LLVMAtomicOrdering order) {
    Ir *ir = e->ir;
    bool reported = e->frames->top->plan->events & events_made_by(OPF_MONITOR) & events_from(EVENTS_THREADS);
    if (reported) return LLVMConstInt(ir->i1, 0, 0);
    if (elides_locks(e))
        return escape_op(e->unit, ir->builder, order == LLVMAtomicOrderingAcquire ? ESCAPE_ENTER : ESCAPE_EXIT,
                         (LLVMValueRef[]){object, from, to});
    LLVMValueRef word = ir_offset_const(ir, object, ir->layout->object_lock);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(ir->builder, word, from, to, order, LLVMAtomicOrderingMonotonic, 0);
    return LLVMBuildExtractValue(ir->builder, pair, 1, "");
}

// The VM's slow path. A call that throws goes to `unwind` with the monitors unchanged. Merges with the fast path at the
// builder's position and returns whether that was taken.
static LLVMValueRef monitor_by_vm(Emit *e, enum RuntimeCallId id, LLVMValueRef object, LLVMValueRef done,
                                  LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(ir->builder);
    LLVMBasicBlockRef slow = ir_block(ir, "monitor.slow"), fine = ir_block(ir, "monitor.fine");
    LLVMBasicBlockRef joined = ir_block(ir, "monitor");
    ir_branch(ir, done, joined, slow, 1);
    ir_at(ir, slow);
    if (elides_locks(e)) escape_op(e->unit, ir->builder, ESCAPE_SLOW, &object);
    frames_runtime(e->frames, id, &object, 1);
    ir_branch(ir, ir_is_null(ir, emit_exception(e)), fine, unwind, 1);
    ir_at(ir, fine);
    ir_jump(ir, joined);
    ir_at(ir, joined);
    return ir_phi2(ir, ir->i1, LLVMConstInt(ir->i1, 1, 0), fast, LLVMConstInt(ir->i1, 0, 0), fine);
}

void emit_check_after_monitor(Emit *e, LLVMValueRef was_fast, bool after, LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef check = ir_block(ir, "monitor.check"), on = ir_block(ir, "monitor.done");
    ir_branch(ir, was_fast, on, check, 1);
    ir_at(ir, check);
    emit_check_to(e, after, unwind);
    ir_jump(ir, on);
    ir_at(ir, on);
}

// If hold times of monitors are measured (vm/threads/monitor.h), the VM must handle some operations. For those, the
// lock word is compared with a value that no object has, which needs no branch. `held`: the lock word of an object that
// this thread has locked once.
LLVMValueRef emit_monitor_enter(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    LLVMValueRef held = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_thin_lock), from = ir_int(ir, 0);
    if (probe_wants(e->probes, EVENT_lock_timed)) {
        LLVMValueRef left = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_lock_timer);
        left = LLVMBuildSub(ir->builder, left, ir_int(ir, 1), "");
        ir_store(ir, left, ir->thread, ir->layout->thread_lock_timer);
        LLVMValueRef timed = LLVMBuildICmp(ir->builder, LLVMIntSLE, left, ir_int(ir, 0), "");
        from = LLVMBuildSelect(ir->builder, timed, ir_int(ir, (int32_t)ir->layout->lockword_none), from, "");
    }
    LLVMValueRef fast = swap_lock(e, object, from, held, LLVMAtomicOrderingAcquire);
    return monitor_by_vm(e, RT_monitor_enter, object, fast, unwind);
}

LLVMValueRef emit_monitor_exit(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind) {
    Ir *ir = e->ir;
    bool measured = probe_wants(e->probes, EVENT_lock_released);
    LLVMValueRef locks = measured ? ir_load(ir, ir->i32, ir->thread, ir->layout->thread_timed_locks) : NULL;
    LLVMValueRef held = ir_load(ir, ir->i32, ir->thread, ir->layout->thread_thin_lock);
    if (measured) {
        LLVMValueRef timed = LLVMBuildICmp(ir->builder, LLVMIntNE, locks, ir_int(ir, 0), "");
        held = LLVMBuildSelect(ir->builder, timed, ir_int(ir, (int32_t)ir->layout->lockword_none), held, "");
    }
    LLVMValueRef fast = swap_lock(e, object, held, ir_int(ir, 0), LLVMAtomicOrderingRelease);
    return monitor_by_vm(e, RT_monitor_exit, object, fast, unwind);
}

static void monitor(Emit *e, bool enter) {
    JavaFrame *f = e->frames->top;
    LLVMValueRef object = frames_pop(e->frames);
    emit_null_check(e, object);
    LLVMBasicBlockRef unwind = emit_unwind_label(e);
    LLVMValueRef fast = enter ? emit_monitor_enter(e, object, unwind) : emit_monitor_exit(e, object, unwind);
    if (enter) {
        frames_lock_at(e->frames, f->lock_depth++, object);
        probe_event(e->probes, EVENT_monitor_entered, NULL);
    } else if (f->lock_depth > 0) {
        f->lock_depth--;
    }
    emit_check_after_monitor(e, fast, true, unwind);
}

// ---- the group --------------------------------------------------------------------------------------

bool emit_object(Emit *e, unsigned opcode) {
    switch (opcode) {
        case OPC_new: new_object(e); break;
        case OPC_newarray:
        case OPC_anewarray: new_array(e); break;
        case OPC_multianewarray: new_multi_array(e); break;
        case OPC_checkcast: checkcast(e); break;
        case OPC_instanceof: instanceof (e); break;
        case OPC_monitorenter: monitor(e, true); break;
        case OPC_monitorexit: monitor(e, false); break;
        default: return false;
    }
    return true;
}
