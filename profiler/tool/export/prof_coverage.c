// Coverage of methods (prof_coverage.h).
#include "profiler/tool/export/prof_coverage.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"

typedef enum CountKind { COUNT_ENTRY, COUNT_SITE, COUNT_EDGE, COUNT_PATH } CountKind;

// The part of an analysis row that says what was executed.
typedef struct Count {
    uint32_t method;
    uint16_t kind, analysis;
    int64_t bci;      // COUNT_PATH: the block that an exception ended, or -1
    uint64_t detail;  // COUNT_EDGE: the edge; COUNT_PATH: the path number; COUNT_SITE of calls: the callee
    uint64_t count;
} Count;

struct CoverageCounts {
    const ProfFile *f;
    Count *counts;  // by method, kind, analysis
    size_t count;
    uint32_t *by_name;              // methods by class, name and descriptor
    bool entries, branches, paths;  // were they recorded?
};

// ---- counts of a profile -----------------------------------------------------------------------

static const struct Source {
    const char *analysis, *method;
    CountKind kind;
} sources[] = {
    {"method-count", "method", COUNT_ENTRY}, {"call-edge", "callee", COUNT_ENTRY}, {"call-edge", "caller", COUNT_SITE},
    {"call-tree", "callee", COUNT_ENTRY},    {"call-tree", "caller", COUNT_SITE},  {"field-site", "method", COUNT_SITE},
    {"receiver", "method", COUNT_SITE},      {"branch", "method", COUNT_EDGE},     {"path", "method", COUNT_PATH},
};
enum { SOURCES = sizeof sources / sizeof *sources };

static bool is_column(const ProfAnalysis *a, const char *name, uint32_t kind) {
    int c = prof_column(a, name);
    return c >= 0 && a->columns[c].kind == kind;
}

static bool fits(const struct Source *s, const ProfAnalysis *a, const ProfOptions *o) {
    if (strcmp(s->analysis, a->name) != 0 || (o->analysis && strcmp(o->analysis, a->name) != 0)) return false;
    if (!is_column(a, s->method, FORMAT_COLUMN_METHOD)) return false;
    if (s->kind != COUNT_ENTRY && !is_column(a, "bci", FORMAT_COLUMN_SIGNED)) return false;
    if (s->kind == COUNT_PATH) return is_column(a, "path", FORMAT_COLUMN_NUMBER);
    return s->kind != COUNT_EDGE || is_column(a, "edge", FORMAT_COLUMN_NUMBER);
}

bool coverage_knows(const ProfAnalysis *a, const ProfOptions *o) {
    for (size_t i = 0; i < SOURCES; i++)
        if (fits(&sources[i], a, o)) return true;
    return false;
}

static void collect(CoverageCounts *c, const struct Source *s, uint16_t analysis) {
    const ProfAnalysis *a = &c->f->analyses[analysis];
    int method = prof_column(a, s->method), bci = prof_column(a, "bci");
    int detail = prof_column(a, s->kind == COUNT_EDGE ? "edge" : s->kind == COUNT_PATH ? "path" : "callee");
    bool is_method = detail >= 0 && a->columns[detail].kind == FORMAT_COLUMN_METHOD;
    for (size_t i = 0; i < a->merged.rows; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        Count n = {.method = (uint32_t)row[method],
                   .kind = (uint16_t)s->kind,
                   .analysis = analysis,
                   .bci = s->kind == COUNT_ENTRY ? -1 : (int64_t)row[bci],
                   .detail = detail < 0 ? UINT64_MAX : row[detail],
                   .count = prof_row_count(a, row)};
        if (s->kind == COUNT_SITE && !is_method) n.detail = UINT64_MAX;
        if (n.count && (n.bci >= 0 || s->kind == COUNT_ENTRY || s->kind == COUNT_PATH)) c->counts[c->count++] = n;
    }
    c->entries |= s->kind == COUNT_ENTRY;
    c->branches |= s->kind == COUNT_EDGE;
    c->paths |= s->kind == COUNT_PATH;
}

static int by_method(const void *x, const void *y) {
    const Count *a = x, *b = y;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->analysis < b->analysis ? -1 : a->analysis > b->analysis;
}

