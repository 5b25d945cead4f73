// Writing cache lines back to memory, for mapped persistent memory (java.nio.MappedByteBuffer.force).
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_CACHE_H
#define CABERNET_VM_ARCH_X86_64_ARCH_CACHE_H

#include <emmintrin.h>

// Begins to write back the line that holds `address`.
static inline void arch_cache_write_back(const void *address) { _mm_clflush(address); }
// Waits for all write-backs that the calling thread has begun.
static inline void arch_cache_write_back_wait(void) { _mm_sfence(); }

#endif
