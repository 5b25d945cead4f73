// Entries and exits of methods, and the edges between callers and callees.
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/backend/counters.h"
#include "jit/probes/probes_internal.h"
#include "vm/api/calltree.h"

// The frame that makes a call at the current instruction: the innermost visible one. NULL: only the stack shows it.
static const JavaFrame *calling_frame(const Probes *p) {
    const JavaFrame *f = p->frames->top;
    while (f && !compiler_event_visible(f->method)) f = f->parent;
    return f;
}

static bool count_call_edge(Probes *p, const Method *callee, bool from_inside) {
    const JavaFrame *f = from_inside ? calling_frame(p) : NULL;
    return f && probe_note(p, EVENT_call_edge, (uint32_t[]){f->method->id, f->bci, callee->id}, 3);
}

bool probe_counts_calls_of(const Probes *p, const Method *m) {
    return p->frames->version.kind == VERSION_ONLY && p->root->counted >> EVENT_call_edge & 1 &&
        compiler_events(m) >> EVENT_call_edge & 1;
}

// i1: the caller has counted the call of the root.
static LLVMValueRef is_counted(Probes *p) {
    Ir *ir = p->ir;
    LLVMValueRef method = LLVMBuildPtrToInt(ir->builder, LLVMGetParam(ir->function, 0), ir->i64, "");
    return LLVMBuildTrunc(ir->builder, method, ir->i1, "");
}

LLVMBasicBlockRef probe_not_entered(Probes *p, LLVMBasicBlockRef unwind) {
    Ir *ir = p->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), out = ir_block(ir, "not.entered"),
                      undo = ir_block(ir, "undo");
    ir_at(ir, out);
    ir_branch(ir, is_counted(p), undo, unwind, -1);
    ir_at(ir, undo);
    frames_runtime(p->frames, RT_undo_call, (LLVMValueRef[]){ir_symbol(ir, SYMBOL_METHOD, p->root->method)}, 1);
    ir_jump(ir, unwind);
    ir_at(ir, here);
    return out;
}

// Looks up the target, and a site that is not constant, in the inline cache. The VM counts a miss.
static void count_in_cache(Probes *p, LLVMValueRef site, LLVMValueRef method) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef next = ir_block(ir, "call");
    LLVMValueRef first = ir_long(ir, (int64_t)ir->unit->calls++ * CALL_ENTRIES * (int64_t)sizeof(CodeCallEntry));
    LLVMValueRef entries = ir_offset(ir, ir->thread, LLVMConstAdd(counters_distance(ir->unit, CALLS_SYMBOL), first));
    LLVMValueRef id = ir_load(ir, ir->i32, method, ir->layout->method_id);
    for (int i = 0; i < CALL_ENTRIES; i++) {
        LLVMBasicBlockRef hit = ir_block(ir, "seen"), miss = ir_block(ir, "not.seen");
        LLVMValueRef entry = ir_offset_const(ir, entries, i * (int64_t)sizeof(CodeCallEntry));
        LLVMValueRef its = ir_load(ir, ir->i32, entry, offsetof(CodeCallEntry, method));
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, its, id, "");
        if (site == p->outer_site) {
            LLVMValueRef from = ir_load(ir, ir->i64, entry, offsetof(CodeCallEntry, site));
            is = LLVMBuildAnd(b, is, LLVMBuildICmp(b, LLVMIntEQ, from, site, ""), "");
        }
        ir_branch(ir, is, hit, miss, 1);
        ir_at(ir, hit);
        LLVMValueRef count = ir_load(ir, ir->i64, entry, offsetof(CodeCallEntry, count));
        ir_store(ir, LLVMBuildAdd(b, count, ir_long(ir, 1), ""), entry, offsetof(CodeCallEntry, count));
        ir_jump(ir, next);
        ir_at(ir, miss);
    }
    frames_runtime(p->frames, RT_count_call, (LLVMValueRef[]){site, method, entries}, 3);
    ir_jump(ir, next);
    ir_at(ir, next);
}

// Method ids differ from run to run, but equal plans must give equal code: the id is loaded.
static LLVMValueRef site_of(Probes *p, const JavaFrame *f) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef method = ir_symbol(ir, SYMBOL_METHOD, f->method);
    LLVMValueRef id = ir_load_constant(ir, ir->i32, method, ir->layout->method_id);
    LLVMValueRef high = LLVMBuildShl(b, LLVMBuildZExt(b, id, ir->i64, ""), ir_long(ir, 32), "");
    int64_t slot = probe_has_contexts(p) ? (int64_t)probe_context_slot(f) << CONTEXT_SLOT_SHIFT : 0;
    return LLVMBuildOr(b, high, ir_long(ir, slot | f->bci), "");
}

