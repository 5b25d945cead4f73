// Memory for the stacks of threads, for both backends: address space, guard pages, reuse.
#ifndef CABERNET_VM_THREADS_THREADSTACK_H
#define CABERNET_VM_THREADS_THREADSTACK_H

#include <stdbool.h>
#include <stddef.h>

// Returns the lowest address of `bytes` bytes (whole pages). Memory never used before is zero; otherwise it holds what
// the last user left. NULL: memory is out. Takes a lock briefly; neither allocates in the Java heap nor throws.
char *threadstack_take(size_t bytes);
// Returns memory of threadstack_take with the same size. Any pthread.
void threadstack_give(char *low, size_t bytes);

// Reserves another `bytes` of the address space for purposes other than stacks allocated from now on: the compiler ends
// the process if it gets no memory. Any pthread.
void threadstack_leave(size_t bytes);

// Around a fork, in the parent and in the child: the caller holds the pools' lock meanwhile.
void threadstack_before_fork(void);
void threadstack_after_fork(void);

#endif
