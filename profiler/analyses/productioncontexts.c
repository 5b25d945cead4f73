#include "profiler/analyses/productioncontexts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/analyses/given.h"
#include "profiler/analyses/productionsites.h"
#include "vm/api/callcontext.h"

enum { SLOTS = 2 * PRODUCTION_CONTEXTS };

typedef struct Context {
    uint64_t count;  // 0: the slot is free
    uint32_t production, frames;
    uint32_t methods[PRODUCTION_FRAMES];
    int32_t bcis[PRODUCTION_FRAMES];
} Context;

typedef struct TakenContext {
    uint64_t count;
    uint32_t production, frames;
    char *text[PRODUCTION_FRAMES];  // of the frames
} TakenContext;

static struct ProductionContexts {
    pthread_mutex_t lock;  // of the fields below, up to those of shadows
    uint32_t used;
    uint64_t lost[PRODUCTIONS_MOST];
    Context *slot[SLOTS];
    // From shadows, in the program; one thread at a time adds them.
    TakenContext *taken;  // sorted by production and text
    size_t taken_count, taken_room;
    uint64_t taken_lost[PRODUCTIONS_MOST];
    bool is_taken;  // a shadow has reported, possibly that it has none
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add(const Context *c) {
    uint64_t h = c->production;
    for (uint32_t i = 0; i < c->frames; i++)
        h = (h ^ ((uint64_t)c->methods[i] << 32 | (uint32_t)c->bcis[i])) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(h >> 40) % SLOTS;
    Context *found;
    for (; (found = contexts.slot[at]) != NULL; at = (at + 1) % SLOTS)
        if (found->production == c->production && found->frames == c->frames &&
            memcmp(found->methods, c->methods, c->frames * sizeof *c->methods) == 0 &&
            memcmp(found->bcis, c->bcis, c->frames * sizeof *c->bcis) == 0)
            break;
    if (!found && contexts.used < PRODUCTION_CONTEXTS && (found = malloc(sizeof *found))) {
        *found = *c;
        contexts.slot[at] = found;
        contexts.used++;
    }
    if (found) found->count++;
    else contexts.lost[c->production]++;
}

void productioncontexts_end(void) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        free(contexts.slot[i]);
        contexts.slot[i] = NULL;
    }
    memset(contexts.lost, 0, sizeof contexts.lost);
    contexts.used = 0;
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

static void begin_report(Sections *out, uint32_t production, uint64_t lost) {
    char title[160];
    snprintf(title, sizeof title,
             "Calling contexts that the production took, the innermost frame first; %llu more found no room",
             (unsigned long long)lost);
    section_begin(out, "productions", productions_get(productionsites_productions(), production)->name, title,
                  "context stack, times number");
}

static void report_one(Sections *out, uint32_t production, Context **room) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (contexts.slot[i] && contexts.slot[i]->production == production) room[n++] = contexts.slot[i];
    if (!n && !contexts.lost[production]) return;
    if (n) qsort(room, n, sizeof *room, by_count);
    begin_report(out, production, contexts.lost[production]);
    for (uint32_t i = 0; i < n; i++) {
        section_stack(out, room[i]->methods, room[i]->bcis, room[i]->frames);
        section_number(out, room[i]->count);
    }
    section_end(out);
}

// ---- of shadows ----------------------------------------------------------------------------------

void productioncontexts_give(const ProfileHost *host, FILE *out) {
    given_put_number(out, contexts.used);
    for (uint32_t i = 0; i < SLOTS; i++) {
        const Context *c = contexts.slot[i];
        if (!c) continue;
        given_put_number(out, c->production);
        given_put_number(out, c->count);
        given_put_number(out, c->frames);
        for (uint32_t k = 0; k < c->frames; k++) {
            char text[SECTION_FRAME];
            section_frame(host, c->methods[k], c->bcis[k], text);
            given_put_text(out, text);
        }
    }
    for (uint32_t i = 0; i < PRODUCTIONS_MOST; i++) given_put_number(out, contexts.lost[i]);
}

