// The attach interface, which makes the JDK's tools work with this VM. A tool creates a file .attach_pid<pid> in our
// working directory or in /tmp and sends SIGQUIT; we then listen on the UNIX socket /tmp/.java_pid<pid>. A request is
// five NUL-terminated strings: "1", the command, three arguments. The reply is the status as a decimal line, then text,
// up to the end of the stream.
//
// One thread, the Attach Listener, serves all clients with poll(). It reads and writes without blocking, and each
// client has a deadline and a bounded request, so a slow or silent client delays no other. Commands run one after the
// other, in the running state. Malformed requests are closed without a reply.
//
// Only the same effective user (or root) may connect, as enforced by the socket's mode and its peer credentials.
//
// `listener` is set by the Signal Dispatcher (or at boot) and taken over by the Attach Listener. If the socket's file
// was removed externally, the old socket is shut down, which wakes the thread.
#include "vm/management/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "vm/base/exithooks.h"
#include "vm/management/diagnostics.h"
#include "vm/runtime/exception.h"
#include "vm/services/heapdump.h"
#include "vm/services/signal.h"
#include "vm/model/vm.h"
#include "vm/management/vmflags.h"

// clang-format off
enum {
    PRIORITY = 9, BACKLOG = 128, MAX_CLIENTS = 64,
    FIELDS = 5, ARGUMENTS = 3, MAX_VERSION = 8, MAX_COMMAND = 16, MAX_ARGUMENT = 1024,
    REQUEST_LIMIT = MAX_VERSION + MAX_COMMAND + ARGUMENTS * MAX_ARGUMENT + FIELDS,
    BAD_VERSION = 101,
};
// clang-format on
static const int64_t read_limit_ns = INT64_C(10000000000), write_limit_ns = INT64_C(30000000000);

typedef struct Client {
    int fd;
    int64_t deadline;
    size_t received;
    char request[REQUEST_LIMIT];
    char *reply;  // NULL: still reading
    size_t reply_size, sent;
} Client;

static struct Attach {
    _Atomic int listener;
    char socket_path[64];
} attach = {.listener = -1};

// ---- commands ----------------------------------------------------------------------------------

// Writes its reply and returns whether it succeeded.
typedef bool Command(Thread *self, char *const args[ARGUMENTS], FILE *out);

static bool run_jcmd(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    char *error = NULL;
    DiagnosticOutcome outcome = diagnostics_execute(self, args[0], out, &error);
    if (outcome == DIAGNOSTIC_MALFORMED)
        fprintf(out, "java.lang.IllegalArgumentException: %s\n", error ? error : "out of memory");
    free(error);
    return outcome == DIAGNOSTIC_DONE;
}

static bool run_threaddump(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    diagnostics_thread_dump(self, strchr(args[0], 'l') != NULL, false, out);
    return true;
}

static bool run_datadump(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)args, (void)out;
    thread_dump(self, stdout);
    return true;
}

static bool run_properties(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)args;
    return diagnostics_properties(self, "serializePropertiesToByteArray", out);
}

static bool run_agentProperties(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)args;
    return diagnostics_properties(self, "serializeAgentPropertiesToByteArray", out);
}

static bool run_inspectheap(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    if (strcmp(args[0], "") != 0 && strcmp(args[0], "-live") != 0 && strcmp(args[0], "-all") != 0) {
        fprintf(out, "Invalid argument to inspectheap operation: %s\n", args[0]);
        return false;
    }
    if (!*args[1]) {
        diagnostics_class_histogram(self, out);
        return true;
    }
    FILE *file = fopen(args[1], "w");
    if (!file) {
        fprintf(out, "Failed to open %s: %s\n", args[1], strerror(errno));
        return false;
    }
    diagnostics_class_histogram(self, file);
    bool ok = fclose(file) == 0;
    fprintf(out, ok ? "Heap inspection file created: %s\n" : "Failed to write %s\n", args[1]);
    return ok;
}

static bool run_printflag(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)self;
    VMFlag flag;
    if (vmflags_find(args[0], &flag)) {
        vmflags_print(&flag, out);
        fputc('\n', out);
    } else {
        fprintf(out, "no such flag '%s'\n", args[0]);
    }
    return true;
}

static bool run_setflag(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)self;
    VMFlag flag;
    bool on = strcmp(args[1], "1") == 0, off = strcmp(args[1], "0") == 0;
    if ((on || off) && vmflags_set(args[0], on)) return true;
    if (vmflags_find(args[0], &flag)) fprintf(out, "flag '%s' cannot be changed\n", args[0]);
    else fprintf(out, "flag '%s' does not exist\n", args[0]);
    return false;
}

static bool run_load(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    (void)self;
    fprintf(out, "%s was not loaded: this VM does not load agents\n", args[0]);
    return false;
}

