// The performance data file of this VM, in the layout that jdk.internal.jvmstat reads (version 2.0): a prologue of 32
// bytes and one entry per counter, each a header, the name and the value. The last entries are those that change, which
// jstat shows. A reader maps the file and asks for nothing, so a pthread writes them: from the first time that a tool
// opens the file on, every UPDATE_MS. Until then it waits for that, and costs nothing. The file is written and never
// mapped here, so one that is truncated does no harm.
//
// Security, as the readers require: the directory and the file are ours, no one else may write the directory, and no
// links are followed. The file is locked while the VM lives, so that a VM in another process name space does not take
// it for a stale one. It is created once, while booting; removal is one unlinkat.
#include "vm/management/perfdata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/base/exithooks.h"
#include "vm/code/code.h"
#include "vm/loading/loader.h"
#include "vm/management/memorypool.h"
#include "vm/services/signal.h"
#include "vm/model/vm.h"
#include "vm/threads/threadbackend.h"

enum { PROLOGUE = 32, ENTRY = 20, MAX_TEXT = 1024, LIMIT = 32 * 1024, PAGE = 4096 };
enum { BYTES = 2, TICKS, EVENTS, STRING, HERTZ };                 // units
enum { CONSTANT = 1, MONOTONIC, VARIABLE, SUPPORTED = 1 };        // variability, flags
enum { CAUSE = 80, UPDATE_MS = 100, UPDATE_STACK = 128 * 1024 };  // bytes of a text that changes

typedef struct Image {
    char *bytes;
    size_t used;
    int32_t entries;
} Image;

