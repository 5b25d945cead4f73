// Places in the program by number: a method and a bytecode index in it. Any thread gives numbers and reads places, without
// a lock; nothing is removed. And memory of which most stays empty.
#ifndef CABERNET_PROFILER_PLACES_H
#define CABERNET_PROFILER_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACE_BITS = 20, MOST_PLACES = 1 << PLACE_BITS };

typedef struct Places {
    _Atomic uint64_t *sites;  // by number; 0: free
} Places;

// False: there is no address space.
bool places_begin(Places *p);
// From 1 to MOST_PLACES - 1; 0: there is no room.
uint32_t places_number(const Places *p, uint32_t method, int32_t bci);
// False, and nothing that could be looked up, of 0.
bool places_at(const Places *p, uint32_t place, uint32_t *method, int32_t *bci);

// Address space that is zero and takes memory where it is touched; it is not in core files. NULL: there is none.
void *places_reserve(size_t bytes);

#endif
