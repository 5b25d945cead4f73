#include "profiler/control/phases.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

// Each burst has weight 1, whatever it saw; only its first calls count.
enum {
    COORDINATES = 512,
    NO_CALL = COORDINATES,
    CALLS_OF_BURST = 64,
    LEAST_LOOK = 16,
    LEAST_WINDOW = 32,
    LARGEST_WINDOW = 512,
    LAST_BURSTS = 7,
    FORGET = 1 << 20
};
// Distances range from 0 to 2. Phases are at least APART apart, beyond the effect of chance. WINDOW_ERROR bounds the
// error of a window. A phase is known when the error of its shares is at most KNOWN_ERROR. A burst is strange if half
// of it consists of pairs with a share below RARE (one in 500) in the phase.
static const double APART = 0.5, WINDOW_ERROR = 0.25, KNOWN_ERROR = 0.05, STRANGE = 0.5, RARE = 0.002, EARLY = 1.5;

typedef struct Vector {
    float of[COORDINATES + 1];  // the last one counts bursts without a call
    float bursts;
} Vector;

typedef struct Pair {
    uint32_t caller, callee;
} Pair;

// Bursts of a phase that are equally rare: after the usual interval, or after a longer one.
typedef struct Stratum {
    uint64_t stand_for, bursts;    // the intervals that led to them plus the bursts' own checks, and their number
    uint64_t events[EVENT_COUNT];  // recorded in completed bursts
} Stratum;
enum Rarity { USUAL, RARER, RARITIES };

typedef struct Phase {
    Vector vector;
    uint64_t times, checks, bursts;
    Stratum strata[RARITIES];
    double spread;  // of its vector
    Pair pair;      // the most frequent pair of its last window
} Phase;

struct Phases {
    uint32_t rarer, burst;
    uint32_t drawn;                  // the phase whose interval leads to the next burst
    enum Rarity rarity;              // of that interval
    uint64_t interval;               // its length
    Stratum *under_way;              // of the last burst
    uint64_t produced[EVENT_COUNT];  // by the thread before the last burst
    uint32_t now, last;              // the present phase, and the last one that was a phase
    _Atomic uint32_t count;
    bool begun;
    uint8_t strange;  // bit for each of the last bursts in a known phase: it did not fit the phase
    uint64_t checks;  // at the begin of the last burst
    uint64_t without_room, random;
    Vector window, before;  // before: the previous window between phases; no bursts: none
    uint16_t calls[CALLS_OF_BURST], call_count;
    Pair pairs[COORDINATES];  // last pair seen at each coordinate
    Phase phase[PHASES_MOST];
};

Phases *phases_new(uint32_t rarer, uint32_t burst) {
    Phases *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->rarer = rarer;
    p->burst = burst;
    p->count = 1;
    p->last = PHASES_MOST;
    return p;
}

void phases_call(Phases *p, uint32_t caller, uint32_t callee) {
    if (p->call_count == CALLS_OF_BURST) return;
    uint64_t h = ((uint64_t)caller << 32 | callee) * UINT64_C(0x9e3779b97f4a7c15);
    uint16_t at = (uint16_t)(h >> 55);
    p->pairs[at] = (Pair){caller, callee};
    p->calls[p->call_count++] = at;
}

// ---- vectors ------------------------------------------------------------------------------------

// The distance of the shares of n bursts from the true ones is about spread / sqrt(n), where spread is the sum of the
// mean deviations of binomial shares.
static double spread_of(const Vector *v) {
    double sum = 0;
    for (int i = 0; i <= COORDINATES; i++) {
        if (v->of[i] == 0) continue;
        float share = v->of[i] / v->bursts;
        sum += sqrtf(share * (1 - share));
    }
    return sum * sqrt(2 / M_PI);
}

static void add(Vector *to, const Vector *v) {
    for (int i = 0; i <= COORDINATES; i++) to->of[i] += v->of[i];
    to->bursts += v->bursts;
}

