/*
 * Class-file reader for versions 45 to 61 (JVMS chapter 4).
 *
 * Owns the ClassFile: a parsed view of class-file bytes. Every utf8 constant, code array and raw
 * attribute points into the caller's bytes, which must stay unchanged and mapped for as long as the
 * ClassFile is used; everything decoded lies in an arena that classfile_free() releases at once.
 * After classfile_parse() returns a ClassFile, it is immutable, so any thread may read it without a
 * lock. No function here calls back, blocks or touches the Java heap.
 *
 * Invariant of a ClassFile parsed without `trusted`: every index in it lies in the constant pool
 * and names an entry of the right kind, all names and descriptors are well-formed for their place
 * and the class's version, utf8 bytes are valid modified UTF-8, and members are unique. With
 * `trusted` the bytes are still never read out of bounds and indexes still have the right kind, but
 * names, descriptors, flags and uniqueness are taken on faith. Code arrays are checked by neither:
 * see code_check() and the verifier in bytecode/verifier/verify.h.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_CLASSFILE_H
#define CABERNET_BYTECODE_CLASSFILE_CLASSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version limits of Java 17. */
#define CLASSFILE_MIN_MAJOR 45
#define CLASSFILE_MAX_MAJOR 61
#define CLASSFILE_PREVIEW_MINOR 65535

/* Access and property flags (JVMS tables 4.1-B, 4.5-A, 4.6-A, 4.7.6-A). */
#define ACC_PUBLIC 0x0001
#define ACC_PRIVATE 0x0002
#define ACC_PROTECTED 0x0004
#define ACC_STATIC 0x0008
#define ACC_FINAL 0x0010
#define ACC_SYNCHRONIZED 0x0020
#define ACC_SUPER 0x0020
#define ACC_VOLATILE 0x0040
#define ACC_BRIDGE 0x0040
#define ACC_TRANSIENT 0x0080
#define ACC_VARARGS 0x0080
#define ACC_NATIVE 0x0100
#define ACC_INTERFACE 0x0200
#define ACC_ABSTRACT 0x0400
#define ACC_STRICT 0x0800
#define ACC_SYNTHETIC 0x1000
#define ACC_ANNOTATION 0x2000
#define ACC_ENUM 0x4000
#define ACC_MANDATED 0x8000
#define ACC_MODULE 0x8000

/* Constant-pool tags (JVMS table 4.4-A). CP_UNUSABLE marks the slot after a long or double. */
enum CpTag {
    CP_UNUSABLE = 0,
    CP_UTF8 = 1,
    CP_INTEGER = 3,
    CP_FLOAT = 4,
    CP_LONG = 5,
    CP_DOUBLE = 6,
    CP_CLASS = 7,
    CP_STRING = 8,
    CP_FIELDREF = 9,
    CP_METHODREF = 10,
    CP_INTERFACE_METHODREF = 11,
    CP_NAME_AND_TYPE = 12,
    CP_METHOD_HANDLE = 15,
    CP_METHOD_TYPE = 16,
    CP_DYNAMIC = 17,
    CP_INVOKE_DYNAMIC = 18,
    CP_MODULE = 19,
    CP_PACKAGE = 20
};

/* Method handle kinds (JVMS table 5.4.3.5-A). */
enum CpRefKind {
    REF_getField = 1,
    REF_getStatic,
    REF_putField,
    REF_putStatic,
    REF_invokeVirtual,
    REF_invokeStatic,
    REF_invokeSpecial,
    REF_newInvokeSpecial,
    REF_invokeInterface
};

/* A part of the caller's bytes: modified UTF-8, not terminated. ptr is NULL when absent. */
typedef struct ClassFileUtf8 {
    const uint8_t *ptr;
    uint16_t len;
} ClassFileUtf8;

/* A raw attribute body (without name and length). ptr is NULL when the attribute is absent. */
typedef struct ClassFileBytes {
    const uint8_t *ptr;
    uint32_t len;
} ClassFileBytes;

typedef struct CpEntry {
    uint8_t tag;       /* enum CpTag */
    uint8_t ref_kind;  /* METHOD_HANDLE: enum CpRefKind */
    uint16_t utf8_len; /* UTF8 */
    union {
        const uint8_t *utf8; /* UTF8 */
        int32_t i;           /* INTEGER */
        float f;             /* FLOAT (bit pattern kept, also readable through `i`) */
        int64_t j;           /* LONG */
        double d;            /* DOUBLE (also readable through `j`) */
        uint16_t name_index; /* CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE: UTF8 */
        uint16_t ref_index;  /* METHOD_HANDLE: a *REF entry */
        struct {             /* FIELDREF, METHODREF, INTERFACE_METHODREF */
            uint16_t class_index, nat_index;
        } ref;
        struct { /* NAME_AND_TYPE */
            uint16_t name_index, desc_index;
        } nat;
        struct { /* DYNAMIC, INVOKE_DYNAMIC */
            uint16_t bsm_index, nat_index;
        } dyn;
    } u;
} CpEntry;

