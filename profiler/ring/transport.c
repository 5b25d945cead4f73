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
    PROCESSORS = 256,                // with rings=carrier: those whose last ring is remembered
    SWITCH_WORDS = 3,
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

// A queue of words and who reads it. A thread's, or with rings=carrier lent to one thread after the other.
typedef struct Ring {
    Queue queue;
    Transport *of;  // whose events the holder reads; with rings=carrier NULL: of a thread that has ended, or none yet
    Consumer *consumer;
    struct Ring *link, *before;  // under the lock, as the next two
    Holder holder;
    uint32_t waiting;  // threads
    // Written by the producer while it runs, the first two under the lock.
    uint64_t waits, wait_ns, holds, hold_ns, laps, grown, switches;
    // With `ordered`: whether the producer is between taking a stamp and publishing its event; the number of events in
    // the ring since it began.
    _Atomic bool stamping;
    _Atomic uint64_t published;
    // With rings=carrier: the next spare ring, under the lock of leases; the producer's position while the ring is
    // free; the thread of the last event (Transport.id).
    struct Ring *spare;
    uint64_t *position;
    uint64_t writer;
    // Written by the holder: the number of events taken, and the number up to which it may take them now.
    uint64_t taken, limit;
    uint64_t ahead;                     // the stamp of its oldest event
    struct Ring *left, *right, *round;  // in the heap of a round of merging; the next ring of the round
    // With shards=: the other readers. The words taken, and the same as other threads see it.
    Reader *readers;
    RingPart part;  // of the first one
    uint64_t removed;
    _Atomic uint64_t cleared;
    // Written by the holder.
    uint64_t sampled, transferred;
    volatile uint64_t last;  // with consume=discard: the word that was read last
    RingSamples samples;
    // Written by the holder: the event being analysed, or EVENT_COUNT.
    enum EventId analysing;
} Ring;

// A thread.
struct Transport {
    // Constant; with rings=carrier NULL while it has none, changed under the lock of leases.
    Ring *_Atomic ring;
    uint64_t id;           // never used again
    EventThread back;      // its sinks are the analyses'
    EventThread *front;    // its sinks are those below
    EventThread *besides;  // with transport=tee: takes each event where it happens
    EventWait wait;
    uint64_t **next;     // the producer's position
    uint64_t *own_next;  // if the caller of transport_open supplies no place for it
    EventPlaces *places;
    Transport *link, *before;  // under the lock
    // With rings=carrier: the ring that it used last, and the number of words up to its last one there; the ring for
    // which it waits, and how many words must have been removed from that.
    Ring *left, *awaited;
    uint64_t left_at, awaits;
    // How many times as far apart its bursts are as the rate asks for, in hundredths; bursts since that has changed, and
    // how often the ring had been full then.
    uint64_t pace, pace_bursts, pace_full;
    uint64_t paced, pace_sum, pace_most;  // as TransportFigures
    EventMoment moment;                   // with `ordered`: of the event being analysed
    uint64_t discarded[EVENT_COUNT];      // written by the producer, or the holder
    WordCounts *words;                    // of events that are only counted
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
    Ring *first, *last;
    Transport *threads;
    uint64_t last_id;
    uint32_t live;  // number of rings
    Consumer consumers[TRANSPORT_MOST_CONSUMERS];
    uint32_t consumer_count;
    TransportFigures ended;  // of ended threads
    _Atomic bool forgotten;
    uint64_t nowhere[CAB_AHEAD + CAB_LONGEST];  // written to by threads without a ring
    uint64_t *nowhere_at;                       // where they begin
    // With rings=carrier, under the lock of leases: free rings, by the processor that had them last.
    pthread_mutex_t leases;
    Ring *free[PROCESSORS], *spare;
} transports = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .leases = PTHREAD_MUTEX_INITIALIZER};

static bool by_carriers(void) { return transports.request->carriers; }

// ---- out of the ring -----------------------------------------------------------------------------

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

