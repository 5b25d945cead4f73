// Paths (bytecode/analysis/paths.h) in exact code. Each frame whose method reports paths has a register: an alloca that
// LLVM's passes turn into a value. Edges of a spanning tree do not change it. The register holds the interpreter's path
// value less the offset of the block; the interpreter receives that value when the code is left.
//
// If a method has few paths and they are only counted, a complete path is counted in an array at a fixed distance from
// the thread, which all inlined copies of the method share. Otherwise it is an ordinary event.
//
// Code that is left for samples (copies=exits) has no register: the interpreter begins a path where a sample begins.
#include "bytecode/analysis/paths.h"
#include "jit/backend/counters.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

enum { MOST_COUNTED = 512 };  // most paths of a method with an array

void emit_path_frame(Emit *e, EmitFrame *f) {
    if (!(f->plan->events >> EVENT_path & 1) || e->root->sampling.exits) return;
    f->paths = compiler_paths(f->method);
    if (f->paths) f->path = emit_alloca(e, e->i32, "path");
}

static const PathBlock *block_at(const EmitFrame *f, uint32_t block) {
    return paths_block(f->paths, f->plan->flow->blocks[block].start);
}

// Whether all edges to the block that go backwards in the order of checks are backedges of the bytecode.
static bool is_begun_by_backedges(const Dataflow *flow, uint32_t block) {
    uint32_t i = 0;
    while (flow->order[i] != block) i++;
    for (; i < flow->block_count; i++) {
        const FlowBlock *from = &flow->blocks[flow->order[i]];
        for (uint32_t k = 0; k < from->succ_count; k++)
            if (flow->edges[from->first_succ + k] == block && from->start < flow->blocks[block].start) return false;
    }
    return true;
}

LLVMValueRef emit_path_sampled(Emit *e, bool entry, uint32_t block) {
    const Plan *plan = e->frame->plan;
    const Paths *paths = plan->events >> EVENT_path & 1 ? compiler_paths(e->frame->method) : NULL;
    if (!paths) return NULL;
    if (entry) return emit_long(e, 0);
    const PathBlock *b = paths_block(paths, plan->flow->blocks[block].start);
    return b->begins && is_begun_by_backedges(plan->flow, block) ? emit_long(e, b->begin) : NULL;
}

static LLVMValueRef load(Emit *e, const EmitFrame *f) { return LLVMBuildLoad2(e->builder, e->i32, f->path, ""); }

static LLVMValueRef plus(Emit *e, LLVMValueRef v, uint32_t more) {
    return more ? LLVMBuildAdd(e->builder, v, LLVMConstInt(e->i32, more, false), "") : v;
}

static void begin_at(Emit *e, const PathBlock *b) {
    LLVMBuildStore(e->builder, LLVMConstInt(e->i32, paths_register(b), false), e->frame->path);
}

void emit_path_begin(Emit *e, uint32_t block) {
    if (e->frame->paths) begin_at(e, block_at(e->frame, block));
}

LLVMValueRef emit_path_value(Emit *e, const EmitFrame *f, uint32_t block) {
    LLVMValueRef sum = plus(e, load(e, f), block_at(f, block)->offset);
    return LLVMBuildZExt(e->builder, sum, e->i64, "");
}

// Reports or counts a complete path whose number is not constant.
static void record(Emit *e, LLVMValueRef number) {
    const EmitFrame *f = e->frame;
    uint32_t first = UINT32_MAX;
    if (f->paths->path_count <= MOST_COUNTED && emit_counts(e, EVENT_path))
        first = unit_path_counters(e->unit, f->method->id, f->paths->path_count);
    if (first == UINT32_MAX && emit_ring_put_path(e, f->method, f->paths->path_count, number)) return;
    if (first == UINT32_MAX) {
        emit_report(e, EVENT_path, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, f->method), emit_int(e, EVENT_NO_BCI), number});
        return;
    }
    LLVMBuilderRef b = e->builder;
    LLVMValueRef counters = emit_offset(e, e->thread, LLVMConstAdd(counters_distance(e->unit, PATHS_SYMBOL), emit_long(e, 8 * (int64_t)first)));
    LLVMValueRef wide = LLVMBuildZExt(b, number, e->i64, "");
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, e->i64, counters, &wide, 1, "");
    LLVMValueRef count = LLVMBuildLoad2(b, e->i64, address, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, count, emit_long(e, 1), ""), address);
}

LLVMBasicBlockRef emit_path_edge(Emit *e, uint32_t edge, LLVMBasicBlockRef to) {
    const EmitFrame *f = e->frame;
    if (!f->paths) return to;
    const PathEdge *taken = paths_edge(f->paths, block_at(f, f->block), edge);
    if (!taken->ends && !taken->increment) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), on_edge = emit_block(e, "path");
    emit_at(e, on_edge);
    LLVMValueRef sum = plus(e, load(e, f), taken->increment);
    if (taken->ends) {
        record(e, sum);
        begin_at(e, &f->paths->blocks[taken->to]);
    } else {
        LLVMBuildStore(e->builder, sum, f->path);
    }
    emit_jump(e, to);
    emit_at(e, here);
    return on_edge;
}

void emit_path_end(Emit *e) {
    const EmitFrame *f = e->frame;
    if (f->paths) record(e, plus(e, load(e, f), paths_edge(f->paths, block_at(f, f->block), 0)->increment));
}

void emit_path_thrown(Emit *e) {
    const EmitFrame *f = e->frame;
    if (!f->paths) return;
    const PathBlock *b = block_at(f, f->block);
    emit_report(e, EVENT_path, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, f->method), emit_int(e, b->start),
                                                plus(e, load(e, f), b->offset)});
}
