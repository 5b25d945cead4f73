// JDK Flight Recorder recordings, by HotSpot, async-profiler or `export --jfr`: the stacks of their samples. A
// recording is a sequence of chunks. Each chunk describes its types in a metadata event. Values are laid out as the
// types say, without lengths, so unwanted values must be parsed to find what follows them. Constants (methods, stacks)
// are in further events, by number and type.
//
// The bytes are untrusted: every position is checked, and a step limit for each chunk prevents endless loops.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_problem.h"
#include "profiler/tool/import/prof_import.h"
#include "profiler/tool/import/prof_jfr_types.h"

enum { MOST_DEPTH = 24, MOST_FRAMES = 1 << 16, STEPS_A_BYTE = 16 };

// Layout of a value without fields.
typedef enum Layout { FIELDS, BYTE, NUMBER, FLOAT, DOUBLE, TEXT } Layout;

typedef struct Field {
    char *name;
    uint64_t type;
    bool in_pool, array;
} Field;

typedef struct Type {
    uint64_t id;
    char *name;
    Layout layout;
    Field *fields;
    size_t field_count, field_capacity;
    struct Constant {
        uint64_t key;
        size_t at;
    } * constants;  // by key
    size_t constant_count, constant_capacity;
    uint64_t *stacks;      // of stack traces, by constant: number of events with it
    uint32_t *numbers;     // of methods, by constant: 1 + number of the imported method
    ImportAnalysis *rows;  // the type's events are rows of this exported analysis;
    size_t analysis;       // its number
} Type;

typedef struct Reader {
    const uint8_t *data;  // the chunk
    size_t size, at;
    uint64_t steps;
    ProfProblem problem;
    Type *types;  // by id
    size_t type_count, type_capacity;
    char **texts;  // of the metadata
    size_t text_count;
    Import *b;
    ImportFrame *frames;
    size_t frame_capacity;
    uint64_t truncated;  // samples with a truncated stack
    uint64_t samples;
    bool counted;   // an exported profile: counts are in its events
    bool exported;  // it has rows of analyses other than stacks
} Reader;

// ---- values ------------------------------------------------------------------------------------

static uint64_t fixed(const uint8_t *p, int size) {
    uint64_t v = 0;
    for (int i = 0; i < size; i++) v = v << 8 | p[i];
    return v;
}

static uint8_t byte(Reader *r) {
    if (r->problem.found || r->at >= r->size) return prof_wrong(&r->problem, "cut off"), 0;
    return r->data[r->at++];
}

// LEB128, except that the ninth byte has eight bits.
static uint64_t number(Reader *r) {
    uint64_t v = 0;
    for (int i = 0; i < 9; i++) {
        uint8_t b = byte(r);
        if (i == 8) return v | (uint64_t)b << 56;
        v |= (uint64_t)(b & 0x7f) << 7 * i;
        if (!(b & 0x80)) break;
    }
    return v;
}

static void skip_bytes(Reader *r, uint64_t n) {
    if (r->problem.found || n > r->size - r->at) prof_wrong(&r->problem, "cut off");
    else r->at += (size_t)n;
}

// The number of items that follow; each takes at least one byte.
static size_t count_of(Reader *r, const char *what) {
    uint64_t n = number(r);
    if (!r->problem.found && n > r->size - r->at)
        prof_wrong(&r->problem, "%llu %s do not fit", (unsigned long long)n, what);
    return r->problem.found ? 0 : (size_t)n;
}

static char *text_of_characters(Reader *r, size_t n) {
    char *text = prof_alloc(3 * n + 1), *to = text;
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        unsigned c = (unsigned)number(r) & 0xffff;
        if (c < 0x80) *to++ = (char)c;
        else if (c < 0x800) *to++ = (char)(0xc0 | c >> 6), *to++ = (char)(0x80 | (c & 0x3f));
        else *to++ = (char)(0xe0 | c >> 12), *to++ = (char)(0x80 | (c >> 6 & 0x3f)), *to++ = (char)(0x80 | (c & 0x3f));
    }
    return text;
}

