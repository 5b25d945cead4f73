#include "profiler/control/scopefilter.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/pattern.h"

struct Scope {
    char *text;  // commas replaced by NUL
    size_t count;
    const char *patterns[];
};

void scope_free(Scope *s) {
    if (s) free(s->text);
    free(s);
}

Scope *scope_make(const char *text, bool *empty) {
    size_t count = 1;
    for (const char *c = text; *c; c++) count += *c == ',';
    Scope *s = calloc(1, sizeof *s + count * sizeof *s->patterns);
    *empty = false;
    if (!s || !(s->text = strdup(text))) {
        scope_free(s);
        return NULL;
    }
    char *next = s->text;
    for (; s->count < count; s->count++) {
        char *word = strsep(&next, ",");
        s->patterns[s->count] = word;
        *empty |= !word[*word == '!'];
    }
    if (!*empty) return s;
    scope_free(s);
    return NULL;
}

bool scope_includes(const Scope *s, const char *class_name, const char *name, const char *desc) {
    for (size_t i = s ? s->count : 0; i-- > 0;) {
        bool excludes = *s->patterns[i] == '!';
        if (pattern_matches(s->patterns[i] + excludes, class_name, name, desc)) return !excludes;
    }
    return !s || *s->patterns[0] == '!';
}
