// The walk over the nodes of the code (jit/analysis/code_versions.h, docs/COMPILER.md), each in all of its versions.
//
// A node is a segment of a FlowBlock up to an inlined invocation. A node's check, if it has one, precedes its versions.
// An inlined method is emitted after the node that invokes it; its frame lives from there to its last node.
//
// The state of a frame at the beginning of a node depends on the number of versions. With several, control may come
// from any of them, so only allocas connect nodes: the operand stack, which may be that of an invocation in progress,
// is in its slots, arguments of inlined methods are in the locals' allocas, and facts about values (cached locals,
// non-null references) end with the node. With one version, values remain valid in the node after an inlined
// invocation, and arguments are the values that were passed. Allocas connect blocks of bytecode in both cases.
#include "jit/emit/emit_core.h"

#include <stdio.h>

// An invocation whose inlined methods (one for each target) are being or have been emitted: the frame's state after its
// arguments were popped.
struct EmitInvocation {
    JavaFrame *callees[PLAN_TARGETS];  // NULL: that target is not inlined
    uint32_t next;                     // the node after the invocation
    uint32_t bci, next_bci;
    char *kinds;        // of locals
    TypedValue *stack;  // with several versions, the values are in the slots
    uint32_t depth, lock_depth;
    uint32_t nonnull_count;
    LLVMValueRef result;    // alloca, or NULL
    LLVMValueRef argument;  // the first one, with a single version of a single target
    const PlanSite *site;
    char result_kind;
};

static const VersionNode *node_at(const Emit *e, uint32_t n) { return &e->versions->nodes[n]; }

// ---- versions -----------------------------------------------------------------------------------

// The version of a node for a label. `around`: the innermost frame whose loops may contain the node.
static Version version_of(const Emit *e, uint32_t n, EmitLabel which, const JavaFrame *around) {
    const Duplicate *d = e->versions->duplicate;
    if (which == LABEL_DUPLICATED) return (Version){VERSION_DUPLICATED, NULL};
    Version v = {VERSION_CHECKING, emit_loop_budget(around)};
    bool unchecked = !d || (d->mode == DUP_PARTIAL && (d->top[n] || d->bottom[n]));
    if (which == LABEL_CHECK_FREE) v.kind = VERSION_CHECK_FREE;
    else if (!e->root->sampling.on) v.kind = VERSION_ONLY;
    else if (unchecked) v.kind = VERSION_UNCHECKED;
    return v;
}

static bool has_version(const Emit *e, uint32_t n, EmitLabel which, const JavaFrame *around) {
    const EmitLoop *loop;
    switch (which) {
        case LABEL_DUPLICATED:
            return e->versions->duplicate && !e->versions->exits && e->versions->duplicate->duplicated[n];
        case LABEL_CHECK_FREE: return (loop = emit_loop_around(around)) && loop->check_free;
        default: return true;
    }
}

static bool checks_entry(const Emit *e);  // whether the root makes a check at its entry

void emit_versions_begin(Emit *e, uint32_t entry_block) {
    e->versions = code_versions_make(e->root, entry_block, strip_mining_options(e->root, e->unit->options));
    e->frames->version.kind = e->root->sampling.on ? VERSION_UNCHECKED : VERSION_ONLY;
    if (e->versions->exits && !checks_entry(e)) e->frames->version.kind = VERSION_CHECKING;
    e->frames->top->versions = &e->versions->frames[0];
    for (int i = 0; i < EMIT_LABELS; i++) e->labels[i] = grow_zeroed(e->versions->node_count, sizeof *e->labels[i]);
    probe_begin(e->probes, e->versions);
}

void emit_versions_end(Emit *e) {
    probe_end(e->probes);
    code_versions_free(e->versions);
    e->versions = NULL;
    for (int i = 0; i < EMIT_LABELS; i++) free(e->labels[i]);
}

// ---- labels and edges ---------------------------------------------------------------------------

LLVMBasicBlockRef emit_versions_label(Emit *e, EmitLabel which, uint32_t n) {
    static const char *const prefixes[] = {"b", "dup", "free", "check"};
    LLVMBasicBlockRef *l = &e->labels[which][n];
    char name[32];
    if (*l) return *l;
    snprintf(name, sizeof name, "%s%u.%u", prefixes[which], n, node_at(e, n)->start);
    return *l = ir_block(e->ir, name);
}

LLVMBasicBlockRef emit_versions_block_label(Emit *e, EmitLabel which, uint32_t block) {
    return emit_versions_label(e, which, e->frames->top->versions->first[block]);
}

