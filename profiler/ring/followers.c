#include "profiler/ring/followers.h"

void follower_begin(Follower *f, const Cab *ring, RingPart part, const _Atomic uint64_t *cleared) {
    f->view = *ring;
    f->part = part;
    f->cleared = cleared;
    f->analysing = EVENT_COUNT;
}

// Words that it has read and the first reader has not taken.
static uint64_t ahead(const Follower *f) { return f->count - atomic_load_explicit(f->cleared, memory_order_acquire); }

static void publish(Follower *f) { atomic_store_explicit(&f->passed, f->count, memory_order_release); }

void follower_move(Follower *f, const Cab *ring) {
    uint64_t *read = ring->start + ahead(f);
    f->view = *ring;
    f->view.read = read;
}

void follower_skip(Follower *f, const Cab *ring) {
    f->view.read = ring->read;
    f->count = *f->cleared;
    publish(f);
}

// It has read all words before `at`, of the lap that `read` is in.
static inline void advance_to(Follower *f, uint64_t *at) {
    f->count += (uint64_t)(at - f->view.read);
    f->view.read = at == f->view.end ? f->view.start : at;
}

// Reads the events that begin before `end`, which is in the lap of `read`. A sink may end the thread.
static void read_up_to(Follower *f, const uint64_t *end) {
    uint64_t *at = f->view.read;
    while (at < end) {
        uint64_t word = cab_peek(at);
        const EventSite *site = ringevents_site_of(word);
        unsigned apart = ringevents_apart(at, site, &f->part);
        if (apart) {
            at += apart;
            continue;
        }
        enum EventId event = site ? site->event : eventwords_event(word);
        if (event == EVENT_COUNT) {
            at++;
            continue;
        }
        advance_to(f, at);
        f->analysing = event;
        at += ringevents_give(ringevents_sinks(&f->back, event), event, at, site);
        f->analysing = EVENT_COUNT;
    }
    advance_to(f, at);
}

static bool has_word(const Follower *f) { return ahead(f) < f->view.words && cab_load(f->view.read) != CAB_CLEAR; }

// The thread that read before ended in the middle of an event.
static void skip_unfinished(Follower *f) {
    if (f->analysing == EVENT_COUNT) return;
    f->analysing = EVENT_COUNT;
    f->unfinished++;
    do advance_to(f, f->view.read + 1);
    while (has_word(f) && eventwords_tag(cab_load(f->view.read)) == EVENTWORDS_MORE);
}

bool follower_is_ready(const Follower *f) {
    return ahead(f) + 2 * f->view.chunk < f->view.words && cab_is_ready(&f->view);
}

void follower_read(Follower *f, size_t most) {
    skip_unfinished(f);
    const uint64_t *start = f->view.read, *end = cab_chunk_end(&f->view);
    read_up_to(f, (size_t)(end - start) > most ? start + most : end);
    publish(f);
}

void follower_finish(Follower *f, uint64_t to) {
    skip_unfinished(f);
    while (f->count < to && has_word(f)) read_up_to(f, f->view.read + 1);
    publish(f);
}
