// Young collections: they trace only what was allocated lately, in the blocks of heap_blocks.c and among the singly
// allocated objects. Nothing moves. The collector library takes no part in them; it does all full collections.
//
// An object is young until it has survived two collections. Those that have survived one are aged. Only a bounded
// amount is aged in one collection. Further survivors are old at once: where many objects survive, most of them live
// long, and the next collection would trace them again. A full collection leaves only old objects. A block says for
// each of its objects whether it is live, and of the live ones which are aged; a young collection clears the bits of
// the aged ones and sets them again as it reaches objects. In blocks that were refilled from, a zero first word
// distinguishes free objects from allocated ones.
//
// Invariant: if an old object refers to a young one, the card of the place is marked (vm/model/barrier.h). A young
// collection scans the marked cards, in blocks and in large objects, and keeps the marks of places that still refer to
// a young object. It marks such places in the objects that it promotes.
//
// Roots are the same as for full collections, and the words that heap_alloc_root returned. Class unloading, weak
// classes and walks of the heap need a full collection: of a class that may be unloaded, the vtable and with it the
// mirror live until then.
//
// Large objects are singles: separate allocations of the library. Those not reached are given back to it at once.
//
// Locks: singles_lock guards the lists of singles and roots. The rest belongs to the collector's thread, while the
// world is stopped.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

enum {
    CARD = 1 << HEAP_CARD_SHIFT,
    CARD_GRANULES = CARD / HEAP_GRANULE,
    BLOCK_CARDS = LIBRARY_BLOCK / CARD,
    PREFETCHED = 16,        // objects fetched ahead of their scan
    AGED_PART = 4,          // of a budget: what is aged in one collection
    STRESS_AGED = 1 << 16,  // the same in bytes under stress, or a multiple
    FAR_PAGES = 16,  // pages of a large object in which interior pointers from stacks count; of larger ones, the first
};

#define CARDS ((size_t)1 << (32 - HEAP_CARD_SHIFT))

// A singly allocated object, or a vtable.
typedef struct Single {
    char *base;  // its first address
    size_t bytes;
    uint32_t next;  // next candidate in the same page + 1
    uint8_t kind;   // HEAP_KINDS: a vtable
    bool aged, reached;
} Single;

typedef struct Singles {
    Single *items;
    size_t count, capacity;
} Singles;

typedef struct BlockList {
    HeapBlock **items;
    size_t count, capacity;
} BlockList;

typedef struct RootRange {
    const uintptr_t *begin, *end;
} RootRange;

static struct YoungHeap {
    uint8_t *cards;
    pthread_mutex_t singles_lock;
    Singles fresh;  // young
    Singles old;
    RootRange *roots;
    size_t root_count, root_capacity;

    BlockList aged, before;  // the blocks that have such objects

    // During a collection.
    uintptr_t *stack;  // objects to scan, some of which are free; of a single, its index in `fresh` * 2 + 1
    size_t stack_count, stack_capacity;
    uint32_t *pages;  // hash table of the pages of `fresh`: index + 1
    uintptr_t *page_numbers;
    size_t page_mask, page_capacity;
    uint32_t inverse[HEAP_CLASSES];  // 65536 / granules, rounded up
    size_t most_aged;                // bytes
    HeapYoungFigures figures;
} young = {.singles_lock = PTHREAD_MUTEX_INITIALIZER};

// ---- cards ---------------------------------------------------------------------------------

uint8_t *heap_cards(void) { return young.cards; }

// Without memory for the cards there are no young collections.
void heap_young_init(void) {
    size_t bytes = CARDS + HEAP_CARDS_BEHIND;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *cards = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (cards == MAP_FAILED) return;
    madvise(cards, bytes, MADV_NOHUGEPAGE);
    young.cards = cards;
    for (uint32_t granules = 1; granules < HEAP_CLASSES; granules++) young.inverse[granules] = 65536 / granules + 1;
}

static uint8_t *card_of(uintptr_t address) { return &young.cards[(uint32_t)address >> HEAP_CARD_SHIFT]; }

void heap_mark_card(const void *place) {
    if (young.cards) *card_of((uintptr_t)place) = 1;
}

// Marks after the table's end belong to its beginning.
static void wrap_cards(void) {
    for (size_t i = 0; i < HEAP_CARDS_BEHIND; i++) {
        if (!young.cards[CARDS + i]) continue;
        young.cards[i] = 1;
        young.cards[CARDS + i] = 0;
    }
}

// ---- registration --------------------------------------------------------------------------

static void add_single(Singles *list, Single s) {
    if (!GROW(list->items, list->capacity, list->count + 1)) heap_fatal("no memory for the list of large objects");
    list->items[list->count++] = s;
}

