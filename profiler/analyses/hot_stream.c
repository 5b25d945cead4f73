// hot-stream: frequently repeated sequences of data references. Each thread's references are appended to a grammar
// (profiler/streams/sequitur.h), in which hotstreamreport.c finds the streams. Rows are the places of references, and
// objects.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/analyses/hotstream.h"
#include "profiler/analyses/sitecounts.h"

enum { SHARDS = 64, FIRST_OBJECTS = 64, FIRST_SYMBOLS = 256, NODES_OF_OBJECT = 4, NODES_OF_SYMBOL = 4 };

// Objects by address. An object with a reused address and an unrecorded allocation is taken for the previous one.
typedef struct Shard {
    pthread_mutex_t lock;
    StreamObject *slots;  // address 0: free; at most half are used
    uint32_t used, mask;
} Shard;

typedef struct HotStreams {
    AnalysisSettings *settings;
    const ProfileHost *host;
    _Atomic uint32_t collections;  // while recording
    pthread_mutex_t lock;          // of the list of traces
    StreamTrace *first;
    _Atomic uint32_t objects;
    _Atomic uint64_t lost_untraced;  // events of threads without a trace
    Shard shards[SHARDS];
} HotStreams;

static HotStreams streams[ANALYSIS_SIDES] = {
    [0 ... ANALYSIS_SIDES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                  .shards = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}}}};

HotStreamState hotstream_state(void) {
    return (HotStreamState){streams->settings, streams->first, streams->objects, streams->lost_untraced};
}

void hotstream_fork(bool before) {
    for (HotStreams *h = streams; h < streams + ANALYSIS_SIDES; h++) {
        if (before) pthread_mutex_lock(&h->lock);
        for (int i = 0; i < SHARDS; i++) {
            if (before) pthread_mutex_lock(&h->shards[i].lock);
            else pthread_mutex_unlock(&h->shards[i].lock);
        }
        if (!before) pthread_mutex_unlock(&h->lock);
    }
}

typedef struct ThreadState {
    HotStreams *of;
    SiteCounts *places;
    StreamTrace *trace;  // NULL: limit= has no room for a grammar, and everything the thread does is lost
    EventThread *events;
    uint64_t bursts;  // those ended by a separator
    bool gap;         // references were lost since the last recorded one: a separator keeps streams from spanning them
    uint64_t lost;    // events of this thread; the trace has its own sum, because several threads use it in turn
} ThreadState;

enum Kind { KIND_GET, KIND_PUT, KIND_LOAD, KIND_STORE, KIND_NEW };
static const char *const kinds[] = {"get", "put", "load", "store", "new", NULL};

static bool take_nodes(void *arg, uint32_t nodes) {
    AnalysisSettings *s = arg;
    if (atomic_fetch_sub(&s->nodes_left, nodes) >= nodes) return true;
    atomic_fetch_add(&s->nodes_left, nodes);
    return false;
}

// ---- objects ------------------------------------------------------------------------------------

static uint64_t mix(uint64_t n) {
    n *= UINT64_C(0x9e3779b97f4a7c15);
    return n ^ n >> 29;
}

static StreamObject *slot_of(const Shard *s, uintptr_t address) {
    uint32_t i = (uint32_t)(mix(address >> 3) >> 20) & s->mask;
    while (s->slots[i].address && s->slots[i].address != address) i = (i + 1) & s->mask;
    return &s->slots[i];
}

static bool grow_shard(HotStreams *h, Shard *s) {
    uint32_t count = s->slots ? 2 * (s->mask + 1) : FIRST_OBJECTS, old_count = s->slots ? s->mask + 1 : 0;
    if (!take_nodes(h->settings, (count - old_count) * NODES_OF_OBJECT / 2)) return false;
    StreamObject *old = s->slots, *larger = calloc(count, sizeof *larger);
    if (!larger) return false;
    s->slots = larger;
    s->mask = count - 1;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i].address) *slot_of(s, old[i].address) = old[i];
    free(old);
    return true;
}

