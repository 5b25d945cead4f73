// Emits events (vm/api/events.def): calls of the VM that report them, and the sampling check of an event with a
// separate check. The table's rows determine the calls and their arguments; the plan (Plan.events) determines which
// instructions report.
#include "jit/emit/emit_core.h"

#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "bytecode/classfile/operands.h"

#include "jit/analysis/code_versions.h"
#include "vm/api/arguments.h"
#include "vm/api/calltree.h"
#include "vm/api/pointslots.h"
#include "jit/backend/counters.h"
#include "jit/emit/emit_access.h"

// The functions that report an event, and the layout of its payload.
typedef struct ProbeRow {
    enum RuntimeCallId report, probe;
    uint8_t fields;
    bool at_site;  // the payload begins with method and bytecode index of the instruction
    const char *types;  // the first letter of each field's type
} ProbeRow;

#define FIRST_LETTER(type, name) (#type)[0],
#define ONE_FIELD(type, name) +1
#define NAME_OF(type, name) #name ","
#define AT_SITE(payload) (strncmp(EVENT_EACH(NAME_OF, payload), "method,bci,", 11) == 0)
static ProbeRow row_of(enum EventId event) {
    switch (event) {
#define EVENT(id, text, payload, waits, counted, source, made_by) \
        case EVENT_##id: {                                                                                         \
            static const char types[] = {EVENT_EACH(FIRST_LETTER, payload) 0};                                     \
            return (ProbeRow){RT_report_##id, RT_probe_##id, 0 EVENT_EACH(ONE_FIELD, payload), AT_SITE(payload), types}; \
        }
#include "vm/api/events.def"
        case EVENT_COUNT: break;
    }
    abort();
}

enum { MOST_FIELDS = 7 };

// A call that reports an event, or probes for it with a check.
typedef struct Probe {
    enum RuntimeCallId report, probe;
    LLVMValueRef args[MOST_FIELDS];
    unsigned count;
} Probe;

// Whether the version being emitted reports events.
static bool reports(const Emit *e) {
    VersionKind kind = e->version.kind;
    return kind == VERSION_ONLY || kind == VERSION_DUPLICATED || kind == VERSION_UNCHECKED;
}

static bool enters_event(const PlanSite *site) {
    for (uint32_t i = 0; i < PLAN_TARGETS; i++)
        if (plan_inlined(site, i) && code_versions_call_is_event(plan_inlined(site, i)->method)) return true;
    return false;
}

// Reports are no safepoints. After a report the instruction is half done: the interpreter can neither execute it again,
// which would report twice, nor resume in its middle, and invalid code must not continue either. So a sink requests a
// wait, and the thread waits before the next instruction that reports.
void emit_wait_for_sinks(Emit *e) {
    const Plan *plan = e->frame->plan;
    uint32_t bci = e->frame->bci;
    if (!(plan->events & EVENTS_WAIT) || !reports(e)) return;
    const PlanSite *site = opcodes_info[plan->code->code[bci]].flags & OPF_INVOKE ? plan_site(plan, bci) : NULL;
    bool enters = e->ring && site && plan_inlines(site) && enters_event(site);
    if ((enters || code_versions_is_event(plan, bci)) && (!e->ring || emit_ring_needs_poll(e))) emit_poll_before(e);
}

bool emit_wants(const Emit *e, enum EventId event) {
    const EmitFrame *f = e->frame;
    return f->plan->events >> event & 1 && code_versions_events_at(f->plan, f->bci) >> event & 1;
}

// Reporting functions read nothing of the heap except the stack's methods, so code need not reload values after them.
static LLVMValueRef call(Emit *e, enum RuntimeCallId id, Probe *p) {
    LLVMValueRef result = emit_runtime(e, id, p->args, p->count);
    if (compiler_runtime_calls[id].kind != RUNTIME_CALL) emit_tag(e, result, "event");
    return result;
}

bool emit_counts(const Emit *e, enum EventId event) {
    return emit_wants(e, event) && e->version.kind == VERSION_ONLY && e->root->counted >> event & 1;
}

// Exact code counts an event with a constant payload, if it is only counted. `words` are its fields.
static bool count(Emit *e, enum EventId event, const uint32_t *words, uint32_t n) {
    if (e->version.kind != VERSION_ONLY || !(e->root->counted >> event & 1)) return false;
    unit_add_mark(e->unit, LLVMGetInsertBlock(e->builder), (uint16_t)event, words, n);
    return true;
}

// Counts the event, or writes it into the ring.
static bool note(Emit *e, enum EventId event, const uint32_t *words, uint32_t n) {
    return count(e, event, words, n) || emit_ring_put(e, event, words, n, 0, NULL, 0);
}

// Counts an event of the current instruction. Its further fields, if any, are numbers; false if one is not constant.
static bool count_here(Emit *e, enum EventId event, const LLVMValueRef *args, unsigned fields) {
    uint32_t words[MOST_FIELDS] = {e->frame->method->id, e->frame->bci}, n = 2;
    for (; n < fields; n++) {
        if (!LLVMIsAConstantInt(args[n - 2])) return false;
        words[n] = (uint32_t)LLVMConstIntGetZExtValue(args[n - 2]);
    }
    return count(e, event, words, n);
}

