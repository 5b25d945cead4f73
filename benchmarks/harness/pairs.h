// The measured pairs of all programs: the file that stores them, and their evaluation.
#ifndef CABERNET_BENCHMARKS_HARNESS_PAIRS_H
#define CABERNET_BENCHMARKS_HARNESS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "benchmarks/harness/side.h"

typedef struct Pair {
    int layout;      // pairs of one layout come from the same two processes
    int first;       // the side that began
    int iterations;  // number of iterations that the costs cover
    Cost cost[2];
} Pair;

typedef struct Program {
    char *name;
    Pair *pairs;
    size_t n, capacity;
} Program;

typedef struct Measurement {
    char *text[2];  // the two commands
    char *mode;     // "steady" or "from-start"
    Program *programs;
    size_t n, capacity;
} Measurement;

// The program of that name, added if missing. Valid until the next call.
Program *pairs_program(Measurement *m, const char *name);
void pairs_add(Program *p, Pair pair);

// The file format: lines "# key: value", a line of column names, then one line per pair, comma separated.
void pairs_write_head(FILE *out, const Measurement *m);
void pairs_write(FILE *out, const char *program, const Pair *pair);
// Reads a whole file into an empty measurement. False, with the line's number, on a format error.
bool pairs_read(FILE *in, Measurement *m, int *line);

// The table of ratios with their intervals, and the geometric mean.
void pairs_report(FILE *out, const Measurement *m);
void pairs_free(Measurement *m);

// cabernet-bench stats FILE. Returns the exit code.
int pairs_stats(int argc, char **argv);

#endif
