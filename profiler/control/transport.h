// Events that another thread analyses: transport=cab. Each profiled thread has a ring (profiler/ring/cab.h). Its sinks put
// events into it, as words (profiler/control/eventwords.h); consumers, threads of the profiler's own, take them out and give
// them to the sinks of the analyses, whose states are still that thread's and no other's. So an analysis is written once,
// and the order of a thread's events is kept.
//
// A ring belongs to a Java thread, with green threads as well: an EventThread has one writer at a time, the thread or
// the scheduler while it does not run, which is what the ring needs. A ring for each carrier would need
// events of thread switches in it, would let a thread that waits hold up all others of its carrier, and would lose what a
// compiled method has reserved at each switch. Pages of a ring that were never written take no memory, and
// beyond FULL_SIZED live threads new rings are smaller.
//
// References. OBJECT and ADDRESS of a payload are numbers by the time that a consumer sees them: collections and the
// program go on, and the object may be dead. Ids of methods, classes and fields stay good: the VM keeps what profiles show of
// those that are unloaded (vm/instrument/unloaded.h).
//
// Waiting. Sinks and compiled code look CAB_AHEAD slots further than they write. If those are not free, the thread asks for
// a wait (vm/api/eventwait.h): at its next yieldpoint it blocks until two chunks are free, as at any other wait of the VM's.
// Meanwhile it has those slots for what it still reports. Compiled code writes RING_UNPOLLED words at most between two
// yieldpoints (jit/emit/emit_ring.c has the proof), and sinks leave it as many: so it never finds the ring full. Where sinks
// have used up the others (an instruction that makes hundreds of events: an array of arrays, a native method; events that
// cannot wait) they stand still until the consumer has gone on, which is no deadlock: consumers take no lock of the VM's, run
// no Java and go on while the world is stopped. It is counted.
//
// Events of compiled code whose payload is known when it is compiled are one word, the number of a row of a table that holds
// it. Rows stay: what refers to them may be in a ring.
//
// Sampling in the consumer (the paper's Figure 5). Producers do not wait: they overwrite, and consumers look at bursts
// (profiler/control/ringsamples.h).
//
// The end. When the threads stand still (the profile is written, the process has crashed) or a thread ends, who
// reads the states first takes what is left in the ring. A consumer that has ended, whatever the reason, does not come
// back: the producers of its rings discard what is in them when they are full, and count it by event.
#ifndef CABERNET_PROFILER_TRANSPORT_H
#define CABERNET_PROFILER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/api/events.h"
#include "vm/api/profiler.h"

enum { TRANSPORT_MOST_CONSUMERS = 64 };

typedef struct TransportRequest {
    bool on;
    uint64_t buffer, chunk;  // bytes of a ring, of a chunk: chunk >= transport_least_chunk, buffer a multiple of 4 at least
    uint32_t consumers;
    bool sampled;            // the rings are overwritten, and consumers look at a part of what is in them:
    uint32_t rate;           // so many in a hundred words, 0: one burst of each chunk;
    uint32_t lines;          // cache lines of a burst
    char *affinity;          // processors of the consumers, "shared" or NULL
} TransportRequest;

// What happened, over all threads.
typedef struct TransportFigures {
    uint64_t waits, wait_ns;  // of producers at safepoints
    uint64_t holds, hold_ns;  // elsewhere
    uint64_t discarded;       // events that were not analysed
    uint64_t laps;            // of which so often a ring was full
    uint64_t written, sampled, overwritten;  // words, of rings that are overwritten: overwritten before they could be sampled
    uint32_t ended;           // consumers that ended before the profile
} TransportFigures;

typedef struct Transport Transport;

// Bytes. Constant.
uint64_t transport_least_chunk(void);
uint64_t transport_usual_chunk(void);  // four times the first-level cache

// Starts the consumers. *r must stay. False with *error: no consumer is left, and the call may be repeated. Succeeds once. A failure
// waits until the consumers that had started have ended.
// `counts`: events of which the analyses only need to know how often they happened, and with which payload: consumers count their words.
bool transport_start(const TransportRequest *r, EventSet counts, char *error, size_t error_size);

// A thread's ring, whose sinks become those of `front`. *next becomes its position; NULL: nobody asks for it. It has no
// consumer until transport_begin; before that the caller fills transport_back, where the analyses' sinks belong. NULL: out of
// memory. Any thread; takes a lock for a short time.
Transport *transport_open(EventThread *front, uint64_t **next);
EventThread *transport_back(Transport *t);
void transport_begin(Transport *t);

// What compiled code asks (vm/api/profiler.h): the number of an event and its payload; room in the ring; and for a thread
// without a ring a position at which there is never room.
uint32_t transport_site(enum EventId event, uint32_t dynamic, const uint32_t *words);
void transport_room(Transport *t);
void transport_nowhere(uint64_t **next);

// Analyses what is left in the ring and takes it from its consumer. The thread reports nothing any more. May take as long as
// the analyses do; not on a running thread.
void transport_end(Transport *t);
void transport_free(Transport *t);

// Analyses what is left in all rings; their threads stand still. `alone`: no other thread of the process is left (a crash).
void transport_drain(bool alone);

// Of the thread: how many events of that kind were analysed, and how many discarded. The thread stands still or has ended.
void transport_counts(const Transport *t, uint64_t analysed[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]);
// Events whose words were counted; `take`: they are forgotten, and are among those of transport_counts. The thread stands still or
// has ended, or else some of the last ones may be missing.
void transport_counted(Transport *t, bool take, CountedFn *fn, void *arg);
void transport_figures(TransportFigures *out);

// Called in the child of a fork, which has one thread. The profile will not be read, so producers discard what they write. Takes no
// lock.
void transport_forget(void);

// Around a fork.
void transport_before_fork(void);
void transport_after_fork(void);

#endif
