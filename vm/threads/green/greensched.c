// See vm/threads/green/greensched.h for the model.
//
// Leaving a stack. A blocking thread first makes itself reachable (Thread.event, a queue) and then leaves its stack;
// `on_carrier` says that the stack is still in use, and arch_switch clears it from the other stack. A carrier that
// takes such a thread from a queue waits for that, but only on a scheduler's stack: two threads that wait for each
// other's stacks while on their own would wait for ever.
//
// Losing the processor (take_from). A thread in native or blocked state returns by storing its state and then reading
// its poll word, as for a stop. The taker of the processor sets POLL_CARRIER, makes every pthread pass a barrier and
// then reads the state. So one of the two sees the other, and a native call costs no more than with native threads.
//
// Idle processors. A carrier that found no work puts its processor on the idle list and only then checks the queues
// again. A thread that makes another runnable queues it and only then checks the idle list. So no carrier sleeps while
// there is work.
#include "vm/threads/green/greensched.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"
#include "vm/threads/green/greenmonitor.h"
#include "vm/threads/green/greenpoll.h"
#include "vm/threads/green/greenqueue.h"
#include "arch_pause.h"
#include "arch_switch.h"
#include "arch_timestamp.h"
#include "vm/threads/green/greentimer.h"
#include "vm/threads/threadstack.h"
#include "vm/threads/ticks.h"

// ThreadSanitizer has to know about stacks. In other builds these do nothing.
#ifdef __SANITIZE_THREAD__
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define TSAN(statement) statement
#else
#define TSAN(statement) (void)0
#endif

enum {
    CARRIER_STACK = 256 * 1024,
    MAX_CARRIERS = 8192,  // with more native calls at a time, further threads wait
    KEEP_SPARE = 64,
    SPINS = 100,
    SOON = 4,
};

struct Carrier {
    _Atomic uint32_t go;   // futex: the carrier has been given a processor
    Processor *processor;  // under sched_lock, or accessed by itself
    Thread *current;       // the thread that runs here; NULL: the scheduler runs
    Thread *next;          // thread to run next
    void *sp;              // the scheduler's stack pointer while a thread runs
    pthread_t pthread;
    int os_id;
    bool own;    // belongs to an attached thread
    char *dead;  // stacks of the thread that has just ended here
    size_t dead_size;
    void *fiber, *dead_fiber;  // ThreadSanitizer's
    void *signal_stack;
    Carrier *next_spare;
};

// Not inlined: the address of a thread-local variable must not be cached across a switch.
__attribute__((noinline)) static void set_current(Thread *t) { thread_current_ = t; }
__attribute__((noinline)) static void set_errno(int value) { errno = value; }

// ---- events --------------------------------------------------------------------------------

static ThreadSwitchReason blocked_by(const Thread *t) {
    if (t->polling) return THREAD_SWITCH_IO;
    switch (t->block_kind) {
        case BLOCK_ENTER: return THREAD_SWITCH_ENTER;
        case BLOCK_WAIT: return THREAD_SWITCH_WAIT;
        case BLOCK_PARK: return THREAD_SWITCH_PARK;
        case BLOCK_SLEEP: return THREAD_SWITCH_SLEEP;
        case BLOCK_NONE: break;
    }
    return THREAD_SWITCH_BLOCK;
}

static void report_switch_out(Thread *t, Processor *p, ThreadSwitchReason reason) {
    const ThreadEvents *e = thread_listener();
    if (__builtin_expect(!e, 1) || !e->switch_out) return;
    e->switch_out(t, (uint32_t)p->id, reason == THREAD_SWITCH_BLOCK ? blocked_by(t) : reason);
}

// ---- finding work --------------------------------------------------------------------------

bool greensched_work_waits(void) {
    for (int i = 0; i < green.sched.processor_count; i++)
        if (greenqueue_length(&green.sched.processors[i].queue) > 0) return true;
    return false;
}

// ---- ownership of processors ---------------------------------------------------------------

