// The ring is an array of words. A writer reserves consecutive words and stores the first one last; the reader, who
// holds the lock, stops at a word that is 0, and zeroes the words that it has read. So an unfinished writer delays the
// records after its own, for as long as it takes to copy a stack.
#include "profiler/analyses/timesamples.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "profiler/analyses/contexts.h"
#include "profiler/analyses/sitecounts.h"
#include "profiler/analyses/timeslots.h"
#include "vm/api/profilerthread.h"
#include "vm/api/thread.h"

enum { RING_WORDS = 1 << 19, RECORD_HEAD = 4 };
enum { MOST_SLOTS = 1 << 17, LAST_SHIFT = 24 };
#define DRAIN_NS INT64_C(100000000)

typedef struct TimeState {
    struct TimeState *next;  // of all states; under the lock
    AnalysisSettings *settings;
    bool counters;      // of the analysis `counters`: it has lines only
    Contexts *tree;     // NULL: no samples yet
    SiteCounts *lines;  // method, bytecode index and mode; with `counters` the counter
    TimeSlots slots;
    _Atomic uint64_t sent, taken;  // samples
    _Atomic uint64_t lost;         // ticks
} TimeState;

// A sample in the ring: its size in words with the flags, the state, the mode (of counters: the counter) and the ticks,
// the slot of time, and a word for each frame.
enum { RECORD_TRUNCATED = 1, RECORD_UNWALKED = 2, RECORD_FLAGS = 2 };

static struct TimeSamples {
    pthread_mutex_t lock;
    AnalysisSettings settings;        // of the trees: recursion is not folded
    _Atomic(uint64_t) *ring;          // NULL: no profile of time
    _Atomic uint64_t reserved, read;  // words since the start
    ProfilerThread *drains;
    TimeState *states;
    int64_t start;   // thread_now() when the profile began
    uint32_t shift;  // of the slots (timeslots.h)
    uint64_t slots;  // entries of all states, also of those that were freed
    pid_t process;
    _Atomic uint64_t ticks, unwalked, truncated;  // of all samples, and of some
} time_samples = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- into the ring ------------------------------------------------------------------------------

static _Atomic(uint64_t) *word(uint64_t at) { return &time_samples.ring[at % RING_WORDS]; }

static bool reserve(uint64_t words, uint64_t *at) {
    *at = atomic_load(&time_samples.reserved);
    do
        if (*at + words - atomic_load(&time_samples.read) > RING_WORDS) return false;
    while (!atomic_compare_exchange_weak(&time_samples.reserved, at, *at + words));
    return true;
}

void timesamples_put(EventThread *t, TimeClock clock, const TimeSample *s) {
    TimeState *state = t->time[clock];
    uint64_t at, words = RECORD_HEAD + s->count;
    if (!state) return;
    atomic_fetch_add(&time_samples.ticks, s->ticks);
    if (s->unwalked) atomic_fetch_add(&time_samples.unwalked, s->ticks);
    if (s->truncated) atomic_fetch_add(&time_samples.truncated, s->ticks);
    if (!reserve(words, &at)) {
        atomic_fetch_add(&state->lost, s->ticks);
        return;
    }
    atomic_fetch_add(&state->sent, 1);
    atomic_store_explicit(word(at + 1), (uintptr_t)state, memory_order_relaxed);
    uint64_t what = clock == TIME_COUNTED ? s->counter : s->mode;
    atomic_store_explicit(word(at + 2), what << 32 | s->ticks, memory_order_relaxed);
    int64_t since = thread_now() - time_samples.start;
    atomic_store_explicit(word(at + 3), since > 0 ? (uint64_t)(since / TIMESLOTS_NS) : 0, memory_order_relaxed);
    for (uint32_t i = 0; i < s->count; i++)
        atomic_store_explicit(word(at + RECORD_HEAD + i),
                              (uint64_t)s->frames[i].method << 32 | (uint32_t)s->frames[i].bci, memory_order_relaxed);
    uint64_t flags = (s->truncated ? RECORD_TRUNCATED : 0) | (s->unwalked ? RECORD_UNWALKED : 0);
    atomic_store_explicit(word(at), words << RECORD_FLAGS | flags, memory_order_release);
    if (at + words - atomic_load(&time_samples.read) > RING_WORDS / 2) profilerthread_wake(time_samples.drains);
}

