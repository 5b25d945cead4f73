// The life of class metadata (JLS 12.7): what keeps a metaspace (vm/model/loader.h) alive, how the collector finds out
// that nothing does, and how its memory is given back.
//
// A collectable metaspace lives as long as its holder, a Java object: the java.lang.ClassLoader of the classes, or the
// mirror of a hidden class that is not strong. The holder is reached from every instance (its vtable is in the heap and
// refers to the mirror, gc/heap.h), from every mirror (Class.classLoader), and from what needs the metaspace: another
// one whose classes refer to its classes (metaspace_need). Whoever has only a raw Class, Method or other pointer into
// the metadata keeps the metaspace alive as long as the pointer is on a stack, C or Java, of a thread: at a collection
// stacks are searched for addresses in metadata as they are for objects. A pointer in malloc memory keeps nothing alive.
//
// A metaspace whose holder a collection has not reached is dead from that stop on (`dead`) and in no list. Everybody
// who has pointers to its metadata drops them at this stop (vm/boot/unload.c); threads that do not take part in stops,
// the compile threads, may still read it until they have finished what they were doing. Then it is freed.
#ifndef CABERNET_VM_METASPACE_H
#define CABERNET_VM_METASPACE_H

#include "vm/model/loader.h"

// Prepares a zeroed metaspace and puts it into the list of all.
void metaspace_begin(Metaspace *space, Loader *loader, bool collectable, size_t first_chunk);
// A metaspace for one hidden class, which loader defines.
Metaspace *metaspace_new_hidden(Loader *loader);

// Makes `object` live as long as the metaspace, which has its holder if it is collectable. False with OutOfMemoryError
// pending. [may collect]
bool metaspace_keep(Thread *self, Metaspace *space, Object *object);
// Metadata of `space` is to refer to `cls` or its members: makes these live as long. Likewise.
bool metaspace_need(Thread *self, Metaspace *space, const Class *cls);

// The vtable of `cls`, which has its mirror, with room for so many methods: zeroed but for `cls` and `mirror`. NULL with
// OutOfMemoryError pending. [may collect]
VTable *metaspace_new_vtable(Thread *self, Class *cls, uint32_t methods);

// A slot that the collector treats as a root, for the life of the process. Never fails.
Object **metaspace_new_root(void);

// Collects when much metadata has come since the last collection. Running mutator.
void metaspace_collect_if_due(Thread *self);

void metaspace_add_class(Class *cls);
void metaspace_each(void (*fn)(void *arg, Metaspace *space), void *arg);
static inline bool class_is_dead(const Class *c) { return atomic_load_explicit(&c->space->dead, memory_order_relaxed); }

// ---- at a collection: collector thread, world stopped ----

// In push_roots, in this order. Nothing to do between the first and the last when the first says false: there is no
// collectable metaspace.
bool metaspace_roots_begin(void);
void metaspace_roots_address(uintptr_t word);  // found on a stack
void metaspace_roots_end(void);                // pushes the holders of those that were reached

// In clear_weak_tables: takes the dead ones out of the list of all and returns them, through next_dead. Their vtables
// stay until the next collection.
Metaspace *metaspace_take_dead(void);
// Frees the arena and what belongs to the metaspace itself.
void metaspace_free(Metaspace *space);

// Around a fork, as loader_before_fork.
void metaspace_before_fork(void);
void metaspace_after_fork(void);

#endif
