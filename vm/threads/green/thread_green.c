// The green thread backend: thread operations in terms of the scheduler (greensched.c).
//
// Sleeping and waking work as in the native backend: Thread.event changes NONE -> ASLEEP -> WOKEN (or EXPIRED, by the
// timers), and the thread that changes it from ASLEEP makes the sleeper runnable, once.
//
// Allocation lists belong to the processor. A thread takes lists from the processor one by one when it runs out, and
// gives all of them back before it lets others run. It does so in the running state, so never while a collection resets
// the lists. A thread that loses its processor in a native call keeps its lists.
#include "vm/threads/green/thread_green.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/optionlist.h"
#include "vm/base/container.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"
#include "vm/threads/green/greenmonitor.h"
#include "vm/threads/green/greenpoll.h"
#include "vm/threads/green/greensched.h"
#include "vm/threads/green/greentimer.h"
#include "vm/threads/threadstack.h"
#include "arch_switch.h"

enum { MAX_PROCESSORS = 256 };

Green green = {
    .options = {.quantum_ns = 10000000},
    .sched = {.lock = PTHREAD_MUTEX_INITIALIZER},
    .timers = {.lock = PTHREAD_MUTEX_INITIALIZER, .first = THREAD_FOREVER},
    .polls = {.lock = PTHREAD_MUTEX_INITIALIZER, .epoll_fd = -1},
    .monitor = {.sleeps_until = THREAD_FOREVER},
};

// ---- option --------------------------------------------------------------------------------

typedef struct GreenArguments {
    uint32_t carriers;
    OptionAmount quantum;  // yieldpoints, or ms
} GreenArguments;

