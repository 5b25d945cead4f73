// Prototypes of all bodies named in intrinsics.def, and the helpers they share. Included only by the files with such
// bodies and by intrinsics.c.
#ifndef CABERNET_VM_NATIVES_INTRINSICS_IMPL_H
#define CABERNET_VM_NATIVES_INTRINSICS_IMPL_H

#include "vm/model/vm.h"

#define LEAF(cls, name, desc, fn) void fn(Thread *self, Slot *args);
#define FRAME(cls, name, desc, fn) void fn(Thread *self, Slot *args);
#define TRY(cls, name, desc, fn) bool fn(Thread *self, Slot *args);
#include "vm/natives/intrinsics.def"

// A body of one statement.
#define OPERATION(name, statement)        \
    void name(Thread *self, Slot *args) { \
        (void)self, (void)args;           \
        statement;                        \
    }

// Is [at, at + count) within the array `a`? NULL: no.
static inline bool in_array(const Object *a, int64_t at, int64_t count) {
    return a && at >= 0 && count >= 0 && at + count <= a->length;
}

#endif
