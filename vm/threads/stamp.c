// Time stamps (vm/api/stamp.h). A stamp is (counter - base) * factor. The factor is a fixed-point number that is
// measured only once, because a later correction would make stamps jump. Its error is measured at the end and reported.
#include "vm/api/stamp.h"

#include "arch_timestamp.h"
#include "base/clock.h"

enum { FACTOR_BITS = 32, CALIBRATION_NS = 2000000, COST_ROUNDS = 1000 };

static struct Stamp {
    uint64_t base, factor;  // factor 0: stamps come from the clock
    int64_t base_ns;
} stamp;

uint64_t stamp_now(void) {
    if (__builtin_expect(stamp.factor == 0, 0)) return (uint64_t)(clock_monotonic_ns() - stamp.base_ns);
    uint64_t ticks = arch_timestamp() - stamp.base;
    if ((int64_t)ticks < 0) ticks = 0;  // another processor's counter, below the base
    return (uint64_t)((unsigned __int128)ticks * stamp.factor >> FACTOR_BITS);
}

// Reads both clocks at one moment: keeps the fastest of several tries.
static void read_both(uint64_t *ticks, int64_t *ns) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = arch_timestamp();
        int64_t now = clock_monotonic_ns();
        uint64_t after = arch_timestamp();
        if (after - before >= best) continue;
        best = after - before;
        *ticks = before + best / 2;
        *ns = now;
    }
}

void stamp_start(void) {
    if (stamp.base_ns) return;
    uint64_t ticks = 0;
    int64_t ns = 0;
    read_both(&stamp.base, &stamp.base_ns);
    if (!arch_timestamp_is_steady()) return;
    while (clock_monotonic_ns() - stamp.base_ns < CALIBRATION_NS) {}
    read_both(&ticks, &ns);
    if (ticks <= stamp.base) return;
    stamp.factor = (uint64_t)(((unsigned __int128)(uint64_t)(ns - stamp.base_ns) << FACTOR_BITS) /
                              (ticks - stamp.base));
}

void stamp_facts(StampFacts *out) {
    uint64_t begin = stamp_now(), ticks = 0;
    int64_t ns = 0;
    volatile uint64_t last;
    for (int i = 0; i < COST_ROUNDS; i++) last = stamp_now();
    (void)last;
    *out = (StampFacts){.counter = stamp.factor != 0, .cost_ns = (double)(stamp_now() - begin) / COST_ROUNDS};
    if (!stamp.factor) return;
    out->ticks_per_ns = (double)((uint64_t)1 << FACTOR_BITS) / (double)stamp.factor;
    read_both(&ticks, &ns);
    double stamped = (double)(ticks - stamp.base) / out->ticks_per_ns, real = (double)(ns - stamp.base_ns);
    out->drift = real > 0 ? stamped / real - 1 : 0;
}
