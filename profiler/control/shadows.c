#include "profiler/control/shadows.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/control/control_internal.h"
#include "profiler/control/records.h"
#include "profiler/control/shadowcodec.h"
#include "profiler/control/shadownames.h"
#include "profiler/control/shares.h"

struct Shadows shadows;

// A profile of shadows is one of events.
static Profiler *profile(void) { return &profilers[PROFILE_OF_EVENTS]; }

static bool native(const char *class_name, const char *name, const char *desc) {
    const Scope *natives = profile()->request->natives;
    return natives && scope_includes(natives, class_name, name, desc);
}

static void begin(void) {
    for (int kind = 0; kind < PROFILE_KINDS; kind++) {
        records_forget_all(&profilers[kind].records);
        atomic_store(&profilers[kind].written, true);
    }
}

static bool give(uint8_t **data, size_t *size) {
    Profiler *p = profile();
    bool locked = records_lock(p);
    WriterInput in = {.host = p->host, .wanted = p->request->analysis};
    RecordsTotal total;
    bool ok = records_fill(p, &in, &total, false) && shadowcodec_encode(&in, total.collapsed, data, size);
    if (locked) pthread_mutex_unlock(&p->records.lock);
    return ok;
}

static bool take(const uint8_t *data, size_t size, double part) {
    Profiler *p = profile();
    const bool *wanted = p->request->analysis;
    ShadowThreads got;
    if (!shadowcodec_decode(wanted, data, size, &got)) return false;
    int first = 0;
    while (first < ANALYSIS_COUNT - 1 && !wanted[first]) first++;
    pthread_mutex_lock(&p->records.lock);
    bool ok = true;
    for (size_t i = 0; i < got.count && ok; i++) ok = records_add(p, &got.threads[i]);
    for (int e = 0; ok && e < EVENT_COUNT; e++) p->records.unattributed[e] += got.unattributed[e];
    if (ok) shadows.collapsed += got.collapsed;
    for (int a = 0; a < ANALYSIS_COUNT && ok; a++)
        if (got.given[a].data) ok = analysis_table[a]->take(got.given[a].data, got.given[a].size);
    shares_note(&got, first, part);
    pthread_mutex_unlock(&p->records.lock);
    shadowcodec_free(&got);
    return ok;
}

static void lost(void) {
    Profiler *p = profile();
    pthread_mutex_lock(&p->records.lock);
    shares_note_lost();
    pthread_mutex_unlock(&p->records.lock);
}

static void set_facts(const ShadowFact *facts, int count) {
    free(shadows.facts);
    shadows.facts = malloc((size_t)count * sizeof *facts);
    shadows.fact_count = shadows.facts ? count : 0;
    if (shadows.facts) memcpy(shadows.facts, facts, (size_t)count * sizeof *facts);
}

void shadows_end(void) {
    free(shadows.facts);
    shadows = (struct Shadows){0};
    shares_end();
    shadownames_end();
}

const ShadowSink shadows_sink = {
    .begin = begin,
    .give = give,
    .take = take,
    .lost = lost,
    .converged = shares_converged,
    .call = shares_note_call,
    .phase = shares_check_phase,
    .native = native,
    .facts = set_facts,
};
