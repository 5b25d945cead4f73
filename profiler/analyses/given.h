// Data other than rows that an analysis in a shadow hands to the program (Analysis.give and take): a sequence of
// numbers and texts, written by given_put_*. Reading checks every length. A missing or overlong item makes the input
// bad, and every later read returns 0 or NULL. Both sides run on one machine, so numbers are in native byte order.
#ifndef CABERNET_PROFILER_ANALYSES_GIVEN_H
#define CABERNET_PROFILER_ANALYSES_GIVEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Given {
    const uint8_t *at, *end;
    bool bad;
} Given;

static inline void given_put_number(FILE *out, uint64_t n) { fwrite(&n, sizeof n, 1, out); }

// NULL is distinct from the empty text.
static inline void given_put_text(FILE *out, const char *text) {
    given_put_number(out, text ? strlen(text) + 1 : 0);
    if (text) fputs(text, out);
}

static inline uint64_t given_number(Given *g) {
    uint64_t n = 0;
    g->bad |= (size_t)(g->end - g->at) < sizeof n;
    if (g->bad) return 0;
    memcpy(&n, g->at, sizeof n);
    g->at += sizeof n;
    return n;
}

// malloc'd, or NULL.
static inline char *given_text(Given *g) {
    uint64_t n = given_number(g);
    if (!n || g->bad) return NULL;
    char *text = n - 1 <= (uint64_t)(g->end - g->at) ? strndup((const char *)g->at, n - 1) : NULL;
    g->bad |= !text;
    if (text) g->at += n - 1;
    return text;
}

#endif
