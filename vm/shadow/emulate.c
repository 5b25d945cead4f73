// Emulation of system calls that the filter stops in a shadow (vm/shadow/syscalls.def). This is the handler of SIGSYS
// and runs on the thread that makes the call, whatever that thread holds. So nothing here takes a lock except its own,
// allocates, or makes a system call except through the gate.
//
// Files. At the start of the shadow each file descriptor was reopened for reading, so the shadow has its own position
// and cannot write. After the shadow has written to a file, only the file's length is known; reading it ends the
// shadow. The same holds for paths: a path that was created, removed or renamed is recorded, and using it afterwards
// ends the shadow. So a shadow either sees what the program would see, or ends.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch_pause.h"
#include "arch_syscall.h"
#include "vm/shadow/inputreplay.h"
#include "vm/shadow/shadow_internal.h"

enum { FILES = 64, PATHS = 64, PATH_BYTES = 256 };

static struct Emulated {
    _Atomic uint32_t lock;
    struct Written {  // files whose content differs from what it should be
        dev_t device;
        ino_t inode;
        int64_t length;
    } files[FILES];
    int file_count;
    char paths[PATHS][PATH_BYTES];
    int path_count;
} emulated;

typedef struct Call {
    long number;
    long a[6];
    int argument;  // from the row
} Call;

