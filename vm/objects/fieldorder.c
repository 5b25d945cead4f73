// Field orders: see vm/objects/fieldorder.h. Filled on the main thread before the first class is defined.
#include "vm/objects/fieldorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/splitmix.h"
#include "vm/objects/symbol.h"

typedef enum OrderKind { ORDER_ADVISED, ORDER_REVERSED, ORDER_RANDOM } OrderKind;

typedef struct FieldOrder {
    const char *class_name;
    const FieldName *fields;
    uint32_t count;
    atomic_bool refused;  // a class lacked one of the fields
} FieldOrder;

static struct FieldOrders {
    OrderKind kind;
    uint64_t seed;
    HashTable by_class;  // of FieldOrder
} field_orders;

HASH_BY_STRING(by_class, FieldOrder, class_name);

bool fieldorder_stress(const char *text, const char **error) {
    char *end = NULL;
    errno = 0;
    if (strcmp(text, "reversed") == 0) field_orders.kind = ORDER_REVERSED;
    else if (strcmp(text, "random") == 0) field_orders.kind = ORDER_RANDOM;
    else if (strncmp(text, "random=", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        field_orders.kind = ORDER_RANDOM;
        field_orders.seed = strtoull(text + 7, &end, 10);
    }
    *error = "it is reversed, random or random=SEED";
    return field_orders.kind != ORDER_ADVISED && errno == 0 && (!end || !*end);
}

bool fieldorder_add(const char *class_name, const FieldName *fields, uint32_t count) {
    uint32_t hash = hash_string(class_name);
    if (hash_find(&field_orders.by_class, &by_class, NULL, hash, class_name)) return false;
    FieldOrder *o = calloc(1, sizeof *o);
    if (!o) grow_out_of_memory(sizeof *o);
    o->class_name = class_name;
    o->fields = fields;
    o->count = count;
    hash_add_or_exit(&field_orders.by_class, &by_class, NULL, hash, (uintptr_t)o);
    return true;
}

static void swap(Field **a, Field **b) {
    Field *f = *a;
    *a = *b;
    *b = f;
}

static size_t find_field(Field **fields, size_t from, size_t count, const FieldName *name) {
    while (from < count && !(symbol_is(fields[from]->name, name->name) && symbol_is(fields[from]->desc, name->desc)))
        from++;
    return from;
}

// Moves the advised fields to the front. The other fields keep their order.
static size_t arrange_advised(FieldOrder *o, Field **fields, size_t count) {
    for (uint32_t i = 0; i < o->count; i++) {
        if (find_field(fields, 0, count, &o->fields[i]) < count) continue;
        if (!atomic_exchange(&o->refused, true))
            fprintf(stderr, "cabernet: -Xadvice: %s has no field %s:%s now: it is laid out as without advice\n",
                    o->class_name, o->fields[i].name, o->fields[i].desc);
        return 0;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        size_t at = find_field(fields, i, count, &o->fields[i]);
        Field *f = fields[at];
        memmove(&fields[i + 1], &fields[i], (at - i) * sizeof *fields);
        fields[i] = f;
    }
    return o->count;
}

size_t fieldorder_arrange(const Class *cls, Field **fields, size_t count, LayoutRule *rule) {
    *rule = field_orders.kind == ORDER_ADVISED ? LAYOUT_NO_LARGER : LAYOUT_STRICT;
    if (field_orders.kind == ORDER_ADVISED) {
        if (cls->cflags & CF_HIDDEN) return 0;
        const char *name = cls->name->text;
        FieldOrder *o = (FieldOrder *)hash_find(&field_orders.by_class, &by_class, NULL, hash_string(name), name);
        return o ? arrange_advised(o, fields, count) : 0;
    }
    if (field_orders.kind == ORDER_REVERSED) {
        for (size_t i = 0; i < count / 2; i++) swap(&fields[i], &fields[count - 1 - i]);
        return count;
    }
    // A random order depends only on the fields, not on the class name: hidden classes have no stable name.
    uint32_t hash = HASH_START;
    for (size_t i = 0; i < count; i++) {
        hash = hash_bytes(hash, fields[i]->name->text, fields[i]->name->length);
        hash = hash_bytes(hash, fields[i]->desc->text, fields[i]->desc->length);
    }
    uint64_t state = field_orders.seed ^ (uint64_t)hash << 32;
    for (size_t i = count; i > 1; i--) swap(&fields[i - 1], &fields[splitmix_next(&state) % i]);
    return count;
}
