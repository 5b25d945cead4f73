// Parsing of option texts: words between separators, name=value, numbers with a unit, table rows by name. Used by
// option lists (base/optionlist.h), -Xthreads, -Xlog and the sizes of HotSpot's options. Words are split in place. No
// state.
#ifndef CABERNET_BASE_WORDS_H
#define CABERNET_BASE_WORDS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum WordsEscape {
    WORDS_PLAIN,
    WORDS_BACKSLASH,  // makes the next character literal, and is removed
    WORDS_QUOTES,     // a separator between double quotes is literal; the quotes stay
} WordsEscape;

// Splits the next word off *rest at `separator` and moves *rest past it, to NULL at the end of the text. Returns NULL
// when *rest is NULL. An empty text therefore is one empty word, and "a," is two words.
static inline char *words_next(char **rest, char separator, WordsEscape escape) {
    char *word = *rest, *from = word, *to = word;
    if (!word) return NULL;
    for (bool quoted = false; *from && (quoted || *from != separator); from++) {
        if (escape == WORDS_QUOTES && *from == '"') quoted = !quoted;
        if (escape == WORDS_BACKSLASH && *from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return word;
}

// Splits "name=value" and returns the value; NULL: no equals sign.
static inline char *words_value(char *word) {
    char *value = strchr(word, '=');
    if (value) *value++ = '\0';
    return value;
}

// The value of a word KEY=VALUE, which is not split; NULL for other words.
static inline char *words_value_of(char *word, const char *key) {
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

// A number at the beginning of the text, which must start with a digit; base 0 accepts 0x and 0 as in C. Returns the
// end of the number, or NULL if there is none. A number that does not fit becomes UINT64_MAX, with *fits false.
static inline const char *words_number(const char *text, int base, uint64_t *n, bool *fits) {
    if (*text < '0' || *text > '9') return NULL;
    char *end;
    errno = 0;
    *n = strtoull(text, &end, base);
    *fits = errno == 0;
    return end;
}

// A number, optionally followed by one of `units` in either case: the first is 1024, the next its square, and so on.
// False: malformed, or more than an int64_t holds.
static inline bool words_size(const char *text, int base, const char *units, int64_t *bytes) {
    uint64_t n;
    bool fits;
    int shift = 0;
    const char *end = words_number(text, base, &n, &fits);
    if (!end) return false;
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (unit) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end || !fits || n > (uint64_t)INT64_MAX >> shift) return false;
    *bytes = (int64_t)(n << shift);
    return true;
}

// The index of the row with this name; -1: none. Rows begin with a `const char *name`.
static inline int words_find(const void *rows, size_t count, size_t row_size, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(*(const char *const *)((const char *)rows + i * row_size), name) == 0) return (int)i;
    return -1;
}
#define WORDS_FIND(rows, name) words_find(rows, sizeof(rows) / sizeof *(rows), sizeof *(rows), name)

// ---- misspelt names ------------------------------------------------------------------------------

// The known name that is closest to a misspelt one.
typedef struct WordsGuess {
    const char *name;  // NULL: none is close
    size_t distance;
} WordsGuess;

enum { WORDS_LONGEST_NAME = 63, WORDS_HINT = WORDS_LONGEST_NAME + 24 };

// The number of characters to insert, remove or replace to make `b` from `a` (Levenshtein).
static inline size_t words_distance(const char *a, const char *b) {
    size_t row[WORDS_LONGEST_NAME + 1], length = strlen(b);
    if (length > WORDS_LONGEST_NAME) return SIZE_MAX;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (diagonal + 1 < best) best = diagonal + 1;
            if (row[j] + 1 < best) best = row[j] + 1;
            row[j + 1] = best;
        }
    }
    return row[length];
}

// Considers a known name: it is close if it begins with the word, or differs from it in a third of the characters.
static inline void words_consider(WordsGuess *guess, const char *word, const char *known) {
    size_t length = strlen(word), distance = words_distance(word, known);
    bool begins = length > 2 && strncmp(known, word, length) == 0;
    if (begins) distance = 1;
    if (!begins && (distance > (length + 2) / 3 || distance >= length)) return;
    if (!guess->name || distance < guess->distance) *guess = (WordsGuess){known, distance};
}

// " (did you mean NAME?)" in `hint`, which is returned; empty without a close name.
static inline const char *words_hint(const WordsGuess *guess, char hint[static WORDS_HINT]) {
    *hint = '\0';
    if (guess->name) strcat(strcat(strcpy(hint, " (did you mean "), guess->name), "?)");
    return hint;
}

#endif
