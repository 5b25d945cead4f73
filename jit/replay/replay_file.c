// Reader of recorded plans (replay_file.h). All errors in the text are found here, when the VM starts; later only names
// may be missing and facts may not hold. A plan from another build of the VM or compiler may have lines that this build
// cannot read; it is logged and skipped.
#include "jit/replay/replay_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "base/text.h"
#include "base/words.h"
#include "jit/plan/plan_internal.h"
#include "jit/plan/plan_text.h"
#include "vm/api/advice.h"

typedef struct Reader {
    const char *path;
    char *next;  // rest of the file
    uint32_t line;
    char *word;            // rest of the line
    ReplayRecord *record;  // being read
    ReplayRecord **tail;
    bool foreign;  // another VM or compiler wrote the file
    bool skips;    // in a plan that could not be read, until its end
    char *error;
    size_t size;
} Reader;

static bool fail(Reader *r, const char *what, const char *detail) {
    snprintf(r->error, r->size, "%s:%u: %s%s%s", r->path, r->line, what, detail ? ": " : "", detail ? detail : "");
    return false;
}

// ---- words ------------------------------------------------------------------------------------------

static char *next_word(Reader *r) {
    while (*r->word == ' ') r->word++;
    if (!*r->word) return NULL;
    char *word = r->word;
    r->word += strcspn(word, " ");
    if (*r->word) *r->word++ = 0;
    return word;
}

static bool number(Reader *r, const char *text, int64_t low, int64_t high, int64_t *out) {
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (*text && !*end && errno == 0 && *out >= low && *out <= high && *text != '+') return true;
    return fail(r, "not a number that may stand here", text);
}

// Reads the number of a word "key=number". False if the word has another key.
static bool numbered_word(Reader *r, const char *key, int64_t low, int64_t high, int64_t *out) {
    char *word = next_word(r), *value = word ? words_value_of(word, key) : NULL;
    if (!value) return fail(r, "missing", key);
    return number(r, value, low, high, out);
}

static bool end_of_line(Reader *r) {
    char *word = next_word(r);
    return !word || fail(r, "unexpected", word);
}

static bool name_word(Reader *r, const char **out) {
    *out = next_word(r);
    return *out ? end_of_line(r) : fail(r, "missing", "name");
}

// ---- lines ------------------------------------------------------------------------------------------

static bool next_is(const Reader *r, const char *key) { return r->word && strncmp(r->word, key, strlen(key)) == 0; }

static void record_free(ReplayRecord *r) {
    for (uint32_t i = 0; i < r->body_count; i++) {
        free(r->bodies[i].sites);
        free(r->bodies[i].calls.rows);
        free(r->bodies[i].receivers.rows);
        free(r->bodies[i].blocks);
        free(r->bodies[i].never);
    }
    free(r->bodies);
    free(r->depends);
    free(r);
}

static bool read_plan(Reader *r) {
    int64_t osr, events, counted = 0, sampling, dup, checks, exits = 0, stress;
    if (r->record) return fail(r, "the plan before has no code line", NULL);
    r->skips = false;
    if (next_is(r, "tier=")) return fail(r, "a plan of a VM whose compiler had two tiers", NULL);
    if (!numbered_word(r, "osr", -1, 65535, &osr) || !numbered_word(r, "events", 0, INT64_MAX, &events) ||
        (next_is(r, "counted=") && !numbered_word(r, "counted", 1, INT64_MAX, &counted)) ||
        !numbered_word(r, "sampling", 0, 1, &sampling) || !numbered_word(r, "dup", DUP_FULL, DUP_AUTO, &dup) ||
        !numbered_word(r, "checks", CHECKS_ALL, CHECKS_BACKEDGES, &checks))
        return false;
    if (next_is(r, "memory=")) return fail(r, "a plan of a VM that counted sampling checks in a register", NULL);
    if ((next_is(r, "exits=") && !numbered_word(r, "exits", 1, 1, &exits)) ||
        !numbered_word(r, "stress", 0, 1, &stress))
        return false;
    r->record = plan_alloc(sizeof *r->record);
    r->record->osr_bci = (int32_t)osr;
    r->record->events = (EventSet)events;
    r->record->counted = (EventSet)counted;
    r->record->sampling = (CompilerSampling){sampling, (uint8_t)dup, (uint8_t)checks, exits};
    r->record->stress = stress;
    r->record->line = r->line;
    return name_word(r, &r->record->method);
}

