// Thread.timer_slot is the thread's index in the heap plus 1. A thread in the heap is asleep, about to sleep, or has
// just been woken and removes itself before it does anything else. Nothing here allocates Java memory or blocks for
// longer than the lock is held.
#include "vm/threads/green/greentimer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "base/grow.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"

static void place(Thread *t, uint32_t i) {
    green.timers.heap[i] = t;
    t->timer_slot = i + 1;
}

static void sift_up(Thread *t, uint32_t i) {
    while (i > 0 && green.timers.heap[(i - 1) / 2]->deadline > t->deadline) {
        place(green.timers.heap[(i - 1) / 2], i);
        i = (i - 1) / 2;
    }
    place(t, i);
}

static void publish_first(void) {
    for (uint32_t i = 1; ASSERTIONS && i < green.timers.count && i < 16; i++)
        ASSERT(green.timers.heap[(i - 1) / 2]->deadline <= green.timers.heap[i]->deadline,
               "timer %u is due before its parent", i);
    atomic_store(&green.timers.first, green.timers.count ? green.timers.heap[0]->deadline : THREAD_FOREVER);
}

static void take_out(Thread *t) {
    uint32_t i = t->timer_slot - 1;
    ASSERT(i < green.timers.count && green.timers.heap[i] == t, "thread %u is not at %u of %u timers", t->id, i,
           green.timers.count);
    t->timer_slot = 0;
    Thread *moved = green.timers.heap[--green.timers.count];
    if (moved != t) {
        Thread **heap = green.timers.heap;
        for (uint32_t child; (child = 2 * i + 1) < green.timers.count; i = child) {
            if (child + 1 < green.timers.count && heap[child + 1]->deadline < heap[child]->deadline) child++;
            if (heap[child]->deadline >= moved->deadline) break;
            place(heap[child], i);
        }
        sift_up(moved, i);  // only if it has not moved down
    }
    publish_first();
}

bool greentimer_add(Thread *t) {
    pthread_mutex_lock(&green.timers.lock);
    if (!GROW(green.timers.heap, green.timers.capacity, green.timers.count + 1)) {  // else the thread would never wake
        fputs("cabernet: out of memory for the table of timers\n", stderr);
        abort();
    }
    ASSERT(!t->timer_slot, "thread %u has a timer", t->id);
    sift_up(t, green.timers.count++);
    bool is_first = green.timers.heap[0] == t;
    publish_first();
    pthread_mutex_unlock(&green.timers.lock);
    return is_first;
}

void greentimer_remove(Thread *t) {
    pthread_mutex_lock(&green.timers.lock);
    if (t->timer_slot) take_out(t);
    pthread_mutex_unlock(&green.timers.lock);
}

Thread *greentimer_take_due(int64_t now) {
    Thread *due = NULL, **end = &due;
    pthread_mutex_lock(&green.timers.lock);
    while (green.timers.count > 0 && green.timers.heap[0]->deadline <= now) {
        Thread *t = green.timers.heap[0];
        take_out(t);
        uint32_t asleep = EVENT_ASLEEP;
        if (!atomic_compare_exchange_strong(&t->event, &asleep, EVENT_EXPIRED)) continue;
        t->queue_next = NULL;
        *end = t;
        end = &t->queue_next;
    }
    pthread_mutex_unlock(&green.timers.lock);
    return due;
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void greentimer_after_fork_child(void) {
    green.timers.count = 0;
    publish_first();
    pthread_mutex_unlock(&green.timers.lock);
}
