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
#include "jit/probes/probes_internal.h"

enum { MOST_COUNTED = 512 };  // most paths of a method with an array

void probe_path_frame(Probes *p, JavaFrame *f) {
    if (!(f->plan->events >> EVENT_path & 1) || p->root->sampling.exits) return;
    f->paths = compiler_paths(f->method);
    if (f->paths) f->path = ir_alloca(p->ir, p->ir->i32, "path");
}

static const PathBlock *block_at(const JavaFrame *f, uint32_t block) {
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

LLVMValueRef probe_path_sampled(Probes *p, bool entry, uint32_t block) {
    const Plan *plan = p->frames->top->plan;
    const Paths *paths = plan->events >> EVENT_path & 1 ? compiler_paths(p->frames->top->method) : NULL;
    if (!paths) return NULL;
    if (entry) return ir_long(p->ir, 0);
    const PathBlock *b = paths_block(paths, plan->flow->blocks[block].start);
    return b->begins && is_begun_by_backedges(plan->flow, block) ? ir_long(p->ir, b->begin) : NULL;
}

// The path register plus a number.
static LLVMValueRef register_plus(Probes *p, const JavaFrame *f, uint32_t more) {
    Ir *ir = p->ir;
    LLVMValueRef v = LLVMBuildLoad2(ir->builder, ir->i32, f->path, "");
    return more ? LLVMBuildAdd(ir->builder, v, LLVMConstInt(ir->i32, more, false), "") : v;
}

void probe_path_begin(Probes *p, uint32_t block) {
    const JavaFrame *f = p->frames->top;
    if (!f->paths) return;
    uint32_t begin = paths_register(block_at(f, block));
    LLVMBuildStore(p->ir->builder, LLVMConstInt(p->ir->i32, begin, false), f->path);
}

LLVMValueRef probe_path_value(Probes *p, const JavaFrame *f, uint32_t block) {
    LLVMValueRef sum = register_plus(p, f, block_at(f, block)->offset);
    return LLVMBuildZExt(p->ir->builder, sum, p->ir->i64, "");
}

// Reports or counts a complete path whose number is not constant.
static void record(Probes *p, LLVMValueRef number) {
    Ir *ir = p->ir;
    const JavaFrame *f = p->frames->top;
    uint32_t first = UINT32_MAX;
    if (f->paths->path_count <= MOST_COUNTED && probe_counts(p, EVENT_path))
        first = unit_path_counters(ir->unit, f->method->id, f->paths->path_count);
    if (first == UINT32_MAX && probe_ring_put_path(p, f->method, f->paths->path_count, number)) return;
    if (first == UINT32_MAX) {
        probe_report(p, EVENT_path,
                     (LLVMValueRef[]){ir_symbol(ir, SYMBOL_METHOD, f->method), ir_int(ir, EVENT_NO_BCI), number});
        return;
    }
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef distance = LLVMConstAdd(counters_distance(ir->unit, PATHS_SYMBOL), ir_long(ir, 8 * (int64_t)first));
    LLVMValueRef counters = ir_offset(ir, ir->thread, distance);
    LLVMValueRef wide = LLVMBuildZExt(b, number, ir->i64, "");
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, ir->i64, counters, &wide, 1, "");
    LLVMValueRef count = LLVMBuildLoad2(b, ir->i64, address, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, count, ir_long(ir, 1), ""), address);
}

LLVMBasicBlockRef probe_path_edge(Probes *p, uint32_t edge, LLVMBasicBlockRef to) {
    Ir *ir = p->ir;
    const JavaFrame *f = p->frames->top;
    if (!f->paths) return to;
    const PathEdge *taken = paths_edge(f->paths, block_at(f, f->block), edge);
    if (!taken->ends && !taken->increment) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), on_edge = ir_block(ir, "path");
    ir_at(ir, on_edge);
    LLVMValueRef sum = register_plus(p, f, taken->increment);
    if (taken->ends) {
        record(p, sum);
        uint32_t begin = paths_register(&f->paths->blocks[taken->to]);
        LLVMBuildStore(ir->builder, LLVMConstInt(ir->i32, begin, false), f->path);
    } else {
        LLVMBuildStore(ir->builder, sum, f->path);
    }
    ir_jump(ir, to);
    ir_at(ir, here);
    return on_edge;
}

void probe_path_end(Probes *p) {
    const JavaFrame *f = p->frames->top;
    if (f->paths) record(p, register_plus(p, f, paths_edge(f->paths, block_at(f, f->block), 0)->increment));
}

void probe_path_thrown(Probes *p) {
    const JavaFrame *f = p->frames->top;
    if (!f->paths) return;
    const PathBlock *b = block_at(f, f->block);
    probe_report(p, EVENT_path,
                 (LLVMValueRef[]){ir_symbol(p->ir, SYMBOL_METHOD, f->method), ir_int(p->ir, b->start),
                                  register_plus(p, f, b->offset)});
}
