// JAVA_TOOL_OPTIONS and _JAVA_OPTIONS, which every VM of the JDK reads, no matter how it was started, and the files of
// -XX:VMOptionsFile. JDK_JAVA_OPTIONS is handled by the launcher.
//
// Called once while the VM starts, by one thread. The words live as long as the process, because the options refer to
// them.
#include "vm/base/envoptions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/grow.h"

bool envoptions_add(OptionList *list, char *string, void *extra) {
    if (!GROW(list->strings, list->capacity, list->count + 1)) return false;
    if (!GROW(list->extras, list->extra_capacity, list->count + 1)) return false;
    list->strings[list->count] = string;
    list->extras[list->count++] = extra;
    return true;
}

// Ends the word at *p in place, without its quotes, and moves *p past it. False: no closing quote.
static bool cut_word(char **p) {
    char *from = *p, *to = *p;
    while (*from && !isspace((unsigned char)*from)) {
        if (*from != '\'' && *from != '"') {
            *to++ = *from++;
            continue;
        }
        char quote = *from++;
        while (*from != quote) {
            if (!*from) return false;
            *to++ = *from++;
        }
        from++;
    }
    *p = *from ? from + 1 : from;
    *to = 0;
    return true;
}

static bool append_words(OptionList *list, const char *name, char *text) {
    for (;;) {
        while (isspace((unsigned char)*text)) text++;
        if (!*text) return true;
        char *word = text;
        if (!cut_word(&text)) {
            fprintf(stderr, "Unmatched quote in %s\n", name);
            return false;
        }
        if (!envoptions_add(list, word, NULL)) return false;
    }
}

bool envoptions_append(OptionList *list, const char *name) {
    const char *value = getenv(name);
    if (!value || getauxval(AT_SECURE)) return true;
    fprintf(stderr, "Picked up %s: %s\n", name, value);
    char *text = strdup(value);
    return text && append_words(list, name, text);
}

bool envoptions_append_file(OptionList *list, const char *path) {
    enum { MOST = 1 << 20 };
    FILE *f = fopen(path, "re");
    if (!f) {
        fprintf(stderr, "Could not open options file '%s'\n", path);
        return false;
    }
    char *text = calloc(1, MOST + 1);
    size_t n = text ? fread(text, 1, MOST, f) : 0;
    bool ok = text && !ferror(f) && n < MOST;
    fclose(f);
    if (ok) return append_words(list, path, text);
    fprintf(stderr, "Could not read options file '%s'\n", path);
    free(text);
    return false;
}
