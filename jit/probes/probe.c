// Common parts of all events: whether one is wanted, counted or written into the ring; guards; the reporting calls.
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/probes/probes_internal.h"

// The functions that report an event, and the layout of its payload.
typedef struct ProbeRow {
    enum RuntimeCallId report, probe;
    uint8_t fields;
    bool at_site;       // the payload begins with method and bytecode index of the instruction
    const char *types;  // the first letter of each field's type
} ProbeRow;

#define FIRST_LETTER(type, name) (#type)[0],
#define ONE_FIELD(type, name) +1
#define NAME_OF(type, name) #name ","
#define AT_SITE(payload) (strncmp(EVENT_EACH(NAME_OF, payload), "method,bci,", 11) == 0)
static ProbeRow row_of(enum EventId event) {
    switch (event) {
#define EVENT(id, text, payload, waits, counted, source, made_by)                          \
    case EVENT_##id: {                                                                     \
        static const char types[] = {EVENT_EACH(FIRST_LETTER, payload) 0};                 \
        enum { FIELDS = 0 EVENT_EACH(ONE_FIELD, payload) };                                \
        return (ProbeRow){RT_report_##id, RT_probe_##id, FIELDS, AT_SITE(payload), types}; \
    }
#include "vm/api/events.def"
        case EVENT_COUNT: break;
    }
    abort();
}

// ---- where --------------------------------------------------------------------------------------

// Whether the version being emitted reports events.
bool probe_reports(const Probes *p) {
    VersionKind kind = p->frames->version.kind;
    return kind == VERSION_ONLY || kind == VERSION_DUPLICATED || kind == VERSION_UNCHECKED;
}

bool probe_wants(const Probes *p, enum EventId event) {
    const JavaFrame *f = p->frames->top;
    return f->plan->events >> event & 1 && code_versions_events_at(f->plan, f->bci) >> event & 1;
}

bool probe_counts(const Probes *p, enum EventId event) {
    return probe_wants(p, event) && p->frames->version.kind == VERSION_ONLY && p->root->counted >> event & 1;
}

// Reports are no safepoints. After a report the instruction is half done: the interpreter can neither execute it again,
// which would report twice, nor resume in its middle, and invalid code must not continue either. So a sink requests a
// wait, and the thread waits before the next instruction that reports.
bool probe_waits_for_sinks(Probes *p) {
    const Plan *plan = p->frames->top->plan;
    uint32_t bci = p->frames->top->bci;
    if (!(plan->events & EVENTS_WAIT) || !probe_reports(p)) return false;
    const PlanSite *site = opcodes_info[plan->code->code[bci]].flags & OPF_INVOKE ? plan_site(plan, bci) : NULL;
    bool enters = false;  // an inlined method whose entry is an event
    for (uint32_t i = 0; p->ring && site && i < PLAN_TARGETS; i++)
        enters |= plan_inlined(site, i) && code_versions_call_is_event(plan_inlined(site, i)->method);
    return (enters || code_versions_is_event(plan, bci)) && (!p->ring || probe_ring_needs_poll(p));
}

LLVMValueRef probe_check(Probes *p) {
    Ir *ir = p->ir;
    const LoopBudget *loop = p->frames->version.loop;
    LLVMValueRef budget = frames_budget_here(p->frames), left = LLVMBuildSub(ir->builder, budget, ir_int(ir, 1), "");
    if (loop) LLVMBuildStore(ir->builder, left, loop->slot);
    else frames_budget_set(p->frames, left);
    return LLVMBuildICmp(ir->builder, LLVMIntSLT, left, ir_int(ir, 0), "");
}

// ---- counts and words ---------------------------------------------------------------------------

// Exact code counts an event with a constant payload, if it is only counted. `words` are its fields.
bool probe_count(Probes *p, enum EventId event, const uint32_t *words, uint32_t n) {
    if (p->frames->version.kind != VERSION_ONLY || !(p->root->counted >> event & 1)) return false;
    unit_add_mark(p->ir->unit, LLVMGetInsertBlock(p->ir->builder), (uint16_t)event, words, n);
    return true;
}

// Counts the event, or writes it into the ring.
bool probe_note(Probes *p, enum EventId event, const uint32_t *words, uint32_t n) {
    return probe_count(p, event, words, n) || probe_ring_put(p, event, words, n, 0, NULL, 0);
}

