// Emission of code that has a checking and a duplicated copy, for sampled profiles (jit/analysis/code_versions.h, docs/COMPILER.md).
//
// The unit of emission is the node, a segment of a FlowBlock up to an inlined invocation: its check, if it has
// one, then its copies, of which loops that can be run whole (emit_loop.c) have one more. Nothing but allocas
// connects nodes: the operand stack, which may be that of an invocation in progress, is in its slots, arguments of
// inlined methods are in the locals' allocas. What is known of values (cached locals, not null) ends with the node,
// since control may have come from either copy. An inlined method is emitted once, with both its copies, behind the
// node that invokes it.
//
// Emit.state says where the code being emitted stands with the checks. In *unchecked* code no check has been made
// that answers for it: top-nodes, bottom-nodes, code without copies. Left for the interpreter, it
// asks for a sample there; an event in it has a check of its own.
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

#include <stdio.h>

enum { SAMPLED = 1, LOOK = 2 };  // bits of rt_check's result

// An invocation whose inlined method is being emitted, or was: its frame's state behind the arguments.
struct EmitInvocation {
    EmitFrame *callee;
    uint32_t next;               // node behind it
    uint32_t bci, next_bci;
    char *kinds;                 // of locals
    EmitValue *stack;            // kinds; the values are in the slots
    uint32_t depth, lock_depth;
    LLVMValueRef result;         // alloca, or NULL
    char result_kind;
};

static const Duplicate *duplicate(const Emit *e) { return e->versions->duplicate; }
static const VersionNode *node_at(const Emit *e, uint32_t n) { return &e->versions->nodes[n]; }

// ---- labels and edges ---------------------------------------------------------------------------

void emit_versions_begin(Emit *e, uint32_t entry_block) {
    e->state = e->root->sampling.on ? STATE_UNCHECKED : STATE_CHECKED;
    if (!e->root->sampling.on || e->root->sampling.dup == DUP_NO) return;
    StripMiningOptions wish;
    e->versions = code_versions_make(e->root, entry_block, emit_loops_options(e, &wish) ? &wish : NULL);
    if (!e->versions) return;
    for (int i = 0; i < EMIT_LABELS; i++)
        e->labels[i] = emit_alloc(e->versions->node_count, sizeof *e->labels[i]);
}

void emit_versions_end(Emit *e) {
    code_versions_free(e->versions);
    e->versions = NULL;
    for (int i = 0; i < EMIT_LABELS; i++) free(e->labels[i]);
}

static LLVMBasicBlockRef label(Emit *e, EmitLabel which, uint32_t n) {
    static const char *const prefixes[] = {"b", "dup", "check", "whole"};
    LLVMBasicBlockRef *l = &e->labels[which][n];
    char name[32];
    if (*l) return *l;
    snprintf(name, sizeof name, "%s%u.%u", prefixes[which], n, node_at(e, n)->start);
    return *l = emit_block(e, name);
}

// Where an edge from the code being emitted leads.
static EmitLabel lead(const Emit *e, uint32_t to) {
    const Duplicate *d = duplicate(e);
    uint32_t from = e->frame->node;
    if (e->whole && e->versions->loops[to] == e->versions->loops[from]) return LABEL_CHECK_FREE;
    if (!d->duplicated[to]) return LABEL_CHECKING;
    bool checked = d->checked[to];  // not so where only an exception at the method's very beginning leads
    bool cut = d->place == DUPLICATE_AT_HEADERS ? d->header[to] : d->order[to] <= d->order[from];
    if (checked && (cut || e->state == STATE_UNCHECKED)) return LABEL_CHECK;
    return e->state == STATE_DUPLICATED ? LABEL_DUPLICATED : LABEL_CHECKING;
}

// To a node at which no loop begins.
static void jump_to(Emit *e, uint32_t to) { emit_jump(e, label(e, lead(e, to), to)); }

LLVMBasicBlockRef emit_versions_label(Emit *e, EmitLabel which, uint32_t block) {
    return label(e, which, e->frame->versions->first[block]);
}

bool emit_versions_in_prologue(const Emit *e) {
    return e->versions && node_at(e, e->frame->node)->block == CFG_NONE;
}

