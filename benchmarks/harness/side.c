// Processes that take turns, by SIGSTOP and SIGCONT to their process groups. A blocked read alone would not suffice:
// compile threads, collector threads and timers would run during the other side's turn.
#include "benchmarks/harness/side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

volatile sig_atomic_t side_interrupted;

static void interrupted(int signal) {
    (void)signal;
    side_interrupted = 1;
}

void side_handle_signals(void) {
    // Without SA_RESTART, because waits must end. The exit of a side is noticed by its pidfd, not by SIGPIPE.
    struct sigaction action = {.sa_handler = interrupted};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

__attribute__((format(printf, 2, 3))) static bool fail(Side *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(s->trouble, sizeof s->trouble, format, list);
    va_end(list);
    return false;
}

// ---- the kernel's figures of a process ----------------------------------------------------------------

static double cpu_ns(const Side *s) {
    clockid_t clock;
    return clock_getcpuclockid(s->pid, &clock) == 0 ? (double)clock_ns(clock) : 0;
}

// The number after the key in a status file of /proc; 0 when there is none.
static long status_number(const char *path, const char *key) {
    char line[256];
    long value = 0;
    size_t length = strlen(key);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        if (strncmp(line, key, length) == 0) value = strtol(line + length, NULL, 10);
    if (in) fclose(in);
    return value;
}

// The sum may decrease, because a thread that ends takes its count with it.
static long preempted(const Side *s) {
    char path[300];
    long sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && (e = readdir(tasks));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)s->pid, e->d_name);
        sum += status_number(path, "nonvoluntary_ctxt_switches:");
    }
    if (tasks) closedir(tasks);
    return sum;
}

// ---- start and end -------------------------------------------------------------------------------------

static _Noreturn void become(const Side *s, char *const *words, size_t padding, int in, int out) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (s->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(s->cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (s->fixed_addresses) personality(ADDR_NO_RANDOMIZE);
    char *room = malloc(padding + 1);
    memset(room, 'x', padding);
    room[padding] = 0;
    setenv("CABERNET_BENCH_LAYOUT", room, 1);
    signal(SIGPIPE, SIG_DFL);
    dup2(in, 0);
    dup2(out, 1);
    dup2(fileno(s->errors), 2);
    raise(SIGSTOP);
    execvp(words[0], words);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

typedef enum { RUNS, STOPPED, HAS_ENDED } ProcessState;

// STOPPED: all threads of the process are stopped. `flags`: WNOHANG, or 0 to wait until it stops or ends.
static ProcessState poll_process(const Side *s, int flags) {
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)s->pid, &info, WSTOPPED | WEXITED | WNOWAIT | flags) != 0)
        if (errno != EINTR) return HAS_ENDED;
    if (info.si_pid == 0) return RUNS;
    if (info.si_code != CLD_STOPPED) return HAS_ENDED;
    waitid(P_PID, (id_t)s->pid, &info, WSTOPPED);
    return STOPPED;
}

// RUNS: it still runs after 20 ms.
static ProcessState look_for_a_while(const Side *s) {
    const struct timespec moment = {.tv_nsec = 50000};
    int64_t until = clock_monotonic_ns() + 20000000;
    ProcessState state;
    while ((state = poll_process(s, WNOHANG)) == RUNS && clock_monotonic_ns() < until) nanosleep(&moment, NULL);
    return state;
}

// Stops the process group. A process that waits for a vfork child stops only after the child's exec, and never if the
// child stops first: in that case they run for a moment and are stopped again. False: it has ended.
static bool stop(const Side *s) {
    const struct timespec moment = {.tv_nsec = 1000000};
    ProcessState state;
    kill(-s->pid, SIGSTOP);
    while ((state = look_for_a_while(s)) == RUNS) {
        kill(-s->pid, SIGCONT);
        nanosleep(&moment, NULL);
        kill(-s->pid, SIGSTOP);
    }
    return state == STOPPED;
}

bool side_start(Side *s, char *const *words, size_t padding) {
    int in[2], out[2];
    s->output.length = 0;
    s->cost = (Cost){0};
    if (!s->errors && !(s->errors = tmpfile())) return fail(s, "no temporary file: %s", strerror(errno));
    if (ftruncate(fileno(s->errors), 0) != 0 || fseek(s->errors, 0, SEEK_SET) != 0 || pipe2(in, O_CLOEXEC) != 0)
        return fail(s, "%s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]), close(in[1]);
        return fail(s, "%s", strerror(errno));
    }
    s->pid = fork();
    if (s->pid == 0) become(s, words, padding, in[0], out[1]);
    close(in[0]), close(out[1]);
    s->requests = in[1], s->answers = out[0];
    if (s->pid < 0) {
        s->pid = 0;
        close(in[1]), close(out[0]);
        return fail(s, "cannot fork: %s", strerror(errno));
    }
    fcntl(s->answers, F_SETFL, O_NONBLOCK);
    s->process = (int)syscall(SYS_pidfd_open, s->pid, 0);
    if (s->process < 0 || poll_process(s, 0) != STOPPED) {
        side_kill(s);
        return fail(s, "cannot be stopped before it starts");
    }
    s->start_cpu_ns = cpu_ns(s);
    s->start_preempted = preempted(s);
    return true;
}

