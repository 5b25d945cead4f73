// Private to loader.c, define.c and module.c.
#ifndef CABERNET_VM_LOADING_LOADER_INTERNAL_H
#define CABERNET_VM_LOADING_LOADER_INTERNAL_H

#include "vm/loading/loader.h"

// Enters `cls` under its name in the dictionary of `loader`. Returns the resulting entry, which is another class if
// there was one already. Takes the loader's lock.
Class *loader_publish(Loader *loader, Class *cls);

// Called before `l` knows `cls`: LinkageError if a constraint forbids it.
bool loader_check_constraints(Thread *self, Loader *l, Class *cls);
// After a race of definitions by `l`: makes the constraint on the name refer to the published class. Takes the
// constraint lock briefly.
void loader_settle_constraint(const Loader *l, Class *published);

// Class creation itself (define.c). `bytes` are not copied: they belong to the loader's arena.
Class *define_from_owned(Thread *self, Loader *loader, const uint8_t *bytes, size_t len, const DefineOptions *options);

// JVMS 5.3.5 step 3: is this thread loading the supertypes of loader's class `name`?
bool define_in_progress(const Thread *self, const Loader *loader, const Symbol *name);

#endif
