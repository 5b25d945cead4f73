// Loops over arrays that are too hot to interpret: string internals, java.util.Arrays, ArraysSupport (rows of
// intrinsics.def).
//
// All are TRY bodies: each first checks its operands and returns false, having done nothing, where the bytecode would
// throw. The UTF16 bytes of a string are chars in native order. After an allocation, objects are accessed through the
// argument slots.
#include <string.h>

#include "vm/natives/intrinsics_impl.h"
#include "vm/natives/vectors.h"
#include "vm/objects/objects.h"
#include "vm/objects/string.h"
#include "vm/threads/thread.h"

#define BYTES(a) ARRAY_DATA(a, uint8_t)
#define CHARS(a) ARRAY_DATA(a, uint16_t)

// Is [at, at + count) within an array of `length` elements?
static bool in_range(int64_t at, int64_t count, int64_t length) {
    return at >= 0 && count >= 0 && at + count <= length;
}
// Like in_array, counted in chars of a byte array.
static bool in_utf16(const Object *a, int32_t at, int32_t count) { return a && in_range(at, count, a->length >> 1); }

// ---- comparison ----------------------------------------------------------------------------------

static bool equal_arrays(Slot *args, size_t width, bool null_allowed) {
    const Object *a = args[0].o, *b = args[1].o;
    if (!a || !b) {
        if (!null_allowed) return false;
        args[0].i = a == b;
        return true;
    }
    args[0].i = a->length == b->length && memcmp(BYTES(a), BYTES(b), (size_t)a->length * width) == 0;
    return true;
}

#define EQUALS(name, width, null_allowed)               \
    bool name(Thread *self, Slot *args) {               \
        (void)self;                                     \
        return equal_arrays(args, width, null_allowed); \
    }
EQUALS(latin1_equals, 1, false)
EQUALS(arrays_equalsByte, 1, true)
EQUALS(arrays_equalsChar, 2, true)
EQUALS(arrays_equalsInt, 4, true)
EQUALS(arrays_equalsLong, 8, true)

bool latin1_compareTo(Thread *self, Slot *args) {
    (void)self;
    const Object *a = args[0].o, *b = args[1].o;
    if (!a || !b) return false;
    int32_t common = a->length < b->length ? a->length : b->length;
    int32_t i = (int32_t)vectors_difference(BYTES(a), BYTES(b), (size_t)common);
    args[0].i = i < common ? BYTES(a)[i] - BYTES(b)[i] : a->length - b->length;
    return true;
}

bool utf16_compareTo(Thread *self, Slot *args) {
    (void)self;
    const Object *a = args[0].o, *b = args[1].o;
    if (!a || !b) return false;
    int32_t n = a->length >> 1, m = b->length >> 1, common = n < m ? n : m;
    int32_t i = (int32_t)(vectors_difference(CHARS(a), CHARS(b), (size_t)common * 2) / 2);
    args[0].i = i < common ? CHARS(a)[i] - CHARS(b)[i] : n - m;
    return true;
}

#define COMPARE(name, atype, btype, ashift, bshift)               \
    bool name(Thread *self, Slot *args) {                         \
        (void)self;                                               \
        const Object *x = args[0].o, *y = args[1].o;              \
        if (!x || !y) return false;                               \
        const atype *a = ARRAY_DATA(x, atype);                    \
        const btype *b = ARRAY_DATA(y, btype);                    \
        int32_t n = x->length >> ashift, m = y->length >> bshift; \
        int32_t common = n < m ? n : m, i = 0;                    \
        while (i < common && a[i] == b[i]) i++;                   \
        args[0].i = i < common ? a[i] - b[i] : n - m;             \
        return true;                                              \
    }
COMPARE(latin1_compareToUTF16, uint8_t, uint16_t, 0, 1)
COMPARE(utf16_compareToLatin1, uint16_t, uint8_t, 1, 0)

// ---- hash codes ----------------------------------------------------------------------------------

bool latin1_hashCode(Thread *self, Slot *args) {
    (void)self;
    if (!args[0].o) return false;
    args[0].u = vectors_hash_bytes(BYTES(args[0].o), (size_t)args[0].o->length);
    return true;
}
bool utf16_hashCode(Thread *self, Slot *args) {
    (void)self;
    if (!args[0].o) return false;
    args[0].u = vectors_hash_chars(CHARS(args[0].o), (size_t)args[0].o->length >> 1);
    return true;
}

// ---- java.lang.String ----------------------------------------------------------------------------

