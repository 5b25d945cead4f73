// The heap under a miniature VM. Mutators are pthreads that park cooperatively and keep their references in explicit
// root slots. No stack is scanned unless a test asks for it, so the set of dead objects is known exactly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#define MB ((size_t)1 << 20)
#define MAX_HEAP (48 * MB)
#define ROOTS 64
#define UNUSED __attribute__((unused))

// ---- objects -------------------------------------------------------------------------------

typedef struct VTable {
    const char *name;
    uintptr_t descriptor;
} VTable;

typedef struct Object Object;

typedef struct Node {
    VTable *vtable;
    uint32_t lock, tag;
    Object *left, *right;
    uint64_t value;  // arbitrary bits, holds no reference
} Node;

typedef struct Array {
    VTable *vtable;
    uint32_t lock, length;
    void *element[];
} Array;

typedef struct Reference {
    VTable *vtable;
    uint32_t lock, tag;
    void *referent, *queue, *next, *discovered;
    int64_t timestamp;
} Reference;

typedef struct Wide {
    VTable *vtable;
    uint32_t lock, tag;
    void *field[78];
} Wide;

static VTable node_class = {.name = "Node"};
static VTable refs_class = {.name = "Object[]"};
static VTable bytes_class = {.name = "byte[]"};
static VTable wide_class = {.name = "Wide"};
static VTable soft_class = {.name = "Soft"}, weak_class = {.name = "Weak"};
static VTable final_class = {.name = "Final"}, phantom_class = {.name = "Phantom"};
static VTable *const reference_class[] = {&soft_class, &weak_class, &final_class, &phantom_class};
static int64_t soft_clock;

static void make_classes(void) {
    uint64_t reference = 1u << 3 | 1u << 4 | 1u << 5;  // queue, next, discovered
    node_class.descriptor = heap_descriptor_bitmap(1u << 2 | 1u << 3);
    wide_class.descriptor = heap_descriptor_length(sizeof(Wide));
    for (int i = 0; i < 4; i++) reference_class[i]->descriptor = heap_descriptor_bitmap(reference);
}

// ---- mutators ------------------------------------------------------------------------------

typedef struct Mutator {
    HeapCache cache;
    void *root[ROOTS];
    void *stack_hi, *stack_lo;
    struct Mutator *next;
} Mutator;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t parked, resumed;
    Mutator *mutators;
    int running;
    _Atomic bool stopping;
    bool scan_stacks;
    const void *range_lo, *range_hi;
    int stops, before, after, finished, pending_calls, collector_started;
    HeapReport last;
    void *weak_table[16];
    bool weak_hook_ran;
    void *kept_vtable;  // cleared once unmarked, then kept for one more collection
} world = {.lock = PTHREAD_MUTEX_INITIALIZER, .parked = PTHREAD_COND_INITIALIZER, .resumed = PTHREAD_COND_INITIALIZER};

static Mutator *main_mutator;

// The frame holds all callee-saved registers and is the lowest frame to scan.
__attribute__((noinline)) static void call_blocked(void *ctx UNUSED, void *owner, void (*fn)(void *arg), void *arg) {
    Mutator *m = owner;
    __builtin_unwind_init();
    __asm__ volatile("movq %%rsp, %0" : "=r"(m->stack_lo));
    pthread_mutex_lock(&world.lock);
    world.running--;
    pthread_cond_signal(&world.parked);
    pthread_mutex_unlock(&world.lock);
    fn(arg);
    pthread_mutex_lock(&world.lock);
    while (world.stopping) pthread_cond_wait(&world.resumed, &world.lock);
    world.running++;
    pthread_mutex_unlock(&world.lock);
    __asm__ volatile("" : : : "memory");
}

static void nothing(void *arg UNUSED) {}

static void safepoint(Mutator *m) {
    if (world.stopping) call_blocked(NULL, m, nothing, NULL);
}

static void stop_the_world(void *ctx) {
    assert_ptr_equal(ctx, &world);
    assert_true(pthread_equal(pthread_self(), (pthread_t)heap_collector_thread()));
    pthread_mutex_lock(&world.lock);
    world.stopping = true;
    while (world.running) pthread_cond_wait(&world.parked, &world.lock);
    world.stops++;
    pthread_mutex_unlock(&world.lock);
}

static void resume_the_world(void *ctx UNUSED) {
    pthread_mutex_lock(&world.lock);
    world.stopping = false;
    pthread_cond_broadcast(&world.resumed);
    pthread_mutex_unlock(&world.lock);
}

static void push_roots(void *ctx UNUSED, bool young UNUSED) {
    for (Mutator *m = world.mutators; m; m = m->next) {
        for (int i = 0; i < ROOTS; i++) heap_push_ref(&m->root[i]);
        if (world.scan_stacks) {
            heap_push_range(m->stack_lo, m->stack_hi);
        }
    }
    heap_push_range(world.range_lo, world.range_hi);
}

static void before_mark(void *ctx UNUSED) { world.before++; }
static void after_mark(void *ctx UNUSED, bool young UNUSED) { world.after++; }
static void references_pending(void *ctx UNUSED) { world.pending_calls++; }
static void collector_started(void *ctx UNUSED) { world.collector_started++; }

static void clear_weak_tables(void *ctx UNUSED, bool young UNUSED) {
    world.weak_hook_ran = true;
    for (int i = 0; i < 16; i++)
        if (world.weak_table[i] && !heap_is_marked(world.weak_table[i])) world.weak_table[i] = NULL;
    if (world.kept_vtable && !heap_is_marked(world.kept_vtable)) {
        heap_keep_vtable(world.kept_vtable);
        world.kept_vtable = NULL;
    }
}

static char log_lines[2][256];  // the first two lines

static void log_line(void *ctx UNUSED, const char *message) {
    static int lines;
    if (lines < 2) snprintf(log_lines[lines++], sizeof log_lines[0], "%s", message);
}

static void collection_finished(void *ctx UNUSED, const HeapReport *report) {
    world.last = *report;
    world.finished++;
}

static Mutator *mutator_new(void *stack_hi) {
    Mutator *m = calloc(1, sizeof *m);
    m->stack_hi = stack_hi;
    heap_cache_attach(&m->cache, m);
    pthread_mutex_lock(&world.lock);
    while (world.stopping) pthread_cond_wait(&world.resumed, &world.lock);
    world.running++;
    m->next = world.mutators;
    world.mutators = m;
    pthread_mutex_unlock(&world.lock);
    return m;
}

