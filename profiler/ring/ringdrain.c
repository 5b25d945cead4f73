// Out of a ring: its holder takes words and gives the events to the analyses, or discards them.
#include "profiler/ring/transport_internal.h"

#include <stdlib.h>

#include "profiler/ring/ringevents.h"

// Counts an event that is only counted, if it is a single word.
static inline bool is_counted(Ring *r, uint64_t word) {
    WordCount *entry = wordcounts_find(r->of->words, word);
    if (__builtin_expect(entry->word == word, 1)) {
        entry->count++;
        return true;
    }
    enum EventId event = ringevents_of(word);
    const EventSite *site = ringevents_site_of(word);
    bool single = event != EVENT_COUNT && transports.needs.counts >> event & 1 && !(site && site->dynamic) &&
        eventwords_tag(word) != EVENTWORDS_LONG;
    return single && wordcounts_insert(&r->of->words, word);
}

static void take_up_to(Ring *r, uint64_t to);

// The following events are of another thread (transport.h). With a stamp it has a single word.
void ringdrain_switch(Ring *r) {
    const uint64_t *at = queue_read(&r->queue);
    Transport *of = (Transport *)(uintptr_t)(cab_peek(at) & EVENTWORDS_MASK);
    unsigned words = transports.ordered ? 1 : SWITCH_WORDS;
    if (!transports.ordered) {
        Ring *left = (Ring *)(uintptr_t)(cab_peek(at + 1) & EVENTWORDS_MASK);
        uint64_t to = cab_peek(at + 2) & EVENTWORDS_MASK;
        if (left && left != r) take_up_to(left, to);
    }
    r->of = of;
    queue_take(&r->queue, words);
    r->removed += words;
}

void ringdrain_analyse(Ring *r, unsigned before) {
    const uint64_t *at = queue_read(&r->queue) + before;
    uint64_t word = cab_peek(at);
    const EventSite *site = ringevents_site_of(word);
    enum EventId event = if_taken(site ? site->event : eventwords_event(word));
    unsigned n = 1;
    if (eventwords_tag(word) == EVENTWORDS_SWITCH) {
        ringdrain_switch(r);
        return;
    }
    if (transports.request->discards) {
        r->last = word;
        r->transferred++;
    } else if (transports.needs.counts && r->of && is_counted(r, word)) {  // padding may follow an ended thread
        r->taken++;
    } else if (event != EVENT_COUNT) {
        r->analysing = event;
        TransportEvent *e = transport_event(r->of, event);
        n = ringevents_give(e->sinks, event, at, site);
        e->analysed++;
        r->analysing = EVENT_COUNT;
        r->taken++;
    }
    queue_take(&r->queue, before + n);
    r->removed += before + n;
}

// The last words of the event may be missing after a crash.
void ringdrain_skip_unfinished(Ring *r) {
    if (r->analysing == EVENT_COUNT) return;
    transport_event(r->of, r->analysing)->discarded++;
    r->taken++;
    r->analysing = EVENT_COUNT;
    const uint64_t *at = queue_read(&r->queue);
    unsigned words = 1 + (eventwords_tag(cab_peek(at)) == EVENTWORDS_STAMP ? stamp_words() : 0);
    while (words < CAB_LONGEST && queue_has(&r->queue, words) &&
           eventwords_tag(cab_load(at + words)) == EVENTWORDS_MORE)
        words++;
    queue_take(&r->queue, words);
    r->removed += words;
}

// ---- several readers of a ring -----------------------------------------------------------------------

// Takes the next events before `end` that other readers analyse, and counts them.
static void pass_apart(Ring *r, const uint64_t *end) {
    const EventSet any = transports.needs.apart;
    const RingPart part = r->part;
    uint64_t *start = queue_read(&r->queue), *at = start;
    while (at < end) {
        const EventSite *site = ringevents_site_of(cab_peek(at));
        unsigned words = site && any >> site->event & 1 ? ringevents_apart(at, site, &part) : 0;
        if (!words) break;
        transport_event(r->of, site->event)->analysed++;
        for (unsigned i = 0; i < words; i++) cab_store(at++, CAB_CLEAR);
    }
    r->removed += (uint64_t)(at - start);
    queue_advance(&r->queue, at);
}

// How many words all other readers have read that the ring's consumer may therefore take.
static uint64_t words_all_read(const Ring *r) {
    uint64_t least = UINT64_MAX;
    for
        EACH_READER(reader, r) {
            uint64_t passed = atomic_load_explicit(&reader->follower.passed, memory_order_acquire);
            if (passed < least) least = passed;
        }
    return least - r->removed;
}

// Requires that the caller holds the ring. All readers read as far as the one that has read most; with `last` that one
// first reads the rest of the ring.
static void finish_readers(Ring *r, bool last) {
    uint64_t most = r->removed;
    publish_removed(r);
    if (last) follower_finish(&r->readers[0].follower, UINT64_MAX);
    for
        EACH_READER(reader, r) {
            follower_finish(&reader->follower, 0);  // passes an unfinished event
            if (reader->follower.count > most) most = reader->follower.count;
        }
    for
        EACH_READER(reader, r)
    follower_finish(&reader->follower, most);
    while (r->removed < most) ringdrain_analyse(r, 0);
    publish_removed(r);
}

// ---- samples of a ring that is overwritten -----------------------------------------------------------