// Compares class names without a loader's name, then names and descriptors.
static int compare_methods(const ProfMethod *a, const ProfMethod *b) {
    size_t n = strcspn(a->class_name, "@"), k = strcspn(b->class_name, "@");
    int order = strncmp(a->class_name, b->class_name, n < k ? n : k);
    if (!order && n != k) return n < k ? -1 : 1;
    if (!order) order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->desc, b->desc);
}

static int by_name(const void *x, const void *y, void *methods) {
    const ProfMethod *m = methods;
    return compare_methods(&m[*(const uint32_t *)x], &m[*(const uint32_t *)y]);
}

CoverageCounts *coverage_counts(const ProfFile *f, const ProfOptions *o) {
    CoverageCounts *c = prof_alloc(sizeof *c);
    size_t rows = 0;
    c->f = f;
    for (size_t a = 0; a < f->analysis_count; a++)
        for (size_t i = 0; i < SOURCES; i++)
            rows += fits(&sources[i], &f->analyses[a], o) ? f->analyses[a].merged.rows : 0;
    c->counts = prof_alloc(rows * sizeof *c->counts);
    for (size_t a = 0; a < f->analysis_count; a++)
        for (size_t i = 0; i < SOURCES; i++)
            if (fits(&sources[i], &f->analyses[a], o)) collect(c, &sources[i], (uint16_t)a);
    if (c->count) qsort(c->counts, c->count, sizeof *c->counts, by_method);
    c->by_name = prof_alloc(f->method_count * sizeof *c->by_name);
    for (uint32_t m = 0; m < f->method_count; m++) c->by_name[m] = m;
    if (f->method_count) qsort_r(c->by_name, f->method_count, sizeof *c->by_name, by_name, f->methods);
    return c;
}

void coverage_counts_free(CoverageCounts *c) {
    free(c->counts);
    free(c->by_name);
    free(c);
}

