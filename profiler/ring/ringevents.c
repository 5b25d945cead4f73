#include "profiler/ring/ringevents.h"

#include <stdlib.h>
#include <string.h>

struct RingEvents ringevents = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_site(const void *unused, uintptr_t number) {
    (void)unused;
    const EventSite *s = ringevents_site((uint32_t)number);
    uint64_t h = (uint64_t)s->event << 32 | s->dynamic;
    for (unsigned i = 0; i < sizeof s->words / sizeof *s->words; i++)
        h = (h ^ s->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static bool is_site(const void *unused, uintptr_t number, const void *site) {
    (void)unused;
    return memcmp(ringevents_site((uint32_t)number), site, sizeof(EventSite)) == 0;
}

static const HashKind by_payload = {hash_site, is_site};

// The words of an event: the number of the row, and each field that follows.
#define PLACE_FIELD(type, name)                                              \
    if (EVENTWORDS_WIDE_##type || s->dynamic >> field & 1) {                 \
        if (__builtin_strcmp(#type, "ADDRESS") == 0) s->address = s->length; \
        s->length++;                                                         \
    }                                                                        \
    field++;
static void place_fields(EventSite *s) {
    unsigned field = 0;
    s->length = 1;
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    if (s->event == EVENT_##id) {                                 \
        EVENT_EACH(PLACE_FIELD, payload)                          \
    }
#include "vm/api/events.def"
}

// Requires the lock. The block of the row after the last one; row 0 is unused. NULL: there is no room.
static EventSite *block_of_next(void) {
    uint32_t number = ringevents.count + 1;
    if (number / RINGEVENTS_BLOCK >= RINGEVENTS_BLOCKS) return NULL;
    _Atomic(EventSite *) *block = &ringevents.sites[number / RINGEVENTS_BLOCK];
    EventSite *rows = atomic_load(block);
    if (rows) return rows;
    rows = calloc(RINGEVENTS_BLOCK, sizeof *rows);
    atomic_store_explicit(block, rows, memory_order_release);
    return rows;
}

uint32_t ringevents_number(enum EventId event, uint32_t dynamic, const uint32_t *words) {
    uint32_t number = 0;
    pthread_mutex_lock(&ringevents.lock);
    EventSite *rows = block_of_next();
    if (rows) {
        uint32_t own = ringevents.count + 1;
        EventSite *s = &rows[own % RINGEVENTS_BLOCK];
        memset(s, 0, sizeof *s);
        s->event = event;
        s->dynamic = dynamic;
        memcpy(s->words, words, sizeof s->words);
        place_fields(s);
        uint32_t hash = hash_site(NULL, own);
        number = (uint32_t)hash_find(&ringevents.index, &by_payload, NULL, hash, s);
        if (!number && hash_add(&ringevents.index, &by_payload, NULL, hash, own)) number = ringevents.count = own;
    }
    pthread_mutex_unlock(&ringevents.lock);
    return number;
}

void ringevents_fork(bool before) {
    if (before) pthread_mutex_lock(&ringevents.lock);
    else pthread_mutex_unlock(&ringevents.lock);
}