static void forget(Side *s) {
    side_close_requests(s);
    close(s->answers);
    if (s->process >= 0) close(s->process);
    s->pid = 0;
}

void side_kill(Side *s) {
    if (s->pid <= 0) return;
    kill(-s->pid, SIGKILL);
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    forget(s);
}

void side_show_errors(const Side *s) {
    char text[2000];
    ssize_t n = s->errors ? pread(fileno(s->errors), text, sizeof text - 1, 0) : 0;
    if (n > 0) {
        text[n] = 0;
        fprintf(stderr, "%s%s", text, text[n - 1] == '\n' ? "" : "\n");
    }
}

// ---- turns -----------------------------------------------------------------------------------------------

bool side_request(Side *s, int iterations) {
    char line[16];
    int length = snprintf(line, sizeof line, "%d\n", iterations);
    s->start_cpu_ns = cpu_ns(s);
    s->start_preempted = preempted(s);
    s->cost = (Cost){0};
    s->output.length = 0;
    // The pipe is full of unread requests before this blocks.
    return write(s->requests, line, (size_t)length) == length || fail(s, "does not take requests: %s", strerror(errno));
}

void side_close_requests(Side *s) {
    if (s->requests >= 0) close(s->requests);
    s->requests = -1;
}

const char *side_answer(const Side *s) {
    static const char mark[] = "\nturn ";
    const size_t length = sizeof mark - 1;
    if (s->output.length < length) return NULL;
    if (memcmp(s->output.at, mark + 1, length - 1) == 0) return s->output.at;
    const char *found = memmem(s->output.at, s->output.length, mark, length);
    return found ? found + 1 : NULL;
}

bool side_same_output(const Side *a, const Side *b) {
    return a->output.length == b->output.length &&
        (a->output.length == 0 || memcmp(a->output.at, b->output.at, a->output.length) == 0);
}

// Appends the available output; returns whether the answer is complete. *closed is set at the end of the pipe.
static bool take_output(Side *s, bool *closed) {
    char block[4096];
    ssize_t n;
    while ((n = read(s->answers, block, sizeof block)) > 0) text_put(&s->output, block, (size_t)n);
    *closed = n == 0;
    return s->output.length && s->output.at[s->output.length - 1] == '\n' && side_answer(s);
}

static SliceEnd ended(Side *s) {
    int status = 0;
    bool closed;
    struct rusage usage = {0};
    take_output(s, &closed);
    while (wait4(s->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    kill(-s->pid, SIGKILL);  // left-over children would run during the other side's turns
    s->cost.cpu_ns = ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
        ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3 - s->start_cpu_ns;
    s->cost.preempted = usage.ru_nivcsw - s->start_preempted;
    s->cost.peak_kib = usage.ru_maxrss;
    forget(s);
    if (WIFSIGNALED(status)) fail(s, "was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0) fail(s, "ended with exit code %d", WEXITSTATUS(status));
    return status ? SLICE_FAILED : SLICE_ENDED;
}

// Waits while the side runs.
static SliceEnd watch(Side *s, int64_t deadline_ns) {
    bool closed = false;
    for (;;) {
        int64_t left = deadline_ns - clock_monotonic_ns();
        // Without requests only the end is awaited, not an answer.
        struct pollfd p[2] = {{.fd = s->process, .events = POLLIN}, {.fd = closed ? -1 : s->answers, .events = POLLIN}};
        struct timespec timeout = {left / 1000000000, left % 1000000000};
        if (side_interrupted) return SLICE_INTERRUPTED;
        if (left <= 0) return SLICE_OVER;
        if (ppoll(p, 2, &timeout, NULL) <= 0) continue;
        if (p[1].revents && take_output(s, &closed) && s->requests >= 0) return SLICE_ANSWERED;
        if (p[0].revents) return SLICE_ENDED;
    }
}

SliceEnd side_slice(Side *s, double ms) {
    int64_t start = clock_monotonic_ns();
    kill(-s->pid, SIGCONT);
    SliceEnd end = watch(s, start + (int64_t)(ms * 1e6));
    s->cost.wall_ns += (double)(clock_monotonic_ns() - start);
    if (end == SLICE_ENDED || !stop(s)) return ended(s);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    long switches = preempted(s) - s->start_preempted;
    s->cost.cpu_ns = cpu_ns(s) - s->start_cpu_ns;
    s->cost.preempted = switches > 0 ? switches : 0;
    s->cost.peak_kib = status_number(path, "VmHWM:");
    if (end == SLICE_OVER && s->cost.wall_ns > s->limit_s * 1e9) {
        fail(s, "did not %s within %g s", s->requests >= 0 ? "answer" : "end", s->limit_s);
        return SLICE_FAILED;
    }
    return end;
}