// Gives t the processor, on carrier c. Called by c, or under sched_lock by the thread that gives it to c.
static void give_to(Carrier *c, Processor *p, Thread *t) {
    ASSERT(!t->processor, "thread %u has a processor", t->id);
    ASSERT(!atomic_load(&p->current), "processor %d has a thread", p->id);
    ASSERT(!c->processor || c->processor == p, "the carrier of processor %d gets %d", c->processor->id, p->id);
    if (__builtin_expect(thread_listener() != NULL, 0))
        thread_report_switch_in(t, p->id, t->last_processor ? t->last_processor->id : -1);
    c->processor = p;
    c->current = t;
    p->carrier = c;
    t->processor = t->last_processor = p;
    if (t->carrier != c) t->carrier = c;  // a pinned thread reads it without a lock
    t->os_id = c->os_id;
    t->on_since = arch_timestamp();
    t->heap.shared = &p->lists;
    if (atomic_load_explicit(&t->poll, memory_order_relaxed) & (POLL_CARRIER | POLL_YIELD))
        atomic_fetch_and(&t->poll, ~(uint32_t)(POLL_CARRIER | POLL_YIELD));
    atomic_fetch_add_explicit(&p->switches, 1, memory_order_relaxed);
    atomic_store_explicit(&p->current, t, memory_order_release);
}

// Converts ticks of the time stamp counter to time, by the ratio of both since the start.
uint64_t greensched_ns(const Thread *t) {
    uint64_t now = arch_timestamp(), since = t->on_since;
    uint64_t ticks = atomic_load(&t->on_ticks) + (since && now > since ? now - since : 0);
    double rate = (double)(thread_now() - green.sched.start_ns) / (double)(now - green.sched.start_ticks + 1);
    return (uint64_t)((double)ticks * rate);
}

// The reverse of give_to: afterwards only the caller holds the processor.
static void take_from(Thread *t, Processor *p, ThreadSwitchReason reason) {
    ASSERT(t->processor == p && atomic_load(&p->current) == t, "thread %u does not have processor %d", t->id, p->id);
    uint64_t ticks = atomic_load_explicit(&t->on_ticks, memory_order_relaxed);
    ASSERT(t->on_since, "the clock of thread %u does not run", t->id);
    ticks += arch_timestamp() - t->on_since;
    atomic_store_explicit(&t->on_ticks, ticks, memory_order_relaxed);
    t->on_since = 0;
    // A profile may begin or end meanwhile.
    void (*lost)(EventPlaces *) = __atomic_load_n(&t->places.lost_processor, __ATOMIC_ACQUIRE);
    if (lost) lost(&t->places);
    atomic_store_explicit(&p->current, NULL, memory_order_relaxed);
    t->processor = NULL;
    report_switch_out(t, p, reason);
}

static void post(Carrier *c) {
    atomic_store(&c->go, 1);
    backend_wake(&c->go, 1);
}

static void carrier_sleep(Carrier *c) {
    while (atomic_load(&c->go) == 0) backend_wait(&c->go, 0, THREAD_FOREVER);
    atomic_store(&c->go, 0);
}

// Under sched_lock.
static void push_idle(Processor *p) {
    ASSERT(!atomic_load(&p->current), "idle processor %d has a thread", p->id);
    ASSERT(p != green.sched.idle && atomic_load(&green.sched.idle_count) < green.sched.processor_count,
           "processor %d is idle already", p->id);
    p->carrier = NULL;
    p->next_idle = green.sched.idle;
    green.sched.idle = p;
    atomic_fetch_add(&green.sched.idle_count, 1);
}

static Processor *pop_idle(void) {
    Processor *p = green.sched.idle;
    if (!p) return NULL;
    ASSERT(!p->carrier && atomic_load(&green.sched.idle_count) > 0, "idle processor %d has a carrier", p->id);
    green.sched.idle = p->next_idle;
    atomic_fetch_sub(&green.sched.idle_count, 1);
    return p;
}

static void push_spare(Carrier *c) {
    ASSERT(c != green.sched.spare && !c->own, "a carrier that is not to be spared");
    c->processor = NULL;
    c->next_spare = green.sched.spare;
    green.sched.spare = c;
    green.sched.spare_count++;
}

static bool new_carrier(Processor *p);

