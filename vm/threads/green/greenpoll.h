// Waiting for descriptors. Instead of waiting in a system call until a socket is readable or writable, a green thread
// waits here, switched out, and makes the call when the socket is ready. So waiting takes no pthread. Linux only
// (epoll).
#ifndef CABERNET_VM_THREADS_GREEN_GREENPOLL_H
#define CABERNET_VM_THREADS_GREEN_GREENPOLL_H

#include "vm/threads/thread.h"

typedef enum GreenPollResult {
    GREENPOLL_READY,  // one of the events, an error or a hang-up
    GREENPOLL_TIMEOUT,
    GREENPOLL_STOPPED,  // greenpoll_stop
    GREENPOLL_CANNOT,   // not for this descriptor or thread: wait in the system call
} GreenPollResult;

// Waits until the descriptor has one of `events` (of poll(2)). Between the return and the caller's system call another
// thread may use the descriptor first; the caller has to handle that. Running state. [switch]
GreenPollResult greenpoll_wait(Thread *self, int fd, uint32_t events, int64_t deadline);

// Ends t's wait if it is in one. The list lock keeps t alive. Any thread.
void greenpoll_stop(Thread *t);

// ---- for the scheduler -----------------------------------------------------------------------

// Makes threads runnable whose descriptors are ready, without waiting. False: there are none. For a carrier that has
// found no other work.
bool greenpoll_harvest(void);
// A processor has become idle.
void greenpoll_rouse(void);

// In a shadow: a thread that waits for a descriptor finds it ready. It then makes its call, which is replayed.
void greenpoll_end_wait(Thread *t);

// In the child of a fork, with the lock, which it releases: threads that wait for a descriptor do not exist there.
void greenpoll_after_fork_child(void);

#endif
