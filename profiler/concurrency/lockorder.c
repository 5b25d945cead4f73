// lock-order: potential deadlocks, whether or not they occurred in this run. After Goodlock (Havelund 2000) and its
// generalisation (Bensalem and Havelund 2005; Agarwal and others 2005).
//
// Acquiring a lock while holding others adds an edge from each held lock to the new one, with the thread, the locks it
// holds, where it is, and its time. A cycle of edges of different threads is a potential deadlock if no two of them
// hold a lock in common (a gate lock admits only one of them), and no edge is ordered before another by the start or
// end of threads. Cycles are searched when an edge is added, so edges of dead locks can be forgotten.
//
// The locks are monitors, and those locks of java.util.concurrent that have a single owner. One lock guards all shared
// state; a thread takes it unless it has added the same edges recently. Memory is bounded: EDGES, CIRCLES, HELD locks
// per thread at a time, SLOTS of threads. After that, slots of ended threads are reused, and the old thread's actions
// are ordered before the new one's.
#include "profiler/concurrency/lockorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/moment.h"
#include "profiler/analyses/rowcounts.h"

#define A "lock-order"

enum {
    HELD = 16,
    FRAMES = 8,
    EDGES = 1 << 14,
    CIRCLES = 256,
    LONGEST = 8,
    RECENT = 64,
    BUCKETS = 1 << 12,
    SLOTS = 1023,
    THREAD_NAME = 40
};

// ---- time: advances only at starts and ends of threads ----

// A thread's knowledge of the others' times, by slot. Requires the lock.
typedef struct Times {
    uint32_t count, capacity;
    uint32_t *at;
} Times;

typedef struct Left {
    uintptr_t address, object;  // object: the java.lang.Thread
    Times times;
} Left;

typedef struct Stack {
    uint32_t count, methods[FRAMES];
    int32_t bcis[FRAMES];
} Stack;

typedef struct HeldLock {
    uintptr_t lock;
    uint32_t cls;
    Stack at;  // where it was acquired
} HeldLock;

typedef struct OrderThread {
    RowCounts counts;  // first, for rowcounts_collect
    struct LockOrder *of;
    const EventThread *events;
    uint32_t slot;  // 0: none
    Times known;
    bool ends;  // its later releases report its end
    char name[THREAD_NAME];
    HeldLock held[HELD], waits;   // waits: released by Object.wait
    Stack wait_at;                // where it waits
    uint32_t held_count, beyond;  // beyond: held locks without room
    uint64_t recent[RECENT];      // hashes of recent edges
} OrderThread;

typedef struct Edge {
    HeldLock from, to;
    uint32_t next;  // next edge in the bucket: number + 1
    uint32_t slot, time, guard_count;
    uintptr_t guards[HELD];  // all held locks, including `from`
    Times known;
    char name[THREAD_NAME];
} Edge;

typedef struct Circle {
    uint32_t length;
    uint64_t hash, times;
    Edge edges[LONGEST];  // without guards and known
} Circle;

typedef struct LockOrder {
    pthread_mutex_t lock;
    uint32_t slots, ended[SLOTS], ended_count;
    uint32_t last[SLOTS + 1];  // last time of slots whose threads have ended
    HashTable left;            // Left *, by address
    Edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t first[BUCKETS];  // edges by the lock they start from: number + 1
    Circle *circles;
    uint32_t circle_count, circle_capacity;
    uint64_t edges_made, lost;
} LockOrder;

static struct LockOrders {
    LockOrder of[ANALYSIS_SIDES];
    const ProfileHost *host;
    uint32_t owner_method;  // of locks of java.util.concurrent; 0: not seen yet
} orders = {.of = {[0 ... ANALYSIS_SIDES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}}};

static bool know(Times *t, uint32_t slot, uint32_t time) {
    if (!GROW_ZEROED(t->at, t->capacity, slot + 1)) return false;
    if (t->count <= slot) t->count = slot + 1;
    if (t->at[slot] < time) t->at[slot] = time;
    return true;
}

