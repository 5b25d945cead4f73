// The lifetime of class metadata (JLS 12.7): what keeps a metaspace (vm/model/classloader.h) alive, how the collector
// detects dead ones, and how their memory is freed.
//
// A collectable metaspace lives as long as its holder, a Java object: the java.lang.ClassLoader of the classes, or the
// mirror of a hidden class that is not strong. The holder is reachable from every instance (its vtable is in the heap
// and refers to the mirror, gc/heap.h), from every mirror (Class.classLoader), and from metaspaces whose classes refer
// to its classes (metaspace_need). Code that has only a raw Class, Method or other pointer into the metadata keeps the
// metaspace alive while the pointer is on a thread's C or Java stack: a collection scans stacks for addresses in
// metadata as it does for objects. A pointer in malloc memory keeps nothing alive.
//
// A metaspace whose holder was not reached by a collection is dead from that stop on (`dead`) and in no list. All users
// drop their pointers to its metadata at this stop (vm/boot/unload.c). Threads that do not take part in stops, the
// compile threads, may still read it until they have finished their present work. Then it is freed.
#ifndef CABERNET_VM_LOADING_METASPACE_H
#define CABERNET_VM_LOADING_METASPACE_H

#include "vm/model/classloader.h"

// Initialises a zeroed metaspace and adds it to the list of all.
void metaspace_begin(Metaspace *space, Loader *loader, bool collectable, size_t first_chunk);
// A metaspace for one hidden class, which loader defines.
Metaspace *metaspace_new_hidden(Loader *loader);

// Makes `object` live as long as the metaspace, which has its holder if it is collectable. False with OutOfMemoryError
// pending. [may collect]
bool metaspace_keep(Thread *self, Metaspace *space, Object *object);
// Called before metadata of `space` refers to `cls` or its members: makes these live as long. False with
// OutOfMemoryError pending. [may collect]
bool metaspace_need(Thread *self, Metaspace *space, const Class *cls);

// The vtable of `cls`, which has its mirror, with room for `methods` methods: zeroed except for `cls` and `mirror`.
// NULL with OutOfMemoryError pending. [may collect]
VTable *metaspace_new_vtable(Thread *self, Class *cls, uint32_t methods);

// A new slot that is a root until the process ends. Never fails.
Object **metaspace_new_root(void);

// Collects when enough metadata was allocated since the last collection. Running mutator.
void metaspace_collect_if_due(Thread *self);

void metaspace_add_class(Class *cls);
void metaspace_each(void (*fn)(void *arg, Metaspace *space), void *arg);
static inline bool class_is_dead(const Class *c) { return atomic_load_explicit(&c->space->dead, memory_order_relaxed); }

// ---- at a collection: collector thread, world stopped ----

// In push_roots, in this order. If the first returns false, there is no collectable metaspace, and the other two are
// not needed.
bool metaspace_roots_begin(void);
void metaspace_roots_address(uintptr_t word);  // found on a stack
void metaspace_roots_end(void);                // pushes the holders of reached metaspaces

// In clear_weak_tables: removes dead metaspaces from the list of all and returns them, linked through next_dead. Their
// vtables stay until the next collection.
Metaspace *metaspace_take_dead(void);
// Frees the arena and the metaspace's own memory.
void metaspace_free(Metaspace *space);

// Around a fork, like loader_before_fork.
void metaspace_before_fork(void);
void metaspace_after_fork(void);

#endif
