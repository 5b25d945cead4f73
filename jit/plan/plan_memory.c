// Memory of plans. The process ends when it runs out, because neither the compiler nor the program could run much
// longer.
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "jit/plan/plan_internal.h"

static _Noreturn void out_of_memory(void) {
    fprintf(stderr, "cabernet: the compiler is out of memory\n");
    abort();
}

void *plan_alloc(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) out_of_memory();
    return p;
}

void *plan_grow(void *array, uint32_t *room, uint32_t count, size_t element) {
    if (count >= *room && !grow_array(&array, element, room, sizeof *room, count + 1, false)) out_of_memory();
    return array;
}
