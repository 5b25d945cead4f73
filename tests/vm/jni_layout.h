// Facts on which our JNI header and the JDK's must agree, as numbers of the x86-64 binary interface.
#ifndef CABERNET_TESTS_VM_JNI_LAYOUT_H
#define CABERNET_TESTS_VM_JNI_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static_assert(sizeof(jvalue) == 8, "jvalue");
static_assert(sizeof(jint) == 4 && sizeof(jlong) == 8 && sizeof(jsize) == 4, "integers");
static_assert(sizeof(jboolean) == 1 && sizeof(jbyte) == 1 && sizeof(jchar) == 2, "small types");
static_assert((jchar)-1 > 0 && (jboolean)-1 > 0 && (jbyte)-1 < 0 && (jshort)-1 < 0, "signs");
static_assert(sizeof(jobject) == 8 && sizeof(jobjectRefType) == 4, "references");
static_assert(sizeof(struct JNINativeInterface_) == 234 * sizeof(void *), "234 slots");
static_assert(sizeof(struct JNIInvokeInterface_) == 8 * sizeof(void *), "8 slots");
static_assert(offsetof(struct JNIInvokeInterface_, DestroyJavaVM) == 24, "DestroyJavaVM");
static_assert(offsetof(struct JNIInvokeInterface_, AttachCurrentThread) == 32, "Attach");
static_assert(offsetof(struct JNIInvokeInterface_, DetachCurrentThread) == 40, "Detach");
static_assert(offsetof(struct JNIInvokeInterface_, GetEnv) == 48, "GetEnv");
static_assert(offsetof(struct JNIInvokeInterface_, AttachCurrentThreadAsDaemon) == 56, "AsDaemon");
static_assert(sizeof(JNINativeMethod) == 24 && offsetof(JNINativeMethod, fnPtr) == 16, "natives");
static_assert(sizeof(JavaVMOption) == 16 && offsetof(JavaVMOption, extraInfo) == 8, "option");
static_assert(sizeof(JavaVMInitArgs) == 24 && offsetof(JavaVMInitArgs, nOptions) == 4 &&
                  offsetof(JavaVMInitArgs, options) == 8 && offsetof(JavaVMInitArgs, ignoreUnrecognized) == 16,
              "init args");
static_assert(sizeof(JavaVMAttachArgs) == 24 && offsetof(JavaVMAttachArgs, name) == 8 &&
                  offsetof(JavaVMAttachArgs, group) == 16,
              "attach args");
static_assert(JNI_OK == 0 && JNI_ERR == -1 && JNI_EDETACHED == -2 && JNI_EVERSION == -3 && JNI_ENOMEM == -4 &&
                  JNI_EEXIST == -5 && JNI_EINVAL == -6,
              "results");
static_assert(JNI_COMMIT == 1 && JNI_ABORT == 2 && JNI_FALSE == 0 && JNI_TRUE == 1, "modes");
static_assert(JNI_VERSION_1_1 == 0x10001 && JNI_VERSION_1_2 == 0x10002 && JNI_VERSION_1_4 == 0x10004 &&
                  JNI_VERSION_1_6 == 0x10006 && JNI_VERSION_1_8 == 0x10008 && JNI_VERSION_9 == 0x90000 &&
                  JNI_VERSION_10 == 0xa0000,
              "versions");
static_assert(JNIInvalidRefType == 0 && JNILocalRefType == 1 && JNIGlobalRefType == 2 && JNIWeakGlobalRefType == 3,
              "reference types");
#endif
