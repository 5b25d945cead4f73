// HotSpot's flags without effect here (vm/base/hotspotflags.h). The table is hotspotflags.def. Values are checked for
// their syntax and bounds, not against each other.
#include "vm/base/hotspotflags.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/options.h"

typedef enum Kind { BOOL, INT, SIZE, DOUBLE, TEXT } Kind;
typedef enum Access { PRODUCT, DIAGNOSTIC, EXPERIMENTAL } Access;

typedef struct Row {
    const char *name;
    uint8_t kind, access;
} Row;

static const Row rows[] = {
#define HSFLAG(access, kind, name) {#name, kind, access},
#include "vm/base/hotspotflags.def"
};

static const struct {
    const char *name;
    int version;
} deprecated[] = {
#define HSDEPRECATED(name, version) {#name, version},
#include "vm/base/hotspotflags.def"
};

static const struct {
    const char *name, *instead;
} absent[] = {
#define HSABSENT(name, instead) {#name, instead},
#include "vm/base/hotspotflags.def"
};

static const struct {
    const char *type, *name;
    int64_t least;
    uint64_t most;
} ranges[] = {
#define HSRANGE(type, name, least, most) {#type, #name, least, most},
#include "vm/base/hotspotflags.def"
};

// The name in "+Name", "-Name", "Name=value", and its length.
static const char *name_in(const char *text, size_t *length) {
    if (*text == '+' || *text == '-') text++;
    *length = strcspn(text, "=");
    return text;
}

static bool is_number(const char *text, Kind kind) {
    int64_t n;
    char *end;
    switch (kind) {
        case INT: return options_parse_size(text + (*text == '-'), &n);
        case SIZE:
            // Digits beyond the range of a signed number are still a number: HotSpot prints some defaults like that.
            return options_parse_size(text, &n) || (*text && !text[strspn(text, "0123456789")]);
        case DOUBLE: strtod(text, &end); return end > text && !*end;
        default: return true;
    }
}

static HotspotFlag refuse(const char *format, const char *text) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    fprintf(stderr, format, text);
#pragma GCC diagnostic pop
    return HOTSPOTFLAG_BAD;
}

static HotspotFlag refuse_locked(const Row *row) {
    bool diagnostic = row->access == DIAGNOSTIC;
    fprintf(stderr,
            "Error: VM option '%s' is %s and must be enabled via -XX:+Unlock%sVMOptions.\n"
            "Error: The unlock option must precede '%s'.\n",
            row->name, diagnostic ? "diagnostic" : "experimental", diagnostic ? "Diagnostic" : "Experimental",
            row->name);
    return HOTSPOTFLAG_BAD;
}

static HotspotFlag take(const Row *row, const char *text) {
    for (size_t i = 0; *text != '-' && i < sizeof absent / sizeof *absent; i++)
        if (strcmp(absent[i].name, row->name) == 0)
            fprintf(stderr, "cabernet warning: Ignoring option -XX:%s; %s\n", text, absent[i].instead);
    return HOTSPOTFLAG_TAKEN;
}

// A number with an optional unit; false: malformed.
static bool parse_number(const char *text, bool *negative, uint64_t *n) {
    int64_t value;
    *negative = *text == '-';
    text += *negative;
    if (options_parse_size(text, &value)) {
        *n = (uint64_t)value;
        return true;
    }
    *n = strtoull(text, NULL, 10);
    return *text && !text[strspn(text, "0123456789")];
}

bool hotspotflags_in_range(const char *text) {
    size_t length;
    const char *name = name_in(text, &length);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        bool negative;
        uint64_t n;
        if (strncmp(ranges[i].name, name, length) != 0 || ranges[i].name[length]) continue;
        if (name[length] != '=' || !parse_number(name + length + 1, &negative, &n)) return true;
        int64_t least = ranges[i].least;
        bool below = negative ? least >= 0 || n > -(uint64_t)least : least > 0 && n < (uint64_t)least;
        if (!below && (negative || n <= ranges[i].most)) return true;
        fprintf(stderr, "%s %s=%s%" PRIu64 " is outside the allowed range [ %" PRId64 " ... %" PRIu64 " ]\n",
                ranges[i].type, ranges[i].name, negative ? "-" : "", n, least, ranges[i].most);
        // HotSpot parses these two separately.
        if (strcmp(ranges[i].name, "MaxTenuringThreshold") != 0 && strcmp(ranges[i].name, "ReservedCodeCacheSize") != 0)
            fprintf(stderr, "Improperly specified VM option '%s'\n", text);
        return false;
    }
    return true;
}

HotspotFlag hotspotflags_take(const char *text, bool unlocked_diagnostic, bool unlocked_experimental) {
    size_t length;
    const char *name = name_in(text, &length);
    const Row *row = rows, *end = rows + sizeof rows / sizeof *rows;
    while (row < end && (strncmp(row->name, name, length) != 0 || row->name[length])) row++;
    if (row == end) return HOTSPOTFLAG_UNKNOWN;
    if (row->access == DIAGNOSTIC && !unlocked_diagnostic) return refuse_locked(row);
    if (row->access == EXPERIMENTAL && !unlocked_experimental) return refuse_locked(row);
    bool sign = name > text, value = name[length] == '=';
    if (row->kind == BOOL) {
        if (sign && !value) return take(row, text);
        return refuse("Missing +/- setting for VM option '%s'\n", text);
    }
    if (sign) return refuse("Unexpected +/- setting in VM option '%s'\n", name);
    if (value && is_number(name + length + 1, row->kind))
        return hotspotflags_in_range(text) ? take(row, text) : HOTSPOTFLAG_BAD;
    return refuse("Improperly specified VM option '%s'\n", text);
}

void hotspotflags_warn_deprecated(const char *text) {
    size_t length;
    const char *name = name_in(text, &length);
    for (size_t i = 0; i < sizeof deprecated / sizeof *deprecated; i++)
        if (strncmp(deprecated[i].name, name, length) == 0 && !deprecated[i].name[length])
            fprintf(stderr,
                    "cabernet warning: Option %s was deprecated in version %d.0 and will likely "
                    "be removed in a future release.\n",
                    deprecated[i].name, deprecated[i].version);
}
