// The modules file through libjimage, which is opened from the class library's lib directory. Calls only functions that
// the JDK's own loader uses too (the same in JDK 9 to 17).
#include "vm/loading/jimage.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct JImageFile JImageFile;
typedef JImageFile *OpenFn(const char *name, int *error);
typedef int64_t FindResourceFn(JImageFile *image, const char *module, const char *version, const char *name,
                               int64_t *size);
typedef int64_t GetResourceFn(JImageFile *image, int64_t location, char *buffer, int64_t size);

static struct ClassImage {
    JImageFile *file;
    FindResourceFn *find_resource;
    GetResourceFn *get_resource;
} class_image;

static bool fail(char **error, const char *fmt, const char *what, const char *why) {
    if (asprintf(error, fmt, what, why) < 0) *error = NULL;
    return false;
}

// libjimage maps the whole file without checking for failure, so try it first.
static bool can_map(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) return true;  // libjimage reports the error
    size_t size = (size_t)st.st_size;
    void *area = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) return false;
    munmap(area, size);
    return true;
}

bool jimage_open(const char *java_home, char **error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/lib/libjimage.so", java_home);
    void *lib = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!lib) return fail(error, "cannot load %s: %s", path, dlerror());
    OpenFn *open_image = (OpenFn *)dlsym(lib, "JIMAGE_Open");
    class_image.find_resource = (FindResourceFn *)dlsym(lib, "JIMAGE_FindResource");
    class_image.get_resource = (GetResourceFn *)dlsym(lib, "JIMAGE_GetResource");
    if (!open_image || !class_image.find_resource || !class_image.get_resource)
        return fail(error, "%s lacks the JIMAGE_ functions%s", path, "");
    snprintf(path, sizeof path, "%s/lib/modules", java_home);
    if (!can_map(path)) return fail(error, "cannot map the class library %s: %s", path, strerror(errno));
    int code = 0;
    class_image.file = open_image(path, &code);
    if (!class_image.file) return fail(error, "cannot open the class library %s%s", path, "");
    return true;
}

bool jimage_find(const char *module, const char *class_name, JImageLocation *out) {
    char name[1024];
    int n = snprintf(name, sizeof name, "%s.class", class_name);
    if (n < 0 || (size_t)n >= sizeof name) return false;
    out->size = 0;
    // The version is ignored; the JDK's own caller passes this one.
    out->location = class_image.find_resource(class_image.file, module, "9.0", name, &out->size);
    return out->location != 0;
}

bool jimage_read(const JImageLocation *at, uint8_t *buffer) {
    return class_image.get_resource(class_image.file, at->location, (char *)buffer, at->size) == at->size;
}
