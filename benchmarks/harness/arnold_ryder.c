// cabernet-bench arnold-ryder: overhead and accuracy of sampled instrumentation, as in the tables of Arnold and Ryder
// (PLDI 2001).
//
// With a budget, each program is first measured in turns (arnold_ryder_turns.c), which gives times and accuracy of the
// most important configurations. Then each program gets a share of most of the remaining time for one run without a
// profile and one in each configuration, for code sizes and compile times and for the accuracy of the other
// configurations. All of these runs repeat the compilations of one recorded run (-Xreplay), so that they differ only in
// the profile. The remaining time, or all of it if there is no budget, is used for turns in one code layout after the
// other, so that the luck of a layout is not mistaken for overhead.
#include "benchmarks/harness/arnold_ryder.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/side.h"

enum { MAX_ITERATIONS = 1000, MAX_WORDS = 600 };

static const struct Row {
    const char *id, *profile, *tables;
    int timed;
} rows[AR_CONFIGS] = {
#define FIRST 2
#define PAIRS 1
#define ONCE 0
#define CONFIG(id, profile, tables, timed) {#id, profile, tables, timed},
#include "benchmarks/harness/arnold_ryder.def"
};

const char *ar_id(int config) { return rows[config].id; }

// Configurations with both of the analyses that are sampled.
bool ar_is_exact(int config) { return config == AR_EXACT || config == AR_EXACT_ALL; }

bool ar_is_sampled(int config) {
    return config > AR_EXACT && strpbrk(rows[config].tables, "45") && config != AR_FULL && config != AR_NO;
}

bool ar_wanted(const ArBench *b, int config) { return strpbrk(rows[config].tables, b->tables) != NULL; }

// ---- one run ---------------------------------------------------------------------------------------

typedef struct Sample {
    double ms[AR_MAX_PAIRS];  // of the measured iterations
    int n;
    ArCost cost;
} Sample;

char *ar_path(const ArBench *b, const ArProgram *p, const char *suffix) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", b->out, p->name, suffix) < 0) run_die("out of memory", "");
    return path;
}

static char *option(const char *format, const char *a, const char *b) {
    char *text;
    if (asprintf(&text, format, a, b) < 0) run_die("out of memory", "");
    return text;
}

static size_t copy_words(char **to, size_t n, char **from) {
    for (; *from && n < MAX_WORDS - 4; from++) to[n++] = *from;
    return n;
}

static bool execute(const ArBench *b, char **words, Run *run) {
    return ftruncate(b->error_log, 0) == 0 && lseek(b->error_log, 0, SEEK_SET) == 0 &&
        run_command(words, -1, b->error_log, b->limit_s, run);
}

void ar_read_stats(const char *path, ArCost *s) {
    *s = (ArCost){0};
    FILE *in = fopen(path, "r");
    char key[64];
    double value;
    while (in && fscanf(in, "%63s %lf", key, &value) == 2) {
        if (strcmp(key, "compile-ns") == 0) s->compile_ms = value / 1e6;
        if (strcmp(key, "code-bytes") == 0) s->code = value;
        if (strcmp(key, "compiled") == 0) s->methods = value;
    }
    if (in) fclose(in);
}

// Stores the times of the iterations after the first `skip`, at most AR_MAX_PAIRS. Removes their lines from the text.
static void take_iterations(char *text, int skip, Sample *s) {
    double ms;
    int seen = 0;
    char *to = text;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (sscanf(line, "iteration %*d %lf ms", &ms) != 1) {
            memmove(to, line, length);
            to += length;
        } else if (seen++ >= skip && s->n < AR_MAX_PAIRS) {
            s->ms[s->n++] = ms;
        }
        line += length;
    }
    *to = 0;
}

static bool complain(const ArBench *b, const ArProgram *p, const char *what, const char *profile) {
    fprintf(stderr, "%s %s: %s\n", p->name, profile ? profile : "without a profile", what);
    char text[600];
    ssize_t n = pread(b->error_log, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = 0;
        fprintf(stderr, "    %s%s", text, text[n - 1] == '\n' ? "" : "\n");
    }
    return false;
}

