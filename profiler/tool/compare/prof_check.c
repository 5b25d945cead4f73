// `cabernet-prof check`: compares method entry counts with thresholds, for builds that fail on a violation.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/htmlpage.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/view/prof_calls.h"
#include "profiler/tool/view/prof_source.h"

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

// Entries by method; NULL: the file has no entry counts.
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

// Thresholds need exact counts: sampled counts would pass by chance.
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

// The message of a violated threshold, malloc'd; NULL: it holds.
static char *violation(const ProfFile *f, const uint64_t *entries, const ProfThreshold *t) {
    char *name = strndup(t->text, t->name_length), *text = NULL;
    size_t size, matching = 0;
    uint64_t sum = 0;
    FILE *out = open_memstream(&text, &size);
    if (!name || !out) prof_out_of_memory();
    for (size_t m = 0; m < f->method_count; m++) {
        if (!entries[m] || !prof_match(&f->methods[m], name)) continue;
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
    if (violated &&
        asprintf(&message, "%s: %llu %s%s%s%s", t->text, (unsigned long long)sum, sum == 1 ? "entry" : "entries",
                 matching ? " (" : "", text, matching ? ")" : "") < 0)
        prof_out_of_memory();
    if (!matching && !t->least && t->limit)
        fprintf(stderr, "cabernet-prof: %s: no method of that name was entered; is the name right?\n", t->text);
    free(name);
    free(text);
    return message;
}

// ---- files for other programs ------------------------------------------------------------------

// The result of each threshold, with texts that are valid in every format.
typedef struct Results {
    const ProfFile *f;
    const ProfOptions *o;
    char *path, *texts[MAX_FILTERS];
    char *messages[MAX_FILTERS];  // NULL: it holds
    size_t failures;
} Results;

// Command-line text may contain control characters and invalid UTF-8. The profile's reader has already replaced those
// in its texts.
static char *defused(const char *text) {
    char *copy = strdup(text);
    if (!copy) prof_out_of_memory();
    prof_defuse(copy, strlen(copy));
    return copy;
}

static bool put_junit(const Results *r, FILE *out) {
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"cabernet-prof check\" tests=\"%zu\" "
            "failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
            r->o->threshold_count, r->failures);
    for (size_t i = 0; i < r->o->threshold_count; i++) {
        fputs("  <testcase classname=\"", out);
        html_text(out, r->path);
        fputs("\" name=\"", out);
        html_text(out, r->texts[i]);
        fputs(r->messages[i] ? "\"><failure message=\"" : "\"/>\n", out);
        if (!r->messages[i]) continue;
        html_text(out, r->messages[i]);
        fputs("\"/></testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
    return true;
}

// A SARIF 2.1.0 result located at the method's source, if that is known.
static json_t *sarif_result(const Results *r, size_t i) {
    const ProfThreshold *t = &r->o->thresholds[i];
    char *name = strndup(t->text, t->name_length), *path = NULL, *uri = NULL;
    if (!name) prof_out_of_memory();
    for (size_t m = 0; m < r->f->method_count && !path; m++)
        if (prof_match(&r->f->methods[m], name)) path = prof_source_path(&r->f->methods[m]);
    if (path) {
        // SARIF names files by URI: characters other than letters, digits and a few others are written %XX.
        char *to = uri = prof_alloc(3 * strlen(path) + 1);
        for (const char *c = path; *c; c++) {
            bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                strchr("/._-~$", *c);
            to += plain ? sprintf(to, "%c", *c) : sprintf(to, "%%%02X", (unsigned char)*c);
        }
    }
    json_t *location = json_pack("{s:[{s:s#, s:s}]}", "logicalLocations", "fullyQualifiedName", r->texts[i],
                                 (int)t->name_length, "kind", "function");
    if (uri) json_object_set_new(location, "physicalLocation", json_pack("{s:{s:s}}", "artifactLocation", "uri", uri));
    json_t *result = json_pack("{s:s, s:s, s:{s:s}, s:[o]}", "ruleId", t->least ? "min-entries" : "max-entries",
                               "level", "error", "message", "text", r->messages[i], "locations", location);
    free(name), free(path), free(uri);
    return result;
}

static bool put_sarif(const Results *r, FILE *out) {
    json_t *results = json_array();
    for (size_t i = 0; i < r->o->threshold_count; i++)
        if (r->messages[i] && json_array_append_new(results, sarif_result(r, i)) != 0) prof_out_of_memory();
    json_t *rules = json_pack("[{s:s, s:{s:s}}, {s:s, s:{s:s}}]", "id", "max-entries", "shortDescription", "text",
                              "A method is entered too often", "id", "min-entries", "shortDescription", "text",
                              "A method is entered too rarely");
    json_t *root = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o}}, s:o}]}", "$schema",
                             "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                             "driver", "name", "cabernet-prof", "rules", rules, "results", results);
    if (!root) prof_out_of_memory();
    bool ok = json_dumpf(root, out, JSON_INDENT(1)) == 0;
    json_decref(root);
    return ok;
}

static bool write_results(const Results *r, const char *path, bool (*put)(const Results *, FILE *)) {
    FILE *out = path ? fopen(path, "w") : NULL;
    bool failed = path && !out;
    if (out) {
        failed = !put(r, out);
        failed |= ferror(out) != 0;
        failed |= fclose(out) != 0;
    }
    if (failed) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", path, strerror(errno));
    return !failed;
}

int prof_check(const ProfFile *f, const ProfOptions *o, FILE *out) {
    if (!is_exact(f)) return CANNOT;
    uint64_t *entries = entries_of(f);
    if (!entries) {
        fprintf(stderr, "cabernet-prof: %s holds no entries of methods: record method-count, call-edge or call-tree\n",
                f->path);
        return CANNOT;
    }
    Results r = {.f = f, .o = o, .path = defused(f->path)};
    for (size_t i = 0; i < o->threshold_count; i++) {
        char *message = violation(f, entries, &o->thresholds[i]);
        r.texts[i] = defused(o->thresholds[i].text);
        if (!message) continue;
        fprintf(out, "%s\n", message);
        prof_defuse(message, strlen(message));
        r.messages[i] = message;
        r.failures++;
    }
    bool written = write_results(&r, o->junit, put_junit);
    written &= write_results(&r, o->sarif, put_sarif);
    for (size_t i = 0; i < o->threshold_count; i++) free(r.messages[i]), free(r.texts[i]);
    free(r.path), free(entries);
    return !written ? CANNOT : r.failures ? FAILED : 0;
}