// ---- out of the ring ----------------------------------------------------------------------------

static bool make_room(TimeState *s) {
    if (s->tree) return true;
    Contexts *tree = malloc(sizeof *tree);
    SiteCounts *lines = sitecounts_new(s->settings);
    if (tree && lines && contexts_begin(tree, &time_samples.settings)) {
        s->lines = lines;
        __atomic_store_n(&s->tree, tree, __ATOMIC_RELEASE);
        return true;
    }
    free(tree);
    sitecounts_free(lines);
    return false;
}

static uint64_t frame_at(uint64_t at, uint32_t i) {
    return atomic_load_explicit(word(at + RECORD_HEAD + i), memory_order_relaxed);
}

// The node of the stack of `count` frames, innermost first.
static ContextNode *find_node(Contexts *tree, uint64_t at, uint32_t count, uint64_t flags) {
    ContextWalk w = contexts_walk(tree);
    if (flags)
        contexts_walk_frame(&w, EVENT_PSEUDO(flags & RECORD_UNWALKED ? CALLER_NO_STACK : CALLER_TRUNCATED),
                            EVENT_NO_BCI);
    for (uint32_t i = count; w.at && i-- > 0;) {
        uint64_t frame = frame_at(at, i);
        contexts_walk_frame(&w, (uint32_t)(frame >> 32), (int32_t)(uint32_t)frame);
    }
    return w.at;
}

// Counts the entries that ended threads have handed over, too: they stay in the tables of the records.
static void widen_slots(void) {
    while (time_samples.slots > (uint64_t)MOST_SLOTS * (time_samples.shift + 1) && time_samples.shift < LAST_SHIFT) {
        __atomic_store_n(&time_samples.shift, time_samples.shift + 1, __ATOMIC_RELAXED);
        for (TimeState *s = time_samples.states; s; s = s->next) {
            time_samples.slots -= s->slots.used;
            timeslots_widen(&s->slots, time_samples.shift);
            time_samples.slots += s->slots.used;
        }
    }
}

// Requires the lock.
static void add_time(TimeState *s, const ContextNode *n, uint64_t slot, uint32_t ticks) {
    uint32_t before = s->slots.used, last = UINT32_MAX;
    timeslots_add(&s->slots, n->number,
                  (uint32_t)(slot < last ? slot : last) >> time_samples.shift << time_samples.shift, ticks);
    time_samples.slots += s->slots.used - before;
    widen_slots();
}

// The place of the innermost of `count` frames.
static uint64_t top_of(uint64_t at, uint32_t count) {
    uint64_t top = count ? frame_at(at, 0) : (uint64_t)EVENT_PSEUDO(CALLER_NO_STACK) << 32 | (uint32_t)EVENT_NO_BCI;
    return sitecounts_site((uint32_t)(top >> 32), (int32_t)(uint32_t)top);
}

static void take_counted(TimeState *s, uint64_t at, uint32_t count, uint32_t counter, uint32_t ticks) {
    if (!s->lines) s->lines = sitecounts_new(s->settings);
    if (s->lines) sitecounts_add(s->lines, top_of(at, count), counter, ticks);
    else atomic_fetch_add(&s->lost, ticks);
    atomic_fetch_add(&s->taken, 1);
}