static Object *string_value(const Object *s) { return get_ref(s, (size_t)WK_OFF(java_lang_String, value)); }
static uint8_t string_coder(const Object *s) { return FIELD_AT(s, WK_OFF(java_lang_String, coder), uint8_t); }

// A string that was never constructed has no bytes: the bytecode throws.
//
// A zero hash is left to the bytecode, which records it in a separate field.
bool string_hashCodeCached(Thread *self, Slot *args) {
    (void)self;
    size_t hash_at = (size_t)WK_OFF(java_lang_String, hash);
    int32_t hash = get_int(args[0].o, hash_at);
    if (hash == 0) {
        const Object *value = string_value(args[0].o);
        if (!value) return false;
        size_t bytes = (size_t)value->length;
        hash = (int32_t)(string_coder(args[0].o) == 0 ? vectors_hash_bytes(BYTES(value), bytes)
                                                      : vectors_hash_chars(CHARS(value), bytes >> 1));
        if (hash == 0) return false;
        set_int(args[0].o, hash_at, hash);
    }
    args[0].i = hash;
    return true;
}

bool string_equalsObject(Thread *self, Slot *args) {
    (void)self;
    const Object *a = args[0].o, *b = args[1].o;
    if (a == b || !b || object_class(b) != WK(java_lang_String)) {
        args[0].i = a == b;
        return true;
    }
    const Object *x = string_value(a), *y = string_value(b);
    if (!x || !y) return false;
    args[0].i = string_coder(a) == string_coder(b) && x->length == y->length &&
        memcmp(BYTES(x), BYTES(y), (size_t)x->length) == 0;
    return true;
}

bool string_lengthNative(Thread *self, Slot *args) {
    (void)self;
    const Object *value = string_value(args[0].o);
    if (!value) return false;
    args[0].i = value->length >> string_coder(args[0].o);
    return true;
}

bool string_charAt(Thread *self, Slot *args) {
    (void)self;
    const Object *value = string_value(args[0].o);
    int32_t at = args[1].i;
    bool wide = string_coder(args[0].o) != 0;
    if (!value) return false;
    if (at < 0 || at >= value->length >> wide) return false;
    args[0].i = wide ? CHARS(value)[at] : BYTES(value)[at];
    return true;
}

// ---- searching -----------------------------------------------------------------------------------

bool latin1_indexOfChar(Thread *self, Slot *args) {
    (void)self;
    const Object *value = args[0].o;
    if (!value) return false;
    uint32_t ch = args[1].u;
    int32_t from = args[2].i < 0 ? 0 : args[2].i;
    const uint8_t *found = NULL;
    if (ch <= 0xff && from < value->length)
        found = memchr(BYTES(value) + from, (int)ch, (size_t)(value->length - from));
    args[0].i = !found ? -1 : (int32_t)(found - BYTES(value));
    return true;
}

// An empty string matches at once.
static int32_t find_bytes(const Object *value, int32_t from, int32_t end, const Object *str, int32_t str_length) {
    if (str_length == 0) return from;
    size_t found = vectors_find_bytes(BYTES(value) + from, (size_t)(end - from), BYTES(str), (size_t)str_length);
    return found == SIZE_MAX ? -1 : (int32_t)found + from;
}

static int32_t find_chars(const Object *value, int32_t from, int32_t end, const Object *str, int32_t str_length) {
    if (str_length == 0) return from;
    size_t found = vectors_find_chars(CHARS(value) + from, (size_t)(end - from), CHARS(str), (size_t)str_length);
    return found == SIZE_MAX ? -1 : (int32_t)found + from;
}

bool latin1_indexOf(Thread *self, Slot *args) {
    (void)self;
    const Object *value = args[0].o, *str = args[1].o;
    if (!value || !str) return false;
    args[0].i = find_bytes(value, 0, value->length, str, str->length);
    return true;
}

bool latin1_indexOfFrom(Thread *self, Slot *args) {
    (void)self;
    const Object *value = args[0].o, *str = args[2].o;
    int32_t count = args[1].i, str_count = args[3].i, from = args[4].i;
    if (str_count <= 0 || !in_array(str, 0, str_count) || !in_array(value, 0, count) || from < 0) return false;
    args[0].i = from > count ? -1 : find_bytes(value, from, count, str, str_count);
    return true;
}

