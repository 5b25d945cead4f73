// See vm/loading/refchunks.h.
#include "vm/loading/refchunks.h"

#include "vm/loading/arrayclass.h"
#include "vm/model/vm.h"
#include "vm/objects/objects.h"

enum { FIRST_LENGTH = 8, MOST_LENGTH = 256 };

static bool add_chunk(Thread *self, const RefChunks *c) {
    Object *old = get_ref(c->owner, c->offset);
    int32_t length = old ? old->length * 2 : FIRST_LENGTH;
    Class *array = class_array_of(self, WK(java_lang_Object));
    Object *chunk = array ? object_new_array(self, array, length < MOST_LENGTH ? length : MOST_LENGTH) : NULL;
    if (!chunk) return false;
    set_element(chunk, 0, old);
    pthread_mutex_lock(c->lock);
    if (get_ref(c->owner, c->offset) == old) {  // else another thread has added one
        set_ref(c->owner, c->offset, chunk);
        *c->used = 1;
    }
    pthread_mutex_unlock(c->lock);
    return true;
}

Object **refchunks_take(Thread *self, const RefChunks *c) {
    for (;;) {
        Object **slot = NULL;
        pthread_mutex_lock(c->lock);
        Object *chunk = get_ref(c->owner, c->offset);
        if (chunk && *c->used < (uint32_t)chunk->length) slot = &ARRAY_DATA(chunk, Object *)[(*c->used)++];
        pthread_mutex_unlock(c->lock);
        if (slot) return slot;
        if (!add_chunk(self, c)) return NULL;
    }
}
