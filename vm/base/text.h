// Text that grows.
#ifndef CABERNET_VM_CLASSES_TEXT_H
#define CABERNET_VM_CLASSES_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "vm/base/arena.h"

// Zeroed: empty. `at` is the owner's to free; it ends with a NUL once anything was put.
typedef struct Text {
    char *at;
    size_t length, room;
} Text;

// Ends the process with a message when memory is out.
static inline void text_put(Text *t, const char *bytes, size_t length) {
    if (t->length + length + 1 > t->room) {
        t->room = (t->length + length + 1) * 2;
        t->at = realloc(t->at, t->room);
        if (!t->at) arena_out_of_memory(t->room);
    }
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
    t->at[t->length] = 0;
}

#endif
