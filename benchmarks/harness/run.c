// Starts measured processes, one at a time: wait4 reports the figures of that child (with those that it has reaped), so
// no other may run meanwhile.
#include "benchmarks/harness/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"

_Noreturn void run_die(const char *message, const char *detail) {
    fprintf(stderr, "cabernet-bench: %s%s\n", message, detail);
    exit(2);
}

int run_number(const char *text, int low, int high) {
    char *end;
    long v = strtol(text, &end, 10);
    if (*end || end == text || v < low || v > high) run_die("not a number in range: ", text);
    return (int)v;
}

int run_processor(int cpu) {
    cpu_set_t allowed;
    char number[16];
    snprintf(number, sizeof number, "%d", cpu);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || !CPU_ISSET(cpu, &allowed))
        run_die("no processor that may be used: ", number);
    return cpu;
}

static double now_ms(void) { return (double)clock_monotonic_ns() / 1e6; }

// Copies one word to `out`, unquoted; returns its end, or NULL if a quote is not closed.
static const char *copy_word(const char *p, char *out) {
    char quote = 0;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
        else *out++ = *p;
    }
    *out = 0;
    return quote ? NULL : p;
}

char **run_split(const char *text) {
    size_t length = strlen(text);
    char **words = calloc(length / 2 + 2, sizeof *words);
    char *word = malloc(length + 1);
    size_t n = 0;
    for (const char *p = text; words && word;) {
        p += strspn(p, " \t\n");
        if (!*p) {
            free(word);
            return words;
        }
        p = copy_word(p, word);
        if (!p || !(words[n++] = strdup(word))) break;
    }
    free(word);
    run_free_words(words);
    return NULL;
}

void run_free_words(char **words) {
    for (size_t i = 0; words && words[i]; i++) free(words[i]);
    free(words);
}

static _Noreturn void become(char *const *argv, int cpu, int out, int err) {
    setpgid(0, 0);
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, 0);
    dup2(out, 1);
    dup2(err, 2);
    execvp(argv[0], argv);
    _exit(127);
}

static void read_all(int fd, pid_t child, double deadline, Run *run) {
    size_t capacity = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (;;) {
        double left = deadline - now_ms();
        int ready = left > 0 ? poll(&p, 1, (int)(left < 1e6 ? left + 1 : 1e6)) : 0;
        if (ready == 0 && now_ms() >= deadline) {
            run->late = true;
            kill(-child, SIGKILL);
            return;
        }
        if (ready <= 0) continue;
        if (!GROW(run->output, capacity, run->length + 4096)) return;
        ssize_t n = read(fd, run->output + run->length, capacity - run->length - 1);
        if (n == 0 || (n < 0 && errno != EINTR)) return;
        if (n > 0) run->length += (size_t)n;
    }
}

// The pipe may close before the process ends, so waiting for it has the deadline too.
static int reap(pid_t child, double deadline, Run *run, struct rusage *usage) {
    int status = 0;
    for (;;) {
        pid_t got = wait4(child, &status, run->late ? 0 : WNOHANG, usage);
        if (got == child || (got < 0 && errno != EINTR)) return status;
        if (got == 0 && now_ms() >= deadline) {
            run->late = true;
            kill(-child, SIGKILL);
        } else if (got == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        }
    }
}

static double ms_of(struct timeval t) { return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3; }

bool run_command(char *const *argv, int cpu, int err_fd, double limit_s, Run *run) {
    int ends[2];
    *run = (Run){0};
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    double start = now_ms(), deadline = start + limit_s * 1e3;
    pid_t child = fork();
    if (child == 0) become(argv, cpu, ends[1], err_fd);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(child, child);
    read_all(ends[0], child, deadline, run);
    close(ends[0]);
    struct rusage usage = {0};
    int status = reap(child, deadline, run, &usage);
    run->wall_ms = now_ms() - start;
    run->cpu_ms = ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
    run->max_rss_kib = usage.ru_maxrss;
    run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!run->output) run->output = calloc(1, 1);
    if (!run->output) return false;
    run->output[run->length] = 0;
    return true;
}
