// Records of threads. A Record belongs to one thread: the EventThread that the VM reports to, and a state for each
// analysis. The sinks of the EventThread are those of the analyses, or with transport=cab those of a ring, whose
// consumer has the analyses' sinks. When the thread ends, its states shrink to tables; when very many threads have
// ended, the oldest are combined into one record.
//
// A profile has its records in one list under one lock, which is taken when threads start and end, when the profile is
// written and when a snapshot is made, never for an event. A thread that takes the locks of both profiles takes that
// of PROFILE_OF_EVENTS first.
#ifndef CABERNET_PROFILER_CONTROL_RECORDS_H
#define CABERNET_PROFILER_CONTROL_RECORDS_H

#include <pthread.h>

#include "profiler/control/shards.h"
#include "profiler/control/states.h"
#include "profiler/control/tee.h"
#include "profiler/ring/transport.h"
#include "profiler/store/writer.h"

// Rows that are not in states: of an ended thread, or handed in by code.
typedef struct RecordRows {
    Table table[ANALYSIS_COUNT];
    uint64_t lost[ANALYSIS_COUNT];  // of tables
} RecordRows;

// The states of the phases after the first one; NULL: none yet.
typedef struct LaterStates {
    _Atomic(States *) of[PHASES_MOST - 1];
} LaterStates;

// Small, because there may be very many: what few threads need is allocated when they need it.
typedef struct Record {
    EventThread events;  // first: the VM's pointer is the record's
    Profiler *profile;   // constant
    uint64_t id;
    char *name;
    bool service, ended;
    bool failed;           // out of memory: rows are missing
    uint32_t folded;       // number of ended threads combined here
    Transport *transport;  // NULL: none, or it has ended
    Shards *shards;        // NULL: without shards=, or the thread has ended
    Tee *tee;              // NULL: without transport=tee, or the thread has ended
    EventPlaces *places;   // the thread's, until it ends; NULL: none
    States own;            // with phases=, those of the first phase
    Phases *phases;        // NULL: without phases=
    LaterStates *later;    // NULL: without phases=
    uint32_t phase;        // the phase whose states receive the events
    RecordRows *rows;      // NULL: none yet
    struct Record *next;
} Record;

typedef struct Records {
    pthread_mutex_t lock;
    Record *first, **last;  // oldest first
    uint64_t started;
    uint32_t ended;
    uint64_t phases_unlisted;  // of ended threads that were combined
    uint64_t tee_differences;  // of ended threads: rows
    bool closed;               // there is no profile: threads get no record
    uint32_t users;            // threads that are starting or ending, and use the profile without the lock
    pthread_cond_t unused;     // users is 0
    _Atomic uint64_t unattributed[EVENT_COUNT];
} Records;

// The states of a phase. NULL: that phase has none.
static inline States *records_states(const Record *r, uint32_t phase) {
    if (phase == 0) return (States *)&r->own;
    return r->later ? r->later->of[phase - 1] : NULL;
}
// Iterates over the states of all phases; phase_ is the phase.
#define EACH_STATES(states, r)                                                                                       \
    (uint32_t phase_ = 0; phase_ < PHASES_MOST; phase_++) for (States *states = records_states((r), phase_); states; \
                                                               states = NULL)

// Takes the lock. Always true in the process that started the profile: the holder releases the lock, however late on a
// busy machine, and ending threads free what the caller reads. In a copy the holder may not exist, and no other thread
// changes the list: after one second the caller reads without the lock.
bool records_lock(Profiler *p);

// Functions of ProfilerInterface.
EventThread *records_thread_start(ProfileKind kind, uint64_t thread_id, const char *name, bool service,
                                  EventPlaces *places);
EventThread *records_thread_renew(EventThread *idle, uint64_t thread_id, const char *name, bool service,
                                  EventPlaces *places);
void records_thread_rename(EventThread *t, const char *name);
void records_thread_end(EventThread *t);
void records_counted(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times);
void records_room(EventThread *t, enum EventId event, uint64_t **ring);

// Opens the list for a profile, and ends it: records of ended threads are freed, those of living threads become idle.
// The second requires the lock, and waits for threads that are starting or ending.
void records_open(Profiler *p);
void records_close(Profiler *p);

// In a shadow: no thread is known. The records stay in memory, because their pages are shared with the program until
// written.
void records_forget_all(Records *records);
// Requires the lock. Adds a shadow's results for a thread. False: out of memory, and nothing is added.
bool records_add(Profiler *p, const WriterThread *t);

// ---- their contents (recordtables.c) ----

// The record's rows, created if there are none. NULL: out of memory.
RecordRows *records_rows(Record *r);
// The contents of a record for an analysis, not combined yet. `take`: moves the record's own table.
void records_collect(Record *r, int analysis, Table *table, uint64_t *lost, bool take);
// Sorts and adds up. False: out of memory, and the table is empty.
bool records_combine(Table *table, int analysis);
// Moves counts of compiled code in the thread's tree and counts of words by a consumer to the record. Requires the
// lock.
void records_count_entered(Record *r);
// Events that were made, by kind; discarded events of an analysis.
void records_produced(const Record *r, uint64_t produced[EVENT_COUNT]);
uint64_t records_discarded(const Record *r, int analysis);

// Results of all threads in addition to their tables.
typedef struct RecordsTotal {
    uint64_t collapsed;        // entries of hidden methods
    uint64_t tee_differences;  // rows of all threads that differ with transport=tee
} RecordsTotal;

// Requires the lock, if there is one. Fills the threads of `in`, which records_free_filled frees in any case. `take`:
// records are not read again, so the data of ended threads is moved instead of copied. False: out of memory.
bool records_fill(const Profiler *p, WriterInput *in, RecordsTotal *total, bool take);
void records_free_filled(WriterInput *in);

// Adds the rows of all threads for analyses that publish snapshots. Threads keep running: their states are read as in a
// crash. The rows are combined; true: out of memory.
bool records_snapshot(Profiler *p, Table tables[ANALYSIS_COUNT]);

#endif