static void mutator_end(Mutator *m) {
    heap_cache_detach(&m->cache);
    pthread_mutex_lock(&world.lock);
    Mutator **p = &world.mutators;
    while (*p != m) p = &(*p)->next;
    *p = m->next;
    world.running--;
    pthread_cond_signal(&world.parked);
    pthread_mutex_unlock(&world.lock);
    free(m);
}

// ---- allocation ----------------------------------------------------------------------------

static Node *new_node(Mutator *m, uint64_t value) {
    Node *node = heap_alloc_object(&m->cache, sizeof *node);
    if (!node) return NULL;
    node->vtable = &node_class;
    node->value = value;
    return node;
}

static Array *new_array(Mutator *m, bool refs, uint32_t length) {
    size_t bytes = sizeof(Array) + (refs ? sizeof(void *) : 1) * (size_t)length;
    Array *a = refs ? heap_alloc_refs(&m->cache, bytes) : heap_alloc_prims(&m->cache, bytes);
    if (!a) return NULL;
    a->vtable = refs ? &refs_class : &bytes_class;
    a->length = length;
    return a;
}

// The referent comes from a root slot: the allocation may collect.
static Reference *new_reference(Mutator *m, HeapReferenceKind kind, void **referent) {
    Reference *r = heap_alloc_object(&m->cache, sizeof *r);
    r->vtable = reference_class[kind];
    heap_register_reference(&m->cache, r, kind);
    r->referent = *referent;
    r->timestamp = soft_clock;
    return r;
}

static void collect(void) { heap_collect(&main_mutator->cache, "System.gc()"); }

static int pending_count(void) {
    int n = 0;
    for (Reference *r = heap_take_pending_list(); r; r = r->discovered) n++;
    return n;
}

static size_t used(void) {
    HeapStats stats;
    heap_stats(&stats);
    return stats.used;
}

static int start_clean(void **state UNUSED) {
    memset(main_mutator->root, 0, sizeof main_mutator->root);
    memset(world.weak_table, 0, sizeof world.weak_table);
    collect();
    heap_take_pending_list();
    collect();  // drops the enqueued finalizers
    collect();  // drops the objects that they kept alive
    return 0;
}

// ---- tests: allocation and marking ---------------------------------------------------------

static void descriptor_bit_order(void **state UNUSED) {
    assert_int_equal(heap_descriptor_bitmap(1u << 2), (uintptr_t)1 << 61 | 1);
    assert_int_equal(heap_descriptor_bitmap(UINT64_C(1) << 61), (uintptr_t)1 << 2 | 1);
    assert_int_equal(heap_descriptor_bitmap(0), 1);
}

static void check_zero(const char *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0);
}

static void memory_is_zero_and_aligned(void **state UNUSED) {
    static const size_t sizes[] = {0,    1,    16,   17,   40,   1000,   1024,    1025,
                                   2048, 2049, 4096, 4097, 8192, 100000, 1000000, 5000000};
    Mutator *m = main_mutator;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int kind = 0; kind < HEAP_KINDS; kind++)
                for (int n = 0; n < 20; n++) {
                    char *p = heap_alloc(&m->cache, kind, sizes[i]);
                    assert_non_null(p);
                    assert_int_equal((uintptr_t)p % 16, 0);
                    check_zero(p, sizes[i]);
                    memset(p, 0x5a, sizes[i]);  // garbage that the next round must not see
                    *(VTable **)p = &bytes_class;
                    assert_true(heap_is_object(p));
                    m->root[0] = kind == HEAP_PRIMS ? p : NULL;
                }
        collect();
    }
}

// Allocates n dirty objects of one size as garbage and checks that the memory was cleared. Returns how many of them lie
// in one of `blocks`; with `add`, also adds their blocks to the list.
static size_t litter(size_t bytes, size_t n, uintptr_t *blocks, size_t *count, bool add) {
    size_t inside = 0;
    for (size_t i = 0; i < n; i++) {
        char *p = heap_alloc_object(&main_mutator->cache, bytes);
        uintptr_t block = (uintptr_t)p & ~(uintptr_t)(LIBRARY_BLOCK - 1);
        check_zero(p, bytes);
        memset(p, 0x5a, bytes);
        *(VTable **)p = &bytes_class;
        size_t b = *count;
        while (b && blocks[b - 1] != block) b--;
        inside += b != 0;
        if (!b && add && *count < 512) blocks[(*count)++] = block;
    }
    return inside;
}

static void refilled_blocks_keep_their_size(void **state UNUSED) {
    static uintptr_t blocks[512];
    static const size_t sizes[] = {16, 48, 1024};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t count = 0, n = MB / sizes[s];
        litter(sizes[s], n, blocks, &count, true);
        assert_in_range(count, 200, 300);
        heap.budget = 8 * MB;  // small relative to the heap, so that blocks are kept
        heap_collect_unless(&main_mutator->cache, "test", heap.collections, HEAP_USUAL);
        assert_int_equal(litter(sizes[s] + 32, n / 2, blocks, &count, false), 0);
        assert_true(litter(sizes[s], n / 2, blocks, &count, false) > n / 2 / 8 * 7);
        collect();
    }
}

static void absurd_size_is_refused(void **state UNUSED) {
    assert_null(heap_alloc_prims(&main_mutator->cache, SIZE_MAX));
    assert_null(heap_alloc_prims(&main_mutator->cache, SIZE_MAX / 2));
    assert_null(heap_alloc_refs(&main_mutator->cache, MAX_HEAP + 1));
}

// A list in root[slot], newest first.
static void build_list(Mutator *m, int slot, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        Node *node = new_node(m, i);
        assert_non_null(node);
        node->left = m->root[slot];
        m->root[slot] = node;
        safepoint(m);
    }
}

static void check_list(const void *head, uint64_t n) {
    const Node *node = head;
    while (n-- > 0) {
        assert_non_null(node);
        assert_ptr_equal(node->vtable, &node_class);
        assert_int_equal(node->value, n);
        node = (const Node *)node->left;
    }
    assert_null(node);
}

// Allocates dead objects between live ones and checks that the dead objects' memory is reused.
static void reuse_beside_live_objects(void) {
    static uintptr_t blocks[512];
    size_t count = 0, n = 1024;
    main_mutator->root[0] = NULL;
    for (size_t i = 0; i < n; i++) {
        Node *node;
        litter(sizeof(Node), 15, blocks, &count, true);
        assert_non_null(node = new_node(main_mutator, i));
        node->left = main_mutator->root[0];
        main_mutator->root[0] = node;
    }
    assert_in_range(count, 150, 250);
    collect();
    assert_true(litter(sizeof(Node), 8 * n, blocks, &count, false) > 7 * n);
    check_list(main_mutator->root[0], n);
}

