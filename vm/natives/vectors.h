// Loops over bytes and chars in sixteen-byte vectors, which every supported processor has: the hot loops of strings and
// java.util.Arrays (natives_array.c). They use the vector types of GCC and Clang, so no processor is named here.
//
// All functions may be called from any thread; none allocates, blocks or throws. Memory need not be aligned. Nothing
// outside the ranges is read or written. Counts are in elements unless stated otherwise.
#ifndef CABERNET_VM_NATIVES_VECTORS_H
#define CABERNET_VM_NATIVES_VECTORS_H

#include <stddef.h>
#include <stdint.h>

void vectors_widen(uint16_t *to, const uint8_t *from, size_t n);
// Copies chars as bytes up to the first that has a bit of `others`, which includes all bits above the lowest eight;
// returns the number of chars before it.
size_t vectors_narrow(uint8_t *to, const uint16_t *from, size_t n, uint16_t others);

// Index of the first match, or `n`.
size_t vectors_find_char(const uint16_t *at, size_t n, uint16_t value);
size_t vectors_find_negative(const uint8_t *at, size_t n);
// Index of the first occurrence of `word`, which has at least one element, or SIZE_MAX.
size_t vectors_find_bytes(const uint8_t *at, size_t n, const uint8_t *word, size_t length);
size_t vectors_find_chars(const uint16_t *at, size_t n, const uint16_t *word, size_t length);
// Index of the first byte that differs, or `bytes`.
size_t vectors_difference(const void *a, const void *b, size_t bytes);

// String.hashCode: each element is added to 31 times the hash of the preceding ones.
uint32_t vectors_hash_bytes(const uint8_t *at, size_t n);
uint32_t vectors_hash_chars(const uint16_t *at, size_t n);

// `bytes` is a multiple of the element's size, a power of two up to eight; `pattern` repeats the element. No element is
// written in parts.
void vectors_fill(void *at, size_t bytes, uint64_t pattern, size_t element);

#endif
