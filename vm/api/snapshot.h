// A snapshot of the profile: what has been counted up to some moment, for the compiler. The profiler makes one
// (ProfilerInterface.snapshot), vm/adaptive/snapshots.c publishes it, jit/plan reads it.
//
// A snapshot is immutable but for the number of its users. It is one block of memory. Rows are sorted by method,
// bytecode index (EVENT_NO_BCI is the last) and what happened there; methods are named by their ids (Method.id). A site
// is the instruction's own method and bytecode index, whether the method was inlined or not. Calls from outside have
// pseudo-callers (EVENT_PSEUDO) and EVENT_NO_BCI.
//
// Threads go on counting while a snapshot is made, each in its own table. So a count is that of some moment during
// the making; it never exceeds a later snapshot's, nor the profile's at the end. What a thread that waits for the
// snapshot has counted is in it completely.
//
// What an analysis does not collect is not there: calls are of call-edge, receivers of receiver, branches of branch,
// accesses of field-site and fields of field-access. Receivers are those of invocations that select a method by the class
// of the receiver; subclasses that inherit the same method are apart.
#ifndef CABERNET_VM_API_SNAPSHOT_H
#define CABERNET_VM_API_SNAPSHOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vm/api/sampling.h"

// How often something happened at a site.
typedef struct SnapshotSite {
    uint32_t method;
    int32_t bci;
    uint32_t what;   // calls: id of the callee; receivers: Class.id; branches: number of the edge;
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
    uint64_t version;          // from 1 on, larger ones were begun later
    int64_t taken_ns;          // CLOCK_MONOTONIC, when the making began
    SamplingRequest sampling;  // how the events were chosen then; SAMPLING_OFF: the counts are exact
    size_t bytes;              // of the block
    SnapshotSites calls, receivers, branches, accesses;
    const SnapshotField *fields;
    size_t field_count;
    _Atomic uint32_t users;    // 1 at first
} ProfileSnapshot;

// One user more, by somebody who is one. Any thread, no lock.
static inline void snapshot_hold(ProfileSnapshot *s) { atomic_fetch_add_explicit(&s->users, 1, memory_order_relaxed); }

// One user less; the last one frees the block. Any thread, no lock. NULL: nothing.
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

// The counts of a field, NULL if there are none. Likewise.
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
