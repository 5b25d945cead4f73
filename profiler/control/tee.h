// transport=tee: a thread has a second set of states, which takes each event where it happens, by calls, while a
// consumer gives it to the states of the thread's record. When the thread or the profile ends, both have the same rows,
// or the transport has an error.
//
// A Tee belongs to one record. Its events are the thread's; the other functions require that the thread is stopped or
// has ended, and that the rest of its ring is analysed.
#ifndef CABERNET_PROFILER_CONTROL_TEE_H
#define CABERNET_PROFILER_CONTROL_TEE_H

#include "profiler/control/states.h"

typedef struct Tee {
    EventThread events;  // its sinks are those of the states
    States states;
} Tee;

// NULL: out of memory. Any thread.
Tee *tee_new(Profiler *p, uint64_t id, const char *name);
// NULL is allowed.
void tee_free(Tee *t);

// The number of rows that differ from `tables`, combined tables of all analyses that listen to events. Allocates; a
// table for which memory is short differs.
uint64_t tee_compare(const Tee *t, const Request *request, const Table tables[ANALYSIS_COUNT]);

#endif
