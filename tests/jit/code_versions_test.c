// Code versions: the nodes of a plan's code, where its checks are, and what becomes of its loops.
#include "tests/jit/plans.h"

#include "jit/analysis/code_versions.h"

static HandPlan hand, inner;
static CodeVersions *versions;
static const StripMiningOptions loops = {.on = true};

// for (i = 0; i < n; i++) s += a[i]. Blocks begin at 0, 4 (header), 9 (body) and 21 (after the loop).
enum { BEFORE = 0, HEADER = 4, BODY = 9, BEHIND = 21, END = 23 };
static Plan *with_loop(void) {
    return handplan_make(&hand, "([II)I", 4, OPC_iconst_0, OPC_istore_2, OPC_iconst_0, OPC_istore_3,  // 0
                         OPC_iload_3, OPC_iload_1, OPC_if_icmpge, TO(6, 21),                          // 4
                         OPC_iload_2, OPC_aload_0, OPC_iload_3, OPC_iaload, OPC_iadd, OPC_istore_2, OPC_iinc, 3,
                         1,                                               // 9
                         OPC_goto, TO(18, 4), OPC_iload_2, OPC_ireturn);  // 18
}

// if (n == 0) return a[0]; return n
static Plan *without_loop(HandPlan *h) {
    return handplan_make(h, "([II)I", 2, OPC_iload_1, OPC_ifne, TO(1, 8), OPC_aload_0, OPC_iconst_0, OPC_iaload,
                         OPC_ireturn, OPC_iload_1, OPC_ireturn);
}

static void make(StripMiningOptions options) { versions = code_versions_make(&hand.plan, 0, options); }

static void done(void) {
    code_versions_free(versions);
    handplan_free(&hand);
}

// The first node of the root's block at `bci`.
static uint32_t node_at(uint32_t bci) { return versions->frames[0].first[handplan_block(&hand.plan, bci)]; }

static void sample(SamplingDup dup, SamplingChecks checks, bool exits) {
    hand.plan.sampling = (CompilerSampling){.on = true, .dup = (uint8_t)dup, .checks = (uint8_t)checks, .exits = exits};
}

static bool has_edge(uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < versions->graph.edge_count; i++)
        if (versions->graph.edges[i].from == from && versions->graph.edges[i].to == to) return true;
    return false;
}

// ---- nodes --------------------------------------------------------------------------------------

static void without_sampling(void **state) {
    (void)state;
    with_loop();
    make(loops);
    assert_null(versions->duplicate);
    assert_false(versions->exits);
    assert_int_equal(versions->frame_count, 1);
    assert_int_equal(versions->node_count, 5);  // the prologue and four blocks
    assert_int_equal(versions->entry, versions->frames[0].prologue);
    assert_int_equal(versions->nodes[versions->entry].block, CFG_NONE);
    static const uint32_t starts[] = {BEFORE, HEADER, BODY, BEHIND, END};
    for (int i = 0; i < 4; i++) {
        const VersionNode *n = &versions->nodes[node_at(starts[i])];
        assert_ptr_equal(n->plan, &hand.plan);
        assert_int_equal(n->start, starts[i]);
        assert_int_equal(n->end, starts[i + 1]);
        assert_null(n->inlined);
        assert_int_equal(n->next, CFG_NONE);
    }
    assert_int_equal(versions->frames[0].loops.count, 1);
    assert_int_equal(versions->frames[0].checks[0], LOOP_CHECKS_NONE);
    for (uint32_t n = 0; n < versions->node_count; n++) assert_int_equal(versions->check_free_loops[n], CFG_NONE);
    done();
}

static void without_strip_mining(void **state) {
    (void)state;
    with_loop();
    make((StripMiningOptions){0});
    assert_int_equal(versions->frames[0].loops.count, 0);
    code_versions_free(versions);
    // The test of a strip-mined loop would report more branches than the bytecode makes.
    hand.plan.events = EVENT_BIT(EVENT_branch);
    make(loops);
    assert_int_equal(versions->frames[0].loops.count, 0);
    code_versions_free(versions);
    hand.plan.counted = hand.plan.events;  // a count is right wherever the branch is
    make(loops);
    assert_int_equal(versions->frames[0].loops.count, 1);
    done();
}

