// The value of scope=: the classes and methods covered by a profile. PATTERN[,PATTERN]..., with the patterns of
// bytecode/classfile/pattern.h; a leading exclamation mark excludes. The last matching pattern decides. Without a match
// a method is excluded, unless the first pattern excludes. Immutable; malloc only.
#ifndef CABERNET_PROFILER_CONTROL_SCOPEFILTER_H
#define CABERNET_PROFILER_CONTROL_SCOPEFILTER_H

#include <stdbool.h>

typedef struct Scope Scope;

// NULL: out of memory, or *empty: a pattern is missing.
Scope *scope_make(const char *text, bool *empty);
void scope_free(Scope *s);  // NULL: nothing
// A NULL scope includes everything.
bool scope_includes(const Scope *s, const char *class_name, const char *name, const char *desc);

#endif
