// cabernet-bench pair. Two processes are alive and take turns (side.h). In the steady state a turn is some iterations
// of the program, and the turns of one pair of processes are many pairs of one layout. From the start a turn is a whole
// process, and each pair is a separate layout. A turn longer than a slice is split, and the sides alternate within it,
// so that disturbances affect both.
#include "benchmarks/harness/pair.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/splitmix.h"
#include "benchmarks/harness/pairs.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/side.h"
#include "benchmarks/harness/stats.h"

enum { MAX_WORDS = 1000, WINDOW = 5 };

static const double slice_ms = 40;
// Turns shorter than the first get more iterations; those longer than the second get fewer, down to one.
static const double short_turn_ms = 12, long_turn_ms = 40;
// Two windows of turns that differ by less than `settled` are one speed. A program that never settles is measured after
// `patience` times the requested warm-up.
static const double settled = 0.02, patience = 5;

typedef struct Work {
    const char *name;
    char **words;  // after the side's command
    bool driven;   // run by the driver, which takes requests; else a process that runs to its end
    char *replay;  // with --replay: the option that repeats the compilations of one run on both sides
    bool failed;
} Work;

typedef struct Bench {
    char **command[2];
    const char *driver, *out_file;
    int layouts, pairs, iterations, cpu;
    double warmup_s, time_s, limit_s;
    bool from_start, compare, replay;
    uint64_t random;
    Work *work;
    size_t count, capacity;
    Side side[2];
    Measurement data;
    FILE *out;
} Bench;

void pair_usage(FILE *to) {
    fputs("usage: cabernet-bench pair --a COMMAND --b COMMAND [options]\n"
          "  --a, --b COMMAND     the two sides, for instance \"java\" and \"build/cabernet\"; in these and in what "
          "they\n"
          "                       run {layout} stands for a number of each process's own, as in\n"
          "                       -Xjit:layout={layout}, and {side} for a or b\n"
          "  --program NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]\n"
          "                       a method like main that returns and can be called again; may be repeated\n"
          "  --workload NAME=ARGS a whole program: arguments after the command; --from-start alone; may be repeated\n"
          "  --steady             after warm-up, turn by turn (the default)\n"
          "  --from-start         whole processes, from the first instruction to the end\n"
          "  --layouts N          pairs of processes (10; from the start 50)\n"
          "  --pairs N            pairs of turns in each of them, in the steady state (40)\n"
          "  --time SECONDS       for one program with its warm-up: takes what pairs fit\n"
          "  --warmup SECONDS     processor time of each side before pairs count (2); up to five times as much\n"
          "                       until the last turns agree\n"
          "  --iterations N       of a program in a process from the start (1)\n"
          "  --driver PATH        class path of Repeat (the one that comes with this program)\n"
          "  --out FILE           where the raw data go (cabernet-bench.csv)\n"
          "  --pin CPU            run both on one processor\n"
          "  --timeout SECONDS    for one turn (300)\n"
          "  --seed N             of the random order (1)\n"
          "  --replay             both sides are cabernet: they repeat the compilations of one run of A (-Xreplay), "
          "and get\n"
          "                       one {layout}, one environment and addresses that are not randomised, so that they "
          "differ\n"
          "                       in nothing but their commands\n"
          "  --no-compare         do not compare what the two sides print\n",
          to);
}

// ---- commands --------------------------------------------------------------------------------------

const char *pair_own_driver(void) {
    static char found[PATH_MAX + 32];
    static const char *const places[] = {"/lib/driver",
                                         "/../lib/cabernet/driver"};  // in the build directory; installed
    char self[PATH_MAX];
    ssize_t length = found[0] ? -1 : readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return found;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(found, sizeof found, "%s%s", self, places[i]);
        if (access(found, R_OK) == 0) break;
    }
    return found;
}

