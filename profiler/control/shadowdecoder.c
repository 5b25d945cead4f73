// Decoding a shadow's data (shadowcodec.h).
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/grow.h"
#include "profiler/analyses/contexts.h"
#include "profiler/analyses/sitecounts.h"
#include "profiler/control/shadowcodec.h"

bool shadowcodec_columns(const Analysis *a, TableRow *row, Analysis *section, const Column **columns, uint64_t **keys) {
    *columns = a->columns;
    *keys = row->key;
    if (!a->section) return true;
    if (row->key[0] < 1 || row->key[0] > UINT32_MAX || !a->section((uint32_t)row->key[0] - 1, section)) return false;
    *columns = section->columns;
    *keys = row->key + 1;
    return true;
}

typedef struct Decoder {
    const uint8_t *at, *end;
    bool bad;
    struct Numbers {  // by the shadow's number; 0: not named
        uint32_t *of, limit;
    } numbers[SHADOW_NAME_KINDS];
} Decoder;

static void get(Decoder *d, void *to, size_t n) {
    if (d->bad || (size_t)(d->end - d->at) < n) {
        d->bad = true;
        memset(to, 0, n);
        return;
    }
    memcpy(to, d->at, n);
    d->at += n;
}

static uint32_t get32(Decoder *d) {
    uint32_t v;
    get(d, &v, sizeof v);
    return v;
}

static uint64_t get64(Decoder *d) {
    uint64_t v;
    get(d, &v, sizeof v);
    return v;
}

// malloc'd; never NULL unless bad.
static char *get_text(Decoder *d) {
    uint32_t n = get32(d);
    if (d->bad || (size_t)(d->end - d->at) < n || !(n < UINT32_MAX)) {
        d->bad = true;
        return NULL;
    }
    char *text = malloc((size_t)n + 1);
    if (!text) {
        d->bad = true;
        return NULL;
    }
    get(d, text, n);
    text[n] = 0;
    return text;
}

enum { MOST_NUMBERS = 1 << 26 };

static void get_name(Decoder *d) {
    ShadowName k = {.kind = get32(d)};
    uint32_t id = get32(d);
    uint32_t flags = get32(d);
    k.what.flags = (uint16_t)flags;
    k.what.application = flags >> 16;
    k.what.class_name = get_text(d);
    k.what.name = get_text(d);
    k.what.desc = get_text(d);
    k.what.source_file = get_text(d);
    if (d->bad || k.kind >= SHADOW_NAME_KINDS || id >= MOST_NUMBERS) {
        d->bad = true;
        shadownames_free_texts(&k.what);
        return;
    }
    if (k.what.source_file && !*k.what.source_file) {
        free((char *)k.what.source_file);
        k.what.source_file = NULL;
    }
    struct Numbers *n = &d->numbers[k.kind];
    uint32_t number = shadownames_add(&k);
    if (!number || !GROW_ZEROED(n->of, n->limit, (uint64_t)id + 1)) d->bad = true;
    else n->of[id] = number;
}

static uint64_t renumber(Decoder *d, ShadowNameKind kind, uint64_t id) {
    const struct Numbers *n = &d->numbers[kind];
    if (shadowcodec_is_constant(kind, id)) return id;
    if (id >= n->limit || !n->of[id]) {
        d->bad = true;
        return 0;
    }
    return n->of[id];
}

static void get_line(Decoder *d) {
    uint32_t method = get32(d);
    ShadowLine l = {.bci = (int32_t)get32(d), .line = (int32_t)get32(d)};
    l.method = (uint32_t)renumber(d, SHADOW_METHOD, method);
    if (!d->bad && !shadownames_add_line(&l)) d->bad = true;
}

static void get_path(Decoder *d) {
    ShadowPath p = {.text = NULL};
    for (int i = 0; i < 3; i++) p.key[i] = get32(d);
    p.text = get_text(d);
    p.key[0] = (uint32_t)renumber(d, SHADOW_METHOD, p.key[0]);
    if (d->bad) free(p.text);
    else if (!shadownames_add_path(&p)) d->bad = true;
}

static void renumber_row(Decoder *d, const Analysis *a, TableRow *row) {
    Analysis section;
    const Column *columns;
    uint64_t *keys;
    if (!shadowcodec_columns(a, row, &section, &columns, &keys)) {
        d->bad = true;
        return;
    }
    for (int i = 0; columns[i].name; i++) {
        switch (columns[i].kind) {
            case COLUMN_METHOD: keys[i] = renumber(d, SHADOW_METHOD, keys[i]); break;
            case COLUMN_FIELD: keys[i] = renumber(d, SHADOW_FIELD, keys[i]); break;
            case COLUMN_CLASS: keys[i] = renumber(d, SHADOW_CLASS, keys[i]); break;
            case COLUMN_BCI:
            case COLUMN_NUMBER:
            case COLUMN_STEP:
            case COLUMN_PARTNER:
            case COLUMN_WORD:
            case COLUMN_SIGNED:
            case COLUMN_NODE:
            case COLUMN_PATH: break;
        }
    }
}

// ---- nodes -----------------------------------------------------------------------------------------

// A node's number depends on the steps that lead to it, whose methods are renumbered here. Parents are numbered first.
typedef struct Node {
    uint64_t old, number;
    TableRow *row;
    enum { UNKNOWN, WANTED, KNOWN } state;
} Node;

static int by_old(const void *a, const void *b) {
    const Node *x = a, *y = b;
    return x->old < y->old ? -1 : x->old > y->old;
}

