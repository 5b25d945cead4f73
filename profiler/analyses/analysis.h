// What an analysis is: one file that defines one of these, and one row of analyses.def. See
// docs/ADDING-AN-ANALYSIS.md.
//
// Each Java thread has a state of its own, which only that thread changes while it runs; so the
// functions that take events need no lock and no atomic operation. A state may be read by another
// thread while its owner still runs (a profile written in a crash), so memory that a reader may be
// looking at is freed by thread_free alone.
#ifndef CABERNET_PROFILER_ANALYSIS_H
#define CABERNET_PROFILER_ANALYSIS_H

#include <stdatomic.h>
#include <stdio.h>

#include "profiler/analyses/section.h"
#include "profiler/analyses/table.h"
#include "vm/api/calltree.h"
#include "vm/api/events.h"
#include "vm/api/profiler.h"

typedef enum ColumnKind {
    COLUMN_METHOD,  // key is a method id or pseudo-caller
    COLUMN_BCI,     // key is a bytecode index of the method in the column before, as uint32_t: becomes bci and line
    COLUMN_NUMBER,  // key is an unsigned number
    COLUMN_SIGNED,  // key is an int64_t
    COLUMN_FIELD,   // key is a field id
    COLUMN_CLASS,   // key is a class id
    COLUMN_PARTNER, // key is the number of what an assigned value was compared with, where the column before is (productionsites.h)
    COLUMN_WORD,    // key is the position of a word in `words`
    COLUMN_PATH,    // key is the number of a path of the method two columns before, which an exception may have ended at the
                    // bytecode index of the column before: becomes the number and the blocks
    COLUMN_STEP,    // key is a step of interprocedural paths: becomes a word (profiler/analyses/interproceduralpath.h)
    COLUMN_NODE,    // key is a number of a node of a tree, 0 for the root: the first column is the row's own, the second
                    // its parent's, of which there is a row as well
} ColumnKind;

typedef struct Column {
    const char *name;
    ColumnKind kind;
    const char *const *words;  // of COLUMN_WORD, ended by NULL
} Column;

// What becomes a snapshot for the compiler (vm/api/snapshot.h). Rows in any order, equal keys allowed.
typedef struct SnapshotDraft {
    Table calls;      // method, bytecode index, callee
    Table receivers;  // method, bytecode index, class
    Table branches;   // method, bytecode index, edge
    Table accesses;   // method, bytecode index, field
    Table fields;     // field, 0 for gets or 1 for puts
} SnapshotDraft;

// What options say to analyses. One for a profile; it stays until the process ends.
typedef struct AnalysisSettings {
    uint32_t recursion;          // recursion=: how often a method may be on the way from the root of a tree; at least 1
    uint32_t heat;               // heat=: thousandths of the references that make a stream of hot-stream hot
    bool sampled;                // sampling= : events come one by one, without those that led to them
    bool phases;                 // a thread has a state for each phase, with a weight
    _Atomic int64_t nodes_left;  // limit=: of trees and grammars; all threads take from it
} AnalysisSettings;

