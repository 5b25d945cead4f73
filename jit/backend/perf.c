// What `perf` wants to know about compiled code. perf-PID.map: one line "start size name" for each code,
// for `perf report` on the same machine. jit-PID.dump: the jitdump format of the kernel's tree
// (tools/perf/Documentation/jitdump-specification.txt) with the code's bytes, for `perf inject --jit`
// after `perf record -k mono`; a page of the file is mapped executable so that perf records its name.
// One lock; called on compile threads and once at the end.
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

#include "base/clock.h"
#include "jit/backend/backend.h"
#include "jit/backend/target.h"

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
    pthread_mutex_t lock;
    FILE *map, *dump;
    bool map_tried, dump_tried;
    void *marker;
    uint64_t index;
} perf = {.lock = PTHREAD_MUTEX_INITIALIZER};

// perf wants these very names, which others can guess. So the file is a new one, or one that an earlier process of this user and number
// has left; a link, another user's file, one with a second name or a pipe is refused, and nothing is cut off before that is known.
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
        snprintf(message, sizeof message, "cabernet: cannot write %s: %s", path, errno == EPERM ? "it is not this process's own file" : strerror(errno));
        compiler_log(message);
        if (fd >= 0) close(fd);
    }
    return f;
}

static void open_dump(void) {
    perf.dump = create("jit-%d.dump");
    if (!perf.dump) return;
    perf.marker = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
                       fileno(perf.dump), 0);
    DumpHeader h = {0x4A695444, 1, sizeof h, target_elf_machine, 0, (uint32_t)getpid(), (uint64_t)clock_monotonic_ns(), 0};
    fwrite(&h, sizeof h, 1, perf.dump);
}

static void add_to_map(const Code *code, const char *name) {
    if (!perf.map && !perf.map_tried) perf.map = create("/tmp/perf-%d.map");
    perf.map_tried = true;
    if (!perf.map) return;
    fprintf(perf.map, "%lx %zx %s\n", (unsigned long)code->start, code->size, name);
    fflush(perf.map);  // whatever happens to the process
}

static void add_to_dump(const Code *code, const char *name) {
    if (!perf.dump && !perf.dump_tried) open_dump();
    perf.dump_tried = true;
    if (!perf.dump) return;
    size_t length = strlen(name) + 1;
    DumpLoad l = {
        {RECORD_LOAD, (uint32_t)(sizeof l + length + code->size), (uint64_t)clock_monotonic_ns()},
        (uint32_t)getpid(), (uint32_t)syscall(SYS_gettid),
        (uintptr_t)code->start, (uintptr_t)code->start, code->size, perf.index++,
    };
    fwrite(&l, sizeof l, 1, perf.dump);
    fwrite(name, 1, length, perf.dump);
    fwrite(code->start, 1, code->size, perf.dump);
    fflush(perf.dump);
}

void perf_add(const Code *code, const CompilerOptions *options) {
    if (!options->perf_map && !options->jitdump) return;
    char name[1024];
    const Method *m = code->method;
    snprintf(name, sizeof name, "%s.%s%s %s%s", m->cls->name->text, m->name->text, m->desc->text,
             code->tier == TIER_BASELINE ? "[quick]" : "[opt]", code->osr_bci >= 0 ? " [osr]" : "");
    pthread_mutex_lock(&perf.lock);
    if (options->perf_map) add_to_map(code, name);
    if (options->jitdump) add_to_dump(code, name);
    pthread_mutex_unlock(&perf.lock);
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
    perf.dump = perf.map = NULL;
    pthread_mutex_unlock(&perf.lock);
}
