// Events and the threads that produce them: the interface between the VM, which reports, and the profiler's analyses,
// which receive. Neither knows the other.
//
// Each profiled Java thread has one EventThread (Thread.prof). The profiler fills its sink lists before the thread runs
// Java code, and changes them only on the thread itself, at the start of a burst. Only the thread itself reports into
// it, or the scheduler while the thread does not run. So reporting needs no lock and no atomic operation.
#ifndef CABERNET_VM_API_EVENTS_H
#define CABERNET_VM_API_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/eventpayload.h"
#include "vm/api/places.h"

enum EventId {
#define EVENT(id, text, payload, waits, counted, source, made_by) EVENT_##id,
#include "vm/api/events.def"
    EVENT_COUNT
};

// A set of events.
typedef uint64_t EventSet;
#define EVENT_BIT(event) (UINT64_C(1) << (event))
// Events that follow the nesting of calls: into a method by an edge, out of it by a return or an exception.
#define EVENTS_NESTING (EVENT_BIT(EVENT_call_edge) | EVENT_BIT(EVENT_method_exit) | EVENT_BIT(EVENT_method_unwind))
// Events that a call counts by its callee.
#define EVENTS_OF_CALLEES EVENT_BIT(EVENT_call_edge)
// Events for which frames keep a register from one instruction to the next.
#define EVENTS_OF_PATHS EVENT_BIT(EVENT_path)
// Flag in the events of compiled code: their sinks may wait (vm/api/eventwait.h).
#define EVENTS_WAIT EVENT_BIT(62)
// Flag in the same set: events go into a ring (struct Thread has its position) if what compiled code knows of them
// fits.
#define EVENTS_RING EVENT_BIT(63)
// Flag in the same set: the ring is overwritten, so code checks only for its end.
#define EVENTS_OVERWRITE EVENT_BIT(61)
// Properties of a ring that compiled code relies on (profiler/ring/cab.h).
enum { RING_AHEAD = 256, RING_UNPOLLED = 128, RING_EVENT = 8 };
#define RING_END UINT64_MAX
// Where compiled code finds room for an event, and its position after the event (profiler/ring/queue.h).
typedef enum RingKind {
    RING_CAB,          // room: the slot RING_AHEAD - 1 past the position holds 0
    RING_FASTFORWARD,  // room: the last slot of the event holds 0
    RING_NWAY,  // buffers of `bytes`, aligned to them. Slot 0 of a buffer is no event's, so a position there is the end
                // of the buffer before. Room: up to the end of the buffer
    RING_LAMPORT,  // a ring of `bytes`, aligned to them. Room: up to the consumer's position, which lies
    // RING_LAMPORT_READ bytes from the ring's start. The new position is also stored RING_LAMPORT_WRITTEN
    // bytes from there. An event may pass the end of the ring; the next one then begins at the start
    RING_WORD,  // one word, which each event overwrites
} RingKind;
enum { RING_LAMPORT_READ = -64, RING_LAMPORT_WRITTEN = -128 };
// Does the consumer clear the slots that it has read? The producer may then also overwrite them.
static inline bool ring_is_cleared(RingKind kind) { return kind == RING_CAB || kind == RING_FASTFORWARD; }
typedef struct RingForm {
    RingKind kind;
    uint64_t bytes;  // a power of two
} RingForm;
// A call edge or path with small numbers is one word: EventId + 1 from this bit on; below it, starting at the low end,
// a method, a bytecode index (RING_NO_BCI: none), and a method or a path's number.
enum {
    RING_TAG_BIT = 58,
    RING_METHOD_BITS = 21,
    RING_BCI_BITS = 16,
    RING_METHODS = (1 << RING_METHOD_BITS) - 256,
    RING_NO_BCI = 0xffff
};
#define RING_MORE (UINT64_C(0x3d) << 58)
// Flag: accesses are compared with stamps before they become events (shared_access): the variable's cell (Stamps) with
// EventThread.stamp. A read that finds the stamp in either half makes no event, nor does a write that finds it in the
// upper half and 0 in the lower one. Without the flag all accesses are events.
#define EVENTS_STAMPED EVENT_BIT(58)
// Flag in a method's events: some are reported only at some of its places (productions), which instrument_wants knows.
#define EVENTS_PLACED EVENT_BIT(60)
// Flag in a method's events: compiled code handles calls and returns of a calling context tree itself
// (vm/api/calltree.h).
#define EVENTS_CONTEXTS EVENT_BIT(59)
// Flag in a place's events: a sink may walk the stack, so compiled code reports by a call at which the stack is
// walkable.
#define EVENTS_WALK EVENT_BIT(57)
// The flags of a whole profile (ProfileNeeds.delivery).
#define EVENTS_DELIVERY (EVENTS_WAIT | EVENTS_RING | EVENTS_OVERWRITE | EVENTS_CONTEXTS | EVENTS_STAMPED | EVENTS_WALK)
// Reported only at individually requested places, or nowhere.
#define EVENTS_OPERANDS EVENT_BIT(EVENT_instruction)
#define EVENTS_ASSIGNED EVENT_BIT(EVENT_scalar_pair)
#define EVENTS_NEVER_EVERYWHERE (EVENTS_OPERANDS | EVENTS_ASSIGNED)
// Events that distinguish phases of a program.
#define EVENTS_PHASES EVENT_BIT(EVENT_call_edge)
// Events of a whole activation. If samples are not activations (sampling_has_activations), a listener to all events
// receives none of them.
#define EVENTS_OF_ACTIVATIONS EVENT_BIT(EVENT_path)
// Events that order threads.
#define EVENTS_ORDER (EVENT_BIT(EVENT_sync_acquire) | EVENT_BIT(EVENT_sync_release))
// Reported by compare-and-set operations.
#define EVENTS_COMPARE EVENT_BIT(EVENT_compare_and_set)
// Reported at the start and end of methods that are points (between=).
#define EVENTS_POINT_ENTER EVENT_BIT(EVENT_point_enter)
// Reported at the start of a method, after its entry.
#define EVENTS_AT_BEGIN (EVENTS_POINT_ENTER | EVENT_BIT(EVENT_argument))
#define EVENTS_POINTS (EVENTS_POINT_ENTER | EVENT_BIT(EVENT_point_leave))
_Static_assert((int)EVENT_COUNT <= 57, "an EventSet holds every event");

