// `cabernet-prof export --pprof`: the call tree as a pprof profile: a protocol buffer (profile.proto of
// github.com/google/pprof; the wire format of protobuf.dev), compressed by gzip. It uses only two kinds of fields,
// varints and bytes, and is written message by message. A sample is a row of the tree, innermost location first; a
// location is a method and the line of its call to the next; the label `thread` has the thread's name.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "profiler/tool/base/prof_bytes.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

// Field numbers, by message.
enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    LOCATION = 4,
    FUNCTION = 5,
    STRING_TABLE = 6,
    TIME_NANOS = 9,
    DURATION_NANOS = 10,
    COMMENT = 13
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

// The string table: fixed texts, the first empty, then three for each method, then the names of threads.
enum { TEXT_EMPTY, TEXT_ENTRIES, TEXT_COUNT, TEXT_COMMENT, TEXT_THREAD, TEXT_METHODS };
enum { METHOD_NAME, METHOD_EXACT, METHOD_FILE, METHOD_TEXTS };

typedef struct Writer {
    const ProfFile *f;
    const ProfStacks *s;
    FILE *out;
    z_stream zip;
    Bytes message, inner;
    ProfLocations locations;
} Writer;

// ---- bytes -------------------------------------------------------------------------------------

static void compress_bytes(Writer *w, const uint8_t *bytes, size_t size, int flush) {
    uint8_t out[1 << 14];
    w->zip.next_in = (uint8_t *)bytes;
    w->zip.avail_in = (uInt)size;
    do {
        w->zip.next_out = out;
        w->zip.avail_out = sizeof out;
        deflate(&w->zip, flush);
        fwrite(out, 1, sizeof out - w->zip.avail_out, w->out);
    } while (w->zip.avail_out == 0);
}

// Writes the message as a field of the profile.
static void write_message(Writer *w, int field) {
    Bytes head = {0};
    bytes_varint(&head, (uint64_t)field << 3 | WIRE_BYTES);
    bytes_varint(&head, w->message.size);
    compress_bytes(w, prof_bytes(&head), head.size, Z_NO_FLUSH);
    compress_bytes(w, prof_bytes(&w->message), w->message.size, Z_NO_FLUSH);
    w->message.size = 0;
    free(head.data);
}

static void write_number(Writer *w, int field, uint64_t v) {
    proto_number(&w->message, field, v);
    compress_bytes(w, prof_bytes(&w->message), w->message.size, Z_NO_FLUSH);
    w->message.size = 0;
}

static void write_string(Writer *w, const char *text) {
    bytes_put(&w->message, text, strlen(text));
    write_message(w, STRING_TABLE);
}

// ---- the profile -------------------------------------------------------------------------------

// The stack of a row with a count; `thread`: of that thread alone. SIZE_MAX: not known.
static void write_sample(Writer *w, size_t row, uint64_t count, size_t thread) {
    const ProfStacks *s = w->s;
    uint64_t tick = prof_tick_ns(w->f, s->a);
    bytes_varint(&w->inner, w->locations.entered[row]);
    for (size_t r = row; s->parents[r] != PROF_NO_ROW; r = s->parents[r])
        bytes_varint(&w->inner, w->locations.calling[r]);
    proto_message(&w->message, SAMPLE_LOCATIONS, &w->inner);
    bytes_varint(&w->inner, count * (tick ? tick : 1));
    proto_message(&w->message, SAMPLE_VALUES, &w->inner);
    if (thread != SIZE_MAX) {
        proto_number(&w->inner, LABEL_KEY, TEXT_THREAD);
        proto_number(&w->inner, LABEL_TEXT, TEXT_METHODS + w->f->method_count * METHOD_TEXTS + thread);
        proto_message(&w->message, SAMPLE_LABEL, &w->inner);
    }
    write_message(w, SAMPLE);
}

// A sample for each thread that has the stack. Counts of no thread, as in an import, have no label.
static void write_samples(Writer *w, const ProfFile *f, const ProfOptions *o) {
    size_t count, at = 0;
    ProfThreadCount *counts = prof_stacks_by_thread(f, o, w->s, &count);
    for (size_t i = 0; i < w->s->rows && !ferror(w->out); i++) {
        uint64_t left = w->s->counts[i];
        for (; at < count && counts[at].row == i; at++) {
            write_sample(w, i, counts[at].count, counts[at].thread);
            left -= counts[at].count < left ? counts[at].count : left;
        }
        if (left) write_sample(w, i, left, SIZE_MAX);
    }
    free(counts);
}

