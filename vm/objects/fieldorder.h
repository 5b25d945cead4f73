// The preferred order of a class's instance fields: the order in the advice file (docs/FORMATS.md), or, to find code
// that relies on offsets, all fields reversed or shuffled (-Xlayout:). It is set before the first class is defined and
// constant from then on, so any thread may query it without a lock.
//
// An order is keyed by names. A class that lacks a field of its advice differs from the profiled class: it is laid out
// without advice, and a line on stderr says so.
#ifndef CABERNET_VM_OBJECTS_FIELDORDER_H
#define CABERNET_VM_OBJECTS_FIELDORDER_H

#include "vm/model/class.h"
#include "vm/objects/layout.h"

typedef struct FieldName {
    const char *name, *desc;
} FieldName;

// Applies -Xlayout:TEXT, at the start. False with *error (static): neither reversed nor random[=SEED].
bool fieldorder_stress(const char *text, const char **error);

// Advice for a class with that name (internal form). Takes ownership of both arguments, which must stay valid. False:
// the class already has advice.
bool fieldorder_add(const char *class_name, const FieldName *fields, uint32_t count);

// Moves the preferred fields to the front, in their order; the others follow in theirs. Returns the number of preferred
// fields; *rule says when the order applies. Malloc only; may print.
size_t fieldorder_arrange(const Class *cls, Field **fields, size_t count, LayoutRule *rule);

#endif
