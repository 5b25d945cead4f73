// The critical path, computed while the program runs (Hollingsworth, "An Online Computation of Critical Path
// Profiling"). Each thread carries the longest chain of causes that leads to its current point. A thread that ends
// another's wait passes its chain on if it is longer. Running, sleeping, holding a lock that others wait for, and the
// time from being woken to running add to the length. Waiting for a thread adds nothing, because what that thread does
// meanwhile is counted.
#include "profiler/concurrency/activity.h"

// Number 0 is for segments without room.
static uint32_t segment_of(Activity *a, SegmentKind kind, uint32_t group, uint32_t cls) {
    if (!a->segment_count) a->segment_count = 1;
    for (uint32_t i = 1; i < a->segment_count; i++)
        if (a->segments[i].kind == kind && a->segments[i].group == group && a->segments[i].cls == cls) return i;
    if (a->segment_count == SEGMENTS) return 0;
    a->segments[a->segment_count] = (Segment){group, cls, kind};
    return a->segment_count++;
}

void path_add(Activity *a, Path *p, SegmentKind kind, uint32_t group, uint32_t cls, uint64_t ns) {
    p->length += ns;
    p->part[segment_of(a, kind, group, cls)] += ns;
}

void path_move(Activity *a, Path *p, uint32_t group, uint32_t cls, uint64_t ns) {
    uint64_t *from = &p->part[segment_of(a, SEGMENT_RUN, group, 0)];
    if (ns > *from) ns = *from;
    *from -= ns;
    p->part[segment_of(a, SEGMENT_HOLD, group, cls)] += ns;
}

void path_advance(Share *s, uint64_t now) {
    if (s->kind == WAIT_NONE && now > s->mark) path_add(s->of, &s->path, SEGMENT_RUN, s->group, 0, now - s->mark);
    if (now > s->mark) s->mark = now;
}

void path_join(Path *to, const Path *from) {
    if (from->length > to->length) *to = *from;
}
