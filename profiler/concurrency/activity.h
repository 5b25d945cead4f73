// Thread activity as seen by the analysis "threads" (its sinks: profiler/concurrency/threads.c): which thread waits for
// which and how long, which ones run, and which chain of causes accounts for the run's time.
//
// The state is per process, not per thread, because it relates threads (with transport=tee, per side): a wait belongs to the thread that waits and the
// one that ends it. One lock guards it. Its users are about to block, have blocked, wake another thread, or enter a
// monitor that is timed (vm/threads/monitor.h), which takes microseconds anyway. More frequent events are counted in
// the thread's own state.
//
// Memory is bounded: a Share for each live thread (below 1 KB), and fixed numbers of rows, contexts and groups. Events
// without room are counted in the row "other", or as overflow. There is no log (the trace is written to its file).
#ifndef CABERNET_PROFILER_CONCURRENCY_ACTIVITY_H
#define CABERNET_PROFILER_CONCURRENCY_ACTIVITY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/histogram.h"
#include "profiler/analyses/rowcounts.h"
#include "profiler/analyses/section.h"
#include "profiler/concurrency/lockidentity.h"
#include "profiler/concurrency/systemfigures.h"
#include "profiler/concurrency/trace.h"
#include "vm/api/profiler.h"

// The parts that can be requested separately (PART rows of analyses.def).
enum ActivityPart {
#define PART(id, name, whole, help) PART_##id,
#include "profiler/analyses/analyses.def"
    PART_COUNT
};

// Like BlockKind of vm/threads/thread.h: the payload of block_begin. WAIT_OWN is not a kind of wait of the VM: its rows
// are locks of java.util.concurrent.
typedef enum WaitKind {
    WAIT_NONE,
    WAIT_ENTER,
    WAIT_NOTIFY,
    WAIT_PARK,
    WAIT_SLEEP,
    WAIT_KINDS,
    WAIT_OWN = WAIT_KINDS
} WaitKind;

enum { CONTEXT_FRAMES = 6, CONTEXT_WALK = 24 };
enum { MAX_CONTEXTS = 1 << 14, MAX_ROWS = 1 << 13, MAX_GROUPS = 512, GROUP_NAME = 56 };
enum {
    SEGMENTS = 48,
    MAX_LEVEL = 256,
    BINS = 240,
    HELD = 8,
    WAIT_BUCKETS = 256,
    OWNED_BUCKETS = 1 << 12,
    SWITCH_REASONS = 10
};

// A place with its callers. Number 0: none, or no room.
typedef struct Context {
    uint32_t count, methods[CONTEXT_FRAMES];
    int32_t bcis[CONTEXT_FRAMES];
} Context;

// The cause of a stretch of a path.
typedef enum SegmentKind {
    SEGMENT_RUN,
    SEGMENT_HOLD,
    SEGMENT_WAKE,
    SEGMENT_SLEEP,
    SEGMENT_UNKNOWN,
    SEGMENT_KINDS
} SegmentKind;
typedef struct Segment {
    uint32_t group, cls;
    SegmentKind kind;
} Segment;

// The longest chain of causes that leads to a thread's current point: its length and its composition (by Segment).
typedef struct Path {
    uint64_t length, part[SEGMENTS];
} Path;

// Kinds of attempts that can fail (profiler/concurrency/progress.c).
typedef enum AttemptKind { ATTEMPT_LOCK, ATTEMPT_COMPARE, ATTEMPT_WAY } AttemptKind;
enum { SERIES = 5, LEAST_SERIES = 64, LEAST_OVERTAKEN = 16, MAX_SERIES = 256 };

// Consecutive attempts of a thread. length 0: none.
typedef struct Series {
    AttemptKind kind;
    uint32_t cls, context;
    uintptr_t what;
    uint64_t length, since, last;
} Series;

typedef struct SeriesRow {
    AttemptKind kind;
    uint32_t group, cls, context;
    uint64_t count, most, longest, going_on, most_now;  // the last two: of unfinished series
} SeriesRow;

typedef struct OvertakenRow {
    WaitKind kind;
    uint32_t group, cls, context;
    uint64_t count, most, longest;
} OvertakenRow;

// A thread as its state knows it before its first event. A consumer has no access to the thread itself.
typedef struct ActivityThread {
    Activity *of;
    EventThread *events;
    char name[128];        // under the lock
    int os_id;             // of its pthread; 0: not known yet
    SystemFigures before;  // the kernel's figures of the pthread when the thread began
} ActivityThread;