static long pass(const Call *c) {
    return shadow_syscall(c->number, c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
}

static _Noreturn void unsafe(const Call *c, const char *why) { shadow_end(SHADOW_SYSCALL, c->number, why); }

// ---- files ---------------------------------------------------------------------------------------

static long stat_of(int fd, struct stat *st) { return shadow_syscall(SYS_fstat, fd, (long)st, 0, 0, 0, 0); }
static long seek(int fd, int64_t offset, int whence) { return shadow_syscall(SYS_lseek, fd, offset, whence, 0, 0, 0); }

static void lock(void) {
    while (atomic_exchange(&emulated.lock, 1)) arch_pause();
}
static void unlock(void) { atomic_store(&emulated.lock, 0); }

// NULL: not written to. Under the lock.
static struct Written *find_written(const struct stat *st) {
    for (int i = 0; i < emulated.file_count; i++)
        if (emulated.files[i].device == st->st_dev && emulated.files[i].inode == st->st_ino) return &emulated.files[i];
    return NULL;
}

static int64_t length_of(const struct stat *st) {
    lock();
    const struct Written *w = find_written(st);
    int64_t length = w ? w->length : st->st_size;
    unlock();
    return length;
}

// Sets the file's length; false: too many files.
static bool set_length(const struct stat *st, int64_t length) {
    lock();
    struct Written *w = find_written(st);
    if (!w && emulated.file_count < FILES) {
        w = &emulated.files[emulated.file_count++];
        *w = (struct Written){st->st_dev, st->st_ino, 0};
    }
    if (w) w->length = length;
    unlock();
    return w != NULL;
}

static bool was_written(const struct stat *st) {
    lock();
    bool written = find_written(st) != NULL;
    unlock();
    return written;
}

// ---- paths ---------------------------------------------------------------------------------------

// Whether argument 0 is a folder's descriptor, given that the path is argument `argument`.
static bool has_folder(const Call *c, int argument) {
    return argument == 1 && c->number != SYS_rename && c->number != SYS_symlink && c->number != SYS_link;
}

// Makes the path absolute without following links. False: it is too long, or relative to a descriptor.
static bool absolute(const Call *c, int argument, char to[static PATH_BYTES]) {
    const char *path = (const char *)c->a[argument];
    size_t at = 0, n = strnlen(path, PATH_BYTES);
    if (path[0] != '/') {
        if (has_folder(c, argument) && (int)c->a[0] != AT_FDCWD) return false;
        long size = shadow_syscall(SYS_getcwd, (long)to, PATH_BYTES, 0, 0, 0, 0);
        if (size <= 1) return false;
        at = (size_t)size - 1;
        to[at++] = '/';
    }
    if (at + n >= PATH_BYTES) return false;
    memcpy(to + at, path, n + 1);
    return true;
}

// Ends the shadow if the path leads to something that any of its threads has changed.
static void check_path(const Call *c, int argument) {
    char path[PATH_BYTES];
    bool changed = false;
    lock();
    int count = emulated.path_count;
    unlock();
    if (count == 0 || ((const char *)c->a[argument])[0] == 0) return;
    if (!absolute(c, argument, path)) unsafe(c, "of a path that may be changed");
    lock();
    for (int i = 0; i < emulated.path_count && !changed; i++) {
        size_t n = strlen(emulated.paths[i]);
        changed = strncmp(path, emulated.paths[i], n) == 0 && (path[n] == 0 || path[n] == '/');
    }
    unlock();
    if (changed) unsafe(c, "of a path that was changed");
}

static void note_path(const Call *c, int argument) {
    char path[PATH_BYTES];
    bool ok = absolute(c, argument, path);
    lock();
    ok = ok && emulated.path_count < PATHS;
    if (ok) memcpy(emulated.paths[emulated.path_count], path, PATH_BYTES);
    if (ok) emulated.path_count++;
    unlock();
    if (!ok) unsafe(c, "of too many paths");
}

static long access_of(const Call *c, int argument, int mode) {
    int folder = has_folder(c, argument) ? (int)c->a[0] : AT_FDCWD;
    return shadow_syscall(SYS_faccessat, folder, c->a[argument], mode, 0, 0, 0);
}

// ---- a function for each kind of row in syscalls.def ----------------------------------------------------

static long do_READS(const Call *c) {
    struct stat st;
    long failed = stat_of((int)c->a[0], &st);
    if (failed) return failed;
    bool null = S_ISCHR(st.st_mode) && (st.st_rdev >> 8) == 1;  // /dev/null, zero, random, urandom
    if (!S_ISREG(st.st_mode) && !null)
        unsafe(c, S_ISFIFO(st.st_mode) ? "of a pipe" : S_ISSOCK(st.st_mode) ? "of a socket" : "of a device");
    if (was_written(&st)) unsafe(c, "of a file that was written");
    return pass(c);
}

// The flags of the program's open are lost when the shadow reopens a file, except for the effect of O_APPEND: output
// streams in append mode are at the end, and their writes are too.
static long do_WRITES(const Call *c) {
    struct stat st;
    long failed = stat_of((int)c->a[0], &st);
    if (failed) return failed;
    int64_t bytes = c->argument >= 0 ? c->a[c->argument] : 0;
    const struct iovec *v = (const struct iovec *)c->a[1];
    for (long i = 0; c->argument < 0 && i < c->a[2]; i++) bytes += (int64_t)v[i].iov_len;
    if (inputreplay_is_own((int)c->a[0])) return pass(c);
    if (!S_ISREG(st.st_mode)) return bytes;
    bool at = c->number == SYS_pwrite64 || c->number == SYS_pwritev;
    int64_t position = at ? c->a[3] : seek((int)c->a[0], 0, SEEK_CUR);
    int64_t length = length_of(&st), end = position + bytes;
    if (!set_length(&st, end > length ? end : length)) unsafe(c, "of too many files");
    if (!at) seek((int)c->a[0], end, SEEK_SET);
    return bytes;
}

static long do_LOOKS(const Call *c) {
    check_path(c, c->argument);
    long result = pass(c);
    struct stat *st = (struct stat *)c->a[c->argument + 1];
    bool is_stat = c->number == SYS_stat || c->number == SYS_lstat || c->number == SYS_newfstatat;
    if (is_stat && result == 0 && S_ISREG(st->st_mode)) st->st_size = length_of(st);
    return result;
}

static long do_CHANGES(const Call *c) {
    check_path(c, c->argument);
    long missing = access_of(c, c->argument, F_OK);
    if (missing) return missing;
    note_path(c, c->argument);
    return 0;
}

static long do_MAKES(const Call *c) {
    check_path(c, c->argument);
    if (access_of(c, c->argument, F_OK) == 0) return -EEXIST;
    note_path(c, c->argument);
    return 0;
}

// The program's file is opened for reading. A nameless file takes the place of a file that would have been created.
static long do_OPENS(const Call *c) {
    struct stat st;
    int flags = c->number == SYS_creat ? O_WRONLY | O_CREAT | O_TRUNC : (int)c->a[c->argument + 1];
    check_path(c, c->argument);
    if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC))) return pass(c);
    if ((flags & O_TMPFILE) == O_TMPFILE) unsafe(c, "of a file without a name");
    long missing = access_of(c, c->argument, F_OK);
    if (missing == -ENOENT && (flags & O_CREAT)) {
        long made = shadow_syscall(SYS_memfd_create, (long)"shadow", MFD_CLOEXEC, 0, 0, 0, 0);
        if (made >= 0 && stat_of((int)made, &st) == 0) set_length(&st, 0);
        note_path(c, c->argument);
        return made;
    }
    if (missing) return missing;
    if ((flags & O_CREAT) && (flags & O_EXCL)) return -EEXIST;
    long denied = access_of(c, c->argument, W_OK);
    if (denied) return denied;
    long folder = has_folder(c, c->argument) ? c->a[0] : AT_FDCWD;
    int reading = (flags & ~(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND)) | O_RDONLY | O_NONBLOCK;
    long fd = shadow_syscall(SYS_openat, folder, c->a[c->argument], reading, 0, 0, 0);
    if (fd < 0 || stat_of((int)fd, &st) != 0) return fd;
    if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)) unsafe(c, "of a pipe or device for writing");
    if (S_ISREG(st.st_mode) && (flags & O_TRUNC) && !set_length(&st, 0)) unsafe(c, "of too many files");
    if (S_ISREG(st.st_mode) && (flags & O_APPEND)) seek((int)fd, length_of(&st), SEEK_SET);
    return fd;
}

