// The functions of digests.h in C, for processors without instructions for them. The loops over rounds are unrolled, so
// the rotation of the words in each round costs nothing.
#include "vm/natives/digests.h"

#include <string.h>

#include "arch_digest.h"

static uint32_t rotate(uint32_t v, unsigned n) { return v << n | v >> (32 - n); }
static uint64_t rotate_right(uint64_t v, unsigned n) { return v >> n | v << (64 - n); }

// ---- MD5 -----------------------------------------------------------------------------------------

// 2^32 times the absolute values of the sines of 1 to 64.
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

// One round: the index of the message word, and the rotation.
#define MD5_ROUND(i, function, index, rotation)                   \
    {                                                             \
        uint32_t sum = a + (function) + sines[i] + m[(index)&15]; \
        a = d, d = c, c = b, b += rotate(sum, rotation);          \
    }

void digests_md5(void *words, const uint8_t *at, size_t blocks) {
    uint32_t *state = words;
    static const uint8_t rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    for (; blocks > 0; blocks--, at += 64) {
        uint32_t m[16], a = state[0], b = state[1], c = state[2], d = state[3];
        memcpy(m, at, 64);
#pragma GCC unroll 16
        for (unsigned i = 0; i < 16; i++) MD5_ROUND(i, d ^ (b & (c ^ d)), i, rotations[0][i & 3])
#pragma GCC unroll 16
        for (unsigned i = 16; i < 32; i++) MD5_ROUND(i, (d & b) + (~d & c), 5 * i + 1, rotations[1][i & 3])
#pragma GCC unroll 16
        for (unsigned i = 32; i < 48; i++) MD5_ROUND(i, b ^ c ^ d, 3 * i + 5, rotations[2][i & 3])
#pragma GCC unroll 16
        for (unsigned i = 48; i < 64; i++) MD5_ROUND(i, c ^ (b | ~d), 7 * i, rotations[3][i & 3])
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    }
}

// ---- SHA-1 ---------------------------------------------------------------------------------------

#define SHA1_ROUND(i, function, constant)                                                                     \
    {                                                                                                         \
        if (i >= 16) m[i & 15] = rotate(m[(i + 13) & 15] ^ m[(i + 8) & 15] ^ m[(i + 2) & 15] ^ m[i & 15], 1); \
        uint32_t sum = rotate(a, 5) + (function) + e + constant + m[i & 15];                                  \
        e = d, d = c, c = rotate(b, 30), b = a, a = sum;                                                      \
    }

static void sha1(uint32_t *state, const uint8_t *at, size_t blocks) {
    for (; blocks > 0; blocks--, at += 64) {
        uint32_t m[16], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
        memcpy(m, at, sizeof m);
        for (unsigned i = 0; i < 16; i++) m[i] = __builtin_bswap32(m[i]);
#pragma GCC unroll 20
        for (unsigned i = 0; i < 20; i++) SHA1_ROUND(i, d ^ (b & (c ^ d)), 0x5a827999)
#pragma GCC unroll 20
        for (unsigned i = 20; i < 40; i++) SHA1_ROUND(i, b ^ c ^ d, 0x6ed9eba1)
#pragma GCC unroll 20
        for (unsigned i = 40; i < 60; i++) SHA1_ROUND(i, (b & c) | (d & (b | c)), 0x8f1bbcdc)
#pragma GCC unroll 20
        for (unsigned i = 60; i < 80; i++) SHA1_ROUND(i, b ^ c ^ d, 0xca62c1d6)
        state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
    }
}

void digests_sha1(void *state, const uint8_t *at, size_t blocks) {
    if (arch_has_sha()) arch_sha1(state, at, blocks);
    else sha1(state, at, blocks);
}

// ---- SHA-256 and SHA-512 -------------------------------------------------------------------------

// Fractional parts of the cube roots of the first primes.
static const uint32_t roots256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint64_t roots512[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

// One round: `t` has the eight words, whose positions rotate with `i`; `m` has the last sixteen words of the expanded
// message.
#define WORD(k) t[((k)-i) & 7]
#define SHA2_ROUND(type, S0, S1, s0, s1, constants)                                                        \
    {                                                                                                      \
        if (i >= 16) m[i & 15] += s0(m[(i + 1) & 15]) + m[(i + 9) & 15] + s1(m[(i + 14) & 15]);            \
        type e = WORD(4u), a = WORD(0u), b = WORD(1u), c = WORD(2u);                                       \
        type sum = WORD(7u) + S1(e) + (WORD(6u) ^ (e & (WORD(5u) ^ WORD(6u)))) + constants[i] + m[i & 15]; \
        WORD(3u) += sum;                                                                                   \
        WORD(7u) = sum + S0(a) + ((a & b) | (c & (a | b)));                                                \
    }

#define S0_256(v) (rotate(v, 30) ^ rotate(v, 19) ^ rotate(v, 10))
#define S1_256(v) (rotate(v, 26) ^ rotate(v, 21) ^ rotate(v, 7))
#define s0_256(v) (rotate(v, 25) ^ rotate(v, 14) ^ (v) >> 3)
#define s1_256(v) (rotate(v, 15) ^ rotate(v, 13) ^ (v) >> 10)

static void sha256(uint32_t *state, const uint8_t *at, size_t blocks) {
    for (; blocks > 0; blocks--, at += 64) {
        uint32_t m[16], t[8];
        memcpy(m, at, sizeof m);
        for (unsigned k = 0; k < 16; k++) m[k] = __builtin_bswap32(m[k]);
        memcpy(t, state, sizeof t);
#pragma GCC unroll 64
        for (unsigned i = 0; i < 64; i++) SHA2_ROUND(uint32_t, S0_256, S1_256, s0_256, s1_256, roots256)
        for (unsigned k = 0; k < 8; k++) state[k] += t[k];
    }
}

void digests_sha256(void *state, const uint8_t *at, size_t blocks) {
    if (arch_has_sha()) arch_sha256(state, at, blocks, roots256);
    else sha256(state, at, blocks);
}

#define S0_512(v) (rotate_right(v, 28) ^ rotate_right(v, 34) ^ rotate_right(v, 39))
#define S1_512(v) (rotate_right(v, 14) ^ rotate_right(v, 18) ^ rotate_right(v, 41))
#define s0_512(v) (rotate_right(v, 1) ^ rotate_right(v, 8) ^ (v) >> 7)
#define s1_512(v) (rotate_right(v, 19) ^ rotate_right(v, 61) ^ (v) >> 6)

void digests_sha512(void *words, const uint8_t *at, size_t blocks) {
    uint64_t *state = words;
    for (; blocks > 0; blocks--, at += 128) {
        uint64_t m[16], t[8];
        memcpy(m, at, sizeof m);
        for (unsigned k = 0; k < 16; k++) m[k] = __builtin_bswap64(m[k]);
        memcpy(t, state, sizeof t);
#pragma GCC unroll 80
        for (unsigned i = 0; i < 80; i++) SHA2_ROUND(uint64_t, S0_512, S1_512, s0_512, s1_512, roots512)
        for (unsigned k = 0; k < 8; k++) state[k] += t[k];
    }
}
