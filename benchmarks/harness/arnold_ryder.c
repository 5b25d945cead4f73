// cabernet-bench arnold-ryder: overhead and accuracy of sampled instrumentation, as the tables of
// Arnold and Ryder (PLDI 2001) have them.
//
// A program is a command that prints "iteration N X ms" lines; its time is the median of those that
// count. Each configuration's run is paired with a run without a profile next to it (A B, then B A).
// Both repeat the compilations of one recorded run (-Xreplay), so that they differ in the profile alone; from pair
// to pair they do so in another layout of the code (-Xjit:layout), so that no layout's luck is taken for overhead.
// Accuracy comes from the first pair: the same program's profiles do not get better by repetition.
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

#include "benchmarks/harness/run.h"

enum { MAX_ITERATIONS = 1000, MAX_WORDS = 600 };

static const struct Row {
    const char *id, *profile, *tables;
} rows[AR_CONFIGS] = {
#define CONFIG(id, profile, tables) {#id, profile, tables},
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

static void keep(ArCell *c, const Sample *plain, const Sample *with)
{
    c->plain_ms[c->n] = plain->ms;
    c->ms[c->n] = with->ms;
    c->plain_compile_ms[c->n] = plain->compile_ms;
    c->compile_ms[c->n] = with->compile_ms;
    c->plain_methods[c->n] = plain->methods;
    c->methods[c->n] = with->methods;
    c->plain_code[c->n] = plain->code;
    c->code[c->n++] = with->code;
}

static void pair(const ArBench *b, ArProgram *p, int config, int round, const char *replay)
{
    ArCell *c = &p->cell[config];
    if (config == AR_MATCHED && round == 0)
        match_timer(p);
    if (c->failed || p->failed)
        return;
    char *suffix = option("%s.prof%s", rows[config].id, ""), *file = path_in(b, p, suffix);
    char *exact = path_in(b, p, "EXACT.prof");
    Compilations how = {replay, b->layouts ? 1 + round % b->layouts : 0};
    Sample s[2];
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        int with = (round + i) % 2;
        ok = measure(b, p, with ? c->profile : NULL, file, how, &s[with]);
    }
    c->failed = !ok;
    if (ok)
        keep(c, &s[0], &s[1]);
    if (ok && round == 0 && config > AR_EXACT && strpbrk(rows[config].tables, "45") && config != AR_FULL
        && config != AR_NO)
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

static void run_program(const ArBench *b, ArProgram *p)
{
    char *replay = b->replay ? record(b, p) : NULL;
    for (int round = 0; round < b->pairs && !p->failed; round++) {
        for (int i = 0; i < AR_CONFIGS; i++) {
            if (!ar_wanted(b, i))
                continue;
            fprintf(stderr, "%s: pair %d of %d: %s\n", p->name, round + 1, b->pairs, rows[i].id);
            pair(b, p, i, round, replay);
        }
        ar_write_json(b);
    }
    free(replay);
}

// ---- command line ----------------------------------------------------------------------------------

static void usage(FILE *to)
{
    fputs("usage: cabernet-bench arnold-ryder --vm COMMAND --prof PROGRAM --out DIRECTORY [options]\n"
          "  --program NAME=ARGS  arguments behind the VM's; prints \"iteration N X ms\" lines; repeated\n"
          "  --pairs N            pairs of runs for each configuration (5)\n"
          "  --skip N             iterations at the start of a run that do not count (1)\n"
          "  --layouts N          layouts of the code, a pair in each in turn (100); 0: the VM's own\n"
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
    p->args = equals && equals > text ? run_split(equals + 1) : NULL;
    if (!p->args)
        run_die("a program is NAME=ARGUMENTS, not ", text);
    p->name = strndup(text, (size_t)(equals - text));
    for (int i = 0; i < AR_CONFIGS; i++)
        p->cell[i].profile = rows[i].profile ? strdup(rows[i].profile) : NULL;
}

static void parse(ArBench *b, int argc, char **argv)
{
    static const struct option options[] = {
        {"vm", required_argument, NULL, 'v'}, {"prof", required_argument, NULL, 'f'},
        {"out", required_argument, NULL, 'o'}, {"program", required_argument, NULL, 'p'},
        {"pairs", required_argument, NULL, 'n'}, {"skip", required_argument, NULL, 's'},
        {"layouts", required_argument, NULL, 'a'},
        {"tables", required_argument, NULL, 't'}, {"no-replay", no_argument, NULL, 'r'},
        {"timeout", required_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
        case 'v': b->vm_text = optarg; break;
        case 'f': b->prof = optarg; break;
        case 'o': b->out = optarg; break;
        case 'p': add_program(b, optarg); break;
        case 'n': b->pairs = run_number(optarg, 1, AR_MAX_PAIRS); break;
        case 's': b->skip = run_number(optarg, 0, MAX_ITERATIONS); break;
        case 'a': b->layouts = run_number(optarg, 0, 1000000); break;
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
    b->vm = run_split(b->vm_text);
    if (!b->vm || !b->vm[0])
        run_die("not a command: ", b->vm_text);
}

int arnold_ryder(int argc, char **argv)
{
    static ArBench bench = {.pairs = 5, .skip = 1, .layouts = 100, .tables = "123458", .replay = true, .limit_s = 600};
    char error_path[] = "/tmp/cabernet-bench-XXXXXX";
    bench.error_log = mkostemp(error_path, O_CLOEXEC);
    if (bench.error_log < 0)
        run_die("cannot make a temporary file: ", strerror(errno));
    unlink(error_path);
    parse(&bench, argc, argv);
    if (mkdir(bench.out, 0777) != 0 && errno != EEXIST)
        run_die("cannot make ", bench.out);
    int failed = 0;
    for (int i = 0; i < bench.count; i++) {
        run_program(&bench, &bench.program[i]);
        failed += bench.program[i].failed;
    }
    ar_print(&bench);
    ar_write_json(&bench);
    ar_plot(&bench);
    return failed ? 1 : 0;
}
