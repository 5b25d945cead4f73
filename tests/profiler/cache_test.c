/* Simulated caches (profiler/analyses/cachemodel.c, cacheconfig.c, cache.c) against a model that keeps a time with each
 * line instead of an order, and reuse distances (profiler/analyses/reusedistance.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/splitmix.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/cachemodel.h"
#include "profiler/analyses/reusedistance.h"
#include "profiler/ring/eventwords.h"

static char error[300];

static CacheConfig config(const char *text) {
    CacheConfig c;
    if (!cacheconfig_parse(&c, text, "/nowhere", error, sizeof error)) fail_msg("%s: %s", text, error);
    return c;
}

/* ---- the reference ---- */

typedef struct Line {
    uint64_t number, arrived, used; /* arrived: 0 for a free place */
} Line;

typedef struct Reference {
    CacheConfig c;
    Line *lines[CACHE_LEVELS];
    uint64_t now;
} Reference;

static Reference reference(CacheConfig c) {
    Reference r = {.c = c};
    for (int i = 0; i < CACHE_LEVELS; i++) r.lines[i] = calloc(c.level[i].bytes / c.line, sizeof(Line));
    return r;
}

static void reference_free(Reference *r) {
    for (int i = 0; i < CACHE_LEVELS; i++) free(r->lines[i]);
}

static Line *first_of_set(const Reference *r, int level, uint64_t number) {
    uint32_t ways = r->c.level[level].ways, sets = r->c.level[level].bytes / r->c.line / ways;
    return r->lines[level] + number % sets * ways;
}

static Line *reference_find(const Reference *r, int level, uint64_t number) {
    Line *set = first_of_set(r, level, number);
    for (uint32_t i = 0; i < r->c.level[level].ways; i++)
        if (set[i].arrived && set[i].number == number) return &set[i];
    return NULL;
}

static uint64_t age(const Reference *r, const Line *l) { return r->c.policy == CACHE_LRU ? l->used : l->arrived; }

static Line reference_enter(Reference *r, int level, uint64_t number) {
    Line *set = first_of_set(r, level, number), *to = set;
    for (uint32_t i = 1; i < r->c.level[level].ways; i++)
        if (to->arrived && (!set[i].arrived || age(r, &set[i]) < age(r, to))) to = &set[i];
    Line old = *to;
    *to = (Line){number, r->now, r->now};
    return old;
}

static unsigned reference_access(Reference *r, uint64_t address) {
    uint64_t number = address / r->c.line;
    r->now++;
    for (int level = 0; level < CACHE_LEVELS; level++) {
        Line *hit = reference_find(r, level, number);
        if (!hit) continue;
        hit->used = r->now;
        if (level) reference_enter(r, 0, number);
        return (unsigned)level;
    }
    Line replaced = reference_enter(r, 1, number);
    Line *above = replaced.arrived && r->c.inclusive ? reference_find(r, 0, replaced.number) : NULL;
    if (above) *above = (Line){0};
    reference_enter(r, 0, number);
    return CACHE_LEVELS;
}

/* ---- traces ---- */

/* Stretches of random accesses to a region, of walks through it, and of returns to a few lines. */
static uint64_t next_address(uint64_t *random, uint64_t *position, uint64_t region) {
    uint64_t n = splitmix_next(random);
    switch (n >> 60) {
        case 0: return *position = n % region;
        case 1:
        case 2: return n % region;
        case 3: return n % (region / 64);
        default: return *position = (*position + 8 + n % 3 * 24) % region;
    }
}

static void equals_the_reference(void **state) {
    (void)state;
    static const char *const configs[] = {
        "l1=32k/4",
        "lru",
        "noninclusive",
        "lru,noninclusive",
        "l1=1k/1,l2=4k/2",
        "l1=1k/16,l2=1k/1,line=16",
        "l1=2k/2,l2=2k/32,lru,line=64",
        "l1=4k/8,l2=2k/2,lru,noninclusive,line=128",
        "l1=48k/12,l2=1280k/20,lru,noninclusive",
    };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        for (uint64_t region = 1 << 9; region <= 1 << 22; region <<= 2) {
            CacheConfig c = config(configs[i]);
            Reference r = reference(c);
            CacheModel *m = cachemodel_new(&c);
            uint64_t random = region, position = 0, missed[CACHE_LEVELS + 1] = {0};
            for (int n = 0; n < 200000; n++) {
                uint64_t address = next_address(&random, &position, region);
                unsigned found = cachemodel_access(m, address), want = reference_access(&r, address);
                if (found != want)
                    fail_msg("%s, %d accesses to %lu bytes: %u, not %u", configs[i], n, region, found, want);
                missed[found]++;
            }
            assert_true(missed[0] > 0 && missed[CACHE_LEVELS] > 0);
            cachemodel_free(m);
            reference_free(&r);
        }
}

