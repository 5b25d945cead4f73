// Callbacks of the template tier into vm/adaptive. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_TEMPLATE_HOOKS_H
#define CABERNET_VM_TEMPLATE_HOOKS_H

#include "vm/api/methodcounts.h"

typedef struct TemplateHooks {
    // The counts of a method for the plans of the optimising tier (methodcounts_make in vm/adaptive/methodcounts.h), or
    // NULL if the method is not counted. `receivers`: the number of invocations that select by the receiver.
    MethodCounts *(*method_counts)(Method *m, uint32_t blocks, uint32_t receivers);
    // The same for its recent counts (MethodCounts.recent).
    MethodCounts *(*recent_counts)(Method *m, uint32_t blocks, uint32_t receivers);
} TemplateHooks;

extern const TemplateHooks template_hooks;

#endif
