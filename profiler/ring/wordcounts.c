#include "profiler/ring/wordcounts.h"

enum { FILLED_BITS = 6, LAST_BITS = 28 };

static bool grow(WordCounts **w, uint32_t bits) {
    WordCounts *old = *w, *larger = wordcounts_new(bits);
    if (!larger) return false;
    for (uint32_t i = 0; i <= old->mask; i++)
        if (old->slot[i].word) *wordcounts_find(larger, old->slot[i].word) = old->slot[i];
    larger->used = old->used;
    __atomic_store_n(w, larger, __ATOMIC_RELEASE);
    free(old);
    return true;
}

bool wordcounts_insert(WordCounts **w, uint64_t word) {
    uint32_t bits = published_bits(*w);
    bool full = bits > FILLED_BITS ? (*w)->used > (*w)->mask / 2 : (*w)->used == (*w)->mask;
    bits += bits == FILLED_BITS ? 2 : 1;
    if (full && (bits > LAST_BITS || !grow(w, bits))) return false;
    WordCount *entry = wordcounts_find(*w, word);
    entry->count = 1;
    __atomic_store_n(&entry->word, word, __ATOMIC_RELEASE);  // last: readers test it first
    (*w)->used++;
    return true;
}
