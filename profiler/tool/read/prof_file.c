#include "profiler/tool/read/prof_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/grow.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_problem.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/import/prof_import.h"

enum { MAX_TEXT = 1 << 20 };
#define MAX_CHUNK ((uint64_t)4 << 30)
#define MAX_RATIO 1100  // zlib expands at most about 1030 times

// ---- memory with the lifetime of the file -------------------------------------------------------

struct ProfBlock {
    struct ProfBlock *next;
    _Alignas(16) char data[];
};

void *prof_keep(ProfFile *f, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX / 3;
    struct ProfBlock *b = prof_alloc(sizeof *b + bytes);
    b->next = f->blocks;
    f->blocks = b;
    return b->data;
}

// ---- the reader stops at the first problem ------------------------------------------------------

typedef struct Reader {
    ProfFile *f;
    uint8_t *buffer;  // the bytes of the file being read
    size_t capacity;
    size_t size, at;
    const uint8_t *p, *end;  // payload of the current chunk
    uint32_t chunk_count;
    uint64_t version;
    ProfTable *again;  // reading this thread's table again for its rows; NULL: reading the file
    ProfProblem problem;
} Reader;

static uint64_t fixed(const uint8_t *p, int size) {
    uint64_t v = 0;
    for (int i = size; i-- > 0;) v = v << 8 | p[i];
    return v;
}

static uint64_t varint(Reader *r) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->p == r->end) break;
        uint8_t byte = *r->p++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return v;
    }
    prof_wrong(&r->problem, "a number is cut off or too long");
    return 0;
}

// A count of items of at least `least` bytes each; fails if the rest of the chunk is too short for them.
static size_t count_of(Reader *r, const char *what, size_t least) {
    uint64_t n = varint(r);
    if (!r->problem.found && n > (uint64_t)(r->end - r->p) / least)
        prof_wrong(&r->problem, "%llu %s do not fit", (unsigned long long)n, what);
    return r->problem.found ? 0 : (size_t)n;
}

// Length of the UTF-8 sequence at `s`; 0: invalid.
static size_t sequence(const unsigned char *s, size_t left) {
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    if (!n || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

// Control characters confuse terminals and line formats; invalid UTF-8 confuses JSON and XML.
void prof_defuse(char *text, size_t length) {
    for (size_t i = 0, n; i < length; i += n) {
        n = sequence((unsigned char *)text + i, length - i);
        if (n == 0 || (unsigned char)text[i] < 0x20 || text[i] == 0x7f) text[i] = '?';
        bool c1 = n == 2 && (unsigned char)text[i] == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
        if (c1) text[i] = text[i + 1] = '?';
        if (n == 0) n = 1;
    }
}

char *prof_class_text(const uint8_t *text, size_t length) {
    char *out = prof_alloc(length + 1), *to = out;
    for (size_t i = 0; i < length;) {
        const uint8_t *p = text + i;
        bool pair = length - i >= 6 && p[0] == 0xed && (p[1] & 0xf0) == 0xa0 && (p[2] & 0xc0) == 0x80 && p[3] == 0xed &&
            (p[4] & 0xf0) == 0xb0 && (p[5] & 0xc0) == 0x80;
        if (!pair) {
            *to++ = (char)text[i++];
            continue;
        }
        // A surrogate pair in modified UTF-8 has three bytes for each half.
        uint32_t high = (p[1] & 0x0fu) << 6 | (p[2] & 0x3fu), low = (p[4] & 0x0fu) << 6 | (p[5] & 0x3fu);
        uint32_t c = 0x10000 + (high << 10 | low);
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
        i += 6;
    }
    prof_defuse(out, (size_t)(to - out));
    return out;
}

static const char *text(Reader *r) {
    size_t n = count_of(r, "bytes of text", 1);
    if (n > MAX_TEXT) prof_wrong(&r->problem, "a text of %zu bytes", n);
    if (r->problem.found) return "";
    char *copy = prof_keep(r->f, n + 1, 1);
    memcpy(copy, r->p, n);
    r->p += n;
    prof_defuse(copy, n);
    return copy;
}

static const char *string(Reader *r, const char *what) {
    uint64_t i = varint(r);
    if (!r->problem.found && i >= r->f->string_count) prof_wrong(&r->problem, "%s is no string of the file", what);
    return r->problem.found ? "" : r->f->strings[i];
}

// ---- chunks ------------------------------------------------------------------------------------

static void read_meta(Reader *r) {
    size_t n = count_of(r, "header lines", 2);
    r->f->meta = prof_keep(r->f, n, sizeof *r->f->meta);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        const char *key = text(r), *value = text(r);
        if (r->problem.found) return;
        r->f->meta[r->f->meta_count].key = key;
        r->f->meta[r->f->meta_count++].value = value;
    }
}

static void read_strings(Reader *r) {
    size_t n = count_of(r, "strings", 1);
    r->f->strings = prof_keep(r->f, n, sizeof *r->f->strings);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        r->f->strings[i] = text(r);
        if (!r->problem.found) r->f->string_count++;
    }
}