static void what_died_beside_live_objects_is_reused(void **state UNUSED) { reuse_beside_live_objects(); }

// After a refill found no free block, the library sweeps the blocks of that kind itself, permanently.
static void kind_left_to_the_library_is_swept_by_it(void **state UNUSED) {
    build_list(main_mutator, 1, 5000);
    assert_non_null(GC_generic_malloc(HEAP_GRANULE, heap.kind[HEAP_TYPED]));
    heap_leave_to_library(HEAP_TYPED);
    for (int i = 0; i < 3; i++) {
        reuse_beside_live_objects();
        check_list(main_mutator->root[1], 5000);
    }
}

static void reachable_objects_survive(void **state UNUSED) {
    build_list(main_mutator, 0, 100000);
    for (int i = 0; i < 3; i++) {
        collect();
        build_list(main_mutator, 1, 10000);
        check_list(main_mutator->root[1], 10000);
        main_mutator->root[1] = NULL;
    }
    check_list(main_mutator->root[0], 100000);
}

static void garbage_is_reclaimed(void **state UNUSED) {
    build_list(main_mutator, 0, 200000);
    collect();
    size_t full = used();
    assert_true(full > 200000 * sizeof(Node));
    main_mutator->root[0] = NULL;
    collect();
    assert_true(used() < full - 150000 * sizeof(Node));
}

static void arrays_mark_what_they_should(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_array(m, true, 50000);
    m->root[1] = new_array(m, false, 1000);
    for (int i = 0; i < 50000; i++) {
        Node *node = new_node(m, (uint64_t)i);
        ((Array *)m->root[0])->element[i] = node;
        if (i < 16) world.weak_table[i] = NULL;
    }
    world.weak_table[0] = new_node(m, 7);
    ((Array *)m->root[1])->element[3] = world.weak_table[0];  // bytes, not a reference
    world.weak_table[1] = ((Array *)m->root[0])->element[49999];
    collect();
    assert_null(world.weak_table[0]);
    assert_non_null(world.weak_table[1]);
    for (int i = 0; i < 50000; i++) assert_int_equal(((Node *)((Array *)m->root[0])->element[i])->value, i);
}

// Arrays that fill whole blocks or half blocks. Without an offset all would begin at the same one or two places of a
// page.
enum { LARGE = 2500, HALF = 1600, LARGES = 200 };

static int different_lines(uint32_t large) {
    uint64_t lines = 0;
    for (int i = 0; i < LARGES; i++)
        lines |= UINT64_C(1) << (uintptr_t)new_array(main_mutator, i % 2, i % 2 ? large / 8 : large) / 64 % 64;
    return __builtin_popcountll(lines);
}

static void large_arrays_begin_at_different_lines(void **state UNUSED) {
    assert_true(different_lines(LARGE) > 20);
    assert_true(different_lines(HALF) > 12);
}

typedef struct Seen {
    const Array *array;
    int times;
    size_t bytes;
} Seen;

static void look_for(void *arg, void *object, size_t bytes) {
    Seen *seen = arg;
    if (object != seen->array) return;
    seen->times++;
    seen->bytes = bytes;
}

// Arrays of references that refer to each other, with bytes in the last one, at any offset in their blocks.
static void are_marked_and_walked(uint32_t large) {
    Mutator *m = main_mutator;
    for (int i = 0; i < LARGES; i++) {
        Array *a = new_array(m, i > 0, i > 0 ? large / 8 : large);
        a->element[large / 8 - 2] = m->root[0];
        m->root[0] = a;
        m->root[1] = new_node(m, (uint64_t)i);
        if (i > 0) a->element[0] = m->root[1];
        if (i >= LARGES - 16) world.weak_table[i - LARGES + 16] = a;
    }
    void *second = ((Array *)m->root[0])->element[large / 8 - 2];
    assert_ptr_equal(second, world.weak_table[14]);
    collect();
    for (int i = 0; i < 16; i++) assert_true(heap_is_object(world.weak_table[i]));
    const Array *a = m->root[0];
    for (int i = LARGES; --i > 0; a = a->element[large / 8 - 2]) {
        assert_int_equal(a->length, large / 8);
        assert_int_equal(((const Node *)a->element[0])->value, i);
        Seen seen = {.array = a};
        if (i >= LARGES - 16) {
            heap_walk(&m->cache, look_for, &seen);
            assert_int_equal(seen.times, 1);
            assert_true(seen.bytes >= large && seen.bytes < (large == LARGE ? LARGE + 64 : 2049));
        }
    }
    assert_int_equal(a->length, large);
    m->root[0] = NULL;
    collect();
    for (int i = 0; i < 16; i++) assert_null(world.weak_table[i]);
}

static void large_arrays_are_marked_and_walked(void **state UNUSED) {
    are_marked_and_walked(LARGE);
    are_marked_and_walked(HALF);
}

// The heap, not the library, marks objects that only a finalizable object reaches.
static void are_resurrected(uint32_t large) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 1);
    for (int i = 0; i < 40; i++) {
        Array *a = new_array(m, true, large / 8);
        a->element[i] = ((Node *)m->root[0])->left;
        ((Node *)m->root[0])->left = (Object *)a;
        Node *node = new_node(m, (uint64_t)i);
        ((Array *)((Node *)m->root[0])->left)->element[100] = node;
    }
    m->root[1] = new_reference(m, HEAP_FINAL, &m->root[0]);
    m->root[0] = NULL;
    collect();
    build_list(m, 2, 20000);  // reuses the freed memory
    const Array *a = (const Array *)((Node *)((Reference *)m->root[1])->referent)->left;
    for (int i = 40; i-- > 0; a = a->element[i]) {
        assert_true(heap_is_object(a));
        assert_int_equal(a->length, large / 8);
        assert_int_equal(((const Node *)a->element[100])->value, i);
    }
    assert_null(a);
}

static void large_arrays_are_resurrected(void **state UNUSED) {
    are_resurrected(LARGE);
    are_resurrected(HALF);
}

static void length_descriptor_marks_all_words(void **state UNUSED) {
    Mutator *m = main_mutator;
    Wide *wide = heap_alloc_object(&m->cache, sizeof *wide);
    wide->vtable = &wide_class;
    m->root[0] = wide;
    for (int i = 0; i < 78; i++) ((Wide *)m->root[0])->field[i] = new_node(m, (uint64_t)i);
    collect();
    build_list(m, 1, 10000);
    for (int i = 0; i < 78; i++) assert_int_equal(((Node *)((Wide *)m->root[0])->field[i])->value, i);
}

