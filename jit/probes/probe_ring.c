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
// RING_END. The queues that the ring is compared with (RingKind) differ in the test and in the new position; the table
// `kinds` has both.
//
// Proof that a store never reaches a slot that is not free. When the test fails, the thread requests a wait, and waits
// at its next yieldpoint until two chunks are free. When it first fails after a yieldpoint, at least RING_AHEAD less
// RING_EVENT slots are free; the sinks that C code calls in the meantime leave RING_UNPOLLED of them. So it suffices
// that, on every path, code writes at most RING_UNPOLLED words between one yieldpoint and the next.
//
// Frames.ring_words bounds the number of words written since the last yieldpoint, over all paths to the code being
// emitted. It is 0 after a yieldpoint: the root's stack guard, a backedge, or a poll. Nodes are emitted in an order
// in which only backedges, which poll, lead to earlier nodes. So at the beginning of a node it is the maximum of its
// values at the ends of the node's predecessors. After a call, and where an exception is caught, other code may have
// written words without a yieldpoint, but no more than the bound, so it is RING_UNPOLLED. An event adds its words.
// Where that would exceed the bound, a sink is called instead; before an instruction whose events might exceed it,
// there is a poll. The words that a method has written when it returns are within the bound, and its caller assumes
// the bound. A loop that reports is not strip-mined, so each iteration polls. Builds with assertions verify in
// rt_event_room that there is room.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "jit/backend/target.h"
#include "jit/probes/probes_internal.h"

typedef struct ProbeRing {
    uint32_t *at_start;    // by node: largest bound at the ends of its predecessors
    uint32_t *first, *to;  // edges by node; `first` has one more entry than nodes
    bool overwrites;       // no thread waits
    bool bounded;          // the words between two yieldpoints are
    uint64_t bytes;        // RingForm
    const struct RingCode *code;
} ProbeRing;

// The code of one kind of ring.
typedef struct RingCode {
    // Is there room for `length` words? i1. NULL: always.
    LLVMValueRef (*is_free)(Probes *p, LLVMValueRef at, uint32_t length);
    // The position after them, which is also stored where the consumer reads it. NULL: it does not change.
    LLVMValueRef (*advance)(Probes *p, LLVMValueRef at, uint32_t length);
} RingCode;
static const RingCode kinds[RING_WORD + 1];

void probe_begin(Probes *p, const CodeVersions *c) {
    p->versions = c;
    if (!(p->root->events & EVENTS_RING) || p->frames->version.kind != VERSION_ONLY) return;
    ProbeRing *r = p->ring = grow_zeroed(1, sizeof *r);
    RingForm form = compiler_ring();
    r->bytes = form.bytes;
    r->code = &kinds[form.kind];
    r->overwrites = p->root->events & EVENTS_OVERWRITE;
    r->bounded = !r->overwrites && form.kind != RING_WORD;
    r->at_start = grow_zeroed(c->node_count, sizeof *r->at_start);
    r->first = grow_zeroed(c->node_count + 2, sizeof *r->first);
    r->to = grow_zeroed(c->graph.edge_count, sizeof *r->to);
    const DuplicateEdge *edges = c->graph.edges;
    for (uint32_t i = 0; i < c->graph.edge_count; i++) r->first[edges[i].from + 2]++;
    for (uint32_t n = 0; n < c->node_count; n++) r->first[n + 2] += r->first[n + 1];
    for (uint32_t i = 0; i < c->graph.edge_count; i++) r->to[r->first[edges[i].from + 1]++] = edges[i].to;
}

void probe_end(Probes *p) {
    if (!p->ring) return;
    free(p->ring->at_start);
    free(p->ring->first);
    free(p->ring->to);
    free(p->ring);
    p->ring = NULL;
}

void probe_ring_node_begins(Probes *p, uint32_t n) {
    const ProbeRing *r = p->ring;
    uint32_t *words = &p->frames->ring_words;
    if (!r) return;
    const VersionNode *node = &p->versions->nodes[n];
    bool caught = node->block != CFG_NONE && node->plan->flow->blocks[node->block].is_handler;
    // The root's entry follows its stack guard and its intrinsic, which may have written words.
    if (caught) *words = RING_UNPOLLED;
    else if (n != p->versions->entry || *words < r->at_start[n]) *words = r->at_start[n];
}

void probe_ring_node_ends(Probes *p, uint32_t n) {
    const ProbeRing *r = p->ring;
    for (uint32_t i = r ? r->first[n] : 0; r && i < r->first[n + 1]; i++)
        if (r->to[i] > n && r->at_start[r->to[i]] < p->frames->ring_words)
            r->at_start[r->to[i]] = p->frames->ring_words;
}

bool probe_ring_needs_poll(Probes *p) {
    if (!p->ring || p->frames->ring_words + RING_EVENT <= RING_UNPOLLED) return false;
    p->frames->ring_words = 0;
    return true;
}

// LLVM makes one instruction of a volatile load and its test, and of a number and its store, but not of atomic ones.
static void in_order(LLVMValueRef access, LLVMAtomicOrdering order) {
    if (target_orders_memory) LLVMSetVolatile(access, true);
    else LLVMSetOrdering(access, order);
    LLVMSetAlignment(access, 8);
}

