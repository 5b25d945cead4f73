// Data other than rows that shadows hand over (profiler/analyses/given.h). Complete data is accepted and adds up.
// Truncated data is rejected, and corrupted data is rejected or yields the readable part, never more than it contains.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "profiler/analyses/given.h"
#include "profiler/analyses/hotstream.h"
#include "profiler/analyses/productioncontexts.h"
#include "profiler/productions/productions.h"

enum { MUTATIONS = 20000 };

typedef struct Data {
    char *data;
    size_t size;
} Data;

static Data contexts_of_a_shadow(void) {
    Data b;
    FILE *out = open_memstream(&b.data, &b.size);
    given_put_number(out, 2);
    for (uint64_t i = 0; i < 2; i++) {
        given_put_number(out, i);      // production
        given_put_number(out, 3 + i);  // times
        given_put_number(out, 2);
        given_put_text(out, "A.a:1");
        given_put_text(out, i ? "" : "B.b:2");
    }
    for (int i = 0; i < PRODUCTIONS_MOST; i++) given_put_number(out, 0);
    fclose(out);
    return b;
}

static Data streams_of_nobody(void) {
    ProfileHost host = {.method = NULL};
    Data b;
    FILE *out = open_memstream(&b.data, &b.size);
    hotstream_give(&host, out);
    fclose(out);
    return b;
}

typedef bool Take(const uint8_t *data, size_t size);

static void bear(Take *take, Data b) {
    uint64_t seed = 17;
    uint8_t *copy = malloc(b.size);
    assert_true(take((const uint8_t *)b.data, b.size));
    for (size_t n = 0; n < b.size; n++) {
        uint8_t *cut = malloc(n ? n : 1);  // of exactly its size, so that a sanitizer detects a read past it
        memcpy(cut, b.data, n);
        assert_false(take(cut, n));
        free(cut);
    }
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(copy, b.data, b.size);
        for (uint64_t k = splitmix_next(&seed) % 4 + 1; k > 0; k--)
            copy[splitmix_next(&seed) % b.size] = (uint8_t)splitmix_next(&seed);
        take(copy, b.size);
    }
    free(copy);
    free(b.data);
}

static void contexts_are_checked(void **state) {
    (void)state;
    bear(productioncontexts_from_shadow, contexts_of_a_shadow());
}

static void streams_are_checked(void **state) {
    (void)state;
    bear(hotstream_take, streams_of_nobody());
}

static void texts_come_back(void **state) {
    (void)state;
    Data b;
    FILE *out = open_memstream(&b.data, &b.size);
    given_put_text(out, "text");
    given_put_text(out, NULL);
    given_put_text(out, "");
    given_put_number(out, 7);
    fclose(out);
    Given g = {(const uint8_t *)b.data, (const uint8_t *)b.data + b.size, false};
    char *text = given_text(&g), *none = given_text(&g), *empty = given_text(&g);
    assert_string_equal(text, "text");
    assert_null(none);
    assert_string_equal(empty, "");
    assert_int_equal(given_number(&g), 7);
    assert_false(g.bad);
    assert_int_equal(given_number(&g), 0);
    assert_true(g.bad);
    free(text);
    free(empty);
    free(b.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contexts_are_checked), cmocka_unit_test(streams_are_checked),
                                       cmocka_unit_test(texts_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
