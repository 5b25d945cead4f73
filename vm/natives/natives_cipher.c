// AES and GHASH of com.sun.crypto.provider, CRC-32 and CRC-32C of java.util.zip (rows of intrinsics.def), by processor
// instructions.
//
// All are TRY bodies that check their operands and leave unusual cases to the bytecode: exceptions, processors without
// the instructions, ciphers other than AES, and more bytes than should be processed without a yieldpoint.
#include <string.h>
#include <zlib.h>

#include "arch_cipher.h"
#include "arch_crc32c.h"
#include "vm/natives/fieldplaces.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/objects/objects.h"

enum { MOST = 1 << 20, BLOCK = 16 };

#define BYTES(a) ARRAY_DATA(a, uint8_t)

// ---- AES -----------------------------------------------------------------------------------------

// The key of a cipher, if it is an AESCrypt.
static bool key_of(const Object *cipher, ArchAesKey *key) {
    const Object *words = arch_has_aes() ? fieldplaces_get(cipher, PLACE_aes_key) : NULL;
    if (!words || (words->length != 44 && words->length != 52 && words->length != 60)) return false;
    *key = (ArchAesKey){ARRAY_DATA(words, uint32_t), (unsigned)words->length / 4 - 1};
    return true;
}

static bool code_block(Slot *args, bool encrypts) {
    ArchAesKey key;
    const Object *from = args[1].o, *to = args[3].o;
    if (!in_array(from, args[2].i, BLOCK) || !in_array(to, args[4].i, BLOCK) || !key_of(args[0].o, &key)) return false;
    if (from == to && args[2].i != args[4].i) return false;
    arch_aes_ecb(key, encrypts, BYTES(to) + args[4].i, BYTES(from) + args[2].i, 1);
    return true;
}

// A function of the table for each direction.
#define CODER(name, code, direction)      \
    bool name(Thread *self, Slot *args) { \
        (void)self;                       \
        return code(args, direction);     \
    }
CODER(aes_encryptBlock, code_block, true)
CODER(aes_decryptBlock, code_block, false)

// The arguments of a mode of operation: receiver, input, offset, length, output, offset.
typedef struct Mode {
    ArchAesKey key;
    const uint8_t *from;
    uint8_t *to;
    int32_t length;
} Mode;

static bool begin_mode(const Slot *args, Mode *m) {
    const Object *from = args[1].o, *to = args[4].o;
    m->length = args[3].i;
    if (m->length > MOST || !in_array(from, args[2].i, m->length) || !in_array(to, args[5].i, m->length)) return false;
    if ((from == to && args[2].i != args[5].i) || !key_of(fieldplaces_get(args[0].o, PLACE_cipher), &m->key))
        return false;
    m->from = BYTES(from) + args[2].i;
    m->to = BYTES(to) + args[5].i;
    return true;
}

static uint8_t *block_in(const Object *o, FieldPlace place) {
    Object *array = fieldplaces_get(o, place);
    return array && array->length == BLOCK ? BYTES(array) : NULL;
}

static bool code_ecb(Slot *args, bool encrypts) {
    Mode m;
    if (!begin_mode(args, &m) || m.length % BLOCK != 0) return false;
    arch_aes_ecb(m.key, encrypts, m.to, m.from, (size_t)m.length / BLOCK);
    args[0].i = m.length;
    return true;
}

CODER(aes_ecbEncrypt, code_ecb, true)
CODER(aes_ecbDecrypt, code_ecb, false)

static bool code_cbc(Slot *args, void (*code)(ArchAesKey, uint8_t *, uint8_t *, const uint8_t *, size_t)) {
    Mode m;
    uint8_t *last = block_in(args[0].o, PLACE_cbc_last);
    if (!last || !begin_mode(args, &m) || m.length % BLOCK != 0) return false;
    code(m.key, last, m.to, m.from, (size_t)m.length / BLOCK);
    args[0].i = m.length;
    return true;
}

CODER(aes_cbcEncrypt, code_cbc, arch_aes_cbc_encrypt)
CODER(aes_cbcDecrypt, code_cbc, arch_aes_cbc_decrypt)

// Starts with the rest of the last encrypted counter block, and keeps the rest of the next one.
bool aes_ctrCrypt(Thread *self, Slot *args) {
    (void)self;
    Mode m;
    uint8_t *counter = block_in(args[0].o, PLACE_ctr_counter), *encrypted = block_in(args[0].o, PLACE_ctr_encrypted);
    int32_t *used = counter && encrypted ? fieldplaces_in(args[0].o, PLACE_ctr_used) : NULL;
    if (!used || *used < 0 || *used > BLOCK || !begin_mode(args, &m)) return false;
    int32_t left = m.length;
    for (; left > 0 && *used < BLOCK; left--) *m.to++ = *m.from++ ^ encrypted[(*used)++];
    int32_t whole = left / BLOCK * BLOCK;
    arch_aes_ctr(m.key, counter, m.to, m.from, (size_t)whole / BLOCK);
    left -= whole;
    if (left > 0) {
        memset(encrypted, 0, BLOCK);
        arch_aes_ctr(m.key, counter, encrypted, encrypted, 1);
        for (*used = 0; *used < left; ++*used) m.to[whole + *used] = m.from[whole + *used] ^ encrypted[*used];
    }
    args[0].i = m.length;
    return true;
}

// GHASH.processBlocks: data, offset, blocks, state, subkey.
bool ghash_blocks(Thread *self, Slot *args) {
    (void)self;
    const Object *from = args[0].o, *state = args[3].o, *key = args[4].o;
    int64_t blocks = args[2].i;
    if (!arch_has_clmul() || blocks * BLOCK > MOST || !in_array(from, args[1].i, blocks * BLOCK)) return false;
    if (!state || state->length != 2 || !key || key->length < 2) return false;
    arch_ghash(ARRAY_DATA(state, uint64_t), ARRAY_DATA(key, uint64_t), BYTES(from) + args[1].i, (size_t)blocks);
    return true;
}

// ---- cyclic redundancy checks --------------------------------------------------------------------

// The checksum, bytes, offset, length.
bool crc32_updateBytes(Thread *self, Slot *args) {
    (void)self;
    int32_t length = args[3].i, folded = length < 64 ? 0 : length & ~15;
    if (length > MOST || !in_array(args[1].o, args[2].i, length)) return false;
    if (!arch_has_clmul()) folded = 0;
    const uint8_t *at = BYTES(args[1].o) + args[2].i;
    uint32_t crc = args[0].u;
    if (folded > 0) crc = ~arch_crc32(~crc, at, (size_t)folded);
    args[0].u = (uint32_t)crc32(crc, at + folded, (uInt)(length - folded));
    return true;
}

// Bytes of an array from `at` to `end`.
bool crc32c_updateBytes(Thread *self, Slot *args) {
    (void)self;
    int32_t at = args[2].i, end = args[3].i;
    if (!arch_has_crc32c() || !in_array(args[1].o, at, (int64_t)end - at)) return false;
    args[0].u = arch_crc32c(args[0].u, BYTES(args[1].o) + at, (size_t)(end - at));
    return true;
}