void heap_young_add_single(void *base, size_t bytes, int kind) {
    if (!young.cards) return;
    pthread_mutex_lock(&young.singles_lock);
    add_single(&young.fresh, (Single){.base = base, .bytes = bytes, .kind = (uint8_t)kind});
    pthread_mutex_unlock(&young.singles_lock);
}

void heap_young_add_root(const void *begin, size_t bytes) {
    if (!young.cards) return;
    pthread_mutex_lock(&young.singles_lock);
    if (!GROW(young.roots, young.root_capacity, young.root_count + 1)) heap_fatal("no memory for the list of roots");
    const uintptr_t *words = begin;
    young.roots[young.root_count++] = (RootRange){words, words + bytes / sizeof *words};
    pthread_mutex_unlock(&young.singles_lock);
}

static void clear_before(void) {
    for (size_t i = 0; i < young.before.count; i++)
        memset(young.before.items[i]->before, 0, sizeof young.before.items[i]->before);
    young.before.count = 0;
}

void heap_young_forget(void) {
    young.fresh.count = young.old.count = 0;
    clear_before();
    for (size_t i = 0; i < young.aged.count; i++) {
        HeapBlock *block = young.aged.items[i];
        memset(block->aged, 0, sizeof block->aged);
        block->has_aged = false;
    }
    young.aged.count = 0;
}

void heap_young_add_old(void *base, size_t bytes, int kind) {
    add_single(&young.old,
               (Single){.base = base, .bytes = bytes, .kind = (uint8_t)kind, .aged = true, .reached = true});
}

// ---- finding objects -----------------------------------------------------------------------

static uint32_t first_granule(const HeapBlock *block, uintptr_t address) {
    uint32_t granule = (uint32_t)(address % LIBRARY_BLOCK / HEAP_GRANULE);
    return (granule * young.inverse[block->granules] >> 16) * block->granules;
}

static bool has_bit(const uint64_t *bits, uint32_t n) { return bits[n / 64] >> n % 64 & 1; }
static void set_bit(uint64_t *bits, uint32_t n) { bits[n / 64] |= UINT64_C(1) << n % 64; }
static void clear_bit(uint64_t *bits, uint32_t n) { bits[n / 64] &= ~(UINT64_C(1) << n % 64); }

static size_t page_slot(uintptr_t page) {
    size_t i = hash_pointer((const void *)page) & young.page_mask;
    while (young.pages[i] && young.page_numbers[i] != page) i = (i + 1) & young.page_mask;
    return i;
}

static size_t pages_of(const Single *s) {
    uintptr_t first = (uintptr_t)s->base / LIBRARY_BLOCK, last = ((uintptr_t)s->base + s->bytes - 1) / LIBRARY_BLOCK;
    return last - first < FAR_PAGES ? last - first + 1 : 1;
}

static void index_singles(void) {
    size_t pages = 0, want = 64;
    for (size_t i = 0; i < young.fresh.count; i++) pages += pages_of(&young.fresh.items[i]);
    while (want < 2 * pages) want *= 2;
    if (want > young.page_capacity) {
        free(young.pages);
        free(young.page_numbers);
        young.pages = malloc(want * sizeof *young.pages);
        young.page_numbers = malloc(want * sizeof *young.page_numbers);
        if (!young.pages || !young.page_numbers) heap_fatal("no memory for the index of large objects");
        young.page_capacity = want;
    }
    young.page_mask = want - 1;
    memset(young.pages, 0, want * sizeof *young.pages);
    for (size_t i = 0; i < young.fresh.count; i++) {
        Single *s = &young.fresh.items[i];
        uintptr_t first = (uintptr_t)s->base / LIBRARY_BLOCK;
        s->reached = false;
        s->next = 0;
        for (size_t k = 0; k < pages_of(s); k++) {
            size_t slot = page_slot(first + k);
            if (k == 0) s->next = young.pages[slot];
            young.pages[slot] = (uint32_t)i + 1;
            young.page_numbers[slot] = first + k;
        }
    }
}

// The young single that the address points into, or NULL.
static Single *single_at(uintptr_t address) {
    uint32_t i = young.pages[page_slot(address / LIBRARY_BLOCK)];
    for (; i; i = young.fresh.items[i - 1].next) {
        Single *s = &young.fresh.items[i - 1];
        if (address - (uintptr_t)s->base < s->bytes) return s;
    }
    return NULL;
}

// ---- tracing -------------------------------------------------------------------------------

static void push(uintptr_t item) {
    if (!GROW(young.stack, young.stack_capacity, young.stack_count + 1)) heap_fatal("no memory for tracing");
    young.stack[young.stack_count++] = item;
}

