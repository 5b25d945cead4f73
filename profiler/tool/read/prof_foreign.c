// Makes a profile comparable with an imported one (prof_file.h).
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/read/prof_file.h"

typedef struct Named {
    const ProfMethod *method;
    size_t number;
} Named;

static int by_name(const void *x, const void *y) {
    const ProfMethod *a = ((const Named *)x)->method, *b = ((const Named *)y)->method;
    int order = strcmp(a->class_name, b->class_name);
    return order ? order : strcmp(a->name, b->name);
}

// By method: a number shared by methods with the same class and name.
static uint32_t *number_names(const ProfFile *f) {
    Named *sorted = prof_alloc(f->method_count * sizeof *sorted);
    uint32_t *numbers = prof_alloc(f->method_count * sizeof *numbers), number = 0;
    for (size_t i = 0; i < f->method_count; i++) sorted[i] = (Named){&f->methods[i], i};
    if (f->method_count) qsort(sorted, f->method_count, sizeof *sorted, by_name);
    for (size_t i = 0; i < f->method_count; i++) {
        number += i > 0 && by_name(&sorted[i - 1], &sorted[i]) != 0;
        numbers[sorted[i].number] = number;
    }
    free(sorted);
    return numbers;
}

// Removes recursion: returns by row the row below which its children go, and updates `parents`. When overloaded methods
// are merged, more calls are recursive.
static size_t *fold_names(const ProfAnalysis *a, const ProfTable *t, const uint32_t *numbers, size_t *parents) {
    int callee = prof_column(a, "callee");
    size_t *below = prof_alloc(t->rows * sizeof *below);
    for (size_t k = 0; k < t->rows; k++) {
        if (parents[k] != PROF_NO_ROW) parents[k] = below[parents[k]];
        below[k] = k;
        for (size_t up = parents[k]; numbers && callee >= 0 && up != PROF_NO_ROW && below[k] == k; up = parents[up])
            if (numbers[prof_row(a, t, up)[callee]] == numbers[prof_row(a, t, k)[callee]]) below[k] = up;
    }
    return below;
}

static bool of_kind(const ProfAnalysis *a, int column, uint32_t kind) {
    return column >= 0 && a->columns[column].kind == kind;
}

static void tree_as_imported(const ProfFile *f, ProfAnalysis *a, const uint32_t *numbers) {
    int caller = prof_column(a, "caller"), callee = prof_column(a, "callee");
    if (!of_kind(a, caller, FORMAT_COLUMN_METHOD) || !of_kind(a, callee, FORMAT_COLUMN_METHOD)) return;
    size_t thread = 0;
    while (thread < f->method_count &&
           !(f->methods[thread].flags & FORMAT_METHOD_PSEUDO && strcmp(f->methods[thread].name, "<thread>") == 0))
        thread++;
    size_t *above = prof_parents(a, &a->merged), *parents = prof_parents(a, &a->merged),
           *below = fold_names(a, &a->merged, numbers, parents);
    for (size_t k = 0; k < a->merged.rows; k++) {
        const uint64_t *row = prof_row(a, &a->merged, k);
        uint64_t own = row[caller];
        if (f->methods[own].flags & FORMAT_METHOD_PSEUDO)
            prof_set_cell(&a->merged, k, caller,
                          above[k] != PROF_NO_ROW        ? prof_row(a, &a->merged, above[k])[callee]
                              : thread < f->method_count ? thread
                                                         : own);
        uint64_t parent = parents[k] == PROF_NO_ROW ? 0 : prof_row(a, &a->merged, parents[k])[0];
        prof_set_cell(&a->merged, k, 1, parent);
        prof_set_cell(&a->merged, k, 0, prof_step_hash(f, a, prof_row(a, &a->merged, k), parent));
    }
    free(above), free(parents), free(below);
}

// A pseudo-caller in call edges stands for the methods on whose behalf the VM called; only the tree knows them.
static void edges_as_in_tree(ProfFile *f, ProfAnalysis *edges, const ProfAnalysis *tree) {
    static const char *const names[] = {"caller", "bci", "line", "callee"};
    enum { COLUMNS = sizeof names / sizeof *names };
    int from[COLUMNS];
    bool fits = edges->column_count == COLUMNS && edges->merged.total == tree->merged.total;
    for (int c = 0; c < COLUMNS; c++) {
        from[c] = prof_column(tree, names[c]);
        fits = fits && from[c] >= 0 && prof_column(edges, names[c]) == c &&
            edges->columns[c].kind == tree->columns[from[c]].kind;
    }
    if (!fits) return;
    ProfTable *t = &edges->merged;
    t->rows = tree->merged.rows;
    t->wide = (1u << (COLUMNS + 1)) - 1;
    for (uint32_t c = 0; c <= COLUMNS; c++) t->offset[c] = (uint8_t)(c * sizeof(uint64_t));
    t->stride = (COLUMNS + 1) * sizeof(uint64_t);
    t->cells = prof_keep(f, t->rows, t->stride);
    for (size_t k = 0; k < t->rows; k++) {
        const uint64_t *row = prof_row(tree, &tree->merged, k);
        for (int c = 0; c < COLUMNS; c++) prof_set_cell(t, k, c, row[from[c]]);
        prof_set_cell(t, k, COLUMNS, prof_row_count(tree, row));
    }
}

// Rows that become equal stay separate; the comparison adds them up.
void prof_as_imported(ProfFile *f, bool names) {
    uint32_t *numbers = names ? number_names(f) : NULL;
    for (size_t m = 0; m < f->method_count && names; m++) {
        f->methods[m].desc = "";
        f->methods[m].hash = prof_method_hash(&f->methods[m]);
    }
    for (size_t i = 0; i < f->analysis_count; i++) {
        ProfAnalysis *a = &f->analyses[i];
        int places[] = {prof_column(a, "bci"), prof_column(a, "line")};
        for (size_t k = 0; k < a->merged.rows && names; k++)
            for (int c = 0; c < 2; c++)
                if (of_kind(a, places[c], FORMAT_COLUMN_SIGNED)) prof_set_cell(&a->merged, k, places[c], (uint64_t)-1);
        if (prof_is_tree(a)) tree_as_imported(f, a, numbers);
    }
    const ProfAnalysis *tree = prof_call_tree(f);
    for (size_t i = 0; i < f->analysis_count && tree; i++)
        if (strcmp(f->analyses[i].name, "call-edge") == 0) edges_as_in_tree(f, &f->analyses[i], tree);
    free(numbers);
}
