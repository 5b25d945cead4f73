// Functions of the linker that loading needs. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_LOADING_HOOKS_H
#define CABERNET_VM_LOADING_HOOKS_H

#include "vm/model/class.h"

typedef struct LoadingHooks {
    bool (*link_class)(Thread *self, Class *cls);  // vm/linking/link.h: false with an exception pending
    void (*vtable_made)(VTable *vt);               // before it is visible: initialises its part for interface calls
} LoadingHooks;

extern const LoadingHooks loading_hooks;

#endif
