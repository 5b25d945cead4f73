// The table of counts that template code makes for methods (vm/api/methodcounts.h). A method's counts are created
// with the first code that counts for it, and live as long as the method's class.
#ifndef CABERNET_VM_ADAPTIVE_METHODCOUNTS_H
#define CABERNET_VM_ADAPTIVE_METHODCOUNTS_H

#include "vm/api/methodcounts.h"

// The counts of a method whose Dataflow has `blocks` blocks and which has `receivers` invokevirtual and
// invokeinterface; created if there are none yet. They live until all compilations that were running when the method
// was unloaded have finished. Any thread; takes a lock.
MethodCounts *methodcounts_make(Method *m, uint32_t blocks, uint32_t receivers);

// MethodCounts.recent of that method; both are created if there are none yet.
MethodCounts *methodcounts_make_recent(Method *m, uint32_t blocks, uint32_t receivers);

// Counts a sample of the method's optimised code and returns their number. Any thread.
uint32_t methodcounts_sampled(const Method *m);
// Whether the recent counts differ from the others; if so, `what` names the first difference.
bool methodcounts_changed(const Method *m, char *what, size_t size);
// Replaces the other counts by the recent ones, scaled to the sum of the others.
void methodcounts_adopt(const Method *m);
// Halves each recent count, or each of the others, so that later counts weigh more. Any thread.
void methodcounts_decay(const Method *m, bool recent);

// Notes that code was left at the instruction at `bci` for a case that had never been counted. Later code handles
// that case.
void methodcounts_left(const Method *m, uint32_t bci);

typedef struct MethodCountsStats {
    uint32_t methods;
    size_t bytes;
} MethodCountsStats;
MethodCountsStats methodcounts_stats(void);

// World stopped: the classes of some methods, and of some receivers, are about to be unloaded. `begun`: the number of
// compilations already begun (compilequeue_begun), which may still use the counts.
void methodcounts_forget_dead(uint64_t begun);

// Called around a fork, in the parent and in the child.
void methodcounts_before_fork(void);
void methodcounts_after_fork(void);

#endif
