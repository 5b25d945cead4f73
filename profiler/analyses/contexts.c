#include "profiler/analyses/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/analyses/sitecounts.h"

// A tree begins small, because a program may have very many threads. A chunk has room for half as many nodes as there
// are, so at most a third of the room is unused.
enum { LEAST_NODES = 8, MOST_NODES = 512, FIRST_SLOTS = 16, FIRST_FRAME_BITS = 3, LAST_FRAME_BITS = 30 };

typedef struct ContextChunk {
    struct ContextChunk *next;
    uint32_t used, size;
    ContextNode node[];
} ContextChunk;

// Compiled code compares with these and never writes to them.
#define NOBODY ((ContextNode *)&nobody)
static const ContextNode nobody = {
    .into = NOBODY,
    .last = NOBODY,
    .after = NOBODY,
    .child = {NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY},
};
_Static_assert(CONTEXT_SLOTS == 8, "nobody has as many");
static const ContextFrame no_frame = {NOBODY, UINT64_MAX};

ContextNode *contexts_nobody(void) { return NOBODY; }

void contexts_nowhere(ContextPosition *p) {
    ContextFrame *top = (ContextFrame *)&no_frame + 1;
    *p = (ContextPosition){.at = NOBODY, .top = top, .limit = top};
}

static void init(ContextNode *n) {
    n->into = n;
    n->last = n->after = NOBODY;
    for (int i = 0; i < CONTEXT_SLOTS; i++) n->child[i] = NOBODY;
}

static ContextChunk *new_chunk(uint32_t size) {
    ContextChunk *k = calloc(1, sizeof *k + size * sizeof *k->node);
    if (k) k->size = size;
    return k;
}

static void use(Contexts *c, ContextStack *s, uint32_t depth) {
    c->position->top = s->frame + depth;
    c->position->limit = s->frame + s->mask + 1;
}

static void end(Contexts *c) {
    published_free(c->stack);
    for (ContextChunk *k = c->first, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    free(c->table);
}

bool contexts_begin(Contexts *c, AnalysisSettings *settings) {
    *c = (Contexts){.settings = settings, .mask = FIRST_SLOTS - 1};
    init(&c->root);
    c->position = &c->own;
    c->own.at = &c->root;
    c->stack = published_new(sizeof *c->stack, sizeof(ContextFrame), FIRST_FRAME_BITS);
    c->table = calloc(FIRST_SLOTS, sizeof *c->table);
    c->first = c->chunk = new_chunk(LEAST_NODES);
    if (!c->stack || !c->table || !c->chunk) {
        end(c);
        return false;
    }
    c->stack->below = no_frame;
    use(c, c->stack, 0);
    return true;
}

void contexts_free(void *state) {
    if (state) end(state);
    free(state);
}

uint64_t contexts_number(uint64_t parent, uint64_t site, uint32_t callee) {
    uint64_t h = (parent ^ site) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ callee) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 32 ^ parent >> 7) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
    return h ? h : 1;
}

static ContextNode **slot_of(const Contexts *c, uint64_t number, const ContextNode *parent, uint64_t site,
                             uint32_t callee) {
    for (uint32_t i = (uint32_t)number & c->mask;; i = (i + 1) & c->mask) {
        ContextNode *n = c->table[i];
        if (!n || (n->number == number && n->parent == parent && n->site == site && n->callee == callee))
            return &c->table[i];
    }
}

// Only the owner reads the table, so the old one can be freed.
static bool grow_table(Contexts *c) {
    uint32_t slots = (c->mask + 1) * 2;
    ContextNode **larger = slots ? calloc(slots, sizeof *larger) : NULL;
    if (!larger) return false;
    for (uint32_t i = 0; i <= c->mask; i++) {
        ContextNode *n = c->table[i];
        if (!n) continue;
        uint32_t to = (uint32_t)n->number & (slots - 1);
        while (larger[to]) to = (to + 1) & (slots - 1);
        larger[to] = n;
    }
    free(c->table);
    c->table = larger;
    c->mask = slots - 1;
    return true;
}

