// PELT with the likelihood of normal segments, and the warm-up classes that follow from its segments.
#include "benchmarks/harness/changepoint.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/stats.h"

enum { SHORTEST_SEGMENT = 3, OUTLIER_WINDOW = 200 };

// Segments whose means differ by at most this share are one speed, whatever their errors are.
static const double same_speed = 0.01;

// ---- PELT ------------------------------------------------------------------------------------------

typedef struct Sums {
    double *first, *second;  // of the first i values, and of their squares
    double least_variance;
} Sums;

// Twice the negative log-likelihood of [from, to) as one segment of normal values. The variance has a floor, so that a
// few values that happen to be equal do not appear infinitely likely.
static double cost(const Sums *s, size_t from, size_t to) {
    double n = (double)(to - from), sum = s->first[to] - s->first[from], squares = s->second[to] - s->second[from];
    double variance = (squares - sum * sum / n) / n;
    if (!(variance > s->least_variance)) variance = s->least_variance;
    return n * (log(variance) + 1);
}

// Sums of the values minus their median: squares of large values would lose the precision that their variance needs.
static Sums sums_of(const double *values, size_t n) {
    Sums s = {calloc(n + 1, sizeof(double)), calloc(n + 1, sizeof(double)), 0};
    double middle = stats_median(values, n);
    if (!s.first || !s.second) run_die("out of memory", "");
    for (size_t i = 0; i < n; i++) {
        double v = values[i] - middle;
        s.first[i + 1] = s.first[i] + v;
        s.second[i + 1] = s.second[i] + v * v;
    }
    s.least_variance = middle * middle * 1e-6 + 1e-300;
    return s;
}

size_t changepoint_pelt(const double *values, size_t n, double penalty, size_t *ends) {
    if (n == 0) return 0;
    Sums s = sums_of(values, n);
    double *best = calloc(n + 1, sizeof *best);
    size_t *last = calloc(n + 1, sizeof *last), *candidates = calloc(n + 1, sizeof *candidates), kept = 1, count = 0;
    if (!best || !last || !candidates) run_die("out of memory", "");
    best[0] = -penalty;
    for (size_t to = 1; to <= n; to++) {
        best[to] = cost(&s, 0, to);
        for (size_t i = 0; i < kept; i++) {
            double total = best[candidates[i]] + cost(&s, candidates[i], to) + penalty;
            if (to - candidates[i] >= SHORTEST_SEGMENT && total < best[to]) best[to] = total, last[to] = candidates[i];
        }
        // Drops the candidates that cannot be the last change point of any longer series.
        size_t checked = kept;
        kept = 0;
        for (size_t i = 0; i < checked; i++)
            if (to - candidates[i] < SHORTEST_SEGMENT || best[candidates[i]] + cost(&s, candidates[i], to) <= best[to])
                candidates[kept++] = candidates[i];
        if (to >= SHORTEST_SEGMENT) candidates[kept++] = to;
    }
    for (size_t to = n; to > 0; to = last[to]) ends[count++] = to;
    for (size_t i = 0; i < count / 2; i++) {
        size_t t = ends[i];
        ends[i] = ends[count - 1 - i];
        ends[count - 1 - i] = t;
    }
    free(s.first), free(s.second), free(best), free(last), free(candidates);
    return count;
}

// ---- outliers --------------------------------------------------------------------------------------

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

// Tukey's rule as in Barrett et al.: further than three times the distance between the 10th and the 90th percentile
// from the median of the surrounding window. The first iterations are never outliers, because they may be warm-up.
static void find_outliers(const double *times, size_t n, bool *outlier) {
    double window[OUTLIER_WINDOW];
    for (size_t i = WARMUP_LEAST; i < n; i++) {
        size_t from = i > OUTLIER_WINDOW / 2 ? i - OUTLIER_WINDOW / 2 : 0, length = n - from;
        length = length < OUTLIER_WINDOW ? length : OUTLIER_WINDOW;
        memcpy(window, times + from, length * sizeof *window);
        qsort(window, length, sizeof *window, ascending);
        double spread = window[length * 9 / 10] - window[length / 10], middle = window[length / 2];
        outlier[i] = spread > 0 && fabs(times[i] - middle) > 3 * spread;
    }
}

// ---- classes -----------------------------------------------------------------------------------------

static bool one_speed(const Segment *a, const Segment *b) {
    double na = (double)(a->end - a->start), nb = (double)(b->end - b->start);
    double error = 2 * sqrt(a->variance / na + b->variance / nb), share = same_speed * b->mean;
    return fabs(a->mean - b->mean) <= (error > share ? error : share);
}

