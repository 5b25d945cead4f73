/*
 * Private to the classfile*.c files: the state of one parse, its cursor, arena and errors.
 *
 * A parse runs on one thread inside classfile_parse(). The first violation ends it: the
 * classfile_reject functions record the error and longjmp to classfile_parse(), which releases
 * everything. No function in between owns memory (arena and scratch belong to the Parser), so
 * nothing leaks.
 *
 * Every read goes through the cursor and is checked against the end of the file. As in the
 * reference implementation, the cursor follows the content of an attribute and not its stated
 * length where the two are not required to agree at that point; lengths are checked where the
 * format says so.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_CLASSFILE_PARSER_H
#define CABERNET_BYTECODE_CLASSFILE_CLASSFILE_PARSER_H

#include <setjmp.h>
#include <string.h>

#include "base/hash.h"
#include "bytecode/classfile/bytes.h"
#include "bytecode/classfile/classfile.h"

/* First class-file version with a feature. */
enum {
    MAJOR_JAVA_5 = 49,
    MAJOR_JAVA_6 = 50,
    MAJOR_JAVA_7 = 51,
    MAJOR_JAVA_8 = 52,
    MAJOR_JAVA_9 = 53,
    MAJOR_JAVA_11 = 55,
    MAJOR_JAVA_12 = 56,
    MAJOR_JAVA_16 = 60,
    MAJOR_JAVA_17 = 61
};

#define PARSER_TEXTS 4
#define PARSER_TEXT_SIZE 256

typedef struct ParserArena ParserArena;

typedef struct Parser {
    const uint8_t *start, *pos, *end;
    ClassFile *cf;
    CpEntry *cp; /* cf->cp while it is being written */
    bool check;  /* format checks on: not trusted */
    bool enable_preview;
    bool legacy_names; /* version < 49 */
    uint8_t bad_tag;   /* MODULE or PACKAGE seen in the pool: an error unless ACC_MODULE is set */
    int32_t max_bsm;   /* greatest bootstrap index used in the pool; -1: none */
    ClassFileUtf8 expected_name;
    ClassFileUtf8 name; /* for messages */
    ParserArena *arena; /* newest chunk first */
    uint16_t *scratch;  /* shared by successive checks, grown as needed */
    size_t scratch_size;
    HashTable seen; /* shared by successive searches for duplicates */
    ClassFileError *err;
    unsigned text_next;
    char texts[PARSER_TEXTS][PARSER_TEXT_SIZE];
    jmp_buf out;
} Parser;

