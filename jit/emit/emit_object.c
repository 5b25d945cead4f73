// Emission of allocation, type checks and monitors (JVMS 6.5: new, newarray, anewarray, multianewarray,
// checkcast, instanceof, monitorenter, monitorexit).
//
// Small objects come from the thread's free lists (gc/heap.h). The head of a list is zeroed memory except for the link
// in word 0, which the vtable overwrites immediately. No safepoint separates the two, so the collector never sees an
// object without a vtable. The VM handles everything else.
//
// When the VM had to complete an inline path, emit_check follows with the instruction's operands still in place:
// allocating twice does no harm. For monitors, the check follows the complete instruction.
#include "jit/emit/emit.h"

#include "bytecode/classfile/opcodes.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"
#include "jit/escape/escape.h"
#include "vm/api/eventsets.h"

// The site of the instruction being emitted, or NULL if it is not a resolved class.
static const Site *class_site(const Emit *e) {
    const PlanSite *ps = plan_site(e->frame->plan, e->frame->bci);
    return ps && ps->site.kind == SITE_CLASS ? &ps->site : NULL;
}

static LLVMValueRef add(Emit *e, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAdd(e->builder, a, b, ""); }

// ---- allocation -------------------------------------------------------------------------------------

// Address of the list's head; `size_class` an i64.
static LLVMValueRef free_list(Emit *e, uint32_t kind, LLVMValueRef size_class) {
    const CompilerLayout *l = e->layout;
    LLVMValueRef offset = LLVMBuildShl(e->builder, size_class, emit_long(e, 3), "");
    uint64_t base = l->thread_free_lists + (uint64_t)kind * l->free_list_kinds_stride;
    return emit_offset(e, e->thread, add(e, offset, emit_long(e, (int64_t)base)));
}

// Takes an object off a list and sets its vtable. Control goes to `empty` if there is none.
static LLVMValueRef pop_object(Emit *e, LLVMValueRef list, LLVMValueRef vtable, LLVMBasicBlockRef empty) {
    LLVMBasicBlockRef found = emit_block(e, "allocate");
    LLVMValueRef object = emit_list_head(e, list);
    emit_branch(e, emit_is_null(e, object), empty, found, 0);
    emit_at(e, found);
    emit_new_word(e, emit_load(e, e->ptr, object, 0), list, NULL);
    emit_new_word(e, vtable, emit_offset_const(e, object, e->layout->object_vtable), "vtable");
    return object;
}

// Merges the object made inline, at the builder's position, with the one that the VM makes in block `slow`.
static void join_objects(Emit *e, LLVMValueRef object, LLVMBasicBlockRef slow, enum RuntimeCallId id,
                         LLVMValueRef *args, unsigned count) {
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(e->builder), done = emit_block(e, "new.done");
    emit_jump(e, done);
    emit_at(e, slow);
    LLVMValueRef other = emit_runtime(e, id, args, count);
    emit_check(e, false);
    slow = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    LLVMValueRef result = emit_allocated(e, emit_phi2(e, e->ptr, object, fast, other, slow));
    emit_mark_nonnull(e, result);
    emit_new_probe(e, result, 0);
    emit_push(e, KIND_REF, result);
}

static void allocate_by_vm(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count, unsigned depth) {
    LLVMValueRef object = emit_runtime(e, id, args, count);
    emit_check(e, false);
    emit_mark_nonnull(e, object);
    emit_new_probe(e, object, depth);
    emit_push(e, KIND_REF, object);
}

// Object.<init> registers the finalizer, if any.
static bool is_simple(const Emit *e, const Class *c) {
    return c->ref_kind == REF_NONE && c->instance_size <= e->layout->small_max;
}

LLVMValueRef emit_new_instance(Emit *e, const Class *cls, LLVMBasicBlockRef slow) {
    uint32_t granule = e->layout->granule, size_class = (cls->instance_size + granule - 1) / granule;
    LLVMValueRef list = free_list(e, e->layout->free_list_typed, emit_long(e, size_class));
    LLVMValueRef object = pop_object(e, list, emit_symbol(e, SYMBOL_VTABLE, cls), slow);
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
    LLVMValueRef cls = emit_symbol(e, SYMBOL_CLASS, site->cls);
    if (!site->initialized || !is_simple(e, site->cls)) {
        allocate_by_vm(e, RT_new, &cls, 1, 0);
        return;
    }
    LLVMBasicBlockRef slow = emit_block(e, "new.slow");
    emit_allocating(e, site->cls, NULL);
    join_objects(e, emit_new_instance(e, site->cls, slow), slow, RT_new, &cls, 1);
}

