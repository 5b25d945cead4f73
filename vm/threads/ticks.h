// What pthreads and the samples of time (vm/timing/) need of each other: which pthreads there are, and what happens if
// the walk of an unprepared stack reads memory that does not exist.
#ifndef CABERNET_VM_THREADS_TICKS_H
#define CABERNET_VM_THREADS_TICKS_H

#include <setjmp.h>
#include <stdbool.h>

// What a pthread is for, if it runs no thread of the VM.
typedef enum TickRole { TICK_OTHER, TICK_COMPILER, TICK_COLLECTOR, TICK_ROLES } TickRole;

// Called by each pthread of the VM at its start and end. Takes a lock briefly while time is sampled.
void ticks_pthread_begins(TickRole role);
void ticks_pthread_ends(void);
// The role of the calling pthread. Async-signal-safe, like the functions below.
TickRole ticks_role(void);

// Until it is called again, with NULL, a fault of the calling pthread leads back to `buffer` (_setjmp).
void ticks_recover_to(jmp_buf *buffer);
// Called by the handler of faults first. Returns unless the fault leads back.
void ticks_recover(void);

#endif
