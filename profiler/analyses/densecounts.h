// Counts by a dense number, such as a method id: an array that grows (base/published.h). One thread counts while
// another may read.
#ifndef CABERNET_PROFILER_ANALYSES_DENSECOUNTS_H
#define CABERNET_PROFILER_ANALYSES_DENSECOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/published.h"

typedef struct Counts {
    PUBLISHED_HEAD;
    uint64_t of[];
} Counts;

// The state of an analysis with such counts, and its thread_new and thread_free.
typedef struct CountsState {
    Counts *counts;
    uint64_t lost;
} CountsState;
struct AnalysisSettings;
void *counts_state_new(struct AnalysisSettings *settings);
void counts_state_free(void *state);

// Makes room for `index`. False: out of memory, or `index` is beyond any array.
bool counts_grow(Counts **c, uint32_t index);

#endif
