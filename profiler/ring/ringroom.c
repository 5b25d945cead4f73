// A producer that finds no room: it waits at its next yieldpoint, stalls, or discards the contents after its consumer
// has ended. A ring that is overwritten begins its next lap.
#include "profiler/ring/transport_internal.h"

#include <time.h>

#include "base/clock.h"
#include "base/invariant.h"

enum {
    HOLD_NS = 20 * 1000,             // pause of a stalled producer
    SAFEPOINT_NS = 2 * 1000 * 1000,  // how long a waiting producer relies on being woken
};

// No thread consumes the ring any more, or ever will: one of its consumers has ended.
static bool is_abandoned(const Ring *r) {
    for
        EACH_READER(reader, r)
    if (atomic_load(&reader->consumer->ended)) return true;
    return atomic_load(&r->consumer->ended) || atomic_load(&transports.forgotten);
}

static void wake_consumers(Ring *r) {
    profilerthread_wake(r->consumer->thread);
    for
        EACH_READER(reader, r)
    profilerthread_wake(reader->consumer->thread);
}

// Requires the lock; called by the producer. A ring that is full doubles, up to the limit: a thread that makes events
// rarely keeps a small one. Its words stay in order. False: it has its full size or room again, or memory is short.
static bool grow(Ring *r) {
    if (!transports.request->grow) return false;  // the queue may be of another kind
    Cab *ring = &r->queue.cab;
    size_t most = transports.request->grow / sizeof(uint64_t), words = 2 * ring->words;
    if (words > most) words = most - most % ring->chunk;
    if (words <= ring->words || queue_is_backed_off(&r->queue)) return false;
    ringholders_take(r);
    bool grown = cab_grow(ring, words);
    r->grown += grown;
    for
        EACH_READER(reader, r)
    if (grown) follower_move(&reader->follower, ring);
    ringholders_release(r);
    return grown;
}

// With rings=carrier the ring may be another thread's meanwhile, so its position says nothing.
static bool has_waited(const Transport *t, const Ring *r) {
    if (is_abandoned(r)) return true;
    return by_carriers() ? atomic_load_explicit(&r->cleared, memory_order_acquire) >= t->awaits
                         : queue_is_backed_off(&r->queue);
}

void ringroom_wait(void *arg) {
    Transport *t = arg;
    Ring *r = by_carriers() ? t->awaited : t->ring;
    int64_t begin = clock_monotonic_ns();
    pthread_mutex_lock(&transports.lock);
    if (!is_abandoned(r) && grow(r)) {
        pthread_mutex_unlock(&transports.lock);
        return;
    }
    r->waiting++;
    while (!has_waited(t, r)) {
        wake_consumers(r);
        int64_t until = clock_wall_ns() + SAFEPOINT_NS;
        struct timespec at = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
        pthread_cond_timedwait(&transports.changed, &transports.lock, &at);
    }
    r->waiting--;
    r->waits++;
    r->wait_ns += (uint64_t)(clock_monotonic_ns() - begin);
    pthread_cond_broadcast(&transports.changed);
    pthread_mutex_unlock(&transports.lock);
}

// Asks that the thread wait until two chunks of its ring are free.
static void ask_for_room(Transport *t, Ring *r) {
    if (by_carriers() && !t->wait.asked) {
        uint64_t free_at = ring_written(r) + 2 * r->queue.cab.chunk;
        t->awaited = r;
        t->awaits = free_at > r->queue.cab.words ? free_at - r->queue.cab.words : 0;
    }
    eventwait_ask(&t->wait);
}

static void hold(Ring *r, size_t n) {
    int64_t begin = clock_monotonic_ns();
    r->holds++;
    do {
        wake_consumers(r);
        nanosleep(&(struct timespec){.tv_nsec = HOLD_NS}, NULL);
    } while (!is_abandoned(r) && queue_room(&r->queue, n) == CAB_FULL);
    r->hold_ns += (uint64_t)(clock_monotonic_ns() - begin);
}

// Called by the producer when its consumer has ended. If another thread is draining the ring, waits; then there is
// room.
static void discard(Ring *r, size_t n) {
    pthread_mutex_lock(&transports.lock);
    ringholders_take(r);
    pthread_mutex_unlock(&transports.lock);
    if (queue_room(&r->queue, n) == CAB_FULL) ringdrain_discard(r);
    pthread_mutex_lock(&transports.lock);
    ringholders_release(r);
    pthread_mutex_unlock(&transports.lock);
}

__attribute__((noinline)) void ringroom_make(Transport *t, Ring *r, size_t n, bool may_wait) {
    if (transports.request->unread) {
        queue_restart(&r->queue);
        return;
    }
    CabRoom room = queue_room(&r->queue, n);
    if (room == CAB_ROOMY) return;
    if (!is_abandoned(r)) {
        if (may_wait) ask_for_room(t, r);
        if (room == CAB_FULL) hold(r, n);
        if (!is_abandoned(r)) return;
    }
    if (queue_room(&r->queue, n) != CAB_FULL) return;
    discard(r, n);
    queue_room(&r->queue, n);
}

__attribute__((noinline)) void ringroom_overwrite(Ring *r) {
    if (transports.request->unread) {
        queue_restart(&r->queue);
        return;
    }
    ringsamples_next_lap(&r->samples, &r->queue.cab, !is_abandoned(r));
}

void transport_room(Transport *t, enum EventId event) {
    if (transport_overwrites(transports.request)) {
        ringroom_overwrite(t->ring);
        return;
    }
    if (by_carriers() && !t->ring && !carrierrings_enter(t, true)) {
        transport_event(t, event)->discarded++;
        transport_nowhere(t->next);
        return;
    }
    ASSERT(!queue_looks_ahead(&t->ring->queue) || transports.request->unread || is_abandoned(t->ring) ||
               queue_room(&t->ring->queue, RING_EVENT) != CAB_FULL,
           "compiled code has written more than %d words without a yieldpoint", RING_UNPOLLED);
    ringroom_make(t, t->ring, RING_EVENT, true);
}
