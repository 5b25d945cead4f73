#include "profiler/analyses/interproceduralpath.h"
#include "profiler/analyses/productionsites.h"
#include "profiler/analyses/timesamples.h"
#include "profiler/analyses/timeslots.h"
#include "profiler/productions/productions.h"
#include "profiler/store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/invariant.h"
#include "base/bytebuffer.h"
#include "base/grow.h"
#include "base/hash.h"
#include "profiler/store/format.h"
#include "profiler/store/nodes.h"

// ---- text --------------------------------------------------------------------------------------

// The next code point of modified UTF-8 or UTF-8 at *s; each byte that is neither becomes U+FFFD.
static uint32_t decode(const uint8_t **s) {
    const uint8_t *p = *s;
    uint32_t c = p[0];
    int more = c < 0x80 ? 0 : c >= 0xc0 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf8 ? 3 : -1;
    uint32_t v = more <= 0 ? c : c & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) more = -1;
        else v = v << 6 | (p[i] & 0x3f);
    }
    *s = p + (more < 0 ? 1 : more + 1);
    return more < 0 || v > 0x10ffff ? 0xfffd : v;
}

static uint32_t decode_pair(const uint8_t **s) {
    uint32_t high = decode(s);
    if (high < 0xd800 || high > 0xdfff) return high;
    const uint8_t *after = *s;
    uint32_t low = *after ? decode(&after) : 0;
    if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) return 0xfffd;
    *s = after;
    return 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

// Writes length and bytes of `text` as proper UTF-8.
static void put_text(Bytes *b, const char *text) {
    Bytes clean = {0};
    for (const uint8_t *s = (const uint8_t *)text; *s;) {
        uint32_t c = decode_pair(&s);
        int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        uint8_t out[4];
        for (int i = more; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3f));
        out[0] = (uint8_t)(more ? (0xff00 >> (more + 1) & 0xff) | c : c);
        bytes_put(&clean, out, (size_t)more + 1);
    }
    if (clean.failed) b->failed = true;
    bytes_varint(b, clean.size);
    bytes_put(b, clean.data, clean.size);
    free(clean.data);
}

// ---- strings and methods of the file ------------------------------------------------------------

enum { ELEMENT_TYPES = 8 };

// By id, the file's index + 1; 0: not in the file yet.
typedef struct IndexOf {
    uint32_t *of;
    uint32_t limit;
} IndexOf;

typedef struct PathText {
    uint64_t key[3];
    char *text;
    uint32_t index;  // of the string
} PathText;

// A place and its line. A method's places occur in many rows of a tree.
enum { LINE_BITS = 10 };
typedef struct LineOf {
    uint64_t place;  // 0: none
    int32_t line;
} LineOf;

typedef struct Build {
    const WriterInput *in;
    Bytes out, strings, methods, fields, classes, times;
    uint32_t string_count, method_count, field_count, class_count, time_count, chunk_count;
    IndexOf class_seen;  // by string: 1 if the class of that name has been searched
    // Strings by address: symbols are unique, so equal names nearly always have equal addresses.
    const char **texts;
    uint32_t text_capacity;
    HashTable text_index;                                // index in texts + 1
    IndexOf method_index, field_index, allocated_index;  // the last one by class
    char **type_names;                                   // of classes of allocated objects
    uint32_t type_name_count, type_name_capacity;
    uint32_t pseudo_index[CALLER_COUNT], element_index[ELEMENT_TYPES];
    PathText *paths;
    uint32_t path_count, path_capacity;
    HashTable path_index;  // index in paths + 1
    char **steps;          // by step; NULL: not needed yet
    uint32_t step_capacity;
    Nodes nodes;                     // of the current analysis
    LineOf line_of[1 << LINE_BITS];  // recently looked up
    bool failed;
} Build;

// Index of a string in the file. The text must stay at its address until the file is built.
static uint32_t string_index(Build *w, const char *text) {
    HashRecords texts = {w->texts, sizeof *w->texts};
    uint32_t hash = hash_pointer(text);
    uintptr_t known = hash_find(&w->text_index, &hash_by_pointer, &texts, hash, text);
    if (known) return (uint32_t)known - 1;
    bool ok = GROW(w->texts, w->text_capacity, w->string_count + 1);
    texts.records = w->texts;
    if (!ok || !hash_add(&w->text_index, &hash_by_pointer, &texts, hash, w->string_count + 1)) {
        w->failed = true;
        return 0;
    }
    w->texts[w->string_count] = text;
    put_text(&w->strings, text);
    return w->string_count++;
}

