// How alike two profiles are: the overlap percentage of Arnold and Ryder (PLDI 2001), that of the HPS
// paper, and what an ideal random sample would reach. Pure functions over counts.
#ifndef CABERNET_PROFILER_PROF_OVERLAP_H
#define CABERNET_PROFILER_PROF_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

// One thing that is counted, in both profiles; 0 where it does not occur.
typedef struct OverlapItem {
    uint64_t a, b;
} OverlapItem;

// Sum over the items of the smaller of the two shares, in percent. An empty profile overlaps with an
// empty one completely and with others not at all.
double overlap_percent(const OverlapItem *items, size_t count);

// The same over the most frequent items of A alone that together make up `part` (0.9) of A: shares
// are shares of these items' counts. Of equally frequent items the earlier ones are taken. *members:
// how many these are.
double overlap_top_percent(const OverlapItem *items, size_t count, double part, size_t *members);

// Weight matching (Wall, PLDI 1991, as Moseley and others use it, CGO 2007): of the weight in A of its most frequent items,
// `part` (0.05) of all that A has and at least one, how much falls on items that are among as many most frequent ones of B.
double overlap_weight_percent(const OverlapItem *items, size_t count, double part, size_t *members);

// What is known of the values of one place: how often it was passed, and how often with its most frequent value.
typedef struct OverlapPlace {
    OverlapItem times, top;
} OverlapPlace;

// Difference in invariance of top values (the same paper): the mean over the places that both have of the difference of the
// shares of their most frequent values, weighted by how often A has passed them, in percent. *members: how many these are.
double overlap_invariance_difference(const OverlapPlace *places, size_t count, size_t *members);

// What an ideal sample of `events` events of A is expected to reach in overlap_top_percent.
double overlap_top_ideal(const OverlapItem *items, size_t count, double part, uint64_t events);

// The overlap with A, in percent, to be expected of `events` events drawn from A at random
// (multinomially). Exact up to rounding: each item's count is binomial, and De Moivre has its mean
// deviation.
double overlap_ideal(const OverlapItem *items, size_t count, uint64_t events);

// The same by drawing `draws` samples from a generator with `seed`: percentages in ascending order
// into result[draws].
void overlap_draw(const OverlapItem *items, size_t count, uint64_t events, uint64_t seed,
                  double *result, size_t draws);

#endif
