/*
 * Dataflow of methods (bytecode/analysis/dataflow.c): single shapes by hand, then the JDK's classes against javac's
 * StackMapTables and against a naive liveness analysis.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytecode/analysis/dataflow.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "tests/bytecode/jdk_classes.h"
#include "tests/bytecode/dataflow_operands.h"

static const char *no_operand(void *ctx, uint32_t bci) {
    (void)bci;
    return ctx;
}

static Dataflow *flow_of(const uint8_t *bytes, uint32_t len, unsigned locals, unsigned stack, const ClassFileHandler *h,
                         unsigned n, const char *desc) {
    static char err[200];
    ClassFileCode code = {.code = bytes,
                          .code_len = len,
                          .max_locals = (uint16_t)locals,
                          .max_stack = (uint16_t)stack,
                          .handlers = h,
                          .handler_count = (uint16_t)n};
    return dataflow_build(&code, desc, true, no_operand, (void *)"()V", err, sizeof err);
}

static uint32_t block_at(const Dataflow *d, uint32_t bci) {
    for (uint32_t b = 0; b < d->block_count; b++) {
        if (d->blocks[b].start == bci) return b;
    }
    return CFG_NONE;
}

static unsigned copies_at(const Dataflow *d, uint32_t bci) {
    unsigned count = 0;
    for (uint32_t b = 0; b < d->block_count; b++) count += d->blocks[b].start == bci;
    return count;
}

static uint32_t succ(const Dataflow *d, uint32_t b, uint32_t i) { return d->edges[d->blocks[b].first_succ + i]; }

static void arguments_and_pairs(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_lload_1, OPC_lstore_2, OPC_iload_0, OPC_ifeq, 0,        4,
                                   OPC_return,  OPC_lload_2,  OPC_lload_2, OPC_ladd, OPC_pop2, OPC_return};
    Dataflow *d = flow_of(code, sizeof code, 5, 4, NULL, 0, "(IJF)V");
    assert_non_null(d);
    assert_memory_equal(d->blocks[0].kinds, "IJ-\0\0\0\0\0\0", 9);
    assert_memory_equal(d->blocks[block_at(d, 7)].kinds, "\0\0J-\0\0\0\0\0", 9);
    assert_memory_equal(d->blocks[block_at(d, 6)].kinds, "\0\0\0\0\0\0\0\0\0", 9);
    assert_int_equal(*dataflow_live(d, 0, 0), 1 << 0 | 1 << 1);
    assert_int_equal(*dataflow_live(d, 0, 1), 1 << 0);
    assert_int_equal(*dataflow_live(d, 0, 2), 1 << 0 | 1 << 2);
    assert_int_equal(*dataflow_live(d, 0, 3), 1 << 2);
    assert_int_equal(*dataflow_live(d, 0, 6), 1 << 2);
    uint64_t set;
    ClassFileCode method = {.code = code, .code_len = sizeof code, .max_locals = 5, .max_stack = 4};
    assert_true(dataflow_live_at(&method, 1, &set));
    assert_int_equal(set, 1 << 0);
    assert_true(dataflow_live_at(&method, 7, &set));
    assert_int_equal(set, 1 << 2);
    assert_false(dataflow_live_at(&method, 4, &set)); /* inside an instruction */
    assert_false(dataflow_live_at(&method, sizeof code, &set));
    assert_int_equal(d->blocks[0].succ_count, 2);
    assert_int_equal(d->blocks[succ(d, 0, 0)].start, 7); /* taken first */
    assert_int_equal(d->blocks[succ(d, 0, 1)].start, 6);
    assert_true(d->balanced_locks);
    dataflow_free(d);
    dataflow_free(NULL);
}

static void wrong_kinds(void **state) {
    (void)state;
    static const uint8_t ref[] = {OPC_aload_0, OPC_pop, OPC_return},
                         half[] = {OPC_lconst_0, OPC_pop, OPC_pop, OPC_return},
                         crossed[] = {OPC_lconst_0, OPC_iconst_0, OPC_swap, OPC_return},
                         unset[] = {OPC_iload_1, OPC_return},
                         broken[] = {OPC_lconst_0, OPC_lstore_0, OPC_iconst_0, OPC_istore_1,
                                     OPC_lload_0,  OPC_pop2,     OPC_return};
    assert_null(flow_of(ref, sizeof ref, 2, 3, NULL, 0, "(I)V"));
    assert_null(flow_of(half, sizeof half, 2, 3, NULL, 0, "()V"));
    assert_null(flow_of(crossed, sizeof crossed, 2, 3, NULL, 0, "()V"));
    assert_null(flow_of(unset, sizeof unset, 2, 3, NULL, 0, "()V"));
    assert_null(flow_of(broken, sizeof broken, 2, 3, NULL, 0, "()V"));
    assert_null(flow_of(ref, sizeof ref, 2, 3, NULL, 0, "(IJ)V")); /* arguments do not fit */
}

