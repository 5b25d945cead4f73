#include "profiler/ring/ringcontexts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "vm/api/callcontext.h"

enum { MOST = 1 << 22 };

typedef struct RingContext {
    uint32_t count;
    uint32_t words[];  // methods, then bytecode indexes
} RingContext;

static struct RingContexts {
    pthread_mutex_t lock;
    RingContext **rows;  // by number; 0 is unused
    uint32_t count, capacity;
    HashTable index;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t bytes_of(const RingContext *c) { return sizeof *c + 2 * c->count * sizeof *c->words; }

static uint32_t hash_of(const void *unused, uintptr_t number) {
    (void)unused;
    const RingContext *c = contexts.rows[number];
    return hash_bytes(HASH_START, c, bytes_of(c));
}

static bool is_context(const void *unused, uintptr_t number, const void *key) {
    (void)unused;
    const RingContext *a = contexts.rows[number], *b = key;
    return a->count == b->count && memcmp(a->words, b->words, bytes_of(a) - sizeof *a) == 0;
}

static const HashKind by_frames = {hash_of, is_context};

// Requires the lock.
static uint32_t add(const RingContext *c, uint32_t hash) {
    uint32_t number = contexts.count ? contexts.count : 1;
    if (number == MOST || !GROW(contexts.rows, contexts.capacity, number + 1)) return 0;
    RingContext *own = malloc(bytes_of(c));
    if (!own) return 0;
    memcpy(own, c, bytes_of(c));
    contexts.rows[number] = own;
    if (!hash_add(&contexts.index, &by_frames, NULL, hash, number)) {
        free(own);
        return 0;
    }
    contexts.count = number + 1;
    return number;
}

uint32_t ringcontexts_here(bool deep) {
    union {
        RingContext context;
        uint32_t words[1 + 2 * CALLCONTEXT_MOST];
    } here;
    int32_t bcis[CALLCONTEXT_MOST];
    RingContext *c = &here.context;
    c->count = callcontext(c->words, bcis, deep ? CALLCONTEXT_MOST : RINGCONTEXTS_FRAMES);
    if (!c->count) return 0;
    memcpy(&c->words[c->count], bcis, c->count * sizeof *bcis);
    uint32_t hash = hash_bytes(HASH_START, c, bytes_of(c));
    pthread_mutex_lock(&contexts.lock);
    uint32_t number = (uint32_t)hash_find(&contexts.index, &by_frames, NULL, hash, c);
    if (!number) number = add(c, hash);
    pthread_mutex_unlock(&contexts.lock);
    return number;
}

void ringcontexts_at(uint32_t number, EventMoment *to) {
    to->count = 0;
    if (!number) return;
    pthread_mutex_lock(&contexts.lock);
    const RingContext *c = number < contexts.count ? contexts.rows[number] : NULL;
    pthread_mutex_unlock(&contexts.lock);
    if (!c) return;
    to->count = c->count;
    to->methods = c->words;
    to->bcis = (const int32_t *)&c->words[c->count];
}

void ringcontexts_forget(void) {
    for (uint32_t i = 1; i < contexts.count; i++) free(contexts.rows[i]);
    free(contexts.rows);
    hash_free(&contexts.index);
    contexts.rows = NULL;
    contexts.count = contexts.capacity = 0;
}

void ringcontexts_fork(bool before) {
    if (before) pthread_mutex_lock(&contexts.lock);
    else pthread_mutex_unlock(&contexts.lock);
}
