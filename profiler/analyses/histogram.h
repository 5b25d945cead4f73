// Distributions of times and other numbers in little memory, after HdrHistogram: buckets as wide as 1/32 of the numbers in
// them, so that what is read back is off by at most 1/64 (1.6 %), and numbers below 64 are exact. Only buckets that hold
// something take memory (8 bytes each). Count, sum, least and largest are exact.
//
// Not thread-safe: the owner's lock covers it. A reader during a crash may see the last number half added. malloc only.
#ifndef CABERNET_PROFILER_HISTOGRAM_H
#define CABERNET_PROFILER_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { HISTOGRAM_PRECISION = 5 };  // 1 << that many buckets to each power of two

typedef struct HistogramBucket {
    uint32_t bucket, count;  // in order of `bucket`
} HistogramBucket;

// Zeroed: empty.
typedef struct Histogram {
    uint64_t count, sum, least, largest;
    HistogramBucket *buckets;
    uint32_t used, capacity, last;  // last: position of the bucket that was added to last
    uint32_t lost;                  // numbers in no bucket: memory was out, or a bucket was full
} Histogram;

uint32_t histogram_bucket(uint64_t value);
uint64_t histogram_low(uint32_t bucket);   // the least number in a bucket
uint64_t histogram_middle(uint32_t bucket);

void histogram_add(Histogram *h, uint64_t value);
void histogram_merge(Histogram *to, const Histogram *from);
// The number that `share` (0 to 1) of all do not exceed, off by at most 1/64; 0 of none. Share 1: the largest, exactly.
uint64_t histogram_percentile(const Histogram *h, double share);
void histogram_free(Histogram *h);

#endif