char **pair_driven_words(const char *driver, char **words, const char *how) {
    static const char *const path_options[] = {"-cp", "-classpath", "--class-path"};
    char **made = calloc(MAX_WORDS, sizeof *made);
    const char *path = NULL;
    size_t n = 0, i = 0;
    for (; words[i] && words[i][0] == '-' && n < MAX_WORDS / 2; i++) {
        bool is_path = false;
        for (int k = 0; k < 3; k++) is_path |= strcmp(words[i], path_options[k]) == 0;
        if (is_path && words[i + 1]) path = words[++i];
        else made[n++] = strdup(words[i]);
    }
    if (!words[i]) run_die("a program without a class: ", words[0] ? words[0] : "");
    made[n++] = strdup("-cp");
    if (asprintf(&made[n++], "%s%s%s", driver, path ? ":" : "", path ? path : "") < 0) run_die("out of memory", "");
    made[n++] = strdup("Repeat");
    made[n++] = strdup(how);
    for (; words[i] && n < MAX_WORDS - 1; i++) made[n++] = strdup(words[i]);
    return made;
}

static void add_work(Bench *b, const char *text, bool driven) {
    const char *equals = strchr(text, '=');
    char **words = equals ? run_split(equals + 1) : NULL;
    if (!words || equals == text || memchr(text, ',', (size_t)(equals - text)))
        run_die("a program is NAME=ARGUMENTS, not ", text);
    GROW_OR_EXIT(b->work, b->capacity, b->count + 1);
    b->work[b->count++] = (Work){.name = strndup(text, (size_t)(equals - text)), .words = words, .driven = driven};
}

char *pair_filled(const char *word, const Marks *m) {
    static const char *const marks[] = {"{layout}", "{side}", "{plan}", "{program}"};
    enum { MARKS = sizeof marks / sizeof *marks };
    char number[16];
    snprintf(number, sizeof number, "%d", m->layout);
    const char *const values[MARKS] = {number, m->side, m->plan, m->program};
    Text t = {0};
    text_put(&t, "", 0);
    while (*word) {
        int k = 0;
        while (k < MARKS && !(values[k] && strncmp(word, marks[k], strlen(marks[k])) == 0)) k++;
        if (k < MARKS) {
            text_put_string(&t, values[k]);
            word += strlen(marks[k]);
        } else {
            text_put_char(&t, *word++);
        }
    }
    return t.at;
}

// Starts a side, with `option` (may be NULL) between the command and the program.
static bool start(Bench *b, const Work *w, int side, int layout, char *option) {
    char *const between[] = {option, NULL}, *const *const parts[] = {b->command[side], between, w->words};
    char **words = calloc(2 * MAX_WORDS, sizeof *words);
    size_t n = 0;
    const Marks marks = {.layout = b->replay ? layout + 1 : 2 * layout + side + 1, .side = side ? "b" : "a"};
    for (int k = 0; k < 3; k++)
        for (char *const *p = parts[k]; *p && n < 2 * MAX_WORDS - 1; p++) words[n++] = pair_filled(*p, &marks);
    uint64_t random = b->replay ? (uint64_t)layout + 1 : b->random;
    size_t padding = splitmix_next(&random) % 4096;
    if (!b->replay) b->random = random;
    bool ok = side_start(&b->side[side], words, padding);
    for (size_t i = 0; i < n; i++) free(words[i]);
    free(words);
    return ok;
}

// ---- turns -------------------------------------------------------------------------------------------

static bool complain(Work *w, const Side *s, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", w->name, s->name, what);
    side_show_errors(s);
    w->failed = true;
    return false;
}

// False on failure or interruption. *done: `goal` is reached.
static bool run_slice(Work *w, Side *s, SliceEnd goal, bool *done) {
    SliceEnd end = side_slice(s, slice_ms);
    if (end == SLICE_INTERRUPTED) return false;
    if (end == SLICE_FAILED) return complain(w, s, s->trouble);
    if (end == SLICE_ENDED && end != goal)
        return complain(w, s,
                        "has ended the process with exit code 0 in the middle of a turn: name a method that returns");
    *done = end == goal;
    return true;
}

