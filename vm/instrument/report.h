// Reporting events (vm/api/events.def) to the analyses of the thread that makes them. The interpreter, compiled code
// and the rest of the VM call these functions; nobody else knows how an event reaches a sink.
//
// All functions: on the current thread, in the running state. They neither throw, block, poll nor allocate Java
// objects.
#ifndef CABERNET_VM_INSTRUMENT_REPORT_H
#define CABERNET_VM_INSTRUMENT_REPORT_H

#include "vm/model/class.h"
#include "vm/model/frame.h"
#include "vm/api/callcontext.h"
#include "vm/api/events.h"
#include "vm/api/profiler.h"
#include "vm/api/thread.h"

// report_ID(self, payload): one event. The caller has asked instrument_wants (vm/instrument/scope.h). Counted as lost
// when the thread has no EventThread.
#define EVENT(id, text, payload, waits, counted, source, made_by) void report_##id(Thread *self, EVENT_VM_PARAMETERS(payload));
#include "vm/api/events.def"

// The events of a call, those of `callee` that are wanted: method_entry and call_edge. Once the callee is certain to run:
// its frame pushed, its monitor held. `caller` is the frame below the callee's, with its pc stored.
void report_call(Thread *self, const Method *callee, Frame *caller);
// The same without method_entry.
void report_entered(Thread *self, const Method *callee, Frame *caller);
// call_edge of a compiled method; the caller is found by walking the stack, past `skip` frames.
void report_edge_to(Thread *self, const Method *callee, uint32_t skip);

// Whether call_edge is wanted of calls of that method. call_edge of a call from a site of compiled code (CodeCallEntry), if
// it is wanted; and `times` of them that were counted, whose callee may be gone.
bool report_wants_edge(const Method *callee);
void report_edge_from(Thread *self, uint64_t site, const Method *callee);
void report_edge_counted(uint64_t site, uint32_t callee, uint64_t times, CountedFn *fn, void *arg);
// `times` paths of that number that code has counted.
void report_path_counted(uint32_t method, uint32_t path, uint64_t times, CountedFn *fn, void *arg);
// There was no memory to make events out of counts: the profile says that some are lost. Any thread.
void report_counts_lost(void);
// Code has counted a call of that method, which an exception has kept from being entered: the count is taken back.
void report_edge_undone(Thread *self, const Method *callee, uint32_t skip);
// Calls of which that may become true, because the thread (stopped, or the caller) has not entered the method yet: as counts
// of call_edge that are taken back, which is what adding `times` does.
void report_edges_entering(Thread *t, CountedFn *fn, void *arg);

// callcontext_calls (vm/api/callcontext.h) of the current thread.
void report_calls_below(Thread *self, uint32_t callee, CallContextFn *fn, void *arg);

// stack_taken of a thread that stands still, with its stack_frames.
void report_stack(Thread *t);

// point_enter of a watched method with these objects, or NULL.
void report_point(Thread *self, const Method *m, const void *receiver, const void *first, const void *second);

// The same before compiled code leaves itself for it: true if the analysis has taken it (EventThread.takes_point).
bool report_point_taken(Thread *self, const Method *m, const void *receiver, const void *first);

// The allocation events of a new object, one for each array that it holds down to `depth` levels below it (multianewarray;
// else 0), as far as they were made.
void report_new(Thread *self, const Method *m, int32_t bci, const void *object, uint32_t depth);
// The same of an object that native code or the VM has made, if it is wanted: of the instruction that the nearest Java
// frame is at, or of CALLER_VM where there is none. Of a sampled profile, if that instruction's events are recorded.
void report_new_outside(Thread *self, const Object *object, uint32_t depth);

// A Method that stands for a pseudo-caller: it has an id and nothing else.
const Method *report_pseudo(enum PseudoCaller which);

// Whether a call edge to the method is asked for, wherever it is called. Any thread.
bool report_wants_calls_of(const Method *m);

#endif
