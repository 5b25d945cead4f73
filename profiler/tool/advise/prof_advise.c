// `cabernet-prof advise`: writes what a profile tells a later run as an advice file (docs/FORMATS.md). Every line is a
// pure function of the profile, and lines are sorted, so equal profiles give equal advice.
//
// Names are the stable names of the compiler's plans. A class that its name alone does not identify (a hidden class,
// one of several classes with the same name) is left out.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profiler/tool/advise/prof_advise.h"
#include "profiler/tool/advise/prof_layout.h"
#include "profiler/tool/advise/prof_recording.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"

// Counts below 1/RARE of all accesses or calls get no line.
enum { RARE = 20000, MOST_FIELDS = 400 };

// ---- names -------------------------------------------------------------------------------------

static bool is_lasting(const char *class_name) { return *class_name && !strpbrk(class_name, "/@"); }

static void put_class(Text *t, const char *class_name) {
    size_t from = t->length;
    text_put_escaped(t, class_name, strlen(class_name), "#~");
    for (size_t i = from; i < t->length; i++)
        if (t->at[i] == '.') t->at[i] = '/';
}

static void put_member(Text *t, const char *name, const char *between, const char *desc) {
    text_put_escaped(t, name, strlen(name), "(:");
    text_put_string(t, between);
    text_put_escaped(t, desc, strlen(desc), "");
}

static void put_method(Text *t, const ProfMethod *m) {
    put_class(t, m->class_name);
    text_put_char(t, '.');
    put_member(t, m->name, "", m->desc);
}

static bool is_named(const ProfMethod *m) {
    return is_lasting(m->class_name) && *m->desc && !(m->flags & (FORMAT_METHOD_PSEUDO | FORMAT_METHOD_UNKNOWN));
}

// ---- lines -------------------------------------------------------------------------------------

typedef struct Lines {
    char **at;
    size_t count, room;
} Lines;

static void add_line(Lines *l, Text *t) {
    GROW_OR_EXIT(l->at, l->room, l->count + 1);
    l->at[l->count++] = t->at;
    *t = (Text){0};
}

// ---- layouts -----------------------------------------------------------------------------------

// How often the instructions of a method access a field.
typedef struct Access {
    uint32_t method, field;
    uint64_t count;
} Access;

typedef struct Accesses {
    uint64_t *by_field;  // over all methods
    Access *rows;        // by method and field; each pair once
    size_t count;
} Accesses;

static int by_method_and_field(const void *x, const void *y) {
    const Access *a = x, *b = y;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    return (a->field > b->field) - (a->field < b->field);
}

static void sum_equal(Accesses *a) {
    size_t n = 0;
    if (a->count) qsort(a->rows, a->count, sizeof *a->rows, by_method_and_field);
    for (size_t i = 0; i < a->count; i++) {
        if (n > 0 && by_method_and_field(&a->rows[n - 1], &a->rows[i]) == 0) a->rows[n - 1].count += a->rows[i].count;
        else a->rows[n++] = a->rows[i];
    }
    a->count = n;
}

// From field-access; without it, the totals of field-site.
static Accesses read_accesses(const ProfFile *f) {
    const ProfAnalysis *fields = prof_analysis(f, "field-access"), *sites = prof_analysis(f, "field-site");
    Accesses a = {.by_field = prof_alloc((f->field_count + 1) * sizeof *a.by_field)};
    const ProfAnalysis *counts = fields ? fields : sites;
    int column = counts ? prof_column(counts, "field") : -1;
    for (size_t r = 0; column >= 0 && r < counts->merged.rows; r++) {
        const uint64_t *row = prof_row(counts, &counts->merged, r);
        a.by_field[row[column]] += prof_row_count(counts, row);
    }
    int field = sites ? prof_column(sites, "field") : -1, method = sites ? prof_column(sites, "method") : -1;
    if (field < 0 || method < 0) return a;
    a.rows = prof_alloc((sites->merged.rows + 1) * sizeof *a.rows);
    for (size_t r = 0; r < sites->merged.rows; r++) {
        const uint64_t *row = prof_row(sites, &sites->merged, r);
        a.rows[a.count++] = (Access){(uint32_t)row[method], (uint32_t)row[field], prof_row_count(sites, row)};
    }
    sum_equal(&a);
    return a;
}

