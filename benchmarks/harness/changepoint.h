// Change points of a series of iteration times, and the warm-up behaviour that they imply.
//
// The method is that of Barrett et al., Virtual Machine Warmup Blows Hot and Cold (OOPSLA 2017). Outliers are set
// aside. PELT (Killick, Fearnhead, Eckley 2012) cuts the rest into segments of constant mean and variance, with the
// penalty 15 log n (6 log n for fewer than 200). Segments of about the same mean are one speed.
#ifndef CABERNET_BENCHMARKS_HARNESS_CHANGEPOINT_H
#define CABERNET_BENCHMARKS_HARNESS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum WarmupClass {
    WARMUP_UNKNOWN,       // too few iterations
    WARMUP_FLAT,          // one speed from the first iteration on
    WARMUP_WARMUP,        // slower first, fastest at the end
    WARMUP_SLOWDOWN,      // faster before than at the end
    WARMUP_NO_STEADY,     // still changing in the last quarter
    WARMUP_INCONSISTENT,  // only for several runs: they are of different classes
} WarmupClass;

typedef struct Segment {
    size_t start, end;      // iterations [start, end)
    double mean, variance;  // without outliers
} Segment;

typedef struct Warmup {
    WarmupClass class;
    size_t steady;      // first iteration of the steady state; the middle if there is none
    Segment *segments;  // in order; freed by warmup_free
    size_t n;
    bool *outlier;  // of each iteration
} Warmup;

// The analysis needs at least this number of times. With fewer, the class is unknown and the second half counts as
// steady.
enum { WARMUP_LEAST = 10 };

// Splits `n` values into segments. Returns the number of segments; ends[i] is the end of segment i, and has room for n.
// `penalty` is the cost of a change point, in units of twice the log-likelihood.
size_t changepoint_pelt(const double *values, size_t n, double penalty, size_t *ends);

Warmup warmup_of(const double *times, size_t n);
void warmup_free(Warmup *w);

// The common class of all runs of a cell.
WarmupClass warmup_together(const WarmupClass *classes, size_t n);
const char *warmup_name(WarmupClass c);

// cabernet-bench warmup [FILE]: classifies the numbers in a file or on standard input.
int warmup_main(int argc, char **argv);

#endif
