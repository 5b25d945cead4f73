// What shadows need of the rooms above. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_SHADOW_HOOKS_H
#define CABERNET_VM_SHADOW_HOOKS_H

#include "vm/model/object.h"

typedef struct ShadowHooks {
    // A fork by a pthread that is no thread of the VM's and has stopped the world, with what all parts of the VM do before
    // and after (vm/boot/subsystems.def). In the child `threads.shadow` is set first, and `begin` called.
    int (*fork)(void (*begin)(void));
    // The program's code is entered no more, and what is in it leaves it; what was compiled for shadows is entered. World stopped.
    // How many methods and loops have some.
    uint32_t (*enter_prepared_code)(Thread *self);
    // While true, no code is released that was installed: a shadow may be about to copy it.
    void (*keep_code)(bool keep);
    // Nobody loads a native library, until it is released; false: somebody does. World stopped. In the child of a fork it is
    // released with `child`.
    bool (*hold_libraries)(void);
    void (*release_libraries)(bool child);
    // The range that holds all code; empty: there is none. World stopped.
    void (*code_addresses)(uintptr_t *begin, uintptr_t *end);
} ShadowHooks;

extern const ShadowHooks shadow_hooks;

#endif