// Writes an event of the current instruction into the ring.
static bool put_here(Emit *e, enum EventId event, const ProbeRow *row, const LLVMValueRef *args) {
    uint32_t words[MOST_FIELDS] = {e->frame->method->id, e->frame->bci}, dynamic = 0;
    LLVMValueRef more[MOST_FIELDS];
    unsigned count = 0;
    if (!e->ring) return false;
    for (unsigned n = 2; n < row->fields; n++) {
        LLVMValueRef v = args[n - 2];
        switch (row->types[n]) {
            case 'N':  // NUMBER
                if (LLVMIsAConstantInt(v)) words[n] = (uint32_t)LLVMConstIntGetZExtValue(v);
                else dynamic |= 1u << n, more[count++] = v;
                break;
            case 'C':  // CLASS
                dynamic |= 1u << n;
                more[count] = emit_load(e, e->i32, v, e->layout->class_id);
                emit_metadata(e, more[count++], "invariant.load");
                break;
            case 'O': case 'A': more[count++] = v; break;  // OBJECT, ADDRESS
            default: return false;
        }
    }
    return emit_ring_put(e, event, words, row->fields, dynamic, more, count);
}

// If a production of the method takes the calling context, the code makes the call from which the stack can be walked.
// The three calls of an event are adjacent in vm/api/runtime_calls.def.
static void make_walkable(Probe *p, EventSet events) {
    enum { TO_WALK = RT_walk_method_entry - RT_report_method_entry };
    if (events & EVENTS_WALK) p->report = (enum RuntimeCallId)(p->report + TO_WALK);
}

// Reports the events of one moment, at least one. One check decides for all.
static void report_together(Emit *e, Probe *probes, unsigned count) {
    if (e->version.kind == VERSION_ONLY || e->version.kind == VERSION_DUPLICATED) {
        for (unsigned i = 0; i < count; i++) call(e, probes[i].report, &probes[i]);
        return;
    }
    if (e->version.kind != VERSION_UNCHECKED) return;
    LLVMBasicBlockRef slow = emit_block(e, "sample"), next = emit_block(e, "go.on");
    emit_branch(e, emit_sample_count(e), slow, next, 0);
    emit_at(e, slow);
    LLVMValueRef sample = call(e, probes[0].probe, &probes[0]);
    if (count > 1) {
        LLVMBasicBlockRef more = emit_block(e, "sampled");
        emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, sample, emit_int(e, 0), ""), more, next, -1);
        emit_at(e, more);
        for (unsigned i = 1; i < count; i++) call(e, probes[i].report, &probes[i]);
    }
    emit_jump(e, next);
    emit_at(e, next);
}

// ---- guards: counters of productions, tested inline ----

static LLVMValueRef all_hold(Emit *e, LLVMValueRef counters, uint32_t set, LLVMIntPredicate predicate, int64_t than, LLVMValueRef so_far) {
    for (; set; set &= set - 1) {
        LLVMValueRef counter = emit_load(e, e->i64, counters, __builtin_ctz(set) * (int64_t)sizeof(int64_t));
        LLVMSetVolatile(counter, true);  // reports change it
        LLVMValueRef holds = LLVMBuildICmp(e->builder, predicate, counter, emit_long(e, than), "");
        so_far = so_far ? LLVMBuildAnd(e->builder, so_far, holds, "") : holds;
    }
    return so_far;
}

// Jumps to `wanted` if one of the alternatives holds or if the thread has no counters, else to `unwanted`.
static void test_guard(Emit *e, const PlaceGuard *g, LLVMBasicBlockRef wanted, LLVMBasicBlockRef unwanted) {
    LLVMValueRef prof = emit_load(e, e->ptr, e->thread, e->layout->thread_prof);
    LLVMBasicBlockRef there = emit_block(e, "guard");
    emit_branch(e, emit_is_null(e, prof), wanted, there, 0);
    emit_at(e, there);
    LLVMValueRef counters = emit_offset_const(e, prof, e->layout->prof_counters);
    for (uint32_t i = 0; i < g->count; i++) {
        const GuardTests *t = &g->alternatives[i];
        LLVMValueRef holds = all_hold(e, counters, t->zero, LLVMIntEQ, 0, NULL);
        holds = all_hold(e, counters, t->not_zero, LLVMIntNE, 0, holds);
        holds = all_hold(e, counters, t->overflow, LLVMIntSGE, COUNTER_LIMIT, holds);
        holds = all_hold(e, counters, t->not_overflow, LLVMIntSLT, COUNTER_LIMIT, holds);
        LLVMBasicBlockRef otherwise = i + 1 < g->count ? emit_block(e, "guard") : unwanted;
        emit_branch(e, holds, wanted, otherwise, 0);
        if (i + 1 < g->count) emit_at(e, otherwise);
    }
}

// Reports the events of one moment at a place of `m`, after the guard that they share. Events with separate checks have
// no guard, because those checks must be made in any case.
static void report_at(Emit *e, const Method *m, int32_t bci, const enum EventId *events, Probe *probes, unsigned count) {
    PlaceGuard guard;
    bool guarded = e->version.kind == VERSION_ONLY || e->version.kind == VERSION_DUPLICATED;
    for (unsigned i = 0; guarded && i < count; i++) guarded = compiler_guard_at(m, bci, events[i], &guard);
    if (!guarded) {
        report_together(e, probes, count);
        return;
    }
    LLVMBasicBlockRef wanted = emit_block(e, "wanted"), next = emit_block(e, "unwanted");
    test_guard(e, &guard, wanted, next);
    emit_at(e, wanted);
    report_together(e, probes, count);
    emit_jump(e, next);
    emit_at(e, next);
}

