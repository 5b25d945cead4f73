// `cabernet-prof record -- COMMAND...`: a program is started with a profile. The program has the tool's standard streams
// and its place in the process group, so it behaves as without the tool. A signal that another process sends to the
// tool is sent on; one of the terminal has reached the program already.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/prof_record.h"

static const char vm_name[] = "cabernet";
extern char **environ;

// The VM in the tool's folder.
static char *vm_beside(void) {
    char program[PATH_MAX], *path;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - program) : 0, program, vm_name) < 0) prof_out_of_memory();
    return path;
}

// The file that a shell would execute; NULL: there is none.
static char *find_program(const char *name) {
    const char *list = getenv("PATH");
    char *path = NULL;
    if (strchr(name, '/')) return access(name, X_OK) == 0 ? strdup(name) : NULL;
    for (size_t n; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if (asprintf(&path, "%.*s%s%s", (int)n, list, n ? "/" : "./", name) < 0) prof_out_of_memory();
        if (access(path, X_OK) == 0) return path;
        free(path);
    }
    return strcmp(name, vm_name) == 0 ? vm_beside() : NULL;
}

// The VM that the command names, malloc'd; NULL with a message. *arguments: those after its name.
static char *find_vm(char **command, char ***arguments, const char *analyses) {
    *arguments = command;
    if (command[0][0] == '-') return vm_beside();
    ++*arguments;
    char *path = find_program(command[0]), *whole = path ? realpath(path, NULL) : NULL;
    const char *slash = whole ? strrchr(whole, '/') : NULL;
    bool is_vm = slash && strcmp(slash + 1, vm_name) == 0;
    free(whole);
    if (is_vm) return path;
    if (path)
        fprintf(stderr,
                "cabernet-prof: %s is not cabernet, and only cabernet can record. Of a script that starts it, set "
                "JAVA_TOOL_OPTIONS=-Xprofile:%s:file=run-%%p.prof\n",
                path, analyses);
    else
        fprintf(stderr,
                "cabernet-prof: there is no program %s; record takes cabernet and its arguments, as in `record -- "
                "cabernet Main`, or arguments that begin with an option, as in `record -- -jar app.jar`\n",
                command[0]);
    free(path);
    return NULL;
}

// Starts the VM with the signals of `before` blocked. 0, with a message: it does not start.
static pid_t start(const char *vm, char **arguments, const char *profile, const sigset_t *before) {
    size_t count = 0;
    pid_t child;
    while (arguments[count]) count++;
    char **words = prof_alloc((count + 3) * sizeof *words);
    words[0] = (char *)vm;
    words[1] = (char *)profile;
    memcpy(words + 2, arguments, (count + 1) * sizeof *words);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int problem = posix_spawn(&child, vm, NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    free(words);
    if (!problem) return child;
    fprintf(stderr, "cabernet-prof: %s cannot be started: %s\n", vm, strerror(problem));
    return 0;
}

// Sends signals on until the child has ended. Returns its status, as waitpid.
static int await_end(pid_t child, const sigset_t *signals) {
    for (int status;;) {
        siginfo_t info;
        if (sigwaitinfo(signals, &info) < 0) continue;
        bool sent = info.si_code <= 0;  // by a process
        if (info.si_signo != SIGCHLD && sent) kill(child, info.si_signo);
        if (info.si_signo == SIGCHLD && waitpid(child, &status, WNOHANG) == child) return status;
    }
}

int prof_record_command(ProfProcess *p, char **command, const char *analyses) {
    static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD};
    char **arguments, *vm = find_vm(command, &arguments, analyses), *profile;
    sigset_t signals, before;
    if (!vm) return -1;
    if (asprintf(&profile, "-Xprofile:%s%s:file=%s", analyses, strstr(analyses, "message=") ? "" : ":message=off",
                 p->path) < 0)
        prof_out_of_memory();
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) sigaddset(&signals, forwarded[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals, &before);
    int64_t begun = clock_monotonic_ns();
    pid_t child = start(vm, arguments, profile, &before);
    prof_catch_interrupts();  // after the start, because a child inherits what is ignored
    int status = child ? await_end(child, &signals) : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(profile);
    free(vm);
    if (!child) return -1;
    p->pid = child;
    if (access(p->path, R_OK) == 0)
        fprintf(stderr, "cabernet-prof: %s of process %ld recorded for %.1f s, until its end\n", analyses, p->pid,
                (double)(clock_monotonic_ns() - begun) / 1e9);
    else fprintf(stderr, "cabernet-prof: process %ld has ended without writing its profile\n", p->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