static void non_reference_field_does_not_retain(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 0);
    Node *victim = new_node(m, 1);
    ((Node *)m->root[0])->value = (uint64_t)(uintptr_t)victim;
    world.weak_table[0] = victim;
    collect();
    assert_null(world.weak_table[0]);
}

static void inner_pointer_on_a_stack_retains(void **state UNUSED) {
    Mutator *m = main_mutator;
    void *words[3] = {0};
    Node *node = new_node(m, 11);
    world.weak_table[0] = node;
    words[1] = (char *)node + 24;
    Array *big = new_array(m, false, 20000);
    world.weak_table[1] = big;
    words[2] = (char *)big + 3000;
    world.range_lo = words;
    world.range_hi = words + 3;
    collect();
    assert_non_null(world.weak_table[0]);
    assert_non_null(world.weak_table[1]);
    world.range_lo = world.range_hi = NULL;
    collect();
    assert_null(world.weak_table[0]);
    assert_null(world.weak_table[1]);
}

// A stale stack word may point at an object on a free list. The link of the list must not later be taken for a vtable:
// by then the vtable's second word would be another object's lock word and field.
static void stale_pointer_to_a_listed_object(void **state UNUSED) {
    Mutator *m = main_mutator;
    for (int round = 0; round < 20; round++) {
        new_node(m, 0);
        void *listed = m->cache.list[HEAP_TYPED][sizeof(Node) / HEAP_GRANULE + (sizeof(Node) % HEAP_GRANULE != 0)];
        m->root[round] = listed;
        collect();
        for (int i = 0; i < 20000; i++) {
            Node *node = new_node(m, 0);
            node->lock = 0xfffffff0u;  // as a length descriptor: terabytes
            node->tag = 0x7fffu;
        }
        collect();
    }
}

static void root_memory_is_scanned(void **state UNUSED) {
    Mutator *m = main_mutator;
    void **root = heap_alloc_root(10 * sizeof *root);
    check_zero((char *)root, 10 * sizeof *root);
    root[4] = world.weak_table[0] = new_node(m, 3);
    collect();
    assert_non_null(world.weak_table[0]);
    root[4] = NULL;
    collect();
    assert_null(world.weak_table[0]);
}

typedef struct HeldVTable {
    VTable words;
    void *holder;
} HeldVTable;

static HeldVTable *new_vtable(Mutator *m) {
    HeldVTable *v = heap_alloc_vtable(&m->cache, 200);
    check_zero((char *)v, 200);
    v->words = (VTable){"held", heap_descriptor_with_vtable(node_class.descriptor)};
    v->holder = world.weak_table[0] = new_node(m, 8);
    return v;
}

// The vtable's holder dies in the first collection after the last reference to an instance is dropped.
static void expect_holder(Mutator *m, int slot) {
    for (int i = 0; i < 2; i++) collect();
    assert_non_null(world.weak_table[0]);
    m->root[slot] = NULL;
    collect();
    assert_null(world.weak_table[0]);
}

static void instances_keep_the_holder(void **state UNUSED) {
    Mutator *m = main_mutator;
    Node *node = new_node(m, 0);
    m->root[0] = node;
    node->vtable = &new_vtable(m)->words;
    expect_holder(m, 0);
    Array *array = new_array(m, true, 3);
    m->root[0] = array;
    array->vtable = &new_vtable(m)->words;
    expect_holder(m, 0);
    Node *final = new_node(m, 0);  // reachable only from its Finalizer
    m->root[1] = final;
    final->vtable = &new_vtable(m)->words;
    Reference *finalizer = new_reference(m, HEAP_FINAL, &m->root[1]);
    m->root[0] = finalizer;
    m->root[1] = NULL;
    collect();
    assert_non_null(world.weak_table[0]);
    assert_int_equal(pending_count(), 1);
    finalizer->referent = NULL;
    collect();
    assert_null(world.weak_table[0]);
    assert_int_equal(heap_descriptor_with_vtable(0), heap_descriptor_bitmap(1));
    assert_int_equal(heap_descriptor_with_vtable(800), 800);
}

// A stale word shows the marker a dead object that is not swept yet and whose vtable has died with it.
static void vtable_outlives_dead_instances(void **state UNUSED) {
    Mutator *m = main_mutator;
    for (int round = 0; round < 20; round++) {
        Node *node = new_node(m, 0);
        m->root[0] = node;
        world.kept_vtable = new_vtable(m);
        node->vtable = world.kept_vtable;
        m->root[0] = NULL;
        collect();
        assert_null(world.kept_vtable);
        m->root[0] = node;
        for (int i = 0; i < 100; i++) {
            HeldVTable *other = new_vtable(m);
            other->words.descriptor = 0xfffffff0u;
        }
        collect();
        m->root[0] = NULL;
    }
}

static void allocated_bytes_are_counted(void **state UNUSED) {
    Mutator *m = main_mutator;
    HeapStats before, after;
    heap_stats(&before);
    uint64_t thread = heap_cache_allocated_bytes(&m->cache);
    for (int i = 0; i < 10000; i++) new_node(m, 0);
    new_array(m, false, 1000000);
    thread = heap_cache_allocated_bytes(&m->cache) - thread;
    heap_stats(&after);
    assert_in_range(thread, 1480000, 1490000);
    assert_in_range(after.allocated - before.allocated, 1470000, 1600000);
    assert_true(after.used <= after.committed && after.committed <= after.max);
    assert_int_equal(after.max, MAX_HEAP);
}

// The count is exact whatever free lists exist at the start, are dissolved by a collection, or are left at the end.
static void counted_to_the_byte(void **state UNUSED) {
    Mutator *m = main_mutator;
    new_node(m, 0);
    uint64_t before = heap_counted_bytes();
    new_array(m, false, 1000);
    assert_int_equal(heap_counted_bytes(), before);
    heap_count(true);
    assert_int_equal(heap_counted_bytes(), before);
    size_t node = 0, array = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t at = heap_counted_bytes();
        new_node(m, 0);
        if (i == 0) node = heap_counted_bytes() - at;
        if (i == 500) collect();
        assert_int_equal(heap_counted_bytes() - at, node);
    }
    for (int i = 0; i < 100; i++) {
        uint64_t at = heap_counted_bytes();
        new_array(m, false, 100000);
        if (i == 0) array = heap_counted_bytes() - at;
        assert_int_equal(heap_counted_bytes() - at, array);
    }
    assert_true(node % HEAP_GRANULE == 0 && node >= 24 && node <= 48);
    assert_true(array % HEAP_GRANULE == 0 && array >= 100000 && array <= 100032);
    heap_count(false);
    new_node(m, 0);
    assert_int_equal(heap_counted_bytes(), before + 1000 * node + 100 * array);
}

