// `cabernet-prof report`: a profile as text. Tables are derived from the columns that the file describes, so a new
// analysis needs no change here.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { DEFAULT_TOP = 20, THREAD_TOP = 5, GROUP_TOP = 10 };
enum { BAR = 12, LINE = 100, LABEL = 12, COMMAND = 250 };  // characters

// ---- header ------------------------------------------------------------------------------------

// A label and a text, wrapped at spaces.
static void labelled(FILE *out, const char *label, const char *text) {
    fprintf(out, "  %-*s", LABEL - 2, label);
    int at = LABEL;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (at > LABEL && at + n + 1 > LINE) {
            fprintf(out, "\n%*s", LABEL, "");
            at = LABEL;
        } else if (at > LABEL) {
            putc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", n, text);
        at += n;
        text += n + (text[n] == ' ');
    }
    putc('\n', out);
}

__attribute__((format(printf, 3, 4))) static void line(FILE *out, const char *label, const char *format, ...) {
    va_list args;
    char *text;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) prof_out_of_memory();
    va_end(args);
    labelled(out, label, text);
    free(text);
}

// When a sample starts, in words.
static char *trigger_text(const ProfFile *f) {
    char *text, interval[32], jitter[32], rate[32];
    const char *mode = prof_meta(f, "sampling", "?");
    prof_number(interval, prof_meta_number(f, "interval"));
    prof_number(jitter, prof_meta_number(f, "jitter"));
    prof_number(rate, prof_meta_number(f, "rate"));
    if ((strcmp(mode, "timer") == 0
             ? asprintf(&text, "by a timer every %g ms%s%s%s", (double)prof_meta_number(f, "interval-us") / 1e3,
                        prof_meta(f, "skip", NULL) ? " and at random up to " : "", prof_meta(f, "skip", ""),
                        prof_meta(f, "skip", NULL) ? " checks later" : "")
             : strcmp(mode, "rate") == 0
             ? asprintf(
                   &text,
                   "%s in a second of processor time, which came to one in %s checks, give or take a tenth at random",
                   rate, interval)
             : strcmp(mode, "jitter") == 0 ? asprintf(&text, "every %s checks, give or take %s at random (seed %s)",
                                                      interval, jitter, prof_meta(f, "seed", "?"))
                                           : asprintf(&text, "every %s checks", interval)) < 0)
        prof_out_of_memory();
    return text;
}

// When a loop of k checks and the period have a common factor, samples hit only some places of the loop.
static void print_steps(const ProfFile *f, FILE *out) {
    enum { LARGEST = 31 };  // longer loops are rarely as regular
    char factors[160] = "", number[32];
    if (prof_meta_number(f, "interval") < 2 || strcmp(prof_meta(f, "sampling", "?"), "counter") != 0) return;
    uint64_t period = prof_meta_number(f, "interval") + prof_meta_number(f, "burst") - 1, rest = period;
    for (uint64_t p = 2; p <= LARGEST && rest; p++) {
        if (rest % p) continue;
        size_t n = strlen(factors);
        snprintf(factors + n, sizeof factors - n, "%s%llu", n ? ", " : "", (unsigned long long)p);
        while (rest % p == 0) rest /= p;
    }
    if (*factors)
        line(out, "WARNING",
             "samples begin %s checks apart, which may keep step with loops: it is divisible by %s. Shares"
             " may be wrong; take a prime, as interval=997 without burst=, or sampling=jitter",
             prof_number(number, period), factors);
}

static void print_samples(const ProfFile *f, FILE *out) {
    char samples[32], checks[32], truncated[32], expectation[64] = "", number[32];
    // The number of recorded checks if all were equally likely, which only one fixed interval tells.
    uint64_t interval = prof_meta_number(f, "interval"), burst = prof_meta_number(f, "burst");
    if (interval && burst && !prof_meta_number(f, "rate") && !prof_meta_number(f, "changes") &&
        !prof_meta_number(f, "off-ns")) {
        double expected = (double)prof_meta_number(f, "checks") * (double)burst / (double)(interval + burst - 1);
        snprintf(expectation, sizeof expectation, ", %s expected", prof_number(number, (uint64_t)(expected + 0.5)));
    }
    line(out, "samples", "%s of %s checks%s; %s samples cut short",
         prof_number(samples, prof_meta_number(f, "samples")), prof_number(checks, prof_meta_number(f, "checks")),
         expectation, prof_number(truncated, prof_meta_number(f, "truncated")));
    if (prof_meta(f, "threads-unsampled", NULL))
        line(out, "", "%s of %s threads are without a sample",
             prof_number(number, prof_meta_number(f, "threads-unsampled")),
             prof_number(samples, prof_meta_number(f, "threads")));
}