static uint32_t *index_of(Build *w, IndexOf *i, uint32_t id);

// Adds the class file of a method's class, once.
static void add_class(Build *w, const char *name, uint32_t string) {
    uint32_t *seen = index_of(w, &w->class_seen, string);
    ProfiledClassFile file;
    if (!seen || *seen || !w->in->host->class_file) return;
    *seen = 1;
    if (!w->in->host->class_file(name, &file)) return;
    bytes_varint(&w->classes, string);
    bytes_fixed(&w->classes, file.crc, 4);
    bytes_varint(&w->classes, file.size);
    bytes_varint(&w->classes, file.origin ? string_index(w, file.origin) + 1 : 0);
    w->class_count++;
}

static uint32_t add_method(Build *w, const ProfiledMethod *m, uint32_t flags) {
    uint32_t class_string = string_index(w, m->class_name ? m->class_name : "");
    if (m->class_name) add_class(w, m->class_name, class_string);
    bytes_varint(&w->methods, class_string);
    bytes_varint(&w->methods, string_index(w, m->name));
    bytes_varint(&w->methods, string_index(w, m->desc ? m->desc : ""));
    bytes_varint(&w->methods, m->source_file ? string_index(w, m->source_file) + 1 : 0);
    bytes_varint(&w->methods, m->flags | flags);
    return ++w->method_count;
}

// The entry for `id`, NULL when out of memory.
static uint32_t *index_of(Build *w, IndexOf *i, uint32_t id) {
    if (GROW_ZEROED(i->of, i->limit, (uint64_t)id + 1)) return &i->of[id];
    w->failed = true;
    return NULL;
}

static uint32_t pseudo_caller(uint32_t id) {
    return id - EVENT_PSEUDO_BASE < CALLER_COUNT ? id - EVENT_PSEUDO_BASE : CALLER_VM;
}

const char *writer_pseudo_name(uint32_t id) {
    static const char *const names[] = {
#define PSEUDO(id, name) name,
#include "vm/api/callers.def"
    };
    return names[pseudo_caller(id)];
}

// The type of a class in internal form as Java writes it: "int[]" for "[I". malloc'd; NULL: out of memory.
static char *type_name(const char *class_name) {
    size_t length = strlen(class_name), size = 2 * length + sizeof "boolean";
    char *text = malloc(size);
    if (!text) return NULL;
    productions_type_name(class_name, length, text, size);
    for (char *c = text; (c = strchr(c, '/'));) *c = '.';
    return text;
}

// The file's index of the frame for an allocated object of the class.
static uint32_t allocated_index(Build *w, uint32_t cls) {
    uint32_t *index = index_of(w, &w->allocated_index, cls);
    if (!index) return 0;
    if (*index) return *index - 1;
    const char *name = w->in->host->class_name ? w->in->host->class_name(cls) : NULL;
    char *text = type_name(name ? name : "<unknown>");
    if (!text || !GROW(w->type_names, w->type_name_capacity, w->type_name_count + 1)) {
        free(text);
        w->failed = true;
        return 0;
    }
    w->type_names[w->type_name_count++] = text;
    *index = add_method(w, &(ProfiledMethod){.name = text}, FORMAT_METHOD_PSEUDO);
    return *index - 1;
}

// The file's index of a method id, a pseudo-caller or the class of an allocated object.
static uint32_t method_index(Build *w, uint32_t id) {
    if (id >= EVENT_ALLOCATED_BASE && id < EVENT_PSEUDO_BASE) return allocated_index(w, id - EVENT_ALLOCATED_BASE);
    if (id >= EVENT_PSEUDO_BASE) {
        uint32_t *index = &w->pseudo_index[pseudo_caller(id)];
        if (!*index) *index = add_method(w, &(ProfiledMethod){.name = writer_pseudo_name(id)}, FORMAT_METHOD_PSEUDO);
        return *index - 1;
    }
    uint32_t *index = index_of(w, &w->method_index, id);
    if (!index) return 0;
    if (!*index) {
        ProfiledMethod m = {0};
        bool known = w->in->host->method(id, &m) && m.name;
        if (!known) m = (ProfiledMethod){.name = "<unknown>"};
        *index = add_method(w, &m, !known ? FORMAT_METHOD_UNKNOWN : m.application ? FORMAT_METHOD_APPLICATION : 0);
    }
    return *index - 1;
}

