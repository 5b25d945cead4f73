// Time in nanoseconds, from the system's clocks. Reading one does not block; a clock that does not exist
// reads as 0.
#ifndef CABERNET_BASE_CLOCK_H
#define CABERNET_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

// Since a fixed moment in the past, usually the machine's start; never goes backwards.
static inline int64_t clock_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

// Processor time of all threads of the process.
static inline int64_t clock_process_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

// Processor time of the calling thread.
static inline int64_t clock_thread_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// Since the epoch; goes backwards when the clock is set back.
static inline int64_t clock_wall_ns(void) { return clock_ns(CLOCK_REALTIME); }
static inline int64_t clock_wall_ms(void) { return clock_wall_ns() / 1000000; }

#endif
