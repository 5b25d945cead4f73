// Thread activity (profiler/concurrency/activity.h): shares, contexts and waits.
#include "profiler/concurrency/activity.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "profiler/analyses/moment.h"
#include "profiler/concurrency/systemfigures.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/concurrency/trace.h"
#include "vm/api/stamp.h"
#include "vm/api/thread.h"

Activity activity_of[ANALYSIS_SIDES] = {[0 ... ANALYSIS_SIDES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static void begin_side(Activity *a, const ProfileHost *host, const bool *parts) {
    a->side = (unsigned)(a - activity_of);
    a->host = host;
    a->process = getpid();
    memcpy(a->parts, parts, sizeof a->parts);
    a->levels.width = 1000000;
    a->levels.begin = a->levels.since = stamp_now();
    a->levels.cpu_at = a->levels.since;
    a->levels.cpu_seen = (uint64_t)clock_process_ns();
    a->segment_count = 1;
    snprintf(a->groups[0].name, GROUP_NAME, "(others)");
    a->group_count = 1;
}

bool activity_begin(const ProfileHost *host, const bool *parts, const char *trace, LockDetail locks, unsigned sides,
                    char *error, size_t error_size) {
    stamp_start();
    for (int i = 0; i < ANALYSIS_SIDES; i++) begin_side(&activity_of[i], host, parts);
    if (!lockidentity_begin(host, locks, sides)) {
        snprintf(
            error, error_size,
            "locks=: there is no address space for what is known of each object (32 GB, most of which stays empty)");
        return false;
    }
    return !trace || trace_open(trace, error, error_size);
}

static void forget_side(Activity *a) {
    progress_forget(a);
    for (uint32_t i = 0; i < a->share_count; i++) {
        rowcounts_free(&a->shares[i]->acquired);
        free(a->shares[i]);
    }
    rowcounts_free(&a->acquired);
    HashTable *tables[] = {&a->by_serial, &a->context_index, &a->lock_index, &a->edge_index};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) hash_free(tables[i]);
    void *arrays[] = {a->shares, a->by_lock_id, a->contexts, a->roles, a->locks, a->edges, a->inversions};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    pthread_mutex_t lock = a->lock;  // not held
    memset((void *)a, 0, sizeof *a);
    a->lock = lock;
}

void activity_forget(void) {
    trace_close();
    lockidentity_end();
    systemfigures_forget();
    for (int i = 0; i < ANALYSIS_SIDES; i++) forget_side(&activity_of[i]);
}

// ---- contexts ----

// Frames that show how a thread waits rather than where: left out at the inner end.
typedef enum Role { ROLE_UNKNOWN, ROLE_PLUMBING, ROLE_PLACE } Role;

static bool is_plumbing(Activity *a, uint32_t method) {
    static const char *const plumbing[] = {"java/util/concurrent/locks/", "jdk/internal/misc/Unsafe",
                                           "java/lang/Object", "java/util/concurrent/ForkJoinPool", "java/lang/Thread"};
    static const char *const methods[] = {NULL, NULL, "wait", "Block", "sleep"};
    ProfiledMethod m = {0};
    if (!GROW_ZEROED(a->roles, a->role_capacity, method + 1)) return false;
    if (a->roles[method] != ROLE_UNKNOWN) return a->roles[method] == ROLE_PLUMBING;
    a->roles[method] = ROLE_PLACE;
    if (!a->host->method(method, &m) || !m.name) return false;
    for (size_t i = 0; i < sizeof plumbing / sizeof *plumbing; i++)
        if (strncmp(m.class_name, plumbing[i], strlen(plumbing[i])) == 0 &&
            (!methods[i] || strstr(m.name, methods[i]) || strstr(m.name, "unmanagedBlock")))
            a->roles[method] = ROLE_PLUMBING;
    return a->roles[method] == ROLE_PLUMBING;
}

static uint32_t context_hash(const Context *c) {
    uint32_t h = hash_bytes(HASH_START, c->methods, c->count * sizeof *c->methods);
    return hash_bytes(h, c->bcis, c->count * sizeof *c->bcis);
}

static uint32_t hash_of_context(const void *owner, uintptr_t item) {
    return context_hash(&((const Activity *)owner)->contexts[item]);
}
static bool is_context(const void *owner, uintptr_t item, const void *key) {
    const Context *x = &((const Activity *)owner)->contexts[item], *y = key;
    return x->count == y->count && memcmp(x->methods, y->methods, x->count * sizeof *x->methods) == 0 &&
        memcmp(x->bcis, y->bcis, x->count * sizeof *x->bcis) == 0;
}

uint32_t activity_context(Activity *a, const uint32_t *methods, const int32_t *bcis, uint32_t count) {
    static const HashKind kind = {hash_of_context, is_context};
    Context c = {.count = 0};
    uint32_t skip = 0;
    while (skip + 1 < count && is_plumbing(a, methods[skip])) skip++;
    for (uint32_t i = skip; i < count && c.count < CONTEXT_FRAMES; i++) {
        c.methods[c.count] = methods[i];
        c.bcis[c.count++] = bcis[i];
    }
    if (!c.count) return 0;
    uint32_t h = context_hash(&c);
    uintptr_t found = hash_find(&a->context_index, &kind, a, h, &c);
    if (found) return (uint32_t)found;
    uint32_t id = a->context_count ? a->context_count : 1;
    if (id == MAX_CONTEXTS || !GROW(a->contexts, a->context_capacity, id + 1)) {
        a->no_context++;
        return 0;
    }
    a->contexts[id] = c;
    if (!hash_add(&a->context_index, &kind, a, h, id)) return 0;
    a->context_count = id + 1;
    return id;
}

typedef struct Here {
    uint32_t methods[CONTEXT_WALK], count;
    int32_t bcis[CONTEXT_WALK];
} Here;

// Called before the lock is taken, because the walk is slow.
static void where(const Share *s, Here *h) {
    h->count = moment_stack(s->origin->events, h->methods, h->bcis, CONTEXT_WALK);
}
static uint32_t context_of(Activity *a, const Here *h) { return activity_context(a, h->methods, h->bcis, h->count); }

// When the processing of the event of `now` begins.
static uint64_t cost_begin(const Share *s, uint64_t now) { return s->origin->events->moment ? stamp_now() : now; }

// Requires the lock.
static void note_cost(Activity *a, CostKind kind, uint64_t began) {
    uint64_t now = stamp_now();
    histogram_add(&a->costs[kind], now > began ? now - began : 0);
}

// ---- threads ----

static void group_name(const char *thread, char out[static GROUP_NAME]) {
    size_t n = 0;
    for (const char *c = thread; *c && n + 1 < GROUP_NAME; c++) {
        bool digit = *c >= '0' && *c <= '9';
        if (digit && n && out[n - 1] == '#') continue;
        out[n++] = digit ? '#' : *c;
    }
    out[n] = '\0';
}

static uint32_t group_of(Activity *a, const char *thread) {
    char name[GROUP_NAME];
    group_name(thread, name);
    for (uint32_t i = 0; i < a->group_count; i++)
        if (strcmp(a->groups[i].name, name) == 0) return i;
    if (a->group_count == MAX_GROUPS) return 0;
    memcpy(a->groups[a->group_count].name, name, sizeof name);
    return a->group_count++;
}

Share *activity_find(const Activity *a, uint64_t serial) {
    const void *key = (const void *)(uintptr_t)serial;
    return (Share *)hash_find(&a->by_serial, &hash_by_first_word, NULL, hash_pointer(key), key);
}

static Share *share_new(Activity *a) {
    Share *s = a->free_shares;
    if (s) {
        a->free_shares = s->chain;
        *s = (Share){0};
        return s;
    }
    if (!GROW(a->shares, a->share_capacity, a->share_count + 1) || !(s = calloc(1, sizeof *s))) return NULL;
    return a->shares[a->share_count++] = s;
}

// Threads created at startup have no name at first. Requires the lock.
static void name_late(Share *s) {
    Activity *a = s->of;
    const char *name = s->origin->name;
    if (s->named || strcmp(name, "?") == 0) return;
    s->named = true;
    a->groups[s->group].threads--;
    a->groups[s->group].living--;
    s->group = group_of(a, name);
    a->groups[s->group].threads++;
    Group *g = &a->groups[s->group];
    if (++g->living > g->most_living) g->most_living = g->living;
    snprintf(s->name, sizeof s->name, "%s", name);
    trace_thread(a, s->serial, name);
}

// Whether the kernel's figures are of threads.
static bool has_figures(const Activity *a) { return a->parts[PART_quanta] && !thread_is_green(); }

// A pthread that was another thread before (main, then DestroyJavaVM; attached ones), or that ran before the profile,
// has figures already. A new one has none, and its files are not read.
void activity_attach(ActivityThread *t, Activity *of, EventThread *events, uint64_t serial, const char *name) {
    struct rusage usage;
    const Thread *self = thread_current();
    t->of = of;
    t->events = events;
    snprintf(t->name, sizeof t->name, "%s", name);
    if (!self || thread_serial(self) != serial) return;
    t->os_id = (int)gettid();
    bool had = getrusage(RUSAGE_THREAD, &usage) != 0 || usage.ru_nvcsw || usage.ru_nivcsw;
    if (had && has_figures(of)) systemfigures_read(&t->before, "/proc/self/task", t->os_id);
}

// Requires the lock.
static Share *register_thread(const ActivityThread *origin, uint64_t now) {
    Activity *a = origin->of;
    const Thread *t = origin->events->thread;
    Share *s = share_new(a);
    if (!s) return NULL;
    s->of = a;
    s->origin = origin;
    s->serial = thread_serial(t);
    uint32_t hash = hash_pointer((const void *)(uintptr_t)s->serial);
    if (!hash_add(&a->by_serial, &hash_by_first_word, NULL, hash, (uintptr_t)s)) return NULL;
    s->lock_id = thread_lock_id(t);
    if (GROW_ZEROED(a->by_lock_id, a->lock_ids, s->lock_id + 1)) a->by_lock_id[s->lock_id] = s;
    s->priority = thread_priority(t);
    s->service = thread_is_service(t);
    s->group = group_of(a, origin->name);
    s->named = strcmp(origin->name, "?") != 0;
    snprintf(s->name, sizeof s->name, "%s", origin->name);
    s->before = origin->before;
    s->tid = origin->os_id;
    // Green threads have no figures, and their scheduler reports switches while it holds the lock of thread_os_id.
    if (has_figures(a) && !s->tid) systemfigures_read(&s->before, "/proc/self/task", s->tid = thread_os_id(t));
    s->processor = -1;
    s->mark = s->on_since = s->last_ran = now;
    Share *parent = activity_find(a, thread_parent(t));
    if (parent) {  // the thread's path continues that of its parent
        path_advance(parent, now);
        s->path = parent->path;
    }
    Group *g = &a->groups[s->group];
    g->threads++;
    if (++g->living > g->most_living) g->most_living = g->living;
    activity_level(a, now, s, -1, WAIT_NONE);
    trace_thread(a, s->serial, origin->name);
    return s;
}

Share *activity_share(const ActivityThread *t) {
    Activity *a = t->of;
    if (!t->events->thread) return NULL;
    activity_lock(a);
    Share *s = activity_find(a, thread_serial(t->events->thread));
    if (!s) s = register_thread(t, moment_now(t->events));
    activity_unlock(a);
    return s;
}

static void count_owned(Activity *a, struct OwnedClass *classes, int most, uint32_t cls, uint64_t count);

// When there are more locks than rows, their numbers are dropped.
void activity_acquire(Share *s, uintptr_t object, uint32_t cls, WaitKind kind) {
    LockIdentity lock = lockidentity_of(s->of->side, object);
    if (s->acquired.table && s->acquired.table->used >= MAX_ROWS) lock.number = 0;
    rowcounts_add(&s->acquired, (uint64_t[TABLE_KEYS]){kind, cls, lock.place, lock.outer, lock.number}, 1);
}

static void fold_acquired(Share *s) {
    Activity *a = s->of;
    const RowTable *t = s->acquired.table;
    for (uint32_t i = 0; t && i <= t->mask; i++) {
        TableRow row = t->slot[i];
        if (a->acquired.table && a->acquired.table->used >= 4 * MAX_ROWS) row.key[4] = 0;
        if (row.key[0]) rowcounts_add(&a->acquired, row.key, row.count);
    }
    a->acquired.lost += s->acquired.lost;
    s->acquired.lost = 0;
    rowcounts_free(&s->acquired);
}

void activity_end(Share *s) {
    Activity *a = s->of;
    SystemFigures figures;
    uint64_t now = moment_now(s->origin->events);
    bool accounted = has_figures(a) && a->side == 0;
    if (accounted) systemfigures_read(&figures, "/proc/self/task", s->tid);
    activity_lock(a);
    Group *g = &a->groups[s->group];
    if (accounted) systemfigures_subtract(&figures, &s->before);
    if (accounted) systemfigures_keep(s->origin->name, &figures);
    if (accounted) g->queued_ns += figures.queued_ns;
    g->cpu_ns += thread_cpu_ns(s->origin->events->thread);
    path_advance(s, now);
    path_join(&a->longest, &s->path);
    activity_level(a, now, s, s->kind, -1);
    if (s->most_fruitless > g->most_fruitless) g->most_fruitless = s->most_fruitless;
    if (s->longest_wait > g->longest_wait) {
        g->longest_wait = s->longest_wait;
        g->longest_context = s->longest_context;
    }
    for (int k = 0; k < HELD; k++)
        if (s->owned_classes[k].cls)
            count_owned(a, a->owned, MAX_GROUPS, s->owned_classes[k].cls, s->owned_classes[k].count);
    fold_acquired(s);
    progress_thread_end(s);
    g->living--;
    trace_event(a, TRACE_THREAD_END, now, s->serial, 0, 0, 0);
    const void *key = (const void *)(uintptr_t)s->serial;
    hash_remove(&a->by_serial, &hash_by_first_word, NULL, hash_pointer(key), key);
    s->ended = true;
    s->chain = a->free_shares;
    a->free_shares = s;
    activity_unlock(a);
}

// ---- rows ----

// The last quarter of the rows is reserved for locks without numbers.
LockRow *activity_row(Activity *a, uintptr_t object, uint32_t cls, uint32_t context, WaitKind kind) {
    LockRow row = {.cls = cls, .context = context, .kind = kind};
    if (kind == WAIT_ENTER || kind == WAIT_OWN) row.lock = lockidentity_of(a->side, object);
    if (a->lock_count >= MAX_ROWS / 4 * 3) row.lock.number = 0;
    HashKeyedRecords owner = {a->locks, sizeof row, offsetof(LockRow, lock) + sizeof row.lock};
    uint32_t h = hash_bytes(HASH_START, &row, owner.key);
    uintptr_t found = hash_find(&a->lock_index, &hash_by_bytes, &owner, h, &row);
    if (found) return &a->locks[found - 1];
    if (a->lock_count == MAX_ROWS || !GROW(a->locks, a->lock_capacity, a->lock_count + 1)) {
        a->overflow++;
        return NULL;
    }
    a->locks[a->lock_count] = row;
    owner.records = a->locks;
    if (!hash_add(&a->lock_index, &hash_by_bytes, &owner, h, a->lock_count + 1)) return NULL;
    return &a->locks[a->lock_count++];
}

// Attributes `ns` of the wait of `s` to another thread.
static void add_edge(Activity *a, const Share *s, uint32_t by_group, uint32_t by_context, uint64_t ns) {
    EdgeRow row = {s->group, s->context, by_group, by_context, s->cls, s->kind, {0}};
    HashKeyedRecords owner = {a->edges, sizeof row, offsetof(EdgeRow, wait)};
    uint32_t h = hash_bytes(HASH_START, &row, owner.key);
    uintptr_t found = hash_find(&a->edge_index, &hash_by_bytes, &owner, h, &row);
    if (!found) {
        if (a->edge_count == MAX_ROWS || !GROW(a->edges, a->edge_capacity, a->edge_count + 1)) {
            a->overflow++;
            return;
        }
        a->edges[a->edge_count] = row;
        owner.records = a->edges;
        found = a->edge_count + 1;
        if (!hash_add(&a->edge_index, &hash_by_bytes, &owner, h, found)) return;
        a->edge_count++;
    }
    histogram_add(&a->edges[found - 1].wait, ns);
}

// ---- levels ----

// Doubles the width of the bins, so half of them are in use.
static void fold_bins(uint64_t *bins) {
    for (int i = 0; i < BINS; i++) bins[i] = i < BINS / 2 ? bins[2 * i] + bins[2 * i + 1] : 0;
}

static uint32_t bin_of(Activity *a, uint64_t at) {
    Levels *l = &a->levels;
    while ((at - l->begin) / l->width >= BINS) {
        for (int k = 0; k < WAIT_KINDS; k++) fold_bins(l->bins[k]);
        fold_bins(l->cpu);
        fold_bins(l->stopped);
        l->width *= 2;
    }
    return (uint32_t)((at - l->begin) / l->width);
}

static void spread(Activity *a, uint64_t *bins, uint64_t from, uint64_t to, uint64_t amount) {
    Levels *l = &a->levels;
    if (to <= from) return;
    uint32_t last = bin_of(a, to), first = bin_of(a, from);
    for (uint32_t b = first; b <= last; b++) {
        uint64_t begin = l->begin + b * l->width, end = begin + l->width;
        uint64_t part = (to < end ? to : end) - (from > begin ? from : begin);
        bins[b] += (uint64_t)((unsigned __int128)amount * part / (to - from));
    }
}

// `s` NULL: no thread changes state. Service threads are left out: their waits say nothing about the program.
void activity_level(Activity *a, uint64_t now, const Share *s, int from, int to) {
    Levels *l = &a->levels;
    if (now > l->since) {
        uint32_t active = l->now[WAIT_NONE];
        l->at_level[active < MAX_LEVEL ? active : MAX_LEVEL] += now - l->since;
        for (int k = 0; k < WAIT_KINDS; k++)
            if (l->now[k]) spread(a, l->bins[k], l->since, now, l->now[k] * (now - l->since));
        l->since = now;
        if (now >= l->cpu_at + 1000000) {  // not at each event: reading the clock is a system call
            uint64_t cpu = (uint64_t)clock_process_ns(), at = stamp_now();  // a consumer comes later than the event
            spread(a, l->cpu, l->cpu_at, at, cpu - l->cpu_seen);
            l->cpu_at = at;
            l->cpu_seen = cpu;
        }
    }
    if (!s || s->service) return;
    if (from >= 0) l->now[from]--;
    if (to >= 0) l->now[to]++;
}

void activity_stopped(const ActivityThread *by, bool begin) {
    Activity *a = by->of;
    uint64_t now = moment_now(by->events);
    activity_lock(a);
    Levels *l = &a->levels;
    if (begin) {
        l->stopped_since = now;
    } else if (l->stopped_since) {
        if (now > l->stopped_since) l->stopped_ns += now - l->stopped_since;
        spread(a, l->stopped, l->stopped_since, now, now - l->stopped_since);
    }
    trace_event(a, begin ? TRACE_STOP_BEGIN : TRACE_STOP_END, now, 0, 0, 0, 0);
    activity_unlock(a);
}

// ---- waiting ----

static Share **bucket_of(Activity *a, uintptr_t object) {
    return &a->waiting[hash_pointer((const void *)object) % WAIT_BUCKETS];
}

static Share *owner_of_lock(Activity *a, uintptr_t lock);

static void begin_race(Share *s) {
    Activity *a = s->of;
    s->overtaken = s->rivals = 0;
    for (const Share *t = *bucket_of(a, s->object); t; t = t->chain) s->rivals += t->object == s->object;
}

void activity_block(Share *s, uint32_t kind, bool timed, uintptr_t object, uint32_t cls, uint32_t owner) {
    Activity *a = s->of;
    Here here;
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    if (kind >= WAIT_KINDS) return;
    where(s, &here);
    activity_lock(a);
    name_late(s);
    path_advance(s, now);
    activity_level(a, now, s, s->kind, (int)kind);
    s->kind = (WaitKind)kind;
    s->timed = timed;
    s->object = object;
    s->cls = cls;
    s->context = context_of(a, &here);
    s->since = s->charged = s->last_ran = now;
    s->woken = 0;
    s->waker_group = s->waker_context = 0;
    Share *holder = NULL;
    if (kind == WAIT_ENTER) {
        holder = owner && owner < a->lock_ids ? a->by_lock_id[owner] : NULL;
        if (holder && (holder->lock_id != owner || holder->ended)) holder = NULL;
        begin_race(s);
    } else if (kind == WAIT_PARK) {
        holder = owner_of_lock(a, object);
        if (s->wanted != object) {
            s->wanted = object;
            s->wanted_since = now;
            begin_race(s);
        }
    }
    s->owner = holder ? holder->serial : 0;
    s->owner_priority = holder ? holder->priority : 0;
    s->owner_group = holder ? holder->group : 0;
    if (object) {
        Share **bucket = bucket_of(a, object);
        s->chain = *bucket;
        *bucket = s;
    }
    activity_row(a, object, cls, s->context, s->kind);  // create the row now, in case the wait never ends
    trace_event(a, TRACE_BLOCK, now, s->serial, kind, cls, s->context);
    note_cost(a, COST_BLOCK, began);
    activity_unlock(a);
}

// The thread with a priority between the two that has run longest without a wait, of those that ran during this one.
static const Share *ran_instead(const Share *s, uint64_t now) {
    const Activity *a = s->of;
    const Share *best = NULL;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < a->share_count; i++) {
        const Share *t = a->shares[i];
        if (t == s || t->ended || t->priority <= s->owner_priority || t->priority >= s->priority) continue;
        if (t->kind != WAIT_NONE && t->last_ran < s->since) continue;
        uint64_t from = t->last_ran > s->since ? t->last_ran : s->since;
        uint64_t ran = t->kind == WAIT_NONE && now > from ? now - from : 0;
        if (best && ran <= longest) continue;
        best = t;
        longest = ran;
    }
    return best;
}

