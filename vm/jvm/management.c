// java.lang.management: the function table, and the numeric attributes.
#include "vm/jvm/management.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "gc/heap.h"
#include "vm/jni/handles.h"
#include "vm/base/container.h"
#include "vm/linking/classinit.h"
#include "vm/loading/loader.h"
#include "vm/base/log.h"
#include "vm/management/diagnostics.h"
#include "vm/management/vmflags.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"

enum { VERSION_3 = 0x20030000 };

typedef struct JmmInterface {
#define JMM_RESERVED(slot) void *reserved##slot;
#define JMM_FN(ret, name, params) ret(*name) params;
#include "vm/jvm/management.def"
} JmmInterface;
static_assert(sizeof(JmmInterface) == 40 * sizeof(void *), "slots");

static const JmmInterface table = {
#define JMM_RESERVED(slot)
#define JMM_FN(ret, name, params) .name = jmm_##name,
#include "vm/jvm/management.def"
};

EXPORT void *JVM_GetManagement(jint version) { return version == VERSION_3 ? (void *)&table : NULL; }

jint jmm_GetVersion(JNIEnv *env) {
    (void)env;
    return VERSION_3;
}

// ---- features ----------------------------------------------------------------------------------

jint jmm_GetOptionalSupport(JNIEnv *env, uint32_t *support) {
    enum {
        LOW_MEMORY = 1,
        COMPILATION_TIME = 2,
        CONTENTION = 4,
        CURRENT_CPU_TIME = 8,
        OTHER_CPU_TIME = 16,
        MONITOR_USAGE = 32,
        SYNCHRONIZER_USAGE = 64,
        ALLOCATED_MEMORY = 128,
        DIAGNOSTIC_COMMANDS = 256,
    };
    (void)env;
    *support = COMPILATION_TIME | CONTENTION | CURRENT_CPU_TIME | OTHER_CPU_TIME | MONITOR_USAGE | SYNCHRONIZER_USAGE |
        ALLOCATED_MEMORY | DIAGNOSTIC_COMMANDS;
    return 0;
}

Class *management_class(Thread *self, const char *name) {
    Class *c = loader_load(self, vm.boot_loader, symbol_of(name));
    return c && class_ensure_initialized(self, c) ? c : NULL;
}

Object *management_new_array(Thread *self, const char *element_class, int32_t length) {
    Class *element = management_class(self, element_class);
    return element ? reflect_new_array(self, element, length) : NULL;
}

// ---- numbers -----------------------------------------------------------------------------------

// clang-format off
enum {
    CLASS_LOADED_COUNT = 1, CLASS_UNLOADED_COUNT = 2, THREAD_TOTAL_COUNT = 3, THREAD_LIVE_COUNT = 4,
    THREAD_PEAK_COUNT = 5, THREAD_DAEMON_COUNT = 6, START_TIME_MS = 7, COMPILE_TIME_MS = 8,
    UPTIME_MS = 11,
    FLAG_COUNT = 104, SAFEPOINT_COUNT = 105, SAFEPOINT_SYNC_MS = 106, VM_THREAD_COUNT = 109,
    PROCESS_ID = 201, PHYSICAL_MEMORY = 202,
};
// clang-format on

// -1: unknown.
static jlong attribute_value(Thread *self, jint attribute) {
    SafepointStats stops;
    HeapStats heap;
    ThreadCounts counts;
    switch (attribute) {
        case CLASS_LOADED_COUNT: return loader_class_count();
        case CLASS_UNLOADED_COUNT: return loader_unloaded_count();
        case THREAD_TOTAL_COUNT: thread_counts(self, &counts); return (jlong)counts.started;
        case THREAD_LIVE_COUNT: thread_counts(self, &counts); return counts.live;
        case THREAD_PEAK_COUNT: thread_counts(self, &counts); return counts.peak;
        case THREAD_DAEMON_COUNT: thread_counts(self, &counts); return counts.daemons;
        case START_TIME_MS: return clock_wall_ms() - (thread_now() - (int64_t)vm.start_ns) / 1000000;
        case UPTIME_MS: return (thread_now() - (int64_t)vm.start_ns) / 1000000;
        case COMPILE_TIME_MS: return (jlong)(diagnostics_compile_ns() / 1000000);
        case JMM_GC_TIME_MS: heap_stats(&heap); return (jlong)(heap.collection_ns / 1000000);
        case JMM_GC_COUNT: heap_stats(&heap); return (jlong)heap.collections;
        case JMM_GC_ATTRIBUTES: return 1;
        case FLAG_COUNT: return (jlong)vmflags_count();
        case SAFEPOINT_COUNT: safepoint_stats(&stops); return (jlong)stops.stops;
        case SAFEPOINT_SYNC_MS: safepoint_stats(&stops); return (jlong)(stops.total_wait_ns / 1000000);
        case VM_THREAD_COUNT: return 1;
        case PROCESS_ID: return getpid();
        case PHYSICAL_MEMORY: return container_machine_memory();
        default: return -1;
    }
}

