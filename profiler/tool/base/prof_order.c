#include "profiler/tool/base/prof_order.h"

#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "prof_by_number reads both");

int prof_by_weight(const void *x, const void *y) {
    const ProfRank *a = x, *b = y;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

int prof_by_share(const void *x, const void *y) {
    const ProfShare *a = x, *b = y;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

int prof_by_name(const void *x, const void *y) {
    const ProfNamed *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order ? order : a->item < b->item ? -1 : a->item > b->item;
}

int prof_by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static uint32_t text_hash(const void *texts, uintptr_t item) {
    return hash_string((*(char *const *const *)texts)[item - 1]);
}

static bool text_same(const void *texts, uintptr_t item, const void *key) {
    return strcmp((*(char *const *const *)texts)[item - 1], key) == 0;
}

const HashKind prof_text_kind = {text_hash, text_same};

int prof_by_text(const void *x, const void *y) { return strcmp(*(const char *const *)x, *(const char *const *)y); }
