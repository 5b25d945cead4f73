#include "profiler/control/fileheader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "profiler/analyses/counterrequest.h"
#include "profiler/analyses/timesamples.h"
#include "profiler/control/collections.h"
#include "profiler/control/control_internal.h"
#include "profiler/control/records.h"
#include "profiler/control/request_parse.h"
#include "profiler/control/shadows.h"
#include "profiler/ring/transport.h"

static void put(FileHeader *h, const char *key, const char *value) {
    char *copy = strdup(value ? value : "unknown");
    if (!copy || !GROW(h->rows, h->capacity, h->count + 1)) {
        free(copy);
        h->failed = true;
        return;
    }
    h->rows[h->count++] = (WriterMeta){key, copy};
}

static void put_number(FileHeader *h, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put(h, key, text);
}

void fileheader_free(FileHeader *h) {
    for (size_t i = 0; i < h->count; i++) free((char *)h->rows[i].value);
    free(h->rows);
}

// Shadows do not hand over what the scope matched in them.
bool fileheader_scope_is_empty(const Profiler *p) {
    return p->request->scope && !p->request->in_shadows && !atomic_load(&p->scope_matches);
}

// ---- what ran ------------------------------------------------------------------------------------

// The class path with absolute names, for readers elsewhere.
static void put_class_path(FileHeader *h, const char *list) {
    char *text = NULL, folder[PATH_MAX];
    size_t size;
    FILE *out = getcwd(folder, sizeof folder) ? open_memstream(&text, &size) : NULL;
    for (size_t n; out; list += n + 1) {
        n = strcspn(list, ":");
        fprintf(out, "%s%s%.*s", *list == '/' ? "" : folder, *list == '/' ? "" : "/", (int)n, list);
        if (!list[n]) break;
        putc(':', out);
    }
    if (out) fclose(out);
    if (text) put(h, "class-path", text);
    free(text);
}

static void put_times(FileHeader *h, const Profiler *p, const ProfileRun *run) {
    char seconds[32], when[48];
    struct tm tm;
    time_t start = (time_t)(p->wall_start_ns / 1000000000);
    uint64_t duration = (uint64_t)(clock_monotonic_ns() - p->start_ns);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", gmtime_r(&start, &tm));
    snprintf(when, sizeof when, "%s.%03dZ", seconds, (int)(p->wall_start_ns / 1000000 % 1000));
    put(h, "started", when);
    put_number(h, "duration-ns", duration);
    put_number(h, "on-ns", run->off_ns < duration ? duration - run->off_ns : 0);
    put_number(h, "off-ns", run->off_ns);
}

// ---- events --------------------------------------------------------------------------------------

// How events were chosen. Keys without a meaning in the mode are omitted.
static void put_sampling(FileHeader *h, const Profiler *p, const ProfileRun *run) {
    const SamplingRequest *s = &run->sampling;
    put(h, "sampling", request_mode_name(s));
    put_number(h, "samples", run->samples);
    if (run->allocated) put_number(h, "allocated-bytes", run->allocated);
    put_number(h, "truncated", run->truncated);
    if (s->mode == SAMPLING_OFF) return;
    // With a rate: the average interval that resulted.
    uint64_t interval = !s->rate ? s->interval : run->samples ? run->checks * s->burst / run->samples : 0;
    if (s->mode == SAMPLING_TIMER) put_number(h, "interval-us", s->interval_us);
    else put_number(h, "interval", interval);
    if (s->skip) put_number(h, "skip", s->skip);
    if (s->rate) put_number(h, "rate", s->rate);
    put_number(h, "burst", s->burst);
    if (s->phase) put_number(h, "phase", s->phase);
    if (s->mode == SAMPLING_JITTER && !s->rate) {
        put_number(h, "jitter", s->jitter);
        put_number(h, "seed", s->seed);
    }
    put(h, "dup", request_value_name(KEY_DUP, s->dup));
    put(h, "checks-at", request_value_name(KEY_CHECKS, s->checks));
    put(h, "copies", request_value_name(KEY_COPIES, s->copies));
    put_number(h, "checks", run->checks);
    put_number(h, "threads-unsampled", run->unsampled);
    put_number(h, "changes", run->changes);
    if (p->request->phases) put_number(h, "phases", p->request->phases);
    uint64_t without_room = 0;
    for (const Record *r = p->records.first; r; r = r->next)
        without_room += r->phases ? phases_without_room(r->phases) : 0;
    if (without_room) put_number(h, "phases-without-room", without_room);
    if (p->records.phases_unlisted) put_number(h, "phases-unlisted", p->records.phases_unlisted);
}

