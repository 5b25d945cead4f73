// Runtime: calls from C into Java, exceptions, backtraces, the stack walker, messages of NullPointerException.
#include "tests/vm/booted.h"

#include "vm/api/stackwalk.h"
#include "vm/linking/classinit.h"
#include "vm/objects/objects.h"
#include "vm/objects/string.h"
#include "vm/runtime/backtrace.h"
#include "vm/runtime/npemessage.h"

static ClassBuilder b;

static Class *initialized(const char *name) {
    Class *c = boot_class(name);
    assert_true(class_initialize(self, c));
    return c;
}

// ---- calls --------------------------------------------------------------------------------------

static void static_calls(void **state) {
    (void)state;
    Class *math = initialized("java/lang/Math");
    Slot args[4] = {{.i = 3}, {.i = -9}}, result = {.l = 77};
    assert_true(invoke_method(self, method_of(math, "min", "(II)I"), args, &result, ENTRY_VM));
    assert_int_equal(result.i, -9);
    assert_int_equal(args[0].raw, 0);  // arguments are not kept alive
    assert_int_equal(args[1].raw, 0);
    memset(args, 0, sizeof args);
    args[0].l = INT64_C(-5000000000), args[2].l = 7;
    assert_true(invoke_method(self, method_of(math, "max", "(JJ)J"), args, &result, ENTRY_VM));
    assert_int_equal(result.l, 7);
    args[0].l = INT64_C(-5000000000);
    assert_true(invoke_method(self, method_of(math, "abs", "(J)J"), args, NULL, ENTRY_VM));
    assert_null(self->frame);
}

static void virtual_calls(void **state) {
    (void)state;
    Method *to_string = method_of(boot_class("java/lang/Object"), "toString", "()Ljava/lang/String;");
    Object *text = string_from_utf8(self, "itself");
    assert_non_null(text);
    Slot arg = {.o = text}, result;
    assert_true(invoke_virtual(self, to_string, &arg, &result, ENTRY_VM));
    assert_ptr_equal(result.o, text);  // String's toString
    assert_ptr_equal(invoke_ref(self, method_of(boot_class("java/lang/String"), "toString", "()Ljava/lang/String;"),
                                ENTRY_VM, 1, text),
                     text);
    arg.o = NULL;
    assert_false(invoke_virtual(self, to_string, &arg, &result, ENTRY_VM));
    expect_thrown("java/lang/NullPointerException", NULL);
    // invoke_method selects nothing.
    arg.o = text;
    assert_true(invoke_method(self, to_string, &arg, &result, ENTRY_VM));
    char *plain = string_to_utf8(result.o);
    assert_memory_equal(plain, "java.lang.String@", strlen("java.lang.String@"));
    free(plain);
}

static void calls_that_throw(void **state) {
    (void)state;
    Slot arg = {.o = NULL}, result;
    Class *integer = initialized("java/lang/Integer");
    assert_false(invoke_method(self, method_of(integer, "parseInt", "(Ljava/lang/String;)I"), &arg, &result, ENTRY_VM));
    expect_thrown("java/lang/NumberFormatException", "null");
    assert_null(self->frame);
    Object *text = string_from_utf8(self, "x1");
    assert_null(
        invoke_ref(self, method_of(integer, "decode", "(Ljava/lang/String;)Ljava/lang/Integer;"), ENTRY_VM, 1, text));
    expect_thrown("java/lang/NumberFormatException", "x1");
    Method *run = method_of(boot_class("java/lang/Runnable"), "run", "()V");
    assert_true(class_link(self, boot_class("java/lang/Runnable")));
    assert_false(invoke_void(self, run, ENTRY_VM, 1, text));
    expect_thrown("java/lang/AbstractMethodError", "run");
}

static void endless_recursion(void **state) {
    (void)state;
    cb_init(&b, "p/Endless");
    unsigned again = cb_ref(&b, CP_METHODREF, "p/Endless", "again", "(I)I");
    code_of(&b, ACC_PUBLIC | ACC_STATIC, "again", "(I)I", 2, 1,
            CODE(OPC_iload_0, OPC_iconst_1, OPC_iadd, OPC_invokestatic, U2(again), OPC_ireturn));
    Class *c = defined(app, &b);
    assert_true(class_initialize(self, c));
    for (int i = 0; i < 2; i++) {  // the stack is whole again after an overflow
        Slot arg = {.i = 0};
        assert_false(invoke_method(self, method_of(c, "again", "(I)I"), &arg, NULL, ENTRY_VM));
        Method *m;
        int bci, depth = vm.options.max_stack_trace_depth;
        assert_true(backtrace_frame(self->exception, depth - 1, &m, &bci));
        assert_false(backtrace_frame(self->exception, depth, &m, &bci));
        expect_thrown("java/lang/StackOverflowError", NULL);
        assert_null(self->frame);
    }
    assert_true(invoke_check_c_stack(self));
}

