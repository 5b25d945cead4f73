// The registry of compiled code (vm/code/code.c), with code that is never run.
#include "tests/vm/crew.h"

#include "vm/code/code.h"
#include "vm/instrument/profile.h"
#include "vm/interp/interp.h"
#include "vm/objects/symbol.h"

static Thread *main_thread;

// A superclass with a virtual method, a subclass that overrides it, and a method whose code assumes no override.
static struct World {
    Class super, sub;
    VTable *super_vt, *sub_vt;
    Method virtual, override, compiled;
    Insn insns[4];
} w;

static int setup(void **state) {
    (void)state;
    if (main_thread) return 0;
    main_thread = crew_init();
    size_t vt_size = sizeof(VTable) + sizeof(Method *);
    w.super_vt = calloc(1, vt_size);
    w.sub_vt = calloc(1, vt_size);
    if (!main_thread || !w.super_vt || !w.sub_vt) return -1;
    w.super_vt->methods[0] = &w.virtual;
    w.sub_vt->methods[0] = &w.override;
    w.super = (Class){.vt = w.super_vt, .vtable_length = 1, .vtable_final = true};
    w.sub = (Class){.vt = w.sub_vt, .vtable_length = 1, .super = &w.super};
    w.virtual = (Method){.cls = &w.super};
    w.override = (Method){.cls = &w.sub};
    w.compiled = (Method){.cls = &w.super, .code = w.insns, .code_words = 4, .vtable_index = -1};
    return 0;
}

static Code *new_code(char *start, size_t size, bool dependent) {
    static Method *dependencies[] = {&w.virtual};
    Code *code = calloc(1, sizeof *code);
    assert_non_null(code);
    *code = (Code){.method = &w.compiled,
                   .osr_bci = -1,
                   .start = start,
                   .size = size,
                   .entry = start,
                   .dependencies = dependencies,
                   .dependency_count = dependent};
    return code;
}

static void sweep_and(void release(Code *)) {
    for (Code *code = code_sweep(), *next; code; code = next) {
        next = code->next_in_table;
        release(code);
    }
}
static void release(Code *code) { free(code); }

// Only a thread outside the running state may sweep.
static void sweep_body(void *release) { sweep_and(*(void (**)(Code *))release); }
static void sweep_in_native(void (*release)(Code *)) {
    thread_run_safe(main_thread, THREAD_NATIVE, sweep_body, &release);
}

// ---- lookup ------------------------------------------------------------------------------------------

static void return_addresses_between_neighbours(void **state) {
    (void)state;
    static char area[192];
    Code *first = new_code(area, 64, false), *second = new_code(area + 64, 64, false);
    assert_true(code_install(first, profile_generation(), CODE_LIVE));
    assert_true(code_install(second, profile_generation(), CODE_LIVE));
    assert_null(code_find(area));  // not a return address in the first
    assert_ptr_equal(code_find(area + 1), first);
    assert_ptr_equal(code_find(area + 64), first);  // a call may be its last instruction
    assert_ptr_equal(code_find(area + 65), second);
    assert_ptr_equal(code_find(area + 128), second);
    assert_null(code_find(area + 129));
    code_evict(SIZE_MAX);
    sweep_in_native(release);
    assert_null(code_find(area + 65));
}

// ---- classes that break assumptions ---------------------------------------------------------------------

// Installs code that assumes a class without subclasses, then links a subclass.
static void break_by_class(Code *code, int state) {
    w.super.subclasses = NULL;
    w.sub.vtable_final = false;
    assert_true(code_install(code, profile_generation(), state));
    w.super.subclasses = &w.sub;
    code_class_linked(main_thread, &w.sub);
    assert_int_equal(code->state, CODE_INVALID);
}

static void linked_class_breaks(void **state) {
    (void)state;
    static char area[64];
    break_by_class(new_code(area, sizeof area, true), CODE_LIVE);
    assert_null(method_code(&w.compiled));
    assert_null(w.super.dependents);
    Code *late = new_code(area, sizeof area, true);
    assert_false(code_install(late, profile_generation(), CODE_LIVE));  // the assumption no longer holds
    free(late);
    sweep_in_native(release);
}

// ---- code for shadows --------------------------------------------------------------------------------------

