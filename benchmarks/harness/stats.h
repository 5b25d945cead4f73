// Medians, ratios and bootstrap confidence intervals of paired measurements.
#ifndef CABERNET_BENCHMARKS_HARNESS_STATS_H
#define CABERNET_BENCHMARKS_HARNESS_STATS_H

#include <stddef.h>

// n measurements of A and of B; a[i] and b[i] were taken one after the other.
typedef struct Pairs {
    const double *a, *b;
    size_t n;
} Pairs;

typedef struct Interval {
    double value, low, high;  // an estimate and the ends of its 95 % interval
} Interval;

double stats_median(const double *values, size_t n);

// median(b) / median(a). The interval comes from resampling pairs with a fixed seed, so the same data always give the
// same interval. With fewer than about 6 pairs, the interval is not reliable.
Interval stats_ratio(Pairs pairs);

// Geometric mean of the ratios of k workloads; each resample redraws the pairs of every workload.
Interval stats_geometric_mean(const Pairs *workloads, size_t k);

// Log ratios of pairs measured in one layout of code and memory, that is, in one pair of processes.
typedef struct Layout {
    const double *log_ratios;
    size_t n;
} Layout;

// One program's layouts, each with at least one pair.
typedef struct Layouts {
    const Layout *layouts;
    size_t n;
} Layouts;

// The ratio of one program: the median over the pairs of each layout, and the mean of these medians without a fifth at
// either end. The layout is a random effect: a resample redraws layouts, and pairs within each. With few layouts the
// bootstrap's intervals are too narrow, so they are widened by the ratio of Student's t to the normal distribution;
// with one layout there is no interval (NAN). Seeds are fixed. k programs: the geometric mean.
Interval stats_layered(const Layouts *programs, size_t k);

#endif