// The distance beyond APART and `chance` times the effect of chance; at most 0: the same phase.
static double beyond(const Vector *window, const Vector *phase, double chance) {
    Vector both = *window;
    float distance = 0;
    add(&both, phase);
    for (int i = 0; i <= COORDINATES; i++)
        distance += fabsf(window->of[i] / window->bursts - phase->of[i] / phase->bursts);
    return distance - APART - chance * spread_of(&both) * sqrt(1 / window->bursts + 1 / phase->bursts);
}

// ---- windows ------------------------------------------------------------------------------------

static bool is_known(const Phase *phase) {
    return phase->vector.bursts >= LEAST_WINDOW && phase->spread <= KNOWN_ERROR * sqrt(phase->vector.bursts);
}

// The fraction of the burst's pairs that are rare in the present phase.
static double strange(const Phases *p) {
    const Vector *v = &p->phase[p->now].vector;
    double sum = 0, rare = RARE * v->bursts;
    for (int i = 0; i < p->call_count; i++) sum += v->of[p->calls[i]] < rare;
    return p->call_count ? sum / p->call_count : v->of[NO_CALL] < rare;
}

// The phase most similar to the window; PHASE_BETWEEN: there are no phases. *is: it is similar enough.
static uint32_t most_like(const Phases *p, bool *is) {
    double least = INFINITY;
    uint32_t nearest = PHASE_BETWEEN;
    for (uint32_t i = PHASE_BETWEEN + 1; i < p->count; i++) {
        double d = beyond(&p->window, &p->phase[i].vector, 1);
        if (d >= least) continue;
        least = d;
        nearest = i;
    }
    *is = least <= 0;
    return nearest;
}

static void take_window(Phases *p) {
    Phase *now = &p->phase[p->now];
    int most = 0;
    add(&now->vector, &p->window);
    if (now->vector.bursts > FORGET) {
        for (int i = 0; i <= COORDINATES; i++) now->vector.of[i] /= 2;
        now->vector.bursts /= 2;
    }
    now->spread = spread_of(&now->vector);
    for (int i = 1; i < COORDINATES; i++)
        if (p->window.of[i] > p->window.of[most]) most = i;
    if (p->window.of[most] > 0) now->pair = p->pairs[most];
}

static void enter(Phases *p, uint32_t phase) {
    p->now = phase;
    p->phase[phase].times += phase != p->last;
    if (phase != PHASE_BETWEEN) p->last = phase;
    p->strange = 0;
    p->before.bursts = 0;
}

// Between phases: is the window an earlier phase or, if two consecutive windows are alike, a new one?
static void find_phase(Phases *p, bool room) {
    bool is, again = p->before.bursts > 0 && beyond(&p->window, &p->before, 1) <= 0;
    uint32_t phase = most_like(p, &is);
    if (!is && !again) {
        p->before = p->window;
        return;
    }
    if (!is && room && p->count < PHASES_MOST) {
        phase = p->count;
        p->phase[phase].vector = p->before;
        enter(p, phase);
        atomic_fetch_add(&p->count, 1);
    } else if (phase != PHASE_BETWEEN) {
        p->without_room += !is;
        enter(p, phase);
        if (is && is_known(&p->phase[phase])) return;  // the window may begin before the phase
    }
    take_window(p);
}

// A window unlike its phase ends it, full or not. A window that is not full must differ by more, because chance
// explains more.
static void look_at_window(Phases *p, bool room) {
    double n = p->window.bursts, spread = n < LEAST_WINDOW ? 0 : fmax(p->phase[p->now].spread, spread_of(&p->window));
    bool full = n >= LEAST_WINDOW && (n >= LARGEST_WINDOW || n >= spread * spread / (WINDOW_ERROR * WINDOW_ERROR)),
         ends = p->now != PHASE_BETWEEN && beyond(&p->window, &p->phase[p->now].vector, full ? 1 : EARLY) > 0;
    if (ends) enter(p, PHASE_BETWEEN);
    else if (full && p->now == PHASE_BETWEEN) find_phase(p, room);
    else if (full) take_window(p);
    if (ends || full) p->window = (Vector){.bursts = 0};
}