// Method ids are dense and start near 0 (Method.id); the top of the range is for pseudo-callers. Below these are numbers
// for the classes of allocated objects, which trees of allocations have as the innermost frames.
enum PseudoCaller {
#define PSEUDO(id, name) CALLER_##id,
#include "vm/api/callers.def"
    CALLER_COUNT
};
#define EVENT_PSEUDO_BASE 0xffffff00u
#define EVENT_PSEUDO(which) (EVENT_PSEUDO_BASE + (uint32_t)(which))
#define EVENT_ALLOCATED_BASE 0xf0000000u
#define EVENT_ALLOCATED(class_id) (EVENT_ALLOCATED_BASE + (uint32_t)(class_id))

// A site is a method and a bytecode index. Native methods and pseudo-callers have one site, whose index is this.
enum { EVENT_NO_BCI = -1 };

// A sink takes an event and passes it on. The functions for one event are consecutive in an array, and each ends with
// EVENT_PASS to the next one, which is a jump rather than a call. The last function of an array only returns. So an
// event costs one call, independent of the number of analyses.
//
//     static void on_method_entry(const EventSink_method_entry *sink, uint32_t method) {
//         ... sink->state ...
//         EVENT_PASS(sink, method);
//     }
#define EVENT_PASS(sink, ...) (sink)[1].fn((sink) + 1, __VA_ARGS__)
#define EVENT(id, text, payload, waits, counted, source, made_by)                             \
    typedef struct EventSink_##id EventSink_##id;                                             \
    typedef void (*EventFn_##id)(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)); \
    struct EventSink_##id {                                                                   \
        EventFn_##id fn;                                                                      \
        void *state;                                                                          \
    };
#include "vm/api/events.def"

struct Thread;
// Memory that records which thread has last accessed which variable (EVENTS_STAMPED): 16 bytes for each
// possible address of a variable of 8, 4, 2 or 1 bytes. In the first 8, the upper half is the stamp of the last write,
// the lower half that of the reads after it; the other 8 belong to the profiler. Addresses are taken modulo a power of
// two.
enum { STAMP_SIZES = 4 };
typedef struct Stamps {
    uint64_t mask;             // of addresses; 0: there is no such memory
    char *cells[STAMP_SIZES];  // for 8, 4, 2 and 1 bytes: `address` is at ((address & mask) << 1, 2, 3 or 4)
} Stamps;

// When and where an event happened, for sinks that run later on another thread.
typedef struct EventMoment {
    uint64_t at;     // stamp_now(); 0: not recorded
    uint32_t count;  // visible frames, innermost first, as callcontext() has them
    const uint32_t *methods;
    const int32_t *bcis;
} EventMoment;

struct Thread;
typedef struct EventThread {
    struct Thread *thread;             // its thread; NULL once that has ended
    Stamps stamps;                     // the same for all threads, constant
    uint32_t stamp;                    // stamp of its present accesses; changed by its analysis
    uint64_t produced[EVENT_COUNT];    // events reported, counted at their sites
    uint64_t collapsed;                // entries of hidden methods, which make no event; their caller stands for them
    int64_t counters[EVENT_COUNTERS];  // of productions (docs/PRODUCTIONS.md); compiled code tests them
    // Called at an entry into a point with a receiver of class `cls` and a first argument that is an object or (`first`
    // false) NULL, before it becomes an event (point_enter). True: the entry is fully handled, and the stack was not
    // needed. On the thread itself. NULL: every entry becomes an event, as when several analyses receive it.
    bool (*takes_point)(struct EventThread *t, uint32_t method, uintptr_t receiver, uint32_t cls, bool first);
    void *time[3];              // by TimeClock: the states of the analyses of samples of time; NULL: not requested
    void *counted;              // of the analysis `counters`: the thread's totals; NULL: not requested
    uint64_t bursts;            // number begun; between two bursts something was not recorded
    const EventMoment *moment;  // of the event that the sinks receive; NULL: they run where and when it happens
    bool idle;  // the profile has ended, and the thread has no share of another one yet; its events are ignored
    // Called when a burst begins, after `checks` checks: returns the number of checks until the next burst, where
    // `usual` is the requested number. On the thread itself; may change the lists below. NULL: always `usual`.
    int64_t (*next_burst)(struct EventThread *t, uint64_t checks, int64_t usual);
    // Arrays; all threads share the array of an event without listeners.
#define EVENT(id, text, payload, waits, counted, source, made_by) const EventSink_##id *id;
#include "vm/api/events.def"
} EventThread;

#endif
