// Independent blocks are processed in parallel: an AES instruction has a latency of some cycles, but one can start in
// each cycle.
#include "arch_cipher.h"

#include <immintrin.h>
#include <string.h>

#define AES __attribute__((target("aes,ssse3")))
#define CLMUL __attribute__((target("pclmul,sse4.1,ssse3")))
#define INLINE __attribute__((always_inline)) static inline

enum { MANY = 8, MOST_ROUNDS = 14 };

static inline __m128i load(const void *at) { return _mm_loadu_si128((const __m128i *)at); }
static inline void store(void *at, __m128i v) { _mm_storeu_si128((__m128i *)at, v); }

// ---- AES -----------------------------------------------------------------------------------------

AES static void load_key(__m128i rows[MOST_ROUNDS + 1], ArchAesKey key, bool encrypts) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    for (unsigned i = 0; i <= key.rounds; i++)
        rows[i] = _mm_shuffle_epi8(load(key.words + 4 * ((i + !encrypts) % (key.rounds + 1))), order);
}

#define FOR_ALL _Pragma("GCC unroll 8") for (unsigned k = 0; k < n; k++)
AES INLINE void code(__m128i *x, unsigned n, const __m128i *rows, unsigned rounds, bool encrypts) {
    FOR_ALL x[k] = _mm_xor_si128(x[k], rows[0]);
    for (unsigned r = 1; r < rounds; r++) {
        __m128i row = rows[r];
        FOR_ALL x[k] = encrypts ? _mm_aesenc_si128(x[k], row) : _mm_aesdec_si128(x[k], row);
    }
    FOR_ALL x[k] = encrypts ? _mm_aesenclast_si128(x[k], rows[rounds]) : _mm_aesdeclast_si128(x[k], rows[rounds]);
}

AES INLINE void ecb(uint8_t *to, const uint8_t *from, unsigned n, const __m128i *rows, unsigned rounds, bool encrypts) {
    __m128i x[MANY];
    FOR_ALL x[k] = load(from + 16 * k);
    code(x, n, rows, rounds, encrypts);
    FOR_ALL store(to + 16 * k, x[k]);
}

AES void arch_aes_ecb(ArchAesKey key, bool encrypts, uint8_t *to, const uint8_t *from, size_t blocks) {
    __m128i rows[MOST_ROUNDS + 1];
    load_key(rows, key, encrypts);
    for (; blocks >= MANY; blocks -= MANY, to += 16 * MANY, from += 16 * MANY) {
        if (encrypts) ecb(to, from, MANY, rows, key.rounds, true);
        else ecb(to, from, MANY, rows, key.rounds, false);
    }
    for (; blocks > 0; blocks--, to += 16, from += 16) {
        if (encrypts) ecb(to, from, 1, rows, key.rounds, true);
        else ecb(to, from, 1, rows, key.rounds, false);
    }
}

AES void arch_aes_cbc_encrypt(ArchAesKey key, uint8_t last[16], uint8_t *to, const uint8_t *from, size_t blocks) {
    __m128i rows[MOST_ROUNDS + 1], x = load(last);
    load_key(rows, key, true);
    for (; blocks > 0; blocks--, to += 16, from += 16) {
        x = _mm_xor_si128(x, load(from));
        code(&x, 1, rows, key.rounds, true);
        store(to, x);
    }
    store(last, x);
}

// Returns the last block of ciphertext; `last` is the block before `from`.
AES INLINE __m128i cbc_decrypt(uint8_t *to, const uint8_t *from, unsigned n, const __m128i *rows, unsigned rounds,
                               __m128i last) {
    __m128i x[MANY], cipher[MANY];
    FOR_ALL x[k] = cipher[k] = load(from + 16 * k);
    code(x, n, rows, rounds, false);
    store(to, _mm_xor_si128(x[0], last));
    for (unsigned k = 1; k < n; k++) store(to + 16 * k, _mm_xor_si128(x[k], cipher[k - 1]));
    return cipher[n - 1];
}

AES void arch_aes_cbc_decrypt(ArchAesKey key, uint8_t last[16], uint8_t *to, const uint8_t *from, size_t blocks) {
    __m128i rows[MOST_ROUNDS + 1], before = load(last);
    load_key(rows, key, false);
    for (; blocks >= MANY; blocks -= MANY, to += 16 * MANY, from += 16 * MANY)
        before = cbc_decrypt(to, from, MANY, rows, key.rounds, before);
    for (; blocks > 0; blocks--, to += 16, from += 16) before = cbc_decrypt(to, from, 1, rows, key.rounds, before);
    store(last, before);
}

AES INLINE __m128i next_counter(uint64_t counter[2]) {
    __m128i v = _mm_set_epi64x((long long)__builtin_bswap64(counter[1]), (long long)__builtin_bswap64(counter[0]));
    if (++counter[1] == 0) counter[0]++;
    return v;
}

