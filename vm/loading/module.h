// Modules and packages of the running program (JVMS 5.3.6, 5.4.4; java.lang.Module's natives).
//
// Entries live in the arenas of their loaders. One global lock guards changes to all of them; queries take it too,
// except for immutable parts. Never held over allocation in the Java heap or calls into Java.
#ifndef CABERNET_VM_LOADING_MODULE_H
#define CABERNET_VM_LOADING_MODULE_H

#include "vm/model/class.h"
#include "vm/loading/loader.h"

void module_init(void);
bool module_system_ready(void);       // java.base is defined
ModuleEntry *module_java_base(void);  // exists from the start
// Entry of a java.lang.Module object; NULL (no exception) if the VM does not know it.
ModuleEntry *module_of(Thread *self, Object *module);
Object *module_object(const ModuleEntry *m);  // NULL before it is known

// JVM_DefineModule and related functions, with HotSpot's argument checks; false with an exception pending.
bool module_define(Thread *self, Object *module, bool is_open, Object *version, Object *location,
                   Object *packages /* String[], dotted */);
bool module_set_boot_unnamed(Thread *self, Object *module);
bool module_add_reads(Thread *self, Object *from, Object *to /* NULL: all unnamed */);
typedef enum ExportTo { EXPORT_MODULE, EXPORT_ALL, EXPORT_UNNAMED } ExportTo;
// `to` counts for EXPORT_MODULE alone.
bool module_add_exports(Thread *self, Object *from, Object *package, Object *to, ExportTo how);

// Package entry of `name` (internal form) for a loader; created in the loader's unnamed module if necessary.
PackageEntry *module_package(Loader *loader, Symbol *name);
PackageEntry *module_find_package(Loader *loader, const Symbol *name);
// The module object for a new class of this package: the named module's, or the loader's unnamed one's; NULL before
// java.base is defined.
Object *module_object_for(const PackageEntry *package);

bool module_can_read(const ModuleEntry *from, const ModuleEntry *to);
bool module_exports_to(const PackageEntry *package, const ModuleEntry *to);

// JVM_GetSystemPackage(s): location of the boot loader's package if one of its classes was loaded, else NULL.
const char *module_system_package(const Symbol *name);
// Calls fn for every package of the boot loader with classes.
void module_each_system_package(void (*fn)(void *arg, const PackageEntry *p), void *arg);

// World stopped, collector thread: drops modules of dead loaders.
void module_forget_dead(void);
// Frees memory of a dead loader's modules and packages outside its arena, which is freed afterwards.
void module_free_all(Loader *l);

#endif