static void take(uint64_t at, uint64_t words, uint64_t flags) {
    TimeState *s = (TimeState *)(uintptr_t)atomic_load_explicit(word(at + 1), memory_order_relaxed);
    uint64_t what = atomic_load_explicit(word(at + 2), memory_order_relaxed);
    uint32_t ticks = (uint32_t)what, mode = (uint32_t)(what >> 32), count = (uint32_t)words - RECORD_HEAD;
    if (s->counters) {
        take_counted(s, at, count, mode, ticks);
        return;
    }
    ContextNode *n = make_room(s) ? find_node(s->tree, at, count, flags) : NULL;
    if (n && n != &s->tree->root) {
        n->count += ticks;
        add_time(s, n, atomic_load_explicit(word(at + 3), memory_order_relaxed), ticks);
        sitecounts_add(s->lines, top_of(at, count), mode, ticks);
    } else {
        atomic_fetch_add(&s->lost, ticks);
    }
    atomic_fetch_add(&s->taken, 1);
}

// Requires the lock.
static void drain(void) {
    for (uint64_t at = atomic_load(&time_samples.read), head; at < atomic_load(&time_samples.reserved);) {
        if (!(head = atomic_load_explicit(word(at), memory_order_acquire))) return;
        uint64_t words = head >> RECORD_FLAGS;
        take(at, words, head & (RECORD_TRUNCATED | RECORD_UNWALKED));
        for (uint64_t i = 0; i < words; i++) atomic_store_explicit(word(at + i), 0, memory_order_relaxed);
        at += words;
        atomic_store(&time_samples.read, at);
    }
}

static void lock_and_drain(void) {
    pthread_mutex_lock(&time_samples.lock);
    drain();
}

// Returns when all samples sent to the state are in it: those of other threads may be ahead of them and not finished.
static void receive_all(TimeState *s) {
    if (getpid() != time_samples.process) return;
    while (atomic_load(&s->sent) != atomic_load(&s->taken)) {
        lock_and_drain();
        pthread_mutex_unlock(&time_samples.lock);
        if (atomic_load(&s->sent) != atomic_load(&s->taken)) sched_yield();
    }
}

static void drain_main(ProfilerThread *self, void *arg) {
    (void)arg;
    do {
        lock_and_drain();
        pthread_mutex_unlock(&time_samples.lock);
    } while (profilerthread_sleep(self, thread_now() + DRAIN_NS));
}

// ---- the analyses -------------------------------------------------------------------------------

bool timesamples_begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)b;
    pthread_mutex_lock(&time_samples.lock);
    time_samples.start = thread_now();
    time_samples.shift = 0;
    time_samples.slots = 0;
    pthread_mutex_unlock(&time_samples.lock);
    if (time_samples.ring) return true;
    time_samples.ring = calloc(RING_WORDS, sizeof *time_samples.ring);
    time_samples.process = getpid();
    if (time_samples.ring) time_samples.drains = profilerthread_start("Samples", drain_main, NULL);
    if (time_samples.drains) return true;
    snprintf(error, error_size, "no memory or no thread for samples of time");
    free(time_samples.ring);
    time_samples.ring = NULL;
    return false;
}

// The ring and the thread that empties it stay for the next profile.
void timesamples_end(void) {
    pthread_mutex_lock(&time_samples.lock);
    atomic_store(&time_samples.settings.nodes_left, 0);
    atomic_store(&time_samples.ticks, 0);
    atomic_store(&time_samples.unwalked, 0);
    atomic_store(&time_samples.truncated, 0);
    pthread_mutex_unlock(&time_samples.lock);
}

void *timesamples_thread_new(AnalysisSettings *settings) {
    TimeState *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->settings = settings;
    pthread_mutex_lock(&time_samples.lock);
    s->next = time_samples.states;
    time_samples.states = s;
    time_samples.settings.recursion = UINT32_MAX;
    if (!time_samples.settings.nodes_left) time_samples.settings.nodes_left = settings->nodes_left;
    pthread_mutex_unlock(&time_samples.lock);
    return s;
}

void *timesamples_counters_new(AnalysisSettings *settings) {
    TimeState *s = timesamples_thread_new(settings);
    if (s) s->counters = true;
    return s;
}

