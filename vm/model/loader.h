// What the VM keeps for each class loader, module and package. The functions are in vm/loading/metaspace.h, loader.h and
// module.h.
#ifndef CABERNET_VM_MODEL_LOADER_H
#define CABERNET_VM_MODEL_LOADER_H

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "vm/base/arena.h"
#include "vm/model/class.h"

typedef struct ModuleEntry ModuleEntry;
typedef struct PackageEntry PackageEntry;

// The metadata of classes that are unloaded together: those that a loader has defined, or one hidden class that is not
// strong, with its arrays. Arena, Class and all that hangs from them live as long as the holder does.
struct Metaspace {
    Loader *loader;            // that has defined the classes
    Metaspace *next;           // all, newest first; left alone when it has died
    Arena arena;
    _Atomic(Class *) classes;  // array classes too, through next_in_space
    bool collectable;          // false: the boot, platform and application loaders' are never unloaded
    // Collectable: what it lives and dies with, the java.lang.ClassLoader or the hidden class's mirror, in which the
    // collector finds it; NULL until that is made.
    Object *holder;
    HashTable needed;          // [lock of all] Metaspaces that it keeps alive
    uint32_t refs_used;        // [lock of all] in the newest chunk of the holder's vmRefs
    bool abandoned;            // there will be no holder
    _Atomic bool dead;         // changes while the world is stopped
    bool freed;                // about to be: no compile thread reads it any more
    bool reached;              // collector: from a stack
    Metaspace *next_dead;
    uint64_t died;             // compilequeue_epoch() when it died
};

struct Loader {
    Metaspace space;          // of its classes but the hidden ones that are not strong
    Object *java_loader;      // NULL: the boot loader. A root, if it is never unloaded
    Loader *next;             // all loaders, newest first; left alone when it has died
    pthread_mutex_t lock;     // dictionary, packages, modules
    HashTable dictionary;     // the classes it is an initiating loader of, by name
    ModuleEntry *unnamed;     // its unnamed module
    HashTable packages;       // of PackageEntry, by name
    ModuleEntry *modules;     // named modules defined to it
    uint32_t serial;          // no other loader has it, also none that comes when this one has died
    const char *label;        // what it is called where classes of one name are told apart: its name, or its class's without the package
    bool trusted;             // boot and platform
    bool delegating;          // jdk.internal.reflect.DelegatingClassLoader
};

// May it have defined classes of the program, not of the class library alone? Accessors that reflection makes are the library's.
static inline bool loader_is_applications(const Loader *l) { return !l->trusted && !l->delegating; }

struct ModuleEntry {
    Symbol *name;             // dotted; NULL: unnamed module
    Loader *loader;
    Object **module;          // slot of the java.lang.Module object, NULL until known; a root, or kept by the loader
    Symbol *version;          // NULL: none
    Symbol *location;         // NULL: none
    bool open;                // all packages exported and open
    bool reads_all_unnamed;   // "can read all unnamed": also the classpath's module
    ModuleEntry **reads;      // named modules it reads (java.base implied)
    uint32_t read_count, read_capacity;
    ModuleEntry *next_in_loader;
};

struct PackageEntry {
    Symbol *name;             // internal form; "" is the unnamed package
    ModuleEntry *module;
    bool exported;            // to everyone
    bool exported_all_unnamed;
    ModuleEntry **exports;    // qualified
    uint32_t export_count, export_capacity;
    const char *appended_from;  // boot loader's unnamed module: the element of -Xbootclasspath/a
    _Atomic bool has_classes; // its loader has defined a class in it
};

static inline bool module_is_named(const ModuleEntry *m) { return m->name; }

// Is a class the program's, not the class library's? What a class path, a module path or a loader of the program has brought is,
// the JDK's modules are not, whichever loader they have (javac is in jdk.compiler), nor are the modules that the VM makes for
// proxies of those (jdk.proxy1), nor the packages jdk.internal, of which the JDK's own loader of a jrt file system brings copies.
static inline bool class_is_applications(const Class *c) {
    const Symbol *module = c->module ? c->module->name : NULL;
    bool of_the_jdk = module && (strncmp(module->text, "java.", 5) == 0 || strncmp(module->text, "jdk.", 4) == 0);
    return loader_is_applications(c->loader) && !of_the_jdk && strncmp(c->name->text, "jdk/internal/", 13) != 0;
}

#endif
