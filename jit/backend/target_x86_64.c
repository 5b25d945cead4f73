// x86-64 with the System V ABI (jit/backend/target.h).
//
// Memory order: the emitter writes LLVM's orderings for any processor; nothing here adds to them. Instruction and data
// caches are coherent, so new code needs no flush.
#include "jit/backend/target.h"

#include <elf.h>
#include <string.h>
#include <llvm-c/Target.h>

// LLVM's CallingConv::Swift (the thread is in r13, the Method of "nest" in r10) and CallingConv::PreserveMost.
const unsigned target_java_convention = 16;
const unsigned target_keep_convention = 14;
const bool target_orders_memory = true;
const uint16_t target_frame_pointer = 6, target_stack_pointer = 7;  // rbp, rsp

void target_register(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86Disassembler();
}

bool target_relocation_reaches(uint32_t type) {
    switch (type) {
        case R_X86_64_64:
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX:
        case R_X86_64_GOTPC32:
        case R_X86_64_GOT64:
        case R_X86_64_GOTOFF64: return true;
        default: return false;
    }
}

bool target_relocation_is_number(uint32_t type) { return type == R_X86_64_32S || type == R_X86_64_32; }

// lea symbol(%rip), reg: REX.WR 8d 00reg101 disp32, becomes mov $symbol, reg: REX.WB c7 11000reg imm32.
bool target_relocation_make_number(uint8_t *place, uint32_t *type, int64_t *addend) {
    enum { REX_W = 0x48, REX_WR = 0x4c, REX_WB = 0x49, LEA = 0x8d, MOV = 0xc7 };
    uint8_t *rex = place - 3, *opcode = place - 2, *operands = place - 1;
    bool loads = *type == R_X86_64_PC32 && (*rex == REX_W || *rex == REX_WR) && *opcode == LEA &&
        (*operands & 0xc7) == 5;
    if (!loads) return false;
    *rex = *rex == REX_WR ? REX_WB : REX_W;
    *opcode = MOV;
    *operands = 0xc0 | (*operands >> 3 & 7);
    *type = R_X86_64_32S;
    *addend += 4;  // it was relative to the instruction's end
    return true;
}

bool target_relocation_is_relative(uint32_t type) {
    switch (type) {
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
        case R_X86_64_PC64:
        case R_X86_64_GOTPC32: return true;
        default: return false;
    }
}

int target_register_number(uint16_t dwarf) {
    static const uint8_t numbers[] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    return dwarf < sizeof numbers ? numbers[dwarf] : -1;
}

// call to: e8 disp32.
void target_write_call(uint8_t *at, const uint8_t *to) {
    int32_t distance = (int32_t)(to - (at + 5));
    at[0] = 0xe8;
    memcpy(at + 1, &distance, sizeof distance);
}

// jmp *0(%rip): ff 25 disp32, followed by the address.
void target_write_jump(uint8_t *at, const void *to) {
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
}

// The frame size includes the 8 bytes of the pushed frame pointer.
int32_t target_frame_pointer_distance(uint64_t frame_size) { return (int32_t)frame_size - 8; }

// A 32-bit displacement at the end of an instruction is relative to the next instruction.
const void *target_loaded_from(const uint8_t *instruction, size_t length, const char *text) {
    if (length < 6 || !strstr(text, "(%rip)") || strchr(text, '$')) return NULL;
    int32_t distance;
    memcpy(&distance, instruction + length - 4, sizeof distance);
    return instruction + length + distance;
}
