// Materialises objects: by calls of the VM where that is rare, otherwise inline.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

LLVMValueRef escape_add_alloca(Escape *x, LLVMTypeRef type) {
    LLVMPositionBuilderBefore(x->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->function)));
    return LLVMBuildAlloca(x->builder, type, "virtual");
}

LLVMValueRef escape_field_address(Escape *x, LLVMValueRef object, int64_t offset) {
    LLVMValueRef by = LLVMConstInt(x->i64, (uint64_t)offset, 1);
    return offset ? LLVMBuildInBoundsGEP2(x->builder, x->i8, object, &by, 1, "") : object;
}

static LLVMValueRef box_value(Escape *x, const Group *g, const Member *m) {
    LLVMValueRef v = LLVMBuildLoad2(x->builder, escape_type_of(x, g->parts[0].type), m->parts[0], "");
    return g->parts[0].type == 'C' ? LLVMBuildZExt(x->builder, v, x->i64, "")
                                   : LLVMBuildSExt(x->builder, v, x->i64, "");
}

// A stack map for a call at this place: that of the next call, or else the allocation's.
static LLVMOperandBundleRef map_at(Escape *x, const Group *g, LLVMValueRef at) {
    LLVMValueRef like = at;
    while (like && !(LLVMIsACallInst(like) && LLVMGetNumOperandBundles(like))) like = LLVMGetNextInstruction(like);
    if (!like) {
        LLVMValueRef map = LLVMConstInt(x->i32, g->what->map, 0);
        return LLVMCreateOperandBundle("deopt", 5, &map, 1);
    }
    LLVMOperandBundleRef old = LLVMGetOperandBundleAtIndex(like, 0);
    unsigned count = LLVMGetNumOperandBundleArgs(old);
    LLVMValueRef *values = grow_zeroed(count, sizeof *values);
    // The monitors in it are only for thread dumps and may not be materialised yet, so they become null.
    for (unsigned i = 0; i < count; i++)
        values[i] = i == 0 ? LLVMGetOperandBundleArgAtIndex(old, i) : LLVMConstNull(x->ptr);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, values, count);
    LLVMDisposeOperandBundle(old);
    free(values);
    return bundle;
}

// Counts `number` objects (i64) that are made instead of those of the member's allocation.
static void count_made(Escape *x, const Member *m, LLVMValueRef number) {
    LLVMBuilderRef b = x->builder;
    if (!m->counter) return;
    LLVMValueRef distance = LLVMBuildLoad2(b, x->i64, m->counter, "");
    LLVMValueRef counter = LLVMBuildInBoundsGEP2(b, x->i8, x->thread, &distance, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(b, x->i64, counter, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, old, number, ""), counter);
}

// ---- objects made inline ---------------------------------------------------------------------------

// Moves the instructions before `at` into a new block, which is returned without a terminator. `at` keeps its block, so
// that the phis of its successors and the index stay right.
static LLVMBasicBlockRef cut_before(Escape *x, LLVMValueRef at) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(x->unit->context, block, "");
    LLVMValueRef first;
    LLVMPositionBuilderAtEnd(x->builder, head);
    while ((first = LLVMGetFirstInstruction(block)) != at) {
        LLVMInstructionRemoveFromParent(first);
        LLVMInsertIntoBuilder(x->builder, first);
    }
    for (LLVMUseRef u; (u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)));) {
        LLVMValueRef from = LLVMGetUser(u);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(from); i++)
            if (LLVMGetSuccessor(from, i) == block) LLVMSetSuccessor(from, i, head);
    }
    return head;
}

static LLVMBasicBlockRef new_block(Escape *x, LLVMBasicBlockRef before) {
    return LLVMInsertBasicBlockInContext(x->unit->context, before, "");
}

