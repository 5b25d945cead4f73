// Storing and evaluating pairs. Processor time is the measure, because it excludes the time in which another process
// had the processor. Wall time is also shown.
#include "benchmarks/harness/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/stats.h"

static const char columns[] = "program,layout,first,iterations,a_cpu_ns,a_wall_ns,a_preempted,a_peak_kib,"
                              "b_cpu_ns,b_wall_ns,b_preempted,b_peak_kib\n";

Program *pairs_program(Measurement *m, const char *name) {
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->programs[i].name, name) == 0) return &m->programs[i];
    GROW_OR_EXIT(m->programs, m->capacity, m->n + 1);
    m->programs[m->n] = (Program){.name = strdup(name)};
    return &m->programs[m->n++];
}

void pairs_add(Program *p, Pair pair) {
    GROW_OR_EXIT(p->pairs, p->capacity, p->n + 1);
    p->pairs[p->n++] = pair;
}

void pairs_free(Measurement *m) {
    for (size_t i = 0; i < m->n; i++) {
        free(m->programs[i].name);
        free(m->programs[i].pairs);
    }
    free(m->programs);
    free(m->text[0]);
    free(m->text[1]);
    free(m->mode);
    *m = (Measurement){0};
}

// ---- the file --------------------------------------------------------------------------------------

void pairs_write_head(FILE *out, const Measurement *m) {
    fprintf(out, "# cabernet-bench: 1\n# mode: %s\n# a: %s\n# b: %s\n%s", m->mode, m->text[0], m->text[1], columns);
}

void pairs_write(FILE *out, const char *program, const Pair *p) {
    const Cost *a = &p->cost[0], *b = &p->cost[1];
    fprintf(out, "%s,%d,%c,%d,%.0f,%.0f,%ld,%ld,%.0f,%.0f,%ld,%ld\n", program, p->layout, 'a' + p->first, p->iterations,
            a->cpu_ns, a->wall_ns, a->preempted, a->peak_kib, b->cpu_ns, b->wall_ns, b->preempted, b->peak_kib);
}

static void read_head(Measurement *m, char *line) {
    char **const fields[] = {&m->mode, &m->text[0], &m->text[1]};
    static const char *const keys[] = {"# mode: ", "# a: ", "# b: "};
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(keys[i]);
        if (strncmp(line, keys[i], length) == 0) {
            free(*fields[i]);
            *fields[i] = strdup(line + length);
        }
    }
}

static bool read_pair(Measurement *m, const char *line) {
    char name[200], first;
    int end = 0;
    Pair p;
    Cost *a = &p.cost[0], *b = &p.cost[1];
    int n = sscanf(line, "%199[^,],%d,%c,%d,%lf,%lf,%ld,%ld,%lf,%lf,%ld,%ld%n", name, &p.layout, &first, &p.iterations,
                   &a->cpu_ns, &a->wall_ns, &a->preempted, &a->peak_kib, &b->cpu_ns, &b->wall_ns, &b->preempted,
                   &b->peak_kib, &end);
    if (n != 12 || line[end] != '\n' || (first != 'a' && first != 'b') || p.iterations < 1) return false;
    for (int s = 0; s < 2; s++)
        if (!(p.cost[s].cpu_ns > 0) || !(p.cost[s].wall_ns > 0)) return false;
    p.first = first - 'a';
    pairs_add(pairs_program(m, name), p);
    return true;
}

bool pairs_read(FILE *in, Measurement *m, int *number) {
    char *line = NULL;
    size_t size = 0;
    bool ok = true;
    for (*number = 1; ok && getline(&line, &size, in) > 0; ++*number) {
        if (line[0] == '#') read_head(m, line);
        else if (strcmp(line, columns) != 0) ok = read_pair(m, line);
    }
    --*number;
    free(line);
    return ok && m->text[0] && m->text[1] && m->mode;
}

// ---- ratios ----------------------------------------------------------------------------------------

typedef double (*Quantity)(const Cost *);

static double cpu(const Cost *c) { return c->cpu_ns; }
static double wall(const Cost *c) { return c->wall_ns; }

// A program's pairs, grouped by layout.
typedef struct Grouped {
    double *log_ratios;
    Layout *layouts;
    size_t n;
} Grouped;

static int by_layout(const void *x, const void *y) {
    const Pair *a = *(const Pair *const *)x, *b = *(const Pair *const *)y;
    if (a->layout != b->layout) return a->layout < b->layout ? -1 : 1;
    return (a > b) - (a < b);
}

