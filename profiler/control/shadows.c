#include "profiler/control/shadows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytebuffer.h"
#include "base/grow.h"
#include "base/hash.h"
#include "profiler/analyses/contexts.h"
#include "profiler/control/phases.h"
#include "profiler/analyses/sitecounts.h"

enum Kind { METHOD, FIELD, CLASS, KINDS };
static const uint32_t magic = 0x53686164;

// ---- giving --------------------------------------------------------------------------------------

typedef struct Seen {
    uint8_t *of;
    uint32_t limit;
} Seen;

typedef struct Encoder {
    const WriterInput *in;
    Bytes names, lines, paths, rows, given;
    uint32_t name_count, line_count, path_count, given_count;
    Seen seen[KINDS];
    bool failed;
} Encoder;

static void put32(Bytes *b, uint32_t v) { bytes_put(b, &v, sizeof v); }
static void put64(Bytes *b, uint64_t v) { bytes_put(b, &v, sizeof v); }

static void put_text(Bytes *b, const char *text) {
    if (!text) text = "";
    uint32_t n = (uint32_t)strlen(text);
    put32(b, n);
    bytes_put(b, text, n);
}

// True the first time.
static bool is_new(Encoder *e, enum Kind kind, uint32_t id) {
    Seen *s = &e->seen[kind];
    if (!GROW_ZEROED(s->of, s->limit, (uint64_t)id + 1)) {
        e->failed = true;
        return false;
    }
    return !s->of[id]++ || (s->of[id] = 1, false);
}

static void name(Encoder *e, enum Kind kind, uint32_t id) {
    const ProfileHost *host = e->in->host;
    if ((kind == METHOD && id >= EVENT_PSEUDO_BASE) || !is_new(e, kind, id)) return;
    ProfiledMethod m = {0};
    ProfiledField f = {0};
    if (kind == METHOD) host->method(id, &m);
    else if (kind == FIELD && host->field(id, &f)) m = (ProfiledMethod){f.class_name, f.name, f.desc, NULL, f.flags, f.application};
    else if (kind == CLASS) m.class_name = host->class_name(id);
    put32(&e->names, kind);
    put32(&e->names, id);
    put32(&e->names, m.flags | (uint32_t)m.application << 16);
    put_text(&e->names, m.class_name);
    put_text(&e->names, m.name ? m.name : kind == CLASS ? "" : "<unknown>");
    put_text(&e->names, m.desc);
    put_text(&e->names, m.source_file);
    e->name_count++;
}

static void line(Encoder *e, uint32_t method, int32_t bci) {
    if (bci < 0 || method >= EVENT_PSEUDO_BASE) return;
    put32(&e->lines, method);
    put32(&e->lines, (uint32_t)bci);
    put32(&e->lines, (uint32_t)e->in->host->line(method, bci));
    e->line_count++;
}

// Stores the path as text: by then the program may have a different class file, or none.
static void path(Encoder *e, const uint64_t key[static 3]) {
    char *text = e->in->host->path ? e->in->host->path((uint32_t)key[0], (int32_t)(uint32_t)key[1], (uint32_t)key[2]) : NULL;
    for (int i = 0; i < 3; i++) put32(&e->paths, (uint32_t)key[i]);
    put_text(&e->paths, text ? text : "?");
    e->path_count++;
    free(text);
}

// Finds the columns of a row, and its keys for them: those of a section, if the analysis has sections. False: no such
// section.
static bool columns_of(const Analysis *a, TableRow *row, Analysis *section, const Column **columns, uint64_t **keys) {
    *columns = a->columns;
    *keys = row->key;
    if (!a->section) return true;
    if (row->key[0] < 1 || row->key[0] > UINT32_MAX || !a->section((uint32_t)row->key[0] - 1, section)) return false;
    *columns = section->columns;
    *keys = row->key + 1;
    return true;
}

