// `cabernet-prof export --speedscope`: the call tree in speedscope's file format, as "evented" profiles: methods open
// and close at increasing values. The values are method entries in tree order, not times: each row of the tree is as
// wide as the entries on and below it. The file therefore grows with the tree and not with the length of its stacks. It
// is written piece by piece, because a large tree as one JSON value would take more memory than the profile.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

static void write_text(const char *text, FILE *out) {
    json_t *s = json_string(text);
    if (!s) prof_out_of_memory();
    json_dumpf(s, out, JSON_ENCODE_ANY);
    json_decref(s);
}

static void write_event(char type, uint32_t frame, uint64_t at, bool *first, FILE *out) {
    fprintf(out, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", *first ? "" : ",\n", type, frame,
            (unsigned long long)at);
    *first = false;
}

static void write_events(const ProfStacks *s, FILE *out) {
    bool *shown = prof_alloc(s->rows * sizeof *shown), first = true;  // rows with a count on or below them
    for (size_t i = s->rows; i-- > 0;) {
        shown[i] |= s->counts[i] > 0;
        if (shown[i] && s->parents[i] != PROF_NO_ROW) shown[s->parents[i]] = true;
    }
    size_t at = PROF_NO_ROW;
    uint64_t value = 0;
    for (size_t i = 0; i <= s->rows && !ferror(out); i++) {
        if (i < s->rows && !shown[i]) continue;
        size_t parent = i < s->rows ? s->parents[i] : PROF_NO_ROW;
        for (; at != parent; at = s->parents[at]) write_event('C', s->methods[at], value, &first, out);
        if (i == s->rows) break;
        write_event('O', s->methods[i], value, &first, out);
        value += s->counts[i];
        at = i;
    }
    free(shown);
}

int prof_export_speedscope(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    if (!prof_stacks_small(f, o, "--speedscope", &s)) return 1;
    char **names = prof_names(s.file, "");
    const char *command = prof_meta(f, "command", f->path);
    fputs("{\"$schema\":\"https://www.speedscope.app/"
          "file-format-schema.json\",\"exporter\":\"cabernet-prof\",\n\"name\":",
          out);
    write_text(command, out);
    fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n", out);
    for (size_t m = 0; m < s.file->method_count; m++) {
        if (m) fputs(",\n", out);
        char *path = prof_source_path(&s.file->methods[m]);
        fputs("{\"name\":", out);
        write_text(names[m], out);
        if (path) fputs(",\"file\":", out), write_text(path, out);
        putc('}', out);
        free(path);
    }
    fprintf(out, "]},\n\"profiles\":[{\"type\":\"evented\",\"name\":\"%s: %s%s\",\"unit\":\"%s\"", s.a->name,
            prof_tick_ns(f, s.a)          ? "samples"
                : prof_samples_bytes(s.a) ? "bytes allocated"
                                          : "entries of methods",
            prof_is_sampled(f) && !prof_tick_ns(f, s.a) ? ", sampled" : "", prof_samples_bytes(s.a) ? "bytes" : "none");
    fprintf(out, ",\"startValue\":0,\"endValue\":%llu,\"events\":[\n", (unsigned long long)s.total);
    write_events(&s, out);
    fputs("]}]}\n", out);
    prof_names_free(s.file, names);
    prof_stacks_free(&s);
    return 0;
}