static bool read_snapshot(Reader *r) {
    int64_t version, sampling, interval, calls;
    if (r->record->snapshot.version || r->record->body_count)
        return fail(r, "a snapshot that does not follow its plan", NULL);
    if (!numbered_word(r, "version", 1, INT64_MAX, &version) ||
        !numbered_word(r, "sampling", SAMPLING_OFF, PLAN_COUNTS, &sampling) ||
        !numbered_word(r, "interval", 0, UINT32_MAX, &interval) || !numbered_word(r, "calls", 0, INT64_MAX, &calls))
        return false;
    r->record->snapshot = (PlanSnapshot){(uint64_t)version, (uint8_t)sampling, (uint32_t)interval, (uint64_t)calls};
    return end_of_line(r);
}

static ReplaySite *find_site(const ReplayBody *body, uint32_t bci) {
    for (uint32_t i = 0; i < body->site_count; i++)
        if (body->sites[i].bci == bci) return &body->sites[i];
    return NULL;
}

// Reads the events that a body reports, if the next word has them. By default they are those of its caller, or of the
// plan.
static bool events_word(Reader *r, uint32_t own, EventSet *out) {
    const ReplayRecord *record = r->record;
    int64_t events;
    *out = own == 0 ? record->events : record->bodies[record->bodies[own].in].events;
    if (!next_is(r, "events=")) return true;
    if (!numbered_word(r, "events", 0, INT64_MAX, &events)) return false;
    *out = (EventSet)events;
    return true;
}

static bool hexadecimal(Reader *r, const char *value, size_t digits, uint64_t *out) {
    *out = strtoull(value, NULL, 16);
    if (strlen(value) == digits && strspn(value, "0123456789abcdef") == digits) return true;
    return fail(r, "not a hash of hexadecimal digits", value);
}

static bool read_body(Reader *r) {
    ReplayRecord *record = r->record;
    char *word = next_word(r);
    int64_t own, in = 0, at = 0, guard = 0;
    uint32_t count = record->body_count;
    if (!word) return fail(r, "missing", "number of the body");
    if (!number(r, word, count, count, &own)) return false;
    if (count > 0 && (!numbered_word(r, "in", 0, (int64_t)count - 1, &in) || !numbered_word(r, "at", 0, 65535, &at)))
        return false;
    const ReplaySite *site = count > 0 ? find_site(&record->bodies[in], (uint32_t)at) : NULL;
    if (count > 0 && !site) return fail(r, "its caller has no such site", NULL);
    if (site && next_is(r, "guard=") && !numbered_word(r, "guard", 1, site->more_count, &guard)) return false;
    record->bodies = plan_grow(record->bodies, &record->body_room, count, sizeof *record->bodies);
    ReplayBody *body = &record->bodies[record->body_count++];
    *body = (ReplayBody){.in = (uint32_t)in, .at = (uint32_t)at, .guard = (uint32_t)guard};
    if (!events_word(r, count, &body->events)) return false;
    word = next_word(r);
    const char *digits = word ? words_value_of(word, "bytes") : NULL;
    uint64_t hash;
    if (!digits) return fail(r, "missing", "bytes");
    if (!hexadecimal(r, digits, 8, &hash)) return false;
    body->bytes = (uint32_t)hash;
    if (!name_word(r, &body->method)) return false;
    return count > 0 || strcmp(body->method, record->method) == 0 ||
        fail(r, "the first body is not of the plan's method", body->method);
}

static bool read_number(Reader *r, char *word, const char *key, int64_t low, int64_t high, int64_t *out, bool *good) {
    char *value = words_value_of(word, key);
    if (!value) return false;
    *good = number(r, value, low, high, out);
    return true;
}

static bool read_name(char *word, const char *key, const char **out) {
    char *value = words_value_of(word, key);
    if (value && *value) *out = value;
    return value && *value;
}