static void join(LockOrder *o, Times *to, const Times *from) {
    for (uint32_t i = 0; i < from->count; i++)
        if (from->at[i] && !know(to, i, from->at[i])) o->lost++;
}

static uint32_t time_of(const Times *t, uint32_t slot) { return slot < t->count ? t->at[slot] : 0; }

static Left *find_left(const LockOrder *o, uintptr_t address) {
    const void *key = (const void *)address;
    return (Left *)hash_find(&o->left, &hash_by_first_word, NULL, hash_pointer(key), key);
}

// Publishes what threads that acquire the address will learn, and advances the thread's time.
static void leave(OrderThread *s, uintptr_t object, uintptr_t address) {
    LockOrder *o = s->of;
    pthread_mutex_lock(&o->lock);
    Left *l = find_left(o, address);
    if (!l && (l = calloc(1, sizeof *l))) {
        *l = (Left){.address = address, .object = object};
        if (!hash_add(&o->left, &hash_by_first_word, NULL, hash_pointer((const void *)address), (uintptr_t)l))
            free(l), l = NULL;
    }
    if (l) join(o, &l->times, &s->known);
    else o->lost++;
    if (s->slot) know(&s->known, s->slot, time_of(&s->known, s->slot) + 1);
    pthread_mutex_unlock(&o->lock);
}

// ---- circles ----

// Two edges may exist at the same time if they are of different threads, have no guard in common, and neither happens
// before the other.
static bool may_be_together(const Edge *a, const Edge *b) {
    if (a->slot == b->slot) return false;
    if (time_of(&b->known, a->slot) >= a->time || time_of(&a->known, b->slot) >= b->time) return false;
    for (uint32_t i = 0; i < a->guard_count; i++)
        for (uint32_t k = 0; k < b->guard_count; k++)
            if (a->guards[i] == b->guards[k]) return false;
    return true;
}

