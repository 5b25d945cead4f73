// Shared by the files of this room. Private to it.
#ifndef CABERNET_JIT_PROBES_PROBES_INTERNAL_H
#define CABERNET_JIT_PROBES_PROBES_INTERNAL_H

#include "jit/probes/probes.h"

enum { PROBE_MOST_FIELDS = 7 };  // of an event's payload

// A call that reports an event, or probes for it with a check.
typedef struct Probe {
    enum RuntimeCallId report, probe;
    LLVMValueRef args[PROBE_MOST_FIELDS];
    unsigned count;
} Probe;

// ---- probe.c ----
bool probe_reports(const Probes *p);  // whether the version being emitted reports events
// The call for an event of the current instruction; args: as for probe_event.
Probe probe_make(Probes *p, enum EventId event, const LLVMValueRef *args);
// If a production of the method takes the calling context, the code makes the call from which the stack can be walked.
void probe_make_walkable(Probe *probe, EventSet events);
// Makes the call.
LLVMValueRef probe_send(Probes *p, enum RuntimeCallId id, Probe *probe);
// Exact code counts an event with a constant payload, if it is only counted. `words` are its fields.
bool probe_count(Probes *p, enum EventId event, const uint32_t *words, uint32_t n);
bool probe_note(Probes *p, enum EventId event, const uint32_t *words, uint32_t n);  // counts, or writes into the ring
// Reports the events of one moment, at least one. One check decides for all. probe_report_at: at a place of `m`, after
// the guard that they share; events with separate checks have none, because those checks must be made in any case.
void probe_report_together(Probes *p, Probe *probes, unsigned count);
void probe_report_at(Probes *p, const Method *m, int32_t bci, const enum EventId *events, Probe *probes,
                     unsigned count);

// ---- probe_values.c ----
// The point and argument events of the innermost frame's method, which begins.
void probe_point(Probes *p);
void probe_arguments(Probes *p);

// ---- probe_contexts.c ----
// Whether the code being emitted maintains the thread's calling context tree.
bool probe_has_contexts(const Probes *p);
// The slot (context_slot) of the call that a frame is at.
uint32_t probe_context_slot(const JavaFrame *f);
// `callee` is entered: from the instruction that a frame is at, or from a site known at run time. The site (i64, with
// its slot) is used in the first case only where the call is reported. False: the edge has no number and nothing was
// emitted.
bool probe_context_enter(Probes *p, const JavaFrame *caller, LLVMValueRef site, const Method *callee);
void probe_context_enter_from(Probes *p, LLVMValueRef site, const Method *callee);
// m is left. The code continues at `next`, or at `missing` if the exit has yet to be reported.
void probe_context_leave(Probes *p, const Method *m, LLVMBasicBlockRef missing, LLVMBasicBlockRef next);

// ---- probe_ring.c ----
bool probe_ring_needs_poll(Probes *p);  // before an instruction with events; true: the caller emits a poll
// Writes an event with these words of its payload. `dynamic` is the set of words known only at run time; `more` has
// their values and the event's objects and addresses, in the order of the payload. False: the event must be reported.
bool probe_ring_put(Probes *p, enum EventId event, const uint32_t *words, uint32_t n, uint32_t dynamic,
                    LLVMValueRef *more, unsigned more_count);
// The same in one word (RING_TAG_BIT). probe_ring_put_path: a complete path (i32) of a method with `count` paths.
// probe_ring_put_edge: the edge from a site known at run time (CALL_SITED); if its numbers are too large, nothing is
// written and the code continues at `otherwise`.
bool probe_ring_put_path(Probes *p, const Method *m, uint32_t count, LLVMValueRef number);
bool probe_ring_put_edge(Probes *p, LLVMValueRef site, const Method *callee, LLVMBasicBlockRef otherwise);

#endif
