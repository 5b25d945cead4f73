// Events and the threads that produce them: the meeting point of the VM, which reports, and the profiler's
// analyses, which receive. Neither knows the other.
//
// Each profiled Java thread carries one EventThread (Thread.prof). The profiler fills its sink lists before the
// thread runs Java code and changes them on the thread itself alone, where a burst begins; only the thread itself reports
// into it, or the scheduler while the thread does not run. So reporting takes no lock and no atomic operation.
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
// What tells of calls as they nest: into a method by an edge, out of it by a return or an exception.
#define EVENTS_NESTING (EVENT_BIT(EVENT_call_edge) | EVENT_BIT(EVENT_method_exit) | EVENT_BIT(EVENT_method_unwind))
// What a call counts by its callee.
#define EVENTS_OF_CALLEES EVENT_BIT(EVENT_call_edge)
// What frames keep a register for from one instruction to the next.
#define EVENTS_OF_PATHS EVENT_BIT(EVENT_path)
// Among the events that compiled code reports: their sinks may wait (vm/api/eventwait.h).
#define EVENTS_WAIT EVENT_BIT(62)
// Likewise: they go into a ring (struct Thread has its position), as long as what compiled code knows of them fits.
#define EVENTS_RING EVENT_BIT(63)
// And what is in it is overwritten: code looks for the end alone.
#define EVENTS_OVERWRITE EVENT_BIT(61)
// What compiled code relies on in a ring (profiler/ring/cab.h).
enum { RING_AHEAD = 256, RING_UNPOLLED = 128, RING_EVENT = 8 };
#define RING_END UINT64_MAX
// A call edge or path whose numbers are small is one word: EventId + 1 from this bit on, and below it, from the low end on, a
// method, a bytecode index (RING_NO_BCI: none) and a method or a path's number.
enum { RING_TAG_BIT = 58, RING_METHOD_BITS = 21, RING_BCI_BITS = 16, RING_METHODS = (1 << RING_METHOD_BITS) - 256, RING_NO_BCI = 0xffff };
#define RING_MORE (UINT64_C(0x3d) << 58)
// Their accesses are compared with stamps first (ProfilerInterface.stamps).
#define EVENTS_STAMPED EVENT_BIT(58)
// Among the events of a method: some are reported at some of its places only (productions), which instrument_wants knows.
#define EVENTS_PLACED EVENT_BIT(60)
// Likewise: compiled code does the calls and returns of a calling context tree by itself (vm/api/calltree.h).
#define EVENTS_CONTEXTS EVENT_BIT(59)
// Among the events of a place: whoever hears of them looks at the stack, so compiled code calls as code that can be walked does.
#define EVENTS_WALK EVENT_BIT(57)
// Reported at places that are asked for one by one, or nowhere.
#define EVENTS_OPERANDS EVENT_BIT(EVENT_instruction)
#define EVENTS_ASSIGNED EVENT_BIT(EVENT_scalar_pair)
#define EVENTS_NEVER_EVERYWHERE (EVENTS_OPERANDS | EVENTS_ASSIGNED)
// What tells phases of a program apart.
#define EVENTS_PHASES EVENT_BIT(EVENT_call_edge)
// Made by a whole activation: of samples that are not activations (sampling_has_activations), who listens to all events hears of none.
#define EVENTS_OF_ACTIVATIONS EVENT_BIT(EVENT_path)
// What orders threads.
#define EVENTS_ORDER (EVENT_BIT(EVENT_sync_acquire) | EVENT_BIT(EVENT_sync_release))
// Reported by what compares and sets.
#define EVENTS_COMPARE EVENT_BIT(EVENT_compare_and_set)
// Reported where methods that are points begin and end (between=).
#define EVENTS_POINT_ENTER EVENT_BIT(EVENT_point_enter)
// Reported when a method begins, behind its entry.
#define EVENTS_AT_BEGIN (EVENTS_POINT_ENTER | EVENT_BIT(EVENT_argument))
#define EVENTS_POINTS (EVENTS_POINT_ENTER | EVENT_BIT(EVENT_point_leave))
_Static_assert((int)EVENT_COUNT <= 57, "an EventSet holds every event");

// Method ids are dense and start near 0 (Method.id); the top of the range is for pseudo-callers.
enum PseudoCaller {
#define PSEUDO(id, name) CALLER_##id,
#include "vm/api/callers.def"
    CALLER_COUNT
};
#define EVENT_PSEUDO_BASE 0xffffff00u
#define EVENT_PSEUDO(which) (EVENT_PSEUDO_BASE + (uint32_t)(which))

// A site is a method and a bytecode index. Native methods and pseudo-callers have one site, whose index is this.
enum { EVENT_NO_BCI = -1 };

// A sink takes an event and hands it on: the functions of one event stand behind each other in an
// array, and each ends with EVENT_PASS to the next, a jump rather than a call. The last one of an
// array only returns. So an event costs one call however many analyses there are.
//
//     static void on_method_entry(const EventSink_method_entry *sink, uint32_t method) {
//         ... sink->state ...
//         EVENT_PASS(sink, method);
//     }
#define EVENT_PASS(sink, ...) (sink)[1].fn((sink) + 1, __VA_ARGS__)
#define EVENT(id, text, payload, waits, counted, source, made_by)                                              \
    typedef struct EventSink_##id EventSink_##id;                                             \
    typedef void (*EventFn_##id)(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)); \
    struct EventSink_##id {                                                                   \
        EventFn_##id fn;                                                                      \
        void *state;                                                                          \
    };
#include "vm/api/events.def"

struct Thread;
// Memory that says who has accessed which variable last (ProfilerInterface.stamps): 16 bytes for each address that a variable of
// 8, 4, 2 or 1 bytes may have. Of the first 8 the upper half is the stamp of the last write, the lower that of the reads
// behind it; the others are the profiler's. Addresses are taken modulo a power of two.
enum { STAMP_SIZES = 4 };
typedef struct Stamps {
    uint64_t mask;                   // of addresses; 0: there is no such memory
    char *cells[STAMP_SIZES];        // of 8, 4, 2 and 1 bytes: of `address` at ((address & mask) << 1, 2, 3 or 4)
} Stamps;

struct Thread;
typedef struct EventThread {
    struct Thread *thread;           // whose it is; NULL once it has ended
    Stamps stamps;                   // the same for all threads, constant
    uint32_t stamp;                  // what its accesses leave now; its analysis changes it
    uint64_t produced[EVENT_COUNT];  // events reported, counted where they are
    uint64_t collapsed;              // entries of hidden methods: no event, their caller stands in
    int64_t counters[EVENT_COUNTERS];  // of productions (docs/PRODUCTIONS.md), which compiled code tests
    // An entry into a point whose receiver is of that class and whose first argument is an object or (`first` false) NULL, before it
    // becomes an event (point_enter): true if all has been done that is to be done with it, for which the stack was not needed.
    // On the thread itself. NULL: every entry becomes an event, as where several analyses hear of it.
    bool (*takes_point)(struct EventThread *t, uint32_t method, uintptr_t receiver, uint32_t cls, bool first);
    uint64_t bursts;                 // begun so far: between two of them something was not recorded
    // A burst begins, behind so many checks: how many until the next one, where `usual` are asked for. On the thread itself;
    // may change the lists below. NULL: as usual.
    int64_t (*next_burst)(struct EventThread *t, uint64_t checks, int64_t usual);
    // Arrays; that of an event to which nobody listens is the same for all threads.
#define EVENT(id, text, payload, waits, counted, source, made_by) const EventSink_##id *id;
#include "vm/api/events.def"
} EventThread;

#endif
