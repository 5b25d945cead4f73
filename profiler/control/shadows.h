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

// Notes the shares of the largest rows of a shadow's first analysis; true when those of all shadows so far are known well
// enough: the 95 % confidence interval of each row that has at least a hundredth of the whole is within 3 % of the whole
// (after Wunderlich, Wenisch, Falsafi and Hoe, "SMARTS", ISCA 2003, with rows in place of one figure). A shadow whose
// shares lie far outside begins the count anew.
void shadows_note_shares(const ShadowThreads *t, int analysis);
bool shadows_converged(void);

// Calls in which threads of the program were found by one look, and the look itself: true if the program has left its phase, or
// come into another one (profiler/control/phases.h). A phase that is new has shares of its own, of which nothing is known.
void shadows_note_call(uint32_t caller, uint32_t callee);
bool shadows_look(void);

#endif
