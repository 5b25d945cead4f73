// The table of counts by method (vm/adaptive/methodcounts.h). Code and plans contain the addresses of counts. So the
// counts of an unloaded method are freed only when all compilations that were running at its unloading have finished.
#include "vm/adaptive/methodcounts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "bytecode/analysis/methodflow.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/adaptive/countschange.h"
#include "vm/adaptive/tiering.h"
#include "vm/api/compiler.h"
#include "vm/model/classloader.h"

static struct MethodCountsTable {
    pthread_mutex_t lock;
    HashTable by_method;
    MethodCounts *dead;  // to be freed
    MethodCountsStats stats;
} methodcounts = {.lock = PTHREAD_MUTEX_INITIALIZER};

HASH_BY_POINTER(by_method, MethodCounts, method);

// Under the lock.
static MethodCounts *find(const Method *m) {
    return (MethodCounts *)hash_find(&methodcounts.by_method, &by_method, NULL, hash_pointer(m), m);
}

static MethodCounts *find_locked(const Method *m) {
    pthread_mutex_lock(&methodcounts.lock);
    MethodCounts *counts = find(m);
    pthread_mutex_unlock(&methodcounts.lock);
    return counts;
}

static size_t bytes_of(const Method *m, uint32_t blocks, uint32_t receivers) {
    return sizeof(MethodCounts) + blocks * sizeof(uint64_t) + receivers * sizeof(ReceiverCounts) +
        m->info->code->code_len / 8 + 1;
}

// Under the lock.
static MethodCounts *allocate(Method *m, uint32_t blocks, uint32_t receivers) {
    size_t bytes = bytes_of(m, blocks, receivers);
    MethodCounts *counts = calloc(1, bytes);
    if (!counts) grow_out_of_memory(bytes);
    counts->method = m;
    counts->block_count = blocks;
    counts->receivers_count = receivers;
    counts->receivers = (ReceiverCounts *)&counts->blocks[blocks];
    counts->left = (_Atomic uint8_t *)&counts->receivers[receivers];
    methodcounts.stats.bytes += bytes;
    return counts;
}

// Under the lock.
static void retire(MethodCounts *counts, uint64_t begun) {
    hash_remove(&methodcounts.by_method, &by_method, NULL, hash_pointer(counts->method), counts->method);
    methodcounts.stats.methods--;
    methodcounts.stats.bytes -= bytes_of(counts->method, counts->block_count, counts->receivers_count) *
        (counts->recent ? 2 : 1);
    counts->freed_after = begun;
    counts->next = methodcounts.dead;
    methodcounts.dead = counts;
}

// A method that was unloaded while it was being compiled must not stay in the table, because no later pass would
// remove it.
MethodCounts *methodcounts_make(Method *m, uint32_t blocks, uint32_t receivers) {
    uint64_t begun = compilequeue_begun();
    pthread_mutex_lock(&methodcounts.lock);
    MethodCounts *counts = find(m);
    if (!counts) {
        counts = allocate(m, blocks, receivers);
        hash_add_or_exit(&methodcounts.by_method, &by_method, NULL, hash_pointer(m), (uintptr_t)counts);
        methodcounts.stats.methods++;
        if (m->cls->space->dead) retire(counts, begun);
    }
    pthread_mutex_unlock(&methodcounts.lock);
    ASSERT(counts->block_count == blocks && counts->receivers_count == receivers,
           "%s: %u blocks and %u invocations, now %u and %u", m->name->text, counts->block_count,
           counts->receivers_count, blocks, receivers);
    return counts;
}

MethodCounts *methodcounts_make_recent(Method *m, uint32_t blocks, uint32_t receivers) {
    MethodCounts *counts = methodcounts_make(m, blocks, receivers);
    pthread_mutex_lock(&methodcounts.lock);
    if (!counts->recent) __atomic_store_n(&counts->recent, allocate(m, blocks, receivers), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&methodcounts.lock);
    return counts->recent;
}

// ---- recent counts ---------------------------------------------------------------------------------

// An increment by another thread in between may be lost.
static uint64_t take(uint64_t *count) {
    uint64_t value = __atomic_load_n(count, __ATOMIC_RELAXED);
    if (value) __atomic_store_n(count, 0, __ATOMIC_RELAXED);
    return value;
}

