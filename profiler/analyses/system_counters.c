// counters: what the counters of the processor and the kernel (vm/api/counters.def) count for each thread, and samples
// of where they do (profiler/analyses/timesamples.h). It wants no events, so the program's code is the same as without
// a profile.
//
// The VM hands in what each counter has counted. The report has the totals of threads whose state has ended.
#include <pthread.h>
#include <stdlib.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/counterrequest.h"
#include "profiler/analyses/systemcounters.h"
#include "profiler/analyses/timesamples.h"
#include "vm/api/thread.h"

enum { MOST_LISTED = 1 << 14 };
_Static_assert(COUNTERS + 3 <= SECTION_COLUMNS, "a thread has a column for each counter");

// The counters of a thread. Changed under the lock.
typedef struct CountedThread {
    struct CountedThread *next;
    char name[64];
    CounterReading total[COUNTERS];
    bool read[COUNTERS];
    int error[COUNTERS];
} CountedThread;

typedef struct CountersState {
    void *samples;
    bool compared;          // of the second side of transport=tee, which no counter reaches
    CountedThread *thread;  // NULL: not attached
} CountersState;

static struct Counted {
    pthread_mutex_t lock;
    CounterRequest request;
    CountedThread *first, **last;
    uint32_t listed;
    CountedThread further;  // all threads that are not listed
    pid_t process;          // in any other one only the calling thread exists, and the lock may be held
} counted = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- start and end ---------------------------------------------------------------------------------

static int read_paranoid(void) {
    int level = 2;
    FILE *in = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (in && fscanf(in, "%d", &level) != 1) level = 2;
    if (in) fclose(in);
    return level;
}

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    counted.request = *b->counters;
    counted.last = &counted.first;
    counted.process = getpid();
    if (thread_is_green()) {
        snprintf(error, error_size,
                 "counters: the system counts for pthreads, which many green threads share: -Xthreads:native");
        return false;
    }
    for (int id = 0; id < COUNTERS; id++) {
        if (!counted.request.wanted[id]) continue;
        int fd = counter_open((enum CounterId)id, 0, counted.request.period[id]);
        if (fd < 0) {
            counterrequest_explain((enum CounterId)id, errno, read_paranoid(), error, error_size);
            return false;
        }
        close(fd);
    }
    return timesamples_begin(b, error, error_size);
}

static void end(void) {
    for (CountedThread *t = counted.first, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    counted.first = NULL;
    counted.listed = 0;
    counted.further = (CountedThread){0};
    timesamples_end();
}

void systemcounters_before_fork(void) { pthread_mutex_lock(&counted.lock); }
void systemcounters_after_fork(void) { pthread_mutex_unlock(&counted.lock); }

// ---- threads ---------------------------------------------------------------------------------------

static void *thread_new(AnalysisSettings *settings) {
    CountersState *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->compared = settings->side != 0;
    s->samples = timesamples_counters_new(settings);
    if (s->samples) return s;
    free(s);
    return NULL;
}

static void thread_free(void *state) {
    CountersState *s = state;
    if (s) timesamples_thread_free(s->samples);
    free(s);
}

static void thread_named(void *state, const char *name) {
    CountersState *s = state;
    pthread_mutex_lock(&counted.lock);
    if (s->thread && s->thread != &counted.further) snprintf(s->thread->name, sizeof s->thread->name, "%s", name);
    pthread_mutex_unlock(&counted.lock);
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    CountersState *s = state;
    (void)id;
    if (s->compared) return;
    pthread_mutex_lock(&counted.lock);
    CountedThread *t = counted.listed < MOST_LISTED ? calloc(1, sizeof *t) : NULL;
    s->thread = t ? t : &counted.further;
    if (t) {
        *counted.last = t;
        counted.last = &t->next;
        counted.listed++;
    }
    pthread_mutex_unlock(&counted.lock);
    thread_named(s, name);
    events->counted = s->thread;
    events->time[TIME_COUNTED] = s->samples;
}

void systemcounters_put(EventThread *events, enum CounterId id, const CounterReading *since, int error) {
    CountedThread *t = events->counted;
    bool whole = getpid() == counted.process;
    if (!t) return;
    if (whole) pthread_mutex_lock(&counted.lock);
    t->total[id].count += since->count;
    t->total[id].enabled_ns += since->enabled_ns;
    t->total[id].running_ns += since->running_ns;
    t->read[id] = true;
    if (error) t->error[id] = error;
    if (whole) pthread_mutex_unlock(&counted.lock);
}

// ---- rows ------------------------------------------------------------------------------------------

// The count for all of the thread's time, if the counter counted in a part of it.
static uint64_t estimate(const CounterReading *r) {
    if (!r->running_ns || r->running_ns >= r->enabled_ns) return r->count;
    return (uint64_t)((double)r->count * ((double)r->enabled_ns / (double)r->running_ns));
}

enum { SECTION_TOTALS = 1, SECTION_SAMPLES };

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CountersState *s = state;
    timesamples_counters_collect(s->samples, SECTION_SAMPLES, out, lost);
    for (uint64_t id = 0; s->thread && s->thread != &counted.further && id < COUNTERS; id++) {
        uint64_t count = estimate(&s->thread->total[id]);
        if (count) table_add(out, &(TableRow){.key = {SECTION_TOTALS, id}, .count = count});
    }
}

