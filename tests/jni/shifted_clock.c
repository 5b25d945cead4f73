/* For LD_PRELOAD: the process reads another monotonic clock than the kernel has, an hour ahead, as with libfaketime. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t) {
    int result = (int)syscall(SYS_clock_gettime, clock, t);
    if (result == 0 && clock == CLOCK_MONOTONIC) t->tv_sec += 3600;
    return result;
}
