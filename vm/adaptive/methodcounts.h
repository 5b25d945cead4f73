// The counts of methods that template code has counted (vm/api/methodcounts.h): which methods have some. They are made when
// the first code that counts is, and live as long as their method's class.
#ifndef CABERNET_VM_METHODCOUNTS_H
#define CABERNET_VM_METHODCOUNTS_H

#include "vm/api/methodcounts.h"

// The counts of a method whose Dataflow has so many blocks and which has so many invokevirtual and invokeinterface; made if there
// are none yet. They live until no compilation that was under way when the method was unloaded is any more. Any thread; a lock.
MethodCounts *methodcounts_make(Method *m, uint32_t blocks, uint32_t receivers);

// MethodCounts.recent of that method; both are made if there are none yet.
MethodCounts *methodcounts_make_recent(Method *m, uint32_t blocks, uint32_t receivers);

// Counts a sample of the method's optimised code; returns the number so far. Any thread.
uint32_t methodcounts_sampled(const Method *m);
// Whether the recent counts differ from the others, and in what, as text.
bool methodcounts_changed(const Method *m, char *what, size_t size);
// The recent counts take the place of the others, scaled to their sum.
void methodcounts_adopt(const Method *m);
// Each recent count becomes half of what it is.
void methodcounts_decay_recent(const Method *m);

// Each count becomes half of what it is, so that what comes from now on weighs more. Any thread.
void methodcounts_decay(const Method *m);

// Code was left at the instruction at `bci` because something came that never had: the next code is not made to be left there.
void methodcounts_left(const Method *m, uint32_t bci);

typedef struct MethodCountsStats {
    uint32_t methods;
    size_t bytes;
} MethodCountsStats;
MethodCountsStats methodcounts_stats(void);

// World stopped: the classes of some methods, and of some receivers, are about to be unloaded. `begun`: compilations begun
// so far (compilequeue_begun), which may still name the counts.
void methodcounts_forget_dead(uint64_t begun);

// Around a fork, in the parent and in the child.
void methodcounts_before_fork(void);
void methodcounts_after_fork(void);

#endif
