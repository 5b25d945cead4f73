// See jit/analysis/frequency.h. Depth-first search gives an order in which only the edges that close a loop lead
// backwards. Loops are processed from the inside out: with a frequency of 1 at a loop's header, the frequency that
// returns to the header determines how often the loop runs. An irreducible loop counts as a loop of the block that
// depth-first search meets first.
#include "jit/analysis/frequency.h"

#include <stdlib.h>

#include "base/grow.h"

enum {
    NONE = UINT32_MAX,
    RARE_SHARE = 1,      // of an edge into a rare block, against
    USUAL_SHARE = 2000,  // another one
    STAY_SHARE = 31,     // of an edge that stays in the loop, against one that leaves it
};

typedef struct Search {
    const FrequencyGraph *g;
    uint32_t *order, *number;  // blocks in order; the position of each block in it
    uint32_t *from;            // the source block of each edge
    uint32_t *in_loop;         // by block: header + 1 of the last examined loop that contains it
    bool *rare, *has_shares;
    double *share, *times;  // of an edge: its probability; of a header: iterations of its loop per entry
} Search;

static bool closes_loop(const Search *s, uint32_t edge) {
    return s->number[s->g->target[edge]] <= s->number[s->from[edge]];
}

static void find_order(Search *s) {
    const FrequencyGraph *g = s->g;
    uint32_t *next = grow_zeroed(g->block_count, sizeof *next), *stack = grow_zeroed(g->block_count, sizeof *stack),
             depth = 0;
    uint32_t left = g->block_count;
    bool *seen = grow_zeroed(g->block_count, sizeof *seen);
    stack[depth++] = 0;
    seen[0] = true;
    while (depth > 0) {
        uint32_t b = stack[depth - 1], edge = g->first_edge[b] + next[b]++;
        if (edge == g->first_edge[b + 1]) {
            s->number[b] = --left;
            s->order[left] = b;
            depth--;
        } else if (!seen[g->target[edge]]) {
            seen[g->target[edge]] = true;
            stack[depth++] = g->target[edge];
        }
    }
    free(seen);
    free(stack);
    free(next);
}

// A block that leads only to rare blocks is rare.
static void find_rare(Search *s) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = s->g->block_count; i-- > 0;) {
            uint32_t b = s->order[i], e = s->g->first_edge[b], end = s->g->first_edge[b + 1];
            bool all = e < end;
            for (; e < end; e++) all &= s->rare[s->g->target[e]];
            if (!all || s->rare[b]) continue;
            s->rare[b] = changed = true;
        }
    }
}

// Computes the shares of the block's edges. `header`: of the innermost loop around it, which is marked, or NONE.
static void find_shares(Search *s, uint32_t block, uint32_t header) {
    const FrequencyGraph *g = s->g;
    bool known = true;
    uint64_t weights = 0;
    double sum = 0;
    if (s->has_shares[block]) return;
    s->has_shares[block] = true;
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++) {
        known &= g->weight[e] != FREQUENCY_UNKNOWN;
        weights += g->weight[e];
    }
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++) {
        uint32_t to = g->target[e];
        bool stays = header == NONE || s->in_loop[to] == header + 1;
        double guess = s->rare[to] ? RARE_SHARE : stays ? (double)USUAL_SHARE * STAY_SHARE : USUAL_SHARE;
        sum += s->share[e] = known && weights > 0 ? g->weight[e] : guess;
    }
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++) s->share[e] /= sum;
}

// Adds the block's frequency to its successors in the loop, or to all; returns the frequency that returns to the
// header.
static double hand_on(Search *s, uint32_t block, uint32_t header, double *frequency) {
    const FrequencyGraph *g = s->g;
    double back = 0;
    for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++) {
        uint32_t to = g->target[e];
        if (closes_loop(s, e)) back += to == header ? frequency[block] * s->share[e] : 0;
        else if (header == NONE || s->in_loop[to] == header + 1) frequency[to] += frequency[block] * s->share[e];
    }
    return back;
}

