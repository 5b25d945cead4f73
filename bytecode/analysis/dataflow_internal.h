/*
 * Shared by the files of the dataflow analysis: the analysis under construction. It lives for one
 * dataflow_build() and belongs to its thread. Passes in order:
 *   dataflow.c        prepares the entry and collects the results
 *   dataflow_blocks.c finds the blocks, their edges and, by interpretation, the kinds at their entries
 *   dataflow_kinds.c  the effect of a block on kinds
 *   dataflow_live.c   liveness, from the graph of those blocks
 *   dataflow_locks.c  monitor depth
 *   dataflow_held.c   monitor identity
 */
#ifndef CABERNET_BYTECODE_ANALYSIS_DATAFLOW_INTERNAL_H
#define CABERNET_BYTECODE_ANALYSIS_DATAFLOW_INTERNAL_H

#include "bytecode/analysis/dataflow.h"

/*
 * While kinds are computed, a cell holds KIND_* or, for a return address, FLOW_SITE + the number of
 * the jsr that made it.
 */
enum { FLOW_SITE = 128, FLOW_MAX_SITES = 127 };

/* Liveness before each instruction of a graph: a row of `words` words per change. */
typedef struct FlowLive {
    uint32_t words;
    uint64_t *in;   /* [blocks][words]: at entries */
    uint64_t *sets; /* rows */
    uint32_t *row;  /* see dataflow_live */
} FlowLive;

typedef struct FlowContext {
    uint32_t hash, count;
    uint32_t first; /* into Flow.pairs: slot, site, slot, site... in ascending order of slots */
} FlowContext;

typedef struct Flow {
    const ClassFileCode *code;
    Dataflow *out;
    Cfg *cfg;
    uint32_t slots; /* max_locals + max_stack */
    DataflowDescriptor *descriptor;
    void *descriptor_ctx;

    uint32_t block_cap, edge_cap, handler_cap;
    uint8_t *entry;       /* [block_cap][slots] cells at entry */
    uint8_t *dirty;       /* [block_cap] to be interpreted (again) */
    uint8_t *done;        /* [block_cap] its edges are known */
    uint32_t *next_copy;  /* [block_cap] next block that is a copy of the same block */
    uint32_t *first_copy; /* [cfg blocks] */
    uint32_t handler_count;
    uint32_t edge_count;
    uint64_t work;

    uint8_t *cell;   /* [slots] at the current instruction */
    uint8_t *thrown; /* [slots] kinds at the block's handlers */
    uint32_t depth;
    uint32_t bci;
    bool covered; /* the block has handlers */

    /* Methods with subroutines only. */
    FlowLive before; /* `in` of cfg's blocks: which return addresses matter */
    FlowContext *contexts;
    uint32_t context_count, context_cap;
    uint32_t *pairs;
    uint32_t pair_count, pair_cap;
    uint32_t *key; /* [2 * slots] */
    uint32_t site_count;
    uint32_t site_block[FLOW_MAX_SITES]; /* CFG block after the jsr */

    Cfg *graph; /* of out->blocks */
    char *err;
    size_t cap;
} Flow;

bool flow_fail(Flow *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for `need` elements in a growing array; false and the error when out of memory. */
bool flow_grow(Flow *f, void *array, uint32_t *cap, uint64_t need, size_t size);

bool flow_blocks(Flow *f);                                  /* dataflow_blocks.c */
bool flow_interpret(Flow *f, uint32_t start, uint32_t end); /* dataflow_kinds.c */
/* Fills live->in for the graph's reachable blocks. */
bool flow_live_entries(Flow *f, const Cfg *graph, FlowLive *live);
/* Fills live->sets and row as well. */
bool flow_live_rows(Flow *f, const Cfg *graph, FlowLive *live);
bool flow_locks(Flow *f);
bool flow_held(Flow *f); /* dataflow_held.c; requires balanced locks */

#endif