// Where the block begins, in that copy; a loop that runs in strips, with a strip.
static LLVMBasicBlockRef block_label(Emit *e, EmitLabel which, uint32_t block) {
    LLVMBasicBlockRef own = emit_versions_label(e, which, block);
    return which == LABEL_CHECKING ? emit_loop_entry(e->frame, block, own) : own;
}

static LLVMBasicBlockRef leave_loop(Emit *e, LLVMBasicBlockRef target) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "leave");
    emit_at(e, edge);
    emit_budget_save(e);
    emit_jump(e, target);
    emit_at(e, here);
    return edge;
}

LLVMBasicBlockRef emit_versions_edge(Emit *e, uint32_t block) {
    const EmitFrame *f = e->frame;
    uint32_t to = f->versions->first[block];
    EmitLabel which = lead(e, to);
    LLVMBasicBlockRef inside = emit_loop_backedge(e, block);
    if (inside) return inside;
    LLVMBasicBlockRef target = block_label(e, which, block);
    if (which == LABEL_CHECK) target = emit_loop_from_outside(e, block, target);
    if (emit_loop_is_left(e, block)) target = leave_loop(e, target);
    if (duplicate(e)->order[to] > duplicate(e)->order[f->node]) return target;
    if (which == LABEL_CHECK && e->root->tier != TIER_BASELINE) return target;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), edge = emit_block(e, "back");
    emit_at(e, edge);
    EmitState state = e->state;
    if (which == LABEL_CHECK) e->state = STATE_UNCHECKED;  // who leaves for better code has not made it
    emit_count_backedge(e, block);
    e->state = state;
    if (which == LABEL_CHECK) emit_jump(e, target);
    else emit_poll(e, block, target);
    emit_at(e, here);
    return edge;
}

static EmitState state_of(const Emit *e, uint32_t n, bool copy) {
    const Duplicate *d = duplicate(e);
    if (copy) return STATE_DUPLICATED;
    return d->mode == DUPLICATE_PARTIAL && (d->top[n] || d->bottom[n]) ? STATE_UNCHECKED : STATE_CHECKED;
}

// ---- checks -------------------------------------------------------------------------------------

// One off the budget: i1, whether rt_check must be asked.
static LLVMValueRef count_check(Emit *e) {
    LLVMValueRef place = e->loop ? e->loop->budget : emit_offset_const(e, e->thread, e->layout->thread_budget);
    LLVMValueRef old = emit_load(e, e->i32, place, 0);
    LLVMValueRef left = LLVMBuildSub(e->builder, old, emit_int(e, 1), "");
    emit_store(e, left, place, 0);
    return LLVMBuildICmp(e->builder, LLVMIntSLT, left, emit_int(e, 0), "");
}

static LLVMValueRef has_bit(Emit *e, LLVMValueRef answer, int bit) {
    LLVMValueRef bits = LLVMBuildAnd(e->builder, answer, emit_int(e, bit), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, emit_int(e, 0), "");
}

static bool is_prologue(const Emit *e, uint32_t n) { return node_at(e, n)->block == CFG_NONE; }

// Attention: code is left in front of the node, in the copy that the check chose.
static void leave_at_check(Emit *e, uint32_t n, LLVMValueRef answer) {
    uint16_t reason = e->root->stress ? DEOPT_stress : DEOPT_invalidated;
    LLVMBasicBlockRef out[2] = {emit_block(e, "exit"), emit_block(e, "exit")};
    emit_branch(e, has_bit(e, answer, SAMPLED), out[1], out[0], -1);
    for (int copy = 0; copy < 2; copy++) {
        emit_at(e, out[copy]);
        e->state = copy ? STATE_DUPLICATED : STATE_CHECKED;
        if (copy && is_prologue(e, n)) emit_own_entry_event(e);  // the interpreter begins behind it
        emit_deopt(e, reason);
    }
    e->state = STATE_CHECKED;
}

