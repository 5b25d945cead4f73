// Moves exact code in the thread's calling context tree (vm/api/calltree.h describes the steps), if that is requested
// (EVENTS_CONTEXTS). A step that a single lookup does not find calls the VM, which reports it.
//
// The tree and its stack belong to the thread and are in memory at each event, so exceptions, deoptimisation and
// on-stack replacement need no extra work.
#include "bytecode/classfile/opcodes.h"
#include "jit/backend/counters.h"
#include "jit/probes/probes_internal.h"
#include "vm/api/calltree.h"

bool probe_has_contexts(const Probes *p) {
    return p->frames->version.kind == VERSION_ONLY && p->root->events & EVENTS_CONTEXTS;
}

static LLVMValueRef load(Probes *p, LLVMTypeRef type, LLVMValueRef base, size_t offset) {
    LLVMValueRef v = ir_load(p->ir, type, base, (int64_t)offset);
    ir_tag(p->ir, v, "event");
    return v;
}

static void store(Probes *p, LLVMValueRef v, LLVMValueRef base, int64_t offset) {
    LLVMValueRef s = LLVMBuildStore(p->ir->builder, v, ir_offset_const(p->ir, base, offset));
    LLVMSetAlignment(s, 8);
    ir_tag(p->ir, s, "event");
}

static LLVMValueRef load_position(Probes *p, size_t member) {
    return load(p, p->ir->ptr, p->ir->thread, p->ir->layout->thread_context + member);
}
static void store_position(Probes *p, size_t member, LLVMValueRef v) {
    store(p, v, p->ir->thread, (int64_t)(p->ir->layout->thread_context + member));
}

// The blocks of a step. Control reaches `found` if the node is that of the call, else `missing`; both join in `next`.
typedef struct Step {
    LLVMBasicBlockRef found, missing, next;
    LLVMValueRef at, site, number;  // site: NULL if the edge has a number
    uint32_t callee;
} Step;

static Step begin_step(Probes *p, uint32_t callee) {
    return (Step){.found = ir_block(p->ir, "context"),
                  .missing = ir_block(p->ir, "no.context"),
                  .next = ir_block(p->ir, "in.context"),
                  .at = load_position(p, offsetof(ContextPosition, at)),
                  .callee = callee};
}

static LLVMValueRef is_of_call(Probes *p, const Step *s, LLVMValueRef node) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    if (!s->site)
        return LLVMBuildICmp(b, LLVMIntEQ, load(p, ir->i64, node, offsetof(ContextNode, edge)), s->number, "");
    LLVMValueRef is_site = LLVMBuildICmp(b, LLVMIntEQ, load(p, ir->i64, node, offsetof(ContextNode, site)), s->site,
                                         "");
    LLVMValueRef callee = LLVMBuildZExt(b, load(p, ir->i32, node, offsetof(ContextNode, callee)), ir->i64, "");
    return LLVMBuildAnd(b, is_site, LLVMBuildICmp(b, LLVMIntEQ, callee, s->number, ""), "");
}

// The node in that slot, if it is the node of the call.
static LLVMValueRef find(Probes *p, const Step *s, LLVMValueRef slot) {
    Ir *ir = p->ir;
    LLVMValueRef node = load(p, ir->ptr, ir_offset(ir, s->at, slot), offsetof(ContextNode, child));
    ir_branch(ir, is_of_call(p, s, node), s->found, s->missing, 1);
    ir_at(ir, s->found);
    return node;
}