static bool judge(const ArBench *b, ArProgram *p, const char *profile, Run *run, Sample *s) {
    if (run->late) return complain(b, p, "did not end in time", profile);
    if (run->status != 0) return complain(b, p, "failed", profile);
    take_iterations(run->output, b->skip, s);
    if (s->n == 0) return complain(b, p, "printed too few iterations", profile);
    if (!p->expected) p->expected = strdup(run->output);
    return strcmp(p->expected, run->output) == 0 || complain(b, p, "printed something else", profile);
}

// Compilations of a run: -Xreplay's text or NULL, -Xjit:layout's seed or 0.
typedef struct Compilations {
    const char *replay;
    int layout;
} Compilations;

// Runs with `profile` (NULL: none) into `file`.
static bool measure(const ArBench *b, ArProgram *p, const char *profile, const char *file, Compilations how,
                    Sample *s) {
    char *words[MAX_WORDS] = {0}, *stats = ar_path(b, p, "stats");
    char *plans = how.replay ? option("-Xreplay:%s%s", how.replay, "") : NULL;
    char *jit = NULL, *prof = NULL;
    if (asprintf(&jit, "-Xjit:stats=%s,layout=%d", stats, how.layout) < 0) run_die("out of memory", "");
    size_t n = copy_words(words, 0, b->vm);
    words[n++] = jit;
    if (plans) words[n++] = plans;
    if (profile && asprintf(&prof, "-Xprofile:%s:message=off:file=%s", profile, file) < 0) run_die("out of memory", "");
    if (prof) words[n++] = prof;
    copy_words(words, n, p->args);
    Run run = {0};
    *s = (Sample){0};
    unlink(stats);
    bool ok = execute(b, words, &run) ? judge(b, p, profile, &run, s) : complain(b, p, strerror(errno), profile);
    ar_read_stats(stats, &s->cost);
    free(run.output);
    free(prof);
    free(plans);
    free(jit);
    free(stats);
    return ok;
}

// ---- accuracy --------------------------------------------------------------------------------------

static double number_at(const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_is_number(v) ? json_number_value(v) : NAN;
}

static ArAccuracy accuracy_of(const json_t *root) {
    ArAccuracy a = {.known = true, .overlap = {NAN, NAN}, .ideal = {NAN, NAN}};
    const json_t *sampled = json_object_get(root, "b"), *analysis;
    size_t i;
    a.samples = number_at(sampled, "samples");
    a.checks = number_at(sampled, "checks");
    json_array_foreach(json_object_get(root, "analyses"), i, analysis) {
        const char *name = json_string_value(json_object_get(analysis, "name"));
        int which = name && strcmp(name, "field-access") == 0;
        a.overlap[which] = number_at(analysis, "overlap");
        a.ideal[which] = number_at(json_object_get(analysis, "ideal"), "expected");
        a.events += number_at(analysis, "totalB");
    }
    return a;
}

void ar_compare(const ArBench *b, const ArProgram *p, const char *exact, const char *sampled, ArAccuracy *a) {
    char *words[] = {(char *)b->prof, "overlap", "--json", "--top", "1", (char *)exact, (char *)sampled, NULL};
    Run run = {0};
    if (!execute(b, words, &run) || run.status != 0) {
        complain(b, p, "its profiles cannot be compared", sampled);
        return;
    }
    json_t *root = json_loads(run.output, 0, NULL);
    if (root) *a = accuracy_of(root);
    json_decref(root);
    free(run.output);
}

// ---- pairs -----------------------------------------------------------------------------------------

static void match_timer(ArProgram *p) {
    const ArAccuracy *timer = &p->cell[AR_TIMER].accuracy;
    ArCell *c = &p->cell[AR_MATCHED];
    double interval = timer->known && timer->samples > 0 ? timer->checks / timer->samples : 0;
    c->failed = !(interval >= 1 && interval <= 1e9);
    if (!c->failed && !c->profile &&
        asprintf(&c->profile, "field-access:sampling=counter:interval=%.0f:dup=full", interval) < 0)
        run_die("out of memory", "");
}

// ---- one run of each -------------------------------------------------------------------------------

void ar_keep_costs(ArCell *c, const ArCost *plain, const ArCost *with) {
    c->plain_cost = *plain;
    c->cost = *with;
    c->runs = 1;
}