static const OptionRow rows[] = {
    {"carriers", OPTION_NUMBER, OPTION_NOW, offsetof(GreenArguments, carriers), 0, 1, MAX_PROCESSORS, ""},
    {"quantum", OPTION_AMOUNT, OPTION_NOW, offsetof(GreenArguments, quantum), 0, 1, INT32_MAX, ""},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const OptionTable table = {.rows = rows, .row_count = ROWS, .called = "part", .separator = ':'};

static bool take_quantum(OptionParse *p, const OptionAmount *quantum) {
    static const OptionUnit ms = {"ms", 1000000};
    uint64_t n;
    if (optionlist_scale(quantum, &ms, 1, &n)) {
        if (quantum->value < 1 || quantum->value > INT32_MAX)
            return optionlist_refuse(p, "quantum=%" PRIu64 "ms: must be 1ms...%dms", quantum->value, INT32_MAX);
        green.options.quantum_ns = (int64_t)n;
        return true;
    }
    if (*quantum->unit)
        return optionlist_refuse(p, "quantum=%" PRIu64 "%s: must be yieldpoints, or milliseconds as in 10ms",
                                 quantum->value, quantum->unit);
    if (!optionlist_amount(p, &rows[1], 1, INT32_MAX, 0, &n)) return false;
    green.options.quantum_yieldpoints = (int32_t)n;
    return true;
}

bool thread_green_configure(const char *text, char *error, size_t error_size) {
    int there_are = container_processors();
    GreenArguments given;
    bool named[ROWS] = {false};
    OptionParse p = {.table = &table, .to = &given, .given = named, .error = error, .error_size = error_size};
    optionlist_presets(&table, &given);
    given.carriers = there_are > MAX_PROCESSORS ? MAX_PROCESSORS : (uint32_t)there_are;
    char *copy = optionlist_copy(text), *rest = copy;
    bool ok = strcmp(words_next(&rest, table.separator, table.escape), "green") == 0;
    if (!ok) optionlist_refuse(&p, "native or green, as in -Xthreads:green:carriers=2");
    ok = ok && optionlist_take_all(&p, rest) && (!given.quantum.given || take_quantum(&p, &given.quantum));
    free(copy);
    green.options.carriers = (int)given.carriers;
    return ok;
}

bool thread_green_counts(void) { return green.options.quantum_yieldpoints > 0; }
bool thread_green_repeats(void) { return thread_green_counts() && green.options.carriers == 1; }

bool thread_green_init(const char **error) {
    threads.may_spin = green.options.carriers > 1;
    *error = "no memory or no thread for the green scheduler";
    return greensched_init(green.options.carriers, green.options.quantum_ns, green.options.quantum_yieldpoints);
}

// ---- blocking ------------------------------------------------------------------------------

// Before other threads get the processor; the scheduler sets `shared`.
static void share_lists(Thread *self) {
    if (self->heap.shared) heap_cache_give(&self->heap);
}

static bool take_event(Thread *self) { return atomic_exchange(&self->event, EVENT_NONE) == EVENT_WOKEN; }

typedef struct Block {
    Thread *self;
    int64_t deadline;
} Block;

static void block(void *arg) {
    const Block *b = arg;
    greensched_block(b->self, b->deadline);
}

static bool green_block(Thread *self, int64_t deadline) {
    if (atomic_load_explicit(&self->event, memory_order_relaxed) == EVENT_WOKEN) return take_event(self);
    if (deadline != THREAD_FOREVER && thread_now() >= deadline) return take_event(self);
    share_lists(self);
    thread_run_again(self, THREAD_PAUSED, block, &(Block){self, deadline});
    return take_event(self);
}

static void green_wake(Thread *t) {
    if (atomic_exchange(&t->event, EVENT_WOKEN) == EVENT_ASLEEP) greensched_wake(t, thread_current());
}

typedef struct Yield {
    Thread *self;
    ThreadSwitchReason reason;
} Yield;

static void yield(void *arg) {
    const Yield *y = arg;
    greensched_yield(y->self, y->reason);
}

static void yield_for(Thread *self, ThreadSwitchReason reason) {
    share_lists(self);
    thread_run_again(self, THREAD_PAUSED, yield, &(Yield){self, reason});
}

static void yield_pthread(void *arg) {
    (void)arg;
    sched_yield();
}

// With an empty queue, the thread that is waited for may be returning from a native call.
static void green_yield(Thread *self) {
    if (greensched_others_wait(self)) yield_for(self, THREAD_SWITCH_YIELD);
    else thread_run_again(self, THREAD_PAUSED, yield_pthread, NULL);
}

static void green_yieldpoint(Thread *self) {
    uint32_t poll = atomic_load(&self->poll);
    if (poll & POLL_YIELD) atomic_fetch_and(&self->poll, ~(uint32_t)POLL_YIELD);
    if (!(poll & POLL_YIELD) && self->quantum_left > 0) return;
    yield_for(self, THREAD_SWITCH_PREEMPT);
}

// ---- stacks --------------------------------------------------------------------------------

static bool green_map_stacks(Thread *t, size_t java_size, size_t c_size) {
    if (c_size == 0) return backend_map_own(t, java_size);
    size_t size = backend_stacks_size(java_size, c_size);
    char *low = threadstack_take(size);
    if (!low) return false;
    t->mapping = low;
    t->mapping_size = size;
    backend_place_stacks(t, low, low + size, java_size);
    return true;
}

// The stack of an ending thread is still in use: greensched_abandon takes it.
static void green_unmap_stacks(Thread *t) {
    if (t->attached_native) backend_unmap_own(t);
    else if (t->mapping) threadstack_give(t->mapping, t->mapping_size);
    t->mapping = NULL;
}

// ---- starting and ending -------------------------------------------------------------------

static bool green_adopt(Thread *t) {
    backend_adopt_own(t);
    if (greensched_adopt(t)) return true;
    backend_abandon_own();
    return false;
}

static struct Carrier *green_abandon(Thread *self) {
    share_lists(self);
    self->heap.shared = NULL;
    if (self->bound) backend_abandon_own();
    else thread_current_ = NULL;
    return greensched_abandon(self);
}

// ---- queries -------------------------------------------------------------------------------

static void green_set_name(const Thread *t, const char *utf8) {
    if (t->bound) backend_name_own(t, utf8);
}

static uint64_t green_cpu_ns(const Thread *t) {
    if (t->bound) return backend_cpu_own(t);
    return greensched_ns(t);
}

static int green_processor(const Thread *t) { return t->last_processor ? t->last_processor->id : -1; }

// ---- fork (vm/boot/subsystems.def) ----------------------------------------------------------

static void before_fork(void) {
    pthread_mutex_lock(&green.sched.lock);
    pthread_mutex_lock(&green.polls.lock);
    pthread_mutex_lock(&green.timers.lock);
}

static void after_fork_parent(void) {
    pthread_mutex_unlock(&green.timers.lock);
    pthread_mutex_unlock(&green.polls.lock);
    pthread_mutex_unlock(&green.sched.lock);
}

static void after_fork_child(Thread *self) {
    greentimer_after_fork_child();
    greenpoll_after_fork_child();
    greensched_after_fork_child(self);
    greenmonitor_after_fork_child();
}

const ThreadBackend thread_backend_green = {
    .name = "green",
    .green = true,
    .large_stack = greensched_large_stack,
    .block = green_block,
    .wake = green_wake,
    .yield = green_yield,
    .map_stacks = green_map_stacks,
    .unmap_stacks = green_unmap_stacks,
    .adopt = green_adopt,
    .start = greensched_start,
    .abandon = green_abandon,
    .gone = greensched_gone,
    .yieldpoint = green_yieldpoint,
    .regain = greensched_regain,
    .hand_off = greensched_hand_off,
    .set_name = green_set_name,
    .cpu_ns = green_cpu_ns,
    .os_id = greensched_os_id,
    .processor = green_processor,
    .signal_native = greensched_signal,
    .before_fork = before_fork,
    .after_fork_parent = after_fork_parent,
    .after_fork_child = after_fork_child,
    .continue_thread = greensched_continue,
};
