// Encoding a shadow's data (shadowcodec.h).
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytebuffer.h"
#include "base/grow.h"
#include "profiler/control/shadowcodec.h"

typedef struct Seen {
    uint8_t *of;
    uint32_t limit;
} Seen;

typedef struct Encoder {
    const WriterInput *in;
    Bytes names, lines, paths, rows, given;
    uint32_t name_count, line_count, path_count, given_count;
    Seen seen[SHADOW_NAME_KINDS];
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
static bool is_new(Encoder *e, ShadowNameKind kind, uint32_t id) {
    Seen *s = &e->seen[kind];
    if (!GROW_ZEROED(s->of, s->limit, (uint64_t)id + 1)) {
        e->failed = true;
        return false;
    }
    bool first = !s->of[id];
    s->of[id] = 1;
    return first;
}

static void name(Encoder *e, ShadowNameKind kind, uint32_t id) {
    const ProfileHost *host = e->in->host;
    if (shadowcodec_is_constant(kind, id) || !is_new(e, kind, id)) return;
    ProfiledMethod m = {0};
    ProfiledField f = {0};
    if (kind == SHADOW_METHOD) host->method(id, &m);
    else if (kind == SHADOW_FIELD && host->field(id, &f))
        m = (ProfiledMethod){f.class_name, f.name, f.desc, NULL, f.flags, f.application};
    else if (kind == SHADOW_CLASS) m.class_name = host->class_name(id);
    put32(&e->names, kind);
    put32(&e->names, id);
    put32(&e->names, m.flags | (uint32_t)m.application << 16);
    put_text(&e->names, m.class_name);
    put_text(&e->names, m.name ? m.name : kind == SHADOW_CLASS ? "" : "<unknown>");
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
    char *text = e->in->host->path ? e->in->host->path((uint32_t)key[0], (int32_t)(uint32_t)key[1], (uint32_t)key[2])
                                   : NULL;
    for (int i = 0; i < 3; i++) put32(&e->paths, (uint32_t)key[i]);
    put_text(&e->paths, text ? text : "?");
    e->path_count++;
    free(text);
}

static void name_keys(Encoder *e, const Analysis *a, TableRow *row) {
    Analysis section;
    const Column *columns;
    uint64_t *keys;
    if (!shadowcodec_columns(a, row, &section, &columns, &keys)) return;
    for (int i = 0; columns[i].name; i++) {
        uint32_t key = (uint32_t)keys[i];
        switch (columns[i].kind) {
            case COLUMN_METHOD: name(e, SHADOW_METHOD, key); break;
            case COLUMN_FIELD: name(e, SHADOW_FIELD, key); break;
            case COLUMN_CLASS: name(e, SHADOW_CLASS, key); break;
            case COLUMN_BCI: line(e, (uint32_t)keys[i - 1], (int32_t)key); break;
            case COLUMN_PATH: path(e, keys + i - 2); break;
            case COLUMN_NUMBER:
            case COLUMN_STEP:
            case COLUMN_PARTNER:
            case COLUMN_WORD:
            case COLUMN_SIGNED:
            case COLUMN_NODE: break;
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

bool shadowcodec_encode(const WriterInput *in, uint64_t collapsed, uint8_t **data, size_t *size) {
    Encoder e = {.in = in};
    Bytes out = {0};
    for (size_t i = 0; i < in->thread_count; i++) put_thread(&e, &in->threads[i]);
    put_given(&e);
    put32(&out, SHADOWCODEC_MAGIC);
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
    bool ok = !e.failed && !e.given.failed && !e.names.failed && !e.lines.failed && !e.paths.failed && !e.rows.failed &&
        !out.failed;
    for (int k = 0; k < SHADOW_NAME_KINDS; k++) free(e.seen[k].of);
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