static const char *with_dots(ProfFile *f, const char *name) {
    size_t n = strlen(name);
    char *copy = prof_keep(f, n + 1, 1);
    for (size_t i = 0; i < n; i++) copy[i] = name[i] == '/' ? '.' : name[i];
    return copy;
}

static int by_parameters(const void *x, const void *y) {
    const ProfMethod *a = *(const ProfMethod *const *)x, *b = *(const ProfMethod *const *)y;
    size_t n = strcspn(a->desc, ")"), k = strcspn(b->desc, ")");
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->class_name, b->class_name);
    if (!order) order = strncmp(a->desc, b->desc, n < k ? n : k);
    return order ? order : n < k ? -1 : n > k;
}

static void read_methods(Reader *r) {
    size_t n = count_of(r, "methods", 5);
    r->f->methods = prof_keep(r->f, n, sizeof *r->f->methods);
    const char *raw = NULL, *dotted = NULL;
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfMethod m = {0};
        const char *class_name = string(r, "a class name");
        m.name = string(r, "a method name");
        m.desc = string(r, "a descriptor");
        uint64_t source = varint(r);
        if (source > r->f->string_count) prof_wrong(&r->problem, "a source file is no string of the file");
        m.flags = (uint32_t)varint(r);
        if (r->problem.found) return;
        if (class_name != raw) dotted = with_dots(r->f, raw = class_name);
        m.class_name = dotted;
        m.source = source ? r->f->strings[source - 1] : NULL;
        m.hash = prof_method_hash(&m);
        r->f->methods[r->f->method_count++] = m;
    }
    ProfMethod **sorted = prof_alloc(r->f->method_count * sizeof *sorted);
    for (size_t i = 0; i < r->f->method_count; i++) sorted[i] = &r->f->methods[i];
    if (r->f->method_count) qsort(sorted, r->f->method_count, sizeof *sorted, by_parameters);
    for (size_t i = 1; i < r->f->method_count; i++)
        if (by_parameters(&sorted[i - 1], &sorted[i]) == 0) sorted[i - 1]->twin = sorted[i]->twin = true;
    free(sorted);
}

static void read_fields(Reader *r) {
    size_t n = count_of(r, "fields", 4);
    r->f->fields = prof_keep(r->f, n, sizeof *r->f->fields);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfField field = {.class_name = string(r, "a class name")};
        field.name = string(r, "a field name");
        field.desc = string(r, "a descriptor");
        field.flags = (uint32_t)varint(r);
        if (r->problem.found) return;
        field.class_name = with_dots(r->f, field.class_name);
        r->f->fields[r->f->field_count++] = field;
    }
}

static void read_classes(Reader *r) {
    size_t n = count_of(r, "classes", 7);
    r->f->classes = prof_keep(r->f, n, sizeof *r->f->classes);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfClass c = {.name = string(r, "a class name")};
        if (!r->problem.found && r->end - r->p < 4) prof_wrong(&r->problem, "a checksum is cut off");
        if (r->problem.found) return;
        c.crc = (uint32_t)fixed(r->p, 4);
        r->p += 4;
        c.size = varint(r);
        uint64_t origin = varint(r);
        if (origin > r->f->string_count) prof_wrong(&r->problem, "an origin is no string of the file");
        if (r->problem.found) return;
        c.name = with_dots(r->f, c.name);
        c.origin = origin ? r->f->strings[origin - 1] : NULL;
        r->f->classes[r->f->class_count++] = c;
    }
    if (r->f->class_count) qsort(r->f->classes, r->f->class_count, sizeof *r->f->classes, prof_by_text);
}

