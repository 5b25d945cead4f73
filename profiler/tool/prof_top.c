// `cabernet-prof top PID`: shows repeatedly what a running program does. Each look requests the current profile from
// the VM (jcmd's Profile.dump, through the attach interface of the JDK's tools) and shows what was added since the
// previous look.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/prof_commands.h"

enum { DEFAULT_EVERY = 2, DEFAULT_ROWS = 20, ATTACH_TRIES = 100, ATTACH_MS = 50, ANSWER = 4096, RESERVED_LINES = 5 };

static volatile sig_atomic_t interrupted;
static void interrupt(int signal) { (void)signal, interrupted = 1; }

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
static int attach(long pid) {
    char path[64], request[64];
    snprintf(path, sizeof path, "/tmp/.java_pid%ld", pid);
    int fd = connect_to(path);
    if (fd >= 0 || !catches_quit(pid)) return fd;
    snprintf(request, sizeof request, "/tmp/.attach_pid%ld", pid);
    int asked = open(request, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (asked >= 0) close(asked);
    kill((pid_t)pid, SIGQUIT);
    for (int i = 0; i < ATTACH_TRIES && fd < 0 && kill((pid_t)pid, 0) == 0 && !interrupted; i++) {
        poll(NULL, 0, ATTACH_MS);
        fd = connect_to(path);
    }
    if (asked >= 0) unlink(request);
    return fd;
}

// Sends a diagnostic command. False with *answer: the VM's error, or why it cannot be reached.
static bool ask(long pid, const char *command, char *answer, size_t size) {
    int fd = attach(pid);
    if (fd < 0) {
        snprintf(answer, size,
                 kill((pid_t)pid, 0) == 0 || errno == EPERM
                     ? "process %ld does not answer: is it cabernet's, and yours?"
                     : "there is no process %ld",
                 pid);
        return false;
    }
    char request[1200];
    size_t n = (size_t)snprintf(request, sizeof request, "1%cjcmd%c%s%c%c", 0, 0, command, 0, 0) + 1, got = 0;
    bool sent = n <= sizeof request && write(fd, request, n) == (ssize_t)n;
    for (ssize_t k = 1; sent && k > 0 && got + 1 < size; got += k > 0 ? (size_t)k : 0)
        k = read(fd, answer + got, size - 1 - got);
    answer[got] = '\0';
    close(fd);
    if (!got) snprintf(answer, size, "process %ld has gone, or gives no answer", pid);
    return sent && strncmp(answer, "0\n", 2) == 0;
}

// ---- looks -------------------------------------------------------------------------------------

typedef struct Count {
    char *name;
    uint64_t count;  // in the whole profile
    uint64_t fresh;  // since the previous look
} Count;

typedef struct Look {
    Count *counts;  // by name
    size_t count;
    uint64_t total;  // of `fresh`
    bool exact;
    char what[64];  // "method entries"
} Look;

static void look_free(Look *l) {
    for (size_t i = 0; i < l->count; i++) free(l->counts[i].name);
    free(l->counts);
    *l = (Look){0};
}

static size_t add_equal(Count *counts, size_t n) {
    size_t last = 0;
    if (!n) return 0;
    qsort(counts, n, sizeof *counts, prof_by_text);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(counts[last].name, counts[i].name) != 0) {
            counts[++last] = counts[i];
            continue;
        }
        counts[last].count += counts[i].count;
        free(counts[i].name);
    }
    return last + 1;
}

static bool take_look(const ProfFile *f, const ProfOptions *o, const Look *before, Look *out) {
    const ProfAnalysis *a = NULL;  // method entries, or else the first table
    for (size_t i = 0; i < f->analysis_count; i++)
        if (strcmp(f->analyses[i].name, "method-count") == 0 || (!a && !prof_is_tree(&f->analyses[i])))
            a = &f->analyses[i];
    if (!a) return false;
    ProfView v = prof_view(f, a, &a->merged, o);
    *out = (Look){.counts = prof_alloc(v.count * sizeof *out->counts), .exact = prof_is_exact(f)};
    snprintf(out->what, sizeof out->what, "%.60s", a->event);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        out->counts[i] = (Count){prof_row_text(f, a, row), prof_row_count(a, row), 0};
    }
    out->count = add_equal(out->counts, v.count);
    prof_view_free(&v);
    for (size_t i = 0; i < out->count; i++) {
        Count *c = &out->counts[i],
              *old = before->count ? bsearch(c, before->counts, before->count, sizeof *c, prof_by_text) : NULL;
        c->fresh = c->count - (old && old->count < c->count ? old->count : old ? c->count : 0);
        out->total += c->fresh;
    }
    return true;
}

// ---- output ------------------------------------------------------------------------------------

