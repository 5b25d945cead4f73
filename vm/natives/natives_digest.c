// Message digests of sun.security.provider (rows of intrinsics.def): the methods that the class library declares as
// intrinsic candidates there.
//
// All are TRY bodies that check their operands and leave unusual cases to the bytecode: exceptions, and more bytes than
// should be processed without a yieldpoint.
#include "vm/natives/digests.h"
#include "vm/natives/fieldplaces.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/objects/objects.h"

enum { MOST = 1 << 20 };  // bytes processed without a poll: 1 to 2 ms

// The algorithms, by the field with the state. SHA-224 and SHA-384, which truncate the result, have full-length states.
typedef struct Digest {
    FieldPlace state;
    int32_t words, block;  // length of the state, bytes of a block
    void (*take)(void *state, const uint8_t *at, size_t blocks);
} Digest;

static const Digest digests[] = {
    {PLACE_md5, 4, 64, digests_md5},
    {PLACE_sha1, 5, 64, digests_sha1},
    {PLACE_sha256, 8, 64, digests_sha256},
    {PLACE_sha512, 8, 128, digests_sha512},
};

// The state of an object that computes the digest, or NULL.
static Object *state_of(const Object *o, const Digest *d) {
    Object *state = fieldplaces_get(o, d->state);
    return state && state->length == d->words ? state : NULL;
}

static bool take(const Digest *d, Object *state, const Object *from, int64_t at, int64_t blocks) {
    if (!from || at < 0 || blocks < 0 || at + blocks * d->block > from->length || blocks * d->block > MOST)
        return false;
    d->take(ARRAY_DATA(state, char), ARRAY_DATA(from, uint8_t) + at, (size_t)blocks);
    return true;
}

#define ONE_BLOCK(name, row)                                                 \
    bool name(Thread *self, Slot *args) {                                    \
        (void)self;                                                          \
        Object *state = state_of(args[0].o, &digests[row]);                  \
        return state && take(&digests[row], state, args[1].o, args[2].i, 1); \
    }
ONE_BLOCK(digest_md5, 0)
ONE_BLOCK(digest_sha1, 1)
ONE_BLOCK(digest_sha256, 2)
ONE_BLOCK(digest_sha512, 3)

// Processes the blocks from `at` to `limit` and returns where the next one would begin.
bool digest_blocks(Thread *self, Slot *args) {
    (void)self;
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        const Digest *d = &digests[i];
        Object *state = state_of(args[0].o, d);
        if (!state) continue;
        int64_t at = args[2].i, limit = args[3].i, blocks = limit < at ? 0 : (limit - at) / d->block + 1;
        if (!take(d, state, args[1].o, at, blocks)) return false;
        args[0].i = (int32_t)(at + blocks * d->block);
        return true;
    }
    return false;
}
