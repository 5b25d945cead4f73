// The parameters of a method in order, as the event argument reports them.
#ifndef CABERNET_VM_API_ARGUMENTS_H
#define CABERNET_VM_API_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { ARGUMENTS_REPORTED = 8 };

typedef struct Argument {
    const char *next;  // in the descriptor
    int32_t slot;      // among the locals
    char type;         // type character, 'A' for a reference
    uint8_t slots;
} Argument;

// Positioned before the first parameter. `desc` is valid and stays.
static inline Argument arguments_begin(const char *desc, bool is_static) {
    return (Argument){.next = desc + 1, .slots = !is_static};
}

// Advances to the next parameter. False: there are no more.
static inline bool arguments_next(Argument *a) {
    if (*a->next == ')') return false;
    bool array = *a->next == '[';
    while (*a->next == '[') a->next++;
    a->slot += a->slots;
    a->type = array || *a->next == 'L' ? 'A' : *a->next;
    a->slots = a->type == 'J' || a->type == 'D' ? 2 : 1;
    if (*a->next == 'L')
        while (*a->next != ';') a->next++;
    a->next++;
    return true;
}

#endif
