// The state of the transport (transport.h), its start and end, threads and figures.
#include "profiler/ring/transport_internal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/ring/ringcontexts.h"
#include "profiler/ring/ringevents.h"
#include "vm/api/thread.h"

enum {
    DEFAULT_L1 = 32 << 10,
    PACE_BURSTS = 32,
    PACE_LEAST = 100,
    PACE_MOST = 1024 * PACE_LEAST,
};

struct Transports transports = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .leases = PTHREAD_MUTEX_INITIALIZER};

// ---- start ---------------------------------------------------------------------------------------

uint64_t transport_least_chunk(void) { return CAB_LEAST_CHUNK * sizeof(uint64_t); }

uint64_t transport_usual_chunk(void) {
    long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return 4 * (uint64_t)(l1 >= 4096 ? l1 : DEFAULT_L1) / 4096 * 4096;
}

RingForm transport_form(const TransportRequest *r) {
    return (RingForm){r->kind, r->kind == RING_NWAY ? r->chunk : r->buffer};
}

static void stop_consumers(void) {
    for (uint32_t i = 0; i < transports.consumer_count; i++)
        profilerthread_stop(transports.consumers[i].thread, THREAD_FOREVER);
    memset(transports.consumers, 0, sizeof transports.consumers);
    transports.consumer_count = 0;
}

bool transport_start(const TransportRequest *r, TransportNeeds needs, char *error, size_t error_size) {
    cpu_set_t before;
    bool placed = r->affinity != NULL;
    sched_getaffinity(0, sizeof before, &before);
    transports.request = r;
    needs.counts &= eventwords_single;
    needs.keeps |= r->ordered;
    transports.needs = needs;
    transports.taken_count = 0;
    for (int e = 0; e < EVENT_COUNT; e++)
        if (needs.taken >> e & 1) transports.place[e] = (uint8_t)transports.taken_count++;
    transports.ordered = r->ordered;
    memset(transports.free, 0, sizeof transports.free);
    transports.spare = NULL;
    if (r->carriers && !thread_is_green()) {
        snprintf(error, error_size, "rings=carrier needs -Xthreads:green: a native thread is its own carrier");
        return false;
    }
    transports.stamp = 1;
    for (size_t i = 0; i < sizeof transports.nowhere / sizeof *transports.nowhere; i++)
        transports.nowhere[i] = CAB_MAGIC;
    transports.nowhere_at = transports.nowhere;
    if (r->kind == RING_NWAY || r->kind == RING_LAMPORT) transports.nowhere_at = queue_nowhere(transport_form(r));
    if (!transports.nowhere_at) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    if (placed && !ringconsumers_place(r->affinity, error, error_size)) return false;
    for (uint32_t i = 0; i < r->consumers; i++) {
        Consumer *c = &transports.consumers[i];
        char name[sizeof "consumer 4294967295"];
        snprintf(name, sizeof name, "consumer %u", i);
        c->thread = profilerthread_start(name, ringconsumers_run, c);
        if (!c->thread) break;
        transports.consumer_count++;
    }
    if (placed) sched_setaffinity(0, sizeof before, &before);
    if (transports.consumer_count == r->consumers) return true;
    // There are no rings yet.
    stop_consumers();
    snprintf(error, error_size, "the system refuses a thread for a consumer");
    return false;
}

// ---- threads -------------------------------------------------------------------------------------

Transport *transport_open(EventThread *front, EventThread *besides, EventPlaces *places) {
    Transport *t = calloc(1, sizeof *t + transports.taken_count * sizeof *t->events);
    if (!t) return NULL;
    if (transports.needs.keeps) t->back = calloc(1, sizeof *t->back);
    if (transports.needs.keeps && !t->back) {
        free(t);
        return NULL;
    }
    t->next = places ? &places->ring : &t->own_next;
    t->places = places;
    t->wait = (EventWait){.fn = ringroom_wait, .arg = t};
    t->pace = PACE_LEAST;
    t->besides = besides;
    t->front = front;
    if (transports.ordered) t->back->events.moment = &t->back->moment;
    bool counts = transports.needs.counts != 0;
    if (counts) t->words = wordcounts_new(WORDCOUNTS_FIRST_BITS);
    Ring *r = by_carriers() ? NULL : ring_new(t->next);
    t->ring = r;
    if (r) r->of = t;
    if ((counts && !t->words) || (!r && !by_carriers())) {
        transport_free(t);
        return NULL;
    }
    if (by_carriers()) transport_nowhere(t->next);
    ringput_connect(t);
    return t;
}

EventThread *transport_back(Transport *t, uint32_t reader) {
    return reader ? &t->ring->readers[reader - 1].follower.back : t->back ? &t->back->events : NULL;
}

