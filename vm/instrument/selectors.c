// See vm/instrument/selectors.h. Readers take no lock, so the methods are in a published table.
#include "vm/instrument/selectors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/published.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"

typedef struct SelectedMethods {
    PUBLISHED_HEAD;
    uint32_t ids[];  // Method.id, by number - 1
} SelectedMethods;

struct Selector {
    const Symbol *name, *desc;
    SelectedMethods *methods;
    _Atomic uint32_t count;
};

enum { FIRST_BITS = 2 };

static struct Selectors {
    pthread_mutex_t lock;
    HashTable table;  // of Selector *
} selectors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_of(const Symbol *name, const Symbol *desc) { return hash_pointer(name) * 31 + hash_pointer(desc); }
static uint32_t hash_item(const void *owner, uintptr_t item) {
    (void)owner;
    const Selector *s = (const Selector *)item;
    return hash_of(s->name, s->desc);
}
static bool is_of(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    const Selector *s = (const Selector *)item;
    const Method *m = key;
    return s->name == m->name && s->desc == m->desc;
}
static const HashKind by_name = {hash_item, is_of};

// The caller holds the lock.
static Selector *find_or_add(const Method *m) {
    uint32_t hash = hash_of(m->name, m->desc);
    Selector *s = (Selector *)hash_find(&selectors.table, &by_name, NULL, hash, m);
    if (s || !(s = calloc(1, sizeof *s))) return s;
    s->name = m->name;
    s->desc = m->desc;
    if (hash_add(&selectors.table, &by_name, NULL, hash, (uintptr_t)s)) return s;
    free(s);
    return NULL;
}

static void copy_ids(void *larger, const void *old) {
    memcpy(((SelectedMethods *)larger)->ids, ((const SelectedMethods *)old)->ids,
           sizeof(uint32_t) << published_bits(old));
}

void selectors_number(Method *m) {
    if (__atomic_load_n(&m->selected, __ATOMIC_RELAXED)) return;
    bool counted = scope_visible(m) && report_wants_edge(m);
    pthread_mutex_lock(&selectors.lock);
    Selector *s = counted && !m->selected ? find_or_add(m) : NULL;
    bool is_full = s && (!s->methods || s->count > s->methods->mask);
    uint32_t bits = s && s->methods ? published_bits(s->methods) + 1 : FIRST_BITS;
    if (s && (!is_full || published_grow(&s->methods, sizeof *s->methods, sizeof *s->methods->ids, bits, copy_ids))) {
        s->methods->ids[s->count++] = m->id;
        __atomic_store_n(&m->selected, s->count, __ATOMIC_RELEASE);
    } else if (!counted) {
        __atomic_store_n(&m->selected, SELECTED_UNCOUNTED, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&selectors.lock);
}

const Selector *selectors_of(const Method *m) {
    pthread_mutex_lock(&selectors.lock);
    const Selector *s = find_or_add(m);
    pthread_mutex_unlock(&selectors.lock);
    return s;
}

uint32_t selectors_count(const Selector *s) { return s->count; }
uint32_t selectors_method(const Selector *s, uint32_t number) { return published_read(&s->methods)->ids[number - 1]; }

void selectors_before_fork(void) { pthread_mutex_lock(&selectors.lock); }
void selectors_after_fork(void) { pthread_mutex_unlock(&selectors.lock); }
