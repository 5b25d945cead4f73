// Waiting for descriptors. A green thread that would wait in a system call for a socket to become
// readable or writable waits here instead, switched out, and makes the call when it is ready: so
// that waiting takes no pthread. Linux only (epoll).
#ifndef CABERNET_VM_GREENPOLL_H
#define CABERNET_VM_GREENPOLL_H

#include "vm/threads/thread.h"

typedef enum GreenPollResult {
    GREENPOLL_READY,    // one of the events, an error or a hang-up
    GREENPOLL_TIMEOUT,
    GREENPOLL_STOPPED,  // greenpoll_stop
    GREENPOLL_CANNOT,   // not with this descriptor or this thread: the system call must do the waiting
} GreenPollResult;

// Waits until the descriptor has one of `events` (of poll(2)). What happens to it between the return
// and the caller's system call is the caller's affair: another thread may have been faster. Running
// state. [switch]
GreenPollResult greenpoll_wait(Thread *self, int fd, uint32_t events, int64_t deadline);

// Ends t's wait if it is in one. t cannot end meanwhile (list lock). Any thread.
void greenpoll_stop(Thread *t);

// ---- for the scheduler -----------------------------------------------------------------------

// Makes those runnable whose descriptors are ready, and does not wait. False: there is none. For a
// carrier that has found no other work.
bool greenpoll_harvest(void);
// A processor has become idle.
void greenpoll_rouse(void);

// Around a fork: whoever waits for a descriptor is not in the child.
void greenpoll_before_fork(void);
void greenpoll_after_fork_parent(void);
void greenpoll_after_fork_child(void);

#endif
