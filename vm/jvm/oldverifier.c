// JVM_*: queries of libverify, the type-inferring verifier for class files before version 50, about the class that it
// checks. All answers come from the reader's view of the class file, which never changes; indexes refer to that view.
// Texts are symbols: they live for ever, and releasing them does nothing.
#include <dlfcn.h>
#include <string.h>

#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/jvm/oldverifier.h"
#include "vm/loading/jdklibrary.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/runtime/exception.h"

// Mirrors and their classes are never freed, so pointers obtained here stay valid in the native state.
static Class *class_of(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    VM_LEAVE();
    return cls;
}

static const Method *method_at(JNIEnv *env, jclass ref, jint i) { return &class_of(env, ref)->methods[i]; }

// Never NULL for a method that libverify examines; natives and abstract methods have an empty one.
static const ClassFileCode *code_of(const Method *m) {
    static const ClassFileCode none;
    return m->info->code ? m->info->code : &none;
}

// ---- the class and its constant pool -----------------------------------------------------------

// `c` is the class.
#define OF_CLASS(type, name, value)             \
    EXPORT type name(JNIEnv *env, jclass cls) { \
        const Class *c = class_of(env, cls);    \
        return (type)(value);                   \
    }
OF_CLASS(const char *, JVM_GetClassNameUTF, c->name->text)
OF_CLASS(jint, JVM_GetClassFieldsCount, c->field_count)
OF_CLASS(jint, JVM_GetClassMethodsCount, c->method_count)
OF_CLASS(jint, JVM_GetClassCPEntriesCount, c->file ? c->file->cp_count : 0)

EXPORT jboolean JVM_IsSameClassPackage(JNIEnv *env, jclass a, jclass b) {
    return class_same_package(class_of(env, a), class_of(env, b));
}

EXPORT void JVM_ReleaseUTF(const char *text) { (void)text; }

EXPORT void JVM_GetClassCPTypes(JNIEnv *env, jclass cls, unsigned char *types) {
    const Class *c = class_of(env, cls);
    for (int i = 0; c->file && i < c->file->cp_count; i++) types[i] = c->file->cp[i].tag;
}

#define CP_TEXT(name, get) \
    EXPORT const char *name(JNIEnv *env, jclass cls, jint index) { return get(class_of(env, cls), index)->text; }
CP_TEXT(JVM_GetCPClassNameUTF, cp_class_name)
CP_TEXT(JVM_GetCPFieldClassNameUTF, cp_ref_class_name)
CP_TEXT(JVM_GetCPFieldSignatureUTF, cp_ref_desc)
CP_TEXT(JVM_GetCPMethodClassNameUTF, cp_ref_class_name)
CP_TEXT(JVM_GetCPMethodNameUTF, cp_ref_name)
CP_TEXT(JVM_GetCPMethodSignatureUTF, cp_ref_desc)

// Access flags of the member that entry `index` names, searched only in `called`; -1: not found.
EXPORT jint JVM_GetCPFieldModifiers(JNIEnv *env, jclass cls, int index, jclass called) {
    Class *c = class_of(env, cls);
    const Field *f = class_find_declared_field(class_of(env, called), cp_ref_name(c, index), cp_ref_desc(c, index));
    return f && f->info ? f->flags : -1;
}

EXPORT jint JVM_GetCPMethodModifiers(JNIEnv *env, jclass cls, int index, jclass called) {
    Class *c = class_of(env, cls);
    const Method *m = class_find_declared_method(class_of(env, called), cp_ref_name(c, index), cp_ref_desc(c, index));
    return m ? m->flags : -1;
}

// ---- members -----------------------------------------------------------------------------------

EXPORT jint JVM_GetFieldIxModifiers(JNIEnv *env, jclass cls, int i) { return class_of(env, cls)->fields[i].flags; }

// `m` is the method.
#define OF_METHOD(type, name, value)                    \
    EXPORT type name(JNIEnv *env, jclass cls, jint i) { \
        const Method *m = method_at(env, cls, i);       \
        return (type)(value);                           \
    }