static Probe make(Emit *e, enum EventId event, const LLVMValueRef *args) {
    ProbeRow row = row_of(event);
    Probe p = {.report = row.report, .probe = row.probe};
    if (row.at_site) {
        p.args[p.count++] = emit_symbol(e, SYMBOL_METHOD, e->frame->method);
        p.args[p.count++] = emit_int(e, e->frame->bci);
    }
    for (; p.count < row.fields; p.count++) p.args[p.count] = *args++;
    return p;
}

void emit_probe(Emit *e, enum EventId event, const LLVMValueRef *args) {
    if (!emit_wants(e, event)) return;
    ProbeRow row = row_of(event);
    if (row.at_site && (count_here(e, event, args, row.fields) || put_here(e, event, &row, args))) return;
    Probe p = make(e, event, args);
    make_walkable(&p, e->frame->plan->events);
    report_at(e, e->frame->method, (int32_t)e->frame->bci, &event, &p, 1);
}

void emit_report(Emit *e, enum EventId event, const LLVMValueRef *args) {
    ProbeRow row = row_of(event);
    Probe p = {.report = row.report, .probe = row.probe, .count = row.fields};
    memcpy(p.args, args, row.fields * sizeof *args);
    report_together(e, &p, 1);
}

// ---- events whose payload needs more than an operand ----

// The frame that makes a call at the current instruction of e->frame: the innermost visible one. NULL: only the stack
// shows it.
static const EmitFrame *calling_frame(const Emit *e) {
    const EmitFrame *f = e->frame;
    while (f && !compiler_event_visible(f->method)) f = f->parent;
    return f;
}

static bool count_call_edge(Emit *e, const Method *callee, bool from_inside) {
    const EmitFrame *f = from_inside ? calling_frame(e) : NULL;
    return f && note(e, EVENT_call_edge, (uint32_t[]){f->method->id, f->bci, callee->id}, 3);
}

bool emit_counts_calls_of(const Emit *e, const Method *m) {
    return e->version.kind == VERSION_ONLY && e->root->counted >> EVENT_call_edge & 1 &&
           compiler_events(m) >> EVENT_call_edge & 1;
}

// i1: the caller has counted the call of the root.
static LLVMValueRef is_counted(Emit *e) {
    LLVMValueRef method = LLVMBuildPtrToInt(e->builder, LLVMGetParam(e->function, 0), e->i64, "");
    return LLVMBuildTrunc(e->builder, method, e->i1, "");
}

LLVMBasicBlockRef emit_not_entered(Emit *e, LLVMBasicBlockRef unwind) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), out = emit_block(e, "not.entered"), undo = emit_block(e, "undo");
    emit_at(e, out);
    emit_branch(e, is_counted(e), undo, unwind, -1);
    emit_at(e, undo);
    emit_runtime(e, RT_undo_call, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, e->root->method)}, 1);
    emit_jump(e, unwind);
    emit_at(e, here);
    return out;
}

// Looks up the target, and a site that is not constant, in the inline cache. The VM counts a miss.
static void count_in_cache(Emit *e, LLVMValueRef site, LLVMValueRef method) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef next = emit_block(e, "call");
    LLVMValueRef first = emit_long(e, (int64_t)e->unit->calls++ * CALL_ENTRIES * (int64_t)sizeof(CodeCallEntry));
    LLVMValueRef entries = emit_offset(e, e->thread, LLVMConstAdd(counters_distance(e->unit, CALLS_SYMBOL), first));
    LLVMValueRef id = emit_load(e, e->i32, method, e->layout->method_id);
    for (int i = 0; i < CALL_ENTRIES; i++) {
        LLVMBasicBlockRef hit = emit_block(e, "seen"), miss = emit_block(e, "not.seen");
        LLVMValueRef entry = emit_offset_const(e, entries, i * (int64_t)sizeof(CodeCallEntry));
        LLVMValueRef its = emit_load(e, e->i32, entry, offsetof(CodeCallEntry, method));
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, its, id, "");
        if (site == e->outer_site) {
            LLVMValueRef from = emit_load(e, e->i64, entry, offsetof(CodeCallEntry, site));
            is = LLVMBuildAnd(b, is, LLVMBuildICmp(b, LLVMIntEQ, from, site, ""), "");
        }
        emit_branch(e, is, hit, miss, 1);
        emit_at(e, hit);
        LLVMValueRef count = emit_load(e, e->i64, entry, offsetof(CodeCallEntry, count));
        emit_store(e, LLVMBuildAdd(b, count, emit_long(e, 1), ""), entry, offsetof(CodeCallEntry, count));
        emit_jump(e, next);
        emit_at(e, miss);
    }
    emit_runtime(e, RT_count_call, (LLVMValueRef[]){site, method, entries}, 3);
    emit_jump(e, next);
    emit_at(e, next);
}

// Method ids differ from run to run, but equal plans must give equal code: the id is loaded.
static LLVMValueRef site_of(Emit *e, const EmitFrame *f) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef id = emit_load(e, e->i32, emit_symbol(e, SYMBOL_METHOD, f->method), e->layout->method_id);
    emit_metadata(e, id, "invariant.load");
    LLVMValueRef high = LLVMBuildShl(b, LLVMBuildZExt(b, id, e->i64, ""), emit_long(e, 32), "");
    int64_t slot = emit_has_contexts(e) ? (int64_t)emit_context_slot(f) << CONTEXT_SLOT_SHIFT : 0;
    return LLVMBuildOr(b, high, emit_long(e, slot | f->bci), "");
}

