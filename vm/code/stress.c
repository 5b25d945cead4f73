// Stress (vm/code/stress.h).
//
// A place is the return address of a poll in compiled code. With collections counted by place, a collection examines
// every set of registers and spilled pointers that the compiler made for a poll, at a cost that grows with the amount
// of code and not with how often it runs. The table is bounded: once it is full, new places collect no more. Freed
// code leaves its places in the table; code that reuses the addresses starts with their counts.
#include "vm/code/stress.h"

#include <stdatomic.h>

#include "vm/code/hooks.h"

enum { SITES = 1 << 20, COUNT_BITS = 16 };  // a place and its count share a word: addresses have 47 bits

static struct Stress {
    StressConfig config;
    CodeStress hooks;
    bool is_on;
    _Atomic uint32_t deopt_chances, poll_chances;
    _Atomic uint64_t sites[SITES];
} stress;

// True for every n-th chance; n 0: never.
static bool every(uint32_t n, _Atomic uint32_t *chances) {
    return n && atomic_fetch_add_explicit(chances, 1, memory_order_relaxed) % n == 0;
}

static bool deopt(void) { return every(stress.config.deopt_stress, &stress.deopt_chances); }

// Whether compiled code has reached this poll fewer than `limit` times. Counts the visit if so. The word of a place is
// created when it is first reached, unless the table is full.
static bool is_new_site(const Thread *self, uint32_t limit) {
    const Frame *f = self->frame;
    if (!limit || !f || f->kind != FRAME_COMPILED || !f->native) return false;
    uint64_t place = *(const uint64_t *)f->native;
    uint32_t i = (uint32_t)((place * 0x9e3779b97f4a7c15u) >> 32);
    for (uint32_t tries = 0; tries < 64; tries++) {
        _Atomic uint64_t *site = &stress.sites[(i + tries) % SITES];
        uint64_t seen = 0;
        bool is_new = atomic_compare_exchange_strong(site, &seen, place << COUNT_BITS);
        if (!is_new && seen >> COUNT_BITS != place) continue;
        if ((uint16_t)atomic_load(site) >= limit) return false;
        atomic_fetch_add(site, 1);
        return true;
    }
    return false;
}

static void collect_at_poll(Thread *self) {
    if (is_new_site(self, stress.config.poll_stress_sites) || every(stress.config.poll_stress, &stress.poll_chances))
        heap_collect(&self->heap, "poll stress");
}

const CodeStress *code_stress(void) { return stress.is_on ? &stress.hooks : NULL; }

void stress_configure(const StressConfig *wanted) {
    stress.config = *wanted;
    stress.hooks = (CodeStress){.polled = collect_at_poll, .deopt = wanted->deopt_stress ? deopt : NULL};
    stress.is_on = wanted->deopt_stress || wanted->poll_stress || wanted->poll_stress_sites;
}
