// Decoding of x86-64 instructions: their length, reads and writes (Intel's manual, volume 2, chapter 2 and appendix A).
// An instruction consists of prefixes, an opcode of one of several maps, an optional ModRM byte with the bytes that it
// requires, and an optional immediate operand. A letter for each opcode gives the bytes after it:
//
//   .  nothing               m  ModRM
//   b  immediate byte        B  ModRM, byte
//   w  16 bits               z  32 bits, 16 with an operand size prefix
//   d  32 bits               Z  ModRM, as z
//   v  as z, 64 with REX.W   o  an address of 64 bits
//   e  24 bits               t  ModRM, byte if it is a test (reg 0, 1); T the same, as z
//   x  invalid, or a prefix
#include "arch_insn.h"

#include <string.h>

typedef struct Insn {
    const uint8_t *at;  // the next byte
    bool rex_w, narrow, high_reg;
    bool encoded;  // VEX or EVEX
    bool evex;
    uint8_t map, opcode;  // map 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, and those of EVEX
    uint8_t rex, repeat;  // the REX prefix, or its bits in VEX and EVEX, not inverted; F2 or F3
    uint8_t vector;       // bytes of a vector
    uint8_t third;        // the register named by VEX and EVEX in addition to ModRM
    bool has_modrm;
    uint8_t modrm, sib;
    int32_t displacement;
} Insn;

static const char one_byte[] = "mmmmbzxxmmmmbzxx"
                               "mmmmbzxxmmmmbzxx"
                               "mmmmbzxxmmmmbzxx"
                               "mmmmbzxxmmmmbzxx"
                               "xxxxxxxxxxxxxxxx"
                               "................"
                               "xxxmxxxxzZbB...."
                               "bbbbbbbbbbbbbbbb"
                               "BZxBmmmmmmmmmmmm"
                               "..........x....."
                               "oooo....bz......"
                               "bbbbbbbbvvvvvvvv"
                               "BBw.xxBZe.w..bx."
                               "mmmmxxx.mmmmmmmm"
                               "bbbbbbbbddxb...."
                               "x.xx..tT......mm";
static const char two_bytes[] = "mmmmx.....x.xm.B"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmxxxxmmmmmmmm"
                                "......x.xxxxxxxx"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "BBBBmmm.mmmmmmmm"
                                "dddddddddddddddd"
                                "mmmmmmmmmmmmmmmm"
                                "...mBmxx...mBmmm"
                                "mmmmmmmmmmBmmmmm"
                                "mmBmBBBm........"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm";

static void read_prefixes(Insn *i) {
    for (;; i->at++) {
        switch (*i->at) {
            case 0x66: i->narrow = true; break;
            case 0xf2:
            case 0xf3: i->repeat = *i->at; break;
            case 0x26:
            case 0x2e:
            case 0x36:
            case 0x3e:
            case 0x64:
            case 0x65:
            case 0x67:
            case 0xf0: break;
            default:
                if ((*i->at & 0xf0) == 0x40) i->rex = *i->at++;
                i->rex_w = i->rex & 8;
                i->high_reg = i->rex & 4;
                return;
        }
    }
}

// The opcode and its map. VEX and EVEX contain the opcode's prefixes: p[0] has the upper bits of registers, inverted,
// and p[1] has W, the third register, and the prefix.
static void read_encoded(Insn *i, const uint8_t *p, bool evex) {
    static const uint8_t repeats[4] = {0, 0, 0xf3, 0xf2};
    unsigned length = evex ? p[2] >> 5 & 3 : p[1] >> 2 & 1;
    *i = (Insn){.at = p + (evex ? 3 : 2),
                .encoded = true,
                .evex = evex,
                .map = p[0] & (evex ? 7 : 0x1f),
                .rex_w = p[1] & 0x80,
                .high_reg = !(p[0] & 0x80),
                .rex = (uint8_t)((~p[0] >> 5 & 7) | (p[1] & 0x80 ? 8 : 0)),
                .repeat = repeats[p[1] & 3],
                .narrow = (p[1] & 3) == 1,
                .vector = (uint8_t)(16u << length),
                .third = ~p[1] >> 3 & 15};
}

