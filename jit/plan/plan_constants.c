// See jit/plan/plan_constants.h.
#include "jit/plan/plan_constants.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/plan/plan_intrinsics.h"
#include "jit/plan/plan_internal.h"

enum {
    WALKED_SIZE = 64,  // bytecodes of a method that is walked for its result
    WALKED_DEPTH = 4,
    MOST_ARGS = 255,  // slots (JVMS 4.3.3)
};

typedef struct Walk {
    Plan *plan;
    uint64_t epoch;
    unsigned depth;    // of methods that are walked for their results
    uint32_t slots;    // locals and operands
    Constant **entry;  // by block: its values at its start; NULL: not reached
    bool *stored;      // by local: some instruction stores to it
    Constant *now;
    uint32_t sp;      // index into now of the first free slot
    Constant result;  // of the method, if all returns return the same
    bool returned;
} Walk;

static Constant walk_method(Plan *plan, uint64_t epoch, unsigned depth);

// ---- values -----------------------------------------------------------------------------------------

static bool same(Constant a, Constant b) {
    return a.kind == b.kind &&
        (a.kind == CONSTANT_OBJECT ? a.object == b.object : a.kind == CONSTANT_NONE || a.number == b.number);
}

static Constant number(int32_t n) { return (Constant){.kind = CONSTANT_INT, .number = n}; }

static void push(Walk *w, Constant c) { w->now[w->sp++] = c; }
static Constant pop(Walk *w) { return w->now[--w->sp]; }

static void push_kind(Walk *w, char kind, Constant c) {
    if (kind == 'V') return;
    push(w, c);
    if (kind == 'J' || kind == 'D') push(w, (Constant){0});
}

// Applies the instruction's effect on the operands by the opcode table. Values that it does not move are unknown.
static void apply_effect(Walk *w, const char *effect) {
    Constant moved[4] = {{0}};
    const char *arrow = strchr(effect, '>');
    for (const char *s = arrow; s-- > effect;) {
        w->sp -= *s == 'J' || *s == 'D' ? 2 : 1;
        if (*s >= 'a' && *s <= 'd') moved[*s - 'a'] = w->now[w->sp];
    }
    for (const char *s = arrow + 1; *s; s++) push_kind(w, *s, *s >= 'a' && *s <= 'd' ? moved[*s - 'a'] : (Constant){0});
}

// ---- calls ------------------------------------------------------------------------------------------

// The descriptor of the callee as the instruction names it.
static ClassFileUtf8 called_descriptor(const Plan *plan, uint32_t bci) {
    return classfile_ref_desc(plan->method->cls->file, opcodes_cp_index(plan->code->code, bci));
}

// The method or class that the call always reaches, determined by its arguments.
static PlanConstant find_called(const Walk *w, const PlanSite *ps, const Constant *args, uint32_t count, char result) {
    PlanConstant found = {0};
    const Constant *first = count > 0 && args[0].kind == CONSTANT_OBJECT ? &args[0] : NULL;
    const Constant *last = count > 0 && args[count - 1].kind == CONSTANT_OBJECT ? &args[count - 1] : NULL;
    switch (ps->site.kind) {
        case SITE_CALL_BASIC:
            if (first) found.method = compiler_constant_handle(first->object, w->epoch);
            break;
        case SITE_CALL_LINK_TO:
            if (last) found.method = compiler_constant_member(last->object, w->epoch);
            count--;
            break;
        case SITE_CALL_VTABLE:
        case SITE_CALL_INTERFACE:
            if (first) found.method = compiler_constant_target(first->object, ps->site.method, w->epoch);
            break;
        default: break;
    }
    if (found.method) {
        // The call's argument slots have to fit the method. Calls that java.lang.invoke links always do.
        static const char ints[] = "ZBCSI", references[] = "L[";
        char own = found.method->ret;
        bool fits = own == result || (strchr(ints, own) && strchr(ints, result)) ||
            (strchr(references, own) && strchr(references, result));
        if (found.method->nargs != count || !fits) found.method = NULL;
    }
    // The two allocation methods of Unsafe instantiate the class of the mirror.
    const Intrinsic *row = count > 1 && ps->site.method ? intrinsics_find(ps->site.method) : NULL;
    if (!row || args[1].kind != CONSTANT_OBJECT) return found;
    if (row->operation == INTRINSIC_ALLOCATE) found.instance = compiler_constant_instance(args[1].object, w->epoch);
    else if (row->operation == INTRINSIC_ALLOCATE_ARRAY)
        found.instance = compiler_constant_array(args[1].object, w->epoch);
    return found;
}

