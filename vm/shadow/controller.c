// When a shadow is forked, and how its results are collected (vm/shadow/shadow.h). The controller is one of the
// profiler's threads in the program's process. It alone forks and waits for shadows until the program's end, when the
// thread that ends the program takes over.
//
// Like the paper's monitor, it keeps a running average of the number of shadows, and forks when that is below the
// requested load. Older times have less weight, so that a pause (busy processors) is not followed by a burst of
// shadows. A change of the program's phase is reason for a fork at once (vm/shadow/looks.c).
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gc/heap.h"
#include "vm/api/profilerthread.h"
#include "vm/instrument/profile.h"
#include "vm/shadow/hooks.h"
#include "vm/shadow/inputcalls.h"
#include "vm/shadow/shadow_internal.h"
#include "vm/threads/threadbackend.h"

ShadowState shadow = {.reaping = PTHREAD_MUTEX_INITIALIZER};

#define MS INT64_C(1000000)

// Time for collapsing the heap's pages before a fork, and at each tick while there is no shadow. With a shadow, the
// program's next write to them would split them again.
enum { COLLAPSE_MS = 20, COLLAPSE_LOOK_MS = 5 };

// ---- results ----------------------------------------------------------------------------------------

static void count_reason(const char *text, double missing) { shadow_count_reason(&shadow.reasons, text, missing); }

static void note_reason(const ShadowPage *p, ShadowEnd end, double missing) {
    char text[200], what[sizeof p->what];
    memcpy(what, p->what, sizeof what - 1);
    what[sizeof what - 1] = 0;
    const char *name = shadow_call_name((long)p->number);
    if (end == SHADOW_SYSCALL && name) snprintf(text, sizeof text, "%s%s%s", name, *what ? " " : "", what);
    else if (end == SHADOW_SYSCALL) snprintf(text, sizeof text, "system call %lld", (long long)p->number);
    else snprintf(text, sizeof text, "%s", what);
    if (end == SHADOW_SYSCALL || end == SHADOW_NATIVE || end == SHADOW_BEHIND || end == SHADOW_FAILED)
        count_reason(text, missing);
}

bool shadow_replays_input(void) { return inputs.log; }

void shadow_native_is_over(Thread *self) { inputlog_native_is_over(self); }

void shadow_watch_libraries(void) { inputcalls_watch(); }

// The shadow's results are used only if it reached its end and the profiler understands the payload.
static bool take_payload(const Shadow *s, double part) {
    const ShadowPage *p = s->page;
    struct stat st;
    if (!atomic_load(&p->complete) || fstat(s->fd, &st) != 0) return false;
    size_t bytes = p->bytes, file = (size_t)st.st_size;
    if (!bytes || file < sizeof *p || file - sizeof *p < bytes) return false;
    uint8_t *whole = mmap(NULL, sizeof *p + bytes, PROT_READ, MAP_SHARED, s->fd, 0);
    if (whole == MAP_FAILED) return false;
    bool ok = profile_shadow_sink()->take(whole + sizeof *p, bytes, part);
    munmap(whole, sizeof *p + bytes);
    return ok;
}

static void free_shadow(Shadow *s) {
    if (s->page) munmap(s->page, sizeof *s->page);
    if (s->fd >= 0) close(s->fd);
    *s = (Shadow){.fd = -1};
}

// The part of its planned length that the shadow ran. 1 unless a call ended it early.
static double part_of_length(const ShadowPage *p, uint32_t end) {
    const ShadowRequest *r = shadow.request;
    if (end != SHADOW_SYSCALL && end != SHADOW_NATIVE && end != SHADOW_BEHIND) return 1;
    double time = r->ns ? (double)(p->ended_cpu_ns - p->begun_cpu_ns) / (double)r->ns : 0;
    double checks = r->checks ? (double)p->checks / (double)r->checks : 0;
    double part = time > checks ? time : checks;
    return part < 0 ? 0 : part > 0.999 ? 0.999 : part;
}

enum { UNKNOWN = -1 };  // another thread has waited for it, or the system has (SIGCHLD is ignored)

