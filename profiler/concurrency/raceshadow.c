// See profiler/concurrency/raceshadow.h.
#include "profiler/concurrency/raceshadow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/concurrency/placenumbers.h"

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, GRANULE = 16, GRANULES = PAGE / GRANULE };
enum { LOCKS = 64, LIST_CHUNK = 1024, LIST_CHUNKS = 1024 };
static const unsigned window_bits[] = {36, 34, 32};  // bytes of heap; the first one that fits the address space

// Readers without order, by slot. The list's number is in the lower part of the word's lower half.
#define READ_SHARED (UINT32_C(0xfff) << HB_CLOCK_BITS)
typedef struct Reader {
    uint32_t epoch;
    RacePlace place;
} Reader;
typedef struct Readers {
    uint32_t count, capacity, next_free;
    Reader *at;
} Readers;

// The history of a variable.
typedef struct Variable {
    _Atomic uint64_t cell;
    _Atomic RacePlace read, write;
} Variable;
_Static_assert(sizeof(Variable) == 16, "as Stamps has it");

static struct RaceShadow {
    Stamps stamps;
    _Atomic uint8_t *touched;                // by page of the window: 1 << size class, for classes with nonzero cells
    uint32_t (*live)[GRANULES / 32];         // by page: live granules of touched pages, while the collector runs
    _Atomic uint64_t first_page, last_page;  // range of touched pages
    pthread_mutex_t locks[LOCKS];            // of lists
    pthread_mutex_t list_lock;               // of the set of lists
    Readers *_Atomic lists[LIST_CHUNKS];
    uint32_t list_count, free_list;  // free: number + 1
    _Atomic uint64_t lost;
    Places places;
} shadow = {.locks = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER}, .list_lock = PTHREAD_MUTEX_INITIALIZER};

// ---- memory --------------------------------------------------------------------------------------

// By size class: the cells take 2, 4, 8 or 16 times the bytes of the window.
static bool reserve_window(unsigned bits) {
    size_t window = (size_t)1 << bits, pages = window >> PAGE_BITS, size = 0;
    for (int i = 0; i < STAMP_SIZES; i++) size += window << (i + 1);
    size_t bitmaps = pages * sizeof *shadow.live;
    char *p = places_reserve(size + bitmaps + pages);
    if (!p) return false;
    shadow.stamps.mask = window - 1;
    for (int i = 0; i < STAMP_SIZES; i++) shadow.stamps.cells[i] = p, p += window << (i + 1);
    shadow.live = (void *)p;
    shadow.touched = (void *)(p + bitmaps);
    shadow.first_page = pages;
    return true;
}

bool raceshadow_begin(void) {
    if (shadow.stamps.mask) return true;
    bool ok = false;
    for (size_t i = 0; places_begin(&shadow.places) && !ok && i < sizeof window_bits / sizeof *window_bits; i++)
        ok = reserve_window(window_bits[i]);
    return ok;
}

void raceshadow_end(void) {
    size_t pages = (shadow.stamps.mask + 1) >> PAGE_BITS;
    char *first = shadow.stamps.cells[0], *end = (char *)(void *)shadow.touched + pages;
    places_clear(first, (size_t)(end - first));
    places_end(&shadow.places);
    shadow.first_page = pages;
    shadow.last_page = 0;
    for (uint32_t i = 0; i < shadow.list_count; i++) free(shadow.lists[i / LIST_CHUNK][i % LIST_CHUNK].at);
    for (uint32_t i = 0; i < LIST_CHUNKS; i++) {
        free(shadow.lists[i]);
        shadow.lists[i] = NULL;
    }
    shadow.list_count = shadow.free_list = 0;
    shadow.lost = 0;
}

Stamps raceshadow_stamps(void) { return shadow.stamps; }

static void touch(uintptr_t address, unsigned size) {
    uint64_t page = (address & shadow.stamps.mask) >> PAGE_BITS;
    if (shadow.touched[page] >> size & 1) return;
    atomic_fetch_or(&shadow.touched[page], (uint8_t)(1 << size));
    for (uint64_t first = shadow.first_page;
         page < first && !atomic_compare_exchange_weak(&shadow.first_page, &first, page);) {}
    for (uint64_t last = shadow.last_page;
         page > last && !atomic_compare_exchange_weak(&shadow.last_page, &last, page);) {}
}

// ---- places --------------------------------------------------------------------------------------

RacePlace raceshadow_place(uint32_t method, int32_t bci) { return places_number(&shadow.places, method, bci); }
bool raceshadow_place_of(RacePlace place, uint32_t *method, int32_t *bci) {
    return places_at(&shadow.places, place, method, bci);
}

// ---- lists of readers ----------------------------------------------------------------------------

