// The tables of the paper from the measurements: on stdout, as JSON, as a plot. A dash marks values that were not
// measured or failed.
#include "benchmarks/harness/arnold_ryder.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "benchmarks/harness/run.h"

static const int full_of[] = {AR_FULL_1, AR_FULL_10, AR_FULL_100, AR_FULL_1000, AR_FULL_10000, AR_FULL_100000};
static const int no_of[] = {AR_NO_1, AR_NO_10, AR_NO_100, AR_NO_1000, AR_NO_10000, AR_NO_100000};
static const char *const intervals[] = {"1", "10", "100", "1,000", "10,000", "100,000"};
enum { INTERVALS = sizeof intervals / sizeof *intervals, FEWEST_PAIRS = 3 };  // pairs needed for an interval

// ---- figures ---------------------------------------------------------------------------------------

static bool measured(const ArCell *c) { return c->n > 0 && !c->failed; }

static Pairs times(const ArCell *c) { return (Pairs){c->plain_ms, c->ms, (size_t)c->n}; }

static Interval checked(Interval i, size_t n) { return n >= FEWEST_PAIRS ? i : (Interval){i.value, NAN, NAN}; }

static Interval ratio(const ArCell *c) { return checked(stats_ratio(times(c)), (size_t)c->n); }

// Whether any of the configuration's times come from turns; then its averages exclude programs that ran once.
static bool any_timed(const ArBench *b, int config) {
    bool any = false;
    for (int i = 0; i < b->count; i++) any |= b->program[i].cell[config].timed && measured(&b->program[i].cell[config]);
    return any;
}

// Average over the programs that have the configuration.
static Interval average(const ArBench *b, int config) {
    const bool timed = any_timed(b, config);
    Pairs pairs[AR_MAX_PROGRAMS];
    size_t n = 0, fewest = FEWEST_PAIRS;
    for (int i = 0; i < b->count; i++) {
        const ArCell *c = &b->program[i].cell[config];
        if (!measured(c) || c->timed != timed) continue;
        pairs[n++] = times(c);
        fewest = (size_t)c->n < fewest ? (size_t)c->n : fewest;
    }
    return n ? checked(stats_geometric_mean(pairs, n), fewest) : (Interval){NAN, NAN, NAN};
}

static double percent(double ratio) { return 100 * (ratio - 1); }

typedef enum {
    OVERHEAD,
    LOWEST_OVERHEAD,
    HIGHEST_OVERHEAD,
    COMPILE_INCREASE,
    MORE_METHODS,  // percent more methods compiled; if that is not 0, compile times cannot be compared
    SPACE_INCREASE,
    SPACE_KIB,
    EDGE_OVERLAP,
    FIELD_OVERLAP,
    EDGE_IDEAL,
    FIELD_IDEAL,
    SAMPLES,
} Figure;

static double figure_of(const ArCell *c, Figure figure) {
    const ArCost *plain = &c->plain_cost, *with = &c->cost;
    const ArAccuracy *a = &c->accuracy;
    if (figure <= HIGHEST_OVERHEAD ? !measured(c) : figure <= SPACE_KIB ? !c->runs || c->failed : !a->known) return NAN;
    switch (figure) {
        case OVERHEAD: return percent(ratio(c).value);
        case LOWEST_OVERHEAD: return percent(ratio(c).low);
        case HIGHEST_OVERHEAD: return percent(ratio(c).high);
        case COMPILE_INCREASE: return plain->compile_ms > 0 ? percent(with->compile_ms / plain->compile_ms) : NAN;
        case MORE_METHODS: return plain->methods > 0 ? percent(with->methods / plain->methods) : NAN;
        case SPACE_INCREASE: return plain->code > 0 ? percent(with->code / plain->code) : NAN;
        case SPACE_KIB: return (with->code - plain->code) / 1024;
        case EDGE_OVERLAP: return a->overlap[0];
        case FIELD_OVERLAP: return a->overlap[1];
        case EDGE_IDEAL: return a->ideal[0];
        case FIELD_IDEAL: return a->ideal[1];
        case SAMPLES: return a->samples;
    }
    return NAN;
}

// The arithmetic mean of a figure over the programs, as in the paper's averages.
static double mean(const ArBench *b, int config, Figure figure) {
    const bool timed = any_timed(b, config);
    double sum = 0;
    int n = 0;
    for (int i = 0; i < b->count; i++) {
        const ArCell *c = &b->program[i].cell[config];
        double v = figure == OVERHEAD && c->timed != timed ? NAN : figure_of(c, figure);
        if (!isnan(v)) sum += v, n++;
    }
    return n ? sum / n : NAN;
}

