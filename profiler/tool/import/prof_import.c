// Builds profiles from stacks and from exported rows (prof_import.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_bytes.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/import/prof_import.h"

typedef struct Method {
    uint32_t class_name, name, descriptor, flags;  // indexes of strings
    uint32_t source;                               // index of a string plus 1, or 0
} Method;

typedef struct Field {
    uint32_t class_name, name, descriptor, flags;
} Field;

typedef struct ClassFile {
    uint32_t name, crc, origin;  // indexes of strings; origin: plus 1, or 0
    uint64_t size;
} ClassFile;

// An imported analysis with its rows; a row is a value for each column and the count.
typedef struct Given {
    ImportAnalysis a;
    uint64_t *cells, total;
    size_t rows, capacity;
} Given;

// A call, as a node of the tree of stacks.
typedef struct Node {
    uint32_t parent;  // number of the parent node, from 1; 0: none
    uint32_t caller, callee;
    int64_t bci, line;
    uint64_t count;
    uint32_t first, next;  // first child; next sibling
} Node;

struct Import {
    char **strings;
    size_t string_count, string_capacity;
    Method *methods;
    size_t method_count, method_capacity;
    Node *nodes;  // node 0 is the root and not a call
    size_t node_count, node_capacity;
    Field *fields;
    size_t field_count, field_capacity;
    uint32_t *field_called;  // by string: 1 + number of the field that rows refer to by it
    size_t field_called_capacity;
    ClassFile *classes;
    size_t class_count, class_capacity;
    Given *given;
    size_t given_count, given_capacity;
    ImportAnalysis stacks;  // the analysis that the stacks are rows of; without a name: samples
    HashTable strings_by_text, methods_by_name, nodes_by_call;
    uint32_t *way, *on_way;  // nodes of the current stack; by method: its position there, from 1
    size_t way_capacity, on_way_capacity;
    Bytes meta;
    char **keys;
    size_t key_count, key_capacity;
    uint64_t samples;
};

// ---- tables ------------------------------------------------------------------------------------

static uint32_t hash_of_node(const Node *n) {
    uint64_t words[4] = {n->parent, (uint64_t)n->caller << 32 | n->callee, (uint64_t)n->bci, 0};
    return hash_bytes(HASH_START, words, sizeof words);
}
static uint32_t node_hash(const void *owner, uintptr_t item) {
    return hash_of_node(&((const Import *)owner)->nodes[item]);
}
static bool node_same(const void *owner, uintptr_t item, const void *key) {
    const Node *a = &((const Import *)owner)->nodes[item], *b = key;
    return a->parent == b->parent && a->caller == b->caller && a->callee == b->callee && a->bci == b->bci;
}
static const HashKind by_call = {node_hash, node_same};

uint32_t import_string(Import *b, const char *text) {
    uint32_t hash = hash_string(text);
    uintptr_t found = hash_find(&b->strings_by_text, &prof_text_kind, &b->strings, hash, text);
    if (found) return (uint32_t)found - 1;
    char *copy = strdup(text);
    if (!copy || !GROW(b->strings, b->string_capacity, b->string_count + 1)) prof_out_of_memory();
    b->strings[b->string_count++] = copy;
    if (!hash_add(&b->strings_by_text, &prof_text_kind, &b->strings, hash, b->string_count)) prof_out_of_memory();
    return (uint32_t)b->string_count - 1;
}

uint32_t import_method(Import *b, const char *class_name, const char *name, const char *descriptor, uint32_t flags) {
    Method m = {import_string(b, class_name), import_string(b, name), import_string(b, descriptor), flags, 0};
    HashKeyedRecords methods = {b->methods, sizeof m, offsetof(Method, flags)};
    uint32_t hash = hash_bytes(HASH_START, &m, methods.key);
    uintptr_t found = hash_find(&b->methods_by_name, &hash_by_bytes, &methods, hash, &m);
    if (found) return (uint32_t)found - 1;
    if (!GROW(b->methods, b->method_capacity, b->method_count + 1)) prof_out_of_memory();
    b->methods[b->method_count++] = m;
    methods.records = b->methods;
    if (!hash_add(&b->methods_by_name, &hash_by_bytes, &methods, hash, b->method_count)) prof_out_of_memory();
    return (uint32_t)b->method_count - 1;
}