// Two kinds of objects of one size in turn, others of two sizes, and large arrays: each is sampled by its bytes.
static void samples_are_by_bytes(void **state UNUSED) {
    enum { EVERY = 2000, TIMES = 30000, EVEN = 0, ODD = 1, SMALL = 2, LARGE = 3, KINDS = 4 };
    Mutator *m = main_mutator;
    uint64_t bytes[KINDS] = {0}, samples[KINDS] = {0}, before = heap_counted_bytes();
    heap_count(true);
    heap_sample(EVERY);
    for (int i = 0; i < 4 * TIMES; i++) {
        int kind = i % 4 == 3 && i % 80 != 3 ? SMALL : i % 4 == 3 ? LARGE : i % 2 ? ODD : EVEN;
        uint64_t at = heap_counted_bytes();
        if (kind == LARGE) new_array(m, false, 5000);
        else if (kind == SMALL) new_array(m, true, 1 + (uint32_t)i % 11);
        else new_node(m, 0);
        bytes[kind] += heap_counted_bytes() - at;
        samples[kind] += m->cache.samples;
        m->cache.samples = 0;
        if (i % 50000 == 0) collect();
    }
    heap_sample(0);
    heap_count(false);
    for (int i = 0; i < KINDS; i++) {
        assert_true(samples[i] * EVERY > bytes[i] - bytes[i] / 8);
        assert_true(samples[i] * EVERY < bytes[i] + bytes[i] / 8);
    }
    assert_int_equal(heap_counted_bytes(), before + bytes[EVEN] + bytes[ODD] + bytes[SMALL] + bytes[LARGE]);
    for (int i = 0; i < TIMES; i++) new_node(m, 0);
    assert_int_equal(m->cache.samples, 0);
}

// ---- tests: references ---------------------------------------------------------------------

static void weak_is_cleared_and_enqueued(void **state UNUSED) {
    Mutator *m = main_mutator;
    int calls = world.pending_calls;
    m->root[0] = new_node(m, 1);
    m->root[1] = new_reference(m, HEAP_WEAK, &m->root[0]);  // stays strong
    m->root[2] = new_node(m, 2);
    m->root[3] = new_reference(m, HEAP_WEAK, &m->root[2]);
    new_reference(m, HEAP_WEAK, &m->root[2]);               // dies with its referent: never enqueued
    m->root[4] = new_reference(m, HEAP_WEAK, &m->root[5]);  // NULL referent
    collect();
    assert_int_equal(world.last.weak_cleared, 0);
    m->root[2] = NULL;
    Reference *kept = m->root[1], *cleared = m->root[3];
    collect();
    assert_ptr_equal(kept->referent, m->root[0]);
    assert_null(cleared->referent);
    assert_true(heap_has_pending_list());
    assert_true(world.pending_calls > calls);
    Reference *pending = heap_take_pending_list();
    assert_ptr_equal(pending, cleared);
    assert_null(pending->discovered);
    assert_false(heap_has_pending_list());
    assert_int_equal(world.last.weak_cleared, 1);
    collect();
    assert_int_equal(pending_count(), 0);
}

static void referent_stored_late_is_still_weak(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_reference(m, HEAP_WEAK, &m->root[9]);  // registered with NULL
    collect();
    collect();
    ((Reference *)m->root[0])->referent = new_node(m, 1);
    collect();
    assert_null(((Reference *)m->root[0])->referent);
    assert_int_equal(pending_count(), 1);
}

static void pending_list_is_a_root(void **state UNUSED) {
    Mutator *m = main_mutator;
    for (int i = 0; i < 100; i++) {
        m->root[1] = new_node(m, 1);
        Reference *r = new_reference(m, HEAP_WEAK, &m->root[1]);
        r->queue = m->root[0];
        m->root[0] = r;
    }
    m->root[1] = NULL;
    collect();
    m->root[0] = NULL;
    collect();
    build_list(m, 1, 50000);
    collect();
    int n = 0;
    for (Reference *r = heap_take_pending_list(); r; r = r->discovered, n++) assert_ptr_equal(r->vtable, &weak_class);
    assert_int_equal(n, 100);
}

static void soft_is_kept_while_young(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[1] = new_node(m, 5);
    m->root[0] = new_reference(m, HEAP_SOFT, &m->root[1]);
    m->root[1] = NULL;
    uintptr_t descriptor = soft_class.descriptor;
    collect();
    collect();
    assert_int_equal(soft_class.descriptor, descriptor);
    Reference *soft = m->root[0];
    assert_int_equal(((Node *)soft->referent)->value, 5);
    heap_collect_unless(&m->cache, "test", heap.soft_clears, HEAP_CLEAR_SOFT);
    soft = m->root[0];
    assert_null(soft->referent);
    assert_int_equal(pending_count(), 1);
}

static void soft_ages_one_by_one(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[3] = new_node(m, 1);
    m->root[0] = new_reference(m, HEAP_SOFT, &m->root[3]);  // aged below
    m->root[3] = new_node(m, 2);
    m->root[3] = new_reference(m, HEAP_SOFT, &m->root[3]);  // young, reachable through another young one
    m->root[1] = new_reference(m, HEAP_SOFT, &m->root[3]);
    m->root[3] = NULL;
    ((Reference *)m->root[0])->timestamp = soft_clock - 1000 * 1000;
    assert_true(soft_clock > 0);
    collect();
    Reference *old = m->root[0], *young = m->root[1];
    assert_null(old->referent);
    assert_non_null(young->referent);
    Reference *inner = young->referent;
    assert_int_equal(((Node *)inner->referent)->value, 2);
    assert_int_equal(world.last.soft_cleared, 1);
    assert_int_equal(pending_count(), 1);
}

static void dead_soft_cycle_is_reclaimed(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 1);
    Reference *soft = new_reference(m, HEAP_SOFT, &m->root[0]);
    ((Node *)m->root[0])->left = (Object *)soft;
    world.weak_table[0] = m->root[0];
    m->root[0] = NULL;
    collect();
    assert_null(world.weak_table[0]);
}

