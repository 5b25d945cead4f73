// Class loaders as the VM sees them, and class creation (JVMS 5.3).
//
// A Loader holds a dictionary from name to class for which it is an initiating loader, and an arena
// for the metadata of the classes it defined. A loader and its classes go when nothing refers to them
// (vm/loading/metaspace.h). Locks: a short mutex per loader around the dictionary, never held
// over anything that allocates, blocks or calls Java.
#ifndef CABERNET_VM_LOADER_H
#define CABERNET_VM_LOADER_H

#include "vm/model/loader.h"
#include "vm/objects/classes.h"

// Once, before anything else here: opens the class library below vm.java_home and makes
// vm.boot_loader and the primitive classes. False with a message on stderr.
bool loader_init(void);

// The Loader of a java.lang.ClassLoader object (NULL: boot), made on first use. NULL with an
// exception pending when out of memory.
Loader *loader_of(Thread *self, Object *java_loader);
// The same if it exists already, else NULL; never allocates.
Loader *loader_of_existing(const Object *java_loader);

// JVMS 5.3: finds or loads the class `name` (internal form, arrays as [I or [Ljava/lang/Object;).
// Throws NoClassDefFoundError, its cause the ClassNotFoundException. May run Java code.
Class *loader_load(Thread *self, Loader *loader, Symbol *name);
// The same, leaving ClassNotFoundException as it is (Class.forName, ClassLoader natives).
Class *loader_load_cnfe(Thread *self, Loader *loader, Symbol *name);
// Recorded already with this loader as an initiating one? Never loads, never throws. Arrays too.
Class *loader_find_loaded(Loader *loader, const Symbol *name);
// Finds or loads from the class library; NULL without exception if there is no such class.
Class *loader_find_boot(Thread *self, Symbol *name);

enum DefineFlags {
    DEFINE_NESTMATE = 1, DEFINE_HIDDEN = 2, DEFINE_STRONG = 4, DEFINE_VM_ANNOTATIONS = 8,
};

typedef struct DefineOptions {
    Symbol *expected_name;      // NULL: whatever the class file says
    Object *protection_domain;  // may be NULL
    Object *class_data;         // hidden classes; may be NULL
    Class *host;                // lookup class of a hidden class
    int flags;                  // DefineFlags, as JVM_LookupDefineClass has them
    const char *source;         // where the bytes come from; copied
    const char *place;          // hidden classes: what profiles call it; copied. NULL: its name
    bool trusted;               // skip format checks and verification
} DefineOptions;

// Creates a class from bytes (copied). Throws ClassFormatError and its kin, LinkageError for a
// duplicate, whatever loading the supertypes throws. Not linked.
Class *loader_define(Thread *self, Loader *loader, const uint8_t *bytes, size_t len,
                     const DefineOptions *options);

// Every class of every loader, arrays and primitives included. The callback must not load classes.
void loader_each_class(void (*fn)(void *arg, Class *cls), void *arg);
uint32_t loader_class_count(void);  // loaded so far, arrays not counted
uint32_t loader_unloaded_count(void);  // of them

// For messages: "'bootstrap'", "'app'", "java.net.URLClassLoader @1b2c3d". Arena text.
const char *loader_name_and_id(Loader *loader);
// JVMS 5.3.4: L1 and L2 must agree on `name` (one class of a descriptor). False: LinkageError text
// is the caller's.
bool loader_add_constraint(Loader *a, Loader *b, Symbol *name);
// Makes an array class known.
void loader_add_class(Class *cls);

// World stopped, collector thread: drops what there is of dead metaspaces, in which there are so many classes.
void loader_forget_dead(uint32_t classes);
// What a dead loader has beside its metaspace, which is freed before.
void loader_free(Loader *loader);

// Around a fork, in the parent and in the child, while the world is stopped: the locks of all loaders, of their
// arenas and of what they share are the caller's.
void loader_before_fork(void);
void loader_after_fork(void);

#endif