static void name_keys(Encoder *e, const Analysis *a, TableRow *row) {
    Analysis section;
    const Column *columns;
    uint64_t *keys;
    if (!columns_of(a, row, &section, &columns, &keys)) return;
    for (int i = 0; columns[i].name; i++) {
        uint32_t key = (uint32_t)keys[i];
        switch (columns[i].kind) {
            case COLUMN_METHOD: name(e, METHOD, key); break;
            case COLUMN_FIELD: name(e, FIELD, key); break;
            case COLUMN_CLASS: name(e, CLASS, key); break;
            case COLUMN_BCI: line(e, (uint32_t)keys[i - 1], (int32_t)key); break;
            case COLUMN_PATH: path(e, keys + i - 2); break;
            case COLUMN_NUMBER: case COLUMN_STEP: case COLUMN_PARTNER: case COLUMN_WORD: case COLUMN_SIGNED: case COLUMN_NODE: break;
        }
    }
}

static void put_thread(Encoder *e, const WriterThread *t) {
    put64(&e->rows, t->id);
    put32(&e->rows, t->service);
    put_text(&e->rows, t->name);
    bytes_put(&e->rows, t->produced, sizeof t->produced);
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!e->in->wanted[a]) continue;
        const Table *rows = &t->tables[a];
        put64(&e->rows, t->lost[a]);
        put64(&e->rows, rows->count);
        bytes_put(&e->rows, rows->rows, rows->count * sizeof *rows->rows);
        for (size_t i = 0; i < rows->count; i++) name_keys(e, analysis_table[a], &rows->rows[i]);
    }
}

// For each analysis with data: its number and the bytes.
static void put_given(Encoder *e) {
    for (uint32_t a = 0; a < ANALYSIS_COUNT; a++) {
        if (!e->in->wanted[a] || !analysis_table[a]->give) continue;
        char *data = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&data, &size);
        if (out) analysis_table[a]->give(e->in->host, out);
        if (!out || fclose(out) != 0) e->failed = true;
        put32(&e->given, a);
        put64(&e->given, size);
        bytes_put(&e->given, data, size);
        e->given_count++;
        free(data);
    }
}

bool shadows_encode(const WriterInput *in, uint64_t collapsed, uint8_t **data, size_t *size) {
    Encoder e = {.in = in};
    Bytes out = {0};
    for (size_t i = 0; i < in->thread_count; i++) put_thread(&e, &in->threads[i]);
    put_given(&e);
    put32(&out, magic);
    put32(&out, 0);  // placeholder of the checksum
    put64(&out, collapsed);
    bytes_put(&out, in->unattributed, sizeof in->unattributed);
    put32(&out, e.name_count);
    bytes_put(&out, e.names.data, e.names.size);
    put32(&out, e.line_count);
    bytes_put(&out, e.lines.data, e.lines.size);
    put32(&out, e.path_count);
    bytes_put(&out, e.paths.data, e.paths.size);
    put32(&out, (uint32_t)in->thread_count);
    bytes_put(&out, e.rows.data, e.rows.size);
    put32(&out, e.given_count);
    bytes_put(&out, e.given.data, e.given.size);
    bool ok = !e.failed && !e.given.failed && !e.names.failed && !e.lines.failed && !e.paths.failed && !e.rows.failed && !out.failed;
    for (int k = 0; k < KINDS; k++) free(e.seen[k].of);
    free(e.names.data);
    free(e.lines.data);
    free(e.paths.data);
    free(e.rows.data);
    free(e.given.data);
    if (!ok) {
        free(out.data);
        return false;
    }
    uint32_t sum = (uint32_t)crc32_z(0, out.data + 8, out.size - 8);
    memcpy(out.data + 4, &sum, sizeof sum);
    *data = out.data;
    *size = out.size;
    return true;
}

// ---- names received ----------------------------------------------------------------------

typedef struct Known {
    enum Kind kind;
    ProfiledMethod what;  // for a field or class, the members that apply
} Known;

typedef struct Line {
    uint32_t method;
    int32_t bci, line;
} Line;

typedef struct PathWords {
    uint32_t key[3];  // method, bytecode index, number
    char *text;
} PathWords;