// Adds the recent counts, multiplied by `times`, to the others, which were cleared, and clears them. The caller holds
// the lock.
static void absorb(MethodCounts *counts, uint64_t times) {
    MethodCounts *recent = counts->recent;
    for (uint32_t i = 0; i < counts->block_count; i++) {
        uint64_t more = take(&recent->blocks[i]) * times;
        __atomic_store_n(&counts->blocks[i], __atomic_load_n(&counts->blocks[i], __ATOMIC_RELAXED) + more,
                         __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < counts->receivers_count; i++)
        for (int k = 0; k < COUNTED_CLASSES; k++) {
            const VTable *vtable = __atomic_load_n(&recent->receivers[i].rows[k].vtable, __ATOMIC_RELAXED);
            uint64_t count = take(&recent->receivers[i].rows[k].count);
            if (count) method_counts_add_receivers(&counts->receivers[i], vtable, count * times);
        }
}

const MethodCounts *compiler_counts_of(const Method *m) { return find_locked(m); }

uint32_t methodcounts_sampled(const Method *m) {
    MethodCounts *counts = find_locked(m);
    return counts ? atomic_fetch_add_explicit(&counts->samples, 1, memory_order_relaxed) + 1 : 0;
}

bool methodcounts_changed(const Method *m, char *what, size_t size) {
    const MethodCounts *counts = find_locked(m);
    if (!counts || !counts->recent) return false;
    const ClassFileCode *code = m->info->code;
    uint32_t changed = 0;
    while (changed < counts->receivers_count &&
           !countschange_receivers(&counts->receivers[changed], &counts->recent->receivers[changed]))
        changed++;
    if (changed < counts->receivers_count) {
        uint32_t bci = 0, number = changed;  // of the invocation with that number
        while (bci < code->code_len && !(method_counts_selects(code->code[bci]) && number-- == 0))
            bci += opcodes_length(code->code, code->code_len, bci);
        snprintf(what, size, "the receivers at %u", bci);
        return true;
    }
    char error[128];
    Dataflow *flow = methodflow_build(m->cls->file, code, m->desc->text, method_is_static(m), error, sizeof error);
    bool same = flow && flow->block_count == counts->block_count;
    int64_t block = same ? countschange_branch(flow, counts->blocks, counts->recent->blocks) : -1;
    if (block >= 0) snprintf(what, size, "the branch at %u", dataflow_last(flow, (uint32_t)block));
    if (flow) dataflow_free(flow);
    return block >= 0;
}

static uint64_t sum_of_blocks(const MethodCounts *counts) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < counts->block_count; i++) sum += __atomic_load_n(&counts->blocks[i], __ATOMIC_RELAXED);
    return sum;
}

void methodcounts_adopt(const Method *m) {
    pthread_mutex_lock(&methodcounts.lock);
    MethodCounts *counts = find(m);
    uint64_t now = counts && counts->recent ? sum_of_blocks(counts->recent) : 0;
    if (now) {
        uint64_t before = sum_of_blocks(counts);
        for (uint32_t i = 0; i < counts->block_count; i++) take(&counts->blocks[i]);
        for (uint32_t i = 0; i < counts->receivers_count; i++)
            for (int k = 0; k < COUNTED_CLASSES; k++) {
                take(&counts->receivers[i].rows[k].count);
                __atomic_store_n(&counts->receivers[i].rows[k].vtable, NULL, __ATOMIC_RELAXED);
            }
        absorb(counts, before > now ? before / now : 1);
    }
    pthread_mutex_unlock(&methodcounts.lock);
}

bool compiler_adapts(void) { return tiering.options.adaptive; }

static void halve(uint64_t *count) {
    __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) / 2, __ATOMIC_RELAXED);
}

void methodcounts_left(const Method *m, uint32_t bci) {
    MethodCounts *counts = find_locked(m);
    if (counts) atomic_fetch_or_explicit(&counts->left[bci / 8], (uint8_t)(1 << bci % 8), memory_order_relaxed);
}

void methodcounts_decay(const Method *m, bool recent) {
    MethodCounts *counts = find_locked(m);
    if (counts && recent) counts = counts->recent;
    if (!counts) return;
    for (uint32_t i = 0; i < counts->block_count; i++) halve(&counts->blocks[i]);
    for (uint32_t i = 0; i < counts->receivers_count; i++)
        for (int k = 0; k < COUNTED_CLASSES; k++) halve(&counts->receivers[i].rows[k].count);
}

MethodCountsStats methodcounts_stats(void) {
    pthread_mutex_lock(&methodcounts.lock);
    MethodCountsStats stats = methodcounts.stats;
    pthread_mutex_unlock(&methodcounts.lock);
    return stats;
}

// ---- unloading -----------------------------------------------------------------------------------

static void forget_receivers(MethodCounts *counts) {
    if (!counts) return;
    for (uint32_t i = 0; i < counts->receivers_count; i++)
        for (int k = 0; k < COUNTED_CLASSES; k++) {
            const VTable *vtable = counts->receivers[i].rows[k].vtable;
            if (!vtable || !vtable->cls->space->dead) continue;
            counts->receivers[i].rows[k].vtable = NULL;
            counts->receivers[i].rows[k].count = 0;
        }
}

// Frees the counts whose compilations have finished; the others stay in the list.
static void free_finished(MethodCounts **dead) {
    for (MethodCounts **at = dead, *c; (c = *at);) {
        if (!compilequeue_finished(c->freed_after)) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        free(c->recent);
        free(c);
    }
}

void methodcounts_forget_dead(uint64_t begun) {
    MethodCounts *dying = NULL;
    pthread_mutex_lock(&methodcounts.lock);
    MethodCounts *waiting = methodcounts.dead;
    methodcounts.dead = NULL;
    pthread_mutex_unlock(&methodcounts.lock);
    free_finished(&waiting);
    pthread_mutex_lock(&methodcounts.lock);
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&methodcounts.by_method, &at));) {
        MethodCounts *counts = (MethodCounts *)item;
        forget_receivers(counts);
        forget_receivers(counts->recent);
        if (!counts->method->cls->space->dead) continue;
        counts->next = dying;
        dying = counts;
    }
    for (MethodCounts *next; dying; dying = next) {
        next = dying->next;
        retire(dying, begun);
    }
    for (MethodCounts *next; waiting; waiting = next) {
        next = waiting->next;
        waiting->next = methodcounts.dead;
        methodcounts.dead = waiting;
    }
    pthread_mutex_unlock(&methodcounts.lock);
}

void methodcounts_before_fork(void) { pthread_mutex_lock(&methodcounts.lock); }
void methodcounts_after_fork(void) { pthread_mutex_unlock(&methodcounts.lock); }
