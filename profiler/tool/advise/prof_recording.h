// Advice files as cabernet-prof reads them (docs/FORMATS.md, "Advice" and "Plans of the compiler"): recorded plans as
// rows that can be compared between files and averaged. A row is a line of a plan or of the advice outside of plans.
// Its `slot` names its subject by the call chain that leads to the body, not by the body's number, so a slot is the
// same in all files. Its `text` is the decision, and its count was measured.
#ifndef CABERNET_PROFILER_TOOL_ADVISE_PROF_RECORDING_H
#define CABERNET_PROFILER_TOOL_ADVISE_PROF_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROF_ADVICE_HEADER "cabernet-advice 1"  // the first line of such a file; ADVICE_HEADER of vm/api/advice.h

typedef struct RecordedRow {
    const char *slot;  // malloc'd; the first member, by which rows are sorted (prof_by_text)
    const char *line;  // the line of the file, without its end
    const char *text;  // "" when the line is only slot and count; malloc'd
    size_t digits,
        behind;  // in the line: offsets of the count's first digit and of the text after it; both 0: no count
    uint64_t count;
    const char *bytes;  // of a body: hash of its bytecode, 8 digits in the line; else NULL
    bool fact;          // the row exists because it was counted; its absence from another file is not a decision
} RecordedRow;

typedef struct RecordedRows {
    RecordedRow *list;
    size_t count, room;
} RecordedRows;

typedef struct RecordedPlan {
    const char *method, *code;  // parts of the lines: the name; the text from "hash=" on
    const char *name;           // "METHOD", " loop B" for a loop, " #N" for the N-th such plan of the file; malloc'd
    uint32_t file, place;       // index of the file; index of the plan in it
    int64_t loop;               // bytecode index, or -1
    uint64_t hotness;
    RecordedRows rows, sorted;  // in file order; by slot
} RecordedPlan;

typedef struct Recording {
    const char *path;
    RecordedRows advice;  // lines that belong to no plan, by slot
    RecordedPlan *plans;
    size_t count, room;
} Recording;

// Reads a file. False: a message on stderr names file and line. The memory is never freed.
bool prof_recording_read(const char *path, uint32_t file, Recording *out);

// The row with this slot; rows must be sorted. NULL: none.
const RecordedRow *prof_recording_row(const RecordedRows *rows, const char *slot);

#endif