// The identity of a cycle: the places of its edges, in any order.
static uint64_t hash_of_circle(const Edge *const *path, uint32_t length) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < length; i++) {
        const Stack *at = &path[i]->to.at;
        uint32_t h = hash_bytes(HASH_START, at->methods, at->count * sizeof *at->methods);
        h = hash_bytes(h, at->bcis, at->count * sizeof *at->bcis);
        sum += (uint64_t)h * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

static void note_circle(LockOrder *o, const Edge *const *path, uint32_t length) {
    uint64_t hash = hash_of_circle(path, length);
    for (uint32_t i = 0; i < o->circle_count; i++)
        if (o->circles[i].hash == hash && o->circles[i].length == length) {
            o->circles[i].times++;
            return;
        }
    if (o->circle_count == CIRCLES || !GROW(o->circles, o->circle_capacity, o->circle_count + 1)) {
        o->lost++;
        return;
    }
    Circle *c = &o->circles[o->circle_count++];
    *c = (Circle){.length = length, .hash = hash, .times = 1};
    for (uint32_t i = 0; i < length; i++) {
        c->edges[i] = *path[i];
        c->edges[i].known = (Times){0};
    }
}

static uint32_t *bucket_of(LockOrder *o, uintptr_t lock) {
    return &o->first[hash_pointer((const void *)lock) % BUCKETS];
}

// Searches cycles through the last edge, which is new. Each is found once, when its last edge is added.
static void search(LockOrder *o, const Edge **path, uint32_t length) {
    const Edge *last = path[length - 1], *e;
    for (uint32_t i = *bucket_of(o, last->to.lock); i; i = e->next) {
        e = &o->edges[i - 1];
        bool fits = e->from.lock == last->to.lock;
        for (uint32_t k = 0; fits && k < length; k++) fits = may_be_together(e, path[k]);
        if (!fits) continue;
        path[length] = e;
        if (e->to.lock == path[0]->from.lock) note_circle(o, path, length + 1);
        else if (length + 1 < LONGEST) search(o, path, length + 1);
    }
}

static void add_edge(OrderThread *s, Edge *e) {
    LockOrder *o = s->of;
    pthread_mutex_lock(&o->lock);
    e->time = time_of(&s->known, s->slot);
    bool known = false;
    uint32_t *bucket = bucket_of(o, e->from.lock);
    for (uint32_t i = *bucket; i && !known; i = o->edges[i - 1].next) {
        const Edge *a = &o->edges[i - 1];
        known = a->from.lock == e->from.lock && a->to.lock == e->to.lock && a->slot == e->slot && a->time == e->time &&
            a->guard_count == e->guard_count && memcmp(a->guards, e->guards, a->guard_count * sizeof *a->guards) == 0;
    }
    if (!known && (o->edge_count == EDGES || !GROW(o->edges, o->edge_capacity, o->edge_count + 1))) {
        o->lost++;
    } else if (!known) {
        join(o, &e->known, &s->known);
        e->next = *bucket;
        o->edges[o->edge_count] = *e;
        const Edge *path[LONGEST] = {&o->edges[o->edge_count]};
        search(o, path, 1);
        *bucket = ++o->edge_count;
        o->edges_made++;
    }
    pthread_mutex_unlock(&o->lock);
}

// ---- locks ----

// Has the thread added the same edges recently? Compares the locks that it holds and the new one.
static bool is_recent(OrderThread *s, uintptr_t lock) {
    uint64_t h = lock * UINT64_C(0x9e3779b97f4a7c15) + time_of(&s->known, s->slot);
    for (uint32_t i = 0; i < s->held_count; i++) h = (h ^ s->held[i].lock) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *at = &s->recent[h >> 58];
    if (*at == h) return true;
    *at = h;
    return false;
}

static void make_edges(OrderThread *s, const HeldLock *to) {
    Edge e = {.to = *to, .slot = s->slot, .guard_count = s->held_count};
    memcpy(e.name, s->name, sizeof e.name);
    for (uint32_t i = 0; i < s->held_count; i++) e.guards[i] = s->held[i].lock;
    for (uint32_t i = 0; i < s->held_count; i++) {
        e.from = s->held[i];
        e.known = (Times){0};
        add_edge(s, &e);
    }
}

static Stack stack_here(const OrderThread *s) {
    Stack at;
    at.count = moment_stack(s->events, at.methods, at.bcis, FRAMES);
    return at;
}

static void acquired(OrderThread *s, uintptr_t object, uint32_t cls, const Stack *at) {
    for (uint32_t i = 0; i < s->held_count; i++)
        if (s->held[i].lock == object) return;
    HeldLock lock = {.lock = object, .cls = cls, .at = at ? *at : stack_here(s)};
    if (s->slot && s->held_count && !is_recent(s, object)) make_edges(s, &lock);
    if (s->held_count == HELD) s->beyond++;
    else s->held[s->held_count++] = lock;
}

static void released(OrderThread *s, uintptr_t lock) {
    uint32_t n = s->held_count;
    while (n > 0 && s->held[n - 1].lock != lock) n--;
    if (!n) return;
    s->waits = s->held[n - 1];
    for (; n < s->held_count; n++) s->held[n - 1] = s->held[n];
    s->held_count--;
}

// ---- sinks ----

static void on_monitor_acquired(const EventSink_monitor_acquired *sink, uintptr_t object, uint32_t cls) {
    OrderThread *s = sink->state;
    rowcounts_add(&s->counts, (uint64_t[TABLE_KEYS]){cls}, 1);
    acquired(s, object, cls, NULL);
    EVENT_PASS(sink, object, cls);
}

// Object.wait releases the monitor and takes it again without a monitor_acquired event, in the same frames.
static void on_monitor_wait(const EventSink_monitor_wait *sink, uintptr_t object) {
    OrderThread *s = sink->state;
    s->wait_at = stack_here(s);
    EVENT_PASS(sink, object);
}

static void on_sync_acquire(const EventSink_sync_acquire *sink, uintptr_t object, uintptr_t address) {
    OrderThread *s = sink->state;
    LockOrder *o = s->of;
    if (object == address && s->waits.lock == object) acquired(s, object, s->waits.cls, &s->wait_at);
    if (__atomic_load_n(&o->left.used, __ATOMIC_RELAXED)) {
        pthread_mutex_lock(&o->lock);
        const Left *l = find_left(o, address);
        if (l) join(o, &s->known, &l->times);
        pthread_mutex_unlock(&o->lock);
    }
    EVENT_PASS(sink, object, address);
}

// Pseudo-addresses next to a java.lang.Thread: vm/threads/threadevents.h.
static void on_sync_release(const EventSink_sync_release *sink, uintptr_t object, uintptr_t address) {
    OrderThread *s = sink->state;
    if (object == address) released(s, object);
    if (address == object + 2) s->ends = true;
    else if (s->ends || address == object + 1) leave(s, object, address);
    EVENT_PASS(sink, object, address);
}

// The analysis `threads` may have other methods watched.
static bool tells_owner(uint32_t method) {
    ProfiledMethod m = {0};
    if (method == __atomic_load_n(&orders.owner_method, __ATOMIC_RELAXED)) return true;
    if (!orders.host->method(method, &m) || !m.name || !lockorder_watches(m.class_name, m.name)) return false;
    __atomic_store_n(&orders.owner_method, method, __ATOMIC_RELAXED);
    return true;
}

bool lockorder_watches(const char *class_name, const char *name) {
    return strcmp(class_name, "java/util/concurrent/locks/AbstractOwnableSynchronizer") == 0 &&
        strcmp(name, "setExclusiveOwnerThread") == 0;
}

static void on_point_enter(const EventSink_point_enter *sink, uint32_t method, uintptr_t receiver,
                           uint32_t receiver_class, uintptr_t first, uint32_t first_class, uintptr_t second,
                           uint32_t second_class) {
    OrderThread *s = sink->state;
    if (tells_owner(method)) {
        if (first) acquired(s, receiver, receiver_class, NULL);
        else released(s, receiver);
    }
    EVENT_PASS(sink, method, receiver, receiver_class, first, first_class, second, second_class);
}

// The thread adds no more edges.
static void give_slot(OrderThread *s) {
    LockOrder *o = s->of;
    pthread_mutex_lock(&o->lock);
    if (s->slot) {
        o->last[s->slot] = time_of(&s->known, s->slot);
        o->ended[o->ended_count++] = s->slot;
    }
    s->slot = s->held_count = 0;
    pthread_mutex_unlock(&o->lock);
}

static void on_thread_end(const EventSink_thread_end *sink, uint64_t thread) {
    give_slot(sink->state);
    EVENT_PASS(sink, thread);
}

// ---- threads ----

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)error, (void)error_size;
    orders.host = b->host;
    return true;
}

