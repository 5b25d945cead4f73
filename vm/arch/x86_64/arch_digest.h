// SHA-1 and SHA-256 with the processor's instructions (SHA extensions).
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_DIGEST_H
#define CABERNET_VM_ARCH_X86_64_ARCH_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool arch_has_sha(void);
// Process blocks of 64 bytes. Only if the processor has the instructions.
void arch_sha1(uint32_t state[5], const uint8_t *at, size_t blocks);
void arch_sha256(uint32_t state[8], const uint8_t *at, size_t blocks, const uint32_t constants[64]);

#endif
