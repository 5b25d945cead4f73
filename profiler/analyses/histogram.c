#include "profiler/analyses/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { STEPS = 1 << HISTOGRAM_PRECISION };

// Below 2 * STEPS each number has its own bucket; above, the leading PRECISION + 1 bits select it.
uint32_t histogram_bucket(uint64_t value) {
    if (value < 2 * STEPS) return (uint32_t)value;
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(value) - HISTOGRAM_PRECISION;
    return (shift << HISTOGRAM_PRECISION) + (uint32_t)(value >> shift);
}

static uint32_t shift_of(uint32_t bucket) { return bucket < 2 * STEPS ? 0 : (bucket >> HISTOGRAM_PRECISION) - 1; }

uint64_t histogram_low(uint32_t bucket) {
    uint32_t shift = shift_of(bucket);
    return (uint64_t)(bucket - (shift << HISTOGRAM_PRECISION)) << shift;
}

uint64_t histogram_middle(uint32_t bucket) {
    uint32_t shift = shift_of(bucket);
    return histogram_low(bucket) + (shift ? (uint64_t)1 << (shift - 1) : 0);
}

// The bucket's position, or its insertion point.
static uint32_t position_of(const Histogram *h, uint32_t bucket) {
    uint32_t low = 0, high = h->used;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->buckets[middle].bucket < bucket) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void add_to_bucket(Histogram *h, uint32_t bucket, uint32_t times) {
    uint32_t at = h->last < h->used && h->buckets[h->last].bucket == bucket ? h->last : position_of(h, bucket);
    if (at == h->used || h->buckets[at].bucket != bucket) {
        if (!GROW(h->buckets, h->capacity, h->used + 1)) {
            h->lost += times;
            return;
        }
        memmove(h->buckets + at + 1, h->buckets + at, (h->used - at) * sizeof *h->buckets);
        h->buckets[at] = (HistogramBucket){bucket, 0};
        h->used++;
    }
    if (__builtin_add_overflow(h->buckets[at].count, times, &h->buckets[at].count)) {
        h->buckets[at].count = UINT32_MAX;
        h->lost += times;
    }
    h->last = at;
}

void histogram_add(Histogram *h, uint64_t value) {
    if (!h->count || value < h->least) h->least = value;
    if (value > h->largest) h->largest = value;
    h->count++;
    h->sum += value;
    add_to_bucket(h, histogram_bucket(value), 1);
}

void histogram_merge(Histogram *to, const Histogram *from) {
    if (!from->count) return;
    if (!to->count || from->least < to->least) to->least = from->least;
    if (from->largest > to->largest) to->largest = from->largest;
    to->count += from->count;
    to->sum += from->sum;
    to->lost += from->lost;
    for (uint32_t i = 0; i < from->used; i++) add_to_bucket(to, from->buckets[i].bucket, from->buckets[i].count);
}

uint64_t histogram_percentile(const Histogram *h, double share) {
    uint64_t all = 0, seen = 0;
    for (uint32_t i = 0; i < h->used; i++) all += h->buckets[i].count;
    if (!all || share >= 1) return h->largest;
    for (uint32_t i = 0; i < h->used; i++) {
        seen += h->buckets[i].count;
        if ((double)seen < share * (double)all) continue;
        uint64_t middle = histogram_middle(h->buckets[i].bucket);
        return middle > h->largest ? h->largest : middle < h->least ? h->least : middle;
    }
    return h->largest;
}

void histogram_free(Histogram *h) {
    free(h->buckets);
    *h = (Histogram){0};
}
