// `cabernet-prof trace FILE`: a trace of threads (profiler/concurrency/trace.h) as Chrome trace event JSON, which
// Perfetto opens. Waits, held monitors, tasks and times on a processor are slices of their threads; wakes and marks are
// instants.
//
// The records are untrusted. Each is handled on its own; slices without an end are closed at the end of the trace.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/concurrency/trace.h"
#include "profiler/tool/export/prof_export.h"

typedef struct Names {
    char **text;
    uint32_t capacity;
} Names;

typedef struct Trace {
    const char *path;
    const uint8_t *data;
    size_t size;
    Names classes, places, marks;
    FILE *out;
    bool any, ended;
    uint32_t *open;  // by thread: slices that have begun
    uint32_t open_capacity;
    uint64_t last;  // the latest time, in nanoseconds
} Trace;

enum { MAX_ID = 1 << 24 };

static void name(Names *n, uint32_t id, const uint8_t *text, uint32_t length) {
    if (id >= MAX_ID) return;
    if (!GROW_ZEROED(n->text, n->capacity, id + 1)) prof_out_of_memory();
    free(n->text[id]);
    n->text[id] = strndup((const char *)text, length);
}

static const char *named(const Names *n, uint32_t id) { return id < n->capacity && n->text[id] ? n->text[id] : "?"; }

static void put_string(FILE *out, const char *text, size_t length) {
    putc('"', out);
    for (size_t i = 0; i < length && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else putc(c == '/' ? '.' : c, out);
    }
    putc('"', out);
}

static void begin(Trace *t, const TraceRecord *r, char phase, const char *what) {
    fprintf(t->out, "%s\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"ts\":%llu.%03llu,\"name\":", t->any ? "," : "", phase,
            r->thread, (unsigned long long)(r->at / 1000), (unsigned long long)(r->at % 1000));
    put_string(t->out, what, strlen(what));
    t->any = true;
}

static void end(Trace *t, const char *key, const char *text) {
    if (key) {
        fprintf(t->out, ",\"args\":{\"%s\":", key);
        put_string(t->out, text, strlen(text));
        putc('}', t->out);
    }
    putc('}', t->out);
}

static void thread_name(Trace *t, const TraceRecord *r, const uint8_t *text) {
    fprintf(t->out,
            "%s\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":", t->any ? "," : "",
            r->thread);
    put_string(t->out, (const char *)text, r->a);
    fputs("}}", t->out);
    t->any = true;
}

// Slices of one thread must nest, but waits and held monitors may overlap. Held monitors are therefore asynchronous
// slices.
static void holding(Trace *t, const TraceRecord *r, char phase) {
    begin(t, r, phase, named(&t->classes, r->b));
    fprintf(t->out, ",\"cat\":\"lock\",\"id\":%llu", (unsigned long long)r->thread << 32 | r->b);
    end(t, "place", named(&t->places, r->c));
}

static void slice_begin(Trace *t, const TraceRecord *r, const char *what, const char *place) {
    if (r->thread >= MAX_ID) return;
    if (!GROW_ZEROED(t->open, t->open_capacity, r->thread + 1)) prof_out_of_memory();
    t->open[r->thread]++;
    begin(t, r, 'B', what);
    end(t, place ? "place" : NULL, place);
}

// A slice that had begun before the trace is left out.
static void slice_end(Trace *t, const TraceRecord *r, const char *what) {
    if (r->thread >= t->open_capacity || !t->open[r->thread]) return;
    t->open[r->thread]--;
    begin(t, r, 'E', what);
    end(t, NULL, NULL);
}

// Slices that have not ended, such as the waits of service threads, end with the trace.
static void end_slices(Trace *t) {
    for (uint32_t thread = 0; thread < t->open_capacity; thread++)
        while (t->open[thread]) slice_end(t, &(TraceRecord){.at = t->last, .thread = thread}, "");
}

