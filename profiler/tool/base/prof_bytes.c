#include "profiler/tool/base/prof_bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_put(Bytes *b, const void *from, size_t size) {
    if (!GROW(b->bytes, b->capacity, b->size + size)) prof_out_of_memory();
    if (size) memcpy(b->bytes + b->size, from, size);
    b->size += size;
}
