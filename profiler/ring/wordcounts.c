#include "profiler/ring/wordcounts.h"

enum { LAST_BITS = 28 };

static void move(void *larger, const void *old) {
    const WordCounts *from = old;
    for (uint32_t i = 0; i <= from->mask; i++)
        if (from->slot[i].word) *wordcounts_find(larger, from->slot[i].word) = from->slot[i];
}

bool wordcounts_insert(WordCounts **w, uint64_t word) {
    uint32_t bits = published_bits(*w) + 1;
    if ((*w)->used > (*w)->mask / 2 &&
        (bits > LAST_BITS || !published_grow(w, sizeof(WordCounts), sizeof(WordCount), bits, move)))
        return false;
    WordCount *entry = wordcounts_find(*w, word);
    entry->count = 1;
    __atomic_store_n(&entry->word, word, __ATOMIC_RELEASE);  // last: readers test it first
    (*w)->used++;
    return true;
}
