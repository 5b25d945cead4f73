// java.lang.management: ThreadInfo objects, CPU times, deadlocks.
//
// A dump is taken in one stop of the world: stack frames go into malloc memory (methods are not freed), references into
// preallocated Java arrays, since the heap cannot be used for allocation then. If the arrays turn out too small, the
// dump is repeated with larger ones. ThreadInfo objects are created afterwards.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vm/api/stackwalk.h"
#include "vm/jni/handles.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/backtrace.h"
#include "vm/linking/classinit.h"
#include "vm/runtime/invoke.h"
#include "vm/jvm/management.h"
#include "vm/threads/monitor.h"
#include "vm/services/javathread.h"
#include "vm/services/threadlocks.h"

#define THREAD_INFO "java/lang/management/ThreadInfo"

// Additional bits besides threadStatus in a ThreadInfo's state.
enum { STATE_SUSPENDED = 0x00100000, STATE_NATIVE = 0x00400000 };
enum { THREAD, LOCK, OWNER, REFS };  // elements of an entry's group in Dump.refs

typedef struct DumpEntry {
    bool alive;
    int32_t state;
    int64_t blocked_count, blocked_ms, waited_count, waited_ms;
    int32_t first_frame, frame_count;
    int32_t first_monitor, monitor_count;
} DumpEntry;

typedef struct Dump {
    // Request.
    int32_t max_depth;  // -1: whole stacks
    bool monitors, synchronizers;
    const Object *ids;  // long[], NULL: all threads
    // Result.
    DumpEntry *entries;
    int32_t count, capacity;
    BacktraceFrame *frames;
    int32_t frame_count, frame_capacity;
    Object *refs;     // Object[]: REFS for each entry
    Object *locked;   // Object[]: monitors, grouped by entry
    int32_t *depths;  // of these monitors
    int32_t monitor_count, monitor_capacity;
    Object *ownables;
    bool overflow, no_memory;
} Dump;

static int64_t id_of(const Thread *t) { return get_long(t->java_thread, (size_t)WK_OFF(java_lang_Thread, tid)); }

// ---- during the stop ---------------------------------------------------------------------------

static void add_monitors(Dump *d, const Thread *t, const StackWalk *w, int32_t depth) {
    Object *locks[THREADLOCKS_MAX];
    int n = threadlocks_of_frame(t, w, false, locks);
    for (int i = 0; i < n; i++) {
        if (d->monitor_count < d->monitor_capacity) {
            set_element(d->locked, d->monitor_count, locks[i]);
            d->depths[d->monitor_count] = depth;
        } else {
            d->overflow = true;
        }
        d->monitor_count++;
    }
}

static void take_stack(Dump *d, DumpEntry *e, Thread *t) {
    StackWalk w;
    stackwalk_begin(&w, t);
    e->first_frame = d->frame_count;
    e->first_monitor = d->monitor_count;
    for (int32_t depth = 0; (d->max_depth < 0 || depth < d->max_depth) && stackwalk_next(&w);) {
        if (!w.method || (w.method->mflags & MF_HIDDEN)) continue;
        if (GROW(d->frames, d->frame_capacity, d->frame_count + 1))
            d->frames[d->frame_count++] = (BacktraceFrame){w.method, w.bci};
        else d->no_memory = true;
        if (d->monitors) add_monitors(d, t, &w, depth);
        depth++;
    }
    e->frame_count = d->frame_count - e->first_frame;
    e->monitor_count = d->monitor_count - e->first_monitor;
}

// The lock that the thread waits for, and its owner. If the lock has become free in the meantime, the thread counts as
// runnable.
static void take_lock(DumpEntry *e, const Thread *t, Object **refs) {
    Object *lock = t->block_object;
    if (!lock || t->block_kind == BLOCK_NONE) return;
    Object *owner = NULL;
    if (t->block_kind == BLOCK_PARK) {
        owner = threadlocks_owner(lock);
    } else {
        Thread *holder = threadlocks_thread(monitor_owner(lock));
        if (holder == t || (!holder && t->block_kind == BLOCK_ENTER)) {
            e->state = STATUS_RUNNABLE;
            return;
        }
        owner = holder ? holder->java_thread : NULL;
    }
    refs[LOCK] = lock;
    refs[OWNER] = owner;
}

