// Class files in archives: the part of the zip format (APPNOTE 4.3, 4.4) that jars use, stored and deflated entries.
// The file is untrusted: every offset and length is checked against its size.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/grow.h"
#include "profiler/tool/read/prof_classes.h"

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, MOST_CLASS = 1 << 26 };
enum {
    END_SIGNATURE = 0x06054b50,
    ENTRY_SIGNATURE = 0x02014b50,
    LOCAL_SIGNATURE = 0x04034b50,
    STORED = 0,
    DEFLATED = 8
};

static uint32_t u2(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t u4(const uint8_t *p) { return u2(p) | u2(p + 2) << 16; }

static uint8_t *read_whole(const char *path, size_t *size, char *error, size_t error_size) {
    struct stat status;
    FILE *in = fopen(path, "re");
    uint8_t *bytes = NULL;
    if (in && fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) &&
        (bytes = malloc((size_t)status.st_size + 1)))
        *size = fread(bytes, 1, (size_t)status.st_size, in);
    if (!bytes) snprintf(error, error_size, "%s: %s", path, in && errno == 0 ? "not a file" : strerror(errno));
    if (in) fclose(in);
    return bytes;
}

typedef struct Archive {
    const uint8_t *bytes;
    size_t size;
} Archive;

// The end record, which a comment of up to 65535 bytes may follow; NULL: not an archive.
static const uint8_t *find_end(Archive z) {
    for (size_t back = END_SIZE; back <= z.size && back <= END_SIZE + 65535u; back++)
        if (u4(z.bytes + z.size - back) == END_SIGNATURE) return z.bytes + z.size - back;
    return NULL;
}

// The bytes of the entry whose central directory record is at `e`; malloc'd, NULL: malformed.
static uint8_t *extract(Archive z, const uint8_t *e, size_t *size) {
    size_t stored = u4(e + 20), at = u4(e + 42);
    unsigned method = u2(e + 10);
    *size = u4(e + 24);
    if (at > z.size || z.size - at < LOCAL_SIZE || u4(z.bytes + at) != LOCAL_SIGNATURE || *size > MOST_CLASS)
        return NULL;
    size_t begin = at + LOCAL_SIZE + u2(z.bytes + at + 26) + u2(z.bytes + at + 28);
    if (begin > z.size || z.size - begin < stored || (method != STORED && method != DEFLATED) ||
        (method == STORED && stored != *size))
        return NULL;
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes) return NULL;
    bool whole = true;
    if (method == STORED) {
        memcpy(bytes, z.bytes + begin, stored);
    } else {
        z_stream s = {.next_in = (Bytef *)(uintptr_t)(z.bytes + begin),
                      .avail_in = (uInt)stored,
                      .next_out = bytes,
                      .avail_out = (uInt)*size};
        whole = inflateInit2(&s, -MAX_WBITS) == Z_OK && inflate(&s, Z_FINISH) == Z_STREAM_END && s.total_out == *size;
        inflateEnd(&s);
    }
    if (whole) return bytes;
    free(bytes);
    return NULL;
}

static bool is_class(const char *name, size_t length) {
    return length > 6 && memcmp(name + length - 6, ".class", 6) == 0;
}

// module-info.class defines no class.
static bool is_module_description(const char *name) {
    const char *slash = strrchr(name, '/');
    return strcmp(slash ? slash + 1 : name, "module-info.class") == 0;
}