// Lets a spare or new carrier continue with the processor. sched_lock is held on entry and released.
static bool start_and_unlock(Processor *p) {
    Carrier *c = green.sched.spare;
    bool create = !c && green.sched.carrier_count < MAX_CARRIERS;
    if (c) {
        ASSERT(green.sched.spare_count > 0 && !c->processor, "a spare carrier has a processor");
        green.sched.spare = c->next_spare;
        green.sched.spare_count--;
        c->processor = p;
        p->carrier = c;
    }
    if (create) green.sched.carrier_count++;
    pthread_mutex_unlock(&green.sched.lock);
    if (c) post(c);
    if (c || (create && new_carrier(p))) return true;
    pthread_mutex_lock(&green.sched.lock);
    if (create) green.sched.carrier_count--;
    push_idle(p);
    pthread_mutex_unlock(&green.sched.lock);
    greenmonitor_poke();  // it tries again
    return false;
}

static bool start_idle(void) {
    pthread_mutex_lock(&green.sched.lock);
    Processor *p = pop_idle();
    if (p) return start_and_unlock(p);
    pthread_mutex_unlock(&green.sched.lock);
    return false;
}

// The caller no longer needs the processor.
static void release(Processor *p) {
    pthread_mutex_lock(&green.sched.lock);
    if (greensched_work_waits()) {
        start_and_unlock(p);
        return;
    }
    push_idle(p);
    pthread_mutex_unlock(&green.sched.lock);
    if (greensched_work_waits()) start_idle();
    else greenpoll_rouse();
}

// Gives an idle processor directly to a thread that waits on its own carrier.
static bool give_idle_to_pinned(Thread *t) {
    pthread_mutex_lock(&green.sched.lock);
    Processor *p = pop_idle();
    Carrier *c = t->carrier;
    if (p) give_to(c, p, t);
    pthread_mutex_unlock(&green.sched.lock);
    if (p) post(c);
    return p != NULL;
}

static void make_runnable(Thread *t, Processor *p) {
    if (t->pinned && atomic_load(&green.sched.idle_count) > 0 && give_idle_to_pinned(t)) return;
    greenqueue_push(&p->queue, t);
    if (atomic_load(&green.sched.idle_count) > 0) start_idle();
    else greenmonitor_poke();
}

void greensched_wake(Thread *t, Thread *by) {
    Processor *p = by ? by->processor : NULL;
    const ThreadEvents *e = thread_listener();
    if (__builtin_expect(e != NULL, 0) && e->wake) e->wake(t, by);
    if (!p) {
        make_runnable(t, t->last_processor ? t->last_processor : &green.sched.processors[0]);
        return;
    }
    by->last_woken = t;
    // A thread that has just yielded to each of the last few threads it woke will do so again. Starting an idle
    // processor for the thread it wakes now costs more than a short wait. If that guess is wrong, the monitor corrects
    // it at its next tick.
    if (by->waits_soon >= SOON && greenqueue_length(&p->queue) == 0 && !t->pinned) {
        greenqueue_push(&p->queue, t);
        greenmonitor_poke();
    } else {
        make_runnable(t, p);
    }
}

// ---- switching -----------------------------------------------------------------------------

static void run_here(Carrier *c, Processor *p, Thread *t) {
    ASSERT(!t->pinned && !t->bound, "thread %u stays on its carrier", t->id);
    ASSERT(!atomic_load(&t->on_carrier), "the stack of thread %u is in use", t->id);
    give_to(c, p, t);
    atomic_store_explicit(&t->on_carrier, 1, memory_order_relaxed);
    set_current(t);
}

// Leaves the stack of `self`, whose processor `p`, if not NULL, runs `next` or looks for work.
static void leave_stack(Thread *self, Carrier *c, Processor *p, Thread *next) {
    ASSERT(self->carrier == c && !greensched_must_stay(self), "thread %u may not leave its carrier", self->id);
    ASSERT(!self->processor, "thread %u leaves its stack with a processor", self->id);
    self->carrier = NULL;
    TSAN(__tsan_release(&self->on_carrier));
    if (p && next && !next->pinned && !atomic_load(&next->on_carrier)) {
        TSAN(__tsan_acquire(&next->on_carrier));
        run_here(c, p, next);
        TSAN(__tsan_switch_to_fiber(next->fiber, 0));
        arch_switch(&self->switch_sp, next->switch_sp, &self->on_carrier);
        return;
    }
    c->next = next;
    c->current = NULL;
    set_current(NULL);
    TSAN(__tsan_switch_to_fiber(c->fiber, 0));
    arch_switch(&self->switch_sp, c->sp, &self->on_carrier);
}