// Only methods that the library made to be folded are walked for their results.
static Constant result_of(const Walk *w, const PlanSite *ps) {
    enum { SPUN = MF_HIDDEN | MF_LAMBDAFORM_COMPILED | MF_FORCE_INLINE };
    PlanBailout why;
    Method *m = ps->found.method ? ps->found.method : plan_callee(ps);
    if (!ps->args || !m || w->depth >= WALKED_DEPTH || (m->ret != 'L' && m->ret != '[')) return (Constant){0};
    if (!m->info || !m->info->code || m->info->code->code_len > WALKED_SIZE) return (Constant){0};
    if (!(m->mflags & SPUN) && strncmp(m->cls->name->text, "java/lang/invoke/", 17) != 0) return (Constant){0};
    Plan *callee = plan_new(m, NULL, 0, &why);
    if (!callee) return (Constant){0};
    plan_collect_sites(callee);
    callee->args = ps->args;
    callee->arg_count = ps->arg_count;
    Constant result = walk_method(callee, w->epoch, w->depth + 1);
    plan_free(callee);
    return result;
}

static void walk_call(Walk *w, uint32_t bci, unsigned opcode) {
    ClassFileUtf8 desc = called_descriptor(w->plan, bci);
    bool has_receiver = opcode != OPC_invokestatic && opcode != OPC_invokedynamic;
    uint32_t count = descriptor_arg_slots(desc.ptr, desc.len) + has_receiver;
    char kind = descriptor_return_char(desc.ptr, desc.len);
    PlanSite *ps = (PlanSite *)(uintptr_t)plan_site(w->plan, bci);
    Constant result = {0};
    w->sp -= count;
    if (ps) {
        const Site *site = &ps->site;
        Constant args[MOST_ARGS + 1];
        memcpy(args, w->now + w->sp, count * sizeof *args);
        ps->found = find_called(w, ps, args, count, kind);
        if (site->kind == SITE_CALL_LINK_TO) count--;  // the MemberName is not passed on
        if (site->kind == SITE_CALL_LINKED && site->slot)
            args[count++] = compiler_constant_slot(w->plan->method->cls, site->slot, w->epoch);
        // Keeps the arguments for the walk of the callee, in case it is inlined.
        bool known = false;
        for (uint32_t i = 0; i < count; i++) known |= args[i].kind == CONSTANT_OBJECT;
        if (known && !ps->args) {
            ps->args = plan_alloc(count * sizeof *args);
            memcpy(ps->args, args, count * sizeof *args);
            ps->arg_count = count;
        }
        result = result_of(w, ps);
    }
    push_kind(w, kind, result);
}

// ---- instructions -----------------------------------------------------------------------------------

static void walk_field(Walk *w, uint32_t bci, unsigned opcode) {
    ClassFileUtf8 desc = called_descriptor(w->plan, bci);
    char kind = (char)desc.ptr[0];
    const PlanSite *ps = plan_site(w->plan, bci);
    const Field *f = ps ? ps->site.field : NULL;
    Constant value = {0};
    if (opcode == OPC_putfield || opcode == OPC_putstatic) {
        w->sp -= descriptor_slots(kind) + (opcode == OPC_putfield);
        return;
    }
    if (opcode == OPC_getfield) {
        Constant holder = pop(w);
        if (f && holder.kind == CONSTANT_OBJECT) value = compiler_constant_field(holder.object, f, w->epoch);
    } else if (f) {
        value = compiler_constant_static(f, w->epoch);
    }
    push_kind(w, kind, value);
}

