#include "profiler/tool/base/prof_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

enum { ATTACH_TRIES = 100, ATTACH_MS = 50, REQUEST = 1200, WAIT_MS = 200, ENDING_MS = 30000 };

// ---- interrupts --------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;  // number of interrupts
static void interrupt(int signal) { (void)signal, interrupted++; }

void prof_catch_interrupts(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = interrupt}, ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool prof_interrupted(void) { return interrupted; }

// ---- the process -------------------------------------------------------------------------------

// A directory that only its owner can enter, and that the VM's user owns.
static bool make_directory(ProfProcess *p) {
    char process[64];
    struct stat owner;
    snprintf(p->directory, sizeof p->directory, "/tmp/cabernet-prof-%ld-XXXXXX", p->pid);
    if (!mkdtemp(p->directory)) {
        p->directory[0] = '\0';
        fprintf(stderr, "cabernet-prof: cannot make a directory in /tmp: %s\n", strerror(errno));
        return false;
    }
    snprintf(process, sizeof process, "/proc/%ld", p->pid);
    if (geteuid() == 0 && stat(process, &owner) == 0 && owner.st_uid != 0 &&
        chown(p->directory, owner.st_uid, owner.st_gid) != 0)
        fprintf(stderr, "cabernet-prof: %s: %s\n", p->directory, strerror(errno));
    snprintf(p->path, sizeof p->path, "%s/now.prof", p->directory);
    return true;
}

int prof_process_open(ProfProcess *p, const char *command, const char *text) {
    char *end;
    *p = (ProfProcess){.pid = strtol(text, &end, 10), .watch = -1};
    if (*end || p->pid <= 0 || p->pid != (pid_t)p->pid) {
        fprintf(stderr, "cabernet-prof: %s takes the number of a process, not %s; jps -l lists those of VMs\n", command,
                text);
        return 1;
    }
    p->watch = pidfd_open((pid_t)p->pid, 0);
    if (p->watch < 0) {
        if (errno == ESRCH) fprintf(stderr, "cabernet-prof: there is no process %ld\n", p->pid);
        else fprintf(stderr, "cabernet-prof: process %ld: %s\n", p->pid, strerror(errno));
        return 2;
    }
    return make_directory(p) ? 0 : 2;
}

bool prof_process_prepare(ProfProcess *p) {
    *p = (ProfProcess){.pid = getpid(), .watch = -1};
    return make_directory(p);
}

void prof_process_close(ProfProcess *p) {
    if (p->watch >= 0) close(p->watch);
    if (!p->directory[0] || p->left) return;
    unlink(p->path);
    rmdir(p->directory);
}

bool prof_process_ended(const ProfProcess *p) {
    struct pollfd ended = {.fd = p->watch, .events = POLLIN};
    return poll(&ended, 1, 0) > 0;
}

bool prof_process_wait(const ProfProcess *p, double seconds) {
    struct pollfd ended = {.fd = p->watch, .events = POLLIN};
    int64_t now = clock_monotonic_ns(), deadline = seconds < 0 ? INT64_MAX : now + (int64_t)(seconds * 1e9);
    for (; !interrupted && now < deadline; now = clock_monotonic_ns()) {
        int64_t left = (deadline - now + 999999) / 1000000;
        // A signal between the test and poll is noticed a little later.
        if (poll(&ended, 1, left < WAIT_MS ? (int)left : WAIT_MS) > 0) return false;
    }
    return !prof_process_ended(p);
}

// ---- the attach interface ----------------------------------------------------------------------

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// The attach signal is sent only to a process that catches it; it would kill any other.
static bool catches_quit(long pid) {
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1) break;
    if (in) fclose(in);
    return caught >> (SIGQUIT - 1) & 1;
}

