/*
 * Descriptors and names (JVMS 4.2, 4.3). One scanner, scan_type(), implements the grammar of types;
 * everything else is built on it. Pure functions.
 */
#include "bytecode/classfile/descriptor.h"

#include <string.h>

/* Legal characters of an unqualified name since version 49; class names may have inner slashes. */
static bool modern_name(const uint8_t *name, uint32_t len, enum DescriptorNameKind kind) {
    if (len == 0) return false;
    for (uint32_t i = 0; i < len; i++) {
        switch (name[i]) {
            case '.':
            case ';':
            case '[': return false;
            case '/':
                if (kind != DESCRIPTOR_CLASS_NAME || i == 0 || i + 1 == len || name[i + 1] == '/') return false;
                break;
            case '<':
            case '>':
                if (kind == DESCRIPTOR_METHOD_NAME) return false;
                break;
        }
    }
    return true;
}

/*
 * Length of the Java identifier, or identifiers joined by slashes, at the start of name; 0 for
 * none. A leading slash is accepted, because class files before version 49 may have one.
 */
static uint32_t legacy_name_length(const uint8_t *name, uint32_t len, bool slash_ok) {
    bool last_is_slash = false;
    for (uint32_t i = 0; i < len; i++) {
        uint8_t c = name[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80 ||
            (i > 0 && c >= '0' && c <= '9')) {
            last_is_slash = false;
        } else if (slash_ok && c == '/' && !last_is_slash) {
            last_is_slash = true;
        } else {
            return slash_ok && c == '/' ? 0 : i;
        }
    }
    return last_is_slash ? 0 : len;
}

/* The class name and semicolon after an L. Returns their length or 0. */
static uint32_t scan_class(const uint8_t *p, uint32_t len, bool legacy, enum DescriptorFault *fault) {
    if (legacy) {
        uint32_t n = legacy_name_length(p, len, true);
        return n != 0 && n < len && p[n] == ';' ? n + 1 : 0;
    }
    const uint8_t *semi = len != 0 ? memchr(p, ';', len) : NULL;
    if (!semi) return 0;
    uint32_t n = (uint32_t)(semi - p);
    if (!modern_name(p, n, DESCRIPTOR_CLASS_NAME)) {
        *fault = DESCRIPTOR_BAD_CLASS_NAME;
        return 0;
    }
    return n + 1;
}

/* One type at p. Returns its length, or 0 with *fault set. */
static uint32_t scan_type(const uint8_t *p, uint32_t len, bool allow_void, bool legacy, enum DescriptorFault *fault) {
    uint32_t dims = 0;
    *fault = DESCRIPTOR_MALFORMED;
    while (dims < len && p[dims] == '[') {
        if (++dims > DESCRIPTOR_MAX_DIMS) {
            *fault = DESCRIPTOR_TOO_MANY_DIMS;
            return 0;
        }
    }
    if (dims == len) return 0;
    switch (p[dims]) {
        case 'V': return allow_void && dims == 0 ? 1 : 0;
        case 'B':
        case 'C':
        case 'D':
        case 'F':
        case 'I':
        case 'J':
        case 'S':
        case 'Z': return dims + 1;
        case 'L': {
            uint32_t n = scan_class(p + dims + 1, len - dims - 1, legacy, fault);
            return n == 0 ? 0 : dims + 1 + n;
        }
        default: return 0;
    }
}

enum DescriptorFault descriptor_check_field(const uint8_t *desc, uint32_t len, bool legacy_names) {
    enum DescriptorFault fault;
    uint32_t n = scan_type(desc, len, false, legacy_names, &fault);
    if (n == 0) return fault;
    return n == len ? DESCRIPTOR_OK : DESCRIPTOR_MALFORMED;
}

enum DescriptorFault descriptor_check_method(const uint8_t *desc, uint32_t len, bool legacy_names,
                                             unsigned *arg_slots) {
    enum DescriptorFault fault;
    unsigned slots = 0;
    if (len == 0 || desc[0] != '(') return DESCRIPTOR_MALFORMED;
    uint32_t i = 1;
    while (i < len && desc[i] != ')') {
        uint32_t n = scan_type(desc + i, len - i, false, legacy_names, &fault);
        if (n == 0) return fault;
        slots += descriptor_slots((char)desc[i]);
        i += n;
    }
    if (i == len) return DESCRIPTOR_MALFORMED;
    i++;
    uint32_t n = scan_type(desc + i, len - i, true, legacy_names, &fault);
    if (n == 0) return fault;
    if (i + n != len) return DESCRIPTOR_MALFORMED;
    *arg_slots = slots;
    return DESCRIPTOR_OK;
}

