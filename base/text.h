// A growing text; zeroed it is empty. The owner frees `at`, which is NUL-terminated once any text, even an empty one,
// was appended. The process ends with a message when out of memory. Not thread-safe.
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

// Appends a name. Bytes that would end or split it are written as %XX: blanks, control characters, % and those in
// `special`.
static inline void text_put_escaped(Text *t, const char *name, size_t length, const char *special) {
    for (size_t i = 0; i < length; i++) {
        char c = name[i], hex[4];
        if ((unsigned char)c > ' ' && c != 0x7f && c != '%' && !strchr(special, c)) text_put(t, &c, 1);
        else text_put(t, hex, (size_t)snprintf(hex, sizeof hex, "%%%02X", (unsigned char)c));
    }
}

static inline int text_hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Reverses text_put_escaped in place. Returns the length, or -1 when malformed.
static inline ptrdiff_t text_unescape(char *s, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char c = s[i];
        if (c == '%') {
            int high = length - i > 2 ? text_hex_digit(s[i + 1]) : -1;
            int low = length - i > 2 ? text_hex_digit(s[i + 2]) : -1;
            if (high < 0 || low < 0) return -1;
            c = (char)(high * 16 + low);
            i += 2;
        }
        s[n++] = c;
    }
    return (ptrdiff_t)n;
}

// Appends the rest of the file. False when reading fails.
static inline bool text_put_file(Text *t, FILE *in) {
    char block[8192];
    text_put(t, "", 0);
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) text_put(t, block, n);
    return !ferror(in);
}

#endif
