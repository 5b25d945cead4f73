// The happens-before order of a run (JLS 17.4.5) as vector clocks, after FastTrack (Flanagan and Freund, PLDI 2009):
// what each thread knows of the others, and what it publishes at synchronisation addresses.
//
// A thread's clock advances at its releases. An epoch is a thread and its clock in one word: the upper bits are the
// thread's slot, the lower bits the clock. Slot 0 is unused, so no epoch is 0. A thread whose clock overflows moves to
// another slot. Slots of ended threads are reused, oldest first, once more than MOST_ENDED of them wait or no
// fresh slot is left. The clock keeps counting, and the new thread is ordered after everything that the old thread did
// and knew. This hides races between the two, and reports no false ones.
//
// A thread's clocks are touched only by that thread. Published clocks are in a table of STRIPES parts, each with a
// lock. A release joins the thread's clocks into those at the address; they are exact if the thread had acquired all of
// these.
//
// Independent of the VM and of events, so that tests can drive it.
#ifndef CABERNET_PROFILER_CONCURRENCY_HAPPENSBEFORE_H
#define CABERNET_PROFILER_CONCURRENCY_HAPPENSBEFORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// slot HB_SLOTS marks a word that is no epoch
enum { HB_CLOCK_BITS = 20, HB_LAST_CLOCK = (1 << HB_CLOCK_BITS) - 1, HB_SLOTS = 4095 };

// Times by slot. Zeroed: nothing known.
typedef struct HbClocks {
    uint32_t count, capacity;
    uint32_t *at;
} HbClocks;

typedef struct HbThread {
    uint32_t epoch;   // now; 0: there was no slot or no memory, and the thread's accesses are ignored
    HbClocks known;   // including its own slot
    HbClocks frozen;  // of constructors whose final fields it has read
} HbThread;

static inline uint32_t hb_slot(uint32_t epoch) { return epoch >> HB_CLOCK_BITS; }
static inline uint32_t hb_clock(uint32_t epoch) { return epoch & HB_LAST_CLOCK; }
static inline bool hb_covers(const HbClocks *c, uint32_t epoch) {
    return hb_slot(epoch) < c->count && c->at[hb_slot(epoch)] >= hb_clock(epoch);
}
// Does an action at `epoch` happen before the thread's next action?
static inline bool hb_ordered(const HbThread *t, uint32_t epoch) { return hb_covers(&t->known, epoch); }

// *t zeroed. Called by the thread itself: one thread at a time for each HbThread.
void hb_thread_begin(HbThread *t);
void hb_thread_end(HbThread *t);
void hb_acquire(HbThread *t, uintptr_t address);
// `object`: liveness in hb_forget; 0: the address is never forgotten.
void hb_release(HbThread *t, uintptr_t address, uintptr_t object);

// The thread has read a final field written at `epoch`: reads through its object are ordered after that (JLS 17.5).
void hb_freeze(HbThread *t, uint32_t epoch);

// The thread begins, and completes, the initialisation of a class. Other threads may use the class without checking its
// state, so no event reports their acquire. Instead, when they find a value written at `epoch` inside a completed
// initialisation, hb_initialized performs the acquire. False: `epoch` was in no such initialisation.
void hb_class_begin(HbThread *t, uint32_t cls);
void hb_class_end(HbThread *t, uint32_t cls);
bool hb_initialized(HbThread *t, uint32_t epoch);

// Threads are stopped. hb_forget forgets addresses in dead objects; hb_reset forgets all addresses and initialisations,
// but keeps the threads' clocks.
void hb_forget(bool (*is_live)(const void *object));
void hb_reset(void);

typedef struct HbFigures {
    uint64_t addresses, bytes, acquisitions, releases, lost;  // lost: threads or releases without a slot or memory
    uint32_t slots;
} HbFigures;
HbFigures hb_figures(void);

// Forgets all threads, locks and classes. No thread has a HbThread.
void hb_end(void);

#endif
