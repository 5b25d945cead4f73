#include "profiler/tool/compare/prof_overlap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/splitmix.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"

typedef struct Totals {
    double a, b;
} Totals;

static Totals totals(const OverlapItem *items, size_t count) {
    Totals t = {0, 0};
    for (size_t i = 0; i < count; i++) {
        t.a += (double)items[i].a;
        t.b += (double)items[i].b;
    }
    return t;
}

double overlap_percent(const OverlapItem *items, size_t count) {
    Totals t = totals(items, count);
    if (t.a == 0 || t.b == 0) return t.a == t.b ? 100 : 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += fmin((double)items[i].a / t.a, (double)items[i].b / t.b);
    return 100 * sum;
}

// ---- the most frequent items -------------------------------------------------------------------

// Puts the most frequent items of A that make up `part` of it into top[] and returns their number.
static size_t choose_top(const OverlapItem *items, size_t count, double part, OverlapItem *top) {
    ProfRank *ranked = prof_alloc(count * sizeof *ranked);
    double wanted = part * totals(items, count).a, sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) ranked[i] = (ProfRank){items[i].a, i};
    if (count) qsort(ranked, count, sizeof *ranked, prof_by_weight);
    for (; n < count && sum < wanted; n++) {
        top[n] = items[ranked[n].item];
        sum += (double)top[n].a;
    }
    free(ranked);
    return n;
}

double overlap_top_percent(const OverlapItem *items, size_t count, double part, size_t *members) {
    OverlapItem *top = prof_alloc(count * sizeof *top);
    *members = choose_top(items, count, part, top);
    double result = overlap_percent(top, *members);
    free(top);
    return result;
}

// ---- weight matching and invariance, as in the paper on shadow profiling ------------------------

double overlap_weight_percent(const OverlapItem *items, size_t count, double part, size_t *members) {
    ProfRank *ranked = prof_alloc(count * sizeof *ranked);
    bool *hot = prof_alloc(count * sizeof *hot);
    size_t there = 0;
    double all = 0, both = 0;
    for (size_t i = 0; i < count; i++) {
        ranked[i] = (ProfRank){items[i].b, i};
        there += items[i].a != 0;
    }
    size_t n = (size_t)ceil(part * (double)there);
    if (count) qsort(ranked, count, sizeof *ranked, prof_by_weight);
    for (size_t i = 0; i < n && ranked[i].weight; i++) hot[ranked[i].item] = true;
    for (size_t i = 0; i < count; i++) ranked[i] = (ProfRank){items[i].a, i};
    if (count) qsort(ranked, count, sizeof *ranked, prof_by_weight);
    for (size_t i = 0; i < n; i++) {
        all += (double)ranked[i].weight;
        if (hot[ranked[i].item]) both += (double)ranked[i].weight;
    }
    free(ranked);
    free(hot);
    *members = n;
    return all > 0 ? 100 * both / all : 100;
}

// Difference between the shares that `part` has of `times`, in executions of A.
static double difference(OverlapItem times, OverlapItem part) {
    double a = (double)part.a / (double)times.a, b = (double)part.b / (double)times.b;
    return fabs(a - b) * (double)times.a;
}

OverlapInvariance overlap_invariance(const OverlapPlace *places, size_t count) {
    OverlapInvariance r = {0};
    double weight = 0;
    for (size_t i = 0; i < count; i++) {
        const OverlapPlace *p = &places[i];
        if (!p->times.a || !p->times.b) continue;
        r.top += difference(p->times, p->top);
        r.known += difference(p->times, p->known);
        r.zero += difference(p->times, p->zero);
        weight += (double)p->times.a;
        r.members++;
    }
    if (!r.members) return r;
    r.top *= 100 / weight;
    r.known *= 100 / weight;
    r.zero *= 100 / weight;
    return r;
}

// ---- the ideal sample --------------------------------------------------------------------------

#define NORMAL_VARIANCE 1e4  // above it the mean deviation is the normal distribution's but for 1 in 100,000
#define LARGE 1e6            // above it the difference of two lgamma loses digits, and Stirling's series has them

