#include "profiler/concurrency/lockidentity.h"

#include <stdatomic.h>
#include <string.h>

#include "profiler/analyses/moment.h"
#include "profiler/concurrency/placenumbers.h"
#include "vm/api/events.h"

enum { GRANULE = 16, WALK = 16, NUMBER_BITS = 64 - 2 * PLACE_BITS };
static const unsigned window_bits[] = {36, 34, 32};  // bytes, more than any heap has; the first that fits

// Does a place allocate objects on behalf of its callers?
enum { UNKNOWN, SPEAKS_FOR_ITSELF, FOR_CALLERS };

static struct LockIdentities {
    const ProfileHost *host;
    LockDetail detail;
    struct Identities {
        uint64_t mask;              // of the window
        _Atomic uint64_t *objects;  // by granule: place, outer place and number
        Places places;
        _Atomic uint8_t *kinds;  // by place
        _Atomic uint32_t *made;  // by place: number of objects allocated
    } of[ANALYSIS_SIDES];
} locks;

static bool begin_side(struct Identities *k) {
    if (k->objects) return places_begin(&k->places);
    k->kinds = places_reserve(MOST_PLACES * sizeof *k->kinds);
    k->made = places_reserve(MOST_PLACES * sizeof *k->made);
    for (size_t i = 0; !k->objects && i < sizeof window_bits / sizeof *window_bits; i++) {
        size_t window = (size_t)1 << window_bits[i];
        k->objects = places_reserve(window / GRANULE * sizeof *k->objects);
        k->mask = window - 1;
    }
    return places_begin(&k->places) && k->kinds && k->made && k->objects;
}

bool lockidentity_begin(const ProfileHost *host, LockDetail detail, unsigned sides) {
    bool ok = true;
    locks.host = host;
    locks.detail = detail;
    for (unsigned i = 0; ok && detail != LOCKS_BY_CLASS && i < sides; i++) ok = begin_side(&locks.of[i]);
    return ok;
}

void lockidentity_end(void) {
    for (int i = 0; i < ANALYSIS_SIDES; i++) {
        struct Identities *k = &locks.of[i];
        places_clear(k->kinds, MOST_PLACES * sizeof *k->kinds);
        places_clear(k->made, MOST_PLACES * sizeof *k->made);
        if (k->objects) places_clear((void *)k->objects, (k->mask + 1) / GRANULE * sizeof *k->objects);
        if (k->objects) places_end(&k->places);
    }
    locks.detail = LOCKS_BY_CLASS;
}

LockDetail lockidentity_detail(void) { return locks.detail; }

static bool is_library_constructor(uint32_t method) {
    ProfiledMethod m = {0};
    return locks.host->method(method, &m) && !m.application && m.name && strcmp(m.name, "<init>") == 0;
}

// Numbers wrap after 16 million.
void lockidentity_made(const EventThread *t, unsigned side, uint32_t method, int32_t bci, uintptr_t object) {
    struct Identities *k = &locks.of[side];
    uint32_t place = method < EVENT_PSEUDO_BASE ? places_number(&k->places, method, bci) : 0, number = 0;
    uint32_t outer = 0;
    if (place && k->kinds[place] == UNKNOWN)
        k->kinds[place] = is_library_constructor(method) ? FOR_CALLERS : SPEAKS_FOR_ITSELF;
    if (place && k->kinds[place] == FOR_CALLERS) {  // the first caller that is not a library's constructor
        uint32_t methods[WALK], i = 0;
        int32_t bcis[WALK];
        uint32_t count = moment_stack(t, methods, bcis, WALK);
        while (i < count && is_library_constructor(methods[i])) i++;
        if (i < count) outer = places_number(&k->places, methods[i], bcis[i]);
    }
    if (locks.detail == LOCKS_BY_INSTANCE)
        number = atomic_fetch_add_explicit(&k->made[place], 1, memory_order_relaxed) + 1;
    uint64_t cell = (uint64_t)place << (64 - PLACE_BITS) | (uint64_t)outer << NUMBER_BITS |
        (number & ((1u << NUMBER_BITS) - 1));
    atomic_store_explicit(&k->objects[(object & k->mask) / GRANULE], cell, memory_order_relaxed);
}

LockIdentity lockidentity_of(unsigned side, uintptr_t object) {
    if (locks.detail == LOCKS_BY_CLASS) return (LockIdentity){0};
    const struct Identities *k = &locks.of[side];
    uint64_t cell = atomic_load_explicit(&k->objects[(object & k->mask) / GRANULE], memory_order_relaxed);
    return (LockIdentity){(uint32_t)(cell >> (64 - PLACE_BITS)), (uint32_t)(cell >> NUMBER_BITS) % MOST_PLACES,
                          (uint32_t)cell & ((1u << NUMBER_BITS) - 1)};
}

void lockidentity_stack(Sections *out, LockIdentity lock) {
    uint32_t methods[2], count = 0;
    int32_t bcis[2];
    if (places_at(&locks.of[0].places, lock.place, &methods[count], &bcis[count])) count++;
    if (places_at(&locks.of[0].places, lock.outer, &methods[count], &bcis[count])) count++;
    section_stack(out, methods, bcis, count);
}
