// Medians, ratios and bootstrap confidence intervals of paired measurements.
#ifndef CABERNET_BENCHMARKS_STATS_H
#define CABERNET_BENCHMARKS_STATS_H

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

// median(b) / median(a). The interval comes from resampling pairs with a fixed seed, so the same data
// always give the same interval. With fewer than about 6 pairs it is wider than it claims to be sure of.
Interval stats_ratio(Pairs pairs);

// Geometric mean of the ratios of k workloads; each resample redraws the pairs of every workload.
Interval stats_geometric_mean(const Pairs *workloads, size_t k);

// Log ratios of pairs that were measured in one layout of code and memory, that is, in one pair of processes.
typedef struct Layout {
    const double *log_ratios;
    size_t n;
} Layout;

// One program's layouts, each with at least one pair.
typedef struct Layouts {
    const Layout *layouts;
    size_t n;
} Layouts;

// The ratio of one program: in each layout the median over its pairs, of these medians the mean without the fifth
// at either end. The layout is a random effect: a resample redraws layouts, and pairs inside each of them. Few
// layouts make the bootstrap's intervals too narrow, so they are widened as Student's t is against the normal
// distribution; with one layout there is no interval (NAN). Seeds are fixed. k programs: the geometric mean.
Interval stats_layered(const Layouts *programs, size_t k);

#endif
