// sharing: writes to cache lines that another thread has written last, by place and by the field, or the type of the
// element. Such a write takes the line from the other processor. It is true sharing if the other thread has written the
// same variable since it took the line, and false sharing if it has written only others.
//
// A variable is known by its address: a field or element is always accessed with the same address and size. Reads are
// not considered. The order of writes is the order of their events; a consumer takes them by their stamps.
//
// After a collection, memory may hold other objects. All lines are then without an owner, so the next write to a line
// is not counted.
#include <pthread.h>
#include <stdlib.h>

#include "base/grow.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

enum { TRUE_SHARING, FALSE_SHARING, KINDS };
enum { SHARDS = 64, FIRST_LINES = 64, MOST_SHOWN = 50 };

typedef struct SharingPlace {
    uint32_t method, field;
    int32_t bci;
} SharingPlace;

typedef struct SharedLine {
    uint64_t number;           // of the line, plus 1; 0: free
    uint64_t owner;            // id of the thread that has written last; 0: none
    uint64_t written;          // bytes of the line at which variables begin that the owner has written
    SharingPlace last;         // the last write
    SharingPlace taken, from;  // the write that last took the line from another thread, and the one before it
    uint64_t count[KINDS];     // how often it was taken
} SharedLine;

typedef struct SharingShard {
    pthread_mutex_t lock;
    SharedLine *lines;  // at most half of them used
    uint32_t used, mask;
} SharingShard;

static struct Sharing {
    SharingShard shards[ANALYSIS_SIDES][SHARDS];
    const ProfileHost *host;
} sharing = {.shards = {[0 ... ANALYSIS_SIDES - 1] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}}}};

typedef struct SharingThread {
    SiteCounts *of[KINDS];  // by site and field
    SharingShard *shards;
    uint64_t id, lost;
    unsigned line_shift;
} SharingThread;

// ---- lines -----------------------------------------------------------------------------------------

static uint64_t hash_of(uint64_t number) { return number * UINT64_C(0x9e3779b97f4a7c15); }

static SharedLine *find(const SharingShard *s, uint64_t number) {
    uint32_t i = (uint32_t)(hash_of(number) >> 16) & s->mask;
    while (s->lines[i].number && s->lines[i].number != number) i = (i + 1) & s->mask;
    return &s->lines[i];
}

// Moves the lines that satisfy `keeps`, or all if it is NULL, into `count` places. False: out of memory, and nothing
// has changed.
static bool rebuild(SharingShard *s, uint32_t count, bool (*keeps)(const SharedLine *l)) {
    SharedLine *old = s->lines, *lines = calloc(count, sizeof *lines);
    uint32_t old_count = old ? s->mask + 1 : 0;
    if (!lines) return false;
    s->lines = lines;
    s->mask = count - 1;
    s->used = 0;
    for (uint32_t i = 0; i < old_count; i++) {
        if (!old[i].number || (keeps && !keeps(&old[i]))) continue;
        *find(s, old[i].number) = old[i];
        s->used++;
    }
    free(old);
    return true;
}

// The line, added if it is unknown; NULL: out of memory.
static SharedLine *line_at(SharingShard *s, uint64_t number) {
    if ((!s->lines || s->used > s->mask / 2) && !rebuild(s, s->lines ? 2 * (s->mask + 1) : FIRST_LINES, NULL))
        return NULL;
    SharedLine *l = find(s, number);
    s->used += !l->number;
    l->number = number;
    return l;
}

static bool was_shared(const SharedLine *l) { return l->count[TRUE_SHARING] || l->count[FALSE_SHARING]; }

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    (void)each_live, (void)is_live;
    for (int i = 0; i < ANALYSIS_SIDES * SHARDS; i++) {
        SharingShard *s = &sharing.shards[i / SHARDS][i % SHARDS];
        if (!s->lines) continue;
        rebuild(s, s->mask + 1, was_shared);
        for (uint32_t k = 0; k <= s->mask; k++) s->lines[k].owner = 0;
    }
}

// ---- writes ----------------------------------------------------------------------------------------

// Records the write. Returns the kind of sharing, KINDS for none, or -1 without memory for the line.
static int take(const SharingThread *t, SharingPlace place, uintptr_t address) {
    uint64_t number = ((uint64_t)address >> t->line_shift) + 1;
    uint64_t byte = UINT64_C(1) << (address & ((UINT64_C(1) << t->line_shift) - 1));
    SharingShard *s = &t->shards[hash_of(number) >> 58];
    pthread_mutex_lock(&s->lock);
    SharedLine *l = line_at(s, number);
    int kind = l ? KINDS : -1;
    if (l && l->owner == t->id) {
        l->written |= byte;
    } else if (l) {
        if (l->owner) {
            kind = l->written & byte ? TRUE_SHARING : FALSE_SHARING;
            l->count[kind]++;
            l->from = l->last;
            l->taken = place;
        }
        l->owner = t->id;
        l->written = byte;
    }
    if (l) l->last = place;
    pthread_mutex_unlock(&s->lock);
    return kind;
}

