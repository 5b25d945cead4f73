// Class paths (prof_classes.h).
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/tool/read/prof_classes.h"

// The next element of a class path, malloc'd, and *list behind it; NULL: there is none. Empty elements are left out.
static char *next_element(const char **list) {
    *list += strspn(*list, ":");
    size_t n = strcspn(*list, ":");
    char *element = n ? strndup(*list, n) : NULL;
    if (n && !element) prof_out_of_memory();
    *list += n;
    return element;
}

const char *prof_class_path(const ProfFile *f, const char *option) { return option ? option : prof_meta(f, "class-path", "."); }

// ---- one class ---------------------------------------------------------------------------------

static uint8_t *from_folder(const char *folder, const char *name, size_t *size) {
    char *path, problem[128];
    if (asprintf(&path, "%s/%s", folder, name) < 0) prof_out_of_memory();
    uint8_t *bytes = prof_load(path, size, problem, sizeof problem);
    free(path);
    return bytes;
}

static uint8_t *from_path(const char *list, const char *name, size_t *size) {
    uint8_t *bytes = NULL;
    for (char *element; !bytes && (element = next_element(&list)); free(element)) {
        bytes = from_folder(element, name, size);
        if (!bytes) bytes = prof_archive_entry(element, name, size);
    }
    return bytes;
}

// java.base comes first of the modules, and most is in it.
static uint8_t *from_jdk(const char *name, size_t *size) {
    const char *home = getenv("CABERNET_JAVA_HOME");
    char *pattern;
    glob_t found;
    uint8_t *bytes = NULL;
    if (asprintf(&pattern, "%s/jmods/*.jmod", home && *home ? home : "/usr/lib/jvm/java-17-openjdk-*") < 0) prof_out_of_memory();
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !bytes; i++) bytes = prof_archive_entry(found.gl_pathv[i], name, size);
        globfree(&found);
    }
    free(pattern);
    return bytes;
}

uint8_t *prof_class_file(const char *class_name, const char *class_path, size_t *size) {
    char *name;
    int length = (int)strcspn(class_name, "@");
    if (asprintf(&name, "%.*s.class", length, class_name) < 0) prof_out_of_memory();
    for (int i = 0; i < length; i++)
        if (name[i] == '.') name[i] = '/';
    uint8_t *bytes = strstr(name, "../") || *name == '/' ? NULL : from_path(class_path, name, size);
    if (!bytes) bytes = from_jdk(name, size);
    free(name);
    return bytes;
}

// ---- all of them -------------------------------------------------------------------------------

typedef struct Receiver {
    void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size);
    void *arg;
} Receiver;

static void receive(void *arg, const char *name, const uint8_t *bytes, size_t size) {
    const Receiver *r = arg;
    if (strncmp(name, "META-INF/", 9) != 0) r->fn(r->arg, name, bytes, size);
}

static bool is_class(const char *name) {
    size_t n = strlen(name);
    return n > 6 && strcmp(name + n - 6, ".class") == 0;
}

static void each_of_folder(char *folder, const Receiver *r) {
    size_t length = strlen(folder);
    FTS *tree = fts_open((char *[]){folder, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    char problem[128];
    for (FTSENT *e; tree && (e = fts_read(tree));) {
        size_t size;
        if (e->fts_info == FTS_D && strcmp(e->fts_name, "META-INF") == 0) fts_set(tree, e, FTS_SKIP);
        uint8_t *bytes = e->fts_info == FTS_F && is_class(e->fts_name) ? prof_load(e->fts_path, &size, problem, sizeof problem) : NULL;
        if (bytes) r->fn(r->arg, e->fts_path + length + strspn(e->fts_path + length, "/"), bytes, size);
        free(bytes);
    }
    if (tree) fts_close(tree);
}

size_t prof_each_class(const char *class_path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size), void *arg) {
    Receiver r = {fn, arg};
    size_t count = 0;
    struct stat status;
    for (char *element; (element = next_element(&class_path)); free(element)) {
        char error[512];
        bool is_folder = stat(element, &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder) each_of_folder(element, &r);
        if (is_folder || prof_classes(element, receive, &r, error, sizeof error)) count++;
        else fprintf(stderr, "cabernet-prof: %s\n", error);
    }
    return count;
}
