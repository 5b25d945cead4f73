// `cabernet-prof plans`: recorded plans beside each other, or made one of (docs/FORMATS.md, "Plans of the compiler"). Plans of one
// method, tier and loop in one file are told apart by their order.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profiler/tool/advise/prof_plans.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/read/prof_file.h"

enum { MOST_FILES = 64 };
static const char HEADER[] = "cabernet-advice 1\n";

// A plan of one file. Texts point into its bytes and end behind their last line.
typedef struct Record {
    const char *key;          // tier, osr, number among the equal ones, method: malloc'd
    const char *text;         // from the line `plan` to before the line `code`
    size_t length;
    uint32_t file, place;     // which one, and where in it
    uint64_t hotness;
    char hash[17];
} Record;

typedef struct Records {
    Record *list;
    size_t count, room;
    Text layouts;             // lines of the first file that belong to no plan
} Records;

static bool fail(const char *path, size_t line, const char *what) {
    fprintf(stderr, "cabernet-prof: %s:%zu: %s\n", path, line, what);
    return false;
}

static bool starts(const char *line, const char *word) { return strncmp(line, word, strlen(word)) == 0; }

// The value of KEY= in the line that begins at `line`; NULL: there is none.
static const char *value_in(const char *line, const char *key) {
    const char *end = strchr(line, '\n'), *at = strstr(line, key);
    return at && at < end ? at + strlen(key) : NULL;
}

static uint32_t earlier(const Records *r, uint32_t file, const char *key, size_t length) {
    uint32_t n = 0;
    for (size_t i = r->count; i-- > 0 && r->list[i].file == file;) n += strncmp(r->list[i].key, key, length) == 0 && r->list[i].key[length] == ' ';
    return n;
}

// "METHOD tier osr N", from the line `plan`.
static char *key_of(const Records *r, uint32_t file, const char *line) {
    const char *end = strchr(line, '\n'), *method = end;
    while (method > line && method[-1] != ' ') method--;
    const char *tier = value_in(line, " tier="), *osr = value_in(line, " osr=");
    if (!tier || !osr || method == end) return NULL;
    char *base, *key;
    if (asprintf(&base, "%.*s tier %ld%s", (int)(end - method), method, strtol(tier, NULL, 10),
                 strtol(osr, NULL, 10) >= 0 ? " loop " : "") < 0)
        prof_out_of_memory();
    if (strtol(osr, NULL, 10) >= 0 && asprintf(&key, "%s%ld", base, strtol(osr, NULL, 10)) >= 0) {
        free(base);
        base = key;
    }
    if (asprintf(&key, "%s #%u", base, earlier(r, file, base, strlen(base))) < 0) prof_out_of_memory();
    free(base);
    return key;
}

// The line `code` ends a plan.
static bool finish_record(Record *rec, const char *line) {
    const char *hotness = value_in(line, " hotness="), *hash = value_in(line, " hash=");
    if (!hotness || !hash || strspn(hash, "0123456789abcdef") != 16) return false;
    rec->hotness = strtoull(hotness, NULL, 10);
    memcpy(rec->hash, hash, 16);
    rec->length = (size_t)(line - rec->text);
    return true;
}

static bool read_lines(Records *r, const char *path, uint32_t file, char *text) {
    Record open = {0};
    size_t number = 1;
    uint32_t place = 0;
    if (!starts(text, HEADER)) return fail(path, 1, "not an advice file");
    for (char *line = text, *end; *line; line = end + 1, number++) {
        end = strchr(line, '\n');
        if (!end) return fail(path, number, "the last line is not complete");
        if (starts(line, "plan ")) {
            if (open.text) return fail(path, number, "the plan before has no code line");
            open = (Record){.key = key_of(r, file, line), .text = line, .file = file, .place = place++};
            if (!open.key) return fail(path, number, "not the beginning of a plan");
        } else if (starts(line, "code ")) {
            if (!open.text || !finish_record(&open, line)) return fail(path, number, "not the end of a plan");
            GROW_OR_EXIT(r->list, r->room, r->count + 1);
            r->list[r->count++] = open;
            open = (Record){0};
        } else if (!open.text && number > 1 && file == 0 && *line != '#' && *line != '\n') {
            text_put(&r->layouts, line, (size_t)(end + 1 - line));
        }
    }
    return !open.text || fail(path, number - 1, "the file ends within a plan");
}

