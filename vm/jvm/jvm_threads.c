// JVM_*: java.lang.Thread's natives.
#include <stdlib.h>

#include "vm/api/stackwalk.h"
#include "vm/jni/handles.h"
#include "vm/loading/arrayclass.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/backtrace.h"
#include "vm/linking/classinit.h"
#include "vm/natives/reflect.h"
#include "vm/services/javathread.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/threads/monitor.h"
#include "vm/threads/park.h"

EXPORT jobject JVM_CurrentThread(JNIEnv *env, jclass cls) {
    (void)cls;
    VM_ENTER(env);
    jobject result = handle_local(self, self->java_thread);
    VM_LEAVE();
    return result;
}

EXPORT void JVM_StartThread(JNIEnv *env, jobject thread) {
    VM_ENTER(env);
    Object *started = handle_get(thread);
    THREAD_REPORT(sync_release, self, started, thread_start_address(started));
    thread_start(self, started);
    VM_LEAVE();
}

// The Java field is already set. The system's scheduler is not informed, as with HotSpot's default.
EXPORT void JVM_SetThreadPriority(JNIEnv *env, jobject thread, jint priority) {
    VM_ENTER(env);
    thread_list_lock(self);
    Thread *t = thread_of(handle_get(thread));
    if (t) t->priority = (uint8_t)priority;
    thread_list_unlock(self);
    VM_LEAVE();
}

EXPORT void JVM_Yield(JNIEnv *env, jclass cls) {
    (void)cls;
    VM_ENTER(env);
    THREAD_REPORT(gave_way, self, 0);
    thread_yield(self);
    VM_LEAVE();
}

EXPORT void JVM_Sleep(JNIEnv *env, jclass cls, jlong millis) {
    (void)cls;
    VM_ENTER(env);
    thread_sleep(self, millis);
    VM_LEAVE();
}

EXPORT void JVM_Interrupt(JNIEnv *env, jobject thread) {
    VM_ENTER(env);
    thread_interrupt(handle_get(thread));
    VM_LEAVE();
}

EXPORT jboolean JVM_HoldsLock(JNIEnv *env, jclass cls, jobject obj) {
    (void)cls;
    VM_ENTER(env);
    Object *o = handle_get(obj);
    if (!o) throw_npe(self);
    bool held = o && monitor_holds(self, o);
    VM_LEAVE();
    return held;
}

EXPORT void JVM_SetNativeThreadName(JNIEnv *env, jobject thread, jstring name) {
    VM_ENTER(env);
    char *utf8 = string_to_utf8(handle_get(name));
    thread_list_lock(self);
    Thread *t = thread_of(handle_get(thread));
    if (t && utf8) thread_set_native_name(t, utf8);
    thread_list_unlock(self);
    free(utf8);
    VM_LEAVE();
}

EXPORT void JVM_StopThread(JNIEnv *env, jobject thread, jobject throwable) {
    VM_ENTER(env);
    Object *exception = handle_get(throwable);
    if (exception) {
        thread_stop(self, handle_get(thread), exception);
    } else {
        throw_npe(self);
    }
    VM_LEAVE();
}

EXPORT void JVM_SuspendThread(JNIEnv *env, jobject thread) {
    VM_ENTER(env);
    thread_suspend(self, handle_get(thread));
    VM_LEAVE();
}

EXPORT void JVM_ResumeThread(JNIEnv *env, jobject thread) {
    VM_ENTER(env);
    thread_resume(self, handle_get(thread));
    VM_LEAVE();
}

// ---- all threads -----------------------------------------------------------------------------

typedef struct ThreadFill {
    Object *array;
    int32_t count;
} ThreadFill;

static bool fill_thread(Thread *t, void *arg) {
    ThreadFill *fill = arg;
    if (!javathread_is_alive(t)) return true;
    if (fill->count == fill->array->length) return false;
    set_element(fill->array, fill->count++, t->java_thread);
    return true;
}

