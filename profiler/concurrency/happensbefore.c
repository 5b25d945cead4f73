// See profiler/concurrency/happensbefore.h.
#include "profiler/concurrency/happensbefore.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"

enum { STRIPES = 64, MOST_ENDED = 256, CLASS_DEPTH = 64 };

// Clocks published at an address.
typedef struct Meeting {
    uintptr_t address, object;
    HbClocks clocks;
    uint32_t last;  // epoch of the last release
    bool exact;     // the clocks equal what that thread knew then
} Meeting;

typedef struct Stripe {
    pthread_mutex_t lock;
    HashTable meetings;  // Meeting *
    uint64_t acquisitions, releases, lost, bytes;
} Stripe;

// An initialisation of a class by the thread in a slot, between two clocks.
typedef struct ClassInit {
    uint32_t cls, slot, from, to;  // to 0: not completed
    HbClocks clocks;               // at the end
} ClassInit;

static struct HappensBefore {
    pthread_mutex_t lock;                                    // of everything except the stripes
    uint32_t slots;                                          // number of slots ever used; the next one is slots + 1
    uint32_t last[HB_SLOTS + 1];                             // last clock of slots without a thread
    HbClocks left[HB_SLOTS + 1];                             // what their threads knew
    uint32_t ended[HB_SLOTS + 1], ended_first, ended_count;  // a ring of these slots
    ClassInit *inits;
    uint32_t init_count, init_capacity;
    uint64_t lost;
    Stripe stripes[STRIPES];
} hb = {.lock = PTHREAD_MUTEX_INITIALIZER, .stripes = {[0 ... STRIPES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}}};

// ---- clocks --------------------------------------------------------------------------------------

static bool make_room(HbClocks *c, uint32_t count) {
    if (count <= c->count) return true;
    if (!GROW_ZEROED(c->at, c->capacity, count)) return false;
    c->count = count;
    return true;
}

static bool set(HbClocks *c, uint32_t slot, uint32_t clock) {
    if (!make_room(c, slot + 1)) return false;
    if (c->at[slot] < clock) c->at[slot] = clock;
    return true;
}

// *covered becomes whether `from` included everything in `to`.
static bool join(HbClocks *to, const HbClocks *from, bool *covered) {
    bool covers = to->count <= from->count;
    if (!make_room(to, from->count)) return false;
    for (uint32_t i = 0; i < from->count; i++) {
        covers &= to->at[i] <= from->at[i];
        if (to->at[i] < from->at[i]) to->at[i] = from->at[i];
    }
    if (covered) *covered = covers;
    return true;
}

static void clear(HbClocks *c) {
    free(c->at);
    *c = (HbClocks){0};
}

// ---- slots ---------------------------------------------------------------------------------------

// Requires the lock. 0: none left. A slot whose clock is exhausted is not reused.
static uint32_t take_slot(void) {
    bool fresh = hb.slots < HB_SLOTS - 1;
    while (hb.ended_count > 0 && (hb.ended_count > MOST_ENDED || !fresh)) {
        uint32_t slot = hb.ended[hb.ended_first];
        hb.ended_first = (hb.ended_first + 1) % (HB_SLOTS + 1);
        hb.ended_count--;
        if (hb.last[slot] < HB_LAST_CLOCK - 1) return slot;
    }
    return fresh ? ++hb.slots : 0;
}

// Requires the lock. Any thread that knows a time in a slot knows what was known there then; so must the slot's next
// thread.
static void begin_in_a_slot(HbThread *t) {
    uint32_t slot = take_slot();
    uint32_t epoch = slot << HB_CLOCK_BITS | (hb.last[slot] + 1);
    if (slot && join(&t->known, &hb.left[slot], NULL) && set(&t->known, slot, hb_clock(epoch))) {
        clear(&hb.left[slot]);
        t->epoch = epoch;
        return;
    }
    t->epoch = 0;
    hb.lost++;
}

void hb_thread_begin(HbThread *t) {
    pthread_mutex_lock(&hb.lock);
    begin_in_a_slot(t);
    pthread_mutex_unlock(&hb.lock);
}