static void run_once(const ArBench *b, ArProgram *p, int config, const char *replay) {
    ArCell *c = &p->cell[config];
    if (config == AR_MATCHED) match_timer(p);
    if (c->failed) return;
    char *suffix = option("%s.prof%s", rows[config].id, ""), *file = ar_path(b, p, suffix);
    char *exact = ar_path(b, p, "EXACT.prof");
    Sample s;
    c->failed = !measure(b, p, c->profile, file, (Compilations){replay, 1}, &s);
    if (!c->failed) ar_keep_costs(c, &p->plain_cost, &s.cost);
    if (!c->failed && !c->timed) {
        c->n = s.n < p->plain_n ? s.n : p->plain_n;
        memcpy(c->plain_ms, p->plain_ms, (size_t)c->n * sizeof *c->plain_ms);
        memcpy(c->ms, s.ms, (size_t)c->n * sizeof *c->ms);
    }
    if (!c->failed && ar_is_sampled(config)) ar_compare(b, p, exact, file, &c->accuracy);
    free(exact);
    free(file);
    free(suffix);
}

// Records the compilations that all runs repeat; other methods stay interpreted.
static char *record(const ArBench *b, ArProgram *p) {
    char *plans = ar_path(b, p, "plans"), *how = option("record=%s%s", plans, "");
    Sample s;
    p->failed = !measure(b, p, NULL, NULL, (Compilations){how, 0}, &s);
    free(how);
    return plans;
}

static double seconds_left(const ArBench *b) {
    return b->budget_s > 0 ? b->budget_s - (double)(clock_monotonic_ns() - b->start_ns) / 1e9 : INFINITY;
}

// Order of the configurations' runs: first the reference of the samples, then those not yet measured in turns, then the
// others, with code that replays the compilations of the run without a profile.
static size_t ordered(const ArBench *b, const ArProgram *p, int order[AR_CONFIGS]) {
    size_t n = 0;
    for (int rank = 0; rank <= 2; rank++)
        for (int i = 0; i < AR_CONFIGS; i++) {
            const int of = i == AR_EXACT ? 0 : p->cell[i].runs == 0 ? 1 : 2;
            if (ar_wanted(b, i) && of == rank) order[n++] = i;
        }
    return n;
}

// One run of each configuration, until fewer than `reserve` seconds are left.
static void run_program(const ArBench *b, ArProgram *p, double reserve) {
    char *plans = b->replay ? record(b, p) : NULL;
    int order[AR_CONFIGS];
    const size_t n = ordered(b, p, order);
    Sample s;
    if (!p->failed) p->failed = !measure(b, p, NULL, NULL, (Compilations){plans, 1}, &s);
    if (!p->failed) {
        memcpy(p->plain_ms, s.ms, sizeof s.ms);
        p->plain_n = s.n;
        p->plain_cost = s.cost;
    }
    for (size_t i = 0; i < n && !p->failed; i++) {
        if (seconds_left(b) < reserve) {
            fprintf(stderr, "%s: no time for a run of %zu configurations, from %s on\n", p->name, n - i,
                    rows[order[i]].id);
            break;
        }
        fprintf(stderr, "%s: %s\n", p->name, rows[order[i]].id);
        run_once(b, p, order[i], plans);
    }
    free(plans);
}

// ---- turns -----------------------------------------------------------------------------------------

enum { SHORTEST_S = 5, LONGEST_S = 30 };  // of one process in a layout

// Collects the program's next configurations whose `timed` is at least `least`; returns their number. *from becomes the
// index after the last.
static int next_timed(const ArBench *b, const ArProgram *p, int least, int *from, int configs[AR_MOST_ALIVE]) {
    int n = 0;
    for (; *from < AR_CONFIGS && n < AR_MOST_ALIVE; ++*from)
        if (rows[*from].timed >= least && ar_wanted(b, *from) && p->cell[*from].profile && !p->cell[*from].failed)
            configs[n++] = *from;
    return n;
}

static int count_timed(const ArBench *b, int least) {
    int n = 0;
    for (int i = 0; i < AR_CONFIGS; i++) n += rows[i].timed >= least && ar_wanted(b, i);
    return n;
}