// One process takes from its shadows on one thread at a time.
static struct Shadows {
    Known *known;
    uint32_t known_count, known_capacity;
    HashTable known_index;
    Line *lines;
    uint32_t line_count, line_capacity;
    HashTable line_index;
    PathWords *paths;
    uint32_t path_count, path_capacity;
    HashTable path_index;
    // Shares.
    struct Share {
        uint64_t key[TABLE_KEYS];
        double sum, squares;
    } *shares;
    uint32_t share_count, share_capacity;
    uint64_t shadows;       // complete ones, which have shares
    uint64_t ended;         // all of them
    double missing, missing_now;  // the parts of their lengths that they did not run: sum, mean of the latest
    bool converged;
    // Phases of the program.
    Phases *phases;
    uint64_t looks;
    uint32_t phase;
} shadows;

static uint32_t hash_of(enum Kind kind, const ProfiledMethod *m) {
    uint32_t h = hash_bytes(HASH_START, &kind, sizeof kind);
    h = hash_bytes(h, m->class_name, strlen(m->class_name));
    h = hash_bytes(h, m->name, strlen(m->name));
    return hash_bytes(h, m->desc, strlen(m->desc));
}

static uint32_t hash_known(const void *owner, uintptr_t item) {
    const Known *k = &((const struct Shadows *)owner)->known[item - 1];
    return hash_of(k->kind, &k->what);
}

static bool same_known(const void *owner, uintptr_t item, const void *key) {
    const Known *a = &((const struct Shadows *)owner)->known[item - 1], *b = key;
    return a->kind == b->kind && strcmp(a->what.class_name, b->what.class_name) == 0 &&
           strcmp(a->what.name, b->what.name) == 0 && strcmp(a->what.desc, b->what.desc) == 0;
}

static const HashKind by_name = {hash_known, same_known};

static void free_texts(ProfiledMethod *m) {
    free((char *)m->class_name);
    free((char *)m->name);
    free((char *)m->desc);
    free((char *)m->source_file);
}

// The number of these names; takes ownership of the strings. 0: out of memory.
static uint32_t number_of(Known *k) {
    uint32_t hash = hash_of(k->kind, &k->what);
    uintptr_t there = hash_find(&shadows.known_index, &by_name, &shadows, hash, k);
    if (!there && GROW(shadows.known, shadows.known_capacity, shadows.known_count + 1)) {
        shadows.known[shadows.known_count] = *k;
        if (hash_add(&shadows.known_index, &by_name, &shadows, hash, shadows.known_count + 1)) return ++shadows.known_count;
    }
    free_texts(&k->what);
    return (uint32_t)there;
}

static uint32_t hash_line(const void *owner, uintptr_t item) {
    const Line *l = &((const struct Shadows *)owner)->lines[item - 1];
    return hash_bytes(HASH_START, l, 2 * sizeof l->bci);
}

static bool same_line(const void *owner, uintptr_t item, const void *key) {
    const Line *a = &((const struct Shadows *)owner)->lines[item - 1], *b = key;
    return a->method == b->method && a->bci == b->bci;
}

static const HashKind by_place = {hash_line, same_line};

static bool know_line(const Line *l) {
    uint32_t hash = hash_bytes(HASH_START, l, 2 * sizeof l->bci);
    if (hash_find(&shadows.line_index, &by_place, &shadows, hash, l)) return true;
    if (!GROW(shadows.lines, shadows.line_capacity, shadows.line_count + 1)) return false;
    shadows.lines[shadows.line_count] = *l;
    return hash_add(&shadows.line_index, &by_place, &shadows, hash, shadows.line_count + 1) && ++shadows.line_count;
}

static uint32_t hash_path(const void *owner, uintptr_t item) {
    return hash_bytes(HASH_START, ((const struct Shadows *)owner)->paths[item - 1].key, sizeof(uint32_t[3]));
}

static bool same_path(const void *owner, uintptr_t item, const void *key) {
    return memcmp(((const struct Shadows *)owner)->paths[item - 1].key, key, sizeof(uint32_t[3])) == 0;
}

static const HashKind by_path = {hash_path, same_path};