static void print_sampling(const ProfFile *f, FILE *out) {
    if (prof_is_exact(f) || prof_in_shadows(f) || prof_consumers_sample(f) || prof_is_unanalysed(f)) return;
    char burst[32], *trigger = trigger_text(f);
    bool loops = strcmp(prof_meta(f, "checks-at", "all"), "backedges") == 0;
    line(out, "sampling", "%s, for %s of them; checks stand at %s; dup=%s, copies=%s", trigger,
         prof_number(burst, prof_meta_number(f, "burst")), loops ? "loops" : "method entries and loops",
         prof_meta(f, "dup", "?"), prof_meta(f, "copies", "?"));
    free(trigger);
    print_samples(f, out);
    print_steps(f, out);
    if (prof_meta_number(f, "changes"))
        line(out, "", "sampling was changed %s times while the program ran; above is how it was last",
             prof_meta(f, "changes", "?"));
}

// Limits of -Xdeterministic: threads that ran in parallel race with each other and with the end of the program.
static void print_races(const ProfFile *f, FILE *out) {
    enum { MOST = 5 };
    char names[400] = "";
    size_t length = 0, shown = 0;
    uint64_t count = 0;
    if (strcmp(prof_meta(f, "deterministic", ""), "each thread") != 0) return;
    for (size_t i = 0; i < f->thread_count; i++) {
        const ProfThread *t = &f->threads[i];
        // The launcher's thread has one name until main returns and another afterwards.
        bool launcher = t->stands_for == 1 && (strcmp(t->name, "main") == 0 || strcmp(t->name, "DestroyJavaVM") == 0);
        if (t->flags & FORMAT_THREAD_SERVICE || launcher) continue;
        count += t->stands_for;
        if (shown == MOST || length + strlen(t->name) + 3 > sizeof names) continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", shown++ ? ", " : "", t->name);
    }
    if (!count) return;
    line(out, "",
         "%llu ran side by side with others (%s%s): which is first at what they share may change a few rows from run "
         "to run; -Xthreads:green:carriers=1:quantum=50000 repeats that, too",
         (unsigned long long)count, names, count > shown ? ", ..." : "");
}

static void print_threads_line(const ProfFile *f, FILE *out) {
    uint64_t service = 0, all = 0;
    for (size_t i = 0; i < f->thread_count; i++) {
        all += f->threads[i].stands_for;
        if (f->threads[i].flags & FORMAT_THREAD_SERVICE) service += f->threads[i].stands_for;
    }
    line(out, "threads", "%llu, of them %llu service threads of the VM and the class library", (unsigned long long)all,
         (unsigned long long)service);
    print_races(f, out);
}

static void print_events(const ProfFile *f, FILE *out) {
    char produced[32], recorded[32], lost[32];
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        line(out, "events", "%s: %s %s produced, %s recorded, %s lost", a->name, prof_number(produced, a->produced),
             a->event, prof_number(recorded, a->recorded), prof_number(lost, a->lost));
    }
    bool trees = prof_meta(f, "nodes-left", NULL);
    for (size_t i = 0; i < f->analysis_count; i++)
        if (trees && prof_is_tree(&f->analyses[i]) && f->analyses[i].lost)
            line(out, "WARNING", "%s: a call for which there was no node is lost with all that it led to; %s",
                 f->analyses[i].name,
                 prof_meta_number(f, "nodes-left") ? "memory was out" : "limit= allows no more nodes");
    for (size_t i = 0; i < f->analysis_count; i++)
        if (strcmp(f->analyses[i].name, "hot-stream") == 0 && f->analyses[i].lost)
            line(out, "WARNING",
                 "hot-stream: limit= had no room for the lost references, mostly to new objects; no stream has them. "
                 "Take "
                 "samples, a narrower scope= or a larger limit=");
    uint64_t hidden = prof_meta_number(f, "hidden-entries");
    if (hidden)
        line(out, "",
             "%s entries of hidden methods are left out; what they called counts for"
             " the visible method below them",
             prof_number(produced, hidden));
}

// A profile that measures only a part of concurrent analysis, and so has no events.
static void unanalysed(FILE *out, const ProfFile *f) {
    char words[32];
    const char *consume = prof_meta(f, "consume", "all");
    if (!prof_is_unanalysed(f)) return;
    if (strcmp(consume, "discard") == 0)
        line(out, "WARNING", "consume=discard: consumers read %s words, and nothing is recorded",
             prof_number(words, prof_meta_number(f, "words-transferred")));
    else if (strcmp(consume, "none") == 0)
        line(out, "WARNING", "consume=none: threads overwrote their events, and nothing is recorded");
    else line(out, "WARNING", "transport=word: each event overwrote one word, and nothing is recorded");
}

