// java.lang.Thread objects for the main thread, attached threads and services; running and ending started threads in
// the order that the class library expects.
//
// Thread's constructor calls Thread.currentThread() and reads its priority. An attached thread's object therefore gets
// eetop and priority, and becomes the thread's object, before its constructor runs.
#include "vm/services/javathread.h"

#include "vm/api/stackwalk.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/services/services_internal.h"
#include "vm/threads/monitor.h"
#include "vm/instrument/profile.h"
#include "vm/threads/roots.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/model/classloader.h"
#include "vm/model/vm.h"

enum { NORMAL_PRIORITY = 5 };

Services services;

Object *javathread_main_group(void) { return services.main_group; }

// Calls a declared method with reference arguments. The method always exists in this JDK line; but the JDK may be
// updated in place, and then the missing name is reported as Java would.
static bool call(Thread *self, Class *c, const char *name, const char *desc, Slot *args) {
    Method *m = class_find_declared_method(c, symbol_of(name), symbol_of(desc));
    if (m) return invoke_method(self, m, args, NULL, ENTRY_VM);
    throw_wk(self, "java/lang/NoSuchMethodError", "%s.%s%s", class_external_name(c), name, desc);
    return false;
}

static bool make_groups(Thread *self) {
    Class *c = WK(java_lang_ThreadGroup);
    root_add(&services.system_group, 1);
    root_add(&services.main_group, 1);
    if (!(services.system_group = object_new(self, c))) return false;
    Slot args[3] = {{.o = services.system_group}};
    if (!call(self, c, "<init>", "()V", args)) return false;
    Object *name = string_from_utf8(self, "main");
    if (!name || !(services.main_group = object_new(self, c))) return false;
    args[0].o = services.main_group;
    args[1].o = services.system_group;
    args[2].o = name;
    return call(self, c, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V", args);
}

// Allocates the object and ties it to `self`.
static Object *new_own_thread(Thread *self) {
    Object *o = object_new(self, WK(java_lang_Thread));
    if (!o) return NULL;
    set_long_release(o, (size_t)WK_OFF(java_lang_Thread, eetop), (int64_t)(uintptr_t)self);
    set_int(o, (size_t)WK_OFF(java_lang_Thread, priority), NORMAL_PRIORITY);
    self->java_thread = o;
    return o;
}

// A NULL name selects the constructor that numbers threads.
static bool construct(Thread *self, Object *thread, Object *group, const char *name) {
    Object *java_name = name ? string_from_utf8(self, name) : NULL;
    if (name && !java_name) return false;
    Slot args[3] = {{.o = thread}, {.o = group}, {.o = java_name}};
    return call(
        self, WK(java_lang_Thread), "<init>",
        name ? "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V" : "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;)V", args);
}

static bool add_to_group(Thread *self, Object *group, Object *thread) {
    Slot args[2] = {{.o = group}, {.o = thread}};
    return call(self, WK(java_lang_ThreadGroup), "add", "(Ljava/lang/Thread;)V", args);
}

bool javathread_create_main(Thread *self) {
    if (!class_initialize(self, WK(java_lang_ThreadGroup)) || !make_groups(self) ||
        !class_initialize(self, WK(java_lang_Thread)))
        return false;
    Object *o = new_own_thread(self);
    if (!o || !construct(self, o, services.main_group, "main")) return false;
    thread_set_status(self, STATUS_RUNNABLE);
    profile_thread_name(self, "main");
    return true;  // System.initPhase1 adds it to its group
}

bool javathread_create_attached(Thread *self, const char *name, Object *group, bool daemon) {
    if (!group) group = services.main_group;
    Object *o = new_own_thread(self);
    if (!o) return false;
    if (!construct(self, o, group, name)) return false;
    FIELD_AT(o, WK_OFF(java_lang_Thread, daemon), uint8_t) = daemon;
    if (!add_to_group(self, group, o)) return false;
    thread_set_status(self, STATUS_RUNNABLE);
    self->service = thread_in_service_group(o);
    if (name) profile_thread_name(self, name);
    return true;
}

Object *javathread_new_daemon(Thread *self, const char *name, int priority) {
    Object *o = object_new(self, WK(java_lang_Thread));
    if (!o || !construct(self, o, services.system_group, name)) return NULL;
    set_int(o, (size_t)WK_OFF(java_lang_Thread, priority), priority);
    FIELD_AT(o, WK_OFF(java_lang_Thread, daemon), uint8_t) = true;
    return add_to_group(self, services.system_group, o) ? o : NULL;
}

// ---- running and ending --------------------------------------------------------------------

void javathread_run(Thread *self) {
    if (FIELD_AT(self->java_thread, WK_OFF(java_lang_Thread, stillborn), uint8_t) != 0) return;
    Slot receiver = {.o = self->java_thread};
    invoke_virtual(self, WK_M(Thread_run), &receiver, NULL, ENTRY_THREAD);
}

void javathread_dispatch_uncaught(Thread *self) {
    if (!self->exception) return;
    if (atomic_load(&vm.init_level) < 1) {
        exception_print_native(self);
        return;
    }
    Object *e = exception_take(self);
    Slot args[2] = {{.o = self->java_thread}, {.o = e}};
    if (invoke_method(self, WK_M(Thread_dispatchUncaughtException), args, NULL, ENTRY_VM)) return;
    e = exception_take(self);  // an exception of the handler is only reported
    char name[64];
    thread_name(self, name, sizeof name);
    fprintf(stderr, "\nException: %s thrown from the UncaughtExceptionHandler in thread \"%s\"\n",
            class_external_name(object_class(e)), name);
}

// Makes isAlive false and wakes joiners; nothing else does. If the monitor cannot be entered because memory is short,
// the fields are set without it.
static void end_java_thread(Thread *self) {
    Object *o = self->java_thread;
    bool locked = monitor_enter(self, o);
    exception_clear(self);
    THREAD_REPORT(sync_release, self, o, thread_end_address(o));
    THREAD_REPORT(sync_release, self, o, (const char *)o + WK_OFF(java_lang_Thread, threadStatus));
    THREAD_REPORT(sync_release, self, o, (const char *)o + WK_OFF(java_lang_Thread, eetop));
    thread_set_status(self, STATUS_TERMINATED);
    set_long_release(o, (size_t)WK_OFF(java_lang_Thread, eetop), 0);
    if (!locked) return;
    monitor_notify(self, o, true);
    monitor_exit(self, o);
}

void javathread_exit(Thread *self) {
    if (!self->java_thread) return;
    javathread_dispatch_uncaught(self);
    Slot receiver = {.o = self->java_thread};
    if (!invoke_method(self, WK_M(Thread_exit), &receiver, NULL, ENTRY_VM)) exception_clear(self);
    end_java_thread(self);
}

// eetop is zero before the start and after the end.
bool javathread_is_alive(const Thread *t) {
    return t->java_thread && get_long_acquire(t->java_thread, (size_t)WK_OFF(java_lang_Thread, eetop)) != 0;
}

// ---- starting in place ---------------------------------------------------------------------

bool javathread_start_in_place(Thread *self, Object *thread) {
    static const struct {
        const char *cls, *method;
    } places[] = {
        {"jdk/internal/misc/Signal", "dispatch"},
        {"java/lang/ApplicationShutdownHooks", "runHooks"},
    };
    const Method *starter = NULL;  // the method that calls Thread.start
    StackWalk w;
    stackwalk_begin(&w, self);
    while (!starter && stackwalk_next(&w))
        if (!class_is_subtype(w.method->cls, WK(java_lang_Thread))) starter = w.method;
    if (!starter || starter->cls->loader->java_loader) return false;
    bool ends_program = false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        ends_program |= starter->cls->name == symbol_of(places[i].cls) && starter->name == symbol_of(places[i].method);
    if (!ends_program) return false;
    Object *own = self->java_thread;
    self->java_thread = thread;
    set_long_release(thread, (size_t)WK_OFF(java_lang_Thread, eetop), (int64_t)(uintptr_t)self);
    thread_set_status(self, STATUS_RUNNABLE);
    javathread_run(self);
    javathread_exit(self);
    self->java_thread = own;
    return true;
}
