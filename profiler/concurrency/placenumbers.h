// Numbered places in the program: a method and a bytecode index. Any thread may number and read places without a lock;
// places are never removed. Also reserves sparse memory.
#ifndef CABERNET_PROFILER_CONCURRENCY_PLACENUMBERS_H
#define CABERNET_PROFILER_CONCURRENCY_PLACENUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACE_BITS = 20, MOST_PLACES = 1 << PLACE_BITS };

typedef struct Places {
    _Atomic uint64_t *sites;  // by number; 0: free
} Places;

// False: no address space.
bool places_begin(Places *p);
// A number from 1 to MOST_PLACES - 1; 0: the table is full.
uint32_t places_number(const Places *p, uint32_t method, int32_t bci);
// False for 0 and for a number without a place.
bool places_at(const Places *p, uint32_t place, uint32_t *method, int32_t *bci);

// Zeroed address space that consumes memory only where it is touched. It is left out of core files. NULL: out of
// address space.
void *places_reserve(size_t bytes);
// Zeroes such memory and gives it back; the address space stays reserved.
void places_clear(void *reserved, size_t bytes);
// Forgets all numbers.
void places_end(Places *p);

#endif