static void read_opcode(Insn *i) {
    const uint8_t *p = i->at;
    uint8_t first = *p;
    i->vector = 16;
    if (first == 0xc5) {  // short form of VEX: map 1, and only the highest bit of the register of ModRM
        read_encoded(i, (const uint8_t[]){(uint8_t)((p[1] & 0x80) | 0x61), p[1] & 0x7f}, false);
        i->at = p + 2;
    } else if (first == 0xc4 || first == 0x62) {
        read_encoded(i, p + 1, first == 0x62);
    } else if (first == 0x0f) {
        i->map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
        i->at += i->map == 1 ? 1 : 2;
    }
    i->opcode = *i->at++;
}

static char form_of(const Insn *i) {
    switch (i->map) {
        case 0: return one_byte[i->opcode];
        case 1: return two_bytes[i->opcode];
        case 2:
        case 5:
        case 6: return 'm';
        case 3: return 'B';
        default: return 'x';
    }
}

// The ModRM byte, and the SIB byte and displacement that it requires.
static void read_modrm(Insn *i) {
    i->has_modrm = true;
    i->modrm = *i->at++;
    unsigned mode = i->modrm >> 6, base = i->modrm & 7;
    if (mode == 3) return;
    if (base == 4) {
        i->sib = *i->at++;
        base = i->sib & 7;
    }
    if (mode == 1) {
        i->displacement = (int8_t)*i->at++;
    } else if (mode == 2 || base == 5) {
        memcpy(&i->displacement, i->at, 4);
        i->at += 4;
    }
}

static bool decode(Insn *i, const uint8_t *code) {
    *i = (Insn){.at = code};
    read_prefixes(i);
    read_opcode(i);
    char form = form_of(i);
    unsigned z = i->narrow && !i->rex_w && !i->encoded ? 2 : 4;
    if (form == 'x') return false;
    if (form == 'm' || form == 'B' || form == 'Z' || form == 't' || form == 'T') read_modrm(i);
    bool is_test = (i->modrm >> 3 & 7) < 2;
    switch (form) {
        case 'b':
        case 'B': i->at += 1; break;
        case 'w': i->at += 2; break;
        case 'e': i->at += 3; break;
        case 'd': i->at += 4; break;
        case 'o': i->at += 8; break;
        case 'z':
        case 'Z': i->at += z; break;
        case 'v': i->at += i->rex_w ? 8 : z; break;
        case 't': i->at += is_test ? 1 : 0; break;
        case 'T': i->at += is_test ? z : 0; break;
        default: break;
    }
    return true;
}

size_t arch_insn_length(const uint8_t *code) {
    Insn i;
    return decode(&i, code) ? (size_t)(i.at - code) : 0;
}

// Whether the instruction sets the ModRM register independently of its old value. Others that read memory combine it
// with the register; since any value of memory is possible, the old value is one possible result.
static bool replaces_register(const Insn *i) {
    if (i->encoded)
        return (i->map == 2 && (i->opcode == 0xf2 || (i->opcode >= 0xf5 && i->opcode <= 0xf7))) ||
            (i->map == 3 && i->opcode == 0xf0);
    switch (i->map) {
        case 0:
            return i->opcode == 0x8a || i->opcode == 0x8b || i->opcode == 0x63 || i->opcode == 0x69 ||
                i->opcode == 0x6b;
        case 1:
            return i->opcode == 0xb6 || i->opcode == 0xb7 || (i->opcode >= 0xbc && i->opcode <= 0xbf) ||
                i->opcode == 0xb8;
        case 2: return i->opcode == 0xf0 && !i->repeat;
        default: return false;
    }
}

