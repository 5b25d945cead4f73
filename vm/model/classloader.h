// The VM's records of class loaders, modules and packages. The functions are in vm/loading/metaspace.h, loader.h and
// module.h.
#ifndef CABERNET_VM_MODEL_CLASSLOADER_H
#define CABERNET_VM_MODEL_CLASSLOADER_H

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "vm/base/arena.h"
#include "vm/model/class.h"

typedef struct ModuleEntry ModuleEntry;
typedef struct PackageEntry PackageEntry;

// The metadata of classes that are unloaded together: those that a loader has defined, or one non-strong hidden class,
// with their arrays. Arena, Class and everything that they refer to live as long as the holder does.
struct Metaspace {
    Loader *loader;   // the loader that defined the classes
    Metaspace *next;  // list of all, newest first; unchanged after its death
    Arena arena;
    _Atomic(Class *) classes;  // including array classes, through next_in_space
    bool collectable;          // false: the boot, platform and application loaders' are never unloaded
    // Collectable: the owner of its lifetime, the java.lang.ClassLoader or the hidden class's mirror, through which the
    // collector reaches it; NULL until that is made.
    Object *holder;
    HashTable needed;    // [lock of all] Metaspaces that it keeps alive
    uint32_t refs_used;  // [lock of all] in the newest chunk of the holder's vmRefs
    bool abandoned;      // it will never get a holder
    _Atomic bool dead;   // changes while the world is stopped
    bool freed;          // about to be freed: no compile thread reads it any more
    bool reached;        // collector: referred to from a stack
    Metaspace *next_dead;
    uint64_t died;  // compilequeue_epoch() when it died
};

struct Loader {
    Metaspace space;       // of its classes, except hidden ones that are not strong
    Object *java_loader;   // NULL: the boot loader. A root, if it is never unloaded
    Loader *next;          // all loaders, newest first; unchanged after its death
    pthread_mutex_t lock;  // dictionary, packages, modules
    HashTable dictionary;  // classes for which it is an initiating loader, by name
    ModuleEntry *unnamed;  // its unnamed module
    HashTable packages;    // of PackageEntry, by name
    ModuleEntry *modules;  // named modules defined to it
    uint32_t serial;       // unique, also among later loaders
    const char *label;     // tells classes of one name apart: the loader's name, or its class's without the package
    bool trusted;          // boot and platform
    bool delegating;       // jdk.internal.reflect.DelegatingClassLoader
};

// May it have defined classes of the program, not only of the class library? Reflection's accessors belong to the
// library.
static inline bool loader_is_applications(const Loader *l) { return !l->trusted && !l->delegating; }

struct ModuleEntry {
    Symbol *name;  // dotted; NULL: unnamed module
    Loader *loader;
    Object **module;         // slot of the java.lang.Module object, NULL until known; a root, or kept by the loader
    Symbol *version;         // NULL: none
    Symbol *location;        // NULL: none
    bool open;               // all packages exported and open
    bool reads_all_unnamed;  // "can read all unnamed": including the class path's module
    ModuleEntry **reads;     // named modules that it reads (java.base implied)
    uint32_t read_count, read_capacity;
    ModuleEntry *next_in_loader;
};

struct PackageEntry {
    Symbol *name;  // internal form; "" is the unnamed package
    ModuleEntry *module;
    bool exported;  // to everyone
    bool exported_all_unnamed;
    ModuleEntry **exports;  // qualified
    uint32_t export_count, export_capacity;
    const char *appended_from;  // boot loader's unnamed module: the element of -Xbootclasspath/a
    _Atomic bool has_classes;   // its loader has defined a class in it
};

static inline bool module_is_named(const ModuleEntry *m) { return m->name; }

// Does a class belong to the program, not to the class library? Classes from a class path, a module path or a loader of
// the program do. Not the program's are the JDK's modules, whatever their loader (javac is in jdk.compiler), the
// modules that the VM makes for proxies of those (jdk.proxy1), and the packages jdk.internal, which the JDK's own
// loader of a jrt file system loads again.
static inline bool class_is_applications(const Class *c) {
    const Symbol *module = c->module ? c->module->name : NULL;
    bool of_the_jdk = module && (strncmp(module->text, "java.", 5) == 0 || strncmp(module->text, "jdk.", 4) == 0);
    return loader_is_applications(c->loader) && !of_the_jdk && strncmp(c->name->text, "jdk/internal/", 13) != 0;
}

#endif
