// Services that natives need from higher rooms. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_NATIVES_HOOKS_H
#define CABERNET_VM_NATIVES_HOOKS_H

#include <stddef.h>

#include "vm/model/class.h"

typedef struct NativesHooks {
    // vm/management/perfdata.h
    void *(*map_perfdata)(const char *user, long pid, size_t *size, const char **error);
    // Called before reflection calls a static method (reflected: true); running, may stop the world, may throw.
    void (*calls_static)(Thread *self, const Method *m, bool reflected);
} NativesHooks;

extern const NativesHooks natives_hooks;

#endif