// ---- exceptions ---------------------------------------------------------------------------------

static void exceptions(void **state) {
    (void)state;
    Class *illegal = boot_class("java/lang/IllegalStateException");
    throw_wk(self, "java/lang/IllegalStateException", "%s is %d", "number", 7);
    assert_true(exception_is(self, illegal));
    assert_true(exception_is(self, boot_class("java/lang/RuntimeException")));
    assert_false(exception_is(self, boot_class("java/lang/Error")));
    Object *first = exception_take(self);
    assert_null(self->exception);
    assert_false(exception_is(self, illegal));
    char *message = exception_message(first);
    assert_string_equal(message, "number is 7");
    free(message);
    throw_object(self, first);
    assert_ptr_equal(self->exception, first);
    exception_clear(self);
    throw_new(self, illegal, NULL);
    assert_null(exception_message(self->exception));
    exception_clear(self);
    assert_null(exception_take(self));
    Object *made = exception_new(self, illegal, NULL, "quiet");
    assert_non_null(made);
    assert_null(self->exception);
    throw_wk(self, "p/NoSuchError", "x");
    expect_thrown("java/lang/NoClassDefFoundError", "p/NoSuchError");
}

static void special_errors(void **state) {
    (void)state;
    throw_oom(self, NULL);
    expect_thrown("java/lang/OutOfMemoryError", "Java heap space");
    throw_oom(self, "class file");
    expect_thrown("java/lang/OutOfMemoryError", "class file");
    throw_npe(self);
    assert_null(exception_message(self->exception));
    expect_thrown("java/lang/NullPointerException", NULL);
    throw_stack_overflow(self);
    expect_thrown("java/lang/StackOverflowError", NULL);
}

static void printing_with_causes(void **state) {
    (void)state;
    throw_wk(self, "java/io/IOException", "disk");
    Object *cause = exception_take(self);
    throw_wk_cause(self, "java/lang/IllegalStateException", cause, "cannot %s", "save");
    Object *thrown = exception_take(self);
    assert_ptr_equal(
        invoke_ref(self, method_of(thrown->vt->cls, "getCause", "()Ljava/lang/Throwable;"), ENTRY_VM, 1, thrown),
        cause);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    exception_print(self, thrown, out);
    fclose(out);
    assert_string_equal(text, "java.lang.IllegalStateException: cannot save\nCaused by: java.io.IOException: disk\n");
    free(text);
}

// ---- stacks -------------------------------------------------------------------------------------

enum { MOST_FRAMES = 16 };
static struct Seen {
    const char *method;
    int bci, kind;
    bool native;
} seen[MOST_FRAMES];
static int seen_count;
static bool with_entries;

// A native method: notes the stack from itself on.
static void look(JNIEnv *e, jclass cls) {
    (void)e, (void)cls;
    StackWalk w;
    thread_native_to_vm(self);
    seen_count = 0;
    stackwalk_begin(&w, self);
    w.entries = with_entries;
    while (stackwalk_next(&w) && seen_count < MOST_FRAMES)
        seen[seen_count++] = (struct Seen){w.method ? w.method->name->text : "(entry)", w.bci, w.method ? -1 : w.reason,
                                           w.is_native};
    thread_vm_to_native(self);
}

// A native method: throws.
static void throws(JNIEnv *e, jclass cls) {
    (void)e, (void)cls;
    thread_native_to_vm(self);
    throw_wk(self, "java/lang/IllegalStateException", "here");
    thread_vm_to_native(self);
}

