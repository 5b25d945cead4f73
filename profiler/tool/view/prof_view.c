#include "profiler/tool/view/prof_view.h"

#include <math.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

// ---- names -------------------------------------------------------------------------------------

static char *close_text(FILE *out, char **text) {
    if (fclose(out) != 0 || !*text) prof_out_of_memory();
    return *text;
}

static FILE *open_text(char **text, size_t *size) {
    FILE *out = open_memstream(text, size);
    if (!out) prof_out_of_memory();
    return out;
}

// The letter of a descriptor, and the type.
static const char *const primitives[] = {"Zboolean", "Bbyte", "Cchar", "Sshort", "Iint", "Jlong", "Ffloat", "Ddouble"};

// Writes a field descriptor as a Java type, without packages. Returns what follows it; NULL if malformed.
static const char *type_text(FILE *out, const char *d) {
    int dims = 0;
    for (; *d == '['; d++) dims++;
    const char *after = NULL;
    if (*d == 'L') {
        const char *end = strchr(d, ';');
        if (!end) return NULL;
        const char *simple = d + 1;
        for (const char *p = simple; p < end; p++)
            if (*p == '/') simple = p + 1;
        fprintf(out, "%.*s", (int)(end - simple), simple);
        after = end + 1;
    }
    for (size_t i = 0; !after && i < sizeof primitives / sizeof *primitives; i++)
        if (*d == primitives[i][0]) fputs(primitives[i] + 1, out), after = d + 1;
    for (; after && dims > 0; dims--) fputs("[]", out);
    return after;
}

static void parameters_text(FILE *out, const char *desc) {
    putc('(', out);
    const char *d = *desc == '(' ? desc + 1 : NULL;
    for (bool first = true; d && *d && *d != ')'; first = false) {
        if (!first) fputs(", ", out);
        d = type_text(out, d);
    }
    putc(')', out);
}

static void method_text(FILE *out, const ProfMethod *m) {
    if (m->flags & (FORMAT_METHOD_PSEUDO | FORMAT_METHOD_UNKNOWN)) {
        fputs(m->name, out);
        return;
    }
    fprintf(out, "%s.%s", m->class_name, m->name);
    parameters_text(out, m->desc);
    const char *result = strchr(m->desc, ')');
    if (!m->twin || !result) return;
    fputs(": ", out);
    if (result[1] == 'V') fputs("void", out);
    else type_text(out, result + 1);
}

char *prof_method_text(const ProfMethod *m) {
    char *text = NULL;
    size_t size;
    FILE *out = open_text(&text, &size);
    method_text(out, m);
    return close_text(out, &text);
}

char *prof_method_exact(const ProfMethod *m) {
    char *text;
    const char *dot = *m->class_name ? "." : "";
    if (asprintf(&text, "%s%s%s%s", m->class_name, dot, m->name, m->desc) < 0) prof_out_of_memory();
    return text;
}

char *prof_field_text(const ProfField *f) {
    char *text;
    const char *dot = *f->class_name ? "." : "";
    if (asprintf(&text, "%s%s%s", f->class_name, dot, f->name) < 0) prof_out_of_memory();
    return text;
}

char *prof_field_exact(const ProfField *f) {
    char *text;
    const char *dot = *f->class_name ? "." : "";
    if (asprintf(&text, "%s%s%s:%s", f->class_name, dot, f->name, f->desc) < 0) prof_out_of_memory();
    return text;
}

// A method and a line in it as in a Java stack trace, which IDEs link to the source.
static void place_at_line(FILE *out, const ProfMethod *m, int64_t line) {
    fprintf(out, "%s.%s%s%s%s%lld%s", m->class_name, m->name, m->source ? "(" : "", m->source ? m->source : "", ":",
            (long long)line, m->source ? ")" : "");
}

char *prof_place_text(const ProfMethod *m, int64_t line) {
    char *text = NULL;
    size_t size;
    FILE *out = open_text(&text, &size);
    place_at_line(out, m, line);
    return close_text(out, &text);
}

char *prof_frame_text(const ProfFile *f, const char *frame) {
    const char *colon = strrchr(frame, ':'), *dot = NULL, *top = frame;
    for (const char *c = frame; colon && c < colon; c++)
        if (*c == '.') dot = c;
    char *text;
    size_t i = 0, length = dot ? (size_t)(dot - frame) : 0;
    while (i < f->method_count && dot &&
           (!f->methods[i].source || strncmp(f->methods[i].class_name, frame, length) != 0 ||
            f->methods[i].class_name[length]))
        i++;
    for (const char *c = frame; dot && c < dot; c++)
        if (*c == '.') top = c + 1;
    int result = !dot ? asprintf(&text, "%s", frame)
        : i < f->method_count
        ? asprintf(&text, "%.*s(%s%s)", (int)(colon - frame), frame, f->methods[i].source, colon)
        : asprintf(&text, "%.*s(%.*s.java%s)", (int)(colon - frame), frame, (int)strcspn(top, "$.@"), top, colon);
    if (result < 0) prof_out_of_memory();
    return text;
}