static void take_thread(Dump *d, int32_t i, Thread *t) {
    DumpEntry *e = &d->entries[i];
    Object **refs = ARRAY_DATA(d->refs, Object *) + i * REFS;
    bool timed = atomic_load(&threads.time_contention);
    e->alive = true;
    e->state = thread_status(t);
    refs[THREAD] = t->java_thread;
    take_lock(e, t, refs);
    barrier_stored_range(BARRIER_vm_element, refs, REFS * sizeof *refs);
    if (t->suspended) e->state |= STATE_SUSPENDED;
    if (atomic_load(&t->state) == THREAD_NATIVE && t->block_kind == BLOCK_NONE) e->state |= STATE_NATIVE;
    e->blocked_count = (int64_t)t->blocked_count;
    e->waited_count = (int64_t)t->waited_count;
    e->blocked_ms = timed ? t->blocked_ns / 1000000 : -1;
    e->waited_ms = timed ? t->waited_ns / 1000000 : -1;
    take_stack(d, e, t);
}

static Thread *find_alive(int64_t id) {
    for (Thread *t = threads.first; t; t = t->next)
        if (javathread_is_alive(t) && id_of(t) == id) return t;
    return NULL;
}

static void take_all(Thread *self, Dump *d) {
    safepoint_stop(self, "thread dump");
    if (d->ids) {
        d->count = d->ids->length;
        for (int32_t i = 0; i < d->count; i++) {
            Thread *t = find_alive(ARRAY_DATA(d->ids, int64_t)[i]);
            if (t) take_thread(d, i, t);
        }
    } else {
        for (Thread *t = threads.first; t; t = t->next) {
            if (!javathread_is_alive(t)) continue;
            if (d->count < d->capacity) take_thread(d, d->count++, t);
            else d->overflow = true;
        }
    }
    self->held = d->frames;
    self->held_end = d->frames + d->frame_count;
    safepoint_resume(self);
}

// ---- before and after the stop -----------------------------------------------------------------

static void free_dump(Thread *self, Dump *d) {
    self->held = self->held_end = NULL;
    free(d->entries);
    free(d->frames);
    free(d->depths);
}

// An empty dump with room for `capacity` threads and `monitors` monitors.
static bool prepare(Thread *self, Dump *d, int32_t capacity, int32_t monitors) {
    free_dump(self, d);
    *d = (Dump){.max_depth = d->max_depth,
                .monitors = d->monitors,
                .ids = d->ids,
                .synchronizers = d->synchronizers,
                .ownables = d->ownables,
                .capacity = capacity,
                .monitor_capacity = monitors};
    d->entries = calloc((size_t)capacity + 1, sizeof *d->entries);
    d->depths = calloc((size_t)monitors + 1, sizeof *d->depths);
    d->refs = reflect_new_array(self, WK(java_lang_Object), capacity * REFS);
    d->locked = d->refs ? reflect_new_array(self, WK(java_lang_Object), monitors) : NULL;
    if (!self->exception && (!d->entries || !d->depths)) throw_oom(self, "thread dump");
    return !self->exception;
}

static bool take_dump(Thread *self, Dump *d) {
    int32_t monitors = d->monitors ? 64 : 0;
    if (d->synchronizers && !(d->ownables = threadlocks_ownables(self))) return false;
    for (;;) {
        int32_t capacity = d->ids ? d->ids->length : (int32_t)thread_count() + 16;
        if (!prepare(self, d, capacity, monitors)) return false;
        take_all(self, d);
        if (d->no_memory) {
            throw_oom(self, "thread dump");
            return false;
        }
        if (!d->overflow) return true;
        monitors = d->monitor_count + 64;
    }
}

// ---- ThreadInfo objects ------------------------------------------------------------------------

static Object *new_trace(Thread *self, const Dump *d, const DumpEntry *e) {
    if (!class_ensure_initialized(self, WK(java_lang_StackTraceElement))) return NULL;
    Object *array = reflect_new_array(self, WK(java_lang_StackTraceElement), e->frame_count);
    return array && backtrace_new_elements(self, array, d->frames + e->first_frame) ? array : NULL;
}

