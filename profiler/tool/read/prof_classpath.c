// Class paths (prof_classes.h).
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "profiler/tool/read/prof_classes.h"

// The next non-empty element of a class path, malloc'd, and moves *list past it; NULL: none.
static char *next_element(const char **list) {
    *list += strspn(*list, ":");
    size_t n = strcspn(*list, ":");
    char *element = n ? strndup(*list, n) : NULL;
    if (n && !element) prof_out_of_memory();
    *list += n;
    return element;
}

const char *prof_class_path(const ProfFile *f, const char *option) {
    return option ? option : prof_meta(f, "class-path", ".");
}

// ---- one class ---------------------------------------------------------------------------------

typedef struct Search {
    ProfWanted wanted;
    const char *name;  // of the file
    uint8_t *bytes;    // the best match
    size_t size;
    ProfMatch match;
} Search;

// Keeps the bytes if they are the first, or the ones that ran. Returns whether the search is over.
static bool offer(Search *s, uint8_t *bytes, size_t size, ProfMatch match) {
    if (!bytes) return false;
    if (s->bytes && match != CLASS_SAME) free(bytes);
    else {
        free(s->bytes);
        s->bytes = bytes, s->size = size, s->match = match;
    }
    return match == CLASS_SAME || (match == CLASS_UNKNOWN && s->match == CLASS_UNKNOWN);
}

static ProfMatch match_of(const ProfWanted *w, const uint8_t *bytes, size_t size) {
    return prof_match_class(w, (uint32_t)crc32_z(0, bytes, size), size);
}

static bool search_path(Search *s, const char *list) {
    bool over = false;
    for (char *element; !over && (element = next_element(&list)); free(element)) {
        size_t size;
        ProfMatch match = CLASS_UNKNOWN;
        char *path, problem[128];
        if (asprintf(&path, "%s/%s", element, s->name) < 0) prof_out_of_memory();
        uint8_t *bytes = prof_load(path, &size, problem, sizeof problem);
        free(path);
        if (bytes) match = match_of(&s->wanted, bytes, size);
        else bytes = prof_archive_class(element, s->name, &s->wanted, &size, &match);
        over = offer(s, bytes, size, match);
    }
    return over;
}

// Searches where the class came from: "file:/home/me/app.jar", "jar:file:/home/me/app.jar!/". Not if the path has a
// colon, which would separate elements, or an escape.
static bool search_origin(Search *s) {
    const ProfClass *c = prof_class(s->wanted.f, s->wanted.name);
    const char *origin = c && c->origin ? c->origin : "";
    if (strncmp(origin, "jar:", 4) == 0) origin += 4;
    if (strncmp(origin, "file:", 5) != 0) return false;
    origin += 5;
    char *path = strndup(origin, strcspn(origin, "!"));
    if (!path) prof_out_of_memory();
    bool over = !strpbrk(path, ":%") && search_path(s, path);
    free(path);
    return over;
}

// java.base is the first module searched, because it has most classes.
static void search_jdk(Search *s) {
    const char *home = getenv("CABERNET_JAVA_HOME");
    char *pattern;
    glob_t found;
    if (asprintf(&pattern, "%s/jmods/*.jmod", home && *home ? home : "/usr/lib/jvm/java-17-openjdk-*") < 0)
        prof_out_of_memory();
    if (glob(pattern, 0, NULL, &found) == 0) {
        bool over = false;
        for (size_t i = 0; i < found.gl_pathc && !over; i++) {
            size_t size;
            ProfMatch match = CLASS_UNKNOWN;
            uint8_t *bytes = prof_archive_class(found.gl_pathv[i], s->name, &s->wanted, &size, &match);
            over = offer(s, bytes, size, match);
        }
        globfree(&found);
    }
    free(pattern);
}

uint8_t *prof_class_file(const ProfFile *f, const char *class_name, const char *class_path, size_t *size,
                         ProfMatch *match) {
    char *name;
    int length = (int)strcspn(class_name, "@");
    if (asprintf(&name, "%.*s.class", length, class_name) < 0) prof_out_of_memory();
    for (int i = 0; i < length; i++)
        if (name[i] == '.') name[i] = '/';
    Search s = {.wanted = {f, class_name}, .name = name, .match = CLASS_UNKNOWN};
    bool outside = strstr(name, "../") || *name == '/';
    if (outside || (!search_path(&s, class_path) && !search_origin(&s))) search_jdk(&s);
    free(name);
    *size = s.size;
    *match = s.match;
    return s.bytes;
}

// ---- all classes -------------------------------------------------------------------------------

typedef struct Receiver {
    const ProfFile *f;
    ProfEachClass *fn;
    void *arg;
} Receiver;

static void each_of_folder(char *folder, const Receiver *r) {
    size_t length = strlen(folder);
    FTS *tree = fts_open((char *[]){folder, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    char problem[128];
    for (FTSENT *e; tree && (e = fts_read(tree));) {
        size_t size;
        if (e->fts_info == FTS_D && strcmp(e->fts_name, "META-INF") == 0) fts_set(tree, e, FTS_SKIP);
        size_t n = strlen(e->fts_name);
        bool is_class = e->fts_info == FTS_F && n > 6 && strcmp(e->fts_name + n - 6, ".class") == 0 &&
            strcmp(e->fts_name, "module-info.class") != 0;
        uint8_t *bytes = is_class ? prof_load(e->fts_path, &size, problem, sizeof problem) : NULL;
        if (!bytes) continue;
        const char *file = e->fts_path + length + strspn(e->fts_path + length, "/");
        char *name = prof_class_name(file);
        r->fn(r->arg, file, bytes, size, match_of(&(ProfWanted){r->f, name}, bytes, size));
        free(name);
        free(bytes);
    }
    if (tree) fts_close(tree);
}

size_t prof_each_class(const ProfFile *f, const char *class_path, ProfEachClass *fn, void *arg) {
    Receiver r = {f, fn, arg};
    size_t count = 0;
    struct stat status;
    for (char *element; (element = next_element(&class_path)); free(element)) {
        char error[512];
        bool is_folder = stat(element, &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder) each_of_folder(element, &r);
        if (is_folder || prof_archive_classes(f, element, fn, arg, error, sizeof error)) count++;
        else fprintf(stderr, "cabernet-prof: %s\n", error);
    }
    return count;
}
