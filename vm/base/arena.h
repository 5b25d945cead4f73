// Bump allocation for metadata that lives as long as its class loader (or the process). Memory is zeroed; blocks of
// more than 8 bytes are 16-byte aligned, others 8-byte aligned. Any thread; each arena has a lock that is held briefly.
// Out of native memory ends the process with a message, since a Java program cannot handle that. Never holds references
// to Java objects.
#ifndef CABERNET_VM_BASE_ARENA_H
#define CABERNET_VM_BASE_ARENA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// The sum over several arenas.
typedef struct ArenaAccount {
    _Atomic size_t bytes;      // of chunks
    _Atomic uint64_t changes;  // chunks allocated or freed
} ArenaAccount;

typedef struct Arena {
    pthread_mutex_t lock;
    char *next, *end;
    size_t chunk;      // size of the next chunk; grows up to a limit
    size_t allocated;  // bytes of chunks
    void *chunks;
    ArenaAccount *account;  // the account it counts in, or NULL. Set before the first allocation
} Arena;

void arena_init(Arena *a, size_t first_chunk);
void *arena_alloc(Arena *a, size_t bytes);
char *arena_strndup(Arena *a, const char *s, size_t len);  // NUL-terminated copy
void arena_free(Arena *a);
// Calls fn for each chunk. The caller ensures that no thread allocates meanwhile.
void arena_each_chunk(const Arena *a, void (*fn)(void *arg, const char *begin, const char *end), void *arg);

// Replacements of malloc that must not fail: they print and exit.
void *arena_malloc(size_t bytes);  // zeroed; free() it

#endif
