/*
 * Facts about a method's operand stack and local variables that a compiler needs besides the
 * control-flow graph: the kind of value in each slot at block entries, and the locals that may
 * still be read after each instruction.
 *
 * Subroutines (jsr/ret) are expanded: a block of a subroutine is duplicated for each call path, so
 * kinds and liveness are exact and `ret` is an ordinary jump. The blocks here are therefore not
 * those of the CFG, though derived from it. Immutable once built; any thread may read.
 */
#ifndef CABERNET_BYTECODE_ANALYSIS_DATAFLOW_H
#define CABERNET_BYTECODE_ANALYSIS_DATAFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/analysis/cfg.h"

/* Kinds of slots. The second slot of a long or double is KIND_UPPER. */
enum {
    KIND_DEAD = 0,
    KIND_INT = 'I',
    KIND_LONG = 'J',
    KIND_FLOAT = 'F',
    KIND_DOUBLE = 'D',
    KIND_REF = 'L',
    KIND_UPPER = '-',
    KIND_RETURN = 'R'
};

typedef struct FlowBlock {
    uint32_t cfg_block;                    /* the block of the CFG that this is a copy of */
    uint32_t context;                      /* 0: not in a subroutine */
    uint32_t start, end;                   /* bci's, end exclusive */
    uint32_t first_succ, succ_count;       /* into Dataflow.edges: in the order of branch targets: */
                                           /* for a conditional branch taken, then fall-through; for a */
                                           /* switch the cases in order, then the default (with repetition); */
                                           /* jsr: the subroutine; ret: the one block returned to */
    uint32_t first_handler, handler_count; /* into Dataflow.handlers */
    uint16_t stack_depth;                  /* slots at entry */
    uint32_t lock_depth;                   /* monitors entered by monitorenter at entry */
    const char *kinds;    /* [max_locals + max_stack] at entry: locals, then stack; KIND_DEAD where nothing */
                          /* that can be used: unset, conflicting, or dead */
    uint32_t loop_header; /* block that heads the innermost natural loop around it, or CFG_NONE */
    bool is_loop_header;
    bool is_handler;
    bool reached;
} FlowBlock;

typedef struct FlowHandler {
    uint32_t index; /* in the exception table */
    uint32_t block;
} FlowHandler;

typedef struct Dataflow {
    Cfg *cfg;
    FlowBlock *blocks; /* block 0 is the entry; only reached blocks */
    uint32_t block_count;
    uint32_t *edges;
    FlowHandler *handlers;
    uint32_t *order; /* blocks in reverse postorder */
    uint16_t max_locals, max_stack;
    bool balanced_locks;   /* monitors are entered and exited in pairs on every path: lock_depth is right */
    bool structured_locks; /* balanced, and each monitorexit provably exits the monitor that was entered last */
    bool has_subroutines;
    bool irreducible;
    uint32_t words;     /* 64-bit words of a liveness set */
    uint64_t *live;     /* private: dataflow_live */
    uint32_t *live_row; /* private */
    void *memory;       /* private */
} Dataflow;

/* The bci of a block's last instruction. */
static inline uint32_t dataflow_last(const Dataflow *flow, uint32_t block) {
    return flow->cfg->blocks[flow->blocks[block].cfg_block].last;
}

/* The number of edges that lead to a block: from blocks, and from where control enters the method. */
uint32_t dataflow_edges_to(const Dataflow *flow, uint32_t block);

/*
 * Descriptors that the analysis needs, by constant-pool index; text as in the class file
 * (a field's or method's descriptor; for ldc the one-letter kind of the constant), NUL-terminated.
 */
typedef const char *DataflowDescriptor(void *ctx, uint32_t bci);

/*
 * `desc`, `is_static`: of the method. NULL with a message when the code has inconsistent kinds, is
 * too large after expansion of subroutines, or when out of memory. The code must have passed
 * code_check.
 */
Dataflow *dataflow_build(const ClassFileCode *code, const char *desc, bool is_static, DataflowDescriptor *descriptor,
                         void *ctx, char *err, size_t cap);
void dataflow_free(Dataflow *flow);

/*
 * Locals that may be read when execution is about to begin the instruction at `bci` of block b (bci
 * == block end: when it leaves the block by its normal edges). Handlers of the block count as
 * reachable from every instruction. Bit i: local i (the lower slot of a pair).
 */
const uint64_t *dataflow_live(const Dataflow *flow, uint32_t b, uint32_t bci);

/*
 * The same for one instruction, without the rest of the analysis, for rare queries. `set` has room
 * for code->max_locals bits in whole words, at least one. False: unknown (subroutines, bci not at a
 * reachable instruction, out of memory, or code that dataflow_build rejects), so any local may be
 * read.
 */
bool dataflow_live_at(const ClassFileCode *code, uint32_t bci, uint64_t *set);

static inline bool dataflow_is_live(const uint64_t *set, uint32_t local) { return set[local / 64] >> (local % 64) & 1; }

#endif
