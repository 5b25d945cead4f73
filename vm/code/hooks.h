// Whom compiled code tells what happens in it: those who choose what is compiled (vm/adaptive/tiering.h).
// vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_CODE_HOOKS_H
#define CABERNET_VM_CODE_HOOKS_H

#include "vm/api/compiler.h"

typedef struct CodeHooks {
    bool (*hot_method)(Thread *self, Method *m);
    bool (*hot_code)(Thread *self, Method *m, int32_t bci);
    void (*deoptimized)(Thread *self, Code *code, const DeoptPoint *point);
} CodeHooks;

extern const CodeHooks code_hooks;

#endif