bool utf16_indexOfChar(Thread *self, Slot *args) {
    (void)self;
    int32_t from = args[2].i, end = args[3].i;
    if (!in_utf16(args[0].o, from, end - from)) return false;
    size_t found = vectors_find_char(CHARS(args[0].o) + from, (size_t)(end - from), (uint16_t)args[1].u);
    args[0].i = args[1].u > UINT16_MAX || found == (size_t)(end - from) ? -1 : from + (int32_t)found;
    return true;
}

bool utf16_indexOf(Thread *self, Slot *args) {
    (void)self;
    const Object *value = args[0].o, *str = args[1].o;
    if (!value || !str) return false;
    args[0].i = find_chars(value, 0, value->length >> 1, str, str->length >> 1);
    return true;
}

bool utf16_indexOfFrom(Thread *self, Slot *args) {
    (void)self;
    const Object *value = args[0].o, *str = args[2].o;
    int32_t count = args[1].i, str_count = args[3].i, from = args[4].i;
    if (str_count <= 0 || !in_utf16(str, 0, str_count) || from < 0 || !in_utf16(value, 0, count) || from > count)
        return false;
    args[0].i = find_chars(value, from, count, str, str_count);
    return true;
}

// ---- conversion between encodings ----------------------------------------------------------------

bool latin1_inflateChars(Thread *self, Slot *args) {
    (void)self;
    int32_t n = args[4].i;
    if (!in_array(args[0].o, args[1].i, n) || !in_array(args[2].o, args[3].i, n)) return false;
    vectors_widen(CHARS(args[2].o) + args[3].i, BYTES(args[0].o) + args[1].i, (size_t)n);
    return true;
}

bool latin1_inflateBytes(Thread *self, Slot *args) {
    (void)self;
    int32_t n = args[4].i;
    if (!in_array(args[0].o, args[1].i, n) || !in_utf16(args[2].o, args[3].i, n)) return false;
    vectors_widen(CHARS(args[2].o) + args[3].i, BYTES(args[0].o) + args[1].i, (size_t)n);
    return true;
}

bool latin1_getChars(Thread *self, Slot *args) {
    (void)self;
    int64_t n = (int64_t)args[2].i - args[1].i;
    if (!args[0].o || !args[3].o || !in_range(args[1].i, n, args[0].o->length) ||
        !in_range(args[4].i, n, args[3].o->length))
        return false;
    vectors_widen(CHARS(args[3].o) + args[4].i, BYTES(args[0].o) + args[1].i, (size_t)n);
    return true;
}

bool utf16_getChars(Thread *self, Slot *args) {
    (void)self;
    int64_t n = (int64_t)args[2].i - args[1].i;
    if (!args[0].o || !args[3].o || !in_range(args[1].i, n, args[0].o->length >> 1) ||
        !in_range(args[4].i, n, args[3].o->length))
        return false;
    memcpy(CHARS(args[3].o) + args[4].i, CHARS(args[0].o) + args[1].i, (size_t)n * 2);
    return true;
}

// Returns n, or 0 if a char does not fit.
static bool compress(Slot *args, bool from_bytes) {
    Object *from = args[0].o, *to = args[2].o;
    int32_t n = args[4].i;
    bool fits = from_bytes ? in_utf16(from, args[1].i, n) : in_array(from, args[1].i, n);
    if (!fits || !in_array(to, args[3].i, n)) return false;
    int32_t done = (int32_t)vectors_narrow(BYTES(to) + args[3].i, CHARS(from) + args[1].i, (size_t)n, 0xff00);
    args[0].i = done == n ? n : 0;
    return true;
}

#define COMPRESS(name, from_bytes)         \
    bool name(Thread *self, Slot *args) {  \
        (void)self;                        \
        return compress(args, from_bytes); \
    }
COMPRESS(utf16_compressChars, false)
COMPRESS(utf16_compressBytes, true)

bool utf16_getChar(Thread *self, Slot *args) {
    (void)self;
    if (!in_utf16(args[0].o, args[1].i, 1)) return false;
    args[0].i = CHARS(args[0].o)[args[1].i];
    return true;
}

bool utf16_putChar(Thread *self, Slot *args) {
    (void)self;
    if (!in_utf16(args[0].o, args[1].i, 1)) return false;
    CHARS(args[0].o)[args[1].i] = (uint16_t)args[2].i;
    return true;
}

bool coding_hasNegatives(Thread *self, Slot *args) {
    (void)self;
    int32_t n = args[2].i;
    if (!in_array(args[0].o, args[1].i, n)) return false;
    args[0].i = vectors_find_negative(BYTES(args[0].o) + args[1].i, (size_t)n) < (size_t)n;
    return true;
}

