// Counts of template code in plans: see plan_counts.h.
#include "jit/plan/plan_counts.h"

#include <stdlib.h>

#include "jit/plan/inlining.h"
#include "jit/plan/plan_internal.h"
#include "vm/api/eventsets.h"

static uint64_t load(const uint64_t *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

static const MethodCounts *recent_of(const MethodCounts *counts) {
    return __atomic_load_n(&counts->recent, __ATOMIC_ACQUIRE);
}

static uint64_t count_of_block(const MethodCounts *counts, uint32_t block) {
    const MethodCounts *recent = recent_of(counts);
    return load(&counts->blocks[block]) + (recent ? load(&recent->blocks[block]) : 0);
}

// Sums over all copies of the block that subroutines have made.
uint64_t counts_at(const Plan *plan, uint32_t bci) {
    uint64_t sum = 0;
    for (uint32_t b = 0; plan->blocks && b < plan->flow->block_count; b++)
        if (plan->flow->blocks[b].start <= bci && bci < plan->flow->blocks[b].end) sum += plan->blocks[b];
    return sum;
}

typedef struct Rooms {
    uint32_t calls, receivers;
} Rooms;

static void add_call(Plan *plan, Rooms *rooms, uint32_t bci, Method *callee, uint64_t count) {
    if (count == 0) return;
    for (uint32_t i = plan->calls_count; i > 0 && plan->calls[i - 1].bci == bci; i--)
        if (plan->calls[i - 1].callee == callee) {
            plan->calls[i - 1].count += count;
            return;
        }
    plan->calls = plan_grow(plan->calls, &rooms->calls, plan->calls_count, sizeof *plan->calls);
    plan->calls[plan->calls_count++] = (PlanCalls){bci, callee, count};
}

static void add_receiver(Plan *plan, Rooms *rooms, uint32_t bci, Class *cls, uint64_t count) {
    for (uint32_t i = plan->receivers_count; i > 0 && plan->receivers[i - 1].bci == bci; i--)
        if (plan->receivers[i - 1].cls == cls) {
            plan->receivers[i - 1].count += count;
            return;
        }
    plan->receivers = plan_grow(plan->receivers, &rooms->receivers, plan->receivers_count, sizeof *plan->receivers);
    plan->receivers[plan->receivers_count++] = (PlanReceivers){bci, cls, count};
}

static void read_receivers(Plan *plan, Rooms *rooms, PlanSite *ps, const ReceiverCounts *counts) {
    Method *named = ps->site.method;
    for (int i = 0; i < COUNTED_CLASSES; i++) {
        const VTable *vtable = __atomic_load_n(&counts->rows[i].vtable, __ATOMIC_RELAXED);
        uint64_t count = load(&counts->rows[i].count);
        Method *target = vtable && count ? compiler_selected(vtable->cls, named) : NULL;
        if (!target) continue;
        add_receiver(plan, rooms, ps->bci, vtable->cls, count);
        add_call(plan, rooms, ps->bci, target, count);
    }
}

static void read_site(Plan *plan, Rooms *rooms, PlanSite *ps, const MethodCounts *counts) {
    bool by_receiver = ps->site.kind == SITE_CALL_VTABLE || ps->site.kind == SITE_CALL_INTERFACE;
    ps->seen_all = counts && !method_counts_was_left(counts, ps->bci);
    if (by_receiver && counts && method_counts_selects(plan->code->code[ps->bci])) {
        uint32_t number = method_counts_selecting(plan->method, ps->bci);
        read_receivers(plan, rooms, ps, &counts->receivers[number]);
        if (recent_of(counts)) read_receivers(plan, rooms, ps, &recent_of(counts)->receivers[number]);
    } else if (ps->site.kind == SITE_CALL_DIRECT || ps->site.kind == SITE_CALL_LINKED) {
        const MethodCounts *callee = counts ? NULL : compiler_counts_of(ps->site.method);
        uint64_t count = counts ? counts_at(plan, ps->bci) : callee ? count_of_block(callee, 0) : 0;
        add_call(plan, rooms, ps->bci, ps->site.method, count);
    }
}

// Whether the interpreter may execute a branch or a call again that the code has begun. An event that is reported
// before its decision would be reported twice.
bool counts_may_leave(const Plan *root, const Plan *plan) {
    return !root->careful && !(plan->events & (events_before_decisions() | EVENTS_RING | EVENTS_WAIT));
}

bool counts_leave_edge(const Plan *plan, uint32_t block, uint32_t edge) {
    uint8_t never = plan->never ? plan->never[block] : 0;
    if (never == PLAN_NEVER_CASES)
        return plan->blocks[plan->flow->edges[plan->flow->blocks[block].first_succ + edge]] == 0;
    return never >> edge & 1;
}

// Finds edges of conditional branches that need no code, because the block they lead to never began.
static void find_never(const Plan *root, Plan *plan, const MethodCounts *counts) {
    enum { ENTRIES = 100, MANY = 500 };
    const Dataflow *flow = plan->flow;
    plan->never = plan_alloc(flow->block_count);
    if (plan->blocks[0] < ENTRIES || !counts_may_leave(root, plan)) return;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const FlowBlock *f = &flow->blocks[b];
        uint32_t last = dataflow_last(flow, b);
        if (f->succ_count < 2 || plan->blocks[b] < MANY || method_counts_was_left(counts, last)) continue;
        unsigned flags = opcodes_info[opcodes_at(plan->code->code, last)].flags, never = 0;
        bool branch = flags & OPF_COND && f->succ_count == 2;
        if (!branch && !(flags & OPF_SWITCH)) continue;
        for (uint32_t i = 0; i < f->succ_count; i++)
            if (plan->blocks[flow->edges[f->first_succ + i]] == 0) never |= branch ? 1u << i : PLAN_NEVER_CASES;
        if (never != 3) plan->never[b] = (uint8_t)never;
    }
}

