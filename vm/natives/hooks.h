// What natives need of the rooms above. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_NATIVES_HOOKS_H
#define CABERNET_VM_NATIVES_HOOKS_H

#include <stddef.h>

typedef struct NativesHooks {
    // vm/management/perfdata.h
    void *(*map_perfdata)(const char *user, long pid, size_t *size, const char **error);
} NativesHooks;

extern const NativesHooks natives_hooks;

#endif
