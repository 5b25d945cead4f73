/* Control-flow graphs (bytecode/analysis/cfg.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytecode/analysis/cfg.h"
#include "bytecode/classfile/opcodes.h"
#include "tests/bytecode/jdk_classes.h"

static Cfg *graph(const uint8_t *code, uint32_t len, const ClassFileHandler *h, unsigned n) {
    char err[200];
    ClassFileCode c = {.code = code, .code_len = len, .handlers = h, .handler_count = (uint16_t)n};
    Cfg *g = cfg_build(&c, err, sizeof err);
    return g;
}

static bool has_succ(const Cfg *g, uint32_t from, uint32_t to) {
    const CfgBlock *b = &g->blocks[g->block_at[from]];
    for (uint32_t i = 0; i < b->succ_count; i++) {
        if (g->edges[b->first_succ + i] == g->block_at[to]) return true;
    }
    return false;
}

static void straight_line(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iconst_0, OPC_pop, OPC_return};
    Cfg *g = graph(code, sizeof code, NULL, 0);
    assert_int_equal(g->block_count, 1);
    assert_int_equal(g->blocks[0].end, 3);
    assert_int_equal(g->blocks[0].last, 2);
    assert_int_equal(g->blocks[0].succ_count, 0);
    assert_int_equal(g->backedge_count, 0);
    cfg_free(g);
    cfg_free(NULL);
}

static void diamond(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_iconst_0, OPC_ifeq,   0,       7, /* 1 -> 8 */
                                   OPC_nop,      OPC_goto,   0,       4, /* 5 -> 9 */
                                   OPC_nop,      OPC_return, OPC_nop, OPC_return};
    Cfg *g = graph(code, sizeof code, NULL, 0);
    assert_int_equal(g->block_count, 5);
    assert_int_equal(g->reachable_count, 4);
    assert_false(g->blocks[g->block_at[10]].reachable);
    assert_true(has_succ(g, 0, 8) && has_succ(g, 0, 4));
    assert_true(has_succ(g, 4, 9) && has_succ(g, 8, 9));
    assert_int_equal(g->blocks[g->block_at[9]].pred_count, 2);
    assert_int_equal(g->blocks[g->block_at[9]].idom, 0);
    assert_true(cfg_dominates(g, 0, g->block_at[9]));
    assert_false(cfg_dominates(g, g->block_at[8], g->block_at[9]));
    cfg_free(g);
}

static void nested_loops(void **state) {
    (void)state;
    static const uint8_t code[] = {
        OPC_nop,                          /*  0 */
        OPC_iconst_0, OPC_ifeq, 0,    13, /*  1 outer header; 2 -> 15 */
        OPC_iconst_0, OPC_ifeq, 0,    6,  /*  5 inner header; 6 -> 12 */
        OPC_goto,     0xff,     0xfc,     /*  9 -> 5 */
        OPC_goto,     0xff,     0xf5,     /* 12 -> 1 */
        OPC_return                        /* 15 */
    };
    Cfg *g = graph(code, sizeof code, NULL, 0);
    const CfgBlock *outer = &g->blocks[g->block_at[1]], *inner = &g->blocks[g->block_at[5]];
    assert_int_equal(g->backedge_count, 2);
    assert_false(g->irreducible);
    assert_true(outer->is_loop_header && inner->is_loop_header);
    assert_int_equal(outer->loop_depth, 1);
    assert_int_equal(inner->loop_depth, 2);
    assert_int_equal(inner->loop_parent, g->block_at[1]);
    assert_int_equal(g->blocks[g->block_at[9]].loop_depth, 2);
    assert_int_equal(g->blocks[g->block_at[12]].loop_depth, 1);
    assert_int_equal(g->blocks[g->block_at[12]].loop_header, g->block_at[1]);
    assert_int_equal(g->blocks[g->block_at[15]].loop_depth, 0);
    assert_int_equal(g->blocks[0].loop_header, CFG_NONE);
    assert_int_equal(g->rpo[0], 0);
    cfg_free(g);
}

static void irreducible_loop(void **state) {
    (void)state;
    static const uint8_t code[] = {
        OPC_iconst_0, OPC_ifeq, 0,    7,   /* 1 -> 8: into the middle */
        OPC_nop,      OPC_goto, 0,    3,   /* 4: top */
        OPC_nop,      OPC_goto, 0xff, 0xfb /* 9 -> 4 */
    };
    Cfg *g = graph(code, sizeof code, NULL, 0);
    assert_true(g->irreducible);
    assert_int_equal(g->backedge_count, 1);
    assert_false(g->backedges[0].natural);
    cfg_free(g);
}