LLVMBasicBlockRef emit_versions_entry_label(Emit *e, EmitLabel which, uint32_t block) {
    LLVMBasicBlockRef own = emit_versions_block_label(e, which, block);
    const EmitLoop *loop = emit_loop_at(e->frames->top, block);
    return which == LABEL_CHECKING && loop && loop->entry ? loop->entry : own;
}

bool emit_versions_is_prologue(const Emit *e, uint32_t n) { return node_at(e, n)->block == CFG_NONE; }

// Whether a check precedes the node. A synchronized method that may be left at its entry makes the check after taking
// its monitor.
static bool has_check(const Emit *e, uint32_t n) {
    const VersionNode *node = node_at(e, n);
    if (!e->versions->duplicate || !e->versions->duplicate->checked[n]) return false;
    return !e->versions->exits || node->block != CFG_NONE || !frames_has_monitor(node->plan->method);
}

// The label that an edge from the code being emitted to a node leads to.
static EmitLabel edge_target(const Emit *e, uint32_t to) {
    const Duplicate *d = e->versions->duplicate;
    const uint32_t *loops = e->versions->check_free_loops;
    uint32_t from = e->frames->top->node;
    if (e->frames->version.kind == VERSION_CHECK_FREE && loops[to] == loops[from]) return LABEL_CHECK_FREE;
    if (!d || !d->duplicated[to]) return LABEL_CHECKING;
    bool checked = has_check(e, to);  // false if only an exception at the method's beginning leads there
    bool begins = e->versions->exits && e->versions->graph.begins[to];
    bool cut = begins || (d->place == CHECKS_ALL ? d->header[to] : d->order[to] <= d->order[from]);
    bool answered = e->frames->version.kind != VERSION_UNCHECKED && e->frames->version.kind != VERSION_REPLACING;
    if (checked && (cut || !answered)) return LABEL_CHECK;
    return e->frames->version.kind == VERSION_DUPLICATED ? LABEL_DUPLICATED : LABEL_CHECKING;
}

static LLVMBasicBlockRef leave_loop(Emit *e, LLVMBasicBlockRef target) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "leave");
    ir_at(ir, edge);
    frames_budget_save(e->frames);
    ir_jump(ir, target);
    ir_at(ir, here);
    return edge;
}

// Ends the block: an edge to the header of an outer loop. Leaves the code when the method has code for that loop, or
// should get it (Method.outer_backedges). The interpreter then makes the header's check.
static void test_outer_loop(Emit *e, uint32_t header, LLVMBasicBlockRef target) {
    Ir *ir = e->ir;
    Version version = e->frames->version;
    LLVMBasicBlockRef leave = ir_block(ir, "outer.leave"), stay = ir_block(ir, "outer.stay");
    LLVMValueRef method = ir_symbol(ir, SYMBOL_METHOD, e->frames->top->method);
    LLVMValueRef left = ir_load(ir, ir->i32, method, offsetof(Method, outer_backedges));
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntSLT, left, ir_int(ir, 0), ""), leave, stay, 0);
    ir_at(ir, leave);
    if (e->root->sampling.on) e->frames->version.kind = VERSION_UNCHECKED;
    emit_deopt_at(e, DEOPT_loop, header);
    e->frames->version = version;
    ir_at(ir, stay);
    left = LLVMBuildSub(ir->builder, left, ir_int(ir, 1), "");
    ir_store(ir, left, method, offsetof(Method, outer_backedges));
    ir_jump(ir, target);
}

static LLVMBasicBlockRef edge_inside(Emit *e, uint32_t block) {
    Ir *ir = e->ir;
    const Duplicate *d = e->versions->duplicate;
    uint32_t from = e->frames->top->node, to = e->frames->top->versions->first[block];
    EmitLabel which = edge_target(e, to);
    LLVMBasicBlockRef inside = emit_loop_backedge(e, block);
    if (inside) return inside;
    LLVMBasicBlockRef target = emit_versions_entry_label(e, which, block);
    if (which == LABEL_CHECK) target = emit_loop_from_outside(e, block, target);
    else target = emit_loop_enter(e, block, target);
    if (emit_loop_is_left(e, block)) target = leave_loop(e, target);
    if (d ? d->order[to] > d->order[from] : to > from) return target;
    if (which == LABEL_CHECK) return target;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), edge = ir_block(ir, "back");
    ir_at(ir, edge);
    emit_poll(e, block, target);
    ir_at(ir, here);
    return edge;
}