static uint32_t add_field(Build *w, const ProfiledField *f, uint32_t flags) {
    bytes_varint(&w->fields, string_index(w, f->class_name));
    bytes_varint(&w->fields, string_index(w, f->name));
    bytes_varint(&w->fields, string_index(w, f->desc));
    bytes_varint(&w->fields, f->flags | flags);
    return ++w->field_count;
}

// The elements of arrays with an element type, which are written as a field of the array.
static uint32_t element_index(Build *w, uint32_t type) {
    static const struct Elements {
        const char *array, *desc;
    } elements[] = {
        {"byte[]", "B"}, {"char[]", "C"}, {"double[]", "D"}, {"float[]", "F"},
        {"int[]", "I"},  {"long[]", "J"}, {"short[]", "S"},  {"java/lang/Object[]", "Ljava/lang/Object;"},
    };
    uint32_t i = 0;
    while (i < ELEMENT_TYPES - 1 && (uint8_t)*elements[i].desc != type) i++;
    uint32_t *index = &w->element_index[i];
    if (!*index) *index = add_field(w, &(ProfiledField){elements[i].array, "element", elements[i].desc, 0, false}, 0);
    return *index - 1;
}

// The file's index of a field id or element type.
static uint32_t field_index(Build *w, uint32_t id) {
    if (id >= COLUMN_ELEMENTS) return element_index(w, id - COLUMN_ELEMENTS);
    uint32_t *index = index_of(w, &w->field_index, id);
    if (!index) return 0;
    if (!*index) {
        ProfiledField f = {0};
        bool known = w->in->host->field && w->in->host->field(id, &f) && f.name;
        if (!known) f = (ProfiledField){.class_name = "", .name = "<unknown>", .desc = ""};
        *index = add_field(w, &f, !known ? FORMAT_METHOD_UNKNOWN : f.application ? FORMAT_METHOD_APPLICATION : 0);
    }
    return *index - 1;
}

// ---- chunks ------------------------------------------------------------------------------------

enum { COMPRESS_FROM = 64 };

static void put_chunk(Build *w, const char *type, Bytes *payload) {
    Bytes deflated = {0}, header = {0};
    const Bytes *stored = payload;
    uint32_t flags = 0;
    uLongf size = compressBound(payload->size);
    if (payload->size >= COMPRESS_FROM && bytes_room(&deflated, size) &&
        compress2(deflated.data, &size, payload->data, payload->size, 6) == Z_OK && size < payload->size) {
        deflated.size = size;
        stored = &deflated;
        flags = FORMAT_DEFLATED;
    }
    bytes_put(&header, type, 4);
    bytes_fixed(&header, flags, 4);
    bytes_fixed(&header, stored->size, 8);
    bytes_fixed(&header, payload->size, 8);
    bytes_fixed(&header, crc32_z(0, stored->data, stored->size), 4);
    if (!header.failed) bytes_fixed(&header, crc32_z(0, header.data, header.size), 4);
    bytes_put(&w->out, header.data, header.size);
    bytes_put(&w->out, stored->data, stored->size);
    if (payload->failed || header.failed) w->failed = true;
    w->chunk_count++;
    free(deflated.data);
    free(header.data);
    free(payload->data);
    *payload = (Bytes){0};
}

static void put_counted(Build *w, const char *type, uint32_t count, Bytes *content) {
    Bytes b = {0};
    bytes_varint(&b, count);
    bytes_put(&b, content->data, content->size);
    b.failed |= content->failed;
    free(content->data);
    put_chunk(w, type, &b);
}

static void put_threads(Build *w) {
    Bytes b = {0};
    bytes_varint(&b, w->in->thread_count);
    for (size_t i = 0; i < w->in->thread_count; i++) {
        const WriterThread *t = &w->in->threads[i];
        bytes_varint(&b, t->id);
        put_text(&b, t->name);
        bytes_varint(&b,
                     (t->service ? FORMAT_THREAD_SERVICE : 0u) | (t->ended ? FORMAT_THREAD_ENDED : 0u) |
                         (t->folded ? FORMAT_THREAD_FOLDED : 0u));
        bytes_varint(&b, t->folded ? t->folded : 1);
        bytes_varint(&b, EVENT_COUNT);
        for (int e = 0; e < EVENT_COUNT; e++) bytes_varint(&b, t->produced[e]);
    }
    put_chunk(w, "THRD", &b);
}

