/*
 * The verifier's table of reference types: see verify_types.h. Entries are never removed.
 */
#include "bytecode/verifier/verify_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static uint32_t hash_name(const VerifyName *n) {
    return hash_bytes(HASH_START ^ n->dims ^ (uint32_t)n->element << 8, n->ptr, n->len);
}

static uint32_t hash_item(const void *names, uintptr_t item) {
    return hash_name(&((const VerifyNames *)names)->list[item - 1]);
}

static bool same_item(const void *names, uintptr_t item, const void *name) {
    const VerifyName *a = &((const VerifyNames *)names)->list[item - 1], *b = name;
    return a->len == b->len && a->dims == b->dims && a->element == b->element &&
        (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

static const HashKind by_name = {hash_item, same_item};

uint32_t verify_types_enter(VerifyNames *names, VerifyName name) {
    uint32_t hash = hash_name(&name);
    uintptr_t known = hash_find(&names->table, &by_name, names, hash, &name);
    if (known != 0) return (uint32_t)known - 1;
    if (!GROW(names->list, names->cap, names->count + 1)) return UINT32_MAX;
    names->list[names->count] = name;
    if (!hash_add(&names->table, &by_name, names, hash, names->count + 1)) return UINT32_MAX;
    return names->count++;
}

VerifyName verify_types_of_descriptor(const DescriptorType *t) {
    VerifyName n = {t->name, (uint16_t)t->name_len, (uint8_t)t->dims, t->element};
    return n;
}

VerifyName verify_types_of_class(ClassFileUtf8 name) {
    DescriptorType t;
    if (name.len != 0 && name.ptr[0] == '[' && descriptor_type(name.ptr, name.len, false, &t) == name.len)
        return verify_types_of_descriptor(&t);
    return (VerifyName){name.ptr, name.len, 0, 'L'};
}
