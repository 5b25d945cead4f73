// The sections of the analysis "threads" (profiler/concurrency/activity.h). The world is stopped, or this is a copy of
// a crashed process; the lock is not taken.
#include "profiler/concurrency/activity.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/concurrency/systemfigures.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/concurrency/trace.h"
#include "vm/api/stamp.h"
#include "vm/api/thread.h"

#define A "threads"

// The side that is shown.
static Activity *const shown = &activity_of[0];

static const char *const wait_names[] = {
    [WAIT_NONE] = "running", [WAIT_ENTER] = "monitor", [WAIT_NOTIFY] = "Object.wait",
    [WAIT_PARK] = "park",    [WAIT_SLEEP] = "sleep",   [WAIT_OWN] = "lock"};

static void put_context(Sections *out, uint32_t id) {
    static const Context none;
    const Context *c = id && id < shown->context_count ? &shown->contexts[id] : &none;
    section_stack(out, c->methods, c->bcis, c->count);
}

// ---- locks ----

// Comparisons that decide which rows a table merges: those that compare equal.
static int by_number(uint64_t x, uint64_t y) { return x < y ? -1 : x > y; }

static int by_class(const void *x, const void *y) {
    const LockRow *const *a = x, *const *b = y;
    return (*a)->kind != (*b)->kind ? by_number((*a)->kind, (*b)->kind) : by_number((*a)->cls, (*b)->cls);
}

static int by_place(const void *x, const void *y) {
    const LockRow *const *a = x, *const *b = y;
    int order = by_class(x, y);
    return order ? order : by_number((*a)->context, (*b)->context);
}

static int by_site(const void *x, const void *y) {
    const LockRow *const *a = x, *const *b = y;
    int order = by_class(x, y);
    if (!order) order = by_number((*a)->lock.place, (*b)->lock.place);
    return order ? order : by_number((*a)->lock.outer, (*b)->lock.outer);
}

static int by_instance(const void *x, const void *y) {
    const LockRow *const *a = x, *const *b = y;
    int order = by_site(x, y);
    return order ? order : by_number((*a)->lock.number, (*b)->lock.number);
}

// A table of locks: the order that distinguishes its rows, and which columns it shows besides kind and class.
typedef struct LockTable {
    const char *name, *title, *columns;
    int (*order)(const void *x, const void *y);
    bool site, number, place, acquired;
} LockTable;

static void put_lock_row(Sections *out, const LockTable *t, const LockRow *r) {
    section_text(out, wait_names[r->kind]);
    section_class(out, r->cls);
    if (t->site) lockidentity_stack(out, r->lock);
    if (t->number) section_number(out, r->lock.number);
    if (t->place) put_context(out, r->context);
    if (t->acquired) section_number(out, r->acquired);
    section_number(out, r->timed);
    section_number(out, r->contended);
    section_histogram(out, &r->wait);
    section_histogram(out, &r->hold);
    section_number(out, r->charged);
}

static void put_lock_table(Sections *out, const LockTable *t, const LockRow **rows, uint32_t n) {
    char columns[256];
    snprintf(
        columns, sizeof columns,
        "kind note, class text, %stimed varying, contended varying, wait histogram, hold sampled, blocked others ns",
        t->columns);
    section_begin(out, A, t->name, t->title, columns);
    if (n) qsort(rows, n, sizeof *rows, t->order);
    for (uint32_t i = 0, end; i < n; i = end) {
        LockRow sum = *rows[i];
        sum.wait = sum.hold = (Histogram){0};
        sum.timed = sum.contended = sum.charged = sum.acquired = 0;
        for (end = i; end < n && t->order(&rows[i], &rows[end]) == 0; end++) {
            sum.timed += rows[end]->timed;
            sum.contended += rows[end]->contended;
            sum.charged += rows[end]->charged;
            sum.acquired += rows[end]->acquired;
            histogram_merge(&sum.wait, &rows[end]->wait);
            histogram_merge(&sum.hold, &rows[end]->hold);
        }
        put_lock_row(out, t, &sum);
        histogram_free(&sum.wait);
        histogram_free(&sum.hold);
    }
    section_end(out);
}