static const char *queue_name(const ProfFile *f) {
    const char *transport = prof_meta(f, "transport", "cab");
    return strcmp(transport, "nway") == 0       ? "N-way buffers"
        : strcmp(transport, "fastforward") == 0 ? "a FastForward queue"
        : strcmp(transport, "lamport") == 0     ? "Lamport's queue"
                                                : "a ring";
}

// The two analyses of transport=tee.
static void tee(FILE *out, const ProfFile *f) {
    char number[32];
    const char *differences = prof_meta(f, "tee-differences", NULL);
    if (!differences) return;
    if (strcmp(differences, "0") == 0) line(out, "", "the threads' own analyses of the same events are equal");
    else
        line(out, "ERROR", "%s rows differ from the threads' own analyses of the same events",
             prof_number(number, prof_meta_number(f, "tee-differences")));
}

// How events reached the analyses. Events that were not analysed also count as "lost" in their analyses.
static void transport(FILE *out, const ProfFile *f) {
    char buffer[32], chunk[32], waits[32], number[32], overwritten[32];
    unanalysed(out, f);
    if (!prof_meta(f, "consumers", NULL)) return;
    line(out, "consumers", "%s, behind %s of %s bytes for each %s, in chunks of %s", prof_meta(f, "consumers", "?"),
         queue_name(f), prof_number(buffer, prof_meta_number(f, "buffer")),
         prof_meta(f, "carriers-rings", NULL) ? "carrier" : "thread", prof_number(chunk, prof_meta_number(f, "chunk")));
    if (prof_meta(f, "carriers-rings", NULL))
        line(out, "", "%s rings; threads followed each other in them %s times", prof_meta(f, "carriers-rings", "?"),
             prof_number(number, prof_meta_number(f, "switch-events")));
    tee(out, f);
    if (prof_consumers_sample(f)) {
        uint64_t written = prof_meta_number(f, "words-written"), sampled = prof_meta_number(f, "words-sampled");
        line(out, "",
             "they analysed %s of %s words (%.2f %%), in bursts of %s cache lines; %s words were overwritten before "
             "they could be",
             prof_number(number, sampled), prof_number(waits, written), prof_percent(sampled, written),
             prof_meta(f, "lines", "?"), prof_number(overwritten, prof_meta_number(f, "words-overwritten")));
        return;
    }
    line(out, "", "threads waited for them %s times, %.3f s; elsewhere than at a safepoint %s times, %.3f s",
         prof_number(waits, prof_meta_number(f, "waits")), (double)prof_meta_number(f, "waits-ns") / 1e9,
         prof_number(number, prof_meta_number(f, "holds")), (double)prof_meta_number(f, "holds-ns") / 1e9);
    if (prof_meta(f, "pace-mean", NULL))
        line(out, "", "for them to follow, samples were %.2f times as far apart as rate= asks for, at most %.2f times",
             (double)prof_meta_number(f, "pace-mean") / 100, (double)prof_meta_number(f, "pace-most") / 100);
    if (prof_meta(f, "shards", NULL))
        line(out, "shared out", "%s consumers each analyse a part of a thread's events", prof_meta(f, "shards", "?"));
    if (prof_meta(f, "grow", NULL))
        line(out, "", "full rings doubled %s times, up to at most %s bytes",
             prof_number(number, prof_meta_number(f, "grown")), prof_number(buffer, prof_meta_number(f, "grow")));
    if (prof_meta_number(f, "discarded") || prof_meta_number(f, "discarded-laps"))
        line(out, "", "a consumer ended early: %s events discarded, when rings were full %s times",
             prof_number(number, prof_meta_number(f, "discarded")),
             prof_number(waits, prof_meta_number(f, "discarded-laps")));
}

