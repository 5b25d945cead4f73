// Potential deadlocks (profiler/concurrency/lockorder.c).
#ifndef CABERNET_PROFILER_CONCURRENCY_LOCKORDER_H
#define CABERNET_PROFILER_CONCURRENCY_LOCKORDER_H

#include <stdbool.h>

// Is a method watched (ProfilerInterface.match) because it reveals the owner of a lock of java.util.concurrent? Class
// name in internal form. Any thread.
bool lockorder_watches(const char *class_name, const char *name);

#endif