// The method's address with tags, an i64. The GEP is not "inbounds": a symbol has no size.
static LLVMValueRef tagged(Emit *e, LLVMValueRef method, LLVMValueRef tags) {
    return LLVMBuildGEP2(e->builder, e->i8, method, &tags, 1, "");
}

// Counts a call made by a hidden root, which knows its caller's site if compiled code called it.
static LLVMValueRef count_for_caller(Emit *e, bool counts, LLVMValueRef method) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef known = emit_block(e, "sited"), next = emit_block(e, "call");
    LLVMValueRef is_known = LLVMBuildICmp(b, LLVMIntNE, e->outer_site, emit_long(e, 0), "");
    emit_branch(e, is_known, known, next, 1);
    emit_at(e, known);
    if (counts) count_in_cache(e, e->outer_site, method);
    emit_store(e, e->outer_site, e->thread, e->layout->thread_call_site);
    emit_jump(e, next);
    emit_at(e, next);
    return tagged(e, method, LLVMBuildSelect(b, is_known, emit_long(e, counts ? CALL_TAGS : CALL_SITED), emit_long(e, 0), ""));
}

// Exact code that does not count call edges passes its site to the callee, which reports the edge when it is entered.
static bool tells_sites(const Emit *e) {
    return e->version.kind == VERSION_ONLY && !(e->root->counted >> EVENT_call_edge & 1);
}

// Whether sites are also passed to hidden methods, which pass them on: requires that all code is exact.
static bool tells_hidden(const Emit *e) { return tells_sites(e) && e->root->events & (EVENTS_CONTEXTS | EVENTS_RING); }

static LLVMValueRef tell_site(Emit *e, const Method *m, LLVMValueRef method) {
    const EmitFrame *caller = calling_frame(e);
    bool hidden = m && !compiler_event_visible(m);
    EventSet events = m && !hidden ? compiler_events(m) : e->root->events;
    if (hidden && !tells_hidden(e)) return method;
    if (!caller) return e->outer_site ? count_for_caller(e, false, method) : method;
    if (!hidden && !(events >> EVENT_call_edge & 1)) return method;
    LLVMValueRef site = LLVMBuildStore(e->builder, site_of(e, caller), emit_offset_const(e, e->thread, e->layout->thread_call_site));
    emit_tag(e, site, "event");
    return tagged(e, method, emit_long(e, CALL_SITED));
}

static void add_one(Emit *e, LLVMValueRef base, int64_t offset) {
    emit_store(e, LLVMBuildAdd(e->builder, emit_load(e, e->i64, base, offset), emit_long(e, 1), ""), base, offset);
}

// Targets with these numbers are compared one by one, so that their counters have constant addresses: the processor
// need not wait for the number if it has predicted the branches.
enum { TOLD_APART = 3 };

// The receiver selects the target. The target's number among the methods with that name and descriptor is the index of
// its counter. The VM numbers and counts targets without a counter. Hidden targets count for this site when they make
// calls.
static LLVMValueRef count_selected(Emit *e, const EmitFrame *caller, const PlanSite *ps, LLVMValueRef method) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef has = emit_block(e, "numbered"), has_not = emit_block(e, "no.counter"), report = emit_block(e, "report");
    LLVMBasicBlockRef left = emit_block(e, "sited"), next = emit_block(e, "call");
    LLVMValueRef number = emit_load(e, e->i32, method, e->layout->method_selected);
    uint64_t place = (uint64_t)caller->method->id << 32 | caller->bci;
    uint32_t first = unit_selected_calls(e->unit, place, compiler_selector(ps->site.method), ps->targets);
    LLVMValueRef distance = LLVMConstAdd(counters_distance(e->unit, SELECTED_SYMBOL), emit_long(e, 8 * (int64_t)first));
    LLVMValueRef counters = emit_offset(e, e->thread, distance);
    for (uint32_t i = 0; i < TOLD_APART && i < ps->targets; i++) {
        LLVMBasicBlockRef is = emit_block(e, "seen"), is_not = emit_block(e, "not.seen");
        emit_branch(e, LLVMBuildICmp(b, LLVMIntEQ, number, emit_int(e, i + 1), ""), is, is_not, -1);
        emit_at(e, is);
        add_one(e, counters, 8 * (int64_t)i);
        emit_jump(e, has);
        emit_at(e, is_not);
    }
    LLVMBasicBlockRef indexed = emit_block(e, "indexed");
    LLVMValueRef index = LLVMBuildSub(b, number, emit_int(e, 1), "");
    emit_branch(e, LLVMBuildICmp(b, LLVMIntULT, index, emit_int(e, ps->targets), ""), indexed, has_not, 1);
    emit_at(e, indexed);
    LLVMValueRef bytes = LLVMBuildShl(b, LLVMBuildZExt(b, index, e->i64, ""), emit_long(e, 3), "");
    add_one(e, emit_offset(e, counters, bytes), 0);
    emit_jump(e, has);
    emit_at(e, has);
    emit_jump(e, next);
    emit_at(e, has_not);
    LLVMValueRef site = site_of(e, caller);
    emit_store(e, site, e->thread, e->layout->thread_call_site);
    LLVMValueRef uncounted = emit_int(e, (int32_t)e->layout->selected_uncounted);
    emit_branch(e, LLVMBuildICmp(b, LLVMIntEQ, number, uncounted, ""), left, report, 1);
    emit_at(e, report);
    emit_runtime(e, RT_count_selected, (LLVMValueRef[]){site, method}, 2);
    emit_jump(e, left);
    emit_at(e, left);
    emit_jump(e, next);
    emit_at(e, next);
    return tagged(e, method, emit_phi2(e, e->i64, emit_long(e, CALL_COUNTED), has, emit_long(e, CALL_TAGS), left));
}

