// Events whose payload has values, objects or addresses.
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "bytecode/classfile/operands.h"
#include "jit/backend/counters.h"
#include "jit/probes/probes_internal.h"
#include "vm/api/arguments.h"
#include "vm/api/pointslots.h"

void probe_point(Probes *p) {
    Ir *ir = p->ir;
    Method *m = p->frames->top->method;
    int32_t slots[POINT_OBJECTS];
    Probe probe = {
        .report = RT_report_point, .probe = RT_probe_point, .args = {ir_symbol(ir, SYMBOL_METHOD, m)}, .count = 1};
    if (!(compiler_events(m) >> EVENT_point_enter & 1)) return;
    point_slots(m->desc->text, method_is_static(m), slots);
    for (int i = 0; i < POINT_OBJECTS; i++)
        probe.args[probe.count++] = slots[i] < 0 ? LLVMConstNull(ir->ptr)
                                                 : frames_load_local(p->frames, (uint32_t)slots[i], KIND_REF);
    if (p->frames->version.kind != VERSION_ONLY || slots[POINT_RECEIVER] < 0) {
        probe_report_together(p, &probe, 1);
        return;
    }
    LLVMBasicBlockRef report = ir_block(ir, "point"), next = ir_block(ir, "taken");
    LLVMValueRef taken = frames_runtime(p->frames, RT_point_taken, probe.args, 3);
    ir_tag(ir, taken, "event");
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntNE, taken, ir_int(ir, 0), ""), next, report, 1);
    ir_at(ir, report);
    probe_report_together(p, &probe, 1);
    ir_jump(ir, next);
    ir_at(ir, next);
}

void probe_locked(Probes *p, Method *m) {
    uint32_t words[] = {m->id, (uint32_t)EVENT_NO_BCI};
    if (!(compiler_events(m) >> EVENT_monitor_entered & 1) || probe_count(p, EVENT_monitor_entered, words, 2)) return;
    Probe probe = {RT_report_monitor_entered,
                   RT_probe_monitor_entered,
                   {ir_symbol(p->ir, SYMBOL_METHOD, m), ir_int(p->ir, EVENT_NO_BCI)},
                   2};
    probe_report_together(p, &probe, 1);
}

// The variable's cell (Stamps).
static LLVMValueRef stamp_cell(Probes *p, LLVMValueRef events, char type, LLVMValueRef address) {
    Ir *ir = p->ir;
    unsigned size = type == 'Z' || type == 'B' ? 3
        : type == 'C' || type == 'S'           ? 2
        : type == 'I' || type == 'F'           ? 1
                                               : 0;
    int64_t stamps = offsetof(EventThread, stamps);
    LLVMValueRef mask = ir_load_constant(ir, ir->i64, events, stamps + (int64_t)offsetof(Stamps, mask));
    LLVMValueRef cells = ir_load_constant(ir, ir->ptr, events,
                                          stamps + (int64_t)(offsetof(Stamps, cells) + size * sizeof(char *)));
    LLVMValueRef at = LLVMBuildAnd(ir->builder, LLVMBuildPtrToInt(ir->builder, address, ir->i64, ""), mask, "");
    LLVMValueRef cell = ir_load(ir, ir->i64,
                                ir_offset(ir, cells, LLVMBuildShl(ir->builder, at, ir_long(ir, size + 1), "")), 0);
    LLVMSetOrdering(cell, LLVMAtomicOrderingUnordered);
    LLVMSetAlignment(cell, 8);
    ir_tag(ir, cell, "event");
    return cell;
}

// i1: the thread's stamp is in the cell, so the access is nothing new.
static LLVMValueRef is_stamped(Probes *p, char type, bool put, LLVMValueRef address) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef events = ir_load_constant(ir, ir->ptr, ir->thread, ir->layout->thread_stamper);
    LLVMValueRef cell = stamp_cell(p, events, type, address);
    LLVMValueRef stamp = ir_load(ir, ir->i32, events, offsetof(EventThread, stamp));
    ir_tag(ir, stamp, "event");
    if (put)
        return LLVMBuildICmp(b, LLVMIntEQ, cell,
                             LLVMBuildShl(b, LLVMBuildZExt(b, stamp, ir->i64, ""), ir_long(ir, 32), ""), "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, cell, ir_long(ir, 32), ""), ir->i32, "");
    LLVMValueRef written = LLVMBuildICmp(b, LLVMIntEQ, high, stamp, "");
    LLVMValueRef read = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildTrunc(b, cell, ir->i32, ""), stamp, "");
    return LLVMBuildOr(b, written, read, "");
}