// A class as its file names it, java/lang/String or [I, as a Java type.
static void class_text(FILE *out, const char *name) {
    size_t dims = strspn(name, "[");
    const char *element = name + dims;
    int length = (int)strlen(element);
    for (size_t i = 0; dims && length == 1 && i < sizeof primitives / sizeof *primitives; i++)
        if (*element == primitives[i][0]) {
            element = primitives[i] + 1;
            length = (int)strlen(element);
            break;
        }
    if (dims && *element == 'L' && element[length - 1] == ';') element++, length -= 2;
    for (int i = 0; i < length; i++) putc(element[i] == '/' ? '.' : element[i], out);
    for (; dims > 0; dims--) fputs("[]", out);
}

char *prof_word_text(const ProfFile *f, const ProfColumn *column, uint64_t value) {
    char *text = NULL;
    size_t size;
    FILE *out = open_text(&text, &size);
    bool is_class = strcmp(column->name, "class") == 0 || strcmp(column->name, "type") == 0;
    if (is_class) class_text(out, f->strings[value]);
    else fputs(f->strings[value], out);
    return close_text(out, &text);
}

// The value of column `name` of the site that follows the method in column `method`; -1: none.
static int64_t site_value(const ProfAnalysis *a, const uint64_t *row, uint32_t method, const char *name) {
    uint32_t c = method + 1;
    for (; c < a->column_count && a->columns[c].kind == FORMAT_COLUMN_SIGNED; c++)
        if (strcmp(a->columns[c].name, name) == 0) return (int64_t)row[c];
    return -1;
}

// A method and the bci and line that follow it, as one place. With a line, parameters are left out. Returns the column
// after it.
static uint32_t place_text(FILE *out, const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint32_t c) {
    const ProfMethod *m = &f->methods[row[c]];
    int64_t bci = site_value(a, row, c, "bci"), line = site_value(a, row, c, "line");
    if (line < 0) method_text(out, m);
    else place_at_line(out, m, line);
    if (bci >= 0) fprintf(out, " @%lld", (long long)bci);
    for (c++; c < a->column_count && a->columns[c].kind == FORMAT_COLUMN_SIGNED;) c++;
    return c;
}

// The column with the type of the values in column `c`. -1: none.
static int type_column(const ProfAnalysis *a, uint32_t c) {
    int type = strcmp(a->columns[c].name, "value") == 0 ? prof_column(a, "type") : -1;
    return type >= 0 && a->columns[type].kind == FORMAT_COLUMN_WORD ? type : -1;
}

ProfNumber prof_number_kind(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint32_t c, double *number) {
    int column = type_column(a, c);
    const char *type = column >= 0 ? f->strings[row[column]] : "";
    uint32_t bits = (uint32_t)row[c];
    float narrow;
    if (strcmp(type, "reference") == 0) return PROF_ADDRESS;
    if (strcmp(type, "double") == 0) {
        memcpy(number, &row[c], sizeof *number);
        return PROF_REAL;
    }
    if (strcmp(type, "float") != 0) return PROF_INTEGER;
    memcpy(&narrow, &bits, sizeof narrow);
    *number = narrow;
    return PROF_REAL;
}

// Whether the cell is the last one of a row that stands for all rarer values.
static bool is_value_of_others(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint32_t c) {
    return type_column(a, c) >= 0 && c == a->column_count - 1 && a->columns[c - 1].kind == FORMAT_COLUMN_WORD &&
        strcmp(f->strings[row[c - 1]], "others") == 0;
}

// A real number as Java names it, with as many digits as tell it from others of its type.
static void real_text(FILE *out, double number, bool narrow) {
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (narrow ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number) break;
    }
    fputs(isnan(number) ? "NaN" : isinf(number) ? (number > 0 ? "Infinity" : "-Infinity") : text, out);
}

// A value whose row has its type.
static void typed_text(FILE *out, const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint32_t c) {
    double number;
    bool narrow = strcmp(f->strings[row[type_column(a, c)]], "float") == 0;
    switch (prof_number_kind(f, a, row, c, &number)) {
        case PROF_REAL: real_text(out, number, narrow); break;
        case PROF_ADDRESS: fprintf(out, row[c] ? "0x%llx" : "null", (unsigned long long)row[c]); break;
        case PROF_INTEGER: fprintf(out, "%lld", (long long)row[c]);
    }
}