static bool run_alone(Work *w, Side *s, SliceEnd goal) {
    bool done = false;
    while (!done)
        if (!run_slice(w, s, goal, &done)) return false;
    return true;
}

// Runs both sides in alternate slices, beginning with `first`, until each has reached `goal`.
static bool run_both(Bench *b, Work *w, int first, SliceEnd goal) {
    bool done[2] = {false, false};
    for (int i = first; !done[0] || !done[1]; i = 1 - i) {
        if (!done[i] && !run_slice(w, &b->side[i], goal, &done[i])) return false;
    }
    if (b->compare && !side_same_output(&b->side[0], &b->side[1]))
        return complain(w, &b->side[1], "has printed something else than A; --no-compare lets it");
    return true;
}

static bool take_pair(Bench *b, Work *w, int first, Pair *pair) {
    for (int i = 0; i < 2; i++)
        if (!side_request(&b->side[i], pair->iterations)) return complain(w, &b->side[i], b->side[i].trouble);
    if (!run_both(b, w, first, SLICE_ANSWERED)) return false;
    pair->first = first;
    for (int i = 0; i < 2; i++) pair->cost[i] = b->side[i].cost;
    return true;
}

// The last turns, to check whether each side's last window agrees with the one before.
typedef struct Recent {
    double ms[2][2 * WINDOW];
    size_t n;
} Recent;

static bool agree(const Recent *r) {
    for (int s = 0; s < 2; s++) {
        double before = stats_median(r->ms[s], WINDOW), after = stats_median(r->ms[s] + WINDOW, WINDOW);
        if (r->n < 2 * WINDOW || after > before * (1 + settled) || after < before * (1 - settled)) return false;
    }
    return true;
}

// Runs turns until both sides are warm, and sets the number of iterations per turn.
static bool warm_up(Bench *b, Work *w, Pair *pair) {
    Recent recent = {0};
    double spent_s[2] = {0}, least = 0;
    pair->iterations = 1;
    do {
        if (!take_pair(b, w, (int)(splitmix_next(&b->random) >> 63), pair)) return false;
        for (int s = 0; s < 2; s++) spent_s[s] += pair->cost[s].cpu_ns / 1e9;
        least = spent_s[0] < spent_s[1] ? spent_s[0] : spent_s[1];
        double ms = (pair->cost[0].cpu_ns + pair->cost[1].cpu_ns) / 2e6;
        if (recent.n < 2 * WINDOW) recent.n++;
        for (int s = 0; s < 2; s++) {
            memmove(recent.ms[s] + 1, recent.ms[s], (2 * WINDOW - 1) * sizeof *recent.ms[s]);
            recent.ms[s][0] = pair->cost[s].cpu_ns / 1e6;
        }
        if (ms < short_turn_ms && pair->iterations < 1 << 20) pair->iterations *= 2, recent.n = 0;
        else if (ms > long_turn_ms && pair->iterations > 1) pair->iterations /= 2, recent.n = 0;
    } while (least < b->warmup_s || (!agree(&recent) && least < patience * b->warmup_s));
    if (b->warmup_s > 0 && !agree(&recent)) {
        fprintf(stderr, "%s: layout %d: the last turns differ after %.1f s of warm-up\n", w->name, pair->layout + 1,
                least);
        fprintf(b->out, "# not settled: %s, layout %d\n", w->name, pair->layout);
    }
    return true;
}

static void keep(Bench *b, const Work *w, const Pair *pair) {
    pairs_add(pairs_program(&b->data, w->name), *pair);
    pairs_write(b->out, w->name, pair);
}