void probe_shared(Probes *p, Field *f, char type, bool put, LLVMValueRef object, LLVMValueRef address) {
    Ir *ir = p->ir;
    if (!probe_wants(p, EVENT_shared_access) || !probe_reports(p) || (f && f->flags & ACC_VOLATILE)) return;
    LLVMValueRef args[] = {ir_int(ir, put), f ? ir_symbol(ir, SYMBOL_FIELD, f) : LLVMConstNull(ir->ptr),
                           ir_int(ir, type), object ? object : LLVMConstNull(ir->ptr), address};
    if (p->frames->version.kind == VERSION_UNCHECKED || p->ring) {
        probe_event(p, EVENT_shared_access, args);
        return;
    }
    LLVMBasicBlockRef tell = ir_block(ir, "access"), next = ir_block(ir, "stamped");
    if (p->root->events & EVENTS_STAMPED) ir_branch(ir, is_stamped(p, type, put, address), next, tell, 1);
    else ir_jump(ir, tell);
    ir_at(ir, tell);
    Probe probe = probe_make(p, EVENT_shared_access, args);
    ir_tag(ir, frames_runtime(p->frames, RT_access, probe.args, probe.count), "event");
    ir_jump(ir, next);
    ir_at(ir, next);
}

void probe_sync(Probes *p, enum EventId event, const Field *f, LLVMValueRef address) {
    if (!probe_wants(p, event)) return;
    LLVMValueRef object = f->flags & ACC_STATIC ? LLVMConstNull(p->ir->ptr)
                                                : ir_offset_const(p->ir, address, -(int64_t)f->offset);
    enum RuntimeCallId id = event == EVENT_sync_acquire ? RT_report_sync_acquire : RT_report_sync_release;
    ir_tag(p->ir, frames_runtime(p->frames, id, (LLVMValueRef[]){object, address}, 2), "event");
}

void probe_field(Probes *p, Field *f, bool put, LLVMValueRef object) {
    Ir *ir = p->ir;
    LLVMValueRef address = object ? ir_offset_const(ir, object, f->offset) : ir_symbol(ir, SYMBOL_STATIC, f);
    probe_shared(p, f, f->type, put, object, address);
    if (!probe_wants(p, EVENT_field_access)) return;
    uint32_t words[] = {p->frames->top->method->id, p->frames->top->bci, compiler_field_id(f), put};
    if (probe_count(p, EVENT_field_access, words, 4)) return;
    LLVMValueRef more[] = {object ? object : LLVMConstNull(ir->ptr), address};
    if (probe_ring_put(p, EVENT_field_access, words, 4, 0, more, 2)) return;
    probe_event(p, EVENT_field_access,
                (LLVMValueRef[]){ir_symbol(ir, SYMBOL_FIELD, f), ir_int(ir, put),
                                 object ? object : LLVMConstNull(ir->ptr), address});
}

// Converts a value to its form in an event's payload (VALUE).
static LLVMValueRef bits_of(Probes *p, LLVMValueRef v) {
    Ir *ir = p->ir;
    LLVMTypeRef type = LLVMTypeOf(v);
    if (type == ir->ptr) return LLVMBuildPtrToInt(ir->builder, v, ir->i64, "");
    if (type == ir->i32) return LLVMBuildSExt(ir->builder, v, ir->i64, "");
    if (type == ir->f32) return LLVMBuildZExt(ir->builder, LLVMBuildBitCast(ir->builder, v, ir->i32, ""), ir->i64, "");
    return type == ir->f64 ? LLVMBuildBitCast(ir->builder, v, ir->i64, "") : v;
}

void probe_value(Probes *p, LLVMValueRef v) {
    if (!probe_wants(p, EVENT_value)) return;
    v = bits_of(p, v);
    probe_event(p, EVENT_value, &v);
}

void probe_result(Probes *p) {
    if (!probe_wants(p, EVENT_result)) return;
    LLVMValueRef v = bits_of(p, frames_peek(p->frames, 0).v);
    probe_event(p, EVENT_result, &v);
}

void probe_returned(Probes *p, LLVMValueRef v) {
    if (!probe_wants(p, EVENT_returned) || p->frames->top->lock_depth) return;  // the interpreter executes the return
    v = bits_of(p, v);
    probe_event(p, EVENT_returned, &v);
}

