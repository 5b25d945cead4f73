// Counts of the reasons why shadows ended early. The table has a fixed number of rows; the last one counts all further
// reasons.
#ifndef CABERNET_VM_SHADOW_REASONS_H
#define CABERNET_VM_SHADOW_REASONS_H

#include <stdint.h>

enum { SHADOW_REASONS = 32 };

typedef struct ShadowReasons {
    struct ShadowReason {
        char text[190];  // longer reasons are truncated
        uint64_t count;
        double missing;  // sum of the fractions of their lengths that these shadows did not run
    } row[SHADOW_REASONS];
    int count;  // rows in use
} ShadowReasons;

// Counts one more end for that reason, with the fraction of the shadow's length that is missing. The caller excludes
// concurrent calls. Neither allocates nor blocks.
void shadow_count_reason(ShadowReasons *r, const char *text, double missing);

#endif
