#include "benchmarks/harness/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median_in_place(double *v, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double stats_median(const double *values, size_t n)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    if (!copy)
        return NAN;
    memcpy(copy, values, n * sizeof *copy);
    double m = median_in_place(copy, n);
    free(copy);
    return m;
}

// xorshift64*: the low bits are weak, the high ones are used.
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717u;
}

// Ratio of medians of one resample; `scratch` holds 2 n values.
static double resampled_ratio(Pairs p, uint64_t *random, double *scratch)
{
    for (size_t i = 0; i < p.n; i++) {
        size_t j = (size_t)((next_random(random) >> 32) * p.n >> 32);
        scratch[i] = p.a[j];
        scratch[p.n + i] = p.b[j];
    }
    return median_in_place(scratch + p.n, p.n) / median_in_place(scratch, p.n);
}

Interval stats_geometric_mean(const Pairs *workloads, size_t k)
{
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
            for (size_t w = 0; w < k; w++)
                s += log(resampled_ratio(workloads[w], &random, scratch));
            draws[r] = exp(s / (double)k);
        }
        qsort(draws, RESAMPLES, sizeof *draws, ascending);
        result = (Interval){exp(sum / (double)k), draws[RESAMPLES / 40], draws[RESAMPLES - 1 - RESAMPLES / 40]};
    }
    free(scratch);
    free(draws);
    return result;
}

Interval stats_ratio(Pairs pairs)
{
    return stats_geometric_mean(&pairs, 1);
}
