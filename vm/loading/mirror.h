// java.lang.Class objects: made once per class, with everything that they refer to (storage of the reference statics,
// resolved constant-pool references, protection domain). A mirror lives as long as its class's metaspace.
#ifndef CABERNET_VM_LOADING_MIRROR_H
#define CABERNET_VM_LOADING_MIRROR_H

#include "vm/model/class.h"

// Gives `cls` its mirror and its static fields their offsets. Before mirror_fixup_all() it postpones that. False with
// OutOfMemoryError pending.
bool mirror_make(Thread *self, Class *cls, Object *protection_domain, Object *class_data);

// Once, when java.lang.Class is linked and the offsets of its fields are known: makes mirrors for everything loaded
// before.
bool mirror_fixup_all(Thread *self);
bool mirror_ready(void);

#endif