// ---- analyses ----------------------------------------------------------------------------------

static const char *const event_names[] = {
#define EVENT(id, text, payload, waits, counted, source, made_by) text,
#include "vm/api/events.def"
};

// Events that the analysis accounts for: those without a thread structure, and those of threads if `of_threads`.
static uint64_t produced_total(const WriterInput *in, const Analysis *a, bool of_threads) {
    EventSet events = a->event == EVENT_COUNT ? analysis_events(a) : EVENT_BIT(a->event);
    uint64_t total = 0;
    for (int e = 0; e < EVENT_COUNT; e++) {
        if (!(events >> e & 1)) continue;
        total += in->unattributed[e];
        for (size_t i = 0; of_threads && i < in->thread_count; i++) total += in->threads[i].produced[e];
    }
    return total;
}

// An analysis as shown by the file: a whole one, or a section.
typedef struct Shown {
    Analysis as;       // name and columns
    int id;            // AnalysisId
    uint32_t section;  // its number + 1; 0: the whole analysis
} Shown;

// Iterates over those of the profile, in order; false: the end. `*id` and `*section` start at 0.
static bool next_shown(const WriterInput *in, int *id, uint32_t *section, Shown *to) {
    for (; *id < ANALYSIS_COUNT; ++*id, *section = 0) {
        const Analysis *a = analysis_table[*id];
        if (!in->wanted[*id]) continue;
        if (!a->section) {
            *to = (Shown){*a, *id, 0};
            ++*id;
            return true;
        }
        while (a->section((*section)++, &to->as)) {
            to->id = *id;
            to->section = *section;
            if (to->as.name) return true;
        }
    }
    return false;
}

// The rows of a table that belong to it, without the section number. The caller frees *own.
static const Table *rows_of(const Shown *s, const Table *all, Table *own) {
    *own = (Table){.keep_empty = all->keep_empty};
    if (!s->section) return all;
    for (size_t i = 0; i < all->count; i++) {
        if (all->rows[i].key[0] != s->section) continue;
        TableRow row = all->rows[i];
        memmove(row.key, row.key + 1, sizeof row.key - sizeof *row.key);
        row.key[TABLE_KEYS - 1] = 0;
        table_add(own, &row);
    }
    own->failed |= all->failed;
    return own;
}

static void put_column(Bytes *b, const char *name, int kind) {
    put_text(b, name);
    bytes_varint(b, (uint64_t)kind);
}

// The number of columns that it becomes in the file.
static uint32_t places_of(const Column *c) { return c->kind == COLUMN_BCI || c->kind == COLUMN_PATH ? 2 : 1; }

static void put_columns(Bytes *b, const Column *columns) {
    uint32_t count = 0;
    for (const Column *c = columns; c->name; c++) count += places_of(c);
    ASSERT(count <= TABLE_KEYS, "%u keys", count);  // some take two in the file
    bytes_varint(b, count);
    for (const Column *c = columns; c->name; c++) {
        switch (c->kind) {
            case COLUMN_METHOD: put_column(b, c->name, FORMAT_COLUMN_METHOD); break;
            case COLUMN_NODE: put_column(b, c->name, FORMAT_COLUMN_NODE); break;
            case COLUMN_NUMBER: put_column(b, c->name, FORMAT_COLUMN_NUMBER); break;
            case COLUMN_FIELD: put_column(b, c->name, FORMAT_COLUMN_FIELD); break;
            case COLUMN_SIGNED: put_column(b, c->name, FORMAT_COLUMN_SIGNED); break;
            case COLUMN_WORD:
            case COLUMN_CLASS:
            case COLUMN_PARTNER:
            case COLUMN_STEP: put_column(b, c->name, FORMAT_COLUMN_WORD); break;
            case COLUMN_BCI:
                put_column(b, "bci", FORMAT_COLUMN_SIGNED);
                put_column(b, "line", FORMAT_COLUMN_SIGNED);
                break;
            case COLUMN_PATH:
                put_column(b, c->name, FORMAT_COLUMN_NUMBER);
                put_column(b, "blocks", FORMAT_COLUMN_WORD);
                break;
        }
    }
}

