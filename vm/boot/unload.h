// Class unloading (JLS 12.7): the subsystems that keep pointers into class metadata, and the order in which they drop
// them.
//
// If a collection has not reached the holder of a metaspace (vm/loading/metaspace.h), it ends with these steps, with
// the world stopped, on the collector's thread:
//   1. The metaspace is dead: it leaves the global list, so that it can no longer be found.
//   2. All subsystems drop their data on dead classes: method ids, compiled code and queued compilations,
//      interface calls, call sites, modules, loader constraints. Profiles keep names.
//   3. At the end of a later collection its memory is freed: once the objects that died with it are swept (the next
//      collection begins with that), and no compile thread works on an older task.
#ifndef CABERNET_VM_BOOT_UNLOAD_H
#define CABERNET_VM_BOOT_UNLOAD_H

#include "vm/model/object.h"

// In push_roots, between unload_roots_begin and _end: scans the words from `begin` to `end` of a C stack or the like;
// and marks the methods of the frames from `top` down as executing.
void unload_roots_begin(void);
void unload_roots_stack(const void *begin, const void *end);
void unload_roots_frames(const Frame *top);
void unload_roots_end(void);
// In clear_weak_tables: step 1.
void unload_find_dead(void);
// In after_mark: steps 2 and 3.
void unload_dead(void);

#endif