static void on_stack_replacement(void **state) {
    (void)state;
    with_loop();
    hand.plan.osr_bci = HEADER;
    uint32_t header = handplan_block(&hand.plan, HEADER);
    versions = code_versions_make(&hand.plan, header, loops);
    assert_int_equal(versions->frames[0].prologue, CFG_NONE);
    assert_int_equal(versions->entry, versions->frames[0].first[header]);
    assert_int_equal(node_at(BEFORE), CFG_NONE);  // not reached
    assert_int_equal(versions->node_count, 3);
    done();
}

// for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) {}
enum { OUTER = 2, MIDDLE = 9, INNER = 17 };
static void with_three_loops(void) {
    handplan_make(&hand, "([II)I", 5, OPC_iconst_0, OPC_istore_2, OPC_iload_2, OPC_iload_1, OPC_if_icmpge, TO(4, 41),
                  OPC_iconst_0, OPC_istore_3, OPC_iload_3, OPC_iload_1, OPC_if_icmpge, TO(11, 35),    // 7
                  OPC_iconst_0, OPC_istore, 4, OPC_iload, 4, OPC_iload_1, OPC_if_icmpge, TO(20, 29),  // 14
                  OPC_iinc, 4, 1, OPC_goto, TO(26, 17), OPC_iinc, 3, 1, OPC_goto, TO(32, 9),          // 23
                  OPC_iinc, 2, 1, OPC_goto, TO(38, 2), OPC_iload_1, OPC_ireturn);                     // 35
}

static void enter_at(uint32_t bci) {
    hand.plan.osr_bci = (int32_t)bci;
    versions = code_versions_make(&hand.plan, handplan_block(&hand.plan, bci), loops);
}

static bool is_outer(uint32_t bci) {
    return versions->outer_loops && versions->outer_loops[handplan_block(&hand.plan, bci)];
}

static void an_inner_loop_may_be_left_for_outer_ones(void **state) {
    (void)state;
    with_three_loops();
    enter_at(INNER);
    assert_true(is_outer(OUTER) && is_outer(MIDDLE) && !is_outer(INNER));
    code_versions_free(versions);
    enter_at(MIDDLE);
    assert_true(is_outer(OUTER) && !is_outer(MIDDLE) && !is_outer(INNER));
    code_versions_free(versions);
    enter_at(OUTER);
    assert_null(versions->outer_loops);
    code_versions_free(versions);
    // Duplicated code could not say whether it is in a sample.
    sample(DUP_FULL, CHECKS_ALL, false);
    enter_at(INNER);
    assert_null(versions->outer_loops);
    done();
}

static void events(void **state) {
    (void)state;
    with_loop();
    enum { LOAD = 12, ADD = 13, TEST = 6, JUMP = 18 };
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    assert_true(code_versions_is_event(&hand.plan, LOAD));
    assert_false(code_versions_is_event(&hand.plan, ADD));
    assert_false(code_versions_is_event(&hand.plan, TEST));
    hand.plan.events = EVENT_BIT(EVENT_branch);
    assert_true(code_versions_is_event(&hand.plan, TEST));
    assert_false(code_versions_is_event(&hand.plan, LOAD));
    hand.plan.events = 0;
    assert_false(code_versions_is_event(&hand.plan, TEST));
    assert_int_equal(code_versions_events_at(&hand.plan, TEST), 0);
    assert_false(code_versions_call_is_event(NULL));
    handplan_free(&hand);
}

// ---- checks -------------------------------------------------------------------------------------

