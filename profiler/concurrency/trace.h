// The full trace of thread activity (trace=FILE): every event that profiler/concurrency/activity.c receives, in order,
// as 32-byte records. docs/FORMATS.md describes the format; `cabernet-prof trace` converts it to Chrome's. Written
// through a buffer while holding the activity lock. When disabled, each call tests one pointer.
#ifndef CABERNET_PROFILER_CONCURRENCY_TRACE_H
#define CABERNET_PROFILER_CONCURRENCY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC "cabtrac\n"
enum { TRACE_VERSION = 1, TRACE_HEADER = 16, TRACE_RECORD = 32 };

// TRACE_KIND(id, number). Names follow their records: THREAD and NAME records have `a` bytes of UTF-8, padded to a
// multiple of 32.
// clang-format off
#define TRACE_KINDS(X) \
    X(THREAD, 1) X(THREAD_END, 2) X(BLOCK, 3) X(UNBLOCK, 4) X(WAKE, 5) X(HOLD, 6) X(RELEASE, 7) X(ON, 8) X(OFF, 9) \
    X(STOP_BEGIN, 10) X(STOP_END, 11) X(TASK_BEGIN, 12) X(TASK_END, 13) X(MARK, 14) X(CLASS_NAME, 15) X(PLACE_NAME, 16) \
    X(MARK_NAME, 17) X(END, 18)
// clang-format on
typedef enum TraceKind {
#define TRACE_KIND(id, number) TRACE_##id = number,
    TRACE_KINDS(TRACE_KIND)
#undef TRACE_KIND
} TraceKind;

// A record, little-endian.
typedef struct TraceRecord {
    uint64_t at;      // ns since the profile began
    uint32_t thread;  // serial of the thread that makes the event; 0: the VM
    uint32_t kind;
    uint32_t a, b, c;
    uint32_t zero;
} TraceRecord;
_Static_assert(sizeof(TraceRecord) == TRACE_RECORD, "records have no holes");

typedef struct Activity Activity;

bool trace_open(const char *path, char *error, size_t error_size);
// Of side 0, which has the file; without an effect on the other. All hold the activity lock. Records that cannot be written are counted (Activity.trace_lost).
void trace_event(Activity *of, TraceKind kind, uint64_t at, uint64_t thread, uint32_t a, uint32_t b, uint32_t c);
void trace_thread(Activity *of, uint64_t thread, const char *name);
// Writes names of classes and places, and the end record.
void trace_close(void);

#endif
