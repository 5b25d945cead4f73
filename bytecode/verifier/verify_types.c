/*
 * The verifier's table of reference types: see verify_types.h. Open addressing, never more than
 * half full; entries are never removed.
 */
#include "bytecode/verifier/verify_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static uint32_t hash_name(const VerifyName *n) {
    uint32_t h = 2166136261u ^ n->dims ^ (uint32_t)n->element << 8;
    for (uint32_t i = 0; i < n->len; i++)
        h = (h ^ n->ptr[i]) * 16777619u;
    return h ^ h >> 15;
}

static bool same_name(const VerifyName *a, const VerifyName *b) {
    return a->len == b->len && a->dims == b->dims && a->element == b->element &&
           (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

static bool grow_table(VerifyNames *names) {
    uint32_t size = names->table_size == 0 ? 64 : 2 * names->table_size;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t at = hash_name(&names->list[i]) & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(names->table);
    names->table = table;
    names->table_size = size;
    return true;
}

uint32_t verify_types_enter(VerifyNames *names, VerifyName name) {
    if (2 * (names->count + 1) > names->table_size && !grow_table(names))
        return UINT32_MAX;
    uint32_t mask = names->table_size - 1;
    uint32_t at = hash_name(&name) & mask;
    for (; names->table[at] != 0; at = (at + 1) & mask) {
        if (same_name(&names->list[names->table[at] - 1], &name))
            return names->table[at] - 1;
    }
    if (!GROW(names->list, names->cap, names->count + 1))
        return UINT32_MAX;
    names->list[names->count] = name;
    names->table[at] = ++names->count;
    return names->count - 1;
}

void verify_types_free(VerifyNames *names) {
    free(names->list);
    free(names->table);
}

VerifyName verify_types_of_descriptor(const DescriptorType *t) {
    VerifyName n = {t->name, (uint16_t)t->name_len, (uint8_t)t->dims, t->element};
    return n;
}

VerifyName verify_types_of_class(ClassFileUtf8 name) {
    DescriptorType t;
    if (name.len != 0 && name.ptr[0] == '[' &&
        descriptor_type(name.ptr, name.len, false, &t) == name.len)
        return verify_types_of_descriptor(&t);
    return (VerifyName){name.ptr, name.len, 0, 'L'};
}
