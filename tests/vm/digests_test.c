// Message digests in C against those that use the processor's instructions, where it has them, and against published
// values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// The functions in C are static, so the file is compiled into this one too.
#define digests_md5 own_md5
#define digests_sha1 own_sha1
#define digests_sha256 own_sha256
#define digests_sha512 own_sha512
#include "vm/natives/digests.c"

// The only block of the message "abc".
static void one_block(uint8_t *block, size_t bytes) {
    memset(block, 0, bytes);
    memcpy(block, "abc\x80", 4);
}

static void c_has_the_published_values(void **state) {
    (void)state;
    uint8_t block[128];
    one_block(block, 64);
    block[63] = 24;
    uint32_t s1[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    static const uint32_t abc1[5] = {0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d};
    sha1(s1, block, 1);
    assert_memory_equal(s1, abc1, sizeof s1);
    uint32_t s256[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    static const uint32_t abc256[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    sha256(s256, block, 1);
    assert_memory_equal(s256, abc256, sizeof s256);
}

static void instructions_agree_with_c(void **state) {
    (void)state;
    uint8_t bytes[64 * 9 + 3];
    uint32_t seed = 1;
    if (!arch_has_sha()) skip();
    for (size_t blocks = 0; blocks <= 8; blocks++)
        for (size_t at = 0; at < 4; at++) {
            uint32_t a[8], b[8];
            for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
            for (int i = 0; i < 8; i++) a[i] = b[i] = seed = seed * 1103515245 + 12345;
            sha1(a, bytes + at, blocks);
            arch_sha1(b, bytes + at, blocks);
            assert_memory_equal(a, b, sizeof a);
            sha256(a, bytes + at, blocks);
            arch_sha256(b, bytes + at, blocks, roots256);
            assert_memory_equal(a, b, sizeof a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_has_the_published_values),
        cmocka_unit_test(instructions_agree_with_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
