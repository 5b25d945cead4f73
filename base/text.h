// Text that grows. Zeroed it is empty. `at` is the owner's to free; it ends with a NUL once anything, even
// nothing, was put. The process ends with a message when memory is out. Not thread-safe.
#ifndef CABERNET_BASE_TEXT_H
#define CABERNET_BASE_TEXT_H

#include <stdio.h>
#include <string.h>

#include "base/grow.h"

typedef struct Text {
    char *at;
    size_t length, capacity;
} Text;

static inline void text_put(Text *t, const char *bytes, size_t length) {
    GROW_OR_EXIT(t->at, t->capacity, t->length + length + 1);
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
    t->at[t->length] = 0;
}

static inline void text_put_string(Text *t, const char *string) { text_put(t, string, strlen(string)); }

static inline void text_put_char(Text *t, char c) { text_put(t, &c, 1); }

// Appends what is left of the file. False when reading fails.
static inline bool text_put_file(Text *t, FILE *in) {
    char block[8192];
    text_put(t, "", 0);
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) text_put(t, block, n);
    return !ferror(in);
}

#endif
