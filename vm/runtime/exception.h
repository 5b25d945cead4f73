// Raising, inspecting and clearing exceptions in C code. An exception is pending while self->exception is not NULL;
// callers that see one return at once.
//
// The throw_ functions always leave an exception pending: the requested one, or one raised while creating it. They
// allocate (may collect) and may run Java code (class initialisation, constructors); throw_oom and throw_stack_overflow
// run none. Messages are printf-style, UTF-8.
#ifndef CABERNET_VM_RUNTIME_EXCEPTION_H
#define CABERNET_VM_RUNTIME_EXCEPTION_H

#include <stdio.h>

#include "vm/model/class.h"

// A new instance of `cls`, by its constructor with a message, or without arguments if fmt is NULL.
void throw_new(Thread *self, Class *cls, const char *fmt, ...) __attribute__((format(printf, 3, 4), nonnull(1, 2)));
// The same with `cause` (NULL: none is set).
void throw_new_cause(Thread *self, Class *cls, Object *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// By internal name ("java/lang/X"), through the boot loader.
void throw_wk(Thread *self, const char *cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void throw_wk_cause(Thread *self, const char *cls, Object *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// OutOfMemoryError. `msg` NULL: "Java heap space". If there is no memory for a new one, the thread gets one created at
// boot.
void throw_oom(Thread *self, const char *msg);
// NullPointerException without a message (JVM_GetExtendedNPEMessage computes it on demand).
void throw_npe(Thread *self);
void throw_stack_overflow(Thread *self);
// Makes `exception` (not NULL) pending; its trace is unchanged.
void throw_object(Thread *self, Object *exception);

// An instance as in throw_new, but not pending. NULL with an exception pending.
Object *exception_new(Thread *self, Class *cls, Object *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// Returns the pending exception (or NULL) and clears it.
Object *exception_take(Thread *self);
void exception_clear(Thread *self);
bool exception_is(Thread *self, const Class *cls);  // pending and an instance of cls

// detailMessage as malloc'd UTF-8; NULL: none.
char *exception_message(const Object *exception);

// Prints "java.lang.X: message" with its trace and causes to `out`, without running Java code.
void exception_print(Thread *self, Object *exception, FILE *out);
// Prints the pending exception to stderr under "Error occurred during initialization of VM", and clears it; for use
// before Java can print.
void exception_print_native(Thread *self);

// Creates the preallocated errors; once, when the well-known classes are linked. False with a message.
bool exception_init(Thread *self);

#endif
