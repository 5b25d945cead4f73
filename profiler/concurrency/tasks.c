#include "profiler/concurrency/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "bytecode/classfile/opcodes.h"
#include "profiler/analyses/moment.h"
#include "profiler/concurrency/trace.h"
#include "vm/api/stamp.h"

enum {
    PENDING = 1 << 14,
    PROBES = 64,
    MAX_CLASSES = 1024,
    MAX_PAIRS = 32,
    MAX_LINES = 4 * MAX_PAIRS,
    MAX_POINT = 200,
    STARTS = 1 << 12,
    MOST_OPEN = 1 << 16
};

typedef enum Role {
    ROLE_UNKNOWN,
    ROLE_OWNER,
    ROLE_TRY,
    ROLE_TASK,
    ROLE_TASK2,
    ROLE_QUEUE,
    ROLE_QUEUE_INNER,
    ROLE_QUEUE_SELF,
    ROLE_BEGIN,
    ROLE_END,
    ROLE_RUN,
    ROLE_NONE
} Role;

// A task that is queued, or whose body's class is known.
typedef struct Pending {
    uintptr_t task;
    uint64_t queued;  // 0: not yet
    uint32_t cls;     // of its body; 0: the task's own class
    uint32_t next;    // in the hash chain or the free list: number + 1; 0: the last
} Pending;

typedef struct TaskClass {
    uint32_t cls;
    uint64_t queued, started, ended, last_latency;
    Histogram latency, service, jitter;
    uint32_t worst_context;
    uint64_t worst;
} TaskClass;

// A point of between=: entry or exit of a method, a line of it, or a mark.
typedef struct Point {
    char text[MAX_POINT];  // "class.method" with dots, "class.method:line", or "mark:name"
    uint32_t name_length;  // length of the part before the line
    int32_t line;          // 0: none
    bool leaves;
    bool by_key;  // matched by the mark's key or the first argument; otherwise within a thread
} Point;

typedef struct Pair {
    Point from, to;
    Histogram time;
    uint64_t unmatched;
    uint32_t worst_context;
    uint64_t worst;
} Pair;

typedef struct Start {
    uint64_t key, at;
    uint32_t pair;  // 0: free, otherwise its number + 1
} Start;

// A mark with a key whose other point was not passed in this process: another one may have it (cabernet-prof join).
typedef struct OpenPoint {
    uint64_t key, at;
    uint32_t pair;
    bool ends;
} OpenPoint;

// A bytecode index where a line that is a point begins.
typedef struct LineSite {
    uint32_t method;
    int32_t bci;
    const Point *point;
} LineSite;

// By side. Pairs are the same in both but for their results; lines are in side 0.
typedef struct Tasks {
    Pending pending[PENDING];
    uint32_t chains[PENDING];             // of pending entries, by hash of the task
    uint32_t pending_used, pending_free;  // entries ever used, and the free list
    TaskClass classes[MAX_CLASSES];
    uint32_t class_count;
    uint64_t unmatched, dropped;
    Pair pairs[MAX_PAIRS];
    uint32_t pair_count;
    Start starts[STARTS];
    OpenPoint *open;
    uint32_t open_count, open_capacity;
    uint64_t open_dropped;
    LineSite lines[MAX_LINES];
    _Atomic uint32_t line_count;  // incremented when the next entry is complete
    uint8_t *roles;
    char **names;  // of methods, as points name them; NULL: in no pair
    uint32_t role_capacity, name_capacity;
} Tasks;

static Tasks tasks_of[ANALYSIS_SIDES];

static Tasks *tasks_at(const Activity *a) { return &tasks_of[a->side]; }

// ---- what is watched ----

static const struct Watched {
    const char *class_name, *name;
    Role role;
    enum ActivityPart part;
} watched[] = {
#define POINT(class_name, name, role, part) {class_name, name, ROLE_##role, PART_##part},
#include "profiler/concurrency/points.def"
};
enum { WATCHED = sizeof watched / sizeof *watched };

