#include "profiler/control/collections.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/grow.h"
#include "profiler/control/control_internal.h"

enum { MOST_ROWS = 1 << 16 };

static struct Collections {
    pthread_mutex_t lock;
    bool open;
    int64_t since;
    CollectionSums sums;
    ProfiledCollection *rows;
    size_t count, capacity;
} collections = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The lock is not taken in a copy, whose holder may not exist.
static bool take_lock(void) {
    if (profiler_is_copy()) return false;
    pthread_mutex_lock(&collections.lock);
    return true;
}

static void release(bool locked) {
    if (locked) pthread_mutex_unlock(&collections.lock);
}

void collections_begin(int64_t since) {
    bool locked = take_lock();
    collections.open = true;
    collections.since = since;
    release(locked);
}

void collections_end(void) {
    bool locked = take_lock();
    free(collections.rows);
    collections.open = false;
    collections.rows = NULL;
    collections.count = collections.capacity = 0;
    collections.sums = (CollectionSums){0};
    release(locked);
}

void collections_add(const ProfiledCollection *c) {
    pthread_mutex_lock(&collections.lock);
    if (collections.open && c->start_ns >= collections.since) {
        CollectionSums *s = &collections.sums;
        *(c->young ? &s->young : &s->full) += 1;
        s->pause_ns += c->pause_ns;
        if (c->pause_ns > s->longest_ns) s->longest_ns = c->pause_ns;
        if (collections.count < MOST_ROWS && GROW(collections.rows, collections.capacity, collections.count + 1))
            collections.rows[collections.count++] = *c;
        else s->unlisted++;
    }
    pthread_mutex_unlock(&collections.lock);
}

bool collections_sums(CollectionSums *out) {
    bool locked = take_lock(), open = collections.open;
    *out = collections.sums;
    release(locked);
    return open;
}

void collections_report(Sections *out) {
    bool locked = take_lock();
    if (collections.count)
        section_begin(out, "collections", "collections",
                      "Collections of the heap while the profile recorded: when each began, in nanoseconds from the "
                      "start of the profile; how long the threads were stopped; its number in the process; the "
                      "collector, what it collected and why; and the bytes in use before and after",
                      "start varying, pause ns, number varying, collector note, kind note, cause note, before varying, "
                      "after varying");
    for (size_t i = 0; i < collections.count; i++) {
        const ProfiledCollection *c = &collections.rows[i];
        section_number(out, (uint64_t)(c->start_ns - collections.since));
        section_number(out, c->pause_ns);
        section_number(out, c->number);
        section_text(out, c->collector);
        section_text(out, c->young ? "young" : "full");
        section_text(out, c->cause);
        section_number(out, c->before);
        section_number(out, c->after);
    }
    if (collections.count) section_end(out);
    release(locked);
}

void collections_before_fork(void) { pthread_mutex_lock(&collections.lock); }
void collections_after_fork(void) { pthread_mutex_unlock(&collections.lock); }