// ---- tables of programs ----------------------------------------------------------------------------

typedef struct Column {
    const char *head;
    int config;
    Figure figure;
    double paper;  // the paper's average; 0: none
} Column;

static void number(double v, int width, int digits) {
    if (isnan(v)) printf(" %*s", width, "-");
    else printf(" %*.*f", width, digits, v);
}

// Prints the interval where there is one; "~" marks a single run.
static void cell(const ArCell *c, Figure figure) {
    char text[40];
    if (figure == OVERHEAD && measured(c) && !c->timed) {
        snprintf(text, sizeof text, "~%.0f", percent(ratio(c).value));
        printf(" %17s", text);
        return;
    }
    if (figure != OVERHEAD || !measured(c) || isnan(ratio(c).low)) {
        number(figure_of(c, figure), 17, 1);
        return;
    }
    Interval r = ratio(c);
    snprintf(text, sizeof text, "%.1f [%.1f,%.1f]", percent(r.value), percent(r.low), percent(r.high));
    printf(" %17s", text);
}

static void average_row(const ArBench *b, const Column *columns, int n) {
    printf("%-14s", "average");
    for (int k = 0; k < n; k++) number(mean(b, columns[k].config, columns[k].figure), 17, 1);
    putchar('\n');
    bool any = false;
    for (int k = 0; k < n; k++) any |= columns[k].paper != 0;
    if (any) {
        printf("%-14s", "paper, average");
        for (int k = 0; k < n; k++) number(columns[k].paper != 0 ? columns[k].paper : NAN, 17, 1);
        putchar('\n');
    }
    any = false;
    for (int k = 0; k < n; k++)
        any |= columns[k].figure == OVERHEAD && b->count > 0 && !isnan(average(b, columns[k].config).value);
    if (!any) return;
    printf("%-14s", "geometric mean");
    for (int k = 0; k < n; k++)
        number(columns[k].figure == OVERHEAD ? percent(average(b, columns[k].config).value) : NAN, 17, 1);
    printf("\n%-14s", "95 % interval");
    for (int k = 0; k < n; k++) {
        Interval i = average(b, columns[k].config);
        char text[40] = "-";
        if (columns[k].figure == OVERHEAD && !isnan(i.low))
            snprintf(text, sizeof text, "%.1f...%.1f", percent(i.low), percent(i.high));
        printf(" %17s", text);
    }
    putchar('\n');
}

static void table(const ArBench *b, const char *title, const Column *columns, int n) {
    printf("\n%s\n%-14s", title, "program");
    for (int k = 0; k < n; k++) printf(" %17s", columns[k].head);
    putchar('\n');
    for (int i = 0; i < b->count; i++) {
        printf("%-14s", b->program[i].name);
        for (int k = 0; k < n; k++) cell(&b->program[i].cell[columns[k].config], columns[k].figure);
        putchar('\n');
    }
    average_row(b, columns, n);
}

#define TABLE(b, title, ...)                                               \
    do {                                                                   \
        static const Column columns[] = {__VA_ARGS__};                     \
        table(b, title, columns, (int)(sizeof columns / sizeof *columns)); \
    } while (0)

