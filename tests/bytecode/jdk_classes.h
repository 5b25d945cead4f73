/*
 * The installed JDK's class files, for tests: visits every class in lib/modules through libjimage. Uses JAVA_HOME, or
 * Debian's directory where it is not set.
 */
#ifndef CABERNET_TESTS_BYTECODE_JDK_CLASSES_H
#define CABERNET_TESTS_BYTECODE_JDK_CLASSES_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void JdkVisit(void *arg, const char *name, const uint8_t *bytes, size_t len);

typedef struct JdkImage {
    void *image;
    int64_t (*find)(void *, const char *, const char *, const char *, int64_t *);
    int64_t (*get)(void *, int64_t, char *, int64_t);
    JdkVisit *visit;
    void *arg;
    const char *only_module;
    unsigned every; /* visit one class in `every` */
    unsigned seen;
} JdkImage;

static bool jdk_entry(void *image, const char *module, const char *version, const char *package, const char *name,
                      const char *extension, void *arg) {
    JdkImage *j = arg;
    char path[1024];
    int64_t len;
    (void)version;
    if (strcmp(extension, "class") != 0 || strcmp(name, "module-info") == 0) return true;
    if (j->only_module && strcmp(module, j->only_module) != 0) return true;
    if (j->seen++ % j->every != 0) return true;
    snprintf(path, sizeof path, "%s/%s.%s", package, name, extension);
    int64_t at = j->find(image, module, "9.0", path, &len);
    if (at == 0) return true;
    uint8_t *bytes = malloc((size_t)len);
    if (!bytes || j->get(image, at, (char *)bytes, len) != len) abort();
    j->visit(j->arg, path, bytes, (size_t)len);
    free(bytes);
    return true;
}

/* Returns the number of classes visited, 0 when there is no JDK image. */
static inline unsigned jdk_each_class(const char *only_module, unsigned every, JdkVisit *visit, void *arg) {
    const char *home = getenv("JAVA_HOME");
    char path[1024];
    int32_t error = 0;
    if (!home) home = "/usr/lib/jvm/java-17-openjdk-amd64";
    /* libjimage depends on libjvm.so but does not use it: any copy will do. */
    snprintf(path, sizeof path, "%s/lib/server/libjvm.so", home);
    dlopen(path, RTLD_LAZY);
    snprintf(path, sizeof path, "%s/lib/libjimage.so", home);
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) return 0;
    void *(*open_image)(const char *, int32_t *);
    void (*iterate)(
        void *, bool (*)(void *, const char *, const char *, const char *, const char *, const char *, void *), void *);
    JdkImage j = {.visit = visit, .arg = arg, .only_module = only_module, .every = every};
    *(void **)&open_image = dlsym(lib, "JIMAGE_Open");
    *(void **)&iterate = dlsym(lib, "JIMAGE_ResourceIterator");
    *(void **)&j.find = dlsym(lib, "JIMAGE_FindResource");
    *(void **)&j.get = dlsym(lib, "JIMAGE_GetResource");
    if (!open_image || !iterate || !j.find || !j.get) return 0;
    snprintf(path, sizeof path, "%s/lib/modules", home);
    j.image = open_image(path, &error);
    if (!j.image) return 0;
    iterate(j.image, jdk_entry, &j);
    return (j.seen + every - 1) / every;
}

#endif
