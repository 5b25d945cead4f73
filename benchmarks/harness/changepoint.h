// Change points of a series of iteration times, and what they say about warm-up.
//
// The method is that of Barrett et al., Virtual Machine Warmup Blows Hot and Cold (OOPSLA 2017): outliers are set aside,
// PELT (Killick, Fearnhead, Eckley 2012) cuts the rest into segments of one mean and one variance with the penalty
// 15 log n (6 log n for fewer than 200), and segments of about the same mean are one speed.
#ifndef CABERNET_BENCHMARKS_CHANGEPOINT_H
#define CABERNET_BENCHMARKS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum WarmupClass {
    WARMUP_UNKNOWN,       // too few iterations to say
    WARMUP_FLAT,          // one speed from the first iteration on
    WARMUP_WARMUP,        // slower first, and at its fastest in the end
    WARMUP_SLOWDOWN,      // faster before than in the end
    WARMUP_NO_STEADY,     // still changing in the last quarter
    WARMUP_INCONSISTENT,  // of several runs only: they are not of one class
} WarmupClass;

typedef struct Segment {
    size_t start, end;     // iterations [start, end)
    double mean, variance; // of those that are no outliers
} Segment;

typedef struct Warmup {
    WarmupClass class;
    size_t steady;      // the first iteration of the steady state; half of them where there is none
    Segment *segments;  // in order; the owner's to free with warmup_free
    size_t n;
    bool *outlier;      // of each iteration
} Warmup;

// Times that the analysis needs at least; with fewer the class is unknown and the second half counts as steady.
enum { WARMUP_LEAST = 10 };

// Splits `n` values into segments. Returns the number of segments; ends[i] is the end of segment i, and has room for n.
// `penalty` is the price of a change point, in units of twice the log-likelihood.
size_t changepoint_pelt(const double *values, size_t n, double penalty, size_t *ends);

Warmup warmup_of(const double *times, size_t n);
void warmup_free(Warmup *w);

// What all runs of a cell are together.
WarmupClass warmup_together(const WarmupClass *classes, size_t n);
const char *warmup_name(WarmupClass c);

// cabernet-bench warmup [FILE]: classifies the numbers of a file or of standard input.
int warmup_main(int argc, char **argv);

#endif
