// For unit tests of the compiler's analyses: plans of methods that are made of bytecode by hand, without a VM. All
// methods are static and of one class.
#ifndef CABERNET_TESTS_JIT_PLANS_H
#define CABERNET_TESTS_JIT_PLANS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/plan/plan.h"

typedef struct HandPlan {
    Plan plan;
    Method method;
    ClassFileCode code;
} HandPlan;

// The type of what an instruction gets from the constant pool: always an int.
static inline const char *handplan_type(void *ctx, uint32_t bci) {
    (void)ctx, (void)bci;
    return "I";
}

// Copies the code.
static inline Plan *handplan_with(HandPlan *h, const char *desc, uint16_t locals, const uint8_t *code, size_t length,
                                  ClassFileHandler *handlers, uint16_t handler_count) {
    static ClassFile file;
    static Class cls = {.file = &file};
    char error[200] = "";
    uint8_t *bytes = malloc(length);
    assert_non_null(bytes);
    memcpy(bytes, code, length);
    *h = (HandPlan){.code = {.code = bytes,
                             .code_len = (uint32_t)length,
                             .max_stack = 8,
                             .max_locals = locals,
                             .handlers = handlers,
                             .handler_count = handler_count}};
    h->method.cls = &cls;
    h->plan.method = &h->method;
    h->plan.code = &h->code;
    h->plan.osr_bci = -1;
    h->plan.flow = dataflow_build(&h->code, desc, true, handplan_type, NULL, error, sizeof error);
    if (!h->plan.flow) fail_msg("%s", error);
    return &h->plan;
}

// `...`: the bytes of the code.
#define handplan_make(h, desc, locals, ...) \
    handplan_with(h, desc, locals, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), NULL, 0)

static inline void handplan_free(HandPlan *h) {
    dataflow_free(h->plan.flow);
    free((void *)h->code.code);
}

// The block that begins at `bci`.
static inline uint32_t handplan_block(const Plan *plan, uint32_t bci) {
    for (uint32_t i = 0; i < plan->flow->block_count; i++)
        if (plan->flow->blocks[i].start == bci) return i;
    fail_msg("no block begins at %u", bci);
    return 0;
}

// A branch offset as the two bytes of an operand.
#define TO(from, to) (uint8_t)(((to) - (from)) >> 8), (uint8_t)((to) - (from))

#endif
