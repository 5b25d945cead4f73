// The race detector's order and cells (profiler/concurrency/happensbefore.h, raceshadow.h), without a VM. Compares
// random traces of several threads with a slow reference that keeps a full vector clock for each access; tests by
// hand what a collection forgets, and the rarer cases.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/concurrency/raceshadow.h"

enum { THREADS = 5, LOCKS = 3, VOLATILES = 2, VARIABLES = 6, LENGTH = 120, TRACES = 10000 };

// ---- the reference: each thread's clock, and every access ----

typedef struct Clock {
    uint32_t at[THREADS];
} Clock;
typedef struct Access {
    int thread;
    bool write;
    Clock known;
} Access;

static struct Reference {
    Clock thread[THREADS], lock[LOCKS], vol[VOLATILES], started[THREADS], ended[THREADS];
    Access accesses[VARIABLES][LENGTH];
    int count[VARIABLES];
} ref;

static void join(Clock *to, const Clock *from) {
    for (int i = 0; i < THREADS; i++)
        if (to->at[i] < from->at[i]) to->at[i] = from->at[i];
}

// Whether the new access races with an earlier one.
static bool reference_access(int thread, int variable, bool write) {
    Access now = {thread, write, ref.thread[thread]};
    bool race = false;
    for (int i = 0; i < ref.count[variable]; i++) {
        const Access *a = &ref.accesses[variable][i];
        race |= (a->write || write) && a->known.at[a->thread] > now.known.at[a->thread];
    }
    ref.accesses[variable][ref.count[variable]++] = now;
    return race;
}

// ---- detector and reference together ----

static HbThread threads[THREADS];
static bool running[THREADS], raced[VARIABLES];
static int holder[LOCKS];

static uintptr_t lock_address(int i) { return 0x10000 + 64 * (uintptr_t)i; }
static uintptr_t volatile_address(int i) { return 0x20000 + 8 * (uintptr_t)i; }
static uintptr_t start_address(int i) { return 0x30001 + 64 * (uintptr_t)i; }
static uintptr_t end_address(int i) { return 0x40008 + 64 * (uintptr_t)i; }

// Variables of different sizes, adjacent as fields and elements are.
static const struct {
    uintptr_t address;
    unsigned size;
} variables[VARIABLES] = {{0x50010, 8}, {0x50018, 4}, {0x5001c, 4}, {0x50020, 2}, {0x50022, 2}, {0x50030, 1}};

static void release(int t, Clock *into, uintptr_t address, bool replace) {
    if (replace) *into = ref.thread[t];
    else join(into, &ref.thread[t]);
    ref.thread[t].at[t]++;
    hb_release(&threads[t], address, 0);
}

static void acquire(int t, const Clock *from, uintptr_t address) {
    join(&ref.thread[t], from);
    hb_acquire(&threads[t], address);
}

static void begin_thread(int t) {
    threads[t] = (HbThread){0};
    hb_thread_begin(&threads[t]);
    ref.thread[t].at[t] = 1;
    running[t] = true;
}

static int some_running(unsigned *seed) {
    int t;
    do t = rand_r(seed) % THREADS;
    while (!running[t]);
    return t;
}

static void step_lock(int t, int l) {
    if (holder[l] == t) {
        release(t, &ref.lock[l], lock_address(l), true);
        holder[l] = -1;
    } else if (holder[l] < 0) {
        acquire(t, &ref.lock[l], lock_address(l));
        holder[l] = t;
    }
}

static void step_volatile(int t, int v, bool write) {
    if (write) release(t, &ref.vol[v], volatile_address(v), false);
    else acquire(t, &ref.vol[v], volatile_address(v));
}

// Starts the first thread that has not run; if all have run, joins one that has ended.
static void step_thread(int t, unsigned *seed) {
    static bool has_run[THREADS];
    for (int i = 0; i < THREADS; i++) has_run[i] = ref.thread[i].at[i] > 0;
    for (int i = 0; i < THREADS; i++) {
        if (has_run[i]) continue;
        release(t, &ref.started[i], start_address(i), true);
        begin_thread(i);
        acquire(i, &ref.started[i], start_address(i));
        return;
    }
    int other = rand_r(seed) % THREADS;
    if (other != t && has_run[other] && !running[other]) acquire(t, &ref.ended[other], end_address(other));
}