static uint64_t misses_of_rounds(const char *text, uint64_t lines, int rounds) {
    CacheConfig c = config(text);
    CacheModel *m = cachemodel_new(&c);
    uint64_t misses = 0;
    for (int round = 0; round < rounds; round++)
        for (uint64_t line = 0; line < lines; line++) misses += cachemodel_access(m, 0x700000000000 + line * 64) > 0;
    cachemodel_free(m);
    return misses;
}

/* One line more than fits: the oldest line is always the next one, and a random one sometimes is not. */
static void misses_as_the_policy_says(void **state) {
    (void)state;
    static const char *const policies[] = {"fifo", "lru", "random"};
    for (int i = 0; i < 3; i++) assert_int_equal(misses_of_rounds(policies[i], 512, 50), 512);
    char text[64];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "l1=1k/16,%s", policies[i]);
        assert_int_equal(misses_of_rounds(text, 16, 50), 16);
        assert_int_equal(misses_of_rounds(text, 17, 50), 17 * 50);
    }
    assert_int_equal(misses_of_rounds("l1=1k/16,random", 16, 50), 16);
    uint64_t misses = misses_of_rounds("l1=1k/16,random", 17, 1000);
    assert_true(misses > 17 * 50 && misses < 17 * 500);
    assert_int_equal(misses_of_rounds("l1=1k/16,random", 17, 1000), misses);
}

/* ---- reuse distances ---- */

/* Against a list of lines, the last accessed one first. */
static void distances_are_places_in_a_list(void **state) {
    (void)state;
    enum { LINES = 3000, ACCESSES = 60000 };
    static uint64_t list[LINES];
    uint32_t lines = 0;
    ReuseDistances *r = reusedistance_new();
    uint64_t random = 5, position = 0;
    for (int n = 0; n < ACCESSES; n++) {
        uint64_t line = next_address(&random, &position, LINES);
        uint32_t at = 0;
        while (at < lines && list[at] != line) at++;
        assert_int_equal(reusedistance_access(r, line), at < lines ? (int64_t)at : REUSE_FIRST);
        lines += at == lines;
        memmove(list + 1, list, at * sizeof *list);
        list[0] = line;
    }
    assert_true(lines > LINES / 2);
    reusedistance_free(r);
}

/* A fully associative LRU cache misses what its number of lines says. */
static void distances_say_what_misses(void **state) {
    (void)state;
    CacheConfig c = config("l1=4k/64,lru,noninclusive");
    CacheModel *m = cachemodel_new(&c);
    ReuseDistances *r = reusedistance_new();
    uint64_t random = 8, position = 0, misses = 0;
    for (int n = 0; n < 1000000; n++) {
        uint64_t address = next_address(&random, &position, 32 << 20);
        int64_t distance = reusedistance_access(r, address / c.line);
        bool misses_here = cachemodel_access(m, address) > 0;
        assert_int_equal(misses_here, distance == REUSE_FIRST || distance >= 64);
        misses += misses_here;
    }
    assert_true(misses > 100000 && misses < 900000);
    reusedistance_free(r);
    cachemodel_free(m);
}

/* ---- requests ---- */

static void refuses(const char *text, const char *why) {
    CacheConfig c;
    assert_false(cacheconfig_parse(&c, text, "/nowhere", error, sizeof error));
    if (!strstr(error, why)) fail_msg("%s: %s", text, error);
}

