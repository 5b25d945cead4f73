// Rings, their sinks and their consumers (transport.h).
//
// A thread holds a ring (`holder`) while it removes events: the consumer for one batch, a draining thread, or a
// producer that discards. A ring has one holder at a time. A consumer that has ended no longer counts as a holder; the
// others always release the ring. The lock protects the list and `holder`, and is not held while events are analysed.
#include "profiler/ring/transport.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "profiler/ring/followers.h"
#include "profiler/ring/queue.h"
#include "profiler/ring/ringcontexts.h"
#include "profiler/ring/ringevents.h"
#include "profiler/ring/ringsamples.h"
#include "profiler/ring/wordcounts.h"
#include "vm/api/eventwait.h"
#include "vm/api/profilerthread.h"
#include "vm/api/stamp.h"
#include "vm/api/thread.h"

enum {
    BATCH = 2048,     // words per batch of a consumer
    FULL_SIZED = 64,  // rings of the requested size
    DEFAULT_L1 = 32 << 10,
    IDLE_ROUNDS = 64,                // rounds without work before a consumer sleeps
    IDLE_NS = 500 * 1000,            // how long
    HOLD_NS = 20 * 1000,             // pause of a stalled producer
    SAFEPOINT_NS = 2 * 1000 * 1000,  // how long a waiting producer relies on being woken
    PACE_BURSTS = 32,
    PACE_LEAST = 100,
    PACE_MOST = 1024 * PACE_LEAST,
};

typedef struct Consumer {
    ProfilerThread *thread;
    _Atomic bool ended;
    bool has_lock;   // written by its thread
    uint32_t rings;  // under the lock
} Consumer;

typedef enum Holder { HELD_BY_NOBODY, HELD_BY_CONSUMER, HELD_BY_OTHER } Holder;

// A further reader of a ring, and the consumer that reads for it.
typedef struct Reader {
    Follower follower;  // used by the consumer while `held`, otherwise by the holder of the ring if that is no consumer
    Consumer *consumer;
    bool held;  // under the lock
} Reader;

struct Transport {
    Queue queue;
    EventThread back;      // its sinks are the analyses'
    EventThread *front;    // its sinks are those below
    EventThread *besides;  // with transport=tee: takes each event where it happens
    EventWait wait;
    uint64_t *own_next;  // the producer's position, unless the caller of transport_open supplies another place
    Consumer *consumer;
    Transport *link;  // under the lock, as the next two
    Holder holder;
    bool waiting;
    // Written by the producer while it runs.
    uint64_t waits, wait_ns, holds, hold_ns, laps, grown;
    uint64_t discarded[EVENT_COUNT];
    // How many times as far apart its bursts are as the rate asks for, in hundredths; bursts since that has changed, and
    // how often the ring had been full then.
    uint64_t pace, pace_bursts, pace_full;
    uint64_t paced, pace_sum, pace_most;  // as TransportFigures
    // With `ordered`: whether the producer is between taking a stamp and publishing its event; the number of events in
    // the ring since it began.
    _Atomic bool stamping;
    _Atomic uint64_t published;
    // Written by the holder: the number of events taken, and the number up to which it may take them now.
    uint64_t taken, limit;
    uint64_t ahead;                   // the stamp of its oldest event
    Transport *left, *right, *round;  // in the heap of a round of merging; the next ring of the round
    EventMoment moment;               // of the event being analysed
    // With shards=: the other readers. The words taken, and the same as they see it.
    Reader *readers;
    RingPart part;  // of the first one
    uint64_t removed;
    _Atomic uint64_t cleared;
    // Written by the holder.
    uint64_t sampled, transferred;
    volatile uint64_t last;  // with consume=discard: the word that was read last
    RingSamples samples;
    WordCounts *words;  // of events that are only counted
    // Written by the holder: the event being analysed, or EVENT_COUNT.
    enum EventId analysing;
    // The producer's sinks.
#define EVENT(id, text, payload, waits, counted, source, made_by) EventSink_##id put_##id;
#include "vm/api/events.def"
};

static struct Transports {
    const TransportRequest *request;
    TransportNeeds needs;  // `counts`: those of one word
    bool ordered;
    _Atomic uint64_t stamp;  // the next one
    Holder merger;           // under the lock
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Transport *first;
    uint32_t live;  // number of rings
    Consumer consumers[TRANSPORT_MOST_CONSUMERS];
    uint32_t consumer_count;
    TransportFigures ended;  // of ended threads
    _Atomic bool forgotten;
    uint64_t nowhere[CAB_AHEAD + CAB_LONGEST];  // written to by threads without a ring
    uint64_t *nowhere_at;                       // where they begin
} transports = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// ---- out of the ring -----------------------------------------------------------------------------

