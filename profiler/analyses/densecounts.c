#include "profiler/analyses/densecounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

enum { FIRST_BITS = 1, LAST_BITS = 31 };  // gets and puts of a field have room together (field_access.c)

void *counts_state_new(struct AnalysisSettings *settings) {
    (void)settings;
    CountsState *s = calloc(1, sizeof *s);
    if (s && (s->counts = published_new(sizeof(Counts), sizeof(uint64_t), FIRST_BITS))) return s;
    free(s);
    return NULL;
}

void counts_state_free(void *state) {
    published_free(((CountsState *)state)->counts);
    free(state);
}

static void move(void *larger, const void *old) {
    const Counts *from = old;
    memcpy(((Counts *)larger)->of, from->of, ((size_t)from->mask + 1) * sizeof from->of[0]);
}

bool counts_grow(Counts **c, uint32_t index) {
    uint32_t bits = published_bits(*c);
    ASSERT(index > (*c)->mask, "a table of 2^%u grows for %u", bits, index);
    while (bits < 32 && index >> bits) bits++;
    return bits <= LAST_BITS && published_grow(c, sizeof(Counts), sizeof(uint64_t), bits, move);
}
