// Counts of the words taken out of a ring: an open-addressing table whose entries are never removed. Small tables, of
// which very many threads may have one, are filled but for one slot, where a search looks at 5 slots on average; others
// are at most half full. A table that was outgrown is freed at once, so only the holder of the ring that the words come
// from may use the table, or a copy of the process, in which no table changes.
#ifndef CABERNET_PROFILER_RING_WORDCOUNTS_H
#define CABERNET_PROFILER_RING_WORDCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/published.h"

typedef struct WordCount {
    uint64_t word;  // 0: free
    uint64_t count;
} WordCount;

typedef struct WordCounts {
    PUBLISHED_HEAD;
    WordCount slot[];
} WordCounts;

enum { WORDCOUNTS_FIRST_BITS = 3 };

// An empty table, which free frees. NULL: out of memory.
static inline WordCounts *wordcounts_new(uint32_t bits) {
    return published_new(sizeof(WordCounts), sizeof(WordCount), bits);
}

// The entry of a word, or the free slot for it.
static inline WordCount *wordcounts_find(WordCounts *w, uint64_t word) {
    for (uint32_t i = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> w->shift);; i = (i + 1) & w->mask)
        if (w->slot[i].word == word || !w->slot[i].word) return &w->slot[i];
}

// Adds a word that has no entry, with count 1. False: out of memory.
bool wordcounts_insert(WordCounts **w, uint64_t word);

#endif
