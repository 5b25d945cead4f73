/*
 * The driver of the class-file reader: arena, errors, and the order of a class file's parts (JVMS
 * 4.1). The parts are read by classfile_pool.c, classfile_member.c, classfile_code.c and
 * classfile_attr.c; classfile_parser.h describes their error handling.
 *
 * All decoded data of a class lies in one arena: a list of chunks. The first is sized so that
 * nearly every class needs no other, and begins with the ClassFile itself.
 */
#include "bytecode/classfile/classfile_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytecode/classfile/mutf8.h"

#define CLASSFILE_MAGIC 0xCAFEBABEu
#define CHUNK_MIN 4096

struct ParserArena {
    ParserArena *next;
    char *pos, *end;
    /* memory follows */
};

/* Messages. */

const char *classfile_text(Parser *p, ClassFileUtf8 u) {
    char *buf = p->texts[p->text_next++ % PARSER_TEXTS];
    mutf8_to_utf8(u.ptr, u.len, buf, PARSER_TEXT_SIZE);
    return buf;
}

static void set_error(Parser *p, enum ClassFileErrorKind kind, const char *fmt, va_list args, bool append_name) {
    p->err->kind = kind;
    size_t cap = sizeof p->err->msg;
    int n = vsnprintf(p->err->msg, cap, fmt, args);
    if (append_name && n >= 0 && (size_t)n < cap)
        snprintf(p->err->msg + n, cap - (size_t)n, " in class file %s", classfile_text(p, p->name));
}

_Noreturn void classfile_reject(Parser *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    set_error(p, CLASSFILE_FORMAT, fmt, args, false);
    va_end(args);
    longjmp(p->out, 1);
}

_Noreturn void classfile_reject_in(Parser *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    set_error(p, CLASSFILE_FORMAT, fmt, args, true);
    va_end(args);
    longjmp(p->out, 1);
}

_Noreturn void classfile_reject_as(Parser *p, enum ClassFileErrorKind kind, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    set_error(p, kind, fmt, args, false);
    va_end(args);
    longjmp(p->out, 1);
}

const char *classfile_error_class(enum ClassFileErrorKind kind) {
    switch (kind) {
        case CLASSFILE_OK: return "";
        case CLASSFILE_FORMAT: return "java/lang/ClassFormatError";
        case CLASSFILE_VERSION: return "java/lang/UnsupportedClassVersionError";
        case CLASSFILE_NAME: return "java/lang/NoClassDefFoundError";
        case CLASSFILE_NO_MEMORY: return "java/lang/OutOfMemoryError";
    }
    return "";
}

/* Memory. */

static void free_arena(ParserArena *a) {
    while (a) {
        ParserArena *next = a->next;
        free(a);
        a = next;
    }
}

static bool add_chunk(Parser *p, size_t size) {
    ParserArena *a = malloc(sizeof *a + size);
    if (!a) return false;
    a->next = p->arena;
    a->pos = (char *)(a + 1);
    a->end = a->pos + size;
    p->arena = a;
    return true;
}

void *classfile_alloc(Parser *p, size_t size) {
    size = (size + 7) & ~(size_t)7;
    if (!p->arena || (size_t)(p->arena->end - p->arena->pos) < size) {
        if (!add_chunk(p, size > CHUNK_MIN ? size : CHUNK_MIN))
            classfile_reject_as(p, CLASSFILE_NO_MEMORY, "class file");
    }
    void *mem = p->arena->pos;
    p->arena->pos += size;
    return memset(mem, 0, size);
}

uint16_t *classfile_scratch(Parser *p, size_t need) {
    if (p->scratch_size < need) {
        free(p->scratch);
        p->scratch_size = 0;
        p->scratch = malloc(need * sizeof *p->scratch);
        if (!p->scratch) classfile_reject_as(p, CLASSFILE_NO_MEMORY, "class file");
        p->scratch_size = need;
    }
    return memset(p->scratch, 0, need * sizeof *p->scratch);
}

HashTable *classfile_seen(Parser *p, uint32_t items) {
    if (!hash_begin(&p->seen, items)) classfile_reject_as(p, CLASSFILE_NO_MEMORY, "class file");
    return &p->seen;
}

/* The parts. */