LLVMBasicBlockRef emit_edge_to(Emit *e, uint32_t block) {
    LLVMBasicBlockRef target = edge_inside(e, block);
    if (e->frames->top->parent || !e->versions->outer_loops || !e->versions->outer_loops[block]) return target;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->ir->builder), edge = ir_block(e->ir, "outer");
    ir_at(e->ir, edge);
    test_outer_loop(e, block, target);
    ir_at(e->ir, here);
    return edge;
}

LLVMBasicBlockRef emit_edge(Emit *e, uint32_t successor) {
    const Dataflow *flow = e->frames->top->plan->flow;
    return emit_edge_to(e, flow->edges[flow->blocks[e->frames->top->block].first_succ + successor]);
}

// ---- invocations --------------------------------------------------------------------------------

bool emit_versions_inlines(const Emit *e, const Plan *plan) {
    const PlanSite *site = node_at(e, e->frames->top->node)->inlined;
    for (uint32_t i = 0; site && i < PLAN_TARGETS; i++)
        if (plan_inlined(site, i) == plan) return true;
    return false;
}

// The state after the arguments were popped, the same for each version of the node.
void emit_versions_meet(Emit *e, char result) {
    JavaFrame *f = e->frames->top;
    if (f->invocation) return;
    const VersionNode *node = node_at(e, f->node);
    struct EmitInvocation *v = grow_zeroed(1, sizeof *v);
    *v = (struct EmitInvocation){.next = node->next,
                                 .bci = f->bci,
                                 .next_bci = f->next_bci,
                                 .depth = f->depth,
                                 .lock_depth = f->lock_depth,
                                 .nonnull_count = e->frames->nonnull_count,
                                 .result_kind = result,
                                 .site = node->inlined};
    v->kinds = grow_zeroed(f->plan->flow->max_locals + 1u, 1);
    memcpy(v->kinds, f->local_kinds, f->plan->flow->max_locals);
    v->stack = grow_zeroed(f->depth, sizeof *v->stack);
    memcpy(v->stack, f->stack, f->depth * sizeof *v->stack);
    if (result != 'V') v->result = ir_alloca(e->ir, ir_type(e->ir, result), "result");
    for (uint32_t i = 0; i < PLAN_TARGETS; i++) {
        if (node->callees[i] == CFG_NONE) continue;
        v->callees[i] = frames_enter(e->frames, plan_inlined(node->inlined, i));
        probe_path_frame(e->probes, v->callees[i]);
        v->callees[i]->versions = &e->versions->frames[node->callees[i]];
        v->callees[i]->nonnull_base = f->nonnull_base;
        e->frames->top = f;
    }
    f->invocation = v;
}

static void end_invocation(struct EmitInvocation *v) {
    if (!v) return;
    free(v->kinds);
    free(v->stack);
    free(v);
}

void emit_versions_invoke(Emit *e, const Plan *plan, char result, const char *shape, LLVMValueRef *args) {
    JavaFrame *f = e->frames->top;
    emit_versions_meet(e, result);
    uint32_t which = 0;
    while (plan_inlined(f->invocation->site, which) != plan) which++;
    JavaFrame *callee = f->invocation->callees[which];
    if (emit_versions_several(e, f)) {
        frames_spill_stack(e->frames);
        e->frames->top = callee;
        for (uint32_t index = 0; *shape; index += 1 + ir_is_wide(*shape), shape++, args++)
            frames_store_local(e->frames, index, *shape, *args);
        callee->this_nonnull = !method_is_static(plan->method) && !callee->stored[0];
    } else {
        e->frames->top = callee;
        f->invocation->argument = *shape && !f->invocation->site->more_count ? args[0] : NULL;
        frames_bind_args(e->frames, shape, args);
    }
    e->frames->top = f;
    ir_jump(e->ir, emit_versions_label(e, edge_target(e, callee->versions->prologue), callee->versions->prologue));
}

void emit_versions_join(Emit *e, const JavaFrame *caller, LLVMValueRef result) {
    const struct EmitInvocation *v = caller->invocation;
    if (caller == e->frames->top && emit_versions_several(e, caller)) frames_spill_stack(e->frames);
    if (result) LLVMBuildStore(e->ir->builder, result, v->result);
    ir_jump(e->ir, emit_versions_label(e, edge_target(e, v->next), v->next));
}

// ---- nodes --------------------------------------------------------------------------------------