// How shadows ended: losses, and the reasons for early ends.
static void shadow_ends(FILE *out, const ProfFile *f) {
    static const struct {
        const char *key, *text;
    } ends[] = {{"shadows-ended-by-length", "at their length"},
                {"shadows-ended-with-program", "with the program in them"},
                {"shadows-ended-early", "with the program itself"},
                {"shadows-ended-by-system-call", "by an unsafe system call"},
                {"shadows-ended-by-native-method", "by an unsafe native method"},
                {"shadows-ended-behind-input", "because the program's input that they needed is not kept any more"},
                {"shadows-ended-idle", "after waiting, as the program did, for most of timeout="}};
    static const struct {
        const char *key, *text;
    } losses[] = {{"shadows-ended-by-time-limit", "took too long"},
                  {"shadows-failed", "could not be set up"},
                  {"shadows-killed", "died of a signal"},
                  {"shadows-damaged", "left nothing that could be read"},
                  {"shadows-refused", "could not be forked"}};
    char number[32];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (prof_meta_number(f, ends[i].key))
            line(out, "", "%s ended %s", prof_number(number, prof_meta_number(f, ends[i].key)), ends[i].text);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (prof_meta_number(f, losses[i].key))
            line(out, "", "%s %s, and count for nothing", prof_number(number, prof_meta_number(f, losses[i].key)),
                 losses[i].text);
    uint64_t missing = prof_meta_number(f, "shadows-missing-permille");
    line(out, missing >= 30 ? "WARNING" : "",
         missing >= 30 ? "%.1f %% of the program's time could not be covered by shadows: shares are of what ran before "
                         "they ended, and what follows may have larger ones"
                       : "%.1f %% of the program's time could not be covered by shadows",
         (double)missing / 10);
    for (size_t i = 0; i < f->meta_count; i++)
        if (strncmp(f->meta[i].key, "shadow-reason-", 14) == 0) line(out, "", "  %s", f->meta[i].value);
}

// The mix of system calls. Those that change nothing outside a process are not stopped, and not counted.
static void shadow_calls(FILE *out, const ProfFile *f) {
    const char *label = "calls";
    for (size_t i = 0; i < f->meta_count; i++) {
        if (strncmp(f->meta[i].key, "shadow-calls-", 13) != 0) continue;
        line(out, label, "%s", f->meta[i].value);
        label = "";
    }
}

static void print_shadows(FILE *out, const ProfFile *f) {
    uint64_t shadows = prof_meta_number(f, "shadows");
    char number[32], checks[32], left[32];
    if (!prof_in_shadows(f)) return;
    line(out, "shadows", "%s ran for %.3f s in all and made %s checks, with %s threads; %s stayed inside native calls",
         prof_number(number, shadows), (double)prof_meta_number(f, "shadow-run-ns") / 1e9,
         prof_number(checks, prof_meta_number(f, "shadow-checks")), prof_meta(f, "shadow-threads", "?"),
         prof_number(left, prof_meta_number(f, "shadow-threads-left")));
    if (prof_meta_number(f, "shadow-cpu-ns"))
        line(out, "", "they took %.3f s of processor time; up to %s methods and loops had code in them",
             (double)prof_meta_number(f, "shadow-cpu-ns") / 1e9,
             prof_number(number, prof_meta_number(f, "shadow-code")));
    shadow_ends(out, f);
    shadow_calls(out, f);
    line(out, "forks", "stopped the program for %.3f ms each, %.3f ms at most; %s of its %s page faults were in them",
         shadows ? (double)prof_meta_number(f, "fork-pauses-ns") / 1e6 / (double)shadows : 0.0,
         (double)prof_meta_number(f, "fork-longest-pause-ns") / 1e6,
         prof_number(number, prof_meta_number(f, "fork-page-faults")),
         prof_number(checks, prof_meta_number(f, "page-faults")));
    line(out, "",
         "put off %s times because the processors were busy, %s because no thread could go on, %s because the"
         " profile had converged",
         prof_number(number, prof_meta_number(f, "shadows-postponed-busy")),
         prof_number(checks, prof_meta_number(f, "shadows-postponed-idle")),
         prof_number(left, prof_meta_number(f, "shadows-postponed-converged")));
    if (prof_meta_number(f, "shadows-postponed-loading"))
        line(out, "", "put off %s times because a native library was just being loaded",
             prof_number(number, prof_meta_number(f, "shadows-postponed-loading")));
    if (prof_meta_number(f, "phase-looks"))
        line(out, "",
             "%s made because the program's phase had changed, which it did %s times; looking for that took %.3f ms of "
             "processor time in %s stops",
             prof_number(number, prof_meta_number(f, "shadows-at-phase-changes")),
             prof_number(checks, prof_meta_number(f, "shadow-phase-changes")),
             (double)prof_meta_number(f, "phase-looks-ns") / 1e6,
             prof_number(left, prof_meta_number(f, "phase-looks")));
}

static char *names_text(const ProfFile *f) {
    size_t size = 1;
    for (size_t i = 0; i < f->analysis_count; i++) size += strlen(f->analyses[i].name) + 2;
    char *names = prof_alloc(size), *to = names;
    for (size_t i = 0; i < f->analysis_count; i++) to += sprintf(to, "%s%s", i ? ", " : "", f->analyses[i].name);
    return names;
}

