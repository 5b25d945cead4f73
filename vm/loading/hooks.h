// What loading needs of the linker. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_LOADING_HOOKS_H
#define CABERNET_VM_LOADING_HOOKS_H

#include "vm/model/class.h"

typedef struct LoadingHooks {
    bool (*link_class)(Thread *self, Class *cls);  // vm/linking/link.h: false with an exception pending
    void (*vtable_made)(VTable *vt);               // before anybody sees it: what interface calls keep there
} LoadingHooks;

extern const LoadingHooks loading_hooks;

#endif