static void prepared_code_waits(void **state) {
    (void)state;
    static char area[192];
    Code *old = new_code(area, 64, false), *prepared = new_code(area + 64, 64, false),
         *own = new_code(area + 128, 64, false);
    assert_true(code_install(old, profile_generation(), CODE_PREPARED));
    assert_true(code_install(prepared, profile_generation(), CODE_PREPARED));
    assert_int_equal(old->state, CODE_REPLACED);
    assert_null(method_code(&w.compiled));
    assert_true(code_install(own, profile_generation(), CODE_LIVE));
    sweep_in_native(release);
    assert_ptr_equal(code_find(area + 65), prepared);
    safepoint_stop(main_thread, "test");
    assert_int_equal(code_enter_prepared(main_thread), 1);
    safepoint_resume(main_thread);
    assert_int_equal(own->state, CODE_INVALID);
    assert_ptr_equal(method_code(&w.compiled), prepared);
    assert_int_equal(prepared->state, CODE_LIVE);
    code_evict(SIZE_MAX);
    sweep_in_native(release);
}

static void prepared_code_relies_on_classes(void **state) {
    (void)state;
    static char area[64];
    break_by_class(new_code(area, sizeof area, true), CODE_PREPARED);
    sweep_in_native(release);
}

enum { ROUNDS = 3000, POISON = 0x5d };
static _Atomic bool quit;
static Code *released[2 * ROUNDS];
static _Atomic uint32_t released_count;

static void poison(Code *code) {
    memset(code, POISON, sizeof *code);
    released[released_count++] = code;
}

// As a compile thread does, but continuously.
static void *sweep_all_the_time(void *unused) {
    while (!quit) {
        code_evict(SIZE_MAX);
        sweep_and(poison);
    }
    return unused;
}

static void join(void *thread) { pthread_join(*(pthread_t *)thread, NULL); }

static bool is_intact(const Code *code) {
    const unsigned char *bytes = (const unsigned char *)code;
    for (size_t i = 0; i < sizeof *code; i++)
        if (bytes[i] != POISON) return false;
    return true;
}

// Does not touch code that another stop has released in the meantime.
static void linked_while_swept(void **state) {
    (void)state;
    static char areas[ROUNDS][64];
    pthread_t sweeper;
    assert_int_equal(pthread_create(&sweeper, NULL, sweep_all_the_time, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        Code *code = new_code(areas[i], sizeof areas[i], true);
        w.super.subclasses = NULL;
        w.sub.vtable_final = false;
        assert_true(code_install(code, profile_generation(), CODE_LIVE));
        w.super.subclasses = &w.sub;
        code_class_linked(main_thread, &w.sub);
        thread_poll(main_thread);
    }
    quit = true;
    thread_run_safe(main_thread, THREAD_NATIVE, join, &sweeper);
    code_evict(SIZE_MAX);
    sweep_in_native(poison);
    assert_int_equal(released_count, ROUNDS);
    for (uint32_t i = 0; i < released_count; i++) {
        assert_true(is_intact(released[i]));
        free(released[i]);
    }
}

// Each installation of code retires a table. The retired tables' memory stays bounded, and lookup finds all code.
static void tables_of_much_code(void **state) {
    (void)state;
    enum { CODES = 4000, SIZE = 64 };
    static char area[CODES][SIZE];
    static Method methods[CODES];
    uint32_t sweeps = 0;
    for (int i = 0; i < CODES; i++) {
        Code *code = new_code(area[i], SIZE, false);
        methods[i] = w.compiled;
        code->method = &methods[i];
        assert_true(code_install(code, profile_generation(), CODE_LIVE));
        if (code_old_table_bytes() <= CODE_MOST_OLD_TABLES) continue;
        assert_true(code_old_table_bytes() <= CODE_MOST_OLD_TABLES + CODES * sizeof(Code *));
        sweep_in_native(release);
        assert_int_equal(code_old_table_bytes(), 0);
        sweeps++;
    }
    assert_in_range(sweeps, 5, 20);
    for (int i = 0; i < CODES; i++) assert_ptr_equal(code_find(area[i] + 1)->method, &methods[i]);
    code_evict(SIZE_MAX);
    sweep_in_native(release);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(return_addresses_between_neighbours, setup),
        cmocka_unit_test_setup(tables_of_much_code, setup),
        cmocka_unit_test_setup(linked_class_breaks, setup),
        cmocka_unit_test_setup(prepared_code_waits, setup),
        cmocka_unit_test_setup(prepared_code_relies_on_classes, setup),
        cmocka_unit_test_setup(linked_while_swept, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