// Takes ownership of the text.
static bool know_path(const PathWords *p) {
    uint32_t hash = hash_bytes(HASH_START, p->key, sizeof p->key);
    bool there = hash_find(&shadows.path_index, &by_path, &shadows, hash, p->key);
    if (!there && GROW(shadows.paths, shadows.path_capacity, shadows.path_count + 1)) {
        shadows.paths[shadows.path_count] = *p;
        if (hash_add(&shadows.path_index, &by_path, &shadows, hash, shadows.path_count + 1)) return ++shadows.path_count;
    }
    free(p->text);
    return there;
}

static const Known *known(enum Kind kind, uint32_t id) {
    const Known *k = id && id <= shadows.known_count ? &shadows.known[id - 1] : NULL;
    return k && k->kind == kind ? k : NULL;
}

static bool host_method(uint32_t id, ProfiledMethod *out) {
    const Known *k = known(METHOD, id);
    if (k) *out = k->what;
    return k;
}

static bool host_field(uint32_t id, ProfiledField *out) {
    const Known *k = known(FIELD, id);
    if (k) *out = (ProfiledField){k->what.class_name, k->what.name, k->what.desc, k->what.flags, k->what.application};
    return k;
}

static const char *host_class(uint32_t id) {
    const Known *k = known(CLASS, id);
    return k ? k->what.class_name : NULL;
}

static int32_t host_line(uint32_t method, int32_t bci) {
    Line l = {.method = method, .bci = bci};
    uintptr_t at = hash_find(&shadows.line_index, &by_place, &shadows, hash_bytes(HASH_START, &l, 2 * sizeof l.bci), &l);
    return at ? shadows.lines[at - 1].line : -1;
}

static char *host_path(uint32_t method, int32_t bci, uint32_t path) {
    uint32_t key[3] = {method, (uint32_t)bci, path};
    uintptr_t at = hash_find(&shadows.path_index, &by_path, &shadows, hash_bytes(HASH_START, key, sizeof key), key);
    return at ? strdup(shadows.paths[at - 1].text) : NULL;
}

const ProfileHost shadows_host = {
    .method = host_method, .line = host_line, .field = host_field, .class_name = host_class, .path = host_path};

// ---- taking ----------------------------------------------------------------------------------------

typedef struct Decoder {
    const uint8_t *at, *end;
    bool bad;
    struct Numbers {           // by the shadow's number; 0: not named
        uint32_t *of, limit;
    } numbers[KINDS];
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
    Known k = {.kind = get32(d)};
    uint32_t id = get32(d);
    uint32_t flags = get32(d);
    k.what.flags = (uint16_t)flags;
    k.what.application = flags >> 16;
    k.what.class_name = get_text(d);
    k.what.name = get_text(d);
    k.what.desc = get_text(d);
    k.what.source_file = get_text(d);
    if (d->bad || k.kind >= KINDS || id >= MOST_NUMBERS) {
        d->bad = true;
        free_texts(&k.what);
        return;
    }
    if (k.what.source_file && !*k.what.source_file) {
        free((char *)k.what.source_file);
        k.what.source_file = NULL;
    }
    struct Numbers *n = &d->numbers[k.kind];
    enum Kind kind = k.kind;
    uint32_t number = number_of(&k);
    if (!number || !GROW_ZEROED(n->of, n->limit, (uint64_t)id + 1)) d->bad = true;
    else d->numbers[kind].of[id] = number;
}

static uint64_t renumber(Decoder *d, enum Kind kind, uint64_t id) {
    const struct Numbers *n = &d->numbers[kind];
    if (kind == METHOD && id >= EVENT_PSEUDO_BASE && id <= UINT32_MAX) return id;
    if (id >= n->limit || !n->of[id]) {
        d->bad = true;
        return 0;
    }
    return n->of[id];
}

static void get_line(Decoder *d) {
    uint32_t method = get32(d);
    Line l = {.bci = (int32_t)get32(d), .line = (int32_t)get32(d)};
    l.method = (uint32_t)renumber(d, METHOD, method);
    if (!d->bad && !know_line(&l)) d->bad = true;
}

