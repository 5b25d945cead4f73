// Duplicated code in a function of its own (CodeVersions.split), so that the function that is usually run has the registers,
// the layout and the loops that it has without a profile.
//
//        hot:    check n:  --budget < 0? rt_check says yes:
//                          state -> buffer; number = apart(buffer, n)
//                          0: the method is done, its result is in the buffer
//                          k + 1: state <- buffer, on to check k
//        apart:  n:        state <- buffer, on in duplicated code
//                check k:  state -> buffer, return k + 1
//
// The state at a node is what all frames hold there that is alive, outermost first: locals and operands, 8 bytes each. What
// cannot have changed on the way from n to k is not read back, so that LLVM sees that it stays the same in a loop. Objects that
// vanish in checking code are made for the other one, and vanish again when they come back (jit/escape/escape_returned.c).
// The call's frame is no frame of the method: who walks the stack has met the method above it (CodeStackMap.apart).
#include "base/grow.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/escape/escape.h"

typedef struct Value {
    EmitFrame *frame;
    bool operand;
    uint32_t index;             // of the local, or slot of the operand stack
    char kind;
} Value;

typedef struct State {
    Value *values;
    uint32_t count, room;
    const EmitFrame *innermost;
    bool tracked;               // objects that come back may vanish again: see go_on
} State;

// ---- the state at a node ------------------------------------------------------------------------

static void add(State *s, EmitFrame *f, bool operand, uint32_t index, char kind) {
    if (kind == KIND_DEAD || kind == KIND_UPPER) return;
    GROW_OR_EXIT(s->values, s->room, s->count + 1);
    s->values[s->count++] = (Value){f, operand, index, kind};
}

static void add_locals(State *s, EmitFrame *f, const char *kinds, const uint64_t *live) {
    for (uint32_t i = 0; i < f->plan->flow->max_locals; i++)
        if (dataflow_is_live(live, i)) add(s, f, false, i, kinds[i]);
}

// Frames in the middle of an invocation, whose arguments they have popped.
static void add_callers(State *s, EmitFrame *f) {
    if (!f) return;
    add_callers(s, f->parent);
    add_locals(s, f, f->local_kinds, dataflow_live(f->plan->flow, f->block, f->bci));
    for (uint32_t i = 0, slot = 0; i < f->depth; slot += 1 + emit_is_wide(f->stack[i].kind), i++)
        add(s, f, true, slot, f->stack[i].kind);
}

// At the beginning of a node of `f`, which is e->frame or one of its callers: a method's prologue, or a FlowBlock's first.
static State state_at(const Emit *e, EmitFrame *f, uint32_t n) {
    State s = {.innermost = f};
    const Dataflow *flow = f->plan->flow;
    uint32_t block = e->versions->nodes[n].block, index = 0;
    add_callers(&s, f->parent);
    if (block == CFG_NONE) {
        for (const char *shape = compiler_shape(f->method); *shape; index += 1 + emit_is_wide(*shape), shape++)
            add(&s, f, false, index, *shape);
        return s;
    }
    const FlowBlock *b = &flow->blocks[block];
    const char *operands = b->kinds + flow->max_locals;
    add_locals(&s, f, b->kinds, dataflow_live(flow, block, b->start));
    for (uint32_t i = 0; i < b->stack_depth; i++) add(&s, f, true, i, operands[i] == KIND_DEAD ? KIND_INT : operands[i]);
    return s;
}

static void put(Emit *e, const State *s, LLVMValueRef buffer) {
    for (uint32_t i = 0; i < s->count; i++) {
        const Value *v = &s->values[i];
        LLVMValueRef value = v->operand ? emit_load_slot(e, v->frame, v->index, v->kind)
                                        : emit_reload_local(e, v->frame, v->index, v->kind);
        if (v->kind != KIND_REF) value = emit_to_raw(e, v->kind, value);
        emit_store(e, value, buffer, 8 * (int64_t)i);
    }
}

// An object comes back into checking code.
static LLVMValueRef returned(Emit *e, const Value *v, bool unchanged, LLVMValueRef object) {
    LLVMValueRef before = !unchanged ? emit_null(e) : v->operand ? emit_load_slot(e, v->frame, v->index, v->kind)
                                                                 : emit_reload_local(e, v->frame, v->index, v->kind);
    return escape_op(e->unit, e->builder, ESCAPE_RETURNED, (LLVMValueRef[]){before, object});
}

