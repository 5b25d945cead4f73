// Phases of a thread's execution (phases=): stretches in which it makes the same calls. What is compared are vectors of call
// pairs, as the bursts of a sampled profile see them, by their Manhattan distance (Nagpurkar, Krintz and Sherwood, "Phase-aware
// remote profiling", CGO 2005). A phase that is not known yet is sampled at the usual interval; once the shares of its call pairs
// are, its samples become rarer. A sample belongs to the phase whose interval led to it, so that the time that it takes to see the end of a
// phase shifts little. All samples of a phase have one weight: the events that are estimated to have happened in it, over those that
// were recorded. That estimate keeps the samples behind usual intervals apart from those behind longer ones, because compiled code
// makes fewer checks for the same events than the interpreter, and is sampled later, when the phase is known.
//
// A window is some bursts in a row; how many, depends on how many different pairs there are: it must be able to tell phases apart. A
// phase ends when a window is not like it, or, once it is known, when two of three bursts see what it has hardly seen; behind the
// first such burst the next one comes soon, and counts as between phases. What
// follows is between phases, at the usual interval, until a window is like a phase that there was, or like the one before it,
// which begins a new phase. What is recorded between phases stands for what is between phases.
//
// Bounded: 15 phases for a thread, 512 coordinates, into which pairs are hashed. One thread works on it; others may read facts.
#ifndef CABERNET_PROFILER_PHASES_H
#define CABERNET_PROFILER_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/events.h"

enum { PHASES_MOST = 16, PHASE_BETWEEN = 0 };

typedef struct Phases Phases;

// `rarer`: by how much samples of a known phase are rarer, at least 1; `burst`: checks that each burst records. NULL: out of
// memory. malloc only.
Phases *phases_new(uint32_t rarer, uint32_t burst);
void phases_free(Phases *p);

// A call in the burst that is under way.
void phases_call(Phases *p, uint32_t caller, uint32_t callee);

// A burst begins, behind `checks` checks of the thread, which has reported so many events of each kind (`produced`; NULL:
// no weight is asked for). The number of the phase that it
// counts for; *interval, the usual one to the next burst, becomes longer if the present phase is known. `room`: there may be a new phase, whose number is phases_count.
uint32_t phases_burst(Phases *p, uint64_t checks, const uint64_t *produced, bool room, int64_t *interval);

// The present phase, as far as the bursts that have ended tell.
uint32_t phases_now(const Phases *p);

typedef struct PhaseFacts {
    uint64_t times;           // it began, having not been the last phase
    uint64_t checks, bursts;  // the checks that led to its bursts
    uint32_t caller, callee;  // of the most frequent call pair, of late
    bool calls;               // there is one
    bool known;
} PhaseFacts;
uint32_t phases_count(const Phases *p);
PhaseFacts phases_facts(const Phases *p, uint32_t phase);
// How many of these events each recorded one of the phase stands for; 1 where nothing was recorded. It follows from the intervals that
// were drawn, not from the checks that the thread has made, so that a thread which ends soon is not taken for less than it is.
double phases_weight(const Phases *p, uint32_t phase, EventSet events);
// Windows that would have begun a phase, for which there was no room.
uint64_t phases_without_room(const Phases *p);

#endif
