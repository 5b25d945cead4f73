// Services that this room needs from higher ones. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_SERVICES_HOOKS_H
#define CABERNET_VM_SERVICES_HOOKS_H

#include "vm/threads/roots.h"
#include "vm/threads/thread.h"

typedef struct ServiceHooks {
    // SIGQUIT was received: did a tool that wants to attach send it (vm/management/attach.h)? [switch]
    bool (*attach_requested)(Thread *self);
    // May code at `pc` access unmapped memory? It may if it is compiled code or an Unsafe accessor. Async-signal-safe,
    // on a running thread.
    bool (*may_fault)(uintptr_t pc);
    // For heap dumps: vm/boot/heapglue.h.
    void (*each_thread_root)(const Thread *t, RootFn *fn, void *arg);
    void (*each_global_root)(RootFn *fn, void *arg);
    void (*stop_subsystems)(void);  // vm/boot/subsystems.h: once, before the process ends
} ServiceHooks;

extern const ServiceHooks service_hooks;

#endif
