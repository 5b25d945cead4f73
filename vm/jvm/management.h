// The interface of java.lang.management to the VM: the function table that JVM_GetManagement returns, and the
// structures passed. All functions are called in the native state. Private to vm/jvm/management*.c.
#ifndef CABERNET_VM_JVM_MANAGEMENT_H
#define CABERNET_VM_JVM_MANAGEMENT_H

#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/management/memorypool.h"
#include "vm/threads/lock.h"

typedef struct JmmGlobal {
    jstring name;
    jvalue value;
    jint type, origin;
    uint32_t bits;  // 1 writeable, 2 external
    void *reserved[2];
} JmmGlobal;
enum { JMM_BOOLEAN = 1, JMM_STRING, JMM_LONG, JMM_DOUBLE };
enum { JMM_ORIGIN_DEFAULT = 1, JMM_ORIGIN_COMMAND_LINE = 2, JMM_ORIGIN_ERGONOMIC = 6 };

typedef struct JmmAttribute {
    const char *name;
    char type;
    const char *description;
} JmmAttribute;

typedef struct JmmCollection {
    jlong number, start_ms, end_ms;  // number 0: no collection yet
    jobjectArray before, after;      // MemoryUsage[], one element for each pool
    jint value_room;
    jvalue *values;
    jint value_count;  // -1: not enough room
} JmmCollection;

typedef struct JmmCommand {
    const char *name, *description, *impact;
    const char *permission_class, *permission_name, *permission_action;
    int argument_count;
    jboolean enabled;
} JmmCommand;

typedef struct JmmArgument {
    const char *name, *description, *type, *default_value;
    jboolean mandatory, is_option, multiple;
    int position;
} JmmArgument;

enum { METADATA_MANAGER = COLLECTOR_COUNT, MANAGERS };  // after the collectors
typedef enum Threshold { THRESHOLD_USAGE, THRESHOLD_COLLECTION, THRESHOLDS } Threshold;

typedef struct Management {
    // CPU times and allocated bytes are always available; when switched off they are not reported.
    _Atomic bool cpu_time_off, allocated_memory_off;
    struct MemoryBeans {  // management_memory.c's
        Lock lock;
        _Atomic bool ready;
        Object *pools[POOL_COUNT], *managers[MANAGERS];  // roots
        Lock notify_lock;
        bool notify_started;
        _Atomic bool notify_on[COLLECTOR_COUNT], threshold_set;
        Object *sensors[THRESHOLDS][POOL_COUNT];             // roots; NULL: that threshold is not set
        _Atomic int64_t thresholds[THRESHOLDS][POOL_COUNT];  // bytes; 0: none
        bool triggered[THRESHOLDS][POOL_COUNT];              // used by the Notification Thread only
    } beans;
} Management;
extern Management management;

// Sizes that the libraries were compiled with.
static_assert(sizeof(JmmGlobal) == 48, "layout");
static_assert(offsetof(JmmCollection, value_count) == 56, "layout");
static_assert(sizeof(JmmCommand) == 56 && sizeof(JmmArgument) == 40, "layout");

#define JMM_RESERVED(slot)
#define JMM_FN(ret, name, params) ret jmm_##name params;
#include "vm/jvm/management.def"

// Attributes of a collector (JMM_GC_...), -1: unknown. `bean` is the collector's, checked by
// management_is_collector, which sets *collector.
enum { JMM_GC_TIME_MS = 9, JMM_GC_COUNT = 10, JMM_GC_ATTRIBUTES = 401 };
bool management_is_collector(Thread *self, const Object *bean, Collector *collector);  // false: exception pending
bool management_reset_peak(const Object *pool);                                        // false: not one of our pools

// Loads and initialises a class by name through the boot loader. NULL: exception pending.
Class *management_class(Thread *self, const char *name);
Object *management_new_array(Thread *self, const char *element_class, int32_t length);

#endif
