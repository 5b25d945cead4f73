// The current snapshot of the profile (vm/adaptive/snapshots.h).
//
// One lock, held for a few instructions; no other lock is taken under it. A reader becomes a user of the current
// snapshot under the lock, so a snapshot that is being replaced cannot be freed before that. Snapshots are made
// without the lock, possibly by several compile threads at a time; the one with the largest version stays.
#include "vm/adaptive/snapshots.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "vm/adaptive/tiering.h"
#include "vm/api/compiler.h"
#include "vm/instrument/profile.h"

static struct Snapshots {
    pthread_mutex_t lock;
    ProfileSnapshot *current;  // this structure is one of its users; NULL: none was made
    uint64_t versions;         // the last version given to a snapshot
    SnapshotStats stats;
    _Atomic uint32_t plans;  // number of calls of compiler_snapshot
} snapshots = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The caller remains a user of `s`.
static void publish(ProfileSnapshot *s, uint64_t ns) {
    ProfileSnapshot *replaced = NULL;
    pthread_mutex_lock(&snapshots.lock);
    ASSERT(s->version > 0 && s->version <= snapshots.versions, "version %llu", (unsigned long long)s->version);
    snapshots.stats.made++;
    if (ns > snapshots.stats.longest_ns) snapshots.stats.longest_ns = ns;
    if (!snapshots.current || snapshots.current->version < s->version) {
        snapshot_hold(s);
        replaced = snapshots.current;
        snapshots.current = s;
        snapshots.stats.bytes = s->bytes;
    }
    pthread_mutex_unlock(&snapshots.lock);
    snapshot_release(replaced);
}

ProfileSnapshot *snapshots_take(bool fresh) {
    pthread_mutex_lock(&snapshots.lock);
    ProfileSnapshot *s = fresh ? NULL : snapshots.current;
    uint64_t version = s ? 0 : ++snapshots.versions;
    if (s) snapshot_hold(s);
    pthread_mutex_unlock(&snapshots.lock);
    if (s) return s;
    int64_t begin = clock_monotonic_ns();
    s = profile_snapshot(version);
    if (s) publish(s, (uint64_t)(clock_monotonic_ns() - begin));
    return s;
}

SnapshotStats snapshots_stats(void) {
    pthread_mutex_lock(&snapshots.lock);
    SnapshotStats stats = snapshots.stats;
    pthread_mutex_unlock(&snapshots.lock);
    return stats;
}

ProfileSnapshot *compiler_snapshot(void) {
    uint32_t every = tiering.options.snapshot;
    if (!every || !profile_any_is_on()) return NULL;
    return snapshots_take(atomic_fetch_add_explicit(&snapshots.plans, 1, memory_order_relaxed) % every == 0);
}

void snapshots_before_fork(void) { pthread_mutex_lock(&snapshots.lock); }
void snapshots_after_fork(void) { pthread_mutex_unlock(&snapshots.lock); }