bool greensched_must_stay(const Thread *t) { return t->bound || t->native_depth > 0; }

// On its own stack and carrier, without a processor: sleeps until it is given one.
static void sleep_pinned(Thread *self) {
    ASSERT(self->pinned && greensched_must_stay(self), "thread %u is not pinned", self->id);
    carrier_sleep(self->carrier);
    self->pinned = false;
}

// The processor continues elsewhere before any thread can find this one.
static void part_pinned(Thread *self, ThreadSwitchReason reason, Processor **p) {
    pthread_mutex_lock(&green.sched.lock);
    *p = self->processor;
    if (*p) {
        take_from(self, *p, reason);
        self->carrier->processor = NULL;
        (*p)->carrier = NULL;
    }
    pthread_mutex_unlock(&green.sched.lock);
}

static bool fall_asleep(Thread *self, int64_t deadline) {
    uint32_t none = EVENT_NONE;
    ASSERT(!thread_is_running(self), "thread %u falls asleep while it counts as running", self->id);
    self->deadline = deadline;
    if (!atomic_compare_exchange_strong(&self->event, &none, EVENT_ASLEEP)) return false;
    if (deadline != THREAD_FOREVER) {
        greentimer_add(self);
        greenmonitor_wake_before(deadline);
    }
    return true;
}

static void block_switching(Thread *self, int64_t deadline) {
    Carrier *c = self->carrier;
    Processor *p = self->processor;
    if (!fall_asleep(self, deadline)) return;
    Thread *next = greenqueue_pop(&p->queue);
    if (next == self) return;  // woken already
    if (self->last_woken) {
        if (self->last_woken != next) self->waits_soon = 0;
        else if (self->waits_soon < SOON) self->waits_soon++;
        self->last_woken = NULL;
    }
    take_from(self, p, THREAD_SWITCH_BLOCK);
    leave_stack(self, c, p, next);
}

void greensched_block(Thread *self, int64_t deadline) {
    if (greensched_must_stay(self)) {
        Processor *p;
        part_pinned(self, THREAD_SWITCH_BLOCK, &p);
        self->pinned = true;
        release(p);
        if (fall_asleep(self, deadline)) sleep_pinned(self);
        else {
            self->pinned = false;
            greensched_regain(self);
        }
    } else block_switching(self, deadline);
    if (deadline != THREAD_FOREVER) greentimer_remove(self);
    self->quantum_left = green.sched.quantum_yieldpoints;
}

void greensched_yield(Thread *self, ThreadSwitchReason reason) {
    if (greensched_others_wait(self)) {
        if (greensched_must_stay(self)) {
            Processor *p;
            part_pinned(self, reason, &p);
            self->pinned = true;
            greenqueue_push(&p->queue, self);
            greenmonitor_poke();
            release(p);
            sleep_pinned(self);
        } else {
            Carrier *c = self->carrier;
            Processor *p = self->processor;
            Thread *next = greenqueue_pop(&p->queue);
            if (next) {
                take_from(self, p, reason);
                make_runnable(self, p);
                leave_stack(self, c, p, next);
            }
        }
    }
    self->quantum_left = green.sched.quantum_yieldpoints;
}

bool greensched_others_wait(const Thread *self) { return greenqueue_length(&self->processor->queue) > 0; }

// ---- native calls and other long waits -----------------------------------------------------

static bool regain_at_once(Thread *self) {
    pthread_mutex_lock(&green.sched.lock);
    Processor *p = self->processor;
    bool done = p != NULL;
    if (done) {
        atomic_fetch_and(&self->poll, ~(uint32_t)POLL_CARRIER);
    } else if ((p = pop_idle())) {
        give_to(self->carrier, p, self);
        done = true;
    }
    pthread_mutex_unlock(&green.sched.lock);
    return done;
}

