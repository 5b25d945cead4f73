// `cabernet-prof export --lcov`: source coverage as an lcov tracefile (man geninfo), which genhtml displays: methods,
// lines and branches, with 0 for those never reached. The class files on the class path (prof_classes.h) say what could
// be reached; for a class without a file the output has only what was executed.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bytecode/classfile/opcodes.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/export/prof_coverage.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/export/prof_smap.h"
#include "profiler/tool/read/prof_classes.h"
#include "profiler/tool/view/prof_source.h"

typedef enum ItemKind { ITEM_METHOD, ITEM_EDGE, ITEM_LINE } ItemKind;

// One entry of the output.
typedef struct Item {
    const char *path;    // of the source
    const char *method;  // ITEM_METHOD: its name
    uint32_t line;
    ItemKind kind;
    uint64_t place;  // of an instruction: encodes its method and bytecode index
    uint64_t edge;   // ITEM_EDGE
    uint64_t count;
    bool inlined;  // from another source than that of its class
} Item;

// Sources of the code of a class.
typedef struct Sources {
    const char *path;  // of the class's source
    Smap map;          // its source map; empty: all lines are of that source
} Sources;

typedef struct Lcov {
    const ProfFile *f;
    const ProfOptions *o;
    CoverageCounts *counts;
    Item *items;
    size_t count, capacity;
    char **texts;  // owned by the items
    size_t text_count, text_capacity;
    HashTable classes;  // class files already read: index of the name in `names`, plus 1
    char **names;
    size_t name_count, name_capacity;
    bool *known;        // by method of the profile: its class file was read
    bool others;        // this pass takes class files that the profile does not list as run
    size_t changed;     // number of class files that differ from those that ran
    char *one_changed;  // the name of one of them
    uint64_t places;
} Lcov;

// ---- items -------------------------------------------------------------------------------------