// Reads one key=value of a site.
static bool read_item(Reader *r, ReplaySite *s, char *word) {
    int64_t n;
    bool good = true;
    char *value;
    if ((value = words_value_of(word, "type"))) {
        s->type = value[0];
        return (value[0] && !value[1] && strchr("ZBCSIJFDL[", value[0])) || fail(r, "no type character", value);
    }
    if (read_number(r, word, "initialized", 0, 1, &n, &good)) s->initialized = n;
    else if (read_number(r, word, "slot", 0, 1, &n, &good)) s->slot = n;
    else if (read_number(r, word, "guarded", 0, 1, &n, &good)) s->guarded = n;
    else if (read_number(r, word, "leaves", 0, 1, &n, &good)) s->leaves = n;
    else if (read_number(r, word, "targets", 1, MOST_TARGETS, &n, &good)) s->targets = (uint16_t)n;
    else if (read_number(r, word, "null_check", 0, 255, &n, &good)) s->null_check = (uint8_t)n;
    else if (read_number(r, word, "index", INT32_MIN, INT32_MAX, &n, &good)) s->index = (int32_t)n;
    else if (read_number(r, word, "bits", INT64_MIN, INT64_MAX, &n, &good)) s->bits = n;
    else if (!read_name(word, "field", &s->field) && !read_name(word, "class", &s->cls) &&
             !read_name(word, "method", &s->method) && !read_name(word, "receiver", &s->receiver) &&
             !read_name(word, "target", &s->target) && !read_name(word, "unique", &s->unique) &&
             !read_name(word, "constant", &s->constant) && !read_name(word, "member", &s->member) &&
             !read_name(word, "instance", &s->instance))
        return fail(r, "unexpected", word);
    return good;
}

// Checks that the site has what its kind requires, and nothing that contradicts it.
static bool check_site(Reader *r, const ReplaySite *s) {
    switch (s->kind) {
        case SITE_FIELD:
        case SITE_STATIC:
            if (!s->field) return fail(r, "missing", "field=");
            break;
        case SITE_CALL_DIRECT:
        case SITE_CALL_VTABLE:
        case SITE_CALL_INTERFACE:
        case SITE_CALL_LINKED:
            if (!s->method) return fail(r, "missing", "method=");
            break;
        case SITE_CLASS:
            if (!s->cls) return fail(r, "missing", "class=");
            break;
        case SITE_CONST_REF:
            if (!s->slot) return fail(r, "missing", "slot=1");
            break;
        case SITE_CONST_PRIM:
            if (!s->type) return fail(r, "missing", "type=");
            break;
        case SITE_NONE: return fail(r, "a site without anything to resolve", NULL);
        default: break;
    }
    bool linked = s->kind == SITE_CALL_LINK_TO && s->member;
    bool selects = s->kind == SITE_CALL_VTABLE || s->kind == SITE_CALL_INTERFACE;
    if (s->unique && s->kind != SITE_CALL_VTABLE && !linked) return fail(r, "unexpected", "unique=");
    if (s->member && s->kind != SITE_CALL_LINK_TO) return fail(r, "unexpected", "member=");
    if (s->constant && (s->unique || s->guarded || !(selects || linked || s->kind == SITE_CALL_BASIC)))
        return fail(r, "unexpected", "constant=");
    if (s->instance && !s->method) return fail(r, "unexpected", "instance=");
    if (s->targets && !selects) return fail(r, "unexpected", "targets=");
    if (s->guarded && (!selects || !s->target || (s->kind == SITE_CALL_INTERFACE) != (s->receiver != NULL)))
        return fail(r, "unexpected", "guarded=");
    if (s->leaves && !s->guarded) return fail(r, "unexpected", "leaves=");
    return true;
}

static bool read_kind(Reader *r, ReplaySite *s) {
    char *word = next_word(r);
    if (!word) return fail(r, "missing", "kind of the site");
    for (int kind = 0; kind < PLAN_SITE_KINDS; kind++)
        if (strcmp(word, plan_site_names[kind]) == 0) {
            s->kind = (SiteKind)kind;
            return true;
        }
    return fail(r, "no kind of site", word);
}

static bool read_site(Reader *r) {
    if (r->record->body_count == 0) return fail(r, "a site before the first body", NULL);
    ReplayBody *body = &r->record->bodies[r->record->body_count - 1];
    int64_t low = body->site_count ? (int64_t)body->sites[body->site_count - 1].bci + 1 : 0, bci;
    char *word = next_word(r);
    ReplaySite site = {0};
    if (!word) return fail(r, "missing", "bytecode index");
    if (!number(r, word, low, 65535, &bci) || !read_kind(r, &site)) return false;
    site.bci = (uint32_t)bci;
    while ((word = next_word(r)))
        if (!read_item(r, &site, word)) return false;
    if (!check_site(r, &site)) return false;
    body->sites = plan_grow(body->sites, &body->site_room, body->site_count, sizeof *body->sites);
    body->sites[body->site_count++] = site;
    return true;
}