static ContextNode *take_node(Contexts *c) {
    if (c->node_count >= c->mask - c->mask / 4 && !grow_table(c)) return NULL;
    if (c->chunk->used == c->chunk->size) {
        uint32_t size = c->node_count / 2;
        ContextChunk *k = new_chunk(size < LEAST_NODES ? LEAST_NODES : size > MOST_NODES ? MOST_NODES : size);
        if (!k) return NULL;
        __atomic_store_n(&c->chunk->next, k, __ATOMIC_RELEASE);
        c->chunk = k;
    }
    int64_t left = atomic_load_explicit(&c->settings->nodes_left, memory_order_relaxed);
    while (left > 0)
        if (atomic_compare_exchange_weak_explicit(&c->settings->nodes_left, &left, left - 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return &c->chunk->node[c->chunk->used];
    return NULL;
}

static ContextNode *make(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee, uint64_t number) {
    ContextNode *n = take_node(c);
    if (!n) return NULL;
    *n = (ContextNode){.site = site, .callee = callee, .parent = parent, .number = number, .times = 1};
    init(n);
    for (ContextNode *up = parent; up; up = up->parent)
        if (up->callee == callee && up->site) {
            n->times = up->times + 1;
            if (n->times > c->settings->recursion) n->into = up;
            break;
        }
    *slot_of(c, number, parent, site, callee) = n;
    c->node_count++;
    __atomic_store_n(&c->chunk->used, c->chunk->used + 1, __ATOMIC_RELEASE);
    return n;
}

ContextNode *contexts_find(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee) {
    uint64_t number = contexts_number(parent->number, site, callee);
    ContextNode *n = *slot_of(c, number, parent, site, callee), *last = parent->last;
    if (!n && !(n = make(c, parent, site, callee, number))) return NULL;
    if (last != NOBODY) last->after = n;
    return parent->last = n;
}

static void move(void *larger, const void *old) {
    ContextStack *to = larger;
    const ContextStack *from = old;
    to->below = from->below;
    memcpy(to->frame, from->frame, ((size_t)from->mask + 1) * sizeof from->frame[0]);
}

bool contexts_grow_stack(Contexts *c) {
    uint32_t depth = contexts_depth(c), bits = published_bits(c->stack) + 1;
    if (c->beyond) return false;  // the frame would replace one that is missing
    if (bits > LAST_FRAME_BITS || !published_grow(&c->stack, sizeof(ContextStack), sizeof(ContextFrame), bits, move))
        return false;
    use(c, c->stack, depth);
    return true;
}

void contexts_go_beyond(Contexts *c) {
    if (c->beyond++) return;
    c->top = c->position->top;
    contexts_nowhere(c->position);
}

uint32_t contexts_ending(Contexts *c, uint32_t method) {
    uint32_t depth = contexts_depth(c);
    if (c->beyond) {
        if (--c->beyond == 0) use(c, c->stack, depth);
        return 0;
    }
    for (uint32_t i = depth; i > 0; i--)
        if (c->stack->frame[i - 1].method == method) return depth - i + 1;
    return 0;
}

void contexts_empty(Contexts *c) {
    c->beyond = 0;
    use(c, c->stack, 0);
}

const ContextNode *contexts_next(const Contexts *c, ContextCursor *at) {
    if (!at->chunk) *at = (ContextCursor){c->first, 0};
    while (at->chunk && at->next >= __atomic_load_n(&at->chunk->used, __ATOMIC_ACQUIRE))
        *at = (ContextCursor){__atomic_load_n(&at->chunk->next, __ATOMIC_ACQUIRE), 0};
    return at->chunk ? &at->chunk->node[at->next++] : NULL;
}

void contexts_add_row(Table *out, uint64_t number, uint64_t parent, uint64_t site, uint32_t callee, uint64_t count) {
    out->keep_empty = true;
    table_add(out,
              &(TableRow){.key = {number, parent, (site - 1) >> 32, (uint32_t)(site - 1), callee}, .count = count});
}