static void configs_are_read(void **state) {
    (void)state;
    CacheConfig c = config("l2=1m/16,line=128,random,noninclusive");
    char text[CACHECONFIG_TEXT], again[CACHECONFIG_TEXT];
    cacheconfig_text(&c, text);
    assert_string_equal(text, "l1=32768/4,l2=1048576/16,line=128,random,noninclusive");
    c = config(text);
    cacheconfig_text(&c, again);
    assert_string_equal(again, text);
    cacheconfig_text(&cacheconfig_default, text);
    assert_string_equal(text, "l1=32768/4,l2=524288/8,line=64,fifo,inclusive");
    refuses("", "there is no ");
    refuses("l3=1m/16", "there is no l3");
    refuses("l1=32k", "l1 must be bytes and 1 to 64 ways");
    refuses("l1=32k/0", "l1 must be bytes and 1 to 64 ways");
    refuses("l2=2g/8", "l2 must be bytes and 1 to 64 ways");
    refuses("l1=32k/3", "the number of sets must be a power of two");
    refuses("l1=96k/4", "the number of sets must be a power of two");
    refuses("l1=0/4", "the number of sets must be a power of two");
    refuses("line=48", "line must be a power of two, 16 to 4096");
    refuses("line=8", "line must be a power of two, 16 to 4096");
    refuses("l1=64k/4,l2=32k/4", "l2 is smaller than l1");
    refuses("host", "/nowhere does not describe two levels");
}

static void put_index(const char *directory, int index, const char *level, const char *type, const char *size,
                      const char *ways) {
    const struct {
        const char *name, *text;
    } files[] = {{"level", level},
                 {"type", type},
                 {"size", size},
                 {"ways_of_associativity", ways},
                 {"coherency_line_size", "64"}};
    char path[300];
    snprintf(path, sizeof path, "%s/index%d", directory, index);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/index%d/%s", directory, index, files[i].name);
        FILE *out = fopen(path, "w");
        fprintf(out, "%s\n", files[i].text);
        fclose(out);
    }
}

