// The JDK's own native libraries (vm/loading/jdklibrary.h).
#include "vm/loading/jdklibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "vm/model/vm.h"

enum { MAX_JDK_LIBS = 8 };
static struct JdkLibraries {
    pthread_mutex_t lock;  // against other additions: callers hold different locks, or none
    void *libs[MAX_JDK_LIBS];
    _Atomic int count;
} jdk_libraries = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Does not add a library twice. False: there is no room.
static bool add(void *lib) {
    pthread_mutex_lock(&jdk_libraries.lock);
    int n = atomic_load(&jdk_libraries.count), at = 0;
    while (at < n && jdk_libraries.libs[at] != lib) at++;
    if (at == n && n < MAX_JDK_LIBS) {
        jdk_libraries.libs[n] = lib;
        atomic_store(&jdk_libraries.count, n + 1);
    }
    pthread_mutex_unlock(&jdk_libraries.lock);
    return at < MAX_JDK_LIBS;
}

void *jdklibrary_open(const char *short_name, const char **error) {
    char path[4096];
    const char *dir = options_property(&vm.options, "sun.boot.library.path");
    if (dir) snprintf(path, sizeof path, "%.*s/lib%s.so", (int)strcspn(dir, ":"), dir, short_name);
    else snprintf(path, sizeof path, "%s/lib/lib%s.so", vm.java_home, short_name);
    void *lib = dlopen(path, RTLD_LAZY);
    if (!lib) {
        *error = dlerror();
        return NULL;
    }
    if (!add(lib)) {
        dlclose(lib);
        *error = "too many libraries opened by the VM";
        return NULL;
    }
    return lib;
}

bool jdklibrary_beside_vm(const char *name, char *path, size_t size) {
    Dl_info info;
    if (!dladdr((void *)jdklibrary_beside_vm, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int n = slash ? (int)(slash + 1 - info.dli_fname) : 0;
    return snprintf(path, size, "%.*s%s", n, info.dli_fname, name) < (int)size;
}

void *jdklibrary_symbol(const char *name) {
    int n = atomic_load(&jdk_libraries.count);
    for (int i = 0; i < n; i++) {
        void *p = dlsym(jdk_libraries.libs[i], name);
        if (p) return p;
    }
    return NULL;
}