// Takes a switch event (transport.h): the following events are of another thread. With a stamp it has a single word.
static void switch_thread(Ring *r) {
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

// Consumes one event, or a word that begins none, and `before` words before it.
static void analyse(Ring *r, unsigned before) {
    const uint64_t *at = queue_read(&r->queue) + before;
    uint64_t word = cab_peek(at);
    const EventSite *site = ringevents_site_of(word);
    enum EventId event = site ? site->event : eventwords_event(word);
    unsigned n = 1;
    if (eventwords_tag(word) == EVENTWORDS_SWITCH) {
        switch_thread(r);
        return;
    }
    if (transports.request->discards) {
        r->last = word;
        r->transferred++;
    } else if (transports.needs.counts && r->of && is_counted(r, word)) {  // padding may follow an ended thread
        r->taken++;
    } else if (event != EVENT_COUNT) {
        r->analysing = event;
        n = ringevents_give(&r->of->back, event, at, site);
        r->of->back.produced[event]++;
        r->analysing = EVENT_COUNT;
        r->taken++;
    }
    queue_take(&r->queue, before + n);
    r->removed += before + n;
}

static unsigned stamp_words(void) {
    const TransportNeeds *n = &transports.needs;
    return 1u + n->clocked + n->bursts + (n->walked != 0);
}

// If the ring's consumer ended in the middle of an event, discards that event and counts it. Its last words may be
// missing after a crash.
static void skip_unfinished(Ring *r) {
    if (r->analysing == EVENT_COUNT) return;
    r->of->discarded[r->analysing]++;
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

static uint32_t reader_count(void) { return transports.request->shards ? transports.request->shards - 1 : 0; }

// Iterates over a ring's readers besides its consumer.
#define EACH_READER(reader, r)                                                                                   \
    (uint32_t i_ = 0; (r) && (r)->readers && i_ < reader_count(); i_++) for (Reader *reader = &(r)->readers[i_]; \
                                                                             reader; reader = NULL)

static RingPart part_of(uint32_t reader) {
    const TransportRequest *r = transports.request;
    return (RingPart){(unsigned)__builtin_ctz(r->line), r->shards, reader};
}

// Takes the next events before `end` that other readers analyse, and counts them.
static void pass_apart(Ring *r, const uint64_t *end) {
    const EventSet any = transports.needs.apart;
    const RingPart part = r->part;
    uint64_t *start = queue_read(&r->queue), *at = start;
    while (at < end) {
        const EventSite *site = ringevents_site_of(cab_peek(at));
        unsigned words = site && any >> site->event & 1 ? ringevents_apart(at, site, &part) : 0;
        if (!words) break;
        r->of->back.produced[site->event]++;
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

static void publish_removed(Ring *r) {
    if (r->readers || by_carriers()) atomic_store_explicit(&r->cleared, r->removed, memory_order_release);
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
    while (r->removed < most) analyse(r, 0);
    publish_removed(r);
}

// ---- samples of a ring that is overwritten -----------------------------------------------------------

static void analyse_sample(Ring *r, const RingSample *k) {
    for (size_t i = 0; i < k->count;) {
        enum EventId event = k->words[i] == CAB_CLEAR ? EVENT_COUNT : ringevents_of(k->words[i]);
        if (event == EVENT_COUNT) {
            i++;
            continue;
        }
        if (transports.needs.counts && is_counted(r, k->words[i])) {
            i++;
            continue;
        }
        i += ringevents_give(&r->of->back, event, &k->words[i], ringevents_site_of(k->words[i]));
        r->of->back.produced[event]++;
    }
    r->sampled += k->seen;
}

static void analyse_next_sample(Ring *r, bool last) {
    RingSample *k = ringsamples_take(&r->samples, &r->queue.cab, last);
    if (k) analyse_sample(r, k);
    free(k);
}

// ---- the order of all threads' events --------------------------------------------------------------

// The oldest event's stamp; 0: it has none. Removes words that begin no event before it. The ring has an event.
static uint64_t stamp_ahead(Ring *r) {
    for (;;) {
        if (!queue_has(&r->queue, 0)) return 0;
        uint64_t word = cab_peek(queue_read(&r->queue));
        if (eventwords_tag(word) == EVENTWORDS_STAMP) return word & EVENTWORDS_MASK;
        if (ringevents_of(word) != EVENT_COUNT) return 0;
        if (eventwords_tag(word) == EVENTWORDS_SWITCH) {
            switch_thread(r);
            continue;
        }
        queue_take(&r->queue, 1);
        r->removed++;
    }
}

// The word after the ones read so far, which belongs to a stamp.
static uint64_t next_of_stamp(const uint64_t **at) { return cab_peek(++*at) & EVENTWORDS_MASK; }

static void analyse_stamped(Ring *r) {
    const TransportNeeds *n = &transports.needs;
    const uint64_t *start = queue_read(&r->queue), *at = start;
    r->of->back.thread = r->of->front->thread;
    if (n->clocked) r->of->moment.at = next_of_stamp(&at);
    if (n->bursts) r->of->back.bursts = next_of_stamp(&at);
    if (n->walked) ringcontexts_at((uint32_t)next_of_stamp(&at), &r->of->moment);
    analyse(r, (unsigned)(at - start) + 1);
}

// Analyses the ring's next event, and those after it that have no stamp. Returns the stamp of the one that is next
// then; 0: there is none within the limit.
static uint64_t advance(Ring *r, bool stamped) {
    if (stamped) analyse_stamped(r);
    while (r->taken < r->limit && queue_has(&r->queue, 0)) {
        uint64_t stamp = stamp_ahead(r);
        if (stamp) return stamp;
        if (queue_has(&r->queue, 0)) analyse(r, 0);
    }
    return 0;
}

// Joins two skew heaps, whose root has the smallest stamp.
static Ring *meld(Ring *a, Ring *b) {
    Ring *root = NULL, **at = &root;
    while (a && b) {
        Ring *least = b->ahead < a->ahead ? b : a, *right = least->right;
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
static Ring *rings_of_round(bool alone) {
    Ring *first = NULL;
    if (!alone) pthread_mutex_lock(&transports.lock);
    for (Ring *r = transports.first; r; r = r->link) {
        r->round = first;
        first = r;
    }
    if (!alone) pthread_mutex_unlock(&transports.lock);
    for (Ring *r = first; r; r = r->round) {
        skip_unfinished(r);
        while (!alone && atomic_load(&r->stamping) && !atomic_load(&transports.forgotten)) sched_yield();
        r->limit = atomic_load_explicit(&r->published, memory_order_acquire);
    }
    return first;
}

// Analyses all events with stamps below the counter's present value, in their order. The caller is the merger.
// `alone`: no other thread of the process is left.
static void merge(bool alone) {
    uint64_t now = atomic_load(&transports.stamp);
    Ring *heap = NULL, *first = rings_of_round(alone);
    for (Ring *r = first; r; r = r->round) {
        r->left = r->right = NULL;
        r->ahead = r->taken < r->limit ? advance(r, false) : 0;
        if (r->ahead) heap = meld(heap, r);
    }
    while (heap && heap->ahead < now) {
        Ring *r = heap;
        heap = meld(r->left, r->right);
        r->left = r->right = NULL;
        r->ahead = advance(r, true);
        if (r->ahead) heap = meld(heap, r);
    }
    for (Ring *r = first; r; r = r->round) publish_removed(r);
}

// Analyses the rest of a ring whose producer is stopped. The last chunk may be incomplete.
static void drain(Ring *r) {
    if (transports.request->sampled) {
        while (atomic_load(&r->samples.kept) || cab_claimed(&r->queue.cab) < cab_written(&r->queue.cab))
            analyse_next_sample(r, true);
        return;
    }
    if (transports.request->unread) return;
    if (transports.ordered) {
        merge(false);
        return;
    }
    skip_unfinished(r);
    if (r->readers) finish_readers(r, true);
    else
        while (queue_has(&r->queue, 0)) analyse(r, 0);
    publish_removed(r);
}

// All words of a ring, counted from its start, that its producer has written.
static uint64_t written(const Ring *r) { return cab_written(&r->queue.cab); }

// With rings=carrier: analyses the events that a thread has published and that are in rings. The thread is the caller,
// or stopped. The caller is the merger.
static void drain_thread(Transport *t) {
    if (transports.request->unread) return;
    if (transports.ordered) {
        merge(false);
        return;
    }
    Ring *r = t->ring;
    if (r) take_up_to(r, written(r));
    else if (t->left) take_up_to(t->left, t->left_at);
}

// With `ordered` and with rings=carrier all rings have one holder.
static bool have_merger(void) { return transports.ordered || by_carriers(); }
static Holder *holder_of(Ring *r) { return have_merger() ? &transports.merger : &r->holder; }

static bool is_merging(void) {
    return transports.merger == HELD_BY_OTHER ||
        (transports.merger == HELD_BY_CONSUMER && !atomic_load(&transports.consumers[0].ended));
}

// Requires the lock.
static bool is_held(const Ring *r) {
    if (have_merger()) return is_merging();
    Holder holder = r->holder;
    return holder == HELD_BY_OTHER || (holder == HELD_BY_CONSUMER && !atomic_load(&r->consumer->ended));
}

// Requires the lock. Does any thread read the ring?
static bool is_used(Ring *r) {
    if (have_merger()) return is_merging();
    for
        EACH_READER(reader, r)
    if (reader->held && !atomic_load(&reader->consumer->ended)) return true;
    return is_held(r);
}

// Requires the lock. Waits until no other thread reads the ring.
static void take(Ring *r) {
    while (is_used(r)) pthread_cond_wait(&transports.changed, &transports.lock);
    *holder_of(r) = HELD_BY_OTHER;
}

// Requires the lock.
static void release_ring(Ring *r) {
    *holder_of(r) = HELD_BY_NOBODY;
    pthread_cond_broadcast(&transports.changed);
}

// Requires that the caller holds the ring.
static void discard_all(Ring *r) {
    skip_unfinished(r);
    if (r->readers) finish_readers(r, false);
    r->laps++;
    while (queue_has(&r->queue, 0)) {
        uint64_t word = cab_peek(queue_read(&r->queue));
        enum EventId event = ringevents_of(word);
        if (eventwords_tag(word) == EVENTWORDS_SWITCH) r->of = (Transport *)(uintptr_t)(word & EVENTWORDS_MASK);
        if (event != EVENT_COUNT) r->of->discarded[event]++;
        r->taken += event != EVENT_COUNT;
        queue_take(&r->queue, 1);
        r->removed++;
    }
    publish_removed(r);
    for
        EACH_READER(reader, r)
    follower_skip(&reader->follower, &r->queue.cab);
}

// ---- into the ring -------------------------------------------------------------------------------

// No thread consumes the ring any more, or ever will: one of its consumers has ended.
static bool is_abandoned(const Ring *r) {
    for
        EACH_READER(reader, r)
    if (atomic_load(&reader->consumer->ended)) return true;
    return atomic_load(&r->consumer->ended) || atomic_load(&transports.forgotten);
}

static void wake_consumers(Ring *r) {
    profilerthread_wake(r->consumer->thread);
    for
        EACH_READER(reader, r)
    profilerthread_wake(reader->consumer->thread);
}

// Requires the lock; called by the producer. A ring that is full doubles, up to the limit: a thread that makes events
// rarely keeps a small one. Its words stay in order. False: it has its full size or room again, or memory is short.
static bool grow(Ring *r) {
    if (!transports.request->grow) return false;  // the queue may be of another kind
    Cab *ring = &r->queue.cab;
    size_t most = transports.request->grow / sizeof(uint64_t), words = 2 * ring->words;
    if (words > most) words = most - most % ring->chunk;
    if (words <= ring->words || queue_is_backed_off(&r->queue)) return false;
    take(r);
    bool grown = cab_grow(ring, words);
    r->grown += grown;
    for
        EACH_READER(reader, r)
    if (grown) follower_move(&reader->follower, ring);
    release_ring(r);
    return grown;
}

// With rings=carrier the ring may be another thread's meanwhile, so its position says nothing.
static bool has_waited(const Transport *t, const Ring *r) {
    if (is_abandoned(r)) return true;
    return by_carriers() ? atomic_load_explicit(&r->cleared, memory_order_acquire) >= t->awaits
                         : queue_is_backed_off(&r->queue);
}

static void wait_for_room(void *arg) {
    Transport *t = arg;
    Ring *r = by_carriers() ? t->awaited : t->ring;
    int64_t begin = clock_monotonic_ns();
    pthread_mutex_lock(&transports.lock);
    if (!is_abandoned(r) && grow(r)) {
        pthread_mutex_unlock(&transports.lock);
        return;
    }
    r->waiting++;
    while (!has_waited(t, r)) {
        wake_consumers(r);
        int64_t until = clock_wall_ns() + SAFEPOINT_NS;
        struct timespec at = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
        pthread_cond_timedwait(&transports.changed, &transports.lock, &at);
    }
    r->waiting--;
    r->waits++;
    r->wait_ns += (uint64_t)(clock_monotonic_ns() - begin);
    pthread_cond_broadcast(&transports.changed);
    pthread_mutex_unlock(&transports.lock);
}

// Asks that the thread wait until two chunks of its ring are free.
static void ask_for_room(Transport *t, Ring *r) {
    if (by_carriers() && !t->wait.asked) {
        uint64_t free_at = written(r) + 2 * r->queue.cab.chunk;
        t->awaited = r;
        t->awaits = free_at > r->queue.cab.words ? free_at - r->queue.cab.words : 0;
    }
    eventwait_ask(&t->wait);
}

static void hold(Ring *r, size_t n) {
    int64_t begin = clock_monotonic_ns();
    r->holds++;
    do {
        wake_consumers(r);
        nanosleep(&(struct timespec){.tv_nsec = HOLD_NS}, NULL);
    } while (!is_abandoned(r) && queue_room(&r->queue, n) == CAB_FULL);
    r->hold_ns += (uint64_t)(clock_monotonic_ns() - begin);
}

// Called by the producer when its consumer has ended. If another thread is draining the ring, waits; then there is
// room.
static void discard(Ring *r, size_t n) {
    pthread_mutex_lock(&transports.lock);
    take(r);
    pthread_mutex_unlock(&transports.lock);
    if (queue_room(&r->queue, n) == CAB_FULL) discard_all(r);
    pthread_mutex_lock(&transports.lock);
    release_ring(r);
    pthread_mutex_unlock(&transports.lock);
}

static __attribute__((noinline)) void make_room(Transport *t, Ring *r, size_t n, bool may_wait) {
    if (transports.request->unread) {
        queue_restart(&r->queue);
        return;
    }
    CabRoom room = queue_room(&r->queue, n);
    if (room == CAB_ROOMY) return;
    if (!is_abandoned(r)) {
        if (may_wait) ask_for_room(t, r);
        if (room == CAB_FULL) hold(r, n);
        if (!is_abandoned(r)) return;
    }
    if (queue_room(&r->queue, n) != CAB_FULL) return;
    discard(r, n);
    queue_room(&r->queue, n);
}

// Begins the next lap of a ring that is overwritten.
static __attribute__((noinline)) void overwrite(Ring *r) {
    if (transports.request->unread) {
        queue_restart(&r->queue);
        return;
    }
    ringsamples_next_lap(&r->samples, &r->queue.cab, !is_abandoned(r));
}

// ---- rings of carriers ---------------------------------------------------------------------------

static Ring *ring_new(uint64_t **next);
static void list_ring(Ring *r);

// Lends the thread the ring of its processor. NULL: memory is short.
static Ring *borrow(Transport *t) {
    int processor = t->front->thread ? thread_processor(t->front->thread) : -1;
    pthread_mutex_lock(&transports.leases);
    Ring **from = processor >= 0 && processor < PROCESSORS && transports.free[processor] ? &transports.free[processor]
                                                                                         : &transports.spare;
    Ring *r = *from;
    if (r) {
        *from = from == &transports.spare ? r->spare : NULL;
        queue_move(&r->queue, t->next);
        t->ring = r;
    }
    pthread_mutex_unlock(&transports.leases);
    if (r || !(r = ring_new(t->next))) return r;
    pthread_mutex_lock(&transports.lock);
    r->consumer = &transports.consumers[0];
    list_ring(r);
    pthread_mutex_unlock(&transports.lock);
    t->ring = r;
    return r;
}

// Requires the lock of leases. Takes the thread's ring back. The thread has no other to write into, until it borrows
// one.
static void take_back(Transport *t) {
    Ring *r = t->ring;
    if (!r) return;
    int processor = t->front->thread ? thread_processor(t->front->thread) : -1;
    t->left = r;
    t->left_at = written(r);
    t->ring = NULL;
    queue_move(&r->queue, &r->position);
    transport_nowhere(t->next);
    if (processor >= 0 && processor < PROCESSORS && !transports.free[processor]) {
        transports.free[processor] = r;
    } else {
        r->spare = transports.spare;
        transports.spare = r;
    }
}

static void give_back(Transport *t) {
    pthread_mutex_lock(&transports.leases);
    take_back(t);
    pthread_mutex_unlock(&transports.leases);
}

// EventPlaces.lost_processor. The profile may end meanwhile.
static void lost_processor(EventPlaces *places) {
    pthread_mutex_lock(&transports.leases);
    if (places->transport) take_back(places->transport);
    pthread_mutex_unlock(&transports.leases);
}

// A thread that has a ring must give it back with the processor.
static void follow_processor(Transport *t, bool on) {
    if (!t->places) return;
    pthread_mutex_lock(&transports.leases);
    t->places->transport = on ? t : NULL;
    pthread_mutex_unlock(&transports.leases);
    __atomic_store_n(&t->places->lost_processor, on ? lost_processor : NULL, __ATOMIC_RELEASE);
}

// Whether the ring's next event needs a switch event before it. A thread that continues in its ring needs none.
static bool must_switch(const Transport *t, const Ring *r) { return r->writer != t->id || t->left != r; }

// Called by the thread for its first event since it got a processor. The ring then has room for what compiled code
// writes before its next yieldpoint. NULL: memory is short.
static __attribute__((noinline)) Ring *enter_ring(Transport *t, bool may_wait) {
    Ring *r = borrow(t);
    if (!r) return NULL;
    bool switches = must_switch(t, r);
    size_t need = RING_UNPOLLED + RING_EVENT + (switches ? SWITCH_WORDS : 0);
    if (!queue_is_free(&r->queue, need)) make_room(t, r, need, may_wait);
    if (!switches) return r;
    const uint64_t more = EVENTWORDS_TAG(EVENTWORDS_MORE),
                   words[SWITCH_WORDS] = {EVENTWORDS_TAG(EVENTWORDS_SWITCH) | (uintptr_t)t, more | (uintptr_t)t->left,
                                          more | t->left_at};
    queue_put(&r->queue, words, SWITCH_WORDS);
    r->switches++;
    r->writer = t->id;
    t->left = r;
    return r;
}

// Sinks leave room for what compiled code writes before its next yieldpoint.
static inline void put(Transport *t, Ring *r, const EventPacker *p, unsigned n, bool may_wait) {
    Queue *q = &r->queue;
    if (__builtin_expect(transport_overwrites(transports.request), 0)) {
        if (*q->next + n > q->cab.end) overwrite(r);
    } else if (__builtin_expect(!queue_is_free(q, n), 0))
        make_room(t, r, queue_looks_ahead(q) ? n + RING_UNPOLLED : n, may_wait);
    queue_put(q, p->words, n);
}

// Appends the event to `p`, after its stamp. There is room.
static void put_after_stamp(Transport *t, Ring *r, enum EventId event, uint64_t context, const EventPacker *p,
                            unsigned n) {
    const TransportNeeds *needs = &transports.needs;
    uint64_t words[CAB_LONGEST], more[] = {0, 0, 0};
    unsigned k = 0, count = 0;
    bool switches = by_carriers() && must_switch(t, r);
    if (switches) {
        words[k++] = EVENTWORDS_TAG(EVENTWORDS_SWITCH) | (uintptr_t)t;
        r->switches++;
        r->writer = t->id;
    }
    if (switches || needs->stamped >> event & 1) {
        atomic_store(&r->stamping, true);
        words[k++] = EVENTWORDS_TAG(EVENTWORDS_STAMP) | atomic_fetch_add(&transports.stamp, 1);
        if (needs->clocked) more[count++] = stamp_now();
        if (needs->bursts) more[count++] = t->front->bursts;
        if (needs->walked) more[count++] = context;
        for (unsigned i = 0; i < count; i++) words[k++] = EVENTWORDS_TAG(EVENTWORDS_MORE) | (more[i] & EVENTWORDS_MASK);
    }
    memcpy(&words[k], p->words, n * sizeof *words);
    queue_put(&r->queue, words, k + n);
    atomic_fetch_add_explicit(&r->published, 1, memory_order_release);
    atomic_store_explicit(&r->stamping, false, memory_order_release);
}

static __attribute__((noinline)) void put_ordered(Transport *t, Ring *r, enum EventId event, const EventPacker *p,
                                                  unsigned n, bool may_wait) {
    uint32_t context = transports.needs.walked >> event & 1 ? ringcontexts_here() : 0;
    unsigned words = n + stamp_words() + by_carriers();
    if (!queue_is_free(&r->queue, words)) make_room(t, r, words, may_wait);
    put_after_stamp(t, r, event, context, p, n);
}

// With rings=carrier. A thread keeps its ring only for events of code, which it makes itself while it has a processor.
static __attribute__((noinline)) void put_by_carrier(Transport *t, enum EventId event, const EventPacker *p, unsigned n,
                                                     bool may_wait, bool by_code) {
    Ring *r = t->ring;
    if (!r) r = transports.ordered ? borrow(t) : enter_ring(t, may_wait);
    if (!r) {
        t->discarded[event]++;
        return;
    }
    if (transports.ordered) put_ordered(t, r, event, p, n, may_wait);
    else put(t, r, p, n, may_wait);
    if (transports.ordered || !by_code) give_back(t);
}

static inline void put_event(Transport *t, enum EventId event, const EventPacker *p, unsigned n, bool may_wait,
                             bool by_code) {
    if (__builtin_expect(transports.ordered || by_carriers(), 0)) {
        if (by_carriers()) put_by_carrier(t, event, p, n, may_wait, by_code);
        else put_ordered(t, t->ring, event, p, n, may_wait);
    } else put(t, t->ring, p, n, may_wait);
}

#define BY_CODE true
#define BY_CALLS true
#define BY_THREADS false
#define BY_SCHEDULER false
#define BY_VM false
#define MAY_WAIT true
#define NO_WAIT false
#define EVENT(id, text, payload, waits, counted, source, made_by)                      \
    static void put_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) { \
        EventPacker p;                                                                 \
        unsigned n = eventwords_write_##id(&p, EVENT_NAMES(payload));                  \
        put_event(sink->state, EVENT_##id, &p, n, waits, BY_##source);                 \
    }                                                                                  \
                                                                                       \
    static void tee_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) { \
        EventThread *to_ = ((const Transport *)sink->state)->besides;                  \
        to_->thread = ((const Transport *)sink->state)->front->thread;                 \
        put_##id(sink, EVENT_NAMES(payload));                                          \
        to_->id->fn(to_->id, EVENT_NAMES(payload));                                    \
    }
#include "vm/api/events.def"
#undef MAY_WAIT
#undef NO_WAIT

void transport_room(Transport *t, enum EventId event) {
    if (transport_overwrites(transports.request)) {
        overwrite(t->ring);
        return;
    }
    if (by_carriers() && !t->ring && !enter_ring(t, true)) {
        t->discarded[event]++;
        transport_nowhere(t->next);
        return;
    }
    ASSERT(!queue_looks_ahead(&t->ring->queue) || transports.request->unread || is_abandoned(t->ring) ||
               queue_room(&t->ring->queue, RING_EVENT) != CAB_FULL,
           "compiled code has written more than %d words without a yieldpoint", RING_UNPOLLED);
    make_room(t, t->ring, RING_EVENT, true);
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
        if (is_between(queue_read(&r->queue), start, end)) analyse(r, 0);
    }
}

// The end of the words of the next piece, at most up to word number `to`.
static const uint64_t *end_of_piece(Ring *r, uint64_t to) {
    const uint64_t *start = queue_read(&r->queue), *end = queue_piece_end(&r->queue);
    return (uint64_t)(end - start) > to - r->removed ? start + (to - r->removed) : end;
}

// Takes words of a ready queue.
static void batch(Ring *r) {
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
    skip_unfinished(r);
    while (r->removed < to && queue_has(&r->queue, 0)) take_piece(r, end_of_piece(r, to));
    publish_removed(r);
}

static bool is_ready(Ring *r) {
    if (transports.request->sampled) return ringsamples_ready(&r->samples, &r->queue.cab);
    return r->readers ? words_all_read(r) > 0 : queue_is_ready(&r->queue);
}

// Merges all rings if one of them is ready. False: none was, or another thread merges them.
static bool serve_in_order(Consumer *c) {
    bool any = false;
    lock(c);
    for (Ring *r = transports.first; r && !any && !is_held(r); r = r->link) any = is_ready(r);
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

// With rings=carrier one consumer reads all rings. False: none was ready, or another thread reads them.
static bool serve_carriers(Consumer *c, ProfilerThread *self) {
    bool any = false;
    lock(c);
    for (Ring *r = transports.first; r && !is_merging() && !profilerthread_must_stop(self); r = r->link) {
        if (!is_ready(r)) continue;
        transports.merger = HELD_BY_CONSUMER;
        any = true;
        unlock(c);
        batch(r);
        lock(c);
        release_ring(r);
    }
    unlock(c);
    return any;
}

// Requires the lock. Reads a batch for each further reader of a ring that is the consumer's. False: none was ready.
static bool serve_readers(Consumer *c, Ring *r) {
    bool any = false;
    for
        EACH_READER(reader, r) {
            if (reader->consumer != c || r->holder == HELD_BY_OTHER || !follower_is_ready(&reader->follower)) continue;
            reader->held = any = true;
            unlock(c);
            follower_read(&reader->follower, BATCH);
            lock(c);
            reader->held = false;
            pthread_cond_broadcast(&transports.changed);
        }
    return any;
}

// Processes one batch of each ready ring, round robin. False: none was ready.
static bool serve(Consumer *c, ProfilerThread *self) {
    bool any = false;
    if (transports.ordered) return serve_in_order(c);
    if (by_carriers()) return serve_carriers(c, self);
    lock(c);
    for (Ring *r = transports.first; r && !profilerthread_must_stop(self); r = r->link) {
        any |= serve_readers(c, r);
        if (r->consumer != c || is_held(r)) continue;
        if (!is_ready(r)) continue;
        r->holder = HELD_BY_CONSUMER;
        any = true;
        unlock(c);
        batch(r);
        lock(c);
        release_ring(r);
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
static bool begin_queue(Ring *r, uint64_t **next) {
    const TransportRequest *request = transports.request;
    uint64_t chunks = request->buffer / request->chunk, bytes = request->chunk;
    pthread_mutex_lock(&transports.lock);
    uint32_t live = request->kind == RING_NWAY || request->kind == RING_LAMPORT ? 0 : transports.live;
    pthread_mutex_unlock(&transports.lock);
    for (uint32_t n = live / FULL_SIZED; n > 0 && bytes / 2 >= transport_least_chunk(); n /= 2) bytes /= 2;
    size_t chunk = bytes / sizeof(uint64_t);
    if (!queue_init(&r->queue, request->kind, chunks * chunk, chunk, next)) return false;
    if (request->sampled) ringsamples_begin(&r->samples, &r->queue.cab, request->rate, request->lines, (uintptr_t)r);
    if (!reader_count()) return true;
    size_t bytes_of_readers = reader_count() * sizeof *r->readers;
    r->readers = aligned_alloc(_Alignof(Reader), bytes_of_readers);
    if (!r->readers) return false;
    memset(r->readers, 0, bytes_of_readers);
    r->part = part_of(0);
    for
        EACH_READER(reader, r)
    follower_begin(&reader->follower, &r->queue.cab, part_of((uint32_t)(reader - r->readers) + 1), &r->cleared);
    return true;
}

static void ring_free(Ring *r) {
    if (!r) return;
    ringsamples_end(&r->samples);
    queue_free(&r->queue);
    free(r->readers);
    free(r);
}

static Ring *ring_new(uint64_t **next) {
    Ring *r = aligned_alloc(_Alignof(Ring), sizeof *r);
    if (!r) return NULL;
    memset(r, 0, sizeof *r);
    r->analysing = EVENT_COUNT;
    if (begin_queue(r, next)) return r;
    ring_free(r);
    return NULL;
}

// Requires the lock. Consumers visit the ring from now on.
static void list_ring(Ring *r) {
    transports.live++;
    r->before = transports.last;
    *(r->before ? &r->before->link : &transports.first) = r;
    transports.last = r;
}

static void unlist_ring(Ring *r) {
    transports.live--;
    *(r->before ? &r->before->link : &transports.first) = r->link;
    *(r->link ? &r->link->before : &transports.last) = r->before;
}

Transport *transport_open(EventThread *front, EventThread *besides, EventPlaces *places) {
    Transport *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->next = places ? &places->ring : &t->own_next;
    t->places = places;
    t->wait = (EventWait){.fn = wait_for_room, .arg = t};
    t->pace = PACE_LEAST;
    t->besides = besides;
    t->front = front;
    if (transports.ordered) t->back.moment = &t->moment;
    bool counts = transports.needs.counts != 0;
    if (counts) t->words = published_new(sizeof(WordCounts), sizeof(WordCount), WORDCOUNTS_FIRST_BITS);
    Ring *r = by_carriers() ? NULL : ring_new(t->next);
    t->ring = r;
    if (r) r->of = t;
    if ((counts && !t->words) || (!r && !by_carriers())) {
        transport_free(t);
        return NULL;
    }
    if (by_carriers()) transport_nowhere(t->next);
#define EVENT(id, text, payload, waits, counted, source, made_by)     \
    t->put_##id = (EventSink_##id){besides ? tee_##id : put_##id, t}; \
    front->id = &t->put_##id;
#include "vm/api/events.def"
    return t;
}

EventThread *transport_back(Transport *t, uint32_t reader) {
    return reader ? &t->ring->readers[reader - 1].follower.back : &t->back;
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
    Ring *r = t->ring;
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
        list_ring(r);
    }
    pthread_mutex_unlock(&transports.lock);
    if (!r) follow_processor(t, true);
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
    for (int e = 0; e < EVENT_COUNT; e++) to->discarded += t->discarded[e];
}

void transport_take_ring(Transport *t, bool own) {
    Ring *r = t->ring;
    pthread_mutex_lock(&transports.lock);
    take(r);
    pthread_mutex_unlock(&transports.lock);
    if (!own) return;
    if (by_carriers()) drain_thread(t);
    else drain(r);
}

void transport_release_ring(Transport *t) {
    pthread_mutex_lock(&transports.lock);
    release_ring(t->ring);
    pthread_mutex_unlock(&transports.lock);
}

// Of a thread whose events are analysed. The next event of each ring is another thread's, so a switch event precedes it.
static void leave_rings(Transport *t) {
    for (Ring *r = transports.first; r; r = r->link)
        if (r->of == t) r->of = NULL;
}

void transport_end(Transport *t) {
    Ring *r = t->ring;
    if (by_carriers()) {
        give_back(t);
        follow_processor(t, false);
    }
    transport_take_ring(t, true);
    pthread_mutex_lock(&transports.lock);
    if (by_carriers()) {
        leave_rings(t);
    } else {
        add_ring(&transports.ended, r);
        unlist_ring(r);
        r->consumer->rings--;
        for
            EACH_READER(reader, r)
        reader->consumer->rings--;
    }
    release_ring(r);
    add_thread(&transports.ended, t);
    *(t->before ? &t->before->link : &transports.threads) = t->link;
    if (t->link) t->link->before = t->before;
    transport_nowhere(t->next);
    pthread_mutex_unlock(&transports.lock);
}

void transport_free(Transport *t) {
    if (!t) return;
    published_free(t->words);
    if (!by_carriers()) ring_free(t->ring);
    free(t);
}

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
        unlist_ring(r);
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
            merge(true);
            return;
        }
        transport_pause();
        transport_resume();
        return;
    }
    if (alone) {
        for (Ring *r = transports.first; r; r = r->link) drain(r);
        return;
    }
    pthread_mutex_lock(&transports.lock);
    for (Ring *r = transports.first; r;) {
        if (is_used(r)) {
            pthread_cond_wait(&transports.changed, &transports.lock);
            r = transports.first;  // its thread may have ended
            continue;
        }
        take(r);
        pthread_mutex_unlock(&transports.lock);
        drain(r);
        pthread_mutex_lock(&transports.lock);
        release_ring(r);
        r = r->link;
    }
    pthread_mutex_unlock(&transports.lock);
}

void transport_pause(void) {
    pthread_mutex_lock(&transports.lock);
    while (is_merging()) pthread_cond_wait(&transports.changed, &transports.lock);
    transports.merger = HELD_BY_OTHER;
    pthread_mutex_unlock(&transports.lock);
    merge(false);
}

void transport_resume(void) {
    pthread_mutex_lock(&transports.lock);
    release_ring(NULL);
    pthread_mutex_unlock(&transports.lock);
}

uint64_t transport_unfinished(const Transport *t) {
    uint64_t sum = 0;
    const Ring *r = t->ring;
    for
        EACH_READER(reader, r)
    sum += reader->follower.unfinished;
    return sum;
}

void transport_counts(const Transport *t, uint64_t analysed[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]) {
    memcpy(analysed, t->back.produced, sizeof t->back.produced);
    memcpy(discarded, t->discarded, sizeof t->discarded);
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
        t->back.produced[event] += times;
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
