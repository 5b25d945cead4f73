// Stacks are cut from chunks of stacks of one size. Each stack has a guard page below it, which is also the upper guard
// of the next lower stack:
//
//     guard | stack | guard | stack | ... | guard
//
// A guard page splits a mapping, and the system limits the number of mappings of a process (vm.max_map_count, 65,530).
// So only the first GUARDED_STACKS stacks have guard pages, which leaves mappings for everything else; chunks made
// later are accessible as a whole, with an ordinary page between two stacks. Overflow is detected by comparison in any
// case, at the entry of Java code and of C code that calls Java, with room left for C code in between
// (threadbackend.h). The guard page turns C code that needs more than that room into a crash with a report. Without it,
// such code writes into the upper end of the stack below, which is in use only while that thread is about to overflow.
//
// A returned stack keeps its pages, so the next thread finds them in the cache. Pages of the stacks that have been free
// for longest go back to the system, many at a time, because each such call interrupts all processors.
#include "vm/threads/threadstack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/grow.h"

enum {
    PAGE = 4096,
    POOLS = 8,
    GUARDED_STACKS = 24000,
    CHUNK_GUARDED = 64,
    CHUNK_OPEN = 1024,  // stacks in a chunk
    KEEP_WARM = 64,
    COOL = 128,  // free stacks that keep their pages; that lose them at a time
};
static const size_t guarded_chunk_limit = (size_t)512 << 20, open_chunk_limit = (size_t)8 << 30;

typedef struct StackPool {
    size_t bytes;  // 0: not in use
    char **free;   // the last `warm` of them have their pages, the most recently freed last
    size_t free_count, warm, capacity;
    size_t count;             // of all stacks ever cut, for which the capacity suffices
    char *fresh, *fresh_end;  // unused part of the newest chunk
    bool fresh_open;          // the chunk is accessible as a whole
} StackPool;

static struct Stacks {
    pthread_mutex_t lock;
    StackPool pools[POOLS];
    size_t guarded;  // stacks with a guard page, used or not
    // Bytes of address space that stacks leave free: the heap has to describe the blocks that their threads allocate
    // in, and malloc needs some. Atomic, accessed without the lock.
    atomic_size_t left;
} stacks = {.lock = PTHREAD_MUTEX_INITIALIZER, .left = 32 << 20};

// ---- address space -----------------------------------------------------------------------------

void threadstack_leave(size_t bytes) { atomic_fetch_add(&stacks.left, bytes); }

// Reserves address space without access rights or memory, with an extra page at the end that stays inaccessible. NULL:
// none is left.
static char *reserve(size_t bytes) {
    char *base = mmap(NULL, bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return NULL;
    size_t least = atomic_load(&stacks.left);
    void *rest = mmap(NULL, least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (rest == MAP_FAILED) {
        munmap(base, bytes + PAGE);
        return NULL;
    }
    munmap(rest, least);
    // A huge page would make each small stack cost 2 MB.
    madvise(base, bytes + PAGE, MADV_NOHUGEPAGE);
    return base;
}

static bool make_accessible(char *base, size_t bytes) { return mprotect(base, bytes, PROT_READ | PROT_WRITE) == 0; }

static bool grow(StackPool *p) {
    size_t pitch = PAGE + p->bytes;
    bool open = stacks.guarded >= GUARDED_STACKS;
    size_t most = (open ? open_chunk_limit : guarded_chunk_limit) / pitch;
    size_t n = open ? CHUNK_OPEN : CHUNK_GUARDED;
    for (n = most < n ? most > 0 ? most : 1 : n; n > 0; n /= 2) {
        char *base = reserve(n * pitch);
        if (!base) continue;
        if (!open || make_accessible(base, n * pitch)) {
            p->fresh = base;
            p->fresh_end = base + n * pitch;
            p->fresh_open = open;
            if (!open) stacks.guarded += n;
            return true;
        }
        munmap(base, n * pitch + PAGE);
    }
    return false;
}

static char *take_fresh(StackPool *p) {
    // grown here, so that giving back cannot fail
    if (!GROW(p->free, p->capacity, p->count + 1)) return NULL;
    if (p->fresh == p->fresh_end && !grow(p)) return NULL;
    char *low = p->fresh + PAGE;
    if (!p->fresh_open && !make_accessible(low, p->bytes)) return NULL;
    p->fresh = low + p->bytes;
    p->count++;
    return low;
}

// ---- reuse -------------------------------------------------------------------------------------

static int by_address(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

// The pool for this size. NULL when all pools have other sizes; such stacks are mapped singly.
static StackPool *pool_for(size_t bytes) {
    for (StackPool *p = stacks.pools; p < stacks.pools + POOLS; p++) {
        if (p->bytes == 0) p->bytes = bytes;
        if (p->bytes == bytes) return p;
    }
    return NULL;
}

char *threadstack_take(size_t bytes) {
    char *low = NULL;
    pthread_mutex_lock(&stacks.lock);
    StackPool *p = pool_for(bytes);
    if (p && p->free_count > 0) {
        if (p->warm > 0) p->warm--;
        low = p->free[--p->free_count];
    } else if (p) {
        low = take_fresh(p);
    }
    pthread_mutex_unlock(&stacks.lock);
    if (p) return low;
    char *base = reserve(PAGE + bytes);
    if (!base || make_accessible(base + PAGE, bytes)) return base ? base + PAGE : NULL;
    munmap(base, PAGE + bytes + PAGE);
    return NULL;
}

void threadstack_give(char *low, size_t bytes) {
    pthread_mutex_lock(&stacks.lock);
    StackPool *p = pool_for(bytes);
    if (p) {
        p->free[p->free_count++] = low;
        if (++p->warm == KEEP_WARM + COOL) {
            char **oldest = p->free + p->free_count - p->warm;
            qsort(oldest, COOL, sizeof *oldest, by_address);
            // One call for each run of neighbours; threads that end together leave long runs.
            for (size_t i = 0, n; i < COOL; i += n) {
                for (n = 1; i + n < COOL && oldest[i + n] == oldest[i] + n * (PAGE + p->bytes);) n++;
                madvise(oldest[i], (n - 1) * (PAGE + p->bytes) + p->bytes, MADV_DONTNEED);
            }
            p->warm -= COOL;
        }
    }
    pthread_mutex_unlock(&stacks.lock);
    // All pools had other sizes when this stack was taken, as now: it was mapped singly.
    if (!p) munmap(low - PAGE, PAGE + bytes + PAGE);
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void threadstack_before_fork(void) { pthread_mutex_lock(&stacks.lock); }
void threadstack_after_fork(void) { pthread_mutex_unlock(&stacks.lock); }