static void walk_local(Walk *w, uint32_t bci, unsigned opcode) {
    const char *effect = opcodes_info[opcode].effect;
    unsigned index = 0, slots = opcodes_local(w->plan->code->code, bci, &index);
    if (strcmp(effect, ">") == 0) {  // iinc, ret
        w->now[index] = (Constant){0};
    } else if (effect[0] == '>') {
        push_kind(w, effect[1], w->now[index]);
    } else {
        w->sp -= slots;
        w->now[index] = w->now[w->sp];
        if (slots == 2) w->now[index + 1] = (Constant){0};
    }
}

static void walk_constant(Walk *w, uint32_t bci, unsigned opcode) {
    const uint8_t *code = w->plan->code->code;
    const PlanSite *ps;
    if (opcode >= OPC_iconst_m1 && opcode <= OPC_iconst_5) push(w, number((int32_t)opcode - OPC_iconst_0));
    else if (opcode == OPC_bipush) push(w, number((int8_t)code[bci + 1]));
    else if (opcode == OPC_sipush) push(w, number(bytes_s2(code + bci + 1)));
    else if ((ps = plan_site(w->plan, bci)) && ps->site.kind == SITE_CONST_REF)
        push(w, compiler_constant_slot(w->plan->method->cls, ps->site.slot, w->epoch));
    else push_kind(w, opcode == OPC_ldc2_w ? 'J' : 'I', (Constant){0});
}

static void walk_instruction(Walk *w, uint32_t bci) {
    const uint8_t *code = w->plan->code->code;
    unsigned opcode = opcodes_at(code, bci), flags = opcodes_info[opcode].flags;
    bool constant = (opcode >= OPC_iconst_m1 && opcode <= OPC_iconst_5) || opcode == OPC_bipush ||
        opcode == OPC_sipush || opcode == OPC_ldc || opcode == OPC_ldc_w || opcode == OPC_ldc2_w;
    if (flags & OPF_INVOKE) walk_call(w, bci, opcode);
    else if (flags & OPF_FIELD) walk_field(w, bci, opcode);
    else if (flags & (OPF_LOAD | OPF_STORE)) walk_local(w, bci, opcode);
    else if (constant) walk_constant(w, bci, opcode);
    else if (opcode == OPC_aaload) {
        Constant index = pop(w), array = pop(w);
        bool known = array.kind == CONSTANT_OBJECT && array.stable && index.kind == CONSTANT_INT;
        push(w, known ? compiler_constant_element(array.object, index.number, w->epoch) : (Constant){0});
    } else if (flags & OPF_RETURN) {
        Constant value = opcode == OPC_areturn ? w->now[w->sp - 1] : (Constant){0};
        w->result = w->returned && !same(w->result, value) ? (Constant){0} : value;
        w->returned = true;
    } else if (opcode == OPC_multianewarray) {
        w->sp -= code[bci + 3];
        push(w, (Constant){0});
    } else if (opcode != OPC_checkcast) {  // leaves the value that it has checked
        apply_effect(w, opcodes_info[opcode].effect);
    }
}

// ---- blocks -----------------------------------------------------------------------------------------

// Merges the current values into the block's values at its start.
static void reach(Walk *w, uint32_t block) {
    const FlowBlock *b = &w->plan->flow->blocks[block];
    uint32_t used = w->plan->flow->max_locals + b->stack_depth;
    Constant *entry = w->entry[block];
    if (entry) {
        for (uint32_t i = 0; i < used; i++)
            if (!same(entry[i], w->now[i])) entry[i] = (Constant){0};
        return;
    }
    entry = w->entry[block] = plan_alloc((w->slots + 1) * sizeof *entry);
    memcpy(entry, w->now, used * sizeof *entry);
}

