// Comparison of counts: see countschange.h.
#include "vm/adaptive/countschange.h"

// Smaller counts are not significant. The minimum for the earlier counts is larger, because they are complete.
enum { LEAST_BEFORE = 256, LEAST_NOW = 24 };

static uint64_t load(const uint64_t *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

// The number of receivers, or 0 if there may have been receivers of further classes.
static uint64_t sum_of(const ReceiverCounts *counts) {
    uint64_t sum = 0;
    for (int i = 0; i < COUNTED_CLASSES; i++) sum += load(&counts->rows[i].count);
    return load(&counts->rows[COUNTED_CLASSES - 1].count) ? 0 : sum;
}

bool countschange_receivers(const ReceiverCounts *before, const ReceiverCounts *now) {
    uint64_t sum_before = sum_of(before), sum_now = sum_of(now);
    if (sum_before < LEAST_BEFORE || sum_now < LEAST_NOW) return false;
    double common = 0;
    for (int i = 0; i < COUNTED_CLASSES; i++) {
        const VTable *vtable = __atomic_load_n(&now->rows[i].vtable, __ATOMIC_RELAXED);
        if (!vtable) continue;
        double share = (double)load(&now->rows[i].count) / (double)sum_now;
        int k = 0;
        while (k < COUNTED_CLASSES && __atomic_load_n(&before->rows[k].vtable, __ATOMIC_RELAXED) != vtable) k++;
        uint64_t count_before = k < COUNTED_CLASSES ? load(&before->rows[k].count) : 0;
        double share_before = (double)count_before / (double)sum_before;
        common += share < share_before ? share : share_before;
    }
    return common < 0.5;
}

// The share of the edge to `to` in the executions of a block. A block in which a frame continues after a call has fewer
// counts than its successors, which then are all that is known.
static double share(const uint64_t *counts, uint32_t to, uint32_t from, int64_t other) {
    double edge = (double)load(&counts[to]), all = (double)load(&counts[from]);
    if (other >= 0) all = edge + (double)load(&counts[other]);
    return all > edge ? edge / all : 1;
}

// The two shares add up to 1 if each edge is the only one to its block.
static bool is_changed(const Dataflow *flow, uint32_t b, const uint64_t *before, const uint64_t *now) {
    const uint32_t *to = &flow->edges[flow->blocks[b].first_succ];
    // If a block has one edge, its count is that of the edge.
    bool known[2] = {dataflow_edges_to(flow, to[0]) == 1, dataflow_edges_to(flow, to[1]) == 1};
    for (int i = 0; i < 2; i++) {
        if (!known[i]) continue;
        int64_t other = known[1 - i] ? (int64_t)to[1 - i] : -1;
        double difference = share(now, to[i], b, other) - share(before, to[i], b, other);
        if (difference > 0.5 || difference < -0.5) return true;
    }
    return false;
}

int64_t countschange_branch(const Dataflow *flow, const uint64_t *before, const uint64_t *now) {
    for (uint32_t b = 0; b < flow->block_count; b++) {
        bool enough = load(&before[b]) >= LEAST_BEFORE && load(&now[b]) >= LEAST_NOW;
        if (flow->blocks[b].succ_count == 2 && enough && is_changed(flow, b, before, now)) return b;
    }
    return -1;
}
