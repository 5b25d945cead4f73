// JVM_*: signals and native libraries.
#include <dlfcn.h>

#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/services/signal.h"

EXPORT jint JVM_FindSignal(const char *name) { return signal_find(name); }

EXPORT void *JVM_RegisterSignal(jint sig, void *handler) { return signal_register(sig, handler); }

EXPORT jboolean JVM_RaiseSignal(jint sig) { return signal_raise(sig); }

// The library's constructors run in the native state.
EXPORT void *JVM_LoadLibrary(const char *name, jboolean throw_exception) {
    void *library = dlopen(name, RTLD_LAZY);
    if (library || !throw_exception) return library;
    const char *reason = dlerror();
    VM_ENTER_CURRENT();
    throw_wk(self, "java/lang/UnsatisfiedLinkError", "%s: %s", name, reason ? reason : "");
    VM_LEAVE();
    return NULL;
}

EXPORT void JVM_UnloadLibrary(void *library) { dlclose(library); }

EXPORT void *JVM_FindLibraryEntry(void *library, const char *name) { return dlsym(library, name); }

EXPORT char *JVM_NativePath(char *path) { return path; }
