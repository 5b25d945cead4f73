// `cabernet-prof report --json`: the profile, or the part that the options select, as one JSON object.

#include <math.h>
#include <string.h>

#include "profiler/tool/report/prof_json.h"
#include "profiler/tool/report/prof_report.h"

json_t *prof_json_text(const char *text) {
    json_t *s = json_string(text);
    return s ? s : json_string("?");
}

json_t *prof_json_count(uint64_t n) { return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n); }

void prof_json_put(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) prof_out_of_memory();
}

void prof_json_push(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) prof_out_of_memory();
}

static json_t *json_member(const char *class_name, const char *name, const char *desc) {
    json_t *o = json_object();
    if (*class_name) prof_json_put(o, "class", prof_json_text(class_name));
    prof_json_put(o, "name", prof_json_text(name));
    if (*desc) prof_json_put(o, "descriptor", prof_json_text(desc));
    return o;
}

static json_t *json_cell(const ProfFile *f, uint32_t kind, uint64_t value) {
    const ProfMethod *m;
    const ProfField *field;
    json_t *o;
    switch (kind) {
        case FORMAT_COLUMN_METHOD:
            m = &f->methods[value];
            o = json_member(m->class_name, m->name, m->desc);
            if (m->source) prof_json_put(o, "source", prof_json_text(m->source));
            if (m->flags & FORMAT_METHOD_PSEUDO) prof_json_put(o, "pseudo", json_true());
            return o;
        case FORMAT_COLUMN_FIELD:
            field = &f->fields[value];
            return json_member(field->class_name, field->name, field->desc);
        case FORMAT_COLUMN_WORD: return prof_json_text(f->strings[value]);
        case FORMAT_COLUMN_NODE: return json_sprintf("%016llx", (unsigned long long)value);
        case FORMAT_COLUMN_SIGNED: return json_integer((json_int_t)value);
        default: return prof_json_count(value);
    }
}

static json_t *json_row(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    json_t *o = json_object();
    for (uint32_t c = 0; c < a->column_count; c++) {
        const ProfColumn *column = &a->columns[c];
        double number;
        bool real = prof_number_kind(f, a, row, c, &number) == PROF_REAL && isfinite(number);
        prof_json_put(o, column->name, real ? json_real(number) : json_cell(f, column->kind, row[c]));
    }
    prof_json_put(o, "count", prof_json_count(prof_row_count(a, row)));
    return o;
}

static json_t *json_rows(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o) {
    json_t *rows = json_array();
    ProfView v = prof_view(f, a, t, o);
    size_t n = o->top && o->top < v.count ? o->top : v.count;
    for (size_t i = 0; i < n; i++) prof_json_push(rows, json_row(f, a, prof_row(a, t, v.rows[i])));
    prof_view_free(&v);
    return rows;
}

static json_t *json_analysis(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o) {
    json_t *object = json_object();
    prof_json_put(object, "name", prof_json_text(a->name));
    prof_json_put(object, "event", prof_json_text(a->event));
    prof_json_put(object, "produced", prof_json_count(a->produced));
    prof_json_put(object, "recorded", prof_json_count(a->recorded));
    prof_json_put(object, "lost", prof_json_count(a->lost));
    prof_json_put(object, "rows", json_rows(f, a, &a->merged, o));
    if (!o->threads) return object;
    json_t *threads = json_array();
    for (size_t i = 0; i < f->thread_count; i++) {
        ProfTable rows = prof_thread_table(f, a, i);
        prof_json_push(threads, json_rows(f, a, &rows, o));
        prof_table_free(&rows);
    }
    prof_json_put(object, "rowsOfThreads", threads);
    return object;
}

static json_t *json_histogram(const Histogram *h) {
    json_t *o = json_object(), *buckets = json_array();
    prof_json_put(o, "count", prof_json_count(h->count));
    prof_json_put(o, "sum", prof_json_count(h->sum));
    prof_json_put(o, "min", prof_json_count(h->least));
    prof_json_put(o, "p50", prof_json_count(histogram_percentile(h, 0.5)));
    prof_json_put(o, "p90", prof_json_count(histogram_percentile(h, 0.9)));
    prof_json_put(o, "p99", prof_json_count(histogram_percentile(h, 0.99)));
    prof_json_put(o, "max", prof_json_count(h->largest));
    for (uint32_t i = 0; i < h->used; i++) {
        json_t *pair = json_array();
        prof_json_push(pair, prof_json_count(histogram_low(h->buckets[i].bucket)));
        prof_json_push(pair, prof_json_count(h->buckets[i].count));
        prof_json_push(buckets, pair);
    }
    prof_json_put(o, "buckets", buckets);
    return o;
}

