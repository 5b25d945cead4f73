// cabernet-bench run: the jobs of a campaign in sequence; each result is written as soon as the job is done.
//
// A block is one invocation of everything, in an order drawn from seed and block. Drift over time therefore affects all
// configurations alike, and a campaign that is cut short has the same number of invocations of each. A job depends on
// the description and on the records before it, never on the time when the harness was started: a killed campaign
// resumes as if it had not been interrupted.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/splitmix.h"
#include "base/text.h"
#include "benchmarks/harness/campaign.h"
#include "benchmarks/harness/machine.h"
#include "benchmarks/harness/rawdata.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/side.h"
#include "benchmarks/harness/summary.h"
#include "benchmarks/harness/turns.h"

// A program that has failed this often on a configuration is not tried there again.
enum { ENOUGH_FAILURES = 3 };
// The smallest heap is searched between these, in MiB, with a precision of a sixteenth.
enum { LEAST_HEAP = 2, LARGEST_HEAP = 16384, HEAP_ITERATIONS = 2 };

typedef struct Job {
    size_t subject, configuration;  // in turns: all configurations, and the second is unused
} Job;

typedef struct Runner {
    Campaign campaign;
    CampaignOptions options;
    Records records;
    char **plans;         // files, [subject * campaign.plans + number]; NULL: no plans
    const char *machine;  // its name in records
    double spent_s;       // total of all records
    size_t jobs, done;    // for the progress
} Runner;

// ---- records ---------------------------------------------------------------------------------------------