static void conflicting_kinds_are_dead(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iload_0,  OPC_ifeq,     0,         8,    /* 1 -> 9 */
                                   OPC_fconst_0, OPC_fstore_1, OPC_goto,  0, 5, /* 6 -> 11 */
                                   OPC_dconst_0, OPC_dstore_1,                  /* 9 */
                                   OPC_iconst_0, OPC_istore_1, OPC_return};     /* 11 */
    Dataflow *d = flow_of(code, sizeof code, 3, 2, NULL, 0, "(I)V");
    assert_non_null(d);
    assert_memory_equal(d->blocks[block_at(d, 11)].kinds, "\0\0\0\0\0", 5);
    dataflow_free(d);
}

static void loop_to_the_first_instruction(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iinc, 0, 1, OPC_iload_0, OPC_ifne, 0xff, 0xfc, OPC_return};
    Dataflow *d = flow_of(code, sizeof code, 2, 1, NULL, 0, "(II)V");
    assert_non_null(d);
    assert_int_equal(d->blocks[0].start, 0);
    assert_true(d->blocks[0].is_loop_header);
    assert_int_equal(d->blocks[0].loop_header, 0);
    assert_int_equal(d->order[0], 0);
    assert_int_equal(d->blocks[0].kinds[0], KIND_INT);
    assert_int_equal(d->blocks[0].kinds[1], KIND_DEAD);
    dataflow_free(d);
}

/* A handler that covers itself sees the state before each covered instruction, its own included. */
static void handler_covers_itself(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iconst_0, OPC_istore_1, /* 0 */
                                   OPC_aload_0,  OPC_athrow,   /* 2: handled at 4 */
                                   OPC_astore_0,               /* 4: covers itself */
                                   OPC_iload_1,  OPC_istore_2, OPC_aload_0, OPC_athrow};
    static const ClassFileHandler h[] = {{2, 9, 4, 0}};
    Dataflow *d = flow_of(code, sizeof code, 3, 1, h, 1, "(Ljava/lang/Object;)V");
    assert_non_null(d);
    uint32_t handler = block_at(d, 4);
    assert_true(d->blocks[handler].is_handler && d->blocks[handler].is_loop_header);
    assert_int_equal(d->blocks[handler].handler_count, 1);
    assert_int_equal(d->handlers[d->blocks[handler].first_handler].block, handler);
    assert_memory_equal(d->blocks[handler].kinds, "\0I\0L", 4);
    assert_int_equal(*dataflow_live(d, handler, 6), 1 << 0 | 1 << 1);
    assert_int_equal(*dataflow_live(d, 0, 1), 1 << 0);
    dataflow_free(d);
}

/* A variable that is overwritten within a covered block has no single kind in the handler. */
static void stores_before_a_handler(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iconst_0, OPC_istore_0, OPC_fconst_0, OPC_fstore_0, OPC_nop,
                                   OPC_return,   OPC_pop,      OPC_iload_1,  OPC_pop,      OPC_return};
    static const ClassFileHandler h[] = {{1, 5, 6, 0}};
    Dataflow *d = flow_of(code, sizeof code, 2, 1, h, 1, "(II)V");
    assert_non_null(d);
    assert_memory_equal(d->blocks[block_at(d, 6)].kinds, "\0IL", 3);
    dataflow_free(d);
    static const uint8_t reads[] = {OPC_iconst_0, OPC_istore_0, OPC_fconst_0, OPC_fstore_0, OPC_nop,
                                    OPC_return,   OPC_pop,      OPC_iload_0,  OPC_pop,      OPC_return};
    assert_null(flow_of(reads, sizeof reads, 2, 1, h, 1, "(II)V"));
}

/* Subroutines. */

static void subroutine_for_each_call(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iconst_0, OPC_istore_1, OPC_jsr,      0,        10,                 /* 2 -> 12 */
                                   OPC_fconst_0, OPC_fstore_1, OPC_jsr,      0,        5,                  /* 7 -> 12 */
                                   OPC_return,   OPC_nop,      OPC_astore_0, OPC_iinc, 2,  1, OPC_ret, 0}; /* 12 */
    Dataflow *d = flow_of(code, sizeof code, 3, 1, NULL, 0, "(III)V");
    assert_non_null(d);
    assert_true(d->has_subroutines);
    assert_int_equal(copies_at(d, 12), 2);
    uint32_t first = succ(d, 0, 0), after = succ(d, first, 0);
    assert_int_equal(d->blocks[first].start, 12);
    assert_int_not_equal(d->blocks[first].context, 0);
    assert_int_equal(d->blocks[first].kinds[3], KIND_RETURN); /* on the stack */
    assert_int_equal(d->blocks[first].succ_count, 1);
    assert_int_equal(d->blocks[after].start, 5);
    assert_int_equal(d->blocks[after].context, 0);
    uint32_t second = succ(d, after, 0);
    assert_int_not_equal(first, second);
    assert_int_equal(d->blocks[succ(d, second, 0)].start, 10);
    dataflow_free(d);
}

