// Bump allocation for metadata that lives as long as its class loader (or the process). Memory is
// zeroed and 16-byte aligned where asked for more than 8 bytes, else 8-byte aligned. Any thread; a
// short lock per arena. Native memory running out ends the process with a message: no Java program
// can do anything about it. Never holds references to Java objects.
#ifndef CABERNET_VM_ARENA_H
#define CABERNET_VM_ARENA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// What several arenas have together.
typedef struct ArenaAccount {
    _Atomic size_t bytes;      // of chunks
    _Atomic uint64_t changes;  // chunks that have come and gone
} ArenaAccount;

typedef struct Arena {
    pthread_mutex_t lock;
    char *next, *end;
    size_t chunk;      // size of the next chunk; grows to a limit
    size_t allocated;  // bytes of chunks
    void *chunks;
    ArenaAccount *account;  // of which it is part; NULL: of none. Set before the first allocation
} Arena;

void arena_init(Arena *a, size_t first_chunk);
void *arena_alloc(Arena *a, size_t bytes);
char *arena_strndup(Arena *a, const char *s, size_t len);  // NUL-terminated copy
void arena_free(Arena *a);
// Each piece of memory it has. The caller sees to it that nobody allocates meanwhile.
void arena_each_chunk(const Arena *a, void (*fn)(void *arg, const char *begin, const char *end), void *arg);

// For malloc that must not fail: prints and exits.
void *arena_malloc(size_t bytes);   // zeroed; free() it

#endif