static void duplication_of_everything(void **state) {
    (void)state;
    with_loop();
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_FULL, CHECKS_ALL, false);
    make(loops);
    assert_non_null(versions->duplicate);
    assert_false(versions->exits);
    for (uint32_t n = 0; n < versions->node_count; n++) assert_true(versions->duplicate->duplicated[n]);
    assert_true(versions->duplicate->checked[node_at(HEADER)]);
    assert_true(versions->duplicate->checked[versions->entry]);
    assert_int_equal(versions->duplicate->check_count, 2);
    assert_true(versions->graph.instrumented[node_at(BODY)]);
    assert_false(versions->graph.instrumented[node_at(BEFORE)]);
    assert_true(has_edge(node_at(HEADER), node_at(BODY)));
    assert_true(has_edge(node_at(BODY), node_at(HEADER)));
    assert_false(has_edge(node_at(BODY), node_at(BEHIND)));
    done();
}

static void duplication_of_what_has_events(void **state) {
    (void)state;
    without_loop(&hand);
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_PARTIAL, CHECKS_ALL, false);
    make(loops);
    assert_non_null(versions->duplicate);
    assert_true(versions->duplicate->duplicated[node_at(4)]);
    assert_false(versions->duplicate->duplicated[node_at(8)]);
    code_versions_free(versions);
    // Nothing has events, or each event has its own check: one version is enough.
    hand.plan.events = 0;
    make(loops);
    assert_null(versions->duplicate);
    code_versions_free(versions);
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_NO, CHECKS_ALL, false);
    make(loops);
    assert_null(versions->duplicate);
    done();
}

static void code_that_is_left_for_a_sample(void **state) {
    (void)state;
    with_loop();
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_FULL, CHECKS_ALL, true);
    make(loops);
    assert_non_null(versions->duplicate);
    assert_true(versions->exits);
    assert_int_equal(versions->duplicate->entry, TARGET_CHECK);
    assert_true(versions->duplicate->checked[node_at(HEADER)]);
    // The loop is duplicated as a whole: it has a check-free version.
    assert_int_equal(versions->frames[0].loops.count, 1);
    assert_int_equal(versions->frames[0].checks[0], LOOP_CHECKS_AT_HEADER);
    assert_int_equal(versions->check_free_loops[node_at(HEADER)], node_at(HEADER));
    assert_int_equal(versions->check_free_loops[node_at(BODY)], node_at(HEADER));
    assert_int_equal(versions->check_free_loops[node_at(BEHIND)], CFG_NONE);
    assert_int_equal(versions->check_free_loops[versions->entry], CFG_NONE);
    code_versions_free(versions);
    sample(DUP_PARTIAL, CHECKS_ALL, true);
    make(loops);
    assert_int_equal(versions->duplicate->entry, TARGET_CHECKING);  // nothing has events before the loop
    assert_true(versions->duplicate->checked[node_at(HEADER)]);
    code_versions_free(versions);
    sample(DUP_FULL, CHECKS_BACKEDGES, true);
    make(loops);
    assert_int_equal(versions->duplicate->entry, TARGET_CHECKING);
    assert_true(versions->duplicate->checked[node_at(HEADER)]);
    assert_false(versions->duplicate->checked[versions->entry]);
    done();
}

static void a_leaf_makes_no_checks(void **state) {
    (void)state;
    without_loop(&hand);
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_PARTIAL, CHECKS_ALL, true);
    make(loops);
    assert_non_null(versions->duplicate);
    assert_int_equal(versions->duplicate->entry, TARGET_CHECKING);
    for (uint32_t n = 0; n < versions->node_count; n++) assert_false(versions->duplicate->checked[n]);
    done();
}

static void the_cheapest_way(void **state) {
    (void)state;
    with_loop();
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    sample(DUP_AUTO, CHECKS_ALL, true);
    make(loops);
    assert_int_equal(versions->duplicate->mode, DUP_PARTIAL);
    code_versions_free(versions);
    // An event after the loop: its own check costs one, and a check of the loop header costs one in each iteration.
    hand.plan.events = EVENT_BIT(EVENT_returned);
    sample(DUP_AUTO, CHECKS_ALL, false);
    make(loops);
    assert_null(versions->duplicate);
    code_versions_free(versions);
    // Two events in each iteration share the check of the header.
    hand.plan.events = EVENT_BIT(EVENT_array_access) | EVENT_BIT(EVENT_branch);
    make(loops);
    assert_non_null(versions->duplicate);
    assert_int_equal(versions->duplicate->mode, DUP_PARTIAL);
    done();
}