// Before a synchronized method has its monitor there is no way out but an exception; attention is looked at when
// it has it.
static void look(Emit *e, uint32_t n, LLVMValueRef answer, LLVMBasicBlockRef decide) {
    if (is_prologue(e, n) && e->frame->monitor) {
        emit_branch(e, emit_is_null(e, emit_exception(e)), decide, emit_outside(e), -1);
        return;
    }
    emit_test_pending(e, is_prologue(e, n) ? emit_outside(e) : emit_unwind_label(e), decide);
    leave_at_check(e, n, answer);
}

// Where a loop goes back to with the budget in a register; who comes from outside fetches it.
static void begin_register_check(Emit *e, LLVMBasicBlockRef again) {
    e->loop = emit_loop_around(e->frame);
    emit_budget_load(e);
    emit_jump(e, again);
    emit_at(e, again);
}

// The builder is at the check of node n, whose state is that of its beginning.
static void emit_check_at(Emit *e, uint32_t n) {
    uint32_t block = node_at(e, n)->block;
    bool stress = e->root->stress, begins = !is_prologue(e, n) && e->frame->versions->first[block] == n;
    LLVMBasicBlockRef again = begins ? emit_loop_check(e->frame, block) : NULL;
    LLVMBasicBlockRef checking = begins ? block_label(e, LABEL_CHECKING, block) : label(e, LABEL_CHECKING, n);
    LLVMBasicBlockRef slow = emit_block(e, "sample"), pending = emit_block(e, "look");
    LLVMBasicBlockRef decide = emit_block(e, "decide"), from;
    if (again) begin_register_check(e, again);
    if (e->unit->options->poll_everywhere) emit_poll_quietly(e);
    LLVMValueRef zero = emit_int(e, 0);
    from = LLVMGetInsertBlock(e->builder);
    emit_branch(e, count_check(e), slow, stress ? pending : checking, 0);
    emit_at(e, slow);
    LLVMValueRef answer = emit_runtime(e, RT_check, NULL, 0);
    if (stress) {
        slow = LLVMGetInsertBlock(e->builder);
        emit_jump(e, pending);
        emit_at(e, pending);
        answer = emit_phi2(e, e->i32, zero, from, answer, slow);
    } else {
        emit_branch(e, has_bit(e, answer, LOOK), pending, decide, 0);
        emit_at(e, pending);
    }
    look(e, n, answer, decide);
    emit_at(e, decide);
    emit_branch(e, has_bit(e, answer, SAMPLED), label(e, LABEL_DUPLICATED, n), checking, -1);
    e->loop = NULL;
}

// ---- events -------------------------------------------------------------------------------------

// Functions that report look at nothing of the heap but the stack's methods: what is known about it stays so.
static void report(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count) {
    LLVMValueRef call = emit_runtime(e, id, args, count);
    if (compiler_runtime_calls[id].kind != RUNTIME_CALL) emit_tag(e, call, "event");
}

static enum RuntimeCallId probe_of(enum RuntimeCallId id) {
    switch (id) {
        case RT_method_entry: return RT_entry_probe;
        case RT_field_event: return RT_field_probe;
        default: return RT_branch_probe;
    }
}

void emit_event(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count) {
    if (!e->root->sampling.on || e->state == STATE_DUPLICATED) {
        report(e, id, args, count);
        return;
    }
    if (e->state == STATE_CHECKED) return;
    LLVMBasicBlockRef slow = emit_block(e, "sample"), next = emit_block(e, "go.on");
    emit_branch(e, count_check(e), slow, next, 0);
    emit_at(e, slow);
    report(e, probe_of(id), args, count);
    emit_jump(e, next);
    emit_at(e, next);
}

// ---- invocations --------------------------------------------------------------------------------

bool emit_versions_inlines(const Emit *e, const Plan *plan) {
    if (!e->versions) return false;
    const PlanSite *site = node_at(e, e->frame->node)->inlined;
    return site && site->inlined == plan;
}

