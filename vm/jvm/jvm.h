// The entry points that the JDK's own libraries import from the VM (183 symbols), and the few natives of
// java.lang.Object: prototypes of OpenJDK 17. All are exported under the version node SUNWprivate_1.1
// (vm/boot/libjvm.map).
//
// All are called in the native state and bracket their work with VM_ENTER/VM_LEAVE (vm/jni/jni.h), unless they access
// no object. Errors are pending exceptions; the result is then 0. Each subject below has one file in vm/jvm/.
// Unsupported functions throw UnsupportedOperationException with their name (vm/jvm/refused.def).
#ifndef CABERNET_VM_JVM_JVM_H
#define CABERNET_VM_JVM_JVM_H

#include <stdio.h>

#include "vm/jni/jni.h"

// A row of a method's exception table, for the old verifier.
typedef struct JVM_ExceptionTableEntryType {
    jint start_pc;
    jint end_pc;
    jint handler_pc;
    jint catchType;
} JVM_ExceptionTableEntryType;

// ---- System, runtime, properties ---------------------------------------------------------------
EXPORT jlong JVM_NanoTime(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetProperties(JNIEnv *);
EXPORT jint JVM_ActiveProcessorCount(void);
EXPORT jlong JVM_MaxObjectInspectionAge(void);  // librmi
EXPORT jlong JVM_MaxMemory(void);
EXPORT jlong JVM_CurrentTimeMillis(JNIEnv *, jclass);
EXPORT jlong JVM_GetNanoTimeAdjustment(JNIEnv *, jclass, jlong);
EXPORT jlong JVM_TotalMemory(void);
EXPORT jlong JVM_FreeMemory(void);
EXPORT void JVM_GC(void);
EXPORT void JVM_Halt(jint);
EXPORT void JVM_BeforeHalt(void);
EXPORT jboolean JVM_SupportsCX8(void);
EXPORT jboolean JVM_IsSupportedJNIVersion(jint);
EXPORT jobjectArray JVM_GetVmArguments(JNIEnv *);
EXPORT jboolean JVM_IsUseContainerSupport(void);
EXPORT void *JVM_GetManagement(jint);
EXPORT jobject JVM_InitAgentProperties(JNIEnv *, jobject);
EXPORT jstring JVM_GetTemporaryDirectory(JNIEnv *);

// ---- Signals -----------------------------------------------------------------------------------
EXPORT jint JVM_FindSignal(const char *);
EXPORT void *JVM_RegisterSignal(jint, void *);
EXPORT jboolean JVM_RaiseSignal(jint);

// ---- Native libraries --------------------------------------------------------------------------
EXPORT void *JVM_LoadLibrary(const char *, jboolean);
EXPORT void *JVM_FindLibraryEntry(void *, const char *);
EXPORT void JVM_UnloadLibrary(void *);
EXPORT char *JVM_NativePath(char *);

// ---- Threads -----------------------------------------------------------------------------------
EXPORT jobject JVM_CurrentThread(JNIEnv *, jclass);
EXPORT void JVM_StartThread(JNIEnv *, jobject);
EXPORT void JVM_SetThreadPriority(JNIEnv *, jobject, jint);
EXPORT void JVM_Yield(JNIEnv *, jclass);
EXPORT void JVM_Sleep(JNIEnv *, jclass, jlong);
EXPORT void JVM_Interrupt(JNIEnv *, jobject);
EXPORT jboolean JVM_HoldsLock(JNIEnv *, jclass, jobject);
EXPORT jobjectArray JVM_DumpThreads(JNIEnv *, jclass, jobjectArray);
EXPORT jobjectArray JVM_GetAllThreads(JNIEnv *, jclass);
EXPORT void JVM_SetNativeThreadName(JNIEnv *, jobject, jstring);
EXPORT void JVM_StopThread(JNIEnv *, jobject, jobject);
EXPORT void JVM_SuspendThread(JNIEnv *, jobject);
EXPORT void JVM_ResumeThread(JNIEnv *, jobject);

// ---- Objects, raw monitors, strings ------------------------------------------------------------
EXPORT jint JVM_IHashCode(JNIEnv *, jobject);
EXPORT jstring JVM_InternString(JNIEnv *, jstring);
EXPORT jobject JVM_Clone(JNIEnv *, jobject);
EXPORT void JVM_MonitorWait(JNIEnv *, jobject, jlong);
EXPORT void JVM_MonitorNotify(JNIEnv *, jobject);
EXPORT void JVM_MonitorNotifyAll(JNIEnv *, jobject);
EXPORT void *JVM_RawMonitorCreate(void);
EXPORT void JVM_RawMonitorDestroy(void *);
EXPORT jint JVM_RawMonitorEnter(void *);
EXPORT void JVM_RawMonitorExit(void *);

// ---- References --------------------------------------------------------------------------------
EXPORT void JVM_WaitForReferencePendingList(JNIEnv *);
EXPORT jboolean JVM_ReferenceRefersTo(JNIEnv *, jobject, jobject);
EXPORT void JVM_ReferenceClear(JNIEnv *, jobject);
EXPORT jobject JVM_GetAndClearReferencePendingList(JNIEnv *);
EXPORT jboolean JVM_HasReferencePendingList(JNIEnv *);
EXPORT jboolean JVM_PhantomReferenceRefersTo(JNIEnv *, jobject, jobject);

// ---- Class queries -----------------------------------------------------------------------------
EXPORT jclass JVM_FindPrimitiveClass(JNIEnv *, const char *);
EXPORT jstring JVM_InitClassName(JNIEnv *, jclass);
EXPORT jboolean JVM_IsArrayClass(JNIEnv *, jclass);
EXPORT jboolean JVM_IsPrimitiveClass(JNIEnv *, jclass);
EXPORT jint JVM_GetClassAccessFlags(JNIEnv *, jclass);
EXPORT jboolean JVM_DesiredAssertionStatus(JNIEnv *, jclass, jclass);
EXPORT jboolean JVM_IsInterface(JNIEnv *, jclass);
EXPORT jboolean JVM_IsHiddenClass(JNIEnv *, jclass);
EXPORT jboolean JVM_IsRecord(JNIEnv *, jclass);
EXPORT jint JVM_GetClassModifiers(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetClassInterfaces(JNIEnv *, jclass);
EXPORT jobject JVM_GetProtectionDomain(JNIEnv *, jclass);
EXPORT jboolean JVM_AreNestMates(JNIEnv *, jclass, jclass);
EXPORT jobjectArray JVM_GetPermittedSubclasses(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetRecordComponents(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetDeclaredClasses(JNIEnv *, jclass);
EXPORT jclass JVM_GetDeclaringClass(JNIEnv *, jclass);
EXPORT jstring JVM_GetSimpleBinaryName(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetEnclosingMethodInfo(JNIEnv *, jclass);
EXPORT jstring JVM_GetClassSignature(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetClassSigners(JNIEnv *, jclass);
EXPORT void JVM_SetClassSigners(JNIEnv *, jclass, jobjectArray);
EXPORT jclass JVM_GetNestHost(JNIEnv *, jclass);
EXPORT jobjectArray JVM_GetNestMembers(JNIEnv *, jclass);
EXPORT jobject JVM_AssertionStatusDirectives(JNIEnv *, jclass);

// ---- Reflection members, annotations -----------------------------------------------------------
EXPORT jobjectArray JVM_GetClassDeclaredMethods(JNIEnv *, jclass, jboolean);
EXPORT jobjectArray JVM_GetClassDeclaredFields(JNIEnv *, jclass, jboolean);
EXPORT jobjectArray JVM_GetClassDeclaredConstructors(JNIEnv *, jclass, jboolean);
EXPORT jobject JVM_InvokeMethod(JNIEnv *, jobject, jobject, jobjectArray);
EXPORT jobject JVM_NewInstanceFromConstructor(JNIEnv *, jobject, jobjectArray);
EXPORT jobjectArray JVM_GetMethodParameters(JNIEnv *, jobject);
EXPORT jobject JVM_GetClassConstantPool(JNIEnv *, jclass);
EXPORT jbyteArray JVM_GetClassAnnotations(JNIEnv *, jclass);
EXPORT jbyteArray JVM_GetClassTypeAnnotations(JNIEnv *, jclass);
EXPORT jbyteArray JVM_GetFieldTypeAnnotations(JNIEnv *, jobject);
EXPORT jbyteArray JVM_GetMethodTypeAnnotations(JNIEnv *, jobject);

// ---- Class loading -----------------------------------------------------------------------------
EXPORT jclass JVM_FindClassFromBootLoader(JNIEnv *, const char *);
EXPORT jclass JVM_FindClassFromCaller(JNIEnv *, const char *, jboolean, jobject, jclass);
EXPORT jclass JVM_FindClassFromClass(JNIEnv *, const char *, jboolean, jclass);
EXPORT jclass JVM_FindLoadedClass(JNIEnv *, jobject, jstring);
EXPORT jclass JVM_DefineClassWithSource(JNIEnv *, const char *, jobject, const jbyte *, jsize, jobject, const char *);
EXPORT jclass JVM_LookupDefineClass(JNIEnv *, jclass, const char *, const jbyte *, jsize, jobject, jboolean, int,
                                    jobject);
EXPORT jobject JVM_LatestUserDefinedLoader(JNIEnv *);
EXPORT jstring JVM_GetSystemPackage(JNIEnv *, jstring);
EXPORT jobjectArray JVM_GetSystemPackages(JNIEnv *);

// ---- Modules -----------------------------------------------------------------------------------
EXPORT void JVM_DefineModule(JNIEnv *, jobject, jboolean, jstring, jstring, jobjectArray);
EXPORT void JVM_SetBootLoaderUnnamedModule(JNIEnv *, jobject);
EXPORT void JVM_AddReadsModule(JNIEnv *, jobject, jobject);
EXPORT void JVM_AddModuleExports(JNIEnv *, jobject, jstring, jobject);
EXPORT void JVM_AddModuleExportsToAll(JNIEnv *, jobject, jstring);
EXPORT void JVM_AddModuleExportsToAllUnnamed(JNIEnv *, jobject, jstring);
EXPORT void JVM_DefineArchivedModules(JNIEnv *, jobject, jobject);

// ---- Stack walking, exceptions, security -------------------------------------------------------
EXPORT jclass JVM_GetCallerClass(JNIEnv *);
EXPORT jobject JVM_GetStackAccessControlContext(JNIEnv *, jclass);
EXPORT jobject JVM_GetInheritedAccessControlContext(JNIEnv *, jclass);
EXPORT void JVM_FillInStackTrace(JNIEnv *, jobject);
EXPORT void JVM_InitStackTraceElementArray(JNIEnv *, jobjectArray, jobject);
EXPORT void JVM_InitStackTraceElement(JNIEnv *, jobject, jobject);
EXPORT jstring JVM_GetExtendedNPEMessage(JNIEnv *, jthrowable);
EXPORT jobject JVM_CallStackWalk(JNIEnv *, jobject, jlong, jint, jint, jint, jobjectArray);
EXPORT jint JVM_MoreStackWalk(JNIEnv *, jobject, jlong, jlong, jint, jint, jobjectArray);
EXPORT jobjectArray JVM_GetClassContext(JNIEnv *);

// ---- Arrays ------------------------------------------------------------------------------------
EXPORT void JVM_ArrayCopy(JNIEnv *, jclass, jobject, jint, jobject, jint, jint);
EXPORT jobject JVM_NewArray(JNIEnv *, jclass, jint);
EXPORT jobject JVM_NewMultiArray(JNIEnv *, jclass, jintArray);
EXPORT jint JVM_GetArrayLength(JNIEnv *, jobject);
EXPORT jobject JVM_GetArrayElement(JNIEnv *, jobject, jint);
EXPORT void JVM_SetArrayElement(JNIEnv *, jobject, jint, jobject);
EXPORT jvalue JVM_GetPrimitiveArrayElement(JNIEnv *, jobject, jint, jint);
EXPORT void JVM_SetPrimitiveArrayElement(JNIEnv *, jobject, jint, jvalue, unsigned char);

// ---- Constant pool -----------------------------------------------------------------------------
EXPORT jclass JVM_ConstantPoolGetClassAt(JNIEnv *, jobject, jobject, jint);
EXPORT jclass JVM_ConstantPoolGetClassAtIfLoaded(JNIEnv *, jobject, jobject, jint);
EXPORT jint JVM_ConstantPoolGetClassRefIndexAt(JNIEnv *, jobject, jobject, jint);
EXPORT jdouble JVM_ConstantPoolGetDoubleAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobject JVM_ConstantPoolGetFieldAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobject JVM_ConstantPoolGetFieldAtIfLoaded(JNIEnv *, jobject, jobject, jint);
EXPORT jfloat JVM_ConstantPoolGetFloatAt(JNIEnv *, jobject, jobject, jint);
EXPORT jint JVM_ConstantPoolGetIntAt(JNIEnv *, jobject, jobject, jint);
EXPORT jlong JVM_ConstantPoolGetLongAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobjectArray JVM_ConstantPoolGetMemberRefInfoAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobject JVM_ConstantPoolGetMethodAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobject JVM_ConstantPoolGetMethodAtIfLoaded(JNIEnv *, jobject, jobject, jint);
EXPORT jint JVM_ConstantPoolGetNameAndTypeRefIndexAt(JNIEnv *, jobject, jobject, jint);
EXPORT jobjectArray JVM_ConstantPoolGetNameAndTypeRefInfoAt(JNIEnv *, jobject, jobject, jint);
EXPORT jint JVM_ConstantPoolGetSize(JNIEnv *, jobject, jobject);
EXPORT jstring JVM_ConstantPoolGetStringAt(JNIEnv *, jobject, jobject, jint);
EXPORT jbyte JVM_ConstantPoolGetTagAt(JNIEnv *, jobject, jobject, jint);
EXPORT jstring JVM_ConstantPoolGetUTF8At(JNIEnv *, jobject, jobject, jint);

// ---- Class data sharing ------------------------------------------------------------------------
EXPORT void JVM_InitializeFromArchive(JNIEnv *, jclass);
EXPORT jboolean JVM_IsSharingEnabled(JNIEnv *);
EXPORT jboolean JVM_IsDumpingClassList(JNIEnv *);
EXPORT jboolean JVM_IsCDSDumpingEnabled(JNIEnv *);
EXPORT jlong JVM_GetRandomSeedForDumping(void);
EXPORT void JVM_LogLambdaFormInvoker(JNIEnv *, jstring);
EXPORT jclass JVM_LookupLambdaProxyClassFromArchive(JNIEnv *, jclass, jstring, jobject, jobject, jobject, jobject);
EXPORT void JVM_RegisterLambdaProxyClassForArchiving(JNIEnv *, jclass, jstring, jobject, jobject, jobject, jobject,
                                                     jclass);
EXPORT void JVM_DumpClassListToFile(JNIEnv *, jstring);
EXPORT void JVM_DumpDynamicArchive(JNIEnv *, jstring);

// ---- Old verifier ------------------------------------------------------------------------------
EXPORT const char *JVM_GetCPClassNameUTF(JNIEnv *, jclass, jint);
EXPORT const char *JVM_GetCPFieldClassNameUTF(JNIEnv *, jclass, jint);
EXPORT jint JVM_GetCPFieldModifiers(JNIEnv *, jclass, int, jclass);
EXPORT const char *JVM_GetCPFieldSignatureUTF(JNIEnv *, jclass, jint);
EXPORT const char *JVM_GetCPMethodClassNameUTF(JNIEnv *, jclass, jint);
EXPORT jint JVM_GetCPMethodModifiers(JNIEnv *, jclass, int, jclass);
EXPORT const char *JVM_GetCPMethodNameUTF(JNIEnv *, jclass, jint);
EXPORT const char *JVM_GetCPMethodSignatureUTF(JNIEnv *, jclass, jint);
EXPORT jint JVM_GetClassCPEntriesCount(JNIEnv *, jclass);
EXPORT void JVM_GetClassCPTypes(JNIEnv *, jclass, unsigned char *);
EXPORT jint JVM_GetClassFieldsCount(JNIEnv *, jclass);
EXPORT jint JVM_GetClassMethodsCount(JNIEnv *, jclass);
EXPORT const char *JVM_GetClassNameUTF(JNIEnv *, jclass);
EXPORT jint JVM_GetFieldIxModifiers(JNIEnv *, jclass, int);
EXPORT jint JVM_GetMethodIxArgsSize(JNIEnv *, jclass, int);
EXPORT void JVM_GetMethodIxByteCode(JNIEnv *, jclass, jint, unsigned char *);
EXPORT jint JVM_GetMethodIxByteCodeLength(JNIEnv *, jclass, jint);
EXPORT void JVM_GetMethodIxExceptionIndexes(JNIEnv *, jclass, jint, unsigned short *);
EXPORT void JVM_GetMethodIxExceptionTableEntry(JNIEnv *, jclass, jint, jint, JVM_ExceptionTableEntryType *);
EXPORT jint JVM_GetMethodIxExceptionTableLength(JNIEnv *, jclass, int);
EXPORT jint JVM_GetMethodIxExceptionsCount(JNIEnv *, jclass, jint);
EXPORT jint JVM_GetMethodIxLocalsCount(JNIEnv *, jclass, int);
EXPORT jint JVM_GetMethodIxMaxStack(JNIEnv *, jclass, int);
EXPORT jint JVM_GetMethodIxModifiers(JNIEnv *, jclass, int);
EXPORT const char *JVM_GetMethodIxNameUTF(JNIEnv *, jclass, jint);
EXPORT const char *JVM_GetMethodIxSignatureUTF(JNIEnv *, jclass, jint);
EXPORT jboolean JVM_IsConstructorIx(JNIEnv *, jclass, int);
EXPORT jboolean JVM_IsSameClassPackage(JNIEnv *, jclass, jclass);
EXPORT jboolean JVM_IsVMGeneratedMethodIx(JNIEnv *, jclass, int);
EXPORT void JVM_ReleaseUTF(const char *);
// ---- Formatted output ------------------------------------------------------------------------
// Like the C functions, but the result is -1 when the text was truncated; it is then still terminated.

EXPORT int jio_vsnprintf(char *buf, size_t size, const char *format, va_list args);
EXPORT int jio_snprintf(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
EXPORT int jio_fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
EXPORT int jio_vfprintf(FILE *file, const char *format, va_list args);

#endif
