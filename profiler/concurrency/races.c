// races: data races by happens-before. happensbefore.c has the order of threads, raceshadow.c the last accesses to each
// variable; this file has the sinks, and the races found.
//
// The accesses checked are those of instance fields, static fields and array elements by bytecode, in the class library
// as well as the program. Compiled code compares the variable's stamp with the thread's (Stamps) and calls the sink
// only if they differ, so the rows count roughly the first access of a thread to each variable since its last release.
// A consumer takes all accesses and synchronisation by their stamps, because the memory's stamps come too late; its
// rows count every access, and the stack of a race is the frame of the access. With transport=tee the other side only
// counts accesses.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/moment.h"
#include "profiler/concurrency/happensbefore.h"
#include "profiler/concurrency/raceshadow.h"
#include "profiler/analyses/sitecounts.h"

#define A "races"

enum { RACE_FRAMES = 8, MOST_RACES = 1 << 12, THREAD_NAME = 40, FIELDS = 1 << 22 };

// Facts about a field, by its id.
enum { FIELD_KNOWN = 1, FIELD_FINAL = 2 };

typedef struct RaceThread {
    HbThread hb;
    EventThread *events;
    SiteCounts *counts;
    bool compared;  // of the side of transport=tee that only counts
} RaceThread;

typedef struct RaceRow {
    RaceKind kind;
    RacePlace earlier;
    uint32_t method, field;
    int32_t bci;
    uint32_t type;  // not part of the key, which ends here
    uint64_t count;
    char thread[THREAD_NAME], earlier_thread[THREAD_NAME];  // of the first occurrence
    uint32_t frame_count, methods[RACE_FRAMES];
    int32_t bcis[RACE_FRAMES];
} RaceRow;

static struct Races {
    pthread_mutex_t lock;
    const ProfileHost *host;
    SamplingRequest sampling;
    _Atomic uint8_t *fields;
    RaceRow *rows;
    uint32_t count, capacity;
    HashTable index;
    uint64_t overflow;           // races without a row
    char (*names)[THREAD_NAME];  // of threads, by slot
} races = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    races.host = b->host;
    races.sampling = b->sampling;
    if (!races.fields) races.fields = calloc(FIELDS, 1);
    if (!races.names) races.names = calloc(HB_SLOTS + 1, THREAD_NAME);
    if (races.fields && races.names && raceshadow_begin()) return true;
    snprintf(error, error_size,
             "races: there is no address space for what is known of each variable (130 GB, most of which stays empty)");
    return false;
}

static void end(void) {
    raceshadow_end();
    hb_end();
    memset((void *)races.fields, 0, FIELDS);
    memset(races.names, 0, (HB_SLOTS + 1) * sizeof *races.names);
    free(races.rows);
    races.rows = NULL;
    hash_free(&races.index);
    races.count = races.capacity = 0;
    races.overflow = 0;
}

// ---- threads ----

static void *thread_new(AnalysisSettings *settings) {
    RaceThread *s = calloc(1, sizeof *s);
    if (s) s->compared = settings->side != 0;
    if (s && (s->counts = sitecounts_new(settings))) return s;
    free(s);
    return NULL;
}

static void thread_named(void *state, const char *name) {
    const RaceThread *s = state;
    if (s->hb.epoch) snprintf(races.names[hb_slot(s->hb.epoch)], THREAD_NAME, "%s", name);
}

static void stamp(RaceThread *s) { s->events->stamp = s->hb.epoch; }

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id;
    RaceThread *s = state;
    s->events = events;
    if (s->compared) return;
    events->stamps = raceshadow_stamps();
    hb_thread_begin(&s->hb);
    thread_named(s, name);
    stamp(s);
}

static void thread_free(void *state) {
    RaceThread *s = state;
    if (!s->compared) hb_thread_end(&s->hb);
    sitecounts_free(s->counts);
    free(s);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const RaceThread *s = state;
    sitecounts_collect(s->counts, out, lost);
}

static void on_thread_end(const EventSink_thread_end *sink, uint64_t thread) {
    RaceThread *s = sink->state;
    if (!s->compared) {
        hb_thread_end(&s->hb);
        stamp(s);
    }
    EVENT_PASS(sink, thread);
}

// ---- order ----

static void on_sync_acquire(const EventSink_sync_acquire *sink, uintptr_t object, uintptr_t address) {
    RaceThread *s = sink->state;
    if (!s->compared) hb_acquire(&s->hb, address);
    EVENT_PASS(sink, object, address);
}

static void on_sync_release(const EventSink_sync_release *sink, uintptr_t object, uintptr_t address) {
    RaceThread *s = sink->state;
    if (!s->compared) {
        hb_release(&s->hb, address, object);
        stamp(s);
    }
    EVENT_PASS(sink, object, address);
}