static bool each_entry(Archive z, const uint8_t *end, void (*fn)(void *, const char *, const uint8_t *, size_t),
                       void *arg, char *error, size_t error_size) {
    size_t at = u4(end + 16), count = u2(end + 10);
    for (size_t i = 0; i < count; i++) {
        if (at > z.size || z.size - at < ENTRY_SIZE || u4(z.bytes + at) != ENTRY_SIGNATURE) {
            snprintf(error, error_size, "the archive is damaged: entry %zu of %zu is not there", i + 1, count);
            return false;
        }
        const uint8_t *e = z.bytes + at;
        size_t length = u2(e + 28), size;
        if (z.size - at - ENTRY_SIZE < length) length = z.size - at - ENTRY_SIZE;
        char name[512];
        snprintf(name, sizeof name, "%.*s", (int)length, (const char *)e + ENTRY_SIZE);
        if (is_class((const char *)e + ENTRY_SIZE, length) && !is_module_description(name)) {
            uint8_t *bytes = extract(z, e, &size);
            if (!bytes) {
                snprintf(error, error_size, "the archive is damaged: %.200s", name);
                return false;
            }
            fn(arg, name, bytes, size);
            free(bytes);
        }
        at += ENTRY_SIZE + u2(e + 28) + u2(e + 30) + u2(e + 32);
    }
    return true;
}

bool prof_classes(const char *path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size),
                  void *arg, char *error, size_t error_size) {
    size_t size = 0;
    errno = 0;
    uint8_t *bytes = read_whole(path, &size, error, error_size);
    if (!bytes) return false;
    Archive z = {bytes, size};
    bool ok = true;
    const uint8_t *end = size >= 4 && u4(bytes) == 0xbebafeca ? NULL : find_end(z);
    if (size >= 4 && u4(bytes) == 0xbebafeca) fn(arg, path, bytes, size);
    else if (end) ok = each_entry(z, end, fn, arg, error, error_size);
    else {
        snprintf(error, error_size, "%s: neither a class file nor an archive", path);
        ok = false;
    }
    free(bytes);
    return ok;
}

// ---- one entry ---------------------------------------------------------------------------------

// A mapped archive; `skipped`: bytes before it.
static const uint8_t *map_archive(const char *path, Archive *z, size_t *skipped) {
    enum { JMOD_HEADER = 4 };  // "JM", a version; then the archive
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > JMOD_HEADER;
    uint8_t *bytes = is_file ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (bytes == MAP_FAILED) return NULL;
    *skipped = bytes[0] == 'J' && bytes[1] == 'M' ? JMOD_HEADER : 0;
    *z = (Archive){bytes + *skipped, (size_t)status.st_size - *skipped};
    return bytes;
}

static uint8_t *find_entry(Archive z, const char *name, size_t *size) {
    const uint8_t *end = z.size >= END_SIZE ? find_end(z) : NULL;
    size_t at = end ? u4(end + 16) : 0, count = end ? u2(end + 10) : 0;
    for (size_t i = 0; i < count; i++) {
        if (at > z.size || z.size - at < ENTRY_SIZE || u4(z.bytes + at) != ENTRY_SIGNATURE) return NULL;
        const uint8_t *e = z.bytes + at;
        const char *own = (const char *)e + ENTRY_SIZE;
        size_t length = u2(e + 28), n = strlen(name);
        if (z.size - at - ENTRY_SIZE < length) return NULL;
        if (length >= n && memcmp(own + length - n, name, n) == 0 && (length == n || own[length - n - 1] == '/')) {
            uint8_t *bytes = extract(z, e, size);
            if (bytes) bytes[*size] = 0;
            return bytes;
        }
        at += ENTRY_SIZE + length + u2(e + 30) + u2(e + 32);
    }
    return NULL;
}

uint8_t *prof_archive_entry(const char *path, const char *name, size_t *size) {
    Archive z;
    size_t skipped;
    const uint8_t *mapped = map_archive(path, &z, &skipped);
    if (!mapped) return NULL;
    uint8_t *found = find_entry(z, name, size);
    munmap((void *)(uintptr_t)mapped, z.size + skipped);
    return found;
}

// ---- versions of a class -----------------------------------------------------------------------

enum { RELEASE = 17 };

static const char VERSIONS[] = "META-INF/versions/", MODULES[] = "classes/";

// A class file entry of the central directory.
typedef struct Entry {
    const uint8_t *at;
    char *name;        // without META-INF/versions/N/
    unsigned version;  // 0: for all releases
    uint32_t crc, size;
} Entry;