// A live or ended thread.
typedef struct Share {
    uint64_t serial;  // first, for Activity.by_serial
    Activity *of;
    const ActivityThread *origin;  // while it makes events
    uint32_t lock_id, group;
    uint8_t priority;
    bool ended, service, named;
    int tid;
    char name[128];
    SystemFigures before;  // the kernel's figures of the pthread when the thread was registered
    // The current wait.
    WaitKind kind;
    bool timed;
    uintptr_t object;
    uint32_t cls, context;
    uint64_t since, charged;  // charged: up to where the wait has been charged to holders
    struct Share *chain;      // in the bucket of its object
    uint64_t owner;           // serial of the thread that had the monitor at the beginning
    uint8_t owner_priority;
    uint32_t owner_group;
    // The thread that ended the wait. woken 0: not yet, or none.
    uint64_t woken;
    uint32_t waker_group, waker_context;
    // The timed locks that it holds.
    struct Held {
        uintptr_t object;
        uint64_t since;
        uint32_t row;
    } held[HELD];
    uint32_t held_count;
    // Locks of java.util.concurrent that it owns. Other threads read this without the lock, to guess an owner.
    _Atomic uintptr_t owned[HELD];
    uint32_t owner_timer, owner_period;
    uint64_t owner_timed_at;
    uintptr_t wanted;  // the lock for which it has parked, and since when
    uint64_t wanted_since;
    struct OwnedClass {
        uint32_t cls;
        uint64_t count;
    } owned_classes[HELD];
    // Processor time.
    uint64_t on_since, off_since;
    int processor;
    uint64_t last_ran;
    // Progress: consecutive waits that no thread ended.
    uint32_t fruitless, most_fruitless;
    uint64_t longest_wait;
    uint32_t longest_context;
    uint64_t overtaken;  // number of times that others got the lock while it wanted it
    uint32_t rivals;     // number of waiters at the beginning
    Series series[SERIES];
    uint32_t open_series;
    uint64_t mark;  // up to where its path is known
    Path path;
    RowCounts acquired;  // with locks=: number of acquisitions of each lock
} Share;

// Threads whose names differ only in digits.
typedef struct Group {
    char name[GROUP_NAME];
    uint32_t threads, living, most_living;
    uint64_t waits[WAIT_KINDS], waited[WAIT_KINDS], migrations, cpu_ns, queued_ns;
    uint64_t left[SWITCH_REASONS];
    Histogram quantum, latency, migration_latency;
    uint32_t most_fruitless;
    uint64_t longest_wait;
    uint32_t longest_context;
} Group;

// A lock of a class, or another object waited for, at one place.
typedef struct LockRow {
    uint32_t cls, context;
    WaitKind kind;
    LockIdentity lock;                    // with locks=
    uint64_t timed, contended, acquired;  // acquired: in sums for the report
    Histogram wait, hold;
    uint64_t charged;  // waits of others that its holders caused, ns
} LockRow;

// Waits of one thread that another ended.
typedef struct EdgeRow {
    uint32_t group, context, by_group, by_context, cls;
    WaitKind kind;
    Histogram wait;
} EdgeRow;

// Waits for a monitor held by a thread of lower priority, while one of a priority in between ran.
typedef struct InversionRow {
    uint32_t group, by_group, instead_group, cls;
    Histogram wait;
} InversionRow;

typedef struct Levels {
    uint32_t now[WAIT_KINDS];  // waiting threads, by kind; [WAIT_NONE]: threads that do not wait
    uint64_t since, begin;
    uint64_t at_level[MAX_LEVEL + 1];  // ns by number of threads that do not wait
    uint64_t width;                    // of a bin
    uint64_t bins[WAIT_KINDS][BINS];   // thread-nanoseconds
    uint64_t cpu[BINS];                // processor time, ns
    uint64_t stopped[BINS];            // ns with the world stopped
    uint64_t cpu_seen, cpu_at, stopped_since, stopped_ns;
} Levels;

// The cost of the analysis's own events, from begin to end of their processing. Recorded per event: a single time says
// nothing, because the thread may lose its processor meanwhile, but the median is the typical cost.
typedef enum CostKind {
    COST_BLOCK,
    COST_UNBLOCK,
    COST_HOLD,
    COST_RELEASE,
    COST_WAKE,
    COST_SWITCH,
    COST_KINDS
} CostKind;
struct Activity {
    pthread_mutex_t lock;
    unsigned side;  // of transport=tee (AnalysisSettings)
    bool parts[PART_COUNT];
    const ProfileHost *host;
    pid_t process;
    Share **shares;
    uint32_t share_count, share_capacity;
    Share *free_shares;  // linked through chain
    HashTable by_serial;
    Share **by_lock_id;  // of the thread that has the id now, or had it last
    uint32_t lock_ids;
    // By hash: which lock of java.util.concurrent, of those in this bucket, was taken last, and by which thread. A lock
    // missing here has no owner, or its bucket holds another lock. Written without the lock, one word at a time.
    struct {
        _Atomic uintptr_t lock;
        Share *_Atomic by;
    } taken[OWNED_BUCKETS];
    Share *waiting[WAIT_BUCKETS];
    Context *contexts;
    uint32_t context_count, context_capacity;
    HashTable context_index;
    uint64_t no_context;
    uint8_t *roles;  // of methods, by id: is it plumbing?
    uint32_t role_capacity;
    Group groups[MAX_GROUPS];
    uint32_t group_count;
    LockRow *locks;
    uint32_t lock_count, lock_capacity;
    HashTable lock_index;
    EdgeRow *edges;
    uint32_t edge_count, edge_capacity;
    HashTable edge_index;
    InversionRow *inversions;
    uint32_t inversion_count, inversion_capacity;
    struct OwnedClass owned[MAX_GROUPS];  // of ended threads
    uint32_t owned_count;
    RowCounts acquired;  // of ended threads
    uint64_t overflow;   // observations without a row
    Segment segments[SEGMENTS];
    uint32_t segment_count;
    Path longest;  // of the ended threads
    Levels levels;
    Histogram costs[COST_KINDS];
    FILE *trace;
    uint64_t traced, trace_lost;
};