AES INLINE void ctr(uint64_t counter[2], uint8_t *to, const uint8_t *from, unsigned n, const __m128i *rows,
                    unsigned rounds) {
    __m128i x[MANY];
    FOR_ALL x[k] = next_counter(counter);
    code(x, n, rows, rounds, true);
    FOR_ALL store(to + 16 * k, _mm_xor_si128(x[k], load(from + 16 * k)));
}

AES void arch_aes_ctr(ArchAesKey key, uint8_t counter[16], uint8_t *to, const uint8_t *from, size_t blocks) {
    __m128i rows[MOST_ROUNDS + 1];
    uint64_t count[2];
    load_key(rows, key, true);
    memcpy(count, counter, 16);
    for (int i = 0; i < 2; i++) count[i] = __builtin_bswap64(count[i]);
    for (; blocks >= MANY; blocks -= MANY, to += 16 * MANY, from += 16 * MANY)
        ctr(count, to, from, MANY, rows, key.rounds);
    for (; blocks > 0; blocks--, to += 16, from += 16) ctr(count, to, from, 1, rows, key.rounds);
    for (int i = 0; i < 2; i++) count[i] = __builtin_bswap64(count[i]);
    memcpy(counter, count, 16);
}

// ---- GHASH ---------------------------------------------------------------------------------------

// Product modulo x^128 + x^7 + x^2 + x + 1 of polynomials whose lowest coefficient is the highest bit. The product of
// the reversed numbers is one bit too low, so it is shifted, and is reduced from the low end.
CLMUL INLINE __m128i multiply(__m128i a, __m128i b) {
    __m128i low = _mm_clmulepi64_si128(a, b, 0x00), high = _mm_clmulepi64_si128(a, b, 0x11);
    __m128i middle = _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x10), _mm_clmulepi64_si128(a, b, 0x01));
    low = _mm_xor_si128(low, _mm_slli_si128(middle, 8));
    high = _mm_xor_si128(high, _mm_srli_si128(middle, 8));
    __m128i low_carry = _mm_srli_epi32(low, 31), high_carry = _mm_srli_epi32(high, 31);
    low = _mm_or_si128(_mm_slli_epi32(low, 1), _mm_slli_si128(low_carry, 4));
    high = _mm_or_si128(_mm_slli_epi32(high, 1), _mm_slli_si128(high_carry, 4));
    high = _mm_or_si128(high, _mm_srli_si128(low_carry, 12));
    __m128i up = _mm_xor_si128(_mm_xor_si128(_mm_slli_epi32(low, 31), _mm_slli_epi32(low, 30)),
                               _mm_slli_epi32(low, 25));
    low = _mm_xor_si128(low, _mm_slli_si128(up, 12));
    __m128i down = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi32(low, 1), _mm_srli_epi32(low, 2)), _mm_srli_epi32(low, 7));
    down = _mm_xor_si128(down, _mm_srli_si128(up, 4));
    return _mm_xor_si128(high, _mm_xor_si128(low, down));
}

CLMUL void arch_ghash(uint64_t state[2], const uint64_t h[2], const uint8_t *from, size_t blocks) {
    const __m128i reversed = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i x = _mm_set_epi64x((long long)state[0], (long long)state[1]),
            key = _mm_set_epi64x((long long)h[0], (long long)h[1]);
    for (; blocks > 0; blocks--, from += 16)
        x = multiply(_mm_xor_si128(x, _mm_shuffle_epi8(load(from), reversed)), key);
    state[0] = (uint64_t)_mm_extract_epi64(x, 1);
    state[1] = (uint64_t)_mm_extract_epi64(x, 0);
}

// ---- CRC-32 --------------------------------------------------------------------------------------

// Folding (Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", 2009): `by` has powers of
// x modulo the polynomial, bits reversed; the exponents follow from the distance in bits between `v` and `next`.
CLMUL INLINE __m128i fold(__m128i v, __m128i by, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(v, by, 0x00), high = _mm_clmulepi64_si128(v, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

CLMUL uint32_t arch_crc32(uint32_t crc, const uint8_t *at, size_t n) {
    const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4),
                  by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i by_64 = _mm_set_epi64x(0, 0x0163cd6124), polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i words = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i x[4];
    for (int k = 0; k < 4; k++) x[k] = load(at + 16 * k);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)crc));
    for (at += 64, n -= 64; n >= 64; at += 64, n -= 64)
        for (int k = 0; k < 4; k++) x[k] = fold(x[k], by_512, load(at + 16 * k));
    __m128i v = x[0];
    for (int k = 1; k < 4; k++) v = fold(v, by_128, x[k]);
    for (; n >= 16; at += 16, n -= 16) v = fold(v, by_128, load(at));
    v = _mm_xor_si128(_mm_srli_si128(v, 8), _mm_clmulepi64_si128(v, by_128, 0x10));
    v = _mm_xor_si128(_mm_srli_si128(v, 4), _mm_clmulepi64_si128(_mm_and_si128(v, words), by_64, 0x00));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(v, words), polynomial, 0x10);  // Barrett's reduction
    v = _mm_xor_si128(v, _mm_clmulepi64_si128(_mm_and_si128(quotient, words), polynomial, 0x00));
    return (uint32_t)_mm_extract_epi32(v, 1);
}
