// An analysis is one file that defines an Analysis, and one row of analyses.def. See docs/ADDING-AN-ANALYSIS.md.
//
// Each Java thread has its own state, which only that thread changes while it runs, so event functions need no lock and
// no atomic operation. Another thread may read a state while its owner still runs (a profile written in a crash), so
// memory that a reader may be using is freed only by thread_free.
#ifndef CABERNET_PROFILER_ANALYSES_ANALYSIS_H
#define CABERNET_PROFILER_ANALYSES_ANALYSIS_H

#include <stdatomic.h>
#include <stdio.h>

#include "profiler/analyses/cacheconfig.h"
#include "profiler/analyses/section.h"
#include "profiler/analyses/table.h"
#include "vm/api/calltree.h"
#include "vm/api/events.h"
#include "vm/api/profiler.h"

typedef enum ColumnKind {
    COLUMN_METHOD,  // key is a method id or pseudo-caller
    COLUMN_BCI,     // key is a bytecode index of the method in the previous column, as uint32_t: becomes bci and line
    COLUMN_NUMBER,  // key is an unsigned number
    COLUMN_SIGNED,  // key is an int64_t
    COLUMN_FIELD,   // key is a field id or COLUMN_ELEMENT(type)
    COLUMN_CLASS,   // key is a class id
    // key is the number of the partner of a comparison at the place in the previous column (productionsites.h)
    COLUMN_PARTNER,
    COLUMN_WORD,  // key is an index into `words`
    COLUMN_PATH,  // key is the number of a path of the method two columns before; the previous column is the bytecode
                  // index where an exception ended it, if any: becomes the number and the blocks
    COLUMN_STEP,  // key is a step of interprocedural paths: becomes a word (profiler/analyses/interproceduralpath.h)
    COLUMN_NODE,  // key is the number of a tree node, 0 for the root: the first column is the row's node, the second
                  // its parent, which also has a row
} ColumnKind;

// A number for the elements of arrays where another access has a field id: `type` is the first character of the
// element's descriptor (vm/api/events.def). Such numbers are above all field ids.
#define COLUMN_ELEMENTS 0xffffff00u
#define COLUMN_ELEMENT(type) (COLUMN_ELEMENTS + (uint32_t)(type))

typedef struct Column {
    const char *name;
    ColumnKind kind;
    const char *const *words;  // of COLUMN_WORD, NULL-terminated
} Column;

// The tables that become a snapshot for the compiler (vm/api/snapshot.h). Rows in any order; equal keys are allowed.
typedef enum SnapshotTable {
    SNAPSHOT_NONE,
    SNAPSHOT_CALLS,      // method, bytecode index, callee
    SNAPSHOT_RECEIVERS,  // method, bytecode index, class
    SNAPSHOT_BRANCHES,   // method, bytecode index, edge
    SNAPSHOT_ACCESSES,   // method, bytecode index, field
    SNAPSHOT_FIELDS,     // field, 0 for gets or 1 for puts
    SNAPSHOT_TABLES
} SnapshotTable;

// With transport=tee, both sides of a thread have states; what an analysis keeps for all threads exists once for each.
enum { ANALYSIS_SIDES = 2 };

// Options for analyses. One per profile and side, kept until the profile has ended.
typedef struct AnalysisSettings {
    // recursion=: maximum occurrences of a method on a path from the root of a tree; at least 1
    uint32_t recursion;
    uint32_t heat;               // heat=: thousandths of all references that make a stream of hot-stream hot
    uint64_t sample_bytes;       // every=: bytes that an allocation_sample stands for
    bool sampled;                // sampling=: events are isolated, without those that led to them
    unsigned side;               // of transport=tee: 0 what the file shows, 1 what it is compared with
    bool phases;                 // a thread has a weighted state for each phase
    CacheConfig cache;           // cache=
    CounterRequest counters;     // events=
    _Atomic int64_t nodes_left;  // limit= of trees and grammars, shared by all threads
} AnalysisSettings;

