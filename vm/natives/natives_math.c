// java.lang.Math, and the bit operations of Float, Double, Integer and Long (rows of intrinsics.def).
//
// The specification fixes most results to the bit. Sine, exponential and similar functions may be off by one unit in
// the last place: HotSpot has special routines there, nearly always correctly rounded, and so are the C library's. Over
// random arguments these agree with HotSpot's except in about 2 of 1000 results; the class library's port of fdlibm
// (StrictMath, which is not replaced) differs in 20 to 100 of 1000. Pure functions of their arguments.
#include <math.h>
#include <string.h>

#include "vm/natives/intrinsics_impl.h"

// ---- conversions ---------------------------------------------------------------------------------

void float_toRawBits(Thread *self, Slot *args) {
    (void)self;
    int32_t bits;
    memcpy(&bits, &args[0].f, sizeof bits);
    args[0].i = bits;
}

void float_toBits(Thread *self, Slot *args) {
    if (args[0].f != args[0].f) args[0].i = 0x7fc00000;
    else float_toRawBits(self, args);
}

void float_fromBits(Thread *self, Slot *args) {
    (void)self;
    float value;
    memcpy(&value, &args[0].i, sizeof value);
    args[0].f = value;
}

// double and long use the same bits of a slot.
OPERATION(double_toRawBits, (void)args)
OPERATION(double_fromBits, (void)args)
OPERATION(double_toBits, if (args[0].d != args[0].d) args[0].l = INT64_C(0x7ff8000000000000))

// ---- characters ----------------------------------------------------------------------------------

#define ASCII_KIND(name, low, high)                                                            \
    bool character_##name(Thread *self, Slot *args) {                                          \
        (void)self;                                                                            \
        if (args[0].u >= 128) return false;                                                    \
        args[0].i = (args[0].u < 64 ? UINT64_C(low) : UINT64_C(high)) >> (args[0].u & 63) & 1; \
        return true;                                                                           \
    }
#include "vm/api/ascii_kinds.def"

bool character_toLowerCase(Thread *self, Slot *args) {
    (void)self;
    if (args[0].u >= 128) return false;
    if (args[0].u - 'A' < 26) args[0].u += 'a' - 'A';
    return true;
}
bool character_toUpperCase(Thread *self, Slot *args) {
    (void)self;
    if (args[0].u >= 128) return false;
    if (args[0].u - 'a' < 26) args[0].u -= 'a' - 'A';
    return true;
}

// ---- comparison ----------------------------------------------------------------------------------

// JLS: NaN takes precedence, and -0.0 is below 0.0.
#define EXTREMES(Type, type, member)                                         \
    void math_max##Type(Thread *self, Slot *args) {                          \
        (void)self;                                                          \
        type a = args[0].member, b = args[sizeof(type) == 8 ? 2 : 1].member; \
        if (a != a) return;                                                  \
        if (a == 0 && b == 0) args[0].member = signbit(a) ? b : a;           \
        else args[0].member = a >= b ? a : b;                                \
    }                                                                        \
    void math_min##Type(Thread *self, Slot *args) {                          \
        (void)self;                                                          \
        type a = args[0].member, b = args[sizeof(type) == 8 ? 2 : 1].member; \
        if (a != a) return;                                                  \
        if (a == 0 && b == 0) args[0].member = signbit(a) ? a : b;           \
        else args[0].member = a <= b ? a : b;                                \
    }
EXTREMES(Float, float, f)
EXTREMES(Double, double, d)

OPERATION(math_maxInt, if (args[1].i > args[0].i) args[0].i = args[1].i)
OPERATION(math_minInt, if (args[1].i < args[0].i) args[0].i = args[1].i)
OPERATION(math_maxLong, if (args[2].l > args[0].l) args[0].l = args[2].l)
OPERATION(math_minLong, if (args[2].l < args[0].l) args[0].l = args[2].l)

// ---- one argument --------------------------------------------------------------------------------

