#include "benchmarks/harness/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median_in_place(double *v, size_t n) {
    if (n == 0) return NAN;
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double stats_median(const double *values, size_t n) {
    double *copy = malloc((n + 1) * sizeof *copy);
    if (!copy) return NAN;
    memcpy(copy, values, n * sizeof *copy);
    double m = median_in_place(copy, n);
    free(copy);
    return m;
}

// The k-th smallest value, counted from 0; afterwards the values before it in `v` are not greater (quickselect).
static double select_in_place(double *v, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i >= j) break;
            double t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (k <= j) high = j;
        else low = j + 1;
    }
    return v[k];
}

// A number below n by xorshift64*: the low bits are weak, the high ones are used.
static size_t draw(uint64_t *state, size_t n) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (size_t)((x * 2685821657736338717u >> 32) * n >> 32);
}

// Ratio of medians of one resample; `scratch` holds 2 n values.
static double resampled_ratio(Pairs p, uint64_t *random, double *scratch) {
    for (size_t i = 0; i < p.n; i++) {
        size_t j = draw(random, p.n);
        scratch[i] = p.a[j];
        scratch[p.n + i] = p.b[j];
    }
    return median_in_place(scratch + p.n, p.n) / median_in_place(scratch, p.n);
}

Interval stats_geometric_mean(const Pairs *workloads, size_t k) {
    Interval result = {NAN, NAN, NAN};
    size_t longest = 0;
    double sum = 0;
    for (size_t w = 0; w < k; w++) {
        longest = workloads[w].n > longest ? workloads[w].n : longest;
        sum += log(stats_median(workloads[w].b, workloads[w].n) / stats_median(workloads[w].a, workloads[w].n));
    }
    double *draws = malloc(RESAMPLES * sizeof *draws);
    double *scratch = malloc((2 * longest + 1) * sizeof *scratch);
    if (k > 0 && longest > 0 && draws && scratch) {
        uint64_t random = 0x9e3779b97f4a7c15u;
        for (size_t r = 0; r < RESAMPLES; r++) {
            double s = 0;
            for (size_t w = 0; w < k; w++) s += log(resampled_ratio(workloads[w], &random, scratch));
            draws[r] = exp(s / (double)k);
        }
        qsort(draws, RESAMPLES, sizeof *draws, ascending);
        result = (Interval){exp(sum / (double)k), draws[RESAMPLES / 40], draws[RESAMPLES - 1 - RESAMPLES / 40]};
    }
    free(scratch);
    free(draws);
    return result;
}

Interval stats_ratio(Pairs pairs) { return stats_geometric_mean(&pairs, 1); }

// ---- layouts ---------------------------------------------------------------------------------------

static double trimmed_mean(double *v, size_t n) {
    size_t cut = n / 5;
    double sum = 0;
    qsort(v, n, sizeof *v, ascending);
    for (size_t i = cut; i < n - cut; i++) sum += v[i];
    return sum / (double)(n - 2 * cut);
}

// Factor by which an interval from n layouts must be wider: the quantile of Student's t (97.5 %, n - 1 degrees of
// freedom) over that of the normal distribution, times the factor n / (n - 1) that the bootstrap's variance lacks.
static double widening(size_t n) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045};
    size_t rows = sizeof t / sizeof *t;
    double quantile = n - 2 < rows ? t[n - 2] : 1.96 + 2.5 / (double)n;
    return quantile / 1.96 * sqrt((double)n / (double)(n - 1));
}

// One resample's distance from the estimate; `medians` has room for all layouts, `scratch` for the longest.
static double layered_deviation(Layouts p, double estimate, uint64_t *random, double *medians, double *scratch) {
    for (size_t i = 0; i < p.n; i++) {
        Layout l = p.layouts[draw(random, p.n)];
        for (size_t k = 0; k < l.n; k++) scratch[k] = l.log_ratios[draw(random, l.n)];
        // The lower median is always a value of the resample: a mean of two would need another selection.
        medians[i] = select_in_place(scratch, l.n, (l.n - 1) / 2);
    }
    return (trimmed_mean(medians, p.n) - estimate) * widening(p.n);
}

Interval stats_layered(const Layouts *programs, size_t k) {
    Interval result = {NAN, NAN, NAN};
    size_t layouts = 0, pairs = 0;
    bool single = false;
    // The room that the bootstrap needs: the largest number of layouts, and of pairs in one.
    for (size_t w = 0; w < k; w++) {
        layouts = programs[w].n > layouts ? programs[w].n : layouts;
        single |= programs[w].n < 2;
        for (size_t i = 0; i < programs[w].n; i++)
            pairs = programs[w].layouts[i].n > pairs ? programs[w].layouts[i].n : pairs;
    }
    double *draws = calloc(RESAMPLES, sizeof *draws), *medians = malloc((layouts + 1) * sizeof *medians);
    double *scratch = malloc((pairs + 1) * sizeof *scratch);
    if (k > 0 && layouts > 0 && pairs > 0 && draws && medians && scratch) {
        uint64_t random = 0x9e3779b97f4a7c15u;
        double sum = 0;
        for (size_t w = 0; w < k; w++) {
            const Layouts p = programs[w];
            for (size_t i = 0; i < p.n; i++) medians[i] = stats_median(p.layouts[i].log_ratios, p.layouts[i].n);
            double estimate = trimmed_mean(medians, p.n);
            sum += estimate;
            for (size_t r = 0; r < RESAMPLES && !single; r++)
                draws[r] += estimate + layered_deviation(p, estimate, &random, medians, scratch);
        }
        qsort(draws, RESAMPLES, sizeof *draws, ascending);
        result.value = exp(sum / (double)k);
        if (!single) {
            result.low = exp(draws[RESAMPLES / 40] / (double)k);
            result.high = exp(draws[RESAMPLES - 1 - RESAMPLES / 40] / (double)k);
        }
    }
    free(scratch);
    free(medians);
    free(draws);
    return result;
}