// outer -> inner -> look or fail; the call is at bytecode index 0 in inner, at 2 in outer.
static Class *chain(void) {
    static Class *c;
    if (c) return c;
    cb_init(&b, "p/Chain");
    unsigned inner[2], leaf[2];
    static const char *const names[2][3] = {{"outer", "inner", "look"}, {"outerFails", "innerFails", "fail"}};
    for (int i = 0; i < 2; i++) {
        inner[i] = cb_ref(&b, CP_METHODREF, "p/Chain", names[i][1], "()V");
        leaf[i] = cb_ref(&b, CP_METHODREF, "p/Chain", names[i][2], "()V");
        code_of(&b, ACC_STATIC, names[i][0], "()V", 1, 0,
                CODE(OPC_iconst_0, OPC_pop, OPC_invokestatic, U2(inner[i]), OPC_return));
        code_of(&b, ACC_STATIC, names[i][1], "()V", 0, 0, CODE(OPC_invokestatic, U2(leaf[i]), OPC_return));
        cb_bare_method(&b, ACC_STATIC | ACC_NATIVE, names[i][2], "()V");
    }
    c = defined(app, &b);
    assert_true(class_initialize(self, c));
    jobject cls = handle_local(self, c->mirror);
    JNINativeMethod natives[] = {{"look", "()V", (void *)look}, {"fail", "()V", (void *)throws}};
    thread_vm_to_native(self);
    jint registered = (*env)->RegisterNatives(env, (jclass)cls, natives, 2);
    thread_native_to_vm(self);
    assert_int_equal(registered, JNI_OK);
    return c;
}

static void expect_seen(int at, const char *method, int bci, bool native) {
    assert_in_range(at, 0, seen_count - 1);
    assert_string_equal(seen[at].method, method);
    assert_int_equal(seen[at].bci, bci);
    assert_int_equal(seen[at].native, native);
}

static void the_stack_walker(void **state) {
    (void)state;
    Method *outer = method_of(chain(), "outer", "()V");
    with_entries = false;
    assert_true(invoke_void(self, outer, ENTRY_VM, 0));
    assert_int_equal(seen_count, 3);
    expect_seen(0, "look", -1, true);
    expect_seen(1, "inner", 0, false);
    expect_seen(2, "outer", 2, false);
    with_entries = true;
    assert_true(invoke_void(self, outer, ENTRY_CLINIT, 0));
    assert_int_equal(seen_count, 4);
    expect_seen(2, "outer", 2, false);
    expect_seen(3, "(entry)", -1, false);
    assert_int_equal(seen[3].kind, ENTRY_CLINIT);
    StackWalk empty;
    stackwalk_begin_at(&empty, self, NULL);
    assert_false(stackwalk_next(&empty));
}

static void backtraces(void **state) {
    (void)state;
    Class *c = chain();
    assert_false(invoke_void(self, method_of(c, "outerFails", "()V"), ENTRY_VM, 0));
    Object *thrown = exception_take(self);
    static const struct {
        const char *method;
        int bci;
    } expected[] = {{"fail", -1}, {"innerFails", 0}, {"outerFails", 2}};
    Method *m;
    int bci;
    assert_false(backtrace_top_hidden(thrown));
    for (int i = 0; i < 3; i++) {
        assert_true(backtrace_frame(thrown, i, &m, &bci));
        assert_ptr_equal(m->cls, c);
        assert_string_equal(m->name->text, expected[i].method);
        if (expected[i].bci >= 0) assert_int_equal(bci, expected[i].bci);
    }
    assert_false(backtrace_frame(thrown, 3, &m, &bci));
    assert_false(backtrace_frame(thrown, -1, &m, &bci));
    // Its conversion, and arrays of a wrong length.
    Class *elements = boot_class("[Ljava/lang/StackTraceElement;");
    Object *array = object_new_array(self, elements, 3);
    for (int i = 0; i < 3; i++) ARRAY_DATA(array, Object *)[i] = object_new(self, elements->component);
    assert_true(backtrace_fill_elements(self, array, thrown));
    Object *text = invoke_ref(self, method_of(elements->component, "getMethodName", "()Ljava/lang/String;"), ENTRY_VM,
                              1, ARRAY_DATA(array, Object *)[1]);
    char *name = string_to_utf8(text);
    assert_string_equal(name, "innerFails");
    free(name);
    assert_false(backtrace_fill_elements(self, object_new_array(self, elements, 2), thrown));
    expect_thrown("java/lang/IndexOutOfBoundsException", NULL);
    assert_false(backtrace_fill_elements(self, NULL, thrown));
    expect_thrown("java/lang/NullPointerException", NULL);
}