// Counts an event that is only counted, if it is a single word.
static inline bool is_counted(Transport *t, uint64_t word) {
    WordCount *entry = wordcounts_find(t->words, word);
    if (__builtin_expect(entry->word == word, 1)) {
        entry->count++;
        return true;
    }
    enum EventId event = ringevents_of(word);
    const EventSite *site = ringevents_site_of(word);
    bool single = event != EVENT_COUNT && transports.needs.counts >> event & 1 && !(site && site->dynamic) &&
        eventwords_tag(word) != EVENTWORDS_LONG;
    return single && wordcounts_insert(&t->words, word);
}

// Consumes one event, or a word that begins none, and `before` words before it.
static void analyse(Transport *t, unsigned before) {
    const uint64_t *at = queue_read(&t->queue) + before;
    uint64_t word = cab_peek(at);
    const EventSite *site = ringevents_site_of(word);
    enum EventId event = site ? site->event : eventwords_event(word);
    unsigned n = 1;
    if (transports.request->discards) {
        t->last = word;
        t->transferred++;
    } else if (transports.needs.counts && is_counted(t, word)) {
        t->taken++;
    } else if (event != EVENT_COUNT) {
        t->analysing = event;
        n = ringevents_give(&t->back, event, at, site);
        t->back.produced[event]++;
        t->analysing = EVENT_COUNT;
        t->taken++;
    }
    queue_take(&t->queue, before + n);
    t->removed += before + n;
}

static unsigned stamp_words(void) {
    const TransportNeeds *n = &transports.needs;
    return 1u + n->clocked + n->bursts + (n->walked != 0);
}

// If the ring's consumer ended in the middle of an event, discards that event and counts it. Its last words may be
// missing after a crash.
static void skip_unfinished(Transport *t) {
    if (t->analysing == EVENT_COUNT) return;
    t->discarded[t->analysing]++;
    t->taken++;
    t->analysing = EVENT_COUNT;
    const uint64_t *at = queue_read(&t->queue);
    unsigned words = 1 + (eventwords_tag(cab_peek(at)) == EVENTWORDS_STAMP ? stamp_words() : 0);
    while (words < CAB_LONGEST && queue_has(&t->queue, words) &&
           eventwords_tag(cab_load(at + words)) == EVENTWORDS_MORE)
        words++;
    queue_take(&t->queue, words);
    t->removed += words;
}

// ---- several readers of a ring -----------------------------------------------------------------------

static uint32_t reader_count(void) { return transports.request->shards ? transports.request->shards - 1 : 0; }

// Iterates over a ring's readers besides its consumer.
#define EACH_READER(r, t) \
    (uint32_t i_ = 0; (t)->readers && i_ < reader_count(); i_++) for (Reader *r = &(t)->readers[i_]; r; r = NULL)

static RingPart part_of(uint32_t reader) {
    const TransportRequest *r = transports.request;
    return (RingPart){(unsigned)__builtin_ctz(r->line), r->shards, reader};
}

// Takes the next events before `end` that other readers analyse, and counts them.
static void pass_apart(Transport *t, const uint64_t *end) {
    const EventSet any = transports.needs.apart;
    const RingPart part = t->part;
    uint64_t *start = queue_read(&t->queue), *at = start;
    while (at < end) {
        const EventSite *site = ringevents_site_of(cab_peek(at));
        unsigned words = site && any >> site->event & 1 ? ringevents_apart(at, site, &part) : 0;
        if (!words) break;
        t->back.produced[site->event]++;
        for (unsigned i = 0; i < words; i++) cab_store(at++, CAB_CLEAR);
    }
    t->removed += (uint64_t)(at - start);
    queue_advance(&t->queue, at);
}

// How many words all other readers have read that the ring's consumer may therefore take.
static uint64_t words_all_read(const Transport *t) {
    uint64_t least = UINT64_MAX;
    for
        EACH_READER(r, t) {
            uint64_t passed = atomic_load_explicit(&r->follower.passed, memory_order_acquire);
            if (passed < least) least = passed;
        }
    return least - t->removed;
}

static void publish_removed(Transport *t) {
    if (t->readers) atomic_store_explicit(&t->cleared, t->removed, memory_order_release);
}

// Requires that the caller holds the ring. All readers read as far as the one that has read most; with `last` that one
// first reads the rest of the ring.
static void finish_readers(Transport *t, bool last) {
    uint64_t most = t->removed;
    publish_removed(t);
    if (last) follower_finish(&t->readers[0].follower, UINT64_MAX);
    for
        EACH_READER(r, t) {
            follower_finish(&r->follower, 0);  // passes an unfinished event
            if (r->follower.count > most) most = r->follower.count;
        }
    for
        EACH_READER(r, t)
    follower_finish(&r->follower, most);
    while (t->removed < most) analyse(t, 0);
    publish_removed(t);
}

// ---- samples of a ring that is overwritten -----------------------------------------------------------

static void analyse_sample(Transport *t, const RingSample *k) {
    for (size_t i = 0; i < k->count;) {
        enum EventId event = k->words[i] == CAB_CLEAR ? EVENT_COUNT : ringevents_of(k->words[i]);
        if (event == EVENT_COUNT) {
            i++;
            continue;
        }
        if (transports.needs.counts && is_counted(t, k->words[i])) {
            i++;
            continue;
        }
        i += ringevents_give(&t->back, event, &k->words[i], ringevents_site_of(k->words[i]));
        t->back.produced[event]++;
    }
    t->sampled += k->seen;
}

