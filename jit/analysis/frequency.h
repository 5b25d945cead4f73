// Estimates how often the blocks of a control-flow graph run, from branch weights and loops (Y. Wu and J. Larus,
// "Static branch frequency and program profile analysis", MICRO 1994). Knows neither bytecode nor LLVM.
#ifndef CABERNET_JIT_ANALYSIS_FREQUENCY_H
#define CABERNET_JIT_ANALYSIS_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

#define FREQUENCY_UNKNOWN UINT32_MAX

// Block 0 is the entry. All blocks can be reached.
typedef struct FrequencyGraph {
    uint32_t block_count;
    const uint32_t *first_edge;  // by block, and one more: a block's edges end where the next block's edges begin
    const uint32_t *target;      // of each edge
    const uint32_t *weight;      // of each edge: its share among the edges of its block; FREQUENCY_UNKNOWN for all or
                                 // none of them
    const bool *rare;            // of each block: it runs rarely
} FrequencyGraph;

// Computes each block's frequency per execution of the entry. Where weights are unknown, loops are likely to continue,
// blocks that lead only to rare blocks are rare, and all other edges are equally likely. A loop runs at most
// FREQUENCY_MOST times per entry. Ends the process with a message when memory runs out.
#define FREQUENCY_MOST 4096.0
void frequency_estimate(const FrequencyGraph *graph, double *frequency);

#endif