/* Ends the parse with a ClassFormatError. The second form appends " in class file NAME". */
_Noreturn void classfile_reject(Parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void classfile_reject_in(Parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void classfile_reject_as(Parser *p, enum ClassFileErrorKind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Printable form of a name, valid until PARSER_TEXTS further calls. */
const char *classfile_text(Parser *p, ClassFileUtf8 u);

/* Zeroed arena memory, aligned to 8. Ends the parse when malloc fails. */
void *classfile_alloc(Parser *p, size_t size);

/* Zeroed table of at least `need` entries, valid until the next call. Ends the parse as above. */
uint16_t *classfile_scratch(Parser *p, size_t need);

/* An empty hash table with room for `items`, valid until the next call. Ends the parse as above. */
HashTable *classfile_seen(Parser *p, uint32_t items);

/* Fails unless the next n bytes exist. */
static inline void parser_need(Parser *p, size_t n) {
    if ((size_t)(p->end - p->pos) < n) classfile_reject(p, "Truncated class file");
}

/*
 * Number of items to allocate for a `count` of items of at least min_size bytes each. A count that
 * exceeds the rest of the file allocates no more than the file could hold; the missing item is
 * rejected when it is read.
 */
static inline size_t parser_fit(const Parser *p, size_t count, size_t min_size) {
    size_t most = (size_t)(p->end - p->pos) / min_size + 1;
    return count < most ? count : most;
}

/* Unchecked reads after parser_need(). */
static inline uint16_t parser_u2(Parser *p) {
    uint16_t v = bytes_u2(p->pos);
    p->pos += 2;
    return v;
}
static inline uint32_t parser_u4(Parser *p) {
    uint32_t v = bytes_u4(p->pos);
    p->pos += 4;
    return v;
}

/* A checked read. */
static inline uint16_t parser_next_u2(Parser *p) {
    parser_need(p, 2);
    return parser_u2(p);
}

/* Skips n bytes and returns where they start. */
static inline const uint8_t *parser_skip(Parser *p, size_t n) {
    parser_need(p, n);
    const uint8_t *at = p->pos;
    p->pos += n;
    return at;
}
static inline ClassFileBytes parser_raw(Parser *p, uint32_t n) { return (ClassFileBytes){parser_skip(p, n), n}; }

static inline bool parser_has_tag(const Parser *p, uint16_t index, enum CpTag tag) {
    return index != 0 && index < p->cf->cp_count && p->cp[index].tag == tag;
}

static inline bool parser_name_is(ClassFileUtf8 u, const char *s, size_t len) {
    return u.len == len && memcmp(u.ptr, s, len) == 0;
}
#define PARSER_IS(u, literal) parser_name_is(u, literal, sizeof(literal) - 1)

/* The attributes that the reader knows (classfile_attr.c). */
enum AttrId {
    ATTR_UNKNOWN,
#define ATTRIBUTE(name) ATTR_##name,
#include "bytecode/classfile/attributes.def"
#undef ATTRIBUTE
    ATTR_COUNT
};
enum AttrId classfile_attr_id(ClassFileUtf8 name);

/* Reads an attribute's header and identifies it; `what` is a format for a bad name index. */
enum AttrId classfile_attr_begin(Parser *p, const char *what, uint32_t *len) __attribute__((format(printf, 2, 0)));

/* Attributes of equal form that fields, methods, components and classes share. */
typedef struct AttrCommon {
    uint16_t signature_index;
    uint16_t marks;
    uint32_t annotation_mask;
    ClassFileBytes annotations;
    ClassFileBytes type_annotations;
    uint32_t seen; /* bit per AttrId, for duplicate checks */
} AttrCommon;

/*
 * Handles Signature, annotations, type annotations, Synthetic and Deprecated for an `owner`
 * ("field", "method", "classfile", "Record component"). Returns false, having read nothing, for any
 * other id.
 */
bool classfile_attr_common(Parser *p, AttrCommon *c, enum AttrId id, uint32_t len, const char *owner);

/*
 * Reads RuntimeVisibleAnnotations for annotations that the VM knows. Malformed bytes are tolerated.
 */
uint32_t classfile_attr_mask(const Parser *p, ClassFileBytes annotations);

/* Marks an attribute that may occur once; true if it was marked before. */
static inline bool attr_again(AttrCommon *c, enum AttrId id) {
    bool again = (c->seen >> id & 1) != 0;
    c->seen |= UINT32_C(1) << id;
    return again;
}

/* Name and descriptor checks with their messages; no-ops when the parse is trusted. */
void classfile_pool_check_class_name(Parser *p, ClassFileUtf8 name);
void classfile_pool_check_field_name(Parser *p, ClassFileUtf8 name);
void classfile_pool_check_method_name(Parser *p, ClassFileUtf8 name);
void classfile_pool_check_field_desc(Parser *p, ClassFileUtf8 name, ClassFileUtf8 desc);
/* Returns argument slots without `this` (also when trusted). */
unsigned classfile_pool_check_method_desc(Parser *p, ClassFileUtf8 name, ClassFileUtf8 desc);

/* The parts of a class file, in file order. */
void classfile_pool_parse(Parser *p);
void classfile_pool_check(Parser *p);
void classfile_member_fields(Parser *p);
void classfile_member_methods(Parser *p);
void classfile_attr_class(Parser *p);

/* The Code attribute; the cursor is after its length. */
void classfile_code_parse(Parser *p, ClassFileMethod *m, uint32_t attr_len);

/* Access-flag rules (classfile_member.c). */
void classfile_member_class_flags(Parser *p, uint32_t flags);

/* `count` u2 indexes of CLASS entries; `what` is a format for a bad one. */
uint16_t *classfile_attr_classes(Parser *p, uint16_t count, const char *what) __attribute__((format(printf, 3, 0)));

#endif