static void run_loop(Search *s, uint32_t header, double *frequency) {
    double back = 0;
    uint32_t count = s->g->block_count;
    for (uint32_t i = s->number[header]; i < count; i++)
        if (s->in_loop[s->order[i]] == header + 1) find_shares(s, s->order[i], header);
    for (uint32_t i = s->number[header]; i < count; i++) frequency[s->order[i]] = 0;
    frequency[header] = 1;
    for (uint32_t i = s->number[header]; i < count; i++) {
        uint32_t b = s->order[i];
        if (s->in_loop[b] != header + 1) continue;
        if (b != header) frequency[b] *= s->times[b];
        back += hand_on(s, b, header, frequency);
    }
    s->times[header] = back < 1 - 1 / FREQUENCY_MOST ? 1 / (1 - back) : FREQUENCY_MOST;
}

// Marks the header and all blocks from which control reaches the edge without passing the header.
static void mark_loop(Search *s, const uint32_t *first_in, const uint32_t *in, uint32_t edge, uint32_t *work) {
    uint32_t header = s->g->target[edge], n = 0;
    s->in_loop[header] = header + 1;
    for (work[n++] = s->from[edge]; n > 0;) {
        uint32_t b = work[--n];
        if (s->in_loop[b] == header + 1) continue;
        s->in_loop[b] = header + 1;
        for (uint32_t i = first_in[b]; i < first_in[b + 1]; i++) work[n++] = s->from[in[i]];
    }
}

// Inner loops have headers later in the order.
static void find_times(Search *s, double *frequency) {
    const FrequencyGraph *g = s->g;
    uint32_t edges = g->first_edge[g->block_count], *work = grow_zeroed(edges + 1, sizeof *work);
    uint32_t *first_in = grow_zeroed(g->block_count + 2, sizeof *first_in), *in = grow_zeroed(edges, sizeof *in);
    for (uint32_t e = 0; e < edges; e++) first_in[g->target[e] + 2]++;
    for (uint32_t b = 0; b < g->block_count; b++) first_in[b + 2] += first_in[b + 1];
    for (uint32_t e = 0; e < edges; e++) in[first_in[g->target[e] + 1]++] = e;
    for (uint32_t i = g->block_count; i-- > 0;) {
        uint32_t header = s->order[i];
        bool is_header = false;
        for (uint32_t k = first_in[header]; k < first_in[header + 1]; k++) {
            if (!closes_loop(s, in[k])) continue;
            is_header = true;
            mark_loop(s, first_in, in, in[k], work);
        }
        if (is_header) run_loop(s, header, frequency);
    }
    free(in);
    free(first_in);
    free(work);
}

static void begin(Search *s, const FrequencyGraph *g) {
    uint32_t edges = g->first_edge[g->block_count], blocks = g->block_count;
    *s = (Search){.g = g};
    s->order = grow_zeroed(blocks, sizeof *s->order);
    s->number = grow_zeroed(blocks, sizeof *s->number);
    s->in_loop = grow_zeroed(blocks, sizeof *s->in_loop);
    s->rare = grow_zeroed(blocks, sizeof *s->rare);
    s->has_shares = grow_zeroed(blocks, sizeof *s->has_shares);
    s->times = grow_zeroed(blocks, sizeof *s->times);
    s->from = grow_zeroed(edges, sizeof *s->from);
    s->share = grow_zeroed(edges, sizeof *s->share);
    for (uint32_t b = 0; b < blocks; b++) {
        s->times[b] = 1;
        s->rare[b] = g->rare[b];
        for (uint32_t e = g->first_edge[b]; e < g->first_edge[b + 1]; e++) s->from[e] = b;
    }
}

void frequency_estimate(const FrequencyGraph *graph, double *frequency) {
    Search s;
    begin(&s, graph);
    find_order(&s);
    find_rare(&s);
    find_times(&s, frequency);
    for (uint32_t b = 0; b < graph->block_count; b++) {
        find_shares(&s, b, NONE);
        frequency[b] = b == 0;
    }
    for (uint32_t i = 0; i < graph->block_count; i++) {
        uint32_t b = s.order[i];
        frequency[b] *= s.times[b];
        hand_on(&s, b, NONE, frequency);
    }
    void *all[] = {s.order, s.number, s.in_loop, s.rare, s.has_shares, s.times, s.from, s.share};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