// Of the analyses that do not sample by themselves.
static const char *others_text(const ProfFile *f) {
    if (prof_is_unanalysed(f)) return "no event recorded";
    return prof_is_exact(f)   ? "exact, every event recorded"
        : prof_is_imported(f) ? "samples of another profiler"
        : prof_in_shadows(f)  ? "every event of shadows"
                              : "sampled";
}

// Of the analyses that sample by themselves, and of the others. The caller frees it.
static char *how_text(const ProfFile *f) {
    enum { KINDS = 3, LONGEST = 128 };
    static const char *const kinds[KINDS] = {"samples of time", "samples of allocation", "counters of the system"};
    size_t found[KINDS] = {0}, own = 0, used = 0;
    for (size_t i = 0; i < f->analysis_count; i++) {
        found[0] += prof_tick_ns(f, &f->analyses[i]) != 0;
        found[1] += prof_samples_bytes(&f->analyses[i]);
        found[2] += strncmp(f->analyses[i].name, "counters", strlen("counters")) == 0;
    }
    char *text = prof_alloc(LONGEST);
    for (size_t i = 0; i < KINDS; i++) {
        if (found[i]) used += (size_t)sprintf(text + used, "%s%s", own ? ", " : "", kinds[i]);
        own += found[i];
    }
    if (own == f->analysis_count && own) return text;
    sprintf(text + used, "%s%s", own ? "; otherwise " : "", others_text(f));
    return text;
}

// One line: what was profiled, how exactly, and what was lost.
static void print_head(const ProfFile *f, FILE *out) {
    enum { SHORT_COMMAND = 40 };
    const char *command = prof_meta(f, "command", "unknown");
    char *names = names_text(f), *how = how_text(f), lost[32];
    uint64_t missing = 0;
    for (size_t i = 0; i < f->analysis_count; i++) missing += f->analyses[i].lost;
    fprintf(out, "cabernet profile %s: %.*s%s, %.3f s; %s: %s; %s lost\n", f->path, SHORT_COMMAND, command,
            strlen(command) > SHORT_COMMAND ? "..." : "", (double)prof_meta_number(f, "duration-ns") / 1e9, names, how,
            missing ? prof_number(lost, missing) : "nothing");
    free(names);
    free(how);
}

// The lines of the details that are warnings, with their continuations.
static void print_warnings(const char *details, FILE *out) {
    static const char mark[] = "  WARNING";
    bool warning = false;
    for (const char *end; *details; details = end) {
        end = strchrnul(details, '\n');
        if (*end) end++;
        if (strspn(details, " ") < LABEL) warning = strncmp(details, mark, sizeof mark - 1) == 0;
        if (warning) fwrite(details, 1, (size_t)(end - details), out);
    }
}

// The program, the analyses and the mode of recording.
static void print_subject(const ProfFile *f, FILE *out) {
    char *names = names_text(f), *how = how_text(f);
    const char *command = prof_meta(f, "command", "unknown");
    bool whole = strlen(command) <= COMMAND;
    line(out, "program", "%.*s%s", COMMAND, command, whole ? "" : "...");
    line(out, "profile", "%s: %s", names, how);
    free(names);
    free(how);
}

// One line on the collections of the heap while the profile recorded.
static void print_collections(const ProfFile *f, FILE *out) {
    uint64_t ns = prof_meta_number(f, "collections-ns"), young = prof_meta_number(f, "collections-young"),
             full = prof_meta_number(f, "collections-full");
    char numbers[2][32];
    if (!prof_meta(f, "collections-ns", NULL)) return;
    if (young + full)
        fprintf(out, "collections: %s young, %s full, %.1f ms (%.1f %% of the time), longest %.1f ms\n",
                prof_number(numbers[0], young), prof_number(numbers[1], full), (double)ns / 1e6,
                prof_percent(ns, prof_meta_number(f, "duration-ns")),
                (double)prof_meta_number(f, "collections-longest-ns") / 1e6);
    else fputs("collections: none\n", out);
}

// Rates of samples of time and of allocation, and stacks that are not whole.
static void print_clocks(const ProfFile *f, FILE *out) {
    char unread[32], truncated[32];
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        if (prof_tick_ns(f, a) && prof_is_tree(a))
            line(out, "time", "%s: a sample for each %g ms of %s", a->name, (double)prof_tick_ns(f, a) / 1e6,
                 strcmp(a->name, "cpu") == 0 ? "a thread's processor time" : "the time of day and each thread");
    }
    if (prof_meta_number(f, "alloc-every"))
        line(out, "samples",
             "of allocation: an object and its stack for each %s bytes that a thread allocates, on average",
             prof_number(unread, prof_meta_number(f, "alloc-every")));
    if (prof_meta_number(f, "stacks-unread") || prof_meta_number(f, "stacks-truncated"))
        line(out, "", "of %s samples the stack could not be read to its end, and of %s it was too deep",
             prof_number(unread, prof_meta_number(f, "stacks-unread")),
             prof_number(truncated, prof_meta_number(f, "stacks-truncated")));
}

