// cabernet-bench arnold-ryder: overhead and accuracy of sampled instrumentation, as the tables of
// Arnold and Ryder (PLDI 2001) have them.
//
// First each program runs once without a profile and once in each configuration: that gives accuracy, sizes of code and
// times to compile. All of these repeat the compilations of one recorded run (-Xreplay), so that they differ in the profile alone.
// Then times are measured in turns (pair.h), of the configurations that are worth it, in one layout of the code after the
// other, so that no layout's luck is taken for overhead. With a budget the first part takes at most half of it, programs
// that do not fit are left out, and the turns are as long as what is left allows for; whatever was measured
// when the time is up is shown.
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
#include "benchmarks/harness/pairs.h"
#include "benchmarks/harness/run.h"

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

bool ar_wanted(const ArBench *b, int config)
{
    return strpbrk(rows[config].tables, b->tables) != NULL;
}

// ---- one run ---------------------------------------------------------------------------------------

typedef struct Sample {
    double ms, compile_ms, code, methods;
} Sample;

static char *path_in(const ArBench *b, const ArProgram *p, const char *suffix)
{
    char *path;
    if (asprintf(&path, "%s/%s.%s", b->out, p->name, suffix) < 0)
        run_die("out of memory", "");
    return path;
}

static char *option(const char *format, const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, format, a, b) < 0)
        run_die("out of memory", "");
    return text;
}

static size_t copy_words(char **to, size_t n, char **from)
{
    for (; *from && n < MAX_WORDS - 4; from++)
        to[n++] = *from;
    return n;
}

static bool execute(const ArBench *b, char **words, Run *run)
{
    return ftruncate(b->error_log, 0) == 0 && lseek(b->error_log, 0, SEEK_SET) == 0
           && run_command(words, -1, b->error_log, b->limit_s, run);
}

static void read_stats(const char *path, Sample *s)
{
    FILE *in = fopen(path, "r");
    char key[64];
    double value;
    while (in && fscanf(in, "%63s %lf", key, &value) == 2) {
        if (strcmp(key, "compile-ns") == 0)
            s->compile_ms = value / 1e6;
        if (strcmp(key, "code-bytes") == 0)
            s->code = value;
        if (strcmp(key, "quick") == 0 || strcmp(key, "optimising") == 0)
            s->methods += value;
    }
    if (in)
        fclose(in);
}

// Median of the iterations behind the first `skip`; NAN if there are none. Takes their lines out of the text.
static double take_iterations(char *text, int skip)
{
    double times[MAX_ITERATIONS], ms;
    int seen = 0, n = 0;
    char *to = text;
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (sscanf(line, "iteration %*d %lf ms", &ms) != 1) {
            memmove(to, line, length);
            to += length;
        } else if (seen++ >= skip && n < MAX_ITERATIONS) {
            times[n++] = ms;
        }
        line += length;
    }
    *to = 0;
    return stats_median(times, (size_t)n);
}

static bool complain(const ArBench *b, const ArProgram *p, const char *what, const char *profile)
{
    fprintf(stderr, "%s %s: %s\n", p->name, profile ? profile : "without a profile", what);
    char text[600];
    ssize_t n = pread(b->error_log, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = 0;
        fprintf(stderr, "    %s%s", text, text[n - 1] == '\n' ? "" : "\n");
    }
    return false;
}

static bool judge(const ArBench *b, ArProgram *p, const char *profile, Run *run, Sample *s)
{
    if (run->late)
        return complain(b, p, "did not end in time", profile);
    if (run->status != 0)
        return complain(b, p, "failed", profile);
    s->ms = take_iterations(run->output, b->skip);
    if (isnan(s->ms))
        return complain(b, p, "printed too few iterations", profile);
    if (!p->expected)
        p->expected = strdup(run->output);
    return strcmp(p->expected, run->output) == 0 || complain(b, p, "printed something else", profile);
}

// How a run compiles: -Xreplay's text or NULL, -Xjit:layout's seed or 0.
typedef struct Compilations {
    const char *replay;
    int layout;
} Compilations;