static Object *new_monitors(Thread *self, const Dump *d, const DumpEntry *e, Object **depths) {
    Object *array = management_new_array(self, "java/lang/Object", e->monitor_count);
    *depths = array ? object_new_prim_array(self, 'I', e->monitor_count) : NULL;
    if (!*depths) return NULL;
    for (int32_t i = 0; i < e->monitor_count; i++) {
        set_element(array, i, ARRAY_DATA(d->locked, Object *)[e->first_monitor + i]);
        ARRAY_DATA(*depths, int32_t)[i] = d->depths[e->first_monitor + i];
    }
    return array;
}

// The number of recorded synchronizers that the thread owns, at most `room`. Stores them into `owned` unless NULL.
static int32_t owned_by(const Dump *d, const Object *thread, Object **owned, int32_t room) {
    int32_t n = 0;
    for (int32_t i = 0; i < d->ownables->length && n < room; i++) {
        Object *o = ARRAY_DATA(d->ownables, Object *)[i];
        if (!o || threadlocks_owner(o) != thread) continue;
        if (owned) owned[n] = o;
        n++;
    }
    return n;
}

// Looks up the owners again, now that the world runs, and keeps those that still own. Ownership may change between
// counting and storing, so this repeats until both agree.
static Object *new_synchronizers(Thread *self, const Dump *d, const Object *thread) {
    for (;;) {
        int32_t n = owned_by(d, thread, NULL, d->ownables->length);
        Object *array = management_new_array(self, "java/lang/Object", n);
        if (!array || owned_by(d, thread, ARRAY_DATA(array, Object *), n) == n) return array;
    }
}

// The arguments of the constructor; the first is the object.
static Object *new_info(Thread *self, Method *init, const Dump *d, int32_t i) {
    const DumpEntry *e = &d->entries[i];
    Object *const *refs = ARRAY_DATA(d->refs, Object *) + i * REFS;
    Object *depths = NULL, *monitors = NULL, *owned = NULL;
    Object *info = object_new(self, init->cls), *trace = info ? new_trace(self, d, e) : NULL;
    if (!trace) return NULL;
    if (d->monitors && !(monitors = new_monitors(self, d, e, &depths))) return NULL;
    if (d->synchronizers && !(owned = new_synchronizers(self, d, refs[THREAD]))) return NULL;
    Slot args[17] = {
        {.o = info},        {.o = refs[THREAD]},
        {.i = e->state},    {.o = refs[LOCK]},
        {.o = refs[OWNER]}, {.l = e->blocked_count},
        {.l = 0},           {.l = e->blocked_ms},
        {.l = 0},           {.l = e->waited_count},
        {.l = 0},           {.l = e->waited_ms},
        {.l = 0},           {.o = trace},
        {.o = monitors},    {.o = depths},
        {.o = owned},
    };
    return invoke_method(self, init, args, NULL, ENTRY_VM) ? info : NULL;
}

static bool fill_infos(Thread *self, const Dump *d, Object *infos) {
    Class *cls = management_class(self, THREAD_INFO);
    Method *init = cls ? class_find_declared_method(
                             cls, symbol_of("<init>"),
                             symbol_of("(Ljava/lang/Thread;ILjava/lang/Object;Ljava/lang/Thread;JJJJ"
                                       "[Ljava/lang/StackTraceElement;[Ljava/lang/Object;[I[Ljava/lang/Object;)V"))
                       : NULL;
    if (cls && !init) throw_wk(self, "java/lang/InternalError", "this JDK's ThreadInfo is unknown");
    for (int32_t i = 0; init && i < d->count; i++) {
        if (!d->entries[i].alive) continue;
        Object *info = new_info(self, init, d, i);
        if (!info) return false;
        set_element(infos, i, info);
    }
    return init != NULL;
}

static bool check_ids(Thread *self, const Object *ids) {
    for (int32_t i = 0; ids && i < ids->length; i++) {
        if (ARRAY_DATA(ids, int64_t)[i] > 0) continue;
        throw_wk(self, "java/lang/IllegalArgumentException", "Invalid thread ID entry");
        return false;
    }
    return true;
}

