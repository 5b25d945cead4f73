// Recordings (vm/management/recording.h). The VM has no writer of JFR files: cabernet-prof has one, which runs as a
// child process that only reads the profile's file. A profile is never discarded: its file stays beside the recording.
#include "vm/management/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/instrument/profilecontrol.h"
#include "vm/runtime/exception.h"
#include "vm/threads/lock.h"

enum { PATH = 4096, NAME = 64, TIMER_PRIORITY = 5 };
#define PROFILE_NAME "recording"  // of the profile that is the recording

static struct {
    Lock lock;  // guards the rest
    bool running;
    uint32_t number;      // of the last recording, from 1
    char name[NAME];      // its number if it has no other
    char filename[PATH];  // absolute; "": none
    char profile[PATH];   // the profile's file, absolute
    char duration[NAME];  // as given; "": no limit
    int wake;             // eventfd that ends the timer's wait; 0: no timer
} recording;

static __attribute__((format(printf, 2, 3))) bool refuse(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    return false;
}

// ---- files -------------------------------------------------------------------------------------

static bool make_absolute(const char *path, char *to) {
    char directory[PATH] = "";
    if (*path != '/' && !getcwd(directory, sizeof directory)) return false;
    return snprintf(to, PATH, "%s%s%s", directory, *directory ? "/" : "", path) < PATH;
}

// "recording.jfr" has its profile in recording.prof.
static bool name_profile(char *to) {
    char usual[NAME];
    snprintf(usual, sizeof usual, "cabernet-%ld-%u.jfr", (long)getpid(), recording.number);
    if (!*recording.filename && !make_absolute(usual, to)) return false;
    if (*recording.filename) strcpy(to, recording.filename);
    size_t n = strlen(to);
    if (n > 4 && strcmp(to + n - 4, ".jfr") == 0) n -= 4;
    if (n + sizeof ".prof" > PATH) return false;
    strcpy(to + n, ".prof");
    return true;
}

typedef struct Conversion {
    char tool[PATH];
    const char *from, *to;
    int status;  // of the tool; -1: it does not run
} Conversion;

// Not in the running state: the tool may take a while.
static void run_tool(void *arg) {
    Conversion *c = arg;
    char *const words[] = {"cabernet-prof", "export", "--jfr", "-o", (char *)c->to, (char *)c->from, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    for (int fd = 0; fd < 3; fd++) posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    c->status = -1;
    if (posix_spawn(&child, c->tool, &files, &attributes, words, environ) == 0) {
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
}

// Converts the profile's file. `what` begins the answer, as HotSpot's does.
static bool convert(Thread *self, const char *what, const char *to, FILE *out) {
    Conversion c = {.from = recording.profile, .to = to, .status = -1};
    ssize_t n = readlink("/proc/self/exe", c.tool, sizeof c.tool - sizeof "cabernet-prof");
    if (n > 0) {
        c.tool[n] = '\0';
        strcpy(strrchr(c.tool, '/') + 1, "cabernet-prof");
        thread_run_waiting(self, run_tool, &c);
    }
    struct stat written;
    if (c.status != 0 || stat(to, &written) != 0) {
        fprintf(out,
                "%s recording \"%s\", but it cannot be converted here. Convert it with:\n\n"
                "cabernet-prof export --jfr -o %s %s\n",
                what, recording.name, to, recording.profile);
        return false;
    }
    bool large = written.st_size >= 1 << 20;
    fprintf(out, "%s recording \"%s\", %.1f %s written to:\n\n%s\n", what, recording.name,
            (double)written.st_size / (large ? 1 << 20 : 1 << 10), large ? "MB" : "kB", to);
    return true;
}

// ---- start and stop, with the lock --------------------------------------------------------------

// "30s", "5m": nanoseconds. -1: malformed.
static int64_t parse_duration(const char *text) {
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"ns", 1},          {"us", 1000},         {"ms", 1000000},      {"s", 1000000000},
                 {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno || end == text || n < 0 || strlen(text) >= NAME) return -1;
    if (n == 0 && !*end) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) return n > INT64_MAX / units[i].ns ? -1 : n * units[i].ns;
    return -1;
}

