// A call tree as stacks, and the method names used in stacks.
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_STACKS_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_STACKS_H

#include "profiler/tool/view/prof_view.h"

// The names of the file's methods by index, as in reports; exact names where two methods would otherwise have the same
// name. `forbidden` characters are replaced by a colon. The file's reader has already replaced control characters and
// invalid UTF-8. Freed by prof_names_free.
char **prof_names(const ProfFile *f, const char *forbidden);
void prof_names_free(const ProfFile *f, char **names);

// A call tree as stacks. Each row of the tree is a stack: its callee, below that its parent's callee, and so on.
typedef struct ProfStacks {
    const ProfAnalysis *a;
    size_t rows;
    size_t *parents;    // by row; PROF_NO_ROW: none
    uint32_t *methods;  // by row: the callee
    uint32_t *depths;   // by row; 0 without a parent
    uint64_t *counts;   // by row: entries of the callee; 0 if the row does not pass the filters
    uint32_t deepest;
    uint64_t total;   // of counts
    uint64_t frames;  // in all stacks with a count
    // Of prof_stacks_small; otherwise NULL:
    ProfFile *file;   // the file with the method [library], for names; shares everything else
    size_t *origins;  // by row: a row of the tree of which it was made; NULL: the same row
    size_t *folded;   // by row of the tree: the row that has its counts
} ProfStacks;

// The place in the parent row's method where a row's callee is called; the row must have a parent. -1: the VM called,
// or unknown.
typedef struct ProfPlace {
    int64_t line, bci;
} ProfPlace;
ProfPlace prof_stack_place(const ProfStacks *s, size_t row);

// Distinct pairs of a method and the line where it calls, for formats whose stacks are numbers of these. Line 0:
// entered, or unknown.
typedef struct ProfLocations {
    struct ProfLocation {
        uint32_t method, line;
    } * list;  // numbered from 1
    size_t count;
    uint32_t *entered;  // by row: the location of the entered callee
    uint32_t *calling;  // by row: the location that calls it; 0 without a parent
} ProfLocations;
ProfLocations prof_locations(const ProfStacks *s);
void prof_locations_free(ProfLocations *l);

// Reads the file's call tree. False, with a message that names `format`: missing or empty.
bool prof_stacks(const ProfFile *f, const ProfOptions *o, const char *format, ProfStacks *out);
// The same for formats whose size matters: frames of the class library are a frame [library], unless o->all or filters
// select some, and stacks with less than o->least_share of the total count as their callers.
bool prof_stacks_small(const ProfFile *f, const ProfOptions *o, const char *format, ProfStacks *out);
void prof_stacks_free(ProfStacks *s);

// The counts of a row in one thread.
typedef struct ProfThreadCount {
    size_t row, thread;
    uint64_t count;
} ProfThreadCount;
// The counts of `s` by row and thread; those of a row add up to its count. malloc'd.
ProfThreadCount *prof_stacks_by_thread(const ProfFile *f, const ProfOptions *o, const ProfStacks *s, size_t *count);
// Would a format that writes each stack separately fill a disk, given the number of frames? Prints a message with a
// remedy.
bool prof_stacks_too_many(const ProfFile *f, const ProfStacks *s, const char *format);

#endif