static bool run_dumpheap(Thread *self, char *const args[ARGUMENTS], FILE *out) {
    HeapDumpFile file = {.path = args[0]};
    char *end, error[HPROF_ERROR];
    long level = strtol(args[2], &end, 10);
    if (!*args[0]) {
        fputs("No dump file specified\n", out);
    } else if (*args[1] && strcmp(args[1], "-all") != 0 && strcmp(args[1], "-live") != 0) {
        fprintf(out, "Invalid argument to dumpheap operation: %s\n", args[1]);
    } else if (*end) {
        fprintf(out, "Invalid compress level: [%s]\n", args[2]);
    } else if (*args[2] && (level < 1 || level > 9)) {
        fprintf(out, "Compression level out of range (1-9): %ld\n", level);
    } else {
        file.level = (int)level;
        return heapdump_write(self, &file, out, error);
    }
    return false;
}

static const struct {
    const char *name;
    Command *run;
} commands[] = {
    {"jcmd", run_jcmd},
    {"threaddump", run_threaddump},
    {"datadump", run_datadump},
    {"properties", run_properties},
    {"agentProperties", run_agentProperties},
    {"inspectheap", run_inspectheap},
    {"printflag", run_printflag},
    {"setflag", run_setflag},
    {"load", run_load},
    {"dumpheap", run_dumpheap},
};

// ---- requests ----------------------------------------------------------------------------------

typedef enum Outcome { INCOMPLETE, COMPLETE, MALFORMED, OTHER_VERSION } Outcome;

// Finds the strings in the received bytes.
static Outcome parse(Client *c, char *fields[FIELDS]) {
    static const size_t limits[FIELDS] = {MAX_VERSION, MAX_COMMAND, MAX_ARGUMENT, MAX_ARGUMENT, MAX_ARGUMENT};
    char *at = c->request, *end = c->request + c->received;
    for (int i = 0; i < FIELDS; i++) {
        char *nul = memchr(at, 0, (size_t)(end - at));
        if ((size_t)((nul ? nul : end) - at) > limits[i]) return MALFORMED;
        if (!nul) return INCOMPLETE;
        if (i == 0 && strcmp(at, "1") != 0) return OTHER_VERSION;
        fields[i] = at;
        at = nul + 1;
    }
    return at == end ? COMPLETE : MALFORMED;
}

static void set_reply(Client *c, int status, const char *text, size_t size) {
    char head[16];
    size_t n = (size_t)snprintf(head, sizeof head, "%d\n", status);
    c->reply = malloc(n + size);
    if (!c->reply) return;
    memcpy(c->reply, head, n);
    if (size) memcpy(c->reply + n, text, size);
    c->reply_size = n + size;
    c->deadline = thread_deadline(write_limit_ns);
}

static void execute(Thread *self, Client *c, char *const fields[FIELDS]) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    Command *run = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, fields[1]) == 0) run = commands[i].run;
    bool ok = run && run(self, fields + 2, out);
    if (!run) fprintf(out, "Operation %s not recognized!", fields[1]);
    if (self->exception) exception_clear(self);
    if (fclose(out) == 0) set_reply(c, ok ? 0 : -1, text, size);
    free(text);
}

// ---- clients -----------------------------------------------------------------------------------

static Client *accept_client(int fd) {
    int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return NULL;
    struct ucred peer;
    socklen_t size = sizeof peer;
    bool allowed = getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        (peer.uid == 0 || (peer.uid == geteuid() && peer.gid == getegid()));
    Client *c = allowed ? malloc(sizeof *c) : NULL;
    if (!c) {
        close(client);
        return NULL;
    }
    *c = (Client){.fd = client, .deadline = thread_deadline(read_limit_ns)};
    return c;
}

// False: the client is finished, successfully or not.
static bool send_reply(Client *c) {
    while (c->sent < c->reply_size) {
        ssize_t n = send(c->fd, c->reply + c->sent, c->reply_size - c->sent, MSG_NOSIGNAL);
        if (n < 0) return errno == EAGAIN || errno == EINTR;
        c->sent += (size_t)n;
    }
    return false;
}

