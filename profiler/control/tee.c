#include "profiler/control/tee.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/control/control_internal.h"

Tee *tee_new(Profiler *p, uint64_t id, const char *name) {
    Tee *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    states_ignore(&t->events);
    if (states_begin(&t->states, p, &p->request->compared, &t->events, id, name, NULL) &&
        states_listen(&t->states, p->request, &t->events, NULL))
        return t;
    tee_free(t);
    return NULL;
}

void tee_free(Tee *t) {
    if (!t) return;
    states_clear(&t->states);
    free(t);
}

// Rows of sorted tables that are not in both.
static uint64_t differences(const Table *a, const Table *b) {
    uint64_t count = 0;
    size_t i = 0, k = 0;
    while (i < a->count && k < b->count) {
        const TableRow *x = &a->rows[i], *y = &b->rows[k];
        int order = 0;
        for (int n = 0; n < TABLE_KEYS && !order; n++) order = (x->key[n] > y->key[n]) - (x->key[n] < y->key[n]);
        count += order || x->count != y->count;
        i += order <= 0;
        k += order >= 0;
    }
    return count + (a->count - i) + (b->count - k);
}

uint64_t tee_compare(const Tee *t, const Request *request, const Table tables[ANALYSIS_COUNT]) {
    uint64_t count = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        Table own = {0};
        uint64_t lost = 0;
        if (!request_listens(request, a)) continue;
        analysis_table[a]->collect(states_of(&t->states, a), &own, &lost);
        table_combine(&own);
        if (analysis_table[a]->reduce) analysis_table[a]->reduce(&own);
        count += own.failed ? 1 : differences(&own, &tables[a]);
        table_free(&own);
    }
    return count;
}