LLVMValueRef emit_count_call(Emit *e, const Method *m, const PlanSite *ps, LLVMValueRef method) {
    if (tells_sites(e)) return tell_site(e, m, method);
    if (e->version.kind != VERSION_ONLY) return method;
    const EmitFrame *caller = calling_frame(e);
    bool hidden = m && !compiler_event_visible(m), counts = !m || emit_counts_calls_of(e, m);
    if (!counts && !hidden) return method;
    if (!caller) return e->outer_site ? count_for_caller(e, counts, method) : method;
    if (counts && m) {
        count_call_edge(e, m, true);
        return tagged(e, method, emit_long(e, CALL_COUNTED));
    }
    if (!m && ps->targets) return count_selected(e, caller, ps, method);
    LLVMValueRef site = site_of(e, caller);
    if (counts) count_in_cache(e, site, method);
    emit_store(e, site, e->thread, e->layout->thread_call_site);
    return tagged(e, method, emit_long(e, counts ? CALL_TAGS : CALL_SITED));
}

void emit_outer_site(Emit *e) {
    bool hidden = !compiler_event_visible(e->root->method), counted = e->root->counted >> EVENT_call_edge & 1;
    bool asks = hidden ? counted || tells_hidden(e) : !counted && compiler_events(e->root->method) >> EVENT_call_edge & 1;
    if (e->version.kind != VERSION_ONLY || e->root->osr_bci >= 0 || !asks) return;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef method = LLVMBuildPtrToInt(b, LLVMGetParam(e->function, 0), e->i64, "");
    LLVMValueRef sited = LLVMBuildAnd(b, method, emit_long(e, CALL_SITED), "");
    LLVMValueRef site = emit_load(e, e->i64, e->thread, e->layout->thread_call_site);
    e->outer_site = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, sited, emit_long(e, 0), ""), site, emit_long(e, 0), "");
}

// Counts the edge to a method that is inlined into a hidden root or emitted in it as an intrinsic.
static void count_inside_for_caller(Emit *e, Method *m) {
    LLVMBasicBlockRef known = emit_block(e, "sited"), walk = emit_block(e, "not.sited"), next = emit_block(e, "counted");
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, e->outer_site, emit_long(e, 0), ""), known, walk, 1);
    emit_at(e, known);
    count_in_cache(e, e->outer_site, emit_symbol(e, SYMBOL_METHOD, m));
    emit_jump(e, next);
    emit_at(e, walk);
    emit_runtime(e, RT_report_edge_to, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, m), emit_int(e, 0)}, 2);
    emit_jump(e, next);
    emit_at(e, next);
}

static Probe call_edge(Emit *e, Method *callee, bool from_inside) {
    LLVMValueRef method = emit_symbol(e, SYMBOL_METHOD, callee);
    const EmitFrame *f = from_inside ? calling_frame(e) : NULL;
    if (!f) {
        Probe p = {RT_report_edge_to, RT_probe_edge_to, {method, emit_int(e, !from_inside)}, 2};
        return p;
    }
    LLVMValueRef args[] = {emit_symbol(e, SYMBOL_METHOD, f->method), emit_int(e, f->bci), method};
    return make(e, EVENT_call_edge, args);
}

// The root's entry, where the caller may already have counted the call.
static void root_entry_probe(Emit *e, Method *m) {
    LLVMBasicBlockRef report = emit_block(e, "caller"), next = emit_block(e, "entered");
    emit_branch(e, is_counted(e), next, report, 1);
    emit_at(e, report);
    Probe p = call_edge(e, m, false);
    call(e, p.report, &p);
    emit_jump(e, next);
    emit_at(e, next);
}

// Reports the edge from the root's caller, if that has left its site: to the root, or to a method called inside a
// hidden root.
static void report_edge_from_outside(Emit *e, Method *m, bool from_inside) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef known = emit_block(e, "sited"), walk = emit_block(e, "not.sited"), next = emit_block(e, "told");
    emit_branch(e, LLVMBuildICmp(b, LLVMIntNE, e->outer_site, emit_long(e, 0), ""), known, walk, 1);
    emit_at(e, known);
    LLVMValueRef args[] = {e->outer_site, emit_symbol(e, SYMBOL_METHOD, m), emit_int(e, 0)};
    if (emit_has_contexts(e)) emit_context_enter_from(e, e->outer_site, m);
    else if (!emit_ring_put_edge(e, e->outer_site, m, walk))
        emit_tag(e, emit_runtime(e, RT_edge_from, args, 3), "event");
    emit_jump(e, next);
    emit_at(e, walk);
    Probe p = call_edge(e, m, from_inside);
    call(e, p.report, &p);
    emit_jump(e, next);
    emit_at(e, next);
}

// Reports the edge from the current instruction, if the frame that makes the call is known.
static bool enter_context(Emit *e, const Method *callee, bool from_inside) {
    const EmitFrame *f = from_inside && emit_has_contexts(e) ? calling_frame(e) : NULL;
    return f && emit_context_enter(e, f, site_of(e, f), callee);
}

