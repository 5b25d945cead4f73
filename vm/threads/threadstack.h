// Memory for the stacks of threads, for both backends: address space, guard pages, reuse.
#ifndef CABERNET_VM_THREADSTACK_H
#define CABERNET_VM_THREADSTACK_H

#include <stdbool.h>
#include <stddef.h>

// The lowest address of that many bytes (whole pages): zero where they have never been used, otherwise whatever the last
// user left. NULL: there is no memory. Takes a lock for a moment; neither allocates in the Java heap nor throws.
char *threadstack_take(size_t bytes);
// Gives back what threadstack_take returned for this size. Any pthread.
void threadstack_give(char *low, size_t bytes);

// So many bytes more of the address space are left to others by all stacks that come from now on: the compiler ends the process if it
// gets no memory. Any pthread.
void threadstack_leave(size_t bytes);

// Around a fork, in the parent and in the child: the pools' lock is the caller's.
void threadstack_before_fork(void);
void threadstack_after_fork(void);

#endif
