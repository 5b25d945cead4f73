#include "profiler/ring/wordcounts.h"

#include <stdlib.h>

enum { FIRST_BITS = 8, LAST_BITS = 28 };

static WordCounts *table_with(uint32_t bits) {
    size_t slots = (size_t)1 << bits;
    WordCounts *w = calloc(1, sizeof *w + slots * sizeof w->slot[0]);
    if (!w) return NULL;
    w->mask = (uint32_t)(slots - 1);
    w->shift = 64 - bits;
    return w;
}

WordCounts *wordcounts_new(void) { return table_with(FIRST_BITS); }

void wordcounts_free(WordCounts *w) {
    for (WordCounts *outgrown; w; w = outgrown) {
        outgrown = w->outgrown;
        free(w);
    }
}

static bool grow(WordCounts **w) {
    WordCounts *old = *w, *larger = 64 - old->shift < LAST_BITS ? table_with(64 - old->shift + 1) : NULL;
    if (!larger) return false;
    for (uint32_t i = 0; i <= old->mask; i++)
        if (old->slot[i].word) *wordcounts_find(larger, old->slot[i].word) = old->slot[i];
    larger->used = old->used;
    larger->outgrown = old;
    __atomic_store_n(w, larger, __ATOMIC_RELEASE);
    return true;
}

bool wordcounts_insert(WordCounts **w, uint64_t word) {
    if ((*w)->used > (*w)->mask / 2 && !grow(w)) return false;
    WordCount *entry = wordcounts_find(*w, word);
    entry->count = 1;
    __atomic_store_n(&entry->word, word, __ATOMIC_RELEASE);  // last: readers test it first
    (*w)->used++;
    return true;
}
