// What is wrong with a file that is read: the first thing that is found ends the reading.
#ifndef CABERNET_PROFILER_PROF_PROBLEM_H
#define CABERNET_PROFILER_PROF_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ProfProblem {
    char *text;      // the reader's, of `size` bytes
    size_t size;
    char where[40];  // the place that is being read: stands in front; or ""
    bool found;
} ProfProblem;

// Notes what is wrong, unless something was before. Returns false.
__attribute__((format(printf, 2, 3))) bool prof_wrong(ProfProblem *p, const char *format, ...);

#endif