// Looks up the object at an address, adding it if unknown; `made`: it is new there. False: no room.
static bool object_at(HotStreams *h, uintptr_t address, const StreamObject *made, StreamObject *to) {
    Shard *s = &h->shards[mix(address >> 3) % SHARDS];
    pthread_mutex_lock(&s->lock);
    bool room = (s->slots && s->used <= s->mask / 2) || grow_shard(h, s) || (s->slots && s->used < s->mask);
    StreamObject *o = room ? slot_of(s, address) : NULL;
    if (o && (!o->address || made)) {
        s->used += !o->address;
        *o = made ? *made : (StreamObject){.method = STREAM_UNKNOWN};
        o->address = address;
        o->number = ++h->objects;
    }
    if (o) *to = *o;
    pthread_mutex_unlock(&s->lock);
    return room;
}

// ---- references ---------------------------------------------------------------------------------

static uint32_t *symbol_slot(const StreamTrace *t, uint32_t object, uint32_t what) {
    uint32_t i = (uint32_t)(mix((uint64_t)object << 32 | what) >> 20) & t->mask;
    for (;; i = (i + 1) & t->mask) {
        const StreamSymbol *s = t->slots[i] ? &t->symbols[t->slots[i] - 1] : NULL;
        if (!s || (s->object.number == object && s->what == what)) return &t->slots[i];
    }
}

static void fill_slots(StreamTrace *t) {
    for (uint32_t i = 0; i < t->symbol_count; i++)
        *symbol_slot(t, t->symbols[i].object.number, t->symbols[i].what) = i + 1;
}

static bool grow_symbols(HotStreams *h, StreamTrace *t) {
    uint32_t count = t->slots ? 2 * (t->mask + 1) : FIRST_SYMBOLS;
    if (count > SEQUITUR_TERMINALS || !take_nodes(h->settings, count / 4 * NODES_OF_SYMBOL)) return false;
    uint32_t *larger = calloc(count, sizeof *larger);
    if (!larger || !GROW(t->symbols, t->symbol_room, count / 2)) {
        free(larger);
        return false;
    }
    free(t->slots);
    t->slots = larger;
    t->mask = count - 1;
    fill_slots(t);
    return true;
}

// The terminal of a reference. False: no room.
static bool terminal_of(HotStreams *h, StreamTrace *t, const StreamObject *object, uint32_t what, uintptr_t address,
                        uint32_t *terminal) {
    uint32_t *slot = t->slots ? symbol_slot(t, object->number, what) : NULL;
    if (!slot || !*slot) {
        if ((!t->slots || t->symbol_count >= (t->mask + 1) / 2) && !grow_symbols(h, t)) return false;
        slot = symbol_slot(t, object->number, what);
        t->symbols[t->symbol_count] = (StreamSymbol){*object, what, 0, address / 8};
        *slot = ++t->symbol_count;
        t->different++;
    }
    *terminal = *slot - 1;
    return true;
}

// ---- making room --------------------------------------------------------------------------------

// Removes the objects that a collection has found dead. The world is stopped, and events before that are analysed, so
// no thread is in a table.
static void forget_dead_in(HotStreams *h, bool (*is_live)(const void *object)) {
    h->collections++;
    for (int i = 0; i < SHARDS; i++) {
        Shard *s = &h->shards[i];
        uint32_t count = s->slots ? s->mask + 1 : 0;
        StreamObject *old = s->slots, *kept = count ? calloc(count, sizeof *kept) : NULL;
        if (!kept) continue;
        s->slots = kept;
        s->used = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (!old[k].address || !is_live((const void *)old[k].address)) continue;
            *slot_of(s, old[k].address) = old[k];
            s->used++;
        }
        free(old);
    }
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    (void)each_live;
    for (int i = 0; i < ANALYSIS_SIDES; i++) forget_dead_in(&streams[i], is_live);
}

static bool is_dead(HotStreams *h, const StreamObject *o) {
    if (!o->number) return false;
    Shard *s = &h->shards[mix(o->address >> 3) % SHARDS];
    pthread_mutex_lock(&s->lock);
    const StreamObject *now = slot_of(s, o->address);
    bool dead = !now->address || now->number != o->number;
    pthread_mutex_unlock(&s->lock);
    return dead;
}

