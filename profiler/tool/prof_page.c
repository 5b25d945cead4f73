// `cabernet-prof html`: one self-contained page that shows a profile, or two and their differences. The page is
// lib/page.html, built by profiler/page; its data is inserted here as JSON. Every less-than sign in the data is
// escaped, so no text can end the data element, and the page's policy allows no script but its own.
//
// The page is small whatever the profile's size: tables and trees are cut to their largest entries, and the page says
// how much is left out. If long names still make it too large, the limits are lowered until it fits.
#include <math.h>
#include <stdlib.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_shipped.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/prof_cells.h"
#include "profiler/tool/prof_commands.h"
#include "profiler/tool/report/prof_json.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_calls.h"
#include "profiler/tool/view/prof_collections.h"
#include "profiler/tool/view/prof_context.h"
#include "profiler/tool/view/prof_source.h"

enum {
    ROWS = 1500,
    NODES = 12000,
    CELLS = 90000,
    THREADS = 2000,
    DIFFERENCES = 300,
    SECTION_ROWS = 500,
    COLLECTIONS = 2000,
    FINDINGS = 20
};
enum { LEAST_ROWS = 10 };
enum { MOST_DATA = 2500 << 10, MOST_SOURCES = 700 << 10 };  // bytes
static const char marker[] = "<!--DATA-->";

// The data under construction. Methods and fields with equal names have the same number in both files.
typedef struct Page {
    const ProfFile *files;
    size_t file_count;
    const ProfOptions *o;
    size_t rows, nodes, sources, cells;    // limits
    uint32_t *methods[2], *fields[2];      // by index in the file: number of the name
    uint32_t *seen_methods, *seen_fields;  // by number: 1 + index in the page; 0: not in it
    json_t *method_list, *field_list, *string_list, *string_index;
} Page;

// ---- names -------------------------------------------------------------------------------------

// Numbers the names of methods, or with `fields` of fields, in both files; equal names get equal numbers.
static size_t number_names(const Page *p, bool fields, uint32_t *out[2]) {
    size_t n = 0, of[2] = {0};
    for (size_t file = 0; file < p->file_count; file++)
        of[file] = fields ? p->files[file].field_count : p->files[file].method_count;
    ProfNamed *names = prof_alloc((of[0] + of[1]) * sizeof *names);
    for (size_t file = 0; file < p->file_count; file++) {
        const ProfFile *f = &p->files[file];
        out[file] = prof_alloc(of[file] * sizeof **out);
        for (size_t i = 0; i < of[file]; i++, n++)
            names[n] = (ProfNamed){fields ? prof_field_exact(&f->fields[i]) : prof_method_exact(&f->methods[i]), n};
    }
    if (n) qsort(names, n, sizeof *names, prof_by_name);
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++) {
        size_t item = names[i].item;
        if (!i || strcmp(names[i].name, names[i - 1].name) != 0) number = (uint32_t)item;
        if (item < of[0]) out[0][item] = number;
        else out[1][item - of[0]] = number;
    }
    for (size_t i = 0; i < n; i++) free(names[i].name);
    free(names);
    return n;
}

// Beyond 2^53 JavaScript numbers have gaps, so the digits are written as a text.
static json_t *count_json(uint64_t n) {
    return n <= UINT64_C(1) << 53 ? json_integer((json_int_t)n) : json_sprintf("%llu", (unsigned long long)n);
}

// The index of a method or field in a list of the page, to which it is added at its first use.
static json_t *indexed(uint32_t *seen, json_t *list, const char *class_name, const char *name, const char *desc,
                       const char *source, uint32_t flags) {
    if (!*seen) {
        json_t *item = json_array();
        prof_json_push(item, prof_json_text(class_name));
        prof_json_push(item, prof_json_text(name));
        prof_json_push(item, prof_json_text(desc));
        prof_json_push(item, json_integer(flags >> 16));  // flags of the file (format.h)
        if (source) prof_json_push(item, prof_json_text(source));
        prof_json_push(list, item);
        *seen = (uint32_t)json_array_size(list);
    }
    return json_integer(*seen - 1);
}