// A string, malloc'd; NULL: none, or a reference to the string constant *constant.
static char *string(Reader *r, uint64_t *constant) {
    uint8_t coding = byte(r);
    *constant = 0;
    if (r->problem.found || coding == JFR_NULL) return NULL;
    if (coding == JFR_CONSTANT) return *constant = number(r), NULL;
    size_t n = coding == JFR_EMPTY ? 0 : count_of(r, "bytes of text");
    if (coding == JFR_CHARACTERS) return text_of_characters(r, n);
    if (coding != JFR_EMPTY && coding != JFR_UTF8 && coding != JFR_LATIN1)
        return prof_wrong(&r->problem, "a string of coding %u", coding), NULL;
    char *text = prof_alloc(n + 1);
    if (n) memcpy(text, r->data + r->at, n);
    r->at += n;
    return text;
}

static Type *type_of(const Reader *r, uint64_t id) {
    size_t low = 0, high = r->type_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->types[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < r->type_count && r->types[low].id == id ? &r->types[low] : NULL;
}

static void skip_value(Reader *r, const Type *t, int depth);

static void skip_field(Reader *r, const Field *f, int depth) {
    const Type *t = f->in_pool ? NULL : type_of(r, f->type);
    size_t n = f->array ? count_of(r, "elements") : 1;
    if (!f->in_pool && !t)
        prof_wrong(&r->problem, "a field of type %llu, which is not described", (unsigned long long)f->type);
    for (size_t i = 0; i < n && !r->problem.found; i++) {
        if (f->in_pool) number(r);
        else skip_value(r, t, depth + 1);
    }
}

static void skip_value(Reader *r, const Type *t, int depth) {
    uint64_t constant;
    if (depth > MOST_DEPTH || r->steps == 0) prof_wrong(&r->problem, "values inside values without an end");
    if (r->problem.found) return;
    r->steps--;
    switch (t->layout) {
        case BYTE: byte(r); break;
        case NUMBER: number(r); break;
        case FLOAT: skip_bytes(r, 4); break;
        case DOUBLE: skip_bytes(r, 8); break;
        case TEXT: free(string(r, &constant)); break;
        case FIELDS:
            for (size_t i = 0; i < t->field_count && !r->problem.found; i++) skip_field(r, &t->fields[i], depth);
            break;
    }
}

// Moves to the field with this name in the value at the current position; NULL: there is none.
static const Field *go_to(Reader *r, const Type *t, const char *name) {
    for (size_t i = 0; i < t->field_count && !r->problem.found; i++) {
        if (strcmp(t->fields[i].name, name) == 0) return &t->fields[i];
        skip_field(r, &t->fields[i], 0);
    }
    return NULL;
}

// ---- constants ---------------------------------------------------------------------------------

static struct Constant *constant(const Type *t, uint64_t key) {
    return t && t->constant_count ? bsearch(&key, t->constants, t->constant_count, sizeof *t->constants, prof_by_number)
                                  : NULL;
}

// Moves to the constant that the field `name` of the value at `at` refers to. Returns its type; NULL: there is none.
static const Type *follow(Reader *r, const Type *t, size_t at, const char *name) {
    r->at = at;
    const Field *f = go_to(r, t, name);
    if (!f || r->problem.found || f->array) return NULL;
    const Type *to = type_of(r, f->type);
    if (!f->in_pool) return to;
    struct Constant *c = constant(to, number(r));
    if (!c) return NULL;
    r->at = c->at;
    return to;
}

// The text of a symbol or string field of the value at `at`, malloc'd; empty if missing.
static char *text_field(Reader *r, const Type *t, size_t at, const char *name) {
    uint64_t key = 0;
    const Type *to = follow(r, t, at, name);
    for (int i = 0; to && to->layout == FIELDS && to->field_count == 1 && i < MOST_DEPTH; i++)
        to = follow(r, to, r->at, to->fields[0].name);
    char *text = to && to->layout == TEXT ? string(r, &key) : NULL;
    struct Constant *c = key ? constant(to, key) : NULL;
    if (c) r->at = c->at, text = string(r, &key);
    return text ? text : prof_alloc(1);
}

// The constants of a checkpoint event.
static void take_constants(Reader *r, uint64_t type) {
    if (type != JFR_CHECKPOINT) return;
    number(r), number(r), number(r), byte(r);  // time, duration, distance to the previous checkpoint, flags
    size_t pools = count_of(r, "pools");
    for (size_t i = 0; i < pools && !r->problem.found; i++) {
        uint64_t id = number(r);
        Type *t = type_of(r, id);
        size_t n = count_of(r, "constants");
        if (!t) prof_wrong(&r->problem, "constants of type %llu, which is not described", (unsigned long long)id);
        for (size_t k = 0; k < n && !r->problem.found; k++) {
            uint64_t key = number(r);
            if (!GROW(t->constants, t->constant_capacity, t->constant_count + 1)) prof_out_of_memory();
            t->constants[t->constant_count++] = (struct Constant){key, r->at};
            skip_value(r, t, 0);
        }
    }
}

// ---- metadata ----------------------------------------------------------------------------------

typedef struct Element {
    const char *name, *type_name, *id, *class_id, *pool, *dimension;
} Element;

static const char *text_at(Reader *r) {
    uint64_t i = number(r);
    if (!r->problem.found && i >= r->text_count)
        prof_wrong(&r->problem, "the metadata have no text %llu", (unsigned long long)i);
    return r->problem.found || !r->texts[i] ? "" : r->texts[i];
}

static Element element(Reader *r) {
    Element e = {.name = text_at(r), .type_name = ""};
    size_t attributes = count_of(r, "attributes");
    for (size_t i = 0; i < attributes && !r->problem.found; i++) {
        const char *key = text_at(r), *value = text_at(r);
        if (strcmp(key, "name") == 0) e.type_name = value;
        else if (strcmp(key, "id") == 0) e.id = value;
        else if (strcmp(key, "class") == 0) e.class_id = value;
        else if (strcmp(key, "constantPool") == 0) e.pool = value;
        else if (strcmp(key, "dimension") == 0) e.dimension = value;
    }
    return e;
}

static char *copy_of(const char *text) {
    char *copy = strdup(text);
    if (!copy) prof_out_of_memory();
    return copy;
}

static Layout layout_of(const char *name) {
    static const struct {
        const char *name;
        Layout layout;
    } known[] = {
        {"boolean", BYTE}, {"byte", BYTE},   {"char", NUMBER},   {"short", NUMBER},          {"int", NUMBER},
        {"long", NUMBER},  {"float", FLOAT}, {"double", DOUBLE}, {"java.lang.String", TEXT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].layout;
    return FIELDS;
}

// Reads nested elements; `type`: number of the type that their fields belong to, from 1.
static void read_elements(Reader *r, size_t type, int depth) {
    Element e = element(r);
    if (depth > MOST_DEPTH) prof_wrong(&r->problem, "metadata without an end");
    if (r->problem.found) return;
    if (strcmp(e.name, "class") == 0 && e.id) {
        if (!GROW(r->types, r->type_capacity, r->type_count + 1)) prof_out_of_memory();
        r->types[r->type_count++] = (Type){
            .id = strtoull(e.id, NULL, 10), .name = copy_of(e.type_name), .layout = layout_of(e.type_name)};
        type = r->type_count;
    } else if (strcmp(e.name, "field") == 0 && type && e.class_id) {
        Type *t = &r->types[type - 1];
        if (!GROW(t->fields, t->field_capacity, t->field_count + 1)) prof_out_of_memory();
        t->fields[t->field_count++] = (Field){copy_of(e.type_name), strtoull(e.class_id, NULL, 10),
                                              e.pool && strcmp(e.pool, "true") == 0,
                                              e.dimension && strcmp(e.dimension, "0") != 0};
        type = 0;
    }
    size_t children = count_of(r, "elements");
    for (size_t i = 0; i < children && !r->problem.found; i++) read_elements(r, type, depth + 1);
}

static void read_metadata(Reader *r, uint64_t at) {
    uint64_t constant;
    if (at >= r->size) prof_wrong(&r->problem, "the metadata are not there");
    if (r->problem.found) return;
    r->at = (size_t)at;
    number(r);
    if (number(r) != JFR_METADATA) prof_wrong(&r->problem, "the metadata are not where they should be");
    number(r), number(r), number(r);  // time, duration, number
    size_t n = count_of(r, "texts");
    r->texts = prof_alloc(n * sizeof *r->texts);
    for (; r->text_count < n && !r->problem.found; r->text_count++) r->texts[r->text_count] = string(r, &constant);
    if (!r->problem.found) read_elements(r, 0, 0);
    if (r->type_count) qsort(r->types, r->type_count, sizeof *r->types, prof_by_number);
}

// ---- events ------------------------------------------------------------------------------------

static void each_event(Reader *r, void (*take)(Reader *r, uint64_t type)) {
    for (size_t at = JFR_HEADER; at < r->size && !r->problem.found;) {
        r->at = at;
        uint64_t size = number(r), type = number(r);
        if (!r->problem.found && (size < r->at - at || size > r->size - at))
            prof_wrong(&r->problem, "an event of %llu bytes", (unsigned long long)size);
        if (!r->problem.found) take(r, type);
        at += (size_t)size;
    }
}

// Was the class loaded by the application class loader or by one of the program's?
static bool is_application(Reader *r, const Type *class_type, size_t at) {
    const Type *loader = follow(r, class_type, at, "classLoader");
    if (!loader) return false;
    size_t loader_at = r->at;
    char *name = text_field(r, loader, loader_at, "name");
    const Type *type = follow(r, loader, loader_at, "type");
    bool application = strcmp(name, "bootstrap") != 0 && strcmp(name, "platform") != 0 && (type || *name);
    free(name);
    return application;
}

static uint32_t method_at(Reader *r, const Type *method, size_t at) {
    char *name = text_field(r, method, at, "name"), *descriptor = text_field(r, method, at, "descriptor");
    const Type *type = follow(r, method, at, "type");
    size_t class_at = r->at;
    char *class_name = type ? text_field(r, type, class_at, "name") : prof_alloc(1);
    uint32_t flags = type && is_application(r, type, class_at) ? FORMAT_METHOD_APPLICATION : 0;
    for (char *p = class_name; (p = strchr(p, '.')) != NULL;) *p = '/';
    uint32_t number = import_method(r->b, class_name, name, descriptor, *class_name ? flags : FORMAT_METHOD_UNKNOWN);
    free(name), free(descriptor), free(class_name);
    return number;
}

// The number of the method that a constant describes; 0 with *problem.
static uint32_t method_of(Reader *r, Type *method, const struct Constant *c) {
    if (!method->numbers) method->numbers = prof_alloc(method->constant_count * sizeof *method->numbers);
    uint32_t *known = &method->numbers[c - method->constants];
    if (!*known) *known = method_at(r, method, c->at) + 1;
    return *known - 1;
}

static int64_t number_field(Reader *r, const Type *t, size_t at, const char *name) {
    r->at = at;
    const Field *f = go_to(r, t, name);
    const Type *type = f ? type_of(r, f->type) : NULL;
    return type && type->layout == NUMBER && !f->in_pool && !f->array ? (int64_t)number(r) : -1;
}

// The method that the field `name` of the value at `at` refers to. False: there is none.
static bool method_field(Reader *r, const Type *t, size_t at, const char *name, uint32_t *out) {
    r->at = at;
    const Field *f = go_to(r, t, name);
    Type *method = f && !f->array ? type_of(r, f->type) : NULL;
    if (!method || r->problem.found) return false;
    if (!f->in_pool) return *out = method_at(r, method, r->at), true;
    const struct Constant *c = constant(method, number(r));
    if (c) *out = method_of(r, method, c);
    return c != NULL;
}

// A line or bytecode index is 32 bits; -1: none.
static int64_t small_field(Reader *r, const Type *t, size_t at, const char *name) {
    int32_t v = (int32_t)number_field(r, t, at, name);
    return v < 0 ? -1 : v;
}

// Adds the stack at `at` with `count` samples.
static void take_stack(Reader *r, const Type *trace, size_t at, uint64_t count) {
    const size_t called_by = strlen(JFR_CALLED_BY);
    r->at = at;
    const Field *cut = go_to(r, trace, "truncated");
    const Type *boolean = cut ? type_of(r, cut->type) : NULL;
    if (boolean && boolean->layout == BYTE && byte(r)) r->truncated += count;
    r->at = at;
    const Field *f = go_to(r, trace, "frames");
    const Type *frame = f && f->array && !f->in_pool ? type_of(r, f->type) : NULL;
    size_t n = frame ? count_of(r, "frames") : 0, depth = 0;
    if (n > MOST_FRAMES) prof_wrong(&r->problem, "a stack of %zu frames", n);
    if (!GROW(r->frames, r->frame_capacity, n + 1)) prof_out_of_memory();
    for (size_t i = 0, next = r->at; i < n && !r->problem.found; i++) {
        size_t frame_at = next;
        r->at = frame_at;
        skip_value(r, frame, 0);
        next = r->at;
        int64_t line = small_field(r, frame, frame_at, "lineNumber"),
                bci = small_field(r, frame, frame_at, "bytecodeIndex");
        uint32_t caller = 0, number;  // caller: 1 + number of the pseudo-caller that the frame's type names
        char *type = r->counted ? text_field(r, frame, frame_at, "type") : NULL;
        if (type && strncmp(type, JFR_CALLED_BY, called_by) == 0)
            caller = import_method(r->b, "", type + called_by, "", FORMAT_METHOD_PSEUDO) + 1;
        free(type);
        if (!method_field(r, frame, frame_at, "method", &number)) continue;
        r->frames[depth++] = (ImportFrame){number, bci, line > 0 ? line : -1, caller};
    }
    if (depth && !r->problem.found) import_stack(r->b, r->frames, depth, count, !r->counted);
}

// Event types that are samples: one sample each, or as many as the field `count` says.
static const struct {
    const char *name, *count;
} sample_events[] = {
    {JFR_STACK_EVENT, "count"},
    {"jdk.ExecutionSample", NULL},
    {"jdk.CPUTimeSample", NULL},
};

static void take_meta(Reader *r, const Type *t, size_t at) {
    char *key = text_field(r, t, at, "key"), *value = text_field(r, t, at, "value");
    if (!r->problem.found) import_meta(r->b, key, value);
    free(key), free(value);
}

// ---- an exported profile -----------------------------------------------------------------------

// Method data that JFR's method type does not have.
static void take_method(Reader *r, const Type *t, size_t at) {
    r->at = at;
    const Field *f = go_to(r, t, "method");
    Type *method = f && f->in_pool && !f->array ? type_of(r, f->type) : NULL;
    const struct Constant *c = method ? constant(method, number(r)) : NULL;
    if (!c || r->problem.found) return;
    if (!method->numbers) method->numbers = prof_alloc(method->constant_count * sizeof *method->numbers);
    char *holder = text_field(r, t, at, "holder"), *descriptor = text_field(r, t, at, "descriptor"),
         *source = text_field(r, t, at, "source");
    char *name = text_field(r, method, c->at, "name");
    uint32_t number = import_method(r->b, holder, name, descriptor, (uint32_t)number_field(r, t, at, "flags"));
    if (*source) import_source(r->b, number, source);
    method->numbers[c - method->constants] = number + 1;
    free(holder), free(descriptor), free(source), free(name);
}

static void take_field(Reader *r, const Type *t, size_t at) {
    char *text = text_field(r, t, at, "field"), *holder = text_field(r, t, at, "holder");
    char *name = text_field(r, t, at, "name"), *descriptor = text_field(r, t, at, "descriptor");
    import_field(r->b, text, holder, name, descriptor, (uint32_t)number_field(r, t, at, "flags"));
    free(text), free(holder), free(name), free(descriptor);
}

static void take_class(Reader *r, const Type *t, size_t at) {
    char *name = text_field(r, t, at, "name"), *origin = text_field(r, t, at, "origin");
    import_class(r->b, name, (uint32_t)number_field(r, t, at, "crc"), (uint64_t)number_field(r, t, at, "size"), origin);
    free(name), free(origin);
}

// Parses columns, "1 caller,2 bci". False: malformed.
static bool read_columns(ImportAnalysis *a, char *text) {
    char *rest = NULL;
    for (char *column = strtok_r(text, ",", &rest); column; column = strtok_r(NULL, ",", &rest)) {
        struct ImportColumn *to = &a->columns[a->column_count];
        char *name;
        if (a->column_count == FORMAT_MAX_COLUMNS) return false;
        unsigned long kind = strtoul(column, &name, 10);
        if (*name++ != ' ' || kind < FORMAT_COLUMN_METHOD || kind > FORMAT_COLUMN_LAST) return false;
        to->kind = (uint32_t)kind;
        snprintf(to->name, sizeof to->name, "%s", name);
        a->column_count++;
    }
    return a->column_count > 0;
}

// The type of a row event has a time, the columns and a count.
static void take_analysis(Reader *r, const Type *t, size_t at) {
    char *name = text_field(r, t, at, "name"), *event = text_field(r, t, at, "event"),
         *columns = text_field(r, t, at, "columns");
    ImportAnalysis a = {.name = name, .event = event, .lost = (uint64_t)number_field(r, t, at, "lost")};
    Type *of = type_of(r, (uint64_t)number_field(r, t, at, "type"));
    bool fits = of && !of->rows && read_columns(&a, columns), tree = import_is_tree(&a);
    // Only a tree has nodes: its first two columns.
    for (uint32_t c = 0; c < a.column_count; c++) fits &= (a.columns[c].kind == FORMAT_COLUMN_NODE) == (tree && c < 2);
    if (r->problem.found || !fits) {
        prof_wrong(&r->problem, "an analysis that cannot be");
    } else if (strcmp(of->name, JFR_STACK_EVENT) == 0) {
        import_stacks_of(r->b, &a);
    } else if (of->field_count != a.column_count + 2u) {
        prof_wrong(&r->problem, "%s has other columns than its events", name);
    } else {
        of->rows = prof_alloc(sizeof *of->rows);
        *of->rows = a;
        of->rows->name = of->rows->event = NULL;
        of->analysis = import_analysis(r->b, &a);
        r->exported = true;
    }
    free(name), free(event), free(columns);
}

static uint64_t read_cell(Reader *r, const Field *f, uint32_t kind) {
    Type *t = type_of(r, f->type);
    if (kind == FORMAT_COLUMN_METHOD && f->in_pool && t) {
        const struct Constant *c = constant(t, number(r));
        size_t next = r->at;
        uint32_t method = c ? method_of(r, t, c) : 0;
        r->at = next;
        return method;
    }
    if (kind != FORMAT_COLUMN_METHOD && t && !f->in_pool && !f->array) {
        uint64_t constant;
        bool text = kind == FORMAT_COLUMN_FIELD || kind == FORMAT_COLUMN_WORD;
        if (!text && t->layout == NUMBER) return number(r);
        if (text && t->layout == TEXT) {
            char *word = string(r, &constant);
            uint64_t cell = kind == FORMAT_COLUMN_FIELD ? import_field_called(r->b, word ? word : "")
                                                        : import_string(r->b, word ? word : "");
            free(word);
            return cell;
        }
    }
    prof_wrong(&r->problem, "a column of another type");
    return 0;
}

static void take_run(Reader *r, const Type *t, size_t at) {
    char *arguments = text_field(r, t, at, "javaArguments"), *vm = text_field(r, t, at, "jvmName");
    if (*arguments) import_meta(r->b, "command", arguments);
    if (*vm) import_meta(r->b, "vm", vm);
    free(arguments), free(vm);
}

// Events that are neither rows nor samples.
static const struct {
    const char *name;
    void (*take)(Reader *r, const Type *t, size_t at);
} facts[] = {
    {JFR_META_EVENT, take_meta},   {"jdk.JVMInformation", take_run}, {JFR_METHOD_EVENT, take_method},
    {JFR_FIELD_EVENT, take_field}, {JFR_CLASS_EVENT, take_class},    {JFR_ANALYSIS_EVENT, take_analysis},
};

// Sums samples by stack first, because there are more events than stacks.
static void take_event(Reader *r, uint64_t id) {
    const Type *t = type_of(r, id);
    size_t at = r->at;
    if (!t || id == JFR_METADATA || id == JFR_CHECKPOINT) return;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(t->name, facts[i].name) == 0) facts[i].take(r, t, at);
    if (t->rows) {
        uint64_t cells[FORMAT_MAX_COLUMNS + 1] = {0};
        uint32_t n = t->rows->column_count;
        skip_field(r, &t->fields[0], 0);
        for (uint32_t c = 0; c < n && !r->problem.found; c++)
            cells[c] = read_cell(r, &t->fields[c + 1], t->rows->columns[c].kind);
        cells[n] = read_cell(r, &t->fields[n + 1], FORMAT_COLUMN_NUMBER);
        if (!r->problem.found) import_row(r->b, t->analysis, cells);
    }
    for (size_t i = 0; i < sizeof sample_events / sizeof *sample_events; i++) {
        // An export of this program repeats samples of time after its own events.
        if (strcmp(t->name, sample_events[i].name) != 0 || (i > 0 && r->counted)) continue;
        int64_t count = sample_events[i].count ? number_field(r, t, at, sample_events[i].count) : 1;
        r->at = at;
        const Field *f = go_to(r, t, "stackTrace");
        Type *trace = f && f->in_pool ? type_of(r, f->type) : NULL;
        struct Constant *c = trace ? constant(trace, number(r)) : NULL;
        if (r->problem.found || !c || count < 0) return;
        if (!trace->stacks) trace->stacks = prof_alloc(trace->constant_count * sizeof *trace->stacks);
        trace->stacks[c - trace->constants] += (uint64_t)count;
        r->samples += (uint64_t)count;
        r->counted |= i == 0;
    }
}

// ---- chunks ------------------------------------------------------------------------------------

static void free_chunk(Reader *r) {
    for (size_t i = 0; i < r->type_count; i++) {
        Type *t = &r->types[i];
        for (size_t k = 0; k < t->field_count; k++) free(t->fields[k].name);
        free(t->name), free(t->fields), free(t->constants), free(t->stacks), free(t->numbers), free(t->rows);
    }
    for (size_t i = 0; i < r->text_count; i++) free(r->texts[i]);
    free(r->types), free(r->texts);
    r->types = NULL, r->texts = NULL;
    r->type_count = r->type_capacity = r->text_count = 0;
}

static void read_chunk(Reader *r) {
    r->steps = (uint64_t)r->size * STEPS_A_BYTE;
    if (!(r->data[JFR_FLAGS] & JFR_COMPRESSED))
        prof_wrong(&r->problem, "numbers of fixed length, which no JDK from 9 on writes");
    read_metadata(r, fixed(r->data + JFR_METADATA_AT, 8));
    each_event(r, take_constants);
    for (size_t i = 0; i < r->type_count; i++) {  // where a constant was written twice, either copy will do
        Type *t = &r->types[i];
        if (t->constant_count) qsort(t->constants, t->constant_count, sizeof *t->constants, prof_by_number);
    }
    each_event(r, take_event);
    Type *trace = NULL;
    for (size_t i = 0; i < r->type_count && !trace; i++)
        if (strcmp(r->types[i].name, "jdk.types.StackTrace") == 0) trace = &r->types[i];
    for (size_t i = 0; trace && trace->stacks && i < trace->constant_count && !r->problem.found; i++)
        if (trace->stacks[i]) take_stack(r, trace, trace->constants[i].at, trace->stacks[i]);
    free_chunk(r);
}

bool is_jfr(const uint8_t *data, size_t size) { return size >= JFR_HEADER && memcmp(data, JFR_MAGIC, 4) == 0; }

bool import_jfr(Import *b, const uint8_t *data, size_t size, char *problem, size_t problem_size) {
    Reader r = {.b = b, .problem = {.text = problem, .size = problem_size}};
    char text[32];
    for (size_t at = 0; at < size && !r.problem.found;) {
        uint64_t length = size - at >= JFR_HEADER ? fixed(data + at + JFR_CHUNK_SIZE, 8) : 0;
        snprintf(r.problem.where, sizeof r.problem.where, "JFR chunk at byte %zu", at);
        r.data = data + at;
        r.size = (size_t)length;
        if (length < JFR_HEADER || length > size - at || !is_jfr(data + at, size - at))
            prof_wrong(&r.problem, "cut off, or no chunk");
        else if (fixed(data + at + 4, 2) != 2)
            prof_wrong(&r.problem, "version %u; this program reads 2", (unsigned)fixed(data + at + 4, 2));
        else read_chunk(&r);
        at += (size_t)length;
    }
    free(r.frames);
    if (!r.problem.found && !r.samples && !r.exported)
        prof_wrong(&r.problem, "no samples with stacks (jdk.ExecutionSample, jdk.CPUTimeSample)");
    if (r.problem.found) return false;
    import_meta(b, "import", "a JFR recording");
    if (!r.counted && !r.exported) import_meta(b, "sampling", "imported");
    snprintf(text, sizeof text, "%llu", (unsigned long long)r.truncated);
    if (r.truncated) import_meta(b, "stacks-truncated", text);
    return true;
}