int arch_insn_skip(ucontext_t *c) {
    Insn i;
    greg_t *registers = c->uc_mcontext.gregs;
    if (!decode(&i, (const uint8_t *)registers[REG_RIP])) return false;
    if (i.modrm >> 6 != 3 && replaces_register(&i)) {
        static const int by_number[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                          REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
        unsigned number = (i.modrm >> 3 & 7) | (i.high_reg ? 8u : 0u);
        bool byte = !i.encoded && i.map == 0 && i.opcode == 0x8a;
        if (byte && !i.rex && number >= 4) registers[by_number[number - 4]] &= ~(greg_t)0xff00;
        else if (byte) registers[by_number[number]] &= ~(greg_t)0xff;
        else if (i.narrow && !i.rex_w && !i.encoded) registers[by_number[number]] &= ~(greg_t)0xffff;
        else registers[by_number[number]] = 0;
    }
    registers[REG_RIP] = (greg_t)i.at;
    return true;
}

// ---- reads and writes of an instruction ----------------------------------------------------------

static uint16_t bit(unsigned r) { return (uint16_t)(1u << r); }
static bool is_register_form(const Insn *i) { return i->has_modrm && i->modrm >> 6 == 3; }
static unsigned reg_field(const Insn *i) { return i->modrm >> 3 & 7; }
static unsigned reg_number(const Insn *i) { return reg_field(i) | (i->rex & 4 ? 8u : 0u); }
static unsigned rm_number(const Insn *i) { return (i->modrm & 7) | (i->rex & 1 ? 8u : 0u); }

// Whether the register field of ModRM is part of the opcode.
static bool is_group(const Insn *i) {
    uint8_t op = i->opcode;
    if (i->map == 1)
        return (op >= 0x71 && op <= 0x73) || op == 0xba || op == 0xc7 || op == 0xae || op == 0x18 || op == 0x1f ||
            op == 0x0d || (op >= 0x90 && op <= 0x9f) || op <= 0x01;
    if (i->map == 2) return i->opcode == 0xf3 && i->encoded;
    return i->map == 0 &&
        (op == 0x80 || op == 0x81 || op == 0x83 || op == 0x8f || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
         (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe);
}

// Whether the register operands are vector registers. Others count as general registers.
static bool is_vector(const Insn *i) {
    uint8_t op = i->opcode;
    if (i->evex) return false;
    if (i->map == 1)
        return (op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f && op != 0x2a && op != 0x2c && op != 0x2d) ||
            (op >= 0x51 && op <= 0x7f && op != 0x6e && op != 0x7e) || op == 0xc2 || op == 0xc6 ||
            (op >= 0xd0 && op != 0xd7);
    if (i->map == 2) return op < 0xf0;
    if (i->map == 3) return op != 0xf0 && !(op >= 0x14 && op <= 0x17) && !(op >= 0x20 && op <= 0x22);
    return false;
}

static bool moves_bytes(const Insn *i) {
    return i->map == 0 && (i->opcode == 0x88 || i->opcode == 0x8a || i->opcode == 0xc6);
}
static bool is_narrow(const Insn *i) { return i->narrow && !i->rex_w && !i->encoded; }

// Whether the operand in ModRM's register field is completely written, independently of its old value.
static bool replaces_reg(const Insn *i) {
    uint8_t op = i->opcode;
    if (is_narrow(i) && i->map == 0) return false;
    if (i->map == 0) return op == 0x8b || op == 0x8d || op == 0x63 || op == 0x69 || op == 0x6b;
    if (i->map != 1 || i->evex) return false;
    if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) return !is_narrow(i);
    if (op == 0x2c || op == 0x2d) return i->repeat;
    return i->repeat == 0xf3 && (op == 0xb8 || op == 0xbc || op == 0xbd);
}

// The same for the operand in the other fields, a register or memory.
static bool replaces_rm(const Insn *i) {
    uint8_t op = i->opcode;
    if (i->map == 0) return !is_narrow(i) && (op == 0x89 || op == 0x88 || op == 0xc6 || op == 0xc7);
    if (i->map != 1) return false;
    return op == 0x11 || op == 0x13 || op == 0x17 || op == 0x29 || op == 0x2b || op == 0x7f || op == 0xd6 ||
        op == 0xe7 || op == 0xc3 || (op == 0x7e && i->repeat != 0xf3);
}

// Bytes of memory that an instruction with replaces_rm writes, at least.
static uint8_t bytes_written(const Insn *i) {
    if (i->map == 0) return moves_bytes(i) ? 1 : i->rex_w ? 8 : 4;
    if (i->evex) return 0;  // there may be a mask
    switch (i->opcode) {
        case 0x11: return i->repeat == 0xf2 ? 8 : i->repeat ? 4 : i->vector;
        case 0x13:
        case 0x17:
        case 0xd6: return 8;
        case 0x7e:
        case 0xc3: return i->rex_w ? 8 : 4;
        default: return i->vector;
    }
}

// Bytes of memory that any other instruction reads, at most.
static uint8_t bytes_read(const Insn *i) {
    uint8_t op = i->opcode;
    if (i->map == 0) {
        if (op >= 0xd8 && op <= 0xdf) return 16;
        bool is_wide = op == 0x8f || (op == 0xff && reg_field(i) >= 2 && reg_field(i) != 7);
        return (i->rex_w && op != 0x63) || is_wide ? 8 : 4;
    }
    if (i->map != 1) return 64;
    bool is_scalar = op == 0x10 || op == 0x2a || op == 0x2c || op == 0x2d || op == 0x51 ||
        (op >= 0x58 && op <= 0x5f && op != 0x5b) || op == 0xc2 || op == 0x7e;
    if (i->repeat && is_scalar && !i->evex) return i->repeat == 0xf3 && op != 0x7e && !i->rex_w ? 4 : 8;
    if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf || (op >= 0x90 && op <= 0x9f)) return 4;
    if ((op >= 0x40 && op <= 0x4f) || op == 0xa3 || op == 0xab || op == 0xaf || op == 0xb0 || op == 0xb1 ||
        op == 0xb3 || op == 0xba || op == 0xbb || op == 0xb8 || op == 0xbc || op == 0xbd || op == 0xc0 || op == 0xc1)
        return i->rex_w ? 8 : 4;
    return i->evex ? 64 : i->vector;
}