static bool check_request(Thread *self, const Object *ids, jint max_depth, const Object *infos) {
    if (!ids || !infos) throw_npe(self);
    else if (max_depth < -1) throw_wk(self, "java/lang/IllegalArgumentException", "Invalid maxDepth");
    else if (check_ids(self, ids) && ids->length != infos->length)
        throw_wk(self, "java/lang/IllegalArgumentException",
                 "The length of the given ThreadInfo array does not match the length of the "
                 "given array of thread IDs");
    return !self->exception;
}

jint jmm_GetThreadInfo(JNIEnv *env, jlongArray ids_ref, jint max_depth, jobjectArray infos_ref) {
    VM_ENTER(env);
    Object *ids = handle_get(ids_ref), *infos = handle_get(infos_ref);
    if (check_request(self, ids, max_depth, infos)) {
        Dump d = {.max_depth = max_depth, .ids = ids};
        if (take_dump(self, &d)) fill_infos(self, &d, infos);
        free_dump(self, &d);
    }
    VM_LEAVE();
    return 0;
}

jobjectArray jmm_DumpThreads(JNIEnv *env, jlongArray ids, jboolean monitors, jboolean synchronizers, jint max_depth) {
    VM_ENTER(env);
    Dump d = {.max_depth = max_depth, .ids = handle_get(ids), .monitors = monitors, .synchronizers = synchronizers};
    Object *infos = NULL;
    if (check_ids(self, d.ids) && take_dump(self, &d)) {
        infos = management_new_array(self, THREAD_INFO, d.count);
        if (infos && !fill_infos(self, &d, infos)) infos = NULL;
    }
    jobjectArray result = handle_local(self, infos);
    free_dump(self, &d);
    VM_LEAVE();
    return result;
}

// ---- deadlocks ---------------------------------------------------------------------------------

static int32_t find_cycles(Thread *self, Object *found, bool synchronizers) {
    int32_t count = 0;
    safepoint_stop(self, "search for deadlocks");
    for (Thread *first = threads.first; first; first = first->next) {
        if (!threadlocks_leads_cycle(first, synchronizers)) continue;
        Thread *t = first;
        do {
            if (count < found->length) set_element(found, count, t->java_thread);
            count++;
            t = threadlocks_waits_for(t, synchronizers, NULL);
        } while (t != first);
    }
    safepoint_resume(self);
    return count;
}

// Thread[] of the deadlocked threads; null if there are none.
static Object *deadlocked(Thread *self, bool synchronizers) {
    for (int32_t room = (int32_t)thread_count() + 16;; room *= 2) {
        Object *found = management_new_array(self, "java/lang/Thread", room);
        int32_t n = found ? find_cycles(self, found, synchronizers) : 0;
        if (n == 0) return NULL;
        if (n > room) continue;
        Object *exact = management_new_array(self, "java/lang/Thread", n);
        for (int32_t i = 0; exact && i < n; i++) set_element(exact, i, ARRAY_DATA(found, Object *)[i]);
        return exact;
    }
}

jobjectArray jmm_FindDeadlocks(JNIEnv *env, jboolean monitors_only) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, deadlocked(self, !monitors_only));
    VM_LEAVE();
    return result;
}

jobjectArray jmm_FindCircularBlockedThreads(JNIEnv *env) { return jmm_FindDeadlocks(env, JNI_TRUE); }

// ---- CPU times ---------------------------------------------------------------------------------

// User time of one of our threads in nanoseconds, which the kernel counts in ticks; -1: the thread has ended.
static jlong user_ns(int os_id) {
    char path[64], text[512];
    unsigned long ticks;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", os_id);
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    // The name, in parentheses, may contain any characters.
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &ticks) != 1) return -1;
    return (jlong)ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

typedef struct Asked {
    int64_t id;
    bool with_system;
    jlong result;
} Asked;

static jlong cpu_ns(const Thread *t, bool with_system) {
    return with_system || thread_is_green() ? (jlong)thread_cpu_ns(t) : user_ns(t->os_id);
}

static bool ask_one(Thread *t, void *arg) {
    Asked *a = arg;
    if (!javathread_is_alive(t) || id_of(t) != a->id) return true;
    a->result = cpu_ns(t, a->with_system);
    return false;
}