// Receives what the client has sent, and replies when the request is complete. False: the client is finished.
static bool receive(Thread *self, Client *c) {
    char *fields[FIELDS];
    ssize_t n = recv(c->fd, c->request + c->received, REQUEST_LIMIT - c->received, 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    c->received += (size_t)n;
    switch (parse(c, fields)) {
        case INCOMPLETE: return c->received < REQUEST_LIMIT;
        case MALFORMED: return false;
        case OTHER_VERSION: set_reply(c, BAD_VERSION, NULL, 0); break;
        case COMPLETE: execute(self, c, fields); break;
    }
    return c->reply && send_reply(c);
}

// ---- the listener ------------------------------------------------------------------------------

typedef struct Server {
    int fd;  // the socket that the thread listens on now
    Client *clients[MAX_CLIENTS];
    int count;
    struct pollfd polls[MAX_CLIENTS + 1];  // the clients', then the listener's
} Server;

// Waits for an event until the first deadline.
static void poll_clients(void *server) {
    Server *s = server;
    int64_t first = THREAD_FOREVER, now = thread_now();
    for (int i = 0; i < s->count; i++)
        if (s->clients[i]->deadline < first) first = s->clients[i]->deadline;
    int timeout = first == THREAD_FOREVER ? -1 : first <= now ? 0 : (int)((first - now) / 1000000 + 1);
    if (poll(s->polls, (nfds_t)s->count + 1, timeout) < 0)
        for (int i = 0; i <= s->count; i++) s->polls[i].revents = 0;
}

static void serve_clients(Thread *self, Server *s) {
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        Client *c = s->clients[i];
        bool alive = true;
        if (s->polls[i].revents) alive = c->reply ? send_reply(c) : receive(self, c);
        if (alive && thread_now() >= c->deadline) alive = false;
        if (alive) s->clients[kept++] = c;
        else {
            shutdown(c->fd, SHUT_RDWR);
            close(c->fd);
            free(c->reply);
            free(c);
        }
    }
    s->count = kept;
}

static void serve(Thread *self, void *arg) {
    (void)arg;
    Server s = {.fd = atomic_load(&attach.listener)};
    for (;;) {
        for (int i = 0; i < s.count; i++)
            s.polls[i] = (struct pollfd){s.clients[i]->fd, s.clients[i]->reply ? POLLOUT : POLLIN, 0};
        // When all places are taken, further clients wait in the backlog.
        s.polls[s.count] = (struct pollfd){s.count < MAX_CLIENTS ? s.fd : -1, POLLIN, 0};
        thread_run_waiting(self, poll_clients, &s);
        short events = s.polls[s.count].revents;
        serve_clients(self, &s);
        if (events) {
            int current = atomic_load(&attach.listener);
            if (current != s.fd) {
                if (s.fd >= 0) close(s.fd);
                s.fd = current;
            } else if (events & POLLIN) {
                Client *c = accept_client(s.fd);
                if (c) s.clients[s.count++] = c;
            }
        }
    }
}

// ---- the socket --------------------------------------------------------------------------------

void attach_stop(void) {
    if (attach.socket_path[0]) unlink(attach.socket_path);
}

static void remove_in_crash(int sig) {
    (void)sig;
    attach_stop();
}

static void name_socket(char to[sizeof attach.socket_path]) {
    snprintf(to, sizeof attach.socket_path, "/tmp/.java_pid%ld", (long)getpid());
}

static bool publish(int fd, const char *temporary) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, temporary);
    unlink(temporary);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return false;
    if (listen(fd, BACKLOG) == 0 && chmod(temporary, 0600) == 0 && chown(temporary, geteuid(), getegid()) == 0 &&
        rename(temporary, attach.socket_path) == 0)
        return true;
    unlink(temporary);
    return false;
}

// The listening socket, renamed to its final name only after its mode is set. -1: failed.
static int open_socket(void) {
    char temporary[sizeof attach.socket_path + 4];
    name_socket(attach.socket_path);
    snprintf(temporary, sizeof temporary, "%s.tmp", attach.socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || publish(fd, temporary)) return fd;
    close(fd);
    return -1;
}

static bool start(Thread *self) {
    int fd = open_socket();
    if (fd < 0) return false;
    int old = atomic_exchange(&attach.listener, fd);
    if (old >= 0) {
        shutdown(old, SHUT_RDWR);
        return true;
    }
    signal_add_crash_hook(remove_in_crash);
    if (thread_start_service(self, "Attach Listener", PRIORITY, serve, NULL)) return true;
    exception_clear(self);
    attach_stop();
    close(fd);
    atomic_store(&attach.listener, -1);
    return false;
}

// ---- requests to listen ------------------------------------------------------------------------

static bool trigger_exists(const char *format) {
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, format, (long)getpid());
    return stat(path, &s) == 0 && (s.st_uid == geteuid() || s.st_uid == 0);
}

bool attach_requested(Thread *self) {
    if (vm.options.disable_attach) return false;
    if (!trigger_exists(".attach_pid%ld") && !trigger_exists("/tmp/.attach_pid%ld")) return false;
    struct stat s;
    return (atomic_load(&attach.listener) >= 0 && stat(attach.socket_path, &s) == 0) || start(self);
}

bool attach_init(Thread *self) {
    char stale[sizeof attach.socket_path];
    name_socket(stale);
    unlink(stale);
    if (vm.options.reduce_signals && !vm.options.disable_attach) start(self);
    return true;
}

// ---- exit and fork ------------------------------------------------------------------------------

// The socket and its listener's connections belong to the parent.
void attach_after_fork_child(void) {
    int fd = atomic_exchange(&attach.listener, -1);
    if (fd >= 0) close(fd);
    attach.socket_path[0] = 0;
}