static void write_locations(Writer *w) {
    for (size_t i = 0; i < w->locations.count; i++) {
        proto_number(&w->message, LOCATION_ID, i + 1);
        proto_number(&w->inner, LINE_FUNCTION, w->locations.list[i].method + 1u);
        proto_number(&w->inner, LINE_LINE, w->locations.list[i].line);
        proto_message(&w->message, LOCATION_LINE, &w->inner);
        write_message(w, LOCATION);
    }
}

static void write_functions(Writer *w) {
    for (size_t m = 0; m < w->f->method_count; m++) {
        proto_number(&w->message, FUNCTION_ID, m + 1);
        proto_number(&w->message, FUNCTION_NAME, TEXT_METHODS + m * METHOD_TEXTS + METHOD_NAME);
        proto_number(&w->message, FUNCTION_SYSTEM_NAME, TEXT_METHODS + m * METHOD_TEXTS + METHOD_EXACT);
        proto_number(&w->message, FUNCTION_FILE, TEXT_METHODS + m * METHOD_TEXTS + METHOD_FILE);
        write_message(w, FUNCTION);
    }
}

// pprof demangles a name that equals its system name, and of <compiler> leaves nothing.
static void write_system_name(Writer *w, const char *name, const char *exact) {
    char *other = NULL;
    if (strcmp(name, exact) == 0 && asprintf(&other, "cabernet.%s", exact) < 0) prof_out_of_memory();
    write_string(w, other ? other : exact);
    free(other);
}

static void write_texts(Writer *w) {
    char **names = prof_names(w->f, "");
    write_string(w, "");
    bool time = prof_tick_ns(w->f, w->s->a) != 0, bytes = prof_samples_bytes(w->s->a);
    write_string(w,
                 time                        ? w->s->a->name
                     : bytes                 ? "alloc_space"  // pprof's name of it
                     : prof_is_sampled(w->f) ? "sampled_entries"
                                             : "entries");
    write_string(w, time ? "nanoseconds" : bytes ? "bytes" : "count");
    write_string(w, prof_meta(w->f, "command", ""));
    write_string(w, "thread");
    for (size_t m = 0; m < w->f->method_count; m++) {
        char *exact = prof_method_exact(&w->f->methods[m]), *path = prof_source_path(&w->f->methods[m]);
        write_string(w, names[m]);
        write_system_name(w, names[m], exact);
        write_string(w, path ? path : "");
        free(exact);
        free(path);
    }
    for (size_t i = 0; i < w->f->thread_count; i++) write_string(w, w->f->threads[i].name);
    prof_names_free(w->f, names);
}

int prof_export_pprof(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    if (isatty(fileno(out))) {
        fputs("cabernet-prof: --pprof is not for a terminal: name a file with -o\n", stderr);
        return 1;
    }
    if (!prof_stacks_small(f, o, "--pprof", &s)) return 1;
    bool many = prof_stacks_too_many(f, &s, "--pprof");
    if (!many) {
        Writer w = {.f = s.file, .s = &s, .out = out, .locations = prof_locations(&s)};
        if (deflateInit2(&w.zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            prof_out_of_memory();
        proto_number(&w.message, TYPE_TYPE, TEXT_ENTRIES);
        proto_number(&w.message, TYPE_UNIT, TEXT_COUNT);
        write_message(&w, SAMPLE_TYPE);
        write_samples(&w, f, o);
        write_locations(&w);
        write_functions(&w);
        write_texts(&w);
        if (prof_started_ns(f)) write_number(&w, TIME_NANOS, prof_started_ns(f));
        write_number(&w, DURATION_NANOS, prof_meta_number(f, "duration-ns"));
        write_number(&w, COMMENT, TEXT_COMMENT);
        compress_bytes(&w, NULL, 0, Z_FINISH);
        deflateEnd(&w.zip);
        prof_locations_free(&w.locations);
        free(w.message.data);
        free(w.inner.data);
    }
    prof_stacks_free(&s);
    return many ? 1 : 0;
}