static void end_side(LockOrder *o) {
    Left *l;
    for (uint32_t at = 0; (l = (Left *)hash_next(&o->left, &at));) {
        free(l->times.at);
        free(l);
    }
    hash_free(&o->left);
    for (uint32_t i = 0; i < o->edge_count; i++) free(o->edges[i].known.at);
    free(o->edges);
    free(o->circles);
    pthread_mutex_t lock = o->lock;  // not held
    memset(o, 0, sizeof *o);
    o->lock = lock;
}

static void end(void) {
    for (int i = 0; i < ANALYSIS_SIDES; i++) end_side(&orders.of[i]);
    orders.owner_method = 0;
}

static void *thread_new(AnalysisSettings *settings) {
    LockOrder *o = &orders.of[settings->side];
    OrderThread *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->of = o;
    pthread_mutex_lock(&o->lock);
    uint32_t slot = o->slots < SLOTS ? o->slots + 1 : o->ended_count ? o->ended[--o->ended_count] : 0;
    if (slot > o->slots) o->slots = slot;
    if (slot && know(&s->known, slot, o->last[slot] + 1)) s->slot = slot;
    else o->lost++;
    pthread_mutex_unlock(&o->lock);
    return s;
}

static void thread_named(void *state, const char *name) {
    snprintf(((OrderThread *)state)->name, THREAD_NAME, "%s", name);
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id;
    ((OrderThread *)state)->events = events;
    thread_named(state, name);
}

