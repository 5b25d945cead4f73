#include "profiler/control/profilefile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/control/answers.h"
#include "profiler/control/collections.h"
#include "profiler/control/fileheader.h"
#include "profiler/control/control_internal.h"
#include "profiler/control/records.h"
#include "profiler/control/shadownames.h"
#include "profiler/store/writer.h"

// ---- the section of phases -----------------------------------------------------------------------

// A method's name, "-" if unknown.
static void put_method(Sections *out, bool known, uint32_t id) {
    ProfiledMethod m;
    char text[512];
    if (!known || !out->host->method(id, &m) || !m.name) {
        section_text(out, "-");
        return;
    }
    const char *class_name = m.class_name ? m.class_name : "", *dot = m.class_name ? "." : "";
    size_t n = (size_t)snprintf(text, sizeof text, "%s%s%s", class_name, dot, m.name);
    for (size_t i = 0; i < n && i < sizeof text; i++)
        if (text[i] == '/') text[i] = '.';
    section_text(out, text);
}

static void report_phases(Sections *out, const Records *records, uint32_t burst) {
    section_begin(
        out, "phases", "phases",
        "Phases of each thread, and what was between them: the call pair that is most frequent, how often the "
        "phase began, the checks that its samples stand for, their part of the thread's in thousandths, the "
        "checks that recorded, and how many checks each of these stands for",
        "thread text, phase text, caller text, callee text, times number, checks number, part permille, "
        "samples number, weight number, known text");
    for (const Record *r = records->first; r; r = r->next) {
        char phase[16];
        uint64_t checks = 0;
        uint32_t count = r->phases ? phases_count(r->phases) : 0;
        for (uint32_t i = 0; i < count; i++) checks += phases_facts(r->phases, i).checks;
        for (uint32_t i = 0; i < count && checks; i++) {
            PhaseFacts f = phases_facts(r->phases, i);
            uint64_t samples = f.bursts * burst;
            section_text(out, r->name);
            snprintf(phase, sizeof phase, i == PHASE_BETWEEN ? "between" : "%u", i);
            section_text(out, phase);
            put_method(out, f.calls, f.caller);
            put_method(out, f.calls, f.callee);
            section_number(out, f.times);
            section_number(out, f.checks);
            section_number(out, f.checks * 1000 / checks);
            section_number(out, samples);
            section_number(out, f.bursts ? (uint64_t)llround((double)f.checks / (double)samples) : 1);
            section_text(out, f.known ? "yes" : "no");
        }
    }
    section_end(out);
}

// ---- the whole file ------------------------------------------------------------------------------

static void report(Sections *out, Profiler *p, const WriterInput *in, const ProfileRun *run, bool last) {
    uint64_t produced[EVENT_COUNT] = {0};
    for (size_t i = 0; i < in->thread_count; i++)
        for (int e = 0; e < EVENT_COUNT; e++) produced[e] += in->threads[i].produced[e];
    out->produced = produced;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (p->request->analysis[a] && analysis_table[a]->report) analysis_table[a]->report(out, last);
    if (p->request->phases) report_phases(out, &p->records, run->sampling.burst);
    collections_report(p, out);
    out->produced = NULL;
}

// Builds the whole file in memory: *data is malloc'd. False: out of memory. With `answers` also their text (answers.h).
static bool build(Profiler *p, const char *why, const ProfileRun *run, bool last, uint8_t **data, size_t *size,
                  char **answers) {
    bool locked = records_lock(p);
    if (p->request->transport.on) transport_drain(profiler_is_copy(p));
    ProfileHost host = p->request->in_shadows ? shadownames_host : *p->host;
    host.class_file = p->host->class_file;  // classes of shadows are the program's
    Sections sections = {.host = &host};
    FileHeader header = {.rows = NULL};
    WriterInput in = {.host = &host,
                      .wanted = p->request->analysis,
                      .fed = p->request->fed,
                      .weighed = p->request->phases != 0,
                      .sections = &sections};
    RecordsTotal total;
    bool ok = records_fill(p, &in, &total, last && locked);
    if (ok) {
        if (total.tee_differences)
            fprintf(stderr,
                    "cabernet: transport=tee: %llu rows differ between the thread's analyses and the consumer's\n",
                    (unsigned long long)total.tee_differences);
        fileheader_make(&header, p, run, why, &total);
        in.meta = header.rows;
        in.meta_count = header.count;
        report(&sections, p, &in, run, last);
        ok = !header.failed && !sections.failed && writer_build(&in, data, size);
        const Request *r = p->request;
        bool cpu = r->analysis[ANALYSIS_cpu];
        if (ok && answers)
            *answers = answers_make(&in, cpu ? ANALYSIS_cpu : ANALYSIS_wall, r->hz[cpu ? TIME_CPU : TIME_WALL]);
    }
    fileheader_free(&header);
    sections_free(&sections);
    records_free_filled(&in);
    if (locked) pthread_mutex_unlock(&p->records.lock);
    return ok;
}

static void report_failure(const Profiler *p, const char *what) {
    fprintf(stderr, "cabernet: profile not written to %s: %s\n", p->path, what);
}

void profilefile_write(ProfileKind kind, const char *why, const ProfileRun *run) {
    Profiler *p = &profilers[kind];
    uint8_t *data;
    size_t size;
    char error[160], *answers = NULL;
    if (!p->path || atomic_exchange(&p->written, true)) return;
    if (!build(p, why, run, true, &data, &size, p->request->answers ? &answers : NULL)) {
        report_failure(p, "out of memory");
        return;
    }
    if (!writer_store(p->path, data, size, error, sizeof error)) {
        report_failure(p, error);
    } else if (p->request->message) {
        // Inside the working directory, a relative name is shorter to read and to type.
        char *directory = getcwd(NULL, 0);
        size_t n = directory ? strlen(directory) : 0;
        bool below = n > 1 && strncmp(p->path, directory, n) == 0 && p->path[n] == '/';
        free(directory);
        const char *name = below ? p->path + n + 1 : p->path;
        if (answers) fputs(answers, stderr);
        fprintf(stderr, "cabernet: profile written to %s\n", name);
        if (answers)
            fprintf(stderr,
                    "cabernet: cabernet-prof report %s prints more, cabernet-prof html %s -o page.html the flame "
                    "graph\n",
                    name, name);
    }
    free(answers);
    if (fileheader_scope_is_empty(p))
        fprintf(stderr, "cabernet: scope=%s matches no method: a pattern is for class.method, as demo.Main.*\n",
                p->request->scope_text);
    free(data);
}

bool profilefile_dump(ProfileKind kind, const char *path, const ProfileRun *run, bool last, char *error,
                      size_t error_size) {
    Profiler *p = &profilers[kind];
    uint8_t *data;
    size_t size;
    if (!build(p, last ? "end" : "dump", run, false, &data, &size, NULL)) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    char why[160];
    const char *to = path ? path : p->path;
    bool ok = writer_store(to, data, size, why, sizeof why);
    if (!ok) snprintf(error, error_size, "cannot write to %s: %s", to, why);
    free(data);
    return ok;
}