// Blocks of four turns, randomly ABBA or BAAB: drift over four turns affects both sides alike.
static bool steady(Bench *b, Work *w, int layout) {
    Pair pair = {.layout = layout};
    int64_t deadline = clock_monotonic_ns() + (int64_t)(b->time_s / b->layouts * 1e9);
    if (!warm_up(b, w, &pair)) return false;
    for (int i = 0, first = 0; b->time_s > 0 ? i < 6 || clock_monotonic_ns() < deadline : i < b->pairs; i++) {
        first = i % 2 ? 1 - first : (int)(splitmix_next(&b->random) >> 63);
        if (!take_pair(b, w, first, &pair)) return false;
        keep(b, w, &pair);
    }
    return true;
}

static bool from_start(Bench *b, Work *w, int layout) {
    Pair pair = {.layout = layout, .iterations = 1, .first = (int)(splitmix_next(&b->random) >> 63)};
    for (int i = 0; i < 2; i++) {
        // The request waits in the pipe. Time before exec does not count as the process's.
        if (w->driven && !side_request(&b->side[i], b->iterations)) return complain(w, &b->side[i], b->side[i].trouble);
        side_close_requests(&b->side[i]);
    }
    if (!run_both(b, w, pair.first, SLICE_ENDED)) return false;
    for (int i = 0; i < 2; i++) pair.cost[i] = b->side[i].cost;
    keep(b, w, &pair);
    return true;
}

// Records the compilations of a run of A as long as a warm-up, for both sides to repeat.
static bool record(Bench *b, Work *w) {
    Side *s = &b->side[0];
    char *option, *file;
    if (asprintf(&file, "%s.%s.replay", b->out_file, w->name) < 0 ||
        asprintf(&option, "-Xreplay:record=%s", file) < 0 || asprintf(&w->replay, "-Xreplay:%s", file) < 0)
        run_die("out of memory", "");
    bool ok = start(b, w, 0, 0, option) || complain(w, s, s->trouble);
    double spent_s = 0;
    while (ok && w->driven && spent_s < b->warmup_s) {
        ok = (side_request(s, 1) || complain(w, s, s->trouble)) && run_alone(w, s, SLICE_ANSWERED);
        spent_s += s->cost.cpu_ns / 1e9;
    }
    side_close_requests(s);
    ok = ok && run_alone(w, s, SLICE_ENDED);
    side_kill(s);
    free(option);
    free(file);
    return ok;
}

static void run_layout(Bench *b, Work *w, int layout) {
    bool ok = true;
    for (int i = 0; ok && i < 2; i++)
        if (!start(b, w, i, layout, w->replay)) ok = complain(w, &b->side[i], b->side[i].trouble);
    if (ok) b->from_start ? from_start(b, w, layout) : steady(b, w, layout);
    side_kill(&b->side[0]);
    side_kill(&b->side[1]);
    fflush(b->out);
}

