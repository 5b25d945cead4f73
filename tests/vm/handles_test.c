// Handles on an artificial thread with a real heap: frames, reuse of deleted slots, growth over blocks, globals, and
// weak globals through a collection.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gc/heap.h"
#include "vm/jni/handles.h"
#include "vm/threads/thread.h"

typedef struct TestVTable {
    void *cls;
    uintptr_t descriptor;
} TestVTable;

static int no_class;
static TestVTable vtable = {&no_class, 1 /* no references */};
static Thread thread;
static Slot java_stack[64];

// ---- the heap --------------------------------------------------------------------------------

static void nothing(void *ctx) { (void)ctx; }
static void call_blocked(void *ctx, void *owner, void (*fn)(void *arg), void *arg) {
    (void)ctx;
    (void)owner;
    fn(arg);
}
static void push(void *arg, RootKind kind, const void *frame, const void *lo, const void *hi) {
    (void)arg, (void)kind, (void)frame;
    heap_push_range(lo, hi);
}
static void push_roots(void *ctx, bool young) {
    (void)young;
    (void)ctx;
    handles_each_local_root(&thread, push, NULL);
}
static void clear_weak(void *ctx, bool young) {
    (void)young;
    (void)ctx;
    handles_clear_weak();
}

static int setup(void **state) {
    (void)state;
    static const HeapCallbacks callbacks = {
        .stop_the_world = nothing,
        .resume_the_world = nothing,
        .push_roots = push_roots,
        .clear_weak_tables = clear_weak,
        .call_blocked = call_blocked,
    };
    HeapConfig config = {.max_heap = 16u << 20, .callbacks = &callbacks};
    const char *error = NULL;
    if (!heap_init(&config, &error)) {
        fprintf(stderr, "heap_init: %s\n", error);
        return -1;
    }
    heap_enable_collection();
    heap_cache_attach(&thread.heap, &thread);
    thread.stack_base = java_stack;
    thread.stack_limit = java_stack + 64;
    return 0;
}

static Object *new_object(void) {
    void *o = heap_alloc_object(&thread.heap, 16);
    assert_non_null(o);
    *(TestVTable **)o = &vtable;
    return o;
}

// ---- local handles ---------------------------------------------------------------------------

static void test_null_is_null(void **state) {
    (void)state;
    assert_null(handle_local(&thread, NULL));
    assert_null(handle_get(NULL));
    assert_null(handle_new_global(NULL));
    assert_null(handle_new_weak(NULL));
    assert_int_equal(handle_type(&thread, NULL), JNIInvalidRefType);
}

static void test_local_names_its_object(void **state) {
    (void)state;
    HandleMark mark;
    handles_push(&thread, &mark);
    Object *o = new_object();
    jobject a = handle_local(&thread, o), b = handle_local(&thread, o);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(handle_get(a), o);
    assert_ptr_equal(handle_get(b), o);
    assert_int_equal(handle_type(&thread, a), JNILocalRefType);
    handles_pop(&thread, &mark);
    assert_int_equal(handle_type(&thread, a), JNIInvalidRefType);
}

static void test_deleted_slots_are_used_again(void **state) {
    (void)state;
    HandleMark mark;
    handles_push(&thread, &mark);
    Object *o = new_object();
    jobject a = handle_local(&thread, o), b = handle_local(&thread, o);
    handle_delete_local(&thread, a);
    assert_int_equal(handle_type(&thread, a), JNIInvalidRefType);
    handle_delete_local(&thread, a);  // deleting twice is harmless
    assert_ptr_equal(handle_local(&thread, o), a);
    handle_delete_local(&thread, b);
    assert_ptr_equal(handle_local(&thread, o), b);
    for (int i = 0; i < 100000; i++) {  // reuses slots
        jobject c = handle_local(&thread, o), d = handle_local(&thread, o);
        handle_delete_local(&thread, c);
        handle_delete_local(&thread, d);
    }
    assert_ptr_equal(thread.handles.block, mark.block);
    handles_pop(&thread, &mark);
}

