// Field layout: alignment, no overlap, use of holes, reference maps for the collector.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gc/heap.h"
#include "vm/objects/layout.h"

static LayoutEnd place(const LayoutEnd *super, const char *types, LayoutField *out) {
    size_t n = strlen(types);
    for (size_t i = 0; i < n; i++) out[i] = (LayoutField){.type = types[i]};
    return layout_place(super, out, n, 0, LAYOUT_NO_LARGER);
}

static void empty_object_is_16_bytes(void **state) {
    (void)state;
    LayoutEnd e = layout_root();
    assert_int_equal(layout_size(&e), 16);
    assert_false(e.any_refs);
}

static void small_fields_use_the_header_hole(void **state) {
    (void)state;
    LayoutField f[4];
    LayoutEnd root = layout_root(), e = place(&root, "JI", f);
    assert_int_equal(f[1].offset, 12);
    assert_int_equal(f[0].offset, 16);
    assert_int_equal(layout_size(&e), 24);
    e = place(&root, "BCZS", f);
    assert_int_equal(layout_size(&e), 24);
    assert_int_equal(f[1].offset, 12);
    assert_int_equal(f[3].offset, 14);
}

static void references_are_grouped_and_marked(void **state) {
    (void)state;
    LayoutField f[4];
    LayoutEnd root = layout_root(), e = place(&root, "LJ[I", f);
    assert_int_equal(f[0].offset, 16);
    assert_int_equal(f[2].offset, 24);
    assert_int_equal(f[1].offset, 32);
    assert_int_equal(f[3].offset, 12);
    assert_int_equal(e.ref_words, 1u << 2 | 1u << 3);
    assert_int_equal(layout_descriptor(&e), heap_descriptor_bitmap(e.ref_words));
}

static void weak_reference_is_not_marked(void **state) {
    (void)state;
    LayoutField f[2] = {{.type = 'L', .weak = true}, {.type = 'L'}};
    LayoutEnd root = layout_root(), e = layout_place(&root, f, 2, 0, LAYOUT_NO_LARGER);
    assert_int_equal(e.ref_words, UINT64_C(1) << f[1].offset / 8);
}

static void subclass_fills_holes_of_its_superclass(void **state) {
    (void)state;
    LayoutField a[1], b[2], c[2];
    LayoutEnd root = layout_root(), ea = place(&root, "J", a);
    LayoutEnd eb = place(&ea, "LB", b);
    assert_int_equal(b[0].offset, 24);
    assert_int_equal(b[1].offset, 12);
    LayoutEnd ec = place(&eb, "BS", c);
    assert_int_equal(c[0].offset, 13);
    assert_int_equal(c[1].offset, 14);
    assert_int_equal(layout_size(&ec), layout_size(&eb));
}

static void far_references_need_a_length(void **state) {
    (void)state;
    enum { N = 100 };
    LayoutField f[N];
    char types[N + 1];
    memset(types, 'L', N);
    types[N] = 0;
    LayoutEnd root = layout_root(), e = place(&root, types, f);
    assert_true(e.far_refs);
    assert_int_equal(layout_descriptor(&e), heap_descriptor_length(layout_size(&e)));
}

// For any fields and superclasses: fields are aligned, inside the object, disjoint, and marked exactly if they are
// references.
static void random_hierarchies(void **state) {
    (void)state;
    static const char kinds[] = "ZBCSIJFDL[";
    srand(7);
    for (int round = 0; round < 2000; round++) {
        uint8_t used[4096] = {0};
        uint64_t refs = 0;
        LayoutEnd end = layout_root();
        for (int depth = rand() % 4; depth >= 0; depth--) {
            LayoutField f[12];
            char types[13] = {0};
            int n = rand() % 12;
            for (int i = 0; i < n; i++) types[i] = kinds[rand() % 10];
            for (int i = 0; i < n; i++) f[i] = (LayoutField){.type = types[i]};
            LayoutRule rule = rand() % 2 ? LAYOUT_STRICT : LAYOUT_NO_LARGER;
            end = layout_place(&end, f, (size_t)n, n ? (size_t)(rand() % (n + 1)) : 0, rule);
            for (int i = 0; i < n; i++) {
                uint32_t size = 1u << layout_shift(types[i]);
                assert_int_equal(f[i].offset % size, 0);
                assert_true(f[i].offset >= 12 && f[i].offset + size <= layout_size(&end));
                for (uint32_t b = 0; b < size; b++) assert_int_equal(used[f[i].offset + b]++, 0);
                if (types[i] == 'L' || types[i] == '[') refs |= UINT64_C(1) << f[i].offset / 8;
            }
        }
        if (!end.far_refs) assert_int_equal(end.ref_words, refs);
        assert_int_equal(layout_size(&end) % 8, 0);
    }
}

// Preferred fields come first and in the requested order, with holes filled; the object does not grow.
static void wanted_fields_come_first(void **state) {
    (void)state;
    LayoutField f[6];
    static const char types[] = "IJLBLI";
    LayoutEnd root = layout_root();
    for (int i = 0; i < 6; i++) f[i] = (LayoutField){.type = types[i]};
    LayoutEnd e = layout_place(&root, f, 6, 2, LAYOUT_NO_LARGER);
    assert_int_equal(f[0].offset, 12);
    assert_int_equal(f[1].offset, 16);
    assert_int_equal(f[2].offset, 24);
    assert_int_equal(f[4].offset, 32);
    assert_int_equal(f[5].offset, 40);
    assert_int_equal(f[3].offset, 44);
    assert_int_equal(e.ref_words, 1u << 3 | 1u << 4);
}

// Narrow fields before wide ones leave holes. If the object would grow, the wide preferred fields come first.
static void wanted_fields_make_no_object_larger(void **state) {
    (void)state;
    static const char types[] = "BJIJSJ";
    LayoutField f[6], plain[6];
    LayoutEnd root = layout_root(), without = place(&root, types, plain), e;
    for (int i = 0; i < 6; i++) f[i] = (LayoutField){.type = types[i]};
    e = layout_place(&root, f, 6, 6, LAYOUT_NO_LARGER);
    assert_int_equal(layout_size(&e), layout_size(&without));
    LayoutField g[2] = {{.type = 'B'}, {.type = 'I'}};
    LayoutEnd small = layout_place(&root, g, 2, 2, LAYOUT_STRICT);
    assert_int_equal(g[0].offset, 12);
    assert_int_equal(g[1].offset, 16);
    assert_int_equal(layout_size(&small), 24);
    small = layout_place(&root, g, 2, 2, LAYOUT_NO_LARGER);
    assert_int_equal(layout_size(&small), 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_object_is_16_bytes),
        cmocka_unit_test(small_fields_use_the_header_hole),
        cmocka_unit_test(references_are_grouped_and_marked),
        cmocka_unit_test(weak_reference_is_not_marked),
        cmocka_unit_test(subclass_fills_holes_of_its_superclass),
        cmocka_unit_test(far_references_need_a_length),
        cmocka_unit_test(random_hierarchies),
        cmocka_unit_test(wanted_fields_come_first),
        cmocka_unit_test(wanted_fields_make_no_object_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
