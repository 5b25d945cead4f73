// See jit/backend/objectpack.h.
//
// The file is a header followed by batches. A batch holds the objects that a run has written together, with a table
// before them. Once written, a batch does not change, except for the hours in which its objects were last used. A batch
// is written after the last good one while the directory is locked (flock), so the partial batch of a process that died
// is overwritten. A new file is written under another name and renamed. This happens when there is none yet, when it
// would become too large or when it has no good header. A process that has the old file open continues with it, and
// notices the new one when it next writes.
//
// Offsets and sizes in the file are checked against the file's size. The hash of a table is checked when the file is
// opened, that of an object when it is read. Reading uses pread: with a mapping, another process could end this one by
// truncating the file.
#include "jit/backend/objectpack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "vm/api/compiler.h"

enum {
    MOST_OBJECTS = 1 << 16,  // of a batch
    MOST_BYTES = 1 << 30,    // of an object
    WRITE_FROM = 512 << 10,  // bytes of unwritten objects that cause a write
    LOCK_TRIES = 1000,
    LOCK_PAUSE = 1000000,  // ns
    HOUR = 3600,
    MARK = 0x68637462,  // "btch"; a different number on hosts with another byte order
};

static const char file_name[] = "objects", new_name[] = "objects.new";

typedef struct Header {
    char magic[32];
} Header;
static const Header header = {"cabernet objects 2\n"};

typedef struct Batch {
    uint32_t mark, count;
    uint64_t bytes;  // of its objects
    uint64_t hash;   // of count, bytes and rows
} Batch;

// Of the table after the Batch. The rows are followed by the hours, one uint32_t each, padded to 8 bytes, and then by
// the objects.
typedef struct Row {
    uint8_t key[OBJECTPACK_KEY];
    uint64_t hash;  // of the object
    uint64_t size;
} Row;

typedef struct Kept {
    Row row;
    uint64_t at, hours_at;  // in the file; 0 while the object is unwritten
    char *waiting;          // the object, until it is written
    uint32_t hour;          // in which it was last used, in hours since 1970
    bool touched;           // the file still has an earlier hour
    bool gone;              // damaged
} Kept;

struct ObjectPack {
    pthread_mutex_t lock;
    char *name;           // of the directory, for messages
    int directory, file;  // file: -1: there is none yet
    uint64_t limit, end;  // end: of the last good batch
    Kept *kept;
    uint32_t count, room;
    HashTable index;  // of kept, by key
    size_t waiting;   // bytes of unwritten objects
    bool closed;      // nothing is found or written any more
    bool read_only, said;
};

// ---- helpers -----------------------------------------------------------------------------------

// Logs the first problem in one line; later ones are silent.
static void say(ObjectPack *p, const char *what, const char *why) {
    char line[1024];
    if (p->said) return;
    p->said = true;
    snprintf(line, sizeof line, "cabernet: -Xjit:object-cache=%.500s: %s%s%s", p->name, what, why ? ": " : "",
             why ? why : "");
    compiler_log(line);
}

static bool fail(ObjectPack *p, const char *what) {
    say(p, what, strerror(errno));
    return false;
}

static uint64_t table_bytes(uint64_t count) {
    return count * sizeof(Row) + ((count * sizeof(uint32_t) + 7) & ~(uint64_t)7);
}
static uint64_t batch_bytes(uint64_t count, uint64_t bytes) {
    return sizeof(Batch) + table_bytes(count) + ((bytes + 7) & ~(uint64_t)7);
}

static uint64_t hash_of_batch(const Batch *b, const Row *rows) {
    const uint64_t seeds[] = {b->mark, b->count, b->bytes, hash_words(rows, b->count * sizeof *rows)};
    return hash_words(seeds, sizeof seeds);
}

