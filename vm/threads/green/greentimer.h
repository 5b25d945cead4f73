// Deadlines of blocked green threads: a binary heap.
#ifndef CABERNET_VM_THREADS_GREEN_GREENTIMER_H
#define CABERNET_VM_THREADS_GREEN_GREENTIMER_H

#include "vm/threads/thread.h"

// Inserts t by t->deadline. True: it is now the first.
bool greentimer_add(Thread *t);
// Removes t; does nothing when it is not in the heap.
void greentimer_remove(Thread *t);
// Removes the threads whose deadline has passed and that were still asleep (Thread.event). Returns them as a list
// through queue_next.
Thread *greentimer_take_due(int64_t now);

// In the child of a fork, with the lock, which it releases: sleeping threads do not exist there.
void greentimer_after_fork_child(void);

#endif