static bool read_file(Records *r, const char *path, uint32_t file) {
    char problem[256];
    size_t size;
    uint8_t *bytes = prof_load(path, &size, problem, sizeof problem);
    if (!bytes) {
        fprintf(stderr, "cabernet-prof: %s: %s\n", path, problem);
        return false;
    }
    char *text = prof_alloc(size + 1);
    memcpy(text, bytes, size);
    free(bytes);
    return strlen(text) == size ? read_lines(r, path, file, text) : fail(path, 0, "it is no text");
}

static int by_key_and_file(const void *x, const void *y) {
    const Record *a = x, *b = y;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->file > b->file) - (a->file < b->file);
}

static bool same_plan(const Record *a, const Record *b) { return a->length == b->length && memcmp(a->text, b->text, a->length) == 0; }

// Records of one key: list[i] to list[end - 1].
static size_t group_end(const Records *r, size_t i) {
    size_t end = i + 1;
    while (end < r->count && strcmp(r->list[end].key, r->list[i].key) == 0) end++;
    return end;
}

// ---- comparing -----------------------------------------------------------------------------------

static int compare(Records *r, uint32_t files, FILE *out) {
    size_t equal = 0, plans = 0, code = 0, missing = 0;
    for (size_t i = 0, end; i < r->count; i = end) {
        end = group_end(r, i);
        const char *what = NULL;
        for (size_t k = i + 1; k < end && !what; k++)
            what = !same_plan(&r->list[i], &r->list[k]) ? "plans differ" : strcmp(r->list[i].hash, r->list[k].hash) ? "code differs" : NULL;
        if (end - i < files) {
            missing++;
            fprintf(out, "in %zu of %u files  %s\n", end - i, files, r->list[i].key);
        } else if (what) {
            if (*what == 'p') plans++;
            else code++;
            fprintf(out, "%s       %s\n", what, r->list[i].key);
        } else {
            equal++;
        }
    }
    fprintf(out, "%zu equal, %zu with other plans, %zu with other code of equal plans, %zu not in all files\n", equal, plans, code, missing);
    return plans || code || missing;
}

// ---- merging -------------------------------------------------------------------------------------

static int by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static uint64_t median_hotness(const Record *list, size_t count) {
    uint64_t values[MOST_FILES];
    for (size_t i = 0; i < count; i++) values[i] = list[i].hotness;
    qsort(values, count, sizeof *values, by_number);
    return values[(count - 1) / 2];
}

// The plan that most files have; of several the one of the first file.
static const Record *most_frequent(const Record *list, size_t count) {
    const Record *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < count; k++) n += same_plan(&list[i], &list[k]);
        if (n > most) most = n, best = &list[i];
    }
    return best;
}

typedef struct Chosen {
    const Record *record;
    uint64_t hotness;
} Chosen;

static int by_place(const void *x, const void *y) {
    const Record *a = ((const Chosen *)x)->record, *b = ((const Chosen *)y)->record;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return strcmp(a->key, b->key);
}

// What more than half of the files compile.
static int merge(Records *r, uint32_t files, FILE *out) {
    Chosen *chosen = prof_alloc((r->count + 1) * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0, end; i < r->count; i = end) {
        end = group_end(r, i);
        if ((end - i) * 2 > files) chosen[count++] = (Chosen){most_frequent(&r->list[i], end - i), median_hotness(&r->list[i], end - i)};
    }
    if (count) qsort(chosen, count, sizeof *chosen, by_place);
    fputs(HEADER, out);
    if (r->layouts.at) fputs(r->layouts.at, out);
    for (size_t i = 0; i < count; i++) {
        fwrite(chosen[i].record->text, 1, chosen[i].record->length, out);
        fprintf(out, "code id=%zu hotness=%" PRIu64 " hash=%s\n", i, chosen[i].hotness, chosen[i].record->hash);
    }
    free(chosen);
    return 0;
}

int prof_plans(char **paths, const char *output) {
    Records r = {0};
    uint32_t files = 0;
    for (; paths[files]; files++) {
        if (files == MOST_FILES) return fail(paths[files], 0, "too many files"), 2;
        if (!read_file(&r, paths[files], files)) return 2;
    }
    if (r.count) qsort(r.list, r.count, sizeof *r.list, by_key_and_file);
    if (!output) return compare(&r, files, stdout);
    FILE *out = fopen(output, "wb");
    bool good = out != NULL;
    if (good) merge(&r, files, out);
    good = good && !ferror(out);
    if (out && fclose(out) != 0) good = false;
    if (!good) fprintf(stderr, "cabernet-prof: cannot write %s: %s\n", output, strerror(errno));
    return good ? 0 : 2;
}