static void tables_of_programs(const ArBench *b) {
    if (strchr(b->tables, '1'))
        TABLE(b, "Table 1: time overhead (%) of exact instrumentation", {"call-edge", AR_EXACT_EDGE, OVERHEAD, 88.3},
              {"field-access", AR_EXACT_FIELD, OVERHEAD, 60.4}, {"both", AR_EXACT, OVERHEAD, 0},
              {"4 analyses", AR_EXACT_ALL, OVERHEAD, 0});
    if (strchr(b->tables, '2'))
        TABLE(b, "Table 2: overhead (%) of full duplication without samples", {"framework", AR_FULL, OVERHEAD, 0},
              {"duplicated", AR_FULL_INLINE, OVERHEAD, 4.9}, {"backedges alone", AR_FULL_BACKEDGES, OVERHEAD, 3.5},
              {"entries alone", AR_NO_EDGE, OVERHEAD, 1.3}, {"space, KiB", AR_FULL, SPACE_KIB, 0},
              {"space, %", AR_FULL, SPACE_INCREASE, 0}, {"compile time, %", AR_FULL, COMPILE_INCREASE, 0},
              {"dup. space, KiB", AR_FULL_INLINE, SPACE_KIB, 285}, {"dup. space, %", AR_FULL_INLINE, SPACE_INCREASE, 0},
              {"dup. compile, %", AR_FULL_INLINE, COMPILE_INCREASE, 34}, {"compilations, %", AR_FULL, MORE_METHODS, 0});
    if (strchr(b->tables, '3')) {
        TABLE(b, "Table 3: overhead (%) of no duplication without samples", {"call-edge", AR_NO_EDGE, OVERHEAD, 1.3},
              {"field-access", AR_NO_FIELD, OVERHEAD, 51.1}, {"both", AR_NO, OVERHEAD, 0});
        TABLE(b, "Table 3a: the other forms of duplication, both analyses without samples (%)",
              {"partial", AR_PARTIAL, OVERHEAD, 0}, {"its compile time", AR_PARTIAL, COMPILE_INCREASE, 0},
              {"auto", AR_AUTO, OVERHEAD, 0}, {"its compile time", AR_AUTO, COMPILE_INCREASE, 0});
    }
}

// ---- tables of intervals ---------------------------------------------------------------------------

// Table 4 of the paper: samples, sampling alone, total, and overlaps, with full duplication and with none.
static const double published[INTERVALS][2][5] = {
    {{1.1e7, 167.2, 182.2, 100, 100}, {6.7e7, 118.2, 269.1, 100, 100}},
    {{1.1e6, 26.4, 29.3, 99, 100}, {6.7e6, 22.8, 79.5, 98, 100}},
    {{1.1e5, 4.2, 10.3, 98, 99}, {6.7e5, 3.6, 61.3, 97, 99}},
    {{1.1e4, 0.8, 6.3, 94, 97}, {6.7e4, 1.0, 57.2, 93, 98}},
    {{1137, 0.1, 5.1, 82, 94}, {6736, 0.2, 55.7, 81, 96}},
    {{109, 0.1, 5.0, 71, 83}, {662, 0.2, 55.2, 70, 87}},
};
// Figure 8 (B) of the paper.
static const double published_folded[INTERVALS] = {179.9, 27.6, 8.1, 3.0, 1.5, 1.5};

static void published_half(const double v[5]) {
    static const int width[] = {11, 9, 7, 6, 6}, digits[] = {0, 1, 1, 1, 1};
    for (int i = 0; i < 5; i++) number(v[i], width[i], digits[i]);
    printf(" %7s %7s  ", "", "");
}

static void interval_half(const ArBench *b, int config, int framework) {
    number(mean(b, config, SAMPLES), 11, 0);
    // Sampling alone: against the same code without samples.
    number(percent(average(b, config).value / average(b, framework).value), 9, 1);
    number(percent(average(b, config).value), 7, 1);
    number(mean(b, config, EDGE_OVERLAP), 6, 1);
    number(mean(b, config, FIELD_OVERLAP), 6, 1);
    number(mean(b, config, EDGE_IDEAL), 7, 1);
    number(mean(b, config, FIELD_IDEAL), 7, 1);
    printf("  ");
}

static void table_4(const ArBench *b) {
    static const char head[] = "    samples  sampl.%  total%  edge% field% e.ideal f.ideal  ";
    printf("\nTable 4: overhead and accuracy of sampling both analyses, averages of all programs\n"
           "%-10s %-61s no duplication\n%-10s%s%s\n",
           "", "full duplication", "interval", head, head);
    for (int i = 0; i < INTERVALS; i++) {
        printf("%-10s", intervals[i]);
        interval_half(b, full_of[i], AR_FULL);
        interval_half(b, no_of[i], AR_NO);
        printf("\n%-10s", "  paper");
        published_half(published[i][0]);
        published_half(published[i][1]);
        putchar('\n');
    }
}

static void figure_8(const ArBench *b) {
    TABLE(b, "Figure 8 (A): checks folded into yieldpoints, framework alone (%)", {"overhead", AR_FULL, OVERHEAD, 1.4},
          {"95 %: from", AR_FULL, LOWEST_OVERHEAD, 0}, {"to", AR_FULL, HIGHEST_OVERHEAD, 0});
    printf("\nFigure 8 (B): total overhead of sampling both analyses, full duplication\n%-10s %9s %9s  %s\n",
           "interval", "total %", "paper", "95 % interval");
    for (int i = 0; i < INTERVALS; i++) {
        Interval a = average(b, full_of[i]);
        printf("%-10s", intervals[i]);
        number(percent(a.value), 9, 1);
        number(published_folded[i], 9, 1);
        if (!isnan(a.low)) printf("  %.1f...%.1f", percent(a.low), percent(a.high));
        putchar('\n');
    }
}