static bool is_point(const Point *p, const char *class_name, const char *name) {
    size_t n = strlen(class_name), rest = strlen(name);
    const char *t = p->text;
    if (p->name_length != n + 1 + rest) return false;
    for (size_t i = 0; i < n; i++, t++)
        if (*t != (class_name[i] == '/' ? '.' : class_name[i])) return false;
    return *t == '.' && memcmp(t + 1, name, rest) == 0;
}

// Is the method itself, rather than one of its lines, a point of a pair?
static bool in_pair(const char *class_name, const char *name) {
    for (uint32_t i = 0; i < 2 * tasks_of[0].pair_count; i++) {
        const Point *p = i % 2 ? &tasks_of[0].pairs[i / 2].to : &tasks_of[0].pairs[i / 2].from;
        if (!p->line && is_point(p, class_name, name)) return true;
    }
    return false;
}

bool tasks_watches(const char *class_name, const char *name) {
    for (int i = 0; i < WATCHED; i++)
        if (activity_of[0].parts[watched[i].part] && strcmp(watched[i].class_name, class_name) == 0 &&
            strcmp(watched[i].name, name) == 0)
            return true;
    return in_pair(class_name, name);
}

// ---- lines ----

EventSet tasks_placed(void) {
    for (uint32_t i = 0; i < tasks_of[0].pair_count; i++)
        if (tasks_of[0].pairs[i].from.line || tasks_of[0].pairs[i].to.line) return EVENT_BIT(EVENT_instruction);
    return 0;
}

// Requires the lock of the a->
static void add_line(uint32_t method, const ClassFileCode *code, const Point *p) {
    uint32_t count = tasks_of[0].line_count;
    for (uint32_t i = 0; i < count; i++)
        if (tasks_of[0].lines[i].method == method && tasks_of[0].lines[i].point == p) return;
    for (uint32_t bci = 0; bci < code->code_len && count < MAX_LINES;
         bci += opcodes_length(code->code, code->code_len, bci)) {
        if (activity_of[0].host->line(method, (int32_t)bci) != p->line) continue;
        tasks_of[0].lines[count] = (LineSite){method, (int32_t)bci, p};
        tasks_of[0].line_count = count + 1;
        return;
    }
}

EventSet tasks_match(uint32_t method, const ClassFileMethod *info) {
    ProfiledMethod m = {0};
    if (!tasks_placed() || !info->code || !activity_of[0].host->method(method, &m) || !m.name) return 0;
    activity_lock(&activity_of[0]);
    for (uint32_t i = 0; i < tasks_of[0].pair_count; i++) {
        const Point *ends[] = {&tasks_of[0].pairs[i].from, &tasks_of[0].pairs[i].to};
        for (int k = 0; k < 2; k++)
            if (ends[k]->line && is_point(ends[k], m.class_name, m.name)) add_line(method, info->code, ends[k]);
    }
    activity_unlock(&activity_of[0]);
    for (uint32_t i = 0; i < tasks_of[0].line_count; i++)
        if (tasks_of[0].lines[i].method == method) return EVENT_BIT(EVENT_instruction);
    return 0;
}

EventSet tasks_wants(uint32_t method, int32_t bci) {
    for (uint32_t i = 0; i < tasks_of[0].line_count; i++)
        if (tasks_of[0].lines[i].method == method && tasks_of[0].lines[i].bci == bci)
            return EVENT_BIT(EVENT_instruction);
    return 0;
}

static Role role_by_name(Activity *a, uint32_t method) {
    Tasks *k = tasks_at(a);
    ProfiledMethod m = {0};
    if (!a->host->method(method, &m) || !m.name) return ROLE_NONE;
    bool is_bridge = m.flags & 0x40;  // a bridge method calls another one of its name, which counts instead
    if (!is_bridge && in_pair(m.class_name, m.name) && GROW_ZEROED(k->names, k->name_capacity, method + 1)) {
        if (asprintf(&k->names[method], "%s.%s", m.class_name, m.name) < 0) k->names[method] = NULL;
        for (char *c = k->names[method]; c && *c; c++)
            if (*c == '/') *c = '.';
    }
    for (int i = 0; i < WATCHED; i++)
        if (a->parts[watched[i].part] && strcmp(watched[i].class_name, m.class_name) == 0 &&
            strcmp(watched[i].name, m.name) == 0)
            return watched[i].role;
    return ROLE_NONE;
}