// The state of each side; what is reported is that of side 0. activity_lock acquires a side's lock.
extern Activity activity_of[ANALYSIS_SIDES];

// `sides`: how many of them receive events.
bool activity_begin(const ProfileHost *host, const bool *parts, const char *trace, LockDetail locks, unsigned sides,
                    char *error, size_t error_size);
// Closes the trace and forgets all threads, waits and locks.
void activity_forget(void);
static inline void activity_lock(Activity *a) { pthread_mutex_lock(&a->lock); }
static inline void activity_unlock(Activity *a) { pthread_mutex_unlock(&a->lock); }

// Prepares a thread with that number, which is stopped or the caller. Its later names are written to t->name.
void activity_attach(ActivityThread *t, Activity *of, EventThread *events, uint64_t serial, const char *name);
// The thread's share, created at first use; NULL: out of memory. Requires that the lock is not held.
Share *activity_share(const ActivityThread *t);
void activity_end(Share *s);

// ---- events: called by the thread itself or, in the order of the events, by its consumer; without the lock ----
void activity_block(Share *s, uint32_t kind, bool timed, uintptr_t object, uint32_t cls, uint32_t owner);
void activity_unblock(Share *s);
void activity_hold(Share *s, uintptr_t object, uint32_t cls);
void activity_release(Share *s, uintptr_t object, bool waited_for);
// With locks=: the thread has acquired a monitor (WAIT_ENTER) or another lock (WAIT_OWN).
void activity_acquire(Share *s, uintptr_t object, uint32_t cls, WaitKind kind);
// The thread has become owner of a lock of java.util.concurrent, of class cls, or has ceased to be.
bool activity_owns(const Share *s, uintptr_t lock);
void activity_own(Share *s, uintptr_t lock, uint32_t cls);
void activity_disown(Share *s, uintptr_t lock, uint32_t cls);
// The same if only counts change: no wait is involved, and the lock is not timed. False: the slow path is needed.
bool activity_own_untimed(Share *s, uintptr_t lock, uint32_t cls);
bool activity_disown_untimed(Share *s, uintptr_t lock);
void activity_wake(Share *s, uint64_t serial);  // unpark
void activity_notify(Share *s, uintptr_t object, bool all);
void activity_switch(Share *s, bool in, uint32_t processor, uint32_t reason);  // by the scheduler
void activity_stopped(const ActivityThread *by, bool begin);                   // the world

// ---- with the lock ----
uint32_t activity_context(Activity *a, const uint32_t *methods, const int32_t *bcis, uint32_t count);
LockRow *activity_row(Activity *a, uintptr_t object, uint32_t cls, uint32_t context, WaitKind kind);
void activity_level(Activity *a, uint64_t now, const Share *s, int from, int to);  // WaitKind or -1
Share *activity_find(const Activity *a, uint64_t serial);

// profiler/concurrency/criticalpath.c, with the lock
void path_advance(Share *s, uint64_t now);  // it has been running until now
void path_add(Activity *a, Path *p, SegmentKind kind, uint32_t group, uint32_t cls, uint64_t ns);
void path_move(Activity *a, Path *p, uint32_t group, uint32_t cls, uint64_t ns);  // from running to holding
void path_join(Path *to, const Path *from);                                       // the longer one

// profiler/concurrency/progress.c. An attempt has failed, or one has succeeded, which ends such a series: called by the
// thread itself or its consumer, without the lock.
void progress_failed(Share *s, AttemptKind kind, uintptr_t what, uint32_t cls);
void progress_end_series(Share *s, AttemptKind kind, uintptr_t what);
static inline void progress_made(Share *s, AttemptKind kind, uintptr_t what) {
    if (__builtin_expect(s->open_series != 0, 0)) progress_end_series(s, kind, what);
}
// With the lock.
void progress_forget(const Activity *a);
void progress_thread_end(Share *s);
void progress_overtaken(const Share *s, WaitKind kind, uint32_t cls, uint64_t ns);  // its wait for a lock has ended
void progress_report(Sections *out, uint64_t now);

// The number of counts that differ between the sides, which have taken the same events: waits, held and acquired locks,
// tasks and times between points. Times differ, because each side has its own clock.
uint64_t activity_differences(void);

// Sections of the file.
void activity_report(Sections *out, bool last);

#endif
