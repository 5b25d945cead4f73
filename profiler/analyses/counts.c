#include "profiler/analyses/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

enum { FIRST_LIMIT = 16 };

static Counts *with_limit(uint32_t limit) {
    Counts *c = calloc(1, sizeof *c + limit * sizeof c->of[0]);
    if (c) c->limit = limit;
    return c;
}

void *counts_state_new(struct AnalysisSettings *settings) {
    (void)settings;
    CountsState *s = calloc(1, sizeof *s);
    if (s && (s->counts = with_limit(FIRST_LIMIT))) return s;
    free(s);
    return NULL;
}

void counts_state_free(void *state) {
    Counts *c = ((CountsState *)state)->counts;
    while (c) {
        Counts *outgrown = c->outgrown;
        free(c);
        c = outgrown;
    }
    free(state);
}

bool counts_grow(Counts **c, uint32_t index) {
    uint64_t limit = (*c)->limit;
    ASSERT(limit > 0 && index >= limit, "a table of %llu grows for %u", (unsigned long long)limit, index);
    while (limit <= index) limit *= 2;
    Counts *larger = limit <= UINT32_MAX ? with_limit((uint32_t)limit) : NULL;
    if (!larger) return false;
    memcpy(larger->of, (*c)->of, (*c)->limit * sizeof larger->of[0]);
    larger->outgrown = *c;
    __atomic_store_n(c, larger, __ATOMIC_RELEASE);
    return true;
}