static void put_record(Trace *t, const TraceRecord *r, const uint8_t *text) {
    static const char *const waits[] = {"?", "monitor ", "wait ", "park ", "sleep"};
    char what[600];
    if (r->at > t->last) t->last = r->at;
    snprintf(what, sizeof what, "%s%.500s", waits[r->a < 5 ? r->a : 0], r->b ? named(&t->classes, r->b) : "");
    switch ((TraceKind)r->kind) {
        case TRACE_THREAD: thread_name(t, r, text); break;
        case TRACE_BLOCK: slice_begin(t, r, what, named(&t->places, r->c)); break;
        case TRACE_UNBLOCK: slice_end(t, r, what); break;
        case TRACE_WAKE:
            snprintf(what, sizeof what, "wakes thread %u", r->c), begin(t, r, 'i', what), end(t, NULL, NULL);
            break;
        case TRACE_HOLD: holding(t, r, 'b'); break;
        case TRACE_RELEASE: holding(t, r, 'e'); break;
        case TRACE_TASK_BEGIN: slice_begin(t, r, named(&t->classes, r->b), NULL); break;
        case TRACE_TASK_END: slice_end(t, r, named(&t->classes, r->b)); break;
        case TRACE_STOP_BEGIN: slice_begin(t, r, "world stopped", NULL); break;
        case TRACE_STOP_END: slice_end(t, r, "world stopped"); break;
        case TRACE_MARK: begin(t, r, 'i', named(&t->marks, r->b)), end(t, NULL, NULL); break;
        case TRACE_END: t->ended = true; break;
        case TRACE_THREAD_END:
        case TRACE_ON:
        case TRACE_OFF:
        case TRACE_CLASS_NAME:
        case TRACE_PLACE_NAME:
        case TRACE_MARK_NAME: break;
    }
}

// Calls `take` for each record. False: the trace is truncated.
static bool each(Trace *t, void (*take)(Trace *t, const TraceRecord *r, const uint8_t *text)) {
    for (size_t at = TRACE_HEADER; at < t->size;) {
        TraceRecord r;
        if (t->size - at < sizeof r) return false;
        memcpy(&r, t->data + at, sizeof r);
        at += sizeof r;
        bool has_text = r.kind == TRACE_THREAD || (r.kind >= TRACE_CLASS_NAME && r.kind <= TRACE_MARK_NAME);
        size_t text = has_text ? ((size_t)r.a + TRACE_RECORD - 1) / TRACE_RECORD * TRACE_RECORD : 0;
        if (text > t->size - at) return false;
        take(t, &r, t->data + at);
        at += text;
    }
    return true;
}

static void take_name(Trace *t, const TraceRecord *r, const uint8_t *text) {
    Names *n = r->kind == TRACE_CLASS_NAME ? &t->classes
        : r->kind == TRACE_PLACE_NAME      ? &t->places
        : r->kind == TRACE_MARK_NAME       ? &t->marks
                                           : NULL;
    if (n) name(n, r->b, text, r->a);
}

static void free_names(Names *n) {
    for (uint32_t i = 0; i < n->capacity; i++) free(n->text[i]);
    free(n->text);
}

int prof_trace(const char *path, FILE *out) {
    size_t size;
    char problem[256];
    uint8_t *data = prof_load(path, &size, problem, sizeof problem);
    uint32_t header[2] = {0};
    if (data && size >= TRACE_HEADER && memcmp(data, TRACE_MAGIC, 8) == 0) memcpy(header, data + 8, sizeof header);
    Trace t = {.path = path, .data = data, .size = size, .out = out};
    if (header[0] != TRACE_VERSION || header[1] != TRACE_RECORD) {
        fprintf(stderr, "cabernet-prof: %s: %s\n", path, data ? "not a trace of this version" : problem);
        free(data);
        return 2;
    }
    bool whole = each(&t, take_name);
    fputs("{\"traceEvents\":[", out);
    whole &= each(&t, put_record) && t.ended;
    end_slices(&t);
    fputs("\n]}\n", out);
    if (!whole) fprintf(stderr, "cabernet-prof: %s is cut off; what could be read was printed\n", path);
    free_names(&t.classes);
    free_names(&t.places);
    free_names(&t.marks);
    free(t.open);
    free(data);
    return whole ? 0 : 2;
}