static void look_for_inversion(const Share *s, uint64_t ns, uint64_t now) {
    Activity *a = s->of;
    if (!s->owner || s->owner_priority >= s->priority) return;
    const Share *instead = ran_instead(s, now);
    uint32_t by = s->owner_group, other = instead ? instead->group : 0, i = 0;
    while (i < a->inversion_count &&
           (a->inversions[i].group != s->group || a->inversions[i].by_group != by ||
            a->inversions[i].instead_group != other || a->inversions[i].cls != s->cls))
        i++;
    if (i == a->inversion_count) {
        if (i == MAX_ROWS || !GROW(a->inversions, a->inversion_capacity, i + 1)) return;
        a->inversions[a->inversion_count++] = (InversionRow){s->group, by, other, s->cls, {0}};
    }
    histogram_add(&a->inversions[i].wait, ns);
}

// Attributes a wait of `ns` that ends now.
static void account_wait(Share *s, uint64_t ns, uint64_t now) {
    Activity *a = s->of;
    bool ended_by_thread = s->woken || s->kind == WAIT_ENTER;
    // The time since the last release, or the whole wait, is charged to the thread that ended it.
    if (ended_by_thread && s->kind != WAIT_SLEEP && now > s->charged)
        add_edge(a, s, s->waker_group, s->waker_context, now - s->charged);
    look_for_inversion(s, ns, now);
    s->fruitless = ended_by_thread ? 0 : s->fruitless + 1;
    if (s->fruitless > s->most_fruitless) s->most_fruitless = s->fruitless;
    if (s->kind == WAIT_ENTER) {
        progress_overtaken(s, WAIT_ENTER, s->cls, ns);
        if (ns > s->longest_wait) {
            s->longest_wait = ns;
            s->longest_context = s->context;
        }
    }
    uint64_t woken = s->woken > s->since ? s->woken : s->since;
    if (s->woken) path_add(a, &s->path, SEGMENT_WAKE, s->group, 0, now > woken ? now - woken : 0);
    else if (s->kind == WAIT_SLEEP || s->timed) path_add(a, &s->path, SEGMENT_SLEEP, s->group, 0, now - s->since);
    else path_add(a, &s->path, SEGMENT_UNKNOWN, s->group, s->cls, now - s->since);
    s->mark = now;
}

