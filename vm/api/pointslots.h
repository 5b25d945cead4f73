// Where a watched method (event point_enter) finds the objects of the event among its arguments.
#ifndef CABERNET_VM_API_POINTSLOTS_H
#define CABERNET_VM_API_POINTSLOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { POINT_RECEIVER, POINT_FIRST, POINT_SECOND, POINT_OBJECTS };

// Slots of the receiver and of the first two parameters; -1: absent, or not a reference. `desc` is valid.
static inline void point_slots(const char *desc, bool is_static, int32_t slots[POINT_OBJECTS]) {
    int32_t slot = is_static ? 0 : 1;
    slots[POINT_RECEIVER] = is_static ? -1 : 0;
    slots[POINT_FIRST] = slots[POINT_SECOND] = -1;
    const char *at = desc + 1;
    for (int i = POINT_FIRST; i < POINT_OBJECTS && *at != ')'; i++) {
        bool array = *at == '[';
        while (*at == '[') at++;
        bool reference = array || *at == 'L';
        if (reference) slots[i] = slot;
        slot += !array && (*at == 'J' || *at == 'D') ? 2 : 1;
        if (*at == 'L')
            while (*at != ';') at++;
        at++;
    }
}

#endif