static int depth_of(const Object *throwable) {
    Method *m;
    int bci, depth = 0;
    while (backtrace_frame(throwable, depth, &m, &bci)) depth++;
    return depth;
}

static void the_depth_of_backtraces(void **state) {
    (void)state;
    int64_t before = vm.options.max_stack_trace_depth;
    vm.options.max_stack_trace_depth = 2;
    invoke_void(self, method_of(chain(), "outerFails", "()V"), ENTRY_VM, 0);
    int limited = depth_of(self->exception);
    exception_clear(self);
    vm.options.max_stack_trace_depth = before;
    vm.options.no_stack_traces = true;
    invoke_void(self, method_of(chain(), "outerFails", "()V"), ENTRY_VM, 0);
    int none = depth_of(self->exception);
    exception_clear(self);
    vm.options.no_stack_traces = false;
    assert_int_equal(limited, 2);
    assert_int_equal(none, 0);
}

// ---- messages of NullPointerException -----------------------------------------------------------

static void expect_message(const Method *m, int bci, const char *expected) {
    char *message = npe_message(m, bci);
    if (expected) {
        assert_non_null(message);
        assert_string_equal(message, expected);
    } else {
        assert_null(message);
    }
    free(message);
}

static void messages(void **state) {
    (void)state;
    cb_init(&b, "p/Nulls");
    unsigned field = cb_ref(&b, CP_FIELDREF, "p/Nulls", "next", "Lp/Nulls;"),
             head = cb_ref(&b, CP_FIELDREF, "p/Nulls", "head", "Lp/Nulls;");
    unsigned length = cb_ref(&b, CP_METHODREF, "java/lang/String", "charAt", "(I)C");
    cb_field(&b, ACC_PUBLIC, "next", "Lp/Nulls;");
    cb_field(&b, ACC_STATIC, "head", "Lp/Nulls;");
    code_of(&b, ACC_PUBLIC, "read", "()V", 1, 1,
            CODE(OPC_aload_0, OPC_getfield, U2(field), OPC_getfield, U2(field), OPC_pop, OPC_return));
    code_of(&b, ACC_STATIC, "store", "([I)V", 3, 1,
            CODE(OPC_aload_0, OPC_iconst_5, OPC_iconst_0, OPC_iastore, OPC_return));
    code_of(&b, ACC_STATIC, "call", "(Ljava/lang/String;)V", 2, 1,
            CODE(OPC_aload_0, OPC_iconst_0, OPC_invokevirtual, U2(length), OPC_pop, OPC_return));
    code_of(&b, ACC_STATIC, "throwHead", "()V", 1, 0,
            CODE(OPC_getstatic, U2(head), OPC_checkcast, U2(cb_class(&b, "java/lang/Throwable")), OPC_athrow));
    code_of(&b, ACC_STATIC, "size", "([[J)V", 2, 1,
            CODE(OPC_aload_0, OPC_iconst_2, OPC_aaload, OPC_arraylength, OPC_pop, OPC_return));
    Class *c = defined(app, &b);
    assert_true(class_link(self, c));
    expect_message(method_of(c, "read", "()V"), 4, "Cannot read field \"next\" because \"this.next\" is null");
    expect_message(method_of(c, "read", "()V"), 7, NULL);  // pop
    expect_message(method_of(c, "read", "()V"), -1, NULL);
    expect_message(method_of(c, "read", "()V"), 99, NULL);
    expect_message(method_of(c, "store", "([I)V"), 3, "Cannot store to int array because \"<parameter1>\" is null");
    expect_message(method_of(c, "call", "(Ljava/lang/String;)V"), 2,
                   "Cannot invoke \"String.charAt(int)\" because \"<parameter1>\" is null");
    expect_message(method_of(c, "throwHead", "()V"), 6, "Cannot throw exception because \"p.Nulls.head\" is null");
    expect_message(method_of(c, "size", "([[J)V"), 3,
                   "Cannot read the array length because \"<parameter1>[2]\" is null");
}

int booted_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_calls),
        cmocka_unit_test(virtual_calls),
        cmocka_unit_test(calls_that_throw),
        cmocka_unit_test(endless_recursion),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(special_errors),
        cmocka_unit_test(printing_with_causes),
        cmocka_unit_test(the_stack_walker),
        cmocka_unit_test(backtraces),
        cmocka_unit_test(the_depth_of_backtraces),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, booted_setup, booted_teardown);
}