// Like the allocation: takes an object off the free list, or calls the VM for one. Begins at the builder and ends both
// blocks.
static void allocate(Escape *x, const Group *g, const Member *m, LLVMOperandBundleRef bundle, LLVMBasicBlockRef behind,
                     LLVMValueRef *values, LLVMBasicBlockRef *from) {
    const CompilerLayout *l = compiler_layout();
    LLVMBuilderRef b = x->builder;
    LLVMBasicBlockRef take = new_block(x, behind), ask = new_block(x, behind);
    // The address in the thread of the free list that the allocation used.
    const Class *c = g->what->cls;
    uint32_t kind = !class_is_array(c) ? l->free_list_typed
        : c->component->prim           ? l->free_list_prims
                                       : l->free_list_refs;
    uint64_t size_class = (escape_object_bytes(g) + l->granule - 1) / l->granule;
    uint64_t offset = l->thread_free_lists + (uint64_t)kind * l->free_list_kinds_stride + size_class * 8;
    LLVMValueRef list = escape_field_address(x, x->thread, (int64_t)offset);
    LLVMValueRef object = LLVMBuildLoad2(b, x->ptr, list, "");
    LLVMMetadataRef unlikely[] = {
        LLVMMDStringInContext2(x->unit->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(x->i32, 1, 0)),
        LLVMValueAsMetadata(LLVMConstInt(x->i32, 2000, 0)),
    };
    LLVMMetadataRef weights = LLVMMDNodeInContext2(x->unit->context, unlikely, 3);
    LLVMSetMetadata(LLVMBuildCondBr(b, LLVMBuildIsNull(b, object, ""), ask, take), x->prof_kind,
                    LLVMMetadataAsValue(x->unit->context, weights));
    LLVMPositionBuilderAtEnd(b, take);
    LLVMBuildStore(b, LLVMBuildLoad2(b, x->ptr, object, ""), list);
    LLVMBuildStore(b, g->what->vtable, escape_field_address(x, object, l->object_vtable));
    if (class_is_array(c))
        LLVMBuildStore(b, LLVMConstInt(x->i32, g->what->length, 0), escape_field_address(x, object, l->array_length));
    count_made(x, m, LLVMConstInt(x->i64, 1, 0));
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, ask);
    LLVMValueRef f = x->unit->materialize_often;
    LLVMValueRef args[] = {x->thread, g->what->symbol, LLVMConstInt(x->i32, g->what->length, 0)};
    values[0] = object;
    values[1] = LLVMBuildCallWithOperandBundles(b, LLVMGlobalGetValueType(f), f, args, 3, &bundle, 1, "");
    count_made(x, m, LLVMConstInt(x->i64, 1, 0));
    from[0] = take;
    from[1] = ask;
    LLVMBuildBr(b, behind);
}

// The array of the cached boxes, the box's index in it (i64), and whether the cache has that index (i1).
typedef struct CachedBox {
    LLVMValueRef array, index, inside;
} CachedBox;

static CachedBox cached_box(Escape *x, const Group *g, const Member *m) {
    LLVMBuilderRef b = x->builder;
    LLVMValueRef least = LLVMConstInt(x->i64, (uint64_t)(int64_t)g->what->least, 1);
    LLVMValueRef index = LLVMBuildSub(b, box_value(x, g, m), least, "");
    LLVMValueRef array = LLVMBuildLoad2(b, x->ptr, g->what->cache, "");
    LLVMValueRef length = LLVMBuildLoad2(b, x->i32, escape_field_address(x, array, compiler_layout()->array_length),
                                         "");
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, index, LLVMBuildZExt(b, length, x->i64, ""), "");
    return (CachedBox){array, index, inside};
}

// Loads the box from the cache if the value is in its range. Ends the block; leaves the builder in the block for other
// values.
static void look_into_cache(Escape *x, const Group *g, const Member *m, LLVMBasicBlockRef behind, LLVMValueRef *value,
                            LLVMBasicBlockRef *from) {
    int64_t base = compiler_layout()->array_base;
    LLVMBuilderRef b = x->builder;
    LLVMBasicBlockRef there = new_block(x, behind), other = new_block(x, behind);
    CachedBox box = cached_box(x, g, m);
    LLVMBuildCondBr(b, box.inside, there, other);
    LLVMPositionBuilderAtEnd(b, there);
    LLVMValueRef offset = LLVMBuildShl(b, box.index, LLVMConstInt(x->i64, 3, 0), "");
    LLVMValueRef element = LLVMBuildInBoundsGEP2(b, x->i8, escape_field_address(x, box.array, base), &offset, 1, "");
    *value = LLVMBuildLoad2(b, x->ptr, element, "");
    *from = there;
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, other);
}