static void put_analyses(Build *w) {
    Bytes b = {0};
    uint32_t count = 0, section = 0;
    Shown s;
    for (int id = 0; next_shown(w->in, &id, &section, &s);) count++;
    bytes_varint(&b, count);
    section = 0;
    for (int id = 0; next_shown(w->in, &id, &section, &s);) {
        const Analysis *analysis = &s.as;
        // The losses of a single section are unknown: they are attributed to the first one.
        bool loses = s.section <= 1;
        uint64_t recorded = 0, lost = loses ? produced_total(w->in, analysis_table[s.id], false) : 0;
        for (size_t i = 0; i < w->in->thread_count; i++) {
            const WriterThread *t = &w->in->threads[i];
            Table own;
            recorded += table_total(rows_of(&s, &t->tables[s.id], &own));
            table_free(&own);
            if (loses) lost += t->lost[s.id];
        }
        put_text(&b, analysis->name);
        put_text(&b,
                 analysis->unit                       ? analysis->unit
                     : analysis->event == EVENT_COUNT ? "events"
                                                      : event_names[analysis->event]);
        // A section of no event counts only what it recorded, because the rest did not concern it. The same applies
        // where productions choose.
        bool chosen = analysis->joined || (s.section && analysis->event == EVENT_COUNT && !analysis_events(analysis)) ||
            w->in->weighed || (w->in->fed && w->in->fed[s.id]);
        bytes_varint(&b, chosen ? recorded + lost : produced_total(w->in, analysis, true));
        bytes_varint(&b, recorded);
        bytes_varint(&b, lost);
        put_columns(&b, analysis->columns);
    }
    put_chunk(w, "ANLS", &b);
}

// ---- rows --------------------------------------------------------------------------------------

// Index of the text of the path in the key: method, bytecode index, number.
static uint32_t path_index(Build *w, const uint64_t *key) {
    HashKeyedRecords paths = {w->paths, sizeof *w->paths, sizeof w->paths->key};
    uint32_t hash = hash_bytes(HASH_START, key, paths.key);
    uintptr_t known = hash_find(&w->path_index, &hash_by_bytes, &paths, hash, key);
    if (known) return w->paths[known - 1].index;
    bool ok = GROW(w->paths, w->path_capacity, w->path_count + 1);
    paths.records = w->paths;
    if (!ok || !hash_add(&w->path_index, &hash_by_bytes, &paths, hash, w->path_count + 1)) {
        w->failed = true;
        return 0;
    }
    char *text = w->in->host->path ? w->in->host->path((uint32_t)key[0], (int32_t)(uint32_t)key[1], (uint32_t)key[2])
                                   : NULL;
    PathText *p = &w->paths[w->path_count++];
    *p = (PathText){{key[0], key[1], key[2]}, text, 0};
    p->index = string_index(w, text ? text : "?");
    return p->index;
}

static uint32_t step_index(Build *w, uint64_t what) {
    if (what > INTERPROCEDURALPATH_LAST) return string_index(w, "?");
    if (GROW_ZEROED(w->steps, w->step_capacity, what + 1) && !w->steps[what])
        w->steps[what] = interproceduralpath_step((uint32_t)what);
    if (what < w->step_capacity && w->steps[what]) return string_index(w, w->steps[what]);
    w->failed = true;
    return 0;
}

static int32_t line_of(Build *w, uint32_t method, int32_t bci) {
    uint64_t place = ((uint64_t)method << 32 | (uint32_t)bci) + 1;
    LineOf *l = &w->line_of[place * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LINE_BITS)];
    if (l->place != place) *l = (LineOf){place, w->in->host->line(method, bci)};
    return l->line;
}

