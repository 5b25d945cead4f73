// `cabernet-prof report --json`: the whole profile, or what options leave of it, as one JSON
// object.
#include <jansson.h>
#include <string.h>

#include "profiler/tool/prof_view.h"

// Text that is not UTF-8 (a damaged file) must not take the rest with it.
static json_t *json_text(const char *text) {
    json_t *s = json_string(text);
    return s ? s : json_string("?");
}

static json_t *json_count(uint64_t n) {
    return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

static void put(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) prof_out_of_memory();
}

static void push(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) prof_out_of_memory();
}

static json_t *json_method(const ProfMethod *m) {
    json_t *o = json_object();
    if (*m->class_name) put(o, "class", json_text(m->class_name));
    put(o, "name", json_text(m->name));
    if (*m->desc) put(o, "descriptor", json_text(m->desc));
    if (m->source) put(o, "source", json_text(m->source));
    if (m->flags & FORMAT_METHOD_PSEUDO) put(o, "pseudo", json_true());
    return o;
}

static json_t *json_field(const ProfField *field) {
    json_t *o = json_object();
    if (*field->class_name) put(o, "class", json_text(field->class_name));
    put(o, "name", json_text(field->name));
    if (*field->desc) put(o, "descriptor", json_text(field->desc));
    return o;
}

static json_t *json_cell(const ProfFile *f, uint32_t kind, uint64_t value) {
    switch (kind) {
    case FORMAT_COLUMN_METHOD: return json_method(&f->methods[value]);
    case FORMAT_COLUMN_FIELD: return json_field(&f->fields[value]);
    case FORMAT_COLUMN_WORD: return json_text(f->strings[value]);
    case FORMAT_COLUMN_NODE: return json_sprintf("%016llx", (unsigned long long)value);
    case FORMAT_COLUMN_SIGNED: return json_integer((json_int_t)value);
    default: return json_count(value);
    }
}

static json_t *json_row(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    json_t *o = json_object();
    for (uint32_t c = 0; c < a->column_count; c++) {
        const ProfColumn *column = &a->columns[c];
        put(o, column->name, json_cell(f, column->kind, row[c]));
    }
    put(o, "count", json_count(prof_row_count(a, row)));
    return o;
}

static json_t *json_rows(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t,
                         const ProfOptions *o) {
    json_t *rows = json_array();
    ProfView v = prof_view(f, a, t, o);
    size_t n = o->top && o->top < v.count ? o->top : v.count;
    for (size_t i = 0; i < n; i++) push(rows, json_row(f, a, prof_row(a, t, v.rows[i])));
    prof_view_free(&v);
    return rows;
}

static json_t *json_analysis(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o) {
    json_t *object = json_object();
    put(object, "name", json_text(a->name));
    put(object, "event", json_text(a->event));
    put(object, "produced", json_count(a->produced));
    put(object, "recorded", json_count(a->recorded));
    put(object, "lost", json_count(a->lost));
    put(object, "rows", json_rows(f, a, &a->merged, o));
    if (!o->threads) return object;
    json_t *threads = json_array();
    for (size_t i = 0; i < f->thread_count; i++) push(threads, json_rows(f, a, &a->threads[i], o));
    put(object, "rowsOfThreads", threads);
    return object;
}

static json_t *json_histogram(const Histogram *h) {
    json_t *o = json_object(), *buckets = json_array();
    put(o, "count", json_count(h->count));
    put(o, "sum", json_count(h->sum));
    put(o, "min", json_count(h->least));
    put(o, "p50", json_count(histogram_percentile(h, 0.5)));
    put(o, "p90", json_count(histogram_percentile(h, 0.9)));
    put(o, "p99", json_count(histogram_percentile(h, 0.99)));
    put(o, "max", json_count(h->largest));
    for (uint32_t i = 0; i < h->used; i++) {
        json_t *pair = json_array();
        push(pair, json_count(histogram_low(h->buckets[i].bucket)));
        push(pair, json_count(h->buckets[i].count));
        push(buckets, pair);
    }
    put(o, "buckets", buckets);
    return o;
}

static json_t *json_section_cell(SectionKind kind, const ProfCell *c) {
    json_t *array;
    switch (kind) {
    case SECTION_TEXT: case SECTION_NOTE: return json_text(c->text);
    case SECTION_HISTOGRAM: case SECTION_SAMPLED: return json_histogram(c->histogram);
    case SECTION_STACK:
        array = json_array();
        for (uint64_t i = 0; i < c->number; i++) push(array, json_text(c->frames[i]));
        return array;
    case SECTION_SERIES:
        array = json_array();
        for (uint64_t i = 0; i < c->number; i++) push(array, json_count(c->series[i]));
        return array;
    case SECTION_PERMILLE: return json_real((double)c->number / 1000);
    case SECTION_NUMBER: case SECTION_VARYING: case SECTION_NS: break;
    }
    return json_count(c->number);
}

static json_t *json_section(const ProfSection *s) {
    json_t *o = json_object(), *rows = json_array();
    put(o, "analysis", json_text(s->analysis));
    put(o, "name", json_text(s->name));
    put(o, "title", json_text(s->title));
    for (size_t i = 0; i < s->rows; i++) {
        json_t *row = json_object();
        for (uint32_t c = 0; c < s->column_count; c++)
            put(row, s->columns[c].name, json_section_cell(s->columns[c].kind, &s->cells[i * s->column_count + c]));
        push(rows, row);
    }
    put(o, "rows", rows);
    return o;
}

static json_t *json_thread(const ProfThread *t) {
    json_t *o = json_object();
    put(o, "id", json_count(t->id));
    put(o, "name", json_text(t->name));
    put(o, "service", json_boolean(t->flags & FORMAT_THREAD_SERVICE));
    put(o, "ended", json_boolean(t->flags & FORMAT_THREAD_ENDED));
    put(o, "threads", json_count(t->stands_for));
    put(o, "events", json_count(t->produced));
    return o;
}

static json_t *json_profile(const ProfFile *f, const ProfOptions *o) {
    json_t *root = json_object(), *meta = json_object(), *threads = json_array(),
           *analyses = json_array();
    for (size_t i = 0; i < f->meta_count; i++)
        if (json_object_set_new(meta, f->meta[i].key, json_text(f->meta[i].value)) != 0) continue;
    for (size_t i = 0; i < f->thread_count; i++) push(threads, json_thread(&f->threads[i]));
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->analyses[i].name) == 0)
            push(analyses, json_analysis(f, &f->analyses[i], o));
    put(root, "formatVersion", json_integer(FORMAT_VERSION));
    put(root, "complete", json_boolean(f->complete));
    if (!f->complete) put(root, "problem", json_text(f->problem));
    put(root, "header", meta);
    put(root, "threads", threads);
    put(root, "analyses", analyses);
    json_t *sections = json_array();
    for (size_t i = 0; i < f->section_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->sections[i].analysis) == 0) push(sections, json_section(&f->sections[i]));
    put(root, "sections", sections);
    return root;
}

int prof_json(const ProfFile *f, const ProfOptions *o, FILE *out) {
    json_t *root = json_profile(f, o);
    int failed = json_dumpf(root, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(root);
    return failed ? 2 : 0;
}