static void read_threads(Reader *r) {
    size_t n = count_of(r, "threads", 5);
    r->f->threads = prof_keep(r->f, n, sizeof *r->f->threads);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfThread t = {.id = varint(r)};
        t.name = text(r);
        t.flags = (uint32_t)varint(r);
        t.stands_for = varint(r);
        size_t events = count_of(r, "event counts", 1);
        for (size_t e = 0; e < events; e++) t.produced += varint(r);
        if (!r->problem.found) r->f->threads[r->f->thread_count++] = t;
    }
}

static void read_columns(Reader *r, ProfAnalysis *a) {
    size_t n = count_of(r, "columns", 2);
    if (n > FORMAT_MAX_COLUMNS || !n) prof_wrong(&r->problem, "an analysis with %zu columns", n);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        a->columns[i].name = text(r);
        a->columns[i].kind = (uint32_t)varint(r);
        if (a->columns[i].kind < FORMAT_COLUMN_METHOD || a->columns[i].kind > FORMAT_COLUMN_LAST)
            prof_wrong(&r->problem, "a column of unknown kind %u", a->columns[i].kind);
        a->column_count = (uint32_t)i + 1;
    }
    for (uint32_t i = 0; i < a->column_count && !r->problem.found; i++)
        if ((a->columns[i].kind == FORMAT_COLUMN_NODE) != (i < 2 && prof_is_tree(a)))
            prof_wrong(&r->problem, "an analysis has nodes, but not a node and its parent in front");
}

static void read_analyses(Reader *r) {
    size_t n = count_of(r, "analyses", 6);
    r->f->analyses = prof_keep(r->f, n, sizeof *r->f->analyses);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfAnalysis a = {.name = text(r)};
        a.event = text(r);
        a.produced = varint(r);
        a.recorded = varint(r);
        a.lost = varint(r);
        read_columns(r, &a);
        if (r->problem.found) return;
        a.threads = prof_keep(r->f, r->f->thread_count, sizeof *a.threads);
        r->f->analyses[r->f->analysis_count++] = a;
    }
}

// ---- sections ----

static Histogram *read_histogram(Reader *r) {
    Histogram *h = prof_keep(r->f, 1, sizeof *h);
    h->count = varint(r);
    h->sum = varint(r);
    h->least = varint(r);
    h->largest = varint(r);
    h->lost = (uint32_t)varint(r);
    size_t n = count_of(r, "buckets", 2);
    h->buckets = prof_keep(r->f, n, sizeof *h->buckets);
    for (; h->used < n && !r->problem.found; h->used++) {
        uint64_t bucket = varint(r), count = varint(r);
        bool order = h->used == 0 || bucket > h->buckets[h->used - 1].bucket;
        if (!r->problem.found && (bucket > histogram_bucket(UINT64_MAX) || count > UINT32_MAX || !order))
            prof_wrong(&r->problem, "a bucket that cannot be");
        h->buckets[h->used] = (HistogramBucket){(uint32_t)bucket, (uint32_t)count};
    }
    return h;
}

static ProfCell read_section_cell(Reader *r, SectionKind kind) {
    ProfCell c = {.text = ""};
    switch (kind) {
        case SECTION_TEXT:
        case SECTION_NOTE: c.text = text(r); break;
        case SECTION_HISTOGRAM:
        case SECTION_SAMPLED: c.histogram = read_histogram(r); break;
        case SECTION_STACK:
            c.number = count_of(r, "frames", 1);
            c.frames = prof_keep(r->f, c.number, sizeof *c.frames);
            for (uint64_t i = 0; i < c.number; i++) c.frames[i] = text(r);
            break;
        case SECTION_SERIES:
            c.number = count_of(r, "numbers", 1);
            c.series = prof_keep(r->f, c.number, sizeof *c.series);
            for (uint64_t i = 0; i < c.number; i++) c.series[i] = varint(r);
            break;
        case SECTION_NUMBER:
        case SECTION_VARYING:
        case SECTION_NS:
        case SECTION_PERMILLE: c.number = varint(r); break;
    }
    return c;
}