static void analyse_sample(Ring *r, const RingSample *k) {
    for (size_t i = 0; i < k->count;) {
        enum EventId event = k->words[i] == CAB_CLEAR ? EVENT_COUNT : if_taken(ringevents_of(k->words[i]));
        if (event == EVENT_COUNT) {
            i++;
            continue;
        }
        if (transports.needs.counts && is_counted(r, k->words[i])) {
            i++;
            continue;
        }
        TransportEvent *e = transport_event(r->of, event);
        i += ringevents_give(e->sinks, event, &k->words[i], ringevents_site_of(k->words[i]));
        e->analysed++;
    }
    r->sampled += k->seen;
}

static void analyse_next_sample(Ring *r, bool last) {
    RingSample *k = ringsamples_take(&r->samples, &r->queue.cab, last);
    if (k) analyse_sample(r, k);
    free(k);
}

// ---- batches -------------------------------------------------------------------------------------

// Takes words up to `end`: all of them with consume=discard, otherwise counts those that have an entry.
static void take_words(Ring *r, const uint64_t *end) {
    Queue *q = &r->queue;
    bool counts = !transports.request->discards, clears = ring_is_cleared(q->kind);
    if (!r->of) return;
    WordCounts *w = r->of->words;
    uint64_t *start = queue_read(q), *at = start;
    for (; at < end; at++) {
        uint64_t word = cab_peek(at);
        if (counts) {
            WordCount *entry = wordcounts_find(w, word);
            if (__builtin_expect(entry->word != word, 0)) break;
            entry->count++;
        } else r->last = word;
        if (clears) cab_store(at, CAB_CLEAR);
    }
    if (!counts) r->transferred += (uint64_t)(at - start);
    r->removed += (uint64_t)(at - start);
    queue_advance(q, at);
}

static bool is_between(const uint64_t *at, const uint64_t *start, const uint64_t *end) {
    return at >= start && at < end;
}

// Takes the events that begin before `end`, in the same piece of the ring as the oldest one.
static void take_piece(Ring *r, const uint64_t *end) {
    const uint64_t *start = queue_read(&r->queue);
    while (is_between(queue_read(&r->queue), start, end)) {
        if (transports.needs.counts || transports.request->discards) take_words(r, end);
        if (r->readers) pass_apart(r, end);
        if (is_between(queue_read(&r->queue), start, end)) ringdrain_analyse(r, 0);
    }
}

// The end of the words of the next piece, at most up to word number `to`.
static const uint64_t *end_of_piece(Ring *r, uint64_t to) {
    const uint64_t *start = queue_read(&r->queue), *end = queue_piece_end(&r->queue);
    return (uint64_t)(end - start) > to - r->removed ? start + (to - r->removed) : end;
}

void ringdrain_batch(Ring *r) {
    if (transports.request->sampled) {
        analyse_next_sample(r, false);
        return;
    }
    uint64_t most = r->readers ? words_all_read(r) : BATCH, to = r->removed + (most < BATCH ? most : BATCH);
    while (r->removed < to) {
        take_piece(r, end_of_piece(r, to));
        if (!r->readers && !queue_is_ready(&r->queue)) break;
    }
    publish_removed(r);
}

// With rings=carrier: takes the words up to number `to`, all of which have been written (transport.h). May call itself
// for other rings. Fewer are there only after a crash, or when they were discarded.
static void take_up_to(Ring *r, uint64_t to) {
    ringdrain_skip_unfinished(r);
    while (r->removed < to && queue_has(&r->queue, 0)) take_piece(r, end_of_piece(r, to));
    publish_removed(r);
}

bool ringdrain_is_ready(Ring *r) {
    if (transports.request->sampled) return ringsamples_ready(&r->samples, &r->queue.cab);
    return r->readers ? words_all_read(r) > 0 : queue_is_ready(&r->queue);
}

// ---- the rest of a ring --------------------------------------------------------------------------

// The last chunk may be incomplete.
void ringdrain_rest(Ring *r) {
    if (transports.request->sampled) {
        while (atomic_load(&r->samples.kept) || cab_claimed(&r->queue.cab) < cab_written(&r->queue.cab))
            analyse_next_sample(r, true);
        return;
    }
    if (transports.request->unread) return;
    if (transports.ordered) {
        ringorder_merge(false);
        return;
    }
    ringdrain_skip_unfinished(r);
    if (r->readers) finish_readers(r, true);
    else
        while (queue_has(&r->queue, 0)) ringdrain_analyse(r, 0);
    publish_removed(r);
}

void ringdrain_thread(Transport *t) {
    if (transports.request->unread) return;
    if (transports.ordered) {
        ringorder_merge(false);
        return;
    }
    Ring *r = t->ring;
    if (r) take_up_to(r, ring_written(r));
    else if (t->left) take_up_to(t->left, t->left_at);
}

void ringdrain_discard(Ring *r) {
    ringdrain_skip_unfinished(r);
    if (r->readers) finish_readers(r, false);
    r->laps++;
    while (queue_has(&r->queue, 0)) {
        uint64_t word = cab_peek(queue_read(&r->queue));
        enum EventId event = if_taken(ringevents_of(word));
        if (eventwords_tag(word) == EVENTWORDS_SWITCH) r->of = (Transport *)(uintptr_t)(word & EVENTWORDS_MASK);
        if (event != EVENT_COUNT) transport_event(r->of, event)->discarded++;
        r->taken += event != EVENT_COUNT;
        queue_take(&r->queue, 1);
        r->removed++;
    }
    publish_removed(r);
    for
        EACH_READER(reader, r)
    follower_skip(&reader->follower, &r->queue.cab);
}
