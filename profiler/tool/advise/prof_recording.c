// Reader of advice files (prof_recording.h). The VM has separate readers for what it does with the lines
// (jit/replay/replay_file.c, vm/adaptive/advice.c). This one checks the shape of every line and keeps names and words
// that cabernet-prof does not interpret.
#include "profiler/tool/advise/prof_recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/read/prof_file.h"

typedef struct Reader {
    Recording *out;
    uint32_t file;
    size_t number;          // line number
    const char *line, *at;  // the line, and the unread rest of it
    const char *kind;       // the first word of the line
    RecordedPlan plan;      // the plan being read; without a method: none
    char **bodies;          // the call chains that lead to its bodies
    size_t body_count, body_room;
} Reader;

static bool fail(const Reader *r, const char *what, const char *word) {
    fprintf(stderr, "cabernet-prof: %s:%zu: %s%s%.200s\n", r->out->path, r->number, what, word ? ": " : "",
            word ? word : "");
    return false;
}

// ---- words -----------------------------------------------------------------------------------------

// The unread rest of the line, from the next word.
static const char *rest_of_line(Reader *r) { return r->at += strspn(r->at, " "); }

// The next word and its length; NULL at the end of the line.
static const char *next_word(Reader *r, size_t *length) {
    const char *word = rest_of_line(r);
    *length = strcspn(word, " ");
    r->at += *length;
    return *length ? word : NULL;
}

static bool digits(const char *word, size_t length, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(word, &end, 10);
    return *word >= '0' && *word <= '9' && (size_t)(end - word) == length && errno == 0 && *out <= INT64_MAX;
}

static bool number(Reader *r, uint64_t *out) {
    size_t length;
    const char *word = next_word(r, &length);
    if (!word) return fail(r, "missing", "a number");
    return digits(word, length, out) || fail(r, "not a number that may stand here", word);
}

// The value of the next word if that is KEY=VALUE; else NULL, and the word is not consumed.
static const char *value_of(Reader *r, const char *key, size_t *length) {
    size_t n = strlen(key);
    rest_of_line(r);
    if (strncmp(r->at, key, n) != 0 || r->at[n] != '=') return NULL;
    const char *value = r->at + n + 1;
    *length = strcspn(value, " ");
    r->at = value + *length;
    return value;
}

// KEY=NUMBER, if it is the next word.
static bool optional_number(Reader *r, const char *key, uint64_t *out, bool *there) {
    size_t length;
    const char *value = value_of(r, key, &length);
    *there = value != NULL;
    return !value || digits(value, length, out) || fail(r, "not a number that may stand here", value);
}

static bool keyed_number(Reader *r, const char *key, uint64_t *out) {
    bool there;
    return optional_number(r, key, out, &there) && (there || fail(r, "missing", key));
}

static bool hexadecimal(Reader *r, const char *key, size_t wanted, const char **out) {
    size_t length;
    *out = value_of(r, key, &length);
    if (!*out) return fail(r, "missing", key);
    return (length == wanted && strspn(*out, "0123456789abcdef") >= wanted) ||
        fail(r, "not a hash of hexadecimal digits", *out);
}

static bool end_of_line(Reader *r) {
    size_t length;
    const char *word = next_word(r, &length);
    return !word || fail(r, "unexpected", word);
}

static bool last_word(Reader *r, const char *what, const char **out) {
    size_t length;
    *out = next_word(r, &length);
    return *out ? end_of_line(r) : fail(r, "missing", what);
}

// Reads KEY=N as the row's count and notes where its digits are.
static bool count_word(Reader *r, const char *key, RecordedRow *row) {
    if (!keyed_number(r, key, &row->count)) return false;
    row->behind = (size_t)(r->at - r->line);
    row->digits = row->behind;
    while (r->line[row->digits - 1] != '=') row->digits--;
    return true;
}

// ---- rows ------------------------------------------------------------------------------------------

static char *joined(const char *a, const char *between, const char *b) {
    char *text;
    if (asprintf(&text, "%s%s%s", a, between, b) < 0) prof_out_of_memory();
    return text;
}

static bool add_row(RecordedRows *rows, RecordedRow row) {
    GROW_OR_EXIT(rows->list, rows->room, rows->count + 1);
    rows->list[rows->count++] = row;
    return true;
}

static RecordedRow row_of(const Reader *r) { return (RecordedRow){.line = r->line, .text = ""}; }

