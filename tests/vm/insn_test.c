// vm/arch: the length of instructions, and resuming after a load as if it had loaded zero.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "arch_context.h"
#include "arch_insn.h"

typedef struct Case {
    const char *code;  // padded past the longest instruction
    size_t length;
} Case;

static void lengths(void **state) {
    (void)state;
    static const Case cases[] = {
        {"\x90", 1},                              // nop
        {"\x0f\xb6\x04\x0a", 4},                  // movzx eax, byte [rdx+rcx]
        {"\x48\x8b\x05\x10\0\0\0", 7},            // mov rax, [rip+16]
        {"\x42\x8b\x84\x20\x00\x01\0\0", 8},      // mov eax, [rax+r12+256]
        {"\x8b\x04\x25\0\x01\0\0", 7},            // mov eax, [256]
        {"\x66\xc7\x00\x34\x12", 5},              // mov word [rax], 0x1234
        {"\xc7\x40\x08\x01\0\0\0", 7},            // mov dword [rax+8], 1
        {"\x48\xb8\1\2\3\4\5\6\7\x08", 10},       // movabs rax
        {"\xf6\x00\x01", 3},                      // test byte [rax], 1
        {"\xf7\x18", 2},                          // neg dword [rax]
        {"\xf0\x48\x0f\xb1\x0c\x10", 6},          // lock cmpxchg [rax+rdx], rcx
        {"\xf3\xa4", 2},                          // rep movsb
        {"\xc5\xfe\x6f\x04\x08", 5},              // vmovdqu ymm0, [rax+rcx]
        {"\xc4\xe2\x7d\x21\x04\x08", 6},          // vpmovsxbd ymm0, [rax+rcx]
        {"\xc4\xe3\x79\x14\x00\x03", 6},          // vpextrb [rax], xmm0, 3
        {"\x62\xf1\x7e\x48\x6f\x44\x08\x01", 8},  // vmovdqu32 zmm0, [rax+rcx+64]
        {"\x0f\x38\xf0\x00", 4},                  // movbe eax, [rax]
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t code[24] = {0};
        memcpy(code, cases[i].code, cases[i].length);
        assert_int_equal(arch_insn_length(code), cases[i].length);
    }
    assert_int_equal(arch_insn_length((const uint8_t *)"\x06"), 0);
}

static ucontext_t skipped(const char *code, size_t length) {
    static uint8_t text[24];
    memset(text, 0, sizeof text);
    memcpy(text, code, length);
    ucontext_t c = {0};
    c.uc_mcontext.gregs[REG_RIP] = (greg_t)text;
    c.uc_mcontext.gregs[REG_RAX] = c.uc_mcontext.gregs[REG_RSP] = c.uc_mcontext.gregs[REG_R9] = 0x1122334455667788;
    assert_true(arch_insn_skip(&c));
    assert_int_equal(arch_context_pc(&c), (uintptr_t)text + length);
    return c;
}

static void loads_give_zero(void **state) {
    (void)state;
    ucontext_t c = skipped("\x0f\xb6\x02", 3);  // movzx eax, byte [rdx]
    assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0);
    c = skipped("\x4c\x8b\x0a", 3);  // mov r9, [rdx]
    assert_int_equal(c.uc_mcontext.gregs[REG_R9], 0);
    c = skipped("\x66\x8b\x02", 3);  // mov ax, [rdx]
    assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0x1122334455660000);
    c = skipped("\x8a\x02", 2);  // mov al, [rdx]
    assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0x1122334455667700);
    c = skipped("\x8a\x22", 2);  // mov ah, [rdx]
    assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0x1122334455660088);
    c = skipped("\xc4\xe2\x72\xf7\x02", 5);  // sarx eax, [rdx], ecx
    assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0);
}

