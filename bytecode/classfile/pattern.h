// Patterns of methods, as options name them: "java/lang/String.indexOf*", "demo.*", "*.run()V". `*` is
// any text, `.` and `/` are the same; what has no parenthesis is matched against class and name alone.
// No locks, no state.
#ifndef CABERNET_BYTECODE_PATTERN_H
#define CABERNET_BYTECODE_PATTERN_H

#include <stdbool.h>

typedef struct MethodPattern {
    const char *text;  // the owner's
    struct MethodPattern *next;
} MethodPattern;

// Does the text of a pattern match? Internal class name, name, descriptor. Allocates (malloc) for very long names.
bool pattern_matches(const char *pattern, const char *class_name, const char *name, const char *descriptor);

// The same of one text, a class's name say.
bool pattern_matches_text(const char *pattern, const char *text);

// Does one of a list?
bool pattern_any(const MethodPattern *list, const char *class_name, const char *name, const char *descriptor);

#endif
