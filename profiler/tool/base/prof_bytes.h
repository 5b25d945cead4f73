// Binary formats in growing buffers (base/bytebuffer.h). Out of memory ends the program with a message when the content
// is read.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_BYTES_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_BYTES_H

#include "base/bytebuffer.h"
#include "profiler/tool/base/prof_memory.h"

// The content.
static inline uint8_t *prof_bytes(const Bytes *b) {
    if (b->failed) prof_out_of_memory();
    return b->data;
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
    proto_bytes(m, field, prof_bytes(inner), inner->size);
    inner->size = 0;
}

#endif
