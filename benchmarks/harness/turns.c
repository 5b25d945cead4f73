// Invocations by processes that take turns (side.h). A configuration that fails leaves the invocation; the others
// continue.
#include "benchmarks/harness/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/splitmix.h"
#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/run.h"
#include "benchmarks/harness/side.h"

static const double slice_ms = 40;
enum { MAX_WORDS = 2000 };

typedef struct Attempt {
    const Configuration *configuration;
    Side side;
    json_t *result;
    bool alive, done;
} Attempt;

static void fail(Attempt *a, const char *status, const char *detail) {
    char text[600], errors[300] = "";
    ssize_t n = a->side.errors ? pread(fileno(a->side.errors), errors, sizeof errors - 1, 0) : 0;
    errors[n > 0 ? n : 0] = 0;
    for (char *p = errors; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p > '~') *p = ' ';
    snprintf(text, sizeof text, "%s%s%s", detail, errors[0] ? ": " : "", errors);
    json_object_set_new(a->result, "status", json_string(status));
    json_object_set_new(a->result, "detail", json_string(text));
    side_kill(&a->side);
    a->alive = false;
}

// ---- start ---------------------------------------------------------------------------------------------

static void put_filled(char **words, size_t *n, char **from, const Marks *marks) {
    for (; *from && *n < MAX_WORDS - 8; from++) words[(*n)++] = pair_filled(*from, marks);
}

static void start(const Invocation *i, size_t at, Attempt *a, uint64_t *random) {
    const Campaign *c = i->campaign;
    size_t index = i->configurations[at], n = 0;
    char side[] = {(char)('a' + index % 26), 0};
    const Marks marks = {i->number * (int)c->n_configurations + (int)index + 1, side, i->plan, i->subject->name};
    char **words = calloc(MAX_WORDS, sizeof *words);
    char **program = i->subject->process ? i->subject->words
                                         : pair_driven_words(c->driver, i->subject->words, "observed");
    a->configuration = &c->configurations[index];
    a->side = (Side){.name = a->configuration->name, .limit_s = c->limit_s, .cpu = c->cpu};
    a->result = json_pack("{s:s, s:s, s:[], s:[], s:[], s:[]}", "configuration", a->configuration->name, "status", "ok",
                          "cpu_ns", "wall_ns", "compile_ns", "gc_ns");
    if (!words || !a->result) run_die("out of memory", "");
    put_filled(words, &n, a->configuration->words, &marks);
    bool ok = true;
    if (i->heap_mib > 0)
        ok = asprintf(&words[n++], "-Xms%dm", i->heap_mib) >= 0 && asprintf(&words[n++], "-Xmx%dm", i->heap_mib) >= 0;
    if (a->configuration->callback && !i->subject->process)
        ok &= asprintf(&words[n++], "-Drepeat.callback=%s", a->configuration->callback) >= 0 &&
            asprintf(&words[n++], "-Drepeat.measured-from=%d", c->measured_from) >= 0;
    if (!ok) run_die("out of memory", "");
    put_filled(words, &n, program, &marks);
    a->alive = true;
    if (!side_start(&a->side, words, splitmix_next(random) % 4096)) fail(a, "crashed", a->side.trouble);
    run_free_words(words);
    if (!i->subject->process) run_free_words(program);
}

// ---- turns ---------------------------------------------------------------------------------------------

static void slice(Attempt *a, SliceEnd goal, bool *interrupted) {
    switch (side_slice(&a->side, slice_ms)) {
        case SLICE_OVER: return;
        case SLICE_INTERRUPTED: *interrupted = true; return;
        case SLICE_FAILED:
            fail(a, strncmp(a->side.trouble, "did not", 7) == 0 ? "hung" : "crashed", a->side.trouble);
            return;
        case SLICE_ENDED:
            if (goal == SLICE_ENDED) a->done = true;
            else fail(a, "crashed", "has ended the process with exit code 0 in the middle of an iteration");
            return;
        case SLICE_ANSWERED: a->done = goal == SLICE_ANSWERED; return;
    }
}

// All live processes run in alternate slices, in the given order, until each has reached the goal or failed. False on
// interruption.
static bool run_all(Attempt *a, const size_t *order, size_t n, SliceEnd goal) {
    bool interrupted = false, more = true;
    for (size_t i = 0; i < n; i++) a[i].done = false;
    while (more && !interrupted) {
        more = false;
        for (size_t k = 0; k < n && !interrupted; k++) {
            Attempt *x = &a[order[k]];
            if (x->alive && !x->done) slice(x, goal, &interrupted);
            more |= x->alive && !x->done;
        }
    }
    return !interrupted;
}