// Adds to `out` that an event happened so often, of which only the constant fields of its payload are known: the others
// are 0.
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    typedef void (*CountFn_##id)(Table *out, EVENT_SINK_PARAMETERS(payload), uint64_t times);
#include "vm/api/events.def"

// What an analysis is told when the profile begins.
typedef struct AnalysisBegin {
    const ProfileHost *host;  // stays
    const bool *parts;        // by ActivityPart (PART rows): those asked for
    const char *trace;        // file of trace=, or NULL
    SamplingRequest sampling;
    uint8_t locks;            // LockDetail: of locks=
    const char *between;      // pairs of points of between=, or NULL
} AnalysisBegin;

typedef struct Analysis Analysis;
struct Analysis {
    const char *name;  // as in analyses.def
    enum EventId event;  // whose count must equal recorded + lost; EVENT_COUNT: all that it takes together
    bool joined;  // what it counts is made of several events, and no event's count says how many there were: that is recorded + lost
    bool waits;  // its sinks may ask their thread to wait (vm/api/eventwait.h)
    const char *unsampled;  // why it needs every event and sampling is refused; NULL: it can be sampled
    const char *uncut;      // why sampling= is refused where a sample is no activation (sampling_has_activations). NULL: it is not
    const char *ungathered; // why consumers cannot take its samples, nor sample: it looks at its thread. NULL: they can
    const char *unshadowed; // why where=shadow is refused; NULL: it is not, and shadows hand over its rows and what it gives
    // Key columns of its rows, in order, ended by a NULL name. A count follows.
    Column columns[TABLE_KEYS + 1];
    // Its events are wanted at single places only, which the VM asks for (ProfilerInterface.match): those that may be, and
    // of these the ones that it lets be counted. NULL: they are wanted everywhere.
    EventSet (*placed)(void);
    EventSet (*placed_counts)(void);
    // Events that it wants at single places besides those that it wants everywhere. NULL: none.
    EventSet (*also_placed)(void);
    // Its rows are shown as several analyses: the first number of a row's key is one more than the number of its section,
    // whose columns are the rest. *out: name (NULL: nothing is shown) and columns of a section. False: there are no more.
    // NULL: it is shown as it is.
    bool (*section)(uint32_t number, Analysis *out);
    // A thread's empty state, NULL when out of memory.
    void *(*thread_new)(AnalysisSettings *settings);
    // Whose it is, before any event, and when its name has changed. NULL: does not matter.
    void (*thread_attached)(void *state, EventThread *events, uint64_t id, const char *name);
    void (*thread_named)(void *state, const char *name);
    // Compiled code works on its tree of calls by itself; the position becomes this one, before any event. NULL: it has no such
    // tree.
    void (*thread_placed)(void *state, ContextPosition *position);
    // The states of the thread's analyses, by AnalysisId, NULL where one is not asked for; they stay where they are. After
    // all of them were made. NULL: does not matter.
    void (*thread_beside)(void *state, void *const *others);
    void (*thread_free)(void *state);
    // Adds the state's rows to `out`, and the number of events it could not record to *lost.
    void (*collect)(const void *state, Table *out, uint64_t *lost);
    // With phases=, before collect and report: what each of its events stands for. NULL: collect is enough.
    void (*weighed)(void *state, double weight);
    // Tells of the calls that code has entered in its tree by itself, which `collect` has added. NULL: there are none.
    void (*counted)(const void *state, CountedFn *fn, void *arg);
    // Makes fewer of rows of several states, which are sorted and have different keys; the sum of their counts stays. NULL:
    // all of them count.
    void (*reduce)(Table *rows);
    // Adds to the draft what the compiler may know of the rows of all threads, of which there is one for each key.
    // NULL: nothing.
    void (*publish)(const Table *rows, SnapshotDraft *draft);
    // Before the first thread's state is made. False with *error when the profile cannot begin. NULL: nothing to do.
    bool (*begin)(const AnalysisBegin *b, char *error, size_t error_size);
    // The start of the profile was refused after a call of `begin`, which may itself have failed: undoes it. `begin` may be called
    // again later. NULL: nothing to do.
    void (*abandon)(void);
    // World stopped, at the end of marking (ProfilerInterface.forget_dead). NULL: it knows nothing of objects.
    void (*forget_dead)(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object));
    // Which of its events it wants after all, once it has begun. NULL: all.
    EventSet (*narrow)(EventSet all);
    // Writes sections (profiler/analyses/section.h) about the process as a whole, after every thread's share was collected;
    // `last`: the profile ends. NULL: none.
    void (*report)(Sections *out, bool last);
    // In a shadow, threads standing still: writes what `report` knows beyond rows (profiler/analyses/given.h), names as texts. In
    // the program: adds what a shadow has given to what `report` says; false: it is damaged or memory was out, and nothing was
    // added. With both, or neither where rows are all that there is.
    void (*give)(const ProfileHost *host, FILE *out);
    bool (*take)(const uint8_t *data, size_t size);
    // The events it wants; NULL: not that one.
#define EVENT(id, text, payload, waits, counted, source, made_by) EventFn_##id on_##id;
#include "vm/api/events.def"
    // Of these, the ones of which it needs no more than how often they happened: compiled code may count them.
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

// The events that an analysis wants everywhere, and those that it wants at single places.
EventSet analysis_events(const Analysis *a);
EventSet analysis_placed(const Analysis *a);

// Of these, those that it lets be counted.
EventSet analysis_counts(const Analysis *a);
// Adds an event that was counted (CountedFn in vm/api/profiler.h), if the analysis wants it.
void analysis_count(const Analysis *a, Table *out, enum EventId event, const uint32_t *words, uint64_t times);

extern const Analysis *const analysis_table[ANALYSIS_COUNT];  // by AnalysisId

#endif
