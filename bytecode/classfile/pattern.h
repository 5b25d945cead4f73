// Method patterns of options: "java/lang/String.indexOf*", "demo.*", "*.run()V". `*` is any text, and `.` and `/` are
// equivalent. A pattern without a parenthesis is matched against class and name only. No locks, no state.
#ifndef CABERNET_BYTECODE_CLASSFILE_PATTERN_H
#define CABERNET_BYTECODE_CLASSFILE_PATTERN_H

#include <stdbool.h>

typedef struct MethodPattern {
    const char *text;  // owned by the caller
    struct MethodPattern *next;
} MethodPattern;

// Does the text match the pattern? Internal class name, name, descriptor. Allocates (malloc) for very long names.
bool pattern_matches(const char *pattern, const char *class_name, const char *name, const char *descriptor);

// The same for a single text, such as a class name.
bool pattern_matches_text(const char *pattern, const char *text);

// Does any pattern of the list match?
bool pattern_any(const MethodPattern *list, const char *class_name, const char *name, const char *descriptor);

#endif
