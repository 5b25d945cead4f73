// threads: what threads do and wait for. Its rows are monitor entries by place, exact; everything else is in sections
// of the file (profiler/concurrency/activity.h). The requested parts determine the events that it wants.
#include <stdlib.h>

#include "profiler/concurrency/activity.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/concurrency/trace.h"

typedef struct ThreadState {
    SiteCounts *entered;
    Activity *of;
    ActivityThread thread;
    Share *share;
    TaskStack tasks;
} ThreadState;

static void *thread_new(AnalysisSettings *settings) {
    ThreadState *s = calloc(1, sizeof *s);
    if (s && !(s->entered = sitecounts_new(settings))) {
        free(s);
        s = NULL;
    }
    if (s) s->of = &activity_of[settings->side];
    return s;
}

static void thread_free(void *state) {
    ThreadState *s = state;
    if (s) sitecounts_free(s->entered);
    if (s) free(s->tasks.running);
    free(s);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    sitecounts_collect(((const ThreadState *)state)->entered, out, lost);
}

static Share *share_of(void *state) {
    ThreadState *s = state;
    if (!s->share) s->share = activity_share(&s->thread);
    return s->share;
}

// ---- places ----

static void on_monitor_entered(const EventSink_monitor_entered *sink, uint32_t method, int32_t bci) {
    SiteCounts *c = ((ThreadState *)sink->state)->entered;
    if (!sitecounts_hit(c, sitecounts_site(method, bci), 0, 1)) sitecounts_add(c, sitecounts_site(method, bci), 0, 1);
    EVENT_PASS(sink, method, bci);
}

// ---- waits and locks ----

static void on_lock_timed(const EventSink_lock_timed *sink, uintptr_t object, uint32_t cls) {
    Share *s = share_of(sink->state);
    if (s) activity_hold(s, object, cls);
    EVENT_PASS(sink, object, cls);
}

static void count_entered(Table *out, uint32_t method, int32_t bci, uint64_t times) {
    table_add(out, &(TableRow){.key = {method, (uint32_t)bci}, .count = times});
}

static void on_monitor_acquired(const EventSink_monitor_acquired *sink, uintptr_t object, uint32_t cls) {
    Share *s = share_of(sink->state);
    if (s) activity_acquire(s, object, cls, WAIT_ENTER);
    EVENT_PASS(sink, object, cls);
}

