// Whether a method's recent counts differ from those that its plan has read: pure functions.
#ifndef CABERNET_VM_COUNTSCHANGE_H
#define CABERNET_VM_COUNTSCHANGE_H

#include "bytecode/analysis/dataflow.h"
#include "vm/api/methodcounts.h"

// A call site's receivers: the two distributions have less than half in common. A site of more classes than there are rows for
// does not count as changed.
bool countschange_receivers(const ReceiverCounts *before, const ReceiverCounts *now);

// A conditional branch at the end of a block: the share of one of its edges has changed by more than half. `flow`: of the method
// whose counts by block these are. Returns the block, or -1.
int64_t countschange_branch(const Dataflow *flow, const uint64_t *before, const uint64_t *now);

#endif
