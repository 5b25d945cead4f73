// The counters of sampled profiles (vm/instrument/sampling.h).
#include "vm/instrument/sampling.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "base/splitmix.h"
#include "vm/instrument/hooks.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/thread.h"

// Bounds of an interval that follows a rate.
enum { FIRST_INTERVAL = 5000, LEAST_INTERVAL = 16, MOST_INTERVAL = 1 << 30, FIRST_WINDOW = 4, WINDOW = 32 };

static struct Sampling {
    pthread_mutex_t lock;
    SamplingRequest config;  // under the lock
    bool pausing;            // under the lock
    bool timer_started;      // under the lock
    _Atomic uint32_t epoch;  // number of changes of config and pausing
    _Atomic bool on, by_exits;
    _Atomic uint32_t usual;  // the last interval that a thread has found for the rate; new threads begin with it
} sampling = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .config = {.interval = 1, .burst = 1},
    .epoch = 1,
    .usual = FIRST_INTERVAL,
};

// ---- the timer ----------------------------------------------------------------------------------

enum { TIMER_STACK = 128 * 1024 };

// Makes the thread's next check a slow one, by withdrawing the rest of its budget. The thread counts without atomic
// operations, so the withdrawal may be lost. Then the thread notices `due` when its budget is used up, and its number
// of checks is too small by the amount withdrawn.
void sampling_ask(Thread *t) {
    SampleState *s = &t->sample;
    atomic_store_explicit(&s->due, true, memory_order_relaxed);
    int32_t budget = __atomic_load_n(&s->budget, __ATOMIC_RELAXED);
    if (budget <= 0 || atomic_load_explicit(&s->skipping, memory_order_relaxed)) return;
    if (__atomic_compare_exchange_n(&s->budget, &budget, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        atomic_store_explicit(&s->withdrawn, (uint32_t)budget, memory_order_relaxed);
}

// The profile that needed the timer has ended. False: another one needs it again.
static bool stop_timer(void) {
    pthread_mutex_lock(&sampling.lock);
    bool stops = sampling.config.mode != SAMPLING_TIMER;
    if (stops) sampling.timer_started = false;
    pthread_mutex_unlock(&sampling.lock);
    return stops;
}

// Not a thread of the VM: it touches no object, and waits for the list of threads while the world is stopped.
static void *timer_main(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Sampling timer");
    for (;;) {
        SamplingRequest c;
        bool paused;
        sampling_config(&c, &paused);
        if (c.mode != SAMPLING_TIMER && stop_timer()) return NULL;
        usleep(c.interval_us);
        if (c.mode != SAMPLING_TIMER || paused) continue;
        thread_list_lock(NULL);
        for (Thread *t = threads.first; t; t = t->next) sampling_ask(t);
        thread_list_unlock(NULL);
    }
    return NULL;
}

// Under the lock.
static void start_timer(void) {
    if (!sampling.timer_started) sampling.timer_started = backend_start_helper(timer_main, NULL, TIMER_STACK);
}

// ---- configuration ------------------------------------------------------------------------------

void sampling_configure(const SamplingRequest *c, bool paused) {
    pthread_mutex_lock(&sampling.lock);
    sampling.config = *c;
    sampling.pausing = paused;
    atomic_store(&sampling.on, c->mode != SAMPLING_OFF);
    atomic_store(&sampling.by_exits, sampling_leaves_code(c));
    atomic_fetch_add(&sampling.epoch, 1);
    if (c->mode == SAMPLING_TIMER) start_timer();
    pthread_mutex_unlock(&sampling.lock);
}

void sampling_config(SamplingRequest *out, bool *paused) {
    pthread_mutex_lock(&sampling.lock);
    *out = sampling.config;
    *paused = sampling.pausing;
    pthread_mutex_unlock(&sampling.lock);
}

bool sampling_is_on(void) { return atomic_load_explicit(&sampling.on, memory_order_relaxed); }
bool sampling_by_exits(void) { return atomic_load_explicit(&sampling.by_exits, memory_order_relaxed); }

// ---- the interval -------------------------------------------------------------------------------

// With a rate, a tenth of the interval.
static int64_t jitter_of(const SampleState *s) {
    if (s->config.rate) return s->interval / 10;
    return s->config.mode == SAMPLING_JITTER ? s->config.jitter : 0;
}

static int64_t interval_of(const SampleState *s) { return s->config.rate ? s->interval : s->config.interval; }

static int64_t next_interval(SampleState *s) {
    int64_t n = interval_of(s), jitter = jitter_of(s);
    if (s->paused) return INT64_MAX;
    if (jitter == 0) return n;
    ASSERT(jitter < n, "jitter %lld of interval %lld", (long long)jitter, (long long)n);
    return n - jitter + (int64_t)(splitmix_next(&s->random) % (2 * (uint64_t)jitter + 1));
}

// After a window of samples, sets the interval that would have given the requested rate. A green thread reads the
// clock of its carrier, so a window in which it waited or changed carriers gives no information.
static void follow_rate(SampleState *s) {
    enum { MOST_TIMES = 8 };
    if (!s->config.rate || --s->window > 0) return;
    int64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID), took = now - s->window_began;
    if (s->window_began && took > 0) {
        // samples that the profile has put off say nothing about the interval
        double times = s->stretched * 1e9 / ((double)s->config.rate * (double)took);
        if (times > MOST_TIMES) times = MOST_TIMES;
        if (times < 1.0 / MOST_TIMES) times = 1.0 / MOST_TIMES;
        double interval = (double)s->interval * times;
        s->interval = interval < LEAST_INTERVAL ? LEAST_INTERVAL
            : interval > MOST_INTERVAL          ? MOST_INTERVAL
                                                : (uint32_t)interval;
        atomic_store_explicit(&sampling.usual, s->interval, memory_order_relaxed);
    }
    s->window_began = now;
    s->window = WINDOW;
    s->stretched = 0;
}

// Starts the thread at a random position between the beginnings of two samples, possibly inside a burst, so that
// threads that make fewer checks than an interval are sampled as often as others. The probability of an interval is
// proportional to its length.
static void begin_anywhere(SampleState *s) {
    uint64_t longest = (uint64_t)(interval_of(s) + jitter_of(s)) + s->config.burst - 1, at, length, interval;
    do {
        interval = (uint64_t)next_interval(s);
        length = interval + s->config.burst - 1;
        at = splitmix_next(&s->random) % longest;
    } while (at >= length);
    if (at < interval) {
        s->remaining = (int64_t)(interval - at);
    } else {
        s->remaining = next_interval(s);
        s->burst_left = (uint32_t)(length - at);
    }
}

static bool waits_for_timer(const SampleState *s) {
    return s->config.mode == SAMPLING_TIMER && !atomic_load_explicit(&s->skipping, memory_order_relaxed);
}

// Takes a stride of checks from the interval, or what is left of it.
static uint32_t take_stride(SampleState *s) {
    if (waits_for_timer(s)) return SAMPLE_STRIDE;
    uint32_t checks = (uint32_t)(s->remaining < SAMPLE_STRIDE ? s->remaining : SAMPLE_STRIDE);
    s->remaining -= checks;
    return checks;
}

// Grants the checks up to the next one that must be examined. Within a burst that is the next check.
static void refill(SampleState *s) {
    s->granted = s->burst_left ? 1 : take_stride(s);
    ASSERT(s->granted >= 1 && s->granted <= SAMPLE_STRIDE, "%u checks are granted", s->granted);
    ASSERT(s->remaining >= 0, "%lld checks are left", (long long)s->remaining);
    s->budget = (int32_t)s->granted - 1;
}

// The configuration has changed: a new interval begins.
static void take_over(SampleState *s, uint32_t now, uint64_t serial) {
    sampling_config(&s->config, &s->paused);
    s->epoch = now;
    s->burst_left = 0;
    atomic_store_explicit(&s->skipping, false, memory_order_relaxed);
    s->interval = atomic_load_explicit(&sampling.usual, memory_order_relaxed);
    s->window = FIRST_WINDOW;
    s->window_began = 0;
    s->random = s->config.seed ^ (serial << 32) ^ ((uint64_t)now << 16);
    if (s->config.mode == SAMPLING_TIMER) s->remaining = 0;
    else if (s->paused) s->remaining = INT64_MAX;
    else if (s->config.phase) s->remaining = s->config.phase;
    else begin_anywhere(s);
}

// Whether the check begins a sample. In timer mode the timer decides, and then `skip` checks pass.
static bool is_due(SampleState *s) {
    if (s->config.mode != SAMPLING_TIMER) return s->remaining == 0;
    if (!waits_for_timer(s)) {
        if (s->remaining > 0) return false;
        atomic_store_explicit(&s->skipping, false, memory_order_relaxed);
        return true;
    }
    if (!atomic_exchange_explicit(&s->due, false, memory_order_relaxed) || s->paused) return false;
    s->remaining = s->config.skip ? (int64_t)(splitmix_next(&s->random) % (s->config.skip + UINT64_C(1))) : 0;
    atomic_store_explicit(&s->skipping, s->remaining > 0, memory_order_relaxed);
    return s->remaining == 0;
}

static bool is_sample(SampleState *s) {
    if (s->burst_left > 0) {
        s->burst_left--;
        return true;
    }
    if (!is_due(s)) return false;
    follow_rate(s);
    if (s->config.mode != SAMPLING_TIMER) s->remaining = next_interval(s);
    s->burst_left = s->config.burst - 1;
    s->bursts++;
    return true;
}

bool sampling_next(Thread *self) {
    SampleState *s = &self->sample;
    uint32_t now = atomic_load_explicit(&sampling.epoch, memory_order_acquire);
    ASSERT(s->granted <= SAMPLE_MOST_GRANTED, "%u checks are granted", s->granted);
    ASSERT(s->budget < 0, "%d checks are left of the budget", s->budget);
    if (!s->paused) s->checks += s->granted;
    if (s->config.mode == SAMPLING_TIMER) {  // checks that the timer has withdrawn from the budget were not made
        uint32_t withdrawn = atomic_exchange_explicit(&s->withdrawn, 0, memory_order_relaxed);
        s->checks -= withdrawn;
        if (!waits_for_timer(s)) s->remaining += withdrawn;
    }
    bool changed = s->epoch != now;
    if (changed) take_over(s, now, self->serial);
    // With a new configuration, this check is the first of the interval.
    if (changed && !s->burst_left && s->remaining > 0) s->remaining--;
    uint64_t bursts = s->bursts;
    bool sample = is_sample(s);
    s->samples += sample;
    EventThread *t = s->bursts != bursts ? self->prof : NULL;
    if (t) t->bursts++;
    int64_t usual = s->remaining;
    if (t && t->next_burst && s->config.mode != SAMPLING_TIMER) s->remaining = t->next_burst(t, s->checks, usual);
    if (s->bursts != bursts) s->stretched += usual > 0 ? (double)s->remaining / (double)usual : 1;
    refill(s);
    return sample;
}

void sampling_thread_start(Thread *self) {
    SampleState *s = &self->sample;
    s->bursts = s->samples = s->checks = 0;
    atomic_store_explicit(&s->withdrawn, 0, memory_order_relaxed);
    for (Frame *f = self->frame; f; f = f->prev) {
        if (f->kind != FRAME_INTERP) continue;
        f->sampled = false;
        f->inlined = NULL;
    }
    take_over(s, atomic_load(&sampling.epoch), self->serial);
    refill(s);
    s->checking = true;
    s->instrumented = s->config.interval == 1 && !s->config.rate && s->config.mode != SAMPLING_TIMER && !s->paused;
    thread_set_dispatch(self, instrument_hooks.table(s->instrumented ? INTERP_SAMPLING : INTERP_CHECKING));
}

void sampling_end(void) {
    SamplingRequest none = {.interval = 1, .burst = 1};
    sampling_configure(&none, true);
    atomic_store(&sampling.usual, FIRST_INTERVAL);
}

// Checking code of the profile runs on up to the thread's next yieldpoint, so the budget stays valid.
void sampling_thread_end(Thread *t) {
    SampleState *s = &t->sample;
    s->checking = s->instrumented = false;
    s->bursts = s->samples = s->checks = 0;
}

uint64_t sampling_checks(const Thread *t) {
    const SampleState *s = &t->sample;
    uint32_t withdrawn = atomic_load_explicit(&s->withdrawn, memory_order_relaxed);
    return s->granted && !s->paused ? s->checks + (uint64_t)((int64_t)s->granted - 1 - s->budget - (int64_t)withdrawn)
                                    : s->checks;
}

// ---- the interpreter's table --------------------------------------------------------------------

void sampling_set_instrumented(Thread *self, bool instrumented) {
    SampleState *s = &self->sample;
    ASSERT(thread_is_running(self), "the table of a thread in state %u changes", atomic_load(&self->state));
    if (!s->checking || s->instrumented == instrumented) return;
    s->instrumented = instrumented;
    thread_set_dispatch(self, instrument_hooks.table(instrumented ? INTERP_SAMPLING : INTERP_CHECKING));
}

void sampling_check(Thread *self) {
    if (!self->sample.checking) return;
    sampling_set_instrumented(self, --self->sample.budget < 0 && sampling_next(self));
}

void sampling_enter_interpreter(Thread *self) {
    if (self->sample.config.checks == CHECKS_BACKEDGES || sampling_by_exits()) sampling_set_instrumented(self, false);
}

// A sample continues as a burst with the next check. Checks granted since it began return to the interval.
void sampling_take_back(Thread *self) {
    SampleState *s = &self->sample;
    if (!s->checking || sampling_checks(self) == 0) return;  // 0: sampling began after the backedge
    if (!s->instrumented) {
        s->budget++;
        return;
    }
    s->checks = sampling_checks(self) - 1;
    atomic_store_explicit(&s->withdrawn, 0, memory_order_relaxed);
    s->samples--;
    if (s->burst_left == 0 && s->config.mode != SAMPLING_TIMER) s->remaining += s->budget + 1;
    s->burst_left++;
    refill(s);
    sampling_set_instrumented(self, false);
}

int32_t sample_probe(Thread *self) {
    bool sample = sampling_next(self);
    if (!sampling_by_exits()) sampling_set_instrumented(self, sample);  // code that is left sets it itself
    return sample;
}

int32_t sample_check(Thread *self) {
    if (atomic_load_explicit(&self->poll, memory_order_relaxed) & ~(uint32_t)(POLL_FENCE | POLL_DELAY)) {
        instrument_hooks.polled(self);
        thread_safepoint(self);
    }
    bool look = self->exception || self->deopt_pending;
    return sample_probe(self) | (look ? 2 : 0);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------------------

void sampling_before_fork(void) { pthread_mutex_lock(&sampling.lock); }
void sampling_after_fork_parent(void) { pthread_mutex_unlock(&sampling.lock); }

void sampling_after_fork_child(void) {
    bool timer = sampling.timer_started;
    sampling.timer_started = false;
    if (timer) start_timer();
    pthread_mutex_unlock(&sampling.lock);
}