static void end_thread(int t) {
    for (int l = 0; l < LOCKS; l++)
        if (holder[l] == t) return;
    release(t, &ref.ended[t], end_address(t), true);
    hb_thread_end(&threads[t]);
    running[t] = false;
}

// The first race of each variable is reported at the access that causes it, and no false races are. After the first
// race a cell may know less than the reference.
static void step_access(int t, unsigned *seed) {
    int v = rand_r(seed) % VARIABLES;
    bool write = rand_r(seed) % 3 == 0;
    bool expected = reference_access(t, v, write);
    Race race = raceshadow_access(&threads[t], variables[v].address, variables[v].size, write, false, 0);
    if (race.kind) assert_true(expected);
    if (!raced[v]) assert_int_equal(race.kind != RACE_NONE, expected);
    raced[v] |= expected;
}

static void run_trace(unsigned seed) {
    ref = (struct Reference){0};
    memset(running, 0, sizeof running);
    memset(raced, 0, sizeof raced);
    for (int l = 0; l < LOCKS; l++) holder[l] = -1;
    hb_reset();
    raceshadow_reset();
    begin_thread(0);
    for (int i = 0; i < LENGTH; i++) {
        int t = some_running(&seed), what = rand_r(&seed) % 20;
        if (what < 10) step_access(t, &seed);
        else if (what < 15) step_lock(t, rand_r(&seed) % LOCKS);
        else if (what < 18) step_volatile(t, rand_r(&seed) % VOLATILES, rand_r(&seed) % 2);
        else if (what < 19 || t == 0) step_thread(t, &seed);
        else end_thread(t);
    }
    for (int t = 0; t < THREADS; t++)
        if (running[t]) hb_thread_end(&threads[t]);
}

static void agrees_with_the_reference(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= TRACES; seed++) run_trace(seed);
}

// ---- by hand ----

static HbThread one, two, three;

static void begin_three(void) {
    hb_reset();
    raceshadow_reset();
    one = two = three = (HbThread){0};
    hb_thread_begin(&one);
    hb_thread_begin(&two);
    hb_thread_begin(&three);
}

static void end_three(void) {
    hb_thread_end(&one);
    hb_thread_end(&two);
    hb_thread_end(&three);
}

static RaceKind touch(HbThread *t, uintptr_t address, bool write) {
    return raceshadow_access(t, address, 4, write, false, 0).kind;
}

static void places_and_threads_of_races(void **state) {
    (void)state;
    begin_three();
    RacePlace a = raceshadow_place(7, 12), b = raceshadow_place(7, 13);
    assert_int_equal(raceshadow_place(7, 12), a);
    assert_int_not_equal(a, b);
    raceshadow_access(&one, 0x1000, 4, true, false, a);
    Race race = raceshadow_access(&two, 0x1000, 4, false, false, b);
    assert_int_equal(race.kind, RACE_WRITE_READ);
    assert_int_equal(race.place, a);
    assert_int_equal(race.epoch, one.epoch);
    uint32_t method;
    int32_t bci;
    assert_true(raceshadow_place_of(race.place, &method, &bci));
    assert_int_equal(method, 7);
    assert_int_equal(bci, 12);
    assert_false(raceshadow_place_of(0, &method, &bci));
    raceshadow_place(0, -1);
    end_three();
}

static void every_reader_of_a_list_counts(void **state) {
    (void)state;
    begin_three();
    touch(&one, 0x1000, false);
    touch(&two, 0x1000, false);
    touch(&three, 0x1000, false);
    hb_release(&two, 1, 0);
    hb_release(&three, 2, 0);
    hb_acquire(&one, 1);
    assert_int_equal(touch(&one, 0x1000, true), RACE_READ_WRITE);  // with three's access
    assert_int_equal(touch(&one, 0x1000, true), RACE_NONE);
    end_three();
}

static void a_class_initialisation_is_acquired_when_it_is_needed(void **state) {
    (void)state;
    begin_three();
    touch(&one, 0x1000, true);
    hb_class_begin(&one, 5);
    touch(&one, 0x2000, true);
    assert_int_equal(touch(&two, 0x2000, false), RACE_WRITE_READ);  // initialisation is not over
    hb_class_end(&one, 5);
    touch(&one, 0x3000, true);
    assert_int_equal(touch(&three, 0x3000, false), RACE_WRITE_READ);
    assert_int_equal(touch(&three, 0x2000, false), RACE_NONE);
    assert_int_equal(touch(&three, 0x1000, false), RACE_NONE);
    end_three();
}