static void print_details(const ProfFile *f, FILE *out) {
    print_subject(f, out);
    if (prof_is_imported(f)) {
        char samples[32], truncated[32];
        line(out, "imported", "from %s: %s samples, %s of them with a stack that was cut off",
             prof_meta(f, "import", "?"), prof_number(samples, prof_meta_number(f, "samples")),
             prof_number(truncated, prof_meta_number(f, "stacks-truncated")));
        return;
    }
    line(out, "ran on", "%s with JDK %s, %s", prof_meta(f, "vm", "?"), prof_meta(f, "jdk", "?"),
         prof_meta(f, "execution", "?"));
    line(out, "when", "%s, for %.3f s, ended by %s", prof_meta(f, "started", "?"),
         (double)prof_meta_number(f, "duration-ns") / 1e9, prof_meta(f, "ended-by", "?"));
    if (strcmp(prof_meta(f, "from", "start"), "main") == 0) line(out, "", "recorded from the program's main on");
    if (prof_meta_number(f, "off-ns"))
        line(out, "", "recording was on for %.3f s and off for %.3f s", (double)prof_meta_number(f, "on-ns") / 1e9,
             (double)prof_meta_number(f, "off-ns") / 1e9);
    print_sampling(f, out);
    print_clocks(f, out);
    print_threads_line(f, out);
    print_events(f, out);
    char rates[256];
    if (prof_cache_rates(f, rates, sizeof rates)) line(out, "cache", "%s", rates);
    transport(out, f);
    print_shadows(out, f);
    line(out, "outside", "%s", prof_meta(f, "outside", "?"));
    if (prof_meta(f, "scope", NULL)) line(out, "", "methods outside scope=%s", prof_meta(f, "scope", ""));
    if (prof_meta(f, "scope-matches", NULL))
        line(out, "WARNING", "scope=%s matches no method: a pattern is for class.method, as demo.Main.*",
             prof_meta(f, "scope", ""));
    char why[256];
    bool crashed = strncmp(prof_meta(f, "ended-by", ""), "signal", 6) == 0;
    if (f->complete && !prof_accounts(f, why))
        line(out, crashed ? "note" : "WARNING", "%s%s", why,
             crashed ? "; the process was killed in the middle of an event" : "");
    if (crashed && prof_is_exact(f))
        line(out, "note",
             "the process was killed: counts of the methods that threads were executing may be off by what each was"
             " in the middle of; all others are exact");
    if (!f->complete)
        line(out, "WARNING",
             "the file is damaged, what follows is what could be"
             " read: %s",
             f->problem);
}

// ---- tables ------------------------------------------------------------------------------------

void prof_print_row(FILE *out, uint64_t count, uint64_t running, uint64_t all, uint64_t largest, const char *text) {
    char number[32];
    fprintf(out, "  %15s  %5.1f  %5.1f  ", prof_number(number, count), prof_percent(count, all),
            prof_percent(running, all));
    int n = largest ? (int)((double)count / (double)largest * BAR + 0.5) : 0;
    for (int i = 0; i < BAR; i++) putc(i < n ? '#' : ' ', out);
    fprintf(out, "  %s\n", text);
}

static void print_list(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                       FILE *out) {
    ProfView v = prof_view(f, a, t, o);
    prof_others_last(f, a, t, &v);
    size_t n = top && top < v.count ? top : v.count;
    uint64_t running = 0, largest = 0;
    for (size_t i = 0; i < v.count; i++) {
        uint64_t count = prof_row_count(a, prof_row(a, t, v.rows[i]));
        if (count > largest) largest = count;
    }
    if (n) fprintf(out, "  %15s  %5s  %5s\n", "count", "%", "sum %");
    for (size_t i = 0; i < n; i++) {
        const uint64_t *row = prof_row(a, t, v.rows[i]);
        char *text = prof_row_text(f, a, row);
        running += prof_row_count(a, row);
        prof_print_row(out, prof_row_count(a, row), running, v.all, largest, text);
        free(text);
    }
    char number[32];
    if (n < v.count)
        prof_print_row(out, v.total - running, v.total, v.all, 0,
                       (snprintf(number, sizeof number, "(%zu more)", v.count - n), number));
    if (!v.count) fputs(o->filter_count ? "  nothing matches the filter\n" : "  nothing\n", out);
    prof_view_free(&v);
}

