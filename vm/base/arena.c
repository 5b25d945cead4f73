// Bump allocation for class metadata: see vm/base/arena.h. The list of chunks is only needed to free them.
#include "vm/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { CHUNK_LIMIT = 1 << 20 };

typedef struct Chunk {
    struct Chunk *next;
    size_t bytes;
} Chunk;

void *arena_malloc(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) grow_out_of_memory(bytes);
    return p;
}

void arena_init(Arena *a, size_t first_chunk) {
    memset(a, 0, sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    a->chunk = first_chunk;
}

static void account(Arena *a, size_t bytes) {
    if (!a->account) return;
    atomic_fetch_add_explicit(&a->account->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->account->changes, 1, memory_order_relaxed);
}

// calloc returns zeroed memory, and fresh pages from the kernel need not be touched for that.
static Chunk *new_chunk(Arena *a, size_t bytes) {
    Chunk *c = arena_malloc(bytes + sizeof(Chunk));
    c->next = a->chunks;
    c->bytes = bytes;
    a->chunks = c;
    a->allocated += bytes;
    account(a, bytes);
    return c;
}

void *arena_alloc(Arena *a, size_t bytes) {
    size_t align = bytes > 8 ? 16 : 8;
    void *result;
    pthread_mutex_lock(&a->lock);
    char *p = (char *)(((uintptr_t)a->next + align - 1) & ~(uintptr_t)(align - 1));
    if (a->next && p + bytes <= a->end) {
        a->next = p + bytes;
        result = p;
    } else if (bytes > a->chunk / 4) {
        result = new_chunk(a, bytes) + 1;
    } else {
        Chunk *c = new_chunk(a, a->chunk);
        if (a->chunk < CHUNK_LIMIT) a->chunk *= 2;
        result = c + 1;
        a->next = (char *)result + bytes;
        a->end = (char *)(c + 1) + c->bytes;
    }
    pthread_mutex_unlock(&a->lock);
    return result;
}

char *arena_strndup(Arena *a, const char *s, size_t len) {
    char *copy = arena_alloc(a, len + 1);
    memcpy(copy, s, len);
    return copy;
}

void arena_free(Arena *a) {
    Chunk *c = a->chunks;
    while (c) {
        Chunk *next = c->next;
        free(c);
        c = next;
    }
    account(a, -a->allocated);
    pthread_mutex_destroy(&a->lock);
    memset(a, 0, sizeof *a);
}

void arena_each_chunk(const Arena *a, void (*fn)(void *arg, const char *begin, const char *end), void *arg) {
    for (Chunk *c = a->chunks; c; c = c->next) fn(arg, (char *)(c + 1), (char *)(c + 1) + c->bytes);
}