void emit_call_probe(Emit *e, Method *m, bool from_inside) {
    EventSet events = compiler_events(m);
    bool counts = emit_counts_calls_of(e, m), for_caller = from_inside && e->outer_site && !calling_frame(e);
    if (counts && !from_inside) root_entry_probe(e, m);
    else if (counts && for_caller) count_inside_for_caller(e, m);
    if (counts && (!from_inside || for_caller)) events &= ~EVENT_BIT(EVENT_call_edge);
    Probe probes[2];
    enum EventId reports_of[2];
    unsigned reported = 0;
    if (events >> EVENT_method_entry & 1 && !note(e, EVENT_method_entry, &m->id, 1)) {
        reports_of[reported] = EVENT_method_entry;
        probes[reported++] = make(e, EVENT_method_entry, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, m)});
    }
    bool told = tells_sites(e) && e->outer_site && (!from_inside || !calling_frame(e)) && !(events & EVENTS_WALK);
    bool edge = events >> EVENT_call_edge & 1;
    if (edge && !told && !emit_has_contexts(e) && !count_call_edge(e, m, from_inside)) {
        reports_of[reported] = EVENT_call_edge;
        probes[reported++] = call_edge(e, m, from_inside);
    }
    for (unsigned i = 0; i < reported; i++) make_walkable(&probes[i], events);
    if (reported > 0) report_at(e, m, EVENT_NO_BCI, reports_of, probes, reported);
    if (edge && told) report_edge_from_outside(e, m, from_inside);
    else if (edge && emit_has_contexts(e) && !enter_context(e, m, from_inside)) {
        Probe p = call_edge(e, m, from_inside);
        report_together(e, &p, 1);
    }
}

void emit_exit_probe(Emit *e, Method *m, bool thrown) {
    if (compiler_events(m) >> EVENT_point_leave & 1) {
        Probe p = make(e, EVENT_point_leave, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, m)});
        report_together(e, &p, 1);
    }
    enum EventId event = thrown ? EVENT_method_unwind : EVENT_method_exit;
    if (!(compiler_events(m) >> event & 1)) return;
    if (!thrown && !emit_has_contexts(e) && note(e, event, &m->id, 1)) return;
    LLVMBasicBlockRef missing = emit_block(e, "no.frame"), next = emit_block(e, "left");
    if (emit_has_contexts(e)) emit_context_leave(e, m, missing, next);
    else emit_jump(e, missing);
    emit_at(e, missing);
    Probe p = make(e, event, (LLVMValueRef[]){emit_symbol(e, SYMBOL_METHOD, m)});
    report_together(e, &p, 1);
    emit_jump(e, next);
    emit_at(e, next);
}

void emit_point_probe(Emit *e) {
    Method *m = e->frame->method;
    int32_t slots[POINT_OBJECTS];
    Probe p = {.report = RT_report_point, .probe = RT_probe_point, .args = {emit_symbol(e, SYMBOL_METHOD, m)}, .count = 1};
    if (!(compiler_events(m) >> EVENT_point_enter & 1)) return;
    point_slots(m->desc->text, method_is_static(m), slots);
    for (int i = 0; i < POINT_OBJECTS; i++)
        p.args[p.count++] = slots[i] < 0 ? emit_null(e) : emit_load_local(e, (uint32_t)slots[i], KIND_REF);
    if (e->version.kind != VERSION_ONLY || slots[POINT_RECEIVER] < 0) {
        report_together(e, &p, 1);
        return;
    }
    LLVMBasicBlockRef report = emit_block(e, "point"), next = emit_block(e, "taken");
    LLVMValueRef taken = emit_runtime(e, RT_point_taken, p.args, 3);
    emit_tag(e, taken, "event");
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntNE, taken, emit_int(e, 0), ""), next, report, 1);
    emit_at(e, report);
    report_together(e, &p, 1);
    emit_jump(e, next);
    emit_at(e, next);
}

void emit_locked_probe(Emit *e, Method *m) {
    uint32_t words[] = {m->id, (uint32_t)EVENT_NO_BCI};
    if (!(compiler_events(m) >> EVENT_monitor_entered & 1) || count(e, EVENT_monitor_entered, words, 2)) return;
    Probe p = {RT_report_monitor_entered, RT_probe_monitor_entered,
               {emit_symbol(e, SYMBOL_METHOD, m), emit_int(e, EVENT_NO_BCI)}, 2};
    report_together(e, &p, 1);
}

// The variable's cell (Stamps).
static LLVMValueRef stamp_cell(Emit *e, LLVMValueRef events, char type, LLVMValueRef address) {
    unsigned size = type == 'Z' || type == 'B' ? 3 : type == 'C' || type == 'S' ? 2 : type == 'I' || type == 'F' ? 1 : 0;
    int64_t stamps = offsetof(EventThread, stamps);
    LLVMValueRef mask = emit_load_constant(e, e->i64, events, stamps + (int64_t)offsetof(Stamps, mask));
    LLVMValueRef cells = emit_load_constant(e, e->ptr, events, stamps + (int64_t)(offsetof(Stamps, cells) + size * sizeof(char *)));
    LLVMValueRef at = LLVMBuildAnd(e->builder, LLVMBuildPtrToInt(e->builder, address, e->i64, ""), mask, "");
    LLVMValueRef cell = emit_load(e, e->i64, emit_offset(e, cells, LLVMBuildShl(e->builder, at, emit_long(e, size + 1), "")), 0);
    LLVMSetOrdering(cell, LLVMAtomicOrderingUnordered);
    LLVMSetAlignment(cell, 8);
    emit_tag(e, cell, "event");
    return cell;
}

