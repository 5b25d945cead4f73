// How often the blocks of a control flow graph run, as far as branch weights and loops tell (Y. Wu and J. Larus, "Static branch
// frequency and program profile analysis", MICRO 1994). No bytecode, no LLVM.
#ifndef CABERNET_JIT_ANALYSIS_FREQUENCY_H
#define CABERNET_JIT_ANALYSIS_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

#define FREQUENCY_UNKNOWN UINT32_MAX

// Block 0 is the entry. All blocks can be reached.
typedef struct FrequencyGraph {
    uint32_t block_count;
    const uint32_t *first_edge;  // of each block, and behind the last one: its edges end where those of the next begin
    const uint32_t *target;      // of each edge
    const uint32_t *weight;      // of each edge, among those of its block: a share, or FREQUENCY_UNKNOWN for all of them
    const bool *rare;            // of each block: what it does is rare
} FrequencyGraph;

// For each execution of the entry. Where weights are unknown, a loop goes on rather than ends, what leads to nothing but rare blocks is
// rare, and everything else is as likely. A loop runs at most FREQUENCY_MOST times for each time that it is entered. Ends the process
// with a message when memory is out.
#define FREQUENCY_MOST 4096.0
void frequency_estimate(const FrequencyGraph *graph, double *frequency);

#endif
