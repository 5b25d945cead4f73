// The heap's callbacks. The collector thread stops the world through safepoint.c like any other thread. While it is
// stopped, a thread's references are in its C stack from the published stack pointer up (vm/code/codestack.h: every
// word of C frames, the live slots of compiled frames), in the live slots of its Java stack (vm/interp/framemaps.h), in
// its handles and in members of Thread. The rest is reachable from the global roots.
#include "vm/boot/heapglue.h"
#include "vm/boot/unload.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/jni/handles.h"
#include "vm/base/container.h"
#include "vm/base/exithooks.h"
#include "vm/base/log.h"
#include "vm/code/codestack.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/vmevents.h"
#include "vm/interp/framemaps.h"
#include "vm/management/memorypool.h"
#include "arch_switch.h"
#include "vm/services/references.h"
#include "vm/template/template.h"
#include "vm/model/barrier.h"
#include "vm/threads/monitor.h"
#include "vm/threads/roots.h"
#include "vm/threads/ticks.h"
#include "vm/objects/string.h"
#include "vm/model/vm.h"

static void collector_started(void *ctx) {
    (void)ctx;
    ticks_pthread_begins(TICK_COLLECTOR);
}

static void stop_the_world(void *ctx) {
    (void)ctx;
    safepoint_stop(NULL, "collection");
}

static void resume_the_world(void *ctx) {
    (void)ctx;
    if (vm.collected) vmevents_collection();
    vm.collected = false;
    safepoint_resume(NULL);
}

// ---- roots ---------------------------------------------------------------------------------

void heapglue_each_thread_root(const Thread *t, RootFn *fn, void *arg) {
    codestack_each_root(t, fn, arg);
    framemaps_each_root(t, fn, arg);
    fn(arg, ROOT_VM, NULL, &t->exception, &t->exception + 1);
    fn(arg, ROOT_VM, NULL, &t->java_thread, &t->java_thread + 1);
    fn(arg, ROOT_VM, NULL, &t->block_object, &t->block_object + 1);
    fn(arg, ROOT_VM, NULL, &t->async_exception, &t->async_exception + 1);
    fn(arg, ROOT_VM, NULL, t->held, t->held_end);
    handles_each_local_root(t, fn, arg);
}

void heapglue_each_global_root(RootFn *fn, void *arg) {
    root_each(fn, arg);
    handles_each_global_root(fn, arg);
}

static void push(void *arg, RootKind kind, const void *frame, const void *lo, const void *hi) {
    (void)arg, (void)kind, (void)frame;
    heap_push_range(lo, hi);
}

// Classes are unloaded by full collections only.
static void push_executing(const Thread *t) {
    if (t->published_sp) unload_roots_stack(t->published_sp, t->c_stack_base);
    unload_roots_frames(t->frame);
    unload_roots_stack(t->held, t->held_end);
    // A marked return's slot does not hold the address of the code that it returns to.
    if (t->marked_return.slot) unload_roots_stack(&t->marked_return.pc, &t->marked_return.pc + 1);
}

static void push_roots(void *ctx, bool young) {
    (void)ctx;
    if (!young) unload_roots_begin();
    for (Thread *t = threads.first; t; t = t->next) {
        heapglue_each_thread_root(t, push, NULL);
        if (!young) push_executing(t);
    }
    if (!young) unload_roots_end();
    root_each(push, NULL);
}

static void before_mark(void *ctx) {
    (void)ctx;
    vm.collected = true;
    thread_trim();
}

static void clear_weak_tables(void *ctx, bool young) {
    (void)ctx;
    if (!young) unload_find_dead();
    string_clear_weak();
    handles_clear_weak();
    monitor_clear_weak(heap_is_marked);
    profile_forget_dead();
}

static size_t array_size(void *ctx, const void *object) {
    (void)ctx;
    const Object *o = object;
    const Class *cls = object_class(o);
    return class_is_array(cls) ? ARRAY_BASE + ((size_t)(uint32_t)o->length << cls->elem_shift) : 0;
}

static void after_mark(void *ctx, bool young) {
    (void)ctx;
    if (!young) unload_dead();
    template_sweep_stopped();
}

// ---- blocking inside the heap --------------------------------------------------------------

static void call_blocked(void *ctx, void *owner, void (*fn)(void *arg), void *arg) {
    (void)ctx;
    thread_run_again(owner, THREAD_PAUSED, fn, arg);
}

static void references_pending_now(void *ctx) {
    (void)ctx;
    references_pending();
}

// Green threads. Otherwise each of their stacks would grow by what the collector library clears below its caller.
static void call_on_large_stack(void *ctx, void *owner, void (*fn)(void *arg), void *arg) {
    (void)ctx;
    void *top = thread_large_stack(owner);
    if (top) arch_switch_call(fn, arg, top);
    else fn(arg);
}

// ---- verification --------------------------------------------------------------------------

static void describe(void *ctx, const void *object, const void *owner, char *text, size_t size) {
    (void)ctx;
    const Thread *t = owner;
    if (owner) snprintf(text, size, "thread %u", t->id);
    else if (!((const Object *)object)->vt) snprintf(text, size, "an object without a class");
    else snprintf(text, size, "%s", object_class(object)->name->text);
}

// At the end of the process: how often each barrier was passed.
static void log_barriers(void) {
    for (int site = 0; site < BARRIER_SITES && log_is(LOG_GC, LOG_DEBUG); site++) {
        const BarrierPlace *place = &barrier_places[site];
        log_write(LOG_GC, LOG_DEBUG, "Barrier %s (%s, %s): %llu stores", place->name, place->tier, place->kind,
                  (unsigned long long)barrier.counts[site]);
    }
}

