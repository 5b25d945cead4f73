// Reading the numbers that bytes_varint (base/bytebuffer.h) writes.
#ifndef CABERNET_BASE_VARINT_H
#define CABERNET_BASE_VARINT_H

#include <stdint.h>

// Reads a number of at most 32 bits and advances *at past it. The bytes must be whole. Async-signal-safe.
static inline uint32_t varint_read(const uint8_t **at) {
    uint32_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        v |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80) || shift > 21) return v;
    }
}

#endif
