// The calls of the class library's native code on the program's streams. With where=shadow, the libraries of the JDK
// call the functions here in place of those of the C library: the address is replaced in the table that each library
// has for functions of others. In the program they record results (inputlog.h); in a shadow they replay them
// (inputreplay.h). Libraries of the program itself are left alone; their calls end a shadow (vm/shadow/syscalls.def).
#include "vm/shadow/inputcalls.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch_syscall.h"
#include "vm/model/vm.h"
#include "vm/shadow/inputreplay.h"
#include "vm/shadow/shadow_internal.h"
#include "vm/threads/threadbackend.h"

// Whether input from it arrives only once: neither a file nor a device that every reader can read.
static bool is_stream(int fd) {
    struct stat st;
    int saved = errno;
    // In a shadow the C library's call would be stopped by the filter.
    bool known = (threads.shadow ? shadow_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) : fstat(fd, &st)) == 0;
    errno = saved;
    bool null = known && S_ISCHR(st.st_mode) && (st.st_rdev >> 8) == 1;
    return known && !null && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

// True: the call is to be replayed.
static bool is_replayed(int fd) { return threads.shadow && !inputreplay_is_own(fd) && is_stream(fd); }

static long with_errno(long result) {
    if (result >= 0) return result;
    errno = (int)-result;
    return -1;
}

// Records the result of the call, and returns it.
static long record(InputKind kind, int key, long result, const void *address, size_t address_bytes, const void *data,
                   size_t bytes) {
    InputRecord r = {.kind = kind,
                     .key = key,
                     .result = result >= 0 ? (int32_t)result : -errno,
                     .address = result >= 0 ? (uint32_t)address_bytes : 0,
                     .data = result >= 0 ? (uint32_t)bytes : 0};
    inputlog_end(&r, address, data);
    return result;
}

// ---- reading ----------------------------------------------------------------------------------------

static ssize_t call_read(int fd, void *buffer, size_t bytes) {
    if (is_replayed(fd))
        return with_errno(inputreplay_next(INPUT_READ, fd, &(ReplayTarget){.data = buffer, .data_limit = bytes}));
    if (threads.shadow || !is_stream(fd)) return read(fd, buffer, bytes);
    inputlog_begin();
    ssize_t n = read(fd, buffer, bytes);
    return record(INPUT_READ, fd, n, NULL, 0, buffer, n > 0 ? (size_t)n : 0);
}

// Only the first buffer is used: a read may return less than is wanted.
static ssize_t call_readv(int fd, const struct iovec *v, int count) {
    int first = 0;
    while (first < count - 1 && v[first].iov_len == 0) first++;
    if (count > 0 && (threads.shadow ? is_replayed(fd) : is_stream(fd)))
        return call_read(fd, v[first].iov_base, v[first].iov_len);
    return readv(fd, v, count);
}

static ssize_t call_recvfrom(int fd, void *buffer, size_t bytes, int flags, struct sockaddr *from, socklen_t *size) {
    InputKind kind = flags & MSG_PEEK ? INPUT_PEEK : INPUT_READ;
    if (is_replayed(fd)) {
        ReplayTarget to = {from, buffer, from ? *size : 0, bytes, 0, 0};
        long n = inputreplay_next(kind, fd, &to);
        if (from) *size = (socklen_t)to.address_got;
        return with_errno(n);
    }
    if (threads.shadow) return recvfrom(fd, buffer, bytes, flags, from, size);
    socklen_t limit = from ? *size : 0;
    inputlog_begin();
    ssize_t n = recvfrom(fd, buffer, bytes, flags, from, size);
    size_t got = n < 0 ? 0 : (size_t)n < bytes ? (size_t)n : bytes;
    return record(kind, fd, n, from, from ? (*size < limit ? *size : limit) : 0, buffer, got);
}

static ssize_t call_recv(int fd, void *buffer, size_t bytes, int flags) {
    return call_recvfrom(fd, buffer, bytes, flags, NULL, NULL);
}

