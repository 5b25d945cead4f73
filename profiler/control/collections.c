#include "profiler/control/collections.h"

#include <stdlib.h>

#include "base/grow.h"
#include "profiler/control/control_internal.h"

enum { MOST_ROWS = 1 << 16 };

// The lock is not taken in a copy, whose holder may not exist.
static bool take_lock(Profiler *p) {
    if (profiler_is_copy(p)) return false;
    pthread_mutex_lock(&p->collections.lock);
    return true;
}

static void release(Profiler *p, bool locked) {
    if (locked) pthread_mutex_unlock(&p->collections.lock);
}

void collections_begin(Profiler *p, int64_t since) {
    bool locked = take_lock(p);
    p->collections.open = true;
    p->collections.since = since;
    release(p, locked);
}

void collections_end(Profiler *p) {
    bool locked = take_lock(p);
    free(p->collections.rows);
    p->collections.open = false;
    p->collections.rows = NULL;
    p->collections.count = p->collections.capacity = 0;
    p->collections.sums = (CollectionSums){0};
    release(p, locked);
}

static void add(Collections *to, const ProfiledCollection *c) {
    pthread_mutex_lock(&to->lock);
    if (to->open && c->start_ns >= to->since) {
        CollectionSums *s = &to->sums;
        *(c->young ? &s->young : &s->full) += 1;
        s->pause_ns += c->pause_ns;
        if (c->pause_ns > s->longest_ns) s->longest_ns = c->pause_ns;
        if (to->count < MOST_ROWS && GROW(to->rows, to->capacity, to->count + 1)) to->rows[to->count++] = *c;
        else s->unlisted++;
    }
    pthread_mutex_unlock(&to->lock);
}

void collections_add(const ProfiledCollection *c) {
    for (int kind = 0; kind < PROFILE_KINDS; kind++) add(&profilers[kind].collections, c);
}

bool collections_sums(Profiler *p, CollectionSums *out) {
    bool locked = take_lock(p), open = p->collections.open;
    *out = p->collections.sums;
    release(p, locked);
    return open;
}

void collections_report(Profiler *p, Sections *out) {
    bool locked = take_lock(p);
    if (p->collections.count)
        section_begin(out, "collections", "collections",
                      "Collections of the heap while the profile recorded: when each began, in nanoseconds from the "
                      "start of the profile; how long the threads were stopped; its number in the process; the "
                      "collector, what it collected and why; and the bytes in use before and after",
                      "start varying, pause ns, number varying, collector note, kind note, cause note, before varying, "
                      "after varying");
    for (size_t i = 0; i < p->collections.count; i++) {
        const ProfiledCollection *c = &p->collections.rows[i];
        section_number(out, (uint64_t)(c->start_ns - p->collections.since));
        section_number(out, c->pause_ns);
        section_number(out, c->number);
        section_text(out, c->collector);
        section_text(out, c->young ? "young" : "full");
        section_text(out, c->cause);
        section_number(out, c->before);
        section_number(out, c->after);
    }
    if (p->collections.count) section_end(out);
    release(p, locked);
}