/* A branch from a subroutine back to the loop that calls it: no new context per iteration. */
static void subroutine_left_by_a_branch(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_jsr,
                                   0,
                                   4,          /* 0 -> 4 */
                                   OPC_return, /* 3 */
                                   OPC_astore_0,
                                   OPC_iload_1,
                                   OPC_ifeq,
                                   0xff,
                                   0xfa, /* 6 -> 0 */
                                   OPC_ret,
                                   0};
    Dataflow *d = flow_of(code, sizeof code, 2, 1, NULL, 0, "(II)V");
    assert_non_null(d);
    assert_int_equal(copies_at(d, 0), 1);
    assert_true(d->blocks[0].is_loop_header);
    dataflow_free(d);
}

/* ret to the caller's caller. */
static void nested_subroutines(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_jsr,
                                   0,
                                   4,
                                   OPC_return,   /* 0 -> 4; 3 */
                                   OPC_astore_0, /* 4 */
                                   OPC_jsr,
                                   0,
                                   5,
                                   OPC_ret,
                                   0, /* 5 -> 10; 8 */
                                   OPC_astore_1,
                                   OPC_iload_2,
                                   OPC_ifne,
                                   0,
                                   5, /* 12 -> 17 */
                                   OPC_ret,
                                   1, /* 15 */
                                   OPC_ret,
                                   0}; /* 17 */
    Dataflow *d = flow_of(code, sizeof code, 3, 1, NULL, 0, "(III)V");
    assert_non_null(d);
    assert_int_equal(d->blocks[succ(d, block_at(d, 15), 0)].start, 8);
    assert_int_equal(d->blocks[succ(d, block_at(d, 17), 0)].start, 3);
    assert_int_equal(copies_at(d, 3), 1);
    dataflow_free(d);
    static const uint8_t none[] = {OPC_iconst_0, OPC_istore_0, OPC_ret, 0};
    assert_null(flow_of(none, sizeof none, 1, 1, NULL, 0, "()V"));
}

/* Each subroutine calls the next twice, which takes 2^n copies: rejected. */
static void too_many_copies(void **state) {
    (void)state;
    uint8_t code[1000];
    uint32_t n = 0;
    for (unsigned level = 0; level < 40; level++) {
        uint32_t body = level == 0 ? 0 : 1;
        if (body) code[n++] = OPC_astore, code[n++] = (uint8_t)level;
        uint32_t end = n + 8;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t to = end - n;
            code[n++] = OPC_jsr, code[n++] = 0, code[n++] = (uint8_t)to;
        }
        code[n++] = body ? OPC_ret : OPC_return;
        code[n++] = body ? (uint8_t)level : OPC_return;
    }
    code[n++] = OPC_astore, code[n++] = 40, code[n++] = OPC_ret, code[n++] = 40;
    assert_null(flow_of(code, n, 41, 1, NULL, 0, "()V"));
}

/*
 * Random code of jumps, subroutines and handlers: the result must be consistent and nothing may crash. Every
 * instruction takes 4 bytes, so any multiple of 4 is a target.
 */