static uint32_t list_number(uint32_t reads) { return reads & HB_LAST_CLOCK; }
static Readers *list_at(uint32_t number) { return &shadow.lists[number / LIST_CHUNK][number % LIST_CHUNK]; }
static pthread_mutex_t *lock_of(uint32_t number) { return &shadow.locks[number % LOCKS]; }

// The value for the word's lower half, or 0.
static uint32_t take_list(void) {
    uint32_t reads = 0;
    pthread_mutex_lock(&shadow.list_lock);
    if (shadow.free_list) {
        uint32_t number = shadow.free_list - 1;
        shadow.free_list = list_at(number)->next_free;
        reads = READ_SHARED | number;
    } else if (shadow.list_count < LIST_CHUNK * LIST_CHUNKS) {
        uint32_t number = shadow.list_count, chunk = number / LIST_CHUNK;
        if (!shadow.lists[chunk]) shadow.lists[chunk] = calloc(LIST_CHUNK, sizeof(Readers));
        if (shadow.lists[chunk]) {
            shadow.list_count++;
            reads = READ_SHARED | number;
        }
    }
    pthread_mutex_unlock(&shadow.list_lock);
    return reads;
}

static void give_list(uint32_t reads) {
    uint32_t number = list_number(reads);
    pthread_mutex_lock(&shadow.list_lock);
    list_at(number)->count = 0;
    list_at(number)->next_free = shadow.free_list;
    shadow.free_list = number + 1;
    pthread_mutex_unlock(&shadow.list_lock);
}

// Requires the list's lock, or a list that is not yet visible to other threads.
static void note_reader(Readers *r, Reader reader) {
    for (uint32_t i = 0; i < r->count; i++)
        if (hb_slot(r->at[i].epoch) == hb_slot(reader.epoch)) {
            r->at[i] = reader;
            return;
        }
    if (GROW(r->at, r->capacity, r->count + 1)) r->at[r->count++] = reader;
    else atomic_fetch_add(&shadow.lost, 1);
}

// ---- accesses ------------------------------------------------------------------------------------

static uint32_t reads_of(uint64_t cell) { return (uint32_t)cell; }

static bool in_order(HbThread *t, uint32_t epoch) {
    return !epoch || hb_ordered(t, epoch) || hb_covers(&t->frozen, epoch) ||
        (hb_initialized(t, epoch) && hb_ordered(t, epoch));
}

// Ends the list: checks that its reads are ordered before the thread's write, and frees it. False: the cell has
// changed.
static bool end_list(HbThread *t, Variable *v, uint64_t cell, Race *race) {
    uint32_t reads = reads_of(cell);
    pthread_mutex_t *lock = lock_of(list_number(reads));
    pthread_mutex_lock(lock);
    const Readers *r = list_at(list_number(reads));
    bool same = atomic_load(&v->cell) == cell;
    for (uint32_t i = 0; same && race->kind == RACE_NONE && i < r->count; i++)
        if (!in_order(t, r->at[i].epoch)) *race = (Race){RACE_READ_WRITE, r->at[i].epoch, r->at[i].place};
    same = same && atomic_compare_exchange_strong(&v->cell, &cell, (uint64_t)t->epoch << 32);
    if (same) give_list(reads);
    pthread_mutex_unlock(lock);
    return same;
}

static Race written(HbThread *t, Variable *v, RacePlace place) {
    for (;;) {
        uint64_t cell = atomic_load(&v->cell);
        uint32_t writes = (uint32_t)(cell >> 32), reads = reads_of(cell);
        Race race = {RACE_NONE, 0, 0};
        if (cell == (uint64_t)t->epoch << 32) return race;
        if (!in_order(t, writes)) race = (Race){RACE_WRITE_WRITE, writes, v->write};
        bool done;
        if (reads >= READ_SHARED) {
            done = end_list(t, v, cell, &race);
        } else {
            if (race.kind == RACE_NONE && !in_order(t, reads)) race = (Race){RACE_READ_WRITE, reads, v->read};
            done = atomic_compare_exchange_strong(&v->cell, &cell, (uint64_t)t->epoch << 32);
        }
        if (!done) continue;
        v->write = place;
        return race;
    }
}

// Starts a list with a second reader, unordered with the first. False: the cell has changed.
static bool begin_list(const HbThread *t, Variable *v, uint64_t cell, RacePlace place) {
    uint32_t reads = take_list();
    if (!reads) {
        atomic_fetch_add(&shadow.lost, 1);
        return true;
    }
    Readers *r = list_at(list_number(reads));
    note_reader(r, (Reader){reads_of(cell), v->read});
    note_reader(r, (Reader){t->epoch, place});
    bool done = atomic_compare_exchange_strong(&v->cell, &cell, (cell & ~UINT64_C(0xffffffff)) | reads);
    if (!done) give_list(reads);
    return done;
}