// Converts keys to those of the file: ids become the file's indexes, a site becomes bci and line.
static void translate(Build *w, const Analysis *a, const TableRow *in, TableRow *out) {
    *out = (TableRow){.count = in->count};
    int to = 0;
    const Node *node = NULL;
    for (int i = 0; a->columns[i].name; i++) {
        const Column *c = &a->columns[i];
        const char *name;
        uint64_t words = 0;
        int32_t bci;
        switch (c->kind) {
            case COLUMN_METHOD: out->key[to++] = method_index(w, (uint32_t)in->key[i]); break;
            case COLUMN_NUMBER: out->key[to++] = in->key[i]; break;
            case COLUMN_SIGNED: out->key[to++] = format_zigzag((int64_t)in->key[i]); break;
            case COLUMN_NODE:  // the row's node and its parent
                if (i == 0) node = nodes_find(&w->nodes, in->key[0]);
                out->key[to++] = !node ? 0 : i == 0 ? node->index : node->parent_index;
                break;
            case COLUMN_FIELD: out->key[to++] = field_index(w, (uint32_t)in->key[i]); break;
            case COLUMN_CLASS:
                name = w->in->host->class_name ? w->in->host->class_name((uint32_t)in->key[i]) : NULL;
                out->key[to++] = string_index(w, name ? name : "?");
                break;
            case COLUMN_PARTNER:
                out->key[to++] = string_index(w,
                                              productionsites_partner_name((uint32_t)in->key[i - 2],
                                                                           (int32_t)(uint32_t)in->key[i - 1],
                                                                           in->key[i]));
                break;
            case COLUMN_WORD:
                while (c->words[words]) words++;
                out->key[to++] = string_index(w, in->key[i] < words ? c->words[in->key[i]] : "?");
                break;
            case COLUMN_STEP: out->key[to++] = step_index(w, in->key[i]); break;
            case COLUMN_PATH:
                out->key[to++] = in->key[i];
                out->key[to++] = path_index(w, in->key + i - 2);
                break;
            case COLUMN_BCI:
                bci = (int32_t)(uint32_t)in->key[i];
                out->key[to++] = format_zigzag(bci);
                out->key[to++] = format_zigzag(line_of(w, (uint32_t)in->key[i - 1], bci));
                break;
        }
    }
}

// `thread` is the thread's index in THRD + 1, or 0 for the sum of all.
static void put_data(Build *w, uint32_t analysis_number, const Analysis *a, size_t thread, const Table *rows) {
    Table translated = {.keep_empty = rows->keep_empty};
    TableRow row;
    table_reserve(&translated, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        translate(w, a, &rows->rows[i], &row);
        table_add(&translated, &row);
    }
    table_combine(&translated);
    Bytes b = {0};
    bytes_varint(&b, analysis_number);
    bytes_varint(&b, thread);
    bytes_varint(&b, translated.count);
    int keys = 0;
    for (const Column *c = a->columns; c->name; c++) keys += (int)places_of(c);
    for (size_t i = 0; i < translated.count; i++) {
        for (int k = 0; k < keys; k++) bytes_varint(&b, translated.rows[i].key[k]);
        bytes_varint(&b, translated.rows[i].count);
    }
    if (translated.failed) w->failed = true;
    table_free(&translated);
    put_chunk(w, "DATA", &b);
}

static void put_thread_rows(Build *w, uint32_t number, const Shown *s, size_t thread) {
    Table own;
    put_data(w, number, &s->as, thread + 1, rows_of(s, &w->in->threads[thread].tables[s->id], &own));
    if (own.failed) w->failed = true;
    table_free(&own);
}

// The table of the only thread that has rows, which needs no copy; NULL: several threads have rows.
static const Table *only_table(const WriterInput *in, int analysis) {
    static const Table none;
    const Table *only = &none;
    for (size_t i = 0; i < in->thread_count; i++) {
        const Table *t = &in->threads[i].tables[analysis];
        if (!t->count) continue;
        if (only != &none) return NULL;
        only = t;
    }
    return only;
}

// The times of the thread's samples, whose tree's nodes are the current ones.
static void put_thread_times(Build *w, uint32_t number, int id, size_t thread) {
    const Table *rows = &w->in->threads[thread].tables[id];
    uint32_t shift = timesamples_shift();
    Table times = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t *key = rows->rows[i].key;
        if (key[0] != TIMESAMPLES_TIMES) continue;
        const Node *node = nodes_find(&w->nodes, key[2]);
        if (node) table_add(&times, &(TableRow){.key = {key[1] >> shift, node->index}, .count = rows->rows[i].count});
    }
    table_combine(&times);
    w->failed |= times.failed;
    if (times.count) {
        uint64_t last = 0;
        bytes_varint(&w->times, number);
        bytes_varint(&w->times, thread);
        bytes_varint(&w->times, (uint64_t)TIMESLOTS_NS << shift);
        bytes_varint(&w->times, times.count);
        for (size_t i = 0; i < times.count; i++) {
            bytes_varint(&w->times, times.rows[i].key[0] - last);
            bytes_varint(&w->times, times.rows[i].key[1]);
            bytes_varint(&w->times, times.rows[i].count);
            last = times.rows[i].key[0];
        }
        w->time_count++;
    }
    table_free(&times);
}