static void take_results(Shadow *s, int status) {
    ShadowFigures *f = &shadow.figures;
    const ShadowPage *p = s->page;
    uint32_t end = atomic_load(&p->end);
    double part = part_of_length(p, end);
    bool taken = false;
    if (status == UNKNOWN && !atomic_load(&p->complete)) {
        f->damaged++;
    } else if (WIFSIGNALED(status)) {
        if (WTERMSIG(status) == SIGALRM || s->killed) {
            f->ended[SHADOW_LIMIT]++;
            count_reason("longer than timeout=", 1);
        } else {
            char text[32];
            snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
            count_reason(text, 1);
            f->by_signal++;
        }
    } else if (end == SHADOW_FAILED) {
        f->ended[end]++;
        note_reason(p, end, 1);
    } else if (end == SHADOW_RUNS || end > SHADOW_FAILED || (status != UNKNOWN && WEXITSTATUS(status) != 0) ||
               !(taken = take_payload(s, part))) {
        f->damaged++;
    } else {
        f->ended[end]++;
        note_reason(p, end, 1 - part);
        f->checks += p->checks;
        for (int w = 0; w < SHADOW_WAYS; w++) f->calls[w] += atomic_load(&p->calls[w]);
        f->run_ns += (uint64_t)(p->ended_ns - p->begun_ns);
        f->cpu_ns += (uint64_t)(p->ended_cpu_ns - p->begun_cpu_ns);
        if (p->prepared > f->prepared) f->prepared = p->prepared;
        f->adopted += p->adopted;
        f->left += p->left;
    }
    if (!taken) profile_shadow_sink()->lost();
    f->missing += taken ? 1 - part : 1;
    free_shadow(s);
    if (--shadow.live == 0) inputlog_record(false);
}

static void reap(void) {
    int64_t now = thread_now(), limit = (int64_t)shadow.request->limit_ns;
    pthread_mutex_lock(&shadow.reaping);
    for (int i = 0; i < SHADOW_MOST; i++) {
        Shadow *s = &shadow.shadows[i];
        int status = UNKNOWN;
        if (!s->pid) continue;
        int ended = waitpid(s->pid, &status, WNOHANG);
        if (ended == s->pid || (ended < 0 && errno == ECHILD)) {
            take_results(s, status);
        } else if (limit && !s->killed && now - s->forked_ns >= limit + 1000 * MS) {  // its own alarm comes first
            s->killed = true;
            kill(s->pid, SIGKILL);
        }
    }
    pthread_mutex_unlock(&shadow.reaping);
}

// ---- forking ----------------------------------------------------------------------------------------

static long minor_faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

// Waits until the shadow has set `done` or has ended, for a tenth of a second at most.
static void wait_for(const Shadow *s, const _Atomic uint32_t *done) {
    enum { LOOKS = 2000, US = 50 };
    for (int i = 0; i < LOOKS && !atomic_load(done) && !atomic_load(&s->page->end); i++) usleep(US);
}

// A thread in a native method would not continue in the shadow, which would then show the others only. Most such calls
// are short, so gives them a moment. World stopped.
static void await_native_calls(void) {
    enum { LOOKS = 20, US = 20 };
    for (int i = 0; i < LOOKS; i++) {
        bool inside = false;
        for (const Thread *t = threads.first; t && !inside; t = t->next)
            inside = !t->service && atomic_load(&t->state) == THREAD_NATIVE && !thread_can_be_adopted(t);
        if (!inside) return;
        usleep(US);
    }
}

// Returns with the lock held if it has forked.
static int fork_stopped(Shadow *s) {
    int64_t begin = thread_now();
    safepoint_stop(NULL, "shadow");
    enum { ASLEEP = EVENT_ASLEEP };
    // Whether a thread would run in the shadow, instead of only waiting for an event that never comes.
    bool closing = atomic_load(&shadow.closing), runs = false;
    for (const Thread *t = closing ? NULL : threads.first; t && !runs; t = t->next)
        runs = !t->service && thread_can_be_adopted(t) && !t->polls && !t->again.input &&
            atomic_load(&t->event) != ASLEEP;
    if (!runs || !shadow_hooks.hold_libraries()) {
        safepoint_resume(NULL);
        shadow.figures.postponed_nobody += !closing && !runs;
        shadow.figures.postponed_loading += runs;
        return -2;
    }
    if (inputs.log) await_native_calls();
    long faults = minor_faults();
    bool foreign = shadow_has_foreign_files();
    inputlog_record(true);
    int pid = shadow_hooks.fork(shadow_begin), saved = errno;
    shadow_hooks.release_libraries(pid == 0);
    if (pid == 0) shadow_warden(s);
    if (pid > 0) {
        // The thread that ends the program finds the shadow, but only when the fork is complete.
        pthread_mutex_lock(&shadow.reaping);
        s->pid = pid;
        shadow.live++;
        shadow.figures.forks++;
        if (foreign) wait_for(s, &s->page->streams_closed);
    }
    if (shadow.live == 0) inputlog_record(false);
    shadow.figures.fork_faults += (uint64_t)(minor_faults() - faults);
    safepoint_resume(NULL);
    uint64_t pause = (uint64_t)(thread_now() - begin);
    shadow.figures.pauses_ns += pause;
    if (pause > shadow.figures.longest_pause_ns) shadow.figures.longest_pause_ns = pause;
    errno = saved;
    return pid;
}

