/* Accesses the recorded addresses of simulated caches (cache_record.c) under valgrind's cachegrind:
 *
 *     cache_play SPAN LINE FILE...    SPAN: the product of the first level's sets and LINE, the bytes of a line
 *
 * The kernel writes the addresses to a window, which is one line of memory; cachegrind does not see that. The player's
 * only other access is reading the window. It concerns one set of the first level, and those sets of the last level to
 * which the lines of that set belong. Other sets are not influenced. Therefore each file is played twice: first all
 * accesses except those to the window's set, then only these, with a window in another set. Each recorded access is
 * played once, and finds its set as if there were no player. The earlier contents of the caches make no difference: with
 * LRU an access hits if few enough other lines of the set were accessed since the last access to its line.
 *
 * The test takes the counts of the source line marked PLAYED. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/profiler/cache_trace.h"

enum { WORDS = 8, LEAST_LINE = WORDS * 8 };

static void die(const char *what) {
    perror(what);
    exit(1);
}

/* read() without a call, which would access the stack. */
static inline __attribute__((always_inline)) long read_words(int fd, volatile uint64_t *window) {
    long n;
    __asm__ volatile("syscall"
                     : "=a"(n)
                     : "0"((long)SYS_read), "D"((long)fd), "S"(window), "d"(LEAST_LINE)
                     : "rcx", "r11", "memory");
    return n;
}

/* Accesses the addresses that are in set 0 of the first level, or all others. set_bits: the bits of an address
 * that are its set. The alignment puts the code into one line of an instruction cache with lines of 128 bytes, so that
 * the last level sees no instructions between the recorded accesses. */
static __attribute__((noinline, aligned(128))) void play(int fd, volatile uint64_t *window, uint64_t set_bits,
                                                         bool in_set_0) {
    long bytes;
    while ((bytes = read_words(fd, window)) > 0)
        for (volatile uint64_t *w = window; w < window + bytes / 8; w++) {
            uint64_t address = *w;
            if (((address & set_bits) == 0) != in_set_0) continue;
            (void)*(volatile const char *)address; /* PLAYED */
        }
}

int main(int argc, char **argv) {
    uint64_t span = argc > 3 ? strtoull(argv[1], NULL, 10) : 0, line = span ? strtoull(argv[2], NULL, 10) : 0;
    if (line < LEAST_LINE || span < 2 * line || span > TRACE_CHUNK) return 2;
    void *buffer = mmap((void *)TRACE_BUFFER, TRACE_CHUNKS * TRACE_CHUNK, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (buffer != (void *)TRACE_BUFFER) die("the buffer");
    char *windows = aligned_alloc(TRACE_CHUNK, TRACE_CHUNK);
    if (!windows) die("the windows");
    for (int i = 3; i < argc; i++)
        for (int set = 0; set < 2; set++) {
            int fd = open(argv[i], O_RDONLY);
            if (fd < 0) die(argv[i]);
            /* The window of the first pass is in set 0, and that of the second in set 1. */
            play(fd, (volatile uint64_t *)(windows + (uint64_t)set * line), (span - 1) & ~(line - 1), set == 1);
            close(fd);
        }
    return 0;
}