void probe_arguments(Probes *p) {
    Method *m = p->frames->top->method;
    Probe probes[ARGUMENTS_REPORTED];
    unsigned count = 0;
    if (!(compiler_events(m) >> EVENT_argument & 1)) return;
    Argument a = arguments_begin(m->desc->text, method_is_static(m));
    while (count < ARGUMENTS_REPORTED && arguments_next(&a)) {
        char kind = a.type == 'A' ? KIND_REF : strchr("ZBCS", a.type) ? KIND_INT : a.type;
        LLVMValueRef v = frames_load_local(p->frames, (uint32_t)a.slot, kind);
        LLVMValueRef args[] = {ir_symbol(p->ir, SYMBOL_METHOD, m), ir_int(p->ir, (int)count), bits_of(p, v)};
        probes[count++] = probe_make(p, EVENT_argument, args);
    }
    if (count) probe_report_together(p, probes, count);
}

void probe_instruction(Probes *p, const LLVMValueRef *operands, unsigned count) {
    LLVMValueRef args[INSTRUCTION_OPERANDS];
    if (!probe_wants(p, EVENT_instruction)) return;
    for (unsigned i = 0; i < INSTRUCTION_OPERANDS; i++)
        args[i] = i < count ? bits_of(p, operands[i]) : ir_long(p->ir, 0);
    probe_event(p, EVENT_instruction, args);
}

void probe_assigned(Probes *p, char kind, LLVMValueRef v, LLVMValueRef before) {
    Ir *ir = p->ir;
    Method *m = p->frames->top->method;
    uint16_t locals[SCALAR_LOCALS];
    Probe probes[SCALAR_LOCALS + 2];
    enum EventId events[SCALAR_LOCALS + 2];
    unsigned count = 0;
    if (!probe_wants(p, EVENT_scalar_pair) || kind == KIND_RETURN) return;
    unsigned local_count = compiler_partners_at(m, (int32_t)p->frames->top->bci, locals);
    LLVMValueRef value = bits_of(p, v);
    probes[count++] = probe_make(p, EVENT_scalar_pair,
                                 (LLVMValueRef[]){ir_int(ir, SCALAR_VALUE), value, ir_long(ir, 0)});
    for (unsigned i = 0; i < local_count; i++) {
        LLVMValueRef other = bits_of(p, frames_load_local(p->frames, locals[i], kind));
        probes[count++] = probe_make(p, EVENT_scalar_pair, (LLVMValueRef[]){ir_int(ir, (int)i), value, other});
    }
    if (before)
        probes[count++] = probe_make(p, EVENT_scalar_pair,
                                     (LLVMValueRef[]){ir_int(ir, SCALAR_BEFORE), value, bits_of(p, before)});
    for (unsigned i = 0; i < count; i++) events[i] = EVENT_scalar_pair;
    probe_report_at(p, m, (int32_t)p->frames->top->bci, events, probes, count);
}

// Whether the instruction leaves the code. The interpreter then executes and reports it.
static bool is_left_to_interpreter(const Probes *p, unsigned opcode) {
    const JavaFrame *f = p->frames->top;
    unsigned flags = opcodes_info[opcode].flags;
    const PlanSite *site = flags & OPF_CP ? plan_site(f->plan, f->bci) : NULL;
    if (opcode == OPC_ldc || opcode == OPC_ldc_w || opcode == OPC_ldc2_w)
        return site && site->site.kind == SITE_UNRESOLVED;
    if (flags & OPF_RETURN && f->lock_depth) return true;
    return flags & OPF_CP && (!site || site->site.kind == SITE_UNRESOLVED);
}

void probe_instruction_here(Probes *p, unsigned opcode) {
    LLVMValueRef values[INSTRUCTION_OPERANDS];
    Operands operands;
    unsigned flags = opcodes_info[opcode].flags;
    bool initializes = flags & OPF_INVOKE || opcode == OPC_getstatic || opcode == OPC_putstatic || opcode == OPC_new;
    if (initializes || !probe_wants(p, EVENT_instruction) || is_left_to_interpreter(p, opcode)) return;
    operands_of(p->frames->top->method->cls->file, p->frames->top->plan->code->code, (uint32_t)p->frames->top->bci,
                &operands);
    unsigned count = operands.count < INSTRUCTION_OPERANDS ? operands.count : INSTRUCTION_OPERANDS;
    for (unsigned i = 0; i < count; i++) values[i] = frames_peek(p->frames, operands.count - 1 - i).v;
    probe_instruction(p, values, count);
}

void probe_receiver(Probes *p, LLVMValueRef receiver) {
    if (probe_wants(p, EVENT_receiver)) probe_event(p, EVENT_receiver, (LLVMValueRef[]){ir_class_of(p->ir, receiver)});
}