static void read_section_columns(Reader *r, ProfSection *s) {
    size_t n = count_of(r, "columns", 2);
    if (!r->problem.found && (n == 0 || n > SECTION_COLUMNS)) prof_wrong(&r->problem, "a section with %zu columns", n);
    for (; s->column_count < n && !r->problem.found; s->column_count++) {
        const char *name = text(r);
        uint64_t kind = varint(r);
        if (!r->problem.found && (kind < SECTION_TEXT || kind > SECTION_SAMPLED))
            prof_wrong(&r->problem, "a column of unknown kind %llu", (unsigned long long)kind);
        s->columns[s->column_count].name = name;
        s->columns[s->column_count].kind = (SectionKind)kind;
    }
}

// Rows grow in temporary memory and are then copied into the file's.
static void read_section_rows(Reader *r, ProfSection *s) {
    ProfCell *cells = NULL;
    size_t capacity = 0;
    for (uint64_t more; !r->problem.found && (more = varint(r)) != 0; s->rows++) {
        if (more != 1) prof_wrong(&r->problem, "a row that cannot be");
        if (!GROW(cells, capacity, (s->rows + 1) * s->column_count)) prof_out_of_memory();
        for (uint32_t c = 0; c < s->column_count && !r->problem.found; c++)
            cells[s->rows * s->column_count + c] = read_section_cell(r, s->columns[c].kind);
        if (r->problem.found) break;
    }
    s->cells = prof_keep(r->f, s->rows * s->column_count, sizeof *cells);
    if (s->rows) memcpy(s->cells, cells, s->rows * s->column_count * sizeof *cells);
    free(cells);
}

static void read_sections(Reader *r) {
    size_t n = count_of(r, "sections", 5);
    r->f->sections = prof_keep(r->f, n, sizeof *r->f->sections);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        ProfSection s = {.analysis = text(r)};
        s.name = text(r);
        s.title = text(r);
        read_section_columns(r, &s);
        if (!r->problem.found) read_section_rows(r, &s);
        if (!r->problem.found) r->f->sections[r->f->section_count++] = s;
    }
}

static uint64_t cell(Reader *r, uint32_t kind) {
    uint64_t v = varint(r);
    if (kind == FORMAT_COLUMN_SIGNED) return (uint64_t)format_unzigzag(v);
    size_t limit = kind == FORMAT_COLUMN_METHOD ? r->f->method_count
        : kind == FORMAT_COLUMN_FIELD           ? r->f->field_count
        : kind == FORMAT_COLUMN_WORD            ? r->f->string_count
                                                : SIZE_MAX;
    if (limit != SIZE_MAX && !r->problem.found && v >= limit)
        prof_wrong(&r->problem, "%llu is no %s of the file", (unsigned long long)v,
                   kind == FORMAT_COLUMN_METHOD      ? "method"
                       : kind == FORMAT_COLUMN_FIELD ? "field"
                                                     : "word");
    return v;
}

// ---- trees ---------------------------------------------------------------------------------------

// Replaces the node numbers of the file by hashes of the steps from the root, which are the same in every file. Rows
// are sorted by number, parents before their children, and a subtree before its next sibling.
static void name_nodes(Reader *r, const ProfAnalysis *a, ProfTable *t, bool named) {
    struct Level {
        uint64_t number, name;
    } *way = NULL;
    size_t depth = 0, room = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < t->rows && !r->problem.found; i++) {
        const uint64_t *row = prof_row(a, t, i);
        uint64_t number = row[0], parent = row[1];
        while (depth > 0 && way[depth - 1].number != parent) depth--;
        if (number <= last)
            prof_wrong(&r->problem, "node %llu does not follow node %llu", (unsigned long long)number,
                       (unsigned long long)last);
        else if (depth == 0 && parent)
            prof_wrong(&r->problem, "node %llu is not below node %llu", (unsigned long long)number,
                       (unsigned long long)parent);
        if (!GROW(way, room, depth + 1)) prof_out_of_memory();
        last = number;
        uint64_t above = depth ? way[depth - 1].name : 0, name = named ? prof_step_hash(r->f, a, row, above) : 0;
        prof_set_cell(t, i, 1, above);
        prof_set_cell(t, i, 0, name);
        way[depth++] = (struct Level){number, name};
    }
    free(way);
}