// A stream that contains the reference is at most this hot. A dead object is not referred to again, and the least heat
// only rises, so such a reference will be in no hot stream.
static bool is_cold(HotStreams *h, const StreamTrace *t, const StreamSymbol *s) {
    uint64_t least = t->grammar.appended / STREAM_HEAT_UNIT * h->settings->heat;
    return (uint64_t)s->times * STREAM_LONGEST < least && is_dead(h, &s->object);
}

static uint32_t new_number(void *arg, uint32_t terminal) { return ((const uint32_t *)arg)[terminal]; }

// Rebuilds the trace without its cold references. False: there are few of them, or rebuilding would take longer than
// recording.
static bool leave_out_cold(HotStreams *h, StreamTrace *t) {
    enum { MOST_KEPT = 8, LEAST_PART = 8 };
    if (t->kept > MOST_KEPT * (t->grammar.appended - t->appended_then)) return false;
    uint32_t *numbers = calloc(t->symbol_count + 1, sizeof *numbers), kept = 0, nodes = t->grammar.node_count;
    for (uint32_t i = 0; numbers && i < t->symbol_count; i++)
        numbers[i] = is_cold(h, t, &t->symbols[i]) ? SEQUITUR_SEPARATOR : kept++;
    bool ok = numbers && t->symbol_count - kept > t->symbol_count / LEAST_PART &&
        sequitur_rename(&t->grammar, new_number, numbers, &t->kept);
    if (ok) {
        t->grammar.busy = true;  // the report reads no trace whose symbols change
        for (uint32_t i = 0; i < t->symbol_count; i++)
            if (numbers[i] != SEQUITUR_SEPARATOR) t->symbols[numbers[i]] = t->symbols[i];
        t->symbol_count = kept;
        memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
        fill_slots(t);
        t->appended_then = t->grammar.appended;
        t->grammar.busy = false;
        atomic_fetch_add(&h->settings->nodes_left, (int64_t)nodes - t->grammar.node_count);
    }
    free(numbers);
    return ok;
}

// Without success it requests a collection, which finds objects dead, and tries again after it or much later.
static bool make_room(HotStreams *h, StreamTrace *t) {
    enum { LEAST_PART = 8 };
    uint64_t now = t->grammar.appended + t->lost;
    uint32_t collections = h->collections;
    if (now < t->room_at && t->collections == collections) return false;
    t->collections = collections;
    if (sequitur_fold(&t->grammar) > t->grammar.node_count / LEAST_PART || leave_out_cold(h, t)) return true;
    if (now >= t->room_at && h->host->collect_soon) h->host->collect_soon("Profiler");
    if (now >= t->room_at) t->room_at = now + now / LEAST_PART;
    return false;
}

// ---- events -------------------------------------------------------------------------------------

static void lose(ThreadState *s) {
    s->lost++;
    if (s->trace) s->trace->lost++;
    else atomic_fetch_add_explicit(&s->of->lost_untraced, 1, memory_order_relaxed);
}

static void count_place(ThreadState *s, uint32_t method, int32_t bci, enum Kind kind) {
    if (!sitecounts_hit(s->places, sitecounts_site(method, bci), kind, 1))
        sitecounts_add(s->places, sitecounts_site(method, bci), kind, 1);
}

// False: no room.
static bool record(ThreadState *s, uintptr_t object, uint32_t what, uintptr_t address) {
    StreamObject o = {.method = STREAM_UNKNOWN};
    StreamTrace *t = s->trace;
    uint32_t terminal;
    bool begins = s->bursts != s->events->bursts;
    if ((object && !object_at(s->of, object, NULL, &o)) || !terminal_of(s->of, t, &o, what, address, &terminal))
        return false;
    if ((begins || s->gap) && !sequitur_append(&t->grammar, SEQUITUR_SEPARATOR)) return false;
    s->bursts = s->events->bursts;
    s->gap = false;
    t->bursts += begins;
    if (!sequitur_append(&t->grammar, terminal)) return false;
    t->symbols[terminal].times += t->symbols[terminal].times < UINT32_MAX;
    return true;
}