// The interval that led to a thread's first burst is unknown; on average it is a usual one.
static void count_burst(Phases *p, uint64_t checks, uint64_t usual) {
    Phase *drawn = &p->phase[p->drawn];
    drawn->checks += checks - p->checks;
    drawn->bursts++;
    p->checks = checks;
    p->under_way = &drawn->strata[p->rarity];
    p->under_way->stand_for += (p->begun ? p->interval : usual) + p->burst - 1;
    p->under_way->bursts++;
}

uint32_t phases_burst(Phases *p, uint64_t checks, const uint64_t *produced, bool room, int64_t *interval) {
    if (p->begun) {  // the last burst ends
        if (p->now != PHASE_BETWEEN && is_known(&p->phase[p->now]))
            p->strange = (uint8_t)(p->strange << 1 | (strange(p) >= STRANGE));
        for (int i = 0; i < p->call_count; i++) p->window.of[p->calls[i]] += 1.0f / p->call_count;
        if (!p->call_count) p->window.of[NO_CALL]++;
        p->window.bursts++;
        p->call_count = 0;
    }
    // The events since the last burst began are attributed to that burst.
    for (int e = 0; produced && p->begun && e < EVENT_COUNT; e++)
        p->under_way->events[e] += produced[e] - p->produced[e];
    if (produced) memcpy(p->produced, produced, sizeof p->produced);
    uint32_t n = (uint32_t)p->window.bursts;
    if (p->begun && __builtin_popcount(p->strange & LAST_BURSTS) >= 2) {
        enter(p, PHASE_BETWEEN);
        p->window = (Vector){.bursts = 0};
    } else if (p->begun && n >= LEAST_LOOK && !(n & (n - 1))) {  // each time the number of bursts has doubled
        look_at_window(p, room);
    }
    uint32_t drawn = p->drawn;
    count_burst(p, checks, (uint64_t)*interval);
    p->begun = true;
    bool known = p->now != PHASE_BETWEEN && is_known(&p->phase[p->now]), doubted = known && p->strange & 1;
    p->rarity = known && !doubted ? RARER : USUAL;
    // A random part is added, because a multiple of the interval may resonate with loops that the interval does not
    // resonate with.
    if (p->rarity == RARER && p->rarer != 1 && *interval <= INT64_MAX / p->rarer)
        *interval = *interval * p->rarer - *interval / 2 + (int64_t)(splitmix_next(&p->random) % (uint64_t)*interval);
    p->interval = (uint64_t)*interval;
    p->drawn = doubted ? PHASE_BETWEEN : p->now;
    return drawn;
}

// ---- facts --------------------------------------------------------------------------------------

uint32_t phases_now(const Phases *p) { return p->now; }
uint32_t phases_count(const Phases *p) { return p->count; }
uint64_t phases_without_room(const Phases *p) { return p->without_room; }

PhaseFacts phases_facts(const Phases *p, uint32_t phase) {
    const Phase *f = &p->phase[phase];
    return (PhaseFacts){.times = f->times,
                        .checks = f->checks,
                        .bursts = f->bursts,
                        .caller = f->pair.caller,
                        .callee = f->pair.callee,
                        .calls = f->vector.bursts > f->vector.of[NO_CALL],
                        .known = phase != PHASE_BETWEEN && is_known(f)};
}

double phases_weight(const Phases *p, uint32_t phase, EventSet events) {
    double stand_for = 0, checks = 0, happened = 0, recorded = 0;
    for (int i = 0; i < RARITIES; i++) {
        const Stratum *s = &p->phase[phase].strata[i];
        if (!s->bursts) continue;
        double stratum_checks = (double)s->bursts * p->burst, seen = 0;
        for (int e = 0; e < EVENT_COUNT; e++)
            if (events >> e & 1) seen += (double)s->events[e];
        stand_for += (double)s->stand_for;
        checks += stratum_checks;
        happened += seen * (double)s->stand_for / stratum_checks;
        recorded += seen;
    }
    return recorded > 0 ? happened / recorded : checks > 0 ? stand_for / checks : 1;
}
