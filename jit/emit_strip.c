// Counted loops in strips (jit/strip.h has which).
//
//        entry:  limit = strip_limit(i)          from before the loop
//        header: ...
//        test:   goes on while i < min(bound, limit)
//                          otherwise -> end
//        end:    i < bound?  no: out of the loop
//                            yes: poll -> entry
//
// So the inner loop has one test and no poll, and LLVM sees a counted loop: limits stay so far from the largest
// int that the variable cannot wrap round inside a strip, whatever the bound. A bound that does not change is LLVM's
// to find. Where the test stands first, the header is executed again behind the poll, and so the test must
// hold then for the loop to get on: only a loop that really runs beyond the largest int has no such limit, and
// leaves for the interpreter.
//
// Exits are where they were: in the poll, with the locals of the loop's header.
#include "jit/emit_access.h"
#include "jit/emit_core.h"

static LLVMValueRef extreme(Emit *e, bool smallest, LLVMValueRef a, LLVMValueRef b) {
    const char *name = smallest ? "llvm.smin" : "llvm.smax";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &e->i32, 1), args[] = {a, b};
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, &e->i32, 1), f, args, 2, "");
}

static bool ascends(const StripLoop *l) { return l->step > 0; }

// The last limit that the variable can meet without wrapping round before the next test.
static int32_t last_limit(const StripLoop *l) {
    bool or_equal = l->condition == STRIP_LE || l->condition == STRIP_GE;
    if (ascends(l)) return INT32_MAX - (l->reach - 1) - or_equal;
    return INT32_MIN - (l->reach + 1) + or_equal;
}

// How far the variable may go in a strip that begins now.
static int32_t strip_distance(const StripLoop *l) { return (int32_t)l->length * l->step; }

// The bound of a strip that begins with `value` about to be compared. It is `value` and the distance,
// saturated.
static LLVMValueRef strip_limit(Emit *e, const StripLoop *l, LLVMValueRef value) {
    int32_t distance = strip_distance(l);
    LLVMValueRef near = extreme(e, ascends(l), value, emit_int(e, last_limit(l) - distance));
    return LLVMBuildNSWAdd(e->builder, near, emit_int(e, distance), "limit");
}

