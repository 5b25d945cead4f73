// The payloads of the events in vm/interp/interp_probes.def, from an operation and its operands
// (vm/interp/interp_probes.h). These are plain functions of the bytecode: they read the resolved constant pool and
// throw nothing. An operation that will throw has no event.
#include "vm/interp/interp_probes.h"

#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "bytecode/classfile/operands.h"
#include "vm/api/arguments.h"
#include "vm/api/pointslots.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/pathprofile.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"
#include "vm/interp/flowcounts.h"
#include "vm/linking/link.h"
#include "vm/threads/thread.h"

// An operation that is about to execute.
typedef struct Place {
    Thread *self;
    Frame *frame;
    const Method *method;
    const Insn *pc;
    const Slot *sp;  // after the operands
    int32_t bci;
    const BranchOutcome *outcome;  // PLACE_BRANCH
} Place;

// ---- operations and places ----

enum {
#define INSN(name, words) KIND_##name = PLACE_NONE,
#define PROBED(name, words, place) KIND_##name = PLACE_##place,
#define BRANCH_OP(name, words) KIND_##name = PLACE_BRANCH,
#define ACCESS(name, words) KIND_##name = PLACE_ACCESS,
#define ARRAY(name, words) KIND_##name = PLACE_ARRAY,
#define LEAVE(name, words) KIND_##name = PLACE_LEAVE,
#define SELECT(name, words) KIND_##name = PLACE_SELECT,
#include "vm/interp/insn.def"
};

const uint8_t probes_place[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = KIND_##name,
#define FUSED2(name, first, second) [INSN_##name] = KIND_##second,
#define FUSED3(name, first, second, third) [INSN_##name] = KIND_##third,
#include "vm/interp/insn.def"
};

const bool probes_no_instruction[INSN_COUNT] = {
#define NO_PLACE(name, words) [INSN_##name] = true,
#define ENTRY(name, words) [INSN_##name] = true,
#include "vm/interp/insn.def"
    [INSN_enter_compiled] = true, [INSN_enter_basic] = true, [INSN_enter_link] = true,  // entries that are counted
};

bool probes_reports_itself(unsigned op) {
    return probes_place[op] == PLACE_INSTRUCTION || op == INSN_getstatic || op == INSN_putstatic || op == INSN_new;
}

// ---- branches ----

static BranchOutcome switch_outcome(const Insn *pc, int32_t key) {
    const int32_t *payload = (const int32_t *)(pc + 1);
    int32_t count = payload[pc->op == INSN_tableswitch], edge = count;
    if (pc->op == INSN_tableswitch) {
        uint32_t i = (uint32_t)key - (uint32_t)payload[0];
        if (i < (uint32_t)count) edge = (int32_t)i;
    } else {
        for (int32_t low = 0, high = count - 1; low <= high && edge == count;) {
            int32_t mid = (low + high) >> 1;
            if (payload[2 + 2 * mid] == key) edge = mid;
            else if (payload[2 + 2 * mid] < key) low = mid + 1;
            else high = mid - 1;
        }
    }
    int32_t step = pc->op == INSN_tableswitch ? 1 : 2;
    return (BranchOutcome){edge, (edge == count ? pc->b : payload[1 + step + step * edge]) <= 0};
}

static bool condition(unsigned op, const Slot *sp) {
    switch (op) {
        case INSN_ifeq: return sp[-1].i == 0;
        case INSN_ifne: return sp[-1].i != 0;
        case INSN_iflt: return sp[-1].i < 0;
        case INSN_ifge: return sp[-1].i >= 0;
        case INSN_ifgt: return sp[-1].i > 0;
        case INSN_ifle: return sp[-1].i <= 0;
        case INSN_if_icmpeq: return sp[-2].i == sp[-1].i;
        case INSN_if_icmpne: return sp[-2].i != sp[-1].i;
        case INSN_if_icmplt: return sp[-2].i < sp[-1].i;
        case INSN_if_icmpge: return sp[-2].i >= sp[-1].i;
        case INSN_if_icmpgt: return sp[-2].i > sp[-1].i;
        case INSN_if_icmple: return sp[-2].i <= sp[-1].i;
        case INSN_if_acmpeq: return sp[-2].o == sp[-1].o;
        case INSN_if_acmpne: return sp[-2].o != sp[-1].o;
        case INSN_ifnull: return !sp[-1].o;
        default: return sp[-1].o;
    }
}

BranchOutcome probes_outcome(const Insn *pc, const Slot *sp) {
    if (pc->op == INSN_goto || pc->op == INSN_jsr) return (BranchOutcome){-1, pc->b <= 0};
    if (pc->op == INSN_tableswitch || pc->op == INSN_lookupswitch) return switch_outcome(pc, sp[-1].i);
    bool taken = condition(pc->op, sp);
    return (BranchOutcome){taken, taken && pc->b <= 0};
}

