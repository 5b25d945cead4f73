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
#include "profiler/analyses/rowcounts.h"
#include "vm/api/callcontext.h"

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
    uint32_t slot;     // 0: none
    Times known;
    bool ends;  // its later releases report its end
    char name[THREAD_NAME];
    HeldLock held[HELD], waits;   // waits: released by Object.wait
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

static struct LockOrder {
    pthread_mutex_t lock;
    const ProfileHost *host;
    uint32_t owner_method;  // of locks of java.util.concurrent; 0: not seen yet
    uint32_t slots, ended[SLOTS], ended_count;
    uint32_t last[SLOTS + 1];  // last time of slots whose threads have ended
    HashTable left;            // Left *, by address
    Edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t first[BUCKETS];  // edges by the lock they start from: number + 1
    Circle *circles;
    uint32_t circle_count, circle_capacity;
    uint64_t edges_made, lost;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool know(Times *t, uint32_t slot, uint32_t time) {
    if (!GROW_ZEROED(t->at, t->capacity, slot + 1)) return false;
    if (t->count <= slot) t->count = slot + 1;
    if (t->at[slot] < time) t->at[slot] = time;
    return true;
}

static void join(Times *to, const Times *from) {
    for (uint32_t i = 0; i < from->count; i++)
        if (from->at[i] && !know(to, i, from->at[i])) order.lost++;
}

static uint32_t time_of(const Times *t, uint32_t slot) { return slot < t->count ? t->at[slot] : 0; }

static Left *find_left(uintptr_t address) {
    const void *key = (const void *)address;
    return (Left *)hash_find(&order.left, &hash_by_first_word, NULL, hash_pointer(key), key);
}

// Publishes what threads that acquire the address will learn, and advances the thread's time.
static void leave(OrderThread *s, uintptr_t object, uintptr_t address) {
    pthread_mutex_lock(&order.lock);
    Left *l = find_left(address);
    if (!l && (l = calloc(1, sizeof *l))) {
        *l = (Left){.address = address, .object = object};
        if (!hash_add(&order.left, &hash_by_first_word, NULL, hash_pointer((const void *)address), (uintptr_t)l))
            free(l), l = NULL;
    }
    if (l) join(&l->times, &s->known);
    else order.lost++;
    if (s->slot) know(&s->known, s->slot, time_of(&s->known, s->slot) + 1);
    pthread_mutex_unlock(&order.lock);
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

static void note_circle(const Edge *const *path, uint32_t length) {
    uint64_t hash = hash_of_circle(path, length);
    for (uint32_t i = 0; i < order.circle_count; i++)
        if (order.circles[i].hash == hash && order.circles[i].length == length) {
            order.circles[i].times++;
            return;
        }
    if (order.circle_count == CIRCLES || !GROW(order.circles, order.circle_capacity, order.circle_count + 1)) {
        order.lost++;
        return;
    }
    Circle *c = &order.circles[order.circle_count++];
    *c = (Circle){.length = length, .hash = hash, .times = 1};
    for (uint32_t i = 0; i < length; i++) {
        c->edges[i] = *path[i];
        c->edges[i].known = (Times){0};
    }
}

static uint32_t *bucket_of(uintptr_t lock) { return &order.first[hash_pointer((const void *)lock) % BUCKETS]; }

// Searches cycles through the last edge, which is new. Each is found once, when its last edge is added.
static void search(const Edge **path, uint32_t length) {
    const Edge *last = path[length - 1], *e;
    for (uint32_t i = *bucket_of(last->to.lock); i; i = e->next) {
        e = &order.edges[i - 1];
        bool fits = e->from.lock == last->to.lock;
        for (uint32_t k = 0; fits && k < length; k++) fits = may_be_together(e, path[k]);
        if (!fits) continue;
        path[length] = e;
        if (e->to.lock == path[0]->from.lock) note_circle(path, length + 1);
        else if (length + 1 < LONGEST) search(path, length + 1);
    }
}

static void add_edge(OrderThread *s, Edge *e) {
    pthread_mutex_lock(&order.lock);
    e->time = time_of(&s->known, s->slot);
    bool known = false;
    uint32_t *bucket = bucket_of(e->from.lock);
    for (uint32_t i = *bucket; i && !known; i = order.edges[i - 1].next) {
        const Edge *a = &order.edges[i - 1];
        known = a->from.lock == e->from.lock && a->to.lock == e->to.lock && a->slot == e->slot && a->time == e->time &&
            a->guard_count == e->guard_count && memcmp(a->guards, e->guards, a->guard_count * sizeof *a->guards) == 0;
    }
    if (!known && (order.edge_count == EDGES || !GROW(order.edges, order.edge_capacity, order.edge_count + 1))) {
        order.lost++;
    } else if (!known) {
        join(&e->known, &s->known);
        e->next = *bucket;
        order.edges[order.edge_count] = *e;
        const Edge *path[LONGEST] = {&order.edges[order.edge_count]};
        search(path, 1);
        *bucket = ++order.edge_count;
        order.edges_made++;
    }
    pthread_mutex_unlock(&order.lock);
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

static void acquired(OrderThread *s, uintptr_t object, uint32_t cls) {
    for (uint32_t i = 0; i < s->held_count; i++)
        if (s->held[i].lock == object) return;
    HeldLock lock = {.lock = object, .cls = cls};
    lock.at.count = callcontext(lock.at.methods, lock.at.bcis, FRAMES);
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
    acquired(s, object, cls);
    EVENT_PASS(sink, object, cls);
}

// Object.wait releases the monitor and takes it again without a monitor_acquired event.
static void on_sync_acquire(const EventSink_sync_acquire *sink, uintptr_t object, uintptr_t address) {
    OrderThread *s = sink->state;
    if (object == address && s->waits.lock == object) acquired(s, object, s->waits.cls);
    if (__atomic_load_n(&order.left.used, __ATOMIC_RELAXED)) {
        pthread_mutex_lock(&order.lock);
        const Left *l = find_left(address);
        if (l) join(&s->known, &l->times);
        pthread_mutex_unlock(&order.lock);
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
    if (method == __atomic_load_n(&order.owner_method, __ATOMIC_RELAXED)) return true;
    if (!order.host->method(method, &m) || !m.name || !lockorder_watches(m.class_name, m.name)) return false;
    __atomic_store_n(&order.owner_method, method, __ATOMIC_RELAXED);
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
        if (first) acquired(s, receiver, receiver_class);
        else released(s, receiver);
    }
    EVENT_PASS(sink, method, receiver, receiver_class, first, first_class, second, second_class);
}

// The thread adds no more edges.
static void give_slot(OrderThread *s) {
    pthread_mutex_lock(&order.lock);
    if (s->slot) {
        order.last[s->slot] = time_of(&s->known, s->slot);
        order.ended[order.ended_count++] = s->slot;
    }
    s->slot = s->held_count = 0;
    pthread_mutex_unlock(&order.lock);
}

static void on_thread_end(const EventSink_thread_end *sink, uint64_t thread) {
    give_slot(sink->state);
    EVENT_PASS(sink, thread);
}

// ---- threads ----

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)error, (void)error_size;
    order.host = b->host;
    return true;
}

static void end(void) {
    for (uint32_t i = 0; i < order.left.size; i++) {
        uintptr_t item = order.left.slots[i];
        if (!item || item == HASH_REMOVED) continue;
        free(((Left *)item)->times.at);
        free((Left *)item);
    }
    hash_free(&order.left);
    for (uint32_t i = 0; i < order.edge_count; i++) free(order.edges[i].known.at);
    free(order.edges);
    free(order.circles);
    pthread_mutex_t lock = order.lock;  // not held
    memset(&order, 0, sizeof order);
    order.lock = lock;
}

static void *thread_new(AnalysisSettings *settings) {
    (void)settings;
    OrderThread *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_lock(&order.lock);
    uint32_t slot = order.slots < SLOTS ? order.slots + 1 : order.ended_count ? order.ended[--order.ended_count] : 0;
    if (slot > order.slots) order.slots = slot;
    if (slot && know(&s->known, slot, order.last[slot] + 1)) s->slot = slot;
    else order.lost++;
    pthread_mutex_unlock(&order.lock);
    return s;
}

static void thread_named(void *state, const char *name) {
    snprintf(((OrderThread *)state)->name, THREAD_NAME, "%s", name);
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)events, (void)id;
    thread_named(state, name);
}