void import_source(Import *b, uint32_t method, const char *source) {
    b->methods[method].source = import_string(b, source) + 1;
}

uint32_t import_field(Import *b, const char *text, const char *class_name, const char *name, const char *descriptor,
                      uint32_t flags) {
    uint32_t called = import_string(b, text);
    if (!GROW_ZEROED(b->field_called, b->field_called_capacity, called + 1u)) prof_out_of_memory();
    if (b->field_called[called]) return b->field_called[called] - 1;
    if (!GROW(b->fields, b->field_capacity, b->field_count + 1)) prof_out_of_memory();
    b->fields[b->field_count++] = (Field){import_string(b, class_name), import_string(b, name),
                                          import_string(b, descriptor), flags};
    b->field_called[called] = (uint32_t)b->field_count;
    return (uint32_t)b->field_count - 1;
}

uint32_t import_field_called(Import *b, const char *text) {
    return import_field(b, text, "", text, "", FORMAT_METHOD_UNKNOWN);
}

void import_class(Import *b, const char *name, uint32_t crc, uint64_t size, const char *origin) {
    if (!GROW(b->classes, b->class_capacity, b->class_count + 1)) prof_out_of_memory();
    b->classes[b->class_count++] = (ClassFile){import_string(b, name), crc, *origin ? import_string(b, origin) + 1 : 0,
                                               size};
}

void import_meta(Import *b, const char *key, const char *value) {
    for (size_t i = 0; i < b->key_count; i++)
        if (strcmp(b->keys[i], key) == 0) return;
    char *copy = strdup(key);
    if (!copy || !GROW(b->keys, b->key_capacity, b->key_count + 1)) prof_out_of_memory();
    b->keys[b->key_count++] = copy;
    bytes_text(&b->meta, key);
    bytes_text(&b->meta, value);
}

// ---- stacks ------------------------------------------------------------------------------------

static uint32_t node_below(Import *b, Node n) {
    uint32_t hash = hash_of_node(&n);
    uintptr_t found = hash_find(&b->nodes_by_call, &by_call, b, hash, &n);
    if (found) return (uint32_t)found;
    uint32_t number = (uint32_t)b->node_count;
    if (number == UINT32_MAX || !GROW(b->nodes, b->node_capacity, b->node_count + 1)) prof_out_of_memory();
    n.next = b->nodes[n.parent].first;
    b->nodes[n.parent].first = number;
    b->nodes[b->node_count++] = n;
    if (!hash_add(&b->nodes_by_call, &by_call, b, hash, number)) prof_out_of_memory();
    return number;
}

void import_stack(Import *b, const ImportFrame *stack, size_t frames, uint64_t count, bool fold) {
    if (!GROW_ZEROED(b->on_way, b->on_way_capacity, b->method_count) || !GROW(b->way, b->way_capacity, frames + 1))
        prof_out_of_memory();
    size_t depth = 0;
    uint32_t node = 0, caller = 0;  // method 0: <thread>
    b->way[0] = 0;
    for (size_t i = frames; i-- > 0;) {
        uint32_t callee = stack[i].method, above = b->way[depth];
        bool first = i + 1 == frames, given = stack[i].caller != 0;
        Node n = {above, given ? stack[i].caller - 1 : caller, callee, -1, -1, 0, 0, 0};
        if (!first && !given) n.bci = stack[i + 1].bci, n.line = stack[i + 1].line;
        node = node_below(b, n);
        if (fold && b->on_way[callee]) {  // recursion: its callees go below its earlier node
            while (depth > b->on_way[callee]) b->on_way[b->nodes[b->way[depth--]].callee] = 0;
        } else {
            b->way[++depth] = node;
            b->on_way[callee] = (uint32_t)depth;
        }
        caller = callee;
    }
    for (; depth > 0; depth--) b->on_way[b->nodes[b->way[depth]].callee] = 0;
    b->nodes[node].count += count;
    b->samples += count;
}