/*
 * Annotations that the VM interprets (annotations.def), by the bit that records their presence
 * among the RuntimeVisibleAnnotations of a class, method or field. The reader only reports them;
 * whether the class's loader may use them is up to the VM.
 */
enum ClassFileAnnotation {
#define ANNOTATION(name, bit, descriptor) CFA_##name = 1 << bit,
#include "bytecode/classfile/annotations.def"
#undef ANNOTATION
    CFA_ALL = -1
};

/* Attributes without content, as bits. */
enum ClassFileMark { CFM_SYNTHETIC = 1 << 0, CFM_DEPRECATED = 1 << 1 };

typedef struct ClassFileField {
    uint16_t access_flags;
    uint16_t name_index;           /* UTF8 */
    uint16_t desc_index;           /* UTF8 */
    uint16_t constant_value_index; /* 0: none; else of the field's type. Static fields only */
    uint16_t signature_index;      /* UTF8; 0: none */
    uint16_t marks;                /* CFM_* */
    uint32_t annotation_mask;      /* CFA_* */
    ClassFileBytes annotations;    /* RuntimeVisibleAnnotations */
    ClassFileBytes type_annotations;
} ClassFileField;

typedef struct ClassFileHandler {
    uint16_t start_pc, end_pc, handler_pc;
    uint16_t catch_type; /* CLASS; 0: any */
} ClassFileHandler;

typedef struct ClassFileLine {
    uint16_t start_pc, line;
} ClassFileLine;

typedef struct ClassFileLocal {
    uint16_t start_pc, length;
    uint16_t name_index;      /* UTF8 */
    uint16_t desc_index;      /* UTF8 */
    uint16_t signature_index; /* UTF8, from LocalVariableTypeTable; 0: none */
    uint16_t slot;
} ClassFileLocal;

typedef struct ClassFileCode {
    const uint8_t *code;
    uint32_t code_len; /* 1..65535 */
    uint16_t max_stack, max_locals;
    uint32_t line_count;
    uint32_t local_count;
    uint16_t handler_count;
    bool has_stack_map;
    const ClassFileHandler *handlers; /* in class-file order, which is search order */
    const ClassFileLine *lines;       /* in class-file order; several tables are concatenated */
    const ClassFileLocal *locals;
    ClassFileBytes stack_map; /* StackMapTable */
    ClassFileBytes type_annotations;
} ClassFileCode;

typedef struct ClassFileMethod {
    uint16_t access_flags;
    uint16_t name_index; /* UTF8 */
    uint16_t desc_index; /* UTF8 */
    uint16_t arg_slots;  /* parameters in slots, long and double two; `this` included */
    uint16_t signature_index;
    uint16_t marks;           /* CFM_* */
    uint32_t annotation_mask; /* CFA_* */
    uint16_t exception_count;
    const uint16_t *exceptions; /* CLASS indexes of the Exceptions attribute */
    const ClassFileCode *code;  /* NULL: abstract or native */
    ClassFileBytes annotations;
    ClassFileBytes parameter_annotations;
    ClassFileBytes type_annotations;
    ClassFileBytes annotation_default;
    ClassFileBytes method_parameters; /* MethodParameters body, u1 count first */
} ClassFileMethod;

typedef struct ClassFileInnerClass {
    uint16_t inner_class_index; /* CLASS */
    uint16_t outer_class_index; /* CLASS; 0: local, anonymous or top level */
    uint16_t name_index;        /* UTF8; 0: anonymous */
    uint16_t access_flags;
} ClassFileInnerClass;

typedef struct ClassFileRecordComponent {
    uint16_t name_index;
    uint16_t desc_index;
    uint16_t signature_index;
    ClassFileBytes annotations;
    ClassFileBytes type_annotations;
} ClassFileRecordComponent;

typedef struct ClassFileBootstrap {
    uint16_t method_ref; /* METHOD_HANDLE */
    uint16_t arg_count;
    const uint16_t *args; /* indexes of loadable constants */
} ClassFileBootstrap;

