// The pages of the heap (gc/heap.h). Huge pages make a fork of a process with a large heap short: a fork copies page
// tables, and a huge page has one entry instead of 512. A huge page that the program writes to while a forked child
// exists is split into small pages, so pages must be merged again after each fork. Rejected: a heap in shared memory,
// which a fork does not copy at all; the child would see the program's writes.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { HUGE_PAGE = 2 << 20, LEAST = 32 << 20 };

typedef struct Range {
    uintptr_t begin, end;
} Range;

// The heap in a line of /proc/self/maps: whole huge pages of private anonymous memory. Empty: none.
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

void heap_use_huge_pages(HeapPages *pages, int64_t ns) {
    int64_t deadline = clock_monotonic_ns() + ns;
    size_t size = GC_get_heap_size();
    char line[512];
    bool grown = size >= pages->bytes + pages->bytes / 8;
    if (size < LEAST || (!grown && (!ns || pages->whole))) return;
    FILE *in = fopen("/proc/self/maps", "re");
    pages->bytes = size;
    pages->whole = in != NULL;
    while (in && (grown || pages->whole) && fgets(line, sizeof line, in)) {
        Range r = heap_in(line);
        if (r.begin == r.end) continue;
        if (grown) madvise((void *)r.begin, r.end - r.begin, MADV_HUGEPAGE);
        // Merges piece by piece, because each piece delays page faults of the program; the next call resumes.
        if (pages->whole && pages->next < r.begin) pages->next = r.begin;
        for (; pages->whole && pages->next < r.end; pages->next += HUGE_PAGE) {
            pages->whole = clock_monotonic_ns() < deadline;
            if (!pages->whole) break;
            madvise((void *)pages->next, HUGE_PAGE, MADV_COLLAPSE);
        }
    }
    if (in) fclose(in);
    if (pages->whole) pages->next = 0;
}

// The library takes new blocks from large free ones in address order, so the neighbours of a block are used next. A
// page fault for each costs three times as much as one call for several. No effect on systems without that call.
void heap_populate(uintptr_t begin) {
    uintptr_t end = begin + HEAP_POPULATED;
    uintptr_t low = (uintptr_t)GC_least_plausible_heap_addr, high = (uintptr_t)GC_greatest_plausible_heap_addr;
    if (begin < low) begin = low & ~(uintptr_t)(LIBRARY_BLOCK - 1);
    if (end > high) end = high & ~(uintptr_t)(LIBRARY_BLOCK - 1);
    if (begin < end) madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
}