// The slot of a row in the body that was read last; `what`: kind and bytecode index.
static char *slot_in_body(const Reader *r, const char *what) {
    return joined(r->bodies[r->body_count - 1], ": ", what);
}

// The same for a method or class at that place.
static char *slot_of_name(const Reader *r, const char *what, const char *name) {
    char *slot = slot_in_body(r, what), *whole = joined(slot, " ", name);
    free(slot);
    return whole;
}

// Reads the bytecode index of a line that must belong to a body: "KIND NUMBER".
static bool read_place(Reader *r, char *out, size_t size) {
    uint64_t n;
    if (r->body_count == 0) return fail(r, "it belongs to no body", NULL);
    if (!number(r, &n)) return false;
    snprintf(out, size, "%s %llu", r->kind, (unsigned long long)n);
    return true;
}

static bool read_site(Reader *r) {
    char place[40];
    RecordedRow row = row_of(r);
    if (!read_place(r, place, sizeof place)) return false;
    row.text = rest_of_line(r);
    if (!*row.text) return fail(r, "missing", "kind of the site");
    row.slot = slot_in_body(r, place);
    return add_row(&r->plan.rows, row);
}

static bool read_guard(Reader *r) {
    char place[40];
    RecordedRow row = row_of(r);
    if (!read_place(r, place, sizeof place)) return false;
    if (!*rest_of_line(r)) return fail(r, "missing", "name");
    row.slot = slot_of_name(r, place, r->at);
    return add_row(&r->plan.rows, row);
}

static bool read_block(Reader *r) {
    char place[40];
    uint64_t never;
    RecordedRow row = row_of(r);
    if (!read_place(r, place, sizeof place) || !count_word(r, "count", &row)) return false;
    row.text = rest_of_line(r);
    row.slot = slot_in_body(r, place);
    if (*r->at && !keyed_number(r, "never", &never)) return false;
    return end_of_line(r) && add_row(&r->plan.rows, row);
}

static bool read_counted(Reader *r) {
    char place[40];
    const char *name;
    RecordedRow row = row_of(r);
    if (!read_place(r, place, sizeof place) || !count_word(r, "count", &row) || !last_word(r, "name", &name))
        return false;
    row.slot = slot_of_name(r, place, name);
    row.fact = true;
    return add_row(&r->plan.rows, row);
}

static bool read_snapshot(Reader *r) {
    uint64_t version, sampling, interval;
    char text[80];
    RecordedRow row = row_of(r);
    if (r->body_count) return fail(r, "a snapshot that does not follow its plan", NULL);
    if (!keyed_number(r, "version", &version) || !keyed_number(r, "sampling", &sampling) ||
        !keyed_number(r, "interval", &interval) || !count_word(r, "calls", &row))
        return false;
    snprintf(text, sizeof text, "sampling=%llu interval=%llu", (unsigned long long)sampling,
             (unsigned long long)interval);
    row.slot = "snapshot";
    row.text = joined(text, "", "");
    return end_of_line(r) && add_row(&r->plan.rows, row);
}

// The caller and call site of an inlined body.
static bool read_caller(Reader *r, char *call, size_t size, uint64_t *caller) {
    uint64_t at, guard = 0;
    bool guarded;
    if (!keyed_number(r, "in", caller) || !keyed_number(r, "at", &at)) return false;
    if (*caller >= r->body_count) return fail(r, "its caller has not come yet", NULL);
    if (!optional_number(r, "guard", &guard, &guarded)) return false;
    snprintf(call, size, guard ? " at %llu.%llu " : " at %llu ", (unsigned long long)at, (unsigned long long)guard);
    return true;
}

static bool read_body(Reader *r) {
    uint64_t own, caller = 0;
    char call[60] = "";
    const char *method, *rest;
    RecordedRow row = row_of(r);
    if (!number(r, &own)) return false;
    if (own != r->body_count) return fail(r, "not the number of the next body", NULL);
    if (own > 0 && !read_caller(r, call, sizeof call, &caller)) return false;
    rest = rest_of_line(r);
    uint64_t events;
    bool there;
    if (!optional_number(r, "events", &events, &there) || !hexadecimal(r, "bytes", 8, &row.bytes) ||
        !last_word(r, "name", &method))
        return false;
    if (own == 0 && strcmp(method, r->plan.method) != 0)
        return fail(r, "the first body is not of the plan's method", method);
    char *chain = joined(own ? r->bodies[caller] : "", call, method);
    GROW_OR_EXIT(r->bodies, r->body_room, r->body_count + 1);
    r->bodies[r->body_count++] = chain;
    row.slot = chain;
    row.text = strndup(rest, (size_t)(row.bytes - rest) + 8);
    return row.text ? add_row(&r->plan.rows, row) : false;
}

