// Queries on a profile that has been read (prof_file.h), shared by the commands.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/read/prof_file.h"

const ProfAnalysis *prof_analysis(const ProfFile *f, const char *name) {
    for (size_t i = 0; i < f->analysis_count; i++)
        if (strcmp(f->analyses[i].name, name) == 0) return &f->analyses[i];
    return NULL;
}

int prof_column(const ProfAnalysis *a, const char *name) {
    for (uint32_t i = 0; i < a->column_count; i++)
        if (strcmp(a->columns[i].name, name) == 0) return (int)i;
    return -1;
}

const ProfSection *prof_section(const ProfFile *f, const char *name) {
    for (size_t i = 0; i < f->section_count; i++)
        if (strcmp(f->sections[i].name, name) == 0) return &f->sections[i];
    return NULL;
}

int prof_section_column(const ProfSection *s, const char *name, SectionKind kind) {
    for (uint32_t c = 0; c < s->column_count; c++)
        if (strcmp(s->columns[c].name, name) == 0 && s->columns[c].kind == kind) return (int)c;
    return -1;
}

int prof_place_method(const ProfAnalysis *a, const char *place, int *column) {
    int method = -1;
    *column = prof_column(a, place);
    for (int c = 0; c < *column; c++)
        if (a->columns[c].kind == FORMAT_COLUMN_METHOD) method = c;
    return *column >= 0 && a->columns[*column].kind == FORMAT_COLUMN_SIGNED ? method : -1;
}

const ProfClass *prof_class(const ProfFile *f, const char *name) {
    return f->class_count ? bsearch(&name, f->classes, f->class_count, sizeof *f->classes, prof_by_text) : NULL;
}

const char *prof_meta(const ProfFile *f, const char *key, const char *otherwise) {
    for (size_t i = 0; i < f->meta_count; i++)
        if (strcmp(f->meta[i].key, key) == 0) return f->meta[i].value;
    return otherwise;
}

uint64_t prof_meta_number(const ProfFile *f, const char *key) { return strtoull(prof_meta(f, key, "0"), NULL, 10); }

uint64_t prof_started_ns(const ProfFile *f) {
    struct tm tm = {0};
    const char *rest = strptime(prof_meta(f, "started", ""), "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest) return 0;
    // Profiles of older versions have whole seconds.
    uint64_t fraction = 0, unit = 1000 * 1000 * 1000;
    if (*rest == '.')
        while (*++rest >= '0' && *rest <= '9') fraction += (uint64_t)(*rest - '0') * (unit /= 10);
    return (uint64_t)timegm(&tm) * 1000 * 1000 * 1000 + fraction;
}

bool prof_accounts(const ProfFile *f, char *why) {
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        uint64_t merged = a->merged.total, threads = 0;
        for (size_t t = 0; t < f->thread_count; t++) threads += a->threads[t].total;
        const char *what = a->produced != a->recorded + a->lost ? "produced is not recorded + lost"
            : merged != a->recorded                             ? "the rows do not add up to what was recorded"
            : threads != merged                                 ? "the threads do not add up to the sum"
                                                                : NULL;
        if (!what) continue;
        snprintf(why, 256, "%s: %s (produced %llu, recorded %llu, lost %llu, rows %llu, threads %llu)", a->name, what,
                 (unsigned long long)a->produced, (unsigned long long)a->recorded, (unsigned long long)a->lost,
                 (unsigned long long)merged, (unsigned long long)threads);
        return false;
    }
    return true;
}

// ---- trees ---------------------------------------------------------------------------------------

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text) {
    uint64_t word = 0;
    int n = 0;
    for (; *text; text++) {
        word = word << 8 | (unsigned char)*text;
        if (++n % 8 == 0) h = mix(h, word);
    }
    return mix(h, word + (uint64_t)n);
}

uint64_t prof_method_hash(const ProfMethod *m) {
    return mix_text(mix_text(mix_text(0, m->class_name), m->name), m->desc);
}

// Hashes the columns after the two nodes, except the line.
uint64_t prof_step_hash(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint64_t h) {
    for (uint32_t c = 2; c < a->column_count; c++) {
        if (a->columns[c].kind == FORMAT_COLUMN_METHOD) {
            h = mix(h, f->methods[row[c]].hash);
        } else if (a->columns[c].kind == FORMAT_COLUMN_WORD) {
            for (const char *s = f->strings[row[c]]; *s; s++) h = mix(h, (unsigned char)*s);
        } else if (strcmp(a->columns[c].name, "line") != 0) {
            h = mix(h, row[c]);
        }
    }
    h = mix(h, h >> 32);
    return h ? h : 1;
}

size_t *prof_parents(const ProfAnalysis *a, const ProfTable *t) {
    size_t *parents = prof_alloc(t->rows * sizeof *parents), at = PROF_NO_ROW;
    for (size_t i = 0; i < t->rows; i++) {
        while (at != PROF_NO_ROW && prof_row(a, t, at)[0] != prof_row(a, t, i)[1]) at = parents[at];
        parents[i] = at;
        at = i;
    }
    return parents;
}

ProfRank *prof_nodes(const ProfAnalysis *a) {
    size_t rows = a->merged.rows;
    ProfRank *nodes = prof_alloc(rows * sizeof *nodes);
    for (size_t i = 0; i < rows; i++) nodes[i] = (ProfRank){prof_row(a, &a->merged, i)[0], i};
    if (rows) qsort(nodes, rows, sizeof *nodes, prof_by_number);
    return nodes;
}

size_t prof_row_of_node(const ProfAnalysis *a, const ProfRank *nodes, uint64_t node) {
    const ProfRank *found = bsearch(&node, nodes, a->merged.rows, sizeof *nodes, prof_by_number);
    return found ? found->item : PROF_NO_ROW;
}

static const ProfAnalysis *tree_of_calls(const ProfFile *f, const char *name) {
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        int callee = prof_column(a, "callee");
        if (strcmp(a->name, name) == 0 && prof_is_tree(a) && callee >= 0 &&
            a->columns[callee].kind == FORMAT_COLUMN_METHOD)
            return a;
    }
    return NULL;
}

const ProfAnalysis *prof_call_tree(const ProfFile *f) { return tree_of_calls(f, "call-tree"); }

const ProfAnalysis *prof_stack_tree(const ProfFile *f, const char *name) {
    static const char *const names[] = {"call-tree", "cpu", "wall", "alloc-tree"};
    const ProfAnalysis *a = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !a; i++)
        if (!name || strcmp(name, names[i]) == 0) a = tree_of_calls(f, names[i]);
    return a;
}

bool prof_samples_bytes(const ProfAnalysis *a) { return strcmp(a->name, "alloc-tree") == 0; }

uint64_t prof_tick_ns(const ProfFile *f, const ProfAnalysis *a) {
    bool cpu = strncmp(a->name, "cpu", 3) == 0, wall = strncmp(a->name, "wall", 4) == 0;
    uint64_t hz = cpu ? prof_meta_number(f, "cpu-hz") : wall ? prof_meta_number(f, "wall-hz") : 0;
    return hz ? 1000 * 1000 * 1000 / hz : 0;
}