static Grouped group(const Program *p, Quantity of) {
    Grouped g = {calloc(p->n, sizeof(double)), calloc(p->n, sizeof(Layout)), 0};
    const Pair **sorted = calloc(p->n, sizeof *sorted);
    if (!g.log_ratios || !g.layouts || !sorted) run_die("out of memory", "");
    for (size_t i = 0; i < p->n; i++) sorted[i] = &p->pairs[i];
    qsort(sorted, p->n, sizeof *sorted, by_layout);
    for (size_t i = 0; i < p->n; i++) {
        g.log_ratios[i] = log(of(&sorted[i]->cost[1]) / of(&sorted[i]->cost[0]));
        if (i == 0 || sorted[i]->layout != sorted[i - 1]->layout) g.layouts[g.n++] = (Layout){g.log_ratios + i, 0};
        g.layouts[g.n - 1].n++;
    }
    free(sorted);
    return g;
}

static void free_group(Grouped *g) {
    free(g->log_ratios);
    free(g->layouts);
}

static double median_of(const Program *p, int side, bool memory) {
    double *v = calloc(p->n, sizeof *v);
    if (!v) run_die("out of memory", "");
    for (size_t i = 0; i < p->n; i++) {
        const Cost *c = &p->pairs[i].cost[side];
        v[i] = memory ? (double)c->peak_kib / 1024 : c->cpu_ns / 1e6 / p->pairs[i].iterations;
    }
    double m = stats_median(v, p->n);
    free(v);
    return m;
}

static void print_interval(FILE *out, Interval i) {
    if (isnan(i.low)) fprintf(out, " %7.4f  %-16s", i.value, "");
    else fprintf(out, " %7.4f  [%.4f, %.4f]", i.value, i.low, i.high);
}

void pairs_report(FILE *out, const Measurement *m) {
    static const Quantity quantities[] = {cpu, wall};
    Grouped(*groups)[2] = calloc(m->n + 1, sizeof *groups);
    Layouts *all[2] = {calloc(m->n + 1, sizeof(Layouts)), calloc(m->n + 1, sizeof(Layouts))};
    size_t n = 0;
    if (!groups || !all[0] || !all[1]) run_die("out of memory", "");
    fprintf(out, "A: %s\nB: %s\n%s; ratios are B/A with 95 %% intervals; milliseconds are processor time of one %s\n\n",
            m->text[0], m->text[1], m->mode, strcmp(m->mode, "steady") == 0 ? "iteration" : "process");
    fprintf(out, "%-14s %9s %9s  %-25s  %-25s %6s %6s %5s %3s\n", "", "A ms", "B ms", "processor time", "wall time",
            "A MiB", "B MiB", "pairs", "layouts");
    for (size_t i = 0; i < m->n; i++) {
        if (m->programs[i].n == 0) {
            fprintf(out, "%-14s nothing measured\n", m->programs[i].name);
            continue;
        }
        for (int q = 0; q < 2; q++) {
            groups[n][q] = group(&m->programs[i], quantities[q]);
            all[q][n] = (Layouts){groups[n][q].layouts, groups[n][q].n};
        }
        const Program *p = &m->programs[i];
        fprintf(out, "%-14s %9.3f %9.3f ", p->name, median_of(p, 0, false), median_of(p, 1, false));
        for (int q = 0; q < 2; q++) print_interval(out, stats_layered(&all[q][n], 1));
        fprintf(out, " %6.0f %6.0f %5zu %3zu\n", median_of(p, 0, true), median_of(p, 1, true), p->n, groups[n][0].n);
        n++;
    }
    if (n > 1) {
        fprintf(out, "%-14s %9s %9s ", "geometric mean", "", "");
        print_interval(out, stats_layered(all[0], n));
        print_interval(out, stats_layered(all[1], n));
        fprintf(out, "  over %zu\n", n);
    }
    for (size_t i = 0; i < n; i++) free_group(&groups[i][0]), free_group(&groups[i][1]);
    free(groups);
    free(all[0]);
    free(all[1]);
}

int pairs_stats(int argc, char **argv) {
    Measurement m = {0};
    int line;
    char where[48];
    if (argc != 2) run_die("stats takes the name of one file", "");
    FILE *in = fopen(argv[1], "re");
    if (!in) run_die("cannot read ", argv[1]);
    if (!pairs_read(in, &m, &line)) {
        snprintf(where, sizeof where, "line %d: not measured pairs: ", line);
        run_die(where, argv[1]);
    }
    fclose(in);
    pairs_report(stdout, &m);
    pairs_free(&m);
    return 0;
}
