// Class files out of archives: as much of the zip format (APPNOTE 4.3, 4.4) as jars have, stored and deflated entries.
// Nothing in the file is believed: every offset and length is compared with what is there.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "profiler/tool/read/prof_classes.h"

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, MOST_CLASS = 1 << 26 };
enum { END_SIGNATURE = 0x06054b50, ENTRY_SIGNATURE = 0x02014b50, LOCAL_SIGNATURE = 0x04034b50, STORED = 0, DEFLATED = 8 };

static uint32_t u2(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t u4(const uint8_t *p) { return u2(p) | u2(p + 2) << 16; }

static uint8_t *read_whole(const char *path, size_t *size, char *error, size_t error_size) {
    struct stat status;
    FILE *in = fopen(path, "re");
    uint8_t *bytes = NULL;
    if (in && fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) && (bytes = malloc((size_t)status.st_size + 1)))
        *size = fread(bytes, 1, (size_t)status.st_size, in);
    if (!bytes) snprintf(error, error_size, "%s: %s", path, in && errno == 0 ? "not a file" : strerror(errno));
    if (in) fclose(in);
    return bytes;
}

typedef struct Archive {
    const uint8_t *bytes;
    size_t size;
} Archive;

// The end record, which may have a comment of up to 65535 bytes behind it; NULL: this is no archive.
static const uint8_t *find_end(Archive z) {
    for (size_t back = END_SIZE; back <= z.size && back <= END_SIZE + 65535u; back++)
        if (u4(z.bytes + z.size - back) == END_SIGNATURE) return z.bytes + z.size - back;
    return NULL;
}

static bool inflate_to(uint8_t *to, size_t size, const uint8_t *from, size_t stored) {
    z_stream s = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)stored, .next_out = to, .avail_out = (uInt)size};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK) return false;
    int result = inflate(&s, Z_FINISH);
    bool whole = result == Z_STREAM_END && s.total_out == size;
    inflateEnd(&s);
    return whole;
}

// The bytes of the entry that the central directory has at `e`; malloc'd, NULL: it makes no sense.
static uint8_t *extract(Archive z, const uint8_t *e, size_t *size) {
    size_t stored = u4(e + 20), at = u4(e + 42);
    unsigned method = u2(e + 10);
    *size = u4(e + 24);
    if (at > z.size || z.size - at < LOCAL_SIZE || u4(z.bytes + at) != LOCAL_SIGNATURE || *size > MOST_CLASS) return NULL;
    size_t begin = at + LOCAL_SIZE + u2(z.bytes + at + 26) + u2(z.bytes + at + 28);
    if (begin > z.size || z.size - begin < stored || (method != STORED && method != DEFLATED) || (method == STORED && stored != *size))
        return NULL;
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes) return NULL;
    if (method == STORED) memcpy(bytes, z.bytes + begin, stored);
    else if (!inflate_to(bytes, *size, z.bytes + begin, stored)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool is_class(const char *name, size_t length) { return length > 6 && memcmp(name + length - 6, ".class", 6) == 0; }

static bool each_entry(Archive z, const uint8_t *end, void (*fn)(void *, const char *, const uint8_t *, size_t), void *arg,
                       char *error, size_t error_size) {
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
        if (is_class((const char *)e + ENTRY_SIZE, length)) {
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

bool prof_classes(const char *path, void (*fn)(void *arg, const char *name, const uint8_t *bytes, size_t size), void *arg,
                  char *error, size_t error_size) {
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

static bool is_named(const uint8_t *entry, size_t length, const char *name) {
    size_t n = strlen(name);
    const char *own = (const char *)entry + ENTRY_SIZE;
    return length >= n && memcmp(own + length - n, name, n) == 0 && (length == n || own[length - n - 1] == '/');
}

static uint8_t *find_entry(Archive z, const char *name, size_t *size) {
    const uint8_t *end = z.size >= END_SIZE ? find_end(z) : NULL;
    size_t at = end ? u4(end + 16) : 0, count = end ? u2(end + 10) : 0;
    for (size_t i = 0; i < count; i++) {
        if (at > z.size || z.size - at < ENTRY_SIZE || u4(z.bytes + at) != ENTRY_SIGNATURE) return NULL;
        const uint8_t *e = z.bytes + at;
        size_t length = u2(e + 28);
        if (z.size - at - ENTRY_SIZE < length) return NULL;
        if (is_named(e, length, name)) {
            uint8_t *bytes = extract(z, e, size);
            if (bytes) bytes[*size] = 0;
            return bytes;
        }
        at += ENTRY_SIZE + length + u2(e + 30) + u2(e + 32);
    }
    return NULL;
}

uint8_t *prof_archive_entry(const char *path, const char *name, size_t *size) {
    enum { JMOD_HEADER = 4 };  // "JM", a version; the archive is behind
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *found = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > JMOD_HEADER) {
        size_t all = (size_t)status.st_size;
        uint8_t *bytes = mmap(NULL, all, PROT_READ, MAP_PRIVATE, fd, 0);
        size_t skipped = bytes != MAP_FAILED && bytes[0] == 'J' && bytes[1] == 'M' ? JMOD_HEADER : 0;
        if (bytes != MAP_FAILED) {
            found = find_entry((Archive){bytes + skipped, all - skipped}, name, size);
            munmap(bytes, all);
        }
    }
    if (fd >= 0) close(fd);
    return found;
}
