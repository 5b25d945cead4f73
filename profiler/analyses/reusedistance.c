// Each line has the time of its last access, in a hash table. A binary indexed tree (Fenwick, 1994) over times counts
// the lines of each range of times, so a distance takes logarithmic time. When the times run out, those of the known
// lines become 1, 2, 3..., in their order.
#include "profiler/analyses/reusedistance.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_TIMES = 1 << 10, FIRST_BITS = 8, LAST_TIMES = 1 << 30 };

typedef struct Entry {
    uint64_t line;
    uint32_t time;  // 0: free
} Entry;

struct ReuseDistances {
    Entry *entries;  // 2^bits, at most half of them used
    unsigned bits;
    uint32_t lines;      // known
    uint32_t now, last;  // the latest time, and the largest possible one
    uint32_t *tree;      // by time, from 1 on
    Entry *line_of;      // by time, from 1 on; time 0: that of no line
};

// ---- lines -----------------------------------------------------------------------------------------

// The entry of a line, or the free one where it belongs.
static Entry *find(const ReuseDistances *r, uint64_t line) {
    uint64_t i = line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - r->bits);
    while (r->entries[i].time && r->entries[i].line != line) i = (i + 1) & ((UINT64_C(1) << r->bits) - 1);
    return &r->entries[i];
}

static bool grow_entries(ReuseDistances *r) {
    Entry *old = r->entries, *larger = calloc((size_t)2 << r->bits, sizeof *larger);
    if (!larger) return false;
    r->entries = larger;
    r->bits++;
    for (size_t i = 0; i < (size_t)1 << (r->bits - 1); i++)
        if (old[i].time) *find(r, old[i].line) = old[i];
    free(old);
    return true;
}

// ---- times -----------------------------------------------------------------------------------------

static void mark(ReuseDistances *r, uint32_t time, uint32_t change) {
    for (; time <= r->last; time += time & -time) r->tree[time] += change;
}

static uint32_t marked_until(const ReuseDistances *r, uint32_t time) {
    uint32_t count = 0;
    for (; time; time &= time - 1) count += r->tree[time];
    return count;
}

// Numbers the lines from 1 on, and makes room for as many times again. False: no time is left.
static bool renumber(ReuseDistances *r) {
    uint32_t n = 0;
    for (uint32_t t = 1; t <= r->now; t++) {
        if (!r->line_of[t].time) continue;
        n++;
        r->line_of[n] = (Entry){r->line_of[t].line, n};
        find(r, r->line_of[n].line)->time = n;
    }
    for (uint32_t t = n + 1; t <= r->now; t++) r->line_of[t].time = 0;
    r->now = n;
    if (n > r->last / 2 && r->last < LAST_TIMES) {
        uint32_t last = 2 * r->last;
        Entry *line_of = realloc(r->line_of, (last + (size_t)1) * sizeof *line_of);
        if (line_of) r->line_of = line_of;
        uint32_t *tree = line_of ? realloc(r->tree, (last + (size_t)1) * sizeof *tree) : NULL;
        if (tree) {
            for (uint32_t t = r->last + 1; t <= last; t++) line_of[t] = (Entry){0};
            r->tree = tree;
            r->last = last;
        }
    }
    // A node counts the times that end with its number, as many as the lowest bit of the number says.
    for (uint32_t t = 1; t <= r->last; t++) {
        uint32_t before = t & (t - 1);
        r->tree[t] = (t < n ? t : n) - (before < n ? before : n);
    }
    return r->now < r->last;
}

// ---- accesses --------------------------------------------------------------------------------------

int64_t reusedistance_access(ReuseDistances *r, uint64_t line) {
    Entry *e = find(r, line);
    if (e->time && e->time == r->now) return 0;
    if (r->now == r->last && !renumber(r)) return REUSE_NO_ROOM;
    int64_t distance = REUSE_FIRST;
    if (e->time) {
        distance = r->lines - marked_until(r, e->time);
        mark(r, e->time, UINT32_MAX);
        r->line_of[e->time].time = 0;
    } else {
        if (r->lines >= (uint32_t)1 << (r->bits - 1)) {
            if (!grow_entries(r)) return REUSE_NO_ROOM;
            e = find(r, line);
        }
        e->line = line;
        r->lines++;
    }
    e->time = ++r->now;
    r->line_of[r->now] = *e;
    mark(r, r->now, 1);
    return distance;
}

ReuseDistances *reusedistance_new(void) {
    ReuseDistances *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->bits = FIRST_BITS;
    r->last = FIRST_TIMES;
    r->entries = calloc((size_t)1 << r->bits, sizeof *r->entries);
    r->tree = calloc(r->last + 1, sizeof *r->tree);
    r->line_of = calloc(r->last + 1, sizeof *r->line_of);
    if (r->entries && r->tree && r->line_of) return r;
    reusedistance_free(r);
    return NULL;
}

void reusedistance_free(ReuseDistances *r) {
    if (!r) return;
    free(r->entries);
    free(r->tree);
    free(r->line_of);
    free(r);
}
