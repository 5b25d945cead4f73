// Event analysis on another thread: transport=cab. Each profiled thread has a ring (profiler/ring/cab.h), or another
// queue that the ring is compared with (profiler/ring/queue.h). Its sinks append events to the ring as words
// (profiler/ring/eventwords.h). Consumers, which are profiler threads, remove
// them and deliver them to the sinks of the analyses, whose states still belong to that thread alone. An analysis is
// therefore written once, and the order of a thread's events is preserved.
//
// A ring belongs to a Java thread, green or not. An EventThread has one writer at a time, the thread itself or the
// scheduler while the thread is not running, as the ring requires. Pages of a ring that were never written take no
// memory, and beyond FULL_SIZED live threads new rings are smaller. With rings=carrier, rings are lent to green
// threads, as described below.
//
// References. OBJECT and ADDRESS of a payload are plain numbers when a consumer sees them: the program and collections
// continue, so the object may be dead. Ids of methods, classes and fields remain valid: the VM keeps what profiles show
// of unloaded ones (vm/instrument/unloaded.h).
//
// Waiting. Sinks and compiled code test the slot CAB_AHEAD ahead of their write position. If it is not free, the thread
// requests a wait (vm/api/eventwait.h): at its next yieldpoint it blocks, as in any other VM wait, until two chunks are
// free. Until then it uses the slots in between. Compiled code writes at most RING_UNPOLLED words between two
// yieldpoints (jit/probes/probe_ring.c has the proof), and sinks leave that many free, so compiled code never finds the
// ring full. A sink that has used up its share (an instruction with hundreds of events: an array of arrays, a native
// method; events that cannot wait) stalls until the consumer advances. It cannot deadlock: consumers take no VM lock,
// run no Java code, and run even while the world is stopped. Stalls are counted.
//
// Events of compiled code with a constant payload are a single word (profiler/ring/ringevents.h).
//
// Sampling in the consumer (the paper's Figure 5). Producers do not wait: they overwrite, and consumers examine bursts
// (profiler/ring/ringsamples.h).
//
// Pace. With sampling=rate, samples become rarer while consumers cannot follow. A thread doubles the distance between
// its bursts when its ring was full, or is still three quarters full after PACE_BURSTS bursts. The distance is at most
// PACE_MOST times the one that the rate implies. After PACE_BURSTS bursts with a ring that is less full, it becomes
// shorter by an eighth. So threads wait about once for each doubling.
//
// Other queues. The position and the size of RING_NWAY and RING_LAMPORT are part of compiled code (RingForm), so all
// threads have queues of one size. A producer of RING_NWAY asks for a wait when it begins its last free buffer, one of
// RING_FASTFORWARD when its slot is not free; the latter stalls at once, as does any producer that finds no room later.
//
// The cost of each step (the paper's Figure 8): RING_WORD is the instrumentation alone, `unread` adds the queue, which
// is overwritten, and `discards` adds its transfer to a consumer, which analyses nothing.
//
// Several readers (shards=). A heavy analysis of one thread's events may take more time than the thread. Then several
// consumers read its ring, and each analyses a part (Analysis.thread_shard): the first one as above, which clears the
// slots, the others ahead of it (profiler/ring/followers.h). The first reader counts the events, and its sinks are
// those of all analyses; the others have those of the analyses that are shared out.
//
// Order between threads. Some analyses examine what other threads did before. For these, `ordered`, each event that
// they take is preceded in the ring by a stamp, a number from one counter, with the time and the call context where
// they are needed. A single consumer merges the rings by their stamps. It does so when a ring has words to take, in
// rounds: it reads the counter, `now`; then it waits until no thread is between taking a stamp and publishing the event
// (`stamping`), which takes no lock and does not block; then every event with a stamp below `now` is in its ring, below
// the number of published events that the consumer reads next. Proof: a thread sets `stamping` before it takes a stamp,
// both sequentially consistent. If the consumer reads `stamping` as not yet set, the thread takes its stamp after the
// consumer has read the counter, so the stamp is not below `now`. Otherwise the consumer reads it as cleared again,
// which happened after the event was published. Events without a stamp follow the one before them in their ring. The
// role of the merging thread (`merger`) replaces the holders of single rings. Compiled code calls the sinks.
//
// Rings of carriers (rings=carrier). A green thread borrows the ring of its processor for its first event since it got
// the processor, and gives it back when it loses the processor (EventPlaces.lost_processor); a thread that has none
// finds no room, so compiled code needs no other test. A thread keeps its ring only for events of code. For others,
// which the scheduler may make for a thread without a processor, and with `ordered`, it borrows one for a single event.
// So a ring has one producer at a time, and there are about as many rings as carriers. Where the thread changes, a ring
// has a switch event: the thread, the ring that it used before, and the number of words up to its last one there. A
// thread that finds its own event last in the ring, and was nowhere else, makes none. The ring has room for
// RING_UNPOLLED words when a thread begins to use it, so what is said about waits above holds: switches happen at
// yieldpoints.
//
// One consumer reads the rings of carriers. At a switch event it first takes the words of the thread's earlier ring up
// to that number, even of a chunk that is not complete, and then delivers the following events to the thread's sinks.
// Proof that a thread's events are taken in order: those in one ring are, and for those in two rings the switch event
// separates them. Proof that the consumer always proceeds: the words that it must take first were published before the
// switch event, and so were the switch events among them. So a chain of such steps goes back in time, and never leads
// to a ring that is already in the chain: what is unread of that one is later. The chain is at most as long as there
// are rings, and no producer is waited for. With `ordered`, the switch event has a stamp instead, and the merge does
// the same. When a thread ends, it has its own words taken in the same way. Which ring a reader holds is decided for
// all rings together (`merger`).
//
// The end. When threads are stopped (the profile is written, the process has crashed) or a thread ends, the reader of
// its states first takes the rest of the ring. A consumer that has ended, for whatever reason, is not restarted:
// producers of its rings discard the contents when a ring is full, and count them by event.
#ifndef CABERNET_PROFILER_RING_TRANSPORT_H
#define CABERNET_PROFILER_RING_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/api/events.h"
#include "vm/api/profiler.h"