// A collector's attributes. Without a bean they are sums over all collectors.
static jlong value_for(Thread *self, jobject bean, jint attribute) {
    Collector collector;
    LastCollection last;
    if (!bean) return attribute_value(self, attribute);
    if (!management_is_collector(self, handle_get(bean), &collector)) return -1;
    memorypool_last_collection_of(collector, &last);
    switch (attribute) {
        case JMM_GC_TIME_MS: return last.total_ms;
        case JMM_GC_COUNT: return (jlong)last.number;
        case JMM_GC_ATTRIBUTES: return 1;
        default: return -1;
    }
}

jlong jmm_GetLongAttribute(JNIEnv *env, jobject collector, jint attribute) {
    VM_ENTER(env);
    jlong value = value_for(self, collector, attribute);
    VM_LEAVE();
    return value;
}

jint jmm_GetLongAttributes(JNIEnv *env, jobject collector, const jint *attributes, jint count, jlong *values) {
    jint known = 0;
    VM_ENTER(env);
    for (jint i = 0; i < count && !self->exception; i++) {
        values[i] = value_for(self, collector, attributes[i]);
        if (values[i] != -1) known++;
    }
    VM_LEAVE();
    return known;
}

// ---- switches ----------------------------------------------------------------------------------

enum { VERBOSE_GC = 21, VERBOSE_CLASS = 22, CONTENTION = 23, CPU_TIME = 24, ALLOCATED_MEMORY = 25 };

Management management;

jboolean jmm_GetBoolAttribute(JNIEnv *env, jint attribute) {
    (void)env;
    switch (attribute) {
        case VERBOSE_GC: return log_stdout_level(LOG_GC) <= LOG_INFO;
        case VERBOSE_CLASS: return log_stdout_level(LOG_CLASS_LOAD) <= LOG_INFO;
        case CONTENTION: return atomic_load(&threads.time_contention);
        case CPU_TIME: return !management.cpu_time_off;
        case ALLOCATED_MEMORY: return !management.allocated_memory_off;
        default: return JNI_FALSE;
    }
}

jboolean jmm_SetBoolAttribute(JNIEnv *env, jint attribute, jboolean value) {
    jboolean old = jmm_GetBoolAttribute(env, attribute);
    switch (attribute) {
        case VERBOSE_GC: log_set_stdout_level(LOG_GC, value ? LOG_INFO : LOG_WARNING); break;
        case VERBOSE_CLASS: log_set_stdout_level(LOG_CLASS_LOAD, value ? LOG_INFO : LOG_WARNING); break;
        case CONTENTION: atomic_store(&threads.time_contention, value); break;
        case CPU_TIME: management.cpu_time_off = !value; break;
        case ALLOCATED_MEMORY: management.allocated_memory_off = !value; break;
    }
    return old;
}

jboolean jmm_ResetStatistic(JNIEnv *env, jvalue which, jint statistic) {
    enum { PEAK_THREADS = 801, PEAK_POOL = 805 };
    bool done = false;
    VM_ENTER(env);
    if (statistic == PEAK_THREADS) {
        thread_reset_peak(self);
        done = true;
    } else if (statistic == PEAK_POOL) {
        if (which.l) done = management_reset_peak(handle_get(which.l));
        else throw_npe(self);
    }
    VM_LEAVE();
    return done;
}
