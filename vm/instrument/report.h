// Reporting of events (vm/api/events.def) to the analyses of the thread that makes them. The interpreter, compiled
// code and the rest of the VM call these functions; no other module knows how an event reaches a sink.
//
// Unless stated otherwise, they run on the current thread, in the running state. They neither throw, block, poll nor
// allocate Java objects.
#ifndef CABERNET_VM_INSTRUMENT_REPORT_H
#define CABERNET_VM_INSTRUMENT_REPORT_H

#include "vm/model/class.h"
#include "vm/model/frame.h"
#include "vm/api/events.h"
#include "vm/api/profiler.h"
#include "vm/api/thread.h"

// report_ID(self, payload): reports one event. The caller has tested instrument_wants (vm/instrument/scope.h). The
// event counts as lost if the thread has no EventThread.
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    void report_##id(Thread *self, EVENT_VM_PARAMETERS(payload));
#include "vm/api/events.def"

// Reports the wanted events of a call of `callee`: method_entry and call_edge. Called once the callee is certain to
// run: its frame is pushed, its monitor held. `caller` is the frame below the callee's, with its pc stored.
void report_call(Thread *self, const Method *callee, Frame *caller);
// The same without method_entry.
void report_entered(Thread *self, const Method *callee, Frame *caller);
// In exact profiles in which code moves in the calling context tree (EVENTS_CONTEXTS): makes the step of an entry or an
// exit. False: it is to be reported, because of the profile, the caller or the tree.
bool report_entered_context(Thread *self, const Method *callee, const Frame *caller);
bool report_left_context(Thread *self, const Method *m);
// Reports call_edge of a compiled method. Finds the caller by walking the stack, past `skip` frames.
void report_edge_to(Thread *self, const Method *callee, uint32_t skip);

// Whether call_edge is wanted for calls of that method, whatever the caller (any thread); reports call_edge of a call
// from a site of compiled code (CodeCallEntry), if it is wanted; passes `times` counted calls to fn, whose callee may
// be unloaded.
bool report_wants_edge(const Method *callee);
void report_edge_from(Thread *self, uint64_t site, const Method *callee);
void report_edge_counted(uint64_t site, uint32_t callee, uint64_t times, CountedFn *fn, void *arg);

// Allocations of a place that compiled code has counted; `words` are the payload of one. The arrays get the mean of the
// bytes, of which some get one byte more, so that the sum is exact. Of a place whose allocation escape analysis
// removed: `executed` is the number of its executions, `objects` that of the objects that it made after all.
bool report_counts_allocations(const Method *m, int32_t bci);  // whether they are only counted there
void report_arrays_counted(const uint32_t *words, uint64_t arrays, uint64_t bytes, CountedFn *fn, void *arg);
void report_removed_counted(const uint32_t *words, uint64_t executed, uint64_t objects, CountedFn *fn, void *arg);
// Passes to fn `times` executions, counted by code, of the path with that number.
void report_path_counted(uint32_t method, uint32_t path, uint64_t times, CountedFn *fn, void *arg);
// Notes that counts are lost, because there was no memory to make events from them. The profile reports that. Any
// thread.
void report_counts_lost(void);
// Takes back the count of a call of that method which code has counted, but which an exception has prevented.
void report_edge_undone(Thread *self, const Method *callee, uint32_t skip);
// Calls that may still be prevented, because the thread (stopped, or the caller) has not entered the method yet. They
// are passed to fn as call_edge with `times` -1 as an unsigned number, which takes the count back when added.
void report_edges_entering(Thread *t, CountedFn *fn, void *arg);

// Reports stack_taken of a stopped thread, with its stack_frames.
void report_stack(Thread *t);

// Reports point_enter of a watched method with these objects, or NULL.
void report_point(Thread *self, const Method *m, const void *receiver, const void *first, const void *second);

// The same, before compiled code is left for the event: true if the analysis has taken it (EventThread.takes_point).
bool report_point_taken(Thread *self, const Method *m, const void *receiver, const void *first);

// Reports the allocation events of a new object, one for each array that it holds down to `depth` levels below it
// (multianewarray; else 0), as far as they exist.
void report_new(Thread *self, const Method *m, int32_t bci, const void *object, uint32_t depth);
// The same for an object that native code or the VM has made, if it is wanted: at the instruction of the nearest Java
// frame, or at CALLER_VM where there is none. In a sampled profile, only if that instruction's events are recorded.
void report_new_outside(Thread *self, const Object *object, uint32_t depth);

// A Method that represents a pseudo-caller: only its id is set.
const Method *report_pseudo(enum PseudoCaller which);

#endif