static json_t *method_json(Page *p, size_t file, size_t i) {
    const ProfMethod *m = &p->files[file].methods[i];
    return indexed(&p->seen_methods[p->methods[file][i]], p->method_list, m->class_name, m->name, m->desc, m->source,
                   m->flags);
}

// The `most` largest items by each of two measures: ascending, without duplicates.
static size_t *largest_in_two(size_t n, size_t most, const uint64_t *one, const uint64_t *two, size_t *count) {
    size_t *items = prof_alloc(2 * (most < n ? most : n) * sizeof *items), found = prof_largest(n, most, one, items),
           to = 0;
    found += prof_largest(n, most, two, items + found);
    if (found) qsort(items, found, sizeof *items, prof_by_number);
    for (size_t i = 0; i < found; i++)
        if (!i || items[i] != items[i - 1]) items[to++] = items[i];
    *count = to;
    return items;
}

// ---- tables ------------------------------------------------------------------------------------

static json_t *cell_json(Page *p, size_t file, const ProfColumn *column, uint64_t value) {
    const ProfFile *f = &p->files[file];
    const ProfField *field;
    json_t *index;
    char *word;
    switch (column->kind) {
        case FORMAT_COLUMN_METHOD: return method_json(p, file, value);
        case FORMAT_COLUMN_FIELD:
            field = &f->fields[value];
            return indexed(&p->seen_fields[p->fields[file][value]], p->field_list, field->class_name, field->name,
                           field->desc, NULL, field->flags);
        case FORMAT_COLUMN_WORD:
            word = prof_word_text(f, column, value);
            index = json_incref(json_object_get(p->string_index, word));
            if (!index) {
                index = json_integer((json_int_t)json_array_size(p->string_list));
                prof_json_push(p->string_list, prof_json_text(word));
                json_object_set(p->string_index, word, index);
            }
            free(word);
            return index;
        case FORMAT_COLUMN_SIGNED: return json_integer((json_int_t)value);
        default: return count_json(value);
    }
}

static json_t *rows_json(Page *p, size_t file, const ProfAnalysis *a, json_t **by_thread) {
    size_t n = a->merged.rows, found;
    uint64_t *counts = prof_alloc(n * sizeof *counts), *own = prof_alloc(n * sizeof *own);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        counts[i] = prof_row_count(a, row);
        if (prof_row_is_application(&p->files[file], a, row)) own[i] = counts[i];
    }
    size_t *rows = largest_in_two(n, p->rows, counts, own, &found);
    free(counts);
    free(own);
    json_t *list = json_array();
    for (size_t i = 0; i < found; i++) {
        const uint64_t *row = prof_row(a, &a->merged, rows[i]);
        json_t *cells = json_array();
        for (uint32_t c = 0; c < a->column_count; c++) {
            double number;
            bool real = prof_number_kind(&p->files[file], a, row, c, &number) == PROF_REAL && isfinite(number);
            prof_json_push(cells, real ? json_real(number) : cell_json(p, file, &a->columns[c], row[c]));
        }
        prof_json_push(cells, count_json(prof_row_count(a, row)));
        prof_json_push(list, cells);
    }
    *by_thread = p->file_count == 1 ? prof_cells_of_rows(&p->files[file], a, rows, found) : json_null();
    free(rows);
    return list;
}

