// Tests whether a method's recent counts differ from those that its plan has read. Pure functions.
#ifndef CABERNET_VM_ADAPTIVE_COUNTSCHANGE_H
#define CABERNET_VM_ADAPTIVE_COUNTSCHANGE_H

#include "bytecode/analysis/dataflow.h"
#include "vm/api/methodcounts.h"

// Whether a call site's receivers have changed: the two distributions have less than half in common. A site that uses
// all rows may have further classes and does not count as changed.
bool countschange_receivers(const ReceiverCounts *before, const ReceiverCounts *now);

// Whether a conditional branch at the end of a block has changed: the share of one of its edges differs by more than
// half. `flow` describes the method whose counts by block these are. Returns the block, or -1.
int64_t countschange_branch(const Dataflow *flow, const uint64_t *before, const uint64_t *now);

#endif
