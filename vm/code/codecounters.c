// See vm/code/codecounters.h.
#include "vm/code/codecounters.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch_frame.h"
#include "base/grow.h"
#include "base/invariant.h"
#include "vm/code/code.h"
#include "vm/code/placecounters.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/report.h"
#include "vm/instrument/selectors.h"
#include "vm/threads/thread.h"

typedef struct Range {
    uint32_t first, count;
} Range;

static struct Counters {
    pthread_mutex_t lock;
    Range *free;  // sorted by `first`; adjacent ranges are joined
    uint32_t free_count, free_room;
    _Atomic uint32_t end;  // counters from here on were never taken; also read without the lock
} counters = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- allocation of counters ----------------------------------------------------------------------------

// First fit in the free list, or else at the end.
uint32_t compiler_counters_take(uint32_t count) {
    uint32_t first = UINT32_MAX, i = 0;
    pthread_mutex_lock(&counters.lock);
    while (i < counters.free_count && counters.free[i].count < count) i++;
    if (i < counters.free_count) {
        Range *r = &counters.free[i];
        first = r->first;
        r->first += count;
        r->count -= count;
        if (r->count == 0) memmove(r, r + 1, (--counters.free_count - i) * sizeof *r);
    } else if (count <= THREAD_COUNTERS - counters.end && threads.counters) {
        first = counters.end;
        counters.end += count;
    }
    pthread_mutex_unlock(&counters.lock);
    return first == UINT32_MAX ? 0 : (uint32_t)THREAD_COUNTERS_OFFSET + 8 * first;
}

// If there is no memory for the list, the counters are lost, which costs only address space.
void compiler_counters_give(uint32_t offset, uint32_t count) {
    Range r = {(offset - (uint32_t)THREAD_COUNTERS_OFFSET) / 8, count};
    pthread_mutex_lock(&counters.lock);
    uint32_t i = 0;
    while (i < counters.free_count && counters.free[i].first < r.first) i++;
    ASSERT(i == 0 || counters.free[i - 1].first + counters.free[i - 1].count <= r.first,
           "counters are given back twice");
    bool joins_left = i > 0 && counters.free[i - 1].first + counters.free[i - 1].count == r.first;
    bool joins_right = i < counters.free_count && r.first + r.count == counters.free[i].first;
    if (joins_left && joins_right) {
        counters.free[i - 1].count += r.count + counters.free[i].count;
        memmove(&counters.free[i], &counters.free[i + 1], (--counters.free_count - i) * sizeof r);
    } else if (joins_left) {
        counters.free[i - 1].count += r.count;
    } else if (joins_right) {
        counters.free[i].first = r.first;
        counters.free[i].count += r.count;
    } else if (GROW(counters.free, counters.free_room, counters.free_count + 1)) {
        memmove(&counters.free[i + 1], &counters.free[i], (counters.free_count++ - i) * sizeof r);
        counters.free[i] = r;
    }
    pthread_mutex_unlock(&counters.lock);
}

void counters_give(const Code *code) {
    if (code->counter_count) compiler_counters_give(code->counter_offset, code->counter_count);
}

void counters_before_fork(void) { pthread_mutex_lock(&counters.lock); }
void counters_after_fork(void) { pthread_mutex_unlock(&counters.lock); }

// ---- active invocations ----------------------------------------------------------------------------

typedef struct Underway {
    const Code *code;
    uint16_t node;
} Underway;

typedef struct Stack {
    Underway *frames;
    uint32_t count, room;
    bool failed;
} Stack;

static int by_code(const void *a, const void *b) {
    const Code *x = ((const Underway *)a)->code, *y = ((const Underway *)b)->code;
    return x < y ? -1 : x > y;
}

static void add_frame(void *arg, const Code *code, const char *return_pc) {
    Stack *s = arg;
    if (code->counter_count == 0) return;
    s->failed |= !GROW(s->frames, s->room, s->count + 1);
    if (!s->failed) s->frames[s->count++] = (Underway){code, code_stack_map(code, return_pc)->node};
}

// ---- counts of nodes -------------------------------------------------------------------------------

