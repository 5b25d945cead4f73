#include "profiler/concurrency/systemfigures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { MOST_KEPT = 1 << 13 };

typedef struct KeptThread {
    char name[128];
    SystemFigures figures;
} KeptThread;

static struct SystemFiguresKept {
    KeptThread *threads;
    uint32_t count, capacity;
    uint32_t further;   // threads beyond those
    SystemFigures sum;  // of the further ones
} kept;

// ---- reading ---------------------------------------------------------------------------------------

static FILE *open_file(const char *directory, int os_id, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%d/%s", directory, os_id, name);
    return fopen(path, "re");
}

// The number after a word and a colon, in a file of such lines.
static bool read_field(FILE *in, const char *word, uint64_t *to) {
    char line[256];
    size_t length = strlen(word);
    while (fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');
        unsigned long long n;
        if (strncmp(line, word, length) != 0 || !colon || sscanf(colon + 1, "%llu", &n) != 1) continue;
        *to = n;
        return true;
    }
    return false;
}

void systemfigures_read(SystemFigures *out, const char *directory, int os_id) {
    unsigned long long ran, queued;
    *out = (SystemFigures){0};
    FILE *in = open_file(directory, os_id, "status");
    if (!in) return;
    out->known = read_field(in, "voluntary_ctxt_switches", &out->voluntary) &&
        read_field(in, "nonvoluntary_ctxt_switches", &out->involuntary);
    fclose(in);
    if ((in = open_file(directory, os_id, "sched"))) {
        out->has_migrations = read_field(in, "se.nr_migrations", &out->migrations);
        fclose(in);
    }
    if ((in = open_file(directory, os_id, "schedstat"))) {  // "ran queued slices"
        if (fscanf(in, "%llu %llu", &ran, &queued) == 2) out->queued_ns = queued;
        fclose(in);
    }
}

void systemfigures_subtract(SystemFigures *now, const SystemFigures *before) {
    if (!now->known) return;
    now->voluntary -= before->voluntary;
    now->involuntary -= before->involuntary;
    now->migrations -= before->migrations;
    now->queued_ns -= before->queued_ns;
}

// ---- keeping ---------------------------------------------------------------------------------------

static void add(SystemFigures *to, const SystemFigures *f) {
    to->voluntary += f->voluntary;
    to->involuntary += f->involuntary;
    to->migrations += f->migrations;
    to->queued_ns += f->queued_ns;
    to->known |= f->known;
    to->has_migrations |= f->has_migrations;
}

void systemfigures_keep(const char *name, const SystemFigures *figures) {
    if (kept.count == MOST_KEPT || !GROW(kept.threads, kept.capacity, kept.count + 1)) {
        kept.further++;
        add(&kept.sum, figures);
        return;
    }
    KeptThread *t = &kept.threads[kept.count++];
    snprintf(t->name, sizeof t->name, "%s", name);
    t->figures = *figures;
}

void systemfigures_forget(void) {
    free(kept.threads);
    kept = (struct SystemFiguresKept){0};
}

// ---- the table -------------------------------------------------------------------------------------

void systemfigures_put(Sections *out, const char *name, const SystemFigures *f) {
    section_text(out, name);
    section_number(out, f->voluntary);
    section_number(out, f->involuntary);
    section_number(out, f->migrations);
    section_number(out, f->queued_ns);
    section_text(out,
                 !f->known                ? "the kernel did not tell"
                     : !f->has_migrations ? "this kernel does not tell migrations"
                                          : "");
}

void systemfigures_begin(Sections *out) {
    char further[64];
    section_begin(out, "threads", "switches",
                  "What the kernel accounts for each native thread from the time when this profile saw it first: "
                  "voluntary switches, where it waited,"
                  " involuntary ones, where it had to give way, moves to other processors, and the time without a"
                  " processor while it was ready",
                  "thread text, voluntary varying, involuntary varying, migrations varying, waited for a processor ns,"
                  " note note");
    for (uint32_t i = 0; i < kept.count; i++) systemfigures_put(out, kept.threads[i].name, &kept.threads[i].figures);
    if (!kept.further) return;
    snprintf(further, sizeof further, "(%u further threads)", kept.further);
    systemfigures_put(out, further, &kept.sum);
}