static const LockTable lock_table = {"locks",
                                     "Monitors, and locks of java.util.concurrent with one owner (lock), by class: "
                                     "holdings that were timed (all that were waited"
                                     " for or are less frequent than one in 100 us, fewer of the rest), entries that "
                                     "waited, their times (within 1.6 %), waits that holders caused",
                                     "",
                                     by_class,
                                     false,
                                     false,
                                     false,
                                     false};
static const LockTable place_table = {"lock-places",
                                      "The same by the place that entered, with its callers",
                                      "place stack, ",
                                      by_place,
                                      false,
                                      false,
                                      true,
                                      false};
static const LockTable site_table = {"lock-sites",
                                     "The same by the place where the lock was made; of one that a constructor of the "
                                     "class library makes, also by its caller."
                                     " Acquisitions are exact, but for those by the owner",
                                     "made at stack, acquisitions number, ",
                                     by_site,
                                     true,
                                     false,
                                     false,
                                     true};
static const LockTable instance_table = {"lock-instances",
                                         "The same by lock: the objects of a place are numbered in the order in which "
                                         "they were made; 0: there was no row left",
                                         "made at stack, number number, acquisitions number, ",
                                         by_instance,
                                         true,
                                         true,
                                         false,
                                         true};

// Number of acquisitions of each lock: rows without times.
static LockRow *acquired_rows(uint32_t *count) {
    Table sum = {0};
    uint64_t lost = 0;
    rowcounts_collect(&shown->acquired, &sum, &lost);
    for (uint32_t i = 0; i < shown->share_count; i++) rowcounts_collect(&shown->shares[i]->acquired, &sum, &lost);
    table_combine(&sum);
    LockRow *rows = calloc(sum.count + 1, sizeof *rows);
    *count = rows ? (uint32_t)sum.count : 0;
    for (uint32_t i = 0; i < *count; i++) {
        const uint64_t *k = sum.rows[i].key;
        rows[i] = (LockRow){.kind = (WaitKind)k[0],
                            .cls = (uint32_t)k[1],
                            .lock = {(uint32_t)k[2], (uint32_t)k[3], (uint32_t)k[4]},
                            .acquired = sum.rows[i].count};
    }
    table_free(&sum);
    return rows;
}

static void put_locks(Sections *out) {
    const Activity *a = shown;
    uint32_t n = 0, exact_count;
    LockRow *exact = acquired_rows(&exact_count);
    const LockRow **rows = malloc((a->lock_count + exact_count + 1) * sizeof *rows);
    for (uint32_t i = 0; rows && i < a->lock_count; i++)
        if (a->locks[i].kind == WAIT_ENTER || a->locks[i].kind == WAIT_OWN) rows[n++] = &a->locks[i];
    put_lock_table(out, &lock_table, rows, n);
    put_lock_table(out, &place_table, rows, n);
    for (uint32_t i = 0; rows && i < exact_count; i++) rows[n++] = &exact[i];
    if (lockidentity_detail() != LOCKS_BY_CLASS) put_lock_table(out, &site_table, rows, n);
    if (lockidentity_detail() == LOCKS_BY_INSTANCE) put_lock_table(out, &instance_table, rows, n);
    free(rows);
    free(exact);
}

