// How often each instruction of a method was executed, and each edge of its control flow taken: the counts of a
// profile, propagated through the method's code. A profile knows what was executed; the class file knows what could
// have been.
//
// Counts at instructions (calls, fields, receivers), of branches and of entries are exact. An instruction between them
// is executed as often as control reached it. With `path` that is exact, exceptions included. Without it, code after an
// instruction is assumed to be executed as often as that instruction unless a later branch says otherwise, and an
// exception handler as often as something in it was counted.
#ifndef CABERNET_PROFILER_TOOL_EXPORT_PROF_COVERAGE_H
#define CABERNET_PROFILER_TOOL_EXPORT_PROF_COVERAGE_H

#include "bytecode/analysis/paths.h"
#include "profiler/tool/view/prof_view.h"

// The counts of a profile, by method. Freed by coverage_counts_free.
typedef struct CoverageCounts CoverageCounts;

typedef struct Coverage {
    uint64_t entries;  // of the method
    bool branches;     // the edges were counted
    Paths *graph;      // NULL: subroutines, or malformed code: only counts at instructions are known
    uint64_t *at;      // by bytecode index of an instruction
    uint64_t *edges;   // by edge of the graph
} Coverage;

// Of the analyses that pass the options.
CoverageCounts *coverage_counts(const ProfFile *f, const ProfOptions *o);
void coverage_counts_free(CoverageCounts *c);
// Does the analysis say what was executed?
bool coverage_knows(const ProfAnalysis *a, const ProfOptions *o);

// The methods with this name (with dots; a loader's name after @ is ignored) and descriptor: sets *methods to their
// indexes and returns their number.
size_t coverage_methods(const CoverageCounts *c, const char *class_name, const char *name, const char *desc,
                        const uint32_t **methods);
// The summed counts of these methods. Always followed by coverage_free.
void coverage_of(const CoverageCounts *c, const uint32_t *methods, size_t count, const ClassFile *cf,
                 const ClassFileCode *code, Coverage *out);
void coverage_free(Coverage *c);

#endif
