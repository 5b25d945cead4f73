// The kernel's figures of each native thread: switches, migrations, and the time that it waited for a processor. The
// kernel counts them anyway, so nothing is recorded while the thread runs.
#ifndef CABERNET_PROFILER_CONCURRENCY_SYSTEMFIGURES_H
#define CABERNET_PROFILER_CONCURRENCY_SYSTEMFIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/section.h"

typedef struct SystemFigures {
    uint64_t voluntary, involuntary;  // switches to another thread: it waited; it had to give way
    uint64_t migrations;              // moves to another processor
    uint64_t queued_ns;               // ready, without a processor
    bool known, has_migrations;       // some kernels do not tell migrations
} SystemFigures;

// The present figures of the thread of this process with that number. Reads files in `directory`, which is
// /proc/self/task except in tests. known is false if there is no such thread.
void systemfigures_read(SystemFigures *out, const char *directory, int os_id);

// The figures that a thread has from `before` on.
void systemfigures_subtract(SystemFigures *now, const SystemFigures *before);

// Keeps the figures of a thread that ends, for the report; `name` is copied. Threads beyond a
// limit are added up. Under the lock of activities.
void systemfigures_keep(const char *name, const SystemFigures *figures);
// The table of all threads: first those that were kept, then a row for each call of systemfigures_put. Between begin
// and section_end.
void systemfigures_begin(Sections *out);
void systemfigures_put(Sections *out, const char *name, const SystemFigures *figures);
void systemfigures_forget(void);

#endif
