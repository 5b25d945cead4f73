// A call tree as stacks, and methods by the names that stacks are made of.
#ifndef CABERNET_PROFILER_PROF_STACKS_H
#define CABERNET_PROFILER_PROF_STACKS_H

#include "profiler/tool/view/prof_view.h"

// The names of the file's methods by index: as reports have them, and exactly where two methods would have one name. `forbidden`
// characters are replaced by a colon. Control characters and other than UTF-8 the file's reader has replaced. Freed by
// prof_names_free.
char **prof_names(const ProfFile *f, const char *forbidden);
void prof_names_free(const ProfFile *f, char **names);

// A call tree as stacks. Each row of the tree stands for one: its callee, below that its parent's callee and so on.
typedef struct ProfStacks {
    const ProfAnalysis *a;
    size_t rows;
    size_t *parents;     // by row; PROF_NO_ROW: none
    uint32_t *methods;   // by row: the callee
    uint32_t *depths;    // by row, 0 for those without a parent
    uint64_t *counts;    // by row: entries of the callee; 0 where the row does not pass the filters
    uint32_t deepest;
    uint64_t total;      // of counts
    uint64_t frames;     // in all stacks with a count
} ProfStacks;

// Where a row's callee is called in the method of its parent, of which there must be one; -1: the VM called, or it is not known.
typedef struct ProfPlace {
    int64_t line, bci;
} ProfPlace;
ProfPlace prof_stack_place(const ProfStacks *s, size_t row);

// Methods with the lines where they call, each once: for formats whose stacks are numbers of these. Line 0: entered, or not known.
typedef struct ProfLocations {
    struct ProfLocation {
        uint32_t method, line;
    } *list;              // numbered from 1
    size_t count;
    uint32_t *entered;    // by row: number of the callee that is entered
    uint32_t *calling;    // by row: number of the place that calls it; 0 for rows without a parent
} ProfLocations;
ProfLocations prof_locations(const ProfStacks *s);
void prof_locations_free(ProfLocations *l);

// Reads the file's call tree. False, with a message that names `format`: there is none, or nothing in it.
bool prof_stacks(const ProfFile *f, const ProfOptions *o, const char *format, ProfStacks *out);
void prof_stacks_free(ProfStacks *s);
// Are there so many frames that a format which writes each stack by itself would fill a disk? Then a message says what to do.
bool prof_stacks_too_many(const ProfFile *f, const ProfStacks *s, const char *format);

#endif
