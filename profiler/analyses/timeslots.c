#include "profiler/analyses/timeslots.h"

#include <stdlib.h>

enum { FIRST_SIZE = 64 };

static TimeSlot *find(const TimeSlots *s, uint64_t node, uint32_t slot) {
    uint64_t hash = (node ^ (uint64_t)slot << 32 ^ slot) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        TimeSlot *at = &s->table[i & (s->size - 1)];
        if (!at->ticks || (at->node == node && at->slot == slot)) return at;
    }
}

// Moves all entries into a table of `size`, with the lower bits of their slots cleared.
static bool rebuild(TimeSlots *s, uint32_t size, uint32_t shift) {
    TimeSlots to = {.table = calloc(size, sizeof *to.table), .size = size};
    if (!to.table) return false;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->table[i].ticks)
            timeslots_add(&to, s->table[i].node, s->table[i].slot >> shift << shift, s->table[i].ticks);
    free(s->table);
    *s = to;
    return true;
}

bool timeslots_add(TimeSlots *s, uint64_t node, uint32_t slot, uint32_t ticks) {
    if (s->used + 1 > s->size / 4 * 3 && !rebuild(s, s->size ? 2 * s->size : FIRST_SIZE, 0)) return false;
    TimeSlot *at = find(s, node, slot);
    if (__builtin_add_overflow(at->ticks, ticks, &ticks)) return false;
    if (!at->ticks) s->used++;
    *at = (TimeSlot){node, slot, ticks};
    return true;
}

void timeslots_widen(TimeSlots *s, uint32_t shift) {
    if (s->used) rebuild(s, s->size, shift);
}

void timeslots_free(TimeSlots *s) {
    free(s->table);
    *s = (TimeSlots){0};
}
