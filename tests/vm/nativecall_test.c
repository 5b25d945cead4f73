// Native calls and their names, on an artificial thread and artificial methods: argument and result passing of every
// type, handles for references, frames, name mangling, and jio_*.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "vm/jni/handles.h"
#include "vm/jvm/jvm.h"
#include "vm/base/container.h"
#include "vm/jni/nativecall.h"
#include "vm/jni/nativelib.h"
#include "vm/threads/thread.h"

static Thread thread;
static Slot java_stack[256];
static Class cls;
static Object objects[4], mirror;

static Symbol *make_symbol(const char *text) {
    Symbol *s = calloc(1, sizeof *s + strlen(text) + 1);
    s->length = (uint16_t)strlen(text);
    strcpy(s->text, text);
    return s;
}

static Method make_method(const char *desc, bool is_static, void *fn) {
    Symbol *d = make_symbol(desc);
    unsigned slots = descriptor_arg_slots((const uint8_t *)desc, d->length);
    return (Method){
        .cls = &cls,
        .desc = d,
        .flags = ACC_NATIVE | (is_static ? ACC_STATIC : 0),
        .nargs = (uint16_t)(slots + !is_static),
        .ret = descriptor_return_char((const uint8_t *)desc, d->length),
        .native_fn = fn,
    };
}

static int setup(void **state) {
    (void)state;
    thread.jni = &jni_functions;
    thread.stack_base = java_stack;
    thread.stack_limit = java_stack + 256;
    cls.mirror = &mirror;
    return 0;
}

static Slot call(Method *m, const Slot *args) {
    memcpy(java_stack, args, m->nargs * sizeof *args);
    assert_true(native_call(&thread, m, java_stack));
    assert_null(thread.frame);
    return java_stack[0];
}

// ---- calls -----------------------------------------------------------------------------------

static jlong mixed(JNIEnv *env, jobject self, jboolean z, jbyte b, jchar c, jshort s, jint i, jlong j, jfloat f,
                   jdouble d, jobject o, jint last) {
    assert_ptr_equal(thread_from_env(env), &thread);
    assert_ptr_equal(handle_get(self), &objects[0]);
    assert_ptr_equal(handle_get(o), &objects[1]);
    assert_int_equal(atomic_load(&thread.state), THREAD_NATIVE);
    assert_int_equal(thread.frame->kind, FRAME_NATIVE);
    return z + b * 10 + c * 100 + s * 1000 + i * 10000 + j * 100000 + (jlong)f * 1000000 + (jlong)d * 10000000 +
        last * (jlong)100000000;
}

static void test_every_type_of_argument(void **state) {
    (void)state;
    Method m = make_method("(ZBCSIJFDLFoo;I)J", false, mixed);
    Slot args[13] = {{.o = &objects[0]}, {.i = 1}, {.i = -2}, {.i = 3}, {.i = -4}, {.i = 5}};
    args[6].l = 6;
    args[8].f = 7;
    args[9].d = 8;
    args[11].o = &objects[1];
    args[12].i = 9;
    assert_int_equal(call(&m, args).l, 1 - 20 + 300 - 4000 + 50000 + 600000 + 7000000 + 80000000 + 900000000);
}

static jint sum20(JNIEnv *env, jclass c, jint a0, jint a1, jint a2, jint a3, jint a4, jint a5, jint a6, jint a7,
                  jint a8, jint a9, jdouble d0, jdouble d1, jdouble d2, jdouble d3, jdouble d4, jdouble d5, jdouble d6,
                  jdouble d7, jdouble d8, jdouble d9) {
    (void)env;
    assert_ptr_equal(handle_get(c), &mirror);
    return a0 + 2 * a1 + 3 * a2 + 4 * a3 + 5 * a4 + 6 * a5 + 7 * a6 + 8 * a7 + 9 * a8 + 10 * a9 +
        (jint)(d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8 + 100 * d9);
}

static void test_arguments_on_the_c_stack(void **state) {
    (void)state;
    Method m = make_method("(IIIIIIIIIIDDDDDDDDDD)I", true, sum20);
    Slot args[30] = {{.i = 0}};
    for (int i = 0; i < 10; i++) {
        args[i].i = i;
        args[10 + 2 * i].d = i;
    }
    assert_int_equal(call(&m, args).i, 330 + 36 + 900);
}

#define RETURNS(name, type, value) \
    static type name(JNIEnv *env, jclass c) { return (void)env, (void)c, (type)(value); }
RETURNS(return_z, jint, 0x100)  // upper bits are garbage
RETURNS(return_b, jint, 0x1ff)
RETURNS(return_c, jint, -1)
RETURNS(return_s, jint, 0x1fffe)
RETURNS(return_i, jint, INT32_MIN)
RETURNS(return_j, jlong, INT64_MIN)
RETURNS(return_f, jfloat, 1.5)
RETURNS(return_d, jdouble, -2.5)
static void return_v(JNIEnv *env, jclass c) { (void)env, (void)c; }