static void analyse_next_sample(Transport *t, bool last) {
    RingSample *k = ringsamples_take(&t->samples, &t->queue.cab, last);
    if (k) analyse_sample(t, k);
    free(k);
}

// ---- the order of all threads' events --------------------------------------------------------------

// The oldest event's stamp; 0: it has none. Removes words that begin no event before it. The ring has an event.
static uint64_t stamp_ahead(Transport *t) {
    for (;;) {
        if (!queue_has(&t->queue, 0)) return 0;
        uint64_t word = cab_peek(queue_read(&t->queue));
        if (eventwords_tag(word) == EVENTWORDS_STAMP) return word & EVENTWORDS_MASK;
        if (ringevents_of(word) != EVENT_COUNT) return 0;
        queue_take(&t->queue, 1);
    }
}

// The word after the ones read so far, which belongs to a stamp.
static uint64_t next_of_stamp(const uint64_t **at) { return cab_peek(++*at) & EVENTWORDS_MASK; }

static void analyse_stamped(Transport *t) {
    const TransportNeeds *n = &transports.needs;
    const uint64_t *start = queue_read(&t->queue), *at = start;
    t->back.thread = t->front->thread;
    if (n->clocked) t->moment.at = next_of_stamp(&at);
    if (n->bursts) t->back.bursts = next_of_stamp(&at);
    if (n->walked) ringcontexts_at((uint32_t)next_of_stamp(&at), &t->moment);
    analyse(t, (unsigned)(at - start) + 1);
}

// Analyses the ring's next event, and those after it that have no stamp. Returns the stamp of the one that is next
// then; 0: there is none within the limit.
static uint64_t advance(Transport *t, bool stamped) {
    if (stamped) analyse_stamped(t);
    while (t->taken < t->limit && queue_has(&t->queue, 0)) {
        uint64_t stamp = stamp_ahead(t);
        if (stamp) return stamp;
        if (queue_has(&t->queue, 0)) analyse(t, 0);
    }
    return 0;
}

// Joins two skew heaps, whose root has the smallest stamp.
static Transport *meld(Transport *a, Transport *b) {
    Transport *root = NULL, **at = &root;
    while (a && b) {
        Transport *least = b->ahead < a->ahead ? b : a, *right = least->right;
        if (least == b) b = a;
        *at = least;
        least->right = least->left;
        at = &least->left;
        a = right;
    }
    *at = a ? a : b;
    return root;
}

// The rings of this round, with their limits. A ring that begins later has no stamp below the counter's value before.
static Transport *rings_of_round(bool alone) {
    Transport *first = NULL;
    if (!alone) pthread_mutex_lock(&transports.lock);
    for (Transport *t = transports.first; t; t = t->link) {
        t->round = first;
        first = t;
    }
    if (!alone) pthread_mutex_unlock(&transports.lock);
    for (Transport *t = first; t; t = t->round) {
        skip_unfinished(t);
        while (!alone && atomic_load(&t->stamping) && !atomic_load(&transports.forgotten)) sched_yield();
        t->limit = atomic_load_explicit(&t->published, memory_order_acquire);
    }
    return first;
}

// Analyses all events with stamps below the counter's present value, in their order. The caller is the merger.
// `alone`: no other thread of the process is left.
static void merge(bool alone) {
    uint64_t now = atomic_load(&transports.stamp);
    Transport *heap = NULL;
    for (Transport *t = rings_of_round(alone); t; t = t->round) {
        t->left = t->right = NULL;
        t->ahead = t->taken < t->limit ? advance(t, false) : 0;
        if (t->ahead) heap = meld(heap, t);
    }
    while (heap && heap->ahead < now) {
        Transport *t = heap;
        heap = meld(t->left, t->right);
        t->left = t->right = NULL;
        t->ahead = advance(t, true);
        if (t->ahead) heap = meld(heap, t);
    }
}

// Analyses the rest of a ring whose producer is stopped. The last chunk may be incomplete.
static void drain(Transport *t) {
    if (transports.request->sampled) {
        while (atomic_load(&t->samples.kept) || cab_claimed(&t->queue.cab) < cab_written(&t->queue.cab))
            analyse_next_sample(t, true);
        return;
    }
    if (transports.request->unread) return;
    if (transports.ordered) {
        merge(false);
        return;
    }
    skip_unfinished(t);
    if (t->readers) finish_readers(t, true);
    else
        while (queue_has(&t->queue, 0)) analyse(t, 0);
}

// With `ordered` all rings have one holder.
static Holder *holder_of(Transport *t) { return transports.ordered ? &transports.merger : &t->holder; }

// Requires the lock.
static bool is_held(Transport *t) {
    Holder holder = *holder_of(t);
    return holder == HELD_BY_OTHER || (holder == HELD_BY_CONSUMER && !atomic_load(&t->consumer->ended));
}

