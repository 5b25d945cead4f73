// For unit tests of rooms that need classes, Java code or a collector: a VM in the test's process, interpreting. Such a
// test is linked with the VM as its own libjvm.so, because the JDK's libraries require a library of that name (the
// Makefile lists these tests), and begins at booted_tests. The main thread runs in the VM, except where a test calls
// JNI functions.
#ifndef CABERNET_TESTS_VM_BOOTED_H
#define CABERNET_TESTS_VM_BOOTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "tests/bytecode/class_builder.h"
#include "vm/jni/handles.h"
#include "vm/jni/jni.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/model/vm.h"
#include "vm/objects/symbol.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/threads/thread.h"

// The suite's function, which the program tests/vm/booted_main.c calls.
__attribute__((visibility("default"))) int booted_tests(void);

static Thread *self;
static JNIEnv *env;
static JavaVM *java_vm;
static Loader *app;  // the application's loader

static inline Class *boot_class(const char *name) {
    Class *c = loader_load(self, vm.boot_loader, symbol_of(name));
    assert_non_null(c);
    return c;
}

static inline Method *method_of(const Class *c, const char *name, const char *desc) {
    Method *m = class_find_method(c, symbol_of(name), symbol_of(desc));
    assert_non_null(m);
    return m;
}

static inline int booted_setup(void **state) {
    (void)state;
    JavaVMOption options[] = {{.optionString = "-Xint"}, {.optionString = "-Xmx256m"}};
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 2, .options = options};
    if (JNI_CreateJavaVM(&java_vm, (void **)&env, &args) != JNI_OK) return -1;
    self = thread_current();
    thread_native_to_vm(self);
    Method *system_loader = method_of(boot_class("java/lang/ClassLoader"), "getSystemClassLoader",
                                      "()Ljava/lang/ClassLoader;");
    Object *loader = invoke_ref(self, system_loader, ENTRY_VM, 0);
    if (!loader) return -1;
    app = loader_of(self, loader);
    return 0;
}

static inline int booted_teardown(void **state) {
    (void)state;
    thread_vm_to_native(self);
    return (*java_vm)->DestroyJavaVM(java_vm) == JNI_OK ? 0 : -1;
}

// Expects a pending exception of this class (internal name), with this text in its message (NULL: any), and clears it.
static inline void expect_thrown(const char *class_name, const char *part) {
    assert_non_null(self->exception);
    Object *thrown = exception_take(self);
    assert_string_equal(thrown->vt->cls->name->text, class_name);
    char *message = exception_message(thrown);
    if (part && !(message && strstr(message, part)))
        fail_msg("expected \"%s\" in \"%s\"", part, message ? message : "(null)");
    free(message);
}

// Defines the class; NULL with an exception pending.
static inline Class *define_in(Loader *loader, ClassBuilder *b, DefineOptions options) {
    const Bytes *bytes = cb_finish(b);
    return loader_define(self, loader, bytes->b, bytes->n, &options);
}

static inline Class *defined(Loader *loader, ClassBuilder *b) {
    Class *c = define_in(loader, b, (DefineOptions){0});
    if (!c) exception_print(self, self->exception, stderr);
    assert_non_null(c);
    return c;
}

// Adds a method with this code to the class.
static inline void code_of(ClassBuilder *b, unsigned flags, const char *name, const char *desc, unsigned stack,
                           unsigned locals, const uint8_t *code, size_t length) {
    cb_method(b, flags, name, desc, &(CbCode){.max_stack = stack, .max_locals = locals, .code = code, .len = length});
}
#define CODE(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define U2(x) (uint8_t)((x) >> 8), (uint8_t)(x)

#endif