static WarmupClass classify(const Segment *s, size_t n, size_t iterations, size_t *steady) {
    const Segment *last = &s[n - 1];
    bool slower = false, faster = false;
    size_t first = n - 1;
    while (first > 0 && one_speed(&s[first - 1], last)) first--;
    *steady = s[first].start;
    for (size_t i = 0; i < first; i++)
        if (!one_speed(&s[i], last)) *(s[i].mean > last->mean ? &slower : &faster) = true;
    if (*steady > iterations - iterations / 4) {
        *steady = iterations / 2;
        return WARMUP_NO_STEADY;
    }
    return faster ? WARMUP_SLOWDOWN : slower ? WARMUP_WARMUP : WARMUP_FLAT;
}

// Adds a segment of the kept values, in iterations of the whole series.
static void add_segment(Warmup *w, const double *kept, const size_t *at, size_t from, size_t to, size_t iterations,
                        size_t stayed) {
    Segment s = {.start = from == 0 ? 0 : at[from], .end = to == stayed ? iterations : at[to]};
    for (size_t i = from; i < to; i++) s.mean += kept[i] / (double)(to - from);
    for (size_t i = from; i < to; i++)
        s.variance += (kept[i] - s.mean) * (kept[i] - s.mean) / (double)(to - from > 1 ? to - from - 1 : 1);
    w->segments[w->n++] = s;
}

Warmup warmup_of(const double *times, size_t n) {
    Warmup w = {.class = WARMUP_UNKNOWN,
                .steady = n / 2,
                .segments = calloc(n + 1, sizeof(Segment)),
                .outlier = calloc(n + 1, 1)};
    double *kept = calloc(n + 1, sizeof *kept);
    size_t *at = calloc(n + 1, sizeof *at), *ends = calloc(n + 1, sizeof *ends), stayed = 0;
    if (!w.segments || !w.outlier || !kept || !at || !ends) run_die("out of memory", "");
    if (n >= WARMUP_LEAST) {
        find_outliers(times, n, w.outlier);
        for (size_t i = 0; i < n; i++)
            if (!w.outlier[i]) kept[stayed] = times[i], at[stayed++] = i;
        // The penalty of Barrett et al. is for 2,000 iterations. A short series has less evidence, so its change points
        // need a lower one.
        double penalty = (stayed < 200 ? 6 : 15) * log((double)stayed);
        size_t count = changepoint_pelt(kept, stayed, penalty, ends);
        for (size_t i = 0; i < count; i++) add_segment(&w, kept, at, i ? ends[i - 1] : 0, ends[i], n, stayed);
        w.class = classify(w.segments, w.n, n, &w.steady);
    }
    free(kept), free(at), free(ends);
    return w;
}

void warmup_free(Warmup *w) {
    free(w->segments);
    free(w->outlier);
    *w = (Warmup){0};
}

WarmupClass warmup_together(const WarmupClass *classes, size_t n) {
    if (n == 0) return WARMUP_UNKNOWN;
    for (size_t i = 1; i < n; i++)
        if (classes[i] != classes[0]) return WARMUP_INCONSISTENT;
    return classes[0];
}

const char *warmup_name(WarmupClass c) {
    static const char *const names[] = {"-", "flat", "warmup", "slowdown", "no steady", "inconsist."};
    return names[c];
}

// ---- command line --------------------------------------------------------------------------------------

int warmup_main(int argc, char **argv) {
    double *times = NULL, value;
    size_t n = 0, capacity = 0;
    FILE *in = argc == 2 ? fopen(argv[1], "re") : stdin;
    if (argc > 2) run_die("warmup takes the name of one file", "");
    if (!in) run_die("cannot read ", argv[1]);
    while (fscanf(in, "%lf", &value) == 1) {
        GROW_OR_EXIT(times, capacity, n + 1);
        times[n++] = value;
    }
    if (!feof(in) || n == 0) run_die("not numbers: ", argc == 2 ? argv[1] : "standard input");
    Warmup w = warmup_of(times, n);
    printf("%s, steady from iteration %zu of %zu\n", warmup_name(w.class), w.steady + 1, n);
    for (size_t i = 0; i < w.n; i++)
        printf("  %zu to %zu: %.6g (standard deviation %.3g)\n", w.segments[i].start + 1, w.segments[i].end,
               w.segments[i].mean, sqrt(w.segments[i].variance));
    warmup_free(&w);
    free(times);
    if (in != stdin) fclose(in);
    return 0;
}
