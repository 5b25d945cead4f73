// The order of all threads' events (transport.h): a round merges the rings by their events' stamps.
#include "profiler/ring/transport_internal.h"

#include <sched.h>

#include "profiler/ring/ringcontexts.h"
#include "profiler/ring/ringevents.h"

// The oldest event's stamp; 0: it has none. Removes words that begin no event before it. The ring has an event.
static uint64_t stamp_ahead(Ring *r) {
    for (;;) {
        if (!queue_has(&r->queue, 0)) return 0;
        uint64_t word = cab_peek(queue_read(&r->queue));
        if (eventwords_tag(word) == EVENTWORDS_STAMP) return word & EVENTWORDS_MASK;
        if (ringevents_of(word) != EVENT_COUNT) return 0;
        if (eventwords_tag(word) == EVENTWORDS_SWITCH) {
            ringdrain_switch(r);
            continue;
        }
        queue_take(&r->queue, 1);
        r->removed++;
    }
}

// Reads the next word of a stamp.
static uint64_t next_of_stamp(const uint64_t **at) { return cab_peek(++*at) & EVENTWORDS_MASK; }

static void analyse_stamped(Ring *r) {
    const TransportNeeds *n = &transports.needs;
    const uint64_t *start = queue_read(&r->queue), *at = start;
    Back *back = r->of->back;
    back->events.thread = r->of->front->thread;
    if (n->clocked) back->moment.at = next_of_stamp(&at);
    if (n->bursts) back->events.bursts = next_of_stamp(&at);
    if (n->walked) ringcontexts_at((uint32_t)next_of_stamp(&at), &back->moment);
    ringdrain_analyse(r, (unsigned)(at - start) + 1);
}

// Analyses the ring's next event, and those after it that have no stamp. Returns the stamp of the one that is next
// then; 0: there is none within the limit.
static uint64_t advance(Ring *r, bool stamped) {
    if (stamped) analyse_stamped(r);
    while (r->taken < r->limit && queue_has(&r->queue, 0)) {
        uint64_t stamp = stamp_ahead(r);
        if (stamp) return stamp;
        if (queue_has(&r->queue, 0)) ringdrain_analyse(r, 0);
    }
    return 0;
}

// Joins two skew heaps, whose root has the smallest stamp.
static Ring *meld(Ring *a, Ring *b) {
    Ring *root = NULL, **at = &root;
    while (a && b) {
        Ring *least = b->ahead < a->ahead ? b : a, *right = least->right;
        if (least == b) b = a;
        *at = least;
        least->right = least->left;
        at = &least->left;
        a = right;
    }
    *at = a ? a : b;
    return root;
}

// The rings of this round, with their limits. A ring that begins later has no stamp below the counter's value before.
static Ring *rings_of_round(bool alone) {
    Ring *first = NULL;
    if (!alone) pthread_mutex_lock(&transports.lock);
    for (Ring *r = transports.first; r; r = r->link) {
        r->round = first;
        first = r;
    }
    if (!alone) pthread_mutex_unlock(&transports.lock);
    for (Ring *r = first; r; r = r->round) {
        ringdrain_skip_unfinished(r);
        while (!alone && atomic_load(&r->stamping) && !atomic_load(&transports.forgotten)) sched_yield();
        r->limit = atomic_load_explicit(&r->published, memory_order_acquire);
    }
    return first;
}

void ringorder_merge(bool alone) {
    uint64_t now = atomic_load(&transports.stamp);
    Ring *heap = NULL, *first = rings_of_round(alone);
    for (Ring *r = first; r; r = r->round) {
        r->left = r->right = NULL;
        r->ahead = r->taken < r->limit ? advance(r, false) : 0;
        if (r->ahead) heap = meld(heap, r);
    }
    while (heap && heap->ahead < now) {
        Ring *r = heap;
        heap = meld(r->left, r->right);
        r->left = r->right = NULL;
        r->ahead = advance(r, true);
        if (r->ahead) heap = meld(heap, r);
    }
    for (Ring *r = first; r; r = r->round) publish_removed(r);
}
