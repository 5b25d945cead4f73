// The state of this room, except for signals and crashes, whose state is read in signal handlers.
#ifndef CABERNET_VM_SERVICES_SERVICES_INTERNAL_H
#define CABERNET_VM_SERVICES_SERVICES_INTERNAL_H

#include <stdatomic.h>

#include "vm/model/class.h"
#include "vm/threads/thread.h"

typedef struct Services {
    Object *system_group, *main_group;    // javathread.c; roots, constant after the start
    _Atomic(Thread *) reference_handler;  // references.c; set once it has waited, never ends
    _Atomic bool oom_reported;            // outofmemory.c
    // threadlocks.c: AbstractOwnableSynchronizer and the offset of its owner, once loaded. The class is stored last;
    // racing callers store the same values.
    _Atomic(Class *) ownable;
    _Atomic size_t ownable_owner;
} Services;
extern Services services;  // javathread.c

#endif