static LLVMIntPredicate predicate(const StripLoop *l) {
    static const LLVMIntPredicate all[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    return all[l->condition];
}

// ---- arrays --------------------------------------------------------------------------------------------

// Read once for a strip, so that the loop's tests of indexes have one operand that never changes and null is
// tested with them: LLVM knows then how often the loop runs.
static void read_length(Emit *e, LLVMValueRef array, LLVMValueRef to) {
    LLVMBasicBlockRef some = emit_block(e, "some"), next = emit_block(e, "length");
    LLVMBuildStore(e->builder, emit_int(e, 0), to);
    emit_branch(e, emit_is_null(e, array), next, some, 0);
    emit_at(e, some);
    LLVMBuildStore(e->builder, emit_array_length(e, array), to);
    emit_jump(e, next);
    emit_at(e, next);
}

static void read_lengths(Emit *e, EmitStrip *s) {
    s->lengths = emit_alloc(s->loop->array_count, sizeof *s->lengths);
    for (uint32_t i = 0; i < s->loop->array_count; i++) {
        s->lengths[i] = emit_alloca(e, e->i32, "length");
        read_length(e, emit_reload_local(e, e->frame, s->loop->arrays[i], KIND_REF), s->lengths[i]);
    }
}

// By its value: a local's value in this block is that of the strip's beginning.
static LLVMValueRef find_length(const EmitFrame *f, const EmitStrip *s, LLVMValueRef array) {
    for (uint32_t i = 0; i < s->loop->array_count; i++) {
        uint32_t local = s->loop->arrays[i];
        if (f->local_kinds[local] == KIND_REF && f->cached[local] == array) return s->lengths[i];
    }
    return NULL;
}

LLVMValueRef emit_strip_array_length(Emit *e, LLVMValueRef array) {
    EmitFrame *f = e->frame;
    for (uint32_t i = 0; i < f->loops.count; i++) {
        const EmitStrip *s = &f->strips[i];
        if (!s->lengths || !s->loop->body[f->block]) continue;
        LLVMValueRef slot = find_length(f, s, array);
        return slot ? LLVMBuildLoad2(e->builder, e->i32, slot, "") : NULL;
    }
    return NULL;
}

// ---- where a strip begins ---------------------------------------------------------------------------

static void make_entry(Emit *e, EmitStrip *s) {
    EmitFrame *f = e->frame;
    LLVMValueRef slot = emit_local_slot(e, f, s->loop->local, KIND_INT);
    s->entry = emit_block(e, "strip");
    s->limit = emit_alloca(e, e->i32, "limit");
    emit_at(e, s->entry);
    read_lengths(e, s);
    LLVMValueRef value = LLVMBuildLoad2(e->builder, e->i32, slot, "");
    value = LLVMBuildAdd(e->builder, value, emit_int(e, s->loop->offset), "");
    LLVMBuildStore(e->builder, strip_limit(e, s->loop, value), s->limit);
    emit_jump(e, f->blocks[s->loop->header]);
}

// Under stress every iteration is a strip, so that nothing is polled or left less often.
static uint32_t length_wanted(const Emit *e) {
    const CompilerOptions *o = e->unit->options;
    if (o->strip_length) return o->strip_length;
    return e->root->stress || o->poll_everywhere ? 1 : 0;
}

void emit_strips_begin(Emit *e) {
    EmitFrame *f = e->frame;
    if (e->root->tier != TIER_OPTIMIZED || !e->unit->options->strips) return;
    if (emit_wants(e, EVENT_branch)) return;  // the test would be one that is made more often than the bytecode says
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    f->loops = strip_find(f->plan, length_wanted(e));
    if (f->loops.count) e->unit->has_strips = true;
    f->strips = emit_alloc(f->loops.count, sizeof *f->strips);
    for (uint32_t i = 0; i < f->loops.count; i++) {
        f->strips[i].loop = &f->loops.loops[i];
        if (f->wanted[f->loops.loops[i].header]) make_entry(e, &f->strips[i]);
    }
    emit_at(e, here);
}

void emit_strips_end(EmitFrame *f) {
    for (uint32_t i = 0; i < f->loops.count; i++) free(f->strips[i].lengths);
    strip_free(&f->loops);
    free(f->strips);
}

static const EmitStrip *strip_of(const EmitFrame *f, uint32_t header) {
    for (uint32_t i = 0; i < f->loops.count; i++)
        if (f->strips[i].loop->header == header) return &f->strips[i];
    return NULL;
}

LLVMBasicBlockRef emit_strip_entry(const EmitFrame *f, uint32_t block) {
    const EmitStrip *s = strip_of(f, block);
    return s ? s->entry : f->blocks[block];
}

bool emit_strip_inside(const EmitFrame *f, uint32_t block) {
    const EmitStrip *s = strip_of(f, block);
    return s && s->loop->body[f->block];
}

// ---- the test, and where a strip ends ----------------------------------------------------------------

// What the header did to the variable, for it will be done again.
static void take_back(Emit *e, const StripLoop *l) {
    if (l->advance == 0) return;
    LLVMValueRef v = emit_load_local(e, l->local, KIND_INT);
    v = LLVMBuildSub(e->builder, v, emit_int(e, l->advance), "");
    emit_store_local(e, l->local, KIND_INT, v);
}

// A strip from here on would end before the loop got on.
static void test_overflow(Emit *e, const StripLoop *l, LLVMValueRef value) {
    int32_t last = last_limit(l);
    if (!l->first || last == INT32_MAX || last == INT32_MIN) return;
    LLVMBasicBlockRef out = emit_block(e, "overflow"), fine = emit_block(e, "more");
    LLVMValueRef holds = LLVMBuildICmp(e->builder, predicate(l), value, emit_int(e, last), "");
    emit_branch(e, holds, fine, out, 1);
    emit_at(e, out);
    emit_leave_at(e, EXIT_overflow, l->header);
    emit_at(e, fine);
}

static const EmitStrip *tested_at(const EmitFrame *f) {
    for (uint32_t i = 0; i < f->loops.count; i++)
        if (f->strips[i].loop->test == f->block) return &f->strips[i];
    return NULL;
}

bool emit_strip_test(Emit *e, unsigned op) {
    EmitFrame *f = e->frame;
    const EmitStrip *s = tested_at(f);
    if (!s) return false;
    const StripLoop *l = s->loop;
    LLVMValueRef b = op <= OPC_ifle ? emit_int(e, 0) : emit_pop(e), a = emit_pop(e);
    LLVMValueRef value = l->left ? a : b, bound = l->left ? b : a;
    LLVMValueRef limit = LLVMBuildLoad2(e->builder, e->i32, s->limit, "");
    LLVMValueRef nearer = extreme(e, ascends(l), bound, limit);
    LLVMBasicBlockRef stay = emit_edge(e, l->stay), out = emit_edge(e, 1 - l->stay);
    LLVMBasicBlockRef end = emit_block(e, "end"), more = emit_block(e, "next");
    emit_branch(e, LLVMBuildICmp(e->builder, predicate(l), value, nearer, ""), stay, end, 1);
    emit_at(e, end);
    emit_branch(e, LLVMBuildICmp(e->builder, predicate(l), value, bound, ""), more, out, -1);
    emit_at(e, more);
    take_back(e, l);
    test_overflow(e, l, value);
    emit_poll(e, l->header, s->entry);
    return true;
}
