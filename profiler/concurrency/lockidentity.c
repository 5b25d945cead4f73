#include "profiler/concurrency/lockidentity.h"

#include <stdatomic.h>
#include <string.h>

#include "profiler/concurrency/placenumbers.h"
#include "vm/api/events.h"
#include "vm/api/callcontext.h"

enum { GRANULE = 16, WALK = 16, NUMBER_BITS = 64 - 2 * PLACE_BITS };
static const unsigned window_bits[] = {36, 34, 32};  // bytes, more than any heap has; the first that fits

// Does a place allocate objects on behalf of its callers?
enum { UNKNOWN, SPEAKS_FOR_ITSELF, FOR_CALLERS };

static struct LockIdentities {
    const ProfileHost *host;
    LockDetail detail;
    uint64_t mask;              // of the window
    _Atomic uint64_t *objects;  // by granule: place, outer place and number
    Places places;
    _Atomic uint8_t *kinds;  // by place
    _Atomic uint32_t *made;  // by place: number of objects allocated
} locks;

bool lockidentity_begin(const ProfileHost *host, LockDetail detail) {
    locks.host = host;
    locks.detail = detail;
    if (detail == LOCKS_BY_CLASS || locks.objects) return true;
    locks.kinds = places_reserve(MOST_PLACES * sizeof *locks.kinds);
    locks.made = places_reserve(MOST_PLACES * sizeof *locks.made);
    for (size_t i = 0; !locks.objects && i < sizeof window_bits / sizeof *window_bits; i++) {
        size_t window = (size_t)1 << window_bits[i];
        locks.objects = places_reserve(window / GRANULE * sizeof *locks.objects);
        locks.mask = window - 1;
    }
    return places_begin(&locks.places) && locks.kinds && locks.made && locks.objects;
}

void lockidentity_end(void) {
    places_clear(locks.kinds, MOST_PLACES * sizeof *locks.kinds);
    places_clear(locks.made, MOST_PLACES * sizeof *locks.made);
    if (locks.objects) places_clear((void *)locks.objects, (locks.mask + 1) / GRANULE * sizeof *locks.objects);
    if (locks.objects) places_end(&locks.places);
    locks.detail = LOCKS_BY_CLASS;
}

LockDetail lockidentity_detail(void) { return locks.detail; }

static bool is_library_constructor(uint32_t method) {
    ProfiledMethod m = {0};
    return locks.host->method(method, &m) && !m.application && m.name && strcmp(m.name, "<init>") == 0;
}

// Numbers wrap after 16 million.
void lockidentity_made(uint32_t method, int32_t bci, uintptr_t object) {
    uint32_t place = method < EVENT_PSEUDO_BASE ? places_number(&locks.places, method, bci) : 0, number = 0;
    uint32_t outer = 0;
    if (place && locks.kinds[place] == UNKNOWN)
        locks.kinds[place] = is_library_constructor(method) ? FOR_CALLERS : SPEAKS_FOR_ITSELF;
    if (place && locks.kinds[place] == FOR_CALLERS) {  // the first caller that is not a library's constructor
        uint32_t methods[WALK], i = 0;
        int32_t bcis[WALK];
        uint32_t count = callcontext(methods, bcis, WALK);
        while (i < count && is_library_constructor(methods[i])) i++;
        if (i < count) outer = places_number(&locks.places, methods[i], bcis[i]);
    }
    if (locks.detail == LOCKS_BY_INSTANCE)
        number = atomic_fetch_add_explicit(&locks.made[place], 1, memory_order_relaxed) + 1;
    uint64_t cell = (uint64_t)place << (64 - PLACE_BITS) | (uint64_t)outer << NUMBER_BITS |
        (number & ((1u << NUMBER_BITS) - 1));
    atomic_store_explicit(&locks.objects[(object & locks.mask) / GRANULE], cell, memory_order_relaxed);
}

LockIdentity lockidentity_of(uintptr_t object) {
    if (locks.detail == LOCKS_BY_CLASS) return (LockIdentity){0};
    uint64_t cell = atomic_load_explicit(&locks.objects[(object & locks.mask) / GRANULE], memory_order_relaxed);
    return (LockIdentity){(uint32_t)(cell >> (64 - PLACE_BITS)), (uint32_t)(cell >> NUMBER_BITS) % MOST_PLACES,
                          (uint32_t)cell & ((1u << NUMBER_BITS) - 1)};
}

void lockidentity_stack(Sections *out, LockIdentity lock) {
    uint32_t methods[2], count = 0;
    int32_t bcis[2];
    if (places_at(&locks.places, lock.place, &methods[count], &bcis[count])) count++;
    if (places_at(&locks.places, lock.outer, &methods[count], &bcis[count])) count++;
    section_stack(out, methods, bcis, count);
}