static void read_blocks(Plan *plan, const MethodCounts *counts) {
    plan->blocks = plan_alloc(plan->flow->block_count * sizeof *plan->blocks);
    for (uint32_t b = 0; b < plan->flow->block_count; b++) plan->blocks[b] = count_of_block(counts, b);
}

void counts_read(Plan *plan) {
    const MethodCounts *counts = compiler_counts_of(plan->method);
    Rooms rooms = {0};
    if (counts && count_of_block(counts, 0) == 0 && !plan->parent) counts = NULL;
    if (counts) {
        const Plan *root = plan;
        while (root->parent) root = root->parent;
        read_blocks(plan, counts);
        find_never(root, plan, counts);
    }
    for (uint32_t i = 0; i < plan->site_count; i++) read_site(plan, &rooms, &plan->sites[i], counts);
}

bool counts_of_edges(const Plan *plan, uint32_t block, uint64_t *edges) {
    enum { LEAST = 64 };
    const Dataflow *flow = plan->flow;
    const FlowBlock *f = &flow->blocks[block];
    if (!plan->blocks || plan->blocks[block] < LEAST) return false;
    uint64_t left = plan->blocks[block];
    uint32_t open = 0;
    for (uint32_t i = 0; i < f->succ_count; i++) {
        uint32_t to = flow->edges[f->first_succ + i];
        bool known = plan->blocks[to] == 0 || dataflow_edges_to(flow, to) == 1;
        edges[i] = known ? plan->blocks[to] : UINT64_MAX;
        open += !known;
        if (known) left -= edges[i] < left ? edges[i] : left;
    }
    for (uint32_t i = 0; i < f->succ_count; i++)
        if (edges[i] == UINT64_MAX) edges[i] = left / open;
    return open <= 1;
}

// Appends to `reached` the new blocks that the block's code continues to.
static void reach(const Plan *plan, uint32_t block, uint32_t *reached, uint32_t *count, bool *is_reached) {
    const Dataflow *flow = plan->flow;
    const FlowBlock *f = &flow->blocks[block];
    for (uint32_t i = 0; i < f->succ_count + f->handler_count; i++) {
        bool edge = i < f->succ_count;
        uint32_t to = edge ? flow->edges[f->first_succ + i]
                           : flow->handlers[f->first_handler + i - f->succ_count].block;
        if (is_reached[to] || (edge && counts_leave_edge(plan, block, i))) continue;
        is_reached[to] = true;
        reached[(*count)++] = to;
    }
}

static uint32_t reached_bytes(const Plan *plan) {
    const Dataflow *flow = plan->flow;
    uint32_t *reached = plan_alloc(flow->block_count * sizeof *reached), count = 1, bytes = 0;
    bool *is_reached = plan_alloc(flow->block_count);
    reached[0] = 0;
    is_reached[0] = true;
    for (uint32_t i = 0; i < count; i++) {
        reach(plan, reached[i], reached, &count, is_reached);
        bytes += flow->blocks[reached[i]].end - flow->blocks[reached[i]].start;
    }
    free(reached);
    free(is_reached);
    return bytes;
}

uint32_t counts_hot_part(const Plan *root, Method *m) {
    PlanBailout why = {0};
    uint32_t size = m->info->code->code_len;
    const MethodCounts *counts = compiler_counts_of(m);
    Plan *plan = counts ? plan_new(m, NULL, 0, &why) : NULL;
    if (!plan) return size;
    read_blocks(plan, counts);
    find_never(root, plan, counts);
    uint32_t bytes = reached_bytes(plan);
    plan_free(plan);
    return bytes < size ? bytes : size;
}

static bool accesses(const Plan *plan, const Field *field) {
    for (; plan; plan = plan->parent)
        for (uint32_t i = 0; i < plan->site_count; i++) {
            const PlanSite *ps = &plan->sites[i];
            if (ps->site.kind == SITE_FIELD && ps->site.field == field && counts_at(plan, ps->bci) > 0) return true;
        }
    return false;
}

double counts_shared_fields(const Plan *caller, Method *m) {
    PlanBailout why = {0};
    uint64_t shared = 0;
    const MethodCounts *counts = compiler_counts_of(m);
    Plan *plan = counts ? plan_new(m, NULL, 0, &why) : NULL;
    if (!plan) return 0;
    plan_collect_sites(plan);
    read_blocks(plan, counts);
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        if (ps->site.kind == SITE_FIELD && accesses(caller, ps->site.field)) shared += counts_at(plan, ps->bci);
    }
    double per_call = plan->blocks[0] ? (double)shared / (double)plan->blocks[0] : 0;
    plan_free(plan);
    return per_call;
}

PlanSnapshot counts_describe(const Plan *root) {
    uint64_t most = 0;
    for (uint32_t b = 0; root->blocks && b < root->flow->block_count; b++)
        if (root->blocks[b] > most) most = root->blocks[b];
    return (PlanSnapshot){1, PLAN_COUNTS, 1, most};
}
