// Reader of advice files: see vm/adaptive/advice.h. All errors in the text are reported here, when the VM starts.
// Classes are compared with those of the profile once they are loaded. The file's bytes are kept, because names point
// into them; so are the original lines of layouts, for recordings.
//
// The line `vm` names the VM that made the file. If it was another VM, this VM uses everything that it can read and
// that holds here. Lines of unknown kinds are then no errors.
#include "vm/adaptive/advice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/words.h"
#include "vm/api/advice.h"
#include "vm/base/javahome.h"
#include "vm/base/version.h"
#include "vm/model/vm.h"
#include "vm/objects/fieldorder.h"

enum { MOST_FIELDS = 65535, MOST_BCI = 65535 };
static const char NO_ADVICE[] = "not an advice file, which begins with";

typedef struct Reader {
    const char *path;
    unsigned line;
    char *rest;  // the part of the line that has not been read
    char *error;
    size_t size;
} Reader;

static struct Advice {
    Text layouts;                    // the lines as read
    HashTable methods;               // of AdvisedMethod, by name
    uint64_t all_calls, some_calls;  // as the file says; sum of its lines
    bool has_calls;
    const char *option;    // the option that named the file: "-Xreplay"
    bool has_vm, foreign;  // a line `vm` was read; it names another VM
    bool passed_over;      // a line of an unknown kind was ignored, which has been reported
} advice;

static bool fail(Reader *r, const char *what, const char *word) {
    snprintf(r->error, r->size, "%s:%u: %s%s%.200s", r->path, r->line, what, word ? ": " : "", word ? word : "");
    return false;
}

// ---- words ---------------------------------------------------------------------------------------

// The next word; NULL at the end of the line.
static char *next_word(Reader *r) {
    char *word;
    do word = words_next(&r->rest, ' ', WORDS_PLAIN);
    while (word && !*word);
    return word;
}

static bool end_of_line(Reader *r) {
    char *word = next_word(r);
    return !word || fail(r, "unexpected", word);
}

static bool name_word(Reader *r, const char *what, const char **out) {
    *out = next_word(r);
    return *out || fail(r, "missing", what);
}

static bool number(Reader *r, const char *word, uint64_t most, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(word, &end, 10);
    if (*word >= '0' && *word <= '9' && !*end && errno == 0 && *out <= most) return true;
    return fail(r, "not a number that may stand here", word);
}

static bool count_word(Reader *r, uint64_t *out) {
    static const char key[] = "count=";
    char *word = next_word(r);
    if (!word || strncmp(word, key, sizeof key - 1) != 0) return fail(r, "missing", "count=");
    return number(r, word + sizeof key - 1, INT64_MAX, out) &&
        (*out > 0 || fail(r, "not a number that may stand here", word));
}

// In place. The name must not be empty.
static bool unescape(Reader *r, char *name) {
    ptrdiff_t length = text_unescape(name, strlen(name));
    if (length <= 0) return fail(r, "not a name", name);
    name[length] = 0;
    return strlen(name) == (size_t)length || fail(r, "not a name", name);
}

// ---- vm NAME KEY=VALUE... ------------------------------------------------------------------------

// The VM as a maker of files.
typedef struct Maker {
    char *library;  // malloc'd
    BuildId build;
} Maker;

static Maker this_vm(void) {
    Maker vm_here = {javahome_library_version(vm.java_home), buildid_of(&advice)};
    if (!vm_here.library) vm_here.library = strdup("?");
    if (!vm_here.library) grow_out_of_memory(2);
    return vm_here;
}

// `said` is the file's value, `here` this VM's.
static void compare(Text *differences, const char *what, const char *said, const char *here) {
    if (strcmp(said, here) == 0) return;
    text_put_string(differences, differences->length ? ", " : "");
    const char *const words[] = {what, " ", said, " instead of ", here};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) text_put_string(differences, words[i]);
}

static bool read_vm(Reader *r) {
    Text differences = {0};
    char *word = next_word(r);
    if (!word) return fail(r, "missing", "name");
    if (advice.has_vm) return fail(r, "a second line of this kind", NULL);
    if (!unescape(r, word)) return false;
    Maker here = this_vm();
    compare(&differences, "VM", word, CABERNET_NAME);
    bool good = true;
    while (good && (word = next_word(r))) {
        char *library = words_value_of(word, "library"), *build = words_value_of(word, "build");  // not the compiler's
        char *value = library ? library : build;
        good = value ? unescape(r, value) : strchr(word, '=') || fail(r, "not KEY=VALUE", word);
        if (good && library) compare(&differences, "class library", library, here.library);
        else if (good && build) compare(&differences, "build", build, here.build.digits);
    }
    if (good && differences.length) {
        text_put_char(&differences, 0);
        fprintf(stderr,
                "cabernet: %s: %s:%u: another VM has made this file: %.500s; "
                "what does not hold here is named and left out, by method\n",
                advice.option, r->path, r->line, differences.at);
        advice.foreign = true;
    }
    advice.has_vm = true;
    free(here.library);
    free(differences.at);
    return good;
}

