// Similarity of two profiles: the overlap percentage of Arnold and Ryder (PLDI 2001), that of the HPS paper, and the
// error rate of the paper on CAB, and what an ideal random sample would reach. Pure functions over counts.
#ifndef CABERNET_PROFILER_TOOL_COMPARE_PROF_OVERLAP_H
#define CABERNET_PROFILER_TOOL_COMPARE_PROF_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

// A counted item in both profiles; 0 where it does not occur.
typedef struct OverlapItem {
    uint64_t a, b;
} OverlapItem;

// Sum over the items of the smaller of the two shares, in percent. Two empty profiles overlap completely; an empty and
// a non-empty one do not overlap.
double overlap_percent(const OverlapItem *items, size_t count);

// The same over the most frequent items of A that together make up `part` (0.9) of A; shares are shares of these items'
// counts. Ties go to the earlier item. *members: the number of these items.
double overlap_top_percent(const OverlapItem *items, size_t count, double part, size_t *members);

// Weight matching (Wall, PLDI 1991, as Moseley and others use it, CGO 2007). The hot items of a profile are its most
// frequent ones, `part` (0.05) of the items that A has, at least one. Result: the share of the weight of A's hot items
// that falls on items which are hot in B too, in percent.
double overlap_weight_percent(const OverlapItem *items, size_t count, double part, size_t *members);

// The values seen at one place: how often the place was executed, and how often with its most frequent value, with one
// of the values that are known, and with zero.
typedef struct OverlapPlace {
    OverlapItem times, top, known, zero;
} OverlapPlace;

// Differences in invariance (the same paper), in percent: the differences between the shares of the most frequent
// values, of the known ones and of zero, each averaged over the places that both profiles have and weighted by A's
// execution counts.
typedef struct OverlapInvariance {
    double top, known, zero;
    size_t members;  // number of these places; if 0, the differences are 0
} OverlapInvariance;

OverlapInvariance overlap_invariance(const OverlapPlace *places, size_t count);

// Error rate of Ha and others (OOPSLA 2009), in percent: the mean of |a - b / rate| / a over the items with a >=
// `least`, each with the same weight. `rate` is the part of the events of A that B has, above 0. Items that A does not
// have are left out, since the formula divides by a.
typedef struct OverlapError {
    size_t members;  // number of these items; if 0, both means are 0
    double percent;
    // `ideal`: expected if B had each event of A with probability `rate`, independently; 0 for rates of 1 and more.
    double ideal;
} OverlapError;

OverlapError overlap_error(const OverlapItem *items, size_t count, uint64_t least, double rate);

// The expected overlap_top_percent of an ideal sample of `events` events of A.
double overlap_top_ideal(const OverlapItem *items, size_t count, double part, uint64_t events);

// The expected overlap with A, in percent, of `events` events drawn from A at random (multinomially). Exact up to
// rounding: each item's count is binomial, and De Moivre's formula gives its mean deviation.
double overlap_ideal(const OverlapItem *items, size_t count, uint64_t events);

// The same by drawing `draws` samples from a generator with `seed`. Writes the percentages in ascending order to
// result[draws].
void overlap_draw(const OverlapItem *items, size_t count, uint64_t events, uint64_t seed, double *result, size_t draws);

#endif