// The state behind the arguments, the same for each copy of the node.
static struct EmitInvocation *begin_invocation(Emit *e, const Plan *plan, char result) {
    EmitFrame *f = e->frame;
    struct EmitInvocation *v = emit_alloc(1, sizeof *v);
    *v = (struct EmitInvocation){.next = node_at(e, f->node)->next, .bci = f->bci, .next_bci = f->next_bci,
                                 .depth = f->depth, .lock_depth = f->lock_depth, .result_kind = result};
    v->kinds = emit_alloc(f->plan->flow->max_locals + 1u, 1);
    memcpy(v->kinds, f->local_kinds, f->plan->flow->max_locals);
    v->stack = emit_alloc(f->depth, sizeof *v->stack);
    memcpy(v->stack, f->stack, f->depth * sizeof *v->stack);
    if (result != 'V') v->result = emit_alloca(e, emit_type(e, result), "result");
    v->callee = emit_frame_enter(e, plan);
    v->callee->return_value = v->result;
    v->callee->versions = code_versions_frame(e->versions, plan);
    v->callee->nonnull_base = f->nonnull_base;
    v->callee->this_nonnull = !method_is_static(plan->method) && !v->callee->stored[0];
    e->frame = f;
    return v;
}

static void end_invocation(struct EmitInvocation *v) {
    if (!v) return;
    free(v->kinds);
    free(v->stack);
    free(v);
}

void emit_versions_invoke(Emit *e, const Plan *plan, char result, const char *shape, LLVMValueRef *args) {
    EmitFrame *f = e->frame;
    if (!f->invocation) f->invocation = begin_invocation(e, plan, result);
    emit_spill_stack(e);
    EmitFrame *callee = e->frame = f->invocation->callee;
    for (uint32_t index = 0; *shape; index += 1 + emit_is_wide(*shape), shape++, args++)
        emit_store_local(e, index, *shape, *args);
    e->frame = f;
    jump_to(e, callee->versions->prologue);
}

void emit_versions_join(Emit *e, LLVMValueRef result) {
    const struct EmitInvocation *v = e->frame->invocation;
    emit_spill_stack(e);
    if (result) LLVMBuildStore(e->builder, result, v->result);
    jump_to(e, v->next);
}

void emit_versions_return(Emit *e, LLVMValueRef result) {
    if (result) LLVMBuildStore(e->builder, result, e->frame->return_value);
    jump_to(e, e->frame->parent->invocation->next);
}

// ---- nodes --------------------------------------------------------------------------------------

// State at the beginning of a node; `before`: the invocation that it comes behind.
static void begin_node(Emit *e, uint32_t n, const struct EmitInvocation *before) {
    EmitFrame *f = e->frame;
    const VersionNode *node = node_at(e, n);
    emit_block_begins(e, node->block);
    f->node = n;
    f->bci = f->next_bci = node->start;
    if (!before) return;
    uint32_t slot = 0;
    memcpy(f->local_kinds, before->kinds, f->plan->flow->max_locals);
    f->lock_depth = f->before_locks = before->lock_depth;
    f->depth = 0;
    for (uint32_t i = 0; i < before->depth; i++) {
        char kind = before->stack[i].kind;
        emit_push(e, kind, emit_load_slot(e, f, slot, kind));
        slot += 1 + emit_is_wide(kind);
    }
    if (before->result)
        emit_push(e, before->result_kind,
                  LLVMBuildLoad2(e->builder, emit_type(e, before->result_kind), before->result, ""));
}

// What the copy is that is emitted from here on. `around`: the frame of the loop around it.
static void begin_copy(Emit *e, uint32_t n, EmitLabel which, const EmitFrame *around) {
    e->state = state_of(e, n, which == LABEL_DUPLICATED);
    e->loop = which == LABEL_DUPLICATED ? NULL : emit_loop_around(around);
    e->whole = which == LABEL_CHECK_FREE;
}

static void end_copy(Emit *e) {
    e->loop = NULL;
    e->whole = false;
}

static bool has_whole_copy(const EmitFrame *around) {
    const EmitLoop *s = emit_loop_around(around);
    return s && s->whole;
}

static void emit_copy(Emit *e, uint32_t n, const struct EmitInvocation *before, EmitLabel which) {
    if (e->unit->bailout) return;
    emit_at(e, label(e, which, n));
    begin_node(e, n, before);
    begin_copy(e, n, which, e->frame);
    if (!before) emit_loop_block(e);
    emit_instructions(e, node_at(e, n)->start, node_at(e, n)->end);
    end_copy(e);
}

