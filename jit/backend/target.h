// Everything of the compiler that knows the processor, in one file for each: jit/backend/target_x86_64.c. What else the
// compiler says about code (calling conventions by LLVM's numbers, attributes, stack maps, ELF) holds for every
// processor that LLVM has swiftcc and preserve_most for. Constants and pure functions; any thread.
#ifndef CABERNET_JIT_TARGET_H
#define CABERNET_JIT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Registers LLVM's code generator, assembler and disassembler for the processor. Once, before all else.
void target_register(void);

// Calling conventions, as LLVM numbers them. Of Java methods: the thread is in the register of the parameter with
// "swiftself", the Method in that of "nest", where the VM's stubs (vm/arch) expect them.
extern const unsigned target_java_convention;
// Of runtime calls that keep nearly all registers (RUNTIME_KEEP).
extern const unsigned target_keep_convention;

// Whether the processor shows loads and stores to others in their order, but for a store and a later load: then plain ones
// acquire and release.
extern const bool target_orders_memory;

// Relocations, by ELF's numbers for the processor. Whether one reaches every address: it is 64 bits wide or goes by
// way of the global offset table.
bool target_relocation_reaches(uint32_t type);
// Whether one puts a number of 31 bits into an instruction.
bool target_relocation_is_number(uint32_t type);
// What loads such a number into a register as if it were a place near the code becomes what loads the number itself.
// `place`: where the relocation applies, in the object; *type and *addend become those of a number. False: it is no such
// instruction.
bool target_relocation_make_number(uint8_t *place, uint32_t *type, int64_t *addend);
// Whether one is a displacement, which is the same where code is linked and where it runs.
bool target_relocation_is_relative(uint32_t type);

// Registers of stack maps, by DWARF's numbers.
extern const uint16_t target_frame_pointer, target_stack_pointer;
// The number that instructions have for a general register; -1: it is none.
int target_register_number(uint16_t dwarf);
// Writes a call of EXIT_BYTES (jit/backend/unit.h), and a jump to anywhere; `to` of the call is near.
enum { TARGET_JUMP_BYTES = 14 };
void target_write_call(uint8_t *at, const uint8_t *to);
void target_write_jump(uint8_t *at, const void *to);
// How far the frame pointer is above the stack pointer in a function with that frame size (as the stack map says).
int32_t target_frame_pointer_distance(uint64_t frame_size);

// The place that an instruction of `length` bytes loads from if it is one of the global offset table, or NULL. `text`:
// the instruction as LLVM's disassembler prints it.
const void *target_loaded_from(const uint8_t *instruction, size_t length, const char *text);

#endif