static bool reach_single(uintptr_t address) {
    Single *s = single_at(address);
    if (!s) return false;
    if (!s->reached) {
        s->reached = true;
        if (s->aged) young.figures.promoted += s->bytes;
        else young.figures.aged += s->bytes;
        if (s->kind != HEAP_PRIMS) push((uintptr_t)(s - young.fresh.items) * 2 + 1);
    }
    return !s->aged;
}

static void note_aged(HeapBlock *block) {
    if (!GROW(young.aged.items, young.aged.capacity, young.aged.count + 1)) heap_fatal("no memory for tracing");
    young.aged.items[young.aged.count++] = block;
    block->has_aged = true;
}

// Reaches what a word points to, if that is young. True: it will be young after this collection too. The object may be
// free: to look at it would wait for memory, so drain() does.
static bool reach(uintptr_t address) {
    HeapBlock *block = heap_block_at(address);
    if (!block) return reach_single(address);
    uint32_t granule = first_granule(block, address);
    if (granule + block->granules > LIBRARY_BLOCK / HEAP_GRANULE) return false;
    bool was_aged = has_bit(block->before, granule);
    if (has_bit(block->live, granule)) return has_bit(block->aged, granule);
    if (!was_aged && !block->used) return false;
    set_bit(block->live, granule);
    block->live_count++;
    bool is_old = was_aged || young.figures.aged >= young.most_aged;
    if (is_old) {
        young.figures.promoted += block->granules * (size_t)HEAP_GRANULE;
    } else {
        young.figures.aged += block->granules * (size_t)HEAP_GRANULE;
        set_bit(block->aged, granule);
        if (!block->has_aged) note_aged(block);
    }
    push((uintptr_t)block->address + granule * HEAP_GRANULE);
    return !is_old;
}

// The object proved to be free.
static void unreach(HeapBlock *block, uint32_t granule) {
    size_t bytes = block->granules * (size_t)HEAP_GRANULE;
    if (has_bit(block->aged, granule)) young.figures.aged -= bytes;
    else young.figures.promoted -= bytes;
    clear_bit(block->live, granule);
    clear_bit(block->aged, granule);
    block->live_count--;
}

static bool reach_word(uintptr_t word) {
    if (word < (uintptr_t)GC_least_plausible_heap_addr || word >= (uintptr_t)GC_greatest_plausible_heap_addr)
        return false;
    return reach(word);
}

// Scans words, and marks the cards of those that refer to objects which stay young, if `remember`.
static void scan_words(const uintptr_t *begin, const uintptr_t *end, bool remember) {
    for (const uintptr_t *word = begin; word < end; word++)
        if (*word && reach_word(*word) && remember) *card_of((uintptr_t)word) = 1;
}

// Scans the words of an object that lie in [begin, end).
static void scan_object(const void *object, int kind, size_t size, const uintptr_t *begin, const uintptr_t *end,
                        bool remember) {
    const uintptr_t *first = object, *last = first + size / sizeof *first;
    if (begin > first) first = begin;
    if (end < last) last = end;
    if (kind == HEAP_REFS) {
        scan_words(first, last, remember);
        return;
    }
    const uintptr_t *words = object, *vtable = (const uintptr_t *)words[0];
    if (kind != HEAP_TYPED || !vtable) return;
    uintptr_t descriptor = vtable[HEAP_VTABLE_DESCRIPTOR_OFFSET / sizeof(uintptr_t)];
    if (!(descriptor & 1)) {
        const uintptr_t *limit = words + (descriptor & ~(uintptr_t)3) / sizeof *words;
        scan_words(first, last < limit ? last : limit, remember);
        return;
    }
    for (uint64_t bits = descriptor & ~(uint64_t)3; bits;) {
        int i = __builtin_clzl(bits);
        bits &= ~(UINT64_C(1) << (63 - i));
        if (words + i >= first && words + i < last) scan_words(words + i, words + i + 1, remember);
    }
}

static void scan_single(const Single *s, const uintptr_t *begin, const uintptr_t *end, bool remember) {
    if (s->kind == HEAP_KINDS) {
        const uintptr_t *holder = (const uintptr_t *)(s->base + HEAP_VTABLE_HOLDER_OFFSET);
        if (holder >= begin && holder < end) scan_words(holder, holder + 1, remember);
        return;
    }
    scan_object(s->base, s->kind, s->bytes, begin, end, remember);
}

