// Descriptions of campaigns: their keys, and the options that change them.
#include "benchmarks/harness/campaign.h"

#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/run.h"

void campaign_usage(FILE *to) {
    fputs(
        "       cabernet-bench run [DESCRIPTION.json] --out DIR [options]\n"
        "  measures configurations x programs x invocations x iterations, or goes on with what was begun in DIR, and "
        "reports\n"
        "  --configuration NAME=COMMAND   any command that takes what java takes; may be repeated\n"
        "  --program NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]   called again and again in a process; may be repeated\n"
        "  --process NAME=ARGS            a whole process is one iteration; may be repeated\n"
        "  --baseline NAME                the configuration of the ratios (the first)\n"
        "  --oracle NAME                  the one whose output all must have (the baseline)\n"
        "  --invocations N                processes of each program and configuration (10)\n"
        "  --iterations N                 in each process (30)\n"
        "  --grain invocation|iteration   one process after the other, or all configurations alive and an iteration "
        "each\n"
        "                                 in turn (invocation)\n"
        "  --measure cpu|wall             the time that ratios and warm-up are about (cpu)\n"
        "  --heap FACTOR                  -Xmx and -Xms are so many times the least heap, which is searched first\n"
        "  --plan FILE                    {plan} in a command stands for this file of recorded compilations "
        "(-Xreplay:{plan}), in which\n"
        "                                 {program} is the program's name; may be repeated: invocations take one after "
        "the other\n"
        "  --record-plans N=COMMAND       {plan} stands for one of N that COMMAND records of each program first\n"
        "  --callback NAME=CLASS          of configuration NAME: a Repeat.Callback around every iteration\n"
        "  --measured-from N              iterations from N on count as measured for callbacks (half of them)\n"
        "  --within TIME                  as many invocations as 90s, 15m or 2h allow for\n"
        "  --timeout SECONDS              for one iteration (300)\n"
        "  --pin CPU, --seed N, --no-check, --quiet, --driver PATH\n"
        "  --invocations-from N, --invocations-to N   these invocations alone, counted from 0 (job lists say so)\n"
        "       cabernet-bench report RESULT... [--html FILE] [--json FILE]\n"
        "  RESULT: directory of a run, its records.jsonl or a JSON file of a report\n"
        "       cabernet-bench compare A B [--html FILE]   which differences between two results are real\n"
        "       cabernet-bench jobs [DESCRIPTION.json] --out DIR --form parallel|slurm [options of run]\n"
        "       cabernet-bench merge --out FILE RESULT...   of several machines\n"
        "       cabernet-bench warmup [FILE]                change points of a series of times\n",
        to);
}

// ---- the description ---------------------------------------------------------------------------------

json_t *campaign_read(const char *path) {
    json_error_t error;
    char where[64];
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root && error.line < 0) run_die("cannot read ", path);
    if (!root) {
        snprintf(where, sizeof where, ": line %d: ", error.line);
        Text message = {0};
        text_put_string(&message, path);
        text_put_string(&message, where);
        run_die(message.at, error.text);
    }
    if (!json_is_object(root)) run_die("not a JSON object: ", path);
    return root;
}

static void only_keys(json_t *object, const char *const *known, const char *where) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) i++;
        if (!known[i]) {
            Text message = {0};
            text_put_string(&message, where);
            text_put_string(&message, " has no key ");
            run_die(message.at, key);
        }
    }
}

static const char *string_of(json_t *object, const char *key, const char *otherwise) {
    json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return otherwise;
    if (!json_is_string(value)) run_die("not a string: ", key);
    return json_string_value(value);
}

static double number_of(json_t *object, const char *key, double otherwise, double low, double high) {
    json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return otherwise;
    double v = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(v >= low && v <= high)) run_die("not a number in range: ", key);
    return v;
}

static bool truth_of(json_t *object, const char *key, bool otherwise) {
    json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value)) run_die("neither true nor false: ", key);
    return value ? json_is_true(value) : otherwise;
}

static char **words_of(const char *text, const char *what) {
    char **words = run_split(text);
    if (!words || !words[0]) run_die(what, text);
    return words;
}

