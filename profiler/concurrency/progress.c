// Signs of starvation and livelock (profiler/concurrency/activity.h): consecutive failed attempts of one thread, and
// waits for a lock that other threads take again and again meanwhile. They are signs, not proof: only the program knows
// whether it makes p->
//
// Attempts are distinguished by their target: a lock of java.util.concurrent (tryLock), a variable (compare-and-set),
// or nothing (yields and spin hints; such a series ends when the thread is woken or acquires a timed lock). A thread
// keeps its few latest series. The place of a series is recorded when it reaches LEAST_SERIES attempts; it is added to
// a row when it ends.
#include "profiler/concurrency/activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/analyses/moment.h"
#include "vm/api/stamp.h"

#define A "threads"

static struct Progress {  // by side
    SeriesRow series[MAX_SERIES];
    OvertakenRow overtaken[MAX_SERIES];
    uint32_t series_count, overtaken_count;
} progress_of[ANALYSIS_SIDES];

void progress_forget(const Activity *a) { memset(&progress_of[a->side], 0, sizeof *progress_of); }

// ---- attempts ----

static Series *series_of(Share *s, AttemptKind kind, uintptr_t what) {
    for (int i = 0; i < SERIES; i++)
        if (s->series[i].length && s->series[i].kind == kind && s->series[i].what == what) return &s->series[i];
    return NULL;
}

static SeriesRow *series_row(const Share *s, const Series *of) {
    struct Progress *p = &progress_of[s->of->side];
    SeriesRow key = {.kind = of->kind, .group = s->group, .cls = of->cls, .context = of->context};
    for (uint32_t i = 0; i < p->series_count; i++)
        if (memcmp(&p->series[i], &key, offsetof(SeriesRow, count)) == 0) return &p->series[i];
    if (p->series_count == MAX_SERIES) {
        s->of->overflow++;
        return NULL;
    }
    p->series[p->series_count] = key;
    return &p->series[p->series_count++];
}

// Requires the lock.
static void end_series(const Share *s, Series *of) {
    SeriesRow *row = of->length >= LEAST_SERIES ? series_row(s, of) : NULL;
    if (row) {
        uint64_t ns = of->last > of->since ? of->last - of->since : 0;
        if (of->length > row->most) row->most = of->length;
        if (ns > row->longest) row->longest = ns;
        row->count++;
    }
    of->length = 0;
}

// Takes the lock only for a long series, which has a row.
static void close_series(Share *s, Series *of) {
    s->open_series--;
    if (of->length < LEAST_SERIES) {
        of->length = 0;
        return;
    }
    activity_lock(s->of);
    end_series(s, of);
    activity_unlock(s->of);
}

static Series *open_series(Share *s, AttemptKind kind, uintptr_t what, uint32_t cls) {
    Series *least = &s->series[0];
    for (int i = 1; i < SERIES; i++)
        if (s->series[i].length < least->length) least = &s->series[i];
    if (least->length) close_series(s, least);
    s->open_series++;
    *least = (Series){.kind = kind, .what = what, .cls = cls, .since = moment_now(s->origin->events)};
    return least;
}

void progress_failed(Share *s, AttemptKind kind, uintptr_t what, uint32_t cls) {
    Series *of = series_of(s, kind, what);
    if (!of) of = open_series(s, kind, what, cls);
    if (++of->length == LEAST_SERIES) {
        uint32_t methods[CONTEXT_WALK];
        int32_t bcis[CONTEXT_WALK];
        uint32_t count = moment_stack(s->origin->events, methods, bcis, CONTEXT_WALK);
        activity_lock(s->of);
        of->context = activity_context(s->of, methods, bcis, count);
        activity_unlock(s->of);
    }
    if (of->length % LEAST_SERIES == 0) of->last = moment_now(s->origin->events);
}

void progress_end_series(Share *s, AttemptKind kind, uintptr_t what) {
    Series *of = series_of(s, kind, what);
    if (of) close_series(s, of);
}

void progress_thread_end(Share *s) {
    for (int i = 0; i < SERIES; i++)
        if (s->series[i].length) end_series(s, &s->series[i]);
}

// ---- being overtaken ----