static void run_all(Bench *b) {
    double *used_s = calloc(b->count + 1, sizeof *used_s);
    for (size_t i = 0; b->replay && i < b->count && !side_interrupted; i++) record(b, &b->work[i]);
    for (int layout = 0; layout < b->layouts; layout++) {
        for (size_t i = 0; i < b->count && !side_interrupted; i++) {
            int64_t begin = clock_monotonic_ns();
            if (b->work[i].failed || (b->from_start && b->time_s > 0 && used_s[i] >= b->time_s)) continue;
            fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[Klayout %d of %d: %s" : "layout %d of %d: %s\n", layout + 1,
                    b->layouts, b->work[i].name);
            run_layout(b, &b->work[i], layout);
            used_s[i] += (double)(clock_monotonic_ns() - begin) / 1e9;
        }
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    free(used_s);
}

// ---- command line ------------------------------------------------------------------------------------

static void parse(Bench *b, int argc, char **argv) {
    static const struct option options[] = {{"a", required_argument, NULL, 'a'},
                                            {"b", required_argument, NULL, 'b'},
                                            {"program", required_argument, NULL, 'P'},
                                            {"workload", required_argument, NULL, 'W'},
                                            {"steady", no_argument, NULL, 'S'},
                                            {"from-start", no_argument, NULL, 'F'},
                                            {"layouts", required_argument, NULL, 'l'},
                                            {"pairs", required_argument, NULL, 'n'},
                                            {"time", required_argument, NULL, 'T'},
                                            {"warmup", required_argument, NULL, 'w'},
                                            {"iterations", required_argument, NULL, 'i'},
                                            {"driver", required_argument, NULL, 'd'},
                                            {"out", required_argument, NULL, 'o'},
                                            {"pin", required_argument, NULL, 'p'},
                                            {"timeout", required_argument, NULL, 't'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"no-compare", no_argument, NULL, 'x'},
                                            {"replay", no_argument, NULL, 'R'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
            case 'a':
            case 'b': b->data.text[c - 'a'] = strdup(optarg); break;
            case 'P': add_work(b, optarg, true); break;
            case 'W': add_work(b, optarg, false); break;
            case 'S': b->from_start = false; break;
            case 'F': b->from_start = true; break;
            case 'l': b->layouts = run_number(optarg, 1, 1000000); break;
            case 'n': b->pairs = run_number(optarg, 1, 1000000); break;
            case 'T': b->time_s = run_number(optarg, 1, 1000000); break;
            case 'w': b->warmup_s = run_number(optarg, 0, 1000000); break;
            case 'i': b->iterations = run_number(optarg, 1, 1000000); break;
            case 'd': b->driver = optarg; break;
            case 'o': b->out_file = optarg; break;
            case 'p': b->cpu = run_processor(run_number(optarg, 0, CPU_SETSIZE - 1)); break;
            case 't': b->limit_s = run_number(optarg, 1, 1000000); break;
            case 's': b->random = (uint64_t)run_number(optarg, 0, 2000000000); break;
            case 'x': b->compare = false; break;
            case 'R': b->replay = true; break;
            case 'h': pair_usage(stdout); exit(0);
            default: run_die("see --help", "");
        }
    }
    if (optind < argc) run_die("not an option: ", argv[optind]);
}

static void prepare(Bench *b) {
    for (int s = 0; s < 2; s++) {
        if (!b->data.text[s]) run_die("both --a and --b are needed; see --help", "");
        b->command[s] = run_split(b->data.text[s]);
        if (!b->command[s] || !b->command[s][0]) run_die("not a command: ", b->data.text[s]);
        b->side[s] = (Side){.name = s ? "B" : "A", .limit_s = b->limit_s, .cpu = b->cpu, .fixed_addresses = b->replay};
    }
    if (b->count == 0) run_die("nothing to run: --program or --workload is needed", "");
    for (size_t i = 0; i < b->count; i++) {
        if (b->work[i].driven) b->work[i].words = pair_driven_words(b->driver, b->work[i].words, "turns");
        else if (!b->from_start) run_die("a workload runs with --from-start alone: ", b->work[i].name);
    }
    if (b->layouts == 0) b->layouts = b->from_start ? 50 : 10;
    b->data.mode = strdup(b->from_start ? "from-start" : "steady");
    b->out = fopen(b->out_file, "we");
    if (!b->out) run_die("cannot write ", b->out_file);
    pairs_write_head(b->out, &b->data);
}

int pair_main(int argc, char **argv) {
    Bench b = {.driver = pair_own_driver(),
               .out_file = "cabernet-bench.csv",
               .pairs = 40,
               .iterations = 1,
               .cpu = -1,
               .warmup_s = 2,
               .limit_s = 300,
               .compare = true,
               .random = 1};
    bool failed = false;
    parse(&b, argc, argv);
    prepare(&b);
    side_handle_signals();
    run_all(&b);
    failed |= ferror(b.out) != 0;
    failed |= fclose(b.out) != 0;
    if (failed) fprintf(stderr, "cabernet-bench: cannot write all of %s\n", b.out_file);
    pairs_report(stdout, &b.data);
    printf("\nraw data: %s\n", b.out_file);
    for (size_t i = 0; i < b.count; i++) failed |= b.work[i].failed, free(b.work[i].replay);
    return side_interrupted ? 130 : failed;
}
