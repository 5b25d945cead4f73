// The consumers' threads: which rings they read next, and the processors where they run.
#include "profiler/ring/transport_internal.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/thread.h"

enum {
    IDLE_ROUNDS = 64,      // rounds without work before a consumer sleeps
    IDLE_NS = 500 * 1000,  // how long
};

static void lock(Consumer *c) {
    pthread_mutex_lock(&transports.lock);
    c->has_lock = true;
}

static void unlock(Consumer *c) {
    c->has_lock = false;
    pthread_mutex_unlock(&transports.lock);
}

// Merges all rings if one of them is ready. False: none was, or another thread merges them.
static bool serve_in_order(Consumer *c) {
    bool any = false;
    lock(c);
    for (Ring *r = transports.first; r && !any && !ringholders_is_held(r); r = r->link) any = ringdrain_is_ready(r);
    if (any) {
        ringholders_lend(transports.first);
        unlock(c);
        ringorder_merge(false);
        lock(c);
        ringholders_release(transports.first);
    }
    unlock(c);
    return any;
}

// Requires the lock. Reads a batch for each further reader of a ring that is the consumer's. False: none was ready.
static bool serve_readers(Consumer *c, Ring *r) {
    bool any = false;
    for
        EACH_READER(reader, r) {
            if (reader->consumer != c || r->holder == HELD_BY_OTHER || !follower_is_ready(&reader->follower)) continue;
            reader->held = any = true;
            unlock(c);
            follower_read(&reader->follower, BATCH);
            lock(c);
            reader->held = false;
            pthread_cond_broadcast(&transports.changed);
        }
    return any;
}

// Processes one batch of each ready ring, round robin. False: none was ready.
static bool serve(Consumer *c, ProfilerThread *self) {
    bool any = false;
    if (transports.ordered) return serve_in_order(c);
    lock(c);
    for (Ring *r = transports.first; r && !profilerthread_must_stop(self); r = r->link) {
        any |= serve_readers(c, r);
        if (r->consumer != c || ringholders_is_held(r)) continue;
        if (!ringdrain_is_ready(r)) continue;
        ringholders_lend(r);
        any = true;
        unlock(c);
        ringdrain_batch(r);
        lock(c);
        ringholders_release(r);
    }
    unlock(c);
    return any;
}

// Runs however the thread ends, so the thread may already hold the lock. `ended` changes under the lock: a thread that
// has seen the consumer alive is waiting by then, and the broadcast wakes it.
static void consumer_ended(void *arg) {
    Consumer *c = arg;
    if (!c->has_lock) lock(c);
    atomic_store(&c->ended, true);
    pthread_cond_broadcast(&transports.changed);
    unlock(c);
}

void ringconsumers_run(ProfilerThread *self, void *arg) {
    Consumer *c = arg;
    int rounds = transports.request->sampled ? 1 : IDLE_ROUNDS;  // reading the producer's position steals its cache
                                                                 // line
    pthread_cleanup_push(consumer_ended, c);
    for (int idle = 0; !profilerthread_must_stop(self);) {
        if (serve(c, self)) idle = 0;
        else if (++idle < rounds) sched_yield();
        else profilerthread_sleep(self, thread_now() + IDLE_NS);
    }
    pthread_cleanup_pop(true);
}

// ---- where consumers run ---------------------------------------------------------------------------

// Parses a list of processors in Linux syntax: 0,2-3. False: not a list.
static bool parse_processors(const char *text, cpu_set_t *set) {
    CPU_ZERO(set);
    for (;;) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text) return false;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text) return false;
        }
        for (; first <= last && first < CPU_SETSIZE; first++) CPU_SET(first, set);
        if (*end != ',') return *end == '\0' || *end == '\n';
        text = end + 1;
    }
}

// Processors that share the last-level cache with the caller's.
static bool sharing_processors(cpu_set_t *set) {
    char path[96], line[256];
    bool found = false;
    for (int index = 0; index < 8; index++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", sched_getcpu(),
                 index);
        FILE *in = fopen(path, "re");
        if (!in) break;
        found = fgets(line, sizeof line, in) && parse_processors(line, set);
        fclose(in);
    }
    return found;
}

bool ringconsumers_place(const char *affinity, char *error, size_t error_size) {
    cpu_set_t set;
    bool ok = strcmp(affinity, "shared") == 0 ? sharing_processors(&set) : parse_processors(affinity, &set);
    if (!ok) {
        snprintf(error, error_size, "affinity=%s: must be shared, or processors as in 0,2-3", affinity);
        return false;
    }
    cpu_set_t before;
    // new threads inherit the affinity of their creator
    if (sched_getaffinity(0, sizeof before, &before) == 0 && sched_setaffinity(0, sizeof set, &set) == 0) return true;
    snprintf(error, error_size, "affinity=%s: %s", affinity, strerror(errno));
    return false;
}