static long do_PRIVATE(const Call *c) {
    return shadow_syscall(c->number, c->a[0], c->a[1], c->a[2], (c->a[3] & ~(long)MAP_TYPE) | MAP_PRIVATE, c->a[4],
                          c->a[5]);
}

static long own_fcntl(const Call *c) {
    switch (c->a[1]) {
        case F_SETLK:
        case F_SETLKW:
        case F_OFD_SETLK:
        case F_OFD_SETLKW: return 0;
        case F_GETFD:
        case F_SETFD:
        case F_GETFL:
        case F_DUPFD:
        case F_DUPFD_CLOEXEC: return pass(c);
        case F_SETFL: {  // on a pipe or socket it would affect the program's, too
            struct stat st;
            long failed = stat_of((int)c->a[0], &st);
            return failed || !S_ISREG(st.st_mode) ? failed : pass(c);
        }
        default: unsafe(c, "of a kind without a rule");
    }
}

// Facts about network interfaces, for which the socket does not matter.
static bool asks_for_interface(long request) {
    static const uint16_t requests[] = {SIOCGIFCONF,    SIOCGIFFLAGS,  SIOCGIFADDR, SIOCGIFDSTADDR, SIOCGIFBRDADDR,
                                        SIOCGIFNETMASK, SIOCGIFHWADDR, SIOCGIFMTU,  SIOCGIFINDEX};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (request == requests[i]) return true;
    return false;
}

// Calls of which each has its own rule for the file in argument 0.
static long own_file_call(const Call *c) {
    struct stat st;
    long failed = stat_of((int)c->a[0], &st);
    if (failed) return failed;
    switch (c->number) {
        case SYS_lseek:
            if (c->a[2] == SEEK_END) return seek((int)c->a[0], length_of(&st) + c->a[1], SEEK_SET);
            if (c->a[2] != SEEK_SET && c->a[2] != SEEK_CUR && was_written(&st)) unsafe(c, "in a file that was written");
            return pass(c);
        case SYS_ftruncate:
            if (!set_length(&st, c->a[1])) unsafe(c, "of too many files");
            return 0;
        default:  // ioctl
            if (c->a[1] == TCGETS || c->a[1] == TIOCGWINSZ || asks_for_interface(c->a[1])) return pass(c);
            if (c->a[1] == FIONBIO) return 0;
            if (c->a[1] != FIONREAD || !S_ISREG(st.st_mode) || was_written(&st))
                unsafe(c, "of a device, a pipe or a socket");
            return pass(c);
    }
}

