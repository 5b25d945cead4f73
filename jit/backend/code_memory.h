// Memory for machine code and the constants beside it: one reserved range, so that everything in it is
// within reach of a 32-bit displacement, given out in blocks and taken back. Pages are readable, writable
// and executable: blocks share pages, and code is written by compile threads while other code on the
// same page runs. Thread-safe (one lock, never held long).
#ifndef CABERNET_JIT_ARENA_H
#define CABERNET_JIT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

enum { ARENA_ALIGN = 64 };

// Reserves the range; false when the system refuses. Once.
bool arena_init(size_t bytes);
// At least `bytes`, aligned to ARENA_ALIGN; NULL when there is no such block.
void *arena_allocate(size_t bytes);
void arena_free(void *block);  // NULL is fine
size_t arena_used(void);       // bytes given out
size_t arena_left(void);       // bytes not given out, in pieces perhaps
bool arena_contains(const void *address);

#endif
