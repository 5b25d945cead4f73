// MD5 (RFC 1321), SHA-1, SHA-256 and SHA-512 (FIPS 180-4): their compression functions.
//
// All functions may be called from any thread; none allocates, blocks or throws. Blocks have 64 bytes, in SHA-512 128,
// and need not be aligned. `state` has 4, 5 or 8 words of 32 bits, in SHA-512 8 words of 64 bits.
#ifndef CABERNET_VM_NATIVES_DIGESTS_H
#define CABERNET_VM_NATIVES_DIGESTS_H

#include <stddef.h>
#include <stdint.h>

void digests_md5(void *state, const uint8_t *at, size_t blocks);
void digests_sha1(void *state, const uint8_t *at, size_t blocks);
void digests_sha256(void *state, const uint8_t *at, size_t blocks);
void digests_sha512(void *state, const uint8_t *at, size_t blocks);

#endif