typedef struct Entries {
    Entry *list;
    size_t count, capacity;
    bool versions;  // the manifest enables META-INF/versions
    bool damaged;
} Entries;

// Does a manifest line say "Multi-Release: true"? The case of the key is ignored.
static bool is_multi_release(Archive z, const uint8_t *entry) {
    static const char KEY[] = "Multi-Release:";
    size_t size;
    char *text = (char *)extract(z, entry, &size);
    bool found = false;
    if (!text) return false;
    text[size] = '\0';
    for (char *line = text, *rest = NULL; !found && (line = strtok_r(line, "\r\n", &rest)) != NULL; line = NULL) {
        if (strncasecmp(line, KEY, sizeof KEY - 1) != 0) continue;
        const char *value = line + sizeof KEY - 1 + strspn(line + sizeof KEY - 1, " ");
        found = strncasecmp(value, "true", 4) == 0 && value[4 + strspn(value + 4, " ")] == '\0';
    }
    free(text);
    return found;
}

static void add_entry(Entries *all, Archive z, const uint8_t *e, const char *name) {
    if (strcmp(name, "META-INF/MANIFEST.MF") == 0) all->versions = is_multi_release(z, e);
    if (!is_class(name, strlen(name))) return;
    unsigned version = 0;
    if (strncmp(name, VERSIONS, sizeof VERSIONS - 1) == 0) {
        char *end;
        unsigned long n = strtoul(name + sizeof VERSIONS - 1, &end, 10);
        if (*end == '/' && n > 0 && n <= UINT16_MAX) version = (unsigned)n, name = end + 1;
    }
    char *copy = strdup(name);
    if (!copy || !GROW(all->list, all->capacity, all->count + 1)) prof_out_of_memory();
    all->list[all->count++] = (Entry){e, copy, version, u4(e + 16), u4(e + 24)};
}

static int by_name(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order ? order : a->version > b->version ? -1 : a->version < b->version;
}

// By name, newest version first.
static Entries find_entries(Archive z, const uint8_t *end) {
    Entries all = {0};
    size_t at = u4(end + 16), count = u2(end + 10);
    for (size_t i = 0; i < count; i++) {
        size_t length = at <= z.size && z.size - at >= ENTRY_SIZE && u4(z.bytes + at) == ENTRY_SIGNATURE
            ? u2(z.bytes + at + 28)
            : SIZE_MAX;
        if (length == SIZE_MAX || z.size - at - ENTRY_SIZE < length) {
            all.damaged = true;
            break;
        }
        char *name = strndup((const char *)z.bytes + at + ENTRY_SIZE, length);
        if (!name) prof_out_of_memory();
        add_entry(&all, z, z.bytes + at, name);
        free(name);
        at += ENTRY_SIZE + length + u2(z.bytes + at + 30) + u2(z.bytes + at + 32);
    }
    if (all.count) qsort(all.list, all.count, sizeof *all.list, by_name);
    return all;
}

static void free_entries(Entries *all) {
    for (size_t i = 0; i < all->count; i++) free(all->list[i].name);
    free(all->list);
}

// Among entries with the same name: the one that ran, else the one that a loader takes; NULL: none is for this release.
static const Entry *choose(const Entries *all, size_t from, size_t to, const ProfWanted *w, ProfMatch *match) {
    const Entry *taken = NULL;
    for (size_t i = from; i < to; i++) {
        const Entry *e = &all->list[i];
        ProfMatch here = prof_match_class(w, e->crc, e->size);
        if (here == CLASS_SAME) return *match = here, e;
        bool counts = e->version == 0 || (all->versions && e->version <= RELEASE);
        if (counts && !taken) taken = e, *match = here;
    }
    return taken;
}

