// Class initialisation (JVMS 5.5).
#ifndef CABERNET_VM_CLASSINIT_H
#define CABERNET_VM_CLASSINIT_H

#include "vm/model/class.h"

// Links and initialises. False with an exception pending: ExceptionInInitializerError, or
// NoClassDefFoundError "Could not initialize class X" for one that failed before. Waits, blocked,
// for another thread that is initialising it.
bool class_initialize(Thread *self, Class *cls);

// For callers that run in the middle of initialisation too: true at once when `self` is running it.
static inline bool class_ensure_initialized(Thread *self, Class *cls) {
    return class_is_initialized(cls) || class_initialize(self, cls);
}
// May the interpreter drop the check at this site: initialised completely.
static inline bool class_init_done(const Class *cls) { return class_is_initialized(cls); }

// After a fork, in the child: no thread is left that holds the lock of initialisation. A class that one of them was
// initialising stays so, and whoever needs it waits for ever.
void classinit_after_fork_child(void);

#endif