static void final_is_resurrected_before_phantom(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 10);
    ((Node *)m->root[0])->left = (Object *)new_node(m, 11);
    m->root[1] = new_reference(m, HEAP_FINAL, &m->root[0]);
    m->root[2] = new_reference(m, HEAP_WEAK, &m->root[0]);
    m->root[3] = new_reference(m, HEAP_PHANTOM, &m->root[0]);
    m->root[4] = ((Node *)m->root[0])->left;
    m->root[4] = new_reference(m, HEAP_WEAK, &m->root[4]);  // to the inner node
    world.weak_table[0] = m->root[0];
    m->root[0] = NULL;
    collect();
    Reference *final = m->root[1], *weak = m->root[2], *phantom = m->root[3];
    assert_null(weak->referent);  // weak goes first
    assert_null(((Reference *)m->root[4])->referent);
    assert_non_null(final->referent);  // resurrected, not cleared
    assert_int_equal(((Node *)((Node *) final->referent)->left)->value, 11);
    assert_non_null(phantom->referent);  // waits for the finalizer
    assert_non_null(world.weak_table[0]);
    assert_int_equal(pending_count(), 3);
    // The Finalizer has not run: all objects stay and none is enqueued again.
    build_list(m, 5, 50000);
    collect();
    assert_int_equal(((Node *)((Node *) final->referent)->left)->value, 11);
    assert_int_equal(pending_count(), 0);
    final->referent = NULL;  // as Finalizer.runFinalizer does
    collect();
    assert_null(phantom->referent);
    assert_null(world.weak_table[0]);
    Reference *pending = heap_take_pending_list();
    assert_ptr_equal(pending, phantom);
    assert_null(pending->discovered);
}

static void finals_reaching_each_other_all_run(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 1);
    m->root[1] = new_node(m, 2);
    ((Node *)m->root[0])->left = m->root[1];
    ((Node *)m->root[1])->left = m->root[0];
    m->root[2] = new_reference(m, HEAP_FINAL, &m->root[0]);
    m->root[3] = new_reference(m, HEAP_FINAL, &m->root[1]);
    m->root[0] = m->root[1] = NULL;
    collect();
    assert_int_equal(world.last.finals_enqueued, 2);
    assert_int_equal(pending_count(), 2);
}

static void references_inside_a_resurrected_graph(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_node(m, 1);  // finalizable, holds the next three
    m->root[1] = new_node(m, 2);
    Reference *to_garbage = new_reference(m, HEAP_WEAK, &m->root[1]);
    ((Node *)m->root[0])->left = (Object *)to_garbage;
    m->root[1] = new_reference(m, HEAP_WEAK, &m->root[0]);  // refers to its own holder
    ((Node *)m->root[0])->right = m->root[1];
    m->root[1] = new_node(m, 3);  // finalizable too; its Finalizer is inside the graph
    Reference *hidden = new_reference(m, HEAP_FINAL, &m->root[1]);
    ((Reference *)((Node *)m->root[0])->left)->queue = hidden;
    m->root[2] = new_reference(m, HEAP_FINAL, &m->root[0]);
    m->root[0] = m->root[1] = NULL;
    collect();
    Node *node = ((Reference *)m->root[2])->referent;
    assert_int_equal(node->value, 1);
    to_garbage = (Reference *)node->left;
    assert_null(to_garbage->referent);
    assert_ptr_equal(((Reference *)node->right)->referent, node);
    hidden = to_garbage->queue;
    assert_int_equal(((Node *)hidden->referent)->value, 3);
    assert_int_equal(world.last.finals_enqueued, 2);
    assert_int_equal(pending_count(), 3);
    ((Reference *)m->root[2])->referent = hidden->referent = NULL;  // both finalizers ran
}

static void large_graph_is_resurrected(void **state UNUSED) {
    Mutator *m = main_mutator;
    build_list(m, 0, 100000);
    Array *array = new_array(m, true, 3);
    array->element[1] = m->root[0];
    m->root[0] = array;
    m->root[1] = new_reference(m, HEAP_FINAL, &m->root[0]);
    m->root[0] = NULL;
    collect();
    build_list(m, 2, 100000);
    array = ((Reference *)m->root[1])->referent;
    check_list(array->element[1], 100000);
    check_list(m->root[2], 100000);
}

static void weak_tables_lose_the_dead(void **state UNUSED) {
    Mutator *m = main_mutator;
    world.weak_hook_ran = false;
    m->root[0] = world.weak_table[0] = new_node(m, 1);
    world.weak_table[1] = new_node(m, 2);
    collect();
    assert_true(world.weak_hook_ran);
    assert_non_null(world.weak_table[0]);
    assert_null(world.weak_table[1]);
}

static void many_references(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[0] = new_array(m, true, 20000);
    for (int i = 0; i < 20000; i++) {
        m->root[1] = new_node(m, (uint64_t)i);
        Reference *r = new_reference(m, HEAP_WEAK, &m->root[1]);
        if (i % 2) r->queue = m->root[1];
        ((Array *)m->root[0])->element[i] = r;
    }
    m->root[1] = NULL;
    collect();
    assert_int_equal(world.last.weak_cleared, 10000);
    assert_int_equal(pending_count(), 10000);
    for (int i = 0; i < 20000; i++) {
        Reference *r = ((Array *)m->root[0])->element[i];
        if (i % 2) assert_int_equal(((Node *)r->referent)->value, i);
        else assert_null(r->referent);
    }
}

// ---- tests: limits -------------------------------------------------------------------------

static uint64_t fill_with_nodes(Mutator *m, int slot) {
    for (uint64_t n = 0;; n++) {
        Node *node = new_node(m, n);
        if (!node) return n;
        node->left = m->root[slot];
        m->root[slot] = node;
    }
}

static void out_of_memory_in_small_objects(void **state UNUSED) {
    for (int round = 0; round < 3; round++) {
        uint64_t n = fill_with_nodes(main_mutator, 0);
        assert_true(n * 48 > MAX_HEAP * 8 / 10);
        check_list(main_mutator->root[0], n);
        main_mutator->root[0] = NULL;
        assert_non_null(new_node(main_mutator, 1));
        build_list(main_mutator, 1, 100000);
        main_mutator->root[1] = NULL;
    }
}

static void out_of_memory_in_large_arrays(void **state UNUSED) {
    Mutator *m = main_mutator;
    for (int round = 0; round < 3; round++) {
        int n = 0;
        while (n < ROOTS && (m->root[n] = new_array(m, false, (uint32_t)MB))) n++;
        assert_in_range(n, 35, 48);
        memset(m->root, 0, sizeof m->root);
        assert_non_null(new_array(m, false, 20 * (uint32_t)MB));
    }
}