int descriptor_valid_method(const uint8_t *desc, uint32_t len, bool legacy_names) {
    unsigned slots;
    if (descriptor_check_method(desc, len, legacy_names, &slots) != DESCRIPTOR_OK) return -1;
    return (int)slots;
}

uint32_t descriptor_type(const uint8_t *desc, uint32_t len, bool allow_void, DescriptorType *out) {
    enum DescriptorFault fault;
    uint32_t n = scan_type(desc, len, allow_void, false, &fault);
    if (n == 0) return 0;
    uint32_t dims = 0;
    while (desc[dims] == '[') dims++;
    out->kind = (char)desc[0];
    out->slots = (uint8_t)descriptor_slots(out->kind);
    out->dims = (uint16_t)dims;
    out->element = (char)desc[dims];
    out->ptr = desc;
    out->len = n;
    out->name = NULL;
    out->name_len = 0;
    if (out->element == 'L') {
        out->name = desc + dims + 1;
        out->name_len = n - dims - 2;
    }
    return n;
}

void descriptor_begin(DescriptorIter *it, const uint8_t *desc, uint32_t len) {
    it->p = desc;
    it->end = desc + len;
    it->bad = len == 0 || desc[0] != '(';
    if (!it->bad) it->p++;
}

bool descriptor_next(DescriptorIter *it, DescriptorType *out) {
    if (it->bad) return false;
    if (it->p < it->end && *it->p == ')') return false;
    uint32_t n = descriptor_type(it->p, (uint32_t)(it->end - it->p), false, out);
    it->bad = n == 0;
    it->p += n;
    return n != 0;
}

bool descriptor_return(DescriptorIter *it, DescriptorType *out) {
    DescriptorType skipped;
    while (descriptor_next(it, &skipped)) {}
    if (it->bad) return false;
    const uint8_t *p = it->p + 1;
    uint32_t n = descriptor_type(p, (uint32_t)(it->end - p), true, out);
    return n != 0 && p + n == it->end;
}

unsigned descriptor_arg_slots(const uint8_t *desc, uint32_t len) {
    DescriptorIter it;
    DescriptorType t;
    unsigned slots = 0;
    for (descriptor_begin(&it, desc, len); descriptor_next(&it, &t);) slots += t.slots;
    return slots;
}

unsigned descriptor_param_count(const uint8_t *desc, uint32_t len) {
    DescriptorIter it;
    DescriptorType t;
    unsigned count = 0;
    for (descriptor_begin(&it, desc, len); descriptor_next(&it, &t);) count++;
    return count;
}

char descriptor_return_char(const uint8_t *desc, uint32_t len) {
    const uint8_t *close = len != 0 ? memchr(desc, ')', len) : NULL;
    /* A class name may contain a parenthesis, so the first one need not end the parameters. */
    DescriptorIter it;
    DescriptorType t;
    if (close && close + 2 == desc + len) return (char)close[1];
    descriptor_begin(&it, desc, len);
    return descriptor_return(&it, &t) ? t.kind : 'V';
}

size_t descriptor_shape(const uint8_t *desc, uint32_t len, char *out, size_t cap) {
    DescriptorIter it;
    DescriptorType t;
    size_t n = 0;
    bool more = true;
    descriptor_begin(&it, desc, len);
    while (more) {
        more = descriptor_next(&it, &t);
        if (!more && !descriptor_return(&it, &t)) {
            n = 0;
            break;
        }
        if (n + 1 < cap) out[n] = t.kind == '[' ? 'L' : t.kind;
        n++;
    }
    if (cap != 0) out[n < cap ? n : cap - 1] = '\0';
    return n;
}

bool descriptor_valid_name(const uint8_t *name, uint32_t len, enum DescriptorNameKind kind, bool legacy_names) {
    if (len == 0) return false;
    if (name[0] == '<' && kind == DESCRIPTOR_METHOD_NAME)
        return (len == 6 && memcmp(name, "<init>", len) == 0) || (len == 8 && memcmp(name, "<clinit>", len) == 0);
    if (!legacy_names) return modern_name(name, len, kind);
    return legacy_name_length(name, len, kind == DESCRIPTOR_CLASS_NAME) == len;
}

bool descriptor_valid_class_ref(const uint8_t *name, uint32_t len, bool legacy_names) {
    if (len != 0 && name[0] == '[') return descriptor_check_field(name, len, legacy_names) == DESCRIPTOR_OK;
    return descriptor_valid_name(name, len, DESCRIPTOR_CLASS_NAME, legacy_names);
}