static Race read_it(HbThread *t, Variable *v, bool is_final, RacePlace place) {
    for (;;) {
        uint64_t cell = atomic_load(&v->cell);
        uint32_t writes = (uint32_t)(cell >> 32), reads = reads_of(cell);
        Race race = {RACE_NONE, 0, 0};
        if (writes == t->epoch || reads == t->epoch) return race;
        if (is_final && writes && !hb_ordered(t, writes)) hb_freeze(t, writes);
        else if (!in_order(t, writes)) race = (Race){RACE_WRITE_READ, writes, v->write};
        bool done;
        if (reads >= READ_SHARED) {
            uint32_t number = list_number(reads);
            pthread_mutex_lock(lock_of(number));
            done = atomic_load(&v->cell) == cell;  // otherwise the list may be another's
            if (done) note_reader(list_at(number), (Reader){t->epoch, place});
            pthread_mutex_unlock(lock_of(number));
        } else if (reads && !hb_ordered(t, reads)) {
            done = begin_list(t, v, cell, place);
        } else {
            done = atomic_compare_exchange_strong(&v->cell, &cell, (cell & ~UINT64_C(0xffffffff)) | t->epoch);
            if (done) v->read = place;
        }
        if (done) return race;
    }
}

Race raceshadow_access(HbThread *t, uintptr_t address, unsigned size, bool write, bool is_final, RacePlace place) {
    unsigned class = size >= 8 ? 0 : size == 4 ? 1 : size == 2 ? 2 : 3;
    touch(address, class);
    Variable *v = (Variable *)(shadow.stamps.cells[class] + ((address & shadow.stamps.mask) << (class + 1)));
    return write ? written(t, v, place) : read_it(t, v, is_final, place);
}

// ---- collections ---------------------------------------------------------------------------------

void raceshadow_live(void *unused, uintptr_t object, size_t bytes) {
    (void)unused;
    uintptr_t end = object + bytes;
    for (uintptr_t at = object; at < end; at = (at | (PAGE - 1)) + 1) {
        uint64_t page = (at & shadow.stamps.mask) >> PAGE_BITS;
        if (!shadow.touched[page]) continue;
        uintptr_t limit = (at | (PAGE - 1)) + 1 < end ? (at | (PAGE - 1)) + 1 : end;
        for (uintptr_t g = at & ~(uintptr_t)(GRANULE - 1); g < limit; g += GRANULE) {
            uint32_t i = (uint32_t)(g % PAGE / GRANULE);
            shadow.live[page][i / 32] |= 1u << i % 32;
        }
    }
}

// Clears the cells of `bytes` bytes starting at `at` in the window.
static void forget_cells(uint64_t at, size_t bytes, unsigned size) {
    Variable *v = (Variable *)(shadow.stamps.cells[size] + (at << (size + 1))),
             *end = v + (bytes << (size + 1)) / sizeof *v;
    for (; v < end; v++) {
        uint64_t cell = atomic_load_explicit(&v->cell, memory_order_relaxed);
        if (!cell) continue;
        if (reads_of(cell) >= READ_SHARED) give_list(reads_of(cell));
        atomic_store_explicit(&v->cell, 0, memory_order_relaxed);
    }
}

static bool is_granule_live(uint64_t page, uint32_t i) { return shadow.live[page][i / 32] >> i % 32 & 1; }

static void forget_page(uint64_t page) {
    uint8_t sizes = shadow.touched[page];
    bool any = false;
    for (uint32_t i = 0, end; i < GRANULES; i = end) {
        bool live = is_granule_live(page, i);
        for (end = i + 1; end < GRANULES && is_granule_live(page, end) == live;) end++;
        any |= live;
        for (unsigned size = 0; !live && size < STAMP_SIZES; size++)
            if (sizes >> size & 1) forget_cells((page << PAGE_BITS) + i * GRANULE, (size_t)(end - i) * GRANULE, size);
    }
    if (!any) shadow.touched[page] = 0;
    else memset(shadow.live[page], 0, sizeof shadow.live[page]);
}

void raceshadow_forget_dead(void) {
    for (uint64_t page = shadow.first_page; page <= shadow.last_page; page++)
        if (shadow.touched[page]) forget_page(page);
}

void raceshadow_reset(void) {
    for (uint64_t page = shadow.first_page; page <= shadow.last_page; page++) {
        if (!shadow.touched[page]) continue;
        memset(shadow.live[page], 0, sizeof shadow.live[page]);
        forget_page(page);
    }
}

RaceShadowFigures raceshadow_figures(void) {
    RaceShadowFigures f = {.lists = shadow.list_count, .lost = shadow.lost};
    for (uint64_t page = shadow.first_page; page <= shadow.last_page; page++) f.pages += shadow.touched[page] != 0;
    return f;
}
