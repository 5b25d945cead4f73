// The state of this room, but for signals and crashes, whose own is read in signal handlers.
#ifndef CABERNET_VM_SERVICES_INTERNAL_H
#define CABERNET_VM_SERVICES_INTERNAL_H

#include <stdatomic.h>

#include "vm/model/class.h"
#include "vm/threads/thread.h"

typedef struct Services {
    Object *system_group, *main_group;       // javathread.c; roots, constant after the start
    _Atomic(Thread *) reference_handler;     // references.c; never ends, once it has waited
    _Atomic bool oom_reported;               // outofmemory.c
    // threadlocks.c: AbstractOwnableSynchronizer and the offset of its owner, known once it is loaded. The class is
    // stored last; racing callers store the same.
    _Atomic(Class *) ownable;
    _Atomic size_t ownable_owner;
} Services;
extern Services services;  // javathread.c

#endif