static int compare_items(const void *x, const void *y) {
    const Item *a = x, *b = y;
    int order = strcmp(a->path, b->path);
    if (order) return order;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static void add_item(Lcov *w, Item item) {
    if (!GROW(w->items, w->capacity, w->count + 1)) prof_out_of_memory();
    w->items[w->count++] = item;
}

// Takes over a malloc'd text.
static char *keep(Lcov *w, char *text) {
    if (!GROW(w->texts, w->text_capacity, w->text_count + 1)) prof_out_of_memory();
    return w->texts[w->text_count++] = text;
}

// ---- class files -------------------------------------------------------------------------------

// A class's name with dots; NULL: a loader would not load it from this file, because the file's name does not match or
// an earlier file on the class path has that name.
static const char *first_of_name(Lcov *w, const ClassFile *cf, const char *file) {
    ClassFileUtf8 utf8 = classfile_this_name(cf);
    char *name = prof_class_text(utf8.ptr, utf8.len);
    bool is_its_file = strncmp(file, name, strlen(name)) == 0 && strcmp(file + strlen(name), ".class") == 0;
    for (char *p = name; *p; p++)
        if (*p == '/') *p = '.';
    if (!is_its_file || hash_find(&w->classes, &prof_text_kind, &w->names, hash_string(name), name)) {
        free(name);
        return NULL;
    }
    if (!GROW(w->names, w->name_capacity, w->name_count + 1)) prof_out_of_memory();
    w->names[w->name_count++] = name;
    if (!hash_add(&w->classes, &prof_text_kind, &w->names, hash_string(name), w->name_count)) prof_out_of_memory();
    return name;
}

static char *defused(ClassFileUtf8 utf8) { return prof_class_text(utf8.ptr, utf8.len); }

// The source and line of an instruction. False: it has none.
static bool locate(Lcov *w, const Sources *s, const ClassFileCode *code, uint32_t bci, const char **path,
                   uint32_t *line) {
    int number = classfile_line_of(code, bci);
    *path = s->path;
    *line = number > 0 ? (uint32_t)number : 0;
    if (!*line || !s->map.file_count) return *line != 0;
    const char *source = smap_source(&s->map, line);
    if (!source || !*line) return false;
    if (strcmp(source, s->map.files[0].path) != 0 && strcmp(source, s->path) != 0) {
        char *copy = strdup(source);
        if (!copy) prof_out_of_memory();
        *path = keep(w, copy);
    }
    return true;
}

// Adds the edges of a branch; switch edges with the same target are one edge.
static void add_edges(Lcov *w, const char *path, uint32_t line, bool inlined, uint64_t place, const Coverage *c,
                      const PathBlock *b) {
    const PathEdge *edges = &c->graph->edges[b->first_edge];
    const uint64_t *taken = &c->edges[b->first_edge];
    size_t first = w->count;
    for (uint32_t i = 0, kinds = 0; i < b->edge_count; i++) {
        size_t same = 0;
        while (b->edge_count > 2 && same < i && edges[same].to != edges[i].to) same++;
        if (b->edge_count > 2 && same < i) {
            for (size_t k = first; k < w->count; k++)
                if (w->items[k].edge == edges[i].to) w->items[k].count += taken[i];
            continue;
        }
        add_item(
            w,
            (Item){path, NULL, line, ITEM_EDGE, place, b->edge_count > 2 ? edges[i].to : kinds++, taken[i], inlined});
    }
    if (b->edge_count <= 2) return;
    for (size_t k = first; k < w->count; k++) w->items[k].edge = k - first;  // in case order
    if (w->count - first < 2) w->count = first;
}

// Adds a method's code. Adjacent instructions of one line are one item.
static void add_code(Lcov *w, const Sources *s, const ClassFileCode *code, const Coverage *c) {
    uint64_t place = w->places;
    int before = 0;
    for (uint32_t bci = 0, length; bci < code->code_len; bci += length) {
        int number = classfile_line_of(code, bci);
        const char *path;
        uint32_t line;
        length = opcodes_length(code->code, code->code_len, bci);
        if (number > 0 && number == before && w->count && w->items[w->count - 1].place >= place) {
            Item *last = &w->items[w->count - 1];
            last->count = c->at[bci] > last->count ? c->at[bci] : last->count;
        } else if (number > 0 && number != before && locate(w, s, code, bci, &path, &line)) {
            add_item(w, (Item){path, NULL, line, ITEM_LINE, place + bci, 0, c->at[bci], path != s->path});
        } else if (number > 0) {
            number = 0;  // the map has no line for it: the next instruction starts a new item
        }
        before = number;
        if (!length) break;
    }
    w->places += code->code_len;
    for (uint32_t i = 0; c->graph && c->branches && i < c->graph->block_count; i++) {
        const PathBlock *b = &c->graph->blocks[i];
        const char *path;
        uint32_t line;
        if (b->edge_count > 1 && locate(w, s, code, b->last, &path, &line))
            add_edges(w, path, line, path != s->path, place + b->last, c, b);
    }
}

static bool passes(const Lcov *w, const ProfMethod *m) {
    bool pass = w->o->filter_count == 0;
    for (size_t i = 0; i < w->o->filter_count && !pass; i++) pass = prof_match(m, w->o->filters[i]);
    return pass;
}

// The line of a method is that of its first instruction from its own source; 0: it has none.
static uint32_t first_line(Lcov *w, const Sources *s, const ClassFileCode *code) {
    for (uint32_t bci = 0, length; bci < code->code_len; bci += length) {
        const char *path;
        uint32_t line;
        length = opcodes_length(code->code, code->code_len, bci);
        if (locate(w, s, code, bci, &path, &line) && path == s->path) return line;
        if (!s->map.file_count || !length) break;
    }
    return 0;
}

static void add_method(Lcov *w, const Sources *s, const ProfMethod *m, const ClassFile *cf, const ClassFileMethod *k) {
    const uint32_t *methods;
    size_t count = coverage_methods(w->counts, m->class_name, m->name, m->desc, &methods);
    for (size_t i = 0; i < count; i++) w->known[methods[i]] = true;
    // Compiler-generated methods are not in the source, except lambda bodies.
    bool generated = (k->access_flags & ACC_SYNTHETIC || k->marks & CFM_SYNTHETIC) &&
        strncmp(m->name, "lambda$", 7) != 0;
    if (!k->code || !k->code->line_count || generated || !passes(w, m)) return;
    Coverage c;
    coverage_of(w->counts, methods, count, cf, k->code, &c);
    add_code(w, s, k->code, &c);
    uint32_t line = first_line(w, s, k->code);
    if (line)
        add_item(w, (Item){s->path, keep(w, prof_method_exact(m)), line, ITEM_METHOD, w->places, 0, c.entries, false});
    coverage_free(&c);
}

// A class file that differs from the one that ran says nothing about the run. Files that ran are taken first: a loader
// may have taken another file than the first with that name.
static void note_changed(Lcov *w, const char *file) {
    char *name = prof_class_name(file);
    if (hash_find(&w->classes, &prof_text_kind, &w->names, hash_string(name), name)) {
        free(name);
        return;
    }
    w->changed++;
    if (w->one_changed) free(name);
    else w->one_changed = name;
}

static void add_class(void *arg, const char *file, const uint8_t *bytes, size_t size, ProfMatch match) {
    Lcov *w = arg;
    ClassFileError error;
    if ((match != CLASS_SAME) != w->others) return;
    if (match == CLASS_OTHER) {
        note_changed(w, file);
        return;
    }
    ClassFile *cf = classfile_parse(bytes, size, NULL, &error);
    if (!cf) fprintf(stderr, "cabernet-prof: %s: %s\n", file, error.msg);
    const char *name = cf ? first_of_name(w, cf, file) : NULL;
    if (name && cf->source_file_index) {
        char *source = defused(classfile_utf8(cf, cf->source_file_index));
        ProfMethod m = {.class_name = name, .source = source, .flags = FORMAT_METHOD_APPLICATION};
        Sources s = {.path = keep(w, prof_source_path(&m))};
        if (cf->source_debug.ptr) smap_read(&s.map, (const char *)cf->source_debug.ptr, cf->source_debug.len);
        for (uint32_t i = 0; i < cf->method_count; i++) {
            char *method = defused(classfile_utf8(cf, cf->methods[i].name_index)),
                 *desc = defused(classfile_utf8(cf, cf->methods[i].desc_index));
            m.name = method, m.desc = desc;
            add_method(w, &s, &m, cf, &cf->methods[i]);
            free(method), free(desc);
        }
        smap_free(&s.map);
        free(source);
    }
    if (cf) classfile_free(cf);
}

// ---- classes without a class file --------------------------------------------------------------

// Adds rows of branches and other analyses with lines, for classes whose file was not read. Returns their number.
static size_t add_rows(Lcov *w, uint16_t analysis, char *const *paths) {
    const ProfAnalysis *a = &w->f->analyses[analysis];
    int bci, line = prof_column(a, "line"), method = prof_place_method(a, "bci", &bci), edge = prof_column(a, "edge");
    size_t n = 0;
    if (line < 0 || method < 0 || strcmp(a->name, "path") == 0 || a->columns[line].kind != FORMAT_COLUMN_SIGNED)
        return 0;
    ProfView v = prof_view(w->f, a, &a->merged, w->o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        uint32_t m = (uint32_t)row[method];
        int64_t at = (int64_t)row[line], b = (int64_t)row[bci];
        if (w->known[m] ||
            (w->o->filter_count ? !passes(w, &w->f->methods[m])
                                : !(w->f->methods[m].flags & FORMAT_METHOD_APPLICATION)))
            continue;
        if (!paths[m] || at <= 0 || at > INT32_MAX || b < 0 || b > UINT16_MAX || !prof_row_count(a, row)) continue;
        if (edge >= 0 && row[edge] > UINT32_MAX) continue;  // impossible edge number
        uint64_t place = w->places + (((uint64_t)analysis * w->f->method_count + m) << 16) + (uint64_t)b;
        add_item(w, (Item){paths[m], NULL, (uint32_t)at, ITEM_LINE, place, 0, prof_row_count(a, row), false});
        if (edge >= 0)
            add_item(w,
                     (Item){paths[m], NULL, (uint32_t)at, ITEM_EDGE, place, row[edge], prof_row_count(a, row), false});
        n++;
    }
    prof_view_free(&v);
    return n;
}

// ---- output ------------------------------------------------------------------------------------

typedef struct Total {
    uint64_t found, hit;
} Total;

static void add_total(Total *t, uint64_t count) {
    t->found++;
    t->hit += count > 0;
}

static size_t write_methods(const Item *p, size_t n, FILE *out) {
    Total t = {0};
    size_t end = 0;
    for (; end < n && p[end].kind == ITEM_METHOD; end++) fprintf(out, "FN:%u,%s\n", p[end].line, p[end].method);
    for (size_t i = 0; i < end; i++) {
        fprintf(out, "FNDA:%llu,%s\n", (unsigned long long)p[i].count, p[i].method);
        add_total(&t, p[i].count);
    }
    if (end) fprintf(out, "FNF:%llu\nFNH:%llu\n", (unsigned long long)t.found, (unsigned long long)t.hit);
    return end;
}

// The edges of one branch. Without a class file a profile knows only the edges that were taken: a conditional branch
// has two edges; a switch may have more than the highest one taken.
static void write_branch(const Item *p, size_t n, unsigned block, Total *t, FILE *out) {
    enum { MOST_EDGES = 1 << 16 };
    uint64_t edges = p[n - 1].edge + 1 < 2 ? 2 : p[n - 1].edge + 1;
    size_t at = 0;
    for (uint64_t e = 0; e < edges; e++) {
        if (edges > MOST_EDGES && p[at].edge != e) e = p[at].edge;  // not a switch: the file is not trustworthy
        uint64_t count = 0;
        for (; at < n && p[at].edge == e; at++) count += p[at].count;
        fprintf(out, "BRDA:%u,%u,%llu,%llu\n", p->line, block, (unsigned long long)e, (unsigned long long)count);
        add_total(t, count);
    }
}

static size_t write_branches(const Item *p, size_t n, FILE *out) {
    Total t = {0};
    size_t i = 0;
    for (size_t end, block = 0; i < n && p[i].kind == ITEM_EDGE; i = end, block++) {
        if (i == 0 || p[i].line != p[i - 1].line) block = 0;
        for (end = i + 1;
             end < n && p[end].kind == ITEM_EDGE && p[end].line == p[i].line && p[end].place == p[i].place;)
            end++;
        write_branch(p + i, end - i, (unsigned)block, &t, out);
    }
    if (t.found) fprintf(out, "BRF:%llu\nBRH:%llu\n", (unsigned long long)t.found, (unsigned long long)t.hit);
    return i;
}

// A line's count is the highest count of its instructions.
static void write_lines(const Item *p, size_t n, FILE *out) {
    Total t = {0};
    for (size_t i = 0; i < n;) {
        uint32_t line = p[i].line;
        uint64_t most = 0;
        while (i < n && p[i].line == line) {
            uint64_t count = 0, place = p[i].place;
            for (; i < n && p[i].line == line && p[i].place == place; i++) count += p[i].count;
            if (count > most) most = count;
        }
        fprintf(out, "DA:%u,%llu\n", line, (unsigned long long)most);
        add_total(&t, most);
    }
    fprintf(out, "LF:%llu\nLH:%llu\nend_of_record\n", (unsigned long long)t.found, (unsigned long long)t.hit);
}

static void write_all(Lcov *w, FILE *out) {
    qsort(w->items, w->count, sizeof *w->items, compare_items);
    fputs("TN:cabernet\n", out);
    for (size_t i = 0, end; i < w->count; i = end) {
        bool own = !w->items[i].inlined;  // not only inlined functions, as in the sources of a library
        for (end = i + 1; end < w->count && strcmp(w->items[end].path, w->items[i].path) == 0;)
            own |= !w->items[end++].inlined;
        if (!own) continue;
        char *path = w->o->source ? prof_find_source(w->items[i].path, w->o->source) : NULL;
        fprintf(out, "SF:%s\n", path ? path : w->items[i].path);
        free(path);
        size_t at = i + write_methods(w->items + i, end - i, out);
        at += write_branches(w->items + at, end - at, out);
        write_lines(w->items + at, end - at, out);
    }
}

// Messages about zeros in the output that do not mean "not executed".
static void note(const Lcov *w, size_t rows) {
    if (rows)
        fputs("cabernet-prof: of classes that are not on the class path the file has what was executed, and not what "
              "was not; --classes names their folders and archives\n",
              stderr);
    if (w->changed) {
        const ProfClass *c = prof_class(w->f, w->one_changed);
        fprintf(stderr, "cabernet-prof: %zu class files of the class path are not those that ran, and are not used: %s",
                w->changed, w->one_changed);
        if (c && c->origin) fprintf(stderr, ", which came from %s", c->origin);
        fputs(w->changed > 1 ? ", and others\n" : "\n", stderr);
    }
    if (!w->name_count) return;
    if (!prof_analysis(w->f, "path"))
        fputs("cabernet-prof: path was not recorded: code after an exception counts as executed, and its "
              "handler as not, unless a call, field or branch says otherwise\n",
              stderr);
    if (prof_meta(w->f, "scope", NULL))
        fprintf(stderr,
                "cabernet-prof: the profile is of scope=%s: all else counts as not executed; --filter leaves it out\n",
                prof_meta(w->f, "scope", ""));
}

int prof_export_lcov(const ProfFile *f, const ProfOptions *o, FILE *out) {
    Lcov w = {.f = f, .o = o, .counts = coverage_counts(f, o), .known = prof_alloc(f->method_count + 1)};
    bool any = false;
    size_t rows = 0;
    char **paths = prof_alloc((f->method_count + 1) * sizeof *paths);
    for (size_t a = 0; a < f->analysis_count; a++) any |= coverage_knows(&f->analyses[a], o);
    const char *class_path = o->classes ? o->classes : prof_meta(f, "class-path", NULL);
    if (any && class_path && prof_is_exact(f)) {
        prof_each_class(f, class_path, add_class, &w);
        w.others = true;
        prof_each_class(f, class_path, add_class, &w);
    } else if (any && o->classes)
        fputs(
            "cabernet-prof: --classes is of no use: the profile has samples, which do not say what was not executed\n",
            stderr);
    for (size_t m = 0; m < f->method_count; m++) paths[m] = prof_source_path(&f->methods[m]);
    for (size_t a = 0; a < f->analysis_count; a++)
        if (coverage_knows(&f->analyses[a], o)) rows += add_rows(&w, (uint16_t)a, paths);
    if (w.count) {
        write_all(&w, out);
        note(&w, rows);
    } else {
        fprintf(stderr,
                "cabernet-prof: %s has no counts of lines%s: record path, or branch, and call-edge, field-site or "
                "receiver\n",
                f->path, o->filter_count ? " that pass the filter" : " of the program");
    }
    int code = w.count ? 0 : 1;
    for (size_t m = 0; m < f->method_count; m++) free(paths[m]);
    free(paths);
    for (size_t i = 0; i < w.text_count; i++) free(w.texts[i]);
    for (size_t i = 0; i < w.name_count; i++) free(w.names[i]);
    free(w.one_changed);
    free(w.texts), free(w.names), free(w.items), free(w.known);
    hash_free(&w.classes);
    coverage_counts_free(w.counts);
    return code;
}
