/*
 * Private to the verifier: verification types (JVMS 4.10.1.2) as 32-bit words.
 *
 * The low bits are the kind; the upper bits are the reference type's number in the class's name
 * table, or the bci of the `new` that made an uninitialized object. Two types are equal when their
 * words are. Long and double take two words, the second of kind VT_LONG2 or VT_DOUBLE2, in locals
 * and on the stack.
 *
 * Names: every reference type met in a class is entered once in VerifyNames, in the form of array
 * dimensions plus element, so that the component of an array, and arrays of it, need no new bytes.
 * The bytes belong to the ClassFile.
 */
#ifndef CABERNET_BYTECODE_VERIFIER_VERIFY_TYPES_H
#define CABERNET_BYTECODE_VERIFIER_VERIFY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "bytecode/classfile/classfile.h"
#include "bytecode/classfile/descriptor.h"

typedef uint32_t VType;

enum {
    VT_TOP,
    VT_INT,
    VT_FLOAT,
    VT_LONG,
    VT_LONG2,
    VT_DOUBLE,
    VT_DOUBLE2,
    VT_NULL,
    VT_UNINIT_THIS,
    VT_UNINIT,
    VT_REF,
    /* Only as expected types, never as actual ones: */
    VT_ANY_REF, /* any reference, initialized or not */
    VT_CAT1,
    VT_CAT2,
    VT_CAT2_2ND,
    VT_BOOLEAN, /* return types; an int is accepted */
    VT_BYTE,
    VT_CHAR,
    VT_SHORT,
    VT_KIND_BITS = 5
};

static inline unsigned vtype_kind(VType t) { return t & ((1u << VT_KIND_BITS) - 1); }
static inline uint32_t vtype_payload(VType t) { return t >> VT_KIND_BITS; }
static inline VType vtype_make(unsigned kind, uint32_t payload) { return kind | payload << VT_KIND_BITS; }
static inline bool vtype_is_second(VType t) { return vtype_kind(t) == VT_LONG2 || vtype_kind(t) == VT_DOUBLE2; }
/* First word of a long or double. */
static inline bool vtype_is_wide(VType t) { return vtype_kind(t) == VT_LONG || vtype_kind(t) == VT_DOUBLE; }

typedef struct VerifyName {
    const uint8_t *ptr; /* class name; NULL for arrays of primitives */
    uint16_t len;
    uint8_t dims;
    char element; /* 'L' or a primitive's type character */
} VerifyName;

typedef struct VerifyNames {
    VerifyName *list;
    uint32_t count, cap;
    HashTable table; /* list index + 1 */
} VerifyNames;

/*
 * Number of a name, added if new. Returns UINT32_MAX when malloc fails. Numbers stay valid;
 * pointers into `list` are invalid after the next call.
 */
uint32_t verify_types_enter(VerifyNames *names, VerifyName name);

/* Name of a CLASS constant: a class, or an array in descriptor form (known to be well-formed). */
VerifyName verify_types_of_class(ClassFileUtf8 name);
VerifyName verify_types_of_descriptor(const DescriptorType *t);

#endif
