// Memory for a program that lives as long as one command. Out of memory ends the program with a message.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_MEMORY_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_MEMORY_H

#include <stddef.h>

// Zeroed memory, which the caller frees with free().
void *prof_alloc(size_t size);
_Noreturn void prof_out_of_memory(void);

#endif