static json_t *analysis_json(Page *p, size_t file, const ProfAnalysis *a) {
    static const char *const kinds[] = {"", "method", "signed", "number", "field", "word", "node"};
    json_t *o = json_object(), *columns = json_array();
    for (uint32_t c = 0; c < a->column_count; c++) {
        json_t *column = json_object();
        prof_json_put(column, "name", prof_json_text(a->columns[c].name));
        prof_json_put(column, "kind", json_string(kinds[a->columns[c].kind]));
        prof_json_push(columns, column);
    }
    prof_json_put(o, "name", prof_json_text(a->name));
    prof_json_put(o, "event", prof_json_text(a->event));
    prof_json_put(o, "produced", count_json(a->produced));
    prof_json_put(o, "recorded", count_json(a->recorded));
    prof_json_put(o, "lost", count_json(a->lost));
    prof_json_put(o, "total", count_json(a->merged.total));
    prof_json_put(o, "rowCount", count_json(a->merged.rows));
    prof_json_put(o, "columns", columns);
    // A single row of a tree says little: "tree" has the tree, "calls" its calls.
    json_t *by_thread = NULL;
    prof_json_put(o, "rows", prof_is_tree(a) ? json_array() : rows_json(p, file, a, &by_thread));
    if (by_thread) prof_json_put(o, "byThread", by_thread);
    return o;
}

// ---- calls -------------------------------------------------------------------------------------

// Calls with the work below them, and methods with theirs.
static json_t *calls_json(Page *p, size_t file) {
    const ProfFile *f = &p->files[file];
    ProfCalls c;
    if (!prof_calls(f, &c)) return json_null();
    json_t *o = json_object(), *calls = json_array(), *methods = json_array();
    size_t n, measured = c.count > f->method_count ? c.count : f->method_count;
    uint64_t *counts = prof_alloc(c.count * sizeof *counts), *below = prof_alloc(measured * sizeof *below);
    for (size_t i = 0; i < c.count; i++) {
        counts[i] = c.calls[i].count;
        below[i] = prof_rounded(c.calls[i].below);
    }
    size_t *chosen = largest_in_two(c.count, p->rows, counts, below, &n);
    for (size_t i = 0; i < n; i++) {
        const ProfCall *call = &c.calls[chosen[i]];
        json_t *row = json_array();
        prof_json_push(row, method_json(p, file, call->caller));
        prof_json_push(row, json_integer((json_int_t)call->bci));
        prof_json_push(row, json_integer((json_int_t)call->line));
        prof_json_push(row, method_json(p, file, call->callee));
        prof_json_push(row, count_json(call->count));
        prof_json_push(row, count_json(prof_rounded(call->below)));
        prof_json_push(calls, row);
    }
    free(chosen);
    for (size_t m = 0; m < f->method_count; m++) below[m] = prof_rounded(c.below[m]);
    chosen = largest_in_two(f->method_count, p->rows, c.entries, below, &n);
    for (size_t i = 0; i < n; i++) {
        if (!c.entries[chosen[i]]) continue;
        json_t *row = json_array();
        prof_json_push(row, method_json(p, file, chosen[i]));
        prof_json_push(row, count_json(c.entries[chosen[i]]));
        prof_json_push(row, count_json(prof_rounded(c.below[chosen[i]])));
        prof_json_push(methods, row);
    }
    free(chosen);
    free(counts);
    free(below);
    prof_json_put(o, "exact", json_boolean(c.exact));
    prof_json_put(o, "total", count_json(c.total));
    prof_json_put(o, "callCount", count_json(c.count));
    prof_json_put(o, "calls", calls);
    prof_json_put(o, "methods", methods);
    prof_calls_free(&c);
    return o;
}