static void final_fields_freeze(void **state) {
    (void)state;
    begin_three();
    raceshadow_access(&one, 0x1000, 8, true, true, 0);
    touch(&one, 0x2000, true);
    hb_release(&one, 1, 0);
    touch(&one, 0x3000, true);
    assert_int_equal(raceshadow_access(&two, 0x1000, 8, false, true, 0).kind, RACE_NONE);
    assert_int_equal(touch(&two, 0x2000, false), RACE_NONE);
    assert_int_equal(touch(&two, 0x3000, false), RACE_WRITE_READ);
    assert_int_equal(touch(&three, 0x2000, false), RACE_WRITE_READ);
    end_three();
}

static void a_collection_forgets_what_is_dead(void **state) {
    (void)state;
    begin_three();
    for (uintptr_t at = 0x8000; at < 0x8100; at += 4) touch(&one, at, true);
    raceshadow_access(&one, 0x8100, 1, true, false, 0);
    raceshadow_live(NULL, 0x8020, 32);
    raceshadow_live(NULL, 0x8080, 16);
    raceshadow_forget_dead();
    for (uintptr_t at = 0x8000; at < 0x8100; at += 4) {
        bool live = (at >= 0x8020 && at < 0x8040) || (at >= 0x8080 && at < 0x8090);
        assert_int_equal(touch(&two, at, true) != RACE_NONE, live);
    }
    assert_int_equal(raceshadow_access(&two, 0x8100, 1, true, false, 0).kind, RACE_NONE);
    end_three();
}

static bool nothing_lives(const void *object) { return !object; }

static void meetings_in_dead_objects_are_forgotten(void **state) {
    (void)state;
    begin_three();
    hb_release(&one, 64, 64);
    hb_release(&one, 8, 0);
    assert_int_equal(hb_figures().addresses, 2);
    hb_forget(nothing_lives);
    assert_int_equal(hb_figures().addresses, 1);
    end_three();
}

// More threads than slots, sequential and concurrent.
static void slots_are_used_again(void **state) {
    (void)state;
    hb_reset();
    raceshadow_reset();
    for (int i = 0; i < 20000; i++) {
        HbThread t = {0};
        hb_thread_begin(&t);
        assert_int_not_equal(t.epoch, 0);
        hb_release(&t, 1, 0);
        hb_thread_end(&t);
    }
    assert_true(hb_figures().slots < 600);
    static HbThread many[2 * HB_SLOTS];
    memset(many, 0, sizeof many);
    int without = 0;
    for (int i = 0; i < 2 * HB_SLOTS; i++) {
        hb_thread_begin(&many[i]);
        without += many[i].epoch == 0;
        hb_acquire(&many[i], 1);
        hb_release(&many[i], 1, 0);
    }
    assert_true(without >= HB_SLOTS);
    for (int i = 0; i < 2 * HB_SLOTS; i++) hb_thread_end(&many[i]);
}

// A thread whose clock overflows continues in another slot.
static void clocks_do_not_end(void **state) {
    (void)state;
    begin_three();
    uint32_t first = hb_slot(one.epoch);
    touch(&one, 0x1000, true);
    for (int i = 0; i < HB_LAST_CLOCK + 10; i++) hb_release(&one, 1, 0);
    assert_int_not_equal(hb_slot(one.epoch), first);
    assert_int_equal(touch(&one, 0x1000, true), RACE_NONE);
    assert_int_equal(touch(&three, 0x1000, true), RACE_WRITE_WRITE);
    hb_acquire(&two, 1);
    touch(&one, 0x2000, true);
    assert_int_equal(touch(&two, 0x2000, true), RACE_WRITE_WRITE);
    end_three();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(places_and_threads_of_races),
        cmocka_unit_test(every_reader_of_a_list_counts),
        cmocka_unit_test(a_class_initialisation_is_acquired_when_it_is_needed),
        cmocka_unit_test(final_fields_freeze),
        cmocka_unit_test(a_collection_forgets_what_is_dead),
        cmocka_unit_test(meetings_in_dead_objects_are_forgotten),
        cmocka_unit_test(slots_are_used_again),
        cmocka_unit_test(clocks_do_not_end),
    };
    if (!raceshadow_begin()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