// State at the beginning of a node. `v`: the invocation that it follows, or NULL.
static void begin_node(Emit *e, uint32_t n, const struct EmitInvocation *v) {
    JavaFrame *f = e->frames->top;
    const VersionNode *node = node_at(e, n);
    if (!v || emit_versions_several(e, f)) {
        frames_block_begins(e->frames, node->block);
        e->compared.result = NULL;
    } else {
        f->depth = v->depth;
    }
    f->node = n;
    f->bci = f->next_bci = node->start;
    if (!v) return;
    if (emit_versions_several(e, f)) {
        // The operand stack after an invocation is in its slots.
        uint32_t slot = 0;
        memcpy(f->local_kinds, v->kinds, f->plan->flow->max_locals);
        f->lock_depth = f->before_locks = v->lock_depth;
        f->depth = 0;
        for (uint32_t i = 0; i < v->depth; i++) {
            char kind = v->stack[i].kind;
            frames_push(e->frames, kind, frames_load_slot(e->frames, f, slot, kind));
            slot += 1 + ir_is_wide(kind);
        }
    } else e->frames->nonnull_count = v->nonnull_count;
    if (v->result) {
        LLVMValueRef result = LLVMBuildLoad2(e->ir->builder, ir_type(e->ir, v->result_kind), v->result, "");
        if (v->argument) result = emit_boxed(e, v->site->inlined, v->argument, result);
        frames_push(e->frames, v->result_kind, result);
    }
}

// The check that chooses between the versions of a node. Its exceptions are those of checking code.
static void emit_check_of(Emit *e, uint32_t n) {
    Version outside = e->frames->version;
    e->frames->version = (Version){VERSION_CHECKING, NULL};
    if (e->versions->exits && emit_versions_is_prologue(e, n))
        e->frames->version.loop = emit_loop_budget(e->frames->top->parent);
    emit_sample_check(e, n);
    e->frames->version = outside;
}

static void emit_node(Emit *e, uint32_t n, const struct EmitInvocation *v) {
    if (has_check(e, n)) {
        ir_at(e->ir, emit_versions_label(e, LABEL_CHECK, n));
        begin_node(e, n, v);
        frames_keep_before(e->frames->top);
        emit_check_of(e, n);
    }
    for (EmitLabel which = LABEL_CHECKING; which <= LABEL_CHECK_FREE && !e->unit->bailout; which++)
        if (has_version(e, n, which, e->frames->top)) {
            Version outside = e->frames->version;
            ir_at(e->ir, emit_versions_label(e, which, n));
            begin_node(e, n, v);
            e->frames->version = version_of(e, n, which, e->frames->top);
            if (!v) emit_loop_block(e);
            probe_ring_node_begins(e->probes, n);
            emit_instructions(e, node_at(e, n)->start, node_at(e, n)->end);
            probe_ring_node_ends(e->probes, n);
            e->frames->version = outside;
        }
}

static void begin_prologue(Emit *e, uint32_t n, EmitLabel which) {
    JavaFrame *f = e->frames->top;
    ir_at(e->ir, emit_versions_label(e, which, n));
    frames_at(f, 0);
    frames_forget_locals(e->frames);
    e->frames->nonnull_count = f->nonnull_base;
    f->node = n;
    f->locked = false;
}

// The entry event and taking the monitor; the arguments are bound. The prologue precedes all loops of the method.
static void emit_prologue(Emit *e, uint32_t n) {
    const JavaFrame *around = e->frames->top->parent;
    Version outside = e->frames->version;
    bool checked = has_check(e, n), locked = e->versions->exits && !checked && e->versions->duplicate->checked[n];
    if (checked) {
        begin_prologue(e, n, LABEL_CHECK);
        emit_check_of(e, n);
    }
    for (EmitLabel which = LABEL_CHECKING; which <= LABEL_CHECK_FREE; which++) {
        if (!has_version(e, n, which, around)) continue;
        begin_prologue(e, n, which);
        e->frames->version = version_of(e, n, which, around);
        probe_ring_node_begins(e->probes, n);
        emit_prologue_body(e, locked ? n : CFG_NONE);
        probe_ring_node_ends(e->probes, n);
        ir_jump(e->ir, emit_edge_to(e, 0));
        e->frames->version = outside;
    }
}

static void emit_nodes(Emit *e);

