#include "profiler/tool/view/prof_context.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/view/prof_calls.h"

// ---- the largest -------------------------------------------------------------------------------

// A heap whose root is the last of its items in order, so that a better item takes its place.
size_t prof_largest(size_t n, size_t most, const uint64_t *values, size_t *out) {
    size_t kept = 0;
    ProfRank *heap = prof_alloc((most < n ? most : n) * sizeof *heap);
    for (size_t i = 0; i < n; i++) {
        ProfRank r = {values[i], i};
        size_t at = 0;
        if (kept < most) {
            for (at = kept++; at && prof_by_weight(&heap[(at - 1) / 2], &r) < 0; at = (at - 1) / 2)
                heap[at] = heap[(at - 1) / 2];
            heap[at] = r;
        } else if (kept && prof_by_weight(&r, &heap[0]) < 0) {
            for (size_t child; (child = 2 * at + 1) < kept; at = child) {
                if (child + 1 < kept && prof_by_weight(&heap[child], &heap[child + 1]) < 0) child++;
                if (prof_by_weight(&r, &heap[child]) > 0) break;
                heap[at] = heap[child];
            }
            heap[at] = r;
        }
    }
    for (size_t i = 0; i < kept; i++) out[i] = heap[i].item;
    if (kept) qsort(out, kept, sizeof *out, prof_by_number);
    free(heap);
    return kept;
}

// ---- building ----------------------------------------------------------------------------------

typedef struct Builder {
    ContextTree tree;
    size_t capacity, place_count[2];
    HashTable by_key;
} Builder;

typedef struct NodeKey {
    uint32_t parent, method;
} NodeKey;