// Every second order reverses the previous one, so that the machine's drift affects all alike.
static void next_order(size_t *order, size_t n, int round, uint64_t *random) {
    for (size_t i = 0; round % 2 && i < n / 2; i++) {
        size_t t = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = t;
    }
    for (size_t i = n - 1; round % 2 == 0 && n > 0 && i > 0; i--) {
        size_t j = splitmix_next(random) % (i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

// ---- results of a turn -------------------------------------------------------------------------------------

static uint32_t crc32_of(const char *bytes, size_t n) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (UINT32_C(0xedb88320) & -(crc & 1));
    }
    return ~crc;
}

// A number that the driver reports, or `otherwise`.
static double reported(const char *answer, const char *key, double otherwise) {
    size_t length = strlen(key);
    for (const char *p = answer; (p = strchr(p, ' ')); p++)
        if (strncmp(p + 1, key, length) == 0 && p[1 + length] == '=') return strtod(p + length + 2, NULL);
    return otherwise;
}

static void append(Attempt *a, const char *key, double value) {
    json_array_append_new(json_object_get(a->result, key), json_real(value));
}

static void take_sample(Attempt *a, const Invocation *i) {
    const Cost *cost = &a->side.cost;
    char checksum[40];
    const char *answer = "";
    if (i->subject->process) {
        uint32_t crc = crc32_of(a->side.output.at ? a->side.output.at : "", a->side.output.length);
        snprintf(checksum, sizeof checksum, "%x", crc);
    } else {  // "turn CHECKSUM KEY=VALUE..."
        answer = side_answer(&a->side) + strlen("turn ");
        size_t length = strcspn(answer, " \n");
        snprintf(checksum, sizeof checksum, "%.*s", (int)length, answer);
        answer += length;
    }
    json_object_set_new(a->result, "checksum", json_string(checksum));
    if (i->expected && strcmp(i->expected, checksum) != 0) {
        char text[120];
        snprintf(text, sizeof text, "checksum %s, not %s", checksum, i->expected);
        fail(a, "wrong output", text);
        return;
    }
    append(a, "cpu_ns", reported(answer, "cpu_ns", cost->cpu_ns));
    append(a, "wall_ns", reported(answer, "wall_ns", cost->wall_ns));
    append(a, "compile_ns", reported(answer, "compile_ns", 0));
    append(a, "gc_ns", reported(answer, "gc_ns", 0));
    json_object_set_new(a->result, "peak_kib",
                        json_integer((json_int_t)reported(answer, "peak_kib", (double)cost->peak_kib)));
    json_int_t switches = json_integer_value(json_object_get(a->result, "preempted"));
    json_object_set_new(a->result, "preempted", json_integer(switches + cost->preempted));
}

static bool take_all(const Invocation *i, Attempt *a, size_t *order, uint64_t *random) {
    const int64_t start_ns = clock_monotonic_ns();
    const bool process = i->subject->process;
    bool ok = true;
    if (!process) {  // the driver answers once at its start, before the first request
        ok = run_all(a, order, i->n, SLICE_ANSWERED);
        for (size_t k = 0; k < i->n; k++)
            json_object_set_new(a[k].result, "start_cpu_ns", json_real(a[k].side.cost.cpu_ns));
    }
    for (int round = 0; ok && round < (process ? 1 : i->iterations); round++) {
        if (i->seconds != 0 && (double)(clock_monotonic_ns() - start_ns) >= i->seconds * 1e9) break;
        next_order(order, i->n, round, random);
        for (size_t k = 0; k < i->n; k++) {
            if (process) side_close_requests(&a[k].side);
            else if (a[k].alive && !side_request(&a[k].side, i->subject->repeat))
                fail(&a[k], "crashed", a[k].side.trouble);
        }
        ok = run_all(a, order, i->n, process ? SLICE_ENDED : SLICE_ANSWERED);
        for (size_t k = 0; ok && k < i->n; k++)
            if (a[k].alive) take_sample(&a[k], i);
    }
    if (!ok || process) return ok;
    // The driver ends at the end of its input. It must end successfully too, because profiles are written then.
    for (size_t k = 0; k < i->n; k++)
        if (a[k].alive) side_close_requests(&a[k].side);
    return run_all(a, order, i->n, SLICE_ENDED);
}

json_t *turns_take(const Invocation *i) {
    Attempt *a = calloc(i->n + 1, sizeof *a);
    size_t *order = calloc(i->n + 1, sizeof *order);
    uint64_t random = i->random;
    json_t *results = json_array();
    if (!a || !order || !results) run_die("out of memory", "");
    for (size_t k = 0; k < i->n; k++) {
        order[k] = k;
        start(i, k, &a[k], &random);
    }
    bool ok = take_all(i, a, order, &random);
    for (size_t k = 0; k < i->n; k++) {
        side_kill(&a[k].side);
        json_array_append_new(results, a[k].result);
        if (a[k].side.errors) fclose(a[k].side.errors);
        free(a[k].side.output.at);
    }
    free(a);
    free(order);
    if (!ok) {
        json_decref(results);
        return NULL;
    }
    return results;
}