void hb_thread_end(HbThread *t) {
    pthread_mutex_lock(&hb.lock);
    if (t->epoch) {  // the slot is free for another thread
        uint32_t slot = hb_slot(t->epoch);
        hb.left[slot] = t->known;
        hb.last[slot] = hb_clock(t->epoch);
        hb.ended[(hb.ended_first + hb.ended_count++) % (HB_SLOTS + 1)] = slot;
    } else {
        clear(&t->known);
    }
    pthread_mutex_unlock(&hb.lock);
    t->known = (HbClocks){0};
    clear(&t->frozen);
    t->epoch = 0;
}

// Advances the thread's clock.
static void tick(HbThread *t) {
    if (hb_clock(t->epoch) < HB_LAST_CLOCK) {
        t->epoch++;
        t->known.at[hb_slot(t->epoch)] = hb_clock(t->epoch);
        return;
    }
    pthread_mutex_lock(&hb.lock);
    hb.last[hb_slot(t->epoch)] = HB_LAST_CLOCK;
    begin_in_a_slot(t);
    pthread_mutex_unlock(&hb.lock);
}

// ---- meetings ------------------------------------------------------------------------------------

// Also locks the stripe.
static Stripe *stripe_of(uintptr_t address) {
    Stripe *s = &hb.stripes[hash_pointer((const void *)address) % STRIPES];
    pthread_mutex_lock(&s->lock);
    return s;
}

static Meeting *find(Stripe *s, uintptr_t address) {
    const void *key = (const void *)address;
    return (Meeting *)hash_find(&s->meetings, &hash_by_first_word, NULL, hash_pointer(key), key);
}

static Meeting *find_or_add(Stripe *s, uintptr_t address, uintptr_t object) {
    Meeting *m = find(s, address);
    if (m || !(m = calloc(1, sizeof *m))) return m;
    *m = (Meeting){.address = address, .object = object, .exact = true};
    if (hash_add(&s->meetings, &hash_by_first_word, NULL, hash_pointer((const void *)address), (uintptr_t)m)) {
        s->bytes += sizeof *m;
        return m;
    }
    free(m);
    return NULL;
}

void hb_acquire(HbThread *t, uintptr_t address) {
    if (!t->epoch) return;
    Stripe *s = stripe_of(address);
    const Meeting *m = find(s, address);
    s->acquisitions++;
    bool known = !m || (m->exact && (!m->last || hb_ordered(t, m->last)));
    if (!known && !join(&t->known, &m->clocks, NULL)) s->lost++;
    pthread_mutex_unlock(&s->lock);
}

void hb_release(HbThread *t, uintptr_t address, uintptr_t object) {
    if (!t->epoch) return;
    Stripe *s = stripe_of(address);
    Meeting *m = find_or_add(s, address, object);
    uint32_t before = m ? m->clocks.capacity : 0;
    s->releases++;
    if (m && join(&m->clocks, &t->known, &m->exact)) {
        m->last = t->epoch;
        s->bytes += (uint64_t)(m->clocks.capacity - before) * sizeof *m->clocks.at;
    } else {
        s->lost++;
    }
    pthread_mutex_unlock(&s->lock);
    tick(t);
}

static void forget_meeting(Stripe *s, Meeting *m) {
    s->bytes -= sizeof *m + m->clocks.capacity * sizeof *m->clocks.at;
    free(m->clocks.at);
    free(m);
}

void hb_forget(bool (*is_live)(const void *object)) {
    for (int i = 0; i < STRIPES; i++) {
        HashTable *table = &hb.stripes[i].meetings;
        Meeting *m;
        for (uint32_t at = 0; (m = (Meeting *)hash_next(table, &at));) {
            if (!m->object || is_live((const void *)m->object)) continue;
            forget_meeting(&hb.stripes[i], m);
            hash_remove_returned(table, at);
        }
    }
}

// ---- final fields and classes ---------------------------------------------------------------------

