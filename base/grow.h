// Arrays that grow by doubling. An array is a pointer to elements and a capacity of an integer type with four or eight
// bytes, both zero before the first element; the caller keeps the count. Memory comes from malloc: it must hold no
// references to Java objects, and the caller frees it. Not thread-safe.
#ifndef CABERNET_BASE_GROW_H
#define CABERNET_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROW_FIRST = 16 };  // minimum capacity

// Ensures room for `want` elements in `items`. False when out of memory; the array is then unchanged. New elements are
// not initialised. `items` and `capacity` are lvalues and evaluated more than once.
#define GROW(items, capacity, want)                           \
    (((uint64_t)(want) <= (uint64_t)(capacity) && (items)) || \
     grow_array(&(items), sizeof *(items), &(capacity), sizeof(capacity), (want), false))

// The same; new elements are zero.
#define GROW_ZEROED(items, capacity, want)                    \
    (((uint64_t)(want) <= (uint64_t)(capacity) && (items)) || \
     grow_array(&(items), sizeof *(items), &(capacity), sizeof(capacity), (want), true))

// The same; ends the process with a message when out of memory.
#define GROW_OR_EXIT(items, capacity, want) \
    ((void)(GROW(items, capacity, want) || (grow_out_of_memory((want) * sizeof *(items)), false)))

// For code that cannot continue without the memory. Prints, flushes and exits with status 1.
static inline _Noreturn void grow_out_of_memory(size_t bytes) {
    fprintf(stderr, "cabernet: out of native memory (%zu bytes wanted)\n", bytes);
    exit(1);
}

// `count` zeroed elements; never NULL, even for none. Ends the process with a message when out of memory.
static inline void *grow_zeroed(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) grow_out_of_memory(count * size);
    return p;
}

// Implements the macros: `items` points to the pointer, `capacity` to the integer.
static inline bool grow_array(void *items, size_t element, void *capacity, size_t capacity_size, uint64_t want,
                              bool zeroed) {
    uint64_t old = capacity_size == 4 ? *(uint32_t *)capacity : *(uint64_t *)capacity;
    void *array;
    memcpy(&array, items, sizeof array);
    uint64_t limit = capacity_size == 4 ? INT32_MAX : (uint64_t)PTRDIFF_MAX;
    uint64_t larger = 2 * old > GROW_FIRST ? 2 * old : GROW_FIRST;
    if (larger < want) larger = want;
    if (larger > limit) larger = limit;
    if (want > limit || larger > PTRDIFF_MAX / element) return false;
    array = realloc(array, larger * element);
    if (!array) return false;
    if (zeroed) memset((char *)array + old * element, 0, (larger - old) * element);
    memcpy(items, &array, sizeof array);
    if (capacity_size == 4) *(uint32_t *)capacity = (uint32_t)larger;
    else *(uint64_t *)capacity = larger;
    return true;
}

#endif
