// java.lang.Class objects: made once per class, with everything that hangs from them (storage of
// the reference statics, resolved constant-pool references, protection domain). A mirror lives as
// long as its class's metaspace.
#ifndef CABERNET_VM_MIRROR_H
#define CABERNET_VM_MIRROR_H

#include "vm/model/class.h"

// Gives `cls` its mirror and its static fields their offsets. Before mirror_fixup_all() it only
// notes that this is still to be done. False with OutOfMemoryError pending.
bool mirror_make(Thread *self, Class *cls, Object *protection_domain, Object *class_data);

// Once, when java.lang.Class is linked and the offsets of its fields are known: mirrors for
// everything loaded so far.
bool mirror_fixup_all(Thread *self);
bool mirror_ready(void);

#endif
