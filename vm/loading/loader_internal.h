// Private to loader.c, define.c and module.c.
#ifndef CABERNET_VM_LOADER_INTERNAL_H
#define CABERNET_VM_LOADER_INTERNAL_H

#include "vm/loading/loader.h"

// Puts `cls` under its name into the dictionary of `loader`; returns what is there afterwards,
// which is another class if one was there before. The loader's lock is taken.
Class *loader_publish(Loader *loader, Class *cls);

// `l` knows `cls` now: LinkageError if a constraint forbids it.
bool loader_check_constraints(Thread *self, Loader *l, Class *cls);
// After a race of definitions by `l`: the constraint on the name is about the published class. Takes the
// constraint lock for a moment.
void loader_settle_constraint(const Loader *l, Class *published);

// Class creation proper (define.c). `bytes` stay where they are: they belong to the loader's arena.
Class *define_from_owned(Thread *self, Loader *loader, const uint8_t *bytes, size_t len,
                         const DefineOptions *options);

// JVMS 5.3.5 step 3: is this thread in the middle of loading the supertypes of loader's class
// `name`?
bool define_in_progress(const Thread *self, const Loader *loader, const Symbol *name);

#endif
