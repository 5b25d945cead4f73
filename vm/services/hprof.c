// Buffer, segments and compression of a file in HPROF format (vm/services/hprof.h), and its name when it is complete.
#include "vm/services/hprof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/invariant.h"

enum { HEAD = 9 /* tag, time, length */, LENGTH_AT = 5, PACKED = 1 << 18, GZIP = 16 + MAX_WBITS };

void hprof_fail(Hprof *h, const char *reason) {
    if (!hprof_failed(h)) snprintf(h->error, sizeof h->error, "%s", reason);
}

// ---- the disk ----------------------------------------------------------------------------------

static void write_file(Hprof *h, const uint8_t *from, size_t n) {
    while (n && !hprof_failed(h)) {
        ssize_t done = write(h->fd, from, n);
        if (done < 0) {
            if (errno != EINTR) hprof_fail(h, strerror(errno));
            continue;
        }
        from += done;
        n -= (size_t)done;
        h->bytes += (uint64_t)done;
    }
}

// `flush` is Z_FINISH at the end.
static void write_packed(Hprof *h, int flush) {
    z_stream *z = h->deflater;
    z->next_in = h->buffer;
    z->avail_in = (uInt)h->used;
    do {
        z->next_out = h->packed;
        z->avail_out = PACKED;
        deflate(z, flush);  // cannot fail: its state is valid and it has room
        write_file(h, h->packed, PACKED - z->avail_out);
    } while (z->avail_out == 0 && !hprof_failed(h));
}

void hprof_flush(Hprof *h) {
    ASSERT(h->segment == SIZE_MAX, "the segment at %zu is incomplete", h->segment);
    if (h->deflater) write_packed(h, Z_NO_FLUSH);
    else write_file(h, h->buffer, h->used);
    h->used = 0;
}

// ---- records -----------------------------------------------------------------------------------

static void end_segment(Hprof *h) {
    if (h->segment == SIZE_MAX) return;
    uint32_t length = __builtin_bswap32((uint32_t)(h->used - h->segment - HEAD));
    memcpy(h->buffer + h->segment + LENGTH_AT, &length, sizeof length);
    h->segment = SIZE_MAX;
}

void hprof_record(Hprof *h, HprofTag tag, uint32_t length) {
    end_segment(h);
    hprof_u1(h, (uint8_t)tag);
    hprof_u4(h, 0);  // microseconds since the time in the file's head
    hprof_u4(h, length);
}

void hprof_part(Hprof *h, HprofPart tag, uint32_t length) {
    size_t bytes = 1 + (size_t)length;
    if (h->segment != SIZE_MAX && h->used + bytes > HPROF_BUFFER) end_segment(h);
    if (h->segment == SIZE_MAX) {
        bool fits = HEAD + bytes <= HPROF_BUFFER;
        if (fits && h->used + HEAD + bytes > HPROF_BUFFER) hprof_flush(h);
        hprof_record(h, HPROF_SEGMENT, (uint32_t)bytes);
        if (fits) h->segment = h->used - HEAD;
    }
    hprof_u1(h, (uint8_t)tag);
}

void hprof_bytes(Hprof *h, const void *from, size_t n) {
    for (const uint8_t *p = from; n;) {
        size_t some = n < HPROF_BUFFER ? n : HPROF_BUFFER;
        memcpy(hprof_room(h, some), p, some);
        p += some;
        n -= some;
    }
}

// ---- the file ----------------------------------------------------------------------------------

static bool compress_at(Hprof *h, int level) {
    h->packed = malloc(PACKED);
    h->deflater = calloc(1, sizeof *h->deflater);
    if (h->packed && h->deflater &&
        deflateInit2(h->deflater, level, Z_DEFLATED, GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return true;
    free(h->deflater);
    h->deflater = NULL;
    return false;
}

bool hprof_open(Hprof *h, const char *path, int level, bool overwrite) {
    *h = (Hprof){.fd = -1, .segment = SIZE_MAX, .overwrite = overwrite};
    struct stat s;
    bool exists = lstat(path, &s) == 0;
    if (exists && !overwrite) hprof_fail(h, strerror(EEXIST));
    else if (exists && stat(path, &s) == 0 && !S_ISREG(s.st_mode)) hprof_fail(h, "not a regular file");
    if (hprof_failed(h)) return false;
    h->path = exists ? realpath(path, NULL) : strdup(path);
    if (exists && !h->path) hprof_fail(h, strerror(errno));
    h->buffer = malloc(HPROF_BUFFER);
    if (!h->path || !h->buffer || asprintf(&h->temporary, "%s.XXXXXX", h->path) < 0) {
        h->temporary = NULL;
        hprof_fail(h, strerror(ENOMEM));
        return false;
    }
    if (level && !compress_at(h, level)) hprof_fail(h, strerror(ENOMEM));
    h->fd = hprof_failed(h) ? -1 : mkostemp(h->temporary, O_CLOEXEC);
    if (h->fd < 0) {
        hprof_fail(h, strerror(errno));
        return false;
    }
    static const char format[] = "JAVA PROFILE 1.0.2";
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    hprof_bytes(h, format, sizeof format);
    hprof_u4(h, HPROF_ID);
    hprof_u8(h, (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
    return true;
}

// The rename itself refuses an existing file, on file systems that can do this.
static bool publish(const Hprof *h) {
    if (h->overwrite) return rename(h->temporary, h->path) == 0;
    if (renameat2(AT_FDCWD, h->temporary, AT_FDCWD, h->path, RENAME_NOREPLACE) == 0) return true;
    return (errno == EINVAL || errno == ENOSYS) && rename(h->temporary, h->path) == 0;
}

bool hprof_close(Hprof *h) {
    if (h->fd >= 0) {
        hprof_record(h, HPROF_END, 0);
        if (h->deflater) write_packed(h, Z_FINISH);
        else hprof_flush(h);
        if (close(h->fd) != 0) hprof_fail(h, strerror(errno));
        if (!hprof_failed(h) && !publish(h)) hprof_fail(h, strerror(errno));
        if (hprof_failed(h)) unlink(h->temporary);
    }
    if (h->deflater) deflateEnd(h->deflater);
    free(h->deflater);
    free(h->packed);
    free(h->buffer);
    free(h->temporary);
    free(h->path);
    return !hprof_failed(h);
}