enum { TRANSPORT_MOST_CONSUMERS = 64 };

typedef struct TransportRequest {
    bool on;
    RingKind kind;
    bool tee;                // the thread itself analyses each event too, by calls
    bool unread;             // there are no consumers (consume=none, transport=word)
    bool discards;           // consumers read the words and do not analyse them
    uint64_t buffer, chunk;  // bytes of a ring and of a chunk: chunk >= transport_least_chunk, buffer a multiple, at
                             // least 4 chunks
    uint64_t grow;           // bytes up to which a ring that is full doubles; 0: rings keep their size
    uint32_t consumers;      // with `ordered` at most 1
    uint32_t shards;         // readers of each ring, RING_CAB that is not overwritten; 0: one. Not with `ordered`.
    uint32_t line;           // with shards: bytes whose addresses belong to one reader, a power of two
    bool carriers;           // rings belong to carriers; RING_CAB that consumers read, with at most one consumer and
                             // without `grow` and `shards`
    bool ordered;            // events are analysed in the order of their stamps, which all threads share
    bool sampled;            // rings are overwritten, and consumers examine a part of the contents:
    uint32_t rate;           // percentage of words, 0: one burst of each chunk
    uint32_t lines;          // cache lines of a burst
    char *affinity;          // processors of the consumers, "shared" or NULL
} TransportRequest;

// Whether rings are overwritten, so that only their ends limit producers.
static inline bool transport_overwrites(const TransportRequest *r) {
    return r->sampled || (r->unread && ring_is_cleared(r->kind));
}

// Do threads adapt the rate of their samples to the consumers?
static inline bool transport_paces(const TransportRequest *r, uint32_t rate) {
    return rate && r->on && !transport_overwrites(r);
}

// Totals over all threads.
typedef struct TransportFigures {
    uint64_t waits, wait_ns;                 // of producers at safepoints
    uint64_t holds, hold_ns;                 // of producers elsewhere
    uint64_t discarded;                      // events that were not analysed
    uint64_t laps;                           // how often a full ring was discarded
    uint64_t grown;                          // how often a ring doubled
    uint64_t written, sampled, overwritten;  // words of rings that are overwritten; overwritten: before they could be
                                             // sampled
    uint64_t transferred;                    // words read with `discards`
    uint64_t paced, pace_sum, pace_most;     // with transport_paces: bursts, and the distances to the next, in
                                             // hundredths of what the rate asked for
    uint32_t ended;                          // consumers that ended before the profile
    uint64_t switches;                       // with rings=carrier: switch events
    uint32_t rings;                          // of threads that have not ended, or of carriers
} TransportFigures;