static void print_look(const Look *l, const ProfOptions *o, long pid, double seconds, size_t rows, FILE *out) {
    char total[32], count[32];
    ProfRank *sorted = prof_alloc(l->count * sizeof *sorted);
    for (size_t i = 0; i < l->count; i++) sorted[i] = (ProfRank){l->counts[i].fresh, i};
    if (l->count) qsort(sorted, l->count, sizeof *sorted, prof_by_weight);
    fprintf(out, "process %ld: %s %s%s in %.1f s%s\n\n  %15s  %5s\n", pid, prof_number(total, l->total), l->what,
            l->exact ? "" : " in samples", seconds,
            o->application ? "; the program, --all shows the class library too" : "", "count", "%");
    for (size_t i = 0; i < l->count && i < rows && sorted[i].weight; i++)
        fprintf(out, "  %15s  %5.1f  %s\n", prof_number(count, sorted[i].weight),
                100.0 * (double)sorted[i].weight / (double)l->total, l->counts[sorted[i].item].name);
    free(sorted);
}

static void show(const ProfScreen *screen, const Look *l, const ProfOptions *o, long pid, double seconds) {
    size_t rows = o->top_given            ? (o->top ? o->top : SIZE_MAX)
        : screen->height > RESERVED_LINES ? screen->height - RESERVED_LINES
                                          : DEFAULT_ROWS;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    print_look(l, o, pid, seconds, rows, out);
    if (fclose(out) != 0) prof_out_of_memory();
    if (screen->height) fputs("\033[H\033[J", stdout);  // a terminal's screen
    prof_screen_write(screen, text, size, stdout);
    if (!screen->height) putchar('\n');
    fflush(stdout);
    free(text);
}

// Has the VM write the file, which only its user and ours can read. False: the program has ended, or there is nothing
// to show.
static bool dump(long pid, const char *path, ProfFile *f, bool first) {
    char command[600], answer[ANSWER];
    snprintf(command, sizeof command, "Profile.dump %s", path);
    unlink(path);
    bool ok = ask(pid, command, answer, sizeof answer) && access(path, R_OK) == 0;
    if (ok) prof_file_open(f, path);
    if (ok && f->complete) return true;
    const char *line = strchr(answer, '\n');
    bool gone = !first && kill((pid_t)pid, 0) != 0;
    if (gone) return false;
    const char *why = ok ? f->problem : line ? line + 1 : answer;  // after the status line
    fprintf(stderr, "cabernet-prof: %.*s\n", (int)strcspn(why, "\n"), why);
    if (first)
        fprintf(stderr, "cabernet-prof: jcmd %ld Profile.start sampled starts a profile, if there is none\n", pid);
    if (ok) prof_file_close(f);
    return false;
}

// Looks until the limit is reached. Returns the number of looks.
static size_t look_again(long pid, const char *path, const ProfOptions *options) {
    ProfScreen screen = prof_screen(options->width);
    Look before = {0};
    size_t looks = 0, every = options->every ? options->every : DEFAULT_EVERY;
    int64_t last = clock_monotonic_ns();
    for (ProfFile f; !interrupted && dump(pid, path, &f, !looks); looks++) {
        ProfOptions o = *options;
        Look now;
        int64_t at = clock_monotonic_ns();
        o.application = !o.all && !o.filter_count && prof_has_application(&f);
        if (!take_look(&f, &o, &before, &now))
            fprintf(stderr, "cabernet-prof: its profile has no counts\n"), interrupted = 1;
        else
            show(&screen, &now, &o, pid,
                 looks ? (double)(at - last) / 1e9 : (double)prof_meta_number(&f, "duration-ns") / 1e9);
        prof_file_close(&f);
        look_free(&before);
        before = now;
        last = at;
        if (options->times && looks + 1 >= options->times) interrupted = 1;
        for (size_t i = 0; i < every * 10 && !interrupted; i++) poll(NULL, 0, 100);
    }
    look_free(&before);
    return looks;
}

int prof_top(const ProfOptions *o) {
    char directory[] = "/tmp/cabernet-prof-XXXXXX", path[sizeof directory + 16], *end;
    long pid = strtol(o->files[0], &end, 10);
    if (*end || pid <= 0) {
        fprintf(stderr, "cabernet-prof: top takes the number of a process, not %s; jps -l lists those of VMs\n",
                o->files[0]);
        return 1;
    }
    if (!mkdtemp(directory)) {
        fprintf(stderr, "cabernet-prof: cannot make a directory in /tmp: %s\n", strerror(errno));
        return 2;
    }
    snprintf(path, sizeof path, "%s/now.prof", directory);
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    size_t looks = look_again(pid, path, o);
    unlink(path);
    rmdir(directory);
    return looks ? 0 : 2;
}
