// JVM_*: time, memory, properties, halting.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "gc/heap.h"
#include "vm/management/memorypool.h"
#include "vm/jni/handles.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"
#include "vm/runtime/invoke.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/base/container.h"
#include "vm/services/halt.h"

// ---- time --------------------------------------------------------------------------------------

EXPORT jlong JVM_NanoTime(JNIEnv *env, jclass cls) {
    (void)env, (void)cls;
    return thread_now();
}

EXPORT jlong JVM_CurrentTimeMillis(JNIEnv *env, jclass cls) {
    (void)env, (void)cls;
    return clock_wall_ms();
}

// Nanoseconds since `offset_secs` (seconds since the epoch), or -1 if they are too far apart: the library then retries
// with another offset.
EXPORT jlong JVM_GetNanoTimeAdjustment(JNIEnv *env, jclass cls, jlong offset_secs) {
    (void)env, (void)cls;
    const jlong reach = INT64_C(1) << 32;
    jlong now = clock_wall_ns(), seconds = now / 1000000000;
    if (offset_secs < seconds - reach || offset_secs > seconds + reach) return -1;
    return (seconds - offset_secs) * 1000000000 + now % 1000000000;
}

// ---- memory and processors -----------------------------------------------------------------------

#define HEAP_FIGURE(name, figure) \
    EXPORT jlong name(void) {     \
        HeapStats s;              \
        heap_stats(&s);           \
        return (jlong)s.figure;   \
    }
HEAP_FIGURE(JVM_MaxMemory, max)
HEAP_FIGURE(JVM_TotalMemory, committed)
HEAP_FIGURE(JVM_FreeMemory, free)

EXPORT void JVM_GC(void) {
    if (vm.options.disable_explicit_gc) return;
    VM_ENTER_CURRENT();
    heap_collect(&self->heap, "System.gc()");
    VM_LEAVE();
}

// Milliseconds since the last collection, for RMI's collector of remote references.
EXPORT jlong JVM_MaxObjectInspectionAge(void) {
    LastCollection last = {0};
    memorypool_last_collection(&last);
    return (thread_now() - (int64_t)vm.start_ns) / 1000000 - last.end_ms;
}

EXPORT jint JVM_ActiveProcessorCount(void) {
    int64_t given = vm.options.processors;
    return given > 0 && given <= INT32_MAX ? (jint)given : container_processors();
}

EXPORT jboolean JVM_IsUseContainerSupport(void) { return JNI_TRUE; }

EXPORT jboolean JVM_SupportsCX8(void) { return JNI_TRUE; }

// ---- exit ----------------------------------------------------------------------------------------

EXPORT void JVM_BeforeHalt(void) {}

EXPORT void JVM_Halt(jint code) { halt(code); }

// ---- properties ----------------------------------------------------------------------------------

static bool set_string(Thread *self, Object *array, size_t i, const char *utf8) {
    Object *s = string_from_utf8(self, utf8);
    if (!s) return false;
    set_element(array, i, s);
    return true;
}

// Keys and values alternate; then a null.
static Object *properties(Thread *self) {
    const Options *o = &vm.options;
    Object *array = reflect_new_array(self, WK(java_lang_String), (int32_t)(2 * o->property_count + 2));
    for (size_t i = 0; array && i < o->property_count; i++)
        if (!set_string(self, array, 2 * i, o->properties[i].key) ||
            !set_string(self, array, 2 * i + 1, o->properties[i].value))
            return NULL;
    return array;
}

EXPORT jobjectArray JVM_GetProperties(JNIEnv *env) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, properties(self));
    VM_LEAVE();
    return result;
}

static Object *arguments(Thread *self) {
    const Options *o = &vm.options;
    Object *array = reflect_new_array(self, WK(java_lang_String), (int32_t)o->argument_count);
    for (size_t i = 0; array && i < o->argument_count; i++)
        if (!set_string(self, array, i, o->arguments[i])) return NULL;
    return array;
}

EXPORT jobjectArray JVM_GetVmArguments(JNIEnv *env) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, arguments(self));
    VM_LEAVE();
    return result;
}

EXPORT jstring JVM_GetTemporaryDirectory(JNIEnv *env) {
    VM_ENTER(env);
    jstring result = handle_local(self, string_from_utf8(self, "/tmp"));
    VM_LEAVE();
    return result;
}

// ---- agent properties ------------------------------------------------------------------------

static bool put_property(Thread *self, Object *table, const char *key, const char *value) {
    Method *put = class_find_method(object_class(table), symbol_of("put"),
                                    symbol_of("(Ljava/lang/Object;Ljava/lang/Object;)"
                                              "Ljava/lang/Object;"));
    Object *k = string_from_utf8(self, key);
    Object *v = k ? string_from_utf8(self, value ? value : "") : NULL;
    Slot args[3] = {{.o = table}, {.o = k}, {.o = v}};
    return v && put && invoke_virtual(self, put, args, NULL, ENTRY_VM);
}

// All options on one line; malloc'd.
static char *joined_arguments(void) {
    const Options *o = &vm.options;
    size_t length = 1;
    for (size_t i = 0; i < o->argument_count; i++) length += strlen(o->arguments[i]) + 1;
    char *text = calloc(1, length), *at = text;
    for (size_t i = 0; text && i < o->argument_count; i++) {
        if (i > 0) *at++ = ' ';
        at = stpcpy(at, o->arguments[i]);
    }
    return text;
}

EXPORT jobject JVM_InitAgentProperties(JNIEnv *env, jobject properties_ref) {
    char *args = joined_arguments();
    VM_ENTER(env);
    Object *table = handle_get(properties_ref);
    (void)(put_property(self, table, "sun.java.command", options_property(&vm.options, "sun.java.command")) &&
           put_property(self, table, "sun.jvm.flags", "") && put_property(self, table, "sun.jvm.args", args));
    VM_LEAVE();
    free(args);
    return properties_ref;
}

// ---- versions --------------------------------------------------------------------------------

EXPORT jboolean JVM_IsSupportedJNIVersion(jint version) { return jni_version_supported(version); }
