// The table of fields by id (vm/instrument/fieldid.h).
#include "vm/instrument/fieldid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { FIELD_CHUNK = 1024, FIELD_CHUNKS = 4096 };

static struct {
    pthread_mutex_t lock;
    _Atomic uint32_t next;
    Field *_Atomic *_Atomic chunks[FIELD_CHUNKS];
} field_ids = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = 1};

// Gives the field an id; 0: no memory or no more ids. The caller holds the lock.
static uint32_t give(Field *f) {
    uint32_t id = atomic_load(&field_ids.next);
    if (id / FIELD_CHUNK >= FIELD_CHUNKS) return 0;
    Field *_Atomic *chunk = atomic_load(&field_ids.chunks[id / FIELD_CHUNK]);
    if (!chunk) chunk = calloc(FIELD_CHUNK, sizeof *chunk);
    if (!chunk) return 0;
    chunk[id % FIELD_CHUNK] = f;
    atomic_store(&field_ids.chunks[id / FIELD_CHUNK], chunk);
    atomic_store(&field_ids.next, id + 1);
    __atomic_store_n(&f->id, id, __ATOMIC_RELEASE);
    return id;
}

__attribute__((noinline)) uint32_t fieldid_give(Field *f) {
    pthread_mutex_lock(&field_ids.lock);
    uint32_t id = f->id ? f->id : give(f);
    pthread_mutex_unlock(&field_ids.lock);
    return id;
}

Field *fieldid_field(uint32_t id) {
    if (id == 0 || id >= atomic_load(&field_ids.next)) return NULL;
    return atomic_load(&field_ids.chunks[id / FIELD_CHUNK])[id % FIELD_CHUNK];
}

void fieldid_before_fork(void) { pthread_mutex_lock(&field_ids.lock); }
void fieldid_after_fork(void) { pthread_mutex_unlock(&field_ids.lock); }

void fieldid_forget(const Field *f) { atomic_load(&field_ids.chunks[f->id / FIELD_CHUNK])[f->id % FIELD_CHUNK] = NULL; }
