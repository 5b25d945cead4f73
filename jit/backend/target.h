// The processor-specific part of the compiler, in one file for each processor: jit/backend/target_x86_64.c. The rest of
// the compiler (calling conventions by LLVM's numbers, attributes, stack maps, ELF) works on every processor for which
// LLVM has swiftcc and preserve_most. Constants and pure functions; any thread.
#ifndef CABERNET_JIT_BACKEND_TARGET_H
#define CABERNET_JIT_BACKEND_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Registers LLVM's code generator, assembler and disassembler for the processor. Called once, before anything else
// here.
void target_register(void);

// Calling conventions by LLVM's numbers. In that of Java methods the "swiftself" parameter's register has the thread
// and the "nest" parameter's register the Method, where the VM's stubs (vm/arch) expect them.
extern const unsigned target_java_convention;
// Convention of runtime calls that preserve nearly all registers (RUNTIME_KEEP).
extern const unsigned target_keep_convention;

// Whether other processors see loads and stores in program order, except for a store and a later load. If so, plain
// accesses acquire and release.
extern const bool target_orders_memory;

// Relocations, by the processor's ELF numbers. Whether a relocation reaches every address: it is 64 bits wide or uses
// the global offset table.
bool target_relocation_reaches(uint32_t type);
// Whether the relocation puts a 31-bit number into an instruction.
bool target_relocation_is_number(uint32_t type);
// Turns an instruction that loads such a number as a pc-relative address into one that loads it as an immediate.
// `place`: where the relocation applies, in the object; *type and *addend become those of a number. False: the
// instruction is of another kind.
bool target_relocation_make_number(uint8_t *place, uint32_t *type, int64_t *addend);
// Whether the relocation is a displacement, which is the same where code is linked and where it runs.
bool target_relocation_is_relative(uint32_t type);

// Registers of stack maps, by DWARF's numbers.
extern const uint16_t target_frame_pointer, target_stack_pointer;
// A general register's number in instructions; -1: it is not a general register.
int target_register_number(uint16_t dwarf);
// Writes a call of EXIT_BYTES (jit/backend/unit.h) to a near target, or a jump to any address.
enum { TARGET_JUMP_BYTES = 14 };
void target_write_call(uint8_t *at, const uint8_t *to);
void target_write_jump(uint8_t *at, const void *to);
// Distance of the frame pointer above the stack pointer in a function with that frame size (as in the stack map).
int32_t target_frame_pointer_distance(uint64_t frame_size);

// The address that an instruction of `length` bytes loads from if that is in the global offset table, or NULL. `text`:
// the instruction as LLVM's disassembler prints it.
const void *target_loaded_from(const uint8_t *instruction, size_t length, const char *text);

#endif
