// The rows of a profile file's header: what ran, how events were chosen and delivered, and what the profile does not
// cover.
#ifndef CABERNET_PROFILER_CONTROL_FILEHEADER_H
#define CABERNET_PROFILER_CONTROL_FILEHEADER_H

#include "profiler/control/records.h"
#include "profiler/store/writer.h"

typedef struct FileHeader {
    WriterMeta *rows;  // values are copies; keys outlive the table
    size_t count, capacity;
    bool failed;  // out of memory
} FileHeader;

// Requires the lock of the records. `why`: the reason for writing.
void fileheader_make(FileHeader *h, Profiler *p, const ProfileRun *run, const char *why, const RecordsTotal *total);
void fileheader_free(FileHeader *h);

// Whether scope= was given without including any method of the program: probably a typo, which an empty profile does
// not show.
bool fileheader_scope_is_empty(const Profiler *p);

#endif