// The instance fields of a class that were accessed, by name.
typedef struct ClassFields {
    uint32_t fields[MOST_FIELDS];
    size_t count;
} ClassFields;

enum { STATIC = 0x0008 };

static size_t index_in(const ClassFields *c, uint32_t field) {
    size_t i = 0;
    while (i < c->count && c->fields[i] != field) i++;
    return i;
}

// For each pair of fields: an upper bound of how often one method accessed both, summed over methods.
static void find_together(const Accesses *a, const ClassFields *c, uint64_t *together) {
    for (size_t i = 0; i < a->count; i++) {
        size_t x = index_in(c, a->rows[i].field);
        for (size_t k = i + 1; x < c->count && k < a->count && a->rows[k].method == a->rows[i].method; k++) {
            size_t y = index_in(c, a->rows[k].field);
            uint64_t both = a->rows[i].count < a->rows[k].count ? a->rows[i].count : a->rows[k].count;
            if (y == c->count) continue;
            together[x * c->count + y] += both;
            together[y * c->count + x] += both;
        }
    }
}

static void add_layout(const ProfFile *f, const Accesses *a, const ClassFields *c, Lines *lines) {
    LayoutUse uses[MOST_FIELDS];
    size_t order[MOST_FIELDS];
    uint64_t *together = prof_alloc(c->count * c->count * sizeof *together);
    for (size_t i = 0; i < c->count; i++) {
        char type = *f->fields[c->fields[i]].desc;
        uint32_t bytes = memchr("ZB", type, 2) ? 1 : memchr("CS", type, 2) ? 2 : memchr("IF", type, 2) ? 4 : 8;
        uses[i] = (LayoutUse){a->by_field[c->fields[i]], bytes};
    }
    find_together(a, c, together);
    size_t count = prof_layout_order(uses, together, c->count, order);
    free(together);
    Text t = {0};
    text_put_string(&t, "layout ");
    put_class(&t, f->fields[c->fields[0]].class_name);
    for (size_t i = 0; i < count; i++) {
        const ProfField *field = &f->fields[c->fields[order[i]]];
        text_put_char(&t, ' ');
        put_member(&t, field->name, ":", field->desc);
    }
    add_line(lines, &t);
}

typedef struct Sorting {
    const ProfFile *file;
    uint32_t field;
} Sorting;

static int by_class_and_name(const void *x, const void *y) {
    const ProfField *a = &((const Sorting *)x)->file->fields[((const Sorting *)x)->field];
    const ProfField *b = &((const Sorting *)y)->file->fields[((const Sorting *)y)->field];
    int order = strcmp(a->class_name, b->class_name);
    if (!order) order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->desc, b->desc);
}

static void add_layouts(const ProfFile *f, Lines *lines) {
    Accesses a = read_accesses(f);
    Sorting *sorted = prof_alloc((f->field_count + 1) * sizeof *sorted);
    size_t n = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < f->field_count; i++) {
        const ProfField *field = &f->fields[i];
        total += a.by_field[i];
        bool of_instances = !(field->flags & (STATIC | FORMAT_METHOD_UNKNOWN)) && is_lasting(field->class_name);
        if (a.by_field[i] && of_instances) sorted[n++] = (Sorting){f, i};
    }
    if (n) qsort(sorted, n, sizeof *sorted, by_class_and_name);
    for (size_t i = 0, end; i < n; i = end) {
        ClassFields c = {.count = 0};
        uint64_t sum = 0;
        const char *name = f->fields[sorted[i].field].class_name;
        for (end = i; end < n && strcmp(f->fields[sorted[end].field].class_name, name) == 0; end++) {
            sum += a.by_field[sorted[end].field];
            if (c.count < MOST_FIELDS) c.fields[c.count++] = sorted[end].field;
        }
        if (sum >= total / RARE) add_layout(f, &a, &c, lines);
    }
    free(sorted);
    free(a.by_field);
    free(a.rows);
}