static __attribute__((noinline)) void refer(ThreadState *s, uint32_t method, int32_t bci, enum Kind kind,
                                            uintptr_t object, uint32_t what, uintptr_t address) {
    bool ok = s->trace &&
        (record(s, object, what, address) || (make_room(s->of, s->trace) && record(s, object, what, address)));
    if (ok) {
        count_place(s, method, bci, kind);
        return;
    }
    s->gap = true;
    lose(s);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    refer(sink->state, method, bci, access ? KIND_PUT : KIND_GET, object, field & ~STREAM_ELEMENT, address);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_array_access(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                            uint32_t type, uintptr_t array, uintptr_t address) {
    refer(sink->state, method, bci, access ? KIND_STORE : KIND_LOAD, array,
          STREAM_ELEMENT | (uint32_t)(address - array), address);
    EVENT_PASS(sink, method, bci, access, type, array, address);
}

static void on_allocation(const EventSink_allocation *sink, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                          uintptr_t object) {
    ThreadState *s = sink->state;
    StreamObject o = {.cls = cls, .method = method, .bci = bci};
    if (s->trace && object_at(s->of, object, &o, &o))
        sitecounts_add(s->places, sitecounts_site(method, bci), KIND_NEW, 1);
    else lose(s);
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

// ---- threads ------------------------------------------------------------------------------------

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)error, (void)error_size;
    for (int i = 0; i < ANALYSIS_SIDES; i++) streams[i].host = b->host;
    return true;
}

static void end_side(HotStreams *h) {
    for (StreamTrace *t = h->first, *next; t; t = next) {
        next = t->next;
        sequitur_end(&t->grammar);
        free(t->symbols);
        free(t->slots);
        free(t);
    }
    for (int i = 0; i < SHARDS; i++) {
        Shard *s = &h->shards[i];
        free(s->slots);
        s->slots = NULL;
        s->used = s->mask = 0;
    }
    h->first = NULL;
    h->settings = NULL;
    h->collections = h->objects = 0;
    h->lost_untraced = 0;
}

static void end(void) {
    for (int i = 0; i < ANALYSIS_SIDES; i++) end_side(&streams[i]);
    hotstream_forget_taken();
}

static StreamTrace *trace_new(HotStreams *h) {
    StreamTrace *t = calloc(1, sizeof *t);
    if (t && sequitur_begin(&t->grammar, take_nodes, h->settings)) {
        t->weight = 1;
        t->next = h->first;
        h->first = t;
        return t;
    }
    free(t);
    return NULL;
}

// A trace released by a thread, or a new one.
static StreamTrace *trace_take(HotStreams *h, AnalysisSettings *settings) {
    pthread_mutex_lock(&h->lock);
    h->settings = settings;
    StreamTrace *t = h->first;
    while (t && (t->taken || settings->phases)) t = t->next;  // a thread with phases= has a separate trace for each
    if (!t) t = trace_new(h);
    if (t) t->taken = true;
    pthread_mutex_unlock(&h->lock);
    return t;
}

static void thread_free(void *state) {
    ThreadState *s = state;
    if (!s) return;
    pthread_mutex_lock(&s->of->lock);
    if (s->trace) s->trace->taken = false;
    pthread_mutex_unlock(&s->of->lock);
    sitecounts_free(s->places);
    free(s);
}

static void *thread_new(AnalysisSettings *settings) {
    ThreadState *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->places = sitecounts_new(settings);
    s->of = &streams[settings->side];
    s->trace = trace_take(s->of, settings);
    s->bursts = UINT64_MAX;  // a separator ends the references of the previous thread
    if (s->places) return s;
    thread_free(s);
    return NULL;
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id, (void)name;
    ((ThreadState *)state)->events = events;
}

static void weighed(void *state, double weight) {
    StreamTrace *t = ((ThreadState *)state)->trace;
    if (t) t->weight = weight;
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const ThreadState *s = state;
    sitecounts_collect(s->places, out, lost);
    *lost += s->lost;
}

const Analysis analysis_hot_stream = {
    .name = "hot-stream",
    .ordered = true,  // an allocation precedes the references of all threads to the object
    .event = EVENT_COUNT,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"access", COLUMN_WORD, kinds}},
    .begin = begin,
    .end = end,
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_free = thread_free,
    .collect = collect,
    .weighed = weighed,
    .forget_dead = forget_dead,
    .report = hotstream_report,
    .give = hotstream_give,
    .take = hotstream_take,
    .on_field_access = on_field_access,
    .on_array_access = on_array_access,
    .on_allocation = on_allocation,
};
