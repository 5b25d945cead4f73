// Makes snapshots of the profile (vm/api/snapshot.h) and keeps the current one. The compiler requests one when it
// makes a plan (compiler_snapshot in vm/api/compiler.h), if -Xjit:snapshot is given and a profile runs. A
// diagnostic command (vm/management/diagnostics.c) also takes one.
#ifndef CABERNET_VM_ADAPTIVE_SNAPSHOTS_H
#define CABERNET_VM_ADAPTIVE_SNAPSHOTS_H

#include "vm/api/snapshot.h"

// The current snapshot, or with `fresh` a new one, which becomes current unless a later one already is. The caller
// becomes its user. NULL: no profile runs, or there is no memory. Any thread, attached or not; no Java objects.
ProfileSnapshot *snapshots_take(bool fresh);

typedef struct SnapshotStats {
    uint64_t made;        // number of snapshots
    uint64_t longest_ns;  // the longest time that making one took
    size_t bytes;         // of the current one; an older one lives until the last plan that uses it is made
} SnapshotStats;
SnapshotStats snapshots_stats(void);

// Called around a fork, in the parent and in the child.
void snapshots_before_fork(void);
void snapshots_after_fork(void);

#endif