static void scan_item(uintptr_t item) {
    if (item & 1) {
        const Single *s = &young.fresh.items[item / 2];
        scan_single(s, (const uintptr_t *)s->base, (const uintptr_t *)(s->base + s->bytes), s->aged);
        return;
    }
    HeapBlock *block = heap_block_at(item);
    uint32_t granule = (uint32_t)(item % LIBRARY_BLOCK / HEAP_GRANULE);
    if (!*(void **)item) {
        unreach(block, granule);
        return;
    }
    size_t size = block->granules * (size_t)HEAP_GRANULE;
    bool remember = !has_bit(block->aged, granule);
    scan_object((const void *)item, block->kind, size, (const uintptr_t *)item, (const uintptr_t *)(item + size),
                remember);
}

// Objects pass through a queue between the stack and their scan, for as long as it takes to fetch them (Cher, Hosking
// and Vitek 2004, "Software prefetching for mark-sweep garbage collection").
static void drain(void) {
    uintptr_t queue[PREFETCHED];
    for (unsigned first = 0, count = 0;;) {
        for (; count < PREFETCHED && young.stack_count; count++) {
            uintptr_t item = young.stack[--young.stack_count];
            if (!(item & 1)) __builtin_prefetch((const void *)item);
            queue[(first + count) % PREFETCHED] = item;
        }
        if (!count) return;
        uintptr_t item = queue[first];
        first = (first + 1) % PREFETCHED;
        count--;
        scan_item(item);
    }
}

void heap_young_push_range(const void *lo, const void *hi) {
    scan_words(lo, hi, false);
    drain();
}

void heap_young_trace(const void *object) {
    reach_word((uintptr_t)object);
    drain();
}

void *heap_young_find(uintptr_t address, bool *live) {
    HeapBlock *block = heap_block_at(address);
    if (!block) {
        const Single *s = single_at(address);
        *live = s && s->reached;
        return s ? s->base : NULL;
    }
    uint32_t granule = first_granule(block, address);
    if (granule + block->granules > LIBRARY_BLOCK / HEAP_GRANULE) return NULL;
    char *object = block->address + granule * HEAP_GRANULE;
    *live = has_bit(block->live, granule);
    bool was_young = *(void **)object && (block->used || has_bit(block->before, granule));
    return *live || was_young ? object : NULL;
}

bool heap_young_is_marked(const void *object) {
    uintptr_t address = (uintptr_t)object;
    const HeapBlock *block = heap_block_at(address);
    if (block) return has_bit(block->live, first_granule(block, address));
    const Single *s = single_at(address);
    return !s || s->reached;
}

const char *heap_young_age(const void *object) {
    const HeapBlock *block = heap_block_at((uintptr_t)object);
    if (!block) {
        const Single *s = single_at((uintptr_t)object);
        return !s ? "old, single" : s->aged ? "aged, single" : "new, single";
    }
    uint32_t granule = first_granule(block, (uintptr_t)object);
    if (has_bit(block->before, granule)) return block->used ? "aged, in a block in use" : "aged";
    if (has_bit(block->aged, granule) || !has_bit(block->live, granule))
        return block->used ? "new" : "new, in a block not in use";
    return "old";
}

typedef struct EachLive {
    void (*fn)(void *arg, uintptr_t object, size_t bytes);
    void *arg;
} EachLive;

static void pass_live(void *each, uintptr_t begin, HeapBlock *blocks) {
    (void)begin;
    const EachLive *e = each;
    for (const HeapBlock *b = blocks; b < blocks + HEAP_REGION_BLOCKS; b++)
        for (uint32_t g = 0; b->granules && g + b->granules <= LIBRARY_BLOCK / HEAP_GRANULE; g += b->granules)
            if (has_bit(b->live, g))
                e->fn(e->arg, (uintptr_t)b->address + g * HEAP_GRANULE, b->granules * (size_t)HEAP_GRANULE);
}

void heap_young_each_live(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg) {
    heap_each_region(pass_live, &(EachLive){fn, arg});
    const Singles *lists[] = {&young.fresh, &young.old};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++) {
            const Single *s = &lists[k]->items[i];
            if (s->reached) fn(arg, (uintptr_t)s->base, s->bytes);
        }
}

// ---- what old objects refer to -------------------------------------------------------------

// The old objects in a marked card of a block. The card keeps its mark if it still refers to a young object.
static void scan_card(const HeapBlock *block, uint32_t card) {
    uint32_t granule = card * CARD_GRANULES, size = block->granules;
    const uintptr_t *begin = (const uintptr_t *)(block->address + card * CARD), *end = begin + CARD / sizeof *begin;
    for (uint32_t g = first_granule(block, (uintptr_t)begin); g < granule + CARD_GRANULES; g += size) {
        if (g + size > LIBRARY_BLOCK / HEAP_GRANULE) break;
        if (!has_bit(block->live, g) || has_bit(block->aged, g)) continue;
        young.figures.remembered++;
        scan_object(block->address + g * HEAP_GRANULE, block->kind, size * (size_t)HEAP_GRANULE, begin, end, true);
    }
}