void activity_unblock(Share *s) {
    Activity *a = s->of;
    if (s->woken || s->kind == WAIT_ENTER) progress_made(s, ATTEMPT_WAY, 0);
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    activity_lock(a);
    if (s->kind != WAIT_NONE) {
        uint64_t ns = now > s->since ? now - s->since : 0;
        if (now < s->since) now = s->since;
        Group *g = &a->groups[s->group];
        for (Share **at = bucket_of(a, s->object); s->object && *at; at = &(*at)->chain)
            if (*at == s) {
                *at = s->chain;
                break;
            }
        g->waits[s->kind]++;
        g->waited[s->kind] += ns;
        if (s->woken) histogram_add(&g->latency, now > s->woken ? now - s->woken : 0);
        LockRow *row = activity_row(a, s->object, s->cls, s->context, s->kind);
        if (row) {
            row->contended++;
            histogram_add(&row->wait, ns);
        }
        account_wait(s, ns, now);
        activity_level(a, now, s, s->kind, WAIT_NONE);
        trace_event(a, TRACE_UNBLOCK, now, s->serial, s->kind, s->cls, s->waker_group);
        s->kind = WAIT_NONE;
        s->owner_timer = 0;
        s->owner_period = stamp_period_after_wait(s->owner_period);
        s->object = 0;
        s->last_ran = now;
    }
    note_cost(a, COST_UNBLOCK, began);
    activity_unlock(a);
}