static void put_analysis_data(Build *w, uint32_t number, const Shown *s) {
    Table merged = {0};
    const Table *all = only_table(w->in, s->id);
    if (!all) {
        for (size_t i = 0; i < w->in->thread_count; i++) table_add_all(&merged, &w->in->threads[i].tables[s->id]);
        table_combine(&merged);
        all = &merged;
    }
    Table own;
    all = rows_of(s, all, &own);
    nodes_free(&w->nodes);
    if (s->as.columns[0].kind == COLUMN_NODE && !nodes_take(&w->nodes, all)) w->failed = true;
    put_data(w, number, &s->as, 0, all);
    if (merged.failed || own.failed) w->failed = true;
    for (size_t i = 0; i < w->in->thread_count; i++) put_thread_rows(w, number, s, i);
    if (analysis_table[s->id]->timed && s->as.columns[0].kind == COLUMN_NODE)
        for (size_t i = 0; i < w->in->thread_count; i++) put_thread_times(w, number, s->id, i);
    table_free(&own);
    table_free(&merged);
}

// ---- the file ----------------------------------------------------------------------------------

// DATA follows the tables it refers to, but only writing it determines their strings and methods. It is therefore
// written to a separate buffer first.
static void put_all(Build *w) {
    bytes_put(&w->out, FORMAT_MAGIC, 8);
    bytes_fixed(&w->out, FORMAT_VERSION, 4);
    bytes_fixed(&w->out, 0, 4);
    Bytes b = {0};
    bytes_varint(&b, w->in->meta_count);
    for (size_t i = 0; i < w->in->meta_count; i++) {
        put_text(&b, w->in->meta[i].key);
        put_text(&b, w->in->meta[i].value);
    }
    put_chunk(w, "META", &b);
    Bytes head = w->out;
    w->out = (Bytes){0};
    uint32_t number = 0, section = 0;
    Shown s;
    for (int id = 0; next_shown(w->in, &id, &section, &s);) put_analysis_data(w, number++, &s);
    Bytes data = w->out;
    w->out = head;
    put_counted(w, "STRS", w->string_count, &w->strings);
    put_counted(w, "METH", w->method_count, &w->methods);
    put_counted(w, "FLDS", w->field_count, &w->fields);
    put_counted(w, "CLSS", w->class_count, &w->classes);
    put_threads(w);
    put_analyses(w);
    Bytes sections = {0};
    bytes_varint(&sections, w->in->sections->count);
    bytes_put(&sections, w->in->sections->data.data, w->in->sections->data.size);
    put_chunk(w, "SECT", &sections);
    bytes_put(&w->out, data.data, data.size);
    w->out.failed |= data.failed;
    free(data.data);
    put_counted(w, "TIME", w->time_count, &w->times);
    Bytes done = {0};
    bytes_varint(&done, w->chunk_count);
    put_chunk(w, "DONE", &done);
}

bool writer_build(const WriterInput *in, uint8_t **data, size_t *size) {
    Build w = {.in = in};
    put_all(&w);
    free(w.texts);
    nodes_free(&w.nodes);
    for (uint32_t i = 0; i < w.path_count; i++) free(w.paths[i].text);
    free(w.paths);
    for (uint32_t i = 0; i < w.step_capacity; i++) free(w.steps[i]);
    free(w.steps);
    hash_free(&w.path_index);
    hash_free(&w.text_index);
    for (uint32_t i = 0; i < w.type_name_count; i++) free(w.type_names[i]);
    free(w.type_names);
    free(w.allocated_index.of);
    free(w.method_index.of);
    free(w.class_seen.of);
    free(w.field_index.of);
    if (w.failed || w.out.failed) {
        free(w.out.data);
        return false;
    }
    *data = w.out.data;
    *size = w.out.size;
    return true;
}

// Another program may share the descriptor and have made it non-blocking.
static bool write_all(int fd, const uint8_t *data, size_t size) {
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1) >= 0) continue;
        if (n <= 0) return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

// Writes and closes; on failure errno says why.
static bool fill(int fd, const uint8_t *data, size_t size) {
    if (!write_all(fd, data, size)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return false;
    }
    return close(fd) == 0;
}