// ---- inlined methods ----------------------------------------------------------------------------

// f(a, n) calls the method without a loop at bci 2 and adds n to the result.
static PlanSite call_site;
static void with_inlined(CallPlan how) {
    without_loop(&inner);
    handplan_make(&hand, "([II)I", 2, OPC_aload_0, OPC_iload_1, OPC_invokestatic, 0, 1, OPC_iload_1, OPC_iadd,
                  OPC_ireturn);
    inner.plan.parent = &hand.plan;
    inner.plan.parent_bci = 2;
    inner.plan.depth = 1;
    call_site = (PlanSite){.bci = 2,
                           .site = {.kind = SITE_CALL_DIRECT, .method = &inner.method, .initialized = true},
                           .call = how,
                           .target = &inner.method,
                           .inlined = &inner.plan};
    hand.plan.sites = &call_site;
    hand.plan.site_count = 1;
    hand.plan.events = inner.plan.events = EVENT_BIT(EVENT_array_access);
}

static void inlined_code(CallPlan how, bool falls_through) {
    with_inlined(how);
    sample(DUP_FULL, CHECKS_ALL, false);
    make(loops);
    assert_int_equal(versions->frame_count, 2);
    uint32_t call = node_at(0), rest = versions->nodes[call].next;
    assert_ptr_equal(versions->nodes[call].inlined, &call_site);
    assert_int_equal(versions->nodes[call].end, 5);
    assert_int_equal(versions->nodes[rest].start, 5);
    assert_int_equal(versions->nodes[rest].end, 8);
    uint32_t frame = versions->nodes[call].callees[0];
    assert_int_equal(frame, 1);
    assert_int_equal(versions->nodes[call].callees[1], CFG_NONE);
    const VersionFrame *callee = &versions->frames[frame];
    assert_ptr_equal(callee->plan, &inner.plan);
    assert_true(has_edge(call, callee->prologue));
    assert_true(has_edge(callee->prologue, callee->first[0]));
    assert_int_equal(has_edge(call, rest), falls_through);
    // Both of its returns lead to the code after the call.
    assert_true(has_edge(callee->first[handplan_block(&inner.plan, 4)], rest));
    assert_true(has_edge(callee->first[handplan_block(&inner.plan, 8)], rest));
    assert_false(has_edge(callee->first[0], rest));
    // Nodes are in the order of emission: the callee's between the two segments.
    assert_true(call < callee->prologue && callee->first[0] < rest);
    handplan_free(&inner);
    done();
}

static void inlined_methods(void **state) {
    (void)state;
    inlined_code(CALL_UNIQUE, false);
    inlined_code(CALL_GUARDED, true);  // if the guard does not hold
}

static void an_inlined_leaf_is_part_of_its_caller(void **state) {
    (void)state;
    with_inlined(CALL_UNIQUE);
    sample(DUP_FULL, CHECKS_ALL, true);
    make(loops);
    const VersionFrame *callee = &versions->frames[1];
    assert_false(versions->graph.begins[callee->prologue]);
    assert_false(versions->duplicate->checked[callee->prologue]);
    assert_true(has_edge(callee->first[handplan_block(&inner.plan, 8)], versions->nodes[node_at(0)].next));
    handplan_free(&inner);
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_sampling),
        cmocka_unit_test(without_strip_mining),
        cmocka_unit_test(on_stack_replacement),
        cmocka_unit_test(an_inner_loop_may_be_left_for_outer_ones),
        cmocka_unit_test(events),
        cmocka_unit_test(duplication_of_everything),
        cmocka_unit_test(duplication_of_what_has_events),
        cmocka_unit_test(code_that_is_left_for_a_sample),
        cmocka_unit_test(a_leaf_makes_no_checks),
        cmocka_unit_test(the_cheapest_way),
        cmocka_unit_test(inlined_methods),
        cmocka_unit_test(an_inlined_leaf_is_part_of_its_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