// The method's address with tags, an i64. The GEP is not "inbounds": a symbol has no size.
static LLVMValueRef tagged(Probes *p, LLVMValueRef method, LLVMValueRef tags) {
    return LLVMBuildGEP2(p->ir->builder, p->ir->i8, method, &tags, 1, "");
}

// Counts a call made by a hidden root, which knows its caller's site if compiled code called it.
static LLVMValueRef count_for_caller(Probes *p, bool counts, LLVMValueRef method) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef known = ir_block(ir, "sited"), next = ir_block(ir, "call");
    LLVMValueRef is_known = LLVMBuildICmp(b, LLVMIntNE, p->outer_site, ir_long(ir, 0), "");
    ir_branch(ir, is_known, known, next, 1);
    ir_at(ir, known);
    if (counts) count_in_cache(p, p->outer_site, method);
    ir_store(ir, p->outer_site, ir->thread, ir->layout->thread_call_site);
    ir_jump(ir, next);
    ir_at(ir, next);
    return tagged(p, method,
                  LLVMBuildSelect(b, is_known, ir_long(ir, counts ? CALL_TAGS : CALL_SITED), ir_long(ir, 0), ""));
}

// Exact code that does not count call edges passes its site to the callee, which reports the edge when it is entered.
static bool passes_sites(const Probes *p) {
    return p->frames->version.kind == VERSION_ONLY && !(p->root->counted >> EVENT_call_edge & 1);
}

// Whether sites are also passed to hidden methods, which pass them on: requires that all code is exact.
static bool reports_hidden(const Probes *p) {
    return passes_sites(p) && p->root->events & (EVENTS_CONTEXTS | EVENTS_RING);
}

static LLVMValueRef pass_site(Probes *p, const Method *m, LLVMValueRef method) {
    Ir *ir = p->ir;
    const JavaFrame *caller = calling_frame(p);
    bool hidden = m && !compiler_event_visible(m);
    EventSet events = m && !hidden ? compiler_events(m) : p->root->events;
    if (hidden && !reports_hidden(p)) return method;
    if (!caller) return p->outer_site ? count_for_caller(p, false, method) : method;
    if (!hidden && !(events >> EVENT_call_edge & 1)) return method;
    LLVMValueRef site = LLVMBuildStore(ir->builder, site_of(p, caller),
                                       ir_offset_const(ir, ir->thread, ir->layout->thread_call_site));
    ir_tag(ir, site, "event");
    return tagged(p, method, ir_long(ir, CALL_SITED));
}

static void add_one(Probes *p, LLVMValueRef base, int64_t offset) {
    Ir *ir = p->ir;
    ir_store(ir, LLVMBuildAdd(ir->builder, ir_load(ir, ir->i64, base, offset), ir_long(ir, 1), ""), base, offset);
}

// Targets with these numbers are compared one by one, so that their counters have constant addresses: the processor
// need not wait for the number if it has predicted the branches.
enum { TOLD_APART = 3 };

// The receiver selects the target. The target's number among the methods with that name and descriptor is the index of
// its counter. The VM numbers and counts targets without a counter. Hidden targets count for this site when they make
// calls.
static LLVMValueRef count_selected(Probes *p, const JavaFrame *caller, const PlanSite *ps, LLVMValueRef method) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef has = ir_block(ir, "numbered"), has_not = ir_block(ir, "no.counter"),
                      report = ir_block(ir, "report");
    LLVMBasicBlockRef left = ir_block(ir, "sited"), next = ir_block(ir, "call");
    LLVMValueRef number = ir_load(ir, ir->i32, method, ir->layout->method_selected);
    uint64_t place = (uint64_t)caller->method->id << 32 | caller->bci;
    uint32_t first = unit_selected_calls(ir->unit, place, compiler_selector(ps->site.method), ps->targets);
    LLVMValueRef distance = LLVMConstAdd(counters_distance(ir->unit, SELECTED_SYMBOL), ir_long(ir, 8 * (int64_t)first));
    LLVMValueRef counters = ir_offset(ir, ir->thread, distance);
    for (uint32_t i = 0; i < TOLD_APART && i < ps->targets; i++) {
        LLVMBasicBlockRef is = ir_block(ir, "seen"), is_not = ir_block(ir, "not.seen");
        ir_branch(ir, LLVMBuildICmp(b, LLVMIntEQ, number, ir_int(ir, i + 1), ""), is, is_not, -1);
        ir_at(ir, is);
        add_one(p, counters, 8 * (int64_t)i);
        ir_jump(ir, has);
        ir_at(ir, is_not);
    }
    LLVMBasicBlockRef indexed = ir_block(ir, "indexed");
    LLVMValueRef index = LLVMBuildSub(b, number, ir_int(ir, 1), "");
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntULT, index, ir_int(ir, ps->targets), ""), indexed, has_not, 1);
    ir_at(ir, indexed);
    LLVMValueRef bytes = LLVMBuildShl(b, LLVMBuildZExt(b, index, ir->i64, ""), ir_long(ir, 3), "");
    add_one(p, ir_offset(ir, counters, bytes), 0);
    ir_jump(ir, has);
    ir_at(ir, has);
    ir_jump(ir, next);
    ir_at(ir, has_not);
    LLVMValueRef site = site_of(p, caller);
    ir_store(ir, site, ir->thread, ir->layout->thread_call_site);
    LLVMValueRef uncounted = ir_int(ir, (int32_t)ir->layout->selected_uncounted);
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntEQ, number, uncounted, ""), left, report, 1);
    ir_at(ir, report);
    frames_runtime(p->frames, RT_count_selected, (LLVMValueRef[]){site, method}, 2);
    ir_jump(ir, left);
    ir_at(ir, left);
    ir_jump(ir, next);
    ir_at(ir, next);
    return tagged(p, method, ir_phi2(ir, ir->i64, ir_long(ir, CALL_COUNTED), has, ir_long(ir, CALL_TAGS), left));
}