// Runs with `profile` (NULL: none) into `file`.
static bool measure(const ArBench *b, ArProgram *p, const char *profile, const char *file, Compilations how, Sample *s)
{
    char *words[MAX_WORDS] = {0}, *stats = path_in(b, p, "stats");
    char *plans = how.replay ? option("-Xreplay:%s%s", how.replay, "") : NULL;
    char *jit = NULL, *prof = NULL;
    if (asprintf(&jit, "-Xjit:stats=%s,layout=%d", stats, how.layout) < 0)
        run_die("out of memory", "");
    size_t n = copy_words(words, 0, b->vm);
    words[n++] = jit;
    if (plans)
        words[n++] = plans;
    if (profile && asprintf(&prof, "-Xprofile:%s:message=off:file=%s", profile, file) < 0)
        run_die("out of memory", "");
    if (prof)
        words[n++] = prof;
    copy_words(words, n, p->args);
    Run run = {0};
    *s = (Sample){0};
    unlink(stats);
    bool ok = execute(b, words, &run) ? judge(b, p, profile, &run, s) : complain(b, p, strerror(errno), profile);
    read_stats(stats, s);
    free(run.output);
    free(prof);
    free(plans);
    free(jit);
    free(stats);
    return ok;
}

// ---- accuracy --------------------------------------------------------------------------------------

static double number_at(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_is_number(v) ? json_number_value(v) : NAN;
}