// Size class of an array of a length known to be small.
static LLVMValueRef array_size_class(Emit *e, unsigned shift, LLVMValueRef length) {
    LLVMValueRef wide = LLVMBuildZExt(e->builder, length, e->i64, "");
    LLVMValueRef bytes = LLVMBuildShl(e->builder, wide, emit_long(e, shift), "");
    uint32_t granule = e->layout->granule;
    LLVMValueRef rounded = add(e, bytes, emit_long(e, e->layout->array_base + granule - 1));
    return LLVMBuildUDiv(e->builder, rounded, emit_long(e, granule), "");
}

// Elements have 1 << shift bytes; `kind` belongs to the free list.
static LLVMValueRef new_small_array(Emit *e, LLVMValueRef vtable, unsigned shift, uint32_t kind, LLVMValueRef length,
                                    LLVMBasicBlockRef slow) {
    const CompilerLayout *l = e->layout;
    LLVMBasicBlockRef small = emit_block(e, "array.small");
    int64_t most = (l->small_max - l->array_base) >> shift;  // unsigned: negative lengths exceed it
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntULE, length, emit_int(e, most), ""), small, slow, 1);
    emit_at(e, small);
    LLVMValueRef array = pop_object(e, free_list(e, kind, array_size_class(e, shift, length)), vtable, slow);
    emit_new_word(e, length, emit_offset_const(e, array, l->array_length), "length");
    emit_new_fence(e);
    return array;
}

LLVMValueRef emit_new_small_array(Emit *e, const Class *cls, LLVMValueRef length, LLVMBasicBlockRef slow) {
    const CompilerLayout *l = e->layout;
    uint32_t kind = cls->component->cflags & CF_PRIMITIVE ? l->free_list_prims : l->free_list_refs;
    return new_small_array(e, emit_symbol(e, SYMBOL_VTABLE, cls), cls->elem_shift, kind, length, slow);
}

LLVMValueRef emit_new_array_like(Emit *e, LLVMValueRef array, char type, LLVMValueRef length, LLVMBasicBlockRef slow) {
    uint32_t kind = type == KIND_REF ? e->layout->free_list_refs : e->layout->free_list_prims;
    return new_small_array(e, emit_vtable_of(e, array), emit_element_shift(type), kind, length, slow);
}

static void new_array(Emit *e) {
    const Site *site = class_site(e);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    LLVMValueRef length = emit_pop(e);
    LLVMBasicBlockRef slow = emit_block(e, "array.slow");
    emit_allocating(e, site->cls, length);
    join_objects(e, emit_new_small_array(e, site->cls, length, slow), slow, RT_new_array,
                 (LLVMValueRef[]){emit_symbol(e, SYMBOL_CLASS, site->cls), length}, 2);
}

static void new_multi_array(Emit *e) {
    const Site *site = class_site(e);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    unsigned dims = e->frame->plan->code->code[e->frame->bci + 3];
    LLVMValueRef lengths = emit_alloca(e, LLVMArrayType2(e->i32, dims), "lengths");
    for (unsigned i = dims; i-- > 0;) emit_store(e, emit_pop(e), lengths, i * 4);
    LLVMValueRef args[] = {emit_symbol(e, SYMBOL_CLASS, site->cls), emit_int(e, dims), lengths};
    allocate_by_vm(e, RT_new_multi, args, 3, dims - 1);
}

// ---- type checks ------------------------------------------------------------------------------------

// Whether no other class is a subtype of `c`.
static bool is_leaf_class(const Class *c) {
    if (!class_is_array(c)) return c->access & ACC_FINAL && !class_is_interface(c);
    return class_is_primitive(c->element) || is_leaf_class(c->element);
}

static LLVMValueRef same(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(e->builder, LLVMIntEQ, a, b, "");
}

// The interface bits rule out most classes that do not implement the interface, without a call: instanceof often asks
// for one interface after another.
static LLVMValueRef implements(Emit *e, LLVMValueRef cls, const Class *c, LLVMValueRef known, LLVMValueRef target) {
    LLVMValueRef bits = emit_load_constant(e, e->i64, cls, e->layout->class_interface_bits), zero = emit_long(e, 0);
    LLVMValueRef may = LLVMBuildICmp(e->builder, LLVMIntNE, LLVMBuildAnd(e->builder, bits, emit_long(e, (int64_t)class_interface_bit(c)), ""), zero, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->builder), ask = emit_block(e, "implements"), done = emit_block(e, "implements.done");
    emit_branch(e, may, ask, done, -1);
    emit_at(e, ask);
    LLVMValueRef answer = emit_ask_subtype(e, known, cls, target);
    ask = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i1, LLVMConstInt(e->i1, 0, 0), from, answer, ask);
}

