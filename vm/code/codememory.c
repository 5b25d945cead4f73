// Allocator of code memory (vm/api/codememory.h): segregated free lists with coalescing. All operations take constant
// time, except for a short search in one list. Block metadata is in a separate table with one entry for each 64 bytes
// of the arena, of which only the entries at block borders are ever touched. So running code cannot damage it, and
// the arena contains nothing but code.
//
// The two views of the arena are two mappings of the same pages: shared anonymous memory that mremap maps a second
// time. A memfd would work too, but perf takes its pages for file pages and then finds no symbols for them. perf
// treats this memory as anonymous and uses the symbol map that vm/code/perf.c writes.
#include "vm/api/codememory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/invariant.h"

enum { LISTS = 32 * 4, NONE = 0 };

// The entry for the first unit of a block holds its size, whether it is used, and its neighbours in the free list.
// The entry for the last unit of a free block holds its size, from which the next block finds the beginning.
typedef struct Unit64 {
    uint32_t size : 31;
    uint32_t used : 1;
    uint32_t next, prev;  // unit numbers; NONE ends the list
} Unit64;

static struct CodeMemory {
    pthread_mutex_t lock;
    char *base;         // the writable view
    ptrdiff_t to_code;  // distance from there to the executable view
    uint32_t units;     // unit 0 is never allocated: it means NONE
    Unit64 *table;
    uint32_t lists[LISTS];
    uint32_t free_units;
    bool closed;  // this process is a forked child: the pages belong to its parent
} code_memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Four lists for each power of two. A block of list i is at least as large as any block of list i - 1.
static unsigned list_of(uint32_t size) {
    if (size < 4) return size;
    unsigned log = 31 - (unsigned)__builtin_clz(size);
    return log * 4 + (size >> (log - 2) & 3);
}

static void put(uint32_t at, uint32_t size) {
    Unit64 *t = code_memory.table;
    ASSERT(at > 0 && size > 0 && at + size <= code_memory.units, "free block %u of %u units", at, size);
    unsigned list = list_of(size);
    uint32_t head = code_memory.lists[list];
    t[at + size - 1].size = size;
    t[at + size - 1].used = 0;
    t[at] = (Unit64){size, 0, head, NONE};
    if (head) t[head].prev = at;
    code_memory.lists[list] = at;
    code_memory.free_units += size;
}

static void unlink_block(uint32_t at) {
    Unit64 *t = code_memory.table;
    uint32_t next = t[at].next, prev = t[at].prev;
    if (next) t[next].prev = prev;
    if (prev) t[prev].next = next;
    else code_memory.lists[list_of(t[at].size)] = next;
    code_memory.free_units -= t[at].size;
}

static void *map(size_t bytes, int sharing) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Under the lock.
static bool reserve(size_t bytes) {
    uint32_t units = (uint32_t)(bytes / ARENA_ALIGN);
    // An extra entry at either end, marked as used, stops coalescing there.
    size_t table_bytes = (units + 1) * sizeof *code_memory.table;
    char *base = map(bytes, MAP_SHARED);
    // Maps the same pages again, as executable. An old size of 0 leaves the first mapping in place (mremap(2)).
    char *executable = base ? mremap(base, 0, bytes, MREMAP_MAYMOVE) : MAP_FAILED;
    bool mapped = executable != MAP_FAILED && mprotect(executable, bytes, PROT_READ | PROT_EXEC) == 0;
    Unit64 *table = mapped ? map(table_bytes, MAP_PRIVATE) : NULL;
    if (!table) {
        if (executable != MAP_FAILED) munmap(executable, bytes);
        if (base) munmap(base, bytes);
        return false;
    }
    code_memory.units = units;
    code_memory.base = base;
    code_memory.to_code = executable - base;
    code_memory.table = table;
    table[0] = (Unit64){1, 1, NONE, NONE};
    table[units] = (Unit64){1, 1, NONE, NONE};
    put(1, units - 1);
    return true;
}

bool codememory_init(size_t bytes) {
    pthread_mutex_lock(&code_memory.lock);
    bool there = code_memory.units || reserve(bytes);
    pthread_mutex_unlock(&code_memory.lock);
    return there;
}

void *codememory_allocate(size_t bytes) {
    size_t wanted = bytes ? (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN : 1;
    uint32_t size = (uint32_t)wanted, at = NONE;
    pthread_mutex_lock(&code_memory.lock);
    Unit64 *t = code_memory.table;
    if (wanted < code_memory.units && !code_memory.closed) {
        unsigned list = list_of(size);
        for (at = code_memory.lists[list]; at && t[at].size < size;) at = t[at].next;
        while (!at && ++list < LISTS) at = code_memory.lists[list];
    }
    if (at) {
        uint32_t whole = t[at].size;
        ASSERT(!t[at].used && whole >= size && at + whole <= code_memory.units, "free block %u of %u units for %u", at,
               whole, size);
        ASSERT(t[at - 1].used && t[at + whole].used, "free block %u has a free neighbour", at);
        unlink_block(at);
        if (whole > size) put(at + size, whole - size);
        t[at] = (Unit64){size, 1, NONE, NONE};
        t[at + size - 1].used = 1;
    }
    pthread_mutex_unlock(&code_memory.lock);
    return at ? code_memory.base + (size_t)at * ARENA_ALIGN : NULL;
}

void codememory_free(void *block) {
    if (!block) return;
    uint32_t at = (uint32_t)((size_t)((char *)block - code_memory.base) / ARENA_ALIGN);
    ASSERT(at > 0 && at < code_memory.units, "%p is not a block of the arena", block);
    pthread_mutex_lock(&code_memory.lock);
    Unit64 *t = code_memory.table;
    uint32_t size = t[at].size, behind = at + size;
    ASSERT(t[at].used && size > 0 && behind <= code_memory.units, "unit %u, %u long, is no used block", at, size);
    if (!t[behind].used) {
        unlink_block(behind);
        size += t[behind].size;
    }
    if (!t[at - 1].used) {
        uint32_t before = at - t[at - 1].size;
        unlink_block(before);
        size += t[before].size;
        at = before;
    }
    put(at, size);
    pthread_mutex_unlock(&code_memory.lock);
}

bool codememory_has(uintptr_t address) {
    uintptr_t base = (uintptr_t)code_memory.base + (uintptr_t)code_memory.to_code;
    return address - base < (uintptr_t)code_memory.units * ARENA_ALIGN;
}

size_t codememory_used(void) {
    pthread_mutex_lock(&code_memory.lock);
    size_t units = code_memory.units ? code_memory.units - 1 - code_memory.free_units : 0;
    pthread_mutex_unlock(&code_memory.lock);
    return units * ARENA_ALIGN;
}

size_t codememory_left(void) {
    pthread_mutex_lock(&code_memory.lock);
    size_t units = code_memory.free_units;
    pthread_mutex_unlock(&code_memory.lock);
    return units * ARENA_ALIGN;
}

void *codememory_executable(const void *writable) {
    ASSERT((uintptr_t)writable - (uintptr_t)code_memory.base < (size_t)code_memory.units * ARENA_ALIGN,
           "%p is not in the arena", writable);
    return (char *)writable + code_memory.to_code;
}

// ---- fork ---------------------------------------------------------------------------------------

void codememory_before_fork(void) { pthread_mutex_lock(&code_memory.lock); }
void codememory_after_fork_parent(void) { pthread_mutex_unlock(&code_memory.lock); }

void codememory_after_fork_child(void) {
    code_memory.closed = true;
    pthread_mutex_unlock(&code_memory.lock);
}