static void thread_free(void *state) {
    OrderThread *s = state;
    give_slot(s);
    free(s->known.at);
    rowcounts_free(&s->counts);
    free(s);
}

static void forget_dead_in(LockOrder *o, bool (*is_live)(const void *object)) {
    uint32_t kept = 0;
    memset(o->first, 0, sizeof o->first);
    for (uint32_t i = 0; i < o->edge_count; i++) {
        Edge e = o->edges[i];
        if (!is_live((const void *)e.from.lock) || !is_live((const void *)e.to.lock)) {
            free(e.known.at);
            continue;
        }
        e.next = *bucket_of(o, e.from.lock);
        o->edges[kept] = e;
        *bucket_of(o, e.from.lock) = ++kept;
    }
    o->edge_count = kept;
    Left *l;
    for (uint32_t at = 0; (l = (Left *)hash_next(&o->left, &at));) {
        if (is_live((const void *)l->object)) continue;
        free(l->times.at);
        free(l);
        hash_remove_returned(&o->left, at);
    }
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    (void)each_live;
    for (int i = 0; i < ANALYSIS_SIDES; i++) forget_dead_in(&orders.of[i], is_live);
}

// ---- the report ----

// Locks of a cycle are distinguished by numbers.
static uint32_t number_of(const Circle *c, uintptr_t lock) {
    for (uint32_t i = 0; i < c->length; i++)
        if (c->edges[i].from.lock == lock) return i + 1;
    return 0;
}

static void report(Sections *out, bool last) {
    const LockOrder *o = &orders.of[0];
    (void)last;
    section_begin(out, A, "possible-deadlocks",
                  "Circles of acquisitions by different threads, each of a lock that another holds, with nothing in "
                  "common that they"
                  " hold and no order by start and end of threads: a deadlock, if the threads come there at once. It "
                  "need not have happened",
                  "circle number, thread text, holds number, of class text, since stack, wants number, of the class "
                  "text, at stack, times varying");
    for (uint32_t i = 0; i < o->circle_count; i++) {
        const Circle *c = &o->circles[i];
        for (uint32_t k = 0; k < c->length; k++) {
            const Edge *e = &c->edges[k];
            section_number(out, i + 1);
            section_text(out, e->name);
            section_number(out, number_of(c, e->from.lock));
            section_class(out, e->from.cls);
            section_stack(out, e->from.at.methods, e->from.at.bcis, e->from.at.count);
            section_number(out, number_of(c, e->to.lock));
            section_class(out, e->to.cls);
            section_stack(out, e->to.at.methods, e->to.at.bcis, e->to.at.count);
            section_number(out, c->times);
        }
    }
    section_end(out);
    section_begin(out, A, "lock-order", "What was looked at", "what note, number varying");
    section_text(out, "orders of two locks in one thread, with what it holds beside them");
    section_number(out, o->edges_made);
    section_text(out, "not seen for lack of memory");
    section_number(out, o->lost);
    section_end(out);
}

const Analysis analysis_lockorder = {
    .name = "lock-order",
    .event = EVENT_monitor_acquired,
    .ordered = true,
    .walked = EVENT_BIT(EVENT_monitor_acquired) | EVENT_BIT(EVENT_monitor_wait) | EVENT_BIT(EVENT_point_enter),
    .unsampled = "an order of locks is between two acquisitions",
    .unshadowed = "orders of locks are joined over the whole program, and are no rows that add up",
    .columns = {{"class", COLUMN_CLASS, NULL}},
    .on_monitor_acquired = on_monitor_acquired,
    .on_monitor_wait = on_monitor_wait,
    .on_sync_acquire = on_sync_acquire,
    .on_sync_release = on_sync_release,
    .on_point_enter = on_point_enter,
    .on_thread_end = on_thread_end,
    .begin = begin,
    .end = end,
    .report = report,
    .collect = rowcounts_collect,
    .forget_dead = forget_dead,
    .thread_new = thread_new,
    .thread_free = thread_free,
    .thread_attached = thread_attached,
    .thread_named = thread_named,
};
