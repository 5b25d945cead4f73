// Who asks for snapshots of the profile (vm/api/snapshot.h), and which one is current. The compiler asks when it makes a
// plan (compiler_snapshot in vm/api/compiler.h), if -Xjit:snapshot says so and a profile runs. Without it nothing here
// is ever called.
#ifndef CABERNET_VM_SNAPSHOTS_H
#define CABERNET_VM_SNAPSHOTS_H

#include "vm/api/snapshot.h"

// The current snapshot; `fresh`: a new one, which is current from now on unless a later one already is. The caller is
// its user. NULL: no profile runs, or there is no memory. Any thread, also one that is not attached; no Java objects.
ProfileSnapshot *snapshots_take(bool fresh);

typedef struct SnapshotStats {
    uint64_t made;         // snapshots so far
    uint64_t longest_ns;   // that the making of one took
    size_t bytes;          // of the current one; older ones live as long as a plan is being made from them
} SnapshotStats;
SnapshotStats snapshots_stats(void);

// Around a fork, in the parent and in the child.
void snapshots_before_fork(void);
void snapshots_after_fork(void);

#endif
