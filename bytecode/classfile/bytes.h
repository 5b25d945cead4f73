/*
 * Big-endian reads from class-file bytes, which are unaligned (JVMS 4.1). The caller has checked
 * the bounds.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_BYTES_H
#define CABERNET_BYTECODE_CLASSFILE_BYTES_H

#include <stdint.h>

static inline int8_t bytes_s1(const uint8_t *p) { return (int8_t)p[0]; }
static inline uint16_t bytes_u2(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline int16_t bytes_s2(const uint8_t *p) { return (int16_t)bytes_u2(p); }
static inline uint32_t bytes_u4(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline int32_t bytes_s4(const uint8_t *p) { return (int32_t)bytes_u4(p); }
static inline uint64_t bytes_u8(const uint8_t *p) { return (uint64_t)bytes_u4(p) << 32 | bytes_u4(p + 4); }

#endif
