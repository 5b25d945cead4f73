#include "profiler/control/answers.h"

#include <stdlib.h>
#include <string.h>

enum { HOTTEST = 10, PROGRAM = 8, DISTINCT = 1 << 16 };

// Columns of a row of cpu or wall (profiler/analyses/timesamples.c). Rows of the tree come first.
enum { KEY_SECTION, KEY_NODE, KEY_PARENT, KEY_CALLER, KEY_SITE, KEY_CALLEE, SECTION_TREE = 1 };

// Samples by method: a row has the method's id as its key.
typedef struct Shares {
    Table self, total;
    uint64_t all, lost;
} Shares;

static void add(Table *t, uint64_t method, uint64_t count) {
    table_add(t, &(TableRow){.key = {method}, .count = count});
    if (t->count > DISTINCT) table_combine(t);
}

static int compare_nodes(const void *key, const void *row) {
    uint64_t a = *(const uint64_t *)key, b = ((const TableRow *)row)->key[KEY_NODE];
    return a < b ? -1 : a > b;
}

// A row of a tree, with the samples on it and above.
typedef struct Node {
    struct Node *parent;  // NULL: a root
    uint64_t method, samples;
} Node;

static bool is_recursive(const Node *n) {
    for (const Node *at = n->parent; at; at = at->parent)
        if (at->method == n->method) return true;
    return false;
}

// Adds the tree in the first `count` rows, which are sorted by node.
static void add_tree(Shares *s, const TableRow *rows, size_t count) {
    Node *nodes = calloc(count + 1, sizeof *nodes);
    s->self.failed |= !nodes;
    if (!nodes) return;
    for (size_t i = 0; i < count; i++) {
        const TableRow *parent = bsearch(&rows[i].key[KEY_PARENT], rows, count, sizeof *rows, compare_nodes);
        nodes[i].parent = parent ? &nodes[parent - rows] : NULL;
        nodes[i].method = rows[i].key[KEY_CALLEE];
    }
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].count) continue;
        s->all += rows[i].count;
        add(&s->self, nodes[i].method, rows[i].count);
        for (Node *at = &nodes[i]; at; at = at->parent) at->samples += rows[i].count;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_recursive(&nodes[i])) add(&s->total, nodes[i].method, nodes[i].samples);
    free(nodes);
}

static Shares read_shares(const WriterInput *in, int analysis) {
    Shares s = {0};
    for (size_t i = 0; i < in->thread_count; i++) {
        const Table *t = &in->threads[i].tables[analysis];
        size_t count = 0;
        while (count < t->count && t->rows[count].key[KEY_SECTION] == SECTION_TREE) count++;
        add_tree(&s, t->rows, count);
        s.lost += in->threads[i].lost[analysis];
    }
    table_combine(&s.self);
    table_combine(&s.total);
    return s;
}

static int compare_counts(const void *x, const void *y) {
    const TableRow *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return a->key[0] < b->key[0] ? -1 : a->key[0] > b->key[0];
}

static uint64_t count_of(const Table *t, uint64_t method) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].key[0] == method) return t->rows[i].count;
    return 0;
}

static void put_method(FILE *out, const ProfileHost *host, uint64_t id) {
    ProfiledMethod m;
    if (id >= EVENT_PSEUDO_BASE) {
        fputs(writer_pseudo_name((uint32_t)id), out);
    } else if (!host->method((uint32_t)id, &m) || !m.name) {
        fputs("<unknown>", out);
    } else {
        for (const char *c = m.class_name; *c; c++) putc(*c == '/' ? '.' : *c, out);
        fprintf(out, ".%s", m.name);
    }
    putc('\n', out);
}

static bool is_application(const ProfileHost *host, uint64_t id) {
    ProfiledMethod m;
    return id < EVENT_PSEUDO_BASE && host->method((uint32_t)id, &m) && m.application;
}

static void put_row(FILE *out, const Shares *s, const ProfileHost *host, uint64_t method) {
    double all = (double)s->all / 100;
    fprintf(out, "  %6.1f  %7.1f  ", (double)count_of(&s->self, method) / all,
            (double)count_of(&s->total, method) / all);
    put_method(out, host, method);
}

char *answers_make(const WriterInput *in, int analysis, uint32_t hz) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    Shares s = read_shares(in, analysis);
    bool failed = s.self.failed || s.total.failed;
    fprintf(out, "cabernet: %.2f s of %s in samples of %g ms; %llu lost\n", (double)s.all / hz,
            analysis == ANALYSIS_cpu ? "processor time" : "the threads' time", 1000.0 / hz, (unsigned long long)s.lost);
    Table ranks = {0};
    table_add_all(&ranks, &s.self);
    if (ranks.count) qsort(ranks.rows, ranks.count, sizeof *ranks.rows, compare_counts);
    if (ranks.count) fputs("  self %  total %  where the time is spent\n", out);
    for (size_t i = 0; i < ranks.count && i < HOTTEST; i++) put_row(out, &s, in->host, ranks.rows[i].key[0]);
    table_free(&ranks);
    table_add_all(&ranks, &s.total);
    if (ranks.count) qsort(ranks.rows, ranks.count, sizeof *ranks.rows, compare_counts);
    for (size_t i = 0, shown = 0; i < ranks.count && shown < PROGRAM; i++) {
        if (!is_application(in->host, ranks.rows[i].key[0])) continue;
        if (!shown++) fputs("  self %  total %  the program's methods, with what they call\n", out);
        put_row(out, &s, in->host, ranks.rows[i].key[0]);
    }
    failed |= ranks.failed;
    table_free(&ranks);
    table_free(&s.self);
    table_free(&s.total);
    if (fclose(out) == 0 && !failed) return text;
    free(text);
    return NULL;
}