static void on_allocation(const EventSink_allocation *sink, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                          uintptr_t object) {
    const ThreadState *s = sink->state;
    lockidentity_made(s->thread.events, s->of->side, method, bci, object);
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

static void on_lock_released(const EventSink_lock_released *sink, uintptr_t object, uint32_t waited_for) {
    Share *s = share_of(sink->state);
    if (s) activity_release(s, object, waited_for);
    EVENT_PASS(sink, object, waited_for);
}

static void on_block_begin(const EventSink_block_begin *sink, uint32_t kind, uint32_t timed, uintptr_t object,
                           uint32_t cls, uint32_t owner) {
    Share *s = share_of(sink->state);
    if (s) activity_block(s, kind, timed, object, cls, owner);
    EVENT_PASS(sink, kind, timed, object, cls, owner);
}

static void on_block_end(const EventSink_block_end *sink, uint32_t kind) {
    Share *s = ((ThreadState *)sink->state)->share;
    if (s) activity_unblock(s);
    EVENT_PASS(sink, kind);
}

static void on_monitor_notify(const EventSink_monitor_notify *sink, uintptr_t object, uint32_t all) {
    Share *s = share_of(sink->state);
    if (s) activity_notify(s, object, all);
    EVENT_PASS(sink, object, all);
}

static void on_unpark(const EventSink_unpark *sink, uint64_t thread) {
    Share *s = share_of(sink->state);
    if (s) activity_wake(s, thread);
    EVENT_PASS(sink, thread);
}

static void on_compare_and_set(const EventSink_compare_and_set *sink, uintptr_t object, uint32_t cls, uintptr_t address,
                               uint32_t set) {
    Share *s = share_of(sink->state);
    if (s && set) progress_made(s, ATTEMPT_COMPARE, address);
    else if (s) progress_failed(s, ATTEMPT_COMPARE, address, cls);
    EVENT_PASS(sink, object, cls, address, set);
}

static void on_gave_way(const EventSink_gave_way *sink, uint32_t hint) {
    Share *s = share_of(sink->state);
    if (s) progress_failed(s, ATTEMPT_WAY, 0, 0);
    EVENT_PASS(sink, hint);
}

// ---- points ----

static void on_point_enter(const EventSink_point_enter *sink, uint32_t method, uintptr_t receiver,
                           uint32_t receiver_class, uintptr_t first, uint32_t first_class, uintptr_t second,
                           uint32_t second_class) {
    Share *s = share_of(sink->state);
    if (s)
        tasks_enter(s, &((ThreadState *)sink->state)->tasks, method, receiver, receiver_class, first, first_class,
                    second, second_class);
    EVENT_PASS(sink, method, receiver, receiver_class, first, first_class, second, second_class);
}

static bool takes_point(EventThread *t, uint32_t method, uintptr_t receiver, uint32_t cls, bool first) {
    ThreadState *s = t->point_enter->state;
    return s->share && tasks_enter_quickly(s->share, &s->tasks, method, receiver, cls, first);
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    ThreadState *s = state;
    events->takes_point = takes_point;
    activity_attach(&s->thread, s->of, events, id, name);
}

static void thread_named(void *state, const char *name) {
    ThreadState *s = state;
    activity_lock(s->of);
    snprintf(s->thread.name, sizeof s->thread.name, "%s", name);
    activity_unlock(s->of);
}

static void on_point_leave(const EventSink_point_leave *sink, uint32_t method) {
    Share *s = ((ThreadState *)sink->state)->share;
    if (s) tasks_leave(s, &((ThreadState *)sink->state)->tasks, method);
    EVENT_PASS(sink, method);
}

static void on_instruction(const EventSink_instruction *sink, uint32_t method, int32_t bci, uint64_t first,
                           uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth) {
    Share *s = share_of(sink->state);
    if (s) tasks_instruction(s, method, bci);
    EVENT_PASS(sink, method, bci, first, second, third, fourth, fifth);
}

static void on_mark(const EventSink_mark *sink, uintptr_t name, uint64_t key) {
    Share *s = share_of(sink->state);
    if (s) tasks_mark(s, (const char *)name, key);
    EVENT_PASS(sink, name, key);
}

// ---- life and processors ----

static void on_thread_start(const EventSink_thread_start *sink, uint64_t thread) {
    share_of(sink->state);
    EVENT_PASS(sink, thread);
}

static void on_thread_end(const EventSink_thread_end *sink, uint64_t thread) {
    ThreadState *s = sink->state;
    if (s->share) activity_end(s->share);
    s->share = NULL;
    EVENT_PASS(sink, thread);
}

// Called on any pthread: uses the thread's share, if it has one.
static void on_switch_out(const EventSink_switch_out *sink, uint32_t processor, uint32_t reason) {
    Share *s = ((ThreadState *)sink->state)->share;
    if (s) activity_switch(s, false, processor, reason);
    EVENT_PASS(sink, processor, reason);
}

static void on_switch_in(const EventSink_switch_in *sink, uint32_t processor) {
    Share *s = ((ThreadState *)sink->state)->share;
    if (s) activity_switch(s, true, processor, 0);
    EVENT_PASS(sink, processor);
}

static void on_safepoint_begin(const EventSink_safepoint_begin *sink, uint64_t at) {
    activity_stopped(&((const ThreadState *)sink->state)->thread, true);
    EVENT_PASS(sink, at);
}

static void on_safepoint_end(const EventSink_safepoint_end *sink, uint64_t at) {
    activity_stopped(&((const ThreadState *)sink->state)->thread, false);
    EVENT_PASS(sink, at);
}

// ---- parts ----

#define BIT(event) EVENT_BIT(EVENT_##event)
static EventSet narrow(EventSet all) {
    EventSet waits = BIT(block_begin) | BIT(block_end) | BIT(thread_start) | BIT(thread_end);
    EventSet wanted = waits;
    if (activity_of[0].parts[PART_locks]) wanted |= BIT(monitor_entered) | BIT(lock_timed) | BIT(lock_released);
    if (activity_of[0].parts[PART_locks] && lockidentity_detail() != LOCKS_BY_CLASS)
        wanted |= BIT(allocation) | BIT(monitor_acquired);
    if (activity_of[0].parts[PART_dependency])
        wanted |= BIT(lock_released) | BIT(lock_timed) | BIT(monitor_notify) | BIT(unpark) | BIT(gave_way) |
            BIT(point_enter);
    if (activity_of[0].parts[PART_updates]) wanted |= BIT(compare_and_set);
    if (activity_of[0].parts[PART_quanta])
        wanted |= BIT(switch_in) | BIT(switch_out) | BIT(unpark) | BIT(monitor_notify);
    if (activity_of[0].parts[PART_concurrency]) wanted |= BIT(safepoint_begin) | BIT(safepoint_end);
    if (activity_of[0].parts[PART_locks]) wanted |= BIT(point_enter);
    if (activity_of[0].parts[PART_tasks]) wanted |= BIT(point_enter) | BIT(point_leave) | BIT(mark);
    return all & wanted;
}

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    return tasks_begin(b->between, error, error_size) &&
        activity_begin(b->host, b->parts, b->trace, b->locks, b->sides, error, error_size);
}