// ---- imported rows -----------------------------------------------------------------------------

static ImportAnalysis kept(Import *b, const ImportAnalysis *a) {
    ImportAnalysis copy = *a;
    uint32_t name = import_string(b, a->name), event = import_string(b, a->event);
    copy.name = b->strings[name];
    copy.event = b->strings[event];
    return copy;
}

void import_stacks_of(Import *b, const ImportAnalysis *a) { b->stacks = kept(b, a); }

size_t import_analysis(Import *b, const ImportAnalysis *a) {
    if (!GROW(b->given, b->given_capacity, b->given_count + 1)) prof_out_of_memory();
    b->given[b->given_count] = (Given){.a = kept(b, a)};
    return b->given_count++;
}

void import_row(Import *b, size_t analysis, const uint64_t *cells) {
    Given *g = &b->given[analysis];
    size_t width = g->a.column_count + 1u;
    if (!GROW(g->cells, g->capacity, (g->rows + 1) * width)) prof_out_of_memory();
    memcpy(g->cells + g->rows++ * width, cells, width * sizeof *cells);
    g->total += cells[width - 1];
}

// ---- the profile -------------------------------------------------------------------------------

typedef struct Output {
    Bytes file, chunk;
    uint64_t chunks;
} Output;

static void end_chunk(Output *o, const char *type) {
    size_t at = o->file.size;
    bytes_put(&o->file, type, 4);
    bytes_fixed(&o->file, 0, 4);
    bytes_fixed(&o->file, o->chunk.size, 8);
    bytes_fixed(&o->file, o->chunk.size, 8);
    bytes_fixed(&o->file, crc32_z(0, prof_bytes(&o->chunk), o->chunk.size), 4);
    bytes_fixed(&o->file, crc32_z(0, prof_bytes(&o->file) + at, o->file.size - at), 4);
    bytes_put(&o->file, prof_bytes(&o->chunk), o->chunk.size);
    o->chunk.size = 0;
    o->chunks++;
}

// A row of call-edge or method-count; in the latter caller and place are 0.
typedef struct Row {
    uint32_t caller, callee;
    int64_t bci, line;
    uint64_t count;
} Row;

