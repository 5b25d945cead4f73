// Counters of perf_event_open(2): their numbers, and opening one for a thread. The VM opens, reads and samples them
// (vm/timing/counters.h); the analysis `counters` adds up what they say.
#ifndef CABERNET_VM_API_COUNTERS_H
#define CABERNET_VM_API_COUNTERS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum CounterId {
#define COUNTER(id, name, type, config, where, period, least, help) COUNTER_##id,
#include "vm/api/counters.def"
    COUNTERS
};

// The counters of a profile.
typedef struct CounterRequest {
    bool wanted[COUNTERS];
    uint64_t period[COUNTERS];  // events from one sample to the next, 0: no samples
} CounterRequest;

// A count, and the time for which it was counted: running_ns of enabled_ns. If the processor has fewer counters than
// were opened, they alternate.
typedef struct CounterReading {
    uint64_t count, enabled_ns, running_ns;
} CounterReading;

// Opens a counter of the thread with that number of the system, 0 for the calling one. Reads as a CounterReading of
// totals. -1 with errno: there is none. Any thread; async-signal-safe.
static inline int counter_open(enum CounterId id, int os_id, uint64_t period) {
    enum { USER, ALL, KERNEL };
    static const struct {
        uint32_t type, where;
        uint64_t config;
    } rows[COUNTERS] = {
#define COUNTER(id, name, type, config, where, period, least, help) {type, where, config},
#include "vm/api/counters.def"
    };
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = rows[id].type;
    a.config = rows[id].config;
    a.sample_period = period;
    a.wakeup_events = period != 0;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    a.exclude_kernel = rows[id].where != KERNEL;
    a.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &a, os_id, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// The present totals of an open counter. False: it could not be read. Async-signal-safe; may change errno.
static inline bool counter_read(int fd, CounterReading *out) { return read(fd, out, sizeof *out) == sizeof *out; }

#endif