typedef struct ClassFile {
    const uint8_t *bytes; /* the caller's, like all raw pointers below */
    size_t len;
    uint16_t minor, major;
    uint16_t access_flags; /* as HotSpot stores them; ACC_MODULE never occurs */
    uint16_t this_class;   /* CLASS */
    uint16_t super_class;  /* CLASS; 0 only for java/lang/Object */
    uint16_t cp_count;     /* entries 1..cp_count-1 */
    uint16_t interface_count;
    uint16_t field_count;
    uint16_t method_count;
    uint16_t inner_class_count;
    uint16_t nest_member_count;
    uint16_t permitted_count;
    uint16_t record_count;
    uint16_t bootstrap_count;
    uint16_t source_file_index; /* UTF8; 0: none */
    uint16_t signature_index;   /* UTF8; 0: none */
    uint16_t enclosing_class;   /* EnclosingMethod: CLASS; 0: none */
    uint16_t enclosing_method;  /* NAME_AND_TYPE; 0: none */
    uint16_t nest_host;         /* CLASS; 0: none */
    bool has_inner_classes;     /* attribute present, even if empty */
    bool has_nest_members;
    bool has_permitted;
    bool has_record;
    bool has_bootstrap;
    uint16_t marks;             /* CFM_* */
    uint32_t annotation_mask;   /* CFA_* */
    const CpEntry *cp;          /* [cp_count], entry 0 unusable */
    const uint16_t *interfaces; /* CLASS indexes */
    const ClassFileField *fields;
    const ClassFileMethod *methods;
    const ClassFileInnerClass *inner_classes;
    const uint16_t *nest_members; /* CLASS indexes */
    const uint16_t *permitted;    /* CLASS indexes */
    const ClassFileRecordComponent *record;
    const ClassFileBootstrap *bootstraps;
    ClassFileBytes source_debug; /* SourceDebugExtension, modified UTF-8 */
    ClassFileBytes annotations;
    ClassFileBytes type_annotations;
    void *arena; /* private to classfile.c */
} ClassFile;

typedef struct ClassFileOptions {
    ClassFileUtf8 expected_name; /* internal form (java/lang/Object); ptr NULL: any name is accepted */
    bool trusted;                /* boot loader: skip the format checks (see top) */
    bool enable_preview;         /* accept minor version 65535 of the newest major version */
} ClassFileOptions;

enum ClassFileErrorKind {
    CLASSFILE_OK,
    CLASSFILE_FORMAT,   /* java.lang.ClassFormatError */
    CLASSFILE_VERSION,  /* java.lang.UnsupportedClassVersionError */
    CLASSFILE_NAME,     /* java.lang.NoClassDefFoundError: not the requested name, or a module */
    CLASSFILE_NO_MEMORY /* malloc failed: java.lang.OutOfMemoryError */
};

typedef struct ClassFileError {
    enum ClassFileErrorKind kind;
    char msg[512]; /* Java's exception message, UTF-8, terminated */
} ClassFileError;

/*
 * Parses one class file. Returns a ClassFile to be released with classfile_free(), or NULL with
 * *err filled. `opt` may be NULL (all zero). `err` must not be NULL. Allocates with malloc only;
 * any thread.
 */
ClassFile *classfile_parse(const uint8_t *bytes, size_t len, const ClassFileOptions *opt, ClassFileError *err);

/* Releases the arena, not the bytes. NULL is allowed. */
void classfile_free(ClassFile *cf);

/* Internal name of the exception class for an error kind, e.g. "java/lang/ClassFormatError". */
const char *classfile_error_class(enum ClassFileErrorKind kind);

/* utf8 constant at `index`; {NULL, 0} for index 0. The index must be of a UTF8 entry or 0. */
static inline ClassFileUtf8 classfile_utf8(const ClassFile *cf, uint16_t index) {
    if (index == 0) return (ClassFileUtf8){0, 0};
    return (ClassFileUtf8){cf->cp[index].u.utf8, cf->cp[index].utf8_len};
}

/* The name in a CLASS, STRING, METHOD_TYPE, MODULE or PACKAGE entry; {NULL, 0} for index 0. */
static inline ClassFileUtf8 classfile_name_of(const ClassFile *cf, uint16_t index) {
    return index == 0 ? (ClassFileUtf8){0, 0} : classfile_utf8(cf, cf->cp[index].u.name_index);
}

static inline ClassFileUtf8 classfile_this_name(const ClassFile *cf) { return classfile_name_of(cf, cf->this_class); }

/* Class, name and descriptor of a FIELDREF, METHODREF or INTERFACE_METHODREF. */
static inline ClassFileUtf8 classfile_ref_class(const ClassFile *cf, uint16_t index) {
    return classfile_name_of(cf, cf->cp[index].u.ref.class_index);
}

/* The nat index is at the same place in *REF, DYNAMIC and INVOKE_DYNAMIC entries. */
static inline const CpEntry *classfile_nat(const ClassFile *cf, uint16_t index) {
    return &cf->cp[cf->cp[index].u.ref.nat_index];
}
static inline ClassFileUtf8 classfile_ref_name(const ClassFile *cf, uint16_t index) {
    return classfile_utf8(cf, classfile_nat(cf, index)->u.nat.name_index);
}
static inline ClassFileUtf8 classfile_ref_desc(const ClassFile *cf, uint16_t index) {
    return classfile_utf8(cf, classfile_nat(cf, index)->u.nat.desc_index);
}

/* Byte-wise equality with another ClassFileUtf8, or with a C string. */
bool classfile_utf8_equal(ClassFileUtf8 a, ClassFileUtf8 b);
bool classfile_utf8_is(ClassFileUtf8 a, const char *s);

/*
 * Source line of a bci, or -1 if unknown: the entry with the greatest start_pc that is not above
 * bci.
 */
int classfile_line_of(const ClassFileCode *code, uint32_t bci);

#endif
