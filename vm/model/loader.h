// What the VM keeps for each class loader, module and package. The functions are in vm/loading/loader.h and module.h.
#ifndef CABERNET_VM_MODEL_LOADER_H
#define CABERNET_VM_MODEL_LOADER_H

#include <pthread.h>

#include "base/hash.h"
#include "vm/base/arena.h"
#include "vm/model/class.h"

typedef struct ModuleEntry ModuleEntry;
typedef struct PackageEntry PackageEntry;

struct Loader {
    Object *java_loader;      // root; NULL: the boot loader
    Loader *next;             // all loaders, newest first
    pthread_mutex_t lock;     // dictionary, packages, modules, classes
    HashTable dictionary;     // the classes it is an initiating loader of, by name
    Arena arena;
    _Atomic(Class *) classes; // all it defined, arrays and hidden ones too, through next_in_loader
    ModuleEntry *unnamed;     // its unnamed module
    HashTable packages;       // of PackageEntry, by name
    ModuleEntry *modules;     // named modules defined to it
    bool trusted;             // boot and platform
    bool delegating;          // jdk.internal.reflect.DelegatingClassLoader
};

struct ModuleEntry {
    Symbol *name;             // dotted; NULL: unnamed module
    Loader *loader;
    Object **module;          // root slot: java.lang.Module object, NULL until known
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

#endif