void ar_print(const ArBench *b) {
    printf("%s; overheads are processor time without the compiler's, against the same VM without a profile, all alive "
           "and an iteration each in\n"
           "turn, with 95 %% intervals over stretches of the turns if there are %d or more; ~: of one run, in no "
           "average with others%s\n",
           b->vm_text, FEWEST_PAIRS, b->replay ? ", compilations replayed" : "");
    tables_of_programs(b);
    if (strchr(b->tables, '4')) {
        table_4(b);
        // By program, because the average does not show which programs are sampled well.
        TABLE(b, "Table 4a: sampling both analyses at interval 1,000, full duplication",
              {"total overhead", AR_FULL_1000, OVERHEAD, 6.3}, {"call-edge", AR_FULL_1000, EDGE_OVERLAP, 94},
              {"ideal", AR_FULL_1000, EDGE_IDEAL, 0}, {"field-access", AR_FULL_1000, FIELD_OVERLAP, 97},
              {"ideal", AR_FULL_1000, FIELD_IDEAL, 0}, {"samples", AR_FULL_1000, SAMPLES, 11000});
    }
    if (strchr(b->tables, '5'))
        TABLE(b, "Table 5: accuracy (overlap, %) of field-access at the same number of samples",
              {"timer", AR_TIMER, FIELD_OVERLAP, 63}, {"counter", AR_MATCHED, FIELD_OVERLAP, 84},
              {"timer, ideal", AR_TIMER, FIELD_IDEAL, 0}, {"counter, ideal", AR_MATCHED, FIELD_IDEAL, 0},
              {"timer, samples", AR_TIMER, SAMPLES, 0}, {"counter, samp.", AR_MATCHED, SAMPLES, 0});
    if (strchr(b->tables, '8')) figure_8(b);
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t *real(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t *reals(const double *v, int n) {
    json_t *array = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(array, real(v[i]));
    return array;
}

static json_t *interval_json(Interval i) {
    return json_pack("{s:o, s:o, s:o}", "value", real(i.value), "low", real(i.low), "high", real(i.high));
}

static json_t *cost_json(const ArCell *c, const ArCost *cost) {
    return c->runs ? json_pack("{s:f, s:f, s:f}", "compile_ms", cost->compile_ms, "code_bytes", cost->code, "methods",
                               cost->methods)
                   : json_null();
}

static json_t *cell_json(const ArCell *c) {
    const ArAccuracy *a = &c->accuracy;
    json_t *accuracy = a->known
        ? json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "call_edge", real(a->overlap[0]), "field_access",
                    real(a->overlap[1]), "call_edge_ideal", real(a->ideal[0]), "field_access_ideal", real(a->ideal[1]),
                    "samples", real(a->samples), "checks", real(a->checks), "events", real(a->events))
        : json_null();
    return json_pack("{s:s?, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "profile", c->profile, "failed", c->failed,
                     "time_ratio", interval_json(c->n ? ratio(c) : (Interval){NAN, NAN, NAN}), "plain_ms",
                     reals(c->plain_ms, c->n), "ms", reals(c->ms, c->n), "plain_cost", cost_json(c, &c->plain_cost),
                     "cost", cost_json(c, &c->cost), "accuracy", accuracy);
}

void ar_write_json(const ArBench *b) {
    struct utsname u;
    json_t *programs = json_array(), *averages = json_object();
    for (int i = 0; i < b->count; i++) {
        const ArProgram *p = &b->program[i];
        json_t *cells = json_object();
        for (int k = 0; k < AR_CONFIGS; k++)
            if (ar_wanted(b, k)) json_object_set_new(cells, ar_id(k), cell_json(&p->cell[k]));
        json_array_append_new(
            programs, json_pack("{s:s, s:b, s:o}", "name", p->name, "failed", p->failed, "configurations", cells));
    }
    for (int i = 0; i < AR_CONFIGS; i++)
        if (ar_wanted(b, i)) json_object_set_new(averages, ar_id(i), interval_json(average(b, i)));
    uname(&u);
    json_t *root = json_pack("{s:i, s:s, s:f, s:i, s:b, s:s, s:I, s:o, s:o}", "version", 3, "vm", b->vm_text,
                             "budget_s", b->budget_s, "layouts", b->layouts, "replay", b->replay, "system", u.release,
                             "processors", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "programs", programs, "averages",
                             averages);
    char path[4096];
    snprintf(path, sizeof path, "%s/arnold-ryder.json", b->out);
    if (json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(8)) != 0)
        fprintf(stderr, "cabernet-bench: cannot write %s: %s\n", path, strerror(errno));
    json_decref(root);
}

