// Monitors: inflation, the slow paths of entering and leaving, wait, hashes, deflation. The encoding of the lock word
// is in vm/threads/monitor.h.
//
// Monitors live in chunks that are never freed; index -> address is two loads. The free list has a mutex that is held
// for a few instructions and never across a safepoint. The compare-and-swap of the object's word makes a Monitor
// visible; if it fails, the Monitor goes back to the pool.
#include "vm/threads/monitor.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "arch_pause.h"
#include "vm/api/stamp.h"
#include "vm/threads/hooks.h"
#include "vm/threads/park.h"
#include "vm/model/vm.h"

typedef struct Monitor {
    Lock lock;
    Object *object;         // not a root; NULL: free
    _Atomic uint32_t hash;  // 0: none yet
    uint32_t index;
    uint32_t next_free;  // index, 0: end of the list
} Monitor;

enum { CHUNK_SHIFT = 10, CHUNK = 1 << CHUNK_SHIFT, MAX_CHUNKS = 1 << 14 };

static struct MonitorPool {
    Monitor *chunks[MAX_CHUNKS];
    pthread_mutex_t lock;
    uint32_t first_free, used, chunk_count;  // index 0 is never handed out
} monitors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Monitor *monitor_at(uint32_t index) {
    ASSERT(index > 0 && index >> CHUNK_SHIFT < monitors.chunk_count, "monitor %u of %u chunks", index,
           monitors.chunk_count);
    return &monitors.chunks[index >> CHUNK_SHIFT][index & (CHUNK - 1)];
}

static uint32_t word_of(const Object *o) { return atomic_load_explicit(&o->lock, memory_order_acquire); }
static uint32_t tag_of(uint32_t word) { return word & LOCKWORD_TAG_MASK; }
static Monitor *monitor_of(uint32_t word) { return monitor_at(word >> LOCKWORD_SHIFT); }
static uint32_t thin_owner(uint32_t word) { return word >> LOCKWORD_SHIFT & ((1u << LOCKWORD_OWNER_BITS) - 1); }

// ---- pool ----------------------------------------------------------------------------------

static bool add_chunk(void) {
    if (monitors.chunk_count == MAX_CHUNKS) return false;
    Monitor *chunk = calloc(CHUNK, sizeof *chunk);
    if (!chunk) return false;
    uint32_t base = monitors.chunk_count << CHUNK_SHIFT;
    monitors.chunks[monitors.chunk_count++] = chunk;
    for (uint32_t i = CHUNK; i-- > (base == 0 ? 1u : 0u);) {
        chunk[i].index = base + i;
        chunk[i].next_free = monitors.first_free;
        monitors.first_free = base + i;
    }
    return true;
}

static Monitor *pool_take(void) {
    Monitor *m = NULL;
    pthread_mutex_lock(&monitors.lock);
    if (monitors.first_free != 0 || add_chunk()) {
        m = monitor_at(monitors.first_free);
        ASSERT(!m->object && m->index == monitors.first_free, "monitor %u of the free list belongs to %p", m->index,
               (void *)m->object);
        monitors.first_free = m->next_free;
        monitors.used++;
    }
    pthread_mutex_unlock(&monitors.lock);
    return m;
}

static void pool_give(Monitor *m) {
    ASSERT(m->object && monitors.used > 0, "monitor %u is given back twice", m->index);
    m->object = NULL;
    pthread_mutex_lock(&monitors.lock);
    m->next_free = monitors.first_free;
    monitors.first_free = m->index;
    monitors.used--;
    pthread_mutex_unlock(&monitors.lock);
}

// ---- inflation -----------------------------------------------------------------------------

// The object's Monitor, created if necessary on behalf of the owner of its thin lock. NULL: no memory.
static Monitor *inflate(Object *o) {
    Monitor *m = NULL;
    for (;;) {
        uint32_t word = word_of(o);
        if (tag_of(word) == LOCKWORD_INFLATED) {
            if (m) pool_give(m);
            return monitor_of(word);
        }
        if (!m && !(m = pool_take())) return NULL;
        bool thin = tag_of(word) == LOCKWORD_THIN;
        ASSERT(thin || tag_of(word) == LOCKWORD_NEUTRAL, "lock word %08x is inflated", word);
        ASSERT(!thin || thin_owner(word) != 0, "lock word %08x has no owner", word);
        m->object = o;
        m->lock = (Lock){.owner = thin ? thin_owner(word) : 0,
                         .recursion = thin ? word >> LOCKWORD_RECURSION_SHIFT : 0};
        m->hash = thin ? 0 : word >> LOCKWORD_SHIFT;
        uint32_t inflated = m->index << LOCKWORD_SHIFT | LOCKWORD_INFLATED;
        if (atomic_compare_exchange_strong(&o->lock, &word, inflated)) return m;
    }
}

