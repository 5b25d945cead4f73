#include "profiler/analyses/productioncontexts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/analyses/productionsites.h"
#include "vm/api/callcontext.h"

enum { SLOTS = 2 * PRODUCTION_CONTEXTS };

typedef struct Context {
    uint64_t count;              // 0: the slot is free
    uint32_t production, frames;
    uint32_t methods[PRODUCTION_FRAMES];
    int32_t bcis[PRODUCTION_FRAMES];
} Context;

static struct ProductionContexts {
    pthread_mutex_t lock;        // of the rest
    uint32_t used;
    uint64_t lost[PRODUCTIONS_MOST];
    Context *slot[SLOTS];
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t slot_of(const Context *c) {
    uint64_t h = c->production;
    for (uint32_t i = 0; i < c->frames; i++) h = (h ^ ((uint64_t)c->methods[i] << 32 | (uint32_t)c->bcis[i])) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 40) % SLOTS;
}

static bool same(const Context *a, const Context *b) {
    return a->production == b->production && a->frames == b->frames && memcmp(a->methods, b->methods, a->frames * sizeof *a->methods) == 0 &&
           memcmp(a->bcis, b->bcis, a->frames * sizeof *a->bcis) == 0;
}

static void add(const Context *c) {
    uint32_t at = slot_of(c);
    while (contexts.slot[at] && !same(contexts.slot[at], c)) at = (at + 1) % SLOTS;
    Context *found = contexts.slot[at];
    if (!found && contexts.used < PRODUCTION_CONTEXTS && (found = malloc(sizeof *found))) {
        *found = *c;
        contexts.slot[at] = found;
        contexts.used++;
    }
    if (found) found->count++;
    else contexts.lost[c->production]++;
}

void productioncontexts_take(uint32_t production, uint32_t frames, uint32_t entered) {
    Context c = {.production = production};
    uint32_t methods[PRODUCTION_FRAMES + 1], first = 0;
    int32_t bcis[PRODUCTION_FRAMES + 1];
    c.frames = callcontext(methods, bcis, frames + 1);
    if (c.frames && methods[0] == entered && bcis[0] <= 0) first = 1;
    c.frames -= first;
    if (c.frames > frames) c.frames = frames;
    memcpy(c.methods, methods + first, c.frames * sizeof *methods);
    memcpy(c.bcis, bcis + first, c.frames * sizeof *bcis);
    pthread_mutex_lock(&contexts.lock);
    add(&c);
    pthread_mutex_unlock(&contexts.lock);
}

// ---- the report ---------------------------------------------------------------------------------

static int by_count(const void *x, const void *y) {
    const Context *a = *(Context *const *)x, *b = *(Context *const *)y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    if (a->frames != b->frames) return a->frames < b->frames ? -1 : 1;
    int order = memcmp(a->methods, b->methods, a->frames * sizeof *a->methods);
    return order ? order : memcmp(a->bcis, b->bcis, a->frames * sizeof *a->bcis);
}

static void report_one(Sections *out, uint32_t production, Context **room) {
    const Production *r = productions_get(productionsites_productions(), production);
    uint32_t n = 0;
    char title[160];
    for (uint32_t i = 0; i < SLOTS; i++)
        if (contexts.slot[i] && contexts.slot[i]->production == production) room[n++] = contexts.slot[i];
    if (!n && !contexts.lost[production]) return;
    if (n) qsort(room, n, sizeof *room, by_count);
    snprintf(title, sizeof title, "Calling contexts that the production took, the innermost frame first; %llu more found no room",
             (unsigned long long)contexts.lost[production]);
    section_begin(out, "productions", r->name, title, "context stack, times number");
    for (uint32_t i = 0; i < n; i++) {
        section_stack(out, room[i]->methods, room[i]->bcis, room[i]->frames);
        section_number(out, room[i]->count);
    }
    section_end(out);
}

void productioncontexts_report(Sections *out) {
    Context **room = malloc(PRODUCTION_CONTEXTS * sizeof *room);
    const Productions *p = productionsites_productions();
    if (!room) out->failed = true;
    for (uint32_t i = 0; room && p && i < productions_count(p); i++)
        if (productions_get(p, i)->frames) report_one(out, i, room);
    free(room);
}
