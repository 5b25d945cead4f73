// Compact distributions of times and other numbers, after HdrHistogram. A bucket is as wide as 1/32 of its values, so a
// value read back is off by at most 1/64 (1.6 %); values below 64 are exact. Only nonempty buckets take memory (8 bytes
// each). Count, sum, least and largest are exact.
//
// Not thread-safe: the owner's lock covers it. A reader during a crash may see the last value half added. malloc only.
#ifndef CABERNET_PROFILER_ANALYSES_HISTOGRAM_H
#define CABERNET_PROFILER_ANALYSES_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { HISTOGRAM_PRECISION = 5 };  // log2 of the number of buckets per power of two

typedef struct HistogramBucket {
    uint32_t bucket, count;  // sorted by `bucket`
} HistogramBucket;

// Zeroed: empty.
typedef struct Histogram {
    uint64_t count, sum, least, largest;
    HistogramBucket *buckets;
    uint32_t used, capacity, last;  // last: position of the bucket that was incremented last
    uint32_t lost;                  // values without a bucket: out of memory, or the bucket was full
} Histogram;

uint32_t histogram_bucket(uint64_t value);
uint64_t histogram_low(uint32_t bucket);  // the least number in a bucket
uint64_t histogram_middle(uint32_t bucket);

void histogram_add(Histogram *h, uint64_t value);
void histogram_merge(Histogram *to, const Histogram *from);
// The value that the fraction `share` (0 to 1) of all values does not exceed, off by at most 1/64; 0 if empty. Share 1
// is exactly the largest.
uint64_t histogram_percentile(const Histogram *h, double share);
void histogram_free(Histogram *h);

#endif