// ---- causing and ending waits ----

static void wake(Share *target, Share *by, uint32_t context, uint64_t now) {
    if (target->woken) return;
    target->woken = now;
    target->waker_group = by->group;
    target->waker_context = context;
    path_advance(by, now);
    path_join(&target->path, &by->path);
    trace_event(by->of, TRACE_WAKE, now, by->serial, 0, 0, (uint32_t)target->serial);
}

void activity_wake(Share *s, uint64_t serial) {
    Activity *a = s->of;
    Here here = {.count = 0};
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    activity_lock(a);
    Share *target = activity_find(a, serial);
    bool waits = target && target->kind == WAIT_PARK && !target->woken;
    activity_unlock(a);
    if (!waits) return;
    where(s, &here);
    activity_lock(a);
    target = activity_find(a, serial);
    if (target && target->kind == WAIT_PARK) wake(target, s, context_of(a, &here), now);
    note_cost(a, COST_WAKE, began);
    activity_unlock(a);
}

void activity_notify(Share *s, uintptr_t object, bool all) {
    Activity *a = s->of;
    Here here;
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    where(s, &here);
    activity_lock(a);
    // Of several waiters, notify wakes the one that has waited longest.
    do {
        Share *first = NULL;
        for (Share *t = *bucket_of(a, object); t; t = t->chain)
            if (t->object == object && t->kind == WAIT_NOTIFY && !t->woken && (!first || t->since < first->since))
                first = t;
        if (!first) break;
        wake(first, s, context_of(a, &here), now);
    } while (all);
    note_cost(a, COST_WAKE, began);
    activity_unlock(a);
}

