// Tasks of executors, fork-join pools and CompletableFuture, from being queued to begin and end, and times between two
// points of the program. Both derive from watched methods (profiler/concurrency/points.def) and from
// cabernet.Profile.mark. Protected by the activity lock, in tables of fixed size: a task or start without room is
// counted as unmatched.
//
// A pool's bookkeeping for a task counts as neither latency nor service. The time of a task that runs others while it
// waits for them (ForkJoinTask.join) includes theirs.
#ifndef CABERNET_PROFILER_CONCURRENCY_TASKS_H
#define CABERNET_PROFILER_CONCURRENCY_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/concurrency/activity.h"

// The tasks that a thread is running. Owned by the thread.
typedef struct TaskStack {
    struct Running {
        uintptr_t task;
        uint32_t cls;
        uint64_t began;
    } * running;  // nested: a task of a fork-join pool runs others while it waits
    uint32_t capacity, depth, owner_method;
} TaskStack;

// `between`: the text of between=, "A..B,C..D", or NULL. False with *error.
bool tasks_begin(const char *between, char *error, size_t error_size);
// Undoes tasks_begin, even after a failure.
void tasks_forget(void);  // everything
void tasks_abandon(void);
// Is the method watched? Names in internal form.
bool tasks_watches(const char *class_name, const char *name);

// Lines that are points: their events by method and bytecode index (ProfilerInterface.match and events_at).
EventSet tasks_placed(void);
EventSet tasks_match(uint32_t method, const ClassFileMethod *info);
EventSet tasks_wants(uint32_t method, int32_t bci);

void tasks_enter(Share *s, TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class, uintptr_t first,
                 uint32_t first_class, uintptr_t second, uint32_t second_class);
// The same for a method that takes or releases a lock when neither is timed; false: any other case. `first`: the first
// argument is not null.
bool tasks_enter_quickly(Share *s, const TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class,
                         bool first);
void tasks_instruction(Share *s, uint32_t method, int32_t bci);
void tasks_leave(Share *s, TaskStack *t, uint32_t method);
void tasks_mark(Share *s, const char *name, uint64_t key);

void tasks_report(Sections *out);
uint64_t tasks_started(void);
// The number of counts that differ between the sides (activity_differences).
uint64_t tasks_differences(void);

#endif