// i1: the thread's stamp is in the cell, so the access is nothing new.
static LLVMValueRef is_stamped(Emit *e, char type, bool put, LLVMValueRef address) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef events = emit_load_constant(e, e->ptr, e->thread, e->layout->thread_stamper);
    LLVMValueRef cell = stamp_cell(e, events, type, address);
    LLVMValueRef stamp = emit_load(e, e->i32, events, offsetof(EventThread, stamp));
    emit_tag(e, stamp, "event");
    if (put) return LLVMBuildICmp(b, LLVMIntEQ, cell, LLVMBuildShl(b, LLVMBuildZExt(b, stamp, e->i64, ""), emit_long(e, 32), ""), "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, cell, emit_long(e, 32), ""), e->i32, "");
    LLVMValueRef written = LLVMBuildICmp(b, LLVMIntEQ, high, stamp, "");
    LLVMValueRef read = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildTrunc(b, cell, e->i32, ""), stamp, "");
    return LLVMBuildOr(b, written, read, "");
}

void emit_shared_probe(Emit *e, Field *f, char type, bool put, LLVMValueRef object, LLVMValueRef address) {
    if (!emit_wants(e, EVENT_shared_access) || !reports(e) || (f && f->flags & ACC_VOLATILE)) return;
    LLVMValueRef args[] = {emit_int(e, put), f ? emit_symbol(e, SYMBOL_FIELD, f) : emit_null(e), emit_int(e, type),
                           object ? object : emit_null(e), address};
    if (e->version.kind == VERSION_UNCHECKED || e->ring) {
        emit_probe(e, EVENT_shared_access, args);
        return;
    }
    LLVMBasicBlockRef tell = emit_block(e, "access"), next = emit_block(e, "stamped");
    if (e->root->events & EVENTS_STAMPED) emit_branch(e, is_stamped(e, type, put, address), next, tell, 1);
    else emit_jump(e, tell);
    emit_at(e, tell);
    Probe p = make(e, EVENT_shared_access, args);
    emit_tag(e, emit_runtime(e, RT_access, p.args, p.count), "event");
    emit_jump(e, next);
    emit_at(e, next);
}

void emit_sync(Emit *e, enum EventId event, const Field *f, LLVMValueRef address) {
    if (!emit_wants(e, event)) return;
    LLVMValueRef object = f->flags & ACC_STATIC ? emit_null(e) : emit_offset_const(e, address, -(int64_t)f->offset);
    enum RuntimeCallId id = event == EVENT_sync_acquire ? RT_report_sync_acquire : RT_report_sync_release;
    emit_tag(e, emit_runtime(e, id, (LLVMValueRef[]){object, address}, 2), "event");
}

void emit_field_probe(Emit *e, Field *f, bool put, LLVMValueRef object) {
    LLVMValueRef at = object ? emit_offset_const(e, object, f->offset) : emit_symbol(e, SYMBOL_STATIC, f);
    emit_shared_probe(e, f, f->type, put, object, at);
    if (!emit_wants(e, EVENT_field_access)) return;
    uint32_t words[] = {e->frame->method->id, e->frame->bci, compiler_field_id(f), put};
    if (count(e, EVENT_field_access, words, 4)) return;
    LLVMValueRef address = object ? emit_offset_const(e, object, f->offset) : emit_symbol(e, SYMBOL_STATIC, f);
    LLVMValueRef more[] = {object ? object : emit_null(e), address};
    if (emit_ring_put(e, EVENT_field_access, words, 4, 0, more, 2)) return;
    emit_probe(e, EVENT_field_access, (LLVMValueRef[]){emit_symbol(e, SYMBOL_FIELD, f), emit_int(e, put),
                                                       object ? object : emit_null(e), address});
}

// Converts a value to its form in an event's payload (VALUE).
static LLVMValueRef bits_of(Emit *e, LLVMValueRef v) {
    LLVMTypeRef type = LLVMTypeOf(v);
    if (type == e->ptr) return LLVMBuildPtrToInt(e->builder, v, e->i64, "");
    if (type == e->i32) return LLVMBuildSExt(e->builder, v, e->i64, "");
    if (type == e->f32) return LLVMBuildZExt(e->builder, LLVMBuildBitCast(e->builder, v, e->i32, ""), e->i64, "");
    return type == e->f64 ? LLVMBuildBitCast(e->builder, v, e->i64, "") : v;
}

void emit_value_probe(Emit *e, LLVMValueRef v) {
    if (!emit_wants(e, EVENT_value)) return;
    v = bits_of(e, v);
    emit_probe(e, EVENT_value, &v);
}

void emit_result_probe(Emit *e) {
    if (!emit_wants(e, EVENT_result)) return;
    LLVMValueRef v = bits_of(e, emit_peek(e, 0).v);
    emit_probe(e, EVENT_result, &v);
}

void emit_returned_probe(Emit *e, LLVMValueRef v) {
    if (!emit_wants(e, EVENT_returned) || e->frame->lock_depth) return;  // the interpreter executes the return
    v = bits_of(e, v);
    emit_probe(e, EVENT_returned, &v);
}

void emit_argument_probes(Emit *e) {
    Method *m = e->frame->method;
    Probe probes[ARGUMENTS_REPORTED];
    unsigned count = 0;
    if (!(compiler_events(m) >> EVENT_argument & 1)) return;
    Argument a = arguments_begin(m->desc->text, method_is_static(m));
    while (count < ARGUMENTS_REPORTED && arguments_next(&a)) {
        char kind = a.type == 'A' ? KIND_REF : strchr("ZBCS", a.type) ? KIND_INT : a.type;
        LLVMValueRef v = emit_load_local(e, (uint32_t)a.slot, kind);
        LLVMValueRef args[] = {emit_symbol(e, SYMBOL_METHOD, m), emit_int(e, (int)count), bits_of(e, v)};
        probes[count++] = make(e, EVENT_argument, args);
    }
    if (count) report_together(e, probes, count);
}

