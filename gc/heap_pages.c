// The pages behind the heap (gc/heap.h): huge ones make a fork of a process with a large heap short, because a fork
// copies page tables, and a huge page has one entry where small ones have 512. Measured with 1 GB: 50 to 100 ms with small
// pages, 1 to 2 ms with huge ones. Rejected: the heap in shared memory, which a fork does not copy at all, but then the
// copy sees what the program writes.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { HUGE_PAGE = 2 << 20, LEAST = 32 << 20 };

typedef struct Range {
    uintptr_t begin, end;
} Range;

// What of a line of /proc/self/maps is heap: whole huge pages of private memory that is no file's. Empty: nothing.
static Range heap_in(const char *line) {
    unsigned long begin, end, inode;
    char rights[5];
    Range none = {0, 0};
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &begin, &end, rights, &inode) != 4) return none;
    if (strcmp(rights, "rw-p") != 0 || inode != 0) return none;
    uintptr_t low = (uintptr_t)GC_least_plausible_heap_addr, high = (uintptr_t)GC_greatest_plausible_heap_addr;
    Range r = {begin > low ? begin : low, end < high ? end : high};
    r.begin = (r.begin + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    r.end &= ~(uintptr_t)(HUGE_PAGE - 1);
    return r.begin < r.end ? r : none;
}

// Piece by piece, as each holds up page faults of the program.
static void collapse(Range r, int64_t deadline) {
    for (uintptr_t at = r.begin; at < r.end && clock_monotonic_ns() < deadline; at += HUGE_PAGE)
        madvise((void *)at, HUGE_PAGE, MADV_COLLAPSE);
}

size_t heap_use_huge_pages(size_t known, int64_t ns) {
    int64_t deadline = clock_monotonic_ns() + ns;
    size_t size = GC_get_heap_size();
    char line[512];
    if (size < LEAST || (!ns && size < known + known / 8)) return known;
    FILE *in = fopen("/proc/self/maps", "re");
    while (in && fgets(line, sizeof line, in)) {
        Range r = heap_in(line);
        if (r.begin == r.end) continue;
        madvise((void *)r.begin, r.end - r.begin, MADV_HUGEPAGE);
        collapse(r, deadline);
    }
    if (in) fclose(in);
    return size;
}
