// Builds a profile file from collected tables, at the end of the process or for a dump, on any thread; malloc only. See
// profiler/store/format.h for the bytes.
#ifndef CABERNET_PROFILER_STORE_WRITER_H
#define CABERNET_PROFILER_STORE_WRITER_H

#include "profiler/analyses/analysis.h"
#include "vm/api/profiler.h"

typedef struct WriterThread {
    uint64_t id;
    const char *name;
    bool service, ended;
    uint32_t folded;  // number of threads combined; 0: a single thread
    uint64_t produced[EVENT_COUNT];
    Table tables[ANALYSIS_COUNT];  // combined; only wanted analyses
    uint64_t lost[ANALYSIS_COUNT];
} WriterThread;

typedef struct WriterMeta {
    const char *key;
    const char *value;
} WriterMeta;

typedef struct WriterInput {
    const ProfileHost *host;
    const WriterMeta *meta;
    size_t meta_count;
    const bool *wanted;  // by AnalysisId
    const bool *fed;     // by AnalysisId: productions have chosen its events; NULL: none
    const WriterThread *threads;
    size_t thread_count;
    uint64_t unattributed[EVENT_COUNT];  // events without a thread structure
    bool weighed;                        // counts are estimates: recorded events times their weight
    const Sections *sections;
} WriterInput;

// The name of a pseudo-caller (EVENT_PSEUDO), such as <thread>. Constant.
const char *writer_pseudo_name(uint32_t id);

// Builds the whole file in memory: *data is malloc'd. False: out of memory.
bool writer_build(const WriterInput *in, uint8_t **data, size_t *size);

// Can writer_store write to `path` now, as far as can be determined? Creates no lasting file. False with *error.
bool writer_check(const char *path, char *error, size_t error_size);

// Writes the file under a temporary name beside `path` and renames it, so that a file of that name is always complete.
// Of a symbolic link the target is replaced. Anything but a regular file (a pipe, /dev/full) is written in place. The
// file that /dev/stdout or /dev/fd/N refers to is written at the descriptor's position. False with *error. Signals for
// a full pipe or a file size limit are ignored meanwhile.
bool writer_store(const char *path, const uint8_t *data, size_t size, char *error, size_t error_size);

#endif