// The tree of the profile's stacks called `name`, or with NULL of what there is (prof_context).
static json_t *tree_json(Page *p, const char *name, size_t nodes) {
    json_t *o = json_object(), *parents = json_array(), *methods = json_array(),
           *counts[2] = {json_array(), json_array()}, *inclusives[2] = {json_array(), json_array()},
           *exact = json_array(), *time = json_array(), *total = json_array(), *tick = json_array();
    ContextTree t = prof_context(p->files, p->file_count, p->methods, name, nodes);
    for (size_t i = 0; i < t.count; i++) {
        const ContextNode *n = &t.nodes[i];
        size_t file = n->method >= p->files[0].method_count;  // the file that defines the name's number
        prof_json_push(parents, json_integer(n->parent == CONTEXT_NONE ? -1 : (json_int_t)n->parent));
        prof_json_push(methods, method_json(p, file, n->method - (file ? p->files[0].method_count : 0)));
        for (size_t k = 0; k < p->file_count; k++) {
            prof_json_push(counts[k], count_json(n->count[k]));
            prof_json_push(inclusives[k], count_json(n->inclusive[k]));
        }
    }
    for (size_t k = 0; k < p->file_count; k++) {
        const ProfAnalysis *tree = prof_stack_tree(&p->files[k], name);
        prof_json_push(time, tree && prof_tick_ns(&p->files[k], tree) ? prof_json_text(tree->name) : json_null());
        prof_json_push(tick, count_json(tree ? prof_tick_ns(&p->files[k], tree) : 0));
        prof_json_push(exact, t.present[k] ? json_boolean(t.exact[k]) : json_null());
        prof_json_push(total, count_json(t.total[k]));
    }
    prof_json_put(o, "exact", exact);
    const ProfAnalysis *tree = prof_stack_tree(&p->files[0], name);
    bool filtered = p->file_count == 1 && t.places[0];
    prof_json_put(o, "name", tree ? prof_json_text(tree->name) : json_string("calls"));
    prof_json_put(o, "cells", filtered ? prof_cells_json(&p->files[0], tree, t.places[0], p->cells) : json_null());
    prof_json_put(o, "tickNs", tick);
    prof_json_put(o, "time", time);
    bool bytes = tree && prof_samples_bytes(tree);
    prof_json_put(o, "bytesOf", bytes ? count_json(prof_meta_number(&p->files[0], "alloc-every")) : json_null());
    prof_json_put(o, "total", total);
    prof_json_put(o, "left", count_json(t.left));
    prof_json_put(o, "parent", parents);
    prof_json_put(o, "method", methods);
    prof_json_put(o, "count", json_pack("[oo]", counts[0], counts[1]));
    prof_json_put(o, "inclusive", json_pack("[oo]", inclusives[0], inclusives[1]));
    prof_context_free(&t);
    return o;
}

// All trees: those of stacks that all files have; if there are none, one of what there is.
static json_t *trees_json(Page *p) {
    static const char *const names[] = {"cpu", "wall", "call-tree", "alloc-tree"};
    enum { NAMES = sizeof names / sizeof *names };
    const char *found[NAMES];
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++) {
        bool present = true;
        for (size_t k = 0; k < p->file_count; k++) present &= prof_stack_tree(&p->files[k], names[i]) != NULL;
        if (present) found[count++] = names[i];
    }
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) prof_json_push(list, tree_json(p, found[i], p->nodes / count));
    if (!count) prof_json_push(list, tree_json(p, NULL, p->nodes));
    return list;
}

// ---- sources -----------------------------------------------------------------------------------

// The lines of a file, which is closed here; NULL: it is larger than *room.
static json_t *text_json(FILE *in, size_t *room) {
    json_t *lines = json_array();
    char *line = NULL;
    size_t size = 0, taken = 0;
    while (getline(&line, &size, in) >= 0 && taken <= *room) {
        line[strcspn(line, "\r\n")] = '\0';
        taken += strlen(line) + 3;
        prof_json_push(lines, prof_json_text(line));
    }
    free(line);
    fclose(in);
    if (taken <= *room) {
        *room -= taken;
        return lines;
    }
    json_decref(lines);
    return NULL;
}

static json_t *source_json(const Page *p, const ProfFile *f, const ProfLine *lines, size_t n, size_t *room) {
    json_t *o = json_object(), *counts = json_array();
    char *path = prof_source_path(lines[0].method);
    FILE *in = p->o->source ? prof_open_source(lines[0].method, p->o->source) : NULL;
    json_t *text = in ? text_json(in, room) : NULL;
    prof_json_put(o, "path", prof_json_text(path));
    if (text) prof_json_put(o, "text", text);
    else
        prof_json_put(o, "why", json_string(in ? "too long for the page" : p->o->source ? "not found" : "no --source"));
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t sum = 0;
        for (next = i; next < n && lines[next].line == lines[i].line && lines[next].analysis == lines[i].analysis;
             next++)
            sum += lines[next].count;
        json_t *row = json_array();
        prof_json_push(row, json_integer(lines[i].line));
        prof_json_push(row, prof_json_text(f->analyses[lines[i].analysis].name));
        prof_json_push(row, count_json(sum));
        prof_json_push(counts, row);
    }
    prof_json_put(o, "counts", counts);
    free(path);
    return o;
}