// Checks the rows and determines their column widths.
static void scan_rows(Reader *r, const ProfAnalysis *a, ProfTable *t, size_t rows) {
    for (uint32_t c = 0; c < a->column_count; c++) t->wide |= (a->columns[c].kind == FORMAT_COLUMN_NODE ? 1u : 0) << c;
    for (; t->rows < rows && !r->problem.found; t->rows++) {
        for (uint32_t c = 0; c < a->column_count; c++) {
            uint32_t kind = a->columns[c].kind;
            uint64_t value = cell(r, kind);
            bool wide = kind == FORMAT_COLUMN_SIGNED ? (int64_t)value != (int32_t)value : value > UINT32_MAX;
            if (wide) t->wide |= 1u << c;
        }
        uint64_t count = varint(r);
        if (count > UINT32_MAX) t->wide |= 1u << a->column_count;
        t->total += count;
    }
    for (uint32_t c = 0; c <= a->column_count; c++) {
        t->offset[c] = t->stride;
        t->stride = (uint8_t)(t->stride + (t->wide >> c & 1 ? 8 : 4));
    }
}

// Reads the rows again, which were checked before, except for node numbers. Nodes are named only if the rows are
// needed.
static void pack_rows(Reader *r, const ProfAnalysis *a, ProfTable *t, bool named) {
    for (size_t i = 0; i < t->rows; i++)
        for (uint32_t c = 0; c <= a->column_count; c++)
            prof_set_cell(t, i, (int)c, c < a->column_count ? cell(r, a->columns[c].kind) : varint(r));
    if (prof_is_tree(a)) name_nodes(r, a, t, named);
}

static void read_data(Reader *r) {
    uint64_t analysis = varint(r), thread = varint(r);
    if (!r->problem.found && analysis >= r->f->analysis_count) prof_wrong(&r->problem, "no such analysis");
    if (!r->problem.found && thread > r->f->thread_count) prof_wrong(&r->problem, "no such thread");
    if (r->problem.found) return;
    ProfAnalysis *a = &r->f->analyses[analysis];
    ProfTable t = {.present = true, .at = r->at};
    size_t rows = count_of(r, "rows", a->column_count + 1u);
    if (rows > UINT32_MAX - 1) prof_wrong(&r->problem, "too many rows");
    const uint8_t *first = r->p, *end;
    scan_rows(r, a, &t, rows);
    if (r->again) {
        bool same = !r->problem.found && t.rows == r->again->rows && t.wide == r->again->wide;
        end = r->p;
        r->p = first;
        if (same) pack_rows(r, a, r->again, true);
        else prof_wrong(&r->problem, "other rows");
        r->p = end;
        return;
    }
    end = r->p;
    if (!r->problem.found && end != r->end) prof_wrong(&r->problem, "%zu bytes too many", (size_t)(r->end - end));
    ProfTable *to = thread ? &a->threads[thread - 1] : &a->merged;
    if (to->present) prof_wrong(&r->problem, "these rows are in the file already");
    if (r->problem.found) return;
    if (!thread || prof_is_tree(a)) {
        t.cells = thread ? prof_alloc(t.rows * t.stride) : prof_keep(r->f, t.rows, t.stride);
        r->p = first;
        pack_rows(r, a, &t, !thread);
        r->p = end;
    }
    if (thread) prof_table_free(&t);
    if (!r->problem.found) *to = t;
}