static uint32_t next_random(void) {
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

static void put_jump(uint8_t *at, uint8_t op, uint32_t from, uint32_t to) {
    int32_t offset = (int32_t)to - (int32_t)from;
    at[0] = op;
    at[1] = (uint8_t)(offset >> 8);
    at[2] = (uint8_t)offset;
    at[3] = OPC_nop;
}

static void put_random(uint8_t *code, uint32_t at, uint32_t len) {
    uint32_t local = next_random() % 4, to = next_random() % (len / 4) * 4;
    uint8_t plain[] = {OPC_iinc, 4, 1, OPC_nop}, ret[] = {OPC_wide, OPC_ret, 0, (uint8_t)local},
            take[] = {OPC_wide, OPC_astore, 0, (uint8_t)local}, test[] = {OPC_iload, 4, OPC_pop, OPC_nop};
    memcpy(code + at, plain, 4);
    switch (next_random() % 8) {
        case 0: /* a jsr, often with an astore at its target */
        case 1:
            put_jump(code + at, OPC_jsr, at, to);
            if (next_random() % 8 != 0 && to != 0) memcpy(code + to, take, 4);
            break;
        case 2: memcpy(code + at, ret, 4); break;
        case 3: memcpy(code + at, test, 4); break;
        case 4: put_jump(code + at, OPC_goto, at, to); break;
        case 5:
            code[at] = OPC_return;
            code[at + 1] = code[at + 2] = code[at + 3] = OPC_nop;
            break;
    }
}

static void check_returns(const Dataflow *d, const uint8_t *code) {
    for (uint32_t b = 0; b < d->block_count; b++) {
        const FlowBlock *k = &d->blocks[b];
        uint32_t last = d->cfg->blocks[k->cfg_block].last;
        if (code[last] == OPC_jsr || code[last] == OPC_goto) assert_int_equal(k->succ_count, 1);
        if (code[last] == OPC_wide && code[last + 1] == OPC_ret) {
            uint32_t to = d->blocks[succ(d, b, 0)].start;
            assert_int_equal(k->succ_count, 1);
            assert_true(to >= 3 && code[to - 3] == OPC_jsr);
        }
        for (uint32_t i = 0; i < d->max_locals; i++) {
            bool has = k->kinds[i] != KIND_DEAD;
            assert_true(!has || dataflow_is_live(dataflow_live(d, b, k->start), i));
        }
    }
}

static void random_subroutines(void **state) {
    (void)state;
    unsigned built = 0;
    for (unsigned round = 0; round < 30000; round++) {
        uint8_t code[4 * 24];
        uint32_t len = 4 * (4 + next_random() % 20);
        for (uint32_t at = 0; at < len; at += 4) put_random(code, at, len);
        memset(code + len - 4, OPC_return, 4);
        uint16_t from = (uint16_t)(next_random() % (len / 4) * 4), to = (uint16_t)(len - 8);
        ClassFileHandler h = {from, (uint16_t)len, to, 0};
        bool handler = next_random() % 2 && (code[to] == OPC_wide && code[to + 1] == OPC_astore);
        Dataflow *d = flow_of(code, len, 5, 3, &h, handler, "(LA;LA;LA;LA;I)V");
        if (d) {
            built += d->has_subroutines;
            check_returns(d, code);
        }
        dataflow_free(d);
    }
    assert_true(built > 1000);
}

/* Monitors. */

static void javac_synchronized(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_aload_0,
                                   OPC_dup,
                                   OPC_astore_1,
                                   OPC_monitorenter, /* 0 */
                                   OPC_aload_0,
                                   OPC_arraylength,
                                   OPC_pop, /* 4: covered */
                                   OPC_aload_1,
                                   OPC_monitorexit,
                                   OPC_goto,
                                   0,
                                   8, /* 7; 9 -> 17 */
                                   OPC_astore_2,
                                   OPC_aload_1,
                                   OPC_monitorexit,
                                   OPC_aload_2,
                                   OPC_athrow, /* 12 */
                                   OPC_return};
    static const ClassFileHandler h[] = {{4, 9, 12, 0}, {12, 15, 12, 0}}, *one = h;
    Dataflow *d = flow_of(code, sizeof code, 3, 2, h, 2, "([I)V");
    assert_non_null(d);
    assert_true(d->balanced_locks);
    assert_int_equal(d->blocks[block_at(d, 4)].lock_depth, 1);
    assert_int_equal(d->blocks[block_at(d, 12)].lock_depth, 1);
    assert_int_equal(d->blocks[block_at(d, 17)].lock_depth, 0);
    dataflow_free(d);
    /* Nothing catches exceptions thrown in the handler's own range. The result is the same, because that code cannot
     * throw. */
    d = flow_of(code, sizeof code, 3, 2, one, 1, "([I)V");
    assert_true(d->balanced_locks);
    dataflow_free(d);
    /* An exception escapes with the monitor held. */
    d = flow_of(code, sizeof code, 3, 2, NULL, 0, "([I)V");
    assert_false(d->balanced_locks);
    dataflow_free(d);
}

static bool balanced(const uint8_t *code, uint32_t len) {
    Dataflow *d = flow_of(code, len, 2, 2, NULL, 0, "(Ljava/lang/Object;I)V");
    assert_non_null(d);
    bool result = d->balanced_locks;
    dataflow_free(d);
    return result;
}