size_t coverage_methods(const CoverageCounts *c, const char *class_name, const char *name, const char *desc,
                        const uint32_t **methods) {
    const ProfMethod wanted = {.class_name = class_name, .name = name, .desc = desc};
    size_t low = 0, high = c->f->method_count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_methods(&c->f->methods[c->by_name[middle]], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    for (end = low; end < c->f->method_count && compare_methods(&c->f->methods[c->by_name[end]], &wanted) == 0;) end++;
    *methods = c->by_name + low;
    return end - low;
}

// ---- counts at instructions --------------------------------------------------------------------

typedef struct Flow {
    const CoverageCounts *c;
    const ClassFile *cf;
    const ClassFileCode *code;
    const Paths *graph;
    uint64_t *evidence;    // by bytecode index: count at the instruction
    uint64_t *edges;       // by edge: times taken
    uint64_t *path_edges;  // the same, from paths
    uint64_t *executed;    // by block: times entered
    uint64_t entries;
} Flow;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Adds a path to the counts of its edges and blocks. A path that the graph does not have belongs to another class file
// and is ignored.
static void add_path(Flow *w, const Count *n) {
    const Paths *p = w->graph;
    uint64_t rest = n->detail;
    uint32_t at = PATHS_EXIT;
    if (rest >= p->path_count || n->bci >= w->code->code_len) return;
    for (uint32_t i = 0; i < p->block_count; i++)
        if (p->blocks[i].begins && p->blocks[i].begin <= rest) at = i;
    if (at == PATHS_EXIT) return;
    uint32_t last = n->bci >= 0 ? p->block_at[n->bci] : PATHS_EXIT;
    rest -= p->blocks[at].begin;
    for (;;) {
        const PathBlock *b = &p->blocks[at];
        w->executed[at] += n->count;
        if (at == last) return;
        uint32_t edge = b->first_edge + b->edge_count - 1;
        while (edge > b->first_edge && p->edges[edge].value > rest) edge--;
        w->path_edges[edge] += n->count;
        if (p->edges[edge].ends) return;
        rest -= p->edges[edge].value;
        at = p->edges[edge].to;
    }
}

// Does the instruction call a method with this name? If not, hidden methods made the call. One execution of the
// instruction may account for several such calls, or for none.
static bool calls(const Flow *w, int64_t bci, const char *name) {
    const uint8_t *code = w->code->code;
    unsigned opcode = opcodes_at(code, (uint32_t)bci);
    if (!(opcodes_info[opcode].flags & OPF_INVOKE) || opcode == OPC_invokedynamic || bci + 2 >= w->code->code_len)
        return false;
    unsigned index = (unsigned)code[bci + 1] << 8 | code[bci + 2];
    if (index >= w->cf->cp_count ||
        (w->cf->cp[index].tag != CP_METHODREF && w->cf->cp[index].tag != CP_INTERFACE_METHODREF))
        return false;
    ClassFileUtf8 utf8 = classfile_ref_name(w->cf, (uint16_t)index);
    char *text = prof_class_text(utf8.ptr, utf8.len);
    bool same = strcmp(text, name) == 0;
    free(text);
    return same;
}

static void add_count(Flow *w, const Count *n, uint64_t *sites, uint64_t *entries) {
    if (n->kind == COUNT_ENTRY) *entries += n->count;
    else if (n->kind == COUNT_PATH) {
        if (w->graph) add_path(w, n);
    } else if (n->bci < w->code->code_len) {
        bool indirect = n->kind == COUNT_SITE && n->detail < w->c->f->method_count &&
            !calls(w, n->bci, w->c->f->methods[n->detail].name);
        if (indirect) w->evidence[n->bci] = larger(w->evidence[n->bci], 1);
        else sites[n->bci] += n->count;
        if (n->kind != COUNT_EDGE || !w->graph) return;
        const PathBlock *b = paths_block(w->graph, (uint32_t)n->bci);
        if (b->last == (uint32_t)n->bci && n->detail < b->edge_count) w->edges[b->first_edge + n->detail] += n->count;
    }
}

// Adds the counts of the methods. Where several analyses count the same event, the largest count is closest: the others
// lost events or began later.
static void add_counts(Flow *w, const uint32_t *methods, size_t count) {
    uint64_t *sites = prof_alloc(w->code->code_len * sizeof *sites);
    for (uint16_t a = 0; a < w->c->f->analysis_count; a++) {
        uint64_t entries = 0;
        memset(sites, 0, w->code->code_len * sizeof *sites);
        for (size_t m = 0; m < count; m++) {
            size_t low = 0, high = w->c->count;
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (w->c->counts[middle].method < methods[m]) low = middle + 1;
                else high = middle;
            }
            for (; low < w->c->count && w->c->counts[low].method == methods[m]; low++)
                if (w->c->counts[low].analysis == a) add_count(w, &w->c->counts[low], sites, &entries);
        }
        w->entries = larger(w->entries, entries);
        for (uint32_t i = 0; i < w->code->code_len; i++) w->evidence[i] = larger(w->evidence[i], sites[i]);
    }
    free(sites);
}

// ---- propagation through blocks ----------------------------------------------------------------

// Is the count of the block's outgoing edge known only from its entries? The block then has one edge.
static bool passes_on(const Flow *w, uint32_t block) { return !w->c->paths && w->graph->blocks[block].edge_count <= 1; }

// A block is entered as often as its incoming edges were taken, and at least as often as any instruction in it was
// counted.
static void finish_block(Flow *w, uint32_t block, uint64_t came) {
    const PathBlock *b = &w->graph->blocks[block];
    uint64_t taken = 0;
    bool fails = false;
    for (uint32_t i = b->start, length; i <= b->last; i += length) {
        fails |= (opcodes_info[opcodes_at(w->code->code, i)].flags & OPF_THROWS) != 0;
        came = larger(came, w->evidence[i]);
        length = opcodes_length(w->code->code, w->code->code_len, i);
        if (!length) break;
    }
    for (uint32_t i = 0; i < b->edge_count; i++) taken += w->edges[b->first_edge + i];
    bool exact = w->c->branches && b->edge_count > 1 && !fails;  // entries equal exits
    w->executed[block] = exact ? taken : larger(larger(w->executed[block], taken), came);
}