// A cell other than a method.
static void value_text(FILE *out, const ProfFile *f, const ProfColumn *column, uint64_t value) {
    switch (column->kind) {
        case FORMAT_COLUMN_FIELD: {
            char *field = prof_field_text(&f->fields[value]);
            fputs(field, out);
            free(field);
            break;
        }
        case FORMAT_COLUMN_WORD: {
            char *word = prof_word_text(f, column, value);
            fputs(word, out);
            free(word);
            break;
        }
        case FORMAT_COLUMN_NODE: fprintf(out, "%016llx", (unsigned long long)value); break;
        case FORMAT_COLUMN_SIGNED: fprintf(out, "%s %lld", column->name, (long long)value); break;
        default: fprintf(out, "%s %llu", column->name, (unsigned long long)value);
    }
}

char *prof_row_text(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    char *text = NULL;
    size_t size;
    FILE *out = open_text(&text, &size);
    for (uint32_t c = 0; c < a->column_count;) {
        bool method = a->columns[c].kind == FORMAT_COLUMN_METHOD;
        if (is_value_of_others(f, a, row, c)) break;
        if (c) fputs(method ? " -> " : " ", out);
        if (method) {
            c = place_text(out, f, a, row, c);
            continue;
        }
        if (type_column(a, c) >= 0) typed_text(out, f, a, row, c);
        else value_text(out, f, &a->columns[c], row[c]);
        c++;
    }
    return close_text(out, &text);
}

size_t prof_package_length(const char *class_name) {
    const char *dot = strrchr(class_name, '.');
    return dot ? (size_t)(dot - class_name) : 0;
}

char *prof_number(char *buf, uint64_t value) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), to = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) buf[to++] = ',';
        buf[to++] = digits[i];
    }
    buf[to] = '\0';
    return buf;
}

// ---- filters -----------------------------------------------------------------------------------

#define PART_ENDS ".$:( "

// Does the filter match whole parts of a name, "java.util.HashMap.put"? Parts end at dots and dollar signs; a place in
// the source may follow.
static bool match_parts(const char *name, const char *filter) {
    size_t n = strlen(filter);
    bool open = n && filter[n - 1] == '.';  // it ends with a part of a package
    for (const char *at = name; n && (at = strstr(at, filter)) != NULL; at++)
        if ((at == name || at[-1] == '.' || at[-1] == '$') && (open || strchr(PART_ENDS, at[n]))) return true;
    return false;
}

// The same for a pattern, which matches from some part on to the end of the name.
static bool match_pattern(const char *name, const char *filter) {
    for (const char *at = name; at; at = (at = strpbrk(at, ".$")) ? at + 1 : NULL)
        if (fnmatch(filter, at, FNM_NOESCAPE) == 0) return true;
    return false;
}

static bool match_text(const char *name, const char *filter) {
    return strpbrk(filter, "*?") ? match_pattern(name, filter) : match_parts(name, filter);
}

// A filter ignores loader names, which follow the class name (vm/instrument/classlabels.h), unless it has an @.
static bool match(const char *class_name, const char *name, const char *filter) {
    char *whole;
    int length = (int)(strchr(filter, '@') ? strlen(class_name) : strcspn(class_name, "@"));
    if (asprintf(&whole, "%.*s.%s", length, class_name, name) < 0) prof_out_of_memory();
    bool match = match_text(whole, filter);
    free(whole);
    return match;
}

bool prof_match(const ProfMethod *m, const char *filter) {
    if (m->flags & FORMAT_METHOD_PSEUDO) return strcmp(m->name, filter) == 0;
    return match(m->class_name, m->name, filter);
}

bool prof_match_field(const ProfField *f, const char *filter) { return match(f->class_name, f->name, filter); }

// The methods and fields that pass, computed once because there are many rows.
typedef struct Passing {
    bool *methods, *fields;
} Passing;

static Passing passing(const ProfFile *f, const ProfOptions *o) {
    Passing p = {prof_alloc(f->method_count * sizeof *p.methods), prof_alloc(f->field_count * sizeof *p.fields)};
    for (size_t k = 0; k < o->filter_count; k++) {
        for (size_t i = 0; i < f->method_count; i++) p.methods[i] |= prof_match(&f->methods[i], o->filters[k]);
        for (size_t i = 0; i < f->field_count; i++) p.fields[i] |= prof_match_field(&f->fields[i], o->filters[k]);
    }
    return p;
}