static Role role_of(Activity *a, uint32_t method) {
    Tasks *k = tasks_at(a);
    if (!GROW_ZEROED(k->roles, k->role_capacity, method + 1)) return ROLE_NONE;
    if (k->roles[method] == ROLE_UNKNOWN) k->roles[method] = (uint8_t)role_by_name(a, method);
    return (Role)k->roles[method];
}

static const char *name_of(const Activity *a, uint32_t method) {
    const Tasks *k = tasks_at(a);
    return method < k->name_capacity ? k->names[method] : NULL;
}

// ---- tasks ----

static uint32_t *chain_of(Tasks *k, uintptr_t task) { return &k->chains[hash_pointer((const void *)task) % PENDING]; }

// Appends to a chain. NULL: no free entry.
static Pending *add_pending(Tasks *k, uint32_t *end, uintptr_t task) {
    uint32_t number = k->pending_free;
    if (number) k->pending_free = k->pending[number - 1].next;
    else if (k->pending_used < PENDING) number = ++k->pending_used;
    else return NULL;
    k->pending[number - 1] = (Pending){.task = task};
    *end = number;
    return &k->pending[number - 1];
}

// The entry of a task. If an object is queued several times: the one that has waited longest. `unqueued`: only an entry
// that is not queued yet. `add`: adds one if there is none. NULL: none, or no room. Examines at most PROBES entries.
static Pending *pending_of(Tasks *k, uintptr_t task, bool unqueued, bool add) {
    Pending *oldest = NULL;
    uint32_t *at = chain_of(k, task), length = 0;
    for (; *at && length < PROBES; length++) {
        Pending *p = &k->pending[*at - 1];
        if (p->task == task && (!unqueued || !p->queued) && (!oldest || p->queued < oldest->queued)) oldest = p;
        at = &p->next;
    }
    if (!oldest && add && !*at) oldest = add_pending(k, at, task);
    if (!oldest && add) k->dropped++;
    return oldest;
}

static TaskClass *class_of(Tasks *k, uint32_t cls) {
    for (uint32_t i = 0; i < k->class_count; i++)
        if (k->classes[i].cls == cls) return &k->classes[i];
    if (k->class_count == MAX_CLASSES) return NULL;
    k->classes[k->class_count].cls = cls;
    return &k->classes[k->class_count++];
}

static void has_body(Tasks *k, uintptr_t task, uint32_t cls) {
    Pending *p = cls ? pending_of(k, task, true, true) : NULL;
    if (p) p->queued = 0, p->cls = cls;
}

// `inner`: a method called by one that may have queued the task already.
static void queue(Tasks *k, uintptr_t task, uint32_t cls, bool inner, uint64_t now) {
    if (!task || (inner && (pending_of(k, task, false, false) != pending_of(k, task, true, false)))) return;
    Pending *p = pending_of(k, task, true, true);
    if (p && p->cls) cls = p->cls;
    if (p) p->queued = now ? now : 1, p->cls = cls;
    TaskClass *c = class_of(k, cls);
    if (c) c->queued++;
}

static void begin(Share *s, TaskStack *t, uintptr_t task, uint32_t cls, uint64_t now) {
    Tasks *k = tasks_at(s->of);
    Pending *p = pending_of(k, task, false, false);
    if (p && p->cls) cls = p->cls;
    TaskClass *c = class_of(k, cls);
    if (c) {
        c->started++;
        if (p && p->queued) {
            uint64_t ns = now > p->queued ? now - p->queued : 0;
            histogram_add(&c->latency, ns);
            if (c->latency.count > 1)
                histogram_add(&c->jitter, ns > c->last_latency ? ns - c->last_latency : c->last_latency - ns);
            c->last_latency = ns;
        } else {
            k->unmatched++;
        }
    }
    if (p) {  // it is pending no longer
        uint32_t *at = chain_of(k, task), number = (uint32_t)(p - k->pending) + 1;
        while (*at != number) at = &k->pending[*at - 1].next;
        *at = p->next;
        *p = (Pending){.next = k->pending_free};
        k->pending_free = number;
    }
    if (GROW(t->running, t->capacity, t->depth + 1)) t->running[t->depth] = (struct Running){task, cls, now};
    t->depth++;
    trace_event(s->of, TRACE_TASK_BEGIN, now, s->serial, 0, cls, 0);
}

