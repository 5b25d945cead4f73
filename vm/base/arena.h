// Bump allocation for metadata that lives as long as its class loader (or the process). Memory is
// zeroed and 16-byte aligned where asked for more than 8 bytes, else 8-byte aligned. Any thread; a
// short lock per arena. Native memory running out ends the process with a message: no Java program
// can do anything about it. Never holds references to Java objects.
#ifndef CABERNET_VM_ARENA_H
#define CABERNET_VM_ARENA_H

#include <pthread.h>
#include <stddef.h>

typedef struct Arena {
    pthread_mutex_t lock;
    char *next, *end;
    size_t chunk;      // size of the next chunk; grows to a limit
    size_t allocated;  // bytes of chunks
    void *chunks;
} Arena;

void arena_init(Arena *a, size_t first_chunk);
void *arena_alloc(Arena *a, size_t bytes);
char *arena_strndup(Arena *a, const char *s, size_t len);  // NUL-terminated copy
void arena_free(Arena *a);

// For malloc that must not fail: prints and exits.
void *arena_malloc(size_t bytes);   // zeroed; free() it

#endif
