/*
 * The instruction table, from opcodes.def, and the decoding of lengths, locals and switches.
 * Constant data and pure functions: no locks, no allocation. JVMS 6.5.
 */
#include "bytecode/classfile/opcodes.h"

#include <stddef.h>

enum {
    LEN_NONE = 1,
    LEN_S1 = 2,
    LEN_S2 = 3,
    LEN_CP1 = 2,
    LEN_CP2 = 3,
    LEN_LOCAL = 2,
    LEN_IINC = 3,
    LEN_BR2 = 3,
    LEN_BR4 = 5,
    LEN_TABLE = 0,
    LEN_LOOKUP = 0,
    LEN_INVIF = 5,
    LEN_INVDYN = 5,
    LEN_ATYPE = 2,
    LEN_MULTI = 4,
    LEN_WIDE = 0
};

const OpcodeInfo opcodes_info[256] = {
#define OPCODE(name, value, format, effect, flags) [value] = {#name, effect, flags, OPFMT_##format, LEN_##format},
#include "bytecode/classfile/opcodes.def"
#undef OPCODE
};

const char *opcodes_name(unsigned opcode) {
    const char *name = opcode < 256 ? opcodes_info[opcode].name : NULL;
    return name ? name : "illegal";
}

/* Length of a switch; 0 if malformed or truncated. */
static uint32_t switch_length(const uint8_t *code, uint32_t code_len, uint32_t bci) {
    uint32_t base = (bci & ~3u) + 4; /* of the first aligned operand */
    bool is_table = code[bci] == OPC_tableswitch;
    uint32_t fixed = is_table ? 12 : 8;
    if (base > code_len || code_len - base < fixed) return 0;
    int64_t count;
    if (is_table) count = (int64_t)bytes_s4(code + base + 8) - bytes_s4(code + base + 4) + 1;
    else count = bytes_s4(code + base + 4);
    /* An empty lookupswitch is legal; a tableswitch has at least one entry. */
    if (count < (is_table ? 1 : 0)) return 0;
    uint32_t entry = is_table ? 4 : 8;
    if (count > (code_len - base - fixed) / entry) return 0;
    return base + fixed + (uint32_t)count * entry - bci;
}

static uint32_t wide_length(const uint8_t *code, uint32_t left, uint32_t bci) {
    if (left < 2) return 0;
    uint8_t op = code[bci + 1];
    uint32_t len = 0;
    if (opcodes_info[op].name && opcodes_info[op].format == OPFMT_LOCAL) len = 4;
    else if (op == OPC_iinc) len = 6;
    return len <= left ? len : 0;
}

uint32_t opcodes_length(const uint8_t *code, uint32_t code_len, uint32_t bci) {
    if (bci >= code_len) return 0;
    const OpcodeInfo *info = &opcodes_info[code[bci]];
    uint32_t left = code_len - bci;
    if (info->length != 0) return info->length <= left ? info->length : 0;
    switch (code[bci]) {
        case OPC_tableswitch:
        case OPC_lookupswitch: return switch_length(code, code_len, bci);
        case OPC_wide: return wide_length(code, left, bci);
        default: return 0;
    }
}

unsigned opcodes_local(const uint8_t *code, uint32_t bci, unsigned *index) {
    bool wide = code[bci] == OPC_wide;
    uint8_t op = code[wide ? bci + 1 : bci];
    const OpcodeInfo *info = &opcodes_info[op];
    if (info->format == OPFMT_LOCAL || info->format == OPFMT_IINC) {
        *index = wide ? bytes_u2(code + bci + 2) : code[bci + 1];
    } else if (info->flags & OPF_LOAD) {
        *index = (unsigned)(op - OPC_iload_0) & 3;
    } else if (info->flags & OPF_STORE) {
        *index = (unsigned)(op - OPC_istore_0) & 3;
    } else {
        return 0;
    }
    char type = info->effect[0] == '>' ? info->effect[1] : info->effect[0];
    return type == 'J' || type == 'D' ? 2 : 1;
}

OpcodeSwitch opcodes_switch(const uint8_t *code, uint32_t bci) {
    OpcodeSwitch s;
    s.base = code + (bci & ~3u) + 4;
    s.bci = bci;
    s.is_table = code[bci] == OPC_tableswitch;
    s.low = 0;
    if (s.is_table) {
        s.low = bytes_s4(s.base + 4);
        s.count = (uint32_t)((int64_t)bytes_s4(s.base + 8) - s.low + 1);
    } else {
        s.count = bytes_u4(s.base + 4);
    }
    return s;
}

int32_t opcodes_switch_key(const OpcodeSwitch *s, uint32_t i) {
    if (s->is_table) return (int32_t)((uint32_t)s->low + i);
    return bytes_s4(s->base + 8 + (size_t)i * 8);
}

uint32_t opcodes_switch_target(const OpcodeSwitch *s, uint32_t i) {
    const uint8_t *p;
    if (i == s->count) p = s->base;
    else if (s->is_table) p = s->base + 12 + (size_t)i * 4;
    else p = s->base + 12 + (size_t)i * 8;
    return s->bci + bytes_u4(p);
}