// A node is the place of its row in the analysis's sum, counted from 1.
static void read_thread_times(Reader *r) {
    ProfTimes t = {.analysis = (uint32_t)varint(r), .thread = (uint32_t)varint(r), .slot_ns = varint(r)};
    t.row_count = count_of(r, "times", 3);
    bool valid = t.analysis < r->f->analysis_count && t.thread < r->f->thread_count && t.slot_ns &&
        prof_is_tree(&r->f->analyses[t.analysis]);
    if (!r->problem.found && !valid) prof_wrong(&r->problem, "times of no tree or no thread of the file");
    if (r->problem.found) return;
    size_t nodes = r->f->analyses[t.analysis].merged.rows;
    uint64_t slot = 0;
    t.rows = prof_keep(r->f, t.row_count, sizeof *t.rows);
    for (size_t i = 0; i < t.row_count && !r->problem.found; i++) {
        uint64_t later = varint(r), node = varint(r), count = varint(r);
        bool fits = later <= UINT32_MAX && (slot += later) <= UINT32_MAX && node > 0 && node <= nodes &&
            count <= UINT32_MAX;
        if (!r->problem.found && !fits) prof_wrong(&r->problem, "a time that cannot be");
        t.rows[i] = (ProfTimeRow){(uint32_t)slot, (uint32_t)node - 1, (uint32_t)count};
    }
    if (!r->problem.found) r->f->times[r->f->time_count++] = t;
}

static void read_times(Reader *r) {
    size_t n = count_of(r, "lists of times", 4);
    r->f->times = prof_keep(r->f, n, sizeof *r->f->times);
    for (size_t i = 0; i < n && !r->problem.found; i++) read_thread_times(r);
}

static void read_done(Reader *r) {
    uint64_t n = varint(r);
    if (!r->problem.found && n != r->chunk_count)
        prof_wrong(&r->problem, "%u chunks where %llu were written", r->chunk_count, (unsigned long long)n);
    r->f->complete = !r->problem.found;
}

enum ChunkId {
#define CHUNK_ID(name) CHUNK_##name,
    FORMAT_CHUNKS(CHUNK_ID) CHUNK_COUNT
};

static const struct ChunkReader {
    const char *type;
    void (*read)(Reader *r);
} chunk_readers[CHUNK_COUNT] = {
    [CHUNK_META] = {"META", read_meta},     [CHUNK_STRS] = {"STRS", read_strings},
    [CHUNK_METH] = {"METH", read_methods},  [CHUNK_FLDS] = {"FLDS", read_fields},
    [CHUNK_CLSS] = {"CLSS", read_classes},  [CHUNK_THRD] = {"THRD", read_threads},
    [CHUNK_ANLS] = {"ANLS", read_analyses}, [CHUNK_SECT] = {"SECT", read_sections},
    [CHUNK_DATA] = {"DATA", read_data},     [CHUNK_TIME] = {"TIME", read_times},
    [CHUNK_DONE] = {"DONE", read_done},
};

static uint8_t *inflate_chunk(Reader *r, const uint8_t *stored, uint64_t stored_size, uint64_t size) {
    if (size > MAX_CHUNK || size > stored_size * MAX_RATIO + 64) {
        prof_wrong(&r->problem, "a length of %llu bytes cannot be", (unsigned long long)size);
        return NULL;
    }
    uint8_t *out = prof_alloc(size);
    uLongf got = size;
    if (uncompress(out, &got, stored, stored_size) == Z_OK && got == size) return out;
    prof_wrong(&r->problem, "does not decompress");
    free(out);
    return NULL;
}

static void parse_payload(Reader *r, const uint8_t *payload, uint64_t size, uint32_t id) {
    r->p = payload;
    r->end = payload + size;
    chunk_readers[id].read(r);
    if (!r->problem.found && r->p != r->end) prof_wrong(&r->problem, "%zu bytes too many", (size_t)(r->end - r->p));
}