// Threads may start and end between the count and the fill: allocate some spare elements, then copy exactly.
static Object *all_threads(Thread *self) {
    ThreadFill fill = {reflect_new_array(self, WK(java_lang_Thread), (int32_t)thread_count() + 16), 0};
    if (!fill.array) return NULL;
    thread_each(self, fill_thread, &fill);
    Object *exact = reflect_new_array(self, WK(java_lang_Thread), fill.count);
    for (int32_t i = 0; exact && i < fill.count; i++) set_element(exact, i, ARRAY_DATA(fill.array, Object *)[i]);
    return exact;
}

EXPORT jobjectArray JVM_GetAllThreads(JNIEnv *env, jclass cls) {
    (void)cls;
    VM_ENTER(env);
    jobjectArray result = handle_local(self, all_threads(self));
    VM_LEAVE();
    return result;
}

// ---- stack dumps -----------------------------------------------------------------------------

// A stack recorded while the world is stopped.
typedef struct Dump {
    BacktraceFrame *frames;
    int32_t count, capacity;
    bool alive;
} Dump;

// Stops the world and records the stack of each thread in `wanted`. Allocates nothing meanwhile: each dump has
// preallocated frames.
static void take_stacks(Thread *self, Object *wanted, Dump *dumps) {
    safepoint_stop(self, "thread dump");
    for (Thread *t = threads.first; t; t = t->next) {
        if (!javathread_is_alive(t)) continue;
        for (int32_t i = 0; i < wanted->length; i++)
            if (ARRAY_DATA(wanted, Object *)[i] == t->java_thread) {
                StackWalk w;
                stackwalk_begin(&w, t);
                dumps[i].alive = true;
                while (dumps[i].count < dumps[i].capacity && stackwalk_next(&w)) {
                    if (w.method->mflags & MF_HIDDEN) continue;
                    dumps[i].frames[dumps[i].count++] = (BacktraceFrame){w.method, w.bci};
                }
            }
    }
    safepoint_resume(self);
}

// StackTraceElement[][]; null for a thread that is not alive.
static Object *dump_arrays(Thread *self, const Dump *dumps, int32_t n) {
    if (!class_ensure_initialized(self, WK(java_lang_StackTraceElement))) return NULL;
    Class *one = class_array_of(self, WK(java_lang_StackTraceElement));
    Class *all = one ? class_array_of(self, one) : NULL;
    Object *result = all ? object_new_array(self, all, n) : NULL;
    for (int32_t i = 0; result && i < n; i++) {
        if (!dumps[i].alive) continue;
        Object *elements = object_new_array(self, one, dumps[i].count);
        if (!elements || !backtrace_new_elements(self, elements, dumps[i].frames)) return NULL;
        set_element(result, i, elements);
    }
    return result;
}

static Object *dump_threads(Thread *self, Object *threads) {
    int32_t n = threads->length, capacity = (int32_t)vm.options.max_stack_trace_depth;
    if (capacity <= 0) capacity = BACKTRACE_LIMIT;
    Dump *dumps = calloc((size_t)n, sizeof *dumps);
    BacktraceFrame *frames = calloc((size_t)n * (size_t)capacity, sizeof *frames);
    Object *result = NULL;
    if (dumps && frames) {
        for (int32_t i = 0; i < n; i++) dumps[i] = (Dump){frames + (size_t)i * (size_t)capacity, 0, capacity, false};
        self->held = frames;
        self->held_end = frames + (size_t)n * (size_t)capacity;
        take_stacks(self, threads, dumps);
        result = dump_arrays(self, dumps, n);
        self->held = self->held_end = NULL;
    } else {
        throw_oom(self, "thread dump");
    }
    free(frames);
    free(dumps);
    return result;
}

EXPORT jobjectArray JVM_DumpThreads(JNIEnv *env, jclass cls, jobjectArray threads_ref) {
    (void)cls;
    VM_ENTER(env);
    Object *threads = handle_get(threads_ref);
    jobjectArray result = NULL;
    if (!threads) throw_npe(self);
    else if (threads->length == 0) throw_wk(self, "java/lang/IllegalArgumentException", NULL);
    else result = handle_local(self, dump_threads(self, threads));
    VM_LEAVE();
    return result;
}