static void get_path(Decoder *d) {
    PathWords p = {.text = NULL};
    for (int i = 0; i < 3; i++) p.key[i] = get32(d);
    p.text = get_text(d);
    p.key[0] = (uint32_t)renumber(d, METHOD, p.key[0]);
    if (d->bad) free(p.text);
    else if (!know_path(&p)) d->bad = true;
}

static void renumber_row(Decoder *d, const Analysis *a, TableRow *row) {
    Analysis section;
    const Column *columns;
    uint64_t *keys;
    if (!columns_of(a, row, &section, &columns, &keys)) {
        d->bad = true;
        return;
    }
    for (int i = 0; columns[i].name; i++) {
        switch (columns[i].kind) {
            case COLUMN_METHOD: keys[i] = renumber(d, METHOD, keys[i]); break;
            case COLUMN_FIELD: keys[i] = renumber(d, FIELD, keys[i]); break;
            case COLUMN_CLASS: keys[i] = renumber(d, CLASS, keys[i]); break;
            case COLUMN_BCI: case COLUMN_NUMBER: case COLUMN_STEP: case COLUMN_PARTNER: case COLUMN_WORD: case COLUMN_SIGNED: case COLUMN_NODE: case COLUMN_PATH: break;
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

static void set_numbers(const Node *nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t *key = nodes[i].row->key;
        const Node *parent = key[1] ? find_node((Node *)nodes, count, key[1]) : NULL;
        key[0] = nodes[i].number;
        key[1] = parent ? parent->number : 0;
    }
}

static void renumber_nodes(Decoder *d, Table *t) {
    Node *nodes = calloc(t->count + 1, sizeof *nodes), **way = calloc(t->count + 1, sizeof *way);
    d->bad |= !nodes || !way;
    for (size_t i = 0; i < t->count && !d->bad; i++) nodes[i] = (Node){.old = t->rows[i].key[0], .row = &t->rows[i]};
    if (!d->bad) qsort(nodes, t->count, sizeof *nodes, by_old);
    for (size_t i = 0; i < t->count && !d->bad; i++) d->bad = !number_nodes(nodes, t->count, &nodes[i], way);
    if (!d->bad) set_numbers(nodes, t->count);
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
    if (d->bad || a >= ANALYSIS_COUNT || !wanted[a] || !analysis_table[a]->take || out->given[a].data || size > (uint64_t)(d->end - d->at)) {
        d->bad = true;
        return;
    }
    out->given[a] = (ShadowGiven){d->at, (size_t)size};
    d->at += size;
}

bool shadows_decode(const bool *wanted, const uint8_t *data, size_t size, ShadowThreads *out) {
    Decoder d = {.at = data, .end = data + size};
    *out = (ShadowThreads){0};
    uint32_t first = get32(&d), sum = get32(&d);
    if (d.bad || first != magic || sum != (uint32_t)crc32_z(0, data + 8, size - 8)) return false;
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
    for (int k = 0; k < KINDS; k++) free(d.numbers[k].of);
    if (!d.bad && d.at == d.end) return true;
    shadows_free(out);
    return false;
}

void shadows_free(ShadowThreads *t) {
    for (size_t i = 0; t->threads && i < t->count; i++)
        for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&t->threads[i].tables[a]);
    for (size_t i = 0; t->names && i < t->count; i++) free(t->names[i]);
    free(t->threads);
    free(t->names);
    *t = (ShadowThreads){0};
}

// ---- shares ----------------------------------------------------------------------------------------

static struct Share *share_of(const TableRow *row) {
    for (uint32_t i = 0; i < shadows.share_count; i++)
        if (memcmp(shadows.shares[i].key, row->key, sizeof row->key) == 0) return &shadows.shares[i];
    if (!GROW(shadows.shares, shadows.share_capacity, shadows.share_count + 1)) return NULL;
    struct Share *s = &shadows.shares[shadows.share_count++];
    *s = (struct Share){0};
    memcpy(s->key, row->key, sizeof s->key);
    return s;
}

// Half of the 95 % confidence interval of the mean share.
static double half_width(const struct Share *s, double n) {
    double mean = s->sum / n, variance = (s->squares - n * mean * mean) / (n - 1);
    return 1.96 * sqrt(variance > 0 ? variance / n : 0);
}

// Resets the statistics of shares.
static void begin_anew(void) {
    shadows.converged = false;
    shadows.share_count = 0;
    shadows.shadows = shadows.ended = 0;
    shadows.missing = shadows.missing_now = 0;
}

// A shadow has ended; `part` of its length is missing.
static void note_missing(double part) {
    enum { LATEST = 32 };  // weight of the mean
    uint64_t n = ++shadows.ended < LATEST ? shadows.ended : LATEST;
    shadows.missing += part;
    shadows.missing_now += (part - shadows.missing_now) / (double)n;
}

// The missing part of all shadows, or of the latest ones if that is larger: the program may have changed.
static double missing_part(void) {
    double all = shadows.ended ? shadows.missing / (double)shadows.ended : 0;
    return all > shadows.missing_now ? all : shadows.missing_now;
}

// The missing part may belong to this row alone, or to other rows alone.
static double error_of_missing(const struct Share *s, double n) {
    double mean = s->sum / n;
    return missing_part() * (mean > 0.5 ? mean : 1 - mean);
}

static void decide(void) {
    enum { FEWEST = 10 };
    const double near = 0.03;
    double n = (double)shadows.shadows;
    shadows.converged = shadows.shadows >= FEWEST && missing_part() <= near;
    for (uint32_t i = 0; i < shadows.share_count && shadows.converged; i++) {
        const struct Share *s = &shadows.shares[i];
        shadows.converged = half_width(s, n) + error_of_missing(s, n) <= near;
    }
}

void shadows_note_lost(void) {
    note_missing(1);
    decide();
}

void shadows_note_shares(const ShadowThreads *t, int analysis, double part) {
    enum { MOST_ROWS = 512 };
    const double least = 0.01;
    Table sum = {0};
    note_missing(1 - part);
    if (part < 1) {
        decide();
        return;
    }
    for (size_t i = 0; i < t->count; i++)
        if (!t->threads[i].service) table_add_all(&sum, &t->threads[i].tables[analysis]);
    table_combine(&sum);
    double total = (double)table_total(&sum), far = 0;
    if (total > 0) shadows.shadows++;
    double n = (double)shadows.shadows;
    for (size_t i = 0; i < sum.count && total > 0; i++) {
        double share = (double)sum.rows[i].count / total;
        if (share < least) continue;
        struct Share *s = share_of(&sum.rows[i]);
        if (!s) continue;
        if (n > 1) far += fabs(share - s->sum / (n - 1)) / 2;
        s->sum += share;
        s->squares += share * share;
    }
    table_free(&sum);
    // Another phase of the program, for which the statistics do not hold.
    bool other = (shadows.converged && far > 0.25) || shadows.share_count > MOST_ROWS;
    if (other) begin_anew();
    else decide();
}

bool shadows_converged(void) { return shadows.converged; }

// ---- phases ----------------------------------------------------------------------------------------

static Phases *phases(void) {
    if (!shadows.phases) shadows.phases = phases_new(1, 1);
    return shadows.phases;
}

void shadows_note_call(uint32_t caller, uint32_t callee) {
    if (phases()) phases_call(phases(), caller, callee);
}

// A look counts as one check. A new phase resets the statistics of shares, except the first phase.
bool shadows_look(void) {
    int64_t interval = 1;
    if (!phases()) return false;
    uint32_t known = phases_count(phases());
    phases_burst(phases(), ++shadows.looks, NULL, true, &interval);
    uint32_t phase = phases_now(phases());
    bool is_new = phases_count(phases()) > known, is_first = known == PHASE_BETWEEN + 1, changes = phase != shadows.phase;
    shadows.phase = phase;
    if (is_new && !is_first) begin_anew();
    return changes && !(is_new && is_first);
}
