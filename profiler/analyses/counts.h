// Counts by a dense number, such as a method id: an array that grows. One thread counts while another may read, which
// is why an outgrown array is kept until the thread ends.
#ifndef CABERNET_PROFILER_COUNTS_H
#define CABERNET_PROFILER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

// One allocation, so that a reader that loads the pointer once has a limit that matches the array.
typedef struct Counts {
    struct Counts *outgrown;
    uint32_t limit;
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

// For a reader, which may be another thread.
static inline const Counts *counts_read(Counts *const *c) {
    return __atomic_load_n(c, __ATOMIC_ACQUIRE);
}

#endif
