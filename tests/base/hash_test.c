// The hash table (base/hash.h) against linear search in a list.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/splitmix.h"

enum { MOST = 5000 };

// Items are indices into `keys` plus 1; poor hashes send many keys to the same few slots.
typedef struct Owner {
    uint32_t keys[MOST];
    uint32_t count;
    uint32_t hash_mask;
} Owner;

static uint32_t hash_of_key(const Owner *o, uint32_t key) { return hash_bytes(HASH_START, &key, 4) & o->hash_mask; }
static uint32_t hash_of(const void *owner, uintptr_t item) {
    const Owner *o = owner;
    return hash_of_key(o, o->keys[item - 1]);
}
static bool same(const void *owner, uintptr_t item, const void *key) {
    const Owner *o = owner;
    return o->keys[item - 1] == *(const uint32_t *)key;
}
static const HashKind kind = {hash_of, same};

static uintptr_t find(const HashTable *t, const Owner *o, uint32_t key) {
    return hash_find(t, &kind, o, hash_of_key(o, key), &key);
}

static void enter(HashTable *t, Owner *o, uint32_t key) {
    if (find(t, o, key)) return;
    o->keys[o->count++] = key;
    assert_true(hash_add(t, &kind, o, hash_of_key(o, key), o->count));
}

static void empty_table_has_nothing(void **state) {
    (void)state;
    HashTable t = {0};
    Owner o = {.hash_mask = UINT32_MAX};
    uint32_t at = 0;
    assert_int_equal(find(&t, &o, 1), 0);
    assert_int_equal(hash_next(&t, &at), 0);
    hash_filter(&t, NULL);
    hash_free(&t);
}

static void check(uint32_t hash_mask, uint32_t keys) {
    static Owner o;
    o = (Owner){.hash_mask = hash_mask};
    HashTable t = {0};
    uint64_t random = 1;
    for (int i = 0; i < MOST; i++) {
        enter(&t, &o, (uint32_t)(splitmix_next(&random) % keys));
        assert_true(t.used * 2 <= t.size);
    }
    for (uint32_t key = 0; key < keys; key++) {
        uintptr_t there = 0;
        for (uint32_t i = 0; i < o.count; i++)
            if (o.keys[i] == key) there = i + 1;
        assert_int_equal(find(&t, &o, key), there);
    }
    static bool seen[MOST + 1];
    memset(seen, 0, sizeof seen);
    uint32_t at = 0, count = 0;
    for (uintptr_t item; (item = hash_next(&t, &at)) != 0; count++) {
        assert_false(seen[item]);
        seen[item] = true;
    }
    assert_int_equal(count, o.count);
    hash_free(&t);
}

static void finds_what_was_added(void **state) {
    (void)state;
    check(UINT32_MAX, 8000);
    check(UINT32_MAX, 50);
}

static void finds_with_poor_hashes(void **state) {
    (void)state;
    check(7, 900);
    check(0, 300);
}

static bool is_odd(uintptr_t item) { return item & 1; }

// Removed items are gone, the others are found past the tombstones, and adding again does not grow the table without
// bound.
static void removes_while_it_iterates(void **state) {
    (void)state;
    static Owner o;
    o = (Owner){.hash_mask = 63};
    HashTable t = {0};
    for (uint32_t key = 0; key < 100; key++) enter(&t, &o, key);
    uint32_t count = 0;
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&t, &at)); count++)
        if (!is_odd(item)) hash_remove_returned(&t, at);
    assert_int_equal(count, 100);
    for (uint32_t key = 0; key < 100; key++) assert_int_equal(find(&t, &o, key), is_odd(key + 1) ? key + 1 : 0);
    hash_free(&t);
}

static void removes_and_adds_in_turn(void **state) {
    (void)state;
    static Owner o;
    o = (Owner){.hash_mask = 63};
    HashTable t = {0};
    for (uint32_t key = 0; key < 100; key++) enter(&t, &o, key);
    for (int round = 0; round < 1000; round++) {
        hash_filter(&t, is_odd);
        for (uint32_t key = 0; key < 100; key++) {
            bool kept = (key + 1) & 1;
            assert_int_equal(find(&t, &o, key), kept ? key + 1 : 0);
            if (!kept) assert_true(hash_add(&t, &kind, &o, hash_of_key(&o, key), key + 1));
        }
    }
    assert_true(t.size <= 512);
    hash_free(&t);
}

static void begins_again_in_its_memory(void **state) {
    (void)state;
    static Owner o;
    HashTable t = {0};
    assert_true(hash_begin(&t, 1000));
    assert_int_equal(t.size, 2048);
    uintptr_t *slots = t.slots;
    o = (Owner){.hash_mask = UINT32_MAX};
    for (uint32_t key = 0; key < 1000; key++) enter(&t, &o, key);
    assert_ptr_equal(t.slots, slots);  // room for all of them
    assert_true(hash_begin(&t, 3));
    assert_int_equal(t.size, HASH_FIRST);  // a small table is cleared whole
    assert_ptr_equal(t.slots, slots);
    for (uint32_t key = 0; key < 1000; key++) assert_int_equal(find(&t, &o, key), 0);
    assert_true(hash_begin(&t, 1000));
    for (uint32_t key = 0; key < 1000; key++) assert_int_equal(find(&t, &o, key), 0);
    hash_free(&t);
}

static void too_many_items(void **state) {
    (void)state;
    HashTable t = {0};
    assert_false(hash_begin(&t, UINT32_MAX));
    assert_int_equal(t.size, 0);
    hash_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_table_has_nothing),  cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(finds_with_poor_hashes),   cmocka_unit_test(removes_while_it_iterates),
        cmocka_unit_test(removes_and_adds_in_turn), cmocka_unit_test(begins_again_in_its_memory),
        cmocka_unit_test(too_many_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