// Reads a line `calls` or `receivers`.
static bool read_calls(Reader *r, bool receivers) {
    ReplayRecord *record = r->record;
    if (record->body_count == 0 || !record->snapshot.version)
        return fail(r, "calls without a snapshot and a body", NULL);
    ReplayBody *body = &record->bodies[record->body_count - 1];
    ReplayCallsList *list = receivers ? &body->receivers : &body->calls;
    int64_t low = list->count ? list->rows[list->count - 1].bci : 0, bci, count;
    char *word = next_word(r);
    ReplayCalls calls = {0};
    if (!word) return fail(r, "missing", "bytecode index");
    if (!number(r, word, low, 65535, &bci) || !numbered_word(r, "count", 1, INT64_MAX, &count) ||
        !name_word(r, &calls.name))
        return false;
    if (!find_site(body, (uint32_t)bci)) return fail(r, "its body has no such site", NULL);
    calls.bci = (uint32_t)bci;
    calls.count = (uint64_t)count;
    list->rows = plan_grow(list->rows, &list->room, list->count, sizeof *list->rows);
    list->rows[list->count++] = calls;
    return true;
}

// Reads a further target of a guarded call.
static bool read_guard(Reader *r) {
    ReplayRecord *record = r->record;
    if (record->body_count == 0) return fail(r, "a guard before the first body", NULL);
    char *word = next_word(r);
    int64_t bci;
    if (!word) return fail(r, "missing", "bytecode index");
    if (!number(r, word, 0, 65535, &bci)) return false;
    ReplaySite *site = find_site(&record->bodies[record->body_count - 1], (uint32_t)bci);
    if (!site || !site->guarded || site->more_count == MORE_GUARDS)
        return fail(r, "its body has no such guarded site", NULL);
    const char **receiver = &site->more[site->more_count].receiver;
    if (site->receiver && (!(word = next_word(r)) || !read_name(word, "receiver", receiver)))
        return fail(r, "missing", "receiver=");
    return name_word(r, &site->more[site->more_count++].target);
}

// Reads a block; a body lists all its blocks in order. Their number is checked once the method is loaded.
static bool read_block(Reader *r) {
    ReplayRecord *record = r->record;
    if (record->body_count == 0 || !record->snapshot.version)
        return fail(r, "a block without a snapshot and a body", NULL);
    ReplayBody *body = &record->bodies[record->body_count - 1];
    char *word = next_word(r);
    int64_t own, count, never = 0;
    if (!word) return fail(r, "missing", "number of the block");
    if (!number(r, word, body->block_count, body->block_count, &own) ||
        !numbered_word(r, "count", 0, INT64_MAX, &count) ||
        (next_is(r, "never=") && !numbered_word(r, "never", 1, PLAN_NEVER_CASES, &never)))
        return false;
    if (never == 3) return fail(r, "no edge is left", "never=3");
    body->never = plan_grow(body->never, &body->never_room, body->block_count, 1);
    body->never[body->block_count] = (uint8_t)never;
    body->blocks = plan_grow(body->blocks, &body->block_room, body->block_count, sizeof *body->blocks);
    body->blocks[body->block_count++] = (uint64_t)count;
    return end_of_line(r);
}

static bool read_depends(Reader *r) {
    ReplayRecord *record = r->record;
    record->depends = plan_grow(record->depends, &record->depend_room, record->depend_count, sizeof *record->depends);
    return name_word(r, &record->depends[record->depend_count++]);
}

static bool read_code(Reader *r) {
    int64_t id, hotness;
    char *word, *value;
    if (r->record->body_count == 0) return fail(r, "a plan without a body", NULL);
    if (!numbered_word(r, "id", 0, UINT32_MAX, &id) || !numbered_word(r, "hotness", 0, UINT32_MAX, &hotness))
        return false;
    word = next_word(r);
    value = word ? words_value_of(word, "hash") : NULL;
    if (!value) return fail(r, "missing", "hash");
    if (!hexadecimal(r, value, 16, &r->record->hash)) return false;
    word = next_word(r);
    r->record->replaces = word && strcmp(word, "replaces=1") == 0;
    if (word && !r->record->replaces) return fail(r, "unexpected", word);
    if (word && !end_of_line(r)) return false;
    r->record->hotness = (uint32_t)hotness;
    *r->tail = r->record;
    r->tail = &r->record->next;
    r->record = NULL;
    return true;
}