static void unbalanced_monitors(void **state) {
    (void)state;
    static const uint8_t held[] = {OPC_aload_0, OPC_monitorenter, OPC_return},
                         negative[] = {OPC_aload_0, OPC_monitorexit, OPC_return},
                         once[] = {OPC_aload_0, OPC_monitorenter, OPC_aload_0, OPC_monitorexit, OPC_return},
                         merge[] = {OPC_iload_1, OPC_ifeq, 0, 5, OPC_aload_0, OPC_monitorenter, OPC_goto, 0xff, 0xfa},
                         looped[] = {OPC_aload_0, OPC_monitorenter, OPC_goto, 0xff, 0xfe};
    assert_false(balanced(held, sizeof held));
    assert_false(balanced(negative, sizeof negative));
    assert_true(balanced(once, sizeof once));
    assert_false(balanced(merge, sizeof merge));
    assert_false(balanced(looped, sizeof looped));
}

/* Each exit releases the monitor entered last, whichever variable holds the object. */

static bool structured_with(const uint8_t *code, uint32_t len, const ClassFileHandler *h, unsigned n) {
    Dataflow *d = flow_of(code, len, 4, 3, h, n, "(Ljava/lang/Object;Ljava/lang/Object;I)V");
    assert_non_null(d);
    bool result = d->structured_locks;
    assert_true(d->balanced_locks);
    dataflow_free(d);
    return result;
}

static bool structured(const uint8_t *code, uint32_t len) { return structured_with(code, len, NULL, 0); }

static void structured_monitors(void **state) {
    (void)state;
    static const uint8_t nested[] = {OPC_aload_0,     OPC_monitorenter, OPC_aload_1,     OPC_monitorenter, OPC_aload_1,
                                     OPC_monitorexit, OPC_aload_0,      OPC_monitorexit, OPC_return,       OPC_pop,
                                     OPC_aload_0,     OPC_monitorexit,  OPC_return}, /* 9: the second is null */
        crossed[] = {OPC_aload_0,     OPC_monitorenter, OPC_aload_1,     OPC_monitorenter, OPC_aload_0,
                     OPC_monitorexit, OPC_aload_1,      OPC_monitorexit, OPC_return,       OPC_pop,
                     OPC_aload_0,     OPC_monitorexit,  OPC_return},
                         other[] = {OPC_aload_0, OPC_monitorenter, OPC_aload_1, OPC_monitorexit, OPC_return},
                         replaced[] = {OPC_aload_0, OPC_monitorenter, OPC_aload_1, OPC_astore_0,
                                       OPC_aload_0, OPC_monitorexit,  OPC_return},
                         copied[] = {OPC_aload_0,  OPC_dup,     OPC_astore_1,    OPC_monitorenter, OPC_aconst_null,
                                     OPC_astore_0, OPC_aload_1, OPC_monitorexit, OPC_return},
                         on_stack[] = {OPC_aload_0, OPC_aload_1,     OPC_swap, OPC_dup_x1, OPC_monitorenter,
                                       OPC_swap,    OPC_monitorexit, OPC_pop,  OPC_return},
                         constants[] = {OPC_aconst_null, OPC_monitorenter, OPC_aconst_null, OPC_monitorexit,
                                        OPC_return};
    static const ClassFileHandler h = {3, 4, 9, 0};
    assert_true(structured_with(nested, sizeof nested, &h, 1));
    assert_false(structured_with(crossed, sizeof crossed, &h, 1));
    assert_false(structured(other, sizeof other));
    assert_false(structured(replaced, sizeof replaced));
    assert_true(structured(copied, sizeof copied));
    assert_true(structured(on_stack, sizeof on_stack));
    assert_false(structured(constants, sizeof constants));
}

static void structured_monitors_where_paths_join(void **state) {
    (void)state;
    /* The path decides which object is locked; the variable then holds that object on both paths. */
    static const uint8_t
        either[] = {OPC_iload_2,
                    OPC_ifeq,
                    0,
                    7,
                    OPC_aload_0,
                    OPC_goto,
                    0,
                    4,           /* 5 -> 9 */
                    OPC_aload_1, /* 8 */
                    OPC_dup,
                    OPC_astore_3,
                    OPC_monitorenter,
                    OPC_aload_3,
                    OPC_monitorexit,
                    OPC_return},
        /* One path overwrites the locked variable. */
        one_path[] = {OPC_aload_0, OPC_monitorenter, OPC_iload_2, OPC_ifeq,        0,         5,
                      OPC_aload_1, OPC_astore_0,     OPC_aload_0, OPC_monitorexit, OPC_return},
        /* A loop that locks another object in each iteration, and one that overwrites the variable
                          * of the first. */
        swapping[] = {OPC_aload_0,  OPC_monitorenter, OPC_aload_0, OPC_monitorexit, OPC_aload_0, OPC_aload_1,
                      OPC_astore_0, OPC_astore_1,     OPC_iload_2, OPC_ifne,        0xff,        0xf7,
                      OPC_return},
        forgetting[] = {OPC_aload_0, OPC_monitorenter,                                /* 0 */
                        OPC_aload_0, OPC_monitorexit,  OPC_aload_1,     OPC_astore_0, /* 2: again from 9 */
                        OPC_aload_1, OPC_monitorenter, OPC_iload_2,     OPC_ifne,     0xff,
                        0xf9,        OPC_aload_1,      OPC_monitorexit, OPC_return},
        remembering[] = {OPC_aload_0, OPC_astore_3,     OPC_aload_3, OPC_monitorenter, OPC_aload_3, OPC_monitorexit,
                         OPC_aload_1, OPC_astore_3, /* 4: again from 10 */
                         OPC_aload_3, OPC_monitorenter, OPC_iload_2, OPC_ifne,         0xff,        0xf9,
                         OPC_aload_3, OPC_monitorexit,  OPC_return};
    assert_true(structured(either, sizeof either));
    assert_false(structured(one_path, sizeof one_path));
    assert_true(structured(swapping, sizeof swapping));
    assert_true(structured(forgetting, sizeof forgetting));
    assert_true(structured(remembering, sizeof remembering));
}