static Slot result_of(const char *desc, void *fn) {
    Method m = make_method(desc, true, fn);
    Slot none = {.l = -1};
    java_stack[0] = none;
    return call(&m, &none);
}

static void test_every_type_of_result(void **state) {
    (void)state;
    assert_int_equal(result_of("()Z", return_z).i, 0);
    assert_int_equal(result_of("()B", return_b).i, -1);
    assert_int_equal(result_of("()C", return_c).i, 0xffff);
    assert_int_equal(result_of("()S", return_s).i, -2);
    assert_int_equal(result_of("()I", return_i).i, INT32_MIN);
    assert_true(result_of("()J", return_j).l == INT64_MIN);
    assert_true(result_of("()F", return_f).f == 1.5f);
    assert_true(result_of("()D", return_d).d == -2.5);
    result_of("()V", return_v);
}

static jobject pick(JNIEnv *env, jclass c, jobject a, jobject b) {
    (void)c;
    assert_null(b);
    jobject local = (*env)->NewLocalRef(env, a);
    assert_true((*env)->IsSameObject(env, local, a));
    assert_int_equal((*env)->GetObjectRefType(env, local), JNILocalRefType);
    assert_int_equal((*env)->GetObjectRefType(env, a), JNILocalRefType);
    (*env)->DeleteLocalRef(env, a);
    (*env)->DeleteLocalRef(env, c);  // no effect on the class's slot
    assert_int_equal((*env)->PushLocalFrame(env, 4), JNI_OK);
    local = (*env)->NewLocalRef(env, local);
    return (*env)->PopLocalFrame(env, local);
}

static void test_references(void **state) {
    (void)state;
    Method m = make_method("(LA;[I)LA;", true, pick);
    Slot args[2] = {{.o = &objects[2]}, {.o = NULL}};
    assert_ptr_equal(call(&m, args).o, &objects[2]);
    assert_ptr_equal(cls.mirror, &mirror);
}

static void raise(JNIEnv *env, jclass c, jobject exception) {
    (void)c;
    Thread *t = thread_from_env(env);
    t->exception = handle_get(exception);
    assert_true((*env)->ExceptionCheck(env));
}

static void test_exception(void **state) {
    (void)state;
    Method m = make_method("(LA;)V", true, raise);
    java_stack[0].o = &objects[3];
    assert_false(native_call(&thread, &m, java_stack));
    assert_ptr_equal(thread.exception, &objects[3]);
    assert_null(thread.frame);
    thread.exception = NULL;
}

static void test_shapes_are_shared(void **state) {
    (void)state;
    Method a = make_method("(LA;[[I)V", true, raise), b = make_method("([JLB;)V", false, raise);
    Method c = make_method("(LA;I)V", true, raise);
    assert_ptr_equal(native_prepare(&thread, &a), native_prepare(&thread, &b));
    assert_ptr_not_equal(native_prepare(&thread, &a), native_prepare(&thread, &c));
    assert_ptr_equal(a.native_call, b.native_call);
}

// ---- names -----------------------------------------------------------------------------------

static void check_mangled(const char *text, const char *expected) {
    Text out = {0};
    native_mangle(&out, text, strlen(text));
    assert_string_equal(out.at, expected);
    free(out.at);
}

static void test_mangling(void **state) {
    (void)state;
    check_mangled("java/lang/Object", "java_lang_Object");
    check_mangled("a_b", "a_1b");
    check_mangled("[Ljava/lang/String;I", "_3Ljava_lang_String_2I");
    check_mangled("Outer$Inner", "Outer_00024Inner");
    check_mangled("\xc3\xa9t\xc3\xa9", "_000e9t_000e9");
    check_mangled("\xe2\x82\xac", "_020ac");
}

// ---- output ------------------------------------------------------------------------------------

static void test_jio(void **state) {
    (void)state;
    char buf[8];
    assert_int_equal(jio_snprintf(buf, sizeof buf, "%d", 1234567), 7);
    assert_string_equal(buf, "1234567");
    assert_int_equal(jio_snprintf(buf, sizeof buf, "%d", 12345678), -1);
    assert_string_equal(buf, "1234567");
    assert_int_equal(jio_snprintf(buf, 0, "x"), -1);
}

static void test_processors(void **state) {
    (void)state;
    assert_true(container_processors() >= 1);
    assert_int_equal(container_processors(), JVM_ActiveProcessorCount());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_of_argument),
        cmocka_unit_test(test_arguments_on_the_c_stack),
        cmocka_unit_test(test_every_type_of_result),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_shapes_are_shared),
        cmocka_unit_test(test_mangling),
        cmocka_unit_test(test_jio),
        cmocka_unit_test(test_processors),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