static const char *text_in(json_t *record, const char *key) {
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

static bool is(json_t *record, const char *key, const char *value) { return strcmp(text_in(record, key), value) == 0; }

static json_t *find(const Runner *r, const char *kind, const char *program, const char *configuration) {
    size_t i;
    json_t *record;
    json_array_foreach(r->records.list, i,
                       record) if (is(record, "kind", kind) && is(record, "program", program) &&
                                   (!configuration || is(record, "configuration", configuration))) return record;
    return NULL;
}

static void keep(Runner *r, json_t *record, int64_t begin_ns) {
    double seconds = (double)(clock_monotonic_ns() - begin_ns) / 1e9;
    json_object_set_new(record, "seconds", json_real(seconds));
    r->spent_s += seconds;
    records_add(&r->records, record);
}

static int failures(const Runner *r, const char *program, const char *configuration) {
    size_t i, k;
    json_t *record, *run;
    int n = 0;
    json_array_foreach(r->records.list, i, record) if (is(record, "kind", "job") && is(record, "program", program))
        json_array_foreach(json_object_get(record, "runs"), k, run)
            n += is(run, "configuration", configuration) && !is(run, "status", "ok");
    return n;
}

// Whether the job has a record of this invocation.
static bool recorded(const Runner *r, const Job *job, int invocation) {
    const Campaign *c = &r->campaign;
    size_t i;
    json_t *record;
    json_array_foreach(r->records.list, i, record) {
        json_t *run = json_array_get(json_object_get(record, "runs"), 0);
        if (is(record, "kind", "job") && is(record, "program", c->subjects[job->subject].name) &&
            json_integer_value(json_object_get(record, "invocation")) == invocation &&
            (c->turns || is(run, "configuration", c->configurations[job->configuration].name)))
            return true;
    }
    return false;
}

// ---- time --------------------------------------------------------------------------------------------------

// Expected seconds of a job: the mean of those of its program and configuration, else of all; NAN: unknown.
static double expected_s(const Runner *r, const Job *job) {
    const Campaign *c = &r->campaign;
    double own = 0, all = 0;
    size_t n_own = 0, n_all = 0, i;
    json_t *record;
    json_array_foreach(r->records.list, i, record) {
        if (!is(record, "kind", "job")) continue;
        double seconds = json_number_value(json_object_get(record, "seconds"));
        json_t *run = json_array_get(json_object_get(record, "runs"), 0);
        all += seconds, n_all++;
        if (is(record, "program", c->subjects[job->subject].name) &&
            (c->turns || is(run, "configuration", c->configurations[job->configuration].name)))
            own += seconds, n_own++;
    }
    return n_own ? own / (double)n_own : n_all ? all / (double)n_all : NAN;
}

static void show_progress(const Runner *r, const Job *job, int invocation, double left_s) {
    const Campaign *c = &r->campaign;
    bool terminal = isatty(STDERR_FILENO);
    char left[40] = "";
    if (!isnan(left_s)) snprintf(left, sizeof left, ", %.0fm%02ds left", floor(left_s / 60), (int)fmod(left_s, 60));
    if (!r->options.quiet)
        fprintf(stderr, "%s[%zu/%zu%s] %s%s%s, invocation %d%s", terminal ? "\r\033[K" : "", r->done + 1, r->jobs, left,
                c->subjects[job->subject].name, c->turns ? "" : " on ",
                c->turns ? "" : c->configurations[job->configuration].name, invocation + 1, terminal ? "" : "\n");
}

// ---- output and heap ------------------------------------------------------------------------------------------

static Invocation invocation_of(const Runner *r, size_t subject, const size_t *configurations, size_t n) {
    return (Invocation){.campaign = &r->campaign,
                        .subject = &r->campaign.subjects[subject],
                        .configurations = configurations,
                        .n = n,
                        .iterations = r->campaign.iterations,
                        .plan = r->plans ? r->plans[subject * (size_t)r->campaign.plans] : NULL};
}

// ---- plans -----------------------------------------------------------------------------------------------------

static json_t *plan_record(const Runner *r, const char *program, int number) {
    size_t i;
    json_t *record;
    json_array_foreach(r->records.list, i,
                       record) if (is(record, "kind", "plan") && is(record, "program", program) &&
                                   json_integer_value(json_object_get(record, "number")) == number) return record;
    return NULL;
}

// Runs the program once with the plans' command, for as many iterations as a measured run. False on interruption.
static bool record_plan(Runner *r, size_t subject, int number, const char *path) {
    Campaign recording = r->campaign;
    Configuration recorder = {.name = "plans"};
    size_t n = 0, none = 0;
    int64_t begin = clock_monotonic_ns();
    while (recording.plan_words[n]) n++;
    recorder.words = calloc(n + 2, sizeof *recorder.words);
    if (!recorder.words || asprintf(&recorder.words[n], "-Xreplay:record=%s", path) < 0) run_die("out of memory", "");
    memcpy(recorder.words, recording.plan_words, n * sizeof *recorder.words);
    recording.configurations = &recorder;
    recording.n_configurations = 1;
    Invocation i = invocation_of(r, subject, &none, 1);
    i.campaign = &recording;
    i.number = number;
    i.plan = NULL;
    unlink(path);  // of a killed run
    json_t *results = turns_take(&i), *run = json_array_get(results, 0);
    bool ok = is(run, "status", "ok"), there = access(path, R_OK) == 0;
    free(recorder.words[n]);
    free(recorder.words);
    if (!results) return false;
    keep(r,
         json_pack("{s:s, s:s, s:i, s:s, s:s}", "kind", "plan", "program", recording.subjects[subject].name, "number",
                   number, "status", ok && there ? "ok" : "no plan", "detail",
                   ok ? there ? "" : "the command has written no plans" : text_in(run, "detail")),
         begin);
    json_decref(results);
    return true;
}

// Sets the file names of all programs' plans, and records missing ones. False on interruption.
static bool prepare_plans(Runner *r) {
    const Campaign *c = &r->campaign;
    if (!c->plans) return true;
    r->plans = calloc(c->n_subjects * (size_t)c->plans, sizeof *r->plans);
    char *folder;
    if (!r->plans || asprintf(&folder, "%s/plans", r->options.out) < 0) run_die("out of memory", "");
    if (!c->plan_files && mkdir(folder, 0777) != 0 && errno != EEXIST) run_die("cannot make the directory ", folder);
    free(folder);
    for (size_t s = 0; s < c->n_subjects; s++)
        for (int k = 0; k < c->plans; k++) {
            char *path = r->plans[s * (size_t)c->plans + (size_t)k] = campaign_plan(c, r->options.out, s, k);
            json_t *record = plan_record(r, c->subjects[s].name, k);
            if (c->plan_files && access(path, R_OK) != 0) run_die("cannot read plans: ", path);
            if (c->plan_files || (record && (!is(record, "status", "ok") || access(path, R_OK) == 0))) continue;
            if (record) run_die("a file of plans that was recorded is gone: ", path);
            if (!r->options.quiet)
                fprintf(stderr, "recording plan %d of %d of %s\n", k + 1, c->plans, c->subjects[s].name);
            if (!record_plan(r, s, k, path)) return false;
        }
    return true;
}

// Removes the configurations that need the plan and reports them as failed. Returns how many remain.
static size_t without_plan(const Runner *r, const char *trouble, size_t *chosen, size_t n, json_t *runs) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const Configuration *c = &r->campaign.configurations[chosen[i]];
        if (c->replays)
            json_array_append_new(
                runs, json_pack("{s:s, s:s, s:s}", "configuration", c->name, "status", "no plan", "detail", trouble));
        else chosen[kept++] = chosen[i];
    }
    return kept;
}