static void garbage_arrays_never_run_out(void **state UNUSED) {
    uint64_t collections = world.last.number;
    for (int i = 0; i < 1000; i++) assert_non_null(new_array(main_mutator, false, (uint32_t)(MB + i % 7 * 10000)));
    assert_true(world.last.number - collections >= 10);
}

static void soft_goes_before_out_of_memory(void **state UNUSED) {
    Mutator *m = main_mutator;
    m->root[1] = new_array(m, false, 10 * (uint32_t)MB);
    m->root[0] = new_reference(m, HEAP_SOFT, &m->root[1]);
    m->root[1] = NULL;
    int n = 2;
    while ((m->root[n] = new_array(m, false, (uint32_t)MB))) n++;
    assert_in_range(n - 2, 35, 48);  // includes the 10 MB that the soft reference held
    assert_null(((Reference *)m->root[0])->referent);
}

// There is room for a few objects only, and each becomes garbage at once. The heap must report out of memory rather
// than collect for every few objects without end.
static void nearly_full_heap_does_not_crawl(void **state UNUSED) {
    Mutator *m = main_mutator;
    uint64_t n = fill_with_nodes(m, 0);
    for (uint64_t i = 0; i < n / 200; i++) m->root[0] = ((Node *)m->root[0])->left;
    int before = world.finished;
    uint64_t garbage = 0;
    while (garbage < 10 * n && new_node(m, 0)) garbage++;
    // About ten collections on an idle machine. Time spent waiting for a processor counts as work, so other programs
    // raise the number; endless collecting would give thousands.
    assert_in_range(world.finished - before, 5, 1000);
    assert_true(garbage < 10 * n);
    m->root[0] = NULL;
    build_list(m, 1, 100000);
}

// ---- tests: threads ------------------------------------------------------------------------

typedef struct Job {
    int rounds;
    uint64_t length;
    bool check_stack;
    uint64_t checked;
} Job;

// Checks a list that was reachable only from this C frame while it was built.
static uint64_t local_list(Mutator *m, uint64_t n) {
    Node *volatile head = NULL;
    for (uint64_t i = 0; i < n; i++) {
        Node *node = new_node(m, i);
        if (!node) return 0;
        node->left = (Object *)head;
        head = node;
        safepoint(m);
    }
    uint64_t seen = 0;
    for (Node *node = head; node; node = (Node *)node->left, seen++)
        if (node->vtable != &node_class || node->value != n - 1 - seen) return 0;
    return seen;
}

static void churn(Mutator *m, Job *job) {
    for (int round = 0; round < job->rounds; round++) {
        build_list(m, round % 8, job->length);
        m->root[8] = new_array(m, true, 100);
        m->root[9] = new_array(m, false, (uint32_t)(round * 37 % 3000));
        for (int i = 0; i < 100; i++) {
            Node *node = new_node(m, (uint64_t)i);
            ((Array *)m->root[8])->element[i] = node;
        }
        check_list(m->root[round % 8], job->length);
        job->checked += job->length;
        for (int i = 0; i < 100; i++) assert_int_equal(((Node *)((Array *)m->root[8])->element[i])->value, i);
        m->root[10] = new_node(m, 0);
        m->root[11] = new_reference(m, round % 2 ? HEAP_WEAK : HEAP_FINAL, &m->root[10]);
        m->root[10] = NULL;
        if (job->check_stack) assert_int_equal(local_list(m, job->length), job->length);
        m->root[(round + 1) % 8] = NULL;
    }
}

static void *churn_thread(void *arg) {
    Mutator *m = mutator_new(__builtin_frame_address(0));
    churn(m, arg);
    mutator_end(m);
    return NULL;
}

typedef struct Crew {
    void *(*fn)(void *);
    Job *jobs;
    int n;
} Crew;

static void run_crew(void *arg) {
    const Crew *c = arg;
    pthread_t threads[8];
    for (int i = 0; i < c->n; i++) pthread_create(&threads[i], NULL, c->fn, &c->jobs[i]);
    for (int i = 0; i < c->n; i++) pthread_join(threads[i], NULL);
}

static void run_threads(void *(*fn)(void *), Job *jobs, int n) {
    call_blocked(NULL, main_mutator, run_crew, &(Crew){fn, jobs, n});
}

static void four_threads_lose_nothing(void **state UNUSED) {
    Job jobs[4];
    int stops = world.stops;
    world.scan_stacks = true;
    for (int i = 0; i < 4; i++) jobs[i] = (Job){.rounds = 200, .length = 3000, .check_stack = true};
    run_threads(churn_thread, jobs, 4);
    world.scan_stacks = false;
    for (int i = 0; i < 4; i++) assert_int_equal(jobs[i].checked, 600000);
    assert_true(world.stops > stops);
}

static void stress_mode_collects_all_the_time(void **state UNUSED) {
    Job jobs[4];
    heap.stress = 20;
    collect();  // drops the lists, so that every allocation is seen
    int stops = world.stops;
    for (int i = 0; i < 4; i++) jobs[i] = (Job){.rounds = 5, .length = 200};
    run_threads(churn_thread, jobs, 4);
    assert_true(world.stops - stops > 50);
    for (int c = 0; c < HEAP_CLASSES; c++) assert_null(main_mutator->cache.list[HEAP_TYPED][c]);
    heap.stress = 0;
    collect();
    for (int i = 0; i < 4; i++) assert_int_equal(jobs[i].checked, 1000);
}

static void *collecting_thread(void *arg) {
    Job *job = arg;
    Mutator *m = mutator_new(__builtin_frame_address(0));
    for (int i = 0; i < job->rounds; i++) {
        world.weak_table[job->length] = new_node(m, 1);
        heap_collect(&m->cache, "System.gc()");
        // A collection that began after the call must have found it dead.
        if (!world.weak_table[job->length]) job->checked++;
    }
    mutator_end(m);
    return NULL;
}

