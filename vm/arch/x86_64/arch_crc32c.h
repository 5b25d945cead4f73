// CRC-32C (Castagnoli) with the processor's instruction, SSE 4.2.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_CRC32C_H
#define CABERNET_VM_ARCH_X86_64_ARCH_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool arch_has_crc32c(void) { return __builtin_cpu_supports("sse4.2"); }

// Updates `crc` with n bytes, without inversion before or after. Only if the processor has the instruction.
__attribute__((target("sse4.2"))) static inline uint32_t arch_crc32c(uint32_t crc, const uint8_t *at, size_t n) {
    uint64_t c = crc, word;
    for (; n >= 8; at += 8, n -= 8) {
        memcpy(&word, at, 8);
        c = __builtin_ia32_crc32di(c, word);
    }
    uint32_t rest = (uint32_t)c;
    for (; n > 0; at++, n--) rest = __builtin_ia32_crc32qi(rest, *at);
    return rest;
}

#endif