static int call_ioctl(int fd, unsigned long request, void *argument) {
    if (request != FIONREAD || (threads.shadow ? !is_replayed(fd) : !is_stream(fd)))
        return ioctl(fd, request, argument);
    if (threads.shadow)
        return (int)with_errno(
            inputreplay_next(INPUT_AVAILABLE, fd, &(ReplayTarget){.data = argument, .data_limit = sizeof(int)}));
    inputlog_begin();
    int result = ioctl(fd, request, argument);
    return (int)record(INPUT_AVAILABLE, fd, result, NULL, 0, argument, sizeof(int));
}

// ---- waiting ----------------------------------------------------------------------------------------

enum { MOST_POLLED = 64 };  // descriptors of a poll

// Output of a shadow never has to wait.
static int poll_output(struct pollfd *fds, nfds_t count) {
    for (nfds_t i = 0; i < count; i++) fds[i].revents = fds[i].events & POLLOUT;
    return (int)count;
}

static int call_poll(struct pollfd *fds, nfds_t count, int timeout) {
    short events[MOST_POLLED];
    bool own = count == 0 || count > MOST_POLLED, output = true;
    for (nfds_t i = 0; i < count; i++) output &= fds[i].events == POLLOUT;
    if (own || (threads.shadow && !is_replayed(fds[0].fd)) || (!threads.shadow && output))
        return poll(fds, count, timeout);
    if (output) return poll_output(fds, count);
    if (threads.shadow) {
        ReplayTarget to = {.data = events, .data_limit = count * sizeof *events};
        long n = inputreplay_next(INPUT_POLL, fds[0].fd, &to);
        for (nfds_t i = 0; i < count; i++) fds[i].revents = i < to.data_got / sizeof *events ? events[i] : 0;
        return (int)with_errno(n);
    }
    inputlog_begin();
    int n = poll(fds, count, timeout);
    for (nfds_t i = 0; i < count; i++) events[i] = fds[i].revents;
    return (int)record(INPUT_POLL, fds[0].fd, n, NULL, 0, events, count * sizeof *events);
}

static int call_epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
    if (is_replayed(fd)) {
        ReplayTarget to = {.data = events, .data_limit = (size_t)most * sizeof *events};
        long n = inputreplay_next(INPUT_SELECT, fd, &to);
        for (long i = 0; i < n; i++) events[i].data.fd = inputreplay_local(events[i].data.fd);
        return (int)with_errno(n);
    }
    if (threads.shadow) return epoll_wait(fd, events, most, timeout);
    inputlog_begin();
    int n = epoll_wait(fd, events, most, timeout);
    return (int)record(INPUT_SELECT, fd, n, NULL, 0, events, n > 0 ? (size_t)n * sizeof *events : 0);
}

static int call_epoll_ctl(int fd, int operation, int target, struct epoll_event *event) {
    return is_replayed(fd) ? 0 : epoll_ctl(fd, operation, target, event);
}

// ---- opening ----------------------------------------------------------------------------------------

static int call_accept(int fd, struct sockaddr *from, socklen_t *size) {
    if (is_replayed(fd)) {
        ReplayTarget to = {.address = from, .address_limit = from ? *size : 0};
        long result = inputreplay_next(INPUT_ACCEPT, fd, &to);
        if (from) *size = (socklen_t)to.address_got;
        return (int)with_errno(result);
    }
    if (threads.shadow) return accept(fd, from, size);
    socklen_t limit = from ? *size : 0;
    inputlog_begin();
    int result = accept(fd, from, size);
    return (int)record(INPUT_ACCEPT, fd, result, from, from ? (*size < limit ? *size : limit) : 0, NULL, 0);
}

static int call_connect(int fd, const struct sockaddr *to, socklen_t size) {
    if (is_replayed(fd)) return (int)with_errno(inputreplay_next(INPUT_CONNECT, fd, &(ReplayTarget){0}));
    if (threads.shadow) return connect(fd, to, size);
    inputlog_begin();
    return (int)record(INPUT_CONNECT, fd, connect(fd, to, size), NULL, 0, NULL, 0);
}

static int replay_open(void) { return (int)with_errno(inputreplay_next_of_thread(INPUT_OPEN, &(ReplayTarget){0})); }

static int record_open(int fd) {
    const Thread *self = thread_current();
    return (int)record(INPUT_OPEN, self ? (int)self->serial : 0, fd, NULL, 0, NULL, 0);
}

