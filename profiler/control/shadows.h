// Data handed over by shadows (vm/api/shadow.h): tables as bytes. Methods, fields and classes are identified by name,
// because the same number may mean another one in the program's process. Decoding renumbers the names received.
#ifndef CABERNET_PROFILER_SHADOWS_H
#define CABERNET_PROFILER_SHADOWS_H

#include "profiler/store/writer.h"

// In a shadow: encodes the threads of `in`, and the facts that their rows refer to. *data is malloc'd; false: out of
// memory.
bool shadows_encode(const WriterInput *in, uint64_t collapsed, uint8_t **data, size_t *size);

// Data that an analysis hands over beyond rows (Analysis.give); NULL: none. Points into the decoded bytes.
typedef struct ShadowGiven {
    const uint8_t *data;
    size_t size;
} ShadowGiven;

// A shadow's threads, with rows in the numbering of shadows_host. The decoder owns the strings.
typedef struct ShadowThreads {
    WriterThread *threads;
    size_t count;
    uint64_t unattributed[EVENT_COUNT];
    uint64_t collapsed;
    char **names;  // of the threads
    ShadowGiven given[ANALYSIS_COUNT];
} ShadowThreads;

// Checks every byte. False: damaged, or out of memory; then nothing needs to be freed.
bool shadows_decode(const bool *wanted, const uint8_t *data, size_t size, ShadowThreads *out);
void shadows_free(ShadowThreads *t);

// Resolves the numbers of everything decoded.
extern const ProfileHost shadows_host;

// Records how much of its planned length a shadow ran and, if it ran to the end (1), the shares of the largest rows of
// its analysis. A shadow that ended early never shows what follows the call that ended it: the rest is missing data,
// and its shares are no evidence. A shadow with very different shares restarts the statistics.
void shadows_note_shares(const ShadowThreads *t, int analysis, double part);
// Records a shadow without results: all of it is missing.
void shadows_note_lost(void);
// True when the share of each row of at least 1 % is known to within 3 % of the whole. The error of a share is half of
// its 95 % confidence interval plus the possible effect of the missing part (after Wunderlich, Wenisch, Falsafi and
// Hoe, "SMARTS", ISCA 2003, with rows in place of one figure).
bool shadows_converged(void);

// note_call: a call in which one look found a thread of the program. look: the look itself; true if the program has
// left its phase, or entered another one (profiler/control/phases.h). The shares of a new phase are unknown.
void shadows_note_call(uint32_t caller, uint32_t callee);
bool shadows_look(void);

#endif
