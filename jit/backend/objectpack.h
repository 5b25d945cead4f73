// A file of objects that several runs share, also at the same time: DIR/objects (docs/FORMATS.md, "Objects that are kept"). An
// object is found by its key, of which nothing is known here. What is damaged, cut off or of another format is not
// given out: the caller makes the object anew.
//
// The first thing that is wrong with the directory or the file is said in one line (compiler_log); nothing that can happen to
// them ends the process. Any thread; one mutex. malloc only; blocks on files, and at most a second for other processes.
#ifndef CABERNET_JIT_OBJECTPACK_H
#define CABERNET_JIT_OBJECTPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OBJECTPACK_KEY = 32 };

typedef struct ObjectPack ObjectPack;

// Makes the directory if it is not there (its parent must be). A directory or file that belongs to somebody else, or that
// others can write, is refused. `limit`: bytes of the file; where it would become larger, the objects go that were used longest
// ago. NULL: it cannot be used, which has been said.
ObjectPack *objectpack_open(const char *directory, uint64_t limit);
// A copy of the object, the caller's to free; NULL: there is none.
void *objectpack_find(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], size_t *size);
// Keeps a copy, which is written when enough of them have come; nothing if there is one of that key.
void objectpack_add(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], const void *object, size_t size);
// Writes what is left, and which objects were used. Frees nothing that other threads may still ask; they find and keep nothing any more.
void objectpack_finish(ObjectPack *p);
// Frees it; for tests. No other thread uses it.
void objectpack_free(ObjectPack *p);

#endif