// The checksum that the program's output must have: its own, or that of the oracle's output. False on interruption;
// *expected is NULL when none is known.
static bool expectation(Runner *r, size_t subject, const char **expected) {
    const Subject *s = &r->campaign.subjects[subject];
    *expected = s->expected;
    if (s->expected || !r->campaign.check) return true;
    json_t *record = find(r, "expected", s->name, NULL);
    if (!record) {
        int64_t begin = clock_monotonic_ns();
        Invocation i = invocation_of(r, subject, &r->campaign.oracle, 1);
        i.iterations = 1;
        json_t *results = turns_take(&i), *run = json_array_get(results, 0);
        if (!results) return false;
        record = json_pack("{s:s, s:s, s:O?, s:O?}", "kind", "expected", "program", s->name, "checksum",
                           is(run, "status", "ok") ? json_object_get(run, "checksum") : NULL, "detail",
                           json_object_get(run, "detail"));
        keep(r, record, begin);
        json_decref(results);
    }
    *expected = json_string_value(json_object_get(record, "checksum"));
    return true;
}

// Whether the program runs with such a heap. *interrupted: unknown.
static bool fits(const Runner *r, size_t subject, size_t configuration, int mib, bool *interrupted) {
    Invocation i = invocation_of(r, subject, &configuration, 1);
    i.iterations = HEAP_ITERATIONS;
    i.heap_mib = mib;
    json_t *results = turns_take(&i);
    *interrupted = !results;
    bool ok = results && is(json_array_get(results, 0), "status", "ok");
    json_decref(results);
    return ok;
}

// The smallest heap, by doubling and halving; 0: none suffices; -1: interrupted.
static int search_heap(const Runner *r, size_t subject, size_t configuration) {
    bool interrupted = false;
    int fails = LEAST_HEAP, works = 16;
    while (!fits(r, subject, configuration, works, &interrupted)) {
        fails = works;
        works *= 2;
        if (interrupted || works > LARGEST_HEAP) return interrupted ? -1 : 0;
    }
    while (works - fails > 1 && works - fails > works / 16) {
        int middle = (works + fails) / 2;
        bool ok = fits(r, subject, configuration, middle, &interrupted);
        if (interrupted) return -1;
        *(ok ? &works : &fails) = middle;
    }
    return works;
}

// The heap of a program: a multiple of the largest of the configurations' smallest heaps, so that all have the same. 0:
// the VM's default. False on interruption.
static bool heap_of(Runner *r, size_t subject, int *mib) {
    const Campaign *c = &r->campaign;
    double largest = 0;
    *mib = 0;
    for (size_t i = 0; c->heap > 0 && i < c->n_configurations; i++) {
        json_t *record = find(r, "heap", c->subjects[subject].name, c->configurations[i].name);
        if (!record) {
            int64_t begin = clock_monotonic_ns();
            int least = search_heap(r, subject, i);
            if (least < 0) return false;
            record = json_pack("{s:s, s:s, s:s, s:i}", "kind", "heap", "program", c->subjects[subject].name,
                               "configuration", c->configurations[i].name, "mib", least);
            keep(r, record, begin);
        }
        double least = json_number_value(json_object_get(record, "mib"));
        largest = least > largest ? least : largest;
    }
    *mib = (int)ceil(largest * c->heap);
    return true;
}

// ---- jobs ----------------------------------------------------------------------------------------------------

// False on interruption.
static bool run_job(Runner *r, const Job *job, int invocation) {
    const Campaign *c = &r->campaign;
    const Subject *s = &c->subjects[job->subject];
    size_t *chosen = calloc(c->n_configurations, sizeof *chosen), n = 0;
    const char *expected;
    int mib;
    if (!chosen) run_die("out of memory", "");
    for (size_t i = 0; i < c->n_configurations; i++)
        if ((c->turns || i == job->configuration) && failures(r, s->name, c->configurations[i].name) < ENOUGH_FAILURES)
            chosen[n++] = i;
    bool ok = n == 0 || (expectation(r, job->subject, &expected) && heap_of(r, job->subject, &mib));
    if (ok && n > 0) {
        int64_t begin = clock_monotonic_ns();
        int plan = c->plans ? invocation % c->plans : 0;
        json_t *recorded = c->plans ? plan_record(r, s->name, plan) : NULL;
        const char *trouble = recorded && !is(recorded, "status", "ok") ? text_in(recorded, "detail") : NULL;
        json_t *runs = json_array();
        if (trouble) n = without_plan(r, trouble, chosen, n, runs);
        Invocation i = invocation_of(r, job->subject, chosen, n);
        i.plan = r->plans ? r->plans[job->subject * (size_t)c->plans + (size_t)plan] : NULL;
        i.number = invocation;
        i.heap_mib = mib;
        i.expected = expected;
        i.random = c->seed * 1000003 + (uint64_t)invocation * 1009 + job->subject * c->n_configurations +
            job->configuration;
        json_t *taken = n > 0 ? turns_take(&i) : json_array();
        ok = taken != NULL;
        if (ok) {
            json_array_extend(runs, taken);
            json_t *record = json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:O}", "kind", "job", "machine", r->machine,
                                       "program", s->name, "invocation", invocation, "heap_mib", mib, "checked",
                                       expected != NULL, "runs", runs);
            if (c->plans) json_object_set_new(record, "plan", json_integer(plan));
            keep(r, record, begin);
        }
        json_decref(taken);
        json_decref(runs);
    }
    free(chosen);
    return ok;
}

