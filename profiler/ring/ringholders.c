// The holders of rings.
//
// A thread holds a ring (`holder`) while it removes events: the consumer for one batch, a draining thread, or a
// producer that discards. A ring has one holder at a time. A consumer that has ended no longer counts as a holder; the
// others always release the ring.
#include "profiler/ring/transport_internal.h"

// With `ordered` and with rings=carrier all rings have one holder.
static bool have_merger(void) { return transports.ordered || by_carriers(); }
static Holder *holder_of(Ring *r) { return have_merger() ? &transports.merger : &r->holder; }

static bool is_merging(void) {
    return transports.merger == HELD_BY_OTHER ||
        (transports.merger == HELD_BY_CONSUMER && !atomic_load(&transports.consumers[0].ended));
}

bool ringholders_is_held(const Ring *r) {
    if (have_merger()) return is_merging();
    Holder holder = r->holder;
    return holder == HELD_BY_OTHER || (holder == HELD_BY_CONSUMER && !atomic_load(&r->consumer->ended));
}

bool ringholders_is_used(Ring *r) {
    if (have_merger()) return is_merging();
    for
        EACH_READER(reader, r)
    if (reader->held && !atomic_load(&reader->consumer->ended)) return true;
    return ringholders_is_held(r);
}

void ringholders_lend(Ring *r) { *holder_of(r) = HELD_BY_CONSUMER; }

void ringholders_take(Ring *r) {
    while (ringholders_is_used(r)) pthread_cond_wait(&transports.changed, &transports.lock);
    *holder_of(r) = HELD_BY_OTHER;
}

void ringholders_release(Ring *r) {
    *holder_of(r) = HELD_BY_NOBODY;
    pthread_cond_broadcast(&transports.changed);
}
