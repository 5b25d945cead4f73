// Functions that threads need from higher layers: exceptions, java.lang.Thread, the interpreter's tables, and listeners
// to thread starts and ends. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_THREADS_HOOKS_H
#define CABERNET_VM_THREADS_HOOKS_H

#include "vm/model/dispatch.h"
#include "vm/threads/thread.h"

typedef struct ThreadHooks {
    // vm/runtime/exception.h
    void (*throw_wk)(Thread *self, const char *cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
    void (*throw_oom)(Thread *self, const char *message);
    // vm/interp/interp.h: INTERP_PLAIN is the table of a running thread, INTERP_STOP that of a thread that is to stop.
    const void *const *(*table)(InterpTable which);
    // vm/services/javathread.h
    bool (*create_attached)(Thread *self, const char *name, Object *group, bool daemon);
    Object *(*new_daemon)(Thread *self, const char *name, int priority);
    void (*run)(Thread *self);
    void (*exit)(Thread *self);
    bool (*start_in_place)(Thread *self, Object *java_thread);
    Object *(*main_group)(void);
    // A java.lang.String as malloc'd UTF-8; NULL when memory is out.
    char *(*text)(const Object *string);
    // Called by the thread itself, running: before it executes Java code, when its name is known, at its end.
    void (*started)(Thread *self);
    void (*named)(Thread *t, const char *utf8);
    void (*ending)(Thread *self);
    // In a yieldpoint with POLL_SINK set: waits, and clears the bit. [switch]
    void (*wait_for_sinks)(Thread *self);
    // A pthread of the VM begins, or ends (vm/timing/ticktimer.h).
    void (*pthread_begins)(void);
    void (*pthread_ends)(void);
    const struct JNINativeInterface_ *jni;
} ThreadHooks;

extern const ThreadHooks thread_hooks;

#endif