// Counts an event of the current instruction. Its further fields, if any, are numbers; false if one is not constant.
static bool count_here(Probes *p, enum EventId event, const ProbeRow *row, const LLVMValueRef *args) {
    uint32_t words[2 * PROBE_MOST_FIELDS] = {p->frames->top->method->id, p->frames->top->bci}, n = 2;
    for (unsigned i = 2; i < row->fields; i++) {
        if (!LLVMIsAConstantInt(args[i - 2])) return false;
        uint64_t value = LLVMConstIntGetZExtValue(args[i - 2]);
        words[n++] = (uint32_t)value;
        if (row->types[i] == 'V') words[n++] = (uint32_t)(value >> 32);
    }
    return probe_count(p, event, words, n);
}

// Writes an event of the current instruction into the ring.
static bool put_here(Probes *p, enum EventId event, const ProbeRow *row, const LLVMValueRef *args) {
    Ir *ir = p->ir;
    uint32_t words[PROBE_MOST_FIELDS] = {p->frames->top->method->id, p->frames->top->bci}, dynamic = 0;
    LLVMValueRef more[PROBE_MOST_FIELDS];
    unsigned count = 0;
    if (!p->ring) return false;
    for (unsigned n = 2; n < row->fields; n++) {
        LLVMValueRef v = args[n - 2];
        switch (row->types[n]) {
            case 'N':  // NUMBER
                if (LLVMIsAConstantInt(v)) words[n] = (uint32_t)LLVMConstIntGetZExtValue(v);
                else dynamic |= 1u << n, more[count++] = v;
                break;
            case 'C':  // CLASS
                dynamic |= 1u << n;
                more[count++] = ir_load_constant(ir, ir->i32, v, ir->layout->class_id);
                break;
            case 'O':
            case 'A': more[count++] = v; break;  // OBJECT, ADDRESS
            default: return false;
        }
    }
    return probe_ring_put(p, event, words, row->fields, dynamic, more, count);
}

// ---- calls that report --------------------------------------------------------------------------

// Reporting functions read nothing of the heap except the stack's methods, so code need not reload values after them.
LLVMValueRef probe_send(Probes *p, enum RuntimeCallId id, Probe *probe) {
    LLVMValueRef result = frames_runtime(p->frames, id, probe->args, probe->count);
    if (compiler_runtime_calls[id].kind != RUNTIME_CALL) ir_tag(p->ir, result, "event");
    return result;
}

// If a production of the method takes the calling context, the code makes the call from which the stack can be walked.
// The three calls of an event are adjacent in vm/api/runtime_calls.def.
void probe_make_walkable(Probe *probe, EventSet events) {
    enum { TO_WALK = RT_walk_method_entry - RT_report_method_entry };
    if (events & EVENTS_WALK) probe->report = (enum RuntimeCallId)(probe->report + TO_WALK);
}

// Reports the events of one moment, at least one. One check decides for all.
void probe_report_together(Probes *p, Probe *probes, unsigned count) {
    Ir *ir = p->ir;
    if (p->frames->version.kind == VERSION_ONLY || p->frames->version.kind == VERSION_DUPLICATED) {
        for (unsigned i = 0; i < count; i++) probe_send(p, probes[i].report, &probes[i]);
        return;
    }
    if (p->frames->version.kind != VERSION_UNCHECKED) return;
    LLVMBasicBlockRef slow = ir_block(ir, "sample"), next = ir_block(ir, "go.on");
    ir_branch(ir, probe_check(p), slow, next, 0);
    ir_at(ir, slow);
    LLVMValueRef sample = probe_send(p, probes[0].probe, &probes[0]);
    if (count > 1) {
        LLVMBasicBlockRef more = ir_block(ir, "sampled");
        ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, sample, ir_int(ir, 0), ""), more, next, -1);
        ir_at(ir, more);
        for (unsigned i = 1; i < count; i++) probe_send(p, probes[i].report, &probes[i]);
    }
    ir_jump(ir, next);
    ir_at(ir, next);
}

// ---- guards: counters of productions, tested inline ---------------------------------------------