void greensched_regain(Thread *self) {
    if (regain_at_once(self)) return;
    int saved = errno;
    bool stay = greensched_must_stay(self);
    Carrier *c = self->carrier;
    self->pinned = stay;
    make_runnable(self, self->last_processor ? self->last_processor : &green.sched.processors[0]);
    if (stay) sleep_pinned(self);
    else leave_stack(self, c, NULL, NULL);
    set_errno(saved);
}

// Under sched_lock; the thread cannot return meanwhile.
static Processor *detach(Thread *t) {
    Processor *p = t->processor;
    ASSERT(p && t->carrier && t->carrier->processor == p, "thread %u is not on a processor", t->id);
    take_from(t, p, THREAD_SWITCH_NATIVE);
    t->carrier->processor = NULL;
    p->carrier = NULL;
    return p;
}

void greensched_hand_off(Thread *self) {
    pthread_mutex_lock(&green.sched.lock);
    Processor *p = NULL;
    if (self->processor) {
        atomic_fetch_or(&self->poll, POLL_CARRIER);
        p = detach(self);
    }
    pthread_mutex_unlock(&green.sched.lock);
    if (p) release(p);
}

static bool is_away(const Thread *t) {
    uint32_t state = atomic_load(&t->state);
    return state == THREAD_NATIVE || state == THREAD_BLOCKED;
}

// ---- checks by the monitor ------------------------------------------------------------------

static void look_at_thread(Processor *p, Thread *t, int64_t now) {
    if (!is_away(t)) {
        p->away_since = 0;
        if (green.sched.quantum_yieldpoints || now - p->switched_ns < green.sched.quantum_ns ||
            greenqueue_length(&p->queue) == 0)
            return;
        p->switched_ns = now;
        safepoint_request(t, POLL_YIELD);
    } else if (p->away_since == 0) {
        p->away_since = now;
    } else if (now - p->away_since >= green.sched.away_limit_ns) {
        pthread_mutex_lock(&green.sched.lock);
        atomic_fetch_or(&t->poll, POLL_CARRIER);  // the list lock keeps t alive
        backend_barrier();
        bool taken = is_away(t) && t->processor == p && atomic_load(&p->current) == t;
        if (taken) detach(t);
        else if (t->processor) atomic_fetch_and(&t->poll, ~(uint32_t)POLL_CARRIER);
        pthread_mutex_unlock(&green.sched.lock);
        if (taken) release(p);
    }
}

// True when some thread has been waiting there since the last tick.
static bool has_waited(Processor *p, int64_t now) {
    Thread *t = atomic_load(&p->current);
    uint32_t switches = atomic_load(&p->switches);
    if (switches != p->seen_switches) {
        p->seen_switches = switches;
        p->switched_ns = now;
        p->away_since = 0;
        return false;
    }
    bool waits = greenqueue_length(&p->queue) > 0;
    if (t) look_at_thread(p, t, now);
    return waits;
}

void greensched_tick(int64_t now) {
    bool waits = false;
    for (int i = 0; i < green.sched.processor_count; i++) waits |= has_waited(&green.sched.processors[i], now);
    if (waits && atomic_load(&green.sched.idle_count) > 0) start_idle();
}

// ---- carriers ------------------------------------------------------------------------------

// Passes the processor to a thread that waits on another carrier.
static void pass_to_pinned(Carrier *c, Thread *t) {
    pthread_mutex_lock(&green.sched.lock);
    Processor *p = c->processor;
    Carrier *its = t->carrier;
    ASSERT(its && its != c, "pinned thread %u waits on the carrier that looks for it", t->id);
    push_spare(c);
    give_to(its, p, t);
    pthread_mutex_unlock(&green.sched.lock);
    post(its);
    carrier_sleep(c);
}

static void run(Carrier *c, Thread *t) {
    if (t->pinned) {
        pass_to_pinned(c, t);
        return;
    }
    _Atomic uint32_t ignored;
    for (int i = 0; atomic_load_explicit(&t->on_carrier, memory_order_acquire); i++) {
        if (i < SPINS) arch_pause();
        else sched_yield();
    }
    TSAN(__tsan_acquire(&t->on_carrier));
    run_here(c, c->processor, t);
    TSAN(__tsan_switch_to_fiber(t->fiber, 0));
    arch_switch(&c->sp, t->switch_sp, &ignored);
    if (!c->dead) return;
    TSAN(__tsan_destroy_fiber(c->dead_fiber));
    threadstack_give(c->dead, c->dead_size);
    c->dead = NULL;
}

