// The timer, and the reaction to samples (vm/adaptive/codesampling.h).
#include "vm/adaptive/codesampling.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "vm/adaptive/methodcounts.h"
#include "vm/adaptive/tiering.h"
#include "vm/instrument/profile.h"
#include "vm/interp/interp.h"
#include "vm/model/vm.h"
#include "vm/template/template.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/thread.h"

static struct CodeSampling {
    _Atomic bool started;
    _Atomic uint64_t samples;
    _Atomic uint32_t recompiled;
} codesampling;

// ---- the timer ------------------------------------------------------------------------------------------

enum { TIMER_STACK = 128 * 1024, MOST_IDLE = 16 };

// Not a thread of the VM: it touches no object, and waits for the list of threads while the world is stopped. Its
// ticks become longer while no thread runs.
static void *timer_main(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Code sampling");
    for (uint32_t idle = 1;;) {
        bool found = false;
        usleep(1000000 / tiering.options.sample_rate * idle);
        thread_list_lock(NULL);
        for (Thread *t = profile_any_is_on() ? NULL : threads.first; t; t = t->next) {
            if (!thread_is_running(t)) continue;
            safepoint_request(t, POLL_SAMPLE);
            found = true;
        }
        thread_list_unlock(NULL);
        if (found) idle = 1;
        else if (idle < MOST_IDLE) idle *= 2;
    }
    return NULL;
}

void codesampling_start(void) {
    if (!tiering.options.adaptive || !tiering.options.sample_rate || vm.options.deterministic) return;
    if (atomic_exchange(&codesampling.started, true)) return;
    backend_start_helper(timer_main, NULL, TIMER_STACK);
}

// ---- samples --------------------------------------------------------------------------------------------

// A sample of one activation would never show methods that have no yieldpoints, or that are inlined in their callers.
// So within a short time the thread executes template code only.
bool codesampling_begin(Thread *self) {
    enum { WINDOW_NS = 20000 };
    if (profile_any_is_on() || interp_template_mode(self) != TEMPLATES_PLAIN) return false;
    if (!self->sample_until) {
        self->sample_until = thread_now() + WINDOW_NS;
        safepoint_request(self, POLL_SAMPLE);
    }
    self->code_sample = CODE_SAMPLE_LEAVES;
    return true;
}

bool codesampling_continues(Thread *self, Method *m) {
    if (self->sample_until && thread_now() < self->sample_until) {
        tiering_step_next(m);
        return true;
    }
    self->code_sample = CODE_SAMPLE_NONE;
    return false;
}

// Counts a sample of the method. From time to time compares its recent counts with those that the plan of `code` has
// read, and requests other code if they differ.
static void count_sample(Thread *self, const Code *code, Method *m) {
    enum { SAMPLES_PER_LOOK = 32 };
    char what[64];
    atomic_fetch_add_explicit(&codesampling.samples, 1, memory_order_relaxed);
    if (methodcounts_sampled(m) % SAMPLES_PER_LOOK != 0) return;
    if (!methodcounts_changed(m, what, sizeof what)) {
        methodcounts_decay(m, true);
        return;
    }
    if (tiering.options.compiler.explain)
        fprintf(stderr, "cabernet: %s.%s%s has changed: %s\n", m->cls->name->text, m->name->text, m->desc->text, what);
    if (!tiering_compile_again(self, code)) return;
    methodcounts_adopt(m);
    atomic_fetch_add_explicit(&codesampling.recompiled, 1, memory_order_relaxed);
}

void codesampling_left(Thread *self, const Code *code, Frame *top, const Frame *entry) {
    self->code_sample = CODE_SAMPLE_NONE;
    for (Frame *f = top; f && f != entry; f = f->prev)
        if (f->kind == FRAME_INTERP) tiering_step_next(f->method);
    if (!template_compile(self, top->method, COUNTS_SAMPLES)) return;
    self->code_sample = CODE_SAMPLE_ENTERS;
    count_sample(self, code, top->method);
}

bool codesampling_called(Thread *self, Method *m) {
    const Code *code = method_code(m);
    if (!self->sample_until || !code || !template_compile(self, m, COUNTS_SAMPLES)) return false;
    self->code_sample = CODE_SAMPLE_RUNS;
    tiering_step_next(m);
    count_sample(self, code, m);
    return true;
}

CodeSamplingStats codesampling_stats(void) {
    return (CodeSamplingStats){atomic_load(&codesampling.samples), atomic_load(&codesampling.recompiled)};
}