// i1: the object, which is not null, is an instance of `c`.
static LLVMValueRef is_instance(Emit *e, LLVMValueRef object, const Class *c) {
    if (!c->super && !class_is_interface(c)) return LLVMConstInt(e->i1, 1, 0);  // Object
    LLVMValueRef cls = emit_class_of(e, object), target = emit_symbol(e, SYMBOL_CLASS, c);
    if (is_leaf_class(c)) return same(e, cls, target);
    bool in_display = !class_is_interface(c) && !class_is_array(c) && c->depth < CLASS_DISPLAY;
    if (!in_display) {
        // The fast path compares with the class of the last successful test; other cases need the VM.
        LLVMValueRef last = emit_load_atomic(e, e->ptr, cls, e->layout->class_cached_super, LLVMAtomicOrderingUnordered);
        LLVMValueRef known = same(e, last, target);
        if (class_is_interface(c)) return implements(e, cls, c, known, target);
        if (class_is_array(c)) known = LLVMBuildOr(e->builder, known, same(e, cls, target), "");
        return emit_ask_subtype(e, known, cls, target);
    }
    int64_t offset = e->layout->class_display + c->depth * sizeof(Class *);
    return same(e, emit_load_constant(e, e->ptr, cls, offset), target);
}

// null passes without resolving the class.
static void checkcast(Emit *e) {
    const Site *site = class_site(e);
    LLVMValueRef object = emit_pop(e);
    LLVMBasicBlockRef test = emit_block(e, "cast"), done = emit_block(e, "cast.done");
    emit_branch(e, emit_is_null(e, object), done, test, -1);
    emit_at(e, test);
    if (site) {
        LLVMValueRef ok = is_instance(e, object, site->cls);
        LLVMValueRef args[] = {object, emit_symbol(e, SYMBOL_CLASS, site->cls)};
        emit_throw_if(e, LLVMBuildNot(e->builder, ok, ""), RT_throw_cast, args, 2);
        emit_jump(e, done);
    } else {
        emit_deopt(e, DEOPT_unresolved);
    }
    emit_at(e, done);
    emit_push(e, KIND_REF, object);
}

static void instanceof(Emit *e) {
    const Site *site = class_site(e);
    LLVMValueRef object = emit_pop(e), zero = emit_int(e, 0);
    LLVMBasicBlockRef test = emit_block(e, "instance"), done = emit_block(e, "instance.done");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->builder);
    emit_branch(e, emit_is_null(e, object), done, test, -1);
    emit_at(e, test);
    if (!site) {
        emit_deopt(e, DEOPT_unresolved);
        emit_at(e, done);
        emit_push(e, KIND_INT, zero);
        return;
    }
    LLVMValueRef is = LLVMBuildZExt(e->builder, is_instance(e, object, site->cls), e->i32, "");
    test = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    emit_push(e, KIND_INT, emit_phi2(e, e->i32, zero, from, is, test));
}

// ---- monitors ---------------------------------------------------------------------------------------

// Whether monitors of virtual objects can be elided. They cannot if events report monitors: the object is then real.
static bool elides_locks(const Emit *e) {
    return e->escapes && !(e->frame->plan->events & events_made_by(OPF_MONITOR) & events_from(EVENTS_THREADS)) &&
           !emit_wants(e, EVENT_lock_timed) && !emit_wants(e, EVENT_lock_released);
}

// Replaces the lock word if it is `from`. i1: it was replaced.
static LLVMValueRef swap_lock(Emit *e, LLVMValueRef object, LLVMValueRef from, LLVMValueRef to,
                              LLVMAtomicOrdering order) {
    if (elides_locks(e))
        return escape_op(e->unit, e->builder, order == LLVMAtomicOrderingAcquire ? ESCAPE_ENTER : ESCAPE_EXIT,
                         (LLVMValueRef[]){object, from, to});
    LLVMValueRef word = emit_offset_const(e, object, e->layout->object_lock);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, word, from, to, order,
                                               LLVMAtomicOrderingMonotonic, 0);
    return LLVMBuildExtractValue(e->builder, pair, 1, "");
}

// The lock word of an object that this thread has locked once.
static LLVMValueRef thin_lock(Emit *e) { return emit_load(e, e->i32, e->thread, e->layout->thread_thin_lock); }

// The VM's slow path. A call that throws goes to `unwind` with the monitors unchanged. Merges with the fast path at the
// builder's position and returns whether that was taken.
static LLVMValueRef monitor_by_vm(Emit *e, enum RuntimeCallId id, LLVMValueRef object, LLVMValueRef done, LLVMBasicBlockRef unwind) {
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef slow = emit_block(e, "monitor.slow"), fine = emit_block(e, "monitor.fine");
    LLVMBasicBlockRef joined = emit_block(e, "monitor");
    emit_branch(e, done, joined, slow, 1);
    emit_at(e, slow);
    if (elides_locks(e)) escape_op(e->unit, e->builder, ESCAPE_SLOW, &object);
    emit_runtime(e, id, &object, 1);
    LLVMValueRef exception = emit_load(e, e->ptr, e->thread, e->layout->thread_exception);
    emit_branch(e, emit_is_null(e, exception), fine, unwind, 1);
    emit_at(e, fine);
    emit_jump(e, joined);
    emit_at(e, joined);
    return emit_phi2(e, e->i1, LLVMConstInt(e->i1, 1, 0), fast, LLVMConstInt(e->i1, 0, 0), fine);
}