// Logarithm of n over k.
static double log_choose(double n, double k) {
    if (n < LARGE) return lgamma(n + 1) - lgamma(n - k + 1) - lgamma(k + 1);
    double rest = n - k, shrinks = log1p(-k / n);
    return k * log(n) - (rest + 0.5) * shrinks - k + (1 / n - 1 / rest) / 12 - lgamma(k + 1);
}

// Mean deviation E |X - n p| of a binomial X (n, p), 0 < p < 1: De Moivre's 2 k (1 - p) P(X = k) for k = floor(n p) +
// 1.
static double mean_deviation(double n, double p) {
    if (p > 0.5) p = 1 - p;  // n - X deviates as X does
    double variance = n * p * (1 - p), k = floor(n * p) + 1;
    if (variance > NORMAL_VARIANCE) return sqrt(2 * variance / M_PI);
    if (k > n) k = n;  // n p rounded up to n
    return 2 * k * exp(log_choose(n, k) + k * log(p) + (n - k + 1) * log1p(-p));
}

// An item of share p loses E max(0, p - X/n) for X binomial (n, p), which is half the mean deviation of X/n.
double overlap_ideal(const OverlapItem *items, size_t count, uint64_t events) {
    double all = totals(items, count).a, n = (double)events, sum = 0;
    if (all == 0 || events == 0) return all == 0 && events == 0 ? 100 : 0;
    for (size_t i = 0; i < count; i++) {
        double p = (double)items[i].a / all;
        if (p > 0 && p < 1) sum += mean_deviation(n, p) / n / 2;
    }
    return 100 * (1 - sum);
}

// The part of the events drawn from A that falls on its top items.
double overlap_top_ideal(const OverlapItem *items, size_t count, double part, uint64_t events) {
    OverlapItem *top = prof_alloc(count * sizeof *top);
    size_t n = choose_top(items, count, part, top);
    double all = totals(items, count).a, share = all > 0 ? totals(top, n).a / all : 0;
    double result = overlap_ideal(top, n, (uint64_t)((double)events * share + 0.5));
    free(top);
    return result;
}

// First item whose running sum is above `value`.
static size_t item_at(const uint64_t *sums, size_t count, uint64_t value) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle] > value) high = middle;
        else low = middle + 1;
    }
    return low;
}

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

void overlap_draw(const OverlapItem *items, size_t count, uint64_t events, uint64_t seed, double *result,
                  size_t draws) {
    OverlapItem *drawn = prof_alloc(count * sizeof *drawn);
    uint64_t *sums = prof_alloc(count * sizeof *sums), all = 0;
    for (size_t i = 0; i < count; i++) sums[i] = all += drawn[i].a = items[i].a;
    for (size_t d = 0; d < draws; d++) {
        for (size_t i = 0; i < count; i++) drawn[i].b = 0;
        for (uint64_t e = 0; e < events && all; e++) {
            uint64_t value = (uint64_t)((unsigned __int128)splitmix_next(&seed) * all >> 64);
            drawn[item_at(sums, count, value)].b++;
        }
        result[d] = overlap_percent(drawn, count);
    }
    if (draws) qsort(result, draws, sizeof *result, ascending);
    free(drawn);
    free(sums);
}

// ---- the error rate, as in the paper on CAB ----------------------------------------------------

OverlapError overlap_error(const OverlapItem *items, size_t count, uint64_t least, double rate) {
    OverlapError e = {0};
    for (size_t i = 0; i < count; i++) {
        double n = (double)items[i].a;
        if (!items[i].a || items[i].a < least) continue;
        e.percent += fabs(n - (double)items[i].b / rate) / n;
        if (rate < 1) e.ideal += mean_deviation(n, rate) / (n * rate);
        e.members++;
    }
    if (!e.members) return e;
    e.percent *= 100 / (double)e.members;
    e.ideal *= 100 / (double)e.members;
    return e;
}