/* In a handler, each variable joins its values before every covered instruction. */
static void structured_monitors_in_handlers(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_aload_0,
                                   OPC_dup,
                                   OPC_astore_1,
                                   OPC_monitorenter, /* 0 */
                                   OPC_aload_0,
                                   OPC_arraylength,
                                   OPC_pop, /* 4: covered */
                                   OPC_nop,
                                   OPC_nop,
                                   OPC_aload_0,
                                   OPC_arraylength,
                                   OPC_pop, /* 7: covered */
                                   OPC_aload_1,
                                   OPC_monitorexit,
                                   OPC_goto,
                                   0,
                                   8, /* 12; 14 -> 22 */
                                   OPC_astore_2,
                                   OPC_aload_1,
                                   OPC_monitorexit,
                                   OPC_aload_2,
                                   OPC_athrow, /* 17 */
                                   OPC_return};
    static const ClassFileHandler h[] = {{4, 14, 17, 0}, {17, 20, 17, 0}};
    uint8_t changed[sizeof code];
    Dataflow *d = flow_of(code, sizeof code, 3, 2, h, 2, "([I)V");
    assert_true(d->balanced_locks && d->structured_locks);
    dataflow_free(d);
    memcpy(changed, code, sizeof code);
    changed[7] = OPC_aconst_null; /* the variable temporarily holds another value */
    changed[8] = OPC_astore_1;
    d = flow_of(changed, sizeof changed, 3, 2, h, 2, "([I)V");
    assert_true(d->balanced_locks);
    assert_false(d->structured_locks);
    dataflow_free(d);
}

/* Size. */

static void longest_code(void **state) {
    (void)state;
    static uint8_t code[65535];
    memset(code, OPC_nop, sizeof code);
    for (unsigned i = 0; i + 8 < sizeof code; i += 8) { /* wide iinc; ifeq to the next */
        code[i] = OPC_iload_0;
        code[i + 1] = OPC_ifeq;
        code[i + 3] = 4;
        code[i + 5] = OPC_iinc;
        code[i + 6] = (uint8_t)(i & 1);
        code[i + 7] = 1;
    }
    code[sizeof code - 1] = OPC_return;
    Dataflow *d = flow_of(code, sizeof code, 200, 20, NULL, 0, "(I)V");
    assert_non_null(d);
    assert_int_equal(d->words, 4);
    assert_true(d->block_count > 16000);
    dataflow_free(d);
    /* So large a product of blocks and variables is rejected early. */
    assert_null(flow_of(code, sizeof code, 65535, 20, NULL, 0, "(I)V"));
}

/* The JDK's methods. */

typedef struct Method {
    const ClassFileCode *code;
    const char *class_name;
    char name[200];
    char desc[70000];
    Operands operands;
    unsigned *bad;
} Method;

static void complain(Method *m, uint32_t bci, const char *what) {
    if (++*m->bad < 20) print_error("%s.%s at %u: %s\n", m->class_name, m->name, bci, what);
}

/* StackMapTable as kinds. */

typedef struct Map {
    const uint8_t *p;
    char kinds[70000]; /* locals, then the stack at max_locals */
    uint32_t locals;   /* types in words listed by the frame */
    uint32_t stack;
} Map;

