// The value of scope=: which classes and methods a profile is about. PATTERN[,PATTERN]..., each as in
// bytecode/classfile/pattern.h; one behind an exclamation mark excludes. The last pattern that matches a method
// decides; what none matches is excluded, unless the first pattern excludes. Immutable after it was made; malloc only.
#ifndef CABERNET_PROFILER_SCOPE_H
#define CABERNET_PROFILER_SCOPE_H

#include <stdbool.h>

typedef struct Scope Scope;

// NULL: out of memory, or *empty: a pattern is missing.
Scope *scope_make(const char *text, bool *empty);
void scope_free(Scope *s);  // NULL: nothing
// NULL includes everything.
bool scope_includes(const Scope *s, const char *class_name, const char *name, const char *desc);

#endif