static struct PerfData {
    int directory;  // open while the VM lives
    char file_name[16];
    int file, opened;      // the file; an inotify of its opening, or -1
    pthread_mutex_t lock;  // taken while numbers are read, which takes locks of other rooms
    bool stopped;
    Image image;  // with the bytes from `changing` on
    size_t changing;
} perfdata = {.directory = -1, .opened = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

// ---- the image ---------------------------------------------------------------------------------

static void put32(Image *i, size_t at, uint32_t value) { memcpy(i->bytes + at, &value, 4); }

// Adds header and name; returns the offset of the value, which is `size` bytes. 0: no room.
static size_t add_entry(Image *i, const char *name, uint32_t vector, char type, int unit, int variability,
                        size_t size) {
    size_t value_at = (ENTRY + strlen(name) + 1 + 7) & ~(size_t)7;
    size_t length = (value_at + size + 7) & ~(size_t)7, start = i->used;
    if (start + length > LIMIT) return 0;
    put32(i, start, (uint32_t)length);
    put32(i, start + 4, ENTRY);
    put32(i, start + 8, vector);
    const char kinds[4] = {type, SUPPORTED, (char)unit, (char)variability};
    memcpy(i->bytes + start + 12, kinds, sizeof kinds);
    put32(i, start + 16, (uint32_t)value_at);
    strcpy(i->bytes + start + ENTRY, name);
    i->used += length;
    i->entries++;
    return start + value_at;
}

static void add_text(Image *i, const char *name, const char *text) {
    size_t length = text ? strnlen(text, MAX_TEXT - 1) : 0;
    size_t at = add_entry(i, name, (uint32_t)length + 1, 'B', STRING, CONSTANT, length + 1);
    if (at) memcpy(i->bytes + at, text ? text : "", length);
}

static void add_number(Image *i, const char *name, int unit, int variability, int64_t value) {
    size_t at = add_entry(i, name, 0, 'J', unit, variability, sizeof value);
    if (at) memcpy(i->bytes + at, &value, sizeof value);
}

static void add_cause(Image *i, const char *name, const char *cause) {
    size_t at = add_entry(i, name, CAUSE, 'B', STRING, VARIABLE, CAUSE);
    if (at) snprintf(i->bytes + at, CAUSE, "%s", cause);
}

// The entries that change. Each time they have the same places.
static void add_changing(Image *i) {
    struct {
        uint32_t loaded, unloaded;
        CompileStats compiles;
        CodeStats code;
        LastCollection young, full, last;
        MemoryFigures heap, metadata;
    } now = {.loaded = loader_class_count(),
             .unloaded = loader_unloaded_count(),
             .heap = memorypool_usage(POOL_HEAP),
             .metadata = memorypool_usage(POOL_METADATA)};
    compilequeue_stats(&now.compiles);
    code_stats(&now.code);
    memorypool_last_collection_of(COLLECTOR_YOUNG, &now.young);
    memorypool_last_collection_of(COLLECTOR_FULL, &now.full);
    bool collected = memorypool_last_collection(&now.last);
#define NUMBER(name, unit, variability, value) add_number(i, name, unit, variability, (int64_t)(value));
#include "vm/management/perfdata.def"
    add_cause(i, "sun.gc.lastCause", collected ? now.last.cause : "No GC");
    add_cause(i, "sun.gc.cause", "No GC");  // collections are never under way when the file is written
}

static void add_constants(Image *i) {
    char capabilities[65];
    memset(capabilities, '0', sizeof capabilities - 1);
    capabilities[64] = 0;
    if (!vm.options.disable_attach) capabilities[0] = '1';
    add_text(i, "sun.rt.jvmCapabilities", capabilities);
    add_text(i, "sun.rt.javaCommand", options_property(&vm.options, "sun.java.command"));
    char arguments[MAX_TEXT] = "";  // on one line, truncated to the size of a counter
    size_t used = 0;
    for (size_t n = 0; n < vm.options.argument_count && used < sizeof arguments; n++)
        used += (size_t)snprintf(arguments + used, sizeof arguments - used, "%s%s", n ? " " : "",
                                 vm.options.arguments[n]);
    add_text(i, "java.rt.vmArgs", arguments);
    add_text(i, "java.rt.vmFlags", "");
    static const char *const properties[] = {
        "java.vm.name",
        "java.vm.vendor",
        "java.vm.version",
        "java.vm.info",
        "java.vm.specification.name",
        "java.vm.specification.vendor",
        "java.vm.specification.version",
        "java.home",
        "java.class.path",
        "java.library.path",
    };
    for (size_t n = 0; n < sizeof properties / sizeof *properties; n++) {
        char name[64];
        snprintf(name, sizeof name, "java.property.%s", properties[n]);
        add_text(i, name, options_property(&vm.options, properties[n]));
    }
    add_number(i, "sun.os.hrt.frequency", HERTZ, CONSTANT, 1000000000);
}

// ---- the directory -----------------------------------------------------------------------------

// Is it a directory or file that only its owner can write, owned by us or (for root) by any user?
static bool is_safe(int fd, mode_t type, bool root_may) {
    struct stat s;
    return fstat(fd, &s) == 0 && (s.st_mode & S_IFMT) == type &&
        (s.st_uid == geteuid() || (root_may && geteuid() == 0)) && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_directory(void) {
    struct passwd entry, *found = NULL;
    char text[2048], path[320];
    if (getpwuid_r(geteuid(), &entry, text, sizeof text, &found) != 0 || !found) return -1;
    if (snprintf(path, sizeof path, "/tmp/hsperfdata_%s", found->pw_name) >= (int)sizeof path) return -1;
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && is_safe(fd, S_IFDIR, false)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// A file that is not locked and whose process is gone was left by a process that a signal killed.
static void remove_stale_files(int dir) {
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
        char *end;
        long pid = strtol(e->d_name, &end, 10);
        if (*end || pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        int fd = openat(dir, e->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0) continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(dir, e->d_name, 0);
        close(fd);
    }
    if (list) closedir(list);
    else if (copy >= 0) close(copy);
}

// ---- the file ----------------------------------------------------------------------------------

static void remove_file(void) {
    if (perfdata.file_name[0]) unlinkat(perfdata.directory, perfdata.file_name, 0);
}

static void remove_in_crash(int sig) {
    (void)sig;
    remove_file();
}

void perfdata_stop(void) {
    pthread_mutex_lock(&perfdata.lock);
    perfdata.stopped = true;
    pthread_mutex_unlock(&perfdata.lock);
    remove_file();
}

// False: the end has begun.
static bool update(void) {
    pthread_mutex_lock(&perfdata.lock);
    bool going_on = !perfdata.stopped;
    if (going_on) {
        Image *i = &perfdata.image;
        i->used = perfdata.changing, i->entries = 0;
        add_changing(i);
        size_t size = i->used - perfdata.changing;
        going_on = pwrite(perfdata.file, i->bytes + perfdata.changing, size, (off_t)perfdata.changing) == (ssize_t)size;
    }
    pthread_mutex_unlock(&perfdata.lock);
    return going_on;
}

static void *update_main(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Perf Data");
    if (perfdata.opened >= 0) poll(&(struct pollfd){.fd = perfdata.opened, .events = POLLIN}, 1, -1);
    while (update()) poll(NULL, 0, UPDATE_MS);
    return NULL;
}

// Without a thread the numbers remain those of the start.
static void start_updating(void) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", perfdata.file);
    perfdata.opened = inotify_init1(IN_CLOEXEC);
    if (perfdata.opened >= 0 && inotify_add_watch(perfdata.opened, path, IN_OPEN) < 0) {
        close(perfdata.opened);
        perfdata.opened = -1;
    }
    backend_start_helper(update_main, NULL, UPDATE_STACK);
}

// The descriptor stays open because it holds the lock. Readers map the file in whole pages.
static bool write_file(const Image *image) {
    unlinkat(perfdata.directory, perfdata.file_name, 0);
    int fd = openat(perfdata.directory, perfdata.file_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    size_t size = (image->used + PAGE - 1) & ~(size_t)(PAGE - 1);
    flock(fd, LOCK_EX | LOCK_NB);
    perfdata.file = fd;
    if (write(fd, image->bytes, size) == (ssize_t)size) return true;
    remove_file();
    close(fd);
    return false;
}

void perfdata_create(void) {
    if (vm.options.no_perf_data) return;
    perfdata.directory = open_directory();
    if (perfdata.directory < 0) return;
    remove_stale_files(perfdata.directory);
    snprintf(perfdata.file_name, sizeof perfdata.file_name, "%ld", (long)getpid());
    Image *image = &perfdata.image;
    *image = (Image){.bytes = calloc(1, LIMIT), .used = PROLOGUE};
    if (!image->bytes) return;
    add_constants(image);
    perfdata.changing = image->used;
    add_changing(image);
    static const unsigned char start[8] = {0xca, 0xfe, 0xc0, 0xc0, 1 /* little-endian */, 2, 0, 1 /* complete */};
    memcpy(image->bytes, start, sizeof start);
    put32(image, 8, (uint32_t)image->used);
    put32(image, 24, PROLOGUE);
    put32(image, 28, (uint32_t)image->entries);
    if (!write_file(image)) return;
    signal_add_crash_hook(remove_in_crash);
    start_updating();
}

// ---- other VMs ---------------------------------------------------------------------------------

// The file below /tmp/`directory_name`; -1: none that is safe to read.
static int open_other(const char *directory_name, long pid) {
    char path[320];
    if (snprintf(path, sizeof path, "/tmp/%s", directory_name) >= (int)sizeof path) return -1;
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd = -1;
    if (dir >= 0 && is_safe(dir, S_IFDIR, true)) {
        snprintf(path, sizeof path, "%ld", pid);
        fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    }
    if (dir >= 0) close(dir);
    if (fd >= 0 && is_safe(fd, S_IFREG, true)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int find_other(const char *user, long pid) {
    char name[300];
    if (user) {
        bool fits = snprintf(name, sizeof name, "hsperfdata_%s", user) < (int)sizeof name;
        return fits && !strchr(user, '/') ? open_other(name, pid) : -1;
    }
    DIR *list = opendir("/tmp");
    int fd = -1;
    for (struct dirent *e; list && fd < 0 && (e = readdir(list)) != NULL;)
        if (strncmp(e->d_name, "hsperfdata_", 11) == 0) fd = open_other(e->d_name, pid);
    if (list) closedir(list);
    return fd;
}

void *perfdata_map(const char *user, long pid, size_t *size, const char **error) {
    struct stat s;
    void *memory = MAP_FAILED;
    int fd = find_other(user, pid);
    *error = fd < 0 ? "Process not found" : "Could not map PerfMemory";
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size >= PROLOGUE && s.st_size <= INT32_MAX) {
        *size = (size_t)s.st_size;
        memory = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

// ---- fork ---------------------------------------------------------------------------------------

void perfdata_before_fork(void) { pthread_mutex_lock(&perfdata.lock); }

void perfdata_after_fork_parent(void) { pthread_mutex_unlock(&perfdata.lock); }

void perfdata_after_fork_child(void) {
    perfdata.file_name[0] = 0;
    perfdata.stopped = true;
    pthread_mutex_unlock(&perfdata.lock);
}