// ---- calls and receivers -------------------------------------------------------------------------

// The key of a call is its line without the count.
static void add_edges(const ProfFile *f, Lines *lines) {
    const ProfAnalysis *a = prof_analysis(f, "call-edge");
    int caller = a ? prof_column(a, "caller") : -1, bci = a ? prof_column(a, "bci") : -1,
        callee = a ? prof_column(a, "callee") : -1;
    if (caller < 0 || bci < 0 || callee < 0) return;
    uint64_t total = a->merged.total;
    for (size_t r = 0; r < a->merged.rows; r++) {
        const uint64_t *row = prof_row(a, &a->merged, r);
        const ProfMethod *from = &f->methods[row[caller]], *to = &f->methods[row[callee]];
        if ((int64_t)row[bci] < 0 || prof_row_count(a, row) < total / RARE || !is_named(from) || !is_named(to))
            continue;
        Text t = {0};
        char numbers[64];
        text_put_string(&t, "edge ");
        put_method(&t, from);
        snprintf(numbers, sizeof numbers, " %lld count=%llu ", (long long)row[bci],
                 (unsigned long long)prof_row_count(a, row));
        text_put_string(&t, numbers);
        put_method(&t, to);
        add_line(lines, &t);
    }
}

// Words in internal form.
static void add_receivers(const ProfFile *f, Lines *lines) {
    const ProfAnalysis *a = prof_analysis(f, "receiver");
    int method = a ? prof_column(a, "method") : -1, bci = a ? prof_column(a, "bci") : -1,
        cls = a ? prof_column(a, "class") : -1;
    if (method < 0 || bci < 0 || cls < 0) return;
    uint64_t total = a->merged.total;
    for (size_t r = 0; r < a->merged.rows; r++) {
        const uint64_t *row = prof_row(a, &a->merged, r);
        const ProfMethod *in = &f->methods[row[method]];
        const char *name = f->strings[row[cls]];
        if ((int64_t)row[bci] < 0 || prof_row_count(a, row) < total / RARE || !is_named(in) || strpbrk(name, ".@["))
            continue;
        Text t = {0};
        char numbers[64];
        text_put_string(&t, "receiver ");
        put_method(&t, in);
        snprintf(numbers, sizeof numbers, " %lld count=%llu ", (long long)row[bci],
                 (unsigned long long)prof_row_count(a, row));
        text_put_string(&t, numbers);
        text_put_escaped(&t, name, strlen(name), "#~");
        add_line(lines, &t);
    }
}

// The header, how the profile was sampled, the VM that wrote it, the number of calls.
static void print_head(const ProfFile *f, FILE *out) {
    const char *name = prof_meta(f, "vm", "?"), *library = prof_meta(f, "jdk", NULL);
    const ProfAnalysis *a = prof_analysis(f, "call-edge");
    Text t = {0};
    text_put_string(&t, "vm ");
    text_put_escaped(&t, name, strlen(name), "");
    text_put_string(&t, library ? " library=" : "");
    if (library) text_put_escaped(&t, library, strlen(library), "");
    fprintf(out, PROF_ADVICE_HEADER "\n# sampling %s\n", prof_meta(f, "sampling", "?"));
    fprintf(out, "%.*s\n", (int)t.length, t.at);
    if (a) fprintf(out, "edges count=%llu\n", (unsigned long long)a->merged.total);
    free(t.at);
}

int prof_advise(const ProfFile *f, const ProfOptions *o, FILE *out) {
    (void)o;
    Lines lines = {0};
    add_layouts(f, &lines);
    add_edges(f, &lines);
    add_receivers(f, &lines);
    if (!lines.count) {
        fprintf(stderr,
                "cabernet-prof: %s says nothing to a later run: advice is made of call-edge, receiver, field-access "
                "and field-site\n",
                f->path);
        return 1;
    }
    print_head(f, out);
    qsort(lines.at, lines.count, sizeof *lines.at, prof_by_text);
    for (size_t i = 0; i < lines.count; i++) {
        fprintf(out, "%s\n", lines.at[i]);
        free(lines.at[i]);
    }
    free(lines.at);
    return 0;
}