static long do_OWN(const Call *c) {
    long result;
    switch (c->number) {
        case SYS_fstat: {
            struct stat *st = (struct stat *)c->a[1];
            result = pass(c);
            if (!result && S_ISREG(st->st_mode)) st->st_size = length_of(st);
            return result;
        }
        case SYS_fcntl: return own_fcntl(c);
        case SYS_lseek:
        case SYS_ioctl:
        case SYS_ftruncate: return own_file_call(c);
        case SYS_rename:
            check_path(c, 0);
            check_path(c, 1);
            result = access_of(c, 0, F_OK);
            if (result) return result;
            note_path(c, 0);
            note_path(c, 1);
            return 0;
        case SYS_getpid: return shadow.program;
        case SYS_getppid: return 1;
        case SYS_tgkill:
            // A signal to a thread of the shadow. For the program, the shadow's process has the program's number.
            result = shadow_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
            if (c->a[0] != shadow.program && c->a[0] != result) unsafe(c, "to another process");
            return shadow_syscall(SYS_tgkill, result, c->a[1], c->a[2], 0, 0, 0);
        case SYS_prctl:
            if (c->a[0] == PR_SET_NAME || c->a[0] == PR_GET_NAME || c->a[0] == PR_SET_VMA) return pass(c);
            unsafe(c, "of a kind without a rule");
        case SYS_poll:
            if (c->a[1] == 0) return pass(c);
            // A thread of the VM waits for requests from other processes, which only the program receives.
            while (thread_current() && thread_current()->service) shadow_syscall(SYS_pause, 0, 0, 0, 0, 0, 0);
            unsafe(c, "of descriptors");
        case SYS_socketpair:
            if (c->a[0] != AF_UNIX) unsafe(c, "of a kind without a rule");
            return pass(c);
        case SYS_exit_group: shadow_end(SHADOW_PROGRAM, c->number, "");
        default: unsafe(c, "");
    }
}

static long do_ABSENT(const Call *c) {
    (void)c;
    return -ENOSYS;
}
static _Noreturn long do_THREAD(const Call *c) { unsafe(c, "of a process"); }
static long do_BENIGN(const Call *c) { return pass(c); }
static long do_ASSUMED(const Call *c) {
    (void)c;
    return 0;
}
static _Noreturn long do_UNSAFE(const Call *c) { unsafe(c, ""); }

