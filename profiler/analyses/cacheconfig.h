// The simulated cache as requested by the option cache= of -Xprofile. The text is a list of words, separated by commas:
//
//     l1=32k/4  l2=512k/8   bytes and ways of a level
//     line=64               bytes of a line
//     fifo  lru  random     which line of a full set is replaced
//     inclusive  noninclusive
//     host                  sizes, ways and line of this machine's processor, with lru and noninclusive
//
// Later words override earlier ones. Words that are missing have the values of Ha et al. (A Concurrent Dynamic Analysis
// Framework for Multicore Hardware, OOPSLA 2009). No state.
#ifndef CABERNET_PROFILER_ANALYSES_CACHECONFIG_H
#define CABERNET_PROFILER_ANALYSES_CACHECONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LEVELS = 2 };

typedef enum CachePolicy {
    CACHE_FIFO,    // the line that was brought in first
    CACHE_LRU,     // the line whose last access is the oldest
    CACHE_RANDOM,  // any line; the same sequence of choices in each run
    CACHE_POLICIES
} CachePolicy;

// Valid: the line is a power of two from 16 on, so no field or element is in two lines, and the number of sets of each
// level is a power of two.
typedef struct CacheConfig {
    struct CacheSize {
        uint32_t bytes, ways;
    } level[CACHE_LEVELS];
    uint32_t line;
    CachePolicy policy;
    bool inclusive;  // a line that leaves the last level leaves the first as well
} CacheConfig;

extern const CacheConfig cacheconfig_default;

// Reads the text into *c. False with *error when a word is unknown, the result is invalid, or `host` finds nothing in
// `directory`, which is /sys/devices/system/cpu/cpu0/cache except in tests. Allocates with malloc; reads files.
bool cacheconfig_parse(CacheConfig *c, const char *text, const char *directory, char *error, size_t error_size);

// The configuration as a text that cacheconfig_parse accepts.
enum { CACHECONFIG_TEXT = 128 };
void cacheconfig_text(const CacheConfig *c, char text[static CACHECONFIG_TEXT]);

#endif