static void print_rows(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                       FILE *out) {
    if (!prof_is_tree(a)) print_list(f, a, t, o, top, out);
    else if (strcmp(a->name, "call-subtree") == 0) prof_print_sets(f, a, t, o, top, out);
    else if (prof_column(a, "step") >= 0) prof_print_paths(f, a, t, o, top, out);
    else prof_print_tree(f, a, t, o, top, out);
}

static void print_title(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    char total[32], rows[32], number[32];
    uint64_t all = a->merged.total, own = 0;
    for (size_t i = 0; o->application && i < a->merged.rows; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        if (prof_row_is_application(f, a, row)) own += prof_row_count(a, row);
    }
    fprintf(out, "\n%s: %s %s in %s rows", a->name, prof_number(total, all), a->event,
            prof_number(rows, a->merged.rows));
    if (o->application) fprintf(out, ", of them %s of the program", prof_number(number, own));
    for (size_t i = 0; i < o->filter_count; i++) fprintf(out, "%s %s", i ? "," : "; only", o->filters[i]);
    fprintf(out, " (%% of %s)\n", o->application && !prof_is_tree(a) ? "the program's" : "all");
}

// ---- packages and classes ----------------------------------------------------------------------

// Rows summed by the package of their method or the class of their field.
typedef struct Group {
    const char *name;
    size_t length;
    uint64_t count, puts;
    size_t rows;
    bool has_access;  // the rows tell gets from puts
} Group;

static int compare_names(const void *x, const void *y) {
    const Group *a = x, *b = y;
    size_t n = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, n);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static size_t combine_groups(Group *p, size_t n) {
    if (!n) return 0;
    qsort(p, n, sizeof *p, compare_names);
    size_t last = 0;
    for (size_t i = 1; i < n; i++) {
        if (compare_names(&p[last], &p[i]) != 0) {
            p[++last] = p[i];
            continue;
        }
        p[last].count += p[i].count;
        p[last].puts += p[i].puts;
        p[last].rows++;
    }
    return last + 1;
}

static Group group_of(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, int column) {
    Group g = {.count = prof_row_count(a, row), .rows = 1};
    if (a->columns[column].kind == FORMAT_COLUMN_METHOD) {
        g.name = f->methods[row[column]].class_name;
        g.length = prof_package_length(g.name);
        return g;
    }
    g.name = f->fields[row[column]].class_name;
    g.length = strlen(g.name);
    int access = prof_column(a, "access");
    g.has_access = access >= 0;
    bool put = access >= 0 && a->columns[access].kind == FORMAT_COLUMN_WORD &&
        strcmp(f->strings[row[access]], "put") == 0;
    g.puts = put ? g.count : 0;
    return g;
}

static char *group_text(const Group *g, bool package) {
    static const char unnamed[] = "(default package)";
    char *text, gets[32], puts[32];
    int length = g->length ? (int)g->length : (int)sizeof unnamed - 1;
    const char *name = g->length ? g->name : unnamed;
    if ((package              ? asprintf(&text, "%.*s (%zu methods)", length, name, g->rows)
             : !g->has_access ? asprintf(&text, "%.*s", length, name)
                              : asprintf(&text, "%.*s (%s get, %s put)", length, name,
                                         prof_number(gets, g->count - g->puts), prof_number(puts, g->puts))) < 0)
        prof_out_of_memory();
    return text;
}

static void print_groups(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    bool package = a->column_count == 1 && a->columns[0].kind == FORMAT_COLUMN_METHOD;
    int column = package ? 0 : prof_column(a, "field");
    if (column < 0 || (!package && a->columns[column].kind != FORMAT_COLUMN_FIELD)) return;
    ProfView v = prof_view(f, a, &a->merged, o);
    Group *p = prof_alloc(v.count * sizeof *p);
    for (size_t i = 0; i < v.count; i++) p[i] = group_of(f, a, prof_row(a, &a->merged, v.rows[i]), column);
    size_t n = combine_groups(p, v.count), top = n < GROUP_TOP ? n : GROUP_TOP;
    ProfRank *order = prof_alloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++) order[i] = (ProfRank){p[i].count, i};
    if (n) qsort(order, n, sizeof *order, prof_by_weight);
    if (n > 1)
        fprintf(out, "\n%s: %zu\n  %15s  %5s  %5s\n", package ? "packages" : "classes", n, "count", "%", "sum %");
    uint64_t running = 0;
    for (size_t i = 0; n > 1 && i < top; i++) {
        char *text = group_text(&p[order[i].item], package);
        prof_print_row(out, order[i].weight, running += order[i].weight, v.all, order[0].weight, text);
        free(text);
    }
    free(order);
    free(p);
    prof_view_free(&v);
}