static const struct Row {
    long number;
    const char *name;
    long (*function)(const Call *c);
    ShadowWay way;
    int argument;
} rows[] = {
#define CALL(name, way, argument) {SYS_##name, #name, do_##way, WAY_##way, argument},
#include "vm/shadow/syscalls.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct Row *row_of(long number) {
    for (int i = 0; i < ROWS; i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}

const char *shadow_call_name(long number) {
    const struct Row *row = row_of(number);
    return row ? row->name : NULL;
}

void shadow_handle_call(int signal, siginfo_t *info, void *context) {
    ucontext_t *at = context;
    int saved = errno;
    Call c = {.number = info->si_syscall};
    (void)signal;
    for (int i = 0; i < 6; i++) c.a[i] = arch_syscall_argument(at, i);
    const struct Row *row = row_of(c.number);
    if (!row) unsafe(&c, "");
    c.argument = row->argument;
    atomic_fetch_add(&shadow.page->calls[row->way], 1);
    arch_syscall_return(at, row->function(&c));
    errno = saved;
}

// ---- start of a shadow ------------------------------------------------------------------------------

static int unconnected(int domain, int type) {
    int fd = socket(domain, type | SOCK_CLOEXEC, 0);
    return fd >= 0 ? fd : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

// The pipe or socket must reach its end when the program closes it, so the shadow replaces its own descriptor by one of
// the same kind.
static bool replace_stream(int fd, mode_t mode) {
    int ends[2], own = -1, closes = fcntl(fd, F_GETFD) & FD_CLOEXEC;
    int domain = AF_UNIX, type = SOCK_STREAM;
    socklen_t size = sizeof domain;
    if (S_ISSOCK(mode)) {
        getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
        own = unconnected(domain, type);
    } else if (pipe2(ends, O_CLOEXEC) == 0) {
        bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
        own = ends[writes];
        close(ends[!writes]);
    }
    bool ok = own >= 0 && dup3(own, fd, closes ? O_CLOEXEC : 0) == fd;
    if (own >= 0) close(own);
    return ok;
}

// Gives the descriptor its own open file description.
static bool reopen(int fd) {
    struct stat st;
    char path[32];
    if (fstat(fd, &st) != 0) return true;
    if (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) return replace_stream(fd, st.st_mode);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return true;
    int flags = fcntl(fd, F_GETFL), closes = fcntl(fd, F_GETFD) & FD_CLOEXEC;
    off_t position = lseek(fd, 0, SEEK_CUR);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDONLY | O_CLOEXEC);
    // An unreadable file can only be written to, which needs no more than a position.
    if (own < 0) own = memfd_create("shadow", MFD_CLOEXEC);
    if (own < 0) return false;
    bool append = S_ISREG(st.st_mode) && (flags & O_APPEND);
    bool ok = dup3(own, fd, closes ? O_CLOEXEC : 0) == fd &&
        (position < 0 || lseek(fd, append ? st.st_size : position, SEEK_SET) >= 0);
    close(own);
    return ok;
}

enum { MOST_OPEN = 4096 };

// All descriptors but one. Returns their number, or -1: there are too many, or the kernel does not list them.
static int open_descriptors(int except, int fds[static MOST_OPEN]) {
    struct Entry {
        long inode, offset;
        unsigned short size;
        unsigned char type;
        char name[];
    };
    _Alignas(struct Entry) char buffer[4096];
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = folder < 0 ? -1 : 0;
    for (long n; count >= 0 && (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const struct Entry *entry = (const void *)(buffer + at);
            int fd = entry->name[0] == '.' ? folder : atoi(entry->name);
            at += entry->size;
            if (fd == folder || fd == except || count < 0) continue;
            if (count == MOST_OPEN) count = -1;
            else fds[count++] = fd;
        }
    if (folder >= 0) close(folder);
    return count;
}

static bool is_foreign(int fd, struct stat *st) {
    return fd > STDERR_FILENO && fstat(fd, st) == 0 && (S_ISSOCK(st->st_mode) || S_ISFIFO(st->st_mode));
}

void shadow_note_inherited(void) {
    int fds[MOST_OPEN], count = open_descriptors(-1, fds);
    struct stat st;
    for (int i = 0; i < count && shadow.inherited_count < SHADOW_INHERITED; i++)
        if (is_foreign(fds[i], &st))
            shadow.inherited[shadow.inherited_count++] = (struct Inherited){fds[i], st.st_dev, st.st_ino};
}

bool shadow_has_foreign_files(void) {
    int fds[MOST_OPEN], count = open_descriptors(-1, fds);
    struct stat st;
    for (int i = 0; i < count; i++) {
        if (!is_foreign(fds[i], &st)) continue;
        const struct Inherited *h = shadow.inherited, *end = h + shadow.inherited_count;
        while (h < end && (h->fd != fds[i] || h->device != st.st_dev || h->inode != st.st_ino)) h++;
        if (h == end) return true;
    }
    return count < 0;
}

bool shadow_own_files(int except, char why[static 160]) {
    int fds[MOST_OPEN], count = open_descriptors(except, fds);
    bool ok = count >= 0;
    if (!ok) snprintf(why, 160, "open files cannot be listed");
    shadow.stand_in = unconnected(AF_INET6, SOCK_STREAM);
    for (int i = 0; ok && i < count; i++) {
        ok = reopen(fds[i]);
        if (!ok) snprintf(why, 160, "descriptor %d cannot be opened anew", fds[i]);
    }
    return ok;
}

typedef struct Mapping {
    unsigned long begin, end, offset, inode;
    char rights[5], path[PATH_MAX];
} Mapping;

// Maps a file's pages privately. Other shared memory becomes read-only.
static bool make_private(const Mapping *m) {
    size_t bytes = m->end - m->begin;
    int rights = (m->rights[0] == 'r' ? PROT_READ : 0) | (m->rights[1] == 'w' ? PROT_WRITE : 0) |
        (m->rights[2] == 'x' ? PROT_EXEC : 0);
    struct stat st;
    int fd = m->path[0] == '/' ? open(m->path, O_RDONLY | O_CLOEXEC) : -1;
    bool same = fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == m->inode;
    bool ok = same &&
        mmap((void *)m->begin, bytes, rights, MAP_PRIVATE | MAP_FIXED, fd, (off_t)m->offset) != MAP_FAILED;
    if (fd >= 0) close(fd);
    return ok || mprotect((void *)m->begin, bytes, rights & ~PROT_WRITE) == 0;
}

bool shadow_own_memory(const void *except, size_t bytes, char why[static 160]) {
    FILE *in = fopen("/proc/self/maps", "re");
    Mapping m;
    char line[PATH_MAX + 128];
    bool ok = in != NULL;
    while (ok && fgets(line, sizeof line, in)) {
        m.path[0] = 0;
        int got = sscanf(line, "%lx-%lx %4s %lx %*s %lu %4095[^\n]", &m.begin, &m.end, m.rights, &m.offset, &m.inode,
                         m.path);
        if (got < 5 || m.rights[3] != 's' || m.rights[1] != 'w') continue;
        if (m.begin == (unsigned long)except && m.end - m.begin >= bytes) continue;
        ok = make_private(&m);
    }
    if (in) fclose(in);
    if (!ok) snprintf(why, 160, "shared memory cannot be made private");
    return ok;
}
