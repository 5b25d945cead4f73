// Rings of carriers (rings=carrier, transport.h): lent to a green thread while it has a processor. The lock of leases
// protects free rings and which thread has which ring.
#include "profiler/ring/transport_internal.h"

#include "profiler/ring/eventwords.h"
#include "vm/api/thread.h"

Ring *carrierrings_borrow(Transport *t) {
    int processor = t->front->thread ? thread_processor(t->front->thread) : -1;
    pthread_mutex_lock(&transports.leases);
    Ring **from = processor >= 0 && processor < PROCESSORS && transports.free[processor] ? &transports.free[processor]
                                                                                         : &transports.spare;
    Ring *r = *from;
    if (r) {
        *from = from == &transports.spare ? r->spare : NULL;
        queue_move(&r->queue, t->next);
        t->ring = r;
    }
    pthread_mutex_unlock(&transports.leases);
    if (r || !(r = ring_new(t->next))) return r;
    pthread_mutex_lock(&transports.lock);
    r->consumer = &transports.consumers[0];
    ring_list(r);
    pthread_mutex_unlock(&transports.lock);
    t->ring = r;
    return r;
}

// Requires the lock of leases. Takes the thread's ring back. The thread has no other to write into, until it borrows
// one.
static void take_back(Transport *t) {
    Ring *r = t->ring;
    if (!r) return;
    int processor = t->front->thread ? thread_processor(t->front->thread) : -1;
    t->left = r;
    t->left_at = ring_written(r);
    t->ring = NULL;
    queue_move(&r->queue, &r->position);
    transport_nowhere(t->next);
    if (processor >= 0 && processor < PROCESSORS && !transports.free[processor]) {
        transports.free[processor] = r;
    } else {
        r->spare = transports.spare;
        transports.spare = r;
    }
}

void carrierrings_give_back(Transport *t) {
    pthread_mutex_lock(&transports.leases);
    take_back(t);
    pthread_mutex_unlock(&transports.leases);
}

// EventPlaces.lost_processor. The profile may end meanwhile.
static void lost_processor(EventPlaces *places) {
    pthread_mutex_lock(&transports.leases);
    if (places->transport) take_back(places->transport);
    pthread_mutex_unlock(&transports.leases);
}

void carrierrings_follow(Transport *t, bool on) {
    if (!t->places) return;
    pthread_mutex_lock(&transports.leases);
    t->places->transport = on ? t : NULL;
    pthread_mutex_unlock(&transports.leases);
    __atomic_store_n(&t->places->lost_processor, on ? lost_processor : NULL, __ATOMIC_RELEASE);
}

__attribute__((noinline)) Ring *carrierrings_enter(Transport *t, bool may_wait) {
    Ring *r = carrierrings_borrow(t);
    if (!r) return NULL;
    bool switches = must_switch(t, r);
    size_t need = RING_UNPOLLED + RING_EVENT + (switches ? SWITCH_WORDS : 0);
    if (!queue_is_free(&r->queue, need)) ringroom_make(t, r, need, may_wait);
    if (!switches) return r;
    const uint64_t more = EVENTWORDS_TAG(EVENTWORDS_MORE),
                   words[SWITCH_WORDS] = {EVENTWORDS_TAG(EVENTWORDS_SWITCH) | (uintptr_t)t, more | (uintptr_t)t->left,
                                          more | t->left_at};
    queue_put(&r->queue, words, SWITCH_WORDS);
    r->switches++;
    r->writer = t->id;
    t->left = r;
    return r;
}
