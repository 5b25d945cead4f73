// Into a ring: the sinks of the threads that produce events.
#include "profiler/ring/transport_internal.h"

#include <string.h>

#include "profiler/ring/ringcontexts.h"
#include "profiler/ring/ringevents.h"
#include "vm/api/stamp.h"

// Sinks leave room for what compiled code writes before its next yieldpoint.
static inline __attribute__((always_inline)) void put(Transport *t, Ring *r, const EventPacker *p, unsigned n,
                                                      bool may_wait) {
    Queue *q = &r->queue;
    if (__builtin_expect(transport_overwrites(transports.request), 0)) {
        if (*q->next + n > q->cab.end) ringroom_overwrite(r);
    } else if (__builtin_expect(!queue_is_free(q, n), 0))
        ringroom_make(t, r, queue_looks_ahead(q) ? n + RING_UNPOLLED : n, may_wait);
    queue_put(q, p->words, n);
}

// Appends the event to `p`, after its stamp. There is room.
static void put_after_stamp(Transport *t, Ring *r, enum EventId event, uint64_t context, const EventPacker *p,
                            unsigned n) {
    const TransportNeeds *needs = &transports.needs;
    uint64_t words[CAB_LONGEST], more[] = {0, 0, 0};
    unsigned k = 0, count = 0;
    bool switches = by_carriers() && must_switch(t, r);
    if (switches) {
        words[k++] = EVENTWORDS_TAG(EVENTWORDS_SWITCH) | (uintptr_t)t;
        r->switches++;
        r->writer = t->id;
    }
    if (switches || needs->stamped >> event & 1) {
        atomic_store(&r->stamping, true);
        words[k++] = EVENTWORDS_TAG(EVENTWORDS_STAMP) | atomic_fetch_add(&transports.stamp, 1);
        if (needs->clocked) more[count++] = stamp_now();
        if (needs->bursts) more[count++] = t->front->bursts;
        if (needs->walked) more[count++] = context;
        for (unsigned i = 0; i < count; i++) words[k++] = EVENTWORDS_TAG(EVENTWORDS_MORE) | (more[i] & EVENTWORDS_MASK);
    }
    memcpy(&words[k], p->words, n * sizeof *words);
    queue_put(&r->queue, words, k + n);
    atomic_fetch_add_explicit(&r->published, 1, memory_order_release);
    atomic_store_explicit(&r->stamping, false, memory_order_release);
}

static __attribute__((noinline)) void put_ordered(Transport *t, Ring *r, enum EventId event, const EventPacker *p,
                                                  unsigned n, bool may_wait) {
    uint32_t context = transports.needs.walked >> event & 1 ? ringcontexts_here(transports.needs.deep >> event & 1) : 0;
    unsigned words = n + stamp_words() + by_carriers();
    if (!queue_is_free(&r->queue, words)) ringroom_make(t, r, words, may_wait);
    put_after_stamp(t, r, event, context, p, n);
}

// With rings=carrier. A thread keeps its ring only for events of code, which it makes itself while it has a processor.
static __attribute__((noinline)) void put_by_carrier(Transport *t, enum EventId event, const EventPacker *p, unsigned n,
                                                     bool may_wait, bool by_code) {
    Ring *r = t->ring;
    if (!r) r = transports.ordered ? carrierrings_borrow(t) : carrierrings_enter(t, may_wait);
    if (!r) {
        transport_event(t, event)->discarded++;
        return;
    }
    if (transports.ordered) put_ordered(t, r, event, p, n, may_wait);
    else put(t, r, p, n, may_wait);
    if (transports.ordered || !by_code) carrierrings_give_back(t);
}

// Not inlined, because each kind of event has a sink that calls it.
static __attribute__((noinline)) void put_event(Transport *t, enum EventId event, const EventPacker *p, unsigned n,
                                                bool may_wait, bool by_code) {
    if (__builtin_expect(transports.ordered || by_carriers(), 0)) {
        if (by_carriers()) put_by_carrier(t, event, p, n, may_wait, by_code);
        else put_ordered(t, t->ring, event, p, n, may_wait);
    } else put(t, t->ring, p, n, may_wait);
}

#define BY_CODE true
#define BY_CALLS true
#define BY_THREADS false
#define BY_SCHEDULER false
#define BY_VM false
#define MAY_WAIT true
#define NO_WAIT false
#define EVENT(id, text, payload, waits, counted, source, made_by)                      \
    static void put_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) { \
        EventPacker p;                                                                 \
        unsigned n = eventwords_write_##id(&p, EVENT_NAMES(payload));                  \
        put_event(sink->state, EVENT_##id, &p, n, waits, BY_##source);                 \
    }                                                                                  \
                                                                                       \
    static void tee_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) { \
        EventThread *to_ = ((const Transport *)sink->state)->besides;                  \
        to_->thread = ((const Transport *)sink->state)->front->thread;                 \
        put_##id(sink, EVENT_NAMES(payload));                                          \
        to_->id->fn(to_->id, EVENT_NAMES(payload));                                    \
    }
#include "vm/api/events.def"
#undef MAY_WAIT
#undef NO_WAIT

void ringput_connect(Transport *t) {
#define EVENT(id, text, payload, waits, counted, source, made_by)            \
    if (transports.needs.taken & EVENT_BIT(EVENT_##id)) {                    \
        EventSink_##id *sink = (void *)&transport_event(t, EVENT_##id)->put; \
        *sink = (EventSink_##id){t->besides ? tee_##id : put_##id, t};       \
        t->front->id = sink;                                                 \
    }
#include "vm/api/events.def"
}
