// The symbol table: chained buckets, grown by doubling.
//
// A lookup walks a chain without a lock. It may see a table that is being grown: nodes are relinked in place, so the
// walk can end up in another chain. But chains always end with NULL and nodes are never freed, so the worst outcome is
// a miss, and a miss is confirmed under the lock. A HashTable (base/hash.h) would need the lock for every lookup.
#include "vm/objects/symbol.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "vm/base/arena.h"

enum { FIRST_BUCKETS = 1 << 15 };

typedef struct SymbolBuckets {
    struct SymbolBuckets *previous;  // smaller ones that readers may still use
    uint32_t mask;
    _Atomic(Symbol *) buckets[];
} SymbolBuckets;

SymbolTable symbol_table = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static SymbolBuckets *new_table(uint32_t buckets) {
    SymbolBuckets *t = arena_malloc(sizeof(SymbolBuckets) + buckets * sizeof(t->buckets[0]));
    ASSERT((buckets & (buckets - 1)) == 0, "%u buckets", buckets);
    t->mask = buckets - 1;
    return t;
}

static void start(void) {
    arena_init(&symbol_table.arena, 64 << 10);
    atomic_store_explicit(&symbol_table.current, new_table(FIRST_BUCKETS), memory_order_release);
}

static SymbolBuckets *table(void) {
    SymbolBuckets *t = atomic_load_explicit(&symbol_table.current, memory_order_acquire);
    if (__builtin_expect(!t, 0)) {
        pthread_once(&symbol_table.once, start);
        t = atomic_load_explicit(&symbol_table.current, memory_order_acquire);
    }
    return t;
}

static uint32_t hash_text(const char *s, size_t len) { return (uint32_t)(hash_words(s, len) >> 32); }

static Symbol *search(SymbolBuckets *t, const char *s, size_t len, uint32_t hash) {
    Symbol *sym = atomic_load_explicit(&t->buckets[hash & t->mask], memory_order_acquire);
    for (; sym; sym = __atomic_load_n(&sym->next, __ATOMIC_ACQUIRE))
        if (sym->hash == hash && sym->length == len && memcmp(sym->text, s, len) == 0) return sym;
    return NULL;
}

static void link_symbol(SymbolBuckets *t, Symbol *sym) {
    _Atomic(Symbol *) *bucket = &t->buckets[sym->hash & t->mask];
    __atomic_store_n(&sym->next, atomic_load_explicit(bucket, memory_order_relaxed), __ATOMIC_RELAXED);
    atomic_store_explicit(bucket, sym, memory_order_release);
}

static void grow(SymbolBuckets *old) {
    ASSERT(old == atomic_load_explicit(&symbol_table.current, memory_order_relaxed), "an outgrown table grows");
    SymbolBuckets *t = new_table((old->mask + 1) * 4);
    t->previous = old;
    for (uint32_t i = 0; i <= old->mask; i++) {
        Symbol *sym = atomic_load_explicit(&old->buckets[i], memory_order_relaxed);
        while (sym) {
            Symbol *next = sym->next;
            link_symbol(t, sym);
            sym = next;
        }
    }
    atomic_store_explicit(&symbol_table.current, t, memory_order_release);
}

static Symbol *new_symbol(Arena *arena, const char *s, size_t len, uint32_t hash) {
    Symbol *sym = arena_alloc(arena, sizeof(Symbol) + len + 1);
    sym->hash = hash;
    sym->length = (uint16_t)len;
    memcpy(sym->text, s, len);
    return sym;
}

Symbol *symbol_new_private(Arena *arena, const char *s, size_t len) {
    return new_symbol(arena, s, len, hash_text(s, len));
}

Symbol *symbol_intern(const char *s, size_t len) {
    ASSERT(len <= UINT16_MAX, "a symbol of %zu bytes", len);
    uint32_t hash = hash_text(s, len);
    Symbol *sym = search(table(), s, len, hash);
    if (sym) return sym;
    pthread_mutex_lock(&symbol_table.lock);
    sym = search(table(), s, len, hash);
    if (!sym) {
        sym = new_symbol(&symbol_table.arena, s, len, hash);
        sym->serial = symbol_table.count;
        if (++symbol_table.count > table()->mask * 2) grow(table());
        link_symbol(table(), sym);
    }
    pthread_mutex_unlock(&symbol_table.lock);
    return sym;
}

Symbol *symbol_of(const char *cstr) { return symbol_intern(cstr, strlen(cstr)); }

Symbol *symbol_find(const char *s, size_t len) {
    uint32_t hash = hash_text(s, len);
    Symbol *sym = search(table(), s, len, hash);
    if (sym) return sym;
    pthread_mutex_lock(&symbol_table.lock);
    sym = search(table(), s, len, hash);
    pthread_mutex_unlock(&symbol_table.lock);
    return sym;
}

bool symbol_has_prefix(const Symbol *s, const char *prefix) {
    size_t n = strlen(prefix);
    return s->length >= n && memcmp(s->text, prefix, n) == 0;
}

void symbol_init(void) {
#define NAME(text) symbol_of(text);
#include "vm/objects/nameorder.def"
#define SYM(id, text) symbol_table.known.id = symbol_of(text);
#include "vm/objects/symbols.def"
#undef SYM
}

Symbol *symbol_package(const Symbol *class_name) {
    const char *slash = memrchr(class_name->text, '/', class_name->length);
    return symbol_intern(class_name->text, slash ? (size_t)(slash - class_name->text) : 0);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void symbol_before_fork(void) {
    pthread_mutex_lock(&symbol_table.lock);
    pthread_mutex_lock(&symbol_table.arena.lock);
}

void symbol_after_fork(void) {
    pthread_mutex_unlock(&symbol_table.arena.lock);
    pthread_mutex_unlock(&symbol_table.lock);
}