OPERATION(math_absInt, if (args[0].i < 0) args[0].u = 0u - args[0].u)
OPERATION(math_absLong, if (args[0].l < 0) args[0].l = (int64_t)(0u - (uint64_t)args[0].l))
OPERATION(math_absFloat, args[0].u &= 0x7fffffff)
OPERATION(math_absDouble, args[0].l &= INT64_MAX)
OPERATION(math_sqrt, args[0].d = sqrt(args[0].d))
OPERATION(math_ceil, args[0].d = ceil(args[0].d))
OPERATION(math_floor, args[0].d = floor(args[0].d))
OPERATION(math_rint, args[0].d = rint(args[0].d))
OPERATION(math_sin, args[0].d = sin(args[0].d))
OPERATION(math_cos, args[0].d = cos(args[0].d))
OPERATION(math_tan, args[0].d = tan(args[0].d))
OPERATION(math_exp, args[0].d = exp(args[0].d))
OPERATION(math_log, args[0].d = log(args[0].d))
OPERATION(math_log10, args[0].d = (double)log10l(args[0].d))  // log10 itself is much less accurate

// C and Java differ when the base is 1 and the exponent infinite or NaN. A square is exact in HotSpot.
void math_pow(Thread *self, Slot *args) {
    (void)self;
    double x = args[0].d, y = args[2].d;
    if (y == 2) args[0].d = x * x;
    else if (y != y || (isinf(y) && fabs(x) == 1)) args[0].d = NAN;
    else args[0].d = pow(x, y);
}

// ---- more arguments ------------------------------------------------------------------------------

OPERATION(math_fmaDouble, args[0].d = fma(args[0].d, args[2].d, args[4].d))
OPERATION(math_fmaFloat, args[0].f = fmaf(args[0].f, args[1].f, args[2].f))
OPERATION(math_copySignDouble, args[0].d = copysign(args[0].d, args[2].d))
OPERATION(math_copySignFloat, args[0].f = copysignf(args[0].f, args[1].f))
OPERATION(math_multiplyHigh, args[0].l = (int64_t)((__int128)args[0].l * args[2].l >> 64))

#define EXACT(name, Type, type, member, builtin)                                                    \
    bool math_##name##Exact##Type(Thread *self, Slot *args) {                                       \
        (void)self;                                                                                 \
        type result;                                                                                \
        if (builtin(args[0].member, args[sizeof(type) == 8 ? 2 : 1].member, &result)) return false; \
        args[0].member = result;                                                                    \
        return true;                                                                                \
    }
EXACT(add, Int, int32_t, i, __builtin_add_overflow)
EXACT(add, Long, int64_t, l, __builtin_add_overflow)
EXACT(subtract, Int, int32_t, i, __builtin_sub_overflow)
EXACT(subtract, Long, int64_t, l, __builtin_sub_overflow)
EXACT(multiply, Int, int32_t, i, __builtin_mul_overflow)
EXACT(multiply, Long, int64_t, l, __builtin_mul_overflow)

bool math_toIntExact(Thread *self, Slot *args) {
    (void)self;
    int64_t value = args[0].l;
    if (value != (int32_t)value) return false;
    args[0].i = (int32_t)value;
    return true;
}

// ---- bits ----------------------------------------------------------------------------------------

OPERATION(int_bitCount, args[0].i = __builtin_popcount(args[0].u))
OPERATION(int_leadingZeros, args[0].i = args[0].u == 0 ? 32 : __builtin_clz(args[0].u))
OPERATION(int_trailingZeros, args[0].i = args[0].u == 0 ? 32 : __builtin_ctz(args[0].u))
OPERATION(int_reverseBytes, args[0].u = __builtin_bswap32(args[0].u))
OPERATION(long_bitCount, args[0].i = __builtin_popcountll((uint64_t)args[0].l))
OPERATION(long_leadingZeros, args[0].i = args[0].l == 0 ? 64 : __builtin_clzll((uint64_t)args[0].l))
OPERATION(long_trailingZeros, args[0].i = args[0].l == 0 ? 64 : __builtin_ctzll((uint64_t)args[0].l))
OPERATION(long_reverseBytes, args[0].l = (int64_t)__builtin_bswap64((uint64_t)args[0].l))
OPERATION(char_reverseBytes, args[0].i = __builtin_bswap16((uint16_t)args[0].i))
OPERATION(short_reverseBytes, args[0].i = (int16_t)__builtin_bswap16((uint16_t)args[0].i))
