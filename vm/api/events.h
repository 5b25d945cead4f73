// Events and the threads that produce them: the meeting point of the interpreter, which emits, and
// the profiler's analyses, which receive. Neither knows the other.
//
// Each profiled Java thread carries one EventThread (Thread.prof). The profiler fills its sink
// lists before the thread runs Java code and never changes them while it runs; only the thread
// itself emits into it. So emitting takes no lock and no atomic operation.
#ifndef CABERNET_VM_API_EVENTS_H
#define CABERNET_VM_API_EVENTS_H

#include <stdint.h>

enum EventId {
#define EVENT(id, text, params) EVENT_##id,
#include "vm/api/events.def"
    EVENT_COUNT
};

// Method ids are dense and start near 0 (Method.id); the top of the range is for pseudo-callers.
enum PseudoCaller {
#define PSEUDO(id, name) CALLER_##id,
#include "vm/api/callers.def"
    CALLER_COUNT
};
#define EVENT_PSEUDO_BASE 0xffffff00u
#define EVENT_PSEUDO(which) (EVENT_PSEUDO_BASE + (uint32_t)(which))

// A caller without a bytecode position (native method, pseudo-caller) has this as its site: odd, so
// different from every instruction cell, and different for each caller.
#define EVENT_NO_SITE(caller) (((uintptr_t)(caller) << 1) | 1)

// A site given by method id and bytecode index: different from every cell and every other site.
#define EVENT_SITE_OF_BCI(method, bci) ((uintptr_t)(method) << 20 | (uintptr_t)(bci) << 2 | 2)
#define EVENT_BCI_OF_SITE(site) ((site) & 2 ? (int32_t)((site) >> 2 & 0xffff) : -1)  // -1: a cell

enum { EVENT_MAX_SINKS = 16 };  // analyses that listen to one event

// A sink takes an event and hands it on: the functions of one event stand behind each other in an
// array, and each ends with EVENT_PASS to the next, a jump rather than a call. The last one of an
// array only returns. So an event costs one call however many analyses there are.
//
//     static void on_method_entry(const EventSink_method_entry *sink, uint32_t callee, ...) {
//         ... sink->state ...
//         EVENT_PASS(sink, callee, caller, site);
//     }
#define EVENT_PASS(sink, ...) (sink)[1].fn((sink) + 1, __VA_ARGS__)
#define EVENT_UNPACK(...) __VA_ARGS__
#define EVENT(id, text, params)                                                         \
    typedef struct EventSink_##id EventSink_##id;                                       \
    typedef void (*EventFn_##id)(const EventSink_##id *sink, EVENT_UNPACK params);      \
    struct EventSink_##id {                                                             \
        EventFn_##id fn;                                                                \
        void *state;                                                                    \
    };
#include "vm/api/events.def"

typedef struct EventThread {
    uint64_t produced[EVENT_COUNT];  // events emitted, counted where they are emitted
    uint64_t collapsed;              // entries of hidden methods: no event, their caller stands in
#define EVENT(id, text, params) EventSink_##id id[EVENT_MAX_SINKS + 1];
#include "vm/api/events.def"
} EventThread;

#endif
