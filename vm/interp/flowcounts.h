// The interpreter's counters for exact profiles. With them it reports no event whose frequency follows from the number
// of times control passes its instruction.
//
// A method has few counters: of its entries, each taken branch and each case of a switch, and, at an invocation that
// selects its target, of the selected targets. The execution counts of instructions follow from these: an instruction
// executes as often as its predecessor falls through to it and branches lead to it (flow conservation; Knuth and
// Stevenson 1973; Ball and Larus 1994). Control that leaves or enters a method in the middle is recorded separately:
// exceptions, deoptimisation, on-stack replacement.
//
// Each thread has its own counters (Thread.flow), made when it first enters a method. A frame holds the address of its
// method's counters (Frame.counts). They are read when their thread is stopped or is the caller; the frames on its
// stack then show how far the invocations in progress have got.
#ifndef CABERNET_VM_INTERP_FLOWCOUNTS_H
#define CABERNET_VM_INTERP_FLOWCOUNTS_H

#include "vm/threads/thread.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"
#include "vm/interp/interp.h"

// Layout of a method's counters. Decoded code holds the counter numbers: FLOW_ENTRY for entries; FLOW_DONE for entries
// completed without bytecode, in a method that an intrinsic may carry out; Insn.a of a branch (of a switch: the first
// case, with the default after the last; of a jsr: taken, and returned to); the upper half of Insn.b of an invocation
// that selects its target (FLOW_NO_CALL: it has no counter).
enum { FLOW_ENTRY = 0, FLOW_DONE = 1, FLOW_NO_CALL = 0, FLOW_MOST = UINT16_MAX };

// An invocation that selects its target counts the first FLOW_CALL_ENTRIES targets; further ones are reported.
enum { FLOW_CALL_ENTRIES = 2, FLOW_CALL_WORDS = 2 * FLOW_CALL_ENTRIES };  // two: interp.c tests each
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

// The slow path of flow_counts: the method is not in its first slot, or is new. Never fails: if memory is exhausted,
// the counts are lost, and the profile says so.
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
// An invocation in `caller` has selected a method that is not in its first entries.
void flow_count_call(Thread *self, const Frame *caller, const Method *callee);

// Control leaves the frame of a counting thread at its pc, through an exception or for compiled code: before the
// instruction's event, or after that of an invocation (Frame.call).
void flow_left(Thread *self, const Frame *frame);
// Control enters the frame at its pc.
void flow_entered(Thread *self, Frame *frame);
// A deoptimisation has made the frames from `top` down to `below`, exclusive. No-op if the thread does not count.
void flow_frames_made(Thread *self, Frame *top, const Frame *below);

// ---- for vm/instrument (InstrumentHooks) ----

// Selects the events that the interpreter counts from now on, given that a profile wants `events` and that `counted`
// may be counted. Before threads run, or while the world is stopped.
EventSet flow_configure(EventSet events, EventSet counted);
EventSet flow_counted(void);  // the result of the last flow_configure
bool flow_counts_code(void);  // some of them happen in the middle of methods
// flow_begin: the thread begins to count, with all frames on its stack, unless recording is off. flow_pause: it stops
// counting. The thread is stopped or has not run yet.
void flow_begin(Thread *t);
void flow_pause(Thread *t);
// Whether threads count. Called before flow_begin of all threads, or after flow_pause of all.
void flow_record(bool on);
// Reads the thread's counts; calls fn as counters_read (vm/code/codecounters.h) does.
void flow_read(Thread *t, CountersState state, CountedFn *fn, void *arg);
// Merges the caller's counts into its profile. The caller counts no more.
void flow_hand_in(Thread *self);
// The profile has ended: drops the thread's counts. The thread is stopped and uses a table that does not count.
void flow_forget(Thread *t);
// The class is unloaded: merges what all threads have counted of it. The world is stopped.
void flow_forget_class(const Class *c);

// Called around a fork.
void flow_before_fork(void);
void flow_after_fork(void);

#endif