void activity_hold(Share *s, uintptr_t object, uint32_t cls) {
    Activity *a = s->of;
    Here here;
    progress_made(s, ATTEMPT_WAY, 0);
    where(s, &here);
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    activity_lock(a);
    name_late(s);
    LockRow *row = activity_row(a, object, cls, context_of(a, &here), WAIT_ENTER);
    if (row) {
        row->timed++;
        if (s->held_count < HELD) s->held[s->held_count++] = (struct Held){object, now, (uint32_t)(row - a->locks)};
        trace_event(a, TRACE_HOLD, now, s->serial, 0, cls, row->context);
    }
    note_cost(a, COST_HOLD, began);
    activity_unlock(a);
}

static bool take_held(Share *s, uintptr_t object, struct Held *out) {
    for (uint32_t i = s->held_count; i-- > 0;) {
        if (s->held[i].object != object) continue;
        *out = s->held[i];
        memmove(&s->held[i], &s->held[i + 1], (--s->held_count - i) * sizeof *s->held);
        return true;
    }
    return false;
}

// Charges all waits for the lock up to now to its holder.
static void charge_waiters(Share *s, uintptr_t object, uint32_t context, const struct Held *held, uint64_t now) {
    Activity *a = s->of;
    for (Share *t = *bucket_of(a, object); t; t = t->chain) {
        if (t->object != object || t->kind != WAIT_ENTER || now <= t->charged) continue;
        add_edge(a, t, s->group, context, now - t->charged);
        if (held) a->locks[held->row].charged += now - t->charged;
        t->overtaken++;
        t->charged = now;
        t->woken = now;
        t->waker_group = s->group;
        t->waker_context = context;
        path_join(&t->path, &s->path);
    }
}