static bool read_at(int file, void *to, size_t bytes, uint64_t at) {
    for (char *p = to; bytes;) {
        ssize_t n = pread(file, p, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n, at += (uint64_t)n, bytes -= (size_t)n;
    }
    return true;
}

static bool write_at(int file, const void *from, size_t bytes, uint64_t at) {
    for (const char *p = from; bytes;) {
        ssize_t n = pwrite(file, p, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        p += n, at += (uint64_t)n, bytes -= (size_t)n;
    }
    return true;
}

// Locks the directory rather than the file, because the file may be replaced while a process waits for it.
static bool lock(const ObjectPack *p, int how) {
    const struct timespec pause = {0, LOCK_PAUSE};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(p->directory, how | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

// ---- the index ---------------------------------------------------------------------------------

static uint32_t hash_of_key(const uint8_t *key) {
    uint32_t h;
    memcpy(&h, key, sizeof h);
    return h;
}
static uint32_t hash_of_kept(const void *owner, uintptr_t item) {
    return hash_of_key(((const ObjectPack *)owner)->kept[item - 1].row.key);
}
static bool has_key(const void *owner, uintptr_t item, const void *key) {
    return memcmp(((const ObjectPack *)owner)->kept[item - 1].row.key, key, OBJECTPACK_KEY) == 0;
}
static const HashKind by_key = {hash_of_kept, has_key};

static Kept *find(ObjectPack *p, const uint8_t *key) {
    uintptr_t item = hash_find(&p->index, &by_key, p, hash_of_key(key), key);
    return item ? &p->kept[item - 1] : NULL;
}

static void add(ObjectPack *p, Kept kept) {
    GROW_OR_EXIT(p->kept, p->room, p->count + 1);
    p->kept[p->count++] = kept;
    hash_add_or_exit(&p->index, &by_key, p, hash_of_key(kept.row.key), p->count);
}

static void drop_waiting(ObjectPack *p, Kept *k) {
    if (k->waiting) p->waiting -= k->row.size;
    free(k->waiting);
    k->waiting = NULL;
}

// If a key occurs twice the later object counts, because the first one may be damaged.
static void add_row(ObjectPack *p, Kept kept) {
    Kept *known = find(p, kept.row.key);
    if (!known) {
        add(p, kept);
        return;
    }
    drop_waiting(p, known);
    *known = kept;
}

// Drops the unwritten objects, or those in the file.
static void forget(ObjectPack *p, bool waiting) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        Kept *k = &p->kept[i];
        if ((k->waiting != NULL) != waiting) p->kept[left++] = *k;
        else drop_waiting(p, k);
    }
    p->count = left;
    hash_free(&p->index);
    for (uint32_t i = 0; i < left; i++)
        if (!p->kept[i].gone) hash_add_or_exit(&p->index, &by_key, p, hash_of_key(p->kept[i].row.key), i + 1);
}

// ---- reading -----------------------------------------------------------------------------------

static bool take_rows(ObjectPack *p, const Batch *b, const Row *rows, const uint32_t *hours) {
    uint64_t sum = 0, hours_at = p->end + sizeof *b + b->count * sizeof *rows;
    if (b->hash != hash_of_batch(b, rows)) return false;
    for (uint32_t i = 0; i < b->count; i++) {
        if (rows[i].size == 0 || rows[i].size > MOST_BYTES) return false;
        sum += rows[i].size;
    }
    if (sum != b->bytes) return false;
    uint64_t at = p->end + sizeof *b + table_bytes(b->count);
    for (uint32_t i = 0; i < b->count; at += rows[i].size, i++)
        add_row(p, (Kept){.row = rows[i], .at = at, .hours_at = hours_at + i * sizeof *hours, .hour = hours[i]});
    return true;
}

// Reads the batch at `end`. False: there is no good one.
static bool read_batch(ObjectPack *p, uint64_t size) {
    Batch b;
    uint64_t left = size - p->end;
    if (left < sizeof b || !read_at(p->file, &b, sizeof b, p->end) || b.mark != MARK) return false;
    if (b.count == 0 || b.count > MOST_OBJECTS || b.bytes > left || batch_bytes(b.count, b.bytes) > left) return false;
    char *table = malloc(table_bytes(b.count));
    bool good = table && read_at(p->file, table, table_bytes(b.count), p->end + sizeof b) &&
        take_rows(p, &b, (const Row *)table, (const uint32_t *)(table + b.count * sizeof(Row)));
    free(table);
    if (good) p->end += batch_bytes(b.count, b.bytes);
    return good;
}

// Reads batches from `end`. The first bad batch and all after it will be overwritten by the next write.
static void read_batches(ObjectPack *p) {
    struct stat s;
    char what[96];
    if (fstat(p->file, &s) != 0) return;
    while (p->end < (uint64_t)s.st_size)
        if (!read_batch(p, (uint64_t)s.st_size)) {
            snprintf(what, sizeof what, "the file is damaged from byte %llu on, and not used from there",
                     (unsigned long long)p->end);
            say(p, what, NULL);
            return;
        }
}

static bool is_ours(ObjectPack *p, const struct stat *s, const char *directory_or_file) {
    char what[96];
    const char *why = s->st_uid != geteuid() ? "belongs to another user"
        : s->st_mode & (S_IWGRP | S_IWOTH)   ? "can be written by others"
                                             : NULL;
    if (!why) return true;
    snprintf(what, sizeof what, "the %s %s, so nothing is kept", directory_or_file, why);
    say(p, what, NULL);
    return false;
}

// Opens the file if it exists. False: it cannot be used, and the reason has been logged.
static bool open_file(ObjectPack *p) {
    int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    p->end = 0;
    p->file = openat(p->directory, file_name, O_RDWR | flags);
    if (p->file < 0 && errno == ENOENT) return true;
    if (p->file < 0 && (errno == EACCES || errno == EROFS)) {
        p->read_only = true;
        p->file = openat(p->directory, file_name, O_RDONLY | flags);
    }
    if (p->file < 0) return fail(p, file_name);
    struct stat s;
    if (fstat(p->file, &s) != 0) return fail(p, file_name);
    if (!S_ISREG(s.st_mode)) {
        say(p, "objects is no ordinary file, so nothing is kept", NULL);
        return false;
    }
    if (!is_ours(p, &s, "file")) return false;
    Header h;
    if (read_at(p->file, &h, sizeof h, 0) && memcmp(&h, &header, sizeof h) == 0) {
        p->end = sizeof h;
        read_batches(p);
    } else {  // counts as missing
        say(p, "the file is not one of objects of this format, and begun anew", NULL);
    }
    return true;
}

ObjectPack *objectpack_open(const char *directory, uint64_t limit) {
    ObjectPack *p = grow_zeroed(1, sizeof *p);
    *p = (ObjectPack){.name = strdup(directory), .directory = -1, .file = -1, .limit = limit};
    pthread_mutex_init(&p->lock, NULL);
    if (!p->name) grow_out_of_memory(strlen(directory));
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    struct stat s;
    p->directory = open(p->name, flags);
    if (p->directory < 0 && errno == ENOENT && mkdir(p->name, S_IRWXU) == 0) p->directory = open(p->name, flags);
    bool there = p->directory >= 0 && fstat(p->directory, &s) == 0;
    if (!there) fail(p, "nothing is kept");
    if (there && is_ours(p, &s, "directory")) {
        bool locked = lock(p, LOCK_SH), good = locked ? open_file(p) : fail(p, "the directory cannot be locked");
        if (locked) flock(p->directory, LOCK_UN);
        if (good) return p;
    }
    objectpack_free(p);
    return NULL;
}

// ---- writing -----------------------------------------------------------------------------------

// Writes a batch of these objects at `at` of a file. False: not written, or only in part.
static bool write_batch(ObjectPack *p, int file, uint64_t at, Kept *const *kept, uint32_t count) {
    Batch b = {.mark = MARK, .count = count};
    for (uint32_t i = 0; i < count; i++) b.bytes += kept[i]->row.size;
    char *all = calloc(1, batch_bytes(count, b.bytes));
    if (!all) return false;
    Row *rows = (Row *)(all + sizeof b);
    uint32_t *hours = (uint32_t *)(rows + count);
    char *to = all + sizeof b + table_bytes(count);
    bool good = true;
    for (uint32_t i = 0; good && i < count; to += rows[i++].size) {
        const Kept *k = kept[i];
        rows[i] = k->row;
        hours[i] = k->hour;
        if (k->waiting) memcpy(to, k->waiting, k->row.size);
        else good = read_at(p->file, to, k->row.size, k->at);
    }
    b.hash = hash_of_batch(&b, rows);
    memcpy(all, &b, sizeof b);
    good = good && write_at(file, all, batch_bytes(count, b.bytes), at);
    free(all);
    return good;
}

// Reads the current file, and forgets what was known of another one.
static bool reopen(ObjectPack *p) {
    if (p->file >= 0) close(p->file);
    p->file = -1;
    forget(p, false);
    return open_file(p);
}

static int last_used_first(const void *a, const void *b) {
    const Kept *x = *(Kept *const *)a, *y = *(Kept *const *)b;
    return x->hour != y->hour ? (x->hour < y->hour) - (x->hour > y->hour) : (x->at > y->at) - (x->at < y->at);
}

// Writes a header and batches of all these objects, up to `most` bytes in total.
static bool write_all(ObjectPack *p, int file, Kept *const *all, uint32_t count, uint64_t most) {
    enum { AT_ONCE = 16 << 20 };
    uint64_t at = sizeof header;
    if (!write_at(file, &header, sizeof header, 0)) return false;
    for (uint32_t first = 0; first < count;) {
        uint32_t n = 0;
        uint64_t bytes = 0;
        while (first + n < count && n < MOST_OBJECTS && bytes < AT_ONCE &&
               at + batch_bytes(n + 1, bytes + all[first + n]->row.size) <= most)
            bytes += all[first + n++]->row.size;
        if (n == 0) break;
        if (!write_batch(p, file, at, all + first, n)) return false;
        at += batch_bytes(n, bytes);
        first += n;
    }
    return true;
}

// Requires both locks. Writes a new file with the most recently used objects, up to three quarters of the limit, so
// that the next new file is not needed soon.
static bool rewrite_file(ObjectPack *p) {
    Kept **all = grow_zeroed(p->count, sizeof *all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (!p->kept[i].gone) all[count++] = &p->kept[i];
    if (count) qsort(all, count, sizeof *all, last_used_first);
    int file = openat(p->directory, new_name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool good = file >= 0 && write_all(p, file, all, count, p->limit / 4 * 3) &&
        renameat(p->directory, new_name, p->directory, file_name) == 0;
    int why = errno;
    if (file >= 0) close(file);
    if (file >= 0 && !good) unlinkat(p->directory, new_name, 0);
    free(all);
    errno = why;
    if (!good) return false;
    forget(p, true);
    return reopen(p);
}

// Requires both locks. Writes a batch after the last good one, and truncates the file after it.
static bool append(ObjectPack *p, uint32_t count, uint64_t bytes) {
    Kept **waiting = grow_zeroed(count, sizeof *waiting);
    for (uint32_t i = 0, n = 0; i < p->count; i++)
        if (p->kept[i].waiting) waiting[n++] = &p->kept[i];
    uint64_t end = p->end + batch_bytes(count, bytes);
    bool good = write_batch(p, p->file, p->end, waiting, count) && ftruncate(p->file, (off_t)end) == 0;
    int why = errno;
    free(waiting);
    if (good) read_batches(p);
    else if (ftruncate(p->file, (off_t)p->end) != 0) say(p, "a part of a batch could not be taken back", NULL);
    errno = why;
    return good;
}

// Requires both locks.
static bool write_locked(ObjectPack *p) {
    struct stat ours, theirs;
    bool there = fstatat(p->directory, file_name, &theirs, AT_SYMLINK_NOFOLLOW) == 0, current = !there;
    if (p->file >= 0)
        current = there && fstat(p->file, &ours) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
    if (!current && !reopen(p)) return false;
    if (p->file >= 0 && p->end) read_batches(p);  // written by other processes since
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) count += p->kept[i].waiting != NULL;
    if (!count || p->read_only) return true;
    bool appends = p->file >= 0 && p->end && count <= MOST_OBJECTS &&
        p->end + batch_bytes(count, p->waiting) <= p->limit;
    return appends ? append(p, count, p->waiting) : rewrite_file(p);
}

// Requires the mutex. After a failure nothing more is written.
static void write_waiting(ObjectPack *p) {
    if (!p->waiting || p->read_only) return;
    bool locked = lock(p, LOCK_EX), good = locked && write_locked(p);
    if (!good) fail(p, "what was compiled cannot be kept");
    if (locked) flock(p->directory, LOCK_UN);
    p->read_only |= !good;
    if (p->read_only) forget(p, true);
}

// ---- the interface -----------------------------------------------------------------------------

// The object of a row, if its hash is still right.
static void *read_object(ObjectPack *p, const Kept *k) {
    void *object = malloc(k->row.size);
    if (!object) return NULL;
    if (k->waiting) memcpy(object, k->waiting, k->row.size);
    else if (!read_at(p->file, object, k->row.size, k->at) || hash_words(object, k->row.size) != k->row.hash) {
        say(p, "an object is damaged, and not used", NULL);
        free(object);
        return NULL;
    }
    return object;
}

void *objectpack_find(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], size_t *size) {
    void *object = NULL;
    pthread_mutex_lock(&p->lock);
    Kept *k = p->closed ? NULL : find(p, key);
    if (k && (object = read_object(p, k))) {
        uint32_t hour = (uint32_t)(time(NULL) / HOUR);
        k->touched |= !k->waiting && k->hour != hour;
        k->hour = hour;
        *size = k->row.size;
    } else if (k) {
        hash_remove(&p->index, &by_key, p, hash_of_key(key), key);
        k->gone = true;
    }
    pthread_mutex_unlock(&p->lock);
    return object;
}

void objectpack_add(ObjectPack *p, const uint8_t key[OBJECTPACK_KEY], const void *object, size_t size) {
    pthread_mutex_lock(&p->lock);
    if (!p->closed && !p->read_only && size > 0 && size <= MOST_BYTES && !find(p, key)) {
        Kept kept = {.row = {.hash = hash_words(object, size), .size = size},
                     .waiting = malloc(size),
                     .hour = (uint32_t)(time(NULL) / HOUR)};
        if (kept.waiting) {
            memcpy(kept.row.key, key, OBJECTPACK_KEY);
            memcpy(kept.waiting, object, size);
            p->waiting += size;
            add(p, kept);
            if (p->waiting >= WRITE_FROM) write_waiting(p);
        }
    }
    pthread_mutex_unlock(&p->lock);
}

void objectpack_finish(ObjectPack *p) {
    pthread_mutex_lock(&p->lock);
    if (!p->closed) {
        write_waiting(p);
        // The hours of last use only decide which objects are dropped first. At most one write an hour for each object.
        for (uint32_t i = 0; !p->read_only && i < p->count; i++) {
            const Kept *k = &p->kept[i];
            if (k->touched && !k->gone && !write_at(p->file, &k->hour, sizeof k->hour, k->hours_at)) break;
        }
    }
    p->closed = true;
    pthread_mutex_unlock(&p->lock);
}

void objectpack_free(ObjectPack *p) {
    forget(p, true);
    hash_free(&p->index);
    free(p->kept);
    if (p->file >= 0) close(p->file);
    if (p->directory >= 0) close(p->directory);
    pthread_mutex_destroy(&p->lock);
    free(p->name);
    free(p);
}
