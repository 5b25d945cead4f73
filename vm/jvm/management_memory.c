// java.lang.management: memory pools, their managers, the last collection, notifications about collections.
//
// The beans are Java objects created on first use, under their lock, and are roots from then on. A bean that is passed
// back as an argument is recognised by its address.
//
// Notifications: if there are listeners, the Notification Thread fetches a GcInfo after each collection and passes it
// to the bean. Collections that follow each other faster than that are reported as one.
//
// Thresholds: the library itself compares when queried. It gives the VM a sensor for each threshold that has been set;
// the sensor counts crossings and notifies listeners. The Notification Thread updates the sensors after a collection
// and when a threshold has been set. As in HotSpot, a usage threshold triggers when usage crosses it, and a collection
// usage threshold on each collection that leaves more.
#include "base/clock.h"
#include "gc/heap.h"
#include "vm/jvm/management.h"

#include <string.h>
#include <time.h>

#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/invoke.h"
#include "vm/loading/loader.h"
#include "vm/threads/lock.h"
#include "vm/management/memorypool.h"
#include "vm/threads/roots.h"

#define FACTORY "sun/management/ManagementFactoryHelper"
#define POOL_BEAN "java/lang/management/MemoryPoolMXBean"
#define MANAGER_BEAN "java/lang/management/MemoryManagerMXBean"
#define USAGE "java/lang/management/MemoryUsage"

// The pool of a manager.
static MemoryPool pool_of(int manager) { return manager == METADATA_MANAGER ? POOL_METADATA : POOL_HEAP; }

// ---- making the beans --------------------------------------------------------------------------

static Object *call_factory(Thread *self, const char *cls_name, const char *name, const char *desc, Slot *args) {
    Class *cls = management_class(self, cls_name);
    Method *m = cls ? class_find_declared_method(cls, symbol_of(name), symbol_of(desc)) : NULL;
    if (cls && !m) throw_wk(self, "java/lang/InternalError", "this JDK lacks %s.%s%s", cls_name, name, desc);
    Slot result = {.o = NULL};
    return m && invoke_method(self, m, args, &result, ENTRY_VM) ? result.o : NULL;
}

static Object *make_pool(Thread *self, MemoryPool pool) {
    Slot args[6] = {{.o = string_from_utf8(self, memorypool_name(pool))},
                    {.i = pool == POOL_HEAP},
                    {.l = 0},
                    {.l = 0},
                    {.l = pool == POOL_HEAP ? 0 : -1},
                    {.l = 0}};
    if (!args[0].o) return NULL;
    return call_factory(self, FACTORY, "createMemoryPool", "(Ljava/lang/String;ZJJ)L" POOL_BEAN ";", args);
}

// The bean of jdk.management if that module is present: it also has the last collection.
static Object *make_collector(Thread *self, Collector collector) {
    static const char extended[] = "com/sun/management/internal/GarbageCollectorExtImpl";
    Slot args[2] = {{.o = string_from_utf8(self, memorypool_collector_name(collector))}, {.o = NULL}};
    if (!args[0].o) return NULL;
    bool is_there = loader_find_boot(self, symbol_of(extended)) != NULL;
    if (self->exception) return NULL;
    return call_factory(self, is_there ? extended : FACTORY, "createGarbageCollector",
                        "(Ljava/lang/String;Ljava/lang/String;)"
                        "Ljava/lang/management/GarbageCollectorMXBean;",
                        args);
}

static bool make_beans(Thread *self) {
    Object *heap = make_pool(self, POOL_HEAP);
    Object *metadata = heap ? make_pool(self, POOL_METADATA) : NULL;
    Object *collectors[COLLECTOR_COUNT] = {NULL};
    for (int i = 0; metadata && i < COLLECTOR_COUNT; i++)
        if (!(collectors[i] = make_collector(self, (Collector)i))) return false;
    Slot arg = {.o = metadata ? string_from_utf8(self, MEMORYPOOL_METADATA_MANAGER) : NULL};
    Object *manager = arg.o
        ? call_factory(self, FACTORY, "createMemoryManager", "(Ljava/lang/String;)L" MANAGER_BEAN ";", &arg)
        : NULL;
    if (!manager) return false;
    root_add(management.beans.pools, POOL_COUNT);
    root_add(management.beans.managers, MANAGERS);
    root_add(&management.beans.sensors[0][0], THRESHOLDS * POOL_COUNT);
    management.beans.pools[POOL_HEAP] = heap;
    management.beans.pools[POOL_METADATA] = metadata;
    memcpy(management.beans.managers, collectors, sizeof collectors);
    management.beans.managers[METADATA_MANAGER] = manager;
    atomic_store(&management.beans.ready, true);
    return true;
}

