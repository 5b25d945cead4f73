// Decoding of x86-64 instructions, for their length (Intel's manual, volume 2, chapter 2 and appendix A). An
// instruction is prefixes, an opcode of one of several maps, perhaps a ModRM byte with what it asks for, and perhaps an
// immediate operand. A letter for each opcode says what follows it:
//
//   .  nothing               m  ModRM
//   b  immediate byte        B  ModRM, byte
//   w  16 bits               z  32 bits, 16 with an operand size prefix
//   d  32 bits               Z  ModRM, as z
//   v  as z, 64 with REX.W   o  an address of 64 bits
//   e  24 bits               t  ModRM, byte if it is a test (reg 0, 1); T the same, as z
//   x  invalid, or a prefix
#include "arch_insn.h"

#include <stdbool.h>

typedef struct Insn {
    const uint8_t *at;       // what comes next
    bool rex_w, narrow, high_reg;
    bool encoded;            // VEX or EVEX
    uint8_t map, opcode;     // map 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A, and those of EVEX
    uint8_t rex, repeat;     // the REX prefix; F2 or F3
    uint8_t modrm;
} Insn;

static const char one_byte[] =
    "mmmmbzxxmmmmbzxx" "mmmmbzxxmmmmbzxx" "mmmmbzxxmmmmbzxx" "mmmmbzxxmmmmbzxx"
    "xxxxxxxxxxxxxxxx" "................" "xxxmxxxxzZbB...." "bbbbbbbbbbbbbbbb"
    "BZxBmmmmmmmmmmmm" "..........x....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
    "BBw.xxBZe.w..bx." "mmmmxxx.mmmmmmmm" "bbbbbbbbddxb...." "x.xx..tT......mm";
static const char two_bytes[] =
    "mmmmx.....x.xm.B" "mmmmmmmmmmmmmmmm" "mmmmxxxxmmmmmmmm" "......x.xxxxxxxx"
    "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "BBBBmmm.mmmmmmmm"
    "dddddddddddddddd" "mmmmmmmmmmmmmmmm" "...mBmxx...mBmmm" "mmmmmmmmmmBmmmmm"
    "mmBmBBBm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";

static void read_prefixes(Insn *i) {
    for (;; i->at++) {
        switch (*i->at) {
            case 0x66: i->narrow = true; break;
            case 0xf2: case 0xf3: i->repeat = *i->at; break;
            case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67: case 0xf0: break;
            default:
                if ((*i->at & 0xf0) == 0x40) i->rex = *i->at++;
                i->rex_w = i->rex & 8;
                i->high_reg = i->rex & 4;
                return;
        }
    }
}

// The opcode and its map. VEX and EVEX have the prefixes that belong to the opcode in their own bytes.
static void read_opcode(Insn *i) {
    const uint8_t *p = i->at;
    uint8_t first = *p;
    if (first == 0xc5) {
        *i = (Insn){.at = p + 2, .encoded = true, .map = 1, .high_reg = !(p[1] & 0x80)};
    } else if (first == 0xc4) {
        *i = (Insn){.at = p + 3, .encoded = true, .map = p[1] & 0x1f, .rex_w = p[2] & 0x80, .high_reg = !(p[1] & 0x80)};
    } else if (first == 0x62) {
        *i = (Insn){.at = p + 4, .encoded = true, .map = p[1] & 7, .rex_w = p[2] & 0x80, .high_reg = !(p[1] & 0x80)};
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
        case 2: case 5: case 6: return 'm';
        case 3: return 'B';
        default: return 'x';
    }
}

// The ModRM byte, and the SIB byte and displacement that it asks for.
static void read_modrm(Insn *i) {
    i->modrm = *i->at++;
    unsigned mode = i->modrm >> 6, base = i->modrm & 7;
    if (mode == 3) return;
    if (base == 4) base = *i->at++ & 7;
    if (mode == 1) i->at += 1;
    else if (mode == 2 || base == 5) i->at += 4;
}

static bool decode(Insn *i, const uint8_t *code) {
    *i = (Insn){.at = code};
    read_prefixes(i);
    read_opcode(i);
    char form = form_of(i);
    unsigned z = i->narrow && !i->rex_w ? 2 : 4;
    if (form == 'x') return false;
    if (form == 'm' || form == 'B' || form == 'Z' || form == 't' || form == 'T') read_modrm(i);
    bool is_test = (i->modrm >> 3 & 7) < 2;
    switch (form) {
        case 'b': case 'B': i->at += 1; break;
        case 'w': i->at += 2; break;
        case 'e': i->at += 3; break;
        case 'd': i->at += 4; break;
        case 'o': i->at += 8; break;
        case 'z': case 'Z': i->at += z; break;
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

// Whether the instruction sets the register that ModRM names without regard to what is in it. Others that read
// memory combine it with the register, for which any value of memory is possible: the old contents are one result.
static bool replaces_register(const Insn *i) {
    if (i->encoded)
        return (i->map == 2 && (i->opcode == 0xf2 || (i->opcode >= 0xf5 && i->opcode <= 0xf7))) ||
               (i->map == 3 && i->opcode == 0xf0);
    switch (i->map) {
        case 0: return i->opcode == 0x8a || i->opcode == 0x8b || i->opcode == 0x63 || i->opcode == 0x69 || i->opcode == 0x6b;
        case 1: return i->opcode == 0xb6 || i->opcode == 0xb7 || (i->opcode >= 0xbc && i->opcode <= 0xbf) ||
                       i->opcode == 0xb8;
        case 2: return i->opcode == 0xf0 && !i->repeat;
        default: return false;
    }
}

static void load_zero(const Insn *i, greg_t *registers) {
    static const int by_number[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                      REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    unsigned number = (i->modrm >> 3 & 7) | (i->high_reg ? 8u : 0u);
    bool byte = !i->encoded && i->map == 0 && i->opcode == 0x8a;
    if (byte && !i->rex && number >= 4) registers[by_number[number - 4]] &= ~(greg_t)0xff00;
    else if (byte) registers[by_number[number]] &= ~(greg_t)0xff;
    else if (i->narrow && !i->rex_w) registers[by_number[number]] &= ~(greg_t)0xffff;
    else registers[by_number[number]] = 0;
}

int arch_insn_skip(ucontext_t *c) {
    Insn i;
    greg_t *registers = c->uc_mcontext.gregs;
    if (!decode(&i, (const uint8_t *)registers[REG_RIP])) return false;
    if (i.modrm >> 6 != 3 && replaces_register(&i)) load_zero(&i, registers);
    registers[REG_RIP] = (greg_t)i.at;
    return true;
}