// A collection may free monitors, so a failed inflation is tried again after one.
static Monitor *inflate_or_throw(Thread *self, Object *o) {
    Monitor *m = inflate(o);
    if (!m) {
        heap_collect(&self->heap, "Monitor Table Full");
        m = inflate(o);
    }
    if (!m) thread_hooks.throw_oom(self, "no memory for a monitor");
    return m;
}

// ---- entering ------------------------------------------------------------------------------

// Spins briefly for a thin lock, because most are held for a moment. Not when the holder cannot be running.
static bool spin_for_thin(Thread *self, Object *o) {
    enum { SPINS = 100 };
    for (int i = 0; threads.may_spin && i < SPINS; i++) {
        uint32_t word = 0;
        if (word_of(o) == 0 && atomic_compare_exchange_strong(&o->lock, &word, self->thin_lock)) return true;
        if (tag_of(word_of(o)) == LOCKWORD_INFLATED) return false;
        arch_pause();
    }
    return false;
}

bool monitor_enter_slow(Thread *self, Object *o) {
    uint32_t word = word_of(o);
    ASSERT(thread_is_running(self), "thread %u enters a monitor in state %u", self->id, atomic_load(&self->state));
    ASSERT(self->thin_lock == (self->id << LOCKWORD_SHIFT | LOCKWORD_THIN), "thread %u has lock word %08x", self->id,
           self->thin_lock);
    // Enters a thin lock that this thread owns once more, unless its counter is full or the word has changed.
    bool again = tag_of(word) == LOCKWORD_THIN && thin_owner(word) == self->id;
    if (again && word >> LOCKWORD_RECURSION_SHIFT < LOCKWORD_RECURSION_MAX &&
        atomic_compare_exchange_strong(&o->lock, &word, word + LOCKWORD_RECURSION_ONE))
        return true;
    if (tag_of(word) == LOCKWORD_THIN && thin_owner(word) != self->id && spin_for_thin(self, o)) return true;
    Monitor *m = inflate_or_throw(self, o);
    if (!m) return false;
    if (lock_try_enter(self, &m->lock)) return true;
    // Blocks until the monitor is free; the Java thread's status is BLOCKED meanwhile.
    THREAD_REPORT(monitor_contended, self, o);
    ASSERT(self->block_kind == BLOCK_NONE, "thread %u is blocked already (%d)", self->id, (int)self->block_kind);
    int status = thread_set_status(self, STATUS_BLOCKED);
    thread_show_blocked(self, BLOCK_ENTER, o, false);
    lock_enter(self, &m->lock);
    thread_show_running(self);
    thread_set_status(self, status);
    return true;
}

// ---- leaving -------------------------------------------------------------------------------

static bool not_owner(Thread *self) {
    thread_hooks.throw_wk(self, "java/lang/IllegalMonitorStateException", "current thread is not owner");
    return false;
}

bool monitor_exit_slow(Thread *self, Object *o) {
    for (;;) {
        uint32_t word = word_of(o);
        if (tag_of(word) == LOCKWORD_INFLATED) {
            Lock *lock = &monitor_of(word)->lock;
            if (!lock_held(self, lock)) return not_owner(self);
            lock_exit(self, lock);
            return true;
        }
        if (tag_of(word) != LOCKWORD_THIN || thin_owner(word) != self->id) return not_owner(self);
        ASSERT(word == self->thin_lock || word >> LOCKWORD_RECURSION_SHIFT > 0, "lock word %08x of thread %u", word,
               self->id);
        uint32_t less = word == self->thin_lock ? 0 : word - LOCKWORD_RECURSION_ONE;
        if (atomic_compare_exchange_strong(&o->lock, &word, less)) return true;
    }
}

// ---- events ----------------------------------------------------------------------------------

static bool entered_again(const Object *o) {
    uint32_t word = word_of(o);
    return tag_of(word) == LOCKWORD_THIN ? word >> LOCKWORD_RECURSION_SHIFT > 0 : monitor_of(word)->lock.recursion > 0;
}