static bool read_depends(Reader *r) {
    const char *name;
    RecordedRow row = row_of(r);
    if (!last_word(r, "name", &name)) return false;
    row.slot = row.line;
    return add_row(&r->plan.rows, row);
}

static bool read_level(Reader *r) {
    uint64_t level;
    return number(r, &level) && read_depends(r);
}

// ---- plans -----------------------------------------------------------------------------------------

static bool read_plan(Reader *r) {
    size_t length;
    uint64_t loop = 0;
    const char *osr;
    RecordedRow row = row_of(r);
    if (r->plan.method) return fail(r, "the plan before has no code line", NULL);
    if (value_of(r, "tier", &length)) return fail(r, "a plan of a VM whose compiler had two tiers", NULL);
    if (!(osr = value_of(r, "osr", &length))) return fail(r, "missing", "osr");
    bool none = strncmp(osr, "-1", length) == 0 && length == 2;
    if (!none && !digits(osr, length, &loop)) return fail(r, "not a number that may stand here", osr);
    const char *from = rest_of_line(r), *method = strrchr(r->line, ' ') + 1;
    if (method < from || !*method || strchr(method, '=')) return fail(r, "missing", "name");
    row.slot = "plan";
    row.text = method > from ? strndup(from, (size_t)(method - 1 - from)) : "";
    r->plan = (RecordedPlan){
        .method = method, .file = r->file, .place = (uint32_t)r->out->count, .loop = none ? -1 : (int64_t)loop};
    r->body_count = 0;
    return row.text ? add_row(&r->plan.rows, row) : false;
}

const RecordedRow *prof_recording_row(const RecordedRows *rows, const char *slot) {
    return rows->count ? bsearch(&slot, rows->list, rows->count, sizeof *rows->list, prof_by_text) : NULL;
}

static bool sort_rows(const Reader *r, const RecordedRows *rows, RecordedRows *out) {
    *out = (RecordedRows){0};
    for (size_t i = 0; i < rows->count; i++) add_row(out, rows->list[i]);
    if (out->count) qsort(out->list, out->count, sizeof *out->list, prof_by_text);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const RecordedRow *before = kept ? &out->list[kept - 1] : NULL, *row = &out->list[i];
        bool again = before && strcmp(before->slot, row->slot) == 0;
        if (again && (row->behind || strcmp(before->text, row->text) != 0))
            return fail(r, "a second line of the same", row->line);
        if (!again) out->list[kept++] = *row;
    }
    out->count = kept;
    return true;
}

static bool read_code(Reader *r) {
    uint64_t id;
    const char *hash;
    if (r->body_count == 0) return fail(r, "a plan without a body", NULL);
    if (!keyed_number(r, "id", &id) || !keyed_number(r, "hotness", &r->plan.hotness)) return false;
    r->plan.code = rest_of_line(r);
    if (!hexadecimal(r, "hash", 16, &hash) || !end_of_line(r) || !sort_rows(r, &r->plan.rows, &r->plan.sorted))
        return false;
    GROW_OR_EXIT(r->out->plans, r->out->room, r->out->count + 1);
    r->out->plans[r->out->count++] = r->plan;
    r->plan = (RecordedPlan){0};
    return true;
}

// ---- advice outside of plans ---------------------------------------------------------------------------

static bool read_vm(Reader *r) {
    RecordedRow row = row_of(r);
    row.slot = "vm";
    row.text = rest_of_line(r);
    return *row.text ? add_row(&r->out->advice, row) : fail(r, "missing", "name");
}

static bool read_layout(Reader *r) {
    size_t length;
    RecordedRow row = row_of(r);
    const char *cls = next_word(r, &length);
    if (!cls) return fail(r, "missing", "class");
    row.text = rest_of_line(r);
    if (!*row.text) return fail(r, "missing", "fields");
    row.slot = strndup(r->line, (size_t)(cls + length - r->line));
    return row.slot ? add_row(&r->out->advice, row) : false;
}

static bool read_edges(Reader *r) {
    RecordedRow row = row_of(r);
    row.slot = "edges";
    row.fact = true;
    return count_word(r, "count", &row) && end_of_line(r) && add_row(&r->out->advice, row);
}

