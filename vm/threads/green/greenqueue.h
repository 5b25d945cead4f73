// A run queue: the runnable threads that wait for one processor, and what a processor without work
// takes from another's queue. Each queue has a lock of its own, held for a few instructions; no
// function here takes another lock while it holds one.
#ifndef CABERNET_VM_GREENQUEUE_H
#define CABERNET_VM_GREENQUEUE_H

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

// Behind the others of its priority. A full barrier: what the caller looks at afterwards is no older
// than the push.
void greenqueue_push(RunQueue *q, Thread *t);
// The next one to run, NULL when nobody waits.
Thread *greenqueue_pop(RunQueue *q);
// Half of what waits in the victim's queue: one to run at once, the others go to the thief's queue. NULL:
// nobody waits there.
Thread *greenqueue_steal(RunQueue *thief, RunQueue *victim);

#endif