// ---- layout CLASS FIELD... -----------------------------------------------------------------------

static bool read_layout(Reader *r) {
    FieldName *fields = NULL;
    uint32_t count = 0, room = 0;
    if (r->rest) {
        text_put_string(&advice.layouts, "layout ");
        text_put_string(&advice.layouts, r->rest);
        text_put_char(&advice.layouts, '\n');
    }
    char *cls = next_word(r);
    if (!cls) return fail(r, "missing", "class");
    if (!unescape(r, cls)) return false;
    for (char *word; (word = next_word(r)); count++) {
        if (count == MOST_FIELDS) return fail(r, "too many fields", NULL);
        GROW_OR_EXIT(fields, room, count + 1);
        char *desc = strchr(word, ':');
        if (!desc || !desc[1] || !strchr("ZBCSIJFDL[", desc[1])) return fail(r, "not a field NAME:TYPE", word);
        *desc++ = 0;
        fields[count] = (FieldName){word, desc};
        if (!unescape(r, word) || !unescape(r, desc)) return false;
        for (uint32_t i = 0; i < count; i++)
            if (strcmp(fields[i].name, word) == 0 && strcmp(fields[i].desc, desc) == 0)
                return fail(r, "a field that was there before", word);
    }
    if (count == 0) return fail(r, "missing", "fields");
    return fieldorder_add(cls, fields, count) || fail(r, "a second layout", cls);
}

// ---- calls ---------------------------------------------------------------------------------------

HASH_BY_STRING(by_name, AdvisedMethod, name);

static AdvisedMethod *find_method(const char *name) {
    return (AdvisedMethod *)hash_find(&advice.methods, &by_name, NULL, hash_string(name), name);
}

static AdvisedMethod *method_of(const char *name) {
    AdvisedMethod *m = find_method(name);
    if (m) return m;
    m = calloc(1, sizeof *m);
    if (!m) grow_out_of_memory(sizeof *m);
    m->name = name;
    hash_add_or_exit(&advice.methods, &by_name, NULL, hash_string(name), (uintptr_t)m);
    return m;
}

// METHOD BCI count=N NAME, in any order of the bytecode indexes. Rows are inserted in order at once: sorting the
// table later would have to keep the file's order.
static bool read_count(Reader *r, AdvisedMethod **method, AdvisedCount *out) {
    const char *name, *bci;
    uint64_t index;
    if (!name_word(r, "method", &name) || !name_word(r, "bytecode index", &bci) || !number(r, bci, MOST_BCI, &index) ||
        !count_word(r, &out->count) || !name_word(r, "name", &out->name) || !end_of_line(r))
        return false;
    out->bci = (uint32_t)index;
    *method = method_of(name);
    return true;
}

static void add_count(AdvisedCounts *c, AdvisedCount row) {
    GROW_OR_EXIT(c->rows, c->room, c->count + 1);
    uint32_t at = c->count++;
    for (; at > 0 && c->rows[at - 1].bci > row.bci; at--) c->rows[at] = c->rows[at - 1];
    c->rows[at] = row;
}

static bool read_edge(Reader *r) {
    AdvisedMethod *caller;
    AdvisedCount row;
    if (!read_count(r, &caller, &row)) return false;
    if (row.count > INT64_MAX - advice.some_calls) return fail(r, "too many calls", NULL);
    add_count(&caller->calls, row);
    method_of(row.name)->entries += row.count;
    advice.some_calls += row.count;
    advice.has_calls = true;
    return true;
}

static bool read_receiver(Reader *r) {
    AdvisedMethod *method;
    AdvisedCount row;
    if (!read_count(r, &method, &row)) return false;
    add_count(&method->receivers, row);
    return true;
}

static bool read_edges(Reader *r) {
    if (advice.all_calls) return fail(r, "a second line of this kind", NULL);
    return count_word(r, &advice.all_calls) && end_of_line(r);
}

// ---- files ---------------------------------------------------------------------------------------

static const struct LineKind {
    const char *word;
    bool (*read)(Reader *r);
} kinds[] = {
#define ADVICE_LINE(word, reader) {#word, reader},
#include "vm/api/advice_lines.def"
};

