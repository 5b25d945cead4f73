#include "profiler/ring/followers.h"

#include "profiler/ring/ringevents.h"

void follower_begin(Follower *f, const Cab *ring, const _Atomic uint64_t *cleared) {
    f->view = *ring;
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

static void advance(Follower *f, size_t words) {
    uint64_t *at = f->view.read + words;
    f->view.read = at == f->view.end ? f->view.start : at;
    f->count += words;
}

// Reads one event, or a word that begins none.
static void read_event(Follower *f) {
    const uint64_t *at = f->view.read;
    uint64_t word = cab_peek(at);
    enum EventId event = ringevents_of(word);
    unsigned words = 1;
    if (event != EVENT_COUNT) {
        f->analysing = event;
        words = ringevents_give(&f->back, event, at, ringevents_site_of(word));
        f->analysing = EVENT_COUNT;
    }
    advance(f, words);
}

static bool has_word(const Follower *f) { return ahead(f) < f->view.words && cab_load(f->view.read) != CAB_CLEAR; }

// The thread that read before ended in the middle of an event.
static void skip_unfinished(Follower *f) {
    if (f->analysing == EVENT_COUNT) return;
    f->analysing = EVENT_COUNT;
    f->unfinished++;
    do advance(f, 1);
    while (has_word(f) && eventwords_tag(cab_load(f->view.read)) == EVENTWORDS_MORE);
}

bool follower_is_ready(const Follower *f) {
    return ahead(f) + 2 * f->view.chunk < f->view.words && cab_is_ready(&f->view);
}

void follower_read(Follower *f, size_t most) {
    skip_unfinished(f);
    const uint64_t *start = f->view.read, *end = cab_chunk_end(&f->view);
    if ((size_t)(end - start) > most) end = start + most;
    while (f->view.read >= start && f->view.read < end) read_event(f);
    publish(f);
}

void follower_finish(Follower *f, uint64_t to) {
    skip_unfinished(f);
    while (f->count < to && has_word(f)) read_event(f);
    publish(f);
}
