// Tasks: what is handed to executors, fork-join pools and CompletableFuture, from being queued over its beginning to its end;
// and times between two points of the program. Both follow from watched methods (profiler/analyses/points.def) and from
// cabernet.Profile.mark. Kept with the lock of the activity, in tables of fixed size: a task or a beginning that finds no
// place there is counted as unmatched.
//
// The pool's bookkeeping of a task is part of neither latency nor service. A task that runs others while it waits for
// them (ForkJoinTask.join) has their times within its own.
#ifndef CABERNET_PROFILER_TASKS_H
#define CABERNET_PROFILER_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/activity.h"

// What a thread is doing of it. Belongs to the thread.
typedef struct TaskStack {
    struct Running {
        uintptr_t task;
        uint32_t cls;
        uint64_t began;
    } *running;              // each within the one before: a task of a fork-join pool runs others while it waits
    uint32_t capacity, depth, owner_method;
} TaskStack;

// `between`: what between= names, "A..B,C..D", or NULL. False with *error.
bool tasks_begin(const char *between, char *error, size_t error_size);
// Undoes tasks_begin, also one that has failed.
void tasks_abandon(void);
// Is the method watched? Internal form.
bool tasks_watches(const char *class_name, const char *name);

// Lines that are points: which events they are, in a method, at a bytecode index (ProfilerInterface.match and wants_at).
EventSet tasks_placed(void);
EventSet tasks_match(uint32_t method, const ClassFileMethod *info);
EventSet tasks_wants(uint32_t method, int32_t bci);

void tasks_enter(Share *s, TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class, uintptr_t first,
                 uint32_t first_class, uintptr_t second, uint32_t second_class);
// The same where it takes or gives a lock and neither is timed; false: it is another. `first`: there is a first argument.
bool tasks_enter_quickly(Share *s, const TaskStack *t, uint32_t method, uintptr_t receiver, uint32_t receiver_class, bool first);
void tasks_instruction(Share *s, uint32_t method, int32_t bci);
void tasks_leave(Share *s, TaskStack *t, uint32_t method);
void tasks_mark(Share *s, const char *name, uint64_t key);

void tasks_report(Sections *out);
uint64_t tasks_started(void);

#endif