static_assert((int)HEAP_CARD_SHIFT == BARRIER_CARD_SHIFT && (int)HEAP_CARDS_BEHIND == BARRIER_CARDS_BEHIND,
              "the table of cards has one layout");

// Before Java code runs.
static void set_up_barrier(bool verify) {
    barrier.cards = heap_cards();
    if (verify && barrier.cards) barrier.counts = calloc(BARRIER_SITES, sizeof *barrier.counts);
    if (barrier.counts) exithooks_add(log_barriers);
}

// ---- the log -------------------------------------------------------------------------------

static void log_heap(void *ctx, const char *message) {
    (void)ctx;
    if (log_is(LOG_GC, LOG_INFO)) log_write(LOG_GC, LOG_INFO, "%s", message);
}

static void collection_finished(void *ctx, const HeapReport *r) {
    unsigned long long n = r->number;
    if (log_is(LOG_GC_PHASES, LOG_DEBUG))
        log_write(LOG_GC_PHASES, LOG_DEBUG, "GC(%llu) stopping threads %.3fms, marking %.3fms, all %.3fms", n,
                  (double)r->stop_ns / 1e6, (double)r->mark_ns / 1e6, (double)r->pause_ns / 1e6);
    if (log_is(LOG_GC_REF, LOG_DEBUG))
        log_write(LOG_GC_REF, LOG_DEBUG, "GC(%llu) cleared: %zu soft, %zu weak, %zu phantom; %zu to finalize", n,
                  r->soft_cleared, r->weak_cleared, r->phantoms_cleared, r->finals_enqueued);
    if (r->young && log_is(LOG_GC, LOG_DEBUG))
        log_write(LOG_GC, LOG_DEBUG, "GC(%llu) Young: %zuK allocated, %zuK aged, %zuK promoted, %zu places remembered",
                  n, r->allocated >> 10, r->aged >> 10, r->promoted >> 10, r->remembered);
    memorypool_collection_finished(ctx, r);
    profile_collection(&(ProfiledCollection){
        .number = n,
        .start_ns = (int64_t)r->start_ns,
        .pause_ns = r->pause_ns,
        .collector = memorypool_collector_name(r->young ? COLLECTOR_YOUNG : COLLECTOR_FULL),
        .cause = r->cause,
        .young = r->young,
        .before = r->used_before,
        .after = r->used_after,
    });
}

// ---- start ---------------------------------------------------------------------------------

static size_t max_heap(const Options *o, double memory) {
    if (o->max_heap) return (size_t)o->max_heap;
    double percent = o->max_ram_percentage > 0 ? o->max_ram_percentage : 25;
    double bytes = memory * percent / 100;
    return bytes < 2 << 20 ? 2 << 20 : (size_t)bytes & ~(((size_t)1 << 20) - 1);
}

// Saves from a forked child, which locks held in the parent cannot block for long.
static void save_profile(void *ctx) {
    (void)ctx;
    profile_crash(SIGABRT);
}

bool heapglue_init(const char **error) {
    const HeapCallbacks callbacks = {
        .stop_the_world = stop_the_world,
        .resume_the_world = resume_the_world,
        .push_roots = push_roots,
        .before_mark = before_mark,
        .after_mark = after_mark,
        .clear_weak_tables = clear_weak_tables,
        .call_blocked = call_blocked,
        .references_pending = references_pending_now,
        .collection_finished = collection_finished,
        .log = log_heap,
        .collector_started = collector_started,
        .array_size = array_size,
        .call_on_large_stack = thread_is_green() ? call_on_large_stack : NULL,
        .describe = describe,
        .ending = save_profile,
    };
    const Options *o = &vm.options;
    double memory = (double)container_machine_memory();  // of the machine, or of this process's control group
    double limit = (double)container_memory(), given = (double)o->max_ram;
    if (limit > 0 && limit < memory) memory = limit;
    if (given > 0 && given < memory) memory = given;
    size_t most = max_heap(o, memory);
    size_t first = o->initial_heap ? (size_t)o->initial_heap : (size_t)(memory * o->initial_ram_percentage / 100);
    HeapConfig config = {
        .memory = (size_t)memory,
        .processors = container_processors(),
        .max_heap = most,
        .initial_heap = first < most ? first : most,
        .stress = (uint32_t)o->gc_stress,
        .young = !o->gc_full || o->gc_verify || o->gc_young_stress,
        .young_stress = (uint32_t)o->gc_young_stress,
        .verify = o->gc_verify,
        .soft_ms_per_mb = (uint32_t)o->soft_ref_ms_per_mb,
        .callbacks = &callbacks,
    };
    bool ok = heap_init(&config, error);
    set_up_barrier(config.verify);
    if (ok && log_is(LOG_GC_INIT, LOG_INFO)) {
        log_write(LOG_GC_INIT, LOG_INFO, "CPUs: %d", config.processors);
        log_write(LOG_GC_INIT, LOG_INFO, "Memory: %.0fM", memory / (1 << 20));
        if (config.initial_heap)
            log_write(LOG_GC_INIT, LOG_INFO, "Heap Initial Capacity: %zuM", config.initial_heap >> 20);
        log_write(LOG_GC_INIT, LOG_INFO, "Heap Max Capacity: %zuM", config.max_heap >> 20);
    }
    return ok;
}
