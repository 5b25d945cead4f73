// AES, GHASH and CRC-32 with the processor's instructions (AES-NI, carry-less multiplication).
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_CIPHER_H
#define CABERNET_VM_ARCH_X86_64_ARCH_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All other functions require that the processor has the instructions.
static inline bool arch_has_aes(void) { return __builtin_cpu_supports("aes") && __builtin_cpu_supports("ssse3"); }
static inline bool arch_has_clmul(void) { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

// An expanded key as words in big-endian order, four for each round and four more. For decryption it is the key of the
// equivalent inverse cipher (FIPS 197, 5.3.5), in the order of its rounds, but with the last four words first.
typedef struct ArchAesKey {
    const uint32_t *words;
    unsigned rounds;
} ArchAesKey;

// Blocks have 16 bytes. `to` and `from` are the same or do not overlap.
void arch_aes_ecb(ArchAesKey key, bool encrypts, uint8_t *to, const uint8_t *from, size_t blocks);
// `last`: the last block of ciphertext; updated.
void arch_aes_cbc_encrypt(ArchAesKey key, uint8_t last[16], uint8_t *to, const uint8_t *from, size_t blocks);
void arch_aes_cbc_decrypt(ArchAesKey key, uint8_t last[16], uint8_t *to, const uint8_t *from, size_t blocks);
// The counter, big-endian, is incremented for each block.
void arch_aes_ctr(ArchAesKey key, uint8_t counter[16], uint8_t *to, const uint8_t *from, size_t blocks);

// GHASH (NIST SP 800-38D, 6.4) with the hash subkey h. `state` and `h` are the halves of a block as big-endian numbers,
// the upper one first.
void arch_ghash(uint64_t state[2], const uint64_t h[2], const uint8_t *from, size_t blocks);

// Updates `crc`, the register of CRC-32 (not inverted), with n bytes: a multiple of 16 and at least 64.
uint32_t arch_crc32(uint32_t crc, const uint8_t *at, size_t n);

#endif