static bool need_beans(Thread *self) {
    if (atomic_load(&management.beans.ready)) return true;
    lock_enter(self, &management.beans.lock);
    bool ok = atomic_load(&management.beans.ready) || make_beans(self);
    lock_exit(self, &management.beans.lock);
    return ok;
}

// -1: not one of our beans.
static int index_of(Object *const *beans, int count, const Object *bean) {
    for (int i = 0; bean && i < count; i++)
        if (beans[i] == bean) return i;
    return -1;
}

bool management_is_collector(Thread *self, const Object *bean, Collector *collector) {
    if (!need_beans(self)) return false;
    int i = index_of(management.beans.managers, COLLECTOR_COUNT, bean);
    *collector = (Collector)i;
    if (i >= 0) return true;
    throw_wk(self, "java/lang/IllegalArgumentException", "Invalid GC memory manager");
    return false;
}

bool management_reset_peak(const Object *pool) {
    int i = index_of(management.beans.pools, POOL_COUNT, pool);
    if (i >= 0) memorypool_reset_peak((MemoryPool)i);
    return i >= 0;
}

// ---- arrays of them ----------------------------------------------------------------------------

// The manager's pool, or all pools if it is null. The result is null if `manager` is not ours.
jobjectArray jmm_GetMemoryPools(JNIEnv *env, jobject manager) {
    VM_ENTER(env);
    Object *array = NULL;
    int which = need_beans(self) ? index_of(management.beans.managers, MANAGERS, handle_get(manager)) : -1;
    bool all = !manager && !self->exception;
    if (all || which >= 0) array = management_new_array(self, POOL_BEAN, all ? POOL_COUNT : 1);
    for (int i = 0; array && i < array->length; i++)
        set_element(array, i, management.beans.pools[all ? i : (int)pool_of(which)]);
    jobjectArray result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

// The same with pools and managers exchanged.
jobjectArray jmm_GetMemoryManagers(JNIEnv *env, jobject pool) {
    VM_ENTER(env);
    Object *array = NULL;
    int which = need_beans(self) ? index_of(management.beans.pools, POOL_COUNT, handle_get(pool)) : -1;
    bool all = !pool && !self->exception;
    int count = all ? MANAGERS : which == POOL_METADATA ? 1 : COLLECTOR_COUNT, at = 0;
    if (all || which >= 0) array = management_new_array(self, MANAGER_BEAN, count);
    for (int i = 0; array && i < MANAGERS; i++)
        if (all || (int)pool_of(i) == which) set_element(array, at++, management.beans.managers[i]);
    jobjectArray result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

// ---- usage -------------------------------------------------------------------------------------

static Object *new_usage(Thread *self, MemoryFigures f) {
    // The Java class requires used <= committed <= max; concurrent changes may violate that in our figures.
    if (f.committed < f.used) f.committed = f.used;
    if (f.max >= 0 && f.max < f.committed) f.max = f.committed;
    Class *cls = management_class(self, USAGE);
    Method *init = cls ? class_find_declared_method(cls, symbol_of("<init>"), symbol_of("(JJJJ)V")) : NULL;
    Object *o = init ? object_new(self, cls) : NULL;
    if (!o) return NULL;
    Slot args[9] = {{.o = o},           {.l = f.init}, {.l = 0},     {.l = f.used}, {.l = 0},
                    {.l = f.committed}, {.l = 0},      {.l = f.max}, {.l = 0}};
    return invoke_method(self, init, args, NULL, ENTRY_VM) ? o : NULL;
}

static Object *usage_of(Thread *self, jobject bean, MemoryFigures (*figures)(MemoryPool)) {
    int i = index_of(management.beans.pools, POOL_COUNT, handle_get(bean));
    return i < 0 ? NULL : new_usage(self, figures((MemoryPool)i));
}

jobject jmm_GetMemoryPoolUsage(JNIEnv *env, jobject pool) {
    VM_ENTER(env);
    jobject result = handle_local(self, usage_of(self, pool, memorypool_usage));
    VM_LEAVE();
    return result;
}

jobject jmm_GetPeakMemoryPoolUsage(JNIEnv *env, jobject pool) {
    VM_ENTER(env);
    jobject result = handle_local(self, usage_of(self, pool, memorypool_peak));
    VM_LEAVE();
    return result;
}

jobject jmm_GetPoolCollectionUsage(JNIEnv *env, jobject pool) {
    VM_ENTER(env);
    Object *usage = NULL;
    if (index_of(management.beans.pools, POOL_COUNT, handle_get(pool)) == POOL_HEAP) {
        LastCollection last;
        memorypool_last_collection(&last);
        usage = new_usage(self, last.after[POOL_HEAP]);
    }
    jobject result = handle_local(self, usage);
    VM_LEAVE();
    return result;
}

jobject jmm_GetMemoryUsage(JNIEnv *env, jboolean heap) {
    VM_ENTER(env);
    MemoryFigures figures = memorypool_usage(heap ? POOL_HEAP : POOL_METADATA);
    jobject result = handle_local(self, new_usage(self, figures));
    VM_LEAVE();
    return result;
}

// ---- the last collection -----------------------------------------------------------------------

jint jmm_GetGCExtAttributeInfo(JNIEnv *env, jobject collector, JmmAttribute *attributes, jint count) {
    (void)env, (void)collector;
    if (count < 1) return count == 0 ? 0 : -1;
    attributes[0] = (JmmAttribute){"GcThreadCount", 'I', "Number of GC threads"};
    return 1;
}

static bool fill_usages(Thread *self, jobjectArray ref, const MemoryFigures *figures) {
    for (int i = 0; i < POOL_COUNT; i++) {
        Object *usage = new_usage(self, figures[i]);
        Object *array = handle_get(ref);
        if (!usage || !array || array->length != POOL_COUNT) return false;
        set_element(array, i, usage);
    }
    return true;
}

void jmm_GetLastGCStat(JNIEnv *env, jobject bean, JmmCollection *out) {
    VM_ENTER(env);
    LastCollection last;
    Collector collector;
    out->number = 0;
    if (management_is_collector(self, handle_get(bean), &collector) &&
        memorypool_last_collection_of(collector, &last) && fill_usages(self, out->before, last.before) &&
        fill_usages(self, out->after, last.after)) {
        out->number = (jlong)last.number;
        out->start_ms = last.start_ms;
        out->end_ms = last.end_ms;
        out->value_count = out->value_room < 1 ? -1 : 1;
        if (out->value_room >= 1) out->values[0].i = 1;
    }
    VM_LEAVE();
}

// ---- notifications -----------------------------------------------------------------------------

static void notify(Thread *self, const LastCollection *last) {
    Object *collector = management.beans.managers[last->collector];
    Method *get = class_find_method(object_class(collector), symbol_of("getLastGcInfo"),
                                    symbol_of("()Lcom/sun/management/GcInfo;"));
    Object *info = get ? invoke_ref(self, get, ENTRY_VM, 1, collector) : NULL;
    Method *m = class_find_method(object_class(collector), symbol_of("createGCNotification"),
                                  symbol_of("(JLjava/lang/String;Ljava/lang/String;Ljava/lang/"
                                            "String;Lcom/sun/management/GcInfo;)V"));
    Object *name = info ? string_from_utf8(self, memorypool_collector_name(last->collector)) : NULL;
    bool young = last->collector == COLLECTOR_YOUNG;
    Object *action = name ? string_from_utf8(self, young ? "end of minor GC" : "end of major GC") : NULL;
    Object *cause = action ? string_from_utf8(self, last->cause) : NULL;
    if (!m || !cause) return;
    Slot args[7] = {{.o = collector}, {.l = clock_wall_ms()}, {.l = 0},   {.o = name},
                    {.o = action},    {.o = cause},           {.o = info}};
    invoke_method(self, m, args, NULL, ENTRY_VM);
}

static void work_sensor(Thread *self, Threshold kind, int pool, const LastCollection *collected) {
    struct MemoryBeans *beans = &management.beans;
    Object *sensor = beans->sensors[kind][pool];
    int64_t threshold = atomic_load(&beans->thresholds[kind][pool]);
    if (!sensor || threshold == 0 || (kind == THRESHOLD_COLLECTION && !collected)) return;
    MemoryFigures now = kind == THRESHOLD_COLLECTION ? collected->after[pool] : memorypool_usage((MemoryPool)pool);
    bool over = now.used >= threshold, was_over = beans->triggered[kind][pool];
    beans->triggered[kind][pool] = over;
    if (over && (!was_over || kind == THRESHOLD_COLLECTION)) {
        Object *usage = new_usage(self, now);
        Method *m = class_find_method(object_class(sensor), symbol_of("trigger"), symbol_of("(IL" USAGE ";)V"));
        Slot args[3] = {{.o = sensor}, {.i = 1}, {.o = usage}};
        if (usage && m) invoke_method(self, m, args, NULL, ENTRY_VM);
    } else if (!over && was_over) {
        Method *m = class_find_method(object_class(sensor), symbol_of("clear"), symbol_of("()V"));
        if (m) invoke_void(self, m, ENTRY_VM, 1, sensor);
    }
    if (self->exception) exception_clear(self);
}

// `before`: the number of collections when this thread was first needed.
static void notify_loop(Thread *self, void *before) {
    LastCollection last;
    uint64_t seen = (uintptr_t)before;
    memorypool_wake_after_collections(self);
    for (;; thread_block(self, THREAD_FOREVER)) {
        uint64_t now = memorypool_collections();
        bool collected = now != seen && memorypool_last_collection(&last);
        seen = now;
        if (!collected && !atomic_exchange(&management.beans.threshold_set, false)) continue;
        for (int kind = 0; kind < THRESHOLDS; kind++)
            for (int pool = 0; pool < POOL_COUNT; pool++) work_sensor(self, kind, pool, collected ? &last : NULL);
        if (collected && management.beans.notify_on[last.collector]) notify(self, &last);
        if (self->exception) exception_clear(self);
    }
}

static void need_notifier(Thread *self) {
    lock_enter(self, &management.beans.notify_lock);
    uintptr_t before = memorypool_collections();
    if (!management.beans.notify_started)
        management.beans.notify_started = thread_start_service(self, "Notification Thread", 9, notify_loop,
                                                               (void *)before);
    lock_exit(self, &management.beans.notify_lock);
}

void jmm_SetGCNotificationEnabled(JNIEnv *env, jobject bean, jboolean enabled) {
    VM_ENTER(env);
    Collector collector;
    if (management_is_collector(self, handle_get(bean), &collector)) {
        atomic_store(&management.beans.notify_on[collector], enabled);
        if (enabled) need_notifier(self);
    }
    VM_LEAVE();
}

// ---- thresholds --------------------------------------------------------------------------------

// -1: a threshold without a sensor. (The library sets a lower bound with each upper one, to the same value.)
static int threshold_kind(jint id) {
    enum { USAGE_HIGH = 901, COLLECTION_USAGE_HIGH = 903 };
    return id == USAGE_HIGH ? THRESHOLD_USAGE : id == COLLECTION_USAGE_HIGH ? THRESHOLD_COLLECTION : -1;
}

void jmm_SetPoolSensor(JNIEnv *env, jobject pool, jint threshold, jobject sensor) {
    VM_ENTER(env);
    int i = index_of(management.beans.pools, POOL_COUNT, handle_get(pool)), kind = threshold_kind(threshold);
    if (i >= 0 && kind >= 0) management.beans.sensors[kind][i] = handle_get(sensor);
    VM_LEAVE();
}

jlong jmm_SetPoolThreshold(JNIEnv *env, jobject pool, jint threshold, jlong value) {
    VM_ENTER(env);
    jlong before = -1;
    int i = index_of(management.beans.pools, POOL_COUNT, handle_get(pool)), kind = threshold_kind(threshold);
    if (i >= 0 && kind >= 0) {
        before = atomic_exchange(&management.beans.thresholds[kind][i], value);
        need_notifier(self);
        atomic_store(&management.beans.threshold_set, true);
        memorypool_wake_waiting();
    }
    VM_LEAVE();
    return before;
}