static bool fork_one(Shadow *s) {
    // A page, and a file for the payload after it.
    s->fd = memfd_create("cabernet-shadow", MFD_CLOEXEC);
    bool made = s->fd >= 0 && ftruncate(s->fd, sizeof *s->page) == 0;
    void *page = made ? mmap(NULL, sizeof *s->page, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0) : MAP_FAILED;
    s->page = page == MAP_FAILED ? NULL : page;
    if (!s->page) {
        shadow.figures.refused++;
        count_reason("no memory file for the results", 0);
        free_shadow(s);
        return false;
    }
    if (shadow.request->huge_pages) heap_use_huge_pages(&shadow.pages, COLLAPSE_MS * MS);
    shadow.pages.whole = false;
    shadow.page = s->page;
    shadow.fd = s->fd;
    shadow_hooks.keep_code(true);
    s->forked_ns = thread_now();
    int pid = fork_stopped(s);
    if (pid > 0) {
        wait_for(s, &s->page->copied);  // until then none of its code may be released
        pthread_mutex_unlock(&shadow.reaping);
    } else {
        if (pid == -1) {
            shadow.figures.refused++;
            count_reason(errno == EAGAIN       ? "fork: the limit on processes"
                             : errno == ENOMEM ? "fork: no memory"
                                               : "fork",
                         0);
        }
        free_shadow(s);
    }
    shadow_hooks.keep_code(false);
    return pid > 0;
}

// ---- when to fork -----------------------------------------------------------------------------------

static void update_average(void) {
    const double memory_ns = 10e9;
    int64_t now = thread_now();
    double passed = (double)(now - shadow.looked_ns);
    shadow.looked_ns = now;
    shadow.live_ns += passed * shadow.live;
    shadow.seen_ns += passed;
    if (shadow.seen_ns <= memory_ns) return;
    shadow.live_ns *= memory_ns / shadow.seen_ns;
    shadow.seen_ns = memory_ns;
}