void activity_release(Share *s, uintptr_t object, bool waited_for) {
    Activity *a = s->of;
    Here here = {.count = 0};
    struct Held held;
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    if (waited_for) where(s, &here);
    activity_lock(a);
    bool timed = take_held(s, object, &held);
    if (timed) {
        histogram_add(&a->locks[held.row].hold, now > held.since ? now - held.since : 0);
        trace_event(a, TRACE_RELEASE, now, s->serial, 0, a->locks[held.row].cls, a->locks[held.row].context);
    }
    if (waited_for) {
        path_advance(s, now);
        if (timed) path_move(a, &s->path, s->group, a->locks[held.row].cls, now > held.since ? now - held.since : 0);
        charge_waiters(s, object, context_of(a, &here), timed ? &held : NULL, now);
    }
    note_cost(a, COST_RELEASE, began);
    activity_unlock(a);
}

// ---- locks of java.util.concurrent ----

// Examines all threads only if another lock of the same bucket was taken last.
static Share *owner_of_lock(Activity *a, uintptr_t lock) {
    size_t at = hash_pointer((const void *)lock) % OWNED_BUCKETS;
    uintptr_t last = atomic_load_explicit(&a->taken[at].lock, memory_order_relaxed);
    Share *by = atomic_load_explicit(&a->taken[at].by, memory_order_relaxed);
    if (!lock || !last) return NULL;
    if (by && !by->ended && activity_owns(by, lock)) return by;
    for (uint32_t i = 0; last != lock && i < a->share_count; i++)
        if (!a->shares[i]->ended && activity_owns(a->shares[i], lock)) return a->shares[i];
    return NULL;
}