static uint32_t key_hash(uint32_t parent, uint32_t method) {
    return (uint32_t)(((uint64_t)parent << 32 | method) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t node_hash(const void *owner, uintptr_t item) {
    const ContextNode *n = &((const Builder *)owner)->tree.nodes[item - 1];
    return key_hash(n->parent, n->method);
}

static bool same_node(const void *owner, uintptr_t item, const void *key) {
    const ContextNode *n = &((const Builder *)owner)->tree.nodes[item - 1];
    return n->parent == ((const NodeKey *)key)->parent && n->method == ((const NodeKey *)key)->method;
}

static const HashKind node_kind = {node_hash, same_node};

static uint32_t add_node(Builder *b, uint32_t parent, uint32_t method) {
    NodeKey key = {parent, method};
    uint32_t hash = key_hash(parent, method);
    uintptr_t found = hash_find(&b->by_key, &node_kind, b, hash, &key);
    if (found) return (uint32_t)(found - 1);
    GROW_OR_EXIT(b->tree.nodes, b->capacity, b->tree.count + 1);
    b->tree.nodes[b->tree.count++] = (ContextNode){.parent = parent, .method = method};
    hash_add_or_exit(&b->by_key, &node_kind, b, hash, b->tree.count);
    return (uint32_t)(b->tree.count - 1);
}

static void add_saturated(uint64_t *to, uint64_t n) {
    if (__builtin_add_overflow(*to, n, to)) *to = UINT64_MAX;
}

// ---- from a call tree --------------------------------------------------------------------------

static void add_tree(Builder *b, const ProfAnalysis *a, const uint32_t *ids, int file) {
    const ProfTable *t = &a->merged;
    size_t *parents = prof_parents(a, t);
    uint32_t *nodes = prof_alloc(t->rows * sizeof *nodes);  // by row
    int callee = prof_column(a, "callee");
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t *row = prof_row(a, t, i);
        nodes[i] = add_node(b, parents[i] == PROF_NO_ROW ? CONTEXT_NONE : nodes[parents[i]], ids[row[callee]]);
        add_saturated(&b->tree.nodes[nodes[i]].count[file], prof_row_count(a, row));
    }
    free(parents);
    b->tree.places[file] = nodes;
    b->place_count[file] = t->rows;
    for (size_t i = b->tree.count; i-- > 0;) {  // nodes follow their parents
        ContextNode *n = &b->tree.nodes[i];
        add_saturated(&n->inclusive[file], n->count[file]);
        if (n->parent != CONTEXT_NONE) add_saturated(&b->tree.nodes[n->parent].inclusive[file], n->inclusive[file]);
    }
}

// ---- from call edges ---------------------------------------------------------------------------

enum { DEEPEST = 400, WORKED_OUT = 4 };  // WORKED_OUT: multiple of the kept nodes

// A node whose children are not expanded yet.
typedef struct Open {
    double work;        // entries in it and below
    double executions;  // of the method; 0: not a method but the start of a thread
    uint32_t node, method, depth;
} Open;

typedef struct Estimate {
    const ProfFile *f;
    const ProfCalls *c;
    const uint32_t *ids;
    int file;
    size_t *first;    // by method: index of its first call; one extra entry at the end
    uint64_t *again;  // by method: direct recursive calls
    Open *open;       // a heap, most work first
    size_t count, capacity;
    double *counts, *works;  // by node of the tree
    size_t counts_capacity, works_capacity;
} Estimate;

static void push(Estimate *e, Open o) {
    GROW_OR_EXIT(e->open, e->capacity, e->count + 1);
    size_t at = e->count++;
    for (; at && e->open[(at - 1) / 2].work < o.work; at = (at - 1) / 2) e->open[at] = e->open[(at - 1) / 2];
    e->open[at] = o;
}

static Open pop(Estimate *e) {
    Open top = e->open[0], last = e->open[--e->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < e->count) {
        if (child + 1 < e->count && e->open[child + 1].work > e->open[child].work) child++;
        if (e->open[child].work <= last.work) break;
        e->open[at] = e->open[child];
        at = child;
    }
    e->open[at] = last;
    return top;
}

static bool on_way(const Builder *b, uint32_t node, uint32_t method) {
    for (; node != CONTEXT_NONE; node = b->tree.nodes[node].parent)
        if (b->tree.nodes[node].method == method) return true;
    return false;
}

// The work of `count` calls of `callee`, before it is scaled to fit into the caller's.
static double work_of(const Estimate *e, const ProfCall *call, double count) {
    if (call->below > 0) return call->below * count / (double)call->count;
    uint64_t entries = e->c->entries[call->callee];
    return entries ? count / (double)entries * e->c->below[call->callee] : count;
}

static void make_room(const Builder *b, Estimate *e) {
    if (!GROW_ZEROED(e->counts, e->counts_capacity, b->tree.count) ||
        !GROW_ZEROED(e->works, e->works_capacity, b->tree.count))
        prof_out_of_memory();
}

// Adds one call of `o`'s method to the children of its node.
static void add_call(Builder *b, Estimate *e, const Open *o, const ProfCall *call, double share, double fit) {
    double count = (double)call->count * share;
    uint32_t id = e->ids[call->callee];
    bool folded = on_way(b, o->node, id);
    uint32_t node = add_node(b, o->node, id);
    make_room(b, e);
    double work = (folded ? count : work_of(e, call, count)) * fit;
    e->counts[node] += count * fit;
    e->works[node] += work;
    if (!folded && o->depth < DEEPEST) push(e, (Open){work, count * fit, node, call->callee, o->depth + 1});
}

static void expand(Builder *b, Estimate *e, const Open *o) {
    // The part of its method's executions that the node accounts for.
    uint64_t entries = e->c->entries[o->method] - e->again[o->method];
    double share = o->executions > 0 && entries ? o->executions / (double)entries : 1;
    double work = 0, fit = 1, room = o->work - o->executions;
    for (size_t i = e->first[o->method]; i < e->first[o->method + 1]; i++) {
        const ProfCall *call = &e->c->calls[i];
        double count = (double)call->count * share;
        work += on_way(b, o->node, e->ids[call->callee]) ? count : work_of(e, call, count);
    }
    if (o->executions <= 0 && o->node != CONTEXT_NONE) e->works[o->node] += work;  // its entries are not in the sample
    if (o->executions > 0 && work > room) fit = room > 0 ? room / work : 0;
    for (size_t i = e->first[o->method]; i < e->first[o->method + 1]; i++)
        if (e->c->calls[i].count) add_call(b, e, o, &e->c->calls[i], share, fit);
}

static void add_estimate(Builder *b, const ProfFile *f, const ProfCalls *c, const uint32_t *ids, int file,
                         size_t most) {
    Estimate e = {.f = f,
                  .c = c,
                  .ids = ids,
                  .file = file,
                  .first = prof_alloc((f->method_count + 1) * sizeof *e.first),
                  .again = prof_alloc(f->method_count * sizeof *e.again)};
    size_t at = 0, before = b->tree.count;
    for (size_t m = 0; m <= f->method_count; m++) {
        while (at < c->count && c->calls[at].caller < m) at++;
        e.first[m] = at;
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->calls[i].caller == c->calls[i].callee) e.again[c->calls[i].caller] += c->calls[i].count;
    for (uint32_t m = 0; m < f->method_count; m++) {
        // A method that makes calls but has no entries: a thread's first one, or its entries are not in the sample.
        if (c->entries[m] || e.first[m] == e.first[m + 1]) continue;
        uint32_t node = f->methods[m].flags & FORMAT_METHOD_PSEUDO ? CONTEXT_NONE : add_node(b, CONTEXT_NONE, ids[m]);
        make_room(b, &e);
        push(&e, (Open){(double)c->total + 1, 0, node, m, 0});
    }
    while (e.count && b->tree.count - before < WORKED_OUT * most) {
        Open o = pop(&e);
        expand(b, &e, &o);
    }
    for (size_t i = 0; i < b->tree.count && i < e.counts_capacity; i++) {
        b->tree.nodes[i].count[file] = prof_rounded(e.counts[i]);
        b->tree.nodes[i].inclusive[file] = prof_rounded(e.works[i]);
    }
    free(e.first);
    free(e.again);
    free(e.open);
    free(e.counts);
    free(e.works);
}

// ---- the whole tree ----------------------------------------------------------------------------

// The place (ContextTree.places) of each node. `moved`: its index, CONTEXT_NONE if it is left out.
static uint32_t *places_of_nodes(const ContextNode *nodes, size_t count, const uint32_t *moved) {
    uint32_t *places = prof_alloc(count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        uint32_t above = nodes[i].parent == CONTEXT_NONE ? 0 : places[nodes[i].parent];
        places[i] = moved[i] == CONTEXT_NONE ? above | 1 : 2 * moved[i] + 2;
    }
    return places;
}

// Keeps the nodes with the largest inclusive counts. A parent has at least its children's count and precedes them.
static void prune(Builder *b, size_t most) {
    ContextTree *t = &b->tree;
    ContextNode *all = prof_alloc(t->count * sizeof *all);
    if (t->count) memcpy(all, t->nodes, t->count * sizeof *all);
    size_t *kept = prof_alloc((most < t->count ? most : t->count) * sizeof *kept);
    uint64_t *inclusive = prof_alloc(t->count * sizeof *inclusive);
    uint32_t *moved = prof_alloc(t->count * sizeof *moved);
    for (size_t i = 0; i < t->count; i++) {
        const ContextNode *node = &t->nodes[i];
        inclusive[i] = node->inclusive[0] > node->inclusive[1] ? node->inclusive[0] : node->inclusive[1];
        moved[i] = CONTEXT_NONE;
    }
    size_t n = prof_largest(t->count, most, inclusive, kept), to = 0;
    for (size_t i = 0; i < n; i++) {
        ContextNode node = t->nodes[kept[i]];
        bool orphan = node.parent != CONTEXT_NONE && moved[node.parent] == CONTEXT_NONE;
        if (!inclusive[kept[i]] || orphan) continue;
        if (node.parent != CONTEXT_NONE) node.parent = moved[node.parent];
        moved[kept[i]] = (uint32_t)to;
        t->nodes[to++] = node;
    }
    uint32_t *places = places_of_nodes(all, t->count, moved);
    for (int file = 0; file < 2; file++)
        for (size_t i = 0; i < b->place_count[file]; i++) t->places[file][i] = places[t->places[file][i]];
    t->left = t->count - to;
    t->count = to;
    free(all);
    free(places);
    free(kept);
    free(inclusive);
    free(moved);
}

ContextTree prof_context(const ProfFile *files, size_t count, uint32_t *const *ids, const char *name, size_t most) {
    Builder b = {0};
    for (int i = 0; i < (int)count; i++) {
        const ProfAnalysis *tree = prof_stack_tree(&files[i], name);
        ProfCalls c;
        b.tree.exact[i] = tree;
        if (tree) {
            add_tree(&b, tree, ids[i], i);
            b.tree.total[i] = tree->merged.total;
        } else if (!name && (b.tree.present[i] = prof_calls(&files[i], &c))) {
            add_estimate(&b, &files[i], &c, ids[i], i, most);
            b.tree.total[i] = c.total;
            prof_calls_free(&c);
        }
        b.tree.present[i] |= b.tree.exact[i];
    }
    free(b.by_key.slots);
    prune(&b, most);
    return b.tree;
}

void prof_context_free(ContextTree *t) {
    free(t->nodes);
    free(t->places[0]);
    free(t->places[1]);
    *t = (ContextTree){0};
}
