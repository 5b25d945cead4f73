/*
 * Private to the checks of method bodies: the wording of errors of code_check() and the verifier.
 * The first error is kept; later ones are ignored, so callers may report errors while unwinding.
 */
#ifndef CABERNET_BYTECODE_VERIFIER_VERIFY_INTERNAL_H
#define CABERNET_BYTECODE_VERIFIER_VERIFY_INTERNAL_H

#include <setjmp.h>
#include <stdarg.h>

#include "bytecode/verifier/verify.h"
#include "bytecode/verifier/verify_types.h"

/* Appends formatted text to err->msg, truncated at its end. */
void verify_report_append(VerifyError *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void verify_report_append_name(VerifyError *err, ClassFileUtf8 name);

/* Starts an error: status, method number and bci, and the first line of its message. */
void verify_report_begin(VerifyError *err, enum VerifyStatus status, const ClassFile *cf, const ClassFileMethod *m,
                         uint32_t bci, const char *fmt, va_list args);

/* "Exception Details: Location: class.method @bci: instruction". */
void verify_report_location(VerifyError *err, const ClassFile *cf, const ClassFileMethod *m, uint32_t bci);

/* Code bytes and exception table, as the last part of a message. */
void verify_report_code(VerifyError *err, const ClassFileCode *code);

/* " in method 'void a.B.c(int)'", the end of messages of ClassFormatErrors about code. */
void verify_report_in_method(VerifyError *err, const ClassFile *cf, const ClassFileMethod *m);

/*
 * The verifier proper (verify.c, verify_frame.c). verify_class() owns the Verifier; the first error
 * longjmps there, where names and arena are released.
 */

/* Types of locals and operand stack at one place. Locals from local_count on are VT_TOP. */
typedef struct VerifyFrame {
    uint32_t bci;
    uint32_t local_count;
    uint32_t stack_count;
    bool this_uninit; /* flagThisUninit */
    VType *locals;
    VType *stack;
} VerifyFrame;

typedef struct VerifyArena VerifyArena;

enum { START_NONE, START_OTHER, START_NEW }; /* what starts at a bci: nothing, any instruction, a `new` */

typedef struct Verifier {
    const ClassFile *cf;
    const VerifyCallbacks *cb;
    VerifyError *err;
    VerifyNames names;
    VerifyArena *arena; /* of the current method */
    size_t arena_used;
    VType this_type, object_type, throwable_type;
    /* The current method. */
    const ClassFileMethod *m;
    const ClassFileCode *code;
    uint8_t *starts;     /* [code_len] START_* */
    VerifyFrame *frames; /* of the StackMapTable, by rising bci */
    uint32_t frame_count;
    VerifyFrame now;       /* before, then during, the instruction at now.bci */
    uint32_t mark;         /* stack_count before the instruction, for reports */
    VType return_type;     /* VT_TOP for void */
    bool is_init;          /* <init> */
    bool dead;             /* the instruction before does not fall through */
    bool this_became_init; /* the current instruction initialised `this` */
    jmp_buf out;
} Verifier;

/* The source of a type in a report. */
enum VerifyOriginKind {
    ORIGIN_NONE,  /* no type */
    ORIGIN_LOCAL, /* current frame, index */
    ORIGIN_STACK,
    ORIGIN_MAP_LOCAL, /* stack map frame, index */
    ORIGIN_MAP_STACK,
    ORIGIN_CP,        /* constant pool index */
    ORIGIN_SIGNATURE, /* the method's own descriptor */
    ORIGIN_IMPLIED    /* the instruction */
};
typedef struct VerifyOrigin {
    enum VerifyOriginKind kind;
    VType type;
    uint32_t index;
} VerifyOrigin;

static inline VerifyOrigin verify_implied(VType t) { return (VerifyOrigin){ORIGIN_IMPLIED, t, 0}; }

/*
 * Errors with their details. `now` and `map` are the frames to show, or NULL. All end the
 * verification.
 */
_Noreturn void verify_fail_type(Verifier *v, uint32_t bci, VerifyOrigin is, VerifyOrigin wanted, const VerifyFrame *now,
                                const VerifyFrame *map, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
_Noreturn void verify_fail_reason(Verifier *v, uint32_t bci, const char *reason, const VerifyFrame *now,
                                  const VerifyFrame *map, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
_Noreturn void verify_fail_format(Verifier *v, bool in_method, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void verify_fail_status(Verifier *v, enum VerifyStatus status);

#define VERIFY_BAD_CODE "Error exists in the bytecode"

/* Memory for the current method. Ends the verification when out of memory. */
void *verify_frame_alloc(Verifier *v, size_t size);
void verify_frame_free_arena(Verifier *v);

/* Reference types. */
VType verify_frame_ref(Verifier *v, VerifyName name);
VType verify_frame_class_type(Verifier *v, uint16_t cp_index);
VType verify_frame_named(Verifier *v, const char *name);
/* Type words of a field descriptor or part of a method's: 1, or 2 for long and double. */
unsigned verify_frame_words(Verifier *v, const DescriptorType *t, VType out[2]);

/* Is `from` assignable to `to`? May call back. */
bool verify_frame_assignable(Verifier *v, VType from, VType to);

/* Sets up v->now at the method's entry, and decodes its StackMapTable. */
void verify_frame_enter(Verifier *v);
void verify_frame_read_map(Verifier *v);
const VerifyFrame *verify_frame_at(const Verifier *v, uint32_t bci);

/* Operations on the current frame, with their errors. */
void verify_frame_push(Verifier *v, VType t);
VType verify_frame_pop(Verifier *v, VType wanted);
void verify_frame_pop_wide(Verifier *v, VType second, VType first);
VType verify_frame_get_local(Verifier *v, uint32_t index, VType wanted);
void verify_frame_get_wide_local(Verifier *v, uint32_t index, VType first, VType second);
void verify_frame_set_local(Verifier *v, uint32_t index, VType t);
void verify_frame_set_wide_local(Verifier *v, uint32_t index, VType first, VType second);
void verify_frame_replace(Verifier *v, VType old, VType with);

/* Origin of the type popped last. */
VerifyOrigin verify_frame_popped(const Verifier *v);

/* Checks that `from` fits `map`; otherwise ends with fmt, which takes the map's bci. */
void verify_frame_match(Verifier *v, const VerifyFrame *from, const VerifyFrame *map, const char *fmt);

#endif
