// Who has accessed each variable last, and whether that was ordered: the states of FastTrack (Flanagan and Freund, PLDI 2009)
// in one word for each variable, which the Java threads change by compare-and-swap.
//
// A cell (Stamps, vm/api/events.h) has the epoch of the last write above and that of the reads behind it below: one epoch
// while they are in order, else the number of a list of them (READ_SHARED). A write clears the reads. Behind each cell lie the
// places of both. A variable has one address and one size for the life of its object; addresses are taken modulo
// the window, which is wider than the heap.
//
// Memory is reserved and taken where it is touched: 16 bytes for each variable. At a collection what belongs to dead objects becomes zero again, so that the next object
// there begins with nothing.
#ifndef CABERNET_PROFILER_RACESHADOW_H
#define CABERNET_PROFILER_RACESHADOW_H

#include "profiler/analyses/happensbefore.h"
#include "vm/api/events.h"

// A place in the program: number in a table, 0: none.
typedef uint32_t RacePlace;

typedef enum RaceKind { RACE_NONE, RACE_WRITE_WRITE, RACE_WRITE_READ, RACE_READ_WRITE } RaceKind;

// Two accesses without order, the earlier one first.
typedef struct Race {
    RaceKind kind;
    uint32_t epoch;      // of the earlier one
    RacePlace place;     // likewise
} Race;

// Reserves the memory. False: there is no room for it in the address space.
bool raceshadow_begin(void);
Stamps raceshadow_stamps(void);

// An access of `size` bytes (1, 2, 4 or 8) by the thread. A race is no reason to stop: the cell then has this access. Of a read
// of a final field there is none; it may freeze (hb_freeze).
Race raceshadow_access(HbThread *t, uintptr_t address, unsigned size, bool write, bool is_final, RacePlace place);

// The number of a place; 0: no room.
RacePlace raceshadow_place(uint32_t method, int32_t bci);
bool raceshadow_place_of(RacePlace place, uint32_t *method, int32_t *bci);

// Threads stand still. raceshadow_live is called for all that lives, then raceshadow_forget_dead once.
void raceshadow_live(void *unused, uintptr_t object, size_t bytes);
void raceshadow_forget_dead(void);
void raceshadow_reset(void);

typedef struct RaceShadowFigures {
    uint64_t pages;      // of 4096 bytes of heap that hold variables that are known
    uint64_t lists, lost;  // of readers; readers without one
} RaceShadowFigures;
RaceShadowFigures raceshadow_figures(void);

#endif