// Requires the lock. Does any thread read the ring?
static bool is_used(Transport *t) {
    for
        EACH_READER(r, t)
    if (r->held && !atomic_load(&r->consumer->ended)) return true;
    return is_held(t);
}

// Requires the lock. Waits until no other thread reads the ring.
static void take(Transport *t) {
    while (is_used(t)) pthread_cond_wait(&transports.changed, &transports.lock);
    *holder_of(t) = HELD_BY_OTHER;
}

// Requires the lock.
static void release_ring(Transport *t) {
    *holder_of(t) = HELD_BY_NOBODY;
    pthread_cond_broadcast(&transports.changed);
}

// Requires that the caller holds the ring.
static void discard_all(Transport *t) {
    skip_unfinished(t);
    if (t->readers) finish_readers(t, false);
    t->laps++;
    while (queue_has(&t->queue, 0)) {
        enum EventId event = ringevents_of(cab_peek(queue_read(&t->queue)));
        if (event != EVENT_COUNT) t->discarded[event]++;
        t->taken += event != EVENT_COUNT;
        queue_take(&t->queue, 1);
        t->removed++;
    }
    publish_removed(t);
    for
        EACH_READER(r, t)
    follower_skip(&r->follower, &t->queue.cab);
}

// ---- into the ring -------------------------------------------------------------------------------

// No thread consumes the ring any more, or ever will: one of its consumers has ended.
static bool is_abandoned(const Transport *t) {
    for
        EACH_READER(r, t)
    if (atomic_load(&r->consumer->ended)) return true;
    return atomic_load(&t->consumer->ended) || atomic_load(&transports.forgotten);
}

static void wake_consumers(Transport *t) {
    profilerthread_wake(t->consumer->thread);
    for
        EACH_READER(r, t)
    profilerthread_wake(r->consumer->thread);
}

// Requires the lock; called by the producer. A ring that is full doubles, up to the limit: a thread that makes events
// rarely keeps a small one. Its words stay in order. False: it has its full size or room again, or memory is short.
static bool grow(Transport *t) {
    if (!transports.request->grow) return false;  // the queue may be of another kind
    Cab *ring = &t->queue.cab;
    size_t most = transports.request->grow / sizeof(uint64_t), words = 2 * ring->words;
    if (words > most) words = most - most % ring->chunk;
    if (words <= ring->words || queue_is_backed_off(&t->queue)) return false;
    take(t);
    bool grown = cab_grow(ring, words);
    t->grown += grown;
    for
        EACH_READER(r, t)
    if (grown) follower_move(&r->follower, ring);
    release_ring(t);
    return grown;
}

static void wait_for_room(void *arg) {
    Transport *t = arg;
    int64_t begin = clock_monotonic_ns();
    pthread_mutex_lock(&transports.lock);
    if (!is_abandoned(t) && grow(t)) {
        pthread_mutex_unlock(&transports.lock);
        return;
    }
    t->waiting = true;
    while (!is_abandoned(t) && !queue_is_backed_off(&t->queue)) {
        wake_consumers(t);
        int64_t until = clock_wall_ns() + SAFEPOINT_NS;
        struct timespec at = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
        pthread_cond_timedwait(&transports.changed, &transports.lock, &at);
    }
    t->waiting = false;
    t->waits++;
    t->wait_ns += (uint64_t)(clock_monotonic_ns() - begin);
    pthread_cond_broadcast(&transports.changed);
    pthread_mutex_unlock(&transports.lock);
}

static void hold(Transport *t, size_t n) {
    int64_t begin = clock_monotonic_ns();
    t->holds++;
    do {
        wake_consumers(t);
        nanosleep(&(struct timespec){.tv_nsec = HOLD_NS}, NULL);
    } while (!is_abandoned(t) && queue_room(&t->queue, n) == CAB_FULL);
    t->hold_ns += (uint64_t)(clock_monotonic_ns() - begin);
}

// Called by the producer when its consumer has ended. If another thread is draining the ring, waits; then there is
// room.
static void discard(Transport *t, size_t n) {
    pthread_mutex_lock(&transports.lock);
    take(t);
    pthread_mutex_unlock(&transports.lock);
    if (queue_room(&t->queue, n) == CAB_FULL) discard_all(t);
    pthread_mutex_lock(&transports.lock);
    release_ring(t);
    pthread_mutex_unlock(&transports.lock);
}

static __attribute__((noinline)) void make_room(Transport *t, size_t n, bool may_wait) {
    if (transports.request->unread) {
        queue_restart(&t->queue);
        return;
    }
    CabRoom room = queue_room(&t->queue, n);
    if (room == CAB_ROOMY) return;
    if (!is_abandoned(t)) {
        if (may_wait) eventwait_ask(&t->wait);
        if (room == CAB_FULL) hold(t, n);
        if (!is_abandoned(t)) return;
    }
    if (queue_room(&t->queue, n) != CAB_FULL) return;
    discard(t, n);
    queue_room(&t->queue, n);
}

