// Priorities are hints: three levels, each first in, first out, and none starves. The lock spins, because running
// pthreads hold it for some ten instructions and take it at each switch.
#include "vm/threads/green/greenqueue.h"

#include <sched.h>

#include "base/invariant.h"
#include "arch_pause.h"

enum { HIGH, NORMAL, LOW, SPINS = 100, STEAL = 32 };
_Static_assert(LOW + 1 == GREENQUEUE_LEVELS, "levels");

static void queue_lock(RunQueue *q) {
    for (int i = 0;; i++) {
        uint32_t open = 0;
        if (atomic_compare_exchange_weak_explicit(&q->lock, &open, 1, memory_order_acquire, memory_order_relaxed))
            return;
        if (i < SPINS) arch_pause();
        else sched_yield();
    }
}

static void queue_unlock(RunQueue *q) {
    ASSERT(atomic_load_explicit(&q->lock, memory_order_relaxed) == 1, "the queue is not locked");
    atomic_store_explicit(&q->lock, 0, memory_order_release);
}

static void push_locked(RunQueue *q, Thread *t) {
    int level = t->priority > 6 ? HIGH : t->priority < 4 && t->priority > 0 ? LOW : NORMAL;
    ASSERT(!t->queue_next && q->tail[level] != t, "thread %u is queued twice", t->id);
    t->queue_next = NULL;
    if (q->tail[level]) q->tail[level]->queue_next = t;
    else q->head[level] = t;
    q->tail[level] = t;
    uint32_t length = atomic_load_explicit(&q->length, memory_order_relaxed);
    atomic_store_explicit(&q->length, length + 1, memory_order_relaxed);
}

static Thread *take_level(RunQueue *q, int level) {
    Thread *t = q->head[level];
    if (!t) return NULL;
    q->head[level] = t->queue_next;
    ASSERT(q->head[level] || q->tail[level] == t, "the queue ends before its last thread");
    if (!q->head[level]) q->tail[level] = NULL;
    uint32_t length = atomic_load_explicit(&q->length, memory_order_relaxed);
    ASSERT(length > 0, "an empty queue gave thread %u", t->id);
    t->queue_next = NULL;
    atomic_store_explicit(&q->length, length - 1, memory_order_relaxed);
    return t;
}

// Higher priorities first, but every fourth pick prefers the middle level and every sixteenth the lowest, so that no
// level starves.
static Thread *pop_locked(RunQueue *q) {
    uint32_t pick = ++q->picks;
    Thread *t = NULL;
    if ((pick & 15) == 0) t = take_level(q, LOW);
    else if ((pick & 3) == 0) t = take_level(q, NORMAL);
    for (int level = HIGH; !t && level < GREENQUEUE_LEVELS; level++) t = take_level(q, level);
    return t;
}

void greenqueue_push(RunQueue *q, Thread *t) {
    queue_lock(q);
    push_locked(q, t);
    queue_unlock(q);
    atomic_thread_fence(memory_order_seq_cst);
}

Thread *greenqueue_pop(RunQueue *q) {
    if (atomic_load_explicit(&q->length, memory_order_relaxed) == 0) return NULL;
    queue_lock(q);
    Thread *t = pop_locked(q);
    queue_unlock(q);
    return t;
}

// The thief's lock is taken after the victim's has been released.
Thread *greenqueue_steal(RunQueue *thief, RunQueue *victim) {
    Thread *loot[STEAL];
    int n = 0;
    if (greenqueue_length(victim) == 0) return NULL;
    queue_lock(victim);
    int want = (int)((greenqueue_length(victim) + 1) / 2);
    if (want > STEAL) want = STEAL;
    while (n < want && (loot[n] = pop_locked(victim))) n++;
    queue_unlock(victim);
    if (n > 1) {
        queue_lock(thief);
        for (int i = 1; i < n; i++) push_locked(thief, loot[i]);
        queue_unlock(thief);
    }
    return n > 0 ? loot[0] : NULL;
}