static void count_owned(Activity *a, struct OwnedClass *classes, int most, uint32_t cls, uint64_t count) {
    int i = 0;
    while (i < most - 1 && classes[i].cls && classes[i].cls != cls) i++;
    if (classes[i].cls != cls && classes[i].cls) a->overflow += count;  // more classes than entries
    else classes[i].cls = cls, classes[i].count += count;
}

bool activity_owns(const Share *s, uintptr_t lock) {
    for (int k = 0; k < HELD; k++)
        if (atomic_load_explicit(&s->owned[k], memory_order_relaxed) == lock) return true;
    return false;
}

static void note_owned(Share *s, uintptr_t lock, uint32_t cls) {
    Activity *a = s->of;
    int k = 0;
    count_owned(a, s->owned_classes, HELD, cls, 1);
    while (k < HELD - 1 && atomic_load_explicit(&s->owned[k], memory_order_relaxed)) k++;
    atomic_store_explicit(&s->owned[k], lock, memory_order_relaxed);
    size_t at = hash_pointer((const void *)lock) % OWNED_BUCKETS;
    if (atomic_load_explicit(&a->taken[at].lock, memory_order_relaxed) != lock)
        atomic_store_explicit(&a->taken[at].lock, lock, memory_order_relaxed);
    if (atomic_load_explicit(&a->taken[at].by, memory_order_relaxed) != s)
        atomic_store_explicit(&a->taken[at].by, s, memory_order_relaxed);
}

static void note_disowned(Share *s, uintptr_t lock) {
    int k = 0;
    while (k < HELD - 1 && atomic_load_explicit(&s->owned[k], memory_order_relaxed) != lock) k++;
    if (atomic_load_explicit(&s->owned[k], memory_order_relaxed) == lock)
        atomic_store_explicit(&s->owned[k], 0, memory_order_relaxed);
}

bool activity_own_untimed(Share *s, uintptr_t lock, uint32_t cls) {
    if (s->owner_timer <= 1 || s->wanted == lock || s->open_series || lockidentity_detail() != LOCKS_BY_CLASS)
        return false;
    s->owner_timer--;
    note_owned(s, lock, cls);
    return true;
}

bool activity_disown_untimed(Share *s, uintptr_t lock) {
    Activity *a = s->of;
    if (s->held_count || __atomic_load_n(bucket_of(a, lock), __ATOMIC_RELAXED)) return false;
    note_disowned(s, lock);
    return true;
}

// Timed like monitors (vm/threads/monitor.h).
void activity_own(Share *s, uintptr_t lock, uint32_t cls) {
    Activity *a = s->of;
    if (lockidentity_detail() != LOCKS_BY_CLASS) activity_acquire(s, lock, cls, WAIT_OWN);
    note_owned(s, lock, cls);
    bool waited = s->wanted == lock;
    progress_made(s, ATTEMPT_LOCK, lock);
    progress_made(s, ATTEMPT_WAY, 0);
    if (!waited && s->owner_timer > 1) {
        s->owner_timer--;
        return;
    }
    Here here;
    where(s, &here);
    uint64_t now = moment_now(s->origin->events);
    s->owner_timer = s->owner_period = stamp_period(s->owner_period, now - s->owner_timed_at);
    s->owner_timed_at = now;
    activity_lock(a);
    LockRow *row = activity_row(a, lock, cls, context_of(a, &here), WAIT_OWN);
    if (row) {
        row->timed++;
        if (waited) {
            row->contended++;
            histogram_add(&row->wait, now > s->wanted_since ? now - s->wanted_since : 0);
            progress_overtaken(s, WAIT_OWN, cls, now > s->wanted_since ? now - s->wanted_since : 0);
        }
        if (s->held_count < HELD) s->held[s->held_count++] = (struct Held){lock, now, (uint32_t)(row - a->locks)};
        trace_event(a, TRACE_HOLD, now, s->serial, 0, cls, row->context);
    }
    s->wanted = 0;
    activity_unlock(a);
}

