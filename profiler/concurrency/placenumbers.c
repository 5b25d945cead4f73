#include "profiler/concurrency/placenumbers.h"

#include <stdatomic.h>
#include <sys/mman.h>

void *places_reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, bytes, MADV_DONTDUMP);
    return p;
}

void places_clear(void *reserved, size_t bytes) {
    if (reserved) madvise(reserved, bytes, MADV_DONTNEED);
}

void places_end(Places *p) { places_clear(p->sites, sizeof *p->sites << PLACE_BITS); }

bool places_begin(Places *p) {
    if (!p->sites) p->sites = places_reserve(sizeof *p->sites << PLACE_BITS);
    return p->sites != NULL;
}

// The number is the index in an open-addressing table.
uint32_t places_number(const Places *p, uint32_t method, int32_t bci) {
    uint64_t site = ((uint64_t)method << 32 | (uint32_t)bci) + 1;
    uint32_t i = (uint32_t)(site * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS));
    for (int tries = 0; tries < 64; tries++, i = (i + 1) % MOST_PLACES) {
        if (i == 0) continue;
        uint64_t found = atomic_load_explicit(&p->sites[i], memory_order_relaxed);
        if (found == site) return i;
        if (!found && (atomic_compare_exchange_strong(&p->sites[i], &found, site) || found == site)) return i;
    }
    return 0;
}

bool places_at(const Places *p, uint32_t place, uint32_t *method, int32_t *bci) {
    uint64_t site = place ? p->sites[place] : 0;
    *method = (uint32_t)((site - 1) >> 32);
    *bci = (int32_t)(uint32_t)(site - 1);
    return site != 0;
}
