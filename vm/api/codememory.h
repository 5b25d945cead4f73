// Memory for machine code and the constants beside it: one reserved range, so that everything in it is
// within reach of a 32-bit displacement, given out in blocks and taken back. Blocks share pages, and code is
// written by compile threads while other code on the same page runs; therefore the range is mapped twice: a
// writable view, in which blocks are handed out and code is linked, and an executable one, in which it runs. No
// page is writable and executable at one address, and linking and releasing change no protection. What lies in
// the arena refers to other things in it by displacement only, which is the same in both views
// (jit/backend/elfobject.c checks it). All tiers share the range. Thread-safe (one lock, never held long); no function
// allocates Java objects, throws or reaches a safepoint.
//
// The memory is shared with processes forked from this one: a child that is to go on running compiled code while
// its parent compiles has to make a copy of its own first. (No child does today.) codememory_allocate
// fails in a child, because parent and child would give out the same block.
#ifndef CABERNET_VM_API_CODEMEMORY_H
#define CABERNET_VM_API_CODEMEMORY_H

#include <stdbool.h>
#include <stddef.h>

// The range that the tiers share: address space, not memory.
enum { ARENA_ALIGN = 64, CODEMEMORY_BYTES = 512 << 20 };

#pragma GCC visibility push(default)

// Reserves the range unless it is reserved already, with the size of the first call. Any thread. False when the system
// refuses; a later call tries again.
bool codememory_init(size_t bytes);
// At least `bytes`, aligned to ARENA_ALIGN, in the writable view; NULL when there is no such block
// or no range.
void *codememory_allocate(size_t bytes);
void codememory_free(void *block);  // NULL is fine
// The address in the executable view of what has this one in the writable view.
void *codememory_executable(const void *writable);
size_t codememory_used(void);       // bytes given out
size_t codememory_left(void);       // bytes not given out, in pieces perhaps

#pragma GCC visibility pop

// Around a fork (vm/boot/subsystems.h): compile threads may hold the lock.
void codememory_before_fork(void);
void codememory_after_fork_parent(void);
void codememory_after_fork_child(void);

#endif