static void end(Share *s, TaskStack *t, uint64_t now) {
    Tasks *k = tasks_at(s->of);
    if (!t->depth || --t->depth >= t->capacity) return;
    const struct Running *r = &t->running[t->depth];
    TaskClass *c = class_of(k, r->cls);
    uint64_t ns = now > r->began ? now - r->began : 0;
    if (c) {
        c->ended++;
        histogram_add(&c->service, ns);
    }
    trace_event(s->of, TRACE_TASK_END, now, s->serial, 0, r->cls, 0);
}

// ---- between two points ----

// Keys of marks are numbers that two processes can agree on; those of methods are objects.
static bool joins(const Pair *p) {
    return p->from.by_key && strncmp(p->from.text, "mark:", 5) == 0 && strncmp(p->to.text, "mark:", 5) == 0;
}

static void keep_open(Tasks *k, uint32_t number, uint64_t key, uint64_t at, bool ends) {
    if (!joins(&k->pairs[number])) return;
    if (k->open_count < MOST_OPEN && GROW(k->open, k->open_capacity, k->open_count + 1))
        k->open[k->open_count++] = (OpenPoint){key, at, number, ends};
    else k->open_dropped++;
}

static void begin_pair(Tasks *k, uint32_t number, uint64_t key, uint64_t now) {
    uint32_t h = hash_bytes(HASH_START, &key, sizeof key) + number;
    for (uint32_t i = 0; i < PROBES; i++) {
        Start *at = &k->starts[(h + i) % STARTS];
        if (at->pair && (at->pair != number + 1 || at->key != key)) continue;
        *at = (Start){key, now, number + 1};
        return;
    }
    k->pairs[number].unmatched++;
    keep_open(k, number, key, now, false);
}

static void end_pair(const Share *s, uint32_t number, uint64_t key, uint64_t now) {
    Tasks *k = tasks_at(s->of);
    uint32_t h = hash_bytes(HASH_START, &key, sizeof key) + number;
    for (uint32_t i = 0; i < PROBES; i++) {
        Start *at = &k->starts[(h + i) % STARTS];
        if (at->pair != number + 1 || at->key != key) continue;
        uint64_t ns = now > at->at ? now - at->at : 0;
        Pair *p = &k->pairs[number];
        histogram_add(&p->time, ns);
        if (ns >= p->worst) {
            uint32_t methods[CONTEXT_WALK];
            int32_t bcis[CONTEXT_WALK];
            p->worst = ns;
            p->worst_context = activity_context(s->of, methods, bcis,
                                                moment_stack(s->origin->events, methods, bcis, CONTEXT_WALK));
        }
        *at = (Start){0};
        return;
    }
    k->pairs[number].unmatched++;
    keep_open(k, number, key, now, true);
}

static void pass(const Share *s, const char *text, bool leaves, uint64_t key, uint64_t now) {
    Tasks *k = tasks_at(s->of);
    for (uint32_t i = 0; i < k->pair_count; i++) {
        const Pair *p = &k->pairs[i];
        if (p->to.leaves == leaves && strcmp(p->to.text, text) == 0)
            end_pair(s, i, p->to.by_key ? key : s->serial, now);
        if (p->from.leaves == leaves && strcmp(p->from.text, text) == 0)
            begin_pair(k, i, p->from.by_key ? key : s->serial, now);
    }
}

// ---- events ----

