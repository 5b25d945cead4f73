// The Java Native Interface: types, function tables, and the transition from native code into the VM.
//
// The binary interface is that of the JNI specification (version 10). The JDK's libraries are compiled against their
// own header and meet ours at run time, so layouts must agree to the byte (tests/vm/jni_layout.c). A jobject is a
// handle (vm/jni/handles.h), a jmethodID is a Method *, a jfieldID a Field *.
//
// Functions that native code calls (the JNI table, JVM_*) are entered in the thread state "native", in which a
// collection may run at any time and no object may be accessed. They bracket their work:
//
//     VM_ENTER(env);                 // declares `Thread *self`, running from here on
//     ... handles, objects ...
//     VM_LEAVE();                    // native again
//     return result;                 // not an object, not computed from one
//
// VM_ENTER may wait for a collection to end. Between the two the thread must not block except through
// vm/threads/thread.h, and must not return.
#ifndef CABERNET_VM_JNI_JNI_H
#define CABERNET_VM_JNI_JNI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef EXPORT
#define EXPORT __attribute__((visibility("default")))
#endif

typedef uint8_t jboolean;
typedef int8_t jbyte;
typedef uint16_t jchar;
typedef int16_t jshort;
typedef int32_t jint;
typedef int64_t jlong;
typedef float jfloat;
typedef double jdouble;
typedef jint jsize;

typedef struct JObject *jobject;
typedef jobject jclass, jthrowable, jstring, jweak, jarray;
typedef jarray jbooleanArray, jbyteArray, jcharArray, jshortArray, jintArray, jlongArray, jfloatArray, jdoubleArray,
    jobjectArray;
typedef struct Field *jfieldID;
typedef struct Method *jmethodID;

typedef union jvalue {
    jboolean z;
    jbyte b;
    jchar c;
    jshort s;
    jint i;
    jlong j;
    jfloat f;
    jdouble d;
    jobject l;
} jvalue;

typedef enum jobjectRefType {
    JNIInvalidRefType,
    JNILocalRefType,
    JNIGlobalRefType,
    JNIWeakGlobalRefType,
} jobjectRefType;

enum { JNI_FALSE, JNI_TRUE };

enum JNIResult {
    JNI_OK = 0,
    JNI_ERR = -1,
    JNI_EDETACHED = -2,  // the thread is not attached
    JNI_EVERSION = -3,
    JNI_ENOMEM = -4,
    JNI_EEXIST = -5,  // a VM already exists
    JNI_EINVAL = -6,
};

// Modes of Release<Type>ArrayElements besides 0.
enum { JNI_COMMIT = 1, JNI_ABORT = 2 };

enum {
    JNI_VERSION_1_1 = 0x00010001,
    JNI_VERSION_1_2 = 0x00010002,
    JNI_VERSION_1_4 = 0x00010004,
    JNI_VERSION_1_6 = 0x00010006,
    JNI_VERSION_1_8 = 0x00010008,
    JNI_VERSION_9 = 0x00090000,
    JNI_VERSION_10 = 0x000a0000,
};

typedef struct JNINativeMethod {
    char *name;
    char *signature;
    void *fnPtr;
} JNINativeMethod;

typedef const struct JNINativeInterface_ *JNIEnv;
typedef const struct JNIInvokeInterface_ *JavaVM;

struct JNINativeInterface_ {
#define JNI_RESERVED(slot) void *reserved##slot;
#define JNI_FN(ret, name, params) ret(*name) params;
#include "vm/jni/jni.def"
};

typedef struct JavaVMOption {
    char *optionString;
    void *extraInfo;
} JavaVMOption;

typedef struct JavaVMInitArgs {
    jint version;
    jint nOptions;
    JavaVMOption *options;
    jboolean ignoreUnrecognized;
} JavaVMInitArgs;

typedef struct JavaVMAttachArgs {
    jint version;
    char *name;  // modified UTF-8, or NULL
    jobject group;
} JavaVMAttachArgs;

struct JNIInvokeInterface_ {
    void *reserved0;
    void *reserved1;
    void *reserved2;
    jint (*DestroyJavaVM)(JavaVM *jvm);
    jint (*AttachCurrentThread)(JavaVM *jvm, void **env, void *args);
    jint (*DetachCurrentThread)(JavaVM *jvm);
    jint (*GetEnv)(JavaVM *jvm, void **env, jint version);
    jint (*AttachCurrentThreadAsDaemon)(JavaVM *jvm, void **env, void *args);
};

EXPORT jint JNI_GetDefaultJavaVMInitArgs(void *args);
EXPORT jint JNI_CreateJavaVM(JavaVM **jvm, void **env, void *args);
EXPORT jint JNI_GetCreatedJavaVMs(JavaVM **buf, jsize length, jsize *count);

// The functions themselves, for tests and for VM code that calls them: jni_GetVersion, ...
#define JNI_FN(ret, name, params) ret jni_##name params;
#include "vm/jni/jni.def"

// Tables that Thread.jni and VM.java_vm point to. Constant.
extern const struct JNINativeInterface_ jni_functions;
extern const struct JNIInvokeInterface_ jni_invoke_functions;

// Is it a version that GetEnv and attach arguments may name (JVM_IsSupportedJNIVersion)?
bool jni_version_supported(jint version);

// Users include vm/threads/thread.h.
#define VM_ENTER(env)                    \
    Thread *self = thread_from_env(env); \
    thread_native_to_vm(self)
// For entry points without an environment argument; the caller must be attached.
#define VM_ENTER_CURRENT()           \
    Thread *self = thread_current(); \
    thread_native_to_vm(self)
#define VM_LEAVE() thread_vm_to_native(self)

#endif