void hb_freeze(HbThread *t, uint32_t epoch) {
    if (!set(&t->frozen, hb_slot(epoch), hb_clock(epoch))) hb.lost++;
}

void hb_class_begin(HbThread *t, uint32_t cls) {
    if (!t->epoch) return;
    tick(t);
    pthread_mutex_lock(&hb.lock);
    if (GROW(hb.inits, hb.init_capacity, hb.init_count + 1))
        hb.inits[hb.init_count++] = (ClassInit){.cls = cls, .slot = hb_slot(t->epoch), .from = hb_clock(t->epoch)};
    else hb.lost++;
    pthread_mutex_unlock(&hb.lock);
}

void hb_class_end(HbThread *t, uint32_t cls) {
    if (!t->epoch) return;
    pthread_mutex_lock(&hb.lock);
    for (uint32_t i = hb.init_count; i-- > 0;) {
        ClassInit *init = &hb.inits[i];
        if (init->to || init->cls != cls || init->slot != hb_slot(t->epoch)) continue;
        // If the clock overflowed during the initialisation, the thread has another slot, and the entry is not found.
        if (join(&init->clocks, &t->known, NULL)) init->to = hb_clock(t->epoch);
        else hb.lost++;
        break;
    }
    pthread_mutex_unlock(&hb.lock);
    tick(t);
}

bool hb_initialized(HbThread *t, uint32_t epoch) {
    bool found = false;
    pthread_mutex_lock(&hb.lock);
    for (uint32_t i = 0; i < hb.init_count && !found; i++) {
        const ClassInit *init = &hb.inits[i];
        bool inside = init->slot == hb_slot(epoch) && init->from <= hb_clock(epoch) && hb_clock(epoch) <= init->to;
        found = inside && join(&t->known, &init->clocks, NULL);
    }
    pthread_mutex_unlock(&hb.lock);
    return found;
}

// ---- all of it ------------------------------------------------------------------------------------

void hb_reset(void) {
    for (int i = 0; i < STRIPES; i++) {
        Stripe *s = &hb.stripes[i];
        uintptr_t item;
        for (uint32_t at = 0; (item = hash_next(&s->meetings, &at));) forget_meeting(s, (Meeting *)item);
        free(s->meetings.slots);
        s->meetings = (HashTable){0};
        s->acquisitions = s->releases = s->lost = 0;
    }
    for (uint32_t i = 0; i < hb.init_count; i++) free(hb.inits[i].clocks.at);
    hb.init_count = 0;
}

HbFigures hb_figures(void) {
    HbFigures f = {.slots = hb.slots, .lost = hb.lost};
    for (int i = 0; i < STRIPES; i++) {
        const Stripe *s = &hb.stripes[i];
        uintptr_t item;
        for (uint32_t at = 0; (item = hash_next(&s->meetings, &at));) f.addresses++;
        f.bytes += s->bytes + s->meetings.allocated * sizeof *s->meetings.slots;
        f.acquisitions += s->acquisitions;
        f.releases += s->releases;
        f.lost += s->lost;
    }
    return f;
}

// ---- end -----------------------------------------------------------------------------------------

static void end_stripe(Stripe *s) {
    Meeting *m;
    for (uint32_t at = 0; (m = (Meeting *)hash_next(&s->meetings, &at));) {
        free(m->clocks.at);
        free(m);
    }
    hash_free(&s->meetings);
    s->acquisitions = s->releases = s->lost = s->bytes = 0;
}

void hb_end(void) {
    for (int i = 0; i < STRIPES; i++) end_stripe(&hb.stripes[i]);
    for (uint32_t i = 0; i <= HB_SLOTS; i++) free(hb.left[i].at);
    for (uint32_t i = 0; i < hb.init_count; i++) free(hb.inits[i].clocks.at);
    free(hb.inits);
    hb.inits = NULL;
    hb.init_count = hb.init_capacity = 0;
    memset(hb.left, 0, sizeof hb.left);
    memset(hb.last, 0, sizeof hb.last);
    hb.slots = hb.ended_first = hb.ended_count = 0;
    hb.lost = 0;
}