static bool section(uint32_t number, Analysis *out) {
    static const struct {
        const char *table, *unit;
    } samples[COUNTERS] = {
#define COUNTER(id, name, type, config, where, period, least, help) {"counters-" name, "samples of " name},
#include "vm/api/counters.def"
    };
    static const char *const names[] = {
#define COUNTER(id, name, type, config, where, period, least, help) name,
#include "vm/api/counters.def"
        NULL};
    *out = (Analysis){.event = EVENT_COUNT, .unit = "counted by counters"};
    if (number == SECTION_TOTALS - 1) {
        out->name = "counters";
        out->columns[0] = (Column){"event", COLUMN_WORD, names};
        return true;
    }
    uint32_t id = number - (SECTION_SAMPLES - 1);
    if (id >= COUNTERS) return false;
    if (!counted.request.wanted[id] || !counted.request.period[id]) return true;
    out->name = samples[id].table;
    out->unit = samples[id].unit;
    out->columns[0] = (Column){"method", COLUMN_METHOD, NULL};
    out->columns[1] = (Column){"site", COLUMN_BCI, NULL};
    return true;
}

// ---- sections --------------------------------------------------------------------------------------

// A row: what each counter has counted, and in the note what is special about a counter.
static void put_thread(Sections *out, const CountedThread *t, const char *name) {
    char note[256] = "";
    size_t n = 0;
    bool any = false;
    uint64_t least = 1000;  // of the thread's time, in which a counter counted
    section_text(out, name);
    for (int id = 0; id < COUNTERS; id++) {
        const CounterReading *r = &t->total[id];
        if (!counted.request.wanted[id]) continue;
        section_number(out, estimate(r));
        any |= t->read[id];
        uint64_t part = r->enabled_ns ? (uint64_t)((double)r->running_ns * 1000 / (double)r->enabled_ns) : 1000;
        if (part < least) least = part;
        if (t->error[id] && n < sizeof note)
            n += (size_t)snprintf(note + n, sizeof note - n, "%s%s was not counted: %s", n ? "; " : "",
                                  counterrequest_name((enum CounterId)id), strerror(t->error[id]));
    }
    section_number(out, least);
    section_text(out, !any ? "not read" : note);
}

static void begin_threads(Sections *out) {
    char columns[64 + COUNTERS * 40] = "thread text";
    size_t n = strlen(columns);
    for (int id = 0; id < COUNTERS; id++)
        if (counted.request.wanted[id])
            n += (size_t)snprintf(columns + n, sizeof columns - n, ", %s varying",
                                  counterrequest_name((enum CounterId)id));
    snprintf(columns + n, sizeof columns - n, ", counted for permille, note note");
    section_begin(out, "counters", "threads",
                  "What each thread's counters have counted; and the part of its time in which they did: if it is not"
                  " all, because the processor has fewer counters than were requested, the figures are estimates."
                  " Not read: there was no such thread, or the program crashed before its first sample",
                  columns);
}

static void put_events(Sections *out) {
    section_begin(out, "counters", "events",
                  "What was counted, in which code, and the number of events from one sample to the next (0: no"
                  " samples). A sample is taken where the thread is when the signal of the counter arrives. That is"
                  " later than the event (skid): after a hardware counter's overflow tens to hundreds of"
                  " instructions, and after more of them in the kernel, at the return from it",
                  "event text, counted in text, sampled every number");
    for (int id = 0; id < COUNTERS; id++) {
        if (!counted.request.wanted[id]) continue;
        section_text(out, counterrequest_name((enum CounterId)id));
        section_text(out, counterrequest_where((enum CounterId)id));
        section_number(out, counted.request.period[id]);
    }
    section_end(out);
}

static void report(Sections *out, bool last) {
    bool whole = getpid() == counted.process;
    (void)last;
    put_events(out);
    begin_threads(out);
    if (whole) pthread_mutex_lock(&counted.lock);
    for (const CountedThread *t = counted.first; t; t = t->next) put_thread(out, t, t->name);
    bool further = false;
    for (int id = 0; id < COUNTERS; id++) further |= counted.further.read[id];
    if (further) put_thread(out, &counted.further, "(further threads)");
    if (whole) pthread_mutex_unlock(&counted.lock);
    section_end(out);
}

const Analysis analysis_system_counters = {
    .name = "counters",
    .event = EVENT_COUNT,
    .unit = "counted by counters",
    .columns = {{"event", COLUMN_NUMBER, NULL}},
    .interrupts = true,
    .unshadowed = "the system counts for the program's threads, which a shadow does not have",
    .section = section,
    .begin = begin,
    .abandon = end,
    .end = end,
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_named = thread_named,
    .thread_free = thread_free,
    .collect = collect,
    .report = report,
};
