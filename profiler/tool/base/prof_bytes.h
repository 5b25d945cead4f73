// A growing byte buffer for binary formats. Out of memory ends the program with a message.
#ifndef CABERNET_PROFILER_PROF_BYTES_H
#define CABERNET_PROFILER_PROF_BYTES_H

#include "base/grow.h"
#include "profiler/tool/base/prof_memory.h"

// Zeroed: empty. The owner frees `bytes`.
typedef struct Bytes {
    uint8_t *bytes;
    size_t size, capacity;
} Bytes;

void bytes_put(Bytes *b, const void *from, size_t size);

static inline void bytes_byte(Bytes *b, uint8_t byte) { bytes_put(b, &byte, 1); }

// LEB128, as in protocol buffers and in this project's files.
static inline void bytes_varint(Bytes *b, uint64_t v) {
    if (!GROW(b->bytes, b->capacity, b->size + 10)) prof_out_of_memory();
    for (; v > 0x7f; v >>= 7) b->bytes[b->size++] = (uint8_t)(v | 0x80);
    b->bytes[b->size++] = (uint8_t)v;
}

// A length, then the bytes.
static inline void bytes_text(Bytes *b, const char *text) {
    size_t n = strlen(text);
    bytes_varint(b, n);
    bytes_put(b, text, n);
}

// ---- protocol buffers: the wire format of protobuf.dev -----------------------------------------

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static inline void proto_number(Bytes *m, int field, uint64_t v) {
    bytes_varint(m, (uint64_t)field << 3 | WIRE_VARINT);
    bytes_varint(m, v);
}

static inline void proto_bytes(Bytes *m, int field, const void *bytes, size_t size) {
    bytes_varint(m, (uint64_t)field << 3 | WIRE_BYTES);
    bytes_varint(m, size);
    bytes_put(m, bytes, size);
}

static inline void proto_text(Bytes *m, int field, const char *text) { proto_bytes(m, field, text, strlen(text)); }

// Appends `inner` as a field of message `m` and empties it.
static inline void proto_message(Bytes *m, int field, Bytes *inner) {
    proto_bytes(m, field, inner->bytes, inner->size);
    inner->size = 0;
}

#endif