// The builder is before `at`, on entry and on return.
static LLVMValueRef make_inline(Escape *x, const Group *g, const Member *m, LLVMValueRef at,
                                LLVMOperandBundleRef bundle) {
    LLVMValueRef values[3];
    LLVMBasicBlockRef from[3], behind = LLVMGetInstructionParent(at);
    unsigned count = 2;
    LLVMPositionBuilderAtEnd(x->builder, cut_before(x, at));
    if (g->what->cache) look_into_cache(x, g, m, behind, &values[count], &from[count]), count++;
    allocate(x, g, m, bundle, behind, values, from);
    LLVMPositionBuilderBefore(x->builder, at);
    LLVMValueRef object = LLVMBuildPhi(x->builder, x->ptr, "");
    LLVMAddIncoming(object, values, from, count);
    return object;
}

// The builder is before `at`, which is in that block.
static void make(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int locks,
                 LLVMOperandBundleRef bundle) {
    LLVMValueRef object;
    if (escape_is_made_inline(x, g, block, locks)) {
        object = make_inline(x, g, m, at, bundle);
    } else {
        bool box = g->what->cache != NULL;
        LLVMValueRef f = box ? x->unit->materialize_box : x->unit->materialize;
        LLVMValueRef args[5] = {x->thread, g->what->symbol};
        if (box) {  // a cached box already has the value that is stored below
            args[2] = g->what->cache;
            args[3] = LLVMConstInt(x->i32, (uint64_t)(int64_t)g->what->least, 1);
            args[4] = box_value(x, g, m);
        } else {
            args[2] = LLVMConstInt(x->i32, g->what->length, 0);
            args[3] = LLVMConstInt(x->i32, (uint64_t)locks, 0);
        }
        object = LLVMBuildCallWithOperandBundles(x->builder, LLVMGlobalGetValueType(f), f, args, box ? 5 : 4, &bundle,
                                                 1, "");
        bool tells = box && m->counter;  // whether the call has made the box
        LLVMValueRef made = tells ? LLVMBuildNot(x->builder, cached_box(x, g, m).inside, "")
                                  : LLVMConstInt(x->i1, 1, 0);
        count_made(x, m, LLVMBuildZExt(x->builder, made, x->i64, ""));
    }
    for (uint32_t i = 0; i < g->part_count; i++) {
        if (!g->parts[i].stored) continue;
        LLVMValueRef v = LLVMBuildLoad2(x->builder, escape_type_of(x, g->parts[i].type), m->parts[i], "");
        LLVMBuildStore(x->builder, v, escape_field_address(x, object, g->parts[i].offset));
    }
    LLVMBuildFence(x->builder, LLVMAtomicOrderingRelease, false, "");
    LLVMBuildStore(x->builder, object, m->address);
}

void escape_materialize(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int state) {
    LLVMOperandBundleRef bundle = map_at(x, g, at);
    LLVMValueRef end = at;
    if (state == MAYBE) {  // in a block before `at` that runs if the object is not materialised yet
        LLVMBasicBlockRef behind = LLVMGetInstructionParent(at), head = cut_before(x, at);
        LLVMBasicBlockRef missing = new_block(x, behind);
        LLVMPositionBuilderAtEnd(x->builder, head);
        LLVMValueRef made = LLVMBuildLoad2(x->builder, x->ptr, m->address, "");
        LLVMBuildCondBr(x->builder, LLVMBuildIsNull(x->builder, made, ""), missing, behind);
        LLVMPositionBuilderAtEnd(x->builder, missing);
        end = LLVMBuildBr(x->builder, behind);
    }
    LLVMPositionBuilderBefore(x->builder, end);
    make(x, g, m, end, block, state == MAYBE ? 0 : state, bundle);
    LLVMDisposeOperandBundle(bundle);
    LLVMPositionBuilderBefore(x->builder, at);
}