// Waits as a spare, without a processor. False: there are enough spares.
static bool go_spare(Carrier *c) {
    pthread_mutex_lock(&green.sched.lock);
    bool stay = green.sched.spare_count < KEEP_SPARE;
    if (stay) push_spare(c);
    else green.sched.carrier_count--;
    pthread_mutex_unlock(&green.sched.lock);
    if (stay) carrier_sleep(c);
    return stay;
}

static void *carrier_main(void *arg) {
    Carrier *c = arg;
    c->pthread = pthread_self();
    c->os_id = (int)syscall(SYS_gettid);
    pthread_setname_np(c->pthread, "Carrier");
    TSAN(c->fiber = __tsan_get_current_fiber());
    backend_use_signal_stack(c->signal_stack);
    ticks_pthread_begins(TICK_OTHER);
    for (;;) {
        if (!c->processor) {
            if (!go_spare(c)) break;
            continue;
        }
        Thread *t = c->next ? c->next : greenqueue_pop(&c->processor->queue);
        for (int i = 1; !t && i < green.sched.processor_count; i++) {
            Processor *victim = &green.sched.processors[(c->processor->id + i) % green.sched.processor_count];
            t = greenqueue_steal(&c->processor->queue, &victim->queue);
        }
        c->next = NULL;
        if (t) {
            run(c, t);
        } else if (!greenpoll_harvest()) {
            pthread_mutex_lock(&green.sched.lock);
            push_idle(c->processor);
            push_spare(c);
            pthread_mutex_unlock(&green.sched.lock);
            if (greensched_work_waits()) start_idle();
            else greenpoll_rouse();
            carrier_sleep(c);
        }
    }
    ticks_pthread_ends();
    backend_use_signal_stack(NULL);
    free(c->signal_stack);
    free(c);
    return NULL;
}

static bool create_pthread(Carrier *c) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0) return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, CARRIER_STACK);
    bool ok = pthread_create(&c->pthread, &attr, carrier_main, c) == 0;
    pthread_attr_destroy(&attr);
    return ok;
}

static bool new_carrier(Processor *p) {
    Carrier *c = calloc(1, sizeof *c);
    void *signal_stack = malloc(SIGNAL_STACK_SIZE);
    if (c && signal_stack) {
        c->signal_stack = signal_stack;
        c->processor = p;
        p->carrier = c;
        if (create_pthread(c)) return true;
    }
    free(signal_stack);
    free(c);
    return false;
}

// ---- starting and ending threads -----------------------------------------------------------

bool greensched_init(int count, int64_t ns, int32_t yieldpoints) {
    green.sched.processors = calloc((size_t)count, sizeof *green.sched.processors);
    if (!green.sched.processors) return false;
    green.sched.processor_count = count;
    green.sched.start_ns = thread_now();
    green.sched.start_ticks = arch_timestamp();
    green.sched.quantum_ns = ns;
    green.sched.quantum_yieldpoints = yieldpoints;
    // Where yieldpoints are counted the clock must not decide; the limit only guarantees progress.
    green.sched.away_limit_ns = yieldpoints ? INT64_C(250000000) : INT64_C(1000000);
    for (int i = count; i-- > 0;) {
        green.sched.processors[i].id = i;
        heap_cache_attach(&green.sched.processors[i].lists, NULL);
        push_idle(&green.sched.processors[i]);
    }
    return greenmonitor_start();
}

static void first_function(void *thread) {
    Thread *t = thread;
    t->entry(t);
    abort();  // greensched_gone does not return
}

bool greensched_start(Thread *t, void (*body)(Thread *t)) {
    ASSERT(!t->carrier && !t->processor && !t->bound, "thread %u has been started", t->id);
    t->entry = body;
    t->switch_sp = arch_switch_prepare(t->c_stack_base, first_function, t);
    t->quantum_left = green.sched.quantum_yieldpoints;
    TSAN(t->fiber = __tsan_create_fiber(0));
    Thread *by = thread_current();
    greensched_wake(t, by);
    return true;
}