static int by_frames(const void *x, const void *y) {
    const TakenContext *a = x, *b = y;
    if (a->production != b->production) return a->production < b->production ? -1 : 1;
    for (uint32_t i = 0; i < a->frames && i < b->frames; i++) {
        int order = strcmp(a->text[i], b->text[i]);
        if (order) return order;
    }
    return a->frames < b->frames ? -1 : a->frames > b->frames;
}

static void free_context(TakenContext *c) {
    for (uint32_t i = 0; i < c->frames; i++) free(c->text[i]);
}

static TakenContext read_context(Given *g) {
    TakenContext c = {.production = (uint32_t)given_number(g)};
    c.count = given_number(g);
    uint64_t frames = given_number(g);
    g->bad |= c.production >= PRODUCTIONS_MOST || frames > PRODUCTION_FRAMES;
    for (; c.frames < frames && !g->bad; c.frames++)
        if (!(c.text[c.frames] = given_text(g))) g->bad = true;
    return c;
}

// Merges equal contexts; those beyond the limit are lost.
static void combine(void) {
    size_t last = 0;
    if (contexts.taken_count) qsort(contexts.taken, contexts.taken_count, sizeof *contexts.taken, by_frames);
    for (size_t i = 1; i < contexts.taken_count; i++) {
        TakenContext *to = &contexts.taken[last], *from = &contexts.taken[i];
        if (by_frames(to, from) != 0) {
            contexts.taken[++last] = *from;
            continue;
        }
        to->count += from->count;
        free_context(from);
    }
    if (contexts.taken_count) contexts.taken_count = last + 1;
    while (contexts.taken_count > PRODUCTION_CONTEXTS) {
        TakenContext *c = &contexts.taken[--contexts.taken_count];
        contexts.taken_lost[c->production] += c->count;
        free_context(c);
    }
}

bool productioncontexts_from_shadow(const uint8_t *data, size_t size) {
    Given g = {data, data + size, false};
    uint64_t lost[PRODUCTIONS_MOST], count = given_number(&g);
    size_t before = contexts.taken_count;
    for (; count > 0 && !g.bad; count--) {
        TakenContext c = read_context(&g);
        g.bad |= !GROW(contexts.taken, contexts.taken_room, contexts.taken_count + 1);
        if (g.bad) free_context(&c);
        else contexts.taken[contexts.taken_count++] = c;
    }
    for (uint32_t i = 0; i < PRODUCTIONS_MOST; i++) lost[i] = given_number(&g);
    if (g.bad || g.at != g.end) {
        while (contexts.taken_count > before) free_context(&contexts.taken[--contexts.taken_count]);
        return false;
    }
    for (uint32_t i = 0; i < PRODUCTIONS_MOST; i++) contexts.taken_lost[i] += lost[i];
    contexts.is_taken = true;
    combine();
    return true;
}

static int by_taken_count(const void *x, const void *y) {
    const TakenContext *a = *(TakenContext *const *)x, *b = *(TakenContext *const *)y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return by_frames(a, b);
}

static void report_taken(Sections *out, uint32_t production, TakenContext **room) {
    uint32_t n = 0;
    for (size_t i = 0; i < contexts.taken_count; i++)
        if (contexts.taken[i].production == production) room[n++] = &contexts.taken[i];
    if (!n && !contexts.taken_lost[production]) return;
    if (n) qsort(room, n, sizeof *room, by_taken_count);
    begin_report(out, production, contexts.taken_lost[production]);
    for (uint32_t i = 0; i < n; i++) {
        section_frames(out, (const char *const *)room[i]->text, room[i]->frames);
        section_number(out, room[i]->count);
    }
    section_end(out);
}

void productioncontexts_report(Sections *out, bool last) {
    (void)last;
    void **room = malloc(PRODUCTION_CONTEXTS * sizeof *room);
    const Productions *p = productionsites_productions();
    if (!room) out->failed = true;
    for (uint32_t i = 0; room && p && i < productions_count(p); i++)
        if (productions_get(p, i)->frames)
            contexts.is_taken ? report_taken(out, i, (TakenContext **)room) : report_one(out, i, (Context **)room);
    free(room);
}
