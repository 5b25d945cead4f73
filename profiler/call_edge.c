// call-edge: calls by call site and callee, in an open-addressing table. A site belongs to one
// caller, so (site, callee) is the whole key; the caller is kept for the report. Entries are never
// removed. Linear probing, at most half full: a lookup touches one cache line nearly always.
#include <stdlib.h>

#include "profiler/analysis.h"

typedef struct Edge {
    uintptr_t site;  // 0: free
    uint32_t callee;
    uint32_t caller;
    uint64_t count;
} Edge;

// One allocation, so that a reader that takes the pointer once sees a mask that fits the slots.
typedef struct Edges {
    struct Edges *outgrown;  // smaller ones, kept for readers until the thread ends
    uint32_t used;
    uint32_t mask;
    uint32_t shift;
    Edge slot[];
} Edges;

typedef struct CallEdge {
    Edges *edges;
    uint64_t lost;
} CallEdge;

enum { FIRST_BITS = 10, LAST_BITS = 30 };

static Edges *edges_new(uint32_t bits) {
    size_t slots = (size_t)1 << bits;
    Edges *e = calloc(1, sizeof *e + slots * sizeof e->slot[0]);
    if (!e) return NULL;
    e->mask = (uint32_t)(slots - 1);
    e->shift = 64 - bits;
    return e;
}

static inline uint32_t slot_of(const Edges *e, uintptr_t site, uint32_t callee) {
    uint64_t h = (site + ((uint64_t)callee << 40 | callee)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> e->shift);
}

static Edge *find(Edges *e, uintptr_t site, uint32_t callee) {
    for (uint32_t i = slot_of(e, site, callee);; i = (i + 1) & e->mask) {
        Edge *edge = &e->slot[i];
        if (!edge->site || (edge->site == site && edge->callee == callee)) return edge;
    }
}

static bool grow(CallEdge *s) {
    Edges *old = s->edges;
    uint32_t bits = 64 - old->shift + 1;
    Edges *larger = bits <= LAST_BITS ? edges_new(bits) : NULL;
    if (!larger) return false;
    for (uint32_t i = 0; i <= old->mask; i++) {
        const Edge *edge = &old->slot[i];
        if (edge->site) *find(larger, edge->site, edge->callee) = *edge;
    }
    larger->used = old->used;
    larger->outgrown = old;
    __atomic_store_n(&s->edges, larger, __ATOMIC_RELEASE);
    return true;
}

// A table that cannot grow takes new edges until one slot is left, which ends every search.
static void insert(CallEdge *s, uintptr_t site, uint32_t callee, uint32_t caller) {
    if (s->edges->used > s->edges->mask / 2 && !grow(s) && s->edges->used == s->edges->mask) {
        s->lost++;
        return;
    }
    Edge *edge = find(s->edges, site, callee);
    edge->callee = callee;
    edge->caller = caller;
    edge->count = 1;
    __atomic_store_n(&edge->site, site, __ATOMIC_RELEASE);  // last: readers look at it first
    s->edges->used++;
}

// Another edge sits in the first slot, or none. Apart, with its own hand-over, so that the common
// path needs no frame.
static __attribute__((noinline)) void count_elsewhere(const EventSink_method_entry *sink,
                                                      uint32_t callee, uint32_t caller,
                                                      uintptr_t site) {
    CallEdge *s = sink->state;
    Edge *edge = find(s->edges, site, callee);
    if (edge->site) edge->count++;
    else insert(s, site, callee, caller);
    EVENT_PASS(sink, callee, caller, site);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t callee, uint32_t caller,
                            uintptr_t site) {
    Edges *edges = ((CallEdge *)sink->state)->edges;
    Edge *edge = &edges->slot[slot_of(edges, site, callee)];
    if (__builtin_expect(edge->site != site || edge->callee != callee, 0)) {
        count_elsewhere(sink, callee, caller, site);
        return;
    }
    edge->count++;
    EVENT_PASS(sink, callee, caller, site);
}

static void *thread_new(void) {
    CallEdge *s = calloc(1, sizeof *s);
    if (s && (s->edges = edges_new(FIRST_BITS))) return s;
    free(s);
    return NULL;
}

static void thread_free(void *state) {
    CallEdge *s = state;
    while (s->edges) {
        Edges *outgrown = s->edges->outgrown;
        free(s->edges);
        s->edges = outgrown;
    }
    free(s);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CallEdge *s = state;
    const Edges *edges = __atomic_load_n(&s->edges, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i <= edges->mask; i++) {
        const Edge *edge = &edges->slot[i];
        uintptr_t site = __atomic_load_n(&edge->site, __ATOMIC_ACQUIRE);
        if (site)
            table_add(out, &(TableRow){.key = {edge->caller, site, edge->callee},
                                       .count = edge->count});
    }
    *lost += s->lost;
}

const Analysis analysis_call_edge = {
    .name = "call-edge",
    .event = EVENT_method_entry,
    .columns = {{"caller", COLUMN_METHOD}, {"site", COLUMN_SITE}, {"callee", COLUMN_METHOD}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_method_entry = on_method_entry,
};
