/* For LD_PRELOAD: shifts the process's monotonic clock an hour ahead of the kernel's, as libfaketime does. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t) {
    int result = (int)syscall(SYS_clock_gettime, clock, t);
    if (result == 0 && clock == CLOCK_MONOTONIC) t->tv_sec += 3600;
    return result;
}