void timesamples_thread_free(void *state) {
    TimeState *s = state;
    if (!s) return;
    receive_all(s);
    bool whole = getpid() == time_samples.process;
    if (whole) pthread_mutex_lock(&time_samples.lock);
    for (TimeState **at = &time_samples.states; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    if (whole) pthread_mutex_unlock(&time_samples.lock);
    timeslots_free(&s->slots);
    contexts_free(s->tree);
    sitecounts_free(s->lines);
    free(s);
}

enum { SECTION_TREE = 1, SECTION_LINES, SECTION_TIMES };
_Static_assert((int)SECTION_TIMES == (int)TIMESAMPLES_TIMES, "the writer looks for these rows");

static void add_tree(const Contexts *tree, Table *out) {
    ContextCursor at = {0};
    out->keep_empty = true;
    for (const ContextNode *n; (n = contexts_next(tree, &at));)
        table_add(out,
                  &(TableRow){.key = {SECTION_TREE, n->number, n->parent->number, (n->site - 1) >> 32,
                                      (uint32_t)(n->site - 1), n->callee},
                              .count = __atomic_load_n(&n->count, __ATOMIC_RELAXED)});
}

static void add_times(const TimeSlots *s, Table *out) {
    for (uint32_t i = 0; i < s->size; i++)
        if (s->table[i].ticks)
            table_add(
                out,
                &(TableRow){.key = {SECTION_TIMES, s->table[i].slot, s->table[i].node}, .count = s->table[i].ticks});
}

// The lock is not taken in a copy, whose holder may not exist.
void timesamples_collect(const void *state, Table *out, uint64_t *lost) {
    TimeState *s = (TimeState *)state;
    bool whole = getpid() == time_samples.process;
    receive_all(s);
    if (whole) pthread_mutex_lock(&time_samples.lock);
    const Contexts *tree = __atomic_load_n(&s->tree, __ATOMIC_ACQUIRE);
    if (tree) {
        uint64_t lost_lines = 0;  // the tree has their samples
        add_tree(tree, out);
        sitecounts_collect_section(s->lines, SECTION_LINES - 1, out, &lost_lines);
        add_times(&s->slots, out);
    }
    *lost += atomic_load(&s->lost);
    if (whole) pthread_mutex_unlock(&time_samples.lock);
}

void timesamples_counters_collect(void *state, uint32_t first, Table *out, uint64_t *lost) {
    TimeState *s = state;
    Table lines = {0};
    bool whole = getpid() == time_samples.process;
    receive_all(s);
    if (whole) pthread_mutex_lock(&time_samples.lock);
    if (s->lines) sitecounts_collect(s->lines, &lines, lost);
    *lost += atomic_load(&s->lost);
    if (whole) pthread_mutex_unlock(&time_samples.lock);
    for (size_t i = 0; i < lines.count; i++) {
        const TableRow *r = &lines.rows[i];
        table_add(out, &(TableRow){.key = {first + r->key[2], r->key[0], r->key[1]}, .count = r->count});
    }
    out->failed |= lines.failed;
    table_free(&lines);
}

bool timesamples_section(uint32_t number, const char *name, const char *lines, Analysis *out) {
    static const char *const modes[] = {
#define TIME_MODE(id, text) text,
#include "vm/api/timemodes.def"
        NULL};
    if (number == SECTION_TREE - 1) {
        *out = (Analysis){.name = name, .event = EVENT_COUNT, .unit = "samples", .columns = CONTEXT_COLUMNS};
        return true;
    }
    if (number != SECTION_LINES - 1) return false;
    *out = (Analysis){
        .name = lines,
        .event = EVENT_COUNT,
        .unit = "samples",
        .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"mode", COLUMN_WORD, modes}},
    };
    return true;
}

uint32_t timesamples_shift(void) { return __atomic_load_n(&time_samples.shift, __ATOMIC_RELAXED); }

uint64_t timesamples_count(void) { return atomic_load(&time_samples.ticks); }
uint64_t timesamples_unwalked(void) { return atomic_load(&time_samples.unwalked); }
uint64_t timesamples_truncated(void) { return atomic_load(&time_samples.truncated); }

void timesamples_before_fork(void) { pthread_mutex_lock(&time_samples.lock); }
void timesamples_after_fork(void) { pthread_mutex_unlock(&time_samples.lock); }
