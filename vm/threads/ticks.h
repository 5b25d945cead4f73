// The interface between pthreads and the samples of time (vm/timing/): starts and ends of pthreads, their purpose, and
// recovery from faults while an unprepared stack is walked.
#ifndef CABERNET_VM_THREADS_TICKS_H
#define CABERNET_VM_THREADS_TICKS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

// The purpose of a pthread that runs no thread of the VM.
typedef enum TickRole { TICK_OTHER, TICK_COMPILER, TICK_COLLECTOR, TICK_ROLES } TickRole;

// Called by each pthread of the VM at its start and end. Takes a lock briefly while time is sampled.
void ticks_pthread_begins(TickRole role);
void ticks_pthread_ends(void);
// The role of the calling pthread. Async-signal-safe, like the functions below.
TickRole ticks_role(void);

// Ticks of the calling pthread's timer of processor time: the timer begins; `n` ticks have arrived; the number that should
// have arrived by now with that period, but has not, because the kernel looks at timers only now and then. 0 if the timer
// began on another pthread.
void ticks_begin(void);
void ticks_arrived(uint32_t n);
uint32_t ticks_missing(int64_t period_ns);

// Until it is called again, with NULL, a fault of the calling pthread leads back to `buffer` (_setjmp).
void ticks_recover_to(jmp_buf *buffer);
// Called by the handler of faults first. Returns unless the fault leads back.
void ticks_recover(void);

#endif
