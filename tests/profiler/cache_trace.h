/* Where cache_record.c places the addresses that cache_play.c accesses. The buffer is where valgrind leaves room. */
#ifndef CABERNET_TESTS_PROFILER_CACHE_TRACE_H
#define CABERNET_TESTS_PROFILER_CACHE_TRACE_H

#include <stdint.h>

#define TRACE_BUFFER ((uint64_t)1 << 40)
#define TRACE_CHUNK ((uint64_t)1 << 20)
#define TRACE_CHUNKS ((uint64_t)1 << 12)

#endif