// Each thread remembers which method reports lock owners: such calls are frequent, and need no lock here.
static void owner(Share *s, TaskStack *t, uint32_t method, uintptr_t lock, uint32_t cls, bool owned) {
    t->owner_method = method;
    if (owned) activity_own(s, lock, cls);
    else activity_disown(s, lock, cls);
}

bool tasks_enter_quickly(Share *s, const TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class,
                         bool first) {
    if (method != t->owner_method) return false;
    return first ? activity_own_untimed(s, receiver, receiver_class) : activity_disown_untimed(s, receiver);
}

void tasks_enter(Share *s, TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class, uintptr_t first,
                 uint32_t first_class, uintptr_t second, uint32_t second_class) {
    Activity *a = s->of;
    if (method == t->owner_method && method) {
        owner(s, t, method, receiver, receiver_class, first != 0);
        return;
    }
    uint64_t now = moment_now(s->origin->events);
    activity_lock(a);
    Role role = role_of(a, method);
    Tasks *k = tasks_at(a);
    switch (role) {
        case ROLE_TASK: has_body(k, receiver, first_class); break;
        case ROLE_TASK2: has_body(k, receiver, second_class); break;
        case ROLE_QUEUE: queue(k, first, first_class, false, now); break;
        case ROLE_QUEUE_INNER: queue(k, first, first_class, true, now); break;
        case ROLE_QUEUE_SELF: queue(k, receiver, receiver_class, false, now); break;
        case ROLE_BEGIN: begin(s, t, second, second_class, now); break;
        case ROLE_END: end(s, t, now); break;
        case ROLE_RUN: begin(s, t, receiver, receiver_class, now); break;
        case ROLE_OWNER:
        case ROLE_TRY:
        case ROLE_UNKNOWN:
        case ROLE_NONE: break;
    }
    if (tasks_of[0].pair_count && name_of(a, method)) pass(s, name_of(a, method), false, first, now);
    activity_unlock(a);
    if (role == ROLE_OWNER) owner(s, t, method, receiver, receiver_class, first != 0);
    if (role == ROLE_TRY && !activity_owns(s, receiver)) progress_failed(s, ATTEMPT_LOCK, receiver, receiver_class);
}

void tasks_instruction(Share *s, uint32_t method, int32_t bci) {
    Activity *a = s->of;
    if (!tasks_wants(method, bci)) return;
    uint64_t now = moment_now(s->origin->events);
    activity_lock(a);
    const char *last = NULL;  // two points may be on the same line
    for (uint32_t i = 0; i < tasks_of[0].line_count; i++) {
        const LineSite *l = &tasks_of[0].lines[i];
        if (l->method != method || l->bci != bci || (last && strcmp(last, l->point->text) == 0)) continue;
        last = l->point->text;
        pass(s, last, false, 0, now);
    }
    activity_unlock(a);
}

void tasks_leave(Share *s, TaskStack *t, uint32_t method) {
    Activity *a = s->of;
    if (method == t->owner_method) return;
    uint64_t now = moment_now(s->origin->events);
    activity_lock(a);
    if (role_of(a, method) == ROLE_RUN) end(s, t, now);
    if (tasks_of[0].pair_count && name_of(a, method)) pass(s, name_of(a, method), true, 0, now);
    activity_unlock(a);
}

void tasks_mark(Share *s, const char *name, uint64_t key) {
    Activity *a = s->of;
    char text[MAX_POINT];
    uint64_t now = moment_now(s->origin->events);
    snprintf(text, sizeof text, "mark:%s", name);
    activity_lock(a);
    pass(s, text, false, key, now);
    activity_unlock(a);
}

// ---- between= ----

static bool refuse(char *error, size_t size, const char *text, const char *why) {
    snprintf(error, size, "between=%s: %s", text, why);
    return false;
}

// class.method, class.method/exit, class.method:line or mark:name. class.method and mark:name may be followed by @key.
#define POINT_FORMS "a point is class.method, class.method/exit, class.method:line or mark:name"