static uint64_t bytes_of_heap(const Ir *ir, uint64_t bytes) {
    return (bytes + ir->layout->granule - 1) / ir->layout->granule * ir->layout->granule;
}

static uint32_t mark_allocation(Probes *p, LLVMBasicBlockRef block, const Method *m, uint32_t bci, const Class *cls,
                                uint64_t bytes) {
    uint32_t words[] = {m->id, bci, cls->id, (uint32_t)bytes, (uint32_t)(bytes >> 32)};
    return unit_add_mark(p->ir->unit, block, EVENT_allocation, words, sizeof words / sizeof *words);
}

// Adds the array's bytes to the mark's counter.
static void add_bytes(Probes *p, uint32_t mark, const Class *cls, LLVMValueRef length) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    int64_t number = unit_allocation_counter(ir->unit, mark), granule = ir->layout->granule;
    LLVMValueRef bytes = LLVMBuildShl(b, LLVMBuildZExt(b, length, ir->i64, ""), ir_long(ir, cls->elem_shift), "");
    bytes = LLVMBuildAdd(b, bytes, ir_long(ir, ir->layout->array_base + granule - 1), "");
    bytes = LLVMBuildAnd(b, bytes, ir_long(ir, -granule), "");
    LLVMValueRef distance = LLVMConstAdd(counters_distance(ir->unit, ALLOCATIONS_SYMBOL), ir_long(ir, 8 * number));
    LLVMValueRef counter = ir_offset(ir, ir->thread, distance), sum = LLVMBuildLoad2(b, ir->i64, counter, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, sum, bytes, ""), counter);
}

static uint32_t count_new(Probes *p, const Class *cls, LLVMValueRef length) {
    const JavaFrame *f = p->frames->top;
    bool varies = length && !LLVMIsAConstantInt(length);
    uint64_t bytes = !length ? cls->instance_size
        : varies             ? 0
                 : (uint64_t)p->ir->layout->array_base + (LLVMConstIntGetZExtValue(length) << cls->elem_shift);
    uint32_t mark = mark_allocation(p, LLVMGetInsertBlock(p->ir->builder), f->method, f->bci, cls,
                                    bytes_of_heap(p->ir, bytes));
    if (varies) add_bytes(p, mark, cls, length);
    return mark + 1;
}

uint32_t probe_new_elsewhere(Probes *p, const Method *m, uint32_t bci, const Class *cls) {
    if (p->frames->version.kind != VERSION_ONLY || !(p->root->counted >> EVENT_allocation & 1)) return 0;
    return mark_allocation(p, NULL, m, bci, cls, bytes_of_heap(p->ir, cls->instance_size)) + 1;
}

uint32_t probe_new(Probes *p, LLVMValueRef object, const Class *cls, LLVMValueRef length, unsigned depth) {
    if (!probe_wants(p, EVENT_allocation)) return 0;
    if (cls && probe_counts(p, EVENT_allocation)) return count_new(p, cls, length);
    Probe probe = {RT_report_new,
                   RT_probe_new,
                   {ir_symbol(p->ir, SYMBOL_METHOD, p->frames->top->method), ir_int(p->ir, p->frames->top->bci), object,
                    ir_int(p->ir, depth)},
                   4};
    probe_make_walkable(&probe, p->frames->top->plan->events);
    enum EventId event = EVENT_allocation;
    probe_report_at(p, p->frames->top->method, (int32_t)p->frames->top->bci, &event, &probe, 1);
    return 0;
}

LLVMBasicBlockRef probe_edge(Probes *p, uint32_t successor, LLVMBasicBlockRef to) {
    Ir *ir = p->ir;
    const Dataflow *flow = p->frames->top->plan->flow;
    uint32_t block = flow->edges[flow->blocks[p->frames->top->block].first_succ + successor];
    if (!probe_wants(p, EVENT_backedge) || flow->blocks[block].start > (uint32_t)p->frames->top->bci) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "backedge");
    ir_at(ir, edge);
    probe_event(p, EVENT_backedge, NULL);
    ir_jump(ir, to);
    ir_at(ir, here);
    return edge;
}

LLVMBasicBlockRef probe_branch_edge(Probes *p, uint32_t successor, uint32_t number, LLVMBasicBlockRef to) {
    Ir *ir = p->ir;
    to = probe_edge(p, successor, probe_path_edge(p, number, to));
    if (!probe_wants(p, EVENT_branch) || !probe_reports(p)) return to;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "decided");
    ir_at(ir, edge);
    probe_event(p, EVENT_branch, (LLVMValueRef[]){ir_int(ir, number)});
    ir_jump(ir, to);
    ir_at(ir, here);
    return edge;
}