bool greensched_adopt(Thread *t) {
    Carrier *c = calloc(1, sizeof *c);
    if (!c) return false;
    c->own = true;
    c->pthread = pthread_self();
    c->os_id = t->os_id;
    t->carrier = c;
    t->bound = true;
    t->quantum_left = green.sched.quantum_yieldpoints;
    atomic_fetch_or(&t->poll, POLL_CARRIER);
    return true;
}

Carrier *greensched_abandon(Thread *self) {
    Carrier *c = self->carrier;
    if (c->processor) {
        report_switch_out(self, c->processor, THREAD_SWITCH_END);
        atomic_store(&c->processor->current, NULL);
    }
    c->current = NULL;
    if (!c->own) {
        c->dead = self->mapping;
        c->dead_fiber = self->fiber;
        c->dead_size = self->mapping_size;
        self->mapping = NULL;
    }
    return c;
}

void greensched_gone(Carrier *c) {
    Processor *p = c->processor;
    if (c->own) {
        if (p) release(p);
        free(c);
        return;
    }
    void *nowhere;
    _Atomic uint32_t ignored;
    TSAN(__tsan_switch_to_fiber(c->fiber, 0));
    arch_switch(&nowhere, c->sp, &ignored);
}

void *greensched_large_stack(Thread *self) {
    Carrier *c = self->carrier;
    return self->bound || !c ? NULL : (void *)((uintptr_t)c->sp & ~(uintptr_t)15);
}

// Valid under sched_lock: a carrier gives itself up under the lock (go_spare), after its last thread has left it.
void greensched_signal(Thread *t, int sig) {
    greenpoll_stop(t);
    pthread_mutex_lock(&green.sched.lock);
    const Carrier *c = t->carrier;
    if (c && atomic_load(&t->state) == THREAD_NATIVE) pthread_kill(c->pthread, sig);
    pthread_mutex_unlock(&green.sched.lock);
}

int greensched_os_id(const Thread *t) {
    pthread_mutex_lock(&green.sched.lock);
    int os_id = t->carrier ? t->carrier->os_id : 0;
    pthread_mutex_unlock(&green.sched.lock);
    return os_id;
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

// One carrier is left, with the thread that forked and its processor (none in a shadow). The other processors are idle
// with empty queues. The holder of a queue's lock does not exist any more either.
void greensched_after_fork_child(Thread *self) {
    if (self) {
        self->carrier->os_id = self->os_id;
        self->carrier->next = NULL;
    }
    green.sched.idle = NULL;
    green.sched.spare = NULL;
    green.sched.spare_count = 0;
    green.sched.carrier_count = self != NULL;
    atomic_store(&green.sched.idle_count, 0);
    for (int i = green.sched.processor_count; i-- > 0;) {
        Processor *p = &green.sched.processors[i];
        p->queue = (RunQueue){0};
        if (self && p == self->processor) continue;
        atomic_store(&p->current, NULL);
        push_idle(p);
    }
    pthread_mutex_unlock(&green.sched.lock);
}

// Discards the scheduler's frames on the stack, whatever they were about to do, because the function that called them
// runs again.
static void forget_scheduling(Thread *t) {
    greenpoll_end_wait(t);
    uint32_t asleep = EVENT_ASLEEP;
    atomic_compare_exchange_strong(&t->event, &asleep, EVENT_NONE);
    t->carrier = NULL;
    t->processor = NULL;
    t->queue_next = NULL;
    t->timer_slot = 0;
    t->pinned = t->polling = false;
    t->last_woken = NULL;
    t->on_since = 0;
    atomic_store(&t->on_carrier, 0);
}

bool greensched_continue(Thread *t) {
    forget_scheduling(t);
    if (!t->bound) {
        t->switch_sp = arch_switch_prepare(backend_below_published(t), (void (*)(void *))safepoint_continue, t);
        make_runnable(t, t->last_processor ? t->last_processor : &green.sched.processors[0]);
        return true;
    }
    Carrier *c = calloc(1, sizeof *c);
    if (!c) return false;
    c->own = true;
    t->carrier = c;
    atomic_fetch_or(&t->poll, POLL_CARRIER);
    return backend_continue(t);
}