// The number N if `path` is /proc/self/fd/N under any name (/dev/fd/N, or the target of /dev/stdout); otherwise -1.
// Opening such a link opens the file of the descriptor, which may be a pipe or a file without a name that readlink
// cannot report.
static int own_descriptor(const char *path) {
    struct stat own, directory;
    const char *slash = strrchr(path, '/'), *number = slash ? slash + 1 : path;
    char *end, *parent = slash ? strndup(path, (size_t)(number - path)) : NULL;
    bool is = parent && stat(parent, &directory) == 0 && stat("/proc/self/fd", &own) == 0 &&
        directory.st_dev == own.st_dev && directory.st_ino == own.st_ino;
    long n = strtol(number, &end, 10);
    free(parent);
    return is && end != number && !*end && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

// The end of a chain of symbolic links, or the link of a descriptor, whether it exists or not: malloc'd, NULL with
// errno.
static char *follow_links(const char *path) {
    enum { MOST_LINKS = 40 };
    char *at = strdup(path), to[PATH_MAX];
    for (int links = 0; at; links++) {
        if (own_descriptor(at) >= 0) return at;
        ssize_t n = readlink(at, to, sizeof to - 1);
        if (n < 0) return at;  // no link, or missing: opening it will report the error
        to[n] = '\0';
        const char *slash = to[0] == '/' ? NULL : strrchr(at, '/');
        char *next = NULL;
        if (links < MOST_LINKS && asprintf(&next, "%.*s%s", slash ? (int)(slash + 1 - at) : 0, at, to) < 0) next = NULL;
        if (!next) errno = links < MOST_LINKS ? ENOMEM : ELOOP;
        free(at);
        at = next;
    }
    return NULL;
}

// Opens a new file beside `path`, with a malloc'd name. Tries several names, because another user with write access to
// the directory may have guessed one. -1 with errno.
static int open_temporary(const char *path, char **name) {
    enum { MOST_NAMES = 100 };
    int fd = -1;
    *name = NULL;
    for (int i = 0; i < MOST_NAMES && fd < 0; i++) {
        free(*name);
        if (asprintf(name, "%s.tmp%ld-%d", path, (long)getpid(), i) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) return -1;
    }
    return fd;
}

static bool store_renamed(const char *path, const uint8_t *data, size_t size) {
    char *temporary;
    int fd = open_temporary(path, &temporary);
    bool ok = fd >= 0 && fill(fd, data, size) && rename(temporary, path) == 0;
    int saved = errno;
    if (!ok && fd >= 0) unlink(temporary);
    free(temporary);
    errno = saved;
    return ok;
}

static bool can_store_renamed(const char *path) {
    char *temporary;
    int fd = open_temporary(path, &temporary), saved = errno;
    if (fd >= 0) {
        close(fd);
        unlink(temporary);
    }
    free(temporary);
    errno = saved;
    return fd >= 0;
}

static bool check(const char *target) {
    struct stat st;
    int descriptor = own_descriptor(target);
    if (descriptor >= 0) {
        int flags = fcntl(descriptor, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) errno = EBADF;
        return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    }
    bool there = stat(target, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return (!there || access(target, W_OK) == 0) && ((there && !S_ISREG(st.st_mode)) || can_store_renamed(target));
}

static bool store(const char *target, const uint8_t *data, size_t size) {
    struct stat st;
    int descriptor = own_descriptor(target);
    if (descriptor >= 0) {  // writes at its position; the descriptor stays open
        int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 && fill(fd, data, size);
    }
    bool special = stat(target, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    if (!special) return store_renamed(target, data, size);
    // Non-blocking open: a pipe without a reader is an error, not a hang.
    int fd = open(target, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    fcntl(fd, F_SETFL, O_WRONLY);
    return fill(fd, data, size);
}

bool writer_check(const char *path, char *error, size_t error_size) {
    char *target = follow_links(path);
    bool ok = target && check(target);
    if (!ok) snprintf(error, error_size, "%s", strerror(errno));
    free(target);
    return ok;
}

bool writer_store(const char *path, const uint8_t *data, size_t size, char *error, size_t error_size) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_pipe, old_size;
    sigaction(SIGPIPE, &ignore, &old_pipe);
    sigaction(SIGXFSZ, &ignore, &old_size);
    char *target = follow_links(path);
    bool ok = target && store(target, data, size);
    if (!ok) snprintf(error, error_size, "%s", strerror(errno));
    free(target);
    sigaction(SIGPIPE, &old_pipe, NULL);
    sigaction(SIGXFSZ, &old_size, NULL);
    return ok;
}