static void on_write(SharingThread *t, uint32_t method, int32_t bci, uint32_t field, uintptr_t address) {
    int kind = take(t, (SharingPlace){method, field, bci}, address);
    if (kind < 0) t->lost++;
    else if (kind < KINDS) sitecounts_add(t->of[kind], sitecounts_site(method, bci), field, 1);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    if (access) on_write(sink->state, method, bci, field, address);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_array_access(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                            uint32_t type, uintptr_t array, uintptr_t address) {
    if (access) on_write(sink->state, method, bci, COLUMN_ELEMENT(type), address);
    EVENT_PASS(sink, method, bci, access, type, array, address);
}

// ---- threads ---------------------------------------------------------------------------------------

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)error, (void)error_size;
    sharing.host = b->host;
    return true;
}

static void end(void) {
    for (int i = 0; i < ANALYSIS_SIDES * SHARDS; i++) {
        SharingShard *s = &sharing.shards[i / SHARDS][i % SHARDS];
        free(s->lines);
        s->lines = NULL;
        s->used = s->mask = 0;
    }
}

static void thread_free(void *state) {
    SharingThread *t = state;
    if (!t) return;
    for (int i = 0; i < KINDS; i++) sitecounts_free(t->of[i]);
    free(t);
}

static void *thread_new(AnalysisSettings *settings) {
    SharingThread *t = calloc(1, sizeof *t);
    bool ok = t;
    for (int i = 0; ok && i < KINDS; i++) ok = (t->of[i] = sitecounts_new(settings)) != NULL;
    if (ok) {
        t->shards = sharing.shards[settings->side];
        t->line_shift = (unsigned)__builtin_ctz(settings->cache.line);
        return t;
    }
    thread_free(t);
    return NULL;
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)events, (void)name;
    ((SharingThread *)state)->id = id + 1;  // 0: no owner
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const SharingThread *t = state;
    for (uint32_t i = 0; i < KINDS; i++) sitecounts_collect_section(t->of[i], i, out, lost);
    *lost += t->lost;
}

// ---- the report ------------------------------------------------------------------------------------

static int by_count(const void *x, const void *y) {
    const SharedLine *a = x, *b = y;
    for (int i = KINDS - 1; i >= 0; i--)
        if (a->count[i] != b->count[i]) return a->count[i] > b->count[i] ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void put_place(Sections *out, const SharingPlace *p) {
    char text[256];
    ProfiledField f;
    snprintf(text, sizeof text, "%s", p->field >= COLUMN_ELEMENTS ? "element" : "?");
    if (p->field < COLUMN_ELEMENTS && sharing.host->field && sharing.host->field(p->field, &f))
        snprintf(text, sizeof text, "%s.%s", f.class_name, f.name);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    section_text(out, text);
    section_stack(out, &p->method, &p->bci, 1);
}

static void report(Sections *out, bool last) {
    (void)last;
    SharedLine *shared = NULL;
    size_t count = 0, room = 0;
    for (int i = 0; i < SHARDS; i++) {
        SharingShard *s = &sharing.shards[0][i];
        // In a crash, this thread may be in the middle of a write.
        if (pthread_mutex_trylock(&s->lock) != 0) continue;
        for (uint32_t k = 0; s->lines && k <= s->mask; k++) {
            if (!was_shared(&s->lines[k])) continue;
            if (GROW(shared, room, count + 1)) shared[count++] = s->lines[k];
            else out->failed = true;
        }
        pthread_mutex_unlock(&s->lock);
    }
    if (count) qsort(shared, count, sizeof *shared, by_count);
    section_begin(
        out, "sharing", "shared-lines",
        "Cache lines that threads took from each other by writing, the ones with the most false sharing first: "
        "how often, and the last two writes of different threads",
        "false varying, true varying, written text, at stack, before text, before at stack");
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        section_number(out, shared[i].count[FALSE_SHARING]);
        section_number(out, shared[i].count[TRUE_SHARING]);
        put_place(out, &shared[i].taken);
        put_place(out, &shared[i].from);
    }
    section_end(out);
    free(shared);
}

static bool section(uint32_t i, Analysis *out) {
    static const Analysis sections[KINDS] = {
        [TRUE_SHARING] = {.name = "true-sharing", .event = EVENT_COUNT, .unit = "lines taken"},
        [FALSE_SHARING] = {.name = "false-sharing", .event = EVENT_COUNT, .unit = "lines taken"},
    };
    return analysis_section(&analysis_sharing, sections, KINDS, i, out);
}

const Analysis analysis_sharing = {
    .name = "sharing",
    .event = EVENT_COUNT,
    .ordered = true,
    .unsampled = "a write takes a line from the thread that has written it before, by any write",
    .unshadowed = "a shadow hands over no lines",
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"field", COLUMN_FIELD, NULL}},
    .section = section,
    .begin = begin,
    .end = end,
    .forget_dead = forget_dead,
    .report = report,
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_free = thread_free,
    .collect = collect,
    .on_field_access = on_field_access,
    .on_array_access = on_array_access,
};