static void on_class_init(const EventSink_class_init *sink, uint32_t cls, uint32_t ended) {
    RaceThread *s = sink->state;
    if (!s->compared) {
        if (ended) hb_class_end(&s->hb, cls);
        else hb_class_begin(&s->hb, cls);
        stamp(s);
    }
    EVENT_PASS(sink, cls, ended);
}

// Threads may have synchronised while nothing was recorded.
static void on_stack_taken(const EventSink_stack_taken *sink, uint64_t thread) {
    if (!((const RaceThread *)sink->state)->compared) {
        raceshadow_reset();
        hb_reset();
    }
    EVENT_PASS(sink, thread);
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    each_live(raceshadow_live, NULL);
    raceshadow_forget_dead();
    hb_forget(is_live);
}

// ---- accesses ----

static __attribute__((noinline)) void found(const RaceThread *s, Race race, RaceRow r) {
    r.kind = race.kind;
    r.earlier = race.place;
    r.count = 1;
    uint32_t hash = hash_bytes(HASH_START, &r, offsetof(RaceRow, type));
    pthread_mutex_lock(&races.lock);
    HashKeyedRecords owner = {races.rows, sizeof r, offsetof(RaceRow, type)};
    uintptr_t item = hash_find(&races.index, &hash_by_bytes, &owner, hash, &r);
    if (item) {
        races.rows[item - 1].count++;
    } else if (races.count == MOST_RACES || !GROW(races.rows, races.capacity, races.count + 1)) {
        races.overflow++;
    } else {
        r.frame_count = moment_stack(s->events, r.methods, r.bcis, RACE_FRAMES);
        if (!r.frame_count || r.methods[0] != r.method) {  // the innermost frame is that of the access
            r.frame_count = 1;
            r.methods[0] = r.method;
            r.bcis[0] = r.bci;
        }
        memcpy(r.thread, races.names[hb_slot(s->hb.epoch)], THREAD_NAME);
        memcpy(r.earlier_thread, races.names[hb_slot(race.epoch)], THREAD_NAME);
        races.rows[races.count++] = r;
        owner.records = races.rows;
        if (!hash_add(&races.index, &hash_by_bytes, &owner, hash, races.count)) races.count--, races.overflow++;
    }
    pthread_mutex_unlock(&races.lock);
}

static uint8_t field_facts(uint32_t field) {
    ProfiledField f = {0};
    if (field >= FIELDS) return 0;
    uint8_t facts = races.fields[field];
    if (facts) return facts;
    facts = FIELD_KNOWN;
    if (races.host->field && races.host->field(field, &f) && f.flags & ACC_FINAL) facts |= FIELD_FINAL;
    races.fields[field] = facts;
    return facts;
}

static unsigned size_of(uint32_t type) {
    switch (type) {
        case 'Z':
        case 'B': return 1;
        case 'C':
        case 'S': return 2;
        case 'I':
        case 'F': return 4;
        default: return 8;
    }
}

static void on_shared_access(const EventSink_shared_access *sink, uint32_t method, int32_t bci, uint32_t access,
                             uint32_t field, uint32_t type, uintptr_t object, uintptr_t address) {
    RaceThread *s = sink->state;
    uint64_t site = sitecounts_site(method, bci);
    if (!sitecounts_hit(s->counts, site, access, 1)) sitecounts_add(s->counts, site, access, 1);
    bool is_final = field && field_facts(field) & FIELD_FINAL;
    // A static final field is written before other threads can access it.
    bool constant = is_final && !object;
    if (s->hb.epoch && !constant) {
        Race race = raceshadow_access(&s->hb, address, size_of(type), access, is_final, raceshadow_place(method, bci));
        if (race.kind) found(s, race, (RaceRow){.method = method, .bci = bci, .field = field, .type = type});
    }
    EVENT_PASS(sink, method, bci, access, field, type, object, address);
}

// ---- the report ----

static const char *const kinds[] = {[RACE_WRITE_WRITE] = "write after write",
                                    [RACE_WRITE_READ] = "read after write",
                                    [RACE_READ_WRITE] = "write after read"};

static void variable_text(const RaceRow *r, char *out, size_t size) {
    static const struct {
        char type;
        const char *text;
    } elements[] = {{'B', "byte[] or boolean[]"},
                    {'C', "char[]"},
                    {'S', "short[]"},
                    {'I', "int[]"},
                    {'J', "long[]"},
                    {'F', "float[]"},
                    {'D', "double[]"},
                    {'L', "Object[]"}};
    ProfiledField f = {0};
    if (r->field && races.host->field && races.host->field(r->field, &f) && f.name) {
        snprintf(out, size, "%s.%s", f.class_name, f.name);
        for (char *c = out; *c; c++)
            if (*c == '/') *c = '.';
        return;
    }
    const char *text = "?";
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if ((uint32_t)elements[i].type == r->type) text = elements[i].text;
    snprintf(out, size, "element of %s", text);
}