static uint32_t read_types(Map *map, char *to, unsigned count) {
    static const char kinds[] = {KIND_DEAD, KIND_INT, KIND_FLOAT, KIND_DOUBLE, KIND_LONG,
                                 KIND_REF,  KIND_REF, KIND_REF,   KIND_REF};
    uint32_t n = 0;
    while (count-- > 0) {
        uint8_t tag = *map->p++;
        map->p += tag >= 7 ? 2 : 0;
        to[n++] = kinds[tag];
        if (kinds[tag] == KIND_LONG || kinds[tag] == KIND_DOUBLE) to[n++] = KIND_UPPER;
    }
    return n;
}

static uint16_t read_u2(Map *map) {
    map->p += 2;
    return bytes_u2(map->p - 2);
}

/* Advances to the next frame; returns its offset delta. */
static uint32_t next_frame(Map *map, uint32_t max_locals) {
    uint8_t type = *map->p++;
    char *stack = map->kinds + max_locals;
    map->stack = 0;
    if (type < 64) return type;
    if (type < 128) {
        map->stack = read_types(map, stack, 1);
        return type - 64u;
    }
    uint32_t delta = read_u2(map);
    if (type == 247) map->stack = read_types(map, stack, 1);
    for (; type >= 248 && type < 251; type++) map->locals -= map->kinds[map->locals - 1] == KIND_UPPER ? 2 : 1;
    if (type > 251 && type < 255) map->locals += read_types(map, map->kinds + map->locals, type - 251u);
    if (type == 255) {
        map->locals = read_types(map, map->kinds, read_u2(map));
        map->stack = read_types(map, stack, read_u2(map));
    }
    return delta;
}

static void compare_frame(Method *m, const Dataflow *d, const Map *map, uint32_t bci) {
    uint32_t b = block_at(d, bci);
    if (b == CFG_NONE) return; /* unreachable, or no block begins here */
    const FlowBlock *k = &d->blocks[b];
    if (k->stack_depth != map->stack || memcmp(k->kinds + d->max_locals, map->kinds + d->max_locals, map->stack) != 0)
        complain(m, bci, "stack differs from the stack map");
    for (uint32_t i = 0; i < d->max_locals; i++) {
        char is = i < map->locals ? map->kinds[i] : KIND_DEAD;
        if (k->kinds[i] != KIND_DEAD && k->kinds[i] != is) complain(m, bci, "locals differ from the stack map");
    }
}

static void compare_stack_map(Method *m, const Dataflow *d, bool is_static) {
    static Map map;
    DescriptorIter it;
    DescriptorType t;
    map.p = m->code->stack_map.ptr;
    map.locals = 0;
    if (!is_static) map.kinds[map.locals++] = KIND_REF;
    descriptor_begin(&it, (const uint8_t *)m->desc, (uint32_t)strlen(m->desc));
    while (descriptor_next(&it, &t)) {
        map.kinds[map.locals++] = strchr("JFD", t.kind) ? t.kind : strchr("L[", t.kind) ? KIND_REF : KIND_INT;
        if (t.slots == 2) map.kinds[map.locals++] = KIND_UPPER;
    }
    uint32_t bci = UINT32_MAX;
    for (unsigned n = m->code->has_stack_map ? read_u2(&map) : 0; n > 0; n--) {
        bci += next_frame(&map, d->max_locals) + 1;
        compare_frame(m, d, &map, bci);
    }
}

/* Naive liveness: one instruction and one variable at a time. */

static bool reads(const uint8_t *code, uint32_t bci, unsigned local) {
    unsigned index;
    uint8_t op = code[bci] == OPC_wide ? code[bci + 1] : code[bci];
    return opcodes_local(code, bci, &index) > 0 && index == local &&
        (op == OPC_ret || (opcodes_info[op].flags & OPF_LOAD));
}

static bool writes(const uint8_t *code, uint32_t bci, unsigned local) {
    unsigned index, slots = opcodes_local(code, bci, &index);
    uint8_t op = code[bci] == OPC_wide ? code[bci + 1] : code[bci];
    return (opcodes_info[op].flags & OPF_STORE) && local - index < slots;
}

