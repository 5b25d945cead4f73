// Smaller stacks for exports: the class library's frames as one frame [library], and rare stacks added to their
// callers. Rows stay in preorder, and the total is unchanged.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/tool/view/prof_stacks.h"

// A row of the new tree, as it grows: not in preorder.
typedef struct Row {
    size_t parent, origin;  // origin: the row of the old tree
    size_t first, last;     // children, in their order; PROF_NO_ROW: none
    size_t next;            // sibling
    size_t kept;            // the row that has its counts in the end: itself or a row below it in the stack
    size_t number;          // in the result, of a kept row
    uint32_t method;
    uint64_t count, inclusive;
} Row;

typedef struct Fold {
    const ProfStacks *s;
    Row *rows;
    size_t count, capacity;
    size_t first, last;  // roots
    size_t *to;          // by row of the old tree: the row that it became
    uint32_t library;    // the method [library]
    HashTable children;  // the rows that `child` made, plus 1
} Fold;

static bool is_library(const ProfFile *f, uint32_t method) {
    return !(f->methods[method].flags & (FORMAT_METHOD_APPLICATION | FORMAT_METHOD_PSEUDO));
}

static size_t add_row(Fold *d, size_t parent, size_t origin, uint32_t method) {
    GROW_OR_EXIT(d->rows, d->capacity, d->count + 1);
    size_t n = d->count++;
    Row *above = parent == PROF_NO_ROW ? NULL : &d->rows[parent];
    d->rows[n] = (Row){.parent = parent,
                       .origin = origin,
                       .first = PROF_NO_ROW,
                       .last = PROF_NO_ROW,
                       .next = PROF_NO_ROW,
                       .method = method};
    size_t *last = above ? &above->last : &d->last;
    if (*last != PROF_NO_ROW) d->rows[*last].next = n;
    else *(above ? &above->first : &d->first) = n;
    return *last = n;
}

typedef struct ChildKey {
    size_t parent;
    uint32_t method;
} ChildKey;

static uint32_t child_key_hash(const ChildKey *key) {
    return (uint32_t)((key->parent * UINT64_C(0x9e3779b97f4a7c15) + key->method) * UINT64_C(0xff51afd7ed558ccd) >> 32);
}

static uint32_t child_hash(const void *owner, uintptr_t item) {
    const Row *r = &((const Fold *)owner)->rows[item - 1];
    return child_key_hash(&(ChildKey){r->parent, r->method});
}

static bool same_child(const void *owner, uintptr_t item, const void *key) {
    const Row *r = &((const Fold *)owner)->rows[item - 1];
    return r->parent == ((const ChildKey *)key)->parent && r->method == ((const ChildKey *)key)->method;
}

static const HashKind child_kind = {child_hash, same_child};

// The child of a row for a method, whatever its place; it is added if there is none.
static size_t child(Fold *d, size_t parent, size_t origin, uint32_t method) {
    ChildKey key = {parent, method};
    uint32_t hash = child_key_hash(&key);
    uintptr_t found = hash_find(&d->children, &child_kind, d, hash, &key);
    if (found) return found - 1;
    size_t n = add_row(d, parent, origin, method);
    hash_add_or_exit(&d->children, &child_kind, d, hash, n + 1);
    return n;
}

// Rows whose place was in the library are one row for each method.
static void fold_rows(Fold *d, const ProfFile *f, bool folds) {
    for (size_t i = 0; i < d->s->rows; i++) {
        size_t parent = d->s->parents[i] == PROF_NO_ROW ? PROF_NO_ROW : d->to[d->s->parents[i]];
        bool below = parent != PROF_NO_ROW && d->rows[parent].method == d->library;
        uint32_t method = d->s->methods[i];
        if (!folds) d->to[i] = add_row(d, parent, i, method);
        else if (is_library(f, method)) d->to[i] = below ? parent : child(d, parent, i, d->library);
        else d->to[i] = below ? child(d, parent, i, method) : add_row(d, parent, i, method);
        d->rows[d->to[i]].count += d->s->counts[i];
    }
    for (size_t i = d->count; i-- > 0;) {  // a row follows its parent
        d->rows[i].inclusive += d->rows[i].count;
        if (d->rows[i].parent != PROF_NO_ROW) d->rows[d->rows[i].parent].inclusive += d->rows[i].inclusive;
    }
}

// A row with less than `least` is left out with all rows above it, and counts as its parent. Roots are kept.
static void leave_out(Fold *d, uint64_t least) {
    for (size_t i = 0; i < d->count; i++) {
        Row *r = &d->rows[i];
        bool root = r->parent == PROF_NO_ROW,
             keep = root || (r->inclusive >= least && d->rows[r->parent].kept == r->parent);
        r->kept = keep ? i : d->rows[r->parent].kept;
        if (!keep) d->rows[r->kept].count += r->count;
    }
}

