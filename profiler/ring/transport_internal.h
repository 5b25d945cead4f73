// The rings, threads and consumers of transport=cab (transport.h), shared by the files of this folder. transport.c owns
// them.
//
// Unless said otherwise, "the lock" is transports.lock. It protects the list of rings, their holders, and the fields
// that are marked so. It is not held while events are analysed.
#ifndef CABERNET_PROFILER_RING_TRANSPORT_INTERNAL_H
#define CABERNET_PROFILER_RING_TRANSPORT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/invariant.h"
#include "profiler/ring/followers.h"
#include "profiler/ring/queue.h"
#include "profiler/ring/ringsamples.h"
#include "profiler/ring/transport.h"
#include "profiler/ring/wordcounts.h"
#include "vm/api/eventwait.h"
#include "vm/api/profilerthread.h"

enum {
    BATCH = 2048,      // words per batch of a consumer
    PROCESSORS = 256,  // with rings=carrier: those whose last ring is remembered
    SWITCH_WORDS = 3,
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

// The part of a thread for one event that the profile takes.
typedef struct TransportEvent {
    struct {
        void (*fn)(void);
        void *state;
    } put;                         // the producer's sink, an EventSink of the event
    const void *sinks;             // those of the analyses
    uint64_t analysed, discarded;  // the latter is written by the producer, or the holder
} TransportEvent;

// A thread as the analyses see it, if one of them looks at it.
typedef struct Back {
    EventThread events;
    EventMoment moment;  // with `ordered`: of the event being analysed
} Back;

// A thread. Small, because there may be very many.
struct Transport {
    // Constant; with rings=carrier NULL while it has none, changed under the lock of leases.
    Ring *_Atomic ring;
    uint64_t id;           // never used again
    Back *back;            // only with `keeps`: what the analyses have as their thread
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
    // How many times as far apart its bursts are as the rate asks for, in hundredths; bursts since that has changed,
    // and how often the ring had been full then.
    uint64_t pace, pace_bursts, pace_full;
    uint64_t paced, pace_sum, pace_most;  // as TransportFigures
    WordCounts *words;                    // of events that are only counted
    TransportEvent events[];              // at transport_event
};

struct Transports {
    const TransportRequest *request;
    TransportNeeds needs;        // `counts`: those of one word
    uint8_t place[EVENT_COUNT];  // of a taken event among those of a thread
    unsigned taken_count;
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
};

// Hidden, so that position-independent code addresses it directly.
extern struct Transports transports __attribute__((visibility("hidden")));

static inline bool by_carriers(void) { return transports.request->carriers; }

// EVENT_COUNT for an event that no analysis takes: code of an ended profile may have made it.
static inline enum EventId if_taken(enum EventId event) {
    return event != EVENT_COUNT && transports.needs.taken >> event & 1 ? event : EVENT_COUNT;
}

static inline TransportEvent *transport_event(Transport *t, enum EventId event) {
    ASSERT(transports.needs.taken >> event & 1, "event %d is not taken", event);
    return &t->events[transports.place[event]];
}

static inline uint32_t reader_count(void) { return transports.request->shards ? transports.request->shards - 1 : 0; }

// Iterates over a ring's readers besides its consumer.
#define EACH_READER(reader, r)                                                                                   \
    (uint32_t i_ = 0; (r) && (r)->readers && i_ < reader_count(); i_++) for (Reader *reader = &(r)->readers[i_]; \
                                                                             reader; reader = NULL)

static inline unsigned stamp_words(void) {
    const TransportNeeds *n = &transports.needs;
    return 1u + n->clocked + n->bursts + (n->walked != 0);
}

static inline void publish_removed(Ring *r) {
    if (r->readers || by_carriers()) atomic_store_explicit(&r->cleared, r->removed, memory_order_release);
}

// All words of a ring, counted from its start, that its producer has written.
static inline uint64_t ring_written(const Ring *r) { return cab_written(&r->queue.cab); }

// Whether the ring's next event needs a switch event before it. A thread that continues in its ring needs none.
static inline bool must_switch(const Transport *t, const Ring *r) { return r->writer != t->id || t->left != r; }

// ---- ring.c: one ring ----------------------------------------------------------------------------

// A ring that no consumer visits yet. Its producer's position is in *next. NULL: out of memory. Takes the lock briefly.
Ring *ring_new(uint64_t **next);
// Of a ring that is not in the list, or NULL.
void ring_free(Ring *r);
// Require the lock, or that no other thread uses the transport. Consumers visit the rings of the list.
void ring_list(Ring *r);
void ring_unlist(Ring *r);

// ---- ringholders.c: the holders of rings ----------------------------------------------------------

// All of them require the lock. With one holder for all rings, the ring may be NULL.

// Does any thread read the ring as its first reader?
bool ringholders_is_held(const Ring *r);
// Does any thread read the ring?
bool ringholders_is_used(Ring *r);
// The ring's consumer reads it, until ringholders_release. No thread does so yet.
void ringholders_lend(Ring *r);
// Waits until no other thread reads the ring; then the caller does, until ringholders_release. Releases the lock while
// it waits.
void ringholders_take(Ring *r);
void ringholders_release(Ring *r);

// ---- ringdrain.c: out of a ring ------------------------------------------------------------------

// All of them require that the caller holds the ring. They call the analyses and take no lock.

// Is there enough in the ring for a batch? Requires the lock.
bool ringdrain_is_ready(Ring *r);
// Takes words of a ready ring.
void ringdrain_batch(Ring *r);
// Consumes one event, or a word that begins none, and `before` words before it.
void ringdrain_analyse(Ring *r, unsigned before);
// Takes a switch event, which is next in the ring.
void ringdrain_switch(Ring *r);
// Discards and counts the event in whose middle the ring's consumer ended, if there is one.
void ringdrain_skip_unfinished(Ring *r);
// Analyses the rest of a ring whose producer is stopped.
void ringdrain_rest(Ring *r);
// With rings=carrier: analyses the events that a thread has published. The thread is the caller, or stopped.
void ringdrain_thread(Transport *t);
// Discards the contents of a ring, and counts the events.
void ringdrain_discard(Ring *r);

// ---- ringorder.c: the order of all threads' events -----------------------------------------------

// Analyses all events with stamps below the counter's present value, in their order. The caller is the merger.
// `alone`: no other thread of the process is left; otherwise it takes the lock.
void ringorder_merge(bool alone);

// ---- ringroom.c: a producer without room ---------------------------------------------------------

// All of them are called by the ring's producer, which does not hold the lock.

// Makes room for `n` words, or asks for a wait if the thread has some left and `may_wait`.
void ringroom_make(Transport *t, Ring *r, size_t n, bool may_wait);
// Begins the next lap of a ring that is overwritten.
void ringroom_overwrite(Ring *r);
// Blocks the thread, a Transport, until its ring has room (EventWait.fn).
void ringroom_wait(void *arg);

// ---- ringput.c: into a ring ----------------------------------------------------------------------

// Makes the thread's sinks those of its `front`.
void ringput_connect(Transport *t);

// ---- carrierrings.c: rings of carriers -----------------------------------------------------------

// All of them are for rings=carrier, and take the lock of leases.

// Lends the thread the ring of its processor. NULL: memory is short.
Ring *carrierrings_borrow(Transport *t);
// The same for its first event since it got a processor, with a switch event and room for what compiled code writes
// before its next yieldpoint.
Ring *carrierrings_enter(Transport *t, bool may_wait);
// Takes the ring back, if the thread has one.
void carrierrings_give_back(Transport *t);
// Whether the thread gives its ring back when it loses its processor.
void carrierrings_follow(Transport *t, bool on);

// ---- ringconsumers.c: the consumers' threads -----------------------------------------------------

// The body of a consumer's thread; `arg` is a Consumer.
void ringconsumers_run(ProfilerThread *self, void *arg);
// Moves the calling thread to the processors of affinity=, which new threads inherit. False with *error.
bool ringconsumers_place(const char *affinity, char *error, size_t error_size);

#endif