typedef struct Transport Transport;

// Bytes. Constant.
uint64_t transport_least_chunk(void);
uint64_t transport_usual_chunk(void);  // four times the level-1 cache

// How compiled code writes into the rings.
RingForm transport_form(const TransportRequest *r);

// The needs of the analyses.
typedef struct TransportNeeds {
    EventSet taken;    // events that any analysis takes; threads make no others
    bool keeps;        // an analysis keeps its EventThread (Analysis.thread_attached)
    EventSet counts;   // only the number of occurrences for each payload: consumers count their words
    EventSet stamped;  // the order between threads, with `ordered`; also of the next ones:
    EventSet walked;   // the call context
    EventSet deep;     // the subset whose contexts have CALLCONTEXT_MOST frames
    bool clocked;      // the time
    bool bursts;       // the number of bursts begun (EventThread.bursts)
    EventSet apart;    // with shards: events that are only taken by analyses that are shared out
} TransportNeeds;

// Starts the consumers. *r must outlive them. False with *error: no consumer is left, and the call may be repeated.
// After a success, the next call needs transport_stop. On failure it waits for the end of the consumers already
// started.
bool transport_start(const TransportRequest *r, TransportNeeds needs, char *error, size_t error_size);

// Creates a thread's ring and makes its sinks those of `front`. *places gets its position, and stays valid; NULL: not
// needed. The ring has no consumer until transport_begin, which takes the analyses' sinks of all events that are taken from
// `back`: transport_back(t, 0), or anything if that is NULL, as without `keeps`. Before that call the caller stores
// those of further readers in transport_back, by number, because every reader takes all events.
// `besides`: its sinks take each event too, on the thread itself; NULL: none do. NULL: out of memory. Any thread; takes
// a lock briefly.
Transport *transport_open(EventThread *front, EventThread *besides, EventPlaces *places);
EventThread *transport_back(Transport *t, uint32_t reader);
void transport_begin(Transport *t, const EventThread *back);

// For compiled code (vm/api/profiler.h): room in the ring; and, for a thread without a ring, a position that never has
// room.
void transport_room(Transport *t, enum EventId event);
void transport_nowhere(uint64_t **next);

// Called when a burst of samples begins. `usual`: the number of checks until the next one. Returns the number that the
// consumer can take. On the thread itself.
int64_t transport_pace(Transport *t, int64_t usual);

// Analyses the rest of the ring and removes it from its consumer. The thread must report no more events, and must not
// be running. May take as long as the analyses do.
void transport_end(Transport *t);
void transport_free(Transport *t);

// For the end of a profile, while all threads that report events are stopped: releases those that wait for room, and
// returns when none uses its ring any more.
void transport_release(void);
// Afterwards, when all rings have ended: stops the consumers. Sites keep their numbers.
void transport_stop(void);

// Analyses the rest of all rings, whose threads are stopped. `alone`: no other thread of the process is left (a crash).
void transport_drain(bool alone);
// The same while the world is stopped for a collection; then keeps consumers away from the analyses until
// transport_resume. Only with `ordered`.
void transport_pause(void);
void transport_resume(void);

// Keeps consumers away from the ring's states until transport_release_ring. `own`: the caller is the ring's thread;
// then the events that it has published are analysed first.
void transport_take_ring(Transport *t, bool own);
void transport_release_ring(Transport *t);

// The thread's events by kind: number analysed and number discarded. The thread is stopped or has ended.
void transport_counts(const Transport *t, uint64_t analysed[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]);
// How often a reader other than the first, which those counts are of, missed an event because its consumer ended in it.
uint64_t transport_unfinished(const Transport *t);
// Reports events whose words were counted; `take`: moves them to the counts of transport_counts. On a running thread
// the most recent ones may be missing. Between transport_take_ring and transport_release_ring, after transport_end, or
// in a copy of the process.
void transport_counted(Transport *t, bool take, CountedFn *fn, void *arg);
void transport_figures(TransportFigures *out);

// Called in the child of a fork, which has one thread. Its profile is never read, so producers discard what they write.
// Takes no lock.
void transport_forget(void);

// Around a fork.
void transport_fork(bool before);

#endif
