// Thread.timer_slot is the thread's index in the heap plus 1. A thread that is in the heap is
// asleep, on its way there, or has just been woken and takes itself out before it does anything
// else. Nothing here allocates Java memory or blocks for longer than the lock is held.
#include "vm/threads/green/greentimer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "base/grow.h"
#include "vm/threads/backend.h"

static struct GreenTimers {
    pthread_mutex_t lock;
    Thread **heap;
    uint32_t count, capacity;
    _Atomic int64_t first;
} timers = {.lock = PTHREAD_MUTEX_INITIALIZER, .first = THREAD_FOREVER};

static void place(Thread *t, uint32_t i) {
    timers.heap[i] = t;
    t->timer_slot = i + 1;
}

static void sift_up(Thread *t, uint32_t i) {
    while (i > 0 && timers.heap[(i - 1) / 2]->deadline > t->deadline) {
        place(timers.heap[(i - 1) / 2], i);
        i = (i - 1) / 2;
    }
    place(t, i);
}

static void sift_down(Thread *t, uint32_t i) {
    for (uint32_t child; (child = 2 * i + 1) < timers.count; i = child) {
        if (child + 1 < timers.count && timers.heap[child + 1]->deadline < timers.heap[child]->deadline) child++;
        if (timers.heap[child]->deadline >= t->deadline) break;
        place(timers.heap[child], i);
    }
    place(t, i);
}

static void publish_first(void) {
    for (uint32_t i = 1; ASSERTIONS && i < timers.count && i < 16; i++)
        ASSERT(timers.heap[(i - 1) / 2]->deadline <= timers.heap[i]->deadline, "timer %u is due before its parent", i);
    atomic_store(&timers.first, timers.count ? timers.heap[0]->deadline : THREAD_FOREVER);
}

static void take_out(Thread *t) {
    uint32_t i = t->timer_slot - 1;
    ASSERT(i < timers.count && timers.heap[i] == t, "thread %u is not at %u of %u timers", t->id, i, timers.count);
    t->timer_slot = 0;
    Thread *moved = timers.heap[--timers.count];
    if (moved != t) {
        if (i > 0 && timers.heap[(i - 1) / 2]->deadline > moved->deadline) sift_up(moved, i);
        else sift_down(moved, i);
    }
    publish_first();
}

bool greentimer_add(Thread *t) {
    pthread_mutex_lock(&timers.lock);
    if (!GROW(timers.heap, timers.capacity, timers.count + 1)) {  // nobody would wake the thread: there is no way on
        fputs("cabernet: out of memory for the table of timers\n", stderr);
        abort();
    }
    ASSERT(!t->timer_slot, "thread %u has a timer", t->id);
    sift_up(t, timers.count++);
    bool is_first = timers.heap[0] == t;
    publish_first();
    pthread_mutex_unlock(&timers.lock);
    return is_first;
}

void greentimer_remove(Thread *t) {
    pthread_mutex_lock(&timers.lock);
    if (t->timer_slot) take_out(t);
    pthread_mutex_unlock(&timers.lock);
}

int64_t greentimer_first(void) { return atomic_load(&timers.first); }

Thread *greentimer_take_due(int64_t now) {
    Thread *due = NULL, **end = &due;
    pthread_mutex_lock(&timers.lock);
    while (timers.count > 0 && timers.heap[0]->deadline <= now) {
        Thread *t = timers.heap[0];
        take_out(t);
        uint32_t asleep = EVENT_ASLEEP;
        if (!atomic_compare_exchange_strong(&t->event, &asleep, EVENT_EXPIRED)) continue;
        t->queue_next = NULL;
        *end = t;
        end = &t->queue_next;
    }
    pthread_mutex_unlock(&timers.lock);
    return due;
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void greentimer_before_fork(void) { pthread_mutex_lock(&timers.lock); }
void greentimer_after_fork_parent(void) { pthread_mutex_unlock(&timers.lock); }

void greentimer_after_fork_child(void) {
    timers.count = 0;
    publish_first();
    pthread_mutex_unlock(&timers.lock);
}
