// One invocation of a program: a process for each configuration; all are alive and take turns.
#ifndef CABERNET_BENCHMARKS_HARNESS_TURNS_H
#define CABERNET_BENCHMARKS_HARNESS_TURNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "benchmarks/harness/campaign.h"

typedef struct Invocation {
    const Campaign *campaign;
    const Subject *subject;
    const size_t *configurations;  // indexes
    size_t n;
    int number, iterations;
    double seconds;        // time after the start at which no iteration is begun, whatever `iterations`; 0: no limit
    int heap_mib;          // 0: no heap options
    const char *plan;      // plan file for {plan}, or NULL
    const char *expected;  // checksum of the output; NULL: any output
    uint64_t random;       // seed of the order
} Invocation;

// Runs it and returns an array with an object for each configuration: "configuration", "status" ("ok", "crashed",
// "hung", "wrong output"), "detail" unless it is ok, "checksum" of the last iteration's output, and for each successful
// iteration "cpu_ns", "wall_ns", "compile_ns" and "gc_ns"; "start_cpu_ns", "peak_kib", "preempted". The caller owns it.
// NULL: interrupted.
json_t *turns_take(const Invocation *i);

#endif
