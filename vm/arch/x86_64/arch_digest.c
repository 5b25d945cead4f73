// The instructions do four rounds of SHA-1 and two of SHA-256. `words` has the last sixteen words of the expanded
// message, four in a vector: group g of four rounds uses vector g mod 4, which is then the oldest one and is replaced.
#include "arch_digest.h"

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

#define SHA __attribute__((target("sha,sse4.1,ssse3")))

// Not every compiler's __builtin_cpu_supports has them, and in a virtual machine `cpuid` takes a microsecond or more.
static struct ArchDigest {
    _Atomic(int) has_sha;  // 0: not asked yet, 1: no, 2: yes
} arch_digest;

bool arch_has_sha(void) {
    int known = atomic_load_explicit(&arch_digest.has_sha, memory_order_relaxed);
    if (known == 0) {
        unsigned a, b = 0, c, d;
        bool has = __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
        known = has ? 2 : 1;
        atomic_store_explicit(&arch_digest.has_sha, known, memory_order_relaxed);
    }
    return known == 2;
}

SHA static inline __m128i load(const uint8_t *at, __m128i order) {
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at), order);
}

// The function depends on the round number, so it must be a constant.
#define SHA1_ROUNDS(function)                                                                              \
    for (unsigned n = 0; n < 5; n++, g++) {                                                                \
        __m128i *w = &words[g & 3];                                                                        \
        if (g >= 4) {                                                                                      \
            __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(*w, words[(g + 1) & 3]), words[(g + 2) & 3]); \
            *w = _mm_sha1msg2_epu32(mixed, words[(g + 3) & 3]);                                            \
        }                                                                                                  \
        __m128i fifth = g == 0 ? _mm_add_epi32(before, *w) : _mm_sha1nexte_epu32(before, *w);              \
        before = four;                                                                                     \
        four = _mm_sha1rnds4_epu32(four, fifth, function);                                                 \
    }

SHA void arch_sha1(uint32_t state[5], const uint8_t *at, size_t blocks) {
    const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);  // the first word uppermost
    __m128i four = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1b);
    __m128i fifth_word = _mm_set_epi32((int)state[4], 0, 0, 0);
    for (; blocks > 0; blocks--, at += 64) {
        const __m128i old = four, old_fifth = fifth_word;
        __m128i words[4], before = fifth_word;
        for (unsigned i = 0; i < 4; i++) words[i] = load(at + 16 * i, order);
        unsigned g = 0;
        SHA1_ROUNDS(0)
        SHA1_ROUNDS(1)
        SHA1_ROUNDS(2)
        SHA1_ROUNDS(3)
        fifth_word = _mm_sha1nexte_epu32(before, old_fifth);
        four = _mm_add_epi32(four, old);
    }
    _mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(four, 0x1b));
    state[4] = (uint32_t)_mm_extract_epi32(fifth_word, 3);
}

// One half of the state has words a, b, e and f; the other has c, d, g and h.
SHA void arch_sha256(uint32_t state[8], const uint8_t *at, size_t blocks, const uint32_t constants[64]) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; blocks > 0; blocks--, at += 64) {
        const __m128i old_abef = abef, old_cdgh = cdgh;
        __m128i words[4];
        for (unsigned i = 0; i < 4; i++) words[i] = load(at + 16 * i, order);
#pragma GCC unroll 16
        for (unsigned g = 0; g < 16; g++) {
            __m128i *w = &words[g & 3], last = words[(g + 3) & 3];
            if (g >= 4) {
                __m128i older = _mm_add_epi32(_mm_sha256msg1_epu32(*w, words[(g + 1) & 3]),
                                              _mm_alignr_epi8(last, words[(g + 2) & 3], 4));
                *w = _mm_sha256msg2_epu32(older, last);
            }
            __m128i sums = _mm_add_epi32(*w, _mm_loadu_si128((const __m128i *)(constants + 4 * g)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
        }
        abef = _mm_add_epi32(abef, old_abef);
        cdgh = _mm_add_epi32(cdgh, old_cdgh);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
