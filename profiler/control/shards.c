#include "profiler/control/shards.h"

#include <stdlib.h>

#include "profiler/control/control_internal.h"

struct Shards {
    uint32_t count;
    States of[];  // of the readers after the first one
};

void shards_free(Shards *s) {
    for (uint32_t i = 0; s && i < s->count; i++) states_clear(&s->of[i]);
    free(s);
}

// The states of a reader. False: out of memory.
static bool begin(States *s, Request *r, uint32_t reader, EventThread *to) {
    states_ignore(to);
    if (!states_make_room(s, r)) return false;
    for (int a = 0; a < s->count; a++) {
        if (!r->analysis[a] || !analysis_table[a]->thread_shard) continue;
        if (!(s->of[a] = analysis_table[a]->thread_new(&r->settings))) return false;
        analysis_table[a]->thread_shard(s->of[a], reader, r->transport.shards);
    }
    return states_listen(s, r, to, NULL);
}

Shards *shards_new(Request *r, Transport *t, States *first) {
    uint32_t count = r->transport.shards - 1;
    Shards *s = calloc(1, sizeof *s + count * sizeof *s->of);
    if (!s) return NULL;
    s->count = count;
    for (int a = 0; a < first->count; a++)
        if (first->of[a] && analysis_table[a]->thread_shard)
            analysis_table[a]->thread_shard(first->of[a], 0, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (!begin(&s->of[i], r, i + 1, transport_back(t, i + 1))) {
            shards_free(s);
            return NULL;
        }
    return s;
}

void shards_collect(const Shards *s, int a, Table *table, uint64_t *lost) {
    for (uint32_t i = 0; s && i < s->count; i++)
        if (states_of(&s->of[i], a)) analysis_table[a]->collect(states_of(&s->of[i], a), table, lost);
}

void shards_drop(Shards *s, int a) {
    for (uint32_t i = 0; s && i < s->count; i++) states_drop(&s->of[i], a);
}
