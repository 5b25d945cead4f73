// A run queue: the runnable threads that wait for one processor. A processor without work steals from the queue of
// another. Each queue has its own lock, held for a few instructions; no function here takes a second lock while it
// holds one.
#ifndef CABERNET_VM_THREADS_GREEN_GREENQUEUE_H
#define CABERNET_VM_THREADS_GREEN_GREENQUEUE_H

#include "vm/threads/thread.h"

enum { GREENQUEUE_LEVELS = 3 };

// All zero: empty.
typedef struct RunQueue {
    _Atomic uint32_t lock;
    Thread *head[GREENQUEUE_LEVELS], *tail[GREENQUEUE_LEVELS];
    uint32_t picks;
    _Atomic uint32_t length;
} RunQueue;

static inline uint32_t greenqueue_length(const RunQueue *q) { return atomic_load(&q->length); }

// Appends to the threads of the same priority. A full barrier: loads by the caller afterwards are no older than the
// push.
void greenqueue_push(RunQueue *q, Thread *t);
// The next thread to run; NULL when the queue is empty.
Thread *greenqueue_pop(RunQueue *q);
// Takes half of the victim's queue: returns one thread to run at once and moves the others to the thief's queue. NULL:
// the victim's queue is empty.
Thread *greenqueue_steal(RunQueue *thief, RunQueue *victim);

#endif
