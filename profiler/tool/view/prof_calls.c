#include "profiler/tool/view/prof_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/view/prof_view.h"

// Column indexes of the parts of a call.
typedef struct CallColumns {
    int caller, bci, line, callee;
} CallColumns;

static int32_t place(uint64_t cell) { return (int64_t)cell < 0 ? -1 : cell > INT32_MAX ? INT32_MAX : (int32_t)cell; }

static ProfCall call_of(const ProfAnalysis *a, const CallColumns *c, const uint64_t *row) {
    return (ProfCall){.caller = (uint32_t)row[c->caller],
                      .callee = (uint32_t)row[c->callee],
                      .bci = place(row[c->bci]),
                      .line = place(row[c->line]),
                      .count = prof_row_count(a, row)};
}

static int compare_calls(const void *x, const void *y) {
    const ProfCall *a = x, *b = y;
    if (a->caller != b->caller) return a->caller < b->caller ? -1 : 1;
    if (a->bci != b->bci) return a->bci < b->bci ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

// Merges equal calls. Those of call edges are already sorted.
static void combine_calls(ProfCalls *c) {
    size_t last = 0, sorted = 1;
    if (!c->count) return;
    while (sorted < c->count && compare_calls(&c->calls[sorted - 1], &c->calls[sorted]) <= 0) sorted++;
    if (sorted < c->count) qsort(c->calls, c->count, sizeof *c->calls, compare_calls);
    for (size_t i = 1; i < c->count; i++) {
        if (compare_calls(&c->calls[last], &c->calls[i]) != 0) {
            c->calls[++last] = c->calls[i];
            continue;
        }
        c->calls[last].count += c->calls[i].count;
        c->calls[last].below += c->calls[i].below;
        c->calls[last].library += c->calls[i].library;
    }
    c->count = last + 1;
}

// ---- from a call tree --------------------------------------------------------------------------

// Sums for a row of the tree.
typedef struct Node {
    size_t parent;
    double below, library;
} Node;

// Rows follow their parents, so work is summed from the last row to the first.
static Node *add_up(const ProfFile *f, const ProfAnalysis *a, const CallColumns *columns, const double *weights) {
    size_t rows = a->merged.rows, *parents = prof_parents(a, &a->merged);
    Node *nodes = prof_alloc(rows * sizeof *nodes);
    for (size_t i = 0; i < rows; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        double count = (double)prof_row_count(a, row) * (weights ? weights[row[columns->callee]] : 1);
        nodes[i] = (Node){parents[i], count, prof_is_application(&f->methods[row[columns->callee]]) ? 0 : count};
    }
    for (size_t i = rows; i-- > 0;) {
        if (nodes[i].parent == PROF_NO_ROW) continue;
        Node *parent = &nodes[nodes[i].parent];
        uint32_t callee = (uint32_t)prof_row(a, &a->merged, nodes[i].parent)[columns->callee];
        parent->below += nodes[i].below;
        if (!prof_is_application(&f->methods[callee])) parent->library += nodes[i].library;
    }
    free(parents);
    return nodes;
}

// A method's work is counted at its outermost entry.
static void from_tree(const ProfFile *f, const ProfAnalysis *a, const CallColumns *columns, bool by_parent,
                      const double *weights, ProfCalls *c) {
    size_t rows = a->merged.rows;
    Node *nodes = add_up(f, a, columns, weights);
    uint32_t *on_way = prof_alloc(f->method_count * sizeof *on_way);  // by method: its entries on the current path
    size_t at = PROF_NO_ROW;
    for (size_t i = 0; i < rows; i++) {
        for (; at != nodes[i].parent; at = nodes[at].parent) on_way[prof_row(a, &a->merged, at)[columns->callee]]--;
        ProfCall call = call_of(a, columns, prof_row(a, &a->merged, i));
        // The parent row's method, which is the caller unless the VM made the call.
        uint32_t above = nodes[i].parent == PROF_NO_ROW
            ? call.caller
            : (uint32_t)prof_row(a, &a->merged, nodes[i].parent)[columns->callee];
        if (by_parent && call.caller != above)
            call.caller = above, call.bci = call.line = -1,
            call.by_vm = !(f->methods[above].flags & FORMAT_METHOD_PSEUDO);
        if (!on_way[call.callee]++) call.below = nodes[i].below, c->below[call.callee] += nodes[i].below;
        bool library = !prof_is_application(&f->methods[call.callee]);
        if (library && prof_is_application(&f->methods[call.caller])) call.library = nodes[i].library;
        c->calls[c->count++] = call;
        // A call by the VM on behalf of an instruction (class loading, linking) has a pseudo-caller.
        if (library && f->methods[call.caller].flags & FORMAT_METHOD_PSEUDO && prof_is_application(&f->methods[above]))
            c->calls[c->count++] = (ProfCall){
                .caller = above, .callee = call.callee, .bci = -1, .line = -1, .library = nodes[i].library};
        at = i;
    }
    free(on_way);
    free(nodes);
}

// ---- from call edges ---------------------------------------------------------------------------

// The call graph of all calls, or only of those into the class library. Mutually recursive methods form a cycle, whose
// work is counted once and divided among the calls from outside. Any other method is a cycle by itself.
typedef struct Graph {
    const ProfFile *f;
    const ProfCalls *c;
    bool library;
    size_t *first;    // by method: index of its first call; one extra entry at the end
    uint32_t *cycle;  // by method, from 1: a cycle has a greater number than the cycles it calls
    uint32_t cycle_count;
    double *entered;  // by cycle: calls from outside
    double *work;     // by cycle
} Graph;

static bool is_in(const Graph *g, const ProfCall *call) {
    return !g->library || !prof_is_application(&g->f->methods[call->callee]);
}

// A method on the search stack (Tarjan, 1972): it is reachable from the methods below it on `path`.
typedef struct Visit {
    uint32_t method;
    size_t next;  // index of the next call to follow
} Visit;

typedef struct Search {
    Visit *visits;
    uint32_t *path, *order, *lowest;  // order, lowest: by method, 0: not visited
    size_t depth, path_length;
    uint32_t seen;
} Search;

static void visit(Graph *g, Search *s, uint32_t m) {
    s->visits[s->depth++] = (Visit){m, g->first[m]};
    s->path[s->path_length++] = m;
    s->order[m] = s->lowest[m] = ++s->seen;
}

static void leave(Graph *g, Search *s) {
    uint32_t m = s->visits[--s->depth].method, member;
    if (s->depth) {
        uint32_t caller = s->visits[s->depth - 1].method;
        if (s->lowest[m] < s->lowest[caller]) s->lowest[caller] = s->lowest[m];
    }
    if (s->lowest[m] != s->order[m]) return;
    g->cycle_count++;
    do {
        member = s->path[--s->path_length];
        g->cycle[member] = g->cycle_count;
    } while (member != m);
}

static void find_cycles(Graph *g) {
    size_t n = g->f->method_count;
    Search s = {prof_alloc(n * sizeof(Visit)),
                prof_alloc(n * sizeof(uint32_t)),
                prof_alloc(n * sizeof(uint32_t)),
                prof_alloc(n * sizeof(uint32_t)),
                0,
                0,
                0};
    for (uint32_t root = 0; root < n; root++) {
        if (!s.order[root]) visit(g, &s, root);
        while (s.depth) {
            Visit *v = &s.visits[s.depth - 1];
            if (v->next == g->first[v->method + 1]) {
                leave(g, &s);
                continue;
            }
            const ProfCall *call = &g->c->calls[v->next++];
            if (!is_in(g, call)) continue;
            if (!s.order[call->callee]) visit(g, &s, call->callee);
            else if (!g->cycle[call->callee] && s.order[call->callee] < s.lowest[v->method])
                s.lowest[v->method] = s.order[call->callee];
        }
    }
    free(s.visits);
    free(s.path);
    free(s.order);
    free(s.lowest);
}

// The part of its callee's work that the calls from one place account for.
static double share_of_work(const Graph *g, const ProfCall *call) {
    uint32_t cycle = g->cycle[call->callee];
    if (g->cycle[call->caller] == cycle || g->entered[cycle] < 1) return 0;
    return (double)call->count / g->entered[cycle] * g->work[cycle];
}

static Graph make_graph(const ProfFile *f, const ProfCalls *c, bool library, const double *weights) {
    size_t n = f->method_count, at = 0;
    Graph g = {f,
               c,
               library,
               prof_alloc((n + 1) * sizeof *g.first),
               prof_alloc(n * sizeof *g.cycle),
               0,
               prof_alloc((n + 1) * sizeof *g.entered),
               prof_alloc((n + 1) * sizeof *g.work)};
    for (size_t m = 0; m <= n; m++) {
        while (at < c->count && c->calls[at].caller < m) at++;
        g.first[m] = at;
    }
    find_cycles(&g);
    for (size_t i = 0; i < c->count; i++) {
        const ProfCall *call = &c->calls[i];
        if (g.cycle[call->caller] != g.cycle[call->callee]) g.entered[g.cycle[call->callee]] += (double)call->count;
    }
    uint32_t *members = prof_alloc(n * sizeof *members);  // by cycle: callees first
    size_t *end = prof_alloc((g.cycle_count + 2u) * sizeof *end);
    for (size_t m = 0; m < n; m++) end[g.cycle[m] + 1]++;
    for (uint32_t k = 1; k <= g.cycle_count; k++) end[k + 1] += end[k];
    for (uint32_t m = 0; m < n; m++) members[end[g.cycle[m]]++] = m;
    for (size_t i = 0; i < n; i++) {
        uint32_t m = members[i];
        double *work = &g.work[g.cycle[m]];
        *work += (double)c->entries[m] * (weights ? weights[m] : 1);
        for (size_t k = g.first[m]; k < g.first[m + 1]; k++)
            if (is_in(&g, &c->calls[k])) *work += share_of_work(&g, &c->calls[k]);
    }
    free(members);
    free(end);
    return g;
}

static void free_graph(Graph *g) {
    free(g->first);
    free(g->cycle);
    free(g->entered);
    free(g->work);
}

static void from_edges(const ProfFile *f, const ProfAnalysis *a, const CallColumns *columns, const double *weights,
                       ProfCalls *c) {
    for (size_t i = 0; i < a->merged.rows; i++) c->calls[c->count++] = call_of(a, columns, prof_row(a, &a->merged, i));
    combine_calls(c);
    for (size_t i = 0; i < c->count; i++) c->entries[c->calls[i].callee] += c->calls[i].count;
    Graph all = make_graph(f, c, false, weights), library = make_graph(f, c, true, weights);
    for (size_t i = 0; i < c->count; i++) {
        ProfCall *call = &c->calls[i];
        const ProfMethod *caller = &f->methods[call->caller];
        bool enters = prof_is_application(caller) || caller->flags & FORMAT_METHOD_PSEUDO;
        call->below = share_of_work(&all, call);
        if (enters && is_in(&library, call)) call->library = share_of_work(&library, call);
    }
    for (size_t m = 0; m < f->method_count; m++) c->below[m] = c->entries[m] ? all.work[all.cycle[m]] : 0;
    free_graph(&all);
    free_graph(&library);
}

char *prof_call_text(const ProfFile *f, const ProfCall *call) {
    const ProfMethod *m = &f->methods[call->caller];
    char *caller = call->line >= 0 ? prof_place_text(m, call->line) : prof_method_text(m), at[32] = "", *text;
    char *callee = prof_method_text(&f->methods[call->callee]);
    if (call->bci >= 0) snprintf(at, sizeof at, " @%lld", (long long)call->bci);
    if (call->by_vm) strcpy(at, ", by the VM on its behalf");
    if (asprintf(&text, "%s%s -> %s", caller, at, callee) < 0) prof_out_of_memory();
    free(caller);
    free(callee);
    return text;
}

static bool read_calls(const ProfFile *f, bool by_parent, const double *weights, ProfCalls *c) {
    const ProfAnalysis *tree = prof_analysis(f, "call-tree");
    if (tree && !tree->merged.rows) tree = NULL;
    const ProfAnalysis *a = tree ? tree : prof_analysis(f, "call-edge");
    *c = (ProfCalls){.exact = tree};
    if (!a || !a->merged.rows) return false;
    CallColumns columns = {prof_column(a, "caller"), prof_column(a, "bci"), prof_column(a, "line"),
                           prof_column(a, "callee")};
    if (columns.caller < 0 || columns.bci < 0 || columns.line < 0 || columns.callee < 0) return false;
    bool fits = a->columns[columns.caller].kind == FORMAT_COLUMN_METHOD &&
        a->columns[columns.callee].kind == FORMAT_COLUMN_METHOD &&
        a->columns[columns.bci].kind == FORMAT_COLUMN_SIGNED && a->columns[columns.line].kind == FORMAT_COLUMN_SIGNED;
    if (!fits) return false;
    c->calls = prof_alloc(2 * a->merged.rows * sizeof *c->calls);  // a node may yield two calls
    c->entries = prof_alloc(f->method_count * sizeof *c->entries);
    c->below = prof_alloc(f->method_count * sizeof *c->below);
    if (tree) {
        from_tree(f, a, &columns, by_parent, weights, c);
        combine_calls(c);
        for (size_t i = 0; i < c->count; i++) c->entries[c->calls[i].callee] += c->calls[i].count;
    } else {
        from_edges(f, a, &columns, weights, c);
    }
    for (size_t i = 0; i < c->count; i++) c->total += c->calls[i].count;
    return true;
}

bool prof_calls(const ProfFile *f, ProfCalls *c) { return read_calls(f, false, NULL, c); }
bool prof_calls_by_parent(const ProfFile *f, const double *weights, ProfCalls *c) {
    return read_calls(f, true, weights, c);
}

void prof_calls_free(ProfCalls *c) {
    free(c->calls);
    free(c->entries);
    free(c->below);
    *c = (ProfCalls){0};
}
