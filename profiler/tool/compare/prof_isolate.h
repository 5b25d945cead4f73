// `cabernet-prof isolate`: finds predicates that predict failing runs (Liblit, Naik, Zheng, Aiken and Jordan, "Scalable
// statistical bug isolation", PLDI 2005).
#ifndef CABERNET_PROFILER_TOOL_COMPARE_PROF_ISOLATE_H
#define CABERNET_PROFILER_TOOL_COMPARE_PROF_ISOLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The number of good and bad runs in which a predicate was true, and in which its place was observed.
typedef struct IsolateCounts {
    uint32_t good_true, bad_true, good_observed, bad_observed;
} IsolateCounts;

typedef struct IsolateScores {
    double failure, context, increase;  // probabilities; increase = failure - context
    double low, high;                   // 95 % interval of increase
    double importance;                  // harmonic mean of increase and of the share of bad runs that it explains
} IsolateScores;

IsolateScores isolate_scores(const IsolateCounts *c, uint32_t bad_runs);

// `argv`: the arguments after the command's name. Returns the exit code.
int prof_isolate(char **argv, FILE *out);

#endif