typedef struct Solver {
    const Code *code;
    const uint64_t *counters;  // of the code, of one thread
    int64_t *count;            // by edge
    struct SolverNode {
        int64_t surplus;   // inflow minus outflow, over edges whose count is known
        uint32_t unknown;  // number of edges whose count is not known
        uint32_t which;    // XOR of their numbers: the number itself when only one is left
    } * nodes;
    uint32_t *leaves, leaf_count;
} Solver;

static void set_count(Solver *s, uint32_t edge, int64_t count) {
    const CodeCountEdge *e = &s->code->count_edges[edge];
    s->count[edge] = count;
    s->nodes[e->to].surplus += count;
    s->nodes[e->from].surplus -= count;
}

static void settle(Solver *s, uint32_t edge, uint16_t node) {
    struct SolverNode *n = &s->nodes[node];
    n->which ^= edge;
    if (--n->unknown == 1) s->leaves[s->leaf_count++] = node;
}

// The edges without counters form a forest: while any is left, some node has exactly one.
static void solve(Solver *s) {
    const CodeCountEdge *edges = s->code->count_edges;
    for (uint32_t i = 0; i < s->code->count_edge_count; i++) {
        const CodeCountEdge *e = &edges[i];
        if (e->counter != COUNT_DERIVED) {
            set_count(s, i, (int64_t)__atomic_load_n(&s->counters[e->counter], __ATOMIC_RELAXED));
            continue;
        }
        ASSERT(e->from != e->to, "a circle has no counter");
        s->nodes[e->from].unknown++;
        s->nodes[e->from].which ^= i;
        s->nodes[e->to].unknown++;
        s->nodes[e->to].which ^= i;
    }
    for (uint32_t i = 0; i < s->code->count_nodes; i++)
        if (s->nodes[i].unknown == 1) s->leaves[s->leaf_count++] = i;
    while (s->leaf_count > 0) {
        struct SolverNode *n = &s->nodes[s->leaves[--s->leaf_count]];
        if (n->unknown != 1) continue;  // the edge's other end was processed first
        uint32_t edge = n->which;
        const CodeCountEdge *e = &edges[edge];
        set_count(s, edge, &s->nodes[e->from] == n ? n->surplus : -n->surplus);
        settle(s, edge, e->from);
        settle(s, edge, e->to);
    }
}

static void report(const Solver *s, bool exact, CountedFn *fn, void *arg) {
    const Code *code = s->code;
    const uint64_t *allocations = s->counters + code->edge_counters + code->path_words + code->selected_words;
    int64_t *entered = calloc(code->count_nodes + 1u, sizeof *entered);
    if (!entered) report_counts_lost();
    for (uint32_t i = 0; entered && i < code->count_edge_count; i++) entered[code->count_edges[i].to] += s->count[i];
    for (uint32_t i = 0; entered && i < code->mark_count; i++) {
        const CodeMark *m = &code->marks[i];
        int64_t times = m->node == COUNT_NO_NODE ? 0 : entered[m->node];
        ASSERT(!exact || times >= 0, "event %u of %s.%s happened %lld times", m->event, code->method->cls->name->text,
               code->method->name->text, (long long)times);
        if (times < 0) times = 0;
        const uint32_t *words = code->mark_words + m->first_word;
        if (m->counter) {
            uint64_t counter = __atomic_load_n(&allocations[m->counter - 1], __ATOMIC_RELAXED);
            if (m->removed) report_removed_counted(words, (uint64_t)times, counter, fn, arg);
            else report_arrays_counted(words, (uint64_t)times, counter, fn, arg);
        } else if (times > 0) {
            fn(arg, m->event, words, (uint64_t)times);
        }
    }
    (void)exact;
    free(entered);
}

static const uint64_t *values_of(const Thread *t, const Code *code) {
    return (const uint64_t *)((const char *)t + code->counter_offset);
}

static bool has_counted(const Thread *t, const Code *code) {
    const uint64_t *values = values_of(t, code);
    uint64_t all = 0;
    for (uint32_t i = 0; i < code->counter_count; i++) all |= __atomic_load_n(&values[i], __ATOMIC_RELAXED);
    return all != 0;
}