static Node *find_node(Node *nodes, size_t count, uint64_t old) {
    return bsearch(&(Node){.old = old}, nodes, count, sizeof *nodes, by_old);
}

// Numbers the path from the first ancestor without a number down to the node. False: a parent is missing, or a cycle.
static bool number_nodes(Node *nodes, size_t count, Node *from, Node **way) {
    size_t depth = 0;
    for (Node *n = from; n->state != KNOWN; n = find_node(nodes, count, n->row->key[1])) {
        if (n->state == WANTED) return false;
        n->state = WANTED;
        way[depth++] = n;
        if (!n->row->key[1]) break;
        if (!find_node(nodes, count, n->row->key[1])) return false;
    }
    while (depth > 0) {
        Node *n = way[--depth];
        const uint64_t *key = n->row->key;
        uint64_t parent = key[1] ? find_node(nodes, count, key[1])->number : 0;
        n->number = contexts_number(parent, sitecounts_site((uint32_t)key[2], (int32_t)key[3]), (uint32_t)key[4]);
        n->state = KNOWN;
    }
    return true;
}

static void renumber_nodes(Decoder *d, Table *t) {
    Node *nodes = calloc(t->count + 1, sizeof *nodes), **way = calloc(t->count + 1, sizeof *way);
    d->bad |= !nodes || !way;
    for (size_t i = 0; i < t->count && !d->bad; i++) nodes[i] = (Node){.old = t->rows[i].key[0], .row = &t->rows[i]};
    if (!d->bad) qsort(nodes, t->count, sizeof *nodes, by_old);
    for (size_t i = 0; i < t->count && !d->bad; i++) d->bad = !number_nodes(nodes, t->count, &nodes[i], way);
    for (size_t i = 0; i < t->count && !d->bad; i++) {
        uint64_t *key = nodes[i].row->key;
        const Node *parent = key[1] ? find_node(nodes, t->count, key[1]) : NULL;
        key[0] = nodes[i].number;
        key[1] = parent ? parent->number : 0;
    }
    free(nodes);
    free(way);
}

static void get_table(Decoder *d, const Analysis *a, Table *to) {
    uint64_t count = get64(d);
    TableRow row;
    if (d->bad || count > (uint64_t)(d->end - d->at) / sizeof row) {
        d->bad = true;
        return;
    }
    for (uint64_t i = 0; i < count && !d->bad; i++) {
        get(d, &row, sizeof row);
        renumber_row(d, a, &row);
        table_add(to, &row);
    }
    if (to->failed) d->bad = true;
    to->keep_empty = a->columns[0].kind == COLUMN_NODE;
    if (to->keep_empty && !d->bad) renumber_nodes(d, to);
}

static void get_thread(Decoder *d, const bool *wanted, WriterThread *t, char **name) {
    t->id = get64(d);
    t->service = get32(d) != 0;
    t->ended = true;
    t->name = *name = get_text(d);
    get(d, t->produced, sizeof t->produced);
    for (int a = 0; a < ANALYSIS_COUNT && !d->bad; a++) {
        if (!wanted[a]) continue;
        t->lost[a] = get64(d);
        get_table(d, analysis_table[a], &t->tables[a]);
    }
}

static void get_given(Decoder *d, const bool *wanted, ShadowThreads *out) {
    uint32_t a = get32(d);
    uint64_t size = get64(d);
    if (d->bad || a >= ANALYSIS_COUNT || !wanted[a] || !analysis_table[a]->take || out->given[a].data ||
        size > (uint64_t)(d->end - d->at)) {
        d->bad = true;
        return;
    }
    out->given[a] = (ShadowGiven){d->at, (size_t)size};
    d->at += size;
}

bool shadowcodec_decode(const bool *wanted, const uint8_t *data, size_t size, ShadowThreads *out) {
    Decoder d = {.at = data, .end = data + size};
    *out = (ShadowThreads){0};
    uint32_t first = get32(&d), sum = get32(&d);
    if (d.bad || first != SHADOWCODEC_MAGIC || sum != (uint32_t)crc32_z(0, data + 8, size - 8)) return false;
    out->collapsed = get64(&d);
    get(&d, out->unattributed, sizeof out->unattributed);
    for (uint32_t n = get32(&d); n > 0 && !d.bad; n--) get_name(&d);
    for (uint32_t n = get32(&d); n > 0 && !d.bad; n--) get_line(&d);
    for (uint32_t n = get32(&d); n > 0 && !d.bad; n--) get_path(&d);
    uint32_t count = get32(&d);
    if (count > size) d.bad = true;
    out->threads = d.bad ? NULL : calloc((size_t)count + 1, sizeof *out->threads);
    out->names = d.bad ? NULL : calloc((size_t)count + 1, sizeof *out->names);
    if (!out->threads || !out->names) d.bad = true;
    for (; out->count < count && !d.bad; out->count++)
        get_thread(&d, wanted, &out->threads[out->count], &out->names[out->count]);
    for (uint32_t n = get32(&d); n > 0 && !d.bad; n--) get_given(&d, wanted, out);
    for (int k = 0; k < SHADOW_NAME_KINDS; k++) free(d.numbers[k].of);
    if (!d.bad && d.at == d.end) return true;
    shadowcodec_free(out);
    return false;
}

void shadowcodec_free(ShadowThreads *t) {
    for (size_t i = 0; t->threads && i < t->count; i++)
        for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&t->threads[i].tables[a]);
    for (size_t i = 0; t->names && i < t->count; i++) free(t->names[i]);
    free(t->threads);
    free(t->names);
    *t = (ShadowThreads){0};
}
