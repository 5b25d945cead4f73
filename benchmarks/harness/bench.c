// cabernet-bench: compares two command lines on the kernels and on whole programs.
//
// A and B run alternately (A B, then B A) and one at a time, because the machine's speed drifts; what
// counts is the ratio within one run, never an absolute time. The raw data go to a JSON file after
// every round, so that an interrupted run is not lost. Both sides must print the same: a kernel
// its checksum, a workload all of its output.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "benchmarks/harness/arnold_ryder.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/stats.h"

enum { MAX_WORKLOADS = 64, MAX_PAIRS = 1000, MAX_ITERATIONS = 1000 };

typedef struct Sample {
    double ms, wall_ms, cpu_ms, rss_mib;
    double iteration_ms[MAX_ITERATIONS];
    int iterations;
} Sample;

typedef struct Series {
    double ms[MAX_PAIRS], rss_mib[MAX_PAIRS];
    int n;
    json_t *raw;
} Series;

typedef struct Workload {
    char *name;
    char **args;         // NULL for a kernel
    char *expected;      // what the first run printed, without times
    bool failed;
    Series side[2];
} Workload;

typedef struct Bench {
    const char *text[2];
    char **command[2];
    const char *class_path, *json_file;
    int pairs, iterations, skip, cpu;
    double limit_s;
    bool compare, terminal;
    Workload work[MAX_WORKLOADS];
    int count;
    int error_log;
    char error_path[64];
} Bench;

static void usage(FILE *to)
{
    fputs("usage: cabernet-bench ab --a COMMAND --b COMMAND [options] [KERNEL...]\n"
          "       cabernet-bench arnold-ryder --help\n"
          "  --a, --b COMMAND     the two sides, for instance \"java -zero\" and \"build/cabernet -Xint\"\n"
          "  --workload NAME=ARGS a whole program: arguments after the command; may be repeated\n"
          "  --pairs N            runs of each side (5)\n"
          "  --iterations N       iterations of a kernel in one run (3)\n"
          "  --skip N             iterations at the start that do not count (0)\n"
          "  --cp PATH            class path of the kernels (build/bench/classes)\n"
          "  --json FILE          where the raw data go (cabernet-bench.json)\n"
          "  --pin CPU            run everything on one processor\n"
          "  --timeout SECONDS    for one run (300)\n"
          "  --no-compare         do not compare what the two sides print\n"
          "Without kernels and workloads all kernels run. A kernel's time is the median of its\n"
          "iterations, a workload's is the wall time of the process. Exit code 0 is a must.\n", to);
}

// ---- what runs -------------------------------------------------------------------------------------

static Workload *add_workload(Bench *b, const char *name, size_t length, char **args)
{
    if (b->count == MAX_WORKLOADS)
        run_die("too many workloads", "");
    Workload *w = &b->work[b->count++];
    w->name = strndup(name, length);
    w->args = args;
    for (int s = 0; s < 2; s++)
        w->side[s].raw = json_array();
    return w;
}

// The command of one run: the side's words and the workload's.
static char **command_line(const Bench *b, const Workload *w, int side)
{
    char **words = calloc(512, sizeof *words);
    static char iterations[16];
    size_t n = 0;
    for (char **p = b->command[side]; *p && n < 250; p++)
        words[n++] = *p;
    if (w && w->args) {
        for (char **p = w->args; *p && n < 500; p++)
            words[n++] = *p;
        return words;
    }
    snprintf(iterations, sizeof iterations, "%d", b->iterations);
    words[n++] = "-cp";
    words[n++] = (char *)b->class_path;
    words[n++] = "Kernels";
    words[n++] = w ? w->name : "list";
    if (w)
        words[n++] = iterations;
    return words;
}

static bool execute(const Bench *b, const Workload *w, int side, Run *run)
{
    char **words = command_line(b, w, side);
    bool ok = ftruncate(b->error_log, 0) == 0 && lseek(b->error_log, 0, SEEK_SET) == 0
              && run_command(words, b->cpu, b->error_log, b->limit_s, run);
    free(words);
    return ok;
}

