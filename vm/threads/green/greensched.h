// The green scheduler: who may run, on which pthread.
//
//   Processor  the right to run Java: there are `carriers=M` of them, each with a run queue and
//              allocation lists.
//   Carrier    a pthread. Those that the scheduler makes have a stack of their own, on which they
//              look for work, and switch to threads' stacks; a thread that is attached brings its
//              pthread along, and that carrier runs nothing else.
//
// A running thread has a processor, and so a carrier. A thread in a native call or another long
// wait keeps its carrier (the code is on that pthread) but may lose the processor, which goes on
// with the next thread on a spare carrier; when it comes back it waits for a processor like any
// other. A thread that has native frames below it, or is attached, cannot leave its carrier: when
// it blocks, the carrier sleeps, and the processor goes on elsewhere.
//
// Locks, in this order, after the list lock of threads: sched_lock (who has which processor, idle
// and spare lists; `processor` of threads that do not run), a processor's queue lock. Both are held
// for a few instructions (sched_lock also over a membarrier). Scheduler code may run while the
// world is stopped: it touches no object and no allocation list.
#ifndef CABERNET_VM_GREENSCHED_H
#define CABERNET_VM_GREENSCHED_H

#include "vm/threads/threadevents.h"
#include "vm/threads/thread.h"

typedef struct Processor Processor;
typedef struct Carrier Carrier;

// Once. `yieldpoints`: a thread's turn is that many yieldpoints; 0: quantum_ns.
bool greensched_init(int processors, int64_t quantum_ns, int32_t yieldpoints);

// Makes t, which has stacks and never ran, runnable; it begins with entry(t). False: no carrier can
// be had at all.
bool greensched_start(Thread *t, void (*entry)(Thread *t));
// t stays with the calling pthread. False: no memory.
bool greensched_adopt(Thread *t);
// t ends: it is running, and still has its processor and its carrier afterwards. What it returns
// goes to greensched_gone, which must be the last thing: it does not return for threads that the
// scheduler started.
Carrier *greensched_abandon(Thread *self);
void greensched_gone(Carrier *c);

// All in a safe state. The first returns when t was made runnable (greensched_wake) or its deadline
// has passed; at once when Thread.event is WOKEN already.
void greensched_block(Thread *self, int64_t deadline);
void greensched_yield(Thread *self, ThreadSwitchReason reason);
void greensched_regain(Thread *self);
void greensched_hand_off(Thread *self);

// t was asleep (Thread.event) and is not any more. Any thread.
void greensched_wake(Thread *t, Thread *by);
// It has native frames below it or is attached: it cannot leave its pthread.
bool greensched_must_stay(const Thread *t);
// There is a processor that nobody has a use for.
bool greensched_is_idle(void);
// Somebody else waits for the processor of the running thread `self`.
bool greensched_others_wait(const Thread *self);

// How long t has had a processor.
uint64_t greensched_ns(const Thread *t);
// A stack with room on it for fn; NULL: the caller's own has it.
void *greensched_large_stack(Thread *self);
// The pthread that t is inside a native call on gets the signal; a wait for a descriptor ends.
void greensched_signal(Thread *t, int sig);

// ---- for the monitor (greenmonitor.c) --------------------------------------------------------

bool greensched_work_waits(void);
// Looks at every processor once: takes those of threads that have been out of Java for long, asks
// threads whose time is up to yield, gives idle ones to carriers. List lock held.
void greensched_tick(int64_t now);

// Around a fork, world stopped. In the child `self` keeps its processor and its carrier, and nobody waits to run.
void greensched_before_fork(void);
void greensched_after_fork_parent(void);
// `self` NULL: a shadow; nobody has a processor, and nobody waits for one until greensched_go_on.
void greensched_after_fork_child(Thread *self);
// In a shadow: t, whose stack nobody is on, goes on where it stood in thread_run_again. One that is bound gets a pthread
// of its own for that. False: the system refuses.
bool greensched_go_on(Thread *t);

#endif