static void check_version(Parser *p) {
    unsigned major = p->cf->major, minor = p->cf->minor;
    const char *name = classfile_text(p, p->name);
    if (major < CLASSFILE_MIN_MAJOR)
        classfile_reject_as(p, CLASSFILE_VERSION,
                            "%s (class file version %u.%u) was compiled with an invalid major version", name, major,
                            minor);
    if (major > CLASSFILE_MAX_MAJOR)
        classfile_reject_as(p, CLASSFILE_VERSION,
                            "%s has been compiled by a more recent version of the Java Runtime "
                            "(class file version %u.%u), this version of the Java Runtime only "
                            "recognizes class file versions up to %u.0",
                            name, major, minor, CLASSFILE_MAX_MAJOR);
    if (major < MAJOR_JAVA_12 || minor == 0) return;
    if (minor != CLASSFILE_PREVIEW_MINOR)
        classfile_reject_as(p, CLASSFILE_VERSION,
                            "%s (class file version %u.%u) was compiled with an invalid non-zero minor version", name,
                            major, minor);
    if (major != CLASSFILE_MAX_MAJOR)
        classfile_reject_as(p, CLASSFILE_VERSION,
                            "%s (class file version %u.%u) was compiled with preview features that are "
                            "unsupported. This version of the Java Runtime only recognizes preview "
                            "features for class file version %u.%u",
                            name, major, minor, CLASSFILE_MAX_MAJOR, CLASSFILE_PREVIEW_MINOR);
    if (!p->enable_preview)
        classfile_reject_as(p, CLASSFILE_VERSION,
                            "Preview features are not enabled for %s (class file version %u.%u). Try "
                            "running with '--enable-preview'",
                            name, major, minor);
}

static void parse_access_flags(Parser *p) {
    const uint32_t known = ACC_PUBLIC | ACC_FINAL | ACC_SUPER | ACC_INTERFACE | ACC_ABSTRACT | ACC_ANNOTATION |
        ACC_ENUM | ACC_SYNTHETIC;
    uint32_t flags = parser_u2(p);
    flags &= p->cf->major >= MAJOR_JAVA_9 ? known | ACC_MODULE : known;
    /* Compilers before Java 6 did not set ACC_ABSTRACT on interfaces. */
    if ((flags & ACC_INTERFACE) != 0 && p->cf->major < MAJOR_JAVA_6) flags |= ACC_ABSTRACT;
    classfile_member_class_flags(p, flags);
    if (p->bad_tag != 0) classfile_reject_in(p, "Unknown constant tag %u", p->bad_tag);
    p->cf->access_flags = (uint16_t)flags;
}

static void parse_this_class(Parser *p) {
    uint16_t index = parser_u2(p);
    if (!parser_has_tag(p, index, CP_CLASS))
        classfile_reject_in(p, "Invalid this class index %u in constant pool", index);
    p->cf->this_class = index;
    ClassFileUtf8 name = classfile_this_name(p->cf);
    if (name.len == 0 || name.ptr[0] == '[') classfile_reject_in(p, "Bad class name");
    if (p->expected_name.ptr && !classfile_utf8_equal(name, p->expected_name))
        classfile_reject_as(p, CLASSFILE_NAME, "%s (wrong name: %s)", classfile_text(p, p->expected_name),
                            classfile_text(p, name));
    p->name = name;
}

static void parse_super_class(Parser *p) {
    uint16_t index = parser_u2(p);
    p->cf->super_class = index;
    if (index == 0) {
        if (!PARSER_IS(p->name, "java/lang/Object")) classfile_reject_in(p, "Invalid superclass index %u", index);
        return;
    }
    if (!parser_has_tag(p, index, CP_CLASS)) classfile_reject_in(p, "Invalid superclass index %u", index);
    ClassFileUtf8 name = classfile_name_of(p->cf, index);
    if (name.len == 0 || name.ptr[0] == '[') classfile_reject_in(p, "Bad superclass name");
}

static bool same_interface(const void *cf, uintptr_t item, const void *name) {
    return classfile_utf8_equal(*(const ClassFileUtf8 *)name, classfile_name_of(cf, (uint16_t)item));
}

static void check_duplicate_interfaces(Parser *p) {
    static const HashKind by_name = {NULL, same_interface}; /* items are constant pool indices */
    const ClassFile *cf = p->cf;
    HashTable *seen = classfile_seen(p, cf->interface_count);
    for (unsigned i = 0; i < cf->interface_count; i++) {
        ClassFileUtf8 name = classfile_name_of(cf, cf->interfaces[i]);
        uint32_t hash = hash_bytes(HASH_START, name.ptr, name.len);
        if (hash_find(seen, &by_name, cf, hash, &name))
            classfile_reject_in(p, "Duplicate interface name \"%s\"", classfile_text(p, name));
        hash_place(seen, hash, cf->interfaces[i]);
    }
}

