// The exit hooks (vm/base/exithooks.h): a list that only grows at its head. A hook is complete before the head points
// to it, so a thread that walks the list sees whole entries even while other threads register hooks. Entries are never
// freed.
#include "vm/base/exithooks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ExitHook {
    struct ExitHook *older;
    void (*fn)(void);
} ExitHook;

static struct ExitHooks { ExitHook *_Atomic newest; } exithooks;

void exithooks_add(void (*fn)(void)) {
    ExitHook *hook = malloc(sizeof *hook);
    if (!hook) {
        fputs("cabernet: out of memory for an exit hook\n", stderr);
        abort();
    }
    hook->fn = fn;
    hook->older = atomic_load_explicit(&exithooks.newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&exithooks.newest, &hook->older, hook, memory_order_release,
                                                  memory_order_relaxed)) {}
}

void exithooks_run(void) {
    for (ExitHook *hook = atomic_load_explicit(&exithooks.newest, memory_order_acquire); hook; hook = hook->older)
        hook->fn();
}