// ---- threads -----------------------------------------------------------------------------------

static void print_thread_list(const ProfFile *f, FILE *out) {
    uint64_t all = 0, largest = 0, running = 0;
    for (size_t i = 0; i < f->thread_count; i++) {
        all += f->threads[i].produced;
        if (f->threads[i].produced > largest) largest = f->threads[i].produced;
    }
    fprintf(out, "\nthreads: events of each, in order of their start\n  %15s  %5s  %5s\n", "count", "%", "sum %");
    for (size_t i = 0; i < f->thread_count; i++) {
        const ProfThread *t = &f->threads[i];
        const char *kind = t->flags & FORMAT_THREAD_SERVICE ? "service"
            : t->flags & FORMAT_THREAD_ENDED                ? "ended"
                                                            : "running";
        char *text;
        if ((t->flags & FORMAT_THREAD_FOLDED
                 ? asprintf(&text, "%s: %llu", t->name, (unsigned long long)t->stands_for)
                 : asprintf(&text, "%s (thread %llu, %s)", t->name, (unsigned long long)t->id, kind)) < 0)
            prof_out_of_memory();
        prof_print_row(out, t->produced, running += t->produced, all, largest, text);
        free(text);
    }
}

static void print_thread_tables(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    for (size_t i = 0; i < f->thread_count; i++) {
        if (!a->threads[i].rows) continue;
        char total[32];
        fprintf(out, "\n%s of thread %s: %s in %zu rows\n", a->name, f->threads[i].name,
                prof_number(total, a->threads[i].total), a->threads[i].rows);
        ProfTable rows = prof_thread_table(f, a, i);
        print_rows(f, a, &rows, o, o->top_given ? o->top : THREAD_TOP, out);
        prof_table_free(&rows);
    }
}

static void print_analysis(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    size_t top = o->top_given ? o->top : DEFAULT_TOP;
    print_title(f, a, o, out);
    prof_print_time(f, a, o, top, out);
    if (prof_is_cache(a)) {
        prof_print_cache(f, o, o->top_given ? o->top : GROUP_TOP, out);
        return;
    }
    prof_print_reuse(f, a, o, out);
    prof_print_values(f, a, o, top, out);
    print_rows(f, a, &a->merged, o, top, out);
    print_groups(f, a, o, out);
}

// The sections that answer the analysis's question, or the others.
static void print_sections(const ProfFile *f, const ProfOptions *o, bool answers, FILE *out) {
    size_t left = 0;
    for (size_t i = 0; i < f->section_count; i++) {
        const ProfSection *s = &f->sections[i];
        if (prof_section_is_answer(s) != answers || (o->analysis && strcmp(o->analysis, s->analysis) != 0)) continue;
        if (o->verbose || !prof_section_is_detail(s)) prof_section_print(f, s, o, out);
        else left++;
    }
    if (left) fprintf(out, "\n%zu more tables with --verbose\n", left);
}

int prof_report(const ProfFile *f, const ProfOptions *options, FILE *out) {
    ProfOptions o = *options;
    o.application = !o.all && !o.filter_count && prof_has_application(f);
    char *details = NULL;
    size_t size;
    FILE *text = open_memstream(&details, &size);
    if (!text) prof_out_of_memory();
    print_details(f, text);
    if (o.application)
        line(text, "shown", "the program; --all shows the class library likewise, --filter a part of it");
    if (fclose(text) != 0) prof_out_of_memory();
    print_head(f, out);
    print_collections(f, out);
    print_warnings(details, out);
    prof_print_findings(f, &o, out);
    print_sections(f, &o, true, out);
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o.analysis || strcmp(o.analysis, f->analyses[i].name) == 0)
            prof_print_one_way(f, &f->analyses[i], &o, out);
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o.analysis || strcmp(o.analysis, f->analyses[i].name) == 0) print_analysis(f, &f->analyses[i], &o, out);
    if (o.application && !o.analysis) prof_print_library(f, &o, out);
    print_sections(f, &o, false, out);
    if (o.threads) print_thread_list(f, out);
    for (size_t i = 0; o.threads && i < f->analysis_count; i++)
        if (!o.analysis || strcmp(o.analysis, f->analyses[i].name) == 0)
            print_thread_tables(f, &f->analyses[i], &o, out);
    fprintf(out, "\ndetails:\n%s", details);
    free(details);
    return 0;
}