void emit_check_behind_monitor(Emit *e, LLVMValueRef was_fast, bool after, LLVMBasicBlockRef unwind) {
    LLVMBasicBlockRef check = emit_block(e, "monitor.check"), on = emit_block(e, "monitor.done");
    emit_branch(e, was_fast, on, check, 1);
    emit_at(e, check);
    emit_check_to(e, after, unwind);
    emit_jump(e, on);
    emit_at(e, on);
}

// Where monitors are events, the VM performs and reports the whole operation.
static LLVMValueRef swap_or_ask(Emit *e, LLVMValueRef object, LLVMValueRef from, LLVMValueRef to,
                                LLVMAtomicOrdering order) {
    bool reported = e->frame->plan->events & events_made_by(OPF_MONITOR) & events_from(EVENTS_THREADS);
    return reported ? LLVMConstInt(e->i1, 0, 0) : swap_lock(e, object, from, to, order);
}

// If hold times of monitors are measured (vm/threads/monitor.h), the VM must handle some operations. For those, the
// lock word is compared with a value that no object has, which needs no branch.
static LLVMValueRef unless(Emit *e, LLVMValueRef timed, LLVMValueRef word) {
    return LLVMBuildSelect(e->builder, timed, emit_int(e, (int32_t)e->layout->lockword_none), word, "");
}

static LLVMValueRef free_word(Emit *e) {
    if (!emit_wants(e, EVENT_lock_timed)) return emit_int(e, 0);
    LLVMValueRef left = emit_load(e, e->i32, e->thread, e->layout->thread_lock_timer);
    left = LLVMBuildSub(e->builder, left, emit_int(e, 1), "");
    emit_store(e, left, e->thread, e->layout->thread_lock_timer);
    return unless(e, LLVMBuildICmp(e->builder, LLVMIntSLE, left, emit_int(e, 0), ""), emit_int(e, 0));
}

static LLVMValueRef own_word(Emit *e) {
    if (!emit_wants(e, EVENT_lock_released)) return thin_lock(e);
    LLVMValueRef timed = emit_load(e, e->i32, e->thread, e->layout->thread_timed_locks);
    return unless(e, LLVMBuildICmp(e->builder, LLVMIntNE, timed, emit_int(e, 0), ""), thin_lock(e));
}

LLVMValueRef emit_monitor_enter(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind) {
    LLVMValueRef fast = swap_or_ask(e, object, free_word(e), thin_lock(e), LLVMAtomicOrderingAcquire);
    return monitor_by_vm(e, RT_monitor_enter, object, fast, unwind);
}

LLVMValueRef emit_monitor_exit(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind) {
    LLVMValueRef fast = swap_or_ask(e, object, own_word(e), emit_int(e, 0), LLVMAtomicOrderingRelease);
    return monitor_by_vm(e, RT_monitor_exit, object, fast, unwind);
}

static void monitorenter(Emit *e) {
    LLVMValueRef object = emit_pop(e);
    emit_null_check(e, object);
    LLVMValueRef fast = emit_monitor_enter(e, object, emit_unwind_label(e));
    emit_locked(e, object);
    emit_probe(e, EVENT_monitor_entered, NULL);
    emit_check_behind_monitor(e, fast, true, emit_unwind_label(e));
}

static void monitorexit(Emit *e) {
    LLVMValueRef object = emit_pop(e);
    emit_null_check(e, object);
    LLVMValueRef fast = emit_monitor_exit(e, object, emit_unwind_label(e));
    emit_unlocked(e);
    emit_check_behind_monitor(e, fast, true, emit_unwind_label(e));
}

// ---- the group --------------------------------------------------------------------------------------

bool emit_object(Emit *e, unsigned opcode) {
    switch (opcode) {
    case OPC_new: new_object(e); break;
    case OPC_newarray: case OPC_anewarray: new_array(e); break;
    case OPC_multianewarray: new_multi_array(e); break;
    case OPC_checkcast: checkcast(e); break;
    case OPC_instanceof: instanceof(e); break;
    case OPC_monitorenter: monitorenter(e); break;
    case OPC_monitorexit: monitorexit(e); break;
    default: return false;
    }
    return true;
}
