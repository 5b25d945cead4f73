// `cabernet-prof record PID`: the profile of a part of a running program's life.
#include "profiler/tool/prof_record.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/tool/base/prof_memory.h"

bool prof_record_can_write(const char *output) {
    int fd = open(output, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    int problem = fd >= 0 ? 0 : errno;
    if (fd >= 0) close(fd);
    if (problem == ENOENT) {
        char *copy = strdup(output);
        if (!copy) prof_out_of_memory();
        problem = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
        free(copy);
    }
    if (problem) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", output, strerror(problem));
    return !problem;
}

int prof_record(ProfProcess *p, const char *analyses, double seconds) {
    char answer[PROCESS_ANSWER];
    if (!prof_process_start(p, analyses, answer)) {
        fprintf(stderr, "cabernet-prof: no recording: %s\n", answer);
        return 2;
    }
    int64_t start = clock_monotonic_ns();
    if (isatty(STDERR_FILENO)) fprintf(stderr, "cabernet-prof: recording process %ld; Ctrl-C ends it\n", p->pid);
    prof_process_wait(p, seconds);
    double recorded = (double)(clock_monotonic_ns() - start) / 1e9;
    if (prof_process_end(p, answer)) {
        fprintf(stderr, "cabernet-prof: %s of process %ld recorded for %.1f s%s\n", analyses, p->pid, recorded,
                prof_process_ended(p) ? ", until its end" : "");
        return 0;
    }
    fprintf(stderr, "cabernet-prof: no recording: %s\n", answer);
    if (prof_process_ended(p)) return 2;
    if (p->silent) fprintf(stderr, "cabernet-prof: the process will write it to %s\n", p->path);
    else
        fprintf(stderr,
                "cabernet-prof: the process still has it: jcmd %ld Profile.end FILE name=%s writes and ends it\n",
                p->pid, p->name);
    return 2;
}

// Copies a file that another user may own. False: it could not be written, and errno says why.
static bool copy(const char *from, const char *to) {
    char buffer[1 << 14];
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool ok = in >= 0 && out >= 0;
    for (ssize_t n = 1; ok && n > 0;) {
        n = read(in, buffer, sizeof buffer);
        ok = n >= 0 && (n == 0 || write(out, buffer, (size_t)n) == n);
    }
    if (in >= 0) close(in);
    if (out >= 0 && close(out) != 0) ok = false;
    if (out >= 0 && !ok) unlink(to);
    return ok;
}

void prof_record_keep(ProfProcess *p, const char *output) {
    char *path;
    int n = output ? asprintf(&path, "%s.prof", output) : asprintf(&path, "cabernet-%ld.prof", p->pid);
    if (n < 0) prof_out_of_memory();
    if (copy(p->path, path)) {
        fprintf(stderr, "cabernet-prof: the profile is in %s\n", path);
    } else {
        fprintf(stderr, "cabernet-prof: the profile is in %s\n", p->path);
        p->path[0] = '\0';
        p->left = true;
    }
    free(path);
}