static inline __attribute__((always_inline)) void probe_branch(const Place *p) {
    if (p->outcome->edge >= 0) report_branch(p->self, p->method, p->bci, (uint32_t)p->outcome->edge);
}

static inline __attribute__((always_inline)) void probe_jump(const Place *p) {
    if (p->outcome->edge < 0) report_jump(p->self, p->method, p->bci);
}

static inline __attribute__((always_inline)) void probe_backedge(const Place *p) {
    if (p->outcome->back) report_backedge(p->self, p->method, p->bci);
}

static inline __attribute__((always_inline)) void probe_path(const Place *p) {
    paths_branch(p->self, p->frame, p->bci, p->outcome->edge < 0 ? 0 : (uint32_t)p->outcome->edge);
}

static inline __attribute__((always_inline)) void probe_path_end(const Place *p) {
    paths_branch(p->self, p->frame, p->bci, 0);
}

static inline __attribute__((always_inline)) void probe_exit(const Place *p) {
    if (!report_left_context(p->self, p->method)) report_method_exit(p->self, p->method);
}

static inline __attribute__((always_inline)) void probe_point_leave(const Place *p) {
    report_point_leave(p->self, p->method);
}

static inline __attribute__((always_inline)) void probe_receiver(const Place *p) {
    const Object *receiver = p->sp[-(int)p->pc->a].o;
    if (receiver) report_receiver(p->self, p->method, p->bci, object_class(receiver));
}

// ---- memory ----

// A field or element that an operation accesses.
typedef struct Operand {
    const void *address;   // NULL: the operation throws
    const Object *object;  // NULL: static
    Field *field;          // NULL: an element
    char type;             // type character
    bool is_store;
} Operand;

static inline __attribute__((always_inline)) Operand field_operand(const Place *p) {
    const uint8_t *code = p->method->info->code->code + p->bci;
    unsigned opcode = *code;
    Field *f = p->method->cls->cp[opcodes_cp_index(code, 0)].field;
    Operand o = {.field = f, .type = f->type, .is_store = opcode == OPC_putfield || opcode == OPC_putstatic};
    if (opcode == OPC_getstatic || opcode == OPC_putstatic) {
        o.address = field_static_addr(f);
        return o;
    }
    o.object = p->sp[-1 - (o.is_store ? interp_slots(f->type) : 0)].o;
    if (o.object) o.address = (const char *)o.object + f->offset;
    return o;
}

static inline __attribute__((always_inline)) Operand element_operand(const Place *p) {
    unsigned opcode = p->method->info->code->code[p->bci];
    Operand o = {.type = opcodes_element_type(opcode), .is_store = opcodes_stores_element(opcode)};
    const Slot *operands = p->sp - 2 - (o.is_store ? interp_slots(o.type) : 0);
    const Object *array = operands[0].o;
    uint32_t index = operands[1].u;
    if (!array || index >= (uint32_t)array->length) return o;
    const Object *value = opcode == OPC_aastore ? operands[2].o : NULL;
    if (value && !class_is_subtype(object_class(value), object_class(array)->component)) return o;
    o.object = array;
    o.address = ARRAY_DATA(array, char) + ((size_t)index << object_class(array)->elem_shift);
    return o;
}

static uint64_t load(const void *address, char type) {
    switch (type) {
        case 'B': return (uint64_t)(int64_t) * (const int8_t *)address;
        case 'Z': return *(const uint8_t *)address;
        case 'C': return *(const uint16_t *)address;
        case 'S': return (uint64_t)(int64_t) * (const int16_t *)address;
        case 'I': return (uint64_t)(int64_t) * (const int32_t *)address;
        case 'F': return *(const uint32_t *)address;
        default: return *(const uint64_t *)address;
    }
}

static inline __attribute__((always_inline)) void probe_field(const Place *p) {
    Operand o = field_operand(p);
    if (o.address) report_field_access(p->self, p->method, p->bci, o.field, o.is_store, o.object, o.address);
}

static inline __attribute__((always_inline)) void probe_element(const Place *p) {
    Operand o = element_operand(p);
    if (o.address) report_array_access(p->self, p->method, p->bci, o.is_store, (uint8_t)o.type, o.object, o.address);
}

static inline __attribute__((always_inline)) void probe_shared_field(const Place *p) {
    Operand o = field_operand(p);
    if (o.address && !(o.field->flags & ACC_VOLATILE))
        report_shared_access(p->self, p->method, p->bci, o.is_store, o.field, (uint8_t)o.type, o.object, o.address);
}

static inline __attribute__((always_inline)) void probe_shared_element(const Place *p) {
    Operand o = element_operand(p);
    if (o.address)
        report_shared_access(p->self, p->method, p->bci, o.is_store, NULL, (uint8_t)o.type, o.object, o.address);
}