// Index in chunk_readers, at least `last`: chunks come in order and only DATA repeats.
static int chunk_id(Reader *r, const uint8_t *type, int last) {
    for (int i = 0; i < CHUNK_COUNT; i++) {
        if (memcmp(type, chunk_readers[i].type, 4) != 0) continue;
        bool absent = i == CHUNK_THRD ? last == CHUNK_FLDS && r->version == FORMAT_WITHOUT_CLASSES
                                      : i > CHUNK_DATA && last >= CHUNK_SECT && last < i;
        bool fits = (i == last + 1 || absent || (i == CHUNK_DATA && last == CHUNK_DATA)) &&
            !(i == CHUNK_TIME && r->version <= FORMAT_WITHOUT_TIMES);
        if (fits) return i;
        prof_wrong(&r->problem, "chunks in the wrong order");
        return -1;
    }
    prof_wrong(&r->problem, "unknown kind of chunk");
    return -1;
}

// Bytes of the file, valid until the next call; NULL: they cannot be read, or no longer exist.
static const uint8_t *bytes_of(Reader *r, size_t at, size_t size) {
    if (r->f->memory) return r->f->memory + at;
    size_t n = 0;
    if (!GROW(r->buffer, r->capacity, size)) prof_out_of_memory();
    for (ssize_t got = 1; n < size && got > 0; n += got > 0 ? (size_t)got : 0) {
        got = pread(r->f->fd, r->buffer + n, size - n, (off_t)(at + n));
        if (got < 0 && errno == EINTR) got = 1, n--;
    }
    if (n < size) prof_wrong(&r->problem, "it cannot be read: %s", errno ? strerror(errno) : "it has become shorter");
    return n < size ? NULL : r->buffer;
}

static int read_chunk(Reader *r, int last) {
    size_t left = r->size - r->at;
    r->problem.where[0] = '\0';
    if (left == 0) return prof_wrong(&r->problem, "the file ends without its last chunk"), -1;
    if (left < FORMAT_CHUNK_HEADER)
        return prof_wrong(&r->problem, "cut off at byte %zu, inside a chunk's header", r->size), -1;
    uint8_t h[FORMAT_CHUNK_HEADER];
    const uint8_t *head = bytes_of(r, r->at, sizeof h);
    if (!head) return -1;
    memcpy(h, head, sizeof h);
    if (crc32_z(0, h, 28) != fixed(h + 28, 4))
        return prof_wrong(&r->problem, "damaged: header of the chunk at byte %zu", r->at), -1;
    char chunk[5] = "";
    memcpy(chunk, h, 4);
    prof_defuse(chunk, 4);
    snprintf(r->problem.where, sizeof r->problem.where, "%s chunk at byte %zu", chunk, r->at);
    uint32_t flags = (uint32_t)fixed(h + 4, 4);
    uint64_t stored = fixed(h + 8, 8), size = fixed(h + 16, 8);
    if (stored > left - FORMAT_CHUNK_HEADER)
        return prof_wrong(&r->problem, "cut off: needs %llu bytes, %zu are left", (unsigned long long)stored,
                          left - FORMAT_CHUNK_HEADER),
               -1;
    const uint8_t *payload = bytes_of(r, r->at + FORMAT_CHUNK_HEADER, stored);
    if (!payload) return -1;
    if (crc32_z(0, payload, stored) != fixed(h + 24, 4))
        return prof_wrong(&r->problem, "damaged: checksum differs"), -1;
    int id = chunk_id(r, h, last);
    if (id < 0) return -1;
    if (flags & ~(uint32_t)FORMAT_DEFLATED) return prof_wrong(&r->problem, "unknown flags"), -1;
    if (!(flags & FORMAT_DEFLATED)) {
        if (size != stored) return prof_wrong(&r->problem, "lengths differ"), -1;
        parse_payload(r, payload, size, (uint32_t)id);
    } else {
        uint8_t *inflated = inflate_chunk(r, payload, stored, size);
        if (inflated) parse_payload(r, inflated, size, (uint32_t)id);
        free(inflated);
    }
    r->at += FORMAT_CHUNK_HEADER + stored;
    r->chunk_count++;
    return r->problem.found ? -1 : id;
}