// Describes the memory operand. A register in its address other than the frame's is read.
static void describe_memory(const Insn *i, ArchInsn *out) {
    unsigned mode = i->modrm >> 6, rm = i->modrm & 7, base = rm_number(i);
    bool has_sib = rm == 4, has_index = false;
    if (has_sib) {
        unsigned index = (i->sib >> 3 & 7) | (i->rex & 2 ? 8u : 0u);
        has_index = index != ARCH_RSP;
        if (has_index) out->reads |= bit(index);
        base = (i->sib & 7) | (i->rex & 1 ? 8u : 0u);
        if (mode == 0 && (base & 7) == 5) return;  // no base
    } else if (mode == 0 && rm == 5) {
        if (i->map == 0 && i->opcode == 0x8d) out->address = i->at + i->displacement;
        return;
    }
    if (base != ARCH_RSP && base != ARCH_RBP) {
        out->reads |= bit(base);
        return;
    }
    bool is_lea = i->map == 0 && i->opcode == 0x8d, is_write = replaces_rm(i);
    if (is_lea) {
        out->frame_base = (uint8_t)base;
        out->frame_at = i->displacement;
        out->frame_address = true;
    } else if (has_index || (i->evex && mode == 1)) {  // EVEX scales the displacement
        out->frame_somewhere = !is_write;
    } else {
        out->frame_base = (uint8_t)base;
        out->frame_at = i->displacement;
        out->frame_written = is_write ? bytes_written(i) : 0;
        out->frame_read = is_write ? 0 : bytes_read(i);
    }
}