static void compare_liveness(Method *m, const Dataflow *d, unsigned local) {
    const uint8_t *code = m->code->code;
    uint32_t len = m->code->code_len;
    static bool live[65536]; /* before the instruction; here blocks map 1:1 to code */
    memset(live, 0, len + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = d->block_count; b-- > 0;) {
            const FlowBlock *k = &d->blocks[b];
            bool after = false, caught = false;
            for (uint32_t i = 0; i < k->succ_count; i++) after |= live[d->blocks[succ(d, b, i)].start];
            for (uint32_t i = 0; i < k->handler_count; i++)
                caught |= live[d->blocks[d->handlers[k->first_handler + i].block].start];
            for (uint32_t bci = k->end; bci-- > k->start;) {
                if (!d->cfg->insn_start[bci]) continue;
                after = reads(code, bci, local) || (after && !writes(code, bci, local)) || caught;
                changed |= after != live[bci];
                live[bci] = after;
            }
        }
    }
    for (uint32_t b = 0; b < d->block_count; b++) {
        const FlowBlock *k = &d->blocks[b];
        for (uint32_t bci = k->start; bci < k->end; bci++) {
            if (d->cfg->insn_start[bci] && dataflow_is_live(dataflow_live(d, b, bci), local) != live[bci])
                complain(m, bci, "liveness differs");
        }
        bool after = false;
        for (uint32_t i = 0; i < k->succ_count; i++) after |= live[d->blocks[succ(d, b, i)].start];
        if (dataflow_is_live(dataflow_live(d, b, k->end), local) != after)
            complain(m, k->end, "liveness differs at the end of the block");
        if (live[k->start] != (k->kinds[local] != KIND_DEAD && k->kinds[local] != KIND_UPPER))
            complain(m, k->start, "a live variable without a kind or the other way");
    }
}

/* dataflow_live_at() for one instruction agrees with the whole analysis, at a block's first and last instruction. */
static void compare_single(Method *m, const Dataflow *d, uint32_t b) {
    uint64_t set[65536 / 64];
    uint32_t at[] = {d->blocks[b].start, d->cfg->blocks[d->blocks[b].cfg_block].last};
    for (int i = 0; i < 2; i++)
        if (!dataflow_live_at(m->code, at[i], set) ||
            memcmp(set, dataflow_live(d, b, at[i]), d->words * sizeof *set) != 0)
            complain(m, at[i], "liveness asked for alone differs");
}

static void check_method(Method *m, bool is_static) {
    char err[200] = "";
    Dataflow *d = dataflow_build(m->code, m->desc, is_static, operands_descriptor, &m->operands, err, sizeof err);
    if (!d) {
        complain(m, 0, err);
        return;
    }
    if (!d->balanced_locks) complain(m, 0, "monitors not balanced");
    if (!d->structured_locks) complain(m, 0, "monitors not proven to be structured");
    if (d->block_count != d->cfg->reachable_count) complain(m, 0, "blocks are not those of the graph");
    compare_stack_map(m, d, is_static);
    for (unsigned local = 0; local < d->max_locals && local < 12; local++) compare_liveness(m, d, local);
    compare_single(m, d, d->block_count / 2);
    dataflow_free(d);
}

static void check_class(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    static Method m;
    ClassFileError e;
    ClassFile *cf = classfile_parse(bytes, len, NULL, &e);
    assert_non_null(cf);
    m.operands.cf = cf;
    m.class_name = name;
    m.bad = arg;
    for (unsigned i = 0; i < cf->method_count; i++) {
        ClassFileUtf8 n = classfile_utf8(cf, cf->methods[i].name_index);
        ClassFileUtf8 desc = classfile_utf8(cf, cf->methods[i].desc_index);
        snprintf(m.name, sizeof m.name, "%.*s", (int)n.len, (const char *)n.ptr);
        snprintf(m.desc, sizeof m.desc, "%.*s", (int)desc.len, (const char *)desc.ptr);
        m.operands.code = m.code = cf->methods[i].code;
        if (m.code) check_method(&m, cf->methods[i].access_flags & ACC_STATIC);
    }
    classfile_free(cf);
}

/* DATAFLOW_EVERY=1 checks all classes; DATAFLOW_MODULE selects another module. */
static void jdk_methods(void **state) {
    (void)state;
    const char *every = getenv("DATAFLOW_EVERY"), *module = getenv("DATAFLOW_MODULE");
    unsigned bad = 0;
    if (jdk_each_class(module ? module : "java.base", every ? (unsigned)atoi(every) : 7, check_class, &bad) == 0)
        skip();
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_and_pairs),
        cmocka_unit_test(wrong_kinds),
        cmocka_unit_test(conflicting_kinds_are_dead),
        cmocka_unit_test(loop_to_the_first_instruction),
        cmocka_unit_test(handler_covers_itself),
        cmocka_unit_test(stores_before_a_handler),
        cmocka_unit_test(subroutine_for_each_call),
        cmocka_unit_test(subroutine_left_by_a_branch),
        cmocka_unit_test(nested_subroutines),
        cmocka_unit_test(too_many_copies),
        cmocka_unit_test(random_subroutines),
        cmocka_unit_test(javac_synchronized),
        cmocka_unit_test(unbalanced_monitors),
        cmocka_unit_test(structured_monitors),
        cmocka_unit_test(structured_monitors_where_paths_join),
        cmocka_unit_test(structured_monitors_in_handlers),
        cmocka_unit_test(longest_code),
        cmocka_unit_test(jdk_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
