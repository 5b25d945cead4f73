// Vectorised loops: see vectors.h. At the default optimisation level GCC does not vectorise such loops, and no compiler
// vectorises loops with an early exit.
#include "vm/natives/vectors.h"

#include <string.h>

enum { VECTOR = 16, CHARS = VECTOR / 2 };

typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef uint16_t Chars __attribute__((vector_size(16)));
typedef uint8_t HalfBytes __attribute__((vector_size(8)));
typedef uint64_t Longs __attribute__((vector_size(16)));

static Bytes load_bytes(const void *at) {
    Bytes v;
    memcpy(&v, at, sizeof v);
    return v;
}

static Chars load_chars(const void *at) {
    Chars v;
    memcpy(&v, at, sizeof v);
    return v;
}

static int has_bits(Longs v) { return (v[0] | v[1]) != 0; }

// ---- conversion ----------------------------------------------------------------------------------

void vectors_widen(uint16_t *to, const uint8_t *from, size_t n) {
    size_t i = 0;
    for (; i + CHARS <= n; i += CHARS) {
        HalfBytes some;
        memcpy(&some, from + i, sizeof some);
        Chars wide = __builtin_convertvector(some, Chars);
        memcpy(to + i, &wide, sizeof wide);
    }
    for (; i < n; i++) to[i] = from[i];
}

size_t vectors_narrow(uint8_t *to, const uint16_t *from, size_t n, uint16_t others) {
    size_t i = 0;
    for (; i + CHARS <= n; i += CHARS) {
        Chars some = load_chars(from + i);
        if (has_bits((Longs)(some & others))) break;
        HalfBytes narrow = __builtin_convertvector(some, HalfBytes);
        memcpy(to + i, &narrow, sizeof narrow);
    }
    for (; i < n && (from[i] & others) == 0; i++) to[i] = (uint8_t)from[i];
    return i;
}

// ---- searching -----------------------------------------------------------------------------------

size_t vectors_find_char(const uint16_t *at, size_t n, uint16_t value) {
    size_t i = 0;
    while (i + CHARS <= n && !has_bits((Longs)(load_chars(at + i) == value))) i += CHARS;
    while (i < n && at[i] != value) i++;
    return i;
}

size_t vectors_find_negative(const uint8_t *at, size_t n) {
    size_t i = 0;
    while (i + 2 * VECTOR <= n && !has_bits((Longs)((load_bytes(at + i) | load_bytes(at + i + VECTOR)) & 0x80)))
        i += 2 * VECTOR;
    while (i < n && at[i] < 0x80) i++;
    return i;
}

size_t vectors_difference(const void *a, const void *b, size_t bytes) {
    const uint8_t *x = a, *y = b;
    size_t i = 0;
    for (; i + 2 * VECTOR <= bytes; i += 2 * VECTOR) {
        Bytes first = load_bytes(x + i) ^ load_bytes(y + i),
              second = load_bytes(x + i + VECTOR) ^ load_bytes(y + i + VECTOR);
        if (has_bits((Longs)(first | second))) break;
    }
    for (uint64_t v, w; i + 8 <= bytes; i += 8) {
        memcpy(&v, x + i, 8);
        memcpy(&w, y + i, 8);
        if (v != w) break;
    }
    while (i < bytes && x[i] == y[i]) i++;
    return i;
}

// Finds a word: searches a vector of positions at once for those where both its first and its last element match.
#define FIND(name, type, Vector, load, COUNT)                                                              \
    size_t name(const type *at, size_t n, const type *word, size_t length) {                               \
        size_t last = length - 1, i = 0;                                                                   \
        for (; i + last + COUNT <= n; i += COUNT) {                                                        \
            Vector both = (Vector)(load(at + i) == word[0]) & (Vector)(load(at + i + last) == word[last]); \
            if (!has_bits((Longs)both)) continue;                                                          \
            for (size_t k = 0; k < COUNT; k++)                                                             \
                if (both[k] && memcmp(at + i + k, word, length * sizeof *at) == 0) return i + k;           \
        }                                                                                                  \
        for (; i + length <= n; i++)                                                                       \
            if (at[i] == word[0] && memcmp(at + i, word, length * sizeof *at) == 0) return i;              \
        return SIZE_MAX;                                                                                   \
    }
FIND(vectors_find_bytes, uint8_t, Bytes, load_bytes, VECTOR)
FIND(vectors_find_chars, uint16_t, Chars, load_chars, CHARS)

// ---- hash codes ----------------------------------------------------------------------------------

// Four elements for each multiplication in the dependency chain.
#define HASH(name, type)                                                                          \
    uint32_t name(const type *at, size_t n) {                                                     \
        uint32_t h = 0;                                                                           \
        size_t i = 0;                                                                             \
        for (; i + 4 <= n; i += 4)                                                                \
            h = h * (31u * 31 * 31 * 31) +                                                        \
                (at[i] * (31u * 31 * 31) + at[i + 1] * (31u * 31) + at[i + 2] * 31u + at[i + 3]); \
        for (; i < n; i++) h = 31 * h + at[i];                                                    \
        return h;                                                                                 \
    }
HASH(vectors_hash_bytes, uint8_t)
HASH(vectors_hash_chars, uint16_t)

// ---- filling -------------------------------------------------------------------------------------

void vectors_fill(void *at, size_t bytes, uint64_t pattern, size_t element) {
    uint8_t *to = at;
    const Longs both = {pattern, pattern};
    size_t i = 0;
    for (; i + VECTOR <= bytes; i += VECTOR) memcpy(to + i, &both, VECTOR);
    switch (element) {
        case 2:
            for (; i < bytes; i += 2) memcpy(to + i, &pattern, 2);
            break;
        case 4:
            for (; i < bytes; i += 4) memcpy(to + i, &pattern, 4);
            break;
        case 8:
            for (; i < bytes; i += 8) memcpy(to + i, &pattern, 8);
            break;
        default:
            for (; i < bytes; i++) memcpy(to + i, &pattern, 1);
    }
}