static int compare_rows(const void *x, const void *y) {
    const Row *a = x, *b = y;
    if (a->caller != b->caller) return a->caller < b->caller ? -1 : 1;
    if (a->bci != b->bci) return a->bci < b->bci ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

// The samples summed by innermost call, or by method.
static size_t sum_up(const Import *b, bool methods, Row *rows) {
    size_t n = 0, last = 0;
    for (size_t i = 1; i < b->node_count; i++) {
        const Node *c = &b->nodes[i];
        if (c->count)
            rows[n++] = methods ? (Row){0, c->callee, 0, 0, c->count}
                                : (Row){c->caller, c->callee, c->bci, c->line, c->count};
    }
    if (!n) return 0;
    qsort(rows, n, sizeof *rows, compare_rows);
    for (size_t i = 1; i < n; i++) {
        if (compare_rows(&rows[last], &rows[i]) == 0) rows[last].count += rows[i].count;
        else rows[++last] = rows[i];
    }
    return last + 1;
}

static void put_rows(Bytes *to, const Row *rows, size_t n, bool methods) {
    bytes_varint(to, n);
    for (size_t i = 0; i < n; i++) {
        if (!methods) {
            bytes_varint(to, rows[i].caller);
            bytes_varint(to, format_zigzag(rows[i].bci));
            bytes_varint(to, format_zigzag(rows[i].line));
        }
        bytes_varint(to, rows[i].callee);
        bytes_varint(to, rows[i].count);
    }
}

// The nodes in the order of a tree's rows, renumbered.
static void put_tree(const Import *b, Bytes *to) {
    uint32_t *numbers = prof_alloc(b->node_count * sizeof *numbers), last = 0;
    bytes_varint(to, b->node_count - 1);
    for (uint32_t at = b->nodes[0].first; at;) {
        const Node *n = &b->nodes[at];
        numbers[at] = ++last;
        bytes_varint(to, last);
        bytes_varint(to, numbers[n->parent]);
        bytes_varint(to, n->caller);
        bytes_varint(to, format_zigzag(n->bci));
        bytes_varint(to, format_zigzag(n->line));
        bytes_varint(to, n->callee);
        bytes_varint(to, n->count);
        if (n->first) at = n->first;
        else {
            while (at && !b->nodes[at].next) at = b->nodes[at].parent;
            at = at ? b->nodes[at].next : 0;
        }
    }
    free(numbers);
}

static const struct Analysis {
    const char *name, *columns[6];
    uint32_t kinds[6];
    size_t count;
} analyses[] = {
    {"method-count", {"method"}, {FORMAT_COLUMN_METHOD}, 1},
    {"call-edge",
     {"caller", "bci", "line", "callee"},
     {FORMAT_COLUMN_METHOD, FORMAT_COLUMN_SIGNED, FORMAT_COLUMN_SIGNED, FORMAT_COLUMN_METHOD},
     4},
    {"call-tree",
     {"node", "parent", "caller", "bci", "line", "callee"},
     {FORMAT_COLUMN_NODE, FORMAT_COLUMN_NODE, FORMAT_COLUMN_METHOD, FORMAT_COLUMN_SIGNED, FORMAT_COLUMN_SIGNED,
      FORMAT_COLUMN_METHOD},
     6},
};
enum { ANALYSES = sizeof analyses / sizeof *analyses, TREE = ANALYSES - 1 };

// Is the analysis derived from the stacks? An exported profile has only the analyses that were exported.
static bool is_made(const Import *b, size_t analysis) {
    return b->samples > 0 && (analysis == TREE || !b->stacks.name);
}

static void put_given_header(const Given *g, Output *o) {
    bytes_text(&o->chunk, g->a.name);
    bytes_text(&o->chunk, g->a.event);
    bytes_varint(&o->chunk, g->total + g->a.lost);
    bytes_varint(&o->chunk, g->total);
    bytes_varint(&o->chunk, g->a.lost);
    bytes_varint(&o->chunk, g->a.column_count);
    for (size_t c = 0; c < g->a.column_count; c++) {
        bytes_text(&o->chunk, g->a.columns[c].name);
        bytes_varint(&o->chunk, g->a.columns[c].kind);
    }
}

static void put_headers(const Import *b, Output *o) {
    size_t made = 0;
    for (size_t i = 0; i < ANALYSES; i++) made += is_made(b, i);
    bytes_varint(&o->chunk, made + b->given_count);
    for (size_t i = 0; i < b->given_count; i++) put_given_header(&b->given[i], o);
    for (size_t i = 0; i < ANALYSES; i++) {
        if (!is_made(b, i)) continue;
        uint64_t lost = i == TREE ? b->stacks.lost : 0;
        bytes_text(&o->chunk, analyses[i].name);
        bytes_text(&o->chunk, i == TREE && b->stacks.name ? b->stacks.event : "samples");
        bytes_varint(&o->chunk, b->samples + lost);
        bytes_varint(&o->chunk, b->samples);
        bytes_varint(&o->chunk, lost);
        bytes_varint(&o->chunk, analyses[i].count);
        for (size_t c = 0; c < analyses[i].count; c++) {
            bytes_text(&o->chunk, analyses[i].columns[c]);
            bytes_varint(&o->chunk, analyses[i].kinds[c]);
        }
    }
    end_chunk(o, "ANLS");
}

static void put_classes(const Import *b, Output *o) {
    bytes_varint(&o->chunk, b->class_count);
    for (size_t i = 0; i < b->class_count; i++) {
        bytes_varint(&o->chunk, b->classes[i].name);
        bytes_fixed(&o->chunk, b->classes[i].crc, 4);
        bytes_varint(&o->chunk, b->classes[i].size);
        bytes_varint(&o->chunk, b->classes[i].origin);
    }
    end_chunk(o, "CLSS");
}

static void put_names(const Import *b, Output *o) {
    bytes_varint(&o->chunk, b->string_count);
    for (size_t i = 0; i < b->string_count; i++) bytes_text(&o->chunk, b->strings[i]);
    end_chunk(o, "STRS");
    bytes_varint(&o->chunk, b->method_count);
    for (size_t i = 0; i < b->method_count; i++) {
        const Method *m = &b->methods[i];
        uint64_t cells[] = {m->class_name, m->name, m->descriptor, m->source, m->flags};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) bytes_varint(&o->chunk, cells[c]);
    }
    end_chunk(o, "METH");
    bytes_varint(&o->chunk, b->field_count);
    for (size_t i = 0; i < b->field_count; i++) {
        const Field *f = &b->fields[i];
        uint64_t cells[] = {f->class_name, f->name, f->descriptor, f->flags};
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) bytes_varint(&o->chunk, cells[c]);
    }
    end_chunk(o, "FLDS");
    put_classes(b, o);
    bytes_varint(&o->chunk, 1);  // one thread for all: id, name, flags, threads it represents, no event counts
    bytes_varint(&o->chunk, 1);
    bytes_text(&o->chunk, "(all threads)");
    bytes_varint(&o->chunk, 0);
    bytes_varint(&o->chunk, 1);
    bytes_varint(&o->chunk, 0);
    end_chunk(o, "THRD");
}

