// What services need of the rooms above. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_SERVICES_HOOKS_H
#define CABERNET_VM_SERVICES_HOOKS_H

#include "vm/threads/thread.h"

typedef struct ServiceHooks {
    // SIGQUIT has come: whether a tool that wants to attach sent it (vm/management/attach.h). [switch]
    bool (*attach_requested)(Thread *self);
    // Whether code at `pc` may access memory that is gone: compiled code, or an accessor of Unsafe. Async-signal-safe, on
    // a running thread.
    bool (*may_fault)(uintptr_t pc);
    void (*stop_subsystems)(void);  // vm/boot/subsystems.h: once, when the process is about to end
} ServiceHooks;

extern const ServiceHooks service_hooks;

#endif
