// handover: the counts of `events`, made by a consumer. A sink puts its event into the thread's buffer. When that is
// nearly full, the thread waits until the consumer, a separate profiler thread, has counted its contents; the consumer
// is slow on purpose. tests/run/events.py builds a VM with this analysis (docs/ADDING-AN-ANALYSIS.md).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"
#include "vm/api/eventwait.h"
#include "vm/api/profilerthread.h"
#include "vm/api/thread.h"

enum { ROOM = 4096, NEARLY_FULL = 200, PAUSE_US = 3000 };

typedef struct Item {
    uint64_t site;
    uint32_t event;
} Item;

// Items belong to the thread, except while it waits: then they belong to the consumer.
typedef struct Buffer {
    struct Buffer *next;  // under the lock, like waits
    bool waits;
    void *counts;  // of SiteCounts
    EventWait wait;
    uint64_t lost;
    uint32_t count;
    Item items[ROOM];
} Buffer;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t emptied;
    Buffer *first;
    ProfilerThread *consumer;
    uint64_t waits;
} handover = {.lock = PTHREAD_MUTEX_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};

static void take(Buffer *b) {
    for (uint32_t i = 0; i < b->count; i++)
        if (!sitecounts_hit(b->counts, b->items[i].site, b->items[i].event, 1))
            sitecounts_add(b->counts, b->items[i].site, b->items[i].event, 1);
    b->count = 0;
    b->waits = false;
}

static void consume(ProfilerThread *self, void *arg) {
    (void)arg;
    while (profilerthread_sleep(self, THREAD_FOREVER)) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_US * 1000}, NULL);
        pthread_mutex_lock(&handover.lock);
        for (Buffer *b = handover.first; b; b = b->next)
            if (b->waits) take(b);
        pthread_cond_broadcast(&handover.emptied);
        pthread_mutex_unlock(&handover.lock);
    }
    fprintf(stderr, "handover: %llu waits\n", (unsigned long long)handover.waits);
}

static void wait_for_consumer(void *arg) {
    Buffer *b = arg;
    pthread_mutex_lock(&handover.lock);
    handover.waits++;
    b->waits = true;
    profilerthread_wake(handover.consumer);
    while (b->waits) pthread_cond_wait(&handover.emptied, &handover.lock);
    pthread_mutex_unlock(&handover.lock);
}

static void *thread_new(AnalysisSettings *settings) {
    (void)settings;
    Buffer *b = calloc(1, sizeof *b);
    if (!b || !(b->counts = sitecounts_new(NULL))) {
        free(b);
        return NULL;
    }
    b->wait = (EventWait){.fn = wait_for_consumer, .arg = b};
    pthread_mutex_lock(&handover.lock);
    if (!handover.consumer) handover.consumer = profilerthread_start("handover", consume, NULL);
    b->next = handover.first;
    handover.first = b;
    pthread_mutex_unlock(&handover.lock);
    return b;
}

static void thread_free(void *state) {
    Buffer *b = state;
    pthread_mutex_lock(&handover.lock);
    Buffer **at = &handover.first;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    pthread_mutex_unlock(&handover.lock);
    sitecounts_free(b->counts);
    free(b);
}

static void put(Buffer *b, uint32_t method, int32_t bci, enum EventId event) {
    if (b->count == ROOM) {
        b->lost++;
        return;
    }
    b->items[b->count++] = (Item){sitecounts_site(method, bci), event};
    if (b->count >= NEARLY_FULL) eventwait_ask(&b->wait);
}

// Also counts the items that the consumer has not reached; the thread is stopped or has ended.
static void collect(const void *state, Table *out, uint64_t *lost) {
    const Buffer *b = state;
    sitecounts_collect(b->counts, out, lost);
    *lost += b->lost;
    void *rest = sitecounts_new(NULL);
    if (!rest) {
        *lost += b->count;
        return;
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (!sitecounts_hit(rest, b->items[i].site, b->items[i].event, 1))
            sitecounts_add(rest, b->items[i].site, b->items[i].event, 1);
    sitecounts_collect(rest, out, lost);
    sitecounts_free(rest);
}

#define PLACE_METHOD(name) \
    if (method_ == UINT32_MAX) method_ = name;
#define PLACE_BCI(name) bci_ = name;
#define PLACE_FIELD(name)
#define PLACE_CLASS(name)
#define PLACE_THREAD(name)
#define PLACE_OBJECT(name)
#define PLACE_ADDRESS(name)
#define PLACE_VALUE(name)
#define PLACE_NUMBER(name)
#define PLACE(type, name) \
    (void)name;           \
    PLACE_##type(name)

#pragma GCC diagnostic ignored "-Wunused-function"
#define EVENT(id, text, payload, waits, counted, source, made_by)                                      \
    static void on_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {                  \
        uint32_t method_ = UINT32_MAX;                                                                 \
        int32_t bci_ = EVENT_NO_BCI;                                                                   \
        EVENT_EACH(PLACE, payload)                                                                     \
        put(sink->state, method_ == UINT32_MAX ? EVENT_PSEUDO(CALLER_VM) : method_, bci_, EVENT_##id); \
        EVENT_PASS(sink, EVENT_NAMES(payload));                                                        \
    }
#include "vm/api/events.def"

static const char *const names[] = {
#define EVENT(id, text, payload, waits, counted, source, made_by) #id,
#include "vm/api/events.def"
    NULL};

#define MAY_WAIT(function) function
#define NO_WAIT(function) NULL

const Analysis analysis_handover = {
    .name = "handover",
    .event = EVENT_COUNT,
    .waits = true,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"event", COLUMN_WORD, names}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
#define EVENT(id, text, payload, waits, counted, source, made_by) .on_##id = waits(on_##id),
#include "vm/api/events.def"
};