static void others_keep_registers(void **state) {
    (void)state;
    static const Case cases[] = {
        {"\x89\x02", 2}, {"\x03\x02", 2}, {"\x87\x02", 2}, {"\x8b\xc2", 2}, {"\x0f\xb1\x02", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ucontext_t c = skipped(cases[i].code, cases[i].length);
        assert_int_equal(c.uc_mcontext.gregs[REG_RAX], 0x1122334455667788);
        assert_int_equal(c.uc_mcontext.gregs[REG_RSP], 0x1122334455667788);
    }
}

// Registers and frame slots that instructions read and write, where a mistake would lose a reference.
static void reads_and_writes(void **state) {
    (void)state;
    enum { RAX = 1 << ARCH_RAX, RCX = 1 << ARCH_RCX, RBX = 1 << ARCH_RBX, R12 = 1 << ARCH_R12, R13 = 2 << ARCH_R12 };
    static const struct {
        const char *code;
        ArchInsn insn;
    } cases[] = {
        {"\x48\x89\xc3", {.length = 3, .reads = RAX, .writes = RBX}},                // mov rbx, rax
        {"\x48\x8b\x1b", {.length = 3, .reads = RBX, .writes = RBX}},                // mov rbx, [rbx]
        {"\x48\x01\xc3", {.length = 3, .reads = RAX | RBX}},                         // add rbx, rax
        {"\x31\xdb", {.length = 2, .writes = RBX}},                                  // xor ebx, ebx
        {"\x66\x89\xc3", {.length = 3, .reads = RAX | RBX}},                         // mov bx, ax
        {"\x48\x0f\x44\xd8", {.length = 4, .reads = RAX | RBX}},                     // cmove rbx, rax
        {"\x4d\x8b\x64\x1d\x08", {.length = 5, .reads = RBX | R13, .writes = R12}},  // mov r12, [r13+rbx+8]
        {"\x48\x89\x5d\xd8", {.length = 4, .reads = RBX, .frame_base = ARCH_RBP, .frame_at = -40, .frame_written = 8}},
        {"\x89\x5d\xd8", {.length = 3, .reads = RBX, .frame_base = ARCH_RBP, .frame_at = -40, .frame_written = 4}},
        {"\x48\x8b\x5c\x24\x10", {.length = 5, .writes = RBX, .frame_base = ARCH_RSP, .frame_at = 16, .frame_read = 8}},
        {"\x8b\x5c\x24\x10", {.length = 4, .writes = RBX, .frame_base = ARCH_RSP, .frame_at = 16}},
        {"\x48\x01\x5d\xd8", {.length = 4, .reads = RBX, .frame_base = ARCH_RBP, .frame_at = -40, .frame_read = 8}},
        {"\x48\x8b\x44\xdd\xd8",
         {.length = 5, .reads = RBX, .writes = RAX, .frame_somewhere = true}},  // [rbp+rbx*8-40]
        {"\x48\x8d\x5d\xd8",
         {.length = 4, .writes = RBX, .frame_base = ARCH_RBP, .frame_at = -40, .frame_address = true}},
        {"\x53",
         {.length = 1,
          .reads = RBX,
          .stack = ARCH_STACK_MOVED,
          .stack_by = -8,
          .frame_base = ARCH_RSP,
          .frame_at = -8,
          .frame_written = 8}},
        {"\x5b",
         {.length = 1,
          .writes = RBX,
          .stack = ARCH_STACK_MOVED,
          .stack_by = 8,
          .frame_base = ARCH_RSP,
          .frame_read = 8}},
        {"\x48\x83\xec\x28", {.length = 4, .reads = 1 << ARCH_RSP, .stack = ARCH_STACK_MOVED, .stack_by = -40}},
        {"\x48\x83\xe4\xe0", {.length = 4, .reads = 1 << ARCH_RSP, .stack = ARCH_STACK_LOST}},  // and rsp, -32
        {"\xc5\xf8\x29\x45\xd0",
         {.length = 5, .frame_base = ARCH_RBP, .frame_at = -48, .frame_written = 16}},  // vmovaps [rbp-48], xmm0
        {"\xc5\xfd\x28\x45\xd0", {.length = 5, .frame_base = ARCH_RBP, .frame_at = -48, .frame_read = 32}},
        {"\x49\x90", {.length = 2, .reads = RAX | 1 << ARCH_R8}},  // xchg r8, rax
        {"\x0f\x0b", {.length = 2, .flow = ARCH_FLOW_END}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t code[24] = {0};
        ArchInsn insn;
        memcpy(code, cases[i].code, cases[i].insn.length);
        assert_true(arch_insn_decode(code, &insn));
        const ArchInsn *want = &cases[i].insn;
        if (insn.length != want->length || insn.flow != want->flow || insn.stack != want->stack ||
            insn.reads != want->reads || insn.writes != want->writes || insn.frame_base != want->frame_base ||
            insn.frame_read != want->frame_read || insn.frame_written != want->frame_written ||
            insn.frame_somewhere != want->frame_somewhere || insn.frame_address != want->frame_address ||
            insn.frame_at != want->frame_at || insn.stack_by != want->stack_by)
            fail_msg("case %zu: reads %x, writes %x, frame %u %d read %u written %u", i, insn.reads, insn.writes,
                     insn.frame_base, insn.frame_at, insn.frame_read, insn.frame_written);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(loads_give_zero),
        cmocka_unit_test(others_keep_registers),
        cmocka_unit_test(reads_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