static bool parse_point(Point *p, const char *text, size_t n, const char *whole, char *error, size_t size) {
    static const char by_key[] = "@key", leaves[] = "/exit";
    if (n >= sizeof by_key - 1 && memcmp(text + n - (sizeof by_key - 1), by_key, sizeof by_key - 1) == 0)
        p->by_key = true, n -= sizeof by_key - 1;
    if (n >= sizeof leaves - 1 && memcmp(text + n - (sizeof leaves - 1), leaves, sizeof leaves - 1) == 0)
        p->leaves = true, n -= sizeof leaves - 1;
    if (n == 0 || n >= MAX_POINT) return refuse(error, size, whole, POINT_FORMS);
    memcpy(p->text, text, n);
    p->text[n] = '\0';
    bool is_mark = strncmp(p->text, "mark:", 5) == 0;
    const char *colon = is_mark ? NULL : strchr(p->text, ':');
    p->name_length = (uint32_t)(colon ? (size_t)(colon - p->text) : n);
    if (!is_mark && !memchr(p->text, '.', p->name_length)) return refuse(error, size, whole, POINT_FORMS);
    if (colon) {
        char *end;
        long line = strtol(colon + 1, &end, 10);
        if (end == colon + 1 || *end || line <= 0 || line > UINT16_MAX)
            return refuse(error, size, whole, "the colon must be followed by the number of a line");
        p->line = (int32_t)line;
    }
    if (p->leaves && (is_mark || p->by_key || p->line))
        return refuse(error, size, whole, "/exit belongs to a method and has no key");
    if (p->line && p->by_key) return refuse(error, size, whole, "a line has no key");
    return true;
}

static bool parse_pair(const char *text, size_t n, const char *whole, char *error, size_t size) {
    const char *dots = memmem(text, n, "..", 2);
    if (!dots) return refuse(error, size, whole, "a pair is FROM..TO");
    if (tasks_of[0].pair_count == MAX_PAIRS) return refuse(error, size, whole, "too many pairs");
    Pair *p = &tasks_of[0].pairs[tasks_of[0].pair_count];
    if (!parse_point(&p->from, text, (size_t)(dots - text), whole, error, size) ||
        !parse_point(&p->to, dots + 2, n - (size_t)(dots + 2 - text), whole, error, size))
        return false;
    if (p->from.by_key != p->to.by_key)
        return refuse(error, size, whole, "both points of a pair have @key, or none has");
    tasks_of[0].pair_count++;
    return true;
}

void tasks_abandon(void) {
    for (int i = 0; i < ANALYSIS_SIDES; i++) {
        memset(tasks_of[i].pairs, 0, sizeof tasks_of[i].pairs);
        tasks_of[i].pair_count = 0;
    }
}

void tasks_forget(void) {
    for (int side = 0; side < ANALYSIS_SIDES; side++) {
        Tasks *k = &tasks_of[side];
        for (uint32_t i = 0; i < k->name_capacity; i++) free(k->names[i]);
        free(k->names);
        free(k->roles);
        free(k->open);
        memset((void *)k, 0, sizeof *k);
    }
}

bool tasks_begin(const char *between, char *error, size_t error_size) {
    for (const char *at = between; at && *at;) {
        size_t n = strcspn(at, ",");
        if (!parse_pair(at, n, between, error, error_size)) return false;
        at += n + (at[n] == ',');
    }
    for (int i = 1; i < ANALYSIS_SIDES; i++) {
        memcpy(tasks_of[i].pairs, tasks_of[0].pairs, sizeof tasks_of[i].pairs);
        tasks_of[i].pair_count = tasks_of[0].pair_count;
    }
    return true;
}

// ---- comparison of the sides ----

uint64_t tasks_differences(void) {
    Tasks *own = &tasks_of[0], *other = &tasks_of[1];
    uint64_t count = own->class_count != other->class_count || own->open_count != other->open_count;
    for (uint32_t i = 0; i < own->class_count; i++) {
        const TaskClass *x = &own->classes[i], *y = class_of(other, x->cls);
        count += !y || x->queued != y->queued || x->started != y->started || x->ended != y->ended;
    }
    for (uint32_t i = 0; i < own->pair_count; i++) {
        const Pair *x = &own->pairs[i], *y = &other->pairs[i];
        count += x->time.count != y->time.count || x->unmatched != y->unmatched;
    }
    return count;
}

