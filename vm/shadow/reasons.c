#include "vm/shadow/reasons.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// True if the row is for this reason. A row holds the start of a long text.
static bool has_row(const struct ShadowReason *row, const char *text) {
    return strncmp(row->text, text, sizeof row->text - 1) == 0;
}

void shadow_count_reason(ShadowReasons *r, const char *text) {
    const int last = SHADOW_REASONS - 1;
    int i = 0;
    while (i < r->count && i < last && !has_row(&r->row[i], text)) i++;
    if (i == r->count) {
        snprintf(r->row[i].text, sizeof r->row[i].text, "%s", i == last ? "others" : text);
        r->count++;
    }
    r->row[i].count++;
}
