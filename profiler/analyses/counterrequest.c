#include "profiler/analyses/counterrequest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/optionlist.h"
#include "base/words.h"

enum { USER, ALL, KERNEL };

typedef struct CounterRow {
    const char *name;
    bool hardware;
    int where;
    uint64_t period, least;
} CounterRow;

static const CounterRow rows[COUNTERS] = {
#define COUNTER(id, name, type, config, where, period, least, help) \
    {name, type == PERF_TYPE_HARDWARE, where, period, least},
#include "vm/api/counters.def"
};

const char *counterrequest_name(enum CounterId id) { return rows[id].name; }

const char *counterrequest_where(enum CounterId id) {
    static const char *const texts[] = {[USER] = "user", [ALL] = "user and kernel", [KERNEL] = "kernel"};
    return texts[rows[id].where];
}

typedef struct Refusal {
    char *error;
    size_t size;
} Refusal;

__attribute__((format(printf, 2, 3))) static bool refuse(Refusal to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(to.error, to.size, format, args);
    va_end(args);
    return false;
}

static bool refuse_name(Refusal to, const char *name) {
    char known[400] = "", hint[WORDS_HINT];
    WordsGuess guess = {0};
    for (int i = 0; i < COUNTERS; i++) {
        words_consider(&guess, name, rows[i].name);
        optionlist_append(known, sizeof known, rows[i].name, COUNTERS - i - 1, ", ");
    }
    return refuse(to, "there is no counter %s%s; there are %s", name, words_hint(&guess, hint), known);
}

static bool take_period(const CounterRow *row, const char *text, uint64_t *period, Refusal to) {
    int64_t n;
    if (!words_size(text, 10, "kmg", &n))
        return refuse(to, "%s/%s: the period is a number of events, as in 10k", row->name, text);
    *period = (uint64_t)n;
    if (n && !row->period)
        return refuse(to,
                      "%s/%s: it is counted, not sampled, because the signal of a sample would wake the thread that "
                      "is about to wait",
                      row->name, text);
    if (n && *period < row->least)
        return refuse(to, "%s/%s: a sample at fewer than %llu would count enough for the next one", row->name, text,
                      (unsigned long long)row->least);
    return true;
}

static bool take_word(CounterRequest *to, char *word, Refusal refusal) {
    char *period = strchr(word, '/');
    if (period) *period++ = '\0';
    int id = WORDS_FIND(rows, word);
    if (!*word) return refuse(refusal, "a counter is missing between commas");
    if (id < 0) return refuse_name(refusal, word);
    if (to->wanted[id]) return refuse(refusal, "%s is named twice", word);
    to->wanted[id] = true;
    to->period[id] = rows[id].period;
    return !period || take_period(&rows[id], period, &to->period[id], refusal);
}

bool counterrequest_parse(CounterRequest *to, const char *text, char *error, size_t error_size) {
    char *copy = strdup(text), *rest = copy;
    Refusal refusal = {error, error_size};
    *to = (CounterRequest){0};
    bool ok = copy || refuse(refusal, "out of memory");
    for (char *word; ok && (word = words_next(&rest, ',', WORDS_PLAIN)) != NULL;) ok = take_word(to, word, refusal);
    free(copy);
    return ok;
}

void counterrequest_text(const CounterRequest *request, char text[static COUNTERREQUEST_TEXT]) {
    size_t n = 0;
    text[0] = '\0';
    for (int id = 0; id < COUNTERS; id++)
        if (request->wanted[id])
            n += (size_t)snprintf(text + n, COUNTERREQUEST_TEXT - n, "%s%s/%llu", n ? "," : "", rows[id].name,
                                  (unsigned long long)request->period[id]);
}

void counterrequest_explain(enum CounterId id, int error, int paranoid, char *text, size_t size) {
    const char *name = rows[id].name;
    if (error == EACCES || error == EPERM)
        snprintf(text, size,
                 rows[id].where == KERNEL
                     ? "%s: it happens in the kernel, which the kernel lets only privileged users count: "
                       "perf_event_paranoid is %d, and must be 1 or less, or the process needs CAP_PERFMON. The "
                       "analysis threads has switches without it"
                     : "%s: the kernel lets only privileged users count: perf_event_paranoid is %d, and must be 2 or "
                       "less, or the process needs CAP_PERFMON",
                 name, paranoid);
    else if ((error == ENOENT || error == EOPNOTSUPP || error == ENODEV) && rows[id].hardware)
        snprintf(text, size,
                 "%s: this machine has no such hardware counter (%s), as is usual in virtual machines. Counters of the "
                 "kernel exist everywhere: events=task-clock,page-faults",
                 name, strerror(error));
    else if (error == ENOSYS) snprintf(text, size, "%s: this kernel has no perf_event_open", name);
    else snprintf(text, size, "%s: %s", name, strerror(error));
}