// The jobs of a block in order. The caller frees them.
static Job *block_of(const Campaign *c, int invocation, size_t *n) {
    Job *jobs = calloc(c->n_subjects * c->n_configurations, sizeof *jobs);
    uint64_t random = c->seed * 7919 + (uint64_t)invocation;
    if (!jobs) run_die("out of memory", "");
    *n = 0;
    for (size_t s = 0; s < c->n_subjects; s++)
        for (size_t k = 0; k < (c->turns ? 1 : c->n_configurations); k++) jobs[(*n)++] = (Job){s, k};
    for (size_t i = *n; i > 1; i--) {
        size_t j = splitmix_next(&random) % i;
        Job t = jobs[i - 1];
        jobs[i - 1] = jobs[j];
        jobs[j] = t;
    }
    return jobs;
}

// Expected seconds for the jobs of the block that are not done, from job `from` on. NAN: unknown.
static double block_left_s(const Runner *r, const Job *jobs, size_t from, size_t n, int invocation) {
    double seconds = 0;
    for (size_t i = from; i < n; i++)
        if (!recorded(r, &jobs[i], invocation)) seconds += expected_s(r, &jobs[i]);
    return seconds;
}

// One invocation of everything. False to stop: interrupted, or out of time.
static bool run_block(Runner *r, int invocation, int last) {
    size_t n;
    double within = r->options.within_s;
    Job *jobs = block_of(&r->campaign, invocation, &n);
    double whole = block_left_s(r, jobs, 0, n, invocation);
    // The first block covers at least a part of everything; a later one that would not end in time is not begun.
    bool continues = !(within > 0 && invocation > r->options.from && r->spent_s + whole > within);
    for (size_t i = 0; continues && i < n; i++) {
        if (!recorded(r, &jobs[i], invocation)) {
            double left = block_left_s(r, jobs, i, n, invocation) +
                (double)(last - invocation - 1) * block_left_s(r, jobs, 0, n, -1);
            if (within > 0 && !(left < within - r->spent_s)) left = within - r->spent_s;
            if (within > 0 && r->spent_s > within) {
                fprintf(stderr, "cabernet-bench: the time is up before everything has run once\n");
                continues = false;
                break;
            }
            show_progress(r, &jobs[i], invocation, left);
            continues = run_job(r, &jobs[i], invocation);
        }
        r->done++;
    }
    free(jobs);
    return continues;
}

static void begin(Runner *r) {
    size_t i;
    json_t *record;
    r->records = records_open(r->options.out, r->options.description);
    json_array_foreach(r->records.list, i, record) r->spent_s += json_number_value(json_object_get(record, "seconds"));
    json_t *start = json_pack("{s:s, s:i, s:O, s:o}", "kind", "campaign", "version", 1, "description",
                              r->options.description, "machine", machine_describe(&r->campaign));
    records_add(&r->records, start);
    r->records.description = json_object_get(json_array_get(r->records.list, 0), "description");
    r->machine = text_in(json_object_get(start, "machine"), "id");
}

int campaign_run(int argc, char **argv) {
    Runner r = {.options = campaign_options(argc, argv)};
    r.campaign = campaign_of(r.options.description);
    if (r.campaign.cpu >= 0) run_processor(r.campaign.cpu);
    int last = r.options.to >= 0 && r.options.to < r.campaign.invocations ? r.options.to : r.campaign.invocations;
    side_handle_signals();
    begin(&r);
    r.jobs = (size_t)(last - r.options.from) * r.campaign.n_subjects *
        (r.campaign.turns ? 1 : r.campaign.n_configurations);
    bool more = prepare_plans(&r);
    for (int i = r.options.from; more && i < last; i++) more = run_block(&r, i, last);
    if (isatty(STDERR_FILENO) && !r.options.quiet) fputs("\r\033[K", stderr);
    bool failed = summary_write(&r.records, r.options.out);
    records_close(&r.records);
    for (size_t i = 0; r.plans && i < r.campaign.n_subjects * (size_t)r.campaign.plans; i++) free(r.plans[i]);
    free(r.plans);
    campaign_free(&r.campaign);
    json_decref(r.options.description);
    if (side_interrupted) fprintf(stderr, "cabernet-bench: interrupted; the same command goes on\n");
    return side_interrupted ? 130 : failed;
}