// Computes all blocks, each after the blocks that pass their entry count on to it. A cycle of such blocks gets the
// count that enters it from outside.
static void finish_blocks(Flow *w) {
    const Paths *p = w->graph;
    uint64_t *came = prof_alloc(p->block_count * sizeof *came);
    uint32_t *pending = prof_alloc(p->block_count * sizeof *pending),
             *queue = prof_alloc(p->block_count * sizeof *queue), first = 0, queued = 0;
    came[0] = w->entries;
    for (uint32_t i = 0; i < p->block_count; i++) {
        for (uint32_t e = p->blocks[i].first_edge; e < p->blocks[i].first_edge + p->blocks[i].edge_count; e++) {
            if (p->edges[e].to == PATHS_EXIT) continue;
            if (passes_on(w, i)) pending[p->edges[e].to]++;
            else came[p->edges[e].to] += w->edges[e];
        }
    }
    for (uint32_t i = 0; i < p->block_count; i++)
        if (!pending[i]) queue[queued++] = i;
    for (uint32_t next = 0; first < p->block_count; first++) {
        while (first == queued) {  // only cycles remain: start with one block of them
            if (pending[next]) pending[next] = 0, queue[queued++] = next;
            next++;
        }
        uint32_t block = queue[first], to = p->edges[p->blocks[block].first_edge].to;
        finish_block(w, block, came[block]);
        if (!passes_on(w, block) || to == PATHS_EXIT || !pending[to]) continue;
        came[to] += w->executed[block];
        if (!--pending[to]) queue[queued++] = to;
    }
    free(came), free(pending), free(queue);
}

// Computes the instructions of a block. Those up to the first that can throw are executed as often as the block is
// entered. Those after it are executed as often as control reached the end of the block, or as a later instruction was
// counted.
static void spread(const Flow *w, uint32_t block, uint64_t *at) {
    const PathBlock *b = &w->graph->blocks[block];
    bool fails = false, known = w->c->paths || (w->c->branches && b->edge_count > 1);  // edges were counted
    uint64_t end = 0, behind = w->executed[block];
    for (uint32_t i = 0; i < b->edge_count; i++) end += w->edges[b->first_edge + i];
    if (known && end < behind) behind = end;
    for (uint32_t i = b->last + 1; i-- > b->start;) at[i] = behind = larger(behind, w->evidence[i]);
    for (uint32_t i = b->start, length; i <= b->last && !fails; i += length) {
        at[i] = larger(at[i], w->executed[block]);
        fails = opcodes_info[opcodes_at(w->code->code, i)].flags & OPF_THROWS;
        length = opcodes_length(w->code->code, w->code->code_len, i);
        if (!length) break;
    }
}

void coverage_of(const CoverageCounts *c, const uint32_t *methods, size_t count, const ClassFile *cf,
                 const ClassFileCode *code, Coverage *out) {
    Paths *p = paths_build(code, PATHS_MOST);
    size_t edges = p ? p->edge_count : 0, blocks = p ? p->block_count : 0;
    *out = (Coverage){
        .graph = p, .branches = c->branches || c->paths, .edges = prof_alloc((edges + 1) * sizeof *out->edges)};
    Flow w = {c,
              cf,
              code,
              p,
              prof_alloc(code->code_len * sizeof *w.evidence),
              out->edges,
              prof_alloc((edges + 1) * sizeof *w.path_edges),
              prof_alloc((blocks + 1) * sizeof *w.executed),
              0};
    if (count) add_counts(&w, methods, count);
    if (p) {
        out->at = prof_alloc(code->code_len * sizeof *out->at);
        if (count) {
            for (uint32_t e = 0; e < p->edge_count; e++) w.edges[e] = larger(w.edges[e], w.path_edges[e]);
            finish_blocks(&w);
            for (uint32_t i = 0; i < p->block_count; i++) spread(&w, i, out->at);
        }
        free(w.evidence);
    } else {
        out->at = w.evidence;
    }
    out->entries = c->entries || !p ? w.entries : out->at[0];
    free(w.path_edges), free(w.executed);
}

void coverage_free(Coverage *c) { free(c->graph), free(c->at), free(c->edges); }
