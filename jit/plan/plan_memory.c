// Memory of plans. The process ends when it runs out, because neither the compiler nor the program could run much
// longer.
#include "base/grow.h"
#include "jit/plan/plan_internal.h"

void *plan_alloc(size_t bytes) { return grow_zeroed(bytes, 1); }

void *plan_grow(void *array, uint32_t *room, uint32_t count, size_t element) {
    if (count >= *room && !grow_array(&array, element, room, sizeof *room, count + 1, false))
        grow_out_of_memory((count + 1) * element);
    return array;
}