// Measures all processors together since the last call: busy means that less than half of one was idle.
static void measure_idle_time(void) {
    uint64_t t[8] = {0}, all = 0;
    FILE *in = fopen("/proc/stat", "re");
    int got = in
        ? fscanf(in, "cpu %lu %lu %lu %lu %lu %lu %lu %lu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7])
        : 0;
    if (in) fclose(in);
    if (got < 5) return;
    for (int i = 0; i < got; i++) all += t[i];
    uint64_t idle = t[3] + t[4], passed = all - shadow.all_ticks;
    if (shadow.idle_known && passed < 10) return;  // at a hundred a second: too few to tell
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (shadow.idle_known) {
        double idle_processors = (double)(idle - shadow.idle_ticks) / (double)passed * (double)processors;
        shadow.busy = idle_processors + shadow.live < 0.5;
    }
    shadow.idle_known = true;
    shadow.idle_ticks = idle;
    shadow.all_ticks = all;
}

static bool wants_one(void) {
    double load = shadow.request->load;
    if (shadow.live >= SHADOW_MOST || shadow.live >= (int)ceil(load)) return false;
    if (!shadow.changed && shadow.live_ns > load * shadow.seen_ns) return false;
    // A converged profile gets a tenth of the load, to detect a change of the program's behaviour.
    bool converged = !shadow.changed && shadow.request->converges && profile_shadow_sink()->converged();
    if (converged && shadow.live_ns > load / 10 * shadow.seen_ns) {
        shadow.figures.converged_skips++;
        return false;
    }
    if (shadow.request->yields && shadow.busy) {
        shadow.figures.postponed_busy++;
        return false;
    }
    return true;
}

static void tick(void) {
    reap();
    update_average();
    if (shadow.request->yields) measure_idle_time();
    bool yields = shadow.request->yields && shadow.busy, idle = shadow.live == 0 && !yields;
    if (shadow.request->huge_pages) heap_use_huge_pages(&shadow.pages, idle ? COLLAPSE_LOOK_MS * MS : 0);
    if (shadow.request->changes && !yields) shadow.changed |= shadow_phase_changes();
    if (atomic_load(&shadow.closing) || !wants_one()) return;
    Shadow *place = shadow.shadows;  // there is a free one
    while (place->pid) place++;
    if (!fork_one(place)) return;
    shadow.figures.change_forks += shadow.changed;
    shadow.changed = false;
}

// The shadows die with the pthread that forked them, so it stays until the profile's threads are stopped.
static void controller_main(ProfilerThread *self, void *arg) {
    (void)arg;
    shadow.started_ns = shadow.looked_ns = thread_now();
    tick();
    atomic_store(&shadow.first, 1);
    backend_wake(&shadow.first, INT_MAX);
    while (!atomic_load(&shadow.closing) &&
           profilerthread_sleep(self, thread_now() + (int64_t)shadow.request->period_ns))
        tick();
    atomic_store(&shadow.closing, 2);
    backend_wake(&shadow.closing, INT_MAX);
    while (profilerthread_sleep(self, THREAD_FOREVER)) {}
}

// ---- start and end ----------------------------------------------------------------------------------

// In a shadow, which the first tick may have forked, there is no controller to wait for.
static void wait_for_first(void *arg) {
    (void)arg;
    while (!threads.shadow && !atomic_load(&shadow.first)) backend_wait(&shadow.first, 0, THREAD_FOREVER);
}

void shadow_start(Thread *self) {
    if (!profile_shadow_request()) return;
    shadow_note_inherited();
    shadow_start_late(self);
}

void shadow_start_late(Thread *self) {
    shadow.request = profile_shadow_request();
    shadow.program = getpid();
    if (inputs.log || inputlog_open()) shadow_watch_libraries();
    else count_reason("no memory for the program's input", 0);
    for (int i = 0; i < SHADOW_MOST; i++) shadow.shadows[i].fd = -1;
    shadow.controller = profilerthread_start("Shadows", controller_main, NULL);
    if (!shadow.controller) {
        shadow.figures.refused++;
        count_reason("no thread for the controller", 0);
        return;
    }
    if (shadow.request->load >= 1) thread_run_again(self, THREAD_BLOCKED, wait_for_first, NULL);
}

void shadow_close(void) {
    if (!shadow.controller || atomic_load(&shadow.closing) == 2) return;
    atomic_store(&shadow.closing, 1);
    profilerthread_wake(shadow.controller);
    if (safepoint_stopped_by_me()) return;  // the controller may wait for the next stop, and forks no more
    int64_t deadline = thread_now() + 2000 * MS;
    while (atomic_load(&shadow.closing) == 1 && thread_now() < deadline) backend_wait(&shadow.closing, 1, deadline);
}

static void report_facts(void) {
    const ShadowFigures *f = &shadow.figures;
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        {"shadows", f->forks},
        {"shadows-ended-by-length", f->ended[SHADOW_LENGTH]},
        {"shadows-ended-with-program", f->ended[SHADOW_PROGRAM]},
        {"shadows-ended-early", f->ended[SHADOW_ASKED]},
        {"shadows-ended-by-system-call", f->ended[SHADOW_SYSCALL]},
        {"shadows-ended-by-native-method", f->ended[SHADOW_NATIVE]},
        {"shadows-ended-idle", f->ended[SHADOW_IDLE]},
        {"shadows-ended-behind-input", f->ended[SHADOW_BEHIND]},
        {"shadows-ended-by-time-limit", f->ended[SHADOW_LIMIT]},
        {"shadows-failed", f->ended[SHADOW_FAILED]},
        {"shadows-killed", f->by_signal},
        {"shadows-damaged", f->damaged},
        {"shadows-refused", f->refused},
        {"shadows-missing-permille", f->forks ? (uint64_t)(1000 * f->missing / (double)f->forks + 0.5) : 0},
        {"shadows-postponed-busy", f->postponed_busy},
        {"shadows-postponed-idle", f->postponed_nobody},
        {"shadows-postponed-loading", f->postponed_loading},
        {"shadows-postponed-converged", f->converged_skips},
        {"shadow-checks", f->checks},
        {"shadow-run-ns", f->run_ns},
        {"shadow-cpu-ns", f->cpu_ns},
        {"shadow-code", f->prepared},
        {"shadow-threads", f->adopted},
        {"shadow-threads-left", f->left},
        {"shadow-phase-changes", f->changes},
        {"shadows-at-phase-changes", f->change_forks},
        {"phase-looks", f->looks},
        {"phase-looks-ns", f->looks_ns},
        {"fork-pauses-ns", f->pauses_ns},
        {"fork-longest-pause-ns", f->longest_pause_ns},
        {"fork-page-faults", f->fork_faults},
        {"page-faults", (uint64_t)minor_faults()},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    static const char *const ways[] = {
#define WAY(name, text) text,
#include "vm/shadow/ways.def"
    };
    ShadowFact facts[ROWS + SHADOW_REASONS + SHADOW_WAYS];
    int n = 0;
    for (; n < ROWS; n++) {
        snprintf(facts[n].key, sizeof facts[n].key, "%s", rows[n].key);
        snprintf(facts[n].text, sizeof facts[n].text, "%llu", (unsigned long long)rows[n].value);
    }
    for (int i = 0; i < shadow.reasons.count; i++, n++) {
        const struct ShadowReason *r = &shadow.reasons.row[i];
        snprintf(facts[n].key, sizeof facts[n].key, "shadow-reason-%d", i + 1);
        snprintf(facts[n].text, sizeof facts[n].text, "%s: %llu, %.1f %% missing", r->text,
                 (unsigned long long)r->count, f->forks ? 100 * r->missing / (double)f->forks : 0.0);
    }
    for (int w = 0; w < SHADOW_WAYS; w++) {
        if (!ways[w] || !f->calls[w]) continue;
        snprintf(facts[n].key, sizeof facts[n].key, "shadow-calls-%d", w);
        snprintf(facts[n].text, sizeof facts[n].text, "%s: %llu", ways[w], (unsigned long long)f->calls[w]);
        n++;
    }
    profile_shadow_sink()->facts(facts, n);
}

void shadow_report(void) {
    pthread_mutex_lock(&shadow.reaping);
    report_facts();
    pthread_mutex_unlock(&shadow.reaping);
}

// Kills shadows that have not ended a second after they were asked to.
void shadow_await(void) {
    if (!shadow.request || threads.shadow) return;
    int64_t ask = thread_now() + (int64_t)shadow.request->wait_ns;
    while (reap(), shadow.live > 0) {
        int64_t now = thread_now();
        for (Shadow *s = shadow.shadows; s < shadow.shadows + SHADOW_MOST; s++) {
            if (!s->pid) continue;
            if (now >= ask) atomic_store(&s->page->asked, 1);
            if (now < ask + 1000 * MS || s->killed) continue;
            s->killed = true;
            kill(s->pid, SIGKILL);
        }
        usleep(500);
    }
}

void shadow_finish(void) {
    if (!shadow.request || threads.shadow) return;
    shadow_await();
    report_facts();
}

// The descriptors of the process (`inherited`) and the log of inputs stay.
void shadow_forget(void) {
    if (shadow.controller) profilerthread_stop(shadow.controller, THREAD_FOREVER);
    pthread_mutex_lock(&shadow.reaping);
    shadow.controller = NULL;
    shadow.request = NULL;
    atomic_store(&shadow.first, 0);
    atomic_store(&shadow.closing, 0);
    shadow.figures = (ShadowFigures){0};
    shadow.reasons.count = 0;
    shadow.live_ns = shadow.seen_ns = 0;
    shadow.idle_known = shadow.busy = shadow.changed = false;
    shadow.phase_ns = 0;
    pthread_mutex_unlock(&shadow.reaping);
}