// The sources with the largest counts; the others are only counted.
static json_t *sources_json(const Page *p, size_t file) {
    const ProfFile *f = &p->files[file];
    size_t n, count = 0, room = MOST_SOURCES, shown = 0;
    ProfLine *lines = prof_source_lines(f, p->o, &n);
    ProfRank *sources = prof_alloc(n * sizeof *sources);  // item: the first line
    for (size_t i = 0; i < n; i++) {
        if (!i || prof_compare_sources(&lines[i - 1], &lines[i]) != 0) sources[count++] = (ProfRank){0, i};
        sources[count - 1].weight += lines[i].count;
    }
    if (count) qsort(sources, count, sizeof *sources, prof_by_weight);
    json_t *o = json_object(), *list = json_array();
    for (size_t left = 10 * p->rows; shown < count && shown < p->sources; shown++) {
        const ProfLine *first = lines + sources[shown].item;
        size_t length = 1;
        while (first + length < lines + n && prof_compare_sources(first, first + length) == 0) length++;
        if (length > left) break;
        left -= length;
        prof_json_push(list, source_json(p, f, first, length, &room));
    }
    prof_json_put(o, "files", list);
    prof_json_put(o, "left", count_json(count - shown));
    free(sources);
    free(lines);
    return o;
}

// The findings that the report begins with: an array of lines.
static json_t *findings_json(const ProfFile *f) {
    char *text = NULL, *rest;
    size_t size;
    json_t *lines = json_array();
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    prof_print_findings(f, &(ProfOptions){.top = FINDINGS, .top_given = true}, out);
    fclose(out);
    char *line = strtok_r(text, "\n", &rest);
    while (line && (line = strtok_r(NULL, "\n", &rest)))
        prof_json_push(lines, prof_json_text(line));  // after the heading
    free(text);
    return lines;
}

// Collections of the heap, for the heat maps: [start in ms, pause in ms] each, the longest.
static json_t *collections_json(const ProfFile *f) {
    size_t count;
    ProfCollection *list = prof_collections(f, &count);
    uint64_t *pauses = prof_alloc(count * sizeof *pauses);
    size_t *chosen = prof_alloc(count * sizeof *chosen);
    for (size_t i = 0; i < count; i++) pauses[i] = list[i].pause_ns;
    size_t n = prof_largest(count, COLLECTIONS, pauses, chosen);
    json_t *o = json_array();
    for (size_t i = 0; i < n; i++) {
        const ProfCollection *c = &list[chosen[i]];
        prof_json_push(o, json_pack("[ff]", (double)c->start_ns / 1e6, (double)c->pause_ns / 1e6));
    }
    free(chosen);
    free(pauses);
    free(list);
    return o;
}

// ---- the data ----------------------------------------------------------------------------------

static json_t *file_json(Page *p, size_t file) {
    const ProfFile *f = &p->files[file];
    json_t *o = json_object(), *threads = json_array(), *analyses = json_array(), *sections = json_array();
    for (size_t i = 0; i < f->thread_count && i < THREADS; i++)
        prof_json_push(threads, prof_json_thread(&f->threads[i]));
    for (size_t i = 0; i < f->analysis_count; i++) prof_json_push(analyses, analysis_json(p, file, &f->analyses[i]));
    for (size_t i = 0; i < f->section_count; i++)
        prof_json_push(sections, prof_json_section(&f->sections[i], p->rows < SECTION_ROWS ? p->rows : SECTION_ROWS));
    prof_json_put(o, "path", prof_json_text(f->path));
    prof_json_put(o, "complete", json_boolean(f->complete));
    if (!f->complete) prof_json_put(o, "problem", prof_json_text(f->problem));
    prof_json_put(o, "exact", json_boolean(prof_is_exact(f)));
    prof_json_put(o, "header", prof_json_header(f));
    prof_json_put(o, "threads", threads);
    prof_json_put(o, "threadCount", count_json(f->thread_count));
    prof_json_put(o, "analyses", analyses);
    prof_json_put(o, "calls", calls_json(p, file));
    prof_json_put(o, "sections", sections);
    prof_json_put(o, "collections", collections_json(f));
    prof_json_put(o, "sources", sources_json(p, file));
    prof_json_put(o, "findings", findings_json(f));
    return o;
}

