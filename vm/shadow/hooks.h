// Functions that shadows need from higher layers. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_SHADOW_HOOKS_H
#define CABERNET_VM_SHADOW_HOOKS_H

#include "vm/model/object.h"

typedef struct ShadowHooks {
    // Forks from a pthread that is no thread of the VM and has stopped the world, including the actions of all parts of
    // the VM before and after (vm/boot/subsystems.def). In the child, sets `threads.shadow` and calls `begin` first.
    int (*fork)(void (*begin)(void));
    // Entries of the program's code are replaced by code compiled for shadows, and activations of the program's code
    // leave it. World stopped. Returns the number of methods and loops with such code.
    uint32_t (*enter_prepared_code)(Thread *self);
    // While true, no installed code is released, because a shadow may be about to copy it.
    void (*keep_code)(bool keep);
    // Prevents threads from loading a native library until the release; false: a load is in progress. World stopped. In
    // the child of a fork it is released with `child`.
    bool (*hold_libraries)(void);
    void (*release_libraries)(bool child);
    // The range that holds all code; empty: there is no code. World stopped.
    void (*code_addresses)(uintptr_t *begin, uintptr_t *end);
} ShadowHooks;

extern const ShadowHooks shadow_hooks;

#endif