static void put(Probes *p, LLVMValueRef word, LLVMValueRef at, unsigned i) {
    if (!p->ring->code->advance) i = 0;
    LLVMValueRef store = LLVMBuildStore(p->ir->builder, word, ir_offset_const(p->ir, at, 8 * (int64_t)i));
    in_order(store, LLVMAtomicOrderingRelease);
    ir_tag(p->ir, store, "event");
}

static LLVMValueRef load_position(Probes *p) {
    Ir *ir = p->ir;
    LLVMValueRef at = ir_load(ir, ir->ptr, ir->thread, ir->layout->thread_ring);
    ir_tag(ir, at, "event");
    return at;
}

// ---- kinds of rings ----------------------------------------------------------------------------

static LLVMValueRef load_slot(Probes *p, LLVMValueRef at, int64_t bytes) {
    LLVMValueRef slot = ir_load(p->ir, p->ir->i64, at, bytes);
    in_order(slot, LLVMAtomicOrderingAcquire);
    ir_tag(p->ir, slot, "event");
    return slot;
}

static void store_position(Probes *p, LLVMValueRef next, LLVMValueRef place, bool shared) {
    LLVMValueRef store = LLVMBuildStore(p->ir->builder, next, place);
    if (shared) in_order(store, LLVMAtomicOrderingRelease);
    ir_tag(p->ir, store, "event");
}

static LLVMValueRef as_number(Ir *ir, LLVMValueRef at) { return LLVMBuildPtrToInt(ir->builder, at, ir->i64, ""); }

static LLVMValueRef and_mask(Ir *ir, LLVMValueRef v, uint64_t mask) {
    return LLVMBuildAnd(ir->builder, v, ir_long(ir, (int64_t)mask), "");
}

static LLVMValueRef is_slot_free(Probes *p, LLVMValueRef at, uint32_t distance) {
    Ir *ir = p->ir;
    if (p->ring->overwrites) {
        LLVMValueRef ahead = load_slot(p, at, 8 * (RING_EVENT - 1));
        return LLVMBuildICmp(ir->builder, LLVMIntNE, ahead, ir_long(ir, (int64_t)RING_END), "");
    }
    return LLVMBuildICmp(ir->builder, LLVMIntEQ, load_slot(p, at, 8 * ((int64_t)distance - 1)), ir_long(ir, 0), "");
}

static LLVMValueRef cab_is_free(Probes *p, LLVMValueRef at, uint32_t length) {
    (void)length;
    return is_slot_free(p, at, RING_AHEAD);
}

static LLVMValueRef next_slot(Probes *p, LLVMValueRef at, uint32_t length) {
    return ir_offset_const(p->ir, at, 8 * (int64_t)length);
}

// The last word of the event must be in the buffer, past the words before it and slot 0.
static LLVMValueRef nway_is_free(Probes *p, LLVMValueRef at, uint32_t length) {
    Ir *ir = p->ir;
    LLVMValueRef last = and_mask(ir, as_number(ir, next_slot(p, at, length - 1)), p->ring->bytes - 1);
    if (length == 1) return LLVMBuildICmp(ir->builder, LLVMIntNE, last, ir_long(ir, 0), "");
    return LLVMBuildICmp(ir->builder, LLVMIntUGE, last, ir_long(ir, 8 * (int64_t)length), "");
}

static LLVMValueRef lamport_start(Probes *p, LLVMValueRef at) {
    LLVMValueRef start = and_mask(p->ir, as_number(p->ir, at), ~(p->ring->bytes - 1));
    return LLVMBuildIntToPtr(p->ir->builder, start, p->ir->ptr, "");
}

static LLVMValueRef lamport_is_free(Probes *p, LLVMValueRef at, uint32_t length) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    (void)length;
    LLVMValueRef read = load_slot(p, lamport_start(p, at), RING_LAMPORT_READ);
    LLVMValueRef bytes = LLVMBuildSub(b, read, as_number(ir, ir_offset_const(ir, at, 8)), "");
    bytes = and_mask(ir, bytes, p->ring->bytes - 1);
    return LLVMBuildICmp(b, LLVMIntUGE, bytes, ir_long(ir, 8 * RING_AHEAD), "");
}

// An event that reaches the end of the ring is followed by one at its start.
static LLVMValueRef lamport_advance(Probes *p, LLVMValueRef at, uint32_t length) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef start = lamport_start(p, at), next = next_slot(p, at, length);
    LLVMValueRef offset = and_mask(ir, as_number(ir, next), p->ring->bytes - 1);
    LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntULT, offset, ir_long(ir, 8 * (int64_t)length), "");
    next = LLVMBuildSelect(b, wraps, start, next, "");
    store_position(p, next, ir_offset_const(ir, start, RING_LAMPORT_WRITTEN), true);
    return next;
}

static const RingCode kinds[RING_WORD + 1] = {
    [RING_CAB] = {cab_is_free, next_slot},
    [RING_FASTFORWARD] = {is_slot_free, next_slot},
    [RING_NWAY] = {nway_is_free, next_slot},
    [RING_LAMPORT] = {lamport_is_free, lamport_advance},
    [RING_WORD] = {NULL, NULL},
};

