// The first problem found in a file. It ends the reading.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_PROBLEM_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ProfProblem {
    char *text;  // the reader's buffer of `size` bytes
    size_t size;
    char where[40];  // the place being read, as a prefix of the message; or ""
    bool found;
} ProfProblem;

// Notes a problem unless one was noted before. Returns false.
__attribute__((format(printf, 2, 3))) bool prof_wrong(ProfProblem *p, const char *format, ...);

#endif
