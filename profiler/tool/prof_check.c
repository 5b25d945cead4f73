// `cabernet-prof check`: are methods entered as often as they should be? For builds that fail when they are not.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/prof_calls.h"
#include "profiler/tool/prof_view.h"

enum { FAILED = 1, CANNOT = 2, MOST_METHODS = 5 };

bool prof_threshold(const char *text, bool least, ProfThreshold *out) {
    size_t end = strlen(text), digits = end;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') digits--;
    errno = 0;
    *out = (ProfThreshold){.text = text, .least = least, .limit = strtoull(text + digits, NULL, 10)};
    if (digits == end || errno) return false;
    while (digits > 0 && text[digits - 1] == ' ') digits--;
    if (digits < 2 || text[digits - 1] != '=' || text[digits - 2] != (least ? '>' : '<')) return false;
    for (digits -= 2; digits > 0 && text[digits - 1] == ' ';) digits--;
    out->name_length = digits;
    return digits > 0;
}

// Entries by method; NULL: the file does not have them.
static uint64_t *entries_of(const ProfFile *f) {
    uint64_t *entries = prof_alloc(f->method_count * sizeof *entries);
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        if (strcmp(a->name, "method-count") != 0 || a->columns[0].kind != FORMAT_COLUMN_METHOD) continue;
        for (size_t r = 0; r < a->merged.rows; r++) {
            const uint64_t *row = prof_row(a, &a->merged, r);
            entries[row[0]] += prof_row_count(a, row);
        }
        return entries;
    }
    ProfCalls c;
    bool calls = prof_calls(f, &c);
    for (size_t i = 0; calls && i < c.count; i++) entries[c.calls[i].callee] += c.calls[i].count;
    prof_calls_free(&c);
    if (calls) return entries;
    free(entries);
    return NULL;
}

// Thresholds are for whole counts: of samples they would pass by chance.
static bool is_exact(const ProfFile *f) {
    if (!prof_is_exact(f)) {
        fprintf(stderr, "cabernet-prof: %s has samples only; check needs every entry\n", f->path);
        return false;
    }
    for (size_t i = 0; i < f->analysis_count; i++) {
        if (!f->analyses[i].lost) continue;
        fprintf(stderr, "cabernet-prof: %s: %llu events of %s were lost; check needs every entry\n", f->path,
                (unsigned long long)f->analyses[i].lost, f->analyses[i].name);
        return false;
    }
    return true;
}

// What is wrong with the methods that the threshold names; NULL: nothing. malloc'd.
static char *violation(const ProfFile *f, const uint64_t *entries, const ProfThreshold *t) {
    char *name = strndup(t->text, t->name_length), *text = NULL;
    size_t size, matching = 0;
    uint64_t sum = 0;
    FILE *out = open_memstream(&text, &size);
    if (!name || !out) prof_out_of_memory();
    for (size_t m = 0; m < f->method_count; m++) {
        if (!entries[m] || !prof_match_end(&f->methods[m], name)) continue;
        sum += entries[m];
        if (matching++ >= MOST_METHODS) continue;
        char *method = prof_method_text(&f->methods[m]);
        fprintf(out, "%s%s %llu", matching > 1 ? "; " : "", method, (unsigned long long)entries[m]);
        free(method);
    }
    if (matching > MOST_METHODS) fprintf(out, "; %zu more", matching - MOST_METHODS);
    if (fclose(out) != 0) prof_out_of_memory();
    bool violated = t->least ? sum < t->limit : sum > t->limit;
    char *message = NULL;
    if (violated && asprintf(&message, "%s: %llu %s%s%s%s", t->text, (unsigned long long)sum, sum == 1 ? "entry" : "entries",
                             matching ? " (" : "", text, matching ? ")" : "") < 0)
        prof_out_of_memory();
    if (!matching && !t->least && t->limit)
        fprintf(stderr, "cabernet-prof: %s: no method of that name was entered; is the name right?\n", t->text);
    free(name);
    free(text);
    return message;
}

// ---- JUnit's XML -------------------------------------------------------------------------------

// Control characters, which XML cannot have, may come with the command line; those of the file its reader has replaced.
static void put_xml(const char *text, FILE *out) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc((unsigned char)*text < 0x20 ? '?' : *text, out);
        }
    }
}

static bool write_junit(const ProfFile *f, const ProfOptions *o, char **messages, size_t failures) {
    FILE *out = fopen(o->junit, "w");
    bool failed = !out;
    if (out) {
        fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"cabernet-prof check\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
                o->threshold_count, failures);
        for (size_t i = 0; i < o->threshold_count; i++) {
            fputs("  <testcase classname=\"", out);
            put_xml(f->path, out);
            fputs("\" name=\"", out);
            put_xml(o->thresholds[i].text, out);
            fputs(messages[i] ? "\"><failure message=\"" : "\"/>\n", out);
            if (!messages[i]) continue;
            put_xml(messages[i], out);
            fputs("\"/></testcase>\n", out);
        }
        fputs("</testsuite>\n", out);
        failed = ferror(out);
        failed |= fclose(out) != 0;
    }
    if (failed) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", o->junit, strerror(errno));
    return !failed;
}

int prof_check(const ProfFile *f, const ProfOptions *o, FILE *out) {
    char *messages[MAX_FILTERS] = {0};
    size_t failures = 0;
    if (!is_exact(f)) return CANNOT;
    uint64_t *entries = entries_of(f);
    if (!entries) {
        fprintf(stderr, "cabernet-prof: %s holds no entries of methods: record method-count, call-edge or call-tree\n", f->path);
        return CANNOT;
    }
    for (size_t i = 0; i < o->threshold_count; i++) {
        messages[i] = violation(f, entries, &o->thresholds[i]);
        if (!messages[i]) continue;
        fprintf(out, "%s\n", messages[i]);
        failures++;
    }
    bool written = !o->junit || write_junit(f, o, messages, failures);
    for (size_t i = 0; i < o->threshold_count; i++) free(messages[i]);
    free(entries);
    return !written ? CANNOT : failures ? FAILED : 0;
}