static bool read_edge(Reader *r) {
    size_t length;
    uint64_t bci;
    const char *name;
    RecordedRow row = row_of(r);
    row.fact = true;
    if (!next_word(r, &length)) return fail(r, "missing", "method");
    if (!number(r, &bci)) return false;
    char *place = strndup(r->line, (size_t)(r->at - r->line));
    if (!place) prof_out_of_memory();
    if (!count_word(r, "count", &row) || !last_word(r, "name", &name)) return false;
    row.slot = joined(place, " ", name);
    free(place);
    return add_row(&r->out->advice, row);
}

// ---- files -----------------------------------------------------------------------------------------

static const struct LineKind {
    const char *word;
    bool of_plan;
    bool (*read)(Reader *r);
} kinds[] = {
    {"plan", false, read_plan},        {"vm", false, read_vm},          {"layout", false, read_layout},
    {"edges", false, read_edges},      {"edge", false, read_edge},      {"receiver", false, read_edge},
    {"snapshot", true, read_snapshot}, {"body", true, read_body},       {"site", true, read_site},
    {"guard", true, read_guard},       {"block", true, read_block},     {"calls", true, read_counted},
    {"receivers", true, read_counted}, {"depends", true, read_depends}, {"level", true, read_level},
    {"code", true, read_code},
};

static bool read_line(Reader *r) {
    size_t length;
    const char *word = next_word(r, &length);
    if (!word || *word == '#') return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].word) != length || strncmp(kinds[i].word, word, length) != 0) continue;
        if (kinds[i].of_plan && !r->plan.method) return fail(r, "it belongs to no plan", word);
        if (!kinds[i].of_plan && r->plan.method) return fail(r, "the plan before has no code line", NULL);
        r->kind = kinds[i].word;
        return kinds[i].read(r);
    }
    return fail(r, "unknown kind of line", word);
}

static bool read_lines(Reader *r, char *text) {
    for (char *line = text, *end; *line; line = end + 1) {
        r->number++;
        end = strchr(line, '\n');
        if (!end) return fail(r, "the last line is not complete", NULL);
        *end = 0;
        r->line = r->at = line;
        if (r->number == 1 && strcmp(line, PROF_ADVICE_HEADER) != 0)
            return fail(r, "not an advice file, which begins with", PROF_ADVICE_HEADER);
        if (r->number > 1 && !read_line(r)) return false;
    }
    if (r->number == 0) return fail(r, "not an advice file, which begins with", PROF_ADVICE_HEADER);
    return !r->plan.method || fail(r, "the file ends within a plan", NULL);
}

static int by_name_and_place(const void *x, const void *y) {
    const RecordedPlan *a = x, *b = y;
    int order = strcmp(a->method, b->method);
    if (order == 0) order = (a->loop > b->loop) - (a->loop < b->loop);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

// Plans of the same method and loop are numbered in their order.
static void name_plans(Recording *f) {
    if (f->count) qsort(f->plans, f->count, sizeof *f->plans, by_name_and_place);
    unsigned same = 0;
    for (size_t i = 0; i < f->count; i++) {
        RecordedPlan *p = &f->plans[i], *before = i ? p - 1 : NULL;
        char loop[40] = "", *name;
        same = before && strcmp(before->method, p->method) == 0 && before->loop == p->loop ? same + 1 : 0;
        if (p->loop >= 0) snprintf(loop, sizeof loop, " loop %lld", (long long)p->loop);
        if (asprintf(&name, "%s%s #%u", p->method, loop, same) < 0) prof_out_of_memory();
        p->name = name;
    }
}

bool prof_recording_read(const char *path, uint32_t file, Recording *out) {
    char problem[256];
    size_t size;
    uint8_t *bytes = prof_load(path, &size, problem, sizeof problem);
    *out = (Recording){.path = path};
    if (!bytes) {
        fprintf(stderr, "cabernet-prof: %s: %s\n", path, problem);
        return false;
    }
    char *text = prof_alloc(size + 1);
    memcpy(text, bytes, size);
    free(bytes);
    Reader r = {.out = out, .file = file};
    if (strlen(text) != size) return fail(&r, "it is no text", NULL);
    RecordedRows sorted;
    if (!read_lines(&r, text) || !sort_rows(&r, &out->advice, &sorted)) return false;
    out->advice = sorted;
    name_plans(out);
    return true;
}