// ---- events ------------------------------------------------------------------------------------

// Where to write `length` words. NULL: too many words without a yieldpoint.
static LLVMValueRef make_room(Probes *p, enum EventId event, uint32_t length) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    if (p->ring->bounded && p->frames->ring_words + length > RING_UNPOLLED) return NULL;
    LLVMValueRef position[2] = {load_position(p), NULL};
    if (!p->ring->code->is_free) return position[0];
    LLVMBasicBlockRef slow = ir_block(ir, "no.room"), go = ir_block(ir, "room");
    LLVMValueRef is_free = p->ring->code->is_free(p, position[0], length);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), slow};
    ir_branch(ir, is_free, go, slow, 1);
    ir_at(ir, slow);
    ir_tag(ir, frames_runtime(p->frames, RT_event_room, (LLVMValueRef[]){ir_int(ir, event)}, 1), "event");
    position[1] = load_position(p);
    ir_jump(ir, go);
    ir_at(ir, go);
    LLVMValueRef at = LLVMBuildPhi(b, ir->ptr, "");
    LLVMAddIncoming(at, position, from, 2);
    return at;
}

static void advance_ring(Probes *p, LLVMValueRef at, uint32_t length) {
    Ir *ir = p->ir;
    p->frames->ring_words += length;
    if (!p->ring->code->advance) return;
    LLVMValueRef next = p->ring->code->advance(p, at, length);
    // With `overwrites` the consumer reads it.
    store_position(p, next, ir_offset_const(ir, ir->thread, ir->layout->thread_ring), p->ring->overwrites);
}

bool probe_ring_put(Probes *p, enum EventId event, const uint32_t *words, uint32_t n, uint32_t dynamic,
                    LLVMValueRef *more, unsigned more_count) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    uint32_t all[7] = {0};
    if (!p->ring || p->frames->version.kind != VERSION_ONLY) return false;
    memcpy(all, words, n * sizeof *words);
    uint32_t site = compiler_event_site(event, dynamic, all);
    LLVMValueRef at = site ? make_room(p, event, 1 + more_count) : NULL;
    if (!at) return false;
    put(p, ir_number(ir, site), at, 0);
    for (unsigned i = 0; i < more_count; i++) {
        LLVMValueRef v = more[i];
        v = LLVMTypeOf(v) == ir->ptr ? LLVMBuildPtrToInt(b, v, ir->i64, "") : LLVMBuildZExt(b, v, ir->i64, "");
        put(p, LLVMBuildOr(b, v, ir_long(ir, (int64_t)RING_MORE), ""), at, i + 1);
    }
    advance_ring(p, at, 1 + more_count);
    return true;
}

// Writes one word of three fields (RING_TAG_BIT); `last` is the highest.
static bool put_small(Probes *p, enum EventId event, LLVMValueRef method, LLVMValueRef bci, LLVMValueRef last) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef at = make_room(p, event, 1);
    if (!at) return false;
    LLVMValueRef word = LLVMBuildOr(b, method, LLVMBuildShl(b, bci, ir_long(ir, RING_METHOD_BITS), ""), "");
    word = LLVMBuildOr(b, word, LLVMBuildShl(b, last, ir_long(ir, RING_METHOD_BITS + RING_BCI_BITS), ""), "");
    word = LLVMBuildOr(b, word, ir_long(ir, (int64_t)((uint64_t)(event + 1) << RING_TAG_BIT)), "");
    put(p, word, at, 0);
    advance_ring(p, at, 1);
    return true;
}

bool probe_ring_put_path(Probes *p, const Method *m, uint32_t count, LLVMValueRef number) {
    Ir *ir = p->ir;
    if (!p->ring || p->frames->version.kind != VERSION_ONLY || m->id >= RING_METHODS || count > 1u << RING_METHOD_BITS)
        return false;
    LLVMValueRef wide = LLVMBuildZExt(ir->builder, number, ir->i64, "");
    return put_small(p, EVENT_path, ir_number(ir, m->id), ir_long(ir, RING_NO_BCI), wide);
}

bool probe_ring_put_edge(Probes *p, LLVMValueRef site, const Method *callee, LLVMBasicBlockRef otherwise) {
    Ir *ir = p->ir;
    LLVMBuilderRef b = ir->builder;
    if (!p->ring || p->frames->version.kind != VERSION_ONLY || callee->id >= RING_METHODS) return false;
    LLVMBasicBlockRef small = ir_block(ir, "small");
    LLVMValueRef caller = LLVMBuildLShr(b, site, ir_long(ir, 32), ""),
                 bci = LLVMBuildAnd(b, site, ir_long(ir, UINT32_MAX), "");
    ir_branch(ir, LLVMBuildICmp(b, LLVMIntULT, caller, ir_long(ir, RING_METHODS), ""), small, otherwise, 1);
    ir_at(ir, small);
    return put_small(p, EVENT_call_edge, caller, bci, ir_number(ir, callee->id));
}
