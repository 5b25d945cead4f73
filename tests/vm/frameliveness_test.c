// vm/code/frameliveness.c: live frame slots after the calls of small functions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vm/code/frameliveness.h"

enum { MAPS = 4 };

#define FUNCTION(name, text)                                                                        \
    __asm__(".text\n" #name ":\n pushq %rbp\n movq %rsp, %rbp\n pushq %rbx\n subq $40, %rsp\n" text \
            " addq $40, %rsp\n popq %rbx\n popq %rbp\n ret\n" #name "_end:\n");                     \
    extern char name[], name##_end[]

// Of the spilled values, one is used after the first call, one is overwritten and one is half overwritten.
FUNCTION(straight,
         " movq %rdi, %rbx\n movq %rsi, -24(%rbp)\n movq %rdx, -32(%rbp)\n movq %rcx, -40(%rbp)\n"
         " call *%rax\n"
         " movq -24(%rbp), %rax\n movq (%rbx), %rcx\n movq $0, -32(%rbp)\n movl $0, -40(%rbp)\n"
         " call *%rax\n"
         " movq 0(%rsp), %rcx\n movq -32(%rbp), %rcx\n movl -24(%rbp), %ecx\n");

// A slot used on one of two paths is live before the branch; a loop uses a value from the iteration before.
FUNCTION(looping,
         "1: call *%rax\n testl %eax, %eax\n jne 2f\n movq -16(%rbp), %rcx\n jmp 3f\n2: movq -24(%rbp), %rcx\n"
         "3: call *%rax\n movq $0, -16(%rbp)\n testl %eax, %eax\n jne 1b\n");

// A jump table of two entries; one path is reachable only through it.
FUNCTION(table,
         " call *%rax\n leaq 7f(%rip), %rcx\n movslq (%rcx,%rax,4), %rax\n addq %rcx, %rax\n jmp *%rax\n"
         "5: movq -16(%rbp), %rcx\n jmp 6f\n8: movq -24(%rbp), %rcx\n6:\n"
         ".pushsection .rodata\n7: .long 5b-7b, 8b-7b, 0x7fffffff\n.popsection\n");

// A call receives the address of frame memory.
FUNCTION(memory, " leaq -32(%rbp), %rdi\n call *%rax\n call *%rax\n");

FUNCTION(aligned, " andq $-32, %rsp\n call *%rax\n leaq -48(%rbp), %rsp\n");

// Calls are found by their two bytes ff d0.
static FrameLiveness *analyse(char *begin, char *end, CodeStackMap *maps) {
    uint32_t count = 0;
    for (char *p = begin; p + 1 < end; p++)
        if (p[0] == '\xff' && p[1] == '\xd0') maps[count++].return_offset = (uint32_t)(p + 2 - begin);
    Code code = {.start = begin,
                 .size = (size_t)(end - begin),
                 .entry = begin,
                 .stack_maps = maps,
                 .stack_map_count = count,
                 .buffer_words = 2};
    return frameliveness_of(&code);
}

static int alive(const FrameLiveness *f, uint32_t map, int at) {
    uint32_t slot = (uint32_t)(at - f->low) / 8;
    return f->live[(size_t)map * f->words + slot / 64] >> (slot % 64) & 1;
}

static void straight_code(void **state) {
    (void)state;
    CodeStackMap maps[MAPS] = {0};
    FrameLiveness *f = analyse(straight, straight_end, maps);
    assert_true(f->known);
    assert_int_equal(f->saved.mask, 1 << ARCH_RBX);
    assert_int_equal(f->saved.at[ARCH_RBX], -8);
    assert_true(f->registers[0] & 1 << ARCH_RBX);
    assert_false(f->registers[1] & 1 << ARCH_RBX);
    assert_true(alive(f, 0, -24));
    assert_false(alive(f, 0, -32));
    assert_false(alive(f, 0, -8));   // the caller's rbx
    assert_false(alive(f, 0, -40));  // no pointer is read from it
    assert_true(alive(f, 1, -32));
    assert_true(alive(f, 1, -48));  // addressed from the stack pointer
    assert_false(alive(f, 1, -24));
    free(f);
}

static void ways(void **state) {
    (void)state;
    CodeStackMap maps[MAPS] = {0};
    FrameLiveness *f = analyse(looping, looping_end, maps);
    assert_true(f->known && alive(f, 0, -16) && alive(f, 0, -24));
    assert_false(alive(f, 1, -16));
    assert_true(alive(f, 1, -24));
    free(f);
    f = analyse(table, table_end, maps);
    assert_true(f->known && alive(f, 0, -16) && alive(f, 0, -24));
    assert_false(alive(f, 0, -32));
    free(f);
}

static void memory_that_is_passed(void **state) {
    (void)state;
    CodeStackMap maps[MAPS] = {{.passes_memory = true}};
    FrameLiveness *f = analyse(memory, memory_end, maps);
    assert_true(f->known && alive(f, 0, -32) && alive(f, 0, -24));
    assert_false(alive(f, 0, -40) || alive(f, 0, -16));
    assert_false(alive(f, 1, -32));
    free(f);
}

static void what_is_not_analysed(void **state) {
    (void)state;
    CodeStackMap maps[MAPS] = {0};
    FrameLiveness *f = analyse(aligned, aligned_end, maps);
    assert_false(f->known);
    free(f);
    char unknown[] = "\x55\x06\xff\xd0\xc3";
    f = analyse(unknown, unknown + 5, maps);
    assert_false(f->known);
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code),
        cmocka_unit_test(ways),
        cmocka_unit_test(memory_that_is_passed),
        cmocka_unit_test(what_is_not_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