static void emit_node(Emit *e, uint32_t n, const struct EmitInvocation *before) {
    if (duplicate(e)->checked[n]) {
        emit_at(e, label(e, LABEL_CHECK, n));
        begin_node(e, n, before);
        emit_keep_before(e->frame);
        e->state = STATE_CHECKED;  // for an exception that the check throws
        emit_check_at(e, n);
    }
    emit_copy(e, n, before, LABEL_CHECKING);
    if (duplicate(e)->duplicated[n]) emit_copy(e, n, before, LABEL_DUPLICATED);
    if (has_whole_copy(e->frame)) emit_copy(e, n, before, LABEL_CHECK_FREE);
}

static void begin_prologue(Emit *e, uint32_t n, EmitLabel which) {
    EmitFrame *f = e->frame;
    emit_at(e, label(e, which, n));
    emit_frame_at(f, 0);
    emit_forget_locals(e);
    e->nonnull_count = f->nonnull_base;
    f->node = n;
    f->locked = false;
}

static void emit_prologue_copy(Emit *e, uint32_t n, EmitLabel which) {
    begin_prologue(e, n, which);
    begin_copy(e, n, which, e->frame->parent);  // it stands before all loops of its own
    emit_prologue_body(e);
    emit_jump(e, emit_versions_edge(e, 0));
    end_copy(e);
}

// The event of the entry and taking the monitor; the arguments are bound.
static void emit_prologue(Emit *e, uint32_t n) {
    if (duplicate(e)->checked[n]) {
        begin_prologue(e, n, LABEL_CHECK);
        e->state = STATE_CHECKED;
        emit_check_at(e, n);
    }
    emit_prologue_copy(e, n, LABEL_CHECKING);
    if (duplicate(e)->duplicated[n]) emit_prologue_copy(e, n, LABEL_DUPLICATED);
    if (has_whole_copy(e->frame->parent)) emit_prologue_copy(e, n, LABEL_CHECK_FREE);
}

static void emit_nodes(Emit *e);

// The inlined method, while its caller stands at the invocation.
static void emit_invoked(Emit *e, struct EmitInvocation *v) {
    EmitFrame *f = e->frame;
    f->invocation = v;
    f->bci = v->bci;
    f->next_bci = v->next_bci;
    f->depth = v->depth;
    memcpy(f->stack, v->stack, v->depth * sizeof *f->stack);
    memcpy(f->local_kinds, v->kinds, f->plan->flow->max_locals);
    f->lock_depth = f->before_locks = v->lock_depth;
    e->frame = v->callee;
    emit_loops_begin(e);
    emit_prologue(e, v->callee->versions->prologue);
    emit_nodes(e);
    emit_frame_leave(e);
    f->invocation = NULL;
}

static void emit_nodes_of(Emit *e, uint32_t block) {
    EmitFrame *f = e->frame;
    struct EmitInvocation *before = NULL;
    for (uint32_t n = f->versions->first[block]; n != CFG_NONE && !e->unit->bailout; n = node_at(e, n)->next) {
        emit_node(e, n, before);
        end_invocation(before);
        before = f->invocation;
        f->invocation = NULL;
        if (!before) return;  // the block ends, or code is left in front of the invocation
        emit_invoked(e, before);
    }
    end_invocation(before);
}

static void emit_nodes(Emit *e) {
    const EmitFrame *f = e->frame;
    const Dataflow *flow = f->plan->flow;
    for (uint32_t i = 0; i < flow->block_count && !e->unit->bailout; i++)
        if (f->versions->first[flow->order[i]] != CFG_NONE) emit_nodes_of(e, flow->order[i]);
    if (!e->unit->bailout) emit_dispatches(e);
}

void emit_versions(Emit *e) {
    const Duplicate *d = duplicate(e);
    uint32_t entry = e->versions->graph.entry;
    EmitLabel which = d->entry == TARGET_CHECK && d->place == DUPLICATE_AT_HEADERS ? LABEL_CHECK : LABEL_CHECKING;
    emit_loops_begin(e);
    if (is_prologue(e, entry)) {
        emit_jump(e, label(e, which, entry));
        emit_prologue(e, entry);
    } else {
        emit_jump(e, block_label(e, which, node_at(e, entry)->block));
    }
    emit_nodes(e);
}
