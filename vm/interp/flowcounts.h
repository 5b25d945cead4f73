// The counters of the interpreter in exact profiles: with them it reports none of the events that happen as often as
// their place in the bytecode is passed.
//
// A method has few counters: its entries, each branch that is taken, each case of a switch, and at invocations that
// select their method the methods that were selected. How often an instruction was executed follows from these, for what
// comes to an instruction is what the one before it lets pass and what branches bring (flow conservation; Knuth and Stevenson
// 1973; Ball and Larus 1994). What leaves or enters a method in the middle is noted apart: exceptions, deoptimisation,
// on-stack replacement.
//
// Each thread has counters of its own (Thread.flow), made when it first enters a method. A frame has the address of its
// method's (Frame.counts). They are read when their thread stands still or is the caller; then the frames on its stack
// say where invocations that are under way have come to.
#ifndef CABERNET_VM_INTERP_FLOWCOUNTS_H
#define CABERNET_VM_INTERP_FLOWCOUNTS_H

#include "vm/threads/thread.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"
#include "vm/interp/interp.h"

// Where a method's counters are. The numbers of those of its instructions are in decoded code: FLOW_ENTRY for its
// entries, in a method that may be carried out without its bytecode FLOW_DONE for those, Insn.a of a branch (of a switch: of its first case, the default is behind the last; of a jsr: taken, and come
// back to), the upper half of Insn.b of an invocation that selects (FLOW_NO_CALL: it has none).
enum { FLOW_ENTRY = 0, FLOW_DONE = 1, FLOW_NO_CALL = 0, FLOW_MOST = UINT16_MAX };

// An invocation that selects counts the first targets that it meets in so many entries, the others are reported.
enum { FLOW_CALL_ENTRIES = 2, FLOW_CALL_WORDS = 2 * FLOW_CALL_ENTRIES };  // two: interp.c looks at each
typedef struct FlowCall {
    uint64_t callee;  // Method.id; 0: free
    uint64_t count;
} FlowCall;

typedef struct FlowSlot {
    const Method *method;  // NULL: free
    uint64_t *counts;
} FlowSlot;

// Open addressing, at most half full.
struct FlowCounts {
    FlowSlot *slots;
    uint32_t shift, used;
    struct FlowMore *more;  // private to flowcounts.c
};

static inline uint32_t flow_slot(const Method *m, uint32_t shift) { return m->id * UINT32_C(0x9e3779b1) >> shift; }

// Elsewhere than in the first slot, or new. Never fails: without memory what is counted is lost, which the profile says.
uint64_t *flow_counts_slow(Thread *self, const Method *m);

// The thread's counters of a method that it is about to enter.
static inline uint64_t *flow_counts(Thread *self, const Method *m) {
    const struct FlowCounts *f = self->flow;
    const FlowSlot *slot = &f->slots[flow_slot(m, f->shift)];
    return __builtin_expect(slot->method == m, 1) ? slot->counts : flow_counts_slow(self, m);
}

static inline uint32_t flow_call_number(const Insn *invocation) {
    return (uint32_t)__atomic_load_n(&invocation->b, __ATOMIC_RELAXED) >> 16;
}
// An invocation in `caller` has selected a method that its first entries do not have.
void flow_count_call(Thread *self, const Frame *caller, const Method *callee);

// The frame of a counting thread is left at its pc by an exception or for compiled code, before the instruction's event,
// or behind that of an invocation (Frame.call).
void flow_left(Thread *self, const Frame *frame);
// It is entered there.
void flow_entered(Thread *self, Frame *frame);
// Frames from `top` down to `below`, which is not one of them, have been made by a deoptimisation. No-op if
// the thread does not count.
void flow_frames_made(Thread *self, Frame *top, const Frame *below);

// ---- for vm/instrument (InstrumentHooks) ----

// Which of the events the interpreter counts from now on, if it is asked for `events` and may count `counted`. Before threads run, or
// while the world is stopped.
EventSet flow_configure(EventSet events, EventSet counted);
EventSet flow_counted(void);  // what it has returned
bool flow_counts_code(void);   // some of them happen in the middle of methods
// The thread begins to count, with all frames on its stack, unless recording is off; it stops doing so. It stands still,
// or has not run yet.
void flow_begin(Thread *t);
void flow_pause(Thread *t);
// Whether threads count. Before flow_begin of all threads, and behind flow_pause of all.
void flow_record(bool on);
// What it has counted; fn as often as for counters_read (vm/code/counters.h).
void flow_read(Thread *t, CountersState state, CountedFn *fn, void *arg);
// Hands what the caller has counted to its profile; it counts no more.
void flow_hand_in(Thread *self);
// The class is unloaded: hands in what all threads have counted of it. The world is stopped.
void flow_forget_class(const Class *c);

// Around a fork.
void flow_before_fork(void);
void flow_after_fork(void);

#endif
