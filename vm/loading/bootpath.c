// The boot loader's appended path: see vm/loading/bootpath.h. The first lookup of a class splits the path and opens its
// archives. One lock guards that and the archives (libzip's entries are not shared).
#include "vm/loading/bootpath.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/loading/jdklibrary.h"
#include "vm/model/vm.h"

typedef struct Archive Archive;
typedef struct ArchiveEntry ArchiveEntry;
typedef Archive *ZipOpenFn(const char *name, char **message);
typedef ArchiveEntry *ZipFindFn(Archive *archive, const char *name, int32_t *size, int32_t *name_len);
typedef uint8_t ZipReadFn(Archive *archive, ArchiveEntry *entry, unsigned char *buf, char *name);

typedef struct Element {
    struct Element *next;
    char *path;
    Archive *archive;  // NULL: a directory
} Element;

static struct BootPath {
    pthread_mutex_t lock;
    bool ready;
    Element *elements;
    ZipOpenFn *zip_open;
    ZipFindFn *zip_find;
    ZipReadFn *zip_read;
    char own[3072];  // directory of the classes that come with cabernet; empty: not determined yet
} bootpath = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Opens an archive with libzip, which is loaded on first use. NULL: it cannot be opened.
static Archive *open_archive(const char *path) {
    if (!bootpath.zip_open) {
        const char *error;
        void *lib = jdklibrary_open("zip", &error);
        if (!lib) return NULL;
        bootpath.zip_find = (ZipFindFn *)dlsym(lib, "ZIP_FindEntry");
        bootpath.zip_read = (ZipReadFn *)dlsym(lib, "ZIP_ReadEntry");
        if (bootpath.zip_find && bootpath.zip_read) bootpath.zip_open = (ZipOpenFn *)dlsym(lib, "ZIP_Open");
        if (!bootpath.zip_open) return NULL;
    }
    char *message = NULL;
    return bootpath.zip_open(path, &message);
}

static Element *new_element(const char *path, size_t len) {
    Element *e = arena_malloc(sizeof *e);
    e->path = strndup(path, len);
    struct stat st;
    if (!e->path || stat(e->path, &st) != 0) goto bad;
    if (S_ISDIR(st.st_mode)) return e;
    e->archive = open_archive(e->path);
    if (e->archive) return e;
bad:
    free(e->path);
    free(e);
    return NULL;
}

static void split_path(void) {
    Element **at = &bootpath.elements;
    for (const char *p = vm.options.boot_append; p && *p;) {
        const char *end = strchrnul(p, ':');
        Element *e = new_element(p, (size_t)(end - p));
        if (e) {
            *at = e;
            at = &e->next;
        }
        p = *end ? end + 1 : end;
    }
    bootpath.ready = true;
}

static uint8_t *read_file(Arena *arena, const char *dir, const char *name, size_t *size) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = n > 0 && (size_t)n < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return NULL;
    struct stat st;
    uint8_t *bytes = NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        bytes = arena_alloc(arena, (size_t)st.st_size + 1);
        size_t done = 0;
        ssize_t got;
        while (done < (size_t)st.st_size && (got = read(fd, bytes + done, (size_t)st.st_size - done)) > 0)
            done += (size_t)got;
        *size = done;
    }
    close(fd);
    return bytes;
}

static uint8_t *read_entry(Arena *arena, Archive *archive, const char *name, size_t *size) {
    int32_t bytes, name_len;
    ArchiveEntry *entry = bootpath.zip_find(archive, name, &bytes, &name_len);
    if (!entry || bytes < 0) return NULL;
    uint8_t *buffer = arena_alloc(arena, (size_t)bytes + 1);
    char *name_buffer = arena_malloc((size_t)name_len + 1);
    bool ok = bootpath.zip_read(archive, entry, buffer, name_buffer);  // frees the entry
    free(name_buffer);
    *size = (size_t)bytes;
    return ok ? buffer : NULL;
}

uint8_t *bootpath_read(Arena *arena, const Symbol *name, size_t *size, const char **source) {
    bool own = strncmp(name->text, "cabernet/", 9) == 0;
    if (!vm.options.boot_append && !own) return NULL;
    char file[2048];
    int n = snprintf(file, sizeof file, "%s.class", name->text);
    if (n < 0 || (size_t)n >= sizeof file) return NULL;
    uint8_t *bytes = NULL;
    pthread_mutex_lock(&bootpath.lock);
    if (!bootpath.ready) split_path();
    for (Element *e = bootpath.elements; e && !bytes; e = e->next) {
        bytes = e->archive ? read_entry(arena, e->archive, file, size) : read_file(arena, e->path, file, size);
        *source = e->path;
    }
    if (own && !bytes) {  // the directory java beside libjvm.so has the classes that come with cabernet
        if (!bootpath.own[0] && !jdklibrary_beside_vm("java", bootpath.own, sizeof bootpath.own))
            bootpath.own[0] = '\0';
        *source = bootpath.own;
        bytes = read_file(arena, bootpath.own, file, size);
    }
    pthread_mutex_unlock(&bootpath.lock);
    return bytes;
}
