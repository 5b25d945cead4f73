// Descriptions of compiled code for `perf` (vm/api/perf.h). perf-PID.map has a line "start size name" for each code,
// for `perf report` on the same machine. jit-PID.dump has the jitdump format of the kernel's tree
// (tools/perf/Documentation/jitdump-specification.txt), with the code's bytes, for `perf inject --jit` after
// `perf record -k mono`. A page of that file is mapped executable so that perf records its name.
//
// One lock guards the files. Called on the threads that compile, and once at the end.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch_platform.h"
#include "base/clock.h"
#include "vm/api/compiler.h"
#include "vm/api/perf.h"

enum { RECORD_LOAD = 0, RECORD_CLOSE = 3 };

typedef struct DumpHeader {
    uint32_t magic, version, total_size, machine, pad, pid;
    uint64_t timestamp, flags;
} DumpHeader;

typedef struct DumpRecord {
    uint32_t id, total_size;
    uint64_t timestamp;
} DumpRecord;

typedef struct DumpLoad {
    DumpRecord record;
    uint32_t pid, tid;
    uint64_t vma, address, size, index;
} DumpLoad;

static struct PerfFiles {
    bool map_wanted, dump_wanted;  // constant from perf_start on
    pthread_mutex_t lock;          // guards the fields below
    FILE *map, *dump;
    bool map_tried, dump_tried;
    void *marker;
    uint64_t index;
} perf = {.lock = PTHREAD_MUTEX_INITIALIZER};

// perf requires these names, which others can guess. So the file must be new, or left by an earlier process with the
// same user and number. A link, another user's file, a file with a second name and a pipe are refused, and nothing is
// truncated before this check.
static int open_own(const char *path) {
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd < 0) return -1;
    bool own = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
    if (own && ftruncate(fd, 0) == 0) return fd;
    if (!own) errno = EPERM;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static FILE *create(const char *format) {
    char path[64], message[160];
    snprintf(path, sizeof path, format, (int)getpid());
    int fd = open_own(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!f) {
        snprintf(message, sizeof message, "cabernet: cannot write %s: %s", path,
                 errno == EPERM ? "it is not this process's own file" : strerror(errno));
        compiler_log(message);
        if (fd >= 0) close(fd);
    }
    return f;
}

static void add_to_dump(const char *start, size_t size, const char *name) {
    if (!perf.dump && !perf.dump_tried && (perf.dump = create("jit-%d.dump"))) {
        perf.marker = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(perf.dump),
                           0);
        DumpHeader h = {
            0x4A695444, 1, sizeof h, ARCH_ELF_MACHINE, 0, (uint32_t)getpid(), (uint64_t)clock_monotonic_ns(), 0};
        fwrite(&h, sizeof h, 1, perf.dump);
    }
    perf.dump_tried = true;
    if (!perf.dump) return;
    size_t length = strlen(name) + 1;
    DumpLoad l = {
        {RECORD_LOAD, (uint32_t)(sizeof l + length + size), (uint64_t)clock_monotonic_ns()},
        (uint32_t)getpid(),
        (uint32_t)syscall(SYS_gettid),
        (uintptr_t)start,
        (uintptr_t)start,
        size,
        perf.index++,
    };
    fwrite(&l, sizeof l, 1, perf.dump);
    fwrite(name, 1, length, perf.dump);
    fwrite(start, 1, size, perf.dump);
    fflush(perf.dump);
}

void perf_start(bool map, bool dump) {
    perf.map_wanted = map;
    perf.dump_wanted = dump;
}

bool perf_wanted(void) { return perf.map_wanted || perf.dump_wanted; }

void perf_add_code(const char *start, size_t size, const char *name) {
    if (!perf_wanted()) return;
    pthread_mutex_lock(&perf.lock);
    if (perf.map_wanted && !perf.map_tried) perf.map = create("/tmp/perf-%d.map");
    perf.map_tried |= perf.map_wanted;
    if (perf.map) {
        fprintf(perf.map, "%lx %zx %s\n", (unsigned long)start, size, name);
        fflush(perf.map);  // in case the process dies
    }
    if (perf.dump_wanted) add_to_dump(start, size, name);
    pthread_mutex_unlock(&perf.lock);
}

// From now on nothing is written and no file is opened. The caller holds the lock.
static void leave_files(void) {
    perf.dump = perf.map = NULL;
    perf.dump_tried = perf.map_tried = true;
}

void perf_finish(void) {
    pthread_mutex_lock(&perf.lock);
    if (perf.dump) {
        DumpRecord close = {RECORD_CLOSE, sizeof close, (uint64_t)clock_monotonic_ns()};
        fwrite(&close, sizeof close, 1, perf.dump);
        fclose(perf.dump);
        if (perf.marker != MAP_FAILED) munmap(perf.marker, (size_t)sysconf(_SC_PAGESIZE));
    }
    if (perf.map) fclose(perf.map);
    leave_files();
    pthread_mutex_unlock(&perf.lock);
}

void perf_before_fork(void) { pthread_mutex_lock(&perf.lock); }
void perf_after_fork_parent(void) { pthread_mutex_unlock(&perf.lock); }

// Closing the files here might move the offset at which parent and child write, so they stay open. Each code is
// flushed at once, so the child has no unwritten data of the parent.
void perf_after_fork_child(void) {
    leave_files();
    pthread_mutex_unlock(&perf.lock);
}