// Analyses for HotSpot's settings of these names. NULL: there are no such settings.
static const char *analyses_of(const char *settings) {
    static const char *const known[][2] = {{"default", "cpu"}, {"profile", "cpu,alloc-tree"}};
    size_t n = settings ? strlen(settings) : 0;
    if (!n) return known[0][1];
    if (n > 4 && strcmp(settings + n - 4, ".jfc") == 0) n -= 4;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i][0]) == n && memcmp(known[i][0], settings, n) == 0) return known[i][1];
    return NULL;
}

// Ends the recording in the profile's file.
static bool end_profile(Thread *self, FILE *out) {
    char error[512];
    recording.running = false;
    if (recording.wake > 0 && eventfd_write(recording.wake, 1) != 0)
        fputs("Warning! The recording's timer continues.\n", out);
    recording.wake = 0;
    if (profilecontrol(self, PROFILE_END, PROFILE_NAME, NULL, error, sizeof error)) return true;
    return refuse(out, "Could not stop recording \"%s\". %s\n", recording.name, error);
}

static bool stop(Thread *self, const char *filename, FILE *out) {
    char to[PATH];
    strcpy(to, recording.filename);
    if (filename && !make_absolute(filename, to)) return refuse(out, "The name is too long: %s\n", filename);
    if (!end_profile(self, out)) return false;
    if (*to) return convert(self, "Stopped", to, out);
    fprintf(out, "Stopped recording \"%s\". Its profile is in:\n\n%s\n", recording.name, recording.profile);
    return true;
}

// ---- the end of the duration --------------------------------------------------------------------

typedef struct Timer {
    uint32_t number;  // of the recording
    int64_t deadline;
    int wake;
} Timer;

static void wait_for_deadline(void *arg) {
    const Timer *t = arg;
    struct pollfd woken = {.fd = t->wake, .events = POLLIN};
    for (int64_t left; (left = t->deadline - thread_now()) > 0;) {
        int64_t ms = left / 1000000 + 1;
        if (poll(&woken, 1, ms < INT32_MAX ? (int)ms : INT32_MAX) > 0) return;
    }
}

static void run_timer(Thread *self, void *arg) {
    Timer *t = arg;
    thread_run_waiting(self, wait_for_deadline, t);
    lock_enter(self, &recording.lock);
    if (recording.running && recording.number == t->number) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        bool ok = out && stop(self, NULL, out);
        if (out) fclose(out);
        if (!ok) fprintf(stderr, "cabernet: %s", text ? text : "the recording continues: out of memory\n");
        free(text);
    }
    lock_exit(self, &recording.lock);
    close(t->wake);
    free(t);
}

static bool start_timer(Thread *self, int64_t duration_ns) {
    Timer *t = malloc(sizeof *t);
    if (!t) return false;
    *t = (Timer){recording.number, thread_now() + duration_ns, eventfd(0, EFD_CLOEXEC)};
    if (t->wake >= 0 && thread_start_service(self, "JFR Recording Scheduler", TIMER_PRIORITY, run_timer, t)) {
        recording.wake = t->wake;
        return true;
    }
    if (self->exception) exception_clear(self);
    if (t->wake >= 0) close(t->wake);
    free(t);
    return false;
}

// ---- the commands --------------------------------------------------------------------------------