static void reads_the_processor(void **state) {
    (void)state;
    char directory[] = "/tmp/cache_testXXXXXX", command[300], text[CACHECONFIG_TEXT];
    CacheConfig c;
    assert_non_null(mkdtemp(directory));
    put_index(directory, 0, "1", "Data", "48K", "12");
    put_index(directory, 1, "1", "Instruction", "64K", "8");
    put_index(directory, 2, "2", "Unified", "2048K", "16");
    put_index(directory, 3, "3", "Unified", "30M", "15");
    assert_true(cacheconfig_parse(&c, "host", directory, error, sizeof error));
    cacheconfig_text(&c, text);
    assert_string_equal(text, "l1=49152/12,l2=2097152/16,line=64,lru,noninclusive");
    assert_true(cacheconfig_parse(&c, "host,fifo,l2=1m/16", directory, error, sizeof error));
    cacheconfig_text(&c, text);
    assert_string_equal(text, "l1=49152/12,l2=1048576/16,line=64,fifo,noninclusive");
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* ---- the analysis ---- */

static uint64_t passed_on;

static void last_field(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                       uint32_t access, uintptr_t object, uintptr_t address) {
    (void)sink, (void)method, (void)bci, (void)field, (void)access, (void)object, (void)address;
    passed_on++;
}

static void last_element(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                         uint32_t type, uintptr_t array, uintptr_t address) {
    (void)sink, (void)method, (void)bci, (void)access, (void)type, (void)array, (void)address;
    passed_on++;
}

static uint64_t count_at(const Table *t, uint64_t section, uint64_t method, uint64_t bci, uint64_t field) {
    for (size_t i = 0; i < t->count; i++) {
        const uint64_t *key = t->rows[i].key;
        if (key[0] == section + 1 && key[1] == method && key[2] == bci && key[3] == field) return t->rows[i].count;
    }
    return 0;
}

/* A walk over 1 MB of ints, 16 in a line, with a field access for each 1,000 elements. */
static void counts_by_place(void **state) {
    (void)state;
    AnalysisSettings settings = {.cache = cacheconfig_default};
    const Analysis *a = &analysis_cache;
    void *s = a->thread_new(&settings);
    EventSink_array_access elements[2] = {{a->on_array_access, s}, {last_element, NULL}};
    EventSink_field_access fields[2] = {{a->on_field_access, s}, {last_field, NULL}};
    enum { INTS = 1 << 18, WALKS = 2 };
    for (int walk = 0; walk < WALKS; walk++)
        for (uint32_t i = 0; i < INTS; i++) {
            elements->fn(elements, 5, 17, 0, 'I', 0x100000, 0x100010 + 4 * i);
            if (i % 1000 == 0) fields->fn(fields, 6, 2, 99, 1, 0x900000, 0x900010);
        }
    Table t = {0};
    uint64_t lost = 0, lines = INTS / 16 + 1, times = INTS / 1000 + 1;
    a->collect(s, &t, &lost);
    table_combine(&t);
    assert_int_equal(lost, 0);
    assert_int_equal(passed_on, WALKS * (INTS + times));
    assert_int_equal(count_at(&t, 0, 5, 17, COLUMN_ELEMENT('I')), WALKS * INTS);
    assert_int_equal(count_at(&t, 1, 5, 17, COLUMN_ELEMENT('I')), WALKS * lines);
    assert_int_equal(count_at(&t, 2, 5, 17, COLUMN_ELEMENT('I')), WALKS * lines);
    assert_int_equal(count_at(&t, 0, 6, 2, 99), WALKS * times);
    assert_true(count_at(&t, 1, 6, 2, 99) > 0 && count_at(&t, 2, 6, 2, 99) > 0);
    assert_true(count_at(&t, 2, 6, 2, 99) <= count_at(&t, 1, 6, 2, 99));
    table_free(&t);
    a->thread_free(s);
}

/* Each event reaches one state at once and another as words of a ring. The rows are equal. */
static void consumers_see_the_same(void **state) {
    (void)state;
    AnalysisSettings settings = {.cache = cacheconfig_default};
    const Analysis *a = &analysis_cache;
    void *states[2] = {a->thread_new(&settings), a->thread_new(&settings)};
    EventSink_array_access elements[2][2];
    EventSink_field_access fields[2][2];
    for (int i = 0; i < 2; i++) {
        elements[i][0] = (EventSink_array_access){a->on_array_access, states[i]};
        fields[i][0] = (EventSink_field_access){a->on_field_access, states[i]};
        elements[i][1] = (EventSink_array_access){last_element, NULL};
        fields[i][1] = (EventSink_field_access){last_field, NULL};
    }
    EventThread consumer = {.field_access = fields[1], .array_access = elements[1]};
    uint64_t random = 3, position = 0;
    for (int n = 0; n < 300000; n++) {
        uintptr_t base = (uintptr_t)0x7fff << 32, address = base + next_address(&random, &position, 4 << 20);
        uint32_t method = (uint32_t)(address >> 12) % 3000, what = (uint32_t)n % 5;
        int32_t bci = (int32_t)(address >> 5 & 0x1ffff); /* some need the long form */
        EventPacker p;
        if (n % 3) {
            elements[0]->fn(elements[0], method, bci, what % 2, "IJFDLBCS"[what], base, address);
            eventwords_write_array_access(&p, method, bci, what % 2, (uint8_t) "IJFDLBCS"[what], base, address);
            if (eventwords_tag(*p.words) == EVENTWORDS_LONG)
                eventwords_give_long_array_access(consumer.array_access, p.words);
            else eventwords_give_array_access(consumer.array_access, p.words);
        } else {
            fields[0]->fn(fields[0], method, bci, what, 0, base, address);
            eventwords_write_field_access(&p, method, bci, what, 0, base, address);
            if (eventwords_tag(*p.words) == EVENTWORDS_LONG)
                eventwords_give_long_field_access(consumer.field_access, p.words);
            else eventwords_give_field_access(consumer.field_access, p.words);
        }
    }
    Table tables[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        uint64_t lost = 0;
        a->collect(states[i], &tables[i], &lost);
        table_combine(&tables[i]);
        assert_int_equal(lost, 0);
        a->thread_free(states[i]);
    }
    assert_true(tables[0].count > 10000);
    assert_int_equal(tables[0].count, tables[1].count);
    assert_memory_equal(tables[0].rows, tables[1].rows, tables[0].count * sizeof *tables[0].rows);
    for (int i = 0; i < 2; i++) table_free(&tables[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_reference),
        cmocka_unit_test(misses_as_the_policy_says),
        cmocka_unit_test(configs_are_read),
        cmocka_unit_test(reads_the_processor),
        cmocka_unit_test(counts_by_place),
        cmocka_unit_test(consumers_see_the_same),
        cmocka_unit_test(distances_are_places_in_a_list),
        cmocka_unit_test(distances_say_what_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
