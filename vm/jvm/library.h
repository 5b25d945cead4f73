// Loading of native libraries around a fork.
#ifndef CABERNET_VM_JVM_LIBRARY_H
#define CABERNET_VM_JVM_LIBRARY_H

#include <stdbool.h>

// Keeps other threads from loading and unloading libraries and from looking up symbols until library_release. False: a
// thread is doing so. Never waits. World stopped; any thread.
bool library_hold(void);
// By the same thread, or in the child that it has forked.
void library_release(bool child);

#endif
