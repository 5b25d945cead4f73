// What the template tier asks those who choose what is compiled. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_TEMPLATE_HOOKS_H
#define CABERNET_VM_TEMPLATE_HOOKS_H

#include "vm/api/methodcounts.h"

typedef struct TemplateHooks {
    // The counts of a method for the plans of the optimising tier, with so many blocks and selecting invocations (vm/api/compiler.h,
    // compiler_method_counts); NULL: it is not counted.
    MethodCounts *(*method_counts)(Method *m, uint32_t blocks, uint32_t receivers);
} TemplateHooks;

extern const TemplateHooks template_hooks;

#endif