static void show_errors(const Bench *b)
{
    char text[2000];
    ssize_t n = pread(b->error_log, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = 0;
        fprintf(stderr, "%s%s", text, text[n - 1] == '\n' ? "" : "\n");
    }
}

static void add_all_kernels(Bench *b)
{
    Run run;
    if (!execute(b, NULL, 0, &run) || run.status != 0) {
        show_errors(b);
        run_die("cannot list the kernels of ", b->class_path);
    }
    for (char *line = strtok(run.output, "\n"); line; line = strtok(NULL, "\n"))
        add_workload(b, line, strcspn(line, " "), NULL);
    free(run.output);
}

// ---- one measurement -------------------------------------------------------------------------------

// Takes the "iteration N X ms" lines out of the text and keeps their times.
static void take_iterations(char *text, Sample *s)
{
    char *to = text;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        double ms;
        if (sscanf(line, "iteration %*d %lf ms", &ms) == 1) {
            if (s->iterations < MAX_ITERATIONS)
                s->iteration_ms[s->iterations++] = ms;
        } else {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = 0;
}

static bool complain(const Bench *b, Workload *w, int side, const char *what)
{
    fprintf(stderr, "%s%s: %s %s\n", b->terminal ? "\r\033[K" : "", w->name, b->text[side], what);
    show_errors(b);
    w->failed = true;
    return false;
}

static bool same_result(const Bench *b, Workload *w, int side, const Run *run)
{
    if (!w->expected)
        w->expected = strdup(run->output);
    if (b->compare && strcmp(run->output, w->expected) != 0)
        return complain(b, w, side, "printed something else than the first run");
    return true;
}

static bool measure(Bench *b, Workload *w, int side, Sample *s)
{
    Run run;
    char what[80];
    *s = (Sample){0};
    if (!execute(b, w, side, &run))
        return complain(b, w, side, strerror(errno));
    snprintf(what, sizeof what, run.late ? "did not end in time" : "failed with %d", run.status);
    if (run.late || run.status != 0) {
        free(run.output);
        return complain(b, w, side, what);
    }
    if (!w->args)
        take_iterations(run.output, s);
    bool ok = same_result(b, w, side, &run);
    free(run.output);
    int used = s->iterations - b->skip;
    if (ok && !w->args && used <= 0)
        return complain(b, w, side, "printed too few iterations");
    s->wall_ms = run.wall_ms;
    s->cpu_ms = run.cpu_ms;
    s->rss_mib = (double)run.max_rss_kib / 1024;
    s->ms = w->args ? run.wall_ms : stats_median(s->iteration_ms + b->skip, (size_t)(used > 0 ? used : 0));
    return ok;
}

// One run of each side; kept only when both succeeded, so that pairs stay pairs.
static void pair(Bench *b, Workload *w, int round)
{
    static Sample samples[2];
    int first = round % 2;
    for (int i = 0; i < 2; i++) {
        int side = i == 0 ? first : 1 - first;
        if (b->terminal)
            fprintf(stderr, "\r\033[Kround %d of %d: %s %c", round + 1, b->pairs, w->name, 'A' + side);
        if (!measure(b, w, side, &samples[side]))
            return;
    }
    for (int side = 0; side < 2; side++) {
        Series *series = &w->side[side];
        const Sample *s = &samples[side];
        json_t *iterations = json_array();
        for (int i = 0; i < s->iterations; i++)
            json_array_append_new(iterations, json_real(s->iteration_ms[i]));
        series->ms[series->n] = s->ms;
        series->rss_mib[series->n++] = s->rss_mib;
        json_array_append_new(series->raw, json_pack("{s:f, s:f, s:f, s:f, s:o}", "ms", s->ms, "wall_ms", s->wall_ms,
                                                     "cpu_ms", s->cpu_ms, "max_rss_mib", s->rss_mib,
                                                     "iterations_ms", iterations));
    }
}

// ---- results ---------------------------------------------------------------------------------------

static Pairs times(const Workload *w)
{
    return (Pairs){w->side[0].ms, w->side[1].ms, (size_t)w->side[0].n};
}

static Interval overall(const Bench *b, bool kernels, int *count)
{
    Pairs all[MAX_WORKLOADS];
    int n = 0;
    for (int i = 0; i < b->count; i++)
        if (!b->work[i].failed && b->work[i].side[0].n > 0 && !b->work[i].args == kernels)
            all[n++] = times(&b->work[i]);
    *count = n;
    return stats_geometric_mean(all, (size_t)n);
}

static json_t *interval_json(Interval i)
{
    return json_pack("{s:f, s:f, s:f}", "value", i.value, "low", i.low, "high", i.high);
}

// Written to a temporary name and renamed: a reader sees the last complete round.
static void write_json(const Bench *b)
{
    json_t *work = json_array();
    for (int i = 0; i < b->count; i++) {
        const Workload *w = &b->work[i];
        json_t *o = json_pack("{s:s, s:s, s:b, s:O, s:O}", "name", w->name, "kind", w->args ? "program" : "kernel",
                              "failed", w->failed, "a", w->side[0].raw, "b", w->side[1].raw);
        if (w->side[0].n > 0) {
            Pairs memory = {w->side[0].rss_mib, w->side[1].rss_mib, (size_t)w->side[0].n};
            json_object_set_new(o, "time_ratio", interval_json(stats_ratio(times(w))));
            json_object_set_new(o, "memory_ratio", interval_json(stats_ratio(memory)));
        }
        json_array_append_new(work, o);
    }
    struct utsname u;
    double load[3] = {0};
    uname(&u);
    if (getloadavg(load, 3) < 0)
        load[0] = -1;
    json_t *root = json_pack("{s:i, s:s, s:s, s:i, s:i, s:I, s:o, s:o}", "version", 1, "a", b->text[0], "b", b->text[1],
                             "iterations", b->iterations, "skip", b->skip, "time", (json_int_t)time(NULL), "machine",
                             json_pack("{s:s, s:s, s:I, s:f}", "system", u.release, "architecture", u.machine,
                                       "processors", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "load", load[0]),
                             "workloads", work);
    int n;
    Interval kernels = overall(b, true, &n);
    if (n > 0)
        json_object_set_new(root, "kernels_geometric_mean", interval_json(kernels));
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.tmp", b->json_file);
    if (json_dump_file(root, temporary, JSON_INDENT(1) | JSON_REAL_PRECISION(8)) != 0
        || rename(temporary, b->json_file) != 0)
        fprintf(stderr, "\ncabernet-bench: cannot write %s: %s\n", b->json_file, strerror(errno));
    json_decref(root);
}

static void print_results(const Bench *b)
{
    printf("A: %s\nB: %s\n%d pairs; ratio is B/A of medians with its 95 %% interval\n\n", b->text[0], b->text[1], b->pairs);
    printf("%-16s %10s %10s %7s  %-15s %8s %8s\n", "", "A ms", "B ms", "ratio", "interval", "A MiB", "B MiB");
    for (int i = 0; i < b->count; i++) {
        const Workload *w = &b->work[i];
        size_t n = (size_t)w->side[0].n;
        if (w->failed || n == 0) {
            printf("%-16s failed\n", w->name);
            continue;
        }
        Interval r = stats_ratio(times(w));
        printf("%-16s %10.1f %10.1f %7.3f  [%.3f, %.3f]  %8.1f %8.1f\n", w->name, stats_median(w->side[0].ms, n),
               stats_median(w->side[1].ms, n), r.value, r.low, r.high, stats_median(w->side[0].rss_mib, n),
               stats_median(w->side[1].rss_mib, n));
    }
    for (int kernels = 1; kernels >= 0; kernels--) {
        int n;
        Interval g = overall(b, kernels, &n);
        if (n > 1)
            printf("\n%-16s %29.3f  [%.3f, %.3f]   over %d\n", kernels ? "kernels" : "workloads", g.value, g.low, g.high, n);
    }
    printf("\nraw data: %s\n", b->json_file);
}

// ---- command line ----------------------------------------------------------------------------------

static void parse(Bench *b, int argc, char **argv)
{
    static const struct option options[] = {
        {"a", required_argument, NULL, 'a'}, {"b", required_argument, NULL, 'b'},
        {"workload", required_argument, NULL, 'w'}, {"pairs", required_argument, NULL, 'n'},
        {"iterations", required_argument, NULL, 'i'}, {"skip", required_argument, NULL, 's'},
        {"cp", required_argument, NULL, 'c'}, {"json", required_argument, NULL, 'j'},
        {"pin", required_argument, NULL, 'p'}, {"timeout", required_argument, NULL, 't'},
        {"no-compare", no_argument, NULL, 'x'}, {"help", no_argument, NULL, 'h'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
        case 'a': case 'b': b->text[c - 'a'] = optarg; break;
        case 'w': {
            const char *equals = strchr(optarg, '=');
            char **args = equals ? run_split(equals + 1) : NULL;
            if (!args || equals == optarg)
                run_die("a workload is NAME=ARGUMENTS, not ", optarg);
            add_workload(b, optarg, (size_t)(equals - optarg), args);
            break;
        }
        case 'n': b->pairs = run_number(optarg, 1, MAX_PAIRS); break;
        case 'i': b->iterations = run_number(optarg, 1, MAX_ITERATIONS); break;
        case 's': b->skip = run_number(optarg, 0, MAX_ITERATIONS); break;
        case 'c': b->class_path = optarg; break;
        case 'j': b->json_file = optarg; break;
        case 'p': b->cpu = run_number(optarg, 0, CPU_SETSIZE - 1); break;
        case 't': b->limit_s = run_number(optarg, 1, 1000000); break;
        case 'x': b->compare = false; break;
        case 'h': usage(stdout); exit(0);
        default: usage(stderr); exit(2);
        }
    }
    for (int s = 0; s < 2; s++) {
        if (!b->text[s])
            run_die("both --a and --b are needed; see --help", "");
        b->command[s] = run_split(b->text[s]);
        if (!b->command[s] || !b->command[s][0])
            run_die("not a command: ", b->text[s]);
    }
    if (b->skip >= b->iterations)
        run_die("--skip must be less than --iterations", "");
    for (int i = optind; i < argc; i++)
        add_workload(b, argv[i], strlen(argv[i]), NULL);
}

int main(int argc, char **argv)
{
    static Bench bench = {.class_path = "build/bench/classes", .json_file = "cabernet-bench.json", .pairs = 5,
                          .iterations = 3, .cpu = -1, .limit_s = 300, .compare = true,
                          .error_path = "/tmp/cabernet-bench-XXXXXX"};
    if (argc >= 2 && strcmp(argv[1], "arnold-ryder") == 0)
        return arnold_ryder(argc - 1, argv + 1);
    if (argc < 2 || strcmp(argv[1], "ab") != 0) {
        bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
        usage(help ? stdout : stderr);
        return help ? 0 : 2;
    }
    bench.error_log = mkostemp(bench.error_path, O_CLOEXEC);
    if (bench.error_log < 0)
        run_die("cannot make a temporary file: ", strerror(errno));
    unlink(bench.error_path);
    parse(&bench, argc - 1, argv + 1);
    if (bench.count == 0)
        add_all_kernels(&bench);
    bench.terminal = isatty(STDERR_FILENO);
    for (int round = 0; round < bench.pairs; round++) {
        if (!bench.terminal)
            fprintf(stderr, "round %d of %d\n", round + 1, bench.pairs);
        for (int i = 0; i < bench.count; i++)
            if (!bench.work[i].failed)
                pair(&bench, &bench.work[i], round);
        write_json(&bench);
    }
    if (bench.terminal)
        fputs("\r\033[K", stderr);
    print_results(&bench);
    for (int i = 0; i < bench.count; i++)
        if (bench.work[i].failed)
            return 1;
    return 0;
}
