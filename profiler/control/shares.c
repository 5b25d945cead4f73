#include "profiler/control/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/control/phases.h"

static struct Shares {
    struct Share {
        uint64_t key[TABLE_KEYS];
        double sum, squares;
    } * rows;
    uint32_t count, capacity;
    uint64_t shadows;             // complete ones, which have shares
    uint64_t ended;               // all of them
    double missing, missing_now;  // the parts of their lengths that they did not run: sum, mean of the latest
    bool converged;
    // Phases of the program.
    Phases *phases;
    uint64_t looks;
    uint32_t phase;
} shares;

static struct Share *share_of(const TableRow *row) {
    for (uint32_t i = 0; i < shares.count; i++)
        if (memcmp(shares.rows[i].key, row->key, sizeof row->key) == 0) return &shares.rows[i];
    if (!GROW(shares.rows, shares.capacity, shares.count + 1)) return NULL;
    struct Share *s = &shares.rows[shares.count++];
    *s = (struct Share){0};
    memcpy(s->key, row->key, sizeof s->key);
    return s;
}

// Resets the statistics of shares.
static void reset_shares(void) {
    shares.converged = false;
    shares.count = 0;
    shares.shadows = shares.ended = 0;
    shares.missing = shares.missing_now = 0;
}

// A shadow has ended; `part` of its length is missing.
static void note_missing(double part) {
    enum { LATEST = 32 };  // weight of the mean
    uint64_t n = ++shares.ended < LATEST ? shares.ended : LATEST;
    shares.missing += part;
    shares.missing_now += (part - shares.missing_now) / (double)n;
}

// The missing part of all shadows, or of the latest ones if that is larger: the program may have changed.
static double missing_part(void) {
    double all = shares.ended ? shares.missing / (double)shares.ended : 0;
    return all > shares.missing_now ? all : shares.missing_now;
}

static void decide(void) {
    enum { FEWEST = 10 };
    const double near = 0.03;
    double n = (double)shares.shadows;
    shares.converged = shares.shadows >= FEWEST && missing_part() <= near;
    for (uint32_t i = 0; i < shares.count && shares.converged; i++) {
        // The error of a share: half of the 95 % confidence interval of its mean, plus the effect of the missing part,
        // which may belong to this row alone or to other rows alone.
        const struct Share *s = &shares.rows[i];
        double mean = s->sum / n, variance = (s->squares - n * mean * mean) / (n - 1);
        double half_width = 1.96 * sqrt(variance > 0 ? variance / n : 0);
        shares.converged = half_width + missing_part() * (mean > 0.5 ? mean : 1 - mean) <= near;
    }
}

void shares_note_lost(void) {
    note_missing(1);
    decide();
}

void shares_note(const ShadowThreads *t, int analysis, double part) {
    enum { MOST_ROWS = 512 };
    const double least = 0.01;
    Table sum = {0};
    note_missing(1 - part);
    if (part < 1) {
        decide();
        return;
    }
    for (size_t i = 0; i < t->count; i++)
        if (!t->threads[i].service) table_add_all(&sum, &t->threads[i].tables[analysis]);
    table_combine(&sum);
    double total = (double)table_total(&sum), far = 0;
    if (total > 0) shares.shadows++;
    double n = (double)shares.shadows;
    for (size_t i = 0; i < sum.count && total > 0; i++) {
        double share = (double)sum.rows[i].count / total;
        if (share < least) continue;
        struct Share *s = share_of(&sum.rows[i]);
        if (!s) continue;
        if (n > 1) far += fabs(share - s->sum / (n - 1)) / 2;
        s->sum += share;
        s->squares += share * share;
    }
    table_free(&sum);
    // Another phase of the program, for which the statistics do not hold.
    bool other = (shares.converged && far > 0.25) || shares.count > MOST_ROWS;
    if (other) reset_shares();
    else decide();
}

void shares_end(void) {
    free(shares.rows);
    free(shares.phases);
    shares = (struct Shares){0};
}

bool shares_converged(void) { return shares.converged; }

// ---- phases ----------------------------------------------------------------------------------------

static Phases *phases(void) {
    if (!shares.phases) shares.phases = phases_new(1, 1);
    return shares.phases;
}

void shares_note_call(uint32_t caller, uint32_t callee) {
    if (phases()) phases_call(phases(), caller, callee);
}

// A look counts as one check. A new phase resets the statistics of shares, except the first phase.
bool shares_check_phase(void) {
    int64_t interval = 1;
    if (!phases()) return false;
    uint32_t known = phases_count(phases());
    phases_burst(phases(), ++shares.looks, NULL, true, &interval);
    uint32_t phase = phases_now(phases());
    bool is_new = phases_count(phases()) > known, is_first = known == PHASE_BETWEEN + 1,
         changes = phase != shares.phase;
    shares.phase = phase;
    if (is_new && !is_first) reset_shares();
    return changes && !(is_new && is_first);
}