// Arguments that never change are not read. What was read does not stay in the buffer, where it would look alive.
static void take(Emit *e, const State *s, LLVMValueRef buffer, const bool *unchanged) {
    for (uint32_t i = 0; i < s->count; i++) {
        const Value *v = &s->values[i];
        bool ref = v->kind == KIND_REF, same = unchanged && unchanged[i], tracked = ref && s->tracked;
        if ((same && !tracked) || (!v->operand && v->frame->fixed[v->index])) continue;
        LLVMValueRef raw = emit_load(e, ref ? e->ptr : e->i64, buffer, 8 * (int64_t)i);
        if (ref) emit_store(e, emit_null(e), buffer, 8 * (int64_t)i);
        if (tracked) raw = returned(e, v, same, raw);
        LLVMValueRef slot = v->operand ? emit_operand_slot(e, v->frame, v->index, v->kind)
                                       : emit_local_slot(e, v->frame, v->index, v->kind);
        LLVMBuildStore(e->builder, ref ? raw : emit_from_raw(e, v->kind, raw), slot);
    }
}

// ---- from a check to the next one ---------------------------------------------------------------

// The nodes that duplicated code may execute when it is entered at `from`, and those whose checks it may come to.
typedef struct Region {
    bool *inside, *exit;        // by node
    uint32_t from;
} Region;

static Region region_of(const CodeVersions *c, uint32_t from) {
    Region r = {emit_alloc(c->node_count, sizeof(bool)), emit_alloc(c->node_count, sizeof(bool)), from};
    uint32_t *work = emit_alloc(c->node_count, sizeof *work), count = 0;
    r.inside[from] = true;
    work[count++] = from;
    while (count > 0) {
        uint32_t n = work[--count];
        for (uint32_t i = c->first_edge[n]; i < c->first_edge[n + 1]; i++) {
            uint32_t to = c->graph.edges[i].to;
            if (c->duplicate->cut[i]) r.exit[to] = true;
            else if (!r.inside[to]) {
                r.inside[to] = true;
                work[count++] = to;
            }
        }
    }
    free(work);
    return r;
}

static void region_free(Region *r) {
    free(r->inside);
    free(r->exit);
}

// Locals of the plan's frame that the region stores into.
static void find_stores(const CodeVersions *c, const Region *r, const Plan *plan, bool *stored) {
    const ClassFileCode *code = plan->code;
    for (uint32_t n = 0; n < c->node_count; n++) {
        const VersionNode *node = &c->nodes[n];
        if (!r->inside[n] || node->plan != plan) continue;
        for (uint32_t bci = node->start; bci < node->end; bci += opcodes_length(code->code, code->code_len, bci)) {
            unsigned index;
            if (!(opcodes_info[opcodes_at(code->code, bci)].flags & OPF_STORE)) continue;
            unsigned size = opcodes_local(code->code, bci, &index);
            for (unsigned i = 0; i < size; i++) stored[index + i] = true;
        }
    }
}

// Whether the region invokes the method of the frame, which has other arguments and another caller's operands then.
static bool enters(const Region *r, const EmitFrame *f) {
    uint32_t prologue = f->versions->prologue;
    return prologue != CFG_NONE && prologue != r->from && r->inside[prologue];
}

// Operands of callers are as they were when the callee was entered.
static bool is_changed(const Region *r, const State *s, const Value *v, const bool *stored) {
    if (enters(r, v->frame)) return true;
    if (!v->operand) return stored[v->index];
    const EmitFrame *callee = s->innermost;
    while (callee != v->frame && callee->parent != v->frame) callee = callee->parent;
    return callee == v->frame || enters(r, callee);
}

// By value of the state: it is the same as at the check where the region was entered.
static bool *find_unchanged(const Emit *e, const Region *r, const State *s) {
    bool *unchanged = emit_alloc(s->count, sizeof *unchanged), *stored = NULL;
    const EmitFrame *f = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const Value *v = &s->values[i];
        if (v->frame != f) {
            f = v->frame;
            free(stored);
            stored = emit_alloc(f->plan->flow->max_locals + 1u, sizeof *stored);
            find_stores(e->versions, r, f->plan, stored);
        }
        unchanged[i] = !is_changed(r, s, v, stored);
    }
    free(stored);
    return unchanged;
}

static EmitFrame *frame_of(Emit *e, uint32_t n) {
    EmitFrame *f = e->frame;
    while (f && f->plan != e->versions->nodes[n].plan) f = f->parent;
    return f;
}

// Goes on at check `k` in frame `f`, one of e->frame and its callers, behind a call for what begins at a check. Where objects that come
// back are to vanish, that must be where all ways of checking code to the check meet. Those inside a strip have none.
static void go_on(Emit *e, const Region *r, EmitFrame *f, uint32_t k) {
    uint32_t block = e->versions->nodes[k].block;
    State s = state_at(e, f, k);
    bool *unchanged = find_unchanged(e, r, &s);
    s.tracked = e->escapes && !emit_loop_entry(f, block, NULL);
    take(e, &s, emit_buffer(e, s.count + 1), unchanged);
    if (!emit_loop_check_again(e, f, k)) emit_jump(e, emit_versions_label(e, LABEL_CHECK, k));
    free(unchanged);
    free(s.values);
}

