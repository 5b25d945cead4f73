// The VM's class loaders, and class creation (JVMS 5.3).
//
// A Loader has a dictionary of the classes, by name, for which it is an initiating loader, and an arena for the
// metadata of the classes it defined. A loader and its classes are unloaded when nothing refers to them
// (vm/loading/metaspace.h). Locks: each loader has a mutex around its dictionary, never held over anything that
// allocates, blocks or calls Java.
#ifndef CABERNET_VM_LOADING_LOADER_H
#define CABERNET_VM_LOADING_LOADER_H

#include "vm/model/classloader.h"
#include "vm/objects/classes.h"

// Once, before anything else here: opens the class library in vm.java_home and makes vm.boot_loader and the primitive
// classes. False with a message on stderr.
bool loader_init(void);

// The Loader of a java.lang.ClassLoader object (NULL: boot), made on first use. Never NULL: the process ends when
// memory is out.
Loader *loader_of(Thread *self, Object *java_loader);
// The same if it exists already, else NULL; never allocates.
Loader *loader_of_existing(const Object *java_loader);

// JVMS 5.3: finds or loads the class `name` (internal form, arrays as [I or [Ljava/lang/Object;). Throws
// NoClassDefFoundError with the ClassNotFoundException as its cause. May run Java code.
Class *loader_load(Thread *self, Loader *loader, Symbol *name);
// The same, leaving ClassNotFoundException unchanged (Class.forName, ClassLoader natives).
Class *loader_load_cnfe(Thread *self, Loader *loader, Symbol *name);
// The class if this loader is recorded as an initiating loader of it. Never loads, never throws. Arrays too.
Class *loader_find_loaded(Loader *loader, const Symbol *name);
// Finds or loads from the class library; NULL without exception if there is no such class.
Class *loader_find_boot(Thread *self, Symbol *name);

enum DefineFlags {
    DEFINE_NESTMATE = 1,
    DEFINE_HIDDEN = 2,
    DEFINE_STRONG = 4,
    DEFINE_VM_ANNOTATIONS = 8,
};

typedef struct DefineOptions {
    Symbol *expected_name;      // NULL: any
    Object *protection_domain;  // may be NULL
    Object *class_data;         // hidden classes; may be NULL
    Class *host;                // lookup class of a hidden class
    int flags;                  // DefineFlags, as in JVM_LookupDefineClass
    const char *source;         // origin of the bytes; copied
    const char *place;          // hidden classes: name in profiles; copied. NULL: its name
    bool trusted;               // skip format checks and verification
} DefineOptions;

// Creates a class from bytes (copied). Throws ClassFormatError and related errors, LinkageError for a duplicate, and
// any exception of loading the supertypes. Does not link it.
Class *loader_define(Thread *self, Loader *loader, const uint8_t *bytes, size_t len, const DefineOptions *options);

// Visits every class of every loader, including arrays and primitives. The callback must not load classes.
void loader_each_class(void (*fn)(void *arg, Class *cls), void *arg);
uint32_t loader_class_count(void);     // loaded since the start, without arrays
uint32_t loader_unloaded_count(void);  // those of them that were unloaded

// For messages: "'bootstrap'", "'app'", "java.net.URLClassLoader @1b2c3d". Arena text.
const char *loader_name_and_id(Loader *loader);
// JVMS 5.3.4: requires that L1 and L2 agree on `name` (one class of a descriptor). False: they do not; the caller
// throws the LinkageError.
bool loader_add_constraint(Loader *a, Loader *b, Symbol *name);
// Adds an array class to the list of its loader's classes.
void loader_add_class(Class *cls);

// World stopped, collector thread: drops entries of dead metaspaces, which have `classes` classes in total.
void loader_forget_dead(uint32_t classes);
// Frees a dead loader's memory outside its metaspace, which is freed first.
void loader_free(Loader *loader);

// Around a fork, in the parent and in the child, while the world is stopped: the caller holds the locks of all loaders,
// of their arenas and of their shared tables meanwhile.
void loader_before_fork(void);
void loader_after_fork(void);

#endif