void progress_overtaken(const Share *s, WaitKind kind, uint32_t cls, uint64_t ns) {
    struct Progress *p = &progress_of[s->of->side];
    OvertakenRow key = {.kind = kind, .group = s->group, .cls = cls, .context = s->context};
    uint32_t i = 0;
    if (s->overtaken < LEAST_OVERTAKEN || s->overtaken <= 2 * (s->rivals + 1)) return;
    while (i < p->overtaken_count && memcmp(&p->overtaken[i], &key, offsetof(OvertakenRow, count)) != 0) i++;
    if (i == MAX_SERIES) {
        s->of->overflow++;
        return;
    }
    if (i == p->overtaken_count) p->overtaken[p->overtaken_count++] = key;
    OvertakenRow *row = &p->overtaken[i];
    row->count++;
    if (s->overtaken > row->most) row->most = s->overtaken;
    if (ns > row->longest) row->longest = ns;
}

// ---- the report ----

static void put_stack(Sections *out, uint32_t id) {
    const Context *c = &activity_of[0].contexts[id];
    section_stack(out, id ? c->methods : NULL, id ? c->bcis : NULL, id ? c->count : 0);
}

static void put_series(Sections *out) {
    static const char *const names[] = {
        [ATTEMPT_LOCK] = "tryLock", [ATTEMPT_COMPARE] = "compare-and-set", [ATTEMPT_WAY] = "yield or spin hint"};
    for (uint32_t i = 0; i < activity_of[0].share_count; i++) {
        Share *s = activity_of[0].shares[i];
        for (int k = 0; k < SERIES && !s->ended; k++) {
            SeriesRow *row = s->series[k].length >= LEAST_SERIES ? series_row(s, &s->series[k]) : NULL;
            if (row) row->going_on++;
            if (row && s->series[k].length > row->most_now) row->most_now = s->series[k].length;
        }
    }
    section_begin(out, A, "retries",
                  "Signs of livelock: attempts of one thread in a row without success, 64 or more. tryLock of a lock of"
                  " java.util.concurrent; compare-and-set of a variable of an object of that class; yields and spin "
                  "hints, between which the thread"
                  " was not woken and no holding of a lock by it was timed. Longest: from the first to about the last "
                  "of a series",
                  "what text, threads text, class text, at stack, series varying, most in a row varying, longest ns, "
                  "still going on varying");
    for (uint32_t i = 0; i < progress_of[0].series_count; i++) {
        SeriesRow *r = &progress_of[0].series[i];
        section_text(out, names[r->kind]);
        section_text(out, activity_of[0].groups[r->group].name);
        section_class(out, r->cls);
        put_stack(out, r->context);
        section_number(out, r->count);
        section_number(out, r->most > r->most_now ? r->most : r->most_now);
        section_number(out, r->longest);
        section_number(out, r->going_on);
        r->going_on = r->most_now = 0;
    }
    section_end(out);
}

static void put_overtaken(Sections *out) {
    section_begin(out, A, "starvation",
                  "Signs of starvation: waits for a lock during which other threads had it 16 times or more, and more "
                  "than twice as often as if all who waited before had come first. Of the wait in which they"
                  " had it most often the number, and the longest such wait",
                  "kind text, threads text, class text, at stack, waits varying, others had it varying, longest ns");
    for (uint32_t i = 0; i < progress_of[0].overtaken_count; i++) {
        const OvertakenRow *r = &progress_of[0].overtaken[i];
        section_text(out, r->kind == WAIT_ENTER ? "monitor" : "lock");
        section_text(out, activity_of[0].groups[r->group].name);
        section_class(out, r->cls);
        put_stack(out, r->context);
        section_number(out, r->count);
        section_number(out, r->most);
        section_number(out, r->longest);
    }
    section_end(out);
}

// Unfinished waits count as well.
void progress_report(Sections *out, uint64_t now) {
    for (uint32_t i = 0; i < activity_of[0].share_count; i++) {
        Share *s = activity_of[0].shares[i];
        bool waits = !s->ended && (s->kind == WAIT_ENTER || s->kind == WAIT_PARK);
        if (waits)
            progress_overtaken(s, s->kind == WAIT_PARK ? WAIT_OWN : s->kind, s->cls,
                               now > s->since ? now - s->since : 0);
    }
    put_series(out);
    put_overtaken(out);
}
