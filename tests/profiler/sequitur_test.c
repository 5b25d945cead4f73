/* Sequitur and hot streams against brute force. For any input the grammar reproduces the sequence and keeps both
 * invariants; streams occur where and as often as reported, and planted ones are found; memory stays within the
 * grant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "profiler/streams/hotstreams.h"

enum { LONGEST = 4000 };

static bool grant(void *arg, uint32_t nodes) {
    uint32_t *left = arg;
    if (*left < nodes) return false;
    *left -= nodes;
    return true;
}

/* ---- the grammar ---- */

static uint32_t spell(const Sequitur *s, uint32_t rule, uint32_t *to) {
    uint32_t count = 0;
    for (uint32_t n = sequitur_first(s, rule); n; n = sequitur_next(s, n)) {
        uint32_t value = s->nodes[n].value;
        if (value & SEQUITUR_RULE) count += spell(s, value & ~SEQUITUR_RULE, to + count);
        else to[count++] = value;
    }
    return count;
}

typedef struct Pair {
    uint32_t first, second, node;
} Pair;

static int by_value(const void *x, const void *y) {
    const Pair *a = x, *b = y;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/* No digram occurs twice unless the two overlap, and every rule is used at least twice. */
static void keeps_invariants(const Sequitur *s) {
    static Pair pairs[2 * LONGEST];
    uint32_t *uses = calloc(s->rule_count, sizeof *uses), count = 0;
    for (uint32_t r = 0; r < s->rule_count; r++) {
        for (uint32_t n = s->rules[r].guard ? sequitur_first(s, r) : 0, next; n; n = next) {
            next = sequitur_next(s, n);
            uint32_t value = s->nodes[n].value;
            if (value & SEQUITUR_RULE) uses[value & ~SEQUITUR_RULE]++;
            if (next && value != SEQUITUR_SEPARATOR && s->nodes[next].value != SEQUITUR_SEPARATOR)
                pairs[count++] = (Pair){value, s->nodes[next].value, n};
        }
    }
    for (uint32_t r = 1; r < s->rule_count; r++) {
        if (!s->rules[r].guard) continue;
        assert_int_equal(uses[r] + (s->rules[r].apart > 0), s->rules[r].uses);
        assert_true(uses[r] + s->rules[r].apart >= 2);
    }
    qsort(pairs, count, sizeof *pairs, by_value);
    for (uint32_t i = 1; i < count; i++)
        if (by_value(&pairs[i - 1], &pairs[i]) == 0)
            assert_true(s->nodes[pairs[i - 1].node].next == pairs[i].node ||
                        s->nodes[pairs[i].node].next == pairs[i - 1].node);
    free(uses);
}

static uint32_t make(uint64_t *seed, uint32_t *to) {
    uint32_t length = 1 + (uint32_t)(splitmix_next(seed) % 300), letters = 1 + (uint32_t)(splitmix_next(seed) % 6),
             count = 0;
    while (count < length) {
        uint64_t what = splitmix_next(seed) % 8;
        if (what == 0 && count) { /* repeats an earlier part */
            uint32_t from = (uint32_t)(splitmix_next(seed) % count), n = 1 + (uint32_t)(splitmix_next(seed) % 30);
            for (uint32_t i = 0; i < n && from + i < count && count < length; i++) to[count++] = to[from + i];
        } else if (what == 1 && splitmix_next(seed) % 4 == 0) {
            to[count++] = SEQUITUR_SEPARATOR;
        } else {
            to[count++] = (uint32_t)(splitmix_next(seed) % letters);
        }
    }
    return length;
}

static void says_the_sequence_again(void **state) {
    (void)state;
    uint64_t seed = 16;
    static uint32_t in[LONGEST], out[LONGEST];
    for (int round = 0; round < 3000; round++) {
        Sequitur s;
        uint32_t length = make(&seed, in), left = UINT32_MAX;
        assert_true(sequitur_begin(&s, grant, &left));
        for (uint32_t i = 0; i < length; i++) {
            assert_true(sequitur_append(&s, in[i]));
            if (length < 60) keeps_invariants(&s);
        }
        keeps_invariants(&s);
        assert_int_equal(spell(&s, 0, out), length);
        assert_memory_equal(in, out, length * sizeof *in);
        sequitur_end(&s);
    }
}

static void compresses(void **state) {
    (void)state;
    Sequitur s;
    uint32_t left = 100000;
    assert_true(sequitur_begin(&s, grant, &left));
    for (int i = 0; i < 1 << 20; i++) assert_true(sequitur_append(&s, (uint32_t)i % 10));
    assert_int_equal(s.appended, 1 << 20);
    assert_true(s.node_count - s.free_count < 200);
    assert_true(left > 90000);
    sequitur_end(&s);
}

/* Each symbol of a sequence without repetition takes a node, so as many are accepted as nodes were granted. */
static void stays_within_its_memory(void **state) {
    (void)state;
    Sequitur s;
    uint32_t left = 5000, refused = 0, taken = 0;
    assert_true(sequitur_begin(&s, grant, &left));
    for (uint32_t i = 0; i < 20000; i++) {
        if (sequitur_append(&s, i)) taken++;
        else refused++;
    }
    assert_true(taken > 4000 && taken <= 5000);
    assert_int_equal(taken + refused, 20000);
    assert_int_equal(s.appended, taken);
    static uint32_t out[LONGEST * 2];
    assert_int_equal(spell(&s, 0, out), taken);
    sequitur_end(&s);
    left = 3;
    assert_false(sequitur_begin(&s, grant, &left));
}

/* ---- making room ---- */

enum { HASHES = 2 * LONGEST };
typedef struct Bag { /* of segments of two symbols and more, as hashes */
    uint64_t hashes[HASHES], current;
    uint32_t count, length;
} Bag;

static void add_segment(Bag *b, uint64_t times) {
    for (; b->length > 1 && times > 0; times--) b->hashes[b->count++] = b->current;
    b->current = b->length = 0;
}

static void add_symbol(Bag *b, uint32_t symbol) {
    if (symbol == SEQUITUR_SEPARATOR) {
        add_segment(b, 1);
        return;
    }
    b->current = b->current * UINT64_C(0x9e3779b97f4a7c15) + symbol + 1;
    b->length++;
}

static int by_hash(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static void has_segments(const Sequitur *s, Bag *want) {
    static uint32_t out[2 * LONGEST];
    static Bag got;
    memset(&got, 0, sizeof got);
    uint32_t length = spell(s, 0, out);
    for (uint32_t i = 0; i < length; i++) add_symbol(&got, out[i]);
    add_segment(&got, 1);
    for (uint32_t r = 1; r < s->rule_count; r++) {
        if (!s->rules[r].guard || !s->rules[r].apart) continue;
        length = spell(s, r, out);
        for (uint32_t i = 0; i < length; i++) add_symbol(&got, out[i]);
        add_segment(&got, s->rules[r].apart);
    }
    qsort(got.hashes, got.count, sizeof *got.hashes, by_hash);
    qsort(want->hashes, want->count, sizeof *want->hashes, by_hash);
    assert_int_equal(got.count, want->count);
    assert_memory_equal(got.hashes, want->hashes, got.count * sizeof *got.hashes);
}

static uint32_t rename_to(void *arg, uint32_t terminal) { return ((const uint32_t *)arg)[terminal]; }

/* Folding and renaming keep the segments between separators, apart from single symbols, while symbols are appended. */
static void keeps_segments(void **state) {
    (void)state;
    uint64_t seed = 40;
    static uint32_t in[LONGEST];
    static Bag want;
    for (int round = 0; round < 3000; round++) {
        Sequitur s;
        uint32_t length = make(&seed, in), left = UINT32_MAX, names[6] = {0, 1, 2, 3, 4, 5};
        uint64_t kept;
        uint32_t at = (uint32_t)(splitmix_next(&seed) % length), gone = 0;
        memset(&want, 0, sizeof want);
        assert_true(sequitur_begin(&s, grant, &left));
        if (round % 2) gone = (uint32_t)(splitmix_next(&seed) % 64);
        for (uint32_t i = 0; i < length; i++) {
            assert_true(sequitur_append(&s, in[i]));
            if (splitmix_next(&seed) % 16 == 0) {
                sequitur_fold(&s);
                keeps_invariants(&s);
            }
            if (i != at) continue;
            for (uint32_t n = 0; n < 6; n++) names[n] = gone >> n & 1 ? SEQUITUR_SEPARATOR : 5 - n;
            uint32_t nodes = s.node_count;
            uint64_t appended = s.appended;
            if (sequitur_rename(&s, rename_to, names, &kept)) {
                assert_true(s.node_count <= nodes && s.appended == appended);
                keeps_invariants(&s);
                for (uint32_t k = 0; k <= i; k++)
                    if (in[k] != SEQUITUR_SEPARATOR) in[k] = names[in[k]];
            }
        }
        for (uint32_t i = 0; i < length; i++) add_symbol(&want, in[i]);
        add_segment(&want, 1);
        has_segments(&s, &want);
        sequitur_end(&s);
    }
}

static void add_covered(void *arg, const uint32_t *terminals, uint32_t length, uint64_t frequency) {
    (void)terminals;
    *(uint64_t *)arg += length * frequency;
}

/* Repeated segments take no room: they are counted. */
static void folds_what_repeats(void **state) {
    (void)state;
    Sequitur s;
    uint32_t left = 3000;
    assert_true(sequitur_begin(&s, grant, &left));
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t value = i % 4 == 3 ? SEQUITUR_SEPARATOR : i / 4 % 7 + i % 4;
        if (!sequitur_append(&s, value)) assert_true(sequitur_fold(&s) > 1000 && sequitur_append(&s, value));
    }
    uint64_t folded = 0;
    sequitur_fold(&s);
    for (uint32_t r = 1; r < s.rule_count; r++) folded += s.rules[r].guard ? s.rules[r].apart : 0;
    assert_int_equal(folded, 25000);
    uint64_t covered = 0;
    HotStreamBounds bounds = {.heat = 100, .shortest = 3, .longest = 100};
    assert_true(hotstreams_find(&s, &bounds, add_covered, &covered));
    assert_int_equal(covered, 75000);
    sequitur_end(&s);
}

/* ---- streams ---- */

enum { LONGEST_STREAM = 100 };
typedef struct Found {
    const uint32_t *trace;
    uint32_t trace_length, count, longest;
    uint64_t covered, hottest;
    HotStreamBounds bounds;
    uint32_t planted[16], planted_length;
    uint64_t planted_frequency;
} Found;

/* The streams of the last search. */
static uint32_t words[LONGEST][LONGEST_STREAM], lengths[LONGEST];

/* Number of occurrences without overlap, from the left. */
static uint64_t occurrences(const uint32_t *trace, uint32_t length, const uint32_t *word, uint32_t n) {
    uint64_t count = 0;
    for (uint32_t i = 0; i + n <= length;) {
        bool here = memcmp(trace + i, word, n * sizeof *word) == 0;
        count += here;
        i += here ? n : 1;
    }
    return count;
}

static void on_stream(void *arg, const uint32_t *terminals, uint32_t length, uint64_t frequency) {
    Found *f = arg;
    assert_true(length >= f->bounds.shortest && length <= f->bounds.longest);
    assert_true(length * frequency >= f->bounds.heat);
    for (uint32_t i = 0; i < length; i++) assert_true(terminals[i] != SEQUITUR_SEPARATOR);
    uint64_t there = occurrences(f->trace, f->trace_length, terminals, length);
    assert_true(frequency <= there);
    memcpy(words[f->count], terminals, length * sizeof *terminals);
    lengths[f->count++] = length;
    f->covered += length * frequency;
    if (length * frequency > f->hottest) f->hottest = length * frequency;
    for (uint32_t i = 0; f->planted_length && i + f->planted_length <= length; i++)
        if (memcmp(terminals + i, f->planted, f->planted_length * sizeof *terminals) == 0) {
            f->planted_frequency += frequency;
            i += f->planted_length - 1;
        }
}

static void find_in(const uint32_t *trace, uint32_t length, Found *f) {
    Sequitur s;
    uint32_t left = UINT32_MAX;
    f->trace = trace;
    f->trace_length = length;
    assert_true(sequitur_begin(&s, grant, &left));
    for (uint32_t i = 0; i < length; i++) assert_true(sequitur_append(&s, trace[i]));
    assert_true(hotstreams_find(&s, &f->bounds, on_stream, f));
    assert_true(f->covered <= length);
    sequitur_end(&s);
}

/* The hottest word, found by trying each. */
static uint64_t hottest_word(const uint32_t *trace, uint32_t length, const HotStreamBounds *b) {
    uint64_t hottest = 0;
    for (uint32_t n = b->shortest; n <= b->longest && n <= length; n++)
        for (uint32_t i = 0; i + n <= length; i++) {
            bool whole = true;
            for (uint32_t k = 0; k < n; k++) whole &= trace[i + k] != SEQUITUR_SEPARATOR;
            uint64_t heat = whole ? n * occurrences(trace, length, trace + i, n) : 0;
            if (heat > hottest && heat > n) hottest = heat;
        }
    return hottest;
}

static void streams_are_there(void **state) {
    (void)state;
    uint64_t seed = 5;
    static uint32_t in[LONGEST];
    int some = 0;
    for (int round = 0; round < 300; round++) {
        Found f = {.bounds = {.heat = 1 + splitmix_next(&seed) % 40, .shortest = 2, .longest = 20}};
        uint32_t length = make(&seed, in);
        find_in(in, length, &f);
        uint64_t hottest = hottest_word(in, length, &f.bounds);
        assert_true(f.hottest <= hottest);
        if (f.count) some++;
        else assert_true(f.bounds.heat > 4 || hottest <= 4); /* a repeated digram is a rule */
    }
    assert_true(some > 100);
}

static bool is_in(uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i + lengths[a] <= lengths[b]; i++)
        if (memcmp(words[b] + i, words[a], lengths[a] * sizeof(uint32_t)) == 0) return true;
    return false;
}

