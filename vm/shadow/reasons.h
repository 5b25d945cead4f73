// Why shadows ended before their time, with counts: a table of a fixed number of rows, of which the last one stands for all
// reasons that have no row of their own.
#ifndef CABERNET_VM_SHADOW_REASONS_H
#define CABERNET_VM_SHADOW_REASONS_H

#include <stdint.h>

enum { SHADOW_REASONS = 32 };

typedef struct ShadowReasons {
    struct ShadowReason {
        char text[190];  // longer reasons are cut
        uint64_t count;
    } row[SHADOW_REASONS];
    int count;           // rows in use
} ShadowReasons;

// Counts one more end for that reason. The caller keeps others away from `r`. Neither allocates nor blocks.
void shadow_count_reason(ShadowReasons *r, const char *text);

#endif
