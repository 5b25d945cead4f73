// A growing buffer of bytes for binary formats. Zeroed it is empty; the owner frees `data`. Out of memory is recorded
// in `failed`: later additions have no effect, so the owner checks once, at the end. Not thread-safe.
#ifndef CABERNET_BASE_BYTEBUFFER_H
#define CABERNET_BASE_BYTEBUFFER_H

#include "base/grow.h"

typedef struct Bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} Bytes;

// Makes room for `more` bytes after the content. False when out of memory, now or earlier.
static inline bool bytes_room(Bytes *b, size_t more) {
    if (!b->failed && !GROW(b->data, b->capacity, b->size + more)) b->failed = true;
    return !b->failed;
}

static inline void bytes_put(Bytes *b, const void *from, size_t n) {
    if (!n || !bytes_room(b, n)) return;
    memcpy(b->data + b->size, from, n);
    b->size += n;
}

static inline void bytes_byte(Bytes *b, uint8_t byte) { bytes_put(b, &byte, 1); }

// LEB128, as in protocol buffers and in this project's files.
static inline void bytes_varint(Bytes *b, uint64_t v) {
    uint8_t out[10];
    size_t n = 0;
    for (; v > 0x7f; v >>= 7) out[n++] = (uint8_t)(v | 0x80);
    out[n++] = (uint8_t)v;
    bytes_put(b, out, n);
}

// A length, then the bytes.
static inline void bytes_text(Bytes *b, const char *text) {
    size_t n = strlen(text);
    bytes_varint(b, n);
    bytes_put(b, text, n);
}

// The `size` low bytes of `v`, the lowest first.
static inline void bytes_fixed(Bytes *b, uint64_t v, int size) {
    uint8_t out[8];
    for (int i = 0; i < size; i++) out[i] = (uint8_t)(v >> 8 * i);
    bytes_put(b, out, (size_t)size);
}

#endif