LLVMValueRef probe_count_call(Probes *p, const Method *m, const PlanSite *ps, LLVMValueRef method) {
    Ir *ir = p->ir;
    if (passes_sites(p)) return pass_site(p, m, method);
    if (p->frames->version.kind != VERSION_ONLY) return method;
    const JavaFrame *caller = calling_frame(p);
    bool hidden = m && !compiler_event_visible(m), counts = !m || probe_counts_calls_of(p, m);
    if (!counts && !hidden) return method;
    if (!caller) return p->outer_site ? count_for_caller(p, counts, method) : method;
    if (counts && m) {
        count_call_edge(p, m, true);
        return tagged(p, method, ir_long(ir, CALL_COUNTED));
    }
    if (!m && ps->targets) return count_selected(p, caller, ps, method);
    LLVMValueRef site = site_of(p, caller);
    if (counts) count_in_cache(p, site, method);
    ir_store(ir, site, ir->thread, ir->layout->thread_call_site);
    return tagged(p, method, ir_long(ir, counts ? CALL_TAGS : CALL_SITED));
}

void probe_outer_site(Probes *p) {
    Ir *ir = p->ir;
    bool hidden = !compiler_event_visible(p->root->method), counted = p->root->counted >> EVENT_call_edge & 1;
    bool asks = hidden ? counted || reports_hidden(p)
                       : !counted && compiler_events(p->root->method) >> EVENT_call_edge & 1;
    if (p->frames->version.kind != VERSION_ONLY || p->root->osr_bci >= 0 || !asks) return;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef method = LLVMBuildPtrToInt(b, LLVMGetParam(ir->function, 0), ir->i64, "");
    LLVMValueRef sited = LLVMBuildAnd(b, method, ir_long(ir, CALL_SITED), "");
    LLVMValueRef site = ir_load(ir, ir->i64, ir->thread, ir->layout->thread_call_site);
    p->outer_site = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, sited, ir_long(ir, 0), ""), site, ir_long(ir, 0),
                                    "");
}

// Counts the edge to a method that is inlined into a hidden root or emitted in it as an intrinsic.
static void count_inside_for_caller(Probes *p, Method *m) {
    Ir *ir = p->ir;
    LLVMBasicBlockRef known = ir_block(ir, "sited"), walk = ir_block(ir, "not.sited"), next = ir_block(ir, "counted");
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, p->outer_site, ir_long(ir, 0), ""), known, walk, 1);
    ir_at(ir, known);
    count_in_cache(p, p->outer_site, ir_symbol(ir, SYMBOL_METHOD, m));
    ir_jump(ir, next);
    ir_at(ir, walk);
    frames_runtime(p->frames, RT_report_edge_to, (LLVMValueRef[]){ir_symbol(ir, SYMBOL_METHOD, m), ir_int(ir, 0)}, 2);
    ir_jump(ir, next);
    ir_at(ir, next);
}

static Probe call_edge(Probes *p, Method *callee, bool from_inside) {
    Ir *ir = p->ir;
    LLVMValueRef method = ir_symbol(ir, SYMBOL_METHOD, callee);
    const JavaFrame *f = from_inside ? calling_frame(p) : NULL;
    if (!f) {
        Probe probe = {RT_report_edge_to, RT_probe_edge_to, {method, ir_int(ir, !from_inside)}, 2};
        return probe;
    }
    LLVMValueRef args[] = {ir_symbol(ir, SYMBOL_METHOD, f->method), ir_int(ir, f->bci), method};
    return probe_make(p, EVENT_call_edge, args);
}

