// The library beside libjvm.so that contains the compiler (vm/adaptive/compiler_library.h).
#include "vm/adaptive/compiler_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vm/adaptive/tiering.h"
#include "vm/loading/jdklibrary.h"
#include "vm/model/vm.h"
#include "vm/threads/threadstack.h"

// LLVM ends the process when an allocation fails. So where the address space is limited (ulimit -v), there must be
// room for LLVM, and thread stacks leave some.
enum { LLVM_ROOM = 1 << 30, COMPILATION_ROOM = 192 << 20 };

static bool has_room(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) + LLVM_ROOM < limit.rlim_cur;
}

const CompilerInterface *compilerlibrary_open(const char **error) {
    char path[4096];
    *error = "the limit on the address space (ulimit -v) leaves no room for it";
    if (!has_room()) return NULL;
    *error = "no path to it";
    if (!jdklibrary_beside_vm(COMPILER_LIBRARY, path, sizeof path)) return NULL;
    if (access(path, F_OK) != 0 && !vm.options.jit) {
        *error = NULL;
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CompilerEntry *entry = library ? (CompilerEntry *)(uintptr_t)dlsym(library, COMPILER_SYMBOL) : NULL;
    if (!entry) {
        *error = dlerror();
        return NULL;
    }
    const CompilerInterface *c = entry(COMPILER_VERSION);
    *error = "it is of another version";
    if (!c || !c->start(&tiering.options.compiler, error)) return NULL;
    threadstack_leave(COMPILATION_ROOM);
    return c;
}