static void describe_operands(const Insn *i, ArchInsn *out) {
    if (!i->has_modrm) return;
    bool general = !is_vector(i), in_register = is_register_form(i);
    if (!in_register) describe_memory(i, out);
    uint8_t op = i->opcode;
    // Exclusive or, or subtraction, of a register and itself: zero.
    bool zeroes = i->map == 0 && in_register && !is_narrow(i) &&
        (op == 0x31 || op == 0x33 || op == 0x29 || op == 0x2b) && reg_number(i) == rm_number(i);
    if (zeroes) {
        out->writes |= bit(reg_number(i));
        return;
    }
    if (general && !is_group(i)) {
        if (replaces_reg(i)) out->writes |= bit(reg_number(i));
        else out->reads |= bit(reg_number(i));
    }
    if (!general || !in_register) return;
    // setcc writes a byte, which destroys any address; numbers 4 to 7 without a prefix are second bytes.
    if (i->map == 1 && (op & 0xf0) == 0x90 && !i->encoded) {
        if (i->rex || rm_number(i) < 4) out->writes |= bit(rm_number(i));
        return;
    }
    bool of_vector = i->map == 1 && replaces_rm(i) && op != 0x7e;
    if (replaces_rm(i) && !moves_bytes(i) && !of_vector) out->writes |= bit(rm_number(i));
    else out->reads |= bit(rm_number(i));
}

// Registers read without a field that names them. Most instructions read none of these; the excess only costs
// precision.
static uint16_t implied_reads(const Insn *i) {
    uint8_t op = i->opcode;
    uint16_t all = (uint16_t)(bit(ARCH_RAX) | bit(ARCH_RCX) | bit(ARCH_RDX) | bit(ARCH_RSI) | bit(ARCH_RDI));
    if (i->map == 1) {
        if (op == 0xa2 || op == 0xc7) return (uint16_t)(all | bit(ARCH_RBX));  // cpuid, cmpxchg16b
        if (op == 0xb0 || op == 0xb1 || op == 0xa5 || op == 0xad) return all;  // cmpxchg; shifts by cl
        return i->has_modrm || (op & 0xf0) == 0x80 || op == 0x0b ? 0 : all;
    }
    if (i->map) return i->encoded && !is_vector(i) ? (uint16_t)(bit(i->third) | bit(ARCH_RDX)) : i->map == 3 ? all : 0;
    if (op < 0x40) return op % 8 == 4 || op % 8 == 5 ? bit(ARCH_RAX) : 0;
    if ((op > 0x90 && op <= 0x97) || (op == 0x90 && i->rex & 1))
        return (uint16_t)(bit(ARCH_RAX) | bit((op & 7) | (i->rex & 1 ? 8u : 0u)));
    if (op == 0x98 || op == 0x99 || (op >= 0xa4 && op <= 0xaf) || op == 0xd2 || op == 0xd3 || op == 0xd7 ||
        op == 0xf6 || op == 0xf7 || (op >= 0xe0 && op <= 0xe7))
        return op == 0xd7 ? (uint16_t)(all | bit(ARCH_RBX)) : all;
    return 0;
}

static const uint8_t *near_target(const Insn *i) { return i->at + (int8_t)i->at[-1]; }
static const uint8_t *far_target(const Insn *i) {
    int32_t distance;
    memcpy(&distance, i->at - 4, 4);
    return i->at + distance;
}

// Arguments of calls are in these. A call is not said to write any register: no code reads a caller-saved register
// after it.
enum {
    ARGUMENTS = 1 << ARCH_RAX | 1 << ARCH_RCX | 1 << ARCH_RDX | 1 << ARCH_RSI | 1 << ARCH_RDI | 1 << 8 | 1 << 9 |
        1 << 10 | 1 << 13,
};

static void describe_flow(const Insn *i, ArchInsn *out) {
    uint8_t op = i->opcode;
    if (i->encoded || i->map > 1) return;
    if (i->map == 1) {
        if ((op & 0xf0) == 0x80) out->flow = ARCH_FLOW_BRANCH, out->address = far_target(i);
        else if (op == 0x0b) out->flow = ARCH_FLOW_END;
        return;
    }
    if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3)) out->flow = ARCH_FLOW_BRANCH, out->address = near_target(i);
    else if (op == 0xeb) out->flow = ARCH_FLOW_JUMP, out->address = near_target(i);
    else if (op == 0xe9) out->flow = ARCH_FLOW_JUMP, out->address = far_target(i);
    else if (op == 0xc2 || op == 0xc3 || op == 0xcc || op == 0xf4) out->flow = ARCH_FLOW_END;
    else if (op == 0xe8 || (op == 0xff && reg_field(i) == 2)) out->flow = ARCH_FLOW_CALL, out->reads |= ARGUMENTS;
    else if (op == 0xff && reg_field(i) == 4) out->flow = ARCH_FLOW_INDIRECT;
}

