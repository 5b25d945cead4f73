// JVM_*: modules (vm/loading/module.h), and stubs for class-data sharing, which does not exist here.
#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/loading/module.h"

EXPORT void JVM_DefineModule(JNIEnv *env, jobject module, jboolean is_open, jstring version, jstring location,
                             jobjectArray packages) {
    VM_ENTER(env);
    module_define(self, handle_get(module), is_open, handle_get(version), handle_get(location), handle_get(packages));
    VM_LEAVE();
}

EXPORT void JVM_SetBootLoaderUnnamedModule(JNIEnv *env, jobject module) {
    VM_ENTER(env);
    module_set_boot_unnamed(self, handle_get(module));
    VM_LEAVE();
}

EXPORT void JVM_AddReadsModule(JNIEnv *env, jobject from, jobject to) {
    VM_ENTER(env);
    module_add_reads(self, handle_get(from), handle_get(to));
    VM_LEAVE();
}

EXPORT void JVM_AddModuleExports(JNIEnv *env, jobject from, jstring package, jobject to) {
    VM_ENTER(env);
    module_add_exports(self, handle_get(from), handle_get(package), handle_get(to), EXPORT_MODULE);
    VM_LEAVE();
}

EXPORT void JVM_AddModuleExportsToAll(JNIEnv *env, jobject from, jstring package) {
    VM_ENTER(env);
    module_add_exports(self, handle_get(from), handle_get(package), NULL, EXPORT_ALL);
    VM_LEAVE();
}

EXPORT void JVM_AddModuleExportsToAllUnnamed(JNIEnv *env, jobject from, jstring package) {
    VM_ENTER(env);
    module_add_exports(self, handle_get(from), handle_get(package), NULL, EXPORT_UNNAMED);
    VM_LEAVE();
}

// ---- class-data sharing --------------------------------------------------------------------------

EXPORT void JVM_InitializeFromArchive(JNIEnv *env, jclass cls) { (void)env, (void)cls; }

#define NO(name)                        \
    EXPORT jboolean name(JNIEnv *env) { \
        (void)env;                      \
        return JNI_FALSE;               \
    }
NO(JVM_IsSharingEnabled)
NO(JVM_IsDumpingClassList)
NO(JVM_IsCDSDumpingEnabled)

// The seed of java.util.ImmutableCollections: a non-zero seed makes the iteration order of Set.of and Map.of
// reproducible.
EXPORT jlong JVM_GetRandomSeedForDumping(void) { return vm.options.deterministic ? INT64_C(0x5eed0ca6e57) : 0; }

EXPORT void JVM_LogLambdaFormInvoker(JNIEnv *env, jstring line) { (void)env, (void)line; }

EXPORT jclass JVM_LookupLambdaProxyClassFromArchive(JNIEnv *env, jclass caller, jstring name, jobject invoked_type,
                                                    jobject method_type, jobject impl_method, jobject dynamic_type) {
    (void)env, (void)caller, (void)name, (void)invoked_type, (void)method_type;
    (void)impl_method, (void)dynamic_type;
    return NULL;
}

EXPORT void JVM_RegisterLambdaProxyClassForArchiving(JNIEnv *env, jclass caller, jstring name, jobject invoked_type,
                                                     jobject method_type, jobject impl_method, jobject dynamic_type,
                                                     jclass lambda) {
    (void)env, (void)caller, (void)name, (void)invoked_type, (void)method_type;
    (void)impl_method, (void)dynamic_type, (void)lambda;
}