static LLVMValueRef all_hold(Probes *p, LLVMValueRef counters, uint32_t set, LLVMIntPredicate predicate, int64_t than,
                             LLVMValueRef so_far) {
    Ir *ir = p->ir;
    for (; set; set &= set - 1) {
        LLVMValueRef counter = ir_load(ir, ir->i64, counters, __builtin_ctz(set) * (int64_t)sizeof(int64_t));
        LLVMSetVolatile(counter, true);  // reports change it
        LLVMValueRef holds = LLVMBuildICmp(ir->builder, predicate, counter, ir_long(ir, than), "");
        so_far = so_far ? LLVMBuildAnd(ir->builder, so_far, holds, "") : holds;
    }
    return so_far;
}

// Jumps to `wanted` if one of the alternatives holds or if the thread has no counters, else to `unwanted`.
static void test_guard(Probes *p, const PlaceGuard *g, LLVMBasicBlockRef wanted, LLVMBasicBlockRef unwanted) {
    Ir *ir = p->ir;
    LLVMValueRef prof = ir_load(ir, ir->ptr, ir->thread, ir->layout->thread_prof);
    LLVMBasicBlockRef there = ir_block(ir, "guard");
    ir_branch(ir, ir_is_null(ir, prof), wanted, there, 0);
    ir_at(ir, there);
    LLVMValueRef counters = ir_offset_const(ir, prof, ir->layout->prof_counters);
    for (uint32_t i = 0; i < g->count; i++) {
        const GuardTests *t = &g->alternatives[i];
        LLVMValueRef holds = all_hold(p, counters, t->zero, LLVMIntEQ, 0, NULL);
        holds = all_hold(p, counters, t->not_zero, LLVMIntNE, 0, holds);
        holds = all_hold(p, counters, t->overflow, LLVMIntSGE, COUNTER_LIMIT, holds);
        holds = all_hold(p, counters, t->not_overflow, LLVMIntSLT, COUNTER_LIMIT, holds);
        LLVMBasicBlockRef otherwise = i + 1 < g->count ? ir_block(ir, "guard") : unwanted;
        ir_branch(ir, holds, wanted, otherwise, 0);
        if (i + 1 < g->count) ir_at(ir, otherwise);
    }
}

// Reports the events of one moment at a place of `m`, after the guard that they share. Events with separate checks have
// no guard, because those checks must be made in any case.
void probe_report_at(Probes *p, const Method *m, int32_t bci, const enum EventId *events, Probe *probes,
                     unsigned count) {
    Ir *ir = p->ir;
    PlaceGuard guard;
    bool guarded = p->frames->version.kind == VERSION_ONLY || p->frames->version.kind == VERSION_DUPLICATED;
    for (unsigned i = 0; guarded && i < count; i++) guarded = compiler_guard_at(m, bci, events[i], &guard);
    if (!guarded) {
        probe_report_together(p, probes, count);
        return;
    }
    LLVMBasicBlockRef wanted = ir_block(ir, "wanted"), next = ir_block(ir, "unwanted");
    test_guard(p, &guard, wanted, next);
    ir_at(ir, wanted);
    probe_report_together(p, probes, count);
    ir_jump(ir, next);
    ir_at(ir, next);
}

Probe probe_make(Probes *p, enum EventId event, const LLVMValueRef *args) {
    ProbeRow row = row_of(event);
    Probe probe = {.report = row.report, .probe = row.probe};
    if (row.at_site) {
        probe.args[probe.count++] = ir_symbol(p->ir, SYMBOL_METHOD, p->frames->top->method);
        probe.args[probe.count++] = ir_int(p->ir, p->frames->top->bci);
    }
    for (; probe.count < row.fields; probe.count++) probe.args[probe.count] = *args++;
    return probe;
}

void probe_event(Probes *p, enum EventId event, const LLVMValueRef *args) {
    if (!probe_wants(p, event)) return;
    ProbeRow row = row_of(event);
    if (row.at_site && (count_here(p, event, &row, args) || put_here(p, event, &row, args))) return;
    Probe probe = probe_make(p, event, args);
    probe_make_walkable(&probe, p->frames->top->plan->events);
    probe_report_at(p, p->frames->top->method, (int32_t)p->frames->top->bci, &event, &probe, 1);
}

void probe_report(Probes *p, enum EventId event, const LLVMValueRef *args) {
    ProbeRow row = row_of(event);
    Probe probe = {.report = row.report, .probe = row.probe, .count = row.fields};
    memcpy(probe.args, args, row.fields * sizeof *args);
    probe_report_together(p, &probe, 1);
}
