#include "profiler/tool/base/prof_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void prof_out_of_memory(void) {
    fputs("cabernet-prof: out of memory\n", stderr);
    exit(2);
}

void *prof_alloc(size_t size) {
    void *p = size > SIZE_MAX / 4 ? NULL : calloc(1, size ? size : 1);
    if (!p) prof_out_of_memory();
    return p;
}
