// Stacks of green threads: address space, guard pages, reuse.
#ifndef CABERNET_VM_GREENSTACK_H
#define CABERNET_VM_GREENSTACK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GreenStack {
    char *base;         // of the mapping, a guard page
    char *c_low;        // C stack: [c_low, c_top), grows down
    char *c_top;        // Java stack: [c_top, end), grows up; a guard page follows
    char *end;
} GreenStack;

// Memory for both stacks, in whole pages; zero where it has never been used, otherwise whatever
// the last user left. False: no memory. Takes a lock for a moment.
bool greenstack_take(size_t c_size, size_t java_size, GreenStack *out);
// Gives back what greenstack_take returned under this base and these sizes.
void greenstack_give(char *base, size_t c_size, size_t java_size);

// Around a fork, in the parent and in the child: the pools' lock is the caller's.
void greenstack_before_fork(void);
void greenstack_after_fork(void);

#endif