static ArAccuracy accuracy_of(const json_t *root)
{
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

static void compare(const ArBench *b, const ArProgram *p, const char *exact, const char *sampled, ArAccuracy *a)
{
    char *words[] = {(char *)b->prof, "overlap", "--json", "--top", "1", (char *)exact, (char *)sampled, NULL};
    Run run = {0};
    if (!execute(b, words, &run) || run.status != 0) {
        complain(b, p, "its profiles cannot be compared", sampled);
        return;
    }
    json_t *root = json_loads(run.output, 0, NULL);
    if (root)
        *a = accuracy_of(root);
    json_decref(root);
    free(run.output);
}

// ---- pairs -----------------------------------------------------------------------------------------

static void match_timer(ArProgram *p)
{
    const ArAccuracy *timer = &p->cell[AR_TIMER].accuracy;
    ArCell *c = &p->cell[AR_MATCHED];
    double interval = timer->known && timer->samples > 0 ? timer->checks / timer->samples : 0;
    c->failed = !(interval >= 1 && interval <= 1e9);
    if (!c->failed && !c->profile
        && asprintf(&c->profile, "field-access:sampling=counter:interval=%.0f:dup=full", interval) < 0)
        run_die("out of memory", "");
}

// ---- one run of each -------------------------------------------------------------------------------

static void keep(const ArProgram *p, ArCell *c, const Sample *s)
{
    c->plain_ms[0] = p->plain_ms;
    c->ms[0] = s->ms;
    c->plain_compile_ms[0] = p->plain_compile_ms;
    c->compile_ms[0] = s->compile_ms;
    c->plain_methods[0] = p->plain_methods;
    c->methods[0] = s->methods;
    c->plain_code[0] = p->plain_code;
    c->code[0] = s->code;
    c->n = c->runs = 1;
}

static void run_once(const ArBench *b, ArProgram *p, int config, const char *replay)
{
    ArCell *c = &p->cell[config];
    if (config == AR_MATCHED)
        match_timer(p);
    if (c->failed)
        return;
    char *suffix = option("%s.prof%s", rows[config].id, ""), *file = path_in(b, p, suffix);
    char *exact = path_in(b, p, "EXACT.prof");
    Sample s;
    c->failed = !measure(b, p, c->profile, file, (Compilations){replay, 1}, &s);
    if (!c->failed)
        keep(p, c, &s);
    if (!c->failed && config > AR_EXACT && strpbrk(rows[config].tables, "45") && config != AR_FULL && config != AR_NO)
        compare(b, p, exact, file, &c->accuracy);
    free(exact);
    free(file);
    free(suffix);
}

// The compilations that all runs repeat; what they cannot repeat stays interpreted.
static char *record(const ArBench *b, ArProgram *p)
{
    char *plans = path_in(b, p, "plans"), *how = option("record=%s%s", plans, "");
    Sample s;
    p->failed = !measure(b, p, NULL, NULL, (Compilations){how, 0}, &s);
    free(how);
    return plans;
}

static double seconds_left(const ArBench *b)
{
    return b->budget_s > 0 ? b->budget_s - (double)(clock_monotonic_ns() - b->start_ns) / 1e9 : INFINITY;
}

static void run_program(const ArBench *b, ArProgram *p)
{
    char *plans = b->replay ? record(b, p) : NULL;
    Sample s;
    if (!p->failed)
        p->failed = !measure(b, p, NULL, NULL, (Compilations){plans, 1}, &s);
    if (!p->failed) {
        p->plain_ms = s.ms;
        p->plain_compile_ms = s.compile_ms;
        p->plain_code = s.code;
        p->plain_methods = s.methods;
    }
    for (int i = 0; i < AR_CONFIGS && !p->failed; i++) {
        if (!ar_wanted(b, i))
            continue;
        if (b->budget_s > 0 && seconds_left(b) < b->budget_s / 2) {
            fprintf(stderr, "%s: no time for %s and what comes behind it\n", p->name, rows[i].id);
            break;
        }
        fprintf(stderr, "%s: %s\n", p->name, rows[i].id);
        run_once(b, p, i, plans);
    }
    free(plans);
}

// ---- turns -----------------------------------------------------------------------------------------

// The medians of a layout's turns: processor time without a profile, and by how much more with it.
static bool read_turns(const char *path, ArCell *c)
{
    Measurement m = {0};
    int line;
    FILE *in = fopen(path, "r");
    bool ok = in && pairs_read(in, &m, &line) && m.n == 1 && m.programs[0].n > 0;
    if (in)
        fclose(in);
    double *plain = ok ? calloc(m.programs[0].n, sizeof *plain) : NULL, *ratio = ok ? calloc(m.programs[0].n, sizeof *ratio) : NULL;
    ok = plain && ratio;
    for (size_t i = 0; ok && i < m.programs[0].n; i++) {
        const Pair *turn = &m.programs[0].pairs[i];
        plain[i] = turn->cost[0].cpu_ns / 1e6 / turn->iterations;
        ratio[i] = turn->cost[1].cpu_ns / turn->cost[0].cpu_ns;
    }
    if (ok) {
        c->n = c->timed ? c->n : 0;
        c->timed = true;
        c->plain_ms[c->n] = stats_median(plain, m.programs[0].n);
        c->ms[c->n] = c->plain_ms[c->n] * stats_median(ratio, m.programs[0].n);
        c->n++;
    }
    free(plain);
    free(ratio);
    pairs_free(&m);
    return ok;
}

static void take_turns(const ArBench *b, ArProgram *p, int config, int layout, double seconds)
{
    ArCell *c = &p->cell[config];
    char *suffix = NULL, *with = NULL, *plain = NULL, *time = NULL, *seed = NULL;
    if (asprintf(&suffix, "%s.%d.csv", rows[config].id, layout) < 0 || asprintf(&time, "%.0f", seconds) < 0
        || asprintf(&seed, "%d", layout) < 0 || asprintf(&plain, "%s -Xjit:layout={layout}", b->vm_text) < 0)
        run_die("out of memory", "");
    char *csv = path_in(b, p, suffix), *file = path_in(b, p, "timed.prof");
    if (asprintf(&with, "%s -Xprofile:%s:message=off:file=%s", plain, c->profile, file) < 0)
        run_die("out of memory", "");
    char *words[] = {"/proc/self/exe", "pair", "--a", plain, "--b", with, "--driver", (char *)b->driver, "--program", p->spec,
                     "--layouts", "1", "--warmup", "1", "--seed", seed, "--time", time, "--out", csv, NULL};
    Run run = {0};
    fprintf(stderr, "%s: %s, layout %d\n", p->name, rows[config].id, layout);
    bool ok = execute(b, words, &run) && run.status == 0 && read_turns(csv, c);
    if (!ok && !c->timed)
        complain(b, p, "could not be measured in turns", c->profile);
    free(run.output);
    free(with);
    free(file);
    free(csv);
    free(plain);
    free(seed);
    free(time);
    free(suffix);
}

// What is timed: configurations that are `timed` at least so much, of the first programs.
typedef struct Choice {
    int least, programs;
    double seconds;  // of a turn
} Choice;

static bool can_be_timed(const ArBench *b, int program, int config, const Choice *c)
{
    const ArProgram *p = &b->program[program];
    return program < c->programs && rows[config].timed >= c->least && ar_wanted(b, config) && !p->failed
           && p->cell[config].runs && !p->cell[config].failed;
}

enum { FEWEST_LAYOUTS = 3, SHORTEST_S = 4, LONGEST_S = 30 };

static int cells_of(const ArBench *b, const Choice *c)
{
    int cells = 0;
    for (int i = 0; i < b->count; i++)
        for (int config = 0; config < AR_CONFIGS; config++)
            cells += can_be_timed(b, i, config, c);
    return cells;
}

// As much of it as there is time for: intervals take a few layouts, and rather fewer configurations, and then fewer programs,
// than none. `turn_s`: what a turn takes at least.
static Choice choose(const ArBench *b, Choice c, int layouts, double turn_s)
{
    const double left = seconds_left(b);
    while (layouts * turn_s * cells_of(b, &c) > left && (c.least < FIRST || c.programs > 1)) {
        if (c.least < FIRST)
            c.least = FIRST;
        else
            fprintf(stderr, "%s: no time for turns\n", b->program[--c.programs].name);
    }
    double s = left / (layouts * (cells_of(b, &c) + 1));
    if (c.seconds == 0)
        c.seconds = s < SHORTEST_S ? SHORTEST_S : s > LONGEST_S ? LONGEST_S : s;
    return c;
}

// The other configurations as well when there is time left, which without a budget there is.
static void time_all(ArBench *b)
{
    const Choice all = {.least = ONCE, .programs = b->count};
    Choice c = choose(b, (Choice){.least = PAIRS, .programs = b->count}, FEWEST_LAYOUTS, SHORTEST_S);
    for (int layout = 1; layout <= b->layouts; layout++) {
        int64_t begin = clock_monotonic_ns();
        int turns = 0;
        for (int config = 0; config < AR_CONFIGS; config++)
            for (int i = 0; i < b->count; i++)
                if (can_be_timed(b, i, config, layout > FEWEST_LAYOUTS ? &all : &c) && seconds_left(b) > c.seconds) {
                    take_turns(b, &b->program[i], config, layout, c.seconds);
                    turns++;
                }
        ar_write_json(b);
        // With starts and warm-ups, on a loaded machine, they take longer than was asked for.
        if (layout < FEWEST_LAYOUTS && turns > 0)
            c = choose(b, c, FEWEST_LAYOUTS - layout, (double)(clock_monotonic_ns() - begin) / 1e9 / turns);
    }
}

// ---- command line ----------------------------------------------------------------------------------

static void usage(FILE *to)
{
    fputs("usage: cabernet-bench arnold-ryder --vm COMMAND --prof PROGRAM --out DIRECTORY [options]\n"
          "  --program NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]\n"
          "                       a method like main that returns and can be called again; repeated\n"
          "  --driver PATH        class path of Repeat (build/bench/driver)\n"
          "  --iterations N       in the run that accuracy comes from (3)\n"
          "  --skip N             of them, at the start, do not count (1)\n"
          "  --layouts N          layouts of the code in which turns are taken (10)\n"
          "  --budget SECONDS     for everything (as long as it takes)\n"
          "  --tables DIGITS      1 to 5, and 8 for the figure (123458)\n"
          "  --no-replay          let every run compile as it will\n"
          "  --timeout SECONDS    for one run (600)\n", to);
}

static void add_program(ArBench *b, const char *text)
{
    const char *equals = strchr(text, '=');
    if (b->count == AR_MAX_PROGRAMS)
        run_die("too many programs", "");
    ArProgram *p = &b->program[b->count++];
    p->spec = strdup(text);
    p->args = equals && equals > text ? run_split(equals + 1) : NULL;
    if (!p->args)
        run_die("a program is NAME=ARGUMENTS, not ", text);
    p->name = strndup(text, (size_t)(equals - text));
    for (int i = 0; i < AR_CONFIGS; i++)
        p->cell[i].profile = rows[i].profile ? strdup(rows[i].profile) : NULL;
}

// The runs that are alone have a directory of their own, as the two sides of a pair have.
static char *alone(char *word)
{
    static const char mark[] = "{side}";
    char *at = strstr(word, mark), *made;
    if (!at)
        return word;
    if (asprintf(&made, "%.*sone%s", (int)(at - word), word, at + sizeof mark - 1) < 0)
        run_die("out of memory", "");
    return made;
}

static void parse(ArBench *b, int argc, char **argv)
{
    static const struct option options[] = {
        {"vm", required_argument, NULL, 'v'}, {"prof", required_argument, NULL, 'f'},
        {"out", required_argument, NULL, 'o'}, {"program", required_argument, NULL, 'p'},
        {"iterations", required_argument, NULL, 'n'}, {"skip", required_argument, NULL, 's'},
        {"layouts", required_argument, NULL, 'a'}, {"budget", required_argument, NULL, 'b'},
        {"driver", required_argument, NULL, 'd'},
        {"tables", required_argument, NULL, 't'}, {"no-replay", no_argument, NULL, 'r'},
        {"timeout", required_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
        case 'v': b->vm_text = optarg; break;
        case 'f': b->prof = optarg; break;
        case 'o': b->out = optarg; break;
        case 'p': add_program(b, optarg); break;
        case 'n': b->iterations = run_number(optarg, 1, MAX_ITERATIONS); break;
        case 'b': b->budget_s = run_number(optarg, 1, 1000000); break;
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
    if (b->tables[strspn(b->tables, "123458")])
        run_die("tables are 1, 2, 3, 4, 5 and 8, not ", b->tables);
    char how[16];
    snprintf(how, sizeof how, "%d", b->iterations);
    for (int i = 0; i < b->count; i++)
        for (char **word = b->program[i].args = pair_driven_words(b->driver, b->program[i].args, how); *word; word++)
            *word = alone(*word);
    b->vm = run_split(b->vm_text);
    if (!b->vm || !b->vm[0])
        run_die("not a command: ", b->vm_text);
}

int arnold_ryder(int argc, char **argv)
{
    static ArBench bench = {.skip = 1, .iterations = 3, .layouts = 10, .tables = "123458", .driver = "build/bench/driver",
                            .replay = true, .limit_s = 600};
    char error_path[] = "/tmp/cabernet-bench-XXXXXX";
    bench.error_log = mkostemp(error_path, O_CLOEXEC);
    if (bench.error_log < 0)
        run_die("cannot make a temporary file: ", strerror(errno));
    unlink(error_path);
    parse(&bench, argc, argv);
    bench.start_ns = clock_monotonic_ns();
    if (mkdir(bench.out, 0777) != 0 && errno != EEXIST)
        run_die("cannot make ", bench.out);
    int failed = 0;
    double most = 0;
    for (int i = 0; i < bench.count; i++) {
        double before = seconds_left(&bench);
        if (i > 0 && bench.budget_s > 0 && before - most < bench.budget_s / 2) {
            fprintf(stderr, "%s and what comes behind it: left out for want of time\n", bench.program[i].name);
            bench.count = i;
            break;
        }
        run_program(&bench, &bench.program[i]);
        failed += bench.program[i].failed;
        ar_write_json(&bench);
        most = fmax(most, before - seconds_left(&bench));
    }
    time_all(&bench);
    ar_print(&bench);
    ar_write_json(&bench);
    ar_plot(&bench);
    return failed ? 1 : 0;
}
