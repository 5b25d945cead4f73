// java.math.BigInteger (rows of intrinsics.def): products, squares, and the Montgomery multiplication that powers use.
//
// All are TRY bodies that check their operands and leave unusual cases to the bytecode. A magnitude is an array of
// ints, most significant first. If it fits on the stack, it is converted to 64-bit limbs, least significant first,
// which needs only a quarter of the multiplications.
#include <string.h>

#include "vm/natives/intrinsics_impl.h"
#include "vm/objects/objects.h"

enum { MOST_INTS = 256, MOST_LIMBS = MOST_INTS / 2 };  // 8192 bits

typedef unsigned __int128 Wide;

#define INTS(a) ARRAY_DATA(a, uint32_t)

static void load(uint64_t *to, const uint32_t *from, int32_t ints) {
    for (; ints >= 2; ints -= 2) *to++ = (uint64_t)from[ints - 2] << 32 | from[ints - 1];
    if (ints > 0) *to = from[0];
}

static void store(uint32_t *to, const uint64_t *from, int32_t ints) {
    for (; ints >= 2; ints -= 2, from++) {
        to[ints - 2] = (uint32_t)(*from >> 32);
        to[ints - 1] = (uint32_t)*from;
    }
    if (ints > 0) to[0] = (uint32_t)*from;
}