// An inlined method, while its caller is at the invocation.
static void emit_callee(Emit *e, const struct EmitInvocation *v, JavaFrame *callee) {
    JavaFrame *f = e->frames->top;
    f->bci = v->bci;
    f->next_bci = v->next_bci;
    f->depth = v->depth;
    memcpy(f->stack, v->stack, v->depth * sizeof *f->stack);
    memcpy(f->local_kinds, v->kinds, f->plan->flow->max_locals);
    f->lock_depth = f->before_locks = v->lock_depth;
    e->frames->top = callee;
    if (!emit_versions_several(e, f)) {
        e->frames->nonnull_count = v->nonnull_count;
        frames_bind_receiver(e->frames);
    }
    emit_loops_begin(e);
    emit_prologue(e, callee->versions->prologue);
    emit_nodes(e);
    emit_frame_leave(e);
}

static void emit_nodes_of(Emit *e, uint32_t block) {
    JavaFrame *f = e->frames->top;
    struct EmitInvocation *v = NULL;
    for (uint32_t n = f->versions->first[block]; n != CFG_NONE && !e->unit->bailout; n = node_at(e, n)->next) {
        emit_node(e, n, v);
        end_invocation(v);
        v = f->invocation;
        f->invocation = NULL;
        if (!v) return;  // the block ends, or code is left before the invocation
        f->invocation = v;
        for (uint32_t i = 0; i < PLAN_TARGETS && !e->unit->bailout; i++)
            if (v->callees[i]) emit_callee(e, v, v->callees[i]);
        f->invocation = NULL;
    }
    end_invocation(v);
}

static void emit_nodes(Emit *e) {
    const JavaFrame *f = e->frames->top;
    const Dataflow *flow = f->plan->flow;
    for (uint32_t i = 0; i < flow->block_count && !e->unit->bailout; i++)
        if (f->versions->first[flow->order[i]] != CFG_NONE) emit_nodes_of(e, flow->order[i]);
    if (!e->unit->bailout) emit_dispatches(e);
}

// Jumps to the version that the interpreter's check chose. That check is the loop header's, so it is not repeated.
static void enter_at_loop(Emit *e, uint32_t entry) {
    Ir *ir = e->ir;
    const Duplicate *d = e->versions->duplicate;
    uint32_t block = node_at(e, entry)->block;
    LLVMBasicBlockRef checking = emit_versions_entry_label(e, LABEL_CHECKING, block);
    const EmitLoop *loop = emit_loop_at(e->frames->top, block);
    if (loop && loop->again) emit_loop_keep(e, loop);
    if (!d || !d->duplicated[entry] || e->versions->exits) {
        ir_jump(ir, checking);
        return;
    }
    LLVMBasicBlockRef outside = ir_block(ir, "replaces");
    LLVMValueRef sampled = frames_runtime(e->frames, RT_osr_checked, NULL, 0);
    LLVMValueRef condition = LLVMBuildICmp(ir->builder, LLVMIntNE, sampled, ir_int(ir, 0), "");
    ir_branch(ir, condition, emit_versions_label(e, LABEL_DUPLICATED, entry), outside, -1);
    ir_at(ir, outside);
    ir_jump(ir, checking);
}

// If the entry node is not duplicated, no version matches the result of the interpreter's check. The check is taken
// back, and the code makes a check for each of its events.
void emit_osr_check(Emit *e) {
    if (!e->root->sampling.on || e->versions->exits) return;
    const Duplicate *d = e->versions->duplicate;
    e->frames->version.kind = VERSION_UNCHECKED;
    if (d && d->duplicated[e->versions->entry]) return;  // enter_at_loop
    frames_budget_save(e->frames);
    frames_runtime(e->frames, RT_osr_unchecked, NULL, 0);
    frames_budget_load(e->frames);
}

static bool checks_entry(const Emit *e) {
    const Duplicate *d = e->versions->duplicate;
    if (e->versions->exits) return has_check(e, e->versions->entry) && emit_versions_is_prologue(e, e->versions->entry);
    return d && d->entry == TARGET_CHECK && d->place == CHECKS_ALL;
}

void emit_versions(Emit *e) {
    uint32_t entry = e->versions->entry;
    EmitLabel which = checks_entry(e) ? LABEL_CHECK : LABEL_CHECKING;
    emit_loops_begin(e);
    if (emit_versions_is_prologue(e, entry)) {
        ir_jump(e->ir, emit_versions_label(e, which, entry));
        emit_prologue(e, entry);
    } else {
        enter_at_loop(e, entry);
    }
    emit_nodes(e);
}
