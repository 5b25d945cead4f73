// Class unloading (JLS 12.7): who keeps pointers into class metadata, and the order in which they let go of it.
//
// A collection that has not reached the holder of a metaspace (vm/loading/metaspace.h) ends with these steps, the world
// stopped, on the collector's thread:
//   1. The metaspace is dead: it leaves the list of all, so that nobody comes across it any more.
//   2. Everybody drops what it has of dead classes: method ids, compiled code and what is queued to be compiled,
//      interface calls, call sites, modules, loader constraints. Profiles keep names.
//   3. At the end of a later collection its memory is freed: when the objects that have died with it are swept (the next
//      collection has begun with that) and no compile thread works on a task of before.
#ifndef CABERNET_VM_UNLOAD_H
#define CABERNET_VM_UNLOAD_H

#include "vm/model/object.h"

// In push_roots, between unload_roots_begin and _end: the words from `begin` to `end` are of a C stack or the like, and the
// methods of the frames from `top` down are being executed.
void unload_roots_begin(void);
void unload_roots_stack(const void *begin, const void *end);
void unload_roots_frames(const Frame *top);
void unload_roots_end(void);
// In clear_weak_tables: step 1.
void unload_find_dead(void);
// In after_mark: steps 2 and 3.
void unload_dead(void);

#endif
