// Events that compiled code writes into the thread's ring without a call (EVENTS_RING; the paper's
// Figure 6a): with transport=cab, in exact code, events whose payload is constant except for objects, addresses and
// classes.
//
//     mov  rax, [thread + ring]
//     cmp  qword [rax + 8 * (RING_AHEAD - 1)], 0
//     jne  slow                                     rt_event_room, which may move the position
//     mov  qword [rax], NUMBER                      the event and the constant part of its payload
//     add  rax, 8
//     mov  [thread + ring], rax
//
// If the ring is overwritten (consume=sampled, Figure 6c), the code compares the slot RING_EVENT - 1 ahead with
// RING_END.
//
// Proof that a store never reaches a slot that is not free. When the test fails, the thread requests a wait, and waits
// at its next yieldpoint until two chunks are free. When it first fails after a yieldpoint, at least RING_AHEAD less
// RING_EVENT slots are free; the sinks that C code calls in the meantime leave RING_UNPOLLED of them. So it suffices
// that, on every path, code writes at most RING_UNPOLLED words between one yieldpoint and the next.
//
// `words` bounds the number of words written since the last yieldpoint, over all paths to the code being emitted. It is
// 0 after a yieldpoint: the root's stack guard, a backedge, or a poll. Nodes are emitted in an order in which only
// backedges, which poll, lead to earlier nodes. So at the beginning of a node it is the maximum of its values at the
// ends of the node's predecessors. After a call, and where an exception is caught, other code may have written words
// without a yieldpoint, but no more than the bound, so it is RING_UNPOLLED. An event adds its words. Where that would
// exceed the bound, a sink is called instead; before an instruction whose events might exceed it, there is a poll. The
// words that a method has written when it returns are within the bound, and its caller assumes the bound. A loop that
// reports is not strip-mined, so each iteration polls. Builds with assertions verify in rt_event_room that there is
// room.
#include "jit/emit/emit_core.h"

#include "jit/analysis/code_versions.h"
#include "jit/emit/emit_access.h"

typedef struct EmitRing {
    uint32_t words;
    uint32_t *at_start;          // by node: largest bound at the ends of its predecessors
    uint32_t *first, *to;        // edges by node; `first` has one more entry than nodes
    bool overwrites;             // no thread waits, so there is no bound
} EmitRing;

void emit_ring_begin(Emit *e) {
    const CodeVersions *c = e->versions;
    if (!(e->root->events & EVENTS_RING) || e->version.kind != VERSION_ONLY) return;
    EmitRing *r = e->ring = emit_alloc(1, sizeof *r);
    r->overwrites = e->root->events & EVENTS_OVERWRITE;
    r->at_start = emit_alloc(c->node_count, sizeof *r->at_start);
    r->first = emit_alloc(c->node_count + 2, sizeof *r->first);
    r->to = emit_alloc(c->graph.edge_count, sizeof *r->to);
    const DuplicateEdge *edges = c->graph.edges;
    for (uint32_t i = 0; i < c->graph.edge_count; i++) r->first[edges[i].from + 2]++;
    for (uint32_t n = 0; n < c->node_count; n++) r->first[n + 2] += r->first[n + 1];
    for (uint32_t i = 0; i < c->graph.edge_count; i++) r->to[r->first[edges[i].from + 1]++] = edges[i].to;
}

void emit_ring_end(Emit *e) {
    if (!e->ring) return;
    free(e->ring->at_start);
    free(e->ring->first);
    free(e->ring->to);
    free(e->ring);
    e->ring = NULL;
}

void emit_ring_node_begins(Emit *e, uint32_t n) {
    EmitRing *r = e->ring;
    if (!r) return;
    const VersionNode *node = &e->versions->nodes[n];
    bool caught = node->block != CFG_NONE && node->plan->flow->blocks[node->block].is_handler;
    // The root's entry follows its stack guard and its intrinsic, which may have written words.
    r->words = caught ? RING_UNPOLLED : n == e->versions->entry && r->words > r->at_start[n] ? r->words : r->at_start[n];
}

void emit_ring_node_ends(Emit *e, uint32_t n) {
    const EmitRing *r = e->ring;
    for (uint32_t i = r ? r->first[n] : 0; r && i < r->first[n + 1]; i++)
        if (r->to[i] > n && r->at_start[r->to[i]] < r->words) r->at_start[r->to[i]] = r->words;
}

void emit_ring_called(Emit *e) {
    if (e->ring) e->ring->words = RING_UNPOLLED;
}

bool emit_ring_needs_poll(Emit *e) {
    if (!e->ring || e->ring->words + RING_EVENT <= RING_UNPOLLED) return false;
    e->ring->words = 0;
    return true;
}

// LLVM makes one instruction of a volatile load and its test, and of a number and its store, but not of atomic ones.
static void in_order(LLVMValueRef access, LLVMAtomicOrdering order) {
    if (target_orders_memory) LLVMSetVolatile(access, true);
    else LLVMSetOrdering(access, order);
    LLVMSetAlignment(access, 8);
}

static void put(Emit *e, LLVMValueRef word, LLVMValueRef at, unsigned i) {
    LLVMValueRef store = LLVMBuildStore(e->builder, word, emit_offset_const(e, at, 8 * (int64_t)i));
    in_order(store, LLVMAtomicOrderingRelease);
    emit_tag(e, store, "event");
}

