/*
 * Field and method descriptors, and names (JVMS 4.2, 4.3). Pure functions over modified UTF-8
 * bytes; nothing here allocates, and any thread may call.
 *
 * Type characters: B C D F I J S Z, L (class), [ (array), V (void, return only).
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_DESCRIPTOR_H
#define CABERNET_BYTECODE_CLASSFILE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrays may have this many dimensions (JVMS 4.3.2), methods this many argument slots (4.3.3). */
#define DESCRIPTOR_MAX_DIMS 255
#define DESCRIPTOR_MAX_ARG_SLOTS 255

/* One parameter or return type inside a descriptor. */
typedef struct DescriptorType {
    char kind;          /* type character as above */
    uint8_t slots;      /* 0 for V, 2 for J and D, else 1 */
    uint16_t dims;      /* array dimensions, 0 for none */
    char element;       /* type character of the element ('L' or primitive); = kind without dims */
    const uint8_t *ptr; /* the whole type in the descriptor: "I", "[[Ljava/lang/String;" */
    uint32_t len;
    const uint8_t *name; /* element class's internal name without L and ;, or NULL */
    uint32_t name_len;
} DescriptorType;

/*
 * Walks the parameters of a method descriptor:
 *   DescriptorIter it; DescriptorType t;
 *   for (descriptor_begin(&it, d, len); descriptor_next(&it, &t);) ...   parameters
 *   descriptor_return(&it, &t)                                          the return type
 * On a malformed descriptor descriptor_next returns false early and descriptor_return returns
 * false.
 */
typedef struct DescriptorIter {
    const uint8_t *p, *end;
    bool bad;
} DescriptorIter;
void descriptor_begin(DescriptorIter *it, const uint8_t *desc, uint32_t len);
bool descriptor_next(DescriptorIter *it, DescriptorType *out);
bool descriptor_return(DescriptorIter *it, DescriptorType *out);

/*
 * Reads one type (void allowed if `allow_void`) at desc. Returns the bytes it takes, or 0 if it is
 * malformed. Class names inside must be valid by the rules of version 49 and later.
 */
uint32_t descriptor_type(const uint8_t *desc, uint32_t len, bool allow_void, DescriptorType *out);

/* Validity of a descriptor or name, as far as error messages distinguish cases. */
enum DescriptorFault {
    DESCRIPTOR_OK,
    DESCRIPTOR_MALFORMED,
    DESCRIPTOR_BAD_CLASS_NAME, /* version >= 49: class name empty or with an illegal character */
    DESCRIPTOR_TOO_MANY_DIMS
};
/* Is this exactly one field type? `legacy_names`: class-file version < 49, Java identifiers only. */
enum DescriptorFault descriptor_check_field(const uint8_t *desc, uint32_t len, bool legacy_names);
/* Sets *arg_slots (without `this`) when the result is DESCRIPTOR_OK. */
enum DescriptorFault descriptor_check_method(const uint8_t *desc, uint32_t len, bool legacy_names, unsigned *arg_slots);

/*
 * Argument slots of a method descriptor (without `this`), or -1 if it is malformed. Does not
 * enforce the limit of 255, since only the caller knows whether `this` counts.
 */
int descriptor_valid_method(const uint8_t *desc, uint32_t len, bool legacy_names);

/* Argument slots without `this`; return type character. For descriptors known to be valid. */
unsigned descriptor_arg_slots(const uint8_t *desc, uint32_t len);
unsigned descriptor_param_count(const uint8_t *desc, uint32_t len);
char descriptor_return_char(const uint8_t *desc, uint32_t len);

/*
 * The shape of a call as a short string, by which call stubs and prepared call interfaces are
 * shared: one character per parameter, then one for the return type. Types that the calling
 * convention does not distinguish are merged: Z B C S keep their letters, arrays and classes become
 * L. Example: (ILjava/lang/String;[JD)Z -> "ILLDZ". Writes at most cap-1 characters and a
 * terminator; returns the full length (parameters + 1), or 0 when malformed.
 */
size_t descriptor_shape(const uint8_t *desc, uint32_t len, char *out, size_t cap);

/* Slots of a value with this type character: 0 V, 2 J D, else 1. */
static inline unsigned descriptor_slots(char kind) { return kind == 'J' || kind == 'D' ? 2 : kind != 'V'; }

/*
 * Name syntax. Class names are in internal form, never arrays; method names include <init> and
 * <clinit>. descriptor_valid_class_ref() accepts the names of a CLASS constant: a class or an array
 * descriptor. `legacy_names` requires Java identifiers (class-file version < 49); characters
 * outside ASCII are then accepted unchecked, since only the class library knows their categories.
 */
enum DescriptorNameKind { DESCRIPTOR_CLASS_NAME, DESCRIPTOR_FIELD_NAME, DESCRIPTOR_METHOD_NAME };
bool descriptor_valid_name(const uint8_t *name, uint32_t len, enum DescriptorNameKind kind, bool legacy_names);
bool descriptor_valid_class_ref(const uint8_t *name, uint32_t len, bool legacy_names);

#endif
