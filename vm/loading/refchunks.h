// Slots for references that live as long as an object: elements of Object[] chunks in one of its fields. Element 0 of a
// chunk is the previous chunk. Chunks are never replaced, so a slot's address is valid as long as the object lives. For
// the constants of a class (its mirror) and for objects kept by a metaspace (its holder).
#ifndef CABERNET_VM_LOADING_REFCHUNKS_H
#define CABERNET_VM_LOADING_REFCHUNKS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/api/thread.h"
#include "vm/model/object.h"

typedef struct RefChunks {
    Object *owner;
    size_t offset;          // of the owner's field for the newest chunk
    uint32_t *used;         // used elements of that chunk
    pthread_mutex_t *lock;  // guards field and `used`; no other lock is taken under it
} RefChunks;

// An unused slot with NULL in it. NULL with OutOfMemoryError pending. Running; [may collect].
Object **refchunks_take(Thread *self, const RefChunks *chunks);

#endif
