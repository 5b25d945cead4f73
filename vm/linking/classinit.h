// Class initialisation (JVMS 5.5).
#ifndef CABERNET_VM_LINKING_CLASSINIT_H
#define CABERNET_VM_LINKING_CLASSINIT_H

#include "vm/model/class.h"

// Links and initialises. False with an exception pending: ExceptionInInitializerError, or NoClassDefFoundError "Could
// not initialize class X" if it failed before. Waits, blocked, while another thread is initialising it.
bool class_initialize(Thread *self, Class *cls);

// For callers that may run during the initialisation: true at once when `self` is running it.
static inline bool class_ensure_initialized(Thread *self, Class *cls) {
    return class_is_initialized(cls) || class_initialize(self, cls);
}
// Whether the interpreter may drop the check at this site: completely initialised.
static inline bool class_init_done(const Class *cls) { return class_is_initialized(cls); }

// After a fork, in the child: no remaining thread holds the lock of initialisation. A class that another thread was
// initialising stays in that state, and threads that need it wait for ever.
void classinit_after_fork_child(void);

#endif