// Lines outside of plans belong to the VM, which has already read them (vm/adaptive/advice.c).
static bool is_advice(const char *word) {
    static const struct {
        const char *word;
        bool read;
    } kinds[] = {
#define ADVICE_LINE(word, reader) {#word, sizeof(#reader) > sizeof("NULL")},
#include "vm/api/advice_lines.def"
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].read && strcmp(kinds[i].word, word) == 0) return true;
    return false;
}

// Compares build ids of compilers. The VM has compared the rest (vm/adaptive/advice.c).
static void read_vm(Reader *r) {
    static const char within;
    BuildId own = buildid_of(&within);
    for (char *word, *said; (word = next_word(r));) {
        if (!(said = words_value_of(word, "compiler")) || strcmp(said, own.digits) == 0) continue;
        char text[1024];
        snprintf(text, sizeof text,
                 "cabernet: -Xreplay: %s:%u: another compiler has made this file: build %.100s instead of %s; plans "
                 "that do not hold here are named and left out",
                 r->path, r->line, said, own.digits);
        if (!r->foreign) compiler_log(text);
        r->foreign = true;
    }
}

static bool read_line(Reader *r) {
    char *word = next_word(r);
    if (!word || word[0] == '#') return true;
    if (strcmp(word, "plan") == 0) return read_plan(r);
    if (r->skips) {
        r->skips = strcmp(word, "code") != 0;
        return true;
    }
    if (!r->record) {
        if (strcmp(word, "vm") == 0) read_vm(r);
        return is_advice(word) || r->foreign || fail(r, "not the beginning of a plan", word);
    }
    if (strcmp(word, "snapshot") == 0) return read_snapshot(r);
    if (strcmp(word, "guard") == 0) return read_guard(r);
    if (strcmp(word, "block") == 0) return read_block(r);
    if (strcmp(word, "calls") == 0) return read_calls(r, false);
    if (strcmp(word, "receivers") == 0) return read_calls(r, true);
    if (strcmp(word, "body") == 0) return read_body(r);
    if (strcmp(word, "site") == 0) return read_site(r);
    if (strcmp(word, "depends") == 0) return read_depends(r);
    if (strcmp(word, "code") == 0) return read_code(r);
    return fail(r, "unknown kind of line", word);
}

// A bad line drops its plan if another VM wrote the file. Logs r->error.
static bool leave_out_plan(Reader *r) {
    char text[1024];
    if (!r->foreign || !r->record) return false;
    snprintf(text, sizeof text, "cabernet: -Xreplay: %s; the plan of %.300s is not used", r->error,
             r->record->method ? r->record->method : "it");
    compiler_log(text);
    *r->error = 0;
    record_free(r->record);
    r->record = NULL;
    return r->skips = true;
}

// ---- files ------------------------------------------------------------------------------------------

// All bytes of a file, NUL-terminated.
static char *read_all(const char *path, size_t *length) {
    FILE *f = fopen(path, "rbe");
    Text text = {0};
    if (!f) return NULL;
    if (!text_put_file(&text, f)) {
        free(text.at);
        text = (Text){0};
    }
    fclose(f);
    *length = text.length;
    return text.at;
}

// Puts the next line into r->word. False at the end, or with r->error if the last line is incomplete.
static bool next_line(Reader *r) {
    if (!*r->next) return false;
    char *end = strchr(r->next, '\n');
    r->line++;
    if (!end) return fail(r, "the last line is not complete", NULL);
    *end = 0;
    r->word = r->next;
    r->next = end + 1;
    return true;
}

bool replay_read(const char *path, ReplayRecord **records, char *error, size_t size) {
    size_t length;
    Reader r = {.path = path, .tail = records, .foreign = advice_is_foreign(), .error = error, .size = size};
    char *bytes = read_all(path, &length);
    *records = NULL;
    *error = 0;
    if (!bytes) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        return false;
    }
    r.next = bytes;
    if (strlen(bytes) != length) return fail(&r, "it is no text", NULL);
    if (!next_line(&r) || strcmp(r.word, ADVICE_HEADER) != 0)
        return *error ? false : fail(&r, "not an advice file, which begins with", ADVICE_HEADER);
    while (next_line(&r))
        if (!read_line(&r) && !leave_out_plan(&r)) return false;
    if (*error) return false;
    return !r.record || fail(&r, "the file ends within a plan", NULL);
}
