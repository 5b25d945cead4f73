#include "vm/shadow/reasons.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shadow_count_reason(ShadowReasons *r, const char *text, double missing) {
    const int last = SHADOW_REASONS - 1;
    int i = 0;
    // A row holds the start of a long text.
    while (i < r->count && i < last && strncmp(r->row[i].text, text, sizeof r->row[i].text - 1) != 0) i++;
    if (i == r->count) {
        snprintf(r->row[i].text, sizeof r->row[i].text, "%s", i == last ? "others" : text);
        r->count++;
    }
    r->row[i].count++;
    r->row[i].missing += missing;
}
