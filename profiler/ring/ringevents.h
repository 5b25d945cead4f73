// The events in a ring: which one a word begins, and its delivery to the sinks of analyses. Events of compiled code
// with a constant payload have a row in a table of payloads, and the first word is the row's number. Rows are never
// removed, because a ring may refer to them.
#ifndef CABERNET_PROFILER_RING_RINGEVENTS_H
#define CABERNET_PROFILER_RING_RINGEVENTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "profiler/ring/eventwords.h"

enum { RINGEVENTS_BLOCK = 1 << 14, RINGEVENTS_BLOCKS = 1 << 12 };  // rows of a block; blocks

extern struct RingEvents {
    _Atomic(EventSite *) sites[RINGEVENTS_BLOCKS];  // by number; blocks and rows never change once published
    pthread_mutex_t lock;
    uint32_t count;   // under the lock, as the next one
    HashTable index;  // numbers of rows
} ringevents;

static inline const EventSite *ringevents_site(uint32_t number) {
    EventSite *block = atomic_load_explicit(&ringevents.sites[number / RINGEVENTS_BLOCK], memory_order_acquire);
    return &block[number % RINGEVENTS_BLOCK];
}

// The row of an event of compiled code; NULL: the word begins another event, or none.
static inline const EventSite *ringevents_site_of(uint64_t word) {
    return eventwords_tag(word) == 0 ? ringevents_site((uint32_t)word) : NULL;
}

// The event that begins with this word. EVENT_COUNT: none.
static inline enum EventId ringevents_of(uint64_t word) {
    const EventSite *site = ringevents_site_of(word);
    return site ? site->event : eventwords_event(word);
}

// The addresses whose events one of several readers analyses: those of lines with a remainder.
typedef struct RingPart {
    unsigned shift;  // log2 of the bytes of a line
    uint64_t divisor, remainder;
} RingPart;

// The number of words of an event of compiled code that is not in the part; 0: it may be, and must be delivered.
static inline unsigned ringevents_apart(const uint64_t *at, const EventSite *site, const RingPart *part) {
    if (!site || !site->address) return 0;
    uint64_t line = (cab_peek(&at[site->address]) & EVENTWORDS_MASK) >> part->shift;
    return (line & (part->divisor - 1)) == part->remainder ? 0 : site->length;
}

// The sinks of a thread for an event.
static inline const void *ringevents_sinks(const EventThread *t, enum EventId event) {
    switch (event) {
// clang-format off
#define EVENT(id, text, payload, waits, counted, source, made_by) case EVENT_##id: return t->id;
#include "vm/api/events.def"
        // clang-format on
        case EVENT_COUNT: break;
    }
    return NULL;
}

// Delivers the event at `at` to `sinks`, those for the event. `site`: its row, or NULL. Returns its number of words.
static inline unsigned ringevents_give(const void *sinks, enum EventId event, const uint64_t *at,
                                       const EventSite *site) {
    bool is_long = !site && eventwords_tag(cab_peek(at)) == EVENTWORDS_LONG;
    switch (event) {
#define EVENT(id, text, payload, waits, counted, source, made_by)  \
    case EVENT_##id:                                               \
        return site   ? eventwords_give_site_##id(sinks, at, site) \
            : is_long ? eventwords_give_long_##id(sinks, at)       \
                      : eventwords_give_##id(sinks, at);
#include "vm/api/events.def"
        case EVENT_COUNT: break;
    }
    return 1;
}

// The number of the row for a payload, which is added if it is new (ProfilerInterface.site). 0: there is no room. Any
// thread; takes a lock briefly.
uint32_t ringevents_number(enum EventId event, uint32_t dynamic, const uint32_t *words);

// Around a fork.
void ringevents_fork(bool before);

#endif