// z[...n) += x[...n) * k; returns the carry.
static uint64_t add_product(uint64_t *z, const uint64_t *x, int32_t n, uint64_t k) {
    uint64_t carry = 0;
#pragma GCC unroll 8
    for (int32_t i = 0; i < n; i++) {
        Wide sum = (Wide)x[i] * k + z[i] + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}

// ---- products ------------------------------------------------------------------------------------

// out[...] += in[0, length) * k, with out indexed from its end; returns the carry.
bool big_mulAdd(Thread *self, Slot *args) {
    (void)self;
    Object *out = args[0].o, *in = args[1].o;
    int32_t length = args[3].i;
    uint64_t k = args[4].u, carry = 0;
    if (!out || !in_array(in, 0, length)) return false;
    int64_t at = (int64_t)out->length - args[2].i - 1;
    if (at >= out->length || at - length + 1 < 0) return false;
    uint32_t *o = ARRAY_DATA(out, uint32_t) + at;
    const uint32_t *digits = INTS(in);
    for (int32_t j = length - 1; j >= 0; j--, o--) {
        uint64_t product = digits[j] * k + *o + carry;
        *o = (uint32_t)product;
        carry = product >> 32;
    }
    args[0].i = (int32_t)carry;
    return true;
}

// z[0, xlen + ylen) = x * y, both at most MOST_INTS long. z may be x or y.
static void multiply(uint32_t *z, const uint32_t *x, int32_t xlen, const uint32_t *y, int32_t ylen) {
    uint64_t a[MOST_LIMBS], b[MOST_LIMBS], product[2 * MOST_LIMBS];
    int32_t n = (xlen + 1) / 2, m = (ylen + 1) / 2;
    load(a, x, xlen);
    load(b, y, ylen);
    memset(product, 0, (size_t)n * sizeof *product);
    for (int32_t i = 0; i < m; i++) product[i + n] = add_product(product + i, a, n, b[i]);
    store(z, product, xlen + ylen);
}

// The same for any length, into a separate array.
static void multiply_long(uint32_t *z, const uint32_t *x, int32_t xlen, const uint32_t *y, int32_t ylen) {
    memset(z + xlen, 0, (size_t)ylen * 4);
    for (int32_t i = xlen - 1; i >= 0; i--) {
        uint64_t digit = x[i], carry = 0;
        for (int32_t j = ylen - 1; j >= 0; j--) {
            uint64_t product = y[j] * digit + z[i + 1 + j] + carry;
            z[i + 1 + j] = (uint32_t)product;
            carry = product >> 32;
        }
        z[i] = (uint32_t)carry;
    }
}

// The product is in the given array if it is long enough, else in a new one.
bool big_multiplyToLen(Thread *self, Slot *args) {
    int32_t xlen = args[1].i, ylen = args[3].i;
    if (xlen <= 0 || ylen <= 0 || !in_array(args[0].o, 0, xlen) || !in_array(args[2].o, 0, ylen)) return false;
    Object *z = args[4].o;
    if (!z || z->length < xlen + ylen) z = object_new_prim_array(self, 'I', xlen + ylen);
    if (!z) return true;  // OutOfMemoryError
    bool is_long = xlen > MOST_INTS || ylen > MOST_INTS;
    (is_long ? multiply_long : multiply)(ARRAY_DATA(z, uint32_t), INTS(args[0].o), xlen, INTS(args[2].o), ylen);
    args[0].o = z;
    return true;
}

bool big_squareToLen(Thread *self, Slot *args) {
    (void)self;
    int32_t length = args[1].i;
    if (length <= 0 || length > MOST_INTS || args[3].i != 2 * length) return false;
    if (!in_array(args[0].o, 0, length) || !in_array(args[2].o, 0, 2 * length)) return false;
    multiply(ARRAY_DATA(args[2].o, uint32_t), INTS(args[0].o), length, INTS(args[0].o), length);
    args[0].o = args[2].o;
    return true;
}

// ---- Montgomery multiplication -------------------------------------------------------------------

// a[...n] -= b[...n), which is one limb shorter.
static void subtract(uint64_t *a, const uint64_t *b, int32_t n) {
    uint64_t borrow = 0;
    for (int32_t i = 0; i < n; i++) {
        Wide difference = (Wide)a[i] - b[i] - borrow;
        a[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    a[n] -= borrow;
}

// a * b / 2^(64 n) modulo m, n limbs; returns their place in t, which has 2 (n + 1) limbs. `inverse` times m is -1
// modulo 2^64.
static const uint64_t *montgomery(uint64_t *t, const uint64_t *a, const uint64_t *b, const uint64_t *m, int32_t n,
                                  uint64_t inverse) {
    memset(t, 0, (size_t)(2 * n + 2) * sizeof *t);
    for (int32_t i = 0; i < n; i++, t++) {
        for (int k = 0; k < 2; k++) {  // the second sum makes the lowest limb zero
            uint64_t carry = add_product(t, k == 0 ? a : m, n, k == 0 ? b[i] : t[0] * inverse);
            t[n] += carry;
            t[n + 1] += t[n] < carry;
        }
    }
    for (;;) {
        int32_t k = n;
        while (k > 0 && t[k - 1] == m[k - 1]) k--;
        if (t[n] == 0 && k > 0 && t[k - 1] < m[k - 1]) return t;
        subtract(t, m, n);
    }
}

static bool montgomery_product(Slot *args, const Object *a, const Object *b, const Object *modulus, int32_t ints,
                               uint64_t inverse, Object *product) {
    uint64_t x[MOST_LIMBS], y[MOST_LIMBS], m[MOST_LIMBS], t[2 * MOST_LIMBS + 2];
    if (ints <= 0 || ints % 2 != 0 || ints > MOST_INTS || !in_array(a, 0, ints) || !in_array(b, 0, ints)) return false;
    if (!in_array(modulus, 0, ints) || !product || product->length != 2 * ints) return false;
    load(m, INTS(modulus), ints);
    if (m[0] * inverse != UINT64_MAX) return false;
    load(x, INTS(a), ints);
    load(y, INTS(b), ints);
    store(ARRAY_DATA(product, uint32_t), montgomery(t, x, y, m, ints / 2, inverse), ints);
    args[0].o = product;
    return true;
}

bool big_montgomeryMultiply(Thread *self, Slot *args) {
    (void)self;
    return montgomery_product(args, args[0].o, args[1].o, args[2].o, args[3].i, (uint64_t)args[4].l, args[6].o);
}
bool big_montgomerySquare(Thread *self, Slot *args) {
    (void)self;
    return montgomery_product(args, args[0].o, args[0].o, args[1].o, args[2].i, (uint64_t)args[3].l, args[5].o);
}
