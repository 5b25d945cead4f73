// A file of objects that several runs share, also concurrently: DIR/objects (docs/FORMATS.md, "Objects that are kept").
// An object is found by its key, which is opaque here. Damaged or truncated objects and those of another format are
// never returned; the caller then makes the object again.
//
// The first problem with the directory or the file is logged in one line (compiler_log). No such problem ends the
// process. Any thread; one mutex. Uses malloc only; blocks on file I/O, and at most a second on other processes.
#ifndef CABERNET_JIT_BACKEND_OBJECTPACK_H
#define CABERNET_JIT_BACKEND_OBJECTPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OBJECTPACK_KEY = 32 };

typedef struct ObjectPack ObjectPack;

// Makes the directory if it does not exist (its parent must). Rejects a directory or file that belongs to another user
// or that others can write. `limit`: bytes of the file; the least recently used objects are dropped to stay below it.
// NULL: the directory cannot be used, and the reason has been logged.
ObjectPack *objectpack_open(const char *directory, uint64_t limit);
// A copy of the object, which the caller frees; NULL: not found.
void *objectpack_find(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], size_t *size);
// Keeps a copy, which is written once enough of them wait. Does nothing if the key is known.
void objectpack_add(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], const void *object, size_t size);
// Writes the remaining objects and the hours of last use. Frees nothing that other threads may still use; from then on
// they find and keep nothing.
void objectpack_finish(ObjectPack *p);
// Frees the pack; for tests. No other thread may use it.
void objectpack_free(ObjectPack *p);

#endif
