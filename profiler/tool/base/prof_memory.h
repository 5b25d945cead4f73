// Memory for a program that lives as long as one command: without any left it ends with a message, for it has nothing better to do.
#ifndef CABERNET_PROFILER_PROF_MEMORY_H
#define CABERNET_PROFILER_PROF_MEMORY_H

#include <stddef.h>

// Zeroed, and freed by the caller with free().
void *prof_alloc(size_t size);
_Noreturn void prof_out_of_memory(void);

#endif
