// The heap's callbacks (gc/heap.h), implemented with threads, handles, roots and weak tables.
#ifndef CABERNET_VM_BOOT_HEAPGLUE_H
#define CABERNET_VM_BOOT_HEAPGLUE_H

#include "vm/threads/roots.h"
#include "vm/threads/thread.h"

// Calls heap_init with the sizes from the options. Before the first attach. False: *error is static text.
bool heapglue_init(const char **error);

// Collector thread, world stopped: passes the roots of a thread to `fn`; or those of no thread, except for class loaders
// and classes, which are kept by loading (vm/loading/metaspace.h), and references found by the collector.
void heapglue_each_thread_root(const Thread *t, RootFn *fn, void *arg);
void heapglue_each_global_root(RootFn *fn, void *arg);

#endif
