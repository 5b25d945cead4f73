// Services that objects need from higher rooms. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_OBJECTS_HOOKS_H
#define CABERNET_VM_OBJECTS_HOOKS_H

#include "vm/model/class.h"

typedef struct ObjectHooks {
    // vm/runtime/exception.h
    void (*throw_wk)(Thread *self, const char *cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
    void (*throw_oom)(Thread *self, const char *message);  // NULL: the message for a full heap, which needs no memory
    void (*throw_npe)(Thread *self);
    // Out of memory: performs the actions that the options request (vm/services/outofmemory.h).
    void (*out_of_memory)(Thread *self, const char *message);
    bool (*link_class)(Thread *self, Class *cls);         // vm/linking/link.h
    Class *(*array_of)(Thread *self, Class *component);   // vm/loading/arrayclass.h
    bool (*register_finalizer)(Thread *self, Object *o);  // java.lang.ref.Finalizer.register
} ObjectHooks;

extern const ObjectHooks object_hooks;

#endif