// Keeps only what holds on every path to the block: arguments that are never stored to.
static void forget_changes(const Walk *w, Constant *values) {
    for (uint32_t i = 0; i < w->slots; i++)
        if (i >= w->plan->flow->max_locals || w->stored[i]) values[i] = (Constant){0};
}

static void reach_handlers(Walk *w, const FlowBlock *b) {
    const Dataflow *flow = w->plan->flow;
    for (uint32_t i = 0; i < b->handler_count; i++) {
        uint32_t handler = flow->handlers[b->first_handler + i].block;
        if (w->entry[handler]) continue;
        w->entry[handler] = plan_alloc((w->slots + 1) * sizeof(Constant));
        memcpy(w->entry[handler], w->entry[0], w->plan->flow->max_locals * sizeof(Constant));
        forget_changes(w, w->entry[handler]);
    }
}

static void walk_block(Walk *w, uint32_t block) {
    const Dataflow *flow = w->plan->flow;
    const FlowBlock *b = &flow->blocks[block];
    uint32_t dead = UINT32_MAX, length;
    if (b->is_loop_header) forget_changes(w, w->entry[block]);
    memcpy(w->now, w->entry[block], w->slots * sizeof *w->now);
    w->sp = flow->max_locals + b->stack_depth;
    reach_handlers(w, b);
    for (uint32_t bci = b->start; bci < b->end; bci += length) {
        length = opcodes_length(w->plan->code->code, w->plan->code->code_len, bci);
        // A null test of a known object always goes the same way.
        unsigned opcode = opcodes_at(w->plan->code->code, bci);
        bool tests = opcode == OPC_ifnull || opcode == OPC_ifnonnull;
        if (tests && w->now[w->sp - 1].kind == CONSTANT_OBJECT) dead = opcode == OPC_ifnull ? 0 : 1;
        walk_instruction(w, bci);
    }
    for (uint32_t i = 0; i < b->succ_count; i++)
        if (i != dead) reach(w, flow->edges[b->first_succ + i]);
}

static void find_stores(Walk *w) {
    const ClassFileCode *code = w->plan->code;
    uint32_t length;
    for (uint32_t bci = 0; bci < code->code_len; bci += length) {
        unsigned opcode = opcodes_at(code->code, bci), index = 0;
        length = opcodes_length(code->code, code->code_len, bci);
        bool stores = opcodes_info[opcode].flags & OPF_STORE || opcode == OPC_iinc;
        unsigned slots = stores ? opcodes_local(code->code, bci, &index) : 0;
        for (unsigned i = 0; i < slots; i++) w->stored[index + i] = true;
    }
}

// The method's result, if it is known.
static Constant walk_method(Plan *plan, uint64_t epoch, unsigned depth) {
    const Dataflow *flow = plan->flow;
    if (flow->has_subroutines || flow->irreducible) return (Constant){0};
    Walk w = {.plan = plan, .epoch = epoch, .depth = depth, .slots = (uint32_t)flow->max_locals + flow->max_stack};
    w.entry = plan_alloc(flow->block_count * sizeof *w.entry);
    w.stored = plan_alloc(flow->max_locals + 1u);
    w.now = plan_alloc((w.slots + 2) * sizeof *w.now);
    find_stores(&w);
    w.entry[0] = plan_alloc((w.slots + 1) * sizeof *w.now);
    if (plan->args) memcpy(w.entry[0], plan->args, plan->arg_count * sizeof *plan->args);
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (w.entry[flow->order[i]]) walk_block(&w, flow->order[i]);
    for (uint32_t i = 0; i < flow->block_count; i++) free(w.entry[i]);
    free(w.entry);
    free(w.stored);
    free(w.now);
    return w.returned ? w.result : (Constant){0};
}

void constants_find(Plan *plan, uint64_t epoch) { walk_method(plan, epoch, 0); }