OF_METHOD(jint, JVM_GetMethodIxModifiers, m->flags)
OF_METHOD(const char *, JVM_GetMethodIxNameUTF, m->name->text)
OF_METHOD(const char *, JVM_GetMethodIxSignatureUTF, m->desc->text)
OF_METHOD(jint, JVM_GetMethodIxArgsSize, m->nargs)
OF_METHOD(jint, JVM_GetMethodIxLocalsCount, code_of(m)->max_locals)
OF_METHOD(jint, JVM_GetMethodIxMaxStack, code_of(m)->max_stack)
OF_METHOD(jboolean, JVM_IsConstructorIx, (m->mflags & MF_INIT) != 0)
OF_METHOD(jint, JVM_GetMethodIxByteCodeLength, code_of(m)->code_len)
OF_METHOD(jint, JVM_GetMethodIxExceptionsCount, m->info->exception_count)
OF_METHOD(jint, JVM_GetMethodIxExceptionTableLength, code_of(m)->handler_count)

// Methods that the VM adds are not counted.
EXPORT jboolean JVM_IsVMGeneratedMethodIx(JNIEnv *env, jclass cls, int i) {
    (void)env, (void)cls, (void)i;
    return JNI_FALSE;
}

EXPORT void JVM_GetMethodIxByteCode(JNIEnv *env, jclass cls, jint i, unsigned char *out) {
    const ClassFileCode *code = code_of(method_at(env, cls, i));
    if (code->code_len) memcpy(out, code->code, code->code_len);
}

EXPORT void JVM_GetMethodIxExceptionIndexes(JNIEnv *env, jclass cls, jint i, unsigned short *out) {
    const ClassFileMethod *m = method_at(env, cls, i)->info;
    for (int k = 0; k < m->exception_count; k++) out[k] = m->exceptions[k];
}

EXPORT void JVM_GetMethodIxExceptionTableEntry(JNIEnv *env, jclass cls, jint i, jint entry,
                                               JVM_ExceptionTableEntryType *out) {
    const ClassFileHandler *h = &code_of(method_at(env, cls, i))->handlers[entry];
    *out = (JVM_ExceptionTableEntryType){h->start_pc, h->end_pc, h->handler_pc, h->catch_type};
}

// ---- running libverify ---------------------------------------------------------------------------

typedef jboolean InferFn(JNIEnv *env, jclass cls, char *message, jint capacity, jint major);
enum InferResult { INFER_FAILED, INFER_OK, INFER_NO_MEMORY, INFER_FORMAT };

typedef struct InferCall {
    InferFn *fn;
    JNIEnv *env;
    Class *cls;
    VerifyError *err;
    int result;
} InferCall;

static void call_infer(void *call) {
    InferCall *c = call;
    c->result = c->fn(c->env, (jclass)(void *)&c->cls->mirror, c->err->msg, (jint)sizeof c->err->msg,
                      c->cls->file->major);
}

enum VerifyStatus oldverifier_infer(Thread *self, Class *cls, VerifyError *err) {
    const char *name = "VerifyClassForMajorVersion", *error = "no such function";
    InferFn *fn = (InferFn *)jdklibrary_symbol(name);
    if (!fn && jdklibrary_open("verify", &error)) fn = (InferFn *)jdklibrary_symbol(name);
    if (!fn) {
        throw_wk(self, "java/lang/InternalError", "cannot verify a class file before version 50: %s", error);
        return VERIFY_PENDING;
    }
    HandleMark mark;
    InferCall call = {.fn = fn, .env = (JNIEnv *)&self->jni, .cls = cls, .err = err};
    handles_push(self, &mark);
    thread_run_safe(self, THREAD_NATIVE, call_infer, &call);
    handles_pop(self, &mark);
    if (self->exception) return VERIFY_PENDING;
    switch (call.result) {
        case INFER_OK: return VERIFY_OK;
        case INFER_NO_MEMORY: return VERIFY_NO_MEMORY;
        case INFER_FORMAT: return VERIFY_FORMAT;
        default: return VERIFY_FAILED;
    }
}
