/*
 * The instruction set in C: enum and table generated from opcodes.def, and the decoding of
 * instruction lengths, operands and branch targets. Pure functions over bytes, safe from any
 * thread.
 *
 * Functions that take `code_len` accept any bytes and report errors; the others need code that
 * code_check() (bytecode/verifier/verify.h) has accepted. JVMS 6.5.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_OPCODES_H
#define CABERNET_BYTECODE_CLASSFILE_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

#include "bytecode/classfile/bytes.h"

enum Opcode {
#define OPCODE(name, value, format, effect, flags) OPC_##name = value,
#include "bytecode/classfile/opcodes.def"
#undef OPCODE
    OPC_COUNT = 202
};

enum OpcodeFormat {
    OPFMT_NONE,
    OPFMT_S1,     /* signed byte constant */
    OPFMT_S2,     /* signed short constant */
    OPFMT_CP1,    /* u1 constant-pool index */
    OPFMT_CP2,    /* u2 constant-pool index */
    OPFMT_LOCAL,  /* u1 local variable index (u2 under wide) */
    OPFMT_IINC,   /* u1 local, s1 constant (u2, s2 under wide) */
    OPFMT_BR2,    /* s2 branch offset */
    OPFMT_BR4,    /* s4 branch offset */
    OPFMT_TABLE,  /* tableswitch: padding, s4 default, low, high, offsets */
    OPFMT_LOOKUP, /* lookupswitch: padding, s4 default, npairs, (match, offset)... */
    OPFMT_INVIF,  /* u2 constant-pool index, u1 argument slots, u1 zero */
    OPFMT_INVDYN, /* u2 constant-pool index, u2 zero */
    OPFMT_ATYPE,  /* u1 primitive array type */
    OPFMT_MULTI,  /* u2 constant-pool index, u1 dimensions */
    OPFMT_WIDE    /* opcode, then its operands doubled */
};

enum OpcodeFlags {
    OPF_BRANCH = 1 << 0,   /* has one or more branch targets in its operands */
    OPF_COND = 1 << 1,     /* conditional: may also fall through */
    OPF_STOP = 1 << 2,     /* never falls through */
    OPF_SWITCH = 1 << 3,   /* tableswitch, lookupswitch */
    OPF_RETURN = 1 << 4,   /* leaves the method normally */
    OPF_JSR = 1 << 5,      /* jsr, jsr_w, ret */
    OPF_THROWS = 1 << 6,   /* can itself raise an exception or linkage error */
    OPF_ALLOC = 1 << 7,    /* can allocate a Java object (other than the exception it throws) */
    OPF_INVOKE = 1 << 8,   /* the five invocations */
    OPF_FIELD = 1 << 9,    /* the four field accesses */
    OPF_CP = 1 << 10,      /* has a constant-pool index as first operand */
    OPF_LOAD = 1 << 11,    /* reads a local variable */
    OPF_STORE = 1 << 12,   /* writes a local variable */
    OPF_ARRAY = 1 << 13,   /* array element load or store */
    OPF_MONITOR = 1 << 14, /* monitorenter, monitorexit */
    OPF_RESULT = 1 << 15   /* computes a value: arithmetic, conversions, three-way comparisons, arraylength */
};

typedef struct OpcodeInfo {
    const char *name;   /* mnemonic; NULL: not an opcode */
    const char *effect; /* see opcodes.def */
    uint16_t flags;     /* OPF_* */
    uint8_t format;     /* enum OpcodeFormat */
    uint8_t length;     /* bytes with operands; 0 for tableswitch, lookupswitch, wide, no opcode */
} OpcodeInfo;

/* Indexed by opcode byte; constant. */
extern const OpcodeInfo opcodes_info[256];

/* Mnemonic, or "illegal". Never NULL. */
const char *opcodes_name(unsigned opcode);

/*
 * Length in bytes of the instruction at `bci`, aware of wide and the switches' padding and tables.
 * Returns 0 when there is no valid opcode there, the instruction runs past `code_len`, wide
 * prefixes an opcode that has no wide form, or a switch has high < low or a negative or oversized
 * pair count. Padding bytes and operands are not checked otherwise.
 */
uint32_t opcodes_length(const uint8_t *code, uint32_t code_len, uint32_t bci);

/*
 * Local variable read or written at `bci` (loads, stores, iinc, ret, in all forms and under wide).
 * Returns the number of slots used (1, or 2 for long and double) and sets *index, or returns 0 when
 * the instruction touches no local. Needs checked code.
 */
unsigned opcodes_local(const uint8_t *code, uint32_t bci, unsigned *index);

/* The opcode of the instruction at `bci`; for a wide instruction, the opcode after the prefix. */
static inline unsigned opcodes_at(const uint8_t *code, uint32_t bci) {
    return code[bci] == OPC_wide ? code[bci + 1] : code[bci];
}

/* An OPF_ARRAY instruction: whether it stores, and the element type as in a descriptor (B also for boolean). */
static inline bool opcodes_stores_element(unsigned opcode) { return opcode >= OPC_iastore; }
static inline char opcodes_element_type(unsigned opcode) {
    static const char types[] = "IJFDLBCS";
    return types[opcode - (opcodes_stores_element(opcode) ? OPC_iastore : OPC_iaload)];
}

/* First constant-pool index operand of an OPF_CP instruction. Needs checked code. */
static inline uint16_t opcodes_cp_index(const uint8_t *code, uint32_t bci) {
    return code[bci] == OPC_ldc ? code[bci + 1] : bytes_u2(code + bci + 1);
}

/*
 * A switch, read in place. Targets are bcis, computed modulo 2^32: an offset out of range gives a
 * bci >= code_len. Entry i: key opcodes_switch_key, target opcodes_switch_target; entry `count` of
 * opcodes_switch_target is the default. Needs opcodes_length() != 0 at `bci`.
 */
typedef struct OpcodeSwitch {
    const uint8_t *base; /* aligned operands */
    uint32_t bci;
    uint32_t count; /* cases without the default */
    int32_t low;    /* tableswitch */
    bool is_table;
} OpcodeSwitch;
OpcodeSwitch opcodes_switch(const uint8_t *code, uint32_t bci);
int32_t opcodes_switch_key(const OpcodeSwitch *s, uint32_t i);
uint32_t opcodes_switch_target(const OpcodeSwitch *s, uint32_t i);

/*
 * Target bci of a goto, jsr or conditional branch (BR2 or BR4 format), modulo 2^32 as above.
 * Needs opcodes_length() != 0 at `bci`.
 */
static inline uint32_t opcodes_branch_target(const uint8_t *code, uint32_t bci) {
    int32_t off = opcodes_info[code[bci]].format == OPFMT_BR4 ? bytes_s4(code + bci + 1) : bytes_s2(code + bci + 1);
    return bci + (uint32_t)off;
}

#endif
