// JVM_*: signals and native libraries.
//
// A fork does not release the dynamic linker's lock: in a child whose parent was loading a library at that moment, no
// thread could load a library or look up a symbol any more. Threads that do so therefore take a lock of ours, which a
// shadow's fork takes too, if it is free.
#include <dlfcn.h>
#include <pthread.h>

#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/jvm/library.h"
#include "vm/services/signal.h"
#include "vm/shadow/shadow.h"

EXPORT jint JVM_FindSignal(const char *name) { return signal_find(name); }

EXPORT void *JVM_RegisterSignal(jint sig, void *handler) { return signal_register(sig, handler); }

EXPORT jboolean JVM_RaiseSignal(jint sig) { return signal_raise(sig); }

static pthread_mutex_t linking = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;  // constructors may load libraries too

bool library_hold(void) { return pthread_mutex_trylock(&linking) == 0; }

// In the child, the lock's owner is a thread of the parent.
void library_release(bool child) {
    if (child) linking = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    else pthread_mutex_unlock(&linking);
}

EXPORT void *JVM_LoadLibrary(const char *name, jboolean throw_exception) {
    pthread_mutex_lock(&linking);
    void *library = dlopen(name, RTLD_LAZY);  // its constructors run in the native state
    shadow_watch_libraries();
    pthread_mutex_unlock(&linking);
    if (library || !throw_exception) return library;
    const char *reason = dlerror();
    VM_ENTER_CURRENT();
    throw_wk(self, "java/lang/UnsatisfiedLinkError", "%s: %s", name, reason ? reason : "");
    VM_LEAVE();
    return NULL;
}

EXPORT void JVM_UnloadLibrary(void *library) {
    pthread_mutex_lock(&linking);
    dlclose(library);
    pthread_mutex_unlock(&linking);
}

EXPORT void *JVM_FindLibraryEntry(void *library, const char *name) {
    pthread_mutex_lock(&linking);
    void *entry = dlsym(library, name);
    pthread_mutex_unlock(&linking);
    return entry;
}

EXPORT char *JVM_NativePath(char *path) { return path; }
