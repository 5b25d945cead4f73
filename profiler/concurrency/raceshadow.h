// The last accesses to each variable and whether they were ordered: the states of FastTrack (Flanagan and Freund, PLDI
// 2009), one word per variable, which Java threads change by compare-and-swap.
//
// A word (Stamps, vm/api/events.h) has the epoch of the last write in its upper half and that of later reads in its
// lower half. While the reads are ordered, one epoch suffices; otherwise the half holds the number of a list of reads
// (READ_SHARED). A write clears the reads. The places of the write and the read follow the word. A variable keeps its
// address and size for the life of its object. Addresses are taken modulo the window, which is larger than the heap.
//
// Memory is reserved, and consumed where it is touched: 16 bytes per variable. A collection zeroes the words of dead
// objects, so that a new object at the same address starts without history.
#ifndef CABERNET_PROFILER_CONCURRENCY_RACESHADOW_H
#define CABERNET_PROFILER_CONCURRENCY_RACESHADOW_H

#include "profiler/concurrency/happensbefore.h"
#include "vm/api/events.h"

// A place in the program: its number in a table, 0: none.
typedef uint32_t RacePlace;

typedef enum RaceKind { RACE_NONE, RACE_WRITE_WRITE, RACE_WRITE_READ, RACE_READ_WRITE } RaceKind;

// Two unordered accesses, the earlier one first.
typedef struct Race {
    RaceKind kind;
    uint32_t epoch;   // of the earlier access
    RacePlace place;  // of the earlier access
} Race;

// Reserves the memory. False: not enough address space.
bool raceshadow_begin(void);
// Forgets all accesses. The stamps stay valid memory.
void raceshadow_end(void);
Stamps raceshadow_stamps(void);

// An access of `size` bytes (1, 2, 4 or 8) by the thread. A race is reported, and the word then holds this access as
// usual. A read of a final field is never a race; it may freeze (hb_freeze).
Race raceshadow_access(HbThread *t, uintptr_t address, unsigned size, bool write, bool is_final, RacePlace place);

// The number of a place; 0: the table is full.
RacePlace raceshadow_place(uint32_t method, int32_t bci);
bool raceshadow_place_of(RacePlace place, uint32_t *method, int32_t *bci);

// Threads are stopped. raceshadow_live is called for every live object, then raceshadow_forget_dead once.
void raceshadow_live(void *unused, uintptr_t object, size_t bytes);
void raceshadow_forget_dead(void);
void raceshadow_reset(void);

typedef struct RaceShadowFigures {
    uint64_t pages;        // 4096-byte pages of heap with known variables
    uint64_t lists, lost;  // lists: of readers; lost: readers that no list had room for
} RaceShadowFigures;
RaceShadowFigures raceshadow_figures(void);

#endif
