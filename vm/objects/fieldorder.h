// In which order the instance fields of a class are wanted: what an advice file says of the class
// (docs/FORMATS.md), or, to find what relies on offsets, all of them reversed or shuffled (-Xlayout:). It is settled before
// the first class is defined and constant from then on, so any thread may ask without a lock.
//
// An order is keyed by names. A class that lacks a field of its advice is another class than the one that was profiled:
// it is laid out as without advice, which a line on stderr says.
#ifndef CABERNET_VM_FIELDORDER_H
#define CABERNET_VM_FIELDORDER_H

#include "vm/model/class.h"
#include "vm/objects/layout.h"

typedef struct FieldName {
    const char *name, *desc;
} FieldName;

// -Xlayout:TEXT, at the start. False with *error (static): neither reversed nor random[=SEED].
bool fieldorder_stress(const char *text, const char **error);

// Advice for a class of that name (internal form). Takes over both, which must stay. False: there is advice for it already.
bool fieldorder_add(const char *class_name, const FieldName *fields, uint32_t count);

// Puts the fields that are wanted first in front, in their order, and leaves the others in theirs behind them. Returns how
// many are wanted; *rule says what for. Malloc only; may print.
size_t fieldorder_arrange(const Class *cls, Field **fields, size_t count, LayoutRule *rule);

#endif
