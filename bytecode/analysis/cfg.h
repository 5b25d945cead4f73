/*
 * Control-flow graph of one method's bytecode.
 *
 * Built from a code array and exception table alone. Blocks are in bci order and cover all code
 * that is reached by falling through, branching or throwing, and the unreached rest as blocks
 * marked unreachable. Immutable once built; any thread may read. Freed as a whole by cfg_free().
 *
 * jsr/ret: a jsr block has its subroutine as successor; a ret block has as successors the blocks
 * after every jsr whose subroutine can reach it, conservatively: after every jsr of the method.
 * Such methods have `has_jsr` set.
 *
 * Edges to exception handlers are kept apart from ordinary successors. A block ends where the set
 * of handlers that covers it changes, so all of a block's instructions have the same handlers.
 */
#ifndef CABERNET_BYTECODE_ANALYSIS_CFG_H
#define CABERNET_BYTECODE_ANALYSIS_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/classfile/classfile.h"

#define CFG_NONE UINT32_MAX

typedef struct CfgBlock {
    uint32_t start, end;    /* bci's, end exclusive */
    uint32_t last;          /* bci of the last instruction */
    uint32_t first_succ;    /* into Cfg.edges: normal successors (block numbers) */
    uint32_t succ_count;    /* without repetition; branch targets first, fall-through last */
    uint32_t first_handler; /* into Cfg.edges: handler blocks in search order, no repetition, */
    uint32_t handler_count; /*   none after one that catches everything */
    uint32_t first_pred;    /* into Cfg.edges: predecessors over normal and handler edges, */
    uint32_t pred_count;    /*   reachable ones only; twice where both edges exist */
    uint32_t rpo;           /* position in Cfg.rpo; CFG_NONE if unreachable */
    uint32_t idom;          /* immediate dominator; itself for block 0; CFG_NONE if unreachable */
    uint32_t loop_depth;    /* 0 outside loops; natural loops only */
    uint32_t loop_header;   /* header of the innermost loop (of itself for a header); or CFG_NONE */
    uint32_t loop_parent;   /* for a header: header of the enclosing loop, or CFG_NONE */
    bool reachable;
    bool is_handler;     /* entry of an exception handler */
    bool is_loop_header; /* target of a natural backedge */
    bool falls_off;      /* control can run past the end of the code */
} CfgBlock;

/*
 * An edge whose target dominates its source (natural), or one that is retreating in depth-first
 * order although its target does not dominate it: an entry into an irreducible loop.
 */
typedef struct CfgBackedge {
    uint32_t from, to;
    bool natural;
    bool exceptional; /* over a handler edge */
} CfgBackedge;

typedef struct Cfg {
    uint32_t block_count;
    uint32_t reachable_count;
    uint32_t backedge_count;
    uint32_t edge_count;
    CfgBlock *blocks;
    uint32_t *edges;
    uint32_t *rpo; /* reachable blocks in reverse postorder */
    CfgBackedge *backedges;
    uint32_t *block_at;  /* [code_len]: block that contains the bci */
    uint8_t *insn_start; /* [code_len]: 1 where an instruction starts */
    bool has_jsr;
    bool irreducible;
} Cfg;

/*
 * Builds the graph. Returns NULL and writes a message to err (if cap > 0) when the code is
 * malformed (bad opcode, truncated instruction, target off an instruction boundary, bad exception
 * range), when the graph would be absurdly large (millions of handler edges), or when out of
 * memory. Calls only malloc.
 */
Cfg *cfg_build(const ClassFileCode *code, char *err, size_t cap);
void cfg_free(Cfg *cfg);

/*
 * Derives order, predecessors, dominators and loops, like cfg_build, for a graph built by the
 * caller: its blocks (zeroed except for bcis, successors and handlers) and its edges, without
 * duplicates, both from malloc. False when out of memory or the graph is absurdly large. In any
 * case the graph then belongs to cfg_free.
 */
bool cfg_analyze(Cfg *cfg);

/* Does block a dominate block b? Both reachable. */
bool cfg_dominates(const Cfg *cfg, uint32_t a, uint32_t b);

#endif