static json_t *json_section_cell(SectionKind kind, const ProfCell *c) {
    json_t *array;
    switch (kind) {
        case SECTION_TEXT:
        case SECTION_NOTE: return prof_json_text(c->text);
        case SECTION_HISTOGRAM:
        case SECTION_SAMPLED: return json_histogram(c->histogram);
        case SECTION_STACK:
            array = json_array();
            for (uint64_t i = 0; i < c->number; i++) prof_json_push(array, prof_json_text(c->frames[i]));
            return array;
        case SECTION_SERIES:
            array = json_array();
            for (uint64_t i = 0; i < c->number; i++) prof_json_push(array, prof_json_count(c->series[i]));
            return array;
        case SECTION_PERMILLE: return json_real((double)c->number / 1000);
        case SECTION_NUMBER:
        case SECTION_VARYING:
        case SECTION_NS: break;
    }
    return prof_json_count(c->number);
}

json_t *prof_json_section(const ProfSection *s, size_t most) {
    json_t *o = json_object(), *rows = json_array();
    prof_json_put(o, "analysis", prof_json_text(s->analysis));
    prof_json_put(o, "name", prof_json_text(s->name));
    prof_json_put(o, "title", prof_json_text(s->title));
    size_t n = most && most < s->rows ? most : s->rows;
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_object();
        for (uint32_t c = 0; c < s->column_count; c++)
            prof_json_put(row, s->columns[c].name,
                          json_section_cell(s->columns[c].kind, &s->cells[i * s->column_count + c]));
        prof_json_push(rows, row);
    }
    prof_json_put(o, "rows", rows);
    return o;
}

json_t *prof_json_thread(const ProfThread *t) {
    json_t *o = json_object();
    prof_json_put(o, "id", prof_json_count(t->id));
    prof_json_put(o, "name", prof_json_text(t->name));
    prof_json_put(o, "service", json_boolean(t->flags & FORMAT_THREAD_SERVICE));
    prof_json_put(o, "ended", json_boolean(t->flags & FORMAT_THREAD_ENDED));
    prof_json_put(o, "threads", prof_json_count(t->stands_for));
    prof_json_put(o, "events", prof_json_count(t->produced));
    return o;
}

json_t *prof_json_header(const ProfFile *f) {
    json_t *header = json_object();
    for (size_t i = 0; i < f->meta_count; i++)
        if (json_object_set_new(header, f->meta[i].key, prof_json_text(f->meta[i].value)) != 0) continue;
    return header;
}

static json_t *json_profile(const ProfFile *f, const ProfOptions *o) {
    json_t *root = json_object(), *threads = json_array(), *analyses = json_array();
    for (size_t i = 0; i < f->thread_count; i++) prof_json_push(threads, prof_json_thread(&f->threads[i]));
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->analyses[i].name) == 0)
            prof_json_push(analyses, json_analysis(f, &f->analyses[i], o));
    prof_json_put(root, "formatVersion", json_integer(FORMAT_VERSION));
    prof_json_put(root, "complete", json_boolean(f->complete));
    if (!f->complete) prof_json_put(root, "problem", prof_json_text(f->problem));
    prof_json_put(root, "header", prof_json_header(f));
    prof_json_put(root, "threads", threads);
    prof_json_put(root, "analyses", analyses);
    json_t *sections = json_array();
    for (size_t i = 0; i < f->section_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->sections[i].analysis) == 0)
            prof_json_push(sections, prof_json_section(&f->sections[i], 0));
    prof_json_put(root, "sections", sections);
    return root;
}

int prof_json(const ProfFile *f, const ProfOptions *o, FILE *out) {
    json_t *root = json_profile(f, o);
    int failed = json_dumpf(root, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(root);
    return failed ? 2 : 0;
}