static inline __attribute__((always_inline)) void value_of(const Place *p, Operand o) {
    if (o.address && !o.is_store) report_value(p->self, p->method, p->bci, load(o.address, o.type));
}
static inline __attribute__((always_inline)) void probe_field_value(const Place *p) { value_of(p, field_operand(p)); }
static inline __attribute__((always_inline)) void probe_element_value(const Place *p) {
    value_of(p, element_operand(p));
}

// ---- any instruction ----

static uint64_t operand(const Slot *at, char type) {
    switch (type) {
        case 'I': return (uint64_t)(int64_t)at->i;
        case 'F': return at->u;
        case 'A': return (uint64_t)(uintptr_t)at->o;
        default: return (uint64_t)at->l;
    }
}

static void report_assigned(Thread *self, const Frame *frame, int32_t bci, char type, uint64_t value) {
    uint16_t locals[SCALAR_LOCALS];
    unsigned count = instrument_hooks.profiler->partners_at(frame->method->id, bci, locals);
    report_scalar_pair(self, frame->method, bci, SCALAR_VALUE, value, 0);
    for (unsigned i = 0; i < count; i++)
        report_scalar_pair(self, frame->method, bci, i, value, operand(&frame->locals[locals[i]], type));
}

static void probe_assigned_local(Thread *self, const Frame *frame, int32_t bci) {
    static const char types[] = "IJFD";
    const uint8_t *code = frame->method->info->code->code, *at = code + bci;
    unsigned op = opcodes_at(code, (uint32_t)bci), local;
    if (op == OPC_iinc) {
        opcodes_local(code, (uint32_t)bci, &local);
        int by = *at == OPC_wide ? bytes_s2(at + 4) : bytes_s1(at + 2);
        report_assigned(self, frame, bci, 'I',
                        (uint64_t)(int64_t)(int32_t)((uint32_t)frame->locals[local].i + (uint32_t)by));
    } else if (op >= OPC_istore && op < OPC_astore_0 && op != OPC_astore) {
        char type = types[op <= OPC_dstore ? op - OPC_istore : (op - OPC_istore_0) / 4];
        report_assigned(self, frame, bci, type, operand(frame->sp - interp_slots(type), type));
    }
}

// The stored value, truncated to the field's type.
static uint64_t stored(const Slot *at, char type) {
    switch (type) {
        case 'B': return (uint64_t)(int64_t)(int8_t)at->i;
        case 'C': return (uint16_t)at->i;
        case 'S': return (uint64_t)(int64_t)(int16_t)at->i;
        default: return operand(at, type);
    }
}

static inline __attribute__((always_inline)) void probe_assigned_field(const Place *p) {
    Operand o = field_operand(p);
    if (!o.address || !o.is_store) return;
    uint64_t value = stored(p->sp - interp_slots(o.type), o.type);
    report_assigned(p->self, p->frame, p->bci, strchr("BCS", o.type) ? 'I' : o.type, value);
    report_scalar_pair(p->self, p->method, p->bci, SCALAR_BEFORE, value, load(o.address, o.type));
}

void probes_instruction(Thread *self, const Frame *frame) {
    const Method *m = frame->method;
    int32_t bci = method_bci(m, frame->pc);
    if (instrument_wants(m, bci, EVENT_scalar_pair)) probe_assigned_local(self, frame, bci);
    if (!instrument_wants(m, bci, EVENT_instruction)) return;
    Operands operands;
    uint64_t values[INSTRUCTION_OPERANDS] = {0};
    operands_of(m->cls->file, m->info->code->code, (uint32_t)bci, &operands);
    const Slot *at = frame->sp - operands.slots;
    for (unsigned i = 0; i < operands.count && i < INSTRUCTION_OPERANDS; i++) {
        values[i] = operand(at, operands.type[i]);
        at += interp_slots(operands.type[i]);
    }
    report_instruction(self, m, bci, values[0], values[1], values[2], values[3], values[4]);
}

static inline __attribute__((always_inline)) void probe_returned(const Place *p) {
    char type = p->method->ret;
    if (type == 'V') return;
    type = type == 'L' || type == '[' ? 'A' : strchr("ZBCS", type) ? 'I' : type;
    report_returned(p->self, p->method, p->bci, operand(p->sp - interp_slots(type), type));
}

// ---- the table ----

typedef struct Probe {
    uint8_t event, place;
} Probe;

static const Probe probes[] = {
#define PROBE(event, place, function) {EVENT_##event, PLACE_##place},
#define PROBE_IN(event, place) {EVENT_##event, PLACE_##place},
#include "vm/interp/interp_probes.def"
};
enum { PROBES = sizeof probes / sizeof *probes };

