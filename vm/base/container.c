// Limits of control groups and of the affinity mask (vm/base/container.h).
#include "vm/base/container.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

// The last limit of the control group, read again after 20 ms. Racing callers store the same value.
static struct Container {
    _Atomic int64_t read_at;  // milliseconds of CLOCK_MONOTONIC
    _Atomic int limit;        // processors; 0: none
} container = {.read_at = -1000};

// The first line of a file, without its end.
static bool read_line(const char *path, char *line, size_t cap) {
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, (int)cap, f);
    if (ok) line[strcspn(line, "\n")] = '\0';
    if (f) fclose(f);
    return ok;
}

// The path of this process in the hierarchy whose controllers include `controller` ("" for version 2).
static bool group_path(const char *controller, char *path, size_t cap) {
    char line[4096];
    bool found = false;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':');
        char *at = names ? strchr(names + 1, ':') : NULL;
        if (!at) continue;
        *at = '\0';
        for (char *save, *n = strtok_r(names + 1, ",", &save); n; n = strtok_r(NULL, ",", &save))
            if (strcmp(n, controller) == 0) found = true;
        if (!*controller && !names[1]) found = true;
        if (found) snprintf(path, cap, "%s", at + 1);
    }
    if (f) fclose(f);
    return found;
}

static int quota_count(int64_t quota, int64_t period) {
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

// "max 100000" or "150000 100000".
static int limit_in_v2(const char *dir) {
    char path[4400], line[128];
    long long quota, period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", dir);
    if (!read_line(path, line, sizeof line)) return 0;
    return sscanf(line, "%lld %lld", &quota, &period) == 2 ? quota_count(quota, period) : 0;
}

static int limit_in_v1(const char *dir) {
    char path[4400], quota[64], period[64];
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", dir);
    if (!read_line(path, quota, sizeof quota)) return 0;
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", dir);
    if (!read_line(path, period, sizeof period)) return 0;
    return quota_count(atoll(quota), atoll(period));
}

int container_processors(void) {
    cpu_set_t set;
    // The call fails where the machine has more processors than the set has room for.
    bool fits = sched_getaffinity(0, sizeof set, &set) == 0;
    int n = fits ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    int64_t now = clock_monotonic_ns() / 1000000;
    if (now - atomic_load(&container.read_at) > 20) {
        // In a container the group's path may be that of the host, while the files are at the mount's root.
        char dir[4096];
        int limit = 0;
        if (group_path("cpu", dir, sizeof dir)) {
            limit = limit_in_v1(strcmp(dir, "/") == 0 ? "" : dir);
            if (!limit) limit = limit_in_v1("");
        } else {
            if (group_path("", dir, sizeof dir)) limit = limit_in_v2(strcmp(dir, "/") == 0 ? "" : dir);
            if (!limit) limit = limit_in_v2("");
        }
        atomic_store(&container.limit, limit);
        atomic_store(&container.read_at, now);
    }
    int most = atomic_load(&container.limit);
    if (most > 0 && most < n) n = most;
    return n > 0 ? n : 1;
}

// "max" or a number; version 1 uses a very large number for "no limit".
static int64_t memory_in(const char *format, const char *dir) {
    char path[4400], line[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(path, sizeof path, format, dir);
#pragma GCC diagnostic pop
    if (!read_line(path, line, sizeof line)) return 0;
    long long n = atoll(line);
    return n > 0 && n < INT64_MAX / 2 ? n : 0;
}

static int64_t memory_of_group(const char *controller, const char *format) {
    char dir[4096];
    if (!group_path(controller, dir, sizeof dir)) return 0;
    int64_t n = memory_in(format, strcmp(dir, "/") == 0 ? "" : dir);
    return n ? n : memory_in(format, "");
}

int64_t container_machine_memory(void) { return (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE); }

int64_t container_memory(void) {
    int64_t n = memory_of_group("memory", "/sys/fs/cgroup/memory%s/memory.limit_in_bytes");
    return n ? n : memory_of_group("", "/sys/fs/cgroup%s/memory.max");
}