// The block that goes on at check `k`. If that is in a method that is yet to be emitted, so is the block.
static LLVMBasicBlockRef come_back(Emit *e, const Region *r, uint32_t k) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), back = emit_block(e, "back");
    EmitFrame *f = frame_of(e, k);
    if (f) {
        emit_at(e, back);
        go_on(e, r, f, k);
        emit_at(e, here);
    } else {
        GROW_OR_EXIT(e->returns, e->return_room, e->return_count + 1);
        e->returns[e->return_count++] = (EmitReturn){r->from, k, back};
    }
    return back;
}

// ---- the two sides ------------------------------------------------------------------------------

LLVMTypeRef emit_apart_type(Emit *e) {
    LLVMTypeRef params[] = {e->ptr, e->i32, e->ptr};
    return LLVMFunctionType(e->i32, params, 3, false);
}

LLVMValueRef emit_apart_function(Emit *e) {
    LLVMValueRef f = LLVMGetNamedFunction(e->module, UNIT_SAMPLED);
    if (f) return f;
    f = LLVMAddFunction(e->module, UNIT_SAMPLED, emit_apart_type(e));
    LLVMSetFunctionCallConv(f, target_java_convention);
    // Not "cold", which would make it a section of its own.
    static const char *const attributes[] = {"nounwind", "noinline", "null_pointer_is_valid"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        emit_attribute(e, f, LLVMAttributeFunctionIndex, attributes[i], false);
    emit_attribute(e, f, 3, "swiftself", false);
    emit_attribute(e, f, 3, "noalias", false);
    emit_attribute(e, f, 3, "nonnull", false);
    return f;
}

static LLVMValueRef call_apart(Emit *e, uint32_t n, LLVMValueRef buffer) {
    LLVMValueRef args[] = {buffer, emit_int(e, n), e->thread};
    LLVMOperandBundleRef bundle = emit_deopt_bundle(e);
    e->unit->stack_maps[e->unit->stack_map_count - 1].apart = true;
    LLVMValueRef call = LLVMBuildCallWithOperandBundles(e->builder, emit_apart_type(e), emit_apart_function(e), args, 3,
                                                        &bundle, 1, "");
    LLVMDisposeOperandBundle(bundle);
    LLVMSetInstructionCallConv(call, target_java_convention);
    emit_tag(e, call, "heap");
    emit_attribute(e, call, 3, "swiftself", true);
    emit_attribute(e, call, LLVMAttributeFunctionIndex, "nounwind", true);
    emit_attribute(e, call, LLVMAttributeFunctionIndex, "cold", true);
    return call;
}

void emit_apart_call(Emit *e, uint32_t n) {
    EmitVersion outside = e->version;
    e->version.loop = NULL;  // the thread has the budget
    State s = state_at(e, e->frame, n);
    LLVMValueRef buffer = emit_buffer(e, s.count + 1);
    put(e, &s, buffer);
    emit_budget_publish(e);
    LLVMValueRef number = call_apart(e, n, buffer);
    emit_budget_load(e);
    LLVMBasicBlockRef done = emit_block(e, "done");
    LLVMValueRef way = LLVMBuildSwitch(e->builder, number, done, 4);
    Region r = region_of(e->versions, n);
    for (uint32_t k = 0; k < e->versions->node_count; k++)
        if (r.exit[k]) LLVMAddCase(way, emit_int(e, (int64_t)k + 1), come_back(e, &r, k));
    emit_at(e, done);
    char kind = emit_result_kind(e);
    emit_return(e, kind == 'V' ? NULL : emit_load(e, emit_type(e, kind), buffer, 0));
    region_free(&r);
    free(s.values);
    e->version = outside;
}

void emit_apart_resume(Emit *e, uint32_t n) {
    State s = state_at(e, e->frame, n);
    take(e, &s, LLVMGetParam(e->function, 0), NULL);
    emit_jump(e, emit_versions_label(e, LABEL_DUPLICATED, n));
    free(s.values);
}

void emit_apart_returns(Emit *e, uint32_t n) {
    for (uint32_t i = 0; i < e->return_count; i++) {
        if (e->returns[i].to != n) continue;
        Region r = region_of(e->versions, e->returns[i].from);
        emit_at(e, e->returns[i].block);
        go_on(e, &r, e->frame, n);
        region_free(&r);
    }
}

void emit_apart_leave(Emit *e, uint32_t n) {
    State s = state_at(e, e->frame, n);
    put(e, &s, LLVMGetParam(e->function, 0));
    emit_budget_publish(e);
    LLVMBuildRet(e->builder, emit_int(e, (int64_t)n + 1));
    free(s.values);
}