// Id 0 is the caller. -1: no such thread.
static jlong cpu_time(Thread *self, jlong id, bool with_system) {
    if (id < 0) {
        throw_wk(self, "java/lang/IllegalArgumentException", "Invalid thread ID");
        return -1;
    }
    if (id == 0) return cpu_ns(self, with_system);
    Asked asked = {id, with_system, -1};
    thread_each(self, ask_one, &asked);
    return asked.result;
}

jlong jmm_GetThreadCpuTimeWithKind(JNIEnv *env, jlong id, jboolean with_system) {
    VM_ENTER(env);
    jlong result = cpu_time(self, id, with_system);
    VM_LEAVE();
    return result;
}

jlong jmm_GetThreadCpuTime(JNIEnv *env, jlong id) { return jmm_GetThreadCpuTimeWithKind(env, id, JNI_TRUE); }

static bool check_arrays(Thread *self, const Object *ids, const Object *results) {
    if (!ids || !results) throw_npe(self);
    else if (check_ids(self, ids) && ids->length != results->length)
        throw_wk(self, "java/lang/IllegalArgumentException",
                 "The length of the given long array does not match the length of the given "
                 "array of thread IDs");
    return !self->exception;
}

void jmm_GetThreadCpuTimesWithKind(JNIEnv *env, jlongArray ids_ref, jlongArray times_ref, jboolean with_system) {
    VM_ENTER(env);
    Object *ids = handle_get(ids_ref), *times = handle_get(times_ref);
    if (check_arrays(self, ids, times))
        for (int32_t i = 0; i < ids->length; i++)
            ARRAY_DATA(times, int64_t)[i] = cpu_time(self, ARRAY_DATA(ids, int64_t)[i], with_system);
    VM_LEAVE();
}

// The collector's thread is the only VM thread without a java.lang.Thread.
jint jmm_GetInternalThreadTimes(JNIEnv *env, jobjectArray names_ref, jlongArray times_ref) {
    jint count = 0;
    clockid_t clock;
    VM_ENTER(env);
    Object *names = handle_get(names_ref), *times = handle_get(times_ref);
    if (!names || !times) {
        throw_npe(self);
    } else if (names->length > 0 && times->length > 0) {
        bool known = pthread_getcpuclockid((pthread_t)heap_collector_thread(), &clock) == 0;
        Object *name = string_from_utf8(self, "Collector");
        if (name) {
            set_element(names, 0, name);
            ARRAY_DATA(times, int64_t)[0] = known ? clock_ns(clock) : -1;
            count = 1;
        }
    }
    VM_LEAVE();
    return count;
}

// ---- bytes allocated ---------------------------------------------------------------------------

// World stopped, or for the calling thread itself.
static jlong allocated_by(const Thread *t) { return (jlong)heap_cache_allocated_bytes(&t->heap); }

jlong jmm_GetOneThreadAllocatedMemory(JNIEnv *env, jlong id) {
    jlong result = -1;
    VM_ENTER(env);
    if (id == 0 || (self->java_thread && id == id_of(self))) {
        result = allocated_by(self);
    } else if (id < 0) {
        throw_wk(self, "java/lang/IllegalArgumentException", "Invalid thread ID");
    } else {
        safepoint_stop(self, "allocated bytes");
        Thread *t = find_alive(id);
        result = t ? allocated_by(t) : -1;
        safepoint_resume(self);
    }
    VM_LEAVE();
    return result;
}

void jmm_GetThreadAllocatedMemory(JNIEnv *env, jlongArray ids_ref, jlongArray sizes_ref) {
    VM_ENTER(env);
    Object *ids = handle_get(ids_ref), *sizes = handle_get(sizes_ref);
    if (check_arrays(self, ids, sizes)) {
        safepoint_stop(self, "allocated bytes");
        for (int32_t i = 0; i < ids->length; i++) {
            Thread *t = find_alive(ARRAY_DATA(ids, int64_t)[i]);
            ARRAY_DATA(sizes, int64_t)[i] = t ? allocated_by(t) : -1;
        }
        safepoint_resume(self);
    }
    VM_LEAVE();
}

jlong jmm_GetTotalThreadAllocatedMemory(JNIEnv *env) {
    (void)env;
    HeapStats s;
    heap_stats(&s);
    return (jlong)s.allocated;
}