// ---- report ----

static Tasks *const shown = &tasks_of[0];

static void put_tasks(Sections *out) {
    section_begin(out, "threads", "tasks",
                  "Tasks by the class of their body: latency from being queued to being begun, service from"
                  " there to the end, jitter: by how much the latencies of two that began one after the other differ",
                  "class text, queued number, started number, ended number, latency histogram, service histogram, "
                  "jitter histogram");
    for (uint32_t i = 0; i < shown->class_count; i++) {
        const TaskClass *c = &shown->classes[i];
        if (!c->queued && !c->started) continue;
        section_class(out, c->cls);
        section_number(out, c->queued);
        section_number(out, c->started);
        section_number(out, c->ended);
        section_histogram(out, &c->latency);
        section_histogram(out, &c->service);
        section_histogram(out, &c->jitter);
    }
    section_end(out);
}

enum { POINT_TEXT = MAX_POINT + 16 };

static void put_point(Sections *out, const Point *p) {
    char text[POINT_TEXT];
    snprintf(text, sizeof text, "%s%s%s", p->text, p->leaves ? "/exit" : "", p->by_key ? "@key" : "");
    section_text(out, text);
}

static void put_open_point(Sections *out, const OpenPoint *o, uint64_t wall) {
    put_point(out, &shown->pairs[o->pair].from);
    put_point(out, &shown->pairs[o->pair].to);
    section_text(out, o->ends ? "ended" : "begun");
    section_number(out, o->key);
    section_number(out, o->at + wall);
}

// The points for another process. Where more were passed than are kept, a row says how many.
static void put_open(Sections *out) {
    uint64_t wall = (uint64_t)clock_wall_ns() - stamp_now();
    section_begin(out, "threads", "between-open",
                  "Marks with keys whose other point was not passed in this process, for cabernet-prof join; the wall"
                  " clock in nanoseconds",
                  "from text, to text, what text, key number, wall clock varying");
    for (uint32_t i = 0; i < shown->open_count; i++) put_open_point(out, &shown->open[i], wall);
    for (uint32_t i = 0; i < STARTS; i++) {
        const Start *s = &shown->starts[i];
        OpenPoint begun = {s->key, s->at, s->pair - 1, false};
        if (s->pair && joins(&shown->pairs[s->pair - 1])) put_open_point(out, &begun, wall);
    }
    if (shown->open_dropped) {
        section_text(out, "");
        section_text(out, "");
        section_text(out, "dropped");
        section_number(out, shown->open_dropped);
        section_number(out, 0);
    }
    section_end(out);
}

static void put_pairs(Sections *out) {
    static const Context none;
    section_begin(out, "threads", "between",
                  "Time from one point to the other: how often, percentiles, and the longest that was observed,"
                  " with where it ended; unmatched: an end without a beginning",
                  "from text, to text, time histogram, unmatched number, longest ns, ended at stack");
    for (uint32_t i = 0; i < shown->pair_count; i++) {
        const Pair *p = &shown->pairs[i];
        const Context *c = p->worst_context < activity_of[0].context_count && p->worst_context
            ? &activity_of[0].contexts[p->worst_context]
            : &none;
        put_point(out, &p->from);
        put_point(out, &p->to);
        section_histogram(out, &p->time);
        section_number(out, p->unmatched);
        section_number(out, p->worst);
        section_stack(out, c->methods, c->bcis, c->count);
    }
    section_end(out);
}

uint64_t tasks_started(void) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < shown->class_count; i++) sum += shown->classes[i].started;
    return sum;
}

void tasks_report(Sections *out) {
    if (activity_of[0].parts[PART_tasks]) put_tasks(out);
    if (shown->pair_count) put_pairs(out);
    bool joined = false;
    for (uint32_t i = 0; i < shown->pair_count; i++) joined |= joins(&shown->pairs[i]);
    if (joined) put_open(out);
}
