// Makes a profile file out of collected tables. Runs once, at the end of the process, on any
// thread; malloc only. See profiler/store/format.h for the bytes.
#ifndef CABERNET_PROFILER_WRITER_H
#define CABERNET_PROFILER_WRITER_H

#include "profiler/analyses/analysis.h"
#include "vm/api/profiler.h"

typedef struct WriterThread {
    uint64_t id;
    const char *name;
    bool service, ended;
    uint32_t folded;                      // stands for that many threads; 0: one thread
    uint64_t produced[EVENT_COUNT];
    Table tables[ANALYSIS_COUNT];         // combined; only wanted analyses
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
    const bool *wanted;                   // by AnalysisId
    const bool *fed;                      // by AnalysisId: productions have chosen its events; NULL: of none
    const WriterThread *threads;
    size_t thread_count;
    uint64_t unattributed[EVENT_COUNT];   // events no thread structure could take
    bool weighed;                         // counts are estimates: recorded events times what they stand for
    const Sections *sections;
} WriterInput;

// Builds the whole file in memory: *data is malloc'd. False: out of memory.
bool writer_build(const WriterInput *in, uint8_t **data, size_t *size);

// Whether writer_store could write to `path` now, as far as that can be known: nothing is there afterwards that was not
// there before. False with *error.
bool writer_check(const char *path, char *error, size_t error_size);

// Writes it under a temporary name beside `path` and renames it, so that a file of that name is
// always whole; of a symbolic link it is the target that is replaced; something that is not a regular file (a pipe, /dev/full) is written in place,
// and so is what /dev/stdout or /dev/fd/N stands for, whatever it is, behind what it has.
// False with *error. Signals for a full pipe or a file size limit are kept away meanwhile.
bool writer_store(const char *path, const uint8_t *data, size_t size, char *error,
                  size_t error_size);

#endif