static int call_socket(int domain, int type, int protocol) {
    return threads.shadow ? replay_open() : record_open(socket(domain, type, protocol));
}

static int call_epoll_create1(int flags) { return threads.shadow ? replay_open() : record_open(epoll_create1(flags)); }

static int call_eventfd(unsigned value, int flags) {
    return threads.shadow ? replay_open() : record_open(eventfd(value, flags));
}

static int call_bind(int fd, const struct sockaddr *to, socklen_t size) {
    return is_replayed(fd) ? 0 : bind(fd, to, size);
}

static int call_listen(int fd, int backlog) { return is_replayed(fd) ? 0 : listen(fd, backlog); }

static int note_pair(int result, const int fds[2]) {
    for (int i = 0; threads.shadow && result == 0 && i < 2; i++) inputreplay_note_own(fds[i]);
    return result;
}

static int call_socketpair(int domain, int type, int protocol, int fds[2]) {
    return note_pair(socketpair(domain, type, protocol, fds), fds);
}

static int call_pipe(int fds[2]) { return note_pair(pipe(fds), fds); }

// ---- libraries --------------------------------------------------------------------------------------

static const struct Replacement {
    const char *name;
    void (*function)(void);
} replacements[] = {
#define CALL(name) {#name, (void (*)(void))call_##name},
    CALL(read) CALL(readv) CALL(recv) CALL(recvfrom) CALL(ioctl) CALL(poll) CALL(epoll_wait) CALL(epoll_ctl)
        CALL(accept) CALL(connect) CALL(socket) CALL(bind) CALL(listen) CALL(epoll_create1) CALL(eventfd) CALL(pipe)
            CALL(socketpair)
#undef CALL
};

static uintptr_t replacement_of(const char *name) {
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
        if (strcmp(replacements[i].name, name) == 0) return (uintptr_t)replacements[i].function;
    return 0;
}

// The slot may be on a page that the dynamic linker has made read-only.
static void set_slot(uintptr_t *slot, uintptr_t to) {
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(BACKEND_PAGE - 1);
    if (*slot == to || mprotect((void *)page, BACKEND_PAGE, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, to, __ATOMIC_RELEASE);
}

typedef struct Tables {
    const ElfW(Sym) * symbols;
    const char *strings;
} Tables;

static void replace_in(uintptr_t base, const Tables *t, const ElfW(Rela) * rows, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof *rows; i++) {
        uint32_t symbol = (uint32_t)ELF64_R_SYM(rows[i].r_info);
        if (!symbol || !ARCH_IS_FUNCTION_SLOT(ELF64_R_TYPE(rows[i].r_info))) continue;
        uintptr_t to = replacement_of(t->strings + t->symbols[symbol].st_name);
        if (to) set_slot((uintptr_t *)(base + rows[i].r_offset), to);
    }
}

static void replace_in_library(uintptr_t base, const ElfW(Dyn) * d) {
    Tables t = {NULL, NULL};
    const ElfW(Rela) *calls = NULL, *others = NULL;
    size_t calls_bytes = 0, others_bytes = 0;
    for (; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
            case DT_SYMTAB: t.symbols = (const void *)d->d_un.d_ptr; break;
            case DT_STRTAB: t.strings = (const void *)d->d_un.d_ptr; break;
            case DT_JMPREL: calls = (const void *)d->d_un.d_ptr; break;
            case DT_PLTRELSZ: calls_bytes = d->d_un.d_val; break;
            case DT_RELA: others = (const void *)d->d_un.d_ptr; break;
            case DT_RELASZ: others_bytes = d->d_un.d_val; break;
            default: break;
        }
    }
    if (!t.symbols || !t.strings) return;
    if (calls) replace_in(base, &t, calls, calls_bytes);
    if (others) replace_in(base, &t, others, others_bytes);
}

static int visit(struct dl_phdr_info *library, size_t size, void *home) {
    (void)size;
    if (strncmp(library->dlpi_name, home, strlen(home)) != 0) return 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            replace_in_library(library->dlpi_addr, (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr));
    return 0;
}

void inputcalls_watch(void) {
    if (inputs.log && vm.java_home) dl_iterate_phdr(visit, (void *)vm.java_home);
}