// Encoders: return the number of chars written before the first one with a bit of `others`.
static bool encode(Slot *args, bool from_bytes, uint16_t others) {
    Object *from = args[0].o, *to = args[2].o;
    int32_t n = args[4].i;
    if (n <= 0) return false;
    bool fits = from_bytes ? in_utf16(from, args[1].i, n) : in_array(from, args[1].i, n);
    if (!fits || !in_array(to, args[3].i, n)) return false;
    args[0].i = (int32_t)vectors_narrow(BYTES(to) + args[3].i, CHARS(from) + args[1].i, (size_t)n, others);
    return true;
}

#define ENCODE(name, from_bytes, others)         \
    bool name(Thread *self, Slot *args) {        \
        (void)self;                              \
        return encode(args, from_bytes, others); \
    }
ENCODE(coding_encodeISO, true, 0xff00)
ENCODE(coding_encodeISOChars, false, 0xff00)
ENCODE(coding_encodeAscii, false, 0xff80)

// ---- java.util.Arrays ----------------------------------------------------------------------------

// A new array of the same class with the elements of [from, from + length), as far as the old array has them.
static bool copy_range(Thread *self, Slot *args, int32_t from, int32_t length) {
    Class *cls = object_class(args[0].o);
    Object *copy = object_new_array(self, cls, length);
    if (!copy) return true;  // OutOfMemoryError
    int32_t left = args[0].o->length - from, n = left < length ? left : length;
    memcpy(BYTES(copy), BYTES(args[0].o) + ((size_t)from << cls->elem_shift), (size_t)n << cls->elem_shift);
    args[0].o = copy;
    return true;
}

bool arrays_copyOf(Thread *self, Slot *args) {
    if (!args[0].o || args[1].i < 0) return false;
    return copy_range(self, args, 0, args[1].i);
}

bool arrays_copyOfRange(Thread *self, Slot *args) {
    int32_t from = args[1].i, to = args[2].i;
    if (!args[0].o || from < 0 || from > args[0].o->length || to < from) return false;
    return copy_range(self, args, from, to - from);
}

#define FILL(Type, type, member, ones)                                                                        \
    bool arrays_fill##Type(Thread *self, Slot *args) {                                                        \
        (void)self;                                                                                           \
        if (!args[0].o) return false;                                                                         \
        vectors_fill(BYTES(args[0].o), (size_t)args[0].o->length * sizeof(type), (type)args[1].member * ones, \
                     sizeof(type));                                                                           \
        return true;                                                                                          \
    }
// ones: multiplying by it repeats the element.
FILL(Byte, uint8_t, i, UINT64_C(0x0101010101010101))
FILL(Char, uint16_t, i, UINT64_C(0x0001000100010001))
FILL(Int, uint32_t, i, UINT64_C(0x0000000100000001))
FILL(Long, uint64_t, l, UINT64_C(1))

// ---- jdk.internal.util ---------------------------------------------------------------------------

static bool mismatch(Slot *args, int shift) {
    int32_t n = args[2].i;
    if (!in_array(args[0].o, 0, n) || !in_array(args[1].o, 0, n)) return false;
    size_t at = vectors_difference(BYTES(args[0].o), BYTES(args[1].o), (size_t)n << shift) >> shift;
    args[0].i = at < (size_t)n ? (int32_t)at : -1;
    return true;
}

#define MISMATCH(name, shift)             \
    bool name(Thread *self, Slot *args) { \
        (void)self;                       \
        return mismatch(args, shift);     \
    }
MISMATCH(support_mismatchByte, 0)
MISMATCH(support_mismatchChar, 1)
MISMATCH(support_mismatchInt, 2)

// Returns the index of the first difference, or ~0: no element is left for the caller to compare. A buffer's memory may
// be unmapped (vm/natives/unsafe.c).
void support_vectorizedMismatch(Thread *self, Slot *args) {
    const uint8_t *a = (const uint8_t *)args[0].o + args[1].l;
    const uint8_t *b = (const uint8_t *)args[3].o + args[4].l;
    int32_t n = args[6].i, shift = args[7].i;
    self->touches_unsafe = true;
    int64_t at = n <= 0 ? 0 : (int64_t)(vectors_difference(a, b, (size_t)n << shift) >> shift);
    self->touches_unsafe = false;
    args[0].i = at < n ? (int32_t)at : ~0;
}

bool preconditions_checkIndex(Thread *self, Slot *args) {
    (void)self;
    return args[0].i >= 0 && args[0].i < args[1].i;
}