static void abandon(void) {
    trace_close();
    tasks_abandon();
}

static void end(void) {
    activity_forget();
    tasks_forget();
}

const Analysis analysis_threads = {
    .name = "threads",
    .event = EVENT_monitor_entered,
    .ordered = true,  // threads end each other's waits
    .clocked = true,
    // The events that compare places; those of locks=, of which constructors of the library have callers.
    .walked = BIT(lock_timed) | BIT(lock_released) | BIT(block_begin) | BIT(monitor_notify) | BIT(unpark) |
        BIT(compare_and_set) | BIT(gave_way) | BIT(point_enter) | BIT(point_leave) | BIT(instruction) | BIT(mark) |
        BIT(allocation),
    .unsampled = "its times and causes need every event",
    .unshadowed = "its times are the program's own",
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}},
    .begin = begin,
    .abandon = abandon,
    .end = end,
    .narrow = narrow,
    .report = activity_report,
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_named = thread_named,
    .differences = activity_differences,
    .thread_free = thread_free,
    .collect = collect,
    .on_monitor_entered = on_monitor_entered,
    .count_monitor_entered = count_entered,
    .on_monitor_acquired = on_monitor_acquired,
    .on_allocation = on_allocation,
    .on_lock_timed = on_lock_timed,
    .on_lock_released = on_lock_released,
    .on_block_begin = on_block_begin,
    .on_block_end = on_block_end,
    .on_monitor_notify = on_monitor_notify,
    .on_unpark = on_unpark,
    .on_compare_and_set = on_compare_and_set,
    .on_gave_way = on_gave_way,
    .on_point_enter = on_point_enter,
    .on_point_leave = on_point_leave,
    .also_placed = tasks_placed,
    .on_instruction = on_instruction,
    .on_mark = on_mark,
    .on_thread_start = on_thread_start,
    .on_thread_end = on_thread_end,
    .on_switch_out = on_switch_out,
    .on_switch_in = on_switch_in,
    .on_safepoint_begin = on_safepoint_begin,
    .on_safepoint_end = on_safepoint_end,
};