// Library classes that are not thread-safe, so a race in them is a misuse by the program.
static bool is_for_one_thread(const char *name) {
    static const char *const classes[] = {"ArrayList",  "LinkedList",    "HashMap",         "LinkedHashMap", "TreeMap",
                                          "ArrayDeque", "PriorityQueue", "IdentityHashMap", "EnumMap",       "BitSet"};
    if (strcmp(name, "java/lang/AbstractStringBuilder") == 0) return true;
    if (strncmp(name, "java/util/", 10) != 0) return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t n = strlen(classes[i]);
        if (strncmp(name + 10, classes[i], n) == 0 && (!name[10 + n] || name[10 + n] == '$')) return true;
    }
    return false;
}

static bool is_the_programs(uint32_t method) {
    ProfiledMethod m = {0};
    return races.host->method(method, &m) && (m.application || (m.class_name && is_for_one_thread(m.class_name)));
}

static void put_races(Sections *out, bool of_the_program) {
    section_begin(
        out, A, of_the_program ? "races" : "library-races",
        of_the_program ? "Pairs of accesses of one variable, one of them a write, of which none happens before the "
                         "other. The later one has its callers"
                       : "The same within the class library, which knows of many of them and does not mind",
        "race text, variable text, at stack, thread text, earlier at stack, earlier thread text, times varying");
    for (uint32_t i = 0; i < races.count; i++) {
        const RaceRow *r = &races.rows[i];
        char variable[256];
        uint32_t method;
        int32_t bci;
        bool known = raceshadow_place_of(r->earlier, &method, &bci);
        if ((is_the_programs(r->method) || (known && is_the_programs(method))) != of_the_program) continue;
        variable_text(r, variable, sizeof variable);
        section_text(out, kinds[r->kind]);
        section_text(out, variable);
        section_stack(out, r->methods, r->bcis, r->frame_count);
        section_text(out, r->thread);
        section_stack(out, &method, &bci, known);
        section_text(out, r->earlier_thread);
        section_number(out, r->count);
    }
    section_end(out);
}

static void put_figure(Sections *out, const char *what, uint64_t number) {
    section_text(out, what);
    section_number(out, number);
}

// A race is found only if samples, which threads take independently, contain both accesses.
static void put_detection(Sections *out) {
    double recorded = races.sampling.mode == SAMPLING_OFF
        ? 1
        : (double)races.sampling.burst / (double)races.sampling.interval;
    if (recorded > 1) recorded = 1;
    put_figure(out, "of a million occurrences of a race, found on average", (uint64_t)(recorded * recorded * 1e6));
    put_figure(out, "occurrences after which a race is found with a chance of one half or more",
               recorded < 1 ? (uint64_t)(0.6932 / (recorded * recorded)) + 1 : 1);
}

static void put_figures(Sections *out) {
    HbFigures h = hb_figures();
    RaceShadowFigures s = raceshadow_figures();
    section_begin(out, A, "race-detection", "What order was seen, and what it was not enough for",
                  "what note, number varying");
    const struct Figure {
        const char *what;
        uint64_t number;
    } figures[] = {
        {"acquisitions", h.acquisitions},
        {"releases", h.releases},
        {"addresses at which threads may meet", h.addresses},
        {"bytes for them", h.bytes},
        {"slots of threads in use", h.slots},
        {"pages of 4096 bytes of heap with variables that are known", s.pages},
        {"lists of readers", s.lists},
        {"not seen for lack of memory or slots", h.lost + s.lost + races.overflow},
    };
    if (races.sampling.mode != SAMPLING_TIMER) put_detection(out);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) put_figure(out, figures[i].what, figures[i].number);
    section_end(out);
}

static void report(Sections *out, bool last) {
    (void)last;
    put_races(out, true);
    put_races(out, false);
    put_figures(out);
}

static const char *const accesses[] = {"read", "write", NULL};

const Analysis analysis_races = {
    .name = "races",
    .unshadowed = "an access is compared with the ones before it in the whole program, which a shadow does not have",
    .ordered = true,
    .event = EVENT_shared_access,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"access", COLUMN_WORD, accesses}},
    .begin = begin,
    .end = end,
    .forget_dead = forget_dead,
    .report = report,
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_named = thread_named,
    .thread_free = thread_free,
    .collect = collect,
    .on_shared_access = on_shared_access,
    .on_sync_acquire = on_sync_acquire,
    .on_sync_release = on_sync_release,
    .on_class_init = on_class_init,
    .on_stack_taken = on_stack_taken,
    .on_thread_end = on_thread_end,
};