static bool start(Thread *self, const RecordingRequest *r, FILE *out) {
    char text[PATH + 64], error[512];
    int64_t duration_ns = r->duration ? parse_duration(r->duration) : 0;
    const char *analyses = analyses_of(r->settings);
    if (recording.running)
        return refuse(out, "Recording \"%s\" is running, and a process has one at a time.\n", recording.name);
    if (duration_ns < 0) return refuse(out, "Integer parsing error nanotime value: syntax error\n");
    if (!analyses)
        return refuse(out, "Could not parse settings file '%s'; there are default and profile\n", r->settings);
    if (r->name && strlen(r->name) >= NAME) return refuse(out, "The name is too long: %s\n", r->name);
    recording.number++;
    snprintf(recording.name, NAME, "%u", recording.number);
    if (r->name) strcpy(recording.name, r->name);
    recording.filename[0] = '\0';
    snprintf(recording.duration, NAME, "%s", duration_ns ? r->duration : "");
    if ((r->filename && !make_absolute(r->filename, recording.filename)) || !name_profile(recording.profile))
        return refuse(out, "The name is too long: %s\n", r->filename ? r->filename : "");
    snprintf(text, sizeof text, "%s:message=off:file=%s", analyses, recording.profile);
    if (!profilecontrol(self, PROFILE_START, PROFILE_NAME, text, error, sizeof error))
        return refuse(out, "Could not start a recording. %s\n", error);
    recording.running = true;
    if (duration_ns && !start_timer(self, duration_ns)) {
        end_profile(self, out);
        return refuse(out, "Could not start the recording's timer; it has ended.\n");
    }
    if (*recording.filename)
        fprintf(out, "Started recording %u. The result will be written to:\n\n%s\n", recording.number,
                recording.filename);
    else
        fprintf(out,
                "Started recording %u.\n\nUse jcmd %ld JFR.dump name=%s filename=FILEPATH to copy recording data to "
                "file.\n",
                recording.number, (long)getpid(), recording.name);
    return true;
}

// Is it the recording that `name` (a name or a number) names?
static bool is_named(const char *name) {
    char number[16];
    snprintf(number, sizeof number, "%u", recording.number);
    return recording.running && (strcmp(name, recording.name) == 0 || strcmp(name, number) == 0);
}

static bool refuse_name(FILE *out, const char *name) {
    return refuse(out, "Could not find %s.\n\nUse JFR.check without options to see list of all available recordings.\n",
                  name);
}

static bool dump(Thread *self, const RecordingRequest *r, FILE *out) {
    char error[512], usual[NAME], to[PATH];
    if (r->name ? !is_named(r->name) : !recording.running)
        return r->name ? refuse_name(out, r->name)
                       : refuse(out, "No recordings to dump from. Use JFR.start to start a recording.\n");
    snprintf(usual, sizeof usual, "cabernet-%ld-%u.jfr", (long)getpid(), recording.number);
    if (!make_absolute(r->filename ? r->filename : usual, to))
        return refuse(out, "The name is too long: %s\n", r->filename);
    if (!profilecontrol(self, PROFILE_DUMP, PROFILE_NAME, NULL, error, sizeof error))
        return refuse(out, "Could not dump recording \"%s\". %s\n", recording.name, error);
    return convert(self, "Dumped", to, out);
}

bool recording_start(Thread *self, const RecordingRequest *request, FILE *out) {
    lock_enter(self, &recording.lock);
    uint32_t before = recording.number;
    bool ok = start(self, request, out);
    if (!ok) recording.number = before;
    lock_exit(self, &recording.lock);
    return ok;
}

bool recording_dump(Thread *self, const RecordingRequest *request, FILE *out) {
    lock_enter(self, &recording.lock);
    bool ok = dump(self, request, out);
    lock_exit(self, &recording.lock);
    return ok;
}

bool recording_stop(Thread *self, const RecordingRequest *request, FILE *out) {
    if (!request->name) return refuse(out, "The argument 'name' is mandatory\n");
    lock_enter(self, &recording.lock);
    bool ok = is_named(request->name) ? stop(self, request->filename, out) : refuse_name(out, request->name);
    lock_exit(self, &recording.lock);
    return ok;
}

void recording_check(Thread *self, FILE *out) {
    lock_enter(self, &recording.lock);
    if (recording.running)
        fprintf(out, "Recording %u: name=%s%s%s (running)\n", recording.number, recording.name,
                *recording.duration ? " duration=" : "", recording.duration);
    else fprintf(out, "No available recordings.\n\nUse jcmd %ld JFR.start to start a recording.\n", (long)getpid());
    lock_exit(self, &recording.lock);
}

void recording_after_fork_child(void) {
    if (recording.wake > 0) close(recording.wake);
    memset(&recording, 0, sizeof recording);
}