// Times the program in one layout. All its processes together have `share` seconds, each at most LONGEST_S.
static void time_program(const ArBench *b, ArProgram *p, int least, int layout, double share) {
    int configs[AR_MOST_ALIVE], from = 0, n;
    const int all = count_timed(b, least);
    while (!p->failed && (n = next_timed(b, p, least, &from, configs)) > 0 && !side_interrupted) {
        const double seconds = fmin(share * n / all, LONGEST_S * (n + 1));
        fprintf(stderr, "%s: turns of %d configurations, layout %d, %.0f s\n", p->name, n, layout, seconds);
        p->failed = !ar_take_turns(b, p, configs, n, layout, seconds);
    }
}

// Times all programs in one layout, in at most `seconds`; programs share unused time with later ones.
static void time_layout(ArBench *b, int least, int layout, double seconds) {
    const double end = seconds_left(b) - seconds;
    for (int i = 0; i < b->count && !side_interrupted; i++) {
        const double share = (seconds_left(b) - end) / (b->count - i),
                     least_share = SHORTEST_S * (1 + count_timed(b, least));
        if (share < least_share / 2)
            fprintf(stderr, "%s: no time for turns in layout %d\n", b->program[i].name, layout);
        else time_program(b, &b->program[i], least, layout, share);
        ar_write_json(b);
    }
}

static void measure_all(ArBench *b) {
    const bool limited = b->budget_s > 0;
    const double turns = b->turns_share * b->budget_s;
    int least = ONCE;  // the lowest `timed` whose configurations all fit into the time
    while (limited && least < FIRST && turns < b->count * 2 * SHORTEST_S * (1 + count_timed(b, least))) least++;
    if (limited) time_layout(b, least, 1, turns);
    for (int i = 0; i < b->count && !side_interrupted; i++) {
        if (limited && seconds_left(b) < 0.1 * b->budget_s) {
            fprintf(stderr, "%s: no time for a run of each configuration\n", b->program[i].name);
            continue;
        }
        // Each program has its share of the time left, except for the last tenth.
        const double last = 0.1 * b->budget_s, others = (double)(b->count - i - 1) / (b->count - i);
        if (!b->program[i].failed)
            run_program(b, &b->program[i], limited ? last + others * (seconds_left(b) - last) : 0);
        ar_write_json(b);
    }
    for (int layout = limited ? 2 : 1; layout <= b->layouts && !side_interrupted; layout++) {
        const double left = limited ? seconds_left(b) : 1e9;
        if (left < b->count * SHORTEST_S * (1 + count_timed(b, least))) break;
        time_layout(b, least, layout, limited ? fmin(left, 0.3 * b->budget_s) : left);
    }
}

// ---- command line ----------------------------------------------------------------------------------

static void usage(FILE *to) {
    fputs("usage: cabernet-bench arnold-ryder --vm COMMAND --prof PROGRAM --out DIRECTORY [options]\n"
          "  --program NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]\n"
          "                       a method like main that returns and can be called again; repeated\n"
          "  --driver PATH        class path of Repeat (the one that comes with this program)\n"
          "  --iterations N       in the run that accuracy comes from (3)\n"
          "  --skip N             of them, at the start, do not count (1)\n"
          "  --layouts N          layouts of the code in which turns are taken (10)\n"
          "  --budget SECONDS     for everything (as long as it takes)\n"
          "  --turns PERCENT      of the budget, for the first turns (70)\n"
          "  --tables DIGITS      1 to 5, and 8 for the figure (123458)\n"
          "  --no-replay          let every run compile as it will\n"
          "  --timeout SECONDS    for one run (600)\n",
          to);
}

static void add_program(ArBench *b, const char *text) {
    const char *equals = strchr(text, '=');
    if (b->count == AR_MAX_PROGRAMS) run_die("too many programs", "");
    ArProgram *p = &b->program[b->count++];
    p->spec = strdup(text);
    p->args = equals && equals > text ? run_split(equals + 1) : NULL;
    if (!p->args) run_die("a program is NAME=ARGUMENTS, not ", text);
    p->name = strndup(text, (size_t)(equals - text));
    for (int i = 0; i < AR_CONFIGS; i++) p->cell[i].profile = rows[i].profile ? strdup(rows[i].profile) : NULL;
}