// Asks a VM to listen, by a file and a signal, and connects. -1: it does not listen.
static int attach(const ProfProcess *p) {
    char path[64], request[64];
    snprintf(path, sizeof path, "/tmp/.java_pid%ld", p->pid);
    int fd = connect_to(path);
    if (fd >= 0 || !catches_quit(p->pid)) return fd;
    snprintf(request, sizeof request, "/tmp/.attach_pid%ld", p->pid);
    int asked = open(request, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (asked >= 0) close(asked);
    bool sent = kill((pid_t)p->pid, SIGQUIT) == 0;
    for (int i = 0; sent && i < ATTACH_TRIES && fd < 0 && !prof_process_ended(p); i++) {
        poll(NULL, 0, ATTACH_MS);
        fd = connect_to(path);
    }
    if (asked >= 0) unlink(request);
    return fd;
}

static void say_unreachable(const ProfProcess *p, char *answer) {
    char process[64];
    struct stat owner;
    snprintf(process, sizeof process, "/proc/%ld", p->pid);
    bool foreign = geteuid() != 0 && stat(process, &owner) == 0 && owner.st_uid != geteuid();
    snprintf(answer, PROCESS_ANSWER,
             prof_process_ended(p) ? "process %ld has ended"
                 : foreign         ? "process %ld belongs to another user"
                                   : "process %ld does not answer: is it cabernet's, and yours?",
             p->pid);
}

// Leaves the first line of a VM's reply to a command that it has not executed.
static void say_refused(const ProfProcess *p, char *answer) {
    char *text = strchr(answer, '\n');
    text = text ? text + 1 : answer;  // after the status
    text[strcspn(text, "\n")] = '\0';
    if (strstr(text, "Unknown diagnostic command"))
        snprintf(answer, PROCESS_ANSWER, "process %ld is a VM without these profiles: it is not cabernet", p->pid);
    else memmove(answer, text, strlen(text) + 1);
}

// Waits for a part of the answer. False: the process has ended, or the user has interrupted again since there were
// `before` interrupts. The first interrupt only ends a recording, which may be starting.
static bool await_answer(const ProfProcess *p, int fd, sig_atomic_t before) {
    struct pollfd part = {.fd = fd, .events = POLLIN};
    while (interrupted <= (before ? before : 1)) {
        if (poll(&part, 1, WAIT_MS) > 0) return true;
        if (prof_process_ended(p)) return false;
    }
    return false;
}

bool prof_process_ask(ProfProcess *p, const char *command, char *answer) {
    char request[REQUEST + PROCESS_NAME + 64];
    sig_atomic_t before = interrupted;
    int fd = attach(p);
    p->silent = fd < 0;
    if (fd < 0) {
        say_unreachable(p, answer);
        return false;
    }
    int length = snprintf(request, sizeof request, "1%cjcmd%c%s%c%c", 0, 0, command, 0, 0);
    size_t n = (size_t)length + 1, got = 0;
    bool sent = n <= sizeof request && send(fd, request, n, MSG_NOSIGNAL) == (ssize_t)n;
    while (sent && got + 1 < PROCESS_ANSWER && await_answer(p, fd, before)) {
        ssize_t k = read(fd, answer + got, PROCESS_ANSWER - 1 - got);
        if (k <= 0) break;
        got += (size_t)k;
    }
    answer[got] = '\0';
    close(fd);
    p->silent = sent && !got;
    if (n > sizeof request) snprintf(answer, PROCESS_ANSWER, "the command is too long");
    else if (!got) snprintf(answer, PROCESS_ANSWER, "process %ld has gone, or gives no answer", p->pid);
    else if (strncmp(answer, "0\n", 2) == 0) return true;
    else say_refused(p, answer);
    return false;
}

// ---- profiles ----------------------------------------------------------------------------------

// A command for the profile p->name.
static bool ask_profile(ProfProcess *p, const char *words, char *answer) {
    char command[REQUEST + PROCESS_NAME + 16];
    snprintf(command, sizeof command, "%s%s%s", words, *p->name ? " name=" : "", p->name);
    return prof_process_ask(p, command, answer);
}

bool prof_process_start(ProfProcess *p, const char *analyses, char *answer) {
    char command[REQUEST];
    snprintf(p->name, sizeof p->name, "record-%ld", (long)getpid());  // no other recording of the process has it
    int n = snprintf(command, sizeof command, "Profile.start %s%s:name=%s:file=%s", analyses,
                     strstr(analyses, "message=") ? "" : ":message=off", p->name, p->path);
    if (n >= (int)sizeof command) {
        snprintf(answer, PROCESS_ANSWER, "the text after -e is too long");
        return false;
    }
    if (prof_process_ask(p, command, answer)) return true;
    if (prof_process_ended(p) && access(p->path, R_OK) == 0) return true;  // its end came before the answer
    if (p->silent && interrupted && !prof_process_ended(p)) {
        snprintf(answer, PROCESS_ANSWER, "process %ld gives no answer; jcmd %ld Profile.status says whether it records",
                 p->pid, p->pid);
        p->left = true;
    }
    p->name[0] = '\0';
    return false;
}

bool prof_process_dump(ProfProcess *p, char *answer) {
    char command[REQUEST];
    snprintf(command, sizeof command, "Profile.dump %s", p->path);
    return ask_profile(p, command, answer);
}

bool prof_process_end(ProfProcess *p, char *answer) {
    if (!prof_process_ended(p)) {
        if (ask_profile(p, "Profile.end", answer)) return true;
        // A process that is ending answers no more, and writes the profile itself.
        struct pollfd ended = {.fd = p->watch, .events = POLLIN};
        sig_atomic_t before = interrupted;
        for (int ms = 0; p->silent && ms < ENDING_MS && interrupted == before && poll(&ended, 1, WAIT_MS) == 0;)
            ms += WAIT_MS;
        p->left = !prof_process_ended(p);
        if (p->left) return false;
    }
    if (access(p->path, R_OK) == 0) return true;
    snprintf(answer, PROCESS_ANSWER, "process %ld has ended without writing its profile", p->pid);
    return false;
}