static bool read_line(Reader *r) {
    char *word = next_word(r);
    if (!word || *word == '#') return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, word) == 0) return !kinds[i].read || kinds[i].read(r);
    if (!advice.foreign) return fail(r, "unknown kind of line", word);
    if (!advice.passed_over)
        fprintf(stderr, "cabernet: %s: %s:%u: lines of kinds that are not known here are passed over: %.200s\n",
                advice.option, r->path, r->line, word);
    return advice.passed_over = true;
}

// The first line is not that of an advice file: reports which kind of file it is, as far as the line shows it.
static bool refuse_kind(Reader *r, const char *first) {
    const char *version = "";
    if (strncmp(first, ADVICE_NAME, sizeof ADVICE_NAME - 1) == 0 && first[sizeof ADVICE_NAME - 1] == ' ')
        version = first + sizeof ADVICE_NAME;
    if (*version && strspn(version, "0123456789") == strlen(version))
        return fail(r,
                    "not an advice file of this version of cabernet, which reads version " ADVICE_VERSION
                    "; this is version",
                    version);
    if (strncmp(first, "JvmtiExport ", 12) == 0 || strncmp(first, "version ", 8) == 0)
        return fail(r,
                    "not an advice file but a replay file of HotSpot's compiler, "
                    "which says nothing that this VM could follow",
                    NULL);
    return fail(r, NO_ADVICE, ADVICE_HEADER);
}

static bool read_lines(Reader *r, char *next) {
    for (char *end; *next; next = end + 1) {
        r->line++;
        end = strchr(next, '\n');
        if (!end) return fail(r, "the last line is not complete", NULL);
        *end = 0;
        r->rest = next;
        if (r->line == 1 && strcmp(next, ADVICE_HEADER) != 0) return refuse_kind(r, next);
        if (r->line > 1 && !read_line(r)) return false;
    }
    return r->line > 0 || fail(r, NO_ADVICE, ADVICE_HEADER);
}

bool advice_start(const Options *o, char *error, size_t size) {
    const char *why, *path = o->replay_file ? o->replay_file : o->advice;
    if (o->layout && !fieldorder_stress(o->layout, &why)) {
        snprintf(error, size, "-Xlayout:%s: %s", o->layout, why);
        return false;
    }
    if ((o->replay_file || o->replay_record) && o->interpret_only) {
        snprintf(error, size, "-Xreplay and -Xint exclude each other");
        return false;
    }
    if (o->replay_file && o->advice) {
        snprintf(error, size, "-Xreplay and -Xadvice exclude each other: a replay follows its file alone");
        return false;
    }
    advice.option = o->replay_file ? "-Xreplay" : "-Xadvice";
    if (!path) return true;
    int n = snprintf(error, size, "%s: ", advice.option);
    Reader r = {.path = path, .error = error + n, .size = size - (size_t)n};
    FILE *f = fopen(path, "rbe");
    Text text = {0};
    bool good = f && text_put_file(&text, f);
    if (!good) snprintf(r.error, r.size, "%s: %s", path, strerror(errno));
    if (f) fclose(f);
    if (good && strlen(text.at) != text.length) good = fail(&r, "it is no text", NULL);
    return good && read_lines(&r, text.at);
}

// ---- for the compiler (vm/api/advice.h) ------------------------------------------------------------

bool advice_has_calls(void) { return advice.has_calls; }

uint64_t advice_all_calls(void) { return advice.all_calls > advice.some_calls ? advice.all_calls : advice.some_calls; }

const AdvisedMethod *advice_of_method(const char *name) { return find_method(name); }

void advice_name_stale(const char *name, uint32_t bci, const char *what) {
    AdvisedMethod *m = find_method(name);
    if (m && !atomic_exchange(&m->named, true))
        fprintf(stderr,
                "cabernet: -Xadvice: %s is not what was profiled: %s at bytecode index %u; such lines are not used\n",
                name, what, bci);
}

bool advice_is_foreign(void) { return advice.foreign; }

void advice_print_vm(FILE *out, const char *compiler) {
    Text name = {0}, library = {0};
    Maker here = this_vm();
    text_put_escaped(&name, CABERNET_NAME, strlen(CABERNET_NAME), "");
    text_put_escaped(&library, here.library, strlen(here.library), "");
    fprintf(out, "vm %.*s library=%.*s build=%s compiler=%s\n", (int)name.length, name.at, (int)library.length,
            library.at, here.build.digits, compiler);
    free(name.at);
    free(library.at);
    free(here.library);
}

void advice_print_layouts(FILE *out) {
    if (advice.layouts.at) fputs(advice.layouts.at, out);
}
