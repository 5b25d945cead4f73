// The happens-before order of a run (JLS 17.4.5) as vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009): what
// each thread knows of the others, and what it leaves at the addresses where threads meet.
//
// Time in a thread goes on at its releases. An epoch is a thread and a time in it, in one word: the upper bits are the
// thread's slot, the lower ones the clock. Slot 0 is nobody's, so no epoch is 0. A clock that has come to its end goes on in
// another slot. Slots of threads that have ended are used again, the oldest first, when MOST_ENDED of them are waiting; the
// clock goes on, and the new thread is taken to come behind all that the old one did and knew. That hides races
// between the two, and makes none.
//
// A thread's clocks are touched by itself alone. What it leaves lies in a table, in STRIPES parts with a lock each.
// A release by a thread that has acquired before what it finds replaces that; else the two are joined.
//
// Knows neither the VM nor events, so that the tests can drive it.
#ifndef CABERNET_PROFILER_HAPPENSBEFORE_H
#define CABERNET_PROFILER_HAPPENSBEFORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HB_CLOCK_BITS = 20, HB_LAST_CLOCK = (1 << HB_CLOCK_BITS) - 1, HB_SLOTS = 4095 };  // the slot behind them marks what is no epoch

// Times by slot. Zeroed: nothing is known.
typedef struct HbClocks {
    uint32_t count, capacity;
    uint32_t *at;
} HbClocks;

typedef struct HbThread {
    uint32_t epoch;      // now; 0: there was no slot or no memory, and what it does is not looked at
    HbClocks known;      // its own slot's among them
    HbClocks frozen;     // of constructors whose final fields it has read
} HbThread;

static inline uint32_t hb_slot(uint32_t epoch) { return epoch >> HB_CLOCK_BITS; }
static inline uint32_t hb_clock(uint32_t epoch) { return epoch & HB_LAST_CLOCK; }
static inline bool hb_covers(const HbClocks *c, uint32_t epoch) {
    return hb_slot(epoch) < c->count && c->at[hb_slot(epoch)] >= hb_clock(epoch);
}
// Does what happened at `epoch` happen before what the thread does now?
static inline bool hb_ordered(const HbThread *t, uint32_t epoch) { return hb_covers(&t->known, epoch); }

// *t zeroed. The thread's own calls: one thread at a time for each HbThread.
void hb_thread_begin(HbThread *t);
void hb_thread_end(HbThread *t);
void hb_acquire(HbThread *t, uintptr_t address);
// `object`: what hb_forget decides by; 0: the address stays.
void hb_release(HbThread *t, uintptr_t address, uintptr_t object);

// The thread has read a final field that was written at `epoch`: reads of what its object refers to come behind that (17.5).
void hb_freeze(HbThread *t, uint32_t epoch);

// The thread begins, and has finished, to initialise a class. Others may use the class without looking at its state, so nothing
// tells that they acquire it. Instead: if what they find there was made at `epoch` inside an initialisation that is over,
// hb_initialized lets them acquire it now. False: it was not.
void hb_class_begin(HbThread *t, uint32_t cls);
void hb_class_end(HbThread *t, uint32_t cls);
bool hb_initialized(HbThread *t, uint32_t epoch);

// Threads stand still. Forgets addresses in objects that are no more; or all there is but the threads, which
// then know everything about each other.
void hb_forget(bool (*is_live)(const void *object));
void hb_reset(void);

typedef struct HbFigures {
    uint64_t addresses, bytes, acquisitions, releases, lost;  // lost: threads or releases without slot or memory
    uint32_t slots;
} HbFigures;
HbFigures hb_figures(void);

#endif
