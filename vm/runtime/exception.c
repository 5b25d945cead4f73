// Raising exceptions from C (vm/runtime/exception.h).
//
// OutOfMemoryError and StackOverflowError are created without running Java or any function that could itself raise one
// of them: memory comes straight from the heap, and fields are set as the constructors would. When even that fails, a
// shared OutOfMemoryError created at boot is used.
#include "vm/runtime/exception.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/backtrace.h"
#include "vm/runtime/hooks.h"
#include "vm/runtime/invoke.h"
#include "vm/threads/roots.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

#define THROWABLE(field) ((size_t)WK_OFF(java_lang_Throwable, field))

static const char heap_space[] = "Java heap space";

// ---- without Java -------------------------------------------------------------------------------

static Object *raw_object(Thread *self, const Class *cls) {
    Object *o = heap_alloc_object(&self->heap, cls->instance_size);
    if (!o) return NULL;
    o->vt = cls->vt;
    object_publishable();
    object_report(self, o);
    return o;
}

// An ASCII string.
static Object *raw_string(Thread *self, const char *text) {
    size_t length = strlen(text);
    Class *bytes = atomic_load(&class_primitive('B')->array_class);
    Object *string = raw_object(self, WK(java_lang_String));
    Object *value = string && bytes ? heap_alloc_prims(&self->heap, ARRAY_BASE + length) : NULL;
    if (!value) return NULL;
    value->vt = bytes->vt;
    value->length = (int32_t)length;
    object_report(self, value);
    memcpy(ARRAY_DATA(value, char), text, length);
    set_ref(string, (size_t)WK_OFF(java_lang_String, value), value);
    object_publishable();
    return string;
}

// In the state after its constructor, except that the list of suppressed exceptions is NULL: none can be added.
static Object *raw_exception(Thread *self, const Class *cls, const char *message) {
    Object *exception = raw_object(self, cls);
    if (!exception) return NULL;
    // A full heap may have no room for a message, so errors about it share the message of the spare one.
    Object *text = message == heap_space && vm.spare_oom ? get_ref(vm.spare_oom, THROWABLE(detailMessage))
        : message                                        ? raw_string(self, message)
                                                         : NULL;
    set_ref(exception, THROWABLE(detailMessage), text);
    return exception;
}

static void throw_raw(Thread *self, const Class *cls, const char *message) {
    Object *exception = cls->vt ? raw_exception(self, cls, message) : NULL;  // boot may run out of memory
    if (exception) backtrace_fill(self, exception);
    self->exception = exception ? exception : vm.spare_oom;
    if (self->exception) return;
    fprintf(stderr, "Error occurred during initialization of VM\n%s%s%s\n", class_external_name(cls),
            message ? ": " : "", message ? message : "");
    exit(1);
}

void throw_oom(Thread *self, const char *msg) {
    self->deopt_pending = 1;  // makes compiled code let the interpreter handle it (rt_deopt_pending)
    throw_raw(self, WK(java_lang_OutOfMemoryError), msg ? msg : heap_space);
}

void throw_stack_overflow(Thread *self) { throw_raw(self, WK(java_lang_StackOverflowError), NULL); }

bool exception_init(Thread *self) {
    vm.spare_oom = raw_exception(self, WK(java_lang_OutOfMemoryError), heap_space);
    root_add(&vm.spare_oom, 1);
    if (!vm.spare_oom) fputs("cabernet: no memory for the first objects\n", stderr);
    return vm.spare_oom;
}

// ---- with constructors --------------------------------------------------------------------------

static bool construct(Thread *self, Object *exception, Object *message) {
    Class *cls = object_class(exception);
    Symbol *desc = message ? SYMS(string_void_method) : SYMS(void_method);
    Method *init = class_find_declared_method(cls, SYMS(object_initializer), desc);
    if (init) return invoke_void(self, init, ENTRY_VM, message ? 2 : 1, exception, message);
    // No such constructor: do what Throwable's constructor does.
    backtrace_fill(self, exception);
    if (message) set_ref(exception, THROWABLE(detailMessage), message);
    set_ref(exception, THROWABLE(cause), exception);
    return true;
}

