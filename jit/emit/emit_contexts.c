// Moves exact code in the thread's calling context tree (vm/api/calltree.h describes the steps), if that is requested
// (EVENTS_CONTEXTS). A step that a single lookup does not find calls the VM, which reports it.
//
// The tree and its stack belong to the thread and are in memory at each event, so exceptions, deoptimisation and
// on-stack replacement need no extra work.
#include "bytecode/classfile/opcodes.h"
#include "jit/backend/counters.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "vm/api/calltree.h"

bool emit_has_contexts(const Emit *e) { return e->version.kind == VERSION_ONLY && e->root->events & EVENTS_CONTEXTS; }

static LLVMValueRef load(Emit *e, LLVMTypeRef type, LLVMValueRef base, size_t offset) {
    LLVMValueRef v = emit_load(e, type, base, (int64_t)offset);
    emit_tag(e, v, "event");
    return v;
}

static void store(Emit *e, LLVMValueRef v, LLVMValueRef base, int64_t offset) {
    LLVMValueRef s = LLVMBuildStore(e->builder, v, emit_offset_const(e, base, offset));
    LLVMSetAlignment(s, 8);
    emit_tag(e, s, "event");
}

static LLVMValueRef load_position(Emit *e, size_t member) { return load(e, e->ptr, e->thread, e->layout->thread_context + member); }
static void store_position(Emit *e, size_t member, LLVMValueRef v) { store(e, v, e->thread, (int64_t)(e->layout->thread_context + member)); }

// The blocks of a step. Control reaches `found` if the node is that of the call, else `missing`; both join in `next`.
typedef struct Step {
    LLVMBasicBlockRef found, missing, next;
    LLVMValueRef at, site, number;  // site: NULL if the edge has a number
    uint32_t callee;
} Step;

static Step begin_step(Emit *e, uint32_t callee) {
    return (Step){.found = emit_block(e, "context"), .missing = emit_block(e, "no.context"), .next = emit_block(e, "in.context"),
                  .at = load_position(e, offsetof(ContextPosition, at)), .callee = callee};
}

static LLVMValueRef is_of_call(Emit *e, const Step *s, LLVMValueRef node) {
    LLVMBuilderRef b = e->builder;
    if (!s->site) return LLVMBuildICmp(b, LLVMIntEQ, load(e, e->i64, node, offsetof(ContextNode, edge)), s->number, "");
    LLVMValueRef is_site = LLVMBuildICmp(b, LLVMIntEQ, load(e, e->i64, node, offsetof(ContextNode, site)), s->site, "");
    LLVMValueRef callee = LLVMBuildZExt(b, load(e, e->i32, node, offsetof(ContextNode, callee)), e->i64, "");
    return LLVMBuildAnd(b, is_site, LLVMBuildICmp(b, LLVMIntEQ, callee, s->number, ""), "");
}

// The node in that slot, if it is the node of the call.
static LLVMValueRef find(Emit *e, const Step *s, LLVMValueRef slot) {
    LLVMValueRef node = load(e, e->ptr, emit_offset(e, s->at, slot), offsetof(ContextNode, child));
    emit_branch(e, is_of_call(e, s, node), s->found, s->missing, 1);
    emit_at(e, s->found);
    return node;
}

static void go_to_node(Emit *e, const Step *s, LLVMValueRef node) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef room = emit_block(e, "frame");
    LLVMValueRef top = load_position(e, offsetof(ContextPosition, top)), limit = load_position(e, offsetof(ContextPosition, limit));
    emit_branch(e, LLVMBuildICmp(b, LLVMIntNE, top, limit, ""), room, s->missing, 1);
    emit_at(e, room);
    LLVMValueRef entered = load(e, e->i64, node, offsetof(ContextNode, entered));
    store(e, LLVMBuildAdd(b, entered, emit_long(e, 1), ""), node, offsetof(ContextNode, entered));
    store(e, s->at, top, offsetof(ContextFrame, node));
    store(e, emit_number(e, s->callee), top, offsetof(ContextFrame, method));
    store_position(e, offsetof(ContextPosition, top), emit_offset_const(e, top, sizeof(ContextFrame)));
    store_position(e, offsetof(ContextPosition, at), load(e, e->ptr, node, offsetof(ContextNode, into)));
    emit_jump(e, s->next);
}

static void report(Emit *e, const Step *s, LLVMValueRef site, const Method *callee, LLVMValueRef number) {
    emit_at(e, s->missing);
    LLVMValueRef args[] = {site, emit_symbol(e, SYMBOL_METHOD, callee), number};
    emit_tag(e, emit_runtime(e, RT_edge_from, args, 3), "event");
    emit_jump(e, s->next);
    emit_at(e, s->next);
}

uint32_t emit_context_slot(const EmitFrame *f) {
    uint32_t n = 0;
    for (const PlanSite *s = f->plan->sites; s < f->plan->sites + f->plan->site_count && s->bci < (uint32_t)f->bci; s++)
        n += (opcodes_info[f->plan->code->code[s->bci]].flags & OPF_INVOKE) != 0;
    return context_slot(n);
}

bool emit_context_enter(Emit *e, const EmitFrame *caller, LLVMValueRef site, const Method *callee) {
    uint32_t words[7] = {caller->method->id, caller->bci, callee->id};
    uint32_t number = compiler_event_site(EVENT_call_edge, 0, words);
    if (!number) return false;
    Step s = begin_step(e, callee->id);
    s.number = emit_number(e, number);
    go_to_node(e, &s, find(e, &s, emit_long(e, 8 * emit_context_slot(caller))));
    report(e, &s, site, callee, LLVMBuildTrunc(e->builder, s.number, e->i32, ""));
    return true;
}

void emit_context_enter_from(Emit *e, LLVMValueRef site, const Method *callee) {
    LLVMBuilderRef b = e->builder;
    const uint64_t slots = (uint64_t)(CONTEXT_SLOTS - 1) << CONTEXT_SLOT_SHIFT;
    Step s = begin_step(e, callee->id);
    LLVMValueRef slot = LLVMBuildAnd(b, site, emit_long(e, (int64_t)slots), "");
    slot = LLVMBuildLShr(b, slot, emit_long(e, CONTEXT_SLOT_SHIFT - 3), "");
    LLVMValueRef plain = LLVMBuildAnd(b, site, emit_long(e, (int64_t)~slots), "");
    s.site = LLVMBuildAdd(b, plain, emit_long(e, 1), "");
    s.number = emit_number(e, callee->id);
    go_to_node(e, &s, find(e, &s, slot));
    report(e, &s, site, callee, emit_int(e, 0));
}

void emit_context_leave(Emit *e, const Method *m, LLVMBasicBlockRef missing, LLVMBasicBlockRef next) {
    LLVMBasicBlockRef found = emit_block(e, "frame");
    LLVMValueRef top = load_position(e, offsetof(ContextPosition, top));
    LLVMValueRef frame = emit_offset_const(e, top, -(int64_t)sizeof(ContextFrame));
    LLVMValueRef method = load(e, e->i64, frame, offsetof(ContextFrame, method));
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, method, emit_number(e, m->id), ""), found, missing, 1);
    emit_at(e, found);
    store_position(e, offsetof(ContextPosition, at), load(e, e->ptr, frame, offsetof(ContextFrame, node)));
    store_position(e, offsetof(ContextPosition, top), frame);
    emit_jump(e, next);
}
