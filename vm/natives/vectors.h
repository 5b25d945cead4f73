// Loops over bytes and chars in vectors of sixteen bytes, which every processor in question has: what strings and java.util.Arrays
// do most (natives_array.c). In GCC's and Clang's vector types, so no processor is named here.
//
// All functions may be called from any thread; none allocates, blocks or throws. Memory need not be aligned. Nothing outside of
// the ranges is read or written. Counts are elements unless it is said otherwise.
#ifndef CABERNET_VM_VECTORS_H
#define CABERNET_VM_VECTORS_H

#include <stddef.h>
#include <stdint.h>

void vectors_widen(uint16_t *to, const uint8_t *from, size_t n);
// Copies chars as bytes up to the first that has a bit of `others`, which contains all bits above the lowest eight; returns how many
// stand before it.
size_t vectors_narrow(uint8_t *to, const uint16_t *from, size_t n, uint16_t others);

// Index of the first one, or `n`.
size_t vectors_find_char(const uint16_t *at, size_t n, uint16_t value);
size_t vectors_find_negative(const uint8_t *at, size_t n);
// Where `word`, of at least one element, begins, or SIZE_MAX.
size_t vectors_find_bytes(const uint8_t *at, size_t n, const uint8_t *word, size_t length);
size_t vectors_find_chars(const uint16_t *at, size_t n, const uint16_t *word, size_t length);
// Index of the first byte that differs, or `bytes`.
size_t vectors_difference(const void *a, const void *b, size_t bytes);

// String.hashCode: each element added to 31 times what was before.
uint32_t vectors_hash_bytes(const uint8_t *at, size_t n);
uint32_t vectors_hash_chars(const uint16_t *at, size_t n);

// `bytes` is a multiple of the element's size, a power of two up to eight; `pattern` has the element as often as it fits. No element is
// written in parts.
void vectors_fill(void *at, size_t bytes, uint64_t pattern, size_t element);

#endif