static Configuration configuration_of(const char *name, json_t *value) {
    static const char *const keys[] = {"command", "callback", NULL};
    Configuration c = {.name = name, .command = json_string_value(value)};
    if (json_is_object(value)) {
        only_keys(value, keys, "a configuration");
        c.command = string_of(value, "command", NULL);
        c.callback = string_of(value, "callback", NULL);
    }
    if (!c.command) run_die("a configuration without a command: ", name);
    c.words = words_of(c.command, "not a command: ");
    c.replays = strstr(c.command, "{plan}") != NULL;
    return c;
}

static Subject subject_of(const char *name, json_t *value) {
    static const char *const keys[] = {"run", "process", "expected", "stands_for", "repeat", NULL};
    Subject s = {.name = name, .run = json_string_value(value), .repeat = 1};
    if (json_is_object(value)) {
        only_keys(value, keys, "a program");
        s.run = string_of(value, "run", NULL);
        s.expected = string_of(value, "expected", NULL);
        s.stands_for = string_of(value, "stands_for", NULL);
        s.process = truth_of(value, "process", false);
        s.repeat = (int)number_of(value, "repeat", 1, 1, 1000000);
    }
    if (!s.run) run_die("a program without what it runs: ", name);
    s.words = words_of(s.run, "not the words of a program: ");
    return s;
}

size_t campaign_configuration(const Campaign *c, const char *name) {
    size_t i = 0;
    while (i < c->n_configurations && strcmp(c->configurations[i].name, name) != 0) i++;
    return i;
}

size_t campaign_subject(const Campaign *c, const char *name) {
    size_t i = 0;
    while (i < c->n_subjects && strcmp(c->subjects[i].name, name) != 0) i++;
    return i;
}

static size_t named(const Campaign *c, const char *key, size_t otherwise) {
    const char *name = string_of(c->description, key, NULL);
    size_t i = name ? campaign_configuration(c, name) : otherwise;
    if (i == c->n_configurations) run_die("no configuration of that name: ", name);
    return i;
}

static void read_lists(Campaign *c) {
    json_t *configurations = json_object_get(c->description, "configurations"),
           *programs = json_object_get(c->description, "programs");
    const char *name;
    json_t *value;
    if (json_object_size(configurations) == 0 || json_object_size(programs) == 0)
        run_die("a campaign needs configurations and programs; see --help", "");
    c->configurations = calloc(json_object_size(configurations), sizeof *c->configurations);
    c->subjects = calloc(json_object_size(programs), sizeof *c->subjects);
    if (!c->configurations || !c->subjects) run_die("out of memory", "");
    json_object_foreach(configurations, name, value)
        c->configurations[c->n_configurations++] = configuration_of(name, value);
    json_object_foreach(programs, name, value) c->subjects[c->n_subjects++] = subject_of(name, value);
}

enum { MOST_PLANS = 1000 };

// "plans": a list of files, or {"record": COMMAND, "count": N}.
static void read_plans(Campaign *c) {
    static const char *const keys[] = {"record", "count", NULL};
    json_t *plans = json_object_get(c->description, "plans"), *file;
    size_t i;
    if (json_is_object(plans)) {
        only_keys(plans, keys, "plans");
        c->plan_command = string_of(plans, "record", NULL);
        if (!c->plan_command) run_die("plans that are recorded need a command: ", "record");
        c->plan_words = words_of(c->plan_command, "not a command: ");
        c->plans = (int)number_of(plans, "count", 3, 1, MOST_PLANS);
    } else if (plans) {
        if (json_array_size(plans) == 0 || json_array_size(plans) > MOST_PLANS)
            run_die("plans are a list of files or an object with a command: ", "plans");
        json_array_foreach(plans, i, file) if (!json_is_string(file)) run_die("not a string: ", "plans");
        c->plan_files = plans;
        c->plans = (int)json_array_size(plans);
    }
    bool named = false;
    for (i = 0; i < c->n_configurations; i++) {
        named |= c->configurations[i].replays;
        if (c->configurations[i].replays && !plans)
            run_die("it names {plan}, but the campaign has no plans: ", c->configurations[i].command);
    }
    if (plans && !named) run_die("there are plans, but no configuration has ", "{plan}");
}

char *campaign_plan(const Campaign *c, const char *out, size_t subject, int number) {
    const char *name = c->subjects[subject].name;
    const Marks marks = {.side = "", .program = name};
    char *path, *p;
    if (c->plan_files) return pair_filled(json_string_value(json_array_get(c->plan_files, (size_t)number)), &marks);
    if (asprintf(&path, "%s/plans/%zu-%s-%d", out, subject + 1, name, number + 1) < 0) run_die("out of memory", "");
    for (p = path + strlen(out) + strlen("/plans/"); *p; p++)
        if (*p == '/' || (unsigned char)*p <= ' ') *p = '_';
    return path;
}