static void parse_interfaces(Parser *p) {
    uint16_t count = parser_u2(p);
    uint16_t *list = classfile_alloc(p, parser_fit(p, count, 2) * sizeof *list);
    for (unsigned i = 0; i < count; i++) {
        list[i] = parser_next_u2(p);
        if (!parser_has_tag(p, list[i], CP_CLASS))
            classfile_reject_in(p, "Interface name has bad constant pool index %u", list[i]);
        ClassFileUtf8 name = classfile_name_of(p->cf, list[i]);
        if (name.len == 0 || name.ptr[0] == '[') classfile_reject_in(p, "Bad interface name");
    }
    p->cf->interfaces = list;
    p->cf->interface_count = count;
    if (p->check && count > 1) check_duplicate_interfaces(p);
}

static void parse_class(Parser *p) {
    p->cf = classfile_alloc(p, sizeof *p->cf);
    p->cf->bytes = p->start;
    p->cf->len = (size_t)(p->end - p->start);
    parser_need(p, 8);
    uint32_t magic = parser_u4(p);
    if (magic != CLASSFILE_MAGIC) classfile_reject_in(p, "Incompatible magic value %u", magic);
    p->cf->minor = parser_u2(p);
    p->cf->major = parser_u2(p);
    check_version(p);
    p->legacy_names = p->cf->major < MAJOR_JAVA_5;
    classfile_pool_parse(p);
    if (p->check) classfile_pool_check(p);
    parser_need(p, 8);
    parse_access_flags(p);
    parse_this_class(p);
    parse_super_class(p);
    parse_interfaces(p);
    classfile_member_fields(p);
    classfile_member_methods(p);
    classfile_attr_class(p);
    if (p->pos != p->end) classfile_reject(p, "Extra bytes at the end of class file %s", classfile_text(p, p->name));
    /* Rules about the superclass that need the whole file. */
    const ClassFile *cf = p->cf;
    if (cf->super_class == 0 && cf->interface_count != 0)
        classfile_reject_in(p, "java.lang.Object cannot implement an interface");
    if ((cf->access_flags & ACC_INTERFACE) != 0 &&
        (cf->super_class == 0 || !PARSER_IS(classfile_name_of(cf, cf->super_class), "java/lang/Object")))
        classfile_reject_in(p, "Interfaces must have java.lang.Object as superclass");
}

ClassFile *classfile_parse(const uint8_t *bytes, size_t len, const ClassFileOptions *opt, ClassFileError *err) {
    static const ClassFileOptions none;
    static const char unknown[] = "<Unknown>";
    if (!opt) opt = &none;
    err->kind = CLASSFILE_OK;
    err->msg[0] = '\0';
    Parser *p = calloc(1, sizeof *p);
    if (!p) {
        err->kind = CLASSFILE_NO_MEMORY;
        return NULL;
    }
    p->start = p->pos = bytes;
    p->end = bytes + len;
    p->check = !opt->trusted;
    p->enable_preview = opt->enable_preview;
    p->expected_name = opt->expected_name;
    p->max_bsm = -1;
    p->err = err;
    p->name = opt->expected_name;
    if (!p->name.ptr) p->name = (ClassFileUtf8){(const uint8_t *)unknown, sizeof unknown - 1};
    if (setjmp(p->out) == 0) {
        /* Decoded data is rarely larger; a file with wrong sizes needs more chunks. */
        if (!add_chunk(p, sizeof(ClassFile) + len + len / 2 + CHUNK_MIN))
            classfile_reject_as(p, CLASSFILE_NO_MEMORY, "class file");
        parse_class(p);
        p->cf->arena = p->arena;
    } else {
        free_arena(p->arena);
        p->cf = NULL;
    }
    ClassFile *cf = p->cf;
    free(p->scratch);
    hash_free(&p->seen);
    free(p);
    return cf;
}

void classfile_free(ClassFile *cf) {
    if (cf) free_arena(cf->arena);
}

bool classfile_utf8_equal(ClassFileUtf8 a, ClassFileUtf8 b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool classfile_utf8_is(ClassFileUtf8 a, const char *s) {
    size_t n = strlen(s);
    return a.len == n && (n == 0 || memcmp(a.ptr, s, n) == 0);
}

int classfile_line_of(const ClassFileCode *code, uint32_t bci) {
    int line = -1;
    uint32_t best = 0;
    for (uint32_t i = 0; i < code->line_count; i++) {
        uint32_t start = code->lines[i].start_pc;
        if (start <= bci && (line < 0 || start >= best)) {
            best = start;
            line = code->lines[i].line;
        }
    }
    return line;
}