static void handlers_end_blocks(void **state) {
    (void)state;
    static const uint8_t code[] = {OPC_nop, OPC_nop, OPC_nop, OPC_return, OPC_athrow, OPC_athrow};
    static const ClassFileHandler h[] = {{1, 3, 4, 7}, {2, 3, 5, 0}, {0, 4, 4, 7}};
    Cfg *g = graph(code, sizeof code, h, 3);
    assert_int_equal(g->block_at[0], 0);
    assert_int_equal(g->block_at[1], 1);
    assert_int_equal(g->block_at[2], 2);
    assert_int_equal(g->block_at[3], 3);
    assert_true(g->blocks[4].is_handler && g->blocks[4].reachable);
    assert_int_equal(g->blocks[1].handler_count, 1); /* the same block only once */
    const CfgBlock *two = &g->blocks[2];
    assert_int_equal(two->handler_count, 2); /* none after the catch-all */
    assert_int_equal(g->edges[two->first_handler], 4);
    assert_int_equal(g->edges[two->first_handler + 1], 5);
    cfg_free(g);
}

static void switches_and_subroutines(void **state) {
    (void)state;
    static const uint8_t sw[] = {
        OPC_iconst_0, OPC_tableswitch, 0,         0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0,
        24,           OPC_return,      OPC_return};
    Cfg *g = graph(sw, sizeof sw, NULL, 0);
    assert_int_equal(g->blocks[0].succ_count, 2);
    assert_int_equal(g->reachable_count, 3);
    cfg_free(g);
    static const uint8_t sub[] = {OPC_jsr, 0, 7, OPC_jsr, 0, 4, OPC_return, /* 7: */ OPC_astore_0, OPC_ret, 0};
    g = graph(sub, sizeof sub, NULL, 0);
    assert_true(g->has_jsr);
    assert_true(has_succ(g, 0, 7) && !has_succ(g, 0, 3));
    assert_true(has_succ(g, 7, 3) && has_succ(g, 7, 6));
    cfg_free(g);
}

static void malformed(void **state) {
    (void)state;
    static const uint8_t bad_op[] = {255}, cut[] = {OPC_goto, 0}, mid[] = {OPC_goto, 0, 1}, off[] = {OPC_goto, 0x7f, 0},
                         fall[] = {OPC_nop};
    static const ClassFileHandler h[] = {{0, 9, 0, 0}};
    assert_null(graph(bad_op, 1, NULL, 0));
    assert_null(graph(cut, 2, NULL, 0));
    assert_null(graph(mid, 3, NULL, 0));
    assert_null(graph(off, 3, NULL, 0));
    assert_null(graph(fall, 1, h, 1));
    Cfg *g = graph(fall, 1, NULL, 0);
    assert_true(g->blocks[0].falls_off);
    cfg_free(g);
}

/* Properties that any graph has. */
static bool sound(const Cfg *g, uint32_t len) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->block_count; i++) {
        const CfgBlock *b = &g->blocks[i];
        if (b->start != at || b->end <= b->start || b->last >= b->end) return false;
        at = b->end;
        if (b->reachable != (b->rpo != CFG_NONE) || (b->reachable && g->rpo[b->rpo] != i)) return false;
        if (b->reachable && !cfg_dominates(g, 0, i)) return false;
        if (b->reachable && i != 0 && (b->pred_count == 0 || b->idom == i)) return false;
        if ((b->loop_header == CFG_NONE) != (b->loop_depth == 0)) return false;
        if (b->loop_header != CFG_NONE && !cfg_dominates(g, b->loop_header, i)) return false;
    }
    return at == len;
}

static void check_jdk_class(void *arg, const char *name, const uint8_t *bytes, size_t len) {
    ClassFileError e;
    ClassFile *cf = classfile_parse(bytes, len, NULL, &e);
    assert_non_null(cf);
    for (unsigned i = 0; i < cf->method_count; i++) {
        const ClassFileCode *code = cf->methods[i].code;
        if (!code) continue;
        Cfg *g = graph(code->code, code->code_len, code->handlers, code->handler_count);
        if (!g || !sound(g, code->code_len)) {
            print_error("%s method %u\n", name, i);
            ++*(unsigned *)arg;
        }
        cfg_free(g);
    }
    classfile_free(cf);
}

static void jdk_graphs_are_sound(void **state) {
    (void)state;
    unsigned bad = 0;
    if (jdk_each_class("java.base", 2, check_jdk_class, &bad) == 0) skip();
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),       cmocka_unit_test(diamond),
        cmocka_unit_test(nested_loops),        cmocka_unit_test(irreducible_loop),
        cmocka_unit_test(handlers_end_blocks), cmocka_unit_test(switches_and_subroutines),
        cmocka_unit_test(malformed),           cmocka_unit_test(jdk_graphs_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
