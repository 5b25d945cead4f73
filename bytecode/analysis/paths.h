/*
 * Numbers for the acyclic paths of one method (T. Ball, J. R. Larus, "Efficient path profiling",
 * MICRO 1996).
 *
 * A path begins at the method's entry, after a backedge or at an exception handler, and ends at a
 * return, at a backedge or where an exception is thrown. A backedge is a branch to its own or an
 * earlier bytecode index, so without backedges every method is acyclic, whatever its loops
 * (irreducible ones too). Two edges of one branch with the same target are distinct: paths tell how
 * often each edge of each branch was taken. Where the number of paths from a branch would be too
 * large, all its edges end paths too (PathEdge.ends).
 *
 * A register holds the sum of the values of the edges taken. The sum at the end of a complete path
 * is its number. The number of a path that an exception ends in a block is the sum at that point.
 * Together with the block it is unique, and since the first edge of each block has the value 0, it
 * is also the number of a complete path through the block.
 *
 * Instead of values, compiled code adds increments, which are 0 on the edges of a spanning tree of
 * the edges that are probably taken most (Ball's event counting). Its register is the sum less the
 * block's `offset`. Both are modulo 2^32 and equal at the ends of complete paths.
 *
 * Immutable once built, one allocation; any thread may read.
 */
#ifndef CABERNET_BYTECODE_ANALYSIS_PATHS_H
#define CABERNET_BYTECODE_ANALYSIS_PATHS_H

#include "bytecode/analysis/cfg.h"

#define PATHS_EXIT UINT32_MAX
/* The maximum number of a method's paths. */
#define PATHS_MOST (UINT32_C(1) << 31)

typedef struct PathEdge {
    uint32_t to;        /* target block; if it ends a path, where the next path begins, or PATHS_EXIT */
    uint32_t value;     /* added to the register; for an end the sum is the path's number */
    uint32_t increment; /* the same for compiled code */
    bool ends;          /* a path ends; the next one begins at `to` */
} PathEdge;

typedef struct PathBlock {
    uint32_t start, last; /* bci's of the first and the last instruction */
    uint32_t first_edge;  /* into Paths.edges */
    uint32_t edge_count;  /* a conditional branch: not taken, taken; a switch: the cases, then the default; else one */
    uint32_t begin;       /* the register's value where a path begins here */
    uint32_t offset;      /* sum less the register of compiled code, everywhere in the block */
    bool begins;          /* paths may begin here: `begin` is valid */
} PathBlock;

typedef struct Paths {
    uint32_t path_count;
    uint32_t block_count, edge_count;
    uint32_t code_len;
    PathBlock *blocks; /* the same blocks as in the Cfg */
    PathEdge *edges;
    uint32_t *block_at; /* [code_len] */
} Paths;

/*
 * `most`: maximum number of paths, at most PATHS_MOST and at least 4 times the number of edges.
 * NULL: out of memory, malformed code, or subroutines (jsr), whose returns are not edges. The
 * caller frees the result with free().
 */
Paths *paths_build(const ClassFileCode *code, uint32_t most);
/*
 * Numbers the paths of a graph whose blocks, edges (to; ends for backedges) and block_at the caller
 * has filled. Tests call it directly. depth: each block's loop depth, which gives the weights of edges.
 */
void paths_number(Paths *p, const uint32_t *depth, uint32_t most);

/*
 * Writes the blocks of the path with that number to out, at most `room`, and returns their number.
 * *last: the edge that ends the path. 0: there is no such path.
 */
uint32_t paths_blocks(const Paths *p, uint32_t number, uint32_t *out, uint32_t room, const PathEdge **last);

static inline const PathBlock *paths_block(const Paths *p, uint32_t bci) { return &p->blocks[p->block_at[bci]]; }
static inline const PathEdge *paths_edge(const Paths *p, const PathBlock *b, uint32_t edge) {
    return &p->edges[b->first_edge + edge];
}
/* The register's value where a path begins in compiled code. */
static inline uint32_t paths_register(const PathBlock *b) { return b->begin - b->offset; }

#endif