// Clears any pending exception, because the new one replaces it.
static Object *make_formatted(Thread *self, Class *cls, Object *cause, const char *fmt, va_list args) {
    char *text = NULL;
    if (fmt && vasprintf(&text, fmt, args) < 0) text = NULL;
    self->exception = NULL;
    bool ok = class_is_initialized(cls) || runtime_hooks.initialize_class(self, cls);
    Object *message = ok && text ? string_from_utf8(self, text) : NULL;
    Object *exception = ok && (message || !text) ? object_new(self, cls) : NULL;
    free(text);
    if (!exception || !construct(self, exception, message)) return NULL;
    if (cause) set_ref(exception, THROWABLE(cause), cause);
    return exception;
}

static void throw_formatted(Thread *self, Class *cls, Object *cause, const char *fmt, va_list args) {
    Object *exception = make_formatted(self, cls, cause, fmt, args);
    if (exception) self->exception = exception;
}

void throw_new(Thread *self, Class *cls, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    throw_formatted(self, cls, NULL, fmt, args);
    va_end(args);
}

void throw_new_cause(Thread *self, Class *cls, Object *cause, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    throw_formatted(self, cls, cause, fmt, args);
    va_end(args);
}

void throw_wk(Thread *self, const char *name, const char *fmt, ...) {
    self->exception = NULL;
    Class *cls = runtime_hooks.boot_class(self, symbol_of(name));
    if (!cls) return;
    va_list args;
    va_start(args, fmt);
    throw_formatted(self, cls, NULL, fmt, args);
    va_end(args);
}

void throw_wk_cause(Thread *self, const char *name, Object *cause, const char *fmt, ...) {
    self->exception = NULL;
    Class *cls = runtime_hooks.boot_class(self, symbol_of(name));
    if (!cls) return;
    va_list args;
    va_start(args, fmt);
    throw_formatted(self, cls, cause, fmt, args);
    va_end(args);
}

Object *exception_new(Thread *self, Class *cls, Object *cause, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    Object *exception = make_formatted(self, cls, cause, fmt, args);
    va_end(args);
    return exception;
}

void throw_npe(Thread *self) { throw_wk(self, "java/lang/NullPointerException", NULL); }

// ---- the pending exception ----------------------------------------------------------------------

void throw_object(Thread *self, Object *exception) {
    ASSERT(exception, "NULL is thrown");
    self->exception = exception;
}

Object *exception_take(Thread *self) {
    ASSERT(!self->exception || thread_is_running(self), "an exception is taken in state %u", atomic_load(&self->state));
    Object *exception = self->exception;
    self->exception = NULL;
    return exception;
}

void exception_clear(Thread *self) { self->exception = NULL; }

bool exception_is(Thread *self, const Class *cls) { return object_is_instance(self->exception, cls); }

char *exception_message(const Object *exception) {
    return string_to_utf8(get_ref(exception, THROWABLE(detailMessage)));
}

// ---- printing without Java ----------------------------------------------------------------------

static void print_one(FILE *out, const Object *exception) {
    Method *m;
    int bci;
    char *message = exception_message(exception);
    fprintf(out, "%s%s%s\n", class_external_name(object_class(exception)), message ? ": " : "", message ? message : "");
    free(message);
    for (int i = 0; backtrace_frame(exception, i, &m, &bci); i++) {
        int line = method_is_native(m) ? -2 : method_line_number(m, bci);
        const char *file = m->cls->source_file ? m->cls->source_file->text : "Unknown Source";
        fprintf(out, "\tat %s.%s(", class_external_name(m->cls), m->name->text);
        if (line == -2) fputs("Native Method)\n", out);
        else if (line < 0) fprintf(out, "%s)\n", file);
        else fprintf(out, "%s:%d)\n", file, line);
    }
}

void exception_print(Thread *self, Object *exception, FILE *out) {
    enum { MAX_CAUSES = 20 };
    (void)self;
    for (int i = 0; exception && i < MAX_CAUSES; i++) {
        if (i) fputs("Caused by: ", out);
        print_one(out, exception);
        Object *cause = get_ref(exception, THROWABLE(cause));
        exception = cause == exception ? NULL : cause;
    }
    fflush(out);
}

void exception_print_native(Thread *self) {
    Object *exception = exception_take(self);
    fputs("Error occurred during initialization of VM\n", stderr);
    if (exception) exception_print(self, exception, stderr);
}
