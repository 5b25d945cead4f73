// Deadlines of blocked green threads: a binary heap.
#ifndef CABERNET_VM_THREADS_GREEN_GREENTIMER_H
#define CABERNET_VM_THREADS_GREEN_GREENTIMER_H

#include "vm/threads/thread.h"

// Inserts t by t->deadline. True: it is now the first.
bool greentimer_add(Thread *t);
// Removes t; does nothing when it is not in the heap.
void greentimer_remove(Thread *t);
// The first deadline, THREAD_FOREVER when there is none. No lock: may be slightly out of date.
int64_t greentimer_first(void);
// Removes the threads whose deadline has passed and that were still asleep (Thread.event). Returns them as a list
// through queue_next.
Thread *greentimer_take_due(int64_t now);

// Around a fork: sleeping threads do not exist in the child.
void greentimer_before_fork(void);
void greentimer_after_fork_parent(void);
void greentimer_after_fork_child(void);

#endif
