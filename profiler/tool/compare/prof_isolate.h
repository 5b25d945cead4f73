// `cabernet-prof isolate`: which predicates predict that a run fails (Liblit, Naik, Zheng, Aiken and Jordan, "Scalable statistical bug
// isolation", PLDI 2005).
#ifndef CABERNET_PROFILER_PROF_ISOLATE_H
#define CABERNET_PROFILER_PROF_ISOLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// In how many good and bad runs a predicate was true, and its place was observed at all.
typedef struct IsolateCounts {
    uint32_t good_true, bad_true, good_observed, bad_observed;
} IsolateCounts;

typedef struct IsolateScores {
    double failure, context, increase;   // chances from 0 to 1; increase = failure - context
    double low, high;                    // 95 % interval of increase
    double importance;                   // harmonic mean of increase and of how many of the bad runs it explains
} IsolateScores;

IsolateScores isolate_scores(const IsolateCounts *c, uint32_t bad_runs);

// The arguments behind the command's name. Returns the exit code.
int prof_isolate(char **argv, FILE *out);

#endif