void emit_instruction_probe(Emit *e, const LLVMValueRef *operands, unsigned count) {
    LLVMValueRef args[INSTRUCTION_OPERANDS];
    if (!emit_wants(e, EVENT_instruction)) return;
    for (unsigned i = 0; i < INSTRUCTION_OPERANDS; i++) args[i] = i < count ? bits_of(e, operands[i]) : emit_long(e, 0);
    emit_probe(e, EVENT_instruction, args);
}

void emit_assigned_probes(Emit *e, char kind, LLVMValueRef v, LLVMValueRef before) {
    Method *m = e->frame->method;
    uint16_t locals[SCALAR_LOCALS];
    Probe probes[SCALAR_LOCALS + 2];
    enum EventId events[SCALAR_LOCALS + 2];
    unsigned count = 0;
    if (!emit_wants(e, EVENT_scalar_pair) || kind == KIND_RETURN) return;
    unsigned local_count = compiler_partners_at(m, (int32_t)e->frame->bci, locals);
    LLVMValueRef value = bits_of(e, v);
    probes[count++] = make(e, EVENT_scalar_pair, (LLVMValueRef[]){emit_int(e, SCALAR_VALUE), value, emit_long(e, 0)});
    for (unsigned i = 0; i < local_count; i++)
        probes[count++] = make(e, EVENT_scalar_pair, (LLVMValueRef[]){emit_int(e, (int)i), value, bits_of(e, emit_load_local(e, locals[i], kind))});
    if (before) probes[count++] = make(e, EVENT_scalar_pair, (LLVMValueRef[]){emit_int(e, SCALAR_BEFORE), value, bits_of(e, before)});
    for (unsigned i = 0; i < count; i++) events[i] = EVENT_scalar_pair;
    report_at(e, m, (int32_t)e->frame->bci, events, probes, count);
}

// Whether the instruction leaves the code. The interpreter then executes and reports it.
static bool is_left_to_interpreter(const Emit *e, unsigned opcode) {
    const EmitFrame *f = e->frame;
    unsigned flags = opcodes_info[opcode].flags;
    const PlanSite *site = flags & OPF_CP ? plan_site(f->plan, f->bci) : NULL;
    if (opcode == OPC_ldc || opcode == OPC_ldc_w || opcode == OPC_ldc2_w) return site && site->site.kind == SITE_UNRESOLVED;
    if (flags & OPF_RETURN && f->lock_depth) return true;
    return flags & OPF_CP && (!site || site->site.kind == SITE_UNRESOLVED);
}

void emit_instruction_here(Emit *e, unsigned opcode) {
    LLVMValueRef values[INSTRUCTION_OPERANDS];
    Operands operands;
    unsigned flags = opcodes_info[opcode].flags;
    bool initializes = flags & OPF_INVOKE || opcode == OPC_getstatic || opcode == OPC_putstatic || opcode == OPC_new;
    if (initializes || !emit_wants(e, EVENT_instruction) || is_left_to_interpreter(e, opcode)) return;
    operands_of(e->frame->method->cls->file, e->frame->plan->code->code, (uint32_t)e->frame->bci, &operands);
    unsigned count = operands.count < INSTRUCTION_OPERANDS ? operands.count : INSTRUCTION_OPERANDS;
    for (unsigned i = 0; i < count; i++) values[i] = emit_peek(e, operands.count - 1 - i).v;
    emit_instruction_probe(e, values, count);
}

void emit_receiver_probe(Emit *e, LLVMValueRef receiver) {
    if (emit_wants(e, EVENT_receiver)) emit_probe(e, EVENT_receiver, (LLVMValueRef[]){emit_class_of(e, receiver)});
}

void emit_new_probe(Emit *e, LLVMValueRef object, unsigned depth) {
    if (!emit_wants(e, EVENT_allocation)) return;
    Probe p = {RT_report_new, RT_probe_new, {emit_symbol(e, SYMBOL_METHOD, e->frame->method),
               emit_int(e, e->frame->bci), object, emit_int(e, depth)}, 4};
    make_walkable(&p, e->frame->plan->events);
    enum EventId event = EVENT_allocation;
    report_at(e, e->frame->method, (int32_t)e->frame->bci, &event, &p, 1);
}

LLVMBasicBlockRef emit_edge_probes(Emit *e, uint32_t successor, LLVMBasicBlockRef to) {
    const Dataflow *flow = e->frame->plan->flow;
    uint32_t block = flow->edges[flow->blocks[e->frame->block].first_succ + successor];
    if (!emit_wants(e, EVENT_backedge) || flow->blocks[block].start > (uint32_t)e->frame->bci) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "backedge");
    emit_at(e, edge);
    emit_probe(e, EVENT_backedge, NULL);
    emit_jump(e, to);
    emit_at(e, here);
    return edge;
}

LLVMBasicBlockRef emit_branch_edge(Emit *e, uint32_t successor, uint32_t number, LLVMBasicBlockRef to) {
    to = emit_edge_probes(e, successor, emit_path_edge(e, number, to));
    if (!emit_wants(e, EVENT_branch) || !reports(e)) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "decided");
    emit_at(e, edge);
    emit_probe(e, EVENT_branch, (LLVMValueRef[]){emit_int(e, number)});
    emit_jump(e, to);
    emit_at(e, here);
    return edge;
}