// Whether other threads wait for the monitor, which the caller owns.
static bool is_waited_for(const Object *o) {
    uint32_t word = word_of(o);
    return tag_of(word) == LOCKWORD_INFLATED && atomic_load(&monitor_of(word)->lock.entry);
}

// Reports the release of a monitor that is timed or waited for.
static void report_released(Thread *self, Object *o, bool waited_for) {
    uint32_t n = self->timed_locks;
    while (n > 0 && self->timed[n - 1] != o) n--;
    bool timed = n > 0;
    if (timed) {
        for (; n < self->timed_locks; n++) self->timed[n - 1] = self->timed[n];
        self->timed_locks--;
    }
    if (timed || waited_for) THREAD_REPORT(lock_released, self, o, waited_for);
}

bool monitor_enter_reporting(Thread *self, Object *o) {
    const ThreadEvents *listener = thread_listener();
    bool each = listener->monitor_enter || listener->monitor_acquired || listener->sync_acquire;
    bool timed = listener->lock_timed && self->lock_timer <= 1;
    if (!each && !timed) {
        bool fast = monitor_enter_fast(self, o);
        uint32_t word = word_of(o);
        if (!fast && tag_of(word) == LOCKWORD_INFLATED) fast = lock_try_enter(self, &monitor_of(word)->lock);
        if (fast) {
            if (listener->lock_timed) self->lock_timer--;
            return true;
        }
    }
    THREAD_REPORT(monitor_enter, self, o);
    bool entered = monitor_enter_quietly(self, o);
    if (!entered) return false;
    THREAD_REPORT(monitor_acquired, self, o, object_class(o));
    if (!entered_again(o)) THREAD_REPORT(sync_acquire, self, o, o);
    listener = thread_listener();  // a profile may have ended while the thread waited
    if (!listener || !listener->lock_timed || --self->lock_timer > 0) return true;
    if (entered_again(o) || self->timed_locks == THREAD_TIMED_LOCKS) return true;  // time the next one instead
    uint64_t now = stamp_now();
    self->lock_period = stamp_period(self->lock_period, now - self->lock_timed_at);
    self->lock_timed_at = now;
    self->lock_timer = (int32_t)self->lock_period;
    self->timed[self->timed_locks++] = o;
    THREAD_REPORT(lock_timed, self, o, object_class(o));
    return true;
}

// Reports the release before releasing, so a waiter never sees an unreported release.
bool monitor_exit_reporting(Thread *self, Object *o) {
    const ThreadEvents *listener = thread_listener();
    bool each = listener->monitor_released || listener->sync_release;
    if (!self->timed_locks && !each) {
        if (monitor_exit_fast(self, o)) return true;
        uint32_t word = word_of(o);
        Lock *lock = tag_of(word) == LOCKWORD_INFLATED ? &monitor_of(word)->lock : NULL;
        if (lock && lock_held(self, lock) && !atomic_load(&lock->entry)) {  // no other thread waits for it
            lock_exit(self, lock);
            return true;
        }
    }
    bool last = monitor_holds(self, o) && !entered_again(o);
    if (last) report_released(self, o, is_waited_for(o));
    if (last) THREAD_REPORT(sync_release, self, o, o);
    bool left = monitor_exit_quietly(self, o);
    if (left) THREAD_REPORT(monitor_released, self, o);
    return left;
}

// ---- queries -------------------------------------------------------------------------------

uint32_t monitor_owner(const Object *o) {
    uint32_t word = word_of(o);
    switch (tag_of(word)) {
        case LOCKWORD_THIN: return thin_owner(word);
        case LOCKWORD_INFLATED: return atomic_load(&monitor_of(word)->lock.owner);
        default: return 0;
    }
}

bool monitor_holds(const Thread *self, const Object *o) { return monitor_owner(o) == self->id; }

// xorshift64*, its upper 30 bits.
static uint32_t next_hash(Thread *self) {
    uint64_t x = self->hash_state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    self->hash_state = x;
    uint32_t hash = (uint32_t)(x * 0x2545f4914f6cdd1du >> 34);
    ASSERT(hash >> (32 - LOCKWORD_SHIFT) == 0, "hash %08x does not fit into a lock word", hash);
    return hash ? hash : 1;
}

