// Advice files as cabernet-prof reads them (docs/FORMATS.md, "Advice" and "Plans of the compiler"): recorded plans as rows that can be
// compared between files and averaged. A row is a line of a plan or of the advice outside of plans. Its `slot` says what it is
// about, by the chain of calls that leads to its body and not by the body's number, so it is the same in all files; what stands there is
// its `text`, which is decided, and its count, which was measured.
#ifndef CABERNET_PROFILER_PROF_RECORDING_H
#define CABERNET_PROFILER_PROF_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROF_ADVICE_HEADER "cabernet-advice 1"  // the first line of such a file; ADVICE_HEADER of vm/api/advice.h

typedef struct RecordedRow {
    const char *line;      // as it stands in the file, without its end
    const char *slot;      // malloc'd
    const char *text;      // "" when there is nothing but the slot and the count; malloc'd
    size_t digits, behind; // of the line: where the count stands, and what follows it; both 0 without one
    uint64_t count;
    const char *bytes;     // of a body: hash of its bytecode, 8 digits of the line; else NULL
    bool fact;             // it is there because it was counted; that another file lacks it is no decision
} RecordedRow;

typedef struct RecordedRows {
    RecordedRow *list;
    size_t count, room;
} RecordedRows;

typedef struct RecordedPlan {
    const char *method, *code; // the lines' parts: the name; from "hash=" on
    const char *name;          // "METHOD", " loop B" if it is one of a loop, " #N": the N-th such plan of the file; malloc'd
    uint32_t file, place;      // which file; which plan of it
    int64_t loop;              // bytecode index, or -1
    uint64_t hotness;
    RecordedRows rows, sorted; // as in the file; by slot
} RecordedPlan;

typedef struct Recording {
    const char *path;
    RecordedRows advice;       // lines that belong to no plan, by slot
    RecordedPlan *plans;
    size_t count, room;
} Recording;

// Reads a file. False: a message on stderr names file and line. Memory is kept to the end of the process.
bool prof_recording_read(const char *path, uint32_t file, Recording *out);

// The row of sorted ones that has the slot; NULL: none.
const RecordedRow *prof_recording_row(const RecordedRows *rows, const char *slot);

#endif
