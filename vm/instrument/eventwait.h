// The VM's side of sinks that wait (vm/api/eventwait.h).
#ifndef CABERNET_VM_INSTRUMENT_EVENTWAIT_H
#define CABERNET_VM_INSTRUMENT_EVENTWAIT_H

#include "vm/api/eventwait.h"
#include "vm/api/thread.h"

// Waits as the thread's sinks have asked. On the current thread, running, in a yieldpoint or at the thread's end.
// [switch]
void eventwait_serve(Thread *self);

// From now on nobody waits, for nobody is left to wait for: the profile is about to be written, or this is a fork's child.
void eventwait_end(void);

#endif