// The consumers, and the events that were not analysed.
static void put_transport(FileHeader *h, const Request *r, const RecordsTotal *total) {
    const TransportRequest *t = &r->transport;
    put(h, "transport", request_transport_name(r));
    if (t->tee) put_number(h, "tee-differences", total->tee_differences);
    if (!t->on || t->kind == RING_WORD) return;
    TransportFigures f;
    transport_figures(&f);
    put_number(h, "buffer", t->buffer);
    put_number(h, "chunk", t->chunk);
    put(h, "consume", t->sampled ? "sampled" : t->discards ? "discard" : t->unread ? "none" : "all");
    if (t->unread) return;
    put_number(h, "consumers", t->consumers);
    if (t->shards) put_number(h, "shards", t->shards);
    if (t->affinity) put(h, "affinity", t->affinity);
    if (t->sampled) {
        if (t->rate) put_number(h, "rate", t->rate);
        put_number(h, "lines", t->lines);
        put_number(h, "words-written", f.written);
        put_number(h, "words-sampled", f.sampled);
        put_number(h, "words-overwritten", f.overwritten);
        return;
    }
    if (t->discards) put_number(h, "words-transferred", f.transferred);
    if (t->carriers) put_number(h, "carriers-rings", f.rings);
    if (t->carriers) put_number(h, "switch-events", f.switches);
    if (t->grow) put_number(h, "grow", t->grow);
    if (t->grow) put_number(h, "grown", f.grown);
    if (f.paced) put_number(h, "pace-mean", f.pace_sum / f.paced);
    if (f.paced) put_number(h, "pace-most", f.pace_most);
    put_number(h, "waits", f.waits);
    put_number(h, "waits-ns", f.wait_ns);
    put_number(h, "holds", f.holds);
    put_number(h, "holds-ns", f.hold_ns);
    put_number(h, "discarded", f.discarded);
    put_number(h, "discarded-laps", f.laps);
}

static void put_time(FileHeader *h, const Request *r) {
    if (r->hz[TIME_CPU]) put_number(h, "cpu-hz", r->hz[TIME_CPU]);
    if (r->hz[TIME_WALL]) put_number(h, "wall-hz", r->hz[TIME_WALL]);
    if (!r->hz[TIME_CPU] && !r->hz[TIME_WALL] && !r->analysis[ANALYSIS_system_counters]) return;
    put_number(h, "stacks-unread", timesamples_unwalked());
    put_number(h, "stacks-truncated", timesamples_truncated());
}

static void put_collections(FileHeader *h, Profiler *p) {
    CollectionSums sums;
    if (!collections_sums(p, &sums)) return;
    put_number(h, "collections-young", sums.young);
    put_number(h, "collections-full", sums.full);
    put_number(h, "collections-ns", sums.pause_ns);
    put_number(h, "collections-longest-ns", sums.longest_ns);
    if (sums.unlisted) put_number(h, "collections-unlisted", sums.unlisted);
}

// Lists the things that no profile covers, whatever the program does.
static void put_outside(FileHeader *h, const Request *r) {
    char text[640];
    const bool *wanted = r->analysis;
    bool calls = wanted[ANALYSIS_method_count] || wanted[ANALYSIS_call_edge] || wanted[ANALYSIS_call_tree] ||
        wanted[ANALYSIS_call_subtree];
    snprintf(text, sizeof text, "%s%s%s%s",
             "what native code does by itself; what intrinsics do inside; hidden methods (lambda"
             " forms, lambda proxies), ",
             calls ? "whose calls count for the visible method below them; " : "not instrumented; ",
             wanted[ANALYSIS_field_access] || request_has_cache(r)
                 ? "fields accessed by reflection, Unsafe, VarHandles and method handles; "
                 : "",
             "what threads that outlived the program's end did after it");
    put(h, "outside", text);
}

void fileheader_make(FileHeader *h, Profiler *p, const ProfileRun *run, const char *why, const RecordsTotal *total) {
    const Request *r = p->request;
    put(h, "command", run->command);
    if (run->class_path && *run->class_path) put_class_path(h, run->class_path);
    put_number(h, "process", (uint64_t)getpid());
    put(h, "vm", run->vm_version);
    put(h, "jdk", run->jdk_version);
    put(h, "execution", run->mode);
    if (run->deterministic) put(h, "deterministic", run->takes_turns ? "all" : "each thread");
    if (r->from_main) put(h, "from", "main");
    if (r->scope_text) put(h, "scope", r->scope_text);
    if (fileheader_scope_is_empty(p)) put(h, "scope-matches", "nothing");
    put_transport(h, r, total);
    put(h, "where", r->in_shadows ? "shadow" : "process");
    put_times(h, p, run);
    put(h, "ended-by", why);
    put_number(h, "threads", p->records.started);
    put_sampling(h, p, run);
    bool tree = r->analysis[ANALYSIS_call_tree];
    if (tree) put_number(h, "recursion", r->settings.recursion);
    if (request_samples_allocation(r)) put_number(h, "alloc-every", r->settings.sample_bytes);
    if (tree || r->analysis[ANALYSIS_alloc_tree] || r->analysis[ANALYSIS_call_subtree] ||
        r->analysis[ANALYSIS_interprocedural_path])
        put_number(h, "nodes-left", (uint64_t)atomic_load(&r->settings.nodes_left));
    if (request_has_cache(r)) {
        char text[CACHECONFIG_TEXT];
        cacheconfig_text(&r->settings.cache, text);
        put(h, "cache", text);
    }
    if (r->analysis[ANALYSIS_system_counters]) {
        char text[COUNTERREQUEST_TEXT];
        counterrequest_text(&r->settings.counters, text);
        put(h, "counters", text);
    }
    put_time(h, r);
    put_collections(h, p);
    bool has_shadows = p == &profilers[PROFILE_OF_EVENTS];
    put_number(h, "hidden-entries", total->collapsed + (has_shadows ? shadows.collapsed : 0));
    for (int i = 0; has_shadows && i < shadows.fact_count; i++) put(h, shadows.facts[i].key, shadows.facts[i].text);
    put_outside(h, r);
}
