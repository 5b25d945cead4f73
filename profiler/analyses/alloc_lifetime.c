// alloc-lifetime: how long objects live, in bytes that the program allocates meanwhile. One object is a sample for a
// number of bytes that a thread allocates (every=, heap_sample), as for alloc-tree. Each collection tells which samples
// are dead. The clock is the number of bytes that all samples stand for.
//
// An object dies at an unknown point after the last collection that found it alive, or after its allocation, and before
// the one that finds it dead. Its lifetime is taken to end in the middle, so the error is at most half of what was
// allocated between the two. Collections of young objects treat all others as alive.
//
// One lock guards the state of a side. It is taken for each sample, and at the end of marking, when no thread that runs
// Java code is inside a sink. Memory is bounded: MOST_SAMPLES live samples and MOST_PLACES rows.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/moment.h"
#include "profiler/analyses/rowcounts.h"

#define A "alloc-lifetime"

enum { MOST_SAMPLES = 1 << 20, MOST_PLACES = 1 << 14 };

// A live object.
typedef struct Sample {
    uintptr_t object;  // first, for hash_by_first_word
    uint64_t born;
    uint32_t place;
} Sample;

// A class at a place that allocates it.
typedef struct Place {
    uint32_t cls, method;
    int32_t bci;
    uint32_t unused;
    // The key ends here.
    uint64_t samples, bytes, died;
    Histogram lifetime;
} Place;

typedef struct Lifetimes {
    pthread_mutex_t lock;
    uint64_t clock, seen;  // bytes; at the last collection
    uint64_t collections;
    uint64_t lost;    // samples without room
    HashTable live;   // Sample *, by object
    uint32_t alive;   // number of live samples
    HashTable index;  // of places, their number + 1
    Place *places;
    uint32_t place_count, place_capacity;
} Lifetimes;

static Lifetimes lifetimes_of[ANALYSIS_SIDES] = {[0 ... ANALYSIS_SIDES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

typedef struct LifetimeThread {
    RowCounts counts;  // first, for rowcounts_collect
    Lifetimes *of;
    const EventThread *events;
    uint64_t every;
} LifetimeThread;

// ---- samples -----------------------------------------------------------------------------------

// The number of a place, from 1; 0: no room.
static uint32_t place_number(Lifetimes *o, uint32_t cls, uint32_t method, int32_t bci) {
    Place place = {.cls = cls, .method = method, .bci = bci};
    HashKeyedRecords owner = {o->places, sizeof place, offsetof(Place, samples)};
    uint32_t hash = hash_bytes(HASH_START, &place, owner.key);
    uintptr_t found = hash_find(&o->index, &hash_by_bytes, &owner, hash, &place);
    if (found) return (uint32_t)found;
    if (o->place_count == MOST_PLACES || !GROW(o->places, o->place_capacity, o->place_count + 1)) return 0;
    o->places[o->place_count] = place;
    owner.records = o->places;
    if (!hash_add(&o->index, &hash_by_bytes, &owner, hash, o->place_count + 1)) return 0;
    return ++o->place_count;
}

static void note_death(Lifetimes *o, const Sample *s) {
    Place *p = &o->places[s->place - 1];
    uint64_t alive_at = s->born > o->seen ? s->born : o->seen;
    p->died++;
    histogram_add(&p->lifetime, (alive_at + o->clock) / 2 - s->born);
}

// Requires the lock. False: no room.
static bool add_sample(Lifetimes *o, uintptr_t object, uint32_t place) {
    const void *key = (const void *)object;
    Sample *s = (Sample *)hash_find(&o->live, &hash_by_first_word, NULL, hash_pointer(key), key);
    if (s) {  // another object had the address, and no collection has said so
        note_death(o, s);
        *s = (Sample){object, o->clock, place};
        return true;
    }
    if (o->alive == MOST_SAMPLES || !(s = malloc(sizeof *s))) return false;
    *s = (Sample){object, o->clock, place};
    if (!hash_add(&o->live, &hash_by_first_word, NULL, hash_pointer(key), (uintptr_t)s)) {
        free(s);
        return false;
    }
    o->alive++;
    return true;
}

static void on_allocation_sample(const EventSink_allocation_sample *sink, uint32_t cls, uint32_t samples,
                                 uintptr_t object) {
    LifetimeThread *t = sink->state;
    Lifetimes *o = t->of;
    uint32_t method = EVENT_PSEUDO(CALLER_VM);
    int32_t bci = EVENT_NO_BCI;
    moment_stack(t->events, &method, &bci, 1);
    rowcounts_add(&t->counts, (uint64_t[TABLE_KEYS]){cls, method, (uint32_t)bci}, 1);
    pthread_mutex_lock(&o->lock);
    uint64_t bytes = t->every * samples;
    o->clock += bytes;
    uint32_t place = place_number(o, cls, method, bci);
    if (place && add_sample(o, object, place)) {
        o->places[place - 1].samples++;
        o->places[place - 1].bytes += bytes;
    } else {
        o->lost++;
    }
    pthread_mutex_unlock(&o->lock);
    EVENT_PASS(sink, cls, samples, object);
}

static void forget_dead_of(Lifetimes *o, bool (*is_live)(const void *object)) {
    pthread_mutex_lock(&o->lock);
    Sample *s;
    for (uint32_t at = 0; (s = (Sample *)hash_next(&o->live, &at));) {
        if (is_live((const void *)s->object)) continue;
        note_death(o, s);
        free(s);
        hash_remove_returned(&o->live, at);
        o->alive--;
    }
    o->seen = o->clock;
    o->collections++;
    pthread_mutex_unlock(&o->lock);
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    (void)each_live;
    for (int i = 0; i < ANALYSIS_SIDES; i++) forget_dead_of(&lifetimes_of[i], is_live);
}

// ---- threads and the process ---------------------------------------------------------------------

static void *thread_new(AnalysisSettings *settings) {
    LifetimeThread *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->of = &lifetimes_of[settings->side];
    t->every = settings->sample_bytes;
    return t;
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id, (void)name;
    ((LifetimeThread *)state)->events = events;
}

static void thread_free(void *state) {
    LifetimeThread *t = state;
    rowcounts_free(&t->counts);
    free(t);
}

static void end_of(Lifetimes *o) {
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&o->live, &at));) free((Sample *)item);
    for (uint32_t i = 0; i < o->place_count; i++) histogram_free(&o->places[i].lifetime);
    hash_free(&o->live);
    hash_free(&o->index);
    free(o->places);
    pthread_mutex_t lock = o->lock;  // not held
    memset(o, 0, sizeof *o);
    o->lock = lock;
}