// Begins the next lap of a ring that is overwritten.
static __attribute__((noinline)) void overwrite(Transport *t) {
    if (transports.request->unread) {
        queue_restart(&t->queue);
        return;
    }
    ringsamples_next_lap(&t->samples, &t->queue.cab, !is_abandoned(t));
}

// Sinks leave room for what compiled code writes before its next yieldpoint.
static inline void put(Transport *t, const EventPacker *p, unsigned n, bool may_wait) {
    Queue *q = &t->queue;
    if (__builtin_expect(transport_overwrites(transports.request), 0)) {
        if (*q->next + n > q->cab.end) overwrite(t);
    } else if (__builtin_expect(!queue_is_free(q, n), 0))
        make_room(t, queue_looks_ahead(q) ? n + RING_UNPOLLED : n, may_wait);
    queue_put(q, p->words, n);
}

// Appends the event to `p`, after its stamp. There is room.
static void put_after_stamp(Transport *t, enum EventId event, uint64_t context, const EventPacker *p, unsigned n) {
    const TransportNeeds *needs = &transports.needs;
    uint64_t words[CAB_LONGEST], more[] = {0, 0, 0};
    unsigned k = 0, count = 0;
    if (needs->stamped >> event & 1) {
        atomic_store(&t->stamping, true);
        words[k++] = EVENTWORDS_TAG(EVENTWORDS_STAMP) | atomic_fetch_add(&transports.stamp, 1);
        if (needs->clocked) more[count++] = stamp_now();
        if (needs->bursts) more[count++] = t->front->bursts;
        if (needs->walked) more[count++] = context;
        for (unsigned i = 0; i < count; i++) words[k++] = EVENTWORDS_TAG(EVENTWORDS_MORE) | (more[i] & EVENTWORDS_MASK);
    }
    memcpy(&words[k], p->words, n * sizeof *words);
    queue_put(&t->queue, words, k + n);
    atomic_fetch_add_explicit(&t->published, 1, memory_order_release);
    atomic_store_explicit(&t->stamping, false, memory_order_release);
}

static __attribute__((noinline)) void put_ordered(Transport *t, enum EventId event, const EventPacker *p, unsigned n,
                                                  bool may_wait) {
    uint32_t context = transports.needs.walked >> event & 1 ? ringcontexts_here() : 0;
    unsigned words = n + stamp_words();
    if (!queue_is_free(&t->queue, words)) make_room(t, words, may_wait);
    put_after_stamp(t, event, context, p, n);
}

static inline void put_event(Transport *t, enum EventId event, const EventPacker *p, unsigned n, bool may_wait) {
    if (__builtin_expect(transports.ordered, 0)) put_ordered(t, event, p, n, may_wait);
    else put(t, p, n, may_wait);
}

