// What shadows hand over (vm/api/shadow.h): tables as bytes, in which methods, fields and classes go by name, because the
// program's process may know others by the same numbers; and the names that have come so far, numbered anew.
#ifndef CABERNET_PROFILER_SHADOWS_H
#define CABERNET_PROFILER_SHADOWS_H

#include "profiler/store/writer.h"

// In a shadow: the threads of `in`, and the facts of what their rows name. *data is malloc'd; false: out of memory.
bool shadows_encode(const WriterInput *in, uint64_t collapsed, uint8_t **data, size_t *size);

// What an analysis gives beyond rows (Analysis.give); NULL: nothing. In the bytes that were decoded.
typedef struct ShadowGiven {
    const uint8_t *data;
    size_t size;
} ShadowGiven;

// A shadow's threads with rows whose numbers are those of shadows_host. Strings are the decoder's.
typedef struct ShadowThreads {
    WriterThread *threads;
    size_t count;
    uint64_t unattributed[EVENT_COUNT];
    uint64_t collapsed;
    char **names;  // of the threads
    ShadowGiven given[ANALYSIS_COUNT];
} ShadowThreads;

// Every byte is checked. False: damaged, or out of memory; nothing is left to be freed then.
bool shadows_decode(const bool *wanted, const uint8_t *data, size_t size, ShadowThreads *out);
void shadows_free(ShadowThreads *t);

// The names behind the numbers of all that was decoded.
extern const ProfileHost shadows_host;

// Notes how long a shadow ran, as part of its planned length, and, if it ran to the end (1), the shares of the largest rows of its
// analysis. A shadow that ended early never shows what follows the call that ended it: the rest is missing data, and its shares are no
// evidence. A shadow with very different shares restarts the count.
void shadows_note_shares(const ShadowThreads *t, int analysis, double part);
// Notes a shadow without results: all of it is missing.
void shadows_note_lost(void);
// True when the shares are known to within 3 % of the whole, for each row of at least 1 %. The error of a share is half of its 95 %
// confidence interval plus what the missing part could change (after Wunderlich, Wenisch, Falsafi and Hoe, "SMARTS", ISCA 2003, with
// rows in place of one figure).
bool shadows_converged(void);

// Calls in which threads of the program were found by one look, and the look itself: true if the program has left its phase, or
// come into another one (profiler/control/phases.h). A phase that is new has shares of its own, of which nothing is known.
void shadows_note_call(uint32_t caller, uint32_t callee);
bool shadows_look(void);

#endif
