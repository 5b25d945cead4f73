// method-count: entries of each method, in an array by method id. Ids are dense, so the array is as
// long as the number of methods linked so far at most doubled.
#include <stdlib.h>
#include <string.h>

#include "profiler/analysis.h"

// One allocation, so that a reader that takes the pointer once has a limit that fits the array.
typedef struct Counts {
    struct Counts *outgrown;  // smaller ones, kept for readers until the thread ends
    uint32_t limit;
    uint64_t of[];
} Counts;

typedef struct MethodCount {
    Counts *counts;
    uint64_t lost;
} MethodCount;

enum { FIRST_LIMIT = 4096 };

static Counts *counts_new(uint32_t limit) {
    Counts *c = calloc(1, sizeof *c + limit * sizeof c->of[0]);
    if (c) c->limit = limit;
    return c;
}

static bool grow(MethodCount *s, uint32_t callee) {
    uint64_t limit = s->counts->limit;
    while (limit <= callee) limit *= 2;
    Counts *larger = limit <= UINT32_MAX ? counts_new((uint32_t)limit) : NULL;
    if (!larger) return false;
    memcpy(larger->of, s->counts->of, s->counts->limit * sizeof larger->of[0]);
    larger->outgrown = s->counts;
    __atomic_store_n(&s->counts, larger, __ATOMIC_RELEASE);
    return true;
}

// Apart, with its own hand-over, so that the common path needs no frame.
static __attribute__((noinline)) void count_new(const EventSink_method_entry *sink, uint32_t callee,
                                                uint32_t caller, uintptr_t site) {
    MethodCount *s = sink->state;
    if (grow(s, callee)) s->counts->of[callee]++;
    else s->lost++;
    EVENT_PASS(sink, callee, caller, site);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t callee, uint32_t caller,
                            uintptr_t site) {
    Counts *counts = ((MethodCount *)sink->state)->counts;
    if (__builtin_expect(callee >= counts->limit, 0)) {
        count_new(sink, callee, caller, site);
        return;
    }
    counts->of[callee]++;
    EVENT_PASS(sink, callee, caller, site);
}

static void *thread_new(void) {
    MethodCount *s = calloc(1, sizeof *s);
    if (s && (s->counts = counts_new(FIRST_LIMIT))) return s;
    free(s);
    return NULL;
}

static void thread_free(void *state) {
    MethodCount *s = state;
    while (s->counts) {
        Counts *outgrown = s->counts->outgrown;
        free(s->counts);
        s->counts = outgrown;
    }
    free(s);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const MethodCount *s = state;
    const Counts *counts = __atomic_load_n(&s->counts, __ATOMIC_ACQUIRE);
    for (uint32_t id = 0; id < counts->limit; id++)
        if (counts->of[id]) table_add(out, &(TableRow){.key = {id}, .count = counts->of[id]});
    *lost += s->lost;
}

const Analysis analysis_method_count = {
    .name = "method-count",
    .event = EVENT_method_entry,
    .columns = {{"method", COLUMN_METHOD}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_method_entry = on_method_entry,
};