#define MAY_WAIT true
#define NO_WAIT false
#define EVENT(id, text, payload, waits, counted, source, made_by)                                       \
    static void put_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {                  \
        EventPacker p;                                                                                  \
        put_event(sink->state, EVENT_##id, &p, eventwords_write_##id(&p, EVENT_NAMES(payload)), waits); \
    }                                                                                                   \
                                                                                                        \
    static void tee_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {                  \
        EventThread *to_ = ((const Transport *)sink->state)->besides;                                   \
        to_->thread = ((const Transport *)sink->state)->front->thread;                                  \
        put_##id(sink, EVENT_NAMES(payload));                                                           \
        to_->id->fn(to_->id, EVENT_NAMES(payload));                                                     \
    }
#include "vm/api/events.def"
#undef MAY_WAIT
#undef NO_WAIT

void transport_room(Transport *t) {
    if (transport_overwrites(transports.request)) {
        overwrite(t);
        return;
    }
    ASSERT(!queue_looks_ahead(&t->queue) || transports.request->unread || is_abandoned(t) ||
               queue_room(&t->queue, RING_EVENT) != CAB_FULL,
           "compiled code has written more than %d words without a yieldpoint", RING_UNPOLLED);
    make_room(t, RING_EVENT, true);
}

int64_t transport_pace(Transport *t, int64_t usual) {
    uint64_t full = t->waits + t->holds;
    bool slower = full != t->pace_full, decides = slower || ++t->pace_bursts >= PACE_BURSTS;
    if (decides) {
        slower = slower || queue_is_crowded(&t->queue);
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

void transport_nowhere(uint64_t **next) {
    if (next) *next = transports.nowhere_at;
}

// ---- consumers -----------------------------------------------------------------------------------

static void lock(Consumer *c) {
    pthread_mutex_lock(&transports.lock);
    c->has_lock = true;
}

static void unlock(Consumer *c) {
    c->has_lock = false;
    pthread_mutex_unlock(&transports.lock);
}

// Takes words up to `end`: all of them with consume=discard, otherwise counts those that have an entry.
static void take_words(Transport *t, const uint64_t *end) {
    Queue *q = &t->queue;
    bool counts = !transports.request->discards, clears = ring_is_cleared(q->kind);
    WordCounts *w = t->words;
    uint64_t *start = queue_read(q), *at = start;
    for (; at < end; at++) {
        uint64_t word = cab_peek(at);
        if (counts) {
            WordCount *entry = wordcounts_find(w, word);
            if (__builtin_expect(entry->word != word, 0)) break;
            entry->count++;
        } else t->last = word;
        if (clears) cab_store(at, CAB_CLEAR);
    }
    if (!counts) t->transferred += (uint64_t)(at - start);
    t->removed += (uint64_t)(at - start);
    queue_advance(q, at);
}

static bool is_between(const uint64_t *at, const uint64_t *start, const uint64_t *end) {
    return at >= start && at < end;
}

// Takes words of a ready queue.
static void batch(Transport *t) {
    Queue *q = &t->queue;
    if (transports.request->sampled) {
        analyse_next_sample(t, false);
        return;
    }
    uint64_t most = t->readers ? words_all_read(t) : BATCH, to = t->removed + (most < BATCH ? most : BATCH);
    while (t->removed < to) {
        const uint64_t *start = queue_read(q), *end = queue_piece_end(q);
        if ((uint64_t)(end - start) > to - t->removed) end = start + (to - t->removed);
        while (is_between(queue_read(q), start, end)) {
            if (transports.needs.counts || transports.request->discards) take_words(t, end);
            if (t->readers) pass_apart(t, end);
            if (is_between(queue_read(q), start, end)) analyse(t, 0);
        }
        if (!t->readers && !queue_is_ready(q)) break;
    }
    publish_removed(t);
}

static bool is_ready(Transport *t) {
    if (transports.request->sampled) return ringsamples_ready(&t->samples, &t->queue.cab);
    return t->readers ? words_all_read(t) > 0 : queue_is_ready(&t->queue);
}

// Merges all rings if one of them is ready. False: none was, or another thread merges them.
static bool serve_in_order(Consumer *c) {
    bool any = false;
    lock(c);
    for (Transport *t = transports.first; t && !any && !is_held(t); t = t->link) any = is_ready(t);
    if (any) {
        transports.merger = HELD_BY_CONSUMER;
        unlock(c);
        merge(false);
        lock(c);
        release_ring(transports.first);
    }
    unlock(c);
    return any;
}

// Requires the lock. Reads a batch for each further reader of a ring that is the consumer's. False: none was ready.
static bool serve_readers(Consumer *c, Transport *t) {
    bool any = false;
    for
        EACH_READER(r, t) {
            if (r->consumer != c || t->holder == HELD_BY_OTHER || !follower_is_ready(&r->follower)) continue;
            r->held = any = true;
            unlock(c);
            follower_read(&r->follower, BATCH);
            lock(c);
            r->held = false;
            pthread_cond_broadcast(&transports.changed);
        }
    return any;
}

// Processes one batch of each ready ring, round robin. False: none was ready.
static bool serve(Consumer *c, ProfilerThread *self) {
    bool any = false;
    if (transports.ordered) return serve_in_order(c);
    lock(c);
    for (Transport *t = transports.first; t && !profilerthread_must_stop(self); t = t->link) {
        any |= serve_readers(c, t);
        if (t->consumer != c || is_held(t)) continue;
        if (!is_ready(t)) continue;
        t->holder = HELD_BY_CONSUMER;
        any = true;
        unlock(c);
        batch(t);
        lock(c);
        release_ring(t);
    }
    unlock(c);
    return any;
}

// Runs however the thread ends, so the thread may already hold the lock. `ended` changes under the lock: a thread that
// has seen the consumer alive is waiting by then, and the broadcast wakes it.
static void consumer_ended(void *arg) {
    Consumer *c = arg;
    if (!c->has_lock) lock(c);
    atomic_store(&c->ended, true);
    pthread_cond_broadcast(&transports.changed);
    unlock(c);
}

static void consume(ProfilerThread *self, void *arg) {
    Consumer *c = arg;
    int rounds = transports.request->sampled ? 1 : IDLE_ROUNDS;  // reading the producer's position steals its cache
                                                                 // line
    pthread_cleanup_push(consumer_ended, c);
    for (int idle = 0; !profilerthread_must_stop(self);) {
        if (serve(c, self)) idle = 0;
        else if (++idle < rounds) sched_yield();
        else profilerthread_sleep(self, thread_now() + IDLE_NS);
    }
    pthread_cleanup_pop(true);
}

// ---- where consumers run ---------------------------------------------------------------------------

// Parses a list of processors in Linux syntax: 0,2-3. False: not a list.
static bool parse_processors(const char *text, cpu_set_t *set) {
    CPU_ZERO(set);
    for (;;) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text) return false;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text) return false;
        }
        for (; first <= last && first < CPU_SETSIZE; first++) CPU_SET(first, set);
        if (*end != ',') return *end == '\0' || *end == '\n';
        text = end + 1;
    }
}

// Processors that share the last-level cache with the caller's.
static bool sharing_processors(cpu_set_t *set) {
    char path[96], line[256];
    bool found = false;
    for (int index = 0; index < 8; index++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", sched_getcpu(),
                 index);
        FILE *in = fopen(path, "re");
        if (!in) break;
        found = fgets(line, sizeof line, in) && parse_processors(line, set);
        fclose(in);
    }
    return found;
}