/* Minimal streams are hot, do not overlap, and exist whenever longer ones do. By chance a stream may be spelt within
 * another whose rule does not contain its rule: digrams are unique, so the other rule divides it differently. */
static void minimal_streams_are_minimal(void **state) {
    (void)state;
    uint64_t seed = 11;
    static uint32_t in[LONGEST];
    uint32_t some = 0, inside = 0;
    for (int round = 0; round < 300; round++) {
        HotStreamBounds bounds = {.heat = 4 + splitmix_next(&seed) % 40, .shortest = 2, .longest = 20};
        uint32_t length = make(&seed, in);
        Found longest = {.bounds = bounds};
        find_in(in, length, &longest);
        bounds.minimal = true;
        Found minimal = {.bounds = bounds};
        find_in(in, length, &minimal);
        assert_int_equal(minimal.count > 0, longest.count > 0);
        assert_true(minimal.hottest <= hottest_word(in, length, &bounds));
        for (uint32_t a = 0; a < minimal.count; a++)
            for (uint32_t b = 0; b < minimal.count; b++) inside += a != b && is_in(a, b);
        some += minimal.count;
    }
    assert_true(some > 100 && inside * 4 < some);
}

/* A word planted in noise whose symbols occur once each: most of its occurrences are in hot streams. */
static void planted_streams_are_found(void **state) {
    (void)state;
    uint64_t seed = 7;
    static uint32_t in[LONGEST];
    for (int round = 0; round < 200; round++) {
        Found f = {.planted_length = 3 + (uint32_t)(splitmix_next(&seed) % 10)};
        uint32_t length = 0, times = 0, fresh = 1000;
        for (uint32_t i = 0; i < f.planted_length; i++) f.planted[i] = i;
        while (length + 20 < 1000) {
            if (splitmix_next(&seed) % 4) in[length++] = fresh++;
            else {
                memcpy(in + length, f.planted, f.planted_length * sizeof *in);
                length += f.planted_length;
                times++;
            }
        }
        f.bounds = (HotStreamBounds){.heat = f.planted_length * times / 4, .shortest = 2, .longest = 100};
        find_in(in, length, &f);
        assert_true(f.planted_frequency * 4 >= times * 3);
    }
}

static void separators_end_streams(void **state) {
    (void)state;
    static uint32_t in[LONGEST];
    uint32_t length = 0;
    for (int i = 0; i < 100; i++) {
        in[length++] = 1;
        in[length++] = 2;
        in[length++] = SEQUITUR_SEPARATOR;
    }
    Found f = {.bounds = {.heat = 10, .shortest = 2, .longest = 100}};
    find_in(in, length, &f);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.covered, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_sequence_again),     cmocka_unit_test(compresses),
        cmocka_unit_test(stays_within_its_memory),     cmocka_unit_test(streams_are_there),
        cmocka_unit_test(minimal_streams_are_minimal), cmocka_unit_test(planted_streams_are_found),
        cmocka_unit_test(separators_end_streams),      cmocka_unit_test(keeps_segments),
        cmocka_unit_test(folds_what_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