static void scan_block(HeapBlock *block, uint8_t *cards) {
    uint8_t marked[BLOCK_CARDS];
    memcpy(marked, cards, sizeof marked);
    memset(cards, 0, sizeof marked);
    if (block->kind == HEAP_PRIMS || block->live_count == 0) return;
    for (uint32_t i = 0; i < BLOCK_CARDS; i += sizeof(uint64_t)) {
        uint64_t left;
        for (memcpy(&left, marked + i, sizeof left); left; left &= left - 1)
            scan_card(block, i + (uint32_t)__builtin_ctzll(left) / 8);
    }
    drain();
}

// Cards of memory that is in no block belong to large objects, or to another region 4 GB away.
static void scan_region(void *arg, uintptr_t begin, HeapBlock *blocks) {
    (void)arg;
    uint8_t *cards = card_of(begin);
    for (HeapBlock *block = blocks; block < blocks + HEAP_REGION_BLOCKS; block++, cards += BLOCK_CARDS) {
        const uint64_t *words = (const uint64_t *)cards;
        uint64_t any = 0;
        for (size_t i = 0; i < BLOCK_CARDS / sizeof *words; i++) any |= words[i];
        if (any && block->granules) scan_block(block, cards);
    }
}

static void scan_old_single(const Single *s) {
    uintptr_t end = (uintptr_t)s->base + s->bytes;
    for (uintptr_t at = (uintptr_t)s->base & ~(uintptr_t)(CARD - 1); at < end; at += CARD) {
        uint8_t *card = card_of(at);
        if (!*card) continue;
        *card = 0;
        young.figures.remembered++;
        scan_single(s, (const uintptr_t *)at, (const uintptr_t *)(at + CARD), true);
    }
    drain();
}

// ---- the collection ------------------------------------------------------------------------

static void age_block(HeapBlock *block) {
    for (size_t i = 0; i < sizeof block->live / sizeof *block->live; i++) {
        block->before[i] = block->aged[i];
        block->aged[i] = 0;
        block->live[i] &= ~block->before[i];
        int count = __builtin_popcountll(block->before[i]);
        block->live_count = (uint16_t)(block->live_count - count);
        young.figures.before += (size_t)count * block->granules * HEAP_GRANULE;
    }
    block->has_aged = false;
}

static void age_blocks(void) {
    clear_before();
    BlockList empty = young.before;
    young.before = young.aged;
    young.aged = empty;
    for (size_t i = 0; i < young.before.count; i++) age_block(young.before.items[i]);
}

void heap_young_begin(void) {
    young.figures = (HeapYoungFigures){0};
    // Under stress, nothing, little or everything is aged.
    young.most_aged = heap.young_stress ? heap.collections % 4 * STRESS_AGED : heap.budget / AGED_PART;
    wrap_cards();
    age_blocks();
    index_singles();
    for (size_t i = 0; i < young.fresh.count; i++)
        if (young.fresh.items[i].aged) young.figures.before += young.fresh.items[i].bytes;
    heap_each_region(scan_region, NULL);
    for (size_t i = 0; i < young.old.count; i++)
        if (young.old.items[i].kind != HEAP_PRIMS) scan_old_single(&young.old.items[i]);
    // A vtable lives until the next full collection, and so does its class.
    for (size_t i = 0; i < young.fresh.count; i++)
        if (young.fresh.items[i].kind == HEAP_KINDS) reach_single((uintptr_t)young.fresh.items[i].base);
    drain();
}

void heap_young_push_roots(void) {
    for (size_t i = 0; i < young.root_count; i++) heap_push_range(young.roots[i].begin, young.roots[i].end);
}

// Dead objects are given back; those that have survived twice are old.
static void sort_singles(void) {
    size_t kept = 0;
    for (size_t i = 0; i < young.fresh.count; i++) {
        Single s = young.fresh.items[i];
        if (!s.reached) {
            GC_free(GC_base(s.base));
        } else if (!s.aged) {
            s.aged = true;
            young.fresh.items[kept++] = s;
        } else {
            add_single(&young.old, s);
        }
    }
    young.fresh.count = kept;
}

const HeapYoungFigures *heap_young_end(void) {
    sort_singles();
    for (size_t i = 0; i < young.before.count; i++) heap_list_block(young.before.items[i]);
    heap_relist_used();
    return &young.figures;
}