static void concurrent_requests_are_served_together(void **state UNUSED) {
    Job jobs[4];
    int stops = world.stops;
    for (int i = 0; i < 4; i++) jobs[i] = (Job){.rounds = 50, .length = (uint64_t)i};
    run_threads(collecting_thread, jobs, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(jobs[i].checked, 50);
    assert_in_range(world.stops - stops, 50, 200);
}

static void *short_thread(void *arg) {
    Job *job = arg;
    for (int i = 0; i < job->rounds; i++) {
        Mutator *m = mutator_new(__builtin_frame_address(0));
        new_node(m, 0);
        m->root[0] = new_node(m, 0);
        new_reference(m, HEAP_WEAK, &m->root[0]);
        mutator_end(m);
    }
    return NULL;
}

static void lists_of_ended_threads_are_used_again(void **state UNUSED) {
    HeapStats before, after;
    Job job = {.rounds = 2000};
    heap_stats(&before);
    run_threads(short_thread, &job, 1);
    heap_stats(&after);
    assert_true(after.allocated - before.allocated < 2 * MB);
}

static void *oom_thread(void *arg) {
    Job *job = arg;
    Mutator *m = mutator_new(__builtin_frame_address(0));
    job->checked = fill_with_nodes(m, 0);
    mutator_end(m);
    return NULL;
}

static void out_of_memory_in_four_threads(void **state UNUSED) {
    Job jobs[4] = {{0}};
    run_threads(oom_thread, jobs, 4);
    for (int i = 0; i < 4; i++) assert_true(jobs[i].checked > 0);
    assert_non_null(new_node(main_mutator, 0));
}

// ---- tests: the rest -----------------------------------------------------------------------

typedef struct Census {
    int nodes, arrays, others;
    size_t bytes;
} Census;

static void count_object(void *arg, void *object, size_t bytes) {
    Census *census = arg;
    VTable *vtable = *(VTable **)object;
    if (vtable == &node_class) census->nodes++;
    else if (vtable == &refs_class || vtable == &bytes_class) census->arrays++;
    else census->others++;
    census->bytes += bytes;
}

static void walk_sees_live_objects(void **state UNUSED) {
    Census census = {0};
    build_list(main_mutator, 0, 1000);
    build_list(main_mutator, 1, 500);
    main_mutator->root[1] = NULL;
    main_mutator->root[2] = new_array(main_mutator, false, 100000);
    main_mutator->root[3] = new_array(main_mutator, true, 10);
    heap_walk(&main_mutator->cache, count_object, &census);
    assert_int_equal(census.nodes, 1000);
    assert_int_equal(census.arrays, 2);
    assert_int_equal(census.others, 0);
    assert_in_range(census.bytes, 1000 * 48 + 100000, 1000 * 48 + 110000);
}

static void callbacks_come_in_pairs(void **state UNUSED) {
    assert_int_equal(world.collector_started, 1);
    assert_int_equal(world.before, world.after);
}

static void log_lines_look_right(void **state UNUSED) {
    double ms;
    unsigned number, from, to, of;
    assert_int_equal(strncmp(log_lines[0], "Using Boehm 8.", 14), 0);
    int got = sscanf(log_lines[1], "GC(%u) Pause Full (System.gc()) %uM->%uM(%uM) %lfms", &number, &from, &to, &of,
                     &ms);
    assert_int_equal(got, 5);
    assert_true(number == 0 && from <= of && to <= of && ms > 0);
}

// ---- main ----------------------------------------------------------------------------------

static const HeapCallbacks callbacks = {
    .stop_the_world = stop_the_world,
    .resume_the_world = resume_the_world,
    .push_roots = push_roots,
    .before_mark = before_mark,
    .after_mark = after_mark,
    .clear_weak_tables = clear_weak_tables,
    .call_blocked = call_blocked,
    .references_pending = references_pending,
    .collection_finished = collection_finished,
    .collector_started = collector_started,
    .log = log_line,
};

#define TEST(f) cmocka_unit_test_setup(f, start_clean)

int main(void) {
    const char *error = NULL;
    HeapConfig config = {.max_heap = MAX_HEAP, .processors = 2, .callbacks = &callbacks, .ctx = &world};
    HeapReferenceLayout layout = {
        .referent = offsetof(Reference, referent),
        .next = offsetof(Reference, next),
        .discovered = offsetof(Reference, discovered),
        .soft_timestamp = offsetof(Reference, timestamp),
        .soft_clock = &soft_clock,
    };
    alarm(240);
    make_classes();
    if (!heap_init(&config, &error)) {
        fprintf(stderr, "heap_test: %s\n", error);
        return 1;
    }
    heap_set_reference_layout(&layout);
    main_mutator = mutator_new(__builtin_frame_address(0));
    heap_enable_collection();
    collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_lines_look_right),
        TEST(descriptor_bit_order),
        TEST(what_died_beside_live_objects_is_reused),
        TEST(memory_is_zero_and_aligned),
        TEST(refilled_blocks_keep_their_size),
        TEST(absurd_size_is_refused),
        TEST(reachable_objects_survive),
        TEST(garbage_is_reclaimed),
        TEST(arrays_mark_what_they_should),
        TEST(large_arrays_begin_at_different_lines),
        TEST(large_arrays_are_marked_and_walked),
        TEST(large_arrays_are_resurrected),
        TEST(length_descriptor_marks_all_words),
        TEST(non_reference_field_does_not_retain),
        TEST(inner_pointer_on_a_stack_retains),
        TEST(stale_pointer_to_a_listed_object),
        TEST(root_memory_is_scanned),
        TEST(instances_keep_the_holder),
        TEST(vtable_outlives_dead_instances),
        TEST(allocated_bytes_are_counted),
        TEST(counted_to_the_byte),
        TEST(samples_are_by_bytes),
        TEST(weak_is_cleared_and_enqueued),
        TEST(referent_stored_late_is_still_weak),
        TEST(pending_list_is_a_root),
        TEST(soft_is_kept_while_young),
        TEST(soft_ages_one_by_one),
        TEST(dead_soft_cycle_is_reclaimed),
        TEST(final_is_resurrected_before_phantom),
        TEST(finals_reaching_each_other_all_run),
        TEST(references_inside_a_resurrected_graph),
        TEST(large_graph_is_resurrected),
        TEST(weak_tables_lose_the_dead),
        TEST(many_references),
        TEST(out_of_memory_in_small_objects),
        TEST(out_of_memory_in_large_arrays),
        TEST(garbage_arrays_never_run_out),
        TEST(soft_goes_before_out_of_memory),
        TEST(nearly_full_heap_does_not_crawl),
        TEST(four_threads_lose_nothing),
        TEST(stress_mode_collects_all_the_time),
        TEST(concurrent_requests_are_served_together),
        TEST(lists_of_ended_threads_are_used_again),
        TEST(out_of_memory_in_four_threads),
        TEST(walk_sees_live_objects),
        TEST(callbacks_come_in_pairs),
        TEST(kind_left_to_the_library_is_swept_by_it),  // last: it cannot be undone
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
