// Phases of a thread's execution (phases=): periods in which it makes the same calls. Vectors of call pairs, as seen by
// the bursts of a sampled profile, are compared by Manhattan distance (Nagpurkar, Krintz and Sherwood, "Phase-aware
// remote profiling", CGO 2005). A new phase is sampled at the usual interval, and less often once the shares of its
// call pairs are known. A sample belongs to the phase whose interval led to it, so late detection of the end of a phase
// has little effect. All samples of a phase have one weight: the estimated number of its events divided by the number
// recorded. The estimate keeps samples after usual intervals apart from those after longer ones, because compiled code
// makes fewer checks for the same events than the interpreter, and is sampled later, when the phase is known.
//
// A window is a number of consecutive bursts, which grows with the number of distinct pairs, because a window must be
// able to tell phases apart. A phase ends with a window unlike it or, once it is known, when two of three bursts see
// mostly pairs that are rare in it. After the first such burst the next one follows soon, and counts as between phases.
// Execution is then between phases, at the usual interval, until a window is like an earlier phase, or like the window
// before it, which begins a new phase. Samples between phases represent only execution between phases.
//
// Bounded: 15 phases per thread, and 512 coordinates, into which pairs are hashed. Used by one thread; others may read
// facts.
#ifndef CABERNET_PROFILER_CONTROL_PHASES_H
#define CABERNET_PROFILER_CONTROL_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/events.h"

enum { PHASES_MOST = 16, PHASE_BETWEEN = 0 };

typedef struct Phases Phases;

// `rarer`: factor by which samples of a known phase are rarer, at least 1. `burst`: checks recorded by each burst.
// malloc'd, with nothing else to free. NULL: out of memory.
Phases *phases_new(uint32_t rarer, uint32_t burst);

// Records a call in the current burst.
void phases_call(Phases *p, uint32_t caller, uint32_t callee);

// Begins a burst, after `checks` checks of the thread. `produced`: its reported events of each kind, NULL: no weights
// are needed. Returns the phase to which the burst belongs. *interval, the usual one to the next burst, is lengthened
// if the present phase is known. `room`: a new phase may begin, with number phases_count.
uint32_t phases_burst(Phases *p, uint64_t checks, const uint64_t *produced, bool room, int64_t *interval);

// The present phase, according to the completed bursts.
uint32_t phases_now(const Phases *p);

typedef struct PhaseFacts {
    uint64_t times;           // number of times that it began after a different phase
    uint64_t checks, bursts;  // checks: those that led to its bursts
    uint32_t caller, callee;  // most frequent call pair of the last window
    bool calls;               // caller and callee exist
    bool known;
} PhaseFacts;
uint32_t phases_count(const Phases *p);
PhaseFacts phases_facts(const Phases *p, uint32_t phase);
// The number of these events that each recorded one of the phase represents; 1 if none was recorded. Derived from the
// intervals drawn, not from the thread's checks, so that a thread which ends early is not underestimated.
double phases_weight(const Phases *p, uint32_t phase, EventSet events);
// Windows that would have begun a phase, but for lack of room.
uint64_t phases_without_room(const Phases *p);

#endif