// Adds `times` occurrences of an event to `out`. Only the constant fields of its payload are known; the others are 0.
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    typedef void (*CountFn_##id)(Table * out, EVENT_SINK_PARAMETERS(payload), uint64_t times);
#include "vm/api/events.def"

// Input of Analysis.begin.
typedef struct AnalysisBegin {
    const ProfileHost *host;  // never freed
    const bool *parts;        // by ActivityPart (PART rows): the requested ones
    const char *trace;        // file of trace=, or NULL
    SamplingRequest sampling;
    uint8_t locks;        // LockDetail, from locks=
    unsigned sides;       // of transport=tee: 1 or ANALYSIS_SIDES
    const char *between;  // pairs of points from between=, or NULL
    const CounterRequest *counters;
} AnalysisBegin;

typedef struct Analysis Analysis;
struct Analysis {
    const char *name;    // as in analyses.def
    enum EventId event;  // whose count must equal recorded + lost; EVENT_COUNT: the total of all its events
    const char *unit;    // what its rows count, in the plural; NULL: the text of `event`
    bool joined;  // one recorded item consists of several events: the total is recorded + lost, not an event's count
    bool waits;   // its sinks may ask their thread to wait (vm/api/eventwait.h)
    // Does it examine what other threads did before? Then a consumer gives it the events of all threads in one order
    // (profiler/ring/transport.h), and there is one consumer.
    bool ordered;
    bool clocked;           // its sinks call moment_now (profiler/analyses/moment.h)
    EventSet walked;        // events whose sinks call moment_stack
    EventSet deep;          // the subset for which that has CALLCONTEXT_MOST frames, not only the innermost ones
    const char *unsampled;  // why it needs every event, so sampling= is rejected; NULL: it can be sampled
    // why sampling= is rejected where a sample is no activation (sampling_has_activations); NULL: accepted
    const char *uncut;
    // why consumers can neither take its samples nor sample: it examines its thread; NULL: they can
    const char *ungathered;
    // why where=shadow is rejected; NULL: accepted, and shadows hand over its rows and what it gives
    const char *unshadowed;
    // Key columns of its rows, in order, terminated by a NULL name. A count follows.
    Column columns[TABLE_KEYS + 1];
    // For an analysis whose events are wanted only at single places, which the VM queries (ProfilerInterface.match):
    // the events that may be wanted, and the subset that compiled code may count. NULL: they are wanted everywhere.
    EventSet (*placed)(void);
    EventSet (*placed_counts)(void);
    // Events wanted at single places, in addition to those wanted everywhere. NULL: none.
    EventSet (*also_placed)(void);
    // For an analysis shown as several: the first number of a row's key is the section number plus one, and the
    // remaining keys belong to the section's columns. *out: name (NULL: not shown) and columns of a section. False: no
    // such section. NULL: the analysis is shown as a single one.
    bool (*section)(uint32_t number, Analysis *out);
    // Do its samples interrupt threads (timesamples.h)? Then it wants no events. A profile of such analyses alone is
    // one of time (ProfileKind).
    bool interrupts;
    // Do its rows include the times of its samples (timesamples.h)?
    bool timed;
    // An empty state for a thread, NULL when out of memory.
    void *(*thread_new)(AnalysisSettings *settings);
    // Identifies the state's thread, before any event, and reports a change of its name. NULL: not needed.
    void (*thread_attached)(void *state, EventThread *events, uint64_t id, const char *name);
    void (*thread_named)(void *state, const char *name);
    // For an analysis whose call tree compiled code walks by itself: moves to that position, before any event. NULL: it
    // has no such tree.
    void (*thread_placed)(void *state, ContextPosition *position);
    // Before any event: of the events that several states of the thread are given, this one records only its part, the
    // `shard`-th of `shards`, so that each event is in one part, and all parts together have the rows of a single state
    // (shards=). The part of an event is the remainder of its address's line (AnalysisSettings.cache) by `shards`; a
    // state may be spared those of other parts. It has only the functions thread_new, thread_free and collect. NULL:
    // its events are not independent of each other.
    void (*thread_shard)(void *state, uint32_t shard, uint32_t shards);
    // The states of the thread's other analyses, by AnalysisId, NULL for those not requested. The array does not move.
    // Called after all states exist. NULL: not needed.
    void (*thread_beside)(void *state, void *const *others);
    void (*thread_free)(void *state);
    // Adds the state's rows to `out`, and the number of events it could not record to *lost.
    void (*collect)(const void *state, Table *out, uint64_t *lost);
    // With phases=, before collect and report: the number of events that each recorded event represents. NULL: collect
    // suffices.
    void (*weighed)(void *state, double weight);
    // Reports the calls that compiled code entered in its tree by itself, which `collect` has included. NULL: none.
    void (*counted)(const void *state, CountedFn *fn, void *arg);
    // Reduces the rows of several states, which are sorted and have distinct keys, preserving the sum of their counts.
    // NULL: all rows are kept.
    void (*reduce)(Table *rows);
    // The table of a snapshot to which its rows of all threads are added, one row per key. SNAPSHOT_NONE: the compiler
    // does not read them.
    SnapshotTable snapshot;
    // Called before the first thread's state is created. False with *error when the profile cannot begin. NULL: nothing
    // to do.
    bool (*begin)(const AnalysisBegin *b, char *error, size_t error_size);
    // Undoes `begin`, which may itself have failed, when the start of the profile was rejected. `begin` may be called
    // again later. NULL: nothing to do.
    void (*abandon)(void);
    // Frees the state of the whole process, when the profile has ended and every thread's state was freed; `begin` may
    // be called again. NULL: there is no such state.
    void (*end)(void);
    // World stopped, at the end of marking (ProfilerInterface.forget_dead). NULL: the state refers to no objects.
    void (*forget_dead)(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object));
    // Selects the events it really wants, after `begin`. NULL: all.
    EventSet (*narrow)(EventSet all);
    // With transport=tee, after every thread's state was collected: the number of counts in the state of the whole
    // process that differ between the sides. NULL: there is no such state, or only its rows are compared.
    uint64_t (*differences)(void);
    // Writes sections (profiler/analyses/section.h) about the whole process, after every thread's state was collected.
    // `last`: the profile ends. NULL: none.
    void (*report)(Sections *out, bool last);
    // give: in a shadow, with threads stopped, writes the data for `report` that is not in rows
    // (profiler/analyses/given.h), with names as texts. take: in the program, adds a shadow's data to that of `report`;
    // false: the data is damaged or memory ran out, and nothing was added. Both NULL if rows are all the data there is.
    void (*give)(const ProfileHost *host, FILE *out);
    bool (*take)(const uint8_t *data, size_t size);
    // The events it wants; NULL: not wanted.
#define EVENT(id, text, payload, waits, counted, source, made_by) EventFn_##id on_##id;
#include "vm/api/events.def"
    // Events for which the analysis needs only counts: compiled code may count them.
#define EVENT(id, text, payload, waits, counted, source, made_by) CountFn_##id count_##id;
#include "vm/api/events.def"
};

enum AnalysisId {
#define ANALYSIS(id, name, word, help) ANALYSIS_##id,
#include "profiler/analyses/analyses.def"
    ANALYSIS_COUNT
};

#define ANALYSIS(id, name, word, help) extern const Analysis analysis_##id;
#include "profiler/analyses/analyses.def"

// For Analysis.section: the i-th of `count` sections, which all have the columns of `whole`.
bool analysis_section(const Analysis *whole, const Analysis *sections, uint32_t count, uint32_t i, Analysis *out);

// The events that an analysis wants everywhere, and those wanted at single places.
EventSet analysis_events(const Analysis *a);
EventSet analysis_placed(const Analysis *a);

// The subset that compiled code may count.
EventSet analysis_counts(const Analysis *a);
// Adds a counted event (CountedFn in vm/api/profiler.h) if the analysis wants it.
void analysis_count(const Analysis *a, Table *out, enum EventId event, const uint32_t *words, uint64_t times);

extern const Analysis *const analysis_table[ANALYSIS_COUNT];  // by AnalysisId (profiler/control/analysistable.c)

#endif
