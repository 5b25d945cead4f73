// Deadlines of blocked green threads: a binary heap.
#ifndef CABERNET_VM_GREENTIMER_H
#define CABERNET_VM_GREENTIMER_H

#include "vm/threads/thread.h"

// Puts t in with t->deadline. True: it is now the first.
bool greentimer_add(Thread *t);
// Takes it out; nothing when it is not in.
void greentimer_remove(Thread *t);
// The first deadline, THREAD_FOREVER when there is none. No lock: may be old by a moment.
int64_t greentimer_first(void);
// Takes out the threads whose deadline has passed and that were still asleep (Thread.event), as a
// list through queue_next.
Thread *greentimer_take_due(int64_t now);

// Around a fork: whoever sleeps is not in the child.
void greentimer_before_fork(void);
void greentimer_after_fork_parent(void);
void greentimer_after_fork_child(void);

#endif