static bool choice(json_t *description, const char *key, const char *first, const char *second) {
    const char *value = string_of(description, key, first);
    if (strcmp(value, first) != 0 && strcmp(value, second) != 0)
        run_die("neither of the two values that it can have: ", key);
    return strcmp(value, second) == 0;
}

Campaign campaign_of(json_t *d) {
    static const char *const keys[] = {
        "configurations", "programs", "baseline", "oracle", "invocations", "iterations", "grain", "measure", "heap",
        "measured_from",  "timeout",  "pin",      "seed",   "check",       "driver",     "title", "plans",   NULL};
    Campaign c = {.description = d};
    only_keys(d, keys, "a campaign");
    read_lists(&c);
    read_plans(&c);
    c.baseline = named(&c, "baseline", 0);
    c.oracle = named(&c, "oracle", c.baseline);
    c.invocations = (int)number_of(d, "invocations", 10, 1, 100000);
    c.iterations = (int)number_of(d, "iterations", 30, 1, 100000);
    c.measured_from = (int)number_of(d, "measured_from", c.iterations / 2, 0, 100000);
    c.turns = choice(d, "grain", "invocation", "iteration");
    c.wall = choice(d, "measure", "cpu", "wall");
    c.heap = number_of(d, "heap", 0, 1, 1000);
    c.limit_s = number_of(d, "timeout", 300, 0.1, 1e6);
    c.cpu = (int)number_of(d, "pin", -1, -1, CPU_SETSIZE - 1);
    c.seed = (uint64_t)number_of(d, "seed", 1, 0, 2e9);
    c.check = truth_of(d, "check", true);
    c.driver = string_of(d, "driver", pair_own_driver());
    return c;
}

void campaign_free(Campaign *c) {
    for (size_t i = 0; i < c->n_configurations; i++) run_free_words(c->configurations[i].words);
    for (size_t i = 0; i < c->n_subjects; i++) run_free_words(c->subjects[i].words);
    run_free_words(c->plan_words);
    free(c->configurations);
    free(c->subjects);
    *c = (Campaign){0};
}

// ---- options -------------------------------------------------------------------------------------------

// The object `name` within the object `key` of the description; a string there becomes {"inner": string}.
static json_t *entry(json_t *d, const char *key, const char *name, const char *inner) {
    json_t *list = json_object_get(d, key);
    if (!list) json_object_set_new(d, key, list = json_object());
    json_t *value = json_object_get(list, name);
    if (!json_is_object(value)) {
        json_t *object = json_object();
        if (value) json_object_set(object, inner, value);
        json_object_set_new(list, name, object);
        value = object;
    }
    return value;
}

// Sets key.NAME.inner from NAME=VALUE; returns the object that contains it. Replaces the description's value; a value
// that another option has set (`given`) is an error.
static json_t *set_named(json_t *d, json_t *given, const char *key, const char *text, const char *outer,
                         const char *inner) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) run_die("NAME=VALUE is needed, not ", text);
    char *name = strndup(text, (size_t)(equals - text));
    json_t *object = entry(d, key, name, outer), *options = entry(given, key, name, outer);
    if (json_object_get(options, inner)) run_die("named twice: ", name);
    json_object_set_new(options, inner, json_true());
    json_object_set_new(object, inner, json_string(equals + 1));
    free(name);
    return object;
}

static double seconds_of(const char *text) {
    char *end;
    double v = strtod(text, &end);
    double unit = strcmp(end, "h") == 0 ? 3600 : strcmp(end, "m") == 0 ? 60 : strcmp(end, "s") == 0 || !*end ? 1 : 0;
    if (end == text || !(v > 0) || unit == 0) run_die("not a time such as 90s, 15m or 2h: ", text);
    return v * unit;
}

static void add_plan(json_t *d, const char *file) {
    json_t *plans = json_object_get(d, "plans");
    if (!json_is_array(plans)) json_object_set_new(d, "plans", plans = json_array());
    json_array_append_new(plans, json_string(file));
}