static bool place_consumers(const char *affinity, char *error, size_t error_size) {
    cpu_set_t set;
    bool ok = strcmp(affinity, "shared") == 0 ? sharing_processors(&set) : parse_processors(affinity, &set);
    if (!ok) {
        snprintf(error, error_size, "affinity=%s: must be shared, or processors as in 0,2-3", affinity);
        return false;
    }
    cpu_set_t before;
    // new threads inherit the affinity of their creator
    if (sched_getaffinity(0, sizeof before, &before) == 0 && sched_setaffinity(0, sizeof set, &set) == 0) return true;
    snprintf(error, error_size, "affinity=%s: %s", affinity, strerror(errno));
    return false;
}

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
    transports.needs = needs;
    transports.ordered = r->ordered;
    transports.stamp = 1;
    for (size_t i = 0; i < sizeof transports.nowhere / sizeof *transports.nowhere; i++)
        transports.nowhere[i] = CAB_MAGIC;
    transports.nowhere_at = transports.nowhere;
    if (r->kind == RING_NWAY || r->kind == RING_LAMPORT) transports.nowhere_at = queue_nowhere(transport_form(r));
    if (!transports.nowhere_at) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    if (placed && !place_consumers(r->affinity, error, error_size)) return false;
    for (uint32_t i = 0; i < r->consumers; i++) {
        Consumer *c = &transports.consumers[i];
        char name[sizeof "consumer 4294967295"];
        snprintf(name, sizeof name, "consumer %u", i);
        c->thread = profilerthread_start(name, consume, c);
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

// ---- rings ---------------------------------------------------------------------------------------

// The more threads there are, the smaller is the ring of the next one, unless its size is part of compiled code.
static bool begin_queue(Transport *t, uint64_t **next) {
    const TransportRequest *r = transports.request;
    uint64_t chunks = r->buffer / r->chunk, bytes = r->chunk;
    pthread_mutex_lock(&transports.lock);
    uint32_t live = r->kind == RING_NWAY || r->kind == RING_LAMPORT ? 0 : transports.live;
    pthread_mutex_unlock(&transports.lock);
    for (uint32_t n = live / FULL_SIZED; n > 0 && bytes / 2 >= transport_least_chunk(); n /= 2) bytes /= 2;
    size_t chunk = bytes / sizeof(uint64_t);
    if (!queue_init(&t->queue, r->kind, chunks * chunk, chunk, next ? next : &t->own_next)) return false;
    if (r->sampled) ringsamples_begin(&t->samples, &t->queue.cab, r->rate, r->lines, (uintptr_t)t);
    if (!reader_count()) return true;
    size_t bytes_of_readers = reader_count() * sizeof *t->readers;
    t->readers = aligned_alloc(_Alignof(Reader), bytes_of_readers);
    if (!t->readers) return false;
    memset(t->readers, 0, bytes_of_readers);
    t->part = part_of(0);
    for
        EACH_READER(reader, t)
    follower_begin(&reader->follower, &t->queue.cab, part_of((uint32_t)(reader - t->readers) + 1), &t->cleared);
    return true;
}

Transport *transport_open(EventThread *front, EventThread *besides, uint64_t **next) {
    Transport *t = aligned_alloc(_Alignof(Transport), sizeof *t);
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->wait = (EventWait){.fn = wait_for_room, .arg = t};
    t->analysing = EVENT_COUNT;
    t->pace = PACE_LEAST;
    t->besides = besides;
    t->front = front;
    if (transports.ordered) t->back.moment = &t->moment;
    t->words = published_new(sizeof(WordCounts), sizeof(WordCount), WORDCOUNTS_FIRST_BITS);
    if (!t->words || !begin_queue(t, next)) {
        transport_free(t);
        return NULL;
    }
#define EVENT(id, text, payload, waits, counted, source, made_by)     \
    t->put_##id = (EventSink_##id){besides ? tee_##id : put_##id, t}; \
    front->id = &t->put_##id;
#include "vm/api/events.def"
    return t;
}

EventThread *transport_back(Transport *t, uint32_t reader) {
    return reader ? &t->readers[reader - 1].follower.back : &t->back;
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

void transport_begin(Transport *t) {
    pthread_mutex_lock(&transports.lock);
    t->consumer = consumer_for_ring();
    for
        EACH_READER(r, t)
    r->consumer = consumer_for_ring();
    transports.live++;
    Transport **at = &transports.first;
    while (*at) at = &(*at)->link;
    *at = t;
    pthread_mutex_unlock(&transports.lock);
}

static void add_figures(TransportFigures *to, const Transport *t) {
    to->waits += t->waits;
    to->wait_ns += t->wait_ns;
    to->holds += t->holds;
    to->hold_ns += t->hold_ns;
    to->laps += t->laps;
    to->grown += t->grown;
    to->sampled += t->sampled;
    to->overwritten += atomic_load(&t->samples.overwritten);
    to->written += transports.request->sampled && t->queue.cab.start ? cab_written(&t->queue.cab) : 0;
    to->transferred += t->transferred;
    to->paced += t->paced;
    to->pace_sum += t->pace_sum;
    if (t->pace_most > to->pace_most) to->pace_most = t->pace_most;
    for (int e = 0; e < EVENT_COUNT; e++) to->discarded += t->discarded[e];
}

void transport_take_ring(Transport *t, bool own) {
    pthread_mutex_lock(&transports.lock);
    take(t);
    pthread_mutex_unlock(&transports.lock);
    if (own) drain(t);
}

void transport_release_ring(Transport *t) {
    pthread_mutex_lock(&transports.lock);
    release_ring(t);
    pthread_mutex_unlock(&transports.lock);
}

void transport_end(Transport *t) {
    transport_take_ring(t, true);
    pthread_mutex_lock(&transports.lock);
    release_ring(t);
    add_figures(&transports.ended, t);
    Transport **at = &transports.first;
    while (*at != t) at = &(*at)->link;
    *at = t->link;
    transport_nowhere(t->queue.next);
    t->consumer->rings--;
    for
        EACH_READER(r, t)
    r->consumer->rings--;
    transports.live--;
    pthread_mutex_unlock(&transports.lock);
}

void transport_free(Transport *t) {
    if (!t) return;
    ringsamples_end(&t->samples);
    published_free(t->words);
    queue_free(&t->queue);
    free(t->readers);
    free(t);
}

void transport_release(void) {
    pthread_mutex_lock(&transports.lock);
    atomic_store(&transports.forgotten, true);
    pthread_cond_broadcast(&transports.changed);
    for (Transport *t = transports.first; t;) {
        if (t->waiting) pthread_cond_wait(&transports.changed, &transports.lock);
        t = t->waiting ? t : t->link;  // no thread starts or ends its ring meanwhile
    }
    pthread_mutex_unlock(&transports.lock);
}

void transport_stop(void) {
    stop_consumers();
    transports.ended = (TransportFigures){0};
    transports.live = 0;
    ringcontexts_forget();
    atomic_store(&transports.forgotten, false);
    transports.request = NULL;
}

void transport_drain(bool alone) {
    if (transports.ordered) {
        if (alone) {
            merge(true);
            return;
        }
        transport_pause();
        transport_resume();
        return;
    }
    if (alone) {
        for (Transport *t = transports.first; t; t = t->link) drain(t);
        return;
    }
    pthread_mutex_lock(&transports.lock);
    for (Transport *t = transports.first; t;) {
        if (is_used(t)) {
            pthread_cond_wait(&transports.changed, &transports.lock);
            t = transports.first;  // its thread may have ended
            continue;
        }
        take(t);
        pthread_mutex_unlock(&transports.lock);
        drain(t);
        pthread_mutex_lock(&transports.lock);
        release_ring(t);
        t = t->link;
    }
    pthread_mutex_unlock(&transports.lock);
}

void transport_pause(void) {
    pthread_mutex_lock(&transports.lock);
    while (transports.first && is_held(transports.first)) pthread_cond_wait(&transports.changed, &transports.lock);
    transports.merger = HELD_BY_OTHER;
    pthread_mutex_unlock(&transports.lock);
    merge(false);
}

void transport_resume(void) {
    pthread_mutex_lock(&transports.lock);
    transports.merger = HELD_BY_NOBODY;
    pthread_cond_broadcast(&transports.changed);
    pthread_mutex_unlock(&transports.lock);
}

uint64_t transport_unfinished(const Transport *t) {
    uint64_t sum = 0;
    for
        EACH_READER(r, t)
    sum += r->follower.unfinished;
    return sum;
}

void transport_counts(const Transport *t, uint64_t analysed[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]) {
    memcpy(analysed, t->back.produced, sizeof t->back.produced);
    memcpy(discarded, t->discarded, sizeof t->discarded);
}

void transport_counted(Transport *t, bool take, CountedFn *fn, void *arg) {
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
        t->back.produced[event] += times;
        w->slot[i].count = 0;
    }
}

void transport_figures(TransportFigures *out) {
    *out = transports.ended;
    for (const Transport *t = transports.first; t; t = t->link) add_figures(out, t);
    for (uint32_t i = 0; i < transports.consumer_count; i++) out->ended += atomic_load(&transports.consumers[i].ended);
}

// The threads that held rings do not exist in the child.
void transport_forget(void) {
    atomic_store(&transports.forgotten, true);
    transports.merger = HELD_BY_NOBODY;
    for (Transport *t = transports.first; t; t = t->link) {
        t->holder = HELD_BY_NOBODY;
        for
            EACH_READER(r, t)
        r->held = false;
    }
}

void transport_fork(bool before) {
    if (before) pthread_mutex_lock(&transports.lock);
    ringcontexts_fork(before);
    ringevents_fork(before);
    if (!before) pthread_mutex_unlock(&transports.lock);
}