static void describe_stack(const Insn *i, ArchInsn *out) {
    uint8_t op = i->opcode;
    bool of_sp = is_register_form(i) && rm_number(i) == ARCH_RSP;
    if (i->encoded || i->map) return;
    if ((op & 0xf0) == 0x50 || op == 0x68 || op == 0x6a) {
        // pop reads the top of the stack; push writes below it.
        unsigned number = (i->opcode & 7) | (i->rex & 1 ? 8u : 0u);
        bool pop = (i->opcode & 0xf8) == 0x58;
        out->stack = ARCH_STACK_MOVED;
        out->stack_by = pop ? 8 : -8;
        out->frame_base = ARCH_RSP;
        out->frame_at = pop ? 0 : -8;
        if (pop) out->frame_read = 8, out->writes = bit(number);
        else out->frame_written = 8, out->reads = i->opcode < 0x58 ? bit(number) : 0;
    } else if (op == 0xff && reg_field(i) == 6) {
        out->stack = ARCH_STACK_MOVED, out->stack_by = -8;
    } else if (op == 0xc9) {  // leave
        out->stack = ARCH_STACK_SET, out->stack_by = 8;
    } else if ((op == 0x81 || op == 0x83) && of_sp && (reg_field(i) == 0 || reg_field(i) == 5)) {
        int32_t by = (int8_t)i->at[-1];
        if (op == 0x81) memcpy(&by, i->at - 4, 4);
        out->stack = ARCH_STACK_MOVED;
        out->stack_by = reg_field(i) ? -by : by;
    } else if (op == 0x8d && reg_number(i) == ARCH_RSP) {
        bool near_sp = out->frame_address && out->frame_base == ARCH_RSP;
        out->stack = out->frame_address ? near_sp ? ARCH_STACK_MOVED : ARCH_STACK_SET : ARCH_STACK_LOST;
        out->stack_by = out->frame_at;
        out->frame_address = false;
    } else if ((op == 0x89 && of_sp && reg_number(i) == ARCH_RBP) ||
               (op == 0x8b && is_register_form(i) && reg_number(i) == ARCH_RSP && rm_number(i) == ARCH_RBP)) {
        out->stack = ARCH_STACK_SET;
    } else if (of_sp && op != 0x85 && op != 0x39 && op != 0x3b && op != 0x8b && !(op == 0x83 && reg_field(i) == 7) &&
               !(op == 0x81 && reg_field(i) == 7)) {
        out->stack = ARCH_STACK_LOST;
    } else if (i->has_modrm && !is_group(i) && reg_number(i) == ARCH_RSP &&
               (op == 0x8b || (op < 0x40 && op & 2 && (op & 0x38) != 0x38))) {
        out->stack = ARCH_STACK_LOST;
    }
}

bool arch_insn_decode(const uint8_t *code, ArchInsn *out) {
    Insn i;
    if (!decode(&i, code)) return false;
    *out = (ArchInsn){.length = (uint8_t)(i.at - code)};
    describe_operands(&i, out);
    out->reads |= implied_reads(&i);
    if (i.map == 0 && !i.encoded && i.opcode >= 0xb8 && i.opcode <= 0xbf && !is_narrow(&i))
        out->writes |= bit((i.opcode & 7) | (i.rex & 1 ? 8u : 0u));
    // A byte: as in setcc.
    if (i.map == 0 && !i.encoded && i.opcode >= 0xb0 && i.opcode <= 0xb7 && (i.rex || i.opcode < 0xb4))
        out->writes |= bit((i.opcode & 7) | (i.rex & 1 ? 8u : 0u));
    describe_stack(&i, out);
    describe_flow(&i, out);
    if (out->frame_read < 8) out->frame_read = 0;
    return true;
}
