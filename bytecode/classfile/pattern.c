// Patterns of methods (bytecode/classfile/pattern.h).
#include "bytecode/classfile/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `*` is any text, and `.` and `/` are the same. After a mismatch only the last `*` matches one more character; earlier
// ones need not be retried.
bool pattern_matches_text(const char *pattern, const char *text) {
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == *text || (*pattern == '.' && *text == '/') || (*pattern == '/' && *text == '.')) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool pattern_matches(const char *pattern, const char *class_name, const char *name, const char *descriptor) {
    size_t length = strlen(class_name) + strlen(name) + strlen(descriptor) + 2;
    char on_stack[512];
    char *text = length <= sizeof on_stack ? on_stack : malloc(length);
    if (!text) abort();
    bool with_descriptor = strchr(pattern, '(');
    snprintf(text, length, "%s.%s%s", class_name, name, with_descriptor ? descriptor : "");
    bool matches = pattern_matches_text(pattern, text);
    if (text != on_stack) free(text);
    return matches;
}

bool pattern_any(const MethodPattern *list, const char *class_name, const char *name, const char *descriptor) {
    for (; list; list = list->next)
        if (pattern_matches(list->text, class_name, name, descriptor)) return true;
    return false;
}