static void end(void) {
    for (int i = 0; i < ANALYSIS_SIDES; i++) end_of(&lifetimes_of[i]);
}

// Which samples the last collections have found dead is the same on both sides.
static uint64_t differences(void) {
    const Lifetimes *own = &lifetimes_of[0], *other = &lifetimes_of[1];
    uint64_t count = own->place_count != other->place_count || own->clock != other->clock || own->alive != other->alive;
    for (uint32_t i = 0; i < own->place_count; i++) {
        const Place *x = &own->places[i];
        uint32_t number = place_number(&lifetimes_of[1], x->cls, x->method, x->bci);
        const Place *y = number ? &other->places[number - 1] : NULL;
        count += !y || x->samples != y->samples || x->bytes != y->bytes || x->died != y->died;
    }
    return count;
}

// ---- the report ----------------------------------------------------------------------------------

static void put_what(Sections *out, const char *what, uint64_t number) {
    section_text(out, what);
    section_number(out, number);
}

static void report(Sections *out, bool last) {
    const Lifetimes *o = &lifetimes_of[0];
    (void)last;
    section_begin(out, A, "lifetimes",
                  "Sampled objects by class and place, and their lifetimes in bytes that the program allocated "
                  "meanwhile, from samples that a collection found dead; off by at most half of what was allocated "
                  "since the collection before",
                  "class text, at stack, sampled varying, bytes varying, died varying, alive at the end varying, "
                  "median lifetime varying, 90 % of lifetimes varying, longest lifetime varying");
    for (uint32_t i = 0; i < o->place_count; i++) {
        const Place *p = &o->places[i];
        section_class(out, p->cls);
        section_stack(out, &p->method, &p->bci, 1);
        section_number(out, p->samples);
        section_number(out, p->bytes);
        section_number(out, p->died);
        section_number(out, p->samples - p->died);
        section_number(out, histogram_percentile(&p->lifetime, 0.5));
        section_number(out, histogram_percentile(&p->lifetime, 0.9));
        section_number(out, p->lifetime.largest);
    }
    section_end(out);
    section_begin(out, A, "lifetime-clock", "How lifetimes were measured", "what text, number varying");
    put_what(out, "bytes allocated", o->clock);
    put_what(out, "collections", o->collections);
    put_what(out, "bytes from one collection to the next", o->collections ? o->seen / o->collections : 0);
    put_what(out, "samples without room", o->lost);
    section_end(out);
}

const Analysis analysis_alloc_lifetime = {
    .name = "alloc-lifetime",
    .event = EVENT_allocation_sample,
    .ordered = true,  // an address is of the object that had it when the sample was taken
    .walked = EVENT_BIT(EVENT_allocation_sample),
    .columns = {{"class", COLUMN_CLASS, NULL}, {"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}},
    .unsampled = "it takes samples of its own: every= sets their distance",
    .unshadowed = "a shadow makes no collections, and ends before its objects do",
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_free = thread_free,
    .collect = rowcounts_collect,
    .forget_dead = forget_dead,
    .differences = differences,
    .end = end,
    .report = report,
    .on_allocation_sample = on_allocation_sample,
};
