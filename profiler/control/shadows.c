#include "profiler/control/shadows.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/control/control_internal.h"
#include "profiler/control/records.h"
#include "profiler/control/shadowcodec.h"
#include "profiler/control/shadownames.h"
#include "profiler/control/shares.h"

struct Shadows shadows;

static bool native(const char *class_name, const char *name, const char *desc) {
    return profiler.request->natives && scope_includes(profiler.request->natives, class_name, name, desc);
}

static void begin(void) {
    records_forget_all();
    atomic_store(&profiler.written, true);
}

static bool give(uint8_t **data, size_t *size) {
    bool locked = records_lock();
    WriterInput in = {.host = profiler.host, .wanted = profiler.request->analysis};
    RecordsTotal total;
    bool ok = records_fill(&in, &total, false) && shadowcodec_encode(&in, total.collapsed, data, size);
    if (locked) pthread_mutex_unlock(&records.lock);
    return ok;
}

static bool take(const uint8_t *data, size_t size, double part) {
    const bool *wanted = profiler.request->analysis;
    ShadowThreads got;
    if (!shadowcodec_decode(wanted, data, size, &got)) return false;
    int first = 0;
    while (first < ANALYSIS_COUNT - 1 && !wanted[first]) first++;
    pthread_mutex_lock(&records.lock);
    bool ok = true;
    for (size_t i = 0; i < got.count && ok; i++) ok = records_add(&got.threads[i]);
    for (int e = 0; ok && e < EVENT_COUNT; e++) records.unattributed[e] += got.unattributed[e];
    if (ok) shadows.collapsed += got.collapsed;
    for (int a = 0; a < ANALYSIS_COUNT && ok; a++)
        if (got.given[a].data) ok = analysis_table[a]->take(got.given[a].data, got.given[a].size);
    shares_note(&got, first, part);
    pthread_mutex_unlock(&records.lock);
    shadowcodec_free(&got);
    return ok;
}

static void lost(void) {
    pthread_mutex_lock(&records.lock);
    shares_note_lost();
    pthread_mutex_unlock(&records.lock);
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