// The row after `at` in preorder, with or without those above it in the stack.
static size_t following(const Fold *d, size_t at, bool above) {
    if (above && d->rows[at].first != PROF_NO_ROW) return d->rows[at].first;
    while (at != PROF_NO_ROW && d->rows[at].next == PROF_NO_ROW) at = d->rows[at].parent;
    return at == PROF_NO_ROW ? PROF_NO_ROW : d->rows[at].next;
}

static ProfStacks result(Fold *d, const ProfStacks *s) {
    ProfStacks out = {.a = s->a, .total = s->total};
    out.parents = prof_alloc(d->count * sizeof *out.parents);
    out.methods = prof_alloc(d->count * sizeof *out.methods);
    out.depths = prof_alloc(d->count * sizeof *out.depths);
    out.counts = prof_alloc(d->count * sizeof *out.counts);
    out.origins = prof_alloc(d->count * sizeof *out.origins);
    for (size_t at = d->first; at != PROF_NO_ROW; at = following(d, at, d->rows[at].kept == at)) {
        Row *r = &d->rows[at];
        if (r->kept != at) continue;
        size_t n = r->number = out.rows++;
        out.parents[n] = r->parent == PROF_NO_ROW ? PROF_NO_ROW : d->rows[r->parent].number;
        out.depths[n] = r->parent == PROF_NO_ROW ? 0 : out.depths[out.parents[n]] + 1;
        out.methods[n] = r->method;
        out.origins[n] = r->origin;
        out.counts[n] = r->count;
        if (out.depths[n] > out.deepest) out.deepest = out.depths[n];
        if (out.counts[n]) out.frames += out.depths[n] + 1u;
    }
    return out;
}

// A copy of the file's descriptor that also has the method [library]; everything else is shared.
static ProfFile *with_library(const ProfFile *f) {
    ProfFile *copy = prof_alloc(sizeof *copy);
    *copy = *f;
    copy->methods = prof_alloc((f->method_count + 1) * sizeof *copy->methods);
    memcpy(copy->methods, f->methods, f->method_count * sizeof *f->methods);
    copy->methods[copy->method_count++] = (ProfMethod){
        .class_name = "", .name = "[library]", .desc = "", .flags = FORMAT_METHOD_PSEUDO};
    return copy;
}

bool prof_stacks_small(const ProfFile *f, const ProfOptions *o, const char *format, ProfStacks *s) {
    ProfStacks whole;
    bool folds = !o->all && !o->filter_count && prof_has_application(f);
    if (!prof_stacks(f, o, format, &whole)) return false;
    Fold d = {.to = prof_alloc(whole.rows * sizeof *d.to),
              .s = &whole,
              .first = PROF_NO_ROW,
              .last = PROF_NO_ROW,
              .library = (uint32_t)f->method_count};
    ProfFile *file = with_library(f);
    if (folds || o->least_share > 0) {
        fold_rows(&d, file, folds);
        leave_out(&d, (uint64_t)(o->least_share * (double)whole.total));
        *s = result(&d, &whole);
        for (size_t i = 0; i < whole.rows; i++) d.to[i] = d.rows[d.rows[d.to[i]].kept].number;
        prof_stacks_free(&whole);
    } else {
        for (size_t i = 0; i < whole.rows; i++) d.to[i] = i;
        *s = whole;
    }
    s->file = file;
    s->folded = d.to;
    free(d.rows);
    hash_free(&d.children);
    return true;
}

// ---- threads -----------------------------------------------------------------------------------

static int by_row(const void *x, const void *y) {
    const ProfThreadCount *a = x, *b = y;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

ProfThreadCount *prof_stacks_by_thread(const ProfFile *f, const ProfOptions *o, const ProfStacks *s, size_t *count) {
    const ProfAnalysis *a = s->a;
    size_t n = 0, last = 0, capacity = 0;
    ProfRank *nodes = prof_nodes(a);
    bool *passes = prof_alloc(a->merged.rows * sizeof *passes);
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) passes[v.rows[i]] = true;
    prof_view_free(&v);
    for (size_t t = 0; t < f->thread_count; t++) capacity += a->threads[t].rows;
    ProfThreadCount *counts = prof_alloc((capacity + 1) * sizeof *counts);
    for (size_t t = 0; t < f->thread_count; t++) {
        ProfTable table = prof_thread_table(f, a, t);
        for (size_t i = 0; i < table.rows; i++) {
            const uint64_t *row = prof_row(a, &table, i);
            size_t in_all = prof_row_of_node(a, nodes, row[0]);
            uint64_t times = prof_row_count(a, row);
            if (in_all != PROF_NO_ROW && times && passes[in_all])
                counts[n++] = (ProfThreadCount){s->folded ? s->folded[in_all] : in_all, t, times};
        }
        prof_table_free(&table);
    }
    if (n) qsort(counts, n, sizeof *counts, by_row);
    for (size_t i = 1; i < n; i++) {
        if (by_row(&counts[last], &counts[i]) == 0) counts[last].count += counts[i].count;
        else counts[++last] = counts[i];
    }
    *count = n ? last + 1 : 0;
    free(nodes);
    free(passes);
    return counts;
}