// The page's data as malloc'd text without less-than signs.
static char *data_text(Page *p) {
    json_t *data = json_object(), *files = json_array();
    p->method_list = json_array(), p->field_list = json_array(), p->string_list = json_array(),
    p->string_index = json_object();
    size_t methods = number_names(p, false, p->methods), fields = number_names(p, true, p->fields);
    p->seen_methods = prof_alloc(methods * sizeof *p->seen_methods);
    p->seen_fields = prof_alloc(fields * sizeof *p->seen_fields);
    for (size_t i = 0; i < p->file_count; i++) prof_json_push(files, file_json(p, i));
    prof_json_put(data, "files", files);
    prof_json_put(data, "trees", trees_json(p));
    if (p->file_count == 2) {
        ProfOptions o = {.top = p->rows < DIFFERENCES ? p->rows : DIFFERENCES, .top_given = true};
        prof_json_put(data, "overlap", prof_overlap_json(p->files, &o));
    }
    prof_json_put(data, "methods", p->method_list);
    prof_json_put(data, "fields", p->field_list);
    prof_json_put(data, "strings", p->string_list);
    char *text = json_dumps(data, JSON_COMPACT);
    if (!text) prof_out_of_memory();
    json_decref(data);
    json_decref(p->string_index);
    for (size_t i = 0; i < p->file_count; i++) {
        free(p->methods[i]);
        free(p->fields[i]);
    }
    free(p->seen_methods);
    free(p->seen_fields);
    return text;
}

// ---- the page ----------------------------------------------------------------------------------

// lib/page.html beside the program, or the installed one. malloc'd; NULL, with a message, if there is none.
static char *load_page(void) {
    char problem[256] = "", *path = prof_shipped("page.html");
    size_t size;
    uint8_t *bytes = path ? prof_load(path, &size, problem, sizeof problem) : NULL;
    free(path);
    if (!bytes) {
        fprintf(stderr, "cabernet-prof: lib/page.html is missing%s%s: `make` builds it\n", *problem ? ": " : "",
                problem);
        return NULL;
    }
    char *text = realloc(bytes, size + 1);
    if (!text) prof_out_of_memory();
    text[size] = '\0';
    return text;
}

int prof_page(const ProfFile *files, const ProfOptions *o, FILE *out) {
    char *page = load_page(), *at = page ? strstr(page, marker) : NULL;
    if (page && !at) fputs("cabernet-prof: lib/page.html has no place for the data; `make` builds it\n", stderr);
    if (!at) {
        free(page);
        return 2;
    }
    Page p = {.files = files,
              .file_count = o->file_count,
              .o = o,
              .rows = ROWS,
              .nodes = NODES,
              .sources = ROWS,
              .cells = CELLS};
    char *data = data_text(&p);
    while (strlen(data) > MOST_DATA && p.rows > LEAST_ROWS) {
        free(data);
        p.rows /= 2, p.nodes /= 2, p.sources /= 2, p.cells /= 2;
        data = data_text(&p);
    }
    fwrite(page, 1, (size_t)(at - page), out);
    for (const char *c = data; *c; c++) {
        if (*c == '<') fputs("\\u003c", out);
        else putc(*c, out);
    }
    fputs(at + sizeof marker - 1, out);
    free(data);
    free(page);
    return 0;
}
