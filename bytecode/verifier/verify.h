/*
 * Checks of method bodies.
 *
 * code_check() is structural: every opcode is valid and complete, every branch, handler and switch
 * target is on an instruction boundary, constant-pool operands are in range and have a tag that the
 * instruction allows, locals are below max_locals, control does not fall off the end, and the
 * operand stack neither over- nor underflows and has one depth at each instruction on all paths.
 * Code that passes can be decoded and run by an interpreter without reading or writing outside
 * code, pool or frame (types may still be wrong).
 *
 * verify_class() is the type-checking verifier of JVMS 4.10.1 for class files of version 50 and
 * later (StackMapTable). Class files below 50 need type inference (JVMS 4.10.2) and are rejected;
 * for version 50 exactly, JVMS 4.10 lets a VM try type inference when type checking fails, and
 * HotSpot does.
 *
 * Both are pure apart from the callbacks and malloc; any thread may call them. Callbacks may load
 * classes, allocate in the Java heap and block; the verifier holds no lock and no heap reference.
 */
#ifndef CABERNET_BYTECODE_VERIFIER_VERIFY_H
#define CABERNET_BYTECODE_VERIFIER_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "bytecode/classfile/classfile.h"

enum VerifyStatus {
    VERIFY_OK,
    VERIFY_FAILED,   /* java.lang.VerifyError with msg */
    VERIFY_FORMAT,   /* java.lang.ClassFormatError with msg */
    VERIFY_PENDING,  /* a callback answered VERIFY_THROWN: its exception is pending, msg empty */
    VERIFY_NO_MEMORY /* malloc failed */
};

typedef struct VerifyError {
    enum VerifyStatus status;
    uint16_t method; /* index of the method in ClassFile.methods */
    uint32_t bci;
    char msg[4096]; /* Java's exception message, UTF-8, terminated */
} VerifyError;

/* Structural check of one method; true for methods without code. On false *err is filled. */
bool code_check(const ClassFile *cf, const ClassFileMethod *method, VerifyError *err);

typedef enum VerifyAnswer { VERIFY_NO, VERIFY_YES, VERIFY_THROWN } VerifyAnswer;

/*
 * Queries of the verifier about other classes. Names are internal names of classes, never arrays.
 */
typedef struct VerifyCallbacks {
    void *ctx;
    /*
     * May a value of class `from` be used as class `to`? Yes if `to` is an interface or `from` is
     * `to` or one of its subclasses. Never called for equal names or `to` = java/lang/Object.
     */
    VerifyAnswer (*is_assignable)(void *ctx, ClassFileUtf8 from, ClassFileUtf8 to);
    /*
     * Is `name` the class being verified or one of its superclasses? Answered from loaded
     * superclasses, without loading `name`.
     */
    VerifyAnswer (*is_superclass)(void *ctx, ClassFileUtf8 name);
    /*
     * Is the member found from superclass `owner` protected and declared in a class of another
     * run-time package than the class being verified? No if there is no such member: resolution
     * will report that.
     */
    VerifyAnswer (*is_protected_in_other_package)(void *ctx, ClassFileUtf8 owner, ClassFileUtf8 name,
                                                  ClassFileUtf8 desc, bool is_method);
} VerifyCallbacks;

/* Verifies every method; stops at the first error. Returns err->status. */
enum VerifyStatus verify_class(const ClassFile *cf, const VerifyCallbacks *cb, VerifyError *err);

/* Internal name of the exception class for a status, e.g. "java/lang/VerifyError". */
const char *verify_error_class(enum VerifyStatus status);

#endif