// ---- plot ------------------------------------------------------------------------------------------

// Columns of the data: interval; total overhead of full duplication, its low and high end, and of no duplication;
// overhead of full duplication without samples; overlaps of both analyses, and the ideal ones.
static const char plot[] =
    "set terminal svg size 1300,420 background 'white'\n"
    "set output 'arnold-ryder.svg'\n"
    "set multiplot layout 1,3\n"
    "set datafile missing '-'\n"
    "set logscale x\n"
    "set format x '10^{%T}'\n"
    "set xrange [0.7:140000]\n"
    "set xlabel 'sample interval (checks)'\n"
    "set ylabel 'total overhead (%)'\n"
    "set key top right\n"
    "plot 'arnold-ryder.dat' using 1:2 with linespoints title 'full duplication', \\\n"
    "     '' using 1:5 with linespoints title 'no duplication'\n"
    "set xrange [70:140000]\n"
    "plot 'arnold-ryder.dat' using 1:2:3:4 with yerrorlines title 'full duplication (95 %)', \\\n"
    "     '' using 1:5 with linespoints title 'no duplication', \\\n"
    "     '' using 1:6 with lines dashtype 2 title 'full duplication, no samples'\n"
    "set xrange [0.7:140000]\n"
    "set key bottom left\n"
    "set ylabel 'overlap with the exact profile (%)'\n"
    "set yrange [*:100]\n"
    "plot 'arnold-ryder.dat' using 1:7 with linespoints title 'call-edge', \\\n"
    "     '' using 1:8 with linespoints title 'field-access', \\\n"
    "     '' using 1:9 with lines dashtype 2 title 'call-edge, ideal', \\\n"
    "     '' using 1:10 with lines dashtype 2 title 'field-access, ideal'\n"
    "unset multiplot\n";

static FILE *create(const ArBench *b, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", b->out, name);
    FILE *out = fopen(path, "w");
    if (!out) fprintf(stderr, "cabernet-bench: cannot write %s: %s\n", path, strerror(errno));
    return out;
}

static void write_data(const ArBench *b, FILE *out) {
    double framework = percent(average(b, AR_FULL).value);
    for (int i = 0, n = 1; i < INTERVALS; i++, n *= 10) {
        Interval full = average(b, full_of[i]);
        // Without an interval, both ends are the value.
        double low = isnan(full.low) ? full.value : full.low, high = isnan(full.high) ? full.value : full.high;
        double row[] = {percent(full.value),
                        percent(low),
                        percent(high),
                        percent(average(b, no_of[i]).value),
                        framework,
                        mean(b, full_of[i], EDGE_OVERLAP),
                        mean(b, full_of[i], FIELD_OVERLAP),
                        mean(b, full_of[i], EDGE_IDEAL),
                        mean(b, full_of[i], FIELD_IDEAL)};
        fprintf(out, "%d", n);
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            if (isnan(row[k])) fputs(" -", out);
            else fprintf(out, " %.6g", row[k]);
        }
        putc('\n', out);
    }
}

void ar_plot(const ArBench *b) {
    FILE *data = strpbrk(b->tables, "48") ? create(b, "arnold-ryder.dat") : NULL;
    FILE *script = data ? create(b, "arnold-ryder.gp") : NULL;
    if (data) {
        write_data(b, data);
        fclose(data);
    }
    if (script) {
        fputs(plot, script);
        fclose(script);
        char *words[] = {"sh", "-c", "cd \"$0\" && exec gnuplot arnold-ryder.gp", (char *)b->out, NULL};
        Run run;
        bool ok = run_command(words, -1, b->error_log, 60, &run) && run.status == 0;
        printf("\nplot: %s/arnold-ryder.%s\n", b->out, ok ? "svg" : "gp (gnuplot makes the picture of it)");
    }
    printf("raw data: %s/arnold-ryder.json\n", b->out);
}
