// How often each instruction of a method was executed, and each edge of its control flow taken: what a profile has counted, spread over the
// method's code. A profile knows what was executed; the class file knows what could have been.
//
// Counts of instructions (calls, fields, receivers), of branches and of entries are exact where they stand. What is between them is
// executed as often as control came there: of that `path` knows all, exceptions included. Without it what stands behind an instruction is taken
// to be executed as often as that was, unless a branch behind it says otherwise, and handlers of exceptions are
// executed as often as something in them was counted.
#ifndef CABERNET_PROFILER_PROF_COVERAGE_H
#define CABERNET_PROFILER_PROF_COVERAGE_H

#include "bytecode/analysis/paths.h"
#include "profiler/tool/view/prof_view.h"

// What a profile has counted, by method. Freed by coverage_counts_free.
typedef struct CoverageCounts CoverageCounts;

typedef struct Coverage {
    uint64_t entries;    // of the method
    bool branches;       // the edges were counted
    Paths *graph;        // NULL: subroutines, or malformed code: counts are those that stand at instructions
    uint64_t *at;        // by bytecode index of an instruction
    uint64_t *edges;     // by edge of the graph
} Coverage;

// Of the analyses that the options leave.
CoverageCounts *coverage_counts(const ProfFile *f, const ProfOptions *o);
void coverage_counts_free(CoverageCounts *c);
// Is the analysis one that says what was executed?
bool coverage_knows(const ProfAnalysis *a, const ProfOptions *o);

// The methods of that name (with dots, a loader's name behind @ does not count) and descriptor: indexes, how many.
size_t coverage_methods(const CoverageCounts *c, const char *class_name, const char *name, const char *desc, const uint32_t **methods);
// Their counts together. Always followed by coverage_free.
void coverage_of(const CoverageCounts *c, const uint32_t *methods, size_t count, const ClassFile *cf, const ClassFileCode *code,
                 Coverage *out);
void coverage_free(Coverage *c);

#endif
