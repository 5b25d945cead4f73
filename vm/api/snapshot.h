// A snapshot of the profile for the compiler: the counts up to some moment. The profiler makes one
// (ProfilerInterface.snapshot), vm/adaptive/snapshots.c publishes it, jit/plan reads it.
//
// A snapshot is immutable except for the number of its users. It is one block of memory. Rows are sorted by method,
// bytecode index (EVENT_NO_BCI is the last) and `what`; methods are named by their ids (Method.id). A site is the
// instruction's own method and bytecode index, whether the method was inlined or not. Calls from outside have
// pseudo-callers (EVENT_PSEUDO) and EVENT_NO_BCI.
//
// Threads keep counting while a snapshot is made, each in its own table. So each count is that of some moment during
// the copying; it never exceeds the count in a later snapshot or in the final profile. All counts of a thread that
// waits for the snapshot are included.
//
// Only counts that some analysis collects are present: calls with call-edge, receivers with receiver, branches with
// branch, accesses with field-site and fields with field-access. Receivers are those of invocations that select a
// method by the class of the receiver; subclasses that inherit the same method have separate rows.
#ifndef CABERNET_VM_API_SNAPSHOT_H
#define CABERNET_VM_API_SNAPSHOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vm/api/sampling.h"

// Number of occurrences at a site.
typedef struct SnapshotSite {
    uint32_t method;
    int32_t bci;
    uint32_t what;  // calls: id of the callee; receivers: Class.id; branches: number of the edge;
                    // accesses: Field.id
    uint64_t count;
} SnapshotSite;

typedef struct SnapshotField {
    uint32_t field;  // Field.id
    uint64_t gets, puts;
} SnapshotField;

typedef struct SnapshotSites {
    const SnapshotSite *rows;
    size_t count;
} SnapshotSites;

typedef struct ProfileSnapshot {
    uint64_t version;          // from 1 on; larger versions were begun later
    int64_t taken_ns;          // CLOCK_MONOTONIC, when the copying began
    SamplingRequest sampling;  // how events were sampled then; SAMPLING_OFF: the counts are exact
    size_t bytes;              // of the block
    SnapshotSites calls, receivers, branches, accesses;
    const SnapshotField *fields;
    size_t field_count;
    _Atomic uint32_t users;  // 1 at first
} ProfileSnapshot;

// Adds a user; the caller is one already. Any thread, no lock.
static inline void snapshot_hold(ProfileSnapshot *s) { atomic_fetch_add_explicit(&s->users, 1, memory_order_relaxed); }

// Removes a user; the last one frees the block. Any thread, no lock. NULL: no-op.
static inline void snapshot_release(ProfileSnapshot *s) {
    if (s && atomic_fetch_sub_explicit(&s->users, 1, memory_order_acq_rel) == 1) free(s);
}

// The rows of one site, in the order of `what`; none: count 0. The rows live as long as the snapshot. Any thread, no
// lock.
static inline SnapshotSites snapshot_at(const SnapshotSites *sites, uint32_t method, int32_t bci) {
    size_t low = 0, high = sites->count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const SnapshotSite *s = &sites->rows[middle];
        if (s->method < method || (s->method == method && (uint32_t)s->bci < (uint32_t)bci)) low = middle + 1;
        else high = middle;
    }
    for (end = low; end < sites->count && sites->rows[end].method == method && sites->rows[end].bci == bci;) end++;
    return (SnapshotSites){sites->rows ? sites->rows + low : NULL, end - low};
}

// The counts of a field, NULL if there are none. Live as long as the snapshot. Any thread, no lock.
static inline const SnapshotField *snapshot_field(const ProfileSnapshot *s, uint32_t field) {
    size_t low = 0, high = s->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->fields[middle].field < field) low = middle + 1;
        else high = middle;
    }
    return low < s->field_count && s->fields[low].field == field ? &s->fields[low] : NULL;
}

#endif
