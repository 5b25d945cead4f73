// The VM's side of sinks that wait (vm/api/eventwait.h).
#ifndef CABERNET_VM_INSTRUMENT_EVENTWAIT_H
#define CABERNET_VM_INSTRUMENT_EVENTWAIT_H

#include "vm/api/eventwait.h"
#include "vm/api/thread.h"

// Performs the waits that the thread's sinks have requested. On the current thread, running, at a yieldpoint or at
// the thread's end. [switch]
void eventwait_serve(Thread *self);

// From now on no thread waits, because no wait would end: the profile is about to be written, or this is a fork's
// child.
void eventwait_end(void);
// The profile ends, and with it the stopped thread's requests to wait.
void eventwait_forget(Thread *t);

#endif