// Classes are sorted by name, so names with the same beginning are adjacent: "p.C", "p.C$D", "p.C@loader#1".
ProfMatch prof_match_class(const ProfWanted *w, uint32_t crc, uint64_t size) {
    size_t n = strlen(w->name), low = 0, high = w->f->class_count;
    bool known = false, that_very_one = strchr(w->name, '@');
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(w->f->classes[middle].name, w->name) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < w->f->class_count && strncmp(w->f->classes[low].name, w->name, n) == 0; low++) {
        const ProfClass *c = &w->f->classes[low];
        if (c->name[n] != '\0' && (c->name[n] != '@' || that_very_one)) continue;
        if (c->crc == crc && c->size == size) return CLASS_SAME;
        known = true;
    }
    return known ? CLASS_OTHER : CLASS_UNKNOWN;
}

static uint8_t *class_of(Archive z, const char *name, const ProfWanted *w, size_t *size, ProfMatch *match) {
    const uint8_t *end = z.size >= END_SIZE ? find_end(z) : NULL;
    Entries all = end ? find_entries(z, end) : (Entries){0};
    const Entry *found = NULL;
    size_t n = strlen(name);
    for (size_t i = 0, to; i < all.count && !found; i = to) {
        const char *own = all.list[i].name;
        for (to = i + 1; to < all.count && strcmp(all.list[to].name, own) == 0;) to++;
        size_t front = strncmp(own, MODULES, sizeof MODULES - 1) == 0 ? sizeof MODULES - 1 : 0;
        if (strcmp(own, name) == 0 || strcmp(own + front, name) == 0) found = choose(&all, i, to, w, match);
    }
    // Inside a folder of the archive, as in application archives.
    for (size_t i = 0; i < all.count && !found; i++) {
        size_t length = strlen(all.list[i].name);
        bool below = length > n && strcmp(all.list[i].name + length - n, name) == 0 &&
            all.list[i].name[length - n - 1] == '/';
        if (below) found = choose(&all, i, i + 1, w, match);
    }
    uint8_t *bytes = found ? extract(z, found->at, size) : NULL;
    free_entries(&all);
    return bytes;
}

uint8_t *prof_archive_class(const char *path, const char *name, const ProfWanted *w, size_t *size, ProfMatch *match) {
    Archive z;
    size_t skipped;
    const uint8_t *mapped = map_archive(path, &z, &skipped);
    if (!mapped) return NULL;
    uint8_t *bytes = class_of(z, name, w, size, match);
    munmap((void *)(uintptr_t)mapped, z.size + skipped);
    return bytes;
}

char *prof_class_name(const char *file) {
    char *text = strndup(file, strlen(file) - strlen(".class"));
    if (!text) prof_out_of_memory();
    for (char *p = text; *p; p++)
        if (*p == '/') *p = '.';
    return text;
}

bool prof_archive_classes(const ProfFile *f, const char *path, ProfEachClass *fn, void *arg, char *error,
                          size_t error_size) {
    Archive z;
    size_t skipped, size;
    const uint8_t *mapped = map_archive(path, &z, &skipped), *end = mapped && z.size >= END_SIZE ? find_end(z) : NULL;
    if (!end)
        snprintf(error, error_size, "%s: %s", path, mapped ? "neither a class file nor an archive" : "cannot be read");
    Entries all = end ? find_entries(z, end) : (Entries){0};
    bool ok = end && !all.damaged;
    if (all.damaged) snprintf(error, error_size, "%s: the archive is damaged", path);
    for (size_t i = 0, to; i < all.count; i = to) {
        char *name = prof_class_name(all.list[i].name);
        ProfMatch match = CLASS_UNKNOWN;
        for (to = i + 1; to < all.count && strcmp(all.list[to].name, all.list[i].name) == 0;) to++;
        const Entry *e = is_module_description(all.list[i].name) ? NULL
                                                                 : choose(&all, i, to, &(ProfWanted){f, name}, &match);
        uint8_t *bytes = e ? extract(z, e->at, &size) : NULL;
        if (bytes) fn(arg, e->name, bytes, size, match);
        else if (e) snprintf(error, error_size, "%s: the archive is damaged: %.200s", path, e->name), ok = false;
        free(bytes);
        free(name);
    }
    free_entries(&all);
    if (mapped) munmap((void *)(uintptr_t)mapped, z.size + skipped);
    return ok;
}