void activity_disown(Share *s, uintptr_t lock, uint32_t cls) {
    Activity *a = s->of;
    bool timed = false;
    note_disowned(s, lock);
    for (uint32_t i = 0; i < s->held_count; i++) timed |= s->held[i].object == lock;
    if (!timed && !__atomic_load_n(bucket_of(a, lock), __ATOMIC_RELAXED)) return;
    Here here = {.count = 0};
    struct Held held = {0};
    uint64_t now = moment_now(s->origin->events);
    if (!timed) where(s, &here);
    activity_lock(a);
    timed = take_held(s, lock, &held);
    LockRow *row = timed ? &a->locks[held.row] : NULL;
    if (row) {
        histogram_add(&row->hold, now > held.since ? now - held.since : 0);
        trace_event(a, TRACE_RELEASE, now, s->serial, 0, row->cls, row->context);
    }
    bool parked = false;
    for (const Share *t = *bucket_of(a, lock); t; t = t->chain) parked |= t->object == lock && t->kind == WAIT_PARK;
    if (parked) {
        path_advance(s, now);
        if (row) path_move(a, &s->path, s->group, row->cls, now > held.since ? now - held.since : 0);
        if (!row) row = activity_row(a, lock, cls, context_of(a, &here), WAIT_OWN);
        // The waits of threads parked for the lock are charged to its holder, from when it took the lock or, if that is
        // unknown, from when they parked.
        for (Share *t = *bucket_of(a, lock); row && t; t = t->chain) {
            uint64_t since = t->since > held.since ? t->since : held.since;
            if (t->object != lock || t->kind != WAIT_PARK) continue;
            t->overtaken++;
            if (now > since) row->charged += now - since;
        }
    }
    activity_unlock(a);
}

// ---- comparison of the sides ----

// Acquisitions, of which a side that found no identity for a lock would have others.
static uint64_t acquisitions(const Activity *a, LockDetail detail) {
    uint64_t sum = 0, lost = 0;
    Table rows = {0};
    rowcounts_collect(&a->acquired, &rows, &lost);
    for (uint32_t i = 0; i < a->share_count; i++) rowcounts_collect(&a->shares[i]->acquired, &rows, &lost);
    for (size_t i = 0; i < rows.count; i++)
        if (detail == LOCKS_BY_CLASS || rows.rows[i].key[2]) sum += rows.rows[i].count;
    table_free(&rows);
    return sum + lost;
}

// The row of `a` for a group of another side.
static const Group *group_like(const Activity *a, const Group *g) {
    for (uint32_t i = 0; i < a->group_count; i++)
        if (strcmp(a->groups[i].name, g->name) == 0) return &a->groups[i];
    return NULL;
}

typedef struct ClassCounts {
    uint64_t timed, contended, holds, owned;
} ClassCounts;

static uint64_t owned_of(const Activity *a, uint32_t cls) {
    uint64_t sum = 0;
    for (int i = 0; i < MAX_GROUPS; i++) sum += a->owned[i].cls == cls ? a->owned[i].count : 0;
    for (uint32_t i = 0; i < a->share_count; i++)
        for (int k = 0; k < HELD && !a->shares[i]->ended; k++)
            sum += a->shares[i]->owned_classes[k].cls == cls ? a->shares[i]->owned_classes[k].count : 0;
    return sum;
}

// How often monitors of a class were timed and waited for, wherever, and its locks of java.util.concurrent owned. When
// the latter are timed depends on the time.
static ClassCounts counts_of(const Activity *a, uint32_t cls) {
    ClassCounts sum = {.owned = owned_of(a, cls)};
    for (uint32_t i = 0; i < a->lock_count; i++) {
        const LockRow *row = &a->locks[i];
        if (row->cls != cls || row->kind == WAIT_OWN) continue;
        sum.timed += row->timed;
        sum.contended += row->contended;
        sum.holds += row->hold.count;
    }
    return sum;
}

uint64_t activity_differences(void) {
    const Activity *own = &activity_of[0], *other = &activity_of[1];
    uint64_t count = tasks_differences() + (own->group_count != other->group_count);
    count += acquisitions(own, lockidentity_detail()) != acquisitions(other, lockidentity_detail());
    for (uint32_t i = 0; i < own->group_count; i++) {
        const Group *x = &own->groups[i], *y = group_like(other, x);
        count += !y || x->threads != y->threads || memcmp(x->waits, y->waits, sizeof x->waits) != 0 ||
            memcmp(x->left, y->left, sizeof x->left) != 0 || x->migrations != y->migrations;
    }
    for (uint32_t i = 0; i < own->lock_count; i++) {
        ClassCounts x = counts_of(own, own->locks[i].cls), y = counts_of(other, own->locks[i].cls);
        count += memcmp(&x, &y, sizeof x) != 0;
    }
    return count;
}

// ---- processors ----

void activity_switch(Share *s, bool in, uint32_t processor, uint32_t reason) {
    Activity *a = s->of;
    uint64_t now = moment_now(s->origin->events), began = cost_begin(s, now);
    activity_lock(a);
    Group *g = &a->groups[s->group];
    if (!in) {
        if (s->on_since && now > s->on_since) histogram_add(&g->quantum, now - s->on_since);
        g->left[reason < SWITCH_REASONS ? reason : 0]++;
        s->off_since = now;
        s->on_since = 0;
    } else {
        bool moved = s->processor >= 0 && s->processor != (int)processor;
        uint64_t ready = s->woken > s->off_since ? s->woken : s->kind == WAIT_NONE ? s->off_since : 0;
        g->migrations += moved;
        if (moved && ready && now > ready) histogram_add(&g->migration_latency, now - ready);
        s->processor = (int)processor;
        s->on_since = s->last_ran = now;
    }
    trace_event(a, in ? TRACE_ON : TRACE_OFF, now, s->serial, reason, processor, 0);
    note_cost(a, COST_SWITCH, began);
    activity_unlock(a);
}
