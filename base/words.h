// The pieces of which the options' texts consist: words between separators, name=value, numbers with a unit,
// rows of tables by name. Lists of options (base/optionlist.h), -Xthreads, -Xlog and the sizes of HotSpot's options are cut
// with these. Words are cut in place. Pure functions.
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
    WORDS_BACKSLASH,  // takes the next character as it is, and is dropped
    WORDS_QUOTES,     // a separator between double quotes is none; the quotes stay
} WordsEscape;

// Cuts the next word off *rest, up to `separator`, and moves *rest behind it, to NULL at the end of the
// text. NULL when *rest is. So an empty text is one empty word, and "a," is two.
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

// Cuts "name=value": the value, NULL when there is no equals sign.
static inline char *words_value(char *word) {
    char *value = strchr(word, '=');
    if (value) *value++ = '\0';
    return value;
}

// The value of a word that is KEY=VALUE, which stays whole; NULL for other words.
static inline char *words_value_of(char *word, const char *key) {
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

// A number at the begin of the text, which must be a digit; base 0 knows 0x and 0 as C does. Where it ends, or
// NULL when there is none. A number that does not fit is UINT64_MAX, and *fits false.
static inline const char *words_number(const char *text, int base, uint64_t *n, bool *fits) {
    if (*text < '0' || *text > '9') return NULL;
    char *end;
    errno = 0;
    *n = strtoull(text, &end, base);
    *fits = errno == 0;
    return end;
}

// A number and, behind it, one of `units` in either case, the first being 1024, the next its square and so
// on. False when it is something else, or more than an int64_t holds.
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

// The position of the row with this name, -1 when there is none. Rows begin with a `const char *name`.
static inline int words_find(const void *rows, size_t count, size_t row_size, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(*(const char *const *)((const char *)rows + i * row_size), name) == 0) return (int)i;
    return -1;
}
#define WORDS_FIND(rows, name) words_find(rows, sizeof(rows) / sizeof *(rows), sizeof *(rows), name)

#endif