static void thread_free(void *state) {
    OrderThread *s = state;
    give_slot(s);
    free(s->known.at);
    rowcounts_free(&s->counts);
    free(s);
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    (void)each_live;
    uint32_t kept = 0;
    memset(order.first, 0, sizeof order.first);
    for (uint32_t i = 0; i < order.edge_count; i++) {
        Edge e = order.edges[i];
        if (!is_live((const void *)e.from.lock) || !is_live((const void *)e.to.lock)) {
            free(e.known.at);
            continue;
        }
        e.next = *bucket_of(e.from.lock);
        order.edges[kept] = e;
        *bucket_of(e.from.lock) = ++kept;
    }
    order.edge_count = kept;
    for (uint32_t at = 0; at < order.left.size; at++) {
        Left *l = (Left *)order.left.slots[at];
        if (!l || order.left.slots[at] == HASH_REMOVED || is_live((const void *)l->object)) continue;
        free(l->times.at);
        free(l);
        order.left.slots[at] = HASH_REMOVED;
    }
}

// ---- the report ----

// Locks of a cycle are distinguished by numbers.
static uint32_t number_of(const Circle *c, uintptr_t lock) {
    for (uint32_t i = 0; i < c->length; i++)
        if (c->edges[i].from.lock == lock) return i + 1;
    return 0;
}

static void report(Sections *out, bool last) {
    (void)last;
    section_begin(out, A, "possible-deadlocks",
                  "Circles of acquisitions by different threads, each of a lock that another holds, with nothing in "
                  "common that they"
                  " hold and no order by start and end of threads: a deadlock, if the threads come there at once. It "
                  "need not have happened",
                  "circle number, thread text, holds number, of class text, since stack, wants number, of the class "
                  "text, at stack, times varying");
    for (uint32_t i = 0; i < order.circle_count; i++) {
        const Circle *c = &order.circles[i];
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
    section_number(out, order.edges_made);
    section_text(out, "not seen for lack of memory");
    section_number(out, order.lost);
    section_end(out);
}

const Analysis analysis_lockorder = {
    .name = "lock-order",
    .event = EVENT_monitor_acquired,
    .unsampled = "an order of locks is between two acquisitions",
    .unshadowed = "orders of locks are joined over the whole program, and are no rows that add up",
    .columns = {{"class", COLUMN_CLASS, NULL}},
    .on_monitor_acquired = on_monitor_acquired,
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