static void go_to_node(Probes *p, const Step *s, LLVMValueRef node) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef room = ir_block(ir, "frame");
    LLVMValueRef top = load_position(p, offsetof(ContextPosition, top)),
                 limit = load_position(p, offsetof(ContextPosition, limit));
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntNE, top, limit, ""), room, s->missing, 1);
    ir_at(ir, room);
    LLVMValueRef entered = load(p, ir->i64, node, offsetof(ContextNode, entered));
    store(p, LLVMBuildAdd(b, entered, ir_long(ir, 1), ""), node, offsetof(ContextNode, entered));
    store(p, s->at, top, offsetof(ContextFrame, node));
    store(p, ir_number(ir, s->callee), top, offsetof(ContextFrame, method));
    store_position(p, offsetof(ContextPosition, top), ir_offset_const(ir, top, sizeof(ContextFrame)));
    store_position(p, offsetof(ContextPosition, at), load(p, ir->ptr, node, offsetof(ContextNode, into)));
    ir_jump(ir, s->next);
}

static void report(Probes *p, const Step *s, LLVMValueRef site, const Method *callee, LLVMValueRef number) {
    Ir *ir = p->ir;
    ir_at(ir, s->missing);
    LLVMValueRef args[] = {site, ir_symbol(ir, SYMBOL_METHOD, callee), number};
    ir_tag(ir, frames_runtime(p->frames, RT_edge_from, args, 3), "event");
    ir_jump(ir, s->next);
    ir_at(ir, s->next);
}

uint32_t probe_context_slot(const JavaFrame *f) {
    uint32_t n = 0;
    for (const PlanSite *s = f->plan->sites; s < f->plan->sites + f->plan->site_count && s->bci < (uint32_t)f->bci; s++)
        n += (opcodes_info[f->plan->code->code[s->bci]].flags & OPF_INVOKE) != 0;
    return context_slot(n);
}

bool probe_context_enter(Probes *p, const JavaFrame *caller, LLVMValueRef site, const Method *callee) {
    Ir *ir = p->ir;
    uint32_t words[7] = {caller->method->id, caller->bci, callee->id};
    uint32_t number = compiler_event_site(EVENT_call_edge, 0, words);
    if (!number) return false;
    Step s = begin_step(p, callee->id);
    s.number = ir_number(ir, number);
    go_to_node(p, &s, find(p, &s, ir_long(ir, 8 * probe_context_slot(caller))));
    report(p, &s, site, callee, LLVMBuildTrunc(ir->builder, s.number, ir->i32, ""));
    return true;
}

void probe_context_enter_from(Probes *p, LLVMValueRef site, const Method *callee) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    const uint64_t slots = (uint64_t)(CONTEXT_SLOTS - 1) << CONTEXT_SLOT_SHIFT;
    Step s = begin_step(p, callee->id);
    LLVMValueRef slot = LLVMBuildAnd(b, site, ir_long(ir, (int64_t)slots), "");
    slot = LLVMBuildLShr(b, slot, ir_long(ir, CONTEXT_SLOT_SHIFT - 3), "");
    LLVMValueRef plain = LLVMBuildAnd(b, site, ir_long(ir, (int64_t)~slots), "");
    s.site = LLVMBuildAdd(b, plain, ir_long(ir, 1), "");
    s.number = ir_number(ir, callee->id);
    go_to_node(p, &s, find(p, &s, slot));
    report(p, &s, site, callee, ir_int(ir, 0));
}

void probe_context_leave(Probes *p, const Method *m, LLVMBasicBlockRef missing, LLVMBasicBlockRef next) {
    Ir *ir = p->ir;
    LLVMBasicBlockRef found = ir_block(ir, "frame");
    LLVMValueRef top = load_position(p, offsetof(ContextPosition, top));
    LLVMValueRef frame = ir_offset_const(ir, top, -(int64_t)sizeof(ContextFrame));
    LLVMValueRef method = load(p, ir->i64, frame, offsetof(ContextFrame, method));
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, method, ir_number(ir, m->id), ""), found, missing, 1);
    ir_at(ir, found);
    store_position(p, offsetof(ContextPosition, at), load(p, ir->ptr, frame, offsetof(ContextFrame, node)));
    store_position(p, offsetof(ContextPosition, top), frame);
    ir_jump(ir, next);
}