static int compare_cells(const void *x, const void *y, void *width) {
    const uint64_t *a = x, *b = y;
    for (size_t c = 0; c < *(size_t *)width; c++)
        if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
    return 0;
}

// The rows of a tree in depth-first order, as the file format requires: renumbered from 1, each after its parent and
// before the parent's next child. A row whose parent does not exist is a root.
typedef struct Order {
    uint32_t parent, first, next;  // row numbers, from 1
    uint32_t number;
} Order;

static size_t row_of_node(const Given *g, size_t width, uint64_t node) {
    size_t low = 0, high = g->rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->cells[middle * width] < node) low = middle + 1;
        else high = middle;
    }
    return low < g->rows && g->cells[low * width] == node ? low + 1 : 0;
}

static void put_given_row(const Given *g, Output *o, const uint64_t *cells) {
    for (size_t c = 0; c < g->a.column_count; c++)
        bytes_varint(&o->chunk,
                     g->a.columns[c].kind == FORMAT_COLUMN_SIGNED ? format_zigzag((int64_t)cells[c]) : cells[c]);
    bytes_varint(&o->chunk, cells[g->a.column_count]);
}

// Rows that do not lead to a root are left out; only a damaged recording has them.
static size_t order_tree(const Given *g, size_t width, Order *order, uint32_t *sequence) {
    size_t n = 0;
    for (size_t i = g->rows; i > 0; i--) {
        const uint64_t *cells = g->cells + (i - 1) * width;
        order[i].parent = (uint32_t)row_of_node(g, width, cells[1]);
        order[i].next = order[order[i].parent].first;
        order[order[i].parent].first = (uint32_t)i;
    }
    for (uint32_t at = order[0].first; at;) {
        sequence[n++] = at;
        order[at].number = (uint32_t)n;
        if (order[at].first) at = order[at].first;
        else {
            while (at && !order[at].next) at = order[at].parent;
            at = at ? order[at].next : 0;
        }
    }
    return n;
}

bool import_is_tree(const ImportAnalysis *a) {
    return a->column_count > 2 && a->columns[0].kind == FORMAT_COLUMN_NODE && a->columns[1].kind == FORMAT_COLUMN_NODE;
}

