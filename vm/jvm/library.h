// Loading of native libraries around a fork.
#ifndef CABERNET_VM_LIBRARY_H
#define CABERNET_VM_LIBRARY_H

#include <stdbool.h>

// Nobody loads or unloads a library, or looks for its functions, until library_release. False: somebody is doing so. Never waits.
// World stopped; any thread.
bool library_hold(void);
// By the same thread, or in the child of a fork that it has made.
void library_release(bool child);

#endif