// `frames` are the active frames of the code, which has counters. If there is no frame, some counter is not 0.
static void read_code(const Thread *t, const Code *code, const Underway *frames, uint32_t frame_count, bool exact,
                      CountedFn *fn, void *arg) {
    const uint64_t *values = values_of(t, code), *paths = values + code->edge_counters;
    const uint64_t *selected = paths + code->path_words;
    // Targets that are hidden or out of scope also have entries.
    const CodeCallEntry *end = (const CodeCallEntry *)(const void *)(values + code->counter_count);
    for (const CodeCallEntry *entry = end - (size_t)code->call_count * CALL_ENTRIES; entry < end; entry++) {
        uint64_t count = __atomic_load_n(&entry->count, __ATOMIC_RELAXED);
        if (count && !entry->unwanted) report_edge_counted(entry->site, entry->method, count, fn, arg);
    }
    for (uint32_t i = 0; i < code->path_counters_count; i++) {
        const CodePathCounters *p = &code->path_counters[i];
        for (uint32_t k = 0; k < p->count; k++) {
            uint64_t count = __atomic_load_n(&paths[p->first + k], __ATOMIC_RELAXED);
            if (count) report_path_counted(p->method, k, count, fn, arg);
        }
    }
    for (uint32_t i = 0; i < code->selected_calls_count; i++) {
        const CodeSelectedCalls *c = &code->selected_calls[i];
        for (uint32_t k = 0; k < c->count; k++) {
            uint64_t count = __atomic_load_n(&selected[c->first + k], __ATOMIC_RELAXED);
            if (count) report_edge_counted(c->site, selectors_method(c->selector, k + 1), count, fn, arg);
        }
    }
    if (code->mark_count == 0) return;
    Solver s = {.code = code,
                .counters = values,
                .count = calloc(code->count_edge_count + 1, sizeof *s.count),
                .nodes = calloc(code->count_nodes + 1u, sizeof *s.nodes),
                .leaves = calloc(2 * code->count_nodes + 1u, sizeof *s.leaves)};
    if (s.count && s.nodes && s.leaves) {
        for (uint32_t i = 0; i < frame_count; i++) {
            s.nodes[frames[i].node].surplus--;
            s.nodes[code->count_exit].surplus++;
        }
        solve(&s);
        report(&s, exact, fn, arg);
    } else {
        report_counts_lost();
    }
    free(s.count);
    free(s.nodes);
    free(s.leaves);
}

// ---- pages of counters that a thread has touched -------------------------------------------------------

// Most threads execute little of the code compiled for others, so most pages of their counters do not exist. The
// kernel's page map, /proc/PID/pagemap, shows which do, with an entry of 8 bytes for each page. For a few pages,
// reading it costs more than it saves.
typedef struct Touched {
    uint64_t *pages;
    size_t count;  // 0: not known; any counter may have been touched
} Touched;
enum {
    COUNTERS_IN_PAGE = 4096 / 8,  // there are no smaller pages
    FEW_PAGES = 4,
    KEPT_PAGES = 16,  // pages that an ended thread may leave to the next one
};
static const uint64_t page_is_there = UINT64_C(3) << 62;  // in memory or swapped

// The number of pages that contain counters.
static size_t page_count(void) {
    size_t size = (size_t)getpagesize();
    return (counters.end * sizeof(uint64_t) + size - 1) / size;
}

static Touched find_touched(const Thread *t) {
    size_t size = (size_t)getpagesize(), count = page_count();
    bool wanted = count > FEW_PAGES && size == COUNTERS_IN_PAGE * sizeof(uint64_t);
    Touched touched = {wanted ? malloc(8 * count) : NULL, 0};
    int fd = touched.pages ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return touched;
    uintptr_t first = ((uintptr_t)t + THREAD_COUNTERS_OFFSET) / size;
    if (pread(fd, touched.pages, 8 * count, (off_t)(8 * first)) == (ssize_t)(8 * count)) touched.count = count;
    close(fd);
    return touched;
}

