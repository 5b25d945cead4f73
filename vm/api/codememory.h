// Memory for machine code and its constants, shared by all tiers. It is one reserved range, allocated in blocks, so
// that everything in it is within reach of a 32-bit displacement. Blocks share pages, and a thread may write code while
// other code on the same page runs. Therefore the range is mapped twice: a writable view, in which blocks are allocated
// and code is linked, and an executable view, in which code runs. No page is writable and executable at one address,
// and linking and releasing change no protection. Code refers to other code and constants in the range by displacement
// only, which is the same in both views (jit/backend/elfobject.c checks it). Thread-safe (one lock, never held long);
// no function allocates Java objects, throws or reaches a safepoint.
//
// Forked processes share the memory. A child that runs compiled code while its parent compiles would need a private
// copy; no child does so today. codememory_allocate fails in a child, because parent and child would allocate the same
// block.
#ifndef CABERNET_VM_API_CODEMEMORY_H
#define CABERNET_VM_API_CODEMEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Size of the range, which is address space, not memory.
enum { ARENA_ALIGN = 64, CODEMEMORY_BYTES = 512 << 20 };

#pragma GCC visibility push(default)

// Reserves the range unless it is reserved already, with the size of the first call. Any thread. False when the system
// refuses; a later call tries again.
bool codememory_init(size_t bytes);
// Allocates at least `bytes`, aligned to ARENA_ALIGN, in the writable view. NULL when no block is large enough or the
// range is not reserved.
void *codememory_allocate(size_t bytes);
void codememory_free(void *block);  // NULL is fine
// The executable view's address for an address in the writable view.
void *codememory_executable(const void *writable);
// Whether the address is in the executable view. Async-signal-safe.
bool codememory_has(uintptr_t address);
size_t codememory_used(void);  // allocated bytes
size_t codememory_left(void);  // free bytes, perhaps not contiguous

#pragma GCC visibility pop

// Around a fork (vm/boot/subsystems.h): compile threads may hold the lock.
void codememory_before_fork(void);
void codememory_after_fork_parent(void);
void codememory_after_fork_child(void);

#endif