// Exact; of live and ended threads.
static void put_owned(Sections *out) {
    section_begin(out, A, "owners",
                  "How often locks of java.util.concurrent have got an owner (not: once more the same one)",
                  "class text, acquisitions number");
    struct OwnedClass sum[MAX_GROUPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i <= shown->share_count; i++) {
        const struct OwnedClass *from = i < shown->share_count ? shown->shares[i]->owned_classes : shown->owned;
        int most = i < shown->share_count ? HELD : MAX_GROUPS;
        if (i < shown->share_count && shown->shares[i]->ended) continue;
        for (int k = 0; k < most && from[k].cls; k++) {
            uint32_t at = 0;
            while (at < n && sum[at].cls != from[k].cls) at++;
            if (at == MAX_GROUPS) continue;
            if (at == n) sum[n++] = (struct OwnedClass){from[k].cls, 0};
            sum[at].count += from[k].count;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        section_class(out, sum[i].cls);
        section_number(out, sum[i].count);
    }
    section_end(out);
}

// ---- dependency ----

static void put_wait_row(Sections *out, const LockRow *r) {
    uint64_t still = 0;
    for (uint32_t k = 0; k < shown->share_count; k++) {
        const Share *s = shown->shares[k];
        still += !s->ended && s->kind == r->kind && s->cls == r->cls && s->context == r->context;
    }
    if (!r->contended && !still) return;
    section_text(out, wait_names[r->kind]);
    section_class(out, r->cls);
    put_context(out, r->context);
    section_number(out, r->contended);
    section_histogram(out, &r->wait);
    section_number(out, still);
}

static void put_waits(Sections *out) {
    section_begin(out, A, "waits", "What threads waited for, and where: waits that ended, and those that have not",
                  "how text, for text, place stack, waits number, time histogram, still waiting number");
    const LockRow **rows = malloc((shown->lock_count + 1) * sizeof *rows);
    uint32_t n = 0;
    for (uint32_t i = 0; rows && i < shown->lock_count; i++)
        if (shown->locks[i].kind != WAIT_OWN) rows[n++] = &shown->locks[i];
    if (n) qsort(rows, n, sizeof *rows, by_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        LockRow sum = *rows[i];
        sum.wait = (Histogram){0};
        sum.contended = 0;
        for (end = i; end < n && by_place(&rows[i], &rows[end]) == 0; end++) {
            sum.contended += rows[end]->contended;
            histogram_merge(&sum.wait, &rows[end]->wait);
        }
        put_wait_row(out, &sum);
        histogram_free(&sum.wait);
    }
    section_end(out);
    free(rows);
}

static void put_edges(Sections *out) {
    section_begin(
        out, A, "who-waits-for-whom",
        "Waits by who ended them: the holder that released a monitor, the thread that"
        " notified or unparked. A wait for a monitor with several holders counts for each",
        "waiter text, waiter at stack, how text, for text, because of text, that was at stack, wait histogram");
    for (uint32_t i = 0; i < shown->edge_count; i++) {
        const EdgeRow *e = &shown->edges[i];
        section_text(out, shown->groups[e->group].name);
        put_context(out, e->context);
        section_text(out, wait_names[e->kind]);
        section_class(out, e->cls);
        section_text(out, e->by_group ? shown->groups[e->by_group].name : "(unknown)");
        put_context(out, e->by_context);
        section_histogram(out, &e->wait);
    }
    section_end(out);
}

typedef struct Stretch {
    uint64_t ns;
    uint32_t segment;
} Stretch;

static int by_length(const void *x, const void *y) {
    uint64_t a = ((const Stretch *)x)->ns, b = ((const Stretch *)y)->ns;
    return a < b ? 1 : a > b ? -1 : 0;
}

static void put_path(Sections *out, uint64_t now) {
    static const char *const kinds[] = {[SEGMENT_RUN] = "runs",
                                        [SEGMENT_HOLD] = "holds what others wait for",
                                        [SEGMENT_WAKE] = "woken, not running yet",
                                        [SEGMENT_SLEEP] = "sleeps or waits until a deadline",
                                        [SEGMENT_UNKNOWN] = "waits for what is unknown"};
    Path sum = shown->longest, *longest = &sum;
    for (uint32_t i = 0; i < shown->share_count; i++) {
        const Share *s = shown->shares[i];
        if (s->ended || s->service) continue;
        Share as_of_now = *s;
        path_advance(&as_of_now, now);
        path_join(longest, &as_of_now.path);
    }
    Stretch order[SEGMENTS];
    for (uint32_t i = 0; i < SEGMENTS; i++) order[i] = (Stretch){longest->part[i], i};
    qsort(order, SEGMENTS, sizeof *order, by_length);
    uint64_t wall = now - shown->levels.begin;
    section_begin(out, A, "critical-path",
                  "The longest chain of causes in the run. What-if: if a part took no time, the run could"
                  " not become shorter than the bound",
                  "threads note, part text, class text, time ns, of the path permille, run at least ns");
    for (uint32_t i = 0; i < SEGMENTS && order[i].ns; i++) {
        uint32_t segment = order[i].segment;
        const Segment *g = &shown->segments[segment];
        uint64_t ns = order[i].ns;
        section_text(out, segment ? shown->groups[g->group].name : "(others)");
        section_text(out, segment ? kinds[g->kind] : "all other parts");
        section_class(out, segment ? g->cls : 0);
        section_number(out, ns);
        section_number(out, longest->length ? ns * 1000 / longest->length : 0);
        section_number(out, wall > ns ? wall - ns : 0);
    }
    section_end(out);
}

static void put_inversions(Sections *out) {
    section_begin(out, A, "priority-inversion",
                  "Waits for a monitor that a thread of lower priority had; who of a priority between"
                  " the two ran meanwhile",
                  "waiter text, holder text, ran instead text, class text, wait histogram");
    for (uint32_t i = 0; i < shown->inversion_count; i++) {
        const InversionRow *r = &shown->inversions[i];
        section_text(out, shown->groups[r->group].name);
        section_text(out, r->by_group ? shown->groups[r->by_group].name : "(unknown)");
        section_text(out, r->instead_group ? shown->groups[r->instead_group].name : "-");
        section_class(out, r->cls);
        section_histogram(out, &r->wait);
    }
    section_end(out);
}

static void put_progress(Sections *out, uint64_t now) {
    section_begin(out, A, "progress",
                  "Signs of starvation and livelock: the longest wait for a monitor, ended or not, and how many"
                  " waits in a row ended by their deadline without anybody having woken the thread",
                  "threads text, longest wait ns, at stack, fruitless waits in a row varying");
    for (uint32_t g = 1; g < shown->group_count; g++) {
        uint64_t longest = shown->groups[g].longest_wait;
        uint32_t context = shown->groups[g].longest_context, fruitless = shown->groups[g].most_fruitless;
        for (uint32_t i = 0; i < shown->share_count; i++) {
            const Share *s = shown->shares[i];
            if (s->ended || s->group != g) continue;
            uint64_t ns = s->kind == WAIT_ENTER && now > s->since ? now - s->since : 0;
            if (ns > longest) longest = ns, context = s->context;
            if (s->longest_wait > longest) longest = s->longest_wait, context = s->longest_context;
            if (s->most_fruitless > fruitless) fruitless = s->most_fruitless;
        }
        if (!longest && !fruitless) continue;
        section_text(out, shown->groups[g].name);
        section_number(out, longest);
        put_context(out, context);
        section_number(out, fruitless);
    }
    section_end(out);
}

// Is the thread in a cycle of waiters and owners, followed back to itself?
static bool in_circle(const Share *s) {
    const Share *t = s;
    for (uint32_t steps = 0; t && t->kind != WAIT_NONE && t->owner && steps <= shown->share_count; steps++) {
        t = activity_find(shown, t->owner);
        if (t == s) return true;
    }
    return false;
}

static void put_deadlocks(Sections *out) {
    section_begin(out, A, "deadlocks",
                  "Threads that wait for each other's monitors and locks of java.util.concurrent in a circle, at the "
                  "end of the profile",
                  "thread number, threads text, waits for text, owner thread number, at stack");
    for (uint32_t i = 0; i < shown->share_count; i++) {
        const Share *s = shown->shares[i];
        if (s->ended || !in_circle(s)) continue;
        section_number(out, s->serial);
        section_text(out, shown->groups[s->group].name);
        section_class(out, s->cls);
        section_number(out, s->owner);
        put_context(out, s->context);
    }
    section_end(out);
}

// ---- concurrency ----

static void put_levels(Sections *out) {
    const Levels *l = &shown->levels;
    section_begin(out, A, "concurrency",
                  "For how long so many threads did not wait (they ran, could have run, or were in native"
                  " code)",
                  "threads varying, time ns, of the run permille");
    uint64_t all = 0;
    for (int i = 0; i <= MAX_LEVEL; i++) all += l->at_level[i];
    for (uint32_t i = 0; i <= MAX_LEVEL; i++) {
        if (!l->at_level[i]) continue;
        section_number(out, i);
        section_number(out, l->at_level[i]);
        section_number(out, all ? l->at_level[i] * 1000 / all : 0);
    }
    section_end(out);
}

// In thousandths of a thread.
static void put_series(Sections *out, const char *what, const uint64_t *bins, uint32_t n) {
    uint64_t values[BINS], total = 0;
    for (uint32_t i = 0; i < n; i++) {
        values[i] = bins[i] * 1000 / shown->levels.width;
        total += values[i];
    }
    section_text(out, what);
    section_number(out, n ? total / n : 0);
    section_series(out, values, n);
}

static void put_timeline(Sections *out, uint64_t now) {
    const Levels *l = &shown->levels;
    uint32_t n = (uint32_t)((now - l->begin + l->width - 1) / l->width);
    char title[256];
    if (n > BINS) n = BINS;
    snprintf(title, sizeof title,
             "Threads over time, in thousandths of a thread, by intervals of %.3f ms. Possible: did not wait;"
             " actual: processors in use",
             (double)l->width / 1e6);
    section_begin(out, A, "timeline", title, "what text, average permille, over time series");
    put_series(out, "possible", l->bins[WAIT_NONE], n);
    put_series(out, "actual", l->cpu, n);
    for (int k = WAIT_ENTER; k < WAIT_KINDS; k++) put_series(out, wait_names[k], l->bins[k], n);
    put_series(out, "world stopped", l->stopped, n);
    section_end(out);
}

// Work of threads that did not wait, and its serial part: Amdahl's law and Gunther's Universal Scalability Law.
typedef struct Scaling {
    uint64_t wall, work, serial, cpu, contended, latency;
    double sigma, kappa;
} Scaling;

static Scaling measure_scaling(uint64_t now) {
    const Levels *l = &shown->levels;
    Scaling s = {.wall = now - l->begin};
    for (uint32_t i = 0; i <= MAX_LEVEL; i++) s.work += i * l->at_level[i];
    s.serial = l->at_level[1];
    for (int i = 0; i < BINS; i++) s.cpu += l->cpu[i];
    for (uint32_t g = 0; g < shown->group_count; g++) {
        s.contended += shown->groups[g].waited[WAIT_ENTER];
        s.latency += shown->groups[g].latency.sum;
    }
    double whole = (double)(s.work + s.contended);
    s.sigma = whole > 0 ? (double)(s.serial + s.contended) / whole : 0;
    if (s.sigma > 1) s.sigma = 1;
    s.kappa = whole > 0 ? (double)s.latency / whole / 100 : 0;
    return s;
}

static void put_scaling(Sections *out, uint64_t now) {
    Scaling s = measure_scaling(now);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    double amdahl = s.work ? (double)s.serial / (double)s.work : 1;
    char title[512];
    snprintf(title, sizeof title,
             "Effective parallelism on %ld processors: %.2f processors were in use of %.2f that could have been;"
             " serial part %.3f (time with one thread that does not wait, of all work). Below, speed-up to be expected "
             "with so many"
             " processors: by Amdahl from the serial part, and by the USL with sigma %.3f (serial and contended) and "
             "kappa %.6f",
             processors, s.wall ? (double)s.cpu / (double)s.wall : 0, s.wall ? (double)s.work / (double)s.wall : 0,
             amdahl, s.sigma, s.kappa);
    section_begin(out, A, "scaling", title, "processors number, Amdahl permille, USL permille");
    for (uint32_t n = 1; n <= 64; n *= 2) {
        double usl = n / (1 + s.sigma * (n - 1) + s.kappa * n * (n - 1));
        section_number(out, n);
        section_number(out, (uint64_t)(1000 / (amdahl + (1 - amdahl) / n)));
        section_number(out, (uint64_t)(1000 * usl));
    }
    section_end(out);
}

// ---- quanta ----

// The kernel's figures of each thread. The living ones' are read now, and their times are added to their groups.
static void put_switches(Sections *out, uint64_t queued[MAX_GROUPS]) {
    char directory[32];
    snprintf(directory, sizeof directory, "/proc/%d/task", (int)shown->process);  // a crashed program is copied
    systemfigures_begin(out);
    for (uint32_t i = 0; i < shown->share_count; i++) {
        const Share *s = shown->shares[i];
        SystemFigures figures;
        if (s->ended) continue;
        systemfigures_read(&figures, directory, s->tid);
        systemfigures_subtract(&figures, &s->before);
        systemfigures_put(out, s->named ? s->name : "(without a name)", &figures);
        queued[s->group] += figures.queued_ns;
    }
    section_end(out);
}

static void put_quanta(Sections *out) {
    static const char *const reasons[SWITCH_REASONS] = {"other", "monitor", "wait",    "park",   "sleep",
                                                        "I/O",   "yield",   "preempt", "native", "end"};
    uint64_t queued_now[MAX_GROUPS] = {0};
    if (!thread_is_green()) put_switches(out, queued_now);
    section_begin(out, A, "quanta",
                  "How long threads had a processor until they gave it up (native threads: until they blocked), and"
                  " why; moves to other processors, and how long after being woken or switched out they ran there",
                  "threads text, number varying, most at once varying, quantum histogram, migrations varying, moved "
                  "after histogram,"
                  " woken after histogram, waited for a processor ns, given up for note");
    for (uint32_t g = 0; g < shown->group_count; g++) {
        const Group *group = &shown->groups[g];
        char why[256] = "";
        if (!group->threads) continue;
        for (int r = 0; r < SWITCH_REASONS; r++) {
            size_t n = strlen(why);
            if (group->left[r])
                snprintf(why + n, sizeof why - n, "%s%s %llu", n ? ", " : "", reasons[r],
                         (unsigned long long)group->left[r]);
        }
        section_text(out, group->name);
        section_number(out, group->threads);
        section_number(out, group->most_living);
        section_histogram(out, &group->quantum);
        section_number(out, group->migrations);
        section_histogram(out, &group->migration_latency);
        section_histogram(out, &group->latency);
        section_number(out, group->queued_ns + queued_now[g]);
        section_text(out, why);
    }
    section_end(out);
}

// ---- the survey's tables (Waddington, Roy and Schmidt 2007) ----

static void put_rate(Sections *out, const char *what, uint64_t count, uint64_t wall) {
    section_text(out, what);
    section_number(out, count);
    section_number(out, wall ? (uint64_t)((double)count * 1e9 / (double)wall) : 0);
}

static void put_rates(Sections *out, uint64_t now) {
    static const char *const names[] = {
#define EVENT(id, text, payload, waits, counted, source, made_by) text,
#include "vm/api/events.def"
    };
    uint64_t wall = now - shown->levels.begin, threads = 0;
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    for (uint32_t g = 0; g < shown->group_count; g++) threads += shown->groups[g].threads;
    section_begin(out, A, "event-rates",
                  "How often things happened, and per second (the survey's Table 3); of the process's switches the"
                  " system's figures",
                  "what text, count varying, per second varying");
    put_rate(out, "threads", threads, wall);
    put_rate(out, "places with locks", shown->lock_count, wall);
    put_rate(out, "voluntary switches (system)", (uint64_t)usage.ru_nvcsw, wall);
    put_rate(out, "involuntary switches (system)", (uint64_t)usage.ru_nivcsw, wall);
    for (int e = 0; e < EVENT_COUNT; e++)
        if (out->produced[e]) put_rate(out, names[e], out->produced[e], wall);
    section_end(out);
}

static void put_costs(Sections *out) {
    static const char *const names[COST_KINDS] = {"a wait begins",
                                                  "a wait ends",
                                                  "a holding begins (timed)",
                                                  "a holding ends (timed)",
                                                  "a wait is ended by another",
                                                  "a processor is lost or got"};
    uint64_t cpu = (uint64_t)clock_process_ns();
    section_begin(out, A, "overhead",
                  "What this analysis has cost by itself, measured (the survey's Tables 4 and 6): of each kind of event"
                  " how many, how long one took (the median: in some of them the thread lost its processor), as many "
                  "of these, and their"
                  " share in the process's processor time. Counting entries of monitors is not in it",
                  "event text, count varying, one ns, all ns, of the processor time permille");
    for (int k = 0; k < COST_KINDS; k++) {
        const Histogram *c = &shown->costs[k];
        uint64_t one = histogram_percentile(c, 0.5);
        section_text(out, names[k]);
        section_number(out, c->count);
        section_number(out, one);
        section_number(out, c->count * one);
        section_number(out, cpu ? c->count * one * 1000 / cpu : 0);
    }
    section_end(out);
}

static void put_capability(Sections *out, const char *what, const char *how, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    section_text(out, what);
    section_text(out, how);
    section_text(out, text);
}

#define PART_TEXT(part, text) (shown->parts[PART_##part] ? text : "not asked for: " #part)
static void put_capabilities(Sections *out, uint64_t now) {
    const Activity *a = shown;
    Scaling s = measure_scaling(now);
    Histogram quantum = {0};
    uint64_t migrations = 0, waits = 0, waited = 0, circles = 0, tasks = tasks_started(), worst = 0;
    for (uint32_t g = 0; g < a->group_count; g++) {
        histogram_merge(&quantum, &a->groups[g].quantum);
        migrations += a->groups[g].migrations;
        waits += a->groups[g].waits[WAIT_ENTER];
        waited += a->groups[g].waited[WAIT_ENTER];
    }
    for (uint32_t i = 0; i < a->share_count; i++) circles += !a->shares[i]->ended && in_circle(a->shares[i]);
    for (uint32_t i = 0; i < a->lock_count; i++)
        if (a->locks[i].kind == WAIT_ENTER && a->locks[i].wait.largest > worst) worst = a->locks[i].wait.largest;
    section_begin(out, A, "characteristics", "The survey's Table 7 with what this run shows",
                  "characteristic text, how text, this run note");
    put_capability(out, "synchronization overhead", PART_TEXT(locks, "counted exactly, timed as locks say"),
                   "%llu waits for monitors, %.3f ms", (unsigned long long)waits, (double)waited / 1e6);
    put_capability(out, "task latency and jitter", PART_TEXT(tasks, "exact, by class of task"), "%llu tasks",
                   (unsigned long long)tasks);
    put_capability(out, "task execution quanta", PART_TEXT(quanta, "exact (green), from block to block (native)"),
                   "median %.1f us, longest %.1f ms", (double)histogram_percentile(&quantum, 0.5) / 1e3,
                   (double)quantum.largest / 1e6);
    put_capability(out, "unsafe memory access", "by the analysis races", "-");
    put_capability(out, "processor migration", PART_TEXT(quanta, "at each block; green: exact"), "%llu",
                   (unsigned long long)migrations);
    put_capability(out, "priority inversion", PART_TEXT(dependency, "by the priorities of holder and waiter"),
                   "%u kinds", a->inversion_count);
    put_capability(
        out, "deadlock and livelock",
        PART_TEXT(dependency, "those that happen, signs of livelock; possible deadlocks by the analysis lock-order"),
        "%llu threads in circles", (unsigned long long)circles);
    put_capability(out, "effective parallelism", PART_TEXT(concurrency, "time-weighted, exact but for native code"),
                   "%.2f used of %.2f possible", s.wall ? (double)s.cpu / (double)s.wall : 0,
                   s.wall ? (double)s.work / (double)s.wall : 0);
    put_capability(out, "worst-case execution time", PART_TEXT(tasks, "observed maxima only, with their number"),
                   "longest wait for a monitor %.3f ms", (double)worst / 1e6);
    section_end(out);
    histogram_free(&quantum);
}

static void put_stamps(Sections *out) {
    StampFacts facts;
    char text[256];
    stamp_facts(&facts);
    snprintf(text, sizeof text, "%s, %.3f ticks/ns, off by %.6f %% over the run, %.1f ns each",
             facts.counter ? "processor's counter" : "system's clock", facts.ticks_per_ns, facts.drift * 100,
             facts.cost_ns);
    section_begin(out, A, "measurement", "How this was measured", "what text, value note");
    section_text(out, "time stamps");
    section_text(out, text);
    section_text(out, "histograms");
    section_text(out, "error at most 1.6 %");
    uint64_t lost = shown->acquired.lost;
    for (uint32_t i = 0; i < shown->share_count; i++) lost += shown->shares[i]->acquired.lost;
    snprintf(text, sizeof text, "%llu observations without a row, %llu without a context",
             (unsigned long long)(shown->overflow + lost), (unsigned long long)shown->no_context);
    section_text(out, "beyond the limits");
    section_text(out, text);
    section_end(out);
}

void activity_report(Sections *out, bool last) {
    uint64_t now = stamp_now();
    activity_level(shown, now, NULL, -1, -1);
    if (shown->parts[PART_locks]) {
        put_locks(out);
        put_owned(out);
    }
    if (shown->parts[PART_locks] || shown->parts[PART_dependency]) put_edges(out);
    if (shown->parts[PART_dependency]) {
        put_waits(out);
        put_path(out, now);
        put_inversions(out);
        put_progress(out, now);
        put_deadlocks(out);
    }
    if (shown->parts[PART_dependency] || shown->parts[PART_updates]) progress_report(out, now);
    if (shown->parts[PART_concurrency]) {
        put_levels(out);
        put_timeline(out, now);
        put_scaling(out, now);
    }
    if (shown->parts[PART_quanta]) put_quanta(out);
    tasks_report(out);
    put_rates(out, now);
    put_costs(out);
    put_capabilities(out, now);
    put_stamps(out);
    if (last) trace_close();
}
