// What baseline code counts under -Xadaptive, for the plan of its optimised code (vm/api/methodcounts.h): the blocks of bytecode
// that begin, and the classes of receivers. Each is a few words in memory that threads share; where they are the plan says
// (jit/plan/counts.h). All versions of a node count.
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/plan/counts.h"

// Address of a part of the method's counts.
static LLVMValueRef counts_part(Emit *e, const void *part) {
    MethodCounts *counts = e->frame->plan->counts;
    return emit_offset_const(e, emit_symbol(e, SYMBOL_COUNTS, counts), (int64_t)((const char *)part - (const char *)counts));
}

void emit_count_block(Emit *e, uint32_t block) {
    MethodCounts *counts = e->frame->plan->counts;
    if (!counts) return;
    LLVMValueRef at = counts_part(e, &counts->blocks[block]);
    LLVMAtomicOrdering order = LLVMAtomicOrderingMonotonic;  // threads may lose each other's counts
    LLVMValueRef old = emit_load_atomic(e, e->i64, at, 0, order);
    emit_store_atomic(e, LLVMBuildAdd(e->builder, old, emit_long(e, 1), ""), at, 0, order);
}

// LLVM's weights have 32 bits, and those of several edges are added up. Nothing is told to be impossible.
void emit_edge_weights(Emit *e, LLVMValueRef branch, const uint64_t *counts, uint32_t count) {
    LLVMMetadataRef *parts = emit_alloc(count + 1, sizeof *parts);
    uint64_t sum = 0, scale;
    for (uint32_t i = 0; i < count; i++) sum += counts[i] + 1;
    scale = 1 + sum / INT32_MAX;
    parts[0] = LLVMMDStringInContext2(e->context, "branch_weights", 14);
    for (uint32_t i = 0; i < count; i++) parts[i + 1] = LLVMValueAsMetadata(emit_int(e, (int64_t)((counts[i] + 1) / scale)));
    LLVMSetMetadata(branch, e->prof_kind, LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, parts, count + 1)));
    free(parts);
}

void emit_count_receiver(Emit *e, LLVMValueRef receiver) {
    const ReceiverCounts *counts = counts_receivers(e->frame->plan, e->frame->bci);
    if (!counts) return;
    LLVMValueRef args[] = {counts_part(e, counts), emit_vtable_of(e, receiver)};
    emit_runtime(e, RT_count_receiver, args, 2);
}