static void put_given(const Given *g, Output *o) {
    size_t width = g->a.column_count + 1u;
    if (g->rows) qsort_r(g->cells, g->rows, width * sizeof *g->cells, compare_cells, &width);
    if (!import_is_tree(&g->a)) {
        bytes_varint(&o->chunk, g->rows);
        for (size_t i = 0; i < g->rows; i++) put_given_row(g, o, g->cells + i * width);
        return;
    }
    Order *order = prof_alloc((g->rows + 1) * sizeof *order);
    uint32_t *sequence = prof_alloc((g->rows + 1) * sizeof *sequence);
    size_t n = order_tree(g, width, order, sequence);
    bytes_varint(&o->chunk, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t cells[FORMAT_MAX_COLUMNS + 1];
        memcpy(cells, g->cells + (sequence[i] - 1) * width, width * sizeof *cells);
        cells[0] = i + 1;
        cells[1] = order[order[sequence[i]].parent].number;
        put_given_row(g, o, cells);
    }
    free(order), free(sequence);
}

// The sum over all threads, and the one thread of the profile.
static void put_tables(const Import *b, Output *o) {
    Row *rows = prof_alloc(b->node_count * sizeof *rows);
    size_t number = 0;
    for (size_t i = 0; i < b->given_count + ANALYSES; i++) {
        if (i >= b->given_count && !is_made(b, i - b->given_count)) continue;
        for (uint64_t thread = 0; thread < 2; thread++) {
            bytes_varint(&o->chunk, number);
            bytes_varint(&o->chunk, thread);
            size_t made = i - b->given_count;  // of an analysis that is derived from the stacks
            if (i < b->given_count) put_given(&b->given[i], o);
            else if (made == TREE) put_tree(b, &o->chunk);
            else put_rows(&o->chunk, rows, sum_up(b, made == 0, rows), made == 0);
            end_chunk(o, "DATA");
        }
        number++;
    }
    free(rows);
}

static uint8_t *profile_of(const Import *b, size_t *size) {
    Output o = {0};
    bytes_put(&o.file, FORMAT_MAGIC, 8);
    bytes_fixed(&o.file, FORMAT_VERSION, 4);
    bytes_fixed(&o.file, 0, 4);
    bytes_varint(&o.chunk, b->key_count);
    bytes_put(&o.chunk, prof_bytes(&b->meta), b->meta.size);
    end_chunk(&o, "META");
    put_names(b, &o);
    put_headers(b, &o);
    bytes_varint(&o.chunk, 0);
    end_chunk(&o, "SECT");
    put_tables(b, &o);
    bytes_varint(&o.chunk, o.chunks);
    end_chunk(&o, "DONE");
    free(o.chunk.data);
    *size = o.file.size;
    return prof_bytes(&o.file);
}

bool prof_can_import(const uint8_t *data, size_t size) { return is_jfr(data, size) || is_collapsed(data, size); }

uint8_t *prof_import(const uint8_t *data, size_t size, size_t *out_size, char *problem, size_t problem_size) {
    Import b = {0};
    uint8_t *profile = NULL;
    char number[32];
    if (!GROW(b.nodes, b.node_capacity, 1)) prof_out_of_memory();
    b.nodes[b.node_count++] = (Node){0};
    import_method(&b, "", "<thread>", "", FORMAT_METHOD_PSEUDO);
    if ((is_jfr(data, size) ? import_jfr : import_collapsed)(&b, data, size, problem, problem_size)) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)b.samples);
        import_meta(&b, "samples", number);
        if (b.samples) import_meta(&b, "recursion", "1");
        profile = profile_of(&b, out_size);
    }
    for (size_t i = 0; i < b.string_count; i++) free(b.strings[i]);
    for (size_t i = 0; i < b.key_count; i++) free(b.keys[i]);
    for (size_t i = 0; i < b.given_count; i++) free(b.given[i].cells);
    free(b.given), free(b.classes), free(b.fields), free(b.field_called);
    free(b.strings), free(b.keys), free(b.methods), free(b.nodes), free(b.way), free(b.on_way), free(b.meta.data);
    hash_free(&b.strings_by_text), hash_free(&b.methods_by_name), hash_free(&b.nodes_by_call);
    return profile;
}