bool prof_row_is_application(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    bool has_method = false, has_field = false, field = false;
    for (uint32_t c = 0; c < a->column_count; c++) {
        bool is_method = a->columns[c].kind == FORMAT_COLUMN_METHOD,
             is_field = a->columns[c].kind == FORMAT_COLUMN_FIELD;
        if (is_method && f->methods[row[c]].flags & FORMAT_METHOD_APPLICATION) return true;
        if (is_field) field |= f->fields[row[c]].flags & FORMAT_METHOD_APPLICATION;
        has_method |= is_method;
        has_field |= is_field;
    }
    return !has_method && (field || !has_field);
}

// ---- order -------------------------------------------------------------------------------------

typedef struct SortRow {
    uint64_t count;
    uint32_t row;
    uint32_t name;  // its rank among the names; 0: sorted by count alone
} SortRow;

// Ties keep row order, which is sorted by key in the file.
static int compare_rows(const void *x, const void *y, void *names) {
    const SortRow *a = x, *b = y;
    if (a->name && b->name) {
        int order = strcmp(((char **)names)[a->name - 1], ((char **)names)[b->name - 1]);
        if (order) return order;
    }
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

ProfView prof_view(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o) {
    ProfView v = {.all = t->total};
    SortRow *sorted = prof_alloc(t->rows * sizeof *sorted);
    char **names = o->sort == SORT_COUNT ? NULL : prof_alloc(t->rows * sizeof *names);
    int named = o->sort == SORT_CALLER ? prof_column(a, "caller")
        : o->sort == SORT_CALLEE       ? prof_column(a, "callee")
                                       : -1;
    Passing pass = passing(f, o);
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t *row = prof_row(a, t, i);
        bool passes = !o->filter_count;
        for (uint32_t c = 0; c < a->column_count && !passes; c++)
            passes = (a->columns[c].kind == FORMAT_COLUMN_METHOD && pass.methods[row[c]]) ||
                (a->columns[c].kind == FORMAT_COLUMN_FIELD && pass.fields[row[c]]);
        if (!passes) continue;
        if (o->application && !prof_row_is_application(f, a, row)) continue;
        v.total += prof_row_count(a, row);
        if (names) names[v.count] = named < 0 ? prof_row_text(f, a, row) : prof_method_text(&f->methods[row[named]]);
        sorted[v.count] = (SortRow){prof_row_count(a, row), (uint32_t)i, names ? (uint32_t)v.count + 1 : 0};
        v.count++;
    }
    if (o->application && !prof_is_tree(a)) v.all = v.total;
    if (v.count) qsort_r(sorted, v.count, sizeof *sorted, compare_rows, names);
    v.rows = prof_alloc(v.count * sizeof *v.rows);
    for (size_t i = 0; i < v.count; i++) {
        v.rows[i] = sorted[i].row;
        if (names) free(names[i]);
    }
    free(sorted);
    free(names);
    free(pass.methods);
    free(pass.fields);
    return v;
}

void prof_view_free(ProfView *v) {
    free(v->rows);
    v->rows = NULL;
}

bool prof_section_passes(const ProfSection *s, size_t row, const ProfOptions *o) {
    if (!o->filter_count) return true;
    for (size_t i = 0; i < o->filter_count; i++)
        for (uint32_t c = 0; c < s->column_count; c++) {
            const ProfCell *cell = &s->cells[row * s->column_count + c];
            if ((s->columns[c].kind == SECTION_TEXT || s->columns[c].kind == SECTION_NOTE) &&
                match_text(cell->text, o->filters[i]))
                return true;
            for (uint64_t k = 0; s->columns[c].kind == SECTION_STACK && k < cell->number; k++)
                if (match_text(cell->frames[k], o->filters[i])) return true;
        }
    return false;
}

bool prof_filter_matches(const ProfFile *f, const char *filter) {
    ProfOptions o = {.filters = {filter}, .filter_count = 1};
    for (size_t i = 0; i < f->method_count; i++)
        if (prof_match(&f->methods[i], filter)) return true;
    for (size_t i = 0; i < f->field_count; i++)
        if (prof_match_field(&f->fields[i], filter)) return true;
    for (size_t i = 0; i < f->section_count; i++)
        for (size_t row = 0; row < f->sections[i].rows; row++)
            if (prof_section_passes(&f->sections[i], row, &o)) return true;
    return false;
}

bool prof_has_application(const ProfFile *f) {
    for (size_t i = 0; i < f->method_count; i++)
        if (f->methods[i].flags & FORMAT_METHOD_APPLICATION) return true;
    return false;
}
