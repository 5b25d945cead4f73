// Data handed over by shadows (vm/api/shadow.h): tables as bytes. Methods, fields and classes are identified by name
// (shadownames.h). Decoding renumbers them.
#ifndef CABERNET_PROFILER_CONTROL_SHADOWCODEC_H
#define CABERNET_PROFILER_CONTROL_SHADOWCODEC_H

#include "profiler/control/shadownames.h"
#include "profiler/store/writer.h"

enum { SHADOWCODEC_MAGIC = 0x53686164 };

// In a shadow: encodes the threads of `in`, and the facts that their rows refer to. *data is malloc'd; false: out of
// memory.
bool shadowcodec_encode(const WriterInput *in, uint64_t collapsed, uint8_t **data, size_t *size);

// Data that an analysis hands over beyond rows (Analysis.give); NULL: none. Points into the decoded bytes.
typedef struct ShadowGiven {
    const uint8_t *data;
    size_t size;
} ShadowGiven;

// A shadow's threads, with rows in the numbering of shadownames_host. The decoder owns the strings.
typedef struct ShadowThreads {
    WriterThread *threads;
    size_t count;
    uint64_t unattributed[EVENT_COUNT];
    uint64_t collapsed;
    char **names;  // of the threads
    ShadowGiven given[ANALYSIS_COUNT];
} ShadowThreads;

// Checks every byte. False: damaged, or out of memory; then nothing needs to be freed.
bool shadowcodec_decode(const bool *wanted, const uint8_t *data, size_t size, ShadowThreads *out);
void shadowcodec_free(ShadowThreads *t);

// Is the number of a method or field the same in every process? Pseudo-callers and the elements of arrays are.
static inline bool shadowcodec_is_constant(ShadowNameKind kind, uint64_t id) {
    return id <= UINT32_MAX &&
        ((kind == SHADOW_METHOD && id >= EVENT_PSEUDO_BASE) || (kind == SHADOW_FIELD && id >= COLUMN_ELEMENTS));
}

// Finds the columns of a row, and its keys for them: those of a section, if the analysis has sections. False: no such
// section.
bool shadowcodec_columns(const Analysis *a, TableRow *row, Analysis *section, const Column **columns, uint64_t **keys);

#endif