// Single runs use the directory j; the processes that are alive in turns use a to i.
static char *alone(char *word) {
    static const char mark[] = "{side}";
    char *at = strstr(word, mark), *made;
    if (!at) return word;
    if (asprintf(&made, "%.*sj%s", (int)(at - word), word, at + sizeof mark - 1) < 0) run_die("out of memory", "");
    return made;
}

static void parse(ArBench *b, int argc, char **argv) {
    static const struct option options[] = {{"vm", required_argument, NULL, 'v'},
                                            {"prof", required_argument, NULL, 'f'},
                                            {"out", required_argument, NULL, 'o'},
                                            {"program", required_argument, NULL, 'p'},
                                            {"iterations", required_argument, NULL, 'n'},
                                            {"skip", required_argument, NULL, 's'},
                                            {"layouts", required_argument, NULL, 'a'},
                                            {"budget", required_argument, NULL, 'b'},
                                            {"turns", required_argument, NULL, 'u'},
                                            {"driver", required_argument, NULL, 'd'},
                                            {"tables", required_argument, NULL, 't'},
                                            {"no-replay", no_argument, NULL, 'r'},
                                            {"timeout", required_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
            case 'v': b->vm_text = optarg; break;
            case 'f': b->prof = optarg; break;
            case 'o': b->out = optarg; break;
            case 'p': add_program(b, optarg); break;
            case 'n': b->iterations = run_number(optarg, 1, MAX_ITERATIONS); break;
            case 'b': b->budget_s = run_number(optarg, 1, 1000000); break;
            case 'u': b->turns_share = run_number(optarg, 1, 100) / 100.0; break;
            case 'd': b->driver = optarg; break;
            case 's': b->skip = run_number(optarg, 0, MAX_ITERATIONS); break;
            case 'a': b->layouts = run_number(optarg, 1, AR_MAX_PAIRS); break;
            case 't': b->tables = optarg; break;
            case 'r': b->replay = false; break;
            case 'l': b->limit_s = run_number(optarg, 1, 1000000); break;
            case 'h': usage(stdout); exit(0);
            default: usage(stderr); exit(2);
        }
    }
    if (!b->vm_text || !b->prof || !b->out || !b->count || optind < argc) {
        usage(stderr);
        exit(2);
    }
    if (b->tables[strspn(b->tables, "123458")]) run_die("tables are 1, 2, 3, 4, 5 and 8, not ", b->tables);
    char how[16];
    snprintf(how, sizeof how, "%d", b->iterations);
    for (int i = 0; i < b->count; i++)
        for (char **word = b->program[i].args = pair_driven_words(b->driver, b->program[i].args, how); *word; word++)
            *word = alone(*word);
    b->vm = run_split(b->vm_text);
    if (!b->vm || !b->vm[0]) run_die("not a command: ", b->vm_text);
}

static int failures(const ArBench *b) {
    int n = 0;
    for (int i = 0; i < b->count; i++) {
        n += b->program[i].failed;
        for (int config = 0; config < AR_CONFIGS; config++)
            n += config != AR_MATCHED && b->program[i].cell[config].failed;
    }
    return n;
}

int arnold_ryder(int argc, char **argv) {
    static ArBench bench = {.skip = 1,
                            .iterations = 3,
                            .layouts = 10,
                            .tables = "123458",
                            .replay = true,
                            .turns_share = 0.7,
                            .limit_s = 600};
    bench.driver = pair_own_driver();
    char error_path[] = "/tmp/cabernet-bench-XXXXXX";
    bench.error_log = mkostemp(error_path, O_CLOEXEC);
    if (bench.error_log < 0) run_die("cannot make a temporary file: ", strerror(errno));
    unlink(error_path);
    parse(&bench, argc, argv);
    bench.start_ns = clock_monotonic_ns();
    if (mkdir(bench.out, 0777) != 0 && errno != EEXIST) run_die("cannot make ", bench.out);
    side_handle_signals();
    measure_all(&bench);
    ar_print(&bench);
    ar_write_json(&bench);
    ar_plot(&bench);
    return side_interrupted ? 130 : failures(&bench) > 0;
}
