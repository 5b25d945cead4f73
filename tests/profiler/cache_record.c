/* profiler/analyses/cache.c for a libjvm.so that also records its simulation (tests/run/cache.py). The addresses of each
 * simulated cache are written in order to a separate file, CACHE_TRACE and a number, one word each.
 *
 * Recorded addresses are mapped by chunks to the player's buffer (cache_trace.h). A chunk is aligned to its size and
 * larger than the range of addresses that fills all sets of a level once, so an address keeps its set, and different
 * lines stay different. Different caches have no chunk in common. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/analyses/cachemodel.h"
#include "tests/profiler/cache_trace.h"

enum { CACHES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything below

static struct {
    const CacheModel *model;
    FILE *out;
} caches[CACHES];

static struct {
    const CacheModel *model;
    uint64_t number;
} chunks[TRACE_CHUNKS];

static FILE *file_of(const CacheModel *m) {
    int n = 0;
    while (caches[n].model && caches[n].model != m)
        if (++n == CACHES) abort();
    if (!caches[n].model) {
        char path[4096];
        snprintf(path, sizeof path, "%s%d", getenv("CACHE_TRACE"), n);
        caches[n].model = m;
        caches[n].out = fopen(path, "wb");
    }
    return caches[n].out ? caches[n].out : (abort(), NULL);
}

static uint64_t mapped(const CacheModel *m, uint64_t address) {
    uint64_t i = 0, number = address / TRACE_CHUNK;
    while (chunks[i].model && (chunks[i].model != m || chunks[i].number != number))
        if (++i == TRACE_CHUNKS) abort();
    chunks[i].model = m;
    chunks[i].number = number;
    return TRACE_BUFFER + i * TRACE_CHUNK + address % TRACE_CHUNK;
}

static unsigned record(CacheModel *m, uintptr_t address) {
    pthread_mutex_lock(&lock);
    uint64_t word = mapped(m, address);
    if (fwrite(&word, sizeof word, 1, file_of(m)) != 1) abort();
    pthread_mutex_unlock(&lock);
    return cachemodel_access(m, address);
}

#define cachemodel_access(m, address) record(m, address)
#include "profiler/analyses/cache.c"