// Requires the lock. The consumer with the fewest rings; one that has ended only if all have.
static Consumer *consumer_for_ring(void) {
    Consumer *best = &transports.consumers[0];
    for (uint32_t i = 1; i < transports.consumer_count; i++) {
        Consumer *c = &transports.consumers[i];
        bool better = atomic_load(&best->ended) != atomic_load(&c->ended) ? atomic_load(&best->ended)
                                                                          : c->rings < best->rings;
        if (better) best = c;
    }
    best->rings++;
    return best;
}

void transport_begin(Transport *t, const EventThread *back) {
    Ring *r = t->ring;
    for (int e = 0; e < EVENT_COUNT; e++)
        if (transports.needs.taken >> e & 1) transport_event(t, e)->sinks = ringevents_sinks(back, e);
    pthread_mutex_lock(&transports.lock);
    t->id = ++transports.last_id;
    t->link = transports.threads;
    if (t->link) t->link->before = t;
    transports.threads = t;
    if (r) {
        r->consumer = consumer_for_ring();
        for
            EACH_READER(reader, r)
        reader->consumer = consumer_for_ring();
        ring_list(r);
    }
    pthread_mutex_unlock(&transports.lock);
    if (!r) carrierrings_follow(t, true);
}

void transport_nowhere(uint64_t **next) {
    if (next) *next = transports.nowhere_at;
}

int64_t transport_pace(Transport *t, int64_t usual) {
    Ring *r = t->ring;
    uint64_t full = r ? r->waits + r->holds : t->pace_full;
    bool slower = full != t->pace_full, decides = slower || ++t->pace_bursts >= PACE_BURSTS;
    if (decides) {
        slower = slower || (r && queue_is_crowded(&r->queue));
        uint64_t pace = slower ? 2 * t->pace : t->pace - t->pace / 8;
        t->pace = pace < PACE_LEAST ? PACE_LEAST : pace > PACE_MOST ? PACE_MOST : pace;
        t->pace_full = full;
        t->pace_bursts = 0;
    }
    t->paced++;
    t->pace_sum += t->pace;
    if (t->pace > t->pace_most) t->pace_most = t->pace;
    return usual > INT64_MAX / PACE_MOST ? usual : usual * (int64_t)t->pace / PACE_LEAST;
}

static void add_ring(TransportFigures *to, const Ring *r) {
    to->waits += r->waits;
    to->wait_ns += r->wait_ns;
    to->holds += r->holds;
    to->hold_ns += r->hold_ns;
    to->laps += r->laps;
    to->grown += r->grown;
    to->switches += r->switches;
    to->sampled += r->sampled;
    to->overwritten += atomic_load(&r->samples.overwritten);
    to->written += transports.request->sampled && r->queue.cab.start ? cab_written(&r->queue.cab) : 0;
    to->transferred += r->transferred;
}

static void add_thread(TransportFigures *to, const Transport *t) {
    to->paced += t->paced;
    to->pace_sum += t->pace_sum;
    if (t->pace_most > to->pace_most) to->pace_most = t->pace_most;
    for (unsigned i = 0; i < transports.taken_count; i++) to->discarded += t->events[i].discarded;
}

void transport_take_ring(Transport *t, bool own) {
    Ring *r = t->ring;
    pthread_mutex_lock(&transports.lock);
    ringholders_take(r);
    pthread_mutex_unlock(&transports.lock);
    if (!own) return;
    if (by_carriers()) ringdrain_thread(t);
    else ringdrain_rest(r);
}

void transport_release_ring(Transport *t) {
    pthread_mutex_lock(&transports.lock);
    ringholders_release(t->ring);
    pthread_mutex_unlock(&transports.lock);
}

// Of a thread whose events are analysed. The next event of each ring is another thread's, so a switch event
// precedes it.
static void leave_rings(Transport *t) {
    for (Ring *r = transports.first; r; r = r->link)
        if (r->of == t) r->of = NULL;
}

void transport_end(Transport *t) {
    Ring *r = t->ring;
    if (by_carriers()) {
        carrierrings_give_back(t);
        carrierrings_follow(t, false);
    }
    transport_take_ring(t, true);
    pthread_mutex_lock(&transports.lock);
    if (by_carriers()) {
        leave_rings(t);
    } else {
        add_ring(&transports.ended, r);
        ring_unlist(r);
        r->consumer->rings--;
        for
            EACH_READER(reader, r)
        reader->consumer->rings--;
    }
    ringholders_release(r);
    add_thread(&transports.ended, t);
    *(t->before ? &t->before->link : &transports.threads) = t->link;
    if (t->link) t->link->before = t->before;
    transport_nowhere(t->next);
    pthread_mutex_unlock(&transports.lock);
}

void transport_free(Transport *t) {
    if (!t) return;
    free(t->words);
    free(t->back);
    if (!by_carriers()) ring_free(t->ring);
    free(t);
}