EventSet probes_events(PlaceKind kind) {
    EventSet events = 0;
    for (int i = 0; i < PROBES; i++)
        if (probes[i].place == kind) events |= EVENT_BIT(probes[i].event);
    return events;
}

// The rows of one kind of place. `kind` is a constant here, so only the tests of the method's events remain.
static inline __attribute__((always_inline)) void report_at(PlaceKind kind, Thread *self, Frame *frame,
                                                            const BranchOutcome *outcome) {
    const Method *m = frame->method;
    if (!(m->events & ~flow_counted())) return;
    int32_t bci = m->bci[frame->pc - m->code];
    EventSet wanted = instrument_events_at(m, m->events, bci) & ~flow_counted();
    Place p = {self, frame, m, frame->pc, frame->sp, bci, outcome};
#define PROBE(event, place, function) \
    if (kind == PLACE_##place && wanted >> EVENT_##event & 1) function(&p);
#include "vm/interp/interp_probes.def"
}

void probes_branch(Thread *self, Frame *frame, BranchOutcome outcome) {
    report_at(PLACE_BRANCH, self, frame, &outcome);
}
void probes_access(Thread *self, Frame *frame) { report_at(PLACE_ACCESS, self, frame, NULL); }
void probes_array(Thread *self, Frame *frame) { report_at(PLACE_ARRAY, self, frame, NULL); }
void probes_select(Thread *self, Frame *frame) { report_at(PLACE_SELECT, self, frame, NULL); }
void probes_leave(Thread *self, Frame *frame) { report_at(PLACE_LEAVE, self, frame, NULL); }

static void report_watched(Thread *self, const Frame *frame) {
    const Method *m = frame->method;
    int32_t slots[POINT_OBJECTS];
    const Object *objects[POINT_OBJECTS] = {NULL};
    point_slots(m->desc->text, method_is_static(m), slots);
    for (int i = 0; i < POINT_OBJECTS; i++)
        if (slots[i] >= 0) objects[i] = frame->locals[slots[i]].o;
    report_point(self, m, objects[POINT_RECEIVER], objects[POINT_FIRST], objects[POINT_SECOND]);
}

void probes_begin(Thread *self, const Frame *frame) {
    const Method *m = frame->method;
    if (m->events & EVENTS_POINT_ENTER) report_watched(self, frame);
    if (!(m->events >> EVENT_argument & 1)) return;
    Argument a = arguments_begin(m->desc->text, method_is_static(m));
    for (uint32_t i = 0; i < ARGUMENTS_REPORTED && arguments_next(&a); i++)
        report_argument(self, m, i, operand(&frame->locals[a.slot], a.type));
}

void probes_result(Thread *self, const Frame *frame, const Slot *value) {
    const Method *m = frame->method;
    if (!(m->events >> EVENT_result & 1)) return;
    int32_t bci = method_bci(m, frame->pc);
    const char *effect = opcodes_info[m->info->code->code[bci]].effect;
    if (instrument_wants(m, bci, EVENT_result)) report_result(self, m, bci, operand(value, effect[strlen(effect) - 1]));
}

void probes_exit(Thread *self, const Method *m, bool thrown) {
    if (instrument_wants(m, EVENT_NO_BCI, EVENT_point_leave)) report_point_leave(self, m);
    enum EventId event = thrown ? EVENT_method_unwind : EVENT_method_exit;
    if (!instrument_wants(m, EVENT_NO_BCI, event) || report_left_context(self, m)) return;
    if (thrown) report_method_unwind(self, m);
    else report_method_exit(self, m);
}

void probes_monitor(Thread *self, const Frame *frame) {
    const Method *m = frame->method;
    int32_t bci = method_bci(m, frame->pc);
    if (instrument_wants(m, bci, EVENT_monitor_entered)) report_monitor_entered(self, m, bci);
}

void probes_locked(Thread *self, const Method *m) {
    if (instrument_wants(m, EVENT_NO_BCI, EVENT_monitor_entered)) report_monitor_entered(self, m, EVENT_NO_BCI);
}

void probes_throw(Thread *self, Frame *frame, const Insn *handler) {
    const Method *m = frame->method;
    if (instrument_wants(m, EVENT_NO_BCI, EVENT_path))
        paths_throw(self, frame, method_bci(m, frame->pc), handler ? m->bci[handler - m->code] : -1);
}

void probes_new(Thread *self, const Frame *frame, const Object *o) {
    const Method *m = frame->method;
    int32_t bci = method_bci(m, frame->pc);
    const uint8_t *code = m->info->code->code + bci;
    if (!instrument_wants(m, bci, EVENT_allocation)) return;
    report_new(self, m, bci, o, *code == OPC_multianewarray ? code[3] - 1u : 0);
}