static LLVMValueRef load_position(Emit *e) {
    LLVMValueRef at = emit_load(e, e->ptr, e->thread, e->layout->thread_ring);
    emit_tag(e, at, "event");
    return at;
}

// Where to write `length` words. NULL: too many words without a yieldpoint.
static LLVMValueRef make_room(Emit *e, enum EventId event, uint32_t length) {
    LLVMBuilderRef b = e->builder;
    if (!e->ring->overwrites && e->ring->words + length > RING_UNPOLLED) return NULL;
    LLVMBasicBlockRef slow = emit_block(e, "no.room"), go = emit_block(e, "room");
    LLVMValueRef position[2] = {load_position(e), NULL};
    unsigned distance = e->ring->overwrites ? RING_EVENT : RING_AHEAD;
    LLVMValueRef ahead = emit_load(e, e->i64, position[0], 8 * ((int64_t)distance - 1));
    in_order(ahead, LLVMAtomicOrderingAcquire);
    emit_tag(e, ahead, "event");
    LLVMValueRef is_free = e->ring->overwrites ? LLVMBuildICmp(b, LLVMIntNE, ahead, emit_long(e, (int64_t)RING_END), "")
                                               : LLVMBuildICmp(b, LLVMIntEQ, ahead, emit_long(e, 0), "");
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), slow};
    emit_branch(e, is_free, go, slow, 1);
    emit_at(e, slow);
    emit_tag(e, emit_runtime(e, RT_event_room, (LLVMValueRef[]){emit_int(e, event)}, 1), "event");
    position[1] = load_position(e);
    emit_jump(e, go);
    emit_at(e, go);
    LLVMValueRef at = LLVMBuildPhi(b, e->ptr, "");
    LLVMAddIncoming(at, position, from, 2);
    return at;
}

static void go_on_behind(Emit *e, LLVMValueRef at, uint32_t length) {
    LLVMValueRef next = emit_offset_const(e, at, 8 * (int64_t)length);
    LLVMValueRef store = LLVMBuildStore(e->builder, next, emit_offset_const(e, e->thread, e->layout->thread_ring));
    if (e->ring->overwrites) in_order(store, LLVMAtomicOrderingRelease);  // the consumer reads it
    emit_tag(e, store, "event");
    e->ring->words += length;
}

bool emit_ring_put(Emit *e, enum EventId event, const uint32_t *words, uint32_t n, uint32_t dynamic, LLVMValueRef *more,
                   unsigned more_count) {
    LLVMBuilderRef b = e->builder;
    uint32_t all[7] = {0};
    if (!e->ring || e->version.kind != VERSION_ONLY) return false;
    memcpy(all, words, n * sizeof *words);
    uint32_t site = compiler_event_site(event, dynamic, all);
    LLVMValueRef at = site ? make_room(e, event, 1 + more_count) : NULL;
    if (!at) return false;
    put(e, emit_number(e, site), at, 0);
    for (unsigned i = 0; i < more_count; i++) {
        LLVMValueRef v = more[i];
        v = LLVMTypeOf(v) == e->ptr ? LLVMBuildPtrToInt(b, v, e->i64, "") : LLVMBuildZExt(b, v, e->i64, "");
        put(e, LLVMBuildOr(b, v, emit_long(e, (int64_t)RING_MORE), ""), at, i + 1);
    }
    go_on_behind(e, at, 1 + more_count);
    return true;
}

// Writes one word of three fields (RING_TAG_BIT); `last` is the highest.
static bool put_small(Emit *e, enum EventId event, LLVMValueRef method, LLVMValueRef bci, LLVMValueRef last) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef at = make_room(e, event, 1);
    if (!at) return false;
    LLVMValueRef word = LLVMBuildOr(b, method, LLVMBuildShl(b, bci, emit_long(e, RING_METHOD_BITS), ""), "");
    word = LLVMBuildOr(b, word, LLVMBuildShl(b, last, emit_long(e, RING_METHOD_BITS + RING_BCI_BITS), ""), "");
    word = LLVMBuildOr(b, word, emit_long(e, (int64_t)((uint64_t)(event + 1) << RING_TAG_BIT)), "");
    put(e, word, at, 0);
    go_on_behind(e, at, 1);
    return true;
}

bool emit_ring_put_path(Emit *e, const Method *m, uint32_t count, LLVMValueRef number) {
    if (!e->ring || e->version.kind != VERSION_ONLY || m->id >= RING_METHODS || count > 1u << RING_METHOD_BITS) return false;
    LLVMValueRef wide = LLVMBuildZExt(e->builder, number, e->i64, "");
    return put_small(e, EVENT_path, emit_number(e, m->id), emit_long(e, RING_NO_BCI), wide);
}

bool emit_ring_put_edge(Emit *e, LLVMValueRef site, const Method *callee, LLVMBasicBlockRef otherwise) {
    LLVMBuilderRef b = e->builder;
    if (!e->ring || e->version.kind != VERSION_ONLY || callee->id >= RING_METHODS) return false;
    LLVMBasicBlockRef small = emit_block(e, "small");
    LLVMValueRef caller = LLVMBuildLShr(b, site, emit_long(e, 32), ""), bci = LLVMBuildAnd(b, site, emit_long(e, UINT32_MAX), "");
    emit_branch(e, LLVMBuildICmp(b, LLVMIntULT, caller, emit_long(e, RING_METHODS), ""), small, otherwise, 1);
    emit_at(e, small);
    return put_small(e, EVENT_call_edge, caller, bci, emit_number(e, callee->id));
}