// ---- all rings -----------------------------------------------------------------------------------

void transport_release(void) {
    pthread_mutex_lock(&transports.lock);
    atomic_store(&transports.forgotten, true);
    pthread_cond_broadcast(&transports.changed);
    for (Ring *r = transports.first; r;) {
        if (r->waiting) pthread_cond_wait(&transports.changed, &transports.lock);
        r = r->waiting ? r : r->link;  // no thread starts or ends its ring meanwhile
    }
    pthread_mutex_unlock(&transports.lock);
}

void transport_stop(void) {
    stop_consumers();
    for (Ring *r; by_carriers() && (r = transports.first);) {
        ring_unlist(r);
        ring_free(r);
    }
    transports.ended = (TransportFigures){0};
    transports.live = 0;
    ringcontexts_forget();
    atomic_store(&transports.forgotten, false);
    transports.request = NULL;
}

void transport_drain(bool alone) {
    if (transports.ordered) {
        if (alone) {
            ringorder_merge(true);
            return;
        }
        transport_pause();
        transport_resume();
        return;
    }
    if (alone) {
        for (Ring *r = transports.first; r; r = r->link) ringdrain_rest(r);
        return;
    }
    pthread_mutex_lock(&transports.lock);
    for (Ring *r = transports.first; r;) {
        if (ringholders_is_used(r)) {
            pthread_cond_wait(&transports.changed, &transports.lock);
            r = transports.first;  // its thread may have ended
            continue;
        }
        ringholders_take(r);
        pthread_mutex_unlock(&transports.lock);
        ringdrain_rest(r);
        pthread_mutex_lock(&transports.lock);
        ringholders_release(r);
        r = r->link;
    }
    pthread_mutex_unlock(&transports.lock);
}

void transport_pause(void) {
    pthread_mutex_lock(&transports.lock);
    ringholders_take(NULL);
    pthread_mutex_unlock(&transports.lock);
    ringorder_merge(false);
}

void transport_resume(void) {
    pthread_mutex_lock(&transports.lock);
    ringholders_release(NULL);
    pthread_mutex_unlock(&transports.lock);
}

// The threads that held rings do not exist in the child.
void transport_forget(void) {
    atomic_store(&transports.forgotten, true);
    transports.merger = HELD_BY_NOBODY;
    pthread_mutex_init(&transports.leases, NULL);  // held for some instructions by a thread that may not exist
    for (Ring *r = transports.first; r; r = r->link) {
        r->holder = HELD_BY_NOBODY;
        for
            EACH_READER(reader, r)
        reader->held = false;
    }
}

void transport_fork(bool before) {
    if (before) pthread_mutex_lock(&transports.lock);
    ringcontexts_fork(before);
    ringevents_fork(before);
    if (!before) pthread_mutex_unlock(&transports.lock);
}

// ---- figures -------------------------------------------------------------------------------------

uint64_t transport_unfinished(const Transport *t) {
    uint64_t sum = 0;
    const Ring *r = t->ring;
    for
        EACH_READER(reader, r)
    sum += reader->follower.unfinished;
    return sum;
}

void transport_counts(const Transport *t, uint64_t analysed[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]) {
    for (int e = 0; e < EVENT_COUNT; e++) {
        bool taken = transports.needs.taken >> e & 1;
        analysed[e] = taken ? t->events[transports.place[e]].analysed : 0;
        discarded[e] = taken ? t->events[transports.place[e]].discarded : 0;
    }
}

void transport_counted(Transport *t, bool take, CountedFn *fn, void *arg) {
    if (!t->words) return;
    WordCounts *w = published_read(&t->words);
    for (uint32_t i = 0; i <= w->mask; i++) {
        uint64_t word = __atomic_load_n(&w->slot[i].word, __ATOMIC_ACQUIRE),
                 times = __atomic_load_n(&w->slot[i].count, __ATOMIC_RELAXED);
        if (!word || !times) continue;
        uint32_t words[7] = {0};
        enum EventId event = ringevents_of(word);
        const EventSite *site = ringevents_site_of(word);
        if (site) memcpy(words, site->words, sizeof words);
        else eventwords_fields(event, word, words);
        fn(arg, event, words, times);
        if (!take) continue;
        transport_event(t, event)->analysed += times;
        w->slot[i].count = 0;
    }
}

void transport_figures(TransportFigures *out) {
    *out = transports.ended;
    for (const Ring *r = transports.first; r; r = r->link) {
        add_ring(out, r);
        out->rings++;
    }
    for (const Transport *t = transports.threads; t; t = t->link) add_thread(out, t);
    for (uint32_t i = 0; i < transports.consumer_count; i++) out->ended += atomic_load(&transports.consumers[i].ended);
}