// Counters past the last page were taken later, for code that a stopped thread has not executed yet.
static bool is_touched(const Touched *touched, const Code *code) {
    if (touched->count == 0) return true;
    size_t first = (code->counter_offset - THREAD_COUNTERS_OFFSET) / 8;
    size_t last = (first + code->counter_count - 1) / COUNTERS_IN_PAGE;
    for (size_t i = first / COUNTERS_IN_PAGE; i <= last && i < touched->count; i++)
        if (touched->pages[i] & page_is_there) return true;
    return false;
}

// ---- reading ---------------------------------------------------------------------------------------

typedef struct Reading {
    Thread *thread;
    const Stack *stack;
    Touched touched;
    bool exact;
    CountedFn *fn;
    void *arg;
} Reading;

static void read_one(void *arg, const Code *code) {
    const Reading *r = arg;
    if (code->counter_count == 0 || code->counters_over) return;
    Underway key = {.code = code};
    const Underway *found = r->stack->count ? bsearch(&key, r->stack->frames, r->stack->count, sizeof key, by_code)
                                            : NULL;
    uint32_t count = 0;
    while (found && found > r->stack->frames && found[-1].code == code) found--;
    while (found && found + count < r->stack->frames + r->stack->count && found[count].code == code) count++;
    if (count == 0 && !(is_touched(&r->touched, code) && has_counted(r->thread, code))) return;
    read_code(r->thread, code, found, count, r->exact, r->fn, r->arg);
}

void counters_read(Thread *t, CountersState state, CountedFn *fn, void *arg) {
    bool exact = state == COUNTERS_AT_REST;
    Stack stack = {0};
    if (!threads.counters) return;
    if (exact) code_each_frame(t, add_frame, &stack);
    if (stack.count) qsort(stack.frames, stack.count, sizeof *stack.frames, by_code);
    Reading r = {t, &stack, exact ? find_touched(t) : (Touched){0}, exact && !stack.failed, fn, arg};
    code_each(state == COUNTERS_MOVING, read_one, &r);
    free(r.touched.pages);
    if (exact) report_edges_entering(t, fn, arg);
    placecounters_read(t, fn, arg);
    free(stack.frames);
}

// Counters that are 0 are not written: memory that is only read needs no page.
static void hand_in_code(Thread *thread, const Code *code) {
    if (!has_counted(thread, code)) return;
    if (!code->counters_over) read_code(thread, code, NULL, 0, true, profile_counted, thread);
    memset((void *)values_of(thread, code), 0, 8 * (size_t)code->counter_count);
}

typedef struct HandIn {
    Thread *thread;
    Touched touched;
} HandIn;

static void hand_in_touched(void *arg, const Code *code) {
    const HandIn *h = arg;
    if (code->counter_count && is_touched(&h->touched, code)) hand_in_code(h->thread, code);
}

void counters_hand_in(Thread *self) {
    if (!threads.counters) return;
    HandIn h = {self, find_touched(self)};
    code_each(false, hand_in_touched, &h);
    placecounters_hand_in(self);
    // Counters that were handed in are 0, so the next Thread in this memory finds them as new. A new page costs that
    // thread two faults, and returning a page makes all processors flush address translations. So a few pages are kept.
    size_t all = page_count(), there = h.touched.count ? 0 : all;
    for (size_t i = 0; i < h.touched.count; i++) there += (h.touched.pages[i] & page_is_there) != 0;
    if (there > KEPT_PAGES) madvise((char *)self + THREAD_COUNTERS_OFFSET, all * (size_t)getpagesize(), MADV_DONTNEED);
    free(h.touched.pages);
}

static void forget_code(void *arg, const Code *code) {
    (void)arg;
    ((Code *)code)->counters_over = true;
}

void counters_forget(void) {
    code_each(true, forget_code, NULL);
    placecounters_forget();
}

void counters_retire(const Code *code) {
    if (!code->counter_count) return;
    thread_list_lock(NULL);
    for (Thread *t = threads.first; t; t = t->next) hand_in_code(t, code);
    thread_list_unlock(NULL);
}
