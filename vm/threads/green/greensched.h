// The green scheduler: which thread may run, and on which pthread.
//
//   Processor  the right to run Java. There are `carriers=M` processors, each with a run queue and allocation lists.
//   Carrier    a pthread. The scheduler's own carriers have a stack, on which they look for work, and switch to
//              threads' stacks. An attached thread brings its pthread along as a carrier that runs nothing else.
//
// A running thread has a processor, and therefore a carrier. A thread in a native call or another long wait keeps its
// carrier (the code is on that pthread) but may lose its processor, which continues with the next thread on a spare
// carrier. When the thread returns it waits for a processor like any other. A thread that has native frames or is
// attached cannot leave its carrier: when it blocks, the carrier sleeps, and the processor continues on another
// carrier.
//
// Locks, in this order, after the list lock of threads: sched_lock (ownership of processors, idle and spare lists, and
// `processor` of threads that do not run), then a processor's queue lock. Both are held for a few instructions
// (sched_lock also over a membarrier). Scheduler code may run while the world is stopped: it accesses no object and no
// allocation list.
#ifndef CABERNET_VM_THREADS_GREEN_GREENSCHED_H
#define CABERNET_VM_THREADS_GREEN_GREENSCHED_H

#include "vm/threads/threadevents.h"
#include "vm/threads/thread.h"

typedef struct Processor Processor;
typedef struct Carrier Carrier;

// Once. `yieldpoints`: a quantum is that many yieldpoints; 0: it is quantum_ns.
bool greensched_init(int processors, int64_t quantum_ns, int32_t yieldpoints);

// Makes t, which has stacks and has never run, runnable; it starts with entry(t). False: no carrier is available at
// all.
bool greensched_start(Thread *t, void (*entry)(Thread *t));
// Binds t to the calling pthread. False: no memory.
bool greensched_adopt(Thread *t);
// Ends t, which is running and keeps its processor and its carrier. The result is passed to greensched_gone, which must
// be the last action: it does not return for threads that the scheduler started.
Carrier *greensched_abandon(Thread *self);
void greensched_gone(Carrier *c);

// All in a safe state. The first returns when t was made runnable (greensched_wake) or its deadline has passed; at once
// when Thread.event is WOKEN already.
void greensched_block(Thread *self, int64_t deadline);
void greensched_yield(Thread *self, ThreadSwitchReason reason);
void greensched_regain(Thread *self);
void greensched_hand_off(Thread *self);

// Makes runnable t, which was asleep (Thread.event) and no longer is. Any thread.
void greensched_wake(Thread *t, Thread *by);
// Whether t cannot leave its pthread: it has native frames or is attached.
bool greensched_must_stay(const Thread *t);
// Whether another thread waits for the processor of the running thread `self`.
bool greensched_others_wait(const Thread *self);

// The total time that t has had a processor.
uint64_t greensched_ns(const Thread *t);
// A stack with space for fn; NULL: the caller's own stack has enough.
void *greensched_large_stack(Thread *self);
// Sends the signal to the pthread on which t is in a native call; ends a wait for a descriptor.
void greensched_signal(Thread *t, int sig);
// The system's number for the pthread that t is on; 0: none. List lock held.
int greensched_os_id(const Thread *t);

// ---- for the monitor (greenmonitor.c) --------------------------------------------------------

bool greensched_work_waits(void);
// Examines every processor once: takes those of threads that have been outside Java for too long, asks threads whose
// quantum has expired to yield, gives idle ones to carriers. List lock held.
void greensched_tick(int64_t now);

// Around a fork, world stopped. In the child `self` keeps its processor and its carrier, and no thread waits to run.
// `self` NULL: in a shadow; no thread has a processor, and none waits for one until greensched_continue.
void greensched_after_fork_child(Thread *self);
// In a shadow: t, whose stack is not in use, continues where it was in thread_run_again. A bound thread gets its own
// pthread for that. False: the system refuses.
bool greensched_continue(Thread *t);

#endif
