#include "profiler/tool/view/prof_context.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/tool/view/prof_calls.h"

// ---- the largest -------------------------------------------------------------------------------

typedef struct Ranked {
    uint64_t value;
    size_t item;
} Ranked;

// Does x come before y, largest first?
static bool before(const Ranked *x, const Ranked *y) {
    return x->value != y->value ? x->value > y->value : x->item < y->item;
}

// Restores the heap after its root changed; the root is the last item in order.
static void sink(Ranked *heap, size_t n) {
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child], &heap[child + 1])) child++;
        if (!before(&heap[at], &heap[child])) return;
        Ranked r = heap[at];
        heap[at] = heap[child];
        heap[child] = r;
    }
}

static void rise(Ranked *heap, size_t at) {
    for (size_t up; at && (up = (at - 1) / 2, before(&heap[up], &heap[at])); at = up) {
        Ranked r = heap[at];
        heap[at] = heap[up];
        heap[up] = r;
    }
}

static int ascending(const void *x, const void *y) {
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    return a < b ? -1 : a > b;
}

size_t prof_largest(size_t n, size_t most, uint64_t (*value)(const void *of, size_t item), const void *of, size_t *out) {
    size_t kept = 0;
    Ranked *heap = prof_alloc((most < n ? most : n) * sizeof *heap);
    for (size_t i = 0; i < n; i++) {
        Ranked r = {value(of, i), i};
        if (kept < most) {
            heap[kept] = r;
            rise(heap, kept++);
        } else if (kept && before(&r, &heap[0])) {
            heap[0] = r;
            sink(heap, kept);
        }
    }
    for (size_t i = 0; i < kept; i++) out[i] = heap[i].item;
    if (kept) qsort(out, kept, sizeof *out, ascending);
    free(heap);
    return kept;
}

// ---- building ----------------------------------------------------------------------------------

typedef struct Builder {
    ContextTree tree;
    size_t capacity;
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
    free(nodes);
}

// Nodes follow their parents.
static void add_up(Builder *b, int file) {
    for (size_t i = b->tree.count; i-- > 0;) {
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
    size_t *first;      // by method: index of its first call; one extra entry at the end
    uint64_t *again;    // by method: direct recursive calls
    Open *open;         // a heap, most work first
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
    if (!GROW_ZEROED(e->counts, e->counts_capacity, b->tree.count) || !GROW_ZEROED(e->works, e->works_capacity, b->tree.count))
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

// The part of its method's executions that a node accounts for.
static double share_of(const Estimate *e, const Open *o) {
    uint64_t entries = e->c->entries[o->method] - e->again[o->method];
    return o->executions > 0 && entries ? o->executions / (double)entries : 1;
}

static void expand(Builder *b, Estimate *e, const Open *o) {
    double share = share_of(e, o), work = 0, fit = 1, room = o->work - o->executions;
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

// A method without entries: where threads begin, or a method whose entries are not in the sample.
static void add_root(Builder *b, Estimate *e, uint32_t m) {
    uint32_t node = e->f->methods[m].flags & FORMAT_METHOD_PSEUDO ? CONTEXT_NONE : add_node(b, CONTEXT_NONE, e->ids[m]);
    make_room(b, e);
    push(e, (Open){(double)e->c->total + 1, 0, node, m, 0});
}

static void add_estimate(Builder *b, const ProfFile *f, const ProfCalls *c, const uint32_t *ids, int file, size_t most) {
    Estimate e = {.f = f, .c = c, .ids = ids, .file = file, .first = prof_alloc((f->method_count + 1) * sizeof *e.first),
                  .again = prof_alloc(f->method_count * sizeof *e.again)};
    size_t at = 0, before = b->tree.count;
    for (size_t m = 0; m <= f->method_count; m++) {
        while (at < c->count && c->calls[at].caller < m) at++;
        e.first[m] = at;
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->calls[i].caller == c->calls[i].callee) e.again[c->calls[i].caller] += c->calls[i].count;
    for (uint32_t m = 0; m < f->method_count; m++)
        if (!c->entries[m] && e.first[m] < e.first[m + 1]) add_root(b, &e, m);
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

static uint64_t larger_inclusive(const void *of, size_t item) {
    const ContextNode *n = &((const ContextTree *)of)->nodes[item];
    return n->inclusive[0] > n->inclusive[1] ? n->inclusive[0] : n->inclusive[1];
}

// Keeps the nodes with the largest inclusive counts. A parent has at least its children's count and precedes them.
static void prune(ContextTree *t, size_t most) {
    size_t *kept = prof_alloc((most < t->count ? most : t->count) * sizeof *kept);
    size_t n = prof_largest(t->count, most, larger_inclusive, t, kept), to = 0;
    uint32_t *moved = prof_alloc(t->count * sizeof *moved);
    for (size_t i = 0; i < t->count; i++) moved[i] = CONTEXT_NONE;
    for (size_t i = 0; i < n; i++) {
        ContextNode node = t->nodes[kept[i]];
        bool orphan = node.parent != CONTEXT_NONE && moved[node.parent] == CONTEXT_NONE;
        if (!larger_inclusive(t, kept[i]) || orphan) continue;
        if (node.parent != CONTEXT_NONE) node.parent = moved[node.parent];
        moved[kept[i]] = (uint32_t)to;
        t->nodes[to++] = node;
    }
    t->left = t->count - to;
    t->count = to;
    free(kept);
    free(moved);
}

ContextTree prof_context(const ProfFile *files, size_t count, uint32_t *const *ids, size_t most) {
    Builder b = {0};
    for (int i = 0; i < (int)count; i++) {
        const ProfAnalysis *tree = prof_call_tree(&files[i]);
        ProfCalls c;
        b.tree.exact[i] = tree;
        if (tree) {
            add_tree(&b, tree, ids[i], i);
            add_up(&b, i);
            b.tree.total[i] = tree->merged.total;
        } else if ((b.tree.present[i] = prof_calls(&files[i], &c))) {
            add_estimate(&b, &files[i], &c, ids[i], i, most);
            b.tree.total[i] = c.total;
            prof_calls_free(&c);
        }
        b.tree.present[i] |= b.tree.exact[i];
    }
    free(b.by_key.slots);
    prune(&b.tree, most);
    return b.tree;
}

void prof_context_free(ContextTree *t) {
    free(t->nodes);
    *t = (ContextTree){0};
}