// N=COMMAND
static void record_plans(json_t *d, const char *text) {
    const char *equals = strchr(text, '=');
    char *number = equals ? strndup(text, (size_t)(equals - text)) : NULL;
    if (!number || !equals[1]) run_die("N=COMMAND is needed, not ", text);
    json_object_set_new(d, "plans",
                        json_pack("{s:s, s:i}", "record", equals + 1, "count", run_number(number, 1, MOST_PLANS)));
    free(number);
}

static void set_number(json_t *d, const char *key, const char *text) {
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text) run_die("not a number: ", text);
    json_object_set_new(d, key, v == (double)(json_int_t)v ? json_integer((json_int_t)v) : json_real(v));
}

static const struct option options[] = {{"configuration", required_argument, NULL, 'C'},
                                        {"program", required_argument, NULL, 'P'},
                                        {"process", required_argument, NULL, 'W'},
                                        {"callback", required_argument, NULL, 'k'},
                                        {"out", required_argument, NULL, 'o'},
                                        {"within", required_argument, NULL, 'w'},
                                        {"form", required_argument, NULL, 'f'},
                                        {"invocations-from", required_argument, NULL, 'a'},
                                        {"invocations-to", required_argument, NULL, 'b'},
                                        {"plan", required_argument, NULL, 'l'},
                                        {"record-plans", required_argument, NULL, 'r'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"no-check", no_argument, NULL, 'x'},
                                        {"help", no_argument, NULL, 'h'},
                                        // These are keys of the description: 's' takes a string, 'n' a number.
                                        {"baseline", required_argument, NULL, 's'},
                                        {"oracle", required_argument, NULL, 's'},
                                        {"grain", required_argument, NULL, 's'},
                                        {"measure", required_argument, NULL, 's'},
                                        {"driver", required_argument, NULL, 's'},
                                        {"title", required_argument, NULL, 's'},
                                        {"invocations", required_argument, NULL, 'n'},
                                        {"iterations", required_argument, NULL, 'n'},
                                        {"heap", required_argument, NULL, 'n'},
                                        {"measured-from", required_argument, NULL, 'm'},
                                        {"timeout", required_argument, NULL, 'n'},
                                        {"pin", required_argument, NULL, 'n'},
                                        {"seed", required_argument, NULL, 'n'},
                                        {0}};

static void parse(CampaignOptions *o, int argc, char **argv) {
    json_t *d = json_object(), *given = json_object();
    int index = 0;
    // The description is read first, wherever it is on the command line, because options change it.
    if (argc > 1 && argv[1][0] != '-') {
        json_decref(d);
        d = campaign_read(argv[1]);
        argv[1] = argv[0], argc--, argv++;
    }
    o->description = d;
    for (int c; (c = getopt_long(argc, argv, "h", options, &index)) != -1;) {
        switch (c) {
            case 'C': set_named(d, given, "configurations", optarg, "command", "command"); break;
            case 'k': set_named(d, given, "configurations", optarg, "command", "callback"); break;
            case 'P': set_named(d, given, "programs", optarg, "run", "run"); break;
            case 'W':
                json_object_set_new(set_named(d, given, "programs", optarg, "run", "run"), "process", json_true());
                break;
            case 'l': add_plan(d, optarg); break;
            case 'r': record_plans(d, optarg); break;
            case 'o': o->out = optarg; break;
            case 'w': o->within_s = seconds_of(optarg); break;
            case 'f': o->form = optarg; break;
            case 'a': o->from = run_number(optarg, 0, 1000000); break;
            case 'b': o->to = run_number(optarg, 0, 1000000); break;
            case 'q': o->quiet = true; break;
            case 'x': json_object_set_new(d, "check", json_false()); break;
            case 's': json_object_set_new(d, options[index].name, json_string(optarg)); break;
            case 'm': set_number(d, "measured_from", optarg); break;
            case 'n': set_number(d, options[index].name, optarg); break;
            case 'h': campaign_usage(stdout); exit(0);
            default: run_die("see --help", "");
        }
    }
    json_decref(given);
    if (optind < argc) run_die("not an option: ", argv[optind]);
}

CampaignOptions campaign_options(int argc, char **argv) {
    CampaignOptions o = {.to = -1};
    parse(&o, argc, argv);
    if (!o.out) run_die("--out DIR is needed; see --help", "");
    // With a time limit, run as many invocations as fit, unless a number is given.
    if (o.within_s > 0 && !json_object_get(o.description, "invocations"))
        json_object_set_new(o.description, "invocations", json_integer(100000));
    return o;
}