static void test_many_locals_in_nested_frames(void **state) {
    (void)state;
    enum { N = 1000 };
    static jobject refs[N];
    static Object *objects[N];
    HandleMark outer, inner;
    handles_push(&thread, &outer);
    for (int i = 0; i < N; i++) refs[i] = handle_local(&thread, objects[i] = new_object());
    handles_push(&thread, &inner);
    for (int i = 0; i < N; i++) handle_local(&thread, objects[i]);
    handles_pop(&thread, &inner);
    heap_collect(&thread.heap, "test");
    for (int i = 0; i < N; i++) {
        assert_ptr_equal(handle_get(refs[i]), objects[i]);
        assert_true(heap_is_object(objects[i]));
        assert_ptr_equal(objects[i]->vt, &vtable);
    }
    handles_pop(&thread, &outer);
}

static void test_local_frames(void **state) {
    (void)state;
    HandleMark mark;
    handles_push(&thread, &mark);
    Object *o = new_object(), *p = new_object();
    jobject before = handle_local(&thread, o);
    for (int depth = 0; depth < 300; depth++) {
        handles_push_local_frame(&thread);
        handle_local(&thread, p);
    }
    jobject result = handle_local(&thread, p);
    for (int depth = 0; depth < 300; depth++) result = handles_pop_local_frame(&thread, result);
    assert_ptr_equal(handle_get(result), p);
    assert_ptr_equal(handle_get(before), o);
    assert_null(thread.handles.frame);
    assert_null(handles_pop_local_frame(&thread, NULL));  // none left
    assert_ptr_equal(handle_get(before), o);
    handles_pop(&thread, &mark);
}

static void test_argument_slots_are_local_handles(void **state) {
    (void)state;
    java_stack[3].o = new_object();
    jobject ref = (jobject)&java_stack[3];
    assert_int_equal(handle_type(&thread, ref), JNILocalRefType);
    handle_delete_local(&thread, ref);
    assert_null(java_stack[3].o);
}

// ---- global handles --------------------------------------------------------------------------

static void test_globals(void **state) {
    (void)state;
    enum { N = 2000 };
    static jobject refs[N];
    for (int i = 0; i < N; i++) refs[i] = handle_new_global(new_object());
    heap_collect(&thread.heap, "test");
    for (int i = 0; i < N; i++) {
        assert_int_equal(handle_type(&thread, refs[i]), JNIGlobalRefType);
        assert_ptr_equal(handle_get(refs[i])->vt, &vtable);
    }
    for (int i = 0; i < N; i++) handle_delete_global(refs[i]);
    assert_int_equal(handle_type(&thread, refs[7]), JNIInvalidRefType);
    handle_delete_global(refs[7]);  // deleting twice is harmless
    assert_ptr_equal(handle_new_global(new_object()), refs[N - 1]);
}

static void test_weak_globals_are_cleared(void **state) {
    (void)state;
    HandleMark mark;
    handles_push(&thread, &mark);
    jobject keep = handle_local(&thread, new_object());
    jweak kept = handle_new_weak(handle_get(keep));
    jweak lost = handle_new_weak(new_object());
    heap_collect(&thread.heap, "test");
    assert_ptr_equal(handle_get(kept), handle_get(keep));
    assert_null(handle_get(lost));
    assert_int_equal(handle_type(&thread, lost), JNIWeakGlobalRefType);
    handle_delete_weak(lost);
    handle_delete_weak(kept);
    assert_int_equal(handle_type(&thread, kept), JNIInvalidRefType);
    handles_pop(&thread, &mark);
}

static void test_end_of_thread(void **state) {
    (void)state;
    handles_free(&thread);
    assert_null(thread.handles.block);
    handles_free(&thread);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_null),
        cmocka_unit_test(test_local_names_its_object),
        cmocka_unit_test(test_deleted_slots_are_used_again),
        cmocka_unit_test(test_many_locals_in_nested_frames),
        cmocka_unit_test(test_local_frames),
        cmocka_unit_test(test_argument_slots_are_local_handles),
        cmocka_unit_test(test_globals),
        cmocka_unit_test(test_weak_globals_are_cleared),
        cmocka_unit_test(test_end_of_thread),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