static void read_all(Reader *r) {
    const uint8_t *header = r->size < FORMAT_HEADER ? NULL : bytes_of(r, 0, FORMAT_HEADER);
    if (r->problem.found) return;
    if (!header || memcmp(header, FORMAT_MAGIC, 8) != 0) {
        prof_wrong(&r->problem, r->size ? "not a cabernet profile" : "an empty file");
        return;
    }
    uint64_t version = fixed(header + 8, 4);
    if (version < FORMAT_WITHOUT_CLASSES || version > FORMAT_VERSION) {
        prof_wrong(&r->problem, "format version %llu; this program reads versions %d to %d",
                   (unsigned long long)version, FORMAT_WITHOUT_CLASSES, FORMAT_VERSION);
        return;
    }
    r->version = version;
    r->at = FORMAT_HEADER;
    int last = -1;
    do {
        last = read_chunk(r, last);
        if (r->at < r->size) prof_progress(r->f->path, r->at, r->size);
    } while (last >= 0 && last != CHUNK_DONE);
    prof_progress(r->f->path, r->size, r->size);
    r->problem.where[0] = '\0';
    if (!r->problem.found && r->at != r->size) {
        prof_wrong(&r->problem, "%zu bytes too many at the end", r->size - r->at);
        r->f->complete = false;
    }
}

uint8_t *prof_load(const char *path, size_t *size, char *problem, size_t problem_size) {
    FILE *in = fopen(path, "rb");
    struct stat st;
    if (!in || fstat(fileno(in), &st) != 0) {
        snprintf(problem, problem_size, "%s", strerror(errno));
        if (in) fclose(in);
        return NULL;
    }
    size_t capacity = st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16, n = 0;
    uint8_t *data = prof_alloc(capacity);
    for (;;) {
        size_t got = fread(data + n, 1, capacity - n, in);
        n += got;
        if (!got) break;
        if (!GROW(data, capacity, n + 1)) prof_out_of_memory();
    }
    bool bad = ferror(in);
    if (bad) snprintf(problem, problem_size, "%s", strerror(errno));
    fclose(in);
    *size = n;
    if (!bad) return data;
    free(data);
    return NULL;
}

// A profile is read in pieces; other files are loaded whole.
static bool open_pieces(ProfFile *f) {
    struct stat st;
    char magic[8];
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd >= 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) &&
        pread(f->fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, FORMAT_MAGIC, sizeof magic) == 0) {
        f->size = (size_t)st.st_size;
        return f->opened = true;
    }
    if (f->fd >= 0) close(f->fd);
    return false;
}

void prof_file_open(ProfFile *f, const char *path) {
    *f = (ProfFile){.path = path};
    if (!open_pieces(f)) f->memory = prof_load(path, &f->size, f->problem, sizeof f->problem);
    if (f->memory && prof_can_import(f->memory, f->size)) {
        uint8_t *imported = prof_import(f->memory, f->size, &f->size, f->problem, sizeof f->problem);
        free(f->memory);
        f->memory = imported;
    }
    if (!f->memory && !f->opened) return;
    Reader r = {.f = f, .size = f->size, .problem = {.text = f->problem, .size = sizeof f->problem}};
    read_all(&r);
    free(r.buffer);
}

ProfTable prof_thread_table(const ProfFile *f, const ProfAnalysis *a, size_t thread) {
    ProfFile copy = *f;  // owns separate texts and a separate problem
    char problem[256] = "";
    ProfTable t = a->threads[thread];
    if (!t.present) return t;
    Reader r = {.f = &copy, .size = f->size, .at = t.at, .problem = {.text = problem, .size = sizeof problem}};
    t.cells = prof_alloc(t.rows * t.stride);
    r.again = &t;
    if (read_chunk(&r, CHUNK_DATA) < 0) {
        fprintf(stderr, "cabernet-prof: %s has changed while it was read: %s\n", f->path, problem);
        exit(2);
    }
    free(r.buffer);
    return t;
}

void prof_table_free(ProfTable *t) {
    free(t->cells);
    t->cells = NULL;
}

void prof_file_close(ProfFile *f) {
    free(f->memory);
    f->memory = NULL;
    if (f->opened) close(f->fd);
    f->opened = false;
    while (f->blocks) {
        struct ProfBlock *next = f->blocks->next;
        free(f->blocks);
        f->blocks = next;
    }
}
