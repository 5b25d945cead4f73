// The life of a shadow (vm/shadow/shadow.h): the pthread that forked sets the process up, lets the Java threads
// continue, waits for the end, and hands over the results.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/profile.h"
#include "vm/shadow/hooks.h"
#include "vm/shadow/inputreplay.h"
#include "vm/shadow/shadow_internal.h"
#include "vm/threads/threadbackend.h"

bool shadow_is_here(void) { return threads.shadow; }

// ---- end of the shadow ------------------------------------------------------------------------------

static _Noreturn void leave(int status) {
    for (;;) shadow_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

// True: this is the first reason.
static bool note_end(ShadowEnd why, int64_t number, const char *what) {
    uint32_t none = SHADOW_RUNS;
    if (!atomic_compare_exchange_strong(&shadow.page->end, &none, why)) return false;
    atomic_store(&shadow.page->number, number);
    size_t n = strnlen(what, sizeof shadow.page->what - 1);
    memcpy(shadow.page->what, what, n);
    return true;
}

// From here on the thread counts as inside a native call, so the warden's stop does not wait for it.
_Noreturn void shadow_end(ShadowEnd why, int64_t number, const char *what) {
    Thread *self = thread_current();
    note_end(why, number, what);
    if (gettid() == shadow_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0)) leave(1);  // the warden itself
    if (self && thread_is_running(self)) {
        atomic_store(&self->state, THREAD_NATIVE);
        backend_wake(&self->state, 1);
    }
    atomic_store(&shadow.over, 1);
    backend_wake(&shadow.over, 1);
    for (;;) shadow_syscall(SYS_pause, 0, 0, 0, 0, 0, 0);
}

_Noreturn void shadow_program_ends(void) { shadow_end(SHADOW_PROGRAM, 0, ""); }

// ---- setup ------------------------------------------------------------------------------------------

static _Noreturn void fail(const char *why) {
    note_end(SHADOW_FAILED, 0, why);
    leave(1);
}

void shadow_begin(void) {
    char why[160] = "";
    if (!shadow_own_files(shadow.fd, why)) fail(why);
    atomic_store(&shadow.page->streams_closed, 1);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    shadow.messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0 && nothing != STDERR_FILENO) {
        dup2(nothing, STDERR_FILENO);
        close(nothing);
    }
}

// Copies the code, because the parent's compile threads keep changing the shared memory that it is in.
static bool copy_code(void) {
    enum { PAGE = BACKEND_PAGE };
    uintptr_t begin, end;
    shadow_hooks.code_addresses(&begin, &end);
    if (begin == end) return true;
    begin &= ~(uintptr_t)(PAGE - 1);
    size_t bytes = backend_round_up(end - begin);
    void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return false;
    memcpy(copy, (const void *)begin, bytes);
    return mprotect(copy, bytes, PROT_READ | PROT_EXEC) == 0 &&
        mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)begin) != MAP_FAILED;
}

// Signals that end the process at once: faults, the time limit, the parent's death.
static void own_signals(void) {
    sigset_t own;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != shadow.program) leave(1);
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&own);
    sigaddset(&own, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    uint64_t us = shadow.request->limit_ns / 1000;
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)}};
    if (us) setitimer(ITIMER_REAL, &limit, NULL);
}

static void set_up(Shadow *s) {
    char why[160] = "";
    own_signals();
    if (!copy_code()) fail("no memory for a copy of the code");
    atomic_store(&s->page->copied, 1);
    if (!shadow_own_memory(s->page, sizeof *s->page, why)) fail(why);
    if (!inputreplay_begin()) fail("no memory for the program's input");
    profile_begin_in_shadow();
    s->page->prepared = shadow_hooks.enter_prepared_code(NULL);
    size_t pages = 0;
    FILE *in = fopen("/proc/self/statm", "re");
    if (in && fscanf(in, "%zu", &pages) != 1) pages = 0;
    if (in) fclose(in);
    size_t now = pages * BACKEND_PAGE;
    struct rlimit limit = {now + shadow.request->memory, now + shadow.request->memory};
    if (shadow.request->memory && now) setrlimit(RLIMIT_AS, &limit);
    if (!shadow_install_filter()) fail("the kernel has no filter for system calls");
    // Restores the program's stderr: the filter only pretends to write to it.
    if (shadow.messages >= 0) dup2(shadow.messages, STDERR_FILENO);
    close(shadow.messages >= 0 ? shadow.messages : STDERR_FILENO);
    s->page->adopted = thread_adopt_all(&s->page->left);
    if (s->page->adopted == 0) fail("no thread can go on");
}

// ---- running ----------------------------------------------------------------------------------------

static uint64_t time_used(const Shadow *s) { return (uint64_t)(clock_process_ns() - s->page->begun_cpu_ns); }

static bool is_over(const Shadow *s) {
    const ShadowRequest *r = shadow.request;
    if (shadow_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) != shadow.program) leave(1);
    if (atomic_load(&shadow.over)) return true;
    if (atomic_load(&s->page->asked) && note_end(SHADOW_ASKED, 0, "")) return true;
    // A program that mostly waits makes a shadow that mostly waits. It ends before the time limit, which would cost the
    // sample, and has missed nothing that the program has done.
    uint64_t used = time_used(s), passed = (uint64_t)(thread_now() - s->page->begun_ns);
    bool late = r->limit_ns && passed >= r->limit_ns - r->limit_ns / 8;
    if (late && used < passed / 2 && note_end(SHADOW_IDLE, 0, "")) return true;
    bool long_enough = (r->ns && used >= r->ns) || (r->checks && profile_checks() >= r->checks);
    return long_enough && note_end(SHADOW_LENGTH, 0, "");
}

// The threads together use at most the time of all processors.
static int64_t time_to_look(const Shadow *s) {
    enum { LEAST = 200000, CHECKS = 500000, MOST = 5000000 };
    const ShadowRequest *r = shadow.request;
    if (!r->ns) return r->checks ? CHECKS : MOST;
    int64_t left = ((int64_t)r->ns - (int64_t)time_used(s)) / sysconf(_SC_NPROCESSORS_ONLN);
    return left < LEAST ? LEAST : left > MOST ? MOST : left;
}

static bool write_payload(int fd, const uint8_t *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        long n = shadow_syscall(SYS_pwrite64, fd, (long)(data + done), (long)(bytes - done),
                                (long)(sizeof(ShadowPage) + done), 0, 0);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

_Noreturn void shadow_warden(Shadow *s) {
    uint8_t *data;
    size_t bytes;
    prctl(PR_SET_NAME, "Shadow");
    set_up(s);
    s->page->begun_ns = thread_now();
    s->page->begun_cpu_ns = clock_process_ns();
    safepoint_resume(NULL);
    while (!is_over(s)) backend_wait(&shadow.over, 0, thread_now() + time_to_look(s));
    safepoint_stop(NULL, "shadow");
    s->page->ended_ns = thread_now();
    s->page->ended_cpu_ns = clock_process_ns();
    s->page->checks = profile_checks();
    bool ok = profile_export(&data, &bytes) && write_payload(s->fd, data, bytes);
    s->page->bytes = ok ? bytes : 0;
    atomic_store(&s->page->complete, ok);
    leave(ok ? 0 : 1);
}