uint32_t monitor_hash(Thread *self, Object *o) {
    uint32_t word = word_of(o);
    if (tag_of(word) == LOCKWORD_NEUTRAL) {
        if (word) return word >> LOCKWORD_SHIFT;
        uint32_t hash = next_hash(self);
        if (atomic_compare_exchange_strong(&o->lock, &word, hash << LOCKWORD_SHIFT)) return hash;
        if (tag_of(word) == LOCKWORD_NEUTRAL && word) return word >> LOCKWORD_SHIFT;
    }
    for (Monitor *m;;) {
        if ((m = inflate(o))) {
            uint32_t none = 0;
            uint32_t hash = atomic_load(&m->hash);
            if (hash) return hash;
            hash = next_hash(self);
            return atomic_compare_exchange_strong(&m->hash, &none, hash) ? hash : none;
        }
        thread_yield(self);  // no memory now: wait until the lock no longer occupies the word
        word = word_of(o);
        if (word == 0) return monitor_hash(self, o);
        if (tag_of(word) == LOCKWORD_NEUTRAL) return word >> LOCKWORD_SHIFT;
    }
}

// ---- wait and notify -----------------------------------------------------------------------

// Interrupted, or hit by Thread.stop, whose exception the poll raises.
static bool throw_interrupted(Thread *self) {
    thread_poll(self);
    if (self->exception) return false;
    if (!thread_interrupted(self, true)) return true;  // cleared by another thread: a spurious return
    thread_hooks.throw_wk(self, "java/lang/InterruptedException", NULL);
    return false;
}

bool monitor_wait(Thread *self, Object *o, int64_t millis, int32_t nanos) {
    if (millis < 0) {
        thread_hooks.throw_wk(self, "java/lang/IllegalArgumentException", "timeout value is negative");
        return false;
    }
    if (!monitor_holds(self, o)) return not_owner(self);
    if (thread_interrupted(self, false)) return throw_interrupted(self);
    Monitor *m = inflate_or_throw(self, o);
    if (!m) return false;
    THREAD_REPORT(monitor_wait, self, o);
    if (thread_listener()) report_released(self, o, is_waited_for(o));
    THREAD_REPORT(sync_release, self, o, o);
    bool forever = (millis == 0 && nanos == 0) || millis > INT64_MAX / 1000000 - 1;
    int64_t deadline = forever ? THREAD_FOREVER : thread_deadline(millis * 1000000 + nanos);
    bool timed = deadline != THREAD_FOREVER;
    int status = thread_set_status(self, timed ? STATUS_TIMED_WAITING : STATUS_WAITING);
    thread_show_blocked(self, BLOCK_WAIT, o, timed);
    LockWait why = lock_wait(self, &m->lock, deadline, true);
    thread_show_running(self);
    thread_set_status(self, status);
    THREAD_REPORT(sync_acquire, self, o, o);
    return why == LOCK_INTERRUPTED ? throw_interrupted(self) : true;
}

bool monitor_notify(Thread *self, Object *o, bool all) {
    if (!monitor_holds(self, o)) return not_owner(self);
    THREAD_REPORT(monitor_notify, self, o, all);
    uint32_t word = word_of(o);
    // A thin lock has never been waited on.
    if (tag_of(word) == LOCKWORD_INFLATED) lock_notify(self, &monitor_of(word)->lock, all);
    return true;
}

// ---- collection ----------------------------------------------------------------------------

void monitor_clear_weak(bool (*is_marked)(const void *)) {
    for (uint32_t c = 0; c < monitors.chunk_count; c++) {
        for (uint32_t i = 0; i < CHUNK; i++) {
            Monitor *m = &monitors.chunks[c][i];
            if (!m->object) continue;
            bool marked = is_marked(m->object);
            if (marked && !lock_idle(&m->lock)) continue;
            if (marked) {  // deflates it
                ASSERT(word_of(m->object) == (m->index << LOCKWORD_SHIFT | LOCKWORD_INFLATED),
                       "lock word %08x of the object of monitor %u", word_of(m->object), m->index);
                ASSERT(m->lock.recursion == 0, "idle monitor %u is entered %u times", m->index, m->lock.recursion);
                atomic_store(&m->object->lock, atomic_load(&m->hash) << LOCKWORD_SHIFT | LOCKWORD_NEUTRAL);
            }
            pool_give(m);
        }
    }
}

uint32_t monitor_count(void) { return monitors.used; }
