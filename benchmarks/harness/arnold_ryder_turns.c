// Times of `cabernet-bench arnold-ryder`: a process without a profile and one for each configuration, all alive, take
// turns of one iteration (turns.h). The profiles that they write at their end also give accuracy, because all of them
// have done the same work. A program is therefore started only once for each configuration, rather than separately for
// times and accuracy.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/arnold_ryder.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/turns.h"

// The first share of a process's turns is warm-up; the others are cut into stretches, each of which gives a pair of
// times.
static const double warm_up = 0.4;
enum { STRETCHES = 5, FEWEST_TURNS = 3, MOST_TURNS = 400 };

// The commands of the configurations; the first is the VM without a profile.
typedef struct Setup {
    Configuration configurations[AR_MOST_ALIVE + 1];
    char *profile[AR_MOST_ALIVE + 1], *stats[AR_MOST_ALIVE + 1];
    size_t n;
} Setup;

static char *text_of(char *made, int length) {
    if (length < 0) run_die("out of memory", "");
    return made;
}

static void add_configuration(const ArBench *b, const ArProgram *p, const char *id, const char *profile, int layout,
                              Setup *s) {
    char *name = NULL, *with = NULL, *command = NULL;
    name = text_of(name, asprintf(&name, "timed-%s.stats", id));
    s->stats[s->n] = ar_path(b, p, name);
    free(name);
    name = text_of(name, asprintf(&name, "timed-%s.prof", id));
    s->profile[s->n] = ar_path(b, p, name);
    free(name);
    if (profile) with = text_of(with, asprintf(&with, " -Xprofile:%s:message=off:file=%s", profile, s->profile[s->n]));
    command = text_of(
        command,
        asprintf(&command, "%s -Xjit:layout=%d,stats=%s%s", b->vm_text, layout, s->stats[s->n], with ? with : ""));
    free(with);
    s->configurations[s->n++] = (Configuration){.name = id, .command = command, .words = run_split(command)};
}

// ---- results of the turns ----------------------------------------------------------------------------------

// Processor time of a turn without the compiler's, in ms.
static double turn_ms(const json_t *run, size_t turn) {
    double cpu = json_number_value(json_array_get(json_object_get(run, "cpu_ns"), turn));
    return (cpu - json_number_value(json_array_get(json_object_get(run, "compile_ns"), turn))) / 1e6;
}

// Adds a pair of times for each stretch of the turns from `first` on.
static void add_stretches(ArCell *c, const json_t *plain, const json_t *with, size_t first, size_t turns) {
    const size_t n = turns - first < STRETCHES ? turns - first : STRETCHES;
    double base[MOST_TURNS], ratio[MOST_TURNS];
    for (size_t k = 0; k < n && c->n < AR_MAX_PAIRS; k++) {
        const size_t from = first + (turns - first) * k / n, to = first + (turns - first) * (k + 1) / n;
        for (size_t i = from; i < to; i++) {
            base[i - from] = turn_ms(plain, i);
            ratio[i - from] = turn_ms(with, i) / base[i - from];
        }
        c->plain_ms[c->n] = stats_median(base, to - from);
        c->ms[c->n] = c->plain_ms[c->n] * stats_median(ratio, to - from);
        c->n++;
    }
}

static void take_result(const ArProgram *p, ArCell *c, const Setup *s, size_t at, const json_t *results, size_t first,
                        size_t turns) {
    const json_t *plain = json_array_get(results, 0), *with = json_array_get(results, at);
    if (!c->timed) c->n = 0;
    c->timed = true;
    add_stretches(c, plain, with, first, turns);
    if (c->runs == 0) {
        ArCost without, cost;
        ar_read_stats(s->stats[0], &without);
        ar_read_stats(s->stats[at], &cost);
        ar_keep_costs(c, &without, &cost);
    }
    if (p->expected_turns)
        c->failed = strcmp(p->expected_turns, json_string_value(json_object_get(with, "checksum"))) != 0;
}

static bool is_well(const ArProgram *p, const json_t *run) {
    const char *status = json_string_value(json_object_get(run, "status"));
    if (status && strcmp(status, "ok") == 0) return true;
    fprintf(stderr, "%s %s: %s: %s\n", p->name, json_string_value(json_object_get(run, "configuration")),
            status ? status : "?", json_string_value(json_object_get(run, "detail")));
    return false;
}

static void take_results(const ArBench *b, ArProgram *p, const int *configs, const Setup *s, const json_t *results) {
    const json_t *plain = json_array_get(results, 0);
    const size_t turns = json_array_size(json_object_get(plain, "cpu_ns"));
    const size_t first = turns > FEWEST_TURNS ? (size_t)ceil((double)turns * warm_up) : turns - 1;
    if (!p->expected_turns) p->expected_turns = strdup(json_string_value(json_object_get(plain, "checksum")));
    const char *exact = NULL;
    for (size_t at = 1; at < s->n; at++) {
        ArCell *c = &p->cell[configs[at - 1]];
        const json_t *run = json_array_get(results, at);
        if (!is_well(p, run) || json_array_size(json_object_get(run, "cpu_ns")) < turns) {
            c->failed = true;
            continue;
        }
        take_result(p, c, s, at, results, first, turns);
        if (c->failed) fprintf(stderr, "%s %s: printed something else\n", p->name, s->configurations[at].name);
        if (ar_is_exact(configs[at - 1])) exact = s->profile[at];
        else if (exact && ar_is_sampled(configs[at - 1]) && !c->failed)
            ar_compare(b, p, exact, s->profile[at], &c->accuracy);
    }
}

bool ar_take_turns(const ArBench *b, ArProgram *p, const int *configs, int n, int layout, double seconds) {
    Setup s = {0};
    size_t order[AR_MOST_ALIVE + 1];
    add_configuration(b, p, "none", NULL, layout, &s);
    for (int i = 0; i < n; i++) add_configuration(b, p, ar_id(configs[i]), p->cell[configs[i]].profile, layout, &s);
    for (size_t i = 0; i < s.n; i++) order[i] = i;
    const Campaign campaign = {.configurations = s.configurations,
                               .n_configurations = s.n,
                               .limit_s = b->limit_s,
                               .cpu = -1,
                               .driver = b->driver};
    const Subject subject = {
        .name = p->name, .run = strchr(p->spec, '=') + 1, .words = run_split(strchr(p->spec, '=') + 1), .repeat = 1};
    const Invocation i = {.campaign = &campaign,
                          .subject = &subject,
                          .configurations = order,
                          .n = s.n,
                          .iterations = MOST_TURNS,
                          .seconds = seconds,
                          .random = (uint64_t)layout};
    json_t *results = turns_take(&i);
    run_free_words(subject.words);
    bool ok = results && is_well(p, json_array_get(results, 0)) &&
        json_array_size(json_object_get(json_array_get(results, 0), "cpu_ns")) > 0;
    if (ok) {
        char *name = NULL;
        name = text_of(name, asprintf(&name, "turns.%d.json", layout));
        char *path = ar_path(b, p, name);
        if (json_dump_file(results, path, JSON_INDENT(1)) != 0)
            fprintf(stderr, "cabernet-bench: cannot write %s\n", path);
        free(path);
        free(name);
        take_results(b, p, configs, &s, results);
    }
    json_decref(results);
    for (size_t k = 0; k < s.n; k++) {
        run_free_words(s.configurations[k].words);
        free((char *)s.configurations[k].command);
        free(s.profile[k]);
        free(s.stats[k]);
    }
    return ok;
}