// The root's entry, where the caller may already have counted the call.
static void root_entry_probe(Probes *p, Method *m) {
    Ir *ir = p->ir;
    LLVMBasicBlockRef report = ir_block(ir, "caller"), next = ir_block(ir, "entered");
    ir_branch(ir, is_counted(p), next, report, 1);
    ir_at(ir, report);
    Probe probe = call_edge(p, m, false);
    probe_send(p, probe.report, &probe);
    ir_jump(ir, next);
    ir_at(ir, next);
}

// Reports the edge from the root's caller, if that has left its site: to the root, or to a method called inside a
// hidden root.
static void report_edge_from_outside(Probes *p, Method *m, bool from_inside) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMBasicBlockRef known = ir_block(ir, "sited"), walk = ir_block(ir, "not.sited"), next = ir_block(ir, "told");
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntNE, p->outer_site, ir_long(ir, 0), ""), known, walk, 1);
    ir_at(ir, known);
    LLVMValueRef args[] = {p->outer_site, ir_symbol(ir, SYMBOL_METHOD, m), ir_int(ir, 0)};
    if (probe_has_contexts(p)) probe_context_enter_from(p, p->outer_site, m);
    else if (!probe_ring_put_edge(p, p->outer_site, m, walk))
        ir_tag(ir, frames_runtime(p->frames, RT_edge_from, args, 3), "event");
    ir_jump(ir, next);
    ir_at(ir, walk);
    Probe probe = call_edge(p, m, from_inside);
    probe_send(p, probe.report, &probe);
    ir_jump(ir, next);
    ir_at(ir, next);
}

void probe_call(Probes *p, Method *m, bool from_inside) {
    EventSet events = compiler_events(m);
    bool counts = probe_counts_calls_of(p, m), for_caller = from_inside && p->outer_site && !calling_frame(p);
    if (counts && !from_inside) root_entry_probe(p, m);
    else if (counts && for_caller) count_inside_for_caller(p, m);
    if (counts && (!from_inside || for_caller)) events &= ~EVENT_BIT(EVENT_call_edge);
    Probe probes[2];
    enum EventId reports_of[2];
    unsigned reported = 0;
    if (events >> EVENT_method_entry & 1 && !probe_note(p, EVENT_method_entry, &m->id, 1)) {
        reports_of[reported] = EVENT_method_entry;
        probes[reported++] = probe_make(p, EVENT_method_entry, (LLVMValueRef[]){ir_symbol(p->ir, SYMBOL_METHOD, m)});
    }
    bool told = passes_sites(p) && p->outer_site && (!from_inside || !calling_frame(p)) && !(events & EVENTS_WALK);
    bool edge = events >> EVENT_call_edge & 1;
    if (edge && !told && !probe_has_contexts(p) && !count_call_edge(p, m, from_inside)) {
        reports_of[reported] = EVENT_call_edge;
        probes[reported++] = call_edge(p, m, from_inside);
    }
    for (unsigned i = 0; i < reported; i++) probe_make_walkable(&probes[i], events);
    if (reported > 0) probe_report_at(p, m, EVENT_NO_BCI, reports_of, probes, reported);
    if (edge && told) {
        report_edge_from_outside(p, m, from_inside);
    } else if (edge && probe_has_contexts(p)) {
        const JavaFrame *f = from_inside ? calling_frame(p) : NULL;
        if (f && probe_context_enter(p, f, site_of(p, f), m)) return;
        Probe probe = call_edge(p, m, from_inside);
        probe_report_together(p, &probe, 1);
    }
}

void probe_exit(Probes *p, Method *m, bool thrown) {
    Ir *ir = p->ir;
    if (compiler_events(m) >> EVENT_point_leave & 1) {
        Probe probe = probe_make(p, EVENT_point_leave, (LLVMValueRef[]){ir_symbol(ir, SYMBOL_METHOD, m)});
        probe_report_together(p, &probe, 1);
    }
    enum EventId event = thrown ? EVENT_method_unwind : EVENT_method_exit;
    if (!(compiler_events(m) >> event & 1)) return;
    if (!thrown && !probe_has_contexts(p) && probe_note(p, event, &m->id, 1)) return;
    LLVMBasicBlockRef missing = ir_block(ir, "no.frame"), next = ir_block(ir, "left");
    if (probe_has_contexts(p)) probe_context_leave(p, m, missing, next);
    else ir_jump(ir, missing);
    ir_at(ir, missing);
    Probe probe = probe_make(p, event, (LLVMValueRef[]){ir_symbol(ir, SYMBOL_METHOD, m)});
    probe_report_together(p, &probe, 1);
    ir_jump(ir, next);
    ir_at(ir, next);
}

// The event of an inlined method has the position of its caller.
void probe_entry(Probes *p) {
    JavaFrame *f = p->frames->top;
    probe_point(p);
    probe_arguments(p);
    if (f->parent) p->frames->top = f->parent;
    probe_call(p, f->method, f->parent);
    p->frames->top = f;
}
