// `cabernet-prof export --otlp`: the call tree as OpenTelemetry's profiles signal, a ProfilesData message
// (profiles.proto of opentelemetry-proto 1.7, v1development). The format is experimental and may change with each
// version, so this export is experimental too. Texts, functions and locations are in a dictionary, whose first entries
// are empty. A sample is a row of the tree and refers to a range of the profile's list of locations, innermost first.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/tool/base/prof_bytes.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

// Field numbers, by message.
enum { DATA_RESOURCES = 1, DATA_DICTIONARY = 2 };
enum { RESOURCES_RESOURCE = 1, RESOURCES_SCOPES = 2, RESOURCE_ATTRIBUTES = 1, KEY = 1, VALUE = 2, VALUE_TEXT = 1 };
enum { SCOPES_SCOPE = 1, SCOPES_PROFILES = 2, SCOPE_NAME = 1 };
enum {
    DICTIONARY_MAPPING = 1,
    DICTIONARY_LOCATION = 2,
    DICTIONARY_FUNCTION = 3,
    DICTIONARY_LINK = 4,
    DICTIONARY_TEXT = 5
};
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATIONS = 3, PROFILE_TIME = 4, PROFILE_DURATION = 5 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2, TYPE_TEMPORALITY = 3, DELTA = 1 };
enum { SAMPLE_START = 1, SAMPLE_LENGTH = 2, SAMPLE_VALUES = 3 };
enum { LOCATION_LINE = 3, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME = 2, FUNCTION_FILE = 3 };

enum { TEXT_EMPTY, TEXT_ENTRIES, TEXT_COUNT, TEXT_METHODS };
enum { METHOD_NAME, METHOD_EXACT, METHOD_FILE, METHOD_TEXTS };  // of each method

static void put_profile(Bytes *profile, const ProfFile *f, const ProfStacks *s, const ProfLocations *l) {
    Bytes inner = {0}, values = {0}, list = {0};
    uint64_t start = 0;
    proto_number(&inner, TYPE_TYPE, TEXT_ENTRIES);
    proto_number(&inner, TYPE_UNIT, TEXT_COUNT);
    proto_number(&inner, TYPE_TEMPORALITY, DELTA);
    proto_message(profile, PROFILE_TYPE, &inner);
    for (size_t i = 0; i < s->rows; i++) {
        if (!s->counts[i]) continue;
        bytes_varint(&list, l->entered[i]);
        for (size_t r = i; s->parents[r] != PROF_NO_ROW; r = s->parents[r]) bytes_varint(&list, l->calling[r]);
        proto_number(&inner, SAMPLE_START, start);
        proto_number(&inner, SAMPLE_LENGTH, s->depths[i] + 1u);
        bytes_varint(&values, s->counts[i]);
        proto_message(&inner, SAMPLE_VALUES, &values);
        proto_message(profile, PROFILE_SAMPLE, &inner);
        start += s->depths[i] + 1u;
    }
    proto_message(profile, PROFILE_LOCATIONS, &list);
    proto_number(profile, PROFILE_TIME, prof_started_ns(f));
    proto_number(profile, PROFILE_DURATION, prof_meta_number(f, "duration-ns"));
    free(inner.data), free(values.data), free(list.data);
}

static void put_functions(Bytes *dictionary, const ProfFile *f) {
    Bytes inner = {0};
    char **names = prof_names(f, "");
    proto_message(dictionary, DICTIONARY_FUNCTION, &inner);
    for (size_t m = 0; m < f->method_count; m++) {
        proto_number(&inner, FUNCTION_NAME, TEXT_METHODS + m * METHOD_TEXTS + METHOD_NAME);
        proto_number(&inner, FUNCTION_SYSTEM_NAME, TEXT_METHODS + m * METHOD_TEXTS + METHOD_EXACT);
        proto_number(&inner, FUNCTION_FILE, TEXT_METHODS + m * METHOD_TEXTS + METHOD_FILE);
        proto_message(dictionary, DICTIONARY_FUNCTION, &inner);
    }
    proto_text(dictionary, DICTIONARY_TEXT, "");
    proto_text(dictionary, DICTIONARY_TEXT, prof_is_sampled(f) ? "sampled_entries" : "entries");
    proto_text(dictionary, DICTIONARY_TEXT, "count");
    for (size_t m = 0; m < f->method_count; m++) {
        char *exact = prof_method_exact(&f->methods[m]), *path = prof_source_path(&f->methods[m]);
        proto_text(dictionary, DICTIONARY_TEXT, names[m]);
        proto_text(dictionary, DICTIONARY_TEXT, exact);
        proto_text(dictionary, DICTIONARY_TEXT, path ? path : "");
        free(exact), free(path);
    }
    prof_names_free(f, names);
    free(inner.data);
}

static void put_dictionary(Bytes *dictionary, const ProfFile *f, const ProfLocations *l) {
    Bytes inner = {0}, location = {0};
    proto_message(dictionary, DICTIONARY_MAPPING, &inner);
    proto_message(dictionary, DICTIONARY_LINK, &inner);
    proto_message(dictionary, DICTIONARY_LOCATION, &inner);
    for (size_t i = 0; i < l->count; i++) {
        proto_number(&inner, LINE_FUNCTION, l->list[i].method + 1u);
        proto_number(&inner, LINE_LINE, l->list[i].line);
        proto_message(&location, LOCATION_LINE, &inner);
        proto_message(dictionary, DICTIONARY_LOCATION, &location);
    }
    put_functions(dictionary, f);
    free(inner.data), free(location.data);
}

// Wraps the profile into its scope, and the scope into the resource, which is the profiled program.
static void put_resource(Bytes *resource, const ProfFile *f, Bytes *profile) {
    Bytes scope = {0}, inner = {0}, value = {0};
    proto_text(&value, VALUE_TEXT, prof_meta(f, "command", "unknown"));
    proto_text(&inner, KEY, "service.name");
    proto_message(&inner, VALUE, &value);
    proto_message(&value, RESOURCE_ATTRIBUTES, &inner);
    proto_message(resource, RESOURCES_RESOURCE, &value);
    proto_text(&inner, SCOPE_NAME, "cabernet-prof");
    proto_message(&scope, SCOPES_SCOPE, &inner);
    proto_message(&scope, SCOPES_PROFILES, profile);
    proto_message(resource, RESOURCES_SCOPES, &scope);
    free(scope.data), free(inner.data), free(value.data);
}

int prof_export_otlp(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    if (isatty(fileno(out))) {
        fputs("cabernet-prof: --otlp is not for a terminal: name a file with -o\n", stderr);
        return 1;
    }
    if (!prof_stacks_small(f, o, "--otlp", &s)) return 1;
    bool many = prof_stacks_too_many(f, &s, "--otlp");
    if (!many) {
        Bytes data = {0}, resource = {0}, inner = {0};
        ProfLocations l = prof_locations(&s);
        put_profile(&inner, f, &s, &l);
        put_resource(&resource, f, &inner);
        proto_message(&data, DATA_RESOURCES, &resource);
        put_dictionary(&inner, s.file, &l);
        proto_message(&data, DATA_DICTIONARY, &inner);
        fwrite(prof_bytes(&data), 1, data.size, out);
        prof_locations_free(&l);
        free(data.data), free(resource.data), free(inner.data);
    }
    prof_stacks_free(&s);
    return many ? 1 : 0;
}
